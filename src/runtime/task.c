/* task: takes a text's next chunk, prepares it, and searches it
 *
 * A chunk of a loaded text is queued for the workers of the device that has it. It ends at the
 * latest with that device's part of the text, or with the last whole line there. One device may get
 * ahead of the others as long as the search has free tasks (a task is a chunk with its results).
 */
#include "runtime/task.h"

#include <string.h>
#include <time.h>

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/buffers.h"
#include "runtime/device_threads.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/schedule.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/threads.h"
#include "runtime/workers.h"

#define ROOM_WAIT_NS 1000000 /* length of a wait for memory that other searches use */
#define ROOM_WAITS_MAX \
    1000u /* maximum number of such waits in a search before a chunk gets memory */

/* if more hits wait for delivery, no device may get far ahead of the others */
#define PENDING_HITS_MAX (1u << 24)
/* if more hits wait for delivery, no further ones become matches before it */
#define CONVERTED_HITS_MAX (1u << 22)
/* If hits decide the lengths of chunks, and one device has the text: maximum number of chunks per
 * worker that are cut in advance. Once cut, a chunk cannot be adapted to the hits. */
#define UNREAD_PER_WORKER 2u

/* ---- Free and taken ----------------------------------------------------------------------- */

/* Returns the counters of the host workers, or of the workers of this worker's device. */
static struct work_done *work_of(struct search *search, const struct worker *worker, bool on_device)
{
    uint32_t device = worker->device_index < ENGINE_DEVICES_MAX ? worker->device_index : 0;

    return on_device ? &search->done.device[device] : &search->done.host;
}

static void begin(struct search *search, struct task *task)
{
    task->item = (struct queue_item){.job = &search->job, .device = ENGINE_DEVICES_MAX};
    task->from = 0;
    task->status = TRAWL_OK;
    task->pending_hits = 0;
    task->counted = NULL;
    task->staged_from = NULL;
    task->buffer_is_pinned = false;
}

/* Takes a free task. Returns NULL if there is none, or if no more chunks are to be taken. The
 * caller holds the search's lock. */
static struct task *task_take(struct search *search)
{
    struct task *task = search->free;

    TRAWL_ASSERT(search->tasks_used <= search->tasks_max &&
                 search->tasks_max <= search->searcher->task_count);
    if (search->ended || search->stopping ||
        (task == NULL && search->tasks_used == search->tasks_max)) {
        atomic_store(&search->job.has_work, false);
        return NULL;
    }
    if (task != NULL)
        search->free = task->next;
    else
        task = &search->searcher->tasks[search->tasks_used++];
    search->taken++;
    TRAWL_ASSERT(search->taken <= search->tasks_used);
    begin(search, task);
    return task;
}

/* Frees a task without a chunk. `ends`: the text has no further chunk; `paused`: the worker stops
 * for another reason than a lack of tasks. */
static void task_put_back(struct search *search, struct task *task, bool ends, bool paused)
{
    search_lock(search);
    task->next = search->free;
    search->free = task;
    TRAWL_ASSERT(search->taken > 0);
    search->taken--;
    search->ended |= ends;
    if (ends || paused)
        atomic_store(&search->job.has_work, false);
    search_unlock(search);
    searcher_wake(search->searcher);
}

void task_buffer_give(struct trawl_runtime *runtime, struct task *task)
{
    if (task->chunk.lent != NULL)
        atomic_fetch_sub(task->chunk.lent, 1);
    task->chunk.lent = NULL;
    if (task->buffer_is_pinned)
        devices_buffer_give(&runtime->devices, &task->buffer);
    else if (runtime->memory_max > 0) /* an idle buffer would take memory from other searches */
        runtime_buffer_release(runtime, &task->buffer);
    task->buffer_is_pinned = false;
}

/* ---- Searching ---------------------------------------------------------------------------- */

/* Counts on the host, in a part of a chunk that was cut for a device and is too long to be counted
 * in one go. */
static enum trawl_status host_scan(const struct worker *worker, const struct engine_chunk *chunk,
                                   uint64_t from, enum want want, struct engine_result *result,
                                   struct trawl_error *error)
{
    uint64_t left = chunk->owned - from, owned = min_u64(left, resident_sizes.host / 4 + 1);
    struct engine_chunk part = *chunk;

    TRAWL_ASSERT(from < chunk->owned);
    part.bytes += from;
    part.begin += from;
    part.owned = owned;
    part.before += from;
    part.after += left - owned;
    part.readable += left - owned;
    TRAWL_ASSERT(part.owned + part.after == left + chunk->after);

    TRAWL_TRY(engine_scan(engine_for_host, worker->prepared[PLAN_KIND_STRINGS][0].worker, &part, 0,
                          want, result, error));
    TRAWL_ASSERT(result->done <= owned);
    result->done += from;
    return TRAWL_OK;
}

bool task_is_left(const struct task *task)
{
    return task->result.is_left && task->result.done == task->from;
}

/* Asks the devices' engine for the answer that the sink wants. Returns UNSUPPORTED if the engine
 * cannot compute it; the chunk must then be searched for hits. */
static enum trawl_status scan_for_answer(struct search *search, struct task *task,
                                         struct worker *worker, const struct engine_chunk *chunk,
                                         struct trawl_error *error)
{
    const struct sink *sink = search->sink;
    struct hits_answer answer = {.form = sink->form,
                                 .hits_max = sink->hits_max,
                                 .counts_ends = sink->lines.invert,
                                 .records = sink->record_answer};
    /* the host cannot help with records, which may be in device memory only */
    struct engine_chunk own = *chunk;
    struct engine_task asked = {.chunk = &own,
                                .from = task->from,
                                .want = WANT_HITS,
                                .output = ENGINE_OUTPUT_ANSWER,
                                .result = &task->result,
                                .answer = &answer};

    own.may_be_left &= !sink->by_engine;
    engine_result_begin(&task->result, task->from, false);
    TRAWL_TRY(
        engine_for_devices->submit(worker->prepared[PLAN_KIND_STRINGS][1].worker, &asked, error));
    TRAWL_ASSERT(task->result.done == chunk->owned);
    if (sink->as_matches && task->result.count > task->result.hits.count)
        return TRAWL_FAIL(error, UNSUPPORTED, "too many matches for one list");
    if (sink->as_matches)
        TRAWL_TRY(task_make_matches(search->job.plan, sink, task, false, error));
    if (sink->answered != NULL)
        TRAWL_TRY(sink->answered(sink, &answer, &task->digest, error));
    task->is_answered = true;
    return TRAWL_OK;
}

/* Returns true if the worker should turn hits into matches, because the caller can hardly keep up
 * with devices: it converts a hit in 0.9 ns, and reads a match that another core has written in 0.4
 * [AMD EPYC]. Not if many hits wait for it, since a match takes three times the memory. */
static bool converts_at_once(struct search *search)
{
    uint64_t pending;

    if (search->schedule != SCHEDULE_LOADED)
        return false;
    search_lock(search);
    pending = search->pending_hits;
    search_unlock(search);
    return pending < CONVERTED_HITS_MAX;
}

/* Searches the task's chunk, starting at task->from, and turns hits into matches. What a device
 * leaves is then searched on the host, unless all threads will share it (schedule_cuts_left). */
static enum trawl_status scan(struct search *search, struct task *task, struct worker *worker,
                              bool on_device, struct trawl_error *error)
{
    const struct text_chunk *chunk = &task->chunk;
    const struct sink *sink = search->sink;
    struct engine_chunk scanned = {.bytes = chunk->bytes,
                                   .begin = chunk->begin,
                                   .owned = chunk->owned,
                                   .before = chunk->before,
                                   .after = chunk->after,
                                   .readable = chunk->readable,
                                   .firsts = (sink->window_flags & TRAWL_FIRSTS) != 0,
                                   .spans_known = sink->want == WANT_SPANS &&
                                                  worker == &search->searcher->caller &&
                                                  chunk->index == search->index_deliver,
                                   .spans = sink->spans,
                                   .pinned = task->buffer_is_pinned,
                                   .may_be_left = !search->job.kind->is_apart,
                                   .threads_left = search->job.runtime->threads_max,
                                   .records = sink->records,
                                   .call = &search->searcher->call,
                                   .search = search->job.number,
                                   .kept = chunk->kept};
    const struct engine_ops *engine;
    struct engine_worker *engine_worker;

    if (scanned.spans_known) /* else the caller's thread may be writing the sink's spans_end */
        scanned.spans_end = sink->spans_end - min_u64(sink->spans_end, chunk->begin);
    task->match_count = 0;
    task->is_answered = false;
    if (sink->want == WANT_NOTHING || search->job.plan->literal_count == 0 ||
        task->from == chunk->owned || chunk->is_skipped) {
        task->result.done = chunk->owned;
        return TRAWL_OK;
    }
    if ((!on_device || search->job.kind->judges) && search->cursor.text->device_address != 0)
        TRAWL_TRY(runtime_fetch(search->job.runtime, search->cursor.text, error));
    if (on_device && search->answers && task->from == 0) {
        enum trawl_status status = scan_for_answer(search, task, worker, &scanned, error);

        if (status != TRAWL_UNSUPPORTED || sink->by_engine)
            return status;
        if (search->cursor.text->device_address != 0) /* the host answers from the hits */
            TRAWL_TRY(runtime_fetch(search->job.runtime, search->cursor.text, error));
    }
    if (sink->by_engine) /* no device has the text any more */
        return TRAWL_FAIL(error, UNSUPPORTED, "no device has the text");
    engine = worker_engine(worker, &search->job, on_device, &engine_worker);
    if (scanned.owned >= UINT32_MAX && search->job.kind->by_lines)
        return TRAWL_FAIL(error, LIMIT,
                          "a line has 4 GiB or more, too much for regular expressions");
    if (!on_device && scanned.owned > resident_sizes.host && sink->want == WANT_COUNT &&
        plan_counts_alone(search->job.plan))
        TRAWL_TRY(host_scan(worker, &scanned, task->from, sink->want, &task->result, error));
    else
        TRAWL_TRY(engine_scan(engine, engine_worker, &scanned, task->from, sink->want,
                              &task->result, error));
    if (task_is_left(task)) {
        if (schedule_cuts_left(search))
            return TRAWL_OK;
        if (search->schedule == SCHEDULE_STAGED)
            atomic_store(&search->device_refused, true);
        TRAWL_TRY(worker_ready(worker, &search->job, false, error));
        return scan(search, task, worker, false, error);
    }
    TRAWL_ASSERT(task->result.done > task->from && task->result.done <= chunk->owned);
    if (sink->as_matches)
        return task_make_matches(search->job.plan, sink, task, converts_at_once(search), error);
    return TRAWL_OK;
}

static void drop_part(struct task *task)
{
    engine_result_begin(&task->result, task->from, false);
    task->match_count = 0;
}

/* Adds the search of a part to the counters of the workers that did it. */
static void count_work(struct search *search, struct task *task, struct work_done *done,
                       enum trawl_status status)
{
    uint64_t searched =
        status == TRAWL_OK && !task->chunk.is_skipped ? task->result.done - task->from : 0;

    task->counted = done;
    JOB_ADD(&search->job, &done->chunks, 1);
    JOB_ADD(&search->job, &done->bytes, searched);
    JOB_ADD(&search->job, &done->method_bytes[task->result.method], searched);
}

/* Handles a failed search on a device. Usually marks the device as lost; if devices cannot search
 * for the plan, gives them no more chunks instead. Returns true if another device should try.
 * Otherwise, the CPU has searched the task, or *status says why not. */
static bool recover(struct search *search, struct task *task, struct worker *worker,
                    enum trawl_status *status, struct trawl_error *error)
{
    struct devices *devices = &search->job.runtime->devices;
    bool lost = *status != TRAWL_UNSUPPORTED && worker->device_index < ENGINE_DEVICES_MAX;

    /* cancelled, or the device lacks what the algorithm's kernels need */
    if (search->job.kind->is_apart || *status == TRAWL_STOPPED)
        return false;
    if (*status == TRAWL_MEMORY &&
        !search->host_searches) /* the device is fine: the next search may get memory */
        return false;
    if (lost)
        devices_lose(devices, worker->device_index, error->message);
    if (search->sink->by_engine)
        return false;
    if (!lost)
        atomic_store(&search->device_refused, true);
    if (!search->host_searches)
        return lost && *status == TRAWL_DEVICE && devices_are_usable(devices);
    *status = worker_ready(worker, &search->job, false, error);
    if (*status == TRAWL_OK)
        *status = scan(search, task, worker, false, error);
    count_work(search, task, &search->done.host, *status);
    return false;
}

static void fail_part(struct task *task, enum trawl_status status, const struct trawl_error *error)
{
    drop_part(task);
    task->is_answered = false;
    if (task->status != TRAWL_OK &&
        task->status != TRAWL_READ) /* a read error comes after all parts */
        return;
    task->status = status;
    task->error = *error;
}

/* Makes the current part's digest: what the sink computes from its hits before the delivery. A part
 * that failed gets an empty digest, so that an earlier one is not delivered again. */
static void digest_part(struct search *search, struct task *task)
{
    const struct sink *sink = search->sink;
    enum trawl_status status;
    struct trawl_error error;
    struct sink_chunk view;

    if (sink->digest == NULL || task->is_answered)
        return;
    task_view(sink, task, &view);
    status = sink->digest(sink, &view, &task->digest, &error);
    if (status == TRAWL_OK)
        return;
    fail_part(task, status, &error);
    task_view(sink, task, &view);
    /* cannot fail: the digest of a part without hits needs no memory */
    (void)sink->digest(sink, &view, &task->digest, &error);
}

/* Returns true if the host may search for the expressions whose matches a device should find. */
static bool may_search_found(const struct search *search)
{
    const struct trawl_text *text = search->cursor.text;

    return search->job.plan->found != NULL && search->sink->record_answer == NULL &&
           !(text_is_hidden(text) && text->stays);
}

void task_search(struct search *search, struct task *task, struct worker *worker, bool on_device)
{
    uint64_t begin_ns = search->job.is_brief ? 0 : clock_now_ns();
    struct trawl_error error;
    enum trawl_status status;

    do {
        struct work_done *done = work_of(search, worker, on_device);

        TRAWL_ASSERT(task->from <= task->chunk.owned);
        engine_result_begin(&task->result, task->from, false);
        status = task->chunk.is_skipped ? TRAWL_OK
                                        : worker_ready(worker, &search->job, on_device, &error);
        if (status == TRAWL_OK)
            status = scan(search, task, worker, on_device, &error);
        if (status == TRAWL_OK && task_is_left(task))
            return;
        count_work(search, task, done, status);
        if (!search->job.is_brief)
            JOB_ADD(&search->job, &done->search_ns, clock_now_ns() - begin_ns);
    } while (status != TRAWL_OK && on_device && recover(search, task, worker, &status, &error));
    if (status != TRAWL_OK && status != TRAWL_STOPPED && on_device && may_search_found(search)) {
        engine_result_begin(&task->result, task->from, false);
        task_forget(search, task);
        task->result.is_left = true;
        return;
    }
    if (status != TRAWL_OK)
        fail_part(task, status, &error);
    if (!on_device)
        JOB_ADD(&search->job, &search->hits, task->result.hits.count);
    digest_part(search, task);
}

/* ---- Chunks of a loaded text -------------------------------------------------------------- */

static bool may_cut(const struct search *search)
{
    uint32_t workers = search->job.runtime->devices.workers_worth;
    uint32_t ahead =
        search->pending_hits < PENDING_HITS_MAX ? search->tasks_max : search->searcher->tasks_few;
    uint64_t unread_max = UINT64_MAX;

    if (search->chunk_max > 0 && !search->rate_known)
        unread_max = workers;
    else if (search->chunk_max > 0 && !search->is_split)
        unread_max = UNREAD_PER_WORKER * workers;
    return !search->ended && !search->stopping && search->unread < unread_max &&
           search->cursor.index_next - search->index_deliver < ahead;
}

/* Cuts the next chunk, and puts it into a free task. Returns NULL if no chunk may be cut now, or if
 * no task is free. The caller holds the search's lock. */
static struct task *resident_next(struct search *search)
{
    const struct trawl_text *text = search->cursor.text;
    struct task *task = may_cut(search) ? task_take(search) : NULL;
    uint64_t begin = search->cursor.begin_next, left = text->bytes_count - begin;
    struct engine_text *part = &search->part;
    enum trawl_status status;
    enum text_taken taken;

    if (task == NULL)
        return NULL;
    TRAWL_ASSERT(left > 0 && left <= text->bytes_count && search->chunk_device > 0);
    if (part->reach == 0 && !devices_locate(&search->job.runtime->devices, search->job.plan,
                                            text->bytes + begin, left, part))
        *part = (struct engine_text){.device = ENGINE_DEVICES_MAX, .reach = left}; /* any device */
    status = text_cursor_next(&search->cursor, TEXT_ANY_CHUNK,
                              min_u64(search->chunk_device, part->reach), false, &task->buffer,
                              &task->chunk, &taken, NULL);
    TRAWL_ASSERT(status == TRAWL_OK && taken == TEXT_TAKEN);
    (void)status; /* a text in memory cannot fail */
    task->item.device = part->device;
    task->item.is_loaded = true;
    /* a chunk of whole lines may end after this device's part */
    part->reach -= min_u64(part->reach, task->chunk.owned);
    search->ended = task->chunk.last;
    search->unread++;
    JOB_ADD(&search->job, &search->bytes_taken, task->chunk.owned);
    return task;
}

void resident_queue(struct search *search)
{
    struct queue_item *first = NULL, **link = &first;
    struct task *task;

    search_lock(search);
    while ((task = resident_next(search)) != NULL) {
        *link = &task->item;
        link = &task->item.next;
    }
    *link = NULL;
    search_unlock(search);
    if (first != NULL)
        devices_push(&search->job.runtime->devices, first);
}

/* Adapts the length of later chunks to the hits in this one. The caller holds the search's lock. */
static void resident_learn(struct search *search, const struct task *task)
{
    uint64_t bytes = task->result.done - task->from, hits = task->result.hits.count, wanted;

    TRAWL_ASSERT(search->unread > 0);
    search->unread--;
    if (search->chunk_max == 0 || bytes == 0 || task->status != TRAWL_OK)
        return;
    wanted = hits == 0 ? search->chunk_max : saturating_multiply(bytes, resident_sizes.hits) / hits;
    wanted = min_u64(max_u64(wanted, resident_sizes.min), search->chunk_max);
    if (wanted > 2 * search->chunk_device || wanted < search->chunk_device / 2)
        search->chunk_device = wanted;
    search->rate_known = true;
}

/* ---- Taking ------------------------------------------------------------------------------- */

/* Puts the finished task into the ring, and wakes the caller. If the text is not needed again, the
 * worker may take the buffer back. */
static void put_into_ring(struct search *search, struct task *task, struct worker *worker)
{
    struct trawl_runtime *runtime = search->job.runtime;
    bool done = task->result.done == task->chunk.owned || task->status != TRAWL_OK, more = false;

    if (task->staged_from != NULL) {
        task->chunk.bytes = task->staged_from;
        task->staged_from = NULL;
        task_buffer_give(runtime, task);
    } else if (done && !search->sink->keeps_text) {
        task_buffer_give(runtime, task);
        if (worker->buffer.capacity == 0) {
            worker->buffer = task->buffer;
            memset(&task->buffer, 0, sizeof task->buffer);
        }
    }
    TRAWL_ASSERT(task->from <= task->result.done && task->result.done <= task->chunk.owned);
    search_lock(search);
    /* but not for a loaded text, whose chunks finish in any order: earlier ones may still be
     * queued */
    search->ended |=
        search->schedule != SCHEDULE_LOADED && (task->chunk.last || task->status != TRAWL_OK);
    /* the ring's entry is free: no chunk is taken task_count or more ahead of the delivery */
    TRAWL_ASSERT(task->chunk.index >= search->index_deliver &&
                 task->chunk.index - search->index_deliver < search->searcher->task_count);
    TRAWL_ASSERT(*search_ring(search, task->chunk.index) == NULL);
    *search_ring(search, task->chunk.index) = task;
    task->pending_hits = task->result.hits.count;
    search->pending_hits += task->pending_hits;
    if (search->schedule == SCHEDULE_LOADED) {
        resident_learn(search, task);
        more = !search->ended && search->chunk_max > 0;
    }
    search_unlock(search);
    searcher_wake(search->searcher);
    if (more)
        resident_queue(search);
}

void task_delivered(struct search *search, struct task *task)
{
    bool wake;

    task_buffer_give(search->job.runtime, task);
    search_lock(search);
    TRAWL_ASSERT(task->chunk.index == search->index_deliver);
    search->index_deliver++;
    task->next = search->free;
    search->free = task;
    TRAWL_ASSERT(search->taken > 0 && search->pending_hits >= task->pending_hits);
    TRAWL_ASSERT(search->taken <= search->tasks_used);
    search->taken--;
    search->pending_hits -= task->pending_hits;
    wake = !search->ended && !search->stopping && !atomic_load(&search->job.has_work);
    search_unlock(search);
    if (search->schedule == SCHEDULE_LOADED)
        resident_queue(search);
    else if (wake)
        job_wake(&search->job);
}

/* ---- Making ready ------------------------------------------------------------------------- */

/* Takes a pinned buffer for the chunk. Usually only some of the buffers may be used, so that
 * threads are left to search. All may be used if the text must be read, and either the host does
 * not search it, so that more threads should read, or the sink needs the text, so that buffers stay
 * in use until the delivery. */
static bool room_for_device(struct search *search, struct task *task, uint64_t bytes)
{
    bool all = search->cursor.text->kind != TEXT_MEMORY &&
               (!search->host_searches || search->sink->keeps_text);
    struct text_buffer buffer;

    if (!devices_buffer_take(&search->job.runtime->devices,
                             text_cursor_needs(&search->cursor, bytes), all, &buffer))
        return false;
    runtime_buffer_release(search->job.runtime, &task->buffer);
    task->buffer = buffer;
    task->buffer_is_pinned = true;
    return true;
}

/* Copies a chunk of a text in memory, with the bytes around it that a search reads, to the task's
 * pinned buffer. */
static void copy_to_pinned(struct task *task)
{
    struct text_chunk *chunk = &task->chunk;
    uint64_t front = (chunk->before + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;

    TRAWL_ASSERT(task->buffer_is_pinned);
    TRAWL_ASSERT(front >= chunk->before && front - chunk->before < MEMORY_ALIGNMENT);
    TRAWL_ASSERT(chunk->before <= chunk->begin);
    memory_stream(task->buffer.bytes + front - chunk->before, chunk->bytes - chunk->before,
                  chunk->before + chunk->owned + chunk->after);
    task->staged_from = chunk->bytes;
    chunk->bytes = task->buffer.bytes + front;
    chunk->readable = chunk->after;
    TRAWL_ASSERT(front + chunk->owned + chunk->after <= task->buffer.capacity);
}

/* Lets the task fail: all devices are lost, and the CPU may not search. */
static void fail_lost(struct search *search, struct task *task)
{
    char failure[TRAWL_ERROR_MESSAGE_BYTES];

    devices_failure(&search->job.runtime->devices, failure, sizeof failure);
    task->status = TRAWL_FAIL(&task->error, DEVICE, "%s", failure);
    drop_part(task);
    digest_part(search, task);
}

void task_forget(struct search *search, struct task *task)
{
    struct work_done *done = task->counted;
    uint64_t searched = task->result.done - task->from;

    if (done == NULL)
        return;
    task->counted = NULL;
    TRAWL_ASSERT(atomic_load(&done->chunks) > 0);
    TRAWL_ASSERT(atomic_load(&done->method_bytes[task->result.method]) >= searched);
    JOB_ADD(&search->job, &done->chunks, (uint64_t)-1);
    JOB_ADD(&search->job, &done->bytes, -searched);
    JOB_ADD(&search->job, &done->method_bytes[task->result.method], -searched);
}

/* Searches a chunk in the file's mapping. Reads the chunk and searches it again if the file was
 * truncated, if the sink needs bytes that cannot change, or if the chunk was not searched to its
 * end. */
static void search_mapped(struct search *search, struct task *task, struct worker *worker)
{
    const struct text_chunk *chunk = &task->chunk;
    bool again;

    TRAWL_ASSERT(task->from == 0 && task->status == TRAWL_OK);
    task_search(search, task, worker, false);
    again = (task->status == TRAWL_OK && task->result.done < chunk->owned) ||
            (search->sink->keeps_text && task->match_count > 0) ||
            !text_cursor_is_whole(&search->cursor, chunk);
    schedule_mapped(search, chunk, again);
    if (!again)
        return;
    task_forget(search, task);
    task->status = text_cursor_read(&search->cursor, &task->buffer, &task->chunk, &task->error);
    task_search(search, task, worker, false);
}

/* Takes the next chunk, and searches or queues it. Returns false if there was none to take; *taken
 * says why. */
static bool take_chunk(struct search *search, struct task *task, struct worker *worker,
                       uint64_t only, uint64_t bytes, bool for_device, enum text_taken *taken)
{
    uint64_t begin_ns = clock_now_ns(), ready_ns;
    bool by_device = search->schedule == SCHEDULE_CALLER, staged;

    task->status = text_cursor_next(&search->cursor, only, bytes, !for_device, &task->buffer,
                                    &task->chunk, taken, &task->error);
    for_device &= *taken == TEXT_TAKEN && task->status == TRAWL_OK && task->chunk.owned > 0;
    if (*taken != TEXT_TAKEN)
        return false;
    if (task->chunk.window_bytes > 0 && task->status == TRAWL_OK)
        task->status = search_count_window(search, task->chunk.window_bytes, &task->error);
    JOB_ADD(&search->job, &search->bytes_taken, task->chunk.is_skipped ? 0 : task->chunk.owned);
    if (for_device && search->cursor.text->kind == TEXT_MEMORY)
        copy_to_pinned(task);
    if (worker_takes_part(worker, &search->job))
        JOB_ADD(&search->job, &work_of(search, worker, by_device)->threads, 1);
    ready_ns = clock_now_ns() - begin_ns;
    if (for_device) {
        JOB_ADD(&search->job, &search->done.device[0].ready_ns, ready_ns);
        devices_push(&search->job.runtime->devices, &task->item);
        return true;
    }
    JOB_ADD(&search->job, &search->done.host.ready_ns, ready_ns);
    /* a chunk for which no pinned buffer was free */
    staged = schedule_is_staged(search) && task->chunk.owned > 0 && task->status == TRAWL_OK;
    if (staged && !devices_are_usable(&search->job.runtime->devices))
        fail_lost(search, task);
    else if (task->chunk.is_mapped && !staged)
        search_mapped(search, task, worker);
    else
        task_search(search, task, worker, by_device || staged);
    if (by_device && atomic_load(&search->device_refused)) {
        search->schedule = SCHEDULE_HOST;
        search->host_searches = true;
    }
    put_into_ring(search, task, worker);
    return true;
}

/* Waits a moment, because other searches use all of the runtime's memory. Returns false if waiting
 * is useless, or has lasted too long: perhaps this very thread has to take the results of the
 * search that would free memory. */
static bool wait_for_room(struct search *search, uint64_t bytes)
{
    const struct trawl_runtime *runtime = search->job.runtime;
    const struct timespec while_ns = {0, ROOM_WAIT_NS};

    if (bytes > runtime->memory_max || atomic_fetch_add(&search->room_waits, 1) >= ROOM_WAITS_MAX)
        return false;
    if (atomic_load(&runtime->memory_used) >
        0) /* if 0, all memory was just given back: try immediately */
        (void)nanosleep(&while_ns, NULL);
    return true;
}

/* Called when there is no memory for a chunk; puts the task back. If other tasks of the search are
 * in use, they will give memory back, and this worker stops. Otherwise it tries again, perhaps
 * after a moment, because other searches may give memory back. If that is useless, and no other
 * task has begun meanwhile, the search ends with `status`. */
static enum task_taken no_room(struct search *search, struct task *task, uint64_t bytes,
                               enum trawl_status status, const struct trawl_error *error)
{
    bool alone;

    search_lock(search);
    alone = search->taken == 1;
    search_unlock(search);
    if (alone && status == TRAWL_MEMORY && wait_for_room(search, bytes)) {
        task_put_back(search, task, false, false);
        return TASK_DONE;
    }
    search_lock(search);
    alone = alone && search->taken == 1;
    if (alone) {
        search->fault = status;
        search->fault_error = *error;
    }
    search_unlock(search);
    task_put_back(search, task, alone, true);
    return TASK_NOTHING;
}

enum task_taken task_work(struct search *search, struct worker *worker, uint64_t only)
{
    enum trawl_status status;
    struct trawl_error error;
    enum text_taken taken;
    struct task *task;
    bool to_device, alone;
    uint64_t bytes;

    search_lock(search);
    task = task_take(search);
    alone = search->taken == 1;
    search_unlock(search);
    if (task == NULL)
        return TASK_NOTHING;
    to_device = search->for_devices && schedule_wants_device(search);
    bytes = schedule_chunk_bytes(search, to_device || search->schedule == SCHEDULE_CALLER);
    if (to_device && !room_for_device(search, task, bytes)) {
        to_device = false;
        bytes = schedule_chunk_bytes(search, false);
    }
    if (schedule_is_staged(search) && !to_device && !alone &&
        devices_are_usable(&search->job.runtime->devices)) {
        /* this worker will continue once a device has searched another chunk */
        task_put_back(search, task, false, true);
        return TASK_NOTHING;
    }
    if (!to_device && search->cursor.text->kind != TEXT_MEMORY) {
        const uint64_t room = text_cursor_needs(&search->cursor, bytes);

        if (task->buffer.capacity == 0) { /* it takes the worker's */
            task->buffer = worker->buffer;
            memset(&worker->buffer, 0, sizeof worker->buffer);
        }
        status = runtime_buffer_reserve(search->job.runtime, &task->buffer, room, &error);
        if (status != TRAWL_OK)
            return no_room(search, task, room, status, &error);
        atomic_store(&search->room_waits, 0);
    }
    if (take_chunk(search, task, worker, only, bytes, to_device, &taken))
        return TASK_DONE;
    task_buffer_give(search->job.runtime, task);
    task_put_back(search, task, taken == TEXT_END, false);
    return taken == TEXT_END ? TASK_NOTHING : TASK_BUSY;
}

void task_on_device(struct queue_item *item, struct worker *worker)
{
    struct task *task = (struct task *)item;
    struct search *search = (struct search *)item->job;
    bool stopping;

    search_lock(search);
    stopping = search->stopping;
    search_unlock(search);
    if (stopping) {
        task_put_back(search, task, false, true);
        return;
    }
    if (worker_takes_part(worker, &search->job))
        JOB_ADD(&search->job, &work_of(search, worker, true)->threads, 1);
    task_search(search, task, worker, true);
    put_into_ring(search, task, worker);
    if (search->schedule != SCHEDULE_LOADED && !atomic_load(&search->job.has_work))
        job_wake(&search->job);
}

enum task_taken task_work_queued(struct search *search, struct worker *worker)
{
    struct queue_item *item = devices_take(&search->job.runtime->devices, worker, &search->job);

    if (item == NULL)
        return TASK_NOTHING;
    task_on_device(item, worker);
    return TASK_DONE;
}
