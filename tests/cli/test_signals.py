"""Tests what SIGBUS does, when lines are written, and that a search that is over waits for nothing.

A mapped file that becomes shorter during a search causes SIGBUS; the search ends at the file's new end, like a search of
a file that is read. Any other SIGBUS ends the process. No test depends on durations: signals are sent while the program
waits for input.
"""

import array
import fcntl
import os
import select
import signal
import subprocess
import termios
import threading

import pytest
from harness import TRAWL, WAIT_S, until, write


def is_read(pipe):
    left = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, left)
    return left[0] == 0


def start(arguments, **more):
    """Start trawl, with a watchdog that kills it if it never ends."""
    process = subprocess.Popen([TRAWL, *arguments], **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})
    process.watchdog = threading.Timer(WAIT_S, process.kill)
    process.watchdog.daemon = True
    process.watchdog.start()
    return process


def feed(process, text):
    process.stdin.write(text)
    process.stdin.flush()
    until(lambda: is_read(process.stdin), "standard input is read")


def finish(process):
    """Wait for the program's end, and return status, output and messages."""
    output, messages = process.stdout.read(), process.stderr.read()
    process.wait(timeout=WAIT_S)
    process.watchdog.cancel()
    if process.stdin:
        process.stdin.close()
    return process.returncode, output, messages


@pytest.fixture
def name(folder):
    """A file of one line, in an empty folder."""
    path = os.path.join(folder, "a")
    write(path, b"a foo\n")
    return path


@pytest.mark.parametrize("options", [["--mmap"], ["--no-mmap"]])
def test_shorter_while_printed(options, folder):
    """Cut the file while the program waits: its pipe is full and nobody reads it, so the rest of the file is not
    searched yet."""
    path, end = os.path.join(folder, "cut"), 2 * 1024 * 1024 + 100
    line = b"%07d foo, and so on until the line is long\n"
    dense = b"".join(line % number for number in range(10000))
    rare = (b"%07d bar, and so on until the line is long\n" * 400 + line) * 200
    text = dense + rare % tuple(range(401 * 200))
    write(path, text)
    process = start(["-j1", "--chunk-bytes=8192"] + options + ["foo", path])
    until(lambda: not is_read(process.stdout), "something is printed")
    os.truncate(path, end)
    status, output, messages = finish(process)
    lines = text[:end].splitlines(keepends=True)
    wanted = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines if b"foo" in line)
    assert (status, messages) == (0, b"") and output == wanted and len(text) > end


@pytest.mark.parametrize(
    "left, options",
    [(4096, ["-n", "-P", r"foo\nand"]), (3699999, ["-n", "-P", r"foo\nand"]), (4096, ["-h", "-P", "(?s)foo.*long"])],
)
def test_shorter_than_mapped(left, options, folder):
    """Truncate the file under --multiline, where all of it is mapped: even by so little that no page is lost, and while
    one long write(2) reads from the mapping."""
    path = os.path.join(folder, "cut")
    write(path, b"foo\nand so on until the line is long\n" * 100000)
    process = start(["--multiline", "--mmap"] + options + [path])
    until(lambda: not is_read(process.stdout), "something is printed")
    os.truncate(path, left)
    status, output, messages = finish(process)
    assert (
        status == 2
        and output.startswith((b"1:foo\n2:and", b"foo\nand"))
        and messages.count(b"\n") == 1
        and b"became shorter" in messages
    )


def test_killed_by_bus(name):
    # Otherwise a sanitizer would handle the signal and report it, and the program would not die of the signal.
    quiet = {
        name: (os.environ.get(name, "") + ":handle_sigbus=0").lstrip(":") for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")
    }
    process = start(["--mmap", "foo", name, "-"], stdin=subprocess.PIPE, env=dict(os.environ, **quiet))
    feed(process, b"bar\n")
    process.send_signal(signal.SIGBUS)
    status, _, _ = finish(process)
    assert status == -signal.SIGBUS


@pytest.mark.parametrize("threads", ["-j1", "-j3"])
@pytest.mark.parametrize("options, early", [(["--line-buffered"], True), ([], False)])
def test_written_early(threads, options, early, name):
    """Check whether the lines of a file are written while the program waits for the next file."""
    process = start([threads, *options, "foo", name, "-"], stdin=subprocess.PIPE)
    ready = select.select([process.stdout], [], [], WAIT_S if early else 0.2)[0]
    assert bool(ready) == early
    process.stdin.close()
    process.stdin = None
    assert finish(process)[:2] == (0, name.encode() + b":a foo\n")


@pytest.mark.parametrize(
    "options",
    [
        ["-nw", "foo"],
        ["-obi", "éfo"],
        ["-nx", "x foo"],
        ["-onw", "-e", "foo", "-e", "fo"],
        ["-cvw", "foo"],
        ["-nwP", "fo+"],
    ],
)
def test_byte_by_byte(options, folder):
    """Write a text into a pipe byte by byte, so that each chunk has one byte, and compare with the same text in a file."""
    path, text = os.path.join(folder, "letters"), "éfoo\n\U0001d4b3foo foo漢\nx foo\n_foo\nÉfo".encode()
    write(path, text)
    results = []
    for operands in [path], []:
        process = start(["-j1", *options, *operands], stdin=subprocess.PIPE, env=dict(os.environ, LC_ALL="C.UTF-8"))
        for byte in text if not operands else b"":
            feed(process, bytes([byte]))
        process.stdin.close()
        process.stdin = None
        results.append(finish(process))
    assert results[0] == results[1]


@pytest.mark.parametrize("threads", ["-j1", "-j3"])
@pytest.mark.parametrize("option, output, status", [("-q", "/dev/null", 0), ("--line-buffered", "/dev/full", 2)])
@pytest.mark.parametrize("waits", ["pipe", "-"])
def test_over_before(threads, option, output, status, waits, name):
    """Check that a search that is over, because -q found a line or a write failed, opens no pipe and reads no input: here
    both never end, so such a search would hang."""
    os.mkfifo(name + ".pipe")
    read, write = os.pipe()
    with open(output, "wb") as out:
        process = start(
            [threads, option, "foo", name, waits.replace("pipe", name + ".pipe"), name], stdin=read, stdout=out
        )
        assert process.wait() == status
    process.watchdog.cancel()
    os.close(read)
    os.close(write)
