/* random: seeded random command lines made of the table's own options. */
#include "fuzz/fuzz.h"
#include "test.h"
#include "trawl/flags.h"

#define RANDOM_CASES 200000
#define RANDOM_LONG 10000000
#define INPUT_BYTES_MAX 4096

static size_t add(uint8_t *bytes, size_t used, const char *text)
{
    size_t length = strlen(text);

    memcpy(bytes + used, text, length);
    return used + length;
}

/* One argument: an option, often cut short or with a value, or something else. */
static size_t random_argument(struct test_random *random, uint8_t *bytes, size_t used)
{
    static const char *const words[] = {"-", "--", "x", "3", "-12", "-v2", "", "always", "=", "-A"};
    const struct flag *flag = &flag_table[test_random_below(random, FLAG_COUNT_ALL)];
    size_t begin = used;

    if (test_random_below(random, 4) == 0)
        return add(bytes, used, words[test_random_below(random, sizeof words / sizeof words[0])]);
    if (flag->name != NULL && test_random_below(random, 2) == 0) {
        used = add(bytes, add(bytes, used, "--"), flag->name);
        if (test_random_below(random, 4) == 0)
            used = begin + 2 + test_random_below(random, used - begin - 2);
        if (test_random_below(random, 3) == 0)
            used = add(bytes, used, test_random_below(random, 2) == 0 ? "=5" : "=auto");
    } else if (flag->letter != 0) {
        bytes[used++] = '-';
        bytes[used++] = (uint8_t)flag->letter;
        if (test_random_below(random, 3) == 0)
            bytes[used++] = (uint8_t)flag_table[test_random_below(random, FLAG_COUNT_ALL)].letter;
    }
    return used;
}

void fuzz_random(void)
{
    struct test_random random = test_random_begin("fuzz_options");
    uint64_t cases = test_amount(RANDOM_CASES, RANDOM_LONG);

    for (uint64_t i = 0; i < cases; i++) {
        uint8_t bytes[INPUT_BYTES_MAX];
        size_t used = 0;
        uint64_t count = test_random_below(&random, 7);

        bytes[used++] = (uint8_t)test_random_u64(&random);
        for (uint64_t j = 0; j < count; j++) {
            used = random_argument(&random, bytes, used);
            bytes[used++] = '\0';
        }
        TEST_CHECK(LLVMFuzzerTestOneInput(bytes, used) == 0);
    }
}
