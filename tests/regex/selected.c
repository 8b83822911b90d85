/* selected: tests the calls for only some lines or matches: counts of lines, one match per line.
 * Two former bugs: with several expressions across lines, a line counted once for each expression;
 * and a whole word was delivered with the end of its line as its end. */
#include "calls.h"

struct delivered {
    char matches[200]; /* "begin-end:pattern " for each match */
    size_t bytes;
};

static int take(void *context, const struct trawl_window *window)
{
    struct delivered *delivered = context;

    for (uint64_t i = 0; i < window->match_count; i++)
        delivered->bytes += (size_t)snprintf(
            delivered->matches + delivered->bytes, sizeof delivered->matches - delivered->bytes,
            "%u-%u:%u ", (unsigned)window->matches[i].begin, (unsigned)window->matches[i].end,
            window->matches[i].pattern_index);
    return 0;
}

#define LINES TRAWL_LINES
#define ALONE TRAWL_LINES_ALONE
#define SPANS_FIRSTS (TRAWL_SPANS | TRAWL_FIRSTS)
#define FIRSTS_FIRST (TRAWL_SPANS_FIRST | TRAWL_FIRSTS)

/* Stories of 2026-11-27. Expressions are separated by spaces; `lines` is the number of lines in
 * which a match begins, of `all` lines. */
static const struct {
    const char *expressions;
    uint32_t flags;
    const char *text;
    uint64_t lines, all;
    uint32_t window_flags;
    const char *matches;
} rows[] = {
    {"b$ b", TRAWL_MULTILINE, "b\nb\n", 2, 2, LINES, "0-1:0 0-1:1 2-3:0 2-3:1 "},
    {"b$ b b", TRAWL_MULTILINE, "a\nb\n\nb", 2, 4, TRAWL_SPANS, "2-3:0 5-6:0 "},
    {"a\\nb|c", TRAWL_MULTILINE, "a\nbc\nd\n", 2, 3, LINES, "0-3:0 3-4:0 "},
    {"a\\nb|c", TRAWL_MULTILINE, "a\nbc\nd\n", 2, 3, ALONE, "0-3:0 "},
    {"a\\nb b|c", TRAWL_MULTILINE, "a\nbc\nd\n", 2, 3, LINES, "0-3:0 2-3:1 3-4:1 "},
    {"a|c\\nd|d", TRAWL_MULTILINE, "a c\nd\nd", 2, 3, LINES, "0-1:0 2-5:0 6-7:0 "},
    {"^$ x*", TRAWL_MULTILINE, "\nax\n", 2, 2, TRAWL_SPANS, "0-0:0 1-1:1 2-3:1 3-3:1 "},
    {"abc|x abcd", 0, "      abcd x\nx\n", 2, 2, SPANS_FIRSTS, "6-10:1 13-14:0 "},
    {"abc|x abcd", 0, "      abcd x\nx\n", 2, 2, FIRSTS_FIRST, "6-9:0 13-14:0 "},
    {"[a-c]+ abcd+ a", 0, "abcddd abcdddd", 1, 1, SPANS_FIRSTS, "0-6:1 "},
    {"c1", TRAWL_WHOLE_WORD, "  c1 x c1\nc12\n_c1 c1", 2, 3, LINES, "2-4:0 18-20:0 "},
    {"c[0-9] x", TRAWL_WHOLE_WORD, "ac1 x\nc1 x", 2, 2, LINES, "4-5:1 6-8:0 "},
    {"\\bfo+\\b", 0, "foo_ foo bar\n", 1, 1, LINES, "5-8:0 "},
    {"[0-9]+foo", 0, "bar 123foo\n", 1, 1, LINES, "4-10:0 "},
    {"x*", 0, "bx\nb\n", 2, 2, LINES, "1-2:0 3-3:0 "},
    {"x*", 0, "bx\nb\n", 2, 2, TRAWL_WITH_EMPTY, "1-2:0 3-3:0 "},
    {"(a|b)*x?$", 0, "ac\n\nb", 3, 3, LINES, "0-0:0 3-3:0 4-5:0 "},
    /* 2026-11-28: rejected, because a case variant of k is not a byte */
    {"[^a-z]$", TRAWL_SINGLE_BYTE | TRAWL_IGNORE_CASE, "aB-\nxK\n", 1, 2, LINES, "2-3:0 "},
    /* 2026-11-28: the first line was counted with and without a match */
    {"x", TRAWL_WHOLE_WORD | TRAWL_STRICT_WORD, "x\xff\nx a\n", 1, 2, LINES, "3-4:0 "},
};

static struct trawl_plan *plan_of(const char *expressions, uint32_t flags)
{
    struct trawl_pattern patterns[8];
    uint64_t count = 0;

    for (const char *at = expressions; *at != 0; at += strspn(at, " ")) {
        patterns[count++] = (struct trawl_pattern){at, strcspn(at, " ")};
        at += strcspn(at, " ");
    }
    return must_plans(
        patterns, count,
        PLAN_WITH(.syntax = TRAWL_PERL, .flags = flags,
                  .alphabet = (flags & TRAWL_STRICT_WORD) != 0 ? TRAWL_CHARACTERS : TRAWL_BYTES,
                  .letters = (flags & TRAWL_SINGLE_BYTE) != 0 ? trawl_unicode() : NULL));
}

/* Story of 2026-11-29: after the first search, an automaton read the lines. The class holds a line
 * end, and the other bytes of the class were treated as that one. */
static void class_with_line_end(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plans(&(struct trawl_pattern){"[ab]", 4}, 1,
                                PLAN_WITH(.syntax = TRAWL_PERL, .line_ends = {2, {'\n', 'b'}}));
    AUTO_TEXT text = must_string("cab-\nxa");

    for (int i = 0; i < 3; i++) {
        uint64_t with = 99;

        MUST(ask_count_lines(searcher, plan, text, false, UINT64_MAX, &with, NULL));
        TEST_CHECK_U64(with, 2);
    }
}

static int take_begin(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    for (uint64_t i = 0; i < match_count; i++)
        *(uint64_t *)context = matches[i].begin;
    return 0;
}

/* Story of 2026-11-29: a search across lines reads 64 KiB at first. A match that began there, with
 * its string after it, was found to begin later. */
static void head_before_a_piece(void)
{
    static const char match[] = "bbbbbbbbcabbage", expression[] = "q^z|b+cabbage";

    for (uint64_t begin = 65536 - sizeof match; begin <= 65536; begin++) {
        AUTO_SEARCHER searcher = must_searcher(1, 0);
        AUTO_PLAN plan = must_plans(&(struct trawl_pattern){expression, strlen(expression)}, 1,
                                    PLAN_WITH(.syntax = TRAWL_PERL, .flags = TRAWL_MULTILINE));
        static char bytes[70000];
        uint64_t found = 0;

        memset(bytes, '-', sizeof bytes);
        bytes[sizeof bytes - 1] = '\0';
        memcpy(bytes + begin, match, sizeof match - 1);
        AUTO_TEXT text = must_string(bytes);
        MUST(ask_positions(searcher, plan, text, take_begin, &found, NULL));
        TEST_CHECK_U64(found, begin);
    }
}

/* 2026-11-30: of an expression with so many places, the automaton reads a hull of its characters,
 * which does not decide about a record beyond ASCII. */
static void record_in_a_hull(void)
{
    const struct trawl_pattern pattern = {"\\pL{9}\\p{Greek}|\\p{Greek}\\pL{9}x?", 33};
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan =
        must_plans(&pattern, 1, PLAN_WITH(.syntax = TRAWL_PERL, .alphabet = TRAWL_CHARACTERS));
    const char tape[] = "жжжжжжжжжж";
    const uint64_t offsets[] = {0, sizeof tape - 1};
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BYTES);
    struct trawl_records *records = NULL;
    uint8_t found[1] = {9};

    array.bytes = (const uint8_t *)tape;
    array.offsets = offsets;
    array.record_count = 1;
    out.values = found;
    out.room = 1;
    MUST(trawl_records_load(searcher, &array, &records, NULL));
    MUST(trawl_ask_records(searcher, plan, records, &out, NULL));
    TEST_CHECK_U64(out.count, 0);
    trawl_records_unload(records);
}

int main(void)
{
    test_begin("selected");
    record_in_a_hull();
    class_with_line_end();
    head_before_a_piece();
    for (uint64_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        AUTO_SEARCHER searcher = must_searcher(1, i % 2 == 0 ? 0 : 4);
        AUTO_PLAN plan = plan_of(rows[i / 2].expressions, rows[i / 2].flags);
        AUTO_TEXT text = must_string(rows[i / 2].text);
        struct delivered delivered = {"", 0};
        uint64_t with = 99, without = 99, one = 99;

        MUST(ask_count_lines(searcher, plan, text, false, UINT64_MAX, &with, NULL));
        MUST(ask_count_lines(searcher, plan, text, true, UINT64_MAX, &without, NULL));
        MUST(ask_count_lines(searcher, plan, text, false, 1, &one, NULL));
        TEST_CHECK_U64(with, rows[i / 2].lines);
        TEST_CHECK_U64(without, rows[i / 2].all - rows[i / 2].lines);
        TEST_CHECK_U64(one, 1);
        MUST(trawl_windows(searcher, plan, text, rows[i / 2].window_flags, take, &delivered, NULL));
        if (strcmp(delivered.matches, rows[i / 2].matches) != 0)
            printf("%s in \"%s\": %s\n", rows[i / 2].expressions, rows[i / 2].text,
                   delivered.matches);
        TEST_CHECK(strcmp(delivered.matches, rows[i / 2].matches) == 0);
    }
    return test_end();
}
