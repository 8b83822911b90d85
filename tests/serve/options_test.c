/* options_test: tests the server's command line: each option's default, value and limits, the names
 * of collections, and messages. test_http.py starts servers with some of these options. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/serve_options.h"
#include "tests/test.h"

#define WORDS_MAX 16
#define NONE UINT64_MAX

static char folder[] = "/tmp/serve_options.XXXXXX";

/* Reads a command line of words separated by blanks. */
static bool read_line(struct serve_options *options, const char *line, char *message)
{
    static char copy[512];
    char *rest = copy, *word, *arguments[WORDS_MAX];
    int count = 0;

    *message = '\0';
    (void)snprintf(copy, sizeof copy, "trawl-serve %s", line);
    while ((word = strsep(&rest, " ")) != NULL)
        if (*word != '\0')
            arguments[count++] = word;
    return serve_options_read(options, count, arguments, message);
}

/* Each option with a number or a size, its default, and its maximum; NONE: the value is a size. */
static const struct {
    const char *name;
    size_t offset;
    uint64_t normal, most;
} numbers[] = {
#define AT(member) offsetof(struct serve_options, member)
    {"--host-memory", AT(host_bytes), 0, NONE},
    {"--device-memory", AT(device_bytes), 0, NONE},
    {"--request-memory", AT(request_bytes), 0, NONE},
    {"--max-memory", AT(limits.memory_max), UINT64_C(1) << 30, NONE},
    {"--max-request", AT(limits.body_bytes_max), 16 << 20, NONE},
    {"--max-patterns", AT(limits.patterns_max), 1000000, UINT32_MAX},
    {"--max-results", AT(limits.results_max), 100000000, UINT32_MAX},
    {"--max-seconds", AT(limits.seconds_max), 600, UINT32_MAX},
    {"--max-queries", AT(http.queries_max), 256, UINT32_MAX},
    {"--max-connections", AT(http.connections_max), 1024, UINT32_MAX},
    {"--idle-seconds", AT(http.idle_seconds), 60, UINT32_MAX},
    {"--drain-seconds", AT(drain_seconds), 30, UINT32_MAX},
};

#define NUMBERS (sizeof numbers / sizeof *numbers)

static const struct {
    const char *name;
    size_t offset;
} texts[] = {{"--listen", AT(listen)},
             {"--token-file", AT(secrets.token)},
             {"--certificate", AT(secrets.certificate)},
             {"--key", AT(secrets.key)},
             {"--from", AT(from)},
             {"--until", AT(until)}};

#define TEXTS (sizeof texts / sizeof *texts)

static const void *member(const struct serve_options *options, size_t offset)
{
    return (const char *)options + offset;
}

/* Checks that all numbers and texts have their defaults, except the number and the text given. */
static void check_values(const char *line, size_t number, uint64_t value, size_t text,
                         const char *words)
{
    struct serve_options options;
    char message[SETTINGS_ERROR_BYTES];

    if (!TEST_CHECK(read_line(&options, line, message)))
        printf("  %s: %s\n", line, message);
    for (size_t i = 0; i < NUMBERS; i++)
        if (!TEST_CHECK_U64(*(const uint64_t *)member(&options, numbers[i].offset),
                            i == number ? value : numbers[i].normal))
            printf("  %s with %s\n", numbers[i].name, line);
    for (size_t i = 0; i < TEXTS; i++) {
        const char *got = *(const char *const *)member(&options, texts[i].offset);

        TEST_CHECK(i == text ? got != NULL && strcmp(got, words) == 0 : got == NULL);
    }
    TEST_CHECK(!options.help && !options.version && !options.manual);
    TEST_CHECK(options.settings.files.directories == DIRECTORIES_RECURSE);
    TEST_CHECK(options.settings.surroundings.charset == CHARSET_UTF8);
    TEST_CHECK(options.root_count == 1 && strcmp(options.roots[0].path, folder) == 0 &&
               strcmp(options.roots[0].name, folder + 5) == 0);
    serve_options_free(&options);
}

static void check_refused(const char *line, const char *words)
{
    struct serve_options options;
    char message[SETTINGS_ERROR_BYTES];

    if (!TEST_CHECK(!read_line(&options, line, message) && strstr(message, words) != NULL))
        printf("  %s: '%s'\n", line, message);
    serve_options_free(&options);
}

static void check_options(void)
{
    char line[512];

    check_values(folder, NONE, 0, NONE, NULL);
    for (size_t i = 0; i < NUMBERS; i++) {
        const char *name = numbers[i].name;
        bool is_size = numbers[i].most == NONE;
        uint64_t most = is_size ? UINT64_C(3) << 30 : numbers[i].most;

        (void)snprintf(line, sizeof line, "%s=1 %s", name, folder);
        check_values(line, i, 1, NONE, NULL);
        (void)snprintf(line, sizeof line, "%s %s %s", folder, name, is_size ? "3G" : "4294967295");
        check_values(line, i, most, NONE, NULL);
        (void)snprintf(line, sizeof line, "%s=0 %s", name, folder);
        check_refused(line, is_size ? "'0' is out of range" : "'0' is not from 1 to 4294967295");
        (void)snprintf(line, sizeof line, "%s=%s %s", name, is_size ? "3Q" : "4294967296", folder);
        check_refused(line, name);
        (void)snprintf(line, sizeof line, "%s %s", folder, name);
        check_refused(line, "requires an argument");
    }
    for (size_t i = 0; i < TEXTS; i++) {
        (void)snprintf(line, sizeof line, "%s=x=y %s", texts[i].name, folder);
        check_values(line, NONE, 0, i, "x=y");
        (void)snprintf(line, sizeof line, "%s --help %s", texts[i].name, folder);
        check_values(line, NONE, 0, i, "--help");
        (void)snprintf(line, sizeof line, "%s= %s", texts[i].name, folder);
        check_values(line, NONE, 0, i, "");
        (void)snprintf(line, sizeof line, "%s %s", folder, texts[i].name);
        check_refused(line, "requires an argument");
        (void)snprintf(line, sizeof line, "%sx=y %s", texts[i].name, folder);
        check_refused(line, "unrecognized option");
    }
}

static void check_documents(void)
{
    static const char *const names[] = {"--help", "--version", "--generate=man"};
    struct serve_options options;
    char message[SETTINGS_ERROR_BYTES], line[64];

    for (unsigned i = 0; i < 3; i++) {
        TEST_CHECK(read_line(&options, names[i], message)); /* needs no operand */
        TEST_CHECK(options.help == (i == 0) && options.version == (i == 1) &&
                   options.manual == (i == 2) && options.root_count == 0);
        serve_options_free(&options);
        (void)snprintf(line, sizeof line, "%s=x", names[i]);
        check_refused(line, "option");
    }
}

/* Checks the names of collections. A row has a command line, and either the collections' names and
 * paths, or a message. */
static void check_roots(void)
{
    static const struct {
        const char *line, *names[3], *paths[3], *message;
    } rows[] = {
        {"", {NULL}, {NULL}, "there are no files to serve"},
        {"sub a", {"sub", "a"}, {"sub", "a"}, NULL},
        {"x=sub y=sub", {"x", "y"}, {"sub", "sub"}, NULL},
        {"x=a=b ./a=b a=b/c", {"x", "a=b", "a"}, {"a=b", "./a=b", "b/c"}, NULL},
        {"sub/ a//", {"sub", "a"}, {"sub/", "a//"}, NULL},
        {"link .", {"sub", "NAME"}, {"link", "."}, NULL},
        {"/", {"root"}, {"/"}, NULL},
        {"-- sub -x", {"sub", "-x"}, {"sub", "-x"}, NULL},
        {"sub x=sub link", {NULL}, {NULL}, "link: there already is a collection 'sub': choose"},
        {"sub=a sub", {NULL}, {NULL}, "sub: there already is a collection 'sub'"},
        {"=sub", {NULL}, {NULL}, "=sub: No such file"},
        {"x=", {NULL}, {NULL}, ": No such file"},
        {"sub none", {NULL}, {NULL}, "none: No such file"},
        {"-- --help", {NULL}, {NULL}, "--help: No such file"},
        {"-n sub", {NULL}, {NULL}, "'--line-number' is not one of the server's: it belongs to a"},
        {"--hidden -r sub", {NULL}, {NULL}, "'--recursive' is not one of the server's"},
        {"-2 sub", {NULL}, {NULL}, "is not one of the server's"},
        {"-jx sub", {NULL}, {NULL}, "-j (--threads): 'x' is not a number"},
        {"--include=*.c --exclude-dir=s --hidden --search-zip -tc -j2 sub", {"sub"}, {"sub"}, NULL},
        {"-y sub", {NULL}, {NULL}, "option '--ignore-case' is not one of the server's"},
    };
    struct serve_options options;
    char message[SETTINGS_ERROR_BYTES];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t count = 0;

        if (rows[i].message != NULL) {
            check_refused(rows[i].line, rows[i].message);
            continue;
        }
        if (!TEST_CHECK(read_line(&options, rows[i].line, message)))
            printf("  %s: %s\n", rows[i].line, message);
        for (; count < 3 && rows[i].names[count] != NULL && count < options.root_count; count++) {
            const char *name = rows[i].names[count];

            name = strcmp(name, "NAME") == 0 ? folder + 5 : name;
            if (!TEST_CHECK(strcmp(options.roots[count].name, name) == 0 &&
                            strcmp(options.roots[count].path, rows[i].paths[count]) == 0))
                printf("  %s: %s\n", rows[i].line, options.roots[count].name);
        }
        TEST_CHECK(count > 0 && options.root_count == count);
        serve_options_free(&options);
    }
}

int main(void)
{
    char command[sizeof folder + 16];

    test_begin("serve_options");
    setenv("LC_ALL", "C", 1);
    TEST_CHECK(mkdtemp(folder) != NULL && chdir(folder) == 0);
    for (const char *const *name = (const char *const[]){"sub", "a", "a=b", "b", "b/c", "-x", NULL};
         *name != NULL; name++)
        TEST_CHECK(mkdir(*name, 0700) == 0);
    TEST_CHECK(symlink("sub", "link") == 0);
    check_options();
    check_documents();
    check_roots();
    TEST_CHECK(chdir("/") == 0);
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    TEST_CHECK(system(command) == 0);
    return test_end();
}
