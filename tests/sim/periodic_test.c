/* periodic_test: single strings and pairs of them in loaded texts that repeat themselves, or
 * almost: each method has most candidates there, kernels give tiles up, and the choice of a method
 * stays open until the first count runs (cuda_choose_meanwhile). Compares counts and start offsets
 * with a search that compares all bytes.
 *
 *     sim_periodic [device]      device: on a real device
 *
 * TRAWL_TEST_SECONDS=N: ends after N seconds, and prints how many texts were searched.
 */
#include <time.h>

#include "calls.h"
#include "cuda/limits.h"
#include "gpu/gpu.h"
#include "sim_driver.h"
#include "sim_host.h"

#define CASES_NORMAL 60
#define CASES_LONG 4000
#define CASES_DEVICE 100000
#define CASES_OF_SEARCHER 40u /* opening one takes longer than a case */
#define TEXT_MIN 5000u
#define TEXT_MORE 12000u
#define TEXT_MORE_DEVICE 200000u
#define LENGTH_MAX 400u
#define PERIOD_MAX 70u

static bool on_device;
static struct trawl_searcher *searcher;
static uint64_t counted, found_all;
static time_t begun;

/* Fills the text: with a period, with a word of Fibonacci or of Thue and Morse. Then changes a few
 * bytes. */
static void fill(struct test_random *random, uint8_t *text, uint64_t count)
{
    const uint64_t kind = test_random_below(random, 8);
    uint64_t period = 1 + test_random_below(random, test_random_below(random, 2) ? 8 : PERIOD_MAX);
    uint64_t changed = test_random_below(random, 3) == 0 ? test_random_below(random, 40) : 0;

    for (uint64_t i = 0, last = 1, length = 2; i < count; i++)
        if (kind == 0) {
            text[i] = __builtin_popcountll(i) % 2 ? 'b' : 'a';
        } else if (kind == 1) {
            if (i == length) {
                length += last;
                last = length - last;
            }
            text[i] = i < 2 ? (uint8_t)('a' + i) : text[i - last];
        } else {
            text[i] = i < period ? (uint8_t)('a' + test_random_below(random, 3)) : text[i - period];
        }
    while (changed-- > 0)
        text[test_random_below(random, count)] = (uint8_t)('a' + test_random_below(random, 4));
}

static bool occurs(const uint8_t *text, const uint8_t *pattern, uint64_t length)
{
    return memcmp(text, pattern, length) == 0;
}

/* Opens a searcher, whose workers have new limits. */
static struct trawl_searcher *open_searcher(struct test_random *random)
{
    struct cuda_limits limits = cuda_limits_default;

    limits.seen_bytes_min = 1;
    limits.tried_bytes = 1 + test_random_below(random, 400);
    if (!on_device)
        limits.threads = 64;
    limits.listed_min = test_random_below(random, 2) ? 16 : 2;
    limits.dense_always = test_random_below(random, 3) == 0;
    limits.automaton_always = test_random_below(random, 3) == 0;
    cuda_limits_replace(&limits);
    return must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
}

static void run_case(uint64_t index)
{
    struct test_random random_here = test_random_begin("periodic"), *random = &random_here;
    static uint8_t text[TEXT_MIN + TEXT_MORE_DEVICE], patterns[2][LENGTH_MAX];
    static uint64_t right[2 * sizeof text], got[2 * sizeof text];
    const uint64_t count =
        TEXT_MIN + test_random_below(random, on_device ? TEXT_MORE_DEVICE : TEXT_MORE);
    const uint64_t strings = 1 + (test_random_below(random, 4) == 0);
    struct trawl_pattern list[2];
    struct trawl_answer begins = {.size = sizeof begins,
                                  .what = TRAWL_BEGINS,
                                  .values = got,
                                  .room = sizeof got / sizeof *got};
    uint64_t all = 0;

    random_here.state ^= ~index * 0x2545f4914f6cdd1du;
    if (time(NULL) - begun >= (time_t)test_setting("TRAWL_TEST_SECONDS", UINT32_MAX))
        return;
    if (index % CASES_OF_SEARCHER == 0 || searcher == NULL) {
        trawl_searcher_close(searcher);
        searcher = open_searcher(random);
    }
    fill(random, text, count);
    for (uint64_t k = 0; k < strings; k++) {
        uint64_t length = 9 + test_random_below(random, test_random_below(random, 2) ? 90 : 390);

        memcpy(patterns[k], text + test_random_below(random, count - length), length);
        if (test_random_below(random, 2))
            patterns[k][test_random_below(random, length)] = 'd';
        list[k] = (struct trawl_pattern){patterns[k], length};
    }
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t k = 0; k < strings; k++)
            if (list[k].bytes_count <= count - i &&
                occurs(text + i, patterns[k], list[k].bytes_count))
                right[all++] = i;
    {
        AUTO_TEXT own = must_text(text, count);
        AUTO_PLAN plan = must_plans(list, strings, NULL);

        MUST(trawl_text_load(searcher, own, NULL));
        for (uint32_t turn = 0; turn < 3; turn++)
            if (!TEST_CHECK_U64(must_count(searcher, plan, own), all))
                printf("  text %" PRIu64 ", count %u\n", index, turn);
        MUST(trawl_ask(searcher, plan, own, &begins, NULL));
        TEST_CHECK_U64(must_stats(searcher).device_chunk_count, 1);
        TEST_CHECK_U64(begins.count, all);
        TEST_CHECK(memcmp(got, right, all * sizeof *got) == 0);
        trawl_text_unload(searcher, own);
    }
    counted++;
    found_all += all;
}

int main(int argument_count, char **arguments)
{
    struct engine *kept = NULL; /* keeps the device open from case to case */

    on_device = argument_count > 1 && strcmp(arguments[1], "device") == 0;
    test_begin("sim periodic");
    begun = time(NULL);
    if (on_device)
        kept = gpu_open();
    else
        cuda_driver_replace(sim_driver_table());
    (void)test_cases(
        test_amount_telling(on_device ? CASES_DEVICE : CASES_NORMAL, CASES_LONG, CASES_NORMAL),
        run_case);
    trawl_searcher_close(searcher);
    if (on_device)
        engine_cuda.close(kept);
    printf("%" PRIu64 " texts, %" PRIu64 " occurrences\n", counted, found_all);
    TEST_CHECK(found_all > 10 * counted || counted < CASES_NORMAL); /* with sanitizers */
    return test_end();
}
