#!/usr/bin/env bash
# run.sh BINARY ARGUMENTS…: execs a binary of this project, found on PATH, else where this checkout
# builds it. Arguments and exit code pass through; 69 when there is no binary.
binary=$1; shift
found=$(type -P "$binary")
if [ -z "$found" ]; then
  root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
  for target in "${CARGO_TARGET_DIR:-}" "$root/target" "${GOVMEM_CACHE:-$HOME/.cache/govmem}/target"; do
    for profile in release debug; do
      [ -n "$found" ] || [ -z "$target" ] || [ ! -x "$target/$profile/$binary" ] || found=$target/$profile/$binary
    done
  done
fi
if [ -z "$found" ]; then
  printf 'error: %s is neither on PATH nor built beside this script\nhint: cargo build --release --bins, or put %s on PATH\n' "$binary" "$binary" >&2
  exit 69
fi
exec "$found" "$@"
