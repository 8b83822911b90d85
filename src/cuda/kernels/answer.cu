/* answer: hands a scan's result to the host, behind scans whose grid does not do it by itself.
 *
 * Method     tile.h's, by one warp.
 * Grid       one block of 32 threads.
 * Shared     none.
 * Traffic    reads and writes 64 bytes; writes 64 bytes of the host's memory.
 * Progress   alone.
 * Order      none.
 * Limits     none.
 */
SIMT_KERNEL(scan_answer, scan_arguments, SIMT_WARP_THREADS, 1)
{
    tile_answer(&args);
}
