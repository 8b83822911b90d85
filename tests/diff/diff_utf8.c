/* diff_utf8: checks characters beyond ASCII. The caller tells the library which case variants such
 * a character has, and whether it is a word character.
 *
 * A small made-up table replaces Unicode's. It has pairs of letters with the same and with
 * different numbers of bytes, groups of three and more letters, and letters that equal ASCII
 * letters. The expected matches come from a simple search in this file, which decodes text and
 * pattern and compares code point by code point. In some inputs the table is one-sided: character A
 * has the variant B, but B lacks the variant A. In others each byte is a character. Further tests
 * check the lowest and highest characters of each length in UTF-8.
 */
#include "calls.h"
#include "diff/diff_answer.h"
#include "diff/borders.h"
#include "diff/held.h"
#include "diff/diff_run.h"

#define CASES_NORMAL 20000
#define CASES_LONG 200000
#define TEXT_CODE_POINTS_MAX 1500
#define GROUP_MAX 4
#define INVALID UINT32_MAX

/* Code points that equal each other; 0 ends a group. */
static const uint32_t groups[][GROUP_MAX] = {
    {'k', 'K', 0x212a, 0},        /* Kelvin sign: 1 and 3 bytes */
    {'s', 'S', 0x017f, 0},        /* long s: 1 and 2 bytes */
    {0x430, 0x410, 0, 0},         /* Cyrillic a */
    {0x44f, 0x42f, 0, 0},         /* Cyrillic ya: the second bytes differ in more than a bit */
    {0x3c3, 0x3c2, 0x3a3, 0},     /* sigma, final sigma, Sigma */
    {0xe5, 0xc5, 0x212b, 0},      /* a with ring, Angstrom sign: 2 and 3 bytes */
    {0xdf, 0x1e9e, 0, 0},         /* sharp s: 2 and 3 bytes */
    {0x10428, 0x10400, 0, 0},     /* Deseret: 4 bytes */
    {0x1c4, 0x1c5, 0x1c6, 0},     /* DZ with caron: upper, title, lower */
    {0x2c65, 0x23a, 0, 0},        /* a with stroke: 3 and 2 bytes */
    {0x3b8, 0x3d1, 0x3f4, 0x398}, /* theta: four */
    /* a pair here, but not in Unicode; 0x10000 is the first character of 4 bytes */
    {0xfffd, 0x10000, 0, 0},
    {0x7fe, 0x800, 0, 0}, /* unlike in Unicode, a pair; 0x800 is the first character of 3 bytes */
};
#define GROUPS (sizeof groups / sizeof *groups)

/* The letters in texts and patterns. */
static const uint32_t alphabet[] = {
    'k',    'K',    0x212a, 's',     'S',     0x17f,  0x430, 0x410, 0x44f, 0x42f,  0x3c3,   0x3c2,
    0x3a3,  0xe5,   0xc5,   0x212b,  0xdf,    0x1e9e, 0x1c4, 0x1c5, 0x1c6, 0x2c65, 0x23a,   0x3b8,
    0x3d1,  0x3f4,  0x398,  0x10428, 0x10400, ' ',    '\n',  'a',   'A',   '_',    '-',     '1',
    0x20ac, 0x2014, 0x4e2d, 0x1f600, 0x7f,    0x80,   0x7ff, 0x800, 0x7fe, 0xfffd, 0x10000,
};
#define LETTERS (sizeof alphabet / sizeof *alphabet)

/* The letters for texts in which each byte is a character. 0xe0 to 0xef are the small letters of
 * 0xc0 to 0xcf, and 0xb0 is a capital letter whose small letter is b. 0xc2 and 0x81 would be a
 * UTF-8 character. */
static const uint32_t single_alphabet[] = {0x81, '1', 'q', 'b',  0xb0, 0xe2,
                                           0xc2, ' ', 'A', 0xff, '\n', 'B'};
#define SINGLE_LETTERS (sizeof single_alphabet / sizeof *single_alphabet)
static bool is_single;

static uint32_t single_capital(uint32_t byte)
{
    if (byte >= 'a' && byte <= 'z')
        byte -= 32;
    if (byte == 0xb0)
        return 'B';
    return byte >= 0xe0 && byte <= 0xef ? byte - 0x20 : byte;
}

static const uint32_t *group_of(uint32_t code_point)
{
    for (uint32_t g = 0; g < GROUPS; g++)
        for (uint32_t i = 0; i < GROUP_MAX && groups[g][i] != 0; i++)
            if (groups[g][i] == code_point)
                return groups[g];
    return NULL;
}

/* A function `variants` for struct trawl_letters. If `context` is not NULL, the table is one-sided:
 * for two in three characters of a group, the function omits variants. */
static uint32_t variants(void *context, uint32_t code_point,
                         uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    const uint32_t *group = group_of(code_point);
    uint32_t count = 0;

    for (uint32_t byte = 0; is_single && byte < 256; byte++)
        if (single_capital(byte) == single_capital(code_point))
            found[count++] = byte;
    if (is_single)
        return count;
    if (context != NULL && group != NULL && code_point % 3 != 2) {
        found[0] = code_point;
        found[1] = group[code_point % 2];
        return code_point % 3 == 0 ? 2 : 1;
    }
    if (group != NULL) {
        while (count < GROUP_MAX && group[count] != 0) {
            found[count] = group[count];
            count++;
        }
        return count;
    }
    found[count++] = code_point;
    if (code_point < 128 && (code_point | 32) >= 'a' && (code_point | 32) <= 'z')
        found[count++] = code_point ^ 32;
    return count;
}

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    if (is_single)
        return code_point >= 0xb0;
    return (code_point >= 0xc0 && code_point < 0x500) || code_point == 0x4e2d ||
           code_point == 0x1e9e || (code_point >= 0x10400 && code_point < 0x10450);
}

static uint64_t encode(uint32_t code_point, uint8_t *bytes)
{
    if (code_point < 0x80 || is_single) {
        bytes[0] = (uint8_t)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        bytes[0] = (uint8_t)(0xc0 | code_point >> 6);
        bytes[1] = (uint8_t)(0x80 | (code_point & 63));
        return 2;
    }
    if (code_point < 0x10000) {
        bytes[0] = (uint8_t)(0xe0 | code_point >> 12);
        bytes[1] = (uint8_t)(0x80 | (code_point >> 6 & 63));
        bytes[2] = (uint8_t)(0x80 | (code_point & 63));
        return 3;
    }
    bytes[0] = (uint8_t)(0xf0 | code_point >> 18);
    bytes[1] = (uint8_t)(0x80 | (code_point >> 12 & 63));
    bytes[2] = (uint8_t)(0x80 | (code_point >> 6 & 63));
    bytes[3] = (uint8_t)(0x80 | (code_point & 63));
    return 4;
}

/* Returns the code point that begins at bytes[0], and stores its length. If there is no code point,
 * returns INVALID and stores 1. */
static uint32_t decode(const uint8_t *bytes, uint64_t room, uint64_t *length)
{
    uint32_t code_point = bytes[0];
    uint8_t again[4];

    *length = 1;
    if (code_point < 0x80 || is_single)
        return code_point;
    for (uint64_t count = 2; count <= 4 && count <= room; count++) {
        uint32_t lead_bits = 0x7fu >> count;
        code_point = bytes[0] & lead_bits;
        for (uint64_t i = 1; i < count; i++)
            code_point = code_point << 6 | (bytes[i] & 63);
        if (code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff) &&
            encode(code_point, again) == count && memcmp(again, bytes, (size_t)count) == 0) {
            *length = count;
            return code_point;
        }
    }
    return INVALID;
}

static uint32_t lower(uint32_t code_point)
{
    return code_point >= 'A' && code_point <= 'Z' ? code_point | 32 : code_point;
}

/* Returns true if the text's character `got` matches the pattern's character `wanted`. */
static bool stands_for(void *context, uint32_t got, uint32_t wanted, bool ignore_case)
{
    uint32_t found[TRAWL_UTF8_VARIANTS_MAX] = {0}, count;

    if (!ignore_case || got == wanted)
        return got == wanted;
    count = variants(context, wanted, found);
    for (uint32_t i = 0; i < count; i++)
        if (lower(found[i]) == lower(got))
            return true;
    return lower(got) == lower(wanted);
}

static bool word_code_point(uint32_t c)
{
    if (c < 128)
        return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
    return c != INVALID && is_word(NULL, c);
}

static bool word_before(const struct diff_input *input, uint64_t end)
{
    uint64_t length;

    for (uint64_t back = 1; back <= 4 && back <= end; back++) {
        uint32_t code_point =
            decode(input->text + end - back, input->text_bytes - (end - back), &length);
        if (code_point != INVALID && length == back)
            return word_code_point(code_point);
    }
    return false;
}

/* Returns true if pattern j begins at `begin`, and stores its end in *end. */
static bool occurs(const struct diff_input *input, void *context, uint64_t begin, uint64_t j,
                   uint64_t *end)
{
    struct naive_bytes pattern = input->patterns[j];
    bool ignore_case = (input->flags & NAIVE_IGNORE_CASE) != 0;
    uint64_t at = begin, text_length, pattern_length;

    for (uint64_t i = 0; i < pattern.bytes_count; i += pattern_length, at += text_length) {
        uint32_t got, wanted;
        if (at >= input->text_bytes)
            return false;
        got = decode(input->text + at, input->text_bytes - at, &text_length);
        wanted = decode(pattern.bytes + i, pattern.bytes_count - i, &pattern_length);
        if (wanted ==
            INVALID) { /* the pattern's byte is compared as it is, even within a character */
            text_length = 1;
            if (input->text[at] != pattern.bytes[i])
                return false;
        } else if (got == INVALID || !stands_for(context, got, wanted, ignore_case))
            return false;
    }
    *end = at;
    if ((input->flags & NAIVE_WHOLE_LINE) &&
        ((begin > 0 && input->text[begin - 1] != input->line_end) ||
         (at < input->text_bytes && input->text[at] != input->line_end)))
        return false;
    if (input->flags & NAIVE_WHOLE_WORD)
        return !word_before(input, begin) &&
               (at == input->text_bytes ||
                !word_code_point(decode(input->text + at, input->text_bytes - at, &text_length)));
    return true;
}

static void expect(const struct diff_input *input, void *context, struct diff_expected *expected)
{
    struct naive_query query = input_query(input);
    struct naive_bytes text = {input->text, input->text_bytes};
    uint64_t end;

    expected->matches =
        test_memory(input->text_bytes * input->pattern_count * sizeof *expected->matches);
    expected->match_count = 0;
    for (uint64_t begin = 0; begin < input->text_bytes; begin++)
        for (uint64_t j = 0; j < input->pattern_count; j++)
            if (occurs(input, context, begin, j, &end))
                expected->matches[expected->match_count++] = (struct naive_match){begin, end, j};
    expected->line_count =
        naive_lines(&query, text, expected->matches, expected->match_count, false);
    expected->line_count_inverted =
        naive_lines(&query, text, expected->matches, expected->match_count, true);
}

static uint64_t fill(struct test_random *random, const uint32_t *letters, uint64_t letter_count,
                     uint64_t code_points, uint8_t *bytes)
{
    uint64_t count = 0;

    for (; code_points > 0; code_points--)
        count += encode(letters[test_random_below(random, letter_count)], bytes + count);
    return count;
}

/* Makes an input with at most 6 different letters, so that patterns occur. */
static void generate(struct test_random *random, struct diff_input *input)
{
    static const uint32_t words[] = {'k', 0x430, 0x1e9e, 0x10428};
    uint32_t letters[6];
    uint64_t letter_count = test_random_between(random, 1, 6);
    uint8_t pattern[400];

    memset(input, 0, sizeof *input);
    for (uint64_t i = 0; i < letter_count; i++)
        letters[i] =
            is_single
                ? single_alphabet[test_random_below(random, SINGLE_LETTERS)]
                : alphabet[test_random_below(random, test_random_one_in(random, 2) ? 6 : LETTERS)];
    input->kind = is_single ? "characters of a byte" : "UTF-8";
    input->line_end = '\n';
    input->flags =
        test_random_one_in(random, 4) ? (uint32_t)test_random_below(random, 8) : NAIVE_IGNORE_CASE;
    /* To check whole words, the library decodes the character before the word backwards. So texts
     * of words have a frequent letter of 1, 2, 3 or 4 bytes. */
    if ((input->flags & NAIVE_WHOLE_WORD) != 0 && !is_single)
        letters[0] = words[test_random_below(random, sizeof words / sizeof *words)];
    input->text = test_memory((uint64_t)4 * TEXT_CODE_POINTS_MAX);
    input->text_bytes =
        fill(random, letters, letter_count,
             test_random_below(random, test_random_one_in(random, 8) ? TEXT_CODE_POINTS_MAX : 90),
             input->text);
    for (uint64_t count = test_random_between(random, 1, test_random_one_in(random, 2) ? 9 : 1);
         count > 0; count--) {
        uint64_t length_max = test_random_one_in(random, 4)   ? 90
                              : test_random_one_in(random, 2) ? 12
                                                              : 5;
        uint64_t bytes = fill(random, letters, letter_count,
                              test_random_between(random, 1, length_max), pattern);
        /* In most cases this byte is not a character. A library with a bug might treat all such
         * bytes as equal. */
        if (test_random_one_in(random, 6))
            pattern[test_random_below(random, bytes)] =
                (uint8_t)test_random_between(random, 128, 255);
        input_add_pattern(input, pattern, bytes);
        if (bytes > 1 && test_random_one_in(random, 6))
            pattern[test_random_below(random, bytes)] ^= 1;
        if (bytes <= input->text_bytes && test_random_one_in(random, 2)) {
            uint64_t begin = test_random_below(random, input->text_bytes - bytes + 1);
            /* may split characters of the text */
            memcpy(input->text + begin, pattern, (size_t)bytes);
        }
    }
}

/* Ends the text with a pattern in which each character is replaced by one of its variants. */
static void end_with_variants(struct test_random *random, void *context, struct diff_input *input)
{
    struct naive_bytes pattern = input->patterns[test_random_below(random, input->pattern_count)];
    uint32_t found[TRAWL_UTF8_VARIANTS_MAX];
    uint64_t count = 0, length;
    uint8_t bytes[400];

    for (uint64_t i = 0; i < pattern.bytes_count; i += length) {
        uint32_t code_point = decode(pattern.bytes + i, pattern.bytes_count - i, &length);

        if (code_point == INVALID) {
            bytes[count++] = pattern.bytes[i];
            continue;
        }
        count += encode(found[test_random_below(random, variants(context, code_point, found))],
                        bytes + count);
    }
    if (count <= input->text_bytes)
        memcpy(input->text + input->text_bytes - count, bytes, (size_t)count);
}

static enum trawl_status build(const struct diff_input *input, void *context,
                               enum trawl_method method, struct trawl_plan **plan,
                               struct trawl_error *error)
{
    struct trawl_letters utf8 = {sizeof utf8, context, variants, is_word, NULL};

    return held_plan(
        input,
        PLAN_WITH(.method = method, .letters = &utf8, .flags = is_single ? TRAWL_SINGLE_BYTE : 0),
        plan, error);
}

static void print_failure(const struct diff_input *input, const struct run_config *config,
                          const char *message)
{
    char line[700];

    run_describe(input, config, line, sizeof line);
    printf("  %s\n  %s\n", message, line);
    for (uint64_t j = 0; j < input->pattern_count; j++) {
        printf("  pattern %" PRIu64 ": ", j);
        for (uint64_t i = 0; i < input->patterns[j].bytes_count; i++)
            printf("%02x", input->patterns[j].bytes[i]);
        printf("\n");
    }
    printf("  text: ");
    for (uint64_t i = 0; i < input->text_bytes && i < 400; i++)
        printf("%02x", input->text[i]);
    printf("\n");
}

static struct trawl_searcher *searcher_for(struct run_config *config, uint64_t choice)
{
    static const uint64_t chunk_sizes[] = {0, 1, 7, 64, 300};
    const uint32_t set = (uint32_t)(choice % instruction_set_count());

    config->instruction_set = trawl_instruction_set(set);
    config->chunk_bytes = chunk_sizes[choice / 16 % 5];
    config->threads = 1 + choice / 16 % 2;
    return run_searcher_for(config, set, choice / 16 % 5);
}

/* The first and the last character of each length, and neighbouring bytes that are not characters
 * (RFC 3629). Random texts have only some of these characters, and hardly ever these other bytes,
 * so they would miss an off-by-one comparison in the decoder. */
static const struct {
    uint32_t code_point; /* 0: these bytes are not a character, and do not end in a character */
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

/* Makes the letter k and the code point *context variants of each other. */
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
    /* here every value beyond ASCII counts as a letter, even if it is not a character */
    return code_point >= 0x80 && code_point < 0x110000;
}

static uint64_t count_in(struct trawl_searcher *searcher, uint32_t flags, const uint32_t *bound,
                         const char *pattern, const char *string)
{
    struct trawl_letters utf8 = {sizeof utf8, (void *)(uintptr_t)bound, bound_variants, every_word,
                                 NULL};
    AUTO_PLAN plan = must_plan_with(pattern, PLAN_WITH(.flags = flags, .letters = &utf8));
    AUTO_TEXT text = must_string(string);

    return must_count(searcher, plan, text);
}

static void check_bounds(struct trawl_searcher *searcher)
{
    /* variants that are not characters: 0x178 does not fit in a byte, and 0x110078 is beyond
     * Unicode */
    static const uint32_t beyond[] = {0x178, 0x110078};

    TEST_CHECK_U64(count_in(searcher, TRAWL_IGNORE_CASE | TRAWL_SINGLE_BYTE, beyond, "ka", "xa"),
                   0);
    TEST_CHECK_U64(count_in(searcher, TRAWL_IGNORE_CASE, beyond + 1, "ka",
                            "\xf4\x90\x81\xb8"
                            "a"),
                   0);
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
        /* bytes outside of characters make a strict word longer, too */
        (void)snprintf(text, sizeof text, "-x%s- -%sx- -x-", bounds[i].bytes, bounds[i].bytes);
        TEST_CHECK_U64(count_in(searcher, TRAWL_WHOLE_WORD | TRAWL_STRICT_WORD, &bound, "x", text),
                       1);
        if (bound == 0)
            continue;
        (void)snprintf(text, sizeof text, "-ka-%sa-%s-ak", bounds[i].bytes, bounds[i].bytes);
        TEST_CHECK_U64(count_in(searcher, TRAWL_IGNORE_CASE, &bound, "ka", text), 2);
        TEST_CHECK_U64(count_in(searcher, TRAWL_IGNORE_CASE, &bound, bounds[i].bytes, text), 4);
    }
}

static uint32_t only_itself(void *context, uint32_t code_point,
                            uint32_t found[TRAWL_UTF8_VARIANTS_MAX])
{
    (void)context;
    found[0] = code_point;
    return 1;
}

/* A single character's forms may begin alike: 'x' and 'x', NUL; or U+BFEB, whose bytes in UTF-16LE
 * begin those in UTF-8. */
static void check_wide(struct trawl_searcher *searcher)
{
    static const struct {
        const char *pattern, *text;
        uint64_t bytes, count;
    } rows[] = {{"ab", "ab a\0b\0 a\0\0b", 12, 2},
                {"x", "x x\0", 4, 2},
                {"\xeb\xbf\xab", "\xeb\xbf\xab \xeb\xbf", 6, 2},
                {"\xf0\x9f\x98\x80", "=\xd8\0\xde", 4, 1},
                {"\xff", "\xff \xff\0", 4, 2},
                {"A\x01", "a\x01 A\x01 A\0\x01\0", 10, 2}};

    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trawl_letters letters = {
            .size = sizeof letters, .variants = only_itself, .is_word = every_word};
        AUTO_PLAN plan =
            must_plan_with(rows[i].pattern, PLAN_WITH(.flags = TRAWL_WIDE, .letters = &letters));
        AUTO_TEXT text = must_text(rows[i].text, rows[i].bytes);

        TEST_CHECK_U64(must_count(searcher, plan, text), rows[i].count);
    }
}

int main(void)
{
    struct test_random random = test_random_begin("utf8");
    uint64_t cases = 0, wanted = test_amount(CASES_NORMAL, CASES_LONG);
    uint64_t built[TRAWL_METHODS_COUNT] = {0}, matches = 0;
    AUTO_SEARCHER plain = must_searcher(1, 0);

    test_begin("utf8");
    check_bounds(plain);
    check_wide(plain);
    /* a run with few cases continues until both ways to answer were taken */
    while ((cases < wanted ||
            (cases < 16 * wanted && (!answer_scans.dense || !answer_scans.by_parts))) &&
           test_failures < 5) {
        struct diff_input input;
        struct diff_expected expected;
        void *context = test_random_one_in(&random, 4) ? &random : NULL;

        is_single = test_random_one_in(&random, 6);

        borders_draw(&random);
        generate(&random, &input);
        borders_plant(&random, &input);
        if ((input.flags & NAIVE_IGNORE_CASE) != 0 && !test_random_one_in(&random, 4))
            end_with_variants(&random, context, &input);
        expect(&input, context, &expected);
        matches += expected.match_count;
        for (uint32_t method = 0; method < TRAWL_METHODS_COUNT; method++) {
            struct run_config config = {.method = (enum trawl_method)method};
            char message[HELD_MESSAGE_BYTES];
            struct trawl_plan *plan = NULL;
            /* how many scans (parts of an engine's search) are checked directly: 3 for method AUTO,
             * which may divide the set into parts; 1 for SET; 0 for others */
            uint32_t answers;
            enum trawl_status status = build(&input, context, config.method, &plan, NULL);
            if (!TEST_CHECK(status == TRAWL_OK || (status == TRAWL_ARGUMENT && method > 0)))
                print_failure(&input, &config, "the plan was not built");
            built[method] += status == TRAWL_OK;
            for (int repeat = 0; repeat < 3 && status == TRAWL_OK; repeat++, cases++) {
                struct trawl_searcher *searcher = searcher_for(&config, test_random_u64(&random));
                config.call = (enum held_call)test_random_below(&random, HELD_CALLS);
                /* whole words are always searched in pipes as well: there the character before a
                 * word may be in an earlier piece. Other searches use pipes in one case of four. */
                config.place = (enum place_kind)test_random_below(
                    &random, (input.flags & NAIVE_WHOLE_WORD) != 0 || test_random_one_in(&random, 4)
                                 ? PLACE_KINDS
                                 : PLACE_FILE);
                config.place_offset = test_random_u64(&random) >> 8;
                config.parameter = test_random_u64(&random);
                if (!TEST_CHECK(
                        run_call(&input, &expected, &config, plan, searcher, NULL, message)))
                    print_failure(&input, &config, message);
            }
            answers = method == TRAWL_METHOD_AUTO ? 3 : method == TRAWL_METHOD_SET;
            for (; plan != NULL && input.text_bytes > 0 && answers > 0; answers--)
                answer_check(&input, &expected, plan, trawl_instruction_set(0), &random);
            trawl_plan_free(plan);
        }
        expected_free(&expected);
        input_free(&input);
    }
    for (uint32_t method = 0; method < TRAWL_METHODS_COUNT; method++)
        printf("%s: %" PRIu64 " plans\n", method_name((enum trawl_method)method), built[method]);
    printf("%" PRIu64 " cases, %" PRIu64 " matches expected\n", cases, matches);
    TEST_CHECK(built[TRAWL_METHOD_AUTO] > 0 && matches > 0);
    TEST_CHECK(answer_scans.dense > 0 && answer_scans.by_parts > 0);
    return test_end();
}
