/* patterns: the strings to search for, from -e, -f or the first operand, and the plan for them.
 *
 * The library has no empty pattern; the command itself finds the empty string.
 */
#ifndef TRAWL_PATTERNS_H
#define TRAWL_PATTERNS_H

#include <stdlib.h>

#include "trawl/options/flags.h"
#include "trawl.h"

/* The numbers of each pattern of the plan. Strings are numbered from 1 in the order given,
 * including duplicates and empty strings; the plan has each string once. */
struct numbers {
    /* Pattern i of the plan has the numbers list[begin[i]] .. list[begin[i + 1] - 1]. NULL: pattern
     * i has the single number i + 1. */
    uint64_t *begin;
    uint64_t *list;       /* ascending for each pattern */
    uint64_t *empty;      /* the numbers of the empty strings, ascending */
    uint64_t empty_count; /* number of empty strings */
};

#define PATTERN_EMPTY UINT64_MAX /* the empty string */
/* a string with a NUL where NUL ends lines, so no line contains it */
#define PATTERN_NEVER (UINT64_MAX - 1)

/* Which of the library's matches the command must check, because the library compares bytes where
 * the locale has characters. */
struct pattern_check {
    bool any;    /* one of the members below is set */
    bool begins; /* a match may begin inside a character */
    bool words;  /* the library did not check the character before a match */
    /* the library treats i and I as equal, but they are two letters in the locale */
    bool cases;
    bool wide; /* --wide with -w: the library checked no character next to a match */
};

/* The kinds of neighbours of a place in a line: the byte before it, or the byte after it.
 * Assertions such as \b distinguish no further kinds. */
enum neighbour {
    NEIGHBOUR_NONE,  /* the line begins or ends */
    NEIGHBOUR_WORD,  /* a letter or digit of ASCII, or _ */
    NEIGHBOUR_OTHER, /* another byte of ASCII, but not '\n' or '\r' */
    NEIGHBOURS,
    NEIGHBOUR_ASKS = NEIGHBOURS /* any other byte: the library is called to find empty matches */
};

struct patterns {
    struct trawl_pattern *items; /* no empty string, no duplicates */
    uint64_t count;
    /* One expression with all expressions as alternatives, from which the plan is built. NULL
     * bytes: the plan is built from `items`. */
    struct trawl_pattern joined;
    /* The separate expressions find the same, faster, or the joined one was rejected: it is too
     * large, or several expressions have a group of the same name. So the plan is built from
     * `items`, and the library chooses among their matches: of those that begin first, that of the
     * first expression (first_wins), or else the longest. */
    bool is_apart, first_wins;
    bool has_empty;    /* some string is empty, so without -w and -x every line matches */
    const char *empty; /* where the first empty string is */
    /* Set only for tg, for a report of matches. in_order: of strings that begin at the same byte,
     * the one given first is found, not the longest. finds_empty: empty matches count, too. */
    bool in_order, finds_empty;
    bool empty_everywhere; /* an expression has an empty match everywhere in each line */
    /* Bit NEIGHBOURS * before + after: an expression has an empty match where the neighbours are
     * of the kinds `before` and `after` (enum neighbour). */
    uint32_t empty_between;
    uint64_t empty_from, empty_to; /* the plan's expressions of which this may be true */
    bool sees_lines;         /* PCRE2 searches, and may look beyond the neighbours of a place */
    uint64_t empty_index;    /* the first empty string was given before items[empty_index] */
    bool crosses;            /* --multiline: occurrences may cross lines */
    uint64_t reach;          /* --hex with wildcards: no occurrence is longer */
    bool has_never;          /* some string cannot occur in any line */
    bool never_has_capital;  /* such a string has a capital letter, for --smart-case */
    bool none_given;         /* all pattern files were empty: nothing matches */
    struct trawl_plan *plan; /* made of `items` or `joined` */
    struct trawl_plan_options options; /* the options of the last plan */
    struct trawl_letters letters;      /* options.letters points here */
    /* A plan that finds the strings anywhere, with -x checked by the command. It is for a binary
     * file, in which NUL also ends lines. Built when first needed. */
    struct trawl_plan *plan_any_position;
    struct trawl_plan
        *headings; /* finds headings of functions (print/function.h); NULL: not wanted */
    struct pattern_check check;
    bool needs_utf8; /* letters and words need characters; bytes are not enough */
    /* Different patterns may match the same bytes: in approximate search, if the patterns are
     * expressions, or under -i by the letters of the locale or of Unicode, where A may match B
     * although B does not match A. */
    bool many_may_match;
    /* If settings->numbers_wanted: an entry for each string as given, duplicates included. An entry
     * is an index into `items`, PATTERN_EMPTY or PATTERN_NEVER. */
    uint64_t *columns;
    struct trawl_pattern *strings; /* the bytes of each column, if the report prints the strings */
    uint64_t column_count, column_capacity;
    struct trawl_pattern
        *names; /* names of the first name_count columns; NULL bytes: --rules gives none */
    uint64_t name_count;
    struct numbers numbers; /* if settings->numbers_wanted: the numbers of each pattern */
    uint64_t capacity;
    uint64_t given_count; /* number of items before duplicates were removed */
    struct pattern_file { /* a file that was given by -f */
        const char *name;
        bool has_names; /* --rules */
        const char *bytes;
        size_t bytes_count;
    } * files;
    size_t file_count;
    void **blocks; /* memory that `items` point into, unless a string is in argv */
    size_t block_count;
};

/* Returns true if a CR before a line end of a -f file is not part of the string, as in ripgrep. */
bool patterns_drop_returns(const struct settings *settings);

/* rules.c: a file of --rules, or of FASTA. */
struct rules {
    const struct pattern_file *file;
    const char *next; /* initially file->bytes */
    uint64_t line;    /* initially 0 */
    struct trawl_pattern name, string;
    bool is_pair; /* --amplicon: the string is two, with a tab between them, or stands for both */
    struct trawl_pattern mate;
};

/* Reads the next rule; name.bytes is NULL if there is none. False: `message` says what is wrong. */
bool rules_next(struct patterns *patterns, struct rules *rules, char *message);
/* Names the string that is added next. False: no memory. */
bool rules_name(struct patterns *patterns, const struct trawl_pattern *name);
/* Returns the name of the string with a number; NULL: it has none. */
static inline const struct trawl_pattern *patterns_name(const struct patterns *patterns,
                                                        uint64_t number)
{
    return number <= patterns->name_count && patterns->names[number - 1].bytes != NULL
               ? &patterns->names[number - 1]
               : NULL;
}
/* Collects the strings. first_operand contains them if neither -e nor -f was given; otherwise NULL.
 * Decides whether --smart-case ignores case. False: message[SETTINGS_ERROR_BYTES] says why. */
bool patterns_gather(struct patterns *patterns, struct settings *settings,
                     const char *first_operand, char *message);
bool patterns_plan(struct patterns *patterns, const struct settings *settings, bool whole_line,
                   struct trawl_plan **plan, char *message);
/* Returns true if a -f file has bytes, or on a terminal a string looks like an expression, which
 * explains why nothing was found; `message` says which. */
bool patterns_hint(const struct patterns *patterns, const struct settings *settings, char *message);
/* Nothing was found: names the operands that are compressed or in another encoding. */
void patterns_hint_files(const struct settings *settings, const struct value_item *operands,
                         size_t count);
/* Returns what is strange about a list that was read; NULL: nothing. */
const char *patterns_doubt(const struct settings *settings, const struct pattern_file *file);
/* Returns the flag with which trawl_windows finds matches that do not overlap. */
static inline uint32_t patterns_spans(const struct patterns *patterns)
{
    return patterns->first_wins ? TRAWL_SPANS_FIRST | TRAWL_WITH_EMPTY : TRAWL_SPANS;
}
/* Keeps a block until the patterns are freed. NULL: the block is NULL, or memory ran out and it is
 * freed. */
static inline char *patterns_keep(struct patterns *patterns, char *block)
{
    void **blocks = realloc(patterns->blocks, (patterns->block_count + 1) * sizeof *blocks);

    if (blocks != NULL)
        patterns->blocks = blocks;
    if (blocks == NULL || block == NULL) {
        free(block);
        return NULL;
    }
    blocks[patterns->block_count++] = block;
    return block;
}
#define SHOWN_NAME_MAX 300 /* maximum number of bytes of a file name in a message */
/* numbers.c: writes into place[room] where the string with this index, which begins at `bytes`, was
 * given: the -f file and the line, or its number among several strings, which `noun` names. Writes
 * nothing if neither is known. Returns the number of bytes written. */
size_t patterns_place(const struct patterns *patterns, const char *noun, const void *bytes,
                      uint64_t index, char *place, size_t room);
void patterns_free(struct patterns *patterns);

/* numbers.c */

/* Fills the arrays, which the caller frees. False: no memory. */
bool numbers_build(struct numbers *numbers, const struct patterns *patterns);

static inline uint64_t numbers_count(const struct numbers *numbers, uint64_t pattern)
{
    return numbers->begin == NULL ? 1 : numbers->begin[pattern + 1] - numbers->begin[pattern];
}

static inline uint64_t numbers_get(const struct numbers *numbers, uint64_t pattern, uint64_t index)
{
    return numbers->begin == NULL ? pattern + 1 : numbers->list[numbers->begin[pattern] + index];
}

/* empty.c: where expressions match the empty string */

/* Returns the kind of the byte at offset `at` of a line; NEIGHBOUR_NONE if `at` is outside it, as
 * UINT64_MAX is, which means before the first byte. */
enum neighbour patterns_neighbour(const uint8_t *bytes, uint64_t count, uint64_t at);
/* Returns where an expression of the plan has empty matches, as in patterns->empty_between. */
uint32_t patterns_empty_between(const struct trawl_plan *plan, uint64_t expression);
/* Finds between which neighbours the expression has an empty match. Sets finds_empty,
 * empty_between and empty_everywhere. */
void patterns_find_empty(struct patterns *patterns, const struct trawl_plan *plan);

/* words.c: the characters that -w treats as parts of words */

/* Returns charset_utf8() with the word characters that the options require: tg uses Unicode's, as
 * ripgrep does, but ASCII's with --no-unicode; -P in UTF-8 uses ASCII's, as grep does; otherwise
 * the locale decides. The code point 0x110000 represents an invalid byte. Where tg uses Unicode's,
 * it counts as a word character, because ripgrep finds no word next to it. */
struct trawl_letters words_utf8(const struct settings *settings);
/* Returns the letters of a plan: those of words_utf8, or ASCII's. --wide has letters without -i. */
struct trawl_letters words_letters(const struct settings *settings, bool needs_utf8);
/* Returns true if -i means Unicode's equal letters. If not, -i means grep's. */
bool folds_by_unicode(const struct settings *settings);

#endif
