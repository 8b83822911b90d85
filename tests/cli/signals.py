#!/usr/bin/env python3
"""Tests what SIGBUS does, when lines are written, and that a search that is over waits for nothing.

usage: signals.py TRAWL

A mapped file that becomes shorter during a search causes SIGBUS; the search ends at the file's new end, as a search of
a file that is read. Any other SIGBUS ends the process. No test depends on durations: the test sends a signal while the
program waits for input.
"""
import array
import fcntl
import itertools
import os
import select
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time

TRAWL = os.path.abspath(sys.argv[1])
WAIT_S = 60
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(what)


def until(condition, what):
    """Wait until a condition holds; fail if the condition never holds."""
    end = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError("gave up waiting until " + what)
        time.sleep(0.002)


def is_read(pipe):
    left = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, left)
    return left[0] == 0


def start(arguments, **more):
    """Start trawl, with a watchdog: if the program never ends, the watchdog ends the whole test as failed."""
    process = subprocess.Popen([TRAWL] + arguments, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})

    def give_up():
        print("%r does not end" % arguments, flush=True)
        process.kill()
        os._exit(1)

    process.watchdog = threading.Timer(WAIT_S, give_up)
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


def shorter_while_printed(options, folder):
    """Cut the file while the program waits: its pipe is full and nobody reads it, so the rest of the file is not
    searched yet."""
    path, end = os.path.join(folder, "cut"), 2 * 1024 * 1024 + 100
    line = b"%07d foo, and so on until the line is long\n"
    dense = b"".join(line % number for number in range(10000))
    rare = (b"%07d bar, and so on until the line is long\n" * 400 + line) * 200
    text = dense + rare % tuple(range(401 * 200))
    with open(path, "wb") as file:
        file.write(text)
    process = start(["-j1", "--chunk-bytes=8192"] + options + ["foo", path])
    until(lambda: not is_read(process.stdout), "something is printed")
    os.truncate(path, end)
    status, output, messages = finish(process)
    lines = text[:end].splitlines(keepends=True)
    wanted = b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines if b"foo" in line)
    expect((status, messages) == (0, b"") and output == wanted and len(text) > end, "cut short with %s: %r" % (options, (status, len(output), len(wanted), messages)))


def shorter_than_mapped(left, options, folder):
    """Cut the file under --multiline, where the whole file is mapped, also so little that no page is missing, and
    while one long write(2) takes the bytes from the mapping."""
    path = os.path.join(folder, "cut")
    with open(path, "wb") as file:
        file.write(b"foo\nand so on until the line is long\n" * 100000)
    process = start(["--multiline", "--mmap"] + options + [path])
    until(lambda: not is_read(process.stdout), "something is printed")
    os.truncate(path, left)
    status, output, messages = finish(process)
    expect(status == 2 and output.startswith((b"1:foo\n2:and", b"foo\nand")) and messages.count(b"\n") == 1 and b"became shorter" in messages, "cut while mapped: %r" % ((status, messages),))


def killed_by_bus(folder):
    # Otherwise a sanitizer would handle the signal and report it, and the program would not die of the signal.
    quiet = {name: (os.environ.get(name, "") + ":handle_sigbus=0").lstrip(":") for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")}
    process = start(["--mmap", "foo", os.path.join(folder, "a"), "-"], stdin=subprocess.PIPE, env=dict(os.environ, **quiet))
    feed(process, b"bar\n")
    process.send_signal(signal.SIGBUS)
    status, _, _ = finish(process)
    expect(status == -signal.SIGBUS, "SIGBUS from elsewhere: %r" % status)


def written_early(options, early, folder):
    """Check whether the lines of a file are written while the program waits for the next file."""
    process = start(options + ["foo", os.path.join(folder, "a"), "-"], stdin=subprocess.PIPE)
    ready = select.select([process.stdout], [], [], WAIT_S if early else 0.2)[0]
    expect(bool(ready) == early, "%r: lines are %swritten early" % (options, "not " if early else ""))
    process.stdin.close()
    process.stdin = None
    expect(finish(process)[:2] == (0, os.path.join(folder, "a").encode() + b":a foo\n"), "lines of a file: %r" % options)


def byte_by_byte(folder):
    """Write a text into a pipe byte by byte, so that each chunk has a byte, and compare with the same text in a file."""
    path, text = os.path.join(folder, "letters"), "éfoo\n\U0001d4b3foo foo漢\nx foo\n_foo\nÉfo".encode()
    with open(path, "wb") as file:
        file.write(text)
    for options in ["-nw", "foo"], ["-obi", "éfo"], ["-nx", "x foo"], ["-onw", "-e", "foo", "-e", "fo"], ["-cvw", "foo"], ["-nwP", "fo+"]:
        results = []
        for operands in [path], []:
            process = start(["-j1", *options, *operands], stdin=subprocess.PIPE, env=dict(os.environ, LC_ALL="C.UTF-8"))
            for byte in text if not operands else b"":
                feed(process, bytes([byte]))
            process.stdin.close()
            process.stdin = None
            results.append(finish(process))
        expect(results[0] == results[1], "byte by byte with %s: %r, from the file %r" % (options, results[1], results[0]))


def over_before(folder):
    """Check that a search that is over, because -q found a line or a write failed, opens no pipe and reads no input.
    Here pipe and input never end, so such a search would hang."""
    name, pipe, (read, write) = os.path.join(folder, "a"), os.path.join(folder, "pipe"), os.pipe()
    os.mkfifo(pipe)
    for threads, (option, output, status), waits in itertools.product(("-j1", "-j3"), (("-q", "/dev/null", 0), ("--line-buffered", "/dev/full", 2)), (pipe, "-")):
        with open(output, "wb") as out:
            process = start([threads, option, "foo", name, waits, name], stdin=read, stdout=out)
            expect(process.wait() == status, "over before %s: %s %s" % (waits, threads, option))
        process.watchdog.cancel()
    os.close(read), os.close(write)


def main():
    with tempfile.TemporaryDirectory(prefix="trawl-signals-") as folder:
        with open(os.path.join(folder, "a"), "wb") as file:
            file.write(b"a foo\n")
        for threads in "-j1", "-j3":
            written_early([threads, "--line-buffered"], True, folder)
            written_early([threads], False, folder)
        shorter_while_printed(["--mmap"], folder)
        shorter_while_printed(["--no-mmap"], folder)
        shorter_than_mapped(4096, ["-n", "-P", r"foo\nand"], folder)
        shorter_than_mapped(3699999, ["-n", "-P", r"foo\nand"], folder)
        shorter_than_mapped(4096, ["-h", "-P", "(?s)foo.*long"], folder)
        killed_by_bus(folder)
        byte_by_byte(folder)
        over_before(folder)
    print("%d failures" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
