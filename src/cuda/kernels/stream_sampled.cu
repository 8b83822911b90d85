/* stream_sampled: one long pattern, by a look at 16 bytes of each `stride`.
 *
 * Method     hashes the 16 bytes at every stride-th position. The hash names the pattern's offsets
 *            in [0, stride) with such a gram; sample minus offset is a begin, and each begin is
 *            proposed once. A warp takes 128 neighbouring samples at a time, four per lane, and
 *            loads the next 128 before it looks at these. Two bits of one word in shared memory say
 *            whether the pattern may have such a gram; nearly all samples end here. The others go
 *            to a queue of the warp. When it holds 32, each lane goes through one sample's list and
 *            verifies what it proposes; through a list of 32 or more all lanes go together.
 *
 *              128 samples --> two bits --> queue of the warp --> 32 lists --> compare
 *              (registers)     (shared)     (shared)              (global)      (text, pattern)
 *
 *            Occurrences are counted, lower the first, or are put into a list in any order, from
 *            which sampled_sort makes one in order. If lists and comparisons cost more than the
 *            budget, the warp drops what the queue holds and notes the groups of 128 that it came
 *            from, for scan_every. If there are too many, all warps stop.
 * Grid       any; warps draw tickets, each for some groups. 32 to 256 threads.
 * Shared     static, 42 KiB; of the 32 KiB of bits only those in use are loaded.
 * Traffic    per sample: 16 bytes of one 32-byte sector. One in 50 (stride 16384) to some hundreds
 *            has its bits set by chance and reads 4 to 8 bytes of a list. sampled_sort: each
 *            thread all begins that were found, SCAN_SORTED_MAX at most, usually from L1.
 * Bound      by sectors: 40 G/s in order, 35 G/s at random [H200].
 * Progress   no warp waits for another.
 * Order      ascending, by sampled_sort.
 * Limits     stride a multiple of 16. Where there are noted groups, or more occurrences than can be
 *            sorted, the host lists by other kernels.
 * Lost       groups assigned to warps beforehand: they drift apart, 0.86 of the rate (tickets keep
 *            the sectors that are in flight close together). A ticket per 128 samples: at most 440
 *            M/s. A table of one bit per gram. Samples of 8 bytes: in English each matches several
 *            of a pattern's 4,096 offsets. A second sector to widen the stride: 64 bytes from one
 *            position cost as much as two places. A lane for each list, linked from offset to
 *            offset: 4,000 zeros of a pattern, met once, took 1.6 ms.
 * Source     the sampling rule in docs/kernels.md; Grabowski and Bieniecki, "copMEM", 2018; two
 *            bits of one word: Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom
 *            filters", 2009.
 */
#define SAMPLED_STREAM_LOADS (SCAN_SAMPLE_STEP / SIMT_WARP_THREADS)
#define SAMPLED_QUEUE_MAX (SCAN_SAMPLE_STEP + SIMT_WARP_THREADS) /* less than 32 left over */
#define SAMPLED_END (UINT32_MAX - 2u * SCAN_SAMPLE_STEP) /* beyond all samples, all of a step */
#define SAMPLED_REST_LOADS 8u /* of a lane's words of a long comparison: each round waits once */

SIMT_FUNCTION uint64_t sampled_place(const struct scan_arguments *a, uint32_t sample)
{
    return a->sample_base + scan_sample_position(sample, a->stride, a->sample_pair);
}

/* Unsigned, so that those below the first fail too. */
SIMT_FUNCTION int sampled_is_wanted(const struct scan_arguments *a, uint32_t sample)
{
    return SIMT_BOUND(sample - a->sample_first < a->sample_count - a->sample_first);
}

/* Case is ignored here, whatever the bytes: what is proposed is compared. */
SIMT_FUNCTION uint32_t sampled_hash(const struct scan_arguments *a, const struct simt_u32x4 *sample)
{
    uint32_t fold = a->sample_fold;

    return scan_sample_hash(sample->w[0] | fold, sample->w[1] | fold, sample->w[2] | fold,
                            sample->w[3] | fold);
}

/* A warp's queue and sums; count and candidates are each lane's. */
struct sampled_stream {
    uint32_t *queue; /* samples, from the first on, ascending; then their hashes */
    uint32_t queued;
    uint32_t steps;  /* of the budget of what is queued */
    uint32_t listed; /* groups, each lane's */
    uint64_t count;
    uint64_t candidates;
};

/* Where a warp is. */
struct sampled_walk {
    uint32_t at;    /* of the step, from the first on; SAMPLED_END: nothing is left */
    uint32_t steps; /* of the ticket, this one among them */
    uint64_t ahead; /* lane 0's: the next ticket, */
    uint32_t limit; /* and how far the first was then, as in the result; 0: it is not looked for */
};

struct sampled_step {
    struct simt_u32x4 sample[SAMPLED_STREAM_LOADS];
};

/* Draw a ticket before it is needed. Any use of it would wait for it. */
SIMT_FUNCTION void sampled_ask(const struct scan_arguments *a, struct sampled_walk *walk)
{
    walk->ahead = tile_lane_ask(a);
    if (a->want == WANT_FIRST && simt_lane() == 0)
        walk->limit = simt_read_u32((const uint32_t *)(const void *)&a->result->nearest + 1);
}

/* Are all begins that a sample stands for behind the first one found so far? */
SIMT_FUNCTION int sampled_is_behind(const struct scan_arguments *a, const struct sampled_walk *walk,
                                    uint32_t sample)
{
    return UINT32_MAX - simt_shuffle_u32(walk->limit, 0) + a->begin + a->stride <
           sampled_place(a, sample);
}

SIMT_FUNCTION void sampled_walk_next(const struct scan_arguments *a, struct sampled_walk *walk)
{
    uint64_t at;

    walk->at += SCAN_SAMPLE_STEP;
    if (--walk->steps == 0) {
        at = simt_shuffle_u64(walk->ahead, 0) * a->ticket_groups * SCAN_SAMPLE_STEP;
        walk->at = at < a->sample_count ? (uint32_t)at : SAMPLED_END;
        if (a->want == WANT_FIRST && sampled_is_behind(a, walk, walk->at))
            walk->at = SAMPLED_END;
        sampled_ask(a, walk);
        walk->steps = a->ticket_groups;
    }
    if (walk->at >= a->sample_count)
        walk->at = SAMPLED_END;
}

SIMT_FUNCTION struct simt_u32x4 sampled_load(const struct scan_arguments *a, uint64_t place)
{
    return simt_load_u32x4((const uint32_t *)(const void *)(a->text + place));
}

SIMT_FUNCTION void sampled_load_step(const struct scan_arguments *a,
                                     const struct sampled_walk *walk, struct sampled_step *step)
{
    uint32_t own = walk->at + simt_lane();
    uint64_t place = sampled_place(a, own);
    uint32_t further = (SIMT_WARP_THREADS >> a->sample_pair) * a->stride;

    SIMT_UNROLL
    for (uint32_t k = 0; k < SAMPLED_STREAM_LOADS; k++)
        if (sampled_is_wanted(a, own + k * SIMT_WARP_THREADS))
            step->sample[k] = sampled_load(a, place + k * further);
}

/* tile_equal_rest with all loads of a round in flight together: what it compares is long and
 * nearly always equal, and while the text is being sampled a load takes microseconds. */
SIMT_FUNCTION int sampled_equal_rest(const struct scan_arguments *a, uint64_t x, uint32_t *steps)
{
    const uint64_t *text = (const uint64_t *)(const void *)(a->text + (x & ~7ull));
    uint32_t shift_bits = (uint32_t)(x & 7u) * 8u;

    for (uint32_t j = TILE_LANE_BYTES / 8u; 8u * j < a->pattern_bytes;
         j += SIMT_WARP_THREADS * SAMPLED_REST_LOADS) {
        uint64_t low[SAMPLED_REST_LOADS], high[SAMPLED_REST_LOADS], wanted[SAMPLED_REST_LOADS];
        int differs = 0;

        SIMT_UNROLL
        for (uint32_t k = 0; k < SAMPLED_REST_LOADS; k++) {
            uint32_t own = j + k * SIMT_WARP_THREADS + simt_lane();

            low[k] = high[k] = wanted[k] = 0;
            if (SIMT_BOUND(8u * own < a->pattern_bytes)) {
                low[k] = simt_load_u64(text + own);
                high[k] = simt_load_u64(text + own + 1u);
                wanted[k] = simt_load_u64(a->pattern + own);
            }
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < SAMPLED_REST_LOADS; k++) {
            uint32_t own = j + k * SIMT_WARP_THREADS + simt_lane();
            uint64_t word = low[k];

            if (shift_bits != 0)
                word = word >> shift_bits | high[k] << (64u - shift_bits);
            if (a->fold != 0)
                word = tile_fold(word);
            differs |= 8u * own < a->pattern_bytes &&
                       tile_difference(word, wanted[k], a->pattern_bytes - 8u * own) != 0;
        }
        *steps += SAMPLED_REST_LOADS;
        if (simt_ballot(differs) != 0)
            return 0;
    }
    return 1;
}

/* The pattern occurs at x. */
SIMT_FUNCTION void sampled_found(const struct scan_arguments *a, uint64_t x)
{
    uint64_t slot;

    if (a->want == WANT_FIRST) {
        tile_lower_first(a, (x - a->begin) << 32);
        return;
    }
    slot = simt_atomic_add_u64(a->order, 1);
    if (SIMT_BOUND(slot < a->partition_count))
        simt_store_u64(a->order + 1 + slot, x - a->begin);
}

/* Compare what the lanes propose, one begin each; returns whether the warp gives up. */
SIMT_FUNCTION int sampled_compare(const struct scan_arguments *a, struct sampled_stream *s,
                                  int equal, uint64_t x)
{
    uint32_t bytes = a->pattern_bytes < TILE_LANE_BYTES ? a->pattern_bytes : TILE_LANE_BYTES;
    uint32_t lanes;

    equal = equal && tile_equal(a, x, a->pattern, bytes);
    for (lanes = simt_ballot(equal); lanes != 0; lanes &= lanes - 1u) {
        uint32_t source = simt_lowest_bit(lanes);
        uint64_t other = simt_shuffle_u64(x, source);

        if (s->steps >= a->sample_budget)
            return 1;
        if (!sampled_equal_rest(a, other, &s->steps) && simt_lane() == source)
            equal = 0;
    }
    s->count += equal ? 1u : 0;
    if (equal && a->want != WANT_COUNT)
        sampled_found(a, x);
    return 0;
}

/* What one lane proposes next: entries of a list for the sample at `place`. */
struct sampled_offers {
    uint32_t hash, reach;
    uint64_t place;
    uint32_t entry; /* the next; others follow from `at` on */
    uint32_t at, left;
};

SIMT_FUNCTION struct sampled_offers sampled_offers_open(const struct scan_arguments *a,
                                                        const struct sampled_stream *s,
                                                        uint32_t slot)
{
    struct sampled_offers list = {0, 0, 0, PLAN_NONE, 0, 0};
    uint32_t sample;

    if (!SIMT_BOUND(slot < s->queued))
        return list;
    sample = s->queue[slot];
    list.hash = s->queue[SAMPLED_QUEUE_MAX + slot];
    list.place = sampled_place(a, sample);
    list.reach = scan_sample_reach(sample, a->stride, a->sample_pair);
    list.entry = simt_load_u32(a->heads + (list.hash >> (32u - a->hash_bits)));
    list.left = scan_list_count(list.entry);
    if (list.left > 1u) {
        list.at = scan_list_first(list.entry);
        list.entry = simt_load_u32(a->sample_entries + list.at);
    }
    return list;
}

SIMT_FUNCTION void sampled_offers_pass(const struct scan_arguments *a, uint32_t count,
                                       struct sampled_offers *list)
{
    list->at += count;
    list->left -= count;
    if (list->left != 0)
        list->entry = simt_load_u32(a->sample_entries + list->at);
}

/* Look at what an entry, if there is one, says of a list's sample; returns whether the warp gives
 * up. */
SIMT_FUNCTION int sampled_offer(const struct scan_arguments *a, struct sampled_stream *s,
                                int is_there, uint32_t entry, const struct sampled_offers *list)
{
    uint32_t offset = scan_entry_offset(entry);
    int valid = is_there && scan_entry_is(entry, list->hash) && offset < list->reach &&
                list->place >= a->begin + offset && list->place - offset < a->limit;

    s->candidates += valid ? 1u : 0;
    return sampled_compare(a, s, valid, list->place - offset);
}

/* The same for the next 32 of what lane `source` has, one for each lane. */
SIMT_FUNCTION int sampled_offer_long(const struct scan_arguments *a, struct sampled_stream *s,
                                     const struct sampled_offers *own, uint32_t source)
{
    uint32_t at = simt_shuffle_u32(own->at, source) + simt_lane();
    struct sampled_offers list = *own;

    list.hash = simt_shuffle_u32(own->hash, source);
    list.reach = simt_shuffle_u32(own->reach, source);
    list.place = simt_shuffle_u64(own->place, source);
    return sampled_offer(a, s, 1, simt_load_u32(a->sample_entries + at), &list);
}

/* Go through the lists of 32 of the queue's samples, from `first` on: each lane through its own,
 * all through those that are long; returns whether the warp gives up. */
SIMT_FUNCTION int sampled_lists(const struct scan_arguments *a, struct sampled_stream *s,
                                uint32_t first)
{
    struct sampled_offers own = sampled_offers_open(a, s, first + simt_lane());

    while (simt_ballot(own.left != 0) != 0) {
        uint32_t longs = simt_ballot(own.left >= SIMT_WARP_THREADS), source;

        if (s->steps++ >= a->sample_budget)
            return 1;
        if (longs != 0) {
            source = simt_lowest_bit(longs);
            if (sampled_offer_long(a, s, &own, source))
                return 1;
            if (simt_lane() == source)
                sampled_offers_pass(a, SIMT_WARP_THREADS, &own);
        } else {
            struct sampled_offers it = own;

            if (own.left != 0)
                sampled_offers_pass(a, 1, &own); /* it loads while this one is compared */
            if (sampled_offer(a, s, it.left != 0, it.entry, &it))
                return 1;
        }
    }
    return 0;
}

/* Note the groups that the queue's samples came from; returns whether they are too many by now, for
 * hits one. */
SIMT_FUNCTION int sampled_list(const struct scan_arguments *a, struct sampled_stream *s)
{
    int too_many = 0;

    for (uint32_t i = simt_lane(); i < s->queued; i += SIMT_WARP_THREADS) {
        uint32_t group = s->queue[i] / SCAN_SAMPLE_STEP;

        if (i == 0 || s->queue[i - 1u] / SCAN_SAMPLE_STEP != group) {
            uint64_t slot = simt_atomic_add_u64(&a->result->listed, 1);

            if (a->want != WANT_HITS)
                simt_store_u32(a->tile_list + slot, group);
            s->listed++;
            too_many |= slot >= a->listed_max || a->want == WANT_HITS;
        }
    }
    return simt_ballot(too_many) != 0;
}

/* Verify all that is queued; returns whether this launch is abandoned. */
SIMT_FUNCTION_LARGE int sampled_verify_queue(const struct scan_arguments *a,
                                             struct sampled_stream *s)
{
    uint64_t count_before = s->count;
    int dense = 0, in_vain = 0;

    s->steps = 0;
    for (uint32_t first = 0; first < s->queued && !dense; first += SIMT_WARP_THREADS)
        dense = sampled_lists(a, s, first);
    if (dense) {
        in_vain = sampled_list(a, s);
        s->count = count_before;
    }
    s->queued = 0;
    simt_warp_sync(); /* read by all before the next are written */
    return in_vain;
}

SIMT_FUNCTION void sampled_queue(struct sampled_stream *s, uint32_t slot, uint32_t sample,
                                 uint32_t hash)
{
    s->queue[slot] = sample;
    s->queue[SAMPLED_QUEUE_MAX + slot] = hash;
}

/* Queue the samples of the step at `at` that `pass` has a bit for. Returns whether this launch is
 * abandoned. All lanes of the warp. */
SIMT_FUNCTION_LARGE int sampled_push(const struct scan_arguments *a, struct sampled_stream *s,
                                     uint32_t at, uint32_t pass, struct simt_u32x4 hashes)
{
    SIMT_UNROLL
    for (uint32_t k = 0; k < SAMPLED_STREAM_LOADS; k++) {
        uint32_t own = at + k * SIMT_WARP_THREADS + simt_lane();
        int passed = (pass >> k & 1u) != 0 && sampled_is_wanted(a, own);
        uint32_t lanes = simt_ballot(passed);

        if (passed)
            sampled_queue(s, s->queued + simt_popcount(lanes & ((1u << simt_lane()) - 1u)), own,
                          hashes.w[k]);
        s->queued += simt_popcount(lanes);
    }
    simt_warp_sync(); /* written before others read */
    return s->queued >= SIMT_WARP_THREADS && sampled_verify_queue(a, s);
}

SIMT_FUNCTION int sampled_look_step(const struct scan_arguments *a, struct sampled_stream *s,
                                    const uint32_t *words, uint32_t at,
                                    const struct sampled_step *step)
{
    struct simt_u32x4 hashes;
    uint32_t pass = 0;

    SIMT_UNROLL
    for (uint32_t k = 0; k < SAMPLED_STREAM_LOADS; k++) {
        uint32_t hash = sampled_hash(a, &step->sample[k]);
        uint32_t two = 1u << (hash & 31u) | 1u << (hash >> 5 & 31u);

        hashes.w[k] = hash;
        pass |= (words[hash >> (32u - a->sample_words_log2)] & two) == two ? 1u << k : 0;
    }
    return simt_ballot(pass != 0) != 0 && sampled_push(a, s, at, pass, hashes);
}

/* Look at the step that was loaded while the next one is loaded. Returns whether that is the end.
 */
SIMT_FUNCTION int sampled_turn(const struct scan_arguments *a, struct sampled_stream *s,
                               const uint32_t *words, struct sampled_walk *walk,
                               const struct sampled_step *loaded, struct sampled_step *other)
{
    uint32_t at = walk->at;

    sampled_walk_next(a, walk);
    sampled_load_step(a, walk, other);
    return sampled_look_step(a, s, words, at, loaded) || walk->at == SAMPLED_END;
}

/* All of the block, several loads in flight: in a short scan no wait is longer. */
SIMT_FUNCTION void sampled_load_words(const struct scan_arguments *a, uint32_t *words)
{
    uint32_t count = 1u << a->sample_words_log2, step = 4u * simt_threads();

    for (uint32_t i = 4u * simt_thread(); i < count; i += 4u * step) {
        struct simt_u32x4 loaded[4] = {{{0}}, {{0}}, {{0}}, {{0}}};

        SIMT_UNROLL
        for (uint32_t k = 0; k < 4u; k++)
            if (SIMT_BOUND(i + k * step < count))
                loaded[k] = simt_load_u32x4(a->sample_words + i + k * step);
        SIMT_UNROLL
        for (uint32_t k = 0; k < 16u; k++)
            if (i + k / 4u * step < count)
                words[i + k / 4u * step + k % 4u] = loaded[k / 4u].w[k % 4u];
    }
}

SIMT_KERNEL(stream_sampled, scan_arguments, SCAN_THREADS_MAX, 2)
{
    SIMT_SHARED(uint32_t, sample_words, 1u << SCAN_SAMPLE_WORDS_MAX);
    SIMT_SHARED(uint32_t, sample_queues,
                2u * SCAN_THREADS_MAX / SIMT_WARP_THREADS * SAMPLED_QUEUE_MAX);
    struct sampled_stream s = {sample_queues + 2u * simt_warp() * SAMPLED_QUEUE_MAX, 0, 0, 0, 0, 0};
    struct sampled_walk walk = {0, 1, 0, 0};
    struct tile_totals totals = {0, 0, 0};
    struct sampled_step even = {{{{0}}}}, odd = {{{{0}}}};

    sampled_ask(&args, &walk);
    sampled_walk_next(&args, &walk);
    sampled_load_step(&args, &walk, &even);
    sampled_load_words(&args, sample_words);
    simt_barrier();
    while (walk.at != SAMPLED_END) {
        if (sampled_turn(&args, &s, sample_words, &walk, &even, &odd) ||
            sampled_turn(&args, &s, sample_words, &walk, &odd, &even))
            break;
    }
    (void)sampled_verify_queue(&args, &s);
    totals.count = s.count;
    totals.candidates = s.candidates;
    totals.dense_count = s.listed;
    tile_finish(&args, &totals, walk.ahead);
}

/* Put the begins that stream_sampled found, partition_count of them, where they belong: before each
 * come those that are lower. */
SIMT_KERNEL(sampled_sort, scan_arguments, SCAN_THREADS_MAX, 1)
{
    uint64_t own = (uint64_t)simt_block() * simt_threads() + simt_thread(), rank = 0, begin;

    if (!SIMT_BOUND(own < args.partition_count))
        return;
    begin = simt_load_u64(args.order + 1 + own);
    for (uint64_t i = 0; i < args.partition_count; i++)
        rank += simt_load_u64(args.order + 1 + i) < begin;
    if (SIMT_BOUND(rank < args.capacity))
        simt_store_u64(args.hits + rank, args.hits_base + begin);
}
