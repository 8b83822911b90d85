/* characters: letters and words beyond ASCII: where each byte is a character, against a loop over
 * the bytes, and the borders of UTF-8.
 *
 * Of single bytes 0xe0 to 0xef are the small letters of 0xc0 to 0xcf, all of them letters; 0xb0 is
 * a capital whose small letter is b.
 */
#include "calls.h"

#define CASES_NORMAL 300
#define CASES_LONG 20000
#define TEXT_BYTES_MAX 200
#define PATTERN_BYTES_MAX 6

static uint32_t capital(uint32_t byte)
{
    if (byte >= 'a' && byte <= 'z')
        byte -= 32;
    if (byte == 0xb0)
        return 'B';
    return byte >= 0xe0 && byte <= 0xef ? byte - 0x20 : byte;
}

static uint32_t variants(void *context, uint32_t byte, uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t count = 0;

    (void)context;
    for (uint32_t other = 0; other < 0x100; other++)
        if (capital(other) == capital(byte))
            found[count++] = other;
    return count;
}

static bool is_word(void *context, uint32_t byte)
{
    (void)context;
    return byte >= 0xb0;
}

static bool word_at(const uint8_t *bytes, uint64_t at, uint64_t count)
{
    return at < count &&
           (bytes[at] == '_' || (bytes[at] >= '0' && bytes[at] <= '9') ||
            (capital(bytes[at]) >= 'A' && capital(bytes[at]) <= 'Z') || is_word(NULL, bytes[at]));
}

static bool is_match(uint32_t flags, const struct trawl_pattern *pattern, const uint8_t *text,
                     uint64_t text_bytes, uint64_t at)
{
    const uint8_t *bytes = pattern->bytes;
    uint64_t end = at + pattern->bytes_count;

    if (end > text_bytes || ((flags & TRAWL_WHOLE_WORD) != 0 &&
                             (word_at(text, at - 1, text_bytes) || word_at(text, end, text_bytes))))
        return false;
    for (uint64_t i = 0; i < pattern->bytes_count; i++)
        if (bytes[i] != text[at + i] &&
            ((flags & TRAWL_IGNORE_CASE) == 0 || capital(bytes[i]) != capital(text[at + i])))
            return false;
    return true;
}

static void check(struct test_random *random, struct trawl_searcher *searcher)
{
    static const uint8_t letters[] = {0x81, '1', 'q', 'b', 0xb0, 0xe1, 0xc1, ' ', 'A', 0xff};
    uint8_t text[TEXT_BYTES_MAX], bytes[PATTERN_BYTES_MAX];
    uint64_t text_bytes = test_random_between(random, 1, TEXT_BYTES_MAX), expected = 0, count = 0;
    struct trawl_pattern pattern = {bytes, test_random_between(random, 1, PATTERN_BYTES_MAX)};
    struct trawl_utf8 utf8 = {NULL, variants, is_word};
    uint32_t flags = (uint32_t)test_random_below(random, 4);
    uint64_t begins[TEXT_BYTES_MAX];
    AUTO_PLAN plan = NULL;
    AUTO_TEXT source = NULL;

    for (uint64_t i = 0; i < text_bytes; i++)
        text[i] = letters[test_random_below(random, sizeof letters)];
    for (uint64_t i = 0; i < pattern.bytes_count; i++)
        bytes[i] = letters[test_random_below(random, sizeof letters)];
    plan = must_plans(&pattern, 1, PLAN_WITH(.flags = flags | TRAWL_SINGLE_BYTE, .utf8 = &utf8));
    source = must_text(text, text_bytes);
    MUST(trawl_begins_into(searcher, plan, source, begins, TEXT_BYTES_MAX, &count, NULL));
    for (uint64_t at = 0; at < text_bytes; at++)
        if (is_match(flags, &pattern, text, text_bytes, at)) {
            TEST_CHECK(expected < count && begins[expected] == at);
            expected++;
        }
    TEST_CHECK_U64(count, expected);
}

/* ---- UTF-8 -------------------------------------------------------------------------------- */

/* The first and the last characters of each length and around what are none, by hand (RFC 3629).
 * Random letters are never these: so each comparison of the decoder could be one off. */
static const struct {
    uint32_t code_point; /* 0: these bytes are no character, nor do they end in one */
    const char *bytes;
} bounds[] = {{0x80, "\xc2\x80"},
              {0, "\xc1\xbf"},
              {0x7ff, "\xdf\xbf"},
              {0, "\xe0\x9f\xbf"},
              {0x800, "\xe0\xa0\x80"},
              {0xd7ff, "\xed\x9f\xbf"},
              {0, "\xed\xa0\x80"},
              {0, "\xed\xbf\xbf"},
              {0xe000, "\xee\x80\x80"},
              {0xffff, "\xef\xbf\xbf"},
              {0, "\xf0\x8f\xbf\xbf"},
              {0x10000, "\xf0\x90\x80\x80"},
              {0xfffff, "\xf3\xbf\xbf\xbf"},
              {0x100000, "\xf4\x80\x80\x80"},
              {0x10ffff, "\xf4\x8f\xbf\xbf"},
              {0, "\xf4\x90\x80\x80"},
              {0, "\xf5\x80\x80\x80"},
              {0, "\x80"},
              {0, "\xbf\xbf\xbf\xbf"}};

/* Of the letter k: the code point that the context points to. Of that the letter. */
static uint32_t bound_variants(void *context, uint32_t code_point,
                               uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t bound = *(const uint32_t *)context;

    found[0] = code_point;
    if (code_point != 'k' && code_point != bound)
        return 1;
    found[1] = code_point == 'k' ? bound : 'k';
    return 2;
}

static bool every_word(void *context, uint32_t code_point)
{
    (void)context;
    return code_point >= 0x80;
}

static uint64_t count_in(struct trawl_searcher *searcher, uint32_t flags, const uint32_t *bound,
                         const char *pattern, const char *string)
{
    struct trawl_utf8 utf8 = {(void *)(uintptr_t)bound, bound_variants, every_word};
    AUTO_PLAN plan = must_plan_with(pattern, PLAN_WITH(.flags = flags, .utf8 = &utf8));
    AUTO_TEXT text = must_string(string);

    return must_count(searcher, plan, text);
}

static void check_bounds(struct trawl_searcher *searcher)
{
    for (uint32_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        uint32_t bound = bounds[i].code_point;
        char text[64];

        /* a word character, before or after, makes the word longer; other bytes do not */
        (void)snprintf(text, sizeof text, "- x%s -", bounds[i].bytes);
        TEST_CHECK_U64(count_in(searcher, TRAWL_WHOLE_WORD, &bound, "x", text), bound == 0);
        (void)snprintf(text, sizeof text, "- %sx -", bounds[i].bytes);
        TEST_CHECK_U64(count_in(searcher, TRAWL_WHOLE_WORD, &bound, "x", text), bound == 0);
        (void)snprintf(text, sizeof text, "%sx", bounds[i].bytes);
        TEST_CHECK_U64(count_in(searcher, TRAWL_WHOLE_WORD, &bound, "x", text), bound == 0);
        if (bound == 0)
            continue;
        (void)snprintf(text, sizeof text, "-ka-%sa-%s-ak", bounds[i].bytes, bounds[i].bytes);
        TEST_CHECK_U64(count_in(searcher, TRAWL_IGNORE_CASE, &bound, "ka", text), 2);
        TEST_CHECK_U64(count_in(searcher, TRAWL_IGNORE_CASE, &bound, bounds[i].bytes, text), 4);
    }
}

int main(void)
{
    struct test_random random = test_random_begin("characters");
    AUTO_SEARCHER searcher = must_searcher_with(NULL);
    uint64_t wanted = test_amount(CASES_NORMAL, CASES_LONG);

    test_begin("characters");
    check_bounds(searcher);
    for (uint64_t i = 0; i < wanted && test_failures < 5; i++)
        check(&random, searcher);
    return test_end();
}
