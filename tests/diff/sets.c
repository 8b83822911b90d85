/* sets: method set against the oracle, for each way of settling, each want and chunks of any size.
 *
 * The engine is called directly, so that the dense fallback can be forced at the first candidate,
 * or be left to the text.
 */
#include "cpu/lane.h"
#include "diff/run.h"
#include "oracle/aho.h"

#define CASES_NORMAL 120
#define CASES_LONG 200000
#define PATTERN_BYTES_MAX 300u

static struct test_random chance;
static uint64_t scans_dense, scans_sparse; /* with states made, and without */
static uint64_t scans_classes;             /* by classes of lengths */

/* ---- Sets ----------------------------------------------------------------------------------- */

static void add_slice(struct diff_input *input, const uint8_t *bytes, uint64_t from, uint64_t count)
{
    input_add_pattern(input, bytes + from, count);
}

/* Strings that lie in `source`, nested in one way or another. */
static void add_nested(struct diff_input *input, const uint8_t *source, uint64_t source_bytes,
                       uint64_t count)
{
    uint32_t way = (uint32_t)test_random_below(&chance, 6);
    uint64_t longest = test_random_between(&chance, 1, PATTERN_BYTES_MAX);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = 1 + (way < 4 ? i % longest : test_random_below(&chance, longest));
        uint64_t from = test_random_below(&chance, source_bytes - PATTERN_BYTES_MAX);

        if (way == 0) /* begins of one string, shorter ones first */
            add_slice(input, source, 0, bytes);
        else if (way == 1) /* longer ones first */
            add_slice(input, source, 0, longest - bytes + 1);
        else if (way == 2) /* ends */
            add_slice(input, source, longest - bytes, bytes);
        else if (way == 3) /* the same lengths at different places */
            add_slice(input, source, from, bytes);
        else if (way == 4) /* short */
            add_slice(input, source, from, 1 + bytes % 8);
        else /* long */
            add_slice(input, source, from, 12 + bytes % 20);
    }
}

static const enum input_kind kinds[] = {
    INPUT_LETTERS_1,   INPUT_LETTERS_2, INPUT_LETTERS_4,         INPUT_LETTERS_26,
    INPUT_LETTERS_256, INPUT_PERIODIC,  INPUT_ALMOST_ONE_LETTER, INPUT_FIBONACCI,
    INPUT_THUE_MORSE,  INPUT_WORDS,     INPUT_MIXED_CASE};

/* The text is pieces of the source, of another kind, and line ends. */
static void generate(uint64_t patterns_max, uint64_t text_bytes, struct diff_input *input)
{
    static const uint32_t flags[] = {
        0, 0, 0, NAIVE_IGNORE_CASE, NAIVE_WHOLE_WORD, NAIVE_WHOLE_LINE};
    enum input_kind kind = kinds[test_random_below(&chance, sizeof kinds / sizeof *kinds)];
    uint64_t source_bytes = PATTERN_BYTES_MAX + 1 + test_random_below(&chance, 4000);
    uint8_t *source = test_memory(source_bytes);
    uint64_t count = test_random_between(&chance, 2, patterns_max);

    (void)input_fill(&chance, kind, source, source_bytes);
    input_begin(&chance, kinds[test_random_below(&chance, sizeof kinds / sizeof *kinds)],
                text_bytes, input);
    input->flags = flags[test_random_below(&chance, sizeof flags / sizeof *flags)];
    for (uint64_t at = 0; at < text_bytes;) {
        uint64_t bytes = test_random_between(&chance, 1, 2000);
        uint64_t from = test_random_below(&chance, source_bytes);

        bytes = bytes < text_bytes - at ? bytes : text_bytes - at;
        bytes = bytes < source_bytes - from ? bytes : source_bytes - from;
        if (!test_random_one_in(&chance, 3))
            memcpy(input->text + at, source + from, (size_t)bytes);
        at += bytes;
        if (at < text_bytes && test_random_one_in(&chance, 2))
            input->text[at++] = test_random_one_in(&chance, 8) ? '\0' : '\n';
    }
    add_nested(input, source, source_bytes, count);
    if (test_random_one_in(&chance, 4)) /* one byte, and strings twice */
        add_slice(input, source, 0, 1);
    if (test_random_one_in(&chance, 4))
        add_nested(input, source, source_bytes, count / 2);
    free(source);
}

/* ---- The engine's answers ------------------------------------------------------------------- */

struct answer {
    const struct diff_input *input;
    const struct trawl_plan *plan;
    const struct naive_match *matches; /* expected */
    uint64_t match_count;
    enum engine_want want;
    uint64_t at;    /* of the expected matches, the next to be met */
    uint64_t count; /* seen */
    uint64_t lines; /* LINES: with a hit, the last of them ending at line_end */
    uint64_t line_end;
    uint64_t spans; /* SPANS: taken, the last of them ending at span_end */
    uint64_t span_begin;
    uint64_t span_end;
    bool ok;
};

static uint64_t line_end_from(const struct diff_input *input, uint64_t at)
{
    while (at < input->text_bytes && input->text[at] != input->line_end)
        at++;
    return at;
}

/* Lines and spans of a list of matches, one after the other. */
static void follow(struct answer *answer, const struct naive_match *match)
{
    if (answer->lines == 0 || match->begin > answer->line_end) {
        answer->lines++;
        answer->line_end = line_end_from(answer->input, match->begin);
    }
    if (answer->spans > 0 && match->begin == answer->span_begin) {
        answer->span_end = match->end > answer->span_end ? match->end : answer->span_end;
    } else if (match->begin >= answer->span_end) {
        answer->spans++;
        answer->span_begin = match->begin;
        answer->span_end = match->end;
    }
}

/* The hit is the next expected match, or one of those behind it where some may be left out. */
static void meet(struct answer *answer, uint64_t begin, uint32_t literal)
{
    const struct plan_literal *own = &answer->plan->literals[literal];
    bool all = answer->want <= ENGINE_WANT_FIRST;

    while (!all && answer->at < answer->match_count &&
           (answer->matches[answer->at].begin < begin ||
            (answer->matches[answer->at].begin == begin &&
             answer->matches[answer->at].pattern_index < own->pattern)))
        answer->at++;
    answer->ok = answer->ok && answer->at < answer->match_count &&
                 answer->matches[answer->at].begin == begin &&
                 answer->matches[answer->at].pattern_index == own->pattern;
    if (answer->ok)
        follow(answer, &answer->matches[answer->at++]);
}

/* Scan one chunk to its end. Returns false where the answer is known before. */
static bool scan_chunk(struct engine_lane *lane, struct engine_chunk *chunk, bool force,
                       struct engine_result *result, struct answer *answer)
{
    for (uint64_t from = 0; from < chunk->owned && answer->ok; from = result->done) {
        uint64_t first = answer->lines, states;

        if (force) {
            lane->work_per_byte = 0;
            lane->flood_work = UINT64_MAX / 2;
        }
        chunk->spans_known = test_random_one_in(&chance, 2);
        states = lane->dense.nodes_made;
        chunk->spans_end = answer->span_end > chunk->begin ? answer->span_end - chunk->begin : 0;
        if (!TEST_CHECK(engine_cpu.scan(lane, chunk, from, answer->want, result, NULL) == TRAWL_OK))
            return false;
        scans_dense += lane->dense.nodes_made > states;
        scans_classes += lane->matcher != NULL;
        scans_sparse += lane->dense.nodes_made == states;
        answer->count += result->count;
        if (answer->want != ENGINE_WANT_COUNT)
            TEST_CHECK_U64(result->count, result->hits.count);
        for (uint64_t i = 0; i < result->hits.count && answer->ok; i++)
            meet(answer, chunk->begin + result->hits.items[i].offset,
                 result->hits.items[i].literal);
        if (result->hits.one_per_line && answer->ok) /* the first one's line may be known already */
            answer->ok = answer->lines - first + 1 >= result->hits.count;
        if (answer->want == ENGINE_WANT_FIRST && answer->count > 0)
            return false;
    }
    return answer->ok;
}

static bool is_right(const struct answer *answer, const struct answer *expected)
{
    if (!answer->ok)
        return false;
    if (answer->want == ENGINE_WANT_LINES)
        return answer->lines == expected->lines;
    if (answer->want == ENGINE_WANT_SPANS)
        return answer->spans == expected->spans && answer->span_end == expected->span_end;
    if (answer->want == ENGINE_WANT_FIRST)
        return (answer->count > 0) == (answer->match_count > 0);
    return answer->count == answer->match_count;
}

static bool run_want(struct engine_lane *lane, const struct answer *expected, bool force,
                     uint64_t chunk_bytes)
{
    struct answer answer = *expected;
    const struct diff_input *input = answer.input;
    struct engine_result result = {.count = 0};
    bool go_on = true;

    answer.lines = answer.spans = answer.span_end = answer.line_end = 0;
    TEST_CHECK(engine_cpu.lane_begin(lane, answer.plan, NULL) == TRAWL_OK);
    for (uint64_t begin = 0; begin < input->text_bytes && go_on; begin += chunk_bytes) {
        uint64_t left = input->text_bytes - begin;
        struct engine_chunk chunk = {.bytes = input->text + begin, .begin = begin, .owned = left};

        chunk.owned = left < chunk_bytes ? left : chunk_bytes;
        left -= chunk.owned;
        chunk.before = begin < answer.plan->need_before ? begin : answer.plan->need_before;
        chunk.after = left < answer.plan->need_after ? left : answer.plan->need_after;
        chunk.readable = chunk.after + test_random_below(&chance, left - chunk.after + 1);
        go_on = scan_chunk(lane, &chunk, force, &result, &answer);
    }
    hits_release(&result.hits);
    return is_right(&answer, expected);
}

static void run_sets(const struct diff_input *input, const struct naive_match *matches,
                     uint64_t match_count, const char *instruction_set)
{
    struct engine_options options = {.size = sizeof options, .instruction_set = instruction_set};
    struct run_config config = {.method = TRAWL_METHOD_SET, .instruction_set = instruction_set};
    struct trawl_plan *plan = NULL;
    struct engine *engine = NULL;
    struct engine_lane *lane = NULL;

    if (!TEST_CHECK(run_plan_build(input, &config, &plan, NULL) == TRAWL_OK) ||
        !TEST_CHECK(engine_cpu.open(&options, &engine, NULL) == TRAWL_OK) ||
        !TEST_CHECK(engine_cpu.lane_open(engine, &lane, NULL) == TRAWL_OK))
        exit(test_end());
    for (uint32_t want = 0; want <= ENGINE_WANT_SPANS; want++) {
        struct answer expected = {.input = input,
                                  .plan = plan,
                                  .matches = matches,
                                  .match_count = match_count,
                                  .want = (enum engine_want)want,
                                  .ok = true};
        uint64_t chunk_bytes = test_random_one_in(&chance, 2)
                                   ? input->text_bytes
                                   : test_random_between(&chance, 1, input->text_bytes);
        bool force = test_random_one_in(&chance, 2);

        chunk_bytes = chunk_bytes > input->text_bytes / 50 ? chunk_bytes : input->text_bytes / 50;
        for (uint64_t i = 0; i < match_count; i++)
            follow(&expected, &matches[i]);
        if (!TEST_CHECK(run_want(lane, &expected, force, chunk_bytes)))
            printf("  %s, want %u, %s, chunks of %" PRIu64 ", text \"%s\" of %" PRIu64
                   " bytes, %" PRIu64 " patterns, flags %u, %" PRIu64 " matches\n",
                   instruction_set, want, force ? "forced" : "free", chunk_bytes, input->kind,
                   input->text_bytes, input->pattern_count, input->flags, match_count);
    }
    engine_cpu.lane_close(lane);
    engine_cpu.close(engine);
    trawl_plan_free(plan);
}

static struct naive_match *oracle(const struct diff_input *input, uint64_t *match_count)
{
    struct naive_query query = {input->patterns, input->pattern_count, input->flags,
                                input->line_end};

    return aho_matches(&query, (struct naive_bytes){input->text, input->text_bytes}, match_count);
}

/* The two oracles agree. */
static void check_oracle(const struct diff_input *input)
{
    struct naive_query query = {input->patterns, input->pattern_count, input->flags,
                                input->line_end};
    struct naive_bytes text = {input->text, input->text_bytes};
    uint64_t count, naive_count = naive_matches(&query, text, NULL, 0);
    struct naive_match *matches = oracle(input, &count);
    struct naive_match *naive = test_memory((naive_count + 1) * sizeof *naive);

    (void)naive_matches(&query, text, naive, naive_count);
    if (TEST_CHECK_U64(count, naive_count))
        for (uint64_t i = 0; i < count; i++)
            if (!TEST_CHECK(matches[i].begin == naive[i].begin && matches[i].end == naive[i].end &&
                            matches[i].pattern_index == naive[i].pattern_index))
                break;
    free(naive);
    free(matches);
}

static void run_case(uint64_t patterns_max, uint64_t text_bytes_max)
{
    struct diff_input input;
    uint64_t match_count;
    struct naive_match *matches;
    uint32_t set = (uint32_t)test_random_below(&chance, instruction_set_count());

    generate(patterns_max, test_random_between(&chance, 1, text_bytes_max), &input);
    matches = oracle(&input, &match_count);
    run_sets(&input, matches, match_count, trawl_instruction_set(set));
    free(matches);
    input_free(&input);
}

int main(void)
{
    uint64_t cases = test_amount(CASES_NORMAL, CASES_LONG);

    test_begin("sets");
    chance = test_random_begin("sets");
    for (uint64_t i = 0; i < cases / 4 + 1; i++) {
        struct diff_input input;

        generate(40, test_random_between(&chance, 1, 600), &input);
        check_oracle(&input);
        input_free(&input);
    }
    for (uint64_t i = 0; i < cases && test_failures < 10; i++) {
        if (i % 50 == 0)
            run_case(2000, 100000);
        else
            run_case(i % 5 == 0 ? 300 : 60, i % 5 == 0 ? 20000 : 3000);
    }
    printf("%" PRIu64 " scans made states of the automaton, %" PRIu64 " did not; %" PRIu64
           " by classes of lengths\n",
           scans_dense, scans_sparse, scans_classes);
    TEST_CHECK(scans_dense > 0 && scans_sparse > 0 && scans_classes > 0);
    return test_end();
}
