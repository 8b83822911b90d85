/* view_test: compares the files of a view, their order and their names with the command's walk, and
 * compares a view's refusals with the expected messages. */
#include "serve/view_check.h"
#include "trawl/command_clock.h"

/* Returns whether the command line heeds ignore files. */
static bool heeds_rules(const char *line)
{
    return strstr(line, "--ignore") != NULL ||
           (strncmp(line, "tg", 2) == 0 && strstr(line, " -u") == NULL);
}

static void check_all_views(void)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int again = 0; again < 2; again++) {
            const char *directory = again == 0 ? "views/above/tree" : NULL;

            if (heeds_rules(lines[i]))
                check_refusal(directory, lines[i], "heeds no ignore files");
            else
                check_view(directory, lines[i]);
        }
    check_view("views/above", "trawl -r -e x tree/src");
    check_view("views/above", "trawl -r -g tree/src/*.c -e x tree");
    check_view("views", "tg -u -e x above/tree/src above/tree");
    check_view("views/above/tree/src", "trawl -r -e x");
    check_view("views/above/tree/src", "tg -u -e x deep");
    check_view("views/above/tree", "tg -e x src/a.c .gitignore");
    check_view("views/above/tree/empty", "trawl -r -e x");
}

static void test_views(void)
{
    char line[PATH_BYTES * 3];

    (void)snprintf(root, sizeof root, "%s/views/above/tree", top);
    make_view_tree();
    viewed = open_by("trawl -r", "views/above/tree", true, 0);
    check_all_views();
    (void)snprintf(line, sizeof line, "trawl -r -g src/*.c -e x %s", root);
    check_view("views/other", line);
    check_view("views/above/tree", line);
    check_refusal("views/other", "trawl -r -e x", "not in the collection name");
    check_refusal("views/above", "trawl -r -e x", "not in the collection name");
    check_refusal("views/above", "trawl -r -e x tree ../other", "does not take \"..\"");
    check_refusal("views/above/tree", "trawl -e x link/a.c",
                  "link/a.c: the server follows no links");
    check_refusal("views/above/tree", "trawl -e x toplink", "the server follows no links");
    check_refusal("views/above/tree", "trawl -r -e x link", "the server follows no links");
    check_refusal("views/above/tree", "trawl -e x -", "standard input");
    check_refusal("views/above/tree", "trawl -e x", "standard input");
    check_refusal("views/above/tree", "trawl -e x pipe", "regular files");
    TEST_CHECK(mkfifo("views/above/tree/src/pipe", 0644) == 0);
    check_view("views/above/tree", "trawl -r -e x src");
    close_opened(viewed);
    remove_tree("views");
}

static void check_count(uint32_t expected)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct state *state = collection_now(viewed, message);

    if (TEST_CHECK(state != NULL))
        TEST_CHECK_U64(state->file_count, expected);
    state_drop(state);
}

/* Checks that a collection with options serves what the command finds with the same options, also
 * in new directories. (Tests had few options for collections.) */
static void test_views_by_options(void)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char copy[PATH_BYTES];
        struct settings settings;
        bool has_operands;

        if (!parse_line(&settings, copy, lines[i]))
            return;
        has_operands = settings.operands.count > 0;
        settings_free(&settings);
        if (has_operands || strchr(lines[i], '/') != NULL) /* such globs depend on where one is */
            continue;
        (void)snprintf(root, sizeof root, "%s/views/above/tree", top);
        make_view_tree();
        viewed = open_by(lines[i], "views/above/tree", true, 0);
        wait_until_loaded(viewed);
        for (size_t round = 0; round < 3; round++) {
            /* First below the root, then lower: a walk may begin there. */
            static const char *const changes[] = {
                "cd views/above/tree && mkdir -p new/src/deep .new && for f in new/top new/a.o \
                 new/src/a.c new/src/.b new/src/deep/d.c .new/a.c src/deep/new.c; do cp top $f; \
                 done",
                "cd views/above/tree/src && mkdir more && tee more/a.o more/x.log > more/a.c < a.c",
                "true"};

            check_count(check_view(NULL, lines[i]));
            check_view("views/above/tree", lines[i]);
            TEST_CHECK(system(changes[round]) == 0);
        }
        close_opened(viewed);
        remove_tree("views");
    }
}

/* Checks that git's rules are found although no request walks: the directories of the rules appear
 * one after the other. */
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

/* Checks that a client without a directory gets only served files, even if the client's options
 * would find further files. (Earlier tests had only clients with a directory.) */
static void check_served(const char *option, const char *suffix)
{
    char *arguments[] = {"trawl", "-r", (char *)(uintptr_t)option, "-e", "x"};
    char message[SETTINGS_ERROR_BYTES] = "";
    struct settings settings;
    struct served_view *view;
    struct state *state;
    uint64_t expected = 0;

    if (!parse(&settings, 5, arguments))
        return;
    view = view_of(NULL, &settings, &state, message);
    for (uint32_t i = 0; i < state->index_count; i++)
        expected += state->files[i] != NULL && state->files[i]->kind == ENTRY_FILE &&
                    strstr(state->files[i]->path, suffix) != NULL;
    TEST_CHECK(expected > 0);
    if (TEST_CHECK(view != NULL)) {
        TEST_CHECK_U64(view->file_count, expected);
        TEST_CHECK(view->show_names == 1 && !view->left_out && view->special_count == 0);
    }
    view_drop(view);
    state_drop(state);
    settings_free(&settings);
}

/* Checks that a request for all files reports a directory that cannot be read, although no request
 * walks. */
static void test_view_unreadable(void)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct state *state;

    begin_tree("unreadable");
    put("unreadable/one", "one\n");
    TEST_CHECK(mkdir("unreadable/closed", 0) == 0);
    viewed = open_by("trawl -r -e x", "unreadable", true, 0);
    for (int round = 0; round < 4; round++) {
        struct served_view *view = view_of(NULL, &served_options, &state, message);
        uint64_t errors = 0;

        for (size_t i = 0; view != NULL && i < view->special_count; i++)
            errors += view->specials[i].kind == WALK_ERROR && view->specials[i].os_code == EACCES;
        TEST_CHECK_U64(errors, round < 3 ? 1 : 0);
        TEST_CHECK(view != NULL && view->file_count == (round < 2 ? 1 : 2) + errors);
        view_drop(view);
        state_drop(state);
        if (round == 1) /* the next state is made without a look at the closed directory */
            put("unreadable/two", "two\n");
        else
            TEST_CHECK(chmod("unreadable/closed", round == 0 ? 0 : 0755) == 0);
    }
    collection_reload(viewed);
    state = collection_now(viewed, message);
    TEST_CHECK(state != NULL && state->order->reported_count == 0);
    state_drop(state);
    close_opened(viewed);
    remove_tree("unreadable");
}

/* Checks views of a tree that changes, and of a collection that leaves files out. */
static void test_views_follow(void)
{
    (void)snprintf(root, sizeof root, "%s/views/above/tree", top);
    make_view_tree();
    viewed = open_by("tg", "views/above/tree", true, 0);
    check_view("views/above/tree", "tg -e x .");
    check_refusal("views/above/tree", "trawl -r -e x", "heeds ignore files");
    check_refusal("views/above/tree", "tg --no-ignore-vcs -e x", "with the server's options");
    check_refusal("views/above/tree", "tg -e x src/x.log", "src/x.log: the collection name leaves");
    check_refusal("views/above/tree", "tg -g *.log -e x", "src/x.log: the collection name leaves");
    check_refusal("views/above/tree", "tg --hidden -e x", "more files: the collection name leaves");
    check_refusal("views/above/tree", "tg -e x .git/info",
                  "info: the collection name leaves it out");
    check_served("--include=a*", "/a");
    check_view("views/above/tree", "tg -g *.c -e x");
    check_view("views/above/tree", "tg -g !*.c -tc -e x");
    check_view("views/above/tree", "tg --include=*.[ch] -e x");
    check_served("--text", "");
    check_served("--include=*.h", ".h");
    put("views/above/tree/src/new.c", "new\n");
    check_view("views/above/tree", "tg -e x .");
    put("views/above/tree/.gitignore", "*.h\n");
    check_view("views/above/tree", "tg -e x .");
    put("views/above/tree/.git/info/exclude", "*.c\n");
    check_view("views/above/tree", "tg -e x .");
    TEST_CHECK(unlink("views/above/tree/.gitignore") == 0);
    check_view("views/above/tree", "tg -e x .");
    /* A repository appears step by step, and with it git's rules. */
    TEST_CHECK(system("cd views/above/tree && mkdir src/.git") == 0);
    check_view("views/above/tree", "tg -e x src");
    TEST_CHECK(system("cd views/above/tree && mkdir src/.git/info") == 0);
    check_view("views/above/tree", "tg -e x src");
    put("views/above/tree/src/.git/info/exclude", "*.h\n");
    check_view("views/above/tree", "tg -e x src");
    /* The collection does not walk a hidden directory, but knows the directory's name. */
    TEST_CHECK(mkdir("views/above/tree/.git/more", 0755) == 0);
    check_view("views/above/tree", "trawl -e x .git/more/file");
    put("views/above/tree/.git/more/file", "new\n");
    check_refusal("views/above/tree", "trawl -e x .git/more/file",
                  ".git/more/file: the collection name leaves it out");
    /* The operand is a name that is left out or a directory that is not. */
    check_view("views/above/tree", "tg -e x src/deep nothing empty");
    TEST_CHECK(unlink("views/above/tree/src/x.log") == 0);
    check_view("views/above/tree", "tg -e x src/x.log");
    close_opened(viewed);
    remove_tree("views");
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Writes path number `number` of at most six of these letters; false: there is no further path. */
static bool make_path(char path[8], uint64_t number, const char *letters)
{
    size_t base = strlen(letters), count = 0;

    for (; number > 0; number = (number - 1) / base)
        path[count++] = letters[(number - 1) % base];
    path[count] = '\0';
    return count < 7;
}

/* Does what path_normalize does, part by part. */
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

/* Checks all short operands in several directories, and which of them a collection has. (Operands
 * of other tests rarely end in "." or "//".) */
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

/* Checks the order of all pairs of short paths: if a slash is the smallest byte, the order is that
 * of bytes. */
static void test_bounds(void)
{
    static const char letters[] = "a/-\xff";
    struct collection from = {0}, until = {0};
    char one[8], two[8], least[8], most[8];

    for (uint64_t i = 0; make_path(one, i, letters) && strlen(one) < 4; i++)
        for (uint64_t k = 0; make_path(two, k, letters) && strlen(two) < 5; k++) {
            strcpy(least, one);
            strcpy(most, two);
            for (size_t at = 0; at < sizeof least; at++) {
                least[at] = (char)(least[at] == '/' ? 1 : least[at]);
                most[at] = (char)(most[at] == '/' ? 1 : most[at]);
            }
            from.options.from = until.options.until = one;
            if (!TEST_CHECK(is_within_bounds(&from, two) == (strcmp(most, least) >= 0) &&
                            is_within_bounds(&until, two) == (strcmp(most, least) < 0)))
                printf("%s beside %s\n", two, one);
        }
}

/* ---- Names that change during each walk ------------------------------------------------------ */

/* Each time a walk is about to read a directory, the test moves the file "moved" out of this
 * directory, between "moving/d/a" and "moving/d/b". So no walk meets the file. */
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

/* Checks that no state lacks a file in silence because no walk meets the file: there is no state as
 * long as the file moves. Without rules about what is left out no walk is needed. */
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

/* Checks the server when the kernel gives no more watches: each search looks at all files, and the
 * server asks for watches again after a second. (An earlier version asked again only after SIGHUP,
 * and printed no message.) */
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
    for (int i = 0; i < 200 && spent_count == 0; i++) { /* the server asks in vain */
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
    static const struct tree_test tests[] = {
        {"views", test_views},         {"unreadable", test_view_unreadable},
        {"follow", test_views_follow}, {"moving", test_moving},
        {"spent", test_views_spent},   {"paths", test_paths},
        {"bounds", test_bounds},       {"by_options", test_views_by_options},
        {"rules", test_rules_come}};

    return run_tree_tests("serve_view", tests, sizeof tests / sizeof *tests);
}
