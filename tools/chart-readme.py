#!/usr/bin/env python3
"""The table of values in the chart's README, from values.yaml and its comments; fails if the README has another one.

chart-readme.py          compares
chart-readme.py --write  rewrites
"""

import json
import pathlib
import re
import sys

import yaml

CHART = pathlib.Path(__file__).parent.parent / "charts" / "sojourn"
BEGIN, END = "<!-- values: begin -->\n", "<!-- values: end -->\n"


def comments(text):
    """The comment above each key, by the key's path."""
    found, pending, path = {}, [], []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        if line.lstrip().startswith("#"):
            pending.append(line.strip().lstrip("# "))
        elif match := re.match(r"\s*([A-Za-z]+):", line):
            path = path[: indent // 2] + [match.group(1)]
            found[".".join(path)] = " ".join(pending)
            pending = []
        else:
            pending = []
    return found


def leaves(value, path=""):
    """What may be set, and to what it is set."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from leaves(child, f"{path}.{key}" if path else key)
    else:
        yield path, value


def meaning(path, told):
    """A leaf without a comment of its own is told of with what it is part of."""
    while path and not told.get(path):
        path = path.rpartition(".")[0]
    return told.get(path, "")


def table():
    text = (CHART / "values.yaml").read_text()
    told = comments(text)
    rows = ["| value | default | what |", "| --- | --- | --- |"]
    for path, default in leaves(yaml.safe_load(text)):
        rows.append(f"| `{path}` | `{json.dumps(default)}` | {meaning(path, told)} |")
    return "\n".join(rows) + "\n"


def is_known(path, schema, root):
    """Whether the schema tells of this path, or leaves what is below one of its parents to Kubernetes."""
    for key in path.split("."):
        if "$ref" in schema:
            schema = root["definitions"][schema["$ref"].rsplit("/", 1)[1]]
        if "properties" not in schema:
            return schema.get("type") == "object"
        if key not in schema["properties"]:
            return False
        schema = schema["properties"][key]
    return True


def main():
    readme = CHART / "README.md"
    text = readme.read_text()
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    wanted = text[:start] + table() + text[end:]
    if "--write" in sys.argv:
        readme.write_text(wanted)
    elif text != wanted:
        sys.exit("charts/sojourn/README.md does not say what values.yaml says: run 'make generate'")
    root = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    unknown = [path for path, _ in leaves(values) if not is_known(path, root, root)]
    if unknown:
        sys.exit("charts/sojourn/values.schema.json does not know " + ", ".join(unknown) + ": add them")


main()
