#!/usr/bin/env bash
# base-image.sh SUITE : debian:SUITE-slim is here, pulled, or made with debootstrap where nothing can be pulled.
set -euo pipefail
cd "$(dirname "$0")"
. ./settings.sh
suite=${1:?a Debian suite, as in: base-image.sh trixie}
can_pull "debian:$suite-slim" && exit
command -v debootstrap >/dev/null || apt_install debootstrap
say "no registry hands out debian:$suite-slim: making it"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
debootstrap --variant=minbase --include=ca-certificates "$suite" "$dir" >"$CACHE/debootstrap-$suite.log" ||
  die "debootstrap failed; see $CACHE/debootstrap-$suite.log"
# What makes upstream's slim: no manuals, no translations.
rm -rf "$dir"/var/cache/apt/* "$dir"/var/lib/apt/lists/* "$dir"/usr/share/{doc,man,info,locale}/*
tar -C "$dir" -c . | docker import -c 'CMD ["bash"]' - "debian:$suite-slim" >/dev/null
