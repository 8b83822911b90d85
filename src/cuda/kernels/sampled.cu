/* sampled: occurrences of one long pattern, by a look at 16 bytes of each `stride`.
 *
 * Method     hashes the 16 bytes at every stride-th position. The hash names the pattern's offsets
 *            in [0, stride) with such a gram; sample minus offset is a begin, and each begin is
 *            proposed once. Candidates go to a list per group of samples in shared memory, which is
 *            verified, sorted and emitted. A group with too many candidates, or too much work, is
 *            dense: the block searches it tile by tile as every.cu does.
 *
 *              group of samples -> head bits -> chain of offsets -> list of begins (shared)
 *                16 B/lane         (shared)     (global)             -> verify -> rank -> emit
 *
 * Grid       any; blocks draw groups of samples from a ticket. 32 to 256 threads.
 * Shared     static, 25.4 KiB and 8 KiB of head bits, 8 more to list hits.
 * Traffic    per sample: 16 bytes of one 32-byte sector. One sample in 4 (stride 16384) to 1024
 *            (stride 64) has its bit set by chance; it reads 8 bytes of the chain and compares 24.
 *            Per block: the head bits once. Per hit as every. A dense group: as every.
 * Bound      by sectors: 41 G/s in order [H200].
 * Progress   as every.
 * Order      ascending: inside a group by rank.
 * Limits     stride a multiple of 16.
 * Lost       samples of 8 bytes: in English each sample matches several of a pattern's 4,096
 *            offsets. A second sector to widen the stride: 64 bytes from one position cost as much
 *            as two places.
 * Source     the sampling rule in docs/kernels.md; Grabowski and Bieniecki, "copMEM", 2018.
 */

#define SAMPLED_CHAIN_MAX 64u /* offsets a thread follows before a group is dense */
#define SAMPLED_LOADS 4u      /* samples of a thread in flight at a time */
#define SAMPLED_DEAD UINT32_MAX

struct sampled_shared {
    uint32_t *head_bits;
    uint32_t *list; /* begins, from the group's lowest on */
    uint32_t *count;
};

/* A group: samples [first, last), from sample_base on, and begins [lowest, highest). */
struct sampled_group {
    uint32_t first;
    uint32_t last;
    uint64_t lowest;
    uint64_t highest;
};

SIMT_FUNCTION uint64_t sampled_place(const struct scan_arguments *a, uint32_t sample)
{
    return a->sample_base + scan_sample_position(sample, a->stride, a->sample_pair);
}

/* Unsigned, so that those below the first fail too. */
SIMT_FUNCTION int sampled_is_wanted(const struct scan_arguments *a, uint32_t sample)
{
    return SIMT_BOUND(sample - a->sample_first < a->sample_count - a->sample_first);
}

SIMT_FUNCTION struct sampled_group sampled_group_of(const struct scan_arguments *a, uint64_t index)
{
    struct sampled_group group;
    uint64_t below;

    group.first = (uint32_t)index * a->group_samples;
    group.last = a->sample_count - group.first < a->group_samples ? a->sample_count
                                                                  : group.first + a->group_samples;
    below = group.first == 0 ? 0 : sampled_place(a, group.first - 1u) + 1u;
    group.lowest = below > a->begin ? below : a->begin;
    group.highest = sampled_place(a, group.last - 1u) + 1u;
    if (group.highest > a->limit)
        group.highest = a->limit;
    return group;
}

/* Case is ignored here, whatever the bytes: what is proposed is compared. */
SIMT_FUNCTION uint32_t sampled_hash(const struct scan_arguments *a, const struct simt_u32x4 *sample)
{
    uint32_t fold = a->sample_fold;

    return scan_sample_hash(sample->w[0] | fold, sample->w[1] | fold, sample->w[2] | fold,
                            sample->w[3] | fold);
}

/* Follow one sample's chain; returns whether the thread gives up. */
SIMT_FUNCTION int sampled_chain(const struct scan_arguments *a, const struct sampled_group *group,
                                const struct sampled_shared *own, uint32_t sample, uint32_t hash,
                                uint32_t *followed)
{
    uint32_t entry = simt_load_u32(a->heads + (hash >> (32u - a->hash_bits)));
    uint32_t reach = scan_sample_reach(sample, a->stride, a->sample_pair);
    uint64_t place = sampled_place(a, sample);
    uint32_t lane_bytes = a->pattern_bytes < TILE_LANE_BYTES ? a->pattern_bytes : TILE_LANE_BYTES;

    for (; entry != PLAN_NONE; entry = simt_load_u32(a->next + scan_entry_offset(entry))) {
        uint32_t offset = scan_entry_offset(entry);
        uint64_t x = place - offset;

        if (++*followed > SAMPLED_CHAIN_MAX)
            return 1;
        if (!scan_entry_is(entry, hash) || offset >= reach || place < group->lowest + offset ||
            x >= group->highest)
            continue;
        if (tile_equal(a, x, a->pattern, lane_bytes)) {
            uint32_t slot = simt_atomic_add_u32(own->count, 1);

            if (!SIMT_BOUND(slot < SCAN_LIST_MAX))
                return 1;
            own->list[slot] = (uint32_t)(x - group->lowest);
        }
    }
    return 0;
}

/* Look at the group's samples; returns whether this thread gave up. */
SIMT_FUNCTION int sampled_look(const struct scan_arguments *a, const struct sampled_group *group,
                               const struct sampled_shared *own, struct tile_totals *totals)
{
    uint32_t followed = 0;
    int dense = 0;

    for (uint32_t s = group->first + simt_thread(); s < group->last;
         s += SAMPLED_LOADS * simt_threads()) {
        struct simt_u32x4 grams[SAMPLED_LOADS];

        SIMT_UNROLL
        for (uint32_t k = 0; k < SAMPLED_LOADS; k++) {
            uint32_t sample = s + k * simt_threads();

            if (sampled_is_wanted(a, sample) && sample < group->last)
                grams[k] = simt_load_u32x4(
                    (const uint32_t *)(const void *)(a->text + sampled_place(a, sample)));
        }
        SIMT_UNROLL
        for (uint32_t k = 0; k < SAMPLED_LOADS; k++) {
            uint32_t sample = s + k * simt_threads();
            uint32_t hash, bit;

            if (!sampled_is_wanted(a, sample) || sample >= group->last || dense)
                continue;
            hash = sampled_hash(a, &grams[k]);
            bit = hash >> (32u - SCAN_HEAD_BITS);
            if ((own->head_bits[bit / 32u] >> bit % 32u & 1u) == 0)
                continue;
            dense = sampled_chain(a, group, own, sample, hash, &followed);
        }
    }
    totals->candidates += followed;
    return dense;
}

/* Drop what does not match beyond the first bytes; returns whether this warp gave up. */
SIMT_FUNCTION int sampled_verify(const struct scan_arguments *a, const struct sampled_group *group,
                                 const struct sampled_shared *own, uint32_t count)
{
    uint32_t steps = 0;

    for (uint32_t i = simt_warp(); i < count; i += simt_threads() / SIMT_WARP_THREADS) {
        uint32_t x = own->list[i];

        if (steps >= a->verify_budget)
            return 1;
        if (!tile_equal_rest(a, group->lowest + x, TILE_LANE_BYTES, a->pattern_bytes, &steps)) {
            simt_warp_sync();
            if (simt_lane() == 0)
                own->list[i] = SAMPLED_DEAD;
        }
    }
    return 0;
}

/* A group's partitions [partition, end) have no hits. */
SIMT_FUNCTION void sampled_without(const struct scan_arguments *a, const struct tile_shared *shared,
                                   uint64_t partition, uint64_t end)
{
    for (; shared->lists && partition < end; partition++)
        tile_without(a, shared, partition);
}

/* Hand out the list in order. All threads of the block. */
SIMT_FUNCTION void sampled_emit(const struct scan_arguments *a, const struct sampled_group *group,
                                const struct sampled_shared *own, const struct tile_shared *shared,
                                uint32_t count, uint64_t partition, struct tile_totals *totals)
{
    uint64_t base = group->lowest - a->begin;
    uint32_t alive = 0;

    for (uint32_t i = simt_thread(); i < count; i += simt_threads()) {
        uint32_t x = own->list[i];

        alive += x != SAMPLED_DEAD;
        if (!shared->lists && a->want == WANT_FIRST && x != SAMPLED_DEAD)
            tile_lower_first(a, (base + x) << 32);
    }
    totals->count += alive;
    if (shared->lists) {
        (void)tile_reserve(a, shared, alive, partition);
        for (uint32_t i = simt_thread(); i < count; i += simt_threads()) {
            uint32_t x = own->list[i];
            uint64_t slot = *shared->slot;

            for (uint32_t j = 0; j < count; j++)
                slot += own->list[j] < x;
            if (x != SAMPLED_DEAD)
                tile_put(a, shared, slot, a->hits_base + base + x);
        }
    }
}

/* Scan the group's begins as method every does. All threads of the block. */
SIMT_FUNCTION void sampled_search_dense(const struct scan_arguments *a,
                                        const struct sampled_group *group,
                                        const struct tile_shared *shared, uint64_t partition,
                                        struct tile_totals *totals)
{
    uint64_t end = partition + a->group_partitions;
    struct every_dense ahead = {a->plane.probe_bits != 0, 1};
    struct filter_range range;

    totals->dense_count += simt_thread() == 0;
    range.first = group->lowest + a->shift;
    range.last = group->highest + a->shift;
    for (range.position = range.first & ~15ull; range.position < range.last;
         range.position += a->tile_words * 32u, partition++) {
        if (ahead.left > 0 || every_verify(a, &range, shared, filter_tile(a, &range, shared, 0),
                                           &ahead, partition, totals))
            every_search_dense(a, &range, shared, &ahead, partition, totals);
        simt_barrier(); /* the tile is done with before the next one is written */
    }
    sampled_without(a, shared, partition, end);
}

SIMT_FUNCTION void sampled_groups(const struct scan_arguments *a, const struct tile_shared *shared)
{
    SIMT_SHARED(uint32_t, head_bits, 1u << SCAN_HEAD_BITS >> 5);
    SIMT_SHARED(uint32_t, list, SCAN_LIST_MAX);
    SIMT_SHARED(uint32_t, list_count, 1);
    struct sampled_shared own = {head_bits, list, list_count};
    struct tile_totals totals = {0, 0, 0};
    struct tile_queue queue = {tile_ask(a), 0};

    if (simt_thread() == 0)
        tile_begin(shared);
    for (uint32_t i = simt_thread(); i < 1u << SCAN_HEAD_BITS >> 5; i += simt_threads())
        head_bits[i] = simt_load_u32(a->head_bits + i);
    for (uint64_t index = tile_next(a, shared, &queue); SIMT_BOUND(index < a->tile_count);
         index = tile_next(a, shared, &queue)) {
        struct sampled_group group;
        uint64_t partition;
        int dense;

        if (a->tile_list != 0)
            index = simt_load_u32(a->tile_list + index);
        group = sampled_group_of(a, index);
        partition = index * a->group_partitions;
        if (!shared->lists && a->want == WANT_FIRST && tile_is_behind(a, group.lowest))
            break;
        if (simt_thread() == 0)
            *list_count = 0;
        simt_barrier();
        dense = sampled_look(a, &group, &own, &totals);
        if (!simt_barrier_or(dense)) {
            uint32_t count = *list_count;

            dense = count != 0 && sampled_verify(a, &group, &own, count);
            if (!simt_barrier_or(dense)) {
                if (count != 0)
                    sampled_emit(a, &group, &own, shared, count, partition, &totals);
                sampled_without(a, shared, partition + (count != 0),
                                partition + a->group_partitions);
                continue;
            }
        }
        sampled_search_dense(a, &group, shared, partition, &totals);
    }
    tile_end(a, shared);
    tile_finish(a, &totals, queue.ahead);
}

SIMT_KERNEL(scan_sampled, scan_arguments, SCAN_THREADS_MAX, 4)
{
    TILE_SHARED(0);

    sampled_groups(&args, &shared);
}

SIMT_KERNEL(hits_sampled, scan_arguments, SCAN_THREADS_MAX, 4)
{
    TILE_SHARED(1);

    sampled_groups(&args, &shared);
}
