#!/usr/bin/env bash
# make.sh build : builds this project's images from what `make build` left, and has Valkey's, Redis's and Envoy's here
# make.sh load  : brings them into the cluster. With CLUSTER=existing they are pushed to REGISTRY, which its nodes must reach
set -euo pipefail
cd "$(dirname "$0")"
. ../cluster/settings.sh
. ./versions.sh
TOP=../..

build_image() { # NAME FOLDER OPTIONS...
  DOCKER_BUILDKIT=0 docker build -q -t "$1" "${@:3}" "$2" >"$CACHE/image.log" 2>&1 || {
    cat "$CACHE/image.log" >&2
    die "image $1 does not build"
  }
  say "image $1: $(docker image inspect -f '{{.Size}}' "$1" | numfmt --to=iec)"
}

needs() { [ -e "$1" ] || die "$1 is missing: run 'make build' first"; }

sidecar() {
  local dir=$TOP/build/sidecar-image binary=${CARGO_TARGET_DIR:-$TOP/sidecar/daemon/target}/x86_64-unknown-linux-gnu/release/sojournd
  needs "$binary"
  needs $TOP/sidecar/agent/target/sojourn-agent.jar
  mkdir -p "$dir"
  cp "$binary" $TOP/sidecar/agent/target/sojourn-agent.jar $TOP/sidecar/Dockerfile "$dir/"
  build_image "$SIDECAR_IMAGE" "$dir"
}

envoy() {
  can_pull "$ENVOY_IMAGE" && return
  local dir=$TOP/build/envoy-image
  mkdir -p "$dir"
  cp "$(./envoy-binary.sh)" "$dir/envoy"
  cp envoy/Dockerfile "$dir/"
  build_image "$ENVOY_IMAGE" "$dir"
}

build() {
  ../cluster/docker.sh up
  ../cluster/base-image.sh trixie
  needs $TOP/operator/target/quarkus-app/quarkus-run.jar
  needs $TOP/examples/tomcat-login/target/tomcat.tar.gz
  build_image "$OPERATOR_IMAGE" $TOP/operator
  build_image "$EXAMPLE_IMAGE" $TOP/examples/tomcat-login
  sidecar
  can_pull "$VALKEY_IMAGE" || build_image "$VALKEY_IMAGE" server --build-arg SUITE=trixie --build-arg SERVER=valkey
  ../cluster/base-image.sh bookworm
  can_pull "$REDIS_IMAGE" || build_image "$REDIS_IMAGE" server --build-arg SUITE=bookworm --build-arg SERVER=redis
  envoy
}

load() {
  local image images=("$OPERATOR_IMAGE" "$SIDECAR_IMAGE" "$EXAMPLE_IMAGE" "$VALKEY_IMAGE" "$REDIS_IMAGE" "$ENVOY_IMAGE")
  if [ "$CLUSTER" = existing ]; then
    [ -n "${REGISTRY:-}" ] || die "CLUSTER=existing needs REGISTRY=<a registry that its nodes can pull from>"
    for image in "${images[@]}"; do
      docker tag "$image" "$REGISTRY/$image"
      docker push -q "$REGISTRY/$image" >/dev/null || die "could not push $REGISTRY/$image"
    done
    return
  fi
  say "loading the images into cluster $CLUSTER"
  kind load docker-image --name "$CLUSTER" "${images[@]}" >"$CACHE/load.log" 2>&1 || die "kind could not load the images; see $CACHE/load.log"
}

case ${1:-} in
  build | load) "$1" ;;
  *)
    sed -n '2,3p' "$0"
    exit 2
    ;;
esac
