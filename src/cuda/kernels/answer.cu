/* answer: computes an answer (how many lines, which records, ...) from a list of hits (lists.h) on
 * the device.
 *
 * Method     answer_lines: two neighbouring hits are in the same line unless a line end lies in the
 *            *gap* between them, from the first hit's start up to the second's. n hits have n + 1
 *            gaps, with those at the range's ends. A lane searches its gap from both ends. If it
 *            finds nothing in near_bytes, its warp searches the rest; after warp_bytes more, the
 *            gap goes to a list for answer_gaps, where a block searches each gap, and, in a second
 *            launch, all blocks share the longest gaps:
 *
 *              range   .....\n....H.....H..\n........\n.H......
 *              gaps    0000000000 111111 22222222222222 3333333    0: FIRST, 1 and 2: INNER,
 *                                                                  3: LAST
 *
 *            So no byte is read twice, and lines without a hit are seldom read whole.
 *            answer_accept: keeps the hits that are whole words or lines. answer_patterns: counts
 *            each pattern's hits. answer_ends: counts the line ends of the range. answer_records:
 *            finds each hit's record, with a table of the record at each KiB, and marks or lists
 *            the record. answer_steps builds that table, and checks the offsets. answer_cells:
 *            makes columns of sorted keys, without duplicates. answer_spans: finds each record's
 *            hits in the sorted list, and writes where they begin and end.
 * Grid       a thread per hit; answer_spans per record, and one more; answer_gaps, answer_ends
 *            and answer_cells any.
 * Shared     answer_patterns: static, 16 KiB.
 * Traffic    per hit: 8 bytes of the list; for lines, the gap's text up to its last line end; for
 *            records, 4 of the table and some offsets.
 * Bound      by the text's sectors, if lines are short.
 * Progress   no block waits for another.
 * Source     the gallery's publications also make their results from a list of hits, but on the
 *            host.
 */
#include "filter.h"
#include "lists.h"

/* ---- Line ends in a gap ------------------------------------------------------------------ */

/* Returns which of the 16 bytes starting at `unit` * 16 are line ends, as bits. */
SIMT_FUNCTION uint32_t answer_unit(const struct answer_arguments *a, uint64_t unit)
{
    struct simt_u32x4 bytes =
        simt_load_u32x4((const uint32_t *)(const void *)(a->text + unit * 16u));
    uint32_t mask = 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++)
        mask |= filter_gather(filter_zero_bytes(bytes.w[k] ^ a->line_end), k) |
                filter_gather(filter_zero_bytes(bytes.w[k] ^ a->line_end_also), k);
    return mask;
}

/* Returns the bits of the unit's 16 bytes that lie in [from, to). */
SIMT_FUNCTION uint32_t answer_inside(uint64_t unit, uint64_t from, uint64_t to)
{
    uint64_t begin = unit * 16u, end = begin + 16u;
    uint32_t low = from > begin ? (uint32_t)(from - begin) : 0;
    uint32_t high = to < end ? (uint32_t)(to - begin) : 16u;

    return from >= end || to <= begin ? 0 : (0xffffu >> (16u - (high - low))) << low;
}

/* Returns true if the unit has a line end in [from, to). */
SIMT_FUNCTION int answer_ends_in(const struct answer_arguments *a, uint64_t unit, uint64_t from,
                                 uint64_t to)
{
    return (answer_unit(a, unit) & answer_inside(unit, from, to)) != 0;
}

/* Returns true if [*from, *to) has a line end near its beginning or end. If not, sets *from and *to
 * to the part that was not searched. Both ends are searched at the same time, since an occurrence
 * is often near one end of its line. */
SIMT_FUNCTION int answer_near(const struct answer_arguments *a, uint64_t *from, uint64_t *to)
{
    uint64_t left = *from / 16u, right = *to / 16u, begin = *from, end = *to;

    if (begin == end)
        return 0;
    right -= end % 16u == 0;
    SIMT_ROLLED
    for (uint64_t done = 0; done < a->near_bytes; done += 32u) {
        if (answer_ends_in(a, left, begin, end) | answer_ends_in(a, right, begin, end))
            return 1;
        left++;
        if (left >= right) {
            *from = *to;
            return 0;
        }
        right--;
    }
    *from = left * 16u;
    *to = right * 16u + 16u;
    return 0;
}

/* Returns true if [from, to) has a line end. Called by all lanes of the warp, with the same
 * bytes. */
SIMT_FUNCTION int answer_by_warp(const struct answer_arguments *a, uint64_t from, uint64_t to)
{
    uint64_t units = to == from ? 0 : (to - 1u) / 16u - from / 16u + 1u, last = (to - 1u) / 16u;

    SIMT_ROLLED
    for (uint64_t done = 0; done < units; done += 4u * SIMT_WARP_THREADS) {
        int found = 0;

        SIMT_UNROLL
        for (uint32_t k = 0; k < 4u; k++) {
            uint64_t back = done + k * SIMT_WARP_THREADS + simt_lane();

            if (SIMT_BOUND(back < units))
                found |= answer_ends_in(a, last - back, from, to);
        }
        if (simt_ballot(found) != 0)
            return 1;
    }
    return 0;
}

/* Signals that the block is done. The last block writes the sums to the host's copy, and resets
 * them to zero. Called by all threads of the block, at the kernel's end. */
SIMT_FUNCTION void answer_report_sums(const struct answer_arguments *a)
{
    simt_barrier();
    if (simt_thread() != 0)
        return;
    simt_fence(); /* the block's sums are visible before its signal */
    if (simt_atomic_add_u64(a->sums + ANSWER_DONE, 1) + 1u != simt_blocks())
        return;
    simt_fence(); /* this block reads the sums after it has read all signals */
    for (uint32_t i = 0; i < ANSWER_DONE; i++)
        simt_store_u64(a->told + i, simt_load_relaxed_u64(a->sums + i));
    for (uint32_t i = 0; i < ANSWER_SUMS; i++)
        simt_store_u64(a->sums + i, 0);
    simt_fence_host();
    simt_store_u64(a->told + ANSWER_DONE, a->launch);
}

/* Appends a gap to a list of gaps. The word `sum` of a->sums is the list's number of entries. */
SIMT_FUNCTION void answer_list_gap(const struct answer_arguments *a, uint64_t *list, uint32_t sum,
                                   uint64_t from, uint64_t to, uint32_t kind)
{
    uint64_t *gap = list + ANSWER_GAP_WORDS * simt_atomic_add_u64(a->sums + sum, 1);

    simt_store_u64(gap, from);
    simt_store_u64(gap + 1, to);
    simt_store_u64(gap + 2, kind);
    simt_store_u64(gap + 3, 0);
}

/* Returns the position of hit i. */
SIMT_FUNCTION uint64_t answer_place(const struct answer_arguments *a, uint64_t i)
{
    return a->begin + (uint32_t)simt_load_u64(a->hits + i);
}

SIMT_KERNEL(answer_lines, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t gap = (uint64_t)simt_block() * simt_threads() + simt_thread(), from = 0, to = 0;
    int is_gap = SIMT_BOUND(gap <= args.count), found = 0, is_far = 0;
    uint32_t kind = gap == 0 ? ANSWER_FIRST : gap == args.count ? ANSWER_LAST : ANSWER_INNER;
    uint32_t rest, lanes;

    if (is_gap) {
        to = gap == args.count ? args.end : answer_place(&args, gap);
        from = gap == 0 ? args.begin : answer_place(&args, gap - 1u);
        found = answer_near(&args, &from, &to);
    }
    for (rest = simt_ballot(!found && to > from); rest != 0; rest &= rest - 1u) {
        uint32_t lane = simt_lowest_bit(rest);
        uint64_t end = simt_shuffle_u64(to, lane), begin = simt_shuffle_u64(from, lane);
        uint64_t far = end - begin > args.warp_bytes ? end - args.warp_bytes : begin;
        int here = answer_by_warp(&args, far, end);

        if (simt_lane() == lane) {
            found = here;
            is_far = !here && far > begin;
            to = far;
        }
    }
    if (is_far)
        answer_list_gap(&args, args.gaps, ANSWER_FAR, from, to, kind);
    for (rest = ANSWER_INNER; rest <= ANSWER_LAST; rest++) {
        lanes = simt_ballot(found && kind == rest);
        if (lanes != 0 && simt_lane() == 0)
            simt_add_u64(args.sums + rest, simt_popcount(lanes));
    }
    if (gap == 0)
        simt_store_u64(args.sums + ANSWER_BYTE, simt_load_u8(args.text + args.end - 1u));
    answer_report_sums(&args);
}

/* Returns true if [from, to) has a line end. Called by all threads of the block. Stops early if
 * *state, the gap's fourth word, becomes 1: another block has found one. */
SIMT_FUNCTION int answer_by_block(const struct answer_arguments *a, uint64_t from, uint64_t to,
                                  const uint64_t *state)
{
    uint64_t warps = simt_threads() / SIMT_WARP_THREADS, part = ANSWER_PIECE_BYTES / warps;

    for (uint64_t at = from; at < to; at += ANSWER_PIECE_BYTES) {
        uint64_t begin = at + simt_warp() * part, end = begin + part;
        int found = 0;

        end = end < to ? end : to;
        if (begin < end)
            found = answer_by_warp(a, begin, end);
        if (simt_barrier_or(found))
            return 1;
        if (state != 0 && simt_barrier_or(simt_thread() == 0 && simt_load_relaxed_u64(state) != 0))
            return 0;
    }
    return 0;
}

SIMT_KERNEL(answer_gaps, answer_arguments, LISTS_THREADS, 4)
{
    int shared = args.vast == 0;
    uint64_t step = shared ? 1u : simt_blocks(), i = shared ? 0 : simt_block();

    for (; SIMT_BOUND(i < args.gap_count); i += step) {
        uint64_t *gap = args.gaps + ANSWER_GAP_WORDS * i;
        uint64_t from = simt_load_l2_u64(gap), to = simt_load_l2_u64(gap + 1);
        uint32_t kind = (uint32_t)simt_load_l2_u64(gap + 2);

        if (!shared && to - from > args.block_bytes) {
            if (simt_thread() == 0)
                answer_list_gap(&args, args.vast, ANSWER_VAST, from, to, kind);
            continue;
        }
        if (!shared) {
            if (answer_by_block(&args, from, to, 0) && simt_thread() == 0)
                simt_add_u64(args.sums + kind, 1);
            continue;
        }
        for (uint64_t at = from + simt_block() * args.block_bytes; at < to;
             at += simt_blocks() * args.block_bytes) {
            uint64_t end = at + args.block_bytes;

            if (!answer_by_block(&args, at, end < to ? end : to, gap + 3))
                continue;
            if (simt_thread() == 0 && simt_atomic_exchange_u64(gap + 3, 1) == 0)
                simt_add_u64(args.sums + kind, 1);
            break;
        }
    }
    answer_report_sums(&args);
}

SIMT_KERNEL(answer_ends, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t first = args.begin / 16u, units = (args.end + 15u) / 16u - first, total = 0;
    uint64_t step = (uint64_t)simt_blocks() * simt_threads();
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread();

    SIMT_ROLLED
    for (; i < units; i += 4u * step) {
        uint32_t count = 0;

        SIMT_UNROLL
        for (uint32_t k = 0; k < 4u; k++)
            if (SIMT_BOUND(i + k * step < units))
                count += simt_popcount(answer_unit(&args, first + i + k * step) &
                                       answer_inside(first + i + k * step, args.begin, args.end));
        total += count;
    }
    total = simt_warp_sum_u64(total);
    if (simt_lane() == 0 && total != 0)
        simt_add_u64(args.sums + ANSWER_ENDS, total);
    answer_report_sums(&args);
}

/* ---- Hits -------------------------------------------------------------------------------- */

SIMT_FUNCTION uint32_t answer_length(const struct answer_arguments *a, uint32_t literal)
{
    return a->lengths == 0 ? a->literal_bytes : simt_load_u32(a->lengths + literal);
}

/* Returns the length of a hit: of a string, or of an expression's match. */
SIMT_FUNCTION uint32_t answer_bytes_of(const struct answer_arguments *a, uint32_t literal)
{
    return a->find_as == FIND_SPANS ? literal & ((1u << LENGTH_BITS) - 1u)
                                    : answer_length(a, literal);
}

SIMT_FUNCTION int answer_is_word(uint32_t byte)
{
    return byte - '0' < 10u || (byte | 0x20u) - 'a' < 26u || byte == '_';
}

/* Returns true if an occurrence may have this byte, or the text's end (ANSWER_NO_BYTE), as a
 * neighbour. */
SIMT_FUNCTION int answer_parts(const struct answer_arguments *a, uint32_t byte)
{
    if (byte == ANSWER_NO_BYTE)
        return 1;
    if ((a->conditions & ANSWER_LINES) != 0 && byte != (a->line_end & 0xffu) &&
        byte != (a->line_end_also & 0xffu))
        return 0;
    return (a->conditions & ANSWER_WORDS) == 0 || !answer_is_word(byte);
}

/* Returns true if the conditions hold for the occurrence [x, x + bytes), where [from, to) is the
 * text or the record. The byte before lead_at is a->lead. */
SIMT_FUNCTION int answer_holds(const struct answer_arguments *a, uint64_t x, uint32_t bytes,
                               uint64_t from, uint64_t to)
{
    uint32_t before = ANSWER_NO_BYTE, after = ANSWER_NO_BYTE;

    if (x != from)
        before =
            x == a->lead_at && a->lead != ANSWER_IN_TEXT ? a->lead : simt_load_u8(a->text + x - 1u);
    if (x + bytes < to)
        after = simt_load_u8(a->text + x + bytes);
    return answer_parts(a, before) && answer_parts(a, after);
}

/* Appends the word of each lane whose `is_kept` is not 0 to the list, in any order; counts the
 * words in a->sums[ANSWER_KEPT]. Called by all lanes of the warp. */
SIMT_FUNCTION void answer_keep(const struct answer_arguments *a, int is_kept, uint64_t word)
{
    uint32_t lanes = simt_ballot(is_kept);
    uint64_t slot = 0;

    if (lanes == 0)
        return;
    if (simt_lane() == 0)
        slot = simt_atomic_add_u64(a->sums + ANSWER_KEPT, simt_popcount(lanes));
    slot = simt_shuffle_u64(slot, 0) + simt_popcount(lanes & ((1u << simt_lane()) - 1u));
    if (is_kept && a->kept != 0 && slot < a->kept_room)
        simt_store_u64(a->kept + slot, word);
}

SIMT_KERNEL(answer_accept, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread(), hit = 0;
    int is_kept = 0;

    if (SIMT_BOUND(i < args.count)) {
        hit = simt_load_u64(args.hits + i);
        /* lead_at is the position of the chunk's first byte; if no byte precedes it, the text
         * begins there */
        is_kept =
            answer_holds(&args, args.begin + (uint32_t)hit,
                         answer_length(&args, (uint32_t)(hit >> 32)), UINT64_MAX, args.text_end);
    }
    answer_keep(&args, is_kept, hit);
    answer_report_sums(&args);
}

SIMT_KERNEL(answer_patterns, answer_arguments, LISTS_THREADS, 4)
{
    SIMT_SHARED(uint32_t, answer_counts, ANSWER_PATTERNS_SHARED);
    uint64_t step = (uint64_t)simt_blocks() * simt_threads();
    int few = args.pattern_count <= ANSWER_PATTERNS_SHARED;

    for (uint32_t p = simt_thread(); few && p < args.pattern_count; p += simt_threads())
        answer_counts[p] = 0;
    simt_barrier();
    for (uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread();
         SIMT_BOUND(i < args.count); i += step) {
        uint32_t pattern = (uint32_t)(simt_load_u64(args.hits + i) >> 32);

        if (args.patterns != 0)
            pattern = simt_load_u32(args.patterns + pattern);
        if (few)
            (void)simt_atomic_add_u32(&answer_counts[pattern], 1);
        else
            simt_add_u64(args.counts + pattern, 1);
    }
    simt_barrier();
    for (uint32_t p = simt_thread(); few && p < args.pattern_count; p += simt_threads())
        if (answer_counts[p] != 0)
            simt_add_u64(args.counts + p, answer_counts[p]);
}

/* ---- Records ----------------------------------------------------------------------------- */

/* Returns where record i begins, which is where record i - 1 ends, as an offset in the tape. */
SIMT_FUNCTION uint64_t answer_record_at(const struct answer_arguments *a, uint64_t i)
{
    uint64_t offset = a->narrow != 0 ? simt_load_u32((const uint32_t *)a->offsets + i)
                                     : simt_load_u64((const uint64_t *)a->offsets + i);

    return offset - a->origin;
}

SIMT_FUNCTION int answer_is_null(const struct answer_arguments *a, uint64_t record)
{
    uint64_t bit = a->validity_begin + record;

    return a->validity != 0 &&
           ((uint32_t)simt_load_u8(a->validity + bit / 8u) >> bit % 8u & 1u) == 0;
}

/* Checks each record's offsets, and enters the record into the table for each multiple of the
 * table's step that lies in the record. */
SIMT_KERNEL(answer_steps, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t step = (uint64_t)simt_blocks() * simt_threads();

    for (uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread();
         SIMT_BOUND(i < args.record_count); i += step) {
        uint64_t begin = answer_record_at(&args, i), end = answer_record_at(&args, i + 1u);
        /* an offset of 32 bits is signed, and only the first may be above the others */
        int is_right = begin <= end && end + args.origin <= args.offset_max;

        if (!is_right)
            simt_max_u64(args.sums + ANSWER_FAULT, UINT64_MAX - i);
        for (uint64_t k = (begin + (1u << RECORDS_STEP_LOG2) - 1u) >> RECORDS_STEP_LOG2;
             is_right && k << RECORDS_STEP_LOG2 < end && SIMT_BOUND(k < args.step_count); k++)
            simt_store_u32(args.steps + k, (uint32_t)i);
    }
    answer_report_sums(&args);
}

/* Returns the record that contains the tape's byte `at`: the first record that ends after it. */
SIMT_FUNCTION uint64_t answer_record_of(const struct answer_arguments *a, uint64_t at)
{
    uint64_t k = at >> RECORDS_STEP_LOG2, low = simt_load_u32(a->steps + k);
    uint64_t high =
        k + 1u < a->step_count ? simt_load_u32(a->steps + k + 1u) : a->record_count - 1u;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2u;

        if (answer_record_at(a, middle + 1u) <= at)
            low = middle + 1u;
        else
            high = middle;
    }
    return low;
}

/* Marks that the record has a hit, or an empty match. Returns true if it had none before. */
SIMT_FUNCTION int answer_mark(const struct answer_arguments *a, uint64_t record, int is_empty)
{
    uint32_t bit = 1u << record % 32u;

    if (a->shape == ANSWER_COUNTS && a->bits == 0)
        return simt_atomic_add_u32((uint32_t *)a->into + record, 1) == 0;
    if (a->shape == ANSWER_COUNTS && !is_empty)
        (void)simt_atomic_add_u32((uint32_t *)a->into + record, 1);
    if ((simt_atomic_or_u32(a->bits + record / 32u, bit) & bit) != 0)
        return 0;
    if (a->shape == ANSWER_BYTES)
        simt_store_u8((uint8_t *)a->into + record, 1);
    return 1;
}

SIMT_KERNEL(answer_records, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t i = (uint64_t)simt_block() * simt_threads() + simt_thread(), record = 0;
    uint32_t literal = 0, lanes;
    int is_kept = 0, is_empty = 0;

    if (args.find_as == FIND_RECORDS && SIMT_BOUND(i < args.count)) {
        uint64_t found = simt_load_u64(args.hits + i);

        literal = (uint32_t)(found >> 32) & ~FIND_EMPTY;
        is_empty = (found >> 32 & FIND_EMPTY) != 0;
        record = (uint32_t)found;
        is_kept = !answer_is_null(&args, record);
    } else if (SIMT_BOUND(i < args.count)) {
        uint64_t hit = simt_load_u64(args.hits + i), x = args.begin + (uint32_t)hit, begin, end;
        uint32_t bytes;

        literal = (uint32_t)(hit >> 32);
        bytes = answer_bytes_of(&args, literal);
        record = answer_record_of(&args, x - args.tape);
        begin = answer_record_at(&args, record) + args.tape;
        end = answer_record_at(&args, record + 1u) + args.tape;
        is_kept = x < args.end && bytes <= end - x && !answer_is_null(&args, record) &&
                  (args.conditions == 0 || answer_holds(&args, x, bytes, begin, end));
    }
    if (args.shape >= ANSWER_FIRST_HITS) {
        answer_keep(&args, is_kept, is_kept ? simt_load_u64(args.hits + i) : 0);
    } else if (args.shape == ANSWER_KEYS) {
        if (is_kept && args.patterns != 0)
            literal = simt_load_u32(args.patterns + literal);
        answer_keep(&args, is_kept, (uint64_t)literal << 32 | record);
    } else {
        lanes = simt_ballot(is_kept && answer_mark(&args, record, is_empty));
        if (lanes != 0 && simt_lane() == 0)
            simt_add_u64(args.sums + ANSWER_KEPT, simt_popcount(lanes));
    }
    answer_report_sums(&args);
}

/* ---- Cells ------------------------------------------------------------------------------- */

SIMT_FUNCTION void answer_put(const struct answer_arguments *a, void *column, uint64_t at,
                              uint64_t value)
{
    if (a->cell_bytes == 4u)
        simt_store_u32((uint32_t *)column + at, (uint32_t)value);
    else
        simt_store_u64((uint64_t *)column + at, value);
}

/* Returns the number of cells in earlier blocks. Called by all threads. */
SIMT_FUNCTION uint64_t answer_cells_before(const struct answer_arguments *a)
{
    SIMT_SHARED(uint64_t, answer_before, LISTS_THREADS / SIMT_WARP_THREADS);
    uint64_t own = 0, before = 0;

    for (uint32_t b = simt_thread(); SIMT_BOUND(b < simt_block()); b += simt_threads())
        own += simt_load_u32(a->block_counts + b);
    own = simt_warp_sum_u64(own);
    if (simt_lane() == 0)
        answer_before[simt_warp()] = own;
    simt_barrier();
    for (uint32_t w = 0; w < simt_threads() / SIMT_WARP_THREADS; w++)
        before += answer_before[w];
    return before;
}

/* Makes cells of the sorted keys: a key that differs from the one before is a cell. In a first
 * launch, into_room is 0, and each block counts its cells; in a second launch, each block writes
 * its cells after those of earlier blocks. */
SIMT_KERNEL(answer_cells, answer_arguments, LISTS_THREADS, 4)
{
    SIMT_SHARED(uint32_t, answer_warps, LISTS_THREADS / SIMT_WARP_THREADS);
    uint64_t share = (args.count + simt_blocks() - 1u) / simt_blocks(), from, to, before = 0;
    int writes = args.into_room != 0;
    uint32_t total = 0;

    share = (share + simt_threads() - 1u) / simt_threads() * simt_threads();
    from = simt_block() * share;
    to = from + share < args.count ? from + share : args.count;
    if (writes)
        before = args.cells_before + answer_cells_before(&args);
    for (uint64_t tile = from; tile < to; tile += simt_threads()) {
        uint64_t i = tile + simt_thread(), key = 0;
        uint32_t lanes, place = 0, all = 0;
        int is_cell = 0;

        if (SIMT_BOUND(i < to)) {
            key = simt_load_u64(args.hits + i);
            is_cell = i == 0 || simt_load_u64(args.hits + i - 1u) != key;
        }
        lanes = simt_ballot(is_cell);
        if (simt_lane() == 0)
            answer_warps[simt_warp()] = simt_popcount(lanes);
        simt_barrier();
        for (uint32_t w = 0; w < simt_threads() / SIMT_WARP_THREADS; w++) {
            place += w < simt_warp() ? answer_warps[w] : 0;
            all += answer_warps[w];
        }
        place += simt_popcount(lanes & ((1u << simt_lane()) - 1u));
        if (writes && is_cell && SIMT_BOUND(before + total + place < args.into_room)) {
            answer_put(&args, args.cell_records, before + total + place, (uint32_t)key);
            answer_put(&args, args.cell_patterns, before + total + place, (uint32_t)(key >> 32));
        }
        total += all;
        simt_barrier(); /* the warps' counts are read by all threads before the next tile's */
    }
    if (simt_thread() == 0 && !writes) {
        simt_store_u32(args.block_counts + simt_block(), total);
        simt_add_u64(args.sums + ANSWER_KEPT, total);
    }
    answer_report_sums(&args);
}

/* ---- Matches ----------------------------------------------------------------------------- */

/* Returns item `at` of a column that this kernel also writes, so no read-only load may get it. */
SIMT_FUNCTION uint64_t answer_column_item(const struct answer_arguments *a, const void *column,
                                          uint64_t at)
{
    return a->cell_bytes == 4u ? simt_load_relaxed_u32((const uint32_t *)column + at)
                               : simt_load_relaxed_u64((const uint64_t *)column + at);
}

/* Returns where hit i begins, as an offset in the tape. */
SIMT_FUNCTION uint64_t answer_tape_at(const struct answer_arguments *a, uint64_t i)
{
    return answer_place(a, i) - a->tape;
}

/* Writes hit i to item `at` of the columns that are wanted; its record begins at `from`. */
SIMT_FUNCTION void answer_put_hit(const struct answer_arguments *a, uint64_t i, uint64_t at,
                                  uint64_t from)
{
    uint32_t literal = (uint32_t)(simt_load_u64(a->hits + i) >> 32), pattern = literal;
    uint64_t begin = answer_tape_at(a, i) - from;

    if (a->find_as == FIND_SPANS)
        pattern = literal >> LENGTH_BITS;
    else if (a->patterns != 0)
        pattern = simt_load_u32(a->patterns + literal);
    if (a->cell_begins != 0)
        answer_put(a, a->cell_begins, at, begin);
    if (a->cell_ends != 0)
        answer_put(a, a->cell_ends, at, begin + answer_bytes_of(a, literal));
    if (a->cell_patterns != 0)
        answer_put(a, a->cell_patterns, at, pattern);
}

/* Writes each record's first hit, or all hits and where each record's begin. A record may have hits
 * in several ranges: the first stays, and numbers are added up. */
SIMT_KERNEL(answer_spans, answer_arguments, LISTS_THREADS, 4)
{
    uint64_t r = (uint64_t)simt_block() * simt_threads() + simt_thread(), low = 0, from, to;
    int is_record = SIMT_BOUND(r < args.record_count), is_found = 0;
    uint32_t lanes;

    if (SIMT_BOUND(r <= args.record_count)) {
        from = answer_record_at(&args, r);
        to = is_record ? answer_record_at(&args, r + 1u) : from;
        for (uint64_t high = args.count; low < high;) {
            uint64_t middle = low + (high - low) / 2u;

            if (answer_tape_at(&args, middle) < from)
                low = middle + 1u;
            else
                high = middle;
        }
        if (args.shape == ANSWER_ALL_HITS) {
            answer_put(&args, args.cell_records, r,
                       answer_column_item(&args, args.cell_records, r) + low);
            for (uint64_t at = args.cells_before + low;
                 low < args.count && at < args.into_room && answer_tape_at(&args, low) < to;
                 low++, at++)
                answer_put_hit(&args, low, at, from);
        } else if (is_record) {
            uint64_t none = args.cell_bytes == 4u ? 0xffffffffu : UINT64_MAX;

            is_found = low < args.count && answer_tape_at(&args, low) < to &&
                       answer_column_item(&args, args.cell_begins, r) == none;
            if (is_found)
                answer_put_hit(&args, low, r, from);
        }
    }
    lanes = simt_ballot(is_found);
    if (lanes != 0 && simt_lane() == 0)
        simt_add_u64(args.sums + ANSWER_KEPT, simt_popcount(lanes));
    answer_report_sums(&args);
}
