"""Checks that --max-total and --max-output print the begin of what the command prints without them, by any number of
threads."""

import json

import cases

CASES = 600
PATTERNS = ("a", "b$", "^c", "(a|b) c", "zz", "", "[ab]+")
OPTIONS = ("", "-n", "-l", "-c", "-v", "-w", "-i", "-m2", "-o", "-A1", "--heading", "--json")
LEAST = (1, 2, 3, 10, 100, 1000)
BYTES = (0, 1, 20, 300, 5000, 10**6)


def make(rng, folder):
    """Fill the folder."""
    for number in range(rng.choice((1, 2, 12, 40))):
        path = folder / str(number % 5)
        path.mkdir(exist_ok=True)
        lines = ["".join(rng.choices("aBbc  ", k=rng.randrange(9))) for _ in range(rng.choice((0, 1, 5, 60)))]
        (path / str(number)).write_text("".join(line + "\n" for line in lines))


def limited(lines, option, most):
    """Return the part of a report that has `most` selected lines."""
    if option != "-c":
        return lines[:most]
    shown = []
    for line in lines:
        name, number = line.rsplit(b":", 1)
        if most > 0:
            shown.append(b"%s:%d" % (name, min(most, int(number))))
        most -= min(most, int(number))
    return shown


def test_limits(trawl, tmp_path, rng):
    make(rng, tmp_path)
    option, pattern, jobs = rng.choice(OPTIONS), rng.choice(PATTERNS), "-j%d" % rng.choice((1, 2, 8))
    arguments = ["-E", "-r", "--sort=path", *option.split(), "-e", pattern, "."]

    def run(*limits):
        status, out, err = cases.execute([trawl, *limits, *arguments], tmp_path)
        return status, out, err

    status, whole, _ = run("-j1")
    lines, most = whole.splitlines(), rng.choice(LEAST)
    cases.counts["selected"] += status == 0
    found, out, err = run(jobs, "--max-total=%d" % most)
    shown, ended = out.splitlines(), b"ended at --max-total" in err
    assert found == status
    if option == "--json":
        matches = [line for line in lines if line.startswith(b'{"type":"match"')]
        assert [line for line in shown if line.startswith(b'{"type":"match"')] == matches[:most]
        assert json.loads(shown[-1])["data"]["truncated"] == ended == (len(matches) >= most)
        return
    if option in ("-o", "-A1", "--heading"):
        last = len(shown) - (option == "-A1")  # context, which may have been selected without the limit
        assert shown[:last] == lines[:last]
    else:
        assert shown == limited(lines, option, most)
    assert ended or shown == lines
    most = rng.choice(BYTES)
    found, out, err = run(jobs, "--max-output=%d" % most)
    assert found == status
    assert out == whole[: whole[:most].rfind(b"\n") + 1]
    assert (b"ended at --max-output" in err) == (len(whole) > most)
