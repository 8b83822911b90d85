/* codec_zstd: decodes zstd with libzstd, which by default refuses windows over 128 MiB. */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

#define HEAD_BYTES 5u /* bytes of the shortest begin of a frame's header */

static struct {
    __typeof__(ZSTD_createDStream) *open;
    __typeof__(ZSTD_decompressStream) *step;
    __typeof__(ZSTD_freeDStream) *close;
    __typeof__(ZSTD_isError) *is_error;
    __typeof__(ZSTD_getErrorCode) *error_code;
    __typeof__(ZSTD_getErrorName) *error_name;
} zs;

struct zstd_state {
    ZSTD_DStream *stream;
    bool was_full; /* the last call filled its room */
    size_t wanted; /* bytes up to the end of the next block's header, as libzstd told last */
    size_t fault;  /* what libzstd reported; 0: nothing */
};

static bool zstd_load(void *library)
{
    return CODEC_SYMBOL(library, zs.open, "ZSTD_createDStream") &&
           CODEC_SYMBOL(library, zs.step, "ZSTD_decompressStream") &&
           CODEC_SYMBOL(library, zs.close, "ZSTD_freeDStream") &&
           CODEC_SYMBOL(library, zs.is_error, "ZSTD_isError") &&
           CODEC_SYMBOL(library, zs.error_code, "ZSTD_getErrorCode") &&
           CODEC_SYMBOL(library, zs.error_name, "ZSTD_getErrorName");
}

static void *zstd_open(void)
{
    struct zstd_state *made = fault_hit(FAULT_MEMORY) ? NULL : malloc(sizeof *made);

    if (made == NULL)
        return NULL;
    *made = (struct zstd_state){zs.open(), false, HEAD_BYTES, 0};
    if (made->stream != NULL)
        return made;
    free(made);
    return NULL;
}

static enum codec_result fault_of(size_t fault, struct codec_io *io)
{
    io->what = zs.error_name(fault);
    switch (zs.error_code(fault)) {
    case ZSTD_error_frameParameter_windowTooLarge:
        return CODEC_LARGE;
    case ZSTD_error_memory_allocation:
        return CODEC_MEMORY;
    default:
        return CODEC_DAMAGED;
    }
}

/* libzstd gives nothing of a call that fails. So a call gets the bytes of one block at most, and no
 * bytes while decoded bytes may wait for room; and a fault behind decoded bytes is told by the next
 * step. */
static enum codec_result zstd_step(void *state, struct codec_io *io)
{
    struct zstd_state *zstd = state;
    const uint64_t room = io->out_count;
    bool was_full;
    ZSTD_inBuffer in;
    ZSTD_outBuffer out;

    do {
        size_t result;

        if (zstd->fault != 0)
            return fault_of(zstd->fault, io);
        was_full = zstd->was_full;
        in.src = io->in;
        in.size = io->in_count < zstd->wanted ? (size_t)io->in_count : zstd->wanted;
        in.size = was_full ? 0 : in.size;
        out.dst = io->out;
        out.size = (size_t)io->out_count;
        in.pos = out.pos = 0;
        result = zs.step(zstd->stream, &out, &in);
        if (zs.is_error(result)) {
            zstd->fault = result;
            return io->out_count < room ? CODEC_MORE : fault_of(result, io);
        }
        TRAWL_ASSERT(in.pos <= in.size && out.pos <= out.size);
        io->in += in.pos;
        io->in_count -= in.pos;
        io->out += out.pos;
        io->out_count -= out.pos;
        zstd->was_full = io->out_count == 0;
        zstd->wanted = result == 0 ? HEAD_BYTES : result;
        if (result == 0)
            return CODEC_END;
    } while (io->in_count > 0 && io->out_count > 0 && (in.pos > 0 || out.pos > 0 || was_full));
    return CODEC_MORE;
}

/* Does nothing: after a frame, libzstd is ready for the next frame. */
static bool zstd_again(void *state)
{
    return state != NULL;
}

static void zstd_close(void *state)
{
    (void)zs.close(((struct zstd_state *)state)->stream);
    free(state);
}
#define ZSTD_CALLS zstd_load, zstd_open, zstd_step, zstd_again, zstd_close
#else
#define ZSTD_CALLS NULL, NULL, NULL, NULL, NULL
#endif

const struct codec codec_zstd = {"zstd", "libzstd.so.1", ZSTD_CALLS};
