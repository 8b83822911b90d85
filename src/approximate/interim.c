/* interim: stands for verify.c until it is there. */
#include "approximate/verify.h"

#define ABSENT __attribute__((weak))

ABSENT enum trawl_status approx_verifier_open(const struct approximate *approximate,
                                              struct approx_verifier **verifier,
                                              struct trawl_error *error)
{
    (void)approximate;
    (void)verifier;
    return TRAWL_FAIL(error, UNSUPPORTED, "this build does not search with errors");
}

ABSENT void approx_verifier_close(struct approx_verifier *verifier)
{
    (void)verifier;
}

ABSENT void approx_verifier_begin(struct approx_verifier *verifier,
                                  const struct engine_chunk *chunk)
{
    (void)verifier;
    (void)chunk;
}

ABSENT enum trawl_status approx_verify_begin(struct approx_verifier *verifier, uint32_t literal,
                                             int64_t begin, struct hits *hits,
                                             struct trawl_error *error)
{
    (void)verifier;
    (void)literal;
    (void)begin;
    (void)hits;
    return TRAWL_FAIL(error, UNSUPPORTED, "this build does not search with errors");
}

ABSENT enum trawl_status approx_verify_ends(struct approx_verifier *verifier, uint32_t literal,
                                            int64_t from, int64_t to, uint64_t begin_min,
                                            struct hits *hits, struct trawl_error *error)
{
    (void)verifier;
    (void)literal;
    (void)from;
    (void)to;
    (void)begin_min;
    (void)hits;
    return TRAWL_FAIL(error, UNSUPPORTED, "this build does not search with errors");
}
