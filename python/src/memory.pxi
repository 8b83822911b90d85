# memory: blocks of memory with results, which several arrays may share, and columns that grow inside a block. No function
# of this file needs the interpreter's lock.

cdef extern from * nogil:
    int ones "__builtin_popcount"(unsigned int bits)

# Reference-counted memory: an array exported to another library may outlive the Python object. The count is atomic,
# because that library may release it from any thread, without the interpreter's lock.
cdef struct block:
    uint8_t *bytes
    uint64_t size
    uint64_t room  # bytes allocated
    uint64_t shares
    void (*drop)(block *) noexcept nogil  # called before the bytes are freed; may be NULL


cdef enum:
    SPARE_MIN = 256 << 10
    SPARES_MAX = 128 << 20  # bytes of all spares
    SPARES = 16

# Spares: large freed blocks, kept for the next results, because page faults in fresh memory take a quarter of the time of
# a search of short records. The first word of a spare is its size.
cdef uint64_t *spares[SPARES]
cdef uint64_t spares_bytes = 0
cdef uint64_t spares_kept = 0


cdef void spare_free(uint64_t *spare) noexcept nogil:
    if spare != NULL:
        fetch_sub(&spares_bytes, spare[0], ORDERED)
        free(spare)


cdef void bytes_free(uint8_t *bytes, uint64_t room) noexcept nogil:
    """Keep the memory as a spare. Spares beyond SPARES_MAX are freed, oldest first."""
    cdef uint64_t slot, i

    if room < SPARE_MIN or room > SPARES_MAX:
        free(bytes)
        return
    (<uint64_t *>bytes)[0] = room
    fetch_add(&spares_bytes, room, ORDERED)
    slot = fetch_add(&spares_kept, 1, ORDERED)
    spare_free(exchange(&spares[slot % SPARES], <uint64_t *>bytes, ORDERED))
    for i in range(slot + 1, slot + SPARES):
        if load(&spares_bytes, LOADED) <= SPARES_MAX:
            break
        spare_free(exchange(&spares[i % SPARES], NULL, ORDERED))


cdef uint8_t *spare_new(uint64_t bytes, uint64_t *room) noexcept nogil:
    """Take a spare that is large enough, but not much too large; NULL: there is none."""
    cdef uint64_t *spare

    for i in range(SPARES if bytes >= SPARE_MIN and bytes <= SPARES_MAX else 0):
        spare = exchange(&spares[i], NULL, ORDERED)
        if spare != NULL and spare[0] >= bytes and spare[0] // 16 <= bytes:
            fetch_sub(&spares_bytes, spare[0], ORDERED)
            room[0] = spare[0]
            return <uint8_t *>spare
        if spare != NULL:
            spare_free(exchange(&spares[i], spare, ORDERED))
    return NULL


cdef block *block_new(uint64_t bytes) noexcept nogil:
    """Allocate a block with one share; NULL: out of memory. A large block is only address space
    until its pages are written."""
    cdef block *made = <block *>malloc(sizeof(block))

    if made == NULL:
        return NULL
    made.shares, made.size, made.drop, made.room = 1, bytes, NULL, max(bytes, 1)
    made.bytes = spare_new(bytes, &made.room)
    if made.bytes == NULL and bytes <= UNKNOWN >> 1:
        made.bytes = <uint8_t *>malloc(made.room)
    if made.bytes == NULL:
        free(made)
        return NULL
    return made


cdef bint block_resize(block *memory, uint64_t bytes, uint64_t least) noexcept nogil:
    """Resize a block that is not shared yet, to `bytes` bytes, or to a spare of at least `least`; the bytes may move.
    False: out of memory, and the block is unchanged. Up to half of a block may stay unused, and at least an eighth
    does, so that the block is a spare for a slightly larger result."""
    cdef uint64_t room = bytes + bytes // 8 + 1
    cdef uint8_t *moved

    if bytes > memory.room or memory.room // 2 > bytes:
        moved = spare_new(least, &room) if bytes > memory.room else NULL
        if moved != NULL:
            memcpy(moved, memory.bytes, memory.room)
            bytes_free(memory.bytes, memory.room)
        elif bytes <= UNKNOWN >> 1:
            moved = <uint8_t *>realloc(memory.bytes, room)
        if moved == NULL:
            return False
        memory.bytes, memory.room = moved, room
    memory.size = min(bytes, memory.room)
    return True


cdef block *block_share(block *memory) noexcept nogil:
    if memory != NULL:
        fetch_add(&memory.shares, 1, ORDERED)
    return memory


cdef void block_release(block *memory) noexcept nogil:
    if memory == NULL or fetch_sub(&memory.shares, 1, ORDERED) > 1:
        return
    if memory.drop != NULL:
        memory.drop(memory)
    bytes_free(memory.bytes, memory.room)
    free(memory)


# A column of bits or values that grows. Once an allocation fails, `failed` stays set and further
# appends do nothing, so that callers check once at the end.
cdef struct column:
    block *memory
    uint64_t count
    uint64_t room  # bytes that the block can hold
    bint failed  # an allocation failed


cdef enum:
    MOVED_MAX = 4 << 20
    FURTHER = 64 << 20


cdef void prefer_huge_pages(block *memory) noexcept nogil:
    """Request huge pages: the block will be filled from front to back, and a page fault for each 4 KiB would take longer
    than filling it."""
    cdef uint64_t HUGE = 2 << 20
    cdef uint64_t begin = (<uint64_t>memory.bytes + HUGE - 1) // HUGE * HUGE
    cdef uint64_t end = (<uint64_t>memory.bytes + memory.size) // HUGE * HUGE

    if begin < end:
        madvise(<void *>begin, end - begin, MADV_HUGEPAGE)


cdef bint grow(column *grown, uint64_t bytes) noexcept nogil:
    # The first allocation has the exact size, because most results arrive in one batch. Later allocations double, for
    # which the system moves pages instead of copying bytes. Moved pages are no longer huge pages, so a large column
    # reserves address space for further growth.
    cdef uint64_t room = bytes if grown.memory == NULL else 2 * bytes if bytes < MOVED_MAX else 2 * bytes + FURTHER

    if grown.failed or (grown.memory != NULL and bytes <= grown.room):
        return not grown.failed
    if grown.memory == NULL:
        grown.memory = block_new(room)
        grown.failed = grown.memory == NULL
    else:
        grown.failed = (not block_resize(grown.memory, room, bytes) and
                        not block_resize(grown.memory, bytes, bytes))
    if not grown.failed:
        grown.room = grown.memory.room
        prefer_huge_pages(grown.memory)
    return not grown.failed


cdef inline bint reach(column *grown, uint64_t bytes) noexcept nogil:
    """Make the column's block at least `bytes` long; false: out of memory."""
    return (grown.memory != NULL and bytes <= grown.room and not grown.failed) or grow(grown, bytes)


cdef void put(column *grown, const void *values, uint64_t count, uint64_t unit) noexcept nogil:
    """Append `count` values of `unit` bytes each. With values == NULL the new values are left
    uninitialised."""
    if not reach(grown, (grown.count + count) * unit):
        return
    if count > 0 and values != NULL:
        memcpy(grown.memory.bytes + grown.count * unit, values, count * unit)
    grown.count += count


cdef void put_values(column *grown, const void *values, uint64_t count) noexcept nogil:
    put(grown, values, count, sizeof(uint64_t))


cdef inline uint64_t *values_of(const column *grown) noexcept nogil:
    return <uint64_t *>grown.memory.bytes


cdef inline void put_value(column *grown, uint64_t value) noexcept nogil:
    if reach(grown, (grown.count + 1) * sizeof(uint64_t)):
        values_of(grown)[grown.count] = value
        grown.count += 1


cdef void put_same(column *grown, uint64_t value, uint64_t count) noexcept nogil:
    """Append the same value `count` times."""
    cdef uint64_t first = grown.count, i

    put_values(grown, NULL, count)
    for i in range(first, grown.count):
        values_of(grown)[i] = value


cdef void put_zero_bits(column *grown, uint64_t count) noexcept nogil:
    cdef uint64_t end = (grown.count + count) // 8 + 1, begin = (grown.count + 7) // 8

    if reach(grown, end):
        memset(grown.memory.bytes + begin, 0, end - begin)
        grown.count += count


cdef uint8_t bits_at(const uint8_t *bits, uint64_t begin, uint64_t count) noexcept nogil:
    """Return bits [begin, begin + count) of a bitmap, count <= 8. Without a bitmap (NULL) every bit
    is 1."""
    cdef uint64_t shift = begin & 7
    cdef uint32_t found = 0xff

    if bits != NULL:
        found = bits[begin >> 3] >> shift
        if shift + count > 8:
            found |= <uint32_t>bits[(begin >> 3) + 1] << (8 - shift)
    return found & ((1u << count) - 1)


cdef uint64_t zeros_in(const uint8_t *bits, uint64_t begin, uint64_t count) noexcept nogil:
    """Count the zeros among bits [begin, begin + count) of a bitmap: a validity bitmap's nulls."""
    cdef uint64_t found = count, at

    for at in range(0, count, 8):
        found -= <uint64_t>ones(bits_at(bits, begin + at, min(<uint64_t>8, count - at)))
    return found


cdef void put_bits(column *grown, const uint8_t *bits, uint64_t begin, uint64_t count) noexcept nogil:
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
    """Hand the column's block over to the caller, shrunk to its contents; NULL: out of memory. A column without a block
    yields a block with a zero, so that the column can be the offsets of an empty array."""
    cdef block *memory = grown.memory

    if memory == NULL:
        memory = block_new(unit)
        if memory != NULL:
            memset(memory.bytes, 0, unit)
        return memory
    block_resize(memory, grown.count * unit, 0)
    grown.memory, grown.room = NULL, 0
    return memory


cdef void drop(column *grown, int count=1) noexcept nogil:
    """Free and empty `count` adjacent columns."""
    for i in range(count):
        block_release(grown[i].memory)
    memset(grown, 0, <uint64_t>count * sizeof(column))


cdef bint any_failed(const column *grown, int count) noexcept nogil:
    for i in range(count):
        if grown[i].failed:
            return True
    return False


cdef trawl_plan_told told_plan(const trawl_plan *plan, uint64_t pattern_index) noexcept nogil:
    """Return what a plan was built with, and one of its patterns."""
    cdef trawl_plan_told told

    memset(&told, 0, sizeof(told))
    told.size, told.pattern_index = sizeof(told), pattern_index
    trawl_plan_tell(plan, &told, NULL)
    return told


cdef uint64_t group_number(const trawl_plan *plan, uint64_t pattern_index, bytes name) noexcept:
    """Return the number of an expression's group with this name; UNKNOWN: there is none."""
    cdef trawl_plan_told told

    memset(&told, 0, sizeof(told))
    told.size, told.pattern_index = sizeof(told), pattern_index
    told.group_name, told.group_name_bytes = name, <uint64_t>len(name)
    trawl_plan_tell(plan, &told, NULL)
    return told.group


cdef int open_bytes(const void *bytes, uint64_t count, trawl_text **text, trawl_error *error) noexcept nogil:
    """Open a text in memory."""
    cdef trawl_text_options options

    memset(&options, 0, sizeof(options))
    options.size, options.source = sizeof(options), TRAWL_SOURCE_MEMORY
    options.bytes, options.bytes_count = bytes, count
    return trawl_text_open(NULL, &options, text, error)
