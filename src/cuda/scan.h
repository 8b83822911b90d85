/* scan: one range of begins, searched. */
#ifndef TRAWL_CUDA_SCAN_H
#define TRAWL_CUDA_SCAN_H

#include "cuda/launch.h"

/* Room for hits on the device: words of 64 bits, and what the range's first begin is to be called
 * there. */
struct cuda_hits_room {
    uint64_t address;
    uint64_t count;
    uint64_t base;
    uint64_t literal; /* what the number of a set's literal is multiplied by and added */
    uint64_t ahead;   /* words that are copied to the landing buffer, which has room for them,
                         before their number is known */
};

/* List the range's hits below `limit` in order: the first room->count of *total. */
enum trawl_status cuda_list_hits(struct engine_worker *worker, const struct cuda_range *range,
                                 uint64_t limit, const struct cuda_hits_room *room, uint64_t *total,
                                 uint64_t *candidates, struct trawl_error *error);

/* Scan a range; hits, if wanted, are appended with offsets from `hits_base` on for range->begin.
 * *done: begins below it were looked at. */
enum trawl_status cuda_scan_range(struct engine_worker *worker, const struct cuda_range *range,
                                  enum want want, uint64_t hits_base, struct engine_result *result,
                                  uint64_t *done, struct trawl_error *error);

#endif
