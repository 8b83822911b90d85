/* program: a compiled expression: its reach, what finds its groups, and RE2's program, each of
 * which is made when it is first needed. Also divides the memory that a plan may use among its
 * programs. */
#ifndef TRAWL_REGEX_PROGRAM_H
#define TRAWL_REGEX_PROGRAM_H

#include "base/status.h"
#include "regex/groups.h"
#include "regex/re2.h"
#include "regex/reach.h"
#include "regex/runs.h"
#include "regex/syntax/tree.h"

struct program;

/* The memory for a plan's programs, in bytes: what each program gets at first, the maximum for a
 * large program, and what is left for more programs. */
struct program_memory {
    uint32_t mib; /* the plan's limit in MiB; 0: none */
    uint64_t each;
    uint64_t most;
    uint64_t left;
};

/* Divides the memory. `each` is reserved for each of `count` expressions. The rest is for programs
 * of parts of expressions, for texts of many lines, and programs that need more.
 * Without a limit, `is_large` allows programs that take long to compile. */
void program_divide(struct program_memory *memory, uint32_t mib, uint32_t count, bool is_large);
/* Compiles an expression, which must live as long as the program, but may be forgotten
 * (syntax_forget). The program gets
 * `times` as much memory as `each` (0: RE2 never compiles it) or, if it needs more, as `most`. With
 * `now`, or if the plan limits the memory, RE2 compiles immediately unless the program certainly
 * has room; otherwise when it is first needed. If the program needs more memory, *out becomes NULL.
 * Errors: ARGUMENT, UNSUPPORTED, MEMORY. */
enum trawl_status program_make(struct program_memory *memory, const struct syntax *tree,
                               const struct regex_options *options, uint64_t times, bool now,
                               struct program **out, struct trawl_error *error);
void program_free(struct program *program); /* accepts NULL */
/* Returns true if `program` is not NULL, and RE2 has compiled it, or does so now. */
bool program_is_ready(const struct program *program);

/* Returns the reach of an expression that has one (reach_fits); NULL: there is not enough memory.
 */
const struct reach *program_reach(const struct program *program, bool whole_word,
                                  const struct around_words *words);
/* Sets *groups to what finds the groups of matches, which the first call makes (groups_make).
 * Errors: LIMIT, MEMORY. */
enum trawl_status program_finder(const struct program *program, bool whole_word, bool is_strict,
                                 const struct groups **groups);
/* Returns what each match has in a row; NULL: nothing that is rare, or memory is lacking. */
const struct runs *program_runs(const struct program *program);

/* How often a program was asked, and for how many bytes. */
struct program_asks {
    uint64_t count, bytes;
};

static inline void program_note(struct program_asks *asks, uint64_t bytes)
{
    asks->count++;
    asks->bytes += bytes;
}

#define PROGRAM_MEMORY (-1)
#define PROGRAM_MISSING (-6) /* libtrawl_regex cannot be loaded */
/* Like regex_ops.match, but may also return PROGRAM_MISSING. Adds to *asks if RE2 is asked. */
int program_match(const struct program *program, const uint8_t *text, uint64_t count, uint64_t from,
                  uint64_t to, enum regex_anchor anchor, struct regex_span *span,
                  struct program_asks *asks);
/* Returns why a program is not ready: PROGRAM_MEMORY or PROGRAM_MISSING; 0 if `program` is NULL or
 * too large. */
int program_why(const struct program *program);
/* Returns the status for a result of program_match below 0. */
enum trawl_status program_failed(int found, struct trawl_error *error);
/* Returns true if a match may be empty. */
bool program_may_be_empty(const struct program *program);
uint32_t program_groups(const struct program *program);
/* Returns the number of the group with that name; 0 if there is none. */
uint32_t program_group(const struct program *program, const char *name, uint64_t count);

#endif
