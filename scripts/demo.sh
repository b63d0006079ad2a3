#!/usr/bin/env bash
# The main job on this project's own memory: index three sources, inject step 0, verify the trail.
# Needs Rust, git and Python; installs the rest and says what. No Ollama, no Vault, no service.
# Usage: scripts/demo.sh [DIRECTORY]   (a new temporary directory by default; it is kept)
. "$(dirname "$0")/lib/common.sh"
cd "$root"
build_packages
. scripts/lib/model.sh
install_model
model=$(model_dir)
say "building (the first build takes about ten minutes: the vector library and the model code)"
cargo build --locked --quiet --bins
export PATH="$CARGO_TARGET_DIR/debug:$PATH"

work=${1:-$(mktemp -d "${TMPDIR:-/tmp}/govmem-demo.XXXXXX")}
mkdir -p "$work"
[ -z "$(ls -A "$work")" ] || die "$work is not empty"
say "workspace: $work"
export GOVMEM_AUDIT_KEYRING_PATH="$work/keyring.json"
govmem init "$work" --embedder local --model-dir "$model" --keyring file
cp -r data/docs "$work/"
cp data/learnings.jsonl data/metrics.jsonl "$work/data/"
cd "$work"
govmem audit bootstrap
govmem reindex
say "step 0 of a story"
printf '%s' '{"story_id": "GM-7", "title": "Serve searches while an index is being rebuilt", "domain": "vectors", "project": "govmem"}' \
  | step0-inject --from-json -
say "the signed trail"
govmem audit verify
say "look around: cd $work && GOVMEM_AUDIT_KEYRING_PATH=$work/keyring.json govmem status"
