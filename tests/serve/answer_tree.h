/* answer_tree: the tree that answers are tested with, and the server's collection of the tree. */
#ifndef TESTS_SERVE_ANSWER_TREE_H
#define TESTS_SERVE_ANSWER_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

#include "tests/serve/answer_ask.h"
#include "tests/test.h"

static const char *const words[] = {
    "needle", "Needle", "in", "a", "haystack", "x", "\xc3\xa9t\xc3\xa9",
    "foo",    "foobar", "",   "1", "  lead"};

static void write_bytes(const char *name, const void *bytes, size_t bytes_count)
{
    FILE *file = fopen(name, "wb");

    TEST_CHECK(file != NULL && fwrite(bytes, 1, bytes_count, file) == bytes_count);
    fclose(file);
}

static void write_random(struct test_random *random, const char *name, uint64_t lines)
{
    FILE *file = fopen(name, "wb");

    TEST_CHECK(file != NULL);
    for (uint64_t i = 0; i < lines; i++) {
        for (uint64_t j = test_random_below(random, 6); j > 0; j--)
            fprintf(file, "%s ", words[test_random_below(random, sizeof words / sizeof *words)]);
        if (i + 1 < lines || test_random_one_in(random, 2))
            fputs(test_random_one_in(random, 10) ? "\r\n" : "\n", file);
    }
    fclose(file);
}

static void make_tree(struct test_random *random)
{
    static const char *const folders[] = {".", "src", "src/deep", "docs", ".hidden"};
    char name[64];

    for (size_t i = 1; i < sizeof folders / sizeof *folders; i++)
        TEST_CHECK(mkdir(folders[i], 0777) == 0);
    for (int i = 0; i < 40; i++) {
        static const char *const ends[] = {"c", "h", "txt", "md"};

        snprintf(name, sizeof name, "%s/f%d.%s", folders[i % 5], i, ends[i % 4]);
        write_random(random, name, test_random_below(random, i % 7 == 0 ? 400 : 12));
    }
    write_bytes("empty", "", 0);
    write_bytes("zeros.bin", "in a needle\n\0needle\nfoo\n", 24);
    write_bytes("src/wrong.txt", "needle \xff\xfe in\nfoo\n", 18);
    write_bytes("utf16.txt", "\xff\xfen\0e\0e\0d\0l\0e\0\n\0", 16);
    write_bytes("docs/name\xff", "needle\n", 7);
    write_bytes(".ignore", "*.md\n", 5);
    write_bytes("strings", "foo\nneedle\n\n", 12);
    write_bytes(
        "docs/zip.gz", /* three times: a needle in, foo, needle foobar */
        "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x4b\x54\xc8\x4b\x4d\x4d\xc9\x49\x55\xc8\xcc\xe3\x4a"
        "\xcb\xcf\xe7\x82\xf2\x80\xcc\xa4\xc4\x22\xae\x44\x0a\x64\x01\xa6\x15\x80\x83\x5a\0\0",
        46);
}

/* Opens a collection that holds at most so many bytes of files (0: all files) and unpacks
 * compressed files. */
static struct collection *open_tree(const char *root, uint64_t host_bytes_max)
{
    static char *arguments[] = {(char *)(uintptr_t) "trawl", (char *)(uintptr_t) "--search-zip",
                                NULL};
    static struct settings settings;
    struct collection_options options = {.name = "tree",
                                         .root = root,
                                         .settings = &settings,
                                         .runtime = server.runtime,
                                         .host_bytes_max = host_bytes_max,
                                         .watch = true};
    struct collection *collection = NULL;
    char message[SETTINGS_ERROR_BYTES] = "";

    TEST_CHECK(flags_parse(&settings, NULL, 2, arguments, false));
    if (!TEST_CHECK(collection_open(&collection, &options, message)))
        printf("  %s\n", message);
    return collection;
}

static int take_away(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

#endif
