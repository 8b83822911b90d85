/* charset: characters of the locale, as the C library knows them.
 *
 * charset_open sets the locale for the whole process: in the command before any thread starts, in
 * the server also before the first request is read. Functions for UTF-8 that do not depend on the
 * locale are in utf8.c.
 */
#include "trawl/text/charset.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "trawl/text/utf8.h"

/* Letters that are not the lower-case form of their upper-case letter, such as the long s and the
 * final sigma. All of them are below LONESOME_END; those whose upper-case letter is ASCII are below
 * LONESOME_END_ASCII. A test in tests/grep compares all letters with grep, and would find one that
 * is missing here. */
#define LONESOME_BEGIN 0x80
#define LONESOME_END_ASCII 0x250
#define LONESOME_END 0x2000
#define LONESOME_MAX 64

/* Letters that the C library folds but grep 3.8 does not: Cyrillic forms of Unicode 9. */
#define UNFOUND_BEGIN 0x1c80
#define UNFOUND_END 0x1c89

/* The locale's charset. In CHARSET_SINGLE, code_points has the character of each byte. */
static struct {
    enum charset kind;         /* set by charset_open */
    bool every_byte_is_valid;  /* CHARSET_SINGLE: each byte is a character */
    uint32_t code_points[256]; /* NO_CHARACTER: the byte is not a character */
} locale_set = {CHARSET_BYTES, true, {0}};

#define NO_CHARACTER UINT32_MAX /* WEOF: in no class */
#define CLASS_RANGES_MAX 2048   /* alnum has 760 in C.UTF-8 of the C library 2.36 */

/* Filled by charset_prepare, then only read. */
static struct {
    uint32_t code_points[LONESOME_MAX];
    uint32_t count;
    uint32_t seen_end; /* letters below were examined */
} lonesome = {{0}, 0, LONESOME_BEGIN};

void charset_prepare(bool beyond_ascii)
{
    uint32_t end = beyond_ascii ? LONESOME_END : LONESOME_END_ASCII;

    for (uint32_t at = lonesome.seen_end; at < end; at++) {
        wint_t upper = towupper((wint_t)at);

        if (upper == at || towlower(upper) == at || (at >= UNFOUND_BEGIN && at < UNFOUND_END))
            continue;
        if (lonesome.count < LONESOME_MAX)
            lonesome.code_points[lonesome.count++] = at;
    }
    if (end > lonesome.seen_end)
        lonesome.seen_end = end;
}

/* Fills locale_set.code_points for a locale with a byte for each character. */
static void read_bytes(void)
{
    locale_set.every_byte_is_valid = true;
    for (int byte = 0; byte < 256; byte++) {
        wint_t character = btowc(byte);

        locale_set.code_points[byte] = character == WEOF ? NO_CHARACTER : (uint32_t)character;
        if (character == WEOF)
            locale_set.every_byte_is_valid = false;
    }
}

enum charset charset_open(bool utf8)
{
    const char *name = setlocale(LC_CTYPE, "");

    if (utf8 && (name == NULL || strcmp(nl_langinfo(CODESET), "UTF-8") != 0))
        name = setlocale(LC_CTYPE, "C.UTF-8");
    locale_set.kind = CHARSET_BYTES;
    if (name == NULL || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0)
        return locale_set.kind;
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
        locale_set.kind = CHARSET_UTF8;
    else if (MB_CUR_MAX <= 1)
        locale_set.kind = CHARSET_SINGLE;
    if (locale_set.kind == CHARSET_SINGLE)
        read_bytes();
    return locale_set.kind;
}

/* Decodes the character at bytes[0] in this charset. False: no valid character begins there. */
static bool decode(enum charset charset, const uint8_t *bytes, size_t bytes_count,
                   uint32_t *code_point, size_t *length)
{
    mbstate_t state;
    wchar_t character;
    size_t result;

    if (bytes_count == 0)
        return false;
    if (bytes[0] < 0x80) {
        *code_point = bytes[0];
        *length = 1;
        return true;
    }
    if (charset <= CHARSET_SINGLE) {
        *code_point = locale_set.code_points[bytes[0]];
        *length = 1;
        return charset == CHARSET_SINGLE && *code_point != NO_CHARACTER;
    }
    memset(&state, 0, sizeof state);
    result = mbrtowc(&character, (const char *)bytes, bytes_count, &state);
    if (result == 0 || result > bytes_count)
        return false;
    *code_point = (uint32_t)character;
    *length = result;
    return true;
}

bool charset_decode(const uint8_t *bytes, size_t bytes_count, uint32_t *code_point, size_t *length)
{
    return decode(locale_set.kind, bytes, bytes_count, code_point, length);
}

/* Like charset_is_valid, character by character. Not inline: because the addresses of two
 * locals are taken, the compiler would add the stack protector's check to charset_is_valid. */
static __attribute__((noinline)) bool characters_are_valid(const uint8_t *bytes, size_t bytes_count)
{
    uint32_t code_point;
    size_t length;

    /* The C library accepts some characters beyond U+10FFFF, which utf8_character does not. */
    for (size_t i = 0; i < bytes_count; i += length) {
        length = locale_set.kind == CHARSET_UTF8
                     ? utf8_character(bytes + i, bytes_count - i, &code_point)
                     : 0;
        if (length == 0 && !charset_decode(bytes + i, bytes_count - i, &code_point, &length))
            return false;
    }
    return true;
}

bool charset_is_valid(const uint8_t *bytes, size_t bytes_count)
{
    return locale_set.kind == CHARSET_BYTES ||
           (locale_set.kind == CHARSET_SINGLE && locale_set.every_byte_is_valid) ||
           (locale_set.kind == CHARSET_UTF8 && utf8_is_valid(bytes, bytes_count)) ||
           characters_are_valid(bytes, bytes_count);
}

bool charset_is_capital(uint32_t letter)
{
    const bool is_title = letter == 0x1c5 || letter == 0x1c8 || letter == 0x1cb ||
                          letter == 0x1f2 || letter == 0x1fbc || letter == 0x1fcc ||
                          letter == 0x1ffc ||
                          (letter >= 0x1f88 && letter <= 0x1faf && (letter & 8) != 0);

    return iswupper((wint_t)letter) && !is_title;
}

bool charset_has_capital(enum charset charset, const uint8_t *bytes, size_t bytes_count)
{
    for (size_t at = 0; at < bytes_count;) {
        uint32_t code_point = 0;
        size_t length = 1;

        if (decode(charset, bytes + at, bytes_count - at, &code_point, &length) &&
            charset_is_capital(code_point))
            return true;
        at += length;
    }
    return false;
}

bool charset_is_word(void *context, uint32_t code_point)
{
    (void)context;
    return code_point == '_' || iswalnum((wint_t)code_point);
}

bool charset_folds_ascii(void)
{
    return towupper('i') == 'I' && towlower('I') == 'i';
}

const char *charset_name(enum charset charset)
{
    if (charset == CHARSET_BYTES)
        return "c";
    return charset == CHARSET_UTF8 && charset_folds_ascii() ? "utf-8" : "other";
}

bool charset_equal_case(const uint8_t *a, size_t a_count, const uint8_t *b, size_t b_count)
{
    while (a_count > 0 && b_count > 0) {
        uint32_t first = 0, second = 0;
        size_t first_length = 1, second_length = 1;
        bool first_is = charset_decode(a, a_count, &first, &first_length);
        bool second_is = charset_decode(b, b_count, &second, &second_length);

        if (first_is && second_is) {
            if (first != second && towupper((wint_t)first) != towupper((wint_t)second))
                return false;
        } else { /* each byte of a truncated character counts as an invalid byte */
            first_length = second_length = 1;
            if (*a != *b)
                return false;
        }
        a += first_length;
        a_count -= first_length;
        b += second_length;
        b_count -= second_length;
    }
    return a_count == 0 && b_count == 0;
}

static uint32_t add_variant(uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], uint32_t count,
                            uint32_t code_point)
{
    for (uint32_t i = 0; i < count; i++)
        if (variants[i] == code_point)
            return count;
    if (count == TRAWL_UTF8_VARIANTS_MAX)
        return count;
    variants[count] = code_point;
    return count + 1;
}

/* Under grep's rule, letters are equal if towupper returns the same letter. U+212A KELVIN SIGN is
 * its own upper-case letter, so k does not match it, as in grep 3.8. */
static uint32_t charset_variants(void *context, uint32_t code_point,
                                 uint32_t variants[TRAWL_UTF8_VARIANTS_MAX])
{
    wint_t upper = towupper((wint_t)code_point);
    wint_t lower = towlower(upper);
    uint32_t count = add_variant(variants, 0, code_point);

    (void)context;
    count = add_variant(variants, count, (uint32_t)upper);
    if (towupper(lower) == upper)
        count = add_variant(variants, count, (uint32_t)lower);
    for (uint32_t i = 0; i < lonesome.count; i++)
        if (towupper((wint_t)lonesome.code_points[i]) == upper)
            count = add_variant(variants, count, lonesome.code_points[i]);
    return count;
}

/* Like charset_variants, for a byte of CHARSET_SINGLE. If context is not NULL, letters are equal
 * under Unicode's rule. */
static uint32_t byte_variants(void *context, uint32_t byte,
                              uint32_t variants[TRAWL_UTF8_VARIANTS_MAX])
{
    uint32_t code_point = locale_set.code_points[byte];
    uint32_t count = code_point == NO_CHARACTER ? 0
                     : context != NULL ? trawl_unicode()->variants(NULL, code_point, variants)
                                       : charset_variants(NULL, code_point, variants);
    uint32_t kept = 1;

    for (uint32_t i = 0; i < count; i++) { /* variants[0] is the letter itself */
        int other = wctob((wint_t)variants[i]);

        if (i > 0 && other != EOF)
            variants[kept++] = (uint32_t)other;
    }
    variants[0] = byte;
    return kept;
}

static bool byte_is_word(void *context, uint32_t byte)
{
    uint32_t code_point = locale_set.code_points[byte];

    return code_point != NO_CHARACTER && charset_is_word(context, code_point);
}

/* Returns the last character of the block that begins at `code`. Either all characters of the block
 * are in the class, or none is. A block is a whole plane (65,536 characters) of private or
 * unassigned characters, of which one in BLOCK is tested; elsewhere it is a single character. */
static uint32_t block_end(wctype_t class, uint32_t code)
{
    enum { BLOCK = 64, PLANE = 0x10000, FIRST = 4 * PLANE, TAGS = 14 * PLANE };
    const uint32_t last = code + PLANE - 3; /* the last two code points of a plane are
                                               noncharacters */
    bool is_member;

    if (code % PLANE != 0 || code < FIRST || code == TAGS)
        return code;
    is_member = iswctype((wint_t)code, class) != 0;
    for (uint32_t at = code; at < last; at += BLOCK)
        if ((iswctype((wint_t)at, class) != 0) != is_member)
            return code;
    return (iswctype((wint_t)last, class) != 0) == is_member ? last : code;
}

/* Lists the characters of a class. Returns the number of ranges; 0: there are too many. */
static uint64_t list_class(wctype_t class, uint32_t ranges[CLASS_RANGES_MAX][2])
{
    const bool is_byte = locale_set.kind == CHARSET_SINGLE;
    uint64_t count = 0;

    for (uint32_t code = 0, last; code <= (is_byte ? 0xff : 0x10ffff); code = last + 1) {
        last = is_byte ? code : block_end(class, code);
        if (!iswctype((wint_t)(is_byte ? locale_set.code_points[code] : code), class))
            continue;
        if (count == 0 || ranges[count - 1][1] + 1 < code) {
            if (count == CLASS_RANGES_MAX)
                return 0;
            ranges[count++][0] = code;
        }
        ranges[count - 1][1] = last;
    }
    return count;
}

/* Returns the ranges of one of POSIX's classes, which the first call lists. */
static uint64_t charset_class(void *context, const char *name, const uint32_t **ranges)
{
    enum { CLASSES = 12 };
    static const char *const names[CLASSES] = {"alnum", "alpha", "blank", "cntrl",
                                               "digit", "graph", "lower", "print",
                                               "punct", "space", "upper", "xdigit"};
    static uint32_t known[CLASSES][CLASS_RANGES_MAX][2];
    static uint64_t counts[CLASSES];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint64_t count;
    int i = 0;

    (void)context;
    while (i < CLASSES && strcmp(names[i], name) != 0)
        i++;
    if (i == CLASSES)
        return 0;
    (void)pthread_mutex_lock(&lock);
    if (counts[i] == 0)
        counts[i] = list_class(wctype(name), known[i]);
    count = counts[i];
    (void)pthread_mutex_unlock(&lock);
    *ranges = &known[i][0][0];
    return count;
}

struct trawl_letters charset_utf8(bool by_unicode)
{
    struct trawl_letters letters = {.size = sizeof letters, .class_ranges = charset_class};

    if (locale_set.kind == CHARSET_SINGLE) {
        letters.context = by_unicode ? &locale_set : NULL;
        letters.variants = byte_variants;
        letters.is_word = byte_is_word;
    } else {
        letters.variants = by_unicode ? trawl_unicode()->variants : charset_variants;
        letters.is_word = charset_is_word;
    }
    return letters;
}

uint32_t charset_folded(uint32_t code_point, bool by_unicode)
{
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX], min = code_point;

    if (by_unicode) {
        for (uint32_t i = trawl_unicode()->variants(NULL, code_point, variants); i-- > 0;)
            min = variants[i] < min ? variants[i] : min;
        return min;
    }
    return code_point >= UNFOUND_BEGIN && code_point < UNFOUND_END
               ? code_point
               : (uint32_t)towupper((wint_t)code_point);
}

bool charset_empty_word(enum charset charset, bool (*is_word_character)(void *, uint32_t),
                        const uint8_t *bytes, size_t bytes_count)
{
    bool word_before = false;

    for (size_t at = 0, length = 1; at <= bytes_count; at += length) {
        uint32_t code_point = 0;
        bool is_word = false;

        length = 1;
        if (at < bytes_count) {
            if (!decode(charset, bytes + at, bytes_count - at, &code_point, &length)) {
                code_point = 0x110000; /* no character; a word character for tg, see words.c */
                length = 1;
            }
            is_word = is_word_character(NULL, code_point);
        }
        /* grep also looks inside a longer character that is not a letter */
        if (!is_word && (!word_before || (length > 1 && charset == CHARSET_UTF8 &&
                                          is_word_character == charset_is_word)))
            return true;
        word_before = is_word;
    }
    return false;
}
