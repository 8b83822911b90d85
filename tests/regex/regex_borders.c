/* regex_borders: sets the sizes of the engines down, so that short texts have many borders. */
#include "diff/borders.h"
#include "regex/engine_regex.h"

void borders_set(uint64_t seed);
void borders_set(uint64_t seed)
{
    struct test_random random = {seed};

    regex_step_bytes = test_random_between(&random, 1, 400);
    if (test_random_one_in(&random, 2))
        regex_step_bytes = 64 << 10;
    borders_draw(&random);
}
