/* re2: a table of C functions for everything that trawl needs from the library RE2. Only re2.cc
 * includes RE2's headers.
 *
 * re2.cc is in its own shared object, libtrawl_regex, which regex_load.c loads when RE2 is first
 * needed, so a search without RE2 loads no C++ library. No function throws or logs. All functions
 * may be called by several threads at once.
 */
#ifndef TRAWL_REGEX_RE2_H
#define TRAWL_REGEX_RE2_H

#include <stdbool.h>
#include <stdint.h>

#include "regex/syntax/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

struct regex; /* an expression that RE2 has compiled */
/* Which texts a program reads: lines as they are, or copies with marks around characters, with
 * which RE2 recognizes non-ASCII words (words.h). */
enum regex_marks {
    REGEX_UNMARKED,
    REGEX_MARKED,       /* copies of lines with marks */
    REGEX_MARKED_LINES, /* copies of lines whose marks are blanks, for options.multi */
    REGEX_MARKED_WORD   /* copies with marks; a match must not adjoin a word character */
};
struct regex_options {
    /* of matches that begin together, prefer the longest; false: that of the first alternative */
    bool longest;
    bool fold;    /* ignore case, by `letters` */
    bool bytes;   /* each byte is a character; false: UTF-8 */
    bool lines;   /* the text has many lines, and a match must not contain one: not for RE2 */
    bool dot_all; /* '.' also matches a newline */
    /* ^ and $ also match at newlines, and a match may cross lines */
    bool multi;
    uint8_t line_end; /* not used by RE2 */
    bool ripgrep;     /* classes are in ripgrep's syntax */
    bool pcre;        /* as in PCRE2, \s includes the vertical tab, and \v means any line end */
    /* a character stands for the codes that stand only for its bases; ANY: for some of its bases */
    enum { REGEX_NO_DNA, REGEX_DNA, REGEX_DNA_ANY } dna;
    bool unicode; /* \w, \d and \s mean Unicode's characters, and named classes ignore case */
    /* Rules for letters. variants NULL: only A-Z equal a-z. is_word NULL: words consist of ASCII
     * letters, digits and _. class_ranges NULL: named classes mean ASCII characters. */
    struct trawl_letters letters;
    enum regex_marks marks;
    /* A thread that calls `match` often gets a copy of the program, which takes as much memory as
     * the program itself. */
    bool is_copied;
    uint64_t memory_bytes;
};

#define REGEX_MESSAGE_BYTES 160

enum regex_anchor {
    REGEX_ANYWHERE,
    REGEX_AT_FROM, /* find only a match that begins at `from` */
    REGEX_WHOLE    /* find only a match of all bytes from `from` to `to` */
};

struct regex_span {
    uint64_t begin; /* UINT64_MAX: the group did not participate in the match */
    uint64_t end;
};

#define REGEX_VERSION 18u

struct regex_ops {
    uint32_t version; /* the caller checks that this is REGEX_VERSION */
    /* Compiles an expression in RE2's syntax. Errors: ARGUMENT for a mistake, which `message`
     * describes; LIMIT if the program needs more memory; MEMORY. */
    enum trawl_status (*compile)(const char *text, uint64_t count,
                                 const struct regex_options *options, struct regex **regex,
                                 char message[REGEX_MESSAGE_BYTES]);
    void (*release)(struct regex *regex);
    /* Finds the first match in text[0, count) that begins at or after `from` and ends at or before
     * `to`. Assertions see the whole text. Stores the match in *span, unless that is NULL, which is
     * faster. Returns 1 for a match, 0 for none, -1 if memory cannot be allocated. */
    int (*match)(const struct regex *regex, const uint8_t *text, uint64_t count, uint64_t from,
                 uint64_t to, enum regex_anchor anchor, struct regex_span *span);
};

/* The table; the only symbol that libtrawl_regex exports. */
extern const struct regex_ops trawl_regex_ops;

#ifdef __cplusplus
}
#endif
#endif
