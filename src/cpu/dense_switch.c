/* dense_switch: when to switch a set from candidates to the automaton, because they cost more. */
#include "base/checked.h"
#include "cpu/worker.h"

/* Work is about a nanosecond's. The automaton counts its own. */
#define WORK_PER_BYTE_MIN 4u
#define WORK_PER_BYTE_MAX 256u
#define ORDER_WORK 512u /* for each literal: two orders */
#define DECAY 64u /* what the automaton may cost is less by this part, at first after each tile */
#define DECAY_LATER 4u /* bits: how much rarer after a trial that found it as dear as before */
#define DECAY_LATER_MAX 20u
#define PLACES_MORE 256u     /* the budget counts this many positions more than there are, */
#define PLACES_MORE_SHARE 2u /* but at most so many times as many where hits are wasted */
#define DENSE_BYTES_MIN \
    (1u << 15) /* that the automaton searches before candidates are tried again */
#define DENSE_BYTES_MAX (1u << 20)

void dense_allow(struct scan *scan, uint64_t places, bool wasted)
{
    uint64_t more = wasted ? min_u64(PLACES_MORE_SHARE * places, PLACES_MORE) : PLACES_MORE;

    TRAWL_ASSERT(places <= scan->chunk->owned + 64);
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    if (scan->worker->dense_waits) /* the positions before took more than dense_switch has seen */
        scan->worker->dense_work += scan->work - scan->work_begin;
    scan->worker->dense_waits = false;
    scan->work_begin = scan->work;
    if (scan->work_max != UINT64_MAX)
        scan->work_max = scan->work + (places + more) * scan->worker->work_per_byte;
}

void dense_spare(struct scan *scan, uint64_t places)
{
    struct engine_worker *worker = scan->worker;

    worker->dense_bytes /= 2;
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    TRAWL_ASSERT(worker->decay_later <= DECAY_LATER_MAX);
    if (scan->work - scan->work_begin > places * WORK_PER_BYTE_MIN &&
        worker->work_per_byte > WORK_PER_BYTE_MIN &&
        ++worker->tiles_spared >> worker->decay_later != 0) {
        worker->work_per_byte -= worker->work_per_byte / DECAY + 1;
        worker->tiles_spared = 0;
    }
}

/* What it costs to make the automaton ready. Until dense parts have cost as much, it does not pay.
 */
static uint64_t order_work(const struct trawl_plan *plan)
{
    return plan->literal_count * ORDER_WORK + plan->literal_bytes_total / 2;
}

/* Search from x on by the automaton, at most `bytes`; false: it refuses, and did nothing. */
static bool take_over(struct scan *scan, uint64_t x, uint64_t bytes)
{
    struct engine_worker *worker = scan->worker;
    uint64_t to = scan->limit - x > bytes ? x + bytes : scan->limit, before = worker->dense.work;
    uint64_t read = worker->dense.read_bytes;
    bool switched;

    TRAWL_ASSERT(x < to && to <= scan->limit);
    scan->work_max = UINT64_MAX; /* if the automaton refuses, no way is left but this one */
    switched = scan_dense(scan, x, to);
    read = worker->dense.read_bytes - read; /* 0: the scan before had read it */
    if (switched && read > 0) {
        uint64_t per_byte = (worker->dense.work - before) / read;

        TRAWL_ASSERT(worker->dense.work >= before);
        per_byte = min_u64(max_u64(WORK_PER_BYTE_MIN, per_byte), WORK_PER_BYTE_MAX);
        if (4 * per_byte > 3 * worker->automaton_per_byte && worker->automaton_per_byte > 0)
            worker->decay_later =
                (uint32_t)min_u64(worker->decay_later + DECAY_LATER, DECAY_LATER_MAX);
        worker->automaton_per_byte = worker->work_per_byte = per_byte;
    }
    TRAWL_ASSERT(!switched || scan->over || scan->at >= to);
    if (switched)
        scan->work_max = scan->work;
    scan->run_until = max_u64(scan->run_until, scan->at);
    worker->dense_left = switched ? bytes - min_u64(scan->run_until - x, bytes) : 0;
    return switched || scan->run_until > x;
}

bool dense_switch(struct scan *scan, uint64_t x)
{
    struct engine_worker *worker = scan->worker;

    x = max_u64(x, scan->run_until);
    if (x >= scan->limit)
        return false;
    TRAWL_ASSERT(scan->work >= scan->work_begin);
    worker->dense_work += scan->work - scan->work_begin;
    scan->work_begin = scan->work;
    if (worker->dense.serial != scan->plan->serial && worker->dense_work < order_work(scan->plan)) {
        scan->work_max = scan->work + order_work(scan->plan) - worker->dense_work;
        worker->dense_waits = true;
        return false;
    }
    worker->dense_bytes =
        min_u64(max_u64(2 * worker->dense_bytes, DENSE_BYTES_MIN), DENSE_BYTES_MAX);
    return take_over(scan, x, worker->dense_bytes);
}

bool dense_budget_rest(struct scan *scan)
{
    uint64_t x = max_u64(scan->at, scan->run_until);

    return scan->worker->dense_left > 0 && x < scan->limit &&
           take_over(scan, x, scan->worker->dense_left);
}
