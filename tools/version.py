#!/usr/bin/env python3
"""The version, which is written where Maven, Cargo, Helm and the images' builder look for it.

version.py        : prints it; fails where two places differ
version.py X.Y.Z  : makes it X.Y.Z in all of them
"""

import os
import pathlib
import re
import subprocess
import sys

NUMBER = r"\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+?)?"

# Each pattern's group 2 is the version; which files it is looked for in.
PLACES = [
    (r"(<artifactId>(?:sojourn|peers)</artifactId>\s*<version>)(NUMBER)(</version>)", ["*pom.xml"]),
    (r'(name = "sojournd"\nversion = ")(NUMBER)(")', ["sidecar/daemon/*Cargo.toml", "sidecar/daemon/*Cargo.lock"]),
    (r"((?:^|\n)(?:version|appVersion): )(NUMBER)(?=\n)()", ["charts/sojourn/Chart.yaml"]),
    (r"(VERSION:-)(NUMBER)(\})", ["e2e/images/versions.sh"]),
    (r"(\bsojourn(?:-example)?/[a-z-]+:)(NUMBER)([\"`\n])", ["charts/sojourn/Chart.yaml", "examples/*", "operator/README.md", "*.java"]),
    (r"((?:VERSION|tag)=)(NUMBER)(-mine)", ["charts/sojourn/README.md"]),
]


def places():
    """Each file that has the version, with the pattern that finds it."""
    for pattern, globs in PLACES:
        names = subprocess.run(["git", "ls-files", *globs], check=True, capture_output=True, text=True).stdout.split()
        compiled = re.compile(pattern.replace("NUMBER", NUMBER))
        hits = [(path, compiled) for path in map(pathlib.Path, names) if compiled.search(path.read_text())]
        if not hits:
            sys.exit(f"tools/version.py: the version is no longer in {', '.join(globs)}: mend PLACES there")
        yield from hits


def main(arguments):
    if not arguments:
        seen = {}
        for path, pattern in places():
            for match in pattern.finditer(path.read_text()):
                seen.setdefault(match[2], set()).add(str(path))
        if len(seen) > 1:
            sys.exit("\n".join(f"{version}: {' '.join(sorted(files))}" for version, files in seen.items())
                     + "\nThese are to have one version: 'tools/version.py X.Y.Z' sets it")
        print(*seen)
        return
    if len(arguments) != 1 or not re.fullmatch(NUMBER, arguments[0]):
        sys.exit(f"tools/version.py: not a version: {' '.join(arguments)}; give one like 1.2.3 or 1.2.3-rc.1")
    for path, pattern in list(places()):
        path.write_text(pattern.sub(lambda match: match[1] + arguments[0] + match[3], path.read_text()))


os.chdir(pathlib.Path(__file__).parent.parent)
main(sys.argv[1:])
