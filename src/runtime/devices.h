/* devices: opens the GPUs of a runtime, and knows which are lost and which have a text */
#ifndef TRAWL_RUNTIME_DEVICES_H
#define TRAWL_RUNTIME_DEVICES_H

#include "runtime/engines.h"
#include "runtime/runtime.h"

/* Opens the devices in the calling thread. If another thread has begun to open them, waits until it
 * is done and returns OK, even if no device was found. Errors: ENGINE, DEVICE, MEMORY. */
enum trawl_status devices_open(struct devices *devices, struct trawl_error *error);
/* Starts to open the devices in a separate thread, unless that has been started before. If no
 * thread can be started, all devices are lost. */
void devices_open_in_background(struct devices *devices);
void devices_close(struct devices *devices);
bool devices_are_ready(const struct devices *devices);
void devices_failure(struct devices *devices, char *failure, uint64_t failure_bytes);
/* Marks a device that has failed as lost, so that it is no longer used. UINT32_MAX: all devices. */
void devices_lose(struct devices *devices, uint32_t index, const char *why);
/* Returns true if the devices are open and at least one is not lost. */
bool devices_are_usable(const struct devices *devices);
/* Returns the next device that is not lost, in turn; if all are lost, any device. */
uint32_t devices_choose(struct devices *devices);
/* Returns true if a worker of device `own` may search a chunk that is on device `other`
 * (ENGINE_DEVICES_MAX: on any): false only if `other` is another device that works and has a
 * worker. */
bool devices_may_serve(const struct devices *devices, uint32_t own, uint32_t other);

/* Returns the first device that is not lost; 0 if all devices are lost. */
uint32_t devices_first_working(const struct devices *devices);
/* Returns true if a single device has all these bytes. */
bool devices_hold(const struct devices *devices, const uint8_t *bytes, uint64_t bytes_count);
/* Returns true if devices have the whole text, so that they can search it for the plan (NULL: for
 * any plan) without a copy. *is_split says that it is divided among several devices. */
bool devices_hold_text(const struct devices *devices, const struct trawl_plan *plan,
                       const struct trawl_text *text, bool *is_split);
/* Finds the device that can search found->reach bytes of text, starting at `bytes`, for the plan
 * (NULL: for any plan) without a copy. found->device is ENGINE_DEVICES_MAX if several can. Returns
 * false if none can. */
bool devices_locate(const struct devices *devices, const struct trawl_plan *plan,
                    const uint8_t *bytes, uint64_t bytes_count, struct engine_text *found);

#endif
