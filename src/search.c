/* search: the public functions of a searcher. */
#include "search.h"

#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "base/checked.h"
#include "base/options.h"

#define SLOTS_PER_THREAD 2u
#define SLOTS_EXTRA 2u

static uint32_t cores_available(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (uint32_t)CPU_COUNT(&set) > 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static enum trawl_status searcher_room(struct trawl_searcher *searcher, uint32_t threads,
                                       struct trawl_error *error)
{
    uint32_t slot_count = threads == 1 ? 1 : threads * SLOTS_PER_THREAD + SLOTS_EXTRA;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(threads - 1, sizeof *searcher->threads, &memory, error));
    searcher->threads = (struct search_thread *)memory;
    searcher->threads_capacity = threads - 1;
    TRAWL_TRY(memory_allocate_zeroed(slot_count, sizeof *searcher->slots, &memory, error));
    searcher->slots = (struct search_slot *)memory;
    searcher->slot_count = slot_count;
    return TRAWL_OK;
}

enum trawl_status trawl_searcher_open(const struct trawl_searcher_options *options,
                                      struct trawl_searcher **searcher_out,
                                      struct trawl_error *error)
{
    struct trawl_searcher_options given = TRAWL_SEARCHER_OPTIONS_INIT;
    struct engine_options engine_options = {.size = sizeof engine_options};
    struct trawl_searcher *searcher = NULL;
    enum trawl_status status = TRAWL_OK;
    uint32_t threads;
    void *memory;

    if (searcher_out == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "searcher is NULL");
    TRAWL_TRY(options_read(&given, sizeof given, options, "searcher options", error));
    if (given.threads > SEARCH_THREADS_MAX)
        return TRAWL_FAIL(error, ARGUMENT, "threads is %" PRIu32 ", more than %u", given.threads,
                          SEARCH_THREADS_MAX);
    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *searcher, &memory, error));
    searcher = (struct trawl_searcher *)memory;
    (void)pthread_mutex_init(&searcher->lock, NULL);
    (void)pthread_cond_init(&searcher->work, NULL);
    (void)pthread_cond_init(&searcher->ready, NULL);
    searcher->caller.searcher = searcher;
    searcher->engine_asked = given.engine;
    searcher->chunk_bytes = given.chunk_bytes;
    threads = given.threads > 0 ? given.threads : cores_available();
    engine_options.instruction_set = given.instruction_set;
    engine_options.device_memory_bytes = given.device_memory_bytes;
    TRAWL_TRY_DONE(engine_choose(given.engine, &searcher->ops, error));
    TRAWL_TRY_DONE(searcher->ops->open(&engine_options, &searcher->engine, error));
    searcher->ops->properties(searcher->engine, &searcher->properties);
    if (searcher->properties.lanes_max > 0 && threads > searcher->properties.lanes_max)
        threads = searcher->properties.lanes_max;
    TRAWL_TRY_DONE(searcher_room(searcher, threads, error));
    *searcher_out = searcher;
    searcher = NULL;
done:
    trawl_searcher_close(searcher);
    return status;
}

void trawl_searcher_close(struct trawl_searcher *searcher)
{
    if (searcher == NULL)
        return;
    search_threads_end(searcher);
    search_lanes_close(&searcher->caller);
    if (searcher->algorithm_engine != NULL)
        engine_for_algorithms()->close(searcher->algorithm_engine);
    if (searcher->engine != NULL)
        searcher->ops->close(searcher->engine);
    for (uint32_t i = 0; i < searcher->slot_count; i++)
        search_slot_release(&searcher->slots[i]);
    memory_release(searcher->slots, searcher->slot_count, sizeof *searcher->slots);
    memory_release(searcher->threads, searcher->threads_capacity, sizeof *searcher->threads);
    (void)pthread_cond_destroy(&searcher->ready);
    (void)pthread_cond_destroy(&searcher->work);
    (void)pthread_mutex_destroy(&searcher->lock);
    memory_release(searcher, 1, sizeof *searcher);
}

enum trawl_status trawl_searcher_stats(const struct trawl_searcher *searcher,
                                       struct trawl_stats *stats, struct trawl_error *error)
{
    uint64_t size;

    if (searcher == NULL || stats == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", searcher == NULL ? "searcher" : "stats");
    size = stats->size;
    if (size < sizeof size)
        return TRAWL_FAIL(error, ARGUMENT, "stats: size %" PRIu64 " is not a struct's size", size);
    memcpy(stats, &searcher->stats, (size_t)min_u64(size, sizeof *stats));
    stats->size = size;
    return TRAWL_OK;
}

enum trawl_status trawl_text_load(struct trawl_searcher *searcher, struct trawl_text *text,
                                  struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    if (searcher == NULL || text == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", searcher == NULL ? "searcher" : "text");
    if (text->kind != TEXT_MEMORY)
        return TRAWL_FAIL(error, ARGUMENT, "%s: only a text in memory can be loaded", text->name);
    if (atomic_exchange(&searcher->busy, true))
        return TRAWL_FAIL(error, BUSY, "the searcher is already inside a call");
    if (searcher->ops->load != NULL)
        status = searcher->ops->load(searcher->engine, text->bytes, text->bytes_count, error);
    atomic_store(&searcher->busy, false);
    return status;
}

void trawl_text_unload(struct trawl_searcher *searcher, struct trawl_text *text)
{
    if (searcher == NULL || text == NULL || searcher->ops->unload == NULL)
        return;
    searcher->ops->unload(searcher->engine, text->bytes);
}

uint64_t trawl_searcher_progress(const struct trawl_searcher *searcher)
{
    return searcher == NULL ? 0 : atomic_load(&searcher->progress);
}

/* What all searches share: checks and the busy mark. */
static enum trawl_status search_enter(struct trawl_searcher *searcher,
                                      const struct trawl_plan *plan, const struct trawl_text *text,
                                      struct trawl_error *error)
{
    if (searcher == NULL || plan == NULL || text == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL ? "searcher"
                          : plan == NULL   ? "plan"
                                           : "text");
    if (plan->algorithm.for_records)
        return TRAWL_FAIL(error, ARGUMENT, "algorithm %s is for records, trawl_matrix alone",
                          plan->algorithm.name);
    if (atomic_exchange(&searcher->busy, true))
        return TRAWL_FAIL(error, BUSY, "the searcher is already inside a call");
    return TRAWL_OK;
}

static enum trawl_status search_checked(struct trawl_searcher *searcher,
                                        const struct trawl_plan *plan, struct trawl_text *text,
                                        struct sink *sink, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_TRY(search_enter(searcher, plan, text, error));
    sink_line_ends(sink, plan->line_end, plan->line_end_also);
    status = search_run(searcher, plan, text, sink, error);
    atomic_store(&searcher->busy, false);
    return status;
}

enum trawl_status trawl_count(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                              struct trawl_text *text, uint64_t *count, struct trawl_error *error)
{
    struct sink sink;

    if (count == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "count is NULL");
    sink_count(&sink);
    TRAWL_TRY(search_checked(searcher, plan, text, &sink, error));
    *count = sink.count;
    return TRAWL_OK;
}

static enum trawl_status check_query(const struct trawl_query *query, uint64_t index,
                                     struct trawl_error *error)
{
    if (query->plan == NULL || query->text == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "query %" PRIu64 ": %s is NULL", index,
                          query->plan == NULL ? "plan" : "text");
    if (query->plan->algorithm.for_records)
        return TRAWL_FAIL(error, ARGUMENT,
                          "query %" PRIu64 ": algorithm %s is for records, trawl_matrix alone",
                          index, query->plan->algorithm.name);
    return TRAWL_OK;
}

enum trawl_status trawl_count_many(struct trawl_searcher *searcher,
                                   const struct trawl_query *queries, uint64_t query_count,
                                   uint64_t *counts, struct trawl_error *error)
{
    enum trawl_status status;

    if (searcher == NULL || ((queries == NULL || counts == NULL) && query_count > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL  ? "searcher"
                          : queries == NULL ? "queries"
                                            : "counts");
    for (uint64_t i = 0; i < query_count; i++)
        TRAWL_TRY(check_query(&queries[i], i, error));
    if (query_count == 0)
        return TRAWL_OK;
    if (atomic_exchange(&searcher->busy, true))
        return TRAWL_FAIL(error, BUSY, "the searcher is already inside a call");
    status = search_many_run(searcher, queries, query_count, counts, error);
    atomic_store(&searcher->busy, false);
    return status;
}

enum trawl_status trawl_first(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                              struct trawl_text *text, struct trawl_match *match, bool *found,
                              struct trawl_error *error)
{
    struct sink sink;
    enum trawl_status status;

    if (match == NULL || found == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", match == NULL ? "match" : "found");
    sink_first(&sink);
    status = search_checked(searcher, plan, text, &sink, error);
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        return status;
    *found = sink.found;
    if (sink.found)
        *match = sink.first;
    return TRAWL_OK;
}

enum trawl_status trawl_positions(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                  struct trawl_text *text, trawl_match_sink function, void *context,
                                  struct trawl_error *error)
{
    struct sink sink;

    if (function == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "sink is NULL");
    sink_positions(&sink, function, context);
    return search_checked(searcher, plan, text, &sink, error);
}

enum trawl_status trawl_positions_into(struct trawl_searcher *searcher,
                                       const struct trawl_plan *plan, struct trawl_text *text,
                                       struct trawl_match *matches, uint64_t matches_max,
                                       uint64_t *match_count, struct trawl_error *error)
{
    struct sink sink;
    enum trawl_status status;

    if (match_count == NULL || (matches == NULL && matches_max > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          match_count == NULL ? "match_count" : "matches");
    sink_positions_into(&sink, matches, matches_max);
    status = search_checked(searcher, plan, text, &sink, error);
    if (status == TRAWL_OK || status == TRAWL_READ || status == TRAWL_DEVICE)
        *match_count = sink.count;
    return status;
}

enum trawl_status trawl_begins_into(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, uint64_t *begins, uint64_t begins_max,
                                    uint64_t *begin_count, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_UNSUPPORTED;
    struct engine_begins array = {.host = begins, .room = begins_max};
    struct sink sink;

    if (begin_count == NULL || (begins == NULL && begins_max > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          begin_count == NULL ? "begin_count" : "begins");
    TRAWL_TRY(search_enter(searcher, plan, text, error));
    sink_begins_into(&sink, begins, begins_max);
    if (begins_max > 0 && text->kind == TEXT_MEMORY) {
        array.bytes = text->bytes;
        array.bytes_count = text->bytes_count;
        status = search_begins_run(searcher, plan, &array, NULL);
        sink.count = array.count;
    }
    if (status != TRAWL_OK) {
        sink.count = 0;
        status = search_run(searcher, plan, text, &sink, error);
    }
    atomic_store(&searcher->busy, false);
    if (status == TRAWL_OK || status == TRAWL_READ || status == TRAWL_DEVICE)
        *begin_count = sink.count;
    return status;
}

enum trawl_status trawl_begins_on_device(struct trawl_searcher *searcher,
                                         const struct trawl_plan *plan, struct trawl_text *text,
                                         uint64_t begins_address, uint64_t begins_max,
                                         uint64_t *begin_count, struct trawl_error *error)
{
    struct engine_begins array = {.address = begins_address, .room = begins_max};
    enum trawl_status status;

    if (begin_count == NULL || (begins_address == 0 && begins_max > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is %s",
                          begin_count == NULL ? "begin_count" : "begins_address",
                          begin_count == NULL ? "NULL" : "0");
    if (begins_address % sizeof(uint64_t) != 0)
        return TRAWL_FAIL(error, ARGUMENT, "begins_address is not aligned to 8 bytes");
    TRAWL_TRY(search_enter(searcher, plan, text, error));
    if (text->kind == TEXT_MEMORY) {
        array.bytes = text->bytes;
        array.bytes_count = text->bytes_count;
        status = search_begins_run(searcher, plan, &array, error);
    } else {
        status =
            TRAWL_FAIL(error, UNSUPPORTED, "%s: only a text in memory is on a device", text->name);
    }
    atomic_store(&searcher->busy, false);
    if (status == TRAWL_OK)
        *begin_count = array.count;
    return status;
}

enum trawl_status trawl_count_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, bool invert, uint64_t lines_max,
                                    uint64_t *count, struct trawl_error *error)
{
    struct sink sink;
    enum trawl_status status;

    if (count == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "count is NULL");
    sink_lines(&sink, invert, lines_max);
    status = search_checked(searcher, plan, text, &sink, error);
    if (status != TRAWL_OK && status != TRAWL_STOPPED)
        return status;
    *count = sink.count;
    return TRAWL_OK;
}

enum trawl_status trawl_windows(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                struct trawl_text *text, uint32_t flags, trawl_window_sink function,
                                void *context, struct trawl_error *error)
{
    struct sink sink;

    if (function == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "sink is NULL");
    if ((flags & ~(uint32_t)(TRAWL_WINDOW_LINE_ENDS | TRAWL_WINDOW_NO_MATCHES | TRAWL_WINDOW_LINES |
                             TRAWL_WINDOW_SPANS)) != 0)
        return TRAWL_FAIL(error, ARGUMENT, "unknown window flags 0x%x", flags);
    sink_windows(&sink, flags, function, context);
    return search_checked(searcher, plan, text, &sink, error);
}
