/* stream_sampled: searches for one long pattern by 16 bytes at every `stride` bytes of the text.
 *
 * Method     hashes the sample of 16 bytes at every stride-th position. A table maps the hash to
 *            the pattern's offsets in [0, stride) whose 16 bytes (the gram) have this hash. The
 *            sample's position minus such an offset is a possible start; each start is proposed
 *            once. A warp takes a *group* of 128 neighbouring samples at a time, four per lane, and
 *            loads the next group before it tests this group. Two bits of a word in shared memory
 *            say whether the pattern may have a gram with the hash; nearly all samples fail this
 *            test. The others go to the warp's queue. When the queue has 32 samples, each lane goes
 *            through the list of one sample and verifies the starts that the list proposes; all
 *            lanes together go through a list of 32 or more entries.
 *
 *              128 samples --> two bits --> queue of the warp --> 32 lists --> compare
 *              (registers)     (shared)     (shared)              (global)      (text, pattern)
 *
 *            Occurrences are counted, compared with the first so far, or appended to a list in any
 *            order (tile_append). If lists and comparisons cost more than the budget, the warp
 *            empties the queue and lists the groups from which the queue's samples came, for
 *            scan_planes (planes.cu). A warp stops once it lists a group after too many others; the
 *            host then searches the whole range by another kernel.
 * Grid       any; warps draw tickets, each for some groups. 32 to 256 threads.
 * Shared     static, 42 KiB; of the 32 KiB of bits only those in use are loaded.
 * Traffic    per sample: 16 bytes of a 32-byte sector. By chance one sample in 50 (stride 16384),
 *            or in a few hundred (shorter strides), passes and reads 4 to 8 bytes of a list.
 * Bound      by sectors: 40 G/s in order, 35 G/s at random [H200].
 * Progress   no warp waits for another.
 * Order      no order: a count, the first, or hits in bins (bins.cu).
 * Limits     stride a multiple of 16. If hits are wanted and a group is listed, the host lists hits
 *            by other kernels.
 * Rejected   groups assigned to warps beforehand: 0.86 of the speed, since warps drift apart, while
 *            tickets keep the sectors that are read at a time close together. The whole warp
 *            compares one candidate after the other: 0.45 to 0.70 of the speed if a pattern of 256
 *            to 1,000 bytes occurs every 1,000 bytes [H100].
 * Source     samples: Grabowski and Bieniecki, "copMEM", 2018; two bits of one word: Putze, Sanders
 *            and Singler, "Cache-, hash- and space-efficient Bloom filters", 2009.
 */
#define SAMPLED_STREAM_LOADS (SCAN_SAMPLE_STEP / SIMT_WARP_THREADS)
/* room for up to 31 samples of earlier steps and for those of a step */
#define SAMPLED_QUEUE_MAX (SCAN_SAMPLE_STEP + SIMT_WARP_THREADS)
/* sampled_walk.at after the last step: no sample has this number or a greater one */
#define SAMPLED_END (UINT32_MAX - 2u * SCAN_SAMPLE_STEP)
/* if the pattern has more than TILE_LANE_BYTES bytes, a single lane compares this many bytes */
#define SAMPLED_LANE_BYTES 16u
/* SAMPLED_GROUP lanes compare one of several candidates, each loading SAMPLED_REST_LOADS words
 * together */
#define SAMPLED_GROUP 8u
#define SAMPLED_REST_LOADS 6u
/* words that a lane loads together if all lanes compare one candidate */
#define SAMPLED_ONE_LOADS 8u

SIMT_FUNCTION uint64_t sampled_place(const struct pattern_arguments *a, uint32_t sample)
{
    return a->sample_base + scan_sample_position(sample, a->stride, a->sample_pair);
}

/* Returns true if the sample is read. Samples before sample_first are not: their unsigned
 * difference is large. */
SIMT_FUNCTION int sampled_is_wanted(const struct pattern_arguments *a, uint32_t sample)
{
    return SIMT_BOUND(sample - a->sample_first < a->sample_count - a->sample_first);
}

/* Returns a sample's hash. A fold sets a bit in all bytes, not only in letters, so different bytes
 * may share a hash; they are compared later. */
SIMT_FUNCTION uint32_t sampled_hash(const struct pattern_arguments *a,
                                    const struct simt_u32x4 *sample)
{
    uint32_t fold = a->sample_fold;

    return scan_sample_hash(sample->w[0] | fold, sample->w[1] | fold, sample->w[2] | fold,
                            sample->w[3] | fold);
}

/* A warp's queue, and the sums of each of its lanes. */
struct sampled_stream {
    /* numbers of samples, ascending; their hashes begin at queue[SAMPLED_QUEUE_MAX] */
    uint32_t *queue;
    uint32_t queued;
    uint32_t steps;  /* steps of the budget that the queue's samples have used */
    uint32_t listed; /* groups that the lane has listed */
    uint64_t count;
    uint64_t candidates;
};

/* A warp's place in the text. */
struct sampled_walk {
    uint32_t at;    /* number of the step's first sample; SAMPLED_END: no step is left */
    uint32_t steps; /* steps left of the ticket, this step included */
    uint64_t ahead; /* in lane 0: the next ticket */
};

struct sampled_step {
    struct simt_u32x4 sample[SAMPLED_STREAM_LOADS];
};

/* Draws the next ticket long before its use, since any use waits for the atomic operation. */
SIMT_FUNCTION void sampled_draw_ticket(const struct pattern_arguments *a, struct sampled_walk *walk)
{
    walk->ahead = tile_warp_ticket(&a->scan);
}

/* Goes to the ticket's next step, or to the first step of the next ticket. */
SIMT_FUNCTION void sampled_walk_next(const struct pattern_arguments *a, struct sampled_walk *walk)
{
    uint64_t at;

    walk->at += SCAN_SAMPLE_STEP;
    if (--walk->steps == 0) {
        at = simt_shuffle_u64(walk->ahead, 0) * a->ticket_groups * SCAN_SAMPLE_STEP;
        walk->at = at < a->sample_count ? (uint32_t)at : SAMPLED_END;
        sampled_draw_ticket(a, walk);
        walk->steps = a->ticket_groups;
    }
    if (walk->at >= a->sample_count)
        walk->at = SAMPLED_END;
}

SIMT_FUNCTION struct simt_u32x4 sampled_load(const struct pattern_arguments *a, uint64_t place)
{
    return simt_load_u32x4((const uint32_t *)(const void *)(a->scan.text + place));
}

SIMT_FUNCTION void sampled_load_step(const struct pattern_arguments *a,
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

/* Returns true if the pattern's bytes from SAMPLED_LANE_BYTES to its end equal the text at x. All
 * lanes compare one candidate, with all loads of a round in flight together: there are many bytes,
 * they are nearly always equal, and a load takes microseconds while other warps sample the text. */
SIMT_FUNCTION int sampled_equal_one(const struct pattern_arguments *a, uint64_t x, uint32_t *steps)
{
    const uint64_t *text = (const uint64_t *)(const void *)(a->scan.text + (x & ~7ull));
    uint32_t shift_bits = (uint32_t)(x & 7u) * 8u;

    for (uint32_t j = SAMPLED_LANE_BYTES / 8u; 8u * j < a->pattern_bytes;
         j += SIMT_WARP_THREADS * SAMPLED_ONE_LOADS) {
        uint64_t low[SAMPLED_ONE_LOADS], high[SAMPLED_ONE_LOADS], wanted[SAMPLED_ONE_LOADS];
        int differs = 0;

        SIMT_UNROLL
        for (uint32_t k = 0; k < SAMPLED_ONE_LOADS; k++) {
            uint32_t own = j + k * SIMT_WARP_THREADS + simt_lane();

            low[k] = high[k] = wanted[k] = 0;
            if (SIMT_BOUND(8u * own < a->pattern_bytes)) {
                low[k] = simt_load_u64(text + own);
                high[k] = simt_load_u64(text + own + 1u);
                wanted[k] = simt_load_u64(a->pattern + own);
            }
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < SAMPLED_ONE_LOADS; k++) {
            uint32_t own = j + k * SIMT_WARP_THREADS + simt_lane();
            uint64_t word = low[k];

            if (shift_bits != 0)
                word = word >> shift_bits | high[k] << (64u - shift_bits);
            if (a->scan.fold != 0)
                word = tile_fold(word);
            differs |= 8u * own < a->pattern_bytes &&
                       tile_difference(word, wanted[k], a->pattern_bytes - 8u * own) != 0;
        }
        *steps += SAMPLED_ONE_LOADS;
        if (simt_ballot(differs) != 0)
            return 0;
    }
    return 1;
}

/* Returns true if this lane finds a difference between the text at x and the pattern, after the
 * first SAMPLED_LANE_BYTES bytes. A group of SAMPLED_GROUP lanes compares a candidate, each an
 * aligned word of the text at a time. The loads of SAMPLED_REST_LOADS words are in flight
 * together: nearly all candidates are equal, and a load takes microseconds while other warps
 * sample the text. `looks` is set if the lane's group has a candidate. Called by all lanes of
 * the warp. */
SIMT_FUNCTION int sampled_differs(const struct pattern_arguments *a, uint64_t x, int looks,
                                  uint32_t *steps)
{
    const uint64_t *text = (const uint64_t *)(const void *)(a->scan.text + (int64_t)(x & ~7ull));
    uint32_t before = (uint32_t)x & 7u; /* offset of x in its aligned word */
    uint32_t end = a->pattern_bytes + before, group = SAMPLED_GROUP;
    uint32_t at = SAMPLED_LANE_BYTES + 8u * (simt_lane() & (group - 1u));
    int differs = 0;

    for (uint32_t j = SAMPLED_LANE_BYTES; j < a->pattern_bytes + 7u;
         j += 8u * SAMPLED_REST_LOADS * group) {
        uint64_t words[SAMPLED_REST_LOADS], low[SAMPLED_REST_LOADS], high[SAMPLED_REST_LOADS];

        if (simt_ballot(looks && !differs) == 0)
            break;
        SIMT_UNROLL
        for (uint32_t k = 0; k < SAMPLED_REST_LOADS; k++) {
            uint32_t own = at + 8u * k * group;

            words[k] = low[k] = high[k] = 0;
            if (looks && SIMT_BOUND(own < end)) {
                words[k] = simt_load_u64(text + own / 8u);
                low[k] = simt_load_u64(a->pattern + own / 8u - 1u);
            }
            if (looks && SIMT_BOUND(own < a->pattern_bytes))
                high[k] = simt_load_u64(a->pattern + own / 8u);
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < SAMPLED_REST_LOADS; k++) {
            uint32_t own = at + 8u * k * group;
            uint64_t word = a->scan.fold != 0 ? tile_fold(words[k]) : words[k], wanted = high[k];

            if (before != 0)
                wanted = low[k] >> (64u - 8u * before) | high[k] << (8u * before);
            differs |= looks && own < end && tile_difference(word, wanted, end - own) != 0;
        }
        at += 8u * SAMPLED_REST_LOADS * group;
        *steps += SAMPLED_REST_LOADS;
    }
    return differs;
}

/* Returns true if the pattern occurs at the lane's x; `equal` says that its first
 * SAMPLED_LANE_BYTES bytes match. While three or more candidates are left, the warp compares up to
 * four at a time, so that their loads are in flight together; then all lanes together compare the
 * last one or two, one after the other. Stops early if the budget is used up; the caller then
 * ignores the results. */
SIMT_FUNCTION int sampled_equal_rest(const struct pattern_arguments *a, uint64_t x, int equal,
                                     uint32_t *steps)
{
    uint32_t lanes = simt_ballot(equal);

    while (simt_popcount(lanes) > 2u && *steps < a->sample_budget) {
        uint32_t groups = SIMT_WARP_THREADS / SAMPLED_GROUP, own = lanes, differing;
        uint32_t rank = simt_popcount(lanes & ((1u << simt_lane()) - 1u));
        int is_left = (lanes >> simt_lane() & 1u) != 0;
        uint64_t begin;

        for (uint32_t i = simt_lane() / SAMPLED_GROUP; i != 0; i--)
            own &= own - 1u; /* the candidate of the group's lowest lane that is left */
        begin = simt_shuffle_u64(x, simt_lowest_bit(own | 1u << (SIMT_WARP_THREADS - 1u)));
        differing = simt_ballot(sampled_differs(a, begin, own != 0, steps));
        if (is_left && rank < groups)
            equal = (differing >> rank * SAMPLED_GROUP) % (1u << SAMPLED_GROUP) == 0;
        lanes = simt_ballot(is_left && rank >= groups);
    }
    for (; lanes != 0 && *steps < a->sample_budget; lanes &= lanes - 1u) {
        uint32_t source = simt_lowest_bit(lanes);

        if (!sampled_equal_one(a, simt_shuffle_u64(x, source), steps) && simt_lane() == source)
            equal = 0;
    }
    return equal;
}

/* Compares the pattern with the text at the x of each lane whose `equal` is not 0. Returns true if
 * the warp gives up because the budget is used up. */
SIMT_FUNCTION int sampled_compare(const struct pattern_arguments *a, struct sampled_stream *s,
                                  int equal, uint64_t x)
{
    int is_short = a->pattern_bytes <= TILE_LANE_BYTES;

    equal = equal &&
            tile_equal(&a->scan, x, a->pattern, is_short ? a->pattern_bytes : SAMPLED_LANE_BYTES);
    if (!is_short && simt_ballot(equal) != 0) {
        if (s->steps >= a->sample_budget)
            return 1;
        equal = sampled_equal_rest(a, x, equal, &s->steps);
        if (s->steps >= a->sample_budget)
            return 1;
    }
    s->count += equal ? 1u : 0;
    if (a->scan.hits != 0)
        tile_append(&a->scan, equal, x, 0);
    return 0;
}

/* The entries that a lane has still to test, of the list of the sample at `place`. */
struct sampled_offers {
    uint32_t hash, reach;
    uint64_t place;
    uint32_t entry; /* the next entry */
    uint32_t at;    /* index of the next entry in sample_entries, if the list has several entries */
    uint32_t left;  /* number of entries, the next entry included */
};

SIMT_FUNCTION struct sampled_offers sampled_offers_open(const struct pattern_arguments *a,
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
    list.reach = scan_sample_starts(sample, a->stride, a->sample_pair);
    list.entry = simt_load_u32(a->heads + (list.hash >> (32u - a->hash_bits)));
    list.left = scan_list_count(list.entry);
    if (list.left > 1u) {
        list.at = scan_list_first(list.entry);
        list.entry = simt_load_u32(a->sample_entries + list.at);
    }
    return list;
}

SIMT_FUNCTION void sampled_offers_pass(const struct pattern_arguments *a, uint32_t count,
                                       struct sampled_offers *list)
{
    list->at += count;
    list->left -= count;
    if (list->left != 0)
        list->entry = simt_load_u32(a->sample_entries + list->at);
}

/* Compares the pattern at the start that `entry` proposes for a sample of `list`, if is_there
 * says that the lane has an entry. Returns true if the warp gives up. */
SIMT_FUNCTION int sampled_offer(const struct pattern_arguments *a, struct sampled_stream *s,
                                int is_there, uint32_t entry, const struct sampled_offers *list)
{
    uint32_t offset = scan_entry_offset(entry);
    int valid = is_there && scan_entry_is(entry, list->hash) && offset < list->reach &&
                list->place >= a->scan.begin + offset && list->place - offset < a->scan.limit;

    s->candidates += valid ? 1u : 0;
    return sampled_compare(a, s, valid, list->place - offset);
}

/* Compares the pattern at the starts that the next 32 entries of a list propose, one for each lane.
 * The list is that of lane `source`. Returns true if the warp gives up. */
SIMT_FUNCTION int sampled_offer_long(const struct pattern_arguments *a, struct sampled_stream *s,
                                     const struct sampled_offers *own, uint32_t source)
{
    uint32_t at = simt_shuffle_u32(own->at, source) + simt_lane();
    struct sampled_offers list = *own;

    list.hash = simt_shuffle_u32(own->hash, source);
    list.reach = simt_shuffle_u32(own->reach, source);
    list.place = simt_shuffle_u64(own->place, source);
    return sampled_offer(a, s, 1, simt_load_u32(a->sample_entries + at), &list);
}

/* Goes through the lists of the queue's 32 samples starting at `first`: a single lane through a
 * list of less than 32 entries, all lanes together through a longer one. Returns true if the
 * warp gives up. */
SIMT_FUNCTION int sampled_lists(const struct pattern_arguments *a, struct sampled_stream *s,
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
                sampled_offers_pass(a, 1, &own); /* loads the next entry during the comparison */
            if (sampled_offer(a, s, it.left != 0, it.entry, &it))
                return 1;
        }
    }
    return 0;
}

/* Writes the groups of the queue's samples to a->tile_list. Returns true if too many groups are
 * listed by now. */
SIMT_FUNCTION int sampled_list(const struct pattern_arguments *a, struct sampled_stream *s)
{
    int too_many = 0;

    for (uint32_t i = simt_lane(); i < s->queued; i += SIMT_WARP_THREADS) {
        uint32_t group = s->queue[i] / SCAN_SAMPLE_STEP;

        if (i == 0 || s->queue[i - 1u] / SCAN_SAMPLE_STEP != group) {
            uint64_t slot = simt_atomic_add_u64(&a->scan.result->listed, 1);

            simt_store_u32(a->tile_list + slot, group);
            s->listed++;
            too_many |= slot >= a->scan.listed_max;
        }
    }
    return simt_ballot(too_many) != 0;
}

/* Verifies the samples of the queue, and empties it. If that costs too much, drops the occurrences
 * that this call has counted, and lists the samples' groups for later. Returns true if the launch
 * is abandoned, because too many groups are listed. */
SIMT_FUNCTION_LARGE int sampled_verify_queue(const struct pattern_arguments *a,
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
    simt_warp_sync(); /* all lanes have read the queue before a lane writes the next samples */
    return in_vain;
}

SIMT_FUNCTION void sampled_queue(struct sampled_stream *s, uint32_t slot, uint32_t sample,
                                 uint32_t hash)
{
    s->queue[slot] = sample;
    s->queue[SAMPLED_QUEUE_MAX + slot] = hash;
}

/* Queues the samples of the step at `at` whose bit is set in `pass`, and verifies the queue's
 * samples if there are 32 or more. Returns true if the launch is abandoned. Called by all lanes of
 * the warp. */
SIMT_FUNCTION_LARGE int sampled_push(const struct pattern_arguments *a, struct sampled_stream *s,
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
    simt_warp_sync(); /* all lanes have written the queue before other lanes read */
    return s->queued >= SIMT_WARP_THREADS && sampled_verify_queue(a, s);
}

/* Tests the samples of a loaded step by the bits of `words`, and queues the samples that pass.
 * Returns true if this launch is abandoned. */
SIMT_FUNCTION int sampled_look_step(const struct pattern_arguments *a, struct sampled_stream *s,
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

/* Issues the loads of the next step, then tests the step that was loaded before. Returns true if no
 * step is left or this launch is abandoned. */
SIMT_FUNCTION int sampled_turn(const struct pattern_arguments *a, struct sampled_stream *s,
                               const uint32_t *words, struct sampled_walk *walk,
                               const struct sampled_step *loaded, struct sampled_step *other)
{
    uint32_t at = walk->at;

    sampled_walk_next(a, walk);
    sampled_load_step(a, walk, other);
    return sampled_look_step(a, s, words, at, loaded) || walk->at == SAMPLED_END;
}

/* Copies sample_words to shared memory. A thread has four loads in flight, since this copy takes
 * most of the time of a short search. Called by all threads of the block. */
SIMT_FUNCTION void sampled_load_words(const struct pattern_arguments *a, uint32_t *words)
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

SIMT_KERNEL(stream_sampled, pattern_arguments, SCAN_THREADS_MAX, 2)
{
    SIMT_SHARED(uint32_t, sample_words, 1u << SCAN_SAMPLE_WORDS_MAX);
    SIMT_SHARED(uint32_t, sample_queues,
                2u * SCAN_THREADS_MAX / SIMT_WARP_THREADS * SAMPLED_QUEUE_MAX);
    struct sampled_stream s = {sample_queues + 2u * simt_warp() * SAMPLED_QUEUE_MAX, 0, 0, 0, 0, 0};
    struct sampled_walk walk = {0, 1, 0};
    struct tile_totals totals = {0, 0, 0};
    struct sampled_step even = {{{{0}}}}, odd = {{{{0}}}};

    sampled_draw_ticket(&args, &walk);
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
    tile_finish(&args.scan, &totals, walk.ahead);
}
