"""Times searches for many regular expressions: `python3 tools/bench/rules.py BUILD [RULES...]`.

Makes rules from a seed, in the shapes of log signatures and of secret scanners, and a log of 64 MB
in which a line in a hundred holds what a rule asks for. Prints, for trawl on one thread and for
Hyperscan on whole blocks (if libhs is installed), the time to compile and GB/s of processor time.
trawl counts lines; Hyperscan reports the first match of each rule in each MiB."""
import ctypes
import os
import random
import resource
import subprocess
import sys
import tempfile

LETTERS = "abcdefghijklmnopqrstuvwxyz"
HEX, DIGITS, WORD = "0123456789abcdef", "0123456789", LETTERS + LETTERS.upper() + "0123456789"


def word(draw, least, most):
    return "".join(draw.choice(LETTERS) for _ in range(draw.randint(least, most)))


def rule(draw):
    """Returns a rule and a string that the rule matches."""
    a, b, number = word(draw, 4, 9), word(draw, 3, 8), draw.randint(100, 99999)
    chars = lambda of, count: "".join(draw.choice(of) for _ in range(count))
    shapes = [
        (rf"\b{a}_live_[0-9a-zA-Z]{{24}}\b", f"{a}_live_{chars(WORD, 24)}"),
        (rf"{a.upper()}[0-9A-Z]{{16}}", a.upper() + chars("0123456789ABCDEF", 16)),
        (rf"(?i){a}[_-]?(?:key|token)\s*[:=]\s*['\"]?[0-9a-f]{{32}}", f"{a}-key = '{chars(HEX, 32)}"),
        (rf"{a}d\[\d+\]: {b} failed for \w+ from \d+\.\d+\.\d+\.\d+",
         f"{a}d[{number}]: {b} failed for {b} from 10.0.{number % 256}.7"),
        (rf"(?:error|fatal|panic): {a} {b}: code \d+", f"fatal: {a} {b}: code {number}"),
        (rf"https?://[a-z0-9.-]+/{a}/{b}\.php\?\w+=", f"http://{b}.net/{a}/{b}.php?id="),
        (rf"\w+Exception: {a}.*{b}\.{a}", f"IoException: {a} in {b}.{a}"),
        (rf"^.* {a}-{number} (?:up|down)$", f"port {a}-{number} down"),
    ]
    return draw.choice(shapes)


def log(draw, rules, size):
    """Return at least `size` bytes of a made-up log. A line in a hundred has a match of a rule."""
    vocabulary = [word(draw, 2, 9) for _ in range(3000)]
    lines = []
    for _ in range(20000):
        words = " ".join(draw.choice(vocabulary) for _ in range(draw.randint(5, 18)))
        hit = " " + draw.choice(rules)[1] if draw.random() < 0.01 else ""
        lines.append(f"Nov {draw.randint(1, 30):2} 12:00:{draw.randint(0, 59):02} host{draw.randint(1, 9)} "
                     f"{draw.choice(vocabulary)}[{draw.randint(1, 65535)}]: {words}{hit}\n")
    block = "".join(lines).encode()
    return block * (size // len(block) + 1)


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout.decode().strip()


def trawl(build, rules, text, empty):
    command = [os.path.join(build, "trawl"), "-P", "-j1", "-c", "-f", rules]
    compiles = min(processor_seconds(command + [empty])[0] for _ in range(3))
    seconds, count = min(processor_seconds(command + [text]) for _ in range(3))
    return compiles, seconds - compiles, f"{count} lines"


def hyperscan(rules, text):
    """Return compile time and search time of Hyperscan for the rules, in seconds of user time."""
    library = ctypes.CDLL("libhs.so.5")
    on_match = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint, ctypes.c_ulonglong, ctypes.c_ulonglong,
                                ctypes.c_uint, ctypes.c_void_p)
    count = len(rules)
    once_per_block, multiline = 8, 4
    database, scratch, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    status = library.hs_compile_multi((ctypes.c_char_p * count)(*[rule.encode() for rule in rules]),
                                      (ctypes.c_uint * count)(*[once_per_block | multiline] * count),
                                      (ctypes.c_uint * count)(*range(count)), ctypes.c_uint(count), 1, None,
                                      ctypes.byref(database), ctypes.byref(error))
    if status != 0:
        raise OSError(f"error {status}")
    compiles = resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin
    library.hs_alloc_scratch(database, ctypes.byref(scratch))
    found = []
    take = on_match(lambda rule, *_: found.append(rule) or 0)
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    for at in range(0, len(text), 1 << 20):
        block = text[at:at + (1 << 20)]
        library.hs_scan(database, block, ctypes.c_uint(len(block)), 0, scratch, take, None)
    return compiles, resource.getrusage(resource.RUSAGE_SELF).ru_utime - begin, f"{len(found)} reports"


def main():
    """Measure and print a table for each number of rules."""
    build, counts = sys.argv[1], [int(count) for count in sys.argv[2:]] or [1000, 10000]
    for count in counts:
        draw = random.Random(count)
        rules = [rule(draw) for _ in range(count)]
        text = log(draw, rules, 64 << 20)
        with tempfile.TemporaryDirectory() as folder:
            names = [os.path.join(folder, name) for name in ("rules", "text", "empty")]
            for name, content in zip(names, ("\n".join(each[0] for each in rules).encode() + b"\n", text, b"\n")):
                with open(name, "wb") as file:
                    file.write(content)
            rows = [("trawl", lambda: trawl(build, *names)),
                    ("Hyperscan", lambda: hyperscan([each[0] for each in rules], text))]
            for name, run in rows:
                try:
                    compiles, seconds, answer = run()
                    print(f"{count} rules, {name}: compiles in {compiles:.2f} s, "
                          f"{len(text) / seconds / 1e9:.3f} GB/s, {answer}", flush=True)
                except OSError as error:
                    print(f"{count} rules, {name}: {error}", flush=True)


if __name__ == "__main__":
    main()
