"""distance: a naive search within k mismatches or k edits, for the tests of lines and of sequences.

docs/approximate.md defines an occurrence.
"""

NEVER = 99


class Distance:
    """The options --mismatches, --edits, --every-end and --exact."""

    def __init__(self, rng, most):
        self.most = most
        self.by_edits, self.every_end = (rng.random() < chance for chance in (0.5, 0.2))
        self.every_end = self.every_end and self.by_edits and most > 0
        first = rng.randrange(most + 1)
        self.exact = range(first, rng.randrange(first, most + 1) + 1) if most and rng.random() < 0.4 else range(0)

    def arguments(self):
        yield "--%s=%d" % ("edits" if self.by_edits else "mismatches", self.most)
        yield from ["--every-end"] * self.every_end
        yield from ["--exact=%d-%d" % (self.exact.start + 1, self.exact.stop)] * bool(self.exact)

    def spans(self, pattern, text, equal, takes=lambda *_: True, is_reversed=False):
        """Return the (begin, end, distance) of a pattern in a text. equal(symbol of the pattern, symbol of the text);
        takes(text, begin, end) says whether a span may be an occurrence."""
        exact = {len(pattern) - 1 - i if is_reversed else i for i in self.exact}
        return (self.within_edits if self.by_edits and self.most > 0 else self.within_mismatches)(
            pattern, exact, text, equal, takes
        )

    def within_mismatches(self, pattern, exact, text, equal, takes):
        for begin in range(len(text) - len(pattern) + 1):
            wrong = [i for i, (p, t) in enumerate(zip(pattern, text[begin:])) if not equal(p, t)]
            if len(wrong) <= self.most and not exact & {*wrong} and takes(text, begin, begin + len(pattern)):
                yield begin, begin + len(pattern), len(wrong)

    def within_edits(self, pattern, exact, text, equal, takes):
        reach = len(pattern) + self.most
        # maps the end of a span to the key of the best span with this end; the key's last part is the span's start
        spans = {}
        for begin in range(len(text)):
            for length, distance in enumerate(levenshtein(pattern, exact, text[begin : begin + reach], equal)):
                if distance <= self.most and takes(text, begin, begin + length):
                    found = (distance, abs(length - len(pattern)), -length, begin)
                    spans[begin + length] = min(spans.get(begin + length, found), found)
        distance_at = lambda end: spans.get(end, (self.most + 1,))[0]
        for end, (distance, _, _, begin) in spans.items():
            others = [other for other in map(distance_at, range(end + 1, end + reach + 1)) if other != distance]
            is_best = distance_at(end - 1) > distance and (not others or others[0] > distance)
            if self.every_end or is_best:
                yield begin, end, distance


def levenshtein(pattern, exact, text, equal):
    """Return the edit distances of all prefixes of the text from the whole pattern; the empty prefix comes first."""
    row = [0]
    for j in range(len(pattern)):
        row.append(NEVER if j in exact else row[j] + 1)
    rows = [row[-1]]
    for symbol in text:
        above, row = row, [row[0] + 1]
        for j, p in enumerate(pattern):
            fixed = j in exact
            changed = above[j] if equal(p, symbol) else NEVER if fixed else above[j] + 1
            removed, added = NEVER if fixed and j + 1 in exact else above[j + 1] + 1, NEVER if fixed else row[j] + 1
            row.append(min(removed, added, changed))
        rows.append(row[-1])
    return rows
