#!/usr/bin/env bash
# Collects and indexes learnings, watch notes and clarifications again: govmem reindex.
exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/run.sh" govmem reindex "$@"
