/* chunks_test: lists of a loaded text whose chunks are cut anew, larger or smaller, by how many
 * hits the last ones had, and arrays of matches that come in pieces; on one simulated device or
 * more, with threads or without, held against two loops. Calls of the driver fail, and devices are
 * lost.
 */
#include "base/checked.h"
#include "cuda/limits.h"
#include "diff/held.h"
#include "host.h"
#include "letters.h"
#include "runtime/begins.h"
#include "runtime/schedule.h"
#include "runtime/search.h"
#include "sim_driver.h"
#include "calls.h"

#define TEXT_BYTES 40000u
#define KINDS 4u /* of parts of the text */
#define PART_MAX 6000u

static const char *const strings[] = {"ab", "abc", "ca", "bcabca", "d"};
static const enum held_call calls[] = {HELD_POSITIONS,   HELD_POSITIONS_INTO,
                                       HELD_BATCHES,     HELD_COUNT_BY_PATTERN,
                                       HELD_BEGINS_INTO, HELD_COUNT_LINES};
#define CALLS (sizeof calls / sizeof *calls)

static struct {
    struct diff_input input;
    struct diff_expected expected;
    struct trawl_plan *plan;
    struct trawl_text *text;
} fixture;

/* Parts without a hit, with few, with many, and where patterns begin at nearly each byte. */
static void fill(struct test_random *random)
{
    static const char *const letters[KINDS] = {"z", "xyzdxyzw\nvutsrqp", "abcxyz\n", "abc"};

    for (uint64_t at = 0; at < TEXT_BYTES;) {
        uint64_t end = min_u64(TEXT_BYTES, at + 1 + test_random_below(random, PART_MAX));
        const char *from = letters[test_random_below(random, KINDS)];

        for (; at < end; at++)
            fixture.input.text[at] = (uint8_t)from[test_random_below(random, strlen(from))];
    }
}

static void fixture_open(struct test_random *random)
{
    input_begin(random, INPUT_LETTERS_1, TEXT_BYTES, &fixture.input);
    fill(random);
    for (uint32_t p = 0; p < sizeof strings / sizeof *strings; p++)
        input_add_pattern(&fixture.input, (const uint8_t *)strings[p], strlen(strings[p]));
    expected_compute(&fixture.input, &fixture.expected);
    MUST(held_plan(&fixture.input, NULL, &fixture.plan, NULL));
    fixture.text = must_text(fixture.input.text, TEXT_BYTES);
}

static void fixture_close(void)
{
    trawl_text_close(fixture.text);
    trawl_plan_free(fixture.plan);
    expected_free(&fixture.expected);
    input_free(&fixture.input);
}

struct scene {
    enum trawl_engine engine;
    uint32_t devices, threads;
    struct host host;
};

static void scene_open(struct scene *s, struct test_random *random)
{
    struct cuda_limits limits = letters_limits();

    limits.split_bytes_min = 4000;
    limits.stripe_bytes = 3000 + test_random_below(random, 20000);
    limits.split_overlap = 100;
    limits.hits_room_min = 50;
    limits.begins_room = 10 + test_random_below(random, 500);
    limits.begins_piece = 1 + test_random_below(random, 50);
    limits.begins_piece_most = limits.begins_piece + test_random_below(random, 50);
    limits.hits_max = 100 + test_random_below(random, 1000);
    cuda_limits_replace(&limits);
    resident_sizes = (struct resident_sizes){.first = 100 + test_random_below(random, 3000),
                                             .least = 60,
                                             .most = 4000 + test_random_below(random, 9000),
                                             .shared = 1000,
                                             .hits = 20 + test_random_below(random, 300)};
    host_devices(s->devices);
    host_open(&s->host, s->engine, s->threads, 0);
    MUST(trawl_text_load(s->host.searcher, fixture.text, NULL));
}

static void scene_close(struct scene *s)
{
    host_close(&s->host);
    resident_sizes = resident_sizes_default;
}

/* One of the calls that list; what it saw is right, as far as it came. */
static enum trawl_status call(const struct scene *s, enum held_call which, uint64_t room)
{
    struct held held =
        held_begin(&fixture.input, &fixture.expected, fixture.plan, s->host.searcher, fixture.text);
    enum trawl_status status;

    held.room = room;
    status = held_search(&held, which, NULL);
    if (!TEST_CHECK(held.right))
        printf("  %s, %u devices, %u threads\n", held_name(which), s->devices, s->threads);
    held_end(&held);
    return status;
}

static void listed(struct test_random *random)
{
    struct scene s = {TRAWL_ENGINE_CUDA,
                      1 + (uint32_t)test_random_below(random, 3),
                      1 + (uint32_t)test_random_below(random, 6),
                      {NULL, NULL}};

    scene_open(&s, random);
    for (uint32_t i = 0; i < CALLS; i++)
        TEST_CHECK(call(&s, calls[i],
                        test_random_below(random, 2 * fixture.expected.match_count)) == TRAWL_OK);
    scene_close(&s);
}

/* Call `nth` of the driver finds no memory, or from it on a device is lost; then all is well.
 * false: there were fewer. */
static bool failing(struct test_random *random, bool lost, enum held_call which, uint64_t nth)
{
    struct scene s = {lost ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA, 2, 4, {NULL, NULL}};
    enum trawl_status status;
    bool failed;

    scene_open(&s, random);
    if (lost)
        sim_driver_lose((uint32_t)nth % 2, nth);
    else
        sim_driver_fail(nth, CUDA_CODE_OUT_OF_MEMORY, false);
    status = call(&s, which, fixture.expected.match_count);
    TEST_CHECK(status == TRAWL_OK || (!lost && status == TRAWL_MEMORY));
    failed = lost ? sim_driver_has_lost() : sim_driver_calls() >= nth;
    sim_driver_fail(0, 0, false);
    if (!TEST_CHECK(call(&s, which, fixture.expected.match_count) == TRAWL_OK))
        printf("  %s, lost %d, driver's call %" PRIu64 "\n", held_name(which), lost, nth);
    scene_close(&s);
    return failed;
}

int main(void)
{
    struct test_random random;

    test_begin("sim chunks");
    cuda_driver_replace(sim_driver_table());
    schedule_open_after(0);
    begins_help_from(1);
    random = test_random_begin("sim chunks");
    for (uint32_t i = 0; i < test_amount(4, 400) && test_failures < 5; i++) {
        fixture_open(&random);
        listed(&random);
        fixture_close();
    }
    fixture_open(&random);
    for (uint32_t which = 0; which < CALLS; which++)
        for (uint64_t nth = 1 + test_random_below(&random, 3);
             failing(&random, nth % 2 != 0, calls[which], nth) && test_failures < 5;
             nth += 1 + (test_is_long() ? 0 : 2 * nth))
            ;
    fixture_close();
    return test_end();
}
