#!/usr/bin/env bash
# Makes a kind node image on a host that can pull none: Kubernetes, etcd, CoreDNS and the storage provisioner from their Go
# modules, the node's system from Debian's packages.
#
#   make.sh image     build the image; 2 minutes with Go's caches warm on 2 cores, 7 with cold ones
#   make.sh kubectl   only a kubectl, in the cache's bin
set -euo pipefail
cd "$(dirname "$0")"
. ../settings.sh
ROOT=$CACHE/node-root
export CGO_ENABLED=0 GOFLAGS=-trimpath

# Another release than the one whose sums are kept here: what it requires is in its own module, its staged parts have its number.
kubernetes_source() { # FOLDER
  local module
  mkdir -p "$1"
  cp kubernetes/main.go "$1"
  have jq || apt_install jq
  module=$(go mod download -json "k8s.io/kubernetes@$KUBERNETES" | jq -r .GoMod) && [ -e "$module" ] ||
    die "the module k8s.io/kubernetes@$KUBERNETES cannot be had: is KUBERNETES a release, and the Go proxy there?"
  {
    echo "module kindnode/kubernetes"
    grep '^go ' "$module"
    echo "require k8s.io/kubernetes $KUBERNETES"
    sed -nE "s#^\s*(replace )?(k8s.io/[a-z-]+) => \./staging.*#replace \2 => \2 v0.${KUBERNETES#v1.}#p" "$module"
  } >"$1/go.mod"
  (cd "$1" && go mod tidy) 2>"$CACHE/kubernetes.log" || die "what Kubernetes $KUBERNETES requires cannot be had; see $CACHE/kubernetes.log"
}

kubernetes() { # every component and kubectl, one binary called by different names
  command -v go >/dev/null || die "missing: go. Install Go 1.25 or later: Kubernetes is built from its module."
  [ -x "$BIN/kubernetes" ] && "$BIN/kubectl" version --client 2>/dev/null | grep -qwF -- "$KUBERNETES" && return
  say "building Kubernetes $KUBERNETES (5 minutes with cold caches)"
  local minor=${KUBERNETES#v1.} source=kubernetes at=k8s.io/component-base/version
  minor=${minor%%.*}
  if ! grep -q "k8s.io/kubernetes $KUBERNETES$" kubernetes/go.mod; then
    source=$CACHE/kubernetes-$KUBERNETES
    kubernetes_source "$source"
  fi
  (cd "$source" && go build -ldflags "-s -w -X $at.gitVersion=$KUBERNETES -X $at.gitMajor=1 -X $at.gitMinor=$minor" -o "$BIN/kubernetes" .) \
    2>"$CACHE/kubernetes.log" || die "Kubernetes does not build; see $CACHE/kubernetes.log"
  ln -sf kubernetes "$BIN/kubectl"
  ln -sf kubernetes "$BIN/kubeadm"
}

binaries() {
  kubernetes
  say "building etcd, CoreDNS, the storage provisioner and pause"
  (cd etcd && go build -ldflags "-s -w" -o "$BIN/etcd" .) 2>"$CACHE/etcd.log" || die "see $CACHE/etcd.log"
  (cd coredns && go build -ldflags "-s -w" -o "$BIN/coredns" .) 2>"$CACHE/coredns.log" || die "see $CACHE/coredns.log"
  GOBIN=$BIN go install -ldflags '-s -w' "github.com/rancher/local-path-provisioner@$LOCAL_PATH" 2>"$CACHE/local-path.log" ||
    die "see $CACHE/local-path.log"
  gcc -static -Os -o "$BIN/pause" files/pause.c
}

# image_of NAME ENTRYPOINT PATH-IN-IMAGE=FILE... : an image of just these files.
image_of() {
  local name=$1 entrypoint=$2 dir pair
  shift 2
  dir=$(mktemp -d)
  for pair in "$@"; do
    mkdir -p "$dir/$(dirname "${pair%%=*}")"
    cp -P "${pair#*=}" "$dir/${pair%%=*}"
  done
  tar -C "$dir" -c . | docker import -c "ENTRYPOINT [$entrypoint]" - "$name" >/dev/null
  rm -r "$dir"
}

kube_proxy_image() { # NAME
  local dir
  dir=$(mktemp -d)
  cp "$BIN/kubernetes" "$dir/kube-proxy"
  cp files/kube-proxy.Dockerfile "$dir/Dockerfile"
  DOCKER_BUILDKIT=0 docker build -q -t "$1" "$dir" >/dev/null 2>&1 || die "the kube-proxy image does not build"
  rm -r "$dir"
}

# What kubeadm expects to find, under the names that it says it expects, and the storage provisioner.
component_images() {
  local name images
  mapfile -t images < <("$BIN/kubeadm" config images list --kubernetes-version "$KUBERNETES")
  for name in "${images[@]}"; do
    case $name in
      */kube-proxy:*) kube_proxy_image "$name" ;;
      */kube-*) image_of "$name" "" "usr/local/bin/$(basename "${name%:*}")=$BIN/kubernetes" ;;
      */etcd:*) image_of "$name" "" "usr/local/bin/etcd=$BIN/etcd" ;;
      */coredns:*) image_of "$name" '"/coredns"' "coredns=$BIN/coredns" ;;
      */pause:*) image_of "$name" '"/pause"' "pause=$BIN/pause" ;;
      *) die "kubeadm wants an image that this script cannot make: $name" ;;
    esac
  done
  image_of sojourn-e2e/local-path-provisioner:$LOCAL_PATH '"/local-path-provisioner"' "local-path-provisioner=$BIN/local-path-provisioner"
  image_of sojourn-e2e/local-path-helper:$LOCAL_PATH "" "bin/busybox=$(command -v busybox)" "bin/sh=$(command -v busybox)" \
    "bin/mkdir=$(command -v busybox)" "bin/rm=$(command -v busybox)"
  docker save -o "$ROOT/kind/images/all.tar" "${images[@]}" sojourn-e2e/local-path-{provisioner,helper}:$LOCAL_PATH
}

# kind's own base image, step by step, on Debian's containerd and runc instead of compiled ones.
node_root() {
  say "unpacking the node's Debian"
  # What an interrupted run has left is half a system.
  rm -rf "$ROOT"
  debootstrap --variant=minbase \
    --include=ca-certificates,systemd,systemd-sysv,dbus,iptables,iproute2,ethtool,socat,conntrack,ebtables,util-linux,mount,kmod,jq,procps,hostname,containerd,runc,containernetworking-plugins,nftables,curl \
    bookworm "$ROOT" >"$CACHE/debootstrap-node.log" || die "see $CACHE/debootstrap-node.log"
  local base name
  base=$(go mod download -json "sigs.k8s.io/kind@$KIND" | jq -r .Dir)/images/base/files
  mkdir -p "$ROOT"/kind/{bin,manifests,images} "$ROOT"/etc/kubernetes/manifests "$ROOT"/opt/cni "$ROOT"/etc/cni/net.d
  cp -r --no-preserve=mode "$base"/kind/. "$ROOT/kind/"
  cp -r --no-preserve=mode "$base"/etc/. "$ROOT/etc/"
  install -m 755 "$base"/usr/local/bin/* "$ROOT/usr/local/bin/"
  install -m 755 files/pod-network.sh files/import-images.sh "$ROOT/kind/bin/"
  chmod 755 "$ROOT"/kind/bin/*
  rm -f "$ROOT"/lib/systemd/system/{multi-user,local-fs,basic}.target.wants/* "$ROOT"/etc/systemd/system/*.wants/* \
    "$ROOT"/lib/systemd/system/sockets.target.wants/*{udev,initctl}* "$ROOT"/lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service
  grep -q ReadKMsg=no "$ROOT/etc/systemd/journald.conf" || echo ReadKMsg=no >>"$ROOT/etc/systemd/journald.conf"
  containerd_settings
  cp "$BIN/kubernetes" "$ROOT/usr/bin/"
  for name in kubelet kubectl kubeadm; do ln -sf kubernetes "$ROOT/usr/bin/$name"; done
  ln -sfn /usr/lib/cni "$ROOT/opt/cni/bin"
  echo "$KUBERNETES" >"$ROOT/kind/version"
  cp files/default-{cni,storage}.yaml "$ROOT/kind/manifests/"
  cp files/pod-network.service "$ROOT/etc/systemd/system/"
  for name in kubelet containerd undo-mount-hacks pod-network; do chroot "$ROOT" systemctl enable -q $name.service; done
  chroot "$ROOT" systemctl mask -q systemd-binfmt.service
}

# What kubeadm expects of the container runtime.
pause_version() { "$BIN/kubeadm" config images list --kubernetes-version "$KUBERNETES" | sed -n 's#.*/pause:##p'; }

# Images are imported when containerd starts; limits and OOM scores stay as they are on a host that may not change them.
containerd_settings() {
  sed -i '/^Limit/d; /^OOMScoreAdjust/d; s#^ExecStart=/usr/local/bin/containerd#ExecStart=/usr/bin/containerd\nExecStartPost=/kind/bin/import-images.sh#' \
    "$ROOT/etc/systemd/system/containerd.service"
  sed -i '/base_runtime_spec/d; s/SystemdCgroup = true/SystemdCgroup = false/; s/restrict_oom_score_adj = false/restrict_oom_score_adj = true/; s#pause:3.10"#pause:'"$(pause_version)"'"#' \
    "$ROOT/etc/containerd/config.toml"
  printf '\n[plugins."io.containerd.grpc.v1.cri".cni]\n  bin_dir = "/usr/lib/cni"\n' >>"$ROOT/etc/containerd/config.toml"
  [ -e "$ROOT/usr/sbin/runc.real" ] || mv "$ROOT/usr/sbin/runc" "$ROOT/usr/sbin/runc.real"
  install -m 755 files/runc-without-sys-resource.sh "$ROOT/usr/sbin/runc"
}

image() {
  if docker image inspect "$LOCAL_NODE_IMAGE" >/dev/null 2>&1 && [ "$(docker image inspect -f '{{index .Config.Labels "recipe"}}' "$LOCAL_NODE_IMAGE")" = "$(recipe)" ]; then
    say "node image $LOCAL_NODE_IMAGE is there"
    return
  fi
  have debootstrap jq gcc busybox || apt_install debootstrap jq gcc libc6-dev busybox-static
  say "no registry hands out $NODE_IMAGE: making $LOCAL_NODE_IMAGE"
  binaries
  ../base-image.sh bookworm
  node_root
  component_images
  tar -C "$ROOT" -c . | docker import -c 'ENTRYPOINT ["/usr/local/bin/entrypoint","/sbin/init"]' -c 'ENV container=docker' \
    -c "LABEL recipe=$(recipe)" - "$LOCAL_NODE_IMAGE-base" >/dev/null
  # docker import refuses STOPSIGNAL, and kind's entrypoint wants containerd's folder on a volume.
  printf 'FROM %s-base\nSTOPSIGNAL SIGRTMIN+3\nVOLUME /var/lib/containerd\n' "$LOCAL_NODE_IMAGE" |
    DOCKER_BUILDKIT=0 docker build -q -t "$LOCAL_NODE_IMAGE" - >/dev/null 2>&1 || die "the node image does not build"
  rm -rf "$ROOT"
}

# A digest of everything the image is made from: another recipe makes another image.
recipe() { { echo "$KUBERNETES" && find . ../settings.sh -type f -print0 | sort -z | xargs -0 sha256sum; } | sha256sum | cut -c1-16; }

case ${1:-} in
  image) image ;;
  kubectl) kubernetes ;;
  *)
    sed -n '2,6p' "$0"
    exit 2
    ;;
esac
