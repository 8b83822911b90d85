/* pairs: how fast the (position, pattern) pairs of a dense set come to the caller: a text of words,
 * each of the set, in host memory for the CPU and loaded for the device.
 *
 *     gpu_pairs [MIB [REPEATS [CALL]]]       default: 1024 MiB, 5 repeats; CALL: only the device's
 * row of this number, from 0
 *
 * All through the public header, by the host's clock, medians, after one run that does not count;
 * arrays were written to before. Beside each speed of the device stands what it is of the bus, at
 * the 8 bytes per pair that cross it. The bus is a copy from the device to pinned memory in the
 * same run. Each answer of the device is held against the CPU engine's, whose matches are held
 * against the words that the text was made of; wrong ones are printed and end the program with
 * status 1.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "diff/input.h"
#include "measure.h"

#define BUS_BYTES (256ull << 20)
#define BUS_COPIES 5u
#define HIT_BYTES 8.0

enum call {
    CALL_COUNT,
    CALL_SINK,
    CALL_MATCHES,
    CALL_BATCHES,
    CALL_BEGINS,
    CALL_PINNED,
    CALL_DEVICE,
    CALL_PAIRS,
    CALLS
};

static const char *const call_names[CALLS] = {"trawl_count",
                                              "trawl_positions",
                                              "trawl_positions_into",
                                              "trawl_search_next",
                                              "trawl_begins_into",
                                              "the same, pinned memory",
                                              "trawl_begins_on_device",
                                              "trawl_pairs_on_device"};

struct session {
    uint8_t *bytes;
    uint64_t count, pairs, wrong;
    uint32_t repeats;
    struct trawl_plan *plan;
    struct trawl_text *text;
    struct trawl_match *matches, *expected; /* pairs of them */
    uint64_t *begins;
    struct cuda_pinned pinned;
    struct engine_worker *worker; /* with which the arrays below were made */
    struct cuda_memory array;     /* on the device */
    double bus;                   /* bytes per second */
};

/* What a caller sees of all pairs. */
struct seen {
    uint64_t count, sum;
};

static void check(struct session *s, bool right, const char *what)
{
    if (!right)
        printf("WRONG: %s\n", what);
    s->wrong += !right;
}

static uint64_t mix(uint64_t begin, uint64_t pattern)
{
    return begin * 3 + pattern * 0x100000001ull;
}

static int take(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct seen *seen = (struct seen *)context;

    for (uint64_t i = 0; i < match_count; i++)
        seen->sum += mix(matches[i].begin, matches[i].pattern_index);
    seen->count += match_count;
    return 0;
}

static enum trawl_status take_batches(const struct session *s, struct trawl_searcher *searcher,
                                      struct seen *seen, struct trawl_error *error)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;
    enum trawl_status status = trawl_search_open(searcher, s->plan, s->text, 0, &search, error);

    while (status == TRAWL_OK && !batch.last) {
        status = trawl_search_next(search, &batch, error);
        for (uint64_t i = 0; status == TRAWL_OK && i < batch.match_count; i++)
            seen->sum += mix(batch.begins[i], batch.pattern_indices[i]);
        seen->count += status == TRAWL_OK ? batch.match_count : 0;
    }
    trawl_search_close(search);
    return status;
}

static enum trawl_status call_once(struct session *s, struct trawl_searcher *searcher,
                                   enum call call, struct seen *seen, struct trawl_error *error)
{
    switch (call) {
    case CALL_COUNT:
        return trawl_count(searcher, s->plan, s->text, &seen->count, error);
    case CALL_SINK:
        return trawl_positions(searcher, s->plan, s->text, take, seen, error);
    case CALL_MATCHES:
        return trawl_positions_into(searcher, s->plan, s->text, s->matches, s->pairs, &seen->count,
                                    error);
    case CALL_BATCHES:
        return take_batches(s, searcher, seen, error);
    case CALL_BEGINS:
        return trawl_begins_into(searcher, s->plan, s->text, s->begins, s->pairs, &seen->count,
                                 error);
    case CALL_PINNED:
        return trawl_begins_into(searcher, s->plan, s->text, (uint64_t *)(void *)s->pinned.bytes,
                                 s->pairs, &seen->count, error);
    case CALL_DEVICE:
        return trawl_begins_on_device(searcher, s->plan, s->text, s->array.address, s->pairs,
                                      &seen->count, error);
    case CALL_PAIRS:
    case CALLS:
        break;
    }
    return trawl_pairs_on_device(searcher, s->plan, s->text, s->array.address, s->pairs,
                                 &seen->count, error);
}

/* The device's array to the pinned one. */
static void fetch(struct session *s)
{
    struct cuda_device *device = s->worker->device;
    struct trawl_error error;

    measure_must(cuda_device_enter(device, &error), &error);
    measure_must(CUDA_CALL(device, &error, copy_to_host, s->pinned.bytes, s->array.address,
                           (size_t)(s->pairs * sizeof(uint64_t)), s->worker->stream),
                 &error);
    measure_must(CUDA_CALL(device, &error, stream_wait, s->worker->stream), &error);
    cuda_device_leave(device);
}

/* Is what the call left right? */
static void look(struct session *s, enum call call, const struct seen *seen)
{
    const uint64_t *words =
        call == CALL_BEGINS ? s->begins : (const uint64_t *)(const void *)s->pinned.bytes;
    bool has_words = call == CALL_BEGINS || call >= CALL_PINNED;
    uint64_t sum = 0, unlike = 0;

    check(s, seen->count == s->pairs, call_names[call]);
    for (uint64_t i = 0; i < s->pairs; i++)
        sum += mix(s->expected[i].begin, s->expected[i].pattern_index);
    if (call == CALL_SINK || call == CALL_BATCHES)
        check(s, seen->sum == sum, call_names[call]);
    if (call == CALL_MATCHES)
        unlike = memcmp(s->matches, s->expected, s->pairs * sizeof *s->matches) != 0;
    if (call >= CALL_DEVICE)
        fetch(s);
    for (uint64_t i = 0; has_words && i < s->pairs; i++) {
        uint64_t pattern = call == CALL_PAIRS ? s->expected[i].pattern_index : 0;

        unlike += words[i] != s->expected[i].begin + (pattern << TRAWL_PAIR_BEGIN_BITS);
    }
    check(s, unlike == 0, call_names[call]);
}

/* G pairs/s, the median. */
static double measure_call(struct session *s, struct trawl_searcher *searcher, enum call call)
{
    double seconds[MEASURE_REPEATS_MAX];
    struct trawl_error error;

    for (uint32_t i = 0; i < s->repeats + 1; i++) {
        struct seen seen = {0, 0};
        double begin;

        memset(s->matches, 0, s->pairs * sizeof *s->matches);
        begin = measure_now();
        measure_must(call_once(s, searcher, call, &seen, &error), &error);
        if (i > 0)
            seconds[i - 1] = measure_now() - begin;
        look(s, call, &seen);
    }
    return (double)s->pairs / measure_median(seconds, s->repeats) / 1e9;
}

/* The CPU engine's matches, each a piece of the text that is its pattern. */
static void expect(struct session *s, struct trawl_searcher *cpu)
{
    struct trawl_error error;
    uint64_t count = 0;

    measure_must(trawl_count(cpu, s->plan, s->text, &s->pairs, &error), &error);
    s->expected = (struct trawl_match *)test_memory((s->pairs + 1) * sizeof *s->expected);
    s->matches = (struct trawl_match *)test_memory((s->pairs + 1) * sizeof *s->matches);
    s->begins = (uint64_t *)test_memory((s->pairs + 1) * sizeof *s->begins);
    memset(s->begins, 0, (s->pairs + 1) * sizeof *s->begins);
    measure_must(trawl_positions_into(cpu, s->plan, s->text, s->expected, s->pairs, &count, &error),
                 &error);
    check(s, count == s->pairs, "the CPU's count");
    for (uint64_t i = 0; i < s->pairs; i++) {
        const struct trawl_match *match = &s->expected[i];
        struct trawl_pattern pattern = trawl_plan_pattern(s->plan, match->pattern_index);

        if (match->end - match->begin != pattern.bytes_count ||
            memcmp(s->bytes + match->begin, pattern.bytes, pattern.bytes_count) != 0) {
            check(s, false, "a match of the CPU's");
            break;
        }
    }
}

/* Arrays that device and host share, and the bus. */
static void prepare(struct session *s, struct engine_worker *worker)
{
    uint64_t copied = min_u64(BUS_BYTES, s->count);
    uint64_t bytes = max_u64(s->pairs * sizeof(uint64_t), copied);
    struct cuda_device *device = worker->device;
    double seconds[BUS_COPIES];
    struct trawl_error error;

    s->worker = worker;
    measure_must(cuda_device_enter(device, &error), &error);
    measure_must(cuda_pinned_reserve(device, &s->pinned, bytes, &error), &error);
    measure_must(cuda_memory_reserve(device, &s->array, bytes, &error), &error);
    for (uint32_t i = 0; i < BUS_COPIES; i++) {
        double begin = measure_now();

        measure_must(CUDA_CALL(device, &error, copy_to_host, s->pinned.bytes, s->array.address,
                               (size_t)copied, worker->stream),
                     &error);
        measure_must(CUDA_CALL(device, &error, stream_wait, worker->stream), &error);
        seconds[i] = measure_now() - begin;
    }
    cuda_device_leave(device);
    s->bus = (double)copied / measure_median(seconds, BUS_COPIES);
}

static void finish(struct session *s, struct engine *engine, struct engine_worker *worker)
{
    struct trawl_error error;

    measure_must(cuda_device_enter(worker->device, &error), &error);
    cuda_pinned_release(worker->device, &s->pinned);
    cuda_memory_release(worker->device, &s->array);
    cuda_device_leave(worker->device);
    engine_cuda.release(worker);
    engine_cuda.close(engine);
    trawl_text_close(s->text);
    trawl_plan_free(s->plan);
    free(s->expected);
    free(s->matches);
    free(s->begins);
    free(s->bytes);
}

int main(int argc, char **argv)
{
    struct session s = {.count = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1024) << 20};
    struct engine *engine = gpu_open();
    struct trawl_searcher *cpu, *cuda;
    struct engine_worker *worker = NULL;
    struct trawl_error error;

    test_begin("gpu pairs");
    s.repeats = (uint32_t)min_u64(argc > 2 ? strtoull(argv[2], NULL, 0) : 5, MEASURE_REPEATS_MAX);
    s.bytes = (uint8_t *)test_memory(s.count);
    s.plan = measure_words_plan(s.bytes, s.count);
    s.text = measure_text(s.bytes, s.count);
    cpu = measure_searcher(TRAWL_ENGINE_CPU, 0);
    cuda = measure_searcher(TRAWL_ENGINE_CUDA, 0);
    expect(&s, cpu);
    measure_must(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, &error), &error);
    prepare(&s, worker);
    measure_must(trawl_text_load(cuda, s.text, &error), &error);
    printf("gpu_pairs: %s; %" PRIu64 " MiB, %" PRIu64 " pairs, median of %u, bus %.1f GB/s\n"
           "| call | cpu, G pairs/s | cuda | x the bus, at 8 bytes a pair |\n"
           "|---|---:|---:|---:|\n",
           worker->device->name, s.count >> 20, s.pairs, s.repeats, s.bus / 1e9);
    (void)fflush(stdout);
    for (int call = 0; call < CALLS; call++) {
        bool both = call < CALL_PINNED && argc <= 3;
        double host, device;

        if (argc > 3 && strtoull(argv[3], NULL, 0) != (uint64_t)call)
            continue;
        host = both ? measure_call(&s, cpu, (enum call)call) : 0;
        device = measure_call(&s, cuda, (enum call)call);

        printf("| %s | ", call_names[call]);
        if (both)
            printf("%.3f", host);
        printf(" | %.3f | ", device);
        if (call != CALL_COUNT && call < CALL_DEVICE)
            printf("%.2f", device * 1e9 * HIT_BYTES / s.bus);
        printf(" |\n");
        (void)fflush(stdout);
    }
    trawl_text_unload(cuda, s.text);
    trawl_searcher_close(cuda);
    trawl_searcher_close(cpu);
    finish(&s, engine, worker);
    printf("%" PRIu64 " wrong answers\n", s.wrong);
    return s.wrong == 0 ? 0 : 1;
}
