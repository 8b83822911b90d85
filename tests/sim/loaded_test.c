/* loaded_test: loads and unloads texts that overlap in memory. Checks how many bytes each load and
 * each count copies to devices, and compares each count with a naive count.
 *
 * Only with several loaded texts can a test find that a text's copy is dropped when another text
 * with the same first byte is loaded or unloaded.
 */
#include <ctype.h>

#include "calls.h"
#include "cuda/limits.h"
#include "sim_host.h"
#include "letters.h"
#include "plan/pages.h"
#include "sim_driver.h"

#define MEMORY_BYTES 80000u
#define PATTERN "abcd"
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

/* A device searches only the pages that a filter leaves, a launch for each range of them: none for
 * a string that is nowhere; all of the text if the ranges are many. */
static void filtered(void)
{
    static const char absent[] = "nowhere in it", once[] = "once in a page", often[] = "often";
    uint8_t *bytes = (uint8_t *)malloc(MEMORY_BYTES);
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(bytes, MEMORY_BYTES);
    struct cuda_limits limits = letters_limits();
    struct test_random random = test_random_begin("sim filtered");
    struct trawl_plan *plans[] = {must_plan(absent), must_plan(once), must_plan(often)};
    static const uint64_t counts[] = {0, 1, 40}, searched[] = {0, 1000, MEMORY_BYTES};
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher;

    for (uint64_t i = 0; i < MEMORY_BYTES; i++)
        bytes[i] = (uint8_t)('0' + test_random_below(&random, 10));
    memcpy(bytes + 40 * 1000 - 5, once, sizeof once - 1);
    for (uint64_t i = 0; i < 40; i++)
        memcpy(bytes + i * 2000 + 700, often, sizeof often - 1);
    options.flags = TRAWL_TEXT_FILTER;
    plan_pages_sizes = (struct plan_pages_sizes){
        .page = 1000, .alike_max = 2, .kept_max = 1, .launch_bytes = 4000};
    cuda_limits_replace(&limits);
    host_devices(1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    MUST(trawl_text_open(NULL, &options, &text, NULL));
    MUST(trawl_text_load(searcher, text, NULL));
    for (uint32_t i = 0; i < 3; i++) {
        TEST_CHECK_U64(must_count(searcher, plans[i], text), counts[i]);
        TEST_CHECK_U64(must_stats(searcher).text_bytes, MEMORY_BYTES);
        TEST_CHECK_U64(must_worker(searcher, 1).worker_text_bytes, searched[i]);
    }
    trawl_text_unload(searcher, text);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    for (uint32_t i = 0; i < 3; i++)
        trawl_plan_free(plans[i]);
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
    scene_close(&scene);
    return test_end();
}
