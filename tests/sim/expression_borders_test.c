/* expression_borders_test: expressions, texts and records on a simulated device, whose answers are
 * written by hand or come from Python's re: what begins, ends and continues at the borders of
 * records, lines, and lists of the device. expressions_test draws random ones.
 */
#include "calls.h"
#include "cuda/limits.h"
#include "lent.h"
#include "match/line_automaton.h"
#include "plan/plan.h"
#include "runtime/schedule.h"
#include "sim_driver.h"
#include "sim_host.h"
#include "simulator.h"
#include "text/text.h"

static struct forms_machine machine;

/* Rules with strings, one of which lies in a repetition, and without any: the lines and records
 * that match are those with a '+'. */
static void book_of_rules(void)
{
    static const char *const rules[] = {"key=\\w+;", "\\bneedle\\d",        "^\\W+$",
                                        "[a-f]{4}z", "(?:needle\\d*,){3}x", "\\d.*needles"};
    static const char lines[] = "key=;\n+ key=a;\nneedle\n+needle7\nxneedle7\n+-\nabcz\n+abcdz\n"
                                "needle,needle,x\n+needle,needle,needle,x\nneedles 1\n+1 needles\n";
    const struct trawl_plan_options options = *PLAN_WITH(.syntax = TRAWL_PERL);
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BYTES);
    struct trawl_pattern patterns[6];
    struct trawl_searcher *searcher;
    struct trawl_records *records;
    struct trawl_plan *plan;
    uint64_t offsets[13] = {0}, count = 0;
    uint8_t values[12] = {0};
    struct lent lent;

    for (uint32_t i = 0; i < 6; i++)
        patterns[i] = (struct trawl_pattern){rules[i], strlen(rules[i])};
    for (uint64_t i = 0; i < sizeof lines - 1; i++)
        if (lines[i] == '\n')
            offsets[++count] = i + 1;
    cuda_limits_replace(NULL);
    lent_devices(&machine, NULL, 1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    MUST(trawl_plan_build(patterns, 6, &options, &plan, NULL));
    lent = lent_begin(&machine, lines, sizeof lines - 1, 3, 5000);
    MUST(trawl_text_load(searcher, lent.text, NULL));
    TEST_CHECK(lent_count_lines(searcher, plan, lent.text, true, false, UINT64_MAX, &count));
    TEST_CHECK_U64(count, 6);
    trawl_text_unload(searcher, lent.text);
    lent_end(&lent);
    array.bytes = (const uint8_t *)lines;
    array.offsets = offsets;
    array.record_count = 12;
    out.values = values;
    out.room = 12;
    MUST(trawl_records_load(searcher, &array, &records, NULL));
    MUST(ask_records_into(searcher, plan, records, TRAWL_RECORDS_BYTES, &out, NULL));
    TEST_CHECK(out.on_device == 1 && out.count == 6);
    for (uint32_t i = 0; i < 12; i++)
        TEST_CHECK_U64(values[i], lines[offsets[i]] == '+');
    trawl_records_unload(records);
    trawl_plan_free(plan);
    trawl_searcher_close(searcher);
    lent_devices_end(&machine, NULL);
}

/* Both expressions match each of the records, more than sort_rank sorts: the first one counts. */
static void first_of_two(void)
{
    enum { RECORDS = 3000 };
    static const struct trawl_pattern both[] = {{"a\\w", 3}, {"ab", 2}};
    static uint64_t offsets[RECORDS + 1], begins[RECORDS], ends[RECORDS], patterns[RECORDS];
    static char tape[2 * RECORDS];
    const struct trawl_plan_options options = *PLAN_WITH(.syntax = TRAWL_PERL);
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_FIRST);
    struct trawl_searcher *searcher;
    struct trawl_records *records;
    struct trawl_plan *plan;
    uint64_t wrong = 0;

    for (uint64_t i = 0; i < RECORDS; i++) {
        memcpy(tape + 2 * i, "ab", 2);
        offsets[i + 1] = 2 * i + 2;
    }
    cuda_limits_replace(NULL);
    lent_devices(&machine, NULL, 2, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    array.bytes = (const uint8_t *)tape;
    array.offsets = offsets;
    array.record_count = RECORDS;
    out.begins = begins;
    out.ends = ends;
    out.patterns = patterns;
    out.room = RECORDS;
    MUST(trawl_plan_build(both, 2, &options, &plan, NULL));
    MUST(trawl_records_load(searcher, &array, &records, NULL));
    MUST(ask_records_into(searcher, plan, records, TRAWL_RECORDS_FIRST, &out, NULL));
    for (uint64_t i = 0; i < RECORDS; i++)
        wrong += begins[i] != 0 || ends[i] != 2 || patterns[i] != 0;
    TEST_CHECK(out.on_device == 1 && out.count == RECORDS);
    TEST_CHECK_U64(wrong, 0);
    trawl_records_unload(records);
    trawl_plan_free(plan);
    trawl_searcher_close(searcher);
    lent_devices_end(&machine, NULL);
}

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
 * Python's re, where an empty match is none; by hand for POSIX, where the longest is preferred. */
static const struct {
    const char *expression;
    enum trawl_syntax syntax;
    uint32_t flags;
    const char *records;
    uint64_t all;
} matches_rows[] = {{"xy|xyx", TRAWL_PERL, 0, "2020110001", 9},
                    {"xy|xyx", TRAWL_EXTENDED, 0, "1020110001", 8},
                    {"a|abca|b", TRAWL_PERL, 0, "0400303100", 11},
                    {"a|abca|b", TRAWL_EXTENDED, 0, "0200303100", 9},
                    {"xyx?", TRAWL_PERL, 0, "1020110001", 8},
                    {"(?:xy)+", TRAWL_PERL, 0, "1020110001", 8},
                    {"(?:xy)+?", TRAWL_PERL, 0, "2020110001", 9},
                    {"a(?:b|bc)", TRAWL_PERL, 0, "0200001000", 3},
                    {"xy$", TRAWL_PERL, 0, "1010000001", 2},
                    {"(?m:xy$)", TRAWL_PERL, 0, "1020000001", 2},
                    {"^xy", TRAWL_PERL, 0, "1010010000", 2},
                    {"(?m:^)xy", TRAWL_PERL, 0, "1020010000", 2},
                    {"\\bxy", TRAWL_PERL, 0, "1020010000", 3},
                    {"xy\\b", TRAWL_PERL, 0, "1020010001", 3},
                    {"[^a]xy", TRAWL_PERL, 0, "1010000001", 5},
                    {"a{1,2}?b", TRAWL_PERL, 0, "0200001000", 3},
                    {"x.*y", TRAWL_PERL, 0, "1020110001", 3},
                    {"x.*?y", TRAWL_PERL, 0, "2020110001", 9},
                    {"(?s:x.*y)", TRAWL_PERL, 0, "1010110001", 3},
                    {"xy[\\n]?", TRAWL_PERL, 0, "2020110001", 9},
                    {"(?:a|b|xy)+b", TRAWL_PERL, 0, "0200001000", 3},
                    {"(x|y|a)y(a*|1)", TRAWL_PERL, 0, "2020110001", 9},
                    {"x*", TRAWL_PERL, 0, "2020110111", 9},
                    {"a*?b?", TRAWL_PERL, 0, "0200001100", 4},
                    {"(?:xy)*", TRAWL_PERL, 0, "1020110001", 8},
                    {"b|", TRAWL_PERL, 0, "0200001100", 4},
                    {"|b", TRAWL_PERL, 0, "0000000000", 0},
                    {"a*$", TRAWL_PERL, 0, "0000100000", 0},
                    {"\\b|a", TRAWL_PERL, 0, "0100201000", 6},
                    {"xy|\\B", TRAWL_PERL, 0, "2020110001", 9},
                    {"xy", TRAWL_PERL, TRAWL_WHOLE_WORD, "0020010000", 0},
                    {"\\w+", TRAWL_PERL, TRAWL_WHOLE_WORD, "1120111211", 5},
                    {"a*", TRAWL_PERL, TRAWL_WHOLE_WORD, "0000000000", 0},
                    {"x.*?y", TRAWL_PERL, TRAWL_WHOLE_WORD, "1020010000", 3},
                    {"a|aab|aa", TRAWL_PERL, TRAWL_WHOLE_WORD, "0000001000", 1},
                    {"xy|xyx", TRAWL_PERL, TRAWL_WHOLE_LINE, "0000000000", 0},
                    {"\\w*", TRAWL_PERL, TRAWL_WHOLE_LINE, "1100100011", 1},
                    {"a*|xyxy", TRAWL_PERL, TRAWL_WHOLE_LINE, "1000000000", 0},
                    {"b.xy", TRAWL_PERL, TRAWL_WHOLE_LINE, "0000000000", 0},
                    {"[^a]*", TRAWL_PERL, TRAWL_WHOLE_LINE, "1010010111", 1}};

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
    lent_devices(&machine, NULL, 1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    array.bytes = (const uint8_t *)tape;
    array.offsets = offsets;
    array.record_count = 10;
    MUST(trawl_records_load(searcher, &array, &records, NULL));
    lent = lent_begin(&machine, tape, sizeof tape - 1, 3, 5000);
    lent.text->stays = true;
    MUST(trawl_text_load(searcher, lent.text, NULL));
    for (uint32_t i = 0; i < sizeof matches_rows / sizeof *matches_rows; i++) {
        struct trawl_plan *plan =
            must_plan_with(matches_rows[i].expression, PLAN_WITH(.syntax = matches_rows[i].syntax,
                                                                 .flags = matches_rows[i].flags));
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
    lent_end(&lent);
    trawl_records_unload(records);
    trawl_searcher_close(searcher);
    lent_devices_end(&machine, NULL);
}

/* Expressions, and how many matches they have in a text, if its lines end otherwise. By hand. */
static const struct {
    const char *expression;
    uint32_t flags;
    struct trawl_line_ends ends;
    const char *text;
    uint64_t text_bytes, all;
} ends_rows[] = {
#define RETURNS "a\r\nb\r\r\n\r\nc a\r", 13
#define NULS "ab\0a\nb\0b", 8
    {"a$", TRAWL_CRLF, {1, {'\n'}}, RETURNS, 2},
    {".$", TRAWL_CRLF, {1, {'\n'}}, RETURNS, 3},
    {"\\r$", TRAWL_CRLF, {1, {'\n'}}, RETURNS, 1},
    {"\\r", TRAWL_CRLF, {1, {'\n'}}, RETURNS, 1},
    {"^b\\r$", TRAWL_CRLF, {1, {'\n'}}, RETURNS, 1},
    {"[ab]*", TRAWL_CRLF, {1, {'\n'}}, RETURNS, 3},
    {"c.*|a", TRAWL_CRLF | TRAWL_WHOLE_LINE, {1, {'\n'}}, RETURNS, 2},
    {"a$", 0, {1, {'\n'}}, RETURNS, 0},
    {"\\r", 0, {1, {'\n'}}, RETURNS, 5},
    {"b$", 0, {1, {'\0'}}, NULS, 3},
    {"^[ab]", 0, {1, {'\0'}}, NULS, 3},
    {"a[\\n]b|b", 0, {1, {'\0'}}, NULS, 3},
    {"b$", 0, {2, {'\n', '\0'}}, NULS, 3},
    {"^[ab]", 0, {2, {'\n', '\0'}}, NULS, 4},
    {"a[\\n]b|b", 0, {2, {'\n', '\0'}}, NULS, 3},
    {"b$", 0, {1, {'\n'}}, NULS, 1}};

static void other_line_ends(void)
{
    struct trawl_searcher *searcher;

    cuda_limits_replace(NULL);
    lent_devices(&machine, NULL, 1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    for (uint32_t i = 0; i < sizeof ends_rows / sizeof *ends_rows; i++) {
        struct trawl_plan *plan = must_plan_with(
            ends_rows[i].expression, PLAN_WITH(.syntax = TRAWL_PERL, .flags = ends_rows[i].flags,
                                               .line_ends = ends_rows[i].ends));
        struct lent lent =
            lent_begin(&machine, ends_rows[i].text, ends_rows[i].text_bytes, i % 20, 3);
        uint64_t all = UINT64_MAX;

        lent.text->stays = true;
        MUST(trawl_text_load(searcher, lent.text, NULL));
        MUST(trawl_count(searcher, plan, lent.text, &all, NULL));
        if (!TEST_CHECK_U64(all, ends_rows[i].all))
            printf("  row %" PRIu32 ": '%s'\n", i, ends_rows[i].expression);
        trawl_text_unload(searcher, lent.text);
        lent_end(&lent);
        trawl_plan_free(plan);
    }
    trawl_searcher_close(searcher);
    lent_devices_end(&machine, NULL);
}

/* Counts matches of classes of many characters, and of words with letters beyond ASCII, in a text
 * of such letters: a device's count is that of the host. */
static void letters_beyond(void)
{
    static const char *const expressions[] = {
        "\\w+",        "^\\p{L}+$",      "\\W\\w",      "[\\w&&[^a-z]]+", "\\p{Greek}|\\p{Han}",
        "[^\\p{L}]+$", "(?i)[k-s]+b?",   "\\w+\\s?\\w", "\\bab\\b",       "\\Ba",
        "\\w\\b[^a]",  "\\b\\w+\\b\\s?", "a\\b|b"};
    static char bytes[5000];
    struct test_random random = test_random_begin("letters beyond ASCII");
    struct trawl_searcher *searchers[2];
    uint64_t by_device = 0;

    cuda_limits_replace(NULL);
    lent_devices(&machine, NULL, 1, 1);
    searchers[0] = must_searcher(1, 0);
    searchers[1] = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    for (uint32_t turn = 0; turn < 4; turn++) {
        const uint64_t rate = turn % 4 == 0 ? 60 : 3; /* one of so many characters is not ASCII */
        struct trawl_text *own;
        struct lent lent;
        uint64_t count = 0;

        while (count < sizeof bytes - 8) {
            static const uint32_t max[] = {0x250, 0x3000, 0xffff, 0x1ffff};
            uint8_t *to = (uint8_t *)bytes + count;
            uint32_t code = (uint32_t)test_random_below(&random, max[turn % 4]) + 0x80;

            count += test_random_below(&random, rate) == 0
                         ? plan_utf8_encode(code - 0xd800 < 0x800 ? 0xe9 : code, to)
                         : plan_utf8_encode(
                               (uint32_t) "ab k\nzab-\n"[test_random_below(&random, 10)], to);
        }
        own = must_text(bytes, count);
        lent = lent_begin(&machine, bytes, count, turn, 100);
        lent.text->stays = true;
        MUST(trawl_text_load(searchers[1], lent.text, NULL));
        for (uint32_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
            struct trawl_plan *plan;
            uint64_t expected = 1, all = 2;

            if (!test_turn(i + turn, 2)) /* making a plan takes most of the time */
                continue;
            plan = must_plan_with(expressions[i],
                                  PLAN_WITH(.syntax = TRAWL_RIPGREP, .alphabet = TRAWL_CHARACTERS,
                                            .flags = turn == 3 ? TRAWL_WHOLE_WORD : 0,
                                            .letters = trawl_unicode()));
            MUST(trawl_count(searchers[0], plan, own, &expected, NULL));
            if (trawl_count(searchers[1], plan, lent.text, &all, NULL) == TRAWL_OK) {
                by_device++;
                if (!TEST_CHECK_U64(all, expected))
                    printf("  '%s', turn %" PRIu32 "\n", expressions[i], turn);
            }
            trawl_plan_free(plan);
        }
        trawl_text_unload(searchers[1], lent.text);
        lent_end(&lent);
        trawl_text_close(own);
    }
    for (uint32_t i = 0; i < 2; i++)
        trawl_searcher_close(searchers[i]);
    lent_devices_end(&machine, NULL);
    printf("  letters beyond ASCII: devices counted %" PRIu64 " times\n", by_device);
    TEST_CHECK(by_device > 8);
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
    lent = lent_begin(&machine, text, strlen(text), 3, 5000);
    MUST(trawl_text_load(searcher, lent.text, NULL));
    TEST_CHECK(lent_count_lines(searcher, plan, lent.text, true, false, UINT64_MAX, &count) ==
               by_device);
    if (!TEST_CHECK_U64(count, strstr(expression, "\\d") == NULL))
        printf("  '%s' in '%s'\n", expression, text);
    trawl_text_unload(searcher, lent.text);
    lent_end(&lent);
    trawl_plan_free(plan);
}

static void borders_of_lines(void)
{
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_searcher *searcher;

    limits.decide_bytes = 40;
    cuda_limits_replace(&limits);
    lent_devices(&machine, NULL, 1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    for (uint32_t more = 0; more < 2; more++) {
        border_of_line(searcher, "^p*needle", 39 + more, 10, false, more == 0);
        border_of_line(searcher, "^p*needle", 40 + more, 10, true, more == 0);
        border_of_line(searcher, "needle.*\\d", 5, 39 + more, false, more == 0);
        border_of_line(searcher, "needle.*\\d", 5, 40 + more, true, more == 0);
        border_of_line(searcher, "[a-f]*e[^q]*q", 5, 20 + more, false, true); /* no string */
    }
    /* too many states: each of the last bytes may be a q or not; less so beside a string */
    border_of_line(searcher, "[^q][^x]{13}$", 20, 10, false, false);
    border_of_line(searcher, "(p|q)*p[pq]{12}(needle)?$|needle", 20, 10, false, true);
    border_of_line(searcher, "[^q][^x]{13}needle", 20, 10, false, true);
    trawl_searcher_close(searcher);
    lent_devices_end(&machine, NULL);
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
    lent = lent_begin(&machine, bytes, LINE_BYTES_MAX, 0, 5000);
    MUST(trawl_text_load(searcher, lent.text, NULL));
    before = sim_counters().global_read_bytes;
    TEST_CHECK(lent_count_lines(searcher, plan, lent.text, true, false, UINT64_MAX, &count));
    TEST_CHECK_U64(count, 0);
    before = sim_counters().global_read_bytes - before;
    trawl_text_unload(searcher, lent.text);
    lent_end(&lent);
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
    lent_devices(&machine, NULL, 1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    together = read_many(searcher, plan, ' ');
    apart = read_many(searcher, plan, '\n');
    if (!TEST_CHECK(together <= 2 * apart))
        printf("  in one line %" PRIu64 " bytes, in many %" PRIu64 "\n", together, apart);
    trawl_searcher_close(searcher);
    lent_devices_end(&machine, NULL);
    trawl_plan_free(plan);
}

static int add_count(void *context, const struct trawl_match *matches, uint64_t count)
{
    (void)matches;
    *(uint64_t *)context += count;
    return 0;
}

/* A text's matches need several lists of a device. If a later list fails, since the text's last
 * line is too long for the device, an ordinary search delivers all matches, and none twice. */
static void several_lists(bool ends_long)
{
    static const char line[] = "at 12:00 worker-12 did it\n";
    const uint64_t line_bytes = sizeof line - 1, lines = 5000, bytes_count = line_bytes * lines;
    struct cuda_limits limits = cuda_limits_default;
    struct trawl_plan *plan = must_plan_with("\\bworker-\\d+\\b", PLAN_WITH(.syntax = TRAWL_PERL));
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
    lent_devices(&machine, NULL, 1, 1);
    searcher = must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CUDA, .threads = 1));
    text = must_text(bytes, bytes_count);
    MUST(trawl_text_load(searcher, text, NULL));
    MUST(ask_positions(searcher, plan, text, add_count, &count, NULL));
    TEST_CHECK_U64(count, lines);
    trawl_text_unload(searcher, text);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    lent_devices_end(&machine, NULL);
    cuda_limits_replace(NULL);
    trawl_plan_free(plan);
    free(bytes);
}

/* ---- Chunks --------------------------------------------------------------------------------- */

#define PARTS 240u
#define CHUNK_MOST 70u
#define CHUNK_LONG 120u /* the device leaves a longer line to the host */

/* Two expressions, one with a string and one without, and parts of texts: those that are matches of
 * an expression, and those in which none matches. */
static const char *const chunk_expressions[] = {"\\bworker-\\d+\\b", "[0-9]{2}:[0-9]{2}"};
static const struct {
    const char *text;
    int matches; /* an expression's number; -1: none */
} chunk_parts[] = {{"worker-12", 0}, {"worker-7", 0},   {"xworker-7", -1}, {"worker-", -1},
                   {"12:00", 1},     {"7:30", -1},      {"\n", -1},        {"\n", -1},
                   {"12:00", 1},     {"worker-1x", -1}, {"worker-99", 0},  {"worker-12", 0}};

struct chunk_text {
    char bytes[PARTS * 10 + 1];
    uint64_t count, found[2];
    struct trawl_match matches[2][PARTS];
};

/* Draws a text of parts with blanks between them, and notes what is a match by construction. */
static void draw_chunk_text(struct test_random *random, struct chunk_text *text)
{
    memset(text, 0, sizeof *text);
    for (uint32_t i = 0; i < PARTS; i++) {
        const uint64_t part = test_random_below(random, sizeof chunk_parts / sizeof *chunk_parts);
        const uint64_t bytes = strlen(chunk_parts[part].text);
        const int matches = chunk_parts[part].matches;

        memcpy(text->bytes + text->count, chunk_parts[part].text, bytes);
        if (matches >= 0)
            text->matches[matches][text->found[matches]++] =
                (struct trawl_match){.begin = text->count, .end = text->count + bytes};
        text->count += bytes;
        text->bytes[text->count++] = *chunk_parts[part].text == '\n' ? '-' : ' ';
    }
}

static uint64_t longest_line(const struct chunk_text *text)
{
    uint64_t longest = 0, length = 0;

    for (uint64_t i = 0; i < text->count; i++) {
        length = text->bytes[i] == '\n' ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    return longest;
}

struct delivered {
    const struct trawl_match *expected;
    uint64_t count, max;
    bool right;
};

static int compare_delivered(void *context, const struct trawl_match *matches, uint64_t count)
{
    struct delivered *delivered = (struct delivered *)context;

    for (uint64_t i = 0; i < count; i++, delivered->count++)
        delivered->right =
            delivered->right && delivered->count < delivered->max &&
            memcmp(&matches[i], &delivered->expected[delivered->count], sizeof *matches) == 0;
    return 0;
}

static void pull_delivered(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                           struct trawl_text *text, struct delivered *delivered)
{
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search;

    MUST(trawl_search_open(searcher, plan, text, 0, &search, NULL));
    do {
        MUST(trawl_search_next(search, &batch, NULL));
        for (uint64_t i = 0; i < batch.match_count; i++) {
            const struct trawl_match match = {batch.begins[i], batch.ends[i],
                                              (uint32_t)batch.pattern_indices[i], 0, 0};

            (void)compare_delivered(delivered, &match, 1);
        }
    } while (!batch.last);
    trawl_search_close(search);
}

/* Several threads bring a loaded text's matches, each those of some lines, wherever the text is cut
 * into chunks. If a line is too long for the device, the host goes on from the chunk with it: no
 * match is lost, and none is delivered twice. */
static void chunks_at_lines(bool may_be_long)
{
    struct test_random random = test_random_begin("chunks at lines");
    static struct chunk_text drawn;
    struct cuda_limits limits = cuda_limits_default;
    const uint64_t step = test_divisor() > 1 ? 5 : 1; /* sanitizers: a fifth of the sizes */
    uint64_t several = 0, left = 0;

    limits.threads = 32;
    limits.tile_words_max = 32;
    limits.decide_bytes = may_be_long ? CHUNK_LONG : LINE_BYTES_MAX;
    cuda_limits_replace(&limits);
    for (uint64_t bytes = 1; bytes < CHUNK_MOST; bytes += step) {
        struct trawl_searcher *searcher;
        struct trawl_text *text;

        draw_chunk_text(&random, &drawn);
        resident_sizes = (struct resident_sizes){.first = bytes,
                                                 .min = bytes,
                                                 .max = bytes,
                                                 .shared = 1,
                                                 .hits = 1,
                                                 .helped = 16,
                                                 .host = resident_sizes_default.host};
        lent_devices(&machine, NULL, bytes, 1);
        searcher = must_searcher_with(
            SEARCHER_WITH(.engine = bytes % 2 ? TRAWL_ENGINE_CUDA : TRAWL_ENGINE_AUTO,
                          .threads = 4));
        text = must_text(drawn.bytes, drawn.count);
        MUST(trawl_text_load(searcher, text, NULL));
        for (uint32_t i = 0; i < 4; i++) {
            struct trawl_plan *plan =
                must_plan_with(chunk_expressions[i / 2], PLAN_WITH(.syntax = TRAWL_PERL));
            struct delivered delivered = {drawn.matches[i / 2], 0, drawn.found[i / 2], true};
            struct trawl_stats stats;

            if (i % 2 == 0)
                MUST(ask_positions(searcher, plan, text, compare_delivered, &delivered, NULL));
            else
                pull_delivered(searcher, plan, text, &delivered);
            stats = must_stats(searcher);
            several +=
                stats.device_chunk_count > 1 && stats.device_chunk_count == stats.chunk_count;
            left += stats.device_chunk_count > 0 && stats.device_chunk_count < stats.chunk_count;
            if (!TEST_CHECK(delivered.right) ||
                !TEST_CHECK_U64(delivered.count, drawn.found[i / 2]) ||
                !TEST_CHECK_U64(stats.match_count, drawn.found[i / 2]) ||
                !TEST_CHECK_U64(stats.text_bytes, drawn.count))
                printf("  '%s', chunks of %" PRIu64 " bytes, longest line %" PRIu64 "\n%s\n",
                       chunk_expressions[i / 2], bytes, longest_line(&drawn), drawn.bytes);
            trawl_plan_free(plan);
        }
        trawl_text_unload(searcher, text);
        trawl_text_close(text);
        trawl_searcher_close(searcher);
        lent_devices_end(&machine, NULL);
    }
    resident_sizes = resident_sizes_default;
    cuda_limits_replace(NULL);
    printf("  chunks: %" PRIu64 " searches by devices in several, %" PRIu64 " in part\n", several,
           left);
    /* Few texts have no long line, and in some runs none has. */
    TEST_CHECK(may_be_long ? left > CHUNK_MOST / 2 / step
                           : several > CHUNK_MOST / 2 / step && left == 0);
}

int main(void)
{
    test_begin("sim expression borders");
    cuda_driver_replace(sim_driver_table());
    borders_of_records();
    book_of_rules();
    first_of_two();
    matches_in_records();
    other_line_ends();
    letters_beyond();
    borders_of_lines();
    many_in_a_line();
    several_lists(false);
    several_lists(true);
    chunks_at_lines(false);
    chunks_at_lines(true);
    return test_end();
}
