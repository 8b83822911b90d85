/* expressions_test: random expressions, texts and records, whose lines and records a simulated
 * device decides about (regex/automaton.c); the host's search is the judge.
 *
 * TRAWL_TEST_CASE=N runs session N alone.
 */
#include "calls.h"
#include "cuda/limits.h"
#include "diff/diff_input.h"
#include "match/line_automaton.h"
#include "plan/plan.h"
#include "sim_driver.h"
#include "sim_host.h"

#define SESSIONS_NORMAL 240
#define SESSIONS_LONG 20000
#define SESSIONS_TELLING 60 /* after so many, devices made answers of each kind */
#define EXPRESSIONS_MAX 4u
#define EXPRESSION_BYTES 4096u
#define TEXT_BYTES_MAX 40000u
#define RECORDS_MAX 6000u

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

/* How many answers devices have made, and in how many of them lines or records matched. */
static struct {
    uint64_t answers, lines, records, matched, borrowed;
} tally;

static uint64_t below(struct session *s, uint64_t bound)
{
    return test_random_below(&s->random, bound);
}

/* ---- Input -------------------------------------------------------------------------------- */

static void draw_expression(struct session *s, char *to, uint32_t depth)
{
    static const char *const items[] = {
        "a",      "b",    "ab",     "c",      "\\d",   "\\w",   "\\s",   ".",   "[ab]", "[^a]",
        "\\b",    "\\B",  "^",      "$",      "(?i)k", "(?i)s", "\xc3\xa9",
        "[\xc3\xa9-\xc3\xbc]",      "(?s:.)", "[^\xc3\xa9]",   "[a-z]", "\\.", "\\W",  "\\n",
        "(?m:^)", "(?m:$)", "\\A",  "\\z",    "[^\\n]", "\\x00", "\r"};
    static const char *const repeats[] = {"*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?"};

    for (uint64_t i = 1 + below(s, 3); i > 0; i--) {
        if (depth > 0 && below(s, 4) == 0) {
            strcat(to, below(s, 2) ? "(" : "(?:");
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

/* Returns false if the expressions have no meaning. */
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
    static const char *const words[] = {
        "a",    "b",    "ab", "c", "1", "22", " ", "needle", "xy",   "\xc3\xa9",   "K", "k",
        "\xe2\x84\xaa", "s",  "\xc5\xbf", "\n", "\n", "\n",  "\xff", "\xc3",       "_", ".",
        "xyxy", "aab needle", "\r\n", "\r", "", "\x80"};
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
    limits->threads = 32;
    limits->tile_words_max = 32;
    limits->blocks_max = 1 + (uint32_t)below(s, 3);
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

/* ---- Answers ------------------------------------------------------------------------------ */

static void describe(const struct session *s, const char *what)
{
    printf("  %s: %" PRIu64 " bytes, %" PRIu64 " records, flags %u, syntax %d, characters %d:", what,
           s->count, s->record_count, s->plan->flags, (int)s->plan->expressions.syntax,
           (int)s->plan->expressions.characters);
    for (uint32_t i = 0; i < s->expression_count; i++)
        printf(" '%s'", s->expressions[i]);
    printf("\n");
}

/* Compares the numbers of lines: of the session's text, of a part of it, or, unless `there` is 0, of
 * the copy at that address in a device's memory. */
static void compare_lines(struct session *s, uint64_t there)
{
    const bool invert = below(s, 3) == 0, is_part = there == 0 && below(s, 3) == 0;
    const uint64_t most = below(s, 4) ? UINT64_MAX : below(s, 20);
    const uint64_t begin = is_part ? below(s, s->count + 1) : 0;
    const uint64_t count = is_part ? below(s, s->count - begin + 1) : s->count;
    const uint8_t *bytes = s->bytes + s->offsets[0];
    struct trawl_text *whole = must_text(bytes, s->count), *part = must_text(bytes + begin, count);
    struct trawl_text *loaded = is_part ? whole : part, *text = part;
    uint64_t expected = UINT64_MAX, got = UINT64_MAX;
    struct trawl_stats stats;

    MUST(trawl_count_lines(s->host, s->plan, part, invert, most, &expected, NULL));
    if (there != 0) {
        MUST(trawl_text_from_device(there, count, &text, NULL));
        loaded = text;
    }
    MUST(trawl_text_load(s->device, loaded, NULL));
    MUST(trawl_count_lines(s->device, s->plan, text, invert, most, &got, NULL));
    stats = must_stats(s->device);
    if (stats.device_chunk_count == 1 && stats.cpu_chunk_count == 0) {
        tally.lines++;
        tally.matched += expected > 0 && !invert;
        tally.borrowed += there != 0;
    }
    tally.answers++;
    if (!TEST_CHECK_U64(got, expected))
        describe(s, invert ? "other lines" : "lines");
    trawl_text_unload(s->device, loaded);
    if (there != 0)
        trawl_text_close(text);
    trawl_text_close(part);
    trawl_text_close(whole);
}

static void compare_records(struct session *s)
{
    const enum trawl_records_shape shape = (enum trawl_records_shape)below(s, 4);
    const uint64_t begin = below(s, s->record_count), count = below(s, s->record_count - begin + 1);
    const uint64_t room = RECORDS_MAX * 4 * sizeof(uint64_t);
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_records_out out[2] = {TRAWL_RECORDS_OUT_INIT, TRAWL_RECORDS_OUT_INIT};
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
        MUST(trawl_records_into(searchers[i], s->plan, records, shape, &out[i], NULL));
        trawl_records_unload(searchers[i], records);
    }
    tally.answers++;
    tally.records += out[1].on_device;
    tally.matched += out[1].on_device && out[1].count > 0;
    if (!TEST_CHECK_U64(out[1].count, out[0].count) ||
        !TEST_CHECK(memcmp(out[0].values, out[1].values, room) == 0))
        describe(s, "records");
    for (uint32_t i = 0; i < 2; i++) {
        free(out[i].values);
        free(out[i].patterns);
    }
}

/* Puts the text in a device's memory, at any address, and compares the numbers of its lines. */
static void compare_there(struct session *s)
{
    const struct cuda_driver *driver = sim_driver_table();
    struct cuda_context *context, *popped;
    uint64_t memory = 0, skew = below(s, 300), behind = below(s, 2) ? 1 : 5000;

    TEST_CHECK(driver->init(0) == 0 && driver->context_retain(&context, 0) == 0 &&
               driver->context_push(context) == 0 &&
               driver->memory_allocate(&memory, skew + s->count + behind) == 0);
    memcpy((void *)(uintptr_t)(memory + skew), s->bytes + s->offsets[0], s->count);
    compare_lines(s, memory + skew);
    TEST_CHECK(driver->memory_free(memory) == 0 && driver->context_pop(&popped) == 0 &&
               driver->context_release(0) == 0);
}

static void session(uint64_t index)
{
    struct session s = {.random = test_random_begin("expressions")};
    struct sim_driver_options options = {index + 1, 1, 64u << 20, 2, 0, 0, 0};
    struct cuda_limits limits;

    s.random.state ^= index * 0x2545f4914f6cdd1du;
    options.devices = below(&s, 4) ? 1 : 2;
    draw_limits(&s, &limits);
    cuda_limits_replace(&limits);
    sim_driver_reset(&options);
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
            compare_lines(&s, 0);
            compare_records(&s);
            if (s.count > 0 && below(&s, 3) == 0)
                compare_there(&s);
        }
        trawl_plan_free(s.plan);
    }
    free(s.bytes);
    trawl_searcher_close(s.device);
    trawl_searcher_close(s.host);
    host_check_driver();
}

int main(void)
{
    uint64_t sessions = test_amount(SESSIONS_NORMAL, SESSIONS_LONG);
    bool all;

    test_begin("sim expressions");
    cuda_driver_replace(sim_driver_table());
    all = test_cases(sessions, session);
    printf("  %" PRIu64 " answers, of devices: %" PRIu64 " about lines, %" PRIu64
           " about borrowed texts, %" PRIu64 " about records, %" PRIu64 " with matches\n",
           tally.answers, tally.lines, tally.borrowed, tally.records, tally.matched);
    if (all && sessions >= SESSIONS_TELLING)
        TEST_CHECK(tally.lines > sessions && tally.borrowed > 0 && tally.records > sessions / 2 &&
                   tally.matched > sessions);
    return test_end();
}
