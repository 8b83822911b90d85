/* hyperscan: the library of that name (or Vectorscan, its successor), loaded when it is needed.
 */
#ifndef BENCH_HYPERSCAN_H
#define BENCH_HYPERSCAN_H

#include <stdbool.h>
#include <stdint.h>

#include <trawl.h>

struct hyperscan; /* a compiled set with what one thread needs to search */

/* Its version; NULL: it is not installed. */
const char *hyperscan_version(void);
/* Compile literals for block mode; `once`: of a block each pattern is reported once. NULL: `why` of
 * why_bytes says why not. */
struct hyperscan *hyperscan_compile(const struct trawl_pattern *patterns, uint64_t pattern_count,
                                    bool once, char *why, uint64_t why_bytes);
void hyperscan_free(struct hyperscan *hyperscan);
uint64_t hyperscan_bytes(const struct hyperscan *hyperscan);
/* How many matches a block of less than 4 GiB has. */
uint64_t hyperscan_count(struct hyperscan *hyperscan, const uint8_t *bytes, uint64_t bytes_count);

#endif
