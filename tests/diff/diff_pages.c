/* diff_pages: compares the searches of a text with a filter (plan/pages.h) with those of a copy
 * that has none, on texts that are made against it: pages of a few bytes, strings around their
 * ends, periodic texts, texts of one gram or of all, lines and records of many pages, UTF-16,
 * letters whose other cases have more bytes. */
#include "calls.h"
#include "plan/pages.h"

#define TEXT_BYTES_MAX 6000u
#define PATTERNS_MAX 4u
#define PATTERN_BYTES_MAX 160u
#define RECORDS_MAX 60u
#define ROOM (TEXT_BYTES_MAX * PATTERNS_MAX * 4u)

struct pages_case {
    struct test_random random;
    uint8_t text[TEXT_BYTES_MAX], copy[TEXT_BYTES_MAX];
    uint64_t bytes_count, page;
    char patterns[PATTERNS_MAX][PATTERN_BYTES_MAX];
    struct trawl_pattern given[PATTERNS_MAX];
    uint64_t pattern_count;
    struct trawl_plan_options options;
    uint64_t offsets[RECORDS_MAX + 1];
};

/* What a search of either text has found. */
struct pages_seen {
    uint64_t sums[8];
    uint64_t matches[2][ROOM];
};

static uint64_t cases, filtered, with_matches;

/* ---- Cases -------------------------------------------------------------------------------- */

static void make_text(struct pages_case *c)
{
    static const char *const words[] = {
        "status=", "k",  "\xe2\x84\xaa", "\xc5\xbf", "s", "\xc3\x89", "\xc3\xa9", "request ",
        "K",       "id", "\n",           "\r\n",     " ", "0",        "S"};
    const uint64_t kind = test_random_below(&c->random, 8);
    const uint64_t letters = test_random_between(&c->random, 1, kind == 1 ? 255 : 26);
    const uint64_t period = test_random_between(&c->random, 1, 40);
    const uint64_t line = test_random_one_in(&c->random, 3) ? TEXT_BYTES_MAX : 60;

    for (uint64_t i = 0; i < c->bytes_count; i++) {
        uint8_t byte = (uint8_t)('a' + test_random_below(&c->random, letters));

        if (kind == 0)
            byte = (uint8_t)('0' + byte % 10);
        if ((kind == 2 || kind == 3) && i >= period && !test_random_one_in(&c->random, 200))
            byte = c->text[i - period];
        if (kind == 4 && i % 2 == 1)
            byte = 0;
        if (test_random_one_in(&c->random, line))
            byte = c->options.line_ends.count > 0 ? c->options.line_ends.bytes[0] : '\n';
        c->text[i] = byte;
    }
    for (uint64_t i = 0; kind >= 6 && i < c->bytes_count;) {
        const char *word = words[test_random_below(&c->random, sizeof words / sizeof *words)];

        for (; *word != '\0' && i < c->bytes_count; word++)
            c->text[i++] = (uint8_t)*word;
    }
}

/* Takes a string of the text, often one that begins or ends near the end of a page, and puts it
 * there again or not, with a byte or the case of letters changed or not. Returns its length. */
static uint64_t take_string(struct pages_case *c, char *to)
{
    const uint64_t max = test_random_one_in(&c->random, 4) ? 90 : 20;
    uint64_t bytes = test_random_between(&c->random, 1, max), at, to_at;

    bytes = bytes < c->bytes_count ? bytes : c->bytes_count;
    at = test_random_below(&c->random, c->bytes_count - bytes + 1);
    memcpy(to, c->text + at, (size_t)bytes);
    if (test_random_one_in(&c->random, 3))
        to[test_random_below(&c->random, bytes)] ^= (char)(1 << test_random_below(&c->random, 6));
    for (uint64_t i = 0; i < test_random_below(&c->random, 3); i++) {
        to_at = c->page * test_random_below(&c->random, c->bytes_count / c->page + 1);
        to_at += test_random_below(&c->random, 3) - test_random_below(&c->random, bytes + 2);
        if (to_at > c->bytes_count - bytes) /* or negative */
            continue;
        memcpy(c->text + to_at, to, (size_t)bytes);
        for (uint64_t k = 0; k < bytes && (c->options.flags & TRAWL_IGNORE_CASE) != 0; k++)
            if ((c->text[to_at + k] | 32) >= 'a' && (c->text[to_at + k] | 32) <= 'z')
                c->text[to_at + k] ^= (uint8_t)(test_random_below(&c->random, 2) * 32);
    }
    return bytes;
}

/* Makes an expression around the string, whose bytes stand for themselves. */
static uint64_t make_expression(struct pages_case *c, const char *string, uint64_t bytes, char *to)
{
    static const char *const shapes[][2] = {
        {"", ""},        {"", "[0-9a-z]*"}, {"[a-z]+", ""},        {"^.*", ""},
        {"", "$"},       {"\\b", "\\b"},    {"(?:", "|xyzzy)"},    {"(?i:", ")"},
        {"", ".{0,9}a"}, {"x?", "+"},       {"(?:qqqqqqqq|", ")"}, {"", "|[0-9]{30}"}};
    const uint64_t shape = test_random_below(&c->random, sizeof shapes / sizeof *shapes);
    uint64_t count = (uint64_t)sprintf(to, "%s", shapes[shape][0]);

    for (uint64_t i = 0; i < bytes && i < 24; i++)
        count += (uint64_t)sprintf(to + count, "\\x%02x", (unsigned)(uint8_t)string[i]);
    return count + (uint64_t)sprintf(to + count, "%s", shapes[shape][1]);
}

static void make_case(struct pages_case *c)
{
    static const uint32_t flags[] = {
        0, 0, 0, TRAWL_IGNORE_CASE, TRAWL_WHOLE_WORD, TRAWL_WHOLE_LINE};
    static const uint8_t line_ends[] = {'\n', '\n', '\0', 'a', '\r'};
    const bool expressions = test_random_one_in(&c->random, 2);

    c->options = (struct trawl_plan_options)TRAWL_PLAN_OPTIONS_INIT;
    c->options.flags = flags[test_random_below(&c->random, 6)];
    if (expressions) {
        c->options.syntax = TRAWL_PERL;
        c->options.flags &= ~(uint32_t)(TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE);
    }
    if (test_random_one_in(&c->random, 2))
        c->options.letters = test_random_one_in(&c->random, 2) ? trawl_unicode() : trawl_ascii();
    c->options.line_ends.count = (uint32_t)test_random_below(&c->random, 3);
    for (uint32_t i = 0; i < c->options.line_ends.count; i++)
        c->options.line_ends.bytes[i] = line_ends[test_random_below(&c->random, 5)];
    c->page = test_random_between(&c->random, 8, 400);
    c->bytes_count = test_random_between(&c->random, 1, TEXT_BYTES_MAX);
    if (test_random_one_in(&c->random, 3) && c->bytes_count > c->page)
        c->bytes_count -= c->bytes_count % c->page + test_random_below(&c->random, 2);
    make_text(c);
    c->pattern_count =
        test_random_one_in(&c->random, 2) ? 1 : test_random_between(&c->random, 1, PATTERNS_MAX);
    for (uint64_t i = 0; i < c->pattern_count; i++) {
        char string[PATTERN_BYTES_MAX];
        uint64_t bytes = take_string(c, string);

        memcpy(c->patterns[i], string, (size_t)bytes);
        if (expressions)
            bytes = make_expression(c, string, bytes, c->patterns[i]);
        c->given[i] = (struct trawl_pattern){c->patterns[i], bytes};
    }
    for (uint64_t i = 1; i <= RECORDS_MAX; i++)
        c->offsets[i] =
            c->offsets[i - 1] + test_random_below(&c->random, 3) *
                                    test_random_below(&c->random, c->bytes_count / 20 + 2);
    for (uint64_t i = 0; i <= RECORDS_MAX; i++)
        c->offsets[i] = c->offsets[i] < c->bytes_count ? c->offsets[i] : c->bytes_count;
    memcpy(c->copy, c->text, (size_t)c->bytes_count);
}

/* ---- Searches ----------------------------------------------------------------------------- */

static int add_count(void *context, const struct trawl_pattern_count *counts, uint64_t count)
{
    uint64_t *sum = (uint64_t *)context;

    for (uint64_t i = 0; i < count; i++)
        *sum += counts[i].count * (counts[i].pattern_index + 1);
    return 0;
}

/* Mixes the answer of a search of records into *sum. */
static void ask_records(const struct pages_case *c, const uint8_t *bytes,
                        const struct trawl_plan *plan, struct trawl_searcher *searcher,
                        enum trawl_what what, uint64_t *sum)
{
    struct trawl_record_array array = records_of(bytes, c->offsets, RECORDS_MAX);
    struct trawl_answer out = TRAWL_ANSWER(TRAWL_RECORDS_BITS);
    uint32_t values[RECORDS_MAX] = {0};

    out.values = values;
    out.room = RECORDS_MAX;
    *sum = (uint64_t)call_records(searcher, plan, &array, what, &out, NULL);
    for (uint64_t i = 0; i < RECORDS_MAX; i++)
        *sum = *sum * 31 + values[i];
}

static void search(const struct pages_case *c, const uint8_t *bytes, struct trawl_text *text,
                   const struct trawl_plan *plan, struct trawl_searcher *searcher,
                   struct pages_seen *seen)
{
    struct trawl_match match = {0, 0, 0, 0, 0};
    bool found = false;

    memset(seen, 0, sizeof *seen);
    seen->sums[0] = must_count(searcher, plan, text);
    if (must_stats(searcher).page_count > 0) {
        filtered++;
        TEST_CHECK(must_stats(searcher).page_left_count <= must_stats(searcher).page_count);
    }
    MUST(ask_begins_into(searcher, plan, text, seen->matches[0], ROOM, &seen->sums[1], NULL));
    MUST(ask_count_lines(searcher, plan, text, false, UINT64_MAX, &seen->sums[2], NULL));
    MUST(trawl_first(searcher, plan, text, &match, &found, NULL));
    seen->sums[3] = found ? match.begin * 8 + match.pattern_index + 1 : 0;
    MUST(ask_count_by_pattern(searcher, plan, text, add_count, &seen->sums[4], NULL));
    MUST(ask_count_lines(searcher, plan, text, true, UINT64_MAX, &seen->sums[5], NULL));
    ask_records(c, bytes, plan, searcher, TRAWL_RECORDS_BYTES, &seen->sums[6]);
    ask_records(c, bytes, plan, searcher, TRAWL_RECORDS_COUNTS, &seen->sums[7]);
}

static void list(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                 struct trawl_text *text, uint32_t flags, uint64_t *to)
{
    struct trawl_search *open = NULL;
    struct trawl_batch batch = {.size = sizeof batch};
    uint64_t count = 0;

    memset(to, 0, ROOM * sizeof *to);
    MUST(trawl_search_open(searcher, plan, text, flags, &open, NULL));
    do {
        MUST(trawl_search_next(open, &batch, NULL));
        for (uint64_t i = 0; i < batch.match_count && count + 1 < ROOM; i++)
            to[++count] = (batch.begins[i] << 20 | (batch.ends[i] - batch.begins[i])) * 8 +
                          batch.pattern_indices[i];
    } while (!batch.last);
    to[0] = count;
    trawl_search_close(open);
}

static void run_case(uint64_t index)
{
    static const uint64_t chunks[] = {0, 16, 100, 1000};
    static struct pages_case c;
    static struct pages_seen seen[2];
    struct trawl_text_options options = TRAWL_TEXT_MEMORY(c.text, 0);
    struct trawl_plan *plan = NULL;

    memset(&c, 0, sizeof c);
    c.random = test_random_begin("diff pages");
    c.random.state ^= index * 0x2545f4914f6cdd1du;
    make_case(&c);
    if (trawl_plan_build(c.given, c.pattern_count, &c.options, &plan, NULL) == TRAWL_OK) {
        AUTO_SEARCHER searcher = must_searcher((uint32_t)test_random_between(&c.random, 1, 3),
                                               chunks[1 + test_random_below(&c.random, 3)]);
        AUTO_TEXT plain = must_text(c.copy, c.bytes_count);
        AUTO_TEXT own = NULL;

        options.bytes_count = c.bytes_count;
        options.flags = TRAWL_TEXT_FILTER;
        MUST(trawl_text_open(NULL, &options, &own, NULL));
        plan_pages_sizes.page = c.page;
        MUST(trawl_text_load(searcher, own, NULL));
        search(&c, c.text, own, plan, searcher, &seen[0]);
        search(&c, c.copy, plain, plan, searcher, &seen[1]);
        if (!TEST_CHECK(memcmp(&seen[0], &seen[1], sizeof *seen) == 0))
            for (uint32_t i = 0; i < 8; i++)
                printf("  case %" PRIu64 ", sum %u: %" PRIu64 ", not %" PRIu64 "\n", index, i,
                       seen[0].sums[i], seen[1].sums[i]);
        for (uint32_t flags = 0; flags <= TRAWL_SPANS; flags += TRAWL_SPANS) {
            list(searcher, plan, own, flags, seen[0].matches[0]);
            list(searcher, plan, plain, flags, seen[0].matches[1]);
            if (!TEST_CHECK(
                    memcmp(seen[0].matches[0], seen[0].matches[1], sizeof seen[0].matches[0]) == 0))
                printf("  case %" PRIu64 ", flags %u\n", index, flags);
        }
        with_matches += seen[0].sums[0] > 0;
        cases++;
        trawl_text_unload(searcher, own);
    }
    trawl_plan_free(plan);
}

int main(void)
{
    const uint64_t alone = test_setting("TRAWL_TEST_CASE", UINT64_MAX);
    const uint64_t wanted = test_amount(2000, 100000);

    test_begin("diff_pages");
    plan_pages_sizes = (struct plan_pages_sizes){.alike_max = 2, .kept_max = 1};
    if (alone != UINT64_MAX)
        run_case(alone);
    for (uint64_t index = 0; alone == UINT64_MAX && index < wanted && test_failures < 10; index++)
        run_case(index);
    printf("%" PRIu64 " cases, %" PRIu64 " with matches; %" PRIu64 " times, pages were skipped\n",
           cases, with_matches, filtered);
    TEST_CHECK(alone != UINT64_MAX || filtered > wanted / 4);
    return test_end();
}
