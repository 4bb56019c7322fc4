#!/usr/bin/env bash
# up.sh : a cluster is up and answers; prints nothing but progress. Idempotent.
#   CLUSTER=NAME      the kind cluster's name (sojourn); CLUSTER=existing takes the current kubectl context as it is
#   KUBERNETES=vX.Y.Z another release of Kubernetes
#   NODE_IMAGE=IMAGE  another node image
set -euo pipefail
cd "$(dirname "$0")"
. ./settings.sh

if [ "$CLUSTER" = existing ]; then
  ./tools.sh kubectl helm
  kubectl version >/dev/null 2>&1 || die "CLUSTER=existing, but the current kubectl context does not answer. Check 'kubectl cluster-info'."
  exit
fi

./docker.sh up
./tools.sh kind kubectl helm

healthy() { KUBECONFIG=$CLUSTER_KUBECONFIG kubectl --request-timeout 5s get --raw /readyz >/dev/null 2>&1; }

if kind get clusters 2>/dev/null | grep -qx "$CLUSTER"; then
  # After a restart of the engine the nodes are there and stopped; after a crash of `up` the cluster is half there.
  kind get nodes --name "$CLUSTER" 2>/dev/null | xargs -r docker start >/dev/null
  kind export kubeconfig --name "$CLUSTER" --kubeconfig "$CLUSTER_KUBECONFIG" >/dev/null 2>&1 || true
  deadline=$((SECONDS + 60))
  until healthy || ((SECONDS > deadline)); do sleep 1; done
  if [ -e "$CACHE/$CLUSTER.complete" ] && healthy; then
    runs=$(docker inspect -f '{{.Config.Image}}' "$CLUSTER-control-plane")
    [[ $runs == "$NODE_IMAGE" || $runs == "$LOCAL_NODE_IMAGE" ]] ||
      die "cluster $CLUSTER runs $runs, not $NODE_IMAGE: take it down first with 'make cluster-down', or name what it runs"
    say "cluster $CLUSTER is up"
    exit
  fi
  say "cluster $CLUSTER is half there: making it anew"
  ./down.sh cluster
fi

config=$(mktemp)
trap 'rm -f "$config"' EXIT
cp kind.yaml "$config"
if can_pull "$NODE_IMAGE"; then
  image=$NODE_IMAGE
else
  ./node-image/make.sh image
  image=$LOCAL_NODE_IMAGE
  cat kind-local.yaml >>"$config"
fi
say "creating cluster $CLUSTER (1 control plane, 2 workers) on $image"
kind create cluster --quiet --name "$CLUSTER" --image "$image" --config "$config" --kubeconfig "$CLUSTER_KUBECONFIG" --wait 180s ||
  die "kind could not create the cluster. 'make cluster-down' cleans up."
export KUBECONFIG=$CLUSTER_KUBECONFIG
kubectl wait --for=condition=Ready nodes --all --timeout=180s >/dev/null
kubectl -n kube-system rollout status deployment/coredns --timeout=180s >/dev/null
kubectl -n local-path-storage rollout status deployment/local-path-provisioner --timeout=180s >/dev/null
touch "$CACHE/$CLUSTER.complete"
say "cluster $CLUSTER is up; KUBECONFIG=$CLUSTER_KUBECONFIG"
