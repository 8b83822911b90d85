/* cuda_case: one search by the CUDA engine with random settings, compared with a simple search. */
#include "cuda_case.h"

#include "base/checked.h"
#include "calls.h"
#include "diff/borders.h"
#include "diff/held.h"
#include "match/hits.h"
#include "plan/parts.h"
#include "plan/plan.h"
#include "runtime/schedule.h"

#define TEXT_ALIGNMENT 64u

struct run {
    const struct trawl_plan *plan;
    const struct diff_input *input;
    const struct diff_expected *expected;
    const struct cuda_case *config;
    uint64_t matched; /* number of expected->matches that were delivered so far */
    char *message;
    bool lacks_table; /* cuda_case_lacks_table */
};

/* Chooses short lists of hits, and short gaps between hits for kinds of search within a gap. */
static void choose_lists(struct test_random *random, struct cuda_limits *limits)
{
    if (test_random_below(random, 3) == 0)
        limits->ranked_max = test_random_below(random, 10);
    if (test_random_below(random, 2)) {
        limits->lists_min = 1 + test_random_below(random, 30);
        limits->lists_max = limits->lists_min + 1000 + test_random_below(random, 5000);
    }
    limits->gap_near = 1 + test_random_below(random, 40);
    limits->gap_warp = 1 + test_random_below(random, 100);
    limits->tail_bytes = 340 + test_random_below(random, 600);
    limits->gap_block = 1 + test_random_below(random, 300);
}

struct cuda_limits cuda_case_limits(struct test_random *random)
{
    static const uint32_t threads[] = {32, 64, 96, 128, 256}, choices[] = {0, 1, 3, 4, 9};
    struct cuda_limits limits = cuda_limits_default;

    limits.threads =
        threads[test_random_below(random, 3 + 2 * (test_random_below(random, 8) == 0))];
    limits.tile_words_max = limits.threads * (uint32_t)(1 + test_random_below(random, 8));
    limits.blocks_max = (uint32_t)(1 + test_random_below(random, 4));
    limits.staging_bytes = 1 + test_random_below(random, 3000);
    if (test_random_below(random, 4) == 0)
        limits.launch_begins_max = 1 + test_random_below(random, 2000);
    limits.text_bytes_max =
        1 + test_random_below(random, test_random_below(random, 2) ? 300 : 9000);
    limits.room_step_bytes = test_random_below(random, 4) == 0 ? 4096 : 1;
    limits.hits_room_min = 1 + test_random_below(random, 100);
    limits.hits_max = 1 + test_random_below(random, test_random_below(random, 2) ? 10 : 3000);
    limits.dense_always = test_random_below(random, 3) == 0;
    if (test_random_below(random, 2)) /* the bit planes then cover only a part of long patterns */
        limits.plane_window_max = 64 + 8 * (uint32_t)test_random_below(random, 10);
    limits.seen_bytes_min = test_random_below(random, 3) ? 1 : limits.seen_bytes_min;
    limits.seen_method = (enum trawl_method)test_random_below(random, TRAWL_METHOD_SET);
    limits.sets = test_random_below(random, 4) != 0;
    limits.sets_variant = (uint32_t)test_random_below(random, CUDA_SETS_VARIANTS + 1);
    limits.sets_stride = 1u << test_random_below(random, 8);
    limits.sets_gram = (uint32_t)test_random_below(random, 17);
    limits.sets_choices = choices[limits.sets_gram % (sizeof choices / sizeof *choices)];
    limits.sets_bits = (uint32_t)test_random_below(random, 3);
    if (test_random_below(random, 2))
        limits.sets_filter_words_max = 4 + 4 * (uint32_t)test_random_below(random, 16);
    if (test_random_below(random, 2))
        limits.sets_table_words_max = 1 + (uint32_t)test_random_below(random, 100);
    if (test_random_below(random, 8) == 0)
        limits.sets_entries_max = test_random_below(random, 1000);
    limits.sets_counted_min = test_random_below(random, 2) ? 0 : 1000;
    limits.automaton = test_random_below(random, 8) != 0;
    limits.automaton_always = test_random_below(random, 4) == 0;
    if (test_random_below(random, 2))
        limits.automaton_kept_bytes = (uint32_t)test_random_below(random, 3000);
    if (test_random_below(random, 4) == 0)
        limits.automaton_words_max = test_random_below(random, 4000);
    if (test_random_below(random, 2))
        limits.tried_bytes = 1 + test_random_below(random, 400);
    if (test_random_below(random, 2))
        limits.patient_bytes = test_random_below(random, 100);
    plan_part_costs_device = plan_part_costs_device_default;
    if (test_random_below(random, 4) == 0) /* divide sets, however little time that saves */
        plan_part_costs_device = (struct plan_part_costs){
            .singly_max = test_random_below(random, PLAN_ALONE_MAX + 1), .met = 1e9, .dense = 1e9};
    limits.listed_min =
        test_random_below(random, 2) ? 1000 : (uint32_t)test_random_below(random, 4);
    choose_lists(random, &limits);
    if (test_random_below(random, 3) == 0) /* offsets around 2^32, where offsets need more bits */
        limits.before_bytes = (1ull << 32) - 4096 * test_random_below(random, 3);
    else if (test_random_below(random, 4) == 0)
        limits.before_bytes = (1ull << 40) + 4096 * test_random_below(random, 1000);
    if (test_random_below(random, 6) == 0) {
        limits.threads = 32;
        limits.tile_words_max = 32;
        limits.blocks_max = (uint32_t)(1 + test_random_below(random, 64));
    }
    if (test_random_below(random, 8) == 0) /* fewer items than most lists have */
        limits.sets_items_max = (uint32_t)test_random_below(random, 6);
    return limits;
}

void cuda_case_draw_residents(struct test_random *random)
{
    resident_sizes = resident_sizes_default;
    if (test_random_below(random, 2))
        resident_sizes = (struct resident_sizes){.first = 100 + test_random_below(random, 3000),
                                                 .min = 60,
                                                 .max = 400 + test_random_below(random, 3000),
                                                 .shared = test_random_below(random, 2) * 1000,
                                                 .hits = 20 + test_random_below(random, 300),
                                                 .helped = 16,
                                                 .host = test_random_below(random, 60)};
}

bool cuda_case_lacks_table(const struct cuda_limits *limits, const struct diff_input *input,
                           enum trawl_method method)
{
    uint64_t states = 1, classes = 1;
    bool occurs[256] = {false};

    if (input->pattern_count <= 1 && method != TRAWL_METHOD_SET)
        return false;
    for (uint64_t i = 0; i < input->pattern_count; i++)
        for (uint64_t k = 0; k < input->patterns[i].bytes_count; k++, states++) {
            bool *own = &occurs[input->patterns[i].bytes[k]];

            classes += !*own;
            *own = true;
        }
    return !limits->automaton ||
           states * (classes + SCAN_STATE_WORDS) > limits->automaton_words_max;
}

struct cuda_case cuda_case_choose(struct test_random *random, const struct diff_input *input)
{
    struct cuda_case config;

    config.method = (enum trawl_method)test_random_below(random, TRAWL_METHOD_SET + 1);
    /* Few random patterns are long enough for the method `sampled`, which has the most code. */
    if (input->pattern_count == 1 && input->patterns[0].bytes_count >= 31 &&
        test_random_below(random, 2))
        config.method = TRAWL_METHOD_SAMPLED;
    config.want = (enum want)test_random_below(random, 3);
    config.chunk_bytes = test_random_below(random, 2)
                             ? input->text_bytes + 1
                             : 1 + input->text_bytes / 4 + test_random_below(random, 2000);
    config.resident = test_random_below(random, 4) == 0;
    config.algorithm = NULL;
    config.ops = NULL;
    return config;
}

void cuda_case_plant(struct test_random *random, const struct cuda_limits *limits,
                     const struct cuda_case *config, struct diff_input *input)
{
    uint64_t sizes[] = {0, /* the text's end */
                        config->chunk_bytes,
                        config->chunk_bytes,
                        config->chunk_bytes,
                        limits->text_bytes_max,
                        limits->launch_begins_max,
                        32ull * limits->tile_words_max,
                        0,
                        0};

    if (input->pattern_count == 0 || input->text_bytes == 0 || test_random_below(random, 2))
        return;
    sizes[7] = max_u64(input->patterns[0].bytes_count, 31) - 15; /* about a stride of samples */
    sizes[8] = sizes[7] / 16 * 16 * 128;                         /* a group of samples */
    if (input->flags == 0 && test_random_below(random, 4) == 0)
        input->flags = test_random_below(random, 4) ? NAIVE_WHOLE_WORD : NAIVE_WHOLE_LINE;
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        border_plant(random, input, sizes[i]);
}

void cuda_case_describe(const struct cuda_case *config, const struct diff_input *input,
                        const struct cuda_limits *limits, char *line, uint64_t line_bytes)
{
    (void)snprintf(
        line, (size_t)line_bytes,
        "method %d, algorithm %s, want %d, chunk %" PRIu64 ", resident %d, %s text of %" PRIu64
        ", %" PRIu64 " patterns (first of %" PRIu64 "), flags %u, threads %u, tile words "
        "%u, blocks %u, staging %" PRIu64 ", text room %" PRIu64 ", hits %" PRIu64 "..%" PRIu64
        ", flood %d, window %u, sets %d, stride %u, %u grams of %u",
        (int)config->method, config->algorithm == NULL ? "none" : config->algorithm,
        (int)config->want, config->chunk_bytes, config->resident, input->kind, input->text_bytes,
        input->pattern_count, input->pattern_count > 0 ? input->patterns[0].bytes_count : 0,
        input->flags, limits->threads, limits->tile_words_max, limits->blocks_max,
        limits->staging_bytes, limits->text_bytes_max, limits->hits_room_min, limits->hits_max,
        limits->dense_always, limits->plane_window_max, limits->sets, limits->sets_stride,
        limits->sets_choices, limits->sets_gram);
}

static const struct engine_ops *ops_of(const struct cuda_case *config)
{
    return config->ops == NULL ? &engine_cuda : config->ops;
}

static bool wrong(struct run *run, const char *what, uint64_t got, uint64_t expected)
{
    (void)snprintf(run->message, CUDA_CASE_MESSAGE_BYTES,
                   "%s is %" PRIu64 ", expected %" PRIu64 " (match %" PRIu64 " of %" PRIu64 ")",
                   what, got, expected, run->matched, run->expected->match_count);
    return false;
}

/* Compares a hit with the next expected match. */
static bool check_hit(struct run *run, uint64_t begin, const struct hit *hit)
{
    const struct naive_match *expected = &run->expected->matches[run->matched];

    if (run->matched >= run->expected->match_count)
        return wrong(run, "a hit too many at", begin, 0);
    if (hit->literal >= run->plan->literal_count)
        return wrong(run, "a literal", hit->literal, run->plan->literal_count);
    if (begin != expected->begin)
        return wrong(run, "a begin", begin, expected->begin);
    if (plan_literal_at(run->plan, hit->literal).pattern != expected->pattern_index)
        return wrong(run, "a pattern", plan_literal_at(run->plan, hit->literal).pattern,
                     expected->pattern_index);
    return true;
}

static uint64_t expected_below(const struct run *run, uint64_t end)
{
    uint64_t count = 0;

    while (run->matched + count < run->expected->match_count &&
           run->expected->matches[run->matched + count].begin < end)
        count++;
    return count;
}

static bool check_result(struct run *run, const struct engine_chunk *chunk,
                         const struct engine_result *result)
{
    uint64_t expected = expected_below(run, chunk->begin + result->done);

    if (run->config->want == WANT_FIRST) {
        if ((result->hits.count > 0) != (expected > 0))
            return wrong(run, "first found", result->hits.count, expected);
        if (expected > 0 &&
            !check_hit(run, chunk->begin + result->hits.items[0].offset, &result->hits.items[0]))
            return false;
        run->matched += expected;
        return true;
    }
    if (result->count != expected)
        return wrong(run, "a count", result->count, expected);
    if (run->config->want == WANT_COUNT) {
        run->matched += expected;
        return true;
    }
    if (result->hits.count != expected)
        return wrong(run, "a count of hits", result->hits.count, expected);
    for (uint64_t i = 0; i < expected; i++, run->matched++)
        if (!check_hit(run, chunk->begin + result->hits.items[i].offset, &result->hits.items[i]))
            return false;
    return true;
}

/* Returns true if a call ended as soon as its hits filled hits_max. It may exceed hits_max by the
 * hits of one range, the part of a text that fits into the device's buffer. A call that continued
 * would also give the right answer, but use more memory. */
static bool is_bounded(const struct run *run, enum want want, const struct engine_result *result)
{
    struct cuda_limits limits = cuda_limits_now();
    uint64_t range = max_u64(limits.text_bytes_max, 2 * run->plan->length_max + TEXT_ALIGNMENT);

    return want != WANT_HITS || run->config->resident || ops_of(run->config) != &engine_cuda ||
           result->hits.count < limits.hits_max + range * run->plan->literal_count;
}

static enum cuda_case_answer run_chunks(struct run *run, struct engine_worker *worker,
                                        const uint8_t *text, struct engine_result *result,
                                        struct trawl_error *error)
{
    uint64_t text_bytes = run->input->text_bytes, begin = 0;

    while (begin < text_bytes) {
        struct engine_chunk chunk = {.bytes = text + begin, .begin = begin};
        uint64_t from = 0;

        chunk.owned = min_u64(run->config->chunk_bytes, text_bytes - begin);
        chunk.before = min_u64(begin, run->plan->need_before);
        chunk.after = min_u64(text_bytes - begin - chunk.owned, run->plan->need_after);
        chunk.readable = chunk.after;
        chunk.may_be_left = (text_bytes + begin) % 2 == 0;
        while (from < chunk.owned) {
            enum trawl_status status = engine_scan(ops_of(run->config), worker, &chunk, from,
                                                   run->config->want, result, error);

            if (status == TRAWL_UNSUPPORTED && !chunk.may_be_left && run->lacks_table)
                return CUDA_CASE_REFUSED;
            if (status != TRAWL_OK)
                return CUDA_CASE_FAILED;
            if (result->is_left && result->done == from && result->count == 0 &&
                result->hits.count == 0 && chunk.may_be_left) {
                /* the engine must search the chunk itself, as if the host could not */
                chunk.may_be_left = false;
                continue;
            }
            if (result->done <= from || result->done > chunk.owned) {
                wrong(run, "done", result->done, chunk.owned);
                return CUDA_CASE_WRONG;
            }
            if (!is_bounded(run, run->config->want, result)) {
                wrong(run, "hits of a call", result->hits.count, cuda_limits_now().hits_max);
                return CUDA_CASE_WRONG;
            }
            if (!check_result(run, &chunk, result))
                return CUDA_CASE_WRONG;
            from = result->done;
        }
        begin += chunk.owned;
    }
    return CUDA_CASE_RIGHT;
}

static void *text_memory(uint64_t bytes)
{
    void *memory = NULL;

    if (posix_memalign(&memory, TEXT_ALIGNMENT, (size_t)bytes + (bytes == 0)) != 0)
        abort();
    memset(memory, 'a', (size_t)bytes);
    return memory;
}

static enum cuda_case_answer run_plan(struct run *run, struct engine *engine,
                                      struct engine_worker *worker, struct trawl_error *error)
{
    /* The buffer ends where the text ends, so that AddressSanitizer finds reads beyond it. It has
     * `front` more bytes before the text, so that the text's alignment varies. */
    uint64_t front = run->input->text_bytes % (2 * TEXT_ALIGNMENT);
    uint8_t *memory = (uint8_t *)text_memory(front + run->input->text_bytes),
            *text = memory + front;
    struct engine_result result = {.count = 0};
    enum cuda_case_answer answer = CUDA_CASE_FAILED;
    struct engine_text held = {
        .bytes = text, .bytes_count = run->input->text_bytes, .how = ENGINE_HOLD_ANEW};
    bool loaded = false;

    memcpy(text, run->input->text, run->input->text_bytes);
    if (ops_of(run->config)->compile(NULL, 0, run->plan, &worker, error) != TRAWL_OK) {
        if (run->config->algorithm != NULL && error->status == TRAWL_UNSUPPORTED)
            answer = CUDA_CASE_REFUSED;
        goto done;
    }
    if (run->config->resident && run->input->text_bytes > 0) {
        loaded = engine_cuda.there->hold(engine, &held, error) == TRAWL_OK;
        if (!loaded)
            goto done;
    }
    answer = run->plan->literal_count == 0 ? CUDA_CASE_RIGHT
                                           : run_chunks(run, worker, text, &result, error);
done:
    if (loaded)
        (void)engine_cuda.there->drop(engine, &held);
    hits_release(&result.hits);
    free(memory);
    return answer;
}

enum cuda_case_answer cuda_case_run(struct engine *engine, struct engine_worker *worker,
                                    const struct diff_input *input,
                                    const struct diff_expected *expected,
                                    const struct cuda_case *config,
                                    char message[CUDA_CASE_MESSAGE_BYTES],
                                    struct trawl_error *error)
{
    struct trawl_plan *plan = NULL;
    const struct cuda_limits limits = cuda_limits_now();
    struct run run = {.input = input,
                      .expected = expected,
                      .config = config,
                      .message = message,
                      .lacks_table = cuda_case_lacks_table(&limits, input, config->method)};
    enum cuda_case_answer answer;
    enum trawl_status status = held_plan(
        input,
        PLAN_WITH(.method = config->algorithm == NULL ? config->method : TRAWL_METHOD_AUTO,
                  .algorithm = config->algorithm),
        &plan, error);

    if (status == TRAWL_ARGUMENT)
        return CUDA_CASE_REFUSED;
    if (status != TRAWL_OK)
        return CUDA_CASE_FAILED;
    run.plan = plan;
    answer = run_plan(&run, engine, worker, error);
    trawl_plan_free(plan);
    return answer;
}
