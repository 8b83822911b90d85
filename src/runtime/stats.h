/* stats: what a call did, for trawl_searcher_stats. */
#ifndef TRAWL_RUNTIME_STATS_H
#define TRAWL_RUNTIME_STATS_H

#include "runtime/search.h"
#include "trawl_devices.h"

/* What a device said of a part of the text, or of records, beside its candidates. */
void stats_add(struct trawl_stats *stats, const struct engine_result *result);
/* What the searcher's last finished call did: zeros before the first one. */
void stats_tell(const struct trawl_searcher *searcher, struct trawl_stats *stats);
/* And what its workers of this kind did. */
void stats_tell_workers(const struct trawl_searcher *searcher, uint32_t index,
                        struct trawl_worker_stats *stats);

#endif
