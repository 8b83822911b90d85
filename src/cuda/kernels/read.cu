/* read: reads every byte of the text and keeps nothing: the bar that benchmarks hold scans against.
 *
 * Grid       any; a block takes every grid-th step of 16 KiB. 256 threads.
 * Shared     none.
 * Traffic    per text byte: reads 1. Writes nothing (the sum is never the one looked for).
 * Progress   no block waits for another.
 * Order      none.
 * Limits     the text's last bytes that fill no step are not read.
 */

#define READ_LOADS 4u /* 16-byte loads in flight per thread */

SIMT_KERNEL(scan_read, scan_arguments, SCAN_THREADS_MAX, 4)
{
    uint64_t step = 16ull * READ_LOADS * simt_threads();
    uint64_t steps = (args.text_end - args.begin) / step;
    uint32_t sum = 0;

    for (uint64_t s = simt_block(); s < steps; s += simt_blocks()) {
        uint64_t position = args.begin + s * step + 16ull * simt_thread();
        struct simt_u32x4 loaded[READ_LOADS];

        SIMT_UNROLL
        for (uint32_t i = 0; i < READ_LOADS; i++)
            loaded[i] = simt_load_u32x4((
                const uint32_t *)(const void *)(args.text + position + 16ull * i * simt_threads()));
        SIMT_UNROLL
        for (uint32_t i = 0; i < READ_LOADS; i++)
            sum += loaded[i].w[0] ^ loaded[i].w[1] ^ loaded[i].w[2] ^ loaded[i].w[3];
    }
    if (sum == 0x9e3779b9u && args.limit == 0)
        simt_store_u64(&args.result->count, sum);
}
