"""Compares a plan that has searched often with a fresh one: what a search learns from its texts, which affects how the
next search runs, must never change an answer."""

import pytest
import trawl
from conftest import amount

CALLS = {
    "contains": lambda plan, column: plan.contains(column).tolist(),
    "match_counts": lambda plan, column: plan.match_counts(column).tolist(),
    "match_lists": lambda plan, column: plan.match_lists(column).tolist(),
    "pattern_lists": lambda plan, column: plan.pattern_lists(column).tolist(),
    "record_counts": lambda plan, column: plan.record_counts(column).tolist(),
    "count": lambda plan, column: plan.count("\n".join(column)),
    "count_lines": lambda plan, column: plan.count_lines("\n".join(column)),
    "matches": lambda plan, column: list(plan.matches("\n".join(column))),
    "mask": lambda plan, column: plan.mask("\n".join(column), "*"),
}
# Letters with variants of one to three bytes. A pattern with many of them is searched by its first letters, and the
# automaton that takes over in dense text has one variant of each.
ALPHABETS = ["kK\u212ax", "sS\u017fx", "\u2126\u03a9\u03c9x", "\u2126\u03c9kx", "\u01c4\u01c5\u01c6k", "\u1e9e\u00dfs",
             "ab \u20ac"]  # fmt: skip


def test_learned_lengths():
    """The automaton finds a two-byte letter by a pattern whose own letter has three bytes."""
    plan = trawl.Plan(["\u2126", "xkkkkk", "x"], regex=True, ignore_case=True)
    for _ in range(3):
        assert plan.match_counts(["x" * 40]).tolist() == [40]
        assert plan.contains(["\u03c9", "\u03a9", "\u2126"]).tolist() == [True] * 3


def draw(rng):
    """Return patterns, a plan's options and a few columns of the patterns' letters."""
    letters = rng.choice(ALPHABETS)
    is_regex = rng.random() < 0.7

    def text(size):
        return "".join(rng.choices(letters, k=size))

    def pattern():
        made = text(rng.choice([1, 1, 2, 3, 6, 9]))
        forms = [
            made, made, f"{made}[0-9]?", f"\\b{made}", f"[a-z]+{made}", f"{made}.*{text(1)}",
            f"({made}|{text(2)}){text(1)}",
        ]  # fmt: skip
        return rng.choice(forms) if is_regex else made

    rule = rng.choice([True, True, "ascii"])
    options = {"regex": is_regex, "multiline": is_regex and rng.random() < 0.2}
    options |= {"ignore_case": rng.choice([rule, rule, False]), "whole_words": rng.choice([rule, False, False])}
    columns = [[text(rng.randint(1, 3)) for _ in range(5)], [rng.choice(letters) * 400], [text(rng.choice([20, 2000]))]]
    return [pattern() for _ in range(rng.choice([1, 2, 3, 12]))], options, columns


@pytest.mark.parametrize("number", range(amount(60)))
def test_used_plan(rng, number):
    rng.seed(rng.random() + number)
    patterns, options, columns = draw(rng)
    used, known = trawl.Plan(patterns, **options), {}
    for _ in range(24):
        name, index = rng.choice(list(CALLS)), rng.randrange(len(columns))
        if (name, index) not in known:
            known[name, index] = CALLS[name](trawl.Plan(patterns, **options), columns[index])
        assert CALLS[name](used, columns[index]) == known[name, index], (patterns, options, name, columns[index])
