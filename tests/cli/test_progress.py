"""Tests --progress: who sees the bar, and that the bar leaves nothing behind.

Each search reads a pipe until the terminal has shown the bar or, where no bar is expected, for longer than the bar's
delay. So the test does not depend on speed.
"""

import concurrent.futures
import fcntl
import os
import re
import subprocess
import termios
import threading
import time
import tty

import pytest
from harness import TRAWL, WAIT_S, terminal

PAUSE_S = 2.8  # after 2 s, the bar appears
BAR = re.compile(rb"\r\d[^\r\n]* B in \d:\d\d, \d+ B/s[^\r\n]*\x1b\[K")
starting = threading.Lock()


def screen(seen):
    """Return the text that a terminal shows after receiving these bytes."""
    lines, column = [b""], 0
    for part in re.split(rb"(\n|\r|\x1b\[K)", seen):
        if part == b"\n":
            lines.append(b"")
        elif part == b"\r":
            column = 0
        elif part == b"\x1b[K":
            lines[-1] = lines[-1][:column]
        else:
            lines[-1] = lines[-1][:column] + part + lines[-1][column + len(part) :]
            column += len(part)
    return b"\n".join(lines)


def search(options, output, errors, sees_bar, raw=False, status=0):
    """Search a slow pipe. output, errors: 'terminal' or the name of a file. Return what the terminal saw."""
    master, slave = terminal()
    if raw:
        tty.setraw(slave)
    descriptors = [
        slave if one == "terminal" else os.open(one, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for one in (output, errors)
    ]

    def begin():
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

    with starting:
        program = subprocess.Popen(
            [TRAWL, *options], stdin=subprocess.PIPE, stdout=descriptors[0], stderr=descriptors[1], preexec_fn=begin
        )
    for one in {slave, *descriptors}:
        os.close(one)
    seen = bytearray()

    def read():
        try:
            while part := os.read(master, 1 << 16):
                seen.extend(part)
        except OSError:  # the program has ended
            pass

    reader = threading.Thread(target=read)
    reader.start()
    program.stdin.write(b"one fish\n")
    program.stdin.flush()
    end = time.monotonic() + (WAIT_S if sees_bar else PAUSE_S)
    while time.monotonic() < end and not (sees_bar and BAR.search(seen)):
        time.sleep(0.02)
    program.stdin.write(b"two fish\nnone\n")
    program.stdin.close()
    assert program.wait(WAIT_S) == status
    reader.join(WAIT_S)
    os.close(master)
    assert bool(BAR.search(seen)) == sees_bar
    return bytes(seen)


FISH = b"one fish\ntwo fish\n"
CASES = (
    (["-c", "fish"], "count", "terminal", True, False, b""),
    (["--no-progress", "-c", "fish"], "count", "terminal", False, False, b""),
    (["--progress", "-c", "fish"], "count", "file", False, False, b""),
    (["--progress", "-c", "fish"], "terminal", "file", False, False, b"2\n"),
    (["fish"], "terminal", "terminal", False, False, FISH),
    (["--progress", "fish"], "terminal", "terminal", True, False, FISH),
    (["-c", "fish"], "count", "terminal", False, True, b""),  # a pager, which owns the terminal
    (["-c", "fish", "-", "missing"], "counts", "terminal", True, False, b"trawl: missing: No such file or directory\n"),
)


def check(options, output, errors, sees_bar, raw, kept):
    """`output` and `errors` are as for search(). kept: what the terminal shows at the end."""
    files = [one + str(threading.get_ident()) if one != "terminal" else one for one in (output, errors)]
    assert screen(search(options, *files, sees_bar, raw, 2 if "missing" in options else 0)) == kept
    for name, right in zip(files, (b"2\n" if output == "count" else b"-:2\n", b"")):
        if name != "terminal":
            with open(name, "rb") as file:
                assert file.read().replace(b"(standard input)", b"-") == right


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """The checks of all cases. They run at the same time, since each takes seconds."""
    os.chdir(tmp_path_factory.mktemp("progress"))
    with concurrent.futures.ThreadPoolExecutor(len(CASES)) as pool:
        return [pool.submit(check, *case) for case in CASES]


@pytest.mark.parametrize("row", range(len(CASES)), ids=[" ".join(case[0]) for case in CASES])
def test_progress(checks, row):
    checks[row].result()
