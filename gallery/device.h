/* device: what one thread has for plans of the gallery on a device, beside its worker of the CUDA
 * engine: the gallery's tables and kernels. */
#ifndef TRAWL_GALLERY_DEVICE_H
#define TRAWL_GALLERY_DEVICE_H

#include "engine.h"

struct gallery_device;

enum trawl_status gallery_device_open(struct engine *cuda, struct gallery_device **device,
                                      struct trawl_error *error);
void gallery_device_close(struct gallery_device *device);

/* Get ready for a plan. UNSUPPORTED: its algorithm is not for a device, or not with these patterns.
 */
enum trawl_status gallery_device_begin(struct gallery_device *device, const struct trawl_plan *plan,
                                       struct trawl_error *error);
/* The engine's scan. */
enum trawl_status gallery_device_scan(struct gallery_device *device,
                                      const struct engine_chunk *chunk, uint64_t from,
                                      enum want want, struct engine_result *result,
                                      struct trawl_error *error);

/* After gallery_device_begin with a plan whose algorithm takes records: sets flags[i] to 0 where
 * record i surely holds no occurrence, else to 1; conditions are not looked at. Adds to the
 * result's device times, and to candidate_count the flags that were set. */
enum trawl_status gallery_device_flag(struct gallery_device *device,
                                      const struct engine_records *records, uint8_t *flags,
                                      struct engine_result *result, struct trawl_error *error);

/* Which literals a record may hold. */
struct gallery_met {
    const uint32_t *flags;   /* 0: surely not those with this hash; NULL: it may hold any */
    const uint32_t *hash_of; /* each literal's */
};

/* What the device said of the record whose flag this is: of those that gallery_device_flag last
 * looked at. */
struct gallery_met gallery_device_met(const struct gallery_device *device, const uint8_t *flag);

#endif
