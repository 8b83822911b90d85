/* saved: plans in files. The plan and the engines know the bytes; here they are written, mapped and
 * read. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/options.h"
#include "cpu/set_matcher.h"
#include "plan/image.h"
#include "runtime/saved.h"

#define WRITE_BYTES_MAX (1ull << 30) /* of one call */
#define READ_BYTES_FIRST (1ull << 20)
#define NAMES_MAX 100u /* that are tried for the file to be renamed */

/* ---- Saving ---------------------------------------------------------------------------------- */

enum trawl_status saved_parts(const struct trawl_plan *plan,
                              const struct trawl_plan_save_options *options,
                              struct plan_parts *parts, struct trawl_error *error)
{
    TRAWL_TRY(plan_parts_begin(plan, parts, error));
    TRAWL_TRY(set_matcher_save(plan, parts, error));
    if (options->note_bytes > 0)
        plan_parts_add(parts, PLAN_SECTION_NOTE, 0, options->note, options->note_bytes);
    plan_parts_end(parts);
    return TRAWL_OK;
}

static enum trawl_status write_all(int descriptor, const void *bytes, uint64_t bytes_count,
                                   const char *name, struct trawl_error *error)
{
    const uint8_t *at = (const uint8_t *)bytes;

    while (bytes_count > 0) {
        ssize_t written =
            fault_hit(FAULT_WRITE)
                ? (errno = ENOSPC, -1)
                : write(descriptor, at, (size_t)min_u64(bytes_count, WRITE_BYTES_MAX));

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

/* The header, then each section where the header says. */
static enum trawl_status write_parts(int descriptor, const struct plan_parts *parts,
                                     const char *name, struct trawl_error *error)
{
    static const uint8_t zeros[PLAN_IMAGE_ALIGNMENT];
    const struct plan_image_header *header = &parts->header;
    uint64_t at = sizeof *header;

    TRAWL_TRY(write_all(descriptor, header, sizeof *header, name, error));
    for (uint32_t i = 0; i < header->section_count; i++) {
        const struct plan_section *section = &header->sections[i];

        TRAWL_ASSERT(section->offset >= at && section->offset - at <= sizeof zeros);
        TRAWL_TRY(write_all(descriptor, zeros, section->offset - at, name, error));
        TRAWL_TRY(write_all(descriptor, parts->bytes[i], section->bytes_count, name, error));
        at = section->offset + section->bytes_count;
    }
    TRAWL_ASSERT(header->image_bytes >= at && header->image_bytes - at <= sizeof zeros);
    return write_all(descriptor, zeros, header->image_bytes - at, name, error);
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
static enum trawl_status write_through(const struct plan_parts *parts, const char *path,
                                       struct trawl_error *error)
{
    int descriptor =
        fault_hit(FAULT_OPEN) ? (errno = EMFILE, -1) : open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    enum trawl_status status, closed;

    if (descriptor < 0)
        return TRAWL_FAIL_OS(error, OPEN, errno, "%.150s: %s", path, strerror(errno));
    status = write_parts(descriptor, parts, path, error);
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

static enum trawl_status write_beside(const struct plan_parts *parts, const char *path, char *name,
                                      uint64_t name_bytes, struct trawl_error *error)
{
    int descriptor = open_beside(path, name, name_bytes);
    enum trawl_status status, closed;

    if (descriptor < 0)
        return TRAWL_FAIL_OS(error, OPEN, errno, "%.150s: %s", path, strerror(errno));
    status = write_parts(descriptor, parts, path, error);
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
static enum trawl_status save_parts(const struct plan_parts *parts, const char *path,
                                    struct trawl_error *error)
{
    char target[PATH_MAX];
    const char *written = path;
    struct stat facts;
    uint64_t name_bytes;
    enum trawl_status status;
    void *name;

    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return write_through(parts, path, error);
    if (realpath(path, target) != NULL)
        written = target;
    name_bytes = strlen(written) + 64;
    TRAWL_TRY(memory_allocate(name_bytes, 1, &name, error));
    status = write_beside(parts, written, (char *)name, name_bytes, error);
    memory_release(name, name_bytes, 1);
    return status;
}

enum trawl_status trawl_plan_save(const struct trawl_plan *plan, const char *path,
                                  const struct trawl_plan_save_options *options,
                                  struct trawl_error *error)
{
    struct trawl_plan_save_options given = TRAWL_PLAN_SAVE_OPTIONS_INIT;
    struct plan_parts *parts;
    enum trawl_status status;
    void *memory;

    if (plan == NULL || path == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "path");
    TRAWL_TRY(options_read(&given, sizeof given, options, "plan save options", error));
    if (given.note == NULL && given.note_bytes > 0)
        return TRAWL_FAIL(error, ARGUMENT, "note is NULL but note_bytes is %" PRIu64,
                          given.note_bytes);
    TRAWL_TRY(memory_allocate(1, sizeof *parts, &memory, error));
    parts = (struct plan_parts *)memory;
    status = saved_parts(plan, &given, parts, error);
    if (status == TRAWL_OK)
        status = save_parts(parts, path, error);
    memory_release(parts, 1, sizeof *parts);
    return status;
}

/* ---- Loading --------------------------------------------------------------------------------- */

struct owned_image {
    struct plan_image image;
    void *memory; /* to be released, or unmapped; NULL: borrowed */
    uint64_t memory_bytes;
    bool is_mapped;
};

static void release_image(struct plan_image *image)
{
    struct owned_image *owned = (struct owned_image *)(void *)image;

    if (owned->is_mapped)
        (void)munmap(owned->memory, (size_t)owned->memory_bytes);
    else
        memory_release(owned->memory, owned->memory_bytes, 1);
    memory_release(owned, 1, sizeof *owned);
}

static enum trawl_status image_new(struct owned_image **owned, struct trawl_error *error)
{
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof **owned, &memory, error));
    *owned = (struct owned_image *)memory;
    (*owned)->image.release = release_image;
    return TRAWL_OK;
}

/* The image's plan; the image is the plan's, or gone. */
static enum trawl_status load_image(struct owned_image *owned, const char *name,
                                    const struct trawl_plan_load_options *options,
                                    struct trawl_plan **plan_out, struct trawl_error *error)
{
    struct trawl_plan *plan = NULL;
    enum trawl_status status = plan_image_check(&owned->image, name, error);

    if (status != TRAWL_OK) {
        release_image(&owned->image);
        return status;
    }
    TRAWL_TRY(plan_image_load(&owned->image, options, &plan, error));
    status = set_matcher_load(plan, error);
    if (status != TRAWL_OK) {
        trawl_plan_free(plan);
        return status;
    }
    *plan_out = plan;
    return TRAWL_OK;
}

static enum trawl_status read_options(const struct trawl_plan_load_options *options,
                                      struct trawl_plan_load_options *given,
                                      struct trawl_error *error)
{
    TRAWL_TRY(options_read(given, sizeof *given, options, "plan load options", error));
    if (given->line_end_set > 1 || given->line_end_also_set > 1 || given->copy > 1)
        return TRAWL_FAIL(error, ARGUMENT,
                          "line_end_set, line_end_also_set or copy is neither 0 nor 1");
    if (given->utf8 != NULL && (given->utf8->variants == NULL || given->utf8->is_word == NULL))
        return TRAWL_FAIL(error, ARGUMENT, "utf8 lacks a function");
    return TRAWL_OK;
}

enum trawl_status trawl_plan_load_memory(const void *bytes, uint64_t bytes_count,
                                         const struct trawl_plan_load_options *options,
                                         struct trawl_plan **plan, struct trawl_error *error)
{
    struct trawl_plan_load_options given = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    struct owned_image *owned;

    if (plan == NULL || bytes == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "bytes");
    TRAWL_TRY(read_options(options, &given, error));
    TRAWL_TRY(image_new(&owned, error));
    owned->image.bytes = (const uint8_t *)bytes;
    owned->image.bytes_count = bytes_count;
    owned->image.how = "in the caller's memory";
    if (bytes_count > 0 && (given.copy == 1 || (uintptr_t)bytes % PLAN_IMAGE_ALIGNMENT != 0)) {
        enum trawl_status status = memory_allocate(bytes_count, 1, &owned->memory, error);

        if (status != TRAWL_OK) {
            release_image(&owned->image);
            return status;
        }
        memcpy(owned->memory, bytes, (size_t)bytes_count);
        owned->memory_bytes = bytes_count;
        owned->image.bytes = (const uint8_t *)owned->memory;
        owned->image.how = "copied into memory";
    }
    return load_image(owned, "the bytes given", &given, plan, error);
}

/* All that the descriptor still gives. */
static enum trawl_status read_image(struct owned_image *owned, int descriptor, uint64_t expected,
                                    const char *path, struct trawl_error *error)
{
    uint64_t used = 0;
    ssize_t got = 1;

    TRAWL_ASSERT(expected > 0);
    TRAWL_TRY(memory_allocate(expected, 1, &owned->memory, error));
    owned->memory_bytes = expected;
    while (got != 0) {
        if (used == owned->memory_bytes) {
            TRAWL_TRY(memory_grow(used, 2 * used, 1, &owned->memory, error));
            owned->memory_bytes = 2 * used;
        }
        got = fault_hit(FAULT_READ)
                  ? (errno = EIO, -1)
                  : read(descriptor, (uint8_t *)owned->memory + used,
                         (size_t)min_u64(owned->memory_bytes - used, WRITE_BYTES_MAX));
        if (got < 0 && errno != EINTR)
            return TRAWL_FAIL_OS(error, READ, errno, "%.150s: %s", path, strerror(errno));
        used += got > 0 ? (uint64_t)got : 0;
        TRAWL_ASSERT(used <= owned->memory_bytes);
    }
    owned->image.bytes = (const uint8_t *)owned->memory;
    owned->image.bytes_count = used;
    owned->image.how = "read into memory";
    return TRAWL_OK;
}

/* What the file holds, mapped where that is possible. */
static enum trawl_status map_image(struct owned_image *owned, int descriptor, bool copy,
                                   const char *path, struct trawl_error *error)
{
    struct stat facts;
    uint64_t bytes_count;
    void *mapped = MAP_FAILED;

    if ((fault_hit(FAULT_STAT) ? (errno = EIO, -1) : fstat(descriptor, &facts)) != 0)
        return TRAWL_FAIL_OS(error, READ, errno, "%.150s: %s", path, strerror(errno));
    bytes_count = S_ISREG(facts.st_mode) && facts.st_size > 0 ? (uint64_t)facts.st_size : 0;
    if (bytes_count > 0 && !copy && !fault_hit(FAULT_MAP))
        mapped = mmap(NULL, (size_t)bytes_count, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED)
        return read_image(owned, descriptor, bytes_count > 0 ? bytes_count + 1 : READ_BYTES_FIRST,
                          path, error);
    owned->is_mapped = true;
    owned->memory = mapped;
    owned->memory_bytes = bytes_count;
    owned->image.bytes = (const uint8_t *)mapped;
    owned->image.bytes_count = bytes_count;
    owned->image.how = "mapped";
    return TRAWL_OK;
}

enum trawl_status trawl_plan_load(const char *path, const struct trawl_plan_load_options *options,
                                  struct trawl_plan **plan, struct trawl_error *error)
{
    struct trawl_plan_load_options given = TRAWL_PLAN_LOAD_OPTIONS_INIT;
    struct owned_image *owned;
    enum trawl_status status;
    int descriptor;

    if (plan == NULL || path == NULL)
        return TRAWL_FAIL(error, ARGUMENT, "%s is NULL", plan == NULL ? "plan" : "path");
    TRAWL_TRY(read_options(options, &given, error));
    TRAWL_TRY(image_new(&owned, error));
    descriptor =
        fault_hit(FAULT_OPEN) ? (errno = EMFILE, -1) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        status = TRAWL_FAIL_OS(error, OPEN, errno, "%.150s: %s", path, strerror(errno));
    else
        status = map_image(owned, descriptor, given.copy == 1, path, error);
    if (descriptor >= 0)
        (void)close(descriptor);
    if (status != TRAWL_OK) {
        release_image(&owned->image);
        return status;
    }
    return load_image(owned, path, &given, plan, error);
}

bool trawl_plan_is_saved(const void *bytes, uint64_t bytes_count)
{
    return bytes != NULL && plan_image_is(bytes, bytes_count);
}

struct trawl_pattern trawl_plan_note(const struct trawl_plan *plan)
{
    struct trawl_pattern note = {NULL, 0};

    if (plan != NULL && plan->image != NULL)
        note.bytes = plan_image_find(plan->image, PLAN_SECTION_NOTE, 0, &note.bytes_count);
    return note;
}
