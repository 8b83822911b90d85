/* oracle: all occurrences of a set by hashing, one length of patterns at a time (Karp, Rabin 1987,
 * with each hit compared). Shares no code with the library. And the C library's memmem, on all
 * cores.
 */
#ifndef BENCH_ORACLE_H
#define BENCH_ORACLE_H

#include <stdint.h>

#include <trawl.h>

/* Called for each occurrence, those of one length after those of another, each in order. */
typedef void (*oracle_sink)(void *context, uint64_t position, uint64_t pattern);
void oracle_each(const struct trawl_pattern *patterns, uint64_t pattern_count, const uint8_t *text,
                 uint64_t text_bytes, oracle_sink sink, void *context);
uint64_t oracle_count(const struct trawl_pattern *patterns, uint64_t pattern_count,
                      const uint8_t *text, uint64_t text_bytes);

/* Pieces of work by as many threads, one after the other until all are done, or until seconds_max
 * (0: no limit) have passed. Returns how many were done: those from 0 on. */
typedef uint64_t (*piece_of_work)(void *context, uint64_t index);
uint64_t pieces_run(piece_of_work work, void *context, uint64_t piece_count, uint32_t threads,
                    double seconds_max, uint64_t *sum);

#endif
