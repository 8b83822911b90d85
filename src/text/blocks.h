/* blocks: finds the blocks of a bzip2 stream in its compressed bytes
 *
 * A block may begin at any bit, with a mark of 48 bits, and can be decoded without earlier blocks.
 * So libbz2 can decode any run of blocks as a separate stream, once the start and the end of a
 * stream are added. The true end of the stream contains a sum of all blocks' checksums, which the
 * reader checks.
 */
#ifndef TRAWL_TEXT_BLOCKS_H
#define TRAWL_TEXT_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Every block is shorter than this, so the next one begins within this many bytes. */
#define BLOCKS_ROOM ((UINT64_C(1) << 20) + (UINT64_C(1) << 18))
#define BLOCKS_HEAD_BYTES 4u /* bytes of a stream before the first block */
/* a stream ends with a mark of 48 bits and a checksum of 32; a block starts with as many */
#define BLOCKS_END_BITS 80u
#define BLOCKS_SLACK_BYTES 16u

/* A run of successive blocks of a stream, which are decoded together. */
struct blocks {
    uint64_t bits;  /* length in bits */
    uint32_t sum;   /* sum of the blocks' checksums, as if a stream began here */
    uint32_t count; /* number of blocks */
};

enum blocks_mark { BLOCKS_NO_MARK, BLOCKS_BEGIN, BLOCKS_END };

/* Finds the first mark that begins at bit `from` or later. Returns false if there is none.
 * BLOCKS_SLACK_BYTES more bytes must be readable after `bytes_count`. */
bool blocks_find(const uint8_t *bytes, uint64_t bytes_count, uint64_t from, uint64_t *at,
                 enum blocks_mark *mark);
/* Returns which mark begins at this bit. Sets *checksum to the checksum that follows the mark. */
enum blocks_mark blocks_mark_at(const uint8_t *bytes, uint64_t bit, uint32_t *checksum);
/* Measures the blocks from bit `begin` to the first mark at bit `min_end` or later, or to the end
 * of the stream: their length, number, and sum of checksums. Returns false if there is no such
 * mark. */
bool blocks_measure(const uint8_t *bytes, uint64_t bytes_count, uint64_t begin, uint64_t min_end,
                    struct blocks *blocks);
/* Turns the blocks that begin at bit `begin` into a separate stream of bzip2: moves them to
 * bytes[0], and appends the mark of its end. The caller writes its header of 4 bytes. Returns the
 * number of bytes. */
uint64_t blocks_make_stream(uint8_t *bytes, uint64_t begin, const struct blocks *blocks);
/* Adds these blocks' checksums to the sum of those of earlier blocks. */
uint32_t blocks_add(uint32_t sum, const struct blocks *blocks);

#endif
