# spans: finds occurrences that do not overlap ("spans"), and rewrites the text at the spans: replace(), mask() and
# split(), of texts and of columns. Uses memory.pxi, columns.pxi, plan.pxi, searcher.pxi, search.pxi, records.pxi and
# views.pxi.

cdef enum:
    DROPPED_MAX = 1 << 16  # a copy of a piece of the tape takes about as long as listing this many occurrences

# The spans found so far. Offsets are offsets in the text or, in a search of records, in the tape: the
# concatenated bytes of the chunk's records.
cdef struct spans_state:
    bint overlap  # take every occurrence, even those that overlap
    bint longest  # true: leftmost-longest; false: leftmost-first
    # true: the spans are chosen here, among all occurrences, not by the library. With errors the library prefers different
    # occurrences, and those of a single expression never overlap.
    bint all
    # Records are copied and searched as one text, in which the byte line_end follows each record. No occurrence contains
    # that byte, so the library may choose the spans.
    bint by_lines
    uint8_t line_end
    # strings: search by_lines once many occurrences were dropped, because there may be far more of them than spans
    bint may_copy
    uint64_t dropped  # the number of dropped occurrences
    bint first_only  # a line's first occurrence suffices
    bint one_by_one  # read each record by itself (work_each)
    uint64_t places_max  # one_by_one: entries of `places` for each span: its own and its groups'
    column places
    bint alone  # search each record by itself, because occurrences depend on the record's ends
    const trawl_record_array *records  # NULL: the search is of a text
    uint64_t record  # the next span begins in this record or in a later record
    uint64_t base  # tape offset at which the searched text begins
    uint64_t begin  # begin, end and word (pattern index, distance, strand) of the last span
    uint64_t end
    uint64_t word
    uint64_t *counts  # count the spans of each record instead of listing them; NULL: list
    # `patterns` has words (see word_of) until matches_of(), and `lines` has the spans' records.
    match_columns columns


cdef bint is_valid(const trawl_record_array *records, uint64_t record) noexcept nogil:
    return records.validity == NULL or bit_at(records.validity, records.validity_begin + record)


cdef bint is_preferred(spans_state *found, uint64_t begin, uint64_t end, uint64_t word) noexcept nogil:
    """Return True if an occurrence replaces the last span: found.longest is true, both have the same begin, and the
    occurrence is longer, or as long with a smaller distance."""
    if not found.longest or begin != found.begin or end < found.end:
        return False
    return end > found.end or word_distance(word) < word_distance(found.word)


cdef int take_spans(void *context, const trawl_window *window) noexcept nogil:
    cdef spans_state *found = <spans_state *>context
    cdef match_columns *columns = &found.columns
    cdef const trawl_record_array *records = found.records
    cdef const trawl_match *match = window.matches
    cdef uint64_t shift = found.base, at = columns.begins.count, begin, end, word
    cdef uint64_t stop = 0  # the end of record found.record

    columns.text_end = window.begin + window.bytes_count
    if window.match_count == 0:
        return 0
    if records != NULL:  # a match shows that there is a record, so there are two offsets
        stop = offset_of(records, found.record + 1)
        shift -= found.record if found.by_lines else 0
    if found.counts == NULL:
        for i in range(4 if records != NULL else 3):
            put_values(&(&columns.begins)[i], NULL, window.match_count)
        if any_failed(&columns.begins, 4):
            return 1
    for i in range(window.match_count):
        begin, end = match[i].begin + shift, match[i].end + shift
        if begin == end:  # TRAWL_SPANS also reports lines in which an expression matches only zero bytes
            continue
        if records != NULL:
            while begin >= stop:
                found.record += 1
                stop = offset_of(records, found.record + 1)
                if found.by_lines:  # the copy has a line end after each record
                    shift, begin, end = shift - 1, begin - 1, end - 1
            if end > stop or not is_valid(records, found.record):
                continue
            if found.counts != NULL and found.overlap:
                found.counts[found.record] += 1
                continue
        word = word_of(&match[i])
        if begin < found.end and not found.overlap and not is_preferred(found, begin, end, word):
            found.dropped += 1
            continue
        if found.counts != NULL:
            found.counts[found.record] += begin >= found.end
        else:
            at -= begin < found.end and not found.overlap  # the occurrence replaces the last span
            values_of(&columns.begins)[at], values_of(&columns.ends)[at] = begin, end
            values_of(&columns.patterns)[at] = word
            if records != NULL:
                values_of(&columns.lines)[at] = found.record
            at += 1
        found.begin, found.end, found.word = begin, end, word
    columns.begins.count = columns.ends.count = columns.patterns.count = at
    columns.lines.count = at if records != NULL else 0
    return found.may_copy and found.dropped > DROPPED_MAX


cdef void spans_restart(spans_state *found) noexcept nogil:
    """Forget the spans, before the search of the next piece."""
    found.columns.begins.count = found.columns.ends.count = 0
    found.columns.patterns.count = found.columns.lines.count = 0
    found.record = found.begin = found.end = 0
    if found.counts != NULL:
        memset(found.counts, 0, found.records.record_count * sizeof(uint64_t))


cdef uint32_t span_flags(const spans_state *found) noexcept nogil:
    """Return the flags with which the library chooses the spans. It must not choose them on a tape, where an occurrence
    across a record's boundary could hide an occurrence inside the record."""
    if found.all or found.overlap or (found.records != NULL and not (found.by_lines or found.alone)):
        return TRAWL_FIRSTS if found.first_only else 0
    return TRAWL_SPANS if found.longest else TRAWL_SPANS_FIRST


cdef void search_spans(work *job, trawl_text *text) noexcept nogil:
    cdef spans_state *found = <spans_state *>job.out

    job.status = trawl_windows(job.searcher, job.plan, text, span_flags(found), take_spans, found, &job.error)
    job.no_memory = any_failed(&found.columns.begins, 4)


cdef void work_spans(work *job) noexcept nogil:
    cdef match_columns *columns = &(<spans_state *>job.out).columns

    search_spans(job, job.text)
    columns.by, columns.is_text = job.by, job.is_text
    if job.status == TRAWL_OK and not job.no_memory:
        if columns.with_values:
            put_matched(columns, job, 0)
            job.no_memory = any_failed(&columns.begins, 6)
        match_columns_to_characters(columns, 0)


cdef void work_lines_of_records(work *job) noexcept nogil:
    """Search a copy of the tape in which found.line_end follows each record."""
    cdef spans_state *found = <spans_state *>job.out
    cdef const trawl_record_array *records = found.records
    cdef uint64_t first = offset_of(records, 0), count = records.record_count, begin, end = first, i
    cdef trawl_text *text = NULL
    cdef column copy

    memset(&copy, 0, sizeof(copy))
    found.base = first
    job.no_memory = not reach(&copy, offset_of(records, count) - first + count)
    for i in range(count if not job.no_memory else 0):
        begin, end = end, offset_of(records, i + 1)
        if begin < end:
            memcpy(copy.memory.bytes + begin - first + i, records.bytes + begin, end - begin)
        copy.memory.bytes[end - first + i] = found.line_end
    job.status = TRAWL_OK
    if not job.no_memory:
        job.status = open_bytes(copy.memory.bytes, offset_of(records, count) - first + count, &text,
                                            &job.error)
    if text != NULL:
        search_spans(job, text)
        trawl_text_close(text)
    drop(&copy)


cdef bint work_each(work *job) noexcept nogil:
    """Find the occurrences in each record separately. False, without spans: there is a line end, or a match of zero
    bytes, so that not each match is an occurrence; or the records are long."""
    cdef spans_state *found = <spans_state *>job.out
    cdef const trawl_record_array *records = found.records
    cdef uint64_t first = offset_of(records, 0), bytes = offset_of(records, records.record_count) - first
    cdef uint64_t unit = found.places_max * sizeof(trawl_range), base, end, looks = 0, i
    cdef trawl_line *line = NULL
    cdef trawl_range *place
    cdef bint is_empty = False

    if bytes // LONG_RECORD >= records.record_count or memchr(records.bytes + first, found.line_end, bytes) != NULL:
        return False
    found.places.count = 0
    job.status = trawl_line_open(job.plan, 0, NULL, 0, NULL, &line, &job.error)
    for i in range(records.record_count):
        if is_empty or not move_line(job, line, records, i):
            continue
        base, end = offset_of(records, i), 0
        while reach(&found.places, (found.places.count + 1) * unit):
            place = <trawl_range *>(found.places.memory.bytes + found.places.count * unit)
            looks += 1
            if not next_match(job, line, end, looks, place, found.places_max):
                break
            end, is_empty = place.end, place.begin == place.end
            if is_empty:
                break
            if found.counts != NULL:
                found.counts[i] += 1
                continue
            put_value(&found.columns.begins, base + place.begin)
            put_value(&found.columns.ends, base + end)
            put_value(&found.columns.lines, i)
            found.places.count += 1
            if found.first_only:
                break
    trawl_line_close(line)
    put_same(&found.columns.patterns, 0, found.columns.begins.count)
    job.no_memory = any_failed(&found.columns.begins, 4) or found.places.failed
    if is_empty:
        spans_restart(found)
    return not is_empty


cdef void work_record_spans(work *job) noexcept nogil:
    """Search the tape as one text or, if found.alone, each record as a text. If found.alone, a first search finds the
    records in which a pattern occurs, and the others are skipped. If found.may_copy, a search that drops many
    occurrences starts again, on a copy."""
    cdef spans_state *found = <spans_state *>job.out
    cdef const trawl_record_array *records = found.records
    cdef uint64_t step = 1 if found.alone else records.record_count, i = 0, bytes
    cdef trawl_text *text = NULL
    cdef gather marks  # whether the expression occurs in the record

    if found.one_by_one:
        found.one_by_one = work_each(job)
        if found.one_by_one:
            return
    if found.by_lines:
        work_lines_of_records(job)
        return
    memset(&marks, 0, sizeof(marks))
    job.status = TRAWL_OK
    if found.alone:
        marks.kind, marks.records, job.out = CONTAINS, records, &marks
        work_records(job)
        job.out = found
    while i < records.record_count and job.status == TRAWL_OK and not job.no_memory:
        if i & 63 == 0:
            poll(job)
            if job.stopped:
                job.status = TRAWL_STOPPED
                break
        found.base = offset_of(records, i)
        i += step
        bytes = offset_of(records, i) - found.base
        if bytes == 0 or (found.alone and not bit_at(marks.values.memory.bytes, i - 1)):
            continue
        job.status = open_bytes(records.bytes + found.base, bytes, &text, &job.error)
        if job.status == TRAWL_OK:
            search_spans(job, text)
            trawl_text_close(text)
    gather_drop(&marks)
    if found.may_copy and found.dropped > DROPPED_MAX and job.status == TRAWL_STOPPED and not job.no_memory:
        found.may_copy, found.by_lines = False, True
        spans_restart(found)
        work_lines_of_records(job)


cdef int spans_begin(spans_state *found, Plan plan, object match, records=None) except -1:
    """Prepare a search of a text or, with a Reader, of records. plan: what plan_for() returned."""
    cdef int separator

    _sources.choice("match", match, MATCHES if records is not None else MATCHES[1:])
    memset(found, 0, sizeof(found[0]))
    found.overlap, found.longest = match == "all", match != "leftmost-first" or plan.first_is_longest
    found.all = plan.has_distances or (plan.regex is not None and len(plan) == 1)
    found.alone, found.by_lines = plan.is_alone, plan.by_lines
    found.line_end = told_plan(plan.plan, 0).line_end
    if records is not None:
        found.records = &(<Reader>records).records
        if not (found.alone or found.overlap or len(plan) == 1):
            separator = plan.separator()
            found.may_copy, found.line_end = separator >= 0, <uint8_t>max(separator, 0)
    return 0


cdef object spans_of(Searcher searcher, Plan plan, text, match, bint value, offsets, progress):
    """Find the spans of a text: a Matches."""
    cdef spans_state found

    _sources.choice("match", match, MATCHES)
    plan = plan_for(plan, match)
    spans_begin(&found, plan, match)
    found.columns.with_values = value
    try:
        search(searcher, plan, text, offsets, progress, work_spans, 0, 0, &found)
        return matches_of(&found.columns, plan)
    finally:
        match_columns_drop(&found.columns)


cdef enum:
    FEW_MAX = 64

# The occurrences in a short text, stored without an allocation.
cdef struct few_matches:
    const char *bytes
    uint64_t count
    bint over  # the text may have more occurrences, or was not searched
    trawl_match items[FEW_MAX]


cdef void work_few(work *job) noexcept nogil:
    cdef few_matches *found = <few_matches *>job.out

    job.status = trawl_list_bytes(job.searcher, job.plan, found.bytes, job.bytes, job.flags, found.items, FEW_MAX,
                                  &found.count, &job.error)
    found.over = found.count == FEW_MAX
    for i in range(found.count if job.by.bytes != NULL and not found.over else 0):
        walk_matches(&job.by, &found.items[i].begin, &found.items[i].end, 1)


cdef uint32_t flags_of(match) except? 0xffffffff:
    """Return the flags of trawl_windows for the caller's argument `match`."""
    if match == "all":
        return 0
    if match == "leftmost-longest":
        return TRAWL_SPANS
    if match == "leftmost-first":
        return TRAWL_SPANS_FIRST
    _sources.choice("match", match, MATCHES)


cdef int find_few(Searcher searcher, Plan plan, text, match, offsets, few_matches *found) except -1:
    """Find the occurrences in a short str or bytes. found.over: an ordinary search is needed."""
    cdef uint32_t flags = flags_of(match)
    cdef Py_ssize_t count = 0
    cdef Handle handle

    found.count, found.over = 0, True
    plan = plan_for(plan, match)
    if plan.is_plain and plan.regex is not None:
        flags = 0  # occurrences of one expression do not overlap
    elif flags != 0 and plan.first_is_longest:
        flags = TRAWL_SPANS
    found.bytes = brief_bytes(text, &count) if (flags == 0 or plan.is_plain) and not plan.has_strands else NULL
    if found.bytes == NULL:
        return 0
    handle = searcher.take()
    try:
        handle.job.plan, handle.job.bytes, handle.job.flags, handle.job.out = plan.plan, <uint64_t>count, flags, found
        handle.job.by = walk_of(text, found.bytes, <uint64_t>count, offsets)
        handle.run(work_few, None)
    finally:
        searcher.give(handle)
    return 0


cdef list find_all(Searcher searcher, Plan plan, text, match, offsets):
    """Return the occurrences as tuples. A text with many occurrences is searched again."""
    cdef few_matches found
    cdef const trawl_match *item
    cdef uint64_t i

    find_few(searcher, plan, text, match, offsets, &found)
    if found.over:
        return list(zip(*searcher.matches(plan, text, match=match, offsets=offsets) ._items().values()))
    made = []
    for i in range(found.count):
        item = &found.items[i]
        made.append((item.begin, item.end, item.pattern_index))
        if plan.has_strands:
            made[i] += (item.distance, "-" if item.reversed else "+")
        elif plan.has_distances:
            made[i] += (item.distance,)
    return made


cdef object as_found(Plan plan, list found, answer):
    return found if answer == "index" else _sources.as_answers(plan, found, answer)


cdef enum:
    GROUPS_MAX = 100  # a value may name the groups of an expression with numbers below this

cdef struct piece:  # laid out as a trawl_value
    const uint8_t *bytes
    uint64_t count


@cython.internal
@cython.final
cdef class Values:
    """The replacement value of each pattern. A value is fetched when a span first needs it."""

    cdef object given  # one str or bytes, a sequence with a value per pattern, or a function
    cdef bint calls  # `given` is a function that makes a value for each span
    cdef uint64_t patterns  # number of patterns; 0: all patterns share one value
    cdef bint masks  # the value replaces each character (or byte) of a span
    cdef bint ascii  # all values fetched so far are ASCII
    cdef piece *pieces  # pieces[pattern]; bytes is NULL until the value was fetched
    cdef list held  # keeps the fetched values alive
    cdef Plan plan
    cdef dict templates  # pattern -> parts of a value with groups: bytes, or a group's number
    cdef uint64_t groups_count  # all groups of templates have smaller numbers
    cdef piece *own  # own[span]: each span's value, by groups or the function; NULL: `pieces` suffice
    cdef column filled  # the bytes of `own`

    def __cinit__(self, Plan plan, given, bint masks):
        cdef bint one = isinstance(given, (str, bytes))

        self.plan, self.templates, self.calls = plan, {}, not masks and callable(given)
        if isinstance(given, dict):
            given = _sources.values_by_pattern(plan, given)
        if one and not masks and plan.regex is not None:
            given, one = (given,) * len(plan), False
        self.given, self.masks, self.ascii, self.held = given, masks, True, []
        if not one:
            self.patterns = max(told_plan(plan.plan, 0).pattern_count, <uint64_t>self.calls)
            if not self.calls and not hasattr(given, "__len__"):
                raise TypeError("values: str, bytes, a function, a dict or a sequence in the "
                                f"patterns' order is needed, not {given!r:.80}")
            if not self.calls and len(given) != self.patterns:
                raise ValueError(f"values: {len(given)} values for {self.patterns} patterns")
        self.pieces = <piece *>calloc(self.patterns + 1, sizeof(piece))
        if self.pieces == NULL:
            raise MemoryError()
        if one:
            self.take(0, given)
        for i, value in enumerate(given if isinstance(given, (list, tuple)) else ()):
            if not isinstance(value, (str, bytes)):
                raise TypeError(f"values: str or bytes are needed; of pattern {i}: {value!r:.80}")

    def __dealloc__(self):
        free(self.pieces)
        free(self.own)
        drop(&self.filled)

    cdef int take(self, uint64_t pattern, object value) except -1:
        cdef Py_ssize_t count

        if self.plan.regex is not None and not self.masks and (
                "$" in <str>value or "\\" in <str>value if isinstance(value, str) else isinstance(value, bytes)):
            value, parts = _sources.template(value)
            if parts is not None:
                parts = [self.group_of(pattern, part[0]) if isinstance(part, tuple) else part for part in parts]
                self.templates[pattern] = parts
                self.groups_count = max([self.groups_count] + [part + 1 for part in parts if isinstance(part, int)])
        if isinstance(value, str):
            self.pieces[pattern].bytes = <const uint8_t *>PyUnicode_AsUTF8AndSize(value, &count)
            self.ascii = self.ascii and PyUnicode_IS_ASCII(value)
        elif isinstance(value, bytes):
            self.pieces[pattern].bytes = <const uint8_t *>PyBytes_AS_STRING(value)
            count = PyBytes_GET_SIZE(value)
            self.ascii = self.ascii and value.isascii()
        else:
            raise TypeError(f"values: str or bytes are needed; of pattern {pattern}: {value!r:.80}")
        self.pieces[pattern].count = <uint64_t>count
        self.held.append(value)
        return 0

    cdef bint take_all(self) except -1:
        """Fetch all values; False: some are not known before the search."""
        for i in range(self.patterns if not self.calls else 0):
            if self.pieces[i].bytes == NULL:
                self.take(i, self.given[i])
        return not self.calls and not self.templates

    cdef bint is_text(self):
        """Return True if all fetched values are UTF-8."""
        for value in self.held:
            if isinstance(value, bytes):
                try:
                    value.decode()
                except UnicodeDecodeError:
                    return False
        return True

    cdef object group_of(self, uint64_t pattern, bytes name):
        """Return the number of the group that a value names."""
        cdef const trawl_plan *plan = self.plan.plan
        cdef uint64_t most = told_plan(plan, pattern).group_count

        number = int(name) if name.isdigit() else group_number(plan, pattern, name)
        if number > min(most, <uint64_t>GROUPS_MAX - 1):
            raise ValueError(f"values: expression {pattern} has no group {name.decode()!r:.80}; "
                             "${1}a is a group and a letter, and $$ is a $")
        return number

    cdef int call(self, uint64_t pattern, const uint8_t *begin, uint64_t count, bint is_str) except -1:
        """Append to `filled` what the function returns for a span's bytes."""
        value = self.given(object_of(begin, count, is_str), pattern)
        if isinstance(value, str):
            self.ascii = self.ascii and PyUnicode_IS_ASCII(value)
            value = value.encode()
        elif isinstance(value, bytes):
            self.ascii = self.ascii and value.isascii()
            self.held.append(value)
        else:
            raise TypeError(f"values: the function has to return str or bytes, not {value!r:.80}")
        put(&self.filled, PyBytes_AS_STRING(value), <uint64_t>len(value), 1)
        return 0

    cdef int fill(self, const spans_state *found, const uint8_t *text, uint64_t base, uint64_t stop,
                  bint is_str) except -1:
        """Compute the replacement of each span, by expanding groups or calling the function. The spans are in bytes
        [base, stop) of the text, or in records."""
        cdef trawl_range read[GROUPS_MAX]
        cdef const trawl_range *groups = read
        cdef trawl_error error
        cdef int status
        cdef uint64_t count = found.columns.begins.count, record
        cdef uint64_t begin, end, number, origin, i
        cdef line_place line
        cdef uint32_t pattern, known = 0xffffffff
        cdef list parts = None
        cdef piece *grown

        begin_lines(&line, self.plan)
        self.filled.count = 0
        grown = <piece *>realloc(self.own, (count + 1) * sizeof(piece))
        if grown == NULL:
            raise MemoryError()
        self.own = grown
        if not reach(&self.filled, 1):
            raise MemoryError()
        for i in range(count):
            look_at(i)
            begin = values_of(&found.columns.begins)[i]
            end = values_of(&found.columns.ends)[i]
            pattern = <uint32_t>values_of(&found.columns.patterns)[i]
            self.own[i].count = self.filled.count
            if self.calls:
                self.call(pattern, text + begin, end - begin, is_str)
                continue
            if found.records != NULL:
                record = values_of(&found.columns.lines)[i]
                base, stop = offset_of(found.records, record), offset_of(found.records, record + 1)
            origin = base
            if pattern != known:
                known, parts = pattern, self.templates.get(pattern)
            if parts is None:
                put(&self.filled, self.pieces[pattern].bytes, self.pieces[pattern].count, 1)
                continue
            if found.one_by_one and found.places_max >= self.groups_count:
                groups = <const trawl_range *>found.places.memory.bytes + i * found.places_max
            else:
                find_line(&line, text, base, stop, begin, end)
                status = find_groups(&line, text, begin, end, pattern, read, self.groups_count, &error)
                origin, groups = line.begin, read
                if status != TRAWL_OK:
                    leave_line(&line)
                    check(status, &error)
            for part in parts:
                if isinstance(part, bytes):
                    put(&self.filled, PyBytes_AS_STRING(part), <uint64_t>len(part), 1)
                    continue
                number = part
                if groups[number].begin != UNKNOWN:
                    put(&self.filled, text + origin + groups[number].begin,
                        groups[number].end - groups[number].begin, 1)
        leave_line(&line)
        if self.filled.failed:
            raise MemoryError()
        self.own[count].count = self.filled.count
        for i in range(count):  # so far, each count is the value's start
            self.own[i].bytes = self.filled.memory.bytes + self.own[i].count
            self.own[i].count = self.own[i + 1].count - self.own[i].count
        return 0

    cdef int want(self, const spans_state *found, const uint8_t *text, uint64_t base, uint64_t stop,
                  bint is_str) except -1:
        """Fetch the values of the spans in the text's bytes [base, stop), or in records. is_str: the
        function receives str."""
        cdef uint32_t pattern

        if self.patterns > 0 and not self.calls:
            for i in range(found.columns.patterns.count):
                pattern = <uint32_t>values_of(&found.columns.patterns)[i]
                if self.pieces[pattern].bytes == NULL:
                    self.take(pattern, self.given[pattern])
        if self.templates or self.calls:
            self.fill(found, text, base, stop, is_str)
        return 0


cdef struct rewriter:
    const uint8_t *bytes  # the text, or the tape
    const uint64_t *begins  # begins, ends and pattern words of the spans
    const uint64_t *ends
    const uint64_t *words
    uint64_t count
    uint64_t at  # index of the next span
    const piece *pieces
    bint one  # true: pieces[0] replaces every span
    bint own  # true: pieces[i] replaces span i; false: pieces[pattern] replaces the pattern's spans
    bint masks
    bint by_characters  # masks: a value for each character instead of each byte


cdef void rewriter_begin(rewriter *by, const uint8_t *bytes, const spans_state *found, Values values) noexcept:
    memset(by, 0, sizeof(by[0]))
    by.bytes, by.count = bytes, found.columns.begins.count
    if by.count > 0:
        by.begins = values_of(&found.columns.begins)
        by.ends = values_of(&found.columns.ends)
        by.words = values_of(&found.columns.patterns)
    if values is not None:
        by.own = values.own != NULL
        by.pieces = values.own if by.own else values.pieces
        by.one, by.masks = values.patterns == 0, values.masks


cdef bint is_next(const rewriter *by, uint64_t end) noexcept nogil:
    """Return True if the next span begins before offset `end`."""
    return by.at < by.count and by.begins[by.at] < end


cdef uint64_t put_pieces(const piece *value, uint64_t times, uint8_t *out) noexcept nogil:
    cdef uint64_t i

    if out != NULL and value.count == 1:
        memset(out, value.bytes[0], times)
    elif out != NULL:
        for i in range(times):
            memcpy(out + i * value.count, value.bytes, value.count)
    return times * value.count


cdef uint64_t rewritten(rewriter *by, uint64_t begin, uint64_t end, uint8_t *out) noexcept nogil:
    """Write the text's bytes [begin, end) with values in place of spans, and return the number of bytes written. With
    out == NULL, only count them; the next span then stays the same."""
    cdef uint64_t at = by.at, total = 0, stop, times

    while begin < end:
        stop = by.begins[by.at] if is_next(by, end) else end
        if out != NULL:
            memcpy(out + total, by.bytes + begin, stop - begin)
        total += stop - begin
        begin = stop
        if stop < end:
            begin = by.ends[by.at]
            times = 1
            if by.masks:
                times = characters_in(by.bytes, stop, begin) if by.by_characters else begin - stop
            total += put_pieces(
                &by.pieces[0 if by.one else by.at if by.own else <uint32_t>by.words[by.at]], times,
                out + total if out != NULL else NULL)
            by.at += 1
    if out == NULL:
        by.at = at
    return total


cdef object rewritten_object(rewriter *by, uint64_t begin, uint64_t end, bint is_str, bint ascii):
    """Return the rewritten bytes [begin, end) as a str or bytes. ascii: text and values are ASCII."""
    cdef uint64_t total = rewritten(by, begin, end, NULL)
    cdef uint8_t *out

    if is_str and ascii:
        made = PyUnicode_New(<Py_ssize_t>total, 127)
        out = <uint8_t *>PyUnicode_DATA(made)
    else:
        made = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>total)
        out = <uint8_t *>PyBytes_AS_STRING(made)
    if total < BRIEF_BYTES:
        rewritten(by, begin, end, out)
    else:
        with nogil:
            rewritten(by, begin, end, out)
    return object_of(out, total, True) if is_str and not ascii else made


cdef list parts_of(rewriter *by, uint64_t begin, uint64_t end, bint is_str):
    """Return the parts of [begin, end) between spans, as str or bytes."""
    cdef uint64_t stop

    parts = []
    while True:
        look_at(by.at)
        stop = by.begins[by.at] if is_next(by, end) else end
        parts.append(object_of(by.bytes + begin, stop - begin, is_str))
        if stop == end:
            return parts
        begin = by.ends[by.at]
        by.at += 1


cdef object rewrite_text(Searcher searcher, Plan plan, text, Values values, match, progress, given=None):
    """Rewrite a str or bytes. given: the value, a str or bytes, if `values` is not made yet."""
    cdef spans_state found
    cdef few_matches few
    cdef uint64_t room[3][FEW_MAX]
    cdef block blocks[3]
    cdef Py_ssize_t count = 0, size = 0
    cdef rewriter by
    cdef piece value
    cdef uint64_t i

    few.over = True
    if progress is None and plan.is_plain and match != "all":
        find_few(searcher, plan, text, match, "bytes", &few)
    if not few.over and few.count == 0 and (values is not None or given is not None):
        return text
    if not few.over:
        for i in range(few.count):
            room[0][i], room[1][i], room[2][i] = few.items[i].begin, few.items[i].end, few.items[i].pattern_index
        value.bytes = <const uint8_t *>brief_bytes(given, &size) if plan.regex is None and type(given) is type(text) else NULL
        if value.bytes != NULL or (values is None and given is None):  # without Values, which take longer than the search
            memset(&by, 0, sizeof(by))
            by.bytes, by.count = <const uint8_t *>brief_bytes(text, &count), few.count
            by.begins, by.ends, by.words = room[0], room[1], room[2]
            if value.bytes == NULL:
                return parts_of(&by, 0, <uint64_t>count, type(text) is str)
            by.one, by.pieces, value.count = True, &value, <uint64_t>size
            return rewritten_object(&by, 0, <uint64_t>count, type(text) is str,
                                    type(text) is str and PyUnicode_IS_ASCII(text) and PyUnicode_IS_ASCII(given))
        memset(&found, 0, sizeof(found))
        for i in range(3):
            blocks[i].bytes = <uint8_t *>room[i]
            (&found.columns.begins)[i].memory, (&found.columns.begins)[i].count = &blocks[i], few.count
        return rewrite_spans(plan, text, &found, values if given is None else Values(plan, given, False))
    spans_begin(&found, plan, match)
    try:
        search(searcher, plan, text, "bytes", progress, work_spans, 0, 0, &found)
        return rewrite_spans(plan, text, &found, values if given is None else Values(plan, given, False))
    finally:
        match_columns_drop(&found.columns)


cdef object rewrite_spans(Plan plan, text, const spans_state *found, Values values):
    cdef bint is_str = isinstance(text, str)
    cdef rewriter by
    cdef Py_ssize_t count
    cdef const uint8_t *bytes

    if is_str:
        bytes = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &count)
    else:
        bytes, count = <const uint8_t *>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)
    if values is not None:
        values.want(found, bytes, 0, <uint64_t>count, is_str)
    rewriter_begin(&by, bytes, found, values)
    if values is None:
        return parts_of(&by, 0, <uint64_t>count, is_str)
    if by.count == 0:
        return text
    by.by_characters = is_str
    return rewritten_object(&by, 0, <uint64_t>count, is_str, is_str and values.ascii and PyUnicode_IS_ASCII(text))


@cython.internal
@cython.final
cdef class Stream:
    """Rewrites a text window by window, without the whole text in memory."""

    cdef spans_state found
    cdef Values values
    cdef object write  # a function that takes the new bytes
    cdef object fault  # what `write` or a value's function raised
    cdef uint64_t at  # text offset up to which bytes were written
    cdef uint64_t count  # number of spans so far

    def __dealloc__(self):
        match_columns_drop(&self.found.columns)

    cdef int take(self, const trawl_window *window) except -1:
        cdef match_columns *columns = &self.found.columns
        cdef const uint8_t *text = window.bytes - window.begin  # text + window.begin can be read
        cdef uint64_t stop = window.begin + window.bytes_count, total
        cdef rewriter by

        columns.begins.count = columns.ends.count = columns.patterns.count = 0
        if take_spans(&self.found, window):
            raise MemoryError()
        self.values.want(&self.found, text, window.begin, stop + window.after_bytes_count, False)
        rewriter_begin(&by, text, &self.found, self.values)
        self.count += by.count
        total = rewritten(&by, self.at, stop, NULL)
        made = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>total)
        rewritten(&by, self.at, stop, <uint8_t *>PyBytes_AS_STRING(made))
        self.at = max(self.at, stop, by.ends[by.count - 1] if by.count > 0 else 0)
        self.write(made)
        return 0


cdef int take_stream(void *context, const trawl_window *window) noexcept with gil:
    cdef Stream stream = <Stream>context

    try:
        stream.take(window)
    except BaseException as fault:
        stream.fault = fault
    return stream.fault is not None


cdef void work_stream(work *job) noexcept nogil:
    job.status = trawl_windows(job.searcher, job.plan, job.text, job.flags, take_stream, job.out, &job.error)
    job.early = job.status != TRAWL_OK


cdef object replace_file(Searcher searcher, Plan plan, text, Values values, match, progress, write):
    cdef Stream stream = Stream.__new__(Stream)

    plan = plan_for(plan, match)
    spans_begin(&stream.found, plan, match)
    stream.values, stream.write = values, write
    try:
        search(searcher, plan, text, "bytes", progress, work_stream, 0, span_flags(&stream.found), <void *>stream)
    except BaseException:
        if stream.fault is not None:
            raise stream.fault from None
        raise
    return stream.count


cdef object name_of(given):
    """Return the name of a path, a file or a Text of one, for messages; None: there is none."""
    if isinstance(given, (str, bytes)):
        return None
    if isinstance(given, Source):
        return (<Source>given).name
    name = given if hasattr(given, "__fspath__") else getattr(given, "name", None) if hasattr(given, "read") else None
    return fsdecode(name) if hasattr(name, "__fspath__") or isinstance(name, (str, bytes)) else None


cdef Plan nothing = None  # a plan without patterns, for reading a text


cdef object content_of(Searcher searcher, given, str name):
    """Return a text as a str or a buffer: memory as it is, and the contents of a path, a file, a stream or a Text."""
    global nothing
    cdef list parts = []
    cdef Source made
    cdef Lent lent

    if isinstance(given, (str, bytes)):
        return given
    if isinstance(given, Source) and (<Source>given).text != NULL and (<Source>given).name is None:
        return (<Source>given).content(name)
    lent = lent_of(given, "text") if not isinstance(given, Source) else None
    if lent is not None:
        made = Source()
        made.open_lent(lent)
        return made.content(name)
    found = _sources.in_memory(given)
    if found is not None:
        return found
    if nothing is None:
        nothing = Plan(())
    replace_file(searcher, nothing, given, Values(nothing, b"", False), "leftmost-first", None, parts.append)
    return b"".join(parts)


cdef bint cuts_characters(Reader reader, const spans_state *found) noexcept:
    """Return True if a span begins or ends inside a UTF-8 character."""
    cdef const uint8_t *bytes = reader.records.bytes
    cdef uint64_t end = reader.offset(reader.records.record_count)
    cdef uint64_t begin, after

    for i in range(found.columns.begins.count):
        begin, after = values_of(&found.columns.begins)[i], values_of(&found.columns.ends)[i]
        if bytes[begin] & 0xc0 == 0x80 or (after < end and bytes[after] & 0xc0 == 0x80):
            return True
    return False


cdef void put_rewritten(gather *made, Reader reader, rewriter *by) noexcept nogil:
    """Append the rewritten records of the chunk."""
    cdef const trawl_record_array *records = &reader.records
    cdef uint64_t count = records.record_count, end, i
    cdef uint64_t room = rewritten(by, offset_of(records, 0), offset_of(records, count), NULL)
    cdef column *bytes = &made.cells[1]

    if not reach(bytes, bytes.count + room):
        return
    for i in range(count):
        if records.validity == NULL or bit_at(records.validity, records.validity_begin + i):
            end = offset_of(records, i + 1)
            bytes.count += rewritten(by, offset_of(records, i), end, bytes.memory.bytes + bytes.count)
        put_value(&made.values, bytes.count)


cdef void put_parts(gather *made, const trawl_record_array *records, rewriter *by) noexcept nogil:
    """Append the parts of each record between spans: their bytes to made.cells[1], their ends to made.cells[2], and the
    end of the record's list of parts to made.values."""
    cdef uint64_t count = records.record_count, last = offset_of(records, count), begin, end, stop, i
    cdef column *bytes = &made.cells[1]
    cdef column *ends = &made.cells[2]
    cdef uint8_t *out

    if not reach(bytes, bytes.count + last - offset_of(records, 0) + 16) or not reach(
            ends, (ends.count + count + by.count) * sizeof(uint64_t)):
        return
    out = bytes.memory.bytes + bytes.count
    for i in range(count):
        begin, end = offset_of(records, i), offset_of(records, i + 1)
        while is_valid(records, i):
            stop = by.begins[by.at] if is_next(by, end) else end
            if stop - begin <= 16 and last - begin >= 16:
                memcpy(out, by.bytes + begin, 16)  # a constant size needs no function call
            elif stop > begin:  # the bytes of an empty column may be NULL
                memcpy(out, by.bytes + begin, stop - begin)
            out += stop - begin
            values_of(ends)[ends.count] = <uint64_t>(out - bytes.memory.bytes)
            ends.count += 1
            if stop == end:
                break
            begin = by.ends[by.at]
            by.at += 1
        put_value(&made.values, ends.count - 1)
    bytes.count = <uint64_t>(out - bytes.memory.bytes)


cdef list objects_of(Reader reader, rewriter *by, Values values, tuple items, Py_ssize_t first):
    """Return the chunk's rewritten records as a list of objects. items: the caller's list; items[first]
    is the chunk's first record. With values, an item without a span is reused; without, each item
    becomes the list of its parts."""
    cdef bint is_str
    cdef uint64_t begin, end, i

    objects = []
    for i in range(reader.records.record_count):
        look_at(i)
        begin, end = reader.offset(i), reader.offset(i + 1)
        item = items[first + <Py_ssize_t>i]
        is_str = isinstance(item, str)
        if values is None and reader.is_valid(i):
            item = parts_of(by, begin, end, is_str)
        elif values is not None and is_next(by, end):
            by.by_characters = is_str
            item = rewritten_object(by, begin, end, is_str, is_str and values.ascii and PyUnicode_IS_ASCII(item))
        objects.append(item)
    return objects


cdef int rewrite_chunk(Reader reader, spans_state *found, Values values, tuple items, list objects,
                       gather *made) except -1:
    """Rewrite a chunk: append to `objects` or, if that is None, to `made`."""
    cdef rewriter by

    if values is not None:
        values.want(found, reader.records.bytes, 0, 0, reader.is_str())
    rewriter_begin(&by, reader.records.bytes, found, values)
    by.by_characters = reader.is_text
    if reader.is_text and (cuts_characters(reader, found) or (values is not None and (
            not values.is_text() or (values.templates and values.plan.alphabet == "bytes")))):
        raise ValueError("records: the rewritten strings would not be UTF-8")
    if objects is not None:
        collects = PyGC_Disable()  # the garbage collector would go through the new lists again and again
        try:
            objects.extend(objects_of(reader, &by, values, items, len(objects)))
        finally:
            if collects:
                PyGC_Enable()
        return 0
    if values is not None and reader.has_views:
        rewrite_views(made, reader, &by)
    else:
        with nogil:
            if values is not None:
                put_rewritten(made, reader, &by)
            else:
                put_parts(made, &reader.records, &by)
    put_nulls(made, reader)
    return 0


# A column is rewritten piece by piece. The spans of a piece, 24 bytes each, stay in memory until the piece is rewritten.
# So if spans are frequent, pieces are small enough to stay in a cache.
cdef enum:
    PIECE_MIN = 512 << 10
    DENSE_BYTES = 64  # a piece is small if the previous one has more than one span per 64 bytes


cdef void put_record_matches(gather *made, match_columns *all, Reader reader,
                             const spans_state *found, bint characters) noexcept nogil:
    """Append the piece's occurrences to `all`, with offsets in the record: for LISTS also the ends of the records' lists
    to made.values. WHICH: append a row for each record, with its first occurrence, and a bit to made.valid. COUNTS:
    append only the groups."""
    cdef const trawl_record_array *records = &reader.records
    cdef const match_columns *columns = &found.columns
    cdef uint64_t count = records.record_count, at = 0, next = 0, rows = all.begins.count, first, base, begin, end, row
    cdef bint first_only = made.kind == WHICH or (all.groups != NULL and all.groups.first_only)
    cdef walk by, far

    memset(&by, 0, sizeof(by))
    far = by
    by.size = offset_of(records, count)
    if characters and columns.begins.count > 0:
        begin = offset_of(records, values_of(&columns.lines)[0])
        end = offset_of(records, values_of(&columns.lines)[columns.lines.count - 1] + 1)
        characters = characters_in(records.bytes, begin, end) < end - begin
    if made.kind == WHICH:
        for i in range(3):
            put_same(&(&all.begins)[i], 0, count)
        put_zero_bits(&made.valid, count)
        made.null_count += count
        if any_failed(&all.begins, 3) or made.valid.failed:
            return
    while at < columns.begins.count:
        row, first = values_of(&columns.lines)[at], at
        put_no_matches(made, all, row - next)
        next, base = row + 1, offset_of(records, row)
        if characters:
            if by.bytes == NULL or base - by.block > by.plain - by.block:
                by.bytes = records.bytes  # the new walk does not read records without an occurrence
                by.block, by.before = base & ~<uint64_t>63, 0
                walk_begin(&by)
            far = by
            base = walk_to(&by, base)
        while at < columns.begins.count and values_of(&columns.lines)[at] == row:
            begin, end = values_of(&columns.begins)[at], values_of(&columns.ends)[at]
            at += 1
            if first_only and at > first + 1:
                continue
            if all.groups != NULL:
                put_groups(all.groups, records, row, begin, end, <uint32_t>values_of(&columns.patterns)[at - 1],
                           <const trawl_range *>found.places.memory.bytes + (at - 1) * found.places_max
                           if found.one_by_one else NULL)
            if all.with_values:
                put_record_value(all, records, row, begin, end, characters)
            if characters:
                walk_match(&by, &far, &begin, &end)
            begin, end = max(begin, base) - base, end - base  # a record may begin inside a character
            if made.kind == LISTS:
                put_value(&all.begins, begin)
                put_value(&all.ends, end)
                put_value(&all.patterns, values_of(&columns.patterns)[at - 1])
            elif made.kind == WHICH:
                values_of(&all.begins)[rows + row], values_of(&all.ends)[rows + row] = begin, end
                values_of(&all.patterns)[rows + row] = values_of(&columns.patterns)[at - 1]
                made.valid.memory.bytes[(rows + row) >> 3] |= <uint8_t>(1 << ((rows + row) & 7))
                made.null_count -= 1
        if made.kind == LISTS:
            put_value(&made.values, all.begins.count)
    put_no_matches(made, all, count - next)


cdef void put_no_matches(gather *made, match_columns *all, uint64_t count) noexcept nogil:
    """Append the lists, groups and values of `count` records without an occurrence."""
    if count == 0:
        return
    if all.groups != NULL and all.groups.first_only:
        put_no_groups(all.groups, count)
    if made.kind == LISTS:
        put_same(&made.values, all.begins.count, count)
    elif all.with_values:
        put_same(&all.value_ends, all.values.count, count)


cdef void put_record_value(match_columns *all, const trawl_record_array *records, uint64_t record,
                           uint64_t begin, uint64_t end, bint characters) noexcept nogil:
    cdef const uint8_t *bytes = records.bytes

    while characters and begin > offset_of(records, record) and bytes[begin] & 0xc0 == 0x80:
        begin -= 1
    while characters and end < offset_of(records, record + 1) and bytes[end] & 0xc0 == 0x80:
        end += 1
    put(&all.values, bytes + begin, end - begin, 1)
    put_value(&all.value_ends, all.values.count)


cdef uint64_t *put_values_of(gather *made, uint64_t count) except NULL:
    """Append values to made.values, and return their address."""
    put_values(&made.values, NULL, count)
    if made.values.failed or not reach(&made.values, 1):
        raise MemoryError()
    return values_of(&made.values) + made.values.count - count


cdef object record_matches(Searcher searcher, Plan plan, given, match, bint value, offsets,
                           progress, gather_kind kind, Groups groups=None):
    """Find the occurrences in each record: LISTS returns an Array of lists of matches, COUNTS an Array of their numbers,
    WHICH an Array of each record's first match or null. With `groups`, LISTS returns lists of the groups of occurrences,
    and COUNTS the groups of each record's first occurrence."""
    cdef Reader reader = Reader(given, ("match_counts" if kind == COUNTS else "match_lists") if groups is None else
                                "groups" if groups.made.first_only else "group_lists")
    cdef Handle handle = searcher.take()
    cdef work *job = &handle.job
    cdef gather made
    cdef match_columns all
    cdef spans_state found
    cdef bint characters = False
    cdef ways by

    memset(&made, 0, sizeof(made))
    memset(&all, 0, sizeof(all))
    memset(&found, 0, sizeof(found))
    made.kind, all.with_values = kind, value
    try:
        _sources.choice("offsets", offsets, ("characters", "bytes", None))
        plan = plan_for(plan, match)
        spans_begin(&found, plan, match, reader)
        job.plan = plan.plan
        ways_begin(&by, searcher, plan)
        found.first_only = (found.overlap or by.may) and (kind == WHICH or (groups is not None and groups.made.first_only))
        found.places_max = 1 if groups is None else groups.made.spans_max
        job.out = &found
        if kind == LISTS:
            put_value(&made.values, 0)
        put_value(&all.value_ends, 0)
        if groups is not None:
            groups.begin(reader.is_str())
        while not gather_failed(&made) and reader.next_piece(choose_way(&by, searcher.piece_bytes)):
            found.one_by_one = by.one_by_one
            characters = offsets == "characters" or (offsets is None and reader.is_str())
            if groups is not None:
                all.groups = groups.begin(reader.is_str())
            if kind == COUNTS and groups is None:
                found.counts = put_values_of(&made, reader.records.record_count)
            spans_restart(&found)
            job.bytes = reader.offset(reader.records.record_count) - reader.offset(0)
            handle.run(work_record_spans, progress)
            job.before += job.bytes
            if found.counts == NULL:
                with nogil:
                    put_record_matches(&made, &all, reader, &found, characters)
            if any_failed(&all.begins, 6):
                raise MemoryError()
            if groups is not None:
                groups.check()
            put_nulls(&made, reader)
            note_way(&by, job.bytes)
        if gather_failed(&made):
            raise MemoryError()
        if groups is not None:
            structs = groups.taken()
            found_lists = array_of_gather(&made, "+L" if kind == LISTS else "L", sizeof(uint64_t))
            return reader.rows(lists_of(found_lists, structs) if kind == LISTS else structs_of(structs, found_lists))
        if kind == COUNTS:
            return reader.rows(array_of_gather(&made, "L", sizeof(uint64_t)))
        all.is_text = characters
        found_lists = array_of_gather(&made, "+L" if kind == LISTS else "L", sizeof(uint64_t))
        fields = matches_of(&all, plan)._named()
        return reader.rows(lists_of(found_lists, fields) if kind == LISTS else structs_of(struct_array(fields), found_lists))
    finally:
        match_columns_drop(&found.columns)
        drop(&found.places)
        match_columns_drop(&all)
        gather_drop(&made)
        searcher.give(handle)


cdef Array lists_of(Array made, fields):
    made.fields = fields
    return made


cdef Array structs_of(Array made, Array of):
    """Give an Array of structs the nulls of another Array."""
    made.validity, made.null_count = block_share(of.validity), of.null_count
    return made


cdef object groups_of(Searcher searcher, Plan plan, given, progress):
    """Find the groups of each occurrence in a text, or of the first occurrence in each record."""
    cdef few_matches found
    cdef Groups groups

    if not isinstance(given, (str, bytes)) and (is_column(given) or (
            hasattr(given, "__iter__") and not hasattr(given, "read") and not _sources.is_bytes(given))):
        there = groups_there(searcher, plan, given, progress) if is_column(given) else None
        return there if there is not None else record_matches(searcher, plan, given, "all", False, "bytes", progress, COUNTS,
                                                              Groups(plan, True))
    name, content = name_of(given), content_of(searcher, given, "groups")
    groups = Groups(plan, False)
    found.over = True
    try:
        if name is None:
            find_few(searcher, plan, content, "all", "bytes", &found)
        if found.over:
            return (<Array>record_matches(searcher, plan, [content], "all", False, "bytes", progress, LISTS, groups)).fields
        groups.put(content, &found)
        return groups.taken()
    except _errors.LimitError as fault:
        if name is not None:
            _errors.name_text(fault, name)
        raise


cdef object rewrite_column(Searcher searcher, Plan plan, given, Values values, match, progress):
    cdef tuple items = tuple(given) if isinstance(given, (list, tuple)) else None
    cdef list objects = [] if items is not None else None
    cdef Reader reader = Reader(given if items is None else items, "split" if values is None else "replace")
    cdef Handle handle = searcher.take()
    cdef work *job = &handle.job
    cdef uint64_t piece = PIECE_MIN
    cdef spans_state found
    cdef gather made
    cdef ways by

    memset(&made, 0, sizeof(made))
    memset(&found, 0, sizeof(found))
    made.kind = LISTS
    if values is None:
        put_value(&made.cells[2], 0)
    if values is not None and reader.has_views:
        made.kind = COUNTS  # a value (the view) per record, and no offsets
    else:
        put_value(&made.values, 0)
    try:
        spans_begin(&found, plan, match, reader)
        ways_begin(&by, searcher, plan)
        job.plan = plan.plan
        job.out = &found
        while not gather_failed(&made) and reader.next_piece(choose_way(&by, piece)):
            spans_restart(&found)
            found.one_by_one = by.one_by_one
            found.places_max = max(1, values.groups_count) if values is not None else 1
            job.bytes = reader.offset(reader.records.record_count) - reader.offset(0)
            handle.run(work_record_spans, progress)
            job.before += job.bytes
            rewrite_chunk(reader, &found, values, items, objects, &made)
            note_way(&by, job.bytes)
            piece = PIECE_MIN if found.columns.begins.count > job.bytes // DENSE_BYTES else searcher.piece_bytes
        if gather_failed(&made):
            raise MemoryError()
        if objects is not None:
            return objects
        if values is None:
            parts = array_of("U" if reader.is_text else "Z", made.cells[2].count - 1, &made.cells[2], &made.cells[1], 1)
            return reader.rows(lists_of(array_of_gather(&made, "+L", sizeof(uint64_t)), parts))
        if reader.has_views:
            return array_of_views(&made, reader.is_text)
        return reader.rows(array_of_gather(&made, "U" if reader.is_text else "Z", 1))
    finally:
        match_columns_drop(&found.columns)
        drop(&found.places)
        views_drop(&made)
        gather_drop(&made)
        searcher.give(handle)


cdef bint is_column(given) except -1:
    return (isinstance(given, (list, tuple, Records)) or hasattr(given, "__arrow_c_device_array__") or hasattr(given, "__arrow_c_stream__")
            or hasattr(given, "__arrow_c_array__") or hasattr(given, "isna")
            or _sources.array_items(given) is not None)


cdef object replace(Searcher searcher, Plan plan, text, values, match, progress):
    if values is None:
        values = _sources.values_of(plan, None)
    if isinstance(values, (str, bytes)) and isinstance(text, (str, bytes)):
        return rewrite_text(searcher, plan, text, None, match, progress, values)
    return rewrite(searcher, plan, text, Values(plan, values, False), match, progress)


cdef object masked(Searcher searcher, Plan plan, text, mask, match, progress):
    if not isinstance(mask, (str, bytes)) or len(mask) != 1:
        raise ValueError("mask: one character is needed")
    return rewrite(searcher, plan, text, Values(plan, mask, True), match, progress)


cdef object split(Searcher searcher, Plan plan, text, match, answer, progress):
    if answer == "list" and isinstance(text, (str, bytes)):
        return rewrite_text(searcher, plan, text, None, match, progress)
    _sources.choice("answer", answer, ("list", "array"))
    made = rewrite(searcher, plan, text, None, match, progress)
    if answer == "array" and type(made) not in (Array, DeviceStrings):
        raise ValueError("answer='array' is for columns that are not lists")
    return made.tolist() if answer == "list" and type(made) is Array else made


cdef object rewrite(Searcher searcher, Plan plan, text, Values values, match, progress):
    """Return a text with values in place of spans or, if values is None, the list of the parts between spans. A column
    yields an Array, a column on a GPU a DeviceStrings, a list yields a list."""
    cdef taken_buffer view

    if isinstance(text, (str, bytes)):
        return rewrite_text(searcher, plan, text, values, match, progress)
    if progress is None and is_few(text):
        try:
            return [None if item is None else rewrite_text(searcher, plan, item, values, match, None) for item in text]
        except UnicodeEncodeError:
            pass  # the ordinary search says in which record
    there = rewrite_there(searcher, plan, text, values, match, progress)
    if there is not None:
        return there
    items = _sources.array_items(text)
    plan = plan_for(plan, match)
    if items is not None:
        text = items
    if is_column(text):
        return rewrite_column(searcher, plan, text, values, match, progress)
    if not PyObject_CheckBuffer(text):
        raise TypeError("text: " + (_sources.polars_lazy_hint(text) or "str, bytes, an object with the buffer protocol or a "
                                    f"column is needed, not {type(text).__name__}; of a file give what it holds, as "
                                    "path.read_bytes() does"))
    take_buffer(text, &view)
    text = PyBytes_FromStringAndSize(<const char *>view.buf, view.len)
    PyBuffer_Release(&view)
    return rewrite_text(searcher, plan, text, values, match, progress)
