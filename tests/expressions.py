"""expressions: random expressions in the syntax of a judge (DIALECTS), and texts that they are likely to match.

Of each expression comes a sample, a string that it matches, unless an anchor or what stands around it prevents that.
"""

import collections
import functools
import re
import warnings

# What stands for itself at the start of an alternative, but might be taken for a part of a group's opening.
OPENED = [*"=!<>:-#=!<>:-#'&@~PR", r"\)", r"\?", r"\*", "=!", "!=", "<=", "<!", ":=", "P<", "'a'", "-i"]
LEADING = ["+", "?", "*", "{x", "{", "{1"]  # what GNU grep reads as itself or as nothing there
PLAIN = "=!<>:-#'&%@,;~/PRCK]})("  # what a text has more often if its expression has it
LETTERS = [*"aAbBcnNkKséÉ01- _x=!<:#", "ab", "abc", "22", "ко"]
WIDE = [*"éñ中ⅷ²٣‿ⓐ🄰👍ª", "\u0301", "\u200d", "\u00a0", "\u2003", "\u2028"]
CLASSES = r". [ab] [^a] [a-c] [b_-] []a] [^-a] [aA] [nN] [^nN]".split()
POSIX = "[[:digit:]] [[:space:]] [^[:space:]]".split()
ASCII = r"\d \D \W [\Wa] [k\D] \w \s \S [[:alpha:]] [[:^alpha:]]".split() + POSIX
WIDE_CLASSES = r"""\w \W \d \D \s \S [\w-] [^\w] [\W_] [^\W_] [^\W\d_] [^\W] [\W\d] [^\S] [^\d\s] [a\W] [а-яé] [^\Sa] [\S\d]
    [^a\w]""".split()
COMMON = [
    *CLASSES,
    "c(?:ka )?",
    *r"[kK] [a-cA] [éÉ] [éx] [é€] \x61 [\x61A] cab a.c .* .+ x(ab){1,2} [ab]?y (ab)?".split(),
]
MARKED = [*COMMON, "[а-я]", "[А-яk]", "[^ -ÿ]", ".*c$", "( |$)", "(^|-)", "^", "$"]
RE2 = r"\pL \PL \p{Lu} \x{212a} [\x{80}-\x{10ffff}] \Qa.\E .*? \A \z (?U:a+) (?i-s:a.)".split()
RIPGREP = ["(?x: a [ b c ] )", "(?x:(?-x: )k)", "a{ 1,2 }"]
RIPGREP += r"""\pL \PL [:=] (?<a.b[0]>b) \p{Lu} \u{212a} [\W_] [^\W\d] [^\Wa] [^\S] a** (?u:\w) [\p{L}--[a-z]] \p{Uppercase_Letter}
    \P{gc:Ll} \p{sc!=Greek} [^\pC] [\p{Cased_Letter}\d] \P{Cn}""".split()
EDGES = r"\< \> \b{start} \b{end} \b \b \B \b{start-half} \b{end-half} н 中".split()
RUST = r"(?i:aB) (?:ab|c) \x61 [^\x61] \. [a-b-] (?s:.) x\<*a \b{start}?b a\>{0,2} b\b*? (?:\<)*a c\b{end}{1,2}".split()
NAMES = "alpha alnum upper lower punct space digit print graph cntrl blank xdigit".split()
GNU = r"\. [a\] [^]a] [^b-] \w \W \s \S".split() + [f"[[:{name}:]]" for name in NAMES]
GNU += [f"[^[:{name}:]_[:{other}:]-]" for name, other in zip(NAMES, ["digit", "blank", "punct"] * 4)]
BACK = r"(a|b)\1 ([ab])c?\1 (.)\1 (k?)(.)\2 (\w)a?\3 \bx".split()
# What RE2 lacks.
BEYOND = r"""(?=a) (?!b) (?<=a) (?<!k) (?=.*c) (?<=é) (?<=ab|c) (a|b)\1 (?<n>[ab])\k<n> a++ [ab]*+ .?+ (?>a|ab) \K \X \h \R \N
    (?|(a)b|(c)) (-)?(?(1)a|b) (a(?1)?b) (?#x) (?i)k (?i:s)é (?s-i:a.) \Qa.\E+ (?=a|b(?!c)) [a-c]{2} a{1,3}?b \x{e9} (?<!^)b (?<=^a)b
    (?=\Qa)\Eb?) []-a] [\]a] (?P<m>a)(?P=m) (?:a|(?=b))+""".split()
CONTROLS = r"\n \R \h \N [^b\n] \1 \2 \b ^ $ . . \w \W \s \S \d [ab] [^a] (?i:A)".split()
ITEMS = r"a b k K s é 0 - & [:alpha:] [:^alpha:] \w \W \d \PL a-c A-Z é-ü \] .".split()  # of ripgrep's classes
SCOPED = "(?: (?i: ( (?-i: (?s:".split()
ATOMIC = "(?> (?= (?! (?| (*pla: (*nla:".split()
BEHIND = "(?<= (?<! (*plb: (*nlb:".split()
KNOWN = [
    f"{form}{text})" for form in BEHIND for text in ["a", "ab", "a|bb", "\\n", "x\\n", "[^a]", ""]
]  # of a known length
ODD = r"""(*atomic: (*positive_lookahead: (*negative_lookahead: (?<n> (?'o' (?P<m> (?* (?# (?(1)%s|c) (?(?=a)%s) (?(?!b)%s) (%s(?1)?)
    (?=\w{0}%s) (?=[^a]{0}%s) (?> (?>""".split()
GREEDY = "* + ? {2} {1,2} {0,2} {2,}".split()
LAZY = [*GREEDY, "??", "*?", "+?", "{1,2}?"]
POSSESSIVE = r"+ * ? {2} +? *? ?? ++ *+ ?+ {1,2} {1,2}+ {2,}+ {2,3}+ {3,}+ {1,3}? {2,}\E+ ?(?#)+".split()
# Of these strings, those that a part matches are its samples.
STRINGS = [*"abcknsxyABKN01 -_.,=<éÉкжЖ€中", "ab", "cab", "abc", "aac", "aa", "bb", "aB", "xab", "by", "cka ", "AB"]


def opened(rng, one_in=5):
    """Return what comes first in a group: one of OPENED now and then, otherwise nothing."""
    return rng.choice(OPENED) if rng.randrange(one_in) == 0 else ""


def ripgrep_class(rng, depth=2):
    made = "[" + "^" * (rng.random() < 0.25)
    for _ in range(rng.randint(1, 3)):
        for _ in range(rng.randint(1, 2)):
            made += ripgrep_class(rng, depth - 1) if depth and rng.random() < 0.35 else rng.choice(ITEMS)
        made += rng.choice(["&&", "--", "~~", "", "", ""])
    return made + "]"


# parts: characters, classes and others, or functions that draw one; groups: what opens a group, or, with %s, all of it;
# once: whether a part is not repeated; leading: what may come first in an alternative; often: how many of a hundred parts
# are repeated.
once = re.compile(r"[*}^$]$|^\\[KAz]$|^\(\?#x\)$").search
fields, defaults = "parts groups repeats once leading letters often", (SCOPED, LAZY, once, (), LETTERS, 17)
Dialect = collections.namedtuple("Dialect", fields, defaults=defaults)
not_edges = re.compile(r"\\[<>bB]").search
DIALECTS = {
    # In trawl \w and [[:alpha:]] mean ASCII even if case is ignored, so the row with these classes has no (?i.
    "re2": Dialect(MARKED + ASCII + RE2, ["(?:", "(", "(?-i:", "(?s:"]),
    "re2 (?i)": Dialect([*MARKED, *RE2, "(?i)k"]),
    "re": Dialect([*MARKED, r"[^\s]", r"\d", r"\w", r"\S"], ["(", "(?:", "(?s:"]),
    "re (?=)": Dialect(MARKED + r"\d \w (?=a) (?!b) (?<=a) (?<!k) a++ (?=.*c) (?#=)".split(),
                       "(?= (?! (?= (?! (?> (?<= (?<! (?: (?i: (?-i:".split()),
    "grep": Dialect(MARKED, ["(", "(?:"]),
    "rg": Dialect(MARKED + ASCII + RIPGREP + [ripgrep_class] * 12, [*SCOPED, "(?u:"]),
    "rg edges": Dialect(MARKED + RIPGREP + EDGES * 2),
    "grep-E": Dialect(COMMON + GNU + BACK, ["("]),
    # not \S, \W and \D: grep overlooks letters beyond ASCII
    "grep-P": Dialect(MARKED + r"\d \w \s [[:alpha:]] [[:^alpha:]] [^\d] [^\w]".split() + BEYOND * 2, [*SCOPED, *ATOMIC, *BEHIND, "(*atomic:"]),
    "perl-P": Dialect(MARKED + r"\d \w \W \S [[:alpha:]]".split() + BEYOND * 2, [*SCOPED, *ATOMIC, "(?'q'"]),
    "rg-P": Dialect(MARKED + BEYOND * 2, [*SCOPED, *ATOMIC, *BEHIND[:3], "(?P<q>", "(?'q'", "(?(?=a)"]),
    # GNU grep 3.8 misses lines if an anchor is in a repeated group, and overlooks word boundaries there and next to bytes
    # outside of characters.
    "extended": Dialect(CLASSES * 2 + POSIX * 2 + GNU, ["("], GREEDY, not_edges, LEADING),
    "extended, words": Dialect(CLASSES * 2 + POSIX * 2 + GNU + [r"\<a", r"b\>", r"\bx", r"\Bx"] * 4, ["("], GREEDY, not_edges, LEADING),
    "rust": Dialect(CLASSES * 2 + POSIX * 4 + RUST, SCOPED[:3], GREEDY, not_edges),
    "rust, wide": Dialect(CLASSES * 2 + POSIX * 4 + RUST + WIDE_CLASSES * 3, SCOPED[:3], GREEDY, not_edges, letters=LETTERS + WIDE * 2),
    "pcre2": Dialect(CONTROLS * 2 + BEYOND[:-2] + KNOWN[::2], SCOPED + ATOMIC + ODD + BEHIND, POSSESSIVE, re.compile(r"[*+}^$]$|^\\[Kb]$|^\(\?#").search,
                     letters=["a", "a", "b", "c", "ab", "x", "é"], often=40),
}  # fmt: skip


@functools.cache
def samples_of(part):
    """Return strings that a part matches, as far as `re` knows."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of sets such as [[:alpha:]], which `re` reads in another way
            compiled = re.compile(re.sub(r"\\[<>]", "", part))
    except (re.error, Warning):
        return ["a", "B", "1", " ", "-", "é"]
    return [one for one in STRINGS if compiled.fullmatch(one)] or [part if part in LETTERS else ""]


def group(rng, dialect, inner, sample):
    form = rng.choice(dialect.groups)
    is_empty = re.match(r"\(\?(?:[=!#*]|<!)|\(\*[pn]", form) is not None
    return form % inner if "%s" in form else form + inner + ")", "" if is_empty else sample


def sequence(rng, dialect, depth):
    made = rng.choice(dialect.leading) if dialect.leading and rng.random() < 0.1 else opened(rng)
    sample = made.replace("\\", "")
    for _ in range(rng.choice([1, 1, 2, 2, 3])):
        kind = rng.random()
        if depth and kind < 0.27:
            part, one = group(rng, dialect, *alternatives(rng, dialect, depth - 1))
        else:
            part = rng.choice(dialect.letters if kind < 0.54 else dialect.parts)
            part = part if isinstance(part, str) else part(rng)
            one = rng.choice(samples_of(part))
        if rng.randrange(100) < dialect.often and not dialect.once(part):
            sign = rng.choice(dialect.repeats)
            if len(part) > 1 and part[0] not in "([\\" and rng.random() < 0.7:
                part = "(" + part + ")"
            part += sign
            one *= rng.choice({"*": [0, 1, 2], "+": [1, 2], "?": [0, 1]}.get(sign[0], [2]))
        made, sample = made + part, sample + one
    return made, sample


def alternatives(rng, dialect, depth):
    rows = [sequence(rng, dialect, depth) for _ in range(rng.choice([1, 1, 2, 2, 3]))]
    return "|".join(made for made, _ in rows), rng.choice(rows)[1]


def expression(rng, dialect):
    """Return an expression and its sample. Every sixth expression is little more than a group with what might be taken
    for a part of its opening."""
    if rng.randrange(6) == 0:
        first = rng.choice(OPENED) + rng.choice(["", "", "a", "b"])
        made, sample = group(rng, dialect, first, first.replace("\\", ""))
        return rng.choice(["", "", "^", "c|"]) + made + rng.choice(["", "a", "b", ".*b", "[^b]+", "$"]), sample + "ab"
    made, sample = alternatives(rng, dialect, 2)
    whole = "^(?:%s)$" if "(?:" in dialect.groups else "^(%s)$"
    return rng.choice(["%s", "%s", "%s", "%s", "^%s", "%s$", whole, whole]).replace("%s", made), sample


def damaged(rng, sample):
    """Return a sample that may lack a character, have it twice, or in the other case."""
    at = rng.randrange(len(sample) + 1)
    before, one, after = sample[:at], sample[at : at + 1], sample[at + 1 :]
    return rng.choice([sample, sample, sample, before + after, before + one * 2 + after, sample.swapcase(),
                       before + one.swapcase() + after])  # fmt: skip


def lines_of(rng, pieces, samples, most, counts):
    """Return lines of up to `most` pieces, of which a third has or is a sample, and some are empty. Where a text changes
    its kind, the lines that follow are of few pieces, and all shorter or longer."""
    made, count = [], rng.choice(counts)
    turn = rng.randrange(3 * count + 1)
    for number in range(count):
        if number == turn:
            pieces, most = rng.sample(pieces, min(3, len(pieces))), rng.choice([1, 2 * most])
        line = [rng.choice(pieces) for _ in range(rng.randint(0, most))]
        if rng.random() < 0.3:
            line = line * rng.randrange(2)
            line.insert(rng.randint(0, len(line)), damaged(rng, rng.choice(samples)[:24]))
        made += ["".join(line)] + [""] * (rng.random() < 0.04) * rng.choice([1, 2, 30])
    return made
