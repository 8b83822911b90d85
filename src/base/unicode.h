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

/* Returns true if one of `count` ascending ranges has the character. */
bool unicode_holds(const struct code_range *ranges, uint32_t count, uint32_t code_point);

/* Characters beyond ASCII. */
extern const struct code_range unicode_words[];  /* \w */
extern const uint32_t unicode_word_count;        /* number of ranges */
extern const struct code_range unicode_digits[]; /* \d */
extern const uint32_t unicode_digit_count;

enum unicode_kind { UNICODE_ANY, UNICODE_CATEGORY, UNICODE_SCRIPT };

/* The characters of a general category or a script. */
struct unicode_runs {
    const char *at; /* in a list of runs: a code, then the number of characters */
    const char *code;
    uint32_t length; /* characters of `code` that must be equal */
    uint32_t next;   /* the first character of the next run */
    bool is_cased;   /* letters with case, of several categories */
};

/* Begins to list the characters of the property with this name, which is in lower case and without
 * blanks, '-' and '_'. Returns false if there is no such property. */
bool unicode_property(const char *name, uint64_t count, enum unicode_kind kind,
                      struct unicode_runs *made);
/* Gets the next range of characters. Returns false if there is none. */
bool unicode_next(struct unicode_runs *made, uint32_t *first, uint32_t *last);

#ifdef __cplusplus
}
#endif
#endif
