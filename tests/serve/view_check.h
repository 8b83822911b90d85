/* view_check: compares the files of a view, their order and their names with the command's walk
 * with
 * --sort=path. */
#ifndef TESTS_SERVE_VIEW_CHECK_H
#define TESTS_SERVE_VIEW_CHECK_H

#include <dirent.h>

#include "serve/collection_tree.h"
#include "trawl/exclude.h"
#include "trawl/file_filter.h"

/* Runs the command's walk in this process's working directory. */
static size_t walk_here(struct settings *settings, const struct value_item *operands, size_t count,
                        char names[][128], struct command_job *job)
{
    static const struct value_item here = {VALUE_OPERAND, ".", NULL};
    struct walk walk;
    struct walk_item item;
    char message[SETTINGS_ERROR_BYTES];
    size_t found = 0;

    memset(job, 0, sizeof *job);
    job->settings = settings;
    job->show_names = -1;
    TEST_CHECK((settings->filters.count == 0 ||
                exclude_open(&job->exclude, &settings->filters, message)) &&
               filter_open(&job->filter, settings, false, message));
    if (settings->files.sort == SORT_NONE)
        settings->files.sort = SORT_PATH;
    walk_open(&walk, job, operands, count, 32);
    walk.below_working_directory = count == 0;
    if (count == 0)
        walk.operands = &here;
    while (walk_next(&walk, &item)) {
        /* If operands are not walked recursively, the command finds out what an operand is when it
         * opens the operand. */
        struct stat status;

        if (item.kind == WALK_FILE && item.is_operand && lstat(item.name, &status) == 0 &&
            S_ISFIFO(status.st_mode) && walk_skips_devices(settings, true))
            continue;
        if (item.is_operand && settings->directories != DIRECTORIES_RECURSE) {
            int descriptor = open(item.name, O_RDONLY | O_CLOEXEC);
            bool is_directory = descriptor >= 0 && lseek(descriptor, 0, SEEK_SET) == 0 &&
                                read(descriptor, message, 1) < 0 && errno == EISDIR;

            if (descriptor < 0) {
                item.kind = WALK_ERROR;
                item.os_code = errno;
            } else {
                close(descriptor);
            }
            if (is_directory && settings->directories == DIRECTORIES_SKIP)
                continue;
        }
        /* The command leaves this operand out when it has opened the operand. */
        if (item.kind == WALK_FILE && item.is_operand &&
            walk_skips_operand(&walk, item.name, false))
            continue;
        if (found < 100 && (item.kind != WALK_FILE || item.type == DT_REG ||
                            (item.is_operand && item.type == DT_UNKNOWN)))
            (void)snprintf(names[found++], 128, "%d %d %s", item.kind, item.os_code, item.name);
    }
    if (job->exclude != NULL)
        exclude_close(job->exclude);
    filter_close(job->filter);
    return found;
}

static struct collection *viewed;
static int http_status; /* set by the last view */

/* Checks that the view of these arguments, in a directory below the top, equals the command's
 * walk. */
static struct served_view *view_of(const char *directory, struct settings *settings,
                                   struct state **state, char *message)
{
    char path[PATH_BYTES * 3];
    struct command_job job = {.settings = settings, .show_names = -1};
    struct served_view *view;

    if (directory != NULL)
        (void)snprintf(path, sizeof path, "%s/%s", top, directory);
    settings->surroundings.directory = directory != NULL ? path : root;
    *state = collection_now(viewed, message);
    if (settings->filters.count > 0)
        TEST_CHECK(exclude_open(&job.exclude, &settings->filters, message));
    TEST_CHECK(filter_open(&job.filter, settings, true, message));
    view =
        collection_view(viewed, *state, &job, directory != NULL ? path : NULL,
                        settings->operands.items, settings->operands.count, &http_status, message);
    filter_close(job.filter);
    if (job.exclude != NULL)
        exclude_close(job.exclude);
    return view;
}

/* Checks that exactly the files of the view have bits in `seen`. */
static void check_seen(const struct served_view *view, const struct state *state)
{
    for (uint32_t file = 0; file < state->index_count; file++) {
        bool named = false;

        if (state->files[file] == NULL || state->files[file]->kind != ENTRY_FILE)
            continue;
        for (uint64_t i = 0; i < view->file_count; i++)
            named = named || view->files[i] == file;
        TEST_CHECK(((view->seen[file / 8] >> file % 8 & 1) != 0) == named);
    }
}

/* directory NULL: the client has no directory, which means the root. Returns how many files the
 * view has. */
static uint32_t check_view(const char *directory, const char *line)
{
    static char expected[100][128], got[100][128];
    char copy[PATH_BYTES], message[SETTINGS_ERROR_BYTES] = "";
    struct settings settings;
    struct command_job job;
    struct served_view *view;
    struct state *state;
    size_t found;
    uint32_t file_count = 0;

    if (!parse_line(&settings, copy, line))
        return 0;
    TEST_CHECK(chdir(directory != NULL ? directory : root) == 0);
    found = walk_here(&settings, settings.operands.items, settings.operands.count, expected, &job);
    TEST_CHECK(chdir(top) == 0);
    view = view_of(directory, &settings, &state, message);
    if (TEST_CHECK(view != NULL)) {
        struct view_names names = {0};

        TEST_CHECK_U64(view->file_count, found);
        for (size_t i = 0; i < found && i < view->file_count; i++) {
            const char *shown = view_name(view, state, i, &names);
            bool is_file = view->files[i] < VIEW_SPECIAL;
            const struct view_special none = {NULL, WALK_FILE, 0};
            const struct view_special *special =
                is_file ? &none : &view->specials[view->files[i] - VIEW_SPECIAL];

            file_count += is_file;
            (void)snprintf(got[i], sizeof got[i], "%d %d %s", special->kind, special->os_code,
                           shown);
            if (is_file) {
                const char *name = strrchr(shown, '/');
                const char *path = state->files[view->files[i]]->path, *last = strrchr(path, '/');

                TEST_CHECK(
                    strcmp(name != NULL ? name + 1 : shown, last != NULL ? last + 1 : path) == 0);
            }
        }
        free(names.bytes);
        for (size_t i = 0; i < found && i < view->file_count; i++)
            if (!TEST_CHECK(strcmp(got[i], expected[i]) == 0))
                printf("%s in %s: %s, expected %s\n", line, directory, got[i], expected[i]);
        if (!TEST_CHECK(view->show_names == job.show_names && view->left_out == job.left_out))
            printf("%s in %s\n", line, directory);
        check_seen(view, state);
    } else {
        printf("%s in %s: %s\n", line, directory, message);
    }
    view_drop(view);
    state_drop(state);
    settings_free(&settings);
    return file_count;
}

/* Checks that a view is refused with this reason. */
static void check_refusal(const char *directory, const char *line, const char *why)
{
    char copy[PATH_BYTES], message[SETTINGS_ERROR_BYTES] = "";
    struct settings settings;
    struct served_view *view;
    struct state *state;

    if (!parse_line(&settings, copy, line))
        return;
    view = view_of(directory, &settings, &state, message);
    if (!TEST_CHECK(view == NULL && strstr(message, why) != NULL))
        printf("%s in %s: %s, expected %s\n", line, directory, message, why);
    view_drop(view);
    state_drop(state);
    settings_free(&settings);
}

static void make_view_tree(void)
{
    TEST_CHECK(system("mkdir -p views/above/tree/src/deep views/above/tree/.git/info "
                      "views/above/tree/empty views/other && cd views/above/tree && "
                      "echo a > src/a.c && echo b > src/b.h && echo c > src/deep/c.c && "
                      "echo h > .hidden && echo o > src/a.o && echo '*.o' > .gitignore && "
                      "echo deep/ignored > src/.ignore && echo i > src/deep/ignored && "
                      "echo '*.log' > .git/info/exclude && echo l > src/x.log && echo top > top && "
                      "ln -s src link && ln -s top toplink && mkfifo pipe && "
                      "echo outside > ../../other/outside && echo Makefile > Makefile") == 0);
}

static const char *const lines[] = {
    "trawl -r -e x",
    "trawl -r -e x .",
    "trawl -r -e x ./",
    "trawl -r -e x src",
    "trawl -r -e x src// top",
    "trawl -r -e x ./src/. Makefile src/a.c",
    "trawl -r -e x src src",
    "trawl -e x top src/a.c",
    "trawl -e x top/",
    "trawl -e x top/. src/. ./top/./",
    "trawl -r -e x src/. top/. ./top",
    "trawl -D skip -e x pipe top",
    "trawl -r -D skip -e x pipe src",
    "trawl -e x nothing top nothing/below top/below",
    "trawl -r -e x nothing src",
    "trawl -r --include=*.c -e x",
    "trawl -r --exclude=*.c -e x src top",
    "trawl -r --exclude=*.c -e x src/a.c src/b.h src",
    "trawl -r --exclude-dir=deep -e x .",
    "trawl -r --exclude-dir=src -e x src .",
    "trawl -r --max-depth=1 -e x",
    "trawl -r --max-depth=2 -e x",
    "trawl -r --max-filesize=2 -e x",
    "trawl -r --max-filesize=3 -e x",
    "trawl -r --sort=path -e x",
    "trawl -r --sortr=path -e x src",
    "trawl -r -g *.c -e x",
    "trawl -r -g src/*.c -e x",
    "trawl -r -g !deep -e x src",
    "trawl -r --ignore -e x",
    "trawl -r --ignore --hidden -e x",
    "trawl -r --sortr=path -e x src top .",
    "trawl -r --sortr=path -g !b.h -e x",
    "tg -e x .git",
    "trawl -e x src top",
    "trawl -d skip -e x src top",
    "trawl -d skip -e x src",
    "trawl -d read -e x src",
    "trawl -r --exclude-dir=src -e x",
    "trawl -r --ignore --max-depth=2 -e x",
    "trawl -r --ignore --no-ignore-parent -e x",
    "trawl -r --type-add=o:*.o -to -e x",
    "tg -e x",
    "trawl -r --no-hidden -e x",
    "tg -u -e x",
    "tg -uu -e x",
    "tg --no-ignore-vcs -e x",
    "tg -u -e x .",
    "tg -e x .",
    "tg -tc -e x .",
    "tg -uu -e x src .",
    "tg --no-ignore-vcs -e x src/deep ./src",
};

#endif
