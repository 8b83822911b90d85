/* choose: which method finds candidates for a plan with errors. */
#ifndef TRAWL_APPROXIMATE_CHOOSE_H
#define TRAWL_APPROXIMATE_CHOOSE_H

#include "approximate/compile.h"

/* Replaced by tests: a method that is taken wherever it can be; APPROX_METHODS: none. */
extern enum approx_method approx_method_forced;

/* Set the methods of a plan whose symbols are there. */
void approx_choose(struct approximate *approximate);

/* Would the host, by so many threads, search a text in less time than a device that proposes `rate`
 * candidates for each byte, which one thread of the host then verifies? is_copied: the text is not
 * in the device's memory yet. Never, where a test forces the method. */
bool approx_is_for_host(const struct approximate *approximate, double rate, bool is_copied,
                        uint32_t threads);

/* Where piece `index` of the k + 1 of a literal of `count` symbols begins; index k + 1: `count`. */
static inline uint64_t approx_piece_begin(const struct approximate *approximate, uint64_t count,
                                          uint64_t index)
{
    return count * index / (approximate->errors_max + 1);
}

#endif
