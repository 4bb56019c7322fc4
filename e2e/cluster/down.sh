#!/usr/bin/env bash
# down.sh [cluster] : takes down what up.sh made, and nothing else: the cluster, then the Docker engine if up.sh started it.
set -euo pipefail
cd "$(dirname "$0")"
. ./settings.sh

[ "$CLUSTER" != existing ] || die "CLUSTER=existing: that cluster is yours; nothing was taken down"
rm -f "$CACHE/$CLUSTER.complete"
if docker info >/dev/null 2>&1 && command -v kind >/dev/null; then
  say "deleting cluster $CLUSTER"
  kind delete cluster --quiet --name "$CLUSTER" --kubeconfig "$CLUSTER_KUBECONFIG"
fi
rm -f "$CLUSTER_KUBECONFIG"
[ "${1:-}" = cluster ] || ./docker.sh down
