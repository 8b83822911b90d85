/* fail_calls: see fail_calls.h. */
#include "fail_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim_driver.h"
#include "test.h"

#define CALLS_MAX 4000u

static bool may_end(const struct fail_work *work, enum trawl_engine engine,
                    enum trawl_status status, const struct trawl_error *error)
{
    bool device = status == TRAWL_ENGINE || status == TRAWL_DEVICE || status == TRAWL_MEMORY;

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
                                      : may_end(work, engine, status, &error));
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

uint64_t fail_calls(const struct fail_work *work)
{
    static const int codes[] = {CUDA_CODE_OUT_OF_MEMORY, CUDA_CODE_LAUNCH_FAILED};
    static const enum trawl_engine engines[] = {TRAWL_ENGINE_CUDA, TRAWL_ENGINE_AUTO};
    uint64_t failed = 0, turn = test_setting("TRAWL_TEST_SEED", 1);

    /* In a normal run each engine meets one code once, and the other from a call on; under
     * sanitizers one engine meets one code once, and the other one the same from a call on. */
    for (uint32_t c = 0; c < 2; c++)
        for (uint32_t persistent = 0; persistent < 2; persistent++)
            for (uint32_t e = 0; e < 2; e++)
                if (test_amount(1, 2) > 1 ||
                    ((c + persistent + e + turn) % 2 == 0 && (!TEST_SANITIZED || c == turn % 2)))
                    failed += fail_each(work, engines[e], codes[c], persistent != 0);
    return failed;
}
