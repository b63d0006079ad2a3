#!/usr/bin/env bash
# Rotates the audit key: govmem audit rotate.
exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/run.sh" govmem audit rotate "$@"
