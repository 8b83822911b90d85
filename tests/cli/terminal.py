#!/usr/bin/env python3
"""Runs the command in tmux, which is a real terminal, and checks what the screen shows.

usage: terminal.py TRAWL

The tests check colours without an option, headings, Ctrl-C, a changed size of the window, and `less -R`.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

TRAWL = os.path.abspath(sys.argv[1])
WAIT_S = 60
failures = []


class Terminal:
    def __init__(self, folder):
        self.tmux = ["tmux", "-L", "trawl-test-%d" % os.getpid(), "-f", "/dev/null"]
        environment = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TRAWL_MUTANT") if name in os.environ}
        environment.update(LC_ALL="C.UTF-8", TERM="xterm-256color", HOME=folder, PS1="$ ", TRAWL_CONFIG_PATH="", TMUX_TMPDIR=folder, LESS="",
                           LESSHISTFILE="-", HISTFILE="")
        self.environment = environment
        self.call("new-session", "-d", "-x", "80", "-y", "24", "-c", folder, "env PS1='$ ' bash --norc --noprofile -i")
        self.until(lambda: "$" in self.screen())

    def call(self, *arguments):
        return subprocess.run(self.tmux + list(arguments), env=self.environment, check=True, capture_output=True, timeout=WAIT_S).stdout.decode()

    def screen(self, *more):
        return self.call("capture-pane", "-p", *more)

    def until(self, condition):
        end = time.monotonic() + WAIT_S
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError("gave up waiting; the screen shows:\n" + self.screen())
            time.sleep(0.05)

    def type(self, text):
        self.call("send-keys", "-l", text)
        self.call("send-keys", "Enter")

    def run(self, command):
        """Return the screen after a command, with colours and styles."""
        self.call("send-keys", "-R")
        self.call("clear-history")
        self.type("clear; " + command + "; echo status=$?")
        self.until(lambda: any(line.startswith("status=") for line in self.screen().split("\n")))
        return self.screen("-e")

    def end(self):
        subprocess.run(self.tmux + ["kill-server"], env=self.environment, capture_output=True, timeout=WAIT_S)


def expect(condition, what, screen):
    if not condition:
        failures.append(what)
        print("%s; the screen shows:\n%s" % (what, screen))


RED, GREEN, MAGENTA = "\x1b[31m", "\x1b[32m", "\x1b[35m"


def check(terminal):
    screen = terminal.run("trawl --color=auto -n foo a b")
    expect(MAGENTA in screen and GREEN in screen and (RED in screen or "\x1b[1m\x1b[31m" in screen), "colours", screen)
    screen = terminal.run("NO_COLOR=1 trawl --color=auto -n foo a b")
    expect(RED not in screen and MAGENTA not in screen and "a:1:a foo" in screen, "NO_COLOR", screen)
    plain = terminal.run("trawl foo a b")
    expect("a:a foo\nb:b foo" in plain and RED not in plain, "plain by default", plain)

    screen = terminal.run("trawl --heading -n foo a b")
    expect("a\n1:a foo\n\nb\n1:b foo\n" in screen, "headings", screen)
    screen = terminal.run("tg foo a b")
    expect("a" in screen and MAGENTA in screen and GREEN in screen, "tg: colours", screen)
    terminal.run("NO_COLOR=1 tg foo a b")
    expect("a\n1:a foo\n\nb\n1:b foo\n" in terminal.screen(), "tg: headings", terminal.screen())
    terminal.run("tg -N --no-heading --color=never foo a b")
    expect("a:a foo\nb:b foo\n" in terminal.screen(), "tg: none of it", terminal.screen())
    screen = terminal.run("tg foo a b | cat")
    expect("a:a foo\nb:b foo\n" in screen, "tg: a pipe", screen)

    # A file's lines come while the program waits for the next file.
    terminal.call("send-keys", "-R")
    terminal.type("clear; trawl foo a -")
    terminal.until(lambda: "a:a foo" in terminal.screen())
    terminal.call("send-keys", "C-c")
    terminal.until(lambda: terminal.screen().rstrip().endswith("$"))
    terminal.type("echo status=$?")
    terminal.until(lambda: "status=130" in terminal.screen())

    terminal.call("resize-window", "-x", "40", "-y", "10")
    screen = terminal.run("trawl -c foo long")
    expect("\n20\n" in "\n" + screen, "a smaller window", screen)
    if shutil.which("less"):
        terminal.call("send-keys", "-R")
        terminal.type("clear; trawl --color=always -n foo long | less -R")
        terminal.until(lambda: "5:" in terminal.screen() and terminal.screen().rstrip().endswith(":"))
        screen = terminal.screen("-e")
        expect(GREEN in screen and "ESC" not in screen, "less -R", screen)
        terminal.call("send-keys", "q")
        screen = terminal.run("true")
        expect("status=0" in screen, "after less", screen)


def main():
    if shutil.which("tmux") is None:
        print("SKIPPED: there is no tmux")
        return 77
    # The shell ends a moment after tmux, so the shell's files may still change while the folder is
    # removed.
    with tempfile.TemporaryDirectory(prefix="trawl-terminal-", ignore_cleanup_errors=True) as folder:
        os.mkdir(os.path.join(folder, "bin"))
        for name in ("trawl", "tg"):
            os.symlink(TRAWL, os.path.join(folder, "bin", name))
        os.environ["PATH"] = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
        for name, text in (("a", b"a foo\n"), ("b", b"b foo\n"), 
                           ("long", b"".join(b"%d foo\n" % number for number in range(20)))):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text)
        terminal = Terminal(folder)
        try:
            check(terminal)
        finally:
            terminal.end()
    print("%d failures" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
