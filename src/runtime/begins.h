/* begins: an array of where occurrences begin, filled by devices alone. */
#ifndef TRAWL_RUNTIME_BEGINS_H
#define TRAWL_RUNTIME_BEGINS_H

#include "runtime/search.h"

/* Fill an array in this device's memory, begins->address. Not OK: the device cannot do it, and
 * nobody else can. */
enum trawl_status begins_on_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, uint32_t device,
                                   struct engine_words *begins, struct trawl_error *error);
/* Fill an array in host memory, begins->host. Not OK: devices cannot do it, and a search is to;
 * STOPPED: cancelled. */
enum trawl_status begins_on_host(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 const struct trawl_text *text, struct engine_words *begins,
                                 struct trawl_error *error);

/* For tests: host workers help to copy so many begins, or more; 0: as usual. */
void begins_help_from(uint64_t begins);

#endif
