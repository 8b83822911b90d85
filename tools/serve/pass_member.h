/* pass_member: a request during a pass (a search that several requests share), and its results so
 * far, for the files pass*.c. Also declares the two kinds of search: pass_list for all members of a
 * pass at once, pass_own for one request alone. A view lists the files that a request names; a
 * block contains the bytes of many files. */
#ifndef SERVE_PASS_MEMBER_H
#define SERVE_PASS_MEMBER_H

#include "serve/pass.h"

enum pass_stage {
    PASS_WAITS,
    PASS_LEADS, /* the request's thread runs the pass for all members */
    PASS_RUNS,  /* the request is in a pass that another request leads */
    PASS_DONE,
    PASS_FAILED /* the request is searched for alone: it cannot share a pass, or the pass failed */
};

struct pass_member {
    struct pass_request *request;
    struct trawl_searcher *searcher;
    uint64_t change_count;    /* of the searcher's calls so far, as in struct trawl_stats */
    struct pass_member *next; /* next in passes.waiting, or next member of the same pass */
    enum pass_stage stage;
    /* leader of the pass that the member is in; NULL: it is in no pass */
    struct pass_member *leader;
    pthread_cond_t wake;
    uint64_t turn; /* requests with lower turns come first */

    /* The members from here to string_count are used only in leaders. next_leader links the leaders
     * of the running passes. */
    struct pass_member *next_leader;
    /* number of requests in the pass, which are linked by `next` starting with the leader */
    uint32_t member_count;
    uint64_t string_count; /* number of strings of all these requests together */

    /* For each index of the state: the first index in the view at which it has that file; 0
     * for files that the view lacks. NULL: positions are not wanted. */
    uint32_t *ranks;
    uint64_t position_capacity; /* capacity of request->positions */
    /* The array `positions` has been full, and its first positions_max entries were sorted. From
     * then on, an occurrence is added only if it belongs before the last of these entries. */
    bool is_full;
    bool no_memory; /* there was not enough memory for the positions */
    bool some_open; /* an occurrence is in a file that is not plain (files.h) */
};

static inline bool pass_get_bit(const uint8_t *bits, uint32_t index)
{
    return (bits[index >> 3] >> (index & 7) & 1) != 0;
}

static inline void pass_set_bit(uint8_t *bits, uint32_t index)
{
    bits[index >> 3] |= (uint8_t)(1u << (index & 7));
}

static inline void pass_clear_bit(uint8_t *bits, uint32_t index)
{
    bits[index >> 3] &= (uint8_t) ~(1u << (index & 7));
}

static inline bool pass_member_sees(const struct pass_member *member, uint32_t file)
{
    return pass_get_bit(member->request->view->seen, file);
}

static inline bool pass_member_lists(const struct pass_member *member)
{
    return member->request->wants_counts || member->request->wants_positions;
}

/* Allocates the results, and opens a searcher. Returns false on failure; request->message says why.
 * The caller must always call pass_member_close. */
bool pass_member_open(struct pass_member *member, struct pass_request *request,
                      struct trawl_runtime *runtime);
/* Resets all results: in request->files, only the bits of files that must be opened stay set. */
void pass_member_reset(struct pass_member *member);
/* Sets the bit of a file in the view: an occurrence lies within this file's bytes in the block. */
void pass_member_find(struct pass_member *member, uint32_t file);
/* pass_member_add counts an occurrence, and keeps its position if positions are wanted.
 * pass_member_add_position only keeps the position. */
void pass_member_add(struct pass_member *member, uint32_t file, uint64_t begin, uint64_t pattern);
void pass_member_add_position(struct pass_member *member, uint32_t file, uint64_t begin,
                              uint64_t pattern);
/* Completes the results: sorts the positions in the view's order, and counts the files. Returns
 * false on failure; request->message says why. */
bool pass_member_finish(struct pass_member *member);
/* Must be called after each call of member->searcher: adds to change_count. */
void pass_member_searched(struct pass_member *member);
void pass_member_close(struct pass_member *member);

/* Returns true if all requests of the leader's pass are cancelled. */
bool pass_members_cancelled(const struct pass_member *leader);

/* ---- pass_list.c: a search for all members of a pass ----------------------------------------- */

/* pass_list_is_merged returns true if the request may share a pass with some other request.
 * pass_list_merges returns true if two requests may be in the same pass. */
bool pass_list_is_merged(const struct pass_request *request);
bool pass_list_merges(const struct pass_request *left, const struct pass_request *right);
/* Returns true if a search of a whole block finds the same occurrences in each file as a search
 * of only that file, apart from occurrences that cross a file's end. */
bool pass_list_fits(const struct trawl_plan *plan);
/* Searches all blocks of the state for all members. Each plan must have passed pass_list_fits.
 * Returns STOPPED if all requests are cancelled. Cost: if there are several members, a plan of all
 * strings; one search; a few nanoseconds for each occurrence and member. */
enum trawl_status pass_list(struct pass_member *leader, struct trawl_error *error);

/* ---- pass_own.c: for one request alone ---- */

/* Searches all blocks: for strings so frequent that counting is cheaper than listing all
 * occurrences, and for plans that do not pass pass_list_fits (`fits` is false). */
enum trawl_status pass_own(struct pass_member *member, bool fits, struct trawl_error *error);
/* After the blocks, searches the files that must be opened, if positions or counts are wanted.
 * Counts files that cannot be read in unread_count. */
enum trawl_status pass_own_files(struct pass_member *member, struct trawl_error *error);

#endif
