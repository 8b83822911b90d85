#!/usr/bin/env python3
"""generate.py HEADERS OUT: the manual of the library, made from the public headers.

HEADERS is the folder include. OUT/man3 (replaced as a whole) gets libtrawl.3 and, for each public
function, its page, or a link to the page that describes it.
"""

import os
import shutil
import sys

import header
import man


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {__doc__.splitlines()[0]}")
    headers, out = sys.argv[1:]
    api = header.read(headers)
    folder = os.path.join(out, "man3")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name, text in man.pages(api).items():
        write(os.path.join(folder, name), text)
    for page in api.pages:
        for function in page.functions[1:]:
            os.symlink(f"{page.name}.3", os.path.join(folder, f"{function.name}.3"))


main()
