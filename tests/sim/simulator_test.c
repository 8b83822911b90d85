/* simulator_test: shows that the simulator finds faults: runs small kernels, each with a fault,
 * under many seeds. Also measures whether kernels read as many bytes as the comments at the tops of
 * their files promise. */
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

#include "cuda/kernels/simt.h"

#define SEEDS 20u
#define FENCE_SEEDS 200u
#define SUM_THREADS 64u

struct sum_arguments {
    const uint32_t *values; /* SUM_THREADS */
    uint32_t *sums;         /* one per block */
    uint32_t fault;
};

enum fault {
    FAULT_NONE,
    FAULT_NO_BARRIER,
    FAULT_READ_OUTSIDE,
    FAULT_WRITE_OUTSIDE,
    FAULT_MISALIGNED,
    FAULT_LEAVES_EARLY,
    FAULT_DIVERGES,
    FAULT_SHARED_OUTSIDE,
    FAULT_NEVER_ENDS,
    FAULT_WAITS_FOR_EVER,
    FAULT_ONE_SHORT,
    FAULT_NO_FENCE,
    FAULT_NO_FENCE_AFTER
};

/* Computes a block's sum in shared memory: each step adds the upper half of the sums to the lower
 * half. */
SIMT_KERNEL(sum_kernel, sum_arguments, SUM_THREADS, 1)
{
    SIMT_SHARED(uint32_t, part, SUM_THREADS);
    uint32_t t = simt_thread();

    if (args.fault == FAULT_LEAVES_EARLY && t == 5)
        return;
    if (args.fault == FAULT_DIVERGES && t == 7)
        simt_warp_sync();
    part[t] = simt_load_u32(args.values + t + (args.fault == FAULT_READ_OUTSIDE && t == 63));
    if (args.fault == FAULT_MISALIGNED && t == 9)
        (void)simt_load_u64((const uint64_t *)(const void *)(args.values + 1));
    while (args.fault == FAULT_NEVER_ENDS)
        simt_warp_sync();
    while (args.fault == FAULT_WAITS_FOR_EVER && t == 3 &&
           simt_load_relaxed_u32(args.sums) != UINT32_MAX)
        simt_pause();
    if (args.fault == FAULT_ONE_SHORT && t != 7)
        simt_wait(1);
    for (uint32_t half = SUM_THREADS / 2; half > 0; half /= 2) {
        if (args.fault != FAULT_NO_BARRIER)
            simt_barrier();
        else
            simt_warp_sync();
        if (t < half)
            part[t] += part[t + half];
    }
    if (args.fault == FAULT_SHARED_OUTSIDE && t == 0)
        part[SUM_THREADS] = 1;
    if (t == 0)
        simt_store_u32(args.sums + simt_block() + (args.fault == FAULT_WRITE_OUTSIDE), part[0]);
}

/* Each block adds its sum to total[0], then counts itself in total[1] with an atomic. The last
 * block to count itself copies total[0] to total[2]. */
SIMT_KERNEL(total_kernel, sum_arguments, SUM_THREADS, 1)
{
    uint64_t *total = (uint64_t *)(void *)args.sums, done = 0;

    if (simt_warp() != 0)
        return;
    if (simt_lane() < 2)
        simt_add_u64(&total[0], 1);
    if (args.fault != FAULT_NO_FENCE)
        simt_fence();
    simt_warp_sync();
    if (simt_lane() == 0)
        done = simt_atomic_add_u64(&total[1], 1) + 1;
    if (done != simt_blocks())
        return;
    if (args.fault != FAULT_NO_FENCE_AFTER)
        simt_fence();
    simt_store_u64(&total[2], simt_load_relaxed_u64(&total[0]));
}

/* Runs total_kernel under FENCE_SEEDS seeds. Returns under how many of them the last block's copy
 * lacked a part of the sum. */
static uint32_t totals_missed(enum fault fault)
{
    static const struct sim_kernel total = {"total", total_kernel_entry,
                                            total_kernel_arguments_bytes, 0};
    uint64_t words[3] = {0, 0, 0};
    struct sum_arguments arguments = {NULL, (uint32_t *)(void *)words, fault};
    uint32_t missed = 0;

    sim_range_add(words, sizeof words);
    for (uint64_t seed = 1; seed <= FENCE_SEEDS; seed++) {
        const char *report = NULL;

        memset(words, 0, sizeof words);
        sim_seed(seed);
        TEST_CHECK(sim_grid(&total, &arguments, 8, SUM_THREADS, &report));
        TEST_CHECK_U64(words[0], 16);
        missed += words[2] != 16;
    }
    sim_range_remove(words);
    printf("a sum over blocks %s: missed in %" PRIu32 " of %u schedules\n",
           fault == FAULT_NO_FENCE         ? "without a fence before its sign"
           : fault == FAULT_NO_FENCE_AFTER ? "without a fence after its sign"
                                           : "with its fences",
           missed, FENCE_SEEDS);
    return missed;
}

static const struct sim_kernel sum = {"sum", sum_kernel_entry, sum_kernel_arguments_bytes, 0};

/* Runs sum_kernel under SEEDS seeds. Returns under how many of them the sum was wrong or the
 * simulator reported a fault. Writes the last report to `words`. */
static uint32_t caught(enum fault fault, char *words, size_t words_bytes)
{
    uint32_t *values = (uint32_t *)test_memory(SUM_THREADS * sizeof(uint32_t) + 64);
    uint32_t *sums = (uint32_t *)test_memory(4 * sizeof(uint32_t) + 64);
    struct sum_arguments arguments = {values, sums, fault};
    uint32_t expected = 0, count = 0;

    for (uint32_t i = 0; i < SUM_THREADS; i++)
        expected += values[i] = i * i + 1;
    sim_range_add(values, SUM_THREADS * sizeof(uint32_t));
    sim_range_add(sums, 4 * sizeof(uint32_t));
    sim_switches_max(20000);
    words[0] = '\0';
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const char *report = NULL;
        bool right = true;

        memset(sums, 0, 4 * sizeof(uint32_t));
        sim_seed(seed);
        if (!sim_grid(&sum, &arguments, 4, SUM_THREADS, &report)) {
            (void)snprintf(words, words_bytes, "%s", report);
            count++;
            continue;
        }
        for (uint32_t b = 0; b < 4; b++)
            right &= sums[b] == expected;
        count += !right;
    }
    sim_switches_max(0);
    sim_range_remove(values);
    sim_range_remove(sums);
    free(values);
    free(sums);
    return count;
}

static void check_fault(enum fault fault, const char *name, uint32_t at_least, const char *words)
{
    char report[600];
    uint32_t count = caught(fault, report, sizeof report);

    printf("%s: noticed in %" PRIu32 " of %u schedules\n", name, count, SEEDS);
    TEST_CHECK(count >= at_least && (at_least > 0 || count == 0));
    if (!TEST_CHECK(strstr(report, words) != NULL))
        printf("  %s\n", report);
}

/* Returns how many bytes of device memory a scan reads per byte of the text, which has no match. */
static double traffic(enum trawl_method method, const char *pattern, uint64_t text_bytes)
{
    struct test_random random = test_random_begin("traffic");
    struct cuda_case config = {.method = method, .want = WANT_COUNT, .chunk_bytes = text_bytes};
    struct engine_options options = {.size = sizeof options};
    char message[CUDA_CASE_MESSAGE_BYTES] = "";
    struct engine_worker *worker = NULL;
    struct engine *engine = NULL;
    struct diff_expected expected;
    struct diff_input input;
    struct trawl_error error;

    input_begin(&random, INPUT_LETTERS_26, text_bytes, &input);
    input_add_pattern(&input, (const uint8_t *)pattern, strlen(pattern));
    expected_compute(&input, &expected);
    TEST_CHECK(engine_cuda.open(&options, &engine, &error) == TRAWL_OK);
    TEST_CHECK(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, &error) == TRAWL_OK);
    sim_counters_reset();
    TEST_CHECK(cuda_case_run(engine, worker, &input, &expected, &config, message, &error) ==
               CUDA_CASE_RIGHT);
    engine_cuda.release(worker);
    engine_cuda.close(engine);
    expected_free(&expected);
    input_free(&input);
    return (double)sim_counters().global_read_bytes / (double)text_bytes;
}

static void check_traffic(enum trawl_method method, const char *name, const char *pattern,
                          double min, double max)
{
    /* The text is so long that bytes which each block loads only once do not matter. */
    double bytes = traffic(method, pattern, 1 << 22);

    printf("%s: %.3f bytes read per text byte, promised %.3f to %.3f\n", name, bytes, min, max);
    TEST_CHECK(bytes >= min && bytes <= max);
}

int main(void)
{

    test_begin("simulator");
    check_fault(FAULT_NONE, "a right kernel", 0, "");
    check_fault(FAULT_NO_BARRIER, "barriers only of the warp", SEEDS / 2, "");
    check_fault(FAULT_READ_OUTSIDE, "a read outside", SEEDS, "thread 63: a read outside");
    check_fault(FAULT_WRITE_OUTSIDE, "a write outside", SEEDS, "a write outside of device memory");
    check_fault(FAULT_MISALIGNED, "a misaligned read", SEEDS, "misaligned");
    check_fault(FAULT_LEAVES_EARLY, "a thread that leaves early", SEEDS, "waits for its block");
    check_fault(FAULT_DIVERGES, "a lane that goes its own way", SEEDS, "");
    if (!TEST_SANITIZED) /* AddressSanitizer would end the test here, rightly */
        check_fault(FAULT_SHARED_OUTSIDE, "a write beyond a shared array", SEEDS, "array part");
    check_fault(FAULT_NEVER_ENDS, "a kernel that never ends", SEEDS, "still running");
    check_fault(FAULT_WAITS_FOR_EVER, "a word that nobody writes", SEEDS, "waits for a word");
    check_fault(FAULT_ONE_SHORT, "a named barrier that a thread passes by", SEEDS,
                "waits at a named barrier");
    TEST_CHECK_U64(totals_missed(FAULT_NONE), 0);
    TEST_CHECK(totals_missed(FAULT_NO_FENCE) >= FENCE_SEEDS / 20);
    TEST_CHECK(totals_missed(FAULT_NO_FENCE_AFTER) >= FENCE_SEEDS / 20);

    cuda_driver_replace(sim_driver_table());
    cuda_limits_replace(NULL);
    sim_driver_reset_usual(1);
    check_traffic(TRAWL_METHOD_GRAMS, "grams", "Qqzjxwvkpq", 1.0, 1.03);
    check_traffic(TRAWL_METHOD_EVERY, "every", "Qqzjxwvkpq", 1.0, 1.03);
    check_traffic(
        TRAWL_METHOD_SAMPLED, "sampled, stride 64",
        "Qqzjxwvkpq0123456789Qqzjxwvkpq9876543210Qjxzwvkpq0011223344556677889900998877000",
        16.0 / 64, 17.0 / 64);
    return test_end();
}
