/* replay: the kept corpus, and seeded random command lines made of the table's own options, through
 * the same check as the fuzzer's. */
#include <dirent.h>

#include "options.h"
#include "test.h"
#include "trawl/flags.h"

#define RANDOM_CASES 200000
#define INPUT_BYTES_MAX 4096

static void replay_file(const char *folder, const char *name)
{
    char path[4096];
    uint8_t bytes[INPUT_BYTES_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!TEST_CHECK(file != NULL))
        return;
    options_check(bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
}

static void replay_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;

    if (!TEST_CHECK(directory != NULL))
        return;
    while ((entry = readdir(directory)) != NULL)
        if (entry->d_name[0] != '.')
            replay_file(folder, entry->d_name);
    closedir(directory);
}

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

int main(int argument_count, char **arguments)
{
    struct test_random random = test_random_begin("fuzz_options");
    uint64_t cases = RANDOM_CASES * test_setting("TRAWL_TEST_SCALE", 1);

    for (int i = 1; i < argument_count; i++)
        replay_folder(arguments[i]);
    for (uint64_t i = 0; i < cases; i++) {
        uint8_t bytes[INPUT_BYTES_MAX];
        size_t used = 0;
        uint64_t count = test_random_below(&random, 7);

        bytes[used++] = (uint8_t)test_random_u64(&random);
        for (uint64_t j = 0; j < count; j++) {
            used = random_argument(&random, bytes, used);
            bytes[used++] = '\0';
        }
        options_check(bytes, used);
        test_checks++;
    }
    return test_end();
}
