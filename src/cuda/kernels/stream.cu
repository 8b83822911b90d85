/* stream: how often one pattern occurs, or where first, without bitmaps.
 *
 * Method     the filters of every; stream.h has the rest.
 * Grid       any: blocks begin with the tile of their number and draw the others from a ticket.
 *            32 to 256 threads.
 * Shared     static, 10.5 KiB: a queue of 160 entries per warp.
 * Traffic    per text byte: reads 1, and 8 bytes per 2 KiB twice, but for single bytes and strides
 *            of 8. Per candidate: 16 to 72 text bytes.
 * Progress   no block waits for another.
 * Order      none: a count.
 * Limits     want is SCAN_COUNT, or SCAN_FIRST; as every otherwise. Tiles that flood are listed,
 *            not counted.
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
