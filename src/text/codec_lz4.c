/* codec_lz4: decodes lz4 frames with liblz4. A frame consists of blocks of at most 4 MiB. */
#include <dlfcn.h>
#include <string.h>

#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_LZ4
#include <lz4frame.h>

/* liblz4 asks for a block together with the header of the next one. If that header were damaged,
 * the block's decompressed bytes would be lost. So each call to lz4_step gets only the block. */
#define BLOCK_HEAD_BYTES 4u

#define FUNCTIONS(X)                         \
    X(open, LZ4F_createDecompressionContext) \
    X(step, LZ4F_decompress)                 \
    X(close, LZ4F_freeDecompressionContext)  \
    X(is_error, LZ4F_isError)                \
    X(error_name, LZ4F_getErrorName)
CODEC_FUNCTIONS(lz4, FUNCTIONS)

static void *lz4_open(uint32_t threads)
{
    LZ4F_dctx *context = NULL;

    (void)threads;
    if (fault_hit() || lz4.is_error(lz4.open(&context, LZ4F_VERSION)))
        return NULL;
    return context;
}

static enum codec_result lz4_step(void *state, struct codec_io *io)
{
    size_t in = (size_t)io->in_count, out = (size_t)io->out_count;
    size_t result = lz4.step(state, io->out, &out, io->in, &in, NULL);

    if (lz4.is_error(result)) { /* liblz4 has left `in` and `out` undefined */
        io->what = lz4.error_name(result);
        return strcmp(io->what, "ERROR_allocation_failed") == 0 ? CODEC_MEMORY : CODEC_DAMAGED;
    }
    codec_used(io, in, out);
    io->wanted = result > BLOCK_HEAD_BYTES ? result - BLOCK_HEAD_BYTES : result;
    return result == 0 ? CODEC_END : CODEC_MORE;
}

static void lz4_close(void *state)
{
    (void)lz4.close(state);
}
#define LZ4_CALLS lz4_load, lz4_open, lz4_step, lz4_close
#else
#define LZ4_CALLS NULL, NULL, NULL, NULL
#endif

const struct codec codec_lz4 = {"lz4", "liblz4.so.1", 7, LZ4_CALLS, NULL, NULL, 0};
