/* chunk: searches a chunk of a text
 *
 * A worker copies as many of the chunk's bytes to the device as its text memory has room for, lets
 * kernels search them, and continues with the next ones. While one worker copies, another's kernel
 * runs. A loaded text needs no copy. Finally, the host drops hits that fail conditions which a
 * device cannot check.
 */
#include "cuda/chunk.h"

#include "base/checked.h"
#include "cuda/cuda_pages.h"
#include "cuda/residents.h"
#include "cuda/prices.def"

/* Returns the maximum number of bytes of text that the worker may have on the device at a time. */
static uint64_t text_bytes_max(const struct cuda_worker *worker, const struct cuda_steps *steps)
{
    return min_u64(worker->limits.text_bytes_max, steps->text_bytes_max);
}

/* Reserves device memory for `wanted` bytes of text; if the device lacks memory, for fewer, but at
 * least `min`. */
static enum trawl_status reserve_text(struct cuda_worker *worker, const struct cuda_steps *steps,
                                      uint64_t wanted, uint64_t min, struct trawl_error *error)
{
    TRAWL_ASSERT(min <= wanted && wanted > 0);
    for (;;) {
        uint64_t bytes = min_u64(wanted, max_u64(text_bytes_max(worker, steps), min));
        enum trawl_status status = cuda_worker_reserve(
            worker, &worker->text, ((bytes + 15) & ~15ull) + SCAN_PADDING_BYTES, error);

        if (status != TRAWL_MEMORY || bytes / 2 < max_u64(min, PART_MIN))
            return status;
        worker->limits.text_bytes_max = bytes / 2;
    }
}

/* Copies as many of the chunk's bytes as fit, starting at `at`, to the device, unless an earlier
 * call has done so. */
static enum trawl_status bring_text(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                    uint64_t at, const struct cuda_steps *steps,
                                    struct trawl_error *error)
{
    uint64_t available = chunk->owned + chunk->after - at;
    uint64_t overlap =
        /* an upper bound for the overlap of two consecutive copies; a copy must be longer to make
         * progress */
        worker->plan->length_max;
    uint64_t count;

    if (worker->held.bytes == chunk->bytes && worker->held.begin == chunk->begin && at > 0 &&
        at >= worker->held.from && at < worker->held.end &&
        (worker->held.end == at + available || worker->held.end - at > overlap))
        return TRAWL_OK;
    worker->held.bytes = NULL;
    TRAWL_TRY(reserve_text(worker, steps, available, min_u64(available, 2 * overlap), error));
    count = min_u64(available, (worker->text.bytes - SCAN_PADDING_BYTES) & ~15ull);
    count = min_u64(count, max_u64(text_bytes_max(worker, steps), 2 * overlap));
    TRAWL_ASSERT(count > 0 && count <= available);
    TRAWL_ASSERT(((count + 15) & ~15ull) + SCAN_PADDING_BYTES <= worker->text.bytes);
    if (chunk->pinned) {
        TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_device, worker->text.address,
                            chunk->bytes + at, (size_t)count, worker->stream));
        TRAWL_TRY(CUDA_CALL(worker->device, error, fill, worker->text.address + count, 0,
                            SCAN_PADDING_BYTES, worker->stream));
        worker->patient = count >= PATIENT_BYTES;
    } else {
        TRAWL_TRY(
            cuda_worker_upload_text(worker, worker->text.address, chunk->bytes + at, count, error));
    }
    worker->held.bytes = chunk->bytes;
    worker->held.begin = chunk->begin;
    worker->held.from = at;
    worker->held.end = at + count;
    return TRAWL_OK;
}

/* Sets *range to the chunk's next range, which starts at `at`, and copies its text if necessary;
 * or, if *gathers becomes true, to a copy of what a filter has left of the chunk from there on. */
static enum trawl_status next_range(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                    uint64_t at, const struct cuda_steps *steps,
                                    struct cuda_range *range, bool *gathers,
                                    struct trawl_error *error)
{
    uint64_t available = chunk->owned + chunk->after;
    struct cuda_place place;
    bool fetched;

    if (cuda_worker_resident(worker, chunk->bytes, available, worker->plan->need_after, &place)) {
        if (chunk->kept.items != NULL && !cuda_worker_answers(worker))
            TRAWL_TRY(cuda_pages_gather(worker, chunk, at, text_bytes_max(worker, steps), &place,
                                        range, gathers, error));
        if (!*gathers)
            cuda_place_range(&place, at, chunk->owned, available, range);
        return TRAWL_OK;
    }
    if (cuda_residents_borrowed(worker->engine, chunk->bytes, &fetched) && !fetched)
        return TRAWL_FAIL(error, DEVICE,
                          "%s: the text lies on another device, or its patterns are too long",
                          worker->device->name);
    TRAWL_TRY(bring_text(worker, chunk, at, steps, error));
    range->address = worker->text.address;
    range->begin = at - worker->held.from;
    range->end = chunk->owned - worker->held.from;
    range->text_end = worker->held.end - worker->held.from;
    /* leave starts near the end of the copied bytes to the next copy, which contains even the
     * longest occurrence completely */
    if (worker->held.end < available)
        range->end = min_u64(range->end, range->text_end - worker->plan->length_max + 1);
    TRAWL_ASSERT(range->begin < range->end && range->end <= range->text_end);
    return TRAWL_OK;
}

/* Removes hits, starting with hits[first], that fail the plan's conditions (such as whole words) or
 * whose tail does not match. Returns false if the tails took more than `work_max` comparisons of
 * characters, and the host may search the chunk instead. */
static bool drop_failing_hits(const struct trawl_plan *plan, const struct engine_chunk *chunk,
                              uint64_t first, uint64_t work_max, struct engine_result *result)
{
    uint64_t available = chunk->owned + chunk->after, kept = first, work = 0, looked;

    for (uint64_t i = first; i < result->hits.count; i++) {
        struct hit hit = result->hits.items[i];
        const struct plan_literal literal = plan_literal_at(plan, hit.literal);
        uint64_t length = literal.bytes_count;

        TRAWL_ASSERT(hit.offset < chunk->owned && length <= available - hit.offset);
        if (literal.tail_count > 0) {
            length = plan_tail_match(plan, &literal, chunk->bytes + hit.offset,
                                     available - hit.offset, &looked);
            work += looked;
        }
        if (chunk->may_be_left && work > work_max)
            return false;
        if (length != 0 && (!plan_has_conditions(plan) ||
                            plan_accepts(plan, chunk->bytes, hit.offset, hit.offset + length,
                                         chunk->before, available)))
            result->hits.items[kept++] = hit;
    }
    TRAWL_ASSERT(kept <= result->hits.count && result->count >= result->hits.count - kept);
    result->count -= result->hits.count - kept;
    result->hits.count = kept;
    return true;
}

/* Copies the text of the next range to the device, and searches the range. */
static enum trawl_status scan_range(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                    uint64_t at, enum want want, const struct cuda_steps *steps,
                                    struct engine_result *result, uint64_t *next,
                                    struct trawl_error *error)
{
    uint64_t done, begin_ns = steps->copies_timed ? cuda_clock_ns() : 0;
    uint64_t memory_ns = cuda_memory_ns(), first = result->hits.count;
    struct cuda_range range = {0, 0, 0, 0};
    bool gathers = false;

    TRAWL_TRY(next_range(worker, chunk, at, steps, &range, &gathers, error));
    *next = chunk->owned;
    if (range.begin == range.end)
        return TRAWL_OK;
    range.end = min_u64(range.end, range.begin + steps->range_bytes_max);
    if (steps->copies_timed)
        TRAWL_TRY(cuda_wait_copies(worker, begin_ns, result, error));
    worker->may_leave = chunk->may_be_left;
    worker->leaves = false;
    TRAWL_TRY(steps->search(worker, steps->context, &range, want, gathers ? 0 : at, result, &done,
                            error));
    if (steps->copies_timed)
        result->work.memory_ns += cuda_memory_ns() - memory_ns;
    if (worker->leaves)
        return TRAWL_OK;
    TRAWL_ASSERT(done > range.begin);
    *next = gathers ? cuda_pages_origin(worker, done - 1) + 1 : at + (done - range.begin);
    for (uint64_t i = first; gathers && i < result->hits.count; i++)
        result->hits.items[i].offset =
            (uint32_t)cuda_pages_origin(worker, range.begin + result->hits.items[i].offset);
    return TRAWL_OK;
}

/* Searches the chunk range by range. The device's context is current. */
static enum trawl_status scan_ranges(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                     uint64_t from, enum want want, struct cuda_steps *steps,
                                     struct engine_result *result, struct trawl_error *error)
{
    bool refining = plan_needs_refining(worker->plan) && !cuda_worker_answers(worker);
    bool grows = steps->lists_first && want == WANT_FIRST;
    enum want asked = refining || grows ? WANT_HITS : want;
    uint64_t max = worker->limits.tried_bytes * FIRST_RANGE, longest;

    worker->chunk = chunk;
    if (steps->prepare != NULL)
        TRAWL_TRY(steps->prepare(worker, asked, steps, error));
    longest = steps->range_bytes_max;
    for (uint64_t at = from; at < chunk->owned;) {
        uint64_t first = result->hits.count, count = result->count, begin = at;

        if (at > from && engine_call_is_over(chunk->call))
            return TRAWL_STOPPED;
        if (grows)
            steps->range_bytes_max = min_u64(longest, max);
        max <<= max < longest ? FIRST_GROWTH_LOG2 : 0;
        TRAWL_TRY(scan_range(worker, chunk, at, asked, steps, result, &at, error));
        if (worker->leaves ||
            (refining && !drop_failing_hits(worker->plan, chunk, first,
                                            TAIL_WORK_MIN + TAIL_WORK * (at - begin), result))) {
            result->hits.count = first;
            result->count = count;
            result->is_left = true;
            worker->chunks_left = CONTEST_PAUSE;
            return TRAWL_OK;
        }
        if (want == WANT_COUNT)
            result->hits.count = 0;
        if (want == WANT_FIRST && result->hits.count > 0) {
            result->count = result->hits.count = 1;
            break;
        }
        TRAWL_ASSERT(at > begin && at <= chunk->owned);
        result->done = at;
        if (want == WANT_HITS && !cuda_worker_answers(worker) &&
            result->hits.count >= worker->limits.hits_max)
            return TRAWL_OK;
    }
    result->done = chunk->owned;
    return TRAWL_OK;
}

enum trawl_status cuda_scan_chunk(struct cuda_worker *worker, const struct engine_chunk *chunk,
                                  uint64_t from, enum want want, struct cuda_steps *steps,
                                  struct engine_result *result, struct trawl_error *error)
{
    enum trawl_status status;

    TRAWL_ASSERT(from < chunk->owned);
    TRAWL_ASSERT(chunk->owned < UINT32_MAX ||
                 (want == WANT_COUNT && plan_counts_alone(worker->plan)) ||
                 cuda_worker_answers(worker));
    engine_result_begin(result, from, true);
    if (chunk->may_be_left && worker->chunks_left > 0) {
        worker->chunks_left--;
        result->is_left = true;
        return TRAWL_OK;
    }
    TRAWL_TRY(cuda_device_enter(worker->device, error));
    if (want > WANT_FIRST) /* for lines and spans, devices report all hits */
        want = WANT_HITS;
    status = scan_ranges(worker, chunk, from, want, steps, result, error);
    if (status != TRAWL_OK)
        cuda_worker_failed(worker);
    cuda_device_leave(worker->device);
    return status;
}
