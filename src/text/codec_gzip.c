/* codec_gzip: decodes gzip with zlib. */
#include <dlfcn.h>
#include <limits.h>

#include "base/checked.h"
#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_ZLIB
#include <zlib.h>

/* windowBits of zlib: 15, the largest window; +16, gzip only */
#define WINDOW_GZIP_ONLY (15 + 16)

#define FUNCTIONS(X)       \
    X(init, inflateInit2_) \
    X(step, inflate)       \
    X(end, inflateEnd)
CODEC_FUNCTIONS(gzip, FUNCTIONS)

static void *gzip_open(uint32_t threads)
{
    z_stream *stream = fault_hit() ? NULL : calloc(1, sizeof *stream);

    (void)threads;
    if (stream != NULL &&
        gzip.init(stream, WINDOW_GZIP_ONLY, ZLIB_VERSION, (int)sizeof *stream) != Z_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

static enum codec_result gzip_step(void *state, struct codec_io *io)
{
    z_stream *stream = state;
    uInt in = (uInt)min_u64(io->in_count, UINT_MAX), out = (uInt)min_u64(io->out_count, UINT_MAX);
    int result;

    stream->next_in = (Bytef *)(uintptr_t)io->in;
    stream->avail_in = in;
    stream->next_out = io->out;
    stream->avail_out = out;
    result = gzip.step(stream, Z_NO_FLUSH);
    codec_used(io, in - stream->avail_in, out - stream->avail_out);
    io->what = stream->msg;
    return result == Z_STREAM_END                    ? CODEC_END
           : result == Z_OK || result == Z_BUF_ERROR ? CODEC_MORE
           : result == Z_MEM_ERROR                   ? CODEC_MEMORY
                                                     : CODEC_DAMAGED;
}

static void gzip_close(void *state)
{
    (void)gzip.end(state);
    free(state);
}
#define GZIP_CALLS gzip_load, gzip_open, gzip_step, gzip_close
#else
#define GZIP_CALLS NULL, NULL, NULL, NULL
#endif

const struct codec codec_gzip = {"gzip", "libz.so.1", 0, GZIP_CALLS, NULL, &codec_isal, 0};
