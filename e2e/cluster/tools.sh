#!/usr/bin/env bash
# tools.sh NAME... : has kind, kubectl or helm in the cache's bin, unless the PATH has them.
set -euo pipefail
cd "$(dirname "$0")"
. ./settings.sh

go_install() { # NAME MODULE@VERSION
  command -v go >/dev/null || die "missing: $1. Install $1, or Go 1.24 or later (then it is built from its module)."
  say "building $1 (${2##*@})"
  GOBIN=$BIN GOFLAGS=-trimpath CGO_ENABLED=0 go install -ldflags '-s -w' "$2" 2>"$CACHE/$1.log" ||
    die "$1 does not build; see $CACHE/$1.log"
}

for tool in "$@"; do
  command -v "$tool" >/dev/null && continue
  case $tool in
    kind) go_install kind "sigs.k8s.io/kind@$KIND" ;;
    helm) go_install helm "helm.sh/helm/v3/cmd/helm@$HELM" ;;
    kubectl) node-image/make.sh kubectl ;;
    *) die "tools.sh knows kind, kubectl and helm, not $tool" ;;
  esac
done
