#!/usr/bin/env bash
# Runs every test. Installs what they need: Debian packages, the test model, the OpenBao server, the
# official MCP clients.
# Usage: scripts/test.sh [arguments of cargo test]
. "$(dirname "$0")/lib/common.sh"
cd "$root"
build_packages
debian_packages git strace chromium
scripts/lib/model.sh
scripts/lib/openbao.sh >/dev/null
scripts/lib/mcp-client.sh >/dev/null
say "running the tests (target directory: $CARGO_TARGET_DIR)"
exec cargo test --locked "$@"
