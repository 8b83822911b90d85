/* walk: from operands to open descriptors, through directories where that is asked for. */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <unistd.h>

#include "trawl/exclude.h"
#include "trawl/walk.h"

struct walk {
    struct job *job;
    struct exclude *exclude;
    bool below_working_directory; /* no operand: names are shown without "./" */
};

static bool skips_devices(const struct walk *walk, bool is_operand)
{
    const struct typed *typed = walk->job->settings->typed;

    if (typed->devices == DEVICES_READ_OPERANDS)
        return !is_operand && !typed->follow_links;
    return typed->devices == DEVICES_SKIP;
}

static bool is_device(mode_t mode)
{
    return S_ISCHR(mode) || S_ISBLK(mode) || S_ISSOCK(mode) || S_ISFIFO(mode);
}

static bool skips_name(const struct walk *walk, const char *name, bool is_operand,
                       bool is_directory)
{
    if (is_directory) {
        if (walk->job->settings->typed->directories == DIRECTORIES_SKIP)
            return true;
        if (is_operand && walk->below_working_directory)
            return false;
    }
    return exclude_skips(walk->exclude, name, is_operand, is_directory);
}

static void walk_tree(struct walk *walk, const char *name);

static void search_open(struct walk *walk, int descriptor, const char *name, bool is_operand)
{
    struct job *job = walk->job;
    bool is_input = descriptor == STDIN_FILENO;
    struct stat status;
    bool is_directory;

    if (fstat(descriptor, &status) != 0) {
        job_file_error(job, name, errno);
        return;
    }
    is_directory = S_ISDIR(status.st_mode);
    if (!is_input && skips_devices(walk, is_operand) && is_device(status.st_mode))
        return;
    if (!is_input && is_operand && skips_name(walk, name, true, is_directory))
        return;
    if (!is_input && is_directory && job->settings->typed->directories != DIRECTORIES_READ) {
        if (job->settings->typed->directories == DIRECTORIES_RECURSE && is_operand)
            walk_tree(walk, name);
        return;
    }
    job_search(job, descriptor, &status, name);
}

/* Where standard input is closed, the next file opened would take its place. */
static int open_above_standard(const char *path, int flags)
{
    int descriptor = open(path, flags), moved;

    if (descriptor < 0 || descriptor > STDERR_FILENO)
        return descriptor;
    moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(descriptor);
    return moved;
}

static void search_file(struct walk *walk, const char *path, const char *name, bool is_operand,
                        bool follow)
{
    int flags = O_RDONLY | O_NOCTTY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW) |
                (skips_devices(walk, is_operand) ? O_NONBLOCK : 0);
    int descriptor = open_above_standard(path, flags);

    if (descriptor < 0) {
        if (follow || errno != ELOOP)
            job_file_error(walk->job, name, errno);
        return;
    }
    search_open(walk, descriptor, name, is_operand);
    if (close(descriptor) != 0)
        job_file_error(walk->job, name, errno);
}

/* One entry of a tree. */
static void search_entry(struct walk *walk, FTS *tree, FTSENT *entry)
{
    struct job *job = walk->job;
    bool is_root = entry->fts_level == FTS_ROOTLEVEL;
    bool follow = job->settings->typed->follow_links || is_root;
    const char *name = entry->fts_path;

    if (entry->fts_info == FTS_DP)
        return;
    if (skips_name(walk, is_root ? entry->fts_accpath : entry->fts_name, is_root,
                   entry->fts_info == FTS_D || entry->fts_info == FTS_DC ||
                       entry->fts_info == FTS_DNR)) {
        fts_set(tree, entry, FTS_SKIP);
        return;
    }
    if (walk->below_working_directory && name[0] == '.' && name[1] == '/')
        name += 2;
    switch (entry->fts_info) {
    case FTS_D:
    case FTS_SL:
        return;
    case FTS_DC:
        if (!job->settings->typed->no_messages)
            job_message(job, "%s: warning: recursive directory loop", name);
        return;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        job_file_error(job, name, entry->fts_errno);
        return;
    case FTS_DEFAULT:
        if (skips_devices(walk, is_root) && is_device(entry->fts_statp->st_mode))
            return;
        break;
    default:
        break;
    }
    search_file(walk, entry->fts_accpath, name, is_root, follow);
}

static void walk_tree(struct walk *walk, const char *name)
{
    bool follow = walk->job->settings->typed->follow_links;
    char *roots[2] = {(char *)(uintptr_t)name, NULL};
    FTS *tree =
        fts_open(roots, FTS_NOCHDIR | (follow ? FTS_LOGICAL : FTS_PHYSICAL | FTS_COMFOLLOW), NULL);
    FTSENT *entry;

    if (walk->job->show_names < 0)
        walk->job->show_names = 1;
    if (tree == NULL) {
        job_file_error(walk->job, name, errno);
        return;
    }
    errno = 0;
    while (!walk->job->done && (entry = fts_read(tree)) != NULL) {
        search_entry(walk, tree, entry);
        errno = 0;
    }
    if (!walk->job->done && errno != 0)
        job_file_error(walk->job, name, errno);
    fts_close(tree);
}

static void search_operand(struct walk *walk, const char *operand)
{
    const char *label = walk->job->settings->typed->label;

    if (strcmp(operand, "-") == 0)
        search_open(walk, STDIN_FILENO, label != NULL ? label : "(standard input)", true);
    else
        search_file(walk, operand, operand, true, true);
}

void job_walk(struct job *job, struct exclude *exclude, const struct typed_item *operands,
              size_t operand_count)
{
    struct walk walk = {job, exclude, false};

    if (operand_count == 0) {
        walk.below_working_directory = job->settings->typed->directories == DIRECTORIES_RECURSE;
        search_operand(&walk, walk.below_working_directory ? "." : "-");
    }
    for (size_t i = 0; i < operand_count && !job->done; i++)
        search_operand(&walk, operands[i].text);
}
