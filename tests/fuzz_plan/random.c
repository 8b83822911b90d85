/* random: seeded random changes of saved plans. */
#include "fuzz/fuzz.h"
#include "test.h"

#define RANDOM_CASES 1500
#define RANDOM_LONG 100000

void fuzz_random(void)
{
    struct test_random random = test_random_begin("fuzz_plan");
    uint64_t cases = test_amount(RANDOM_CASES, RANDOM_LONG);

    for (uint64_t i = 0; i < cases; i++) {
        uint8_t bytes[1 + 6 * 4];
        size_t count = 1 + 6 * test_random_below(&random, 5);

        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)test_random_u64(&random);
        if (test_random_below(&random, 16) > 0) {
            uint64_t plan = test_random_below(&random, 9);

            bytes[0] = (uint8_t)(plan + (plan >= 5)); /* the sixth plan is large */
        }
        TEST_CHECK(LLVMFuzzerTestOneInput(bytes, count) == 0);
    }
}
