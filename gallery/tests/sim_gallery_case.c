/* sim_gallery_case: runs a random case of the gallery on the simulated driver, with its own engine.
 */
#include "gallery_case.h"

bool gallery_case_run(const char *name, uint64_t index, uint32_t switches_max,
                      struct gallery_case_tally *tally)
{
    struct test_random random = test_random_begin(name);
    struct diff_expected expected;
    enum cuda_case_answer answer;
    struct cuda_case config;
    uint64_t setups = 0;
    bool passed;

    while (gallery_setups[setups] != NULL)
        setups++;
    random.state ^= index * 0x2545f4914f6cdd1du;
    passed = sim_case_run(&random, &gallery_case_kind, gallery_setups[index % setups], index,
                          switches_max, &expected, &config, &answer);
    gallery_case_count(tally, index % setups, answer, &expected);
    expected_free(&expected);
    return passed;
}
