/* run: one call of the library on one input, compared with the oracle's answer. */
#include "diff/run.h"

#include "calls.h"

#define LINE_ENDS_BYTES 512u /* of a window for each match, at least: then it is told */
#define WINDOW_FLAGS \
    (TRAWL_WINDOW_LINE_ENDS | TRAWL_WINDOW_NO_MATCHES | TRAWL_WINDOW_LINES | TRAWL_WINDOW_SPANS)

/* What follows from a list of matches: in how many lines they begin, and the leftmost, longest of
 * them that do not overlap. */
struct selection {
    uint64_t lines, line_end;
    uint64_t spans, span_begin, span_end, spans_bytes;
};

/* What a call is checked with. */
struct check {
    const struct diff_input *input;
    const struct diff_expected *expected;
    const struct run_config *config;
    const struct trawl_plan *plan;
    struct trawl_searcher *searcher;
    struct trawl_text *text;
    uint64_t stop_after; /* matches or windows after which the sink stops; UINT64_MAX: never */
    uint64_t delivered;  /* matches so far */
    uint64_t windows;
    uint64_t window_offset;
    struct selection got; /* of matches that windows brought, where some are left out */
    uint64_t *by_pattern; /* occurrences of each pattern */
    bool window_last;
    bool stopped;
    bool failed;
    char *message;
};

#define WRONG(check, ...) \
    (snprintf((check)->message, RUN_MESSAGE_BYTES, __VA_ARGS__), (check)->failed = true)

const char *cpu_algorithm(uint32_t index)
{
    const char *name;
    uint32_t engines;

    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL, &engines)) != NULL; i++)
        if ((engines & 1u << TRAWL_ENGINE_CPU) != 0 &&
            strncmp(name, "rabin-karp-matrix", 17) != 0 && index-- == 0)
            return name;
    return NULL;
}

const char *method_name(enum trawl_method method)
{
    switch (method) {
#define METHOD_NAME(name, number, text) \
    case TRAWL_METHOD_##name:           \
        return text;
        TRAWL_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
    }
    return "?";
}

uint32_t instruction_set_count(void)
{
    uint32_t count = 0;

    while (trawl_instruction_set(count) != NULL)
        count++;
    return count;
}

void run_describe(const struct diff_input *input, const struct run_config *config, char *line,
                  uint64_t line_bytes)
{
    static const char *const calls[RUN_CALLS] = {
        "count", "first", "positions", "begins_into", "count_lines", "count_by_pattern", "windows"};

    (void)snprintf(
        line, (size_t)line_bytes,
        "trawl_%s(parameter 0x%" PRIx64 "): %s %s%s, %s, %u threads, chunk %" PRIu64
        ", %s (offset %" PRIu64 "), text \"%s\" of %" PRIu64 " bytes, %" PRIu64
        " patterns, flags %u, line end 0x%02x",
        calls[config->call], config->parameter, config->algorithm == NULL ? "method" : "algorithm",
        config->algorithm == NULL ? method_name(config->method) : config->algorithm,
        config->sample ? " with sample" : "",
        config->instruction_set == NULL ? "" : config->instruction_set, config->threads,
        config->chunk_bytes, place_name(config->place), config->place_offset, input->kind,
        input->text_bytes, input->pattern_count, input->flags, input->line_end);
}

enum trawl_status run_plan_build(const struct diff_input *input, const struct run_config *config,
                                 struct trawl_plan **plan, struct trawl_error *error)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern *patterns = test_memory(input->pattern_count * sizeof *patterns);
    enum trawl_status status;

    for (uint64_t i = 0; i < input->pattern_count; i++) {
        uint64_t bytes_count = input->patterns[i].bytes_count;
        uint8_t *copy = test_memory(bytes_count);
        memcpy(copy, input->patterns[i].bytes, (size_t)bytes_count);
        patterns[i] = (struct trawl_pattern){copy, bytes_count};
    }
    options.flags = input->flags;
    options.method = config->method;
    options.algorithm = config->algorithm;
    options.line_end_set = input->line_end != '\n';
    options.line_end = input->line_end;
    if (config->sample) {
        options.sample = input->text;
        options.sample_bytes = input->text_bytes;
    }
    status = trawl_plan_build(patterns, input->pattern_count, &options, plan, error);
    for (uint64_t i = 0; i < input->pattern_count; i++) {
        memset((void *)(uintptr_t)patterns[i].bytes, 0xee, (size_t)patterns[i].bytes_count);
        free((void *)(uintptr_t)patterns[i].bytes);
    }
    free(patterns);
    return status;
}

enum trawl_status run_searcher_open(const struct run_config *config,
                                    struct trawl_searcher **searcher, struct trawl_error *error)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;

    options.engine = TRAWL_ENGINE_CPU;
    options.threads = config->threads;
    options.chunk_bytes = config->chunk_bytes;
    options.instruction_set = config->instruction_set;
    if (config->place_offset % 2 == 1) /* of a place that is a file */
        options.map = TRAWL_MAP_ALWAYS;
    return trawl_searcher_open(&options, searcher, error);
}

static bool same_match(const struct trawl_match *got, const struct naive_match *expected)
{
    return got->begin == expected->begin && got->end == expected->end &&
           got->pattern_index == expected->pattern_index;
}

/* The matches that follow those delivered so far. */
static void check_matches(struct check *check, const struct trawl_match *matches, uint64_t count)
{
    for (uint64_t i = 0; i < count && !check->failed; i++, check->delivered++) {
        const struct naive_match *expected = &check->expected->matches[check->delivered];
        if (check->delivered >= check->expected->match_count)
            WRONG(check,
                  "match %" PRIu64 " of %" PRIu64 ": (%" PRIu64 ", %" PRIu64
                  ", pattern %u) is one too many",
                  check->delivered, check->expected->match_count, matches[i].begin, matches[i].end,
                  matches[i].pattern_index);
        else if (!same_match(&matches[i], expected))
            WRONG(check,
                  "match %" PRIu64 " of %" PRIu64 " is (%" PRIu64 ", %" PRIu64
                  ", pattern %u), expected (%" PRIu64 ", %" PRIu64 ", pattern %" PRIu64 ")",
                  check->delivered, check->expected->match_count, matches[i].begin, matches[i].end,
                  matches[i].pattern_index, expected->begin, expected->end,
                  expected->pattern_index);
    }
}

static void check_u64(struct check *check, const char *what, uint64_t got, uint64_t expected)
{
    if (got != expected && !check->failed)
        WRONG(check, "%s is %" PRIu64 ", expected %" PRIu64, what, got, expected);
}

static void check_status(struct check *check, enum trawl_status got, enum trawl_status expected,
                         const struct trawl_error *error)
{
    static const uint8_t untouched = 0xab;

    if (check->failed)
        return;
    if (got != expected)
        WRONG(check, "status %d, expected %d; error: %.200s", (int)got, (int)expected,
              got >= TRAWL_ARGUMENT ? error->message : "-");
    else if (memcmp(&error->os_code, "\xab\xab\xab\xab", 4) != 0 ||
             (uint8_t)error->message[0] != untouched)
        WRONG(check, "the error record was written on success");
}

/* A finished call has searched the whole text. */
static void check_stats(struct check *check, bool matches_known)
{
    struct trawl_stats stats = {.size = sizeof stats};

    if (check->failed)
        return;
    if (trawl_searcher_stats(check->searcher, &stats, NULL) != TRAWL_OK) {
        WRONG(check, "trawl_searcher_stats failed");
        return;
    }
    check_u64(check, "stats.text_bytes", stats.text_bytes, check->input->text_bytes);
    if (matches_known)
        check_u64(check, "stats.match_count", stats.match_count, check->expected->match_count);
    if (!check->failed && !stats_agree(check->searcher, false))
        WRONG(check, "the bytes of workers, of methods, or of the text differ");
    if (!check->failed && check->config->instruction_set != NULL &&
        strcmp(stats.instruction_set, check->config->instruction_set) != 0)
        WRONG(check, "stats.instruction_set is %.16s", stats.instruction_set);
}

/* ---- The calls --------------------------------------------------------------------------- */

static void call_count(struct check *check, struct trawl_error *error)
{
    uint64_t count = UINT64_MAX;
    enum trawl_status status =
        trawl_count(check->searcher, check->plan, check->text, &count, error);

    check_status(check, status, TRAWL_OK, error);
    check_u64(check, "the count", count, check->expected->match_count);
    check_stats(check, true);
}

static void call_first(struct check *check, struct trawl_error *error)
{
    struct trawl_match match = {77, 78, 79, 80, 81};
    bool any = check->expected->match_count > 0, found = !any;
    enum trawl_status status =
        trawl_first(check->searcher, check->plan, check->text, &match, &found, error);

    check_status(check, status, TRAWL_OK, error);
    check_u64(check, "found", found, any);
    if (check->failed)
        return;
    if (found)
        check_matches(check, &match, 1);
    else if (match.begin != 77 || match.end != 78 || match.pattern_index != 79)
        WRONG(check, "the match was touched though none was found");
}

static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct check *check = context;

    if (check->stopped && !check->failed)
        WRONG(check, "the sink was called after it had stopped the search");
    check_matches(check, matches, match_count);
    check->stopped = check->failed || check->delivered >= check->stop_after;
    return check->stopped ? 1 : 0;
}

static void call_positions(struct check *check, struct trawl_error *error)
{
    uint64_t parameter = check->config->parameter;
    enum trawl_status status;

    if (parameter % 4 == 0)
        check->stop_after = 1 + (parameter >> 8) % (check->expected->match_count + 1);
    status = trawl_positions(check->searcher, check->plan, check->text, take_matches, check, error);
    check_status(check, status, check->stopped ? TRAWL_STOPPED : TRAWL_OK, error);
    if (!check->stopped) {
        check_u64(check, "the number of matches delivered", check->delivered,
                  check->expected->match_count);
        check_stats(check, true);
    }
}

static void call_begins_into(struct check *check, struct trawl_error *error)
{
    uint64_t total = check->expected->match_count, count = UINT64_MAX;
    uint64_t room =
        check->config->parameter % 2 == 0 ? total : (check->config->parameter >> 8) % (total + 3);
    uint64_t *begins = (uint64_t *)test_memory((room + 1) * sizeof *begins);
    enum trawl_status status;

    begins[room] = 77;
    status = trawl_begins_into(check->searcher, check->plan, check->text,
                               room == 0 && check->config->parameter % 8 == 1 ? NULL : begins, room,
                               &count, error);
    check_status(check, status, TRAWL_OK, error);
    check_u64(check, "the true total", count, total);
    for (uint64_t i = 0; i < room && i < total && !check->failed; i++)
        check_u64(check, "a begin", begins[i], check->expected->matches[i].begin);
    if (!check->failed && begins[room] != 77)
        WRONG(check, "an element behind the array was written");
    check_stats(check, true);
    free(begins);
}

static void call_count_lines(struct check *check, struct trawl_error *error)
{
    bool invert = check->config->parameter % 2 == 1;
    uint64_t lines = invert ? check->expected->line_count_inverted : check->expected->line_count;
    uint64_t lines_max = check->config->parameter % 8 < 4
                             ? UINT64_MAX
                             : (check->config->parameter >> 8) % (lines + 3);
    uint64_t count = UINT64_MAX;
    enum trawl_status status = trawl_count_lines(check->searcher, check->plan, check->text, invert,
                                                 lines_max, &count, error);

    check_status(check, status, TRAWL_OK, error);
    check_u64(check, invert ? "the inverted count of lines" : "the count of lines", count,
              lines < lines_max ? lines : lines_max);
    if (lines_max == UINT64_MAX)
        check_stats(check, false);
}

static int take_counts(void *context, const struct trawl_pattern_count *counts,
                       uint64_t counts_count)
{
    struct check *check = context;

    if (check->stopped && !check->failed)
        WRONG(check, "the sink was called after it had stopped the search");
    for (uint64_t i = 0; i < counts_count && !check->failed; i++) {
        if (counts[i].pattern_index >= check->input->pattern_count || counts[i].count == 0)
            WRONG(check, "%" PRIu64 " occurrences of pattern %" PRIu64, counts[i].count,
                  counts[i].pattern_index);
        else
            check->by_pattern[counts[i].pattern_index] += counts[i].count;
        check->delivered += counts[i].count;
    }
    check->stopped = check->failed || check->delivered >= check->stop_after;
    return check->stopped ? 1 : 0;
}

/* Where the sink stops, no pattern has more than it should. */
static void call_count_by_pattern(struct check *check, struct trawl_error *error)
{
    uint64_t parameter = check->config->parameter, patterns = check->input->pattern_count;
    uint64_t *left = (uint64_t *)test_memory((patterns + 1) * sizeof *left);
    enum trawl_status status;

    memset(left, 0, (size_t)(patterns + 1) * sizeof *left);
    for (uint64_t i = 0; i < check->expected->match_count; i++)
        left[check->expected->matches[i].pattern_index]++;
    check->by_pattern = (uint64_t *)test_memory((patterns + 1) * sizeof *check->by_pattern);
    memset(check->by_pattern, 0, (size_t)(patterns + 1) * sizeof *check->by_pattern);
    if (parameter % 4 == 0)
        check->stop_after = 1 + (parameter >> 8) % (check->expected->match_count + 1);
    status = trawl_count_by_pattern(check->searcher, check->plan, check->text, take_counts, check,
                                    error);
    check_status(check, status, check->stopped ? TRAWL_STOPPED : TRAWL_OK, error);
    for (uint64_t i = 0; i < patterns && !check->failed; i++)
        if (check->by_pattern[i] > left[i] || (!check->stopped && check->by_pattern[i] != left[i]))
            WRONG(check, "pattern %" PRIu64 " has %" PRIu64 " occurrences, expected %" PRIu64, i,
                  check->by_pattern[i], left[i]);
    if (!check->stopped)
        check_stats(check, true);
    free(check->by_pattern);
    free(left);
}

static uint64_t count_byte(const uint8_t *bytes, uint64_t bytes_count, uint8_t byte)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < bytes_count; i++)
        count += bytes[i] == byte;
    return count;
}

/* Line ends before each match; they come where they were asked for and matches are not dense. */
static void check_line_ends(struct check *check, const struct trawl_window *window)
{
    bool asked = (check->config->parameter & TRAWL_WINDOW_LINE_ENDS) != 0;

    if (window->line_ends_before == NULL) {
        if (asked && window->match_count > 0 &&
            window->match_count <= window->bytes_count / LINE_ENDS_BYTES)
            WRONG(check, "the window at %" PRIu64 " does not say what its matches follow",
                  window->begin);
        return;
    }
    if (!asked)
        WRONG(check, "the window at %" PRIu64 " counts line ends", window->begin);
    for (uint64_t i = 0; i < window->match_count && !check->failed; i++)
        check_u64(check, "line_ends_before", window->line_ends_before[i],
                  count_byte(window->bytes, window->matches[i].begin - window->begin,
                             check->input->line_end));
}

/* The window's own promises: no gap, the text's bytes, whole matches in memory. */
static void check_window(struct check *check, const struct trawl_window *window)
{
    const struct diff_input *input = check->input;
    uint64_t readable_end = window->begin + window->bytes_count + window->after_bytes_count;
    uint64_t line_ends = check->config->parameter & TRAWL_WINDOW_LINE_ENDS
                             ? count_byte(window->bytes, window->bytes_count, input->line_end)
                             : 0;

    check_u64(check, "the window's begin", window->begin, check->window_offset);
    if (!check->failed && readable_end > input->text_bytes)
        WRONG(check, "window and what follows it end at %" PRIu64 " of %" PRIu64, readable_end,
              input->text_bytes);
    if (!check->failed && readable_end > window->begin &&
        memcmp(window->bytes, input->text + window->begin,
               (size_t)(readable_end - window->begin)) != 0)
        WRONG(check, "the window at %" PRIu64 " does not hold the text's bytes", window->begin);
    check_u64(check, "line_end_count", window->line_end_count, line_ends);
    for (uint64_t i = 0; i < window->match_count && !check->failed; i++)
        if (window->matches[i].begin < window->begin ||
            window->matches[i].begin >= window->begin + window->bytes_count ||
            window->matches[i].end > readable_end)
            WRONG(check,
                  "match (%" PRIu64 ", %" PRIu64 ") does not belong to the window at %" PRIu64
                  " of %" PRIu64 " + %" PRIu64 " bytes",
                  window->matches[i].begin, window->matches[i].end, window->begin,
                  window->bytes_count, window->after_bytes_count);
    if (!check->failed)
        check_line_ends(check, window);
    for (uint64_t i = 1; i < window->match_count && window->one_per_line && !check->failed; i++)
        if (count_byte(input->text + window->matches[i - 1].begin,
                       window->matches[i].begin - window->matches[i - 1].begin,
                       input->line_end) == 0)
            WRONG(check, "matches at %" PRIu64 " and %" PRIu64 " begin in one line",
                  window->matches[i - 1].begin, window->matches[i].begin);
}

/* Where a NUL ends lines, too, as windows of lines promise. */
static void select_match(struct selection *selection, const struct diff_input *input,
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
    if (selection->spans > 0 && begin == selection->span_begin && end > selection->span_end) {
        selection->spans_bytes += end - selection->span_end;
        selection->span_end = end;
    } else if (begin >= selection->span_end) {
        selection->spans++;
        selection->spans_bytes += end - begin;
        selection->span_begin = begin;
        selection->span_end = end;
    }
}

/* Matches of a window where some may be left out: each is an expected one. */
static void select_matches(struct check *check, const struct trawl_match *matches, uint64_t count)
{
    const struct diff_expected *expected = check->expected;

    for (uint64_t i = 0; i < count && !check->failed; i++) {
        while (check->delivered < expected->match_count &&
               !same_match(&matches[i], &expected->matches[check->delivered]))
            check->delivered++;
        if (check->delivered++ >= expected->match_count)
            WRONG(check, "match (%" PRIu64 ", %" PRIu64 ") is none, or out of order",
                  matches[i].begin, matches[i].end);
        select_match(&check->got, check->input, matches[i].begin, matches[i].end);
    }
}

static void check_selection(struct check *check)
{
    struct selection all = {0};

    for (uint64_t i = 0; i < check->expected->match_count; i++)
        select_match(&all, check->input, check->expected->matches[i].begin,
                     check->expected->matches[i].end);
    if (check->config->parameter & TRAWL_WINDOW_SPANS) {
        check_u64(check, "the number of spans", check->got.spans, all.spans);
        check_u64(check, "the bytes of the spans", check->got.spans_bytes, all.spans_bytes);
    } else {
        check_u64(check, "the number of lines", check->got.lines, all.lines);
    }
}

static int take_window(void *context, const struct trawl_window *window)
{
    struct check *check = context;
    const struct diff_expected *expected = check->expected;

    if ((check->stopped || check->window_last) && !check->failed)
        WRONG(check, "a window came after the last one or after a stop");
    check_window(check, window);
    if (check->config->parameter & TRAWL_WINDOW_NO_MATCHES)
        check_u64(check, "matches in a window without", window->match_count, 0);
    else if (check->config->parameter & (TRAWL_WINDOW_LINES | TRAWL_WINDOW_SPANS))
        select_matches(check, window->matches, window->match_count);
    else
        check_matches(check, window->matches, window->match_count);
    check->window_offset = window->begin + window->bytes_count;
    check->window_last = window->last;
    if ((check->config->parameter & (WINDOW_FLAGS ^ TRAWL_WINDOW_LINE_ENDS)) == 0 &&
        !check->failed && check->delivered < expected->match_count &&
        expected->matches[check->delivered].begin < check->window_offset)
        WRONG(check, "the window up to %" PRIu64 " lacks the match at %" PRIu64,
              check->window_offset, expected->matches[check->delivered].begin);
    check->stopped = check->failed || ++check->windows >= check->stop_after;
    return check->stopped ? 1 : 0;
}

static void call_windows(struct check *check, struct trawl_error *error)
{
    uint64_t parameter = check->config->parameter;
    enum trawl_status status;

    if ((parameter >> 16 & 7) == 0)
        check->stop_after = 1 + (parameter >> 8) % 6;
    status = trawl_windows(check->searcher, check->plan, check->text,
                           (uint32_t)(parameter & WINDOW_FLAGS), take_window, check, error);
    check_status(check, status, check->stopped ? TRAWL_STOPPED : TRAWL_OK, error);
    if (check->stopped || check->failed)
        return;
    check_u64(check, "last", check->window_last, true);
    check_u64(check, "the end of the last window", check->window_offset, check->input->text_bytes);
    if (parameter & TRAWL_WINDOW_NO_MATCHES) {
        check_stats(check, false);
        return;
    }
    if (parameter & (TRAWL_WINDOW_LINES | TRAWL_WINDOW_SPANS))
        check_selection(check);
    else
        check_u64(check, "the number of matches in windows", check->delivered,
                  check->expected->match_count);
    check_stats(check, (parameter & (TRAWL_WINDOW_LINES | TRAWL_WINDOW_SPANS)) == 0);
}

bool run_call(const struct diff_input *input, const struct diff_expected *expected,
              const struct run_config *config, const struct trawl_plan *plan,
              struct trawl_searcher *searcher, uint64_t *address_offset,
              char message[RUN_MESSAGE_BYTES])
{
    static void (*const calls[RUN_CALLS])(struct check *, struct trawl_error *) = {
        call_count,       call_first,       call_positions,
        call_begins_into, call_count_lines, call_count_by_pattern,
        call_windows};
    struct check check = {.input = input,
                          .expected = expected,
                          .config = config,
                          .plan = plan,
                          .searcher = searcher,
                          .stop_after = UINT64_MAX,
                          .message = message};
    struct trawl_error error;
    struct place place;

    memset(&error, 0xab, sizeof error);
    if (place_open(input, config->place, config->place_offset, &place, &error)) {
        check.text = place.text;
        calls[config->call](&check, &error);
    } else {
        WRONG(&check, "the text could not be opened: %.200s", error.message);
    }
    if (address_offset != NULL)
        *address_offset = place.address_offset;
    place_close(&place);
    return !check.failed;
}
