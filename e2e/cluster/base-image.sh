#!/usr/bin/env bash
# base-image.sh SUITE [ARCH] : debian:SUITE-slim is here, pulled, or made with debootstrap where nothing can be pulled; and its name is printed.
set -euo pipefail
cd "$(dirname "$0")"
. ./settings.sh
suite=${1:?a Debian suite, as in: base-image.sh trixie}
arch=${2:-$MACHINE}
image=$(image_here "debian:$suite-slim" "$arch")
echo "$image"
can_pull "debian:$suite-slim" "$arch" && exit
command -v debootstrap >/dev/null || apt_install debootstrap
say "no registry hands out debian:$suite-slim for $arch: making it"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
debootstrap --arch="$arch" --variant=minbase --include=ca-certificates "$suite" "$dir" >"$CACHE/debootstrap-$suite-$arch.log" ||
  die "debootstrap failed; see $CACHE/debootstrap-$suite-$arch.log"
# What makes upstream's slim: no manuals, no translations.
rm -rf "$dir"/var/cache/apt/* "$dir"/var/lib/apt/lists/* "$dir"/usr/share/{doc,man,info,locale}/*
tar -C "$dir" -c . | docker import --platform "linux/$arch" -c 'CMD ["bash"]' - "$image" >/dev/null
