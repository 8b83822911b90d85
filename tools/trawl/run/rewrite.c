/* rewrite: --write puts what --replace makes of a file in the file's place, and --diff prints the
 * difference. The new content is what a search with --passthru prints without prefixes of lines. */
#include "trawl/run/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trawl/print/edits.h"
#include "trawl/job/walk.h"
#include "trawl/run/conditions.h"
#include "trawl/run/pre.h"
#include "trawl/text/facts.h"
#include "trawl/text/whole.h"
#include "trawl/options/settings.h"

#define NEW_NAME WALK_OWN_NAME "XXXXXX" /* name of the new file, until it gets the old one's */
#define NEW_NAME_BYTES (sizeof NEW_NAME + 20)

/* A file that is being replaced. */
struct rewrite {
    struct output output;
    char path[PATH_MAX];                  /* without symbolic links */
    char made[PATH_MAX + NEW_NAME_BYTES]; /* the new file; "": none */
    char kept[PATH_MAX + NAME_MAX];       /* the old file's name with --backup */
    const char *failed;                   /* what failed; NULL: nothing */
    char lost[FACTS_LOST_BYTES];          /* what of the old file the new one lacks; "": nothing */
};

/* Finds the file's path, and opens the new file beside it. */
static bool open_new(struct rewrite *rewrite, const struct open_file *file, bool is_diff)
{
    char link[64];
    ssize_t length;
    char *base;
    int descriptor;

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", file->descriptor);
    length = readlink(link, rewrite->path, sizeof rewrite->path - 1);
    if (length <= 0) {
        rewrite->failed = "cannot find the path";
        return false;
    }
    rewrite->path[length] = '\0';
    memcpy(rewrite->made, rewrite->path, (size_t)length + 1);
    base = strrchr(rewrite->made, '/');
    if (base == NULL) {
        errno = ENOENT;
        rewrite->failed = "cannot find the path";
        return false;
    }
    (void)snprintf(base + 1, NEW_NAME_BYTES, NEW_NAME, (long)getpid());
    descriptor = is_diff ? memfd_create("trawl", MFD_CLOEXEC) : mkostemp(rewrite->made, O_CLOEXEC);
    if (descriptor < 0 || is_diff)
        rewrite->made[0] = '\0';
    if (descriptor < 0) {
        rewrite->failed = "cannot create a file in its directory";
        return false;
    }
    output_open(&rewrite->output, descriptor);
    return true;
}

/* Returns true if the name still leads to the file as it was when it was opened. */
static bool is_unchanged(const struct rewrite *rewrite, const struct open_file *file)
{
    struct stat now;

    return stat(rewrite->path, &now) == 0 && now.st_dev == file->status->st_dev &&
           now.st_ino == file->status->st_ino && now.st_size == file->status->st_size &&
           now.st_mtim.tv_sec == file->status->st_mtim.tv_sec &&
           now.st_mtim.tv_nsec == file->status->st_mtim.tv_nsec;
}

/* --diff: prints what has changed. */
static void print_changes(struct rewrite *rewrite, struct command_job *job, struct edits *edits,
                          const struct open_file *file)
{
    const int made_file = rewrite->output.descriptor;
    char *old = NULL, *made = NULL;
    size_t old_bytes, made_bytes;

    if (lseek(file->descriptor, 0, SEEK_SET) != 0 || lseek(made_file, 0, SEEK_SET) != 0 ||
        !whole_read_from(file->descriptor, SIZE_MAX, &old, &old_bytes) ||
        !whole_read_from(made_file, SIZE_MAX, &made, &made_bytes)) {
        rewrite->failed = "cannot compare";
    } else if (!is_unchanged(rewrite, file) || old_bytes != (uint64_t)file->status->st_size) {
        errno = 0;
        rewrite->failed = "the file was changed during the search";
    } else {
        edits_print(job->output, file->name, edits, (const uint8_t *)old, old_bytes,
                    (const uint8_t *)made, made_bytes);
        output_commit(job->output);
    }
    free(old);
    free(made);
}

/* Returns true if the file has a NUL byte. Sets rewrite->failed if it cannot be read. */
static bool has_nul(struct rewrite *rewrite, const struct open_file *file)
{
    uint8_t *bytes = rewrite->output.initial;
    off_t at = 0;
    ssize_t got;

    while ((got = pread(file->descriptor, bytes, OUTPUT_BYTES, at)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            rewrite->failed = "cannot be read";
            return false;
        }
        if (memchr(bytes, '\0', (size_t)got) != NULL)
            return true;
        at += got;
    }
    return false;
}

/* Returns true if both files have the same bytes. If they cannot be read, they differ. */
static bool are_equal(int one, off_t one_bytes, int other, off_t other_bytes)
{
    uint8_t bytes[2][4096];
    off_t at = 0;

    while (one_bytes == other_bytes && at < one_bytes) {
        const ssize_t got = pread(one, bytes[0], sizeof bytes[0], at);

        if (got <= 0 || pread(other, bytes[1], (size_t)got, at) != got ||
            memcmp(bytes[0], bytes[1], (size_t)got) != 0)
            return false;
        at += got;
    }
    return one_bytes == other_bytes;
}

/* Gives the old file another name, too, unless there is a file of that name. */
static bool keep_old(struct rewrite *rewrite, const char *suffix)
{
    rewrite->failed = "cannot make the backup";
    errno = ENAMETOOLONG;
    return snprintf(rewrite->kept, sizeof rewrite->kept, "%s%s", rewrite->path, suffix) <
               (int)sizeof rewrite->kept &&
           link(rewrite->path, rewrite->kept) == 0;
}

/* Completes the new file and gives it the old one's name, unless the content is the same. Returns
 * true if the name leads to the new file. */
static bool put_in_place(struct rewrite *rewrite, const struct open_file *file,
                         const struct settings *settings)
{
    const struct stat *old = file->status;
    const int descriptor = rewrite->output.descriptor;
    struct stat made;
    char name[64];
    int copy;

    rewrite->failed = "cannot compare";
    if (fstat(descriptor, &made) != 0)
        return false;
    if (are_equal(file->descriptor, old->st_size, descriptor, made.st_size)) {
        rewrite->failed = NULL;
        return false;
    }
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", file->descriptor);
    facts_keep(name, old->st_uid, old->st_gid, old->st_mode & 07777, descriptor, rewrite->lost);
    rewrite->failed = "write error";
    copy = dup(descriptor);
    if (copy < 0 || close(copy) != 0) /* NFS writes when a descriptor is closed */
        return false;
    rewrite->failed = "the file was changed during the search";
    errno = 0;
    if (!is_unchanged(rewrite, file) ||
        (settings->backup != NULL && !keep_old(rewrite, settings->backup)))
        return false;
    rewrite->failed = "cannot rename the new file";
    if (rename(rewrite->made, rewrite->path) != 0) {
        const int os_code = errno;

        if (settings->backup != NULL)
            (void)unlink(rewrite->kept);
        errno = os_code;
        return false;
    }
    rewrite->made[0] = '\0';
    rewrite->failed = NULL;
    return true;
}

static void rewrite_file(struct command_job *job, const struct open_file *file)
{
    const uint64_t selected = job->totals.sums.selected_count;
    const bool had_errors = job->error_seen;
    struct output *const output = job->output;
    struct rewrite *rewrite;
    struct edits edits = {0};
    bool changed = false;

    rewrite = calloc(1, sizeof *rewrite);
    if (rewrite == NULL) {
        job_fail(job, MESSAGE_EXHAUSTED);
        job->error_seen = job->done = true;
        return;
    }
    if (!job->settings->writes_binary && has_nul(rewrite, file)) {
        if (file->is_operand || !job->settings->is_tg)
            job_message(job, "%s: binary file: not written without -a", file->name);
        job->error_seen |= file->is_operand;
    } else if (rewrite->failed == NULL && open_new(rewrite, file, job->settings->diff)) {
        job->output = &rewrite->output;
        job->error_seen = false;
        job->edits = job->settings->diff ? &edits : NULL;
        search_file(job, file);
        job->output = output;
        job->edits = NULL;
        output_flush(&rewrite->output);
        changed = job->totals.sums.selected_count > selected && !job->error_seen &&
                  rewrite->output.error == 0;
        if (rewrite->output.error != 0) {
            errno = rewrite->output.error;
            rewrite->failed = "write error";
        } else if (changed && job->settings->diff)
            print_changes(rewrite, job, &edits, file);
        else if (changed)
            changed = put_in_place(rewrite, file, job->settings);
        job->error_seen |= had_errors;
    }
    if (rewrite->failed != NULL) {
        job_message(job, errno != 0 ? "%s: %s: %s" : "%s: %s", file->name, rewrite->failed,
                    strerror(errno));
        job->error_seen = true;
    }
    if (rewrite->output.bytes != NULL) { /* it was opened */
        (void)close(rewrite->output.descriptor);
        output_close(&rewrite->output);
    }
    if (rewrite->made[0] != '\0')
        (void)unlink(rewrite->made);
    free(edits.items);
    if (changed && rewrite->lost[0] != '\0')
        job_message(job, "%s: the new file lacks the old file's %s", file->name, rewrite->lost);
    if (changed && !job->settings->diff) {
        output_format(job->output, "%s\n", file->name);
        output_commit(job->output);
    }
    free(rewrite);
}

/* Returns true if tg would decode the file to search it, which --write does not. */
static bool is_utf16(const struct settings *settings, const struct open_file *file)
{
    uint8_t mark[2];

    return settings->write && !settings->writes_binary && settings->is_tg &&
           S_ISREG(file->status->st_mode) && file->descriptor >= 0 &&
           pread(file->descriptor, mark, sizeof mark, 0) == (ssize_t)sizeof mark &&
           mark[0] + mark[1] == 0xff + 0xfe && mark[0] >= 0xfe && mark[1] >= 0xfe;
}

/* Searches the file, or writes it, if it meets the conditions of --in-file. */
static void search_or_write(struct command_job *job, const struct open_file *file)
{
    struct stat status = *file->status;
    struct open_file asked = *file;

    asked.status = &status;
    if (job->conditions != NULL && job->lines_meet == NULL && !S_ISDIR(file->status->st_mode) &&
        !conditions_of_file(job, &asked, &status)) {
        if (file->pre == NULL || pre_end(file->pre, job, file->name, true))
            search_file_pass_over(job, file->name);
        job->totals.sums.file_count++;
    } else if (job->settings->write && !S_ISDIR(file->status->st_mode)) {
        rewrite_file(job, file);
    } else {
        search_file(job, &asked); /* reports a directory */
    }
    if (asked.descriptor >= 0 && asked.descriptor != file->descriptor)
        conditions_drop(job, asked.descriptor);
}

void rewrite_or_search(struct command_job *job, const struct open_file *file)
{
    const mode_t mode = file->status->st_mode;

    if (is_utf16(job->settings, file)) {
        job_message(job, "%s: UTF-16: not written without -a", file->name);
        job->error_seen |= file->is_operand;
    } else if (job->settings->write && !S_ISDIR(mode) &&
               (!S_ISREG(mode) || file->descriptor < 0 || file->descriptor == STDIN_FILENO)) {
        job_message(job, "%s: --write and --diff take regular files only", file->name);
        job->error_seen = true;
    } else {
        search_or_write(job, file);
    }
}
