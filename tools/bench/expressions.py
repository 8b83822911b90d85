"""expressions: measures whole processes that search files and a tree for regular expressions: tg and rg."""

import os

import rivals
from commands import file_of, install, tree_bytes
from report import median, opening, result, spread_line, table
from runner import command

head = rivals.head
RG, TG = "rg", "tg"
GROUPS = ("string", "no string", "matches")
ONE, ALL = ", 1 thread", ", all threads"
# (text, expressions with a string of three bytes or more that every match contains, expressions without such a string,
# both for -c, and expressions whose matches are counted or printed). Both programs get the option before an expression.
ROWS = (('english',
         (r'Nebuchad\w+ the king', '-i jerusalem', r'\w+ \w+ \w+ Babylon', '(Moses|Aaron) .* Pharaoh',
          'king|queen|prince', 'b[aeiou]g|c[aeiou]t', r'\w+ing of', '[A-Z][a-z]+ said',
          r'the (son|daughter)s? of [A-Z]\w+', '-w [Jj]acob|[Ii]srael', r'\bking(s|dom)?\b',
          r'[^.]{0,120}wheel[^.]{0,120}\.'), ('[a-z]+[A-Z]', r'\w+, \w+; \w+'),
         (r'--count-matches \w+ of the', '--count-matches [A-Z][a-z]+ said', r'--count-matches LORD \w+', r'-o and \w+',
          r'--count-matches \w+, \w+', r'-o \w+', r'--count-matches \bking\b',
          '-o .{0,200}(chariot|wheel).{0,200}', '--count-matches .{0,400}chariot.{0,400}',
          r'-o \b.{0,50}wheel.{0,50}\b', r'-o (?:\w+\W+){0,8}wheel(?:\W+\w+){0,8}')),
        ('log',
         (r'ERROR worker-\d+', 'status=(404|500)', r'items/9\d{5} ', 'id=[0-9a-f]*dead', r'ms=\d{3}\.\d',
          'WARN .* status=500', r'-i error worker-6[0-3] ', r'^2026-11-0[1-5] .* ERROR'),
         (r'\d+:\d+:59', r'[0-9a-f]{8}[a-f]{6}'),
         (r'--count-matches \d+', r'-o \d{4}-\d{2}-\d{2}', r'--count-matches \w+', r'-o status=(\d+)')),
        ('code',
         (r'fn \w+_mut\(', 'unsafe (impl|fn)', r'Option<\w+>', r'#\[\w+\(.*feature', r'impl<.*> \w+ for \w+',
          '(u8|u16|u32)::MAX', r'\.unwrap_or\w*\(', r'let (mut )?\w+ = \w+\(\)',
          r'let (mut )?\w+: \w+ ='), ('[a-z]+_[a-z]+_[a-z]+', r'^\s+\}$'),
         (r'--count-matches self\.\w+', r'--count-matches fn \w+\(', '--count-matches [a-z]+_[a-z]+', '-o "[^"]*"',
          '-o //.*', r'-n self\.\w+\(\)', r'-Un \{\n\s+let')),
        ('code, one line', (), (),
         ('-o .{0,500}(unsafe|unwrap|extern|static|panic|assert|slice|iter|debug).{0,500}',
          '-o .{0,80}unsafe.{0,80}')),
        ('cyrillic', (r'\w+ сказал', r'сказал[аи]? \w+', '-i почему', '-i что .* ты', 'когда|если|потому', r'\w+ость'),
         ('[А-Я][а-я]+ [А-Я][а-я]+', r'\w+, \w+!'),
         ('-o [а-я]{10,}', r'--count-matches \w+ость')),
        ('english, across lines', (), (),
         (r'-Uc \s+king', r'-Uc \w+\s+king', r'-Uc [^,]+,\s+and Pharaoh', r'-Uo (?s)And.{0,40}Pharaoh')),
        ('english, 4 times as long', ('[A-Z][a-z]+ said', r'\w+ing of', '-i jerusalem'), ('[a-z]+[A-Z]',), ()),
        ('tree', (r'fn \w+_mut\(', 'unsafe (impl|fn)', '(u8|u16|u32)::MAX'), ('[a-z]+_[a-z]+_[a-z]+',), ()))  # fmt: skip


def path_of(text, group, options, texts):
    """Return the path of a row's file or tree; make the file if it does not exist. Rows that print matches search an
    eighth of the text, since printing every match is slow."""
    if text == "tree":
        return file_of(text, options, texts)
    kind, _, shape = text.partition(", ")
    count = options.bytes // 8 if group == "matches" else 4 * options.bytes if shape else options.bytes
    return texts.corpus(kind, count, -1 if shape == "one line" else 0)


def rows(options, texts):
    """Yield a row for each text and expression. tg and rg get the same options."""
    tg = install(options, texts, TG)
    for text, *groups in ROWS:
        for group, expression in [(name, it) for name, some in zip(GROUPS, groups) for it in some]:
            row_name = f"{text}: {expression}"
            if options.filter and options.filter not in row_name:
                continue
            path = path_of(text, group, options, texts)
            flag, pattern = expression.split(" ", 1) if expression[0] == "-" else ("-e", expression)
            words = ["--no-config"] + ["-c", "--include-zero"] * (group != "matches") + ["-uuu"] * (text == "tree")
            words += [flag] * (flag != "-e") + ["-e", pattern, path]
            who = [
                {"name": name + label, "ours": name == TG, **command(program, *threads, *words)}
                for label, threads in ((ONE, ["-j1"]), (ALL, []))
                for name, program in ((RG, "rg"), (TG, tg))
            ]
            bytes_count = tree_bytes(path) if text == "tree" else os.path.getsize(path)
            facts = {"text": text, "expression": expression, "group": group, "text_bytes": bytes_count}
            yield {"name": row_name, **facts, "asks": [({"bag": text == "tree"}, who)]}


# ---- Reports --------------------------------------------------------------------------------


def ratio(row, label):
    """Return rg's time / tg's time; None: a program has no time."""
    rg, tg = (median(result(row, name + label)) for name in (RG, TG))
    return rg / tg if rg and tg else None


def summary(data, group, what):
    found = sorted(it for it in (ratio(row, ONE) for row in data["rows"] if row["group"] == group) if it)
    if not found:
        return []
    return [
        f"- {what}: {len(found)} rows; ratio with one thread {found[0]:.2f} at least, {found[len(found) // 2]:.2f} in the "
        f"median, 1.2 or more in {sum(it >= 1.2 for it in found)}"
    ]


def extremes(rows_of, label):
    """Return cells: the least ratio and its expression, the median and the greatest."""
    known = sorted((ratio(row, label), row["expression"].replace("|", "\\|")) for row in rows_of if ratio(row, label))
    return [f"{known[0][0]:.2f} `{known[0][1]}`", *(f"{known[i][0]:.2f}" for i in (len(known) // 2, -1))]


def section(data):
    """Make the table of docs/benchmarks.md."""
    lines = [
        *opening(data),
        "- " + ", ".join(data["versions"][name] for name in ("trawl", "rg -F") if name in data["versions"]),
        spread_line(data),
        *summary(data, "string", "matching lines, expressions that contain a string of three bytes or more"),
        *summary(data, "no string", "matching lines, other expressions"),
        *summary(data, "matches", "matches counted or printed (`--count-matches`, `-o`)"),
        "",
        f"Both programs got the same options (`-uuu` for the tree) and gave the same answers. {RG}'s time / tg's "
        "time: the least, with its expression, the median, and the greatest.",
        "",
    ]
    cells = []
    for text, *groups in ROWS:
        of_text = [row for row in data["rows"] if row["text"] == text]
        known = extremes(of_text, ONE) + extremes(of_text, ALL) if of_text else 6 * ["-"]
        cells.append([text, len(of_text) or sum(map(len, groups)), *known])
    return lines + table(
        ["text", "expressions", "1 thread: least", "median", "greatest", "all threads: least", "median", "greatest"],
        cells,
    )
