/* glob: a pattern for names, compiled once and matched against many.
 *
 *   ?        a byte other than a slash
 *   *        any bytes but slashes
 *   **       between slashes or at an end, any number of directories; elsewhere the same as *
 *   [a-z]    a byte of a set; [!a-z] and [^a-z] a byte outside the set
 *   {a,b}    alternatives (glob_expand)
 *   \x       the byte x itself
 *
 * Upper and lower case differ, unless GLOB_ANY_CASE makes the letters of ASCII equal.
 */
#ifndef TRAWL_GLOB_H
#define TRAWL_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLOB_ANY_CASE 1u /* upper and lower case of ASCII letters are alike */
/* Git's rules: [b-a] means b, [[:alpha:]] a letter, [\x] the byte x, and *** is **. Without the
 * flag, ripgrep's rules: [b-a] is GLOB_BAD_RANGE, and *** is *. */
#define GLOB_GIT 2u

/* The shape of a glob. ignore.c finds literals and some suffixes with a hash table. */
enum glob_shape {
    GLOB_LITERAL, /* text */
    GLOB_SUFFIX,  /* *text */
    GLOB_PREFIX,  /* text* */
    GLOB_GENERAL  /* any other glob, as codes */
};

struct glob {
    enum glob_shape shape;
    unsigned flags;
    char *text; /* the text of the first three shapes, without escapes */
    size_t text_bytes;
    uint16_t *codes; /* GLOB_GENERAL */
    size_t code_count;
    uint8_t (*classes)[32]; /* a bit for each byte value */
    size_t class_count;     /* number of sets such as [a-z] */
};

enum glob_status {
    GLOB_GOOD,
    GLOB_MEMORY,          /* memory is exhausted, or a server's limit is reached */
    GLOB_UNCLOSED_CLASS,  /* '[' without ']' */
    GLOB_BAD_RANGE,       /* as in [b-a] */
    GLOB_DANGLING_ESCAPE, /* '\' at the end */
    GLOB_UNCLOSED_BRACE,  /* '{' without '}' */
    GLOB_UNOPENED_BRACE,  /* '}' without '{', for glob_expand */
    GLOB_TOO_MANY         /* too many alternatives, sets or pairs of braces */
};

const char *glob_status_text(enum glob_status status);

/* Compiles a pattern. Braces are plain characters. Call glob_free after GLOB_GOOD. */
enum glob_status glob_compile(struct glob *glob, const char *pattern, size_t bytes, unsigned flags);
void glob_free(struct glob *glob);

bool glob_matches(const struct glob *glob, const char *name, size_t bytes);

/* Calls `take` with each pattern that results from choosing alternatives in braces. If `take`
 * returns a status other than GLOB_GOOD, no more calls follow, and that status is returned. */
enum glob_status glob_expand(const char *pattern, size_t bytes,
                             enum glob_status (*take)(void *context, const char *pattern,
                                                      size_t bytes),
                             void *context);

#endif
