/* groups_parts: the program of an expression (groups.h). */
#ifndef TRAWL_REGEX_GROUPS_PARTS_H
#define TRAWL_REGEX_GROUPS_PARTS_H

#include "regex/groups.h"

#define LOW_CODES 0x800u
#define END_COLUMN 256u /* of a fork's bytes: the match ends */
#define COLUMNS (END_COLUMN + 1)

enum step_kind { STEP_END, STEP_CODE, STEP_SET, STEP_BYTE, STEP_FORK, STEP_EDGE, STEP_SAVE };

struct step {
    uint8_t kind;
    char letter;   /* of an EDGE, as in syntax_node */
    bool by_lines; /* for EDGE: ^ and $ also match at newlines */
    uint8_t loop;  /* of a FORK: the way, as in `ways`, that takes a character and comes back */
    uint32_t next;
    uint32_t other;  /* for FORK: the way less preferred; CODE: the character; SET: the index in
                        `sets`; SAVE: 2 * the group, + 1 at its end */
    uint32_t number; /* of a FORK */
};

/* The characters of a SET. */
struct group_set {
    uint64_t low[LOW_CODES / 64]; /* those below LOW_CODES */
    uint64_t first[4];            /* with which bytes they begin */
    uint32_t from, count;         /* their ranges in groups->ranges */
};

struct groups {
    const struct regex_options *options;
    bool is_strict, has_part; /* has_part: \C takes a part of a character */
    struct step *steps;       /* steps[0] is the END */
    uint32_t step_count, fork_count, first;
    uint64_t step_capacity;
    struct group_set *sets;
    uint64_t set_count, set_capacity;
    struct code_range *ranges;
    uint64_t range_count, range_capacity;
    /* for each fork and byte: 1 if `next` may lead on, 2 if `other` may; NULL: either may */
    uint8_t *ways;
};

#endif
