/* ahead: several threads decompress a single file ahead of the thread that reads it
 *
 * A *member* can be decoded without earlier bytes: a gzip member, a zstd or lz4 frame, an xz or
 * bzip2 stream. The file is divided into *cells* of equal length. A thread looks in a cell for the
 * magic bytes of a member, and decodes from there until a member ends after the cell. The result is
 * a *piece*:
 *
 *    cells    |0        |1        |2        |
 *    members  m....m......m....m......m.....m...
 *    pieces   (reader)    [1         ][2   ]
 *
 * The reader uses a piece only if the member before it ends exactly where the piece begins, because
 * the magic bytes may also occur inside a member. If a piece's memory is full before its end, the
 * reader decodes the rest.
 *
 * If a bzip2 file has no second stream near its start, pieces begin and end at blocks, which bzip2
 * compresses independently (blocks.h), instead of streams. The offsets of such pieces count bits.
 *
 * Decoding takes 10 to 100 times as long as searching, so a worker of the command takes several
 * files at once; if one of them takes long, other workers search the rest. The answer does not
 * depend on the number of threads. A gzip member is decoded on one core: on eight, rapidgzip is
 * only 1.5 times as fast as ISA-L on one.
 */
#ifndef TRAWL_TEXT_AHEAD_H
#define TRAWL_TEXT_AHEAD_H

#include "text/blocks.h"
#include "text/decoder.h"

struct ahead;

struct piece {
    /* the decoder with which the reader continues after a complete piece, unless that is_whole or
     * consists of blocks */
    struct decoder *decoder;
    bool is_whole;  /* the piece ends where a member ends and another member begins */
    uint64_t end;   /* offset in the file where the piece ends */
    uint8_t *bytes; /* decompressed bytes; bytes[at, count) have not been read */
    uint64_t at, count;
    uint64_t begin; /* offset in the file where the piece begins; UINT64_MAX: not known yet */
    uint64_t cell;
    /* if pieces consist of blocks: these blocks, and their compressed bytes; packed[packed_at,
     * packed_count) have not been decoded */
    struct blocks blocks;
    uint8_t *packed;
    uint64_t packed_at, packed_count;
    /* the decoding thread has stopped for other work; any thread may continue */
    bool pauses;
    _Atomic int state; /* enum piece_state */
    /* number of chunks that still use `bytes`, which is reused only at 0 */
    _Atomic uint32_t lent;
};

/* Prepares to decompress ahead. how->threads is the number of threads that will decompress,
 * including the reader. The pieces share how->bytes of memory for decompressed bytes, but each gets
 * at least about how->cell_bytes, the length of a cell. Returns NULL if out of memory. */
struct ahead *ahead_open(const struct trawl_text *text, const struct codec *codec,
                         const struct text_unpacking *how);
/* Frees everything. No thread may be inside ahead_help. */
void ahead_close(struct ahead *ahead);

/* Decompresses one piece: a paused one, or one that begins in the next cell. Stops soon after
 * *wanted becomes false; `wanted` may be NULL. Returns false if there is nothing to do now. */
bool ahead_help(struct ahead *ahead, const _Atomic bool *wanted);
/* Waits for the piece that begins at this offset, where a member or a block begins, and returns it
 * when it is complete. Returns NULL if there is no such piece, so that the reader must decode, or
 * if ahead_stop was called. */
struct piece *ahead_take(struct ahead *ahead, uint64_t offset);
/* Returns true if pieces consist of blocks, so that offsets count bits. */
bool ahead_by_blocks(const struct ahead *ahead);
/* For the reader: decompresses the blocks that begin at this bit into a piece. Returns NULL if that
 * fails. */
struct piece *ahead_make(struct ahead *ahead, uint64_t bit);
/* Returns the next `wanted` bytes of the piece without a copy, and counts them as read. `kept`
 * earlier bytes and TEXT_SLACK_BYTES later bytes are readable, too. The caller decrements
 * piece->lent when it no longer needs them. Returns NULL if the piece lacks some of these bytes, or
 * if ahead_make made it. */
const uint8_t *ahead_lend(struct piece *piece, uint64_t kept, uint64_t wanted);
/* Returns a piece to the pool once the reader has read it to its end. */
void ahead_give(struct ahead *ahead, struct piece *piece);
/* Makes threads leave ahead_help soon, and the reader stop: ahead_is_stopped is true from now
 * on. */
void ahead_stop(struct ahead *ahead);
bool ahead_is_stopped(const struct ahead *ahead);

#endif
