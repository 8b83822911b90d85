/* input: opens and searches an item of the walk.
 *
 * pool.c calls pool_search in the thread of each worker. A small file is read as a whole and may
 * wait in gather.c; a larger file, a pipe or a compressed file goes to search_file.c. A file that
 * cannot be opened gets a message, and the search goes on.
 */
#include "trawl/run/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trawl/files/archive.h"
#include "trawl/files/file_filter.h"
#include "trawl/options/encoding.h"
#include "trawl/job/command_scan.h"
#include "trawl/job/searchers.h"
#include "trawl/text/sizes.h"
#include "trawl/job/totals.h"
#include "trawl/run/members.h"
#include "trawl/run/pre.h"
#include "trawl/run/rewrite.h"
#include "trawl/run/search_file.h"
#include "trawl/text/message.h"
#include "trawl/text/calls.h"
#include "trawl/options/settings.h"

/* Files up to this size are read as a whole if the first match may end the search. */
#define WHOLE_BYTES_FIRST SEARCHERS_BYTES_FIRST
/* A file of at least SHARED_BYTES_AHEAD bytes is searched by all threads together, after its worker
 * has waited for its turn to print. SHARED_BYTES are enough if the worker has the turn, and
 * SHARED_BYTES_ALONE if, in addition, no other worker is active. */
#define SHARED_BYTES_ALONE SIZE_OR_SMALL(UINT64_C(512) << 10, UINT64_C(2000))
#define SHARED_BYTES SIZE_OR_SMALL(UINT64_C(8) << 20, UINT64_C(4000))
#define SHARED_BYTES_AHEAD SIZE_OR_SMALL(UINT64_C(32) << 20, UINT64_C(8000))

/* A file of LONG_BYTES, or a compressed file of LONG_BYTES_PACKED, takes so long that other workers
 * get the rest of this worker's batch. */
#define LONG_BYTES SIZE_OR_SMALL(UINT64_C(4) << 20, UINT64_C(3000))
#define LONG_BYTES_PACKED SIZE_OR_SMALL(UINT64_C(64) << 10, UINT64_C(100))

#define COMPRESSION_BYTES 10u /* what packed_state_of needs */
#define ROOM_ALIGNMENT 4096u

static bool is_special_file(mode_t mode)
{
    return S_ISCHR(mode) || S_ISBLK(mode) || S_ISSOCK(mode) || S_ISFIFO(mode);
}

/* Reports an error about a file, after searching and reporting the files that wait in gather.c. */
static void file_error(struct pool_worker *worker, const char *name, int os_code)
{
    gather_flush(worker);
    if (pool_wants_next_file(worker))
        job_file_error(worker->job, name, os_code);
}

/* Reads a file to its end, unless it is too long. size: the expected length; < 0: unknown.
 * Sets *moved if the descriptor's position moved. */
static bool read_to_end(struct pool_worker *worker, int descriptor, off_t size, bool *moved,
                        struct open_file *file)
{
    const struct settings *settings = worker->job->settings;
    struct gather *gather = &worker->gather;
    bool may_end_soon = settings->stops_early && (file->is_operand || gather->files_max <= 1);
    uint64_t max = may_end_soon ? WHOLE_BYTES_FIRST : WHOLE_BYTES, used = 0;
    uint64_t limit = size < 0 ? WHOLE_BYTES_FIRST : max + 1;
    uint8_t *bytes;

    gather->line_end = settings->line_end;
    gather->to_null = settings->json && (settings->nuls.end_line || settings->nuls.is_binary);
    if (gather->bytes == NULL)
        gather->bytes = aligned_alloc(ROOM_ALIGNMENT, GATHER_BYTES + WHOLE_BYTES + ROOM_ALIGNMENT);
    bytes = gather->bytes == NULL ? NULL : gather->bytes + gather->used;
    while (bytes != NULL && size <= (off_t)max && used <= max) {
        ssize_t got = pread(descriptor, bytes + used, (size_t)(limit - used), (off_t)used);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        used += (uint64_t)got;
        /* lseek takes half as long as an empty read or fstat */
        if (got > 0 && size < (off_t)used) {
            size = lseek(descriptor, 0, SEEK_END);
            *moved |= size > 0;
        }
        /* a short read does not prove the end: an error may follow */
        if (got == 0 || (off_t)used == size) {
            file->bytes = bytes;
            file->bytes_count = used;
            return true;
        }
        limit = max + 1;
    }
    return false;
}

enum whole_result {
    WHOLE_READ,
    WHOLE_NOT,  /* too long, or unreadable, which the ordinary search will report */
    WHOLE_LOST, /* the error was reported */
};

/* Reads a regular file from its beginning; size < 0: unknown. */
static enum whole_result read_whole(struct pool_worker *worker, int descriptor, off_t size,
                                    struct open_file *file)
{
    bool moved = false;

    if (worker->searcher == NULL || worker->job->settings->write)
        return WHOLE_NOT;
    if (read_to_end(worker, descriptor, size, &moved, file) &&
        !(worker->job->settings->search_zip &&
          (archive_begins(file->bytes, file->bytes_count) ||
           archive_is_behind(file->bytes, file->bytes_count, true) ||
           packed_state_of(file->bytes, file->bytes_count) != PACKED_NO)))
        return WHOLE_READ;
    file->bytes = NULL;
    if (!moved || lseek(descriptor, 0, SEEK_SET) == 0)
        return WHOLE_NOT;
    file_error(worker, file->name, errno);
    return WHOLE_LOST;
}

/* Reads a file that is regular according to its directory, without fstat, which is needed only if
 * the file might be the output, if -T makes numbers as wide as the size, or if --encoding may
 * convert it. */
static enum whole_result read_unseen(struct pool_worker *worker, int descriptor,
                                     const struct walk_item *item, struct stat *status,
                                     struct open_file *file)
{
    const struct command_job *job = worker->job;
    enum whole_result whole;

    if (item->type != DT_REG || job->settings->heads.initial_tab ||
        job->settings->encoding != NULL || pre_takes(job, item->name))
        return WHOLE_NOT;
    if (job->settings->surroundings.output_is_regular &&
        (fstat(descriptor, status) != 0 ||
         search_file_is_output(job->settings, status, item->is_operand)))
        return WHOLE_NOT;
    whole = read_whole(worker, descriptor, -1, file);
    memset(status, 0, sizeof *status);
    status->st_mode = S_IFREG;
    status->st_size = (off_t)file->bytes_count;
    return whole;
}

/* Opens a searcher on the pool's runtime, which has all threads. Called with walk_lock if workers
 * take turns. */
static bool open_shared(struct pool *pool, struct trawl_searcher **searcher, char *message)
{
    const struct settings *settings = pool->job->settings;
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_error error;

    options.engine = searchers_engine(settings, pool->job->patterns);
    options.threads = (uint32_t)settings->search.threads;
    options.instruction_set = settings->search.instruction_set;
    if (pool->job->runtime == NULL) {
        if (trawl_runtime_open(&options, &pool->runtime, &error) != TRAWL_OK)
            return message_fail(message, "%s", error.message);
        pool->job->runtime = pool->runtime;
    }
    return searchers_open(pool->job, false, searcher, message);
}

static bool open_searcher(struct pool_worker *worker, struct trawl_searcher **searcher,
                          char *message)
{
    bool good;

    if (worker->pool->takes_turns)
        thread_lock(&worker->pool->walk_lock);
    good = open_shared(worker->pool, searcher, message);
    if (worker->pool->takes_turns)
        thread_unlock(&worker->pool->walk_lock);
    if (!good)
        *searcher = NULL;
    return good;
}

/* Searches a file with *opened, a searcher that has the runtime's threads; opens it if NULL. If
 * only one thread may search, uses the worker's own searcher. */
static void search_with(struct pool_worker *worker, const struct open_file *file,
                        struct trawl_searcher **opened)
{
    struct pool *pool = worker->pool;
    char message[SETTINGS_ERROR_BYTES];

    if (*opened == NULL && pool->workers_max == 1 && pool->job->settings->search.threads == 1 &&
        worker->searcher != NULL) {
        rewrite_or_search(worker->job, file);
        return;
    }
    if (*opened == NULL && !open_searcher(worker, opened, message)) {
        job_message(worker->job, "%s", message);
        worker->job->error_seen = worker->job->done = true;
        return;
    }
    worker->job->searcher = *opened;
    rewrite_or_search(worker->job, file);
    worker->job->searcher = worker->searcher;
}

static bool wants_all_threads(struct pool_worker *worker, const struct stat *status)
{
    uint64_t bytes = (uint64_t)status->st_size;

    if (worker->searcher == NULL || !S_ISREG(status->st_mode) || bytes >= SHARED_BYTES_AHEAD)
        return true;
    if (bytes < SHARED_BYTES_ALONE || !pool_has_turn(worker))
        return false;
    return bytes >= SHARED_BYTES || atomic_load(&worker->pool->active) == 1;
}

/* Tells whether the file is compressed, judging by its first bytes. */
static enum packed_state file_packed(const struct open_file *file)
{
    uint8_t first[COMPRESSION_BYTES];
    ssize_t got = -1;

    if (file->may_be_compressed && file->bytes == NULL && S_ISREG(file->status->st_mode))
        got = pread(file->descriptor, first, sizeof first, lseek(file->descriptor, 0, SEEK_CUR));
    return got > 0 ? packed_state_of(first, (uint64_t)got) : PACKED_NO;
}

/* Searches a file that is not read as a whole. A compressed file is decompressed in a single
 * thread, or with the threads that other files leave idle, so many files are decompressed at the
 * same time. Any other long file is searched by all threads, when its turn has come. */
static void search_big(struct pool_worker *worker, const struct open_file *file)
{
    /* this decides who searches; the text itself finds out whether it is compressed */
    bool packed = file_packed(file) == PACKED_YES;

    gather_flush(worker);
    if (!pool_wants_next_file(worker))
        return;
    if ((uint64_t)file->status->st_size >= (packed ? LONG_BYTES_PACKED : LONG_BYTES))
        pool_leave_rest(worker);
    if (packed && worker->searcher != NULL &&
        (uint64_t)file->status->st_size >= LONG_BYTES_PACKED) {
        search_with(worker, file, &worker->team);
    } else if (!wants_all_threads(worker, file->status)) {
        rewrite_or_search(worker->job, file);
    } else if (pool_wait_turn(worker)) {
        search_with(worker, file, &worker->pool->shared);
    }
}

/* Searches a file in another encoding: a pipe delivers the converted text. */
static void search_encoded(struct pool_worker *worker, const struct open_file *file)
{
    struct open_file converted = *file;
    char guess[GUESS_BYTES];
    struct encoding *encoding;
    int os_code;

    converted.descriptor =
        encoding_begin(&encoding, worker->job->settings->encoding, file->descriptor);
    if (converted.descriptor < 0) {
        file_error(worker, file->name, errno);
        return;
    }
    search_big(worker, &converted);
    os_code = encoding_end(encoding, guess);
    job_report_guess(worker->job, file->name, guess);
    if (os_code != 0)
        file_error(worker, file->name, os_code);
}

/* Searches what the command of --pre prints for a file. */
static void search_printed(struct pool_worker *worker, const struct open_file *file)
{
    struct open_file printed = *file;
    struct stat status = *file->status;
    struct pre pre;

    gather_flush(worker);
    if (!pool_wants_next_file(worker))
        return;
    status.st_size = 0; /* unknown: each worker searches alone */
    printed.status = &status;
    printed.may_be_compressed = false;
    printed.pre = &pre;
    printed.descriptor = pre_begin(&pre, worker->job, file);
    if (printed.descriptor < 0) {
        if (!worker->job->settings->no_messages)
            job_message(worker->job, "%s: %s could not start: %s", file->name,
                        worker->job->settings->pre, strerror(errno));
        worker->job->error_seen = true;
        return;
    }
    search_big(worker, &printed);
    (void)pre_end(&pre, worker->job, file->name, false);
}

/* Returns true if the options or the kind of file skip an opened item. */
static bool is_skipped(const struct pool_worker *worker, const struct walk_item *item, mode_t mode)
{
    const struct settings *settings = worker->job->settings;
    bool is_directory = S_ISDIR(mode);

    if (walk_skips_special_files(settings, item->is_operand) && is_special_file(mode))
        return true;
    if (item->is_operand && walk_skips_operand(&worker->pool->walk, item->name, is_directory))
        return true;
    return is_directory && settings->files.directories != DIRECTORIES_READ;
}

/* Returns true if the walk took the file only because its name is that of an archive. */
static bool is_only_for_members(const struct command_job *job, const struct walk_item *item)
{
    const char *slash = strrchr(item->name, '/');

    return job->settings->search_zip && !item->is_operand && job->filter != NULL &&
           job->supply == NULL && archive_has_name(item->name) &&
           filter_judge(job->filter, item->name,
                        slash == NULL ? 0 : (size_t)(slash + 1 - item->name),
                        false) == FILTER_SKIPS;
}

/* Searches an open item: reads a small file as a whole, converts a file in another encoding, and
 * searches anything else with search_big. */
static void search_open(struct pool_worker *worker, int descriptor, const struct walk_item *item)
{
    const struct settings *settings = worker->job->settings;
    struct stat status;
    struct open_file file = {descriptor,           &status,          item->name, NULL, 0,
                             settings->search_zip, item->is_operand, NULL};
    enum whole_result whole = WHOLE_NOT;
    const bool only_members = is_only_for_members(worker->job, item);

    if (!item->is_operand && !only_members)
        whole = read_unseen(worker, descriptor, item, &status, &file);
    if (whole == WHOLE_NOT) {
        if (fstat(descriptor, &status) != 0) {
            file_error(worker, item->name, errno);
            return;
        }
        if (item->kind != WALK_INPUT && is_skipped(worker, item, status.st_mode))
            return;
        if (settings->search_zip && S_ISREG(status.st_mode) && worker->job->supply == NULL &&
            !search_file_is_output(settings, &status, item->is_operand) &&
            members_search(worker, descriptor, item, search_big))
            return;
        if (only_members)
            return;
        if (item->kind != WALK_INPUT && !S_ISDIR(status.st_mode) &&
            pre_takes(worker->job, item->name) &&
            !search_file_is_output(settings, &status, item->is_operand)) {
            search_printed(worker, &file);
            return;
        }
        if (settings->encoding != NULL && (!settings->search_zip || S_ISREG(status.st_mode))) {
            enum packed_state packed = file_packed(&file);

            if (packed == PACKED_UNKNOWN) {
                file_error(worker, item->name, ENOMEM);
                return;
            }
            if (packed == PACKED_NO && encoding_applies(settings->encoding, descriptor, &status)) {
                search_encoded(worker, &file);
                return;
            }
        }
        if (item->kind != WALK_INPUT && S_ISREG(status.st_mode) &&
            !search_file_is_output(settings, &status, item->is_operand))
            whole = read_whole(worker, descriptor, status.st_size, &file);
    }
    if (whole == WHOLE_READ && worker->gather.files_max > 0)
        gather_search(worker, &file);
    else if (whole == WHOLE_READ)
        rewrite_or_search(worker->job, &file);
    else if (whole == WHOLE_NOT)
        search_big(worker, &file);
}

/* Returns true if an item must not be opened before its turn: for example, a pipe's writer would
 * notice. */
static bool must_wait_for_turn(const struct walk_item *item, int directory)
{
    struct stat status;

    if (item->type != DT_UNKNOWN)
        return item->type != DT_REG;
    return fstatat(directory, item->name + item->open_at, &status, 0) == 0 &&
           !S_ISREG(status.st_mode);
}

/* Opens and searches a file of the file system, after waiting for the turn where that is
 * necessary. */
static void search_item(struct pool_worker *worker, const struct walk_item *item)
{
    const struct settings *settings = worker->job->settings;
    bool follow = item->is_operand || settings->files.follow_links;
    int directory = item->directory != NULL ? item->directory->descriptor : AT_FDCWD;
    int flags = O_RDONLY | O_NOCTTY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW) |
                (walk_skips_special_files(settings, item->is_operand) ? O_NONBLOCK : 0);
    int descriptor;
    bool turn = !worker->pool->takes_turns || pool_has_turn(worker);

    if ((!turn || worker->gather.count > 0) && must_wait_for_turn(item, directory)) {
        gather_flush(worker);
        if (!pool_wait_turn(worker) || !pool_wants_next_file(worker))
            return;
    }
    descriptor = openat(directory, item->name + item->open_at, flags);
    if (descriptor < 0) {
        if (follow || errno != ELOOP)
            file_error(worker, item->name, errno);
        return;
    }
    search_open(worker, descriptor, item);
    if (close(descriptor) != 0)
        file_error(worker, item->name, errno);
}

bool input_is_converted(const struct settings *settings, const uint8_t *bytes, uint64_t bytes_count)
{
    return (settings->search_zip && packed_state_of(bytes, bytes_count) != PACKED_NO) ||
           (settings->encoding != NULL &&
            encoding_converts(settings->encoding, bytes, bytes_count));
}

/* Searches a file that the job's caller supplies: in memory, or opened by supply->open. */
static void search_supplied(struct pool_worker *worker, const struct walk_item *item)
{
    struct command_job *job = worker->job;
    const struct supplied_file *supplied = item->supplied;
    struct open_file file = {
        -1,    &supplied->status, item->name, supplied->bytes, supplied->bytes_count,
        false, item->is_operand,  NULL};
    int descriptor;

    /* An operand that is not a regular file goes on to search_open, which reports the file. */
    if (item->is_operand && S_ISREG(supplied->status.st_mode) &&
        walk_skips_operand(&worker->pool->walk, item->name, false))
        return;
    if (item->holds_nothing) {
        gather_flush(worker);
        if (!pool_wants_next_file(worker))
            return;
        search_file_pass_over(job, item->name);
        totals_add_passed(job, 1, supplied->bytes_count);
        return;
    }
    if (supplied->bytes != NULL &&
        !input_is_converted(job->settings, supplied->bytes, supplied->bytes_count)) {
        search_big(worker, &file);
        return;
    }
    descriptor = job->supply->open(job->supply->context, item);
    if (descriptor < 0) {
        file_error(worker, item->name, errno);
        return;
    }
    search_open(worker, descriptor, item);
    close(descriptor);
}

void pool_search(struct pool_worker *worker, const struct walk_item *item)
{
    if (item->passed_files > 0)
        totals_add_passed(worker->job, item->passed_files, item->passed_bytes);
    if (item->kind != WALK_FILE) {
        gather_flush(worker);
        if (!pool_wants_next_file(worker))
            return;
    }
    switch (item->kind) {
    case WALK_FILE:
        if (item->supplied != NULL)
            search_supplied(worker, item);
        else
            search_item(worker, item);
        break;
    case WALK_INPUT:
        if (pool_wait_turn(worker) && worker->job->input_is_closed)
            job_file_error(worker->job, item->name, EBADF);
        else if (worker->has_turn)
            search_open(worker, STDIN_FILENO, item);
        break;
    default:
        walk_report(worker->job, item);
    }
}
