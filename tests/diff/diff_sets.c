/* diff_sets: compares searches for sets of strings with a simple search. Together the inputs lead
 * to each way in which the library verifies candidates. */
#include "calls.h"
#include "cpu/set_matcher.h"
#include "diff/diff_answer.h"
#include "diff/borders.h"
#include "diff/diff_run.h"
#include "oracle/oracle_aho.h"

#define CASES_NORMAL 120
#define CASES_LONG 200000
#define CASES_TURNING 8
/* after this many cases, each way to search for a set must have been used */
#define CASES_TELLING 7
#define PATTERN_BYTES_MAX 300u
/* Lengths of strings that are longer than the part of the text that one vector lane reads in a step
 * of the automaton. */
#define LENGTHY_BYTES_MIN 3900u
#define LENGTHY_BYTES_MAX 5000u
#define LENGTHY_FROM_MAX 200u
#define ALIKE_PATTERNS 2000u
#define ALIKE_WORDS 3000u
#define ALIKE_HASH_BITS 11u
/* with so few letters, the first four letters of most words begin some pattern */
#define ALIKE_LETTERS 10u
#define ALIKE_BYTES 7u
#define BRIEF_WORDS 300u
#define BRIEF_BYTES 6u
#define BRIEF_TEXT_MAX 1024u

static struct test_random chance;

static void add_slice(struct diff_input *input, const uint8_t *bytes, uint64_t from, uint64_t count)
{
    input_add_pattern(input, bytes + from, count);
}

/* Adds slices of `source`, nested in one of six ways. */
static void add_nested(struct diff_input *input, const uint8_t *source, uint64_t source_bytes,
                       uint64_t count)
{
    uint32_t way = (uint32_t)test_random_below(&chance, 6);
    uint64_t longest = test_random_between(&chance, 1, PATTERN_BYTES_MAX);

    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = 1 + (way < 4 ? i % longest : test_random_below(&chance, longest));
        uint64_t from = test_random_below(&chance, source_bytes - PATTERN_BYTES_MAX);

        if (way == 0) /* prefixes of a string, in ascending order of length */
            add_slice(input, source, 0, bytes);
        else if (way == 1) /* prefixes, the longest first */
            add_slice(input, source, 0, longest - bytes + 1);
        else if (way == 2) /* suffixes of a prefix */
            add_slice(input, source, longest - bytes, bytes);
        else if (way == 3) /* slices of these lengths, at random offsets */
            add_slice(input, source, from, bytes);
        else if (way == 4) /* short slices */
            add_slice(input, source, from, 1 + bytes % 8);
        else /* long slices */
            add_slice(input, source, from, 12 + bytes % 20);
    }
}

static const enum input_kind kinds[] = {
    INPUT_LETTERS_1,   INPUT_LETTERS_2, INPUT_LETTERS_4,         INPUT_LETTERS_26,
    INPUT_LETTERS_256, INPUT_PERIODIC,  INPUT_ALMOST_ONE_LETTER, INPUT_FIBONACCI,
    INPUT_THUE_MORSE,  INPUT_WORDS,     INPUT_MIXED_CASE};

/* Makes a text of pieces of the source, of pieces of other kinds, and of line ends. */
static void generate(uint64_t patterns_max, uint64_t text_bytes, struct diff_input *input)
{
    static const uint32_t flags[] = {
        0, 0, 0, NAIVE_IGNORE_CASE, NAIVE_WHOLE_WORD, NAIVE_WHOLE_LINE};
    enum input_kind kind = kinds[test_random_below(&chance, sizeof kinds / sizeof *kinds)];
    uint64_t source_bytes = PATTERN_BYTES_MAX + 1 + test_random_below(&chance, 4000);
    uint8_t *source = test_memory(source_bytes);
    uint64_t count = test_random_between(&chance, 2, patterns_max);

    (void)input_fill(&chance, kind, source, source_bytes);
    input_begin(&chance, kinds[test_random_below(&chance, sizeof kinds / sizeof *kinds)],
                text_bytes, input);
    input->flags = flags[test_random_below(&chance, sizeof flags / sizeof *flags)];
    for (uint64_t at = 0; at < text_bytes;) {
        uint64_t bytes = test_random_between(&chance, 1, 2000);
        uint64_t from = test_random_below(&chance, source_bytes);

        bytes = bytes < text_bytes - at ? bytes : text_bytes - at;
        bytes = bytes < source_bytes - from ? bytes : source_bytes - from;
        if (!test_random_one_in(&chance, 3))
            memcpy(input->text + at, source + from, (size_t)bytes);
        at += bytes;
        if (at < text_bytes && test_random_one_in(&chance, 2))
            input->text[at++] = test_random_one_in(&chance, 8) ? '\0' : '\n';
    }
    add_nested(input, source, source_bytes, count);
    if (test_random_one_in(&chance, 4)) /* a string of a single byte */
        add_slice(input, source, 0, 1);
    if (test_random_one_in(&chance, 4))
        add_nested(input, source, source_bytes, count / 2);
    free(source);
}

/* Makes words, many of which begin alike, and lines of similar length that contain the words whole,
 * cut short, or with a changed last byte. In some inputs each line has a word of the set, in others
 * few lines do. */
static void generate_lines(struct diff_input *input)
{
    uint64_t count = test_random_between(&chance, 33, 400), longest, line, at = 0;
    uint64_t rare = test_random_between(&chance, 1, 40);
    uint8_t *source = test_memory(count * 16);

    longest = test_random_between(&chance, 4, 16);
    line = test_random_between(&chance, 1, test_random_one_in(&chance, 4) ? 2000 : 200);
    (void)input_fill(&chance, INPUT_LETTERS_26, source, count * 16);
    input_begin(&chance, INPUT_LETTERS_26, test_random_between(&chance, 200, 6000), input);
    input->flags = test_random_one_in(&chance, 4) ? NAIVE_IGNORE_CASE : 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && test_random_one_in(&chance, 2))
            memcpy(source + 16 * i, source + 16 * test_random_below(&chance, i), 8);
        if (test_random_one_in(&chance, 50))
            source[16 * i + test_random_below(&chance, 4)] = '\n';
        add_slice(input, source, 16 * i, test_random_between(&chance, 4, longest));
    }
    while (at < input->text_bytes) {
        uint64_t bytes = test_random_between(&chance, 4, 16), left = input->text_bytes - at;

        bytes = bytes < left ? bytes : left;
        if (test_random_one_in(&chance, 100))
            rare = test_random_between(&chance, 1, 40);
        if (test_random_one_in(&chance, rare))
            memcpy(input->text + at, source + 16 * test_random_below(&chance, count), bytes);
        if (test_random_one_in(&chance, 3))
            input->text[at + bytes - 1] = (uint8_t)test_random_between(&chance, 'a', 'z');
        at += bytes;
        if (at < input->text_bytes && test_random_one_in(&chance, line / 10 + 1))
            input->text[at++] = test_random_one_in(&chance, 50) ? '\0' : '\n';
    }
    free(source);
}

static struct naive_match *oracle(const struct diff_input *input, uint64_t *match_count)
{
    struct naive_query query = input_query(input);

    return aho_matches(&query, (struct naive_bytes){input->text, input->text_bytes}, match_count);
}

/* Checks that this file's fast computation of the expected matches agrees with the simple search.
 */
static void check_oracle(const struct diff_input *input)
{
    struct naive_query query = input_query(input);
    struct naive_bytes text = {input->text, input->text_bytes};
    uint64_t count, naive_count = naive_matches(&query, text, NULL, 0);
    struct naive_match *matches = oracle(input, &count);
    struct naive_match *naive = test_memory((naive_count + 1) * sizeof *naive);

    (void)naive_matches(&query, text, naive, naive_count);
    if (TEST_CHECK_U64(count, naive_count))
        for (uint64_t i = 0; i < count; i++)
            if (!TEST_CHECK(matches[i].begin == naive[i].begin && matches[i].end == naive[i].end &&
                            matches[i].pattern_index == naive[i].pattern_index))
                break;
    free(naive);
    free(matches);
}

static void end_text(struct diff_input *input, struct naive_bytes string)
{
    if (string.bytes_count <= input->text_bytes)
        memcpy(input->text + input->text_bytes - string.bytes_count, string.bytes,
               (size_t)string.bytes_count);
}

/* Makes strings that are too long for the automaton, many of which begin near each other in the
 * text, and some of which are equal; often also strings of 1 to 20 bytes, and sometimes 30 strings
 * of 1,000 to 2,000 bytes. In two of three inputs the first string is the end of the text, or all
 * of it. */
static void generate_lengthy(struct diff_input *input)
{
    uint64_t source_bytes = LENGTHY_FROM_MAX + LENGTHY_BYTES_MAX, text_bytes = 4 * source_bytes;
    bool many = test_random_one_in(&chance, 4);
    uint8_t *source = test_memory(source_bytes);

    (void)input_fill(&chance, INPUT_LETTERS_256, source, source_bytes);
    for (uint64_t i = 0; i < source_bytes; i++)
        source[i] = source[i] == '\n' ? ' ' : source[i];
    input_begin(&chance, INPUT_LETTERS_2, text_bytes, input);
    for (uint64_t at = 0; at < text_bytes;) {
        uint64_t from = test_random_below(&chance, LENGTHY_FROM_MAX);
        uint64_t bytes =
            source_bytes - from < text_bytes - at ? source_bytes - from : text_bytes - at;

        memcpy(input->text + at, source + from, (size_t)bytes);
        at += bytes;
        if (at < text_bytes && test_random_one_in(&chance, 2))
            input->text[at++] = '\n';
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t bytes = test_random_between(&chance, LENGTHY_BYTES_MIN, LENGTHY_BYTES_MAX);
        uint64_t from = test_random_below(&chance, LENGTHY_FROM_MAX);

        for (uint64_t copies = test_random_between(&chance, 1, 3); copies > 0; copies--)
            add_slice(input, source, from, bytes - copies % 2);
        if (from > 0 && test_random_one_in(&chance, 2))
            add_slice(input, source, from - 1, test_random_between(&chance, 1, 20));
    }
    if (!test_random_one_in(&chance, 3)) { /* the first string is the text's end, or all of it */
        if (test_random_one_in(&chance, 2))
            input->text_bytes = input->patterns[0].bytes_count;
        end_text(input, input->patterns[0]);
    }
    for (uint32_t i = 0; i < 30 && many; i++)
        add_slice(input, source, test_random_below(&chance, 3000),
                  test_random_between(&chance, 1000, 2000));
    free(source);
}

/* Adds a string with a byte that is not a letter. The text has the same string with another byte
 * that differs from this one only in bit 5, like the cases of a letter. */
static void add_near_letter(struct diff_input *input, const uint8_t *source)
{
    static const uint8_t near_letters[] = {'@', '[', '`', '{', '0', 0x10, '_', 0x7f};
    uint8_t bytes[16];
    uint64_t count = test_random_between(&chance, 4, 12);
    uint64_t at = test_random_below(&chance, count);

    memcpy(bytes, source + test_random_below(&chance, 100), sizeof bytes);
    bytes[at] = near_letters[test_random_below(&chance, sizeof near_letters)];
    input_add_pattern(input, bytes, count);
    bytes[at] ^= 0x20;
    if (count <= input->text_bytes)
        memcpy(input->text + test_random_below(&chance, input->text_bytes - count + 1), bytes,
               (size_t)count);
}

/* Makes 35 to 9,000 strings, as for the classes method, which groups strings by length. In some
 * inputs one string is shorter. */
static void generate_many(struct diff_input *input)
{
    static const uint64_t counts[] = {9000, 9000, 600, 600, 1600, 300, 200, 100, 60, 35};
    static const uint32_t flags[] = {0, 0, NAIVE_IGNORE_CASE, NAIVE_WHOLE_WORD};
    uint64_t source_bytes = 6000, min = test_random_between(&chance, 1, 30);
    uint64_t count = counts[test_random_below(&chance, sizeof counts / sizeof *counts)];
    uint8_t *source = test_memory(source_bytes);
    enum input_kind kind = kinds[test_random_below(&chance, sizeof kinds / sizeof *kinds)];

    if (test_random_one_in(&chance, 2)) { /* words */
        kind = test_random_one_in(&chance, 2) ? INPUT_LETTERS_26 : INPUT_WORDS;
        min = test_random_between(&chance, 4, 12);
    }
    (void)input_fill(&chance, kind, source, source_bytes);
    input_begin(&chance, kind, test_random_between(&chance, 1, count <= 600 ? 2000 : 200), input);
    input->flags = flags[test_random_below(&chance, sizeof flags / sizeof *flags)];
    memcpy(input->text, source + test_random_below(&chance, 100), (size_t)input->text_bytes / 2);
    if (input->text_bytes > 300) /* slices of the source at random offsets, across all boundaries */
        for (uint32_t i = 0; i < 10; i++)
            memcpy(input->text + test_random_below(&chance, input->text_bytes - 100),
                   source + test_random_below(&chance, source_bytes - 100), 100);
    for (uint64_t i = test_random_below(&chance, 6); i > 0; i--) { /* a few runs of zeros */
        uint64_t at = test_random_below(&chance, input->text_bytes), left = input->text_bytes - at;

        memset(input->text + at, 0, left < 8 ? left : 8);
    }
    for (uint64_t i = 0; i < count; i++)
        add_slice(input, source, test_random_below(&chance, source_bytes - 60),
                  test_random_between(&chance, min, 2 * min));
    if (test_random_one_in(&chance, 3))
        add_slice(input, source, 5, test_random_between(&chance, 1, 4));
    for (uint64_t i = test_random_below(&chance, 4); i > 0; i--)
        add_near_letter(input, source);
    if (test_random_one_in(&chance, 2))
        end_text(input, input->patterns[test_random_below(&chance, count)]);
    free(source);
}

/* Makes words whose hashes begin with the same bits, so that each word of the text is compared with
 * all patterns. Few of the text's words are patterns, so the worker's limit on comparisons is
 * exceeded before an occurrence is found. In half of the inputs one word in four is different: it
 * has any hash, and occurs often. */
static void generate_alike(struct diff_input *input)
{
    uint64_t text_bytes = 6000, last = text_bytes - 40;
    bool others = test_random_one_in(&chance, 2); /* true: further patterns, which occur often */
    uint8_t(*words)[ALIKE_BYTES] = test_memory(ALIKE_WORDS * sizeof *words);

    for (uint32_t i = 0; i < ALIKE_WORDS;) {
        uint64_t random = test_random_u64(&chance), low = 0;

        for (uint32_t j = 0; j < ALIKE_BYTES; j++, random /= ALIKE_LETTERS)
            words[i][j] = (uint8_t)('a' + random % ALIKE_LETTERS);
        memcpy(&low, words[i], ALIKE_BYTES);
        i += (others && i % 4 == 0) ||
             class_stem_hash(low, 0, ALIKE_BYTES) >> (64 - ALIKE_HASH_BITS) == 0;
    }
    input_begin(&chance, INPUT_LETTERS_2, text_bytes, input);
    for (uint64_t at = 0; at <= last; at += test_random_between(&chance, ALIKE_BYTES, 8)) {
        bool known = at + 8 > last || test_random_one_in(&chance, 500);
        uint64_t word = known ? test_random_below(&chance, ALIKE_PATTERNS)
                              : test_random_between(&chance, ALIKE_PATTERNS, ALIKE_WORDS - 1);

        if (others && test_random_one_in(&chance, 3))
            word = test_random_below(&chance, ALIKE_PATTERNS / 4) * 4;
        memcpy(input->text + at, words[word], ALIKE_BYTES);
    }
    for (uint32_t i = 0; i < ALIKE_PATTERNS; i++)
        input_add_pattern(input, words[i], ALIKE_BYTES);
    free(words);
}

/* Makes more than 512 words of few syllables, and a text of letters in which few positions pass the
 * pairs of bytes of these words. */
static void generate_syllables(struct diff_input *input)
{
    static const char syllables[][3] = {"ka", "lo", "mi", "ter", "ban", "qui", "den", "zy"};
    uint64_t count = test_random_between(&chance, 560, 700), at = 0;
    char word[13];

    input_begin(&chance, INPUT_LETTERS_26, test_random_between(&chance, 5000, 30000), input);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = 0, number = i + 64;

        for (; number > 0; number /= 8)
            for (uint32_t j = 0; j < 3 && syllables[number % 8][j] != '\0'; j++)
                word[bytes++] = syllables[number % 8][j];
        input_add_pattern(input, (const uint8_t *)word, bytes);
        at += test_random_between(&chance, 20, 40); /* whole, or cut short */
        if (at + bytes < input->text_bytes)
            memcpy(input->text + at, word, bytes - test_random_below(&chance, 2));
    }
}

/* Makes patterns that share their first eight bytes, and 40 random patterns. The text has the eight
 * bytes at every eighth offset, and only one of the patterns that share them. */
static void generate_shared(uint32_t patterns, struct diff_input *input)
{
    uint8_t word[] = "abcdefgh?";

    input_begin(&chance, INPUT_LETTERS_26, 2000, input);
    for (uint64_t i = 0; i < input->text_bytes; i++)
        input->text[i] = word[i % 8];
    for (uint32_t i = 0; i < patterns; i++) {
        word[8] = (uint8_t)('a' + i);
        input_add_pattern(input, word, 9);
    }
    for (uint32_t i = 0; i < 40; i++) {
        for (uint32_t j = 0; j < 9; j++)
            word[j] = (uint8_t)('a' + test_random_below(&chance, 26));
        input_add_pattern(input, word, 9);
    }
}

/* Makes all slices of 2 to 12 letters of a string that the text repeats, so that at each position
 * eleven patterns begin. */
static void generate_slices(struct diff_input *input)
{
    uint8_t source[60];

    (void)input_fill(&chance, INPUT_LETTERS_26, source, 40);
    memcpy(source + 40, source, 20);
    input_begin(&chance, INPUT_LETTERS_26, 1200, input);
    for (uint64_t i = 0; i < input->text_bytes; i++)
        input->text[i] = source[i % 40];
    for (uint64_t i = 0; i < 40 * 11; i++)
        add_slice(input, source, i % 40, 2 + i / 40);
}

/* Makes a text that repeats itself, except for a few bytes, and strings of the text. */
static void generate_repeats(struct diff_input *input)
{
    uint64_t source_bytes = test_random_between(&chance, 100, 3000), shortest, longest;
    uint64_t text_bytes = test_random_between(&chance, 1000, 10000);
    uint64_t count = test_random_between(&chance, 2, test_random_one_in(&chance, 3) ? 600 : 60);
    uint8_t *source = test_memory(source_bytes);

    (void)input_fill(&chance, kinds[test_random_below(&chance, sizeof kinds / sizeof *kinds)],
                     source, source_bytes);
    for (uint64_t i = test_random_below(&chance, 20); i > 0; i--)
        source[test_random_below(&chance, source_bytes)] = '\n';
    input_begin(&chance, INPUT_LETTERS_2, text_bytes, input);
    input->flags = test_random_one_in(&chance, 3) ? NAIVE_IGNORE_CASE : 0;
    for (uint64_t i = 0; i < text_bytes; i++)
        input->text[i] = source[i % source_bytes];
    for (uint64_t i = test_random_below(&chance, 8); i > 0; i--)
        input->text[test_random_below(&chance, text_bytes)] =
            test_random_one_in(&chance, 2) ? '\n' : 'a';
    longest = test_random_between(&chance, 1, 99);
    shortest = test_random_between(&chance, 1, longest);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = test_random_between(&chance, shortest, longest);

        add_slice(input, source, test_random_below(&chance, source_bytes - bytes + 1), bytes);
    }
    free(source);
}

/* Makes a few long strings that begin with spaces, and a text full of runs of spaces, so that a
 * search with the buckets method changes to the classes method. Hardly any other input has so many
 * candidates for so few strings. */
static void generate_turning(struct diff_input *input)
{
    uint64_t text_bytes = test_random_between(&chance, 20000, 60000), at = 0;
    uint64_t spaces = test_random_between(&chance, 4, 11);

    input_begin(&chance, INPUT_LETTERS_26, text_bytes, input);
    input->flags = test_random_one_in(&chance, 3) ? NAIVE_IGNORE_CASE : 0;
    for (; at + 40 < text_bytes; at += spaces + test_random_between(&chance, 1, 30)) {
        memset(input->text + at, ' ', (size_t)spaces);
        if (test_random_one_in(&chance, 20))
            input->text[at] = '\n';
    }
    for (uint64_t count = test_random_between(&chance, 2, 32); count > 0; count--) {
        uint64_t from = test_random_below(&chance, text_bytes - 80);

        while (from < text_bytes - 80 && input->text[from] != ' ')
            from++;
        add_slice(input, input->text, from, test_random_between(&chance, 12, 40));
    }
}

/* Makes strings of `min` to least + more bytes, some of which occur in the text: unchanged, or
 * with a changed bit. */
static void generate_short(enum input_kind kind, uint64_t min, uint64_t more, uint64_t count,
                           struct diff_input *input)
{
    uint64_t text_bytes = test_random_between(&chance, 500, 4000);

    input_begin(&chance, kind, text_bytes, input);
    input->flags = test_random_one_in(&chance, 3) ? NAIVE_IGNORE_CASE : 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = i == 0 ? min : test_random_between(&chance, min, min + more);
        uint64_t at = test_random_below(&chance, text_bytes - bytes), changed;

        add_slice(input, input->text, at, bytes);
        changed = at + test_random_below(&chance, bytes);
        if (test_random_one_in(&chance, 3))
            input->text[changed] ^= (uint8_t)(1u << test_random_below(&chance, 8));
    }
}

static void run_method(const struct diff_input *input, enum trawl_method method, uint32_t set)
{
    struct run_config config = {.method = method, .instruction_set = trawl_instruction_set(set)};
    struct diff_expected expected = {.matches = NULL};
    struct trawl_plan *plan = NULL;

    expected.matches = oracle(input, &expected.match_count);
    if (!TEST_CHECK(run_plan_build(input, &config, &plan, NULL) == TRAWL_OK))
        exit(test_end());
    answer_check(input, &expected, plan, config.instruction_set, &chance);
    trawl_plan_free(plan);
    free(expected.matches);
}

static const enum trawl_method methods[] = {TRAWL_METHOD_SET, TRAWL_METHOD_BUCKETS,
                                            TRAWL_METHOD_CLASSES};

static void run_case(const struct diff_input *input, uint32_t set)
{
    const bool whole = (input->flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) != 0;
    /* A plan divides the set into parts only if the caller chooses no method. */
    bool open = input->pattern_count > 1 && test_random_one_in(&chance, 2);

    run_method(input, open ? TRAWL_METHOD_AUTO : methods[test_random_below(&chance, whole ? 2 : 3)],
               set);
}

/* Checks that the nibble tables (a filter that looks up halves of bytes) reject nearly all offsets
 * of a random text. The answers do not show this: with tables that let every offset pass, all
 * occurrences would still be found. */
static void check_passing(const struct plan_nibbles *nibbles)
{
    uint8_t text[2000 + PLAN_NIBBLE_BYTES_MAX];
    uint32_t passed = 0;

    (void)input_fill(&chance, INPUT_LETTERS_26, text, sizeof text);
    for (uint32_t x = 0; x < 2000; x++) {
        uint8_t any = 0;

        for (uint32_t g = 0; g < nibbles->groups; g++) {
            uint8_t classes = UINT8_MAX;

            for (uint32_t j = 0; j < nibbles->bytes; j++)
                classes &= nibbles->low[g][j][text[x + j] & 63];
            any |= classes;
        }
        passed += any != 0;
    }
    TEST_CHECK(passed < 2000 / 20);
}

/* Tests each form of the nibble tables under every instruction set. Other inputs mostly have few
 * strings or short ones, and use a single instruction set each, so they would not show that an
 * instruction set reads a table in a different order than the plan wrote it. */
static void test_nibbles(void)
{
    static const uint64_t counts[] = {5, 9, 33, 50, 100, 200}, more[] = {0, 1, 7};
    static const enum input_kind letters[] = {INPUT_LETTERS_4, INPUT_LETTERS_26, INPUT_LETTERS_256};
    bool met[2][2][PLAN_NIBBLE_BYTES_MAX + 1][PLAN_NIBBLE_GROUPS_MAX + 1] = {{{{false}}}};
    uint32_t forms = 0;

    chance =
        test_random_begin("nibbles"); /* the forms must not depend on which tests ran earlier */
    for (uint64_t min = 1; min <= 9; min++)
        for (uint32_t c = 0; c < 18; c++) {
            struct run_config config = {.method = TRAWL_METHOD_BUCKETS};
            struct trawl_plan *plan = NULL;
            struct diff_input input;

            generate_short(letters[(min + c) % 3], min, more[c / 6], counts[c % 6], &input);
            if (!TEST_CHECK(run_plan_build(&input, &config, &plan, NULL) == TRAWL_OK))
                exit(test_end());
            for (uint32_t six = 0; six < 2; six++) {
                const struct plan_nibbles *made;
                bool *is_met;

                if (!TEST_CHECK(plan_nibbles_want(plan, six == 1, &made, NULL) == TRAWL_OK &&
                                made != NULL))
                    exit(test_end());
                TEST_CHECK(made->bytes <= PLAN_NIBBLE_BYTES_MAX &&
                           made->groups <= PLAN_NIBBLE_GROUPS_MAX);
                is_met = &met[six][made->whole][made->bytes][made->groups];
                forms += !*is_met;
                *is_met = true;
                if (min >= 6 && letters[(min + c) % 3] == INPUT_LETTERS_26)
                    check_passing(made);
            }
            trawl_plan_free(plan);
            for (uint32_t i = 0; i < 3 * instruction_set_count(); i++) {
                end_text(&input, input.patterns[test_random_below(&chance, counts[c % 6])]);
                run_case(&input, i % instruction_set_count());
            }
            input_free(&input);
        }
    TEST_CHECK_U64(forms, 2 * (3 * 3 + 1 + 2 + 2));
}

/* Searches for strings that together contain every byte value, all but one, or all but two. The
 * text repeats the sequence of these values; a missing value replaces the sequence's first byte in
 * about half of the repetitions. Strings of random bytes hardly ever lack just one or two of the
 * 256 values. */
static void test_all_bytes(void)
{
    for (uint32_t other = 0; other < 3; other++) {
        struct diff_input input;

        input_begin(&chance, INPUT_LETTERS_256, 4000, &input);
        for (uint32_t i = 0; i < input.text_bytes; i++)
            input.text[i] = (uint8_t)(other + i % (256 - other));
        for (uint32_t from = 0; from < 256; from += 8)
            add_slice(&input, input.text, from, test_random_between(&chance, 8, 16));
        for (uint32_t i = 0; i < input.text_bytes && other > 0; i++)
            if (input.text[i] == other && test_random_one_in(&chance, 2))
                input.text[i] = (uint8_t)test_random_below(&chance, other);
        for (uint32_t set = 0; set < instruction_set_count(); set++)
            run_case(&input, set);
        input_free(&input);
    }
}

/* Searches texts in which many parts look like the start of a pattern, so that the lists of
 * candidates fill up. */
static void test_full(void)
{
    cpu_sizes = cpu_sizes_default;
    for (uint32_t i = 0; i < 3; i++) {
        struct diff_input input;

        if (i < 2)
            generate_shared(i == 0 ? 7 : 26, &input);
        else
            generate_slices(&input);
        for (uint32_t set = 0; set < instruction_set_count(); set++)
            run_method(&input, TRAWL_METHOD_CLASSES, set);
        input_free(&input);
    }
}

/* Searches for words of few bytes. In the text, words are between two equal bytes, which take every
 * value. Tests sets of few words, for which there are nibble tables, and larger sets. In random
 * texts, a short word is hardly ever before a byte that is not a letter. */
static void test_neighbours(void)
{
    const uint64_t width = 40; /* with more words an automaton would be used */

    cpu_sizes = cpu_sizes_default;
    cpu_sizes.short_set = 0;
    for (uint32_t round = 0; round < 16; round++) {
        uint64_t min = 1 + round / 2 % 4, count = round % 2 == 0 ? 13 : 25;
        uint8_t words[100];
        struct diff_input input;

        (void)input_fill(&chance, INPUT_LETTERS_26, words, sizeof words);
        for (uint32_t i = 0; i < 8; i++)
            words[test_random_below(&chance, sizeof words)] = (uint8_t) "@[_\x10`{0\x7f"[i];
        input_begin(&chance, INPUT_LETTERS_256, 256 * 4 * width, &input);
        for (uint64_t i = 0; i < 256 * 4; i++) {
            uint8_t *word = input.text + i * width + 1;

            memcpy(word, words + 3 * (i % count), (size_t)(min + i % 4));
            word[-1] = word[min + i % 4] = (uint8_t)(i / 4);
        }
        for (uint64_t i = 0; i < count * 12; i++)
            add_slice(&input, words, 3 * (i % count), min + i / count);
        input.flags = round < 8 ? 0 : NAIVE_IGNORE_CASE;
        for (uint32_t i = 0; i < 3 * instruction_set_count(); i++)
            run_method(&input, methods[i % 3], i / 3);
        input_free(&input);
    }
}

/* Searches texts of 64 successive lengths, with an unreadable page after them, under every
 * instruction set. With random lengths, the last vector lane of samples would rarely be beyond the
 * text. */
static void test_ends(void)
{
    static const enum trawl_method tried[] = {TRAWL_METHOD_CLASSES, TRAWL_METHOD_BUCKETS,
                                              TRAWL_METHOD_AUTOMATON};

    cpu_sizes = cpu_sizes_default;
    cpu_sizes.short_set = 0;
    for (uint32_t round = 0; round < 12 * instruction_set_count(); round++) {
        struct run_config config = {.method = tried[round / 4 % 3],
                                    .instruction_set = trawl_instruction_set(round / 12),
                                    .threads = 1,
                                    .place = PLACE_END_GUARDED,
                                    .call = HELD_POSITIONS,
                                    .parameter = UINT64_MAX};
        struct trawl_searcher *searcher = NULL;
        struct trawl_plan *plan = NULL;
        struct diff_input input;

        /* in one of four rounds, some strings are shorter than a stem (8 bytes) and some longer,
         * since the classes method stores their keys differently */
        generate_short(INPUT_LETTERS_26, 6 + 6 * (round % 4), round % 4 == 0 ? 9 : 3, 60, &input);
        if (!TEST_CHECK(run_plan_build(&input, &config, &plan, NULL) == TRAWL_OK &&
                        run_searcher_open(&config, &searcher, NULL) == TRAWL_OK))
            exit(test_end());
        for (uint64_t bytes = 200; bytes < 200 + 8 * SET_STRIDE_MAX; bytes++) {
            struct diff_expected expected = {.matches = NULL};
            char message[HELD_MESSAGE_BYTES];

            input.text_bytes = bytes;
            end_text(&input, input.patterns[bytes % input.pattern_count]);
            expected.matches = oracle(&input, &expected.match_count);
            if (!TEST_CHECK(run_call(&input, &expected, &config, plan, searcher, NULL, message)))
                printf("  %" PRIu64 " bytes, %s: %s\n", bytes, config.instruction_set, message);
            free(expected.matches);
        }
        trawl_searcher_close(searcher);
        trawl_plan_free(plan);
        input_free(&input);
    }
}

/* Counts words in texts that are searched without a worker, for as many words as trigrams find.
 * The last bytes of such a text are searched in a copy. */
static void test_brief(void)
{
    char words[BRIEF_WORDS][BRIEF_BYTES], text[BRIEF_TEXT_MAX];
    struct trawl_pattern patterns[BRIEF_WORDS];
    struct naive_bytes plain[BRIEF_WORDS];
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    AUTO_PLAN plan = NULL;

    cpu_sizes = cpu_sizes_default;
    for (uint64_t i = 0; i < BRIEF_WORDS; i++) {
        for (uint64_t j = 0; j < BRIEF_BYTES; j++)
            words[i][j] = (char)test_random_between(&chance, 'a', 'z');
        patterns[i] = (struct trawl_pattern){words[i], BRIEF_BYTES};
        plain[i] = (struct naive_bytes){(const uint8_t *)words[i], BRIEF_BYTES};
    }
    plan = must_plans(patterns, BRIEF_WORDS, NULL);
    for (uint64_t bytes_count = BRIEF_BYTES; bytes_count <= sizeof text; bytes_count += 7) {
        struct naive_query query = {plain, BRIEF_WORDS, 0, '\n', false, 0};
        AUTO_TEXT searched = must_text(text, bytes_count);
        uint64_t count = 0;

        for (uint64_t i = 0; i < bytes_count; i++)
            text[i] = (char)test_random_between(&chance, 'a', 'z');
        for (uint64_t i = 0; i + BRIEF_BYTES <= bytes_count; i += BRIEF_BYTES + i % 5)
            memcpy(text + i, words[test_random_below(&chance, BRIEF_WORDS)], BRIEF_BYTES);
        MUST(trawl_count(searcher, plan, searched, &count, NULL));
        TEST_CHECK_U64(
            count,
            naive_matches(&query, (struct naive_bytes){(uint8_t *)text, bytes_count}, NULL, 0));
    }
}

int main(void)
{
    uint64_t cases = test_amount_telling(CASES_NORMAL, CASES_LONG, CASES_TELLING);
    struct diff_input input;

    test_begin("sets");
    chance = test_random_begin("sets");
    for (uint64_t i = 0; i < cases / 4 + 1; i++) {
        generate(40, test_random_between(&chance, 1, 600), &input);
        check_oracle(&input);
        input_free(&input);
    }
    for (uint64_t i = 0; i < cases && test_failures < 10; i++) {
        bool longer = i % 5 == 0, alike = i % 60 == 3, syllables = i % 60 == 13;
        uint32_t sets = instruction_set_count(), set = (uint32_t)test_random_below(&chance, sets);

        if (i % 50 == 0)
            generate(2000, test_random_between(&chance, 1, test_is_long() ? 100000 : 20000),
                     &input);
        else if (i % 20 == 1)
            generate_lengthy(&input);
        else if (alike)
            generate_alike(&input);
        else if (syllables)
            generate_syllables(&input);
        else if (i % 10 == 2)
            generate_many(&input);
        else if (i % 10 == 7)
            generate_turning(&input);
        else if (i % 10 == 6)
            generate_repeats(&input);
        else if (i % 5 == 4)
            generate_lines(&input);
        else
            generate(longer ? 300 : 60, test_random_between(&chance, 1, longer ? 20000 : 3000),
                     &input);
        borders_draw(&chance);
        borders_plant(&chance, &input);
        if (!alike) /* other bytes would have other hashes, but here the hashes must be alike */
            input_rename(&chance, &input);
        run_case(&input, set);
        for (set = 0; (alike || syllables) && set < sets; set++)
            run_method(&input, TRAWL_METHOD_CLASSES, set);
        input_free(&input);
    }
    test_nibbles();
    test_all_bytes();
    test_full();
    test_neighbours();
    test_ends();
    test_brief();
    printf("%" PRIu64 " scans by the automaton, %" PRIu64 " without it; %" PRIu64
           " by classes of lengths, %" PRIu64 " by these and by buckets, %" PRIu64 " by parts\n",
           answer_scans.dense, answer_scans.sparse, answer_scans.by_classes, answer_scans.turned,
           answer_scans.by_parts);
    if (cases >= CASES_TELLING) {
        TEST_CHECK(answer_scans.dense > 0 && answer_scans.sparse > 0);
        TEST_CHECK(answer_scans.by_classes > 0 && answer_scans.by_parts > 0);
        TEST_CHECK(cases < CASES_TURNING || answer_scans.turned > 0);
    }
    return test_end();
}
