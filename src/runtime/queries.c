/* queries: many counts in one call.
 *
 * Small texts, each of which one worker searches at a time, go to the workers in blocks. Those that
 * lie on a device go first, many in one submission; what devices leave goes to the host, unless
 * only devices were requested. The other texts, long ones and those that are read, are ordinary
 * searches by all workers, one after the other, when the small ones are done.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "cuda/engine_cuda.h"
#include "runtime/search.h"

#define TEXT_BYTES_MAX (1u << 20)        /* searched by one worker */
#define LOADED_TEXT_BYTES_MAX (1u << 30) /* by one launch */
#define BLOCK_QUERIES_MAX 1024u
#define BLOCKS_PER_WORKER 4u /* so that all workers end at about the same time */
#define HELP_QUERIES_MIN 64u /* of the host's blocks: fewer are counted before a helper wakes */

struct queries {
    struct job job; /* first: a job's serve gets this */
    struct trawl_searcher *searcher;
    struct engine_query *items; /* small texts: device_count for devices, then the others */
    uint64_t *indices;          /* of the caller's queries */
    uint64_t count;
    uint64_t device_count;

    /* The phase at hand: */
    bool on_device;
    uint64_t end; /* items [0, end) */
    uint64_t block;
    _Atomic uint64_t next;
    atomic_bool failed;
    pthread_mutex_t lock;
    enum trawl_status status; /* the first fault's */
    struct trawl_error error;
};

static bool is_on_device(struct trawl_runtime *runtime, const struct trawl_text *text)
{
    return devices_hold(&runtime->devices, text->bytes, text->bytes_count);
}

/* Searched by one worker, or one launch? */
static bool is_small(const struct trawl_searcher *searcher, const struct trawl_text *text)
{
    uint64_t bytes_max = searcher->chunk_bytes > 0 ? searcher->chunk_bytes : TEXT_BYTES_MAX;

    if (text->kind != TEXT_MEMORY || text_is_hidden(text))
        return false;
    return text->bytes_count <= bytes_max ||
           (text->bytes_count <= LOADED_TEXT_BYTES_MAX && is_on_device(searcher->runtime, text));
}

/* ---- A worker's part ---------------------------------------------------------------------- */

static enum trawl_status scan_query(const struct engine_ops *engine,
                                    struct engine_worker *engine_worker, struct engine_query *query,
                                    struct trawl_error *error)
{
    struct engine_chunk chunk = {.bytes = query->bytes, .owned = query->bytes_count};
    struct engine_result result = {.count = 0};
    enum trawl_status status = engine->worker_begin(engine_worker, query->plan, error);

    query->count = 0;
    query->candidate_count = 0;
    for (uint64_t from = 0;
         status == TRAWL_OK && query->plan->literal_count > 0 && from < chunk.owned;
         from = result.done) {
        status = engine->scan(engine_worker, &chunk, from, ENGINE_WANT_COUNT, &result, error);
        TRAWL_ASSERT(status != TRAWL_OK || (result.done > from && result.done <= chunk.owned));
        query->count += result.count;
        query->candidate_count += result.candidate_count;
        query->on_device = result.on_device;
        query->note = result.note;
    }
    query->done = status == TRAWL_OK;
    hits_release(&result.hits);
    return status;
}

/* Say which query failed. */
static void name_query(uint64_t index, struct trawl_error *error)
{
    char message[TRAWL_ERROR_MESSAGE_BYTES];

    memcpy(message, error->message, sizeof message);
    (void)snprintf(error->message, sizeof error->message, "query %" PRIu64 ": %.200s", index,
                   message);
}

/* Items [*at, end); *at: the first that is not counted, on failure too. */
static enum trawl_status work_block(struct queries *queries, const struct worker *worker,
                                    uint64_t *at, uint64_t end, struct trawl_error *error)
{
    const struct engine_ops *engine = queries->on_device ? &engine_cuda : &engine_cpu;
    struct engine_worker *engine_worker = queries->on_device ? worker->device : worker->host;

    TRAWL_ASSERT(*at < end && end <= queries->end && queries->end <= queries->count);
    TRAWL_ASSERT(end - *at <= queries->block && queries->block <= BLOCK_QUERIES_MAX);
    if (queries->on_device)
        TRAWL_TRY(engine_cuda.count_many(engine_worker, queries->items + *at, end - *at, error));
    for (; *at < end; (*at)++) {
        struct engine_query *query = &queries->items[*at];
        bool was_done = query->done;

        if (searcher_is_cancelled(queries->searcher))
            return TRAWL_STOPPED;
        if (!was_done) {
            enum trawl_status status = scan_query(engine, engine_worker, query, error);

            if (status != TRAWL_OK) {
                name_query(queries->indices[*at], error);
                return status;
            }
        }
        if (queries->on_device || !was_done)
            atomic_fetch_add(&queries->searcher->progress, query->bytes_count);
    }
    return TRAWL_OK;
}

/* The worker's device failed: it is lost. True: the worker goes on with another one. */
static bool changes_device(struct queries *queries, struct worker *worker, enum trawl_status status,
                           const struct trawl_error *error)
{
    if (!queries->on_device || status != TRAWL_DEVICE)
        return false;
    devices_lose(&queries->job.runtime->devices, worker->device_index, error->message);
    return worker_is_stranded(worker);
}

static enum trawl_status ready(struct queries *queries, struct worker *worker,
                               struct trawl_error *error)
{
    return queries->on_device ? worker_device_ready(worker, &queries->job, error)
                              : worker_host_ready(worker, &queries->job, error);
}

/* Blocks until none is left, or a worker failed. */
static void serve(struct job *job, struct worker *worker)
{
    struct queries *queries = (struct queries *)job;
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status = ready(queries, worker, &error);
    bool is_caller = worker == &queries->searcher->caller;

    if (status != TRAWL_OK && !is_caller)
        return; /* the others do it */
    while (status == TRAWL_OK && !atomic_load(&queries->failed)) {
        uint64_t at = atomic_fetch_add(&queries->next, queries->block);
        uint64_t end = min_u64(at + queries->block, queries->end);

        if (at >= queries->end)
            break;
        (void)worker_takes_part(worker, job);
        do
            status = work_block(queries, worker, &at, end, &error);
        while (changes_device(queries, worker, status, &error) &&
               (status = ready(queries, worker, &error)) == TRAWL_OK);
    }
    atomic_store(&job->has_work, false);
    if (status == TRAWL_OK)
        return;
    (void)pthread_mutex_lock(&queries->lock);
    if (!atomic_exchange(&queries->failed, true)) {
        queries->status = status;
        queries->error = error;
    }
    (void)pthread_mutex_unlock(&queries->lock);
}

/* ---- Phases ------------------------------------------------------------------------------- */

/* Count items [0, end) that are not counted yet. */
static enum trawl_status run_phase(struct queries *queries, bool on_device, uint64_t end,
                                   uint32_t *took_part)
{
    struct trawl_searcher *searcher = queries->searcher;
    struct trawl_runtime *runtime = searcher->runtime;
    uint32_t workers = on_device ? (uint32_t)min_u64(runtime->devices.workers_worth,
                                                     runtime->devices.workers_max + 1)
                                 : runtime->threads_max;

    TRAWL_ASSERT(end > 0 && end <= queries->count && workers > 0);
    TRAWL_ASSERT(!on_device || end == queries->device_count);
    job_begin(&queries->job, runtime, NULL, serve);
    queries->on_device = on_device;
    queries->end = end;
    queries->block =
        min_u64(max_u64(end / (BLOCKS_PER_WORKER * (uint64_t)workers), 1), BLOCK_QUERIES_MAX);
    atomic_store(&queries->next, 0);
    atomic_store(&queries->failed, false);
    queries->status = TRAWL_OK;
    atomic_store(&queries->job.for_devices, on_device);
    atomic_store(&queries->job.devices_wanted, UINT32_MAX);
    atomic_store(&queries->job.devices_many, UINT32_MAX);
    if (end > queries->block && (searcher->chunk_bytes > 0 || end >= HELP_QUERIES_MIN) &&
        workers > 1 && (!on_device || devices_start(&runtime->devices)))
        job_share(&queries->job, workers - 1);
    serve(&queries->job, &searcher->caller);
    job_end(&queries->job);
    *took_part = (uint32_t)max_u64(*took_part, atomic_load(&queries->job.took_part));
    return queries->status;
}

static enum trawl_status run_small(struct queries *queries, uint32_t *took_part,
                                   struct trawl_error *error)
{
    struct trawl_runtime *runtime = queries->searcher->runtime;
    bool must = runtime->engine == TRAWL_ENGINE_CUDA;
    enum trawl_status status = TRAWL_OK;

    if (queries->device_count > 0)
        status = run_phase(queries, true, queries->device_count, took_part);
    if (status == TRAWL_STOPPED)
        return status;
    if (status != TRAWL_OK && !must && status != TRAWL_UNSUPPORTED)
        devices_lose(&runtime->devices, UINT32_MAX, queries->error.message);
    if (!must && (status != TRAWL_OK || queries->count > queries->device_count))
        status = run_phase(queries, false, queries->count, took_part);
    if (status != TRAWL_OK && status != TRAWL_STOPPED && error != NULL)
        *error = queries->error;
    return status;
}

/* An ordinary search; its statistics are added. */
static enum trawl_status run_large(struct trawl_searcher *searcher, const struct trawl_query *asked,
                                   uint64_t index, uint64_t *count, struct trawl_stats *stats,
                                   struct trawl_error *error)
{
    enum trawl_status status;
    struct sink sink;

    sink_count(&sink);
    sink_line_ends(&sink, asked->plan->line_end, asked->plan->line_end_also);
    status = search_run(searcher, asked->plan, asked->text, &sink, error);
    if (status != TRAWL_OK && status != TRAWL_STOPPED && error != NULL)
        name_query(index, error);
    TRAWL_TRY(status);
    *count = sink.count;
    stats->text_bytes += searcher->stats.text_bytes;
    stats->chunk_count += searcher->stats.chunk_count;
    stats->device_chunk_count += searcher->stats.device_chunk_count;
    stats->match_count += searcher->stats.match_count;
    stats->candidate_count += searcher->stats.candidate_count;
    stats->device_copy_ns += searcher->stats.device_copy_ns;
    stats->device_kernel_ns += searcher->stats.device_kernel_ns;
    stats->device_back_ns += searcher->stats.device_back_ns;
    stats->device_memory_ns += searcher->stats.device_memory_ns;
    stats->device_host_ns += searcher->stats.device_host_ns;
    stats->child_withheld += searcher->stats.child_withheld;
    stats->child_grids += searcher->stats.child_grids;
    stats->child_spills += searcher->stats.child_spills;
    stats->thread_count = (uint32_t)max_u64(stats->thread_count, searcher->stats.thread_count);
    if (searcher->stats.note[0] != '\0')
        memcpy(stats->note, searcher->stats.note, sizeof stats->note);
    return TRAWL_OK;
}

/* ---- The call ----------------------------------------------------------------------------- */

static void add_item(struct queries *queries, const struct trawl_query *asked, uint64_t index)
{
    struct engine_query *item = &queries->items[queries->count];

    queries->indices[queries->count++] = index;
    item->plan = asked->plan;
    item->bytes = asked->text->bytes;
    item->bytes_count = asked->text->bytes_count;
    item->done = item->bytes_count == 0;
}

/* Which worker counts a query. What is loaded may change meanwhile, so each query is checked once.
 * */
enum kind { KIND_LARGE, KIND_DEVICE, KIND_HOST };

static enum kind kind_of(const struct trawl_searcher *searcher, const struct trawl_query *asked)
{
    if (!is_small(searcher, asked->text) || plan_has_algorithm(asked->plan))
        return KIND_LARGE;
    if (searcher->runtime->engine == TRAWL_ENGINE_CUDA ||
        is_on_device(searcher->runtime, asked->text))
        return KIND_DEVICE;
    return KIND_HOST;
}

/* Small texts of devices first, then the host's; kinds[i] is for asked[i]. */
static void gather(struct queries *queries, const struct trawl_query *asked, uint64_t asked_count,
                   uint64_t *kinds)
{
    for (uint64_t i = 0; i < asked_count; i++)
        kinds[i] = kind_of(queries->searcher, &asked[i]);
    for (uint64_t i = 0; i < asked_count; i++)
        if (kinds[i] == KIND_DEVICE)
            add_item(queries, &asked[i], i);
    queries->device_count = queries->count;
    for (uint64_t i = 0; i < asked_count; i++)
        if (kinds[i] == KIND_HOST)
            add_item(queries, &asked[i], i);
}

static enum trawl_status run_all(struct queries *queries, const struct trawl_query *asked,
                                 uint64_t asked_count, uint64_t *counts, struct trawl_error *error)
{
    struct trawl_searcher *searcher = queries->searcher;
    struct trawl_stats stats = {.size = sizeof stats};
    uint64_t begin_ns = clock_now_ns(), *found;
    enum trawl_status status = TRAWL_OK;
    void *memory;

    atomic_store(&searcher->progress, 0);
    TRAWL_TRY(memory_allocate(asked_count, sizeof *found, &memory, error));
    found = (uint64_t *)memory;
    gather(queries, asked, asked_count, found); /* kinds first, counts later */
    TRAWL_ASSERT(queries->device_count <= queries->count && queries->count <= asked_count);
    TRAWL_TRY_DONE(run_small(queries, &stats.thread_count, error));
    for (uint64_t i = 0; i < asked_count; i++)
        if (found[i] == KIND_LARGE)
            TRAWL_TRY_DONE(run_large(searcher, &asked[i], i, &found[i], &stats, error));
    for (uint64_t i = 0; i < queries->count; i++) {
        const struct engine_query *item = &queries->items[i];

        TRAWL_ASSERT(item->done);
        TRAWL_ASSERT(queries->indices[i] < asked_count);
        found[queries->indices[i]] = item->count;
        stats.text_bytes += item->bytes_count;
        stats.chunk_count++;
        stats.device_chunk_count += item->on_device;
        stats.match_count += item->count;
        stats.candidate_count += item->candidate_count;
        if (item->note != NULL)
            (void)snprintf(stats.note, sizeof stats.note, "%s", item->note);
    }
    memcpy(counts, found, (size_t)asked_count * sizeof *counts);
    stats_finish(searcher, &stats, begin_ns);
done:
    memory_release(found, asked_count, sizeof *found);
    return status;
}

enum trawl_status queries_run(struct trawl_searcher *searcher, const struct trawl_query *asked,
                              uint64_t asked_count, uint64_t *counts, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct queries queries;
    void *memory;

    memset(&queries, 0, sizeof queries);
    queries.searcher = searcher;
    (void)pthread_mutex_init(&queries.lock, NULL);
    TRAWL_TRY_DONE(memory_allocate_zeroed(asked_count, sizeof *queries.items, &memory, error));
    queries.items = (struct engine_query *)memory;
    TRAWL_TRY_DONE(memory_allocate(asked_count, sizeof *queries.indices, &memory, error));
    queries.indices = (uint64_t *)memory;
    status = run_all(&queries, asked, asked_count, counts, error);
done:
    memory_release(queries.items, asked_count, sizeof *queries.items);
    memory_release(queries.indices, asked_count, sizeof *queries.indices);
    (void)pthread_mutex_destroy(&queries.lock);
    return status;
}
