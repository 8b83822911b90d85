/* begins: fills the caller's array with the begins of all occurrences, by devices alone. */
#ifndef TRAWL_RUNTIME_BEGINS_H
#define TRAWL_RUNTIME_BEGINS_H

#include "runtime/search.h"

/* Fills an array in this device's memory, begins->address. If the device cannot do that, nothing
 * else can: the status is then an error of the call. */
enum trawl_status begins_on_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, uint32_t device,
                                   struct engine_words *begins, struct trawl_error *error);
/* Fills an array in host memory, begins->host. UNSUPPORTED and other faults: devices cannot do
 * that, and the caller should search in the ordinary way. STOPPED: the call was cancelled. */
enum trawl_status begins_on_host(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 const struct trawl_text *text, struct engine_words *begins,
                                 struct trawl_error *error);

/* For tests: host workers help to copy from so many begins on; 0: as usual. */
void begins_help_from(uint64_t begins);

#endif
