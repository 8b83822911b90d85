/* schedule: which workers get a text, in which chunks, and how many of them. */
#ifndef TRAWL_RUNTIME_SCHEDULE_H
#define TRAWL_RUNTIME_SCHEDULE_H

#include "runtime/search.h"

/* Choose the schedule, and how long its chunks are. */
enum trawl_status schedule_choose(struct search *search, struct trawl_text *text,
                                  struct trawl_error *error);
/* Bytes of the next chunk for the host or for a device. */
uint64_t schedule_chunk_bytes(const struct search *search, bool for_device);
/* Of a search that is for_devices: should the next chunk of the text go to a device rather than be
 * searched here, if there is a buffer for it? */
bool schedule_wants_device(struct search *search);
/* Copy a text that lies on a device to the host, unless the device does all of the search. */
enum trawl_status schedule_fetch(struct search *search, struct trawl_text *text,
                                 struct trawl_error *error);
/* The search is over: what the next one of the runtime can know from it. */
void schedule_remember(const struct search *search);
/* For tests: open devices after so much searching. Not thread-safe. */
void schedule_open_after(uint64_t ns);
/* Are hits found faster than the caller would take them from another thread? Then it does better
 * alone, while what it finds is in its caches. */
bool schedule_is_alone(const struct search *search);
/* How many helpers are worth waking now; 0: none. */
uint32_t schedule_helpers(const struct search *search);

/* Bytes of chunks where hits are listed. The rarer they are, the more pays: in chunks of 256 MiB it
 * is 1.08 times as fast as in 128, and more than twice as fast as in 32 [H200]. Where they may be
 * frequent the first chunks are small, and tell how large the others are to be. */
struct resident_sizes {
    uint64_t first;
    uint64_t least, most; /* of the others */
    uint64_t shared; /* shorter texts, with hits that may be frequent, are the caller's alone */
    uint64_t hits;   /* of a chunk: a device lists them in the time that two launches take, and
                        what becomes of them stays in a core's cache */
};
extern const struct resident_sizes resident_sizes_default;
/* Those in use; tests change them. Not thread-safe. */
extern struct resident_sizes resident_sizes;

#endif
