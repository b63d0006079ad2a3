# Shared by the scripts: messages, Debian packages, Cargo settings. Sourced, never run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export GOVMEM_CACHE="${GOVMEM_CACHE:-$HOME/.cache/govmem}"
# The vectors library and the model code take minutes to build: they are built once and shared.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$GOVMEM_CACHE/target}"
export CARGO_BUILD_JOBS="${CARGO_BUILD_JOBS:-2}"

say() { printf '==> %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
    die "root is needed for: $* (run as root or install sudo)"
  fi
}

# Installs the Debian packages that are missing, and says which. A second call installs nothing.
debian_packages() {
  local missing=() package
  command -v dpkg-query >/dev/null || die "this script installs Debian packages; install by hand: $*"
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing Debian packages: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

build_packages() {
  command -v cargo >/dev/null || die "cargo is missing: install Rust 1.95 or later (rustup)"
  debian_packages g++ make cmake pkg-config libopenblas-dev liblapack-dev libgomp1 python3-pip python3-venv unzip
}
