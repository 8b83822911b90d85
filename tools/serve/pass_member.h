/* pass_member: a request on its way through passes, and what was found for it so far. For pass*.c.
 */
#ifndef SERVE_PASS_MEMBER_H
#define SERVE_PASS_MEMBER_H

#include "serve/pass.h"

enum pass_stage {
    PASS_WAITS,
    PASS_LEADS, /* its thread runs the pass */
    PASS_RUNS,  /* in the pass of another one */
    PASS_DONE,
    PASS_FAILED /* the shared pass did: it is to be searched for alone */
};

/* One search of a state, for some members. Of the thread that leads it. */
struct pass {
    struct pass *next;           /* that runs */
    struct pass_member *members; /* by `next`, the leader first */
    uint32_t member_count;
    uint64_t string_count;
    bool is_shared; /* others may wait for it */
    struct trawl_searcher *searcher;
};

struct pass_position {
    uint64_t begin;
    uint32_t file, pattern;
};

struct pass_member {
    struct pass_request *request;
    struct pass_member *next; /* that waits, or of the same pass */
    enum pass_stage stage;
    struct pass *pass; /* NULL: it waits */
    struct pass led;   /* the one that this member leads */
    pthread_cond_t wake;
    uint64_t turn; /* lower ones first */

    uint8_t *seen;   /* a bit for each file of the view; NULL: all */
    uint32_t *ranks; /* of files in the view; NULL: by their numbers */
    struct pass_position *positions;
    uint64_t position_count, position_capacity;
    bool is_full;    /* the first positions_max of `positions` are in order: others are before the
                        last one of them, or are left out */
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
    return member->seen == NULL || pass_bit(member->seen, file);
}

static inline bool pass_member_lists(const struct pass_member *member)
{
    return member->request->wants_counts || member->request->wants_positions;
}

/* Is a file opened whatever the blocks tell of it? */
static inline bool pass_opens_always(const struct pass_request *request,
                                     const struct served_file *file)
{
    return file->block == NULL || (!file->is_plain && !request->search_zip);
}

/* Make room for results: none yet. False: memory exhausted. pass_member_close in either case. */
bool pass_member_open(struct pass_member *member, struct pass_request *request);
/* Forget what was found. */
void pass_member_reset(struct pass_member *member);
/* It occurs: count it, and keep where. */
void pass_member_add(struct pass_member *member, uint32_t file, uint64_t begin, uint64_t pattern);
void pass_member_keep(struct pass_member *member, uint32_t file, uint64_t begin, uint64_t pattern);
/* Results that come last: positions in the view's order, and how many files. False: message. */
bool pass_member_finish(struct pass_member *member);
void pass_member_close(struct pass_member *member);

/* Are they all? */
bool pass_is_cancelled(const struct pass *pass);

#endif
