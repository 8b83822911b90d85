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

/* Returns true if one of `count` ascending ranges contains the character. */
bool unicode_holds(const struct code_range *ranges, uint32_t count, uint32_t code_point);

/* Ranges of the non-ASCII characters that \w and \d match. */
extern const struct code_range unicode_words[];  /* \w */
extern const uint32_t unicode_word_count;        /* number of ranges */
extern const struct code_range unicode_digits[]; /* \d */
extern const uint32_t unicode_digit_count;

enum unicode_kind { UNICODE_ANY, UNICODE_CATEGORY, UNICODE_SCRIPT };

/* The characters of a general category or a script. */
struct unicode_runs {
    const char *at; /* position in a list of runs, each a code and then a number of characters
                       ("Lu26ZsPo3") */
    const char *code;
    uint32_t length; /* how many characters of `code` must be equal */
    uint32_t next;   /* the first character of the next run */
    bool is_cased;   /* the property is LC: Lu, Ll and Lt */
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
