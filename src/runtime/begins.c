/* begins: devices fill the caller's array with the start offsets of occurrences
 * (TRAWL_BEGINS). The caller's own worker searches; if the text is divided over several
 * devices, it searches their parts in turn. An ordinary search fills an array in host memory that
 * is not pinned if the text is divided: there, all devices work at once. */
#include "runtime/begins.h"

#include "base/checked.h"
#include "base/clock.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/job.h"
#include "runtime/runtime.h"
#include "runtime/workers.h"

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
                         uint64_t chunks, uint64_t begin_ns)
{
    struct call_record done = {.stats = {.text_bytes = text->bytes_count,
                                         .chunk_count = chunks,
                                         .device_chunk_count = chunks,
                                         .match_count = words->count,
                                         .candidate_count = words->candidate_count,
                                         .thread_count = 1}};

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
    struct trawl_error own;
    struct job job;

    if (text->kind != TEXT_MEMORY)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: only a text in memory is on a device",
                          text->name);
    if (plan->kind != PLAN_KIND_STRINGS)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s cannot write begins to a device",
                          kind_of(plan)->name);
    atomic_store(&searcher->progress, 0);
    job_begin(&job, searcher->runtime, plan, NULL);
    for (; at < text->bytes_count && status == TRAWL_OK; parts++)
        status = list_part(searcher, &job, words, text, device, &at, &own);
    if (status == TRAWL_OK)
        finish_stats(searcher, plan, words, text, parts, begin_ns);
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
