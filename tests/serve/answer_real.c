/* answer_real: replaces answer_fakes by the server's own collection and passes. */
#include "serve/collection.h"
#include "tests/serve/answer_fakes.h"
#include "tests/test.h"

const bool fake_is_real = true;
unsigned fake_held_share;
atomic_bool fake_pass_hangs;

struct collection *fake_collection(const char *name, const char *root,
                                   struct trawl_runtime *runtime)
{
    static char *arguments[] = {(char *)(uintptr_t) "trawl", NULL};
    static struct settings settings;
    struct collection_options options = {
        .name = name, .root = root, .settings = &settings, .runtime = runtime, .watch = true};
    struct collection *collection = NULL;
    char message[SETTINGS_ERROR_BYTES] = "";

    TEST_CHECK(flags_parse(&settings, NULL, 1, arguments, false));
    if (!TEST_CHECK(collection_open(&collection, &options, message)))
        printf("  %s\n", message);
    return collection;
}

void fake_close(struct collection *collection)
{
    collection_close(collection);
}
