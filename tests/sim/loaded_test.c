/* loaded_test: loads and unloads texts that overlap in memory. Checks how many bytes each load and
 * each count copies to devices, and compares each count with a naive count.
 *
 * Only with several loaded texts can a test find that a text's copy is dropped when another text
 * with the same first byte is loaded or unloaded.
 */
#include <ctype.h>

#include "calls.h"
#include "cuda/engine_cuda.h"
#include "cuda/limits.h"
#include "sim_host.h"
#include "letters.h"
#include "plan/pages.h"
#include "sim_driver.h"

#define MEMORY_BYTES 80000u
#define PATTERN "abcd"
#define PAGE_BYTES 1600u
/* Limit for what a load or a count copies to the devices in addition to the text: the tables of the
 * plan and, if the text is copied in chunks, the bytes that two chunks share. */
#define MORE_BYTES_MAX 3000u

/* Each text has a letter as name, and consists of bytes [begin, end) of the memory. */
static const struct {
    char name;
    uint64_t begin, end;
} ranges[] = {
    {'W', 0, MEMORY_BYTES}, /* the whole memory */
    {'V', 0, MEMORY_BYTES}, /* a second text object with the same bytes */
    {'B', 0, 5000},         /* begins where W begins */
    {'E', 75000, 80000},    /* ends where W ends */
    {'N', 30000, 35000},    /* lies inside of W */
    {'L', 0, 50000},        /* L and R overlap by more bytes than an occurrence has */
    {'R', 40000, 80000},    {'P', 49998, 80000}, /* L and P overlap by fewer bytes */
};
#define TEXTS (sizeof ranges / sizeof *ranges)

/* A step is a sign, a letter and a number. The sign: + loads a text, - unloads it, ? counts. The
 * letter names the text; a capital letter means the first searcher, a small one the second. The
 * number says how many bytes the step copies to devices. */
struct row {
    const char *what, *steps;
    uint32_t searchers, devices;
    uint64_t split_from; /* texts of this many bytes are split; 0: no text is split */
};

static const struct row rows[] = {
    {"one text", "?W80000 +W80000 ?W0 ?B0 ?N0 ?E0 -W0 ?W80000", 1, 1, 0},
    {"equal begins, the longer first", "+W80000 +B5000 ?W0 ?B0 -B0 ?W0 ?B0 -W0 ?B5000", 1, 1, 0},
    {"equal begins, the shorter first", "+B5000 ?W80000 +W80000 ?W0 -B0 ?W0 ?B0", 1, 1, 0},
    {"the longer goes first", "+W80000 +B5000 -W0 ?B0 ?W80000 ?N5000", 1, 1, 0},
    {"equal ends", "+W80000 +E5000 -E0 ?W0 ?E0 +E5000 -W0 ?E0 ?W80000", 1, 1, 0},
    {"one inside the other", "+W80000 +N5000 -N0 ?W0 ?N0 +N5000 -W0 ?N0 ?B5000", 1, 1, 0},
    {"overlapping", "+L50000 ?W80000 +R40000 ?W0 ?N0 -L0 ?W80000 ?E0 -R0 ?E5000", 1, 1, 0},
    {"overlapping in less than an occurrence", "+L50000 +P30002 ?L0 ?P0 ?W80000", 1, 1, 0},
    {"two objects of the same bytes", "+W80000 +V80000 -W0 ?V0 ?W0 -V0 ?V80000", 1, 1, 0},
    {"loaded twice, dropped once", "+W80000 +W80000 -W0 ?W80000", 1, 1, 0},
    {"dropped, but not loaded", "+W80000 -V0 -B0 -E0 ?W0 -W0 -W0 ?W80000", 1, 1, 0},
    {"two searchers, one object", "+W80000 +w0 ?w0 -w0 ?W80000", 2, 1, 0},
    {"two searchers, two objects", "+W80000 +v0 ?v0 -W0 ?W0 ?w0 -v0 ?W80000", 2, 1, 0},
    {"two searchers, equal begins", "+W80000 +b5000 -W0 ?b0 ?B0 -b0 ?B5000", 2, 1, 0},
    {"on each of two devices", "+B10000 ?B0 ?b0 +W160000 ?W0 -B0 ?w0 -W0 ?W80000", 2, 2, 0},
    {"split over two devices", "+W80500 ?W0 ?N0 +B10000 -B0 ?W0 -W0 ?W80000", 1, 2, 20000},
    {"split, two objects, two searchers", "+W80500 +v0 -W0 ?W0 ?v0 -v0 ?W80000", 2, 2, 20000},
    {"split, a part was loaded before", "+B10000 +W80500 ?W0 ?W0 ?W0 ?W0 -B0 ?W0", 1, 2, 20000},
    {"parts split", "+L50500 +R40500 ?W0 -L0 ?R0 ?W80000", 1, 2, 20000},
};

struct scene {
    struct letters letters;
    struct trawl_text *texts[TEXTS];
    uint64_t counts[TEXTS];
    struct trawl_plan *plan;
};

static void scene_open(struct scene *s)
{
    letters_begin(&s->letters, "loaded", MEMORY_BYTES);
    for (uint32_t i = 0; i < TEXTS; i++) {
        struct letters part = {.bytes = s->letters.bytes + ranges[i].begin,
                               .bytes_count = ranges[i].end - ranges[i].begin};

        s->texts[i] = must_text(part.bytes, part.bytes_count);
        s->counts[i] = letters_find(&part, PATTERN, NULL);
    }
    s->plan = must_plan(PATTERN);
}

static void scene_close(struct scene *s)
{
    for (uint32_t i = 0; i < TEXTS; i++)
        trawl_text_close(s->texts[i]);
    trawl_plan_free(s->plan);
    letters_end(&s->letters);
}

static uint32_t text_named(char name)
{
    uint32_t i = 0;

    while (i + 1 < TEXTS && ranges[i].name != toupper((unsigned char)name))
        i++;
    return i;
}

/* Carries out the step at `at`, and returns where the next step begins. */
static const char *step(const struct scene *s, struct trawl_searcher *const *searchers,
                        const struct row *row, const char *at)
{
    uint32_t index = text_named(at[1]);
    struct trawl_searcher *searcher = searchers[islower((unsigned char)at[1]) ? 1 : 0];
    uint64_t before = sim_driver_copied(), expected, copied, count = 0;
    char *end = NULL;

    expected = strtoull(at + 2, &end, 10);
    switch (at[0]) {
    case '+':
        MUST(trawl_text_load(searcher, s->texts[index], NULL));
        break;
    case '-':
        trawl_text_unload(searcher, s->texts[index]);
        break;
    default:
        MUST(trawl_count(searcher, s->plan, s->texts[index], &count, NULL));
        TEST_CHECK_U64(count, s->counts[index]);
    }
    copied = sim_driver_copied() - before;
    if (!TEST_CHECK(copied >= expected && copied <= expected + MORE_BYTES_MAX))
        printf("  %s: %.6s copied %" PRIu64 " bytes\n", row->what, at, copied);
    return end + strspn(end, " ");
}

static void run(const struct scene *s, const struct row *row)
{
    struct trawl_searcher *searchers[2] = {NULL, NULL};
    struct trawl_runtime *runtime;
    struct cuda_limits limits = letters_limits();

    limits.split_bytes_min = row->split_from == 0 ? UINT64_MAX : row->split_from;
    limits.stripe_bytes = MEMORY_BYTES;
    limits.split_overlap = 500;
    cuda_limits_replace(&limits);
    host_devices(row->devices);
    runtime = must_runtime(TRAWL_ENGINE_CUDA, 2, 0);
    for (uint32_t i = 0; i < row->searchers; i++)
        searchers[i] = must_searcher_of(runtime, 0);
    for (const char *at = row->steps; *at != '\0';)
        at = step(s, searchers, row, at);
    for (uint32_t i = 0; i < row->searchers; i++)
        trawl_searcher_close(searchers[i]);
    MUST(trawl_runtime_close(runtime, NULL));
    host_check_driver();
}

/* Loads two texts onto a device that has room for one. The engine rejects the second text, and the
 * first one stays loaded. */
static void budget(const struct scene *s)
{
    struct sim_driver_options options = {1, 1, 1u << 20, 2, 0, 0, 0};
    uint32_t whole = text_named('W'), left = text_named('L');
    struct cuda_limits limits = letters_limits();
    struct trawl_searcher *searcher;
    struct trawl_error error;
    uint64_t copied;

    limits.resident_room_left = 100000;
    cuda_limits_replace(&limits);
    sim_driver_reset(&options);
    searcher = must_searcher_with(
        SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1, .device_memory_bytes = 250000));
    MUST(trawl_text_load(searcher, s->texts[whole], NULL));
    TEST_CHECK_U64(must_count(searcher, s->plan, s->texts[whole]), s->counts[whole]);
    CHECK_STATUS(trawl_text_load(searcher, s->texts[left], &error), TRAWL_MEMORY);
    trawl_text_unload(searcher, s->texts[left]);
    copied = sim_driver_copied();
    TEST_CHECK_U64(must_count(searcher, s->plan, s->texts[whole]), s->counts[whole]);
    TEST_CHECK_U64(must_count(searcher, s->plan, s->texts[left]), s->counts[left]);
    TEST_CHECK(sim_driver_copied() - copied <= MORE_BYTES_MAX);
    trawl_searcher_close(searcher);
    host_check_driver();
}

/* Asks which of the records of 1,000 bytes have the plan's string, first for an array in the host's
 * memory, then for one in the device's. Without a page left, the host answers, and the device's
 * array is only cleared. */
static void filtered_records(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             const uint8_t *bytes, uint64_t count, bool by_host)
{
    const uint64_t record_count = MEMORY_BYTES / 1000;
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_records *records = NULL;
    uint64_t offsets[MEMORY_BYTES / 1000 + 1], there = 0;
    const struct cuda_driver *driver = sim_driver_table();
    uint8_t here[MEMORY_BYTES / 1000];
    struct cuda_context *context;

    for (uint64_t i = 0; i <= record_count; i++)
        offsets[i] = i * 1000;
    array.bytes = bytes;
    array.offsets = offsets;
    array.record_count = record_count;
    TEST_CHECK(driver->context_retain(&context, 0) == 0 && driver->context_push(context) == 0 &&
               driver->memory_allocate(&there, sizeof here) == 0 &&
               driver->context_pop(&context) == 0);
    MUST(trawl_records_load(searcher, &array, &records, NULL));
    for (uint32_t i = 0; i < 2; i++) {
        struct trawl_answer out = TRAWL_ANSWER_VALUES(
            TRAWL_RECORDS_BYTES, i == 0 ? (void *)here : (void *)(uintptr_t)there, record_count);

        memset(here, 7, i == 0 ? sizeof here : 0);
        MUST(trawl_ask_records(searcher, plan, records, &out, NULL));
        TEST_CHECK_U64(out.count, count);
        TEST_CHECK(out.on_device == (i == 1 || !by_host));
    }
    TEST_CHECK(memcmp(here, (const void *)(uintptr_t)there, sizeof here) == 0);
    TEST_CHECK(driver->context_push(context) == 0 && driver->memory_free(there) == 0 &&
               driver->context_pop(&context) == 0 && driver->context_release(0) == 0);
    trawl_records_unload(records);
}

/* A device searches only the pages that a filter leaves, all of them with one launch, which is none
 * for a string that is nowhere; and all of the text if they are many. */
static void filtered(void)
{
    static const char absent[] = "nowhere in it", once[] = "once in a page", often[] = "often";
    /* parts of 8, 16 and 9 bytes; a search reads 32 bytes after a start */
    static const char apart[34] = "divide i\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0n the mid";
    const struct trawl_pattern pattern = {apart, sizeof apart - 1};
    uint8_t *bytes = (uint8_t *)malloc(MEMORY_BYTES);
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(bytes, MEMORY_BYTES);
    struct cuda_limits limits = letters_limits();
    struct test_random random = test_random_begin("sim filtered");
    struct trawl_plan *plans[] = {must_plan(absent), must_plan(once), must_plan(often), NULL};
    static const uint64_t counts[] = {0, 1, 40, 2};
    static const uint64_t searched[] = {0, PAGE_BYTES, MEMORY_BYTES, MEMORY_BYTES};
    static const uint64_t left[] = {0, 1, 0, 2};
    struct trawl_match match;
    bool found = false;
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher;

    for (uint64_t i = 0; i < MEMORY_BYTES; i++)
        bytes[i] = (uint8_t)('0' + test_random_below(&random, 10));
    memcpy(bytes + 40 * PAGE_BYTES - 5, once, sizeof once - 1);
    for (uint64_t i = 0; i < 40; i++)
        memcpy(bytes + i * 2000 + 700, often, sizeof often - 1);
    /* pages 10 and 20 have it; their copies would have it between them, if zeros were between them
     */
    memcpy(bytes + 10 * PAGE_BYTES + 100, apart, sizeof apart - 1);
    memcpy(bytes + 20 * PAGE_BYTES + 100, apart, sizeof apart - 1);
    memcpy(bytes + 11 * PAGE_BYTES + 24, apart, 8);
    memcpy(bytes + 20 * PAGE_BYTES, apart + 24, 9);
    MUST(trawl_plan_build(&pattern, 1, PLAN_WITH(.method = TRAWL_METHOD_AUTO), &plans[3], NULL));
    options.flags = TRAWL_TEXT_FILTER;
    plan_pages_sizes = (struct plan_pages_sizes){
        .page = PAGE_BYTES, .alike_max = 2, .kept_max = 1, .device_max = 0.3};
    cuda_limits_replace(&limits);
    host_devices(1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    MUST(trawl_text_open(NULL, &options, &text, NULL));
    MUST(trawl_text_load(searcher, text, NULL));
    for (uint32_t i = 0; i < 4; i++) {
        TEST_CHECK_U64(must_count(searcher, plans[i], text), counts[i]);
        TEST_CHECK_U64(must_stats(searcher).page_left_count, left[i]);
        TEST_CHECK_U64(must_stats(searcher).text_bytes, MEMORY_BYTES);
        TEST_CHECK_U64(must_worker(searcher, 1).worker_text_bytes, searched[i]);
    }
    for (uint32_t i = 0; i < 4; i++) /* plans[1] occurs across two records */
        filtered_records(searcher, plans[i], bytes, i == 1 ? 0 : counts[i], i == 0);
    MUST(trawl_first(searcher, plans[3], text, &match, &found, NULL));
    TEST_CHECK(found && match.begin == 10 * PAGE_BYTES + 100);
    trawl_text_unload(searcher, text);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    for (uint32_t i = 0; i < 4; i++)
        trawl_plan_free(plans[i]);
    free(bytes);
    host_check_driver();
}

/* Makes a filter of the text on the host and on the device, and asks both for the same strings. */
static void ask_both(struct engine *engine, struct test_random *random,
                     const struct engine_text *text)
{
    struct plan_pages_scratch *scratch =
        (struct plan_pages_scratch *)test_memory(sizeof(struct plan_pages_scratch));
    struct plan_pages on_host, on_device;
    struct engine_pages *made = NULL;

    plan_pages_sizes.page = 1 + text->bytes_count / test_random_between(random, 1, 90);
    TEST_CHECK(plan_pages_open(&on_host, text->bytes, text->bytes_count, scratch));
    on_device = on_host;
    TEST_CHECK(plan_pages_reserve(&on_host));
    for (uint64_t group = 0; group * PLAN_GROUP_PAGES < on_host.count; group++)
        plan_pages_build(&on_host, group, scratch);
    MUST(engine_cuda.there->pages_make(engine, &on_device, &made, NULL));
    for (uint32_t i = 0; i < 10; i++) {
        const uint64_t first = test_random_below(random, on_host.count);
        const uint64_t end = test_random_between(random, first + 1, on_host.count);
        uint64_t kept[2] = {0, 0}, asked[2] = {0, 0}, count = 0;
        struct trawl_pattern patterns[12];
        bool knows = false, known;
        AUTO_PLAN plan = NULL;

        for (uint32_t k = 0; k < 12; k++)
            patterns[k] = (struct trawl_pattern){
                text->bytes + test_random_below(random, text->bytes_count - 200),
                test_random_between(random, i == 0 ? 3 : 5, 100)};
        MUST(trawl_plan_build(patterns, test_random_between(random, 1, 12),
                              PLAN_WITH(.flags = i % 2 == 0 ? 0 : TRAWL_IGNORE_CASE), &plan, NULL));
        known = plan_pages_keep(&on_host, plan, first, end, UINT64_MAX, kept, &count);
        MUST(engine_cuda.there->pages_ask(engine, made, plan, first, end, asked, &knows, NULL));
        TEST_CHECK(knows == known);
        if (!known)
            continue;
        TEST_CHECK_U64(plan_pages_trim(asked, first, end), count);
        TEST_CHECK(kept[0] == asked[0] && kept[1] == asked[1]);
    }
    engine_cuda.there->pages_drop(engine, made);
    plan_pages_close(&on_host);
    free(scratch);
}

static void same_filters(void)
{
    struct engine_options opening = {.size = sizeof opening};
    struct test_random random = test_random_begin("sim filters");
    struct cuda_limits limits = letters_limits();
    uint8_t *bytes = (uint8_t *)test_memory(MEMORY_BYTES);
    struct engine *engine = NULL;

    cuda_limits_replace(&limits);
    host_devices(1);
    plan_pages_sizes = (struct plan_pages_sizes){.alike_max = 2};
    MUST(engine_cuda.open(&opening, &engine, NULL));
    for (uint32_t i = 0; i < 12; i++) {
        struct engine_text text = {.owner = bytes, .how = ENGINE_HOLD_ANEW};

        text.bytes_count = test_random_between(&random, 201, i < 6 ? 3000 : MEMORY_BYTES);
        text.bytes = bytes + test_random_below(&random, MEMORY_BYTES - text.bytes_count + 1);
        for (uint64_t k = 0; k < MEMORY_BYTES; k++)
            bytes[k] = (uint8_t)test_random_below(&random, i % 3 == 0 ? 256 : 128);
        MUST(engine_cuda.there->hold(engine, &text, NULL));
        ask_both(engine, &random, &text);
        (void)engine_cuda.there->drop(engine, &text);
    }
    engine_cuda.close(engine);
    free(bytes);
    host_check_driver();
}

int main(void)
{
    static struct scene scene;

    test_begin("sim loaded");
    cuda_driver_replace(sim_driver_table());
    scene_open(&scene);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
        run(&scene, &rows[i]);
    budget(&scene);
    filtered();
    same_filters();
    scene_close(&scene);
    return test_end();
}
