/* host: see host.h. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

#include "sim_driver.h"
#include "test.h"

void host_open(struct host *host, enum trawl_engine engine, uint32_t threads, uint64_t chunk_bytes)
{
    struct trawl_runtime_options options = TRAWL_RUNTIME_OPTIONS_INIT;
    struct trawl_searcher_options searching = TRAWL_SEARCHER_OPTIONS_INIT;

    options.engine = engine;
    options.threads = threads;
    if (!TEST_CHECK(trawl_runtime_open(&options, &host->runtime, NULL) == TRAWL_OK))
        exit(1);
    searching.runtime = host->runtime;
    searching.chunk_bytes = chunk_bytes;
    if (!TEST_CHECK(trawl_searcher_open(&searching, &host->searcher, NULL) == TRAWL_OK))
        exit(1);
}

void host_close(struct host *host)
{
    trawl_searcher_close(host->searcher);
    TEST_CHECK(trawl_runtime_close(host->runtime, NULL) == TRAWL_OK);
    host_check_driver();
}

struct trawl_searcher *host_searcher(enum trawl_engine engine, uint32_t threads,
                                     uint64_t chunk_bytes, struct trawl_error *error)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;

    options.engine = engine;
    options.threads = threads;
    options.chunk_bytes = chunk_bytes;
    return trawl_searcher_open(&options, &searcher, error) == TRAWL_OK ? searcher : NULL;
}

void host_check_driver(void)
{
    TEST_CHECK_U64(sim_driver_live(), 0);
    if (!TEST_CHECK(sim_driver_has_lost() || sim_driver_report()[0] == '\0'))
        printf("  %s\n", sim_driver_report());
}
