#!/usr/bin/env bash
# Builds the daemon as it was at a revision (a tag, a commit), and prints where it is: daemon-of.sh v0.1.0
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse --verify --quiet "${1:?which revision}^{commit}") || {
  echo "daemon-of: $1 is no revision of this repository: fetch it, or name a tag or a commit" >&2
  exit 1
}
folder=$PWD/build/daemon-$commit
if [ ! -x "$folder/sojournd" ]; then
  mkdir -p "$folder"
  git archive "$commit" sidecar/daemon | tar -x -C "$folder"
  (cd "$folder/sidecar/daemon" && CARGO_TARGET_DIR=$folder/target cargo build -q --locked --bin sojournd) >&2
  cp "$folder/target/debug/sojournd" "$folder/sojournd"
  rm -rf "$folder/target" "$folder/sidecar"
fi
echo "$folder/sojournd"
