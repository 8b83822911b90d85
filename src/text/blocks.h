/* blocks: the blocks of a bzip2 stream, which begin at any bit with a number of 48 bits.
 *
 * A block needs nothing of the blocks before. So libbz2 decodes several blocks as a stream of their
 * own, to which a head and an end are added. The end of the true stream has a sum of all blocks'
 * checksums, which the reader compares.
 */
#ifndef TRAWL_TEXT_BLOCKS_H
#define TRAWL_TEXT_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* What BLOCKS_ROOM bytes after a block's begin always hold: the begin of the next block. */
#define BLOCKS_ROOM ((UINT64_C(1) << 20) + (UINT64_C(1) << 18))
#define BLOCKS_HEAD_BYTES 4u /* bytes of a stream before the first block */
#define BLOCKS_END_BITS 80u  /* length of a stream's end, as of a block's begin */
#define BLOCKS_SLACK_BYTES 16u

/* The blocks of a piece. */
struct blocks {
    uint64_t bits;  /* length */
    uint32_t sum;   /* of the checksums, as if the stream began here */
    uint32_t count; /* number of blocks */
};

enum blocks_mark { BLOCKS_NO_MARK, BLOCKS_BEGIN, BLOCKS_END };

/* Finds the first mark that begins at this bit or later; false: there is none. `bytes` has
 * BLOCKS_SLACK_BYTES readable bytes behind bytes_count. */
bool blocks_find(const uint8_t *bytes, uint64_t bytes_count, uint64_t from, uint64_t *at,
                 enum blocks_mark *mark);
/* Returns what begins at this bit, and the checksum behind the mark. */
enum blocks_mark blocks_mark_at(const uint8_t *bytes, uint64_t bit, uint32_t *checksum);
/* Measures the blocks from `begin` on, up to the first mark at `least_end` or later, or to the
 * stream's end. False: there is no such mark. */
bool blocks_measure(const uint8_t *bytes, uint64_t bytes_count, uint64_t begin, uint64_t least_end,
                    struct blocks *blocks);
/* Makes a stream of the blocks from bit `begin` on: moves them to bytes[0], without the stream's
 * head, and adds an end. Returns the stream's bytes. */
uint64_t blocks_make_stream(uint8_t *bytes, uint64_t begin, const struct blocks *blocks);
/* Returns the sum of earlier blocks and of these blocks. */
uint32_t blocks_add(uint32_t sum, const struct blocks *blocks);

#endif
