/* job: how a searcher's call begins and ends, and the loop of a search, in which the calling thread
 * delivers results and works until the next ones are ready. Used by search.c, batches.c and
 * matrix.c, and partly by begins.c and stream.c. task.c does the work on a chunk. */
#include "runtime/job.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/fault.h"
#include "plan/parts.h"
#include "runtime/device_threads.h"
#include "runtime/buffers.h"
#include "runtime/devices.h"
#include "runtime/pages.h"
#include "runtime/schedule.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/schedule.def"
#include "runtime/task.h"
#include "runtime/threads.h"
#include "runtime/workers.h"

#define WAIT_POLL_NS 50000000 /* interval between calls of the caller's `poll` during a wait */

/* ---- One call of a searcher at a time ----------------------------------------------------- */

enum trawl_status searcher_enter(struct trawl_searcher *searcher, struct trawl_error *error)
{
    int expected = ENGINE_CALL_NONE;

    if (atomic_compare_exchange_strong(&searcher->call.state, &expected, ENGINE_CALL_INSIDE)) {
        searcher->thread = pthread_self();
        return TRAWL_OK;
    }
    if (expected == ENGINE_CALL_UNWANTED &&
        atomic_compare_exchange_strong(&searcher->call.state, &expected, ENGINE_CALL_NONE))
        return TRAWL_STOPPED;
    return TRAWL_FAIL(error, BUSY, "the searcher is already inside a call");
}

void searcher_leave(struct trawl_searcher *searcher)
{
    searcher->is_pulled = searcher->is_orphan = false;
    atomic_store(&searcher->call.state, ENGINE_CALL_NONE);
    while (atomic_load(&searcher->cancelling) > 0)
        (void)sched_yield();
}

enum trawl_status searcher_check_process(const struct trawl_searcher *searcher,
                                         struct trawl_error *error)
{
    if (searcher->is_orphan)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "the search began before fork(), and cannot go on in the child");
    return TRAWL_OK;
}

bool searcher_is_cancelled(const struct trawl_searcher *searcher)
{
    return atomic_load(&searcher->call.state) == ENGINE_CALL_CANCELLED;
}

void searcher_record(struct trawl_searcher *searcher, struct call_record *done, uint64_t begin_ns)
{
    struct devices *devices = &searcher->runtime->devices;

    done->ended = true;
    method_changes_take(&searcher->changes, &searcher->last_changes);
    atomic_store_explicit(&searcher->brief.bytes_after, 0, memory_order_relaxed);
    if (begin_ns > 0)
        done->stats.wall_ns = clock_now_ns() - begin_ns;
    if (searcher->runtime->engine == TRAWL_ENGINE_AUTO && done->stats.note[0] == '\0' &&
        atomic_load(&devices->state) != DEVICES_NOT_ASKED)
        devices_failure(devices, done->stats.note, sizeof done->stats.note);
    memcpy(&searcher->last, done,
           offsetof(struct call_record, device) +
               (max_u64(done->kinds, 1) - 1) * sizeof done->device[0]);
}

void searcher_record_brief(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                           const struct engine_brief *found)
{
    uint32_t method = plan->kind != PLAN_KIND_STRINGS    ? TRAWL_METHOD_AUTO
                      : plan->method == TRAWL_METHOD_SET ? TRAWL_METHOD_BUCKETS
                                                         : TRAWL_METHOD_EVERY;

    atomic_store_explicit(&searcher->brief.count, found->is_first ? found->count > 0 : found->count,
                          memory_order_relaxed);
    atomic_store_explicit(&searcher->brief.candidates, found->candidates, memory_order_relaxed);
    atomic_store_explicit(&searcher->brief.method, method, memory_order_relaxed);
    atomic_store_explicit(&searcher->brief.bytes_after, found->to + 1, memory_order_relaxed);
    atomic_store_explicit(&searcher->progress, found->to, memory_order_relaxed);
}

enum trawl_status search_enter(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_text *text, struct trawl_error *error)
{
    if (searcher == NULL || plan == NULL || text == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL",
                          searcher == NULL ? "searcher"
                          : plan == NULL   ? "plan"
                                           : "text");
    if (plan->algorithm.for_records)
        return TRAWL_FAIL(error, ARGUMENT, "algorithm %s searches records: call trawl_ask_records",
                          plan->algorithm.name);
    return searcher_enter(searcher, error);
}

/* ---- Jobs --------------------------------------------------------------------------------- */

void job_begin(struct job *job, struct trawl_runtime *runtime, const struct trawl_plan *plan,
               void (*serve)(struct job *job, struct worker *worker))
{
    *job = (struct job){.runtime = runtime,
                        .number = atomic_fetch_add(&runtime->jobs_begun, 1) + 1,
                        .plan = plan,
                        .kind = kind_of(plan),
                        .serve = serve,
                        .has_work = true,
                        .left = PTHREAD_COND_INITIALIZER};
}

void job_end(struct job *job)
{
    if (atomic_load(&job->is_known))
        job_recall(job);
}

/* Takes and searches chunks until the search has no work for this worker. If no chunk can be taken
 * now, decompresses text for later ones. Called as job.serve(). */
static void serve(struct job *job, struct worker *worker)
{
    struct search *search = (struct search *)job;

    while (task_work(search, worker, TEXT_ANY_CHUNK) == TASK_DONE ||
           text_cursor_help(&search->cursor, NULL))
        ;
}

/* ---- Begin and end ------------------------------------------------------------------------ */

/* Returns an eventfd for threads that wait for a stream's bytes; a write to it ends the wait. It is
 * readable only if the call is already cancelled. Returns -1 if no descriptor could be made. */
static int wake_of(struct trawl_searcher *searcher)
{
    eventfd_t count;

    if (atomic_load(&searcher->wake) < 0 && !fault_hit())
        atomic_store(&searcher->wake, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (atomic_load(&searcher->wake) < 0)
        return -1;
    /* An earlier search may have left the descriptor readable, so read it. If the call was
     * cancelled before that, make it readable again. */
    (void)eventfd_read(atomic_load(&searcher->wake), &count);
    if (searcher_is_cancelled(searcher))
        (void)eventfd_write(atomic_load(&searcher->wake), 1);
    return atomic_load(&searcher->wake);
}

/* Gives back what schedule_files may have reserved. */
static void unreserve_unpacking(struct trawl_searcher *searcher)
{
    uint64_t bytes = searcher->unpack_bytes;

    searcher->unpack_bytes = 0;
    runtime_unreserve(searcher->runtime, bytes);
}

static void prepare(struct search *search, struct trawl_searcher *searcher,
                    const struct trawl_plan *plan, struct sink *sink)
{
    memset(search, 0, offsetof(struct search, lock));
    job_begin(&search->job, searcher->runtime, plan, serve);
    search->job.serve_item = task_on_device;
    search->searcher = searcher;
    search->sink = sink;
    sink->line_end = plan->line_end;
    sink->line_end_also = plan->line_end_also;
    atomic_store_explicit(&searcher->progress, 0, memory_order_relaxed);
}

/* Returns the end of the record that contains offset `at` (text_lines.record_end). Without records,
 * the whole text, which is in memory, counts as one line. */
static uint64_t record_end(void *context, uint64_t at)
{
    const struct search *search = (const struct search *)context;
    const struct records *records = search->sink->records;

    return records == NULL ? search->cursor.text->bytes_count
                           : records_begin(records, records_beyond(records, 0, at) + 1);
}

static enum trawl_status grow_buffer(void *context, struct text_buffer *buffer, uint64_t kept,
                                     uint64_t bytes, struct trawl_error *error)
{
    return runtime_buffer_grow(((struct search *)context)->job.runtime, buffer, kept, bytes, error);
}

/* Returns how many of a stream's bytes so far can be searched before more arrive
 * (text_need.decided). */
static uint64_t decided(const void *context, const uint8_t *bytes, uint64_t before, uint64_t have)
{
    return plan_decided((const struct trawl_plan *)context, bytes, before, have);
}

enum trawl_status search_begin(struct search *search, struct trawl_searcher *searcher,
                               const struct trawl_plan *plan, struct trawl_text *text,
                               struct sink *sink, struct trawl_error *error)
{
    struct text_need need = {.before = plan->need_before,
                             .after = plan->need_after,
                             .barrier = plan->holds_line_end ? -1 : plan->line_end,
                             .wake = -1,
                             .decided = decided,
                             .decided_context = plan};
    const bool is_line = (plan->flags & TRAWL_MULTILINE) != 0;
    enum trawl_status status = TRAWL_OK;

    if (is_line && text->kind != TEXT_MEMORY && sink->want != WANT_NOTHING)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "%s: expressions across lines are searched for in texts in memory",
                          text->name);
    prepare(search, searcher, plan, sink);
    search->begin_ns = clock_now_ns();
    TRAWL_TRY_DONE(schedule_choose(search, text, error));
    memset(&search->done, 0,
           search->for_devices ? sizeof search->done : offsetof(struct call_record, device));
    if (text->device_address != 0)
        TRAWL_TRY_DONE(schedule_fetch(search, text, error));
    if (search->host_searches)
        TRAWL_TRY_DONE(worker_ready(&searcher->caller, &search->job, false, error));
    search->tasks_max =
        search->schedule == SCHEDULE_LOADED ||
                (text->kind != TEXT_STREAM && sink->want == WANT_COUNT && plan_counts_alone(plan))
            ? searcher->task_count
            : searcher->tasks_few;
    searcher->tasks_touched = (uint32_t)max_u64(searcher->tasks_touched, search->tasks_max);
    need.chunk_bytes =
        search->schedule == SCHEDULE_HOST && text->kind == TEXT_STREAM
            ? search->chunk_host /* a stream never goes to a device with this schedule */
            : max_u64(search->chunk_host, search->chunk_device);
    if (search->job.kind->by_lines || plan->found != NULL) {
        search->lines =
            (struct text_lines){plan->line_end, plan->line_end_also, search,
                                sink->records != NULL || is_line ? record_end : NULL, grow_buffer};
        need.lines = &search->lines;
    }
    if (text->kind == TEXT_STREAM && !text->is_regular)
        need.wake = wake_of(searcher);
    schedule_files(search, text, &need);
    pages_choose(search, text, &need);
    TRAWL_TRY_DONE(text_cursor_open(&search->cursor, text, &need, error));
    search->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (text->kind == TEXT_STREAM)
        atomic_fetch_add(&searcher->runtime->streams, 1);
done:
    if (status != TRAWL_OK) {
        unreserve_unpacking(searcher);
        job_end(&search->job);
    }
    return status;
}

/* Records what the call did, for trawl_searcher_stats. */
static void record_search(struct search *search)
{
    const struct devices *devices = &search->job.runtime->devices;

    search->done.stats.thread_count = atomic_load(&search->job.took_part);
    search->done.kinds = 1;
    if (atomic_load(&devices->state) == DEVICES_READY) {
        search->done.kinds += devices->device_count;
        if (!search->for_devices)
            memset(search->done.device, 0, devices->device_count * sizeof search->done.device[0]);
    }
    searcher_record(search->searcher, &search->done, search->begin_ns);
    if (search->sink->want == WANT_FIRST || search->sink->stopped || search->fault != TRAWL_OK)
        return;
    search->searcher->last_found.serial = search->job.plan->serial;
    search->searcher->last_found.bytes = search->done.stats.text_bytes;
    search->searcher->last_found.hits = search->done.stats.match_count;
}

/* Waits until no other thread is inside the search. Chunks in the devices' queue are dropped. */
static void stop_others(struct search *search)
{
    struct devices *devices = &search->job.runtime->devices;

    if (!atomic_load(&search->job.is_known))
        return;
    (void)pthread_mutex_lock(&search->lock);
    search->stopping = true;
    (void)pthread_mutex_unlock(&search->lock);
    text_cursor_interrupt(&search->cursor);
    if (atomic_load(&devices->worker_count) > 0)
        devices_drop(devices, &search->job);
    job_recall(&search->job);
}

void search_end(struct search *search)
{
    struct trawl_searcher *searcher = search->searcher;

    if (searcher->is_orphan) /* in a child of fork(), no other thread can be inside */
        memset(&search->lock, 0, sizeof search->lock);
    else
        stop_others(search);
    for (uint32_t i = 0; i < search->tasks_used; i++)
        task_buffer_give(searcher->runtime, &searcher->tasks[i]);
    if (search->taken > 0) /* some tasks are ready, but will not be delivered */
        memset(searcher->ring, 0, searcher->task_count * sizeof(struct task *));
    schedule_remember(search);
    if (search->cursor.text->kind == TEXT_STREAM && !searcher->is_orphan)
        atomic_fetch_sub(&searcher->runtime->streams, 1);
    record_search(search);
    text_cursor_close(&search->cursor);
    unreserve_unpacking(searcher);
    (void)pthread_mutex_destroy(&search->lock);
}

/* ---- Parts in order ----------------------------------------------------------------------- */

/* Asks for more helpers, if they are worth waking. A stream gets helpers only if a thread's wait
 * for its bytes can be interrupted. The caller must hold no lock. */
static void share(struct search *search)
{
    const uint32_t helpers = schedule_helpers(search);

    if (helpers <= search->helpers || !text_cursor_is_interruptible(&search->cursor))
        return;
    search->shared = true;
    search->helpers = helpers;
    job_publish(&search->job, helpers);
}

/* Returns true if the caller may take a chunk. From a stream, it takes none while another chunk is
 * taken but not delivered: reading might be slow, and that chunk's results would wait for the
 * caller. Helpers may still take chunks. */
static bool caller_may_work(const struct search *search)
{
    if (search->ended || search->stopping)
        return false;
    /* While devices list hits, the caller only delivers them: if it searched, they would wait. */
    if (search->schedule == SCHEDULE_LOADED)
        return search->sink->want == WANT_COUNT || search->sink->want == WANT_FIRST;
    return search->cursor.text->kind != TEXT_STREAM || search->taken == 0;
}

/* Returns true if the caller should poll for the next task again instead of sleeping: waking it
 * would take 20 to 50 us, in which devices could search. *until_ns is 0 at the first call. Called
 * with the lock held, which it releases for a moment. */
static bool polls_again(struct search *search, uint64_t *until_ns)
{
    uint64_t now_ns = clock_now_ns();

    if (search->schedule != SCHEDULE_LOADED)
        return false;
    if (*until_ns == 0)
        *until_ns = now_ns + POLL_NS;
    if (now_ns > *until_ns)
        return false;
    search_unlock(search);
    (void)sched_yield();
    search_lock(search);
    return true;
}

/* Waits until another thread has finished a task or the call is cancelled; meanwhile decompresses
 * text ahead. Called with the lock held, which it releases while it waits. Other threads put
 * finished tasks into the ring under the lock, so none can arrive unnoticed between the caller's
 * last look at the ring and the store to `sleeps`. */
static void sleep_until_woken(struct search *search)
{
    struct trawl_searcher *searcher = search->searcher;
    bool unpacks = !search->ended && search->shared;

    TRAWL_ASSERT(atomic_load(&search->job.is_known));
    atomic_store(&searcher->sleeps, true);
    search_unlock(search);
    if (searcher_is_cancelled(searcher))
        searcher_wake(searcher); /* it may have been cancelled before the store to `sleeps` */
    while (unpacks && atomic_load(&searcher->sleeps))
        unpacks = text_cursor_help(&search->cursor, &searcher->sleeps);
    while (searcher->call.poll == NULL ? sem_wait(&searcher->woken) != 0
                                       : !clock_wait(&searcher->woken, WAIT_POLL_NS))
        (void)engine_call_is_over(&searcher->call);
    search_lock(search);
}

/* Lets the host search for the expressions whose matches a device should find. Returns false if
 * the host cannot read the text. */
static bool search_found(struct search *search)
{
    const struct trawl_plan *plan = search->job.plan = search->job.plan->found;

    search->job.kind = kind_of(plan);
    search->answers = search->sink->by_engine = false;
    search->cursor.need.before = plan->need_before;
    search->cursor.need.after = plan->need_after;
    return runtime_fetch(search->job.runtime, search->cursor.text, NULL) == TRAWL_OK;
}

/* Called when a device has left the task's chunk, the next in text order, to the host: from here
 * on, all host threads search the text. The chunk, which was cut for a device and may be the whole
 * text, is shortened to a host's. Later chunks are cut anew, even if devices have searched them. */
static void leave_devices(struct search *search, struct task *task)
{
    struct job *job = &search->job;

    if (search->schedule == SCHEDULE_LOADED) {
        stop_others(search);
        for (uint32_t i = 0; i < search->searcher->task_count; i++)
            if (search->searcher->ring[i] != NULL)
                task_forget(search, search->searcher->ring[i]);
        memset(search->searcher->ring, 0, search->searcher->task_count * sizeof(struct task *));
        search->free = NULL;
        for (uint32_t i = 0; i < search->tasks_used; i++) {
            struct task *other = &search->searcher->tasks[i];

            if (other == task)
                continue;
            other->next = search->free;
            search->free = other;
        }
        search->taken = 1;
        search->pending_hits = task->pending_hits;
        search->stopping = false;
        job->left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
        job->waits_for_leave = false;
    }
    atomic_store(&search->device_refused, true);
    search->schedule = SCHEDULE_HOST;
    search->host_searches = true;
    JOB_ADD(job, &search->done.host.threads, 1); /* the caller */
    if ((job->plan->found != NULL && !search_found(search)) ||
        search->cursor.text->kind != TEXT_MEMORY)
        return;
    atomic_store(&search->bytes_taken, task->chunk.begin);
    text_cursor_shorten(&search->cursor, &task->chunk,
                        task->from + schedule_chunk_bytes(search, false));
    atomic_store(&search->bytes_taken, search->cursor.begin_next);
    search->ended = task->chunk.last;
    atomic_store(&job->has_work, !search->ended);
}

/* If a device has left the task's chunk, the next in text order, to the host, searches it here. */
static void search_left(struct search *search, struct task *task)
{
    if (!task_is_left(task))
        return;
    if (schedule_cuts_left(search))
        leave_devices(search, task);
    task_search(search, task, &search->searcher->caller, false);
}

/* Works until the next task in text order is ready, and returns it. Returns NULL if no task is
 * left, or if the search is stopping or cancelled. */
static struct task *wait_next(struct search *search)
{
    struct worker *caller = &search->searcher->caller;
    struct task **entry = search_ring(search, search->index_deliver);
    enum task_taken worked = TASK_DONE;
    /* the first chunk's delivery may end the search, so do not call helpers before it */
    bool has_worked = search->index_deliver > 0 ||
                      (search->sink->want != WANT_FIRST && text_cursor_is_slow(&search->cursor));
    struct task *task = NULL;
    uint64_t until_ns = 0;

    search_lock(search);
    while (*entry == NULL) {
        if (search->stopping || (search->ended && search->taken == 0))
            break;
        if (searcher_is_cancelled(search->searcher))
            break;
        /* if all tasks are free, no thread is searching that could wake the caller */
        if ((worked == TASK_DONE || (search->taken == 0 && search->schedule != SCHEDULE_LOADED)) &&
            caller_may_work(search)) {
            uint64_t index = search->index_deliver;

            search_unlock(search);
            if (has_worked)
                share(search);
            worked = search->schedule == SCHEDULE_LOADED ? task_work_queued(search, caller)
                                                         : task_work(search, caller, index);
            has_worked |= worked == TASK_DONE;
            search_lock(search);
        } else if (!polls_again(search, &until_ns)) {
            sleep_until_woken(search);
            worked = TASK_DONE;
        }
    }
    if (!search->stopping) {
        task = *entry;
        *entry = NULL;
    }
    search_unlock(search);
    return task;
}

/* Returns true if the task's chunk belongs to the text. If a file shrinks during the search, the
 * text ends with the first chunk, possibly empty, whose read met the end of the file. Later chunks
 * do not count, even if other threads have read them before the file shrank, or after it grew
 * again. */
static bool is_part(struct search *search, struct task *task)
{
    if (search->last_delivered)
        return false;
    if (!task->chunk.beyond)
        return true;
    if (task->status != TRAWL_OK)
        return false;
    task->chunk.last = true;
    return true;
}

/* Returns the task's status; if that is a failure, copies the error. */
static enum trawl_status task_status(const struct task *task, struct trawl_error *error)
{
    if (task->status >= TRAWL_ARGUMENT && error != NULL)
        *error = task->error;
    return task->status;
}

/* Called after a part of the task search->current was delivered. If the chunk has a further part,
 * searches it and returns true. Otherwise ends the task, and sets *status to its status. */
static bool advance(struct search *search, struct trawl_error *error, enum trawl_status *status)
{
    _Atomic uint64_t *progress = &search->searcher->progress;
    struct task *task = search->current;

    *status = TRAWL_OK;
    if (task == NULL)
        return false;
    TRAWL_ASSERT(task->chunk.index == search->index_deliver);
    TRAWL_ASSERT(task->from <= task->result.done && task->result.done <= task->chunk.owned);
    if (!task->chunk.beyond || task->chunk.last)
        atomic_store_explicit(progress, *progress + task->result.done - task->from,
                              memory_order_relaxed); /* only the caller writes *progress */
    task->from = task->result.done;
    /* even a chunk that ends in a read error is searched to its end */
    if (task->from < task->chunk.owned &&
        (task->status == TRAWL_OK || task->status == TRAWL_READ)) {
        if (!task->result.is_left) /* else a device has left the rest to the host */
            task_search(search, task, &search->searcher->caller,
                        !search->host_searches && !atomic_load(&search->device_refused));
        search_left(search, task);
        return true;
    }
    *status = task_status(task, error);
    search->current = NULL;
    task_delivered(search, task);
    return false;
}

/* Fills *view with the task's current part, and adds it to the call's statistics. */
static void view_counted(struct search *search, const struct task *task, struct sink_chunk *view)
{
    task_view(search->sink, task, view);
    search->done.stats.match_count += view->count;
    search->done.stats.text_bytes += view->owned;
    search->done.stats.candidate_count += task->result.candidate_count;
    if (search->undecided_count == 0)
        search->undecided_at = task->result.undecided_at;
    search->undecided_count += task->result.undecided_count;
    if (task->result.on_device && search->job.kind->is_apart)
        algorithm_work_add(&search->done.algorithm, &task->result.work);
}

enum trawl_status search_decided(const struct search *search, struct trawl_error *error)
{
    return search->undecided_count == 0
               ? TRAWL_OK
               : engines_undecided(search->undecided_at, search->undecided_count, error);
}

enum trawl_status search_step(struct search *search, struct sink_chunk *view, bool *more,
                              struct trawl_error *error)
{
    enum trawl_status status;
    struct task *task;

    *more = false;
    if (engine_call_is_over(&search->searcher->call))
        return TRAWL_STOPPED;
    TRAWL_TRY(searcher_check_process(search->searcher, error));
    while (!advance(search, error, &status)) {
        if (status != TRAWL_OK)
            return status;
        if (search->schedule == SCHEDULE_LOADED)
            resident_queue(search);
        task = wait_next(search);
        if (task == NULL)
            break;
        search->current = task;
        if (!is_part(search, task)) {
            task->from = task->result.done = task->chunk.owned;
            continue;
        }
        search_left(search, task);
        search->done.stats.chunk_count += !task->chunk.is_skipped;
        search->done.stats.device_chunk_count += task->result.on_device;
        break;
    }
    if (search->current != NULL) {
        view_counted(search, search->current, view);
        search->last_delivered |= view->last;
        *more = true;
        return TRAWL_OK;
    }
    if (searcher_is_cancelled(search->searcher))
        return TRAWL_STOPPED;
    if (search->fault != TRAWL_OK && error != NULL)
        *error = search->fault_error;
    return search->fault != TRAWL_OK ? search->fault : search_decided(search, error);
}

/* Checks that the bytes of a mapped chunk were still the file's when the sink read them: the file
 * may have been truncated since the chunk was searched. */
static enum trawl_status still_whole(const struct search *search, struct trawl_error *error)
{
    const struct text_chunk *chunk = &search->current->chunk;
    enum trawl_status status;

    if (text_cursor_is_whole(&search->cursor, chunk))
        return TRAWL_OK;
    status = TRAWL_FAIL(error, READ, "%s: the file became shorter while it was searched",
                        search->cursor.text->name);
    if (error != NULL)
        error->text_offset = chunk->begin;
    return status;
}

static void brief_begin(struct search *search, struct trawl_searcher *searcher,
                        const struct trawl_plan *plan, struct trawl_text *text, struct sink *sink)
{
    prepare(search, searcher, plan, sink);
    search->job.is_brief = true;
    search->job.took_part = 1;
    search->cursor.text = text;
    memset(&search->done, 0, offsetof(struct call_record, device));
    search->done.host.threads = 1;
    searcher->tasks_touched = (uint32_t)max_u64(searcher->tasks_touched, 1);
}

/* Searches a short part of the text as one chunk, in the calling thread and without reading the
 * clock. Returns false if that fails, or if the sink wants no more. */
static bool search_brief_part(struct search *search, uint64_t begin, uint64_t end, bool last)
{
    struct task *task = &search->searcher->tasks[0];
    struct sink_chunk view;
    bool more;

    search->done.stats.chunk_count++;
    task_set_text(task, search->cursor.text, begin, end, last);
    do {
        task_search(search, task, &search->searcher->caller, false);
        view_counted(search, task, &view);
        more = task_deliver(search->job.plan, search->sink, task, &view);
        task->from = task->result.done;
    } while (more && task->status == TRAWL_OK && task->from < task->chunk.owned);
    search->sink->stopped = !more;
    return more && task->status == TRAWL_OK;
}

static enum trawl_status brief_end(struct search *search, uint64_t searched,
                                   struct trawl_error *error)
{
    const struct task *task = &search->searcher->tasks[0];

    atomic_store_explicit(&search->searcher->progress, searched, memory_order_relaxed);
    record_search(search);
    if (task->status != TRAWL_OK)
        return task_status(task, error);
    return search->sink->stopped || searcher_is_cancelled(search->searcher)
               ? TRAWL_STOPPED
               : search_decided(search, error);
}

enum trawl_status search_run_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   struct trawl_text *text, const uint64_t *places, uint64_t count,
                                   struct sink *sink, struct trawl_error *error)
{
    const uint8_t *bytes = text->bytes;
    struct search search;
    uint64_t end = 0;

    brief_begin(&search, searcher, plan, text, sink);
    search.for_devices = true; /* the search that found the places belongs to this call */
    memcpy(&search.done, &searcher->last, sizeof search.done);
    search.done.host.threads = 1;
    search.begin_ns = clock_now_ns() - search.done.stats.wall_ns;
    search.done.stats.match_count = 0;
    for (uint64_t i = 0; i < count && !engine_call_is_over(&searcher->call); i++) {
        uint64_t begin = places[i];

        if (begin < end) /* still in the line that was searched last */
            continue;
        while (begin > end && bytes[begin - 1] != plan->line_end &&
               bytes[begin - 1] != plan->line_end_also)
            begin--;
        end = places[i] + bytes_find_either(bytes + places[i], text->bytes_count - places[i],
                                            plan->line_end, plan->line_end_also);
        end += end < text->bytes_count;
        if (!search_brief_part(&search, begin, end, end == text->bytes_count))
            break;
    }
    return brief_end(&search, text->bytes_count, error);
}

/* Searches a short text without a job, a worker or a clock, and delivers the results. Returns false
 * if an ordinary search is needed: of regular expressions, for example, or of the lines with many
 * strings, where a worker skips what follows a line's first occurrence. */
static bool run_at_once(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                        const struct trawl_text *text, struct sink *sink, enum trawl_status *status,
                        struct trawl_error *error)
{
    struct task *task = &searcher->tasks[0];
    struct engine_result *result = &task->result;
    struct engine_brief found = {.to = text->bytes_count};
    struct sink_chunk view;

    if (sink->by_engine || sink->want == WANT_FIRST || plan->kind != PLAN_KIND_STRINGS ||
        (sink->want == WANT_LINES && plan->literal_count > PLAN_ALONE_MAX))
        return false;
    searcher->tasks_touched = (uint32_t)max_u64(searcher->tasks_touched, 1);
    task_set_text(task, text, 0, text->bytes_count, true);
    found.hits = sink->want == WANT_COUNT ? NULL : &result->hits;
    if (sink->want != WANT_NOTHING &&
        !schedule_brief(searcher, plan, task->chunk.bytes, found.to, &found))
        return false;
    result->count = found.count;
    result->done = found.to;
    sink->line_end = plan->line_end;
    sink->line_end_also = plan->line_end_also;
    *status = sink->as_matches ? task_make_matches(plan, sink, task, false, error) : TRAWL_OK;
    task_view(sink, task, &view);
    if (*status == TRAWL_OK && sink->digest != NULL)
        *status = sink->digest(sink, &view, &task->digest, error);
    atomic_store_explicit(&searcher->progress, 0, memory_order_relaxed);
    if (*status == TRAWL_OK) {
        sink->stopped = !task_deliver(plan, sink, task, &view);
        if (sink->stopped || searcher_is_cancelled(searcher))
            *status = TRAWL_STOPPED;
    }
    searcher_record_brief(searcher, plan, &found);
    return true;
}

enum trawl_status search_run(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             struct trawl_text *text, struct sink *sink, struct trawl_error *error)
{
    struct search search;
    struct sink_chunk view = {.begin = 0};
    enum trawl_status status;
    bool more = true;

    if (schedule_is_brief(searcher, text)) {
        if (run_at_once(searcher, plan, text, sink, &status, error))
            return status;
        brief_begin(&search, searcher, plan, text, sink);
        (void)search_brief_part(&search, 0, text->bytes_count, true);
        return brief_end(&search, searcher->tasks[0].from, error);
    }
    TRAWL_TRY(search_begin(&search, searcher, plan, text, sink, error));
    for (;;) {
        status = search_step(&search, &view, &more, error);
        if (status != TRAWL_OK || !more)
            break;
        more = task_deliver(plan, sink, search.current, &view);
        if (search.current->chunk.is_mapped && sink->keeps_text)
            status = still_whole(&search, error);
        if (status != TRAWL_OK)
            break;
        if (!more) {
            sink->stopped = true;
            /* a read error comes after what the sink wanted */
            status = search.current->status == TRAWL_OK || search.current->status == TRAWL_READ
                         ? TRAWL_STOPPED
                         : task_status(search.current, error);
            break;
        }
    }
    search_end(&search);
    return status;
}
