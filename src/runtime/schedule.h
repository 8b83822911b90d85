/* schedule: decides which workers search a text, how long chunks are, and how many workers help.
 * task.c and job.c carry out the decisions. */
#ifndef TRAWL_RUNTIME_SCHEDULE_H
#define TRAWL_RUNTIME_SCHEDULE_H

#include "plan/contest.h"
#include "runtime/search.h"

/* Chooses the schedule and the lengths of the search's chunks. */
enum trawl_status schedule_choose(struct search *search, struct trawl_text *text,
                                  struct trawl_error *error);
/* Returns how long the next chunk should be, for the host or for a device. */
uint64_t schedule_chunk_bytes(const struct search *search, bool for_device);
/* Returns true if the next chunk should go to a device, if there is a buffer for it, instead of
 * being searched by this thread. Requires search->for_devices. May start to open the devices. */
bool schedule_wants_device(struct search *search);
/* Copies a text from a device to the host, unless devices do the whole search. */
enum trawl_status schedule_fetch(struct search *search, struct trawl_text *text,
                                 struct trawl_error *error);
/* Records the times of a search that is over, for the runtime's later decisions. */
void schedule_remember(const struct search *search);
/* For tests: lets the devices be opened after `ns` nanoseconds of searching. Not thread-safe. */
void schedule_open_after(uint64_t ns);
/* Returns the number of helpers that are worth waking now. */
uint32_t schedule_helpers(const struct search *search);

/* Returns true if all chunks go to devices, through pinned buffers. */
static inline bool schedule_is_staged(const struct search *search)
{
    return search->schedule == SCHEDULE_STAGED && !atomic_load(&search->device_refused);
}

/* Returns true if a chunk that a device leaves to the host is cut for all of the host's threads
 * (job.c). Otherwise the thread that has it searches it: it is short, or its digest, like those of
 * later chunks that were searched already, must not be made twice. */
static inline bool schedule_cuts_left(const struct search *search)
{
    return search->schedule == SCHEDULE_CALLER ||
           (search->schedule == SCHEDULE_LOADED && !search->sink->digest_adds);
}

/* Returns true if the text is so short that cutting it into chunks would take longer than the
 * search, and no device has it. */
bool schedule_is_brief(const struct trawl_searcher *searcher, const struct trawl_text *text);
/* Decides whether the text is mapped, and how it is decompressed ahead of its reader, for which
 * this reserves memory (searcher->unpack_bytes). */
void schedule_files(struct search *search, const struct trawl_text *text, struct text_need *need);
/* Called after the search of a mapped chunk. Decides whether the next chunks are mapped. `was_read`
 * says that the chunk had to be read after all. */
void schedule_mapped(struct search *search, const struct text_chunk *chunk, bool was_read);
/* Regular expressions: if a device has found at most this many lines with matches, the caller alone
 * searches these lines. 0: the last search has found more matches, so let all threads search. */
uint64_t schedule_lines_max(const struct trawl_searcher *searcher, const struct trawl_plan *plan,
                            const struct trawl_text *text);

/* Searches a short text with engine_ops.brief. Returns false if an ordinary search is needed. After
 * a text for which that failed, CONTEST_PAUSE calls with the same plan do not try. */
static inline bool schedule_brief(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                  const uint8_t *bytes, uint64_t count, struct engine_brief *found)
{
    const struct engine_ops *ops = kind_of(plan)->ops[0];
    uint32_t refusals = atomic_load_explicit(&searcher->refusals, memory_order_relaxed);

    if (refusals > 0 &&
        atomic_load_explicit(&searcher->refused, memory_order_relaxed) == plan->serial) {
        atomic_store_explicit(&searcher->refusals, refusals - 1, memory_order_relaxed);
        return false;
    }
    if (ops->brief != NULL && ops->brief(searcher->runtime->host, plan, bytes, count, found))
        return true;
    if (found->is_long)
        return false;
    atomic_store_explicit(&searcher->refused, plan->serial, memory_order_relaxed);
    atomic_store_explicit(&searcher->refusals, CONTEST_PAUSE, memory_order_relaxed);
    return false;
}

/* Lengths of a loaded text's chunks in bytes, for searches that list hits. If hits are rare, long
 * chunks are faster: chunks of 256 MiB 1.08 times as fast as of 128 MiB, and more than twice as
 * fast as of 32 MiB [H200]. If hits may be frequent, the first chunks are short, and the number of
 * their hits decides how long later ones are. */
struct resident_sizes {
    uint64_t first;
    uint64_t min, max; /* bounds for later chunks */
    /* the caller searches shorter texts alone, even if hits may be frequent */
    uint64_t shared;
    /* How many hits a chunk should have. A device lists this many in the time of two launches, and
     * they fit into a core's cache. */
    uint64_t hits;
    /* begins.c wakes one more thread for every `helped` words that have to be copied */
    uint64_t helped;
    /* the host counts longer chunks in steps of a quarter of this */
    uint64_t host;
};
extern const struct resident_sizes resident_sizes_default;
/* the sizes in use, which tests change; not thread-safe */
extern struct resident_sizes resident_sizes;

#endif
