/* pass: a search of a collection's state (its files at one moment) that several requests share.
 *
 * The strings of requests that wait for the same state are merged into one set. A single search for
 * that set, a pass, answers all of them. A request gets a separate pass if it has very many
 * strings, strings that are frequent in a sample of the text, or patterns other than plain strings.
 * Clients take turns, so that a client with many requests does not delay others.
 */
#ifndef SERVE_PASS_H
#define SERVE_PASS_H

#include "serve/collection.h"

struct pass_member;

/* An occurrence: offset in the file, the file's index in the state, the pattern's index in the
 * plan. */
struct pass_position {
    uint64_t begin;
    uint32_t file, pattern;
};

/* What a request asks about a state, and the results. The caller of pass_run owns the struct. */
struct pass_request {
    struct state *state;            /* borrowed until pass_run returns */
    const struct served_view *view; /* a view of the state; borrowed until pass_run returns */
    /* The plan with the strings of the request; borrowed until pass_run returns. */
    const struct trawl_plan *plan;
    /* The options that the plan was made with; borrowed until pass_run returns. NULL: the request
     * may share a pass only if the plan has no flags. */
    const struct trawl_plan_options *options;
    /* The state's collection, used to open files that are in no block. */
    const struct collection *collection;
    /* Compressed files are decompressed; the collection must do so, too. */
    bool search_zip;
    uint64_t client;                    /* the request's client; clients take turns */
    bool wants_positions, wants_counts; /* results that are wanted in addition to `files` */
    /* Limit for position_count. */
    uint64_t positions_max;
    /* Limits the request's memory and time; NULL: no limit; borrowed until pass_run returns. */
    struct guard *guard;
    atomic_bool cancelled; /* set by pass_cancel */

    /* Results. */
    /* One bit for each index of the state, set if the file has an occurrence. If neither positions
     * nor counts are wanted, also set for files that the pass could not search in memory, and that
     * the caller must open: those in no block and, unless search_zip is set, compressed ones
     * (files.h). pass_free frees `files` and the arrays below. */
    uint8_t *files;
    /* Number of occurrences in the view's files; 0 unless positions or counts are wanted. */
    uint64_t occurrence_count;
    uint64_t file_count;      /* number of files of the view whose bit is set */
    uint64_t unread_count;    /* number of files that could not be read; `message` names the last */
    uint64_t *pattern_counts; /* wants_counts: one count for each pattern of the plan */
    struct pass_position *positions; /* wants_positions: sorted in the view's order */
    /* Number of entries of `positions`, ≤ positions_max; occurrence_count may be larger. */
    uint64_t position_count;
    uint32_t shared_count; /* number of requests that the pass answered, this request included */
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

/* Makes the data that all passes share; borrows the runtime. Returns false on failure; message says
 * why. */
bool passes_open(struct passes **passes, struct trawl_runtime *runtime, char *message);
void passes_close(struct passes *passes);

/* Runs the search and waits for its end. Several threads may call this at once. Returns false if
 * the request was cancelled, or if request->message says why the pass failed. */
bool pass_run(struct passes *passes, struct pass_request *request);
/* Cancels a request. If the request waits for a pass, pass_run returns immediately; else it returns
 * when the pass ends. A pass ends early only if all of its requests are cancelled. Any thread may
 * call this while pass_run runs. */
void pass_cancel(struct passes *passes, struct pass_request *request);

/* In a state with fewer bytes than this, listing all occurrences costs little, so no sample is
 * searched. Tests set the variable lower. */
#define PASS_SAMPLED_MIN (1u << 20)
extern uint64_t pass_sampled_min;

/* Returns true if, judging by a sample of files, most files of the state seem to have an
 * occurrence. */
bool pass_is_frequent(struct passes *passes, const struct state *state,
                      const struct trawl_plan *plan);

struct pass_facts {
    uint64_t pass_count, request_count, shared_request_count, own_pass_count;
    uint64_t searched_bytes, search_ns;
    uint64_t change_count;  /* as in struct trawl_stats */
    uint64_t waiting_count; /* number of requests that wait now */
};
void passes_facts(struct passes *passes, struct pass_facts *facts);

#endif
