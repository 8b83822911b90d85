/* view_test: tests how operands become paths, which paths are within the bounds of --from and
 * --until, and which files a state (the list of a collection's files at one moment) has while names
 * change. test_served.py compares the files of requests with the command's walk. */
#include <malloc.h>

#include "serve/collection_tree.h"
#include "trawl/text/command_clock.h"

static struct collection *viewed;

static void check_count(uint32_t expected)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct state *state = collection_now(viewed, message);

    if (TEST_CHECK(state != NULL))
        TEST_CHECK_U64(state->file_count, expected);
    state_drop(state);
}

/* Checks that the server counts one file after it became a directory and a file again, with a check
 * in between in odd rounds. The server reads the notices of all changes at once. */
static void test_becomes(void)
{
    begin_tree("becomes");
    put("becomes/a", "a\n");
    viewed = open_by("trawl -r", "becomes", true, 0);
    wait_until_loaded(viewed);
    for (int round = 0; round < 8; round++) {
        check_count(1);
        TEST_CHECK(unlink("becomes/a") == 0 && mkdir("becomes/a", 0755) == 0);
        if (round % 2 == 0) {
            TEST_CHECK(rmdir("becomes/a") == 0);
        } else {
            put("becomes/a/b", "b\n");
            check_count(1);
            TEST_CHECK(unlink("becomes/a/b") == 0 && rmdir("becomes/a") == 0);
        }
        put("becomes/a", "a\n");
    }
    close_opened(viewed);
    remove_tree("becomes");
}

/* Checks that the server finds git's rules although no request walks the tree, while the
 * directories that contain the rules appear one after the other. */
static void test_rules_come(void)
{
    begin_tree("rules");
    TEST_CHECK(mkdir("rules/d", 0755) == 0);
    put("rules/d/a.c", "a\n");
    put("rules/d/a.h", "a\n");
    put("rules/d/b.h", "a\n");
    viewed = open_by("tg", "rules", true, 0);
    check_count(3);
    TEST_CHECK(mkdir("rules/.git", 0755) == 0);
    check_count(3);
    TEST_CHECK(mkdir("rules/.git/info", 0755) == 0);
    check_count(3);
    put("rules/.git/info/exclude", "*.h\n");
    check_count(1);
    put("rules/.git/info/exclude", "*.c\n");
    check_count(2);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"rules/.gitignore", "rules/.ignore", "rules/.rgignore"};

        put(names[i], i == 1 ? "!a.h\n" : "a.*\n");
        check_count(i == 1 ? 2 : 1);
    }
    close_opened(viewed);
    remove_tree("rules");
}

/* Checks that the server finds new directories: as many at once as it walks separately, one fewer,
 * and more. */
static void test_new_parts(void)
{
    char path[64];
    unsigned count = 0;

    begin_tree("new");
    viewed = open_by("trawl -r", "new", true, 0);
    check_count(0);
    for (unsigned many = PARTS_MAX - 1; many <= PARTS_MAX + 2; many++) {
        for (unsigned i = 0; i < many; i++) {
            (void)snprintf(path, sizeof path, "new/%u-%u", many, i);
            TEST_CHECK(mkdir(path, 0755) == 0);
            strcat(path, "/a");
            put(path, "a\n");
        }
        count += many;
        check_count(count);
    }
    close_opened(viewed);
    remove_tree("new");
}

/* Checks that the server keeps no memory of directories that are gone. */
static void test_gone(void)
{
    char path[256];
    size_t bytes = 0;

    begin_tree("gone");
    viewed = open_by("trawl -r", "gone", true, 0);
    for (int round = 0; round < 200; round++) {
        (void)snprintf(path, sizeof path, "gone/%0200d", round);
        TEST_CHECK(mkdir(path, 0755) == 0);
        check_count(0);
        TEST_CHECK(rmdir(path) == 0);
        check_count(0);
        bytes = round < 100 ? mallinfo2().uordblks : bytes; /* 0 under a sanitizer */
    }
    TEST_CHECK(mallinfo2().uordblks < bytes + 10000 || bytes == 0);
    close_opened(viewed);
    remove_tree("gone");
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Writes path number `number` of at most six of these letters; false: there are no more. */
static bool make_path(char path[8], uint64_t number, const char *letters)
{
    size_t base = strlen(letters), count = 0;

    for (; number > 0; number = (number - 1) / base)
        path[count++] = letters[(number - 1) % base];
    path[count] = '\0';
    return count < 7;
}

/* Does what path_normalize does, in a simpler way: name by name. */
static bool normalize(const char *directory, const char *operand, char *path, bool *is_folder)
{
    char copy[64], *rest = copy, *part;
    bool good = true;

    (void)snprintf(copy, sizeof copy, "%s/%s", operand[0] == '/' ? "" : directory, operand);
    *path = '\0';
    while ((part = strsep(&rest, "/")) != NULL) {
        *is_folder = *part == '\0' || strcmp(part, ".") == 0;
        good = good && strcmp(part, "..") != 0;
        if (!*is_folder)
            (void)sprintf(path + strlen(path), "/%s", part);
    }
    if (*path == '\0')
        strcpy(path, "/");
    return good;
}

/* Checks all short operands in several directories, and which of them a collection has. Operands in
 * other tests rarely end in "." or "//". */
static void test_paths(void)
{
    static const char *const directories[] = {"/", "/a", "/a/b/", "/.a//.b/."};
    static char base[] = "/a/b", file[] = "b", slash[] = "/";
    struct collection collection = {.base = base}, whole = {.base = slash};
    char operand[8], got[64], expected[64];

    for (uint64_t i = 1; make_path(operand, i, "ab./"); i++)
        for (size_t k = 0; k < sizeof directories / sizeof *directories; k++) {
            bool is_folder = false, is_expected = false, good;

            good = normalize(directories[k], operand, expected, &is_expected);
            if (!TEST_CHECK(path_normalize(directories[k], operand, got, &is_folder) == good) ||
                !TEST_CHECK(!good || (strcmp(got, expected) == 0 && is_folder == is_expected)))
                printf("%s in %s: %s\n", operand, directories[k], got);
            TEST_CHECK(collection_has(&whole, directories[k], operand));
            collection.file = NULL;
            TEST_CHECK(
                collection_has(&collection, directories[k], operand) ==
                (!good || strcmp(expected, "/a/b") == 0 || strncmp(expected, "/a/b/", 5) == 0));
            collection.file = file;
            TEST_CHECK(collection_has(&collection, directories[k], operand) ==
                       (!good || strcmp(expected, "/a/b/b") == 0));
        }
}

/* Checks --from and --until with all pairs of short paths. Paths have the order of their bytes,
 * with the slash as the smallest byte. */
static void test_bounds(void)
{
    static const char letters[] = "a/-\xff";
    struct collection from = {0}, until = {0};
    char one[8], two[8], min[8], max[8];

    for (uint64_t i = 0; make_path(one, i, letters) && strlen(one) < 4; i++)
        for (uint64_t k = 0; make_path(two, k, letters) && strlen(two) < 5; k++) {
            strcpy(min, one);
            strcpy(max, two);
            for (size_t at = 0; at < sizeof min; at++) {
                min[at] = (char)(min[at] == '/' ? 1 : min[at]);
                max[at] = (char)(max[at] == '/' ? 1 : max[at]);
            }
            from.options.from = until.options.until = one;
            if (!TEST_CHECK(is_within_bounds(&from, two) == (strcmp(max, min) >= 0) &&
                            is_within_bounds(&until, two) == (strcmp(max, min) < 0)))
                printf("%s beside %s\n", two, one);
        }
}

/* ---- Names that change during each walk ------------------------------------------------------ */

/* While this is set: when a walk is about to read "moving/d/a" or "moving/d/b", the test moves the
 * file "moved" from this directory into the other, so that no walk sees it. */
static atomic_bool moves;
static int tree; /* descriptor of "moving/d" */
static atomic_bool are_watches_spent;
static atomic_uint watched_count, spent_count;

/* Replaces inotify_add_watch, which a walk calls just before it reads a directory. */
int __real_inotify_add_watch(int descriptor, const char *name, uint32_t mask);
int __wrap_inotify_add_watch(int descriptor, const char *name, uint32_t mask);
int __wrap_inotify_add_watch(int descriptor, const char *name, uint32_t mask)
{
    int number = are_watches_spent ? -1 : __real_inotify_add_watch(descriptor, name, mask);
    char path[PATH_BYTES];
    ssize_t bytes = readlink(name, path, sizeof path - 1);

    spent_count += are_watches_spent;
    if (number < 0) {
        errno = are_watches_spent ? ENOSPC : errno;
        return -1;
    }
    watched_count++;
    if (!moves || bytes < 2)
        return number;
    path[bytes] = '\0';
    if (strcmp(path + bytes - 2, "/a") != 0 && strcmp(path + bytes - 2, "/b") != 0)
        return number;
    if (path[bytes - 1] == 'a')
        (void)renameat(tree, "a/moved", tree, "b/moved");
    else
        (void)renameat(tree, "b/moved", tree, "a/moved");
    return number;
}

/* While a file moves, a walk may miss it. Checks that no state then silently lacks the file: there
 * is no state as long as the file keeps moving. Without rules about ignored files, the server needs
 * no walk. */
static void test_moving(void)
{
    char message[SETTINGS_ERROR_BYTES] = "";

    for (int heeds = 0; heeds < 2; heeds++) {
        struct state *state;

        begin_tree("moving");
        TEST_CHECK(mkdir("moving/d", 0755) == 0 && mkdir("moving/d/a", 0755) == 0 &&
                   mkdir("moving/d/b", 0755) == 0);
        put("moving/d/a/moved", "a\n");
        tree = open("moving/d", O_PATH | O_CLOEXEC);
        viewed = open_by(heeds ? "trawl --ignore -r" : "trawl -r", "moving", true, 0);
        wait_until_loaded(viewed);
        moves = true;
        put("moving/d/a/new", "a\n");
        put("moving/d/b/new", "a\n");
        state = collection_now(viewed, message);
        TEST_CHECK(heeds ? state == NULL && strcmp(message, TOO_FAST) == 0
                         : state != NULL && state->file_count == 3);
        state_drop(state);
        moves = false;
        check_count(3);
        close_opened(viewed);
        close(tree);
        remove_tree("moving");
    }
}

/* Checks the server when the kernel refuses to watch more directories: each search checks all
 * files, the server tries to watch again after a second, and it prints a message about this. */
static void test_views_spent(void)
{
    const struct timespec moment = {0, 50000000};
    char said[1024] = "";
    int kept = dup(STDERR_FILENO), file = open("said", O_RDWR | O_CREAT | O_CLOEXEC, 0644);

    TEST_CHECK(dup2(file, STDERR_FILENO) == STDERR_FILENO);
    begin_tree("spent");
    put("spent/a", "a\n");
    are_watches_spent = true;
    viewed = open_by("trawl -r", "spent", true, 0);
    check_count(1);
    put("spent/b", "b\n");
    check_count(2);
    spent_count = 0;
    for (int i = 0; i < 200 && spent_count == 0; i++) { /* the server tries in vain */
        (void)nanosleep(&moment, NULL);
        check_count(2);
    }
    are_watches_spent = false;
    watched_count = 0;
    for (int i = 0; i < 200 && watched_count == 0; i++) {
        (void)nanosleep(&moment, NULL);
        check_count(2);
    }
    TEST_CHECK(watched_count > 0);
    put("spent/c", "c\n");
    check_count(3);
    collection_reload(viewed);
    check_count(3);
    close_opened(viewed);
    TEST_CHECK(dup2(kept, STDERR_FILENO) == STDERR_FILENO && close(kept) == 0 &&
               pread(file, said, sizeof said - 1, 0) > 0 && close(file) == 0 &&
               unlink("said") == 0);
    TEST_CHECK(strcmp(said, "trawl: name: its directories cannot be watched (see "
                            "fs.inotify.max_user_watches): each search looks at all files\n"
                            "trawl: name: its directories are watched again\n") == 0);
    remove_tree("spent");
}

int main(void)
{
    static const struct tree_test tests[] = {{"moving", test_moving},   {"spent", test_views_spent},
                                             {"paths", test_paths},     {"bounds", test_bounds},
                                             {"becomes", test_becomes}, {"rules", test_rules_come},
                                             {"gone", test_gone},       {"parts", test_new_parts}};

    return run_tree_tests("serve_view", tests, sizeof tests / sizeof *tests);
}
