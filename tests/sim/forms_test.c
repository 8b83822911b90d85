/* forms_test: every form of answer on simulated devices. Each session has different sizes of
 * buffers, lists and gaps, another number of devices and another schedule.
 *
 * TRAWL_TEST_CASE=N runs only session N.
 */
#include "forms_case.h"
#include "calls.h"
#include "sim_driver.h"
#include "sim_host.h"

#define SESSIONS_NORMAL 120
#define SESSIONS_LONG 6000
#define SESSIONS_TELLING 60 /* after these, each form was answered by devices */

static struct forms_tally tally;

static void session(uint64_t index)
{
    struct sim_driver_options options = {index + 1, 1, 256u << 20, 2, 0, 0, 0};
    struct test_random random = test_random_begin("forms");
    struct forms_machine machine;
    struct forms_setting setting;

    random.state ^= index * 0x2545f4914f6cdd1du;
    options.devices =
        (uint32_t)(test_random_below(&random, 2) ? 1 : 1 + test_random_below(&random, 3));
    sim_driver_reset(&options);
    setting.sizes = (struct forms_sizes){6000, 3000};
    forms_draw(&random, &setting);
    forms_machine_open(&machine, sim_driver_table(), options.devices);
    if (!TEST_CHECK(forms_session(&machine, &setting, &random, index, &tally)))
        printf("  session %" PRIu64 "\n", index);
    forms_machine_close(&machine);
    host_check_driver();
}

int main(void)
{
    uint64_t sessions = test_amount_telling(SESSIONS_NORMAL, SESSIONS_LONG, SESSIONS_TELLING);
    bool all;

    test_begin("sim forms");
    cuda_driver_replace(sim_driver_table());
    all = test_cases(sessions, session);
    forms_tally_print(&tally);
    for (uint32_t i = 0; i < FORMS && all && sessions >= SESSIONS_TELLING; i++)
        TEST_CHECK(tally.on_devices[i] > 0 || !forms_has(i));
    return test_end();
}
