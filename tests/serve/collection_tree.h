/* collection_tree: makes trees of files that tests change, and collections of these trees. */
#ifndef TESTS_SERVE_COLLECTION_TREE_H
#define TESTS_SERVE_COLLECTION_TREE_H

#include <dirent.h>
#include <pthread.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults/faults_blocks.h"
#include "serve/inside.h"
#include "test.h"
#include "trawl/options/settings.h"

#define PATH_BYTES 512

static char top[PATH_BYTES]; /* the working directory, which contains all trees */
static char root[PATH_BYTES * 2];
static struct trawl_runtime *runtime;

/* ---- Trees ----------------------------------------------------------------------------------- */

static inline void write_bytes(const char *path, int flags, const void *bytes, size_t count)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);

    if (!TEST_CHECK(descriptor >= 0 && write(descriptor, bytes, count) == (ssize_t)count))
        printf("%s: %s\n", path, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
}

static inline void put(const char *path, const char *text)
{
    write_bytes(path, O_TRUNC, text, strlen(text));
}

static inline int remove_entry(const char *path, const struct stat *status, int type,
                               struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    (void)nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS);
}

/* Returns a path: directory d, d1, d2 or d3, or directory s in one of these. The name d is a prefix
 * of the other names. */
static inline void name_folder(char *path, struct test_random *random)
{
    (void)snprintf(path, PATH_BYTES * 3, "%s/d%.0u%s", root, (unsigned)test_random_below(random, 4),
                   test_random_one_in(random, 3) ? "/s" : "");
}

static inline void name_file(char *path, struct test_random *random)
{
    name_folder(path, random);
    (void)snprintf(path + strlen(path), 16, "/f%u", (unsigned)test_random_below(random, 12));
}

/* Writes or appends random letters to a file; does nothing if the file's directory is missing. */
static inline void write_at_random(const char *path, struct test_random *random)
{
    static char bytes[20000];
    size_t count = test_random_one_in(random, 8) ? test_random_below(random, sizeof bytes)
                                                 : test_random_below(random, 100);
    int descriptor = open(
        path, O_WRONLY | O_CREAT | O_CLOEXEC | (test_random_one_in(random, 5) ? O_APPEND : O_TRUNC),
        0644);

    for (size_t i = 0; i < count; i++)
        bytes[i] = (char)('a' + test_random_below(random, 26));
    if (descriptor < 0)
        return;
    TEST_CHECK(write(descriptor, bytes, count) == (ssize_t)count);
    if (test_random_one_in(random, 20)) /* a hole */
        TEST_CHECK(ftruncate(descriptor, 40000) == 0);
    close(descriptor);
}

/* Changes a byte of a file, probably within the time stamp of the previous change. */
static inline void write_again(const char *path, struct test_random *random)
{
    char byte = (char)('A' + test_random_below(random, 26));
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    struct stat status;

    if (descriptor < 0)
        return;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0)
        TEST_CHECK(pwrite(descriptor, &byte, 1, 0) == 1);
    close(descriptor);
}

static inline bool parse(struct settings *settings, int count, char **arguments)
{
    bool good = flags_parse(settings, NULL, count, arguments, false);

    if (!TEST_CHECK(good))
        printf("%s\n", settings->error);
    return good;
}

static struct collection *open_with(struct settings *settings, const char *path, bool watch,
                                    uint64_t bytes_max)
{
    const struct collection_options options = {.name = "name",
                                               .root = path,
                                               .settings = settings,
                                               .runtime = runtime,
                                               .host_bytes_max = bytes_max,
                                               .watch = watch};
    struct collection *collection = NULL;
    char message[SETTINGS_ERROR_BYTES];

    if (!TEST_CHECK(collection_open(&collection, &options, message)))
        printf("%s\n", message);
    return collection;
}

static struct settings served_options; /* the settings of the collection that open_by has opened */

/* Parses the words of a command line. The settings borrow the copy. */
static inline bool parse_line(struct settings *settings, char copy[PATH_BYTES], const char *line)
{
    char *rest = copy, *word, *arguments[20];
    int count = 0;

    (void)snprintf(copy, PATH_BYTES, "%s", line);
    while ((word = strsep(&rest, " ")) != NULL)
        arguments[count++] = word;
    return parse(settings, count, arguments);
}

/* Opens a collection with the options of this command line. */
static inline struct collection *open_by(const char *line, const char *path, bool watch,
                                         uint64_t bytes_max)
{
    static char copy[PATH_BYTES];

    if (!parse_line(&served_options, copy, line))
        exit(test_end());
    return open_with(&served_options, path, watch, bytes_max);
}

/* Checks that, once older states are gone, the collection's count of mapped bytes is the sum over
 * the newest state's blocks. The collection's own thread may hold an older state for a moment. */
static inline void check_mapped(struct collection *collection)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    uint64_t counted = 1, mapped = 0;

    for (int i = 0; i < 5000 && counted != mapped; i++) {
        struct state *state = collection_now(collection, message);

        if (state == NULL)
            return;
        mapped = 0;
        for (uint32_t k = 0; k < state->block_count; k++)
            mapped += state->blocks[k].block->mapped_bytes;
        counted = atomic_load(&collection->shelf.mapped_bytes);
        state_drop(state);
        if (counted != mapped)
            usleep(1000);
    }
    TEST_CHECK_U64(counted, mapped);
}

static inline void close_opened(struct collection *collection)
{
    struct collection_facts facts;

    collection_facts(collection, &facts);
    if (!facts.loading)
        check_mapped(collection);
    collection_close(collection);
    settings_free(&served_options);
}

static inline void wait_until_loaded(struct collection *collection)
{
    struct collection_facts facts;

    do {
        (void)usleep(1000);
        collection_facts(collection, &facts);
    } while (facts.loading);
}

static inline void begin_tree(const char *name)
{
    (void)snprintf(root, sizeof root, "%s/%s", top, name);
    TEST_CHECK(mkdir(name, 0755) == 0);
}

/* Returns how many entries a folder has: one for each open descriptor in /proc/self/fd, or one for
 * each thread in /proc/self/task, and a few more. */
static inline size_t count_of(const char *folder)
{
    DIR *entries = opendir(folder);
    size_t count = 0;

    while (entries != NULL && readdir(entries) != NULL)
        count++;
    TEST_CHECK(entries != NULL && closedir(entries) == 0);
    return count;
}

static size_t descriptor_count, thread_count;

static inline void *no_work(void *unused)
{
    return unused;
}

/* Drops root's right to ignore file permissions, for this thread and the threads that it starts:
 * otherwise no file would be unreadable where tests run as root. */
static inline void respect_modes(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct rights[2];

    TEST_CHECK(syscall(SYS_capget, &header, rights) == 0);
    rights[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH);
    TEST_CHECK(syscall(SYS_capset, &header, rights) == 0);
}

static inline void begin_trees(void)
{
    pthread_t thread;
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_error error;
    char folder[] = "/tmp/trawl_collection_XXXXXX", *path = NULL;

    blocks_count();
    options.engine = TRAWL_ENGINE_CPU;
    options.threads = 2;
    TEST_CHECK(trawl_runtime_open(&options, &runtime, &error) == TRAWL_OK);
    TEST_CHECK(mkdtemp(folder) != NULL && (path = realpath(folder, NULL)) != NULL &&
               chdir(path) == 0);
    (void)snprintf(top, sizeof top, "%s", path);
    free(path);
    /* ThreadSanitizer starts an additional thread together with the process's first thread. */
    TEST_CHECK(pthread_create(&thread, NULL, no_work, NULL) == 0 &&
               pthread_join(thread, NULL) == 0);
    descriptor_count = count_of("/proc/self/fd");
    thread_count = count_of("/proc/self/task");
}

static inline int end_trees(void)
{
    struct trawl_error error;

    TEST_CHECK_U64(count_of("/proc/self/fd"), descriptor_count);
    TEST_CHECK(trawl_runtime_close(runtime, &error) == TRAWL_OK);
    /* a list in the library refers to all searchers, so LeakSanitizer reports none as lost */
    TEST_CHECK_U64((uint64_t)atomic_load(&live_blocks), 0);
    /* A joined thread may stay in /proc for a moment. */
    for (int i = 0; i < 5000 && count_of("/proc/self/task") != thread_count; i++)
        usleep(1000);
    TEST_CHECK_U64(count_of("/proc/self/task"), thread_count);
    TEST_CHECK(chdir("/") == 0);
    remove_tree(top);
    return test_end();
}

struct tree_test {
    const char *name;
    void (*run)(void);
};

static inline int run_tree_tests(const char *name, const struct tree_test *tests, size_t count)
{
    test_begin(name);
    respect_modes();
    begin_trees();
    for (size_t i = 0; i < count; i++)
        if (test_wanted(tests[i].name))
            tests[i].run();
    return end_trees();
}

#endif
