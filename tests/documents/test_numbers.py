"""Compares numbers that documents quote with the code that they describe.

A row of QUOTED is a piece of a sentence, in which ([0-9.,]+), written `#`, stands for each number, and where each comes
from: FILE NAME, times UNIT units of the code for one of the sentence. NAME is a #define, or a member that is initialised,
or an expression of such names (`a * b`)."""

import re
import subprocess
import sys

import pytest
from harness import ROOT

K, M, G = 1 << 10, 1 << 20, 1 << 30
CPU, CUDA, PLAN, SCHEDULE = "cpu/prices.def", "cuda/prices.def", "plan/prices.def", "runtime/schedule.def"
SIZES, LIMITS, CONTEST = "cpu/default_sizes.c", "cuda/limits.c", "plan/contest.def"
QUOTED = {
    "docs/design.md": (
        ("a text of more than # KiB has taken # µs more", (SIZES, "look_after", K), (SIZES, "look_lost_ns", 1e3)),
        ("take a text sample (# to # KiB", ("plan/tuning.h", "PLAN_SAMPLE_BYTES_MIN", K),
         ("cpu/worker.h", "WORKER_SAMPLE_BYTES", K)),
        ("take the next sample after # MiB", (SIZES, "look_again", M)),
        ("more than 1 in # runs of 64 positions", (CPU, "GRAMS_SHARE_MAX", 1)),
        ("on devices m ≥ #", (CUDA, "SAMPLED_CHOSEN_MIN", 1)),
        ("has compared more than # (c + m) bytes", (SIZES, "work_factor", 1)),
        ("at least # times as long as their overlap, or have # GiB", (SCHEDULE, "CHUNK_PER_NEED", 1),
         (SCHEDULE, "CHUNK_MAX", G)),
        ("expanded into up to # byte strings", ("plan/expand.c", "EXPAND_LITERALS_MAX", 1)),
        ("(up to # KiB, for up to # strings; # KiB, for up to #)", (CPU, "TEXT_MAX", K),
         ("plan/nibbles.h", "PLAN_NIBBLE_LITERALS_MAX", 1), (CPU, "MANY_TEXT_MAX", K),
         (PLAN, "SETS_USUAL_MAX", 1)),
        ("half the text's bytes plus # (each candidate counts as # more)", (CPU, "WORK_ONCE", 1),
         (CPU, "CANDIDATE_WORK", 1)),
        ("texts of up to # KiB are searched for its atoms", ("regex/prices.def", "BRIEF_MAX", K)),
        ("Up to # ms of work is done without waking a worker", (SCHEDULE, "SHARE_NS", 1e6)),
        ("starts a thread per # ms of work", (SCHEDULE, "START_NS", 1e6)),
        ("so a file of # MiB or more is mapped", (SCHEDULE, "LONG_BYTES", M)),
    ),
    "src/text/mapping.h": (
        ("the next # MiB are read, or twice", (SCHEDULE, "MAP_PAUSE", M)),
    ),
    "docs/design/strategies.md": (
        ("if it saves at least # %", (CONTEST, "(1 - AHEAD_SHARE) * 100", 1)),
        ("If the winner takes # times the time per byte", (CONTEST, "CHANGED_TIMES", 1)),
    ),
    "docs/design/sets.md": (
        ("tables for up to # literals", ("plan/nibbles.h", "PLAN_NIBBLE_LITERALS_MAX", 1)),
        ("# to # KiB of the first searched text", ("plan/tuning.h", "PLAN_SAMPLE_BYTES_MIN", K),
         ("cpu/worker.h", "WORKER_SAMPLE_BYTES", K)),
        ("may spend # ns per byte on candidates", (CPU, "SET_WORK_PER_BYTE", 1)),
    ),
    "docs/design/cuda.md": (
        ("of a loaded text of # MiB or more show", (LIMITS, "seen_bytes_min", M)),
        ("take more than # times as long as another method", (CUDA, "SLOW", 1)),
    ),
    "docs/filter.md": (
        ("which pages of # KiB a string cannot occur", ("plan/pages.h", "PLAN_PAGE_BYTES", K)),
        ("for up to # strings, ignoring case", ("plan/pages.h", "PLAN_PAGES_PATTERNS_MAX", 1)),
        ("if more than # of the pages are left", ("plan/pages.c", "kept_max", 1)),
    ),
    "docs/kernels.md": (
        ("pattern of more than # bytes, it searches a *window*", ("cuda/kernels/scan.h", "SCAN_PLANE_WINDOW_MAX", 1)),
        ("and in the next # scans", ("plan/contest.h", "CONTEST_PAUSE", 1)),
        ("an automaton of at most # states", ("regex/determinize.h", "DETERMINIZE_STATES_MAX", 1)),
        ("up to # states have a table by byte", ("regex/determinize.c", "BYTE_STATES_MAX", 1)),
        ("(and up to # expressions of which some have short atoms)", ("regex/prices.def", "GROUP_FIRST", 1)),
        ("at most # transitions", ("regex/automaton.c", "GROUP_WORDS_MAX", 1)),
    ),
    "src/approximate/approx_choose.h": (("tries them on # KiB of the text", ("approximate/prices.def", "TRIAL_BYTES", K)),),
    "docs/design/expressions.md": (
        ("is a set of up to # strings", ("regex/split.h", "SPLIT_STRINGS_MAX", 1)),
    ),
    "docs/regex.md": (
        ("first step ends after # atoms", ("regex/prices.def", "TRIAL_ATOMS", 1)),
    ),
    "src/regex/automaton.h": (
        ("needs more than # states", ("regex/determinize.h", "DETERMINIZE_STATES_MAX", 1)),
        ("need more than # automata together", ("regex/automaton.c", "GROUPS_MAX", 1)),
    ),
    "docs/architecture.md": (
        ("A text in memory of less than # KiB", (SCHEDULE, "BRIEF_BYTES", K)),
        ("# MiB per thread; with a limit", (SCHEDULE, "UNPACK_BYTES", M)),
        ("released # MiB at a time, # MiB behind", ("text/cursor.c", "MAP_STRIDE", M), ("text/cursor.c", "MAP_STRIDE", M)),
    ),
    "src/cpu/strategies.c": (
        ("when it takes # % and # us longer", (CPU, "(FAR_TIMES - 1) * 100", 1), (CPU, "FAR_NS", 1e3)),
        ("candidates take more than # ns per byte of text", (CPU, "SET_WORK_PER_BYTE", 1)),
        ("automaton continues, for # KiB", (SIZES, "dense_bytes", K)),
        ("sets of at most # strings; all sets of whole words", (PLAN, "SETS_USUAL_MAX", 1)),
        ("words must also be fewer than #", (CPU, "STEMS_PAY_FROM", 1)),
        ("sets of at most # strings. Once", ("plan/parts.h", "PLAN_ALONE_MAX", 1)),
        ("then # bytes that do", (SIZES, "trial_bytes", 1)),
    ),
    "src/cpu/scan_stems.c": (
        ("For up to # words, or # if", ("cpu/set_stems.h", "SET_PAIRS_LITERALS_MAX", 1),
         ("cpu/set_stems.h", "SET_PAIRS_TRIED_MAX", 1)),
        ("For up to # words of at least three bytes", ("cpu/set_class.h", "SET_FEW_LITERALS", 1)),
        ("Fewer than # words are first", (CPU, "STEMS_PAY_FROM", 1)),
    ),
    "src/cpu/dense.h": (
        ("A table of up to # MiB", ("plan/automaton.h", "PLAN_AUTOMATON_ROW_WORDS", M / 4)),
        ("more than # nodes", ("plan/automaton.h", "PLAN_AUTOMATON_NODES_MAX", 1)),
    ),
    "src/runtime/device_threads.h": (
        ("less than # of the time of a search on the host", (SCHEDULE, "STAGE_PAYS", 1)),
        ("of # GiB or more is split among the devices, in stripes of up to about # GiB with # MiB of overlap",
         (LIMITS, "split_bytes_min", G), (LIMITS, "stripe_bytes", G), (LIMITS, "split_overlap", M)),
    ),
    "src/cuda/cuda_plane.h": (
        ("length, exceeds #, dense", ("cuda/kernels/scan.h", "SCAN_PLANE_WINDOW_MAX", 1)),
    ),
    "src/cuda/cuda_automaton.h": (
        ("if its table exceeds # GiB", (LIMITS, "automaton_words_max", G / 4)),
        ("ranges of less than # MiB", (LIMITS, "tried_bytes", M)),
        ("this scan and up to # more", ("plan/contest.h", "CONTEST_PAUSE", 1)),
    ),
    "src/cpu/brief.c": (
        ("less than # KiB without a job", (SCHEDULE, "BRIEF_BYTES", K)),
    ),
}  # fmt: skip
ROWS = [(document, *row) for document, rows in QUOTED.items() for row in rows]


def value(file, expression):
    """Return the value of an expression of names that a file of src defines."""
    code = re.sub(r"/\*.*?\*/", "", (ROOT / "src" / file).read_text(encoding="utf-8"), flags=re.DOTALL)

    def number(found):
        name = found.group()
        set_to = re.search(rf"#define {name} +([^\n]+)|\.{name} = ([^,}}]+)", code)
        assert set_to, f"src/{file} does not define {name}"
        return f"({value(file, set_to[1] or set_to[2])})"

    plain = re.sub(r"UINT64_C(?=\()", "", re.sub(r"\b(\d[\d.]*(?:e-?\d+)?)u?l*\b", r"\1", expression))
    return eval(re.sub(r"\b[A-Za-z_]\w*", number, plain), {"__builtins__": {}})


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_number(row):
    document, sentence, *sources = row
    text = " ".join(re.sub(r"\n \* ", "\n", (ROOT / document).read_text(encoding="utf-8")).split())
    found = re.search(re.escape(sentence).replace(r"\#", "([0-9][0-9.,]*)").replace("#", "([0-9][0-9.,]*)"), text)
    assert found, f"{document} no longer says '{sentence}': change the row in {__file__}"
    for quoted, (file, name, unit) in zip(found.groups(), sources, strict=True):
        is_now = value(file, name) / unit
        said = float(quoted.replace(",", "").rstrip("."))
        assert said == pytest.approx(is_now, rel=1e-6), f"{document} says {quoted}, src/{file}: {name} is {is_now:g}"


def test_python_reference():
    """Check that docs/python-reference.md is what the docstrings say."""
    made = subprocess.run(
        [sys.executable, ROOT / "python/reference.py"], capture_output=True, text=True, check=True
    ).stdout
    page = (ROOT / "docs/python-reference.md").read_text(encoding="utf-8")
    assert page == made, "run ./dev format, or python/reference.py docs/python-reference.md"
