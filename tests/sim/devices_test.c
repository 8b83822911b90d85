/* devices_test: what a runtime with simulated devices promises in addition to right answers
 * (table_test.c checks these). A loaded text is copied once and searched on its device. Each device
 * searches its part of a text. Chunks stay within the memory limit. A device that cannot be used is
 * rejected with a reason. Searchers share devices.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cuda/device.h"
#include "cuda/engine_cuda.h"
#include "cuda/cuda_worker.h"
#include "cuda/open.h"
#include "cuda/driver.h"
#include "calls.h"
#include "cuda/limits.h"
#include "diff/held.h"
#include "sim_host.h"
#include "letters.h"
#include "runtime/buffers.h"
#include "runtime/schedule.h"
#include "runtime/search.h"
#include "sim_driver.h"
#include "simulator.h"

#define TEXT_BYTES 23000u
#define CHUNK_BYTES 2000u
#define CALLERS 3u

enum source { SOURCE_MEMORY, SOURCE_FILE, SOURCE_LOADED, SOURCES };
enum shape { SHAPE_COUNT, SHAPE_LIST, SHAPE_BEGINS, SHAPES };

static struct {
    struct letters letters;
    struct trawl_plan *plan;
    struct trawl_text *texts[SOURCES];
    struct diff_input input; /* the letters as text, abc as pattern */
    struct diff_expected expected;
    struct diff_input set; /* two patterns: devices fill arrays of begins list by list */
    struct diff_expected set_expected;
    struct trawl_plan *set_plan;
} fixture;

static void fixture_open(void)
{
    letters_begin(&fixture.letters, "devices", TEXT_BYTES);
    letters_write(&fixture.letters);
    letters_input(&fixture.letters, "abc", &fixture.input);
    expected_compute(&fixture.input, &fixture.expected);
    MUST(held_plan(&fixture.input, NULL, &fixture.plan, NULL));
    letters_input(&fixture.letters, "abc", &fixture.set);
    input_add_pattern(&fixture.set, (const uint8_t *)"de", 2);
    expected_compute(&fixture.set, &fixture.set_expected);
    MUST(held_plan(&fixture.set, NULL, &fixture.set_plan, NULL));
    for (uint32_t i = 0; i < SOURCES; i++)
        fixture.texts[i] = letters_open(&fixture.letters, i == SOURCE_FILE);
}

static void fixture_close(void)
{
    for (uint32_t i = 0; i < SOURCES; i++)
        trawl_text_close(fixture.texts[i]);
    trawl_plan_free(fixture.plan);
    expected_free(&fixture.expected);
    input_free(&fixture.input);
    trawl_plan_free(fixture.set_plan);
    expected_free(&fixture.set_expected);
    input_free(&fixture.set);
    letters_end(&fixture.letters);
}

static void reset(uint32_t devices)
{
    struct cuda_limits limits = cuda_limits_default;

    limits.split_bytes_min = 4000;
    limits.stripe_bytes = 2000;
    limits.split_overlap = 100;
    limits.launch_begins_max = 3000;
    limits.begins_room = 160; /* a stripe (a part of a split text) has more begins than this */
    limits.piece_words = 50;
    limits.hits_room_min = 5;
    cuda_limits_replace(&limits);
    host_devices(devices);
}

/* Searches, and returns true if the answer is right as far as the search got. Searches twice for
 * SHAPE_BEGINS: the second array is too small. */
static bool search(struct trawl_searcher *searcher, enum source source, enum shape shape,
                   enum trawl_status *status)
{
    static const enum held_call calls[SHAPES] = {HELD_COUNT, HELD_POSITIONS, HELD_BEGINS_INTO};
    bool set = shape == SHAPE_BEGINS;
    struct held held = held_begin(
        set ? &fixture.set : &fixture.input, set ? &fixture.set_expected : &fixture.expected,
        set ? fixture.set_plan : fixture.plan, searcher, fixture.texts[source]);
    struct trawl_error error = {.status = TRAWL_OK};
    bool right = true;

    for (uint32_t i = 0; i < (shape == SHAPE_BEGINS ? 2 : 1) && right; i++) {
        *status = held_search(&held, calls[shape], &error);
        right = held.right && (*status == TRAWL_OK || *status == TRAWL_STOPPED ||
                               (error.status == *status && error.message[0] != '\0'));
        if (*status != TRAWL_OK)
            break;
        held.room = held.expected->match_count / 3;
    }
    held_end(&held);
    return right;
}

/* ---- Searchers that share devices --------------------------------------------------------- */

/* A thread with its own searcher. */
struct caller {
    struct trawl_searcher *searcher;
    pthread_t thread;
    uint64_t seed, wrong;
    bool has_budget; /* the runtime has a memory limit that other callers may use up, so MEMORY is
                        a right answer */
    _Atomic bool ended;
};

static void callers_open(struct caller callers[CALLERS], struct trawl_runtime *runtime)
{
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){.searcher = must_searcher_of(runtime, CHUNK_BYTES)};
        atomic_init(&callers[i].ended, false);
    }
}

static void callers_begin(struct caller callers[CALLERS], void *(*what)(void *))
{
    for (uint32_t i = 0; i < CALLERS; i++)
        if (pthread_create(&callers[i].thread, NULL, what, &callers[i]) != 0)
            exit(1);
}

static void callers_join(struct caller callers[CALLERS])
{
    for (uint32_t i = 0; i < CALLERS; i++) {
        (void)pthread_join(callers[i].thread, NULL);
        TEST_CHECK_U64(callers[i].wrong, 0);
    }
}

static void callers_close(struct caller callers[CALLERS], struct trawl_runtime *runtime)
{
    for (uint32_t i = 0; i < CALLERS; i++)
        trawl_searcher_close(callers[i].searcher);
    MUST(trawl_runtime_close(runtime, NULL));
    host_check_driver();
}

/* The thread of a caller: loads the text that all callers share, and searches. No caller unloads
 * it, since others may be searching it. */
static void *load_and_search(void *context)
{
    struct caller *caller = (struct caller *)context;
    enum trawl_status status;

    for (uint32_t i = 0; i < 3; i++) {
        caller->wrong +=
            trawl_text_load(caller->searcher, fixture.texts[SOURCE_LOADED], NULL) != TRAWL_OK;
        caller->wrong +=
            !search(caller->searcher, SOURCE_LOADED, (enum shape)i, &status) || status != TRAWL_OK;
    }
    return NULL;
}

static void loaders(enum trawl_engine engine)
{
    struct caller callers[CALLERS];
    struct trawl_runtime *runtime;

    reset(2);
    runtime = must_runtime(engine, 3, 0);
    callers_open(callers, runtime);
    callers_begin(callers, load_and_search);
    callers_join(callers);
    TEST_CHECK(sim_driver_copied() < 2 * TEXT_BYTES); /* the text was copied once */
    callers_close(callers, runtime);
}

/* Returns how often the pattern occurs in the text's first text_bytes bytes. */
static uint64_t expected_in(uint64_t text_bytes)
{
    uint64_t expected = 0;

    while (expected < fixture.expected.match_count &&
           fixture.expected.matches[expected].begin + 3 <= text_bytes)
        expected++;
    return expected;
}

/* Loads a text while the device `lost` does not work, and checks that the other device holds and
 * searches the text. */
static void load_without(uint32_t lost, uint64_t text_bytes)
{
    struct trawl_text *text = must_text(fixture.letters.bytes, text_bytes);
    uint64_t copied;
    struct host host;

    reset(2);
    host_open(&host, TRAWL_ENGINE_CUDA, 2, CHUNK_BYTES);
    (void)must_count(host.searcher, fixture.plan, text);
    sim_driver_lose(lost, 1);
    MUST(trawl_text_load(host.searcher, text, NULL));
    copied = sim_driver_copied();
    TEST_CHECK(copied >= text_bytes);
    for (uint32_t i = 0; i < 3; i++)
        TEST_CHECK_U64(must_count(host.searcher, fixture.plan, text), expected_in(text_bytes));
    TEST_CHECK(sim_driver_copied() < copied + text_bytes);
    trawl_text_close(text);
    host_close(&host);
}

/* ---- An array on a device ------------------------------------------------------------------ */

/* Fills an array of begins on `device` from a short text that both devices hold. That device must
 * fill the array, whichever device the searcher has chosen. Calls for the device `lost` fail. */
static void fill_on(uint32_t device, uint32_t lost)
{
    uint64_t text_bytes = 3000, room = text_bytes, count = 0, expected = expected_in(text_bytes);
    uint64_t *array = (uint64_t *)test_memory(room * sizeof *array);
    struct trawl_text *text = must_text(fixture.letters.bytes, text_bytes);
    struct trawl_searcher *searchers[3];
    struct trawl_runtime *runtime;
    enum trawl_status status;

    reset(2);
    runtime = must_runtime(TRAWL_ENGINE_CUDA, 2, 0);
    for (uint32_t i = 0; i < 3; i++) { /* the searchers choose devices in turn */
        searchers[i] = must_searcher_of(runtime, CHUNK_BYTES);
        if (i == 0)
            MUST(trawl_text_load(searchers[0], text, NULL));
        TEST_CHECK_U64(must_count(searchers[i], fixture.plan, text), expected);
    }
    sim_driver_own(array, room * sizeof *array, device);
    sim_driver_lose(lost, 1);
    for (uint32_t i = 0; i < 3; i++) {
        memset(array, 0, room * sizeof *array);
        status = ask_begins_into(searchers[i], fixture.plan, text, array, room, &count, NULL);
        TEST_CHECK((status == TRAWL_OK) == (lost != device));
        for (uint64_t k = 0; k < expected && status == TRAWL_OK; k++)
            TEST_CHECK_U64(array[k], fixture.expected.matches[k].begin);
    }
    sim_driver_disown(array);
    for (uint32_t i = 0; i < 3; i++)
        trawl_searcher_close(searchers[i]);
    trawl_text_close(text);
    MUST(trawl_runtime_close(runtime, NULL));
    host_check_driver();
    free(array);
}

/* ---- All schedules at the same time --------------------------------------------------------- */

static void *search_in_storm(void *context)
{
    struct caller *caller = (struct caller *)context;
    struct test_random random = {caller->seed};

    for (uint32_t i = 0; i < 6; i++) {
        enum source source = (enum source)test_random_below(&random, SOURCES);
        enum shape shape = (enum shape)test_random_below(&random, SHAPES);
        enum trawl_status status;

        caller->wrong += !search(caller->searcher, source, shape, &status) ||
                         (status != TRAWL_OK && status != TRAWL_STOPPED &&
                          !(status == TRAWL_MEMORY && caller->has_budget));
    }
    atomic_store(&caller->ended, true);
    return NULL;
}

/* Runs several searchers of a runtime at the same time, under random schedules. Searches may be
 * cancelled, and a device may be lost, at any time. Each call must end, with the right answer or
 * with the reason why the search stopped. */
static void storm(enum trawl_engine engine, uint64_t seed)
{
    struct test_random random = {seed * 977 + 1};
    struct caller callers[CALLERS];
    struct trawl_runtime *runtime;
    bool running = true;

    reset(2);
    runtime =
        must_runtime(engine, (uint32_t)(1 + seed % 4 * 2), seed % 3 == 0 ? 9 * CHUNK_BYTES : 0);
    callers_open(callers, runtime);
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i].seed = seed * CALLERS + i + 1;
        callers[i].has_budget = seed % 3 == 0;
    }
    MUST(trawl_text_load(callers[0].searcher, fixture.texts[SOURCE_LOADED], NULL));
    if (seed % 4 != 3)
        sim_driver_lose((uint32_t)(seed % 2), 1 + test_random_below(&random, 400));
    callers_begin(callers, search_in_storm);
    while (running) {
        (void)usleep((useconds_t)test_random_below(&random, 2000));
        trawl_searcher_cancel(callers[test_random_below(&random, CALLERS - 1)].searcher, false);
        running = false;
        for (uint32_t i = 0; i < CALLERS; i++)
            running |= !atomic_load(&callers[i].ended);
    }
    callers_join(callers);
    callers_close(callers, runtime);
}

/* Checks that each device counts, or lists, the occurrences in its part of the text. */
static void by_all(uint32_t devices, enum shape shape)
{
    const bool lists = shape == SHAPE_BEGINS;
    struct trawl_stats stats;
    struct host host;
    enum trawl_status status;

    reset(devices);
    host_open(&host, TRAWL_ENGINE_CUDA, 4, CHUNK_BYTES);
    MUST(trawl_text_load(host.searcher, fixture.texts[SOURCE_LOADED], NULL));
    for (uint32_t i = 0; i < 3; i++)
        TEST_CHECK(search(host.searcher, SOURCE_LOADED, shape, &status) && status == TRAWL_OK);
    stats = must_stats(host.searcher);
    TEST_CHECK(stats.thread_count >= devices);
    TEST_CHECK_U64(stats.text_bytes, TEXT_BYTES);
    TEST_CHECK_U64(stats.match_count,
                   lists ? fixture.set_expected.match_count : fixture.expected.match_count);
    for (uint32_t i = 0; i < devices; i++) {
        stats = must_worker(host.searcher, 1 + i);
        TEST_CHECK(stats.worker_count == 1 + devices && stats.worker_thread_count > 0 &&
                   stats.worker_chunk_count > 0);
    }
    host_close(&host);
}

/* Fills an array of begins in memory that the device cannot write, list by list. Host threads help
 * to copy the lists. */
static void fill_by_threads(enum trawl_engine engine, uint32_t threads)
{
    uint64_t helped = 0, calls = 0;
    enum trawl_status status;
    struct host host;

    reset(1);
    resident_sizes.helped = 16;
    host_open(&host, engine, threads, CHUNK_BYTES);
    MUST(trawl_text_load(host.searcher, fixture.texts[SOURCE_LOADED], NULL));
    for (; calls < (threads > 1 ? 100 : 2) && helped < 2; calls++) {
        TEST_CHECK(search(host.searcher, SOURCE_LOADED, SHAPE_BEGINS, &status) &&
                   status == TRAWL_OK);
        TEST_CHECK_U64(must_stats(host.searcher).device_chunk_count, 1);
        TEST_CHECK(must_stats(host.searcher).thread_count <= threads);
        helped += must_stats(host.searcher).thread_count > 1;
    }
    TEST_CHECK((helped > 0) == (threads > 1));
    host_close(&host);
    resident_sizes = resident_sizes_default;
}

/* ---- A text in a device's memory ------------------------------------------------------ */

#define LENT_BYTES 60000u /* more than a plan's tables, which are also copied */

static bool can_read(struct trawl_text *text)
{
    uint8_t byte = 0;
    uint64_t got = 0;
    enum trawl_status status = trawl_text_read(text, 0, &byte, 1, &got, NULL);

    TEST_CHECK(status == TRAWL_OK || status == TRAWL_UNSUPPORTED);
    return status == TRAWL_OK;
}

/* Checks that calls which a device carries out alone do not copy its text to the host, and that the
 * host can read the text after a count of lines. */
static void stays_there(void)
{
    static const enum held_call calls[] = {HELD_COUNT,       HELD_FIRST,       HELD_POSITIONS,
                                           HELD_BEGINS_INTO, HELD_COUNT_LINES, HELD_WINDOWS};
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *context, *popped;
    struct trawl_text *text = NULL;
    struct diff_expected expected;
    struct diff_input input;
    struct test_random random = {1};
    struct trawl_plan *plan = NULL;
    struct host host;
    struct held held;
    uint64_t memory = 0;

    reset(1);
    cuda_limits_replace(NULL);
    input_begin(&random, INPUT_LETTERS_4, LENT_BYTES, &input);
    input_add_pattern(&input, (const uint8_t *)"abcabc", 6);
    expected_compute(&input, &expected);
    MUST(held_plan(&input, NULL, &plan, NULL));
    TEST_CHECK(driver->init(0) == 0 && driver->context_retain(&context, 0) == 0 &&
               driver->context_push(context) == 0 &&
               driver->memory_allocate(&memory, LENT_BYTES + 100) == 0 &&
               driver->context_pop(&popped) == 0);
    memcpy((void *)(uintptr_t)(memory + 3), input.text, LENT_BYTES);
    MUST(call_device(memory + 3, LENT_BYTES, &text, NULL));
    host_open(&host, TRAWL_ENGINE_CUDA, 1, 0);
    held = held_begin(&input, &expected, plan, host.searcher, text);
    TEST_CHECK(held_search(&held, HELD_COUNT, NULL) == TRAWL_UNSUPPORTED); /* not loaded yet */
    MUST(trawl_text_load(host.searcher, text, NULL));
    MUST(trawl_text_load(host.searcher, text, NULL)); /* a second load does nothing */
    for (uint32_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        TEST_CHECK(sim_driver_copied() < LENT_BYTES && !can_read(text));
        text->stays = true;
        TEST_CHECK(held_search(&held, calls[i], NULL) ==
                   (i + 1 < sizeof calls / sizeof *calls ? TRAWL_OK : TRAWL_UNSUPPORTED));
        TEST_CHECK(!can_read(text));
        text->stays = false;
        TEST_CHECK(held_search(&held, calls[i], NULL) == TRAWL_OK && held.right);
    }
    TEST_CHECK(can_read(text));
    trawl_searcher_close(host.searcher);
    MUST(trawl_runtime_close(host.runtime, NULL));
    held_end(&held);
    trawl_text_close(text);
    TEST_CHECK(driver->context_push(context) == 0 && driver->memory_free(memory) == 0 &&
               driver->context_pop(&popped) == 0);
    (void)driver->context_release(0);
    host_check_driver();
    trawl_plan_free(plan);
    expected_free(&expected);
    input_free(&input);
}

static void wrong_addresses(void)
{
    static uint8_t bytes[64];
    struct trawl_text *text = NULL;
    struct trawl_error error;

    reset(1);
    TEST_CHECK(call_device(0, 1, &text, &error) == TRAWL_ARGUMENT);
    TEST_CHECK(call_device(1, 1, NULL, &error) == TRAWL_ARGUMENT);
    TEST_CHECK(call_device(1, UINT64_MAX, &text, &error) == TRAWL_MEMORY);
    MUST(call_device((uint64_t)(uintptr_t)bytes, 64, &text, &error));
    /* every load is rejected: of the host's memory, and of a device that is not searched; then
     * without a device, and with the host's engine */
    for (uint32_t i = 0; i < 4; i++) {
        static const enum trawl_engine engines[] = {TRAWL_ENGINE_AUTO, TRAWL_ENGINE_CUDA,
                                                    TRAWL_ENGINE_AUTO, TRAWL_ENGINE_CPU};
        struct trawl_searcher *searcher;
        enum trawl_status status;

        if (i == 1)
            sim_driver_own(bytes, 64, 1);
        if (i == 2) {
            sim_driver_disown(bytes);
            host_devices(0);
        }
        searcher = host_searcher(engines[i], 1, 0, &error);
        status = trawl_text_load(searcher, text, &error);
        TEST_CHECK(i < 2 ? status == TRAWL_ARGUMENT : status != TRAWL_OK);
        trawl_searcher_close(searcher);
    }
    trawl_text_close(text);
    MUST(call_device(0, 0, &text, &error)); /* an empty text */
    trawl_text_close(text);
}

/* ---- A device that is opened while the host searches ---------------------------------- */

#define JOIN_BYTES (6u << 20)
#define JOIN_SEARCHES_MAX 10000u
#define JOIN_AFTER_NS 2000000 /* search time after which `auto` opens the device */
/* Checks that `auto` opens the device after a while of searching, but not for a short search. */
static void joins(void)
{
    uint8_t *bytes = (uint8_t *)test_memory(JOIN_BYTES);
    struct trawl_searcher *searcher;
    struct trawl_text *text;
    uint64_t launches, expected = 0;

    reset(1);
    cuda_limits_replace(NULL);
    sim_driver_fail(0, 0, false); /* count calls from now on */
    schedule_open_after(JOIN_AFTER_NS);
    for (uint64_t i = 0; i < JOIN_BYTES; i++)
        bytes[i] = fixture.letters.bytes[i % TEXT_BYTES];
    for (uint64_t i = 0; i + 3 <= JOIN_BYTES; i++)
        expected += memcmp(bytes + i, "abc", 3) == 0;
    text = must_text(bytes, JOIN_BYTES);
    searcher = must_searcher_with(SEARCHER_WITH(.threads = 2, .chunk_bytes = 1u << 16));
    TEST_CHECK_U64(must_count(searcher, fixture.plan, fixture.texts[SOURCE_MEMORY]),
                   fixture.expected.match_count);
    TEST_CHECK_U64(sim_driver_calls(), 0);
    launches = sim_counters().launches;
    for (uint32_t i = 0; i < JOIN_SEARCHES_MAX && sim_counters().launches == launches; i++)
        TEST_CHECK_U64(must_count(searcher, fixture.plan, text), expected);
    TEST_CHECK(sim_counters().launches > launches);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    free(bytes);
    schedule_open_after(0);
    host_check_driver();
}

/* ---- Devices that cannot be used ------------------------------------------------------ */

/* Checks that engine CUDA is rejected, and that `auto` searches without CUDA and says why. */
static void refused(uint32_t devices, int version)
{
    struct sim_driver_options options = {1, devices, 1u << 20, 2, version, 0, 0};
    struct trawl_error error = {.message = ""};
    struct trawl_searcher *searcher;

    sim_driver_reset(&options);
    TEST_CHECK(host_searcher(TRAWL_ENGINE_CUDA, 1, 0, &error) == NULL &&
               error.status == TRAWL_ENGINE && error.message[0] != '\0');
    searcher = must_searcher_with(SEARCHER_WITH(.threads = 2, .chunk_bytes = CHUNK_BYTES));
    MUST(trawl_text_load(searcher, fixture.texts[SOURCE_MEMORY], NULL)); /* waits for the device */
    TEST_CHECK_U64(must_count(searcher, fixture.plan, fixture.texts[SOURCE_MEMORY]),
                   fixture.expected.match_count);
    TEST_CHECK(strcmp(must_stats(searcher).note, error.message) == 0);
    trawl_searcher_close(searcher);
}

/* Makes each call to the driver in turn report that the kernels' image is too new for the driver.
 * Checks that engine CUDA is then rejected, and that the message names the driver's version. */
static void image_too_new(int code)
{
    struct trawl_searcher *searcher = NULL;
    uint64_t named = 0;

    for (uint64_t call = 1; searcher == NULL && call < 4000; call++) {
        struct trawl_error error = {.message = ""};

        reset(1);
        sim_driver_fail(call, code, false);
        searcher = host_searcher(TRAWL_ENGINE_CUDA, 1, 0, &error);
        named += searcher == NULL && strstr(error.message, "(CUDA 12.0)") != NULL;
    }
    TEST_CHECK_U64(named, 2); /* one call for each of the two images of kernels */
    trawl_searcher_close(searcher);
    host_check_driver();
}

/* Checks that the engine respects the device's default limit of child grids if the device keeps a
 * limit other than the requested one. The simulated driver keeps every limit that it gets, so the
 * test changes the limit itself. Meanwhile another device fails to open. */
static void strange_limit(size_t room)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct engine_options options = {.size = sizeof options};
    struct engine_worker *worker = NULL, *other = NULL;
    struct cuda_device *device;
    struct engine *engine = NULL;

    reset(2);
    sim_driver_lose(1, 1); /* the device whose turn is next does not open */
    MUST(engine_cuda.open(&options, &engine, NULL));
    MUST(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, NULL));
    MUST(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &other, NULL));
    device = cuda_worker_of(worker)->device;
    TEST_CHECK(cuda_worker_of(other)->device == device);
    engine_cuda.release(other);
    MUST(cuda_device_enter(device, NULL));
    TEST_CHECK(driver->limit_set(CUDA_LIMIT_PENDING_LAUNCHES, room) == CUDA_CODE_OK);
    sim_driver_fail(2, CUDA_CODE_UNKNOWN, false); /* after the limit was requested */
    TEST_CHECK_U64(cuda_device_children(device), 2048 - 2048 / 16);
    TEST_CHECK(driver->limit_set(CUDA_LIMIT_PENDING_LAUNCHES, 2048) == CUDA_CODE_OK);
    cuda_device_leave(device);
    engine_cuda.release(worker);
    engine_cuda.close(engine);
    host_check_driver();
}

/* A child of fork() has no devices: with engine CUDA its searches fail, and say why. */
static void in_child(void)
{
    struct trawl_searcher *searcher =
        must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA));
    struct trawl_error error = {.message = ""};
    uint64_t count;
    int status = 1;
    pid_t child = fork();

    if (child == 0)
        _exit(trawl_count(searcher, fixture.plan, fixture.texts[SOURCE_MEMORY], &count, &error) ==
                          TRAWL_DEVICE &&
                      strstr(error.message, "child of fork()") != NULL
                  ? 0
                  : 1);
    TEST_CHECK(waitpid(child, &status, 0) == child && status == 0);
    trawl_searcher_close(searcher);
    host_check_driver();
}

struct polls {
    struct trawl_searcher *searcher;
    uint32_t count, cancel_at;
};

static void count_poll(void *context)
{
    struct polls *polls = (struct polls *)context;

    if (++polls->count == polls->cancel_at)
        trawl_searcher_cancel(polls->searcher, false);
}

/* Checks that a search polls between the ranges of a chunk, that it ends if it is cancelled, and
 * that the device stays in use. */
static void cancelled_between_ranges(void)
{
    struct polls polls = {NULL, 0, 0};
    uint32_t polled = 0;

    reset(1);
    polls.searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1,
                                                      .poll = count_poll, .poll_context = &polls));
    MUST(trawl_text_load(polls.searcher, fixture.texts[SOURCE_LOADED], NULL));
    for (uint32_t i = 0; i < 2 * SHAPES; i++) {
        enum trawl_status status;

        polls.count = 0;
        polls.cancel_at = i % 2 == 0 ? 0 : polled;
        TEST_CHECK(search(polls.searcher, SOURCE_LOADED, (enum shape)(i / 2), &status));
        TEST_CHECK(status == (i % 2 == 0 ? TRAWL_OK : TRAWL_STOPPED));
        TEST_CHECK(i % 2 == 1 || polls.count >= TEXT_BYTES / 3000);
        polled = i % 2 == 0 ? polls.count / 2 : polled;
    }
    TEST_CHECK(strlen(must_stats(polls.searcher).note) == 0);
    trawl_searcher_close(polls.searcher);
    host_check_driver();
}

static void unusable(void)
{
    reset(2);
    in_child();
    cancelled_between_ranges();
    refused(0, 0);
    refused(1, 10020);
    image_too_new(CUDA_CODE_INVALID_IMAGE);
    image_too_new(CUDA_CODE_NO_BINARY_FOR_GPU);
    image_too_new(CUDA_CODE_UNSUPPORTED_PTX_VERSION);
    strange_limit(100);
    strange_limit(1u << 20);
}

/* Loads a text onto devices with different amounts of memory. The text is split in proportion to
 * the free memory. Sets *fits to true if the text fits; otherwise the search copies it in chunks.
 */
static void uneven(uint32_t devices, uint64_t memory_bytes, bool *fits)
{
    struct sim_driver_options options = {
        1, devices, memory_bytes, 2, 0, 0, memory_bytes / (devices + 1)};
    struct host host;
    enum trawl_status status;
    uint64_t copied;

    reset(devices);
    sim_driver_reset(&options);
    host_open(&host, TRAWL_ENGINE_CUDA, 2, CHUNK_BYTES);
    status = trawl_text_load(host.searcher, fixture.texts[SOURCE_LOADED], NULL);
    TEST_CHECK(status == TRAWL_OK || status == TRAWL_MEMORY);
    copied = sim_driver_copied();
    *fits = status == TRAWL_OK;
    for (uint32_t i = 0; i < 4; i++) {
        TEST_CHECK(search(host.searcher, SOURCE_LOADED, (enum shape)(i % SHAPES), &status));
        TEST_CHECK(status == TRAWL_OK || status == TRAWL_MEMORY || status == TRAWL_DEVICE);
        *fits = *fits && status == TRAWL_OK;
    }
    *fits = *fits && sim_driver_copied() - copied < TEXT_BYTES;
    host_close(&host);
}

/* Runs `uneven` with growing device memory, from too little for a part of the text to enough for
 * all of it. The seed and the build decide whether a normal run has two or three devices: a build
 * with sanitizers has three where the ordinary build has two, and vice versa. */
static void uneven_devices(void)
{
    for (uint32_t devices = 2; devices <= 3; devices++) {
        uint64_t fitting = 0, count = 0;
        bool fits = false;

        if (!test_turn(devices, 2))
            continue;
        for (uint64_t bytes = 8000; bytes <= 16u << 20; bytes += bytes / 2, count++) {
            uneven(devices, bytes, &fits);
            fitting += fits;
        }
        TEST_CHECK(fits && fitting < count);
    }
}

/* Checks that the runtime frees idle pinned buffers when buffers for reading need the memory, and
 * when a chunk is longer than an idle buffer. Only chunks of different lengths show a chunk that is
 * copied into a buffer that is too short. */
static void budget(void)
{
    for (uint64_t limit = 3 * CHUNK_BYTES; limit <= 24 * CHUNK_BYTES; limit *= 2) {
        struct trawl_runtime *runtime;
        struct trawl_searcher *searchers[2];
        enum trawl_status status;

        reset(2);
        runtime = must_runtime(TRAWL_ENGINE_CUDA, 3, limit);
        for (uint32_t i = 0; i < 2; i++)
            searchers[i] = must_searcher_of(runtime, CHUNK_BYTES / (2 - i));
        for (uint32_t i = 0; i < 6; i++) {
            TEST_CHECK(search(searchers[i % 2], (enum source)(i % 3 == 0), (enum shape)(i % SHAPES),
                              &status));
            TEST_CHECK_U64((uint64_t)status, (uint64_t)TRAWL_OK);
            TEST_CHECK(atomic_load(&runtime->memory_used) <= limit);
        }
        /* Only the idle buffers are left, and a buffer of the whole limit replaces them. */
        {
            struct text_buffer whole = {.capacity = 0};

            TEST_CHECK(runtime_buffer_reserve(runtime, &whole, limit, NULL) == TRAWL_OK);
            runtime_buffer_release(runtime, &whole);
            TEST_CHECK_U64(runtime->devices.pinned_made, 0); /* else later searches get fewer */
        }
        for (uint32_t i = 0; i < 2; i++)
            trawl_searcher_close(searchers[i]);
        MUST(trawl_runtime_close(runtime, NULL));
        host_check_driver();
    }
}

/* Checks streamed copies of every alignment and length against memcpy. No byte around the target
 * may change. */
static void streamed_copies(void)
{
    static uint8_t from[600], to[600], expected[600];
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 37 + 1);
    for (uint64_t a = 0; a < 17; a++)
        for (uint64_t b = 0; b < 17; b++)
            for (uint64_t count = 0; count < 300; count += count < 140 ? 1 : 29) {
                memset(to, 0, sizeof to);
                memset(expected, 0, sizeof expected);
                memcpy(expected + 100 + a, from + b, count);
                memory_stream(to + 100 + a, from + b, count);
                wrong += memcmp(to, expected, sizeof to) != 0;
            }
    TEST_CHECK_U64(wrong, 0);
}

int main(void)
{
    test_begin("sim devices");
    cuda_driver_replace(sim_driver_table());
    schedule_open_after(0);
    fixture_open();
    for (uint32_t devices = 2; devices <= 3; devices++) {
        by_all(devices, SHAPE_COUNT);
        by_all(devices, SHAPE_BEGINS);
    }
    for (uint32_t i = 0; i < 4; i++)
        load_without(i % 2, i < 2 ? 3000 : TEXT_BYTES);
    for (uint32_t i = 0; i < 4; i++)
        fill_on(i % 2, i / 2);
    fill_by_threads(TRAWL_ENGINE_CUDA, 1);
    fill_by_threads(TRAWL_ENGINE_CUDA, 4);
    fill_by_threads(TRAWL_ENGINE_AUTO, 12);
    loaders(TRAWL_ENGINE_CUDA);
    loaders(TRAWL_ENGINE_AUTO);
    for (uint64_t seed = 0; seed < test_amount(16, 400) && test_failures < 5; seed++)
        storm(seed % 2 != 0 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA, seed);
    uneven_devices();
    budget();
    stays_there();
    wrong_addresses();
    joins();
    unusable();
    streamed_copies();
    fixture_close();
    return test_end();
}
