/* set: finds the occurrences of a set of patterns using a hash at each position of the text.
 *
 * Method     hashes the first q (1 to 4) bytes at each position and tests a bit. If the bit is set,
 *            the position is a candidate. A hash of up to 8 bytes there chooses a *bucket*, a list
 *            of literals (patterns). The thread compares these literals with the text, one after
 *            the other, and counts the hits. To list hits, a thread notes up to 64 hits of a tile
 *            while counting, and then writes the noted hits; for further hits the thread compares
 *            again.
 * Grid       any; blocks draw tiles of up to 64 KiB from a ticket. 32 to 256 threads.
 * Shared     static, 8.4 KiB, 8 more to list hits. Local to list: 256 bytes for each thread.
 * Traffic    per text byte: reads 1 1/64 and one bit of the bitmap (L1, L2). Per candidate: the
 *            bucket's two ends, and for each literal of the bucket 12 bytes and the comparison. Per
 *            hit: writes 8; for a noted hit, writes and reads 4 more.
 * Bound      by the lookup at each text byte. Sets whose patterns all have at least 4 bytes
 *            therefore go to stream_set, which looks up one sample per stride.
 * Progress   no block waits for another block, except to list hits (order.h).
 * Order      ascending by (begin, literal).
 * Limits     a thread whose comparisons cost more than the budget ends the launch; automaton.cu or
 *            the CPU then searches. Further limits as in every.cu.
 * Rejected   buckets by the first four bytes only: for 10,000 patterns with a common beginning, 90
 *            KB of text cost 10^8 comparisons.
 * Source     Wu and Manber, "A fast algorithm for multi-pattern searching", 1994 (the hashed gram).
 */

/* comparing this many bytes costs as much as looking at a literal of a bucket */
#define SET_COST_BYTES 64u
#define SET_COST_MIN 256u /* fixed part of the cost that a thread may spend on a tile */
#define SET_NOTES 64u     /* hits that a thread notes in a tile; at most 64, the bits of `lasts` */
/* A ticket with this bit stands for no tile; result->listed never reaches it. */
#define SET_NO_TILE (1ull << 62)

/* Returns true if the literal occurs at x. Adds the cost of the comparison to *spent. */
SIMT_FUNCTION int set_matches(const struct scan_arguments *a, uint64_t x, uint32_t literal,
                              uint32_t *spent)
{
    uint32_t count = simt_load_u32(a->literal_bytes_count + literal), same = 0;
    const uint64_t *words = a->literal_bytes + simt_load_u64(a->literal_begin + literal);

    ++*spent;
    if (!SIMT_BOUND(count <= a->text_end - x))
        return 0;
    while (same < count && tile_difference(tile_text_word(a, x + same),
                                           simt_load_u64(words + same / 8u), count - same) == 0)
        same += 8u;
    *spent += same / SET_COST_BYTES;
    return same >= count;
}

SIMT_FUNCTION uint32_t set_bucket(const struct scan_arguments *a, uint64_t x)
{
    uint64_t head = (tile_text_word(a, x) | a->set.head_fold) & a->set.head_mask;

    return plan_hash64(head, a->set.bucket_bits);
}

/* The literals that a thread found while counting, in its words of the bitmap, ordered by start. */
struct set_notes {
    uint32_t literals[SET_NOTES];
    uint64_t lasts; /* bit i: literals[i] is the last one at its start */
    /* number of noted literals; of the literals at one start, either all or none are noted */
    uint32_t count;
    /* maximum number of literals to note; set to `count` after a start whose literals did not fit,
     * so that no literal of a later start is noted */
    uint32_t room;
};

/* Returns the number of hits at x, and sets *lowest to the first one's literal. Notes the hits'
 * literals if notes is not NULL, and writes the hits starting at *slot if slot is not NULL. Stops
 * once *spent, the cost of all comparisons so far, exceeds `most`. */
SIMT_FUNCTION uint32_t set_begin(const struct scan_arguments *a, const struct tile_shared *shared,
                                 uint64_t x, uint64_t *slot, struct set_notes *notes,
                                 uint32_t *lowest, uint32_t *spent, uint32_t most)
{
    uint32_t bucket = set_bucket(a, x), hits = 0;
    uint32_t end = simt_load_u32(a->set_buckets + bucket + 1u);

    for (uint32_t e = simt_load_u32(a->set_buckets + bucket); e < end && *spent <= most; e++) {
        uint32_t literal = simt_load_u32(a->set_entries + e);

        if (!set_matches(a, x, literal, spent))
            continue;
        if (notes != 0 && notes->count + hits < notes->room)
            notes->literals[notes->count + hits] = literal;
        if (hits++ == 0)
            *lowest = literal;
        if (slot != 0)
            tile_put(a, shared, (*slot)++, a->hits_literal * literal + a->hits_base + x - a->begin);
    }
    if (notes == 0 || hits == 0)
        return hits;
    if (notes->count + hits > notes->room) {
        notes->room = notes->count;
        return hits;
    }
    notes->count += hits;
    notes->lasts |= 1ull << (notes->count - 1u);
    return hits;
}

/* Writes the hits at x, whose notes begin at *next. */
SIMT_FUNCTION void set_noted(const struct scan_arguments *a, const struct tile_shared *shared,
                             uint64_t x, const struct set_notes *notes, uint32_t *next,
                             uint64_t *slot)
{
    uint64_t base = a->hits_base + x - a->begin;

    do
        tile_put(a, shared, (*slot)++, a->hits_literal * notes->literals[*next] + base);
    while ((notes->lasts >> (*next)++ & 1u) == 0);
}

/* Returns the budget for a thread's comparisons in a tile. */
SIMT_FUNCTION uint32_t set_most(const struct scan_arguments *a)
{
    return a->set_budget == UINT32_MAX || a->set_budget == 0
               ? a->set_budget
               : SET_COST_MIN + a->set_budget * tile_own_words(a);
}

/* Writes the hits of the thread's words of the bitmap, starting at `slot`. Does nothing if `whole`
 * is 0: then some hits were not counted. */
SIMT_FUNCTION void set_write(const struct scan_arguments *a, uint64_t origin,
                             const struct tile_shared *shared, uint64_t slot,
                             const struct set_notes *notes, int whole)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own, next = 0, literal, spent = 0;

    for (uint32_t w = first; w < first + own && whole; w++)
        for (uint32_t left = shared->bits[w]; left != 0; left &= left - 1u) {
            uint64_t x = origin + w * 32u + simt_lowest_bit(left);

            if (next < notes->count)
                set_noted(a, shared, x, notes, &next, &slot);
            else
                (void)set_begin(a, shared, x, &slot, 0, &literal, &spent, UINT32_MAX);
        }
}

/* Counts the hits of the thread's words of the bitmap, clears the bits of starts without a hit, and
 * reports the thread's first hit (WANT_FIRST). Then writes the hits if the kernel lists. A thread
 * whose comparisons cost more than the budget raises result->listed with an atomic operation, which
 * ends the launch; *waited depends on its result, so that it completes before the block reports.
 * Called by all threads of the block. */
SIMT_FUNCTION void set_verify(const struct scan_arguments *a, uint64_t origin,
                              const struct tile_shared *shared, uint64_t partition,
                              struct tile_totals *totals, uint64_t *waited)
{
    uint32_t own = tile_own_words(a), first = simt_thread() * own, count = 0, literal = 0;
    uint32_t spent = 0, most = set_most(a);
    struct set_notes notes;

    notes.lasts = 0;
    notes.count = 0;
    notes.room = SET_NOTES;
    for (uint32_t w = first; w < first + own; w++) {
        uint32_t left = shared->bits[w], kept = left;

        for (; left != 0; left &= left - 1u) {
            uint64_t x = origin + w * 32u + simt_lowest_bit(left);
            uint32_t hits =
                set_begin(a, shared, x, 0, shared->lists ? &notes : 0, &literal, &spent, most);

            if (hits == 0)
                kept &= ~(1u << simt_lowest_bit(left));
            else if (count == 0 && a->want == WANT_FIRST)
                tile_lower_first(a, (x - a->begin) << 32 | literal);
            count += hits;
        }
        shared->bits[w] = kept;
    }
    totals->count += count;
    if (spent > most) {
        totals->dense_count = 1;
        *waited |= simt_atomic_add_u64(&a->result->listed, a->listed_max + 1u) & SET_NO_TILE;
    }
    if (shared->lists)
        set_write(a, origin, shared, tile_reserve(a, shared, count, partition), &notes,
                  totals->dense_count == 0);
}

/* Searches the tiles that the block draws. */
SIMT_FUNCTION void set_tiles(const struct scan_arguments *a, const struct tile_shared *shared)
{
    struct tile_totals totals = {0, 0, 0};
    struct tile_queue queue = {tile_ask(a), 0};
    struct filter_range range;
    uint64_t begin_position = a->begin & ~15ull, tile, waited = 0;

    range.first = a->begin;
    range.last = a->limit;
    if (simt_thread() == 0)
        tile_begin(shared);
    for (tile = tile_next(a, shared, &queue); SIMT_BOUND(tile < a->tile_count);
         tile = tile_next(a, shared, &queue)) {
        uint32_t found;

        range.position = begin_position + tile * a->tile_words * 32u;
        if (!shared->lists && a->want == WANT_FIRST && tile_is_behind(a, range.position))
            break;
        found = filter_tile_of(a, &range, shared, FILTER_SET, 0);
        totals.candidates += found;
        if (simt_barrier_or(found != 0))
            set_verify(a, range.position, shared, tile, &totals, &waited);
        else
            tile_without(a, shared, tile);
        if (simt_thread() == 0 && simt_read_u64(&a->result->listed) > a->listed_max)
            queue.ahead |= SET_NO_TILE;
    }
    tile_end(a, shared);
    tile_finish(a, &totals, queue.ahead | waited);
}

SIMT_KERNEL(scan_set, scan_arguments, SCAN_THREADS_MAX, 4)
{
    TILE_SHARED(0);

    set_tiles(&args, &shared);
}

SIMT_KERNEL(hits_set, scan_arguments, SCAN_THREADS_MAX, 4)
{
    TILE_SHARED(1);

    set_tiles(&args, &shared);
}
