# plan: the type Plan, which owns the compiled patterns, and the table of word characters beyond ASCII. Uses
# memory.pxi, columns.pxi, searcher.pxi, search.pxi, lines.pxi, records.pxi and spans.pxi.

# The first plan that needs the table of word characters builds it, with the word characters of Python's re
# (trawl._unicode). The table is kept until the process ends.
cdef object word_table = None
cdef const uint8_t *word_bits = NULL  # bit c: is code point c a letter, a digit or _
cdef uint64_t word_bits_count = 0
cdef trawl_letters characters
cdef object once = object()  # locked while the table or the default searcher is made


cdef flag is_word(void *context, uint32_t code) noexcept nogil:
    return code < word_bits_count and bit_at(word_bits, code)


characters.size = sizeof(trawl_letters)


cdef const trawl_letters *characters_wanted(bint words) except NULL:
    global word_table, word_bits, word_bits_count

    from trawl._unicode import words as words_made

    characters.variants, characters.is_word = trawl_unicode().variants, is_word
    with cython.critical_section(once):
        if words and word_table is None:
            word_table = words_made()
            word_bits_count = 8 * <uint64_t>len(word_table)
            word_bits = <const uint8_t *>PyBytes_AS_STRING(word_table)
    return &characters


cdef extern from *:
    """
    #define METHOD_NAME(name, number, text) text,
    static const char *const method_names[] = {TRAWL_METHOD_LIST(METHOD_NAME)};
    """
    const char *method_names[TRAWL_METHODS_COUNT]


# METHODS[i] is the name of method number i of enum trawl_method.
METHODS = tuple([method_names[i] for i in range(TRAWL_METHODS_COUNT)])
FLAGS = (
    ("ignore_case", TRAWL_IGNORE_CASE), ("whole_words", TRAWL_WHOLE_WORD),
    ("whole_lines", TRAWL_WHOLE_LINE), ("every_end", TRAWL_EVERY_END),
    ("within_lines", TRAWL_WITHIN_LINES), ("any_base", TRAWL_ANY_BASE),
    ("reverse_complement", TRAWL_REVERSE_COMPLEMENT), ("pcre", TRAWL_PCRE),
    ("multiline", TRAWL_MULTILINE),
)


@cython.internal
@cython.final
cdef class Patterns:
    """A plan's patterns as an array of struct trawl_pattern, which borrows the items' bytes."""

    cdef tuple items
    cdef trawl_pattern *patterns
    cdef taken_buffer *views  # a buffer per pattern; obj is NULL for a str
    cdef uint64_t count
    cdef object fault

    def __cinit__(self, tuple items):
        cdef Py_ssize_t bytes

        self.items = items
        self.patterns = <trawl_pattern *>calloc(len(items) + 1, sizeof(trawl_pattern))
        self.views = <taken_buffer *>calloc(len(items) + 1, sizeof(taken_buffer))
        if self.patterns == NULL or self.views == NULL:
            raise MemoryError()
        for item in items:
            if isinstance(item, str):
                try:
                    self.patterns[self.count].bytes = PyUnicode_AsUTF8AndSize(item, &bytes)
                except UnicodeEncodeError as fault:
                    fault.reason += f", in pattern {self.count}"
                    raise
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


# While expressions are compiled: when the caller's thread last checked for signals, and what a signal handler raised.
cdef struct build_watch:
    uint64_t looked_ms
    void *patterns  # the Patterns, which keep the exception


cdef int poll_build(void *context) noexcept nogil:
    """Check for signals while expressions are compiled, in the main thread. Not 0: a handler has raised an exception."""
    cdef build_watch *watch = <build_watch *>context
    cdef uint64_t now_ms = now_ns(CLOCK_MONOTONIC_COARSE) // 1000000

    if now_ms - watch.looked_ms < LOOK_MS or gettid() != getpid():
        return 0
    watch.looked_ms = now_ms
    return look_for_signals(watch)


cdef int look_for_signals(build_watch *watch) noexcept with gil:
    try:
        PyErr_CheckSignals()
    except BaseException as fault:
        (<Patterns>watch.patterns).fault = fault
        return 1
    return 0


@cython.final
cdef class Plan:
    """Plan(patterns, *, values=None, ignore_case=False, whole_words=False, whole_lines=False,
         line_end=b'\\n', method='auto', algorithm=None, sample=None, mismatches=0, edits=0,
         alphabet=None, exact=(), every_end=False, within_lines=False, reverse_complement=False,
         any_base=False, regex=False, unicode=False, pcre=False, multiline=False)\n--\n
    One or many patterns, compiled. A plan never changes, so threads may share a plan freely.

    patterns: a str (as UTF-8) or a bytes object is one pattern. Many patterns are an iterable of
      strings, all str or all bytes, an Arrow array of strings, or a path (os.PathLike) or file object with one pattern a
      line. The line ends \\n and \\r\\n, and a UTF-8 byte order mark at the file's start, are not
      part of a pattern. Occurrences may overlap. Each has the index of its pattern.
    values: an object for each pattern, in order. For a dict of patterns, the default is the dict's
      values.
    ignore_case: letters that differ only in case are equal: by Unicode's simple case folding if all
      patterns are str or UTF-8 strings of Arrow or of a file; if all are bytes, A-Z equal a-z. 'unicode'
      or 'ascii' decides explicitly.
    whole_words: neither neighbour of an occurrence is a letter, a digit or _, of the same alphabet as
      with ignore_case.
    whole_lines: an occurrence is a whole line.
    line_end: the byte that ends a line, for whole_lines and for line numbers.
    method: how the text is searched. 'auto' chooses; the other names of `trawl --method` are for
      comparison.
    algorithm: the name of a published algorithm (see algorithms()), which searches on the CPU.
    sample: typical bytes of the texts; the choice of the method uses their frequencies.
    regex: the patterns are regular expressions, see docs/regex.md: True or 'perl' (RE2's syntax),
      'extended' or 'basic' (those of grep -E and grep). An occurrence is within a line and has at
      least one byte; occurrences of the same expression do not overlap. ignore_case as above.
      Lines and records in which an expression matches only zero bytes are selected, too.
      alphabet says what a character is: 'utf8' (the default if all patterns are str) or 'bytes'.
    unicode: in expressions, \\w, \\d, \\s and \\b mean Unicode's letters, digits, spaces and words instead
      of ASCII's, and the syntax is ripgrep's.
    pcre: PCRE2 searches for expressions that RE2's syntax lacks, such as look-around and backreferences. It cannot
      ignore the case of ASCII letters alone ('ascii'): where that matters, the expression is rejected.
    multiline: an occurrence of an expression may cross lines, of a text in memory or of a record;
      ^ and $ match in each line. Write (?s) to let . match a newline, too.

    The options below allow errors, and then each result has a distance. docs/approximate.md defines an
    occurrence with errors.

    mismatches: up to this many symbols of an occurrence, 0 to 31, differ from the pattern.
    edits: up to this many symbols, 0 to 31 and fewer than any pattern has, are inserted, deleted or
      replaced. Of neighbouring ends, only the best is reported.
    alphabet: what a symbol is: 'bytes', 'utf8' (a character; the default if all patterns are str)
      or 'dna' (a base in either case, U as T, and the IUPAC letters; a pattern's N equals any base).
      Results with 'dna' also have a strand.
    exact: a list of (begin, end), 0-based symbol offsets between which no pattern may have an error. No
      range may extend beyond the longest pattern; in a shorter one, it ends with the pattern.
    every_end: with edits, every end is reported.
    within_lines: no occurrence contains a line end.
    reverse_complement: with 'dna', the other strand is searched too; its results have strand '-'.
    any_base: with 'dna', an ambiguous letter of the text, such as N, equals a pattern's letter if
      one of its bases does. Without any_base, all of them must.

    >>> plan = Plan(['he', 'she', 'hers'])
    >>> plan.count('ushers')
    3
    >>> len(plan), plan[1]
    (3, 'she')
    >>> Plan({'he': 'a pronoun', 'hers': 'another'}).values
    ('a pronoun', 'another')
    >>> Plan('An', ignore_case=True).count('BANAna')
    2
    >>> Plan('an', whole_words=True).first('banana an')
    (7, 9, 0)
    >>> Plan('an', whole_lines=True).count('an\\nban\\nan')
    2
    >>> Plan('\u00e9', ignore_case=True).count('\u00c9t\u00e9')
    2
    >>> Plan('b', whole_lines=True, line_end=b'\\0').count(b'a\\0b\\0')
    1
    >>> Plan('an', sample=b'banana').count('banana'), Plan('an', method='every').count('banana')
    (2, 2)
    >>> list(Plan('kitten', edits=2).matches('a kiten sits'))
    [(2, 7, 0, 1)]
    >>> list(Plan('GATTACA', mismatches=1, alphabet='dna', reverse_complement=True,
    ...           exact=[(0, 2)]).matches(b'GATTTCA TGTATTC TGTAATT'))
    [(0, 7, 0, 1, '+'), (8, 15, 0, 1, '-')]
    >>> Plan(r'(\\w+)@(\\w+)', regex=True).replace('me@home', '$2: $1')
    'home: me'
    """

    cdef trawl_plan *plan
    cdef bint has_characters
    cdef bint has_distances  # occurrences have a distance
    cdef bint has_strands
    cdef bint is_alone  # occurrences in a record may depend on bytes next to the record
    cdef bint is_plain  # strings, or one expression, without errors: the library chooses occurrences that do not overlap
    cdef bint is_brief  # every search of a short text is fast: no errors are allowed, and PCRE2 is not used
    cdef bint by_lines  # the patterns are expressions, and no occurrence crosses a line
    cdef bint by_matches  # an expression whose occurrences in a line are its successive matches
    cdef int byte_unused  # what separator() returns; -2 before the first call
    cdef bint firsts_known
    cdef Plan firsts  # if firsts_known: what plan_for() returns for "leftmost-first"; None: the plan itself
    cdef bint first_is_longest  # leftmost-first occurrences are the leftmost-longest ones
    cdef readonly uint32_t mismatches
    cdef readonly uint32_t edits
    cdef readonly str alphabet  # 'bytes' for strings without errors, even if 'utf8' was given
    cdef readonly str regex  # the syntax of expressions; None: the patterns are strings
    cdef readonly tuple values  # None: the plan has no values
    cdef bytes kinds  # byte i: whether pattern i was a str. Empty if all are bytes
    cdef list groups_known  # what facts() returns; None before the first call
    cdef object layout  # the Layout of groups(); None before the first call
    cdef frozenset known  # the patterns, for `in`; None before the first `in`
    cdef dict options  # keyword arguments that make an equal plan; pickle stores them

    def __cinit__(self, *given, **named):
        cdef trawl_plan_told facts

        items, self.options = _sources.Plan(*given, **named)
        self.kinds = _sources.str_flags(items)
        self.values, self.regex = self.options["values"], self.options["regex"]
        self.build(items)
        facts = told_plan(self.plan, 0)
        self.has_distances, self.has_strands = facts.has_errors, facts.alphabet == TRAWL_DNA
        self.mismatches, self.edits = facts.mismatches_max, facts.edits_max
        self.alphabet = _sources.ALPHABETS[facts.alphabet]
        if self.regex is not None:
            self.alphabet = self.options["alphabet"]
        self.is_alone = (facts.flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE) != 0 or self.edits > 0
                         or self.alphabet == "utf8" or self.regex is not None)
        self.is_plain = not self.has_distances and (self.regex is None or facts.pattern_count == 1)
        self.is_brief = not self.has_distances and not self.options["pcre"]
        self.by_lines = self.regex is not None and not self.options["multiline"]
        self.by_matches = (self.regex is not None and self.regex == "perl" and self.by_lines and self.is_plain and self.is_brief
                           and not self.options["whole_words"] and not self.options["whole_lines"])
        self.byte_unused = -2

    def __dealloc__(self):
        trawl_plan_free(self.plan)

    cdef int build(self, tuple items) except -1:
        cdef Patterns list = Patterns(items)
        cdef dict given = self.options
        cdef const uint64_t[::1] exact = array("Q", itertools.chain(*given["exact"]))
        cdef trawl_plan_options options
        cdef build_watch watch
        cdef trawl_error error
        cdef bytes sample = given["sample"], algorithm = None
        cdef int status

        memset(&options, 0, sizeof(options))
        options.size = sizeof(options)
        for name, flag in FLAGS:
            options.flags |= <uint32_t>flag if given[name] else 0
        options.method = <int>METHODS.index(_sources.choice("method", given["method"], METHODS))
        options.line_ends.count, options.line_ends.bytes[0] = 1, given["line_end"][0]
        if given["algorithm"] is not None:
            algorithm = given["algorithm"].encode()
            options.algorithm = algorithm
        if sample is not None:
            options.sample, options.sample_bytes = <const char *>sample, <uint64_t>len(sample)
        self.has_characters = given["unicode"] or "unicode" in (given["ignore_case"], given["whole_words"])
        if given["unicode"]:
            options.letters = trawl_unicode()  # words are what \w finds
        elif self.has_characters:
            options.letters = characters_wanted(given["whole_words"])
        elif self.regex is None or "ascii" in (given["ignore_case"], given["whole_words"]):
            options.letters = trawl_ascii()
        options.mismatches_max, options.edits_max = given["mismatches"], given["edits"]
        options.alphabet = _sources.ALPHABETS.index(given["alphabet"])
        if (options.alphabet == TRAWL_CHARACTERS and self.regex is None
                and options.mismatches_max == options.edits_max == 0):
            options.alphabet = TRAWL_BYTES  # in a plan without errors, a str is found by its bytes
        if len(exact) > 0:
            options.exact, options.exact_count = <const trawl_range *>&exact[0], len(exact) // 2
        options.syntax = TRAWL_RIPGREP if given["unicode"] else <int>_sources.SYNTAXES.index(self.regex)
        watch.looked_ms, watch.patterns = 0, <void *>list
        options.poll, options.poll_context = poll_build, &watch
        with nogil:
            status = trawl_plan_build(list.patterns, list.count, &options, &self.plan, &error)
        if list.fault is not None:
            raise list.fault
        try:
            return check(status, &error)
        except _errors.Error as fault:
            if self.regex is not None:
                _errors.name_expression(fault, items)
            raise

    cdef list facts(self):
        """Return for each pattern how many groups it has, and {name: number} of the groups with a name."""
        cdef uint64_t count = told_plan(self.plan, 0).pattern_count, number, i

        if self.groups_known is None:
            made = [(0, {})] * (0 if self.regex is not None else count)
            for i in range(count if self.regex is not None else 0):
                named = {}
                for name in _groups.names_in(self.encoded(i)):
                    number = group_number(self.plan, i, name)
                    if number != UNKNOWN:
                        named[name.decode()] = number
                made.append((told_plan(self.plan, i).group_count, named))
            self.groups_known = made
        return self.groups_known

    cdef int separator(self) except? -1:
        """Return a byte that no occurrence of a string contains; -1 if there is none."""
        cdef uint8_t used[256]
        cdef trawl_pattern pattern
        cdef uint64_t i, k

        if self.byte_unused == -2:
            memset(used, 0, sizeof(used))
            for i in range(told_plan(self.plan, 0).pattern_count):
                pattern = told_plan(self.plan, i).pattern
                for k in range(pattern.bytes_count):
                    used[(<const uint8_t *>pattern.bytes)[k]] = 1
            # Letters, and bytes beyond ASCII other than 0xff, may be a pattern's letter in the other case.
            self.byte_unused = next((i for i in (*range(0x41), 0xff) if not used[i]), -1)
        return self.byte_unused

    cdef int find_firsts(self) except -1:
        cdef Plan made = self

        if (self.regex is None and not self.has_distances and not self.is_alone and len(self) > 1
                and self.options["ignore_case"] != "unicode"):
            items = _sources.without_later(self._encoded(), bool(self.options["ignore_case"]))
            if items is not None:
                self.firsts = made = Plan(items, **self.options)
            made.first_is_longest = True
        self.firsts_known = True
        return 0

    @property
    def group_names(self):
        """The names, or the numbers as a str, of the groups that the expressions have: see groups()."""
        return _groups.labels(self.facts())

    def explain(self):
        """Say how the plan searches a text, and why, in lines of `name: value`.

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
        return _sources.stored(self._encoded(), self.kinds, self.options)

    def __copy__(self):
        return self

    def __dir__(self):
        return _sources.own_names(self)

    def __eq__(self, other):
        if type(other) is not Plan:
            return NotImplemented
        return self is other or (self.options == (<Plan>other).options and self._encoded() == other._encoded())

    def __hash__(self):
        return hash((len(self), self.encoded(0) if len(self) > 0 else b"", self.options["ignore_case"]))

    def __contains__(self, pattern):
        """Return True if a str (as UTF-8) or bytes object is one of the patterns."""
        if self.known is None:
            self.known = frozenset(self._encoded())
        if isinstance(pattern, str):
            return pattern.encode() in self.known
        if not PyObject_CheckBuffer(pattern):
            raise TypeError(f"in: str or bytes is needed, not {pattern!r:.80}")
        return bytes(_sources.bytes_view(pattern)) in self.known

    def __len__(self):
        return <Py_ssize_t>told_plan(self.plan, 0).pattern_count

    cdef bytes encoded(self, Py_ssize_t index):
        cdef trawl_pattern pattern = told_plan(self.plan, <uint64_t>index).pattern

        return object_of(pattern.bytes, pattern.bytes_count, False)

    def _encoded(self):
        """Return the patterns as bytes."""
        return [self.encoded(i) for i in range(len(self))]

    def __getitem__(self, key):
        cdef Py_ssize_t index = index_of(key, told_plan(self.plan, 0).pattern_count)

        pattern = self.encoded(index)
        return pattern.decode() if self.kinds and self.kinds[index] else pattern

    def __iter__(self):
        return PySeqIter_New(self)

    def __repr__(self):
        return _sources.show_plan(len(self), [self.encoded(i) for i in range(min(len(self), 3))], self.options)

    @property
    def ignore_case(self):
        """True if letters that differ only in case are equal."""
        return told_plan(self.plan, 0).flags & TRAWL_IGNORE_CASE != 0

    @property
    def whole_words(self):
        """True if an occurrence must be a whole word."""
        return told_plan(self.plan, 0).flags & TRAWL_WHOLE_WORD != 0

    @property
    def whole_lines(self):
        """True if an occurrence must be a whole line."""
        return told_plan(self.plan, 0).flags & TRAWL_WHOLE_LINE != 0

    @property
    def unicode(self):
        """True if case and words are defined for all Unicode letters."""
        return self.has_characters

    @property
    def engines(self):
        """The engines that can run the plan."""
        cdef uint32_t engines = told_plan(self.plan, 0).engines

        return (("cpu",) if engines & 1u << TRAWL_ENGINE_CPU else ()) + (
            ("cuda",) if engines & 1u << TRAWL_ENGINE_CUDA else ())

    def count(self, text, *, progress=None):
        """Count the occurrences in a text; overlapping occurrences count too."""
        cdef answer found

        if progress is None and search_bytes(self, text, &found, False):
            return found.count
        return search(default(), self, text, None, progress, work_count).count

    def count_by_pattern(self, text, *, answer="index", progress=None):
        """Count the occurrences of each pattern: a Column with one number per pattern. answer: 'pattern' or 'value'
        returns a dict of the patterns' texts or values, and their numbers; those of equal values are added up.

        >>> Plan({r'ab+': 'letters', r'[0-9]+': 'digits'}, regex=True).count_by_pattern('abb 1 22', answer='value')
        {'letters': 1, 'digits': 2}
        """
        return default().count_by_pattern(self, text, answer=answer, progress=progress)

    def count_lines(self, text, *, invert=False, limit=None, progress=None):
        """Count the lines in which an occurrence begins; invert: the lines in which none begins.
        limit: stop after this many lines."""
        return default().count_lines(self, text, invert=invert, limit=limit, progress=progress)

    def first(self, text, *, offsets=None, progress=None):
        """Return the first occurrence as (begin, end, pattern), or None. If several occurrences begin
        at the same offset, the lowest pattern index wins. A plan with errors appends the distance,
        and the alphabet 'dna' the strand.
        offsets: 'characters' counts UTF-8 characters, 'bytes' counts bytes. The default counts
        characters in a str and in a file opened as text, so that text[begin:end] is the occurrence,
        and bytes in any other text. To count characters, a file is read into memory first.

        >>> Plan('tea').first('caf\u00e9, tea')
        (6, 9, 0)
        """
        cdef answer found

        if progress is None and offsets is None and search_bytes(self, text, &found, True):
            return ((found.match.begin, found.match.end, found.match.pattern_index) if found.found else None)
        return default().first(self, text, offsets=offsets, progress=progress)

    def positions(self, text, *, offsets=None, progress=None):
        """Find where all occurrences begin: an ascending Column; for a text on a GPU, a DeviceArray of
        int64. offsets: see first()."""
        return default().positions(self, text, offsets=offsets, progress=progress)

    def matches(self, text, *, match="all", line_numbers=False, value=False, offsets=None, progress=None):
        """Find all occurrences, ordered by (begin, pattern): a Matches, which consists of columns.
        match: 'all' also reports overlapping occurrences. 'leftmost-longest' reports occurrences that
        do not overlap: the search takes the longest occurrence at the first begin (with errors, the
        one with the smallest distance among equal lengths), and continues after its end. 'leftmost-first'
        takes the one with the lowest pattern index instead.
        value: also return the text of each occurrence; a stream, which cannot be read twice, has
        none.
        offsets: see first()."""
        return default().matches(self, text, match=match, line_numbers=line_numbers, value=value,
                                 offsets=offsets, progress=progress)

    def find_all(self, text, *, match="all", answer="index", offsets=None):
        """Return all occurrences as a list of tuples, see matches(): the fastest call for short texts.
        answer: 'pattern' or 'value' puts the pattern's text or value in place of its index.

        >>> Plan(['he', 'she', 'hers']).find_all('ushers')
        [(1, 4, 1), (2, 4, 0), (2, 6, 2)]
        >>> Plan({'he': 'pronoun', 'hers': 'possessive'}).find_all('ushers', answer='value')
        [(2, 4, 'pronoun'), (2, 6, 'possessive')]
        """
        return as_found(self, find_all(default(), self, text, match, offsets), answer)

    def finditer(self, text, *, match="all"):
        """Iterate over the occurrences in a text that fits into memory, each a Match, which has the groups of an
        expression as re.Match has them. Offsets in a str count characters, in other texts bytes. match: see matches().

        >>> [m['key'] for m in Plan(r'(?P<key>\\w+)=(\\d+)', regex=True).finditer('a=1, b=x, c=22')]
        ['a', 'c']
        """
        return find_matches(default(), self, text, match)

    def excerpts(self, text, before=80, after=None, *, match="leftmost-longest"):
        """Iterate over the occurrences with what is around them, each an Excerpt (begin, end, text, matches).

        An excerpt begins up to `before` characters (of a str; otherwise bytes) before an occurrence, ends up to `after`
        (None: as many) after it, and does not leave the occurrence's lines. Occurrences whose excerpts overlap share
        one. matches: its occurrences, as finditer() returns them. text, match: see finditer().

        >>> [one.text for one in Plan("fox").excerpts("the quick brown fox jumps; no fox, two foxes", 4)]
        ['own fox jum', ' no fox, two foxes']
        """
        return _excerpts.excerpts(find_matches(default(), self, text, match), line_end_of(self), before, after)

    def groups(self, column, *, progress=None):
        """Extract groups of expressions: an Array of structs with a field for each group, under its name or else its
        number. A text has a struct for each occurrence. A column has a struct for each record, from its first
        occurrence, like extract_groups() of polars; the fields are null if no expression occurs. For a column on a GPU,
        a dict of a DeviceStrings for each group.

        >>> Plan(r'(\\w+)=(?P<value>\\d+)?', regex=True).groups(['a=1, b=2', 'c=', 'd', None]).tolist()
        [{'1': 'a', 'value': '1'}, {'1': 'c', 'value': None}, {'1': None, 'value': None}, None]
        """
        return groups_of(default(), self, column, progress)

    def group_lists(self, column, *, match="all", progress=None):
        """Extract the groups of all occurrences in each record: an Array of lists of structs, see groups().

        >>> Plan(r'(\\w+)=(?P<value>\\d+)?', regex=True).group_lists(['a=1, b=2', 'd']).tolist()
        [[{'1': 'a', 'value': '1'}, {'1': 'b', 'value': '2'}], []]
        """
        return default().group_lists(self, column, match=match, progress=progress)

    def scan(self, text, *, offsets=None):
        """Iterate over the occurrences, as matches() returns them, while the text is read. The text may
        be a pipe, or an object whose read() returns the next part.

        >>> import io
        >>> next(Plan('tea').scan(io.BytesIO(b'no tea')))
        (3, 6, 0)
        """
        return default().scan(self, text, offsets=offsets)

    def iter(self, text, *, offsets=None):
        """Iterate over all occurrences as (index of the last character, value), ordered by that index, the longest
        occurrence first. Without values, a pattern's value is its index.

        >>> list(Plan({'he': 1, 'she': 2, 'hers': 3}).iter('ushers'))
        [(3, 2), (3, 1), (5, 3)]
        """
        return default().iter(self, text, offsets=offsets)

    def replace(self, text, values=None, *, match="leftmost-longest", progress=None):
        """Copy a str, bytes or column, with values in place of occurrences that do not overlap.
        values: one str or bytes, a sequence with one per pattern, a dict of patterns and values, or a
        function, called with each occurring string and the pattern's index; None: the plan's values.
        match: see matches(). A list yields a list, a column on a GPU a DeviceStrings, any other column
        an Array. A column of string views, as in polars, yields views that share the memory of
        unchanged strings.
        In the values of expressions, $1, ${1}, $name and ${name} are groups of the occurrence, $0 is
        the whole occurrence, and $$ is a $.

        >>> Plan(['cat', 'cattle']).replace('a cat, cattle', ['dog', 'cows'])
        'a dog, cows'
        >>> Plan('cat', ignore_case=True).replace('Cat, cat', lambda found, pattern: found[::-1])
        'taC, tac'
        """
        return replace(default(), self, text, values, match, progress)

    def replace_file(self, text, path, values=None, *, match="leftmost-longest", progress=None):
        """Write a text of any kind, for example a path, to the file `path`, with values in place of
        occurrences, see replace(). Return the number of replaced occurrences. Text and result are
        bytes and may be larger than the memory. The file appears under its name when it is complete;
        after an error, an older file of that name is as before. `path` may be the text itself.

        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, 'file')
        ...     Plan('cat').replace_file(b'a cat', path, 'dog'), path.read_bytes()
        (1, b'a dog')
        """
        return default().replace_file(self, text, path, values, match=match, progress=progress)

    def mask(self, text, mask="*", *, match="leftmost-longest", progress=None):
        """Copy a str, bytes or column, with `mask` in place of each character (of bytes: each byte)
        of an occurrence. match: see matches().

        >>> Plan('secret').mask('a secret')
        'a ******'
        """
        return masked(default(), self, text, mask, match, progress)

    def split(self, text, *, match="leftmost-longest", answer="list", progress=None):
        """Split a text at occurrences that do not overlap: a list of str or bytes. A column yields a
        list of lists, or with answer='array' an Array of lists of strings, which is made several
        times as fast, but not for a column that is a list. A column on a GPU yields a DeviceStrings.
        match: see matches().

        >>> Plan([', ', '; ']).split('tea, milk; bread')
        ['tea', 'milk', 'bread']
        """
        return split(default(), self, text, match, answer, progress)

    def batches(self, text, *, match="all", line_numbers=False, value=False, offsets=None):
        """Iterate over the occurrences in batches, each a Matches, while the text is searched.
        Batches without an occurrence are skipped. match, value: see matches(). offsets: see first()."""
        return default().batches(self, text, match=match, line_numbers=line_numbers, value=value, offsets=offsets)

    def lines(self, text, *, offsets=None, progress=None):
        """Find the lines in which an occurrence begins: a Lines, with each line's number, begin and
        bytes, and for a plan with errors the smallest distance. offsets: see first()."""
        return default().lines(self, text, offsets=offsets, progress=progress)

    def line_batches(self, text, *, offsets=None):
        """Iterate over the lines in which an occurrence begins, in batches, each a Lines, while the
        text is searched. offsets: see first()."""
        return line_batches(default(), self, text, True, offsets)

    def contains(self, column, *, out=None, bits=False, progress=None):
        """Return for each record whether any pattern occurs: an Array of bool. For a column on a GPU: a DeviceArray, in
        which a null record is False; bits: a bitmap with nulls, for Arrow; out: the caller's array is filled and returned."""
        return contains(default(), self, column, out, bits, progress)

    def which(self, column, *, answer="index", progress=None):
        """Find for each record the lowest index of the patterns that occur, or null: an Array of
        int64. answer: 'pattern' or 'value' returns a list of the patterns' texts or values."""
        return default().which(self, column, answer=answer, progress=progress)

    def pattern_counts(self, column, *, progress=None):
        """Count for each record the patterns that occur: an Array of uint64."""
        return search_column(default(), self, column, progress, COUNTS)

    def pattern_lists(self, column, *, answer="index", progress=None):
        """Find for each record the indices of the patterns that occur: an Array of lists. answer: see which()."""
        return default().pattern_lists(self, column, answer=answer, progress=progress)

    def cells(self, column, *, offsets=None, progress=None):
        """Find all pairs of a record and a pattern that the record contains, with the pattern's first
        begin in the record: a Cells; for a column on a GPU, two DeviceArrays, records and patterns.
        offsets: see match_lists()."""
        return default().cells(self, column, offsets=offsets, progress=progress)

    def match_counts(self, column, *, match="all", out=None, progress=None):
        """Count the occurrences in each record: an Array of uint64; for a column on a GPU, a
        DeviceArray of int32. match: see matches(). out: see contains()."""
        return default().match_counts(self, column, match=match, out=out, progress=progress)

    def match_lists(self, column, *, match="all", value=False, first=False, offsets=None, progress=None):
        """Find the occurrences in each record: an Array of lists of (begin, end, pattern), with the
        further fields of matches(). first: an Array of structs, each record's first occurrence or null.
        offsets: 'characters' or 'bytes'; the default counts characters in a column of strings and in a
        list of str, and bytes in other columns. For a column on a GPU, a DeviceMatches: offsets count
        bytes, so a column of strings needs offsets='bytes'.

        >>> Plan(['tea', 'eat']).match_lists(['café teat', None], value=True).tolist()
        [[(5, 8, 0, 'tea'), (6, 9, 1, 'eat')], None]
        """
        return default().match_lists(
            self, column, match=match, value=value, first=first, offsets=offsets, progress=progress)

    def record_counts(self, column, *, answer="index", progress=None):
        """Count for each pattern the records that contain it: a Column. answer: 'pattern' or 'value' returns a dict of
        the patterns' texts or values; of equal values, the numbers are added up."""
        return default().record_counts(self, column, answer=answer, progress=progress)


cdef Plan plan_for(Plan plan, object match):
    """Return the plan that finds the occurrences that `match` selects. For leftmost-first occurrences of strings, it lacks
    strings that have a prefix earlier in the list, which are never chosen. Of the others that begin at the same place, the
    first in the list is the longest, and the library finds the longest without listing all occurrences."""
    if match == "leftmost-first" and not plan.firsts_known:
        plan.find_firsts()
    return plan if match != "leftmost-first" or plan.firsts is None else plan.firsts
