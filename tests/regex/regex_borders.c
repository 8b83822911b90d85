/* regex_borders: sets the sizes of the engines down, so that short texts have many borders. */
#include "diff/borders.h"
#include "regex/engine_regex.h"

void borders_set(uint64_t seed);
void borders_set_part(uint64_t hits);

void borders_set(uint64_t seed)
{
    struct test_random random = {seed};

    regex_step_bytes = test_random_between(&random, 1, 400);
    if (test_random_one_in(&random, 2))
        regex_step_bytes = 64 << 10;
    regex_part_hits =
        test_random_one_in(&random, 2) ? ENGINE_HITS_MAX : test_random_between(&random, 1, 9);
    borders_draw(&random);
}

/* Lets a result hold this many hits, of expressions and of atoms, with all other sizes as users
 * have them. */
void borders_set_part(uint64_t hits)
{
    cpu_sizes = cpu_sizes_default;
    cpu_sizes.hits = regex_part_hits = hits;
    regex_step_bytes = 64 << 10;
}
