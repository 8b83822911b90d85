/* unit_short: makes each allocation fail in turn while a plan is built, searched twice and freed.
 * Each call must return the right count or MEMORY, and no memory may leak. A class that lacks a
 * part, a set that lacks a table, or a table that is never freed changes no answer while there is
 * enough memory. (sim_table makes whole scenes fail in this way, but with few expressions.) */
#include "calls.h"
#include "faults/faults_blocks.h"
#include "regex/engine_regex.h"

#define TEXT_BYTES 3000u
#define STRINGS_MAX 12u
/* lines of the text, of which the method "sampled" makes a bitmap of 64 words */
#define LINES                                                                \
    "of needles\nNeedle\xc3\xa9 of\nNeedle\xc3\xa9 of\nna\xc3\xafve nedle, " \
    "\xc3\xa9 stack\nna\xc3\xafve nedle,"

static long allocations_left; /* allocations that succeed before one fails; negative: all do */
static bool has_failed;

static void *take(void *context, uint64_t bytes, uint64_t alignment)
{
    if (allocations_left-- == 0) {
        has_failed = true;
        return NULL;
    }
    return blocks_take(context, bytes, alignment);
}

static const struct row {
    struct trawl_plan_options options;
    bool folds; /* with Unicode's letters */
    const char *patterns[STRINGS_MAX];
} rows[] = {
#define WITH(...)                                              \
    {                                                          \
        .size = sizeof(struct trawl_plan_options), __VA_ARGS__ \
    }
#define RIPGREP .syntax = TRAWL_RIPGREP, .alphabet = TRAWL_CHARACTERS
    {WITH(.flags = 0), false, {"needle"}},
    {WITH(.method = TRAWL_METHOD_SAMPLED), false, {LINES}},
    {WITH(.flags = 0), false, {"a", "ne", "needle", "haystack", "stack of", "le", "dle in a hay"}},
    {WITH(.method = TRAWL_METHOD_AUTOMATON), false, {"ne", "needle", "hay", "stack"}},
    {WITH(.method = TRAWL_METHOD_CLASSES), false, {"needle", "haysta", "k of needles"}},
    {WITH(.flags = TRAWL_IGNORE_CASE | TRAWL_WHOLE_WORD), true, {"NEEDLE", "\xc3\xa9"}},
    {WITH(.mismatches_max = 1), false, {"neadle", "stock"}},
    {WITH(.edits_max = 2, .alphabet = TRAWL_CHARACTERS), true, {"nedle", "haystacks"}},
    {WITH(RIPGREP), true, {"[a-n&&[^b-d[f]]--[k]]e+d|\\p{Lu}", "(?i)st[^\\W\\d]ck", "\\bo\\w\\b"}},
    {WITH(.syntax = TRAWL_PERL), false, {"[a-z]+d"}},
    {WITH(.syntax = TRAWL_PERL), false, {"(ne|ha|na)[a-z]+ of"}},
    {WITH(.syntax = TRAWL_PERL), false, {"ee|ed|dl"}},
    /* groups of a long match with many forks: all ways are followed at once */
    {WITH(.syntax = TRAWL_PERL), false, {"((n|e|[a-z])+[. ]*){1,300}"}},
    {WITH(RIPGREP), true, {"(?i)[\\p{L}&&[^\\p{Lu}k]~~[a-z]]ed", "(a|b|\xc3\xa9)+\\s"}},
    {WITH(.syntax = TRAWL_EXTENDED, .alphabet = TRAWL_CHARACTERS),
     true,
     {"[[:alpha:]-]+dle\\>", "a|ne*d?l|(hay|st)a", "[^a]k"}},
    {WITH(.syntax = TRAWL_BASIC, .alphabet = TRAWL_CHARACTERS, .flags = TRAWL_WHOLE_WORD),
     true,
     {"n\\(e*\\)d.*e"}},
    {WITH(.syntax = TRAWL_PERL, .alphabet = TRAWL_CHARACTERS, .flags = TRAWL_PCRE),
     true,
     {"(?<=n)ee(?!x)", "(e)\\1d"}},
    /* trees that are read again, for programs, automata and a reach, but not for a group's name */
    {WITH(RIPGREP), true, {"ne{1,2}d[a-z ]{1,30}st?", "(?P<w>n[^ ]+)\\w{2}", "[a-z ]{5,40}k\\b"}},
    {WITH(RIPGREP, .flags = TRAWL_WHOLE_WORD),
     true,
     {"h[a-z]{0,30}k", "(?P<w>h\\w+)", "[a-z]{3,40}[e\xc3\xa9]", "n(?:\\W|a)+"}},
    {WITH(.syntax = TRAWL_PERL, .alphabet = TRAWL_CHARACTERS, .flags = TRAWL_PCRE),
     true,
     {"(?:ha?y?s{0,40}t){1,20}", "(?<=n)(?<w>e+)(?!x)", "[a-z]{3,30}"}},
};

static int add_spans(void *context, const struct trawl_window *window)
{
    uint64_t *sum = (uint64_t *)context;

    for (uint64_t i = 0; i < window->match_count; i++)
        *sum = *sum * 31 + window->matches[i].end + window->matches[i].pattern_index;
    return 0;
}

/* Adds up where the groups of each expression's first match in a line are, found twice. */
static enum trawl_status add_groups(const struct trawl_plan *plan, uint64_t n, uint64_t *sum,
                                    struct trawl_error *error)
{
    static char bytes[2500];
    enum trawl_status status = TRAWL_OK;

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = "hay of needles. a stack. "[i % 25];
    for (uint64_t i = 0; i < n && status == TRAWL_OK; i++) {
        struct trawl_range groups[4] = {{0, 0}};
        struct trawl_line *line = NULL;

        status = trawl_line_open(plan, i, bytes, sizeof bytes, NULL, &line, error);
        if (status == TRAWL_OK)
            status = trawl_line_match(line, 0, groups, 4, error);
        if (status == TRAWL_OK && groups[0].begin != UINT64_MAX)
            status = trawl_line_groups(line, groups[0], groups, 4, error);
        for (size_t k = 0; k < 4; k++)
            *sum = *sum * 31 + groups[k].begin + 7 * groups[k].end;
        trawl_line_close(line);
    }
    return status;
}

/* Builds the row's plan, and counts its matches in each way, twice. */
static enum trawl_status count(const struct row *row, struct trawl_searcher *searcher,
                               struct trawl_text *text, uint64_t counts[6],
                               struct trawl_error *error)
{
    struct trawl_plan_told told = {
        .size = sizeof told, .pattern_index = 1, .group_name = "w", .group_name_bytes = 1};
    struct trawl_plan_options options = row->options;
    struct trawl_pattern patterns[STRINGS_MAX];
    const bool first = options.syntax == TRAWL_PERL || options.syntax == TRAWL_RIPGREP;
    struct trawl_plan *plan = NULL;
    enum trawl_status status;
    uint64_t n = 0;

    options.letters = row->folds ? trawl_unicode() : NULL;
    for (; n < STRINGS_MAX && row->patterns[n] != NULL; n++)
        patterns[n] = (struct trawl_pattern){row->patterns[n], strlen(row->patterns[n])};
    status = trawl_plan_build(patterns, n, &options, &plan, error);
    for (int i = 0; i < 2 && status == TRAWL_OK; i++)
        status = trawl_count(searcher, plan, text, &counts[0], error);
    for (int i = 0; i < 2 && status == TRAWL_OK; i++)
        status = ask_count_lines(searcher, plan, text, i == 0, UINT64_MAX, &counts[1], error);
    for (int i = 0; i < 2 && status == TRAWL_OK; i++)
        status = trawl_list_bytes(searcher, plan, "hay needled", 11, 0, NULL, 0, &counts[2], error);
    for (int i = 0; i < 2 && status == TRAWL_OK; i++) {
        counts[4] = 0;
        status = trawl_windows(searcher, plan, text, first ? TRAWL_SPANS_FIRST : TRAWL_SPANS,
                               add_spans, &counts[4], error);
    }
    counts[5] = 0;
    if (status == TRAWL_OK && row->options.syntax != TRAWL_LITERAL)
        status = add_groups(plan, n, &counts[5], error);
    if (status == TRAWL_OK)
        status = trawl_plan_tell(plan, &told, error);
    counts[3] = told.group;
    trawl_plan_free(plan);
    return status;
}

static void run(const struct row *row, struct trawl_text *text)
{
    uint64_t right[6] = {0}, failed = 0;
    struct trawl_error error = calls_error();
    AUTO_SEARCHER warm = must_searcher(1, 700);

    if (count(row, warm, text, right, &error) == TRAWL_UNSUPPORTED)
        return; /* PCRE2 is not installed */
    TEST_CHECK(right[0] > 0);
    has_failed = true;
    /* a short run fails every fourth allocation after the first twenty */
    for (long nth = 0; has_failed && test_failures < 5;
         nth += nth >= 20 && test_divisor() > 1 ? 4 : 1) {
        struct trawl_searcher *searcher = NULL;
        uint64_t counts[6] = {0};
        int64_t blocks = atomic_load(&live_blocks), held = atomic_load(&live_bytes);
        enum trawl_status status;

        MUST(trawl_searcher_open(
            SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = 1, .chunk_bytes = 700), &searcher,
            NULL));
        has_failed = false;
        allocations_left = nth;
        status = count(row, searcher, text, counts, &error);
        allocations_left = -1;
        failed += status != TRAWL_OK;
        if (!TEST_CHECK(status == TRAWL_OK ? memcmp(counts, right, sizeof right) == 0
                                           : status == TRAWL_MEMORY && has_failed))
            printf("  status %d, %s\n", (int)status, status == TRAWL_OK ? "" : error.message);
        trawl_searcher_close(searcher);
        if (!TEST_CHECK(atomic_load(&live_blocks) == blocks))
            printf("  %" PRId64 " blocks are left\n", atomic_load(&live_blocks) - blocks);
        /* each release must get the size of the allocation */
        if (!TEST_CHECK(atomic_load(&live_bytes) == held))
            printf("  %" PRId64 " bytes are left\n", atomic_load(&live_bytes) - held);
        if (test_failures > 0)
            printf("  \"%s\", allocation %ld\n", row->patterns[0], nth);
    }
    printf("%s: %" PRIu64 " allocations failed\n", row->patterns[0], failed);
    TEST_CHECK(failed > 3);
}

int main(void)
{
    const struct trawl_memory functions = {sizeof functions, NULL, take, blocks_give_back};
    static const char *const words[] = {"a needle in a haystack of needles\n",
                                        "Needle\xc3\xa9 of\n",
                                        "na\xc3\xafve nedle, \xc3\xa9 stack\n"};
    char bytes[TEXT_BYTES + 64] = "";

    test_begin("unit_short");
    regex_step_bytes = 64; /* a search takes long enough to choose its strings again (PLAN_SEEN) */
    judge_again = 0;       /* one automaton of all expressions finds their spans */
    allocations_left = -1;
    MUST(trawl_set_memory(&functions, NULL));
    for (uint32_t i = 0; strlen(bytes) < TEXT_BYTES; i++)
        strcat(bytes, words[i * i % 7 % 3]);
    {
        AUTO_TEXT text = must_string(bytes);

        for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
            run(&rows[i], text);
    }
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), 0);
    return test_end();
}
