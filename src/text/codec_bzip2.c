/* codec_bzip2: decodes bzip2 with libbz2. */
#include <dlfcn.h>
#include <limits.h>

#include "base/checked.h"
#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_BZIP2
#include <bzlib.h>

#define FUNCTIONS(X)              \
    X(init, BZ2_bzDecompressInit) \
    X(step, BZ2_bzDecompress)     \
    X(end, BZ2_bzDecompressEnd)
CODEC_FUNCTIONS(bzip2, FUNCTIONS)

static void *bzip2_open(uint32_t threads)
{
    bz_stream *stream = fault_hit() ? NULL : calloc(1, sizeof *stream);

    (void)threads;
    if (stream != NULL && bzip2.init(stream, 0, 0) != BZ_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

static enum codec_result step_whole(void *state, struct codec_io *io)
{
    bz_stream *stream = state;
    unsigned in = (unsigned)min_u64(io->in_count, UINT_MAX);
    unsigned out = (unsigned)min_u64(io->out_count, UINT_MAX);
    int result;

    stream->next_in = (char *)(uintptr_t)io->in;
    stream->avail_in = in;
    stream->next_out = (char *)io->out;
    stream->avail_out = out;
    result = bzip2.step(stream);
    codec_used(io, in - stream->avail_in, out - stream->avail_out);
    return result == BZ_STREAM_END  ? CODEC_END
           : result == BZ_OK        ? CODEC_MORE
           : result == BZ_MEM_ERROR ? CODEC_MEMORY
                                    : CODEC_DAMAGED;
}

/* Asks libbz2 for a single byte per call, because it does not report how many bytes a failing call
 * wrote. */
static enum codec_result bzip2_step(void *state, struct codec_io *io)
{
    const uint64_t out_count = io->out_count;
    enum codec_result result = CODEC_MORE;
    uint64_t left = out_count;

    while (result == CODEC_MORE && left > 0) {
        const uint8_t *in = io->in;

        io->out_count = 1;
        result = step_whole(state, io);
        if (io->out_count == 1 && io->in == in)
            break;
        left -= 1 - io->out_count;
    }
    io->out_count = left;
    return result;
}

static void bzip2_close(void *state)
{
    (void)bzip2.end(state);
    free(state);
}
#define BZIP2_CALLS(step) bzip2_load, bzip2_open, step, bzip2_close
#else
#define BZIP2_CALLS(step) NULL, NULL, NULL, NULL
#endif

const struct codec codec_bzip2 = {"bzip2", "libbz2.so.1.0",    0, BZIP2_CALLS(bzip2_step),
                                  NULL,    &codec_bzip2_whole, 0};
const struct codec codec_bzip2_whole = {
    "bzip2", "libbz2.so.1.0", 0, BZIP2_CALLS(step_whole), NULL, NULL, 1};
