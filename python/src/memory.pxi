# memory: blocks that results lie in, and columns that grow inside of them. No function here needs
# the interpreter.

# Memory that is counted, so that arrays of others may outlive the object. Counts are atomic: a
# consumer may release from any thread, without the interpreter's lock.
cdef struct block:
    uint8_t *bytes
    uint64_t size
    uint64_t shares
    void (*drop)(block *) noexcept nogil  # before the bytes are freed; NULL: nothing is to be done


cdef block *block_new(uint64_t bytes) noexcept nogil:
    """NULL: no memory. What is large is address space alone until it is written."""
    cdef block *made = <block *>malloc(sizeof(block))

    if made == NULL:
        return NULL
    made.shares, made.size, made.drop = 1, bytes, NULL
    made.bytes = <uint8_t *>malloc(max(bytes, 1)) if bytes <= UNKNOWN >> 1 else NULL
    if made.bytes == NULL:
        free(made)
        return NULL
    return made


cdef bint block_resize(block *memory, uint64_t bytes) noexcept nogil:
    """The block may move: it is not shared yet. False: no memory, and it is as it was."""
    cdef void *moved = realloc(memory.bytes, max(bytes, 1)) if bytes <= UNKNOWN >> 1 else NULL

    if moved != NULL:
        memory.bytes, memory.size = <uint8_t *>moved, bytes
    return moved != NULL


cdef block *block_share(block *memory) noexcept nogil:
    if memory != NULL:
        fetch_add(&memory.shares, 1, ORDERED)
    return memory


cdef void block_release(block *memory) noexcept nogil:
    if memory == NULL or fetch_sub(&memory.shares, 1, ORDERED) > 1:
        return
    if memory.drop != NULL:
        memory.drop(memory)
    free(memory.bytes)
    free(memory)


# ---- Columns that grow ----

# A column of bits or values, with room for more. A failure stays: what follows it does nothing.
cdef struct column:
    block *memory
    uint64_t count
    uint64_t room  # bytes
    bint failed  # no memory


cdef void prefer_huge_pages(block *memory) noexcept nogil:
    """What is filled from its begin on: a fault for each page of 4 KiB takes longer than filling it."""
    cdef uint64_t HUGE = 2 << 20
    cdef uint64_t begin = (<uint64_t>memory.bytes + HUGE - 1) // HUGE * HUGE
    cdef uint64_t end = (<uint64_t>memory.bytes + memory.size) // HUGE * HUGE

    if begin < end:
        madvise(<void *>begin, end - begin, MADV_HUGEPAGE)


cdef bint reach(column *grown, uint64_t bytes) noexcept nogil:
    """Make room for so many bytes in all; false: no memory."""
    # The first room is what was asked for, for most answers are one piece. Then it doubles: growing
    # moves pages, not bytes.
    cdef uint64_t room = bytes if grown.memory == NULL else 2 * bytes

    if grown.failed or (grown.memory != NULL and bytes <= grown.room):
        return not grown.failed
    if grown.memory == NULL:
        grown.memory = block_new(room)
        grown.failed = grown.memory == NULL
    else:
        grown.failed = not block_resize(grown.memory, room)
    if not grown.failed:
        grown.room = room
        prefer_huge_pages(grown.memory)
    return not grown.failed


cdef void put(column *grown, const void *values, uint64_t count, uint64_t unit) noexcept nogil:
    """Append values of so many bytes each; those of NULL are not written."""
    if not reach(grown, (grown.count + count) * unit):
        return
    if count > 0 and values != NULL:
        memcpy(grown.memory.bytes + grown.count * unit, values, count * unit)
    grown.count += count


cdef void put_values(column *grown, const void *values, uint64_t count) noexcept nogil:
    put(grown, values, count, sizeof(uint64_t))


cdef void put_value(column *grown, uint64_t value) noexcept nogil:
    put(grown, &value, 1, sizeof(uint64_t))


cdef inline uint64_t *values_of(const column *grown) noexcept nogil:
    return <uint64_t *>grown.memory.bytes


cdef uint8_t bits_at(const uint8_t *bits, uint64_t begin, uint64_t count) noexcept nogil:
    """Up to 8 bits of a bitmap, which are 1 where there is none."""
    cdef uint64_t shift = begin & 7
    cdef uint32_t found = 0xff

    if bits != NULL:
        found = bits[begin >> 3] >> shift
        if shift + count > 8:
            found |= <uint32_t>bits[(begin >> 3) + 1] << (8 - shift)
    return found & ((1u << count) - 1)


cdef void put_bits(column *grown, const uint8_t *bits, uint64_t begin,
                   uint64_t count) noexcept nogil:
    cdef uint64_t end = grown.count + count
    cdef uint64_t shift, step
    cdef uint8_t *byte

    if not reach(grown, end // 8 + 1):
        return
    while grown.count < end:
        shift = grown.count & 7
        step = min(8 - shift, end - grown.count)
        byte = grown.memory.bytes + (grown.count >> 3)
        byte[0] = (byte[0] if shift > 0 else 0) | <uint8_t>(bits_at(bits, begin, step) << shift)
        begin += step
        grown.count += step


cdef block *taken(column *grown, uint64_t unit) noexcept nogil:
    """The column's block, which the caller gets; NULL: no memory."""
    cdef block *memory = grown.memory

    if memory == NULL:
        return block_new(unit)
    if grown.room > grown.count * unit:
        block_resize(memory, grown.count * unit)
    grown.memory = NULL
    return memory


cdef void drop(column *grown, int count=1) noexcept nogil:
    """So many columns, which follow each other."""
    for i in range(count):
        block_release(grown[i].memory)
    memset(grown, 0, <uint64_t>count * sizeof(column))


cdef bint any_failed(const column *grown, int count) noexcept nogil:
    for i in range(count):
        if grown[i].failed:
            return True
    return False
