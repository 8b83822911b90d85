/* stats: what a call did, for trawl_searcher_stats. */
#ifndef TRAWL_RUNTIME_STATS_H
#define TRAWL_RUNTIME_STATS_H

#include "runtime/search.h"

/* What an engine said of a part of the text, or of records. */
void stats_add(struct trawl_stats *stats, const struct engine_result *result);
/* Keep what a call did as the searcher's statistics. */
void stats_finish(struct trawl_searcher *searcher, struct trawl_stats *stats, uint64_t begin_ns);
/* And what the workers of each kind did. */
void stats_workers(struct search *search);

#endif
