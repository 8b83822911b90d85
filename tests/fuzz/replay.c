/* replay: runs a fuzz target without a fuzzer, in any build: on every input of the corpus, on the
 * same input with other settings, then on random changes of inputs. Arguments: files and folders of
 * the corpus. */
#include <dirent.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"
#include "test.h"

#define INPUT_BYTES_MAX 4096
#define KEPT_MAX 200
#define SETTINGS_BYTES 5u /* the first bytes of an input, whose low bits choose method, call... */
#define SETTINGS 16u
/* a short run under a sanitizer tries one setting in this many for each input, in turn */
#define SETTINGS_SHARE 4u
#define CHANGES_MAX 6
#define CHANGED_NORMAL 12000
#define CHANGED_LONG 300000

static struct kept {
    uint8_t bytes[INPUT_BYTES_MAX];
    size_t count;
} kept[KEPT_MAX];
static uint64_t kept_count;

static void replay_bytes(const uint8_t *bytes, size_t count)
{
    /* a block of exactly this size, so that a sanitizer sees reads beyond the end */
    uint8_t *exact = malloc(count + (count == 0));

    memcpy(exact, bytes, count);
    TEST_CHECK(LLVMFuzzerTestOneInput(exact, count) == 0);
    free(exact);
}

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct kept *input = &kept[kept_count];
    const uint8_t share = TEST_SANITIZED && test_divisor() >= 64 ? SETTINGS_SHARE : 1;

    if (!TEST_CHECK(file != NULL)) {
        perror(path);
        return;
    }
    if (!TEST_CHECK(kept_count++ < KEPT_MAX))
        exit(test_end());
    input->count = fread(input->bytes, 1, sizeof input->bytes, file);
    TEST_CHECK(input->count < sizeof input->bytes);
    (void)fclose(file);
    printf("%s\n", path); /* printed before the run, since a failure aborts */
    replay_bytes(input->bytes, input->count);
    for (size_t at = 0; at < SETTINGS_BYTES && at < input->count; at++) {
        const uint8_t own = input->bytes[at];

        for (uint8_t low = (uint8_t)(kept_count % share); low < SETTINGS; low += share) {
            input->bytes[at] = (uint8_t)((own & 0xf0) | low);
            printf("  byte %zu: 0x%02x\n", at, input->bytes[at]);
            replay_bytes(input->bytes, input->count);
        }
        input->bytes[at] = own;
    }
}

/* Changes an input: inserts, removes or changes a byte, or replaces the end with the end of a
 * different kept input. Returns the new number of bytes. */
static size_t change(struct test_random *random, uint8_t *bytes, size_t count)
{
    const struct kept *other = &kept[test_random_below(random, kept_count)];
    size_t at = (size_t)test_random_below(random, count + 1), more;

    switch (test_random_below(random, at < count ? 8 : 2)) {
    case 0:
        memmove(bytes + at + 1, bytes + at, count - at);
        bytes[at] = (uint8_t)test_random_u64(random);
        return count + 1;
    case 1:
        more = at < other->count ? other->count - at : 0;
        memcpy(bytes + at, other->bytes + other->count - more, more);
        return at + more;
    case 2:
        memmove(bytes + at, bytes + at + 1, count - at - 1);
        return count - 1;
    case 3:
        bytes[at] = (uint8_t)test_random_u64(random);
        return count;
    default:
        bytes[at] ^= (uint8_t)(1u << test_random_below(random, 8));
        return count;
    }
}

static void replay_changed(void)
{
    static uint8_t bytes[INPUT_BYTES_MAX + CHANGES_MAX];
    struct test_random random = test_random_begin("replay");
    uint64_t cases = kept_count == 0 ? 0 : test_amount(CHANGED_NORMAL, CHANGED_LONG);

    for (uint64_t i = 0; i < cases; i++) {
        const struct kept *of = &kept[test_random_below(&random, kept_count)];
        size_t count = of->count;

        memcpy(bytes, of->bytes, count);
        for (uint64_t changes = test_random_between(&random, 1, CHANGES_MAX); changes > 0;
             changes--)
            count = change(&random, bytes, count);
        printf("changed input %" PRIu64 ", %zu bytes\n", i, count);
        replay_bytes(bytes, count);
    }
}

/* Replays a folder's files in alphabetical order, which must be the same on each machine, since
 * replay_changed draws inputs by number. */
static void replay_folder(const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    char name[1024];

    TEST_CHECK(count > 2);
    for (int i = 0; i < count; i++) {
        (void)snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replay_file(name);
        free(entries[i]);
    }
    free(entries);
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
    replay_changed();
    return test_end();
}
