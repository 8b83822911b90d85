/* codec_zstd: decodes zstd with libzstd. By default, libzstd rejects windows over 128 MiB. */
#include <dlfcn.h>

#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

/* libzstd asks for a block together with the header of the next one. If that header were damaged,
 * the block's decompressed bytes would be lost. So each call to zstd_step gets only the block. */
#define BLOCK_HEAD_BYTES 3u

#define FUNCTIONS(X)                 \
    X(open, ZSTD_createDStream)      \
    X(step, ZSTD_decompressStream)   \
    X(close, ZSTD_freeDStream)       \
    X(memory, ZSTD_sizeof_DStream)   \
    X(is_error, ZSTD_isError)        \
    X(error_code, ZSTD_getErrorCode) \
    X(error_name, ZSTD_getErrorName)
CODEC_FUNCTIONS(zstd, FUNCTIONS)

static void *zstd_open(uint32_t threads)
{
    (void)threads;
    return fault_hit() ? NULL : zstd.open();
}

static enum codec_result zstd_step(void *state, struct codec_io *io)
{
    ZSTD_inBuffer in = {io->in, (size_t)io->in_count, 0};
    ZSTD_outBuffer out = {io->out, (size_t)io->out_count, 0};
    size_t result = zstd.step(state, &out, &in);

    codec_used(io, in.pos, out.pos);
    io->wanted = result > BLOCK_HEAD_BYTES ? result - BLOCK_HEAD_BYTES : result;
    if (!zstd.is_error(result))
        return result == 0 ? CODEC_END : CODEC_MORE;
    io->what = zstd.error_name(result);
    switch (zstd.error_code(result)) {
    case ZSTD_error_frameParameter_windowTooLarge:
        return CODEC_LARGE;
    case ZSTD_error_memory_allocation:
        return CODEC_MEMORY;
    default:
        return CODEC_DAMAGED;
    }
}

static uint64_t zstd_memory(const void *state)
{
    return zstd.memory(state);
}

static void zstd_close(void *state)
{
    (void)zstd.close(state);
}
#define ZSTD_CALLS zstd_load, zstd_open, zstd_step, zstd_close, zstd_memory
#else
#define ZSTD_CALLS NULL, NULL, NULL, NULL, NULL
#endif

const struct codec codec_zstd = {"zstd", "libzstd.so.1", 5, ZSTD_CALLS, NULL, 0};
