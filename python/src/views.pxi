# views: replaces spans in columns of string views, an Arrow layout in which a string is a length and a place. The new
# column shares the old column's memory for each unchanged string. Uses memory.pxi, arrow.pxi, columns.pxi, records.pxi
# and spans.pxi.

cdef enum:
    VIEW_MAX = 0x7fffffff  # largest size of a string, and of a buffer

# A buffer that views point into.
cdef struct view_buffer:
    block *owner
    const void *bytes
    int64_t size


# The `child` of an Array of views. The three arrays follow the struct, in the same block.
cdef struct view_table:
    int64_t count  # number of buffers that hold strings
    const void **buffers  # what Arrow calls the array's buffers: validity, views, each buffer, `sizes`
    int64_t *sizes
    block **owners


cdef view_table *view_table_of(block *child) noexcept nogil:
    return <view_table *>child.bytes


cdef void table_drop(block *child) noexcept nogil:
    cdef view_table *table = view_table_of(child)

    for i in range(table.count):
        block_release(table.owners[i])


cdef block *table_of(gather *made, block *validity, block *views) except NULL:
    """Make the table of buffers of an Array of views, taking over the buffers' owners in made.cells[0]."""
    cdef uint64_t count = made.cells[0].count
    cdef const view_buffer *buffers
    cdef block *child = block_new(sizeof(view_table) + (3 * count + 3) * sizeof(void *))
    cdef view_table *table

    if child == NULL:
        raise MemoryError()
    child.drop = table_drop
    table = view_table_of(child)
    table.count, table.buffers = <int64_t>count, <const void **>(table + 1)
    table.sizes = <int64_t *>(table.buffers + 3 + count)
    table.owners = <block **>(table.sizes + count)
    table.buffers[0] = validity.bytes if validity != NULL else NULL
    table.buffers[1], table.buffers[2 + count] = views.bytes, table.sizes
    if count > 0:
        buffers = <const view_buffer *>made.cells[0].memory.bytes
        for i in range(count):
            table.buffers[2 + i], table.sizes[i] = buffers[i].bytes, buffers[i].size
            table.owners[i] = buffers[i].owner
    made.cells[0].count = 0
    return child


cdef void views_drop(gather *made) noexcept:
    """Release the owners of buffers that no Array has taken over."""
    for i in range(made.cells[0].count):
        block_release((<view_buffer *>made.cells[0].memory.bytes)[i].owner)
    made.cells[0].count = 0


cdef void put_buffer(gather *made, block *owner, const void *bytes, int64_t size) noexcept nogil:
    """Append a buffer, taking over the caller's share of its owner."""
    cdef view_buffer buffer

    buffer.owner, buffer.bytes, buffer.size = owner, bytes, size
    put(&made.cells[0], &buffer, 1, sizeof(view_buffer))
    if made.cells[0].failed:
        block_release(owner)


cdef int put_array(gather *made, Reader reader) except -1:
    """Append the buffers of the chunk's array."""
    cdef block *kept = reader.keep()
    cdef const ArrowArray *array = <const ArrowArray *>kept.bytes
    cdef int64_t count = array.n_buffers - 3

    made.array_at = made.cells[0].count
    for i in range(count):
        put_buffer(made, block_share(kept), array.buffers[2 + i], (<const int64_t *>array.buffers[2 + count])[i])
    block_release(kept)
    return 0


cdef void end_fresh(gather *made) noexcept nogil:
    """Complete the buffer that is being written."""
    cdef view_buffer *buffer
    cdef column *bytes = &made.cells[1]

    if bytes.count > 0:
        buffer = <view_buffer *>made.cells[0].memory.bytes + made.fresh_at
        buffer.size = <int64_t>bytes.count
        buffer.owner = taken(bytes, 1)
        buffer.bytes = buffer.owner.bytes
        drop(bytes)


cdef bint put_fresh(gather *made, rewriter *by, uint64_t begin, uint64_t end, string_view *view) noexcept nogil:
    """Rewrite one record. False: the new string is too long for a view, or memory ran out."""
    cdef uint64_t size = rewritten(by, begin, end, NULL)
    cdef column *bytes = &made.cells[1]
    cdef uint8_t *out = <uint8_t *>&view.head

    if size > VIEW_MAX:
        return False
    if size > SHORT_MAX:
        if bytes.count + size > VIEW_MAX:
            end_fresh(made)
        if bytes.count == 0:
            made.fresh_at = made.cells[0].count
            put_buffer(made, NULL, NULL, 0)
        if made.cells[0].failed or not reach(bytes, bytes.count + size):
            return False
        out = bytes.memory.bytes + bytes.count
        view.buffer, view.begin = <int32_t>made.fresh_at, <int32_t>bytes.count
        bytes.count += size
    rewritten(by, begin, end, out)
    view.count = <int32_t>size
    if size > SHORT_MAX:
        memcpy(&view.head, out, sizeof(view.head))
    return True


cdef uint64_t put_views(gather *made, Reader reader, rewriter *by) noexcept nogil:
    """Append the chunk's rewritten records, up to the first failure; return how many were put."""
    cdef const trawl_record_array *records = &reader.records
    cdef uint64_t count = records.record_count, i
    cdef string_view *views

    if not reach(&made.values, (made.values.count + count) * sizeof(string_view)):
        return 0
    views = <string_view *>made.values.memory.bytes + made.values.count
    for i in range(count):
        memset(&views[i], 0, sizeof(string_view))
        if records.validity != NULL and not bit_at(records.validity, records.validity_begin + i):
            continue
        if is_next(by, offset_of(records, i + 1)):
            if not put_fresh(made, by, offset_of(records, i), offset_of(records, i + 1), &views[i]):
                return i
        else:
            views[i] = reader.run[i]
            if views[i].count > SHORT_MAX:
                views[i].buffer += <int32_t>made.array_at
    made.values.count += count
    return count


cdef int rewrite_views(gather *made, Reader reader, rewriter *by) except -1:
    cdef uint64_t count

    if reader.is_first_run:
        put_array(made, reader)
    with nogil:
        count = put_views(made, reader, by)
    if count < reader.count and not gather_failed(made):
        raise ValueError(f"records: record {made.record_count + count} would have more than "
                         "2 GiB, the most that a column of views holds")
    return 0


cdef Array array_of_views(gather *made, bint is_text):
    """Make an Array from the views in `made`, and take over their memory."""
    cdef Array whole

    end_fresh(made)
    whole = array_of_gather(made, "vu" if is_text else "vz", 1)
    whole.child = table_of(made, whole.validity, whole.data)
    return whole


cdef Array strung(Array views):
    """Copy an Array of views to an Array of the same strings with offsets."""
    cdef const string_view *view = <const string_view *>views.data.bytes
    cdef Array made
    cdef gather strings

    memset(&strings, 0, sizeof(strings))
    strings.kind, strings.record_count = LISTS, views.first + <uint64_t>views.length
    put_value(&strings.values, 0)
    for i in range(strings.record_count):
        put(&strings.cells[1], bytes_of_view(view_table_of(views.child).buffers, &view[i]), <uint64_t>view[i].count, 1)
        put_value(&strings.values, strings.cells[1].count)
    try:
        if gather_failed(&strings):
            raise MemoryError()
        made = array_of_gather(&strings, "U" if views.format[1] == b"u" else "Z", 1)
        made.validity, made.null_count = block_share(views.validity), views.null_count
        made.first, made.length = views.first, views.length
        return made
    finally:
        gather_drop(&strings)
