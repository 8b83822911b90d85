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

/* Of the plan's literals, which are classes of bytes. */
void approx_codes_make(const struct approximate *approximate, struct approx_codes *codes);

#endif
