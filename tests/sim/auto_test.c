/* auto_test: the engine that is picked when none is asked for, beside a simulated GPU that is
 * there, that is not, that fails at any call, and that holds a loaded text. The answer is always
 * the same, and it is never an error.
 */
#include <stdlib.h>

#include "cuda/driver.h"
#include "runtime/schedule.h"
#include "runtime/search.h"
#include "diff/input.h"
#include "host.h"
#include "sim_driver.h"
#include "simulator.h"
#include "calls.h"

#define TEXT_BYTES (6u << 20)
#define LOADED_BYTES 40000u
#define SEARCHES_MAX 10000u   /* until the GPU was asked for and stands */
#define OPEN_AFTER_NS 2000000 /* of a search */

struct fixture {
    uint8_t *bytes;
    struct trawl_plan *plan;
    struct trawl_text *text;
    struct trawl_text *small;
    uint64_t expected, expected_small;
};

static uint64_t naive_count(const uint8_t *bytes, uint64_t count)
{
    uint64_t found = 0;

    for (uint64_t i = 0; i + 3 <= count; i++)
        found += memcmp(bytes + i, "abc", 3) == 0;
    return found;
}

static void fixture_open(struct fixture *fixture)
{
    struct test_random random = test_random_begin("auto");

    fixture->bytes = (uint8_t *)test_memory(TEXT_BYTES);
    for (uint64_t i = 0; i < TEXT_BYTES; i++)
        fixture->bytes[i] = (uint8_t)('a' + test_random_below(&random, 6));
    fixture->plan = must_plan("abc");
    fixture->text = must_text(fixture->bytes, TEXT_BYTES);
    fixture->small = must_text(fixture->bytes, LOADED_BYTES);
    fixture->expected = naive_count(fixture->bytes, TEXT_BYTES);
    fixture->expected_small = naive_count(fixture->bytes, LOADED_BYTES);
}

static void fixture_close(struct fixture *fixture)
{
    trawl_text_close(fixture->text);
    trawl_text_close(fixture->small);
    trawl_plan_free(fixture->plan);
    free(fixture->bytes);
}

/* A chunk in the simulator takes its time. */
static struct trawl_searcher *searcher_open(void)
{
    return must_searcher_with(SEARCHER_WITH(.threads = 2, .chunk_bytes = 1u << 16));
}

static bool search_is_right(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                            struct trawl_text *text, uint64_t expected)
{
    uint64_t count = 0;

    return trawl_count(searcher, plan, text, &count, NULL) == TRAWL_OK && count == expected;
}

static void reset(uint32_t devices)
{
    host_devices(devices);
    sim_driver_fail(0, 0, false);
}

/* Search until the GPU was asked for and has searched; false if it never was. */
static bool search_until_gpu(const struct fixture *fixture, struct trawl_searcher *searcher)
{
    uint64_t launches = sim_counters().launches;
    bool right = true;

    for (uint32_t i = 0; i < SEARCHES_MAX && right && sim_counters().launches == launches; i++)
        right = search_is_right(searcher, fixture->plan, fixture->text, fixture->expected);
    TEST_CHECK(right);
    return sim_counters().launches > launches;
}

static void gpu_joins(const struct fixture *fixture)
{
    struct trawl_searcher *searcher;

    reset(1);
    searcher = searcher_open();
    TEST_CHECK(search_is_right(searcher, fixture->plan, fixture->small, fixture->expected_small));
    TEST_CHECK_U64(sim_driver_calls(), 0); /* a short search does not wake it */
    TEST_CHECK(search_until_gpu(fixture, searcher));
    for (uint32_t i = 0; i < 3; i++)
        TEST_CHECK(search_is_right(searcher, fixture->plan, fixture->text, fixture->expected));
    trawl_searcher_close(searcher);
    TEST_CHECK_U64(sim_driver_live(), 0);
    printf("a GPU that stands after a while: tried, and the answers stay right\n");
}

static void gpu_holds_text(const struct fixture *fixture)
{
    struct trawl_searcher *searcher;
    uint64_t launches;

    reset(2);
    searcher = searcher_open();
    MUST(trawl_text_load(searcher, fixture->small, NULL));
    launches = sim_counters().launches;
    TEST_CHECK(search_is_right(searcher, fixture->plan, fixture->small, fixture->expected_small));
    TEST_CHECK(sim_counters().launches > launches);
    trawl_text_unload(searcher, fixture->small);
    TEST_CHECK(search_is_right(searcher, fixture->plan, fixture->small, fixture->expected_small));
    trawl_searcher_close(searcher);
    TEST_CHECK_U64(sim_driver_live(), 0);
}

/* Loading opens the GPU at once, so that every call of opening and searching can be made to fail.
 */
static void gpu_fails(const struct fixture *fixture)
{
    uint64_t nth = 0, calls;

    do {
        struct trawl_searcher *searcher;

        reset(1);
        nth++;
        sim_driver_fail(nth, CUDA_CODE_UNKNOWN, nth % 2 == 0);
        searcher = searcher_open();
        MUST(trawl_text_load(searcher, fixture->small, NULL));
        for (uint32_t i = 0; i < 2; i++)
            TEST_CHECK(
                search_is_right(searcher, fixture->plan, fixture->small, fixture->expected_small));
        calls = sim_driver_calls();
        trawl_searcher_close(searcher);
        TEST_CHECK_U64(sim_driver_live(), 0);
    } while (nth <= calls && nth < 1000 && test_failures < 5);
    printf("a GPU that fails at call 1 to %" PRIu64 ": the CPU goes on\n", nth);
    TEST_CHECK(nth > 40);
}

static void gpu_is_absent(const struct fixture *fixture)
{
    AUTO_SEARCHER searcher = NULL;

    reset(0);
    searcher = searcher_open();
    MUST(trawl_text_load(searcher, fixture->small, NULL));
    TEST_CHECK(search_is_right(searcher, fixture->plan, fixture->small, fixture->expected_small));
}

int main(void)
{
    struct fixture fixture;

    test_begin("sim auto");
    cuda_driver_replace(sim_driver_table());
    schedule_open_after(OPEN_AFTER_NS);
    fixture_open(&fixture);
    gpu_joins(&fixture);
    gpu_holds_text(&fixture);
    gpu_fails(&fixture);
    gpu_is_absent(&fixture);
    fixture_close(&fixture);
    return test_end();
}
