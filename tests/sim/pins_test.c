/* pins_test: texts in memory that are searched again are pinned where they lie, section by section,
 * until they or the runtime are closed, in any order, at any time; the answers stay right, also
 * when the text changes between two searches.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cuda/driver.h"
#include "cuda/limits.h"
#include "runtime/search.h"
#include "sim_driver.h"
#include "simulator.h"
#include "test.h"
#include "trawl.h"

#define TEXT_BYTES 40000u
#define SECTION 4096u
#define CHUNK_BYTES 1500u
#define WAIT_STEPS 20000u
#define WAIT_US 500u

enum ending { END_TEXT_FIRST, END_RUNTIME_FIRST, END_AT_ONCE, END_LOADED, ENDINGS };

struct fixture {
    uint8_t *memory;
    uint8_t *bytes; /* TEXT_BYTES of it, anywhere */
    struct trawl_plan *plan;
    struct trawl_runtime *runtime;
    struct trawl_searcher *searcher;
    struct trawl_text *text;
};

static uint64_t expected_count(const struct fixture *f)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i + 3 <= TEXT_BYTES; i++)
        count += memcmp(f->bytes + i, "abc", 3) == 0;
    return count;
}

static void open_all(struct fixture *f, enum trawl_engine engine, uint32_t devices,
                     uint32_t threads, uint64_t memory)
{
    struct sim_driver_options driver = {1, devices, 4u << 20, 2, 0, 0, 0};
    struct trawl_runtime_options options = TRAWL_RUNTIME_OPTIONS_INIT;
    struct trawl_searcher_options searcher = TRAWL_SEARCHER_OPTIONS_INIT;

    sim_driver_reset(&driver);
    options.engine = engine;
    options.threads = threads;
    options.host_memory_bytes = memory;
    if (!TEST_CHECK(trawl_runtime_open(&options, &f->runtime, NULL) == TRAWL_OK))
        exit(1);
    searcher.runtime = f->runtime;
    searcher.chunk_bytes = CHUNK_BYTES;
    if (!TEST_CHECK(trawl_searcher_open(&searcher, &f->searcher, NULL) == TRAWL_OK) ||
        !TEST_CHECK(trawl_text_from_memory(f->bytes, TEXT_BYTES, &f->text, NULL) == TRAWL_OK))
        exit(1);
}

/* One byte of the text is another, and the count follows. */
static void change_and_search(struct fixture *f, struct test_random *random)
{
    uint64_t count = 0;

    f->bytes[test_random_below(random, TEXT_BYTES)] = 'b';
    TEST_CHECK(trawl_count(f->searcher, f->plan, f->text, &count, NULL) == TRAWL_OK);
    TEST_CHECK_U64(count, expected_count(f));
}

static bool is_pinned(const struct fixture *f)
{
    struct search search = {.cursor.text = f->text};

    search.pins = f->runtime->pins;
    return pins_whole(&search);
}

/* Until the text is pinned, which only few simulated devices are too slow for: the CPU may have
 * searched all of it. */
static bool wait_pinned(struct fixture *f, struct test_random *random)
{
    for (uint32_t i = 0; i < WAIT_STEPS && !is_pinned(f); i++) {
        if (i % 64 == 0)
            change_and_search(f, random);
        (void)usleep(WAIT_US);
    }
    return is_pinned(f);
}

static uint64_t sections(const struct fixture *f)
{
    uint64_t first = (uintptr_t)f->bytes / SECTION;

    return ((uintptr_t)f->bytes + TEXT_BYTES - 1) / SECTION - first + 1;
}

static void end_loaded(struct fixture *f, struct test_random *random)
{
    TEST_CHECK(trawl_text_load(f->searcher, f->text, NULL) == TRAWL_OK);
    TEST_CHECK(f->runtime->pins == NULL);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t count = 0;

        TEST_CHECK(trawl_count(f->searcher, f->plan, f->text, &count, NULL) == TRAWL_OK);
        TEST_CHECK_U64(count, expected_count(f));
    }
    trawl_text_unload(f->searcher, f->text);
    change_and_search(f, random);
}

static void end(struct fixture *f, enum ending ending, struct test_random *random)
{
    uint64_t live = sim_driver_live();

    if (ending == END_LOADED)
        end_loaded(f, random);
    if (ending == END_TEXT_FIRST) {
        uint64_t pinned = sections(f);

        trawl_text_close(f->text);
        TEST_CHECK_U64(sim_driver_live(), live - pinned);
        TEST_CHECK(f->runtime->pins == NULL);
        f->text = NULL;
    }
    if (ending == END_AT_ONCE) {
        trawl_text_close(f->text);
        f->text = NULL;
    }
    trawl_searcher_close(f->searcher);
    TEST_CHECK(trawl_runtime_close(f->runtime, NULL) == TRAWL_OK);
    TEST_CHECK_U64(sim_driver_live(), 0);
    trawl_text_close(f->text);
}

static void pin_case(struct fixture *f, enum trawl_engine engine, enum ending ending, uint64_t seed)
{
    struct test_random random = {seed * 31 + 7};

    f->bytes = f->memory + test_random_below(&random, 2 * SECTION);
    for (uint64_t i = 0; i < TEXT_BYTES; i++)
        f->bytes[i] = (uint8_t)('a' + test_random_below(&random, 4));
    open_all(f, engine, 1 + (uint32_t)(seed % 2), 2 + (uint32_t)(seed % 3), 0);
    for (uint32_t i = 0; i < 2; i++)
        change_and_search(f, &random);
    if (ending != END_AT_ONCE && TEST_CHECK(wait_pinned(f, &random)))
        for (uint32_t i = 0; i < 3; i++)
            change_and_search(f, &random);
    end(f, ending, &random);
}

/* A second runtime copies what the first has pinned; one with a budget pins nothing. */
static void two_runtimes(struct fixture *f)
{
    struct test_random random = test_random_begin("two runtimes");
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *other = NULL;
    uint64_t count = 0;

    open_all(f, TRAWL_ENGINE_CUDA, 1, 3, 0);
    options.engine = TRAWL_ENGINE_CUDA;
    options.threads = 2;
    options.chunk_bytes = CHUNK_BYTES;
    TEST_CHECK(trawl_searcher_open(&options, &other, NULL) == TRAWL_OK);
    TEST_CHECK(wait_pinned(f, &random));
    for (uint32_t i = 0; i < 3; i++) {
        TEST_CHECK(trawl_count(other, f->plan, f->text, &count, NULL) == TRAWL_OK);
        TEST_CHECK_U64(count, expected_count(f));
    }
    trawl_searcher_close(other);
    change_and_search(f, &random);
    end(f, END_RUNTIME_FIRST, &random);

    open_all(f, TRAWL_ENGINE_CUDA, 1, 3, 16 * CHUNK_BYTES);
    for (uint32_t i = 0; i < 4; i++)
        change_and_search(f, &random);
    TEST_CHECK(f->runtime->pins == NULL);
    end(f, END_RUNTIME_FIRST, &random);
}

/* To load a pinned text for which there is no room is an error while others may be searching it,
 * and no device is lost for it. */
static void pinned_and_loaded(struct fixture *f)
{
    struct test_random random = test_random_begin("pinned and loaded");
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_searcher *other = NULL;
    struct trawl_error error = {.status = TRAWL_OK};

    open_all(f, TRAWL_ENGINE_CUDA, 1, 3, 0);
    options.runtime = f->runtime;
    TEST_CHECK(trawl_searcher_open(&options, &other, NULL) == TRAWL_OK);
    TEST_CHECK(wait_pinned(f, &random));
    limits.load_in_place = true;
    cuda_limits_replace(&limits);
    TEST_CHECK(trawl_text_load(f->searcher, f->text, &error) == TRAWL_MEMORY);
    TEST_CHECK(strstr(error.message, "pinned") != NULL);
    change_and_search(f, &random);
    TEST_CHECK(devices_work(&f->runtime->devices) && is_pinned(f));
    trawl_searcher_close(other);
    /* Alone, the searcher lets go of it first. */
    TEST_CHECK(trawl_text_load(f->searcher, f->text, NULL) == TRAWL_OK);
    TEST_CHECK(f->runtime->pins == NULL);
    cuda_limits_replace(NULL);
    trawl_text_unload(f->searcher, f->text);
    end(f, END_RUNTIME_FIRST, &random);
}

int main(void)
{
    struct trawl_pattern pattern = {"abc", 3};
    struct fixture f = {.memory = NULL};

    test_begin("sim pins");
    cuda_driver_replace(sim_driver_table());
    road_open_after(0);
    pins_limits(TEXT_BYTES / 2, SECTION);
    f.memory = (uint8_t *)malloc(TEXT_BYTES + 2 * SECTION);
    TEST_CHECK(trawl_plan_build(&pattern, 1, NULL, &f.plan, NULL) == TRAWL_OK);
    if (f.memory == NULL || f.plan == NULL)
        return 1;
    for (uint64_t i = 0; i < test_amount(12, 400) && test_failures < 5; i++)
        pin_case(&f, i % 5 == 4 ? TRAWL_ENGINE_AUTO : TRAWL_ENGINE_CUDA,
                 i % 5 == 4 ? END_AT_ONCE : (enum ending)(i % ENDINGS), i);
    two_runtimes(&f);
    pinned_and_loaded(&f);
    trawl_plan_free(f.plan);
    free(f.memory);
    return test_end();
}
