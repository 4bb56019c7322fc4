#!/usr/bin/env bash
# tools.sh NAME... : has kind, kubectl, helm or promtool in the cache's bin, unless the PATH has them.
set -euo pipefail
cd "$(dirname "$0")"
. ./settings.sh

go_install() { # NAME MODULE@VERSION
  command -v go >/dev/null || die "missing: $1. Install $1, or Go 1.24 or later (then it is built from its module)."
  say "building $1 (${2##*@})"
  GOBIN=$BIN GOFLAGS=-trimpath CGO_ENABLED=0 go install -ldflags '-s -w' "$2" 2>"$CACHE/$1.log" ||
    die "$1 does not build; see $CACHE/$1.log"
}

# Taken out of Debian's package of that name; before Debian 13 out of Prometheus', which would run one if it were installed.
debian_promtool() {
  have apt-get dpkg || die "missing: promtool. Install Prometheus with your system's package manager: it brings it."
  say "getting promtool from Debian's packages"
  local dir
  dir=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$dir'" EXIT
  {
    [ "$(id -u)" != 0 ] || apt-get update -qq
    (cd "$dir" && { apt-get download -qq promtool || apt-get download -qq prometheus; } && dpkg -x ./*.deb . && install usr/bin/promtool "$BIN/promtool")
  } >"$CACHE/promtool.log" 2>&1 || die "promtool could not be had from Debian's packages; see $CACHE/promtool.log"
}

for tool in "$@"; do
  command -v "$tool" >/dev/null && continue
  case $tool in
    kind) go_install kind "sigs.k8s.io/kind@$KIND" ;;
    helm) go_install helm "helm.sh/helm/v3/cmd/helm@$HELM" ;;
    kubectl) node-image/make.sh kubectl ;;
    promtool) debian_promtool ;;
    *) die "tools.sh knows kind, kubectl, helm and promtool, not $tool" ;;
  esac
done
