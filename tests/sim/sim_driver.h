/* sim_driver: a CUDA driver made of host memory and the simulator.
 *
 * Streams are queues. Work that the interface calls asynchronous is done when something waits for
 * it (or earlier, as the seed has it), and the streams take turns in a seeded order: every order
 * that the interface allows may come. Until a copy to the host is done, its target holds garbage.
 * Device memory is small, starts as garbage, and has guard bytes around each allocation. Copies
 * must use pinned memory. A failed kernel makes the context's later calls fail, as on a device.
 *
 * The same functions are also built as a shared library named libcuda.so.1, which the unchanged
 * command then loads: environment variables TRAWL_SIM_SEED, _DEVICES, _MEMORY_BYTES, _FAIL_CALL
 * set it up.
 */
#ifndef TRAWL_TESTS_SIM_SIM_DRIVER_H
#define TRAWL_TESTS_SIM_SIM_DRIVER_H

#include "cuda/driver.h"

struct sim_driver_options {
    uint64_t seed;
    uint32_t devices;      /* 0 to SIM_DEVICES_MAX */
    uint64_t memory_bytes; /* of the first device */
    uint32_t multiprocessors;
    int version;           /* what cuDriverGetVersion says; 0: 12000 */
    uint32_t switches_max; /* per launch, before it counts as hung; 0: the default */
    uint64_t memory_less;  /* each device has so much less than the one before */
};

#define SIM_DEVICES_MAX 4u

/* Forget everything (nothing may be in use) and start with these options. */
void sim_driver_reset(const struct sim_driver_options *options);
/* With the usual ones: one device of two multiprocessors and 16 MiB. */
void sim_driver_reset_usual(uint64_t seed);

/* The table. */
const struct cuda_driver *sim_driver_table(void);

/* The call number `nth` from now (1-based) returns `code` and does nothing, or releases what it was
 * to release; `persistent`: and all calls after it. nth 0: none. */
void sim_driver_fail(uint64_t nth, int code, bool persistent);
/* The device's call number `nth` from now (1-based) and all after it fail: it is lost. */
void sim_driver_lose(uint32_t device, uint64_t nth);
bool sim_driver_has_lost(void);
/* The name of the call `nth` of sim_driver_fail, if answers depend on it. NULL: it has not come, is
 * a hint, or may be one that comes before something is released. */
const char *sim_driver_needed(void);
/* Memory of a test's own that kernels may touch (sim_range_add) is of this device; after a reset,
 * of the first one. */
void sim_driver_own(uint32_t device);
/* Calls since sim_driver_fail. */
uint64_t sim_driver_calls(void);

/* Contexts retained, allocations, streams, events and modules not released. */
uint64_t sim_driver_live(void);
uint64_t sim_driver_memory_used(void);
/* Bytes copied to devices since the last reset. */
uint64_t sim_driver_copied(void);
/* Overwritten guard bytes, misuse (a copy from pageable memory, a call without a context), and the
 * last failed kernel's report. Empty: nothing. */
const char *sim_driver_report(void);

#endif
