/* cuda_scan: searches one range, and copies the hits to the host */
#include "cuda/cuda_scan.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_automaton.h"
#include "cuda/cuda_bins.h"
#include "cuda/cuda_choose.h"
#include "cuda/cuda_lists.h"
#include "cuda/prices.def"

/* Builds the automaton if it counts a single pattern's occurrences in dense text next. */
static enum trawl_status want_dense(struct cuda_worker *worker, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    enum trawl_status status;

    if (!tables->dense_automaton || !cuda_choose_is_dense(tables))
        return TRAWL_OK;
    if (tables->automaton == CUDA_AUTOMATON_NOT_ASKED) {
        status = cuda_automaton_want(worker, error);
        if (status == TRAWL_OK) /* do not time how it is built */
            status = CUDA_CALL(worker->device, error, stream_wait, worker->stream);
        if (status != TRAWL_OK && status != TRAWL_MEMORY)
            return status;
    }
    tables->dense_automaton = tables->automaton == CUDA_AUTOMATON_READY;
    return TRAWL_OK;
}

/* Builds the tables of the kernel that searches for a set next. If none can, sets worker->leaves.
 * Errors: UNSUPPORTED if the host may not search the chunk. */
static enum trawl_status want_tables(struct cuda_worker *worker, enum want want,
                                     struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;

    if (tables->method != TRAWL_METHOD_SET)
        return want_dense(worker, error);
    do {
        if (tables->automaton != CUDA_AUTOMATON_READY &&
            (!cuda_choose_filters(worker, want) || (tables->dense_left > 0 && worker->may_leave)))
            TRAWL_TRY(cuda_choose_automaton(worker, error));
        if (worker->leaves)
            return TRAWL_OK;
        if (tables->automaton != CUDA_AUTOMATON_READY && !cuda_choose_filters(worker, want))
            return cuda_choose_leave(worker, error);
        TRAWL_TRY(
            cuda_tables_want_set(worker, cuda_choose_kernel(worker, UINT64_MAX, want), error));
    } while (!tables->has_sets && tables->automaton != CUDA_AUTOMATON_READY);
    return TRAWL_OK;
}

/* Lists the range's hits with a single launch of a kernel that counts; again, with another kernel,
 * if that gave up because of too many candidates, or with more room, if some bin was full. Moves no
 * hits if *total is 2^32 or more, or, to a list, more than room->count. */
static enum trawl_status list_once(struct cuda_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, const struct cuda_hits_room *room,
                                   uint64_t *total, uint64_t *candidates, struct trawl_error *error)
{
    struct cuda_tables *tables = worker->tables;
    struct cuda_launch launch;

    for (bool fits = false; !fits;) {
        double share = cuda_bins_share(worker);

        *total = 0;
        TRAWL_TRY(want_tables(worker, WANT_HITS, error));
        if (worker->leaves)
            return TRAWL_OK;
        cuda_launch_prepare(worker, range, limit, WANT_HITS, &launch);
        TRAWL_TRY(cuda_bins_begin(worker, room, &launch, error));
        if (!tables->has_sets)
            launch.arguments.scan.listed_max = 0; /* the tile kernel would not list hits */
        TRAWL_TRY(cuda_launch_run(worker, &launch, error));
        if (launch.kernel == CUDA_KERNEL_MARK_AUTOMATON) {
            tables->is_nested = launch.found.candidates != 0;
            if (tables->is_nested)
                continue;
        }
        *candidates += launch.found.candidates;
        if (launch.found.listed > launch.arguments.scan.listed_max) {
            tables->appends = tables->has_sets;
            if (tables->has_sets)
                TRAWL_TRY(cuda_choose_dense(worker, error));
            if (worker->leaves)
                return TRAWL_OK;
            continue;
        }
        tables->dense_left -= tables->dense_left > 0;
        *total = launch.found.count;
        cuda_tables_note_share(worker, *total, limit - range->begin);
        if (*total == 0 || *total > UINT32_MAX || (room->address == 0 && *total > room->count))
            return TRAWL_OK;
        TRAWL_TRY(cuda_bins_take(worker, &launch, room, &fits, error));
        if (!fits)
            cuda_choose_note_full_bins(tables, share);
    }
    return TRAWL_OK;
}

enum trawl_status cuda_list_hits(struct cuda_worker *worker, const struct cuda_range *range,
                                 uint64_t limit, struct cuda_hits_room *room, uint64_t *total,
                                 uint64_t *candidates, struct trawl_error *error)
{
    struct cuda_range part = *range;
    uint64_t reach = limit - range->begin, found;

    TRAWL_ASSERT(limit > range->begin);
    for (*total = 0; part.begin < limit; part.begin += reach) {
        struct cuda_hits_room rest = *room;
        uint64_t put = min_u64(*total, room->count);
        enum trawl_status status;

        reach = min_u64(reach, limit - part.begin);
        rest.address += put * sizeof(uint64_t);
        rest.count -= put;
        rest.base += part.begin - range->begin;
        status = list_once(worker, &part, part.begin + reach, &rest, &found, candidates, error);
        if (room->address != 0 && reach > 1 &&
            (status == TRAWL_MEMORY ? reach > PART_MIN : found > UINT32_MAX)) {
            reach /= 2;
            part.begin -= reach; /* search there again */
            continue;
        }
        TRAWL_TRY(status);
        if (worker->leaves)
            return TRAWL_OK;
        *total += found;
    }
    return TRAWL_OK;
}

enum trawl_status cuda_bring_hits(struct cuda_worker *worker, uint64_t count,
                                  struct engine_result *result, struct trawl_error *error)
{
    uint64_t bytes = count * sizeof(struct hit);

    TRAWL_ASSERT(count <= worker->hits.bytes / sizeof(struct hit));
    if (count == 0)
        return TRAWL_OK;
    TRAWL_TRY(hits_reserve(&result->hits, count, error));
    TRAWL_TRY(cuda_pinned_reserve(worker->device, &worker->landing, cuda_worker_room(worker, bytes),
                                  0, error));
    TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, worker->landing.bytes,
                        worker->hits.address, (size_t)bytes, worker->stream));
    TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    memcpy(result->hits.items + result->hits.count, worker->landing.bytes, (size_t)bytes);
    result->hits.count += count;
    return TRAWL_OK;
}

static int compare_literals(const void *left, const void *right)
{
    const uint32_t a = ((const struct hit *)left)->literal;
    const uint32_t b = ((const struct hit *)right)->literal;

    return (a > b) - (a < b);
}

/* Orders hits that ascend by offset by their literals, too: write_automaton leaves those of one
 * offset in any order. */
static void order_literals(struct hit *hits, uint64_t count)
{
    uint64_t end;

    for (uint64_t i = 0; i < count; i = end) {
        bool ascends = true;

        for (end = i + 1; end < count && hits[end].offset == hits[i].offset; end++)
            ascends = ascends && hits[end - 1].literal <= hits[end].literal;
        if (!ascends)
            qsort(hits + i, (size_t)(end - i), sizeof *hits, compare_literals);
    }
}

/* Called after a scan that found more hits than the `count` that fit. Returns how many starts,
 * counted from hits_base, have been searched completely. For a set, some hits at the last start may
 * be missing, so those there are dropped; returns 0 if that drops all. */
static uint64_t cut_hits(const struct cuda_worker *worker, uint64_t count, uint64_t hits_base,
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

/* Scans a range that is expected to fill half the room with hits, at the last scan's frequency of
 * hits. If a single start has too many hits, repeats the scan with twice the room. */
static enum trawl_status scan_hits(struct cuda_worker *worker, const struct cuda_range *range,
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
                                       .literal = 1ull << 32};
        TRAWL_TRY(
            cuda_list_hits(worker, range, limit, &room, &total, &result->candidate_count, error));
        *stopped = limit;
        if (worker->leaves)
            return TRAWL_OK;
        TRAWL_TRY(cuda_bring_hits(worker, min_u64(total, room.count), result, error));
        if (worker->tables->automaton == CUDA_AUTOMATON_READY && result->hits.count > held)
            order_literals(result->hits.items + held, result->hits.count - held);
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

/* Searches [range->begin, limit). If it stops before `limit`, sets *done to where. */
static enum trawl_status scan_upto(struct cuda_worker *worker, const struct cuda_range *range,
                                   uint64_t limit, enum want want, uint64_t hits_base,
                                   struct engine_result *result, uint64_t *done,
                                   struct trawl_error *error)
{
    uint64_t begin_ns = cuda_clock_ns(), launch_ns, stopped;
    struct cuda_launch launch;
    enum cuda_kernel kernel;

    if (cuda_worker_answers(worker))
        return worker->answering->add_range(worker, range, limit, hits_base, result, done, error);
    if (want == WANT_HITS) {
        TRAWL_TRY(scan_hits(worker, range, limit, hits_base, result, &stopped, error));
        if (stopped < limit)
            *done = stopped;
        return TRAWL_OK;
    }
    for (;;) {
        uint64_t trial;

        TRAWL_TRY(want_tables(worker, want, error));
        if (worker->leaves)
            return TRAWL_OK;
        cuda_launch_prepare(worker, range, limit, want, &launch);
        kernel = launch.kernel;
        launch_ns = cuda_clock_ns();
        TRAWL_TRY(cuda_launch_run(worker, &launch, error));
        cuda_choose_note_dense(worker, kernel, limit - range->begin, cuda_clock_ns() - launch_ns);
        worker->tables->dense_left -= worker->tables->dense_left > 0;
        if (launch.found.listed <= launch.arguments.scan.listed_max)
            break;
        TRAWL_TRY(cuda_choose_dense(worker, error));
        if (worker->leaves)
            return TRAWL_OK;
        trial = cuda_choose_trial(worker, limit - range->begin);
        if (trial < limit - range->begin)
            limit = *done = range->begin + trial;
    }
    result->candidate_count += launch.found.candidates;
    result->count += launch.found.count;
    cuda_tables_note_share(worker, launch.found.count, limit - range->begin);
    cuda_choose_note_time(worker, limit - range->begin, cuda_clock_ns() - begin_ns);
    return TRAWL_OK;
}

/* A turn of the filter or the automaton, or the part of a range that is searched with the tables as
 * they are. */
struct turn {
    uint64_t limit, rest; /* where it ends, and how many starts of the range follow */
    uint64_t begin_ns;
    bool is_timed;
};

/* Begins a turn in [range->begin, limit). */
static enum trawl_status turn_begin(struct cuda_worker *worker, const struct cuda_range *range,
                                    uint64_t limit, enum want want, struct turn *turn,
                                    struct trawl_error *error)
{
    uint64_t bytes = limit - range->begin;

    if (!worker->tables->ready) /* after the last range's search */
        TRAWL_TRY(cuda_tables_want(worker, error));
    TRAWL_TRY(cuda_choose_turn(worker, want, &bytes, &turn->is_timed, error));
    bytes = cuda_choose_part(worker, bytes);
    turn->limit = range->begin + bytes;
    turn->rest = limit - turn->limit;
    TRAWL_TRY(want_tables(worker, want, error)); /* before the clock starts */
    if (turn->is_timed && !worker->leaves) /* do not time how tables are built on the device */
        TRAWL_TRY(CUDA_CALL(worker->device, error, stream_wait, worker->stream));
    turn->begin_ns = cuda_clock_ns();
    return TRAWL_OK;
}

/* Ends a turn that has searched [range->begin, done); the range begins at offset `at` of the
 * chunk. */
static void turn_end(struct cuda_worker *worker, const struct cuda_range *range, uint64_t done,
                     enum want want, uint64_t at, const struct turn *turn)
{
    const uint64_t bytes = min_u64(done, turn->limit) - range->begin;

    if (turn->is_timed && !worker->leaves)
        cuda_choose_note_turn(worker, want, at + bytes, bytes, cuda_clock_ns() - turn->begin_ns,
                              turn->rest);
}

enum trawl_status cuda_list_turn(struct cuda_worker *worker, const struct cuda_range *range,
                                 uint64_t limit, uint64_t at, struct cuda_hits_room *room,
                                 struct engine_result *found, uint64_t *done,
                                 struct trawl_error *error)
{
    struct turn turn;

    worker->tables->lists_begins = room->literal == 0;
    TRAWL_TRY(turn_begin(worker, range, limit, WANT_HITS, &turn, error));
    TRAWL_TRY(cuda_list_hits(worker, range, turn.limit, room, &found->count,
                             &found->candidate_count, error));
    turn_end(worker, range, turn.limit, WANT_HITS, at, &turn);
    *done = turn.rest == 0 ? range->end : turn.limit;
    return TRAWL_OK;
}

enum trawl_status cuda_scan_range(struct cuda_worker *worker, void *context,
                                  const struct cuda_range *range, enum want want,
                                  uint64_t hits_base, struct engine_result *result, uint64_t *done,
                                  struct trawl_error *error)
{
    uint64_t limit = cuda_range_limit(worker->plan, range);
    enum want priced = cuda_worker_answers(worker) ? WANT_HITS : want;
    struct turn turn;

    (void)context;
    result->method = worker->tables->method;
    worker->tables->lists_begins = false;
    *done = range->end;
    if (limit == range->begin)
        return cuda_worker_answers(worker)
                   ? worker->answering->add_range(worker, range, limit, hits_base, result, done,
                                                  error)
                   : TRAWL_OK;
    TRAWL_TRY(turn_begin(worker, range, limit, priced, &turn, error));
    if (worker->leaves)
        return TRAWL_OK;
    if (turn.rest > 0)
        *done = turn.limit;
    TRAWL_TRY(scan_upto(worker, range, turn.limit, want, hits_base, result, done, error));
    turn_end(worker, range, *done, priced, hits_base, &turn);
    return TRAWL_OK;
}
