"""Occurrences within k mismatches or k edits, by plain loops over what docs/approximate.md says."""

BASES = {
    "A": "A", "C": "C", "G": "G", "T": "T", "R": "AG", "Y": "CT", "S": "CG", "W": "AT", "K": "GT",
    "M": "AC", "B": "CGT", "D": "AGT", "H": "ACT", "V": "ACG", "N": "ACGT",
}  # fmt: skip
LETTERS = {frozenset(bases): letter for letter, bases in BASES.items()}
PAIRS = dict(zip("ACGT", "TGCA"))
INFINITE = 10**6


def complement(pattern):
    """The reverse complement of letters of DNA."""
    sets = [frozenset(PAIRS[base] for base in BASES[letter]) for letter in reversed(pattern.upper())]
    return "".join(LETTERS[one] for one in sets)


def equal(p, t, alphabet, any_base=False, ignore_case=False):
    """Say whether a pattern's symbol equals a text's symbol."""
    if alphabet == "dna":
        wanted, there = set(BASES[p.upper()]), set(BASES.get(t.upper(), ""))
        return bool(wanted & there) if any_base else bool(there) and there <= wanted
    if ignore_case and p.isascii() and t.isascii():
        return p.lower() == t.lower()
    return p == t


def is_exact(exact, i):
    return any(begin <= i < end for begin, end in exact)


def is_inside(exact, i):
    """Say whether symbols i - 1 and i of a pattern are in the same range."""
    return any(begin < i < end for begin, end in exact)


def row_after(pattern, symbol, above, same, exact):
    """Compute the next row of Wagner and Fischer's table; above None: the first row."""
    row = []
    for i in range(len(pattern) + 1):
        ways = [INFINITE] if above or i else [0]
        if i > 0 and not is_exact(exact, i - 1):
            ways.append(row[i - 1] + 1)
        if above and not is_inside(exact, i):
            ways.append(above[i] + 1)
        if above and i > 0:
            if same(pattern[i - 1], symbol):
                ways.append(above[i - 1])
            elif not is_exact(exact, i - 1):
                ways.append(above[i - 1] + 1)
        row.append(min(ways))
    return row


def spans_from(pattern, text, begin, k, same, exact):
    """(end, distance) of the spans that begin there, as far as some may be within k edits."""
    row = row_after(pattern, None, None, same, exact)
    for end in range(begin + 1, len(text) + 1):
        row = row_after(pattern, text[end - 1], row, same, exact)
        if min(row) > k:
            return
        yield end, row[-1]


def edits(pattern, text, k, same, exact, every_end, allowed):
    """(begin, end, distance) of each occurrence."""
    m, n = len(pattern), len(text)
    best = {}  # of an end: (distance, how far from m, shorter, begin)
    for begin in range(n):
        for end, distance in spans_from(pattern, text, begin, k, same, exact):
            if distance <= k and allowed(text[begin:end]):
                one = (distance, abs(end - begin - m), begin - end, begin)
                best[end] = min(best.get(end, one), one)
    least = [best[end][0] if end in best else INFINITE for end in range(n + 1)]
    for end in sorted(best):
        if not every_end:
            after = [one for one in least[end + 1 : end + 1 + m + k] if one != least[end]]
            if least[end - 1] <= least[end] or (after and after[0] < least[end]):
                continue
        yield best[end][3], end, least[end]


def mismatches(pattern, text, k, same, exact, allowed):
    for begin in range(len(text) - len(pattern) + 1):
        span = text[begin : begin + len(pattern)]
        wrong = [i for i, (p, t) in enumerate(zip(pattern, span)) if not same(p, t)]
        if len(wrong) <= k and not any(is_exact(exact, i) for i in wrong) and allowed(span):
            yield begin, begin + len(pattern), len(wrong)


def occurrences(
    patterns, text, *, mismatches=0, edits=0, alphabet="bytes", exact=(), every_end=False,
    within_lines=False, reverse_complement=False, any_base=False, ignore_case=False,
):  # fmt: skip
    """All occurrences as (begin, end, pattern, distance), of "dna" with a strand; places are symbols of
    `text`, a str (of bytes: decoded from latin-1)."""
    found = []

    def same(p, t):
        return equal(p, t, alphabet, any_base, ignore_case)

    def allowed(span):
        return not (within_lines and "\n" in span)

    for index, pattern in enumerate(patterns):
        m = len(pattern)
        own = [(begin, min(end, m)) for begin, end in exact if begin < m]
        strands = [("+", pattern, own)]
        if reverse_complement:
            mirrored = [(m - end, m - begin) for begin, end in own]
            strands.append(("-", complement(pattern), mirrored))
        for strand, one, parts in strands:
            if edits > 0:
                given = globals()["edits"](one, text, edits, same, parts, every_end, allowed)
            else:
                given = globals()["mismatches"](one, text, mismatches, same, parts, allowed)
            found += [(begin, index, strand, end, distance) for begin, end, distance in given]
    order = sorted(found)  # "+" comes before "-"
    if alphabet == "dna":
        return [(begin, end, index, distance, strand) for begin, index, strand, end, distance in order]
    return [(begin, end, index, distance) for begin, index, _, end, distance in order]
