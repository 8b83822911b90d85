/* sim_host: objects that tests open on the simulated driver, and a check that none of them is left.
 */
#ifndef TRAWL_TESTS_SIM_SIM_HOST_H
#define TRAWL_TESTS_SIM_SIM_HOST_H

#include "trawl.h"

/* A runtime, and one of its searchers. */
struct host {
    struct trawl_runtime *runtime;
    struct trawl_searcher *searcher;
};

/* Resets the simulated driver to `devices` devices of 16 MiB each. */
void host_devices(uint32_t devices);

/* Opens a runtime and a searcher, or ends the test. If chunk_bytes is 0, the library chooses it. */
void host_open(struct host *host, enum trawl_engine engine, uint32_t threads, uint64_t chunk_bytes);
/* Closes the searcher and the runtime, and checks that no object is left in the driver. */
void host_close(struct host *host);

/* Returns a searcher with its own runtime. If that fails, returns NULL and fills *error. */
struct trawl_searcher *host_searcher(enum trawl_engine engine, uint32_t threads,
                                     uint64_t chunk_bytes, struct trawl_error *error);

/* Checks that no object of the driver is in use, and that the driver has nothing to report, unless
 * a device was lost. */
void host_check_driver(void);

#endif
