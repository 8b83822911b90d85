/* fail_calls: driver call N fails, for every N, under a piece of work by the public functions; then
 * the N-th allocation of memory. */
#ifndef TRAWL_TESTS_SIM_FAIL_CALLS_H
#define TRAWL_TESTS_SIM_FAIL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "trawl.h"

struct fail_work {
    void *context;
    /* Open a searcher, work, close it; with `again`, work once more when the fault is gone. */
    enum trawl_status (*once)(void *context, enum trawl_engine engine, bool again,
                              struct trawl_error *error);
    bool unsupported; /* engines may end it so: what is asked of a device, none is left to do */
};

/* For every N, with two codes, once and from N on, by the CUDA engine and by auto: the work is
 * done, by the CUDA engine only if it needs no such call (sim_driver_needed), or ends with a status
 * that it may have and a message, auto's by nothing else; nothing is left behind; and after a
 * single fault the same searcher does it. Returns how many ended. Memory fails once for one of the
 * engines, and from N on for the other. */
uint64_t fail_calls(const struct fail_work *work);

/* The N-th allocation alone, for each engine, once and from N on. Returns how many ended. */
uint64_t fail_blocks(const struct fail_work *work);

#endif
