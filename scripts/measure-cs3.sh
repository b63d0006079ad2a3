#!/usr/bin/env bash
# Measures CS-3: govmem kpi cs3.
exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/run.sh" govmem kpi cs3 "$@"
