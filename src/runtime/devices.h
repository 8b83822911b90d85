/* devices: opens the GPUs of a runtime, and knows which have failed and which hold a text */
#ifndef TRAWL_RUNTIME_DEVICES_H
#define TRAWL_RUNTIME_DEVICES_H

#include "runtime/engines.h"
#include "runtime/runtime.h"

/* Opens the devices in the calling thread. If another thread is opening or has opened them, waits
 * for it and returns OK, even if no device was found. Errors: ENGINE, DEVICE, MEMORY. */
enum trawl_status devices_open(struct devices *devices, struct trawl_error *error);
/* Begins to open the devices in a separate thread, unless that has begun before. If no thread can
 * be started, all devices are lost. */
void devices_ask(struct devices *devices);
void devices_close(struct devices *devices);
bool devices_are_ready(const struct devices *devices);
void devices_failure(struct devices *devices, char *failure, uint64_t failure_bytes);
/* Marks a device as lost: it has failed and is no longer used. UINT32_MAX: all devices. */
void devices_lose(struct devices *devices, uint32_t index, const char *why);
/* Returns true if the devices are open and at least one is not lost. */
bool devices_work(const struct devices *devices);
/* Returns a device that is not lost, taking them in turn; if all are lost, any device. */
uint32_t devices_choose(struct devices *devices);
/* Returns true if a worker of device `own` may search a chunk that lies on device `other`
 * (ENGINE_DEVICES_MAX: on any device). Returns false only if another device holds the chunk,
 * works, and has a worker. */
bool devices_may_serve(const struct devices *devices, uint32_t own, uint32_t other);

/* Returns the first device that is not lost; 0 if all devices are lost. */
uint32_t devices_working(const struct devices *devices);
/* Returns true if a single device holds all these bytes. */
bool devices_hold(const struct devices *devices, const uint8_t *bytes, uint64_t bytes_count);
/* Returns true if devices can search the whole text in memory without a copy. *is_split tells
 * whether it is divided among several devices. If the plan is NULL, this must hold for any plan. */
bool devices_hold_text(const struct devices *devices, const struct trawl_plan *plan,
                       const struct trawl_text *text, bool *is_split);
/* Finds the device that can search the text starting at `bytes` without a copy: found->device,
 * which is ENGINE_DEVICES_MAX if several can. found->reach is how many bytes starting at `bytes`
 * it can search. Returns false if no device can. If the plan is NULL, this must hold for any
 * plan. */
bool devices_locate(const struct devices *devices, const struct trawl_plan *plan,
                    const uint8_t *bytes, uint64_t bytes_count, struct engine_text *found);

#endif
