/* automaton: occurrences of a set, in time linear in the text and the number of occurrences, for
 * all sets and texts.
 *
 * Method     each thread reads a part of the text backwards. First the thread reads the *reach*:
 * the bytes after the part into which a literal (a pattern) of the part can extend. After the byte
 * at x, the thread's state is the longest string that begins at x and is the end of some literal.
 * Each state names the literals that equal its string, and the state of the next shorter string
 * that equals a literal: the states of this *chain* name all literals that begin at x. To list
 * hits, a thread reads its part twice, first to count and then to write.
 *
 *              tile   | part of thread 0 | part of thread 1 | part of thread 2 | ...
 *                     <------- thread 0 reads: part, and the reach after it
 *                                 first the reach (nothing counts), then the part
 *
 * Grid       any; blocks draw tiles from a ticket, a part for each thread. 32 to 256 threads per
 *            block; count_automaton has up to 512.
 * Shared     static, 0.6 KiB, 8 more to list hits; count_automaton also has SCAN_STAGE_BYTES for
 *            each thread, and the rows, if all rows fit (src/cuda/cuda_automaton.c).
 * Traffic    per byte of a part and of its reach: reads 1, and 4 of the table. Per position at
 *            which SCAN_COUNT_MANY literals or more begin: 4 more. To list: twice as much, and per
 *            hit reads 4 of the literals and 12 for each state of the chain, and writes 8. If
 *            literals of several lengths begin at a position, sorting takes up to 40 per hit,
 *            times log2 of the number of hits there.
 * Bound      by L1, which looks up the 32 rows of a warp one after the other, and by the latency of
 *            the table: each byte's load depends on the state before. In count_automaton the lanes
 *            of a warp together load 64 bytes of each of the warp's 32 parts, so that a load
 *            touches no line more than necessary, and the text takes no room in L1: 10,000 English
 *            words 0.27 -> 0.45 TB/s [H100]. If the rows lie in shared memory, lanes wait for each
 *            other only if they meet in a bank.
 * Progress   no block waits for another block, except to list hits (order.h).
 * Order      ascending by (begin, literal).
 * Limits     a table of at most 2^28 words.
 * Rejected   some of the rows in shared memory and the others in L2: 0.6 to 0.9 times the speed of
 *            all rows in L2, for 1,000 and 10,000 words [H100]. Loading the next 64 bytes early:
 *            registers spill.
 * Source     Aho and Corasick, "Efficient string matching: an aid to bibliographic search", 1975;
 *            parts that begin with an overlap: Lin, Tsai, Chang, "Accelerating string matching
 *            using multi-threaded algorithm on GPU", 2010.
 */

#define AUTOMATON_LOADS 4u /* loads in flight of each lane while tile_keep_words copies rows */

enum automaton_want { AUTOMATON_COUNT, AUTOMATON_FIRST, AUTOMATON_WRITE };

/* A thread's state while it reads its part. */
struct automaton_walk {
    uint32_t state;
    uint32_t count; /* occurrences so far */
    /* AUTOMATON_WRITE: the thread writes the part's hits from the last to the first. The next hits
     * go into the slots before this one. */
    uint64_t slot;
    uint64_t first; /* AUTOMATON_FIRST: the lowest position so far where an occurrence starts */
    uint32_t first_state; /* the state at position `first` */
};

/* Returns word `word` of the SCAN_STATE_WORDS words after the transitions of a state's row. */
SIMT_FUNCTION uint32_t automaton_info(const struct scan_arguments *a, uint32_t state, uint32_t word)
{
    return simt_load_u32(a->automaton.rows + (state & SCAN_STATE_NUMBER) +
                         a->automaton.class_count + word);
}

/* ---- Hits of one begin ------------------------------------------------------------------ */

/* Returns the hit in a slot, from the list in shared memory or from a->hits. */
SIMT_FUNCTION uint64_t automaton_get(const struct scan_arguments *a,
                                     const struct tile_shared *shared, uint64_t slot)
{
    return (slot & TILE_LISTED) != 0 ? shared->list[slot & ~TILE_LISTED]
                                     : simt_read_u64(a->hits + slot);
}

/* Sinks the hit with index `at` in a heap of `count` hits in the slots starting at `slot` (heap
 * sort, Williams 1964). */
SIMT_FUNCTION void automaton_sink(const struct scan_arguments *a, const struct tile_shared *shared,
                                  uint64_t slot, uint64_t at, uint64_t count)
{
    uint64_t own = automaton_get(a, shared, slot + at);

    for (uint64_t child; (child = 2u * at + 1u) < count; at = child) {
        uint64_t larger = automaton_get(a, shared, slot + child);

        if (child + 1u < count) {
            uint64_t other = automaton_get(a, shared, slot + child + 1u);

            child += other > larger;
            larger = other > larger ? other : larger;
        }
        if (own >= larger)
            break;
        tile_put(a, shared, slot + at, larger);
    }
    tile_put(a, shared, slot + at, own);
}

/* Sorts `count` hits starting at `slot` in ascending order. */
SIMT_FUNCTION void automaton_sort(const struct scan_arguments *a, const struct tile_shared *shared,
                                  uint64_t slot, uint64_t count)
{
    for (uint64_t i = count / 2u; i-- > 0;)
        automaton_sink(a, shared, slot, i, count);
    for (uint64_t i = count; i-- > 1u;) {
        uint64_t largest = automaton_get(a, shared, slot);

        tile_put(a, shared, slot, automaton_get(a, shared, slot + i));
        tile_put(a, shared, slot + i, largest);
        automaton_sink(a, shared, slot, 0, i);
    }
}

/* Returns how many literals that begin at a position with this state are lower than `literal`. */
SIMT_FUNCTION uint64_t automaton_rank(const struct scan_arguments *a, uint32_t state,
                                      uint32_t literal)
{
    uint64_t rank = 0;

    do {
        uint32_t from = automaton_info(a, state, 1), count = automaton_info(a, state, 2);

        for (uint32_t i = 0; i < count; i++)
            rank += simt_load_u32(a->automaton.ends + from + i) < literal;
        state = automaton_info(a, state, 3);
    } while (state != 0);
    return rank;
}

/* Writes the `total` hits at x, starting at `slot`. The hits of each state of the chain ascend; if
 * those of the whole chain do not, they are sorted. If a->hits has room for only some of them,
 * which happens at no more than one position of the text, computes each hit's rank among those at x
 * instead. */
SIMT_FUNCTION_LARGE void automaton_write(const struct scan_arguments *a, uint64_t *list, uint64_t x,
                                         uint32_t state, uint64_t slot, uint32_t total)
{
    /* tile_put needs only these members, so this function needs no shared memory of its own */
    struct tile_shared with_list = {0, 0, 0, 0, 0, 0, list, 0, 1}, *shared = &with_list;
    uint64_t hit = a->hits_base + x - a->begin, at = slot;
    int listed = (slot & TILE_LISTED) != 0, cut = !listed && slot + total > a->capacity;
    uint32_t last = 0, ascends = 1, all = state;

    if (!listed && slot >= a->capacity)
        return;
    do {
        uint32_t from = automaton_info(a, state, 1), count = automaton_info(a, state, 2);

        for (uint32_t i = 0; i < count; i++) {
            uint32_t literal = simt_load_u32(a->automaton.ends + from + i);

            ascends &= literal >= last;
            if (cut)
                at = slot + automaton_rank(a, all, literal);
            tile_put(a, shared, at++, a->hits_literal * literal + hit);
            last = literal;
        }
        state = automaton_info(a, state, 3);
    } while (state != 0);
    if (ascends == 0 && a->hits_literal != 0 && SIMT_BOUND(!cut))
        automaton_sort(a, shared, slot, at - slot);
}

/* Returns the lowest literal that begins at a position with this state. */
SIMT_FUNCTION uint32_t automaton_lowest(const struct scan_arguments *a, uint32_t state)
{
    uint32_t lowest = UINT32_MAX;

    do {
        uint32_t literal = automaton_info(a, state, 2) == 0
                               ? UINT32_MAX
                               : simt_load_u32(a->automaton.ends + automaton_info(a, state, 1));

        lowest = literal < lowest ? literal : lowest;
        state = automaton_info(a, state, 3);
    } while (state != 0);
    return lowest;
}

/* ---- Parts ------------------------------------------------------------------------------ */

/* Counts the occurrences that start at x. With AUTOMATON_FIRST, also remembers x, as the lowest
 * start so far; with AUTOMATON_WRITE, also writes the hits. */
SIMT_FUNCTION void automaton_visit(const struct scan_arguments *a, const struct tile_shared *shared,
                                   struct automaton_walk *walk, uint64_t x, int want)
{
    uint32_t count = walk->state >> SCAN_STATE_BITS;

    if (count == SCAN_COUNT_MANY)
        count = automaton_info(a, walk->state, 0);
    walk->count += count;
    if (want == AUTOMATON_FIRST) {
        walk->first = x;
        walk->first_state = walk->state;
    }
    if (want == AUTOMATON_WRITE) {
        walk->slot -= count;
        automaton_write(a, shared->list, x, walk->state, walk->slot, count);
    }
}

/* Moves to the state after a byte. */
SIMT_FUNCTION void automaton_step(const struct scan_arguments *a, const uint8_t *classes,
                                  struct automaton_walk *walk, uint32_t byte)
{
    walk->state =
        simt_load_u32(a->automaton.rows + (walk->state & SCAN_STATE_NUMBER) + classes[byte]);
}

/* Goes backwards through the 8 bytes of `word`, the first of which is at x. `counts` is 0 in the
 * reach after the part (see the head), where no occurrence counts. */
SIMT_FUNCTION void automaton_word(const struct scan_arguments *a, const struct tile_shared *shared,
                                  const uint8_t *classes, struct automaton_walk *walk,
                                  uint64_t word, uint64_t x, int counts, int want)
{
    SIMT_ROLLED
    for (uint32_t half = 2; half-- > 0;) {
        uint32_t bytes = (uint32_t)(word >> 32);

        SIMT_UNROLL
        for (uint32_t k = 4; k-- > 0;) {
            automaton_step(a, classes, walk, bytes >> 8u * k & 0xffu);
            if (counts && walk->state > SCAN_STATE_NUMBER)
                automaton_visit(a, shared, walk, x + 4u * half + k, want);
        }
        word <<= 32;
    }
}

/* Reads the bytes [low, high) backwards. Occurrences that begin in [low, last) count. */
SIMT_FUNCTION void automaton_bytes(const struct scan_arguments *a, const struct tile_shared *shared,
                                   const uint8_t *classes, struct automaton_walk *walk,
                                   uint64_t low, uint64_t high, uint64_t last, int want)
{
    for (uint64_t x = high; x-- > low;) {
        automaton_step(a, classes, walk, simt_load_u8(a->text + x));
        if (x < last && walk->state > SCAN_STATE_NUMBER)
            automaton_visit(a, shared, walk, x, want);
    }
}

/* Reads the reach after the part whose first position is `place`, and then the part, backwards. */
SIMT_FUNCTION void automaton_part(const struct scan_arguments *a, const struct tile_shared *shared,
                                  const uint8_t *classes, uint64_t place,
                                  struct automaton_walk *walk, int want)
{
    uint64_t low = place < a->begin ? a->begin : place, last = place + a->automaton.part_bytes, x;

    walk->state = 0;
    if (place >= a->limit)
        return;
    last = last < a->limit ? last : a->limit;
    x = a->automaton.reach < a->text_end - last ? last + a->automaton.reach : a->text_end;
    while (x > low) {
        uint64_t block = (x - 1u) & ~15ull;

        if (block >= low && x == block + 16u && (block >= last || x <= last)) {
            const uint64_t *words = (const uint64_t *)(const void *)(a->text + block);
            uint64_t first = simt_load_u64(words), second = simt_load_u64(words + 1);

            automaton_word(a, shared, classes, walk, second, block + 8u, block < last, want);
            automaton_word(a, shared, classes, walk, first, block, block < last, want);
        } else {
            automaton_bytes(a, shared, classes, walk, block < low ? low : block, x, last, want);
        }
        x = block;
    }
}

/* Searches the block's tiles: lists all hits in a kernel that lists, else finds the first
 * occurrence. */
SIMT_FUNCTION void automaton_tiles(const struct scan_arguments *a, const struct tile_shared *shared)
{
    SIMT_SHARED(uint32_t, automaton_classes, 64);
    const uint8_t *classes = (const uint8_t *)automaton_classes;
    struct tile_totals totals = {0, 0, 0};
    struct tile_queue queue = {tile_ask(a), 0};
    uint64_t tile;

    for (uint32_t i = simt_thread(); i < 64u; i += simt_threads())
        automaton_classes[i] = simt_load_u32(a->automaton.classes + i);
    if (simt_thread() == 0)
        tile_begin(shared);
    for (tile = tile_next(a, shared, &queue); SIMT_BOUND(tile < a->tile_count);
         tile = tile_next(a, shared, &queue)) {
        struct automaton_walk walk = {0, 0, 0, 0, 0};
        uint64_t place = a->position + tile * simt_threads() * a->automaton.part_bytes;

        if (!shared->lists && tile_is_behind(a, place))
            break;
        place += (uint64_t)simt_thread() * a->automaton.part_bytes;
        automaton_part(a, shared, classes, place, &walk,
                       shared->lists ? AUTOMATON_COUNT : AUTOMATON_FIRST);
        totals.count += walk.count;
        if (shared->lists) {
            uint32_t count = walk.count;

            walk.slot = tile_reserve(a, shared, count, tile) + count;
            if (count != 0)
                automaton_part(a, shared, classes, place, &walk, AUTOMATON_WRITE);
        } else if (walk.count != 0) {
            tile_lower_first(a,
                             (walk.first - a->begin) << 32 | automaton_lowest(a, walk.first_state));
        }
    }
    tile_end(a, shared);
    tile_finish(a, &totals, queue.ahead);
}

/* Finds the first occurrence. */
SIMT_KERNEL(first_automaton, scan_arguments, SCAN_THREADS_MAX, 6)
{
    TILE_SHARED(0);

    automaton_tiles(&args, &shared);
}

SIMT_KERNEL(hits_automaton, scan_arguments, SCAN_THREADS_MAX, 4)
{
    TILE_SHARED(1);

    automaton_tiles(&args, &shared);
}

/* ---- Counting ----------------------------------------------------------------------------- */

/* where count_automaton finds the rows, and how it finds a byte's class */
enum automaton_where {
    AUTOMATON_ROWS_RANGE,   /* in shared memory; the class is computed (a->automaton.is_range) */
    AUTOMATON_ROWS_CLASSES, /* in shared memory; the class is loaded */
    AUTOMATON_ROWS_GLOBAL   /* in global memory; the class is loaded */
};

/* The automaton's tables in shared memory: the class of each byte, and the rows with all
 * transitions; `rows` is not used if count_automaton reads them in global memory. */
struct automaton_kept {
    const uint8_t *classes;
    const uint32_t *rows;
};

/* Returns the value of enum automaton_where for this plan. */
SIMT_FUNCTION int automaton_rows_of(const struct scan_arguments *a)
{
    return a->automaton.kept_words == 0 ? AUTOMATON_ROWS_GLOBAL
           : a->automaton.is_range != 0 ? AUTOMATON_ROWS_RANGE
                                        : AUTOMATON_ROWS_CLASSES;
}

/* Returns the state after a byte. `where` is automaton_rows_of(a). */
SIMT_FUNCTION uint32_t automaton_next(const struct scan_arguments *a,
                                      const struct automaton_kept *kept, uint32_t state,
                                      uint32_t byte, int where)
{
    uint32_t most = a->automaton.class_count - 1u, class_number = byte - a->automaton.low;

    if (where != AUTOMATON_ROWS_RANGE)
        class_number = kept->classes[byte];
    else
        class_number = class_number < most ? class_number : most;
    class_number += state & SCAN_STATE_NUMBER;
    return where == AUTOMATON_ROWS_GLOBAL ? simt_load_u32(a->automaton.rows + class_number)
                                          : kept->rows[class_number];
}

/* Returns the number of occurrences that begin at a position with this state. */
SIMT_FUNCTION uint32_t automaton_count(const struct scan_arguments *a, uint32_t state)
{
    uint32_t count = state >> SCAN_STATE_BITS;

    return count == SCAN_COUNT_MANY ? automaton_info(a, state, 0) : count;
}

/* Reads SCAN_COUNT_BYTES bytes of shared memory backwards, and adds the occurrences that start
 * there to *count. Returns the state after the first byte. */
SIMT_FUNCTION uint32_t automaton_block(const struct scan_arguments *a,
                                       const struct automaton_kept *kept, const uint32_t *stage,
                                       uint32_t state, uint32_t *count, int where)
{
    SIMT_ROLLED
    for (uint32_t quarter = SCAN_COUNT_BYTES / 16u; quarter-- > 0;) {
        struct simt_u32x4 text = simt_get_u32x4(stage + 4u * quarter);
        uint32_t before = state, most = 0, sum = 0;

        SIMT_UNROLL
        for (uint32_t i = 16; i-- > 0;) {
            state = automaton_next(a, kept, state, text.w[i / 4u] >> 8u * (i % 4u) & 0xffu, where);
            sum += state >> SCAN_STATE_BITS;
            most = state > most ? state : most;
        }
        if (most >= SCAN_COUNT_MANY
                        << SCAN_STATE_BITS) { /* then some state has SCAN_COUNT_MANY literals or
                                                 more, and its row has the number */
            sum = 0;
            state = before;
            SIMT_ROLLED
            for (uint32_t i = 16; i-- > 0;) {
                state = automaton_next(a, kept, state, ((const uint8_t *)(stage + 4u * quarter))[i],
                                       where);
                sum += automaton_count(a, state);
            }
        }
        *count += sum;
    }
    return state;
}

/* Like automaton_block, for bytes that begin at `place`, some of which may lie before `low` or
 * beyond the text. Counts the occurrences that start in [low, last). */
SIMT_FUNCTION_LARGE uint32_t automaton_border(const struct scan_arguments *a,
                                              const struct automaton_kept *kept,
                                              const uint32_t *stage, uint32_t state,
                                              uint32_t *count, uint64_t place, uint64_t low,
                                              uint64_t last)
{
    for (uint32_t i = SCAN_COUNT_BYTES; i-- > 0;) {
        uint64_t x = place + i;

        if (x >= a->text_end || x < low)
            continue;
        state = automaton_next(a, kept, state, ((const uint8_t *)stage)[i], automaton_rows_of(a));
        *count += x < last ? automaton_count(a, state) : 0;
    }
    return state;
}

/* Loads SCAN_COUNT_BYTES bytes of each of the warp's 32 parts, in the first part starting at
 * `place`. Four lanes load the bytes of one part, 16 at a time; beyond the text, they become
 * zeros. */
SIMT_FUNCTION void automaton_load(const struct scan_arguments *a, uint64_t place,
                                  struct simt_u32x4 loaded[SCAN_COUNT_BYTES / 16u])
{
    uint64_t x =
        place + (uint64_t)(simt_lane() / 4u) * a->automaton.part_bytes + simt_lane() % 4u * 16u;

    SIMT_UNROLL
    for (uint32_t k = 0; k < SCAN_COUNT_BYTES / 16u; k++) {
        loaded[k].w[0] = loaded[k].w[1] = loaded[k].w[2] = loaded[k].w[3] = 0;
        if (SIMT_BOUND(x < a->text_end))
            loaded[k] = simt_load_once_u32x4((const uint32_t *)(const void *)(a->text + x));
        x += 8ull * a->automaton.part_bytes;
    }
}

/* Returns the number of occurrences that start in the lane's part. The warp's parts follow each
 * other, starting at `place`. The lanes load the text of all parts together, since a load of 32
 * lanes from 32 parts would touch 32 cache lines. `stage` is the warp's shared memory. Called by
 * all lanes.
 */
SIMT_FUNCTION uint32_t automaton_parts(const struct scan_arguments *a,
                                       const struct automaton_kept *kept, uint32_t *stage,
                                       uint64_t place)
{
    uint32_t part = a->automaton.part_bytes, state = 0, count = 0;
    uint32_t at = (part + a->automaton.reach + SCAN_COUNT_BYTES - 1u) / SCAN_COUNT_BYTES;
    uint64_t own = place + (uint64_t)simt_lane() * part, low = own < a->begin ? a->begin : own;
    uint64_t last = own + part < a->limit ? own + part : a->limit;
    uint32_t *to = stage + (simt_lane() / 4u) * (SCAN_STAGE_BYTES / 4u) + simt_lane() % 4u * 4u;
    struct simt_u32x4 loaded[SCAN_COUNT_BYTES / 16u];
    int where = automaton_rows_of(a);

    at *= SCAN_COUNT_BYTES;
    stage += simt_lane() * (SCAN_STAGE_BYTES / 4u);
    while (at > 0) {
        uint64_t x = own + (at -= SCAN_COUNT_BYTES);
        uint32_t before = count;

        automaton_load(a, place + at, loaded);
        SIMT_UNROLL
        for (uint32_t k = 0; k < SCAN_COUNT_BYTES / 16u; k++)
            simt_put_u32x4(to + 8u * k * (SCAN_STAGE_BYTES / 4u), loaded[k]);
        simt_warp_sync();
        if (x < low || x + SCAN_COUNT_BYTES > a->text_end ||
            (x < last && x + SCAN_COUNT_BYTES > last))
            state = automaton_border(a, kept, stage, state, &count, x, low, last);
        else if (where == AUTOMATON_ROWS_RANGE)
            state = automaton_block(a, kept, stage, state, &count, AUTOMATON_ROWS_RANGE);
        else if (where == AUTOMATON_ROWS_CLASSES)
            state = automaton_block(a, kept, stage, state, &count, AUTOMATON_ROWS_CLASSES);
        else
            state = automaton_block(a, kept, stage, state, &count, AUTOMATON_ROWS_GLOBAL);
        count = x < last ? count : before;
        simt_warp_sync();
    }
    return count;
}

/* Counts the occurrences of the set. Shared memory has first the automaton's rows, if they fit, and
 * then SCAN_STAGE_BYTES for each thread, for the text that the thread has loaded. */
SIMT_KERNEL(count_automaton, scan_arguments, SCAN_COUNT_THREADS, 3)
{
    SIMT_SHARED_DYNAMIC(uint64_t, automaton_rows_kept,
                        4u * args.automaton.kept_words + SCAN_STAGE_BYTES * simt_threads());
    SIMT_SHARED(uint32_t, automaton_classes, 64);
    TILE_SHARED(0);
    uint32_t *rows = (uint32_t *)(void *)automaton_rows_kept;
    const struct automaton_kept kept = {(const uint8_t *)automaton_classes, rows};
    uint32_t *stage = rows + args.automaton.kept_words +
                      simt_warp() * SIMT_WARP_THREADS * (SCAN_STAGE_BYTES / 4u);
    struct tile_totals totals = {0, 0, 0};
    struct tile_queue queue = {tile_ask(&args), 0};
    uint64_t tile;

    for (uint32_t i = simt_thread(); i < 64u; i += simt_threads())
        automaton_classes[i] = simt_load_u32(args.automaton.classes + i);
    tile_keep_words(rows, args.automaton.rows, args.automaton.kept_words, AUTOMATON_LOADS);
    if (simt_thread() == 0)
        tile_begin(&shared);
    for (tile = tile_next(&args, &shared, &queue); SIMT_BOUND(tile < args.tile_count);
         tile = tile_next(&args, &shared, &queue))
        totals.count += automaton_parts(
            &args, &kept, stage,
            args.position + (tile * simt_threads() + simt_warp() * SIMT_WARP_THREADS) *
                                (uint64_t)args.automaton.part_bytes);
    tile_end(&args, &shared);
    tile_finish(&args, &totals, queue.ahead);
}

/* ---- Building the table ------------------------------------------------------------------ */

/* Returns word `word` of the four words after the transitions in a state's row. The fail state is
 * that of the longest shorter prefix of the state's string: `fail` is its row, `value` the same
 * word there, and `outputs` the number of literals there. */
SIMT_FUNCTION uint32_t automaton_own_info(const struct simt_u32x4 *node, uint32_t word,
                                          uint32_t value, uint32_t outputs, uint32_t fail)
{
    if (node->w[3] == 0) /* no literal ends here */
        return value;
    return word == 0   ? node->w[3] + outputs
           : word == 1 ? node->w[2]
           : word == 2 ? node->w[3]
           : outputs   ? fail
                       : 0;
}

/* Writes a state's row, and for each child (a state that one more byte leads to), the position of
 * its fail state's row. A state's row equals that of its own fail state, except for the transitions
 * to children and, if a literal ends at the state, for the words after the transitions. Called by
 * all lanes of the warp. */
SIMT_FUNCTION void automaton_row(const struct scan_automaton *of, uint32_t state)
{
    uint32_t *fails = of->nodes + 4ull * of->node_count, words = of->class_count + SCAN_STATE_WORDS;
    struct simt_u32x4 own = simt_load_u32x4(of->nodes + 4ull * state);
    uint32_t fail = state == 0 ? 0 : simt_read_u32(fails + state);
    uint32_t outputs = state == 0 ? 0 : simt_read_u32(of->rows + fail + of->class_count);
    uint32_t *row = of->rows + (uint64_t)state * words;

    for (uint32_t w = simt_lane(); SIMT_BOUND(w < words); w += SIMT_WARP_THREADS) {
        uint32_t value = state == 0 ? 0 : simt_read_u32(of->rows + fail + w);

        for (uint32_t i = 0; w < of->class_count && i < (own.w[1] & 0xffffu); i++) {
            uint32_t child = own.w[0] + i;
            struct simt_u32x4 node = simt_load_u32x4(of->nodes + 4ull * child);
            uint32_t ends;

            if (node.w[1] >> 16 != w)
                continue;
            simt_store_u32(fails + child, value & SCAN_STATE_NUMBER);
            ends = node.w[3] + (value >> SCAN_STATE_BITS);
            ends = ends < node.w[3] || ends > SCAN_COUNT_MANY ? SCAN_COUNT_MANY : ends;
            value = child * words | ends << SCAN_STATE_BITS;
            break;
        }
        if (w >= of->class_count)
            value = automaton_own_info(&own, w - of->class_count, value, outputs, fail);
        simt_store_u32(row + w, value);
    }
}

/* Writes the rows of the states of the levels args.begin to args.limit - 1. A state's level is the
 * number of bytes that lead to it. A row needs those of lower levels, and blocks do not wait for
 * each other, so a grid of several blocks gets only one level. */
SIMT_KERNEL(automaton_rows, scan_arguments, SCAN_THREADS_MAX, 1)
{
    const struct scan_automaton *of = &args.automaton;
    uint32_t warps = simt_threads() / SIMT_WARP_THREADS;

    for (uint64_t level = args.begin; level < args.limit; level++) {
        uint32_t upto = simt_load_u32(of->levels + level + 1u);
        uint32_t state = simt_load_u32(of->levels + level) + simt_block() * warps + simt_warp();

        for (; SIMT_BOUND(state < upto); state += simt_blocks() * warps)
            automaton_row(of, state);
        simt_barrier();
    }
}
