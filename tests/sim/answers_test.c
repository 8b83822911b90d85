/* answers_test: searches whose texts and hits are copied in pieces, and how a search affects the
 * next one.
 *
 * A text, or the zeros after it, ends before, at or after the end of a staging buffer. The number
 * of hits is often near HITS_AHEAD, the number of hits that are copied to the host before it knows
 * how many there are. A searcher runs 20 of these searches, so its buffers grow while copies are
 * under way, and each search finds what the previous one left in the buffers.
 *
 * More tests check which method a worker chooses next in a loaded text.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/engine_cuda.h"
#include "cuda/limits.h"
#include "cuda/cuda_load.h"
#include "cuda/open.h"
#include "cuda/residents.h"
#include "cuda/cuda_worker.h"
#include "sim_host.h"
#include "letters.h"
#include "plan/parts.h"
#include "sim_driver.h"
#include "simulator.h"
#include "calls.h"

#define STAGING 4096u
#define HITS_AHEAD 512u /* value of HITS_AHEAD in cuda/cuda_scan.c */
#define TEXT_MAX (12u * STAGING)
#define SEARCHES_NORMAL 60
#define SEARCHES_LONG 3000

static const char needle[] = "#!";

/* Makes a text with up to 2,000 needles, and perhaps one more at the very end. Stores their offsets
 * in `places` and their number in *hits. Returns the text's length. */
static uint64_t make_text(struct test_random *random, char *text, uint64_t *places, uint64_t *hits)
{
    static const uint64_t wanted[] = {0, 1, 2, HITS_AHEAD - 1, HITS_AHEAD, HITS_AHEAD + 1, 2000};
    uint64_t bytes = STAGING * (1 + test_random_below(random, 8)) + test_random_below(random, 5);
    uint64_t count = wanted[test_random_below(random, 7)], step;

    /* the 64 zeros after the text fit into the staging buffer, or do not fit */
    bytes -= 64 * test_random_below(random, 3) + 2;
    count = count < bytes / 4 ? count : bytes / 4;
    memset(text, 'a', bytes);
    step = count == 0 ? bytes : bytes / count; /* 4 at least */
    for (uint64_t i = 0; i < count; i++)
        memcpy(text + i * step + test_random_below(random, step - 1), needle, 2);
    memcpy(text + bytes - 2, test_random_below(random, 2) == 0 ? "##" : needle, 2);
    *hits = 0;
    for (uint64_t i = 0; i + 2 <= bytes; i++)
        if (memcmp(text + i, needle, 2) == 0)
            places[(*hits)++] = i;
    return bytes;
}

static void search_one(struct trawl_searcher *searcher, struct test_random *random, bool loaded)
{
    static char bytes[TEXT_MAX];
    static uint64_t places[TEXT_MAX];
    static struct trawl_match matches[TEXT_MAX];
    struct trawl_error error = {0};
    uint64_t hits, count = 0, right = 0, text_bytes = make_text(random, bytes, places, &hits);
    AUTO_PLAN plan = must_plan(needle);
    AUTO_TEXT text = must_text(bytes, text_bytes);

    if (loaded)
        MUST(trawl_text_load(searcher, text, &error));
    if (!TEST_CHECK(list_matches(searcher, plan, text, matches, TEXT_MAX, &count, &error) ==
                    TRAWL_OK))
        printf("  %s\n", error.message);
    TEST_CHECK_U64(count, hits);
    for (uint64_t i = 0; i < hits && i < count; i++)
        right += matches[i].begin == places[i] && matches[i].end == places[i] + 2;
    TEST_CHECK_U64(right, hits);
    trawl_text_unload(searcher, text);
}

/* Searches texts with a single occurrence, so that most blocks find nothing. The last block adds up
 * the sums of all blocks, and may be a block that found nothing. (In texts with many occurrences,
 * the last block also writes its own sums, and the simulator then shows it the other blocks' sums
 * even if the fence before its reads is missing.) */
static void handed_over(struct test_random *random, uint64_t seed)
{
    static const enum trawl_method methods[] = {TRAWL_METHOD_EVERY, TRAWL_METHOD_GRAMS,
                                                TRAWL_METHOD_SET, TRAWL_METHOD_SAMPLED};
    static char bytes[4 * 1024], string[32];
    struct cuda_limits limits = cuda_limits_default;
    AUTO_PLAN plan = NULL;
    uint64_t wrong = 0;
    struct host host;

    for (uint32_t i = 0; i < sizeof string; i++)
        string[i] = (char)('A' + 11 * i % 32); /* all bytes from A to ` */
    limits.threads = limits.tile_words_max = 32;
    limits.blocks_max = 2 + (uint32_t)(seed % 3);
    limits.dense_always = seed < 4;
    cuda_limits_replace(&limits);
    sim_driver_reset_usual(seed + 1);
    plan = must_plans(
        &(struct trawl_pattern){string, sizeof string}, 1,
        PLAN_WITH(.method = methods[seed % 4], .flags = seed >= 8 ? TRAWL_IGNORE_CASE : 0));
    host_open(&host, TRAWL_ENGINE_CUDA, 1, 0);
    for (uint32_t i = 0; i < 40; i++) {
        uint64_t at = test_random_below(random, sizeof bytes - sizeof string + 1), count = 0;
        struct trawl_match match = {0, 0, 0, 0, 0}, matches[2] = {{0, 0, 0, 0, 0}};
        AUTO_TEXT text = must_text(bytes, sizeof bytes);
        bool found = false;

        memset(bytes, 'z', sizeof bytes);
        memcpy(bytes + at, string, sizeof string);
        MUST(trawl_first(host.searcher, plan, text, &match, &found, NULL));
        MUST(list_matches(host.searcher, plan, text, matches, 2, &count, NULL));
        wrong += !found || match.begin != at || count != 1 || matches[0].begin != at ||
                 must_count(host.searcher, plan, text) != 1;
    }
    if (!TEST_CHECK_U64(wrong, 0))
        printf("  method %d, %" PRIu32 " blocks\n", (int)methods[seed % 4], limits.blocks_max);
    host_close(&host);
}

/* Searches for a long pattern that occurs once, at each of the 64 offsets before 3,072, and at
 * 3,072. At that offset ends a tile of the bit-plane kernels, or a row of 512 bytes in the longer
 * tiles for samples. One text ends with the occurrence, a second one continues. The tiles are
 * searched by bit planes, or by samples. In random texts, a candidate that crosses a tile's end is
 * hardly ever its tile's only candidate. */
static void over_tile_ends(struct test_random *random, uint64_t length, enum trawl_method method)
{
    static char bytes[4 * 1024], string[200];
    struct cuda_limits limits = cuda_limits_default;
    const struct trawl_pattern pattern = {string, length};
    AUTO_PLAN plan = NULL;
    struct host host;
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < length; i++)
        string[i] = "ab"[test_random_below(random, 2)];
    limits.threads = limits.tile_words_max = 32;
    limits.dense_always = method != TRAWL_METHOD_SAMPLED;
    cuda_limits_replace(&limits);
    sim_driver_reset_usual(length);
    plan = must_plans(&pattern, 1, PLAN_WITH(.method = method));
    host_open(&host, TRAWL_ENGINE_CUDA, 1, 0);
    for (uint64_t at = 3072 - 64; at <= 3072; at++) {
        AUTO_TEXT text = must_text(bytes, sizeof bytes - at % 7);
        AUTO_TEXT begin = must_text(bytes, at + length);

        memset(bytes, 'z', sizeof bytes);
        memcpy(bytes + at, string, length);
        wrong += must_count(host.searcher, plan, text) != 1;
        wrong += must_count(host.searcher, plan, begin) != 1;
    }
    TEST_CHECK_U64(wrong, 0);
    host_close(&host);
}

/* Puts 126 to 131 hits into each of two steps, which leave their hits as offsets if they have at
 * most BINS_RUN_MAX (128), else as bits. Most steps of random texts have far fewer or far more
 * hits. */
static void full_lists(const char *pattern, uint32_t flags)
{
    static char bytes[3 * 2048];
    static uint64_t begins[sizeof bytes];
    struct cuda_limits limits = cuda_limits_default;
    AUTO_PLAN plan =
        must_plan_with(pattern, PLAN_WITH(.method = TRAWL_METHOD_EVERY, .flags = flags));
    AUTO_TEXT text = must_text(bytes, sizeof bytes);
    uint64_t more = strlen(pattern) - 1;
    struct host host;

    limits.threads = limits.tile_words_max = 64;
    limits.dense_always = true;
    cuda_limits_replace(&limits);
    sim_driver_reset_usual(1);
    host_open(&host, TRAWL_ENGINE_CUDA, 1, 0);
    for (uint64_t hits = BINS_RUN_MAX - 2; hits <= BINS_RUN_MAX + 3; hits++) {
        uint64_t count = 0, wrong = 0;

        memset(bytes, 'z', sizeof bytes);
        memset(bytes, 'A', hits + more);
        memset(bytes + 2048, 'A', hits + more);
        MUST(ask_begins_into(host.searcher, plan, text, begins, sizeof bytes, &count, NULL));
        for (uint64_t i = 0; i < count; i++)
            wrong += begins[i] != (i < hits ? i : i - hits + 2048);
        TEST_CHECK(count == 2 * hits && wrong == 0);
        memset(bytes, 'A', sizeof bytes); /* more hits than bins for hits in any order hold */
        MUST(ask_begins_into(host.searcher, plan, text, begins, sizeof bytes, &count, NULL));
        for (uint64_t i = 0; i < count; i++)
            wrong += begins[i] != i;
        TEST_CHECK(count == sizeof bytes - more && wrong == 0);
    }
    TEST_CHECK(sim_driver_report()[0] == '\0');
    host_close(&host);
}

/* Loads as many texts as the devices have room for, each on every device. The engine rejects one
 * more text, and keeps nothing of it. After a text is unloaded, there is room for another.
 */
static void many_loaded(uint32_t devices)
{
    const uint32_t max = CUDA_RESIDENT_MAX / devices;
    static const char byte[CUDA_RESIDENT_MAX + 1];
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_text *texts[CUDA_RESIDENT_MAX + 1] = {NULL};
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {0};
    uint64_t used;

    host_devices(devices);
    options.engine = TRAWL_ENGINE_CUDA;
    MUST(trawl_searcher_open(&options, &searcher, NULL));
    for (uint32_t i = 0; i <= max; i++)
        MUST(call_memory(byte + i, 1, &texts[i], NULL));
    for (uint32_t i = 0; i < max; i++)
        MUST(trawl_text_load(searcher, texts[i], NULL));
    used = sim_driver_memory_used();
    TEST_CHECK(trawl_text_load(searcher, texts[max], &error) == TRAWL_LIMIT);
    TEST_CHECK(strcmp(error.message, "more than 256 texts are loaded") == 0);
    TEST_CHECK_U64(sim_driver_memory_used(), used);
    trawl_text_unload(searcher, texts[7]);
    MUST(trawl_text_load(searcher, texts[max], &error));
    trawl_searcher_close(searcher);
    for (uint32_t i = 0; i <= max; i++)
        trawl_text_close(texts[i]);
    TEST_CHECK_U64(sim_driver_live(), 0);
}

/* Searches a chunk, and then a second chunk at the same address, from offset 1,000 on, as if
 * another worker had searched the bytes before it. The worker must not use the device's copy of the
 * first chunk for the second. (In most other tests each worker begins its chunks at offset 0.)
 */
static void chunk_in_same_memory(void)
{
    static uint8_t bytes[3000];
    const struct trawl_pattern pattern = {needle, 2};
    struct engine_options opening = {.size = sizeof opening};
    struct engine_chunk chunk = {.bytes = bytes, .owned = sizeof bytes};
    struct engine_result result = {.count = 0};
    struct engine_worker *worker = NULL;
    struct trawl_plan *plan = NULL;
    struct engine *engine = NULL;

    sim_driver_reset_usual(1);
    cuda_limits_replace(NULL);
    TEST_CHECK(trawl_plan_build(&pattern, 1, NULL, &plan, NULL) == TRAWL_OK);
    TEST_CHECK(engine_cuda.open(&opening, &engine, NULL) == TRAWL_OK);
    TEST_CHECK(engine_cuda.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, NULL) == TRAWL_OK);
    TEST_CHECK(engine_cuda.compile(NULL, 0, plan, &worker, NULL) == TRAWL_OK);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t at = 2000 + 500 * i;

        memset(bytes, 'a', sizeof bytes);
        memcpy(bytes + at, needle, 2);
        chunk.begin = i * sizeof bytes;
        TEST_CHECK(engine_scan(&engine_cuda, worker, &chunk, 1000 * i, WANT_HITS, &result, NULL) ==
                   TRAWL_OK);
        TEST_CHECK(result.hits.count == 1 && result.hits.items[0].offset == at);
    }
    hits_release(&result.hits);
    engine_cuda.release(worker);
    engine_cuda.close(engine);
    trawl_plan_free(plan);
    TEST_CHECK_U64(sim_driver_live(), 0);
}

/* A loaded text of letters, and a worker whose plan searches for 40 letters taken from it. */
struct scene {
    struct letters letters;
    char string[41];
    struct engine_chunk chunk;
    struct engine_text held;
    struct trawl_plan *plan;
    struct engine *engine;
    struct engine_worker *worker;
    uint64_t expected;
};

/* Opens a scene. The string is at every step-th offset from `from` on, mostly with a changed
 * letter, so that every method has candidates there. */
static void scene_open(struct scene *s, uint64_t bytes, uint64_t from, uint64_t step,
                       struct cuda_limits limits)
{
    struct engine_options opening = {.size = sizeof opening};
    const struct trawl_pattern pattern = {s->string, 40};

    memset(s, 0, sizeof *s);
    letters_begin(&s->letters, "scene", bytes);
    memcpy(s->string, s->letters.bytes + 3000, 40);
    for (uint64_t i = 0, at = from; at + 40 <= bytes; i++, at += step) {
        memcpy(s->letters.bytes + at, s->string, 40);
        s->letters.bytes[at + i % 40] = i % 50 == 0 ? (uint8_t)s->string[i % 40] : 'z';
    }
    s->expected = letters_find(&s->letters, s->string, NULL);
    s->chunk = (struct engine_chunk){.bytes = s->letters.bytes, .owned = bytes};
    sim_driver_reset_usual(1);
    cuda_limits_replace(&limits);
    MUST(trawl_plan_build(&pattern, 1, NULL, &s->plan, NULL));
    MUST(engine_cuda.open(&opening, &s->engine, NULL));
    MUST(engine_cuda.compile(s->engine, ENGINE_DEVICES_MAX, NULL, &s->worker, NULL));
    MUST(engine_cuda.compile(NULL, 0, s->plan, &s->worker, NULL));
    s->held = (struct engine_text){
        .bytes = s->letters.bytes, .bytes_count = bytes, .how = ENGINE_HOLD_COPY};
    MUST(engine_cuda.there->hold(s->engine, &s->held, NULL));
    /* bytes per ns; set here, because the simulator's clock stands still */
    cuda_worker_of(s->worker)->device->read_rate = 1e3;
}

static void scene_close(struct scene *s)
{
    (void)engine_cuda.there->drop(s->engine, &s->held);
    engine_cuda.release(s->worker);
    engine_cuda.close(s->engine);
    trawl_plan_free(s->plan);
    letters_end(&s->letters);
    TEST_CHECK_U64(sim_driver_live(), 0);
}

static void scene_count(struct scene *s)
{
    struct engine_result result = {.count = 0};

    TEST_CHECK(engine_scan(&engine_cuda, s->worker, &s->chunk, 0, WANT_COUNT, &result, NULL) ==
               TRAWL_OK);
    TEST_CHECK(!result.is_left && result.done == s->chunk.owned);
    TEST_CHECK_U64(result.count, s->expected);
}

static bool scene_counts_by(struct scene *s, enum trawl_method method)
{
    scene_count(s);
    return cuda_worker_of(s->worker)->tables->method == method;
}

/* Counts several times, and checks which method each count uses. The test sets the prices of the
 * methods: the times that a worker expects. The worker changes to the method `next`, whose price is
 * far below that of the first method. The measured time of `next` is then above its price, so the
 * worker returns to the first method. If `next` is the first method itself, the worker stays with
 * it. If `dense`, each count's first launch leaves the tiles with candidates to a second launch. */
static void next_method(enum trawl_method next, bool dense)
{
    struct cuda_limits limits = letters_limits();
    struct cuda_prices *prices;
    enum trawl_method first;
    struct scene s;

    limits.dense_always = dense;
    scene_open(&s, 30000, 0, 200, limits);
    scene_count(&s);
    prices = &cuda_worker_of(s.worker)->tables->prices;
    first = cuda_worker_of(s.worker)->tables->method;
    /* so that no sample of the text makes the worker set the prices anew */
    prices->is_rated = true;
    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++)
        prices->price[i] = i == first ? 1e-3 : i == next ? 1e-6 : 1e8;
    /* a method counts twice before the worker leaves the method */
    TEST_CHECK(scene_counts_by(&s, first));
    if (next != first) {
        TEST_CHECK(scene_counts_by(&s, next));
        TEST_CHECK_U64(prices->counts[first], 2);
        prices->price[first] = 1e-4;
        TEST_CHECK(scene_counts_by(&s, next));
    }
    TEST_CHECK(scene_counts_by(&s, first));
    scene_close(&s);
}

/* Checks that a worker skips methods for whose tables the device has no free memory. In most other
 * tests the device has memory for all tables. */
static void methods_without_room(void)
{
    struct cuda_limits limits = letters_limits();
    struct cuda_prices *prices;
    enum trawl_method first;
    struct scene s;

    limits.room_step_bytes = 256;
    scene_open(&s, 30000, 0, 200, limits);
    scene_count(&s);
    scene_count(&s);
    prices = &cuda_worker_of(s.worker)->tables->prices;
    first = cuda_worker_of(s.worker)->tables->method;
    cuda_worker_of(s.worker)->device->memory_max =
        atomic_load(&cuda_worker_of(s.worker)->device->memory_used);
    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++)
        prices->price[i] = i == first ? 1e3 : 1e-6;
    cuda_worker_of(s.worker)->tables->ready = false;
    for (uint32_t i = 0; i < 4; i++)
        scene_count(&s);
    TEST_CHECK(prices->price[TRAWL_METHOD_SAMPLED] > 1e8);
    scene_close(&s);
}

/* Checks that a scan fails if the device has no free memory for the tables and a limit forces the
 * method, so that no other method can take over. */
static void forced_without_room(void)
{
    struct cuda_limits limits = letters_limits();
    struct engine_result result = {.count = 0};
    struct scene s;

    limits.room_step_bytes = 256;
    scene_open(&s, 30000, 0, 200, limits);
    scene_count(&s);
    cuda_worker_of(s.worker)->limits.seen_method = TRAWL_METHOD_SAMPLED;
    cuda_worker_of(s.worker)->tables->ready = false;
    cuda_worker_of(s.worker)->device->memory_max =
        atomic_load(&cuda_worker_of(s.worker)->device->memory_used);
    TEST_CHECK(engine_scan(&engine_cuda, s.worker, &s.chunk, 0, WANT_COUNT, &result, NULL) ==
               TRAWL_MEMORY);
    scene_close(&s);
}

/* Checks that a worker rates all methods on the text's sample (is_rated) as soon as the method that
 * it chose quickly takes longer than expected. The simulator is slower than any device. */
static void looks_again(void)
{
    struct scene s;

    scene_open(&s, 1u << 17, (1u << 17) - 3000, 40, letters_limits());
    scene_count(&s);
    TEST_CHECK(!cuda_worker_of(s.worker)->tables->prices.is_rated &&
               cuda_worker_of(s.worker)->tables->ready);
    scene_count(&s);
    TEST_CHECK(!cuda_worker_of(s.worker)->tables->ready);
    scene_count(&s);
    TEST_CHECK(cuda_worker_of(s.worker)->tables->prices.is_rated &&
               cuda_worker_of(s.worker)->tables->own.is_seen);
    scene_close(&s);
}

#define ROOM_STRINGS 40u
#define ROOM_TEXT_BYTES 4000u

/* Counts the strings in the text on a device with memory_bytes of memory. Returns the status. */
static enum trawl_status count_in(uint64_t memory_bytes, const struct letters *letters,
                                  const struct trawl_plan *plan, uint64_t *count)
{
    struct sim_driver_options options = {1, 1, memory_bytes, 2, 0, 0, 0};
    struct engine_chunk chunk = {.bytes = letters->bytes, .owned = letters->bytes_count};
    struct engine_options opening = {.size = sizeof opening};
    struct engine_result result = {.count = 0};
    struct engine_worker *worker = NULL;
    enum trawl_status status;
    struct engine *engine;

    sim_driver_reset(&options);
    MUST(engine_cuda.open(&opening, &engine, NULL));
    status = engine_cuda.compile(engine, 0, NULL, &worker, NULL);
    if (status == TRAWL_OK)
        status = engine_cuda.compile(engine, 0, plan, &worker, NULL);
    if (status == TRAWL_OK)
        status = engine_scan(&engine_cuda, worker, &chunk, 0, WANT_COUNT, &result, NULL);
    *count = result.count;
    if (worker != NULL)
        engine_cuda.release(worker);
    engine_cuda.close(engine);
    TEST_CHECK_U64(sim_driver_live(), 0);
    return status;
}

/* Checks that a device searches for the whole set if it has memory for the set's tables, but not
 * for the tables of its parts. In most other tests, the device has enough memory for plans with
 * parts. */
static void parts_without_room(void)
{
    struct trawl_plan_options as_set = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern strings[ROOM_STRINGS];
    struct trawl_plan *by_parts, *whole;
    uint64_t expected = 0, fitting = 0;
    struct cuda_limits limits;
    struct letters letters;

    letters_begin(&letters, "room", ROOM_TEXT_BYTES);
    for (uint32_t i = 0; i < ROOM_STRINGS; i++) {
        char string[ROOM_STRINGS + 1] = "";

        memcpy(string, letters.bytes + 50 * i, 1 + i);
        expected += letters_find(&letters, string, NULL);
        strings[i] = (struct trawl_pattern){letters.bytes + 50 * i, 1 + i};
    }
    limits = letters_limits();
    cuda_limits_replace(&limits);
    plan_part_costs_device = (struct plan_part_costs){.met = 1e9, .dense = 1e9};
    as_set.method = TRAWL_METHOD_SET;
    MUST(trawl_plan_build(strings, ROOM_STRINGS, NULL, &by_parts, NULL));
    MUST(trawl_plan_build(strings, ROOM_STRINGS, &as_set, &whole, NULL));
    for (uint64_t bytes = 64u << 10; bytes <= 8u << 20; bytes += bytes / 8) {
        uint64_t count, whole_count;
        enum trawl_status status = count_in(bytes, &letters, by_parts, &count);
        enum trawl_status whole_status = count_in(bytes, &letters, whole, &whole_count);

        if (whole_status != TRAWL_OK)
            continue;
        TEST_CHECK_U64(whole_count, expected);
        TEST_CHECK_U64((uint64_t)status, TRAWL_OK);
        TEST_CHECK_U64(status == TRAWL_OK ? count : expected, expected);
        fitting++;
    }
    TEST_CHECK(fitting > 1);
    plan_part_costs_device = plan_part_costs_device_default;
    trawl_plan_free(by_parts);
    trawl_plan_free(whole);
    letters_end(&letters);
}

/* Requests the first occurrence in a text with a new plan. It is after the bytes on which the
 * device's engine tries the parts of the set. Each string of the set is the first occurrence in
 * turn. */
static void late_first(void)
{
    enum { STRINGS = 8, TEXT_BYTES = 4000, LATE = 3900 };
    struct cuda_limits limits = cuda_limits_default;
    uint8_t strings[STRINGS][2 * STRINGS], text_bytes[TEXT_BYTES];
    struct trawl_pattern list[STRINGS];
    struct test_random random = test_random_begin("late first");

    /* without stream_set, the engine first tries the set's filter on tried_bytes bytes */
    limits.sets = false;
    limits.tried_bytes = 100;
    cuda_limits_replace(&limits);
    plan_part_costs_device = (struct plan_part_costs){.met = 1e9, .dense = 1e9};
    for (uint32_t i = 0; i < STRINGS; i++) {
        list[i] = (struct trawl_pattern){strings[i], 4 + i};
        for (uint32_t j = 0; j < list[i].bytes_count; j++)
            strings[i][j] = (uint8_t)('a' + test_random_below(&random, 26));
    }
    for (uint32_t i = 0; i < STRINGS; i++) {
        struct trawl_searcher *searcher = NULL;
        const struct plan_parts *parts = NULL;
        struct trawl_plan *plan = must_plans(list, STRINGS, NULL);
        struct trawl_match match = {.begin = 0};
        struct trawl_text *text;
        bool found = false;

        memset(text_bytes, 'X', sizeof text_bytes);
        memcpy(text_bytes + LATE, strings[i], list[i].bytes_count);
        sim_driver_reset_usual(i + 1);
        searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
        text = must_text(text_bytes, TEXT_BYTES);
        MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
        TEST_CHECK(found && match.begin == LATE && match.pattern_index == i);
        MUST(plan_parts_want(plan, PLAN_PARTS_DEVICE, &parts, NULL));
        TEST_CHECK(parts != NULL && parts->count > 1);
        trawl_text_close(text);
        trawl_searcher_close(searcher);
        trawl_plan_free(plan);
    }
    plan_part_costs_device = plan_part_costs_device_default;
}

/* Counts the occurrences of plans that need different tables and methods, in random order with one
 * searcher, in a loaded text that the engine samples. */
static void plans_in_turn(void)
{
    enum { PLANS = 5, STRINGS = 3, TEXT_BYTES = 3000, STEPS = 60 };
    static const char *const strings[PLANS][STRINGS] = {
        {"abcab"}, {"a", "ab", "bca"}, {"abca", "bcab", "cabc"}, {"bcabcabcabcabcabcabca"}, {"ca"}};
    struct test_random random = test_random_begin("plans in turn");
    uint8_t text_bytes[TEXT_BYTES];
    uint64_t expected[PLANS] = {0};
    struct trawl_plan *plans[PLANS];
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_searcher *searcher;
    struct trawl_text *text;

    limits.seen_bytes_min = 1;
    cuda_limits_replace(&limits);
    sim_driver_reset_usual(1);
    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        text_bytes[i] = (uint8_t)("abc"[test_random_one_in(&random, 9) ? i % 2 : i % 3]);
    for (uint32_t p = 0; p < PLANS; p++) {
        struct trawl_pattern list[STRINGS];
        uint32_t count = 0;

        for (; count < STRINGS && strings[p][count] != NULL; count++) {
            uint64_t length = strlen(strings[p][count]);

            list[count] = (struct trawl_pattern){strings[p][count], length};
            for (uint64_t at = 0; at + length <= TEXT_BYTES; at++)
                expected[p] += memcmp(text_bytes + at, strings[p][count], length) == 0;
        }
        plans[p] = must_plans(list, count, NULL);
    }
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    text = must_text(text_bytes, TEXT_BYTES);
    MUST(trawl_text_load(searcher, text, NULL));
    for (uint32_t step = 0; step < STEPS; step++) {
        uint64_t p = test_random_below(&random, PLANS);

        TEST_CHECK_U64(must_count(searcher, plans[p], text), expected[p]);
    }
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    for (uint32_t p = 0; p < PLANS; p++)
        trawl_plan_free(plans[p]);
}

int main(void)
{
    struct cuda_limits limits = cuda_limits_default;
    struct test_random random;
    struct host host;

    test_begin("sim answers");
    random = test_random_begin("answers");
    cuda_driver_replace(sim_driver_table());
    for (uint64_t i = 0; i < test_amount(SEARCHES_NORMAL, SEARCHES_LONG) && test_failures < 5;) {
        sim_driver_reset_usual(i + 1);
        limits.staging_bytes = STAGING;
        limits.room_step_bytes = 256u << 2 * test_random_below(&random, 3);
        limits.hits_room_min = 1 + test_random_below(&random, 1500);
        cuda_limits_replace(&limits);
        host_open(&host, TRAWL_ENGINE_CUDA, 1, 0);
        do {
            search_one(host.searcher, &random, test_random_below(&random, 3) == 0);
            TEST_CHECK(sim_driver_report()[0] == '\0');
        } while (++i % 20 != 0);
        host_close(&host);
    }
    for (uint64_t seed = 0; seed < (TEST_SANITIZED ? 4 : 12); seed++)
        handed_over(&random, seed);
    for (uint64_t length = 40; length <= 200; length += 40)
        for (uint32_t sampled = 0; sampled < 2; sampled++)
            over_tile_ends(&random, length, sampled ? TRAWL_METHOD_SAMPLED : TRAWL_METHOD_EVERY);
    many_loaded(1);
    many_loaded(2);
    full_lists("A", 0);
    full_lists("AAAAAAAAAA", 0); /* by bit planes */
    full_lists("AAAAAAA", TRAWL_IGNORE_CASE);
    chunk_in_same_memory();
    for (uint32_t i = TRAWL_METHOD_EVERY; i <= TRAWL_METHOD_SAMPLED; i++) {
        next_method((enum trawl_method)i, false);
        next_method((enum trawl_method)i, true);
    }
    methods_without_room();
    forced_without_room();
    parts_without_room();
    looks_again();
    late_first();
    plans_in_turn();
    cuda_limits_replace(NULL);
    return test_end();
}
