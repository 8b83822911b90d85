/* parse: the state of reading an expression, shared by its readers. nodes.c builds nodes. parse.c
 * reads what all syntaxes have, and POSIX's escapes; perl.c and beyond.c read the rest. */
#ifndef TRAWL_REGEX_SYNTAX_PARSE_H
#define TRAWL_REGEX_SYNTAX_PARSE_H

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "regex/options.h"
#include "regex/syntax/tree.h"

#define SYNTAX_DEPTH_MAX 1000u /* maximum nesting of groups and repetitions, as in RE2 */
/* message for syntax that means something else in PCRE2 than in trawl, where PCRE2 may be used */
#define LEFT_TO_PCRE2 "a syntax of PCRE2, with another meaning than trawl's"
/* Numbers of repetitions above SYNTAX_NUMBER_MAX are read as SYNTAX_NUMBER_MAX + 1. */
#define SYNTAX_NUMBER_MAX 999999u
/* the letter of a group that is an assertion (?=text), in PCRE2's syntax */
#define SYNTAX_AHEAD '='

struct braces {
    uint64_t length; /* of the text that was read; 0: this is not a repetition */
    uint32_t min;
    uint32_t max;
    bool is_endless; /* as in {n,} */
    bool has_min;    /* false for {,m} */
};

/* An open group. Its finished alternatives are reader->nodes[first, list), and the items of its
 * current alternative are reader->nodes[list, reader->count). */
struct syntax_frame {
    struct syntax_frame *outer;
    struct syntax_node *group;
    uint64_t first;
    uint64_t list;
    uint32_t bit;  /* in a POSIX syntax: the group's bit in reader->closed; 0 after nine groups */
    uint8_t flags; /* the reader's flags after the group */
    bool skips;
};

struct syntax_reader {
    struct syntax *out;
    enum trawl_syntax syntax; /* this and the next three are as in syntax_options */
    bool beyond;
    const struct regex_options *rules;
    const struct trawl_expression_told *told;
    bool skips;        /* flag (?x) is on: blanks and comments are skipped */
    bool repeats;      /* in a POSIX syntax: some part has a repetition */
    uint8_t flags;     /* bits such as SYNTAX_FOLDS, for what is read next */
    uint32_t closed;   /* in a POSIX syntax: a bit for each of the first nine groups, if closed */
    uint32_t groups;   /* how many numbered groups there are so far */
    uint32_t depth;    /* how many groups are open */
    const char *bytes; /* the expression */
    uint64_t bytes_count;
    uint64_t at;
    /* What was read last, if it matters: a repetition, which begins at `last_at`, or flags. */
    enum { LAST_OTHER, LAST_REPETITION, LAST_FLAGS } last;
    uint64_t last_at;
    bool is_repeatable;   /* in PCRE2's syntax: what was read last can be repeated */
    uint64_t referred_at; /* in PCRE2's syntax: where the last backreference ends */
    uint64_t large_at;    /* the first repetition that is too large */
    uint64_t large_count; /* bytes of that repetition; 0: there is none */
    struct syntax_frame *frame;
    struct syntax_node **nodes;
    uint64_t count;
    uint64_t capacity;
    const struct syntax_node **names; /* the groups that have names */
    uint64_t name_count;
    uint64_t name_capacity;
};

static inline char syntax_byte(const struct syntax_reader *reader, uint64_t at)
{
    return at < reader->bytes_count ? reader->bytes[at] : '\0';
}

static inline bool syntax_is_in(const char *letters, char letter)
{
    return letter != '\0' && strchr(letters, letter) != NULL;
}

static inline bool syntax_is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Returns the offset after the blanks at `at` if blanks are `allowed`, else `at`. */
static inline uint64_t syntax_skip_blanks(const struct syntax_reader *reader, uint64_t at,
                                          bool allowed)
{
    while (allowed && syntax_is_blank(syntax_byte(reader, at)))
        at++;
    return at;
}

static inline bool syntax_stands(const struct syntax_reader *reader, uint64_t at, const char *text)
{
    return at <= reader->bytes_count && strlen(text) <= reader->bytes_count - at &&
           memcmp(reader->bytes + at, text, strlen(text)) == 0;
}

/* Returns the number of bytes from reader->at to the next `last`, included; 0 if there is none. */
uint64_t syntax_count_to(const struct syntax_reader *reader, char last);
/* Returns the offset after the digits at `at`, and sets *number to their value. */
uint64_t syntax_number(const struct syntax_reader *reader, uint64_t at, uint32_t *number);
/* Reads {n}, {n,}, {n,m} or {,m} at reader->at, with or without a '\\' before either brace.
 * `blanks` may surround the numbers. */
struct braces syntax_braces(const struct syntax_reader *reader, bool blanks);
/* Reports a mistake, or syntax that trawl lacks, at byte `at` of the expression. The message is
 * formatted like that of printf. */
#define syntax_refuse(at, error, ...) \
    syntax_refuse_at((at), (error), TRAWL_FAIL((error), ARGUMENT, __VA_ARGS__))
static inline enum trawl_status syntax_refuse_at(uint64_t at, struct trawl_error *error,
                                                 enum trawl_status status)
{
    if (error != NULL)
        error->text_offset = at;
    return status;
}

/* Reports a mistake, or syntax that trawl lacks. The message ends with the `count` bytes of the
 * expression at byte `at`. */
static inline enum trawl_status syntax_refuse_part(const struct syntax_reader *reader, uint64_t at,
                                                   uint64_t count, const char *what,
                                                   struct trawl_error *error)
{
    return syntax_refuse(at, error, "%s: %.*s", what, (int)min_u64(count, 100), reader->bytes + at);
}

/* Returns `bytes` bytes of memory, which lives as long as the tree. Errors: MEMORY. */
enum trawl_status syntax_memory(struct syntax_reader *reader, uint64_t bytes, void **memory,
                                struct trawl_error *error);
/* Adds a leaf whose text lives as long as the tree, and moves reader->at past `length` bytes of the
 * expression. */
enum trawl_status syntax_add(struct syntax_reader *reader, enum syntax_kind kind, const char *text,
                             uint64_t count, uint64_t length, struct trawl_error *error);
/* Adds the next `length` bytes of the expression as a leaf, or as an assertion. */
enum trawl_status syntax_take(struct syntax_reader *reader, enum syntax_kind kind, uint64_t length,
                              struct trawl_error *error);
enum trawl_status syntax_add_edge(struct syntax_reader *reader, char letter, uint64_t length,
                                  struct trawl_error *error);
/* Adds the class or the escape at reader->at. */
enum trawl_status syntax_add_set(struct syntax_reader *reader, struct trawl_error *error);
/* Adds the character at reader->at, which stands for itself. */
enum trawl_status syntax_add_literal(struct syntax_reader *reader, struct trawl_error *error);
/* Opens a group that begins at byte `from`. */
enum trawl_status syntax_open(struct syntax_reader *reader, uint64_t from, bool is_numbered,
                              struct trawl_error *error);
/* Wraps the last item of the list in a repetition, whose operator begins at reader->last_at. */
enum trawl_status syntax_repeat(struct syntax_reader *reader, const struct braces *counts,
                                bool is_lazy, struct trawl_error *error);
/* Ends the current alternative. Errors: MEMORY. */
enum trawl_status syntax_end_list(struct syntax_reader *reader, struct trawl_error *error);
/* Records the assertions in the tree, which is complete. */
void syntax_note_edges(struct syntax *out, const struct syntax_node *node);
/* Closes the innermost group, which becomes an item of the group that contains it. */
enum trawl_status syntax_close(struct syntax_reader *reader, struct trawl_error *error);

/* Read what begins at reader->at in Perl's and ripgrep's syntax: an escape, or "(" and what comes
 * after it. */
enum trawl_status perl_escape(struct syntax_reader *reader, struct trawl_error *error);
enum trawl_status perl_open(struct syntax_reader *reader, struct trawl_error *error);

/* Reads what begins at reader->at in PCRE2's syntax: the operator `what`, or a literal. */
enum trawl_status beyond_token(struct syntax_reader *reader, char what, struct trawl_error *error);

#endif
