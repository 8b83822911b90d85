/* choose: which method finds candidates for a plan with errors. */
#ifndef TRAWL_APPROXIMATE_CHOOSE_H
#define TRAWL_APPROXIMATE_CHOOSE_H

#include "approximate/compile.h"

/* Replaced by tests: a method that is taken wherever it can be; APPROX_METHODS: none. */
extern enum approx_method approx_method_forced;

/* Set the methods of a plan whose symbols are there. */
void approx_choose(struct approximate *approximate);

/* What a search on a device, or a step of one, would take. */
struct approx_work {
    uint64_t bytes;   /* of text */
    double rate;      /* candidates that the device proposes for a byte */
    double ready_ns;  /* before it searches */
    bool is_copied;   /* the text is not in its memory yet */
    uint32_t threads; /* of the host, which would search instead; one of them verifies otherwise */
};

/* Would the host take less time? Never, where a test forces the method. */
bool approx_is_for_host(const struct approximate *approximate, const struct approx_work *work);

/* Where piece `index` of the k + 1 of a literal of `count` symbols begins; index k + 1: `count`. */
static inline uint64_t approx_piece_begin(const struct approximate *approximate, uint64_t count,
                                          uint64_t index)
{
    return count * index / (approximate->errors_max + 1);
}

#endif
