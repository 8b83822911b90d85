/* search: the public functions that open a searcher, load a text, and search. They check the
 * arguments; job.c and begins.c search. */
#include "runtime/search.h"
#include "runtime/task.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/options.h"
#include "runtime/begins.h"
#include "runtime/buffers.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/forked.h"
#include "runtime/job.h"
#include "runtime/matches.h"
#include "runtime/pages.h"
#include "runtime/runtime.h"
#include "runtime/schedule.def"
#include "runtime/schedule.h"
#include "runtime/workers.h"
#if TRAWL_GALLERY
#include "gallery/trawl_gallery.h"
#endif

/* ---- Open and close ----------------------------------------------------------------------- */

static enum trawl_status tasks_open(struct trawl_searcher *searcher, struct trawl_error *error)
{
    const struct trawl_runtime *runtime = searcher->runtime;
    uint32_t count =
        (uint32_t)max_u64(runtime->threads_max * TASKS_PER_WORKER + TASKS_EXTRA, TASKS_MIN);

    TRAWL_ASSERT(runtime->threads_max > 0 && searcher->tasks == NULL);
    if (runtime->engine == TRAWL_ENGINE_CPU)
        count = runtime->threads_max == 1 ? 1 : count;
    else
        count += TASKS_FOR_DEVICES * (uint32_t)max_u64(runtime->devices.device_count, 1);
    searcher->tasks_few = count;
    if (runtime->engine != TRAWL_ENGINE_CPU)
        count += runtime->threads_max * TASKS_AHEAD;
    TRAWL_ASSERT(searcher->tasks_few > 0 && count >= searcher->tasks_few);
    TRAWL_TRY(MEMORY_ZEROED(searcher->tasks, count, error));
    searcher->task_count = count;
    TRAWL_TRY(MEMORY_ZEROED(searcher->ring, count, error));
    return TRAWL_OK;
}

enum trawl_status trawl_searcher_open(const struct trawl_searcher_options *options,
                                      struct trawl_searcher **searcher_out,
                                      struct trawl_error *error)
{
    struct trawl_searcher_options given = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;
    enum trawl_status status = TRAWL_OK;

    if (searcher_out == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "searcher is NULL");
    TRAWL_TRY(options_read(&given, sizeof given, options, sizeof given, "searcher options", error));
    if (given.map < TRAWL_MAP_NEVER || given.map > TRAWL_MAP_ALWAYS)
        return TRAWL_FAIL(error, ARGUMENT, "map is %d, which is none of enum trawl_map",
                          (int)given.map);
    if (given.runtime != NULL &&
        (given.engine != TRAWL_ENGINE_AUTO || given.threads != 0 || given.instruction_set != NULL ||
         given.device_memory_bytes != 0 || given.host_memory_bytes != 0))
        return TRAWL_FAIL(error, ARGUMENT,
                          "engine, threads, instruction_set, device_memory_bytes and "
                          "host_memory_bytes belong to the runtime, and have to be 0 if a runtime "
                          "is given");
    TRAWL_TRY(MEMORY_ZEROED(searcher, 1, error));
    (void)sem_init(&searcher->woken, 0, 0);
    searcher->wake = -1;
    searcher->chunk_bytes = given.chunk_bytes;
    searcher->map = given.map;
    searcher->call.changes = &searcher->changes;
    searcher->call.poll = given.poll;
    searcher->call.poll_context = given.poll_context;
    searcher->runtime = given.runtime;
    searcher->runtime_is_ours = given.runtime == NULL;
    if (given.runtime == NULL)
        TRAWL_TRY_DONE(runtime_open(&given, &searcher->runtime, error));
    (void)pthread_mutex_lock(&searcher->runtime->entry);
    atomic_fetch_add(&searcher->runtime->searchers, 1);
    (void)pthread_mutex_unlock(&searcher->runtime->entry);
    searcher->caller.runtime = searcher->runtime;
    searcher->caller.device_index = ENGINE_DEVICES_MAX;
    TRAWL_TRY_DONE(tasks_open(searcher, error));
    forked_note(&searcher->forked, true);
    *searcher_out = searcher;
    searcher = NULL;
done:
    trawl_searcher_close(searcher);
    return status;
}

static void task_release(struct trawl_runtime *runtime, struct task *task)
{
    if (task->buffer.capacity > 0)
        runtime_buffer_release(runtime, &task->buffer);
    hits_release(&task->result.hits);
    cells_clear(&task->digest.cells);
    if (task->digest.pattern_counts.capacity > 0 || task->digest.pattern_counts.slot_count > 0)
        pattern_counts_release(&task->digest.pattern_counts);
    if (task->match_room > 0)
        matches_release(task);
}

void trawl_searcher_close(struct trawl_searcher *searcher)
{
    struct trawl_runtime *runtime;

    if (searcher == NULL)
        return;
    forked_forget(&searcher->forked);
    runtime = searcher->runtime;
    if (runtime != NULL) {
        for (uint32_t i = 0; i < searcher->tasks_touched; i++)
            task_release(runtime, &searcher->tasks[i]);
        worker_end(&searcher->caller);
        atomic_fetch_sub(&runtime->searchers, 1);
        if (searcher->runtime_is_ours)
            runtime_close(runtime);
    }
    memory_release(searcher->room, searcher->room_bytes, 1);
    memory_release(searcher->ring, searcher->task_count, sizeof(struct task *));
    memory_release(searcher->tasks, searcher->task_count, sizeof *searcher->tasks);
    (void)sem_destroy(&searcher->woken);
    if (searcher->wake >= 0)
        (void)close(searcher->wake);
    memory_release(searcher, 1, sizeof *searcher);
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* Fills the members of *told about the worker told->worker. */
static void report_worker(const struct trawl_searcher *searcher, struct trawl_stats *told)
{
    const uint64_t brief = atomic_load(&searcher->brief.bytes_after);
    const struct work_done *done;

    told->worker_count = brief > 0 ? 1 : searcher->last.kinds;
    if (told->worker >= told->worker_count)
        return;
    if (told->worker == 0)
        memcpy(told->worker_name, "cpu", sizeof "cpu");
    else
        (void)snprintf(told->worker_name, sizeof told->worker_name, "device %" PRIu32,
                       told->worker - 1);
    if (brief > 0) {
        told->worker_chunk_count = told->worker_thread_count = 1;
        told->worker_text_bytes = brief - 1;
        told->worker_method_bytes[atomic_load(&searcher->brief.method)] = brief - 1;
        return;
    }
    done = told->worker == 0 ? &searcher->last.host : &searcher->last.device[told->worker - 1];
    told->worker_chunk_count = atomic_load(&done->chunks);
    told->worker_text_bytes = atomic_load(&done->bytes);
    told->worker_search_ns = atomic_load(&done->search_ns);
    told->worker_thread_count = atomic_load(&done->threads);
    for (uint32_t i = 0; i < TRAWL_METHODS_COUNT; i++)
        told->worker_method_bytes[i] = atomic_load(&done->method_bytes[i]);
}

enum trawl_status trawl_searcher_stats(const struct trawl_searcher *searcher,
                                       struct trawl_stats *stats, struct trawl_error *error)
{
    struct trawl_stats told;
    uint64_t brief;
    bool on_host;

    if (searcher == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "searcher is NULL");
    TRAWL_TRY(options_check(stats, sizeof told, "stats", error));
    told = searcher->last.stats;
    brief = atomic_load(&searcher->brief.bytes_after);
    if (brief > 0) {
        told = (struct trawl_stats){.text_bytes = brief - 1,
                                    .chunk_count = 1,
                                    .match_count = atomic_load(&searcher->brief.count),
                                    .candidate_count = atomic_load(&searcher->brief.candidates),
                                    .thread_count = 1};
        if (searcher->runtime->engine == TRAWL_ENGINE_AUTO &&
            atomic_load(&searcher->runtime->devices.state) != DEVICES_NOT_ASKED)
            devices_failure(&searcher->runtime->devices, told.note, sizeof told.note);
    } else if (searcher->last.algorithm.note != NULL)
        (void)snprintf(told.note, sizeof told.note, "%s", searcher->last.algorithm.note);
    told.worker = stats->worker;
    if (brief == 0 && !searcher->last.ended) /* before the first call, all members are 0 */
        return options_report(stats, &told, sizeof told, "stats", error);
    report_worker(searcher, &told);
    told.change_count = brief > 0 ? 0 : searcher->last_changes.count;
    told.cpu_chunk_count = told.chunk_count - told.device_chunk_count;
    on_host = searcher->runtime->engine != TRAWL_ENGINE_CUDA || told.cpu_chunk_count > 0;
    (void)snprintf(told.engine, sizeof told.engine, "%s",
                   told.device_chunk_count == 0 ? (on_host ? "cpu" : "cuda")
                   : told.cpu_chunk_count == 0  ? "cuda"
                                                : "cpu+cuda");
    if (on_host)
        (void)snprintf(told.instruction_set, sizeof told.instruction_set, "%s",
                       engine_for_host->instruction_set(searcher->runtime->host));
    return options_report(stats, &told, sizeof told, "stats", error);
}

enum trawl_status trawl_searcher_changes(const struct trawl_searcher *searcher,
                                         struct trawl_change *changes, uint64_t room,
                                         uint64_t *count, struct trawl_error *error)
{
    const struct method_changes *last;
    uint64_t kept;

    if (searcher == NULL || count == NULL || (changes == NULL && room > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL ? "searcher"
                          : count == NULL  ? "count"
                                           : "changes");
    last = &searcher->last_changes;
    kept = atomic_load(&searcher->brief.bytes_after) > 0 ? 0 : last->count;
    *count = min_u64(min_u64(kept, TRAWL_CHANGES_KEPT), room);
    for (uint64_t i = 0; i < *count; i++)
        changes[i] = last->kept[(last->count - *count + i) % TRAWL_CHANGES_KEPT];
    return TRAWL_OK;
}

enum trawl_status trawl_searcher_ways(const struct trawl_searcher *searcher, struct trawl_way *ways,
                                      uint64_t room, uint64_t *count, struct trawl_error *error)
{
    if (searcher == NULL || count == NULL || (ways == NULL && room > 0))
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL ? "searcher"
                          : count == NULL  ? "count"
                                           : "ways");
    *count = atomic_load(&searcher->brief.bytes_after) > 0
                 ? 0
                 : min_u64(searcher->last_changes.way_count, room);
    if (*count > 0)
        memcpy(ways, searcher->last_changes.ways, (size_t)*count * sizeof *ways);
    return TRAWL_OK;
}

/* Cancels the searcher's current call. Returns false if there is none, or if it is already
 * cancelled. May be called in a signal handler, even in a thread that is inside the call or inside
 * this function. */
static bool cancel(struct trawl_searcher *searcher)
{
    int expected = ENGINE_CALL_INSIDE, kept = errno, wake;
    const uint64_t one = 1;
    bool is_inside;

    atomic_fetch_add(&searcher->cancelling, 1);
    is_inside =
        atomic_compare_exchange_strong(&searcher->call.state, &expected, ENGINE_CALL_CANCELLED);
    wake = atomic_load(&searcher->wake);
    if (is_inside && wake >= 0 && write(wake, &one, sizeof one) < 0)
        errno = kept; /* if the write failed, the descriptor is readable already */
    if (is_inside)
        searcher_wake(searcher);
    atomic_fetch_sub(&searcher->cancelling, 1);
    return is_inside;
}

void trawl_searcher_cancel(struct trawl_searcher *searcher, bool or_next)
{
    int found;

    if (searcher == NULL)
        return;
    do {
        found = ENGINE_CALL_NONE;
    } while (!cancel(searcher) && or_next &&
             !atomic_compare_exchange_strong(&searcher->call.state, &found, ENGINE_CALL_UNWANTED) &&
             found == ENGINE_CALL_INSIDE); /* meanwhile, a call has begun */
}

enum trawl_status trawl_text_load(struct trawl_searcher *searcher, struct trawl_text *text,
                                  struct trawl_error *error)
{
    enum trawl_status status;

    if (searcher == NULL || text == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", searcher == NULL ? "searcher" : "text");
    if (text->kind != TEXT_MEMORY)
        return TRAWL_FAIL(error, ARGUMENT, "%s: only a text in memory can be loaded", text->name);
    TRAWL_TRY(searcher_enter(searcher, error));
    status = runtime_load(searcher->runtime, text, false, error);
    if (status == TRAWL_OK)
        runtime_pages_load(searcher->runtime, text);
    searcher_leave(searcher);
    return status;
}

void trawl_text_unload(struct trawl_searcher *searcher, struct trawl_text *text)
{
    if (searcher == NULL || text == NULL)
        return;
    runtime_unload(searcher->runtime, text);
    atomic_store(&text->filter_bytes, 0);
}

uint64_t trawl_searcher_progress(const struct trawl_searcher *searcher)
{
    return searcher == NULL ? 0 : atomic_load(&searcher->progress);
}

enum trawl_status trawl_line_open(const struct trawl_plan *plan, uint64_t pattern_index,
                                  const void *line, uint64_t line_bytes,
                                  const struct trawl_searcher *searcher, struct trawl_line **out,
                                  struct trawl_error *error)
{
    return engines_line_open(plan, pattern_index, line, line_bytes,
                             searcher == NULL ? NULL : &searcher->call, out, error);
}

#if TRAWL_GALLERY
enum trawl_status trawl_searcher_algorithm_stats(const struct trawl_searcher *searcher,
                                                 struct trawl_algorithm_stats *stats,
                                                 struct trawl_error *error)
{
    struct trawl_algorithm_stats told = {.size = 0};

    if (searcher == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "searcher is NULL");
    TRAWL_TRY(options_check(stats, sizeof told, "stats", error));
    _Static_assert(offsetof(struct trawl_algorithm_stats, device_copy_ns) +
                           sizeof searcher->last.algorithm.numbers ==
                       sizeof told,
                   "the same members");
    if (atomic_load(&searcher->brief.bytes_after) == 0)
        memcpy((uint8_t *)&told + offsetof(struct trawl_algorithm_stats, device_copy_ns),
               searcher->last.algorithm.numbers, sizeof searcher->last.algorithm.numbers);
    return options_report(stats, &told, sizeof told, "stats", error);
}
#endif

/* ---- Calls -------------------------------------------------------------------------------- */

enum trawl_status search_line_plan(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, bool finds,
                                   const struct trawl_plan **lines, struct trawl_error *error)
{
    const struct devices *devices = &searcher->runtime->devices;
    uint64_t sample_bytes = min_u64(text->bytes_count, LINE_SAMPLE_BYTES);
    const uint8_t *sample = NULL;
    const char *why = NULL;
    bool is_split = false;

    *lines = NULL;
    if (!kind_of(plan)->by_lines || text->kind != TEXT_MEMORY ||
        !devices_hold(devices, text->bytes, text->bytes_count))
        return TRAWL_OK;
    if (text->device_address == 0 && sample_bytes > 0)
        sample = text->bytes + (text->bytes_count - sample_bytes) / 2;
    TRAWL_TRY(engines_line_plan(plan, sample, sample_bytes, finds, lines, &why, error));
    if (*lines == NULL && text_is_hidden(text) && text->stays)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "only the host can answer about the expression, since %s, and the text "
                          "has to stay on its device",
                          why);
    /* a device can decide only about lines that it has completely */
    if (*lines != NULL && (!devices_hold_text(devices, *lines, text, &is_split) || is_split))
        *lines = NULL;
    return TRAWL_OK;
}

/* Lets the device that has the text answer about regular expressions: about their matches, if
 * `finds`, or about lines. Returns false if an ordinary search is needed. */
static bool run_on_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                          struct trawl_text *text, bool finds, struct sink *sink,
                          enum trawl_status *status, struct trawl_error *error)
{
    const struct trawl_plan *lines = NULL;
    struct sink own = *sink;

    *status = search_line_plan(searcher, plan, text, finds, &lines, error);
    if (lines == NULL)
        return *status != TRAWL_OK;
    own.by_engine = true;
    own.hits_max = HITS_LISTED_MAX;
    *status = search_run(searcher, lines, text, &own, error);
    /* A search for matches leaves to the host what the device cannot find (job.c). */
    if (*status != TRAWL_OK && *status != TRAWL_STOPPED && own.count == 0)
        return false;
    *sink = own;
    return true;
}

/* If a device can find the lines with matches of a regular expression, or, where a filter leaves
 * few pages, the strings in it, and finds few, searches only these lines. Returns false if an
 * ordinary search is needed. */
static bool run_in_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                         struct trawl_text *text, bool is_few, struct sink *sink,
                         enum trawl_status *status, struct trawl_error *error)
{
    const uint64_t room = schedule_lines_max(searcher, plan, text);
    const struct trawl_plan *lines = NULL;
    uint64_t *places = NULL;
    struct sink found;
    bool is_done;

    if ((plan->flags & TRAWL_MULTILINE) != 0 || text_is_hidden(text) || room == 0)
        return false;
    *status = TRAWL_OK;
    if (is_few && devices_hold(&searcher->runtime->devices, text->bytes, text->bytes_count))
        lines = engines_page_plan(plan);
    else
        *status = search_line_plan(searcher, plan, text, false, &lines, error);
    if (*status == TRAWL_OK && lines != NULL)
        *status = MEMORY_NEW(places, room, error);
    if (*status != TRAWL_OK || lines == NULL)
        return *status != TRAWL_OK;
    sink_begins_into(&found, places, room);
    found.by_engine = lines != engines_page_plan(plan);
    found.hits_max = room;
    *status = search_run(searcher, lines, text, &found, NULL);
    is_done = *status == TRAWL_STOPPED ||
              (*status == TRAWL_OK && searcher->last.stats.match_count <= room);
    if (*status == TRAWL_OK && is_done)
        *status = search_run_lines(searcher, plan, text, places, found.count, sink, error);
    memory_release(places, room, sizeof *places);
    return is_done;
}

enum trawl_status search_checked(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 struct trawl_text *text, struct sink *sink,
                                 struct trawl_error *error)
{
    enum trawl_status status;
    bool is_expression, by_device, by_lines, is_few;

    TRAWL_TRY(search_enter(searcher, plan, text, error));
    is_expression = plan->kind == PLAN_KIND_EXPRESSIONS;
    /* The host may find the first match long before a device has searched the text, unless the text
     * had to be copied first. */
    by_device = is_expression &&
                (sink->form == ANSWER_OF_COUNT || sink->form == ANSWER_OF_PATTERNS ||
                 sink->match_sink != NULL || (sink->want == WANT_FIRST && text_is_hidden(text)));
    by_lines =
        is_expression && sink->want != WANT_FIRST && sink->digest == NULL && !sink->keeps_text;
    is_few =
        (by_device || by_lines) && pages_left(searcher->runtime, plan, text, sink) != PAGES_ALL;
    if (!(by_device && !is_few &&
          run_on_device(searcher, plan, text, true, sink, &status, error)) &&
        !(by_lines && run_in_lines(searcher, plan, text, is_few, sink, &status, error)))
        status = search_run(searcher, plan, text, sink, error);
    searcher_leave(searcher);
    return status;
}

/* ---- Answers about a text -------------------------------------------------------------------- */

static enum trawl_status take_count(struct trawl_answer *answer, const struct sink *sink,
                                    enum trawl_status status)
{
    answer->count = sink->count;
    return status;
}

static enum trawl_status ask_matches(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                     struct trawl_text *text, struct trawl_answer *answer,
                                     struct trawl_error *error)
{
    struct sink sink;

    if (answer->matches == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "answer.matches is NULL");
    sink_positions(&sink, answer->matches, answer->context);
    return take_count(answer, &sink, search_checked(searcher, plan, text, &sink, error));
}

static enum trawl_status ask_counts(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, struct trawl_answer *answer,
                                    struct trawl_error *error)
{
    struct pattern_counting counting = {plan, answer->counts, answer->context};
    struct sink sink;

    if (answer->counts == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "answer.counts is NULL");
    pattern_counts_sink(&sink, &counting);
    return take_count(answer, &sink, search_checked(searcher, plan, text, &sink, error));
}

/* Fills an array in host memory: by the device that has the text, if one has, and can; otherwise by
 * a search. */
static enum trawl_status fill_on_host(struct trawl_searcher *searcher,
                                      const struct trawl_plan *plan, struct trawl_text *text,
                                      struct engine_words *array, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_UNSUPPORTED;
    const struct trawl_plan *lines = NULL;
    struct sink sink;

    if (array->room > 0 && array->to != searcher->array_last && !memory_is_readable(array->to))
        return TRAWL_FAIL(error, ARGUMENT,
                          "answer.values is memory that the host cannot read, and of none of the "
                          "searcher's devices");
    searcher->array_last = array->room > 0 ? array->to : NULL;
    if (array->room > 0 && devices_are_usable(&searcher->runtime->devices) &&
        atomic_load(&searcher->runtime->devices.has_texts)) {
        TRAWL_TRY(search_line_plan(searcher, plan, text, true, &lines, error));
        array->copies_anywhere = true;
        status = begins_by_devices(searcher, lines != NULL ? lines : plan, text, ENGINE_DEVICES_MAX,
                                   array, error);
    }
    if (status == TRAWL_OK || status == TRAWL_STOPPED)
        return status;
    sink_begins_into(&sink, array->to, array->room);
    status = search_run(searcher, plan, text, &sink, error);
    array->count = sink.count;
    return status;
}

static enum trawl_status ask_begins(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, struct trawl_answer *answer,
                                    struct trawl_error *error)
{
    struct engine_words array = {.to = (uint64_t *)answer->values, .room = answer->room};
    const struct trawl_plan *lines = NULL;
    enum trawl_status status = TRAWL_OK;
    bool on_device;
    uint32_t device;

    if (answer->values == NULL && answer->room > 0)
        return TRAWL_FAIL(error, ARGUMENT, "answer.values is NULL");
    if (answer->cell_bytes != 0 && answer->cell_bytes != sizeof *array.to)
        return TRAWL_FAIL(error, ARGUMENT,
                          "answer.cell_bytes is %" PRIu32 ": TRAWL_BEGINS writes 8 bytes a number",
                          answer->cell_bytes);
    TRAWL_TRY(search_enter(searcher, plan, text, error));
    TRAWL_TRY_DONE(runtime_find_memory(searcher->runtime, array.to, &on_device, &device, error));
    if (on_device)
        TRAWL_TRY_DONE(search_line_plan(searcher, plan, text, true, &lines, error));
    if (!on_device)
        status = fill_on_host(searcher, plan, text, &array, error);
    else if ((uint64_t)(uintptr_t)array.to % sizeof *array.to != 0)
        status = TRAWL_FAIL(error, ARGUMENT, "answer.values on a device is not aligned to 8 bytes");
    else
        status =
            begins_by_devices(searcher, lines != NULL ? lines : plan, text, device, &array, error);
    answer->count = on_device && status != TRAWL_OK ? 0 : array.count;
done:
    searcher_leave(searcher);
    return status;
}

static enum trawl_status ask_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   struct trawl_text *text, struct trawl_answer *answer,
                                   struct trawl_error *error)
{
    struct sink sink;
    enum trawl_status status;

    sink_lines(&sink, answer->invert != 0, answer->lines_max == 0 ? UINT64_MAX : answer->lines_max);
    /* WANT_LINES would miss lines that only contain the end of a match */
    if (plan != NULL && (plan->flags & TRAWL_MULTILINE) != 0)
        sink.want = WANT_SPANS;
    TRAWL_TRY(search_enter(searcher, plan, text, error));
    if (sink.want != WANT_LINES || plan->kind != PLAN_KIND_EXPRESSIONS ||
        pages_left(searcher->runtime, plan, text, &sink) != PAGES_ALL ||
        !run_on_device(searcher, plan, text, false, &sink, &status, error))
        status = search_run(searcher, plan, text, &sink, error);
    searcher_leave(searcher);
    /* the sink has stopped the search; the call was not cancelled */
    if (status == TRAWL_STOPPED && sink.stopped)
        status = TRAWL_OK;
    return take_count(answer, &sink, status);
}

enum trawl_status trawl_ask(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                            struct trawl_text *text, struct trawl_answer *given,
                            struct trawl_error *error)
{
    static enum trawl_status (*const answers[])(
        struct trawl_searcher *, const struct trawl_plan *, struct trawl_text *,
        struct trawl_answer *, struct trawl_error *) = {[TRAWL_MATCHES] = ask_matches,
                                                        [TRAWL_COUNT_BY_PATTERN] = ask_counts,
                                                        [TRAWL_COUNT_LINES] = ask_lines,
                                                        [TRAWL_BEGINS] = ask_begins};
    struct trawl_answer answer = TRAWL_ANSWER(TRAWL_MATCHES);
    enum trawl_status status;

    TRAWL_TRY(ask_read(&answer, given, error));
    if (answer.what >= sizeof answers / sizeof *answers || answers[answer.what] == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s is an answer about records: trawl_ask_records",
                          ask_name(answer.what));
    answer.count = 0; /* a call may fail before it searches */
    status = answers[answer.what](searcher, plan, text, &answer, error);
    ask_report(given, &answer, status);
    return status;
}

void ask_report(struct trawl_answer *given, const struct trawl_answer *answer,
                enum trawl_status status)
{
    if (status != TRAWL_OK && status != TRAWL_READ && status != TRAWL_LIMIT &&
        status != TRAWL_DEVICE)
        return;
    given->count = answer->count;
    given->on_device = answer->on_device;
}

/* the members of an answer that the caller sets, besides `size` and `what` */
#define MEMBERS(X) \
    X(invert)      \
    X(lines_max)   \
    X(values)      \
    X(patterns)    \
    X(room)        \
    X(cell_bytes)  \
    X(matches)     \
    X(counts)      \
    X(cells)       \
    X(context)     \
    X(begins)      \
    X(ends)
enum {
#define MEMBER_INDEX(member) INDEX_##member,
    MEMBERS(MEMBER_INDEX)
};
#define USES(member) (1u << INDEX_##member)
#define USES_SPANS (USES(room) | USES(cell_bytes) | USES(patterns) | USES(begins) | USES(ends))

static const struct {
    const char *name;
    uint32_t uses; /* the members that it reads */
} answers_known[] = {
#define ANSWER(what, members) [TRAWL_##what] = {"TRAWL_" #what, members}
    ANSWER(MATCHES, USES(matches) | USES(context)),
    ANSWER(COUNT_BY_PATTERN, USES(counts) | USES(context)),
    ANSWER(COUNT_LINES, USES(invert) | USES(lines_max)),
    ANSWER(BEGINS, USES(values) | USES(room) | USES(cell_bytes)),
    ANSWER(RECORDS_BITS, USES(values) | USES(room)),
    ANSWER(RECORDS_BYTES, USES(values) | USES(room)),
    ANSWER(RECORDS_COUNTS, USES(values) | USES(room)),
    ANSWER(RECORDS_CELLS, USES(values) | USES(patterns) | USES(room) | USES(cell_bytes)),
    ANSWER(RECORDS_FIRST, USES_SPANS),
    ANSWER(RECORDS_MATCHES, USES(values) | USES_SPANS),
};

const char *ask_name(enum trawl_what what)
{
    return answers_known[what].name;
}

enum trawl_status ask_read(struct trawl_answer *answer, const struct trawl_answer *given,
                           struct trawl_error *error)
{
    const char *with = "";
    uint32_t uses;

    if (given == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "answer is NULL");
    TRAWL_TRY(options_read(answer, sizeof *answer, given, sizeof *answer, "answer", error));
    if ((size_t)answer->what >= sizeof answers_known / sizeof *answers_known)
        return TRAWL_FAIL(error, ARGUMENT, "unknown answer %d", (int)answer->what);
    uses = answers_known[answer->what].uses;
    if (answer->what == TRAWL_RECORDS_CELLS && answer->cells != NULL) {
        uses = USES(cells) | USES(context); /* instead of arrays */
        with = " with `cells`";
    }
#define MEMBER_CHECK(member)                                                                     \
    if (answer->member != 0 && (uses & USES(member)) == 0)                                       \
        return TRAWL_FAIL(error, ARGUMENT, "answer." #member " is set, which %s%s does not use", \
                          ask_name(answer->what), with);
    MEMBERS(MEMBER_CHECK)
    if (answer->invert > 1)
        return TRAWL_FAIL(error, ARGUMENT, "answer.invert is %u, not 0 or 1", answer->invert);
    return TRAWL_OK;
}

enum trawl_status trawl_windows(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                struct trawl_text *text, uint32_t flags, trawl_window_sink function,
                                void *context, struct trawl_error *error)
{
    const uint32_t with = TRAWL_LINE_ENDS | TRAWL_NULLS | TRAWL_FIRSTS;
    uint32_t which = flags & ~with;
    struct sink sink;

    if (function == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "sink is NULL");
    if (which > TRAWL_NO_MATCHES ||
        ((which & (which - 1)) != 0 && which != (TRAWL_SPANS_FIRST | TRAWL_WITH_EMPTY)))
        return TRAWL_FAIL(error, ARGUMENT, "flags 0x%x are not one enum trawl_which", flags);
    flags &= with;
    if (plan != NULL && !kind_of(plan)->by_lines) { /* a match of a string is never empty */
        which &= ~(uint32_t)TRAWL_WITH_EMPTY;
    } else if (which == TRAWL_LINES) { /* regular expressions: WANT_LINES has no matches */
        which = TRAWL_WITH_EMPTY;
        flags |= TRAWL_FIRSTS;
    }
    sink_windows(&sink, which | flags, function, context);
    return search_checked(searcher, plan, text, &sink, error);
}
