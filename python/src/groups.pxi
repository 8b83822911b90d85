# groups: finds which parts of an occurrence the groups of a regular expression matched, and returns them as places in a
# text or as columns. Uses memory.pxi, columns.pxi, plan.pxi, searcher.pxi, search.pxi and records.pxi.

cdef enum:
    OPENED_MAX = 64  # expressions for which a line is open at the same time

# The line of an occurrence, without its line end; if occurrences may cross lines, the whole text or record. Expressions
# have open trawl_lines, which move along: at most OPENED_MAX of them.
cdef struct line_place:
    const trawl_plan *plan
    bint by_lines  # occurrences cross no line (Plan.by_lines)
    uint8_t line_end
    uint64_t begin
    uint64_t end
    uint64_t number  # how many lines there have been
    uint64_t slots  # from this index on, `opened` is NULL
    uint64_t patterns[OPENED_MAX]
    uint64_t numbers[OPENED_MAX]
    trawl_line *opened[OPENED_MAX]  # line numbers[i] for expression patterns[i]; NULL: not opened


cdef void begin_lines(line_place *line, Plan plan) noexcept:
    """The caller ends with leave_line()."""
    memset(line, 0, sizeof(line[0]))
    line.plan, line.by_lines, line.line_end = plan.plan, plan.by_lines, told_plan(plan.plan, 0).line_end


cdef void leave_line(line_place *line) noexcept nogil:
    for i in range(line.slots):
        trawl_line_close(line.opened[i])
        line.opened[i] = NULL
    line.begin = line.end = line.slots = 0


cdef int find_groups(line_place *line, const uint8_t *text, uint64_t begin, uint64_t end, uint64_t pattern,
                     trawl_range *groups, uint64_t groups_max, trawl_error *error) noexcept nogil:
    """Find where the groups of the occurrence [begin, end) of the line are, in the line. Returns a status."""
    cdef uint64_t slot = pattern % OPENED_MAX
    cdef const uint8_t *bytes = text + line.begin
    cdef trawl_range match
    cdef int status = TRAWL_OK

    if line.opened[slot] == NULL or line.patterns[slot] != pattern:
        trawl_line_close(line.opened[slot])
        line.opened[slot] = NULL
        status = trawl_line_open(line.plan, pattern, bytes, line.end - line.begin, NULL, &line.opened[slot], error)
        line.patterns[slot], line.slots = pattern, max(line.slots, slot + 1)
    elif line.numbers[slot] != line.number:
        status = trawl_line_move(line.opened[slot], bytes, line.end - line.begin, error)
    line.numbers[slot] = line.number
    match.begin, match.end = begin - line.begin, end - line.begin
    return trawl_line_groups(line.opened[slot], match, groups, groups_max, error) if status == TRAWL_OK else status


cdef void find_line(line_place *line, const uint8_t *text, uint64_t base, uint64_t stop,
                    uint64_t begin, uint64_t end) noexcept nogil:
    """Set `line` to the line of text[base:stop] that contains the occurrence [begin, end). Before the call, `line` is
    empty or the line of an occurrence that begins earlier."""
    cdef const void *place

    if begin < line.end if line.by_lines else line.begin == base and line.end == stop:
        return
    line.number += 1
    if not line.by_lines:
        line.begin, line.end = base, stop
        return
    place = memrchr(text + base, line.line_end, begin - base)
    line.begin = base if place == NULL else <uint64_t>(<const uint8_t *>place - text) + 1
    place = memchr(text + end, line.line_end, stop - end)
    line.end = stop if place == NULL else <uint64_t>(<const uint8_t *>place - text)


@cython.final
@cython.no_gc
cdef class Match(Made):
    """An occurrence with its groups, as finditer() returns it. The methods are those of re.Match.

    string: the text. pattern: the index of the pattern that occurs.
    A group that did not participate in the occurrence is None; its begin and its end are -1.

    >>> match = next(Plan(r"(?P<name>\\w+)=(\\d+)?", regex=True).finditer("size= 3"))
    >>> match["name"], match[2], match.group(1, 2), match.span("name"), match.pattern
    ('size', None, ('size', None), (0, 4), 0)
    >>> match.groups(""), match.groupdict()
    (('size', ''), {'name': 'size'})
    """

    cdef readonly object string
    cdef readonly uint32_t pattern
    cdef dict names  # {name: number} of the groups that have a name
    cdef int64_t count  # number of places: of the occurrence and of its groups
    cdef trawl_range *places  # a group that did not participate begins at UNKNOWN, which is -1 as a signed number

    def __dealloc__(self):
        free(self.places)

    cdef int64_t number(self, group) except -1:
        cdef int64_t number = PyNumber_AsSsize_t(
            self.names.get(group, -1) if isinstance(group, str) else group, IndexError)

        if number < 0 or number >= self.count:
            raise IndexError(f"no such group: {group!r:.80}")
        return number

    cdef object part(self, int64_t number, default):
        cdef trawl_range place = self.places[number]

        if place.begin == UNKNOWN:
            return default
        part = self.string[<Py_ssize_t>place.begin:<Py_ssize_t>place.end]
        return part if isinstance(part, str) else bytes(part)

    def span(self, group=0, /):
        """Return where a group begins and ends."""
        cdef trawl_range place = self.places[self.number(group)]

        return <int64_t>place.begin, <int64_t>place.end

    def start(self, group=0, /):
        """Return where a group begins."""
        return <int64_t>self.places[self.number(group)].begin

    def end(self, group=0, /):
        """Return where a group ends."""
        return <int64_t>self.places[self.number(group)].end

    def __getitem__(self, group):
        return self.part(self.number(group), None)

    def group(self, *groups):
        """Return a group, by number or name, or several groups as a tuple. Group 0 is the occurrence."""
        if len(groups) > 1:
            return tuple([self[group] for group in groups])
        return self[groups[0]] if groups else self.part(0, None)

    def groups(self, default=None):
        """Return all groups, starting with group 1. default: the value of a group that matched nothing."""
        return tuple([self.part(i, default) for i in range(1, self.count)])

    def groupdict(self, default=None):
        """Return the groups that have a name, by name."""
        return {name: self.part(number, default) for name, number in self.names.items()}

    def __repr__(self):
        return f"<trawl.Match span={self.span()}, match={self[0]!r:.60}>"

    def __reduce__(self):
        return match_of, (self.string, self.pattern, self.names, [self.span(i) for i in range(self.count)])


cdef Match new_match(string, uint64_t pattern, dict names, uint64_t count):
    cdef Match made = Match.__new__(Match)

    made.string, made.pattern, made.names, made.count = string, <uint32_t>pattern, names, <int64_t>count
    made.places = <trawl_range *>malloc(count * sizeof(trawl_range))
    if made.places == NULL:
        raise MemoryError()
    return made


def match_of(string, pattern, names, spans, /):
    """Make a Match from its parts. pickle calls this function."""
    cdef Match made = new_match(string, pattern, names, len(spans))

    for i, (begin, end) in enumerate(spans):
        made.places[<uint64_t>i].begin, made.places[<uint64_t>i].end = <uint64_t><int64_t>begin, <uint64_t><int64_t>end
    return made


@cython.internal
@cython.final
cdef class Places:
    """Makes the Match of each occurrence in a text. Its offsets count characters in a str, otherwise bytes."""

    cdef Plan plan
    cdef list facts
    cdef object text
    cdef taken_buffer view
    cdef const uint8_t *bytes
    cdef uint64_t size
    cdef walk by
    cdef line_place line

    def __cinit__(self, Plan plan, text):
        cdef Py_ssize_t count

        self.plan, self.facts, self.text = plan, plan.facts(), text
        if isinstance(text, str):
            self.bytes = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &count)
            if not PyUnicode_IS_ASCII(text):
                self.by.bytes, self.by.size = self.bytes, <uint64_t>count
                walk_begin(&self.by)
        else:
            take_buffer(text, &self.view)
            self.bytes, count = <const uint8_t *>self.view.buf, self.view.len
        self.size = <uint64_t>count
        begin_lines(&self.line, plan)

    def __dealloc__(self):
        leave_line(&self.line)
        PyBuffer_Release(&self.view)

    cdef void place(self, trawl_range *place, uint64_t base) noexcept:
        """Convert a place that counts bytes from `base`."""
        cdef uint64_t begin = base + place.begin, end = base + place.end

        place.begin, place.end = begin, end
        if self.by.bytes != NULL:
            place.begin = walk_to(&self.by, begin) if begin == end else last_of(walk_to(&self.by, begin + 1))
            place.end = walk_to(&self.by, end)

    cdef Match match(self, uint64_t begin, uint64_t end, uint64_t pattern):
        """Return the Match of an occurrence, whose offsets count bytes."""
        cdef tuple fact = <tuple>self.facts[pattern]
        cdef uint64_t count = <uint64_t>fact[0] + 1, base = 0, i
        cdef Match made = new_match(self.text, pattern, <dict>fact[1], count)
        cdef trawl_error error

        made.places[0].begin, made.places[0].end = begin, end
        if count > 1:
            find_line(&self.line, self.bytes, 0, self.size, begin, end)
            check(find_groups(&self.line, self.bytes, begin, end, pattern, made.places, count, &error), &error)
            base, made.places[0].begin, made.places[0].end = self.line.begin, begin - self.line.begin, end - self.line.begin
        for i in range(count if base > 0 or self.by.bytes != NULL else 0):
            if made.places[i].begin != UNKNOWN:
                self.place(&made.places[i], base)
        return made


cdef object find_matches(Searcher searcher, Plan plan, text, match):
    """Iterate over the occurrences in a text, each a Match."""
    cdef Source source
    cdef few_matches found
    cdef Places places
    cdef uint64_t i

    name, text = name_of(text), content_of(searcher, text, "finditer")
    found.over = True
    if name is None:
        find_few(searcher, plan, text, match, "bytes", &found)
    if not found.over and found.count == 0:
        return iter(())
    places = Places(plan, text)
    if not found.over:
        return iter([places.match(found.items[i].begin, found.items[i].end, found.items[i].pattern_index)
                     for i in range(found.count)])
    source = Source()
    source.name = name
    source.open(text, False)
    return matches_in(places, itertools.chain.from_iterable(searcher.batches(plan, source, match=match, offsets="bytes")))


cdef bytes line_end_of(Plan plan):
    return bytes([told_plan(plan.plan, 0).line_end])


def matches_in(Places places, found):
    for begin, end, pattern, *_ in found:
        yield places.match(begin, end, pattern)


cdef struct group_values:
    column ends  # first of three adjacent columns: 0, then the end of each value in `bytes`
    column bytes
    column valid  # bits: whether the group participated
    uint64_t null_count

cdef struct group_columns:
    group_values *values
    uint64_t count  # number of columns
    const uint64_t *targets  # the columns of expression i's groups: targets[begins[i]:begins[i + 1]]
    const uint64_t *begins
    trawl_range *spans  # where an occurrence and its groups are
    uint64_t spans_max
    uint64_t *sources  # for each column the group's number; 0: the expression lacks that group
    line_place line
    bint first_only  # true: a row for each record; false: a row for each occurrence
    bint is_text  # values become str of whole characters
    int status
    trawl_error error


cdef void put_group(group_values *values, const uint8_t *bytes, uint64_t count, bint is_valid) noexcept nogil:
    if count > 0:
        put(&values.bytes, bytes, count, 1)
    put_value(&values.ends, values.bytes.count)
    put_bit(&values.valid, is_valid)
    values.null_count += not is_valid


cdef void put_no_groups(group_columns *made, uint64_t rows) noexcept nogil:
    for i in range(made.count):
        put_same(&made.values[i].ends, made.values[i].bytes.count, rows)
        put_zero_bits(&made.values[i].valid, rows)
        made.values[i].null_count += rows


cdef void put_groups(group_columns *made, const trawl_record_array *records, uint64_t record,
                     uint64_t begin, uint64_t end, uint32_t pattern, const trawl_range *places) noexcept nogil:
    """Append the groups of an occurrence in a record. places: where in the record they are; NULL: not known yet."""
    cdef const uint8_t *bytes = records.bytes
    cdef uint64_t base = offset_of(records, record), stop = offset_of(records, record + 1), i
    cdef uint64_t first = made.begins[pattern], line = base
    cdef trawl_range match

    if made.status != TRAWL_OK:
        return
    if places == NULL:
        find_line(&made.line, bytes, base, stop, begin, end)
        made.status = find_groups(&made.line, bytes, begin, end, pattern, made.spans, made.spans_max, &made.error)
        places, line = made.spans, made.line.begin
    memset(made.sources, 0, made.count * sizeof(uint64_t))
    for i in range(first, made.begins[pattern + 1]):
        made.sources[made.targets[i]] = i - first + 1
    for i in range(made.count if made.status == TRAWL_OK else 0):
        match = places[made.sources[i]]
        if made.sources[i] == 0 or match.begin == UNKNOWN:
            put_group(&made.values[i], NULL, 0, False)
            continue
        begin, end = line + match.begin, line + match.end
        if made.is_text and begin < end:
            while begin > base and bytes[begin] & 0xc0 == 0x80:
                begin -= 1
            while end < stop and bytes[end] & 0xc0 == 0x80:
                end += 1
        put_group(&made.values[i], bytes + begin, end - begin, True)


@cython.internal
@cython.final
cdef class Layout:
    """The columns that the groups of a plan's expressions fill."""

    cdef tuple labels
    cdef const uint64_t[::1] targets
    cdef const uint64_t[::1] begins
    cdef uint64_t spans_max

    def __cinit__(self, list facts):
        self.labels = _groups.labels(facts)
        if not self.labels:
            raise ValueError("groups: no expression has a group; match_lists(value=True) gives whole occurrences")
        places = {label: place for place, label in enumerate(self.labels)}
        self.begins = array("Q", itertools.accumulate([fact[0] for fact in facts], initial=0))
        self.targets = array("Q", [places[label] for fact in facts for label in _groups.labels([fact])])
        self.spans_max = 1 + max([fact[0] for fact in facts])


@cython.internal
@cython.final
cdef class Groups:
    """Gathers the values of groups: a column for each name or number that groups of the plan's expressions have."""

    cdef group_columns made
    cdef Plan plan
    cdef Layout layout

    def __cinit__(self, Plan plan, bint first_only):
        cdef Layout layout = plan.layout if plan.layout is not None else Layout(plan.facts())
        cdef uint64_t i

        self.plan = plan
        self.layout = plan.layout = layout
        begin_lines(&self.made.line, plan)
        self.made.begins, self.made.targets = &layout.begins[0], &layout.targets[0]
        self.made.count, self.made.first_only = <uint64_t>len(layout.labels), first_only
        self.made.spans_max = layout.spans_max
        self.made.values = <group_values *>calloc(self.made.count, sizeof(group_values))
        self.made.spans = <trawl_range *>calloc(self.made.spans_max, sizeof(trawl_range))
        self.made.sources = <uint64_t *>calloc(self.made.count, sizeof(uint64_t))
        if self.made.values == NULL or self.made.spans == NULL or self.made.sources == NULL:
            raise MemoryError()
        for i in range(self.made.count):
            put_value(&self.made.values[i].ends, 0)

    def __dealloc__(self):
        leave_line(&self.made.line)
        for i in range(self.made.count if self.made.values != NULL else 0):
            drop(&self.made.values[i].ends, 3)
        free(self.made.values)
        free(self.made.spans)
        free(self.made.sources)

    cdef group_columns *begin(self, bint is_text) noexcept:
        """Begin a piece of the column."""
        leave_line(&self.made.line)
        self.made.is_text = is_text
        return &self.made

    cdef int put(self, text, const few_matches *found) except -1:
        """Put the groups of the occurrences in a str or bytes."""
        cdef trawl_record_array record
        cdef Py_ssize_t count
        cdef uint64_t offsets[2]
        cdef uint64_t i

        memset(&record, 0, sizeof(record))
        if isinstance(text, str):
            record.bytes = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &count)
        else:
            record.bytes, count = <const uint8_t *>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)
        offsets[0], offsets[1] = 0, <uint64_t>count
        record.record_count, record.offset_bytes, record.offsets = 1, sizeof(uint64_t), offsets
        self.begin(isinstance(text, str))
        for i in range(found.count):
            put_groups(&self.made, &record, 0, found.items[i].begin, found.items[i].end, found.items[i].pattern_index,
                       NULL)
        return self.check()

    cdef int check(self) except -1:
        check(self.made.status, &self.made.error)
        for i in range(self.made.count):
            if any_failed(&self.made.values[i].ends, 3):
                raise MemoryError()
        return 0

    cdef Array taken(self):
        """Make an Array of structs, taking over the columns' blocks."""
        cdef Array part
        cdef group_values *values
        cdef uint64_t rows

        fields = {}
        for i, label in enumerate(self.layout.labels):
            values = &self.made.values[i]
            rows = values.valid.count
            part = array_of("U" if self.made.is_text else "Z", rows, &values.ends, &values.bytes, 1)
            part.null_count = values.null_count
            part.validity = taken(&values.valid, 1)
            part.validity.size = (rows + 7) // 8
            fields[label] = part
        return struct_array(fields)
