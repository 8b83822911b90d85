/* search_many: many counts in one call.
 *
 * Queries whose text one thread searches at a time go to the threads in blocks: an engine that
 * answers many in one submission gets the block first, and what it leaves is scanned one by one.
 * The others, long texts and such as are read, are ordinary searches by all threads, one after the
 * other, when the small ones are done.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/memory.h"
#include "search.h"

#define TEXT_BYTES_MAX (1u << 20)        /* searched by one thread */
#define LOADED_TEXT_BYTES_MAX (1u << 30) /* by one launch */
#define BLOCK_QUERIES_MAX 1024u
#define BLOCKS_PER_THREAD 4u /* so that all threads end at about the same time */

struct search_many {
    struct engine_query *queries;
    uint64_t query_count;
    uint64_t block_queries;
    _Atomic uint64_t next;
    atomic_bool failed;
    enum trawl_status status; /* the first fault's; under the searcher's lock */
    struct trawl_error error;
};

/* Searched by one thread, or one launch? */
static bool is_small(const struct trawl_searcher *searcher, const struct trawl_query *query)
{
    const struct trawl_text *text = query->text;
    uint64_t bytes_max = searcher->chunk_bytes > 0 ? searcher->chunk_bytes : TEXT_BYTES_MAX;

    if (text->kind != TEXT_MEMORY)
        return false;
    return text->bytes_count <= bytes_max ||
           (text->bytes_count <= LOADED_TEXT_BYTES_MAX && searcher->ops->holds != NULL &&
            !plan_has_algorithm(query->plan) &&
            searcher->ops->holds(searcher->engine, NULL, text->bytes, text->bytes_count) > 0);
}

/* ---- A thread's part ---------------------------------------------------------------------- */

static enum trawl_status scan_query(struct search_thread *thread, struct engine_query *query,
                                    struct trawl_error *error)
{
    const struct engine_ops *ops = search_ops(thread->searcher, query->plan);
    struct engine_chunk chunk = {query->bytes, 0, query->bytes_count, 0, 0, 0, false, 0};
    struct engine_result result = {.count = 0};
    enum trawl_status status = search_lane_begin(thread, query->plan, error);

    query->count = 0;
    query->candidate_count = 0;
    for (uint64_t from = 0;
         status == TRAWL_OK && query->plan->literal_count > 0 && from < chunk.owned;
         from = result.done) {
        status = ops->scan(search_lane(thread, query->plan), &chunk, from, ENGINE_WANT_COUNT,
                           &result, error);
        query->count += result.count;
        query->candidate_count += result.candidate_count;
        query->on_device = result.on_device;
        query->note = result.note;
    }
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

static enum trawl_status work_block(struct search_thread *thread, struct search_many *many,
                                    uint64_t begin, struct trawl_error *error)
{
    struct trawl_searcher *searcher = thread->searcher;
    uint64_t count = min_u64(many->block_queries, many->query_count - begin);

    if (searcher->ops->count_many != NULL)
        TRAWL_TRY(searcher->ops->count_many(thread->lane, many->queries + begin, count, error));
    for (uint64_t i = begin; i < begin + count; i++) {
        struct engine_query *query = &many->queries[i];

        if (!query->done && query->bytes_count > 0) {
            enum trawl_status status = scan_query(thread, query, error);

            if (status != TRAWL_OK) {
                name_query(i, error);
                return status;
            }
        }
        atomic_fetch_add(&searcher->progress, query->bytes_count);
    }
    return TRAWL_OK;
}

/* Blocks until none is left, or somebody failed. */
static void work(struct search_thread *thread, struct search_many *many)
{
    struct trawl_searcher *searcher = thread->searcher;
    enum trawl_status status = TRAWL_OK;
    struct trawl_error error;

    while (status == TRAWL_OK && !atomic_load(&many->failed)) {
        uint64_t begin = atomic_fetch_add(&many->next, many->block_queries);

        if (begin >= many->query_count)
            return;
        thread->took_part = true;
        status = work_block(thread, many, begin, &error);
    }
    if (status == TRAWL_OK)
        return;
    (void)pthread_mutex_lock(&searcher->lock);
    if (!atomic_exchange(&many->failed, true)) {
        many->status = status;
        many->error = error;
    }
    (void)pthread_mutex_unlock(&searcher->lock);
}

void search_many_help(struct search_thread *thread, struct search_many *many)
{
    if (search_lane_want(thread, NULL) == TRAWL_OK) /* else the others do it */
        work(thread, many);
}

/* ---- The call ----------------------------------------------------------------------------- */

static enum trawl_status run_small(struct trawl_searcher *searcher, struct search_many *many,
                                   struct trawl_error *error)
{
    struct search_job job;

    memset(&job, 0, sizeof job);
    job.many = many;
    TRAWL_TRY(search_lane_want(&searcher->caller, error));
    (void)pthread_mutex_lock(&searcher->lock);
    search_threads_rest(searcher);
    if (many->query_count > many->block_queries)
        search_job_open(searcher, &job);
    (void)pthread_mutex_unlock(&searcher->lock);
    work(&searcher->caller, many);
    (void)pthread_mutex_lock(&searcher->lock);
    search_job_close(searcher);
    (void)pthread_mutex_unlock(&searcher->lock);
    if (many->status != TRAWL_OK && error != NULL)
        *error = many->error;
    return many->status;
}

/* An ordinary search; its statistics are added. */
static enum trawl_status run_large(struct trawl_searcher *searcher, const struct trawl_query *asked,
                                   struct engine_query *query, struct trawl_stats *stats,
                                   struct trawl_error *error)
{
    struct sink sink;

    sink_count(&sink);
    sink_line_ends(&sink, asked->plan->line_end, asked->plan->line_end_also);
    TRAWL_TRY(search_run(searcher, asked->plan, asked->text, &sink, error));
    query->count = sink.count;
    stats->text_bytes += searcher->stats.text_bytes;
    stats->chunk_count += searcher->stats.chunk_count;
    stats->device_chunk_count += searcher->stats.device_chunk_count;
    stats->match_count += searcher->stats.match_count;
    stats->candidate_count += searcher->stats.candidate_count;
    stats->device_copy_ns += searcher->stats.device_copy_ns;
    stats->device_kernel_ns += searcher->stats.device_kernel_ns;
    stats->child_grids += searcher->stats.child_grids;
    stats->child_spills += searcher->stats.child_spills;
    stats->device_back_ns += searcher->stats.device_back_ns;
    stats->device_memory_ns += searcher->stats.device_memory_ns;
    stats->device_host_ns += searcher->stats.device_host_ns;
    stats->child_withheld += searcher->stats.child_withheld;
    return TRAWL_OK;
}

static void add_small(const struct engine_query *query, struct trawl_stats *stats)
{
    stats->text_bytes += query->bytes_count;
    stats->chunk_count++;
    stats->device_chunk_count += query->on_device;
    stats->match_count += query->count;
    stats->candidate_count += query->candidate_count;
}

static enum trawl_status run_all(struct trawl_searcher *searcher, const struct trawl_query *asked,
                                 struct search_many *many, uint64_t *counts,
                                 struct trawl_error *error)
{
    uint64_t begin_ns = clock_now_ns();
    struct search_job job;
    uint32_t threads;

    memset(&job, 0, sizeof job);
    atomic_store(&searcher->progress, 0);
    TRAWL_TRY(run_small(searcher, many, error));
    for (uint64_t i = 0; i < many->query_count; i++)
        if (many->queries[i].plan != NULL) {
            add_small(&many->queries[i], &job.stats);
            job.note = many->queries[i].note != NULL ? many->queries[i].note : job.note;
        }
    search_stats_finish(searcher, &job, begin_ns);
    threads = searcher->stats.thread_count;
    for (uint64_t i = 0; i < many->query_count; i++)
        if (many->queries[i].plan == NULL) {
            TRAWL_TRY(run_large(searcher, &asked[i], &many->queries[i], &job.stats, error));
            job.note = searcher->note != NULL ? searcher->note : job.note;
        }
    search_stats_finish(searcher, &job, begin_ns);
    searcher->stats.thread_count = (uint32_t)max_u64(threads, searcher->stats.thread_count);
    for (uint64_t i = 0; i < many->query_count; i++)
        counts[i] = many->queries[i].count;
    return TRAWL_OK;
}

enum trawl_status search_many_run(struct trawl_searcher *searcher,
                                  const struct trawl_query *queries, uint64_t query_count,
                                  uint64_t *counts, struct trawl_error *error)
{
    uint64_t blocks = BLOCKS_PER_THREAD * (searcher->threads_capacity + 1ull);
    struct search_many many;
    enum trawl_status status;
    void *memory;

    memset(&many, 0, sizeof many);
    for (uint64_t i = 0; i < query_count; i++)
        TRAWL_TRY(search_engine_want(searcher, queries[i].plan, error));
    TRAWL_TRY(memory_allocate_zeroed(query_count, sizeof *many.queries, &memory, error));
    many.queries = (struct engine_query *)memory;
    many.query_count = query_count;
    many.block_queries = min_u64(max_u64(query_count / blocks, 1), BLOCK_QUERIES_MAX);
    for (uint64_t i = 0; i < query_count; i++) {
        struct engine_query *query = &many.queries[i];

        query->done = !is_small(searcher, &queries[i]);
        if (query->done) /* for run_large: the threads and the engine pass it by */
            continue;
        query->plan = queries[i].plan;
        query->bytes = queries[i].text->bytes;
        query->bytes_count = queries[i].text->bytes_count;
    }
    status = run_all(searcher, queries, &many, counts, error);
    memory_release(many.queries, query_count, sizeof *many.queries);
    return status;
}
