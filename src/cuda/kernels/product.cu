/* product: occurrences of one pattern, by fingerprints of up to 17 bytes at each place.
 *
 * Method     product.h sets the tile's bits; what follows is every's: verification, duels when a
 *            tile floods. No fingerprint decides by itself.
 * Grid, Shared, Progress, Order, Limits as every.
 * Traffic    per text byte: reads 1 1/64 (16 bytes behind each KiB twice). Per candidate and hit
 *            as every. Chance makes about one place in 4,000 a candidate on four letters.
 * Source     fingerprints: Karp and Rabin, "Efficient randomized pattern-matching algorithms",
 * 1987.
 */
SIMT_KERNEL(scan_product, scan_arguments, SCAN_THREADS_MAX, 3)
{
    every_tiles(&args, EVERY_PRODUCT);
}
