/* cuda_scan: searches a text on a device for the occurrences that start in one range */
#ifndef TRAWL_CUDA_CUDA_SCAN_H
#define TRAWL_CUDA_CUDA_SCAN_H

#include "cuda/launch.h"

/* Room for hits on the device. A hit is a 64-bit word: base + (start - range->begin) + literal *
 * (the literal's number). */
struct cuda_hits_room {
    uint64_t address; /* 0: the hits go to the worker's first list, with base 0 and literal 2^32 */
    uint64_t count;   /* capacity; of a list, as cuda_lists_words says */
    uint64_t base;
    uint64_t literal; /* factor for the literal's number */
};

/* Writes the range's hits that start below `limit` to the room, ascending by start, those of one
 * start in any order. *total is the number of all hits, of which the first room->count are written;
 * a list gets none if there are more hits. Adds the number of verified candidates to *candidates.
 * If worker->leaves becomes true, nothing is listed, and the host must search. The kernels may
 * still write in the worker's stream. */
enum trawl_status cuda_list_hits(struct cuda_worker *worker, const struct cuda_range *range,
                                 uint64_t limit, struct cuda_hits_room *room, uint64_t *total,
                                 uint64_t *candidates, struct trawl_error *error);

/* Lists the range's hits that start below `limit` like cuda_list_hits, those of one turn of the
 * filter or the automaton: sets *done to where the turn ends, or to range->end. Sets found->count.
 * The range begins at offset `at` of the chunk. */
enum trawl_status cuda_list_turn(struct cuda_worker *worker, const struct cuda_range *range,
                                 uint64_t limit, uint64_t at, struct cuda_hits_room *room,
                                 struct engine_result *found, uint64_t *done,
                                 struct trawl_error *error);

/* Appends the first `count` of worker->hits to the result. */
enum trawl_status cuda_bring_hits(struct cuda_worker *worker, uint64_t count,
                                  struct engine_result *result, struct trawl_error *error);

/* Member `search` of struct cuda_steps (chunk.h), without a context: scans a range, and adds its
 * occurrences to the count or the hits in *result. A hit at range->begin gets the offset
 * `hits_base`. Sets *done: all positions in the range below it have been searched. If
 * worker->leaves becomes true, the host must search the chunk. */
enum trawl_status cuda_scan_range(struct cuda_worker *worker, void *context,
                                  const struct cuda_range *range, enum want want,
                                  uint64_t hits_base, struct engine_result *result, uint64_t *done,
                                  struct trawl_error *error);

#endif
