/* begins: fills the caller's array with the start offsets of the occurrences in a loaded text. */
#ifndef TRAWL_RUNTIME_BEGINS_H
#define TRAWL_RUNTIME_BEGINS_H

#include "runtime/search.h"

/* Fills words->to, an array in the memory of `device`, or in host memory (ENGINE_DEVICES_MAX), and
 * sets the counts, which are 0 before. Errors: UNSUPPORTED if devices do not have the whole text,
 * or cannot find the plan's occurrences alone. Also if the text is divided over several devices,
 * and the array is neither pinned nor on a device. */
enum trawl_status begins_by_devices(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                    const struct trawl_text *text, uint32_t device,
                                    struct engine_words *words, struct trawl_error *error);

#endif
