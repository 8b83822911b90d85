/* view_test: compares the files of a view, their order and their names with the command's walk, and
 * compares a view's refusals with the expected messages. */
#include "serve/view_check.h"
#include "trawl/command_clock.h"

static void check_all_views(void)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int again = 0; again < 4; again++)
            check_view(again % 2 == 0 ? "views/above/tree" : NULL, lines[i]);
    check_view("views/above", "trawl -r -e x tree/src");
    check_view("views/above", "trawl -r -g tree/src/*.c -e x tree");
    check_view("views", "tg -e x above/tree/src above/tree");
    check_view("views/above/tree/src", "trawl -r -e x");
    check_view("views/above/tree/src", "tg -e x deep");
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
    /* The collection heeds no rules, but kept views have to follow them. */
    put("views/above/tree/.gitignore", "*.h\n");
    check_view("views/above/tree", "trawl -r --ignore -e x");
    check_view("views/above/tree", "trawl -r --sort=modified -e x");
    TEST_CHECK(system("touch -d 2001-02-03 views/above/tree/src/b.h") == 0);
    check_view("views/above/tree", "trawl -r --sort=modified -e x");
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
    check_refusal("views/above/tree", "trawl -r -D read -e x", "regular files");
    /* The name of a pipe appears. The server must not use the view that it has kept. */
    check_view("views/above/tree", "trawl -r -D read -e x src");
    TEST_CHECK(mkfifo("views/above/tree/src/pipe", 0644) == 0);
    check_view("views/above/tree", "trawl -r -e x src");
    check_refusal("views/above/tree", "trawl -r -D read -e x src", "regular files");
    check_refusal(NULL, "trawl -r -D read -e x", "regular files");
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
        expected += state->files[i] != NULL && strstr(state->files[i]->path, suffix) != NULL;
    TEST_CHECK(expected > 0);
    if (TEST_CHECK(view != NULL)) {
        TEST_CHECK_U64(view->item_count, expected);
        TEST_CHECK(view->show_names == 1 && !view->left_out);
    }
    for (uint64_t i = 0; view != NULL && i < view->item_count; i++) {
        const struct view_item *item = &view->items[i];

        TEST_CHECK(item->kind == WALK_FILE && item->type == DT_REG && !item->is_operand);
        TEST_CHECK(strcmp(item->name, state->files[item->file]->path) == 0);
    }
    view_drop(view);
    state_drop(state);
    settings_free(&settings);
}

/* Checks that a request for all files reports a directory that cannot be read. (In earlier versions
 * each such request walked the tree and met the directory.) */
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

        for (uint64_t i = 0; view != NULL && i < view->item_count; i++)
            errors += view->items[i].kind == WALK_ERROR && view->items[i].os_code == EACCES;
        TEST_CHECK_U64(errors, round < 3 ? 1 : 0);
        TEST_CHECK(view != NULL && view->item_count == (round < 2 ? 1 : 2) + errors);
        view_drop(view);
        state_drop(state);
        if (round == 1) /* the next state is made without a look at the closed directory */
            put("unreadable/two", "two\n");
        else
            TEST_CHECK(chmod("unreadable/closed", round == 0 ? 0 : 0755) == 0);
    }
    collection_reload(viewed);
    state = collection_now(viewed, message);
    TEST_CHECK(state != NULL && !state->unreadable);
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
    check_refusal("views/above/tree", "trawl -r --include=*.log -e x", "leaves it out");
    check_refusal("views/above/tree", "trawl -r -e x", "more files: the collection name leaves");
    check_served("--include=a*", "/a");
    check_refusal("views/above/tree", "trawl -r --include=a* -e x",
                  "src/a.o: the collection name leaves it out");
    check_served("--text", "");
    check_served("--include=*.h", ".h");
    check_view("views/above/tree", "trawl -r --exclude-dir=.git --include=*.[ch] -e x");
    put("views/above/tree/src/new.c", "new\n");
    check_view("views/above/tree", "trawl -r --exclude-dir=.git --include=*.[ch] -e x");
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
    /* The kernel sends no notice for the first file in a directory that no walk has met. */
    TEST_CHECK(mkdir("views/above/tree/.git/more", 0755) == 0);
    check_view("views/above/tree", "trawl -e x .git/more/file");
    put("views/above/tree/.git/more/file", "new\n");
    check_refusal("views/above/tree", "trawl -e x .git/more/file",
                  ".git/more/file: the collection name leaves it out");
    /* The collection leaves out .dot and does not walk this directory. The directory's first file
     * makes a kept view invalid. */
    TEST_CHECK(mkdir("views/above/tree/.dot", 0755) == 0);
    check_view("views/above/tree", "trawl -r --exclude-dir=.git --include=*.d -e x");
    put("views/above/tree/.dot/new.d", "new\n");
    check_refusal("views/above/tree", "trawl -r --exclude-dir=.git --include=*.d -e x",
                  ".dot/new.d: the collection name leaves it out");
    close_opened(viewed);
    remove_tree("views");
}

/* Checks that the server keeps no view without notices, since rules that the collection does not
 * follow may change. (Earlier tests had kept views only with notices.) */
static void test_views_unwatched(void)
{
    char copy[PATH_BYTES], message[SETTINGS_ERROR_BYTES] = "";
    struct settings asked;
    struct served_view *view;
    struct state *state;

    begin_tree("unwatched");
    put("unwatched/a.c", "a\n");
    put("unwatched/a.h", "a\n");
    if (!parse_line(&asked, copy, "trawl -r --ignore -e x"))
        return;
    viewed = open_by("trawl -r", "unwatched", false, 0);
    for (uint64_t expected = 2; expected > 0; expected--) {
        put("unwatched/.ignore", expected == 2 ? "*.o\n" : "*.h\n");
        view = view_of(NULL, &asked, &state, message);
        if (TEST_CHECK(view != NULL))
            TEST_CHECK_U64(view->item_count, expected);
        view_drop(view);
        state_drop(state);
    }
    close_opened(viewed);
    settings_free(&asked);
    remove_tree("unwatched");
}

/* Lets descriptors run out at each step of making a view. Checks that the view is complete, or that
 * there is no view and the status does not blame the request. */
static void test_views_short(void)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct served_view *view;
    struct state *state;
    struct rlimit limit, less;
    unsigned without = 0, more = 0;

    begin_tree("short");
    TEST_CHECK(mkdir("short/a", 0755) == 0 && mkdir("short/a/b", 0755) == 0);
    put("short/a/b/file", "a\n");
    if (!TEST_CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0))
        return;
    viewed = open_by("trawl -r -e x .", "short", true, 0);
    wait_until_loaded(viewed);
    for (view = NULL; view == NULL && more < 40; more++) {
        less = (struct rlimit){3 + more, limit.rlim_max};
        TEST_CHECK(setrlimit(RLIMIT_NOFILE, &less) == 0);
        view = view_of("short", &served_options, &state, message);
        TEST_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
        without += view == NULL;
        if (!TEST_CHECK(view != NULL ? view->item_count == 1 : is_unable))
            printf("%u more: %s\n", more, message);
        view_drop(view);
        state_drop(state);
    }
    TEST_CHECK(without >= 3 && more < 40);
    close_opened(viewed);
    remove_tree("short");
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
enum { MOVES_NEVER, MOVES_IN_VIEWS, MOVES_ALWAYS };
static atomic_int moves;
static atomic_int moves_left; /* directories that move the file until it stays; 0: no limit */
static int root_moving, tree; /* descriptors of "moving" and "moving/d" */
static const char too_fast[] = "the files change faster than they can be listed";
static _Thread_local bool is_view; /* only this thread has a separate working directory */
static atomic_bool are_watches_spent;
static atomic_uint watched_count, spent_count;

int __real_unshare(int flags);
int __wrap_unshare(int flags);
int __wrap_unshare(int flags)
{
    is_view = true;
    return __real_unshare(flags);
}

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
    if (moves == MOVES_NEVER || (moves == MOVES_IN_VIEWS && !is_view) || bytes < 2)
        return number;
    path[bytes] = '\0';
    if (strcmp(path + bytes - 2, "/a") != 0 && strcmp(path + bytes - 2, "/b") != 0)
        return number;
    if (path[bytes - 1] == 'a')
        (void)renameat(tree, "a/moved", tree, "b/moved");
    else
        (void)renameat(tree, "b/moved", tree, "a/moved");
    if (moves_left > 0 && --moves_left == 0)
        moves = MOVES_NEVER;
    return number;
}

#define NO_VIEW UINT64_MAX
#define LEFT_OUT (UINT64_MAX - 1) /* no view: the collection leaves a file out */

/* Checks that the view has `count` files, that each file exists by the shown name, and that no file
 * comes twice. */
static void check_moving(const char *directory, const char *line, uint64_t count)
{
    char copy[PATH_BYTES], message[SETTINGS_ERROR_BYTES] = "";
    struct settings settings;
    struct served_view *view;
    struct state *state;
    int from = open(directory, O_PATH | O_CLOEXEC);

    if (!TEST_CHECK(from >= 0) || !parse_line(&settings, copy, line))
        return;
    moves = MOVES_IN_VIEWS;
    view = view_of(directory, &settings, &state, message);
    moves = MOVES_NEVER;
    if (count == NO_VIEW) {
        TEST_CHECK(view == NULL && is_unable && strcmp(message, too_fast) == 0);
    } else if (count == LEFT_OUT) {
        TEST_CHECK(view == NULL && !is_unable && strstr(message, "moved: the collection") != NULL);
    } else if (TEST_CHECK(view != NULL)) {
        TEST_CHECK_U64(view->item_count, count);
        for (uint64_t i = 0; i < view->item_count; i++) {
            const char *path = state->files[view->items[i].file]->path;
            struct stat shown, served;

            TEST_CHECK(view->files[i] == view->items[i].file);
            TEST_CHECK(fstatat(from, view->items[i].name, &shown, 0) == 0 &&
                       fstatat(root_moving, path, &served, 0) == 0 &&
                       shown.st_ino == served.st_ino);
        }
        check_seen(view, state);
    }
    if (view == NULL ? count < LEFT_OUT : view->item_count != count)
        printf("%s in %s: %s\n", line, directory, message);
    view_drop(view);
    state_drop(state);
    settings_free(&settings);
    close(from);
}

/* Makes the tree of the file that moves, with this rule about what is left out. */
static void begin_moving(const char *rule)
{
    begin_tree("moving");
    TEST_CHECK(mkdir("moving/d", 0755) == 0 && mkdir("moving/d/a", 0755) == 0 &&
               mkdir("moving/d/b", 0755) == 0);
    put("moving/d/a/moved", "a\n");
    put("moving/.ignore", rule);
    root_moving = open("moving", O_PATH | O_CLOEXEC);
    tree = open("moving/d", O_PATH | O_CLOEXEC);
    TEST_CHECK(root_moving >= 0 && tree >= 0);
}

static void end_moving(void)
{
    close_opened(viewed);
    close(tree);
    close(root_moving);
    remove_tree("moving");
}

/* Checks that a view never leaves out a file in silence because no walk meets the file. If the
 * view's rules are the state's rules, the view has the file from the state; otherwise there is no
 * view, or no state. (In an earlier version all views failed as long as names changed. In the tests
 * of that time, names had stopped changing before the next walk.) */
static void test_views_moving(void)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    struct state *state;

    view_rounds_ns = SECOND_NS / 4;
    begin_moving("skipped\n");
    put("moving/d/stays", "a\n");
    put("moving/d/skipped", "a\n");
    put("moving/other", "a\n");
    viewed = open_by("trawl --ignore -r -e x", "moving", true, 0);
    check_moving("moving", "tg -e x", 3);
    check_moving("moving/d", "trawl --ignore -r -e x", 2);
    check_moving("moving", "trawl --ignore -r -e x d/", 2);
    check_moving("moving", "tg -e x ./d//", 2);
    check_moving("moving", "trawl --ignore -r -e x .", 3);
    check_moving("moving", "trawl -r -e x", NO_VIEW);
    check_moving("moving", "tg --sort=path -e x", NO_VIEW);
    /* Asks for a part of the files while names change. */
    check_moving("moving", "trawl --ignore -r --include=mo* -e x", 1);
    check_moving("moving", "trawl --ignore -r --exclude=mo* -e x ./", 2);
    check_moving("moving", "trawl --ignore -r --exclude-dir=d -e x", 1);
    check_moving("moving", "trawl --ignore -r --include=nothing -e x d", 0);
    /* A glob of tg may take files that the rules leave out, such as "skipped". */
    check_moving("moving", "tg -g mov* -e x", 1);
    check_moving("moving", "tg -g sta* -e x d", 1);
    check_moving("moving", "tg -g [ms]* -e x", NO_VIEW);
    moves = MOVES_ALWAYS;
    put("moving/d/a/new", "a\n");
    put("moving/d/b/new", "a\n");
    state = collection_now(viewed, message);
    TEST_CHECK(state == NULL && strcmp(message, too_fast) == 0);
    state_drop(state);
    check_moving("moving", "tg -e x", 5);
    close_opened(viewed);
    /* A walk that begins at directory d does not know the root's rules. */
    viewed = open_by("trawl --ignore -r --no-ignore-parent", "moving", true, 0);
    check_moving("moving", "tg --no-ignore-parent -e x", 5);
    check_moving("moving", "tg --no-ignore-parent -e x d", NO_VIEW);
    close_opened(viewed);
    viewed = open_by("trawl -r -e x", "moving", true, 0);
    check_moving("moving", "trawl -r -g mov* -e x", 1);
    check_moving("moving/d", "trawl -r -g !mov* -e x .", 4);
    check_moving("moving", "trawl -r -g d/*/moved -e x ./", 1);
    check_moving("moving", "trawl -r -g !/d/ -e x", 2);
    check_moving("moving", "trawl -r --iglob MOV* --exclude=other -e x d//", 1);
    check_moving("moving", "trawl -r --glob-case-insensitive -g MOV* -e x", 1);
    check_moving("moving", "trawl -r -g nothing -e x", 0);
    check_moving("moving", "trawl -r --type-add=m:mov* -tm -e x", 1);
    end_moving();
}

/* Checks a view when only its second walk meets a file that the collection leaves out. (In earlier
 * tests each walk or no walk met such a file.) */
static void test_views_late(void)
{
    begin_moving("moved\n");
    viewed = open_by("trawl --ignore -r", "moving", true, 0);
    moves_left = 2;
    check_moving("moving", "tg -g mov* -e x", LEFT_OUT);
    end_moving();
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

/* ---- Kept views ------------------------------------------------------------------------------ */

#define NUMBERS (3 * VIEWS_MAX)

/* What the collection should keep: the views by last use, their memory, and for each number its
 * kept view. */
struct kept_views {
    struct served_view *views[VIEWS_MAX], *of_number[NUMBERS];
    uint64_t bytes[VIEWS_MAX];
};

/* Drops the least recently used views that do not fit beside a new view of `bytes` bytes. */
static void expect_dropped(struct kept_views *kept, uint64_t bytes, uint64_t most)
{
    uint64_t sum = 0;

    for (size_t k = 0; k < VIEWS_MAX; k++)
        sum += kept->bytes[k];
    for (size_t k = VIEWS_MAX; k-- > 0;) {
        if (kept->views[k] == NULL || (k + 1 < VIEWS_MAX && sum <= most - bytes))
            continue;
        for (unsigned i = 0; i < NUMBERS; i++)
            if (kept->of_number[i] == kept->views[k])
                kept->of_number[i] = NULL;
        sum -= kept->bytes[k];
        kept->bytes[k] = 0;
        kept->views[k] = NULL;
    }
}

/* Moves the view to the front, from index `at`. */
static void expect_first(struct kept_views *kept, struct served_view *view, size_t at)
{
    memmove(kept->views + 1, kept->views, at * sizeof *kept->views);
    memmove(kept->bytes + 1, kept->bytes, at * sizeof *kept->bytes);
    kept->views[0] = view;
    kept->bytes[0] = view->bytes;
}

static void check_kept(const struct kept_views *kept)
{
    uint64_t sum = 0;

    pthread_mutex_lock(&viewed->lock);
    for (size_t k = 0; k < VIEWS_MAX; k++) {
        TEST_CHECK(viewed->views[k] == kept->views[k]);
        sum += viewed->views[k] != NULL ? viewed->views[k]->bytes : 0;
    }
    TEST_CHECK_U64(viewed->view_bytes, sum);
    pthread_mutex_unlock(&viewed->lock);
}

/* Asks for view after view, new ones and old ones, and checks which views the collection keeps, in
 * which order. bytes_max: the memory of all requests, of which kept views may take an eighth; 0: no
 * limit. (No test had asked for more views than the collection keeps.) */
static void check_views(uint64_t bytes_max)
{
    struct test_random random = test_random_begin("views");
    struct guard all = {.bytes_max = bytes_max};
    uint64_t most = bytes_max == 0 ? UINT64_MAX : bytes_max / 8;
    struct kept_views kept = {0};

    for (size_t k = 0; k < VIEWS_MAX; k++) {
        kept.views[k] = viewed->views[k];
        kept.bytes[k] = kept.views[k] != NULL ? kept.views[k]->bytes : 0;
    }
    for (unsigned i = 0; i < NUMBERS && test_failures == 0; i++) {
        unsigned number = (unsigned)(i % 3 == 2 ? test_random_below(&random, i) : i);
        char line[96], copy[PATH_BYTES], message[SETTINGS_ERROR_BYTES] = "";
        struct guard guard = {.all = &all};
        struct settings settings;
        struct served_view *view;
        struct state *state;
        size_t at = 0;

        (void)snprintf(line, sizeof line, "trawl -r -g *%u -g !y%u -e x", number % 10, number);
        if (!parse_line(&settings, copy, line))
            return;
        settings.guard = &guard;
        view = view_of(NULL, &settings, &state, message);
        if (TEST_CHECK(view != NULL && view->item_count == 4) && view != kept.of_number[number]) {
            TEST_CHECK(kept.of_number[number] == NULL);
            if (view->bytes <= most) {
                expect_dropped(&kept, view->bytes, most);
                kept.of_number[number] = view;
                expect_first(&kept, view, VIEWS_MAX - 1);
            }
        } else if (view != NULL) {
            while (at < VIEWS_MAX - 1 && kept.views[at] != view)
                at++;
            expect_first(&kept, view, at);
        }
        check_kept(&kept);
        view_drop(view);
        state_drop(state);
        settings_free(&settings);
        guard_end(&guard);
    }
}

static void test_views_kept(void)
{
    static const uint64_t limits[] = {0, 8000, 40000, 1000000};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        begin_tree("kept");
        for (unsigned k = 0; k < 40; k++) {
            char path[64];

            (void)snprintf(path, sizeof path, "kept/x%u", k);
            put(path, "x\n");
        }
        viewed = open_by("trawl -r", "kept", true, 0);
        wait_until_loaded(viewed);
        check_views(limits[i]);
        close_opened(viewed);
        remove_tree("kept");
    }
}

int main(void)
{
    static const struct tree_test tests[] = {
        {"views", test_views},         {"unreadable", test_view_unreadable},
        {"follow", test_views_follow}, {"unwatched", test_views_unwatched},
        {"short", test_views_short},   {"moving", test_views_moving},
        {"late", test_views_late},     {"spent", test_views_spent},
        {"kept", test_views_kept},     {"paths", test_paths},
        {"bounds", test_bounds},       {"by_options", test_views_by_options},
        {"rules", test_rules_come}};

    return run_tree_tests("serve_view", tests, sizeof tests / sizeof *tests);
}
