/* fail_calls: see fail_calls.h. */
#include "fail_calls.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "sim_driver.h"
#include "test.h"

#define CALLS_MAX 4000u

/* With what the driver said; 0: nothing. Only a driver without memory makes it a lack of memory:
 * the suite had missed a fault that was taken for a device without room. */
static bool may_end(const struct fail_work *work, enum trawl_engine engine, int code,
                    enum trawl_status status, const struct trawl_error *error)
{
    bool device = status == TRAWL_ENGINE || status == TRAWL_DEVICE ||
                  (status == TRAWL_MEMORY && code != CUDA_CODE_LAUNCH_FAILED);

    return ((device && engine == TRAWL_ENGINE_CUDA) ||
            (status == TRAWL_UNSUPPORTED && work->unsupported)) &&
           error->status == status && error->message[0] != '\0';
}

static uint64_t fail_each(const struct fail_work *work, enum trawl_engine engine, int code,
                          bool persistent)
{
    bool has_other_way = engine == TRAWL_ENGINE_AUTO || work->unsupported;
    uint64_t nth = 0, calls, failed = 0;

    do {
        struct trawl_error error;
        enum trawl_status status;

        memset(&error, 0, sizeof error);
        sim_driver_reset_usual(++nth);
        sim_driver_fail(nth, code, persistent);
        status = work->once(work->context, engine, false, &error);
        calls = sim_driver_calls();
        failed += status != TRAWL_OK;
        TEST_CHECK(status == TRAWL_OK ? has_other_way || sim_driver_needed() == NULL
                                      : may_end(work, engine, code, status, &error));
        if (!TEST_CHECK(sim_driver_report()[0] == '\0') || !TEST_CHECK(sim_driver_live() == 0))
            printf("  call %" PRIu64 ", code %d%s: %s; %s\n", nth, code,
                   persistent ? " and after" : "", error.message, sim_driver_report());
        if (!persistent && calls >= nth) {
            sim_driver_reset_usual(nth);
            sim_driver_fail(nth, code, false);
            (void)work->once(work->context, engine, true, &error);
            TEST_CHECK_U64(sim_driver_live(), 0);
        }
    } while (nth <= calls && nth < CALLS_MAX && test_failures < 5);
    TEST_CHECK(nth < CALLS_MAX);
    return failed;
}

static struct {
    _Atomic uint64_t taken, live;
    uint64_t fail_nth;
    bool persistent;
} memory;

static void *memory_take(void *context, uint64_t bytes, uint64_t alignment)
{
    uint64_t taken = atomic_fetch_add(&memory.taken, 1) + 1;
    void *pointer = NULL;

    (void)context;
    if (memory.persistent ? taken >= memory.fail_nth : taken == memory.fail_nth)
        return NULL;
    if (posix_memalign(&pointer, (size_t)alignment, (size_t)bytes) != 0)
        return NULL;
    atomic_fetch_add(&memory.live, 1);
    return pointer;
}

static void memory_give_back(void *context, void *pointer, uint64_t bytes)
{
    (void)context;
    (void)bytes;
    atomic_fetch_sub(&memory.live, 1);
    free(pointer);
}

static uint64_t fail_each_block(const struct fail_work *work, enum trawl_engine engine,
                                bool persistent)
{
    const struct trawl_allocator failing = {NULL, memory_take, memory_give_back};
    uint64_t nth = 0, failed = 0;

    do {
        struct trawl_error error = {.status = TRAWL_OK};
        enum trawl_status status;

        memory.taken = memory.live = 0;
        memory.fail_nth = ++nth;
        memory.persistent = persistent;
        sim_driver_reset_usual(nth);
        sim_driver_fail(0, 0, false);
        trawl_set_allocator(&failing);
        status = work->once(work->context, engine, false, &error);
        failed += status != TRAWL_OK;
        TEST_CHECK(status == TRAWL_OK || may_end(work, engine, 0, status, &error) ||
                   status == TRAWL_MEMORY);
        if (!TEST_CHECK(sim_driver_report()[0] == '\0') || !TEST_CHECK(sim_driver_live() == 0) ||
            !TEST_CHECK_U64(memory.live, 0))
            printf("  block %" PRIu64 "%s: %s; %s\n", nth, persistent ? " and after" : "",
                   error.message, sim_driver_report());
        trawl_set_allocator(NULL);
    } while (memory.taken >= nth && nth < CALLS_MAX && test_failures < 5);
    TEST_CHECK(nth < CALLS_MAX);
    return failed;
}

uint64_t fail_blocks(const struct fail_work *work)
{
    return fail_each_block(work, TRAWL_ENGINE_CUDA, false) +
           fail_each_block(work, TRAWL_ENGINE_CUDA, true) +
           fail_each_block(work, TRAWL_ENGINE_AUTO, false) +
           fail_each_block(work, TRAWL_ENGINE_AUTO, true);
}

uint64_t fail_calls(const struct fail_work *work)
{
    static const int codes[] = {CUDA_CODE_OUT_OF_MEMORY, CUDA_CODE_LAUNCH_FAILED};
    static const enum trawl_engine engines[] = {TRAWL_ENGINE_CUDA, TRAWL_ENGINE_AUTO};
    uint64_t failed = 0;

    /* In a normal run one engine meets one code once, and the other one the same from a call on. */
    for (uint32_t c = 0; c < 2; c++)
        for (uint32_t persistent = 0; persistent < 2; persistent++)
            for (uint32_t e = 0; e < 2; e++)
                if (test_turn(c, 2) && test_turn(persistent + e, 2))
                    failed += fail_each(work, engines[e], codes[c], persistent != 0);
    for (uint32_t e = 0; e < 2; e++)
        TEST_CHECK(fail_each_block(work, engines[e], test_turn(e, 2)) > 4);
    return failed;
}
