/* begins: devices fill the caller's array with the start offsets of occurrences
 * (TRAWL_BEGINS). The caller's own worker searches; if the text is divided over several
 * devices, it searches their parts in turn. Threads help to copy what it finds from pinned memory
 * to an array in other host memory, unless the text is divided: then an ordinary search, for which
 * all devices work at once, fills such an array. */
#include "runtime/begins.h"

#include <sched.h>
#include <string.h>

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

/* One call, and what its threads copy: slices of SLICE_WORDS words, numbered from the call's first
 * copy on. A copy has those from `first` to `end`. */
struct listing {
    struct job job; /* first member: serve casts its job to the listing */
    uint64_t *to;
    const uint64_t *from;
    uint64_t count, first;
    _Atomic uint64_t next, end, done; /* slices that were taken, that exist, that are copied */
};

static void copy_slices(struct listing *listing)
{
    uint64_t slice = atomic_load(&listing->next);

    while (slice < atomic_load(&listing->end)) {
        uint64_t at;

        if (!atomic_compare_exchange_weak(&listing->next, &slice, slice + 1))
            continue;
        at = (slice - listing->first) * SLICE_WORDS;
        memcpy(listing->to + at, listing->from + at,
               (size_t)(min_u64(SLICE_WORDS, listing->count - at) * sizeof *listing->to));
        atomic_fetch_add(&listing->done, 1);
        slice = atomic_load(&listing->next);
    }
}

/* Called as job.serve(). The next copy begins within microseconds, or none does. */
static void serve(struct job *job, struct worker *worker)
{
    struct listing *listing = (struct listing *)(void *)job;

    (void)worker_takes_part(worker, job);
    for (uint32_t idle = 0; idle < IDLE_TURNS && atomic_load(&job->has_work); idle++) {
        copy_slices(listing);
        (void)sched_yield();
    }
    atomic_store(&job->has_work, false);
}

/* Called by the engine as words->copy(). */
static void copy_with_help(struct engine_words *words, uint64_t *to, const uint64_t *from,
                           uint64_t count)
{
    struct listing *listing = (struct listing *)words->copier;
    struct job *job = &listing->job;
    uint64_t helpers = min_u64(count / resident_sizes.helped, HELPERS_MAX);

    listing->to = to;
    listing->from = from;
    listing->count = count;
    listing->first = atomic_load(&listing->end);
    atomic_store(&listing->end, listing->first + (count + SLICE_WORDS - 1) / SLICE_WORDS);
    if (helpers > 0 && job->runtime->threads_max > 1 && !atomic_exchange(&job->has_work, true))
        job_publish(job, (uint32_t)helpers);
    copy_slices(listing);
    while (atomic_load(&listing->done) < atomic_load(&listing->end))
        (void)sched_yield();
}

/* Lists the text's first part, from offset `at` on, that one device has, and moves *at past it. Of
 * several devices that have it, `device` is preferred. */
static enum trawl_status list_part(struct trawl_searcher *searcher, struct job *job,
                                   struct engine_words *words, const struct trawl_text *text,
                                   uint32_t device, uint64_t *at, struct trawl_error *error)
{
    struct worker *caller = &searcher->caller;
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

static void finish_stats(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                         const struct engine_words *words, const struct trawl_text *text,
                         uint64_t chunks, uint32_t took_part, uint64_t begin_ns)
{
    struct call_record done = {.stats = {.text_bytes = text->bytes_count,
                                         .chunk_count = chunks,
                                         .device_chunk_count = chunks,
                                         .match_count = words->count,
                                         .candidate_count = words->candidate_count,
                                         .thread_count = 1 + took_part}};

    atomic_store(&searcher->progress, text->bytes_count);
    searcher_record(searcher, &done, begin_ns);
    searcher->last_found.serial = plan->serial;
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
    struct listing listing = {.count = 0};
    struct trawl_error own;

    if (text->kind != TEXT_MEMORY)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: only a text in memory is on a device",
                          text->name);
    if (plan->kind != PLAN_KIND_STRINGS)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot write begins to a device",
                          kind_of(plan)->name);
    atomic_store(&searcher->progress, 0);
    job_begin(&listing.job, searcher->runtime, plan, serve);
    atomic_store(&listing.job.has_work, false);
    words->copy = copy_with_help;
    words->copier = &listing;
    for (; at < text->bytes_count && status == TRAWL_OK; parts++)
        status = list_part(searcher, &listing.job, words, text, device, &at, &own);
    job_end(&listing.job);
    if (status == TRAWL_OK)
        finish_stats(searcher, plan, words, text, parts, atomic_load(&listing.job.took_part),
                     begin_ns);
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
