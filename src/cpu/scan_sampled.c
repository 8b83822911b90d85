/* scan_sampled: searches for a long literal by reading only every stride-th position of the text
 * (method "sampled"). The 8 bytes at such a position, a gram, are looked up in a table of the
 * literal's grams. */
#include "base/bytes.h"
#include "base/checked.h"
#include "base/clock.h"
#include "cpu/worker.h"
#include "cpu/prices.def"

/* Prefetch distance, in samples. Hardware prefetchers do not follow such strides. */
#define SAMPLES_AHEAD 32u
#define BATCH 8u /* samples whose bits are tested together */

/* Tests the possible starts in [scan->at, i] whose occurrence would contain the sample at i. */
static void verify_sample(struct scan *scan, uint64_t i)
{
    const struct trawl_plan *plan = scan->plan;
    const struct sampled_tables *tables = scan->worker->sampled;
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t gram = bytes_load64(scan->chunk->bytes + i) | tables->layout.fold, begin = scan->at;
    uint32_t offset;

    TRAWL_ASSERT(begin <= i);
    TRAWL_ASSERT(i + sizeof gram <= scan->available);
    offset = tables->heads[plan_hash64(gram, tables->layout.hash_bits)];
    for (; offset != PLAN_NONE && !scan->over; offset = tables->next[offset]) {
        uint64_t own = bytes_load64(bytes + offset); /* the literal's gram at this offset */

        TRAWL_ASSERT(offset < tables->layout.stride);
        TRAWL_ASSERT(offset + sizeof own <= plan->length_min);
        if ((own | tables->layout.fold) == gram && offset <= i - begin)
            verify_one(scan, i - offset); /* `next` leads to smaller offsets, so starts ascend */
    }
}

/* Returns the position of the first sample, at i or later, that the bitmap of grams does not rule
 * out. Tests samples in batches while the text is long enough. */
static uint64_t next_passing_sample(const struct scan *scan, uint64_t i)
{
    const struct sampled_tables *tables = scan->worker->sampled;
    uint64_t stride = tables->layout.stride, fold = tables->layout.fold;
    /* testing a batch of samples at i reads at most this many bytes */
    uint64_t last = BATCH * stride + sizeof(uint64_t);
    const uint8_t *bytes = scan->chunk->bytes;
    const uint64_t *bitmap = tables->bitmap;
    uint32_t bits = tables->layout.bitmap_bits;

    while (i < scan->limit && scan->available > last && i < scan->available - last) {
        uint64_t passed = 0;

        for (uint32_t k = 0; k < BATCH; k++) {
            uint32_t bit = plan_hash64(bytes_load64(bytes + i + k * stride) | fold, bits);

            __builtin_prefetch((const void *)((uintptr_t)bytes + i + (SAMPLES_AHEAD + k) * stride));
            passed |= (bitmap[bit / 64] >> bit % 64 & 1) << k;
        }
        if (passed != 0)
            return i + (uint64_t)__builtin_ctzll(passed) * stride;
        i += BATCH * stride;
    }
    return i;
}

/* How much a scan has done since it began. */
struct sampled_progress {
    uint64_t begin;      /* position in the chunk where the scan began */
    uint64_t began;      /* time when the scan began, in ns */
    uint64_t candidates; /* the result's candidate_count when the scan began */
    uint64_t samples;    /* number of samples tested so far */
    uint64_t clock_at;   /* the clock is not read before this number of candidates */
};

/* Leaves the rest of the text to another method if this scan took far longer than that method is
 * expected to take. Reads the clock only if there are many candidates: a text that waits for memory
 * is slow with any method. */
static bool leaves_to_other_method(struct scan *scan, struct sampled_progress *progress)
{
    struct cpu_worker *worker = scan->worker;
    const struct plan_costs *costs = worker->costs;
    uint64_t candidates = scan->result->candidate_count - progress->candidates;
    double bytes = (double)(scan->at - progress->begin), price, taken;
    enum trawl_method other;

    if (cpu_sizes.look_lost_ns <= 0 || candidates < progress->clock_at ||
        (double)candidates * costs->candidate < (double)progress->samples * costs->sample)
        return false;
    progress->clock_at = candidates + CLOCK_CANDIDATES;
    other = plan_cheapest(&worker->prices, worker->method);
    price = worker->prices.of[other] * bytes;
    taken = (double)(clock_now_ns() - progress->began);
    if (taken < FAR_TIMES * price || taken < price + FAR_NS)
        return false;
    engine_changed(scan->chunk, scan->at, plan_method_name(worker->method), taken / bytes,
                   plan_method_name(other), price / bytes, "slower than expected");
    worker->min = price / bytes;
    worker->method = other;
    worker->sampled_took = taken / bytes;
    scan_leave(scan, scan->at);
    return true;
}

void scan_sampled(struct scan *scan)
{
    struct sampled_progress progress = {
        .begin = scan->at, .began = clock_now_ns(), .candidates = scan->result->candidate_count};
    uint64_t stride = scan->worker->sampled->layout.stride;
    const uint8_t *bytes = scan->chunk->bytes;
    /* shorten the first step, if the stride allows it, so that no sample crosses a cache line */
    uint64_t skew = (uint64_t)(uintptr_t)(bytes + scan->at) % 64;
    uint64_t i = scan->at + min_u64((64 - skew) % 64, stride - 1);

    TRAWL_ASSERT(stride > 0);
    while (scan->at < scan->limit && !scan_is_full(scan)) {
        uint64_t next = next_passing_sample(scan, i);

        if (next > i) { /* the skipped samples rule out all occurrences before the new scan->at */
            progress.samples += (next - i) / stride;
            i = next;
            scan->at = i - stride + 1;
        }
        if (i + sizeof(uint64_t) > scan->available) {
            /* each occurrence at scan->at or later would contain this sample or a later one, which
             * the text does not have */
            scan->at = scan->limit;
            return;
        }
        verify_sample(scan, i);
        if (scan->over)
            return;
        progress.samples++;
        TRAWL_ASSERT(i >= scan->at && i - scan->at < stride);
        scan->at = i + 1;
        /* jump to the end of a run of occurrences; the next sample is a stride after it */
        if (scan->run_until > scan->at) {
            scan->at = scan->run_until;
            i = scan->at - 1;
        }
        i += stride;
        if (leaves_to_other_method(scan, &progress))
            return;
    }
}
