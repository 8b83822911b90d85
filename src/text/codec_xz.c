/* codec_xz: decodes xz with liblzma. */
#include <dlfcn.h>
#include <string.h>

#include "base/checked.h"
#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_LZMA
#include <lzma.h>

#define CALL_BYTES (64u << 10)
#define THREADS_SINCE 50040002u /* liblzma 5.4.0, the first that decodes in threads */
/* enough for a block of `xz -6`, 24 MiB */
#define THREADS_MEMORY_EACH (UINT64_C(64) << 20)

#define FUNCTIONS(X)             \
    X(init, lzma_stream_decoder) \
    X(step, lzma_code)           \
    X(end, lzma_end)             \
    X(memory, lzma_memusage)
CODEC_FUNCTIONS(xz, FUNCTIONS)
#if LZMA_VERSION >= THREADS_SINCE
static __typeof__(lzma_stream_decoder_mt) *init_threads;
#endif

struct xz_state {
    lzma_stream stream;
    uint32_t threads; /* number of threads that liblzma may start; 0: the caller's thread decodes */
    /* How early liblzma notices damage depends on the room for output. So each call to liblzma
     * writes to this buffer, however much room the caller of xz_step has. bytes[at, count) have not
     * been passed on yet. */
    uint8_t bytes[CALL_BYTES];
    uint64_t at, count;
    enum codec_result result; /* result of liblzma's last call */
};

static bool begin(struct xz_state *own)
{
#if LZMA_VERSION >= THREADS_SINCE
    if (own->threads > 0) {
        lzma_mt options = {.threads = own->threads,
                           .memlimit_threading = THREADS_MEMORY_EACH * own->threads,
                           .memlimit_stop = CODEC_MEMORY_MAX};

        return init_threads(&own->stream, &options) == LZMA_OK;
    }
#endif
    return xz.init(&own->stream, CODEC_MEMORY_MAX, 0) == LZMA_OK;
}

static void *xz_open(uint32_t threads)
{
    struct xz_state *own = fault_hit() ? NULL : calloc(1, sizeof *own);

    if (own == NULL)
        return NULL;
    own->threads = threads;
    if (begin(own))
        return own;
    free(own);
    return NULL;
}

static enum codec_result call(struct xz_state *own, struct codec_io *io)
{
    lzma_stream *stream = &own->stream;
    lzma_ret result;

    stream->next_in = io->in;
    stream->avail_in = (size_t)io->in_count;
    stream->next_out = own->bytes;
    stream->avail_out = CALL_BYTES;
    result = xz.step(stream, io->is_last ? LZMA_FINISH : LZMA_RUN);
    codec_used(io, io->in_count - stream->avail_in, 0);
    own->at = 0;
    own->count = CALL_BYTES - stream->avail_out;
    return result == LZMA_STREAM_END                       ? CODEC_END
           : result == LZMA_OK || result == LZMA_BUF_ERROR ? CODEC_MORE
           : result == LZMA_MEMLIMIT_ERROR                 ? CODEC_LARGE
           : result == LZMA_MEM_ERROR                      ? CODEC_MEMORY
                                                           : CODEC_DAMAGED;
}

static enum codec_result xz_step(void *state, struct codec_io *io)
{
    struct xz_state *own = state;
    uint64_t given;

    if (own->at == own->count)
        own->result = call(own, io);
    if (own->threads > 0 && own->result != CODEC_MORE && own->result != CODEC_END)
        /* drop this call's output: the decoder without threads decodes it again */
        own->at = own->count;
    given = min_u64(io->out_count, own->count - own->at);
    memcpy(io->out, own->bytes + own->at, (size_t)given);
    own->at += given;
    codec_used(io, 0, given);
    return own->at < own->count ? CODEC_MORE : own->result;
}

static uint64_t xz_memory(const void *state)
{
    return xz.memory(&((const struct xz_state *)state)->stream);
}

static void xz_close(void *state)
{
    xz.end(&((struct xz_state *)state)->stream);
    free(state);
}

#if LZMA_VERSION >= THREADS_SINCE
static bool threads_load(void *library)
{
    init_threads = (__typeof__(init_threads))dlsym(library, "lzma_stream_decoder_mt");
    return xz_load(library) && init_threads != NULL;
}
#define THREADS_CALLS threads_load, xz_open, xz_step, xz_close, xz_memory
#else
#define THREADS_CALLS NULL, NULL, NULL, NULL, NULL
#endif
#define XZ_CALLS xz_load, xz_open, xz_step, xz_close, xz_memory
#else
#define XZ_CALLS NULL, NULL, NULL, NULL, NULL
#define THREADS_CALLS NULL, NULL, NULL, NULL, NULL
#endif

const struct codec codec_xz = {"xz", "liblzma.so.5", 0, XZ_CALLS, &codec_xz_threads, 0};
/* Decodes undamaged blocks, in several threads of liblzma. */
const struct codec codec_xz_threads = {"xz", "liblzma.so.5", 0, THREADS_CALLS, NULL, 2};
