/* floods_text: the sets of `trawl-bench floods`, and the texts in which they are dense. */
#include <stdlib.h>
#include <string.h>

#include "bench/floods.h"
#include "bench/patterns.h"
#include "bench/text.h"

#define LINE_BYTES 80u
#define WORD_TEXT_BYTES 4096u /* of Fibonacci's word, for patterns */
#define FACTOR_BEGINS 3000u   /* all factors of 64 bytes begin before that */
#define HEAD_BYTES 8u
#define SPACE_EVERY 6u
#define CHARACTER_BYTES_MAX 3u /* of a letter's variants */
#define LONG_S "\xc5\xbf"
#define LONG_S_CODE_POINT 0x17fu /* an s where case is ignored */
#define LONG_S_BYTES 2u
#define KELVIN "\xe2\x84\xaa"
#define KELVIN_BYTES 3u
#define KELVIN_CODE_POINT 0x212au /* a k */

/* ---- What is repeated --------------------------------------------------------------------- */

static void part_english(const struct options *options, struct flood_part *part)
{
    struct source source;

    source_english(options, &source);
    part->bytes = source.bytes;
    part->bytes_count = source.generated ? 0 : source.bytes_count;
}

bool flood_part_make(const struct flood *flood, const struct options *options,
                     struct flood_part *part)
{
    if (flood->text == TEXT_ENGLISH) {
        part_english(options, part);
        return part->bytes_count > 0;
    }
    part->bytes_count = flood->text == TEXT_LETTERS ? flood->period
                        : flood->text == TEXT_RUN   ? LINE_BYTES
                                                    : WORD_TEXT_BYTES;
    part->bytes = (uint8_t *)allocate(part->bytes_count);
    if (flood->text == TEXT_LETTERS)
        text_fill_letters(part->bytes, part->bytes_count, 3);
    else if (flood->text == TEXT_RUN)
        memset(part->bytes, flood->byte, part->bytes_count);
    else if (flood->text == TEXT_FIBONACCI)
        text_fill_fibonacci(part->bytes, part->bytes_count);
    else
        text_fill_thue_morse(part->bytes, part->bytes_count);
    return true;
}

/* ---- Texts -------------------------------------------------------------------------------- */

/* One letter in two becomes a capital; in UTF-8, of s and k, one in four a character of more bytes.
 * Returns how many bytes that makes. */
static uint64_t vary_case(const uint8_t *from, uint64_t from_bytes, bool utf8, uint8_t *to,
                          uint64_t to_bytes)
{
    struct seeded seeded = {9};
    uint64_t used = 0;

    for (uint64_t i = 0; i < from_bytes && used + CHARACTER_BYTES_MAX <= to_bytes; i++) {
        const char *longer = from[i] == 's' ? LONG_S : from[i] == 'k' ? KELVIN : NULL;
        uint64_t number = seeded_u64(&seeded) >> 32;

        if (utf8 && longer != NULL && number % 4 == 0) {
            uint64_t bytes = from[i] == 's' ? LONG_S_BYTES : KELVIN_BYTES;

            memcpy(to + used, longer, bytes);
            used += bytes;
        } else {
            bool capital = from[i] >= 'a' && from[i] <= 'z' && number % 2 == 1;

            to[used++] = capital ? from[i] & 0xdf : from[i];
        }
    }
    return used;
}

void flood_fill(const struct flood *flood, const struct flood_part *part, uint8_t *text,
                uint64_t text_bytes)
{
    uint64_t room = CHARACTER_BYTES_MAX * (part->bytes_count + 1), bytes = part->bytes_count;
    uint8_t *plain, *varied;

    if (flood->text == TEXT_FIBONACCI) {
        text_fill_fibonacci(text, text_bytes);
        return;
    }
    if (flood->text == TEXT_THUE_MORSE) {
        text_fill_thue_morse(text, text_bytes);
        return;
    }
    plain = (uint8_t *)allocate(bytes);
    varied = (uint8_t *)allocate(room);
    memcpy(plain, part->bytes, bytes);
    if (flood->lines && flood->text != TEXT_ENGLISH)
        text_put_line_ends(plain, bytes, LINE_BYTES - 1, LINE_BYTES);
    if (flood->letters != CASE_AS_IS)
        bytes = vary_case(plain, bytes, flood->letters == CASE_ANY_UTF8, varied, room);
    text_fill_repeated(text, text_bytes, flood->letters != CASE_AS_IS ? varied : plain, bytes);
    free(plain);
    free(varied);
}

static void put_spaces(uint8_t *text, uint64_t text_bytes)
{
    struct seeded seeded = {13};

    for (uint64_t at = 0; at < text_bytes; at++)
        if (seeded_below(&seeded, SPACE_EVERY) == 0)
            text[at] = ' ';
}

void flood_fill_random(const struct flood *flood, uint8_t *text, uint64_t text_bytes)
{
    uint8_t *plain = flood->letters == CASE_AS_IS ? text : (uint8_t *)allocate(text_bytes);
    uint64_t used = text_bytes;

    text_fill_letters(plain, text_bytes, 2);
    if (flood->text == TEXT_ENGLISH)
        put_spaces(plain, text_bytes);
    if (flood->lines)
        text_put_line_ends(plain, text_bytes, LINE_BYTES - 1, LINE_BYTES);
    if (flood->letters == CASE_AS_IS)
        return;
    used = vary_case(plain, text_bytes, flood->letters == CASE_ANY_UTF8, text, text_bytes);
    memcpy(text + used, plain, text_bytes - used); /* a character that would not have fitted */
    free(plain);
}

uint64_t flood_unfold(const uint8_t *text, uint64_t text_bytes, uint8_t *letters, uint32_t *begins)
{
    uint64_t used = 0, step;

    for (uint64_t at = 0; at < text_bytes; at += step) {
        uint64_t left = text_bytes - at;

        letters[used] = text[at];
        begins[used] = (uint32_t)at;
        step = 1;
        if (left >= LONG_S_BYTES && memcmp(text + at, LONG_S, LONG_S_BYTES) == 0) {
            letters[used] = 's';
            step = LONG_S_BYTES;
        } else if (left >= KELVIN_BYTES && memcmp(text + at, KELVIN, KELVIN_BYTES) == 0) {
            letters[used] = 'k';
            step = KELVIN_BYTES;
        }
        used++;
    }
    return used;
}

uint32_t flood_variants(void *context, uint32_t code_point,
                        uint32_t variants[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t letter = code_point == LONG_S_CODE_POINT   ? 's'
                      : code_point == KELVIN_CODE_POINT ? 'k'
                                                        : code_point | 32;
    uint32_t count = 0;

    (void)context;
    if (letter < 'a' || letter > 'z') {
        variants[0] = code_point;
        return 1;
    }
    variants[count++] = letter;
    variants[count++] = letter & ~32u;
    if (letter == 's')
        variants[count++] = LONG_S_CODE_POINT;
    if (letter == 'k')
        variants[count++] = KELVIN_CODE_POINT;
    return count;
}

bool flood_is_word(void *context, uint32_t code_point)
{
    (void)context;
    return code_point == LONG_S_CODE_POINT || code_point == KELVIN_CODE_POINT;
}

/* ---- Sets --------------------------------------------------------------------------------- */

static void add(struct flood_patterns *patterns, const uint8_t *bytes, uint64_t bytes_count)
{
    patterns->patterns[patterns->count++] = (struct trawl_pattern){bytes, bytes_count};
}

/* A byte, once to `most` times; with b after it, or without. */
static void take_runs(const struct flood *flood, struct flood_patterns *patterns)
{
    bool with_b = flood->set == SET_RUNS_B;

    patterns->bytes = (uint8_t *)allocate(flood->most + 1);
    memset(patterns->bytes, flood->byte, flood->most);
    patterns->bytes[flood->most] = 'b';
    for (uint64_t k = 1; k <= flood->most; k++)
        add(patterns, patterns->bytes + flood->most - k, k + with_b);
}

static void take_heads(const struct flood *flood, struct flood_patterns *patterns)
{
    const uint64_t bytes = flood->count * 2 * HEAD_BYTES;

    patterns->bytes = (uint8_t *)allocate(bytes);
    text_fill_letters(patterns->bytes, bytes, 4);
    for (uint64_t i = 0; i < flood->count; i++) {
        uint8_t *pattern = patterns->bytes + i * 2 * HEAD_BYTES;

        memset(pattern, flood->byte, HEAD_BYTES);
        add(patterns, pattern, 2 * HEAD_BYTES);
    }
}

static void take_factors(const struct flood *flood, const struct flood_part *part,
                         struct flood_patterns *patterns)
{
    for (uint64_t at = 0; at < FACTOR_BEGINS; at++)
        for (uint64_t k = flood->least; k <= flood->most; k++)
            add(patterns, part->bytes + at, k);
    patterns->count = patterns_distinct(patterns->patterns, patterns->count, patterns->count);
}

static void take_words(const struct flood *flood, const struct options *options,
                       struct flood_patterns *patterns)
{
    source_words(options, &patterns->source);
    patterns->patterns = patterns_words(&patterns->source, flood->least, &patterns->count);
    patterns->count = patterns_distinct(patterns->patterns, patterns->count, patterns->count);
    add(patterns, (const uint8_t *)flood->word, strlen(flood->word));
}

void flood_patterns_make(const struct flood *flood, const struct options *options,
                         const struct flood_part *part, struct flood_patterns *patterns)
{
    uint64_t lengths = flood->most - flood->least + 1;
    uint64_t room = flood->set == SET_FACTORS ? lengths * FACTOR_BEGINS
                    : flood->set == SET_HEAD  ? flood->count
                                              : lengths;

    memset(patterns, 0, sizeof *patterns);
    if (flood->set == SET_WORDS) {
        take_words(flood, options, patterns);
        return;
    }
    if (flood->set == SET_PIECES) {
        patterns->patterns = patterns_pieces(part->bytes, part->bytes_count, flood->count,
                                             flood->least, flood->most);
        patterns->count = flood->count;
        return;
    }
    patterns->patterns = (struct trawl_pattern *)allocate(room * sizeof *patterns->patterns);
    if (flood->set == SET_RUNS || flood->set == SET_RUNS_B)
        take_runs(flood, patterns);
    else if (flood->set == SET_HEAD)
        take_heads(flood, patterns);
    else if (flood->set == SET_FACTORS)
        take_factors(flood, part, patterns);
    else
        for (uint64_t k = flood->least; k <= flood->most; k++)
            add(patterns, part->bytes, k);
}

void flood_patterns_free(struct flood_patterns *patterns)
{
    free(patterns->patterns);
    free(patterns->bytes);
    source_free(&patterns->source);
}
