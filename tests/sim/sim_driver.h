/* sim_driver: a CUDA driver made of host memory and the simulator.
 *
 * Streams are queues. Work that the interface calls asynchronous is done when a thread waits for
 * it, or earlier, as the seed decides. The seed also decides the order in which the streams take
 * turns, so every order that the interface allows may occur. Until a copy to the host is done, the
 * target contains garbage. Device memory is small, starts as garbage, and has guard bytes around
 * each allocation. Copies must use pinned memory. A failed kernel makes the context's later calls
 * fail, as on a device.
 *
 * The same functions are also built as a shared library named libcuda.so.1, which the unchanged
 * command then loads. The environment variables TRAWL_SIM_SEED, _DEVICES, _MEMORY_BYTES and
 * _FAIL_CALL set up that library.
 */
#ifndef TRAWL_TESTS_SIM_SIM_DRIVER_H
#define TRAWL_TESTS_SIM_SIM_DRIVER_H

#include "cuda/driver.h"

struct sim_driver_options {
    uint64_t seed;
    uint32_t devices;      /* 0 to SIM_DEVICES_MAX */
    uint64_t memory_bytes; /* how much the first device has */
    uint32_t multiprocessors;
    int version; /* what cuDriverGetVersion says; 0: 12000 */
    /* number of switches after which a launch counts as hung; 0: the default */
    uint32_t switches_max;
    uint64_t memory_less; /* bytes: each device has this much less memory than the previous one */
};

#define SIM_DEVICES_MAX 4u

/* Starts a new driver with these options. No object of the previous driver may be in use. */
void sim_driver_reset(const struct sim_driver_options *options);
/* Resets with the default options: a device of two multiprocessors and 16 MiB. */
void sim_driver_reset_usual(uint64_t seed);

/* Returns the table of the simulated functions, for cuda_driver_replace. */
const struct cuda_driver *sim_driver_table(void);

/* Makes the nth call from now (1-based) return `code`. It then does nothing, except that a call
 * which releases an object still releases it. If `persistent`, all later calls fail, too. If nth is
 * 0, no call fails. */
void sim_driver_fail(uint64_t nth, int code, bool persistent);
/* Makes the device's nth call from now (1-based), and all later calls, fail: the device is lost. */
void sim_driver_lose(uint32_t device, uint64_t nth);
/* Makes the next call for which is_wanted returns true fail, as sim_driver_fail does. If `code` is
 * 0, the device of that call is lost. */
void sim_driver_fail_when(bool (*is_wanted)(void), int code, bool persistent);
/* Return true if a call has failed that one of these functions chose, or if a device is lost. */
bool sim_driver_has_failed(void);
bool sim_driver_has_lost(void);
/* Returns the name of the call that sim_driver_fail made fail, if a search cannot succeed without
 * it. Returns NULL if no call has failed, or if the call releases an object, waits before a
 * release, or is one that the engine can do without. */
const char *sim_driver_needed(void);
/* Declares that a test's array is on this device, so that kernels may access it. All arrays of a
 * test must be on the same device. sim_driver_disown ends this. Both may be called while threads of
 * a searcher use the driver. */
void sim_driver_own(const void *array, uint64_t bytes, uint32_t device);
void sim_driver_disown(const void *array);
/* Returns how many calls to the driver were made since sim_driver_fail. */
uint64_t sim_driver_calls(void);

/* Returns how many contexts, allocations, streams, events and modules are not released. */
uint64_t sim_driver_live(void);
uint64_t sim_driver_memory_used(void);
/* Returns how many bytes were copied to devices since the last reset. */
uint64_t sim_driver_copied(void);
/* Returns what went wrong: overwritten guard bytes, misuse (such as a copy from pageable memory, or
 * a call without a context), and the last failed kernel's report; "" if nothing went wrong. */
const char *sim_driver_report(void);

#endif
