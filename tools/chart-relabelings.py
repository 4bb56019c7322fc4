#!/usr/bin/env python3
"""Fails if a monitor of a rendered chart leaves out what its CustomResourceDefinition puts into a list by default, a relabeling's action:
the object in the cluster has it then, and whoever compares the two, as Argo CD does, finds them different for ever."""

import sys

import yaml

ENDPOINTS = {"PodMonitor": "podMetricsEndpoints", "ServiceMonitor": "endpoints"}

with open(sys.argv[1], encoding="utf-8") as rendered:
    objects = [each for each in yaml.safe_load_all(rendered) if each]
relabelings = [
    (f"{each['kind']} {each['metadata']['name']}", relabeling)
    for each in objects
    for endpoint in each.get("spec", {}).get(ENDPOINTS.get(each["kind"]), [])
    for field in ("relabelings", "metricRelabelings")
    for relabeling in endpoint.get(field, [])
]
if not relabelings:
    sys.exit("no monitor has a relabeling: this check looks at nothing")
for where, relabeling in relabelings:
    if "action" not in relabeling:
        sys.exit(f"{where}: the relabeling {relabeling} must name its action")
