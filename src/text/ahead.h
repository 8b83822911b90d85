/* ahead: lets several threads unpack pieces of one compressed file, ahead of the thread that reads.
 *
 * The file is divided into cells. Where a cell has bytes with which a member may begin (a gzip
 * member, a zstd or lz4 frame, an xz or bzip2 stream), a thread decodes from there on, as a piece,
 * until a member ends behind the cell. The reader takes a piece only if an earlier member ends
 * exactly where the piece begins. So a piece is what the reader would decode by itself; a piece
 * that began inside a member is dropped. A piece whose room is full is continued by the reader.
 *
 * A bzip2 file without a second stream near its begin is divided at blocks (blocks.h): offsets of
 * pieces are then bits.
 */
#ifndef TRAWL_TEXT_AHEAD_H
#define TRAWL_TEXT_AHEAD_H

#include "text/blocks.h"
#include "text/decoder.h"

struct ahead;

struct piece {
    struct decoder *decoder; /* goes on behind the piece; NULL, if is_whole: no decoder has to */
    bool is_whole;           /* the piece ends where a member ends, and another member begins */
    uint64_t end;            /* the file offset there */
    uint8_t *bytes;          /* unpacked: bytes[at, count) were not read yet */
    uint64_t at, count;
    uint64_t begin; /* file offset; UINT64_MAX: not known yet */
    uint64_t cell;
    /* by_blocks: what the piece has, its compressed bytes, and those that are not decoded yet */
    struct blocks blocks;
    uint8_t *packed;
    uint64_t packed_at, packed_count;
    bool pauses;           /* the thread that decoded has other work; any thread goes on */
    _Atomic int state;     /* enum piece_state */
    _Atomic uint32_t lent; /* chunks that lie in `bytes`; until 0, the room is not used again */
};

/* threads: all that work, the reader included; room_bytes: the most memory for unpacked bytes. */
enum trawl_status ahead_open(const struct trawl_text *text, const struct codec *codec,
                             uint32_t threads, uint64_t room_bytes, uint64_t cell_bytes,
                             struct ahead **ahead, struct trawl_error *error);
/* No thread may be inside ahead_help. */
void ahead_close(struct ahead *ahead);

/* Goes on with a piece that a thread has left, or looks for a piece in the next cell and unpacks
 * that piece. Leaves the piece soon after *wanted, unless NULL, has become false. False: there is
 * nothing to do now. */
bool ahead_help(struct ahead *ahead, const _Atomic bool *wanted);
/* Returns the piece that begins at this offset, where a member begins; NULL: there is none, and the
 * reader has to decode. Waits until the piece is complete. */
struct piece *ahead_take(struct ahead *ahead, uint64_t offset);
/* Returns whether pieces consist of blocks, and begin at bits of the file. */
bool ahead_by_blocks(const struct ahead *ahead);
/* Unpacks the blocks at this bit as a piece for the reader; NULL: they cannot be a piece. */
struct piece *ahead_make(struct ahead *ahead, uint64_t bit);
/* Returns the next `wanted` bytes of the piece, and counts them as read; bytes[-kept] is readable,
 * and TEXT_SLACK_BYTES behind them. The caller lowers *lent at last. NULL: the piece has not all of
 * these bytes, or its room is the reader's own. */
const uint8_t *ahead_lend(struct piece *piece, uint64_t kept, uint64_t wanted);
/* Gives back the piece, of which the reader has read all bytes. */
void ahead_give(struct ahead *ahead, struct piece *piece);
/* Makes the threads in ahead_help end soon. The reader reads no more, if ahead_is_stopped. */
void ahead_stop(struct ahead *ahead);
bool ahead_is_stopped(const struct ahead *ahead);

#endif
