/* begins: fills the caller's array with the start offsets of the occurrences in a loaded text.
 * Devices search; the host only copies. */
#ifndef TRAWL_RUNTIME_BEGINS_H
#define TRAWL_RUNTIME_BEGINS_H

#include "runtime/search.h"

/* Fills an array in this device's memory, begins->host. The host could not do that instead, so
 * every failure is final. */
enum trawl_status begins_on_device(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                   const struct trawl_text *text, uint32_t device,
                                   struct engine_words *begins, struct trawl_error *error);
/* Fills an array in host memory, begins->host. Returns STOPPED if the call was cancelled. After any
 * other failure, such as UNSUPPORTED, the caller should run an ordinary search. */
enum trawl_status begins_on_host(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                                 const struct trawl_text *text, struct engine_words *begins,
                                 struct trawl_error *error);

/* For tests: sets how many start offsets must be expected for host workers to help with copying. 0
 * restores the default. */
void begins_help_from(uint64_t begins);

#endif
