#!/usr/bin/env bash
# Injects step 0: step0-inject.
exec "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib/run.sh" step0-inject "$@"
