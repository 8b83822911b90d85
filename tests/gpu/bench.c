/* bench: how fast the CUDA engine counts in a text that lies on the device, against the speed at
 * which the same device reads the same text in the same run.
 *
 *     gpu_bench [GIB [REPEATS]]      default: 8 GiB, 9 repeats
 *
 * Two times per row, the median of the repeats: `scan`, one lane of the engine in pieces of nearly
 * 4 GiB, and `call`, trawl_count through the public functions. Each timed run's count is compared
 * with the CPU engine's; a wrong one ends the benchmark with status 1.
 */
#include <pthread.h>
#include <time.h>

#include "cuda/lane.h"
#include "plan/plan.h"
#include "gpu/gpu.h"

#define PIECE_BYTES ((1ull << 32) - (1ull << 20))
#define REPEATS_MAX 99u
#define FILLERS 16u
#define SLACK_BYTES 64u

struct fill {
    uint8_t *bytes;
    uint64_t count;
    uint64_t seed;
    bool dna;
};

static double now_seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *fill_part(void *argument)
{
    const struct fill *fill = (const struct fill *)argument;
    struct test_random random = {fill->seed};

    for (uint64_t i = 0; i < fill->count; i += 8) {
        uint64_t word = test_random_u64(&random);

        for (uint64_t j = i; j < i + 8 && j < fill->count; j++, word >>= 8)
            fill->bytes[j] =
                fill->dna ? (uint8_t)("ACGT"[word & 3]) : (uint8_t)('a' + (word & 0xff) * 26 / 256);
    }
    return NULL;
}

static void fill_text(uint8_t *bytes, uint64_t count, bool dna)
{
    pthread_t threads[FILLERS];
    struct fill fills[FILLERS];

    for (uint64_t i = 0; i < FILLERS; i++) {
        uint64_t begin = count / FILLERS * i;
        uint64_t end = i + 1 == FILLERS ? count : count / FILLERS * (i + 1);
        struct fill fill = {bytes + begin, end - begin, 1000 * i + dna, dna};

        fills[i] = fill;
        if (pthread_create(&threads[i], NULL, fill_part, &fills[i]) != 0)
            exit(1);
    }
    for (uint32_t i = 0; i < FILLERS; i++)
        (void)pthread_join(threads[i], NULL);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *seconds, uint32_t count)
{
    qsort(seconds, count, sizeof *seconds, compare_doubles);
    return seconds[count / 2];
}

static void must(enum trawl_status status, const struct trawl_error *error)
{
    if (status == TRAWL_OK)
        return;
    printf("bench: %s\n", error->message);
    exit(1);
}

/* The engine alone: one lane, pieces as large as they may be. */
static uint64_t scan_all(struct engine_lane *lane, const struct trawl_plan *plan,
                         const uint8_t *text, uint64_t text_bytes)
{
    struct engine_result result;
    struct trawl_error error;
    uint64_t count = 0;

    memset(&result, 0, sizeof result);
    for (uint64_t begin = 0; begin < text_bytes; begin += PIECE_BYTES) {
        uint64_t left = text_bytes - begin;
        struct engine_chunk chunk = {text + begin, begin, left, 0, 0, 0};

        if (left > PIECE_BYTES) {
            chunk.owned = PIECE_BYTES;
            chunk.after =
                left - PIECE_BYTES < plan->need_after ? left - PIECE_BYTES : plan->need_after;
            chunk.readable = chunk.after;
        }
        must(engine_cuda.scan(lane, &chunk, 0, ENGINE_WANT_COUNT, &result, &error), &error);
        count += result.count;
    }
    hits_release(&result.hits);
    return count;
}

/* Seconds to read the loaded text once: the bar. */
static double read_all(struct engine_lane *lane, const uint8_t *text, uint64_t text_bytes,
                       uint32_t repeats)
{
    struct cuda_device *device = lane->device;
    struct cuda_function *function = NULL;
    struct scan_arguments arguments;
    struct trawl_error error;
    double seconds[REPEATS_MAX];
    uint64_t address = 0, at = 0;
    void *parameters[] = {&arguments};
    int blocks = 0;

    memset(&arguments, 0, sizeof arguments);
    if (!cuda_lane_resident(lane, text, text_bytes, &address, &at))
        exit(1);
    arguments.text = (const uint8_t *)(uintptr_t)address;
    arguments.text_end = text_bytes;
    arguments.limit = 1;
    must(cuda_device_enter(device, &error), &error);
    must(CUDA_CALL(device, &error, module_function, &function, device->module, "scan_read"),
         &error);
    must(CUDA_CALL(device, &error, occupancy, &blocks, function, 256, 0), &error);
    for (uint32_t i = 0; i < repeats + 1; i++) {
        double begin = now_seconds();

        must(CUDA_CALL(device, &error, launch, function, (unsigned)blocks * device->multiprocessors,
                       1, 1, 256, 1, 1, 0, lane->stream, parameters, NULL),
             &error);
        must(CUDA_CALL(device, &error, stream_wait, lane->stream), &error);
        if (i > 0)
            seconds[i - 1] = now_seconds() - begin;
    }
    cuda_device_leave(device);
    return median(seconds, repeats);
}

struct bench {
    const uint8_t *bytes;
    uint64_t count;
    uint32_t repeats;
    const char *alphabet;
    double read_seconds;
    struct engine_lane *lane;
    struct trawl_searcher *gpu, *cpu;
    struct trawl_text *text;
};

static void bench_row(const struct bench *bench, uint64_t pattern_bytes)
{
    static const char *const names[] = {"auto", "every", "words", "sampled", "set"};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern pattern = {bench->bytes + bench->count / 3, pattern_bytes};
    double scan_seconds[REPEATS_MAX], call_seconds[REPEATS_MAX], scan, call, gb;
    struct trawl_plan *plan = NULL;
    uint64_t expected = 0, got = 0;
    struct trawl_error error;

    options.sample = bench->bytes;
    options.sample_bytes = 1 << 16;
    must(trawl_plan_build(&pattern, 1, &options, &plan, &error), &error);
    must(trawl_count(bench->cpu, plan, bench->text, &expected, &error), &error);
    must(engine_cuda.lane_begin(bench->lane, plan, &error), &error);
    for (uint32_t i = 0; i < bench->repeats + 1; i++) {
        double begin = now_seconds(), middle;

        got = scan_all(bench->lane, plan, bench->bytes, bench->count);
        middle = now_seconds();
        if (got == expected)
            must(trawl_count(bench->gpu, plan, bench->text, &got, &error), &error);
        if (got != expected) {
            printf("bench: m = %" PRIu64 ": counted %" PRIu64 ", the CPU %" PRIu64 "\n",
                   pattern_bytes, got, expected);
            exit(1);
        }
        if (i > 0) {
            scan_seconds[i - 1] = middle - begin;
            call_seconds[i - 1] = now_seconds() - middle;
        }
    }
    scan = median(scan_seconds, bench->repeats);
    call = median(call_seconds, bench->repeats);
    gb = (double)bench->count * 1e-9;
    printf("| %s | %" PRIu64 " | %s | %" PRIu64 " | %.0f | %.2f | %.0f | %.2f |\n", bench->alphabet,
           pattern_bytes, names[plan->method], expected, gb / scan, bench->read_seconds / scan,
           gb / call, bench->read_seconds / call);
    (void)fflush(stdout);
    trawl_plan_free(plan);
}

static void bench_text(struct bench *bench, struct engine *engine, uint8_t *bytes, bool dna)
{
    static const uint64_t lengths[] = {1, 4, 8, 16, 128, 1024, 16384};
    struct trawl_error error;
    double begin;

    fill_text(bytes, bench->count, dna);
    bench->alphabet = dna ? "ACGT" : "a-z";
    must(trawl_text_from_memory(bytes, bench->count, &bench->text, &error), &error);
    begin = now_seconds();
    must(engine_cuda_load(engine, bytes, bench->count, &error), &error);
    printf("load: %.1f GB/s\n", (double)bench->count * 1e-9 / (now_seconds() - begin));
    must(trawl_text_load(bench->gpu, bench->text, &error), &error);
    bench->read_seconds = read_all(bench->lane, bytes, bench->count, bench->repeats);
    printf("read speed: %.0f GB/s\n\n", (double)bench->count * 1e-9 / bench->read_seconds);
    printf("| text | m | method | count | scan GB/s | x read | call GB/s | x read |\n"
           "|---|---:|---|---:|---:|---:|---:|---:|\n");
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        bench_row(bench, lengths[i]);
    trawl_text_unload(bench->gpu, bench->text);
    engine_cuda_unload(engine, bytes);
    trawl_text_close(bench->text);
}

int main(int argc, char **argv)
{
    uint64_t gib = argc > 1 ? strtoull(argv[1], NULL, 10) : 8;
    uint64_t repeats = argc > 2 ? strtoull(argv[2], NULL, 10) : 9;
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    double begin = now_seconds();
    struct trawl_error error;
    struct engine *engine;
    struct bench bench;
    uint8_t *bytes;

    engine = gpu_open();
    printf("engine open: %.0f ms\n", 1e3 * (now_seconds() - begin));
    memset(&bench, 0, sizeof bench);
    bench.count = gib << 30;
    bench.repeats = repeats > 0 && repeats <= REPEATS_MAX ? (uint32_t)repeats : 9;
    bytes = (uint8_t *)malloc(bench.count + SLACK_BYTES);
    if (bytes == NULL)
        return 1;
    bench.bytes = bytes;
    must(engine_cuda.lane_open(engine, &bench.lane, &error), &error);
    options.engine = TRAWL_ENGINE_CUDA;
    must(trawl_searcher_open(&options, &bench.gpu, &error), &error);
    options.engine = TRAWL_ENGINE_CPU;
    must(trawl_searcher_open(&options, &bench.cpu, &error), &error);
    printf("device: %s\n", bench.lane->device->name);
    bench_text(&bench, engine, bytes, false);
    bench_text(&bench, engine, bytes, true);
    trawl_searcher_close(bench.gpu);
    trawl_searcher_close(bench.cpu);
    engine_cuda.lane_close(bench.lane);
    begin = now_seconds();
    engine_cuda.close(engine);
    printf("\nengine close: %.0f ms\n", 1e3 * (now_seconds() - begin));
    free(bytes);
    return 0;
}
