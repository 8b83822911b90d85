/* diff_answer: calls the CPU engine's functions directly, and compares the occurrences that the
 * scans of a plan find with the expected ones, for each kind of answer (`want`) and for chunks of
 * any size. In some scans the automaton takes over at the first candidate; in others the text
 * decides. A test may replace the costs by which methods are chosen (answer_costs). */
#include "diff/diff_answer.h"

#include "diff/diff_run.h"

struct answer_scans answer_scans;
const struct plan_costs *answer_costs;
uint32_t answer_costs_count;

struct answer {
    const struct diff_input *input;
    const struct trawl_plan *plan;
    const struct naive_match *matches; /* expected */
    uint64_t match_count;
    enum want want;
    struct test_random *random;
    uint64_t at;    /* index of the next expected match */
    uint64_t count; /* hits so far */
    uint64_t lines; /* LINES: lines with a hit; the last such line ends at line_end */
    uint64_t line_end;
    uint64_t spans; /* SPANS: spans so far; the last span is [span_begin, span_end) */
    uint64_t span_begin;
    uint64_t span_end;
    bool ok;
};

static uint64_t line_end_from(const struct diff_input *input, uint64_t at)
{
    const struct naive_query query = input_query(input);

    while (at < input->text_bytes && !naive_ends_line(&query, input->text[at]))
        at++;
    return at;
}

/* Counts the lines and spans of a list of matches. */
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

/* Checks that the hit is the next expected match, or a later one if matches may be missing. If
 * `length` is 0, the hit is as long as its literal. */
static void meet(struct answer *answer, uint64_t begin, uint32_t literal, uint64_t length)
{
    const struct plan_literal own = plan_literal_at(answer->plan, literal);
    bool all = answer->want <= WANT_FIRST;

    while (!all && answer->at < answer->match_count &&
           (answer->matches[answer->at].begin < begin ||
            (answer->matches[answer->at].begin == begin &&
             answer->matches[answer->at].pattern_index < own.pattern)))
        answer->at++;
    answer->ok =
        answer->ok && answer->at < answer->match_count &&
        answer->matches[answer->at].begin == begin &&
        answer->matches[answer->at].pattern_index == own.pattern &&
        answer->matches[answer->at].end - begin == (length == 0 ? own.bytes_count : length);
    if (answer->ok)
        follow(answer, &answer->matches[answer->at++]);
}

/* Compares the hits of a result with the next expected matches. */
static void meet_all(struct answer *answer, const struct engine_chunk *chunk,
                     const struct engine_result *result)
{
    const struct hits *hits = &result->hits;

    if (answer->want != WANT_COUNT)
        TEST_CHECK_U64(result->count, hits->count);
    for (uint64_t i = 0; i < hits->count && answer->ok; i++)
        meet(answer, chunk->begin + hits->items[i].offset, hits->items[i].literal,
             hits->lengths_valid ? hits->lengths[i] : 0);
}

static uint32_t draw_bits(struct test_random *random, uint32_t of)
{
    return of & (uint32_t)test_random_below(random, 1u << STRATEGIES);
}

static enum strategy draw_strategy(struct test_random *random, uint32_t of)
{
    uint32_t strategy;

    do
        strategy = (uint32_t)test_random_below(random, STRATEGIES);
    while ((of >> strategy & 1) == 0);
    return (enum strategy)strategy;
}

/* Puts the worker's choice of a strategy into a random state: between two trials, or within one. */
static void draw_contest(struct test_random *random, struct contest *own)
{
    own->now = draw_strategy(random, own->fits);
    own->before = draw_strategy(random, own->fits);
    own->open = test_random_one_in(random, 2) ? 0 : draw_bits(random, own->fits) | 1u << own->now;
    own->counts = test_random_one_in(random, 2);
    own->left = test_random_between(random, 1, test_random_one_in(random, 2) ? 80 : 5000);
    own->spent = UINT64_MAX / 2;
    own->searched = own->recent_bytes = 1;
    own->recent_ns = own->spent;
    own->won = (double)test_random_below(random, 2);
    for (uint32_t i = 0; i < STRATEGIES; i++) {
        own->of[i].bytes = (own->fits >> i & 1) == 0 ? 0 : test_random_below(random, 100);
        own->of[i].ns = test_random_below(random, 1000);
        own->of[i].rest = test_random_one_in(random, 2) ? 0 : test_random_below(random, 1000);
    }
}

/* Scans a chunk to its end. Returns false if a hit was wrong, or if the first occurrence was found
 * and no more is wanted. */
static bool scan_chunk(struct engine_worker *engine_worker, struct engine_chunk *chunk, bool force,
                       struct engine_result *result, struct answer *answer)
{
    struct cpu_worker *worker = cpu_worker_of(engine_worker);

    for (uint64_t from = 0; from < chunk->owned && answer->ok; from = result->done) {
        enum trawl_method method = worker->method;
        uint64_t first = answer->lines, read;
        enum strategy strategy;

        if (answer_costs != NULL)
            worker->costs = &answer_costs[test_random_below(answer->random, answer_costs_count)];
        if (force) {
            worker->work_per_byte = 0;
            worker->dense_work = UINT64_MAX / 2;
        }
        if (worker->contest.fits != 0)
            draw_contest(answer->random, &worker->contest);
        worker->tile_positions =
            (uint32_t)(64 * test_random_between(answer->random, 1, SET_TILE_POSITIONS / 64));
        worker->lines_hit = test_random_one_in(answer->random, 2);
        chunk->spans_known = test_random_one_in(answer->random, 2);
        read = worker->dense.read_bytes;
        strategy = worker->contest.now;
        chunk->spans_end = answer->span_end > chunk->begin ? answer->span_end - chunk->begin : 0;
        if (!TEST_CHECK(engine_scan(&engine_cpu, engine_worker, chunk, from, answer->want, result,
                                    NULL) == TRAWL_OK))
            return false;
        answer_scans.switches[method][worker->method]++;
        answer_scans.dense += worker->dense.read_bytes > read;
        answer_scans.by_classes += worker->contest.now == STRATEGY_CLASSES;
        answer_scans.by_parts += worker->contest.now >= STRATEGY_ALONE;
        answer_scans.turned += worker->contest.now != strategy;
        answer_scans.sparse += worker->dense.read_bytes == read;
        answer->count += result->count;
        meet_all(answer, chunk, result);
        if (result->hits.one_per_line &&
            answer->ok) /* an earlier scan may have counted the first line */
            answer->ok = answer->lines - first + 1 >= result->hits.count;
        if (answer->want == WANT_FIRST && answer->count > 0)
            return false;
    }
    return answer->ok;
}

static bool is_right(const struct answer *answer, const struct answer *expected)
{
    if (!answer->ok)
        return false;
    if (answer->want == WANT_LINES)
        return answer->lines == expected->lines;
    if (answer->want == WANT_SPANS)
        return answer->spans == expected->spans && answer->span_end == expected->span_end;
    if (answer->want == WANT_FIRST)
        return (answer->count > 0) == (answer->match_count > 0);
    return answer->count == answer->match_count;
}

static struct engine_chunk chunk_at(const struct answer *answer, uint64_t begin,
                                    uint64_t chunk_bytes)
{
    const struct trawl_plan *plan = answer->plan;
    uint64_t left = answer->input->text_bytes - begin;
    struct engine_chunk chunk = {.bytes = answer->input->text + begin, .begin = begin};

    chunk.owned = left < chunk_bytes ? left : chunk_bytes;
    left -= chunk.owned;
    chunk.before = begin < plan->need_before ? begin : plan->need_before;
    chunk.after = left < plan->need_after ? left : plan->need_after;
    chunk.readable = chunk.after + test_random_below(answer->random, left - chunk.after + 1);
    return chunk;
}

static bool run_want(struct engine_worker *worker, const struct answer *expected, bool force,
                     uint64_t chunk_bytes)
{
    struct answer answer = *expected;
    const struct diff_input *input = answer.input;
    struct engine_result result = {.count = 0};
    bool go_on = true;

    answer.lines = answer.spans = answer.span_end = answer.line_end = 0;
    TEST_CHECK(engine_cpu.compile(NULL, 0, answer.plan, &worker, NULL) == TRAWL_OK);
    for (uint64_t begin = 0; begin < input->text_bytes && go_on; begin += chunk_bytes) {
        struct engine_chunk chunk = chunk_at(&answer, begin, chunk_bytes);

        go_on = scan_chunk(worker, &chunk, force, &result, &answer);
    }
    hits_release(&result.hits);
    return is_right(&answer, expected);
}

void answer_check(const struct diff_input *input, const struct diff_expected *expected,
                  const struct trawl_plan *plan, const char *instruction_set,
                  struct test_random *random)
{
    struct engine_options options = {.size = sizeof options, .instruction_set = instruction_set};
    struct engine *engine = NULL;
    struct engine_worker *worker = NULL;

    if (!TEST_CHECK(engine_cpu.open(&options, &engine, NULL) == TRAWL_OK) ||
        !TEST_CHECK(engine_cpu.compile(engine, ENGINE_DEVICES_MAX, NULL, &worker, NULL) ==
                    TRAWL_OK))
        exit(test_end());
    for (uint32_t want = 0; want <= WANT_SPANS; want++) {
        struct answer right = {.input = input,
                               .plan = plan,
                               .matches = expected->matches,
                               .match_count = expected->match_count,
                               .want = (enum want)want,
                               .random = random,
                               .ok = true};
        uint64_t chunk_bytes = test_random_one_in(random, 2)
                                   ? input->text_bytes
                                   : test_random_between(random, 1, input->text_bytes);
        bool force = test_random_one_in(random, 2);

        chunk_bytes = chunk_bytes > input->text_bytes / 50 ? chunk_bytes : input->text_bytes / 50;
        for (uint64_t i = 0; i < right.match_count; i++)
            follow(&right, &right.matches[i]);
        if (!TEST_CHECK(run_want(worker, &right, force, chunk_bytes)))
            printf("  %s, want %u, %s, chunks of %" PRIu64 ", text \"%s\" of %" PRIu64
                   " bytes, %" PRIu64 " patterns, flags %u, %" PRIu64 " matches\n",
                   instruction_set, want, force ? "forced" : "free", chunk_bytes, input->kind,
                   input->text_bytes, input->pattern_count, input->flags, right.match_count);
    }
    engine_cpu.release(worker);
    engine_cpu.close(engine);
}
