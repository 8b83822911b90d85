/* split: finds the strings by which a search looks for an expression.
 *
 * Each match of an alternative is its head, then one of a few strings, then the rest. The search
 * finds the strings; RE2 then reads the head backwards from the string's begin, and the string with
 * the rest forwards.
 */
#ifndef TRAWL_REGEX_SPLIT_H
#define TRAWL_REGEX_SPLIT_H

#include "base/status.h"
#include "plan/analyse.h"
#include "regex/re2.h"

#define SPLIT_STRINGS_MAX 64u
#define SPLIT_STRING_BYTES 59u
#define SPLIT_SEQUENCE_MAX 16u
#define SPLIT_ENDLESS UINT32_MAX
enum { SPLIT_NO_WORD_AFTER = 3, SPLIT_NO_WORD_BEFORE = 5, SPLIT_LINE_EDGE = 16 };

struct split_strings {
    uint32_t count;
    struct split_string {
        uint32_t bytes_count;
        uint8_t bytes[SPLIT_STRING_BYTES];
    } items[SPLIT_STRINGS_MAX];
};

/* Characters with repetitions and edges, one after the other, in the order of reading. */
struct split_sequence {
    uint32_t count;
    struct split_character {
        /* 0: a character; SPLIT_LINE_EDGE; or where an edge of a word is: bit 0: between characters
         * of no word, 1: after a word, 2: before a word, 3: within a word */
        uint8_t edge;
        bool fold;
        bool dot_all;
        uint8_t skips; /* so many characters, this one first, may be left out together */
        uint32_t least;
        uint32_t most;     /* SPLIT_ENDLESS: no limit */
        const char *bytes; /* the character or the class, as in the expression */
        uint64_t count;
    } items[SPLIT_SEQUENCE_MAX];
};

/* An alternative of an expression. */
struct split {
    const struct split_strings *strings;
    bool folds;    /* some letters of the strings are in lower case, and stand for any case */
    bool keeps;    /* some characters of the strings stand for themselves */
    bool is_match; /* each occurrence of a string is a match of the expression */
    bool is_sure;  /* each occurrence of a string lies in a match, or is a match */
    bool begins;   /* no byte of a match comes before the string */
    /* The expression of the head, which ends where the text ends. Empty: the match begins with the
     * string, or an assertion between head and string needs the bytes after the head. */
    const char *head;
    uint64_t head_bytes;
    /* The expression of the string and the rest. Empty: nothing follows the string. */
    const char *tail;
    uint64_t tail_bytes;
    /* The head, read backwards from the string, and the rest after the string, with the edges that
     * the options ask for. NULL: more than a sequence, or a sequence that is too long. */
    const struct split_sequence *before;
    const struct split_sequence *after;
};

struct split_options {
    const struct regex_ops *ops;
    const struct regex_options *options; /* of the expression's program */
    bool words;                          /* only matches that are whole words count */
    uint8_t before, after; /* edges around each match that counts, as split_character.edge */
    bool splits_i;         /* i and I are different letters */
    const struct byte_rates *rates;
    const uint8_t *sample; /* a part of a text, in which strings are counted */
    uint64_t sample_bytes; /* 0: no text is known */
    enum trawl_status (*take)(void *context, const struct split *split, struct trawl_error *error);
    void *context;
};

/* Calls take for each alternative of an expression in RE2's syntax, which RE2 has accepted.
 * Stores in *splits whether all alternatives have strings; if not, what `take` got has no use.
 * *looks_back: the expression has an assertion that depends on the byte before. */
enum trawl_status split_expression(const char *bytes, uint64_t count,
                                   const struct split_options *options, bool *splits,
                                   bool *looks_back, struct trawl_error *error);

#endif
