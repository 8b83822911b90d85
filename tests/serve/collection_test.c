/* collection_test: changes a tree in many ways, and after each change compares the collection's
 * next state with the disk, byte by byte. A state lists the collection's files at one moment.
 * Blocks have the bytes of many files each; a file is held if a block has its bytes. A view is the
 * list of files that a request searches. A notice is the kernel's report of a change (inotify). */
#include <limits.h>
#include <stdarg.h>
#include <sys/inotify.h>
#include <sys/syscall.h>

#include "serve/collection_check.h"
#include "serve/short_memory.h"
#include "trawl/text/command_clock.h"

/* ---- Changes --------------------------------------------------------------------------------- */

static void change(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct collection *changing;
/* not NULL: clock_gettime below reloads this collection in the middle of a load, then `reloaded` */
static struct collection *_Atomic reloading, *_Atomic reloaded;
static uint64_t refreshed; /* refreshes before this reload */

/* Runs a shell command in the tree, and checks that the next state shows the change. */
static void change(const char *format, ...)
{
    char command[PATH_BYTES * 2];
    va_list arguments;
    uint64_t before = test_failures;

    va_start(arguments, format);
    (void)vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    TEST_CHECK(chdir(root) == 0 && system(command) == 0 && chdir(top) == 0);
    (void)check_now(changing);
    if (test_failures > before)
        printf("after: %s\n", command);
}

/* Replaces the C library's function. CLOCK_REALTIME here runs a second ahead of
 * CLOCK_REALTIME_COARSE, from which the kernel takes files' time stamps, as on a virtual machine
 * whose timer is late. Even so, a server without notices must not answer from the content before
 * the last change. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    int status = (int)syscall(SYS_clock_gettime, clock, time);
    struct collection *collection = reloading;

    /* The collection's thread reads the clock between a refresh and the end of a load. */
    if (clock == CLOCK_REALTIME && collection != NULL &&
        pthread_equal(pthread_self(), collection->thread)) {
        reloading = NULL;
        refreshed = atomic_load(&collection->refresh_count);
        collection_reload(collection);
        reloaded = collection;
    }
    time->tv_sec += status == 0 && clock == CLOCK_REALTIME;
    return status;
}

/* Changes a file several times within a second, and probably within the same time stamp, without
 * changing its size. */
static void check_close_changes(void)
{
    for (int i = 0; i < 3; i++) /* the modification time stays */
        change("echo ccc%d > same && touch -d '2001-02-03' same && sleep 0.2", i);
    for (int i = 0; i < 8; i++)
        change(i % 2 == 0 ? "printf tick > tick" : "printf tock > tick");
}

/* Makes files and a directory unreadable, and changes many directories at once. */
static void check_further_changes(void)
{
    change("chmod 0 pipe hole");
    change("chmod 600 pipe && echo more >> hole");
    change("mkdir c && echo in > c/in && chmod 0 c && echo beside > beside");
    change("echo more >> beside");
    change("chmod 700 c");
    /* 7 to 10 changed directories: the server walks up to 8 of them separately. */
    for (int i = 7; i < 11; i++) {
        change("mkdir $(seq -f m%%g %d) && for i in m*; do echo $i > $i/f; done", i);
        change("for i in m*; do echo more > $i/new; done");
        change("rm -r m*");
    }
}

/* Makes changes that change_at_random does not make. With `watch`, inotify reports them; with
 * `limit`, files above 5 MB are skipped. */
static void check_changes(bool watch, bool limit)
{
    begin_tree("changes");
    put("changes/one", "one\n");
    put("changes/empty", "");
    TEST_CHECK(mkdir("changes/d", 0755) == 0);
    put("changes/d/no line end", "bytes");
    disk_bytes_max = limit ? 5000000 : INT64_MAX;
    changing = open_by(limit ? "trawl -r --max-filesize=5000000" : "trawl -r", "changes", watch, 0);
    TEST_CHECK_U64(check_now(changing), 0);
    /* The server watches .git/info, where git keeps rules, before it walks that directory. Here a
     * different directory gets that name. */
    change("mkdir -p .git/info n && echo old > .git/info/exclude && echo new > n/exclude");
    change("mv .git/info o && mv n .git/info");
    /* The server must see a change of any file in .git/info, even after it has walked only the
     * directory above again. */
    change("echo other > .git/info/other");
    change("echo beside > beside");
    change("echo more >> .git/info/other");
    change("ln -s one link");
    change("rm one && ln -s empty one");
    change("rm one && mkdir one && echo in > one/in");
    change("mkfifo pipe");
    change("rm pipe && echo file > pipe");
    change("ln pipe pipe2 && echo both >> pipe2");
    change("ln pipe d/pipe3 && echo all >> d/pipe3");
    /* When the server reads the notice of a change, the name in the notice no longer exists, or
     * exists in a new directory. */
    change("ln pipe gone");
    change("echo gone >> gone && rm gone");
    change("mkdir ../new && ln pipe ../new/name && echo new >> ../new/name && mv ../new .");
    change("rm -r new");
    change("echo aaaa > same && touch -d '2001-02-03' same");
    change("echo bbbb > same && touch -d '2001-02-03' same");
    check_close_changes();
    change("dd if=/dev/urandom of=large bs=1M count=3 2>/dev/null");
    change("dd if=/dev/urandom of=large bs=1 count=10 seek=1000000 conv=notrunc 2>/dev/null");
    change("truncate -s 1500000 large");
    change("truncate -s 9000000 hole && echo end >> hole");
    change("truncate -s 100 hole");
    check_further_changes();
    change("rm -r * .[a-z]* 2>/dev/null; true");
    change("echo again > again");
    close_opened(changing);
    remove_tree("changes");
}

static void test_changes(void)
{
    check_changes(true, true);
    check_changes(false, false);
    disk_bytes_max = INT64_MAX;
}

/* Opens a folder whose changes the kernel does not report. Checks that the collection watches
 * nothing in it, and holds no file whose size differs from what the file system reports. */
static void test_without_notices(void)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct collection *collection;
    struct state *state;

    collection = open_by("trawl -r", "/proc/sys/kernel/random", true, 0);
    state = collection_now(collection, message);
    TEST_CHECK(state != NULL && state->file_count > 0 && state->unheld_count == state->file_count);
    pthread_mutex_lock(&collection->refresh);
    TEST_CHECK(collection->watches == NULL);
    pthread_mutex_unlock(&collection->refresh);
    state_drop(state);
    close_opened(collection);
}

/* Checks that requests fail while the root is missing, and succeed afterwards. */
static void test_root_goes(void)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct collection *collection;

    begin_tree("goes");
    put("goes/one", "one\n");
    collection = open_by("trawl -r", "goes", true, 0);
    (void)check_now(collection);
    TEST_CHECK(rename("goes", "gone") == 0);
    TEST_CHECK(collection_now(collection, message) == NULL);
    TEST_CHECK(strstr(message, "goes: No such file or directory") != NULL);
    TEST_CHECK(mkdir("goes", 0755) == 0);
    put("goes/two", "two\n");
    (void)check_now(collection);
    put("goes/three", "three\n");
    (void)check_now(collection);
    /* The kernel sends no notice when an empty root that the server has open is removed. */
    TEST_CHECK(unlink("goes/two") == 0 && unlink("goes/three") == 0);
    (void)check_now(collection);
    TEST_CHECK(mkdir("new", 0755) == 0);
    put("new/four", "four\n");
    TEST_CHECK(rmdir("goes") == 0 && rename("new", "goes") == 0);
    (void)check_now(collection);
    close_opened(collection);
    /* The root's parent is replaced. */
    (void)snprintf(root, sizeof root, "%s/goes/below", top);
    TEST_CHECK(mkdir("goes/below", 0755) == 0);
    put("goes/below/five", "five\n");
    collection = open_by("trawl -r", "goes/below", true, 0);
    (void)check_now(collection);
    TEST_CHECK(rename("goes", "went") == 0);
    TEST_CHECK(collection_now(collection, message) == NULL);
    TEST_CHECK(mkdir("goes", 0755) == 0 && mkdir("goes/below", 0755) == 0);
    put("goes/below/five", "six\n");
    (void)check_now(collection);
    close_opened(collection);
    remove_tree("goes");
    remove_tree("gone");
    remove_tree("went");
}

/* Checks that the collection does not hold an unreadable file, that opening it returns the reason,
 * and that the collection follows no links. */
static void test_opening(void)
{
    struct collection *collection;
    char message[SETTINGS_ERROR_BYTES];
    struct state *state;
    uint32_t one, d;
    int descriptor;

    begin_tree("open");
    put("open/one", "one\n");
    TEST_CHECK(mkdir("open/d", 0755) == 0);
    put("open/d/file", "file\n");
    put("secret", "secret\n");
    collection = open_by("trawl -r", "open", true, 0);
    state = collection_now(collection, message);
    one = state_find(state, "one");
    d = state_find(state, "d/file");
    descriptor = collection_open_file(collection, state->files[one]);
    TEST_CHECK(descriptor >= 0 && close(descriptor) == 0);
    TEST_CHECK(unlink("open/one") == 0 && symlink("../secret", "open/one") == 0);
    TEST_CHECK(collection_open_file(collection, state->files[one]) < 0 && errno == ELOOP);
    TEST_CHECK(unlink("open/one") == 0 && mkfifo("open/one", 0644) == 0);
    TEST_CHECK(collection_open_file(collection, state->files[one]) < 0 && errno == ESTALE);
    TEST_CHECK(rename("open/d", "open/e") == 0 && symlink("e", "open/d") == 0);
    TEST_CHECK(collection_open_file(collection, state->files[d]) < 0 && errno == ELOOP);
    descriptor = collection_open_file(collection, NULL);
    TEST_CHECK(descriptor >= 0 && close(descriptor) == 0);
    state_drop(state);
    put("open/closed", "closed\n");
    TEST_CHECK(chmod("open/closed", 0) == 0);
    state = collection_now(collection, message);
    one = state_find(state, "closed");
    TEST_CHECK(one != UINT32_MAX && state->files[one]->block == NULL &&
               collection_open_file(collection, state->files[one]) < 0 && errno == EACCES);
    state_drop(state);
    collection_reload(collection);
    wait_until_loaded(collection); /* the server must not try to open the file again and again */
    TEST_CHECK(collection_has(collection, "", root));
    close_opened(collection);
    remove_tree("open");
}

/* ---- Time stamps ----------------------------------------------------------------------------- */

/* Rounds time stamps to 100 ms, which is as coarse as a file system's may be. The kernel's own
 * stamps would differ after each change. */
static int coarse(int result, struct stat *status)
{
    status->st_mtim.tv_nsec -= status->st_mtim.tv_nsec % 100000000;
    status->st_ctim.tv_nsec -= status->st_ctim.tv_nsec % 100000000;
    return result;
}

int __real_fstat64(int descriptor, struct stat *status);
int __wrap_fstat64(int descriptor, struct stat *status);
int __wrap_fstat64(int descriptor, struct stat *status)
{
    return coarse(__real_fstat64(descriptor, status), status);
}

int __real_fstatat64(int directory, const char *name, struct stat *status, int flags);
int __wrap_fstatat64(int directory, const char *name, struct stat *status, int flags);
int __wrap_fstatat64(int directory, const char *name, struct stat *status, int flags)
{
    return coarse(__real_fstatat64(directory, name, status, flags), status);
}

/* ---- Many changes ---------------------------------------------------------------------------- */

/* While this is set, the kernel's queue of notices seems to overflow: a read returns a notice of
 * lost notices, instead of those in the queue. */
static atomic_bool overflows;

ssize_t __real_read(int descriptor, void *buffer, size_t count);
ssize_t __wrap_read(int descriptor, void *buffer, size_t count);
ssize_t __wrap_read(int descriptor, void *buffer, size_t count)
{
    static const struct inotify_event lost = {.wd = -1, .mask = IN_Q_OVERFLOW};
    ssize_t got = __real_read(descriptor, buffer, count);
    char path[64], kind[32] = "";

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (!overflows || got <= 0 || readlink(path, kind, sizeof kind - 1) < 0 ||
        strcmp(kind, "anon_inode:inotify") != 0)
        return got;
    while (__real_read(descriptor, buffer, count) > 0)
        ;
    memcpy(buffer, &lost, sizeof lost);
    return sizeof lost;
}

/* Makes thousands of changes, and checks that the next state shows each change, that old states
 * stay unchanged, and that memory does not grow. */
static void check_random(const char *line, bool watch, uint64_t amount)
{
    struct test_random random = test_random_begin("collection");
    char message[SETTINGS_ERROR_BYTES];
    struct collection *collection;
    struct state *old = NULL;

    begin_tree("random");
    if (heeds == HEEDS_FILE)
        put("random/.ignore", rules[heeds]);
    collection = open_by(line, "random", watch, 0);
    for (uint64_t i = 0; i < amount && test_failures == 0; i++) {
        overflows = test_random_one_in(&random, 10);
        for (uint64_t n = test_random_between(&random, 1, 4); n > 0; n--)
            change_at_random(&random);
        TEST_CHECK_U64(check_now(collection), 0);
        if (i % 10 ==
            /* if a file's memory was freed too early, it now belongs to another file */
            0) {
            if (old != NULL)
                check_tape(old);
            state_drop(old);
            old = collection_now(collection, message);
        }
        TEST_CHECK(old->block_count < 16);
        /* New files get free indices. */
        TEST_CHECK(old->index_count < 8 * 12 * 2);
        /* At least half of each block's bytes belong to files of a state. The limit is for two
         * states, since `old` is still held. */
        TEST_CHECK(atomic_load(&collection->shelf.mapped_bytes) <
                   2 * (disk.bytes + old->bytes_count) + (1u << 20));
    }
    overflows = false;
    state_drop(old);
    close_opened(collection);
    remove_tree("random");
    heeds = HEEDS_NONE;
}

static void test_random(void)
{
    /* What the options skip, and the largest file that the collection accepts. */
    static const struct {
        const char *line;
        bool watch;
        enum heeded heeds;
        off_t bytes_max;
    } trees[] = {
        {"trawl -r", true, HEEDS_NONE, INT64_MAX},
        {"trawl -r", false, HEEDS_NONE, INT64_MAX},
        {"trawl -r --ignore", true, HEEDS_FILE, INT64_MAX},
        {"trawl -r --exclude-dir=s", true, HEEDS_FOLDERS, INT64_MAX},
        {"trawl -r --include=f1*", true, HEEDS_NAMES, INT64_MAX},
        {"trawl -r -g !s -g !f2", true, HEEDS_GLOBS, INT64_MAX},
        {"trawl -r --max-filesize=50", true, HEEDS_NONE, 50},
    };

    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        heeds = trees[i].heeds;
        disk_bytes_max = trees[i].bytes_max;
        check_random(trees[i].line, trees[i].watch,
                     i < 3 ? test_amount(2000, 50000) : test_amount(1000, 10000));
    }
    disk_bytes_max = INT64_MAX;
}

/* Checks that the server looks for a new file only in the file's directory: the state does not show
 * a change elsewhere that had no notice, as it would after a walk of the whole tree. */
static void test_parts(void)
{
    char message[SETTINGS_ERROR_BYTES] = "";

    begin_tree("parts");
    TEST_CHECK(mkdir("parts/d", 0755) == 0 && mkdir("parts/e", 0755) == 0);
    put("parts/e/one", "one\n");
    TEST_CHECK(link("parts/e/one", "elsewhere") == 0);
    for (int count = 2; count <= 3; count++) { /* with and without rules about ignored files */
        struct collection *collection =
            open_by(count == 2 ? "trawl -r --ignore" : "trawl -r", "parts", true, 0);
        struct state *state;
        uint32_t one;

        wait_until_loaded(collection);
        (void)check_now(collection);
        put("elsewhere", count == 2 ? "first\n" : "second\n");
        put("parts/d/new", "new\n");
        TEST_CHECK(mkdir("parts/d/f", 0755) == 0);
        put("parts/d/f/new", "new\n");
        state = collection_now(collection, message);
        one = state_find(state, "e/one");
        TEST_CHECK(state->file_count == 3 && state_find(state, "d/new") != UINT32_MAX &&
                   state_find(state, "d/f/new") != UINT32_MAX);
        TEST_CHECK(one != UINT32_MAX &&
                   state->files[one]->supplied.bytes[0] == (count == 2 ? 'o' : 'f'));
        state_drop(state);
        close_opened(collection);
        remove_tree("parts/d/f");
        TEST_CHECK(unlink("parts/d/new") == 0);
    }
    remove_tree("parts");
    TEST_CHECK(unlink("elsewhere") == 0);
}

/* Checks that the collection does not hold a file that changes while it is read, and that the next
 * file of the block follows a line end. */
static void test_unread(void)
{
    static const char *const names[] = {"one", "two"};
    struct collection *collection;
    struct stat status;

    begin_tree("unread");
    put("unread/one", "one\n");
    put("unread/two", "two\n");
    collection = open_by("trawl -r", "unread", true, 0);
    (void)check_now(collection);
    {
        struct file_batch batch = {.shelf = &collection->shelf};

        for (uint32_t i = 0; i < 2; i++) {
            char path[64];

            (void)snprintf(path, sizeof path, "unread/%s", names[i]);
            TEST_CHECK(stat(path, &status) == 0);
            status.st_size -= i == 0; /* the status of a moment ago */
            TEST_CHECK(batch_make(&batch, i, names[i], &status, true) != NULL);
        }
        TEST_CHECK(batch_fill(&batch));
        TEST_CHECK(batch.items[0].made->block == NULL && batch.items[0].made->refused);
        TEST_CHECK(batch.items[1].made->block == batch.block);
        TEST_CHECK_U64(batch.block->range_count, 2);
        for (uint64_t i = 0; i < batch.block->range_count; i++)
            TEST_CHECK(batch.block->bytes[batch.block->ranges[i].end] == '\n');
        batch_close(&batch);
    }
    close_opened(collection);
    remove_tree("unread");
}

/* ---- Memory and formats ---------------------------------------------------------------------- */

/* Checks that the collection holds files only up to its memory limit. The server searches other
 * files on disk. */
static void test_budget(void)
{
    static char bytes[100000];
    struct collection *collection;
    struct collection_facts facts;
    uint32_t unheld;

    begin_tree("budget");
    memset(bytes, 'b', sizeof bytes);
    for (unsigned i = 0; i < 20; i++) {
        char path[64];

        (void)snprintf(path, sizeof path, "budget/f%u", i);
        write_bytes(path, 0, bytes, sizeof bytes);
    }
    collection = open_by("trawl -r", "budget", true, 1000000);
    wait_until_loaded(collection);
    unheld = check_now(collection);
    TEST_CHECK(unheld >= 10 && unheld <= 12);
    collection_facts(collection, &facts);
    TEST_CHECK(facts.held_bytes <= 1000000 && facts.held_bytes == (20 - unheld) * sizeof bytes);
    TEST_CHECK_U64(facts.file_count, 20);
    collection_reload(collection);
    TEST_CHECK(check_now(collection) >= 10);
    close_opened(collection);
    remove_tree("budget");
}

/* Checks that the collection does not hold a large file that keeps changing, and holds it once it
 * is quiet. Large is usually more than 64 MiB; here it is more than 1,000 bytes. */
static void test_quiet(void)
{
    const uint64_t usual_bytes = refresh_bytes, usual_ns = quiet_ns;
    char bytes[2001] = "";
    struct collection_facts facts;
    struct collection *collection;

    refresh_bytes = 1000;
    quiet_ns = 3600 * SECOND_NS;
    begin_tree("quiet");
    put("quiet/small", "small\n");
    collection = open_by("trawl -r", "quiet", true, 0);
    wait_until_loaded(collection);
    for (unsigned i = 0; i < 6; i++) {
        memset(bytes, 'a' + (int)i, sizeof bytes - 1);
        write_bytes("quiet/large", O_APPEND, bytes, sizeof bytes - 1);
        TEST_CHECK_U64(check_now(collection), 1);
        usleep(25000);
        TEST_CHECK(!is_held(collection, "large") && is_held(collection, "small"));
    }
    /* A load ends only when the files have been reread. */
    reloading = collection;
    put("quiet/small", "smaller\n");
    for (unsigned i = 0; i < 2000 && reloaded == NULL; i++)
        usleep(5000);
    wait_until_loaded(collection);
    collection_facts(collection, &facts);
    TEST_CHECK(reloaded == collection && facts.refresh_count > refreshed);
    TEST_CHECK(utimensat(AT_FDCWD, "quiet/large", (struct timespec[2]){{1, 0}, {1, 0}}, 0) == 0);
    for (unsigned i = 0; i < 2000 && !is_held(collection, "large"); i++)
        usleep(5000);
    TEST_CHECK_U64(check_now(collection), 0);
    /* The server checks a changed file again: no notice says that it is quiet. */
    quiet_ns = SECOND_NS;
    put("quiet/later", bytes);
    for (unsigned i = 0; i < 1000 && !is_held(collection, "later"); i++)
        usleep(5000);
    TEST_CHECK_U64(check_now(collection), 0);
    close_opened(collection);
    remove_tree("quiet");
    refresh_bytes = usual_bytes;
    quiet_ns = usual_ns;
}

/* Checks that the memory of removed files is freed once little of their block belongs to other
 * files. In other tests, blocks are so small that the next change merges them. */
static void test_sparse(void)
{
    static char bytes[100000];
    struct collection *collection;
    char path[64];

    begin_tree("sparse");
    memset(bytes, 's', sizeof bytes);
    for (unsigned i = 0; i < 40; i++) {
        (void)snprintf(path, sizeof path, "sparse/f%u", i);
        write_bytes(path, 0, bytes, sizeof bytes);
    }
    collection = open_by("trawl -r", "sparse", true, 0);
    wait_until_loaded(collection);
    for (unsigned i = 0; i < 30; i++) {
        (void)snprintf(path, sizeof path, "sparse/f%u", i);
        TEST_CHECK(unlink(path) == 0 && (i % 10 != 9 || check_now(collection) == 0));
    }
    for (unsigned i = 0; i < 2000 && collection->shelf.mapped_bytes > 20 * sizeof bytes; i++)
        usleep(5000);
    TEST_CHECK(collection->shelf.mapped_bytes <= 20 * sizeof bytes);
    TEST_CHECK_U64(check_now(collection), 0);
    close_opened(collection);
    remove_tree("sparse");
}

/* Checks that a reload finds a change without a notice. */
static void test_reload(void)
{
    struct collection *collection;
    struct collection_facts before, facts;

    begin_tree("reload");
    put("reload/one", "one\n");
    TEST_CHECK(link("reload/one", "elsewhere") == 0);
    collection = open_by("trawl -r", "reload", true, 0);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t begin;

        wait_until_loaded(collection);
        collection_facts(collection, &before);
        put("elsewhere", i == 1 ? "two\n" : "three\n");
        begin = now_ns();
        collection_reload(collection);
        if (i < 2)
            TEST_CHECK_U64(check_now(collection), 0);
        wait_until_loaded(collection); /* even without a request */
        collection_facts(collection, &facts);
        TEST_CHECK(facts.load_ns > 0 && facts.load_ns <= now_ns() - begin &&
                   facts.state_number > before.state_number &&
                   facts.refresh_count > before.refresh_count);
    }
    close_opened(collection);
    remove_tree("reload");
    TEST_CHECK(unlink("elsewhere") == 0);
}

/* Checks that two kinds of files are not plain: with --search-zip, compressed files, whose bytes
 * are in a block decompressed; and files with holes, which the command treats as binary. */
static void test_not_plain(void)
{
    char message[SETTINGS_ERROR_BYTES];
    struct collection *collection;
    struct state *state;
    uint32_t index;

    begin_tree("zip");
    TEST_CHECK(
        system("cd zip && echo unpacked | gzip > z.gz && printf '\\037\\213\\010broken' > b.gz "
               "&& echo plain > plain && truncate -s 1000000 hole") == 0);
    collection = open_by("trawl -r --search-zip", "zip", true, 0);
    wait_until_loaded(collection);
    TEST_CHECK_U64(check_now(collection), 1);
    state = collection_now(collection, message);
    index = state_find(state, "z.gz");
    TEST_CHECK(index != UINT32_MAX && state->files[index]->block != NULL &&
               !state->files[index]->is_plain && state->files[index]->supplied.bytes_count == 9 &&
               memcmp(state->files[index]->block->bytes + state->files[index]->block_begin,
                      "unpacked\n\n", 10) == 0);
    TEST_CHECK(state->files[state_find(state, "b.gz")]->refused);
    index = state_find(state, "hole");
    TEST_CHECK(index != UINT32_MAX && state->files[index]->block != NULL &&
               !state->files[index]->is_plain);
    state_drop(state);
    close_opened(collection);
    remove_tree("zip");
}

/* Checks a collection whose root is a file. */
static void test_file_root(void)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct collection *collection;
    struct command_job job = {.settings = &served_options, .show_names = -1};
    struct served_view *view;
    struct state *state;
    int http_status;

    begin_tree("file");
    put("file/one", "one\n");
    put("file/two", "two\n");
    collection = open_by("trawl", "file/one", true, 0);
    put("file/one", "one more\n");
    state = collection_now(collection, message);
    TEST_CHECK(state->file_count == 1 && strcmp(state->files[0]->path, "one") == 0 &&
               state->files[0]->supplied.bytes_count == 9 &&
               memcmp(state->files[0]->supplied.bytes, "one more\n", 9) == 0);
    view = collection_view(collection, state, &job, NULL, NULL, NULL, 0, &http_status, message);
    TEST_CHECK(view != NULL && view->file_count == 1 && strcmp(view->parts[0].operand, "one") == 0);
    view_free(view);
    state_drop(state);
    TEST_CHECK(unlink("file/one") == 0);
    state = collection_now(collection, message);
    TEST_CHECK(state != NULL && state->file_count == 0);
    state_drop(state);
    close_opened(collection);
    remove_tree("file");
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* Makes changes and a view while allocations fail. Afterwards the collection is right again. */
static void use_with_faults(struct settings *settings, long after, long count)
{
    const struct collection_options options = {
        .name = "name", .root = root, .settings = settings, .runtime = runtime, .watch = true};
    struct command_job job = {.settings = settings, .show_names = -1};
    char message[SETTINGS_ERROR_BYTES] = "";
    struct collection *collection = NULL;
    struct served_view *view = NULL;
    struct state *state = NULL;
    bool good;
    int http_status;

    short_memory(after, count);
    good = collection_open(&collection, &options, message);
    TEST_CHECK(good || *message != '\0');
    for (int round = 0; good && round < 3; round++) {
        *message = '\0';
        state = collection_now(collection, message);
        TEST_CHECK(state != NULL || *message != '\0');
        if (state != NULL) {
            *message = '\0';
            view = collection_view(collection, state, &job, NULL, NULL, NULL, 0, &http_status,
                                   message);
            TEST_CHECK(view != NULL ? view->file_count == state->file_count : *message != '\0');
        }
        view_free(view);
        view = NULL;
        state_drop(state);
        put(round == 0 ? "faults/d/new" : "faults/one", round == 1 ? "two\n" : "three\n");
    }
    (void)short_memory_ends();
    if (good)
        (void)check_now(collection);
    collection_close(collection);
    TEST_CHECK(unlink("faults/d/new") == 0 || errno == ENOENT);
}

static void test_faults(void)
{
    char *arguments[] = {"tg"};
    struct settings settings;
    long step = test_is_long() ? 1 : 7;

    begin_tree("faults");
    put("faults/one", "one\n");
    put("faults/.ignore", "*.o\n");
    TEST_CHECK(mkdir("faults/d", 0755) == 0);
    put("faults/d/two", "two\n");
    if (!parse(&settings, 1, arguments))
        return;
    settings.files.hidden = 1;
    for (long after = 0; after < 600 && test_failures == 0; after += step) {
        use_with_faults(&settings, after, 1);
        use_with_faults(&settings, after, 20);
    }
    settings_free(&settings);
    remove_tree("faults");
}

/* ---- Threads --------------------------------------------------------------------------------- */

static atomic_bool stopping;
static atomic_uint torn;

/* Looks in each state for a torn file: one with bytes from before and after a change. Another
 * thread replaces files as a whole, and each file repeats a single letter, so a torn file would
 * show two letters. */
static void *look(void *context)
{
    static const struct supplied_file none;
    char message[SETTINGS_ERROR_BYTES];

    while (!atomic_load(&stopping)) {
        struct state *state = collection_now(context, message);

        for (uint32_t i = 0; state != NULL && i < state->index_count; i++) {
            const struct supplied_file *supplied =
                state->files[i] == NULL ? &none : &state->files[i]->supplied;

            for (uint64_t at = 1; supplied->bytes != NULL && at < supplied->bytes_count; at++)
                if (supplied->bytes[at] != supplied->bytes[0])
                    atomic_fetch_add(&torn, 1);
        }
        if (state == NULL)
            atomic_fetch_add(&torn, 1);
        state_drop(state);
    }
    return NULL;
}

static void test_threads(void)
{
    struct test_random random = test_random_begin("collection_threads");
    uint64_t amount = test_amount(800, 30000);
    pthread_t threads[3];
    struct collection *collection;
    char bytes[5000];

    begin_tree("threads");
    collection = open_by("trawl -r", "threads", true, 0);
    for (size_t i = 0; i < 3; i++)
        TEST_CHECK(pthread_create(&threads[i], NULL, look, collection) == 0);
    for (uint64_t i = 0; i < amount; i++) {
        char path[64];

        memset(bytes, 'a' + (int)(i % 26), sizeof bytes);
        (void)snprintf(path, sizeof path, "threads/f%u", (unsigned)test_random_below(&random, 20));
        if (test_random_one_in(&random, 5)) {
            (void)unlink(path);
            continue;
        }
        write_bytes("new", O_TRUNC, bytes, test_random_below(&random, sizeof bytes));
        TEST_CHECK(rename("new", path) == 0);
    }
    atomic_store(&stopping, true);
    for (size_t i = 0; i < 3; i++)
        TEST_CHECK(pthread_join(threads[i], NULL) == 0);
    TEST_CHECK_U64(atomic_load(&torn), 0);
    (void)check_now(collection);
    close_opened(collection);
    for (int i = 0; i < 20; i++) /* while the collection loads */
        close_opened(open_by("trawl -r", "threads", i % 2 == 0, 0));
    remove_tree("threads");
}

int main(void)
{
    static const struct tree_test tests[] = {
        {"changes", test_changes},
        {"root_goes", test_root_goes},
        {"without_notices", test_without_notices},
        {"opening", test_opening},
        {"random", test_random},
        {"parts", test_parts},
        {"unread", test_unread},
        {"budget", test_budget},
        {"quiet", test_quiet},
        {"sparse", test_sparse},
        {"reload", test_reload},
        {"plain", test_not_plain},
        {"file", test_file_root},
        {"faults", test_faults},
        {"threads", test_threads},
    };

    return run_tree_tests("serve_collection", tests, sizeof tests / sizeof *tests);
}
