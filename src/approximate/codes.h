/* codes: maps each byte of a text to one of four codes, of two bits each. A byte that equals no
 * symbol of the patterns has no code.
 *
 * A literal's symbol becomes a set of codes. Different bytes may have the same code, but equal
 * bytes always match. Bases of DNA that the patterns distinguish have different codes.
 */
#ifndef TRAWL_APPROXIMATE_CODES_H
#define TRAWL_APPROXIMATE_CODES_H

#include "approximate/approx_compile.h"

#define CODES 4u
#define CODES_NONE CODES
/* A gram is the codes of at most this many adjacent symbols. */
#define GRAM_SYMBOLS_MAX 10u

struct approx_codes {
    uint8_t code[256]; /* the code of each byte, or CODES_NONE */
    /* for each class of bytes: bit c is set if some byte of the class has code c */
    uint8_t sets[APPROX_CLASSES_MAX];
};

/* how many symbols of a literal are compared at most */
#define CODED_SYMBOLS_MAX 32u

struct approx_coded {
    uint32_t count;
    uint32_t exact; /* mismatches: bit j is set if symbol j allows no error */
    uint8_t sets[CODED_SYMBOLS_MAX];
};

/* approx_codes_make chooses the codes for the plan's literals, whose symbols are classes of bytes.
 * approx_coded_read writes a literal's first CODED_SYMBOLS_MAX symbols, as sets of codes. */
void approx_codes_make(const struct approximate *approximate, struct approx_codes *codes);
void approx_coded_read(const struct approximate *approximate, const struct approx_codes *codes,
                       uint32_t literal, struct approx_coded *coded);

/* Grams are numbered: the high bits of the symbols' codes, above the low bits. Steps *gram, whose
 * symbol i has a code of sets[i], to the next gram like that; from UINT32_MAX to the first. Returns
 * false after the last. */
bool approx_gram_next(const uint8_t *sets, uint32_t symbols, uint32_t *gram);
/* The lists of grams are made in two passes. Between them, approx_heads_sum turns the number of
 * each list's entries into a head, the index of its first entry, where the first list begins at
 * `begin`, and returns where the last one ends. The second pass writes the entries, and moves each
 * head to the end of its list. Then approx_heads_return moves the heads back, and puts the end of
 * the last list after them. */
uint32_t approx_heads_sum(uint32_t *heads, uint32_t lists, uint32_t begin);
void approx_heads_return(uint32_t *heads, uint32_t lists, uint32_t begin);

#endif
