/* diff_input: makes random texts and patterns, and worst cases, for the tests that compare the
 * library with a simple search; computes the expected matches. */
#include "diff/diff_input.h"

#define LINES_BYTES_MAX 120000u
#define LINES_PATTERN_MAX 1000u
#define NESTED_BYTES_MAX 5100u
#define MIXED_BYTES_MAX 300

void *test_memory(uint64_t bytes)
{
    void *memory = malloc((size_t)bytes + 1);

    if (memory == NULL) {
        printf("the test itself ran out of memory: %" PRIu64 " bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static void fill_letters(struct test_random *random, uint8_t *bytes, uint64_t count, uint8_t min,
                         uint32_t letters)
{
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(min + test_random_below(random, letters));
}

static void fill_periodic(struct test_random *random, uint8_t *bytes, uint64_t count)
{
    static const uint64_t periods_max[] = {3, 9, 40, 200, 1000};
    uint64_t period = test_random_between(random, 1, periods_max[test_random_below(random, 5)]);

    fill_letters(random, bytes, period < count ? period : count, 'a', 3);
    for (uint64_t i = period; i < count; i++)
        bytes[i] = bytes[i - period];
}

/* Fills a periodic text in which occasionally a byte is dropped, doubled or changed. */
static void fill_phase_slips(struct test_random *random, uint8_t *bytes, uint64_t count)
{
    uint8_t unit[64];
    uint64_t period = test_random_between(random, 1, sizeof unit);
    uint64_t run = test_random_between(random, 10, 500);

    fill_letters(random, unit, period, 'a', 2);
    for (uint64_t i = 0, phase = 0; i < count; i++) {
        bytes[i] = unit[phase];
        phase = (phase + 1) % period;
        if (test_random_one_in(random, run))
            phase = (phase + test_random_below(random, 3)) % period;
        if (test_random_one_in(random, run))
            bytes[i] ^= 3;
    }
}

static void fill_fibonacci(uint8_t *bytes, uint64_t count)
{
    uint64_t length = 2, length_before = 1;

    for (uint64_t i = 0; i < count && i < 2; i++)
        bytes[i] = i == 0 ? 'a' : 'b';
    /* The next Fibonacci word is the last word followed by the one before it. The last word begins
     * with that one, so the bytes are copied from the start. */
    while (length < count) {
        uint64_t room = count - length;
        uint64_t copied = length_before < room ? length_before : room;
        memcpy(bytes + length, bytes, (size_t)copied);
        length_before = length;
        length += copied;
    }
}

static void fill_words(struct test_random *random, uint8_t *bytes, uint64_t count)
{
    static const char *const words[] = {"the", "of",    "and",  "a",    "to",   "in",  "he",
                                        "she", "her",   "hers", "his",  "he_1", "The", "THE",
                                        "is",  "there", "then", "this", "x",    "foo", "foobar"};
    uint64_t i = 0;

    while (i < count) {
        const char *word = words[test_random_below(random, sizeof words / sizeof *words)];
        for (; *word != '\0' && i < count; word++)
            bytes[i++] = (uint8_t)*word;
        if (i < count && !test_random_one_in(random, 9))
            bytes[i++] = (uint8_t) " \n.,-_ \n"[test_random_below(random, 8)];
    }
}

static void fill_pick(struct test_random *random, const char *letters, uint8_t *bytes,
                      uint64_t count)
{
    uint64_t letter_count = strlen(letters);

    for (uint64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)letters[test_random_below(random, letter_count)];
}

const char *input_fill(struct test_random *random, enum input_kind kind, uint8_t *bytes,
                       uint64_t count)
{
    switch (kind) {
    case INPUT_LETTERS_1:
        memset(bytes, 'a', (size_t)count);
        return "one letter";
    case INPUT_LETTERS_2:
        fill_letters(random, bytes, count, 'a', 2);
        return "2 letters";
    case INPUT_LETTERS_4:
        fill_letters(random, bytes, count, 'a', 4);
        return "4 letters";
    case INPUT_LETTERS_26:
        fill_letters(random, bytes, count, 'a', 26);
        return "26 letters";
    case INPUT_LETTERS_256:
        fill_letters(random, bytes, count, 0, 256);
        return "256 letters";
    case INPUT_DNA:
        fill_pick(random, "ACGT", bytes, count);
        return "DNA";
    case INPUT_PERIODIC:
        fill_periodic(random, bytes, count);
        return "periodic";
    case INPUT_ALMOST_ONE_LETTER:
        memset(bytes, 'a', (size_t)count);
        for (uint64_t left = test_random_below(random, 6); left > 0 && count > 0; left--)
            bytes[test_random_below(random, count)] = 'b';
        return "almost one letter";
    case INPUT_AB:
        for (uint64_t i = 0; i < count; i++)
            bytes[i] = i % 2 == 0 ? 'a' : 'b';
        return "(ab)*";
    case INPUT_FIBONACCI:
        fill_fibonacci(bytes, count);
        return "Fibonacci";
    case INPUT_THUE_MORSE:
        for (uint64_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)('a' + __builtin_popcountll(i) % 2);
        return "Thue-Morse";
    case INPUT_PHASE_SLIPS:
        fill_phase_slips(random, bytes, count);
        return "phase slips";
    case INPUT_WORDS:
        fill_words(random, bytes, count);
        return "words";
    case INPUT_MIXED_CASE:
    case INPUT_KINDS:
        break;
    }
    fill_pick(random, "aAbBzZ@[`{kKsS", bytes, count);
    return "mixed case";
}

void input_add_pattern(struct diff_input *input, const uint8_t *bytes, uint64_t bytes_count)
{
    uint64_t index = input->pattern_count++;
    uint8_t *copy = test_memory(bytes_count);

    memcpy(copy, bytes, (size_t)bytes_count);
    if ((index & (index - 1)) == 0) /* the array is full, so its size is doubled */
        input->patterns = realloc(input->patterns, (2 * index + 1) * sizeof *input->patterns);
    input->patterns[index] = (struct naive_bytes){copy, bytes_count};
}

static uint64_t pattern_length(struct test_random *random)
{
    switch (test_random_below(random, 10)) {
    case 0:
    case 1:
        return test_random_between(random, 1, 3);
    case 2:
    case 3:
    case 4:
        return test_random_between(random, 1, 16);
    case 5:
    case 6:
        return test_random_between(random, 7, 40);
    case 7:
    case 8:
        return test_random_between(random, 17, 300);
    default:
        return test_random_between(random, 80, INPUT_PATTERN_BYTES_MAX);
    }
}

static void flip_case(struct test_random *random, uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if ((bytes[i] | 32) >= 'a' && (bytes[i] | 32) <= 'z' && test_random_one_in(random, 2))
            bytes[i] ^= 32;
}

/* Changes the first byte, the middle byte, the last byte, or any byte. */
static void mutate(struct test_random *random, uint8_t *bytes, uint64_t count)
{
    uint64_t places[] = {0, count - 1, count / 2, test_random_below(random, count)};
    uint64_t place = places[test_random_below(random, 4)];

    bytes[place] = (uint8_t)(bytes[place] + test_random_between(random, 1, 255));
}

/* Fills a nearly periodic pattern, such as a...ab, ba...a, a...aba...a or abab...abb, for which
 * comparisons fail late. */
static void fill_near_period(struct test_random *random, uint8_t *bytes, uint64_t count)
{
    uint64_t places[] = {0, count - 1, count / 2, count / 4};

    if (test_random_one_in(random, 3))
        input_fill(random, INPUT_AB, bytes, count);
    else
        memset(bytes, 'a', (size_t)count);
    bytes[places[test_random_below(random, 4)]] = 'b';
}

/* Makes a pattern's bytes: a piece of the text or of an earlier pattern, a nearly periodic string,
 * or random bytes. */
static uint64_t fill_pattern(struct test_random *random, const struct diff_input *input,
                             uint8_t *bytes)
{
    uint64_t length = pattern_length(random);
    uint64_t choice = test_random_below(random, 16);
    bool from_pattern = input->pattern_count > 0 && choice < 4;
    struct naive_bytes source = {input->text, input->text_bytes};
    uint64_t begin;

    if (from_pattern)
        source = input->patterns[test_random_below(random, input->pattern_count)];
    if (source.bytes_count == 0 || choice == 15) {
        input_fill(random, (enum input_kind)test_random_below(random, INPUT_KINDS), bytes, length);
        return length;
    }
    if (choice == 14) {
        fill_near_period(random, bytes, length);
        return length;
    }
    if (from_pattern && choice == 0)
        length = source.bytes_count; /* a duplicate */
    if (length > source.bytes_count && !test_random_one_in(random, 20))
        length = test_random_between(random, 1, source.bytes_count);
    if (length > source.bytes_count) { /* the pattern is longer than its source */
        input_fill(random, INPUT_LETTERS_2, bytes, length);
        memcpy(bytes, source.bytes, (size_t)source.bytes_count);
        return length;
    }
    begin = test_random_below(random, source.bytes_count - length + 1);
    if (choice == 1 || choice == 4)
        begin = 0;
    if (choice == 5)
        begin = source.bytes_count - length;
    memcpy(bytes, source.bytes + begin, (size_t)length);
    if (choice == 6 && length > 1) /* the text's end and another byte */
        memcpy(bytes, source.bytes + source.bytes_count - (length - 1), (size_t)length - 1);
    if (choice >= 10 && choice <= 12)
        mutate(random, bytes, length);
    return length;
}

static void add_patterns(struct test_random *random, uint64_t count, struct diff_input *input)
{
    uint8_t bytes[INPUT_PATTERN_BYTES_MAX];

    while (input->pattern_count < count) {
        uint64_t length = fill_pattern(random, input, bytes);
        if ((input->flags & NAIVE_IGNORE_CASE) || test_random_one_in(random, 20))
            flip_case(random, bytes, length);
        input_add_pattern(input, bytes, length);
    }
}

static uint64_t text_length(struct test_random *random, uint64_t text_bytes_max)
{
    uint64_t length;

    switch (test_random_below(random, 16)) {
    case 0:
        length = test_random_below(random, 4);
        break;
    case 1:
    case 2:
    case 3:
    case 4:
        length = test_random_below(random, 70);
        break;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
        length = test_random_below(random, 700);
        break;
    case 11:
    case 12:
    case 13:
    case 14:
        length = test_random_below(random, 6000);
        break;
    default:
        length = test_random_below(random, 40000);
    }
    return length < text_bytes_max ? length : text_bytes_max;
}

static uint64_t pattern_count_choose(struct test_random *random, uint64_t text_bytes)
{
    uint64_t count, work_max = 2000000;

    switch (test_random_below(random, 20)) {
    default:
        return 1;
    case 11:
    case 12:
    case 13:
        return 2;
    case 14:
    case 15:
        return test_random_between(random, 3, 8);
    case 16:
    case 17:
        count = test_random_between(random, 9, 40);
        break;
    case 18:
        count = test_random_between(random, 41, 400);
        break;
    case 19:
        if (test_random_one_in(random, 5))
            return 0;
        count = test_random_between(random, 401, INPUT_PATTERNS_MAX);
    }
    return count * text_bytes <= work_max ? count : 8;
}

static uint32_t flags_choose(struct test_random *random)
{
    switch (test_random_below(random, 10)) {
    case 0:
    case 1:
        return NAIVE_IGNORE_CASE;
    case 2:
        return NAIVE_WHOLE_WORD;
    case 3:
        return NAIVE_WHOLE_LINE;
    case 4:
        return (uint32_t)test_random_below(random, 8);
    default:
        return 0;
    }
}

static uint8_t draw_line_end(struct test_random *random, const struct diff_input *input)
{
    return input->has_line_end_also && test_random_one_in(random, 2) ? '\0' : input->line_end;
}

/* Puts line ends at random offsets, and sometimes NULs, which end lines for some calls. */
static void add_line_ends(struct test_random *random, struct diff_input *input)
{
    static const uint64_t one_in[] = {2, 9, 80, 900};
    uint64_t rate = one_in[test_random_below(random, 4)];
    bool has_nulls = input->has_line_end_also || test_random_one_in(random, 6);

    if (test_random_one_in(random, 3))
        return;
    for (uint64_t i = 0; i < input->text_bytes; i++)
        if (test_random_one_in(random, rate))
            input->text[i] = has_nulls && test_random_one_in(random, 2) ? '\0' : input->line_end;
}

/* Puts patterns into the text; under NAIVE_WHOLE_LINE as whole lines, between line ends. */
static void plant_patterns(struct test_random *random, struct diff_input *input)
{
    bool lines = (input->flags & NAIVE_WHOLE_LINE) != 0;
    uint64_t plants = test_random_below(random, lines ? 30 : 5);

    for (; plants > 0; plants--) {
        struct naive_bytes pattern =
            input->patterns[test_random_below(random, input->pattern_count)];
        uint64_t begin;
        if (pattern.bytes_count > input->text_bytes)
            continue;
        begin = test_random_below(random, input->text_bytes - pattern.bytes_count + 1);
        memcpy(input->text + begin, pattern.bytes, (size_t)pattern.bytes_count);
        if (lines && begin > 0)
            input->text[begin - 1] = draw_line_end(random, input);
        if (lines && begin + pattern.bytes_count < input->text_bytes)
            input->text[begin + pattern.bytes_count] = draw_line_end(random, input);
    }
}

void input_begin(struct test_random *random, enum input_kind kind, uint64_t text_bytes,
                 struct diff_input *input)
{
    memset(input, 0, sizeof *input);
    input->line_end = '\n';
    input->text_bytes = text_bytes;
    input->text = test_memory(text_bytes);
    input->kind = input_fill(random, kind, input->text, text_bytes);
}

void input_generate(struct test_random *random, uint64_t text_bytes_max, struct diff_input *input)
{
    enum input_kind kind = (enum input_kind)test_random_below(random, INPUT_KINDS);
    uint64_t count;

    input_begin(random, kind, text_length(random, text_bytes_max), input);
    input->flags = flags_choose(random);
    if (test_random_one_in(random, 6))
        input->line_end = (uint8_t) "\0aB\377"[test_random_below(random, 4)];
    input->has_line_end_also = test_random_one_in(random, 3);
    add_line_ends(random, input);
    count = pattern_count_choose(random, input->text_bytes);
    add_patterns(random, count, input);
    if (input->pattern_count > 0 &&
        test_random_one_in(random, 16)) { /* the same pattern repeated */
        struct naive_bytes pattern = input->patterns[0];
        for (uint64_t i = 0; i < input->text_bytes; i++)
            input->text[i] = pattern.bytes[i % pattern.bytes_count];
        input->kind = "the pattern repeated";
    }
    if (input->pattern_count > 0 && input->text_bytes > 0)
        plant_patterns(random, input);
    if (input->text_bytes > 0 && test_random_one_in(random, 3))
        input->text[input->text_bytes - 1] = draw_line_end(random, input);
}

struct worst {
    const char *name;
    enum input_kind text, pattern;
    /* place of the only byte of the pattern that differs from the text: -1 none, 0 first, 1 last, 2
     * middle */
    int pattern_odd;
};
static const struct worst worst_table[] = {
    {"a^n, a^m", INPUT_LETTERS_1, INPUT_LETTERS_1, -1},
    {"a^n, a^(m-1)b", INPUT_LETTERS_1, INPUT_LETTERS_1, 1},
    {"a^n, ba^(m-1)", INPUT_LETTERS_1, INPUT_LETTERS_1, 0},
    {"a^n, a..aba..a", INPUT_LETTERS_1, INPUT_LETTERS_1, 2},
    {"(ab)*, (ab)*", INPUT_AB, INPUT_AB, -1},
    {"(ab)*, (ab)*b", INPUT_AB, INPUT_AB, 1},
    {"(ab)*, b(ab)*", INPUT_AB, INPUT_AB, 0},
    {"Fibonacci, Fibonacci", INPUT_FIBONACCI, INPUT_FIBONACCI, -1},
    {"Fibonacci, one byte off", INPUT_FIBONACCI, INPUT_FIBONACCI, 2},
    {"Thue-Morse, Thue-Morse", INPUT_THUE_MORSE, INPUT_THUE_MORSE, -1},
    {"Thue-Morse, one byte off", INPUT_THUE_MORSE, INPUT_THUE_MORSE, 1},
    {"almost one letter, a^m", INPUT_ALMOST_ONE_LETTER, INPUT_LETTERS_1, -1},
    {"almost one letter, a^(m-1)b", INPUT_ALMOST_ONE_LETTER, INPUT_LETTERS_1, 1},
    {"periodic, itself", INPUT_PERIODIC, INPUT_KINDS, -1},
    {"periodic, one byte off", INPUT_PERIODIC, INPUT_KINDS, 2},
    {"phase slips, itself", INPUT_PHASE_SLIPS, INPUT_KINDS, -1},
};

uint32_t input_worst_kinds(void)
{
    return sizeof worst_table / sizeof *worst_table;
}

/* Makes row `kind` of worst_table. If the row's pattern is INPUT_KINDS, the pattern is a copy of
 * the text's first bytes. */
void input_generate_worst(struct test_random *random, uint32_t kind, uint64_t text_bytes,
                          uint64_t pattern_bytes, struct diff_input *input)
{
    const struct worst *worst = &worst_table[kind];
    uint64_t odd_places[] = {0, pattern_bytes - 1, pattern_bytes / 2};
    uint8_t *pattern = test_memory(pattern_bytes);

    input_begin(random, worst->text, text_bytes, input);
    input->kind = worst->name;
    if (worst->pattern == INPUT_KINDS)
        memcpy(pattern, input->text,
               (size_t)(pattern_bytes < text_bytes ? pattern_bytes : text_bytes));
    else
        input_fill(random, worst->pattern, pattern, pattern_bytes);
    if (worst->pattern_odd >= 0)
        pattern[odd_places[worst->pattern_odd]] ^= 3;
    input_add_pattern(input, pattern, pattern_bytes);
    free(pattern);
}

void input_generate_border(struct test_random *random, struct diff_input *input)
{
    uint64_t period = test_random_between(random, 2, test_random_one_in(random, 2) ? 12 : 400);
    /* true: each period is a word or a line, which a space or a line end ends */
    bool separated = test_random_one_in(random, 2);
    uint64_t pattern_bytes = separated ? period * test_random_between(random, 2, 5) - 1
                                       : test_random_between(random, period, 2 * period - 1);
    uint64_t text_bytes = test_random_between(random, pattern_bytes, 6000);
    uint64_t slip = test_random_between(random, 1, 3000);
    uint8_t pattern[2000];

    input_begin(random, INPUT_LETTERS_2, text_bytes, input);
    input->kind = "a period longer than half the pattern, or words or lines of a period";
    if (test_random_one_in(random, 3))
        fill_near_period(random, input->text, period);
    if (separated) {
        input->flags = test_random_one_in(random, 2) ? NAIVE_WHOLE_WORD : NAIVE_WHOLE_LINE;
        if (input->flags == NAIVE_WHOLE_LINE) /* q ends lines, but Q does not */
            input->line_end = test_random_one_in(random, 2) ? '\n' : 'q';
        input->text[period - 1] = input->flags == NAIVE_WHOLE_WORD ? ' ' : input->line_end;
    }
    for (uint64_t i = period; i < text_bytes; i++)
        input->text[i] = input->text[i - period];
    memcpy(pattern, input->text, (size_t)pattern_bytes);
    for (uint64_t i = slip; i < text_bytes; i += slip)
        input->text[i] ^= 3;
    input->flags |= input->line_end == 'q' || test_random_one_in(random, 8) ? NAIVE_IGNORE_CASE : 0;
    flip_case(random, input->text, input->line_end == 'q' ? text_bytes : 0);
    input_add_pattern(input, pattern, pattern_bytes);
    if (test_random_one_in(random, 4))
        input_add_pattern(input, pattern, test_random_between(random, 1, pattern_bytes));
}

void input_generate_near_misses(struct test_random *random, uint64_t text_bytes,
                                struct diff_input *input)
{
    static const enum input_kind kinds[] = {INPUT_DNA, INPUT_DNA, INPUT_LETTERS_2, INPUT_LETTERS_4,
                                            INPUT_LETTERS_26};
    enum input_kind kind = kinds[test_random_below(random, sizeof kinds / sizeof *kinds)];
    uint64_t count = 8 + test_random_below(random, test_random_one_in(random, 3) ? 8 : 60);
    uint64_t gap = 1 + test_random_below(random, 2 * count), odd = test_random_below(random, count);
    bool is_same = test_random_one_in(random, 2);
    uint8_t pattern[68];

    input_begin(random, kind, text_bytes, input);
    input->kind = "copies of the pattern with a changed bit";
    (void)input_fill(random, kind, pattern, count);
    /* input_rename may replace 'a' with the first or last letter, or with the first or last byte
     * value */
    if (is_same)
        pattern[odd] = 'a';
    for (uint64_t at = 0; at + count <= text_bytes; at += count + test_random_below(random, gap)) {
        memcpy(input->text + at, pattern, (size_t)count);
        if (!test_random_one_in(random, 8))
            input->text[at + (is_same ? odd : test_random_below(random, count))] ^=
                (uint8_t)(1u << test_random_below(random, 5));
    }
    input_add_pattern(input, pattern, count);
    input->flags = test_random_one_in(random, 2) ? NAIVE_IGNORE_CASE : 0;
}

static void rename_bytes(const uint8_t *names, uint8_t *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = names[bytes[i]];
}

void input_rename(struct test_random *random, struct diff_input *input)
{
    uint64_t way = test_random_below(random, 6);
    uint8_t names[256];

    if (way < 2)
        return;
    if (input->flags == 0 && test_random_one_in(random, 3))
        input->flags = NAIVE_IGNORE_CASE;
    if ((input->flags & NAIVE_IGNORE_CASE) != 0)
        flip_case(random, input->text, input->text_bytes);
    /* Where case or words count, only letters may replace letters; where a NUL ends lines, all NULs
     * must stay. So then only letters are renamed. */
    if ((input->flags & (NAIVE_IGNORE_CASE | NAIVE_WHOLE_WORD)) != 0 || input->has_line_end_also)
        way = 2;
    for (uint32_t i = 0; i < 256; i++)
        names[i] = (uint8_t)(way <= 3 ? i : way == 4 ? i - 'a' : 'a' - 1 - i);
    for (uint32_t i = 0; i < 26 && way <= 3; i++) {
        names['a' + i] = (uint8_t)('z' - i);
        names['A' + i] = (uint8_t)('Z' - i);
    }
    /* replace a letter with a byte that is not a letter, but that differs from another byte only in
     * bit 0x20, as the cases of a letter do */
    if ((input->flags & (NAIVE_IGNORE_CASE | NAIVE_WHOLE_WORD)) == NAIVE_IGNORE_CASE &&
        test_random_one_in(random, 2)) {
        uint64_t letter = test_random_below(random, 3);

        names['a' + letter] = names['A' + letter] =
            (uint8_t) "@[_\n\x1f\xdf"[test_random_below(random, 6)];
    }
    rename_bytes(names, input->text, input->text_bytes);
    for (uint64_t i = 0; i < input->pattern_count; i++)
        rename_bytes(names, input_pattern(input, i), input->patterns[i].bytes_count);
    input->line_end = names[input->line_end];
}

void input_free(struct diff_input *input)
{
    for (uint64_t i = 0; i < input->pattern_count; i++)
        free(input_pattern(input, i));
    free(input->patterns);
    free(input->text);
}

static void add_bytes(struct test_random *random, struct diff_input *input)
{
    uint64_t letters = 1 + test_random_below(random, 26);

    if (test_random_one_in(random, 2)) /* the line end itself becomes a pattern */
        input_add_pattern(input, &input->line_end, 1);
    for (uint64_t count = test_random_between(random, 1, 20); count > 0; count--) {
        uint8_t byte = (uint8_t)('a' + test_random_below(random, letters));

        input_add_pattern(input, &byte, 1);
    }
}

/* Adds words of `min` to `max` letters; half of the words begin like an earlier word. */
static void add_words(struct test_random *random, struct diff_input *input, uint64_t count,
                      uint64_t min, uint64_t max)
{
    uint8_t word[LINES_PATTERN_MAX];

    for (uint64_t i = 0; i < count; i++) {
        uint64_t bytes = test_random_between(random, min, max), kept = 0;

        if (i > 0 && test_random_one_in(random, 2)) {
            struct naive_bytes other = input->patterns[test_random_below(random, i)];

            kept = test_random_below(random, other.bytes_count < bytes ? other.bytes_count : bytes);
            memcpy(word, other.bytes, (size_t)kept);
        }
        fill_letters(random, word + kept, bytes - kept, 'a', 26);
        input_add_pattern(input, word, bytes);
    }
}

static void add_line_patterns(struct test_random *random, uint64_t shape, struct diff_input *input)
{
    static const struct {
        uint64_t count_min, count_max, min, max;
    } shapes[INPUT_LINE_SHAPES] = {{0, 0, 0, 0},      {1, 1, 96, LINES_PATTERN_MAX},
                                   {1, 8, 2, 40},     {33, 400, 4, 16},
                                   {100, 400, 9, 16}, {1000, 2000, 5, 14}};

    if (shapes[shape].count_max == 0)
        add_bytes(random, input);
    else
        add_words(random, input,
                  test_random_between(random, shapes[shape].count_min, shapes[shape].count_max),
                  shapes[shape].min, shapes[shape].max);
}

/* Writes a pattern. If `spoil`, one of its bytes is changed, in most cases the last. Returns the
 * number of bytes. */
static uint64_t fill_piece(struct test_random *random, const struct diff_input *input,
                           uint8_t *bytes, uint64_t room, bool spoil)
{
    struct naive_bytes pattern = input->patterns[test_random_below(random, input->pattern_count)];
    uint64_t count = pattern.bytes_count < room ? pattern.bytes_count : room;
    uint64_t place = test_random_one_in(random, 4) ? test_random_below(random, count) : count - 1;

    memcpy(bytes, pattern.bytes, (size_t)count);
    if (spoil)
        bytes[place] = bytes[place] == 'q' ? 'z' : 'q';
    return count;
}

void input_generate_lines(struct test_random *random, uint64_t shape, struct diff_input *input)
{
    uint64_t rare = test_random_between(random, 1, test_random_one_in(random, 2) ? 2 : 30);
    uint64_t per_line = test_random_between(random, 1, test_random_one_in(random, 4) ? 60 : 6);
    bool begins = test_random_one_in(random, 2), near = !test_random_one_in(random, 3);

    input_begin(random, INPUT_LETTERS_26, test_random_between(random, 500, LINES_BYTES_MAX), input);
    input->kind = "lines of patterns and what is nearly one";
    input->flags = test_random_one_in(random, 4) ? (uint32_t)test_random_below(random, 8) : 0;
    if (test_random_one_in(random, 4))
        input->line_end = (uint8_t) "\0;\377E"[test_random_below(random, 4)];
    input->has_line_end_also = test_random_one_in(random, 2);
    if (input->has_line_end_also && test_random_one_in(random, 3))
        input->flags |= NAIVE_WHOLE_LINE;
    add_line_patterns(random, shape, input);
    for (uint64_t at = 0; at < input->text_bytes;) { /* each round makes a line */
        uint64_t pieces = test_random_between(random, 0, per_line);

        for (uint64_t i = 0; i < pieces && at < input->text_bytes; i++) {
            if (!begins || i > 0) /* without these bytes, the line may begin with a pattern */
                at += test_random_below(random, 12);
            if (at < input->text_bytes && near && test_random_one_in(random, 2))
                at += fill_piece(random, input, input->text + at, input->text_bytes - at, true);
            if (at < input->text_bytes && test_random_one_in(random, rare))
                at += fill_piece(random, input, input->text + at, input->text_bytes - at, false);
        }
        if (at < input->text_bytes)
            input->text[at++] = draw_line_end(random, input);
    }
    if (test_random_one_in(random, 2))
        input->text[input->text_bytes - 1] = draw_line_end(random, input);
}

/* Makes patterns that are slices of a string, from a few offsets: many of 6 to 60 bytes, and up to
 * two that are far longer. The text consists of other slices of the string. Nearly each offset is a
 * candidate, so an automaton takes over. The text ends with the last pattern. */
void input_generate_nested(struct test_random *random, struct diff_input *input)
{
    uint64_t source_bytes = NESTED_BYTES_MAX, begins = test_random_between(random, 1, 12);
    uint64_t text_bytes = test_random_between(random, 20000, 150000), tail;
    uint8_t *source = test_memory(source_bytes);
    static const enum input_kind kinds[] = {INPUT_LETTERS_2, INPUT_DNA, INPUT_LETTERS_256,
                                            INPUT_WORDS};

    (void)input_fill(random, kinds[test_random_below(random, 4)], source, source_bytes);
    input_begin(random, INPUT_LETTERS_26, text_bytes, input);
    input->kind = "slices of the patterns' source";
    input->flags = test_random_one_in(random, 4) ? NAIVE_IGNORE_CASE : 0;
    for (uint64_t count = test_random_between(random, 40, 200); count > 0; count--)
        input_add_pattern(input, source + 37 * test_random_below(random, begins),
                          test_random_between(random, 6, 60));
    for (uint64_t count = test_random_below(random, 3); count > 0; count--) /* very long slices */
        input_add_pattern(input, source + 37 * test_random_below(random, begins),
                          source_bytes - test_random_between(random, 500, 1200));
    tail = input->patterns[input->pattern_count - 1].bytes_count;
    for (uint64_t at = 0; at < text_bytes;) {
        uint64_t from =
            test_random_below(random, test_random_one_in(random, 2) ? 500 : source_bytes);
        uint64_t bytes = test_random_between(random, 1, source_bytes - from);

        bytes = bytes < text_bytes - at ? bytes : text_bytes - at;
        memcpy(input->text + at, source + from, (size_t)bytes);
        at += bytes;
        if (at < text_bytes && test_random_one_in(random, 2))
            input->text[at++] = '\n';
    }
    memcpy(input->text + text_bytes - tail, input->patterns[input->pattern_count - 1].bytes,
           (size_t)tail);
    free(source);
}

/* Adds a string to a set of mixed lengths: a slice of the text, or the end, the start, or all of an
 * earlier string of the set; occasionally with a byte changed. */
static void add_mixed(struct test_random *random, uint64_t longest, struct diff_input *input)
{
    uint64_t kind = test_random_below(random, 8), bytes, from;
    const uint8_t *source = input->text;
    uint8_t string[MIXED_BYTES_MAX];

    bytes = test_random_between(random, 1, test_random_one_in(random, 2) ? longest : 8);
    bytes = bytes < input->text_bytes ? bytes : input->text_bytes;
    from = test_random_below(random, input->text_bytes - bytes + 1);
    if (test_random_one_in(random, 16))
        from = test_random_one_in(random, 2) ? 0 : input->text_bytes - bytes;
    if (input->pattern_count > 0 && kind < 3) {
        struct naive_bytes there = input->patterns[test_random_below(random, input->pattern_count)];

        bytes = kind == 0 ? there.bytes_count : test_random_between(random, 1, there.bytes_count);
        from = kind == 1 ? there.bytes_count - bytes : 0;
        source = there.bytes;
    }
    memcpy(string, source + from, (size_t)bytes);
    if (test_random_one_in(random, 4))
        string[test_random_below(random, bytes)] ^= (uint8_t)(1u << test_random_below(random, 6));
    input_add_pattern(input, string, bytes);
}

void input_generate_mixed(struct test_random *random, uint64_t text_bytes_max,
                          struct diff_input *input)
{
    static const enum input_kind kinds[] = {INPUT_LETTERS_2,   INPUT_LETTERS_4, INPUT_LETTERS_26,
                                            INPUT_LETTERS_256, INPUT_DNA,       INPUT_PERIODIC,
                                            INPUT_WORDS,       INPUT_WORDS,     INPUT_MIXED_CASE};
    enum input_kind kind = kinds[test_random_below(random, sizeof kinds / sizeof *kinds)];
    uint64_t count = test_random_between(random, 2, test_random_one_in(random, 3) ? 6 : 60);
    uint64_t longest = test_random_one_in(random, 2) ? 20 : MIXED_BYTES_MAX;

    input_begin(random, kind, test_random_between(random, 1, text_bytes_max), input);
    if (input->text_bytes > 2000 && kind != INPUT_LETTERS_26 && kind != INPUT_LETTERS_256)
        input->text_bytes = 2000; /* texts of these kinds are full of occurrences */
    while (count-- > 0)
        add_mixed(random, longest, input);
    if (test_random_one_in(random, 4))
        input->flags |= NAIVE_IGNORE_CASE;
    if (test_random_one_in(random, 6))
        input->flags |= test_random_one_in(random, 3) ? NAIVE_WHOLE_LINE : NAIVE_WHOLE_WORD;
}

void expected_compute(const struct diff_input *input, struct diff_expected *expected)
{
    struct naive_query query = input_query(input);
    struct naive_bytes text = {input->text, input->text_bytes};
    uint64_t room = 1024;

    expected->matches = test_memory(room * sizeof *expected->matches);
    expected->match_count = naive_matches(&query, text, expected->matches, room);
    if (expected->match_count > room) {
        free(expected->matches);
        expected->matches = test_memory(expected->match_count * sizeof *expected->matches);
        (void)naive_matches(&query, text, expected->matches, expected->match_count);
    }
    expected->line_count =
        naive_lines(&query, text, expected->matches, expected->match_count, false);
    expected->line_count_inverted =
        naive_lines(&query, text, expected->matches, expected->match_count, true);
}

void expected_free(struct diff_expected *expected)
{
    free(expected->matches);
}
