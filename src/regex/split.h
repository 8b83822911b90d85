/* split: finds the strings by which an expression is searched.
 *
 * Each match of an alternative consists of a head, then one of a few strings, then the rest. A
 * search finds the strings; automata then read the head backwards and the rest forwards (lazy.h).
 */
#ifndef TRAWL_REGEX_SPLIT_H
#define TRAWL_REGEX_SPLIT_H

#include "base/status.h"
#include "plan/analyse.h"
#include "regex/options.h"
#include "regex/syntax/tree.h"

#define SPLIT_STRINGS_MAX 64u
#define SPLIT_STRING_BYTES 59u

struct split_strings {
    uint32_t count;
    struct split_string {
        uint32_t bytes_count;
        uint8_t bytes[SPLIT_STRING_BYTES];
    } items[SPLIT_STRINGS_MAX];
};

/* The strings of an alternative of an expression, and what surrounds them. */
struct split {
    const struct split_strings *strings;
    bool folds;    /* some letters of the strings, in lower case here, stand for any case */
    bool keeps;    /* some characters of the strings stand only for themselves */
    bool is_match; /* each occurrence of a string is a match of the expression */
    bool is_sure;  /* each occurrence of a string is a match, or lies in one */
    bool begins;   /* a match begins with the string: only assertions may come before it */
    bool leads;    /* the same, or all before it is optional: then another match begins with it */
    uint64_t head_max; /* the most bytes of the head; UINT64_MAX: there is no limit */
    uint32_t lines;    /* number of line ends in the head */
    const bool *near;  /* NULL, or the bytes of a head that may match other line ends, too */
    /* The first string around which there is a match is inside of the leftmost match: at most one
     * item of the head varies, x{n,m}. If one head begins before another one, and ends at a later
     * string, then the first head also matches up to the earlier string. And automata are as fast
     * as a reach. */
    bool is_near;
    /* The strings are items `first` to `last` of this list, or begin with it. */
    const struct syntax_node *list;
    uint32_t first, last;
    bool goes_on; /* more of these items may follow them */
    bool is_top;  /* the list is an alternative of the expression, not of a group inside of it */
};

struct split_options {
    const struct regex_options *options; /* options of the expression's program */
    bool has_edges;                      /* assertions must be true before and after each match */
    /* The head of the expression's only alternative may contain line ends. If false, no head
     * contains a line end, or an item that may match one. */
    bool heads_cross;
    bool heads_pass; /* that head may also contain items that may match them */
    bool has_reach;  /* the expression has: heads may contain whatever matches a line end */
    bool splits_i;   /* i and I are different letters, as in Turkish */
    const struct byte_rates *rates;
    const uint8_t *sample; /* a part of the text, in which occurrences of strings are counted */
    uint64_t sample_bytes; /* 0: the text is unknown */
    bool weighs; /* the score is the expected time of the host, instead of how rare strings are */
    enum trawl_status (*take)(void *context, const struct split *split, struct trawl_error *error);
    void *context;
};

/* Calls `take` for each alternative of an expression. Sets *splits to
 * whether all alternatives have strings; if not, what `take` has received is useless. */
enum trawl_status split_expression(const struct syntax_node *root,
                                   const struct split_options *options, bool *splits,
                                   struct trawl_error *error);
/* Returns true if a part of the expression may match the byte. */
bool split_may_hold(const struct syntax_node *node, uint8_t byte);

#endif
