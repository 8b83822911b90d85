/* codes: a text's byte as one of four codes of two bits, or none, which equals nothing.
 *
 * A literal's symbol is then a set of codes. A comparison of codes may say yes where the bytes
 * differ, but never the other way round; letters of DNA have codes of their own.
 */
#ifndef TRAWL_APPROXIMATE_CODES_H
#define TRAWL_APPROXIMATE_CODES_H

#include "approximate/compile.h"

#define CODES 4u
#define CODES_NONE CODES

struct approx_codes {
    uint8_t code[256];                /* of each byte, or CODES_NONE */
    uint8_t sets[APPROX_CLASSES_MAX]; /* of each class: bit c for code c */
};

/* The symbols of a literal that are compared. */
#define CODED_SYMBOLS_MAX 32u

struct approx_coded {
    uint32_t count;
    uint32_t exact; /* bit j: there is no error in symbol j (mismatches) */
    uint8_t sets[CODED_SYMBOLS_MAX];
};

/* Of the plan's literals, which are classes of bytes. */
void approx_codes_make(const struct approximate *approximate, struct approx_codes *codes);
void approx_coded_read(const struct approximate *approximate, const struct approx_codes *codes,
                       uint32_t literal, struct approx_coded *coded);

#endif
