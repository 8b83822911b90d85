/* options: how expressions are read and searched for. */
#ifndef TRAWL_REGEX_OPTIONS_H
#define TRAWL_REGEX_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "regex/syntax/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

struct regex_options {
    /* of matches that begin together, prefer the longest; false: that of the first alternative */
    bool longest;
    bool fold;    /* ignore case, by `letters` */
    bool bytes;   /* each byte is a character; false: UTF-8 */
    bool lines;   /* the text has many lines, and a match must not contain one */
    bool dot_all; /* '.' also matches a newline */
    /* ^ and $ also match at newlines, and a match may cross lines */
    bool multi;
    uint8_t line_end;
    bool ripgrep; /* classes are in ripgrep's syntax */
    bool pcre;    /* as in PCRE2, \s includes the vertical tab, and \v means any line end */
    /* a character stands for the codes that stand only for its bases; ANY: for some of its bases */
    enum { REGEX_NO_DNA, REGEX_DNA, REGEX_DNA_ANY } dna;
    bool unicode; /* \w, \d and \s mean Unicode's characters, and named classes ignore case */
    /* Rules for letters. variants NULL: only A-Z equal a-z. is_word NULL: words consist of ASCII
     * letters, digits and _. class_ranges NULL: named classes mean ASCII characters. */
    struct trawl_letters letters;
};

/* The characters beyond ASCII that belong to words, up to `end`; later ones are unknown. */
struct word_ranges {
    const struct code_range *ranges;
    uint32_t count;
    uint32_t end;
};

enum regex_anchor {
    REGEX_ANYWHERE,
    REGEX_AT_FROM, /* find only a match that begins at `from` */
    REGEX_WHOLE    /* find only a match of all bytes from `from` to `to` */
};

struct regex_span {
    uint64_t begin; /* UINT64_MAX: the group did not participate in the match */
    uint64_t end;
};

#ifdef __cplusplus
}
#endif
#endif
