/* classes: the characters of classes in UTF-8, as automata of bytes.
 *
 * An automaton that reads \w has a state for each distinct rest of a character's encoding: some 100
 * states for 771 ranges. All places of an expression that take the class share them (nfa.h).
 */
#ifndef TRAWL_REGEX_CLASSES_H
#define TRAWL_REGEX_CLASSES_H

#include "base/status.h"
#include "regex/syntax/tree.h"

#define CLASSES_END 0u          /* the state after a character's last byte */
#define CLASSES_NONE UINT32_MAX /* the byte belongs to no character of the class */

struct class_range {
    uint8_t low, high;
    uint32_t to; /* the state after these bytes */
};

struct classes {
    struct class_range *ranges; /* of all states, each sorted */
    uint64_t range_count, range_capacity;
    struct class_state {
        uint32_t from, count; /* its ranges */
    } * states;
    uint64_t state_count, state_capacity;
    /* the classes: each has its ranges of characters at codes[from], and its first state */
    struct class_known {
        uint32_t from, count, first;
    } * known;
    uint64_t known_count, known_capacity;
    struct code_range *codes;
    uint64_t code_count, code_capacity;
};

/* Sets *first to the state in which the characters of a set, up to `last`, are read. With `bytes`,
 * each byte is a character. Errors: MEMORY. */
enum trawl_status classes_put(struct classes *classes, const struct syntax_node *set, uint32_t last,
                              bool bytes, uint32_t *first, struct trawl_error *error);
/* Returns the state after the byte; CLASSES_END, or CLASSES_NONE. */
uint32_t classes_next(const struct classes *classes, uint32_t state, uint32_t byte);
void classes_release(struct classes *classes);

#endif
