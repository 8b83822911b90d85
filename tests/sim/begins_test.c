/* begins_test: trawl_begins_into, trawl_begins_on_device and trawl_pairs_on_device, on each engine,
 * on the simulated driver where there is a device: random plans and texts, loaded or not, against
 * the oracle; then with driver call N failing, for every N, once and from N on.
 *
 * TRAWL_TEST_CASE=N: case N alone.
 */
#include "calls.h"
#include "base/checked.h"
#include "cuda_case.h"
#include "fail_calls.h"
#include "host.h"
#include "letters.h"
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"
#include "trawl.h"

#define CASES_NORMAL 90
#define CASES_LONG 20000
#define CASES_TELLING 60 /* enough that arrays must have been filled, and refused */
#define UNTOUCHED 0x7777777777777777u

/* A text, alone or as a part of a larger one that is loaded, its patterns, and an array in device
 * memory beside the engine's own. */
struct scene {
    struct diff_input input;
    struct diff_expected expected;
    struct trawl_plan *plan;
    uint8_t *memory;
    struct trawl_text *whole, *text;
    bool loaded;
    bool alone; /* a device verifies by itself */
    uint64_t room;
};

static uint64_t on_device, on_device_refused, paired;

/* The input's text with so many bytes before and after it, which may go on with occurrences. */
static void scene_text(struct scene *s, uint64_t before, uint64_t behind)
{
    uint64_t bytes = s->input.text_bytes;

    s->memory = (uint8_t *)test_memory(before + bytes + behind);
    for (uint64_t i = 0; i < before + bytes + behind; i++)
        s->memory[i] = bytes == 0 ? 'a' : s->input.text[(i + bytes - before % bytes) % bytes];
    MUST(trawl_text_from_memory(s->memory, before + bytes + behind, &s->whole, NULL));
    MUST(trawl_text_from_memory(s->memory + before, bytes, &s->text, NULL));
}

static void scene_open(struct scene *s, struct test_random *random)
{
    memset(s, 0, sizeof *s);
    random_case_input(random, &s->input);
    expected_compute(&s->input, &s->expected);
    s->plan = random_case_plan(random, &s->input);
    if (test_random_below(random, 2))
        scene_text(s, 0, 0);
    else
        scene_text(s, test_random_below(random, 40), test_random_below(random, 40));
    s->loaded = test_random_below(random, 4) != 0;
    s->alone = (s->input.flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) == 0;
    s->room = test_random_below(random, 3) ? s->expected.match_count
                                           : test_random_below(random, s->expected.match_count + 2);
}

static void scene_close(struct scene *s)
{
    trawl_text_close(s->text);
    trawl_text_close(s->whole);
    free(s->memory);
    trawl_plan_free(s->plan);
    expected_free(&s->expected);
    input_free(&s->input);
}

/* Are the array's words the first begins, and that after them untouched? */
static bool is_right(const struct scene *s, const uint64_t *begins)
{
    uint64_t count = min_u64(s->room, s->expected.match_count);

    for (uint64_t i = 0; i < count; i++)
        if (begins[i] != s->expected.matches[i].begin)
            return false;
    return begins[s->room] == UNTOUCHED;
}

static enum trawl_status into(const struct scene *s, struct trawl_searcher *searcher,
                              struct trawl_error *error)
{
    uint64_t *begins = (uint64_t *)test_memory((s->room + 1) * sizeof *begins);
    uint64_t count = UNTOUCHED;
    enum trawl_status status;

    begins[s->room] = UNTOUCHED;
    status = trawl_begins_into(searcher, s->plan, s->text, begins, s->room, &count, error);
    if (status == TRAWL_OK) {
        TEST_CHECK_U64(count, s->expected.match_count);
        TEST_CHECK(is_right(s, begins));
        TEST_CHECK_U64(trawl_searcher_progress(searcher), s->input.text_bytes);
    } else {
        TEST_CHECK(begins[s->room] == UNTOUCHED);
    }
    free(begins);
    return status;
}

/* The same for words with patterns. */
static bool is_right_paired(const struct scene *s, const uint64_t *pairs)
{
    uint64_t count = min_u64(s->room, s->expected.match_count);

    for (uint64_t i = 0; i < count; i++) {
        const struct naive_match *match = &s->expected.matches[i];

        if (pairs[i] != match->begin + (match->pattern_index << TRAWL_PAIR_BEGIN_BITS))
            return false;
    }
    return pairs[s->room] == UNTOUCHED;
}

/* The simulated device's memory is the host's. */
static enum trawl_status on(const struct scene *s, struct trawl_searcher *searcher, bool pairs,
                            struct trawl_error *error)
{
    uint64_t *array = (uint64_t *)test_memory((s->room + 1) * sizeof *array);
    uint64_t count = UNTOUCHED;
    enum trawl_status status;

    for (uint64_t i = 0; i <= s->room; i++)
        array[i] = UNTOUCHED;
    sim_range_add(array, s->room * sizeof *array);
    status = (pairs ? trawl_pairs_on_device : trawl_begins_on_device)(
        searcher, s->plan, s->text, (uint64_t)(uintptr_t)array, s->room, &count, error);
    sim_range_remove(array);
    if (status == TRAWL_OK) {
        TEST_CHECK_U64(count, s->expected.match_count);
        TEST_CHECK(pairs ? is_right_paired(s, array) : is_right(s, array));
        TEST_CHECK_U64(trawl_searcher_progress(searcher), s->input.text_bytes);
        on_device++;
        paired += pairs && s->input.pattern_count > 1 && count > 0;
    } else {
        TEST_CHECK_U64(count, UNTOUCHED);
        TEST_CHECK(array[s->room] == UNTOUCHED);
        on_device_refused += status == TRAWL_UNSUPPORTED;
    }
    free(array);
    return status;
}

static void case_run(uint64_t index)
{
    static const enum trawl_engine engines[] = {TRAWL_ENGINE_CUDA, TRAWL_ENGINE_CUDA,
                                                TRAWL_ENGINE_AUTO, TRAWL_ENGINE_CPU};
    struct test_random random = test_random_begin("begins");
    enum trawl_engine engine = engines[index % 4];
    uint64_t failures = test_failures;
    struct trawl_searcher *searcher;
    struct cuda_limits limits;
    struct trawl_error error;
    static struct scene s;

    random.state ^= index * 0x2545f4914f6cdd1du;
    sim_driver_reset_usual(index + 1);
    limits = cuda_case_limits(&random);
    limits.begins_room = 1 + test_random_below(&random, 200);
    cuda_limits_replace(&limits);
    scene_open(&s, &random);
    searcher = host_searcher(engine, (uint32_t)(1 + test_random_below(&random, 3)), 0, &error);
    if (TEST_CHECK(searcher != NULL)) {
        TEST_CHECK(!s.loaded || trawl_text_load(searcher, s.whole, &error) == TRAWL_OK);
        for (uint32_t i = 0; i < 2; i++) { /* the worker keeps what the first call left */
            enum trawl_status status;
            bool pairs;

            if (!TEST_CHECK(into(&s, searcher, &error) == TRAWL_OK))
                printf("  %s\n", error.message);
            if (s.room == 0)
                continue;
            pairs = i == index / 4 % 2;
            status = on(&s, searcher, pairs, &error);
            if (s.loaded && s.alone && engine != TRAWL_ENGINE_CPU && s.input.text_bytes > 0 &&
                (!pairs || s.plan->literals == NULL))
                TEST_CHECK_U64(status, TRAWL_OK);
            else
                TEST_CHECK(status == TRAWL_OK || status == TRAWL_UNSUPPORTED);
        }
    }
    trawl_searcher_close(searcher);
    host_check_driver();
    scene_close(&s);
    if (test_failures > failures)
        printf("  TRAWL_TEST_CASE=%" PRIu64 "\n", index);
}

/* ---- Failing calls ------------------------------------------------------------------------ */

static void fail_scene(struct scene *s, const char *pattern)
{
    struct test_random random = test_random_begin("begins fail");

    memset(s, 0, sizeof *s);
    input_begin(&random, INPUT_LETTERS_2, 6000, &s->input);
    input_add_pattern(&s->input, (const uint8_t *)pattern, strlen(pattern));
    expected_compute(&s->input, &s->expected);
    s->plan = random_case_plan(&random, &s->input);
    s->room = s->expected.match_count;
    s->loaded = s->alone = true;
    scene_text(s, 3, 0);
}

/* Open, load, both calls; with `again`, once more when the fault is gone. */
static enum trawl_status work_once(void *context, enum trawl_engine engine, bool again,
                                   struct trawl_error *error)
{
    const struct scene *s = (const struct scene *)context;
    AUTO_SEARCHER searcher = host_searcher(engine, 1, 0, error);
    enum trawl_status status = searcher == NULL ? error->status : TRAWL_OK;

    if (status == TRAWL_OK)
        status = trawl_text_load(searcher, s->whole, error);
    if (status == TRAWL_OK)
        status = into(s, searcher, error);
    if (status == TRAWL_OK)
        status = on(s, searcher, again, error);
    if (searcher != NULL && again) {
        struct trawl_error second;

        sim_driver_fail(0, 0, false);
        TEST_CHECK(into(s, searcher, &second) == TRAWL_OK);
    }
    return status;
}

static void failing_calls(void)
{
    static const char *const patterns[] = {"ab", "aaaaaaaaaaaa"};
    struct cuda_limits limits = letters_limits();
    uint64_t failed = 0;

    limits.begins_room = 500;
    limits.hits_room_min = 100;
    cuda_limits_replace(&limits);
    for (uint32_t p = 0; p < 2; p++) {
        static struct scene s;
        struct fail_work work = {&s, work_once, true};

        if (!test_turn(p, 2))
            continue;
        fail_scene(&s, patterns[p]);
        failed += fail_calls(&work);
        scene_close(&s);
    }
    printf("calls of the driver that failed: %" PRIu64 " ended the search or what came before it\n",
           failed);
    TEST_CHECK(failed > 100);
}

/* Count a text that is not loaded, then one that is. */
static enum trawl_status count_once(void *context, enum trawl_engine engine, bool again,
                                    struct trawl_error *error)
{
    const struct scene *s = (const struct scene *)context;
    AUTO_SEARCHER searcher = host_searcher(engine, 2, 1000, error);
    enum trawl_status status = searcher == NULL ? error->status : TRAWL_OK;
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    const struct trawl_pattern pattern = {s->input.patterns[0].bytes,
                                          s->input.patterns[0].bytes_count};
    struct trawl_plan *plan = NULL; /* its own: a plan keeps what a search makes of it */
    uint64_t count = 0;

    (void)again;
    options.method = s->plan->method;
    if (status == TRAWL_OK)
        status = trawl_plan_build(&pattern, 1, &options, &plan, error);
    for (uint32_t times = 0; status == TRAWL_OK && times < 2; times++) {
        if (times > 0)
            status = trawl_text_load(searcher, s->whole, error);
        if (status == TRAWL_OK)
            status = trawl_count(searcher, plan, s->text, &count, error);
        if (status == TRAWL_OK)
            TEST_CHECK_U64(count, s->expected.match_count);
    }
    trawl_plan_free(plan);
    return status;
}

/* The suite had missed buffers for devices that there is no memory for: memory failed under calls
 * that need none. */
static void failing_memory(void)
{
    struct cuda_limits limits = letters_limits();
    static struct scene s;
    struct fail_work work = {&s, count_once, false};

    cuda_limits_replace(&limits);
    fail_scene(&s, "ab");
    TEST_CHECK(fail_blocks(&work) > 20);
    scene_close(&s);
}

int main(void)
{
    uint64_t cases = test_amount(CASES_NORMAL, CASES_LONG);
    bool all;

    test_begin("sim begins");
    cuda_driver_replace(sim_driver_table());
    all = test_cases(cases, case_run);
    printf("%" PRIu64 " arrays filled on the device, %" PRIu64 " refused, %" PRIu64 " launches\n",
           on_device, on_device_refused, sim_counters().launches);
    if (all) {
        TEST_CHECK((on_device * 10 > cases && on_device_refused * 30 > cases && paired > 0) ||
                   cases < CASES_TELLING);
        failing_calls();
        failing_memory();
    }
    return test_end();
}
