/* gpu_forms: every form of answer on real devices, in the random sessions of tests/sim/forms_test.c
 * with longer texts. Each session has different sizes of buffers, lists and gaps.
 *
 * TRAWL_TEST_CASE=N runs only session N. TRAWL_TEST_SECONDS=N: begins no session after N seconds.
 */
#include <time.h>

#include "calls.h"
#include "gpu/gpu.h"
#include "sim/forms_case.h"

#define SESSIONS_NORMAL 600
#define SESSIONS_LONG 12000
#define SESSIONS_TELLING 200 /* after these, each form was answered by devices */

static struct forms_tally tally;

static void session(struct forms_machine *machine, uint64_t index)
{
    /* one session in eight has texts with many tiles, and lists with many words */
    const struct forms_sizes sizes[] = {{9000, 20000}, {300000, 200000}};
    struct test_random random = test_random_begin("gpu forms");
    struct forms_setting setting;

    random.state ^= index * 0x2545f4914f6cdd1du;
    setting.sizes = sizes[test_random_one_in(&random, 8)];
    forms_draw(&random, &setting);
    if (!TEST_CHECK(forms_session(machine, &setting, &random, index, &tally)))
        printf("  session %" PRIu64 "\n", index);
}

int main(void)
{
    uint64_t only = test_setting("TRAWL_TEST_CASE", UINT64_MAX), i;
    uint64_t seconds = test_setting("TRAWL_TEST_SECONDS", UINT64_MAX);
    uint64_t sessions = test_amount(SESSIONS_NORMAL, SESSIONS_LONG);
    time_t begin = time(NULL);
    struct forms_machine machine;
    struct cuda_driver driver;
    int devices = 0;

    test_begin("gpu forms");
    engine_cuda.close(gpu_open());
    MUST(cuda_driver_open(&driver, NULL));
    TEST_CHECK(driver.init(0) == CUDA_CODE_OK && driver.device_count(&devices) == CUDA_CODE_OK);
    forms_machine_open(&machine, &driver,
                       (uint32_t)devices < FORMS_DEVICES_MAX ? (uint32_t)devices
                                                             : FORMS_DEVICES_MAX);
    for (i = 0; i < sessions && test_failures < TEST_FAILURES_IN_CASES_MAX; i++) {
        if (only != UINT64_MAX && i != only)
            continue;
        if ((uint64_t)(time(NULL) - begin) >= seconds)
            break;
        session(&machine, i);
    }
    forms_machine_close(&machine);
    cuda_driver_close(&driver);
    if (i < sessions && test_failures == 0)
        printf("out of time: %" PRIu64 " of %" PRIu64 " sessions were run\n", i, sessions);
    for (uint32_t form = 0; form < FORMS && only == UINT64_MAX && i >= SESSIONS_TELLING; form++)
        TEST_CHECK(tally.on_devices[form] > 0 || !forms_has(form));
    forms_tally_print(&tally);
    return test_end();
}
