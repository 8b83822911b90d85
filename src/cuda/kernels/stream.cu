/* stream: how often one pattern occurs, counted without bitmaps.
 *
 * Method     the filters of every; stream.h has the rest.
 * Grid       any: blocks begin with the tile of their number and draw the others from a ticket. 32
 * to 256 threads. Shared     static, 4.4 KiB. Traffic    per text byte: reads 1, and 8 bytes per 2
 * KiB twice, but for single bytes and strides of
 *            8. Per candidate: 16 to 72 text bytes.
 * Progress   no block waits for another.
 * Order      none: a count.
 * Limits     want is SCAN_COUNT; as every otherwise. Tiles that flood are listed, not counted.
 * Source     the filters' own. Overlapped loads in registers: no publication.
 */
#include "stream.h"

SIMT_KERNEL(scan_stream, scan_arguments, SCAN_THREADS_MAX, 3)
{
    const struct scan_arguments *a = &args;

    if (a->is_exact != 0 && a->pattern_bytes == 5u)
        stream_tiles(a, STREAM_PAIR_5);
    else if (a->is_exact != 0 && a->pattern_bytes == 6u)
        stream_tiles(a, STREAM_PAIR_6);
    else if (a->is_exact != 0 && a->pattern_bytes == 7u)
        stream_tiles(a, STREAM_PAIR_7);
    else if (a->is_exact != 0 && a->pattern_bytes == 8u)
        stream_tiles(a, STREAM_PAIR_8);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_8)
        stream_tiles(a, FILTER_STRIDE_8);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_4)
        stream_tiles(a, FILTER_STRIDE_4);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_2)
        stream_tiles(a, FILTER_STRIDE_2);
    else if (a->gram_kind == SCAN_GRAM_LONG)
        stream_tiles(a, FILTER_LONG);
    else if (a->gram_kind == SCAN_GRAM_BYTE)
        stream_tiles(a, FILTER_BYTE);
    else if (a->gram_kind == SCAN_GRAM_WORD)
        stream_tiles(a, FILTER_WORD);
    else if (a->gram_kind == SCAN_GRAM_SHORT)
        stream_tiles(a, FILTER_SHORT);
    else
        stream_tiles(a, FILTER_MASKED);
}
