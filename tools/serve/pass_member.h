/* pass_member: a request on its way through passes, what was found for it so far, and the two ways
 * to search. For pass*.c.
 */
#ifndef SERVE_PASS_MEMBER_H
#define SERVE_PASS_MEMBER_H

#include "serve/pass.h"

enum pass_stage {
    PASS_WAITS,
    PASS_LEADS, /* its thread searches, for itself and the others of its pass */
    PASS_RUNS,  /* in the pass of another one */
    PASS_DONE,
    PASS_FAILED /* the shared pass did: it is to be searched for alone */
};

struct pass_member {
    struct pass_request *request;
    struct trawl_searcher *searcher;
    struct pass_member *next; /* that waits, or of the same pass */
    enum pass_stage stage;
    struct pass_member *leader; /* of its pass; NULL: it is in none */
    pthread_cond_t wake;
    uint64_t turn; /* lower ones first */

    struct pass_member *next_leader; /* of a pass that runs, and that others may wait for */
    uint32_t member_count;           /* of its pass, by `next`, the leader first, */
    uint64_t string_count;           /* and what they look for */

    uint32_t *ranks;            /* of files in the view; NULL: no positions are wanted */
    uint64_t position_capacity; /* of request->positions */
    bool is_full;    /* the first positions_max of them are in order: others are before the last one
                        of those, or are left out */
    bool no_memory;  /* for positions */
    bool some_open;  /* something occurs in files that are to be opened */
    uint64_t absent; /* files with a bit in which nothing occurs */
};

static inline bool pass_bit(const uint8_t *bits, uint32_t index)
{
    return (bits[index >> 3] >> (index & 7) & 1) != 0;
}

static inline void pass_set_bit(uint8_t *bits, uint32_t index)
{
    bits[index >> 3] |= (uint8_t)(1u << (index & 7));
}

static inline bool pass_member_sees(const struct pass_member *member, uint32_t file)
{
    return pass_bit(member->request->view->seen, file);
}

static inline bool pass_member_lists(const struct pass_member *member)
{
    return member->request->wants_counts || member->request->wants_positions;
}

/* Make room for results: none yet. False: message. pass_member_close in either case. */
bool pass_member_open(struct pass_member *member, struct pass_request *request,
                      struct trawl_runtime *runtime);
/* Forget what was found. */
void pass_member_reset(struct pass_member *member);
/* Something occurs in a file of a block, which the view has. */
void pass_member_find(struct pass_member *member, uint32_t file);
/* It occurs: count it, and keep where; or keep alone. */
void pass_member_add(struct pass_member *member, uint32_t file, uint64_t begin, uint64_t pattern);
void pass_member_keep(struct pass_member *member, uint32_t file, uint64_t begin, uint64_t pattern);
/* Results that come last: positions in the view's order, and how many files. False: message. */
bool pass_member_finish(struct pass_member *member);
void pass_member_close(struct pass_member *member);

/* Are all of a pass? */
bool pass_members_cancelled(const struct pass_member *leader);

/* ---- pass_list.c: one search that lists what occurs in a state's blocks, for all of a pass ----
 */

/* May this one share a pass with others, and with that one? */
bool pass_list_is_merged(const struct pass_request *request);
bool pass_list_merges(const struct pass_request *left, const struct pass_request *right);
/* Do occurrences in a file not depend on the files around it, if those that go beyond its end are
 * dropped? */
bool pass_list_fits(const struct trawl_plan *plan);
/* Search, with plans that pass_list_fits. STOPPED: all are cancelled. Cost: of several members, a
 * plan of all their strings; a search; some nanoseconds for each occurrence and member. */
enum trawl_status pass_list(struct pass_member *leader, struct trawl_error *error);

/* ---- pass_own.c: for one request alone ---- */

/* Search what blocks hold: for strings so frequent that listing all occurrences costs more than
 * counting them, and for plans that do not fit (pass_list_fits). */
enum trawl_status pass_own(struct pass_member *member, bool fits, struct trawl_error *error);
/* Search the files that are to be opened, after the blocks, if occurrences are asked for. One that
 * cannot be read is counted as such. */
enum trawl_status pass_own_files(struct pass_member *member, struct trawl_error *error);

#endif
