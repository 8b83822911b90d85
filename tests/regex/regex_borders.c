/* regex_borders: gives tests of expressions access to the engines' sizes, which they lower so that
 * short texts have many boundaries. */
#include "cuda/limits.h"
#include "diff/borders.h"
#include "regex/engine_regex.h"
#include "regex/groups.h"
#include "regex/lazy.h"
#include "regex/reach.h"
#include "runtime/schedule.h"

void borders_set(uint64_t seed);
void borders_set_device(uint64_t seed);
void borders_set_part(uint64_t hits);
void borders_set_states(uint32_t states);

void borders_set(uint64_t seed)
{
    struct test_random random = {seed};

    regex_step_bytes = test_random_between(&random, 1, 400);
    if (test_random_one_in(&random, 2))
        regex_step_bytes = 64 << 10;
    regex_ways =
        test_random_one_in(&random, 2) ? UINT32_MAX : 1u << test_random_below(&random, WAYS);
    reach_window_chars =
        test_random_one_in(&random, 2) ? 2048 : test_random_between(&random, 1, 99);
    lazy_sizes = (struct lazy_sizes){1 << 15, 4096};
    judge_again = test_random_one_in(&random, 2) ? 64 : 0;
    groups_bits = test_random_one_in(&random, 2) ? 256 << 10 : test_random_between(&random, 0, 99);
    regex_runs_pause = test_random_one_in(&random, 2)   ? 0
                       : test_random_one_in(&random, 2) ? 2
                                                        : UINT32_MAX;
    if (test_random_one_in(&random, 2))
        lazy_sizes = (struct lazy_sizes){
            (uint32_t)test_random_between(&random, 4, 40),
            (uint32_t)test_random_between(&random, 0, test_random_one_in(&random, 2) ? 0 : 2000)};
    borders_draw(&random);
}

/* An engine returns hits in portions. Limits a portion to this many hits, both of expressions and
 * of the strings with which the engine searches for them. All other sizes have their defaults. */
void borders_set_part(uint64_t hits)
{
    cpu_sizes = cpu_sizes_default;
    cpu_sizes.hits = hits;
    regex_step_bytes = 64 << 10;
    regex_ways = UINT32_MAX;
    judge_again = 64;
    lazy_sizes = (struct lazy_sizes){1 << 15, 4096};
    regex_runs_pause = 16;
}

/* Lets the automaton read everything, with so few states that it forgets them often. */
void borders_set_states(uint32_t states)
{
    borders_set_part(cpu_sizes_default.hits);
    regex_ways = 1u << WAY_AUTOMATON;
    lazy_sizes = (struct lazy_sizes){states, 1 << 20};
}

/* Makes the sizes of simulated devices, and the chunks of loaded texts, small, and lets texts be
 * split over several devices. */
void borders_set_device(uint64_t seed)
{
    struct test_random random = {seed};
    struct cuda_limits limits = cuda_limits_default;

    limits.threads = 32;
    limits.tile_words_max = 32;
    limits.blocks_max = test_random_between(&random, 1, 3);
    limits.hits_room_min = test_random_between(&random, 1, 100);
    limits.hits_max = test_random_between(&random, 1, test_random_one_in(&random, 2) ? 9 : 3000);
    limits.split_bytes_min = test_random_between(&random, 1, 1000);
    limits.stripe_bytes = test_random_between(&random, 100, 1000);
    limits.split_overlap = 64;
    cuda_limits_replace(&limits);
    resident_sizes = resident_sizes_default;
    if (test_random_one_in(&random, 2))
        resident_sizes = (struct resident_sizes){.first = test_random_between(&random, 100, 3000),
                                                 .min = 100,
                                                 .max = 3000,
                                                 .shared = 100,
                                                 .hits = 20,
                                                 .helped = 16,
                                                 .host = UINT32_MAX - 1};
}
