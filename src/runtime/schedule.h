/* schedule: decides which workers search a text, how long chunks are, and how many workers help.
 * task.c and job.c carry out the decisions. */
#ifndef TRAWL_RUNTIME_SCHEDULE_H
#define TRAWL_RUNTIME_SCHEDULE_H

#include "runtime/search.h"

/* Chooses the schedule and the lengths of the search's chunks. */
enum trawl_status schedule_choose(struct search *search, struct trawl_text *text,
                                  struct trawl_error *error);
/* Returns the length of the next chunk for the host or for a device. */
uint64_t schedule_chunk_bytes(const struct search *search, bool for_device);
/* Returns true if the next chunk of a search that is for_devices should go to a device rather than
 * be searched by this thread, if there is a buffer for the chunk. May begin to open the devices. */
bool schedule_wants_device(struct search *search);
/* Copies a text that lies on a device to the host, unless devices do the whole search. */
enum trawl_status schedule_fetch(struct search *search, struct trawl_text *text,
                                 struct trawl_error *error);
/* Adds the times of this search, which is over, to what later decisions of the runtime use. */
void schedule_remember(const struct search *search);
/* For tests: devices are opened after `ns` nanoseconds of searching. Not thread-safe. */
void schedule_open_after(uint64_t ns);
/* Returns true if the search finds hits faster than the caller could take hits from a helper. The
 * caller is then faster alone, with all hits in near caches. */
bool schedule_is_alone(const struct search *search);
/* Returns the number of helpers that are worth waking now. */
uint32_t schedule_helpers(const struct search *search);

/* Returns true if the text is so short that cutting chunks for a job would take longer than the
 * search. Returns false if a device holds the text. */
bool schedule_is_brief(const struct trawl_searcher *searcher, const struct trawl_text *text);
/* Returns whether the files are mapped whose matches go to this sink. */
enum text_maps schedule_maps(const struct trawl_searcher *searcher, const struct sink *sink);
/* Returns the most lines found by a device that the caller alone should search for an expression.
 * 0: all threads should search the text, in which the last search found more matches. */
uint64_t schedule_lines_most(const struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             const struct trawl_text *text);
/* Returns true if a list of begins should cover little text, because hits may be frequent. */
bool schedule_may_be_frequent(const struct trawl_searcher *searcher, const struct trawl_plan *plan);

/* After a text that the engine could not search briefly, this many calls under the same plan make
 * an ordinary search at once: the next texts are probably like that text. */
#define BRIEF_REFUSALS 15u

/* Searches a short text by engine_ops.brief. Returns false if an ordinary search is needed. */
static inline bool schedule_brief(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                  const uint8_t *bytes, uint64_t count, struct engine_brief *found)
{
    uint32_t refusals = atomic_load_explicit(&searcher->refusals, memory_order_relaxed);

    if (refusals > 0 &&
        atomic_load_explicit(&searcher->refused, memory_order_relaxed) == plan->serial) {
        atomic_store_explicit(&searcher->refusals, refusals - 1, memory_order_relaxed);
        return false;
    }
    if (engine_for_host->brief(searcher->runtime->host, plan, bytes, count, found))
        return true;
    if (found->is_long)
        return false;
    atomic_store_explicit(&searcher->refused, plan->serial, memory_order_relaxed);
    atomic_store_explicit(&searcher->refusals, BRIEF_REFUSALS, memory_order_relaxed);
    return false;
}

/* Lengths of a loaded text's chunks, in bytes, for searches that list hits. If hits are rare,
 * chunks are long: chunks of 256 MiB are 1.08 times as fast as chunks of 128 MiB, and more than
 * twice as fast as chunks of 32 MiB [H200]. If hits may be frequent, the first chunks are short,
 * and the hits found there decide how long later chunks are. */
struct resident_sizes {
    uint64_t first;
    uint64_t least, most; /* bounds for chunks after the first chunks */
    /* If hits may be frequent, the caller alone searches a text of at most this many bytes. */
    uint64_t shared;
    /* Hits that a chunk should have. A device lists this number of hits in the time that two
     * launches take, and a core's cache has room for these hits. */
    uint64_t hits;
    /* Most begins (offsets of hits) that a device copies straight into the caller's array at a
     * time. */
    uint64_t direct;
    /* Bytes. The host counts a longer chunk in steps of a quarter of this number. */
    uint64_t host;
};
extern const struct resident_sizes resident_sizes_default;
/* The sizes in use. Tests change the sizes; not thread-safe. */
extern struct resident_sizes resident_sizes;

#endif
