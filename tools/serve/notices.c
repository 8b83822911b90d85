/* notices: reads the kernel's change notices (inotify), and decides what a collection must check
 * again.
 *
 * A notice leads to a file that may have changed, or to a part of the tree that must be walked: a
 * directory, with or without the directories below.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "serve/inside.h"
#include "trawl/options/settings.h"
#include "trawl/text/grow.h"

bool walks_by_rules(const struct file_settings *files)
{
    return files->filtering || files->hidden < 0 || files->rules.count > 0;
}

/* Returns true if a walk that begins at a lower directory finds the same files below it as a walk
 * of the whole tree. A walk that begins lower may miss rules of directories above it and the
 * boundary of a file system, and counts depth from another directory. */
static bool walks_alike_below(const struct file_settings *files)
{
    return !(files->filtering && files->no_ignore_parent) && !files->one_file_system &&
           files->depth_max == UINT64_MAX;
}

/* Sets collection->path to directory/name. If out of memory, returns false, and the whole tree
 * will be walked. */
static bool set_path(struct collection *collection, const char *directory, const char *name)
{
    size_t bytes = strlen(directory) + strlen(name) + 2;
    bool good = GROW(collection->path, collection->path_capacity, 256, bytes);

    collection->must_walk |= !good;
    if (!good)
        return false;
    (void)snprintf(collection->path, bytes, "%s%s%s", directory,
                   *directory == '\0' || *name == '\0' ? "" : "/", name);
    return true;
}

void drop_part(struct collection *collection, size_t at)
{
    struct changed_part *parts = collection->parts;

    free(parts[at].path);
    collection->part_count--;
    memmove(parts + at, parts + at + 1, (collection->part_count - at) * sizeof *parts);
}

/* Adds the directory collection->path to the parts that must be walked, or notes that the whole
 * tree must be. Afterwards no part lies inside a part that is `deep`. */
static void add_part(struct collection *collection, bool deep)
{
    const struct file_settings *files = &collection->walking->files;
    struct changed_part *parts = collection->parts;
    const char *path = collection->path;
    size_t at = 0;
    char *copy;

    while (at < collection->part_count) {
        bool same = strcmp(parts[at].path, path) == 0;

        if (parts[at].deep ? is_in(path, parts[at].path) : same && !deep)
            return;
        if (same || (deep && is_in(parts[at].path, path)))
            drop_part(collection, at);
        else
            at++;
    }
    /* A walk of a part opens the whole path in one call, so the path must not be too long. */
    if (at == PARTS_MAX || (deep && *path == '\0') || collection->file != NULL ||
        strlen(collection->base) + strlen(path) + 2 > PATH_MAX || !walks_alike_below(files) ||
        (copy = strdup(path)) == NULL) {
        collection->must_walk = true;
        return;
    }
    parts[collection->part_count++] = (struct changed_part){copy, deep};
}

/* Adds a file's index to collection->dirty, the list of files whose contents may have changed. */
static void add_dirty(struct collection *collection, uint32_t index)
{
    uint32_t *dirty = collection->dirty;

    if (collection->dirty_count > 0 && dirty[collection->dirty_count - 1] == index)
        return;
    if (GROW(collection->dirty, collection->dirty_capacity, 64, collection->dirty_count + 1))
        collection->dirty[collection->dirty_count++] = index;
    else
        collection->must_walk = true;
}

bool status_below(int directory, const char *path, struct stat *status)
{
    bool good = fstatat(directory, path, status, AT_SYMLINK_NOFOLLOW) == 0;
    int descriptor;

    if (good || errno != ENAMETOOLONG)
        return good;
    descriptor = open_below(directory, path, O_PATH | O_CLOEXEC);
    good = descriptor >= 0 && fstat(descriptor, status) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return good;
}

/* Adds collection->path to the list of new files (`fresh`). The caller has made sure that no rule
 * skips the file. */
static void add_fresh(struct collection *collection)
{
    char *copy = NULL;

    if (GROW(collection->fresh, collection->fresh_capacity, 64, collection->fresh_count + 1))
        copy = strdup(collection->path);
    collection->must_walk |= copy == NULL;
    if (copy != NULL)
        collection->fresh[collection->fresh_count++] = copy;
}

/* Returns true if some option or rule may skip a file because of its path or size. */
static bool may_leave_out(const struct settings *settings)
{
    return walks_by_rules(&settings->files) || settings->filters.count > 0 ||
           settings->files.depth_max != UINT64_MAX || settings->files.bytes_max != UINT64_MAX;
}

static bool is_rule_file(const char *name)
{
    static const char *const names[] = {".gitignore", ".ignore", ".rgignore", ".git", "exclude"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static struct written_name *written_find(struct collection *collection, const char *path)
{
    for (size_t i = 0; i < collection->written_count; i++)
        if (strcmp(collection->written[i].path, path) == 0)
            return &collection->written[i];
    return NULL;
}

/* Follows collection->path through notices, from its first write. A known file may have been
 * written through a hard link that is gone before anybody checks it, and then no notice names the
 * file. So if a name was written to and then removed, replaced, or moved out of the collection, the
 * tree is walked; a file that is written under a temporary name and then moved causes no walk. */
static void follow_written_path(struct collection *collection, const struct notice *notice,
                                bool is_seen)
{
    struct written_name *written = written_find(collection, collection->path);

    collection->must_walk |= written != NULL && (notice->is_deleted || notice->is_moved);
    if (notice->is_moved) {
        for (size_t i = 0; i < collection->written_count; i++) {
            char *copy = NULL;

            if (collection->written[i].cookie != notice->cookie ||
                (copy = strdup(collection->path)) == NULL)
                continue;
            free(collection->written[i].path);
            collection->written[i] = (struct written_name){copy, 0, !is_seen};
        }
    } else if (written == NULL && notice->is_written) {
        char *copy = collection->written_count < WRITTEN_MAX ? strdup(collection->path) : NULL;

        collection->must_walk |= copy == NULL;
        if (copy != NULL)
            collection->written[collection->written_count++] =
                (struct written_name){copy, 0, !is_seen};
    } else if (written != NULL) {
        written->cookie = notice->cookie;
        written->is_gone = !is_seen;
    }
}

/* Ends the check of the tree: names that were written to and no longer exist may have been hard
 * links. */
static void drop_written(struct collection *collection)
{
    while (collection->written_count > 0) {
        struct written_name *written = &collection->written[--collection->written_count];

        collection->must_walk |= written->is_gone;
        free(written->path);
    }
}

/* Handles a notice about a file, or about a name that may have been a file. */
static void take_file_notice(struct collection *collection, const struct notice *notice)
{
    bool limited = collection->walking->files.bytes_max != UINT64_MAX;
    bool is_seen, is_file, is_closed, is_new;
    struct stat status;
    nlink_t links = 0;
    uint32_t index;

    if (collection->file != NULL && strcmp(notice->name, collection->file) != 0) {
        collection->must_walk |= notice->is_written; /* the walk checks only this file */
        return;
    }
    if (!set_path(collection, notice->directory, notice->name))
        return;
    index = state_find(collection->state, collection->path);
    if (index != UINT32_MAX) {
        links = collection->state->files[index]->supplied.status.st_nlink;
        add_dirty(collection, index);
    }
    is_new = index == UINT32_MAX || collection->state->files[index]->kind != ENTRY_FILE;
    is_seen = status_below(collection->shelf.base, collection->path, &status);
    is_file = is_seen && S_ISREG(status.st_mode);
    is_closed = !is_seen && !is_gone(errno);
    follow_written_path(collection, notice, is_seen);
    /* A file with hard links has changed under its other names, too. */
    if (links > 1 || (is_file && status.st_nlink > 1))
        collection->must_walk = true;
    else if (is_file && is_new && !may_leave_out(collection->walking))
        add_fresh(collection);
    else if ((is_closed || (is_file && (limited || (is_new && notice->kind == NOTICE_NAME)))) &&
             set_path(collection, notice->directory, ""))
        add_part(collection, false);
}

/* Returns true if collection->path was a directory that disappeared before it was ever read. It may
 * have contained hard links to known files. */
static bool was_unseen(const struct collection *collection)
{
    struct stat status;

    return state_find(collection->state, collection->path) == UINT32_MAX &&
           !status_below(collection->shelf.base, collection->path, &status);
}

/* Decides which files must be checked, or which directories must be walked, after a notice. */
static void take_notice(struct collection *collection, const struct notice *notice)
{
    const struct settings *settings = collection->walking;
    bool of_rules = is_rule_file(notice->name), of_tree = notice->kind == NOTICE_TREE;

    collection->renamed |= of_rules || of_tree || notice->is_moved;
    if (of_tree) /* a directory that had two paths may have only one now */
        collection->conflict_count = 0;
    collection->must_walk |=
        notice->is_walked ? of_rules && settings->files.filtering : of_rules || of_tree;
    if (!notice->is_walked)
        return;
    if (of_tree && *notice->name != '\0' && set_path(collection, notice->directory, notice->name))
        collection->must_walk |= was_unseen(collection);
    if (!of_tree)
        take_file_notice(collection, notice);
    else if (set_path(collection, notice->directory, may_leave_out(settings) ? "" : notice->name))
        add_part(collection, true);
}

/* Returns true if the path of the base (the directory to which the collection's paths are relative)
 * now leads to another directory, or to none. The kernel sends no notice if an empty base is
 * replaced, or if a directory above the base is renamed. */
static bool is_base_replaced(const struct collection *collection)
{
    struct stat named, open;

    return collection->shelf.base >= 0 &&
           (lstat(collection->base, &named) != 0 || fstat(collection->shelf.base, &open) != 0 ||
            named.st_dev != open.st_dev || named.st_ino != open.st_ino);
}

void take_notices(struct collection *collection)
{
    struct notice notice;

    if (is_base_replaced(collection))
        collection->must_walk = collection->renamed = true;
    while (collection->watches != NULL && watches_next(collection->watches, &notice))
        if (notice.kind == NOTICE_LOST || collection->state == NULL)
            collection->must_walk = collection->renamed = true;
        else
            take_notice(collection, &notice);
    drop_written(collection);
}
