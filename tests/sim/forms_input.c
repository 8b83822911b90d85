/* forms_input: texts, line ends and patterns, each drawn independently, so that all combinations
 * occur. */
#include "forms_input.h"

#include "base/checked.h"
#include "diff/borders.h"

#define COMPARES_MAX                                                             \
    (1ull << 24) /* of the simple search, in a text where most compares are long \
                  */

/* ---- Text and patterns ---------------------------------------------------------------------- */

static uint64_t draw_text_bytes(struct test_random *random, uint64_t max)
{
    uint64_t bytes = test_random_below(random, max + 1);

    switch (test_random_below(random, 8)) {
    case 0:
        return test_random_below(random, 50);
    case 1: /* near the end of a tile or of a table's step */
        return bytes / 1024 * 1024 + test_random_below(random, 5);
    case 2:
    case 3:
        return bytes / 8;
    default:
        return bytes;
    }
}

static uint64_t draw_length(struct test_random *random)
{
    static const uint64_t min[] = {1, 2, 3, 4, 5, 9, 17, 32, 65},
                          more[] = {1, 1, 1, 1, 4, 8, 15, 33, 240};
    uint64_t kind = test_random_below(random, sizeof min / sizeof *min);

    return min[kind] + test_random_below(random, more[kind]);
}

static uint64_t draw_pattern_count(struct test_random *random)
{
    switch (test_random_below(random, 8)) {
    case 0:
        return 2;
    case 1:
        return 3 + test_random_below(random, 4);
    case 2:
        return 7 + test_random_below(random, 40);
    case 3:
        return 40 + test_random_below(random, 161);
    default:
        return 1;
    }
}

/* Adds a pattern: a piece of the text, a duplicate of a pattern, its start, its end, the pattern
 * and one more byte, or the pattern with a changed byte. */
static void add_pattern(struct test_random *random, uint64_t length, struct diff_input *input)
{
    uint64_t begin = test_random_below(random, input->text_bytes + 1);
    const struct naive_bytes *twin =
        input->pattern_count == 0 || test_random_one_in(random, 2)
            ? NULL
            : &input->patterns[test_random_below(random, input->pattern_count)];
    uint8_t bytes[400];
    uint64_t less;

    length = min_u64(length, sizeof bytes - 1);
    if (twin == NULL) {
        for (uint64_t i = 0; i < length; i++)
            bytes[i] = begin + i < input->text_bytes
                           ? input->text[begin + i]
                           : (uint8_t)('a' + test_random_below(random, 3));
        input_add_pattern(input, bytes, length);
        return;
    }
    length = twin->bytes_count;
    less = test_random_below(random, length);
    memcpy(bytes, twin->bytes, (size_t)length);
    switch (test_random_below(random, 5)) {
    case 0:
        input_add_pattern(input, bytes, length);
        break;
    case 1:
        input_add_pattern(input, bytes, length - less);
        break;
    case 2:
        input_add_pattern(input, bytes + less, length - less);
        break;
    case 3:
        bytes[length] = (uint8_t)test_random_below(random, 256);
        input_add_pattern(input, bytes, min_u64(length + 1, sizeof bytes - 1));
        break;
    default:
        bytes[less] ^= 1;
        input_add_pattern(input, bytes, length);
    }
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static uint8_t an_end(struct test_random *random, const struct diff_input *input)
{
    return input->has_line_end_also && test_random_one_in(random, 2) ? input->line_end_also
                                                                     : input->line_end;
}

static bool is_end(const struct diff_input *input, uint8_t byte)
{
    return byte == input->line_end || (input->has_line_end_also && byte == input->line_end_also);
}

static void draw_line_ends(struct test_random *random, struct diff_input *input)
{
    input->line_end =
        test_random_one_in(random, 3) ? (uint8_t) "\0ab\377"[test_random_below(random, 4)] : '\n';
    input->has_line_end_also = test_random_one_in(random, 3);
    if (input->has_line_end_also)
        input->line_end_also = (uint8_t) "\0\r\nb"[test_random_below(random, 4)];
}

enum layout {
    LAYOUT_AS_IS,
    LAYOUT_NONE, /* no line end in the text */
    LAYOUT_ALL,  /* nothing but line ends */
    LAYOUT_AT_RANDOM,
    LAYOUT_RARE, /* lines are longer than ranges and stripes */
    LAYOUT_EQUAL,
    LAYOUT_AT_MATCHES, /* one byte before, at and after the starts and ends of matches */
    LAYOUTS
};

/* Puts line ends into the text. Called twice: before and after patterns are taken from the text. */
static void lay_out(struct test_random *random, enum layout layout, struct diff_input *input)
{
    uint64_t rate = 2 + test_random_below(random, test_random_one_in(random, 2) ? 8 : 200);

    if (layout == LAYOUT_RARE)
        rate = 3000;
    for (uint64_t i = 0; i < input->text_bytes; i++)
        switch (layout) {
        case LAYOUT_NONE:
            while (is_end(input, input->text[i]))
                input->text[i]++;
            break;
        case LAYOUT_ALL:
            input->text[i] = an_end(random, input);
            break;
        case LAYOUT_AT_RANDOM:
        case LAYOUT_RARE:
            if (test_random_one_in(random, rate))
                input->text[i] = an_end(random, input);
            break;
        case LAYOUT_EQUAL:
            if (i % rate == rate - 1)
                input->text[i] = an_end(random, input);
            break;
        default:
            return;
        }
}

static void ends_at_matches(struct test_random *random, struct diff_input *input)
{
    struct diff_expected found;

    expected_compute(input, &found);
    for (uint64_t i = 0; i < found.match_count; i++) {
        uint64_t at = test_random_one_in(random, 2) ? found.matches[i].begin : found.matches[i].end;
        uint64_t shift = test_random_below(random, 3);

        at += shift;
        if (!test_random_one_in(random, 3) && at > 0 && at - 1 < input->text_bytes)
            input->text[at - 1] = an_end(random, input);
    }
    expected_free(&found);
}

/* Puts patterns between line ends or blanks at random places, for whole words and lines. */
static void plant_words(struct test_random *random, struct diff_input *input)
{
    for (uint64_t n = test_random_below(random, 30); n > 0; n--) {
        struct naive_bytes p = input->patterns[test_random_below(random, input->pattern_count)];
        uint8_t beside[2];
        uint64_t at;

        if (p.bytes_count + 2 > input->text_bytes)
            continue;
        at = test_random_below(random, input->text_bytes - p.bytes_count - 1);
        for (uint32_t i = 0; i < 2; i++)
            beside[i] = test_random_one_in(random, 3)
                            ? (uint8_t) " _-Z"[test_random_below(random, 4)]
                            : an_end(random, input);
        input->text[at] = beside[0];
        memcpy(input->text + at + 1, p.bytes, (size_t)p.bytes_count);
        input->text[at + 1 + p.bytes_count] = beside[1];
    }
}

static void plant_borders(struct test_random *random, const struct cuda_limits *limits,
                          struct diff_input *input)
{
    const uint64_t sizes[] = {0,
                              limits->text_bytes_max,
                              limits->launch_begins_max,
                              32ull * limits->tile_words_max,
                              limits->stripe_bytes,
                              1024};

    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (test_random_one_in(random, 2))
            border_plant(random, input, sizes[i]);
}

/* ---- Inputs --------------------------------------------------------------------------------- */

static void draw(struct test_random *random, const struct forms_sizes *sizes,
                 const struct cuda_limits *limits, struct diff_input *input)
{
    static const uint32_t flags[] = {0,
                                     0,
                                     0,
                                     NAIVE_IGNORE_CASE,
                                     NAIVE_WHOLE_WORD,
                                     NAIVE_WHOLE_LINE,
                                     NAIVE_WHOLE_WORD | NAIVE_IGNORE_CASE,
                                     NAIVE_WHOLE_LINE | NAIVE_IGNORE_CASE};
    enum input_kind kind = (enum input_kind)test_random_below(random, INPUT_KINDS);
    enum layout layout = (enum layout)test_random_below(random, LAYOUTS);
    uint64_t count = draw_pattern_count(random), length = draw_length(random);
    bool alike = test_random_one_in(random, 2); /* all patterns have about this length */

    input_begin(random, kind, draw_text_bytes(random, sizes->text_bytes_max), input);
    draw_line_ends(random, input);
    input->flags = flags[test_random_below(random, sizeof flags / sizeof *flags)];
    lay_out(random, layout, input);
    for (uint64_t i = 0; i < count; i++)
        add_pattern(random, alike ? length : draw_length(random), input);
    if (input->text_bytes == 0)
        return;
    plant_borders(random, limits, input);
    if ((input->flags & (NAIVE_WHOLE_WORD | NAIVE_WHOLE_LINE)) != 0)
        plant_words(random, input);
    if (layout == LAYOUT_AT_MATCHES)
        ends_at_matches(random, input);
    else if (layout == LAYOUT_NONE && test_random_one_in(random, 2))
        lay_out(random, layout, input);
    if (test_random_one_in(random, 3))
        input->text[input->text_bytes - 1] =
            test_random_one_in(random, 2) ? an_end(random, input) : (uint8_t)'q';
}

static uint64_t work_of(const struct diff_input *input)
{
    uint64_t bytes = 0;

    for (uint64_t i = 0; i < input->pattern_count; i++)
        bytes += input->patterns[i].bytes_count;
    return saturating_multiply(input->text_bytes, bytes);
}

void forms_input(struct test_random *random, const struct forms_sizes *sizes,
                 const struct cuda_limits *limits, struct diff_input *input,
                 struct diff_expected *expected)
{
    for (;;) {
        draw(random, sizes, limits, input);
        if (work_of(input) < COMPARES_MAX) {
            expected_compute(input, expected);
            if (expected->match_count <= sizes->matches_max)
                return;
            expected_free(expected);
        }
        input_free(input);
    }
}
