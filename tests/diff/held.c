/* held: makes a call that may fail, and checks what it delivered before the failure (held.h). */
#include "diff/held.h"

#include <stdarg.h>

#include "calls.h"
#include "diff/cut.h"

#define UNTOUCHED 0x7777777777777777u
/* A window has line_ends_before only with at least this many bytes for each match on average. */
#define LINE_ENDS_BYTES 512u
/* The feeds of a text find about this many matches in all at most, the same ones included. */
#define FED_MATCHES_MAX 1e7
#define SPANS (TRAWL_SPANS | TRAWL_SPANS_FIRST)
#define SELECTING (TRAWL_LINES | TRAWL_LINES_ALONE | SPANS)

/* Facts about a list of matches: the number of lines in which matches begin, and the number and
 * bytes of the leftmost-longest matches that do not overlap (spans). */
struct selection {
    uint64_t lines, line_end;
    uint64_t spans, span_begin, span_end, spans_bytes;
};

/* What sinks have seen. */
struct seen {
    struct held *held;
    uint64_t matches, windows, window_end;
    uint64_t lines, line_at; /* number of line ends before the offset `line_at` */
    uint64_t missing_end;    /* the lowest end of the matches that are missing */
    uint64_t *by_pattern;    /* occurrences of each pattern */
    /* facts about the matches of the windows, if the library may omit matches */
    struct selection got;
    bool window_last;
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

    for (uint64_t i = 0; i < input->pattern_count; i++) {
        uint64_t bytes_count = input->patterns[i].bytes_count;
        uint8_t *copy = (uint8_t *)test_memory(bytes_count);

        memcpy(copy, input->patterns[i].bytes, (size_t)bytes_count);
        patterns[i] = (struct trawl_pattern){copy, bytes_count};
    }
    own.flags |= input->flags;
    if (own.letters == NULL && own.syntax == TRAWL_LITERAL)
        own.letters = trawl_ascii(); /* as in the oracles */
    own.line_ends.count = input->has_line_end_also ? 2 : 1;
    own.line_ends.bytes[0] = input->line_end;
    own.line_ends.bytes[1] = input->has_line_end_also ? input->line_end_also : 0;
    status = trawl_plan_build(patterns, input->pattern_count, &own, plan, error);
    for (uint64_t i = 0; i < input->pattern_count; i++) {
        memset((void *)(uintptr_t)patterns[i].bytes, 0xee, (size_t)patterns[i].bytes_count);
        free((void *)(uintptr_t)patterns[i].bytes);
    }
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
                         .room = expected->match_count,
                         .lines_max = UINT64_MAX,
                         .stop_after = UINT64_MAX};
}

void held_end(struct held *held)
{
    free(held->array);
    held->array = NULL;
}

const char *held_name(enum held_call call)
{
    static const char *const names[HELD_CALLS] = {
        "count", "positions", "begins_into", "count_by_pattern", "count_lines", "lines without",
        "first", "batches",   "windows",     "stream",           "records"};

    return names[call];
}

/* Marks the call as wrong. The first call to this function sets the message. */
__attribute__((format(printf, 2, 3))) static void wrong(struct held *held, const char *format, ...)
{
    va_list words;

    va_start(words, format);
    if (held->right)
        (void)vsnprintf(held->message, HELD_MESSAGE_BYTES, format, words);
    va_end(words);
    held->right = false;
}

static void want_u64(struct held *held, const char *what, uint64_t got, uint64_t expected)
{
    if (got != expected)
        wrong(held, "%s is %" PRIu64 ", expected %" PRIu64, what, got, expected);
}

/* Checks a sum. After OK it must be right; after a failed read, in an answer also after a limit or
 * a lost device, it must be at most the right sum; after any other failure it must be unchanged. */
static void want_sum(struct held *held, enum trawl_status status, bool in_answer, uint64_t sum,
                     uint64_t expected)
{
    bool in_part =
        status == TRAWL_READ || (in_answer && (status == TRAWL_LIMIT || status == TRAWL_DEVICE));

    if (status == TRAWL_OK)
        want_u64(held, "the sum", sum, expected);
    else if (in_part ? sum > expected : sum != UNTOUCHED)
        wrong(held, "the sum is %" PRIu64 " after status %d", sum, (int)status);
}

static bool same_match(const struct trawl_match *got, const struct naive_match *expected)
{
    return got->begin == expected->begin && got->end == expected->end &&
           got->pattern_index == expected->pattern_index;
}

/* Skips expected matches that may be missing before this match. If reading failed, these are the
 * matches that end beyond the bytes that could be read. Every match up to there was found, so each
 * match that was seen must end before each missing one. */
static void skip_missing(struct seen *seen, const struct trawl_match *match)
{
    const struct diff_expected *expected = seen->held->expected;

    while (seen->matches < expected->match_count &&
           !same_match(match, &expected->matches[seen->matches]) &&
           expected->matches[seen->matches].end > match->end) {
        if (expected->matches[seen->matches].end < seen->missing_end)
            seen->missing_end = expected->matches[seen->matches].end;
        seen->matches++;
    }
    if (match->end >= seen->missing_end)
        wrong(seen->held, "the match that ends at %" PRIu64 " is missing", seen->missing_end);
}

/* Compares matches with the expected matches that follow those seen so far. */
static void see_matches(struct seen *seen, const struct trawl_match *matches, uint64_t count)
{
    struct held *held = seen->held;

    for (uint64_t i = 0; i < count && held->right; i++, seen->matches++) {
        const struct naive_match *expected;

        skip_missing(seen, &matches[i]);
        expected = &held->expected->matches[seen->matches];
        if (seen->matches >= held->expected->match_count)
            wrong(held,
                  "match %" PRIu64 " of %" PRIu64 ": (%" PRIu64 ", %" PRIu64
                  ", pattern %u) is one too many",
                  seen->matches, held->expected->match_count, matches[i].begin, matches[i].end,
                  matches[i].pattern_index);
        else if (!same_match(&matches[i], expected))
            wrong(held,
                  "match %" PRIu64 " of %" PRIu64 " is (%" PRIu64 ", %" PRIu64
                  ", pattern %u), expected (%" PRIu64 ", %" PRIu64 ", pattern %" PRIu64 ")",
                  seen->matches, held->expected->match_count, matches[i].begin, matches[i].end,
                  matches[i].pattern_index, expected->begin, expected->end,
                  expected->pattern_index);
    }
}

static void check_running(const struct seen *seen)
{
    if (seen->held->stopped || seen->window_last)
        wrong(seen->held, "the sink was called after it had stopped the search, or after the end");
}

static int stop_at(struct held *held, uint64_t done)
{
    held->stopped = !held->right || done >= held->stop_after;
    return held->stopped ? 1 : 0;
}

static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct seen *seen = (struct seen *)context;

    check_running(seen);
    see_matches(seen, matches, match_count);
    return stop_at(seen->held, seen->matches);
}

static int take_counts(void *context, const struct trawl_pattern_count *counts,
                       uint64_t counts_count)
{
    struct seen *seen = (struct seen *)context;
    struct held *held = seen->held;

    check_running(seen);
    for (uint64_t i = 0; i < counts_count && held->right; i++) {
        if (counts[i].pattern_index >= held->input->pattern_count || counts[i].count == 0)
            wrong(held, "%" PRIu64 " occurrences of pattern %" PRIu64, counts[i].count,
                  counts[i].pattern_index);
        else
            seen->by_pattern[counts[i].pattern_index] += counts[i].count;
        seen->matches += counts[i].count;
    }
    return stop_at(held, seen->matches);
}

static uint64_t count_line_ends(const struct diff_input *input, const uint8_t *bytes,
                                uint64_t bytes_count)
{
    const struct naive_query query = input_query(input);
    uint64_t count = 0;

    for (uint64_t i = 0; i < bytes_count; i++)
        count += naive_ends_line(&query, bytes[i]);
    return count;
}

/* Checks window->line_ends_before: for each match, how many line ends precede it. A window must
 * have these numbers if the flags require line ends and no spans, and if matches are not dense
 * (LINE_ENDS_BYTES). */
static void check_line_ends(struct held *held, const struct trawl_window *window)
{
    bool asked = (held->window_flags & TRAWL_LINE_ENDS) != 0;

    if (window->line_ends_before == NULL) {
        if (asked && window->match_count > 0 && (held->window_flags & SPANS) == 0 &&
            window->match_count <= window->bytes_count / LINE_ENDS_BYTES)
            wrong(held, "the window at %" PRIu64 " does not say what its matches follow",
                  window->begin);
        return;
    }
    if (!asked)
        wrong(held, "the window at %" PRIu64 " counts line ends", window->begin);
    for (uint64_t i = 0; i < window->match_count && held->right; i++)
        want_u64(
            held, "line_ends_before", window->line_ends_before[i],
            count_line_ends(held->input, window->bytes, window->matches[i].begin - window->begin));
}

/* Checks what each window promises: no gap after the previous window, the text's bytes, and whole
 * matches in memory. */
static void check_window(struct held *held, uint64_t begin, const struct trawl_window *window)
{
    const struct diff_input *input = held->input;
    uint64_t readable_end = window->begin + window->bytes_count + window->after_bytes_count;

    want_u64(held, "the window's begin", window->begin, begin);
    if (readable_end > input->text_bytes)
        wrong(held, "window and what follows it end at %" PRIu64 " of %" PRIu64, readable_end,
              input->text_bytes);
    if (held->right && readable_end > begin &&
        memcmp(window->bytes, input->text + begin, (size_t)(readable_end - begin)) != 0)
        wrong(held, "the window at %" PRIu64 " does not hold the text's bytes", begin);
    if (!held->right)
        return;
    want_u64(held, "line_end_count", window->line_end_count,
             held->window_flags & TRAWL_LINE_ENDS
                 ? count_line_ends(input, window->bytes, window->bytes_count)
                 : 0);
    for (uint64_t i = 0; i < window->match_count; i++)
        if (window->matches[i].begin < begin ||
            window->matches[i].begin >= begin + window->bytes_count ||
            window->matches[i].end > readable_end)
            wrong(held,
                  "match (%" PRIu64 ", %" PRIu64 ") does not belong to the window at %" PRIu64
                  " of %" PRIu64 " + %" PRIu64 " bytes",
                  window->matches[i].begin, window->matches[i].end, begin, window->bytes_count,
                  window->after_bytes_count);
    check_line_ends(held, window);
    for (uint64_t i = 1; i < window->match_count && window->one_per_line && held->right; i++)
        if (count_line_ends(input, input->text + window->matches[i - 1].begin,
                            window->matches[i].begin - window->matches[i - 1].begin) == 0)
            wrong(held, "matches at %" PRIu64 " and %" PRIu64 " begin in one line",
                  window->matches[i - 1].begin, window->matches[i].begin);
}

/* Adds a match to the selection. Here a NUL always ends lines, too. */
static void select_match(struct selection *selection, const struct diff_input *input, bool longest,
                         uint64_t begin, uint64_t end)
{
    if (selection->lines == 0 || begin > selection->line_end) {
        selection->lines++;
        selection->line_end = begin;
        while (selection->line_end < input->text_bytes &&
               input->text[selection->line_end] != input->line_end &&
               input->text[selection->line_end] != '\0')
            selection->line_end++;
    }
    if (longest && selection->spans > 0 && begin == selection->span_begin &&
        end > selection->span_end) {
        selection->spans_bytes += end - selection->span_end;
        selection->span_end = end;
    } else if (begin >= selection->span_end) {
        selection->spans++;
        selection->spans_bytes += end - begin;
        selection->span_begin = begin;
        selection->span_end = end;
    }
}

static bool is_longest(const struct held *held)
{
    return (held->window_flags & TRAWL_SPANS_FIRST) == 0;
}

/* Checks that each match of a window is expected, where the library may omit matches. */
static void select_matches(struct seen *seen, const struct trawl_match *matches, uint64_t count)
{
    const struct diff_expected *expected = seen->held->expected;

    for (uint64_t i = 0; i < count && seen->held->right; i++) {
        while (seen->matches < expected->match_count &&
               !same_match(&matches[i], &expected->matches[seen->matches]))
            seen->matches++;
        if (seen->matches++ >= expected->match_count)
            wrong(seen->held, "match (%" PRIu64 ", %" PRIu64 ") is none, or out of order",
                  matches[i].begin, matches[i].end);
        if (seen->held->window_flags & SPANS && matches[i].begin < seen->got.span_end)
            wrong(seen->held, "match (%" PRIu64 ", %" PRIu64 ") overlaps the span before",
                  matches[i].begin, matches[i].end);
        select_match(&seen->got, seen->held->input, is_longest(seen->held), matches[i].begin,
                     matches[i].end);
    }
}

static void check_selection(const struct seen *seen)
{
    struct held *held = seen->held;
    struct selection all = {0};

    for (uint64_t i = 0; i < held->expected->match_count; i++)
        select_match(&all, held->input, is_longest(held), held->expected->matches[i].begin,
                     held->expected->matches[i].end);
    if (held->window_flags & SPANS) {
        want_u64(held, "the number of spans", seen->got.spans, all.spans);
        want_u64(held, "the bytes of the spans", seen->got.spans_bytes, all.spans_bytes);
    } else {
        want_u64(held, "the number of lines", seen->got.lines, all.lines);
    }
}

static int take_window(void *context, const struct trawl_window *window)
{
    struct seen *seen = (struct seen *)context;
    struct held *held = seen->held;
    const struct diff_expected *expected = held->expected;

    check_running(seen);
    check_window(held, seen->window_end, window);
    seen->window_end = window->begin + window->bytes_count;
    seen->window_last = window->last;
    if (held->window_flags & TRAWL_NO_MATCHES) {
        want_u64(held, "matches in a window without", window->match_count, 0);
    } else if (held->window_flags & SELECTING) {
        select_matches(seen, window->matches, window->match_count);
    } else {
        see_matches(seen, window->matches, window->match_count);
        /* A match that ends beyond the bytes in memory may still come, or may be missing. */
        if (seen->matches < expected->match_count &&
            expected->matches[seen->matches].begin < seen->window_end &&
            expected->matches[seen->matches].end <= seen->window_end + window->after_bytes_count)
            wrong(held, "the window up to %" PRIu64 " lacks the match at %" PRIu64,
                  seen->window_end, expected->matches[seen->matches].begin);
    }
    return stop_at(held, ++seen->windows);
}

static enum trawl_status see_windows(struct held *held, struct seen *seen,
                                     struct trawl_error *error)
{
    enum trawl_status status = trawl_windows(held->searcher, held->plan, held->text,
                                             held->window_flags, take_window, seen, error);

    if (status != TRAWL_OK)
        return status;
    want_u64(held, "last", seen->window_last, true);
    want_u64(held, "the end of the last window", seen->window_end, held->input->text_bytes);
    if ((held->window_flags & SELECTING) != 0 && !(held->window_flags & TRAWL_NO_MATCHES))
        check_selection(seen);
    return status;
}

static enum trawl_status search_first(struct held *held, struct seen *seen,
                                      struct trawl_error *error)
{
    struct trawl_match match = {UNTOUCHED, UNTOUCHED, 7, 7, 7};
    bool any = held->expected->match_count > 0, found = !any;
    enum trawl_status status =
        trawl_first(held->searcher, held->plan, held->text, &match, &found, error);

    if (status == TRAWL_OK)
        want_u64(held, "found", found, any);
    if (status == TRAWL_OK ? any : match.begin != UNTOUCHED)
        see_matches(seen, &match, 1);
    else if (match.begin != UNTOUCHED || match.end != UNTOUCHED || match.pattern_index != 7)
        wrong(held, "the match was touched though none was found");
    return status;
}

/* Fills an array of start offsets, and checks them and the count: after OK the number of all
 * occurrences; after a failure at most that number, or untouched. */
static enum trawl_status fill_begins(struct held *held, struct trawl_error *error)
{
    uint64_t bytes = (held->room + 1) * sizeof(uint64_t), total = held->expected->match_count;
    uint64_t *begins = (uint64_t *)test_memory(bytes), count = UNTOUCHED, missing_end = UINT64_MAX;
    const struct naive_match *expected = held->expected->matches;
    enum trawl_status status;

    free(held->array);
    held->array = begins;
    memset(begins, 0x77, (size_t)bytes); /* so that no begins of an earlier call are left */
    status = ask_begins_into(held->searcher, held->plan, held->text,
                             held->room == 0 && total % 2 == 1 ? NULL : begins, held->room, &count,
                             error);
    if (status == TRAWL_OK)
        want_u64(held, "the true total", count, total);
    else if (count == UNTOUCHED ? status == TRAWL_READ : count > total)
        wrong(held, "the total is %" PRIu64 " after status %d", count, (int)status);
    for (uint64_t i = 0, n = 0; count <= total && i < count && i < held->room && held->right; i++) {
        while (status == TRAWL_READ && n + 1 < total &&
               (expected[n].begin != begins[i] || expected[n].end >= missing_end)) {
            missing_end = expected[n].end < missing_end ? expected[n].end : missing_end;
            n++;
        }
        want_u64(held, "a begin", begins[i], expected[n++].begin);
    }
    if (begins[held->room] != UNTOUCHED)
        wrong(held, "an element behind the array was written");
    return status;
}

/* Counts by pattern, and checks the counts. If the search ended early, no pattern may have more
 * occurrences than expected. */
static enum trawl_status count_by_pattern(struct held *held, struct seen *seen,
                                          struct trawl_error *error)
{
    uint64_t patterns = held->input->pattern_count + 1;
    uint64_t *sums = (uint64_t *)test_memory(2 * patterns * sizeof *sums), *all = sums + patterns;
    enum trawl_status status;

    memset(sums, 0, (size_t)(2 * patterns) * sizeof *sums);
    seen->by_pattern = sums;
    status = ask_count_by_pattern(held->searcher, held->plan, held->text, take_counts, seen, error);
    for (uint64_t i = 0; i < held->expected->match_count; i++)
        all[held->expected->matches[i].pattern_index]++;
    for (uint64_t p = 0; p < patterns && held->right; p++)
        if (status == TRAWL_OK ? sums[p] != all[p] : sums[p] > all[p])
            wrong(held, "pattern %" PRIu64 " has %" PRIu64 " occurrences, expected %" PRIu64, p,
                  sums[p], all[p]);
    free(sums);
    return status;
}

static void see_batch(struct seen *seen, const struct trawl_batch *batch)
{
    const struct diff_input *input = seen->held->input;

    for (uint64_t i = 0; i < batch->match_count && seen->held->right; i++) {
        const struct trawl_match match = {.begin = batch->begins[i],
                                          .end = batch->ends[i],
                                          /* the higher bits hold distance and strand */
                                          .pattern_index = (uint32_t)batch->pattern_indices[i]};

        for (; seen->line_at < match.begin && seen->line_at < input->text_bytes; seen->line_at++)
            seen->lines += count_line_ends(input, input->text + seen->line_at, 1);
        want_u64(seen->held, "a line's number", batch->line_numbers[i], seen->lines);
        see_matches(seen, &match, 1);
    }
}

static enum trawl_status pull_batches(struct held *held, struct seen *seen,
                                      struct trawl_error *error)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;
    enum trawl_status status =
        trawl_search_open(held->searcher, held->plan, held->text, TRAWL_LINE_ENDS, &search, error);

    while (status == TRAWL_OK && !batch.last) {
        status = trawl_search_next(search, &batch, error);
        if (status == TRAWL_OK)
            see_batch(seen, &batch);
    }
    trawl_search_close(search);
    return status;
}

/* The matches of a stream's feeds. */
struct fed {
    struct held *held;
    struct trawl_match *matches;
    uint64_t count, room;
    uint64_t before, now; /* bytes that were fed before this feed, and with this feed */
};

static int take_fed(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct fed *fed = (struct fed *)context;
    bool by_lines = call_describe(fed->held->plan, 0).syntax != TRAWL_LITERAL;
    bool waits = (fed->held->input->flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) != 0;

    for (uint64_t i = 0; i < match_count; i++) {
        /* a whole word is decided only when the character after the match has come, so the match
         * may come up to 4 bytes later */
        if (matches[i].end > fed->now ||
            (!by_lines && matches[i].end + (waits ? 4 : 0) <= fed->before))
            wrong(fed->held,
                  "the match that ends at %" PRIu64 " came in bytes %" PRIu64 " to %" PRIu64,
                  matches[i].end, fed->before, fed->now);
        if (fed->count == fed->room) {
            fed->room = 2 * fed->room + 16;
            fed->matches = realloc(fed->matches, fed->room * sizeof *fed->matches);
            if (fed->matches == NULL)
                exit(1);
        }
        fed->matches[fed->count++] = matches[i];
    }
    return 0;
}

static int compare_fed(const void *a, const void *b)
{
    const struct trawl_match *one = (const struct trawl_match *)a;
    const struct trawl_match *two = (const struct trawl_match *)b;

    if (one->begin != two->begin)
        return one->begin < two->begin ? -1 : 1;
    return (one->pattern_index > two->pattern_index) - (one->pattern_index < two->pattern_index);
}

/* Feeds the next bytes, or ends the text. A feed that fails for lack of memory changes nothing, and
 * is repeated. */
static enum trawl_status feed_once(struct fed *fed, struct trawl_stream *stream, bool ends,
                                   struct trawl_error *error)
{
    const uint8_t *bytes = fed->held->input->text + fed->before;
    uint64_t count = fed->count, piece = fed->now - fed->before;
    uint8_t *copy = (uint8_t *)test_memory(piece + 1);
    enum trawl_status status = TRAWL_MEMORY;

    memcpy(copy, bytes, (size_t)piece);
    for (int i = 0; i < 2 && status == TRAWL_MEMORY; i++) {
        fed->count = count;
        status = ends ? trawl_stream_end(fed->held->searcher, stream, take_fed, fed, error)
                      : trawl_stream_feed(fed->held->searcher, stream, copy, piece, take_fed, fed,
                                          error);
    }
    free(copy);
    return status;
}

/* Feeds the text in pieces of a few to many bytes; copies the stream in between. Each feed may find
 * all matches of the text before it anew, so the pieces are larger if there are many. */
static enum trawl_status feed_pieces(struct held *held, struct seen *seen,
                                     struct trawl_error *error)
{
    const uint64_t total = held->input->text_bytes;
    struct test_random random = {total * 31 + held->input->pattern_count + held->stop_after};
    struct fed fed = {.held = held};
    struct trawl_stream *stream = NULL;
    struct trawl_error own; /* *error stays untouched if the second try succeeds */
    uint64_t max =
        1 +
        test_random_below(&random,
                          total < 20000 && test_random_one_in(&random, 3) ? 3 : 3 + total / 64) +
        (uint64_t)((double)total * (double)held->expected->match_count / FED_MATCHES_MAX);
    enum trawl_status status = trawl_stream_open(held->plan, NULL, &stream, &own);

    if (status == TRAWL_UNSUPPORTED)
        return ask_positions(held->searcher, held->plan, held->text, take_matches, seen, error);
    while (status == TRAWL_OK && fed.now < total) {
        fed.before = fed.now;
        fed.now += test_random_below(&random, test_random_one_in(&random, 4) ? 8 * max : max + 1);
        fed.now = fed.now < total ? fed.now : total;
        status = feed_once(&fed, stream, false, &own);
        if (status == TRAWL_OK && test_random_one_in(&random, 16)) {
            struct trawl_stream *copy = NULL;

            if (trawl_stream_copy(stream, &copy, NULL) == TRAWL_OK) {
                trawl_stream_close(stream);
                stream = copy;
            }
        }
    }
    fed.before = fed.now;
    if (status == TRAWL_OK)
        status = feed_once(&fed, stream, true, &own);
    trawl_stream_close(stream);
    if (status == TRAWL_OK && fed.count > 0) {
        qsort(fed.matches, (size_t)fed.count, sizeof *fed.matches, compare_fed);
        see_matches(seen, fed.matches, fed.count);
    }
    free(fed.matches);
    if (status >= TRAWL_ARGUMENT && error != NULL)
        *error = own;
    return status;
}

static bool is_ascii(struct naive_bytes bytes)
{
    for (uint64_t i = 0; i < bytes.bytes_count; i++)
        if (bytes.bytes[i] >= 0x80)
            return false;
    return true;
}

/* Returns true if the simple search can check records: it finds what is expected in the text, and
 * the plan has no errors and no expressions. A record's boundaries are not those of the text's
 * words and lines, so whole words and lines need bytes that mean the same with Unicode's letters
 * and without. */
static bool naive_can_judge(const struct held *held)
{
    const struct naive_query query = input_query(held->input);
    const struct naive_bytes text = {held->input->text, held->input->text_bytes};
    struct trawl_plan_told told = {.size = sizeof told};
    uint64_t count = held->expected->match_count;
    struct naive_match *matches;
    bool same;

    if (trawl_plan_tell(held->plan, &told, NULL) != TRAWL_OK || told.has_errors ||
        told.syntax != TRAWL_LITERAL)
        return false;
    if ((held->input->flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) == 0)
        return true; /* an expected match in a record is an occurrence in the record */
    if (!is_ascii(text))
        return false;
    for (uint32_t i = 0; i < query.pattern_count; i++)
        if (!is_ascii(query.patterns[i]))
            return false;
    matches = (struct naive_match *)test_memory((count + 1) * sizeof *matches);
    same = naive_matches(&query, text, matches, count) == count;
    for (uint64_t i = 0; i < count && same; i++)
        same = matches[i].end == held->expected->matches[i].end &&
               matches[i].begin == held->expected->matches[i].begin &&
               matches[i].pattern_index == held->expected->matches[i].pattern_index;
    free(matches);
    return same;
}

/* Loads records of the text, requests each shape of answers, and unloads the records. */
static enum trawl_status ask_records(struct held *held, struct trawl_error *error)
{
    struct test_random random = {held->input->text_bytes * 31 + held->input->pattern_count};
    struct trawl_records *records = NULL;
    struct trawl_record_array array;
    enum trawl_status status;
    struct cut cut;

    cut_make(&random, held->input, held->expected, &cut);
    array = cut_array(&cut);
    status = trawl_records_load(held->searcher, &array, &records, error);
    for (uint32_t i = 0; i < CUT_SHAPES && status == TRAWL_OK; i++) {
        struct trawl_answer into;
        struct cut_answer answer;
        struct trawl_error own; /* *error stays untouched if the room is too small */

        cut_ask(&random, &cut, (enum trawl_what)(TRAWL_RECORDS_BITS + i), &answer);
        into = answer.into;
        status = ask_records_into(held->searcher, held->plan, records, answer.shape, &into, &own);
        if (!cut_judge(&cut, &answer, status, &into, held->message))
            held->right = false;
        cut_answer_free(&answer);
        if (status == TRAWL_LIMIT ||
            /* published algorithms cannot search loaded records */
            (status == TRAWL_ARGUMENT && strncmp(own.message, "algorithm ", 10) == 0))
            status = TRAWL_OK;
        else if (status != TRAWL_OK && error != NULL)
            *error = own;
    }
    trawl_records_unload(records);
    cut_free(&cut);
    return status;
}

static enum trawl_status count_lines(struct held *held, bool without, struct trawl_error *error)
{
    uint64_t count = UNTOUCHED;
    uint64_t lines = without ? held->expected->line_count_inverted : held->expected->line_count;
    enum trawl_status status = ask_count_lines(held->searcher, held->plan, held->text, without,
                                               held->lines_max, &count, error);

    want_sum(held, status, true, count, lines < held->lines_max ? lines : held->lines_max);
    return status;
}

enum trawl_status held_search(struct held *held, enum held_call call, struct trawl_error *error)
{
    struct seen seen = {.held = held, .missing_end = UINT64_MAX};
    enum trawl_status status = TRAWL_OK;
    uint64_t sum = UNTOUCHED;
    bool lists =
        call == HELD_POSITIONS || call == HELD_BATCHES || call == HELD_STREAM ||
        (call == HELD_WINDOWS && (held->window_flags & (SELECTING | TRAWL_NO_MATCHES)) == 0);

    held->right = true;
    held->stopped = false;
    switch (call) {
    case HELD_COUNT:
        status = trawl_count(held->searcher, held->plan, held->text, &sum, error);
        want_sum(held, status, false, sum, held->expected->match_count);
        break;
    case HELD_COUNT_LINES:
    case HELD_LINES_WITHOUT:
        status = count_lines(held, call == HELD_LINES_WITHOUT, error);
        break;
    case HELD_FIRST:
        status = search_first(held, &seen, error);
        break;
    case HELD_BEGINS_INTO:
        status = fill_begins(held, error);
        break;
    case HELD_COUNT_BY_PATTERN:
        status = count_by_pattern(held, &seen, error);
        break;
    case HELD_BATCHES:
        status = pull_batches(held, &seen, error);
        break;
    case HELD_WINDOWS:
        status = see_windows(held, &seen, error);
        break;
    case HELD_STREAM:
        status = feed_pieces(held, &seen, error);
        break;
    case HELD_RECORDS:
        if (naive_can_judge(held)) {
            status = ask_records(held, error);
            break;
        }
        lists = true;
        status = ask_positions(held->searcher, held->plan, held->text, take_matches, &seen, error);
        break;
    case HELD_POSITIONS:
    case HELD_CALLS:
        status = ask_positions(held->searcher, held->plan, held->text, take_matches, &seen, error);
    }
    if (lists && status == TRAWL_OK)
        want_u64(held, "the number of matches", seen.matches, held->expected->match_count);
    if (seen.missing_end < UINT64_MAX && status != TRAWL_READ)
        wrong(held, "the match that ends at %" PRIu64 " is missing", seen.missing_end);
    if (held->stopped && status != TRAWL_STOPPED)
        wrong(held, "status %d, though the sink stopped the search", (int)status);
    /* a stream and records need several searches */
    if (status == TRAWL_OK && held->right && call != HELD_STREAM && call != HELD_RECORDS &&
        !stats_agree(held->searcher, call == HELD_FIRST || held->lines_max != UINT64_MAX))
        wrong(held, "the statistics of workers do not add up to those of the call");
    return status;
}
