#!/usr/bin/env bash
# on-story-close.sh STORY STATUS [OPTIONS]: to be called when a story closes. REJECTED and
# DONE_WITH_ANOMALY purge the clarifications past their retention; other statuses ask for nothing.
# Options go to `govmem purge clarifications`, whose exit code is passed on.
if [ $# -lt 2 ] || [[ ! $1 =~ ^[A-Z][A-Z0-9]*-[1-9][0-9]*$ ]]; then
  printf 'error: a story and its status are needed\nhint: %s PD-42 REJECTED\n' "$0" >&2
  exit 2
fi
status=$2; shift 2
case $status in
  REJECTED | DONE_WITH_ANOMALY) ;;
  *) exit 0 ;;
esac
if ! command -v govmem >/dev/null; then
  printf 'error: govmem is not on PATH\nhint: install govmem, then run this script again\n' >&2
  exit 69
fi
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." || exit 74
exec govmem purge clarifications "$@"
