#!/usr/bin/env python3
"""Compares the file types that --type knows with ripgrep's types.

usage: rg_types.py TRAWL

Each type must have the globs of ripgrep's type with the same name, and no type of ripgrep may be missing. If ripgrep is
not version 13, the script prints the differences and does not fail.
"""
import shutil
import subprocess
import sys

TYPES_MIN = 120


def types_of(program, *options):
    done = subprocess.run([program] + list(options) + ["--type-list"], stdout=subprocess.PIPE, check=True)
    return dict(line.split(": ", 1) for line in done.stdout.decode().splitlines())


def main():
    trawl = sys.argv[1]
    if shutil.which("rg") is None:
        print("SKIPPED: there is no ripgrep here")
        return 77
    version = subprocess.run(["rg", "--version"], stdout=subprocess.PIPE, check=True).stdout.decode().split()[1]
    own, other = types_of(trawl), types_of("rg")
    differ = [name for name in sorted({*own, *other}) if own.get(name) != other.get(name)]
    for name in differ:
        print("%s: %s\n  ripgrep %s: %s" % (name, own.get(name, "not there"), version, other.get(name, "not there")))
    changes = ["--type-clear", "c", "--type-add", "c:*.{zz,c}", "--type-add", "own:include:c,py", "--type-add", "own:x"]
    own, other = types_of(trawl, *changes), types_of("rg", *changes)
    differ += [name for name in ("c", "own", "py") if own[name] != other[name]]
    print("%d types, %d differ from ripgrep %s, which has %d" % (len(own), len(differ), version, len(other)))
    return 1 if len(own) < TYPES_MIN or (differ and version.startswith("13.")) else 0


if __name__ == "__main__":
    sys.exit(main())
