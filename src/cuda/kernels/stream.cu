/* stream: how often one pattern occurs, counted by warps that stream through the text.
 *
 * Method     the filters of every, words and product; stream.h has the rest.
 * Grid       any; a warp takes every so-many-th unit. 32 to 256 threads. The names end in the rows
 *            of 512 bytes that a warp has on their way.
 * Shared     static, 2 KiB.
 * Traffic    per text byte: reads 1, and 8 or 16 bytes per step of rows times 512 twice, but for
 *            words and single bytes. Per candidate: 32 to 96 text bytes, from L1 or L2 as a rule.
 * Progress   no warp waits for another.
 * Order      none: a count.
 * Limits     want is SCAN_COUNT; as every otherwise. Tiles that flood are listed, not counted.
 * Source     the methods' own.
 */
#include "stream.h"

SIMT_FUNCTION void stream_every(const struct scan_arguments *a, uint32_t rows)
{
    if (a->is_exact != 0 && a->pattern_bytes == 5u)
        stream_units(a, STREAM_PAIR_5, rows);
    else if (a->is_exact != 0 && a->pattern_bytes == 6u)
        stream_units(a, STREAM_PAIR_6, rows);
    else if (a->is_exact != 0 && a->pattern_bytes == 7u)
        stream_units(a, STREAM_PAIR_7, rows);
    else if (a->is_exact != 0 && a->pattern_bytes == 8u)
        stream_units(a, STREAM_PAIR_8, rows);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_8)
        stream_units(a, FILTER_STRIDE_8, rows);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_4)
        stream_units(a, FILTER_STRIDE_4, rows);
    else if (a->gram_kind == SCAN_GRAM_STRIDE_2)
        stream_units(a, FILTER_STRIDE_2, rows);
    else if (a->gram_kind == SCAN_GRAM_LONG)
        stream_units(a, FILTER_LONG, rows);
    else if (a->gram_kind == SCAN_GRAM_BYTE)
        stream_units(a, FILTER_BYTE, rows);
    else if (a->gram_kind == SCAN_GRAM_WORD)
        stream_units(a, FILTER_WORD, rows);
    else if (a->gram_kind == SCAN_GRAM_SHORT)
        stream_units(a, FILTER_SHORT, rows);
    else
        stream_units(a, FILTER_MASKED, rows);
}

SIMT_FUNCTION void stream_product(const struct scan_arguments *a, uint32_t rows)
{
    if (simt_load_u32(&a->product->fold) != 0)
        stream_units(a, STREAM_PRODUCT_FOLD, rows);
    else
        stream_units(a, STREAM_PRODUCT, rows);
}

SIMT_KERNEL(stream_every_4, scan_arguments, SCAN_THREADS_MAX, 3)
{
    stream_every(&args, 4);
}

SIMT_KERNEL(stream_every_8, scan_arguments, SCAN_THREADS_MAX, 2)
{
    stream_every(&args, 8);
}

SIMT_KERNEL(stream_words_4, scan_arguments, SCAN_THREADS_MAX, 3)
{
    stream_units(&args, FILTER_WORDS, 4);
}

SIMT_KERNEL(stream_words_8, scan_arguments, SCAN_THREADS_MAX, 2)
{
    stream_units(&args, FILTER_WORDS, 8);
}

SIMT_KERNEL(stream_product_4, scan_arguments, SCAN_THREADS_MAX, 2)
{
    stream_product(&args, 4);
}

SIMT_KERNEL(stream_product_8, scan_arguments, SCAN_THREADS_MAX, 3)
{
    stream_product(&args, 2);
}
