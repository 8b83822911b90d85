/* bench: how fast the CUDA engine counts in a text that lies on the device, against the speed at
 * which the same device reads the same text in the same run.
 *
 *     gpu_bench [GIB [REPEATS]]      default: 8 GiB, 9 repeats
 *
 * Two times per row, the median of the repeats: `scan`, one worker of the engine in pieces of
 * nearly 4 GiB, and `call`, trawl_count through the public functions. Each timed run's count is
 * compared with the CPU engine's; a wrong one ends the benchmark with status 1.
 */
#include "diff/input.h"
#include "measure.h"

struct bench {
    const uint8_t *bytes;
    uint64_t count;
    uint32_t repeats;
    const char *alphabet;
    double read_seconds;
    struct engine_worker *worker;
    struct trawl_searcher *gpu, *cpu;
    struct trawl_text *text;
};

static void bench_row(struct bench *bench, uint64_t pattern_bytes)
{
    static const char *const names[] = {"auto", "every", "words", "sampled", "set", "grams"};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern pattern = {bench->bytes + bench->count / 3, pattern_bytes};
    double scan_seconds[MEASURE_REPEATS_MAX], call_seconds[MEASURE_REPEATS_MAX], scan, call, gb;
    struct trawl_plan *plan = NULL;
    uint64_t expected = 0, got = 0;
    struct trawl_error error;

    options.sample = bench->bytes;
    options.sample_bytes = 1 << 16;
    measure_must(trawl_plan_build(&pattern, 1, &options, &plan, &error), &error);
    measure_must(trawl_count(bench->cpu, plan, bench->text, &expected, &error), &error);
    measure_must(engine_cuda.compile(NULL, 0, plan, &bench->worker, &error), &error);
    for (uint32_t i = 0; i < bench->repeats + 1; i++) {
        double begin = measure_now(), middle;

        got = measure_scan(bench->worker, plan, bench->bytes, bench->count, ENGINE_WANT_COUNT);
        middle = measure_now();
        if (got == expected)
            measure_must(trawl_count(bench->gpu, plan, bench->text, &got, &error), &error);
        if (got != expected) {
            printf("bench: m = %" PRIu64 ": counted %" PRIu64 ", the CPU %" PRIu64 "\n",
                   pattern_bytes, got, expected);
            exit(1);
        }
        if (i > 0) {
            scan_seconds[i - 1] = middle - begin;
            call_seconds[i - 1] = measure_now() - middle;
        }
    }
    scan = measure_median(scan_seconds, bench->repeats);
    call = measure_median(call_seconds, bench->repeats);
    gb = (double)bench->count * 1e-9;
    printf("| %s | %" PRIu64 " | %s | %" PRIu64 " | %.0f | %.2f | %.0f | %.2f |\n", bench->alphabet,
           pattern_bytes, names[plan->method_device], expected, gb / scan,
           bench->read_seconds / scan, gb / call, bench->read_seconds / call);
    (void)fflush(stdout);
    trawl_plan_free(plan);
}

static void bench_text(struct bench *bench, struct engine *engine, uint8_t *bytes, bool dna)
{
    static const uint64_t lengths[] = {1, 4, 8, 16, 128, 1024, 16384};
    struct trawl_error error;
    double begin;

    measure_fill(bytes, bench->count, dna ? MEASURE_DNA : MEASURE_LETTERS);
    bench->alphabet = dna ? "ACGT" : "a-z";
    measure_must(trawl_text_from_memory(bytes, bench->count, &bench->text, &error), &error);
    begin = measure_now();
    measure_must(cuda_residents_load(engine, bytes, bench->count, true, &error), &error);
    printf("load: %.1f GB/s\n", (double)bench->count * 1e-9 / (measure_now() - begin));
    measure_must(trawl_text_load(bench->gpu, bench->text, &error), &error);
    bench->read_seconds =
        measure_read(bench->worker, "scan_read", 4, 1, bytes, bench->count, bench->repeats);
    printf("read speed: %.0f GB/s\n\n", (double)bench->count * 1e-9 / bench->read_seconds);
    printf("| text | m | method | count | scan GB/s | x read | call GB/s | x read |\n"
           "|---|---:|---|---:|---:|---:|---:|---:|\n");
    for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        bench_row(bench, lengths[i]);
    trawl_text_unload(bench->gpu, bench->text);
    cuda_residents_unload(engine, bytes);
    trawl_text_close(bench->text);
}

int main(int argc, char **argv)
{
    uint64_t gib = argc > 1 ? strtoull(argv[1], NULL, 10) : 8;
    uint64_t repeats = argc > 2 ? strtoull(argv[2], NULL, 10) : 9;
    double begin = measure_now();
    struct trawl_error error;
    struct engine *engine;
    struct bench bench;
    uint8_t *bytes;

    engine = gpu_open();
    printf("engine open: %.0f ms\n", 1e3 * (measure_now() - begin));
    memset(&bench, 0, sizeof bench);
    bench.count = gib << 30;
    bench.repeats = repeats > 0 && repeats <= MEASURE_REPEATS_MAX ? (uint32_t)repeats : 9;
    bytes = (uint8_t *)test_memory(bench.count + MEASURE_SLACK_BYTES);
    bench.bytes = bytes;
    measure_must(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &bench.worker, &error),
                 &error);
    bench.gpu = measure_searcher(TRAWL_ENGINE_CUDA, 0);
    bench.cpu = measure_searcher(TRAWL_ENGINE_CPU, 0);
    printf("device: %s\n", bench.worker->device->name);
    bench_text(&bench, engine, bytes, false);
    bench_text(&bench, engine, bytes, true);
    trawl_searcher_close(bench.gpu);
    trawl_searcher_close(bench.cpu);
    engine_cuda.release(bench.worker);
    begin = measure_now();
    engine_cuda.close(engine);
    printf("\nengine close: %.0f ms\n", 1e3 * (measure_now() - begin));
    free(bytes);
    return 0;
}
