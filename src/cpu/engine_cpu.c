/* engine_cpu: the engine on the host's cores, as a table of functions (engine.h). */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/processor.h"
#include "cpu/brief.h"
#include "cpu/worker.h"

/* ---- Instruction sets --------------------------------------------------------------------- */

/* The variants of the functions of find.h. The best is first. */
static const struct {
    const struct find_ops *ops;
    enum processor_level needs; /* what the functions require of the processor */
} variants[] = {
#if defined(__x86_64__) && !defined(TRAWL_ONLY_PORTABLE)
    {&find_avx512vbmi, PROCESSOR_AVX512VBMI},
    {&find_avx512, PROCESSOR_AVX512},
    {&find_avx2, PROCESSOR_AVX2},
#elif defined(__aarch64__) && !defined(TRAWL_ONLY_PORTABLE)
    {&find_neon, PROCESSOR_ALL},
#endif
    {&find_portable, PROCESSOR_ALL},
};

const char *trawl_instruction_set(uint32_t index)
{
    enum processor_level level = processor_level();

    for (uint32_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
        if (variants[i].needs <= level && index-- == 0)
            return variants[i].ops->name;
    return NULL;
}

/* ---- The engine ---------------------------------------------------------------------------- */

static enum trawl_status cpu_open(const struct engine_options *options, struct engine **engine,
                                  struct trawl_error *error)
{
    const char *name = options->instruction_set; /* NULL: the best that this CPU can run */
    const struct find_ops *find = NULL;
    enum processor_level level = processor_level();

    for (uint32_t i = 0; i < sizeof variants / sizeof *variants && find == NULL; i++)
        if (variants[i].needs <= level &&
            (name == NULL || strcmp(variants[i].ops->name, name) == 0))
            find = variants[i].ops;
    if (find == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "instruction set %s is not available here", name);
    *engine = (struct engine *)(uintptr_t)find;
    return TRAWL_OK;
}

static void cpu_close(struct engine *engine)
{
    (void)engine;
}

static const char *cpu_instruction_set(const struct engine *engine)
{
    return find_of(engine)->name;
}

static void cpu_release(struct engine_worker *engine_worker)
{
    struct cpu_worker *worker = cpu_worker_of(engine_worker);

    for (uint32_t i = 0; i < CPU_PARTS; i++)
        if (worker->parts[i] != NULL)
            parts_release(worker, worker->parts[i]);
    if (worker->dense.set != NULL) /* the worker has used the automaton */
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
    struct cpu_worker *worker = cpu_worker_of(*worker_out);

    (void)device;
    if (worker == NULL) {
        /* Clear only the members before the tiles. The tiles and the buffers after them are most of
         * the worker's memory, and a short search never touches most of their pages. */
        TRAWL_TRY(MEMORY_NEW(worker, 1, error));
        memset(worker, 0, offsetof(struct cpu_worker, tile) + offsetof(struct find_tile, mask));
        worker->find = find_of(engine);
        worker->ops = &engine_cpu;
        worker->engine = engine;
        worker->costs = plan_costs_of_instruction_set(worker->find->name);
        *worker_out = (struct engine_worker *)worker;
    }
    if (plan == NULL)
        return TRAWL_OK;
    TRAWL_ASSERT(plan->literal_count == 0 || plan->length_min <= plan->length_max);
    worker->plan = plan;
    worker->learned = 0;
    choice_begin(worker);
    worker_probes_begin(worker);
    /* A periodic literal occurs in runs, which verify_run tests as a whole, so borders_apply need
     * not test the byte before each candidate. */
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
    return TRAWL_OK;
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
    scan->available = chunk->owned + chunk->after;
    scan->loadable = chunk->owned + chunk->readable;
    /* An occurrence must begin in the chunk's own bytes, and end in the available bytes. */
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

/* In a search for a set, copies a short text to a buffer with room after it. Near a text's end,
 * vectors would load bytes that are not readable, so the scan would test positions in plain C: in a
 * text of 80 bytes, nearly all of them. With the copy, a call for five strings in 40 to 1,000 bytes
 * takes 0.3 to 0.5 of the time. For a single literal, such positions cost as little as the copy. */
static void move_short(struct cpu_worker *worker, struct engine_chunk *chunk)
{
    uint64_t bytes = chunk->before + chunk->owned + chunk->after;

    if (worker->method != TRAWL_METHOD_SET || bytes >= cpu_sizes.short_set ||
        chunk->readable >= chunk->after + WORKER_SHORT_SLACK)
        return;
    TRAWL_ASSERT(bytes < WORKER_SHORT_BYTES);
    memcpy(worker->short_text, chunk->bytes - chunk->before, (size_t)bytes);
    memset(worker->short_text + bytes, 0, WORKER_SHORT_SLACK);
    chunk->bytes = worker->short_text + chunk->before;
    chunk->readable = chunk->after + WORKER_SHORT_SLACK;
}

/* Searches from scan->at to scan->limit with the worker's method. Takes the time if the worker may
 * later sample the text to change its method. */
static void scan_part(struct scan *scan)
{
    struct cpu_worker *worker = scan->worker;
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

static enum trawl_status cpu_submit(struct engine_worker *engine_worker, struct engine_task *task,
                                    struct trawl_error *error)
{
    struct cpu_worker *worker = cpu_worker_of(engine_worker);
    const struct trawl_plan *plan = worker->plan;
    struct hits *hits = &task->result->hits;
    struct engine_chunk chunk;
    struct scan scan;

    if (task->output != ENGINE_OUTPUT_RESULT)
        return TRAWL_FAIL(error, UNSUPPORTED, "the host's results are made of scans");
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
        /* If the worker may change its method, the first two parts are short: in the first, the
         * method adapts to the text; the second is timed. */
        while (worker->look_left != UINT64_MAX && worker->searched == 0 && scan.at < scan.end &&
               !scan.over && !scan_is_full(&scan) && worker->method != TRAWL_METHOD_SAMPLED) {
            scan.limit = min_u64(scan.end, scan.at + cpu_sizes.look_first);
            scan_part(&scan);
        }
        scan.limit = scan.end;
        TRAWL_TRY(worker_look(worker, &chunk, error));
    } else if (worker->look_left != UINT64_MAX) {
        worker->look_left -= min_u64(worker->look_left, chunk.owned);
    }
    scan_part(&scan);
    task->result->method = scan_method(worker);
    return scan_end(&scan);
}

static bool cpu_brief(const struct engine *engine, const struct trawl_plan *plan,
                      const uint8_t *text, uint64_t count, struct engine_brief *found)
{
    return brief_search(find_of(engine), plan, text, count, found);
}

const struct engine_ops engine_cpu = {
    .open = cpu_open,
    .close = cpu_close,
    .instruction_set = cpu_instruction_set,
    .compile = cpu_compile,
    .release = cpu_release,
    .submit = cpu_submit,
    .brief = cpu_brief,
};
