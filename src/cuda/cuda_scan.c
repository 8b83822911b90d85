/* cuda_scan: searches one range, and copies the hits to the host */
#include "cuda/cuda_scan.h"

#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_automaton.h"
#include "cuda/cuda_bins.h"
#include "cuda/cuda_choose.h"
#include "cuda/cuda_lists.h"

#define HITS_AHEAD 512u
#define APPENDS_MAX 3u /* with the share that was expected, with the right one, with wide bins */
#define FEW_BYTES 256u /* hits are few if there is at most one in this many bytes */

/* Called if no kernel can search for the set. Lets the host search the chunk if it may. */
static enum trawl_status leave_set(struct engine_worker *worker, struct trawl_error *error)
{
    worker->leaves = worker->may_leave;
    return worker->leaves ? TRAWL_OK
                          : TRAWL_FAIL(error, UNSUPPORTED, "%s leaves this set to the host",
                                       worker->device->name);
}

/* Lets the automaton search for a set next. If there is none, and the host may not search the
 * chunk, stream_set goes on without a budget, unless that was so before. */
static enum trawl_status take_automaton(struct engine_worker *worker, enum want priced,
                                        struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    bool was_none = tables->automaton == CUDA_AUTOMATON_NONE;
    enum trawl_status status;

    cuda_choose_leave_filter(tables, priced);
    if (tables->method != TRAWL_METHOD_SET)
        return TRAWL_OK;
    status = cuda_automaton_want(worker, error);
    if (status != TRAWL_OK && status != TRAWL_MEMORY)
        return status;
    if (tables->automaton == CUDA_AUTOMATON_READY)
        return TRAWL_OK;
    if (!worker->may_leave && tables->has_sets && !was_none) {
        tables->dense_left = 0;
        return TRAWL_OK;
    }
    return status == TRAWL_MEMORY && !worker->may_leave ? status : leave_set(worker, error);
}

/* Builds the tables of the kernel that searches for a set next. If none can, sets worker->leaves.
 * Errors: UNSUPPORTED if the host may not search the chunk. */
static enum trawl_status want_tables(struct engine_worker *worker, enum want want,
                                     struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;

    if (tables->method != TRAWL_METHOD_SET)
        return TRAWL_OK;
    do {
        if (tables->automaton != CUDA_AUTOMATON_READY &&
            (!cuda_launch_filters(worker, want) || (tables->dense_left > 0 && worker->may_leave)))
            TRAWL_TRY(take_automaton(worker, want, error));
        if (worker->leaves)
            return TRAWL_OK;
        if (tables->automaton != CUDA_AUTOMATON_READY && !cuda_launch_filters(worker, want))
            return leave_set(worker, error);
        TRAWL_TRY(cuda_tables_want_set(worker, cuda_launch_kernel(worker, want), error));
    } while (!tables->has_sets && tables->automaton != CUDA_AUTOMATON_READY);
    return TRAWL_OK;
}

/* Called after a scan that the kernel gave up because of too many candidates. */
static enum trawl_status note_dense(struct engine_worker *worker, struct trawl_error *error)
{
    return cuda_choose_is_patient(worker) ? TRAWL_OK : take_automaton(worker, WANT_HITS, error);
}

/* Remembers how frequent the plan's hits are. */
static void note_share(struct engine_worker *worker, uint64_t total, uint64_t positions)
{
    worker->tables->list_share = (double)total / (double)positions;
}

/* Called after bins were full that were chosen for hits of this share. If there are not many more,
 * they lie close together, so bins get more room from now on; if they had it, no more lists are
 * made in this way. */
static void note_full(struct cuda_tables *tables, double share)
{
    if (2 * share < tables->list_share)
        return;
    tables->appends = !tables->wide_bins;
    tables->wide_bins = true;
}

/* Lists the range's hits, by way of bins, with the kernel that counts; again, with more room, if
 * some bin was full. *there is set to false if the list has not been made: the kernel cannot
 * append, or gave up because of too many candidates, or bins are full in spite of a known share. */
static enum trawl_status append_hits(struct engine_worker *worker, const struct cuda_range *range,
                                     uint64_t limit, struct cuda_hits_room *room, bool *there,
                                     uint64_t *total, uint64_t *candidates,
                                     struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    struct cuda_launch launch;
    enum trawl_status status;

    *there = false;
    for (uint32_t i = 0; i < APPENDS_MAX; i++) {
        double share = cuda_bins_share(worker);

        if (!tables->appends ||
            (tables->dense_left > 0 && tables->automaton != CUDA_AUTOMATON_NONE))
            return TRAWL_OK;
        TRAWL_TRY(want_tables(worker, WANT_COUNT, error));
        if (worker->leaves)
            return TRAWL_OK;
        cuda_launch_prepare(worker, tables, range, limit, WANT_COUNT, &launch);
        if (!cuda_launch_append(worker, &launch))
            return TRAWL_OK;
        status = cuda_bins_begin(worker, &launch, error);
        if (status == TRAWL_MEMORY)
            return TRAWL_OK;
        TRAWL_TRY(status);
        if (!tables->has_sets)
            launch.arguments.listed_max = 0; /* only this kernel may append */
        TRAWL_TRY(cuda_launch_run(worker, &launch, error));
        *candidates += launch.found.candidates;
        if (launch.found.listed > launch.arguments.listed_max) {
            if (tables->has_sets)
                return note_dense(worker, error);
            tables->appends = false;
            return TRAWL_OK;
        }
        *total = launch.found.count;
        note_share(worker, *total, limit - range->begin);
        *there = *total == 0 || (room->address == 0 && *total > room->count);
        if (!*there)
            TRAWL_TRY(cuda_bins_take(worker, &launch, room, there, error));
        if (*there)
            return TRAWL_OK;
        note_full(tables, share);
    }
    return TRAWL_OK;
}

/* Prepares a kernel that lists hits in order. */
static enum trawl_status prepare_ordered(struct engine_worker *worker,
                                         const struct cuda_range *range, uint64_t limit,
                                         struct cuda_hits_room *room, struct cuda_launch *launch,
                                         struct trawl_error *error)
{
    TRAWL_TRY(want_tables(worker, WANT_HITS, error));
    if (worker->leaves)
        return TRAWL_OK;
    cuda_launch_prepare(worker, worker->tables, range, limit, WANT_HITS, launch);
    launch->arguments.hits = (uint64_t *)(uintptr_t)room->address;
    launch->arguments.hits_base = room->base;
    launch->arguments.hits_literal = room->literal;
    launch->arguments.capacity = room->count;
    if (room->address == 0) { /* the hits go to a list */
        TRAWL_TRY(cuda_lists_reserve(worker, room->count, error));
        launch->arguments.hits = (uint64_t *)(uintptr_t)worker->lists[0].address;
    }
    launch->ahead_bytes = room->ahead * sizeof(uint64_t);
    return TRAWL_OK;
}

static enum trawl_status list_hits(struct engine_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, struct cuda_hits_room *room, uint64_t *total,
                                   uint64_t *candidates, struct trawl_error *error)
{
    bool there;
    struct cuda_launch launch;

    *total = 0;
    room->list = 0;
    TRAWL_TRY(append_hits(worker, range, limit, room, &there, total, candidates, error));
    if (there || worker->leaves)
        return TRAWL_OK;
    TRAWL_TRY(prepare_ordered(worker, range, limit, room, &launch, error));
    if (worker->leaves)
        return TRAWL_OK;
    TRAWL_TRY(cuda_launch_run(worker, &launch, error));
    *candidates += launch.found.candidates;
    worker->tables->dense_left -= worker->tables->dense_left > 0;
    *total = launch.found.count;
    note_share(worker, *total, limit - range->begin);
    return TRAWL_OK;
}

/* Lists the range's hits, with only one kernel at a time on a device: for 28 million hits in 256
 * MiB, two at the same time took 340 ms instead of 7 ms [H200]. If the last scan found few hits, no
 * lock is taken: kernels with few hits do not slow each other down. */
enum trawl_status cuda_list_hits(struct engine_worker *worker, const struct cuda_range *range,
                                 uint64_t limit, struct cuda_hits_room *room, uint64_t *total,
                                 uint64_t *candidates, struct trawl_error *error)
{
    double share = worker->tables->list_share;
    bool alone = share < 0 || share * FEW_BYTES > 1;
    enum trawl_status status;

    TRAWL_ASSERT(room->ahead <= room->count && limit > range->begin);
    if (alone)
        (void)pthread_mutex_lock(&worker->device->list_lock);
    status = list_hits(worker, range, limit, room, total, candidates, error);
    if (alone)
        (void)pthread_mutex_unlock(&worker->device->list_lock);
    return status;
}

/* Makes the landing buffer at least `bytes` long. If it must grow, first waits for the last copy
 * into it. */
static enum trawl_status landing_reserve(struct engine_worker *worker, uint64_t bytes,
                                         struct trawl_error *error)
{
    if (bytes > worker->landing.count && worker->landing_busy) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
        worker->landing_busy = false;
    }
    return cuda_pinned_reserve(worker->device, &worker->landing, cuda_worker_room(worker, bytes),
                               error);
}

enum trawl_status cuda_bring_hits(struct engine_worker *worker, uint64_t count, uint64_t ahead,
                                  struct engine_result *result, struct trawl_error *error)
{
    uint64_t bytes = count * sizeof(struct hit);

    TRAWL_ASSERT(count <= worker->hits.bytes / sizeof(struct hit));
    if (count == 0)
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve(&result->hits, count, error));
    if (count > ahead) {
        TRAWL_TRY(landing_reserve(worker, bytes, error));
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, worker->landing.bytes,
                            worker->hits.address, (size_t)bytes, worker->stream));
    }
    TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    worker->landing_busy = false;
    memcpy(result->hits.items + result->hits.count, worker->landing.bytes, (size_t)bytes);
    result->hits.count += count;
    return TRAWL_OK;
}

/* Called after a scan that found more hits than the `count` that fit. Returns how many starts,
 * counted from hits_base, have been searched completely. For a set, some hits at the last start may
 * be missing, so those there are dropped; returns 0 if that drops all. */
static uint64_t cut_hits(const struct engine_worker *worker, uint64_t count, uint64_t hits_base,
                         struct engine_result *result)
{
    const struct hit *hits = result->hits.items + (result->hits.count - count);
    uint64_t last = hits[count - 1].offset, kept = count;

    TRAWL_ASSERT(last >= hits_base);
    if (worker->tables->method != TRAWL_METHOD_SET)
        return last + 1 - hits_base;
    while (kept > 0 && hits[kept - 1].offset == last)
        kept--;
    result->hits.count -= count - kept;
    return kept == 0 ? 0 : last - hits_base;
}

/* Scans as many starts as should fill half the room with hits, if these are as frequent as in the
 * last scan. If a single start has too many hits, repeats the scan with twice the room. */
static enum trawl_status scan_hits(struct engine_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, uint64_t hits_base, struct engine_result *result,
                                   uint64_t *stopped, struct trawl_error *error)
{
    uint64_t held = result->hits.count, total;

    limit = min_u64(limit, saturating_add(range->begin, worker->tables->reach_bytes));
    TRAWL_ASSERT(range->begin < limit);
    for (;;) {
        struct cuda_hits_room room;

        worker->hits_room = max_u64(worker->hits_room, worker->limits.hits_room_min);
        TRAWL_TRY(cuda_memory_reserve(worker->device, &worker->hits,
                                      worker->hits_room * sizeof(struct hit), error));
        room = (struct cuda_hits_room){.address = worker->hits.address,
                                       .count = worker->hits_room,
                                       .base = hits_base,
                                       .literal = 1ull << 32,
                                       .ahead = min_u64(worker->hits_room, HITS_AHEAD)};
        TRAWL_TRY(landing_reserve(worker, room.ahead * sizeof(struct hit), error));
        TRAWL_TRY(
            cuda_list_hits(worker, range, limit, &room, &total, &result->candidate_count, error));
        *stopped = limit;
        if (worker->leaves)
            return TRAWL_OK;
        TRAWL_TRY(cuda_bring_hits(worker, min_u64(total, room.count), room.ahead, result, error));
        if (total > room.count)
            *stopped = range->begin + cut_hits(worker, room.count, hits_base, result);
        if (*stopped > range->begin)
            break;
        worker->hits_room *=
            2; /* even beyond hits_max, which does not bound the hits at one start */
    }
    TRAWL_ASSERT(*stopped > range->begin && *stopped <= limit);
    worker->hits_room =
        max_u64(worker->hits_room, min_u64(saturating_multiply(total, 2), worker->limits.hits_max));
    worker->tables->reach_bytes =
        saturating_multiply((limit - range->begin) / (total + 1) + 1, worker->hits_room / 2 + 1);
    result->count += result->hits.count - held;
    return TRAWL_OK;
}

static enum trawl_status scan_first(uint64_t nearest, uint64_t hits_base,
                                    struct engine_result *result, struct trawl_error *error)
{
    uint64_t first = SCAN_NONE - nearest;

    if (nearest == 0)
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve(&result->hits, 1, error));
    TRAWL_ASSERT(hits_base + (first >> 32) <= UINT32_MAX);
    result->hits.items[result->hits.count].offset = (uint32_t)(hits_base + (first >> 32));
    result->hits.items[result->hits.count++].literal = (uint32_t)first;
    result->count++;
    return TRAWL_OK;
}

/* For a set, shortens the range to what the current kernel can search: after a scan with too many
 * candidates, that may be one with shorter ranges. */
static void cut_set_range(const struct engine_worker *worker, const struct cuda_range *range,
                          enum want want, uint64_t *limit, uint64_t *done)
{
    uint64_t most = cuda_set_range_max(worker, want);

    if (worker->tables->method != TRAWL_METHOD_SET || *limit - range->begin <= most)
        return;
    TRAWL_ASSERT(most > 0);
    *limit = range->begin + most;
    *done = *limit;
}

/* Prepares a launch that counts, or finds the first occurrence, and builds the tables for its
 * kernel. */
static enum trawl_status prepare(struct engine_worker *worker, const struct cuda_range *range,
                                 enum want want, uint64_t *limit, uint64_t *done,
                                 struct cuda_launch *launch, struct trawl_error *error)
{
    TRAWL_TRY(want_tables(worker, want, error));
    if (worker->leaves)
        return TRAWL_OK;
    cut_set_range(worker, range, want, limit, done);
    cuda_launch_prepare(worker, worker->tables, range, *limit, want, launch);
    return TRAWL_OK;
}

/* Searches [range->begin, limit). If it stops before `limit`, sets *done to where. */
static enum trawl_status scan_upto(struct engine_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, enum want want, uint64_t hits_base,
                                   struct engine_result *result, uint64_t *done,
                                   struct trawl_error *error)
{
    uint64_t begin_ns = cuda_clock_ns(), stopped;
    struct cuda_launch launch;

    if (cuda_worker_answers(worker))
        return worker->answering->add_range(worker, range, limit, hits_base, result, done, error);
    if (want == WANT_HITS) {
        TRAWL_TRY(scan_hits(worker, range, limit, hits_base, result, &stopped, error));
        if (stopped < limit)
            *done = stopped;
        return TRAWL_OK;
    }
    TRAWL_TRY(prepare(worker, range, want, &limit, done, &launch, error));
    if (worker->leaves)
        return TRAWL_OK;
    TRAWL_TRY(cuda_launch_run(worker, &launch, error));
    worker->tables->dense_left -= worker->tables->dense_left > 0;
    while (launch.found.listed > launch.arguments.listed_max) {
        TRAWL_TRY(note_dense(worker, error));
        if (worker->leaves)
            return TRAWL_OK;
        TRAWL_TRY(prepare(worker, range, want, &limit, done, &launch, error));
        if (worker->leaves)
            return TRAWL_OK;
        TRAWL_TRY(cuda_launch_run(worker, &launch, error));
    }
    result->candidate_count += launch.found.candidates;
    if (want == WANT_FIRST)
        return scan_first(launch.found.nearest, hits_base, result, error);
    result->count += launch.found.count;
    cuda_choose_told(worker, limit - range->begin, cuda_clock_ns() - begin_ns);
    return TRAWL_OK;
}

enum trawl_status cuda_scan_range(struct engine_worker *worker, const struct cuda_range *range,
                                  enum want want, uint64_t hits_base, struct engine_result *result,
                                  uint64_t *done, struct trawl_error *error)
{
    uint64_t limit = cuda_range_limit(worker->plan, range), bytes = limit - range->begin;
    uint64_t begin_ns, ns, rest = 0;
    /* the first count with a new automaton is not timed: it would include writing the table */
    enum want priced = cuda_worker_answers(worker) ? WANT_HITS : want;
    bool is_timed = worker->tables->dense_left > 0 && priced == WANT_COUNT;
    enum cuda_way way;

    /* the automaton lists hits six times more slowly than it counts, so what counts prefer does not
     * hold for lists */
    if (priced == WANT_HITS && !worker->tables->dense_lists)
        worker->tables->dense_left = 0;

    result->method = worker->tables->method;
    *done = range->end;
    if (bytes == 0)
        return cuda_worker_answers(worker)
                   ? worker->answering->add_range(worker, range, limit, hits_base, result, done,
                                                  error)
                   : TRAWL_OK;
    way = cuda_choose_way(worker, bytes, priced);
    if (way == CUDA_WAY_AUTOMATON) {
        TRAWL_TRY(take_automaton(worker, priced, error));
        if (worker->leaves)
            return TRAWL_OK;
        /* The automaton exists now, so the size of its rows is known. If they do not fit into
         * shared memory after all, let a trial decide between it and the filter. */
        if (worker->tables->has_sets && !cuda_automaton_is_kept(worker))
            worker->tables->dense_left = 0;
        way = cuda_choose_way(worker, bytes, priced);
        TRAWL_ASSERT(way != CUDA_WAY_AUTOMATON);
    }
    /* Build the tables before the clock starts. The counting kernel may also list the hits
     * (append_hits); if it cannot, build the tables of the listing kernel, too. */
    TRAWL_TRY(want_tables(worker, WANT_COUNT, error));
    if (want != WANT_HITS || !worker->tables->appends || worker->tables->dense_left > 0)
        TRAWL_TRY(want_tables(worker, want, error));
    if (worker->leaves)
        return TRAWL_OK;
    if (way != CUDA_WAY_SETTLED) /* do not time how tables are built on the device */
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    if (way == CUDA_WAY_TRIED) {
        /* Search a short range first, because nobody knows how many candidates the text has. */
        rest = bytes - cuda_choose_tried_bytes(worker);
        *done = limit = range->begin + cuda_choose_tried_bytes(worker);
    }
    begin_ns = cuda_clock_ns();
    TRAWL_TRY(scan_upto(worker, range, limit, want, hits_base, result, done, error));
    ns = cuda_clock_ns() - begin_ns;
    bytes = min_u64(*done, limit) - range->begin;
    if (is_timed)
        cuda_choose_told_automaton(worker, bytes, ns);
    if (way == CUDA_WAY_SETTLED || worker->leaves || worker->tables->dense_left > 0 ||
        want == WANT_FIRST)
        return TRAWL_OK;
    return cuda_choose_leaves_filter(worker, bytes, rest, priced, ns)
               ? take_automaton(worker, priced, error)
               : TRAWL_OK;
}
