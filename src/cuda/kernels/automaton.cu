/* automaton: occurrences of a set, in time linear in the text and the number of occurrences, for
 * all sets and texts.
 *
 * Method     each thread reads a part of the text backwards. First the thread reads the *reach*:
 *            the bytes after the part into which a literal (a pattern) of the part can extend.
 *            After the byte at x, the thread's state is the longest string that begins at x and is
 *            the end of some literal. Each state names the literals that equal its string, and the
 *            state of the next shorter string that equals a literal: the states of this *chain*
 *            name all literals that begin at x. To list hits, count_automaton notes how many each
 *            part has, bins_ends (bins.cu) adds these up, and write_automaton reads the parts with
 *            hits again. If the list needs no literals, and no two begin at one place,
 *            mark_automaton, which reads the text once, sets a bit for each begin, and bins_marks
 *            makes the list of these.
 *
 *              tile   | part of thread 0 | part of thread 1 | part of thread 2 | ...
 *                     <------- thread 0 reads: part, and the reach after it
 *                                 first the reach (nothing counts), then the part
 *
 * Grid       any; blocks draw tiles from a ticket, a part for each thread. 32 to 512 threads per
 *            block.
 * Shared     SCAN_STAGE_BYTES for each thread, and the rows, if all rows fit
 *            (src/cuda/cuda_automaton.c).
 * Traffic    per byte of a part and of its reach: reads 1, and 4 of the table. Per position at
 *            which SCAN_COUNT_MANY literals or more begin: 4 more. To list: up to twice as much, 20
 *            bytes for each part, and per hit reads 4 of the literals and 12 for each state of the
 *            chain, and writes 8.
 * Bound      by L1, which looks up the 32 rows of a warp one after the other, and by the latency of
 *            the table: each byte's load depends on the state before. The lanes of a warp together
 *            load 64 bytes of each of the warp's 32 parts, so that a load touches no line more than
 *            necessary, and the text takes no room in L1: 10,000 English words 0.27 -> 0.45 TB/s
 *            [H100]. If the rows lie in shared memory, lanes wait for each other only if they meet
 *            in a bank.
 * Progress   no block waits for another block.
 * Order      a count, the first, or hits ascending by begin; those of one begin in any order.
 * Limits     a table of at most 2^28 words.
 * Rejected   some of the rows in shared memory and the others in L2: 0.6 to 0.9 times the speed of
 *            all rows in L2, for 1,000 and 10,000 words [H100]. Loading the next 64 bytes early:
 *            registers spill.
 * Source     Aho and Corasick, "Efficient string matching: an aid to bibliographic search", 1975;
 *            parts that begin with an overlap: Lin, Tsai, Chang, "Accelerating string matching
 *            using multi-threaded algorithm on GPU", 2010.
 */

#define AUTOMATON_LOADS 4u /* loads in flight of each lane while tile_keep_words copies rows */

enum automaton_want { AUTOMATON_COUNT, AUTOMATON_WRITE, AUTOMATON_MARK };

/* A thread's state while it reads its part. */
struct automaton_walk {
    uint32_t state;
    uint32_t count; /* occurrences so far */
    /* AUTOMATON_WRITE: the thread writes the part's hits from the last to the first. The next hits
     * go into the slots before this one. AUTOMATON_MARK: the last SCAN_COUNT_BYTES positions,
     * as bits: where occurrences start. */
    uint64_t slot;
    /* AUTOMATON_MARK: not 0 if several occurrences started at a position, of which only one is
     * counted */
    uint32_t nested;
};

/* Returns word `word` of the SCAN_STATE_WORDS words after the transitions of a state's row. */
SIMT_FUNCTION uint32_t automaton_info(const struct automaton_arguments *a, uint32_t state,
                                      uint32_t word)
{
    return simt_load_u32(a->automaton.rows + (state & SCAN_STATE_NUMBER) +
                         a->automaton.class_count + word);
}

/* Returns the number of occurrences that begin at a position with this state. */
SIMT_FUNCTION uint32_t automaton_count(const struct automaton_arguments *a, uint32_t state)
{
    uint32_t count = state >> SCAN_STATE_BITS;

    return count == SCAN_COUNT_MANY ? automaton_info(a, state, 0) : count;
}

/* Writes the hits at x, starting at `slot`: those of each state of the chain. */
SIMT_FUNCTION void automaton_write(const struct automaton_arguments *a, uint64_t x, uint32_t state,
                                   uint64_t slot)
{
    do {
        uint32_t from = automaton_info(a, state, 1), count = automaton_info(a, state, 2);
        uint32_t shorter = automaton_info(a, state, 3);

        for (uint32_t i = 0; i < count; i++, slot++)
            if (SIMT_BOUND(slot < a->scan.capacity))
                simt_store_u64(a->scan.hits + slot,
                               a->hits_literal * simt_load_u32(a->automaton.ends + from + i) +
                                   a->hits_base + x - a->scan.begin);
        state = shorter;
    } while (state != 0);
}

/* Counts the occurrences that start at x. With AUTOMATON_WRITE, also writes the hits; with
 * AUTOMATON_MARK, marks x. */
SIMT_FUNCTION void automaton_visit(const struct automaton_arguments *a, struct automaton_walk *walk,
                                   uint64_t x, int want)
{
    uint32_t count = automaton_count(a, walk->state);

    walk->count += count;
    if (want == AUTOMATON_COUNT || count == 0)
        return;
    if (want == AUTOMATON_MARK) {
        walk->slot |= 1ull << (x - a->scan.position) % SCAN_COUNT_BYTES;
        walk->nested |= count - 1u;
        walk->count -= count - 1u;
        return;
    }
    walk->slot -= count;
    automaton_write(a, x, walk->state, walk->slot);
}

/* where a kernel finds the rows, and how it finds a byte's class */
enum automaton_where {
    AUTOMATON_ROWS_RANGE,   /* in shared memory; the class is computed (a->automaton.is_range) */
    AUTOMATON_ROWS_CLASSES, /* in shared memory; the class is loaded */
    AUTOMATON_ROWS_GLOBAL   /* in global memory; the class is loaded */
};

/* The automaton's tables in shared memory: the class of each byte, and the rows with all
 * transitions; `rows` is not used if a kernel reads them in global memory. */
struct automaton_kept {
    const uint8_t *classes;
    const uint32_t *rows;
};

/* Returns the value of enum automaton_where for this plan. */
SIMT_FUNCTION int automaton_rows_of(const struct automaton_arguments *a)
{
    return a->automaton.kept_words == 0 ? AUTOMATON_ROWS_GLOBAL
           : a->automaton.is_range != 0 ? AUTOMATON_ROWS_RANGE
                                        : AUTOMATON_ROWS_CLASSES;
}

/* Returns the state after a byte. `where` is automaton_rows_of(a). */
SIMT_FUNCTION uint32_t automaton_next(const struct automaton_arguments *a,
                                      const struct automaton_kept *kept, uint32_t state,
                                      uint32_t byte, int where)
{
    uint32_t max = a->automaton.class_count - 1u, class_number = byte - a->automaton.low;

    if (where != AUTOMATON_ROWS_RANGE)
        class_number = kept->classes[byte];
    else
        class_number = class_number < max ? class_number : max;
    class_number += state & SCAN_STATE_NUMBER;
    return where == AUTOMATON_ROWS_GLOBAL ? simt_load_u32(a->automaton.rows + class_number)
                                          : kept->rows[class_number];
}

/* Writes the hits that begin at these places of the 16 bytes at `text`; `state` is the state after
 * them. Each lane goes to its next place before all write: lanes that write at different times took
 * three times as long as the rest [H200, ten strings, a hit in 30 bytes]. */
SIMT_FUNCTION void automaton_write_block(const struct automaton_arguments *a,
                                         const struct automaton_kept *kept, const uint32_t *text,
                                         struct automaton_walk *walk, uint32_t state,
                                         uint64_t place, uint32_t places, int where)
{
    uint32_t last = walk->state, at = 16;

    walk->state = state;
    SIMT_ROLLED
    for (; places != 0; places ^= 1u << at) {
        uint32_t next = simt_highest_bit(places);

        SIMT_ROLLED
        while (at > next)
            walk->state =
                automaton_next(a, kept, walk->state, ((const uint8_t *)text)[--at], where);
        automaton_visit(a, walk, place + at, AUTOMATON_WRITE);
    }
    walk->state = last;
}

/* Reads SCAN_COUNT_BYTES bytes of shared memory, the text at `place`, backwards, and visits the
 * occurrences that start there, unless `counts` is 0. */
SIMT_FUNCTION void automaton_block(const struct automaton_arguments *a,
                                   const struct automaton_kept *kept, uint32_t *stage,
                                   struct automaton_walk *walk, uint64_t place, int counts,
                                   int where, int want)
{
    SIMT_ROLLED
    for (uint32_t quarter = SCAN_COUNT_BYTES / 16u; quarter-- > 0;) {
        struct simt_u32x4 text = simt_get_u32x4(stage + 4u * quarter);
        uint32_t before = walk->state, state = before, max = 0, sum = 0, places = 0;

        SIMT_UNROLL
        for (uint32_t i = 16; i-- > 0;) {
            state = automaton_next(a, kept, state, text.w[i / 4u] >> 8u * (i % 4u) & 0xffu, where);
            sum += state >> SCAN_STATE_BITS;
            max = state > max ? state : max;
            if (want == AUTOMATON_WRITE)
                places |= (state >> SCAN_STATE_BITS != 0 ? 1u : 0u) << i;
            if (want == AUTOMATON_MARK) /* two instructions; of several literals, any bit will do */
                places = simt_funnel(state << (31u - SCAN_STATE_BITS), places, 31u);
        }
        walk->state = state;
        if (want == AUTOMATON_MARK)
            walk->slot = walk->slot << 16 | (counts ? places : 0);
        if (!counts)
            continue;
        if (want == AUTOMATON_WRITE) {
            automaton_write_block(a, kept, stage + 4u * quarter, walk, before,
                                  place + 16u * quarter, places, where);
            continue;
        }
        if (want == AUTOMATON_MARK) {
            walk->nested |= max >> (SCAN_STATE_BITS + 1u);
            walk->count += simt_popcount(places);
            continue;
        }
        /* If some state has SCAN_COUNT_MANY literals or more, its row has the number. */
        if (max < SCAN_COUNT_MANY << SCAN_STATE_BITS) {
            walk->count += sum;
            continue;
        }
        walk->state = before;
        SIMT_ROLLED
        for (uint32_t i = 16; i-- > 0;) {
            walk->state = automaton_next(a, kept, walk->state,
                                         ((const uint8_t *)(stage + 4u * quarter))[i], where);
            automaton_visit(a, walk, place + 16u * quarter + i, want);
        }
    }
}

/* Like automaton_block, for bytes some of which may lie before `low` or beyond the text. Visits the
 * occurrences that start in [low, last). */
SIMT_FUNCTION_LARGE struct automaton_walk automaton_border(
    const struct automaton_arguments *a, const struct automaton_kept *kept, uint32_t *stage,
    struct automaton_walk walk, uint64_t place, uint64_t low, uint64_t last, int want)
{
    walk.slot = want == AUTOMATON_MARK ? 0 : walk.slot;
    for (uint32_t i = SCAN_COUNT_BYTES; i-- > 0;) {
        uint64_t x = place + i;

        if (x >= a->scan.text_end || x < low)
            continue;
        walk.state =
            automaton_next(a, kept, walk.state, ((const uint8_t *)stage)[i], automaton_rows_of(a));
        if (x < last)
            automaton_visit(a, &walk, x, want);
    }
    return walk;
}

/* Loads SCAN_COUNT_BYTES bytes of each of the warp's 32 parts, in the first part starting at
 * `place`. Four lanes load the bytes of one part, 16 at a time; beyond the text, they become
 * zeros. */
SIMT_FUNCTION void automaton_load(const struct automaton_arguments *a, uint64_t place,
                                  struct simt_u32x4 loaded[SCAN_COUNT_BYTES / 16u])
{
    uint64_t x =
        place + (uint64_t)(simt_lane() / 4u) * a->automaton.part_bytes + simt_lane() % 4u * 16u;

    SIMT_UNROLL
    for (uint32_t k = 0; k < SCAN_COUNT_BYTES / 16u; k++) {
        loaded[k].w[0] = loaded[k].w[1] = loaded[k].w[2] = loaded[k].w[3] = 0;
        if (SIMT_BOUND(x < a->scan.text_end))
            loaded[k] = simt_load_once_u32x4((const uint32_t *)(const void *)(a->scan.text + x));
        x += 8ull * a->automaton.part_bytes;
    }
}

/* Visits the occurrences that start in the lane's part. The warp's parts follow each other,
 * starting at `place`. The lanes load the text of all parts together, since a load of 32 lanes from
 * 32 parts would touch 32 cache lines. `stage` is the warp's shared memory. Called by all lanes. */
SIMT_FUNCTION void automaton_parts(const struct automaton_arguments *a,
                                   const struct automaton_kept *kept, uint32_t *stage,
                                   uint64_t place, struct automaton_walk *walk, int want)
{
    uint32_t part = a->automaton.part_bytes;
    uint32_t at = (part + a->automaton.reach + SCAN_COUNT_BYTES - 1u) / SCAN_COUNT_BYTES;
    uint64_t own = place + (uint64_t)simt_lane() * part,
             low = own < a->scan.begin ? a->scan.begin : own;
    uint64_t last = own + part < a->scan.limit ? own + part : a->scan.limit;
    uint32_t *to = stage + (simt_lane() / 4u) * (SCAN_STAGE_BYTES / 4u) + simt_lane() % 4u * 4u;
    struct simt_u32x4 loaded[SCAN_COUNT_BYTES / 16u];
    int where = automaton_rows_of(a);

    at *= SCAN_COUNT_BYTES;
    stage += simt_lane() * (SCAN_STAGE_BYTES / 4u);
    while (at > 0) {
        uint64_t x = own + (at -= SCAN_COUNT_BYTES);
        int counts = x < last;

        automaton_load(a, place + at, loaded);
        SIMT_UNROLL
        for (uint32_t k = 0; k < SCAN_COUNT_BYTES / 16u; k++)
            simt_put_u32x4(to + 8u * k * (SCAN_STAGE_BYTES / 4u), loaded[k]);
        simt_warp_sync();
        if (x < low || x + SCAN_COUNT_BYTES > a->scan.text_end ||
            (x < last && x + SCAN_COUNT_BYTES > last))
            *walk = automaton_border(a, kept, stage, *walk, x, low, last, want);
        else if (where == AUTOMATON_ROWS_RANGE)
            automaton_block(a, kept, stage, walk, x, counts, AUTOMATON_ROWS_RANGE, want);
        else if (where == AUTOMATON_ROWS_CLASSES)
            automaton_block(a, kept, stage, walk, x, counts, AUTOMATON_ROWS_CLASSES, want);
        else
            automaton_block(a, kept, stage, walk, x, counts, AUTOMATON_ROWS_GLOBAL, want);
        if (want == AUTOMATON_MARK && at < part)
            simt_store_u64(a->scan.hits + (place - a->scan.position) / SCAN_COUNT_BYTES +
                               at / SCAN_COUNT_BYTES * SIMT_WARP_THREADS + simt_lane(),
                           walk->slot);
        simt_warp_sync();
    }
}

/* Searches the block's tiles. Shared memory has first the automaton's rows, if they fit, and then
 * SCAN_STAGE_BYTES for each thread, for the text that the thread has loaded. */
SIMT_FUNCTION void automaton_tiles(const struct automaton_arguments *a, uint32_t *rows, int want)
{
    SIMT_SHARED(uint32_t, automaton_classes, 64);
    SIMT_SHARED(uint64_t, automaton_tickets, 2);
    const struct automaton_kept kept = {(const uint8_t *)automaton_classes, rows};
    uint32_t *stage =
        rows + a->automaton.kept_words + simt_warp() * SIMT_WARP_THREADS * (SCAN_STAGE_BYTES / 4u);
    struct tile_totals totals = {0, 0, 0};
    struct tile_queue queue = {tile_block_ticket(&a->scan), 0};
    uint64_t tile;

    for (uint32_t i = simt_thread(); i < 64u; i += simt_threads())
        automaton_classes[i] = simt_load_u32(a->automaton.classes + i);
    tile_keep_words(rows, a->automaton.rows, a->automaton.kept_words, AUTOMATON_LOADS);
    for (tile = tile_next(&a->scan, automaton_tickets, &queue);
         SIMT_BOUND(tile < a->scan.tile_count);
         tile = tile_next(&a->scan, automaton_tickets, &queue)) {
        uint64_t first = tile * simt_threads() + simt_warp() * SIMT_WARP_THREADS;
        uint64_t part = first + simt_lane();
        struct automaton_walk walk = {0, 0, 0, 0};

        if (want == AUTOMATON_WRITE) {
            walk.slot = simt_load_u64(a->part_ends + part);
            if (simt_ballot(walk.slot !=
                            (part == 0 ? 0 : simt_load_u64(a->part_ends + part - 1u))) == 0)
                continue;
        }
        automaton_parts(a, &kept, stage, a->scan.position + first * a->automaton.part_bytes, &walk,
                        want);
        totals.count += walk.count;
        if (want == AUTOMATON_MARK)
            totals.candidates += walk.nested != 0;
        if (want == AUTOMATON_MARK || (want == AUTOMATON_COUNT && a->scan.bin_counts != 0))
            simt_store_u32(a->scan.bin_counts + part, walk.count);
    }
    tile_finish(&a->scan, &totals, queue.ahead);
}

#define AUTOMATON_SEARCH(want)                                                               \
    SIMT_SHARED_DYNAMIC(uint64_t, automaton_rows_kept,                                       \
                        4u * args.automaton.kept_words + SCAN_STAGE_BYTES * simt_threads()); \
                                                                                             \
    automaton_tiles(&args, (uint32_t *)(void *)automaton_rows_kept, want)

SIMT_KERNEL(count_automaton, automaton_arguments, SCAN_COUNT_THREADS, 3)
{
    AUTOMATON_SEARCH(AUTOMATON_COUNT);
}

SIMT_KERNEL(write_automaton, automaton_arguments, SCAN_COUNT_THREADS, 3)
{
    AUTOMATON_SEARCH(AUTOMATON_WRITE);
}

SIMT_KERNEL(mark_automaton, automaton_arguments, SCAN_COUNT_THREADS, 3)
{
    AUTOMATON_SEARCH(AUTOMATON_MARK);
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
    uint32_t fail = state == 0 ? 0 : simt_load_relaxed_u32(fails + state);
    uint32_t outputs = state == 0 ? 0 : simt_load_relaxed_u32(of->rows + fail + of->class_count);
    uint32_t *row = of->rows + (uint64_t)state * words;

    for (uint32_t w = simt_lane(); SIMT_BOUND(w < words); w += SIMT_WARP_THREADS) {
        uint32_t value = state == 0 ? 0 : simt_load_relaxed_u32(of->rows + fail + w);

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

/* Writes the rows of the states of the levels args.scan.begin to args.scan.limit - 1. A state's
 * level is the number of bytes that lead to it. A row needs those of lower levels, and blocks do
 * not wait for each other, so a grid of several blocks gets only one level. */
SIMT_KERNEL(automaton_rows, automaton_arguments, SCAN_THREADS_MAX, 1)
{
    const struct scan_automaton *of = &args.automaton;
    uint32_t warps = simt_threads() / SIMT_WARP_THREADS;

    for (uint64_t level = args.scan.begin; level < args.scan.limit; level++) {
        uint32_t upto = simt_load_u32(of->levels + level + 1u);
        uint32_t state = simt_load_u32(of->levels + level) + simt_block() * warps + simt_warp();

        for (; SIMT_BOUND(state < upto); state += simt_blocks() * warps)
            automaton_row(of, state);
        simt_barrier();
    }
}
