/* saved: plans in files. plan/saved.c knows the bytes; here they are written and read. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/options.h"
#include "plan/saved.h"

#define CALL_BYTES_MAX (1ull << 30) /* that one call writes or reads */
#define READ_BYTES_FIRST (1ull << 16)
#define NAMES_MAX 100u /* that are tried for the file to be renamed */

/* ---- Saving ---------------------------------------------------------------------------------- */

static enum trawl_status write_all(int descriptor, const uint8_t *at, uint64_t bytes_count,
                                   const char *name, struct trawl_error *error)
{
    while (bytes_count > 0) {
        ssize_t written = fault_hit(FAULT_WRITE)
                              ? (errno = ENOSPC, -1)
                              : write(descriptor, at, (size_t)min_u64(bytes_count, CALL_BYTES_MAX));

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            int code = written < 0 ? errno : EIO;

            return TRAWL_FAIL_OS(error, WRITE, code, "%.150s: %s", name, strerror(code));
        }
        TRAWL_ASSERT((uint64_t)written <= bytes_count);
        at += written;
        bytes_count -= (uint64_t)written;
    }
    return TRAWL_OK;
}

static enum trawl_status close_written(int descriptor, const char *name, struct trawl_error *error)
{
    bool failed = fault_hit(FAULT_CLOSE);

    if (close(descriptor) == 0 && !failed)
        return TRAWL_OK;
    if (failed)
        errno = EIO;
    return TRAWL_FAIL_OS(error, WRITE, errno, "%.150s: %s", name, strerror(errno));
}

/* What is no regular file is written as it is. */
static enum trawl_status write_through(const uint8_t *bytes, uint64_t bytes_count, const char *path,
                                       struct trawl_error *error)
{
    int descriptor =
        fault_hit(FAULT_OPEN) ? (errno = EMFILE, -1) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    enum trawl_status status, closed;

    if (descriptor < 0)
        return TRAWL_FAIL_OS(error, OPEN, errno, "%.150s: %s", path, strerror(errno));
    status = write_all(descriptor, bytes, bytes_count, path, error);
    closed = close_written(descriptor, path, status == TRAWL_OK ? error : NULL);
    return status != TRAWL_OK ? status : closed;
}

/* A new file beside `path`; its name goes into `name`. */
static int open_beside(const char *path, char *name, uint64_t name_bytes)
{
    static _Atomic uint32_t number;
    int descriptor = -1;

    for (uint32_t i = 0; i < NAMES_MAX && descriptor < 0; i++) {
        (void)snprintf(name, (size_t)name_bytes, "%s.%ld.%" PRIu32 ".new", path, (long)getpid(),
                       atomic_fetch_add(&number, 1));
        if (fault_hit(FAULT_OPEN)) {
            errno = EMFILE;
            return -1;
        }
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
        if (descriptor < 0 && errno != EEXIST)
            return -1;
    }
    return descriptor;
}

static enum trawl_status write_beside(const uint8_t *bytes, uint64_t bytes_count, const char *path,
                                      char *name, uint64_t name_bytes, struct trawl_error *error)
{
    int descriptor = open_beside(path, name, name_bytes);
    enum trawl_status status, closed;

    if (descriptor < 0)
        return TRAWL_FAIL_OS(error, OPEN, errno, "%.150s: %s", path, strerror(errno));
    status = write_all(descriptor, bytes, bytes_count, path, error);
    if (status == TRAWL_OK && (fault_hit(FAULT_SYNC) ? (errno = EIO, -1) : fsync(descriptor)) != 0)
        status = TRAWL_FAIL_OS(error, WRITE, errno, "%.150s: %s", path, strerror(errno));
    closed = close_written(descriptor, path, status == TRAWL_OK ? error : NULL);
    status = status != TRAWL_OK ? status : closed;
    if (status == TRAWL_OK &&
        (fault_hit(FAULT_RENAME) ? (errno = EIO, -1) : rename(name, path)) != 0)
        status = TRAWL_FAIL_OS(error, WRITE, errno, "%.150s: %s", path, strerror(errno));
    if (status != TRAWL_OK)
        (void)unlink(name);
    return status;
}

/* A link's file is replaced, not the link. */
static enum trawl_status save_bytes(const uint8_t *bytes, uint64_t bytes_count, const char *path,
                                    struct trawl_error *error)
{
    char target[PATH_MAX];
    const char *written = path;
    struct stat facts;
    uint64_t name_bytes;
    enum trawl_status status;
    void *name;

    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return write_through(bytes, bytes_count, path, error);
    if (realpath(path, target) != NULL)
        written = target;
    name_bytes = strlen(written) + 64;
    TRAWL_TRY(memory_allocate(name_bytes, 1, &name, error));
    status = write_beside(bytes, bytes_count, written, (char *)name, name_bytes, error);
    memory_release(name, name_bytes, 1);
    return status;
}

enum trawl_status trawl_plan_save(const struct trawl_plan *plan, const char *path,
                                  const struct trawl_plan_save_options *options,
                                  struct trawl_error *error)
{
    struct trawl_plan_save_options given = TRAWL_PLAN_SAVE_OPTIONS_INIT;
    enum trawl_status status;
    uint64_t bytes_count;
    uint8_t *bytes;

    if (plan == NULL || path == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "path");
    TRAWL_TRY(options_read(&given, sizeof given, options, "plan save options", error));
    if (given.note == NULL && given.note_bytes > 0)
        return TRAWL_FAIL(error, ARGUMENT, "note is NULL but note_bytes is %" PRIu64,
                          given.note_bytes);
    TRAWL_TRY(plan_saved_make(plan, &given, &bytes, &bytes_count, error));
    status = save_bytes(bytes, bytes_count, path, error);
    memory_release(bytes, bytes_count, 1);
    return status;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static enum trawl_status read_options(const struct trawl_plan_load_options *options,
                                      struct trawl_plan_load_options *given,
                                      struct trawl_error *error)
{
    TRAWL_TRY(options_read(given, sizeof *given, options, "plan load options", error));
    if (given->line_end_set > 1 || given->line_end_also_set > 1)
        return TRAWL_FAIL(error, ARGUMENT, "line_end_set or line_end_also_set is neither 0 nor 1");
    if (given->utf8 != NULL && (given->utf8->variants == NULL || given->utf8->is_word == NULL))
        return TRAWL_FAIL(error, ARGUMENT, "utf8 lacks a function");
    if (given->reserved != 0)
        return TRAWL_FAIL(error, ARGUMENT, "a reserved plan load option is not 0");
    return TRAWL_OK;
}

enum trawl_status trawl_plan_load_memory(const void *bytes, uint64_t bytes_count,
                                         const struct trawl_plan_load_options *options,
                                         struct trawl_plan **plan, struct trawl_error *error)
{
    struct trawl_plan_load_options given = TRAWL_PLAN_LOAD_OPTIONS_INIT;

    if (plan == NULL || bytes == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "bytes");
    TRAWL_TRY(read_options(options, &given, error));
    return plan_saved_load((const uint8_t *)bytes, bytes_count, "the bytes given", &given, plan,
                           error);
}

/* What is read of a file. */
struct contents {
    void *bytes;
    uint64_t bytes_count;
    uint64_t room_bytes;
};

/* All that the descriptor still gives. */
static enum trawl_status read_all(int descriptor, const char *path, struct contents *contents,
                                  struct trawl_error *error)
{
    ssize_t got = 1;

    while (got != 0) {
        if (contents->bytes_count == contents->room_bytes) {
            uint64_t more = max_u64(2 * contents->room_bytes, READ_BYTES_FIRST);

            TRAWL_TRY(memory_grow(contents->room_bytes, more, 1, &contents->bytes, error));
            contents->room_bytes = more;
        }
        got = fault_hit(FAULT_READ)
                  ? (errno = EIO, -1)
                  : read(descriptor, (uint8_t *)contents->bytes + contents->bytes_count,
                         (size_t)min_u64(contents->room_bytes - contents->bytes_count,
                                         CALL_BYTES_MAX));
        if (got < 0 && errno != EINTR)
            return TRAWL_FAIL_OS(error, READ, errno, "%.150s: %s", path, strerror(errno));
        contents->bytes_count += got > 0 ? (uint64_t)got : 0;
        TRAWL_ASSERT(contents->bytes_count <= contents->room_bytes);
    }
    return TRAWL_OK;
}

enum trawl_status trawl_plan_load(const char *path, const struct trawl_plan_load_options *options,
                                  struct trawl_plan **plan, struct trawl_error *error)
{
    struct trawl_plan_load_options given = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    struct contents contents = {NULL, 0, 0};
    enum trawl_status status;
    int descriptor;

    if (plan == NULL || path == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "path");
    TRAWL_TRY(read_options(options, &given, error));
    descriptor =
        fault_hit(FAULT_OPEN) ? (errno = EMFILE, -1) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return TRAWL_FAIL_OS(error, OPEN, errno, "%.150s: %s", path, strerror(errno));
    status = read_all(descriptor, path, &contents, error);
    (void)close(descriptor);
    if (status == TRAWL_OK)
        status = plan_saved_load((const uint8_t *)contents.bytes, contents.bytes_count, path,
                                 &given, plan, error);
    memory_release(contents.bytes, contents.room_bytes, 1);
    return status;
}
