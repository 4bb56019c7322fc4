#!/usr/bin/env bash
# Runs the chart's alerts, as it renders them, over the series of charts/sojourn/tests/alerts.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT

render() { # VALUES
  helm template second charts/sojourn -n sojourn-b --kube-version 1.37.0 --show-only templates/monitoring.yaml --set "$1"
}

# Not of the usual name and value, which the rules have before they are rendered.
render monitoring.prometheusRule.enabled=true,monitoring.prometheusRule.certificateHours=12 |
  python3 -c 'import sys, yaml; print(yaml.safe_dump(yaml.safe_load(sys.stdin)["spec"]))' >"$dir/rules.yaml"
# Beside them, in a directory of their own: whatever one is called, it is run, and takes the rules' place in none.
cp -r charts/sojourn/tests/alerts "$dir/tests"
promtool check rules "$dir/rules.yaml"
promtool test rules "$dir"/tests/*.yaml

# Prometheus must ask often enough for them.
for interval in 1m 60s 0m59s999ms; do
  render "monitoring.prometheusRule.enabled=true,monitoring.interval=$interval" >/dev/null
done
for interval in 1m1s 150s 60001ms 1h; do
  render "monitoring.podMonitors.enabled=true,monitoring.interval=$interval" >/dev/null
  if render "monitoring.prometheusRule.enabled=true,monitoring.interval=$interval" >"$dir/long" 2>&1 ||
    ! grep -q "monitoring.interval: $interval is too long" "$dir/long"; then
    echo "monitoring.interval $interval must be refused where there are alerts" >&2
    exit 1
  fi
done
