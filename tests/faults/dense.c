/* dense: searches with a set's automaton while the N-th allocation fails, for N = 1, 2, ... until a
 * search meets no fault; once as a single fault, once as a fault of all allocations from N on. Does
 * the same with candidates that are verified in parts, and with a few long strings where the search
 * changes from buckets to classes of lengths in the middle of the text.
 *
 * In each round the status must be OK or MEMORY, the hits until then must begin the right answer,
 * the same worker must find the whole answer afterwards, and no memory may be left.
 *
 * Then checks without faults that the search turns to the automaton where a hit in nearly each line
 * keeps tiles small, and where most positions have the stem of a string but no occurrence.
 */
#include "base/fault.h"
#include "cpu/worker.h"
#include "faults/faults_blocks.h"
#include "oracle/oracle_naive.h"
#include "test.h"

#define PERIOD 1000u
#define TEXT_PERIODS 20u
/* more bytes than the method buckets searches at a time */
#define TEXT_BYTES (TEXT_PERIODS * PERIOD)
#define PATTERNS 300u
#define TURNING_PATTERNS 30u
#define LENGTH_MAX 40u
#define MATCHES_MAX (4u * TEXT_PERIODS * PATTERNS)
#define ROUNDS_MAX 1000u
#define LINES_BYTES (1u << 16)
#define LINE_BYTES 40u
#define STEMS 64u

enum way {
    BY_AUTOMATON,
    BY_CANDIDATES, /* with more candidates in a tile than a step verifies */
    /* buckets at first, then classes, whose tables are made in the middle of the search */
    BY_TURNING,
    WAYS
};

static uint8_t text[TEXT_BYTES + 2 * FIND_LOAD_SLACK];
static struct naive_match expected[MATCHES_MAX];
static uint64_t expected_count;
static struct trawl_pattern patterns[PATTERNS];
static uint32_t pattern_count;
static uint8_t pattern_bytes[PATTERNS][LENGTH_MAX];
static enum way way;

/* Returns whether match number `at` of the right answer has this begin, literal and length. */
static bool is_next(uint64_t at, uint64_t begin, uint32_t literal, uint64_t length)
{
    return at < expected_count && expected[at].begin == begin &&
           expected[at].pattern_index == literal && expected[at].end - begin == length;
}

/* Searches all of the text. Returns the number of hits; *right: the hits are as expected. */
static uint64_t search(struct engine_worker *worker, const struct trawl_plan *plan, bool *right,
                       enum trawl_status *status, struct trawl_error *error)
{
    struct engine_chunk chunk = {
        .bytes = text, .owned = TEXT_BYTES, .readable = 2 * FIND_LOAD_SLACK};
    struct engine_result result = {.count = 0};
    uint64_t count = 0;

    *right = true;
    *status = engine_cpu.compile(NULL, 0, plan, &worker, error);
    for (uint64_t from = 0; *status == TRAWL_OK && from < chunk.owned; from = result.done) {
        const struct hits *hits = &result.hits;

        worker->work_spared = 0;
        worker->work_per_byte = 0;           /* turn to the automaton at the first candidate, */
        worker->dense_work = UINT64_MAX / 2; /* whatever making the automaton costs */
        if (way != BY_AUTOMATON)
            worker->work_per_byte = 1u << 20;
        if (way == BY_TURNING) { /* as if buckets had taken long, and a trial had begun */
            worker->trial.step = TRIAL_TURN;
            worker->trial.left = PERIOD;
        }
        *status = engine_scan(&engine_cpu, worker, &chunk, from, WANT_HITS, &result, error);
        if (*status != TRAWL_OK)
            break;
        for (uint64_t i = 0; i < hits->count; i++)
            *right &= is_next(count + i, hits->items[i].offset, hits->items[i].literal,
                              plan_literal_at(plan, hits->items[i].literal).bytes_count);
        count += result.count;
    }
    hits_release(&result.hits);
    return count;
}

static void make_plan(struct trawl_plan **plan)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    options.method = way == BY_AUTOMATON ? TRAWL_METHOD_BUCKETS
                     : way == BY_TURNING ? TRAWL_METHOD_SET
                                         : TRAWL_METHOD_CLASSES;
    if (!TEST_CHECK(trawl_plan_build(patterns, pattern_count, &options, plan, NULL) == TRAWL_OK))
        exit(test_end());
}

/* Runs a round, with a plan that has no automaton yet. Returns false if the round met no fault. */
static bool round_met_fault(struct engine *engine, uint64_t nth, bool persistent)
{
    int64_t blocks = atomic_load(&live_blocks);
    struct engine_worker *worker = NULL;
    struct trawl_error error = {0};
    enum trawl_status status;
    struct trawl_plan *plan = NULL;
    bool met, right;

    make_plan(&plan);
    if (!TEST_CHECK(engine_cpu.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, NULL) ==
                    TRAWL_OK))
        exit(test_end());
    fault_arm(nth, persistent);
    (void)search(worker, plan, &right, &status, &error);
    met = fault_points_passed() >= nth;
    fault_arm(0, false);
    TEST_CHECK(right && status == (met ? TRAWL_MEMORY : TRAWL_OK));
    TEST_CHECK(!met || (error.status == status && error.message[0] != '\0'));
    TEST_CHECK_U64(search(worker, plan, &right, &status, &error), expected_count);
    TEST_CHECK(right && status == TRAWL_OK &&
               (worker->dense.read_bytes > 0) == (way == BY_AUTOMATON));
    TEST_CHECK(plan->has_either == (way == BY_TURNING) &&
               (worker->matcher != NULL) == (way != BY_AUTOMATON));
    engine_cpu.release(worker);
    trawl_plan_free(plan);
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), (uint64_t)blocks);
    return met;
}

static struct trawl_pattern make_pattern(struct test_random *random, uint32_t i)
{
    uint64_t length = test_random_between(random, way == BY_AUTOMATON ? 8 : 12, LENGTH_MAX);

    memcpy(pattern_bytes[i], text + test_random_below(random, PERIOD - LENGTH_MAX), length);
    return (struct trawl_pattern){pattern_bytes[i], length};
}

static void make_case(struct test_random *random)
{
    static struct naive_bytes asked[PATTERNS];
    struct naive_query query = {.patterns = asked};
    uint64_t letters = way == BY_AUTOMATON ? 4 : 26;

    query.pattern_count = pattern_count = way == BY_TURNING ? TURNING_PATTERNS : PATTERNS;
    for (uint32_t i = 0; i < TEXT_BYTES; i++)
        text[i] =
            i >= PERIOD ? text[i - PERIOD] : (uint8_t)('a' + test_random_below(random, letters));
    for (uint32_t i = 0; i < pattern_count; i++) {
        patterns[i] = make_pattern(random, i);
        asked[i] = (struct naive_bytes){pattern_bytes[i], patterns[i].bytes_count};
    }
    expected_count =
        naive_matches(&query, (struct naive_bytes){text, TEXT_BYTES}, expected, MATCHES_MAX);
    TEST_CHECK(expected_count > pattern_count && expected_count <= MATCHES_MAX);
}

/* Returns how many bytes of a text the automaton reads. is_free: the search makes the automaton
 * whatever that costs. */
static uint64_t automaton_reads(struct engine *engine, const uint8_t *bytes, enum want want,
                                bool is_free)
{
    struct engine_chunk chunk = {
        .bytes = bytes, .owned = LINES_BYTES, .readable = 2 * FIND_LOAD_SLACK};
    struct engine_result result = {.count = 0};
    struct engine_worker *worker = NULL;
    struct trawl_plan *plan = NULL;
    enum trawl_status status;
    uint64_t read_bytes;

    make_plan(&plan);
    status = engine_cpu.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, NULL);
    if (status == TRAWL_OK)
        status = engine_cpu.compile(NULL, 0, plan, &worker, NULL);
    for (uint64_t from = 0; status == TRAWL_OK && from < chunk.owned; from = result.done) {
        if (is_free)
            worker->dense_work = UINT64_MAX / 2; /* whatever making the automaton costs */
        status = engine_scan(&engine_cpu, worker, &chunk, from, want, &result, NULL);
    }
    TEST_CHECK(status == TRAWL_OK);
    read_bytes = worker->dense.read_bytes;
    hits_release(&result.hits);
    engine_cpu.release(worker);
    trawl_plan_free(plan);
    return read_bytes;
}

/* Checks that the automaton reads most of the lines. (Earlier tests had missed that it read few
 * lines, because the answers were the same.) */
static void test_lines(struct engine *engine, struct test_random *random)
{
    static uint8_t lines[LINES_BYTES + 2 * FIND_LOAD_SLACK];

    for (uint32_t i = 0; i < LINES_BYTES; i++)
        lines[i] = (uint8_t)(i % LINE_BYTES == 0 ? '\n' : 'a' + test_random_below(random, 8));
    pattern_count = PATTERNS;
    for (uint32_t i = 0; i < PATTERNS; i++) {
        uint64_t line = test_random_below(random, LINES_BYTES / LINE_BYTES);

        patterns[i].bytes_count = test_random_between(random, 3, 8);
        patterns[i].bytes = lines + line * LINE_BYTES + test_random_between(random, 1, 30);
    }
    TEST_CHECK(automaton_reads(engine, lines, WANT_LINES, true) > LINES_BYTES / 2);
}

/* Searches a text where each position has the stem of a string, without the string's other bytes.
 * There are no candidates, so the work on stems must make the search turn to the automaton. (Before
 * there was this test, only times showed that the search did not turn.) */
static void test_stems(const char *instruction_set)
{
    static uint8_t bytes[LINES_BYTES + 2 * FIND_LOAD_SLACK];
    struct engine_options options = {.size = sizeof options, .instruction_set = instruction_set};
    struct engine *engine = NULL;

    for (uint32_t i = 0; i < LINES_BYTES; i++)
        bytes[i] = (uint8_t)('!' + i % STEMS);
    pattern_count = STEMS;
    for (uint32_t i = 0; i < STEMS; i++) {
        memcpy(pattern_bytes[i], bytes + i, SET_STEM_BYTES);
        memset(pattern_bytes[i] + SET_STEM_BYTES, '~', 2);
        patterns[i] = (struct trawl_pattern){pattern_bytes[i], SET_STEM_BYTES + 2};
    }
    TEST_CHECK(engine_cpu.open(&options, &engine, NULL) == TRAWL_OK);
    if (!TEST_CHECK(automaton_reads(engine, bytes, WANT_COUNT, false) > LINES_BYTES / 2))
        printf("  %s: stems at each position are left to candidates\n", instruction_set);
    engine_cpu.close(engine);
}

int main(void)
{
    struct test_random random = test_random_begin("faults_dense");
    struct engine_options options = {.size = sizeof options};
    struct engine *engine = NULL;
    uint64_t rounds = 0;

    test_begin("faults_dense");
    blocks_count();
    TEST_CHECK(engine_cpu.open(&options, &engine, NULL) == TRAWL_OK);
    for (way = BY_AUTOMATON; way < WAYS; way++) {
        make_case(&random);
        for (int persistent = 0; persistent < 2; persistent++) {
            uint64_t nth = 1;

            while (round_met_fault(engine, nth, persistent != 0) && test_failures < 10)
                if (!TEST_CHECK(++nth < ROUNDS_MAX))
                    break;
            TEST_CHECK(nth > 10); /* the set's tables, the automaton's, a step's, lists, hits */
            rounds += nth;
        }
    }
    test_lines(engine, &random);
    for (uint32_t set = 0; trawl_instruction_set(set) != NULL; set++)
        test_stems(trawl_instruction_set(set));
    engine_cpu.close(engine);
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), 0);
    printf("%" PRIu64 " rounds\n", rounds);
    return test_end();
}
