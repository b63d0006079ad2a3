#!/usr/bin/env bash
# Installs the official MCP clients that the tests drive, once, into the user's cache: the Python
# package mcp in a virtual environment, and, where npm is at hand, @modelcontextprotocol/sdk. Prints
# the Python interpreter. What is installed is said on stderr; a second run installs nothing.
set -euo pipefail

mcp_python_version=2.3.0
mcp_node_version=1.32.2

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
  mcp_say "installing mcp $mcp_python_version into $dir"
  "$dir.part/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: \
    "mcp==$mcp_python_version" >&2
  # A virtual environment names its own path only in its scripts, which nothing here uses.
  mv "$dir.part" "$dir"
}

mcp_node() {
  local dir=$1
  [ -d "$dir/node_modules/@modelcontextprotocol/sdk" ] && return
  mcp_say "installing @modelcontextprotocol/sdk $mcp_node_version into $dir"
  rm -rf "$dir.part"
  mkdir -p "$dir.part"
  (cd "$dir.part" && npm install --silent --no-audit --no-fund --ignore-scripts --save-exact \
    "@modelcontextprotocol/sdk@$mcp_node_version" >&2)
  mv "$dir.part" "$dir"
}

mcp_install() {
  local cache
  cache=${GOVMEM_CACHE:-$HOME/.cache/govmem}/mcp-client
  mkdir -p "$cache"
  exec 9>"$cache/install.lock"
  flock 9
  mcp_python "$cache/python-$mcp_python_version"
  if command -v npm >/dev/null && command -v node >/dev/null; then
    mcp_node "$cache/node-$mcp_node_version"
  fi
  exec 9>&-
  printf '%s\n' "$cache/python-$mcp_python_version/bin/python"
  printf '%s\n' "$cache/node-$mcp_node_version"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then mcp_install; fi
