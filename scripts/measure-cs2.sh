#!/usr/bin/env bash
# Measures CS-2: govmem kpi cs2, such as measure-cs2.sh --window 90d.
exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/run.sh" govmem kpi cs2 "$@"
