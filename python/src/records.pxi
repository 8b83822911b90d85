# records: searches columns of records. The type Reader reads a list, or a column of another library through the Arrow C
# data and stream interfaces. The struct gather collects the results. Uses memory.pxi, arrow.pxi, columns.pxi, plan.pxi,
# searcher.pxi and search.pxi.

cdef extern from *:
    """
    /* As memcpy, without a call for up to 64 bytes. */
    static inline void copy_record(uint8_t *to, const uint8_t *from, uint64_t count)
    {
        if (count > 64) {
            memcpy(to, from, count);
        } else if (count >= 32) {
            memcpy(to, from, 32);
            memcpy(to + count - 32, from + count - 32, 32);
        } else if (count >= 16) {
            memcpy(to, from, 16);
            memcpy(to + count - 16, from + count - 16, 16);
        } else {
            for (; count > 0; count--)
                *to++ = *from++;
        }
    }
    """
    void copy_record(uint8_t *to, const uint8_t *source, uint64_t count) noexcept nogil


@cython.internal
@cython.final
cdef class Reader:
    """Reads a column chunk by chunk: a list of Python objects, an Arrow array or an Arrow stream."""

    cdef object first  # a capsule, or capsules, to be kept alive; or a list's items, None once they were read
    cdef object second
    cdef ArrowArrayStream *stream  # NULL: the column is one array or a list
    cdef ArrowSchema *schema
    cdef ArrowSchema own_schema  # the schema of a stream
    cdef ArrowArray own_array  # the current array of a stream
    # The current chunk. Of a dictionary column, it consists of a dictionary's values, each of which is searched once; in the
    # end, rows() returns what was found for each record. A column of runs ("+r") is read in the same way, with a value for
    # each run.
    cdef trawl_record_array records
    cdef bint is_keyed
    cdef column all_keys  # for each record of a keyed column the number of its value among those of all chunks; -1: null
    cdef uint64_t values_before  # the values of earlier chunks
    cdef uint64_t count  # number of records of the chunk or, after next_piece(), of the piece
    cdef const uint8_t *validity  # the records' validity bits; NULL: no record is null
    cdef uint64_t validity_begin
    cdef block *blocks[3]  # memory that was made for the chunk: bytes, offsets, validity bits
    cdef bint is_text  # records are strings of Arrow or of a Series, not binary values
    cdef bint no_bytes  # a list's items are str or None
    cdef const ArrowArray *views  # an array of views; its records from views_at on are unread
    cdef uint64_t views_at
    cdef uint64_t copy_bytes  # copy at most this many bytes of views at a time, which stay in the cores' caches
    cdef const string_view *run  # the chunk's records in a column of views
    cdef bint is_first_run  # in a column of views: the chunk or piece is the first of its array
    cdef bint has_views  # the column itself, not its dictionary, consists of views
    cdef uint64_t left  # records of the chunk that follow the current piece
    # contains_each, which reads records one by one:
    cdef uint64_t at  # the next record of the chunk
    cdef bint stays  # views are not copied, and `keys` are the chunk's
    cdef const ArrowArray *staying  # the array of the chunk's views, which were not copied; NULL: the chunk is `records`
    cdef uint32_t short_runs  # number of runs shorter than RUN_MIN that ended where the buffer changes (take_views)
    cdef int64_t *keys  # NULL: no dictionary

    def __cinit__(self, given, name):
        cdef const ArrowSchema *values
        cdef str format

        self.copy_bytes = UNKNOWN
        if type(given) is list:  # what follows would take a fifth of the time of a short one
            self.first = tuple(given)
            return
        if isinstance(given, (str, bytes)) or _sources.is_bytes(given):
            raise TypeError("records: a column or a list of strings is needed, not one string")
        if hasattr(given, "read"):
            raise TypeError("records: a column or a list of strings is needed, not a file; list(file) has its lines")
        if hint := _sources.polars_lazy_hint(given):
            raise TypeError(f"records: {hint}")
        given = host_column(given, name)
        if hasattr(given, "__arrow_c_stream__"):
            self.first = given.__arrow_c_stream__(None)
            self.stream = <ArrowArrayStream *>PyCapsule_GetPointer(self.first, "arrow_array_stream")
            if self.stream.get_schema(self.stream, &self.own_schema) != 0:
                self.own_schema.release = NULL
                self.fail_stream("no schema")
            self.schema = &self.own_schema
        elif hasattr(given, "__arrow_c_array__"):
            self.first, self.second = given.__arrow_c_array__(None)
            self.schema = <ArrowSchema *>PyCapsule_GetPointer(self.first, "arrow_schema")
        elif hasattr(given, "isna"):  # a Series of pandas 2
            self.first = tuple(given)
            self.is_text = all([isinstance(item, str) or item is None or _sources.is_missing(item) for item in self.first])
        else:
            items = _sources.array_items(given)
            if items is None and not (hasattr(given, "__iter__") or hasattr(given, "__getitem__")):
                raise TypeError(f"records: a column or a list of strings is needed, not {given!r:.80}")
            self.first = tuple(given if items is None else items)
        if self.schema != NULL:
            values = self.keyed()
            format = (values if values.dictionary == NULL else values.dictionary).format
            self.is_text = format not in ("z", "Z", "vz")
            self.is_keyed = self.schema != values or values.dictionary != NULL
            self.has_views = not self.is_keyed and format in ("vu", "vz")

    def __dealloc__(self):
        self.release()
        drop(&self.all_keys)
        if self.own_array.release != NULL:
            self.own_array.release(&self.own_array)
        if self.own_schema.release != NULL:
            self.own_schema.release(&self.own_schema)

    cdef const ArrowSchema *keyed(self) noexcept:
        """Return the schema of the column or, of a column of runs, of the runs' values."""
        return self.schema.children[1] if strcmp(self.schema.format, "+r") == 0 else self.schema

    cdef int fail_stream(self, str otherwise) except -1:
        cdef const char *why = self.stream.get_last_error(self.stream)

        raise RuntimeError("records: " + (otherwise if why == NULL else str(why)))

    cdef void release(self) noexcept:
        for i in range(3):
            block_release(self.blocks[i])
            self.blocks[i] = NULL
        self.keys = NULL

    cdef block *new_block(self, int place, uint64_t bytes) except NULL:
        self.blocks[place] = block_new(bytes)
        if self.blocks[place] == NULL:
            raise MemoryError()
        prefer_huge_pages(self.blocks[place])
        return self.blocks[place]

    cdef bint next(self) except -1:
        """Free the chunk, and read the next one; false: the column has ended."""
        self.release()
        if self.first is None:
            return False
        if self.views != NULL:
            return self.take_run()
        if self.stream == NULL:
            items, self.first = self.first, self.first if self.schema != NULL else None
            if self.schema == NULL:
                self.take_items(items)
                self.take_validity()
                return True
            if self.second is None:
                return False
            array, self.second = self.second, None
            self.first = (items, array)  # keeps the chunk's memory alive
            return self.take_array(<ArrowArray *>PyCapsule_GetPointer(array, "arrow_array"))
        if self.own_array.release != NULL:
            self.own_array.release(&self.own_array)
        if self.stream.get_next(self.stream, &self.own_array) != 0:
            self.own_array.release = NULL
            self.fail_stream("no next batch")
        return self.own_array.release != NULL and self.take_array(&self.own_array)

    cdef bint next_piece(self, uint64_t bytes) except -1:
        """Make the next piece: records of the chunk with up to `bytes` bytes, at least one record. False: the column has
        ended."""
        cdef trawl_record_array *records = &self.records
        cdef uint64_t low, high, middle

        PyErr_CheckSignals()
        if self.left == 0:
            if not self.next():
                return False
            self.left = self.count
        else:
            records.offsets = <const char *>records.offsets + self.count * records.offset_bytes
            records.validity_begin += self.count
            self.run += self.count
            self.is_first_run = False
        bytes += self.offset(0)
        low, high = min(<uint64_t>1, self.left), self.left
        while low < high:
            middle = low + (high - low + 1) // 2
            if self.offset(middle) <= bytes:
                low = middle
            else:
                high = middle - 1
        records.record_count = low
        self.take_validity()
        self.left -= low
        return True

    cdef void begin(self, uint64_t count, uint32_t offset_bytes) noexcept:
        memset(&self.records, 0, sizeof(self.records))
        self.records.size = sizeof(self.records)
        self.records.record_count = count
        self.records.offset_bytes = offset_bytes

    cdef int take_items(self, tuple items) except -1:
        """Copy a list's items to the chunk: str, bytes, and None or another missing value."""
        cdef uint64_t length = <uint64_t>len(items), i = 0
        cdef uint64_t *offsets = <uint64_t *>self.new_block(1, (length + 1) * 8).bytes
        cdef uint8_t *valid = self.new_block(2, length // 8 + 1).bytes
        cdef const char *utf8
        cdef Py_ssize_t count
        cdef taken_buffer view
        cdef column gathered

        self.no_bytes = True
        memset(&gathered, 0, sizeof(gathered))
        memset(valid, 0, length // 8 + 1)
        reach(&gathered, 64 * length + 1)
        try:
            for item in items:
                look_at(i)
                offsets[i] = gathered.count
                if isinstance(item, str):
                    utf8 = PyUnicode_AsUTF8AndSize(item, &count)
                    put(&gathered, utf8, <uint64_t>count, 1)
                    valid[i >> 3] |= <uint8_t>(1 << (i & 7))
                elif isinstance(item, bytes) or (item is not None and not _sources.is_missing(item)):
                    self.no_bytes = False
                    try:
                        take_buffer(item, &view)
                    except TypeError as fault:
                        raise TypeError(f"records: record {i}: {fault}") from None
                    put(&gathered, view.buf, <uint64_t>view.len, 1)
                    PyBuffer_Release(&view)
                    valid[i >> 3] |= <uint8_t>(1 << (i & 7))
                i += 1
            offsets[length] = gathered.count
            if gathered.failed:
                raise MemoryError()
        except UnicodeEncodeError as fault:
            fault.reason += f", in record {i}"
            raise
        finally:
            self.blocks[0] = gathered.memory
        self.begin(length, 8)
        self.records.bytes = gathered.memory.bytes
        self.records.offsets = offsets
        self.records.validity = valid
        return 0

    cdef bint take_run(self) except -1:
        """Read the next records of the array `views`."""
        self.run = self.take_views(self.views, self.views_at, True)
        self.is_first_run = self.views_at == 0
        self.take_validity()
        self.views_at += self.count
        if self.views_at == <uint64_t>self.views.length:
            self.views, self.views_at = NULL, 0
        return True

    cdef bint take_array(self, const ArrowArray *array) except -1:
        cdef const ArrowSchema *schema = self.keyed()
        cdef const ArrowArray *values = array if schema == self.schema else array.children[1]

        if self.has_views and self.stays:
            self.staying, self.run = array, <const string_view *>array.buffers[1] + array.offset
            self.count, self.validity, self.validity_begin = <uint64_t>array.length, validity_of(array), <uint64_t>array.offset
            return True
        if self.has_views:
            self.views = array
            return self.take_run()
        if schema.dictionary == NULL:
            self.take_strings(schema.format, values)
        else:
            # the values of a column of nulls may have any type
            self.take_strings(schema.dictionary.format if values.dictionary.length > 0 else "n", values.dictionary)
        self.take_validity()
        if self.is_keyed:
            self.take_keys(schema, values, array)
        return True

    cdef void take_validity(self) noexcept:
        self.count = self.records.record_count
        self.validity = self.records.validity
        self.validity_begin = self.records.validity_begin

    cdef int take_strings(self, str format, const ArrowArray *array) except -1:
        if format in ("u", "z", "U", "Z"):
            self.take_offsets(array, 4 if format in "uz" else 8)
        elif format in ("vu", "vz"):
            self.take_views(array, 0, False)
        elif format == "n":
            self.take_items((None,) * array.length)
        else:
            raise TypeError(f"records: strings or binary values are needed, not {_sources.arrow_kind(format)} "
                            f"(Arrow's format {format!r})")
        return 0

    cdef void take_offsets(self, const ArrowArray *array, uint32_t offset_bytes) noexcept:
        """Use an array of strings with offsets in place, without a copy."""
        self.begin(<uint64_t>array.length, offset_bytes)
        self.records.offsets = &no_offsets  # an empty array may lack the buffer of offsets
        if array.length > 0:
            self.records.offsets = <const char *>array.buffers[1] + array.offset * offset_bytes
            self.records.bytes = <const uint8_t *>array.buffers[2]
        self.records.validity = validity_of(array)
        self.records.validity_begin = <uint64_t>array.offset

    cdef const string_view *take_views(self, const ArrowArray *array, uint64_t at, bint in_place) except? NULL:
        """Make a chunk from an array of views, from record `at` on, and return the chunk's views.

        With in_place, strings that are adjacent in a buffer are used without a copy. Such a run becomes the chunk if it
        reaches the array's end, has RUN_MIN records, or ends where the next string changes buffers (at most
        SHORT_RUNS_MAX times). Otherwise strings are copied: with in_place up to copy_bytes, else all."""
        cdef uint64_t most = self.copy_bytes if in_place else UNKNOWN
        cdef uint64_t length = <uint64_t>array.length - at, run = length, total = 0, size, i
        cdef uint64_t *offsets = <uint64_t *>self.new_block(1, (length + 1) * 8).bytes
        cdef const string_view *views = NULL
        cdef const uint8_t *tape = NULL
        cdef const uint8_t *begin
        cdef uint8_t *bytes
        cdef int32_t buffer = 0

        self.begin(length, 8)
        self.records.validity = validity_of(array)
        self.records.validity_begin = <uint64_t>array.offset + at
        if length > 0:
            views = <const string_view *>array.buffers[1] + <uint64_t>array.offset + at
        for i in range(length):
            offsets[i] = total
            size = <uint32_t>views[i].count if self.is_valid(i) else 0
            if total + size > most and run < i:
                length = i
                break
            if size > 0 and run == length:
                begin = bytes_of_view(array.buffers, views + i)
                if size <= SHORT_MAX or (tape != NULL and begin != tape + total):
                    run = i
                    if run < RUN_MIN and size > SHORT_MAX and views[i].buffer != buffer:
                        self.short_runs += 1
                        in_place = in_place and self.short_runs <= SHORT_RUNS_MAX
                    else:
                        in_place = in_place and run >= RUN_MIN
                    if in_place:
                        break
                elif tape == NULL:
                    tape, buffer = begin, views[i].buffer
            total += size
        if in_place:
            self.records.record_count, self.records.bytes = run, tape
            offsets[run] = total
        else:
            offsets[length] = total
            bytes = self.new_block(0, total).bytes
            for i in range(length):
                if offsets[i + 1] > offsets[i]:
                    copy_record(bytes + offsets[i], bytes_of_view(array.buffers, views + i), offsets[i + 1] - offsets[i])
            self.records.record_count, self.records.bytes = length, bytes
        self.records.offsets = offsets
        return views

    cdef block *keep(self) except NULL:
        """Move the ArrowArray of the chunk's views into a block, which may outlive this object."""
        cdef ArrowArray *array = &self.own_array
        cdef block *kept = block_new(sizeof(ArrowArray))

        if self.stream == NULL:
            array = <ArrowArray *>PyCapsule_GetPointer(self.first[1], "arrow_array")
        if kept == NULL:
            raise MemoryError()
        memcpy(kept.bytes, array, sizeof(ArrowArray))
        kept.drop, array.release = array_drop, NULL
        return kept

    cdef int take_keys(self, const ArrowSchema *schema, const ArrowArray *keyed, const ArrowArray *array) except -1:
        """Find the value of each record: `keyed` are the column's keys, or the keys or values of its runs."""
        cdef const trawl_record_array *values = &self.records
        cdef const uint8_t *validity = validity_of(keyed)
        cdef const ArrowArray *ends = array.children[0] if keyed != array else NULL
        cdef int64_t key, at, run = 0
        cdef uint64_t i, count = <uint64_t>array.length

        if self.stays:
            self.all_keys.count = self.values_before = 0
        put_values(&self.all_keys, NULL, count)
        if self.all_keys.failed or not reach(&self.all_keys, 1):
            raise MemoryError()
        self.keys = <int64_t *>values_of(&self.all_keys) + self.all_keys.count - count
        for i in range(count):
            at, key = array.offset + <int64_t>i, -1
            if ends != NULL:
                while run < ends.length and key_at(self.schema.children[0].format[0], ends.buffers[1], ends.offset + run) <= at:
                    run += 1
                if run == ends.length:
                    raise ValueError("records: a column's last run is too short")
                at = keyed.offset + run
            if validity == NULL or bit_at(validity, <uint64_t>at):
                key = run if schema.dictionary == NULL else key_at(schema.format[0], keyed.buffers[1], at)
                if key < 0 or <uint64_t>key >= values.record_count:
                    raise ValueError("records: a dictionary column's key is wrong")
                if values.validity != NULL and not bit_at(values.validity, values.validity_begin + <uint64_t>key):
                    key = -1
            self.keys[i] = key + <int64_t>self.values_before if key >= 0 else -1
        self.values_before += values.record_count
        if self.stays:
            self.count, self.validity = count, NULL
        return 0

    cdef object rows(self, made):
        """Return the answer for each record of the column, of that for each value."""
        cdef block *keys = self.all_keys.memory

        return taken_rows(made, <uint64_t *>keys.bytes if keys != NULL else NULL, NULL, self.all_keys.count) if self.is_keyed else made

    cdef bint is_str(self) noexcept:
        """Return True if offsets in this column count characters by default."""
        return self.is_text or (self.schema == NULL and self.no_bytes)

    cdef uint64_t offset(self, uint64_t i) noexcept nogil:
        return offset_of(&self.records, i)

    cdef bint is_valid(self, uint64_t i) noexcept:
        """Return True if record i of `records` is not null."""
        return self.records.validity == NULL or bit_at(self.records.validity, self.records.validity_begin + i)

    cdef uint64_t rows_left(self) except? -1:
        """Return how many records of the chunk follow `at`, after reading a chunk if there were none; 0: the column has ended."""
        while self.at == self.count:
            self.at = self.count = 0
            if not self.next():
                return 0
        return self.count - self.at

    cdef inline const uint8_t *row(self, uint64_t i, uint64_t *count, const uint8_t **limit) noexcept nogil:
        """Return where record i of the column is, its number of bytes, and up to where memory can be read; NULL: the record
        is null."""
        cdef const string_view *view = self.run + i

        if self.keys != NULL:
            if self.keys[i] < 0:
                return NULL
            i = <uint64_t>self.keys[i]
        elif self.validity != NULL and not bit_at(self.validity, self.validity_begin + i):
            return NULL
        if self.staying != NULL:
            count[0], limit[0] = <uint32_t>view.count, <const uint8_t *>(self.run + self.count)
            if view.count > SHORT_MAX:  # the last buffer has the sizes of those with strings
                limit[0] = <const uint8_t *>self.staying.buffers[2 + view.buffer] + (
                    <const int64_t *>self.staying.buffers[self.staying.n_buffers - 1])[view.buffer]
            return bytes_of_view(self.staying.buffers, view)
        count[0] = self.offset(i + 1) - self.offset(i)
        limit[0] = self.records.bytes + self.offset(self.records.record_count)
        return self.records.bytes + self.offset(i) if count[0] > 0 else <const uint8_t *>&no_offsets

    cdef object value(self, uint64_t i):
        """Return record i of the column as bytes; None: the record is null."""
        cdef uint64_t count
        cdef const uint8_t *limit
        cdef const uint8_t *bytes = self.row(i, &count, &limit)

        return None if bytes == NULL else object_of(bytes, count, False)


cdef uint64_t no_offsets = 0


cdef enum:
    RUN_MIN = 4096  # with this many records in a chunk, the fixed cost of a search hardly matters
    SHORT_RUNS_MAX = 32  # enough for columns of polars, whose first buffers are small and double in size each time


cdef inline uint64_t offset_of(const trawl_record_array *records, uint64_t i) noexcept nogil:
    if records.offset_bytes == 4:
        return (<const uint32_t *>records.offsets)[i]
    return (<const uint64_t *>records.offsets)[i]


cdef const uint8_t *validity_of(const ArrowArray *array) noexcept:
    """Return the array's validity bits; NULL: no value is null."""
    if array.null_count == 0 or array.n_buffers < 1:
        return NULL
    return <const uint8_t *>array.buffers[0]


cdef int64_t key_at(char format, const void *keys, int64_t i) noexcept:
    """Return key i of a dictionary column; keys are never negative. -1: `format` is not an index type."""
    if format in b"cC":
        return (<const uint8_t *>keys)[i]
    if format in b"sS":
        return (<const uint16_t *>keys)[i]
    if format in b"iI":
        return (<const uint32_t *>keys)[i]
    return (<const int64_t *>keys)[i] if format in b"lL" else -1


def strings(column, /):
    """Return a column's values as a list of str or bytes."""
    cdef Reader reader = Reader(column, "patterns")

    found = []
    reader.stays = True
    while reader.next():
        found.extend([reader.value(i) for i in range(reader.count)])
    if None in found:
        raise ValueError(f"patterns: pattern {found.index(None)} is null")
    return [item.decode() for item in found] if reader.is_text else found


cdef enum gather_kind:  # FORMATS has the Arrow formats of the first four kinds
    CONTAINS  # does any pattern occur?
    WHICH  # the lowest index of the patterns that occur
    COUNTS  # how many patterns occur
    LISTS  # the indices of the patterns that occur
    CELLS  # record, pattern, first begin
    PATTERNS  # for each pattern: the number of records in which it occurs

cdef struct gather:
    gather_kind kind
    const trawl_record_array *records  # the current chunk's records
    bint characters  # CELLS: begins count characters
    uint64_t record_count  # records of earlier chunks
    uint64_t null_count
    column valid  # first of five adjacent columns
    column values  # CONTAINS: bits; else 64-bit results or offsets; for an Array of views: the views
    # For CELLS the three columns are the records, patterns and begins of the cells. For LISTS, cells[1] are the items
    # of the lists, or the bytes of the strings; for lists of strings, cells[2] are 0 and the strings' ends. For an Array
    # of views, cells[0] are the view_buffers, and cells[1] the bytes of the buffer being written.
    column cells[3]
    uint64_t array_at  # index in cells[0] of the first buffer of the array being read
    uint64_t fresh_at  # index in cells[0] of the buffer being written


cdef void gather_drop(gather *found) noexcept nogil:
    drop(&found.valid, 5)


cdef bint gather_failed(const gather *found) noexcept nogil:
    return any_failed(&found.valid, 5)


cdef inline void put_bit(column *grown, bint bit) noexcept nogil:
    cdef uint64_t place = grown.count & 7
    cdef uint8_t *byte

    if not reach(grown, grown.count // 8 + 1):
        return
    byte = grown.memory.bytes + (grown.count >> 3)
    byte[0] = (byte[0] if place > 0 else 0) | <uint8_t>(bit << place)
    grown.count += 1


cdef void put_which(gather *found, int64_t which) noexcept nogil:
    put_bit(&found.valid, which >= 0)
    found.null_count += which < 0
    put_value(&found.values, <uint64_t>which)


cdef void put_cells(gather *found, const trawl_cells *batch) noexcept nogil:
    cdef uint64_t at = 0
    cdef uint64_t cells = found.cells[0].count, lists = found.cells[1].count, begin, end, record, i

    if found.kind == CELLS:
        put_values(&found.cells[0], batch.records, batch.cell_count)
        put_values(&found.cells[1], batch.patterns, batch.cell_count)
        put_values(&found.cells[2], batch.begins, batch.cell_count)
        if gather_failed(found):
            return
        for i in range(cells, found.cells[0].count):
            if found.characters:
                record = values_of(&found.cells[0])[i]
                begin = offset_of(found.records, record)
                end = offset_of(found.records, record + 1)
                at = begin + values_of(&found.cells[2])[i]
                # An empty match may begin at the record's end, where there is no character.
                values_of(&found.cells[2])[i] = (
                    characters_in(found.records.bytes, begin, end) if at == end
                    else last_of(characters_in(found.records.bytes, begin, at + 1)))
            values_of(&found.cells[0])[i] += found.record_count
    elif found.kind == PATTERNS:
        for i in range(batch.cell_count):
            values_of(&found.values)[batch.patterns[i]] += 1
    else:  # for the other results, combine the cells of each record
        for record in range(batch.record_begin, batch.record_end):
            begin = at
            while at < batch.cell_count and batch.records[at] == record:
                at += 1
            if found.kind == WHICH:  # a record's cells are sorted by pattern, so the first is the lowest
                put_which(found, <int64_t>batch.patterns[begin] if at > begin else -1)
            elif found.kind == COUNTS:
                put_value(&found.values, at - begin)
            else:  # the end of the record's list; together with the first 0 there are record_count + 1 offsets
                put_value(&found.values, lists + at)
    if found.kind == LISTS:
        put_values(&found.cells[1], batch.patterns, batch.cell_count)


cdef int put_keys(gather *found, Reader reader) except -1:
    """Give each record of a keyed column the cells of its value, or count those of each pattern in `values`."""
    cdef uint64_t count = reader.values_before, at = 0, i, value, begin, cells
    cdef const int64_t *keys = <const int64_t *>values_of(&reader.all_keys)
    cdef uint64_t *first = <uint64_t *>calloc(count + 1, sizeof(uint64_t))
    cdef column records[3]
    cdef bint failed = first == NULL

    memset(records, 0, sizeof(records))
    for value in range(count + 1 if not failed else 0):
        while at < found.cells[0].count and values_of(&found.cells[0])[at] < value:
            at += 1
        first[value] = at
    for i in range(reader.all_keys.count if not failed else 0):
        begin = first[keys[i]] if keys[i] >= 0 else 0
        cells = first[keys[i] + 1] - begin if keys[i] >= 0 else 0
        for at in range(begin, begin + cells if found.values.count > 0 else begin):
            values_of(&found.values)[values_of(&found.cells[1])[at]] += 1
        if cells > 0 and found.values.count == 0:
            put_same(&records[0], i, cells)
            put_values(&records[1], values_of(&found.cells[1]) + begin, cells)
            put_values(&records[2], values_of(&found.cells[2]) + begin, cells)
    free(first)
    drop(&found.cells[0], 3)
    memcpy(found.cells, records, sizeof(records))
    if failed or any_failed(records, 3):
        raise MemoryError()
    return 0


cdef void put_nulls(gather *found, Reader reader) noexcept:
    """Put the validity of the chunk's records, after all results of the chunk were put."""
    if found.kind in (CONTAINS, COUNTS, LISTS):
        put_bits(&found.valid, reader.validity, reader.validity_begin, reader.count)
        if reader.validity != NULL and not found.valid.failed and reader.count > 0:
            found.null_count += zeros_in(found.valid.memory.bytes, found.record_count, reader.count)
    found.record_count += reader.count


cdef enum:
    TRIAL_BYTES = 128 << 10
    TRIALS = 4  # each way twice, because the first search compiles
    TRIALS_EVERY = 32
    LONG_RECORD = 1 << 20  # records of this mean size are not read one by one

# The occurrences of an expression in records are found either by a search of the whole piece or, which is faster if most
# records have one, record by record. Small pieces show which way is faster; it is tried again from time to time.
cdef struct ways:
    bint may  # there is a choice
    bint one_by_one  # how the current piece is searched
    uint64_t pieces
    uint64_t began_ns
    double costs[2]  # time per byte of both ways


cdef void ways_begin(ways *by, Searcher searcher, Plan plan) noexcept:
    memset(by, 0, sizeof(by[0]))
    by.may = plan.by_matches and searcher.options.engine != TRAWL_ENGINE_CUDA


cdef uint64_t choose_way(ways *by, uint64_t most) noexcept:
    """Choose how the next piece is searched, and return how many bytes it has at most."""
    cdef uint64_t turn = by.pieces % TRIALS_EVERY

    if not by.may:
        return most
    by.one_by_one = turn & 1 if turn < TRIALS else by.costs[1] < by.costs[0]
    if turn < 2:
        by.costs[turn] = 1e9
    by.pieces += 1
    by.began_ns = now_ns(CLOCK_MONOTONIC)
    return TRIAL_BYTES if turn < TRIALS else most


cdef void note_way(ways *by, uint64_t bytes) noexcept:
    if by.may:
        by.costs[by.one_by_one] = min(by.costs[by.one_by_one], <double>(now_ns(CLOCK_MONOTONIC) - by.began_ns) / <double>max(bytes, 1))


cdef void work_one_by_one(work *job) noexcept nogil:
    """Find for each record whether the expression matches; an empty match counts, too."""
    cdef gather *found = <gather *>job.out
    cdef trawl_line *line = NULL
    cdef trawl_range place
    cdef uint64_t i

    job.status = trawl_line_open(job.plan, 0, NULL, 0, NULL, &line, &job.error)
    for i in range(found.records.record_count):
        put_bit(&found.values, move_line(job, line, found.records, i) and next_match(job, line, 0, i, &place, 1))
    trawl_line_close(line)
    job.no_memory = found.values.failed


cdef inline bint move_line(work *job, trawl_line *line, const trawl_record_array *records, uint64_t i) noexcept nogil:
    """Move the open line to a record. False: the record is null, or the search has failed."""
    cdef uint64_t begin = offset_of(records, i)

    if job.status == TRAWL_OK and is_valid(records, i):
        job.status = trawl_line_move(line, records.bytes + begin, offset_of(records, i + 1) - begin, &job.error)
        return job.status == TRAWL_OK
    return False


cdef inline bint next_match(work *job, trawl_line *line, uint64_t begin, uint64_t looks, trawl_range *places,
                            uint64_t places_max) noexcept nogil:
    """Find the first match that begins at `begin` or later, and its groups. looks: number of the call. False: there is
    none, or the search has failed."""
    if looks & 63 == 0:
        poll(job)
    job.status = (TRAWL_STOPPED if job.stopped else
                  trawl_line_match(line, begin, places, places_max, &job.error))
    return job.status == TRAWL_OK and places.begin != UNKNOWN


cdef int take_cells(void *context, const trawl_cells *cells) noexcept nogil:
    cdef gather *found = <gather *>context

    put_cells(found, cells)
    return gather_failed(found)


cdef void work_records(work *job) noexcept nogil:
    cdef gather *found = <gather *>job.out
    cdef uint64_t count = found.records.record_count
    cdef trawl_record_array array = found.records[0]
    cdef trawl_records *records = NULL
    cdef trawl_answer out

    ask_for(&out, TRAWL_RECORDS_BITS if found.kind == CONTAINS else TRAWL_RECORDS_CELLS)
    array.flags = TRAWL_RECORDS_STAY
    job.status = trawl_records_load(job.searcher, &array, &records, &job.error)
    if job.status == TRAWL_OK and found.kind == CONTAINS:
        out.values, out.room = malloc(count // 8 + 1), count
        job.no_memory = out.values == NULL
        if not job.no_memory:
            job.status = trawl_ask_records(job.searcher, job.plan, records, &out, &job.error)
            if job.status == TRAWL_OK:
                put_bits(&found.values, <const uint8_t *>out.values, 0, count)
            free(out.values)
    elif job.status == TRAWL_OK:
        out.cells, out.context = take_cells, found
        job.status = trawl_ask_records(job.searcher, job.plan, records, &out, &job.error)
    job.no_memory = job.no_memory or gather_failed(found)
    trawl_records_unload(records)


cdef int search_chunk(Handle handle, Reader reader, progress, gather *found, bint one_by_one=False) except -1:
    cdef work *job = &handle.job

    if reader.records.record_count == 0:
        return 0
    found.records = &reader.records
    job.out = found
    job.bytes = reader.offset(reader.records.record_count) - reader.offset(0)
    handle.run(work_one_by_one if one_by_one else work_records, progress)
    job.before += job.bytes
    return 0


cdef int search_records(Searcher searcher, Plan plan, Reader reader, offsets, progress, gather *found) except -1:
    """Search a column chunk by chunk. The caller drops `found`, even after a failure."""
    cdef Handle handle = searcher.take()
    cdef ways by

    reader.copy_bytes = searcher.piece_bytes
    ways_begin(&by, searcher, plan)
    by.may = by.may and found.kind == CONTAINS
    handle.job.plan = plan.plan
    try:
        if found.kind == LISTS:  # Arrow's offsets begin with 0
            put_value(&found.values, 0)
        elif found.kind == PATTERNS:
            put_same(&found.values, 0, told_plan(plan.plan, 0).pattern_count)
        while not gather_failed(found) and reader.next_piece(choose_way(&by, 16 * searcher.piece_bytes if by.may else UNKNOWN >> 1)):
            found.characters = offsets == "characters" or (offsets is None and reader.is_str())
            search_chunk(handle, reader, progress, found, by.one_by_one)
            note_way(&by, handle.job.bytes)
            put_nulls(found, reader)
    finally:
        searcher.give(handle)
    return 0


cdef enum:
    FEW_ITEMS = 16


cdef bint is_few(items) except -1:
    """Return True for a short list of short str, bytes and None, whose items are faster searched one by one."""
    cdef Py_ssize_t total = 0

    if type(items) is not list or not 0 < len(<list>items) <= FEW_ITEMS:
        return False
    for item in <list>items:
        if type(item) is str or type(item) is bytes:
            total += len(item)
        elif item is not None:
            return False
    return total <= BRIEF_BYTES


cdef Array search_few(Searcher searcher, Plan plan, items, bint counts):
    """Say whether strings occur in the items of a short list, or count them. None: the ordinary search is needed, also to say
    which item is wrong."""
    cdef const char *bytes
    cdef Py_ssize_t count = 0
    cdef uint64_t found
    cdef trawl_match first
    cdef trawl_error error
    cdef Handle handle
    cdef gather made

    if not plan.is_brief or plan.regex is not None or not is_few(items):
        return None
    memset(&made, 0, sizeof(made))
    made.kind = COUNTS
    handle = searcher.take()
    try:
        for item in items:
            found = 0
            if item is not None:
                bytes = brief_bytes(item, &count)
                if bytes == NULL or trawl_list_bytes(handle.job.searcher, plan.plan, bytes, <uint64_t>count, 0, &first,
                                                     0 if counts else 1, &found, &error) != TRAWL_OK:
                    return None
            if counts:
                put_value(&made.values, found)
            else:
                put_bit(&made.values, found > 0)
            put_bit(&made.valid, item is not None)
        return array_of_values(&made, "L" if counts else "b")
    except UnicodeEncodeError:
        return None
    finally:
        searcher.give(handle)
        gather_drop(&made)


cdef object contains(Searcher searcher, Plan plan, column, out, bint bits, progress):
    if out is None and not bits and progress is None and type(column) is list:
        few = search_few(searcher, plan, column, False)
        if few is not None:
            return few
    if bits and out is not None:
        raise ValueError("out: not together with bits")
    there = answer_there(searcher, plan, column, TRAWL_RECORDS_BITS if bits else TRAWL_RECORDS_BYTES, "contains", out, progress)
    return there if there is not None else search_column(searcher, plan, column, progress, CONTAINS)


cdef object search_column(Searcher searcher, Plan plan, given, progress, gather_kind kind, offsets=None):
    """Search a column: CELLS returns a Cells, PATTERNS a Column, any other kind an Array."""
    cdef Reader reader = Reader(given, ("contains", "which", "pattern_counts", "pattern_lists", "cells",
                                        "record_counts")[<int>kind])
    cdef gather found

    memset(&found, 0, sizeof(found))
    found.kind = CELLS if kind == PATTERNS and reader.is_keyed else kind
    try:
        if offsets is not None:
            _sources.choice("offsets", offsets, ("characters", "bytes", None))
        search_records(searcher, plan, reader, offsets, progress, &found)
        if found.kind == CELLS and reader.is_keyed:
            put_same(&found.values, 0, told_plan(plan.plan, 0).pattern_count if kind == PATTERNS else 0)
            if not gather_failed(&found) and reader.all_keys.memory != NULL:
                put_keys(&found, reader)
        if gather_failed(&found):
            raise MemoryError()
        if kind == PATTERNS:
            return column_taken(&found.values)
        if kind == CELLS:
            return _sources.Cells(column_taken(&found.cells[0]), column_taken(&found.cells[1]),
                                  column_taken(&found.cells[2]))
        return reader.rows(array_of_gather(&found, FORMATS[<int>kind], sizeof(uint64_t)))
    finally:
        gather_drop(&found)


cdef Array array_of_gather(gather *found, const char *format, uint64_t unit):
    """Make an Array from the results, taking over their blocks. Items of lists have `unit` bytes."""
    cdef Array made

    made = array_of(format, found.record_count, &found.values, &found.cells[1] if found.kind == LISTS else NULL, unit)
    made.null_count = found.null_count
    if found.null_count > 0:
        made.validity = taken(&found.valid, 1)
        made.validity.size = (found.record_count + 7) // 8
    return made


cdef extern from *:
    """
    /* As memmem, which prepares each search: that takes longer than to search a short text. Bytes before `limit` are read. */
    static inline bool row_contains(const uint8_t *text, uint64_t count, const uint8_t *pattern, uint64_t bytes,
                                    const uint8_t *limit)
    {
        typedef uint8_t __attribute__((vector_size(16))) vector;
        const uint64_t half = bytes / 2, last = bytes - 1, places = count - last;
        uint64_t at = 0, failed = 0, flags[4];

        if (bytes == 0 || bytes > count)
            return bytes == 0;
        for (; at < places && (uint64_t)(limit - text) >= at + 32 + last && failed < 8; at += 32) {
            for (unsigned i = 0; i < 2; i++) {
                vector one, two, three;

                memcpy(&one, text + at + 16 * i, 16);
                memcpy(&two, text + at + 16 * i + half, 16);
                memcpy(&three, text + at + 16 * i + last, 16);
                one = (vector)(one == pattern[0]) & (vector)(two == pattern[half]) & (vector)(three == pattern[last]);
                memcpy(flags + 2 * i, &one, 16);
            }
            for (unsigned i = 0; (flags[0] | flags[1] | flags[2] | flags[3]) != 0 && i < 4; i++)
                for (; flags[i] != 0; failed++) { /* soon memmem, which takes linear time */
                    const unsigned bit = (unsigned)__builtin_ctzll(flags[i]) & ~7u;
                    const uint64_t place = at + 8 * i + bit / 8;

                    flags[i] &= ~(UINT64_C(255) << bit);
                    if (place < places && memcmp(text + place, pattern, bytes) == 0)
                        return true;
                }
        }
        return at < places && memmem(text + at, count - at, pattern, bytes) != NULL;
    }
    """
    bint row_contains(const uint8_t *text, uint64_t count, const uint8_t *pattern, uint64_t bytes,
                      const uint8_t *limit) nogil


cdef enum:
    EACH_ROWS = 1 << 14  # between two looks for signals


cdef void put_contained(gather *found, Reader texts, Reader patterns, uint64_t count) noexcept nogil:
    cdef bint no_nulls = texts.validity == NULL == patterns.validity and texts.keys == NULL == patterns.keys
    cdef const uint8_t *text
    cdef const uint8_t *pattern
    cdef const uint8_t *limit
    cdef uint64_t text_bytes, pattern_bytes, i

    for i in range(count):
        pattern = patterns.row(patterns.at + i, &pattern_bytes, &limit)
        text = texts.row(texts.at + i, &text_bytes, &limit)
        if not no_nulls:
            put_bit(&found.valid, text != NULL and pattern != NULL)
        put_bit(&found.values, text != NULL and pattern != NULL
                and row_contains(text, text_bytes, pattern, pattern_bytes, limit))
    if no_nulls:
        put_bits(&found.valid, NULL, 0, count)
    texts.at += count
    patterns.at += count


def contains_each(column, patterns):
    """Return for each record whether it contains the pattern in the same row of another column: an Array of bool, with null
    where one of them is null. Both columns may be lists or of other libraries, as for Plan.contains. The empty pattern is in
    every record.

    >>> contains_each(['banana', 'pear', 'fig', None], ['nan', 'nan', None, 'nan']).tolist()
    [True, False, None, None]
    """
    cdef Reader texts = Reader(column, "contains_each"), each = Reader(patterns, "contains_each")
    cdef gather found
    cdef uint64_t count

    memset(&found, 0, sizeof(found))
    texts.stays = each.stays = True
    try:
        while (count := min(texts.rows_left(), each.rows_left(), <uint64_t>EACH_ROWS)) > 0:
            with nogil:
                put_contained(&found, texts, each, count)
            PyErr_CheckSignals()
        if texts.rows_left() + each.rows_left() > 0:
            raise ValueError(f"contains_each: the {'column has' if texts.rows_left() > 0 else 'patterns have'} more than the "
                             f"{found.values.count} rows of the {'patterns' if texts.rows_left() > 0 else 'column'}")
        return array_of_values(&found, "b")
    finally:
        gather_drop(&found)


cdef Array array_of_values(gather *found, const char *format):
    """Make an Array of found.values, null where found.valid is not set."""
    if gather_failed(found):
        raise MemoryError()
    found.record_count = found.values.count
    found.null_count = zeros_in(found.valid.memory.bytes, 0, found.valid.count) if found.valid.count > 0 else 0
    return array_of_gather(found, format, 0)


def booleans(items, /):
    """Make an Array of bool of bools and missing values."""
    cdef gather found

    memset(&found, 0, sizeof(found))
    try:
        for i, item in enumerate(items):
            if type(item) is not bool:
                item = _sources.truth(i, item)
            put_bit(&found.values, item is True)
            put_bit(&found.valid, item is not None)
        return array_of_values(&found, "b")
    finally:
        gather_drop(&found)


cdef object mask_of(Array left, other, bint inverts, bint inverted):
    """Combine two Arrays of bool with and: with `inverts`, the inverted values of both; with `inverted`, to be inverted."""
    cdef Array right
    cdef gather found
    cdef bint one, two, knows_one, knows_two
    cdef uint64_t i

    if left.format[0] != b"b":
        return NotImplemented
    if left.null_count > 0 and type(other).__module__ == "numpy":
        raise TypeError("an Array with nulls does not combine with numpy's arrays, which have none; "
                        "to_numpy().astype(bool) makes each null False")
    if type(other) is not Array:
        return _sources.combined(left, other, "or_" if inverts else "and_")
    right = other
    if right.format[0] != b"b":
        return NotImplemented
    if left.length != right.length:
        raise ValueError(f"masks of {left.length} and {right.length} values cannot be combined")
    memset(&found, 0, sizeof(found))
    try:
        for i in range(<uint64_t>left.length):
            look_at(i)
            one = bit_at(left.data.bytes, left.first + i) != inverts
            two = bit_at(right.data.bytes, right.first + i) != inverts
            knows_one = left.validity == NULL or bit_at(left.validity.bytes, left.first + i)
            knows_two = right.validity == NULL or bit_at(right.validity.bytes, right.first + i)
            put_bit(&found.values, (one and two) != inverted)
            put_bit(&found.valid, (knows_one and (knows_two or not one)) or (knows_two and not two))
        return array_of_values(&found, "b")
    finally:
        gather_drop(&found)
