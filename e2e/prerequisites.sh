#!/usr/bin/env bash
# What building needs, and with `test` what testing needs besides. Root on Debian gets it; everybody else gets one line that names what is missing.
set -euo pipefail
cd "$(dirname "$0")/cluster"
# shellcheck source=e2e/cluster/settings.sh
. ./settings.sh

have cargo || die "missing: cargo. Install Rust 1.88 or later (rustup)."
missing=()
have javac && javac -version 2>&1 | awk '{split($2, v, "."); exit !(v[1] >= 17)}' || missing+=(openjdk-17-jdk-headless)
have gcc || missing+=(gcc libc6-dev)
for arch in $ARCHITECTURES; do
  [ "$arch" = "$MACHINE" ] && continue
  # The linker, and the C compiler of what is not Rust.
  case $arch in
    arm64) have aarch64-linux-gnu-gcc || missing+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross) ;;
    amd64) have x86_64-linux-gnu-gcc || missing+=(gcc-x86-64-linux-gnu libc6-dev-amd64-cross) ;;
    *) die "ARCHITECTURES knows amd64 and arm64, not $arch" ;;
  esac
done
have curl unzip || missing+=(curl unzip)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3 python3-venv python3-pip)
if [ "${1:-}" = test ]; then
  have openssl || missing+=(openssl)
  have redis-server || have valkey-server || missing+=(redis-server)
  libraries=/usr/lib/$(uname -m)-linux-gnu
  # A daemon whose clock is wrong: sidecar/daemon/tests/serve/skew.rs.
  [ -e "$libraries/faketime/libfaketime.so.1" ] || missing+=(libfaketime)
  # The native connector of Tomcat 9: without its library that case would be skipped and nobody know.
  [ -e "$libraries/libtcnative-1.so" ] || missing+=(libtcnative-1)
fi
[ ${#missing[@]} = 0 ] || apt_install "${missing[@]}"
