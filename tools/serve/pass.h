/* pass: searches of a state that several requests share.
 *
 * Requests that wait for one collection are gathered, and their strings become one set that is
 * searched in one pass. A request whose strings are frequent, by a sample of the text, or very
 * many, gets a pass of its own. Clients take turns: of each no more than its share comes into one
 * pass.
 */
#ifndef SERVE_PASS_H
#define SERVE_PASS_H

#include "serve/collection.h"

struct pass_member;

/* Where a pattern occurs: in which file of the state, and where in it. */
struct pass_position {
    uint64_t begin;
    uint32_t file, pattern;
};

/* What one request wants to know of a state. The caller owns it. */
struct pass_request {
    struct state *state;            /* borrowed until pass_run returns */
    const struct served_view *view; /* of the state; borrowed likewise */
    const struct trawl_plan *plan;  /* as pass_run's caller would search; borrowed likewise */
    const struct trawl_plan_options *options; /* that the plan was built with; borrowed likewise.
                                                 NULL: it shares passes only if it has no flags */
    const struct collection *collection;      /* the state's; opens files that are not held */
    bool search_zip;                          /* compressed files are unpacked; only if the
                                                 collection does so, too */
    uint64_t client;                          /* whose it is: clients take turns */
    bool wants_positions, wants_counts;       /* beside `files` */
    uint64_t positions_max;
    struct guard *guard;   /* asked before memory is taken; NULL: none. Borrowed likewise */
    atomic_bool cancelled; /* set by pass_cancel */

    /* Results. */
    uint8_t *files;            /* a bit for each index of the state: something occurs in the file,
                                  or it is not held as it is. Freed by pass_free, as the arrays
                                  below */
    uint64_t occurrence_count; /* in files of the view; only if positions or counts are wanted */
    uint64_t file_count;      /* of the view, in which something occurs; if neither is wanted, those
                                 with a bit */
    uint64_t unread_count;    /* files that could not be read: message names the last of them */
    uint64_t *pattern_counts; /* wants_counts: one for each pattern of the plan */
    struct pass_position *positions; /* wants_positions: in the order of the view */
    uint64_t position_count; /* at most positions_max; occurrence_count says how many more */
    uint32_t shared_count;   /* how many requests the pass answered, this one included */
    uint64_t searched_bytes;
    char message[SETTINGS_ERROR_BYTES];
    struct pass_member *member; /* of pass.c; NULL */
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

/* One for all collections. threads: of the runtime. False: message says why. */
bool passes_open(struct passes **passes, struct trawl_runtime *runtime, char *message);
void passes_close(struct passes *passes);

/* Search. Blocks; any number of threads may call. False: cancelled, or request->message says why.
 */
bool pass_run(struct passes *passes, struct pass_request *request);
/* From any thread, while pass_run may run: it returns as soon as it can. A pass that others share
 * goes on to its end first. */
void pass_cancel(struct passes *passes, struct pass_request *request);

/* Would most files of the state hold an occurrence, by a sample of it? */
bool pass_is_frequent(struct passes *passes, const struct state *state,
                      const struct trawl_plan *plan);

struct pass_facts {
    uint64_t pass_count, request_count, shared_request_count, own_pass_count;
    uint64_t searched_bytes, search_ns;
    uint64_t waiting_count; /* now */
};
void passes_facts(struct passes *passes, struct pass_facts *facts);

#endif
