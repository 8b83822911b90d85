/* unit_bytes: calls trawl_list_bytes to count, find and list in texts of every short length, at
 * every alignment, right before and right after unreadable pages, so that a read outside the
 * text crashes the test. Also checks trawl_replace. */
#include <pthread.h>
#include <sys/mman.h>

#include "calls.h"
#include "oracle/oracle_naive.h"

#define LENGTH_MAX 300u
#define PAGE 4096u
#define PATTERNS_MAX 140u
#define ROOM 8192u

struct kind {
    const char *name;
    uint64_t count, min, max; /* number of patterns, and the limits of their lengths */
    uint32_t letters;         /* size of the alphabet of text and patterns */
    uint32_t flags;
    bool periodic;
};

static const struct kind kinds[] = {
    {"a byte", 1, 1, 1, 20, 0, false},
    {"two bytes", 1, 2, 2, 4, 0, false},
    {"a word", 1, 3, 9, 4, 0, false},
    {"a rare word", 1, 3, 9, 26, 0, false},
    {"a long word", 1, 60, 130, 2, 0, false},
    {"a period", 1, 4, 12, 1, 0, true},
    {"letters", 1, 3, 9, 3, TRAWL_IGNORE_CASE, false},
    {"a whole word", 1, 1, 3, 3, TRAWL_WHOLE_WORD, false},
    {"a whole line", 1, 1, 3, 2, TRAWL_WHOLE_LINE, false},
    {"three words", 3, 1, 6, 4, 0, false},
    {"ten words", 10, 4, 20, 5, 0, false},
    {"a hundred words", 100, 2, 9, 6, 0, false},
    {"many words", 140, 3, 9, 8, 0, false},
    {"ten words of letters", 10, 3, 9, 3, TRAWL_IGNORE_CASE, false},
    {"ten whole words", 10, 1, 3, 3, TRAWL_WHOLE_WORD, false},
    {"ten whole lines", 10, 1, 2, 3, TRAWL_WHOLE_LINE, false},
};

static uint8_t *page; /* a readable page between two unreadable ones */
static struct test_random chance;

static uint8_t letter(const struct kind *kind)
{
    const uint8_t small = (uint8_t)('a' + test_random_below(&chance, kind->letters));

    if ((kind->flags & TRAWL_IGNORE_CASE) != 0 && test_random_one_in(&chance, 2))
        return (uint8_t)(small - 32);
    if ((kind->flags & (TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE)) != 0 &&
        test_random_one_in(&chance, 3))
        return (kind->flags & TRAWL_WHOLE_LINE) != 0 ? '\n' : ' ';
    return small;
}

/* Compares the answers of the three calls with those of a naive search. */
static void check(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                  const struct naive_query *query, const uint8_t *text, uint64_t length)
{
    static struct naive_match expected[ROOM];
    static struct trawl_match list[ROOM];
    const uint64_t total = naive_matches(query, (struct naive_bytes){text, length}, expected, ROOM);
    struct trawl_match match = {0};
    uint64_t count = 77;
    uint64_t found = 77;

    MUST(trawl_list_bytes(searcher, plan, text, length, 0, NULL, 0, &count, NULL));
    TEST_CHECK_U64(count, total);
    MUST(trawl_list_bytes(searcher, plan, text, length, 0, &match, 1, &found, NULL));
    TEST_CHECK(found == (total > 0) &&
               (found == 0 || (match.begin == expected[0].begin && match.end == expected[0].end &&
                               match.pattern_index == expected[0].pattern_index)));
    for (uint32_t flags = 0; flags <= TRAWL_SPANS; flags += TRAWL_SPANS) {
        uint64_t at = 0, end = 0;

        if (flags != 0 && query->pattern_count > 1)
            break;
        MUST(trawl_list_bytes(searcher, plan, text, length, flags, list, ROOM, &count, NULL));
        for (uint64_t i = 0; i < total; i++) {
            if (expected[i].begin < end)
                continue;
            end = flags != 0 ? expected[i].end : 0;
            TEST_CHECK(at < count && list[at].begin == expected[i].begin &&
                       list[at].end == expected[i].end &&
                       list[at].pattern_index == expected[i].pattern_index);
            at++;
        }
        TEST_CHECK_U64(count, at);
        MUST(trawl_list_bytes(searcher, plan, text, length, flags, NULL, 0, &found, NULL));
        TEST_CHECK_U64(found, count);
        for (uint64_t room = 1; room <= 3; room++) {
            struct trawl_match few[3];

            MUST(trawl_list_bytes(searcher, plan, text, length, flags, few, room, &found, NULL));
            TEST_CHECK(found == (count < room ? count : room) &&
                       memcmp(few, list, found * sizeof *few) == 0);
        }
    }
}

/* Places texts of every length at the page's start, at its end, and at a random offset between the
 * two. About half of the texts begin or end with a pattern. */
static void lengths(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                    const struct kind *kind, const struct naive_query *query)
{
    for (uint64_t length = 0; length <= LENGTH_MAX; length++)
        for (uint32_t place = 0; place < 3; place++) {
            const struct naive_bytes *pattern =
                &query->patterns[test_random_below(&chance, query->pattern_count)];
            uint8_t *text = page + (place == 0   ? 0
                                    : place == 1 ? PAGE - length
                                                 : 1024 + test_random_below(&chance, 64));

            for (uint64_t i = 0; i < length; i++)
                text[i] = letter(kind);
            if (pattern->bytes_count <= length && test_random_one_in(&chance, 2))
                memcpy(test_random_one_in(&chance, 2) ? text : text + length - pattern->bytes_count,
                       pattern->bytes, (size_t)pattern->bytes_count);
            check(searcher, plan, query, text, length);
        }
}

static void one_kind(const char *instruction_set, const struct kind *kind)
{
    AUTO_SEARCHER searcher =
        must_searcher_with(SEARCHER_WITH(.engine = TRAWL_ENGINE_CPU, .threads = 1,
                                         .instruction_set = instruction_set));
    AUTO_PLAN plan = NULL;
    static uint8_t bytes[PATTERNS_MAX][160];
    struct trawl_pattern patterns[PATTERNS_MAX];
    struct naive_bytes naive[PATTERNS_MAX];
    struct naive_query query = {naive, kind->count, kind->flags, '\n', false, 0};

    for (uint64_t i = 0; i < kind->count; i++) {
        const uint64_t count = test_random_between(&chance, kind->min, kind->max);

        for (uint64_t k = 0; k < count; k++)
            do
                bytes[i][k] = letter(kind);
            while (bytes[i][k] < 'A');
        patterns[i] = (struct trawl_pattern){bytes[i], count};
        naive[i] = (struct naive_bytes){bytes[i], count};
    }
    plan = must_plans(patterns, kind->count, PLAN_WITH(.flags = kind->flags));
    lengths(searcher, plan, kind, &query);
}

static void all_kinds(void)
{
    const uint64_t rounds = test_amount(2, 40);

    for (uint32_t set = 0; trawl_instruction_set(set) != NULL; set++)
        for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            for (uint64_t round = 0; round < rounds; round++)
                one_kind(trawl_instruction_set(set), &kinds[i]);
}

/* Checks texts for which these calls must not use their fast path: a long text, and a text in which
 * nearly every position is a candidate. Later calls must be right, too. */
static void ordinary_searches(void)
{
    static uint8_t text[(64u << 10) + 1];
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("aab");
    AUTO_PLAN edits = must_plan_with("abc", PLAN_WITH(.edits_max = 1));
    uint64_t count = 0;

    memset(text, 'a', sizeof text);
    text[sizeof text - 2] = 'b';
    for (uint64_t bytes = sizeof text - 2; bytes <= sizeof text; bytes++)
        for (uint32_t i = 0; i < 20; i++) {
            MUST(trawl_list_bytes(searcher, plan, text, bytes, 0, NULL, 0, &count, NULL));
            TEST_CHECK_U64(count, bytes > sizeof text - 2);
        }
    MUST(trawl_list_bytes(searcher, edits, "xabdx", 5, 0, NULL, 0, &count, NULL));
    TEST_CHECK_U64(count, 1);
}

struct written {
    uint8_t bytes[ROOM];
    uint64_t count, calls_left;
};

static int write_bytes(void *context, const void *bytes, uint64_t bytes_count)
{
    struct written *written = (struct written *)context;

    if (written->calls_left-- == 0)
        return 1;
    TEST_CHECK(bytes_count > 0 && written->count + bytes_count <= ROOM);
    memcpy(written->bytes + written->count, bytes, (size_t)bytes_count);
    written->count += bytes_count;
    return 0;
}

/* Replaces the occurrences one by one, following the rules that trawl.h states for
 * trawl_replace. */
static void replace_naive(const struct naive_query *query, const uint8_t *text, uint64_t length,
                          bool longest, const struct trawl_value *values, uint64_t values_count,
                          struct written *written)
{
    static struct naive_match all[ROOM];
    const uint64_t count = naive_matches(query, (struct naive_bytes){text, length}, all, ROOM);
    uint64_t at = 0;

    for (uint64_t i = 0; i < count; i++) {
        const struct naive_match *best = &all[i];
        const struct trawl_value *value;

        if (best->begin < at)
            continue;
        for (uint64_t k = i; k < count && all[k].begin == all[i].begin && longest; k++)
            best = all[k].end > best->end ? &all[k] : best;
        value = &values[values_count == 1 ? 0 : best->pattern_index];
        memcpy(written->bytes + written->count, text + at, (size_t)(best->begin - at));
        written->count += best->begin - at;
        if (value->bytes_count > 0)
            memcpy(written->bytes + written->count, value->bytes, (size_t)value->bytes_count);
        written->count += value->bytes_count;
        at = best->end;
    }
    memcpy(written->bytes + written->count, text + at, (size_t)(length - at));
    written->count += length - at;
}

static void replaced(void)
{
    static const struct trawl_value values[] = {{"<one>", 5}, {NULL, 0}, {"3", 1}, {"four", 4}};
    static const struct naive_bytes naive[] = {{(const uint8_t *)"ab", 2},
                                               {(const uint8_t *)"abc", 3},
                                               {(const uint8_t *)"cab", 3},
                                               {(const uint8_t *)"b", 1}};
    static const struct trawl_pattern patterns[] = {{"ab", 2}, {"abc", 3}, {"cab", 3}, {"b", 1}};
    const struct naive_query query = {naive, 4, 0, '\n', false, 0};
    AUTO_PLAN plan = must_plans(patterns, 4, NULL);
    uint8_t bytes[LENGTH_MAX];

    for (uint64_t round = test_amount(400, 20000); round-- > 0;) {
        AUTO_SEARCHER searcher = must_searcher(1 + round % 2, round % 3 == 0 ? 0 : 5);
        const uint64_t length = test_random_below(&chance, LENGTH_MAX + 1);
        const uint32_t flags = round % 5 < 2 ? TRAWL_SPANS : TRAWL_SPANS_FIRST;
        const uint64_t values_count = round % 7 == 0 ? 1 : 4;
        struct written got = {.calls_left = UINT64_MAX}, expected = {.count = 0};
        struct trawl_text *text;

        for (uint64_t i = 0; i < length; i++)
            bytes[i] = (uint8_t) "abc-"[test_random_below(&chance, 4)];
        text = must_text(bytes, length);
        replace_naive(&query, bytes, length, flags == TRAWL_SPANS, values, values_count, &expected);
        MUST(trawl_replace(searcher, plan, text, flags, values, values_count, write_bytes, &got,
                           NULL));
        TEST_CHECK(got.count == expected.count &&
                   memcmp(got.bytes, expected.bytes, (size_t)got.count) == 0);
        got.calls_left = 0;
        CHECK_STATUS(trawl_replace(searcher, plan, text, flags, values, values_count, write_bytes,
                                   &got, NULL),
                     expected.count > 0 ? TRAWL_STOPPED : TRAWL_OK);
        trawl_text_close(text);
    }
}

static void replace_arguments(void)
{
    static const struct trawl_value values[] = {{"x", 1}, {NULL, 1}};
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("a");
    AUTO_TEXT text = must_string("a");
    struct written got = {.calls_left = 9};
    const uint32_t spans = TRAWL_SPANS;

    CHECK_REFUSED(trawl_replace(searcher, NULL, text, spans, values, 1, write_bytes, &got, error));
    CHECK_REFUSED(trawl_replace(searcher, plan, text, 0, values, 1, write_bytes, &got, error));
    CHECK_REFUSED(trawl_replace(searcher, plan, text, spans, values, 2, write_bytes, &got, error));
    CHECK_REFUSED(
        trawl_replace(searcher, plan, text, spans, values + 1, 1, write_bytes, &got, error));
    CHECK_REFUSED(trawl_replace(searcher, plan, text, spans, NULL, 1, write_bytes, &got, error));
    CHECK_REFUSED(trawl_replace(searcher, plan, text, spans, values, 1, NULL, &got, error));
    TEST_CHECK_U64(got.count, 0);
}

static void *count_many(void *context)
{
    const struct trawl_plan *plan = (const struct trawl_plan *)context;
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    struct trawl_match list[4];
    uint64_t count;

    for (uint64_t i = 0; i < test_amount(3000, 100000); i++) {
        MUST(trawl_list_bytes(searcher, plan, "a1b2c3d4e5-f6g", i % 15, 0, list, 4, &count, NULL));
        TEST_CHECK_U64(count, i % 15 < 8 ? i % 15 / 2 : 4);
        TEST_CHECK(count < 4 || (list[3].begin == 6 && list[3].end == 8));
    }
    return NULL;
}

/* The threads search with one plan, which keeps a single line open for all of them. */
static void threads(void)
{
    AUTO_PLAN plan = must_plan_with("[a-z][0-9]", PLAN_WITH(.syntax = TRAWL_PERL));
    pthread_t made[8];

    for (int i = 0; i < 8; i++)
        TEST_CHECK(pthread_create(&made[i], NULL, count_many, plan) == 0);
    for (int i = 0; i < 8; i++)
        (void)pthread_join(made[i], NULL);
}

static int search_again(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct trawl_searcher *searcher = (struct trawl_searcher *)context;
    AUTO_PLAN plan = must_plan("b");
    uint64_t count = 77;

    (void)matches;
    (void)match_count;
    CHECK_ERROR(trawl_list_bytes(searcher, plan, "b", 1, 0, NULL, 0, &count, error), TRAWL_BUSY);
    TEST_CHECK_U64(count, 77);
    return 0;
}

static void busy_and_cancelled(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("a");
    AUTO_TEXT text = must_string("a");
    uint64_t count = 77;

    MUST(ask_positions(searcher, plan, text, search_again, searcher, NULL));
    trawl_searcher_cancel(searcher, false);
    MUST(trawl_list_bytes(searcher, plan, "a", 1, 0, NULL, 0, &count, NULL));
    TEST_CHECK_U64(count, 1);
    trawl_searcher_cancel(searcher, true);
    count = 77;
    CHECK_STATUS(trawl_list_bytes(searcher, plan, "a", 1, 0, NULL, 0, &count, NULL), TRAWL_STOPPED);
    TEST_CHECK_U64(count, 77);
    MUST(trawl_list_bytes(searcher, plan, "a", 1, 0, NULL, 0, &count, NULL));
}

static void arguments(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = must_plan("a");
    AUTO_PLAN none = must_plans(NULL, 0, NULL);
    struct trawl_match match;
    uint64_t count = 77;

    CHECK_REFUSED(trawl_list_bytes(NULL, plan, "a", 1, 0, NULL, 0, &count, error));
    CHECK_REFUSED(trawl_list_bytes(searcher, NULL, "a", 1, 0, NULL, 0, &count, error));
    CHECK_REFUSED(trawl_list_bytes(searcher, plan, NULL, 1, 0, NULL, 0, &count, error));
    CHECK_REFUSED(trawl_list_bytes(searcher, plan, "a", 1, 0, NULL, 0, NULL, error));
    CHECK_REFUSED(trawl_list_bytes(searcher, plan, "a", 1, 0, &match, 1, NULL, error));
    CHECK_REFUSED(trawl_list_bytes(searcher, plan, "a", 1, 0, NULL, 1, &count, error));
    CHECK_REFUSED(trawl_list_bytes(searcher, plan, "a", 1, 1, &match, 1, &count, error));
    TEST_CHECK_U64(count, 77);
    MUST(trawl_list_bytes(searcher, plan, NULL, 0, 0, NULL, 0, &count, NULL));
    TEST_CHECK_U64(count, 0);
    MUST(trawl_list_bytes(searcher, none, "a", 1, 0, &match, 1, &count, NULL));
    TEST_CHECK_U64(count, 0);
}

int main(void)
{
    chance = test_random_begin("unit_bytes");
    page = mmap(NULL, 3 * (size_t)PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || mprotect(page += PAGE, PAGE, PROT_READ | PROT_WRITE) != 0)
        return 1;
    all_kinds();
    ordinary_searches();
    threads();
    busy_and_cancelled();
    arguments();
    replaced();
    replace_arguments();
    return test_end();
}
