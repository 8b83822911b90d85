# memory: blocks that results lie in, and columns that grow inside of them. No function here needs
# the interpreter.

# Memory that is counted, so that arrays of others may outlive the object. Counts are atomic: a
# consumer may release from any thread, without the interpreter's lock.
cdef struct block:
    uint8_t *bytes
    uint64_t mapped  # bytes of a mapping; 0: from malloc
    uint64_t shares


cdef block *block_of(void *bytes, uint64_t mapped) noexcept nogil:
    cdef block *made = <block *>malloc(sizeof(block))

    if made != NULL:
        made.bytes = <uint8_t *>bytes
        made.mapped = mapped
        made.shares = 1
    return made


cdef block *block_new(uint64_t bytes) noexcept nogil:
    """NULL: no memory."""
    cdef void *memory = malloc(bytes if bytes > 0 else 1) if bytes <= UNKNOWN >> 1 else NULL
    cdef block *made = NULL

    if memory != NULL:
        made = block_of(memory, 0)
        if made == NULL:
            free(memory)
    return made


cdef block *block_reserve(uint64_t bytes) noexcept nogil:
    """Address space for so many bytes, which costs memory only where it is written."""
    cdef block *made
    cdef void *memory

    if bytes <= SMALL_BYTES:
        return block_new(bytes)
    if bytes > UNKNOWN >> 1:
        return NULL
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    if memory == MAP_FAILED:
        return NULL
    made = block_of(memory, bytes)
    if made == NULL:
        munmap(memory, bytes)
    return made


cdef void block_trim(block *memory, uint64_t bytes) noexcept nogil:
    """Keep the first bytes only; the block may move. Not shared yet."""
    cdef uint64_t kept = (bytes + 4095) // 4096 * 4096
    cdef void *moved

    if memory.mapped == 0:
        moved = realloc(memory.bytes, bytes if bytes > 0 else 1)
        if moved != NULL:
            memory.bytes = <uint8_t *>moved
    elif bytes > SMALL_BYTES:
        if kept < memory.mapped and munmap(memory.bytes + kept, memory.mapped - kept) == 0:
            memory.mapped = kept
    else:
        moved = malloc(bytes if bytes > 0 else 1)
        if moved != NULL:
            memcpy(moved, memory.bytes, bytes)
            munmap(memory.bytes, memory.mapped)
            memory.bytes = <uint8_t *>moved
            memory.mapped = 0


cdef block *block_share(block *memory) noexcept nogil:
    if memory != NULL:
        fetch_add(&memory.shares, 1, ORDERED)
    return memory


cdef void block_release(block *memory) noexcept nogil:
    if memory == NULL or fetch_sub(&memory.shares, 1, ORDERED) > 1:
        return
    if memory.mapped > 0:
        munmap(memory.bytes, memory.mapped)
    else:
        free(memory.bytes)
    free(memory)


# ---- Columns that grow ----

# A column of bits or values, with room for more. A failure stays: what follows it does nothing.
cdef struct column:
    block *memory
    uint64_t count
    uint64_t room  # bytes
    bint failed  # no memory


cdef bint reach(column *grown, uint64_t bytes) noexcept nogil:
    """Make room for so many bytes in all; false: no memory."""
    # The first room is what was asked for, for most answers are one piece. Then it doubles: growing
    # moves pages, not bytes.
    cdef uint64_t room = bytes if grown.memory == NULL else 2 * bytes
    cdef void *moved

    if grown.failed or (grown.memory != NULL and bytes <= grown.room):
        return not grown.failed
    if grown.memory == NULL:
        grown.memory = block_new(room)
        grown.failed = grown.memory == NULL
    else:
        moved = realloc(grown.memory.bytes, room) if room <= UNKNOWN >> 1 else NULL
        grown.failed = moved == NULL
        if moved != NULL:
            grown.memory.bytes = <uint8_t *>moved
    if not grown.failed:
        grown.room = room
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


cdef uint64_t *values_of(column *grown) noexcept nogil:
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
        block_trim(memory, grown.count * unit)
    grown.memory = NULL
    return memory


cdef void drop(column *grown) noexcept nogil:
    block_release(grown.memory)
    memset(grown, 0, sizeof(column))
