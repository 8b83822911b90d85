/* dense_budget: decides where a text is dense: candidates take longer than the automaton would. */
#include "base/checked.h"
#include "cpu/worker.h"

/* A unit of work is about a nanosecond. */
#define MAKE_WORK 512u     /* work for each literal to make the automaton */
#define MAKE_BYTE_WORK 64u /* work for each byte of the literals to make the automaton */
/* Begins that the automaton searches at most, before the scan tries candidates again. */
#define DENSE_BYTES_MAX (1u << 20)

void dense_allow(struct scan *scan, uint64_t positions)
{
    TRAWL_ASSERT(positions <= scan->chunk->owned + 64);
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    /* dense_leaves has counted only some of the work for the previous positions */
    if (scan->worker->dense_waits)
        scan->worker->dense_work += scan->work - scan->work_begin;
    scan->worker->dense_waits = false;
    scan->work_begin = scan->work;
    if (scan->work_max != UINT64_MAX)
        scan->work_max =
            scan->work + positions * scan->worker->work_per_byte + scan->worker->work_spared;
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

uint64_t dense_make_work(const struct trawl_plan *plan)
{
    return plan->literal_count * MAKE_WORK + plan->literal_bytes_total * MAKE_BYTE_WORK;
}

bool dense_leaves(struct scan *scan, uint64_t x)
{
    struct engine_worker *worker = scan->worker;
    uint64_t enough = dense_make_work(scan->plan);

    if (max_u64(x, scan->run_until) >= scan->limit)
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
    worker->dense_left = max_u64(worker->dense_bytes, 4 * scan->plan->length_max);
    scan_leave(scan, x);
    return true;
}
