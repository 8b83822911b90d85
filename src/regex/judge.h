/* judge: decides, by words.h, whether an expression matches in a line, and lists its
 * occurrences there. */
#ifndef TRAWL_REGEX_JUDGE_H
#define TRAWL_REGEX_JUDGE_H

#include <stdatomic.h>
#include <string.h>

#include "regex/words.h"

/* A search checks whether it was cancelled once per this many calls for a match. */
#define JUDGE_LOOKS 64u

/* A line without its line end: the bytes [begin, end) of a chunk. */
struct regex_line {
    uint64_t begin;
    uint64_t end;
};

/* Checks that the search may want occurrences or, with `lines`, lines that match. Errors:
 * UNSUPPORTED if it wants occurrences, but PCRE2 can only determine which lines match. */
enum trawl_status judge_may(const struct expressions *expressions, bool lines,
                            struct trawl_error *error);
/* Returns LIMIT with a message: PCRE2 left `count` lines of a text undecided, of which the first is
 * at byte `at`. */
enum trawl_status judge_undecided(uint64_t at, uint64_t count, struct trawl_error *error);
/* Sets *matches to whether the expression matches in the line, perhaps with an empty match.
 * words_begin must have been called for the line. If PCRE2 cannot decide within its limits,
 * *matches is false and line->words->is_undecided is set; judge_next does the same. Errors: MEMORY,
 * LIMIT, STOPPED. */
enum trawl_status judge_line(const struct expressions *expressions, uint32_t expression,
                             const struct judged *line, bool *matches, struct trawl_error *error);
/* Sets *span to the first non-empty match that begins at or after span->end, and *found to whether
 * there is one. For the first call in a line, *span is {UINT64_MAX, 0}. With line->each_empty, an
 * empty match after *span is found, too. With line->takes_empty, a call with span->end 0 finds the
 * line's first empty match if there is no other. Errors: MEMORY, LIMIT, STOPPED. */
enum trawl_status judge_next(const struct expressions *expressions, uint32_t expression,
                             const struct judged *line, struct regex_span *span, bool *found,
                             struct trawl_error *error);

/* Returns the offset in the line at which the search continues after the match *span. */
uint64_t judge_after(const struct expressions *expressions, const struct judged *line,
                     const struct regex_span *span);

/* An occurrence of an atom, which is a string that a match must contain. */
struct atom {
    uint64_t length;  /* in bytes; 0: it ends after the text that was given */
    uint64_t pattern; /* number of the string in expressions->atoms */
};

/* Returns the atom of hits->items[index], a hit in the text's `count` bytes. If the hits have
 * lengths, the hit's literal may be another variant of the string than the one in the text. */
static inline struct atom judge_atom(const struct expressions *expressions, const struct hits *hits,
                                     uint64_t index, const uint8_t *text, uint64_t count)
{
    const uint64_t at = hits->items[index].offset;
    const struct plan_literal literal =
        plan_literal_at(expressions->atoms, hits->items[index].literal);
    uint64_t length = hits->lengths_valid ? hits_length(hits->lengths[index]) : literal.bytes_count;
    uint64_t looked;

    if (length > count - at)
        length = 0;
    else if (!hits->lengths_valid && literal.tail_count > 0)
        length = plan_tail_match(expressions->atoms, &literal, text + at, count - at, &looked);
    return (struct atom){length, literal.pattern};
}

/* Returns the atom's length; 0 if fewer than that many bytes are left. */
static inline uint64_t judge_atom_within(struct atom atom, uint64_t left)
{
    return atom.length <= left ? atom.length : 0;
}

/* An occurrence of an expression in a line. */
struct occurrence {
    struct regex_span span;
    uint32_t expression; /* index of the expression */
};

/* The next occurrence of each of several expressions in a line, sorted by (begin, expression):
 * items[at] is the next of all. `items` has room for an occurrence of each expression. */
struct merge {
    struct occurrence *items;
    uint64_t count;
    /* With judged.spans: the items before `at` begin where the current span begins and have been
     * taken, and `end` is the span's end. Otherwise 0. */
    uint64_t at;
    uint64_t end;
    uint64_t again; /* how many bytes were read again after spans, in all lines */
    bool joins;     /* in this line, an automaton of all expressions finds spans */
};

/* Finds the first occurrence of each expression in `candidates`; NULL: of each of the first `count`
 * expressions. Errors: MEMORY, LIMIT, STOPPED. */
enum trawl_status merge_begin(struct merge *merge, const struct expressions *expressions,
                              const struct judged *line, const uint32_t *candidates, uint32_t count,
                              struct trawl_error *error);
/* Replaces the first item with the next occurrence of the same expression, or removes it if the
 * line has none. With line->spans, all expressions whose occurrences begin before the end of the
 * current span continue after it. Errors: MEMORY, LIMIT, STOPPED. */
enum trawl_status merge_next(struct merge *merge, const struct expressions *expressions,
                             const struct judged *line, struct trawl_error *error);

/* Returns the offset after the last `value` in bytes[from, at); `from` if there is none. */
static inline uint64_t judge_after_last(const uint8_t *bytes, uint64_t from, uint64_t at,
                                        uint8_t value)
{
    const uint8_t *found =
        from < at ? (const uint8_t *)memrchr(bytes + from, value, (size_t)(at - from)) : NULL;

    return found != NULL ? (uint64_t)(found - bytes) + 1 : from;
}

/* Compiles the plan's expressions while the plan is built, so that mistakes are reported then. Sets
 * *stays_within to true if the plan has the flag TRAWL_MULTILINE, but no match can cross lines, so
 * that the flag makes no difference. Sets *pcre as in struct trawl_plan_told. */
enum trawl_status regex_prepare(const struct trawl_plan *plan, bool *stays_within, uint8_t *pcre,
                                struct trawl_error *error);
/* Implements trawl_line_open (trawl_records.h), whose arguments are checked. */
enum trawl_status regex_line_open(const struct trawl_plan *plan, uint64_t pattern_index,
                                  const void *line, uint64_t line_bytes,
                                  const struct engine_call *call, struct trawl_line **out,
                                  struct trawl_error *error);
/* Finds matches in a text of one line, with a line that the plan keeps open. Returns false after an
 * empty match, which may not be an occurrence, or if there is not enough memory. */
bool judge_brief(const struct trawl_plan *plan, const uint8_t *text, uint64_t count,
                 struct engine_brief *found);
/* The same for an expression that has expressions->has_near, around its atoms `strings`. */
bool judge_near(const struct trawl_plan *plan, const uint8_t *text, uint64_t count,
                const struct engine_brief *strings, struct engine_brief *found);
/* Returns the number of the group with this name, or UINT64_MAX; for a name of 0 bytes, how many
 * groups there are. */
uint64_t regex_group(const struct trawl_plan *plan, uint64_t pattern_index, const char *name,
                     uint64_t name_bytes);

#endif
