/* sets: reads a character, an escape or a class of any syntax as the set of its characters. */
#ifndef TRAWL_REGEX_SYNTAX_SETS_H
#define TRAWL_REGEX_SYNTAX_SETS_H

#include "base/status.h"
#include "regex/options.h"
#include "regex/syntax/tree.h"

#define SETS_LAST 0x10ffffu
/* No characters have these code points. A set of UTF-8 characters must not contain them, because
 * their bytes would match. */
#define SETS_GAP 0xd800u
#define SETS_GAP_END 0xe000u

/* Sorted ranges, which neither overlap nor adjoin. */
struct set {
    struct code_range *ranges;
    uint64_t count;
    uint64_t capacity;
    bool is_cut; /* incomplete, because memory could not be allocated */
};

/* Calls told->letter for a character that stands for itself. */
static inline void sets_report_letter(const struct trawl_expression_told *told, uint32_t code)
{
    if (told != NULL && told->letter != NULL)
        told->letter(told->context, code);
}

/* Reads the characters of a CHAR, which is node->bytes, or of a SET: '.', or the class or escape at
 * reader->at, past which it moves. The caller releases *set. Errors: ARGUMENT with
 * error->text_offset; MEMORY. */
struct syntax_reader;
enum trawl_status sets_read(struct syntax_reader *reader, const struct syntax_node *node,
                            struct set *set, struct trawl_error *error);
/* Adds the characters of a CHAR or a SET; sets set->is_cut if there is no memory. */
void sets_add(struct set *set, const struct syntax_node *node);
/* Makes the set of \w. The caller releases *set, and asks set->is_cut. */
void sets_words(const struct regex_options *options, struct set *set);
void sets_release(struct set *set);
/* Stores the letters that differ from this one only in case, at most TRAWL_UTF8_VARIANTS_MAX, and
 * returns how many there are. */
uint32_t sets_cases(const struct regex_options *options, uint32_t code, uint32_t *cases);
/* Returns true if the set of a CHAR or a SET contains the code point. */
bool sets_hold(const struct syntax_node *node, uint32_t code);

#endif
