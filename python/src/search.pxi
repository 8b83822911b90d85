# search: searches a text without the interpreter's lock, so that other Python threads continue. The type Batches returns
# occurrences in batches. Uses memory.pxi, columns.pxi, plan.pxi, text.pxi and searcher.pxi.

MATCHES = ("all", "leftmost-longest", "leftmost-first")


cdef answer search(Searcher searcher, Plan plan, text, offsets, progress,
                   void (*function)(work *) noexcept nogil, uint64_t limit=0, uint32_t flags=0,
                   void *out=NULL) except *:
    cdef Handle handle = searcher.take()

    try:
        handle.open(searcher, plan, text, offsets)
        handle.job.limit, handle.job.flags, handle.job.out = limit, flags, out
        handle.run(function, progress)
        return handle.job.answer
    finally:
        searcher.give(handle)


cdef const char *brief_bytes(text, Py_ssize_t *count) except? NULL:
    """Return the bytes of a short str or bytes; NULL: it is long, or something else."""
    cdef const char *at = NULL

    if type(text) is str:
        at = PyUnicode_AsUTF8AndSize(text, count)
    elif type(text) is bytes:
        at, count[0] = PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text)
    return at if count[0] < BRIEF_BYTES else NULL


cdef bint search_bytes(Plan plan, text, answer *found, bint is_first) except -1:
    """Count in a short str or bytes, or find the first occurrence, with the default searcher and without a text object.
    False: that needs an ordinary search."""
    cdef Py_ssize_t count = 0
    cdef const char *at
    cdef trawl_error error
    cdef Handle handle
    cdef int status

    if not plan.is_brief or (is_first and type(text) is str and not PyUnicode_IS_ASCII(text)):
        return False
    at = brief_bytes(text, &count)
    if at == NULL:
        return False
    handle = default().take()
    if is_first:
        status = trawl_list_bytes(handle.job.searcher, plan.plan, at, <uint64_t>count, 0, &found.match, 1, &found.count,
                                  &error)
        found.found = found.count > 0
    else:
        status = trawl_list_bytes(handle.job.searcher, plan.plan, at, <uint64_t>count, 0, NULL, 0, &found.count, &error)
    default().give(handle)
    check(status, &error)
    return True


cdef enum:
    NEAR = 128  # for an end closer than this to its begin, counting on is faster than a second walk
    PLAIN_MAX = 1024  # a walk looks at most this many bytes ahead for bytes beyond ASCII


cdef walk walk_of(object owner, const void *memory, uint64_t bytes, object offsets) except *:
    """Return a walk, which converts byte offsets to character offsets, at the text's start. Its field `bytes` is NULL
    if offsets count bytes, or are the same in a str of ASCII."""
    cdef walk made
    cdef Py_ssize_t count = 0

    memset(&made, 0, sizeof(made))
    if offsets is not None and offsets != "characters" and offsets != "bytes":
        _sources.choice("offsets", offsets, ("characters", "bytes"))
    if isinstance(owner, str):
        if PyUnicode_IS_ASCII(owner) or (offsets is not None and offsets == "bytes"):
            return made
        made.bytes = <const uint8_t *>PyUnicode_AsUTF8AndSize(owner, &count)
        made.size, made.characters = <uint64_t>count, len(<str>owner)
    elif offsets is not None and offsets == "characters":
        if memory == NULL and bytes > 0:
            raise ValueError("offsets: characters can be counted in memory of the host, and in a path "
                             "or file that is no Text")
        made.bytes, made.size, made.characters = <const uint8_t *>memory, bytes, UNKNOWN
    if made.bytes != NULL:
        walk_begin(&made)
    return made


cdef extern from *:
    """
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    static bool has_beyond_ascii(const uint8_t *bytes)
    {
        uint64_t words[8];

        memcpy(words, bytes, 64);
        return ((words[0] | words[1] | words[2] | words[3] | words[4] | words[5] | words[6] | words[7]) &
                0x8080808080808080) != 0;
    }

    static uint64_t going_on(const uint8_t *bytes)
    {
        uint64_t mask = 0;

    #if defined(__SSE2__)
        for (int i = 0; i < 4; i++) {
            __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));

            /* As signed numbers, the bytes 10xxxxxx are the numbers below -64. */
            some = _mm_cmplt_epi8(some, _mm_set1_epi8(-64));
            mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(some) << 16 * i;
        }
    #else
        for (int i = 0; i < 8; i++) {
            uint64_t word;

            memcpy(&word, bytes + 8 * i, 8);
            word = word >> 7 & ~word >> 6 & 0x0101010101010101;
            /* The product gathers one bit of each lane in its highest byte. */
            mask |= (word * 0x0102040810204080 >> 56) << 8 * i;
        }
    #endif
        return mask;
    }

    static uint64_t sum_going_on(const uint8_t *bytes, uint64_t blocks)
    {
        typedef int8_t __attribute__((vector_size(16))) vector;
        vector lanes = {0}, some;
        uint64_t sum = 0;

        for (uint64_t i = 0; i < 4 * blocks; i++) {
            memcpy(&some, bytes + 16 * i, 16);
            lanes -= some < -64;
        }
        for (int i = 0; i < 16; i++)
            sum += (uint8_t)lanes[i];
        return sum;
    }
    """
    bint has_beyond_ascii(const uint8_t *bytes) noexcept nogil  # true if any of 64 bytes is beyond ASCII
    # bit i (i < 64): bytes[i] is 10xxxxxx, which continues a character
    uint64_t going_on(const uint8_t *bytes) noexcept nogil
    # Return how many of the 64 * blocks bytes are 10xxxxxx. Each of 16 lanes of 8 bits counts 4 bytes of each block. So
    # there may be at most 63 blocks, or a lane would overflow.
    uint64_t sum_going_on(const uint8_t *bytes, uint64_t blocks) noexcept nogil  # blocks < 64


cdef uint64_t characters_in(const uint8_t *bytes, uint64_t begin, uint64_t end) noexcept nogil:
    """Count the characters that begin in [begin, end): all bytes but continuation bytes."""
    cdef uint64_t LANES = 0x0101010101010101, found = end - begin, word, blocks

    while end - begin >= 64:
        blocks = min((end - begin) // 64, <uint64_t>63)
        found -= sum_going_on(bytes + begin, blocks)
        begin += 64 * blocks
    while end - begin >= 8:
        memcpy(&word, bytes + begin, 8)
        found -= (word >> 7 & ~word >> 6 & LANES) * LANES >> 56  # the highest byte is the sum of the 8 bytes
        begin += 8
    for i in range(begin, end):
        found -= bytes[i] & 0xc0 == 0x80
    return found


cdef uint64_t mask_at(const walk *by) noexcept nogil:
    """Return a mask with a bit for each byte of the block: 1 if it is a continuation byte of UTF-8."""
    cdef uint8_t last[64]

    if by.size - by.block >= 64:
        return going_on(by.bytes + by.block)
    memset(last, 0, 64)
    memcpy(last, by.bytes + by.block, by.size - by.block)
    return going_on(last)


cdef uint64_t bits_of(uint64_t mask) noexcept nogil:
    mask -= mask >> 1 & <uint64_t>0x5555555555555555
    mask = (mask & <uint64_t>0x3333333333333333) + (mask >> 2 & <uint64_t>0x3333333333333333)
    return (mask + (mask >> 4) & <uint64_t>0x0f0f0f0f0f0f0f0f) * <uint64_t>0x0101010101010101 >> 56


cdef void walk_begin(walk *by) noexcept nogil:
    """Read the walk's current block and, if it is ASCII, up to PLAIN_MAX bytes after it."""
    cdef uint64_t most = by.block + min(<uint64_t>PLAIN_MAX, by.size - by.block) // 64 * 64

    by.mask, by.plain = mask_at(by), by.block
    while by.plain < most and not has_beyond_ascii(by.bytes + by.plain):
        by.plain += 64


cdef void walk_on(walk *by, uint64_t block) noexcept nogil:
    cdef uint64_t known = max(by.block, by.plain)

    if block == by.block + 64:
        by.before += bits_of(by.mask)
    elif block > known:
        by.before += block - known - characters_in(by.bytes, known, block)
    elif block < by.block:
        by.before -= by.block - block - characters_in(by.bytes, block, by.block)
    by.block = block
    walk_begin(by)


cdef inline uint64_t walk_to(walk *by, uint64_t place) noexcept nogil:
    """Move the walk to a byte offset, and return how many characters begin before that offset."""
    if place - by.block <= by.plain - by.block:
        return place - by.before
    if place - by.block >= 64:
        walk_on(by, place & ~<uint64_t>63)
    return place - by.before - bits_of(by.mask & (<uint64_t>1 << place - by.block) - 1)


cdef inline uint64_t last_of(uint64_t count) noexcept nogil:
    """Return the index of the last of `count` characters; 0 for bytes of a text that begins inside a
    character."""
    return count - (count > 0)


cdef void walk_begins(walk *by, uint64_t *begins, uint64_t count) noexcept nogil:
    """Replace each byte offset with the index of the character that contains it."""
    for i in range(count if by.bytes != NULL else 0):
        begins[i] = last_of(walk_to(by, begins[i] + 1))


cdef uint64_t walk_end(walk *by, uint64_t end) noexcept nogil:
    """Convert an occurrence's end from bytes to characters. If it is inside a character, the whole character belongs to
    the occurrence."""
    if by.bytes == NULL:
        return end
    return by.characters if end == by.size and by.characters != UNKNOWN else walk_to(by, end)


cdef inline void walk_match(walk *by, walk *far, uint64_t *begin, uint64_t *end) noexcept nogil:
    """Convert a match's begin and end. far: a second walk, for ends more than NEAR bytes after their
    begin; other ends are counted from the begin."""
    cdef uint64_t inside = begin[0] + 1, count = walk_to(by, inside)

    begin[0] = last_of(count)
    if end[0] - by.block <= max(<uint64_t>63, by.plain - by.block):
        end[0] = walk_to(by, end[0])
    elif end[0] - inside < NEAR:
        end[0] = count + characters_in(by.bytes, inside, end[0])
    else:
        if far.block < by.block:
            far[0] = by[0]
        end[0] = walk_to(far, end[0])


cdef void walk_matches(walk *by, uint64_t *begins, uint64_t *ends, uint64_t count) noexcept nogil:
    cdef walk far = by[0]
    cdef uint64_t i

    for i in range(count):
        walk_match(by, &far, begins + i, ends + i)


cdef void work_count(work *job) noexcept nogil:
    job.status = trawl_count(job.searcher, job.plan, job.text, &job.answer.count, &job.error)


cdef void ask_for(trawl_answer *answer, int what) noexcept nogil:
    memset(answer, 0, sizeof(answer[0]))
    answer.size, answer.what = sizeof(answer[0]), what


cdef int add_counts(void *context, const trawl_pattern_count *counts, uint64_t counts_count) noexcept nogil:
    cdef uint64_t *sums = <uint64_t *>context

    for i in range(counts_count):
        sums[counts[i].pattern_index] += counts[i].count
    return 0


cdef void work_count_by_pattern(work *job) noexcept nogil:
    cdef trawl_answer answer

    ask_for(&answer, TRAWL_COUNT_BY_PATTERN)
    answer.counts, answer.context = add_counts, job.out
    job.status = trawl_ask(job.searcher, job.plan, job.text, &answer, &job.error)


cdef void work_count_lines(work *job) noexcept nogil:
    cdef trawl_answer lines

    ask_for(&lines, TRAWL_COUNT_LINES)
    lines.invert, lines.lines_max = job.flags, job.limit
    job.status = TRAWL_OK
    if job.limit > 0:
        job.status = trawl_ask(job.searcher, job.plan, job.text, &lines, &job.error)
    job.answer.count = lines.count
    job.early = job.status == TRAWL_OK and job.answer.count == job.limit


cdef void work_first(work *job) noexcept nogil:
    job.status = trawl_first(job.searcher, job.plan, job.text, &job.answer.match, &job.answer.found, &job.error)
    job.early = job.status == TRAWL_OK and job.answer.found
    if job.early and job.by.bytes != NULL:
        walk_matches(&job.by, &job.answer.match.begin, &job.answer.match.end, 1)


# The columns of a Matches while the search fills them.
cdef struct match_columns:
    column begins  # first of six adjacent columns
    column ends
    column patterns
    column lines
    column value_ends  # with_values: 0, then the end of each occurrence's bytes in `values`
    column values
    bint with_lines  # make the `lines` column even if no batch of results has line numbers
    bint with_values
    bint is_text  # `values` become str
    bint one_of_all  # keep occurrences without overlap: of those with the same begin the longest, or the first
    bint longest
    uint64_t text_begin
    uint64_t text_end
    walk by
    group_columns *groups  # the columns of the occurrences' groups; NULL: no groups are gathered


cdef void match_columns_drop(match_columns *columns) noexcept nogil:
    drop(&columns.begins, 6)


cdef void put_matched(match_columns *columns, work *job, uint64_t first) noexcept nogil:
    """Append the bytes of occurrence `first` and all later occurrences to `values`. Where offsets
    count characters, all bytes of a character belong to the occurrence."""
    cdef uint64_t begin, end, got = 0, i
    cdef const uint8_t *text = <const uint8_t *>job.by.bytes

    if columns.value_ends.count == 0:
        put_value(&columns.value_ends, 0)
    for i in range(first, columns.begins.count):
        begin, end = values_of(&columns.begins)[i], values_of(&columns.ends)[i]
        if text != NULL:
            while begin > 0 and text[begin] & 0xc0 == 0x80:
                begin -= 1
            while end < job.by.size and text[end] & 0xc0 == 0x80:
                end += 1
        put(&columns.values, NULL, end - begin, 1)
        if columns.values.failed or job.status != TRAWL_OK:
            return
        job.status = trawl_text_read(job.text, begin,
                                     columns.values.memory.bytes + columns.values.count
                                     - (end - begin), end - begin, &got, &job.error)
        put_value(&columns.value_ends, columns.values.count)


cdef Plan choose_matches(match_columns *columns, Plan plan, object match):
    """Set which occurrences are kept, from the caller's argument `match`. Return the plan that finds them."""
    _sources.choice("match", match, MATCHES)
    plan = plan_for(plan, match)
    columns.one_of_all, columns.longest = match != "all", match == "leftmost-longest" or plan.first_is_longest
    return plan


cdef uint32_t search_flags(const match_columns *columns) noexcept:
    """Return the flags of trawl_search_open."""
    return ((TRAWL_LINE_ENDS if columns.with_lines else 0)
            | (0 if not columns.one_of_all else TRAWL_SPANS if columns.longest else TRAWL_SPANS_FIRST))


cdef bint match_columns_put(match_columns *columns, work *job, const trawl_batch *batch) noexcept nogil:
    """Append a batch of matches; false: out of memory."""
    cdef uint64_t count = columns.begins.count, i

    put_values(&columns.begins, batch.begins, batch.match_count)
    put_values(&columns.ends, batch.ends, batch.match_count)
    put_values(&columns.patterns, batch.pattern_indices, batch.match_count)
    for i in range(batch.match_count if batch.distances != NULL and not columns.patterns.failed else 0):
        values_of(&columns.patterns)[count + i] |= packed(batch.distances[i], batch.reversed[i])
    if columns.with_lines:
        put_values(&columns.lines, batch.line_numbers, batch.match_count)
    columns.text_end = batch.text_end
    if columns.with_values and not any_failed(&columns.begins, 4):
        put_matched(columns, job, count)
    if any_failed(&columns.begins, 6):
        return False
    match_columns_to_characters(columns, count)
    return True


cdef void match_columns_to_characters(match_columns *columns, uint64_t begin) noexcept nogil:
    """Convert the offsets of match `begin` and all later matches from bytes to characters."""
    cdef uint64_t count = columns.begins.count - begin

    if columns.by.bytes != NULL and count > 0:
        walk_matches(&columns.by, values_of(&columns.begins) + begin, values_of(&columns.ends) + begin, count)
    columns.text_end = walk_end(&columns.by, columns.text_end)


# With a plan with errors, a column of patterns has a pattern word for each occurrence: 64 bits with the pattern index,
# the distance and the strand. These columns contain the parts of the words.
cdef struct word_columns:
    column distances  # first of three adjacent columns
    column strand_ends  # 0, then the end of each strand's character in `strands`
    column strands


cdef uint64_t word_of(const trawl_match *match) noexcept nogil:
    return match.pattern_index | packed(match.distance, match.reversed)


cdef inline uint64_t packed(uint64_t distance, uint64_t strand) noexcept nogil:
    return distance << 32 | strand << 48


cdef inline uint64_t word_distance(uint64_t word) noexcept nogil:
    return word >> 32 & 0xffff


cdef bint take_words_apart(column *words, word_columns *parts) noexcept nogil:
    """Split words into distances and strands, and leave the pattern index in each word. False: out
    of memory."""
    cdef uint64_t *values = values_of(words)
    cdef uint64_t count = words.count, word, i

    put_values(&parts.distances, NULL, count)
    put_values(&parts.strand_ends, NULL, count + 1)
    put(&parts.strands, NULL, count, 1)
    if any_failed(&parts.distances, 3):
        return False
    values_of(&parts.strand_ends)[0] = 0
    for i in range(count):
        word = values[i]
        values[i] = <uint32_t>word
        values_of(&parts.distances)[i] = word_distance(word)
        values_of(&parts.strand_ends)[i + 1] = i + 1
        parts.strands.memory.bytes[i] = b"-" if word >> 48 else b"+"
    return True


cdef object matches_of(match_columns *columns, Plan plan):
    cdef word_columns parts
    cdef bint made = True

    memset(&parts, 0, sizeof(parts))
    distances = strands = values = None
    try:
        if plan.has_distances and columns.patterns.memory != NULL:
            with nogil:
                made = take_words_apart(&columns.patterns, &parts)
            if not made:
                raise MemoryError()
        if plan.has_strands:
            strands = array_of("U", columns.patterns.count, &parts.strand_ends, &parts.strands, 1)
        if plan.has_distances:
            distances = column_taken(&parts.distances)
        if columns.with_values:
            values = array_of("U" if columns.is_text else "Z", columns.begins.count,
                              &columns.value_ends, &columns.values, 1)
        return _sources.Matches(column_taken(&columns.begins), column_taken(&columns.ends),
                                column_taken(&columns.patterns),
                                column_taken(&columns.lines) if columns.with_lines else None,
                                columns.text_begin, columns.text_end, distances, strands, values)
    finally:
        drop(&parts.distances, 3)


cdef void work_matches(work *job) noexcept nogil:
    cdef match_columns *columns = <match_columns *>job.out
    cdef trawl_search *search = NULL
    cdef trawl_batch batch

    batch.size = sizeof(batch)
    batch.last = False
    columns.by, columns.is_text = job.by, job.is_text
    job.status = trawl_search_open(job.searcher, job.plan, job.text, job.flags, &search, &job.error)
    if job.status != TRAWL_OK:
        return
    while not batch.last and job.status == TRAWL_OK and not job.no_memory:
        job.status = trawl_search_next(search, &batch, &job.error)
        if job.status == TRAWL_OK:
            job.no_memory = not match_columns_put(columns, job, &batch)
    trawl_search_close(search)


cdef struct step_work:
    trawl_search *search
    trawl_batch batch


# Fetches the next batch that has an occurrence; at the text's end, the last batch.
cdef void work_next(work *job) noexcept nogil:
    cdef step_work *step = <step_work *>job.out

    job.status = trawl_search_next(step.search, &step.batch, &job.error)
    while job.status == TRAWL_OK and not step.batch.last and step.batch.match_count == 0:
        job.status = trawl_search_next(step.search, &step.batch, &job.error)
    job.early = job.status == TRAWL_OK and not step.batch.last


@cython.internal
@cython.no_gc
cdef class Iteration:
    """Base of Batches, LineBatches and Occurrences: an iterator over a running search."""

    cdef Searcher searcher
    cdef Plan plan
    cdef Handle handle  # None: the search is over
    cdef bint busy  # a thread is inside next() or close()

    def __init__(self):
        raise TypeError(f"{type(self).__name__} are made by searches")

    def __iter__(self):
        return self

    def __next__(self):
        # The caller may drop its reference to this iterator during the call: itertools.chain does, if another thread's
        # call raises BusyError.
        cdef Iteration kept = self

        kept.enter()
        try:
            found = kept.step()
        except:
            kept.end()
            raise
        finally:
            kept.busy = False
        if found is None:
            raise StopIteration
        return found

    def __reduce__(self):
        raise _errors.no_pickle(self)

    def close(self):
        """End the search; the iterator is then at its end. BusyError: a thread is inside next()."""
        self.enter()
        self.end()
        self.busy = False

    cdef int enter(self) except -1:
        cdef bint was_busy

        with cython.critical_section(self):
            was_busy, self.busy = self.busy, True
        if was_busy:
            raise _errors.busy()
        return 0

    cdef object step(self):
        """Return the next results, or None at the end."""

    cdef void end(self) noexcept:
        pass

    cdef int open(self, Searcher searcher, Plan plan, text, offsets) except -1:
        self.searcher, self.plan, self.handle = searcher, plan, searcher.take()
        return self.handle.open(searcher, plan, text, offsets)


@cython.final
@cython.no_gc
cdef class Batches(Iteration):
    """An iterator over the occurrences in a text; each item is a Matches."""

    cdef trawl_search *search
    cdef match_columns columns  # options, with which the columns of each batch begin

    def __dealloc__(self):
        self.end()

    cdef void end(self) noexcept:
        if self.search != NULL:
            trawl_search_close(self.search)
        if self.handle is not None:
            self.searcher.give(self.handle)
        self.search = NULL
        self.handle = None

    cdef object step(self):
        cdef match_columns columns
        cdef step_work step

        made = None
        step.batch.last = self.handle is None
        while made is None and not step.batch.last:
            step.search = self.search
            step.batch.size = sizeof(step.batch)
            self.handle.job.out = &step
            self.handle.run(work_next, None)
            made = self.taken(&step.batch)
        if step.batch.last:
            self.end()
        return made

    cdef object taken(self, const trawl_batch *batch):
        """Return a batch's Matches, or None if it has no occurrence."""
        cdef match_columns columns = self.columns

        columns.by, columns.is_text = self.handle.job.by, self.handle.job.is_text
        columns.text_begin = batch.text_begin
        if columns.text_begin < columns.by.size:
            walk_begins(&columns.by, &columns.text_begin, 1)
        try:
            if not match_columns_put(&columns, &self.handle.job, batch):
                raise MemoryError()
            self.handle.check(False)
            self.handle.job.by = columns.by
            return matches_of(&columns, self.plan) if columns.begins.count > 0 else None
        finally:
            match_columns_drop(&columns)


@cython.internal
@cython.final
@cython.no_gc
cdef class Occurrences(Iteration):
    """An iterator over single occurrences from another iterator. One thread at a time uses that other
    one: itertools.chain would end if a second thread's call raised BusyError."""

    cdef object source

    cdef object step(self):
        return next(self.source, None)

    cdef void end(self) noexcept:
        self.source = iter(())


cdef Occurrences occurrences_of(source):
    cdef Occurrences made = Occurrences.__new__(Occurrences)

    made.source = source
    return made


cdef void work_begins(work *job) noexcept nogil:
    cdef trawl_answer begins
    cdef walk by

    ask_for(&begins, TRAWL_BEGINS)
    begins.values, begins.room = job.out, job.limit
    job.status = trawl_ask(job.searcher, job.plan, job.text, &begins, &job.error)
    job.answer.count = begins.count
    if job.by.bytes != NULL and job.status == TRAWL_OK:
        by = job.by
        walk_begins(&by, <uint64_t *>job.out, min(job.answer.count, job.limit))


cdef DeviceArray begins_there(Handle handle, progress):
    """List the begins in the memory of the GPU that has the text. None: only the host can answer, and the text may be
    copied there."""
    cdef work *job = &handle.job
    cdef DeviceArray made

    job.limit = min(job.bytes, <uint64_t>1 << 16)
    while True:
        made = device_array((<Lent>handle.source.owner).device, job.limit, sizeof(uint64_t))
        job.out, job.answer.count = <void *>made.address(), 0
        try:
            handle.run(work_begins, progress)
        except _errors.UnsupportedError:
            if not handle.source.copies:
                raise
            return None
        if job.answer.count <= job.limit:
            made.length = job.answer.count
            return made
        job.limit = job.answer.count


cdef Column begins_of(Handle handle, progress):
    """Search into one array. If it is too small for the text's occurrences, search again into an
    array of the right size."""
    cdef work *job = &handle.job
    cdef uint64_t patterns = min(told_plan(job.plan, 0).pattern_count, <uint64_t>4)
    cdef uint64_t most = <uint64_t>1 << 40
    cdef block *room
    cdef Column made

    # Memory that is not written costs only address space. So the array of begins has room for the largest possible
    # number of occurrences: one of each pattern at each byte (but of at most 4 patterns). If the system refuses that
    # much, the array is smaller.
    job.limit = job.bytes * patterns + 1 if job.bytes < most else most
    job.answer.count = 0
    while True:
        room = block_new(job.limit * sizeof(uint64_t))
        if room == NULL and job.answer.count == 0 and job.limit > 1:
            job.limit //= 2
            continue
        made = column_of(room, 0, 0)
        job.out = made.memory.bytes
        handle.run(work_begins, progress)
        if job.answer.count <= job.limit:
            break
        job.limit = job.answer.count
    block_resize(made.memory, job.answer.count * sizeof(uint64_t), 0)
    made.length = <Py_ssize_t>job.answer.count
    return made
