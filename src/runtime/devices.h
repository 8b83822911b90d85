/* devices: the GPUs of a runtime: which there are, and which were lost. */
#ifndef TRAWL_RUNTIME_DEVICES_H
#define TRAWL_RUNTIME_DEVICES_H

#include "runtime/engines.h"
#include "runtime/runtime.h"

/* Open them now, in the calling thread, or wait for the thread that does: ENGINE, DEVICE, MEMORY.
 */
enum trawl_status devices_open(struct devices *devices, struct trawl_error *error);
/* Begin to open them in the background, unless that has begun. */
void devices_ask(struct devices *devices);
void devices_close(struct devices *devices);
bool devices_are_ready(const struct devices *devices);
void devices_note(struct devices *devices, char *note, uint64_t note_bytes);
/* A device failed; UINT32_MAX: all of them. */
void devices_lose(struct devices *devices, uint32_t index, const char *why);
/* Is there one left that was not lost? */
bool devices_work(const struct devices *devices);
/* One that was not lost, if there is one: in turn. */
uint32_t devices_choose(struct devices *devices);
/* May the worker of this device search what lies on that one? Not what another worker is for. */
bool devices_may_serve(const struct devices *devices, uint32_t own, uint32_t other);

/* The first device that was not lost; if all were, the first. */
uint32_t devices_working(const struct devices *devices);
/* Does one device hold all of these bytes? false also where they are split. */
bool devices_hold(const struct devices *devices, const uint8_t *bytes, uint64_t bytes_count);
/* Would devices search all of this text in memory without a copy? *is_split: more than one of them
 * has to. Plan NULL: any. */
bool devices_hold_text(const struct devices *devices, const struct trawl_plan *plan,
                       const struct trawl_text *text, bool *is_split);
/* Would a device search the text that begins there without a copy? Which one, and as far as where,
 * as engine_ops.hold says. Plan NULL: any. */
bool devices_locate(const struct devices *devices, const struct trawl_plan *plan,
                    const uint8_t *bytes, uint64_t bytes_count, struct engine_text *found);

#endif
