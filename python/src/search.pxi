# search: the searches of a text, which run without the interpreter's lock, and the type Batches.

cdef answer search(Searcher searcher, Plan plan, text, progress,
                   void (*function)(work *) noexcept nogil, uint64_t limit=0, uint32_t flags=0,
                   void *out=NULL) except *:
    cdef Handle handle = searcher.take()

    try:
        handle.open(searcher, plan, text)
        handle.job.limit, handle.job.flags, handle.job.out = limit, flags, out
        handle.run(function, progress)
        return handle.job.answer
    finally:
        searcher.give(handle)


# ---- Characters of a str ----

cdef enum:
    NEAR = 128  # up to this distance in bytes, counting from a match's begin beats a second walk

# Converts ascending byte offsets in a str's UTF-8 to character offsets. The walk stands at a block
# of 64 bytes. A byte of the form 10xxxxxx continues a character: "continuation byte" below.
cdef struct walk:
    const uint8_t *bytes  # NULL: offsets count bytes and need no conversion
    uint64_t size
    uint64_t characters  # number of characters of the whole text
    uint64_t block  # offset of the block, a multiple of 64
    uint64_t before  # number of continuation bytes before the block
    uint64_t mask  # bit i: is byte block + i a continuation byte


cdef walk walk_of(object text, object offsets) except *:
    """Return a walk at the text's begin. The field `bytes` is NULL unless the text is a str that is
    not ASCII and offsets is 'characters'."""
    cdef walk made
    cdef Py_ssize_t count = 0

    memset(&made, 0, sizeof(made))
    if offsets == "bytes":
        return made
    if offsets != "characters":
        raise ValueError(f"offsets: 'characters' or 'bytes', not {offsets!r}")
    if isinstance(text, Source):
        text = (<Source>text).owner
    if not isinstance(text, str) or PyUnicode_IS_ASCII(text):
        return made
    made.bytes = <const uint8_t *>PyUnicode_AsUTF8AndSize(text, &count)
    made.size, made.characters = count, len(<str>text)
    made.mask = mask_at(&made)
    return made


cdef uint64_t characters_in(const uint8_t *bytes, uint64_t begin, uint64_t end) noexcept nogil:
    """Count the characters that begin in [begin, end): all bytes but continuation bytes."""
    cdef uint64_t LANES = 0x0101010101010101, found = end - begin, word, words, i, lane
    cdef uint64_t lanes = 0
    cdef uint8_t vector[32]

    while end - begin >= 256:
        words = min((end - begin) // 32, <uint64_t>255)  # a lane of 8 bits counts to 255
        memset(vector, 0, 32)
        for i in range(words):
            for lane in range(32):
                vector[lane] += bytes[begin + 32 * i + lane] & 0xc0 == 0x80
        for i in range(32):
            found -= vector[i]
        begin += 32 * words
    while end - begin >= 8:
        memcpy(&word, bytes + begin, 8)
        lanes += word >> 7 & ~word >> 6 & LANES
        begin += 8
    # Add neighbours of the 8 lanes (each ≤ 31) into 4 lanes of 16 bits. The product's highest 16
    # bits are the sum of the 4 lanes.
    lanes = (lanes & <uint64_t>0x00ff00ff00ff00ff) + (lanes >> 8 & <uint64_t>0x00ff00ff00ff00ff)
    found -= lanes * <uint64_t>0x0001000100010001 >> 48
    if begin < end and end >= 8:  # the remaining bytes are the highest of the 8 bytes before end
        memcpy(&word, bytes + end - 8, 8)
        word >>= 8 * (8 - (end - begin))
        return found - ((word >> 7 & ~word >> 6 & LANES) * LANES >> 56)
    for i in range(begin, end):
        found -= bytes[i] & 0xc0 == 0x80
    return found


cdef extern from *:
    """
    #if defined(__SSE2__)
    #include <emmintrin.h>

    static uint64_t going_on(const uint8_t *bytes)
    {
        uint64_t mask = 0;

        for (int i = 0; i < 4; i++) {
            __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i));

            /* As signed numbers, the bytes 10xxxxxx are the numbers below -64. */
            some = _mm_cmplt_epi8(some, _mm_set1_epi8(-64));
            mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(some) << 16 * i;
        }
        return mask;
    }
    #else
    static uint64_t going_on(const uint8_t *bytes)
    {
        uint64_t mask = 0, word;

        for (int i = 0; i < 8; i++) {
            memcpy(&word, bytes + 8 * i, 8);
            word = word >> 7 & ~word >> 6 & 0x0101010101010101;
            /* The product gathers one bit of each lane in its highest byte. */
            mask |= (word * 0x0102040810204080 >> 56) << 8 * i;
        }
        return mask;
    }
    #endif
    """
    uint64_t going_on(const uint8_t *bytes) noexcept nogil  # bit i: is bytes[i] 10xxxxxx, i < 64


cdef uint64_t mask_at(const walk *by) noexcept nogil:
    """Return the mask of the block's continuation bytes."""
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


cdef void walk_on(walk *by, uint64_t block) noexcept nogil:
    if block == by.block + 64:
        by.before += bits_of(by.mask)
    elif block > by.block:
        by.before += block - by.block - characters_in(by.bytes, by.block, block)
    else:
        by.before -= by.block - block - characters_in(by.bytes, block, by.block)
    by.block = block
    by.mask = mask_at(by)


cdef inline uint64_t walk_to(walk *by, uint64_t place) noexcept nogil:
    """Move the walk to a byte offset, and return how many characters begin before that offset."""
    if place - by.block >= 64:
        walk_on(by, place & ~<uint64_t>63)
    return place - by.before - bits_of(by.mask & (<uint64_t>1 << place - by.block) - 1)


cdef void walk_begins(walk *by, uint64_t *begins, uint64_t count) noexcept nogil:
    """Replace each byte offset by the index of the character that contains the byte."""
    for i in range(count if by.bytes != NULL else 0):
        begins[i] = walk_to(by, begins[i] + 1) - 1


cdef uint64_t walk_end(walk *by, uint64_t end) noexcept nogil:
    """Convert an occurrence's end. A character that belongs to the occurrence in part counts as
    inside."""
    if by.bytes == NULL:
        return end
    return by.characters if end == by.size else walk_to(by, end)


cdef void walk_matches(walk *by, uint64_t *begins, uint64_t *ends, uint64_t count) noexcept nogil:
    """Convert begins and ends of matches in one pass. An end is counted from its begin on."""
    cdef walk far = by[0]  # a second walk, for ends more than NEAR bytes after their begin
    cdef uint64_t begin, end, i

    for i in range(count):
        begin, end = begins[i] + 1, ends[i]
        begins[i] = walk_to(by, begin) - 1
        if end - by.block < 64:
            ends[i] = walk_to(by, end)
        elif end - begin < NEAR:
            ends[i] = begins[i] + 1 + characters_in(by.bytes, begin, end)
        else:
            if far.block < by.block:
                far = by[0]
            ends[i] = walk_to(&far, end)


# ---- Count, first ----


cdef void work_count(work *job) noexcept nogil:
    job.status = trawl_count(job.searcher, job.plan, job.text, &job.answer.count, &job.error)


cdef int add_counts(void *context, const trawl_pattern_count *counts,
                    uint64_t counts_count) noexcept nogil:
    cdef uint64_t *sums = <uint64_t *>context

    for i in range(counts_count):
        sums[counts[i].pattern_index] += counts[i].count
    return 0


cdef void work_count_by_pattern(work *job) noexcept nogil:
    job.status = trawl_count_by_pattern(job.searcher, job.plan, job.text, add_counts, job.out,
                                         &job.error)


cdef void work_count_lines(work *job) noexcept nogil:
    job.status = trawl_count_lines(job.searcher, job.plan, job.text, job.flags, job.limit,
                                    &job.answer.count, &job.error)
    job.early = job.status == TRAWL_OK and job.answer.count == job.limit


cdef void work_first(work *job) noexcept nogil:
    job.status = trawl_first(job.searcher, job.plan, job.text, &job.answer.match,
                              &job.answer.found, &job.error)
    job.early = job.status == TRAWL_OK and job.answer.found


# ---- Matches, by batches ----

# The growing columns of a Matches.
cdef struct match_columns:
    column begins  # first of four adjacent columns
    column ends
    column patterns
    column lines
    bint with_lines  # make the column `lines` even if no batch has line numbers
    uint64_t text_begin
    uint64_t text_end
    walk by


cdef void match_columns_drop(match_columns *columns) noexcept nogil:
    drop(&columns.begins, 4)


cdef bint match_columns_put(match_columns *columns, const trawl_batch *batch) noexcept nogil:
    """Append a batch of matches; false: out of memory."""
    cdef uint64_t count = columns.begins.count

    put_values(&columns.begins, batch.begins, batch.match_count)
    put_values(&columns.ends, batch.ends, batch.match_count)
    put_values(&columns.patterns, batch.pattern_indices, batch.match_count)
    if columns.with_lines:
        put_values(&columns.lines, batch.line_numbers, batch.match_count)
    columns.text_end = batch.text_end
    if any_failed(&columns.begins, 4):
        return False
    match_columns_walk(columns, count)
    return True


cdef void match_columns_walk(match_columns *columns, uint64_t begin) noexcept nogil:
    """Convert the offsets of match `begin` and all later matches from bytes to characters."""
    cdef uint64_t count = columns.begins.count - begin

    if columns.by.bytes != NULL and count > 0:
        walk_matches(&columns.by, values_of(&columns.begins) + begin,
                     values_of(&columns.ends) + begin, count)
    columns.text_end = walk_end(&columns.by, columns.text_end)


# The parts of pattern words. A plan with errors reports a word of pattern index, distance and strand
# for each occurrence (struct trawl_batch).
cdef struct word_columns:
    column distances  # first of three adjacent columns
    column strand_ends  # 0, then the end of each strand's character in `strands`
    column strands


cdef uint64_t word_of(const trawl_match *match) noexcept nogil:
    return (match.pattern_index | <uint64_t>match.distance << 32
            | <uint64_t>match.reversed << 48)


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
    distances = strands = None
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
        return _sources.Matches(column_taken(&columns.begins), column_taken(&columns.ends),
                                column_taken(&columns.patterns),
                                column_taken(&columns.lines) if columns.with_lines else None,
                                columns.text_begin, columns.text_end, distances, strands)
    finally:
        drop(&parts.distances, 3)


cdef void work_matches(work *job) noexcept nogil:
    cdef match_columns *columns = <match_columns *>job.out
    cdef trawl_search *search = NULL
    cdef trawl_batch batch

    batch.size = sizeof(batch)
    batch.last = False
    job.status = trawl_search_open(job.searcher, job.plan, job.text, job.flags, &search,
                                    &job.error)
    if job.status != TRAWL_OK:
        return
    while not batch.last and job.status == TRAWL_OK and not job.no_memory:
        job.status = trawl_search_next(search, &batch, &job.error)
        if job.status == TRAWL_OK:
            job.no_memory = not match_columns_put(columns, &batch)
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
    """Base of Batches and LineBatches: an iterator over a running search."""

    cdef Searcher searcher
    cdef Plan plan
    cdef Handle handle  # None: the search is over
    cdef bint busy  # a thread is inside next()

    def __init__(self):
        raise TypeError(f"{type(self).__name__} are made by searches")

    def __iter__(self):
        return self

    def __next__(self):
        with cython.critical_section(self):
            if self.busy:
                fail(TRAWL_BUSY, NULL)
            self.busy = True
        try:
            found = self.step() if self.handle is not None else None
        except:
            self.close()
            raise
        finally:
            self.busy = False
        if found is None:
            raise StopIteration
        return found

    cdef object step(self):
        """Return the next results, or None at the end."""

    cdef void close(self) noexcept:
        pass

    cdef int open(self, Searcher searcher, Plan plan, text) except -1:
        self.searcher, self.plan, self.handle = searcher, plan, searcher.take()
        return self.handle.open(searcher, plan, text)


@cython.final
@cython.no_gc
cdef class Batches(Iteration):
    """An iterator over the occurrences in a text; each item is a Matches."""

    cdef trawl_search *search
    cdef bint line_numbers
    cdef walk by

    def __dealloc__(self):
        self.close()

    cdef void close(self) noexcept:
        if self.search != NULL:
            trawl_search_close(self.search)
        if self.handle is not None:
            self.searcher.give(self.handle)
        self.search = NULL
        self.handle = None

    cdef object step(self):
        cdef match_columns columns
        cdef step_work step

        memset(&columns, 0, sizeof(columns))
        step.search = self.search
        step.batch.size = sizeof(step.batch)
        self.handle.job.out = &step
        self.handle.run(work_next, None)
        made = None
        columns.with_lines = self.line_numbers
        columns.by = self.by
        columns.text_begin = walk_end(&columns.by, step.batch.text_begin)
        try:
            if not match_columns_put(&columns, &step.batch):
                raise MemoryError()
            self.by = columns.by
            if step.batch.match_count > 0:
                made = matches_of(&columns, self.plan)
        finally:
            match_columns_drop(&columns)
        if step.batch.last:
            self.close()
        return made


# ---- Positions ----


cdef void work_begins(work *job) noexcept nogil:
    job.status = trawl_begins_into(job.searcher, job.plan, job.text, <uint64_t *>job.out,
                                    job.limit, &job.answer.count, &job.error)


cdef Column begins_of(Handle handle, progress, walk *by):
    """Search into one array. If the text has more occurrences than the array holds, search again
    into an array of the right size."""
    cdef work *job = &handle.job
    cdef uint64_t patterns = min(trawl_plan_facts(job.plan).pattern_count, <uint64_t>4)
    cdef uint64_t most = <uint64_t>1 << 40
    cdef block *room
    cdef Column made

    # Unwritten numbers cost only address space. So the array has room for an occurrence of up to 4
    # patterns at each byte; less if the system refuses the reservation.
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
    block_resize(made.memory, job.answer.count * sizeof(uint64_t))
    made.length = <Py_ssize_t>job.answer.count
    if by.bytes != NULL:
        with nogil:
            walk_begins(by, <uint64_t *>made.memory.bytes, job.answer.count)
    return made
