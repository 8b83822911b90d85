/* blocks: finds the blocks of a bzip2 stream in its compressed bytes. A block begins at any bit,
 * with a mark of 48 bits.
 *
 * A block can be decoded without earlier blocks. So several blocks, with the start and the end of a
 * stream added, are decoded by libbz2 as a separate stream. The end of the true stream has a sum of
 * all blocks' checksums, which the reader compares.
 */
#ifndef TRAWL_TEXT_BLOCKS_H
#define TRAWL_TEXT_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* A block is shorter than this, so the next block begins within this many bytes. */
#define BLOCKS_ROOM ((UINT64_C(1) << 20) + (UINT64_C(1) << 18))
#define BLOCKS_HEAD_BYTES 4u /* bytes of a stream before the first block */
/* number of bits of a stream's end, a mark and a checksum; a block's start has the same length */
#define BLOCKS_END_BITS 80u
#define BLOCKS_SLACK_BYTES 16u

/* Successive blocks of a stream, which are decoded together. */
struct blocks {
    uint64_t bits;  /* length in bits */
    uint32_t sum;   /* sum of the blocks' checksums, as if a stream began here */
    uint32_t count; /* number of blocks */
};

enum blocks_mark { BLOCKS_NO_MARK, BLOCKS_BEGIN, BLOCKS_END };

/* Finds the first mark at bit `from` or later. Returns false if there is none. After bytes_count
 * bytes, BLOCKS_SLACK_BYTES further bytes must be readable. */
bool blocks_find(const uint8_t *bytes, uint64_t bytes_count, uint64_t from, uint64_t *at,
                 enum blocks_mark *mark);
/* Returns which mark begins at this bit. Sets *checksum to the checksum that follows the mark. */
enum blocks_mark blocks_mark_at(const uint8_t *bytes, uint64_t bit, uint32_t *checksum);
/* Finds the length, the number and the checksums' sum of the blocks starting at bit `begin`, up to
 * the first mark at bit `least_end` or later, or to the stream's end. Returns false if there is no
 * such mark. */
bool blocks_measure(const uint8_t *bytes, uint64_t bytes_count, uint64_t begin, uint64_t least_end,
                    struct blocks *blocks);
/* Makes a stream of the blocks that begin at bit `begin`: moves them to bytes[0] and adds an end.
 * The caller adds the 4 bytes of a stream's start. Returns the number of bytes. */
uint64_t blocks_make_stream(uint8_t *bytes, uint64_t begin, const struct blocks *blocks);
/* Returns the sum of checksums of earlier blocks (`sum`) and of these blocks. */
uint32_t blocks_add(uint32_t sum, const struct blocks *blocks);

#endif
