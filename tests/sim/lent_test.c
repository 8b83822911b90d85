/* lent_test: texts that lie in a device's memory, on the simulated driver: every kind of search,
 * against the oracle and without a byte copied to the device; what the host must read is copied to
 * it; then with driver call N failing, for every N, once and from N on; and a device that is lost.
 *
 * TRAWL_TEST_CASE=N: case N alone.
 */
#include "calls.h"
#include "base/checked.h"
#include "cuda/driver.h"
#include "cuda_case.h"
#include "diff/held.h"
#include "fail_calls.h"
#include "host.h"
#include "letters.h"
#include "random_case.h"
#include "sim_driver.h"
#include "simulator.h"
#include "trawl.h"

#define CASES_NORMAL 24
#define CASES_LONG 10000
#define MATCHES_MAX 500u     /* of a random case: a simulator searches it a dozen times, */
#define TEXT_BYTES_MAX 4000u /* in steps that may be of single bytes */
#define PADDING_BYTES 79u    /* after a text that is searched where it is */

/* A text in the middle of an allocation of some device. */
struct scene {
    struct diff_input input;
    struct diff_expected expected;
    struct trawl_plan *plan;
    struct cuda_context *context;
    int device;
    uint64_t memory;
    struct trawl_text *text;
    bool padded; /* nobody has to copy it */
    bool alone;  /* a device verifies by itself */
    struct held held;
};

static uint64_t in_place, copied, fetched;
/* Begins on the device. Where each call fails from some one on, kernels that write them cannot be
 * waited for. */
static uint64_t *device_array;

static void scene_open(struct scene *s, int device, uint64_t before, uint64_t after)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *popped;
    uint64_t bytes = s->input.text_bytes;

    s->device = device;
    TEST_CHECK(driver->init(0) == 0);
    TEST_CHECK(driver->context_retain(&s->context, device) == 0);
    TEST_CHECK(driver->context_push(s->context) == 0);
    TEST_CHECK(driver->memory_allocate(&s->memory, (size_t)(before + bytes + after)) == 0);
    TEST_CHECK(driver->context_pop(&popped) == 0);
    /* The simulated device's memory is the host's. Around the text its bytes go on. */
    for (uint64_t i = 0; i < before + bytes + after; i++)
        ((uint8_t *)(uintptr_t)s->memory)[i] =
            bytes == 0 ? 'a' : s->input.text[(i + bytes - before % bytes) % bytes];
    MUST(trawl_text_from_device(s->memory + before, bytes, &s->text, NULL));
    s->padded = after >= PADDING_BYTES;
    s->held = held_begin(&s->input, &s->expected, s->plan, NULL, s->text);
}

static void device_array_end(void)
{
    if (device_array != NULL)
        sim_range_remove(device_array);
    free(device_array);
    device_array = NULL;
}

static void scene_close(struct scene *s)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *popped;

    trawl_text_close(s->text);
    TEST_CHECK(driver->context_push(s->context) == 0);
    (void)driver->memory_free(s->memory);
    TEST_CHECK(driver->context_pop(&popped) == 0);
    (void)driver->context_release(s->device);
    held_end(&s->held);
    device_array_end();
    trawl_plan_free(s->plan);
    expected_free(&s->expected);
    input_free(&s->input);
}

/* ---- Searches ----------------------------------------------------------------------------- */

/* What is searched for; the begins also in an array on the device. */
enum search { COUNT, FIRST, ALL, BEGINS, BEGINS_ON, LINES, SEARCHES };
#define SEARCHES_THERE 4u /* the first ones read nothing on the host */

static enum trawl_status begins_on(const struct scene *s, struct trawl_searcher *searcher,
                                   struct trawl_error *error)
{
    uint64_t room = s->expected.match_count + 1, found = 0;
    enum trawl_status status;

    device_array_end();
    device_array = (uint64_t *)test_memory(room * sizeof *device_array);
    sim_range_add(device_array, room * sizeof *device_array);
    status = trawl_begins_on_device(searcher, s->plan, s->text, (uint64_t)(uintptr_t)device_array,
                                    room, &found, error);
    if (status == TRAWL_OK && TEST_CHECK_U64(found, s->expected.match_count))
        for (uint64_t i = 0; i < found; i++)
            TEST_CHECK_U64(device_array[i], s->expected.matches[i].begin);
    return status;
}

static enum trawl_status search(struct scene *s, enum search which, struct trawl_searcher *searcher,
                                struct trawl_error *error)
{
    static const enum held_call calls[SEARCHES] = {HELD_COUNT,          HELD_FIRST,
                                                   HELD_POSITIONS_INTO, HELD_BEGINS_INTO,
                                                   HELD_CALLS,          HELD_COUNT_LINES};
    uint64_t without = 0;
    enum trawl_status status;

    if (which == BEGINS_ON)
        return begins_on(s, searcher, error);
    s->held.searcher = searcher;
    status = held_search(&s->held, calls[which], error);
    TEST_CHECK(s->held.right);
    if (which == LINES && status == TRAWL_OK) {
        status = trawl_count_lines(searcher, s->plan, s->text, true, UINT64_MAX, &without, error);
        TEST_CHECK(status != TRAWL_OK || without == s->expected.line_count_inverted);
    }
    return status;
}

static bool can_read(const struct scene *s)
{
    uint8_t byte = 0;
    uint64_t got = 0;
    enum trawl_status status = trawl_text_read(s->text, 0, &byte, 1, &got, NULL);

    TEST_CHECK(status == TRAWL_OK || status == TRAWL_UNSUPPORTED);
    TEST_CHECK(status != TRAWL_OK || (got == 1 && byte == s->input.text[0]));
    return status == TRAWL_OK;
}

static void case_run(uint64_t index)
{
    struct test_random random = test_random_begin("lent");
    enum trawl_engine engine = index % 2 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA;
    struct sim_driver_options options = {
        index + 1, 1 + (uint32_t)(index % 3 == 0), 16u << 20, 2, 0, 0, 0};
    uint64_t failures = test_failures, before;
    struct trawl_searcher *searcher;
    struct cuda_limits limits;
    struct trawl_error error;
    static struct scene s;
    bool too_much;

    random.state ^= index * 0x2545f4914f6cdd1du;
    sim_driver_reset(&options);
    limits = cuda_case_limits(&random);
    limits.begins_room = 100 + test_random_below(&random, 200);
    cuda_limits_replace(&limits);
    do {
        memset(&s, 0, sizeof s);
        random_case_input(&random, &s.input);
        expected_compute(&s.input, &s.expected);
        too_much = s.expected.match_count > MATCHES_MAX || s.input.text_bytes > TEXT_BYTES_MAX;
        if (too_much) {
            expected_free(&s.expected);
            input_free(&s.input);
        }
    } while (too_much);
    s.plan = random_case_plan(&random, &s.input);
    s.alone = (s.input.flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) == 0;
    scene_open(&s, (int)options.devices - 1, test_random_below(&random, 300),
               index % 4 ? PADDING_BYTES : test_random_below(&random, PADDING_BYTES));
    searcher = host_searcher(engine, (uint32_t)(1 + test_random_below(&random, 3)), 0, &error);
    if (TEST_CHECK(searcher != NULL) && s.input.text_bytes > 0) {
        before = sim_driver_memory_used();
        if (!TEST_CHECK(trawl_text_load(searcher, s.text, &error) == TRAWL_OK))
            printf("  %s\n", error.message);
        TEST_CHECK((sim_driver_memory_used() == before) == s.padded);
        in_place += s.padded;
        copied += !s.padded;
        for (uint32_t i = 0; i < SEARCHES; i++) {
            enum trawl_status status = search(&s, (enum search)i, searcher, &error);

            if (i == BEGINS_ON && !s.alone)
                TEST_CHECK_U64(status, TRAWL_UNSUPPORTED);
            else if (!TEST_CHECK(status == TRAWL_OK))
                printf("  %u: %s\n", i, error.message);
        }
        TEST_CHECK(can_read(&s));
        fetched++;
        trawl_text_unload(searcher, s.text);
        TEST_CHECK(search(&s, COUNT, searcher, &error) == TRAWL_OK); /* the host has it now */
    }
    trawl_searcher_close(searcher);
    scene_close(&s);
    host_check_driver();
    if (test_failures > failures)
        printf("  TRAWL_TEST_CASE=%" PRIu64 "\n", index);
}

/* ---- One text by hand --------------------------------------------------------------------- */

static void plain_scene(struct scene *s, int device, uint64_t bytes, uint64_t after)
{
    struct test_random random = test_random_begin("lent plain");

    memset(s, 0, sizeof *s);
    input_begin(&random, INPUT_LETTERS_2, bytes, &s->input);
    input_add_pattern(&s->input, (const uint8_t *)"ab", 2);
    expected_compute(&s->input, &s->expected);
    s->plan = random_case_plan(&random, &s->input);
    s->alone = true;
    scene_open(s, device, 3, after);
}

/* What a device does alone reads nothing of the text on the host. */
static void stays_there(void)
{
    static struct scene s;
    struct trawl_searcher *searcher;
    struct trawl_error error;

    sim_driver_reset_usual(1);
    cuda_limits_replace(&cuda_limits_default);
    plain_scene(&s, 0, 60000, PADDING_BYTES);
    searcher = host_searcher(TRAWL_ENGINE_CUDA, 1, 0, &error);
    TEST_CHECK(!can_read(&s));
    for (uint32_t i = 0; i < SEARCHES; i++) /* not loaded yet */
        TEST_CHECK(search(&s, (enum search)i, searcher, &error) == TRAWL_UNSUPPORTED);
    MUST(trawl_text_load(searcher, s.text, &error));
    MUST(trawl_text_load(searcher, s.text, &error)); /* nothing is done twice */
    for (uint32_t i = 0; i < SEARCHES_THERE; i++)
        TEST_CHECK(search(&s, (enum search)i, searcher, &error) == TRAWL_OK);
    TEST_CHECK(begins_on(&s, searcher, &error) == TRAWL_OK);
    TEST_CHECK(sim_driver_copied() < s.input.text_bytes); /* the plan's tables */
    TEST_CHECK(!can_read(&s));
    TEST_CHECK(search(&s, LINES, searcher, &error) == TRAWL_OK);
    TEST_CHECK(can_read(&s));
    trawl_searcher_close(searcher);

    searcher = host_searcher(TRAWL_ENGINE_CPU, 1, 0, &error);
    TEST_CHECK(trawl_text_load(searcher, s.text, &error) == TRAWL_UNSUPPORTED);
    TEST_CHECK(search(&s, COUNT, searcher, &error) == TRAWL_OK); /* it was fetched */
    trawl_searcher_close(searcher);
    scene_close(&s);
}

static void wrong_addresses(void)
{
    static uint8_t host[64];
    struct trawl_searcher *searcher;
    struct trawl_text *text = NULL;
    struct trawl_error error;

    sim_driver_reset_usual(1);
    TEST_CHECK(trawl_text_from_device(0, 1, &text, &error) == TRAWL_ARGUMENT);
    TEST_CHECK(trawl_text_from_device(1, 1, NULL, &error) == TRAWL_ARGUMENT);
    TEST_CHECK(trawl_text_from_device(1, UINT64_MAX, &text, &error) == TRAWL_MEMORY);
    MUST(trawl_text_from_device((uint64_t)(uintptr_t)host, 64, &text, &error));
    for (uint32_t i = 0; i < 2; i++) {
        searcher = host_searcher(i ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA, 1, 0, &error);
        TEST_CHECK(trawl_text_load(searcher, text, &error) == TRAWL_ARGUMENT);
        trawl_searcher_close(searcher);
    }
    trawl_text_close(text);
    sim_driver_reset(&(struct sim_driver_options){.seed = 1}); /* without a device */
    MUST(trawl_text_from_device((uint64_t)(uintptr_t)host, 64, &text, &error));
    searcher = host_searcher(TRAWL_ENGINE_AUTO, 1, 0, &error);
    TEST_CHECK(trawl_text_load(searcher, text, &error) != TRAWL_OK);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    MUST(trawl_text_from_device(0, 0, &text, &error)); /* an empty one */
    trawl_text_close(text);
}

/* The device that the text lies on is lost, while another one works. */
static void lost_devices(void)
{
    struct sim_driver_options options = {1, 2, 16u << 20, 2, 0, 0, 0};
    uint64_t lost = 0;

    for (uint64_t nth = 1; nth < 40; nth += 8) {
        static struct scene s;
        struct trawl_searcher *searcher;
        struct trawl_error error;

        sim_driver_reset(&options);
        plain_scene(&s, 1, 700, PADDING_BYTES);
        searcher = host_searcher(nth % 2 ? TRAWL_ENGINE_CUDA : TRAWL_ENGINE_AUTO, 1, 0, &error);
        if (TEST_CHECK(trawl_text_load(searcher, s.text, &error) == TRAWL_OK)) {
            sim_driver_lose(1, nth);
            for (uint32_t i = 0; i < SEARCHES; i++)
                if (search(&s, (enum search)i, searcher, &error) != TRAWL_OK)
                    lost++;
        }
        trawl_searcher_close(searcher);
        scene_close(&s);
    }
    TEST_CHECK(lost > 0);
}

/* ---- Failing calls ------------------------------------------------------------------------ */

/* Load and search with call N failing. No answer is wrong, and what is left behind goes away with
 * the searcher. Returns whether there was a call N. */
static bool fail_one(uint64_t nth, int code, bool persistent, enum trawl_engine engine,
                     uint64_t after, uint64_t *failed)
{
    struct trawl_searcher *searcher;
    struct trawl_error error;
    enum trawl_status status;
    static struct scene s;
    uint64_t calls;

    sim_driver_reset_usual(nth);
    plain_scene(&s, 0, 700, after);
    sim_driver_fail(nth, code, persistent);
    searcher = host_searcher(engine, 1, 0, &error);
    status = searcher == NULL ? error.status : trawl_text_load(searcher, s.text, &error);
    for (uint32_t i = 0; i < SEARCHES && status == TRAWL_OK; i++)
        status = search(&s, (enum search)i, searcher, &error);
    calls = sim_driver_calls();
    if (!persistent) /* what a failed release left may stay */
        sim_driver_fail(UINT64_MAX, 0, false);
    if (status != TRAWL_OK) {
        TEST_CHECK(error.message[0] != '\0' && error.status == status);
        TEST_CHECK(status == TRAWL_DEVICE || status == TRAWL_MEMORY || status == TRAWL_ENGINE ||
                   status == TRAWL_UNSUPPORTED);
        *failed += 1;
    }
    trawl_searcher_close(searcher);
    sim_driver_fail(UINT64_MAX, 0, false);
    scene_close(&s);
    if (!TEST_CHECK(sim_driver_report()[0] == '\0') || !TEST_CHECK_U64(sim_driver_live(), 0))
        printf("  call %" PRIu64 ", code %d%s: %s\n", nth, code, persistent ? " and after" : "",
               sim_driver_report());
    return nth <= calls;
}

static void failing_calls(void)
{
    static const int codes[] = {CUDA_CODE_OUT_OF_MEMORY, CUDA_CODE_UNKNOWN};
    struct cuda_limits limits = letters_limits();
    uint64_t failed = 0, step = test_amount(1, 2) > 1 ? 1 : 13;
    uint32_t first_turn = step > 1 ? (uint32_t)test_setting("TRAWL_TEST_SEED", 1) % 4 : 0;

    cuda_limits_replace(&limits);
    /* In a normal run a quarter of the combinations, each with every 13th call. */
    for (uint32_t turn = first_turn; turn < 16 && test_failures < 5; turn += (step > 1 ? 4 : 1)) {
        uint64_t nth = 1 + turn % step;

        while (fail_one(nth, codes[turn & 1], (turn & 2) != 0,
                        turn & 4 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA,
                        turn & 8 ? PADDING_BYTES : 0, &failed) &&
               test_failures < 5)
            nth += step;
    }
    printf("%" PRIu64 " of them ended what was searched\n", failed);
    TEST_CHECK(failed > 5);
}

int main(void)
{
    uint64_t cases = test_amount(CASES_NORMAL, CASES_LONG);
    bool all;

    test_begin("sim lent");
    cuda_driver_replace(sim_driver_table());
    all = test_cases(cases, case_run);
    printf("%" PRIu64 " texts searched in place, %" PRIu64 " copied, %" PRIu64 " fetched\n",
           in_place, copied, fetched);
    if (all) {
        TEST_CHECK(cases < 8 || (in_place > copied && copied > 0));
        stays_there();
        wrong_addresses();
        lost_devices();
        failing_calls();
    }
    return test_end();
}
