# lines: gathers the whole lines in which an occurrence begins. The type LineBatches returns them in batches while the
# text is searched. Uses memory.pxi, columns.pxi, plan.pxi, searcher.pxi and search.pxi.

# The lines gathered so far, and the line that the next part of the text (window) continues.
cdef struct lines_state:
    work *job
    bint pauses  # stop after a window whose lines are complete, for LineBatches
    uint8_t line_end
    uint64_t number
    uint64_t begin  # text offset of line `number`
    bint open  # true: the line has an occurrence, and its bytes so far are the last bytes in `bytes`
    bint failed  # out of memory, or job.status is a failure
    column numbers  # first of six adjacent columns; lines_restart() keeps only the last one
    column begins
    column ends  # 0, then for each line the end of its bytes in `bytes`
    column bytes
    column distances  # for each line the smallest distance of its occurrences
    column head  # of a stream: bytes of line `number` from earlier windows
    bint with_distances


cdef void lines_restart(lines_state *lines) noexcept nogil:
    """Empty the columns, and put the leading 0 into `ends`."""
    drop(&lines.numbers, 5)
    put_value(&lines.ends, 0)


cdef void pass_ends(lines_state *lines, const trawl_window *window, uint64_t begin, uint64_t end) noexcept nogil:
    """Advance number and begin over the line ends in the window's bytes [begin, end)."""
    cdef const uint8_t *bytes = window.bytes
    cdef const uint8_t *last = <const uint8_t *>memrchr(bytes + begin, lines.line_end, end - begin)

    if last == NULL:
        return
    for i in range(begin, end):
        lines.number += bytes[i] == lines.line_end
    lines.begin = window.begin + <uint64_t>(last - bytes) + 1
    lines.head.count = 0


cdef void read_again(lines_state *lines, uint64_t begin, uint64_t end) noexcept nogil:
    """Reread the text's bytes [begin, end), which precede the window, and append them."""
    cdef uint8_t buffer[4096]
    cdef uint64_t got = 0

    while begin < end and not lines.failed:
        lines.job.status = trawl_text_read(lines.job.text, begin, buffer,
                                            min(end - begin, sizeof(buffer)), &got,
                                            &lines.job.error)
        put(&lines.bytes, buffer, got, 1)
        lines.failed = lines.job.status != TRAWL_OK or got == 0
        begin += got


cdef void gather_head(lines_state *lines, const trawl_window *window) noexcept nogil:
    """Append the bytes of the current line that precede the window."""
    if lines.begin >= window.begin:
        return
    if not lines.job.is_stream:
        read_again(lines, lines.begin, window.begin)
    elif lines.head.count > 0:
        put(&lines.bytes, lines.head.memory.bytes, lines.head.count, 1)


cdef uint64_t gather_rest(lines_state *lines, const trawl_window *window, uint64_t begin) noexcept nogil:
    """Append the current line's bytes from the window's offset `begin` to the line's end. Return
    the offset after the line's end."""
    cdef uint64_t count = window.bytes_count - begin
    cdef const uint8_t *bytes = window.bytes + begin
    cdef const uint8_t *end = <const uint8_t *>memchr(bytes, lines.line_end, count)

    if end != NULL:
        count = <uint64_t>(end - bytes)
    lines.open = end == NULL and not window.last
    put(&lines.bytes, bytes, count, 1)
    begin += count + (end != NULL)
    if not lines.open:
        lines.number += 1
        lines.begin = window.begin + begin
        lines.head.count = 0
        put_value(&lines.ends, lines.bytes.count)
    return begin


cdef void lessen(column *distances, uint64_t distance) noexcept nogil:
    """Lower the last line's distance to `distance` if that is less."""
    cdef uint64_t *last

    if distances.count > 0:
        last = &values_of(distances)[distances.count - 1]
        last[0] = min(last[0], distance)


cdef void take_lines(lines_state *lines, const trawl_window *window) noexcept nogil:
    cdef uint64_t at = 0, i = 0, place, distance

    if lines.open:
        at = gather_rest(lines, window, 0)
    while i < window.match_count and not lines.failed:
        place = window.matches[i].begin - window.begin
        distance = window.matches[i].distance
        i += 1
        if place < at:  # the occurrence begins in the line gathered last
            lessen(&lines.distances, distance)
            continue
        pass_ends(lines, window, at, place)
        put_value(&lines.numbers, lines.number)
        put_value(&lines.begins, lines.begin)
        if lines.with_distances:
            put_value(&lines.distances, distance)
        gather_head(lines, window)
        if lines.begin > window.begin + at:
            at = lines.begin - window.begin
        at = gather_rest(lines, window, at)
    if lines.open or at >= window.bytes_count:
        return
    pass_ends(lines, window, at, window.bytes_count)
    if lines.job.is_stream:
        at = lines.begin - window.begin if lines.begin > window.begin else 0
        put(&lines.head, window.bytes + at, window.bytes_count - at, 1)


cdef int take_window(void *context, const trawl_window *window) noexcept nogil:
    cdef lines_state *lines = <lines_state *>context

    take_lines(lines, window)
    lines.failed = lines.failed or any_failed(&lines.numbers, 6)
    if lines.pauses and not lines.failed and lines.ends.count > 1 and not lines.open:
        pause(lines.job)
    return lines.failed or lines.job.abandoned


cdef uint32_t lines_flags(const trawl_plan *plan) noexcept nogil:
    """The ends of matches do not matter, unless a match may end in a line in which another one begins."""
    if told_plan(plan, 0).flags & TRAWL_MULTILINE:
        return TRAWL_LINES
    return TRAWL_LINES_ALONE


cdef void work_lines(work *job) noexcept nogil:
    cdef lines_state *lines = <lines_state *>job.out
    cdef trawl_error error
    cdef int status = trawl_windows(job.searcher, job.plan, job.text,
                                    0 if lines.with_distances else lines_flags(job.plan),
                                    take_window, lines, &error)

    if not lines.failed:
        job.status = status
        job.error = error
    elif job.status == TRAWL_OK:  # take_window() stopped the search because memory ran out
        job.no_memory = True


@cython.final
@cython.no_gc
cdef class LineBatches(Iteration):
    """An iterator over the lines in which an occurrence begins; each item is a Lines."""

    cdef lines_state lines
    cdef walk by
    cdef bint is_text  # true: the lines become str

    def __dealloc__(self):
        self.end()

    cdef void end(self) noexcept:
        if self.handle is None:
            return
        if self.handle.abandon():
            self.searcher.give(self.handle)
            drop(&self.lines.numbers, 6)
        self.handle = None

    cdef object step(self):
        if self.handle is None:
            return None
        lines_restart(&self.lines)
        self.handle.step(None)
        self.handle.check(not self.handle.job.paused)
        found = self.taken() if self.lines.numbers.count > 0 else None
        if not self.handle.job.paused:
            self.end()
        return found

    cdef object taken(self):
        cdef uint64_t count = self.lines.numbers.count

        if count > 0:
            with nogil:
                walk_begins(&self.by, values_of(&self.lines.begins), count)
        return _sources.Lines(column_taken(&self.lines.numbers), column_taken(&self.lines.begins),
                              array_of("U" if self.is_text else "Z", count, &self.lines.ends, &self.lines.bytes, 1),
                              column_taken(&self.lines.distances) if self.lines.with_distances
                              else None)


cdef LineBatches line_batches(Searcher searcher, Plan plan, text, bint pauses, offsets):
    cdef LineBatches made = LineBatches.__new__(LineBatches)
    cdef work *job

    made.open(searcher, plan, text, offsets)
    job = &made.handle.job
    made.by = job.by
    made.is_text = job.is_text and told_plan(plan.plan, 0).line_end < 0x80
    made.lines.job = job
    made.lines.pauses = pauses
    made.lines.with_distances = plan.has_distances
    made.lines.line_end = told_plan(plan.plan, 0).line_end
    job.function, job.out = work_lines, &made.lines
    job.no_memory, job.status = False, TRAWL_OK
    return made
