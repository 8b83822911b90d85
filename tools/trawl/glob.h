/* glob: one pattern for names, made ready once and then compared with many.
 *
 *   ?        one byte, but no slash
 *   *        any bytes, but no slash
 *   **       between slashes or at an end: any number of directories; elsewhere the same as *
 *   [a-z]    one byte of a set; [!a-z] and [^a-z] one that is not; [[:alpha:]] and its like
 *   {a,b}    one of several (glob_expand)
 *   \x       the byte x itself
 *
 * Case matters unless GLOB_ANY_CASE is given, which is for ASCII only.
 */
#ifndef TRAWL_GLOB_H
#define TRAWL_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLOB_ANY_CASE 1u
#define GLOB_BACKWARDS 2u /* [b-a] is b, as git has it; else it is an error */

/* What a glob is made of, to tell where a table can be asked instead. */
enum glob_shape {
    GLOB_LITERAL, /* text */
    GLOB_SUFFIX,  /* *text */
    GLOB_PREFIX,  /* text* */
    GLOB_GENERAL
};

struct glob {
    enum glob_shape shape;
    unsigned flags;
    char *text; /* of the first three shapes, without its escapes */
    size_t text_bytes;
    uint16_t *codes; /* GLOB_GENERAL */
    size_t code_count;
    uint8_t (*classes)[32]; /* a bit for each byte */
    size_t class_count;
};

enum glob_status {
    GLOB_GOOD,
    GLOB_MEMORY,
    GLOB_UNCLOSED_CLASS,
    GLOB_BAD_RANGE,
    GLOB_DANGLING_ESCAPE,
    GLOB_UNCLOSED_BRACE,
    GLOB_TOO_MANY /* alternatives */
};

const char *glob_status_text(enum glob_status status);

/* Without braces: they stand for themselves. glob_free after GLOB_GOOD. */
enum glob_status glob_compile(struct glob *glob, const char *pattern, size_t bytes, unsigned flags);
void glob_free(struct glob *glob);

bool glob_matches(const struct glob *glob, const char *name, size_t bytes);

/* Call `take` with each pattern that {a,b} stand for; it may end this with another status. */
enum glob_status glob_expand(const char *pattern, size_t bytes,
                             enum glob_status (*take)(void *context, const char *pattern,
                                                      size_t bytes),
                             void *context);

#endif
