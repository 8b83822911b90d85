/* begins: an array of where occurrences begin, filled by devices alone. */
#ifndef TRAWL_RUNTIME_BEGINS_H
#define TRAWL_RUNTIME_BEGINS_H

#include "runtime/search.h"

/* Fill an array in the memory of the device that holds the text, or by the devices that do one in
 * the host's; with `matches`, that array, for which begins says all but its address. Not OK: they
 * cannot do it, and of the second a search is to; STOPPED: cancelled. */
enum trawl_status begins_by_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, struct engine_words *begins,
                                   struct trawl_error *error);
enum trawl_status begins_by_devices(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    struct trawl_text *text, struct engine_words *begins,
                                    struct trawl_match *matches, struct trawl_error *error);

/* For tests: host workers help to copy so many begins, or more; 0: as usual. */
void begins_help_from(uint64_t begins);

#endif
