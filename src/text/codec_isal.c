/* codec_isal: decodes gzip with ISA-L, three times as fast as zlib. Data that ISA-L finds damaged
 * is decoded again with zlib. */
#include <dlfcn.h>
#include <limits.h>

#include "base/checked.h"
#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_ISAL
#include <isa-l/igzip_lib.h>

#define FUNCTIONS(X)           \
    X(init, isal_inflate_init) \
    X(step, isal_inflate)
CODEC_FUNCTIONS(isal, FUNCTIONS)

static void *isal_open(uint32_t threads)
{
    struct inflate_state *stream = fault_hit() ? NULL : calloc(1, sizeof *stream);

    (void)threads;
    if (stream != NULL) {
        isal.init(stream);
        stream->crc_flag = ISAL_GZIP;
    }
    return stream;
}

static enum codec_result isal_step(void *state, struct codec_io *io)
{
    struct inflate_state *stream = state;
    uint32_t in = (uint32_t)min_u64(io->in_count, UINT_MAX);
    uint32_t out = (uint32_t)min_u64(io->out_count, UINT_MAX);
    int result;

    /* Reject a header with unknown flags, as zlib does; ISA-L accepts it. */
    if (stream->block_state == ISAL_BLOCK_NEW_HDR && stream->wrapper_flag == 0 && in > 3 &&
        (io->in[3] & 0xe0) != 0)
        return CODEC_DAMAGED;
    stream->next_in = (uint8_t *)(uintptr_t)io->in;
    stream->avail_in = in;
    stream->next_out = io->out;
    stream->avail_out = out;
    result = isal.step(stream);
    /* A failing call counts bytes that it has not read or written. */
    if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT && result != ISAL_OUT_OVERFLOW)
        return CODEC_DAMAGED;
    codec_used(io, in - stream->avail_in, out - stream->avail_out);
    return stream->block_state == ISAL_BLOCK_FINISH ? CODEC_END : CODEC_MORE;
}

static void isal_close(void *state)
{
    free(state);
}
#define ISAL_CALLS isal_load, isal_open, isal_step, isal_close
#else
#define ISAL_CALLS NULL, NULL, NULL, NULL
#endif

const struct codec codec_isal = {"gzip", "libisal.so.2", 0, ISAL_CALLS, NULL, NULL, 1};
