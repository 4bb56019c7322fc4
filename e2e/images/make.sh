#!/usr/bin/env bash
# make.sh build : builds this project's images from what `make build` left, and has Valkey's, Redis's and Envoy's here, for each of ARCHITECTURES
# make.sh load  : brings them into the cluster. With CLUSTER=existing they are pushed to REGISTRY, which its nodes must reach
# make.sh third-party : has cert-manager and Prometheus with its operator in a cluster of ours, and their manifests and the Gateway API's in build/third-party
set -euo pipefail
cd "$(dirname "$0")"
. ../cluster/settings.sh
. ./versions.sh
TOP=../..
THIRD_PARTY=$(realpath "$TOP")/build/third-party

# BuildKit where there is its plugin. Engines come without it, and then with the builder of before, which takes an image of another architecture for
# one of this machine's.
builder=(env DOCKER_BUILDKIT=0 docker build)
! docker buildx version >/dev/null 2>&1 || builder=(docker buildx build --load --provenance=false)

# For one of ARCHITECTURES, $arch; what its Dockerfile runs is emulated where that is not this machine's.
arch=$MACHINE
build_image() { # NAME FOLDER OPTIONS...
  local name
  name=$(image_here "$1" "$arch")
  [[ $arch == "$MACHINE" || ${builder[*]} == *buildx* ]] || die "missing: docker buildx, to build an image for $arch. Install Docker's plugin of that name."
  "${builder[@]}" -q --platform "linux/$arch" -t "$name" "${@:3}" "$2" >"$CACHE/image.log" 2>&1 || {
    cat "$CACHE/image.log" >&2
    die "image $name does not build"
  }
  say "image $name: $(docker image inspect -f '{{.Size}}' "$name" | numfmt --to=iec)"
}

needs() { [ -e "$1" ] || die "$1 is missing: run 'make build' first"; }

sidecar() {
  local dir=$TOP/build/sidecar-image-$arch target=x86_64
  [ "$arch" = amd64 ] || target=aarch64
  local binary=${CARGO_TARGET_DIR:-$TOP/sidecar/daemon/target}/$target-unknown-linux-gnu/release/sojournd
  needs "$binary"
  needs $TOP/sidecar/agent/target/sojourn-agent.jar
  mkdir -p "$dir"
  cp "$binary" $TOP/sidecar/agent/target/sojourn-agent.jar $TOP/sidecar/Dockerfile "$dir/"
  build_image "$SIDECAR_IMAGE" "$dir"
}

# upstream IMAGE : it is here, pulled. Else it has to be made, which is done for this machine's architecture only.
upstream() {
  can_pull "$1" "$arch" && return
  [ "$arch" = "$MACHINE" ] || die "no registry hands out $1 for $arch"
  return 1
}

base() { # SUITE : prints the name of Debian's image here
  # It pulls by itself, and ends this too where it can neither pull nor make it: a substitution does not heed -e.
  if [ "$arch" = "$MACHINE" ]; then ../cluster/base-image.sh "$1" >&2 || return; else upstream "debian:$1-slim"; fi
  image_here "debian:$1-slim" "$arch"
}

envoy() { # BASE
  upstream "$ENVOY_IMAGE" && return
  local dir=$TOP/build/envoy-image
  mkdir -p "$dir"
  cp "$(./envoy-binary.sh)" "$dir/envoy"
  cp envoy/Dockerfile "$dir/"
  build_image "$ENVOY_IMAGE" "$dir" --build-arg BASE="$1"
}

server() { # IMAGE SERVER BASE
  upstream "$1" || build_image "$1" server --build-arg SERVER="$2" --build-arg BASE="$3"
}

build_for() { # ARCH
  local arch=$1 trixie bookworm
  trixie=$(base trixie)
  bookworm=$(base bookworm)
  build_image "$OPERATOR_IMAGE" $TOP/operator --build-arg BASE="$trixie"
  build_image "$EXAMPLE_IMAGE" $TOP/examples/tomcat-login --build-arg BASE="$trixie"
  sidecar
  server "$VALKEY_IMAGE" valkey "$trixie"
  server "$REDIS_IMAGE" redis "$bookworm"
  envoy "$trixie"
}

build() {
  needs $TOP/operator/target/quarkus-app/quarkus-run.jar
  needs $TOP/examples/tomcat-login/target/tomcat.tar.gz
  [[ $CLUSTER == existing || $ARCHITECTURES == "$MACHINE" ]] || die "a cluster on this machine runs images of $MACHINE: ARCHITECTURES=\"$ARCHITECTURES\" is for CLUSTER=existing"
  ../cluster/docker.sh up
  local arch
  for arch in $ARCHITECTURES; do build_for "$arch"; done
}

load() {
  local image images=("$OPERATOR_IMAGE" "$SIDECAR_IMAGE" "$EXAMPLE_IMAGE" "$VALKEY_IMAGE" "$REDIS_IMAGE" "$ENVOY_IMAGE")
  if [ "$CLUSTER" = existing ]; then
    [ -n "${REGISTRY:-}" ] || die "CLUSTER=existing needs REGISTRY=<a registry that its nodes can pull from>"
    for image in "${images[@]}"; do push "$image"; done
    return
  fi
  into_kind "${images[@]}"
}

# Of several architectures each has a name of its own, and over them is a list, of which a node gets its own.
push() { # IMAGE
  local arch name names=()
  for arch in $ARCHITECTURES; do
    [ "$arch" = "$ARCHITECTURES" ] && name=$REGISTRY/$1 || name=$REGISTRY/$1-$arch
    docker tag "$(image_here "$1" "$arch")" "$name"
    docker push -q "$name" >/dev/null || die "could not push $name"
    names+=("$name")
  done
  [ ${#names[@]} = 1 ] || push_list "$REGISTRY/$1" "${names[@]}"
}

push_list() { # NAME IMAGE...
  # That of an earlier run would be added to.
  docker manifest rm "$1" >/dev/null 2>&1 || true
  { docker manifest create "$@" && docker manifest push "$1"; } >"$CACHE/manifest.log" 2>&1 ||
    die "could not push $1, the list of ${*:2}; see $CACHE/manifest.log"
}

into_kind() { # IMAGE...
  { have kind && kind get clusters 2>/dev/null | grep -qx "$CLUSTER"; } ||
    die "there is no cluster $CLUSTER to load the images into: run 'make cluster-up' first, or name yours with CLUSTER=existing REGISTRY=<its registry>"
  say "loading the images into cluster $CLUSTER"
  kind load docker-image --name "$CLUSTER" "$@" >"$CACHE/load.log" 2>&1 || die "kind could not load the images; see $CACHE/load.log"
}

# go_build FOLDER OUT PACKAGE... : from what a folder's go.mod names
go_build() {
  have go || die "missing: go. Install Go 1.26 or later, or let Docker pull images."
  say "building $1 (10 minutes with cold caches)"
  (cd "$1" && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$2" "${@:3}") 2>"$CACHE/$1.log" ||
    die "$1 does not build; see $CACHE/$1.log"
}

# binary_image NAME BINARY PATH : an image of just this static binary, called by that path
binary_image() {
  local dir
  dir=$(mktemp -d)
  # It becomes the container's root, which whoever is not root must get through.
  chmod 755 "$dir"
  install -D -m 755 "$2" "$dir/$3"
  tar -C "$dir" -c . | docker import -c "ENTRYPOINT [\"/$3\"]" -c 'USER 65532:65532' - "$1" >/dev/null
  rm -r "$dir"
}

cert_manager() {
  local chart=$THIRD_PARTY/cert-manager image images=() name
  cp -r --no-preserve=mode "$(module cert-manager github.com/cert-manager/cert-manager)/deploy/charts/cert-manager" "$chart"
  # The tag of its images, which a release's own chart has here.
  sed -i "s/v0\.0\.0/$CERT_MANAGER/" "$chart/Chart.yaml"
  for image in $(helm template --kube-version 1.34 "$chart" | named 'cert-manager-(controller|webhook|cainjector)'); do
    images+=("$image")
    can_pull "$image" && continue
    name=${image##*/}
    [ -x "$THIRD_PARTY/bin/cert-manager" ] || go_build cert-manager "$THIRD_PARTY/bin/cert-manager" .
    binary_image "$image" "$THIRD_PARTY/bin/cert-manager" "${name%:*}"
  done
  into_kind "${images[@]}"
}

prometheus() {
  local module=github.com/prometheus-operator/prometheus-operator out=$THIRD_PARTY/bin image images=("$PROMETHEUS_IMAGE") name
  cp --no-preserve=mode "$(module prometheus-operator $module)/bundle.yaml" "$THIRD_PARTY/prometheus-operator.yaml"
  for image in $(named 'prometheus-(operator|config-reloader)' <"$THIRD_PARTY/prometheus-operator.yaml"); do
    images+=("$image")
    can_pull "$image" && continue
    name=${image##*/prometheus-}
    name=${name%:*}
    # The one command is called as its image is, the other is not.
    [ "$name" = operator ] || name=prometheus-$name
    [ -x "$out/$name" ] || go_build prometheus-operator "$out/" "$module/cmd/operator" "$module/cmd/prometheus-config-reloader"
    binary_image "$image" "$out/$name" "bin/$name"
  done
  can_pull "$PROMETHEUS_IMAGE" || build_image "$PROMETHEUS_IMAGE" prometheus
  into_kind "${images[@]}"
}

gateway_api() {
  cp --no-preserve=mode "$(module gateway-api sigs.k8s.io/gateway-api)/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml" \
    "$THIRD_PARTY/httproutes.yaml"
}

# The images of that name in the manifests that are read.
named() { # NAME
  grep -oE "[^ \"=]*/$1:[^ \"]*" | sort -u
}

# Where a module's files are, its manifests among them.
module() { # FOLDER MODULE
  (cd "$1" && go mod download "$2" && go list -m -f '{{.Dir}}' "$2")
}

third_party() {
  [ "$CLUSTER" != existing ] || die "make e2e-thirdparty installs what is cluster-wide: it takes a cluster of ours, not CLUSTER=existing"
  rm -rf "$THIRD_PARTY"
  mkdir -p "$THIRD_PARTY"
  gateway_api
  cert_manager
  prometheus
}

case ${1:-} in
  build | load) "$1" ;;
  third-party) third_party ;;
  *)
    sed -n '2,4p' "$0"
    exit 2
    ;;
esac
