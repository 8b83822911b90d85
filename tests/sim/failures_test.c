/* failures_test: driver call N fails, for every N: once, and from N on, with each of the codes that
 * matter. Whatever fails: no wrong answer, a status of the allowed ones with a message, nothing
 * left behind; and, where the failure was a single one, the same engine and worker then give the
 * right answer. Then: opening and closing many times; two devices; little memory.
 */
#if TRAWL_GALLERY
#include "gallery/tests/gallery_case.h"
#endif
#include "calls.h"
#include "cuda/device.h"
#include "cuda/worker.h"
#include "letters.h"
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"

#define OPEN_CLOSE_TIMES (TEST_SANITIZED ? 200u : 1000u)
#define CALLS_MAX 4000u /* more calls than this in one workload would be a mistake of the test */

static const int codes[] = {CUDA_CODE_OUT_OF_MEMORY, CUDA_CODE_LAUNCH_FAILED, CUDA_CODE_UNKNOWN};

#define CODES (sizeof codes / sizeof *codes)

struct workload {
    const char *name;
    enum trawl_method method;
    enum want want;
    bool resident;
    const char *patterns[3];
    uint64_t text_bytes;
    const char *algorithm; /* NULL: the method */
};

static const struct workload workloads[] = {
    {"count, every", TRAWL_METHOD_EVERY, WANT_COUNT, false, {"abcab"}, 3000, NULL},
    {"hits in steps, set", TRAWL_METHOD_SET, WANT_HITS, false, {"a", "ab", "bca"}, 900, NULL},
    {"hits, sampled",
     TRAWL_METHOD_SAMPLED,
     WANT_HITS,
     false,
     {"abcabcabcabcabcabcabcabcabcabcabcabc"},
     3000,
     NULL},
    {"count, loaded, sampled",
     TRAWL_METHOD_SAMPLED,
     WANT_COUNT,
     true,
     {"abcabcabcabcabcabcabcabcabcabcabcabc"},
     3000,
     NULL},
    {"hits, loaded, every", TRAWL_METHOD_EVERY, WANT_HITS, true, {"bcabcabca"}, 1000, NULL},
    /* More candidates than the budget: the stream's tiles are counted by a second launch. */
    {"count, a stream that floods",
     TRAWL_METHOD_EVERY,
     WANT_COUNT,
     false,
     {"abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"},
     2500,
     NULL},
    {"count, loaded, chosen as a set",
     TRAWL_METHOD_AUTO,
     WANT_COUNT,
     true,
     {"bcabcabca"},
     1000,
     NULL},
    {"first, loaded, grams", TRAWL_METHOD_GRAMS, WANT_FIRST, true, {"cabcabca"}, 2000, NULL},
#if TRAWL_GALLERY
    {"count, gallery, debug code", 0, WANT_COUNT, false, {"abcab"}, 900, "pss-gr:64,debug"},
    {"hits, gallery, children", 0, WANT_HITS, false, {"abca", "bca"}, 300, "qs-swift-binning:64"},
    {"first, gallery, parts", 0, WANT_FIRST, false, {"bcabd"}, 900, "word-chunked:64"},
    {"count, gallery, folded", 0, WANT_COUNT, true, {"cAB"}, 600, "bmh-shared"},
    {"hits, gallery, a trie", 0, WANT_HITS, false, {"abca", "bca"}, 300, "aho-corasick"},
    {"first, gallery, reduction", 0, WANT_FIRST, true, {"bcabd"}, 700, "word-reduction:64"},
#endif
};
#define WORKLOADS (sizeof workloads / sizeof *workloads)

struct injected {
    uint64_t failures;
    uint64_t survived; /* with the right answer all the same: what failed was a hint */
};

static void reset(uint32_t devices, uint64_t memory_bytes, uint64_t seed)
{
    struct sim_driver_options options = {seed, devices, memory_bytes, 2, 0, 0, 0};

    sim_driver_reset(&options);
}

#if TRAWL_GALLERY
static const struct engine_ops *const algorithm_ops = &engine_gallery;

static void small_gallery_limits(void)
{
    static const struct gallery_limits limits = {.part_bytes = 300,
                                                 .shift_begins = 40,
                                                 .child_threads_max = 32,
                                                 .child_grids_max = 40,
                                                 .trie_states_max = 100};

    gallery_limits_replace(&limits);
}
#else
static const struct engine_ops *const algorithm_ops = NULL;

static void small_gallery_limits(void)
{
}
#endif

static void small_limits(void)
{
    struct cuda_limits limits = letters_limits();

    limits.staging_bytes = 700;
    limits.text_bytes_max = 1200;
    limits.room_step_bytes = 1;
    limits.hits_room_min = 16;
    limits.hits_max = 200;
    limits.streams = true;
    limits.sets_counted_min = 0;
    limits.seen_method = TRAWL_METHOD_SET;
    cuda_limits_replace(&limits);
    small_gallery_limits();
}

static void make_input(const struct workload *work, struct diff_input *input)
{
    struct test_random random = test_random_begin(work->name);

    input_begin(&random, INPUT_LETTERS_1, work->text_bytes, input);
    for (uint64_t i = 0; i < input->text_bytes; i++)
        input->text[i] = (uint8_t)("abc"[i % 97 % 3]);
    if (strstr(work->name, "folded") != NULL)
        input->flags = NAIVE_IGNORE_CASE;
    for (uint32_t i = 0; i < 3 && work->patterns[i] != NULL; i++)
        input_add_pattern(input, (const uint8_t *)work->patterns[i], strlen(work->patterns[i]));
}

static bool is_allowed(const struct trawl_error *error)
{
    return (error->status == TRAWL_ENGINE || error->status == TRAWL_DEVICE ||
            error->status == TRAWL_MEMORY) &&
           error->message[0] != '\0';
}

/* Open, search, and once the fault is gone search again with what is open, close. */
static enum cuda_case_answer work_once(const struct workload *work, const struct diff_input *input,
                                       const struct diff_expected *expected, bool again,
                                       char *message, struct trawl_error *error)
{
    struct cuda_case config = {
        work->method,   work->want,      1 + work->text_bytes / 2,
        work->resident, work->algorithm, work->algorithm == NULL ? &engine_cuda : algorithm_ops};
    struct engine_options options = {.size = sizeof options};
    enum cuda_case_answer answer = CUDA_CASE_FAILED;
    struct engine *engine = NULL, *own;
    struct engine_worker *worker = NULL;

    small_limits();
    if (engine_cuda.open(&options, &engine, error) != TRAWL_OK)
        return CUDA_CASE_FAILED;
    own = engine;
    options.cuda = engine;
    if (work->algorithm != NULL && algorithm_ops->open(&options, &own, error) != TRAWL_OK)
        own = engine; /* out of memory: it is told */
    else if (config.ops->compile(own, ENGINE_DEVICES_MAX, NULL, &worker, error) == TRAWL_OK) {
        answer = cuda_case_run(engine, worker, input, expected, &config, message, error);
        if (again) {
            struct trawl_error second;

            sim_driver_fail(0, 0, false);
            TEST_CHECK(cuda_case_run(engine, worker, input, expected, &config, message, &second) ==
                       CUDA_CASE_RIGHT);
        }
        config.ops->release(worker);
    }
    if (own != engine)
        algorithm_ops->close(own);
    engine_cuda.close(engine);
    return answer;
}

static void fail_each_call(const struct workload *work, int code, bool persistent,
                           struct injected *injected)
{
    struct diff_expected expected;
    struct diff_input input;
    uint64_t nth = 0, calls;

    make_input(work, &input);
    expected_compute(&input, &expected);
    do {
        char message[CUDA_CASE_MESSAGE_BYTES] = "";
        enum cuda_case_answer answer;
        struct trawl_error error;

        memset(&error, 0, sizeof error);
        reset(1, 4u << 20, nth + 1);
        sim_driver_fail(++nth, code, persistent);
        answer = work_once(work, &input, &expected, false, message, &error);
        calls = sim_driver_calls();
        if (!TEST_CHECK(answer == CUDA_CASE_RIGHT
                            ? sim_driver_needed() == NULL
                            : answer == CUDA_CASE_FAILED && is_allowed(&error)) ||
            !TEST_CHECK(sim_driver_report()[0] == '\0') || !TEST_CHECK(sim_driver_live() == 0))
            printf("  %s, call %" PRIu64 " fails%s with %d: answer %d %s %s; %s; %" PRIu64
                   " left\n",
                   work->name, nth, persistent ? " and all after" : "", code, (int)answer, message,
                   error.message, sim_driver_report(), sim_driver_live());
        injected->failures += calls >= nth;
        injected->survived += calls >= nth && answer == CUDA_CASE_RIGHT;
        if (!persistent && calls >= nth) {
            reset(1, 4u << 20, nth + 1);
            sim_driver_fail(nth, code, false);
            (void)work_once(work, &input, &expected, true, message, &error);
            TEST_CHECK(sim_driver_live() == 0);
        }
    } while (nth <= calls && TEST_CHECK(nth < CALLS_MAX) && test_failures < 5);
    expected_free(&expected);
    input_free(&input);
}

static void run_workload(const struct workload *work, const char *what)
{
    char message[CUDA_CASE_MESSAGE_BYTES] = "";
    struct diff_expected expected;
    struct diff_input input;
    struct trawl_error error;

    make_input(work, &input);
    expected_compute(&input, &expected);
    memset(&error, 0, sizeof error);
    if (!TEST_CHECK(work_once(work, &input, &expected, false, message, &error) == CUDA_CASE_RIGHT))
        printf("  %s, %s: %s %s\n", what, work->name, message, error.message);
    TEST_CHECK_U64(sim_driver_live(), 0);
    TEST_CHECK_U64(sim_driver_memory_used(), 0);
    TEST_CHECK(sim_driver_report()[0] == '\0');
    expected_free(&expected);
    input_free(&input);
}

static void open_expecting(uint32_t devices, int version, enum trawl_status expected)
{
    struct sim_driver_options sim_options = {1, devices, 1u << 20, 2, version, 0, 0};
    struct engine_options options = {.size = sizeof options};
    struct engine *engine = NULL;
    struct trawl_error error;

    sim_driver_reset(&sim_options);
    TEST_CHECK(engine_cuda.open(&options, &engine, &error) == expected);
    TEST_CHECK(error.message[0] != '\0');
    printf("refused as it should be: %s\n", error.message);
}

/* An image that the driver is too old for: whichever call says so, the engine is not there, and the
 * message names the driver's version. */
static void image_too_new(void)
{
    static const int unreadable[] = {CUDA_CODE_INVALID_IMAGE, CUDA_CODE_NO_BINARY_FOR_GPU,
                                     CUDA_CODE_UNSUPPORTED_PTX_VERSION};
    struct engine_options options = {.size = sizeof options};

    for (uint32_t c = 0; c < sizeof unreadable / sizeof *unreadable; c++) {
        struct engine *engine = NULL;
        uint64_t named = 0;

        for (uint64_t call = 1; engine == NULL && call < CALLS_MAX; call++) {
            struct trawl_error error = {.message = ""};

            reset(1, 1u << 20, 1);
            sim_driver_fail(call, unreadable[c], false);
            if (engine_cuda.open(&options, &engine, &error) == TRAWL_ENGINE)
                named += strstr(error.message, "(CUDA 12.0)") != NULL;
        }
        TEST_CHECK_U64(named, 2); /* both images */
        if (TEST_CHECK(engine != NULL))
            engine_cuda.close(engine);
        TEST_CHECK_U64(sim_driver_live(), 0);
    }
}

/* Workers on two devices, each right, with a third worker back on the first. */
static void two_devices(void)
{
    struct engine_options options = {.size = sizeof options};
    struct engine_worker *workers[3] = {NULL, NULL, NULL};
    struct engine *engine = NULL;
    struct diff_expected expected;
    struct diff_input input;
    struct trawl_error error;
    char message[CUDA_CASE_MESSAGE_BYTES] = "";

    reset(2, 4u << 20, 5);
    make_input(&workloads[0], &input);
    expected_compute(&input, &expected);
    TEST_CHECK(engine_cuda.open(&options, &engine, &error) == TRAWL_OK);
    for (uint32_t i = 0; i < 3; i++)
        TEST_CHECK(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &workers[i], &error) ==
                   TRAWL_OK);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t w = 0; w < 2; w++) {
            struct cuda_case config = {TRAWL_METHOD_EVERY, WANT_HITS, 5000, w == 1, NULL, NULL};

            TEST_CHECK(cuda_case_run(engine, workers[i], &input, &expected, &config, message,
                                     &error) == CUDA_CASE_RIGHT);
        }
    for (uint32_t i = 0; i < 3; i++)
        engine_cuda.release(workers[i]);
    engine_cuda.close(engine);
    TEST_CHECK_U64(sim_driver_live(), 0);
    TEST_CHECK(sim_driver_report()[0] == '\0');
    expected_free(&expected);
    input_free(&input);
}

/* A device that keeps another limit of child grids than it was told counts as one that was told
 * none. The suite had missed that: its driver sets whatever it is told. */
static void strange_limits(void)
{
    static const size_t rooms[] = {100, 1u << 20};
    const struct cuda_driver *driver = sim_driver_table();
    struct engine_options options = {.size = sizeof options};

    for (uint32_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct engine *engine = NULL;
        struct engine_worker *worker = NULL;

        reset(1, 1u << 20, 1);
        MUST(engine_cuda.open(&options, &engine, NULL));
        MUST(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, NULL));
        MUST(cuda_device_enter(worker->device, NULL));
        TEST_CHECK(driver->limit_set(CUDA_LIMIT_PENDING_LAUNCHES, rooms[i]) == CUDA_CODE_OK);
        sim_driver_fail(2, CUDA_CODE_UNKNOWN, false); /* after the limit was asked for */
        TEST_CHECK_U64(cuda_device_children(worker->device), 2048 - 2048 / 16);
        TEST_CHECK(driver->limit_set(CUDA_LIMIT_PENDING_LAUNCHES, 2048) == CUDA_CODE_OK);
        cuda_device_leave(worker->device);
        engine_cuda.release(worker);
        engine_cuda.close(engine);
        TEST_CHECK_U64(sim_driver_live(), 0);
    }
}

/* In a normal run each workload meets one of the codes, once or from a call on. */
static bool is_fault_for(uint32_t workload, uint32_t code, bool persistent)
{
    return test_turn(workload + CODES - code, CODES) && test_turn(workload / CODES + persistent, 2);
}

int main(void)
{
    static const struct workload large = {
        "large", TRAWL_METHOD_EVERY, WANT_COUNT, false, {"abcab"}, 700000, NULL};
    static const struct workload steps = {
        "hits over several ranges", TRAWL_METHOD_EVERY, WANT_HITS, false, {"a"}, 12000, NULL};
    struct injected injected = {0, 0};

    test_begin("sim failures");
    cuda_driver_replace(sim_driver_table());
    small_limits();
    for (uint32_t w = 0; w < WORKLOADS; w++)
        for (uint32_t c = 0; c < CODES; c++)
            for (int persistent = 0; persistent < 2; persistent++)
                if (is_fault_for(w, c, persistent != 0))
                    fail_each_call(&workloads[w], codes[c], persistent != 0, &injected);
    printf("injected failures: %" PRIu64 ", of which %" PRIu64
           " changed nothing; schedules: %" PRIu64 "\n",
           injected.failures, injected.survived, sim_counters().schedules);
    TEST_CHECK(injected.failures > 500);

    open_expecting(0, 0, TRAWL_ENGINE);
    open_expecting(1, 10020, TRAWL_ENGINE);
    image_too_new();
    two_devices();
    strange_limits();
    reset(1, 4u << 20, 3);
    run_workload(&steps, "hits_max");
    reset(1, 400u << 10, 3); /* less than the text */
    cuda_limits_replace(NULL);
    run_workload(&large, "little memory");
    small_limits();
    reset(1, 4u << 20, 9);
    for (uint32_t i = 0; i < OPEN_CLOSE_TIMES; i++)
        run_workload(&workloads[i % WORKLOADS], "open and close");
    printf("opened and closed %u times: nothing left\n", OPEN_CLOSE_TIMES);
    return test_end();
}
