/* guess: guesses a text's encoding with uchardet. */
#include "trawl/options/guess.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "trawl/text/library.h"
#include "trawl/text/utf8.h"

#define FUNCTION_LIST(X)                                \
    X(void *, new, (void))                              \
    X(int, handle_data, (void *, const char *, size_t)) \
    X(void, data_end, (void *))                         \
    X(const char *, get_charset, (void *))              \
    X(void, delete, (void *))

LIBRARY("libuchardet.so.0", "uchardet_", FUNCTION_LIST);

bool guess_is_there(void)
{
    return library_load(&library);
}

/* Returns true for UTF-8, also if it ends inside a character (*ends_inside), and sets *wide to the
 * number of characters beyond ASCII. */
static bool is_utf8_with(const uint8_t *bytes, size_t bytes_count, size_t *wide, bool *ends_inside)
{
    uint32_t code_point;
    size_t at = 0, count = 1;

    for (*wide = 0; at < bytes_count && count > 0; at += count) {
        count = utf8_character(bytes + at, bytes_count - at, &code_point);
        *wide += count > 1;
    }
    *ends_inside = count == 0;
    return count > 0 || bytes_count - at < UTF8_BYTES_MAX;
}

/* Returns true for UTF-8. Not for ASCII with an escape, which may be ISO-2022, nor for a whole text
 * of ASCII that ends in other bytes, which may be in any encoding. */
static bool is_utf8(const uint8_t *bytes, size_t bytes_count, bool is_whole)
{
    size_t wide;
    bool ends_inside;

    if (!is_utf8_with(bytes, bytes_count, &wide, &ends_inside))
        return false;
    return wide > 0 || (memchr(bytes, '\x1b', bytes_count) == NULL && !(is_whole && ends_inside));
}

/* Returns how many units are ASCII characters, if the bytes may be UTF-16 with each unit's low byte
 * at `low` (0: little endian). Returns 0 for an unpaired surrogate, a NUL, a control other than a
 * blank, a private or an unassigned character. Blanks count twice, because the wrong byte order
 * rarely makes them of other text: but 4E 00 is N in one order, a Chinese letter in the other. */
static size_t ascii_of_utf16(const uint8_t *bytes, size_t bytes_count, size_t low)
{
    uint32_t before = 0;
    size_t ascii = 0;

    for (size_t i = 0; i + 1 < bytes_count; i += 2) {
        const uint32_t unit = bytes[i + low] | (uint32_t)bytes[i + 1 - low] << 8;

        if ((unit < 0x20 && (unit < '\t' || unit > '\r')) || (unit >= 0x7f && unit < 0xa0) ||
            (unit >= 0xe000 && unit < 0xf900) || unit >= 0xfffe ||
            (unit >> 10 == 0xdc00 >> 10) != (before >> 10 == 0xd800 >> 10))
            return 0;
        before = unit;
        ascii += unit <= ' ' ? 2 : unit < 0x80;
    }
    return ascii;
}

/* Returns which UTF-16 text with a NUL is in; "": it is binary. Without a mark, UTF-16 shows by the
 * high bytes of its ASCII characters, such as line ends. A list of ASCII strings that NULs separate
 * has too few NULs and other bytes that are not text. */
static const char *utf16_name(const uint8_t *bytes, size_t bytes_count, bool is_whole)
{
    size_t zeros = 0, others = 0, blanks = 0, wide, little, big;
    bool ends_inside;

    for (size_t i = 0; i < bytes_count; i++) {
        zeros += bytes[i] == 0;
        others += bytes[i] >= 0x7f || (bytes[i] > 0 && bytes[i] < '\t');
        blanks += bytes[i] == ' ' || bytes[i] == '\n';
    }
    if (bytes_count < 4 || (is_whole && bytes_count % 2 != 0) ||
        (zeros <= bytes_count / 3 && others <= bytes_count / 16) ||
        (is_utf8_with(bytes, bytes_count, &wide, &ends_inside) && wide > 0))
        return "";
    little = ascii_of_utf16(bytes, bytes_count, 0);
    big = ascii_of_utf16(bytes, bytes_count, 1);
    if (others < bytes_count / 4 && little < blanks &&
        big < blanks) /* the blanks are not UTF-16's */
        return "";
    return little > big ? "UTF-16LE" : big > little ? "UTF-16BE" : "";
}

void guess_encoding(const uint8_t *bytes, size_t bytes_count, bool is_whole, char *guess)
{
    void *guesser;

    *guess = '\0';
    if (memchr(bytes, '\0', bytes_count) != NULL) { /* no other encoding has NULs */
        (void)snprintf(guess, GUESS_BYTES, "%s", utf16_name(bytes, bytes_count, is_whole));
        return;
    }
    guesser = is_utf8(bytes, bytes_count, is_whole) || !guess_is_there() ? NULL : functions.new();
    if (guesser == NULL)
        return;
    if (functions.handle_data(guesser, (const char *)bytes, bytes_count) == 0) {
        functions.data_end(guesser);
        (void)snprintf(guess, GUESS_BYTES, "%s", functions.get_charset(guesser));
    }
    functions.delete(guesser);
    if (strcasecmp(guess, "ASCII") == 0 || strcasecmp(guess, "UTF-8") == 0)
        *guess = '\0';
}
