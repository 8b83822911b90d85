/* stream: how often one pattern occurs, or where first, without bitmaps.
 *
 * Method     the filters of every, by pipelined loads; stream.h describes them, with a drawing.
 * Grid       any: each block begins with the tile of its number and draws the others from a ticket.
 *            32 to 256 threads.
 * Shared     static, 10.5 KiB: a queue of 160 entries per warp.
 * Traffic    per text byte: reads 1; 8 bytes of every 2 KiB twice, except for single bytes and
 *            strides of 8. Per candidate: 16 to 72 text bytes.
 * Bound      by the device's memory: 0.98 of the read speed for m = 1 to 32 [H200, 16 GiB].
 * Progress   no block waits for another.
 * Order      none: a count.
 * Limits     want is WANT_COUNT or WANT_FIRST; otherwise as every. Dense tiles are listed, not
 *            counted.
 * Lost       see stream.h and docs/design/cuda.md, among others matrix products on the tensor cores
 *            (0.84 at best), prefetching into L2 (0.91).
 * Source     the filters' own. Overlapped loads in registers: no publication.
 */
#include "stream.h"

#define STREAM_COUNT_KIND(kind)       \
    case kind:                        \
        stream_tiles(&args, kind, 0); \
        break;
#define STREAM_FIRST_KIND(kind)       \
    case kind:                        \
        stream_tiles(&args, kind, 1); \
        break;

SIMT_KERNEL(scan_stream, scan_arguments, SCAN_THREADS_MAX, 3)
{
    switch (stream_kind(&args)) {
        STREAM_KIND_LIST(STREAM_COUNT_KIND)
    }
}

SIMT_KERNEL(first_stream, scan_arguments, SCAN_THREADS_MAX, 3)
{
    switch (stream_kind(&args)) {
        STREAM_KIND_LIST(STREAM_FIRST_KIND)
    }
}
