/* dense_switch: when to switch a set from candidates to the automaton, because they cost more. */
#include "base/checked.h"
#include "cpu/worker.h"

/* Work is about a nanosecond's. */
#define MAKE_WORK 512u     /* for each literal, and */
#define MAKE_BYTE_WORK 64u /* for each of its bytes */
#define DENSE_BYTES_MAX \
    (1u << 20) /* that the automaton searches at most, then candidates are tried */

void dense_allow(struct scan *scan, uint64_t places)
{
    TRAWL_ASSERT(places <= scan->chunk->owned + 64);
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    if (scan->worker->dense_waits) /* the positions before took more than dense_switch has seen */
        scan->worker->dense_work += scan->work - scan->work_begin;
    scan->worker->dense_waits = false;
    scan->work_begin = scan->work;
    if (scan->work_max != UINT64_MAX)
        scan->work_max =
            scan->work + places * scan->worker->work_per_byte + scan->worker->work_spared;
}

void dense_spare(struct scan *scan, uint64_t bytes)
{
    struct engine_worker *worker = scan->worker;
    uint64_t used = scan->work - scan->work_begin;
    uint64_t allowed = saturating_multiply(bytes, worker->work_per_byte) + worker->work_spared;

    TRAWL_ASSERT(bytes > 0 && worker->work_spared <= WORK_SPARED_MAX);
    worker->dense_bytes /= 2;
    worker->work_spared =
        used < allowed && !worker->dense_waits ? min_u64(allowed - used, WORK_SPARED_MAX) : 0;
}

/* What it costs to make the automaton. Until dense parts have cost as much, it does not pay. */
static uint64_t make_work(const struct trawl_plan *plan)
{
    return plan->literal_count * MAKE_WORK + plan->literal_bytes_total * MAKE_BYTE_WORK;
}

/* Search from x on by the automaton, at most `bytes`; false: it cannot, and did nothing. */
static bool take_over(struct scan *scan, uint64_t x, uint64_t bytes)
{
    struct engine_worker *worker = scan->worker;
    uint64_t to = scan->limit - x > bytes ? x + bytes : scan->limit;
    bool switched;

    TRAWL_ASSERT(x < to && to <= scan->limit);
    switched = scan_dense(scan, x, to);
    TRAWL_ASSERT(!switched || scan->over || scan->at >= to);
    scan->work_max = switched ? scan->work : UINT64_MAX; /* else candidates are all there is */
    scan->run_until = max_u64(scan->run_until, scan->at);
    worker->work_spared = WORK_SPARED_MAX;
    worker->dense_left = switched ? bytes - min_u64(scan->run_until - x, bytes) : 0;
    return switched;
}

bool dense_switch(struct scan *scan, uint64_t x)
{
    struct engine_worker *worker = scan->worker;
    uint64_t enough = make_work(scan->plan);

    x = max_u64(x, scan->run_until);
    if (x >= scan->limit)
        return false;
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    worker->dense_work += scan->work - scan->work_begin;
    scan->work_begin = scan->work;
    if (worker->dense_work < enough && !dense_is_there(scan->plan)) {
        scan->work_max = scan->work + enough - worker->dense_work;
        worker->dense_waits = true;
        return false;
    }
    worker->dense_bytes =
        min_u64(max_u64(2 * worker->dense_bytes, cpu_sizes.dense_bytes), DENSE_BYTES_MAX);
    return take_over(scan, x, max_u64(worker->dense_bytes, 4 * scan->plan->length_max));
}

bool dense_all(struct scan *scan)
{
    scan->at = max_u64(scan->at, scan->run_until);
    return scan->at >= scan->limit || scan_dense(scan, scan->at, scan->limit);
}

bool dense_budget_rest(struct scan *scan)
{
    uint64_t x = max_u64(scan->at, scan->run_until);

    return scan->worker->dense_left > 0 && x < scan->limit &&
           take_over(scan, x, scan->worker->dense_left);
}
