/* unicode: Unicode's case folding, word characters, general categories and scripts. */
#include "base/unicode.h"

#include <string.h>

static const struct {
    uint32_t first, last;
    int32_t step;
} runs[] = {
#define RUN(first, last, step) {first, last, step},
#include "base/case.def"
#undef RUN
};

const struct code_range unicode_words[] = {
#include "base/words.def"
};
const uint32_t unicode_word_count = sizeof unicode_words / sizeof *unicode_words;

const struct code_range unicode_digits[] = {
#include "base/digits.def"
};
const uint32_t unicode_digit_count = sizeof unicode_digits / sizeof *unicode_digits;

static const char category_names[] =
#include "base/category_names.def"
    ;
static const char script_names[] =
#include "base/script_names.def"
    ;
static const char categories[] =
#include "base/categories.def"
    ;
static const char scripts[] =
#include "base/scripts.def"
    ;

/* Looks up `name`, which has `count` bytes, in a list "name=code name=code ...". Returns its
 * code. */
static const char *code_of(const char *names, const char *name, uint64_t count)
{
    for (const char *at = names; *at != '\0'; at = strchr(at, ' ') + 1) {
        const char *code = strchr(at, '=') + 1;

        if ((uint64_t)(code - 1 - at) == count && memcmp(at, name, (size_t)count) == 0)
            return code;
    }
    return NULL;
}

bool unicode_property(const char *name, uint64_t count, enum unicode_kind kind,
                      struct unicode_runs *made)
{
    const char *code = kind != UNICODE_SCRIPT ? code_of(category_names, name, count) : NULL;

    *made = (struct unicode_runs){.at = categories, .code = code};
    if (code == NULL && kind != UNICODE_CATEGORY) {
        made->at = scripts;
        made->code = code = code_of(script_names, name, count);
    }
    made->length = code != NULL ? (uint32_t)(strchr(code, ' ') - code) : 0;
    made->is_cased = code != NULL && memcmp(code, "LC", 2) == 0;
    return code != NULL;
}

bool unicode_next(struct unicode_runs *made, uint32_t *first, uint32_t *last)
{
    while (*made->at != '\0') {
        const char *code = made->at++;
        uint32_t count = 0;
        bool is_in = strncmp(code, made->code, made->length) == 0;

        if (made->is_cased)
            is_in = *code == 'L' && strchr("ult", code[1]) != NULL;
        while (*made->at >= 'a')
            made->at++;
        while (*made->at >= '0' && *made->at <= '9')
            count = 10 * count + (uint32_t)(*made->at++ - '0');
        *first = made->next;
        made->next += count > 0 ? count : 1;
        *last = made->next - 1;
        if (is_in)
            return true;
    }
    return false;
}

/* The letters that are equal without case form a cycle (case.def), such as K -> k -> Kelvin sign ->
 * K. Returns the letter after code_point; a letter without others is followed by itself. */
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

bool unicode_holds(const struct code_range *ranges, uint32_t count, uint32_t code_point)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        const uint32_t middle = (low + high) / 2;

        if (code_point > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ranges[low].first <= code_point;
}

static bool is_word(void *context, uint32_t code_point)
{
    (void)context;
    return unicode_holds(unicode_words, unicode_word_count, code_point);
}

const struct trawl_letters *trawl_unicode(void)
{
    static const struct trawl_letters letters = {sizeof letters, NULL, equal_letters, is_word,
                                                 NULL};

    return &letters;
}
