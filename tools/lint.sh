#!/usr/bin/env bash
# lint.sh          : runs every linter, and reports all that failed
# lint.sh fmt      : formats the shell scripts
# lint.sh generate : rewrites the table of values in the chart's README
set -euo pipefail
cd "$(dirname "$0")/../e2e/cluster"
# shellcheck source=e2e/cluster/settings.sh
. ./settings.sh
cd ../..
TOOLS=$CACHE/lint-$(sha256sum tools/requirements.txt | cut -c1-12)
failed=()

install() {
  [ -e "$TOOLS/complete" ] && return
  say "installing the linters"
  { python3 -m venv "$TOOLS" && "$TOOLS/bin/pip" install -q -r tools/requirements.txt; } >"$CACHE/lint.log" 2>&1 ||
    die "the linters could not be installed; see $CACHE/lint.log (Debian: apt-get install python3-venv)"
  touch "$TOOLS/complete"
}

check() { # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$CACHE/check.log" 2>&1; then
    say "$name: ok"
  else
    say "$name: FAILED"
    tail -40 "$CACHE/check.log" >&2
    failed+=("$name")
  fi
}

install
export PATH=$TOOLS/bin:$PATH
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
if [ "${1:-}" = fmt ]; then
  shfmt -i 2 -ci -w "${scripts[@]}"
  exit
fi
if [ "${1:-}" = generate ]; then
  python3 tools/chart-readme.py --write
  exit
fi
e2e/cluster/tools.sh helm promtool
check "file names" bash -c "! git ls-files | grep -E '[^A-Za-z0-9._/@+-]'"
check version tools/version.py
check "java format" ./mvnw -B -q -ntp spotless:check
check "rust format" cargo fmt --manifest-path sidecar/daemon/Cargo.toml --check
check clippy cargo clippy -q --locked --manifest-path sidecar/daemon/Cargo.toml --all-targets -- -D warnings
check shfmt shfmt -i 2 -ci -d "${scripts[@]}"
check shellcheck shellcheck -x -P SCRIPTDIR "${scripts[@]}"
mapfile -t yaml < <(git ls-files '*.yaml' '*.yml')
check yamllint yamllint -s "${yaml[@]}"
mapfile -t dockerfiles < <(git ls-files '*Dockerfile')
check hadolint hadolint --ignore DL3008 "${dockerfiles[@]}"
check typos typos
check chart tools/chart.sh
check alerts tools/alerts.sh
[ ${#failed[@]} = 0 ] || die "${#failed[@]} of 12 checks failed: ${failed[*]}"
