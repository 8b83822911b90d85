#!/usr/bin/env python3
"""Programs that call ripgrep and read what it prints, with `tg` in its place: they find the same.

usage: consumers.py TRAWL

ripgrepy (a Python package) reads --json; Vim fills its quickfix list from --vimgrep, and decodes --json
lines with its own decoder. What is not installed is left out; if nothing is, or ripgrep is not, the test
is skipped.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
WANTED = "struct settings"
FEW = 10  # fewer results are no test


def by_ripgrepy(program, folder):
    from ripgrepy import Ripgrepy

    found = Ripgrepy(WANTED, SOURCES, rg_path=program).json().hidden().smart_case().run().as_dict
    return sorted(json.dumps(item, sort_keys=True) for item in found)


def run_vim(commands, folder):
    """Vim without a screen or a user's settings."""
    script = os.path.join(folder, "script.vim")
    with open(script, "w") as file:
        file.write("\n".join(commands) + "\nqall!\n")
    subprocess.run(["vim", "-N", "-u", "NONE", "-i", "NONE", "-es", "-S", script], stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, env=dict(os.environ, HOME=folder))


def by_vim(program, folder):
    """The quickfix list: files, lines, columns and texts."""
    result = os.path.join(folder, "quickfix")
    run_vim(["let &grepprg = '%s --vimgrep --smart-case'" % program, "let &grepformat = '%f:%l:%c:%m'",
             "silent grep! '%s' %s" % (WANTED, SOURCES),
             "call writefile(map(getqflist(), 'bufname(v:val.bufnr) . \"|\" . v:val.lnum . \"|\" . v:val.col . \"|\" . v:val.text'), '%s')" % result],
            folder)
    with open(result) as file:
        return sorted(file.read().splitlines())


def by_vim_json(program, folder):
    """Each line through json_decode(), as plug-ins written for Vim do it."""
    result = os.path.join(folder, "decoded")
    run_vim(["let found = map(systemlist('%s --json --smart-case \"%s\" %s'), 'json_decode(v:val)')" % (program, WANTED, SOURCES),
             "call filter(found, 'v:val.type ==# \"match\"')",
             "call writefile(map(found, 'v:val.data.path.text . \"|\" . v:val.data.line_number . \"|\" . v:val.data.submatches[0].start'), '%s')" % result],
            folder)
    with open(result) as file:
        return sorted(file.read().splitlines())


def consumers():
    try:
        import ripgrepy
        yield "ripgrepy", by_ripgrepy
    except ImportError:
        print("ripgrepy is not installed: not tried")
    if shutil.which("vim") is None:
        print("vim is not installed: not tried")
        return
    yield "vim's quickfix list", by_vim
    yield "vim's json_decode", by_vim_json


def main():
    failed, tried = 0, 0
    if shutil.which("rg") is None:
        print("SKIPPED: there is no rg (ripgrep)")
        return 77
    with tempfile.TemporaryDirectory(prefix="trawl-consumers-") as folder:
        tg = os.path.join(folder, "tg")
        os.symlink(os.path.abspath(sys.argv[1]), tg)
        for name, find in consumers():
            ours, theirs = find(tg, folder), find(shutil.which("rg"), folder)
            tried += 1
            same = ours == theirs and len(ours) >= FEW
            failed += not same
            print("%s: %d results%s" % (name, len(ours), "" if same else ", with rg %d: they differ" % len(theirs)))
    if tried == 0:
        print("SKIPPED: no program that reads ripgrep's output is installed")
        return 77
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
