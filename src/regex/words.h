/* words: finds an expression's matches in a line, by what can: PCRE2; lazy automata (lazy.h); a
 * reach (reach.h); or, where these give up, all ways through the expression's steps (groups.h), in
 * time linear in the line. */
#ifndef TRAWL_REGEX_WORDS_H
#define TRAWL_REGEX_WORDS_H

#include "regex/lazy.h"
#include "regex/regex_compile.h"

/* The bytes of a line that is searched. `call` (struct engine_chunk) can cancel the search. */
struct judged {
    const uint8_t *bytes;
    uint64_t count;
    const struct engine_call *call;
    /* An expression's first match is an occurrence even if it is empty, provided that all of its
     * matches in the line are. False if the line is not a record, or if no match of the plan can be
     * empty. */
    bool takes_empty;
    bool each_empty; /* each empty match is an occurrence */
    /* the atoms, if matches may cross lines, or if a reach searches the line (judge.c). NULL: the
     * line is searched without them */
    const struct hits *atoms;
    uint64_t atoms_from; /* offset of the line, counted as those of atoms are */
    /* under TRAWL_MULTILINE, if lines are wanted: after an occurrence, the search continues after
     * the line in which the occurrence ends */
    bool by_lines;
    enum spans spans;     /* which occurrences of several expressions are wanted */
    uint64_t atoms_begin; /* no match begins before this offset; 0: unknown */
    uint64_t atoms_end;   /* no match begins at or after this offset; 0: unknown */
    struct words *words;  /* what is known about the line; reset by words_begin */
    uint64_t at;          /* offset of the line in the text, for error messages */
};

#define WORDS_WINDOWS 4u

struct words {
    struct pcre2_run run; /* the part of the line at which PCRE2 last looked */
    /* bytes [inside_from, inside_to) are continuation bytes of a character, at the place where a
     * search by PCRE2 last stopped (match_beyond) */
    uint64_t inside_from;
    uint64_t inside_to;
    uint64_t near;       /* judge.c: index of the atom that was last looked up */
    uint64_t failed_ns;  /* judge.c: time of failed tries near atoms */
    uint64_t granted_ns; /* time that PCRE2 took for steps beyond those granted at first */
    /* the expression whose JIT program was granted `machine` steps in this line; NULL: none */
    const struct pcre2 *granted;
    uint64_t machine;
    /* judge.c: PCRE2 has left undecided whether an expression matches, or matches again */
    bool is_undecided;
    /* words_begin keeps what follows */
    /* the parts of the line at which reaches last looked, by the expression's index: when matches
     * of several expressions are merged, each asks in turn */
    struct reach_window windows[WORDS_WINDOWS];
    struct program_asks steps, pcre2, reach; /* by all lines, until the caller clears them */
    struct lazy_spans spans;
    struct groups_memory groups;
};

/* Returns the window of an expression. */
static inline struct reach_window *words_window(struct words *words, uint32_t expression)
{
    return &words->windows[expression % WORDS_WINDOWS];
}

/* results of words_match, in addition to -1 (no memory), 0 (no match) and 1 (a match) */
#define WORDS_CANCELLED (-2)

/* The first call fills expressions->words. Errors: MEMORY. */
enum trawl_status words_find(struct expressions *expressions, struct trawl_error *error);
void words_free(struct expressions *expressions);
/* Returns the offset after the character at `at`. */
uint64_t words_step(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                    uint64_t at);
/* Returns true if `at` is inside a character of several bytes. */
bool at_character_middle(const struct expressions *expressions, const uint8_t *text, uint64_t count,
                         uint64_t at);
void words_begin(const struct judged *line);
void words_release(struct words *words);
/* Forgets the plan's automata. */
void words_forget(struct words *words);
/* Finds the first match of the expression that begins at or after `from` and ends at or before
 * `to`, where `anchor` says. Assertions see the whole line. If the plan is for whole words, the
 * match must be between word boundaries. Stores the match and its groups in `spans`, unless
 * span_count is 0, which is faster. Returns 1 for a match, 0 for none, -1 if memory cannot be
 * allocated, or WORDS_CANCELLED. For an expression of PCRE2, `to` must be the line's end, `anchor`
 * has no effect, and the result may also be PCRE2_OVER. */
int words_match(const struct expressions *expressions, uint32_t expression,
                const struct judged *line, uint64_t from, uint64_t to, enum regex_anchor anchor,
                struct regex_span *spans, uint32_t span_count);
/* Finds the groups of the match that begins at `from` and ends at `to` (groups_find), which PCRE2
 * has not found. Other results are those of words_match. */
int words_groups(const struct expressions *expressions, uint32_t expression,
                 const struct judged *line, uint64_t from, uint64_t to, struct regex_span *spans,
                 uint32_t span_count);

#endif
