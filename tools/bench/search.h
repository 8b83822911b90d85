/* search: plans and searchers as `trawl-bench cpu` and `roofline` make them. */
#ifndef BENCH_SEARCH_H
#define BENCH_SEARCH_H

#include <stdint.h>

#include <trawl.h>

#include "bench/options.h"

#define METHOD_NAME_BYTES 32u

/* Exits where there is an error. */
void search_need(enum trawl_status status, const struct trawl_error *error);

/* The plan of one pattern; `sample` as in trawl.h, or NULL. NULL: the method does not take it. */
struct trawl_plan *search_plan(const uint8_t *pattern, uint64_t pattern_bytes,
                               enum trawl_method method, const void *sample, uint64_t sample_bytes);
/* The method that a plan says an engine runs for it. */
void search_method(const struct trawl_plan *plan, enum trawl_engine engine,
                   char name[METHOD_NAME_BYTES]);

/* NULL: there is no such engine here; *error says why. */
struct trawl_searcher *search_open(const struct options *options, enum trawl_engine engine,
                                   uint32_t threads, struct trawl_error *error);

#endif
