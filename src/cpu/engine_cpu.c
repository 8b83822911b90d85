/* engine_cpu: implements the engine on the host's cores. */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cpu/brief.h"
#include "cpu/worker.h"

/* the parts' own trials end within this many bytes of text */
#define PARTS_WARM (1u << 19)

struct engine {
    const struct find_ops *find;
};

static enum trawl_status cpu_open(const struct engine_options *options, struct engine **engine,
                                  struct trawl_error *error)
{
    const struct find_ops *find = find_by_name(options->instruction_set);

    if (find == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "instruction set %s is not available here",
                          options->instruction_set);
    TRAWL_TRY(MEMORY_NEW(*engine, 1, error));
    (*engine)->find = find;
    return TRAWL_OK;
}

static void cpu_close(struct engine *engine)
{
    memory_release(engine, 1, sizeof *engine);
}

static void cpu_properties(struct engine *engine, struct engine_properties *properties)
{
    properties->instruction_set = engine->find->name;
    properties->device_count = 0;
    properties->workers_per_device = 0;
}

static void cpu_release(struct engine_worker *worker)
{
    for (uint32_t i = 0; worker->parts != NULL && i < PLAN_PARTS_MAX; i++) {
        hits_release(&worker->parts->found[i].hits);
        if (worker->parts->workers[i] != NULL)
            cpu_release(worker->parts->workers[i]);
    }
    memory_release(worker->parts, 1, sizeof *worker->parts);
    if (worker->dense.set != NULL) /* the worker has searched a dense text */
        dense_worker_end(&worker->dense);
    hits_release(&worker->gathered);
    hits_release(&worker->ordered);
    memory_release(worker->scratch, 1, sizeof *worker->scratch);
    memory_release(worker, 1, sizeof *worker);
}

static enum trawl_status cpu_compile(struct engine *engine, uint32_t device,
                                     const struct trawl_plan *plan,
                                     struct engine_worker **worker_out, struct trawl_error *error)
{
    struct engine_worker *worker = *worker_out;

    (void)device;
    if (worker == NULL) {
        /* The tiles, two thirds of the worker's bytes, are not cleared: a short search never
         * touches most of their pages. */
        TRAWL_TRY(MEMORY_NEW(worker, 1, error));
        memset(worker, 0, offsetof(struct engine_worker, tile) + offsetof(struct find_tile, mask));
        worker->find = engine->find;
        worker->costs = plan_costs_of(engine->find->name);
        *worker_out = worker;
    }
    if (plan == NULL)
        return TRAWL_OK;
    TRAWL_ASSERT(plan->literal_count == 0 || plan->length_min <= plan->length_max);
    worker->plan = plan;
    worker->learned = 0;
    choice_begin(worker);
    worker_probes_begin(worker);
    /* For a periodic literal, verify_run handles runs as a whole, so borders need no test. */
    worker->at_borders = plan_has_conditions(plan) && plan->period == 0;
    if (worker->at_borders)
        borders_begin(worker, plan);
    worker->bytes_only =
        plan->length_max == 1 && plan_method_is_open(plan) && bytes_begin(&worker->bytes, plan);
    worker->tile_positions = (uint32_t)cpu_sizes.class_positions;
    worker->lines_hit = false;
    worker->set = NULL;
    worker->matcher = NULL;
    worker->nibbles = NULL;
    return plan->method != TRAWL_METHOD_SET ? TRAWL_OK
                                            : plan_nibbles_want(plan, &worker->nibbles, error);
}

void scan_begin(struct scan *scan, const struct trawl_plan *plan, const struct engine_chunk *chunk,
                uint64_t from, enum want want, struct engine_result *result,
                struct trawl_error *error)
{
    TRAWL_ASSERT(from < chunk->owned && chunk->owned < UINT32_MAX);
    memset(scan, 0, sizeof *scan);
    scan->plan = plan;
    scan->chunk = chunk;
    scan->want = want;
    scan->result = result;
    scan->error = error;
    scan->at = from;
    scan->tile_count = result->count;
    scan->available = chunk->owned + chunk->after;
    scan->loadable = chunk->owned + chunk->readable;
    /* Begins ≥ end are not owned, or have no room for the shortest occurrence. */
    if (scan->available >= plan->length_min)
        scan->end = min_u64(chunk->owned, scan->available - plan->length_min + 1);
    scan->limit = scan->end;
    TRAWL_ASSERT(scan->available >= chunk->owned && scan->available <= scan->loadable);
    TRAWL_ASSERT(scan->limit <= chunk->owned);
    scan->work_max = saturating_multiply(cpu_sizes.work_factor * (chunk->owned + plan->length_max),
                                         plan->literal_count);
}

enum trawl_status scan_end(const struct scan *scan)
{
    scan->result->done =
        scan->at >= scan->limit || scan->want == WANT_FIRST ? scan->chunk->owned : scan->at;
    TRAWL_ASSERT(scan->result->done <= scan->chunk->owned);
    TRAWL_ASSERT(scan->result->hits.count <= scan->result->hits.capacity);
    return scan->status;
}

/* Copies a short text to a buffer with room behind the text. Near a text's end, vectors would load
 * too much, and a scan tests begins in plain C; of a text of 80 bytes, this would be nearly all
 * begins. */
static void move_short(struct engine_worker *worker, struct engine_chunk *chunk)
{
    uint64_t bytes = chunk->before + chunk->owned + chunk->after;

    if (bytes >= (worker->method == TRAWL_METHOD_SET ? cpu_sizes.short_set : cpu_sizes.short_one) ||
        chunk->readable >= chunk->after + WORKER_SHORT_SLACK)
        return;
    TRAWL_ASSERT(bytes < WORKER_SHORT_BYTES);
    memcpy(worker->short_text, chunk->bytes - chunk->before, (size_t)bytes);
    memset(worker->short_text + bytes, 0, WORKER_SHORT_SLACK);
    chunk->bytes = worker->short_text + chunk->before;
    chunk->readable = chunk->after + WORKER_SHORT_SLACK;
}

/* Searches from scan->at to scan->limit by the worker's method; counts the time if a look may
 * come. */
static void scan_part(struct scan *scan)
{
    struct engine_worker *worker = scan->worker;
    uint64_t begin = scan->at, candidates = scan->result->candidate_count, passed = scan->passed;
    uint64_t ns = 0;
    bool counts = worker->look_left != UINT64_MAX && worker->has_begun &&
                  scan->limit - begin >= PLAN_SAMPLE_BYTES_MIN;

    if (scan->over || scan->plan->literal_count == 0 || begin >= scan->limit)
        return;
    if (counts)
        ns = clock_now_ns();
    scan_run(scan);
    if (counts)
        worker_count(scan, begin, candidates, passed, clock_now_ns() - ns);
    worker->has_begun = true;
}

/* Searches two short parts of a text of which nothing is known: in the first part the method
 * adapts, the second is timed. */
static void scan_begins(struct scan *scan)
{
    const struct engine_worker *worker = scan->worker;

    while (worker->look_left != UINT64_MAX && worker->searched == 0 && scan->at < scan->end &&
           !scan->over && !scan_is_full(scan) && worker->method != TRAWL_METHOD_SAMPLED) {
        scan->limit = min_u64(scan->end, scan->at + cpu_sizes.look_first);
        scan_part(scan);
    }
    scan->limit = scan->end;
}

/* Runs the task for the worker's whole plan. */
static enum trawl_status scan_whole(struct engine_worker *worker, const struct engine_task *task,
                                    struct trawl_error *error)
{
    const struct trawl_plan *plan = worker->plan;
    struct hits *hits = &task->result->hits;
    struct engine_chunk chunk;
    struct scan scan;

    chunk = *task->chunk;
    move_short(worker, &chunk);
    scan_begin(&scan, plan, &chunk, task->from, task->want, task->result, error);
    scan.worker = worker;
    if (scan.want == WANT_SPANS && plan->holds_line_end)
        scan.want = WANT_HITS;
    hits->lengths_valid = scan.keeps_lengths = plan->element_count > 0 && scan.want != WANT_COUNT;
    hits->one_per_line = scan.want == WANT_LINES;
    scan.span_reach = chunk.begin + scan.at == 0 ? 0 : scan.at + plan->length_max - 1;
    TRAWL_ASSERT(plan->length_max > 0 || plan->literal_count == 0);
    if (scan.want == WANT_SPANS && chunk.spans_known) {
        scan.span_is_sure = true;
        scan.span_end = scan.run_until = chunk.spans_end;
    }
    if ((worker->look_left <= chunk.owned && chunk.owned >= PLAN_SAMPLE_BYTES_MIN) ||
        worker->method == TRAWL_METHOD_SAMPLED || worker->sampled_after > 0) {
        scan_begins(&scan);
        TRAWL_TRY(worker_look(worker, &chunk, error));
    } else if (worker->look_left != UINT64_MAX) {
        worker->look_left -= min_u64(worker->look_left, chunk.owned);
    }
    scan_part(&scan);
    task->result->method =
        worker->set_trial.now == 1 ? TRAWL_METHOD_AUTOMATON : scan_method(worker);
    return scan_end(&scan);
}

/* ---- Parts ---------------------------------------------------------------------------------- */

/* Makes a worker for each part of the worker's plan. `eager`: the parts may try all their methods
 * at once, because the whole plan has searched for long enough. Returns false if the plan has no
 * parts, or if memory does not suffice for them. */
static bool parts_make(struct engine_worker *worker, bool eager)
{
    const struct plan_parts *of;
    struct engine engine = {worker->find};

    if (plan_parts_want(worker->plan, PLAN_PARTS_HOST, &of, NULL) != TRAWL_OK || of == NULL)
        return false;
    if (worker->parts == NULL && MEMORY_ZEROED(worker->parts, 1, NULL) != TRAWL_OK)
        return false;
    for (uint32_t i = 0; i < of->count; i++) {
        struct engine_worker **part = &worker->parts->workers[i];

        if (cpu_compile(&engine, 0, of->part[i].plan, part, NULL) != TRAWL_OK)
            return false;
        (*part)->trial.advance = (*part)->set_trial.advance = eager ? UINT64_MAX / 2 : 0;
    }
    worker->parts->of = of;
    return true;
}

/* Searches the task's chunk for each part of the plan in turn, and appends the merged hits. The
 * task's want is not FIRST, which cpu_submit leaves to the whole plan. */
static enum trawl_status scan_parts(struct engine_worker *worker, const struct engine_task *task,
                                    struct trawl_error *error)
{
    const struct plan_parts *of = worker->parts->of;
    struct engine_result *result = task->result;
    struct hits_part merged[PLAN_PARTS_MAX];
    struct engine_chunk chunk = *task->chunk;
    uint64_t end = chunk.owned, before = result->hits.count;

    for (uint32_t i = 0; i < of->count; i++) {
        struct engine_result *found = &worker->parts->found[i];
        /* A part knows only its own occurrences, not the longest of all at a begin: so SPANS become
         * HITS. */
        struct engine_task part = {.chunk = &chunk,
                                   .from = task->from,
                                   .want = task->want == WANT_SPANS ? WANT_HITS : task->want,
                                   .result = found};

        /* A part that is full of hits stops early. The parts after it need not go further. */
        chunk.after += chunk.owned - end;
        chunk.readable += chunk.owned - end;
        chunk.owned = end;
        engine_result_begin(found, task->from, false);
        TRAWL_TRY(scan_whole(worker->parts->workers[i], &part, error));
        TRAWL_ASSERT(found->done == end || task->want != WANT_COUNT);
        end = found->done;
        result->candidate_count += found->candidate_count;
        if (task->want == WANT_COUNT)
            result->count += found->count;
        merged[i] = (struct hits_part){&found->hits, of->part[i].literals, 0};
    }
    result->method = TRAWL_METHOD_SET;
    result->done = end;
    result->hits.one_per_line = false;
    if (task->want == WANT_COUNT)
        return TRAWL_OK;
    TRAWL_TRY(hits_merge(&result->hits, merged, of->count, end, error));
    result->count += result->hits.count - before;
    return TRAWL_OK;
}

/* Searches the begins in [from, to) of the task's chunk, by parts or by the whole plan. */
static enum trawl_status scan_segment(struct engine_worker *worker, const struct engine_task *task,
                                      uint64_t from, uint64_t to, bool by_parts,
                                      struct trawl_error *error)
{
    struct engine_chunk chunk = *task->chunk;
    struct engine_task segment = *task;

    chunk.after += chunk.owned - to;
    chunk.readable += chunk.owned - to;
    chunk.owned = to;
    segment.chunk = &chunk;
    segment.from = from;
    if (segment.want == WANT_SPANS && from > task->from) /* the last span is not known */
        segment.want = WANT_HITS;
    TRAWL_TRY(by_parts ? scan_parts(worker, &segment, error) : scan_whole(worker, &segment, error));
    if (from > task->from)
        task->result->hits.one_per_line = false; /* a line may lie in two segments */
    return TRAWL_OK;
}

/* A task whose segments a trial gives to the whole plan (program 0) or to its parts (1). */
struct segments {
    struct engine_worker *worker;
    const struct engine_task *task;
    enum trawl_status status;
    struct trawl_error *error;
    struct trial_pair pair;
};

static uint64_t run_segment(void *state, uint32_t by_parts, uint64_t from, uint64_t to)
{
    struct segments *segments = (struct segments *)state;
    struct engine_worker *worker = segments->worker;

    if (by_parts == 1 && !worker->parts_ready)
        worker->has_parts = worker->parts_ready =
            parts_make(worker, segments->task->want < WANT_LINES);
    segments->status = scan_segment(worker, segments->task, from, to,
                                    by_parts == 1 && worker->parts_ready, segments->error);
    segments->pair.once_ns = parts_wait_ns(worker);
    return segments->status == TRAWL_OK ? segments->task->result->done : from;
}

static enum trawl_status cpu_submit(struct engine_worker *worker, struct engine_task *task,
                                    struct trawl_error *error)
{
    struct segments segments = {
        .worker = worker,
        .task = task,
        .error = error,
        .pair = {.run = run_segment,
                 .state = &segments,
                 .warm_bytes = worker->parts_ready || task->want >= WANT_LINES ? 0 : PARTS_WARM,
                 .inner = {&worker->trial, &worker->set_trial}}};

    if (task->output != ENGINE_OUTPUT_RESULT)
        return TRAWL_FAIL(error, UNSUPPORTED, "the host's results are made of scans");
    if (!worker->has_parts || task->want == WANT_FIRST)
        return scan_whole(worker, task, error);
    segments.pair.once_ns = parts_wait_ns(worker);
    trial_run(&worker->parts_trial, &segments.pair, task->from, task->chunk->owned);
    return segments.status;
}

static bool cpu_brief(const struct engine *engine, const struct trawl_plan *plan,
                      const uint8_t *text, uint64_t count, struct engine_brief *found)
{
    return brief_search(engine->find, plan, text, count, found);
}

const struct engine_ops engine_cpu = {
    .open = cpu_open,
    .close = cpu_close,
    .properties = cpu_properties,
    .compile = cpu_compile,
    .release = cpu_release,
    .submit = cpu_submit,
    .brief = cpu_brief,
    .bring = engine_bring_nothing,
    .hold = engine_hold_nothing,
    .drop = engine_drop_nothing,
};
