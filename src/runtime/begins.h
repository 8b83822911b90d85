/* begins: fills the caller's array with the offsets at which the occurrences in a loaded text
 * begin. Devices search, and the host at most copies. */
#ifndef TRAWL_RUNTIME_BEGINS_H
#define TRAWL_RUNTIME_BEGINS_H

#include "runtime/search.h"

/* Fills an array in this device's memory, begins->host. Only devices can do that, so the call
 * returns every error. */
enum trawl_status begins_on_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, uint32_t device,
                                   struct engine_words *begins, struct trawl_error *error);
/* Fills an array in host memory, begins->host. Returns STOPPED if the call was cancelled. After
 * any other failure, even UNSUPPORTED, the caller should search in the ordinary way. */
enum trawl_status begins_on_host(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 const struct trawl_text *text, struct engine_words *begins,
                                 struct trawl_error *error);

/* For tests: host workers help to copy if at least this many begins are expected; 0 restores the
 * default. */
void begins_help_from(uint64_t begins);

#endif
