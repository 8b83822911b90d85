/* read: reads every byte of the text and keeps nothing: the speed that benchmarks compare with.
 *
 * Method     adds up all words; the sum is never the one looked for, so nothing is written.
 * Grid       any; each block takes every grid-th step of 4 KiB times the number of loads that the
 *            kernel's name ends in. 256 threads.
 * Shared     none.
 * Traffic    per text byte: reads 1. Writes nothing.
 * Bound      by the device's memory.
 * Progress   no block waits for another.
 * Order      none.
 * Limits     bytes at the text's end that fill no whole step are not read.
 */

#define READ_LOADS_MAX 8u

SIMT_FUNCTION void read_steps(const struct scan_arguments *a, uint32_t loads)
{
    uint64_t step = 16ull * loads * simt_threads();
    uint64_t steps = (a->text_end - a->begin) / step;
    uint32_t sum = 0;

    for (uint64_t s = simt_block(); s < steps; s += simt_blocks()) {
        uint64_t position = a->begin + s * step + 16ull * simt_thread();
        struct simt_u32x4 loaded[READ_LOADS_MAX];

        SIMT_UNROLL
        for (uint32_t i = 0; i < loads; i++)
            loaded[i] = simt_load_u32x4(
                (const uint32_t *)(const void *)(a->text + position + 16ull * i * simt_threads()));
        SIMT_UNROLL
        for (uint32_t i = 0; i < loads; i++)
            sum += loaded[i].w[0] ^ loaded[i].w[1] ^ loaded[i].w[2] ^ loaded[i].w[3];
    }
    if (sum == 0x9e3779b9u && a->limit == 0)
        simt_store_u64(&a->result->count, sum);
}

/* 16-byte loads in flight per thread: 2, 4, 8. */
SIMT_KERNEL(scan_read_2, scan_arguments, SCAN_THREADS_MAX, 4)
{
    read_steps(&args, 2);
}

SIMT_KERNEL(scan_read, scan_arguments, SCAN_THREADS_MAX, 4)
{
    read_steps(&args, 4);
}

SIMT_KERNEL(scan_read_8, scan_arguments, SCAN_THREADS_MAX, 4)
{
    read_steps(&args, 8);
}
