/* charset: characters of the locale, as the C library knows them. */
#ifndef TRAWL_CHARSET_H
#define TRAWL_CHARSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

enum charset {
    CHARSET_BYTES,  /* the C locale: each byte is a character; only ASCII has letters */
    CHARSET_SINGLE, /* a byte for each character: ISO-8859-1, KOI8-R */
    CHARSET_UTF8    /* 1 to 4 bytes for each character */
};

/* Sets the locale from the environment. In locales with other multibyte encodings (GB18030, EUC-JP)
 * the command searches bytes. `utf8`: a locale that is not UTF-8 is replaced with C.UTF-8, if the
 * system has it. */
enum charset charset_open(bool utf8);

/* Returns "utf-8", "c" or "other", for a client and a server to compare their locales: two
 * processes with "utf-8", or with "c", have the same letters. Call charset_open first. */
const char *charset_name(enum charset charset);

/* Returns the functions with which the library finds a letter's other cases and word characters.
 * They take code points, or bytes in CHARSET_SINGLE. by_unicode: letters are equal by the rule of
 * trawl_unicode, otherwise by the rule of grep -i. */
struct trawl_letters charset_utf8(bool by_unicode);

/* Returns true if i and I are the same letter, as they are not in Turkish. */
bool charset_folds_ascii(void);

/* Returns true if a and b have the same characters, ignoring case. */
bool charset_equal_case(const uint8_t *a, size_t a_count, const uint8_t *b, size_t b_count);

/* Returns true for a capital letter, as ripgrep does; titlecase letters such as U+01C5 are none. */
bool charset_is_capital(uint32_t letter);
/* Returns true if the bytes contain a capital letter. Here and in charset_empty_word, `charset` is
 * the locale's charset, or CHARSET_BYTES in any locale. */
bool charset_has_capital(enum charset charset, const uint8_t *bytes, size_t bytes_count);

/* Returns true if the C library decodes the bytes as whole characters. */
bool charset_is_valid(const uint8_t *bytes, size_t bytes_count);

/* Decodes the character at bytes[0]. False: no valid character begins there. */
bool charset_decode(const uint8_t *bytes, size_t bytes_count, uint32_t *code_point, size_t *length);

bool charset_is_word(void *context, uint32_t code_point);

/* Returns true if -w finds the empty string: some offset has no word character on either side. */
bool charset_empty_word(enum charset charset, bool (*is_word_character)(void *, uint32_t),
                        const uint8_t *bytes, size_t bytes_count);

/* Finds the letters that are not the lower case of their upper case, such as the final sigma: all
 * of them if beyond_ascii, otherwise at least those that equal an ASCII letter. Call before grep's
 * rule for equal letters is used, from one thread only. */
void charset_prepare(bool beyond_ascii);

/* Returns the same code point for all letters that have the same variants. */
uint32_t charset_folded(uint32_t code_point, bool by_unicode);

#endif
