/* sets: reads a character, an escape or a class of any syntax as the set of its characters. */
#ifndef TRAWL_REGEX_SYNTAX_SETS_H
#define TRAWL_REGEX_SYNTAX_SETS_H

#include "base/status.h"
#include "regex/re2.h"
#include "regex/syntax/tree.h"

#define SETS_LAST 0x10ffffu
/* No characters have these code points. A set of characters of UTF-8 has none of them, because RE2
 * would match their bytes. */
#define SETS_GAP 0xd800u
#define SETS_GAP_END 0xe000u

/* Sorted ranges, which neither overlap nor touch each other. */
struct set {
    struct code_range *ranges;
    uint64_t count;
    uint64_t capacity;
    bool is_cut; /* memory was short */
};

/* A text that begins with a CHAR or a SET. */
struct sets_source {
    const char *text;
    uint64_t count;
    bool is_char; /* the text is a CHAR; false: a SET begins the text */
    bool skips;   /* blanks in a class mean nothing */
    uint8_t flags;
    const struct trawl_expression_told *told; /* as in syntax_options */
};

/* Calls told->letter for a character that stands for itself. */
static inline void sets_tell(const struct trawl_expression_told *told, uint32_t code)
{
    if (told != NULL && told->letter != NULL)
        told->letter(told->context, code);
}

/* Reads a CHAR or a SET, under options->letters and others. Sets *length to the bytes that were
 * read. The caller releases *set. Errors: ARGUMENT with error->text_offset in the text; MEMORY. */
enum trawl_status sets_read(const struct regex_options *options, const struct sets_source *source,
                            struct set *set, uint64_t *length, struct trawl_error *error);
void sets_release(struct set *set);
/* Stores the letters that differ from the letter only in case, at most TRAWL_UTF8_VARIANTS_MAX, and
 * returns their number. */
uint32_t sets_cases(const struct regex_options *options, uint32_t code, uint32_t *cases);
/* Returns true if the set of a CHAR or a SET contains the code point. */
bool sets_hold(const struct syntax_node *node, uint32_t code);

#endif
