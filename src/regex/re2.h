/* re2: a table of C functions for all that trawl needs of RE2. Only re2.cc and
 * classes.cc include RE2's headers.
 *
 * re2.cc is a shared object of its own, libtrawl_regex, which regex_load.c loads when a program
 * builds its first plan of expressions. A program without expressions loads no C++ library. No
 * function throws or logs. The functions are safe in several threads.
 */
#ifndef TRAWL_REGEX_RE2_H
#define TRAWL_REGEX_RE2_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Unicode's White_Space, and all other characters. */
#define REGEX_SPACES                                                                         \
    "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}" \
    "\\x{3000}"
#define REGEX_NO_SPACES                                                                       \
    "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{84}\\x{86}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}" \
    "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"            \
    "\\x{3001}-\\x{10ffff}"
/* Word characters, as in Unicode's technical standard 18. The ranges are letters in circles and
 * squares, which belong to no category of letters. */
#define REGEX_WORDS                                                                            \
    "\\p{L}\\p{Nl}\\p{M}\\x{200c}\\x{200d}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-" \
    "\\x{1f169}\\x{1f170}-\\x{1f189}\\p{Nd}\\p{Pc}"
#define REGEX_DIGITS "\\p{Nd}"

struct regex; /* a compiled expression */
enum regex_when {
    REGEX_NOW,
    REGEX_PARSED, /* mistakes are found now; a small program is compiled when first used */
    REGEX_LATER   /* the program is compiled when first used */
};
struct regex_options {
    /* of matches with the same begin, prefer the longest; false: the first alternative that
     * matches */
    bool longest;
    bool fold;    /* ignore case */
    bool bytes;   /* each byte is a character; false: UTF-8 */
    bool lines;   /* the text has many lines, and no match may contain a newline */
    bool dot_all; /* '.' matches a newline, too */
    /* threads that often ask get a copy of the program, which takes as much memory again */
    bool is_copied;
    enum regex_when when;
    uint64_t memory_bytes;
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

/* Where a match between word borders begins. */
enum regex_border {
    REGEX_BORDER_AT,   /* at REGEX_AT_FROM, where the caller knows that a word may begin */
    REGEX_BORDER_AFTER /* after a character that is part of no word, which the match includes */
};

#define REGEX_VERSION 7u

struct regex_ops {
    uint32_t version; /* REGEX_VERSION */
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
    /* Returns the program of the expression between word borders; the first call makes it, and
     * `regex` owns it. A match includes the character after the expression, unless a line ends
     * there; group 1 is the expression. `others`: the class of all characters that are part of no
     * word; `wide`: there are two such classes for `regex`, and this is the second. NULL: no
     * memory. */
    const struct regex *(*bordered)(const struct regex *regex, enum regex_border border,
                                    const char *others, bool wide);
    uint32_t (*group_count)(const struct regex *regex);
    /* Returns the number of the group of that name; 0: there is none. */
    uint32_t (*group_named)(const struct regex *regex, const char *name, uint64_t count);
    /* Writes ripgrep's class, "[...]", as RE2's class of the same characters to `out`, if the class
     * takes at most `room` bytes. \w, \d and \s mean Unicode's characters. variants: which letters
     * are equal, as in struct trawl_utf8; NULL: case counts. Returns how many bytes the class
     * takes; 0: *fault says why there is none. */
    uint64_t (*write_class)(const char *bytes, uint64_t count,
                            uint32_t (*variants)(void *, uint32_t, uint32_t *), char *out,
                            uint64_t room, struct regex_fault *fault);
};

/* The only symbol of libtrawl_regex. */
extern const struct regex_ops trawl_regex_ops;

#ifdef __cplusplus
}
#endif
#endif
