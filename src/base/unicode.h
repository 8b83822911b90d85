/* unicode: tables of Unicode's characters (trawl_unicode, trawl.h). */
#ifndef TRAWL_BASE_UNICODE_H
#define TRAWL_BASE_UNICODE_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

struct code_range {
    uint32_t first;
    uint32_t last;
};

#define CODE_RANGES_MAX 1024u /* \w and \d have fewer */
struct code_ranges {
    struct code_range of[CODE_RANGES_MAX];
    uint32_t count;
};

/* Like trawl_unicode, but no ASCII letter is a variant of a non-ASCII letter (as k is of the Kelvin
 * sign), and only ASCII characters belong to words. */
const struct trawl_letters *unicode_apart(void);

/* Returns true if one of `count` ascending ranges contains the character. */
bool unicode_holds(const struct code_range *ranges, uint32_t count, uint32_t code_point);

/* Returns a bit for each character below 0x10000: it is not ASCII, and \w matches it. */
const uint64_t *unicode_word_bits(void);
/* Return the ranges of the non-ASCII characters that \w and \d match. */
const struct code_ranges *unicode_words(void);
const struct code_ranges *unicode_digits(void);

enum unicode_kind { UNICODE_ANY, UNICODE_CATEGORY, UNICODE_SCRIPT };

/* The characters of general categories or of a script. */
struct unicode_runs {
    const char *at;    /* position in a list of runs, each a code and then a number of characters
                          ("Lu26ZsPo3") */
    const char *codes; /* the codes of the property, or their first letters ("L,Nd") */
    const char *code;  /* code of the range that unicode_next returned last */
    uint32_t next;     /* the first character of the next run */
};

/* Begins to list the characters with this property. `name` is in lower case, without blanks, '-'
 * and '_' ("greek", "lu"). Returns false if there is no such property. */
bool unicode_property(const char *name, uint64_t count, enum unicode_kind kind,
                      struct unicode_runs *made);
/* Gets the next range of characters. Returns false at the end. */
bool unicode_next(struct unicode_runs *made, uint32_t *first, uint32_t *last);

#ifdef __cplusplus
}
#endif
#endif
