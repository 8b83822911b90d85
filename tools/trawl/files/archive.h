/* archive: reads the members of tar, zip, cpio, 7z, ar (.deb) and rpm archives, which may be
 * compressed, with libarchive, which is loaded when it is first needed. */
#ifndef TRAWL_ARCHIVE_H
#define TRAWL_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trawl.h"

struct archive_file;

/* Bytes of a file that decide whether it is an archive. */
#define ARCHIVE_HEAD_BYTES 512u

/* Returns true if a file that begins with these bytes is an archive that is not compressed. */
bool archive_begins(const uint8_t *bytes, uint64_t bytes_count);
/* Returns true if a file is a program or a script with a zip archive behind it; if the bytes are
 * not the whole file, if it may be one. */
bool archive_is_behind(const uint8_t *bytes, uint64_t bytes_count, bool is_whole);
/* Returns true if a file of that name may be an archive. */
bool archive_has_name(const char *name);

/* Opens the archive at the position of a regular file's descriptor, which stays there. Of a
 * compressed file, `searcher` reads the first bytes, before the call returns, and another with
 * `options` all of them in a thread of its own. `outer`: the archive of which
 * it is a member, or NULL; limits of size are those of all members. *file is NULL if the file is no
 * archive. *has_front: it is behind a program or a script, which is no member. False:
 * message[SETTINGS_ERROR_BYTES] says why it cannot be read. */
bool archive_open(struct archive_file **file, struct archive_file *outer, int descriptor,
                  const char *name, struct trawl_searcher *searcher,
                  const struct trawl_searcher_options *options, bool *has_front, char *message);
void archive_close(struct archive_file *file);

enum archive_step {
    ARCHIVE_MEMBER, /* a regular file */
    ARCHIVE_LOCKED, /* an encrypted one */
    ARCHIVE_BROKEN, /* a member cannot be read, but later ones may be */
    ARCHIVE_END,
    ARCHIVE_CUT /* nothing more can be read; archive_why says why */
};
/* Goes to the next member. *name is valid until the next call. *is_doubtful: something in the
 * archive contradicts its header, as archive_why says. */
enum archive_step archive_next(struct archive_file *file, const char **name, bool *is_doubtful);
/* Returns the member's size as its header has it. */
int64_t archive_member_bytes(const struct archive_file *file);
/* Reads the member's next bytes. 0: its end; < 0: it cannot be read, as archive_why says. */
ssize_t archive_read(struct archive_file *file, void *bytes, size_t bytes_max);
/* Returns the last error. */
const char *archive_why(const struct archive_file *file);

#endif
