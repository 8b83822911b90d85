/* rewrite: makes new strings of records and of matches in them (trawl_records_rewrite).
 *
 * Method     rewrite_select: chooses matches that do not overlap, and lists for each what it
 *            replaces and how many bytes the text grows there. rewrite_scan: sums these up, and
 *            makes entries of them. rewrite_ends: writes where the new records, or their parts,
 *            end. rewrite_gather: writes the new bytes. Their positions are those in the text, plus
 *            what all earlier matches have added (mod 2^64):
 *
 *              text    ....mmmm......mm...          match 0: from 4, to 8; match 1: from 14, to 16
 *              new     ....VV......VV...            entry 0: from 4, to 6, shift -2
 *                                                   entry 1: from 12, to 14, shift -2
 *
 *            so byte x of the new text is byte x - shift of the text, with the shift of the last
 *            entry with from <= x; in [from, to), it is the entry's value.
 *            rewrite_groups: instead of rewrite_select, finds a group of each record's first match
 *            with a one-pass automaton; of other matches, it is empty. Then an entry begins where
 *            the group does in the new text, which has only the groups.
 * Grid       rewrite_select, rewrite_groups: a thread per record; rewrite_ends: and one more;
 *            rewrite_scan: any; rewrite_gather: a block per REWRITE_TILE bytes of the new text.
 * Traffic    rewrite_gather: reads and writes the text once; the other kernels: per record 12 to 40
 *            bytes, per match about 100.
 * Bound      by memory.
 * Progress   no block waits for another.
 * Source     the prefix sums that libcudf and others make string columns with; but over matches
 *            instead of records, so that long stretches without matches are copied as one.
 */

/* Lists entry i: [from, to) of the text becomes `bytes` bytes. */
SIMT_FUNCTION void rewrite_put(const struct rewrite_arguments *a, uint64_t i, uint64_t from,
                               uint64_t to, uint64_t bytes, int is_chosen)
{
    simt_store_u64(a->from + i, from);
    simt_store_u64(a->to + i, to);
    simt_store_u64(a->shift + i, bytes - (to - from));
    if (a->chosen != 0)
        simt_store_u64(a->chosen + i, (uint64_t)is_chosen);
}

/* Returns item i of a column of matches. */
SIMT_FUNCTION uint64_t rewrite_item(const struct rewrite_arguments *a, const void *column,
                                    uint64_t i)
{
    return a->answer.cell_bytes == 4u ? simt_load_u32((const uint32_t *)column + i)
                                      : simt_load_u64((const uint64_t *)column + i);
}

/* Returns how many matches are in records before record r. */
SIMT_FUNCTION uint64_t rewrite_before(const struct rewrite_arguments *a, uint64_t r)
{
    uint64_t before = rewrite_item(a, a->answer.cell_records, r);

    return before < a->answer.count ? before : a->answer.count;
}

/* Returns the number of match i's value. */
SIMT_FUNCTION uint64_t rewrite_value(const struct rewrite_arguments *a, uint64_t i)
{
    uint64_t value = a->value_count > 1u ? rewrite_item(a, a->answer.cell_patterns, i) : 0;

    return value < a->value_count ? value : 0;
}

/* Returns the number of bytes that replace match i, which is [from, to) of the text. */
SIMT_FUNCTION uint64_t rewrite_bytes(const struct rewrite_arguments *a, uint64_t i, uint64_t from,
                                     uint64_t to)
{
    uint64_t value, bytes, times = to - from;

    if (a->value_count == 0)
        return 0;
    value = rewrite_value(a, i);
    bytes = simt_load_u32(a->value_ends + value + 1u) - simt_load_u32(a->value_ends + value);
    for (uint64_t x = from; a->how == REWRITE_MASK_CHARACTERS && x < to; x++)
        times -= (simt_load_u8(a->answer.text + x) & 0xc0u) == 0x80u;
    return a->how == REWRITE_REPLACE ? bytes : bytes * times;
}

SIMT_KERNEL(rewrite_select, rewrite_arguments, LISTS_THREADS, 4)
{
    uint64_t r = (uint64_t)simt_block() * simt_threads() + simt_thread(), base, at, i, stop;

    if (!SIMT_BOUND(r < args.answer.record_count))
        return;
    i = rewrite_before(&args, r);
    stop = rewrite_before(&args, r + 1u);
    base = i < stop ? answer_record_at(&args.answer, r) : 0;
    for (at = base; i < stop; i++) {
        uint64_t from = base + rewrite_item(&args, args.answer.cell_begins, i), best = i, to;

        if (from < at) { /* it overlaps the one that was chosen last */
            rewrite_put(&args, i, at, at, 0, 0);
            continue;
        }
        to = base + rewrite_item(&args, args.answer.cell_ends, i);
        for (uint64_t k = i + 1u; args.longest && k < stop; k++) {
            uint64_t end = base + rewrite_item(&args, args.answer.cell_ends, k);

            if (base + rewrite_item(&args, args.answer.cell_begins, k) != from)
                break;
            if (end > to) {
                to = end;
                best = k;
            }
        }
        for (; i < best; i++)
            rewrite_put(&args, i, at, at, 0, 0);
        rewrite_put(&args, i, from, to, rewrite_bytes(&args, i, from, to), 1);
        at = to;
    }
}

/* Finds the group in the match [from, to) of record r. Returns false if it took no part. */
SIMT_FUNCTION int rewrite_find(const struct rewrite_arguments *a, uint64_t r, uint64_t from,
                               uint64_t to, uint64_t *begin, uint64_t *end)
{
    const uint64_t base = answer_record_at(&a->answer, r),
                   last = answer_record_at(&a->answer, r + 1u);
    const int back = a->backwards != 0;
    uint64_t x = back ? to : from, stop = back ? from : to;
    uint32_t state = answer_beside(&a->answer, &a->answer.automaton, back ? x : x - 1u, last,
                                   back ? x == last : x == base);

    *begin = *end = UINT64_MAX;
    SIMT_ROLLED
    for (;; x += back ? UINT64_MAX : 1u) {
        uint32_t column = a->columns, bits, next;
        const uint32_t *step;

        if (back ? x > base : x < last)
            column =
                simt_load_u8(a->column_of + simt_load_u8(a->answer.text + (back ? x - 1u : x)));
        step = a->steps + 4ull * ((uint64_t)state * (a->columns + 1u) + column) + 2u * (x == stop);
        next = simt_load_u32(step);
        bits = next == 0 ? 0 : simt_load_u32(step + 1);
        if ((bits & 1u) != 0)
            *begin = x;
        if ((bits & 2u) != 0 && (!back || *end == UINT64_MAX))
            *end = x;
        if (next == 0 || next == REWRITE_KNOWN || x == stop || (back && *begin != UINT64_MAX))
            return *begin != UINT64_MAX && *end != UINT64_MAX;
        state = next - 1u;
    }
}

SIMT_KERNEL(rewrite_groups, rewrite_arguments, LISTS_THREADS, 4)
{
    uint64_t r = (uint64_t)simt_block() * simt_threads() + simt_thread(), begin = 0, end = 0;
    uint64_t i = 0, stop = 0;
    uint32_t lanes;
    int is_found = 0;

    if (SIMT_BOUND(r < args.answer.record_count)) {
        i = rewrite_before(&args, r);
        stop = rewrite_before(&args, r + 1u);
    }
    if (i < stop) {
        uint64_t base = answer_record_at(&args.answer, r);

        is_found = rewrite_find(&args, r, base + rewrite_item(&args, args.answer.cell_begins, i),
                                base + rewrite_item(&args, args.answer.cell_ends, i), &begin, &end);
    }
    for (int take = is_found; i < stop; i++, take = 0) {
        simt_store_u64(args.from + i, begin);
        simt_store_u64(args.shift + i, take ? end - begin : 0);
    }
    lanes = simt_ballot(is_found);
    if (simt_lane() == 0 && r < args.answer.record_count)
        simt_store_u32(args.valid + r / SIMT_WARP_THREADS, lanes);
}

/* Sums up args.scanned over the matches. In a first launch, each block writes the sum of its share,
 * and adds it to the answer's sums. In a second launch, each block makes entries of its share, or,
 * of `chosen`, the number of those before each match and in all. */
SIMT_KERNEL(rewrite_scan, rewrite_arguments, LISTS_THREADS, 4)
{
    SIMT_SHARED(uint64_t, rewrite_warps, LISTS_THREADS / SIMT_WARP_THREADS);
    uint64_t share = (args.answer.count + simt_blocks() - 1u) / simt_blocks(), begin, end;
    uint64_t before = 0, sum = 0;

    share = (share + simt_threads() - 1u) / simt_threads() * simt_threads();
    begin = simt_block() * share;
    end = begin + share < args.answer.count ? begin + share : args.answer.count;
    for (uint32_t b = 0; args.writes && b < simt_block(); b++)
        before += simt_load_u64(args.block_sums + b);
    for (uint64_t tile = begin; tile < end; tile += simt_threads()) {
        uint64_t i = tile + simt_thread(), own = 0, upto, from, to;

        if (SIMT_BOUND(i < end))
            own = simt_load_relaxed_u64(args.scanned + i);
        upto = own;
        for (uint32_t delta = 1; delta < SIMT_WARP_THREADS; delta *= 2u) {
            uint64_t other = simt_shuffle_u64(upto, (simt_lane() - delta) % SIMT_WARP_THREADS);

            upto += simt_lane() >= delta ? other : 0;
        }
        if (simt_lane() == SIMT_WARP_THREADS - 1u)
            rewrite_warps[simt_warp()] = upto;
        simt_barrier();
        for (uint32_t w = 0; w < simt_threads() / SIMT_WARP_THREADS; w++) {
            upto += w < simt_warp() ? rewrite_warps[w] : 0;
            sum += rewrite_warps[w];
        }
        upto += before;
        if (args.writes && SIMT_BOUND(i < end)) {
            if (args.scanned == args.chosen) {
                simt_store_u64(args.chosen + i, upto - own);
                if (i + 1u == args.answer.count)
                    simt_store_u64(args.chosen + i + 1u, upto);
            } else if (args.how == REWRITE_GROUP) {
                from = simt_load_relaxed_u64(args.from + i);
                simt_store_u64(args.from + i, upto - own);
                simt_store_u64(args.to + i, upto - own);
                simt_store_u64(args.shift + i, upto - own - from);
            } else {
                from = simt_load_relaxed_u64(args.from + i);
                to = simt_load_relaxed_u64(args.to + i);
                simt_store_u64(args.from + i, from + upto - own);
                simt_store_u64(args.to + i, to + upto);
                simt_store_u64(args.shift + i, upto);
            }
        }
        simt_barrier(); /* the warps' sums are read by all threads before the next tile's */
        if (args.writes) {
            before += sum;
            sum = 0;
        }
    }
    if (args.writes)
        return;
    if (simt_thread() == 0) {
        simt_store_u64(args.block_sums + simt_block(), sum);
        simt_add_u64(args.answer.sums + ANSWER_KEPT, sum);
    }
    answer_report_sums(&args.answer);
}

/* Writes number i of a column of the new strings. */
SIMT_FUNCTION void rewrite_number(const struct rewrite_arguments *a, void *column, uint64_t i,
                                  uint64_t number)
{
    if (a->offset_bytes == 4u)
        simt_store_u32((uint32_t *)column + i, (uint32_t)number);
    else
        simt_store_u64((uint64_t *)column + i, number);
}

SIMT_KERNEL(rewrite_ends, rewrite_arguments, LISTS_THREADS, 4)
{
    uint64_t r = (uint64_t)simt_block() * simt_threads() + simt_thread(), i, at, part, stop;

    if (!SIMT_BOUND(r <= args.answer.record_count))
        return;
    i = rewrite_before(&args, r);
    if (args.how == REWRITE_GROUP) {
        rewrite_number(&args, args.answer.into, r,
                       i < args.answer.count ? simt_load_u64(args.from + i) : args.total);
        return;
    }
    at = answer_record_at(&args.answer, r) + (i == 0 ? 0 : simt_load_u64(args.shift + i - 1u));
    part = r + (args.chosen == 0 ? 0 : simt_load_u64(args.chosen + i));
    rewrite_number(&args, args.answer.into, part, at);
    if (args.chosen == 0)
        return;
    rewrite_number(&args, args.lists, r, part);
    stop = r < args.answer.record_count ? rewrite_before(&args, r + 1u) : i;
    for (; i < stop; i++)
        if (simt_load_u64(args.chosen + i + 1u) != simt_load_u64(args.chosen + i))
            rewrite_number(&args, args.answer.into, ++part, simt_load_u64(args.from + i));
}

/* Returns how many entries begin at `at` or before. Called by all lanes of the warp, with the same
 * `at`. */
SIMT_FUNCTION uint64_t rewrite_upto(const struct rewrite_arguments *a, uint64_t at)
{
    uint64_t low = 0, high = a->answer.count;

    while (low < high) {
        uint64_t step = (high - low + SIMT_WARP_THREADS - 1u) / SIMT_WARP_THREADS;
        uint64_t probe = low + (simt_lane() + 1u) * step - 1u, passed;

        passed = simt_popcount(simt_ballot(probe < high && simt_load_u64(a->from + probe) <= at));
        low += passed * step;
        high = low + step - 1u < high ? low + step - 1u : high;
    }
    return low;
}

/* The part of the new text that the last entry before a place decides. */
struct rewrite_part {
    uint64_t entry;     /* number of entries up to it */
    uint64_t shift, to; /* of the entry; 0 before the first */
    uint64_t stop;      /* where the next entry begins */
};

SIMT_FUNCTION struct rewrite_part rewrite_part_of(const struct rewrite_arguments *a, uint64_t entry)
{
    struct rewrite_part part = {entry, 0, 0, a->total};

    if (entry > 0) {
        part.shift = simt_load_u64(a->shift + entry - 1u);
        part.to = simt_load_u64(a->to + entry - 1u);
    }
    if (entry < a->answer.count)
        part.stop = simt_load_u64(a->from + entry);
    return part;
}

/* Returns byte x of the new text. */
SIMT_FUNCTION uint64_t rewrite_byte(const struct rewrite_arguments *a,
                                    const struct rewrite_part *part, uint64_t x)
{
    uint64_t value;
    uint32_t begin, bytes;

    if (x >= part->to)
        return simt_load_u8(a->answer.text + (x - part->shift));
    value = rewrite_value(a, part->entry - 1u);
    begin = simt_load_u32(a->value_ends + value);
    bytes = simt_load_u32(a->value_ends + value + 1u) - begin;
    x -= simt_load_u64(a->from + part->entry - 1u);
    return simt_load_u8(a->values + begin + (a->how == REWRITE_REPLACE ? x : x % bytes));
}

/* Copies 16 bytes from any address. Reads no word without one of them. */
SIMT_FUNCTION void rewrite_copy(const uint8_t *from, uint8_t *to)
{
    uint32_t skew = (uint32_t)(uintptr_t)from % 4u, words[5];
    const uint32_t *at = (const uint32_t *)(const void *)(from - skew);
    struct simt_u32x4 copy;

    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++)
        words[k] = simt_load_u32(at + k);
    words[4] = skew == 0 ? 0 : simt_load_u32(at + 4);
    SIMT_UNROLL
    for (uint32_t k = 0; k < 4u; k++)
        copy.w[k] = simt_funnel(words[k], words[k + 1u], skew * 8u);
    simt_store_u32x4((uint32_t *)(void *)to, copy);
}

SIMT_KERNEL(rewrite_gather, rewrite_arguments, LISTS_THREADS, 4)
{
    SIMT_SHARED(uint64_t, rewrite_bounds, 2);
    uint64_t tile = (uint64_t)simt_block() * REWRITE_TILE, end = tile + REWRITE_TILE;

    end = end < args.total ? end : args.total;
    if (simt_warp() < 2u) {
        uint64_t upto = rewrite_upto(&args, simt_warp() == 0 ? tile : end - 1u);

        if (simt_lane() == 0)
            rewrite_bounds[simt_warp()] = upto;
    }
    simt_barrier();
    SIMT_ROLLED
    for (uint64_t at = tile + simt_thread() * 16u; SIMT_BOUND(at < end);
         at += simt_threads() * 16u) {
        uint64_t low = rewrite_bounds[0], high = rewrite_bounds[1], last = at + 16u;
        struct rewrite_part part;

        while (low < high) {
            uint64_t middle = low + (high - low) / 2u;

            if (simt_load_u64(args.from + middle) <= at)
                low = middle + 1u;
            else
                high = middle;
        }
        part = rewrite_part_of(&args, low);
        if (at >= part.to && last <= part.stop) {
            rewrite_copy(args.answer.text + (at - part.shift), args.bytes + at);
            continue;
        }
        last = last < end ? last : end;
        SIMT_ROLLED
        for (uint64_t x = at; x < last; x++) {
            while (x >= part.stop)
                part = rewrite_part_of(&args, part.entry + 1u);
            simt_store_u8(args.bytes + x, (uint8_t)rewrite_byte(&args, &part, x));
        }
    }
}
