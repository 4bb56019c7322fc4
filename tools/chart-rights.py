#!/usr/bin/env python3
"""Fails if the operator of a rendered chart in namespaced mode has a right in all namespaces that is not bound to one object's name."""

import sys

import yaml

with open(sys.argv[1], encoding="utf-8") as rendered:
    objects = [each for each in yaml.safe_load_all(rendered) if each]
bound = {each["roleRef"]["name"] for each in objects if each["kind"] == "ClusterRoleBinding"}
roles = [each for each in objects if each["kind"] == "ClusterRole" and each["metadata"]["name"] in bound]
if not roles:
    sys.exit("no ClusterRole is bound: this check looks at nothing")
wide = [rule for role in roles for rule in role["rules"] if not rule.get("resourceNames")]
if wide:
    sys.exit(f"with watchNamespaces the operator must not have in all namespaces: {wide}")
if not any(each["kind"] == "Role" and each["metadata"]["namespace"] == "team-a" for each in objects):
    sys.exit("with watchNamespaces there must be a Role in each of them")
