/* saved_test: sets that a program saved, not the command, given to the command. The other tests of
 * saved sets save them with the command, which saves none with errors. saved_test TRAWL */
#include "test.h"
#include "trawl.h"

#include <unistd.h>

static const char *command;

/* Save "abcd" with so many errors allowed, and let the command look for it in "abxd". The status is
 * returned, and what is printed is in `printed`. */
static int search_saved(uint32_t mismatches_max, char *printed, size_t printed_bytes)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_pattern pattern = {"abcd", 4};
    struct trawl_plan *plan = NULL;
    char name[] = "saved-XXXXXX", line[600];
    int descriptor = mkstemp(name), status = -1;
    FILE *pipe;
    size_t got = 0;

    options.mismatches_max = mismatches_max;
    if (TEST_CHECK(descriptor >= 0 &&
                   trawl_plan_build(&pattern, 1, &options, &plan, NULL) == TRAWL_OK &&
                   trawl_plan_save(plan, name, NULL, NULL) == TRAWL_OK)) {
        (void)snprintf(line, sizeof line, "printf 'abxd\\nabcd\\n' | '%s' -f %s 2>&1", command,
                       name);
        pipe = popen(line, "r");
        if (TEST_CHECK(pipe != NULL)) {
            got = fread(printed, 1, printed_bytes - 1, pipe);
            status = pclose(pipe);
        }
    }
    printed[got] = '\0';
    trawl_plan_free(plan);
    (void)close(descriptor);
    (void)unlink(name);
    return status;
}

int main(int argument_count, char **arguments)
{
    char printed[600];

    if (argument_count != 2)
        return 2;
    command = arguments[1];
    test_begin("saved_test");
    TEST_CHECK(search_saved(0, printed, sizeof printed) == 0);
    TEST_CHECK(strcmp(printed, "abcd\n") == 0);
    /* It was searched without errors, and nothing said so. */
    TEST_CHECK(search_saved(1, printed, sizeof printed) == 2 << 8);
    TEST_CHECK(strstr(printed, "was saved with errors allowed") != NULL);
    return test_end();
}
