/* roofline_lists: positions of all, as arrays of begins, on the device and in the host's memory. */
#include "roofline.h"

#include "diff/input.h"

/* An array of begins in memory of the device, and one in pinned memory of the host. */
struct arrays {
    struct cuda_memory device;
    struct cuda_pinned host, checked;  /* the second: what was found right */
    double fill_seconds, copy_seconds; /* to write the one, to copy it to the other */
};

static double timed_copy(struct session *s, struct cuda_pinned *to, uint64_t address,
                         uint64_t bytes)
{
    struct cuda_device *device = s->worker->device;
    struct trawl_error error;
    double begin = measure_now();

    measure_must(CUDA_CALL(device, &error, copy_to_host, to->bytes, address, (size_t)bytes,
                           s->worker->stream),
                 &error);
    measure_must(CUDA_CALL(device, &error, stream_wait, s->worker->stream), &error);
    return measure_now() - begin;
}

static void arrays_open(struct session *s, uint64_t count, struct arrays *arrays)
{
    struct cuda_device *device = s->worker->device;
    uint64_t bytes = (count + 1) * sizeof(uint64_t);
    double fills[ROOFLINE_REPEATS_LEAST], copies[ROOFLINE_REPEATS_LEAST];
    struct trawl_error error;

    memset(arrays, 0, sizeof *arrays);
    measure_must(cuda_device_enter(device, &error), &error);
    measure_must(cuda_memory_reserve(device, &arrays->device, bytes, &error), &error);
    measure_must(cuda_pinned_reserve(device, &arrays->host, bytes, &error), &error);
    measure_must(cuda_pinned_reserve(device, &arrays->checked, bytes, &error), &error);
    for (uint32_t i = 0; i < ROOFLINE_REPEATS_LEAST; i++) {
        double begin = measure_now();

        measure_must(CUDA_CALL(device, &error, fill, arrays->device.address, 0, (size_t)bytes,
                               s->worker->stream),
                     &error);
        measure_must(CUDA_CALL(device, &error, stream_wait, s->worker->stream), &error);
        fills[i] = measure_now() - begin;
        copies[i] = timed_copy(s, &arrays->host, arrays->device.address, bytes);
    }
    cuda_device_leave(device);
    arrays->fill_seconds = measure_median(fills, ROOFLINE_REPEATS_LEAST);
    arrays->copy_seconds = measure_median(copies, ROOFLINE_REPEATS_LEAST);
}

static void arrays_close(struct session *s, struct arrays *arrays)
{
    if (cuda_device_enter(s->worker->device, NULL) != TRAWL_OK)
        exit(1);
    cuda_memory_release(s->worker->device, &arrays->device);
    cuda_pinned_release(s->worker->device, &arrays->host);
    cuda_pinned_release(s->worker->device, &arrays->checked);
    cuda_device_leave(s->worker->device);
}

/* Do the begins ascend, and does the pattern stand at each? As many as there are: so these are all.
 */
static bool all_right(const struct session *s, const uint64_t *begins, uint64_t count,
                      const uint8_t *pattern, uint64_t pattern_bytes)
{
    for (uint64_t i = 0; i < count; i++)
        if ((i > 0 && begins[i] <= begins[i - 1]) || begins[i] > s->count - pattern_bytes ||
            memcmp(s->bytes + begins[i], pattern, pattern_bytes) != 0)
            return false;
    return true;
}

/* Fill one of the arrays again and again; each answer is compared with one that was checked. */
static bool measure_begins(struct session *s, bool streams, const uint8_t *pattern,
                           uint64_t pattern_bytes, uint64_t expected, struct arrays *arrays,
                           bool to_host, struct figure *figure)
{
    struct variant variant = {"begins", TRAWL_METHOD_AUTO, streams};
    struct cuda_limits limits = roofline_limits(&variant);
    struct trawl_plan *plan = roofline_plan(s, pattern, pattern_bytes, variant.method);
    double calls[MEASURE_REPEATS_MAX], kernels[MEASURE_REPEATS_MAX];
    uint64_t bytes = expected * sizeof(uint64_t);
    struct engine_worker *worker = NULL;
    struct trawl_error error;
    bool right = true;

    limits.kernels_timed = !to_host;
    cuda_limits_replace(&limits);
    measure_must(engine_cuda.compile(s->engine, ENGINE_DEVICES_MAX, NULL, &worker, &error), &error);
    cuda_limits_replace(NULL);
    measure_must(engine_cuda.compile(NULL, 0, plan, &worker, &error), &error);
    for (uint32_t i = 0; i < s->repeats + 1 && right; i++) { /* the first warms up */
        struct engine_chunk chunk = {.bytes = s->bytes, .owned = s->count};
        struct engine_words begins = {.address = arrays->device.address, .room = expected + 1};
        struct engine_task task = {.chunk = &chunk,
                                   .want = ENGINE_WANT_HITS,
                                   .output = ENGINE_OUTPUT_ARRAY,
                                   .words = &begins};
        double begin = measure_now();

        if (to_host)
            begins.host = (uint64_t *)(void *)arrays->host.bytes;
        worker->kernel_ns = 0;
        measure_must(engine_cuda.submit(worker, &task, &error), &error);
        if (i > 0) {
            calls[i - 1] = measure_now() - begin;
            kernels[i - 1] = (double)worker->kernel_ns * 1e-9;
        }
        right = begins.count == expected;
        if (right && !to_host) {
            measure_must(cuda_device_enter(s->worker->device, &error), &error);
            (void)timed_copy(s, &arrays->host, arrays->device.address, bytes);
            cuda_device_leave(s->worker->device);
        }
        if (right && i == 0) {
            memcpy(arrays->checked.bytes, arrays->host.bytes, bytes);
            right = all_right(s, (const uint64_t *)(const void *)arrays->checked.bytes, expected,
                              pattern, pattern_bytes);
        }
        right = right && memcmp(arrays->checked.bytes, arrays->host.bytes, bytes) == 0;
        memset(arrays->host.bytes, 0, bytes);
    }
    engine_cuda.release(worker);
    trawl_plan_free(plan);
    s->figures++;
    s->wrong += !right;
    if (!right)
        printf("WRONG begins: m = %" PRIu64 " ", pattern_bytes);
    if (!right)
        return false;
    figure->call = measure_median(calls, s->repeats);
    figure->kernel = measure_median(kernels, s->repeats);
    return true;
}

static void hits_row(struct session *s, const char *what, const uint8_t *pattern,
                     uint64_t pattern_bytes)
{
    uint64_t expected = roofline_count(s, pattern, pattern_bytes);
    struct cuda_limits limits = roofline_limits(&roofline_variants[0]);
    struct figure count, list = {0, 0}, tiles = {0, 0}, host = {0, 0}, scan = {0, 0};
    struct arrays arrays;

    printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |", what, pattern_bytes, s->count >> 10,
           expected);
    arrays_open(s, expected, &arrays);
    if (roofline_measure(s, &roofline_variants[0], &limits, pattern, pattern_bytes,
                         ENGINE_WANT_COUNT, expected, &count) &&
        measure_begins(s, true, pattern, pattern_bytes, expected, &arrays, false, &list) &&
        measure_begins(s, false, pattern, pattern_bytes, expected, &arrays, false, &tiles) &&
        measure_begins(s, true, pattern, pattern_bytes, expected, &arrays, true, &host) &&
        roofline_measure(s, &roofline_variants[0], &limits, pattern, pattern_bytes,
                         ENGINE_WANT_HITS, expected, &scan)) {
        double least = arrays.copy_seconds > count.call ? arrays.copy_seconds : count.call;

        printf(" %.3f %.3f | %.3f %.3f | %.2f | %.3f | %.2f | %.2f | %.3f |",
               s->read_seconds / count.call, s->read_seconds / count.kernel, count.call / list.call,
               count.kernel / list.kernel, arrays.fill_seconds / list.call,
               count.kernel / tiles.kernel, least / host.call,
               (double)expected * 8e-9 / arrays.copy_seconds, least / scan.call);
    }
    arrays_close(s, &arrays);
    printf("\n");
    (void)fflush(stdout);
}

/* The pattern at every `distance`-th place of a text of letters. */
static void plant(struct session *s, const uint8_t *pattern, uint64_t pattern_bytes,
                  uint64_t distance)
{
    for (uint64_t i = 0; i + pattern_bytes <= s->count; i += distance)
        memcpy(s->bytes + i, pattern, pattern_bytes);
}

void roofline_lists(struct session *s)
{
    static const uint8_t pattern[] = "OccurrenceSomewhere!";
    static const uint64_t lengths[] = {1, 2, 4, 6, 8, 10, 16}, dense[] = {1, 4, 8, 16};
    uint64_t bytes = s->room;

    if (roofline_late(s, "positions"))
        return;
    printf("\n## Positions of all: count x read; list on the device x that count; both by the "
           "host's clock, the device's; x fill of the array; list by tile kernels x count; list in "
           "pinned memory x the longer of count and copy; the copy's GB/s; scan with hits, "
           "likewise\n"
           "| hits | m | text KiB | count | count | list | fill | tiles | to host | GB/s | scan |\n"
           "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (uint64_t distance = 10000; distance >= 100; distance /= 100) {
        s->count = bytes;
        measure_fill(s->bytes, bytes, MEASURE_LETTERS);
        plant(s, pattern, 20, distance);
        roofline_load(s, bytes);
        for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths && !roofline_late(s, "a list");
             i++)
            hits_row(s, distance == 100 ? "1 %" : "0.01 %", pattern, lengths[i]);
        roofline_unload(s);
    }
    bytes = s->room / 64;
    memset(s->bytes, 'a', bytes);
    roofline_load(s, bytes);
    for (uint32_t i = 0; i < sizeof dense / sizeof *dense && !roofline_late(s, "a list"); i++)
        hits_row(s, "each place", s->bytes, dense[i]);
    roofline_unload(s);
}
