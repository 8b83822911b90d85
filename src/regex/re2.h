/* re2: a table of C functions for all that trawl needs of the library RE2. Only re2.cc and
 * classes.cc include RE2's headers.
 *
 * These files, quick.cc, print_re2.cc and class_text.c form a shared object, libtrawl_regex,
 * which regex_load.c loads when a program builds its first plan of expressions. So a program
 * without expressions loads no C++ library. No function throws or logs. All functions may be called
 * by several threads at once.
 */
#ifndef TRAWL_REGEX_RE2_H
#define TRAWL_REGEX_RE2_H

#include <stdbool.h>
#include <stdint.h>

#include "regex/syntax/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

struct regex; /* a compiled expression */
enum regex_when {
    REGEX_NOW,
    REGEX_PARSED, /* mistakes are found now; a small program is compiled when first used */
    REGEX_LATER   /* the program is compiled when first used */
};
/* Which texts a program reads: lines as they are, or copies in which marks stand around characters,
 * so that RE2 knows words beyond ASCII (words.h). */
enum regex_marks {
    REGEX_UNMARKED,
    REGEX_MARKED,       /* copies with marks */
    REGEX_MARKED_LINES, /* copies in which blanks are the marks, for options.multi */
    REGEX_MARKED_WORD   /* copies with marks; no word character may stand before or after a match */
};
struct regex_options {
    /* of matches with the same begin, prefer the longest; false: that of the first alternative */
    bool longest;
    bool fold;    /* ignore case, by `letters` */
    bool bytes;   /* each byte is a character; false: UTF-8 */
    bool lines;   /* the text has many lines, and a match may not contain a newline */
    bool dot_all; /* '.' matches a newline, too */
    /* ^ and $ match at newlines, and a match may cross lines */
    bool multi;
    uint8_t line_end; /* RE2 does not ask for it */
    bool ripgrep;     /* classes are in ripgrep's syntax */
    bool pcre;    /* \s and \v mean what PCRE2 means: with the vertical tab; any end of a line */
    bool unicode; /* \w, \d and \s mean Unicode's characters, and classes by name ignore case */
    /* Rules for letters. variants NULL: only A-Z equal a-z. is_word NULL: words consist of ASCII
     * letters, digits and _. class_ranges NULL: names of classes mean ASCII characters. */
    struct trawl_letters letters;
    enum regex_marks marks;
    /* A thread that calls `match` often gets a copy of the program, which takes as much memory
     * again. */
    bool is_copied;
    bool is_list; /* the expression is a list of expressions; copies may take more memory */
    enum regex_when when;
    uint64_t memory_bytes;
    /* number of the plan, under which classes.h remembers how classes are written; 0: nothing is
     * remembered for the plan */
    uint64_t plan;
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

#define REGEX_VERSION 14u

struct regex_ops {
    uint32_t version; /* The caller checks that this is REGEX_VERSION. */
    /* Compiles a tree, which is a LIST or a GROUP. */
    enum regex_status (*compile)(const struct syntax_node *tree,
                                 const struct regex_options *options, struct regex **regex,
                                 struct regex_fault *fault);
    void (*release)(struct regex *regex);
    /* Returns true if `regex` is not NULL and has a program. Compiles the program now if
     * options.when postponed that. Without a program, because memory is short, no function below
     * may be called. */
    bool (*is_ready)(const struct regex *regex);
    /* Returns true if most matches in ASCII text are found by quick.h, without RE2. */
    bool (*is_quick)(const struct regex *regex);
    /* Finds the first match in text[0, count) that begins at `from` or later and ends at `to` or
     * earlier. Assertions see the whole text. Stores the match and its groups in `spans`; with
     * span_count 0, stores nothing, which is faster. Returns 1 for a match, 0 for none, -1 if
     * memory is short. */
    int (*match)(const struct regex *regex, const uint8_t *text, uint64_t count, uint64_t from,
                 uint64_t to, enum regex_anchor anchor, struct regex_span *spans,
                 uint32_t span_count);
    /* Lists the characters from `first` to `last` that a CHAR or a SET stands for, under
     * options.fold and options.dot_all instead of the node's flags. With `last` UINT32_MAX, lists
     * all characters, if they can be known without asking RE2. Returns the number of ranges, or
     * UINT32_MAX if there are more than `room` or if they are unknown. */
    uint32_t (*list)(const struct syntax_node *node, const struct regex_options *options,
                     uint32_t first, uint32_t last, struct regex_range *ranges, uint32_t room);
    uint32_t (*group_count)(const struct regex *regex);
    /* Returns the number of the group with that name; 0 if no group has it. */
    uint32_t (*group_named)(const struct regex *regex, const char *name, uint64_t count);
};

/* The table; the only symbol that libtrawl_regex exports. */
extern const struct regex_ops trawl_regex_ops;

#ifdef __cplusplus
}
#endif
#endif
