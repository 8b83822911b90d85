/* input: one item of the walk, from its name to its search. */
#include "trawl/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "trawl/encoding.h"
#include "trawl/interrupt.h"
#include "trawl/progress.h"
#include "trawl/scan.h"
#include "trawl/searchers.h"

/* Files up to this size are read whole where the first match may end the search. */
#define WHOLE_BYTES_FIRST SEARCHERS_BYTES_FIRST
/* Files from this size on are searched by all threads, if no other worker needs a core ... */
#define SHARED_BYTES_ALONE (UINT64_C(512) << 10)
#define SHARED_BYTES (UINT64_C(8) << 20)        /* ... or if all wait for it to be printed ... */
#define SHARED_BYTES_AHEAD (UINT64_C(32) << 20) /* ... which is waited for from here on. */

static bool is_device(mode_t mode)
{
    return S_ISCHR(mode) || S_ISBLK(mode) || S_ISSOCK(mode) || S_ISFIFO(mode);
}

/* Read a regular file to its end; known_bytes: what its size is said to be, 0: not known. False:
 * it is too long, or something is wrong, which looking at it once more will tell. */
static bool read_whole(struct pool_worker *worker, int descriptor, uint64_t known_bytes,
                       struct job_file *file)
{
    uint64_t most = searchers_stop_early(worker->job->settings) ? WHOLE_BYTES_FIRST : WHOLE_BYTES;
    uint8_t *bytes = NULL;
    uint64_t used = 0;

    if (worker->searcher == NULL || known_bytes > most)
        return false;
    bytes = gather_room(&worker->gather);
    while (bytes != NULL) {
        ssize_t got = pread(descriptor, bytes + used, (size_t)(most + 1 - used), (off_t)used);

        if (got < 0 && errno == EINTR)
            continue;
        used += got > 0 ? (uint64_t)got : 0;
        if (got < 0 || used > most)
            return false;
        /* Less came than requested, and as much as the file is known to have: it is all. */
        if (got == 0 || used == known_bytes) {
            if (worker->job->settings->search_zip && trawl_compression(bytes, used) != NULL)
                return false;
            file->bytes = bytes;
            file->bytes_count = used;
            return true;
        }
    }
    return false;
}

/* A file of a tree that its directory says is regular: nothing more need be known of it, unless it
 * might be the output, or its size is asked for (-T, holes). */
static bool read_unseen(struct pool_worker *worker, int descriptor, const struct walk_item *item,
                        struct stat *status, struct job_file *file)
{
    const struct job *job = worker->job;

    if (item->is_operand || item->type != DT_REG || job->output_is_regular ||
        job->settings->initial_tab || !read_whole(worker, descriptor, 0, file))
        return false;
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFREG;
    status->st_size = (off_t)file->bytes_count;
    return file->bytes_count <= BLOCK_BYTES;
}

/* Said after what those files print that wait to be searched. */
static void file_error(struct pool_worker *worker, const char *name, int os_code)
{
    gather_flush(worker);
    if (pool_may_search(worker))
        job_file_error(worker->job, name, os_code);
}

void pool_tell_progress(struct pool_worker *worker)
{
    progress_add(worker->searched_bytes - worker->told_bytes, worker->searched_found);
    worker->told_bytes = worker->searched_bytes;
    worker->searched_found = 0;
}

/* With the searcher of all threads, when it is this file's turn. */
static void search_shared(struct pool_worker *worker, const struct job_file *file)
{
    if (!pool_wait_turn(worker))
        return;
    worker->job->searcher = pool_shared_searcher(worker);
    if (worker->job->searcher == NULL)
        return;
    interrupt_check();
    pool_tell_progress(worker);
    worker->job->prints_alone = true;
    job_search(worker->job, file);
    worker->job->prints_alone = false;
}

void pool_search_single(struct pool_worker *worker, const struct job_file *file)
{
    uint64_t before = worker->job->totals.selected_count;

    worker->job->searcher = worker->searcher;
    job_search(worker->job, file);
    worker->searched_found += worker->job->totals.selected_count - before;
    worker->searched_bytes += trawl_searcher_progress(worker->searcher);
}

static bool wants_all_threads(struct pool_worker *worker, const struct stat *status)
{
    uint64_t bytes = (uint64_t)status->st_size;

    if (worker->searcher == NULL || !S_ISREG(status->st_mode) || bytes >= SHARED_BYTES_AHEAD)
        return true;
    if (bytes < SHARED_BYTES_ALONE || !pool_has_turn(worker))
        return false;
    return bytes >= SHARED_BYTES || !pool_is_shared(worker);
}

static void search_big(struct pool_worker *worker, const struct job_file *file)
{
    gather_flush(worker);
    if (!pool_may_search(worker))
        return;
    if (wants_all_threads(worker, file->status))
        search_shared(worker, file);
    else
        pool_search_single(worker, file);
}

/* A file in another encoding: what comes out of a pipe instead of the file. */
static void search_encoded(struct pool_worker *worker, const struct job_file *file)
{
    struct job_file converted = *file;
    struct encoding *encoding;
    int os_code;

    converted.descriptor =
        encoding_begin(&encoding, worker->job->settings->encoding, file->descriptor);
    if (converted.descriptor < 0) {
        file_error(worker, file->name, errno);
        return;
    }
    search_big(worker, &converted);
    os_code = encoding_end(encoding);
    if (os_code != 0)
        file_error(worker, file->name, os_code);
}

static void search_open(struct pool_worker *worker, int descriptor, const struct walk_item *item)
{
    const struct settings *settings = worker->job->settings;
    struct stat status;
    struct job_file file = {descriptor,           &status,         item->name, NULL, 0,
                            settings->search_zip, item->is_operand};

    if (settings->encoding == NULL && read_unseen(worker, descriptor, item, &status, &file)) {
        gather_search(worker, &file);
        return;
    }
    if (fstat(descriptor, &status) != 0) {
        file_error(worker, item->name, errno);
        return;
    }
    if (item->kind != WALK_INPUT) {
        bool is_directory = S_ISDIR(status.st_mode);

        if (walk_skips_devices(settings, item->is_operand) && is_device(status.st_mode))
            return;
        if (item->is_operand && walk_skips_operand(pool_walk(worker), item->name, is_directory))
            return;
        if (is_directory && settings->directories != DIRECTORIES_READ)
            return;
    }
    if (encoding_applies(settings->encoding, descriptor, &status)) {
        search_encoded(worker, &file);
        return;
    }
    if (item->kind != WALK_INPUT) {
        if (file.bytes == NULL && S_ISREG(status.st_mode))
            (void)read_whole(worker, descriptor, (uint64_t)status.st_size, &file);
    }
    if (file.bytes != NULL) {
        gather_search(worker, &file);
        return;
    }
    search_big(worker, &file);
}

/* Not to be opened before it is its turn: a pipe's writer would notice. */
static bool waits(const struct walk_item *item, int directory)
{
    struct stat status;

    if (item->type != DT_UNKNOWN)
        return item->type != DT_REG;
    return fstatat(directory, item->name + item->open_at, &status, 0) == 0 &&
           !S_ISREG(status.st_mode);
}

static void search_file(struct pool_worker *worker, const struct walk_item *item)
{
    const struct settings *settings = worker->job->settings;
    bool follow = item->is_operand || settings->follow_links;
    int directory = item->directory != NULL ? item->directory->descriptor : AT_FDCWD;
    int flags = O_RDONLY | O_NOCTTY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW) |
                (walk_skips_devices(settings, item->is_operand) ? O_NONBLOCK : 0);
    int descriptor, open_error;
    bool turn;

    if ((!pool_has_turn(worker) || worker->gather.count > 0) && waits(item, directory)) {
        gather_flush(worker);
        if (!pool_wait_turn(worker))
            return;
    }
    turn = pool_has_turn(worker); /* else the open may not wait */
    if (turn)
        interrupt_allow();
    descriptor = tree_open_above_standard(directory, item->name + item->open_at, flags);
    open_error = errno;
    if (turn)
        interrupt_forbid();
    if (descriptor < 0) {
        if (follow || open_error != ELOOP)
            file_error(worker, item->name, open_error);
        return;
    }
    search_open(worker, descriptor, item);
    if (close(descriptor) != 0)
        file_error(worker, item->name, errno);
}

void pool_search(struct pool_worker *worker, const struct walk_item *item)
{
    if (interrupt_came() && pool_has_turn(worker))
        interrupt_check();
    if (item->kind != WALK_FILE) {
        gather_flush(worker);
        if (!pool_may_search(worker))
            return;
    }
    switch (item->kind) {
    case WALK_FILE:
        search_file(worker, item);
        break;
    case WALK_INPUT:
        if (pool_wait_turn(worker))
            search_open(worker, STDIN_FILENO, item);
        break;
    case WALK_LOOP:
        if (!worker->job->settings->no_messages)
            job_message(worker->job, "%s: warning: recursive directory loop", item->name);
        break;
    case WALK_NOTE:
        job_message(worker->job, "%s", item->name);
        break;
    case WALK_ERROR:
        job_file_error(worker->job, item->name, item->os_code);
        break;
    }
}
