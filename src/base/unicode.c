/* unicode: the letters that Unicode takes for equal where case is ignored, and the characters of
 * words. */
#include "trawl.h"

static const struct {
    uint32_t first, last;
    int32_t step;
} runs[] = {
#define RUN(first, last, step) {first, last, step},
#include "base/case.def"
#undef RUN
};

static const uint32_t words[][2] = {
#include "base/words.def"
};

/* The letters equal to code_point form a circle. Returns the next letter of the circle, which is
 * code_point if no other letter is equal. */
static uint32_t next_letter(uint32_t code_point)
{
    uint32_t low = 0, high = sizeof runs / sizeof runs[0];

    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (code_point > runs[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == sizeof runs / sizeof runs[0] || code_point < runs[low].first)
        return code_point;
    if (runs[low].step == 0)
        return (code_point - runs[low].first) % 2 == 0 ? code_point + 1 : code_point - 1;
    return code_point + (uint32_t)runs[low].step;
}

static uint32_t equal_letters(void *context, uint32_t code_point, uint32_t *variants)
{
    uint32_t count = 0, letter = code_point;

    (void)context;
    do
        variants[count++] = letter;
    while ((letter = next_letter(letter)) != code_point);
    return count;
}

static bool is_word(void *context, uint32_t code_point)
{
    uint32_t low = 0, high = sizeof words / sizeof words[0];

    (void)context;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (code_point > words[middle][1])
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof words / sizeof words[0] && words[low][0] <= code_point;
}

const struct trawl_letters *trawl_unicode(void)
{
    static const struct trawl_letters letters = {sizeof letters, NULL, equal_letters, is_word,
                                                 NULL};

    return &letters;
}
