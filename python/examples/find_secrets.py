#!/usr/bin/env python3
"""Finds secrets in the files of a tree.

find_secrets.py FOLDER

Each file is searched in one pass for the literal parts of all known kinds of secrets. Where a literal occurs, a regular
expression checks the whole secret. Prints path:line: kind, but not the secret. Exits with status 2 if something
could not be searched, else with 1 if a secret was found.
"""

import os
import pathlib
import re
import sys

import trawl

# A row: literal part, regular expression of the secret, kind.
KINDS = [
    (b"AKIA", rb"AKIA[0-9A-Z]{16}\b", "access key of AWS"),
    (b"ghp_", rb"ghp_[0-9A-Za-z]{36}\b", "token of GitHub"),
    (b"xoxb-", rb"xoxb-[0-9]+-[0-9A-Za-z-]+", "token of Slack"),
    (b"sk_live_", rb"sk_live_[0-9A-Za-z]{16,}", "key of Stripe"),
    (b"PRIVATE KEY-----", rb"PRIVATE KEY-----", "private key"),
]
LONGEST = 200


def files_of(folder, failed):
    for root, folders, names in os.walk(folder, onerror=failed.append):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = pathlib.Path(root, name)
            if path.is_file() and not path.is_symlink():
                yield path


def secrets_of(plan, path):
    """Yield (line, kind) of each secret in a file."""
    matches = plan.matches(path, line_numbers=True)
    if len(matches) == 0:
        return
    with open(path, "rb") as file:
        for (begin, _, pattern), line in zip(matches, matches.lines):
            file.seek(begin)
            _, whole, kind = KINDS[pattern]
            if re.match(whole, file.read(LONGEST)):
                yield line + 1, kind


def main():
    if len(sys.argv) != 2:
        print("usage: find_secrets.py FOLDER", file=sys.stderr)
        return 2
    plan = trawl.Plan([literal for literal, _, _ in KINDS])
    found, failed = False, []
    for path in files_of(sys.argv[1], failed):
        try:
            for line, kind in secrets_of(plan, path):
                print(f"{path}:{line}: {kind}")
                found = True
        except OSError as error:  # also trawl.FileError
            failed.append(error)
    for error in failed:
        print(error, file=sys.stderr)
    return 2 if failed else int(found)


if __name__ == "__main__":
    sys.exit(main())
