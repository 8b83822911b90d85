#!/usr/bin/env python3
"""What SIGINT, SIGUSR1 and SIGBUS do.

usage: signals.py TRAWL

SIGINT: what was found is written, in whole lines, and the program dies by the signal, which a shell
calls status 130. SIGUSR1: a line of progress. SIGBUS: a mapped file that becomes shorter ends there,
as one that is read; from elsewhere it is deadly. Nothing here depends on how long something takes:
a signal is sent when the program is seen to wait for input.
"""
import array
import fcntl
import os
import re
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time

TRAWL = os.path.abspath(sys.argv[1])
WAIT_S = 60
F_SETPIPE_SZ, F_GETPIPE_SZ = 1031, 1032  # Linux's, which older Pythons do not name
failures = []
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it, and so would TRAWL


def expect(condition, what):
    if not condition:
        failures.append(what)
        print(what)


def until(condition, what):
    """Wait until something is so; it is an error if it never is."""
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
    """A program that never ends is a failure, too, and the last one: nobody waits for the others."""
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


def read_some(pipe, bytes_count):
    got = b""
    while len(got) < bytes_count:
        piece = os.read(pipe.fileno(), 4096)
        if not piece:
            break
        got += piece
    return got


def finish(process):
    """Status, output, messages."""
    output, messages = process.stdout.read(), process.stderr.read()
    process.wait(timeout=WAIT_S)
    process.watchdog.cancel()
    if process.stdin:
        process.stdin.close()
    return process.returncode, output, messages


def interrupted_stream(options, expected, folder):
    process = start(options + ["foo", os.path.join(folder, "a"), "-"], stdin=subprocess.PIPE)
    feed(process, b"xfoo\nbar\n")
    expected = expected.replace(b"A", os.path.join(folder, "a").encode())
    # A stream's lines are printed at once, counts are not.
    output = b"" if "-c" in options else read_some(process.stdout, len(expected))
    process.send_signal(signal.SIGINT)
    status, rest, messages = finish(process)
    expect((status, output + rest, messages) == (-signal.SIGINT, expected, b""), "%r: %r" % (options, (status, output + rest, messages)))


def interrupted_open(folder):
    """While it waits for the writer of a named pipe."""
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    process = start(["foo", os.path.join(folder, "a"), pipe], stdin=subprocess.DEVNULL)
    # Where it waits cannot be seen from here but in the state of its threads.
    until(lambda: open("/proc/%d/wchan" % process.pid).read() in ("wait_for_partner", "fifo_open", "0", ""), "it waits")
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    got = finish(process)
    expect(got[0] == -signal.SIGINT and got[2] == b"" and got[1] in (b"", os.path.join(folder, "a").encode() + b":a foo\n"),
           "a named pipe: %r" % (got,))


def interrupted_tree(options, folder):
    """Whole lines, and those that come first."""
    arguments = options + ["-rc", "foo", folder]
    whole = subprocess.run([TRAWL] + arguments, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=WAIT_S).stdout
    process = start(arguments, stdin=subprocess.DEVNULL)
    first = process.stdout.read(1) if whole else b""
    process.send_signal(signal.SIGINT)
    status, output, messages = finish(process)
    output = first + output
    expect(status in (-signal.SIGINT, 0) and messages == b"", "a tree: %r" % ((status, messages),))
    expect(whole.startswith(output) and output.endswith(b"\n"), "a tree: %r" % output[-80:])


def pending(process):
    """Signals that the program was sent and has not handled yet."""
    with open("/proc/%d/status" % process.pid) as file:
        return any(int(line.split()[1], 16) for line in file if line.startswith(("SigPnd:", "ShdPnd:")))


def in_handler(process, number):
    process.send_signal(number)
    until(lambda: not pending(process), "signal %d is handled" % number)


def full(process):
    """Wait until the program waits for somebody to read what it prints."""
    left, size = array.array("i", [0]), fcntl.fcntl(process.stdout, F_GETPIPE_SZ)

    def is_full():
        fcntl.ioctl(process.stdout, termios.FIONREAD, left)
        return left[0] == size

    until(is_full, "the output's pipe is full")


def interrupted_print(arguments, expected, signals, text=b""):
    """The signal comes while the program prints, and its output's pipe is full. Once that is read
    the program ends, though there is more to search or to wait for; a second signal ends it at
    once. (All signals of the other tests come while nothing is printed, or by chance: one that came
    during a print could be forgotten.)"""
    reader, writer = os.pipe()
    fcntl.fcntl(reader, F_SETPIPE_SZ, 4096)
    process = start(arguments, stdin=subprocess.PIPE, stdout=writer)
    os.close(writer)
    process.stdout = open(reader, "rb")
    process.stdin.write(text)
    process.stdin.flush()
    full(process)
    for _ in range(signals - 1):
        in_handler(process, signal.SIGINT)
    process.send_signal(signal.SIGINT)
    if signals > 1:
        expect(process.wait() == -signal.SIGINT, "a second SIGINT does not end %r" % arguments)
    status, output, messages = finish(process)
    expect((status, messages) == (-signal.SIGINT, b""), "SIGINT during a print, %r: %r" % (arguments, (status, messages)))
    expect(expected.startswith(output) and len(output) >= 4096 and (output.endswith(b"\n") or signals > 1),
           "SIGINT during a print, %r: %d bytes, then %r" % (arguments, len(output), output[-80:]))


def interrupted_handler(folder):
    """The pipe was full before, and what is printed is held back: the handler itself waits for a
    reader, in the only thread. (In the other tests the program is printing when a signal comes.)"""
    reader, writer = os.pipe()
    os.write(writer, b"x" * fcntl.fcntl(writer, F_SETPIPE_SZ, 4096))
    process = start(["-j1", "-c", "foo", os.path.join(folder, "a"), "-"], stdin=subprocess.PIPE, stdout=writer)
    os.close(writer)
    process.stdout = open(reader, "rb")
    feed(process, b"xfoo\n")
    in_handler(process, signal.SIGINT)
    process.send_signal(signal.SIGINT)
    expect(process.wait() == -signal.SIGINT, "a second SIGINT does not end the handler of the first")
    finish(process)


def interrupted_prints(folder):
    lines = b"%06d foo\n" * 40000 % tuple(range(40000))
    path = os.path.join(folder, "long")
    with open(path, "wb") as file:
        file.write(lines)
    for signals in (1, 2):
        interrupted_print(["foo", "-"], lines[:33000], signals, lines[:33000])
        for threads in ("-j1", "-j3"):
            interrupted_print([threads, "foo", path], lines, signals)
            interrupted_print([threads, "-o", "foo", path, "-"], (path + ":foo\n").encode() * 40000, signals)
            interrupted_print([threads, "--positions", "foo", path], b"%d\n" * 40000 % tuple(range(7, 440000, 11)), signals)
    os.unlink(path)


def shell_status(folder):
    """What a shell says, and that its loop ends."""
    script = "for i in 1 2; do '%s' foo '%s/a' -; echo \"status $?\"; done" % (TRAWL, folder)
    shell = subprocess.Popen(["bash", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    feed(shell, b"xfoo\n")
    expected = ("%s/a:a foo\n(standard input):xfoo\n" % folder).encode()
    got = read_some(shell.stdout, len(expected))
    os.killpg(shell.pid, signal.SIGINT)
    rest = shell.stdout.read()
    shell.wait(timeout=WAIT_S)
    shell.stdin.close()
    expect((got, rest, shell.returncode) == (expected, b"", -signal.SIGINT), "in a loop of a shell: %r" % ((got, rest, shell.returncode),))
    script = "trap : INT; '%s' foo -; echo \"status $?\"" % TRAWL
    shell = subprocess.Popen(["bash", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    feed(shell, b"xfoo\n")
    got = read_some(shell.stdout, 5)
    os.killpg(shell.pid, signal.SIGINT)
    got += shell.stdout.read()
    shell.wait(timeout=WAIT_S)
    shell.stdin.close()
    expect(got == b"xfoo\nstatus 130\n", "a shell says: %r" % got)


def ignored(folder):
    """A program that is told to ignore SIGINT goes on."""
    process = start(["foo", "-"], stdin=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    feed(process, b"xfoo\n")
    process.send_signal(signal.SIGINT)
    feed(process, b"yfoo\n")
    process.stdin.close()
    process.stdin = None
    got = finish(process)
    expect(got == (0, b"xfoo\nyfoo\n", b""), "ignored: %r" % (got,))


def progress(folder):
    process = start(["foo", os.path.join(folder, "a"), "-"], stdin=subprocess.PIPE)
    feed(process, b"xfoo\nyfoo\n")
    lines = []
    for _ in range(3):
        process.send_signal(signal.SIGUSR1)
        lines.append(process.stderr.readline())
    process.stdin.close()
    process.stdin = None
    status, output, messages = finish(process)
    expect(status == 0 and output.count(b"\n") == 3 and messages == b"", "after SIGUSR1: %r" % ((status, output, messages),))
    for line in lines:
        expect(re.fullmatch(rb"trawl: \d+\.\d{3} GB, \d+\.\d s, \d+\.\d\d GB/s, [1-3] found\n", line), "SIGUSR1: %r" % line)


def progress_of_counts(folder):
    """What the library counts is not known before the end: then no number is shown, least of all 0."""
    for option in ("-c", "--count-matches", "--count-by-pattern"):
        process = start([option, "foo", "-"], stdin=subprocess.PIPE)
        feed(process, b"xfoo\nyfoo\n")
        process.send_signal(signal.SIGUSR1)
        line = process.stderr.readline()
        process.stdin.close()
        process.stdin = None
        finish(process)
        expect(re.fullmatch(rb"trawl: \d+\.\d{3} GB, \d+\.\d s, \d+\.\d\d GB/s\n", line), "SIGUSR1 with %s: %r" % (option, line))


def shorter_while_printed(options, folder):
    """The pipe is full and nobody reads it, so the rest of the file is not searched yet: cut it."""
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


def killed_by_bus(folder):
    sanitizer = "%s:handle_sigbus=0" % os.environ.get("ASAN_OPTIONS", "")  # or it reports instead
    process = start(["--mmap", "foo", os.path.join(folder, "a"), "-"], stdin=subprocess.PIPE,
                    env=dict(os.environ, ASAN_OPTIONS=sanitizer.lstrip(":")))
    feed(process, b"bar\n")
    process.send_signal(signal.SIGBUS)
    status, _, _ = finish(process)
    expect(status == -signal.SIGBUS, "SIGBUS from elsewhere: %r" % status)


def main():
    with tempfile.TemporaryDirectory(prefix="trawl-signals-") as folder:
        with open(os.path.join(folder, "a"), "wb") as file:
            file.write(b"a foo\n")
        interrupted_prints(folder)
        interrupted_handler(folder)
        for threads in (["-j1"], ["-j3"]):
            interrupted_stream(threads, b"A:a foo\n(standard input):xfoo\n", folder)
            interrupted_stream(threads + ["-c"], b"A:1\n", folder)
            interrupted_stream(threads + ["--positions"], b"A:2\n(standard input):1\n", folder)
            interrupted_stream(threads + ["-o", "-n"], b"A:1:foo\n(standard input):1:foo\n", folder)
        shell_status(folder)
        ignored(folder)
        progress(folder)
        progress_of_counts(folder)
        shorter_while_printed(["--mmap"], folder)
        shorter_while_printed(["--no-mmap"], folder)
        killed_by_bus(folder)
        interrupted_open(folder)
        os.unlink(os.path.join(folder, "pipe"))
        for number in range(2000):
            with open(os.path.join(folder, "f%d" % number), "wb") as file:
                file.write(b"foo\n" * 20 + b"filler\n" * 500)
        for _ in range(3):
            interrupted_tree(["-j1"], folder)
            interrupted_tree(["-j3"], folder)
    print("%d failures" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
