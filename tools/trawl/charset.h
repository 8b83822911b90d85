/* charset: what the locale says about characters, through the C library.
 */
#ifndef TRAWL_CHARSET_H
#define TRAWL_CHARSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

enum charset {
    CHARSET_BYTES,  /* the C locale: each byte is a character, letters are those of ASCII */
    CHARSET_SINGLE, /* a byte each: ISO-8859-1, KOI8-R */
    CHARSET_UTF8    /* of 1 to 4 bytes */
};

/* Take the locale from the environment. Where characters have several bytes, but not as in UTF-8
 * (GB18030, EUC-JP), the command searches bytes. */
enum charset charset_open(void);

/* As a client and a server tell each other: "utf-8", "c", or "other". Searches of two processes
 * with the same one of the first two have the same letters. After charset_open. */
const char *charset_name(enum charset charset);

/* For struct trawl_plan_options: what the locale says of code points or, in CHARSET_SINGLE, of
 * bytes. */
struct trawl_utf8 charset_utf8(void);

/* Are i and I one letter? Not in Turkish. */
bool charset_folds_ascii(void);

/* Are these the same characters where case is ignored? */
bool charset_equal_case(const uint8_t *a, size_t a_count, const uint8_t *b, size_t b_count);

/* Is there a capital letter? Here and in charset_empty_word, `charset` is the locale's, or
 * CHARSET_BYTES in any locale. */
bool charset_has_capital(enum charset charset, const uint8_t *bytes, size_t bytes_count);

/* Are these bytes whole characters, as the C library decodes them? */
bool charset_is_valid(const uint8_t *bytes, size_t bytes_count);

/* One character at bytes[0]: its code point and length; false if it is not one. */
bool charset_decode(const uint8_t *bytes, size_t bytes_count, uint32_t *code_point, size_t *length);

bool charset_is_word(void *context, uint32_t code_point);

/* Where grep -w finds the empty string: a place with no word character on either side. Looks at
 * places from *at on and below `limit` (at most bytes_count + 1); true: *at is one. `*word_before`:
 * a word character ends at *at. To go on with more bytes, call again with both as they were left;
 * then `limit` must be 4 bytes or more below bytes_count. */
bool charset_empty_word(enum charset charset, const uint8_t *bytes, size_t bytes_count,
                        size_t limit, size_t *at, bool *word_before);

/* Before charset_variants is asked: look through the locale's letters once, if strings have letters
 * beyond ASCII all of them. Not from two threads. */
void charset_prepare(bool beyond_ascii);

/* The letters that equal one where case is ignored, as variants of struct trawl_utf8. */
uint32_t charset_variants(void *context, uint32_t code_point,
                          uint32_t variants[TRAWL_UTF8_VARIANTS_MAX]);

/* The same for letters that have the same variants. */
uint32_t charset_folded(uint32_t code_point);

#endif
