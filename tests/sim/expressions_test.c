/* expressions_test: random expressions, texts and records, about whose lines and records a
 * simulated device decides (regex/automaton.c), compared with the host's search.
 *
 * TRAWL_TEST_CASE=N runs only session N. With the argument `device`, a real device decides.
 */
#include "calls.h"
#include "cuda/limits.h"
#include "diff/cut.h"
#include "forms_case.h"
#include "gpu/gpu.h"
#include "lent.h"
#include "match/line_automaton.h"
#include "plan/pages.h"
#include "plan/plan.h"
#include "runtime/schedule.h"
#include "sim_driver.h"
#include "sim_host.h"
#include "simulator.h"
#include "text/text.h"

#define SESSIONS_NORMAL 240
#define SESSIONS_LONG 20000
#define SESSIONS_DEVICE 4000
#define SESSIONS_TELLING 60 /* after these, devices made answers of each kind */
#define EXPRESSIONS_MAX 4u
#define RULES_MAX 300u /* rules of a book */
#define EXPRESSION_BYTES 4096u
#define TEXT_BYTES_MAX 40000u
#define RECORDS_MAX 6000u
#define MATCHES_MAX 60000u
#define RECORDS_READ 200u /* at most this many records are also read one by one */

struct session {
    struct test_random random;
    struct trawl_searcher *host, *device;
    struct trawl_plan *plan;
    char (*expressions)[EXPRESSION_BYTES]; /* RULES_MAX */
    uint32_t expression_count;
    uint8_t *bytes; /* in memory of `room` bytes; the text begins at a random address */
    uint64_t room, count;
    uint64_t offsets[RECORDS_MAX + 1], record_count;
};

/* The number of answers; how many of them devices computed about lines and about matches of lent
 * texts, and about records; and in how many of the devices' answers something matched. */
static struct {
    uint64_t answers, lines, matches, positions, begins, records, finds, matched, by_lines, books;
} tally;

static const struct cuda_driver *real; /* NULL: the simulated driver */
static struct forms_machine machine;

static uint64_t below(struct session *s, uint64_t bound)
{
    return test_random_below(&s->random, bound);
}

/* ---- Input -------------------------------------------------------------------------------- */

static void draw_expression(struct session *s, char *to, uint32_t depth)
{
    static const char *const items[] = {
        "a",      "b",           "ab",    "c",     "\\d",      "\\w",
        "\\s",    ".",           "[ab]",  "[^a]",  "\\b",      "\\B",
        "^",      "$",           "(?i)k", "(?i)s", "\xc3\xa9", "[\xc3\xa9-\xc3\xbc]",
        "(?s:.)", "[^\xc3\xa9]", "[a-z]", "\\.",   "\\W",      "\\n",
        "(?m:^)", "(?m:$)",      "\\A",   "\\z",   "[^\\n]",   "\\x00",
        "\r"};
    static const char *const repeats[] = {"*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?"};

    for (uint64_t i = 1 + below(s, 3); i > 0; i--) {
        if (depth > 0 && below(s, 4) == 0) {
            strcat(to, below(s, 2) ? "(" : "(?:");
            if (below(s, 5) == 0) /* stands for itself, and is no part of the group's opening */
                strncat(to, &"=!<>:-#P"[below(s, 8)], 1);
            draw_expression(s, to, depth - 1);
            if (below(s, 2)) {
                strcat(to, "|");
                draw_expression(s, to, depth - 1);
            }
            strcat(to, ")");
        } else {
            strcat(to, items[below(s, sizeof items / sizeof *items)]);
        }
        if (below(s, 4) == 0)
            strcat(to, repeats[below(s, sizeof repeats / sizeof *repeats)]);
    }
    if (depth > 0 && below(s, 2)) /* a string that a device searches for */
        strcat(to, below(s, 2) ? "needle" : "xy");
}

/* Draws a rule of a book, most of which share what is before, in and after their strings. */
static void draw_rule(struct session *s, char *to)
{
    static const char *const heads[] = {"",       "",     "\\b",   "^",        "[ab]+", "a*",
                                        "\\w+",   ".*",   "(x|b)", "[^a]",     "\\B",   "(a|ab) ?",
                                        "\\W|ab", "(?i)", "(xy)*", "[ab]{0,3}"};
    static const char *const strings[] = {"needle", "xy", "aab", "(needle|xyxy)", "k",
                                          "edle",   "ab", "1a",  "(xy)+",         "n(ee|xy)d",
                                          "s",      "b1", "xyx", "(?i)NeEdle",    "(a+xy|b)"};
    static const char *const rests[] = {
        "",        "",       "\\b",          "$",   "\\d", "[ab]{2,4}", ".*b",
        "\\s?a",   "(a|b)+", "\\w*[ \\t]+a", "\\W", "\\B", "(c|$)",     "[^\xc3\xa9]+k",
        ".{0,9}1", "\r?"};

    snprintf(to, EXPRESSION_BYTES, "%s%s%s", heads[below(s, 16)], strings[below(s, 15)],
             rests[below(s, 16)]);
    if (below(s, 30) == 0) {
        *to = '\0';
        draw_expression(s, to, 1);
    }
}

/* Returns false if the expressions are invalid. */
static bool draw_plan(struct session *s)
{
    static const uint32_t kinds[] = {
        0, 0, 0, 0, TRAWL_WHOLE_LINE, TRAWL_WHOLE_WORD, TRAWL_CRLF, TRAWL_MULTILINE, TRAWL_PCRE};
    static const enum trawl_syntax syntaxes[] = {TRAWL_PERL,    TRAWL_PERL,     TRAWL_RIPGREP,
                                                 TRAWL_RIPGREP, TRAWL_EXTENDED, TRAWL_BASIC};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern patterns[RULES_MAX];
    const bool is_book = below(s, 3) == 0;

    s->expression_count = below(s, 3) ? 1 : 1 + (uint32_t)below(s, EXPRESSIONS_MAX);
    if (is_book)
        s->expression_count = 2 + (uint32_t)below(s, below(s, 2) ? RULES_MAX - 1 : 9);
    for (uint32_t i = 0; i < s->expression_count; i++) {
        s->expressions[i][0] = '\0';
        if (is_book)
            draw_rule(s, s->expressions[i]);
        else
            draw_expression(s, s->expressions[i], 2);
        patterns[i] = (struct trawl_pattern){s->expressions[i], strlen(s->expressions[i])};
    }
    options.flags = kinds[below(s, sizeof kinds / sizeof *kinds)];
    options.syntax = syntaxes[below(s, options.flags < TRAWL_PCRE ? 6 : 4)];
    options.line_ends = (struct trawl_line_ends){1, {below(s, 10) ? '\n' : '\0'}};
    if (below(s, 10) == 0)
        options.line_ends = (struct trawl_line_ends){2, {'\n', '\0'}};
    options.flags |= below(s, 3) == 0 ? TRAWL_IGNORE_CASE : 0;
    options.flags |= below(s, 6) == 0 ? TRAWL_DOT_ALL : 0;
    if (below(s, 3)) {
        options.alphabet = TRAWL_CHARACTERS;
        options.letters = below(s, 2) ? trawl_unicode() : NULL;
    }
    return trawl_plan_build(patterns, s->expression_count, &options, &s->plan, NULL) == TRAWL_OK;
}

/* Draws a text, and records that divide it. */
static void draw_text(struct session *s)
{
    static const char *const words[] = {"a",  "b",  "ab",           "c",          "1",
                                        "22", " ",  "needle",       "xy",         "\xc3\xa9",
                                        "K",  "k",  "\xe2\x84\xaa", "s",          "\xc5\xbf",
                                        "\n", "\n", "\n",           "\xff",       "\xc3",
                                        "_",  ".",  "xyxy",         "aab needle", "\r\n",
                                        "\r", "",   "\x80",         "\r\r\n",     "x\r\n"};
    uint64_t parts = below(s, 3) ? below(s, 200) : below(s, 6000), skew = below(s, 300);

    s->record_count = 0;
    s->offsets[0] = skew;
    s->count = 0;
    for (uint64_t i = 0; i < parts; i++) {
        const char *word = words[below(s, sizeof words / sizeof *words)];
        uint64_t length = *word == '\0' ? 1 : strlen(word);

        memcpy(s->bytes + skew + s->count, word, length);
        s->count += length;
        for (uint64_t k = below(s, 5) == 0 ? 1 + below(s, 2) : 0;
             k > 0 && s->record_count < RECORDS_MAX - 1; k--)
            s->offsets[++s->record_count] = skew + s->count;
    }
    s->offsets[++s->record_count] = skew + s->count;
}

static void draw_limits(struct session *s, struct cuda_limits *limits)
{
    *limits = cuda_limits_default;
    if (real == NULL) {
        limits->threads = 32;
        limits->tile_words_max = 32;
        limits->blocks_max = 1 + (uint32_t)below(s, 3);
    }
    limits->gap_near = 1 + below(s, 40);
    limits->gap_warp = limits->gap_near + below(s, 200);
    limits->gap_block = limits->gap_warp + below(s, 400);
    limits->lists_min = 1 + below(s, 50);
    limits->lists_max = limits->lists_min + 200 + below(s, 3000);
    if (below(s, 2))
        limits->decide_bytes = 1 + below(s, 120);
    if (below(s, 2))
        limits->launch_begins_max = 1 + below(s, 3000);
    if (below(s, 4) == 0) {
        limits->split_bytes_min = 400;
        limits->stripe_bytes = 400 + below(s, 4000);
        limits->split_overlap = below(s, 2) ? LINE_BYTES_MAX : below(s, 400);
    }
    if (below(s, 4) == 0)
        limits->before_bytes = (1ull << 32) - 4096 * below(s, 3);
    resident_sizes = resident_sizes_default;
    if (below(s, 2)) {
        const uint64_t min = 1 + below(s, 500);

        resident_sizes = (struct resident_sizes){.first = min + below(s, 3000),
                                                 .min = min,
                                                 .max = min + below(s, 9000),
                                                 .shared = 1 + below(s, 2000),
                                                 .hits = 1 + below(s, 40),
                                                 .helped = 1 + below(s, 40),
                                                 .host = resident_sizes.host};
    }
}

/* ---- Answers ------------------------------------------------------------------------------ */

static void describe(const struct session *s, const char *what)
{
    printf("  %s: %" PRIu64 " bytes, %" PRIu64 " records, flags %u, syntax %d, characters %d:",
           what, s->count, s->record_count, s->plan->flags, (int)s->plan->expressions.syntax,
           (int)s->plan->expressions.characters);
    for (uint32_t i = 0; i < s->expression_count && i < 20; i++)
        printf(" '%s'", s->expressions[i]);
    printf(" (%u)\n", s->expression_count);
}

struct list {
    struct trawl_match matches[MATCHES_MAX];
    uint64_t count;
};

static int take(void *context, const struct trawl_match *matches, uint64_t count)
{
    struct list *list = (struct list *)context;

    for (uint64_t i = 0; i < count && list->count < MATCHES_MAX; i++)
        list->matches[list->count++] = matches[i];
    return list->count == MATCHES_MAX;
}

/* Compares matches: their number, the first, and all. */
static void compare_matches(struct session *s, struct trawl_text *text)
{
    static struct list lists[2];
    struct trawl_searcher *searchers[] = {s->host, s->device};
    struct trawl_match first[2] = {{0}, {0}};
    uint64_t counts[2] = {1, 2};
    bool found[2] = {false, false};
    bool by_lines, stops;

    for (uint32_t i = 0; i < 2; i++) {
        lists[i].count = 0;
        stops = ask_positions(searchers[i], s->plan, text, take, &lists[i], NULL) == TRAWL_STOPPED;
        TEST_CHECK(stops == (lists[i].count == MATCHES_MAX));
        MUST(trawl_first(searchers[i], s->plan, text, &first[i], &found[i], NULL));
        MUST(trawl_count(searchers[i], s->plan, text, &counts[i], NULL));
    }
    by_lines = must_stats(s->device).device_chunk_count == 1;
    tally.answers += 3;
    tally.by_lines += by_lines && counts[0] > 0;
    if (!TEST_CHECK_U64(counts[1], counts[0]) || !TEST_CHECK(found[0] == found[1]) ||
        !TEST_CHECK(memcmp(&first[0], &first[1], sizeof first[0]) == 0) ||
        !TEST_CHECK(lists[0].count == lists[1].count &&
                    memcmp(lists[0].matches, lists[1].matches,
                           lists[0].count * sizeof(struct trawl_match)) == 0))
        describe(s, by_lines ? "matches by lines" : "matches");
}

static int take_counts(void *context, const struct trawl_pattern_count *items, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        ((uint64_t *)context)[items[i].pattern_index] += items[i].count;
    return 0;
}

/* Compares the start offsets of the first `room` matches, which go to memory of the host or a
 * device. */
static void compare_begins(struct session *s, struct trawl_text *text, const struct list *expected)
{
    const uint64_t room = below(s, 4) ? expected->count : below(s, expected->count + 2);
    const uint64_t max = room < expected->count ? room : expected->count;
    uint64_t *begins = (uint64_t *)test_memory((room + 1) * sizeof *begins), count = UINT64_MAX;
    const bool on_device = room > 0 && below(s, 2);
    struct forms_block block = {0, 0, 0};
    enum trawl_status status;

    if (on_device)
        forms_block_begin(&machine, 0, begins, 0, room * sizeof *begins, 0, &block);
    status = ask_begins_into(s->device, s->plan, text,
                             on_device ? (uint64_t *)(uintptr_t)block.address : begins, room,
                             &count, NULL);
    tally.begins += status == TRAWL_OK;
    if (status == TRAWL_OK) {
        if (on_device)
            forms_block_copy(&machine, &block, 0, begins, room * sizeof *begins, false);
        TEST_CHECK_U64(count, expected->count);
        for (uint64_t i = 0; i < max; i++)
            if (!TEST_CHECK_U64(begins[i], expected->matches[i].begin)) {
                describe(s, on_device ? "begins on a device" : "begins");
                break;
            }
    }
    if (on_device)
        forms_block_end(&machine, &block);
    free(begins);
}

/* Compares the matches that a search delivers in batches. */
static void compare_batches(struct session *s, struct trawl_text *text, const struct list *expected)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search;
    uint64_t count = 0;
    bool right = true;

    MUST(trawl_search_open(s->device, s->plan, text, 0, &search, NULL));
    do {
        MUST(trawl_search_next(search, &batch, NULL));
        for (uint64_t i = 0; i < batch.match_count && count < expected->count; i++, count++)
            right = right && batch.begins[i] == expected->matches[count].begin &&
                    batch.ends[i] == expected->matches[count].end &&
                    batch.pattern_indices[i] == expected->matches[count].pattern_index;
    } while (!batch.last);
    trawl_search_close(search);
    if (!TEST_CHECK(right) || !TEST_CHECK_U64(count, expected->count))
        describe(s, "batches");
}

/* Compares the numbers of matches in the session's text, of all expressions and of each, their
 * positions and begins, where a device has the text alone. */
static void compare_found(struct session *s, const struct lent *lent)
{
    static struct list lists[2];
    struct trawl_text *own = must_text(s->bytes + s->offsets[0], s->count);
    uint64_t counts[2][RULES_MAX] = {{0}}, all[2] = {1, 2};
    struct trawl_match first = {0};
    bool by_device, found = false, tells = false;

    lists[0].count = lists[1].count = 0;
    MUST(trawl_count(s->host, s->plan, own, &all[0], NULL));
    MUST(ask_count_by_pattern(s->host, s->plan, own, take_counts, counts[0], NULL));
    TEST_CHECK((ask_positions(s->host, s->plan, own, take, &lists[0], NULL) == TRAWL_OK) ==
               (lists[0].count < MATCHES_MAX));
    trawl_text_close(own);
    MUST(trawl_text_load(s->device, lent->text, NULL));
    lent->text->stays = true;
    by_device = trawl_count(s->device, s->plan, lent->text, &all[1], NULL) == TRAWL_OK;
    if (by_device) {
        MUST(ask_count_by_pattern(s->device, s->plan, lent->text, take_counts, counts[1], NULL));
        tells = ask_positions(s->device, s->plan, lent->text, take, &lists[1], NULL) !=
                TRAWL_UNSUPPORTED; /* else the automaton that finds starts is too large */
        tally.positions += tells;
    }
    if (tells) {
        MUST(trawl_first(s->device, s->plan, lent->text, &first, &found, NULL));
        TEST_CHECK(found == (lists[0].count > 0) &&
                   (!found || memcmp(&first, &lists[0].matches[0], sizeof first) == 0));
        if (lists[0].count < MATCHES_MAX) {
            compare_begins(s, lent->text, &lists[0]);
            compare_batches(s, lent->text, &lists[0]);
        }
    }
    lent->text->stays = false;
    trawl_text_unload(s->device, lent->text);
    tally.answers += 5;
    tally.matches += by_device;
    tally.matched += by_device && all[0] > 0;
    if (by_device &&
        (!TEST_CHECK_U64(all[1], all[0]) ||
         !TEST_CHECK(memcmp(counts[0], counts[1], sizeof counts[0]) == 0) ||
         !TEST_CHECK(!tells || (lists[0].count == lists[1].count &&
                                memcmp(lists[0].matches, lists[1].matches,
                                       lists[0].count * sizeof(struct trawl_match)) == 0))))
        describe(s, "found");
}

/* Returns a text which, once loaded, has a filter of a few pages, or none. */
static struct trawl_text *filtered(struct session *s, const uint8_t *bytes, uint64_t count)
{
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(bytes, count);
    struct trawl_text *text = NULL;

    plan_pages_sizes = (struct plan_pages_sizes){
        .page = count / (1 + below(s, 60)) + 1, .alike_max = 2, .kept_max = 1, .device_max = 1};
    options.flags = below(s, 12) == 0 ? TRAWL_TEXT_FILTER : 0; /* simulated, they take long */
    MUST(trawl_text_open(NULL, &options, &text, NULL));
    return text;
}

/* Compares the numbers of lines: of the session's text in the host's memory, of a part of it or, if
 * `lent` is not NULL, of a copy in a device's memory. */
static void compare_lines(struct session *s, const struct lent *lent)
{
    const bool invert = below(s, 3) == 0, is_part = lent == NULL && below(s, 3) == 0;
    const uint64_t max = below(s, 4) ? UINT64_MAX : below(s, 20);
    const uint64_t begin = is_part ? below(s, s->count + 1) : 0;
    const uint64_t count = is_part ? below(s, s->count - begin + 1) : s->count;
    const uint8_t *bytes = s->bytes + s->offsets[0];
    struct trawl_text *whole = filtered(s, bytes, s->count);
    struct trawl_text *part = filtered(s, bytes + begin, count);
    struct trawl_text *text = lent != NULL ? lent->text : part, *loaded = is_part ? whole : text;
    uint64_t expected = UINT64_MAX, got = UINT64_MAX;
    bool by_device;

    MUST(ask_count_lines(s->host, s->plan, part, invert, max, &expected, NULL));
    MUST(trawl_text_load(s->device, loaded, NULL));
    by_device = lent_count_lines(s->device, s->plan, text, lent != NULL, invert, max, &got);
    tally.answers++;
    tally.lines += by_device;
    tally.matched += by_device && expected > 0 && !invert;
    tally.books += by_device && s->expression_count > EXPRESSIONS_MAX;
    if (!TEST_CHECK_U64(got, expected))
        describe(s, invert ? "other lines" : "lines");
    if (lent == NULL)
        compare_matches(s, text);
    trawl_text_unload(s->device, loaded);
    trawl_text_close(part);
    trawl_text_close(whole);
}

/* Returns in how many records an expression matches, if only zero bytes: each expression reads each
 * record. */
static uint64_t records_read(const struct session *s, const struct trawl_record_array *array,
                             uint64_t first)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < array->record_count; i++) {
        const uint64_t bit = array->validity_begin + i, begin = s->offsets[first + i];
        struct trawl_range found = {UINT64_MAX, 0};

        if (array->validity != NULL && (array->validity[bit / 8] >> bit % 8 & 1) == 0)
            continue;
        for (uint32_t k = 0; k < s->expression_count && found.begin == UINT64_MAX; k++) {
            struct trawl_line *line;

            MUST(trawl_line_open(s->plan, k, s->bytes + begin, s->offsets[first + i + 1] - begin,
                                 NULL, &line, NULL));
            MUST(trawl_line_match(line, 0, &found, 1, NULL));
            trawl_line_close(line);
        }
        count += found.begin != UINT64_MAX;
    }
    return count;
}

/* Compares the matches of FIRST or MATCHES: each expression reads each record. */
static bool matches_read(const struct session *s, const struct trawl_record_array *array,
                         uint64_t first, const struct trawl_answer *out)
{
    const uint64_t *begins = (const uint64_t *)out->begins, *ends = (const uint64_t *)out->ends;
    const uint64_t *patterns = (const uint64_t *)out->patterns;
    const bool lists = out->what == TRAWL_RECORDS_MATCHES;
    uint64_t at = 0;

    for (uint64_t i = 0; i < array->record_count; i++) {
        const uint64_t bit = array->validity_begin + i, begin = s->offsets[first + i];
        const uint64_t size = s->offsets[first + i + 1] - begin;
        const bool is_null =
            array->validity != NULL && (array->validity[bit / 8] >> bit % 8 & 1) == 0;
        struct trawl_range next[RULES_MAX];
        struct trawl_line *lines[RULES_MAX];
        uint64_t from[RULES_MAX] = {0};
        bool more = true;

        for (uint32_t k = 0; k < s->expression_count; k++)
            MUST(trawl_line_open(s->plan, k, s->bytes + begin, size, NULL, &lines[k], NULL));
        while (more && !is_null) {
            uint32_t min = 0;

            for (uint32_t k = 0; k < s->expression_count; k++) {
                do { /* the next match that is not empty */
                    next[k].begin = next[k].end = UINT64_MAX;
                    if (from[k] <= size)
                        MUST(trawl_line_match(lines[k], from[k], &next[k], 1, NULL));
                    from[k] = next[k].begin;
                } while (next[k].begin == next[k].end && from[k]++ != UINT64_MAX);
                if (next[k].begin == UINT64_MAX)
                    from[k] = UINT64_MAX;
                min = next[k].begin < next[min].begin ? k : min;
            }
            more = next[min].begin != UINT64_MAX && lists;
            if (next[min].begin == UINT64_MAX && lists)
                break;
            if (at >= out->room || begins[at] != next[min].begin || ends[at] != next[min].end ||
                patterns[at] != (next[min].begin == UINT64_MAX ? UINT64_MAX : min))
                return false;
            at++;
            from[min] = next[min].end;
        }
        at += is_null && !lists;
        for (uint32_t k = 0; k < s->expression_count; k++)
            trawl_line_close(lines[k]);
        if (lists && ((const uint64_t *)out->values)[i + 1] != at)
            return false;
    }
    return !lists || at == out->count;
}

static void compare_records(struct session *s)
{
    const enum trawl_what shape = (enum trawl_what)(TRAWL_RECORDS_BITS + below(s, 6));
    const bool finds = shape >= TRAWL_RECORDS_FIRST;
    const uint64_t begin = below(s, s->record_count), count = below(s, s->record_count - begin + 1);
    const uint64_t room = TEXT_BYTES_MAX * 4 * sizeof(uint64_t);
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer out[2] = {TRAWL_ANSWER(TRAWL_RECORDS_BITS),
                                  TRAWL_ANSWER(TRAWL_RECORDS_BITS)};
    struct trawl_searcher *searchers[] = {s->host, s->device};
    int32_t narrow[RECORDS_MAX + 1];
    uint8_t validity[RECORDS_MAX / 8 + 2];

    array.bytes = s->bytes;
    array.offsets = s->offsets + begin;
    array.record_count = count;
    for (uint64_t i = 0; i <= s->record_count; i++)
        narrow[i] = (int32_t)s->offsets[i];
    if (below(s, 2)) {
        array.offsets = narrow + begin;
        array.offset_bytes = 4;
    }
    for (uint32_t i = 0; i < sizeof validity; i++)
        validity[i] = (uint8_t)below(s, 256);
    array.validity_begin = below(s, 8);
    array.validity = below(s, 2) ? validity : NULL;
    for (uint32_t i = 0; i < 2; i++) {
        struct trawl_records *records = NULL;

        for (uint32_t k = 0; k < CUT_ARRAYS; k++) {
            void **column = cut_array_in(&out[i], k);

            if (k == CUT_VALUES ? shape == TRAWL_RECORDS_FIRST
                                : !finds && (k != CUT_PATTERNS || shape != TRAWL_RECORDS_CELLS))
                continue;
            *column = test_memory(room);
            memset(*column, 0, room);
        }
        out[i].room = room / sizeof(uint64_t);
        MUST(trawl_records_load(searchers[i], &array, &records, NULL));
        MUST(ask_records_into(searchers[i], s->plan, records, shape, &out[i], NULL));
        trawl_records_unload(records);
    }
    tally.answers++;
    tally.records += out[1].on_device;
    tally.finds += finds && out[1].on_device && out[1].count > 0;
    tally.matched += out[1].on_device && out[1].count > 0;
    tally.books += out[1].on_device && s->expression_count > EXPRESSIONS_MAX;
    if (!TEST_CHECK_U64(out[1].count, out[0].count))
        describe(s, "records");
    for (uint32_t k = 0; k < CUT_ARRAYS; k++)
        if (*cut_array_in(&out[0], k) != NULL &&
            !TEST_CHECK(memcmp(*cut_array_in(&out[0], k), *cut_array_in(&out[1], k), room) == 0)) {
            printf("  array %u of answer %d\n", k, (int)shape);
            describe(s, "records");
        }
    if (finds && count * s->expression_count <= 8 * RECORDS_READ &&
        !TEST_CHECK(matches_read(s, &array, begin, &out[0])))
        describe(s, "matches one by one");
    if (shape < TRAWL_RECORDS_CELLS && count * s->expression_count <= 8 * RECORDS_READ &&
        !TEST_CHECK_U64(out[0].count, records_read(s, &array, begin)))
        describe(s, "records one by one");
    for (uint32_t i = 0; i < 2 * CUT_ARRAYS; i++)
        free(*cut_array_in(&out[i / CUT_ARRAYS], i % CUT_ARRAYS));
}

static void session(uint64_t index)
{
    struct session s = {.random = test_random_begin("expressions")};
    struct cuda_limits limits;
    struct lent lent;

    s.random.state ^= index * 0x2545f4914f6cdd1du;
    draw_limits(&s, &limits);
    cuda_limits_replace(&limits);
    lent_devices(&machine, real, index + 1, below(&s, 4) ? 1 : 2);
    s.host = must_searcher(1, 0);
    s.device = must_searcher_with(
        SEARCHER_WITH(.engine = below(&s, 4) ? TRAWL_ENGINE_CUDA : TRAWL_ENGINE_AUTO,
                      .threads = 1 + (uint32_t)below(&s, 4)));
    s.bytes = test_memory(TEXT_BYTES_MAX);
    s.expressions = (char(*)[EXPRESSION_BYTES])test_memory(RULES_MAX * EXPRESSION_BYTES);
    for (uint32_t i = 0; i < 4; i++) {
        if (!draw_plan(&s))
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            draw_text(&s);
            compare_lines(&s, NULL);
            compare_records(&s);
            if (s.count == 0 || below(&s, 2))
                continue;
            lent = lent_begin(&machine, s.bytes + s.offsets[0], s.count, below(&s, 300),
                              below(&s, 2) ? 1 : 5000);
            compare_found(&s, &lent); /* first: compare_lines may copy the text to the host */
            compare_lines(&s, &lent);
            lent_end(&lent);
        }
        trawl_plan_free(s.plan);
    }
    free(s.bytes);
    free(s.expressions);
    trawl_searcher_close(s.device);
    trawl_searcher_close(s.host);
    lent_devices_end(&machine, real);
}

int main(int argument_count, char **arguments)
{
    static struct cuda_driver of_devices;
    struct engine *kept = NULL; /* keeps the device open from session to session */
    bool is_real = argument_count > 1 && strcmp(arguments[1], "device") == 0, all;
    uint64_t sessions;

    test_begin("sim expressions");
    sessions = test_amount_telling(SESSIONS_NORMAL, is_real ? SESSIONS_DEVICE : SESSIONS_LONG,
                                   SESSIONS_TELLING);
    if (is_real) {
        kept = gpu_open();
        MUST(cuda_driver_open(&of_devices, NULL));
        real = &of_devices;
    } else {
        cuda_driver_replace(sim_driver_table());
    }
    all = test_cases(sessions, session);
    printf("  %" PRIu64 " answers, of devices: %" PRIu64 " about lines, %" PRIu64
           " about matches, %" PRIu64 " positions, %" PRIu64 " begins, %" PRIu64
           " about records, %" PRIu64 " of their matches, %" PRIu64
           " with matches; by lines of devices: %" PRIu64 "; with books: %" PRIu64 "\n",
           tally.answers, tally.lines, tally.matches, tally.positions, tally.begins, tally.records,
           tally.finds, tally.matched, tally.by_lines, tally.books);
    if (all && sessions >= SESSIONS_TELLING)
        TEST_CHECK(tally.lines > sessions / 2 && tally.matches > sessions / 2 &&
                   tally.records > sessions / 2 && tally.finds > sessions / 8 &&
                   tally.matched > sessions / 2 && tally.by_lines > sessions / 2 &&
                   tally.books > sessions / 8);
    if (is_real) {
        engine_cuda.close(kept);
        cuda_driver_close(&of_devices);
    }
    return test_end();
}
