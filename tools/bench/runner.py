"""runner: sends rows to trawl-bench, reads the results, and writes files of results.

A row is a dict: a name, any facts (stored with the results), and `asks`, a list of (fields, competitors).
A competitor is a dict of fields with a name. bench.h describes the fields."""

import datetime
import json
import os
import platform
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# A folder with a link to the ripgrep of scripts/judges.sh. The folder comes first in PATH.
PEERS = os.path.join(ROOT, "build/judges/peers")
if os.path.exists(os.path.join(ROOT, "build/judges/bin/rg")):
    os.makedirs(PEERS, exist_ok=True)
    if not os.path.lexists(os.path.join(PEERS, "rg")):
        os.symlink("../bin/rg", os.path.join(PEERS, "rg"))
    os.environ["PATH"] = PEERS + os.pathsep + os.environ["PATH"]
ROW_FIELDS = ("name", "rounds", "seconds", "least", "warm", "parts")


def die(message):
    sys.exit(f"bench: {message}")


def size(text):
    """Read a number of bytes; K, M and G are powers of 1024."""
    units = {"K": 10, "M": 20, "G": 30}
    shift = units.get(text[-1:].upper(), 0)
    try:
        return int(text[:-1] if shift else text) << shift
    except ValueError:
        die(f"not a number of bytes: {text}")


def line_of(word, fields):
    """Return a line of the measuring program's input: a word, then key=value, separated by tabs."""
    parts = [word]
    for key, value in fields.items():
        if value is None or value is False:
            continue
        text = "1" if value is True else str(value)
        if "\t" in text or "\n" in text:
            die(f"{key} holds a tab or a line end: {text!r}")
        parts.append(f"{key}={text}")
    return "\t".join(parts) + "\n"


def command(*words, **fields):
    """Return a competitor that runs a program."""
    return {"kind": "command", "argv": "\x1f".join(words), **fields}


def lines_of(row):
    lines = [line_of("row", {key: row[key] for key in ROW_FIELDS if key in row})]
    for fields, competitors in row["asks"]:
        lines.append(line_of("ask", {"call": "count", **fields}))
        lines += [line_of("as", competitor) for competitor in competitors]
    return "".join(lines) + "\n"


class TimeUp(Exception):
    """Raised when SIGTERM arrives: the results are then those of the rows that are complete."""


def time_up(*_):
    raise TimeUp


class Runner:
    """Runs trawl-bench on rows."""

    def __init__(self, options):
        self.options = options
        self.program = options.runner
        self.wrong = False
        self.facts = json.loads(subprocess.run([self.program, "describe"], check=True, stdout=subprocess.PIPE).stdout)

    def run(self, rows, environment=None, show=None):
        """Run rows, and return their results in order."""
        process = subprocess.Popen(
            [self.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C", **(environment or {})},
        )
        results = []
        try:
            for row in rows:
                process.stdin.write(lines_of(row).encode("utf-8", "surrogateescape"))
                process.stdin.flush()
                line = process.stdout.readline()
                if not line:
                    break
                facts = {key: value for key, value in row.items() if key != "asks" and key not in ROW_FIELDS[1:]}
                results.append({**facts, **json.loads(line.decode("utf-8", "replace"))})
                if show:
                    show(results[-1])
        except TimeUp:
            process.kill()
            process.wait()
            return results
        finally:
            process.stdin.close()
            status = process.wait()
        if status == 1:
            self.wrong = True
        elif status != 0:
            die(f"trawl-bench ended with status {status}")
        return results


# ---- The machine ----------------------------------------------------------------------------


def processor():
    """Return the processor's name from /proc/cpuinfo."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return "unknown processor"


def first_line(*words):
    """Return the first line that a program prints; None: the program is not installed."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stdout.decode("utf-8", "replace").splitlines() or [None])[0]


def this_commit():
    """Return the tree's commit. A copy of the tree without its repository sets TRAWL_COMMIT."""
    return (
        os.environ.get("TRAWL_COMMIT")
        or first_line("git", "-C", ROOT, "describe", "--always", "--abbrev=9", "--dirty")
        or "unknown"
    )


def machine(options, facts):
    """Return the facts about machine and build that are stored with the results."""
    return {
        "processor": processor(),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}, glibc {platform.libc_ver()[1]}",
        "compiler": facts["compiler"],
        "commit": this_commit(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        "instruction_set": options.instruction_set or facts["instruction_set"],
        "trawl": facts["trawl"],
        "command": options.line,
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "text_bytes": options.bytes,
        "rounds": options.rounds,
        "gpu": first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
    }


# ---- Files of results -----------------------------------------------------------------------


def write_results(path, head, rows):
    """Write compact JSON, a row a line."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n")
        for key, value in head.items():
            file.write(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)},\n")
        file.write('"rows": [\n')
        file.write(",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows))
        file.write("\n]}\n")


def read_results(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        die(f"{path}: {error}")
