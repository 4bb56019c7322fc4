#!/usr/bin/env python3
"""Fails if the operator of a rendered chart in namespaced mode has other rights in all namespaces than those bound to one object's
name, and the one to let a SessionCluster go whose namespace is deleted."""

import sys

import yaml

LET_GO = {"apiGroups": ["sojourn.dev"], "resources": ["sessionclusters"], "verbs": ["get", "patch"]}

with open(sys.argv[1], encoding="utf-8") as rendered:
    objects = [each for each in yaml.safe_load_all(rendered) if each]
bound = {each["roleRef"]["name"] for each in objects if each["kind"] == "ClusterRoleBinding"}
roles = [each for each in objects if each["kind"] == "ClusterRole" and each["metadata"]["name"] in bound]
if not roles:
    sys.exit("no ClusterRole is bound: this check looks at nothing")
wide = [rule for role in roles for rule in role["rules"] if not rule.get("resourceNames")]
if wide != [LET_GO]:
    sys.exit(f"with watchNamespaces the operator must have in all namespaces {LET_GO}, and not: {wide}")
if not any(each["kind"] == "Role" and each["metadata"]["namespace"] == "team-a" for each in objects):
    sys.exit("with watchNamespaces there must be a Role in each of them")
