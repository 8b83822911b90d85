/* approximate: searches with errors while memory and threads fail at the N-th point, for N = 1, 2,
 * ... until a round meets no fault; once as a single fault, once as "from N on". By each method.
 *
 * Each round: the status is OK or MEMORY, what came before a failure begins the right answer, the
 * same plan and searcher find all of it afterwards, and no memory is left.
 */
#include "approximate/choose.h"
#include "base/fault.h"
#include "calls.h"
#include "diff/held.h"
#include "faults/blocks.h"
#include "oracle/approximate.h"

#define TEXT_BYTES 3000u
#define CHUNK_BYTES 700u
#define MATCHES_MAX 60000u
#define ROUNDS_MAX 2000u

static const struct scene {
    enum approximate_alphabet alphabet;
    bool edits;
    uint32_t k;
    bool ignore_case, whole_word, both_strands;
    uint64_t exact_count;
    const char *letters;
    const char *patterns[2];
} scenes[] = {
    {APPROXIMATE_BYTES, false, 2, true, false, false, 0, "abcA\n", {"abcabca", "bbbbcccaa"}},
    {APPROXIMATE_BYTES, true, 2, false, true, false, 1, "abc \n", {"abcabc", "cabb"}},
    {APPROXIMATE_CHARACTERS,
     true,
     1,
     true,
     false,
     false,
     0,
     "ab\xc3\xa9 ",
     {"ab\xc3\xa9 a", "bbb"}},
    {APPROXIMATE_CHARACTERS,
     false,
     1,
     false,
     false,
     false,
     1,
     "ab\xc3\xa9 ",
     {"a\xc3\xa9 ba", "aa"}},
    {APPROXIMATE_DNA, false, 2, false, false, true, 1, "ACGTacgt", {"ACGTNCC", "GGATTACA"}},
    {APPROXIMATE_DNA, true, 1, false, false, true, 0, "ACGTacgt", {"ACCAGT", "GGATTACA"}},
};
#define SCENES (sizeof scenes / sizeof scenes[0])

static const struct approximate_range exact_part = {1, 3};
static const struct scene *scene;
static uint8_t text[TEXT_BYTES];
static struct naive_bytes patterns[2];
static struct diff_input input;
static struct diff_expected expected;
static uint64_t rounds;

static void expect(void)
{
    const struct approximate_query query = {.patterns = patterns,
                                            .pattern_count = 2,
                                            .alphabet = scene->alphabet,
                                            .edits = scene->edits,
                                            .k = scene->k,
                                            .ignore_case = scene->ignore_case,
                                            .whole_word = scene->whole_word,
                                            .both_strands = scene->both_strands,
                                            .line_end = '\n',
                                            .line_end_also = '\n',
                                            .exact = &exact_part,
                                            .exact_count = scene->exact_count};
    struct approximate_match *matches =
        (struct approximate_match *)test_memory(MATCHES_MAX * sizeof *matches);

    input = (struct diff_input){.text = text,
                                .text_bytes = TEXT_BYTES,
                                .patterns = patterns,
                                .pattern_count = 2,
                                .line_end = '\n'};
    expected.match_count =
        approximate_matches(&query, (struct naive_bytes){text, TEXT_BYTES}, matches, MATCHES_MAX);
    MUST(expected.match_count <= MATCHES_MAX ? TRAWL_OK : TRAWL_LIMIT);
    TEST_CHECK(expected.match_count > 20);
    expected.matches =
        (struct naive_match *)test_memory(expected.match_count * sizeof *expected.matches);
    for (uint64_t i = 0; i < expected.match_count; i++)
        expected.matches[i] =
            (struct naive_match){matches[i].begin, matches[i].end, matches[i].pattern};
    free(matches);
}

static enum trawl_status build(struct trawl_plan **plan, struct trawl_error *error)
{
    const struct trawl_range exact = {exact_part.begin, exact_part.end};
    struct trawl_pattern asked[2];

    for (uint32_t i = 0; i < 2; i++)
        asked[i] = (struct trawl_pattern){patterns[i].bytes, patterns[i].bytes_count};
    return trawl_plan_build(
        asked, 2,
        PLAN_WITH(.flags = (scene->ignore_case ? TRAWL_IGNORE_CASE : 0u) |
                           (scene->whole_word ? TRAWL_WHOLE_WORD : 0u) |
                           (scene->both_strands ? TRAWL_REVERSE_COMPLEMENT : 0u),
                  .mismatches_max = scene->edits ? 0 : scene->k,
                  .edits_max = scene->edits ? scene->k : 0,
                  .alphabet = (enum trawl_alphabet)scene->alphabet, .exact = &exact,
                  .exact_count = (uint32_t)scene->exact_count),
        plan, error);
}

/* What is there already is used; what is made stays. */
static enum trawl_status run(struct trawl_plan **plan, struct trawl_searcher **searcher,
                             uint32_t threads, enum held_call call, struct trawl_error *error)
{
    enum trawl_status status = *plan == NULL ? build(plan, error) : TRAWL_OK;
    struct trawl_text *opened = NULL;

    if (status == TRAWL_OK && *searcher == NULL)
        status = trawl_searcher_open(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = threads,
                                                   .chunk_bytes = CHUNK_BYTES),
                                     searcher, error);
    if (status == TRAWL_OK)
        status = trawl_text_from_memory(text, TEXT_BYTES, &opened, error);
    if (status == TRAWL_OK) {
        struct held held = held_begin(&input, &expected, *plan, *searcher, opened);

        status = held_search(&held, call, error);
        TEST_CHECK(held.right);
        held_end(&held);
    }
    trawl_text_close(opened);
    return status;
}

/* False: the round met no fault. */
static bool round_met_fault(uint32_t threads, enum held_call call, uint64_t nth, bool persistent)
{
    const int64_t blocks = atomic_load(&live_blocks);
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {0};
    struct trawl_plan *plan = NULL;
    enum trawl_status status;
    bool met;

    fault_arm(nth, persistent);
    status = run(&plan, &searcher, threads, call, &error);
    met = fault_points_passed() >= nth;
    fault_arm(0, false);
    TEST_CHECK(status == TRAWL_OK || status == TRAWL_MEMORY);
    TEST_CHECK(met || status == TRAWL_OK);
    TEST_CHECK(status == TRAWL_OK || (error.status == status && error.message[0] != '\0'));
    CHECK_STATUS(run(&plan, &searcher, threads, call, &error), TRAWL_OK);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), (uint64_t)blocks);
    rounds++;
    return met;
}

static void run_scene(enum approx_method method)
{
    static const enum held_call calls[] = {HELD_POSITIONS, HELD_COUNT, HELD_WINDOWS};

    approx_method_forced = method;
    for (uint32_t turn = 0; turn < 6; turn++) {
        uint64_t nth = 1;

        if (!test_turn(turn + (uint32_t)method, 3))
            continue;
        while (round_met_fault(1 + turn % 2, calls[turn / 2], nth, turn % 2 == 0) &&
               test_failures < 10)
            if (!TEST_CHECK(++nth < ROUNDS_MAX))
                break;
        TEST_CHECK(nth > 10 || test_failures > 0);
    }
}

int main(void)
{
    struct test_random random = test_random_begin("faults_approximate");

    test_begin("faults_approximate");
    blocks_count();
    for (uint32_t i = 0; i < SCENES; i++) {
        scene = &scenes[i];
        for (uint32_t at = 0; at < TEXT_BYTES; at++)
            text[at] = (uint8_t)scene->letters[test_random_below(&random, strlen(scene->letters))];
        for (uint32_t p = 0; p < 2; p++)
            patterns[p] = (struct naive_bytes){(const uint8_t *)scene->patterns[p],
                                               strlen(scene->patterns[p])};
        expect();
        for (uint32_t method = 0; method < APPROX_METHODS; method++)
            run_scene((enum approx_method)method);
        expected_free(&expected);
    }
    printf("%" PRIu64 " rounds\n", rounds);
    return test_end();
}
