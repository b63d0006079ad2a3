#!/usr/bin/env bash
# Measures CS-4: govmem kpi cs4.
exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/run.sh" govmem kpi cs4 "$@"
