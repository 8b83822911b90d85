/* brief: searches a short text without a worker. */
#ifndef TRAWL_CPU_BRIEF_H
#define TRAWL_CPU_BRIEF_H

#include "cpu/find.h"
#include "engine.h"

/* Searches a short text with the functions of one instruction set (`find`). Returns false if the
 * caller has to set up a worker for an ordinary search. */
bool brief_search(const struct find_ops *find, const struct trawl_plan *plan, const uint8_t *text,
                  uint64_t count, struct engine_brief *found);

#endif
