/* ahead: lets several threads decompress pieces of a single file before the reading thread needs
 * them.
 *
 * A member is what can be decoded without earlier bytes: a gzip member, a zstd or lz4 frame, an xz
 * or bzip2 stream. The file is divided into cells of equal length. A thread looks in a cell for
 * bytes with which a member may begin, and decodes from there until a member ends after the cell.
 * The result is a piece. The reader uses a piece only if an earlier member ends exactly where it
 * begins, so a piece that began inside a member by mistake is dropped. If a piece's memory is full
 * before its end, the reader continues to decode after it.
 *
 * If a bzip2 file has no second stream near its start, pieces begin and end at blocks instead of
 * streams: bzip2 compresses each block separately (blocks.h). Offsets of pieces then count bits.
 */
#ifndef TRAWL_TEXT_AHEAD_H
#define TRAWL_TEXT_AHEAD_H

#include "text/blocks.h"
#include "text/decoder.h"

struct ahead;

struct piece {
    /* of a complete piece: the decoder that continues after the piece; not used if the piece
     * is_whole or consists of blocks */
    struct decoder *decoder;
    bool is_whole;  /* the piece ends where a member ends and another member begins */
    uint64_t end;   /* offset in the file where the piece ends */
    uint8_t *bytes; /* the decompressed bytes, of which bytes[at, count) have not been read */
    uint64_t at, count;
    uint64_t begin; /* offset in the file where the piece begins; UINT64_MAX: not known yet */
    uint64_t cell;
    /* if pieces consist of blocks: the piece's blocks, and their compressed bytes, of which
     * packed[packed_at, packed_count) are not decoded yet */
    struct blocks blocks;
    uint8_t *packed;
    uint64_t packed_at, packed_count;
    /* the decoding thread had other work and stopped; any thread may continue */
    bool pauses;
    _Atomic int state; /* enum piece_state */
    /* number of chunks that still use `bytes`; this memory is reused only at 0 */
    _Atomic uint32_t lent;
};

/* Prepares to decompress ahead. `threads` is the number of threads that work, including the reader.
 * The pieces share room_bytes of memory for decompressed bytes, but each gets at least about
 * cell_bytes, the length of a cell. */
enum trawl_status ahead_open(const struct trawl_text *text, const struct codec *codec,
                             uint32_t threads, uint64_t room_bytes, uint64_t cell_bytes,
                             struct ahead **ahead, struct trawl_error *error);
/* Frees all. No thread may be inside ahead_help. */
void ahead_close(struct ahead *ahead);

/* Does a part of the work: continues a piece that a thread has left, or finds a piece in the next
 * cell and decompresses it. Stops soon after *wanted becomes false; `wanted` may be NULL. Returns
 * false if there is nothing to do now. */
bool ahead_help(struct ahead *ahead, const _Atomic bool *wanted);
/* Returns the piece that begins at this offset, where a member or a block begins. Waits until the
 * piece is complete. Returns NULL if there is no such piece, so that the reader must decode, or if
 * ahead_stop was called. */
struct piece *ahead_take(struct ahead *ahead, uint64_t offset);
/* Returns true if pieces consist of blocks, so that offsets count bits. */
bool ahead_by_blocks(const struct ahead *ahead);
/* Decompresses the blocks that begin at this bit into a piece. Returns NULL if that fails. */
struct piece *ahead_make(struct ahead *ahead, uint64_t bit);
/* Returns the next `wanted` bytes of the piece without a copy, and counts the bytes as read. `kept`
 * earlier bytes and TEXT_SLACK_BYTES later bytes are readable, too. When they are no longer needed,
 * the caller lowers piece->lent. Returns NULL if the piece does not have all of these bytes, or if
 * ahead_make made it. */
const uint8_t *ahead_lend(struct piece *piece, uint64_t kept, uint64_t wanted);
/* Gives back a piece that the reader has read to its end. */
void ahead_give(struct ahead *ahead, struct piece *piece);
/* Makes threads leave ahead_help soon, and ahead_is_stopped return true; the reader then reads no
 * more. */
void ahead_stop(struct ahead *ahead);
bool ahead_is_stopped(const struct ahead *ahead);

#endif
