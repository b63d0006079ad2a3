#!/usr/bin/env bash
# on-story-close.sh STORY STATUS [OPTIONS]: what the memory owes a closing story. REJECTED and
# DONE_WITH_ANOMALY purge the clarifications past their retention; any other status needs nothing.
# Options go to `govmem purge clarifications`; its exit code passes through.
if [ $# -lt 2 ] || [[ ! $1 =~ ^[A-Z][A-Z0-9]*-[1-9][0-9]*$ ]]; then
  printf 'error: a story and its status are needed\nhint: %s PD-42 REJECTED\n' "$0" >&2
  exit 2
fi
status=$2; shift 2
case $status in
  REJECTED | DONE_WITH_ANOMALY) ;;
  *) exit 0 ;;
esac
exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/run.sh" govmem purge clarifications "$@"
