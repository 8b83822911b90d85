/* gallery_device: searches by the gallery's algorithms on a device. A thread has a struct
 * gallery_device in addition to its worker of the CUDA engine. */
#ifndef TRAWL_GALLERY_GALLERY_DEVICE_H
#define TRAWL_GALLERY_GALLERY_DEVICE_H

#include "engine.h"

struct gallery_device;

enum trawl_status gallery_device_open(struct engine *cuda, struct gallery_device **device,
                                      struct trawl_error *error);
void gallery_device_close(struct gallery_device *device);

/* Prepares for a plan. Errors: UNSUPPORTED if the plan's algorithm has no kernel, or if a pattern,
 * or all patterns of a trie together, are too long for the kernel; MEMORY. */
enum trawl_status gallery_device_begin(struct gallery_device *device, const struct trawl_plan *plan,
                                       struct trawl_error *error);
/* Searches a chunk, as engine_scan does. */
enum trawl_status gallery_device_scan(struct gallery_device *device,
                                      const struct engine_chunk *chunk, uint64_t from,
                                      enum want want, struct engine_result *result,
                                      struct trawl_error *error);

/* Records that lie one after another in `bytes`: record i is bytes[offsets[i], offsets[i + 1]). */
struct gallery_tape {
    const uint8_t *bytes;
    const uint64_t *offsets; /* record_count + 1 numbers */
    uint64_t record_count;
};

/* Sets flags[i] to 0 if record i surely holds no occurrence, else to 1. The plan of
 * gallery_device_begin must have an algorithm for records. Conditions such as whole words are
 * ignored. Adds to the result's device times, and adds the number of set flags to
 * candidate_count. */
enum trawl_status gallery_device_flag(struct gallery_device *device,
                                      const struct gallery_tape *records, uint8_t *flags,
                                      struct engine_result *result, struct trawl_error *error);

/* Says which literals a record may hold. */
struct gallery_met {
    /* a flag for each hash: 0 if the record holds no literal with the hash. NULL: nothing is
     * known */
    const uint32_t *flags;
    const uint32_t *hash_of; /* for each literal, the number of its hash */
};

/* Returns what the device found in the record whose flag gallery_device_flag set at `flag`.
 * Something is known only with rabin-karp-matrix-pairs, and only of records that were on the device
 * last, each in one piece. Of the first of these records nothing is known. */
struct gallery_met gallery_device_met(const struct gallery_device *device, const uint8_t *flag);

#ifdef TRAWL_NO_DEVICES /* such a build opens no device, and calls no function of this file */
#pragma weak gallery_device_open
#pragma weak gallery_device_close
#pragma weak gallery_device_begin
#pragma weak gallery_device_scan
#pragma weak gallery_device_flag
#pragma weak gallery_device_met
#endif

#endif
