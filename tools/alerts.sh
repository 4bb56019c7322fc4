#!/usr/bin/env bash
# Runs the chart's alerts, as it renders them, over the series of charts/sojourn/tests/alerts.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT

# Not of the usual name and value, which the rules have before they are rendered.
helm template second charts/sojourn -n sojourn-b --kube-version 1.37.0 --show-only templates/monitoring.yaml \
  --set monitoring.prometheusRule.enabled=true,monitoring.prometheusRule.certificateHours=12 |
  python3 -c 'import sys, yaml; print(yaml.safe_dump(yaml.safe_load(sys.stdin)["spec"]))' >"$dir/rules.yaml"
# Beside them, in a directory of their own: whatever one is called, it is run, and takes the rules' place in none.
cp -r charts/sojourn/tests/alerts "$dir/tests"
promtool check rules "$dir/rules.yaml"
promtool test rules "$dir"/tests/*.yaml
