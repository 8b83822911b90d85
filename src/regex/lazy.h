/* lazy: finds which expressions of a plan may match a line, in a single pass.
 *
 * An automaton reads the line for all expressions of a group. Its states are made when a text first
 * needs them, as in RE2 and regex-automata (nfa.h, the subset construction), and forgotten when
 * they are too many. A group is read in *parts*, at first one: a part whose states are forgotten
 * too often is halved, and an expression that is alone in such a part passes for a while.
 *
 * In ASCII, or a line that is ASCII up to a match's end, what passes matches, except for
 * expressions of PCRE2. In other lines, where the automaton reads a hull of several
 * expressions, what does not pass does not match. Of a single one, or of few short ones, it reads
 * the characters themselves, so that what passes matches there, too, unless they are too many.
 */
#ifndef TRAWL_REGEX_LAZY_H
#define TRAWL_REGEX_LAZY_H

#include "base/status.h"
#include "regex/options.h"

struct engine_call;
struct expressions;
struct lazy;

/* Sizes, which tests replace. */
struct lazy_sizes {
    uint32_t states; /* how many are kept at most: 4 to 2^15 */
    /* A part may add so many places for each expression to the lists of states, which takes 2 to 3
     * ns for each, and one more for each byte that it reads; then it is halved. */
    uint32_t credit;
};
extern struct lazy_sizes lazy_sizes;

/* What an automaton finds. */
enum lazy_as {
    LAZY_ENDS,     /* which expressions of a group match: its states are sets of places */
    LAZY_ORDERED,  /* where the first match of an expression ends, the one that Perl prefers: lists
                      in the order in which a match prefers the places. Those of a match that begins
                      later follow those of an earlier one, and nothing follows a match's end. */
    LAZY_LONGEST,  /* the same for POSIX: a list of sets, one for all matches that begin together,
                      the earliest first; no set follows one with a match's end */
    LAZY_BACKWARDS /* where the matches begin that end at a place; it reads from there */
};

/* Makes the automaton of a plan's expressions, for one thread. It has no group yet. Errors: MEMORY.
 */
enum trawl_status lazy_make(const struct expressions *made, enum lazy_as as, struct lazy **out,
                            struct trawl_error *error);
void lazy_free(struct lazy *lazy); /* accepts NULL */

/* The group of all expressions, and that of an atom's: those whose anchors the atom belongs to. */
#define LAZY_ALL 0u
#define LAZY_REST 1u /* the group of made->rest_items */
#define LAZY_ATOM 2u /* + the atom's number */

/* A line without its end, and what is asked about it. */
struct lazy_line {
    const uint8_t *bytes;
    uint64_t count;
    /* a match begins at `from`, where the atom is; otherwise anywhere in the line, and from is 0 */
    bool is_anchored;
    uint64_t from;
    bool any;                       /* a single expression that certainly matches is enough */
    bool is_text;                   /* of several lines: the one of `from` is read */
    const struct engine_call *call; /* can cancel the search; NULL: nothing can */
};

/* Sets *found to the expressions of the group that may match in the line, *count of them, each
 * once, in any order; they are valid until the next call. Sets *matches to whether one of them
 * certainly does, if line->any. Reads at most 64 + *spare bytes of an anchored line, and subtracts
 * them from *spare, down to 0. Time: linear in the line, once for each part. Errors: MEMORY,
 * STOPPED. */
enum trawl_status lazy_find(struct lazy *lazy, uint32_t group, const struct lazy_line *line,
                            uint64_t *spare, const uint32_t **found, uint32_t *count, bool *matches,
                            struct trawl_error *error);

/* A line or record in which some expression may match. */
struct lazy_hit {
    uint64_t begin, after; /* up to the next line or record, or to the text's end */
    bool matches;          /* one certainly matches */
    bool may;              /* one may match: of a record, which is given */
};

/* Sets *hits to the lines of the text in which expressions of the plan may match, *count of them,
 * in order; they are valid until the next call. The text consists of whole lines. Sets *reads to
 * false if lines must be read by lazy_find, as there are several parts. Errors: MEMORY. */
enum trawl_status lazy_scan(struct lazy *lazy, const uint8_t *text, uint64_t text_bytes,
                            const struct lazy_hit **hits, uint64_t *count, bool *reads,
                            struct trawl_error *error);

/* Sets `may` and `matches` of up to LAZY_RECORDS records of the text. Sets *reads as lazy_scan
 * does. Errors: MEMORY. */
#define LAZY_RECORDS 4u
enum trawl_status lazy_records(struct lazy *lazy, const uint8_t *text, struct lazy_hit *records,
                               uint32_t count, bool *reads, struct trawl_error *error);

/* The automata that find matches, for one thread: zeroed but for `made`. */
struct lazy_spans {
    const struct expressions *made;
    struct lazy *forwards, *backwards;
};

/* Finds a match of the expression, from line->from on, as words_match does, without groups. If
 * *expression is `count`, finds the first match of any, of those that begin there the one of the
 * first expression (or the longest, as options.longest says), and sets *expression; none may be
 * empty. Returns LAZY_ASKS if it cannot decide, or the call was cancelled, or LAZY_ENDED. */
#define LAZY_ASKS (-1)
/* A match ends at span->end; where it begins, at or after span->begin, is not known. */
#define LAZY_ENDED (-7)
int lazy_span(struct lazy_spans *spans, uint32_t *expression, const struct lazy_line *line,
              uint64_t to, enum regex_anchor anchor, struct regex_span *span);
void lazy_spans_free(struct lazy_spans *spans);

/* What is beside a string. */
enum { AROUND_FAILS, AROUND_MATCHES, AROUND_ASKS /* another has to decide */ };
struct around {
    uint32_t before, after;
};

#define AROUND_BYTES 16u
/* Reads the text beside a string of the anchor, which begins at text->from and ends at `end`; 0:
 * after the text. Reads at most AROUND_BYTES + *spare bytes on each side, and subtracts them from
 * *spare, down to 0. The first `patience` calls for an anchor, up to 2^16 - 1, make no automata,
 * and return AROUND_ASKS. */
struct around lazy_around(struct lazy_spans *spans, uint32_t anchor, const struct lazy_line *text,
                          uint64_t end, uint32_t patience, uint64_t *spare);
/* Finds the first match of the plan's only expression that begins at or after `from` and contains
 * the string of its only anchor at text->from. Returns LAZY_ASKS if it cannot decide. *spare is as
 * for lazy_around. */
int lazy_near(struct lazy_spans *spans, const struct lazy_line *text, uint64_t from,
              uint64_t *spare, struct regex_span *span);

#endif
