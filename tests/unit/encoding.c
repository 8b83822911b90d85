/* encoding: patterns and texts in an encoding that the caller decodes, against a loop over
 * characters.
 *
 * Of one byte: 0xe0 to 0xef are the small letters of 0xc0 to 0xcf, all of them letters; 0xb0 is a
 * capital whose small letter is b. Of two bytes: 0x81 and a letter of ASCII, of which 0x81 'q' to
 * 'v' are the small letters of 0x81 '1' to '6'. There the library's answer may hold more, but every
 * occurrence that begins at a character must be in it.
 */
#include "calls.h"

#define CASES_NORMAL 300
#define CASES_LONG 20000
#define TEXT_BYTES_MAX 200
#define PATTERN_BYTES_MAX 6

static uint32_t decode(void *context, const uint8_t *bytes, uint64_t count, uint32_t *code_point)
{
    bool wide = *(const bool *)context;

    if (wide && bytes[0] == 0x81 && count > 1 && bytes[1] >= '1' && bytes[1] <= 'z') {
        *code_point = 0x100u + bytes[1];
        return 2;
    }
    *code_point = bytes[0];
    return wide && bytes[0] >= 0x80 ? 0 : 1;
}

static uint32_t encode(void *context, uint32_t code_point, uint8_t bytes[4])
{
    (void)context;
    if (code_point >= 0x100) {
        bytes[0] = 0x81;
        bytes[1] = (uint8_t)(code_point - 0x100);
        return 2;
    }
    bytes[0] = (uint8_t)code_point;
    return 1;
}

static uint32_t capital(uint32_t code_point)
{
    if (code_point >= 'a' && code_point <= 'z')
        code_point -= 32;
    if (code_point == 0xb0)
        return 'B';
    if (code_point >= 0xe0 && code_point <= 0xef)
        return code_point - 0x20;
    return code_point >= 0x100 + 'q' && code_point <= 0x100 + 'v' ? code_point - 'q' + '1'
                                                                  : code_point;
}

static uint32_t variants(void *context, uint32_t code_point,
                         uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t count = 0;

    (void)context;
    for (uint32_t other = 0; other < 0x180; other++)
        if (capital(other) == capital(code_point))
            found[count++] = other;
    return count;
}

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    return (code_point >= 0xb0 && code_point < 0x100) || code_point >= 0x100 + 'a';
}

static bool word_at(bool *wide, const uint8_t *bytes, uint64_t count)
{
    uint32_t code_point;

    if (count == 0 || decode(wide, bytes, count, &code_point) == 0)
        return false;
    return code_point < 0x80 ? code_point == '_' || (code_point >= '0' && code_point <= '9') ||
                                   (capital(code_point) >= 'A' && capital(code_point) <= 'Z')
                             : is_word(NULL, code_point);
}

/* The end of the match at text[at], 0 if there is none: character by character. */
static uint64_t match_end(bool *wide, uint32_t flags, const uint8_t *pattern,
                          uint64_t pattern_bytes, const uint8_t *text, uint64_t text_bytes,
                          uint64_t at)
{
    for (uint64_t i = 0; i < pattern_bytes;) {
        uint32_t first = 0, second = 0, length, other;

        if (at >= text_bytes)
            return 0;
        length = decode(wide, pattern + i, pattern_bytes - i, &first);
        other = decode(wide, text + at, text_bytes - at, &second);
        if (length == 0 || other == 0) {
            if (pattern[i] != text[at] || length != other)
                return 0;
            length = other = 1;
        } else if (first != second &&
                   ((flags & TRAWL_IGNORE_CASE) == 0 || capital(first) != capital(second))) {
            return 0;
        }
        i += length;
        at += other;
    }
    return (flags & TRAWL_WHOLE_WORD) != 0 && word_at(wide, text + at, text_bytes - at) ? 0 : at;
}

struct found {
    bool at[TEXT_BYTES_MAX];
    uint64_t count;
};

static int take(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct found *found = context;

    for (uint64_t i = 0; i < match_count; i++) {
        found->count += !found->at[matches[i].begin];
        found->at[matches[i].begin] = true;
    }
    return 0;
}

static void check(struct test_random *random, struct trawl_searcher *searcher)
{
    static const uint8_t letters[] = {0x81, '1', 'q', 'b', 0xb0, 0xe1, 0xc1, ' ', 'A', 0xff};
    bool wide = test_random_one_in(random, 2), before = false;
    uint8_t text[TEXT_BYTES_MAX], bytes[PATTERN_BYTES_MAX];
    uint64_t text_bytes = test_random_between(random, 1, TEXT_BYTES_MAX), expected = 0, next = 0;
    struct trawl_pattern pattern = {bytes, test_random_between(random, 1, PATTERN_BYTES_MAX)};
    struct trawl_utf8 utf8 = {NULL, variants, is_word};
    struct trawl_encoding encoding = {&wide, wide ? 2 : 1, decode, encode};
    uint32_t flags = (uint32_t)test_random_below(random, 4);
    AUTO_PLAN plan = NULL;
    AUTO_TEXT source = NULL;
    struct found found;

    for (uint64_t i = 0; i < text_bytes; i++)
        text[i] = letters[test_random_below(random, sizeof letters)];
    for (uint64_t i = 0; i < pattern.bytes_count; i++)
        bytes[i] = letters[test_random_below(random, sizeof letters)];
    memset(&found, 0, sizeof found);
    plan = must_plans(&pattern, 1, PLAN_WITH(.flags = flags, .utf8 = &utf8, .encoding = &encoding));
    source = must_text(text, text_bytes);
    MUST(trawl_positions(searcher, plan, source, take, &found, NULL));
    for (uint64_t at = 0; at < text_bytes; at++) {
        uint32_t code_point, length = decode(&wide, text + at, text_bytes - at, &code_point);
        uint64_t end = match_end(&wide, flags, bytes, pattern.bytes_count, text, text_bytes, at);
        bool is_one = at == next && end > 0 && (!before || (flags & TRAWL_WHOLE_WORD) == 0);

        expected += is_one;
        TEST_CHECK(!is_one || found.at[at]);
        if (at == next) {
            before = word_at(&wide, text + at, text_bytes - at);
            next += length == 0 ? 1 : length;
        }
    }
    if (!wide)
        TEST_CHECK_U64(found.count, expected);
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
    struct test_random random = test_random_begin("encoding");
    AUTO_SEARCHER searcher = must_searcher_with(NULL);
    uint64_t wanted = test_amount(CASES_NORMAL, CASES_LONG);

    test_begin("encoding");
    check_bounds(searcher);
    for (uint64_t i = 0; i < wanted && test_failures < 5; i++)
        check(&random, searcher);
    return test_end();
}
