/* unit_arguments: passes wrong arguments, such as NULL and unknown flags, to the functions of
 * trawl.h. Checks that each call returns ARGUMENT and does not change its outputs. */
#include "calls.h"

#define UNTOUCHED ((uint64_t)0x1234567890abcdef)

/* Checks that the call fails if an argument that it needs is NULL, and that the message names this
 * argument. */
#define CHECK_NULL(call, name)                                          \
    do {                                                                \
        struct trawl_error record_ = calls_error(), *error = &record_;  \
        CHECK_STATUS((call), TRAWL_ARGUMENT);                           \
        if (!TEST_CHECK(record_.status == TRAWL_ARGUMENT &&             \
                        strcmp(record_.message, name " is NULL") == 0)) \
            printf("  %s: %s\n", #call, record_.message);               \
    } while (0)

static struct trawl_searcher *searcher;
static struct trawl_plan *plan;
static struct trawl_text *text;

static int ignore_cells(void *context, const struct trawl_cells *cells)
{
    (void)context;
    (void)cells;
    return 0;
}

static uint32_t itself(void *context, uint32_t code_point,
                       uint32_t variants[TRAWL_UTF8_VARIANTS_MAX])
{
    (void)context;
    variants[0] = code_point;
    return 1;
}

static bool no_word(void *context, uint32_t code_point)
{
    (void)context;
    (void)code_point;
    return false;
}

static void plan_patterns(void)
{
    struct trawl_pattern good[3] = {{"a", 1}, {"b", 1}, {"c", 1}};
    struct trawl_pattern empty[3] = {{"a", 1}, {"b", 1}, {"", 0}};
    struct trawl_pattern null_bytes[2] = {{"a", 1}, {NULL, 1}};
    struct trawl_plan *made = (struct trawl_plan *)&searcher;
    struct trawl_error record = calls_error();

    CHECK_NULL(trawl_plan_build(good, 3, NULL, NULL, error), "plan");
    CHECK_NULL(trawl_plan_build(NULL, 3, NULL, &made, error), "patterns");
    CHECK_REFUSED(trawl_plan_build(null_bytes, 2, NULL, &made, error));
    CHECK_STATUS(trawl_plan_build(empty, 3, NULL, &made, &record), TRAWL_ARGUMENT);
    TEST_CHECK_U64(record.pattern_index, 2);
    TEST_CHECK_U64(record.text_offset, UINT64_MAX);
    TEST_CHECK(record.os_code == 0 && record.driver_code == 0);
    CHECK_STATUS(trawl_plan_build(empty, 3, NULL, &made, NULL), TRAWL_ARGUMENT);
    TEST_CHECK(made == (struct trawl_plan *)&searcher);
}

static void plan_options(void)
{
    const struct trawl_letters no_variants = {.size = sizeof no_variants, .is_word = no_word},
                               no_words = {.size = sizeof no_words, .variants = itself};
    const struct trawl_plan_options *const wrong[] = {
        PLAN_WITH(.flags = 8), PLAN_WITH(.flags = 0x80000001u),
        PLAN_WITH(.method = (enum trawl_method)99),
        /* six bytes are too few for the "sampled" method */
        PLAN_WITH(.method = TRAWL_METHOD_SAMPLED), PLAN_WITH(.line_ends = {2, {'\n', 0, 1}}),
        PLAN_WITH(.line_ends = {3, {0}}), PLAN_WITH(.sample_bytes = 1),
        PLAN_WITH(.flags = TRAWL_SINGLE_BYTE), /* works only together with letters */
        PLAN_WITH(.flags = TRAWL_WIDE),
        PLAN_WITH(.flags = TRAWL_WIDE | TRAWL_IGNORE_CASE, .letters = trawl_ascii()),
        PLAN_WITH(.flags = TRAWL_WIDE, .letters = trawl_ascii(), .mismatches_max = 1),
        PLAN_WITH(.flags = TRAWL_WIDE, .letters = trawl_ascii(), .syntax = TRAWL_PERL),
        PLAN_WITH(.letters = &no_variants), PLAN_WITH(.letters = &no_words)};
    struct trawl_pattern pattern = {"needle", 6};
    struct trawl_plan *made = NULL;

    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_REFUSED(trawl_plan_build(&pattern, 1, wrong[i], &made, error));
    TEST_CHECK(made == NULL);
}

/* When a method rejects a pattern as too short, the message names the minimum length. Checks that
 * the method accepts a pattern of that length. */
static void min_lengths(void)
{
    static const char bytes[] = "The quick brown fox jumps over the lazy dog, and then some more.";
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;

    for (uint32_t method = 0; method < TRAWL_METHODS_COUNT; method++) {
        unsigned min = 1;

        options.method = (enum trawl_method)method;
        for (uint64_t count = 1; count < sizeof bytes; count++) {
            const struct trawl_pattern pattern = {bytes, count};
            struct trawl_error error = calls_error();
            AUTO_PLAN made = NULL;
            bool takes = trawl_plan_build(&pattern, 1, &options, &made, &error) == TRAWL_OK;

            if (!takes)
                TEST_CHECK(sscanf(error.message, "%*s takes patterns of %u bytes", &min) == 1);
            TEST_CHECK(takes == (count >= min));
        }
    }
}

static void explain(void)
{
    char buffer[16] = "untouched";
    uint64_t needed = UNTOUCHED;

    CHECK_NULL(trawl_plan_explain(NULL, buffer, sizeof buffer, &needed, error), "plan");
    CHECK_NULL(trawl_plan_explain(plan, NULL, 1, &needed, error), "buffer");
    CHECK_NULL(trawl_plan_explain(plan, buffer, sizeof buffer, NULL, error), "needed_bytes");
    TEST_CHECK_U64(needed, UNTOUCHED);
    TEST_CHECK(strcmp(buffer, "untouched") == 0);
}

static void texts(void)
{
    struct trawl_text *made = NULL;
    struct trawl_text_options options = {
        .size = sizeof options, .source = TRAWL_SOURCE_DESCRIPTOR, .descriptor = -1};
    /* once, a text in memory with UNPACK was searched as it is, and unused fields were ignored */
    const struct trawl_text_options wrong[] = {
        {.flags = 8},
        {.source = (enum trawl_source)4},
        {.source = TRAWL_SOURCE_MEMORY, .flags = TRAWL_TEXT_UNPACK},
        {.source = TRAWL_SOURCE_MEMORY, .flags = TRAWL_TEXT_MAP},
        {.source = TRAWL_SOURCE_MEMORY, .flags = TRAWL_TEXT_STAY},
        {.source = TRAWL_SOURCE_DEVICE, .flags = TRAWL_TEXT_STAY | TRAWL_TEXT_UNPACK},
        {.source = TRAWL_SOURCE_DEVICE, .flags = TRAWL_TEXT_MAP},
        {.flags = TRAWL_TEXT_STAY},
        {.source = TRAWL_SOURCE_DESCRIPTOR, .flags = TRAWL_TEXT_STAY},
        {.reserved = 1},
        {.source = TRAWL_SOURCE_MEMORY, .reserved = 1},
        {.bytes = "a"},
        {.bytes_count = 1},
        {.source = TRAWL_SOURCE_DESCRIPTOR, .bytes = "a", .bytes_count = 1},
        {.descriptor = 1},
        {.source = TRAWL_SOURCE_MEMORY, .descriptor = 1},
    };
    struct trawl_text_told told = {0};
    uint8_t buffer[4] = {7, 7, 7, 7};
    uint64_t read_bytes = UNTOUCHED;

    CHECK_NULL(call_memory("a", 1, NULL, error), "text");
    CHECK_REFUSED(call_memory(NULL, 1, &made, error));
    CHECK_NULL(call_file(NULL, 0, &made, error), "path");
    CHECK_NULL(call_file("/dev/null", 0, NULL, error), "text");
    CHECK_NULL(call_descriptor(0, "x", 0, NULL, error), "text");
    CHECK_REFUSED(call_descriptor(-1, "x", 0, &made, error));
    CHECK_NULL(trawl_text_open(NULL, NULL, &made, error), "path");
    CHECK_REFUSED(trawl_text_open(NULL, &options, &made, error)); /* no path, and descriptor -1 */
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options = wrong[i];
        options.size = sizeof options;
        CHECK_REFUSED(trawl_text_open("/dev/null", &options, &made, error));
    }
    options = (struct trawl_text_options)TRAWL_TEXT_MEMORY("a", 1);
    options.descriptor = -1; /* is none, so it may be in any struct */
    MUST(trawl_text_open(NULL, &options, &made, NULL));
    trawl_text_close(made);
    made = NULL;
    CHECK_NULL(trawl_text_tell(NULL, &told, error), "text");
    CHECK_NULL(trawl_text_tell(text, NULL, error), "told");
    CHECK_REFUSED(trawl_text_tell(text, &told, error)); /* the size of `told` is not set */
    TEST_CHECK(made == NULL);
    CHECK_NULL(trawl_text_read(NULL, 0, buffer, 4, &read_bytes, error), "text");
    CHECK_NULL(trawl_text_read(text, 0, NULL, 4, &read_bytes, error), "buffer");
    CHECK_NULL(trawl_text_read(text, 0, buffer, 4, NULL, error), "read_bytes");
    TEST_CHECK_U64(read_bytes, UNTOUCHED);
    TEST_CHECK(buffer[0] == 7 && buffer[3] == 7);
}

static void loading(void)
{
    AUTO_TEXT stream = must_file("/dev/null");

    CHECK_NULL(trawl_text_load(NULL, text, error), "searcher");
    CHECK_NULL(trawl_text_load(searcher, NULL, error), "text");
    CHECK_REFUSED(trawl_text_load(searcher, stream, error)); /* a stream is not in memory */
    trawl_text_unload(NULL, text);
    trawl_text_unload(searcher, NULL);
    trawl_text_unload(searcher, text); /* nothing was loaded */
}

static void searchers(void)
{
    const struct trawl_searcher_options *const wrong[] = {
        SEARCHER_WITH(.engine = (enum trawl_engine)77),
        SEARCHER_WITH(.instruction_set = "no such set"), SEARCHER_WITH(.instruction_set = "")};
    struct trawl_searcher *made = NULL;

    CHECK_NULL(trawl_searcher_open(NULL, NULL, error), "searcher");
    for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_REFUSED(trawl_searcher_open(wrong[i], &made, error));
    TEST_CHECK(made == NULL);
}

static void stats(void)
{
    struct trawl_stats record = {.size = sizeof record, .match_count = UNTOUCHED};

    CHECK_NULL(trawl_searcher_stats(NULL, &record, error), "searcher");
    CHECK_NULL(trawl_searcher_stats(searcher, NULL, error), "stats");
    record.size = 0;
    CHECK_REFUSED(trawl_searcher_stats(searcher, &record, error));
    TEST_CHECK_U64(record.match_count, UNTOUCHED);
}

/* Calls `search` without a searcher, without a plan, and without a text. */
#define CHECK_SEARCH(search, ...)                                             \
    do {                                                                      \
        CHECK_NULL(search(NULL, plan, text, __VA_ARGS__, error), "searcher"); \
        CHECK_NULL(search(searcher, NULL, text, __VA_ARGS__, error), "plan"); \
        CHECK_NULL(search(searcher, plan, NULL, __VA_ARGS__, error), "text"); \
    } while (0)

/* Makes searches with one argument missing or wrong. */
static void searches(void)
{
    uint64_t count = UNTOUCHED, begin = UNTOUCHED;
    struct trawl_match match = {UNTOUCHED, 0, 0, 0, 0};
    struct trawl_answer answer = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    struct trawl_search *search = NULL;
    bool found = true;

    CHECK_SEARCH(trawl_count, &count);
    CHECK_NULL(trawl_count(searcher, plan, text, NULL, error), "count");
    CHECK_SEARCH(trawl_first, &match, &found);
    CHECK_NULL(trawl_first(searcher, plan, text, NULL, &found, error), "match");
    CHECK_NULL(trawl_first(searcher, plan, text, &match, NULL, error), "found");
    CHECK_SEARCH(ask_positions, ignore_matches, NULL);
    CHECK_NULL(ask_positions(searcher, plan, text, NULL, NULL, error), "answer.matches");
    CHECK_SEARCH(ask_begins_into, &begin, 1, &count);
    CHECK_NULL(ask_begins_into(searcher, plan, text, NULL, 1, &count, error), "answer.values");
#if defined(__x86_64__) /* under qemu-user, every address counts as readable */
    CHECK_REFUSED(ask_begins_into(searcher, plan, text, (uint64_t *)8, 1, &count, error));
#endif
    CHECK_SEARCH(ask_count_lines, false, 9, &count);
    CHECK_SEARCH(ask_count_by_pattern, ignore_counts, NULL);
    CHECK_NULL(ask_count_by_pattern(searcher, plan, text, NULL, NULL, error), "answer.counts");
    CHECK_NULL(trawl_ask(searcher, plan, text, NULL, error), "answer");
    CHECK_NULL(trawl_ask_records(searcher, plan, NULL, &answer, error), "records");
    CHECK_ERROR(trawl_ask(searcher, plan, text, &answer, error), TRAWL_UNSUPPORTED);
    answer.what = (enum trawl_what)99;
    CHECK_REFUSED(trawl_ask(searcher, plan, text, &answer, error));
    answer = (struct trawl_answer)TRAWL_ANSWER(TRAWL_COUNT_LINES);
    answer.invert = 2;
    CHECK_REFUSED(trawl_ask(searcher, plan, text, &answer, error));
    CHECK_SEARCH(trawl_windows, 0, ignore_window, NULL);
    CHECK_NULL(trawl_windows(searcher, plan, text, 0, NULL, NULL, error), "sink");
    CHECK_REFUSED(trawl_windows(searcher, plan, text, 512, ignore_window, NULL, error));
    /* two values of enum trawl_which: one of them once overrode the other */
    CHECK_REFUSED(
        trawl_windows(searcher, plan, text, TRAWL_LINES | TRAWL_SPANS, ignore_window, NULL, error));
    CHECK_REFUSED(trawl_list_bytes(searcher, plan, "a", 1, TRAWL_SPANS | TRAWL_SPANS_FIRST, &match,
                                   1, &count, error));
    CHECK_REFUSED(
        trawl_search_open(searcher, plan, text, TRAWL_SPANS | TRAWL_SPANS_FIRST, &search, error));
    TEST_CHECK(count == UNTOUCHED && begin == UNTOUCHED && match.begin == UNTOUCHED && found);
}

/* Sets each member of each answer that the answer does not use: once, BEGINS with cell_bytes 4
 * wrote 8 bytes a number, and other members were ignored. */
static void answer_members(void)
{
#define MEMBER(name)                                                   \
    {                                                                  \
#name, offsetof(struct trawl_answer, name), sizeof answer.name \
    }
    static const char *const uses[] = {
        [TRAWL_MATCHES] = "matches context",
        [TRAWL_COUNT_BY_PATTERN] = "counts context",
        [TRAWL_COUNT_LINES] = "invert lines_max",
        [TRAWL_BEGINS] = "values room cell_bytes",
        [TRAWL_RECORDS_BITS] = "values room",
        [TRAWL_RECORDS_BYTES] = "values room",
        [TRAWL_RECORDS_COUNTS] = "values room",
        [TRAWL_RECORDS_CELLS] = "values patterns room cell_bytes cells",
        [TRAWL_RECORDS_FIRST] = "begins ends patterns room cell_bytes",
        [TRAWL_RECORDS_MATCHES] = "values begins ends patterns room cell_bytes",
        "cells context"}; /* CELLS, with a sink */
    const uint64_t offsets[2] = {0, 1};
    const struct trawl_record_array array = {
        .size = sizeof array, .bytes = (const uint8_t *)"a", .offsets = offsets, .record_count = 1};
    struct trawl_answer answer;
    const struct {
        const char *name;
        size_t at, bytes;
    } members[] = {MEMBER(invert), MEMBER(lines_max),  MEMBER(values),  MEMBER(patterns),
                   MEMBER(room),   MEMBER(cell_bytes), MEMBER(matches), MEMBER(counts),
                   MEMBER(cells),  MEMBER(context),    MEMBER(begins),  MEMBER(ends)};
    struct trawl_records *records = NULL;

    MUST(trawl_records_load(searcher, &array, &records, NULL));
    for (uint32_t kind = 0; kind < sizeof uses / sizeof *uses; kind++) {
        for (uint32_t i = 0; i < sizeof members / sizeof *members; i++) {
            struct trawl_error error = calls_error();
            const bool has_sink = kind > TRAWL_RECORDS_MATCHES;
            enum trawl_status status;
            char message[64];

            if (strstr(uses[kind], members[i].name) != NULL)
                continue;
            answer = (struct trawl_answer)TRAWL_ANSWER(has_sink ? TRAWL_RECORDS_CELLS
                                                                : (enum trawl_what)kind);
            answer.cells = has_sink ? ignore_cells : NULL;
            answer.count = UNTOUCHED;
            memset((char *)&answer + members[i].at, 1, members[i].bytes);
            status = kind < TRAWL_RECORDS_BITS
                         ? trawl_ask(searcher, plan, text, &answer, &error)
                         : trawl_ask_records(searcher, plan, records, &answer, &error);
            (void)snprintf(message, sizeof message, "answer.%s is set", members[i].name);
            if (!TEST_CHECK(status == TRAWL_ARGUMENT && answer.count == UNTOUCHED &&
                            strncmp(error.message, message, strlen(message)) == 0))
                printf("  %s of answer %u: %s\n", members[i].name, kind, error.message);
        }
    }
    trawl_records_unload(records);
}

/* The count of MATCHES and COUNT_BY_PATTERN was 0. */
static void answer_counts(void)
{
    struct trawl_answer matches = TRAWL_ANSWER_MATCHES(ignore_matches, NULL);
    struct trawl_answer counts = TRAWL_ANSWER_COUNTS(ignore_counts, NULL);
    uint64_t values[3] = {UNTOUCHED, UNTOUCHED, UNTOUCHED};
    struct trawl_answer begins = TRAWL_ANSWER_VALUES(TRAWL_BEGINS, values, 3);
    AUTO_PLAN several =
        must_plans((const struct trawl_pattern[]){{"a", 1}, {"ab", 2}, {"b", 1}}, 3, NULL);

    MUST(trawl_ask(searcher, plan, text, &matches, NULL));
    MUST(trawl_ask(searcher, plan, text, &counts, NULL));
    TEST_CHECK(matches.count == 2 && counts.count == 2);
    MUST(trawl_ask(searcher, several, text, &matches, NULL));
    MUST(trawl_ask(searcher, several, text, &counts, NULL));
    TEST_CHECK(matches.count == 6 && counts.count == 6);
    begins.cell_bytes = 4;
    CHECK_REFUSED(trawl_ask(searcher, plan, text, &begins, error));
    TEST_CHECK_U64(values[0], UNTOUCHED);
    begins.cell_bytes = 8;
    MUST(trawl_ask(searcher, plan, text, &begins, NULL));
    TEST_CHECK(begins.count == 2 && values[0] == 0 && values[1] == 3 && values[2] == UNTOUCHED);
}

/* Of a plan of whole lines, the flag for whole words changes nothing, even where a line end is a
 * letter: strings once had to fulfil both, expressions only the first. */
static void whole_words_of_lines(void)
{
    static const enum trawl_syntax syntaxes[] = {TRAWL_LITERAL, TRAWL_PERL, TRAWL_BASIC};
    AUTO_TEXT lines = must_string("babab a");

    for (uint32_t i = 0; i < sizeof syntaxes / sizeof *syntaxes; i++) {
        AUTO_PLAN made =
            must_plan_with("b", PLAN_WITH(.flags = TRAWL_WHOLE_LINE | TRAWL_WHOLE_WORD,
                                          .syntax = syntaxes[i], .line_ends = {1, {'a'}}));

        TEST_CHECK_U64(must_count(searcher, made, lines), 2);
        TEST_CHECK(call_describe(made, 0).flags == TRAWL_WHOLE_LINE);
    }
}

/* Makes calls that look wrong but that trawl.h allows: frees and closes NULL, passes no error
 * record, searches a text of 0 bytes. */
static void allowed(void)
{
    AUTO_TEXT empty = NULL;
    uint64_t count = UNTOUCHED;
    struct trawl_match match = {UNTOUCHED, 0, 0, 0, 0};
    bool found = true;

    trawl_plan_free(NULL);
    trawl_text_close(NULL);
    trawl_searcher_close(NULL);
    TEST_CHECK_U64(trawl_searcher_progress(searcher), 0);
    MUST(call_memory(NULL, 0, &empty, NULL));
    TEST_CHECK_U64(must_count(searcher, plan, empty), 0);
    MUST(trawl_first(searcher, plan, empty, &match, &found, NULL));
    TEST_CHECK(!found && match.begin == UNTOUCHED);
    MUST(ask_begins_into(searcher, plan, text, NULL, 0, &count, NULL));
    TEST_CHECK_U64(count, 2);
    MUST(ask_count_lines(searcher, plan, text, false, 1, &count, NULL));
    TEST_CHECK_U64(count, 1);
}

/* Pulls batches with an argument missing. The pointer to the search is not valid: the library must
 * check the other argument before it reads the search. */
static void batches(void)
{
    struct trawl_batch batch = {.size = sizeof batch};

    CHECK_NULL(trawl_search_next(NULL, &batch, error), "search");
    CHECK_NULL(trawl_search_next((struct trawl_search *)&batch, NULL, error), "batch");
}

int main(void)
{
    test_begin("arguments");
    searcher = must_searcher(1, 0);
    plan = must_plan("ab");
    text = must_string("ab\nab");
    plan_patterns();
    plan_options();
    min_lengths();
    explain();
    texts();
    loading();
    searchers();
    stats();
    searches();
    answer_members();
    batches();
    allowed();
    answer_counts();
    whole_words_of_lines();
    /* the rejected calls did not damage the objects */
    TEST_CHECK_U64(must_count(searcher, plan, text), 2);
    trawl_text_close(text);
    trawl_plan_free(plan);
    trawl_searcher_close(searcher);
    return test_end();
}
