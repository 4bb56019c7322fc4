#!/usr/bin/env bash
# Checks the chart as it is rendered. A script of its own: a function that lint.sh asks "if" about would go on after a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
OLDEST=1.30
NEWEST=1.37
rendered=$(mktemp)
trap 'rm "$rendered"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}

render() { # VALUES VERSION OPTIONS...
  helm template sojourn charts/sojourn -n sojourn-system -f "charts/sojourn/tests/values/$1.yaml" --kube-version "$2.0" "${@:3}" >"$rendered"
}

refused() { # WHAT OPTIONS...
  if helm template sojourn charts/sojourn --kube-version $NEWEST.0 "${@:2}" >/dev/null 2>&1; then
    fail "$1 must be refused"
  fi
}

helm lint --strict charts/sojourn
for values in charts/sojourn/tests/values/*.yaml; do
  for version in $OLDEST $NEWEST; do
    render "$(basename "$values" .yaml)" "$version"
    # Custom resources have no schema there; everything else must be known and valid.
    kubernetes-validate --strict -k "$version" "$rendered"
  done
done

# A namespace may be called 2024.
render names $NEWEST -n 2024
kubernetes-validate --strict -k $NEWEST "$rendered"

refused "a misspelt value" --set replica=3
refused "a misspelt value below another" --set webhook.certManager.enable=true
refused "a section left empty" --set webhook.certManager=null
refused "no word on whether the CustomResourceDefinition is kept" --set crds.keep=null
refused "an issuer of a kind that cert-manager has not" --set webhook.certManager.issuerRef.kind=Issuers --set webhook.certManager.issuerRef.name=ca
refused "less time for the webhook than it takes to ask the API server" --set webhook.timeoutSeconds=2
refused "the operator's own namespace among those watched" -n team-a --set 'watchNamespaces={team-a}'

# No node is kept for the operator's /tmp, and who has more such volumes names them all.
evictable() { # VOLUMES OPTIONS...
  render everything $NEWEST "${@:2}"
  grep -qx " *cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes: $1" "$rendered" || fail "the operator's pods must name as safe to evict: $1"
}
evictable tmp
evictable tmp,mesh --set-string 'podAnnotations.cluster-autoscaler\.kubernetes\.io/safe-to-evict-local-volumes=tmp\,mesh'

# In namespaced mode: the rights to the two objects that it must know, and nothing else, in all namespaces.
python3 tools/chart-rights.py <(render namespaced $NEWEST && cat "$rendered")
python3 tools/chart-relabelings.py <(render everything $NEWEST && cat "$rendered")
python3 tools/chart-readme.py
