# plan: characters beyond ASCII, and the type Plan.

# ---- Characters beyond ASCII ----

# The library has no tables; these are made of what Python says about its characters, when a plan
# first asks (trawl._unicode), and stay.
cdef object character_tables = None
cdef const uint16_t *group_of = NULL  # of each code point below group_of_count; 0: it stands alone
cdef uint64_t group_of_count = 0
cdef const uint32_t *groups = NULL  # TRAWL_UTF8_VARIANTS_MAX each, zeros after; group 0 is none
cdef const uint8_t *word_bits = NULL  # of each code point
cdef uint64_t word_bits_count = 0
cdef trawl_utf8 characters
cdef object once = object()  # locked while something is made that all share


cdef uint32_t variants_of(void *context, uint32_t code, uint32_t *variants) noexcept nogil:
    cdef const uint32_t *group
    cdef uint32_t count = 0

    variants[0] = code
    if code >= group_of_count or group_of[code] == 0:
        return 1
    group = groups + <size_t>TRAWL_UTF8_VARIANTS_MAX * group_of[code]
    while count < TRAWL_UTF8_VARIANTS_MAX and group[count] != 0:
        variants[count] = group[count]
        count += 1
    return count


cdef flag is_word(void *context, uint32_t code) noexcept nogil:
    return code < word_bits_count and bit_at(word_bits, code)


cdef const trawl_utf8 *characters_wanted() except NULL:
    global character_tables, group_of, group_of_count, groups, word_bits, word_bits_count

    from trawl._unicode import tables

    with cython.critical_section(once):
        if character_tables is None:
            made = tables()
            group_of = <const uint16_t *>PyBytes_AS_STRING(made[0])
            group_of_count = len(made[0]) // sizeof(uint16_t)
            groups = <const uint32_t *>PyBytes_AS_STRING(made[1])
            word_bits = <const uint8_t *>PyBytes_AS_STRING(made[2])
            word_bits_count = 8 * <uint64_t>len(made[2])
            characters.variants = variants_of
            characters.is_word = is_word
            character_tables = made
    return &characters


# ---- Making ----

# In the order of the library's numbers.
METHODS = ("auto", "every", "grams", "sampled", "set", "buckets", "classes", "automaton")


@cython.internal
@cython.final
cdef class Patterns:
    """The patterns of a call, as the library takes them."""

    cdef tuple items
    cdef trawl_pattern *patterns
    cdef taken_buffer *views  # obj NULL: none
    cdef uint64_t count

    def __cinit__(self, tuple items):
        cdef Py_ssize_t bytes

        self.items = items
        self.patterns = <trawl_pattern *>calloc(len(items) + 1, sizeof(trawl_pattern))
        self.views = <taken_buffer *>calloc(len(items) + 1, sizeof(taken_buffer))
        if self.patterns == NULL or self.views == NULL:
            raise MemoryError()
        for item in items:
            if isinstance(item, str):
                self.patterns[self.count].bytes = PyUnicode_AsUTF8AndSize(item, &bytes)
            else:
                take_buffer(item, &self.views[self.count])
                self.patterns[self.count].bytes = self.views[self.count].buf
                bytes = self.views[self.count].len
            self.patterns[self.count].bytes_count = <uint64_t>bytes
            self.count += 1

    def __dealloc__(self):
        for i in range(self.count):
            PyBuffer_Release(&self.views[i])
        free(self.views)
        free(self.patterns)


@cython.final
cdef class Plan:
    """One or many patterns, compiled. It never changes: share it between threads freely.

    patterns: a str (as UTF-8) or bytes is one pattern; an iterable of these, an Arrow array of
    strings, or a path (os.PathLike) or a file object with a pattern in each line are many. Line
    ends are not part of a pattern, neither \\n nor \\r\\n, nor is a mark of UTF-8 at the file's begin.
    Occurrences may overlap, and each is reported under its pattern's index.
    values: an object for each pattern, in order; or patterns is a dict that has them.
    ignore_case: A-Z equal a-z.
    words: neither neighbour of an occurrence is a letter, a digit or _.
    lines: an occurrence is a whole line.
    unicode: case and words are those of all letters, not of ASCII alone.
    line_end: the byte that ends a line, here and for line numbers.
    method: how the text is looked at; 'auto' chooses. The others ('every', 'grams', 'sampled',
      'set', 'buckets', 'classes', 'automaton') are for comparisons.
    algorithm: the name of a published one, of algorithms(), that searches on the CPU.
    sample: bytes like those of texts to come, for the choice of the method.

    With errors (docs/approximate.md says what an occurrence is); results have a distance then:
    mismatches: an occurrence differs from its pattern in up to so many symbols, 0 to 31.
    edits: or up to so many symbols are inserted, deleted or replaced. Of ends that lie together the
      best one counts.
    alphabet: what the symbols are: 'bytes'; 'utf8', characters, as if all patterns are str and it
      is not given; 'dna', letters of either case, with IUPAC's for several bases: a pattern's N
      equals any. Results have a strand then.
    exact: a list of (begin, end): symbols, from 0 on, in which no pattern may have an error.
    every_end: of edits, every end counts.
    within_lines: no occurrence holds a line end.
    reverse_complement: of 'dna', the other strand is searched too: strand '-' instead of '+'.
    any_base: of 'dna', a text's letter for several bases, such as N, equals what one of them
      equals; otherwise what all of them equal.

    >>> plan = Plan(['he', 'she', 'hers'])
    >>> plan.count('ushers')
    3
    >>> len(plan), plan[1]
    (3, b'she')
    >>> Plan({'he': 'a pronoun', 'hers': 'another'}).values
    ('a pronoun', 'another')
    >>> Plan('An', ignore_case=True).count('BANAna')
    2
    >>> Plan('an', words=True).first('banana an')
    (7, 9, 0)
    >>> Plan('an', lines=True).count('an\\nban\\nan')
    2
    >>> Plan('\u00e9', ignore_case=True, unicode=True).count('\u00c9t\u00e9')
    2
    >>> Plan('b', lines=True, line_end=b'\\0').count(b'a\\0b\\0')
    1
    >>> Plan('an', sample=b'banana').count('banana'), Plan('an', method='every').count('banana')
    (2, 2)
    >>> list(Plan('kitten', edits=2).matches('a kiten sits'))
    [(2, 7, 0, 1)]
    >>> list(Plan('GATTACA', mismatches=1, alphabet='dna', reverse_complement=True,
    ...           exact=[(0, 2)]).matches(b'GATTTCA TGTATTC TGTAATT'))
    [(0, 7, 0, 1, '+'), (8, 15, 0, 1, '-')]
    """

    cdef trawl_plan *plan
    cdef bint has_characters
    cdef bint has_distances  # its occurrences have them
    cdef bint has_strands
    cdef readonly uint32_t mismatches
    cdef readonly uint32_t edits
    cdef readonly str alphabet  # 'bytes' of a plan without errors
    cdef readonly tuple values  # None: it has none
    cdef dict options  # of __cinit__, as pickle keeps them

    def __cinit__(self, patterns, *, values=None, bint ignore_case=False, bint words=False,
                  bint lines=False, line_end=b"\n", bint unicode=False, method="auto",
                  algorithm=None, sample=None, mismatches=0, edits=0, alphabet=None, exact=(),
                  bint every_end=False, bint within_lines=False, bint reverse_complement=False,
                  bint any_base=False):
        cdef trawl_facts facts

        if values is None and isinstance(patterns, dict):
            values = patterns.values()
        exact = tuple(exact)
        items = _sources.gather(patterns)
        errors = _sources.errors(items, mismatches, edits, alphabet, exact, TRAWL_ERRORS_MAX)
        if sample is not None:
            sample = bytes(memoryview(sample))
        self.build(items,
                   (TRAWL_IGNORE_CASE if ignore_case else 0)
                   | (TRAWL_WHOLE_WORD if words else 0) | (TRAWL_WHOLE_LINE if lines else 0)
                   | (TRAWL_EVERY_END if every_end else 0)
                   | (TRAWL_WITHIN_LINES if within_lines else 0)
                   | (TRAWL_REVERSE_COMPLEMENT if reverse_complement else 0)
                   | (TRAWL_ANY_BASE if any_base else 0),
                   line_end, method, algorithm, sample, unicode, errors)
        facts = trawl_plan_facts(self.plan)
        self.has_distances, self.has_strands = facts.has_errors, facts.alphabet == TRAWL_DNA
        self.mismatches, self.edits = facts.mismatches_max, facts.edits_max
        self.alphabet = _sources.ALPHABETS[facts.alphabet]
        if values is not None:
            self.values = tuple(values)
            if len(self.values) != len(self):
                raise ValueError(f"values: {len(self.values)} of them for {len(self)} patterns")
        self.options = dict(
            values=self.values, ignore_case=ignore_case, words=words, lines=lines,
            line_end=line_end, unicode=unicode, method=method, algorithm=algorithm, sample=sample,
            mismatches=mismatches, edits=edits, alphabet=_sources.ALPHABETS[errors[2]],
            exact=exact, every_end=every_end, within_lines=within_lines,
            reverse_complement=reverse_complement, any_base=any_base)

    def __dealloc__(self):
        trawl_plan_free(self.plan)

    cdef int build(self, tuple items, int flags, line_end, str method, algorithm, sample,
                   bint unicode, tuple errors) except -1:
        cdef Patterns list = Patterns(items)
        cdef const unsigned char[::1] bytes
        cdef const uint64_t[::1] exact
        cdef trawl_plan_options options
        cdef trawl_error error
        cdef int status

        if len(line_end) != 1:
            raise ValueError("line_end: one byte is needed")
        if method not in METHODS:
            raise ValueError(f"method: there is no '{method}'")
        memset(&options, 0, sizeof(options))
        options.size = sizeof(options)
        options.flags = flags
        options.method = <int>METHODS.index(method)
        options.line_end_set = 1
        options.line_end = line_end[0]
        if algorithm is not None:
            algorithm = algorithm.encode()
            options.algorithm = algorithm
        if sample is not None:
            bytes = memoryview(sample).cast("B")
            options.sample = &bytes[0] if len(bytes) > 0 else NULL
            options.sample_bytes = <uint64_t>len(bytes)
        self.has_characters = unicode
        if unicode:
            options.utf8 = characters_wanted()
        options.mismatches_max, options.edits_max, options.alphabet, exact = errors
        if len(exact) > 0:
            options.exact, options.exact_count = <const trawl_range *>&exact[0], len(exact) // 2
        with nogil:
            status = trawl_plan_build(list.patterns, list.count, &options, &self.plan, &error)
        check(status, &error)
        return 0

    def explain(self):
        """How the plan looks at a text, and why, in lines of `name: value`.

        >>> 'method: ' in Plan('pattern').explain()
        True
        """
        cdef trawl_error error
        cdef uint64_t needed = 0
        cdef int status = trawl_plan_explain(self.plan, NULL, 0, &needed, &error)
        cdef bytes text

        check(status, &error)
        text = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>needed + 1)
        status = trawl_plan_explain(self.plan, PyBytes_AS_STRING(text), needed, &needed, &error)
        check(status, &error)
        return text[:strlen(PyBytes_AS_STRING(text))].decode("utf-8", "replace")

    def __reduce__(self):
        return _sources.restore, (list(self), self.options)

    def __len__(self):
        return <Py_ssize_t>trawl_plan_facts(self.plan).pattern_count

    def __getitem__(self, key):
        cdef Py_ssize_t index = index_of(key, trawl_plan_facts(self.plan).pattern_count)
        cdef trawl_pattern pattern = trawl_plan_pattern(self.plan, <uint64_t>index)

        return object_of(pattern.bytes, pattern.bytes_count, False)

    def __iter__(self):
        return PySeqIter_New(self)

    def __repr__(self):
        return f"<trawl.Plan of {len(self)} patterns>"

    @property
    def ignore_case(self):
        """A-Z equal a-z."""
        return trawl_plan_facts(self.plan).flags & TRAWL_IGNORE_CASE != 0

    @property
    def whole_words(self):
        """Occurrences are whole words."""
        return trawl_plan_facts(self.plan).flags & TRAWL_WHOLE_WORD != 0

    @property
    def whole_lines(self):
        """Occurrences are whole lines."""
        return trawl_plan_facts(self.plan).flags & TRAWL_WHOLE_LINE != 0

    @property
    def unicode(self):
        """Case and words are those of all letters."""
        return self.has_characters

    @property
    def engines(self):
        """The engines that can run the plan."""
        cdef uint32_t engines = trawl_plan_facts(self.plan).engines

        return (("cpu",) if engines & 1u << TRAWL_ENGINE_CPU else ()) + (
            ("cuda",) if engines & 1u << TRAWL_ENGINE_CUDA else ())

    def count(self, text, *, progress=None):
        """How many occurrences the text holds, overlapping ones too."""
        return search(default(), self, text, progress, work_count).count

    def count_by_pattern(self, text, *, progress=None):
        """How many occurrences of each pattern the text holds: a Column, as long as the plan."""
        return default().count_by_pattern(self, text, progress=progress)

    def count_lines(self, text, *, invert=False, limit=None, progress=None):
        """How many lines an occurrence begins in; with invert, how many have none.
        limit: stop there."""
        return default().count_lines(self, text, invert=invert, limit=limit, progress=progress)

    def first(self, text, *, offsets="characters", progress=None):
        """The first occurrence as (begin, end, pattern), or None. Among those that begin at one
        place it is that of the least pattern index. Of a plan with errors its distance follows, and
        with 'dna' its strand.
        offsets: of a str they count its characters, so that text[begin:end] is what was found;
        with 'bytes' those of its UTF-8. Of all other texts they count bytes.

        >>> Plan('tea').first('caf\u00e9, tea')
        (6, 9, 0)
        """
        return default().first(self, text, offsets=offsets, progress=progress)

    def positions(self, text, *, offsets="characters", progress=None):
        """Where all occurrences begin, ascending: a Column of uint64. offsets: as of first()."""
        return default().positions(self, text, offsets=offsets, progress=progress)

    def positions_into(self, text, out, *, offsets="characters", progress=None):
        """Write where the first len(out) occurrences begin to an array of yours, and return how
        many there are in all. out: one dimension of 64-bit numbers with the buffer protocol, or on
        a device, with __cuda_array_interface__; for that the text is to be loaded (Searcher.load),
        and work on out that was submitted before is to be over. offsets: as of first()."""
        return default().positions_into(self, text, out, offsets=offsets, progress=progress)

    def matches(self, text, *, match="all", line_numbers=False, offsets="characters",
                progress=None):
        """All occurrences in order of (begin, pattern): Matches, which holds columns.
        match: with 'leftmost-longest' those that do not overlap: the longest of those that begin
        first (of plans with errors, of several that of the least distance), then the same after its
        end; with 'leftmost-first' that of the least pattern index.
        offsets: as of first()."""
        return default().matches(self, text, match=match, line_numbers=line_numbers,
                                 offsets=offsets, progress=progress)

    def iter(self, text, *, offsets="characters"):
        """Iterate over all occurrences as (index of the last character, value), in order of these,
        the longest first. A plan without values has the patterns' indices.

        >>> list(Plan({'he': 1, 'she': 2, 'hers': 3}).iter('ushers'))
        [(3, 2), (3, 1), (5, 3)]
        """
        return default().iter(self, text, offsets=offsets)

    def replace(self, text, values=None, *, match="leftmost-longest", progress=None):
        """A str, bytes or column with values in the place of occurrences that do not overlap.
        values: one str or bytes, or one for each pattern; None: the plan's.
        match: as of matches(). Of a list it makes a list, of other columns an Array; of a column of
        views, as polars has, one of views, which shares the memory of strings that stay as they are.

        >>> Plan(['cat', 'cattle']).replace('a cat, cattle', ['dog', 'cows'])
        'a dog, cows'
        """
        return default().replace(self, text, values, match=match, progress=progress)

    def mask(self, text, mask="*", *, match="leftmost-longest", progress=None):
        """The same with a character in the place of each character of theirs; of bytes, of each
        byte.

        >>> Plan('secret').mask('a secret')
        'a ******'
        """
        return default().mask(self, text, mask, match=match, progress=progress)

    def split(self, text, *, match="leftmost-longest", progress=None):
        """What lies between these occurrences: a list of str or bytes; of a column a list of
        lists.

        >>> Plan([', ', '; ']).split('tea, milk; bread')
        ['tea', 'milk', 'bread']
        """
        return default().split(self, text, match=match, progress=progress)

    def batches(self, text, *, line_numbers=False, offsets="characters"):
        """Iterate over the occurrences in batches, each a Matches, while the text is searched.
        Batches without an occurrence are left out. offsets: as of first()."""
        return default().batches(self, text, line_numbers=line_numbers, offsets=offsets)

    def lines(self, text, *, offsets="characters", progress=None):
        """The lines in which an occurrence begins: Lines, each with its number and its begin, and,
        of a plan with errors, the least distance of these occurrences. offsets: as of first()."""
        return default().lines(self, text, offsets=offsets, progress=progress)

    def line_batches(self, text, *, offsets="characters"):
        """Iterate over these lines in batches, each a Lines, while the text is searched."""
        return line_batches(default(), self, text, True, offsets)

    def contains(self, column, *, progress=None):
        """Of each record: does any pattern occur in it? An Array of bool."""
        return search_column(default(), self, column, progress, CONTAINS)

    def which(self, column, *, answer="index", progress=None):
        """Of each record the least index of the patterns that occur, null if none does: an Array of
        int64. answer: with 'pattern' or 'value' a list of that pattern's text, or value."""
        return default().which(self, column, answer=answer, progress=progress)

    def pattern_counts(self, column, *, progress=None):
        """Of each record: how many patterns occur in it? An Array of uint64."""
        return search_column(default(), self, column, progress, COUNTS)

    def pattern_lists(self, column, *, progress=None):
        """Of each record the indices of the patterns that occur: an Array of lists."""
        return search_column(default(), self, column, progress, LISTS)

    def cells(self, column, *, progress=None):
        """All pairs of a record and a pattern that occurs in it, and where it first begins there:
        Cells."""
        return search_column(default(), self, column, progress, CELLS)

    def record_counts(self, column, *, progress=None):
        """Of each pattern: in how many records does it occur? A Column."""
        return search_column(default(), self, column, progress, PATTERNS)
