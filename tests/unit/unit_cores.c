/* unit_cores: whether all are taken, and that helpers then come for long searches only. */
#include "base/cores.h"

#include <string.h>

#include "base/clock.h"
#include "runtime/schedule.h"
#include "runtime/search.h"
#include "calls.h"

#define THREADS 16u
#define MIB ((uint64_t)1 << 20)
#define MS ((uint64_t)1000000)

static void lines_of_loadavg(void)
{
    TEST_CHECK(cores_busy_by("0.65 3.27 6.56 3/412 9022\n", 2));
    TEST_CHECK(!cores_busy_by("0.65 3.27 6.56 2/412 9022\n", 2));
    TEST_CHECK(!cores_busy_by("12.00 9.00 9.00 1/17 2\n", 1));
    TEST_CHECK(cores_busy_by("0.00 0.00 0.00 129/4000 77\n", 128));
    TEST_CHECK(!cores_busy_by("0.00 0.00 0.00 129/4000 77\n", -1));
    TEST_CHECK(!cores_busy_by("", 1) && !cores_busy_by("9 9 9", 1) && !cores_busy_by("9 9 9 ", 1));
}

/* One MiB of the text was searched, in a millisecond: how many helpers? */
static uint32_t helpers_for(uint64_t text_bytes, bool taken)
{
    static struct trawl_runtime runtime;
    static struct trawl_searcher searcher;
    static struct sink sink = {.want = WANT_COUNT};
    static struct search search;

    memset(&runtime, 0, sizeof runtime);
    memset(&search, 0, sizeof search);
    runtime.threads_max = THREADS;
    atomic_store(&runtime.cores_taken, taken);
    atomic_store(&runtime.cores_seen_ns, clock_now_ns() + 3600 * 1000 * MS);
    searcher.runtime = &runtime;
    search.job.runtime = &runtime;
    search.searcher = &searcher;
    search.sink = &sink;
    search.schedule = SCHEDULE_HOST;
    search.text_bytes = text_bytes;
    atomic_store(&search.bytes_taken, MIB);
    atomic_store(&search.done.host.bytes, MIB);
    atomic_store(&search.done.host.search_ns, MS);
    return schedule_helpers(&search);
}

static void helpers(void)
{
    TEST_CHECK_U64(helpers_for(21 * MIB, false), 13); /* a millisecond and a half for each */
    TEST_CHECK_U64(helpers_for(21 * MIB, true), 0);   /* 20 ms are left: less than one waits */
    TEST_CHECK_U64(helpers_for(62 * MIB, true), 2);
    TEST_CHECK_U64(helpers_for(1024 * MIB, true), THREADS - 1);
}

int main(void)
{
    test_begin("cores");
    lines_of_loadavg();
    helpers();
    return test_end();
}
