# device_records: columns of records that are on a GPU. Accepts columns through the Arrow device protocol, or as two
# arrays, and defines the type Records, which keeps a column loaded. Uses device.pxi, arrow.pxi, columns.pxi and
# searcher.pxi.

cdef struct ArrowDeviceArrayStream:
    int32_t device_type
    int (*get_schema)(ArrowDeviceArrayStream *, ArrowSchema *) noexcept nogil
    int (*get_next)(ArrowDeviceArrayStream *, ArrowDeviceArray *) noexcept nogil
    const char *(*get_last_error)(ArrowDeviceArrayStream *) noexcept nogil
    void (*release)(ArrowDeviceArrayStream *) noexcept nogil
    void *private_data


@cython.internal
@cython.final
@cython.no_gc
cdef class Part:
    """A chunk of a column in a GPU's memory."""

    cdef object owner  # the capsule or the arrays that keep the memory alive
    cdef ArrowDeviceArray array  # of a stream; release is NULL: `owner` keeps the memory
    cdef trawl_record_array records
    cdef int64_t device

    def __cinit__(self):
        self.records.size = sizeof(self.records)

    def __dealloc__(self):
        if self.array.array.release != NULL:
            self.array.array.release(&self.array.array)

    cdef int take_array(self, const ArrowDeviceArray *given, uint32_t unit, column=None) except -1:
        cdef const ArrowArray *array = &given.array
        cdef uint64_t offset

        if array.release == NULL:
            raise ValueError("records: the Arrow array was released")
        if given.device_type not in (KIND_CUDA, KIND_CUDA_MANAGED):
            raise _devices.no_device("records", given.device_type)
        if array.length < 0 or array.offset < 0 or array.offset > (<int64_t>1 << 60) - array.length:
            raise ValueError(f"records: the Arrow array has length {array.length} and offset {array.offset}")
        if array.n_buffers != 3 or array.buffers == NULL or (array.length > 0 and array.buffers[1] == NULL):
            raise ValueError("records: the Arrow array lacks the buffer of offsets")
        offset = <uint64_t>array.offset
        if offset == 0 and array.length > 0 and column is not None:
            offset = _devices.lost_offset(column, <uint64_t>array.buffers[1], unit)
        self.device = given.device_id
        self.records.record_count, self.records.offset_bytes = <uint64_t>array.length, unit
        self.records.bytes = <const uint8_t *>array.buffers[2]
        self.records.offsets = <const uint8_t *>array.buffers[1] + offset * unit
        if array.null_count != 0:
            self.records.validity, self.records.validity_begin = <const uint8_t *>array.buffers[0], offset
        if array.length > 0:
            self.device = device_of(<uint64_t>self.records.offsets, self.device, "records")
        if given.sync_event != NULL:
            wait_for(self.device, 0, (<void **>given.sync_event)[0])
        return 0


cdef Part pair_part(given):
    """Make a part from (bytes, offsets)."""
    cdef Part made = Part()
    cdef Lent data = lent_of(given[0], "bytes"), offsets = lent_of(given[1], "offsets")

    if data.unit != 1 or data.kind == "b":
        raise TypeError(f"bytes: uint8 is needed, not {data.kind}{8 * data.unit}")
    if offsets.unit < 4 or (offsets.unit == 4 and offsets.kind != "i") or offsets.kind == "b":
        raise TypeError(f"offsets: int32, int64 or uint64 is needed, not {offsets.kind}{8 * offsets.unit}")
    if offsets.count == 0:
        raise ValueError("offsets: one number more than records is needed, and the array is empty")
    if data.count > 0 and data.device != offsets.device:
        raise ValueError(f"bytes and offsets lie on different devices, {data.device} and {offsets.device}")
    made.owner, made.device = (data, offsets), offsets.device
    made.records.bytes, made.records.offsets = <const uint8_t *>data.address, <const void *>offsets.address
    made.records.record_count, made.records.offset_bytes = offsets.count - 1, offsets.unit
    made.records.bytes_count = data.count
    if data.count == 0 and offsets_of(made)[1] > 0:  # the library does not know that there are no bytes
        raise ValueError("offsets: they exceed the bytes, of which there are none")
    return made


cdef list stream_parts(given, bint *is_text):
    cdef object capsule = given.__arrow_c_device_stream__()
    cdef ArrowDeviceArrayStream *stream
    cdef ArrowSchema schema
    cdef const char *why
    cdef uint32_t unit
    cdef Part part

    stream = <ArrowDeviceArrayStream *>PyCapsule_GetPointer(capsule, "arrow_device_array_stream")
    if stream.device_type == KIND_CPU:
        return None
    if stream.get_schema(stream, &schema) != 0:
        why = stream.get_last_error(stream)
        raise RuntimeError("records: " + ("no schema" if why == NULL else str(why)))
    try:
        unit, is_text[0] = _devices.arrow_form(schema.format, schema.dictionary != NULL)
    finally:
        if schema.release != NULL:
            schema.release(&schema)
    parts = []
    while True:
        part = Part()
        if stream.get_next(stream, &part.array) != 0:
            part.array.array.release = NULL
            why = stream.get_last_error(stream)
            raise RuntimeError("records: " + ("no next batch" if why == NULL else str(why)))
        if part.array.array.release == NULL:
            return parts
        part.take_array(&part.array, unit)
        parts.append(part)


cdef list column_parts(given, bint *is_text):
    """Return the parts of a column on a GPU; None: the column is in the host's memory."""
    cdef ArrowDeviceArray *array
    cdef ArrowSchema *schema
    cdef Part part

    is_text[0] = False
    if isinstance(given, (list, str, bytes)):
        return None
    if isinstance(given, tuple):
        return [pair_part(given)] if _devices.is_pair(given) else None
    if type(given).__module__.partition(".")[0] in ("pyarrow", "polars", "trawl", "numpy") and not isinstance(given, DeviceStrings):
        return None
    if hasattr(given, "to_pylibcudf"):  # a Series of cuDF
        given = given.to_pylibcudf()
        if isinstance(given, tuple):
            given = given[0]
    if hasattr(given, "__arrow_c_device_array__"):
        schema_capsule, capsule = given.__arrow_c_device_array__()
        schema = <ArrowSchema *>PyCapsule_GetPointer(schema_capsule, "arrow_schema")
        array = <ArrowDeviceArray *>PyCapsule_GetPointer(capsule, "arrow_device_array")
        if array.device_type == KIND_CPU:
            return None
        part = Part()
        unit, is_text[0] = _devices.arrow_form(schema.format, schema.dictionary != NULL)
        part.owner = capsule
        part.take_array(array, unit, given)
        return [part]
    if hasattr(given, "__arrow_c_device_stream__"):
        return stream_parts(given, is_text)
    if _devices.is_there(given):
        raise TypeError("records: an array on a GPU is one text; (bytes, offsets) are records")
    return None


cdef struct records_work:
    trawl_records *records
    trawl_answer out


cdef void work_records_there(work *job) noexcept nogil:
    cdef records_work *asked = <records_work *>job.out

    job.status = trawl_ask_records(job.searcher, job.plan, asked.records, &asked.out, &job.error)


cdef struct rewrite_work:
    trawl_records *records
    trawl_rewrite out


cdef void work_rewrite_there(work *job) noexcept nogil:
    cdef rewrite_work *asked = <rewrite_work *>job.out

    job.status = trawl_records_rewrite(job.searcher, asked.records, &asked.out, &job.error)


@cython.final
@cython.no_gc
cdef class Records(Made):
    """A column of records on a GPU, loaded by Searcher.load for many searches.

    contains(), match_counts(), match_lists() and cells() of a plan return results on the GPU. The column's memory must not change
    before Searcher.unload() or Searcher.close(). device: the GPU's number.
    """

    cdef Searcher searcher
    cdef trawl_records *records  # NULL: unloaded
    cdef object parts  # keep the caller's memory alive
    cdef Part part
    cdef block *rooms[3]  # bytes, offsets and validity of joined parts
    cdef bint is_text
    cdef bint copies
    cdef object on_host  # an Array, made when only the host can answer
    cdef object has_lines  # a bool: some record contains a newline; None: unknown
    cdef uint64_t fork_count  # value of `forks` when the column was loaded
    cdef object __weakref__
    cdef readonly int64_t device

    def __len__(self):
        return <Py_ssize_t>self.part.records.record_count

    def __repr__(self):
        return f"<trawl.Records of {len(self)} on device {self.device}>"

    def __reduce__(self):
        raise _errors.no_pickle(self)

    def __dealloc__(self):
        self.drop()
        for i in range(3):
            block_release(self.rooms[i])

    cdef void drop(self) noexcept:
        """Unload the records. A forked child cannot use the device, so it unloads nothing."""
        cdef trawl_records *records = self.records

        self.records = NULL
        if records != NULL and self.fork_count == load(&forks, LOADED):
            trawl_records_unload(records)

    cdef int open(self, list parts) except -1:
        cdef Handle handle
        cdef trawl_error error
        cdef trawl_record_array array
        cdef trawl_records *records = NULL
        cdef int status
        cdef Part part

        for i in range(3):
            block_release(self.rooms[i])
            self.rooms[i] = NULL
        parts = [part for part in parts if part.records.record_count > 0] or parts[:1]
        self.parts, self.part = parts, parts[0] if parts else Part()
        self.device = self.part.device
        for part in parts:
            if part.device != self.device:
                raise ValueError(f"records: chunks lie on different devices, {self.device} and {part.device}")
        if len(parts) > 1:
            self.join(parts)
        array = self.part.records
        handle = self.searcher.take()
        try:
            with nogil:
                status = trawl_records_load(handle.job.searcher, &array, &records, &error)
        finally:
            self.searcher.give(handle)
        check_there(status, &error)
        self.records, self.fork_count = records, load(&forks, LOADED)
        return 0

    cdef int join(self, list parts) except -1:
        """Join the parts on the device: offsets and validity bits are copied through the host."""
        cdef uint64_t rows = 0, total = 0, at = 0
        cdef Part part, made = Part()
        cdef column ends, valid

        memset(&ends, 0, sizeof(ends))
        memset(&valid, 0, sizeof(valid))
        made.device = self.device
        try:
            put_value(&ends, 0)
            for part in parts:
                total += put_offsets(part, &ends, NULL)
                put_validity(part, &valid)
                rows += part.records.record_count
            if ends.failed or valid.failed:
                raise MemoryError()
            self.rooms[0] = room_new(self.device, total)
            for part in parts:
                first, end = offsets_of(part)
                send(self.device, room_of(self.rooms[0]).address + at, <uint64_t>part.records.bytes + first, NULL, end - first)
                at += end - first
            self.rooms[1], self.rooms[2] = room_new(self.device, ends.count * 8), room_new(self.device, rows // 8 + 1)
            send(self.device, room_of(self.rooms[1]).address, 0, ends.memory.bytes, ends.count * 8)
            send(self.device, room_of(self.rooms[2]).address, 0, valid.memory.bytes, (rows + 7) // 8)
        finally:
            drop(&ends)
            drop(&valid)
        made.records.bytes = <const uint8_t *>room_of(self.rooms[0]).address
        made.records.offsets, made.records.offset_bytes = <const void *>room_of(self.rooms[1]).address, 8
        made.records.validity, made.records.record_count = <const uint8_t *>room_of(self.rooms[2]).address, rows
        self.part, self.parts = made, None  # the caller's memory is not needed any more
        return 0

    cdef object host(self, str name):
        """Return the column as an Array in the host's memory, for a question that only the host can answer."""
        cdef column ends, valid, bytes
        cdef Array made

        if not self.copies:
            raise _errors.make(TRAWL_UNSUPPORTED, _devices.question(name, "column"), 0, 0, UNKNOWN, UNKNOWN)
        if self.on_host is not None:
            return self.on_host
        memset(&ends, 0, sizeof(ends))
        memset(&valid, 0, sizeof(valid))
        memset(&bytes, 0, sizeof(bytes))
        try:
            put_value(&ends, 0)
            put_offsets(self.part, &ends, &bytes)
            put_validity(self.part, &valid)
            if ends.failed or valid.failed or bytes.failed:
                raise MemoryError()
            made = array_of("U" if self.is_text else "Z", self.part.records.record_count, &ends, &bytes, 1)
            if self.part.records.validity != NULL:
                made.validity = taken(&valid, 1)
                made.null_count = zeros_in(made.validity.bytes, 0, <uint64_t>made.length)
            self.on_host = made
            return made
        finally:
            drop(&ends)
            drop(&valid)
            drop(&bytes)

    cdef int ask(self, Plan plan, int shape, void *values, void *patterns, uint64_t room, uint64_t *count, str name,
                 progress, DeviceMatches into=None) except -1:
        """Call trawl_ask_records. Return False if `room` is too small."""
        cdef Handle handle
        cdef records_work asked

        if self.records == NULL or self.fork_count != load(&forks, LOADED):
            raise ValueError("the records are unloaded, or belong to the process that forked this process")
        asked.records = self.records
        ask_for(&asked.out, shape)
        asked.out.values, asked.out.patterns, asked.out.room = values, patterns, room
        if into is not None:
            asked.out.begins, asked.out.ends = <void *>into.begins.address(), <void *>into.ends.address()
            asked.out.cell_bytes = into.begins.unit
        handle = self.searcher.take()
        try:
            handle.job.plan, handle.job.out, handle.job.bytes = plan.plan, &asked, BRIEF_BYTES
            handle.run(work_records_there, progress)
        except _errors.LimitError:
            if asked.out.count <= room:
                raise
        except _errors.UnsupportedError as fault:
            raise _errors.make(TRAWL_UNSUPPORTED, _devices.question(name, "column"), 0, 0, UNKNOWN, UNKNOWN) from fault
        finally:
            self.searcher.give(handle)
        count[0] = asked.out.count
        return asked.out.count <= room or shape not in (TRAWL_RECORDS_CELLS, TRAWL_RECORDS_MATCHES)

    cdef object values(self, Plan plan, int shape, str name, out, progress):
        """Return a value for each record: a DeviceArray, or the caller's array."""
        cdef uint64_t count = self.part.records.record_count, found
        cdef uint32_t unit = 0 if shape == TRAWL_RECORDS_BITS else 1 if shape == TRAWL_RECORDS_BYTES else 4
        cdef DeviceArray made = None
        cdef Lent target = None
        cdef uint64_t address

        if out is not None:
            target = out_of(out, "out", "i" if unit > 1 else "u", unit, count, self.device)
        else:
            made = device_array(self.device, count, unit)
        address = target.address if made is None else made.address()
        self.ask(plan, shape, <void *>address, NULL, count, &found, name, progress)
        if made is None:
            return out
        if unit == 0:
            self.put_nulls(made)
        return made

    cdef int put_nulls(self, DeviceArray made) except -1:
        """Give the records' validity to a result."""
        cdef uint64_t count = self.part.records.record_count
        cdef column valid

        if self.part.records.validity == NULL:
            return 0
        memset(&valid, 0, sizeof(valid))
        try:
            put_validity(self.part, &valid)
            if valid.failed:
                raise MemoryError()
            made.null_count = zeros_in(valid.memory.bytes, 0, count)
            made.validity = room_new(self.device, (count + 7) // 8)
            send(self.device, room_of(made.validity).address, 0, valid.memory.bytes, (count + 7) // 8)
        finally:
            drop(&valid)
        return 0

    cdef bint may_count(self, Plan plan, str name, progress) except -1:
        """Return whether a count of matches in each record is right: in records of several lines, expressions are
        searched for in each line."""
        cdef uint64_t count = 0

        if plan.by_lines and self.has_lines is None:
            self.ask(Plan(b"\n"), TRAWL_RECORDS_CELLS, NULL, NULL, 0, &count, name, progress)
            self.has_lines = count > 0
        return not plan.by_lines or not self.has_lines

    cdef tuple cells(self, Plan plan, progress):
        """Return the columns of records and of patterns."""
        cdef uint64_t room = self.part.records.record_count + 1024, count = 0
        cdef DeviceArray records, patterns

        while True:
            records, patterns = device_array(self.device, room, 8), device_array(self.device, room, 8)
            if self.ask(plan, TRAWL_RECORDS_CELLS, <void *>records.address(), <void *>patterns.address(), room, &count,
                        "cells", progress):
                break
            room = count
        records.length = patterns.length = count
        return records, patterns

    cdef DeviceMatches matches(self, Plan plan, bint first, progress, str name="match_lists"):
        """Return all occurrences, or each record's first."""
        cdef uint64_t rows = self.part.records.record_count, room = rows if first else rows + 1024, count = 0
        cdef uint32_t unit = max(self.part.records.offset_bytes, 4)
        cdef uint64_t none = 0
        cdef DeviceMatches made = DeviceMatches.__new__(DeviceMatches)

        if not first:
            made.offsets = device_array(self.device, rows + 1, unit)
            send(self.device, made.offsets.address(), 0, <const void *>&none, unit)  # all of it, if there are no records
        while True:
            made.begins, made.ends = device_array(self.device, room, unit), device_array(self.device, room, unit)
            made.patterns = device_array(self.device, room, unit)
            if self.ask(plan, TRAWL_RECORDS_FIRST if first else TRAWL_RECORDS_MATCHES,
                        NULL if first else <void *>made.offsets.address(), <void *>made.patterns.address(), room, &count,
                        name, progress, made) and (count < <uint64_t>1 << 31 or unit == 8):
                break
            room = count
            if count >> 31 != 0 and unit == 4:
                unit = 8
                made.offsets = device_array(self.device, rows + 1, unit)
        if not first:
            made.begins.length = made.ends.length = made.patterns.length = count
            self.put_nulls(made.offsets)
        return made

    cdef DeviceStrings rewrite(self, Plan plan, DeviceMatches found, Values values, uint64_t group, match, progress):
        """Return the records with values in place of matches that do not overlap; values is None: the parts between them,
        or with `group` that group of each record's first match."""
        cdef DeviceStrings made = DeviceStrings.__new__(DeviceStrings)
        cdef uint64_t rows = self.part.records.record_count, none = 0, longest = 1, i, count
        cdef bint splits = values is None and group == 0
        cdef trawl_answer given
        cdef rewrite_work asked
        cdef DeviceArray nulls
        cdef Handle handle
        cdef uint32_t unit
        cdef block *valid

        memset(&asked, 0, sizeof(asked))
        ask_for(&given, TRAWL_RECORDS_MATCHES)
        count = given.count = given.room = found.begins.length
        given.cell_bytes = found.begins.unit
        given.values, given.patterns = <void *>found.offsets.address(), <void *>found.patterns.address()
        given.begins, given.ends = <void *>found.begins.address(), <void *>found.ends.address()
        asked.records = self.records
        asked.out.size, asked.out.how, asked.out.matches = sizeof(asked.out), TRAWL_SPLIT if splits else TRAWL_GROUP, &given
        asked.out.flags = TRAWL_SPANS_FIRST if match == "leftmost-first" else TRAWL_SPANS
        if group > 0:
            asked.out.plan, asked.out.group = plan.plan, group
        if values is not None:
            asked.out.how = TRAWL_REPLACE if not values.masks else TRAWL_MASK_CHARACTERS if self.is_text else TRAWL_MASK
            asked.out.values, asked.out.values_count = <const trawl_value *>values.pieces, max(values.patterns, 1)
            for i in range(asked.out.values_count if not values.masks else 0):
                longest = max(longest, values.pieces[i].count)
        first, end = offsets_of(self.part)
        asked.out.room = min(end - first, 16 * count) if group > 0 else end - first + count * (longest - 1)
        handle = self.searcher.take()
        try:
            handle.job.out, handle.job.bytes = &asked, BRIEF_BYTES
            while True:
                unit = 8 if (asked.out.room | (rows + count if splits else 0)) >> 31 != 0 else max(self.part.records.offset_bytes, 4)
                made.offsets = nulls = device_array(self.device, rows + 1 + (count if splits else 0), unit)
                send(self.device, made.offsets.address(), 0, <const void *>&none, unit)  # all of it, if there are no records
                if splits:
                    made.lists = nulls = device_array(self.device, rows + 1, unit)
                    send(self.device, made.lists.address(), 0, <const void *>&none, unit)
                    asked.out.lists = <void *>made.lists.address()
                if group > 0:
                    nulls.validity = room_new(self.device, (rows + 31) // 32 * 4)
                    asked.out.validity = <void *>room_of(nulls.validity).address
                block_release(made.bytes)
                made.bytes = NULL
                made.bytes = room_new(self.device, asked.out.room)
                asked.out.offsets, asked.out.bytes = <void *>made.offsets.address(), <void *>room_of(made.bytes).address
                asked.out.offset_bytes = unit
                try:
                    handle.run(work_rewrite_there, progress)
                    break
                except _errors.LimitError:
                    if asked.out.count <= asked.out.room:
                        raise
                asked.out.room = asked.out.count
        finally:
            self.searcher.give(handle)
        made.nbytes, made.is_text = asked.out.count, self.is_text
        made.offsets.length = (asked.out.strings if rows > 0 else 0) + 1
        if group > 0:
            valid = block_new((rows + 7) // 8)
            if valid == NULL:
                raise MemoryError()
            try:
                bring(self.device, valid.bytes, room_of(nulls.validity).address, (rows + 7) // 8)
                nulls.null_count = zeros_in(valid.bytes, 0, rows)
            finally:
                block_release(valid)
        elif found.offsets.validity != NULL:
            nulls.validity, nulls.null_count = block_share(found.offsets.validity), found.offsets.null_count
        return made


cdef tuple offsets_of(Part part):
    """Return the first and the last offset."""
    cdef const trawl_record_array *records = &part.records
    cdef uint64_t ends[2]

    memset(&ends[0], 0, sizeof(ends))
    if records.record_count > 0:
        bring(part.device, &ends[0], <uint64_t>records.offsets, records.offset_bytes)
        bring(part.device, &ends[1], <uint64_t>records.offsets + records.record_count * records.offset_bytes,
              records.offset_bytes)
    if ends[0] > ends[1] or ends[1] >= <uint64_t>1 << (31 if records.offset_bytes == 4 else 63):
        raise ValueError(f"records: the first offset is {ends[0]} and the last {ends[1]}")
    return ends[0], ends[1]


cdef uint64_t put_offsets(Part part, column *ends, column *bytes) except? -1:
    """Append the ends of a part's records, counted from the column's first byte, and also the records' bytes, if `bytes`.
    Return the number of bytes."""
    cdef const trawl_record_array *records = &part.records
    cdef uint64_t count = records.record_count, base, before, last, i, at
    cdef block *copy

    first, end = offsets_of(part)
    base, last = first, first
    if ends.failed:
        raise MemoryError()
    before = values_of(ends)[ends.count - 1]
    copy = block_new((count + 1) * 8)
    if copy == NULL:
        raise MemoryError()
    try:
        if count > 0:
            bring(part.device, copy.bytes, <uint64_t>records.offsets, (count + 1) * records.offset_bytes)
        put_values(ends, NULL, count)
        for i in range(count if not ends.failed else 0):
            at = (<uint32_t *>copy.bytes)[i + 1] if records.offset_bytes == 4 else (<uint64_t *>copy.bytes)[i + 1]
            if at < last or at > <uint64_t>end:
                raise ValueError(f"records: the offsets descend at record {i}")
            last = at
            values_of(ends)[ends.count - count + i] = before + at - base
    finally:
        block_release(copy)
    if bytes != NULL:
        put(bytes, NULL, last - base, 1)
        if not bytes.failed and last > base:
            bring(part.device, bytes.memory.bytes, <uint64_t>records.bytes + base, last - base)
    return last - base


cdef int put_validity(Part part, column *valid) except -1:
    """Append a part's validity bits."""
    cdef const trawl_record_array *records = &part.records
    cdef uint64_t first = records.validity_begin >> 3, end = (records.validity_begin + records.record_count + 7) >> 3
    cdef block *copy

    if records.validity == NULL:
        put_bits(valid, NULL, 0, records.record_count)
        return 0
    copy = block_new(end - first)
    if copy == NULL:
        raise MemoryError()
    try:
        bring(part.device, copy.bytes, <uint64_t>records.validity + first, end - first)
        put_bits(valid, copy.bytes, records.validity_begin & 7, records.record_count)
    finally:
        block_release(copy)
    return 0


cdef int check_there(int status, trawl_error *error) except -1:
    """Raise the error of a load, with a hint if the package has no kernels."""
    try:
        return check(status, error)
    except _errors.EngineError as fault:
        if "without nvcc" in str(fault):
            raise _errors.make(status, f"{fault}; a wheel that ./dev package made where nvcc is has them, and "
                               "so has pip install . there", 0, 0,
                               UNKNOWN, UNKNOWN) from None
        raise


cdef Records load_records(Searcher searcher, given, bint copies):
    """Load a column on a GPU; None: the object is not one. Records are returned as they are."""
    cdef Records made
    cdef list parts
    cdef bint is_text = False

    if isinstance(given, Records):
        return given
    parts = column_parts(given, &is_text)
    if parts is None:
        return None
    if searcher.options.engine == TRAWL_ENGINE_CPU:
        raise ValueError("the column lies on a GPU, and the Searcher has the engine 'cpu'")
    made = Records.__new__(Records)
    made.searcher, made.is_text, made.copies = searcher, is_text, copies
    made.part = Part()
    try:
        made.open(parts)
    except _errors.OutOfMemoryError:  # the pool may have memory that the library needs
        enter(made.device)
        found = free_pool(made.device)
        leave()
        if not found:
            raise
        made.open(parts)
    searcher.columns.add(made)
    return made


cdef object host_column(given, str name):
    """Return a column in the host's memory, for a question that only the host can answer."""
    cdef bint is_text = False

    if isinstance(given, Records):
        return (<Records>given).host(name)
    if column_parts(given, &is_text) is not None:
        raise _errors.make(TRAWL_UNSUPPORTED, _devices.question(name, "column"), 0, 0, UNKNOWN, UNKNOWN)
    return given


cdef bint offsets_are_bytes(offsets, Records records) except -1:
    _sources.choice("offsets", offsets, ("characters", "bytes", None))
    return offsets == "bytes" or (offsets is None and not records.is_text)


cdef object answer_there(Searcher searcher, Plan plan, given, int shape, str name, out, progress, offsets=None):
    """Answer a question about a column on a GPU: cells as two DeviceArrays, occurrences as a DeviceMatches, otherwise a
    value for each record. None: the host must answer."""
    cdef Records records = load_records(searcher, given, False)
    cdef bint first = shape == TRAWL_RECORDS_FIRST, lists = first or shape == TRAWL_RECORDS_MATCHES

    if records is None:
        if out is not None:
            raise ValueError("out: only for columns on a GPU")
        return None
    try:
        if lists and not offsets_are_bytes(offsets, records):
            raise _errors.make(TRAWL_UNSUPPORTED, f"{name}: on a GPU, offsets count bytes: offsets='bytes' asks for them", 0, 0,
                               UNKNOWN, UNKNOWN)
        if (lists or shape == TRAWL_RECORDS_COUNTS) and not records.may_count(plan, name, progress):
            raise _errors.make(TRAWL_UNSUPPORTED, _devices.question(name, "column"), 0, 0, UNKNOWN, UNKNOWN)
        if lists:
            return records.matches(plan, first, progress)
        return records.cells(plan, progress) if shape == TRAWL_RECORDS_CELLS else records.values(plan, shape, name, out, progress)
    except _errors.UnsupportedError:
        if not records.copies:
            raise
    return None


cdef bint keeps_characters(Plan plan):
    """Return whether no occurrence in UTF-8 begins or ends inside a character."""
    return plan.alphabet == "utf8" if plan.regex is not None else len(plan) == 0 or (len(plan.kinds) > 0 and 0 not in plan.kinds)


cdef int check_rewriting(Records records, Plan plan, bint has_values, str name, progress) except -1:
    """Raise UnsupportedError if only the host finds the occurrences, or may write the values."""
    # Expressions resume after each other's occurrences.
    if (not has_values or (plan.regex is not None and len(plan) > 1) or (records.is_text and not keeps_characters(plan))
            or not records.may_count(plan, name, progress)):
        raise _errors.make(TRAWL_UNSUPPORTED, _devices.question(name, "column"), 0, 0, UNKNOWN, UNKNOWN)
    return 0


cdef DeviceStrings rewrite_there(Searcher searcher, Plan plan, given, Values values, match, progress):
    """Rewrite a column on a GPU. None: the host must do it."""
    cdef Records records = load_records(searcher, given, False)
    cdef str name = "split" if values is None else "mask" if values.masks else "replace"

    if records is None:
        return None
    _sources.choice("match", match, MATCHES[1:])
    try:
        check_rewriting(records, plan, values is None or (values.take_all() and (not records.is_text or values.is_text())), name,
                        progress)
        return records.rewrite(plan, records.matches(plan, False, progress, name), values, 0, match, progress)
    except _errors.UnsupportedError:
        if not records.copies:
            raise
    return None


cdef dict groups_there(Searcher searcher, Plan plan, given, progress):
    """Find the groups of each record's first occurrence in a column on a GPU. None: the host must do it."""
    cdef Records records = load_records(searcher, given, False)
    cdef DeviceMatches found

    if records is None:
        return None
    labels = (<Layout>(plan.layout if plan.layout is not None else Layout(plan.facts()))).labels
    try:
        check_rewriting(records, plan, True, "groups", progress)
        found = records.matches(plan, False, progress, "groups")
        return {label: records.rewrite(plan, found, None, i + 1, None, progress) for i, label in enumerate(labels)}
    except _errors.UnsupportedError as fault:
        if not records.copies:
            raise _errors.make(TRAWL_UNSUPPORTED, _devices.question("groups", "column"), 0, 0, UNKNOWN, UNKNOWN) from fault
    return None
