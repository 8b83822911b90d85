/* members: searches the members of an archive, each as a file named ARCHIVE{MEMBER}.
 *
 * A member that is an archive, or compressed, is kept in memory and searched as such a file. A
 * short member is read as a whole. A thread writes a longer one into a pipe, as it does one that
 * --encoding converts. The members of an archive are searched one after the other, several archives
 * at the same time. */
#include "trawl/run/members.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trawl/files/archive.h"
#include "trawl/files/file_filter.h"
#include "trawl/job/searchers.h"
#include "trawl/options/encoding.h"
#include "trawl/options/settings.h"
#include "trawl/text/thread.h"
#include "trawl/text/calls.h"

#define KEPT_BYTES_MAX SIZE_OR_SMALL(UINT64_C(1) << 30, UINT64_C(1000000))
#define MEMBER_BYTES SIZE_OR_SMALL(UINT64_C(1) << 20, UINT64_C(3000))

struct members {
    struct pool_worker *worker;
    void (*search)(struct pool_worker *worker, const struct open_file *file);
    struct archive_file *archive;
    uint64_t depth;     /* 1, or more for an archive in an archive */
    const char *member; /* the member's name */
    char *name;         /* as messages and lines show the member */
    uint8_t *bytes;     /* MEMBER_BYTES: a short member whole, else its next bytes for the pipe */
    uint64_t count;     /* how many of them are the member's */
    ssize_t got; /* what archive_read returned last: 0 at the member's end, < 0 after an error */
    int to;      /* where write_member writes; it closes this end of the pipe */
    int error;   /* errno of its failed write; 0 also if only the reader has gone (EPIPE) */
    bool told;   /* why the last member cannot be read was printed: not again for the archive */
};

static void print_message(struct members *members, const char *name, const char *what)
{
    struct command_job *job = members->worker->job;

    if (!job->settings->no_messages)
        job_message(job, "%s: %s", name, what);
    job->error_seen = true;
}

/* Reads the member until it ends, or the room is full. */
static void read_member(struct members *members)
{
    members->count = 0;
    do {
        members->got = archive_read(members->archive, members->bytes + members->count,
                                    MEMBER_BYTES - members->count);
        members->count += members->got > 0 ? (uint64_t)members->got : 0;
    } while (members->got > 0 && members->count < MEMBER_BYTES);
}

/* The thread that writes a member into the pipe. */
static void *write_member(void *context)
{
    struct members *members = context;
    bool good = true;

    while (good && members->count > 0) {
        for (uint64_t at = 0; good && at < members->count;) {
            ssize_t written = write(members->to, members->bytes + at, members->count - at);

            good = written >= 0 || errno == EINTR;
            if (!good && errno != EPIPE) /* else the search has ended */
                members->error = errno;
            at += written > 0 ? (uint64_t)written : 0;
        }
        members->count = 0;
        if (good && members->got > 0)
            read_member(members);
    }
    (void)close(members->to);
    return NULL;
}

/* Searches a member that comes through a pipe. Returns 0 or an errno. */
static int search_stream(struct members *members, struct open_file *file)
{
    const char *name = members->worker->job->settings->encoding;
    const bool converts = name != NULL && encoding_converts(name, members->bytes, members->count);
    struct encoding *encoding = NULL;
    pthread_t thread;
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    members->to = ends[1];
    members->error = 0;
    error = thread_start_blocking(&thread, write_member, members);
    if (error != 0) {
        (void)close(ends[0]);
        (void)close(ends[1]);
        return error;
    }
    file->descriptor = converts ? encoding_begin(&encoding, name, ends[0]) : ends[0];
    if (file->descriptor < 0)
        error = errno;
    else
        members->search(members->worker, file);
    if (encoding != NULL)
        error = encoding_end(encoding, (char[GUESS_BYTES]){0});
    (void)close(ends[0]);
    (void)pthread_join(thread, NULL);
    return error != 0 ? error : members->error;
}

/* Keeps the member, of which the first bytes were read. Returns the descriptor of a file in memory;
 * -1: a message was printed. */
static int keep_member(struct members *members)
{
    int to = memfd_create("member", MFD_CLOEXEC);
    uint64_t kept = 0;

    while (to >= 0 && members->count > 0) {
        const ssize_t written = write(to, members->bytes, members->count);

        kept += members->count;
        if (written != (ssize_t)members->count || kept > KEPT_BYTES_MAX) {
            errno = kept > KEPT_BYTES_MAX ? EFBIG : errno;
            (void)close(to);
            to = -1;
        } else if (members->got > 0) {
            read_member(members);
        } else {
            members->count = 0;
        }
    }
    if (to >= 0 && lseek(to, 0, SEEK_SET) == 0)
        return to;
    print_message(members, members->name,
                  errno == EFBIG ? "too large to be unpacked inside an archive" : strerror(errno));
    return -1;
}

static bool search_archive(struct pool_worker *worker, int descriptor, const char *name,
                           void (*search)(struct pool_worker *worker, const struct open_file *file),
                           const struct members *outer);

/* Searches a member that is an archive or, if it is taken, compressed. */
static void search_packed(struct members *members, bool is_taken)
{
    struct stat status;
    struct open_file file = {.descriptor = keep_member(members),
                             .status = &status,
                             .name = members->name,
                             .may_be_compressed = true};

    if (file.descriptor < 0)
        return;
    if (!search_archive(members->worker, file.descriptor, members->name, members->search,
                        members) &&
        is_taken && fstat(file.descriptor, &status) == 0)
        members->search(members->worker, &file);
    (void)close(file.descriptor);
}

static void search_member(struct members *members, bool is_taken)
{
    const struct settings *settings = members->worker->job->settings;
    const char *encoding = settings->encoding;
    bool is_packed, may_be;
    struct stat status = {.st_mode = S_IFREG};
    struct open_file file = {.descriptor = -1, .status = &status, .name = members->name};
    int error = 0;

    read_member(members);
    is_packed =
        archive_begins(members->bytes, members->count) ||
        (members->count > 0 && packed_state_of(members->bytes, members->count) == PACKED_YES);
    may_be = archive_is_behind(members->bytes, members->count, members->got <= 0) &&
             archive_member_bytes(members->archive) <= (int64_t)KEPT_BYTES_MAX;
    if ((is_packed || (may_be && members->got <= 0)) && members->depth == settings->archive_depth)
        print_message(members, members->name, "not unpacked: see --archive-depth");
    if ((is_packed || may_be) && members->depth < settings->archive_depth)
        search_packed(members, is_taken);
    else if (!is_taken)
        return;
    else if (members->got <= 0 &&
             (encoding == NULL || !encoding_converts(encoding, members->bytes, members->count))) {
        file.bytes = members->bytes;
        file.bytes_count = members->count;
        status.st_size = (off_t)members->count;
        members->search(members->worker, &file);
    } else {
        error = search_stream(members, &file);
    }
    members->told = error == 0 && members->got < 0;
    if (error != 0)
        print_message(members, members->name, strerror(error));
    else if (members->got < 0)
        print_message(members, members->name, archive_why(members->archive));
}

/* Returns true if -g and types take a member of that name. */
static bool is_taken(const struct command_job *job, const char *name)
{
    const char *slash = strrchr(name, '/');

    return job->filter == NULL ||
           filter_judge(job->filter, name, slash == NULL ? 0 : (size_t)(slash + 1 - name), false) !=
               FILTER_SKIPS;
}

/* Makes the name of a member. A control character becomes ? where it would divide or hide lines. */
static bool name_member(struct members *members, const char *archive, const char *member)
{
    const struct settings *settings = members->worker->job->settings;
    char *at;

    free(members->name);
    if (asprintf(&members->name, "%s{%s}", archive, member) < 0)
        members->name = NULL;
    if (members->name == NULL)
        return false;
    for (at = members->name + strlen(archive); *at != '\0'; at++)
        if (!settings->json && !settings->heads.null_after_name &&
            ((unsigned char)*at < ' ' || *at == 0x7f))
            *at = '?';
    return true;
}

static void search_members(struct members *members, const char *archive)
{
    struct pool_worker *worker = members->worker;
    enum archive_step step = ARCHIVE_BROKEN;
    const char *name = "";
    bool is_doubtful = false, taken;

    while (step < ARCHIVE_END && pool_wants_next_file(worker)) {
        step = archive_next(members->archive, &name, &is_doubtful);
        if (step == ARCHIVE_BROKEN || (step == ARCHIVE_CUT && !members->told))
            print_message(members, archive, archive_why(members->archive));
        if (step > ARCHIVE_LOCKED)
            continue;
        taken = is_taken(worker->job, name + (strncmp(name, "./", 2) == 0 ? 2 : 0));
        if (!taken && !archive_has_name(name))
            continue;
        members->member = name;
        if (!name_member(members, archive, name)) {
            print_message(members, archive, strerror(ENOMEM));
            return;
        }
        if (is_doubtful)
            print_message(members, members->name, archive_why(members->archive));
        if (step == ARCHIVE_LOCKED)
            print_message(members, members->name, "encrypted");
        else
            search_member(members, taken);
    }
}

/* Searches the members of an archive. False: the file is none, or has more than the archive. */
static bool search_archive(struct pool_worker *worker, int descriptor, const char *name,
                           void (*search)(struct pool_worker *worker, const struct open_file *file),
                           const struct members *outer)
{
    struct command_job *job = worker->job;
    struct members members = {
        .worker = worker, .search = search, .depth = outer != NULL ? outer->depth + 1 : 1};
    const int show_names = job->show_names;
    struct trawl_searcher_options options = searchers_reader_options(job->settings);
    char message[SETTINGS_ERROR_BYTES];
    bool has_front;

    if (atomic_load(&worker->pool->active) > 1)
        options.threads = 1;
    if (!archive_open(&members.archive, outer != NULL ? outer->archive : NULL, descriptor,
                      outer != NULL ? outer->member : name, job->searcher, &options, &has_front,
                      message)) {
        gather_flush(worker);
        if (pool_wants_next_file(worker))
            print_message(&members, name, message);
        return !has_front;
    }
    if (members.archive == NULL)
        return false;
    gather_flush(worker);
    pool_leave_rest(worker);
    if (job->settings->heads.file_names == 0)
        job->show_names = 1;
    members.bytes = malloc(MEMBER_BYTES);
    if (members.bytes == NULL)
        print_message(&members, name, strerror(ENOMEM));
    else
        search_members(&members, name);
    job->show_names = show_names;
    free(members.bytes);
    free(members.name);
    archive_close(members.archive);
    return !has_front;
}

bool members_search(struct pool_worker *worker, int descriptor, const struct walk_item *item,
                    void (*search)(struct pool_worker *worker, const struct open_file *file))
{
    return search_archive(worker, descriptor, item->name, search, NULL);
}
