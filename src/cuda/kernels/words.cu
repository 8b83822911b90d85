/* words: occurrences of one pattern of 7 bytes and more, by a look at each aligned word.
 *
 * Method     every occurrence holds four neighbouring aligned-word candidates of a 7-byte window
 *            in exactly one phase: a text word that equals one of the window's four words proposes
 *            one begin. 16 comparisons per 16 bytes, no shift, no neighbour. What follows is
 *            every's: verification, duels when a tile floods.
 * Grid, Shared, Progress, Order, Limits as every.
 * Traffic    per text byte: reads 1. Per candidate and hit as every.
 * Source     q = 4, s = 4 of the sampling rule in docs/kernels.md.
 */
SIMT_KERNEL(scan_words, scan_arguments, SCAN_THREADS_MAX, 4)
{
    every_tiles(&args, EVERY_WORDS);
}
