/* dense: checks that a search switches to a set's automaton (a table that reads each byte once). In
 * one test, a hit in nearly each line keeps the parts that are searched at once small. In the
 * other, most positions have the first bytes of a string (its stem) but no occurrence. (The test
 * sim_table makes the automaton while memory fails.)
 */
#include "cpu/worker.h"
#include "test.h"

#define PATTERNS 300u
#define LENGTH_MAX 40u
#define LINES_BYTES (1u << 16)
#define LINE_BYTES 40u
#define STEMS 64u

static struct trawl_pattern patterns[PATTERNS];
static uint32_t pattern_count;
static uint8_t pattern_bytes[PATTERNS][LENGTH_MAX];

/* Returns how many bytes of a text the automaton reads. If `is_free`, the search switches to the
 * automaton whatever making it costs. */
static uint64_t automaton_reads(struct engine *engine, const uint8_t *bytes, enum want want,
                                bool is_free)
{
    struct engine_chunk chunk = {
        .bytes = bytes, .owned = LINES_BYTES, .readable = 2 * FIND_LOAD_SLACK};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct engine_result result = {.count = 0};
    struct engine_worker *worker = NULL;
    struct trawl_plan *plan = NULL;
    enum trawl_status status;
    uint64_t read_bytes;

    options.method = TRAWL_METHOD_CLASSES;

    status = trawl_plan_build(patterns, pattern_count, &options, &plan, NULL);
    if (status == TRAWL_OK)
        status = engine_cpu.compile(engine, ENGINE_DEVICES_MAX, plan, &worker, NULL);
    for (uint64_t from = 0; status == TRAWL_OK && from < chunk.owned; from = result.done) {
        if (is_free)
            cpu_worker_of(worker)->dense_work =
                UINT64_MAX / 2; /* the automaton takes over, whatever it costs to make */
        status = engine_scan(&engine_cpu, worker, &chunk, from, want, &result, NULL);
    }
    TEST_CHECK(status == TRAWL_OK);
    read_bytes = cpu_worker_of(worker)->dense.read_bytes;
    hits_release(&result.hits);
    engine_cpu.release(worker);
    trawl_plan_free(plan);
    return read_bytes;
}

/* Checks that the automaton reads most of the lines. The answers do not show how many lines it
 * reads. */
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

/* Searches a text in which each position has the stem of a string, but not its other bytes. There
 * are no candidates, so the work on stems must make the search switch to the automaton, which the
 * answers do not show. */
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
        for (uint32_t k = SET_STEM_BYTES; k < SET_STEM_BYTES + 2; k++)
            /* changes only the high half of a byte: for longer strings, the tables of a filter test
             * only the low halves */
            pattern_bytes[i][k] = bytes[i + k] ^ 0x10;
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

    test_begin("faults_dense");
    TEST_CHECK(engine_cpu.open(&options, &engine, NULL) == TRAWL_OK);
    test_lines(engine, &random);
    for (uint32_t set = 0; trawl_instruction_set(set) != NULL; set++)
        test_stems(trawl_instruction_set(set));
    engine_cpu.close(engine);
    return test_end();
}
