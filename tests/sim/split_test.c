/* split_test: texts on several simulated devices: arrays of begins that come in pieces and are
 * copied by several threads, counts in several launches, and counts by pattern under every
 * schedule. Arrays too small, a device with nothing to list, a call that fails, a device that is
 * lost: the answer is right, or an error says why there is none, and the next call is right.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/checked.h"
#include "cuda/limits.h"
#include "diff/input.h"
#include "host.h"
#include "letters.h"
#include "runtime/begins.h"
#include "runtime/schedule.h"
#include "runtime/search.h"
#include "sim_driver.h"
#include "calls.h"

#define TEXT_BYTES 25000u
#define EMPTY_BEGIN 7000u /* in this part of the text nothing occurs: */
#define EMPTY_END 16000u  /* more than a stripe */
#define CHUNK_BYTES 1700u
#define PATTERNS 4u
#define UNTOUCHED 0x7777777777777777u

enum source { SOURCE_LOADED, SOURCE_MEMORY, SOURCE_FILE, SOURCES };

static const char *const strings[PATTERNS] = {"abc", "de", "a", "cdeab"};

static struct {
    struct letters letters;
    struct trawl_plan *one, *all; /* the first pattern; all of them */
    struct trawl_text *texts[SOURCES];
    uint64_t begins[TEXT_BYTES]; /* of the first */
    uint64_t counts[PATTERNS];
} fixture;

static void fixture_open(void)
{
    struct trawl_pattern patterns[PATTERNS];

    letters_begin(&fixture.letters, "split", TEXT_BYTES);
    memset(fixture.letters.bytes + EMPTY_BEGIN, 'z', EMPTY_END - EMPTY_BEGIN);
    letters_write(&fixture.letters);
    for (uint32_t p = 0; p < PATTERNS; p++) {
        patterns[p] = (struct trawl_pattern){strings[p], strlen(strings[p])};
        fixture.counts[p] =
            letters_find(&fixture.letters, strings[p], p == 0 ? fixture.begins : NULL);
    }
    fixture.one = must_plans(patterns, 1, NULL);
    fixture.all = must_plans(patterns, PATTERNS, NULL);
    for (uint32_t i = 0; i < SOURCES; i++)
        fixture.texts[i] = letters_open(&fixture.letters, i == SOURCE_FILE);
}

static void fixture_close(void)
{
    for (uint32_t i = 0; i < SOURCES; i++)
        trawl_text_close(fixture.texts[i]);
    trawl_plan_free(fixture.one);
    trawl_plan_free(fixture.all);
    letters_end(&fixture.letters);
}

/* A searcher with a runtime of its own, on so many devices; the text is loaded. */
struct scene {
    enum trawl_engine engine;
    uint32_t devices, threads;
    uint64_t room, piece; /* of a device's lists, a quarter, and of what the host gets at a time */
    uint64_t launch;      /* begins, at most; 0: as usual, and more than a stripe to a device */
    struct host host;
};

static void scene_open(struct scene *s)
{
    struct cuda_limits limits = letters_limits();

    limits.split_bytes_min = 4000;
    limits.stripe_bytes = s->launch == 0 ? 3000 : TEXT_BYTES;
    if (s->launch > 0)
        limits.launch_begins_max = s->launch;
    limits.split_overlap = 100;
    limits.begins_room = s->room;
    limits.begins_piece = s->piece;
    limits.begins_piece_most = 3 * s->piece;
    limits.hits_room_min = 100;
    limits.sets_filter_words_max = 64;
    limits.sets_table_words_max = 1000;
    cuda_limits_replace(&limits);
    host_devices(s->devices);
    host_open(&s->host, s->engine, s->threads, s->launch == 0 ? CHUNK_BYTES : 0);
    MUST(trawl_text_load(s->host.searcher, fixture.texts[SOURCE_LOADED], NULL));
}

/* ---- Arrays of begins --------------------------------------------------------------------- */

static uint64_t pinned_arrays;

/* Let the devices copy to the array by themselves, or no longer. */
static bool pin(uint64_t *begins, uint64_t bytes, bool begin)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *context = NULL;
    int code;

    if (driver->context_retain(&context, 0) != CUDA_CODE_OK)
        return false;
    code = driver->context_push(context);
    if (code == CUDA_CODE_OK) {
        code = begin ? driver->host_register(begins, (size_t)bytes, 0)
                     : driver->host_unregister(begins);
        (void)driver->context_pop(&context);
    }
    (void)driver->context_release(0);
    return code == CUDA_CODE_OK;
}

/* An array of so many words, and one more. */
struct array {
    uint64_t *begins, room;
    bool pinned;
};

static void array_open(struct array *array, uint64_t room, bool pinned)
{
    array->room = room;
    array->begins = (uint64_t *)test_memory((room + 1) * sizeof *array->begins);
    array->pinned = pinned && pin(array->begins, room * sizeof *array->begins, true);
    pinned_arrays += array->pinned;
}

static void array_close(struct array *array)
{
    if (array->pinned)
        TEST_CHECK(pin(array->begins, 0, false));
    free(array->begins);
}

/* The first begins, and nothing behind the array is touched. */
static enum trawl_status fill(const struct scene *s, const struct array *array)
{
    uint64_t count = UNTOUCHED;
    enum trawl_status status;

    for (uint64_t i = 0; i <= array->room; i++) /* what an earlier call found is not there */
        array->begins[i] = UNTOUCHED;
    status = trawl_begins_into(s->host.searcher, fixture.one, fixture.texts[SOURCE_LOADED],
                               array->begins, array->room, &count, NULL);
    TEST_CHECK_U64(array->begins[array->room], UNTOUCHED);
    if (status == TRAWL_OK) {
        TEST_CHECK_U64(count, fixture.counts[0]);
        TEST_CHECK(memcmp(array->begins, fixture.begins,
                          min_u64(array->room, fixture.counts[0]) * sizeof *array->begins) == 0);
    }
    return status;
}

/* By devices alone, and from the second call on with host workers. */
static void filled(uint32_t devices, uint32_t threads, uint64_t room, uint64_t piece)
{
    uint64_t all = fixture.counts[0], rooms[] = {all, all, all - 1, all / 3, 1, all + 50, all};
    struct scene s = {TRAWL_ENGINE_CUDA, devices, threads, room, piece, 0, {NULL, NULL}};
    struct trawl_stats stats;

    scene_open(&s);
    for (uint32_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        struct array array;

        array_open(&array, rooms[i], i % 2 != 0);
        TEST_CHECK(fill(&s, &array) == TRAWL_OK);
        array_close(&array);
        stats = must_stats(s.host.searcher);
        TEST_CHECK_U64(stats.text_bytes, TEXT_BYTES);
        if (threads > 1) /* else devices have none of their own */
            TEST_CHECK_U64(stats.thread_count, devices);
    }
    host_close(&s.host);
}

/* A short text, of which each device has a copy: by the caller, as one chunk, where a search takes
 * two. (An array of the host's had a way of its own, whose answers alone were looked at.) */
static void filled_by_caller(uint32_t devices, uint32_t threads)
{
    struct scene s = {TRAWL_ENGINE_CUDA, devices, threads, 10, 2, 0, {NULL, NULL}};
    uint64_t begins[TEXT_BYTES], count = 0, expected = 0;
    struct trawl_text *text = NULL;
    struct trawl_stats stats;

    while (expected < fixture.counts[0] && fixture.begins[expected] + 3 <= 2 * CHUNK_BYTES)
        expected++;
    scene_open(&s);
    MUST(trawl_text_from_memory(fixture.letters.bytes, 2 * CHUNK_BYTES, &text, NULL));
    MUST(trawl_text_load(s.host.searcher, text, NULL));
    MUST(trawl_begins_into(s.host.searcher, fixture.one, text, begins, TEXT_BYTES, &count, NULL));
    TEST_CHECK_U64(count, expected);
    TEST_CHECK(memcmp(begins, fixture.begins, expected * sizeof *begins) == 0);
    stats = must_stats(s.host.searcher);
    TEST_CHECK(stats.thread_count == 1 && stats.chunk_count == 1 && stats.device_chunk_count == 1);
    trawl_text_unload(s.host.searcher, text);
    trawl_text_close(text);
    host_close(&s.host);
}

/* Call `nth` of the driver, in the first array or the second, finds no memory; or from it on a
 * device is lost. False: there were fewer. A copy's error may come with the call that waits for it
 * alone: so every third call has its turn. (Where the tries had grown apart, and the array lay
 * where an earlier call had left the right words, a piece that did not come was not missed.) */
static bool fill_failing(bool lost, uint32_t device, uint64_t nth)
{
    struct scene s = {lost ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA, 2, 6, 10, 2, 0, {NULL, NULL}};
    enum trawl_status status;
    struct array array;
    bool failed;

    scene_open(&s);
    array_open(&array, fixture.counts[0], !lost && nth % 2 != 0);
    if (lost)
        sim_driver_lose(device, nth);
    else
        sim_driver_fail(nth, CUDA_CODE_OUT_OF_MEMORY, false);
    for (uint32_t i = 0; i < 2; i++) {
        status = fill(&s, &array);
        TEST_CHECK(status == TRAWL_OK || (!lost && status == TRAWL_MEMORY));
    }
    failed = lost ? sim_driver_has_lost() : sim_driver_calls() >= nth;
    sim_driver_fail(0, 0, false);
    if (!TEST_CHECK(fill(&s, &array) == TRAWL_OK))
        printf("  device %u, lost %d, call %" PRIu64 "\n", device, lost, nth);
    array_close(&array);
    host_close(&s.host);
    return failed;
}

static void arrays(void)
{
    static const uint64_t rooms[] = {10, 40, 1000}, pieces[] = {1, 3, 20, 1000};
    uint32_t turn = (uint32_t)test_setting("TRAWL_TEST_SEED", 1) + TEST_SANITIZED;
    uint64_t step = test_is_long() ? 1 : TEST_SANITIZED ? 19 : 5, calls = 0;

    for (uint32_t i = 0; i < 6; i++)
        filled_by_caller(1 + i % 3, 1 + i / 3 * 4);
    begins_help_from(1);
    for (uint32_t i = 0; i < test_amount(3, 96); i++)
        filled(2 + (i + turn) % 3, 1 + (i * 5 + turn) % 9, rooms[i % 3],
               pieces[(i / 3 + turn) % 4]);
    for (uint64_t nth = 1 + turn % step; fill_failing(false, 0, nth) && test_failures < 5;
         nth += step)
        calls++;
    for (uint32_t device = 0; device < 2; device++)
        for (uint64_t nth = 1 + turn % step; fill_failing(true, device, nth) && test_failures < 5;
             nth += 3 * step)
            calls++;
    printf("calls of the driver that failed while arrays were filled: %" PRIu64 "\n", calls);
    begins_help_from(0);
    TEST_CHECK(pinned_arrays > 0);
}

/* ---- Counts ------------------------------------------------------------------------------- */

/* Two launches on each device, of stripes as long as several tiles, or about: the second touches
 * one tile more than the first where it does not begin with one. A stripe is one chunk. */
static void counted_by_all(uint32_t devices, uint64_t text_bytes)
{
    struct scene s = {TRAWL_ENGINE_CUDA, devices, 4, 100, 10, 4200, {NULL, NULL}};
    struct trawl_stats stats;
    struct trawl_text *text = NULL;
    uint64_t expected = 0;

    while (expected < fixture.counts[0] && fixture.begins[expected] + 3 <= text_bytes)
        expected++;
    scene_open(&s);
    trawl_text_unload(s.host.searcher, fixture.texts[SOURCE_LOADED]);
    MUST(trawl_text_from_memory(fixture.letters.bytes, text_bytes, &text, NULL));
    MUST(trawl_text_load(s.host.searcher, text, NULL));
    for (uint32_t i = 0; i < 2; i++) {
        TEST_CHECK_U64(must_count(s.host.searcher, fixture.one, text), expected);
        stats = must_stats(s.host.searcher);
        if (!TEST_CHECK(stats.thread_count <= devices && stats.chunk_count == devices))
            printf("  %u devices, %" PRIu64 " bytes\n", devices, text_bytes);
    }
    trawl_text_unload(s.host.searcher, text);
    trawl_text_close(text);
    host_close(&s.host);
}

static void counts(void)
{
    for (uint32_t devices = 2; devices <= 3; devices++)
        for (uint64_t less = 0; less < 3; less++)
            counted_by_all(devices, devices * 8192 - less);
}

/* ---- Counts by pattern -------------------------------------------------------------------- */

static int take_counts(void *context, const struct trawl_pattern_count *counts, uint64_t count)
{
    uint64_t *sums = (uint64_t *)context;

    for (uint64_t i = 0; i < count; i++) {
        if (counts[i].pattern_index >= PATTERNS)
            return 1;
        sums[counts[i].pattern_index] += counts[i].count;
    }
    return 0;
}

/* All patterns, then the first alone, which needs no hits. */
static enum trawl_status count_by_pattern(const struct scene *s, enum source source)
{
    enum trawl_status status = TRAWL_OK;

    for (uint32_t i = 0; i < 2 && status == TRAWL_OK; i++) {
        uint32_t patterns = i == 0 ? PATTERNS : 1;
        uint64_t sums[PATTERNS] = {0};

        status = trawl_count_by_pattern(s->host.searcher, patterns == 1 ? fixture.one : fixture.all,
                                        fixture.texts[source], take_counts, sums, NULL);
        for (uint32_t p = 0; p < PATTERNS; p++) {
            uint64_t expected = p < patterns ? fixture.counts[p] : 0;

            if (status == TRAWL_OK)
                TEST_CHECK_U64(sums[p], expected);
            else
                TEST_CHECK(sums[p] <= expected);
        }
    }
    return status;
}

/* Device `lost` from call `nth` on; with nth 0 none. */
static bool counted(enum trawl_engine engine, uint32_t devices, enum source source, uint32_t lost,
                    uint64_t nth)
{
    struct scene s = {engine, devices, 3, 1000, 100, 0, {NULL, NULL}};
    bool failed;

    scene_open(&s);
    if (nth > 0)
        sim_driver_lose(lost, nth);
    for (uint32_t i = 0; i < 2; i++) {
        enum trawl_status status = count_by_pattern(&s, source);

        if (!TEST_CHECK(status == TRAWL_OK || (engine == TRAWL_ENGINE_CUDA && devices == 1 &&
                                               nth > 0 && status == TRAWL_DEVICE)))
            printf("  engine %d, %u devices, source %d: device %u lost at its call %" PRIu64
                   ": status %d\n",
                   (int)engine, devices, (int)source, lost, nth, (int)status);
    }
    failed = sim_driver_has_lost();
    host_close(&s.host);
    return failed;
}

static void by_pattern(void)
{
    uint32_t turn = (uint32_t)test_setting("TRAWL_TEST_SEED", 1) + TEST_SANITIZED;

    for (uint32_t i = 0; i < 2 * 2 * SOURCES && test_failures < 5; i++) {
        enum trawl_engine engine = i % 2 != 0 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA;
        uint32_t devices = 1 + i / 2 % 2, lost = (i / 4 + turn) % devices;
        enum source source = (enum source)(i / 4);

        if ((i / 4 + i / 2 + i + turn) % 2 != 0 && !test_is_long())
            continue;
        (void)counted(engine, devices, source, 0, 0);
        for (uint64_t nth = 1 + (test_is_long() ? 0 : turn % 2);
             counted(engine, devices, source, lost, nth) && test_failures < 5;
             nth += 1 + (test_is_long() ? 0 : 2 * nth))
            ;
    }
}

int main(void)
{
    test_begin("sim split");
    cuda_driver_replace(sim_driver_table());
    schedule_open_after(0);
    fixture_open();
    arrays();
    counts();
    by_pattern();
    fixture_close();
    return test_end();
}
