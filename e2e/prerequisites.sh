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
have curl unzip || missing+=(curl unzip)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3 python3-venv python3-pip)
if [ "${1:-}" = test ]; then
  have openssl || missing+=(openssl)
  have redis-server || have valkey-server || missing+=(redis-server)
  # A daemon whose clock is wrong: sidecar/daemon/tests/serve/skew.rs.
  [ -e /usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1 ] || missing+=(libfaketime)
  # The native connector of Tomcat 9: without its library that case would be skipped and nobody know.
  [ -e /usr/lib/x86_64-linux-gnu/libtcnative-1.so ] || missing+=(libtcnative-1)
fi
[ ${#missing[@]} = 0 ] || apt_install "${missing[@]}"
