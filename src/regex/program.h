/* program: an expression's machines that are made when they are first needed: its reach, its steps,
 * and its runs. Also limits the steps of a plan's expressions. */
#ifndef TRAWL_REGEX_PROGRAM_H
#define TRAWL_REGEX_PROGRAM_H

#include "base/status.h"
#include "regex/groups.h"
#include "regex/options.h"
#include "regex/reach.h"
#include "regex/runs.h"
#include "regex/syntax/tree.h"

struct program;

/* Memory for steps, in bytes: the maximum for an expression, and what is left for more of them. */
struct program_memory {
    uint32_t mib; /* the plan's limit in MiB; 0: none */
    uint64_t max;
    uint64_t left;
};

struct program_memory program_limit(uint32_t mib);
/* Makes the program of an expression. The tree, which may be forgotten (syntax_forget), and the
 * options must live as long. *out becomes NULL if the steps need more memory. Errors: MEMORY. */
enum trawl_status program_make(struct program_memory *memory, const struct syntax *tree,
                               const struct regex_options *options, struct program **out,
                               struct trawl_error *error);
void program_free(struct program *program); /* accepts NULL */

/* Returns the reach of an expression that has one (reach_fits); NULL: there is not enough memory.
 */
const struct reach *program_reach(const struct program *program, bool whole_word,
                                  const struct word_ranges *words);
/* Sets *groups to the expression's steps, which the first call makes (groups_make). Errors: MEMORY.
 */
enum trawl_status program_steps(const struct program *program, bool whole_word, bool is_strict,
                                const struct groups **groups);
/* Returns the runs of rare characters that each match has (runs.h); NULL: it has none, or memory is
 * lacking. */
const struct runs *program_runs(const struct program *program);

/* How often a machine was asked, and for how many bytes. */
struct program_asks {
    uint64_t count, bytes;
};

static inline void program_note(struct program_asks *asks, uint64_t bytes)
{
    asks->count++;
    asks->bytes += bytes;
}

/* Returns true if a match may be empty. */
bool program_may_be_empty(const struct program *program);
uint32_t program_groups(const struct program *program);
/* Returns the number of the group with that name; 0 if there is none. */
uint32_t program_group(const struct program *program, const char *name, uint64_t count);

#endif
