/* sim_host: objects that tests open on the simulated driver. */
#include "sim_host.h"

#include "calls.h"
#include "sim_driver.h"

void host_devices(uint32_t devices)
{
    struct sim_driver_options options = {1, devices, 16u << 20, 2, 0, 0, 0};

    sim_driver_reset(&options);
}

void host_open(struct host *host, enum trawl_engine engine, uint32_t threads, uint64_t chunk_bytes)
{
    host->runtime = must_runtime(engine, threads, 0);
    host->searcher = must_searcher_of(host->runtime, chunk_bytes);
}

void host_close(struct host *host)
{
    trawl_searcher_close(host->searcher);
    MUST(trawl_runtime_close(host->runtime, NULL));
    host_check_driver();
}

struct trawl_searcher *host_searcher(enum trawl_engine engine, uint32_t threads,
                                     uint64_t chunk_bytes, struct trawl_error *error)
{
    struct trawl_searcher *searcher = NULL;

    return trawl_searcher_open(
               SEARCHER_WITH(.engine = engine, .threads = threads, .chunk_bytes = chunk_bytes),
               &searcher, error) == TRAWL_OK
               ? searcher
               : NULL;
}

void host_check_driver(void)
{
    TEST_CHECK_U64(sim_driver_live(), 0);
    if (!TEST_CHECK(sim_driver_has_lost() || sim_driver_report()[0] == '\0'))
        printf("  %s\n", sim_driver_report());
}
