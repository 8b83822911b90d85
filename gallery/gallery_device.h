/* gallery_device: the gallery's algorithms on a device. Each thread has a struct gallery_device in
 * addition to its worker of the CUDA engine.
 *
 * Kernels append hits in any order; the host sorts them. Hits for which there is no room are
 * counted but not written, and the kernel runs again. A part that has more hits than a scan may
 * report, or needs more memory than there is, is halved. Constant memory belongs to a device, so
 * its workers take turns if a pattern is stored there.
 *
 * Kernels that launch kernels must be linked with the device's run-time library, so those of swift
 * have their own image, of machine code alone, for the build's architectures except 8.7 and 8.8,
 * for which CUDA 13.0's run-time library has no code. Further images have the kernels of pss and
 * bmh without optimisation, and pss-gm-list, for which a device sets up a heap of 256 MiB. Images
 * are loaded when first needed.
 */
#ifndef TRAWL_GALLERY_GALLERY_DEVICE_H
#define TRAWL_GALLERY_GALLERY_DEVICE_H

#include "engine.h"

struct gallery_device;

enum trawl_status gallery_device_open(struct engine *cuda, struct gallery_device **device,
                                      struct trawl_error *error);
void gallery_device_close(struct gallery_device *device);

/* Prepares for a plan. Errors: UNSUPPORTED if the algorithm has no kernel, or if a pattern, or all
 * patterns of a trie together, are too long for it; MEMORY. */
enum trawl_status gallery_device_begin(struct gallery_device *device, const struct trawl_plan *plan,
                                       struct trawl_error *error);
/* Searches a chunk, as engine_scan does. */
enum trawl_status gallery_device_scan(struct gallery_device *device,
                                      const struct engine_chunk *chunk, uint64_t from,
                                      enum want want, struct engine_result *result,
                                      struct trawl_error *error);

/* Records one after another in `bytes`: record i is bytes[offsets[i], offsets[i + 1]). */
struct gallery_tape {
    const uint8_t *bytes;
    const uint64_t *offsets; /* record_count + 1 numbers */
    uint64_t record_count;
};

/* Sets flags[i] to 0 if no pattern occurs in record i, and to 1 if one may, whatever the plan's
 * conditions (such as whole words). Call gallery_device_begin before, with a plan that names an
 * algorithm for records. Adds the device's times to the result, and the number of set flags to
 * candidate_count. */
enum trawl_status gallery_device_flag(struct gallery_device *device,
                                      const struct gallery_tape *records, uint8_t *flags,
                                      struct engine_result *result, struct trawl_error *error);

/* Which literals may occur in a record. */
struct gallery_met {
    /* by number of a hash: 0 if no literal with this hash occurs; NULL if nothing is known */
    const uint32_t *flags;
    const uint32_t *hash_of; /* for each literal, the number of its hash */
};

/* Returns which literals may occur in the record whose flag `flag` points to, in the array that
 * gallery_device_flag filled. Only rabin-karp-matrix-pairs knows, and only for records that the
 * device searched last and as a whole. Of these, the first may be the end of a longer record, so
 * nothing is known about it. */
struct gallery_met gallery_device_met(const struct gallery_device *device, const uint8_t *flag);

#ifdef TRAWL_NO_DEVICES /* a build without devices calls none of these, and does not link them */
#pragma weak gallery_device_open
#pragma weak gallery_device_close
#pragma weak gallery_device_begin
#pragma weak gallery_device_scan
#pragma weak gallery_device_flag
#pragma weak gallery_device_met
#endif

#endif
