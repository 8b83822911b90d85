/* scan_sampled: method sampled: reads one gram per stride, and nothing in between. */
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "cpu/worker.h"

#define SAMPLES_AHEAD 32u /* prefetched: no hardware prefetcher follows such strides */
#define BATCH 8u          /* of samples whose bits are tested together */
#define FAR 1.15          /* another method takes over if this one costs so many times as much */
#define FAR_NS 2000.0     /* and so much more */

/* The sample at position i stands for the begins [scan->at, i]. */
static void verify_sample(struct scan *scan, uint64_t i)
{
    const struct trawl_plan *plan = scan->plan;
    const struct sampled_tables *tables = scan->worker->sampled;
    const uint8_t *bytes = plan_literal_bytes(plan, 0);
    uint64_t gram, begin = scan->at;
    uint32_t offset;

    TRAWL_ASSERT(begin <= i);
    TRAWL_ASSERT(i + sizeof gram <= scan->available);
    memcpy(&gram, scan->chunk->bytes + i, sizeof gram);
    gram |= tables->layout.fold;
    offset = tables->heads[plan_hash64(gram, tables->layout.hash_bits)];
    for (; offset != PLAN_NONE && !scan->over; offset = tables->next[offset]) {
        uint64_t own;

        TRAWL_ASSERT(offset < tables->layout.stride);
        TRAWL_ASSERT(offset + sizeof own <= plan->length_min);
        memcpy(&own, bytes + offset,
               sizeof own); /* lies in a cache; the text at a begin does not */
        if ((own | tables->layout.fold) == gram && offset <= i - begin)
            verify_one(scan, i - offset); /* offsets descend, so begins ascend */
    }
}

/* Samples from position i on that their bits rule out, a batch at a time while the text has whole
 * ones; returns the first position that is to be looked at. */
static uint64_t pass_over(const struct scan *scan, uint64_t i)
{
    const struct sampled_tables *tables = scan->worker->sampled;
    uint64_t stride = tables->layout.stride, fold = tables->layout.fold;
    uint64_t last = BATCH * stride + sizeof(uint64_t); /* a batch from here on is whole */
    const uint8_t *bytes = scan->chunk->bytes;
    const uint64_t *bitmap = tables->bitmap;
    uint32_t bits = tables->layout.bitmap_bits;

    while (i < scan->limit && scan->available > last && i < scan->available - last) {
        uint64_t passed = 0;

        for (uint32_t k = 0; k < BATCH; k++) {
            uint64_t gram;
            uint32_t bit;

            __builtin_prefetch((const void *)((uintptr_t)bytes + i + (SAMPLES_AHEAD + k) * stride));
            memcpy(&gram, bytes + i + k * stride, sizeof gram);
            bit = plan_hash64(gram | fold, bits);
            passed |= (bitmap[bit / 64] >> bit % 64 & 1) << k;
        }
        if (passed != 0)
            return i + (uint64_t)__builtin_ctzll(passed) * stride;
        i += BATCH * stride;
    }
    return i;
}

/* Where the search stands. */
struct sampled_progress {
    uint64_t begin;    /* of the text, */
    uint64_t began;    /* when */
    uint64_t samples;  /* since then, */
    uint64_t named;    /* of which so many had candidates */
    uint64_t clock_at; /* from there on the clock may be looked at again */
};

/* Did it take far longer than another method is expected to, which takes over then? By the clock,
 * where candidates may be the reason: a text that waits for the memory is slow by any method. */
static bool another_pays(const struct scan *scan, struct sampled_progress *progress)
{
    struct engine_worker *worker = scan->worker;
    uint64_t bytes = scan->at - progress->begin;
    double price, taken;
    enum trawl_method other;

    if (cpu_sizes.look_lost_ns <= 0 || scan->at < progress->clock_at ||
        (double)progress->named * worker->costs->candidate <
            (double)progress->samples * worker->costs->sample)
        return false;
    progress->clock_at = scan->at + bytes / 4;
    other = plan_least_other(&worker->prices, &price);
    taken = (double)(clock_now_ns() - progress->began);
    price *= (double)bytes;
    if (taken < FAR * price || taken < price + FAR_NS)
        return false;
    worker->least = price / (double)bytes;
    worker->method = other;
    return true;
}

void scan_sampled(struct scan *scan)
{
    struct sampled_progress progress = {.begin = scan->at, .began = clock_now_ns()};
    uint64_t stride = scan->worker->sampled->layout.stride, before;
    const uint8_t *bytes = scan->chunk->bytes;
    /* the first sample comes early, so that all lie at the begin of a cache line */
    uint64_t skew = (uint64_t)(uintptr_t)(bytes + scan->at) % 64;
    uint64_t i = scan->at + min_u64((64 - skew) % 64, stride - 1);

    TRAWL_ASSERT(stride > 0);
    while (scan->at < scan->limit && !scan_is_full(scan)) {
        uint64_t next = pass_over(scan, i);

        if (next > i) { /* the last that was passed over stands for the begins up to it */
            progress.samples += (next - i) / stride;
            i = next;
            scan->at = i - stride + 1;
        }
        if (i + sizeof(uint64_t) > scan->available) {
            scan->at =
                scan->limit; /* no occurrence reaches this sample, so none begins before it */
            return;
        }
        before = scan->result->candidate_count;
        verify_sample(scan, i);
        if (scan->over)
            return;
        progress.named += scan->result->candidate_count > before;
        progress.samples++;
        TRAWL_ASSERT(i >= scan->at && i - scan->at < stride);
        scan->at = i + 1;
        if (scan->run_until > scan->at) { /* jump over a run; every sample's rule still holds */
            scan->at = scan->run_until;
            i = scan->at - 1;
        }
        i += stride;
        if (another_pays(scan, &progress)) {
            scan_tiles(scan);
            return;
        }
    }
}
