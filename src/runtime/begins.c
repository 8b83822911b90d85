/* begins: devices fill the caller's array with the start offsets of occurrences
 * (TRAWL_BEGINS). The caller's own worker searches; if the text is divided over several
 * devices, it searches their parts in turn. Host threads help to copy what it finds to an array in
 * other memory than the device's. An ordinary search fills an array in host memory that is not
 * pinned if the text is divided: there, all devices work at once. */
#include "runtime/begins.h"

#include <stddef.h>

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/job.h"
#include "runtime/runtime.h"
#include "runtime/schedule.h"
#include "runtime/threads.h"
#include "runtime/workers.h"
#include "runtime/schedule.def"

/* One call. */
struct listing {
    struct job job; /* first member: serve casts its job to the listing */
    struct engine_words *words;
    struct pieces pieces;
};

/* Copies pieces of lists until none is left. A thread that cannot prepare a worker on the device
 * does not help; whether one failed to copy, pieces.status says. Called as job.serve(). */
static void serve(struct job *job, struct worker *worker)
{
    struct listing *listing = (struct listing *)(void *)job;
    struct engine_task task = {.output = ENGINE_OUTPUT_PIECES, .words = listing->words};
    enum pieces_target target;
    uint32_t device;

    do {
        atomic_store(&job->has_work, false); /* until there is another list */
        if (!pieces_are_left(&listing->pieces, &device, &target))
            return;
        worker_go_to(worker, device);
        if (worker_ready(worker, job, true, NULL) != TRAWL_OK || worker->device_index != device)
            return;
        atomic_store(&job->has_work, true);
        (void)worker_takes_part(worker, job);
    } while (engine_for_devices->submit(worker->prepared[PLAN_KIND_STRINGS][1].worker, &task,
                                        NULL) == TRAWL_OK);
    atomic_store(&job->has_work, false);
}

/* Called by the engine for each list: calls threads, for longer lists more. */
static void call_helpers(struct pieces *pieces, uint64_t count)
{
    struct listing *listing =
        (struct listing *)(void *)((char *)pieces - offsetof(struct listing, pieces));
    uint64_t helpers = min_u64(count / resident_sizes.helped, HELPERS_MAX);

    if (helpers == 0 || listing->job.runtime->threads_max == 1)
        return;
    atomic_store(&listing->job.has_work, true);
    job_publish(&listing->job, (uint32_t)helpers);
}

/* Lists the text's first part, from offset `at` on, that one device has, and moves *at past it. Of
 * several devices that have it, `device` is preferred. */
static enum trawl_status list_part(struct trawl_searcher *searcher, struct listing *listing,
                                   const struct trawl_text *text, uint32_t device, uint64_t *at,
                                   struct trawl_error *error)
{
    struct worker *caller = &searcher->caller;
    struct job *job = &listing->job;
    struct engine_words *words = listing->words;
    struct devices *devices = &job->runtime->devices;
    struct engine_chunk chunk = {
        .bytes = text->bytes + *at, .before = *at, .call = &searcher->call};
    struct engine_task task = {
        .chunk = &chunk, .want = WANT_HITS, .output = ENGINE_OUTPUT_BEGINS, .words = words};
    struct engine_text found;

    if (!devices_locate(devices, job->plan, chunk.bytes, text->bytes_count - *at, &found))
        return TRAWL_FAIL(error, UNSUPPORTED, "not all of the text is on devices");
    if (found.device == ENGINE_DEVICES_MAX)
        found.device = device;
    if (found.device == ENGINE_DEVICES_MAX) {
        if (caller->device_index == ENGINE_DEVICES_MAX || worker_is_stranded(caller))
            worker_change_device(caller);
        found.device = caller->device_index;
    }
    if (found.reach < text->bytes_count)
        words->copies_anywhere = false;
    worker_go_to(caller, found.device);
    TRAWL_TRY(worker_ready(caller, job, true, error));
    if (caller->device_index != found.device)
        return TRAWL_FAIL(error, UNSUPPORTED, "a device that holds the text is lost");
    chunk.owned = found.reach;
    chunk.after = min_u64(text->bytes_count - *at - found.reach, job->plan->need_after);
    words->base = *at;
    *at += found.reach;
    return engine_for_devices->submit(caller->prepared[PLAN_KIND_STRINGS][1].worker, &task, error);
}

static void finish_stats(struct trawl_searcher *searcher, const struct listing *listing,
                         const struct trawl_text *text, uint64_t chunks, uint64_t begin_ns)
{
    const struct engine_words *words = listing->words;
    struct call_record done = {.stats = {.text_bytes = text->bytes_count,
                                         .chunk_count = chunks,
                                         .device_chunk_count = chunks,
                                         .match_count = words->count,
                                         .candidate_count = words->candidate_count,
                                         .thread_count = 1 + atomic_load(&listing->job.took_part)}};

    atomic_store(&searcher->progress, text->bytes_count);
    searcher_record(searcher, &done, begin_ns);
    searcher->last_found.serial = listing->job.plan->serial;
    searcher->last_found.bytes = text->bytes_count;
    searcher->last_found.hits = words->count;
}

enum trawl_status begins_by_devices(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    const struct trawl_text *text, uint32_t device,
                                    struct engine_words *words, struct trawl_error *error)
{
    struct devices *devices = &searcher->runtime->devices;
    uint64_t begin_ns = clock_now_ns(), at = 0, parts = 0;
    enum trawl_status status = TRAWL_OK;
    struct listing listing = {.words = words};
    struct trawl_error own;

    if (text->kind != TEXT_MEMORY)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: only a text in memory is on a device",
                          text->name);
    if (plan->kind != PLAN_KIND_STRINGS)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot write begins to a device",
                          kind_of(plan)->name);
    atomic_store(&searcher->progress, 0);
    job_begin(&listing.job, searcher->runtime, plan, serve);
    pieces_begin(&listing.pieces, call_helpers);
    words->pieces = &listing.pieces;
    for (; at < text->bytes_count && status == TRAWL_OK; parts++)
        status = list_part(searcher, &listing, text, device, &at, &own);
    job_end(&listing.job);
    pieces_end(&listing.pieces);
    words->pieces = NULL;
    if (status == TRAWL_OK)
        finish_stats(searcher, &listing, text, parts, begin_ns);
    if (status != TRAWL_OK && status != TRAWL_UNSUPPORTED && status != TRAWL_STOPPED &&
        (status != TRAWL_MEMORY || device != ENGINE_DEVICES_MAX) &&
        searcher->runtime->engine == TRAWL_ENGINE_AUTO) {
        devices_lose(devices, UINT32_MAX, own.message);
        own.status = status = TRAWL_UNSUPPORTED;
    }
    if (status != TRAWL_OK && error != NULL)
        *error = own;
    return status;
}
