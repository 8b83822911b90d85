/* unicode: Unicode's case folding, word characters, general categories and scripts. */
#include "base/unicode.h"

#include <pthread.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"

static const struct {
    uint32_t first, last;
    int32_t step;
} runs[] = {
#define RUN(first, last, step) {first, last, step},
#include "base/case.def"
#undef RUN
};

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

/* Looks up `name`, which has `count` bytes, in a list "name=codes name=codes ...". Returns its
 * codes. */
static const char *codes_of(const char *names, const char *name, uint64_t count)
{
    for (const char *at = names; *at != '\0'; at = strchr(at, ' ') + 1) {
        const char *codes = strchr(at, '=') + 1;

        if ((uint64_t)(codes - 1 - at) == count && memcmp(at, name, (size_t)count) == 0)
            return codes;
    }
    return NULL;
}

bool unicode_property(const char *name, uint64_t count, enum unicode_kind kind,
                      struct unicode_runs *made)
{
    const char *codes = kind != UNICODE_SCRIPT ? codes_of(category_names, name, count) : NULL;

    *made = (struct unicode_runs){.at = categories, .codes = codes};
    if (codes == NULL && kind != UNICODE_CATEGORY) {
        made->at = scripts;
        made->codes = codes_of(script_names, name, count);
    }
    return made->codes != NULL;
}

/* Returns true if the run's code begins with one of the codes of a list "Lu,Ll,Lt". */
static bool is_any(const char *code, const char *codes)
{
    for (;; codes++) {
        const char *at = code;

        while (*codes > ',' && *codes == *at) {
            codes++;
            at++;
        }
        if (*codes <= ',')
            return true;
        while (*codes > ',')
            codes++;
        if (*codes != ',')
            return false;
    }
}

bool unicode_next(struct unicode_runs *made, uint32_t *first, uint32_t *last)
{
    while (*made->at != '\0') {
        uint32_t count = 0;

        made->code = made->at++;
        while (*made->at >= 'a')
            made->at++;
        while (*made->at >= '0' && *made->at <= '9')
            count = 10 * count + (uint32_t)(*made->at++ - '0');
        *first = made->next;
        made->next += count > 0 ? count : 1;
        *last = made->next - 1;
        if (is_any(made->code, made->codes))
            return true;
    }
    return false;
}

static struct code_ranges words, digits;
static uint64_t word_bits[0x10000 / 64]; /* a bit for each character below 0x10000, set if the
                                            character is in `words` */
static pthread_once_t ranges_once = PTHREAD_ONCE_INIT;

/* Appends a range beyond ASCII that begins after the last one, or extends the last one if they are
 * adjacent. Ranges that begin in ASCII are dropped. */
static void ranges_add(struct code_ranges *ranges, uint32_t first, uint32_t last)
{
    if (ranges->count > 0 && ranges->of[ranges->count - 1].last + 1 == first)
        ranges->of[ranges->count - 1].last = last;
    else if (first >= 0x80)
        ranges->of[ranges->count++] = (struct code_range){first, last};
    TRAWL_ASSERT(ranges->count < CODE_RANGES_MAX);
}

static void bits_make(void)
{
    for (uint32_t i = 0; i < words.count; i++)
        for (uint32_t at = words.of[i].first, more; at <= words.of[i].last && at < 0x10000;
             at += more) {
            more = (uint32_t)min_u64(64 - at % 64, words.of[i].last - at + 1);
            word_bits[at / 64] |= UINT64_MAX >> (64 - more) << at % 64;
        }
}

/* Finds the categories of \d and \w. \w has `others`, too: the joiners, and letters in circles and
 * squares. All as in ripgrep 15.2. */
static void ranges_make(void)
{
    static const struct code_range others[] = {{0x200c, 0x200d},   {0x24b6, 0x24e9},
                                               {0x1f130, 0x1f149}, {0x1f150, 0x1f169},
                                               {0x1f170, 0x1f189}, {UINT32_MAX, 0}};
    struct unicode_runs made = {.at = categories, .codes = "L,M,Nd,Nl,Pc"};
    const struct code_range *other = others;
    uint32_t first, last;

    while (unicode_next(&made, &first, &last)) {
        for (; other->first < first; other++)
            ranges_add(&words, other->first, other->last);
        ranges_add(&words, first, last);
        if (memcmp(made.code, "Nd", 2) == 0)
            ranges_add(&digits, first, last);
    }
    bits_make();
}

const struct code_ranges *unicode_words(void)
{
    (void)pthread_once(&ranges_once, ranges_make);
    return &words;
}

const uint64_t *unicode_word_bits(void)
{
    (void)pthread_once(&ranges_once, ranges_make);
    return word_bits;
}

const struct code_ranges *unicode_digits(void)
{
    (void)pthread_once(&ranges_once, ranges_make);
    return &digits;
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
    const struct code_ranges *ranges = unicode_words();

    (void)context;
    return code_point < 0x10000 ? (word_bits[code_point / 64] >> code_point % 64 & 1) != 0
                                : unicode_holds(ranges->of, ranges->count, code_point);
}

static uint32_t letters_apart(void *context, uint32_t code_point, uint32_t *variants)
{
    uint32_t all[TRAWL_UTF8_VARIANTS_MAX], count = 0;
    const uint32_t max = equal_letters(context, code_point, all);

    for (uint32_t i = 0; i < max; i++)
        if ((all[i] < 0x80) == (code_point < 0x80))
            variants[count++] = all[i];
    return count;
}

static uint32_t ascii_letters(void *context, uint32_t code_point, uint32_t *variants)
{
    variants[0] = code_point;
    return code_point < 0x80 ? letters_apart(context, code_point, variants) : 1;
}

static bool is_no_word(void *context, uint32_t code_point)
{
    (void)context;
    (void)code_point;
    return false;
}

const struct trawl_letters *unicode_apart(void)
{
    static const struct trawl_letters letters = {sizeof letters, NULL, letters_apart, is_no_word,
                                                 NULL};

    return &letters;
}

const struct trawl_letters *trawl_ascii(void)
{
    static const struct trawl_letters letters = {sizeof letters, NULL, ascii_letters, is_no_word,
                                                 NULL};

    return &letters;
}

const struct trawl_letters *trawl_unicode(void)
{
    static const struct trawl_letters letters = {sizeof letters, NULL, equal_letters, is_word,
                                                 NULL};

    return &letters;
}
