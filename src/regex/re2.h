/* re2: a table of C functions for all that trawl needs of RE2. Only re2.cc and classes.cc include
 * RE2's headers.
 *
 * re2.cc is a shared object of its own, libtrawl_regex, which regex_load.c loads when a program
 * builds its first plan of expressions. A program without expressions loads no C++ library. No
 * function throws or logs. The functions are safe in several threads.
 */
#ifndef TRAWL_REGEX_RE2_H
#define TRAWL_REGEX_RE2_H

#include <stdbool.h>
#include <stdint.h>

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

struct regex; /* a compiled expression */
enum regex_when {
    REGEX_NOW,
    REGEX_PARSED, /* mistakes are found now; a small program is compiled when first used */
    REGEX_LATER   /* the program is compiled when first used */
};
/* Which texts the program reads (regex/words.h). */
enum regex_marks {
    REGEX_UNMARKED,
    REGEX_MARKED,       /* texts with marks */
    REGEX_MARKED_LINES, /* texts with marks of `multi`: blanks */
    REGEX_MARKED_WORD   /* texts with marks; a match has no word character before or after */
};
struct regex_options {
    /* of matches with the same begin, prefer the longest; false: the first alternative that
     * matches */
    bool longest;
    bool fold;    /* ignore case, by `letters` */
    bool bytes;   /* each byte is a character; false: UTF-8 */
    bool lines;   /* the text has many lines, and no match may contain a newline */
    bool dot_all; /* '.' matches a newline, too */
    bool multi;   /* ^ and $ match at newlines; regex_ops.crosses is about `line_end` */
    uint8_t line_end;
    bool ripgrep; /* classes are ripgrep's */
    bool unicode; /* \w, \d and \s mean Unicode's characters, and classes by name ignore case */
    /* variants NULL: A-Z equal a-z; is_word NULL: words consist of letters, digits and _ of ASCII;
     * class_ranges NULL: classes by name mean ASCII */
    struct trawl_letters letters;
    enum regex_marks marks;
    /* threads that often ask get a copy of the program, which takes as much memory again */
    bool is_copied;
    enum regex_when when;
    uint64_t memory_bytes;
    uint64_t plan; /* number of the plan, which keeps what its classes mean; 0: nothing is kept */
};

enum regex_status { REGEX_OK, REGEX_SYNTAX, REGEX_LARGE, REGEX_MEMORY };

struct regex_fault {
    uint64_t at; /* byte of the expression at which the mistake begins */
    char message[160];
};

enum regex_anchor {
    REGEX_ANYWHERE,
    REGEX_AT_FROM, /* only a match that begins at `from` counts */
    REGEX_WHOLE    /* only a match of all bytes from `from` to `to` counts */
};

struct regex_span {
    uint64_t begin; /* UINT64_MAX: the group took no part in the match */
    uint64_t end;
};

struct regex_range {
    uint32_t first;
    uint32_t last;
};

#define REGEX_VERSION 11u

struct regex_ops {
    uint32_t version; /* REGEX_VERSION */
    /* Compiles an expression that translate wrote. */
    enum regex_status (*compile)(const char *bytes, uint64_t count,
                                 const struct regex_options *options, struct regex **regex,
                                 struct regex_fault *fault);
    void (*release)(struct regex *regex);
    /* Returns whether `regex` is not NULL and has a program; compiles the program if options.when
     * put that off. Without a program, for lack of memory, the functions below must not be called.
     */
    bool (*is_ready)(const struct regex *regex);
    /* Finds the first match of text[0, count) that begins at `from` or later and ends at `to` or
     * earlier. Assertions see the whole text.
     * Sets the spans of the match and of its groups; with span_count 0, sets no span, which is
     * faster. Returns 1 if there is a match, 0 if not, -1 for lack of memory. */
    int (*match)(const struct regex *regex, const uint8_t *text, uint64_t count, uint64_t from,
                 uint64_t to, enum regex_anchor anchor, struct regex_span *spans,
                 uint32_t span_count);
    /* Lists the characters, from `first` up to `last`, that a character, an escape or a class of a
     * translated expression stands for. UINT32_MAX for `last`: all characters, but not if RE2 alone
     * knows these. Returns the number of ranges; UINT32_MAX: more than `room`, or they are not
     * known. */
    uint32_t (*list)(const char *bytes, uint64_t count, const struct regex_options *options,
                     uint32_t first, uint32_t last, struct regex_range *ranges, uint32_t room);
    /* Returns bits: 1: a part of the expression matches options.line_end; 2: an assertion asks
     * where a text or a line begins or ends. 0 without options.multi. */
    uint32_t (*crosses)(const struct regex *regex);
    uint32_t (*group_count)(const struct regex *regex);
    /* Returns the number of the group of that name; 0: there is none. */
    uint32_t (*group_named)(const struct regex *regex, const char *name, uint64_t count);
};

/* The only symbol of libtrawl_regex. */
extern const struct regex_ops trawl_regex_ops;

#ifdef __cplusplus
}
#endif
#endif
