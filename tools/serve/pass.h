/* pass: searches of a state that several requests share.
 *
 * The strings of requests that wait for the same state are merged into one set. A single
 * search for the set, a pass, answers all of these requests. A request with very many strings, or
 * with strings that are frequent in a sample of the text, gets a separate pass. Clients take turns,
 * so that a client with many requests does not delay other clients.
 */
#ifndef SERVE_PASS_H
#define SERVE_PASS_H

#include "serve/collection.h"

struct pass_member;

/* An occurrence: offset in the file, index of the file in the state, number of the pattern in the
 * plan. */
struct pass_position {
    uint64_t begin;
    uint32_t file, pattern;
};

/* What one request asks about a state, and the results. The caller of pass_run owns the struct. */
struct pass_request {
    struct state *state;            /* borrowed until pass_run returns */
    const struct served_view *view; /* a view of the state; borrowed until pass_run returns */
    /* What the caller would search for; borrowed until pass_run returns. */
    const struct trawl_plan *plan;
    /* The options of the plan, borrowed until pass_run returns. NULL: the request shares a pass
     * only if the plan has no flags. */
    const struct trawl_plan_options *options;
    /* The state's collection, which opens files that no block holds. */
    const struct collection *collection;
    /* Compressed files are unpacked; requires that the collection unpacks, too. */
    bool search_zip;
    uint64_t client;                    /* the request's client; clients take turns */
    bool wants_positions, wants_counts; /* results that are wanted besides `files` */
    /* Limit for position_count. */
    uint64_t positions_max;
    /* Asked before memory is allocated; NULL: no limit; borrowed until pass_run returns. */
    struct guard *guard;
    atomic_bool cancelled; /* set by pass_cancel */

    /* Results. */
    /* One bit for each index of the state: the file has an occurrence, or, unless positions or
     * counts are wanted, no block holds the file's own bytes. pass_free frees `files` and the
     * arrays below. */
    uint8_t *files;
    /* Occurrences in files of the view; 0 unless positions or counts are wanted. */
    uint64_t occurrence_count;
    uint64_t file_count;   /* files of the view with a bit */
    uint64_t unread_count; /* files that could not be read; message names the last of these files */
    uint64_t *pattern_counts;        /* wants_counts: one count for each pattern of the plan */
    struct pass_position *positions; /* wants_positions: sorted in the view's order */
    /* Entries of `positions`, ≤ positions_max; occurrence_count may be larger. */
    uint64_t position_count;
    uint32_t shared_count; /* requests that the pass answered, this one included */
    uint64_t searched_bytes;
    char message[SETTINGS_ERROR_BYTES];
    struct pass_member *member; /* used by pass.c; the caller sets NULL */
};

static inline void pass_free(struct pass_request *request)
{
    free(request->files);
    free(request->pattern_counts);
    free(request->positions);
    request->files = NULL;
    request->pattern_counts = NULL;
    request->positions = NULL;
}

struct passes;

/* Opens the passes of all collections. The runtime is borrowed. False: message says why. */
bool passes_open(struct passes **passes, struct trawl_runtime *runtime, char *message);
void passes_close(struct passes *passes);

/* Runs the search and waits for its end. Any number of threads may call. False: the request was
 * cancelled, or request->message says why. */
bool pass_run(struct passes *passes, struct pass_request *request);
/* Cancels a request: pass_run returns as soon as it can. A shared pass goes on until all of its
 * requests are cancelled. Any thread may call while pass_run may run. */
void pass_cancel(struct passes *passes, struct pass_request *request);

/* In states of fewer bytes, listing all occurrences costs little, so no sample is taken. Tests set
 * the variable lower. */
#define PASS_SAMPLED_MIN (1u << 20)
extern uint64_t pass_sampled_min;

/* Returns whether most files of the state would have an occurrence, judged by a sample of the
 * files. */
bool pass_is_frequent(struct passes *passes, const struct state *state,
                      const struct trawl_plan *plan);

struct pass_facts {
    uint64_t pass_count, request_count, shared_request_count, own_pass_count;
    uint64_t searched_bytes, search_ns;
    uint64_t waiting_count; /* requests that wait at the moment */
};
void passes_facts(struct passes *passes, struct pass_facts *facts);

#endif
