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

SIMT_FUNCTION void stream_kinds(const struct scan_arguments *a, int first)
{
    if (a->is_exact != 0 && a->pattern_bytes == 5u)
        stream_tiles(a, STREAM_PAIR_5, first);
    else if (a->is_exact != 0 && a->pattern_bytes == 6u)
        stream_tiles(a, STREAM_PAIR_6, first);
    else if (a->is_exact != 0 && a->pattern_bytes == 7u)
        stream_tiles(a, STREAM_PAIR_7, first);
    else if (a->is_exact != 0 && a->pattern_bytes == 8u)
        stream_tiles(a, STREAM_PAIR_8, first);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_8)
        stream_tiles(a, FILTER_STRIDE_8, first);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_4)
        stream_tiles(a, FILTER_STRIDE_4, first);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_2)
        stream_tiles(a, FILTER_STRIDE_2, first);
    else if (a->gram_kind == SCAN_GRAM_LONG)
        stream_tiles(a, FILTER_LONG, first);
    else if (a->gram_kind == SCAN_GRAM_BYTE)
        stream_tiles(a, FILTER_BYTE, first);
    else if (a->gram_kind == SCAN_GRAM_WORD)
        stream_tiles(a, FILTER_WORD, first);
    else if (a->gram_kind == SCAN_GRAM_SHORT)
        stream_tiles(a, FILTER_SHORT, first);
    else
        stream_tiles(a, FILTER_MASKED, first);
}

SIMT_KERNEL(scan_stream, scan_arguments, SCAN_THREADS_MAX, 3)
{
    stream_kinds(&args, 0);
}

SIMT_KERNEL(first_stream, scan_arguments, SCAN_THREADS_MAX, 3)
{
    stream_kinds(&args, 1);
}
