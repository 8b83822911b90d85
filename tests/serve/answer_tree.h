/* answer_tree: the tree that answers are tested with, and the server's collection of the tree. */
#ifndef TESTS_SERVE_ANSWER_TREE_H
#define TESTS_SERVE_ANSWER_TREE_H

#include "tests/serve/collection_tree.h"

static const char *const words[] = {
    "needle", "Needle", "in", "a", "haystack", "x", "\xc3\xa9t\xc3\xa9",
    "foo",    "foobar", "",   "1", "  lead"};

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
    put("empty", "");
    write_bytes("zeros.bin", 0, "in a needle\n\0needle\nfoo\n", 24);
    put("src/wrong.txt", "needle \xff\xfe in\nfoo\n");
    write_bytes("utf16.txt", 0, "\xff\xfen\0e\0e\0d\0l\0e\0\n\0", 16);
    put("docs/name\xff", "needle\n");
    put(".ignore", "*.md\n");
    put("strings", "foo\nneedle\n\n");
    write_bytes(
        "docs/zip.gz", 0, /* three times: a needle in, foo, needle foobar */
        "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x4b\x54\xc8\x4b\x4d\x4d\xc9\x49\x55\xc8\xcc\xe3\x4a"
        "\xcb\xcf\xe7\x82\xf2\x80\xcc\xa4\xc4\x22\xae\x44\x0a\x64\x01\xa6\x15\x80\x83\x5a\0\0",
        46);
}

#endif
