/* codec_xz: decodes xz with liblzma. */
#include <dlfcn.h>
#include <string.h>

#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_LZMA
#include <lzma.h>

static struct {
    __typeof__(lzma_stream_decoder) *init;
    __typeof__(lzma_code) *step;
    __typeof__(lzma_end) *end;
} xz;

static bool xz_load(void *library)
{
    return CODEC_SYMBOL(library, xz.init, "lzma_stream_decoder") &&
           CODEC_SYMBOL(library, xz.step, "lzma_code") && CODEC_SYMBOL(library, xz.end, "lzma_end");
}

static void *xz_open(void)
{
    lzma_stream *stream = fault_hit(FAULT_MEMORY) ? NULL : calloc(1, sizeof *stream);

    if (stream != NULL && xz.init(stream, CODEC_MEMORY_MAX, 0) != LZMA_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

static enum codec_result xz_step(void *state, struct codec_io *io)
{
    lzma_stream *stream = state;
    lzma_ret result;

    stream->next_in = io->in;
    stream->avail_in = (size_t)io->in_count;
    stream->next_out = io->out;
    stream->avail_out = (size_t)io->out_count;
    result = xz.step(stream, LZMA_RUN);
    io->in = stream->next_in;
    io->in_count = stream->avail_in;
    io->out = stream->next_out;
    io->out_count = stream->avail_out;
    return result == LZMA_STREAM_END                       ? CODEC_END
           : result == LZMA_OK || result == LZMA_BUF_ERROR ? CODEC_MORE
           : result == LZMA_MEMLIMIT_ERROR                 ? CODEC_LARGE
           : result == LZMA_MEM_ERROR                      ? CODEC_MEMORY
                                                           : CODEC_DAMAGED;
}

static bool xz_again(void *state)
{
    return !fault_hit(FAULT_MEMORY) && xz.init(state, CODEC_MEMORY_MAX, 0) == LZMA_OK;
}

static void xz_close(void *state)
{
    xz.end(state);
    free(state);
}
#define XZ_CALLS xz_load, xz_open, xz_step, xz_again, xz_close
#else
#define XZ_CALLS NULL, NULL, NULL, NULL, NULL
#endif

const struct codec codec_xz = {"xz", "liblzma.so.5", 0, XZ_CALLS};
