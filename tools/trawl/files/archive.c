/* archive: the members of an archive, one after the other.
 *
 * The first 512 bytes decide whether a file is an archive; those of a compressed file are
 * decompressed first. libarchive's own test would take text that begins with 070707 for cpio. The
 * library decompresses, which is faster than libarchive. */
#include "trawl/files/archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/text/handover.h"
#include "trawl/text/library.h"
#include "trawl/text/message.h"
#include "trawl/text/sizes.h"
#include "trawl/text/calls.h"

#define READ_SIZES 256u << 10, 700u
#define READ_BYTES SIZE_OR_SMALL(READ_SIZES)
/* deflate packs 1,032 bytes into one at most; an archive that holds more is made to do harm, or
 * holds long runs of the same byte. */
#define RATIO_MAX SIZE_OR_SMALL(1100u, 250u)
#define FREE_BYTES SIZE_OR_SMALL(UINT64_C(256) << 20, UINT64_C(200000))
#define BYTES_MAX SIZE_OR_SMALL(UINT64_C(1) << 40, UINT64_C(100000000))
#define AR "!<arch>\n"
#define ZIP_END_BYTES 22u
#define TAIL_BYTES (16u << 10) /* where libarchive looks for the end of a zip archive */
#define RPM "\xed\xab\xee\xdb"
#define BROKEN_MAX 1000u /* headers in a row that cannot be read */

struct archive;
struct archive_entry;
typedef ssize_t read_callback(struct archive *archive, void *context, const void **bytes);
typedef int64_t seek_callback(struct archive *archive, void *context, int64_t offset, int whence);

#define STATUS_END 1
#define STATUS_WARN (-20)
#define STATUS_FATAL (-30)

#define FUNCTION_LIST(X)                                                            \
    X(struct archive *, read_new, (void))                                           \
    X(int, read_free, (struct archive *))                                           \
    X(int, read_support_format_tar, (struct archive *))                             \
    X(int, read_support_format_cpio, (struct archive *))                            \
    X(int, read_support_format_zip, (struct archive *))                             \
    X(int, read_support_format_7zip, (struct archive *))                            \
    X(int, read_support_format_ar, (struct archive *))                              \
    X(int, read_support_filter_rpm, (struct archive *))                             \
    X(int, read_support_filter_bzip2, (struct archive *))                           \
    X(int, read_support_filter_gzip, (struct archive *))                            \
    X(int, read_support_filter_lzma, (struct archive *))                            \
    X(int, read_support_filter_xz, (struct archive *))                              \
    X(int, read_support_filter_zstd, (struct archive *))                            \
    X(int, read_set_read_callback, (struct archive *, read_callback *))             \
    X(int, read_set_seek_callback, (struct archive *, seek_callback *))             \
    X(int, read_set_callback_data, (struct archive *, void *))                      \
    X(int, read_open1, (struct archive *))                                          \
    X(int, read_next_header, (struct archive *, struct archive_entry **))           \
    X(int, read_data_block, (struct archive *, const void **, size_t *, int64_t *)) \
    X(int64_t, filter_bytes, (struct archive *, int))                               \
    X(const char *, error_string, (struct archive *))                               \
    X(const char *, entry_pathname, (struct archive_entry *))                       \
    X(const char *, entry_pathname_utf8, (struct archive_entry *))                  \
    X(const char *, entry_hardlink, (struct archive_entry *))                       \
    X(mode_t, entry_filetype, (struct archive_entry *))                             \
    X(int64_t, entry_size, (struct archive_entry *))                                \
    X(int, entry_is_data_encrypted, (struct archive_entry *))

LIBRARY("libarchive.so.13", "archive_", FUNCTION_LIST);

struct archive_file {
    struct archive *archive;
    struct archive_file *outer; /* the archive that has this one as a member; NULL: none */
    int descriptor;
    off_t begin, at, size; /* of the archive in the file, and the next read, in the archive */
    uint64_t made;         /* bytes of members that were read */
    const void *block;     /* the rest of a block of the member, and where it is in the member */
    size_t block_bytes;
    int64_t block_begin, member_at; /* and the next read, in the member */
    int64_t member_bytes;           /* the member's size, by its header */
    unsigned broken;                /* headers in a row that could not be read */
    const char *why;                /* an error that ends the search; NULL: there is none */
    const char *cut;                /* where decompression ended; NULL: at the end */
    bool is_packed, is_ar;
    struct handover unpacked; /* is_packed: what the file holds; without a searcher, `bytes` */
    uint64_t held;            /* decompressed bytes in `bytes` */
    uint8_t bytes[SIZE_ROOM(READ_SIZES)];
};

/* Returns true if the field is a number in the base 8 or 16. */
static bool is_number(const uint8_t *field, size_t bytes, const char *digits)
{
    return strspn((const char *)field, digits) >= bytes;
}

/* Returns true if the block is a header of tar. In tar before POSIX, the sum must be right. */
static bool is_tar(const uint8_t *block)
{
    char sum[9] = "";
    long given, made = 8 * ' ';

    memcpy(sum, block + 148, 8);
    given = strtol(sum, NULL, 8);
    for (size_t i = 0; i < ARCHIVE_HEAD_BYTES; i++)
        made += i < 148 || i >= 156 ? block[i] : 0;
    return *block != '\0' && (memcmp(block + 257, "ustar", 5) == 0 || given == made);
}

bool archive_begins(const uint8_t *bytes, uint64_t bytes_count)
{
    static const char octal[] = "01234567", hexadecimal[] = "0123456789abcdefABCDEF";
    char head[ARCHIVE_HEAD_BYTES + 1] = "";
    const uint8_t *block = (const uint8_t *)head;

    memcpy(head, bytes, bytes_count < ARCHIVE_HEAD_BYTES ? bytes_count : ARCHIVE_HEAD_BYTES);
    if (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0 ||
        memcmp(head, "7z\xbc\xaf\x27\x1c", 6) == 0 || memcmp(head, AR, 8) == 0 ||
        memcmp(head, RPM, 4) == 0)
        return true;
    if (memcmp(head, "070701", 6) == 0 || memcmp(head, "070702", 6) == 0)
        return is_number(block + 6, 104, hexadecimal);
    if (memcmp(head, "070707", 6) == 0)
        return is_number(block + 6, 70, octal);
    return bytes_count >= ARCHIVE_HEAD_BYTES && is_tar(block);
}

static bool is_program(const uint8_t *head)
{
    return memcmp(head, "MZ", 2) == 0 || memcmp(head, "#!", 2) == 0 ||
           memcmp(head, "\177ELF", 4) == 0;
}

/* Returns true if a zip archive ends with these bytes. */
static bool ends_zip(const uint8_t *tail, uint64_t tail_bytes)
{
    for (uint64_t comment = 0; comment + ZIP_END_BYTES <= tail_bytes; comment++) {
        const uint8_t *end = tail + tail_bytes - comment - ZIP_END_BYTES;

        if (memcmp(end, "PK\5\6", 4) == 0 && (end[20] | (unsigned)end[21] << 8) == comment)
            return true;
    }
    return false;
}

bool archive_is_behind(const uint8_t *bytes, uint64_t bytes_count, bool is_whole)
{
    const uint64_t tail = bytes_count < TAIL_BYTES ? bytes_count : TAIL_BYTES;

    return bytes_count > ZIP_END_BYTES && is_program(bytes) &&
           (!is_whole || ends_zip(bytes + bytes_count - tail, tail));
}

/* The same of a file, whose first bytes are `head`. */
static bool ends_as_zip(int descriptor, off_t begin, off_t size, const uint8_t *head)
{
    uint8_t tail[TAIL_BYTES];
    const off_t from = size - begin > (off_t)sizeof tail ? size - (off_t)sizeof tail : begin;
    const ssize_t got = is_program(head) ? pread(descriptor, tail, sizeof tail, from) : -1;

    return got > 0 && ends_zip(tail, (uint64_t)got);
}

bool archive_has_name(const char *name)
{
    static const char *const ends[] = {".tar", ".tgz",  ".taz",  ".tbz",  ".tbz2", ".tb2",  ".txz",
                                       ".tlz", ".tzst", ".cpio", ".zip",  ".jar",  ".war",  ".ear",
                                       ".apk", ".whl",  ".xpi",  ".epub", ".docx", ".xlsx", ".pptx",
                                       ".odt", ".ods",  ".odp",  ".7z",   ".deb",  ".rpm",  ".ar"};
    static const char *const packed[] = {".gz", ".bz2", ".xz", ".zst", ".lz4"};
    size_t bytes = strlen(name);

    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        size_t end = strlen(packed[i]);

        if (bytes > end && strcasecmp(name + bytes - end, packed[i]) == 0) {
            bytes -= end;
            return (bytes > 4 && strncasecmp(name + bytes - 4, ".tar", 4) == 0) ||
                   (bytes > 5 && strncasecmp(name + bytes - 5, ".cpio", 5) == 0);
        }
    }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (bytes > strlen(ends[i]) && strcasecmp(name + bytes - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

/* Returns true if the archive by itself holds too much. */
static bool holds_too_much(struct archive_file *file)
{
    const int64_t unpacked = functions.filter_bytes(file->archive, 0);
    const uint64_t held =
        unpacked > 0 && (uint64_t)unpacked > file->made ? (uint64_t)unpacked : file->made;

    if (held > BYTES_MAX)
        file->why = "the members are too large to be searched in an archive";
    else if (held > FREE_BYTES && (held - FREE_BYTES) / RATIO_MAX > (uint64_t)file->size)
        file->why = "the members are more than 1,100 times as large as the archive";
    return file->why != NULL;
}

/* Returns true if the archive, or one around it, holds too much. */
static bool is_over(struct archive_file *file)
{
    for (struct archive_file *at = file; at != NULL && file->why == NULL; at = at->outer)
        if (holds_too_much(at))
            file->why = at->why;
    return file->why != NULL;
}

static ssize_t read_bytes(struct archive *archive, void *context, const void **bytes)
{
    struct archive_file *file = context;
    ssize_t got;

    (void)archive;
    if (is_over(file)) /* also while a member is skipped */
        return STATUS_FATAL;
    do
        got = pread(file->descriptor, file->bytes, READ_BYTES, file->begin + file->at);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        file->why = strerror(errno);
        return STATUS_FATAL;
    }
    file->at += got;
    *bytes = file->bytes;
    return got;
}

static int64_t seek(struct archive *archive, void *context, int64_t offset, int whence)
{
    struct archive_file *file = context;
    const int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->at : file->size;

    (void)archive;
    if (offset < -from || offset > INT64_MAX / 2 - from)
        return STATUS_FATAL;
    return file->at = from + offset;
}

/* Returns the message about a text whose name is empty. */
static const char *unnamed(const struct trawl_error *error)
{
    if (error->status == TRAWL_MEMORY)
        return "memory exhausted";
    return error->message + (strncmp(error->message, ": ", 2) == 0 ? 2 : 0);
}

/* Hands over the next decompressed bytes. */
static ssize_t read_unpacked(struct archive *archive, void *context, const void **bytes)
{
    struct archive_file *file = context;
    struct handover *unpacked = &file->unpacked;
    ssize_t held = (ssize_t)file->held;

    (void)archive;
    if (is_over(file))
        return STATUS_FATAL;
    if (unpacked->searcher == NULL) {
        *bytes = file->bytes;
        file->held = 0;
        return held;
    }
    while (handover_next(unpacked))
        if (unpacked->at != unpacked->end) {
            *bytes = unpacked->at;
            return unpacked->end - unpacked->at;
        }
    if (unpacked->status != TRAWL_OK)
        file->cut = unnamed(&unpacked->error);
    return 0; /* after an error, libarchive would not use what it has read */
}

/* Takes the first decompressed bytes: all, if there is room and they begin an archive. */
static int take_first(void *context, const struct trawl_window *window)
{
    struct archive_file *file = context;
    uint64_t count = READ_BYTES - file->held;

    count = window->bytes_count < count ? window->bytes_count : count;
    if (count > 0)
        memcpy(file->bytes + file->held, window->bytes, count);
    file->held += count;
    return file->held == READ_BYTES ||
           (file->held >= ARCHIVE_HEAD_BYTES && !archive_begins(file->bytes, file->held));
}

/* Decompresses a short file, or prepares to decompress it. *is_archive: the text begins as an
 * archive, or is too damaged to tell but has such a name. False: `message` says why an archive
 * cannot be decompressed. */
static bool open_packed(struct archive_file *file, const char *name,
                        struct trawl_searcher *searcher,
                        const struct trawl_searcher_options *options, bool *is_archive,
                        char *message)
{
    struct handover *unpacked = &file->unpacked;
    struct trawl_error *error = &unpacked->error;
    enum trawl_status status =
        open_descriptor(file->descriptor, "", TRAWL_TEXT_UNPACK, &unpacked->text, error);
    int code;

    if (status == TRAWL_OK)
        status = trawl_plan_build(NULL, 0, NULL, &unpacked->plan, error);
    if (status == TRAWL_OK)
        status = trawl_windows(searcher, unpacked->plan, unpacked->text, TRAWL_NO_MATCHES,
                               take_first, file, error);
    if (lseek(file->descriptor, file->begin, SEEK_SET) < 0) /* a failed search may have moved it */
        return message_fail(message, "%s", strerror(errno));
    if (status != TRAWL_OK && status != TRAWL_STOPPED && status != TRAWL_UNSUPPORTED &&
        (status != TRAWL_READ || error->os_code != 0))
        return message_fail(message, "%s", unnamed(error));
    *is_archive = status == TRAWL_OK || status == TRAWL_STOPPED || file->held >= ARCHIVE_HEAD_BYTES
                      ? archive_begins(file->bytes, file->held)
                      : archive_has_name(name);
    if (!*is_archive || status == TRAWL_OK)
        return true;
    if (status == TRAWL_READ) {
        file->cut = unnamed(error);
        return true;
    }
    if (status == TRAWL_STOPPED) {
        trawl_text_close(unpacked->text);
        unpacked->text = NULL;
        status = open_descriptor(file->descriptor, "", TRAWL_TEXT_UNPACK, &unpacked->text, error);
    }
    if (status == TRAWL_OK)
        status = trawl_searcher_open(options, &unpacked->searcher, error);
    if (status != TRAWL_OK)
        return message_fail(message, "%s", unnamed(error));
    code = handover_begin(unpacked);
    return code == 0 || message_fail(message, "%s", strerror(code));
}

/* Starts libarchive at the archive's begin. */
static bool start(struct archive_file *file, bool is_rpm, char *message)
{
    struct archive *archive = functions.read_new();

    file->archive = archive;
    if (archive == NULL)
        return message_fail(message, "memory exhausted");
    (void)functions.read_support_format_tar(archive);
    (void)functions.read_support_format_cpio(archive);
    (void)functions.read_support_format_zip(archive);
    (void)functions.read_support_format_7zip(archive);
    (void)functions.read_support_format_ar(archive);
    if (is_rpm) {
        (void)functions.read_support_filter_rpm(archive);
        (void)functions.read_support_filter_bzip2(archive);
        (void)functions.read_support_filter_gzip(archive);
        (void)functions.read_support_filter_lzma(archive);
        (void)functions.read_support_filter_xz(archive);
        (void)functions.read_support_filter_zstd(archive);
    }
    (void)functions.read_set_read_callback(archive, file->is_packed ? read_unpacked : read_bytes);
    if (!file->is_packed)
        (void)functions.read_set_seek_callback(archive, seek);
    (void)functions.read_set_callback_data(archive, file);
    return functions.read_open1(archive) == 0 || message_fail(message, "%s", archive_why(file));
}

bool archive_open(struct archive_file **made, struct archive_file *outer, int descriptor,
                  const char *name, struct trawl_searcher *searcher,
                  const struct trawl_searcher_options *options, bool *has_front, char *message)
{
    const off_t begin = lseek(descriptor, 0, SEEK_CUR);
    uint8_t head[ARCHIVE_HEAD_BYTES] = "";
    struct archive_file *file;
    struct stat status;
    ssize_t got = -1;
    enum packed_state packed = PACKED_NO;
    bool plain, is_archive, good;

    *made = NULL;
    *has_front = false;
    if (begin >= 0 && fstat(descriptor, &status) == 0)
        got = pread(descriptor, head, sizeof head, begin);
    if (got < 0)
        return message_fail(message, "%s", strerror(errno));
    *has_front = ends_as_zip(descriptor, begin, status.st_size, head);
    plain = is_archive = *has_front || archive_begins(head, (uint64_t)got);
    if (!plain)
        packed = packed_state_of(head, (uint64_t)got);
    if (packed == PACKED_UNKNOWN)
        return message_fail(message, "memory exhausted");
    if (!plain && packed == PACKED_NO)
        return true;
    file = calloc(1, sizeof *file);
    if (file == NULL)
        return message_fail(message, "memory exhausted");
    file->descriptor = descriptor;
    file->outer = outer;
    file->begin = begin;
    file->size = status.st_size - begin;
    file->is_packed = !plain;
    file->is_ar = memcmp(head, AR, 8) == 0;
    good = plain || open_packed(file, name, searcher, options, &is_archive, message);
    if (good && is_archive &&
        !library_load(&library)) { /* loading takes 3 ms, so not for what holds no archive */
        good = !(plain || archive_has_name(name)) ||
               message_fail(message, "an archive, and %s cannot be loaded", library.file);
        is_archive = false;
    }
    good = good && (!is_archive || start(file, memcmp(head, RPM, 4) == 0, message));
    if (good && is_archive)
        *made = file;
    else
        archive_close(file);
    return good;
}

void archive_close(struct archive_file *file)
{
    if (file == NULL)
        return;
    if (file->archive != NULL)
        (void)functions.read_free(file->archive);
    handover_close(&file->unpacked);
    free(file);
}

/* Returns true if what follows the last member can be decompressed, too. */
static bool ends_well(struct archive_file *file)
{
    const void *bytes;
    uint64_t count = 0;
    ssize_t got = 1;

    while (file->is_packed && got > 0 && count < FREE_BYTES) {
        got = read_unpacked(file->archive, file, &bytes);
        count += got > 0 ? (uint64_t)got : 0;
    }
    return file->cut == NULL && file->why == NULL;
}

enum archive_step archive_next(struct archive_file *file, const char **name, bool *is_doubtful)
{
    struct archive_entry *entry;
    const char *why;

    for (;;) {
        int status = functions.read_next_header(file->archive, &entry);

        if (status == STATUS_END)
            return ends_well(file) ? ARCHIVE_END : ARCHIVE_CUT;
        if (status <= STATUS_FATAL || is_over(file) || ++file->broken > BROKEN_MAX)
            return ARCHIVE_CUT;
        if (status < STATUS_WARN)
            return ARCHIVE_BROKEN;
        file->broken = 0;
        file->block_bytes = 0;
        file->member_at = 0;
        if ((functions.entry_filetype(entry) != S_IFREG &&
             !(file->is_ar && functions.entry_filetype(entry) == 0)) || /* as `ar D` leaves it */
            (functions.entry_hardlink(entry) != NULL && functions.entry_size(entry) == 0))
            continue;
        *name = functions.entry_pathname(entry);
        if (*name == NULL)
            *name = functions.entry_pathname_utf8(entry);
        if (*name == NULL)
            *name = "";
        file->member_bytes = functions.entry_size(entry);
        why = functions.error_string(file->archive);
        /* names need not be in the locale's charset */
        *is_doubtful = status == STATUS_WARN && why != NULL && strstr(why, "onverted") == NULL;
        return functions.entry_is_data_encrypted(entry) != 0 ? ARCHIVE_LOCKED : ARCHIVE_MEMBER;
    }
}

int64_t archive_member_bytes(const struct archive_file *file)
{
    return file->member_bytes;
}

/* libarchive's own copy of blocks returns nothing of a read that an error ends. */
ssize_t archive_read(struct archive_file *file, void *bytes, size_t bytes_max)
{
    int status = 0;
    size_t count;

    while (file->block_bytes == 0 && status == 0)
        status = functions.read_data_block(file->archive, &file->block, &file->block_bytes,
                                           &file->block_begin);
    if (status != 0 || file->block_begin < file->member_at) {
        file->block_bytes = 0;
        return status == STATUS_END ? 0 : -1;
    }
    count = bytes_max < file->block_bytes ? bytes_max : file->block_bytes;
    if (file->block_begin > file->member_at) { /* a hole */
        const uint64_t hole = (uint64_t)(file->block_begin - file->member_at);

        count = bytes_max < hole ? bytes_max : (size_t)hole;
        memset(bytes, 0, count);
    } else {
        memcpy(bytes, file->block, count);
        file->block = (const uint8_t *)file->block + count;
        file->block_bytes -= count;
        file->block_begin += (int64_t)count;
    }
    file->member_at += (int64_t)count;
    for (struct archive_file *at = file; at != NULL; at = at->outer)
        at->made += count;
    return is_over(file) ? -1 : (ssize_t)count;
}

const char *archive_why(const struct archive_file *file)
{
    const char *why = file->why != NULL   ? file->why
                      : file->cut != NULL ? file->cut
                                          : functions.error_string(file->archive);

    return why == NULL ? "damaged" : why;
}
