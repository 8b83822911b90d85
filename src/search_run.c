/* search_run: the threads of a searcher and the loop of one call. */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/fault.h"
#include "search.h"

#define PIECE_BYTES_MEMORY (1u << 20)
#define PIECE_BYTES_FILE (1u << 18)
#define PIECE_BYTES_MAX (1u << 30)
/* A piece is at least 8 times what it reads twice; where that is much memory, twice must do. */
#define PIECE_PER_NEED 8u
#define PIECE_BYTES_LARGE (1u << 26)
#define PIECE_PER_NEED_LARGE 2u

static struct search_slot *slot_find(struct trawl_searcher *searcher, enum slot_state state,
                                     uint64_t index)
{
    for (uint32_t i = 0; i < searcher->slot_count; i++) {
        struct search_slot *slot = &searcher->slots[i];

        if (slot->state == state && (state == SLOT_FREE || slot->piece.index == index))
            return slot;
    }
    return NULL;
}

enum trawl_status search_engine_want(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                     struct trawl_error *error)
{
    /* Under "auto" algorithms run on the host: what runs where would else depend on the text. */
    bool on_device = searcher->engine_asked == TRAWL_ENGINE_CUDA;
    struct engine_options options = {.size = sizeof options,
                                     .cuda = on_device ? searcher->engine : NULL};

    if (!plan_has_algorithm(plan) || searcher->algorithm_engine != NULL)
        return TRAWL_OK;
    return engine_for_algorithms()->open(&options, &searcher->algorithm_engine, error);
}

enum trawl_status search_lane_want(struct search_thread *thread, struct trawl_error *error)
{
    if (thread->lane != NULL)
        return TRAWL_OK;
    return thread->searcher->ops->lane_open(thread->searcher->engine, &thread->lane, error);
}

enum trawl_status search_lane_begin(struct search_thread *thread, const struct trawl_plan *plan,
                                    struct trawl_error *error)
{
    const struct engine_ops *ops = search_ops(thread->searcher, plan);

    if (!plan_has_algorithm(plan))
        TRAWL_TRY(search_lane_want(thread, error));
    else if (thread->algorithm_lane == NULL)
        TRAWL_TRY(
            ops->lane_open(thread->searcher->algorithm_engine, &thread->algorithm_lane, error));
    return ops->lane_begin(search_lane(thread, plan), plan, error);
}

void search_lanes_close(struct search_thread *thread)
{
    if (thread->algorithm_lane != NULL)
        engine_for_algorithms()->lane_close(thread->algorithm_lane);
    if (thread->lane != NULL)
        thread->searcher->ops->lane_close(thread->lane);
}

/* Take a slot through filling, with piece `only` or any. Called and returns with the lock held. */
static void work_once(struct search_thread *thread, struct search_job *job,
                      struct search_slot *slot, uint64_t only)
{
    struct trawl_searcher *searcher = thread->searcher;
    enum text_taken taken;

    slot->state = SLOT_TAKEN;
    slot->piece.index = UINT64_MAX; /* not known until the cursor says */
    job->taken++;
    (void)pthread_mutex_unlock(&searcher->lock);
    search_fill(thread, job, slot, only, &taken);
    (void)pthread_mutex_lock(&searcher->lock);
    thread->took_part |= taken != TEXT_BUSY;
    if (taken == TEXT_TAKEN) {
        slot->state = SLOT_READY;
    } else {
        slot->state = SLOT_FREE;
        job->taken--;
        (void)pthread_cond_signal(&searcher->work);
    }
    if (taken == TEXT_END ||
        (taken == TEXT_TAKEN && (slot->piece.last || slot->status != TRAWL_OK)))
        job->ended = true;
    (void)pthread_cond_signal(&searcher->ready);
}

/* A helper's part in one job. Called and returns with the lock held. */
static void help(struct search_thread *thread, struct search_job *job)
{
    struct trawl_searcher *searcher = thread->searcher;
    enum trawl_status status;

    (void)pthread_mutex_unlock(&searcher->lock);
    if (job->many != NULL)
        search_many_help(thread, job->many);
    status = job->many != NULL ? TRAWL_STOPPED : search_lane_begin(thread, job->plan, NULL);
    (void)pthread_mutex_lock(&searcher->lock);
    while (status == TRAWL_OK && !job->ended && !job->stopping) {
        struct search_slot *slot = slot_find(searcher, SLOT_FREE, 0);

        if (slot == NULL)
            (void)pthread_cond_wait(&searcher->work, &searcher->lock);
        else
            work_once(thread, job, slot, TEXT_ANY_PIECE);
    }
}

static void *thread_main(void *argument)
{
    struct search_thread *thread = (struct search_thread *)argument;
    struct trawl_searcher *searcher = thread->searcher;
    uint64_t job_number = 0;

    (void)pthread_mutex_lock(&searcher->lock);
    while (!searcher->closing) {
        if (searcher->job == NULL || searcher->job_number == job_number) {
            (void)pthread_cond_wait(&searcher->work, &searcher->lock);
            continue;
        }
        job_number = searcher->job_number;
        searcher->threads_inside++;
        help(thread, searcher->job);
        searcher->threads_inside--;
        (void)pthread_cond_signal(&searcher->ready);
    }
    (void)pthread_mutex_unlock(&searcher->lock);
    return NULL;
}

void search_threads_start(struct trawl_searcher *searcher)
{
    while (searcher->thread_count < searcher->threads_capacity) {
        struct search_thread *thread = &searcher->threads[searcher->thread_count];

        thread->searcher = searcher;
        if (fault_hit(FAULT_THREAD) ||
            pthread_create(&thread->handle, NULL, thread_main, thread) != 0)
            return; /* the search goes on with the threads there are */
        searcher->thread_count++;
    }
}

void search_threads_rest(struct trawl_searcher *searcher)
{
    searcher->caller.took_part = false;
    for (uint32_t i = 0; i < searcher->thread_count; i++)
        searcher->threads[i].took_part = false;
}

void search_threads_end(struct trawl_searcher *searcher)
{
    (void)pthread_mutex_lock(&searcher->lock);
    searcher->closing = true;
    (void)pthread_cond_broadcast(&searcher->work);
    (void)pthread_mutex_unlock(&searcher->lock);
    for (uint32_t i = 0; i < searcher->thread_count; i++) {
        (void)pthread_join(searcher->threads[i].handle, NULL);
        search_lanes_close(&searcher->threads[i]);
    }
    searcher->thread_count = 0;
}

/* May the caller take a piece? Not while a stream's piece is in flight: reading the next might
 * wait long, and the ready one would wait with it. A helper may still come before the caller: so it
 * takes of a stream no piece but the next to be delivered. */
static bool caller_may_work(const struct search_job *job)
{
    if (job->ended || job->stopping)
        return false;
    return job->cursor.text->kind != TEXT_STREAM || job->taken == 0;
}

/* Deliver one ready slot. Called and returns with the lock held. */
static enum trawl_status deliver_once(struct trawl_searcher *searcher, struct search_job *job,
                                      struct search_slot *slot, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    bool go_on;

    (void)pthread_mutex_unlock(&searcher->lock);
    go_on = search_deliver(&searcher->caller, job, slot);
    (void)pthread_mutex_lock(&searcher->lock);
    if (!go_on) {
        job->stopping = true;
        status = slot->status == TRAWL_OK ? TRAWL_STOPPED : slot->status;
        if (slot->status != TRAWL_OK && error != NULL)
            *error = slot->error;
    }
    job->index_deliver++;
    slot->state = SLOT_FREE;
    job->taken--;
    (void)pthread_cond_signal(&searcher->work);
    return status;
}

void search_job_open(struct trawl_searcher *searcher, struct search_job *job)
{
    search_threads_start(searcher);
    searcher->job = job;
    searcher->job_number++;
    (void)pthread_cond_broadcast(&searcher->work);
}

void search_job_close(struct trawl_searcher *searcher)
{
    (void)pthread_cond_broadcast(&searcher->work);
    searcher->job = NULL;
    while (searcher->threads_inside > 0)
        (void)pthread_cond_wait(&searcher->ready, &searcher->lock);
}

/* The caller's loop: deliver what is next, else search, else wait. Lock held. */
static enum trawl_status run_loop(struct trawl_searcher *searcher, struct search_job *job,
                                  struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    while (!job->stopping && !(job->ended && job->taken == 0)) {
        struct search_slot *slot = slot_find(searcher, SLOT_READY, job->index_deliver);

        if (slot != NULL) {
            status = deliver_once(searcher, job, slot, error);
            continue;
        }
        slot = caller_may_work(job) ? slot_find(searcher, SLOT_FREE, 0) : NULL;
        if (slot == NULL) {
            (void)pthread_cond_wait(&searcher->ready, &searcher->lock);
            continue;
        }
        work_once(&searcher->caller, job, slot, job->index_deliver);
        if (!job->ended && searcher->job == NULL &&
            text_cursor_is_interruptible(&job->cursor)) /* more than one piece: call the helpers */
            search_job_open(searcher, job);
    }
    job->stopping = true;
    if (searcher->threads_inside > 0)
        text_cursor_interrupt(&job->cursor);
    search_job_close(searcher);
    return status;
}

/* A loaded text is counted in the largest pieces: nothing is copied, and each costs a launch. One
 * per device where hits are not needed; to wait for a launch per GiB would take longer than to
 * sample it. 0: it is not loaded. */
static uint64_t loaded_piece_bytes(const struct trawl_searcher *searcher,
                                   const struct trawl_plan *plan, const struct trawl_text *text,
                                   const struct sink *sink)
{
    const struct engine_ops *ops = search_ops(searcher, plan);
    struct engine *engine =
        plan_has_algorithm(plan) ? searcher->algorithm_engine : searcher->engine;
    uint32_t devices = 0;

    if (text->kind == TEXT_MEMORY && ops->holds != NULL &&
        (sink->wants == SINK_WANTS_COUNT || sink->wants == SINK_WANTS_FIRST))
        devices = ops->holds(engine, plan, text->bytes, text->bytes_count);
    if (devices == 0)
        return 0;
    /* What many literals count in more than a piece might not fit into a device's sum. */
    if (sink->wants == SINK_WANTS_COUNT && plan_counts_alone(plan) && plan->literal_count == 1)
        return max_u64(text->bytes_count / devices + 1, PIECE_BYTES_MAX);
    return PIECE_BYTES_MAX;
}

static uint64_t piece_bytes(const struct trawl_searcher *searcher, const struct trawl_plan *plan,
                            const struct trawl_text *text, const struct sink *sink)
{
    uint64_t bytes = text->kind == TEXT_MEMORY ? PIECE_BYTES_MEMORY : PIECE_BYTES_FILE;
    uint64_t loaded;

    if (searcher->chunk_bytes > 0)
        return min_u64(searcher->chunk_bytes, PIECE_BYTES_MAX);
    loaded = loaded_piece_bytes(searcher, plan, text, sink);
    if (loaded > 0)
        return loaded;
    if (searcher->properties.chunk_bytes > 0)
        bytes = searcher->properties.chunk_bytes;
    bytes = max_u64(
        bytes, min_u64(saturating_multiply(plan->need_after, PIECE_PER_NEED), PIECE_BYTES_LARGE));
    bytes = max_u64(bytes, saturating_multiply(plan->need_after, PIECE_PER_NEED_LARGE));
    return min_u64(bytes, PIECE_BYTES_MAX);
}

void search_stats_finish(struct trawl_searcher *searcher, struct search_job *job, uint64_t begin_ns)
{
    struct engine_properties *properties = &searcher->properties;
    struct trawl_stats *stats = &job->stats;

    stats->wall_ns = clock_now_ns() - begin_ns;
    searcher->ops->properties(searcher->engine, properties);
    stats->cpu_chunk_count = stats->chunk_count - stats->device_chunk_count;
    stats->thread_count = searcher->caller.took_part;
    for (uint32_t i = 0; i < searcher->thread_count; i++)
        stats->thread_count += searcher->threads[i].took_part;
    (void)snprintf(stats->engine, sizeof stats->engine, "%s",
                   stats->device_chunk_count == 0 ? properties->name
                   : stats->cpu_chunk_count == 0  ? "cuda"
                                                  : "cpu+cuda");
    (void)snprintf(stats->note, sizeof stats->note, "%s",
                   job->note != NULL ? job->note : properties->note);
    searcher->note = job->note;
    (void)snprintf(stats->instruction_set, sizeof stats->instruction_set, "%s",
                   properties->instruction_set);
    searcher->stats = *stats;
}

enum trawl_status search_begins_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct engine_begins *begins, struct trawl_error *error)
{
    uint64_t begin_ns = clock_now_ns();
    struct search_job job;

    memset(&job, 0, sizeof job);
    job.plan = plan;
    if (searcher->ops->begins == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED, "engine %s has no devices", searcher->ops->name);
    if (plan_has_algorithm(plan))
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "a device alone does not tell where this plan's occurrences begin");
    atomic_store(&searcher->progress, 0);
    TRAWL_TRY(search_lane_begin(&searcher->caller, plan, error));
    TRAWL_TRY(searcher->ops->begins(searcher->caller.lane, begins, error));
    (void)pthread_mutex_lock(&searcher->lock);
    search_threads_rest(searcher);
    (void)pthread_mutex_unlock(&searcher->lock);
    searcher->caller.took_part = true;
    atomic_store(&searcher->progress, begins->bytes_count);
    job.stats.text_bytes = begins->bytes_count;
    job.stats.chunk_count = job.stats.device_chunk_count = 1;
    job.stats.match_count = begins->count;
    job.stats.candidate_count = begins->candidate_count;
    search_stats_finish(searcher, &job, begin_ns);
    return TRAWL_OK;
}

enum trawl_status search_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, struct sink *sink, struct trawl_error *error)
{
    uint64_t begin_ns = clock_now_ns();
    struct text_need need = {plan->need_before, plan->need_after, 0,
                             plan->holds_line_end ? -1 : plan->line_end};
    struct search_job job;
    enum trawl_status status;

    TRAWL_TRY(search_engine_want(searcher, plan, error));
    need.piece_bytes = piece_bytes(searcher, plan, text, sink);
    memset(&job, 0, sizeof job);
    job.plan = plan;
    job.sink = sink;
    atomic_store(&searcher->progress, 0);
    TRAWL_TRY(search_lane_begin(&searcher->caller, plan, error));
    TRAWL_TRY(text_cursor_open(&job.cursor, text, &need, error));
    (void)pthread_mutex_lock(&searcher->lock);
    search_threads_rest(searcher);
    for (uint32_t i = 0; i < searcher->slot_count; i++)
        searcher->slots[i].state = SLOT_FREE;
    status = run_loop(searcher, &job, error);
    (void)pthread_mutex_unlock(&searcher->lock);
    text_cursor_close(&job.cursor);
    search_stats_finish(searcher, &job, begin_ns);
    return status;
}
