/* stats: converts the record of a searcher's last call for trawl_searcher_stats and
 * trawl_searcher_workers. */
#ifndef TRAWL_RUNTIME_STATS_H
#define TRAWL_RUNTIME_STATS_H

#include "runtime/search.h"
#include "trawl_devices.h"

/* Adds an engine's figures for a chunk or for records to the statistics. */
void stats_add(struct trawl_stats *stats, const struct engine_result *result);
/* Fills *stats with the searcher's last finished call. All fields are 0 before the first call. */
void stats_tell(const struct trawl_searcher *searcher, struct trawl_stats *stats);
/* Returns how many kinds of workers took part in the searcher's last call. */
uint32_t stats_kinds(const struct trawl_searcher *searcher);
/* Fills *stats with the work of a kind of workers in the searcher's last call. */
void stats_tell_workers(const struct trawl_searcher *searcher, uint32_t index,
                        struct trawl_worker_stats *stats);

#endif
