/* patterns: the strings to search for, gathered from -e, -f and the first operand, and their plan.
 *
 * The library has no empty pattern; this file handles the empty string.
 */
#ifndef TRAWL_PATTERNS_H
#define TRAWL_PATTERNS_H

#include "trawl/numbers.h"
#include "trawl/settings.h"
#include "trawl.h"

#define PATTERN_EMPTY UINT64_MAX       /* the empty string */
#define PATTERN_NEVER (UINT64_MAX - 1) /* holds the line end, so no line holds it */

/* Where the library takes bytes for a match that are none in the locale's characters. */
struct pattern_check {
    bool any;
    bool begins; /* a match may begin inside a character */
    bool words;  /* the character before it was not looked at */
    bool cases;  /* letters of ASCII are folded that are two */
};

struct patterns {
    struct trawl_pattern *items; /* none empty, none twice */
    uint64_t count;
    bool has_empty;
    bool has_never;       /* and a string that no line can hold */
    bool none_given;      /* all pattern files were empty: nothing matches */
    bool plan_whole_line; /* the plan itself looks for whole lines */
    struct trawl_plan *plan;
    struct trawl_plan_options options; /* that the last plan was built with: for one like it */
    struct trawl_utf8 utf8;            /* of these options */
    /* For a binary file under -x, where NUL ends lines too: built when first needed. */
    struct trawl_plan *plan_any_position;
    struct pattern_check check;
    bool needs_utf8; /* for letters and words, bytes are not enough */
    /* Strings that differ may match the same bytes: with errors; under -i, where one of two letters
     * alone finds the other. */
    bool case_may_tell;
    /* If settings->numbers_wanted: every string as it was given, duplicates too: an index into
     * patterns, or one of the two above. */
    uint64_t *columns;
    struct trawl_pattern *strings; /* of columns, where the report prints them */
    uint64_t column_count, column_capacity;
    struct numbers numbers;
    struct trawl_pattern *replacements; /* a line for each of columns; NULL: no --replacements */
    uint64_t capacity;
    void **blocks; /* what the patterns point into, if not argv */
    size_t block_count;
};

/* first_operand: the strings where neither -e nor -f gave any, else NULL. Decides of --smart-case
 * whether case is ignored. False: message filled. */
bool patterns_gather(struct patterns *patterns, struct settings *settings,
                     const char *first_operand, char *message);
bool patterns_plan(struct patterns *patterns, const struct settings *settings, bool whole_line,
                   struct trawl_plan **plan, char *message);
void patterns_free(struct patterns *patterns);

#endif
