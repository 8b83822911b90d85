/* replay: the kept corpus and seeded random changes of saved plans, in any build, without a fuzzer.
 */
#include "plans.h"

#include <dirent.h>

#include "test.h"

#define INPUT_BYTES_MAX 65536
#define RANDOM_CASES 1500
#define RANDOM_LONG 100000

static void replay_folder(const char *path)
{
    static uint8_t bytes[INPUT_BYTES_MAX];
    DIR *folder = opendir(path);
    struct dirent *entry;
    char name[1024];

    if (!TEST_CHECK(folder != NULL))
        return;
    while ((entry = readdir(folder)) != NULL) {
        FILE *file;

        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        printf("%s\n", name); /* before: a failure aborts */
        file = fopen(name, "rb");
        if (!TEST_CHECK(file != NULL))
            continue;
        TEST_CHECK(LLVMFuzzerTestOneInput(bytes, fread(bytes, 1, sizeof bytes, file)) == 0);
        (void)fclose(file);
    }
    closedir(folder);
}

int main(int argument_count, char **arguments)
{
    struct test_random random = test_random_begin("fuzz_plan");
    uint64_t cases = test_amount(RANDOM_CASES, RANDOM_LONG);

    test_begin("fuzz_plan");
    for (int i = 1; i < argument_count; i++)
        replay_folder(arguments[i]);
    for (uint64_t i = 0; i < cases; i++) {
        uint8_t bytes[1 + 6 * 4];
        size_t count = 1 + 6 * test_random_below(&random, 5);

        for (size_t j = 0; j < sizeof bytes; j++)
            bytes[j] = (uint8_t)test_random_u64(&random);
        if (test_random_below(&random, 16) > 0)
            bytes[0] = (uint8_t)test_random_below(&random, 5); /* the sixth plan is large */
        TEST_CHECK(LLVMFuzzerTestOneInput(bytes, count) == 0);
    }
    return test_end();
}
