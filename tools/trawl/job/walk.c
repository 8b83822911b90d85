/* walk: finds the files to search.
 *
 * pool.c, or run.c for --files, requests item after item. Operands come in the order given, with
 * the files of a directory (tree.c) in its place. The walk opens no file: the worker that searches
 * a file opens it.
 *
 * Rejected: threads that read directories ahead of the walk of --files. 50,000 files in 5,000
 * directories took 64 ms instead of 52, and twice the processor time [Xeon, 16 cores, 2026-11-29].
 */
#include "trawl/job/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trawl/files/exclude.h"
#include "trawl/options/settings.h"
#include "trawl/text/guard.h"

bool walk_skips_special_files(const struct settings *settings, bool is_operand)
{
    if (settings->files.special_files == SPECIAL_FILES_READ_OPERANDS)
        return !is_operand && (!settings->files.follow_links || settings->is_tg);
    return settings->files.special_files == SPECIAL_FILES_SKIP;
}

bool walk_skips_operand(const struct walk *walk, const char *name, bool is_directory)
{
    if (is_directory) {
        if (walk->job->settings->files.directories == DIRECTORIES_SKIP)
            return true;
        if (walk->below_working_directory)
            return false;
    }
    return walk->job->exclude != NULL &&
           exclude_skips(walk->job->exclude, name, true, is_directory);
}

static bool set_item(struct walk_item *item, enum walk_kind kind, const char *name, bool is_operand)
{
    memset(item, 0, sizeof *item);
    item->kind = kind;
    item->name = name;
    item->type = DT_UNKNOWN;
    item->is_operand = is_operand;
    return true;
}

/* grep opens a directory before looking at --exclude-dir, so a directory that is skipped and
 * cannot be opened is an error. Returns true if it can; otherwise, `item` reports the error. */
static bool try_open_directory(struct walk_item *item)
{
    int descriptor =
        openat(AT_FDCWD, item->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (descriptor >= 0) {
        close(descriptor);
        return true;
    }
    item->kind = WALK_ERROR;
    item->os_code = errno;
    return false;
}

/* Begins with the next operand. True: `item` is set to the operand, or to an error. False: the
 * operand is a directory, whose files next_entry then lists, or a directory that is skipped. */
static bool next_operand(struct walk *walk, const char *operand, struct walk_item *item)
{
    const struct settings *settings = walk->job->settings;
    struct tree_options options;
    struct stat status;

    if (strcmp(operand, "-") == 0)
        return set_item(item, WALK_INPUT,
                        settings->heads.label != NULL ? settings->heads.label
                        : settings->is_tg             ? "<stdin>"
                                                      : "(standard input)",
                        true);
    set_item(item, WALK_FILE, operand, true);
    if (settings->files.directories != DIRECTORIES_RECURSE && !settings->files.names_only)
        return true; /* the caller finds out what kind of file it is when opening it */
    if (fstatat(AT_FDCWD, operand, &status, 0) != 0) {
        item->kind = WALK_ERROR;
        item->os_code = errno;
        return true;
    }
    item->type = (unsigned char)IFTODT(status.st_mode);
    if (!S_ISDIR(status.st_mode))
        return true;
    if (walk_skips_operand(walk, operand, true))
        return !try_open_directory(item);
    if (walk->job->show_names < 0)
        walk->job->show_names = 1;
    options = (struct tree_options){walk->job->exclude,
                                    walk->job->filter,
                                    &settings->files,
                                    settings->files.follow_links,
                                    walk_skips_special_files(settings, false),
                                    false,
                                    settings->is_tg,
                                    walk->open_levels,
                                    walk->job->left,
                                    NULL,
                                    settings->guard};
    walk->tree = tree_open(operand, &options);
    if (walk->tree == NULL) {
        set_item(item, WALK_ERROR, operand, true);
        item->os_code = errno;
    }
    return walk->tree == NULL;
}

/* Finds the next entry of the current tree. False: the tree has no more entries and is closed. */
static bool next_entry(struct walk *walk, struct walk_item *item)
{
    struct tree_entry entry;
    size_t hidden;

    if (!tree_next(walk->tree, &entry)) {
        tree_close(walk->tree);
        walk->tree = NULL;
        return false;
    }
    hidden = walk->below_working_directory && entry.path[0] == '.' && entry.path[1] == '/' ? 2 : 0;
    set_item(item,
             entry.kind == TREE_FILE   ? WALK_FILE
             : entry.kind == TREE_LOOP ? WALK_LOOP
             : entry.kind == TREE_NOTE ? WALK_NOTE
                                       : WALK_ERROR,
             entry.path + hidden, false);
    item->open_at = entry.kind == TREE_FILE ? entry.name_at - hidden : 0;
    item->directory = entry.directory;
    item->type = entry.type;
    item->os_code = entry.os_code;
    return true;
}

static int compare_paths(const void *one, const void *other)
{
    return strcmp(one, other);
}

/* Returns true if the file was found before. The names of hard links lead to files of their own,
 * because --write separates them. */
static bool is_taken(struct walk *walk, const char *name)
{
    char *path = realpath(name, NULL);
    const void *node;

    if (path == NULL) /* opening the file reports an error */
        return false;
    node = tsearch(path, &walk->taken, compare_paths);
    if (node != NULL && *(char *const *)node == path)
        return false;
    free(path);
    return node != NULL;
}

static bool ends_in(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const size_t bytes = strlen(name), end = strlen(suffix);

    return end > 0 && bytes > end && strcmp(name + bytes - end, suffix) == 0;
}

/* Returns true if the name of a backup leads to the file, perhaps through links. */
static bool is_backup(const char *path, const char *suffix)
{
    char *real = realpath(path, NULL);
    const bool is = ends_in(path, suffix) || (real != NULL && ends_in(real, suffix));

    free(real);
    return is;
}

/* --write: returns true if the walk goes on without the file, of which `item` may become a note. */
static bool is_passed_over(struct walk *walk, struct walk_item *item)
{
    const struct settings *settings = walk->job->settings;
    const char *slash = strrchr(item->name, '/'), *name = slash != NULL ? slash + 1 : item->name;

    if (settings->backup != NULL && is_backup(item->name, settings->backup)) {
        walk->job->left[LEFT_BY_OPTION] += !item->is_operand;
        if (!item->is_operand && !settings->files.debug)
            return true;
        free(walk->note);
        if (asprintf(&walk->note, "%s: skipped: its name ends as that of a backup", item->name) < 0)
            walk->note = NULL;
        return !set_item(item, WALK_NOTE, walk->note != NULL ? walk->note : item->name, false);
    }
    if (!item->is_operand && strncmp(name, walk->own, strlen(walk->own)) == 0)
        return true;
    return (walk->operand_count > 1 || settings->files.follow_links) && is_taken(walk, item->name);
}

bool walk_next(struct walk *walk, struct walk_item *item)
{
    const struct supply *supply = walk->job->supply;

    if (supply != NULL)
        return supply->next(supply->context, item);
    for (;;) {
        if (walk->tree != NULL) {
            if (!next_entry(walk, item))
                continue;
        } else if (walk->operand_at == walk->operand_count) {
            return false;
        } else if (!next_operand(walk, walk->operands[walk->operand_at++].text, item)) {
            continue;
        }
        if (!walk->job->settings->write || item->kind != WALK_FILE || !is_passed_over(walk, item))
            return true;
    }
}

void walk_close(struct walk *walk)
{
    tree_close(walk->tree);
    tdestroy(walk->taken, free);
    free(walk->note);
}

void walk_report(struct command_job *job, const struct walk_item *item)
{
    if (item->kind == WALK_ERROR)
        job_file_error(job, item->name, item->os_code);
    else if (item->kind == WALK_NOTE)
        job_message(job, "%s", item->name);
    else if (!job->settings->no_messages)
        job_message(job, "%s: %srecursive directory loop", item->name,
                    job->settings->is_tg ? "" : "warning: ");
    job->error_seen |= item->kind == WALK_LOOP && job->settings->is_tg; /* an error for ripgrep */
}

size_t walk_lists_of_input(const struct settings *settings)
{
    size_t count = 0;

    for (size_t i = 0; i < settings->patterns.count; i++)
        count += (settings->patterns.items[i].kind == VALUE_FILE ||
                  settings->patterns.items[i].kind == VALUE_RULES) &&
                 strcmp(settings->patterns.items[i].text, "-") == 0;
    for (size_t i = 0; i < settings->filters.count; i++)
        count += settings->filters.items[i].kind == VALUE_EXCLUDE_FROM &&
                 strcmp(settings->filters.items[i].text, "-") == 0;
    return count;
}

/* Returns true if a search without operands searches the working directory. tg, like ripgrep,
 * searches standard input instead if standard input is a file, a pipe or a socket, and no option
 * has read a list from standard input. */
bool walk_recurses(const struct settings *settings)
{
    return settings->files.directories == DIRECTORIES_RECURSE;
}

static bool searches_working_directory(const struct settings *settings)
{
    struct stat status;

    if (!walk_recurses(settings))
        return false;
    return !settings->is_tg || settings->files.names_only || walk_lists_of_input(settings) > 0 ||
           fstat(STDIN_FILENO, &status) != 0 ||
           !(S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

bool walk_reads_input(const struct settings *settings, const struct value_item *operands,
                      size_t operand_count)
{
    for (size_t i = 0; i < operand_count; i++)
        if (strcmp(operands[i].text, "-") == 0)
            return true;
    return operand_count == 0 && !searches_working_directory(settings);
}

void walk_open(struct walk *walk, struct command_job *job, const struct value_item *operands,
               size_t operand_count, unsigned open_levels)
{
    static const struct value_item input = {VALUE_OPERAND, "-", NULL};
    static const struct value_item working_directory = {VALUE_OPERAND, ".", NULL};

    memset(walk, 0, sizeof *walk);
    walk->job = job;
    walk->operands = operands;
    walk->operand_count = operand_count;
    walk->open_levels = open_levels;
    (void)snprintf(walk->own, sizeof walk->own, WALK_OWN_NAME, (long)getpid());
    if (job->supply != NULL) {
        job->supply->begin(job->supply->context, job, operands, operand_count);
        return;
    }
    if (operand_count == 0) {
        walk->below_working_directory = searches_working_directory(job->settings);
        walk->operands = walk->below_working_directory ? &working_directory : &input;
        walk->operand_count = 1;
    }
}
