/* devices: opens the GPUs of a runtime, and knows which GPUs have failed and which hold a text. */
#ifndef TRAWL_RUNTIME_DEVICES_H
#define TRAWL_RUNTIME_DEVICES_H

#include "runtime/engines.h"
#include "runtime/runtime.h"

/* Opens the devices in the calling thread. If another thread opens or has opened the devices, waits
 * for that thread and returns OK, even if there are no devices. Errors: ENGINE, DEVICE, MEMORY. */
enum trawl_status devices_open(struct devices *devices, struct trawl_error *error);
/* Begins to open the devices in a separate thread, unless opening has begun before. If no thread
 * can be made, all devices are lost. */
void devices_ask(struct devices *devices);
void devices_close(struct devices *devices);
bool devices_are_ready(const struct devices *devices);
void devices_failure(struct devices *devices, char *failure, uint64_t failure_bytes);
/* Marks a device as lost: it has failed and is not used any more. UINT32_MAX: all devices. */
void devices_lose(struct devices *devices, uint32_t index, const char *why);
/* Returns true if the devices are open and a device is left that is not lost. */
bool devices_work(const struct devices *devices);
/* Returns a device that is not lost; calls take these devices in turn. If all devices are lost,
 * returns any device. */
uint32_t devices_choose(struct devices *devices);
/* Returns true if a worker of device `own` may search a chunk that lies on device `other`
 * (ENGINE_DEVICES_MAX: on any device). Returns false only if another device holds the chunk,
 * works, and has a worker. */
bool devices_may_serve(const struct devices *devices, uint32_t own, uint32_t other);

/* Returns the first device that is not lost; 0 if all devices are lost. */
uint32_t devices_working(const struct devices *devices);
/* Returns true if a single device holds all these bytes. */
bool devices_hold(const struct devices *devices, const uint8_t *bytes, uint64_t bytes_count);
/* Returns true if devices can search the whole text in memory without a copy. Sets *is_split to
 * whether the text is divided over several devices. Plan NULL: any plan. */
bool devices_hold_text(const struct devices *devices, const struct trawl_plan *plan,
                       const struct trawl_text *text, bool *is_split);
/* Finds the device that can search the text starting at `bytes` without a copy. Sets found->device,
 * to ENGINE_DEVICES_MAX if several devices can. Sets found->reach to the number of bytes starting
 * at `bytes` that the device can search. Returns false if no device can. Plan NULL: any plan. */
bool devices_locate(const struct devices *devices, const struct trawl_plan *plan,
                    const uint8_t *bytes, uint64_t bytes_count, struct engine_text *found);

#endif
