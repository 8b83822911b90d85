/* held: see held.h. */
#include "diff/held.h"

#define UNTOUCHED 0x7777777777777777u

/* What sinks have seen. */
struct seen {
    struct held *held;
    uint64_t matches, lines, line_at, window_end;
    uint64_t *by_pattern;
};

enum trawl_status held_plan(const struct diff_input *input,
                            const struct trawl_plan_options *options, struct trawl_plan **plan,
                            struct trawl_error *error)
{
    const struct trawl_plan_options usual = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_plan_options own = options == NULL ? usual : *options;
    struct trawl_pattern *patterns =
        (struct trawl_pattern *)test_memory(input->pattern_count * sizeof *patterns);
    enum trawl_status status;

    for (uint64_t i = 0; i < input->pattern_count; i++)
        patterns[i] =
            (struct trawl_pattern){input->patterns[i].bytes, input->patterns[i].bytes_count};
    own.flags = input->flags;
    own.line_end_set = 1;
    own.line_end = input->line_end;
    status = trawl_plan_build(patterns, input->pattern_count, &own, plan, error);
    free(patterns);
    return status;
}

struct held held_begin(const struct diff_input *input, const struct diff_expected *expected,
                       const struct trawl_plan *plan, struct trawl_searcher *searcher,
                       struct trawl_text *text)
{
    return (struct held){.input = input,
                         .expected = expected,
                         .plan = plan,
                         .searcher = searcher,
                         .text = text,
                         .room = expected->match_count};
}

void held_end(struct held *held)
{
    free(held->array);
    held->array = NULL;
}

const char *held_name(enum held_call call)
{
    static const char *const names[HELD_CALLS] = {
        "count",       "positions", "begins_into", "count_by_pattern",
        "count_lines", "first",     "batches",     "windows"};

    return names[call];
}

static void want(struct held *held, bool right)
{
    held->right = held->right && right;
}

/* A sum: the answer; what was found before a read failed; or untouched. */
static void want_sum(struct held *held, enum trawl_status status, uint64_t sum, uint64_t expected)
{
    want(held, status == TRAWL_OK     ? sum == expected
               : status == TRAWL_READ ? sum <= expected
                                      : sum == UNTOUCHED);
}

/* An array's true total, or how many came before a failure, if that is known. */
static uint64_t given(struct held *held, enum trawl_status status, uint64_t count)
{
    uint64_t total = held->expected->match_count;

    want(held, status == TRAWL_OK ? count == total : count <= total || count == UNTOUCHED);
    want(held, status != TRAWL_READ || count != UNTOUCHED);
    return count > total ? 0 : count < held->room ? count : held->room;
}

static void see_match(struct seen *seen, uint64_t begin, uint64_t end, uint64_t pattern)
{
    const struct diff_expected *expected = seen->held->expected;
    const struct naive_match *match = &expected->matches[seen->matches];

    want(seen->held, seen->matches < expected->match_count && match->begin == begin &&
                         match->end == end && match->pattern_index == pattern);
    seen->matches++;
}

static int see_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    for (uint64_t i = 0; i < match_count; i++)
        see_match((struct seen *)context, matches[i].begin, matches[i].end,
                  matches[i].pattern_index);
    return 0;
}

static int see_counts(void *context, const struct trawl_pattern_count *counts,
                      uint64_t counts_count)
{
    struct seen *seen = (struct seen *)context;

    for (uint64_t i = 0; i < counts_count; i++) {
        bool known = counts[i].pattern_index < seen->held->input->pattern_count;

        want(seen->held, known);
        seen->by_pattern[known ? counts[i].pattern_index : 0] += counts[i].count;
    }
    return 0;
}

static int see_window(void *context, const struct trawl_window *window)
{
    struct seen *seen = (struct seen *)context;
    const struct diff_input *input = seen->held->input;

    want(seen->held,
         window->begin == seen->window_end &&
             window->bytes_count <= input->text_bytes - window->begin &&
             memcmp(window->bytes, input->text + window->begin, (size_t)window->bytes_count) == 0);
    seen->window_end = window->begin + window->bytes_count;
    return see_matches(context, window->matches, window->match_count);
}

static enum trawl_status search_first(struct held *held, struct trawl_error *error)
{
    const struct naive_match *expected = held->expected->matches;
    struct trawl_match match = {UNTOUCHED, UNTOUCHED, 7, 7, 7};
    bool any = held->expected->match_count > 0, found = !any;
    enum trawl_status status =
        trawl_first(held->searcher, held->plan, held->text, &match, &found, error);
    bool same = any && match.begin == expected->begin && match.end == expected->end &&
                match.pattern_index == expected->pattern_index;

    want(held, status == TRAWL_OK ? found == any && same == any : same || match.begin == UNTOUCHED);
    return status;
}

static void *fresh_array(struct held *held, uint64_t item_bytes)
{
    uint64_t bytes = (held->room + 1) * item_bytes;

    free(held->array);
    held->array = test_memory(bytes);
    memset(held->array, 0x77, (size_t)bytes); /* what an earlier call found is not there */
    return held->array;
}

static enum trawl_status fill_begins(struct held *held, struct trawl_error *error)
{
    uint64_t *begins = (uint64_t *)fresh_array(held, sizeof *begins), count = UNTOUCHED;
    enum trawl_status status = trawl_begins_into(held->searcher, held->plan, held->text, begins,
                                                 held->room, &count, error);

    for (uint64_t i = given(held, status, count); i > 0; i--)
        want(held, begins[i - 1] == held->expected->matches[i - 1].begin);
    want(held, begins[held->room] == UNTOUCHED);
    return status;
}

static enum trawl_status count_by_pattern(struct held *held, struct seen *seen,
                                          struct trawl_error *error)
{
    uint64_t patterns = held->input->pattern_count + 1;
    uint64_t *sums = (uint64_t *)test_memory(2 * patterns * sizeof *sums);
    enum trawl_status status;

    memset(sums, 0, (size_t)(2 * patterns) * sizeof *sums);
    seen->by_pattern = sums;
    status =
        trawl_count_by_pattern(held->searcher, held->plan, held->text, see_counts, seen, error);
    for (uint64_t i = 0; i < held->expected->match_count; i++)
        sums[patterns + held->expected->matches[i].pattern_index]++;
    for (uint64_t p = 0; p < patterns; p++)
        want(held,
             status == TRAWL_OK ? sums[p] == sums[patterns + p] : sums[p] <= sums[patterns + p]);
    free(sums);
    return status;
}

static void see_batch(struct seen *seen, const struct trawl_batch *batch)
{
    const struct diff_input *input = seen->held->input;

    for (uint64_t i = 0; i < batch->match_count; i++) {
        for (; seen->line_at < batch->begins[i] && seen->line_at < input->text_bytes;
             seen->line_at++)
            seen->lines += input->text[seen->line_at] == input->line_end;
        want(seen->held, batch->line_numbers[i] == seen->lines);
        see_match(seen, batch->begins[i], batch->ends[i], /* above: the distance, the strand */
                  batch->pattern_indices[i] & UINT32_MAX);
    }
}

static enum trawl_status pull_batches(struct held *held, struct seen *seen,
                                      struct trawl_error *error)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;
    enum trawl_status status = trawl_search_open(held->searcher, held->plan, held->text,
                                                 TRAWL_SEARCH_LINE_NUMBERS, &search, error);

    while (status == TRAWL_OK && !batch.last) {
        status = trawl_search_next(search, &batch, error);
        if (status == TRAWL_OK)
            see_batch(seen, &batch);
    }
    trawl_search_close(search);
    return status;
}

enum trawl_status held_search(struct held *held, enum held_call call, struct trawl_error *error)
{
    struct seen seen = {.held = held};
    enum trawl_status status = TRAWL_OK;
    uint64_t sum = UNTOUCHED;
    bool lists = false;

    held->right = true;
    switch (call) {
    case HELD_COUNT:
        status = trawl_count(held->searcher, held->plan, held->text, &sum, error);
        want_sum(held, status, sum, held->expected->match_count);
        break;
    case HELD_COUNT_LINES:
        status = trawl_count_lines(held->searcher, held->plan, held->text, false, UINT64_MAX, &sum,
                                   error);
        want_sum(held, status, sum, held->expected->line_count);
        break;
    case HELD_FIRST:
        status = search_first(held, error);
        break;
    case HELD_BEGINS_INTO:
        status = fill_begins(held, error);
        break;
    case HELD_COUNT_BY_PATTERN:
        status = count_by_pattern(held, &seen, error);
        break;
    case HELD_BATCHES:
        status = pull_batches(held, &seen, error);
        lists = true;
        break;
    case HELD_WINDOWS:
        status = trawl_windows(held->searcher, held->plan, held->text, 0, see_window, &seen, error);
        want(held, status != TRAWL_OK || seen.window_end == held->input->text_bytes);
        lists = true;
        break;
    case HELD_POSITIONS:
    case HELD_CALLS:
        status = trawl_positions(held->searcher, held->plan, held->text, see_matches, &seen, error);
        lists = true;
    }
    want(held, !lists || status != TRAWL_OK || seen.matches == held->expected->match_count);
    return status;
}
