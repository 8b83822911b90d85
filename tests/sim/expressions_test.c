/* expressions_test: random expressions, texts and records, about whose lines and records a
 * simulated device decides (regex/automaton.c), compared with the host's search.
 *
 * TRAWL_TEST_CASE=N runs only session N. With the argument `device`, a real device decides.
 */
#include "calls.h"
#include "cuda/limits.h"
#include "forms_case.h"
#include "gpu/gpu.h"
#include "match/line_automaton.h"
#include "plan/plan.h"
#include "sim_driver.h"
#include "sim_host.h"
#include "simulator.h"
#include "text/text.h"

#define SESSIONS_NORMAL 240
#define SESSIONS_LONG 20000
#define SESSIONS_DEVICE 4000
#define SESSIONS_TELLING 60 /* after these, devices made answers of each kind */
#define EXPRESSIONS_MAX 4u
#define EXPRESSION_BYTES 4096u
#define TEXT_BYTES_MAX 40000u
#define RECORDS_MAX 6000u
#define MATCHES_MAX 60000u
#define RECORDS_READ 200u /* at most this many records are also read one by one */

struct session {
    struct test_random random;
    struct trawl_searcher *host, *device;
    struct trawl_plan *plan;
    char expressions[EXPRESSIONS_MAX][EXPRESSION_BYTES];
    uint32_t expression_count;
    uint8_t *bytes; /* in memory of `room` bytes; the text begins at a random address */
    uint64_t room, count;
    uint64_t offsets[RECORDS_MAX + 1], record_count;
};

/* The number of answers; how many of them devices computed about lines and about matches of lent
 * texts, and about records; and in how many of the devices' answers something matched. */
static struct {
    uint64_t answers, lines, matches, positions, begins, records, matched, by_lines;
} tally;

static const struct cuda_driver *driver;
static struct forms_machine machine;
static bool is_real;

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

/* Returns false if the expressions are invalid. */
static bool draw_plan(struct session *s)
{
    static const uint32_t kinds[] = {0,
                                     0,
                                     0,
                                     0,
                                     TRAWL_RIPGREP,
                                     TRAWL_UNICODE,
                                     TRAWL_WHOLE_LINE,
                                     TRAWL_WHOLE_WORD,
                                     TRAWL_CRLF,
                                     TRAWL_MULTILINE,
                                     TRAWL_PCRE};
    static const enum trawl_syntax syntaxes[] = {TRAWL_PERL, TRAWL_PERL, TRAWL_EXTENDED,
                                                 TRAWL_BASIC};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern patterns[EXPRESSIONS_MAX];

    s->expression_count = below(s, 3) ? 1 : 1 + (uint32_t)below(s, EXPRESSIONS_MAX);
    for (uint32_t i = 0; i < s->expression_count; i++) {
        s->expressions[i][0] = '\0';
        draw_expression(s, s->expressions[i], 2);
        patterns[i] = (struct trawl_pattern){s->expressions[i], strlen(s->expressions[i])};
    }
    options.flags = kinds[below(s, sizeof kinds / sizeof *kinds)];
    options.syntax = options.flags == 0 ? syntaxes[below(s, 4)] : TRAWL_PERL;
    options.line_end = below(s, 16) ? '\n' : '\0';
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
                                        "\r", "",   "\x80"};
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
    if (!is_real) {
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
}

/* ---- Memory of a device ------------------------------------------------------------------- */

/* A text in a device's memory. */
struct lent {
    struct forms_block block;
    struct trawl_text *text;
};

static struct lent lend(const void *bytes, uint64_t count, uint64_t before, uint64_t behind)
{
    struct lent lent;

    forms_block_begin(&machine, 0, bytes, before, count, behind, &lent.block);
    MUST(call_device(lent.block.address + before, count, &lent.text, NULL));
    return lent;
}

static void take_back(struct lent *lent)
{
    trawl_text_close(lent->text);
    forms_block_end(&machine, &lent->block);
}

/* Opens `devices` simulated devices, and these or the real ones for lent texts. */
static void devices_begin(uint64_t seed, uint32_t devices)
{
    struct sim_driver_options options = {seed, devices, 64u << 20, 2, 0, 0, 0};

    if (!is_real)
        sim_driver_reset(&options);
    forms_machine_open(&machine, driver, 1);
}

static void devices_end(void)
{
    forms_machine_close(&machine);
    if (!is_real)
        host_check_driver();
}

/* Counts the lines of a loaded text, which is on a device if `is_lent`. Returns true if the device
 * made the answer without a copy of the text for the host; also false if that is unknown. */
static bool count_lines(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                        struct trawl_text *text, bool is_lent, bool invert, uint64_t most,
                        uint64_t *count)
{
    enum trawl_status status;

    if (is_lent)
        text->stays = true;
    status = ask_count_lines(searcher, plan, text, invert, most, count, NULL);
    if (!is_lent || status != TRAWL_UNSUPPORTED) {
        MUST(status);
        return is_lent;
    }
    text->stays = false;
    MUST(ask_count_lines(searcher, plan, text, invert, most, count, NULL));
    return false;
}

/* ---- Answers ------------------------------------------------------------------------------ */

static void describe(const struct session *s, const char *what)
{
    printf("  %s: %" PRIu64 " bytes, %" PRIu64 " records, flags %u, syntax %d, characters %d:",
           what, s->count, s->record_count, s->plan->flags, (int)s->plan->expressions.syntax,
           (int)s->plan->expressions.characters);
    for (uint32_t i = 0; i < s->expression_count; i++)
        printf(" '%s'", s->expressions[i]);
    printf("\n");
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

/* Compares the begins of the first `room` matches, which go to memory of the host or a device. */
static void compare_begins(struct session *s, struct trawl_text *text, const struct list *expected)
{
    const uint64_t room = below(s, 4) ? expected->count : below(s, expected->count + 2);
    const uint64_t most = room < expected->count ? room : expected->count;
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
        for (uint64_t i = 0; i < most; i++)
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
    uint64_t counts[2][EXPRESSIONS_MAX] = {{0}}, all[2] = {1, 2};
    struct trawl_match first = {0};
    bool by_device, found = false;

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
        tally.positions +=
            ask_positions(s->device, s->plan, lent->text, take, &lists[1], NULL) == TRAWL_OK;
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
    if (by_device && (!TEST_CHECK_U64(all[1], all[0]) ||
                      !TEST_CHECK(memcmp(counts[0], counts[1], sizeof counts[0]) == 0) ||
                      !TEST_CHECK(lists[0].count == lists[1].count &&
                                  memcmp(lists[0].matches, lists[1].matches,
                                         lists[0].count * sizeof(struct trawl_match)) == 0)))
        describe(s, "found");
}

/* Compares the numbers of lines: of the session's text in the host's memory, of a part of it or, if
 * `lent` is not NULL, of a copy in a device's memory. */
static void compare_lines(struct session *s, const struct lent *lent)
{
    const bool invert = below(s, 3) == 0, is_part = lent == NULL && below(s, 3) == 0;
    const uint64_t most = below(s, 4) ? UINT64_MAX : below(s, 20);
    const uint64_t begin = is_part ? below(s, s->count + 1) : 0;
    const uint64_t count = is_part ? below(s, s->count - begin + 1) : s->count;
    const uint8_t *bytes = s->bytes + s->offsets[0];
    struct trawl_text *whole = must_text(bytes, s->count), *part = must_text(bytes + begin, count);
    struct trawl_text *text = lent != NULL ? lent->text : part, *loaded = is_part ? whole : text;
    uint64_t expected = UINT64_MAX, got = UINT64_MAX;
    bool by_device;

    MUST(ask_count_lines(s->host, s->plan, part, invert, most, &expected, NULL));
    MUST(trawl_text_load(s->device, loaded, NULL));
    by_device = count_lines(s->device, s->plan, text, lent != NULL, invert, most, &got);
    tally.answers++;
    tally.lines += by_device;
    tally.matched += by_device && expected > 0 && !invert;
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

static void compare_records(struct session *s)
{
    const enum trawl_what shape = (enum trawl_what)(TRAWL_RECORDS_BITS + below(s, 4));
    const uint64_t begin = below(s, s->record_count), count = below(s, s->record_count - begin + 1);
    const uint64_t room = RECORDS_MAX * 4 * sizeof(uint64_t);
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

        out[i].values = test_memory(room);
        out[i].patterns = shape == TRAWL_RECORDS_CELLS ? test_memory(room) : NULL;
        memset(out[i].values, 0, room);
        out[i].room = RECORDS_MAX * 4;
        MUST(trawl_records_load(searchers[i], &array, &records, NULL));
        MUST(ask_records_into(searchers[i], s->plan, records, shape, &out[i], NULL));
        trawl_records_unload(records);
    }
    tally.answers++;
    tally.records += out[1].on_device;
    tally.matched += out[1].on_device && out[1].count > 0;
    if (!TEST_CHECK_U64(out[1].count, out[0].count) ||
        !TEST_CHECK(memcmp(out[0].values, out[1].values, room) == 0))
        describe(s, "records");
    if (shape != TRAWL_RECORDS_CELLS && count <= RECORDS_READ &&
        !TEST_CHECK_U64(out[0].count, records_read(s, &array, begin)))
        describe(s, "records one by one");
    for (uint32_t i = 0; i < 2; i++) {
        free(out[i].values);
        free(out[i].patterns);
    }
}

static void session(uint64_t index)
{
    struct session s = {.random = test_random_begin("expressions")};
    struct cuda_limits limits;
    struct lent lent;

    s.random.state ^= index * 0x2545f4914f6cdd1du;
    draw_limits(&s, &limits);
    cuda_limits_replace(&limits);
    devices_begin(index + 1, below(&s, 4) ? 1 : 2);
    s.host = must_searcher(1, 0);
    s.device = must_searcher_with(
        SEARCHER_WITH(.engine = below(&s, 4) ? TRAWL_ENGINE_CUDA : TRAWL_ENGINE_AUTO,
                      .threads = 1 + (uint32_t)below(&s, 2)));
    s.bytes = test_memory(TEXT_BYTES_MAX);
    for (uint32_t i = 0; i < 4; i++) {
        if (!draw_plan(&s))
            continue;
        for (uint32_t k = 0; k < 2; k++) {
            draw_text(&s);
            compare_lines(&s, NULL);
            compare_records(&s);
            if (s.count == 0 || below(&s, 2))
                continue;
            lent = lend(s.bytes + s.offsets[0], s.count, below(&s, 300), below(&s, 2) ? 1 : 5000);
            compare_found(&s, &lent); /* first: compare_lines may copy the text to the host */
            compare_lines(&s, &lent);
            take_back(&lent);
        }
        trawl_plan_free(s.plan);
    }
    free(s.bytes);
    trawl_searcher_close(s.device);
    trawl_searcher_close(s.host);
    devices_end();
}

/* ---- Borders ------------------------------------------------------------------------------ */

/* Expressions, and for each of the records below whether it has a match, according to Python's re,
 * whose \Z is RE2's $. */
static void borders_of_records(void)
{
    static const char tape[] = "xya\nxyaxy\nxy\nxy\nb\xff"
                               "1xyb xy";
    static const uint64_t offsets[] = {0, 2, 6, 9, 9, 10, 13, 17, 21, 25};
    static const char *const rows[][2] = {
        {"^xy", "100001100"},       {"^(?m:^)xy", "100001100"},   {"(?m:^)xy", "110001100"},
        {"xy$", "111000011"},       {"(?m:xy$)", "111001111"},    {"a*", "111111111"},
        {"^$", "000100000"},        {"(?m:^$)", "000111000"},     {"\\bxy", "110001101"},
        {"\\Bxy", "001000010"},     {"xy\\b", "111001111"},       {"a.xy", "000000000"},
        {"a(?s:.)xy", "010000000"}, {"a\\nx", "010000000"},       {"\\dxy", "000000010"},
        {"[^a]xy", "010000011"},    {"x\\x79\\n|^b", "000001101"}};
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_searcher *searchers[2];
    struct trawl_records *records[2];

    cuda_limits_replace(NULL);
    host_devices(1);
    searchers[0] = must_searcher(1, 0);
    searchers[1] = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    array.bytes = (const uint8_t *)tape;
    array.offsets = offsets;
    array.record_count = 9;
    for (uint32_t k = 0; k < 2; k++)
        MUST(trawl_records_load(searchers[k], &array, &records[k], NULL));
    for (uint32_t i = 0; i < 2 * (sizeof rows / sizeof *rows); i++) {
        struct trawl_plan *plan = must_plan_with(rows[i / 2][0], PLAN_WITH(.syntax = TRAWL_PERL));
        struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
        char values[10] = "";

        out.values = values;
        out.room = 9;
        MUST(ask_records_into(searchers[i % 2], plan, records[i % 2], TRAWL_RECORDS_BYTES, &out,
                              NULL));
        for (uint32_t k = 0; k < 9; k++)
            values[k] += '0';
        if (!TEST_CHECK(strcmp(values, rows[i / 2][1]) == 0 && out.on_device == i % 2))
            printf("  '%s': %s on device %u\n", rows[i / 2][0], values, out.on_device);
        trawl_plan_free(plan);
    }
    for (uint32_t k = 0; k < 2; k++) {
        trawl_records_unload(records[k]);
        trawl_searcher_close(searchers[k]);
    }
    host_check_driver();
}

/* Expressions, and how many matches each of the records below has, and their tape as a text, by
 * Python's re; by hand for POSIX, where the longest match is preferred. */
static const struct {
    const char *expression;
    enum trawl_syntax syntax;
    const char *records;
    uint64_t all;
} matches_rows[] = {
    {"xy|xyx", TRAWL_PERL, "2020110001", 9},       {"xy|xyx", TRAWL_EXTENDED, "1020110001", 8},
    {"a|abca|b", TRAWL_PERL, "0400303100", 11},    {"a|abca|b", TRAWL_EXTENDED, "0200303100", 9},
    {"xyx?", TRAWL_PERL, "1020110001", 8},         {"(?:xy)+", TRAWL_PERL, "1020110001", 8},
    {"(?:xy)+?", TRAWL_PERL, "2020110001", 9},     {"a(?:b|bc)", TRAWL_PERL, "0200001000", 3},
    {"xy$", TRAWL_PERL, "1010000001", 2},          {"(?m:xy$)", TRAWL_PERL, "1020000001", 2},
    {"^xy", TRAWL_PERL, "1010010000", 2},          {"(?m:^)xy", TRAWL_PERL, "1020010000", 2},
    {"\\bxy", TRAWL_PERL, "1020010000", 3},        {"xy\\b", TRAWL_PERL, "1020010001", 3},
    {"[^a]xy", TRAWL_PERL, "1010000001", 5},       {"a{1,2}?b", TRAWL_PERL, "0200001000", 3},
    {"x.*y", TRAWL_PERL, "1020110001", 3},         {"x.*?y", TRAWL_PERL, "2020110001", 9},
    {"(?s:x.*y)", TRAWL_PERL, "1010110001", 3},    {"xy[\\n]?", TRAWL_PERL, "2020110001", 9},
    {"(?:a|b|xy)+b", TRAWL_PERL, "0200001000", 3}, {"(x|y|a)y(a*|1)", TRAWL_PERL, "2020110001", 9}};

static void matches_in_records(void)
{
    static const char tape[] = "xyxyabcabxy\nxyaxyaaxy aab\nb\xff"
                               "xy1xy22xy";
    static const uint64_t offsets[] = {0, 4, 9, 14, 14, 19, 22, 26, 29, 32, 37};
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_searcher *searcher;
    struct trawl_records *records;
    struct lent lent;

    cuda_limits_replace(NULL);
    devices_begin(1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    array.bytes = (const uint8_t *)tape;
    array.offsets = offsets;
    array.record_count = 10;
    MUST(trawl_records_load(searcher, &array, &records, NULL));
    lent = lend(tape, sizeof tape - 1, 3, 5000);
    lent.text->stays = true;
    MUST(trawl_text_load(searcher, lent.text, NULL));
    for (uint32_t i = 0; i < sizeof matches_rows / sizeof *matches_rows; i++) {
        struct trawl_plan *plan =
            must_plan_with(matches_rows[i].expression, PLAN_WITH(.syntax = matches_rows[i].syntax));
        struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
        uint32_t counts[10];
        char got[11] = "";
        uint64_t all = 0;

        out.values = counts;
        out.room = 10;
        MUST(ask_records_into(searcher, plan, records, TRAWL_RECORDS_COUNTS, &out, NULL));
        MUST(trawl_count(searcher, plan, lent.text, &all, NULL));
        for (uint32_t k = 0; k < 10; k++)
            got[k] = (char)('0' + counts[k]);
        if (!TEST_CHECK(strcmp(got, matches_rows[i].records) == 0 && out.on_device) ||
            !TEST_CHECK_U64(all, matches_rows[i].all))
            printf("  '%s': %s on device %u\n", matches_rows[i].expression, got, out.on_device);
        trawl_plan_free(plan);
    }
    trawl_text_unload(searcher, lent.text);
    take_back(&lent);
    trawl_records_unload(records);
    trawl_searcher_close(searcher);
    devices_end();
}

/* Counts the lines that match `expression` in a text: a line of `before` letters, "needle", and
 * letters up to `length` bytes, between other lines, or as the whole text if `is_alone`. Checks
 * whether the device answered, which needs the whole line within decide_bytes (40). */
static void border_of_line(struct trawl_searcher *searcher, const char *expression, uint32_t before,
                           uint32_t length, bool is_alone, bool by_device)
{
    struct trawl_plan *plan = must_plan_with(expression, PLAN_WITH(.syntax = TRAWL_PERL));
    uint64_t count = UINT64_MAX;
    struct lent lent;
    char text[400];

    (void)snprintf(text, sizeof text, "%s%.*sneedle%.*s%s", is_alone ? "" : "other\n", (int)before,
                   "pppppppppppppppppppppppppppppppppppppppppppppppppppppp", (int)(length - 6),
                   "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq",
                   is_alone ? "" : "\nother\n");
    lent = lend(text, strlen(text), 3, 5000);
    MUST(trawl_text_load(searcher, lent.text, NULL));
    TEST_CHECK(count_lines(searcher, plan, lent.text, true, false, UINT64_MAX, &count) ==
               by_device);
    if (!TEST_CHECK_U64(count, strstr(expression, "\\d") == NULL))
        printf("  '%s' in '%s'\n", expression, text);
    trawl_text_unload(searcher, lent.text);
    take_back(&lent);
    trawl_plan_free(plan);
}

static void borders_of_lines(void)
{
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_searcher *searcher;

    limits.decide_bytes = 40;
    cuda_limits_replace(&limits);
    devices_begin(1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    for (uint32_t more = 0; more < 2; more++) {
        border_of_line(searcher, "^p*needle", 39 + more, 10, false, more == 0);
        border_of_line(searcher, "^p*needle", 40 + more, 10, true, more == 0);
        border_of_line(searcher, "needle.*\\d", 5, 39 + more, false, more == 0);
        border_of_line(searcher, "needle.*\\d", 5, 40 + more, true, more == 0);
        border_of_line(searcher, "[a-f]*e[^q]*q", 5, 20 + more, false, true); /* no string */
    }
    /* too many states: each of the last bytes may be one of two */
    border_of_line(searcher, "(p|q)*p[pq]{12}(needle)?$|needle", 20, 10, false, false);
    trawl_searcher_close(searcher);
    devices_end();
}

/* Counts the lines that match `needle.*\d` in a text of 64 KiB with a string in every 8 bytes, one
 * of which is `byte`. Returns how many bytes the device reads. */
static uint64_t read_many(struct trawl_searcher *searcher, const struct trawl_plan *plan, char byte)
{
    const char unit[] = {'n', 'e', 'e', 'd', 'l', 'e', byte, 'x'};
    uint8_t *bytes = (uint8_t *)test_memory(LINE_BYTES_MAX);
    uint64_t count = 99, before;
    struct lent lent;

    for (uint32_t i = 0; i < LINE_BYTES_MAX; i++)
        bytes[i] = (uint8_t)unit[i % sizeof unit];
    lent = lend(bytes, LINE_BYTES_MAX, 0, 5000);
    MUST(trawl_text_load(searcher, lent.text, NULL));
    before = sim_counters().global_read_bytes;
    TEST_CHECK(count_lines(searcher, plan, lent.text, true, false, UINT64_MAX, &count));
    TEST_CHECK_U64(count, 0);
    before = sim_counters().global_read_bytes - before;
    trawl_text_unload(searcher, lent.text);
    take_back(&lent);
    free(bytes);
    return before;
}

/* A device reads a line once, however many strings are in it. */
static void many_in_a_line(void)
{
    struct trawl_plan *plan = must_plan_with("needle.*\\d", PLAN_WITH(.syntax = TRAWL_PERL));
    struct trawl_searcher *searcher;
    uint64_t together, apart;

    cuda_limits_replace(NULL);
    devices_begin(1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    together = read_many(searcher, plan, ' ');
    apart = read_many(searcher, plan, '\n');
    if (!TEST_CHECK(together <= 2 * apart))
        printf("  in one line %" PRIu64 " bytes, in many %" PRIu64 "\n", together, apart);
    trawl_searcher_close(searcher);
    devices_end();
    trawl_plan_free(plan);
}

static int add_count(void *context, const struct trawl_match *matches, uint64_t count)
{
    (void)matches;
    *(uint64_t *)context += count;
    return 0;
}

/* A text's matches need several lists of a device. If a later list fails, since the text's last line
 * is too long for the device, an ordinary search delivers all matches, and none twice. */
static void several_lists(bool ends_long)
{
    static const char line[] = "at 12:00 worker-12 did it\n";
    const uint64_t line_bytes = sizeof line - 1, lines = 5000, bytes_count = line_bytes * lines;
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_plan *plan =
        must_plan_with("\\bworker-\\d+\\b", PLAN_WITH(.syntax = TRAWL_PERL));
    uint8_t *bytes = (uint8_t *)test_memory(bytes_count);
    struct trawl_searcher *searcher;
    struct trawl_text *text;
    uint64_t count = 0;

    for (uint64_t i = 0; i < lines; i++)
        memcpy(bytes + i * line_bytes, line, line_bytes);
    for (uint64_t i = lines - 1000; ends_long && i < lines; i++)
        bytes[(i + 1) * line_bytes - 1] = ' ';
    limits.lists_min = 16;
    limits.lists_max = 4096;
    limits.hits_max = 1024;
    limits.decide_bytes = 4 * line_bytes;
    cuda_limits_replace(&limits);
    devices_begin(1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    text = must_text(bytes, bytes_count);
    MUST(trawl_text_load(searcher, text, NULL));
    MUST(ask_positions(searcher, plan, text, add_count, &count, NULL));
    TEST_CHECK_U64(count, lines);
    trawl_text_unload(searcher, text);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    devices_end();
    cuda_limits_replace(NULL);
    trawl_plan_free(plan);
    free(bytes);
}

static void run_simulated(void)
{
    driver = sim_driver_table();
    cuda_driver_replace(driver);
    borders_of_records();
    matches_in_records();
    borders_of_lines();
    many_in_a_line();
    several_lists(false);
    several_lists(true);
}

int main(int argument_count, char **arguments)
{
    static struct cuda_driver real;
    struct engine *kept = NULL; /* keeps the device open from session to session */
    uint64_t sessions;
    bool all;

    test_begin("sim expressions");
    is_real = argument_count > 1 && strcmp(arguments[1], "device") == 0;
    sessions = test_amount_telling(SESSIONS_NORMAL, is_real ? SESSIONS_DEVICE : SESSIONS_LONG,
                                   SESSIONS_TELLING);
    if (is_real) {
        kept = gpu_open();
        MUST(cuda_driver_open(&real, NULL));
        driver = &real;
    } else {
        run_simulated();
    }
    all = test_cases(sessions, session);
    printf("  %" PRIu64 " answers, of devices: %" PRIu64 " about lines, %" PRIu64
           " about matches, %" PRIu64 " positions, %" PRIu64 " begins, %" PRIu64
           " about records, %" PRIu64 " with matches; by lines of devices: %" PRIu64 "\n",
           tally.answers, tally.lines, tally.matches, tally.positions, tally.begins, tally.records,
           tally.matched, tally.by_lines);
    if (all && sessions >= SESSIONS_TELLING)
        TEST_CHECK(tally.lines > sessions / 2 && tally.matches > sessions / 2 &&
                   tally.records > sessions / 2 && tally.matched > sessions / 2 &&
                   tally.by_lines > sessions / 2);
    if (is_real) {
        engine_cuda.close(kept);
        cuda_driver_close(&real);
    }
    return test_end();
}
