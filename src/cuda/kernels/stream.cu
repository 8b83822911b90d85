/* stream: counts the occurrences of one pattern without bitmaps.
 *
 * Method     compares up to 8 bytes of the pattern (its rarest window) at every position, or grams
 *            at every 2nd, 4th or 8th, in registers (filter.h), by pipelined loads. stream.h
 *            describes the loads, with a drawing.
 * Grid       any: a block's first tile is the tile of the block's number, and the block draws
 *            further tiles from a ticket. 32 to 256 threads.
 * Shared     static, 10.7 KiB: a queue of 160 entries per warp.
 * Traffic    per text byte: reads 1; 8 bytes of every 2 KiB twice, except for single bytes and
 *            strides of 8. Per candidate: 16 to 72 text bytes.
 * Bound      by device memory: 0.98 of the read speed for m = 1 to 32 [H200, 16 GiB].
 * Progress   no block waits for another block.
 * Order      no order: a count.
 * Limits     as in planes.cu. The kernel lists the numbers of dense tiles and does not count their
 *            occurrences.
 * Source     Hyyro, Fredriksson, Navarro (2005) survey word-wise comparison. Loads that overlap in
 *            registers: no publication known.
 */
#include "stream.h"

#define STREAM_COUNT_KIND(kind)    \
    case kind:                     \
        stream_tiles(&args, kind); \
        break;
SIMT_KERNEL(scan_stream, pattern_arguments, SCAN_THREADS_MAX, 3)
{
    switch (stream_kind(&args)) {
        STREAM_KIND_LIST(STREAM_COUNT_KIND)
    }
}
