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
 * be searched by this thread, if there is a buffer for it. May begin to open the devices. */
bool schedule_wants_device(struct search *search);
/* Copies a text that is on a device to the host, unless devices do the whole search. */
enum trawl_status schedule_fetch(struct search *search, struct trawl_text *text,
                                 struct trawl_error *error);
/* Adds the times of this search, which is over, to what later decisions of the runtime use. */
void schedule_remember(const struct search *search);
/* For tests: devices are opened after `ns` nanoseconds of searching. Not thread-safe. */
void schedule_open_after(uint64_t ns);
/* Returns true if the search finds hits faster than the caller could take them from a helper. The
 * caller is then faster alone, with all hits in near caches. */
bool schedule_is_alone(const struct search *search);
/* Returns the number of helpers that are worth waking now. */
uint32_t schedule_helpers(const struct search *search);

/* Returns true if the text is so short that cutting it into chunks would take longer than the
 * search; false if a device holds it. */
bool schedule_is_brief(const struct trawl_searcher *searcher, const struct trawl_text *text);
/* Returns true if files whose matches go to this sink are mapped. */
enum text_maps schedule_maps(const struct trawl_searcher *searcher, const struct sink *sink);
/* Returns up to how many lines, in which a device has found matches of an expression, the caller
 * searches by itself. Returns 0 if the last search found more matches in the text, so that all
 * threads should search. */
uint64_t schedule_lines_most(const struct trawl_searcher *searcher, const struct trawl_plan *plan,
                             const struct trawl_text *text);
/* Returns true if a list of begins should cover little text, because hits may be frequent. */
bool schedule_may_be_frequent(const struct trawl_searcher *searcher, const struct trawl_plan *plan);

/* After a text that the engine could not search briefly, the next BRIEF_REFUSALS calls under the
 * same plan make an ordinary search at once: their texts are probably like it. */
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

/* Lengths in bytes of a loaded text's chunks, for searches that list hits. If hits are rare, chunks
 * are long: 256 MiB are 1.08 times as fast as 128 MiB, and more than twice as fast as 32 MiB
 * [H200]. If hits may be frequent, the first chunks are short, and their hits decide how long later
 * ones are. */
struct resident_sizes {
    uint64_t first;
    uint64_t least, most; /* bounds for later chunks */
    /* up to this text length, the caller searches alone even if hits may be frequent */
    uint64_t shared;
    /* Hits that a chunk should have. A device lists that many in the time of two launches, and they
     * fit into a core's cache. */
    uint64_t hits;
    /* most begins that a device copies straight into the caller's array at a time */
    uint64_t direct;
    /* the host counts a longer chunk in steps of a quarter of this */
    uint64_t host;
};
extern const struct resident_sizes resident_sizes_default;
/* the sizes in use; tests change them; not thread-safe */
extern struct resident_sizes resident_sizes;

#endif
