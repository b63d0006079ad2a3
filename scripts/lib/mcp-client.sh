#!/usr/bin/env bash
# Installs the official MCP clients that the tests drive, once, into the user's cache: the Python
# package mcp in a virtual environment, and, where npm is at hand, @modelcontextprotocol/sdk. Each file
# of either, dependencies included, must have the hash that stands in mcp-client/. Prints the Python
# interpreter and the directory of the other. What is installed is said on stderr; a second run
# installs nothing.
set -euo pipefail

mcp_pins=$(cd "$(dirname "${BASH_SOURCE[0]}")/mcp-client" && pwd)

mcp_say() { printf 'mcp client: %s\n' "$*" >&2; }

mcp_python() {
  local dir=$1
  [ -x "$dir/bin/python" ] && return
  if ! python3 -m venv "$dir.part" >/dev/null 2>&1; then
    local sudo=()
    if [ "$(id -u)" -ne 0 ]; then sudo=(sudo); fi
    mcp_say "installing Debian packages python3 python3-pip python3-venv"
    "${sudo[@]}" apt-get update -qq >&2
    "${sudo[@]}" apt-get install -y -qq python3 python3-pip python3-venv >&2
    python3 -m venv --clear "$dir.part" >&2
  fi
  mcp_say "installing $(grep -o '^mcp==[^ ]*' "$mcp_pins/requirements.txt") into $dir"
  "$dir.part/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: --no-deps \
    --require-hashes --requirement "$mcp_pins/requirements.txt" >&2
  # A virtual environment names its own path only in its scripts, which nothing here uses.
  mv "$dir.part" "$dir"
}

mcp_node() {
  local dir=$1
  [ -d "$dir/node_modules/@modelcontextprotocol/sdk" ] && return
  mcp_say "installing @modelcontextprotocol/sdk into $dir"
  rm -rf "$dir.part"
  mkdir -p "$dir.part"
  cp "$mcp_pins/package.json" "$mcp_pins/package-lock.json" "$dir.part/"
  (cd "$dir.part" && npm ci --loglevel=error --no-audit --no-fund --ignore-scripts >&2)
  mv "$dir.part" "$dir"
}

# What names the installation of a pinning file: another pin is another directory.
mcp_key() { sha256sum "$mcp_pins/$1" | cut -c1-12; }

mcp_install() {
  local cache python node
  cache=${GOVMEM_CACHE:-$HOME/.cache/govmem}/mcp-client
  mkdir -p "$cache"
  exec 9>"$cache/install.lock"
  flock 9
  python=$cache/python-$(mcp_key requirements.txt)
  node=$cache/node-$(mcp_key package-lock.json)
  mcp_python "$python"
  if command -v npm >/dev/null && command -v node >/dev/null; then
    mcp_node "$node"
  fi
  exec 9>&-
  printf '%s\n' "$python/bin/python" "$node"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then mcp_install; fi
