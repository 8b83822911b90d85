/* replay: every kept input once, in any build, without a fuzzer, and the target's random ones.
 * Arguments: files and folders. */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"
#include "test.h"

#define INPUT_BYTES_MAX 65536

__attribute__((weak)) void fuzz_random(void)
{
}

static void replay_file(const char *path)
{
    static uint8_t bytes[INPUT_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    uint8_t *exact;
    size_t count;

    if (!TEST_CHECK(file != NULL)) {
        perror(path);
        return;
    }
    count = fread(bytes, 1, sizeof bytes, file);
    (void)fclose(file);
    exact = malloc(count + (count == 0)); /* so that a sanitizer sees reads after it */
    memcpy(exact, bytes, count);
    printf("%s\n", path); /* before: a failure aborts */
    TEST_CHECK(LLVMFuzzerTestOneInput(exact, count) == 0);
    free(exact);
}

static void replay_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    char name[1024];

    if (!TEST_CHECK(folder != NULL))
        return;
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        replay_file(name);
    }
    closedir(folder);
}

int main(int argument_count, char **arguments)
{
    struct stat facts;

    test_begin("replay");
    for (int i = 1; i < argument_count; i++)
        if (stat(arguments[i], &facts) == 0 && S_ISDIR(facts.st_mode))
            replay_folder(arguments[i]);
        else
            replay_file(arguments[i]);
    fuzz_random();
    return test_end();
}
