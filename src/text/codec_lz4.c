/* codec_lz4: decodes lz4 frames with liblz4; a block of a frame has at most 4 MiB. */
#include <dlfcn.h>
#include <stdlib.h>

#include "base/fault.h"
#include "text/codecs.h"

#if TRAWL_LZ4
#include <lz4frame.h>

#define HEAD_BYTES 7u /* bytes of a frame's shortest header */

static struct {
    __typeof__(LZ4F_createDecompressionContext) *open;
    __typeof__(LZ4F_decompress) *step;
    __typeof__(LZ4F_freeDecompressionContext) *close;
    __typeof__(LZ4F_isError) *is_error;
    __typeof__(LZ4F_getErrorName) *error_name;
} lz;

struct lz4_state {
    LZ4F_dctx *context;
    bool was_full;     /* the last call filled its room */
    size_t wanted;     /* bytes up to the end of the next block's header, as liblz4 told last */
    const char *fault; /* what liblz4 reported; NULL: nothing */
};

static bool lz4_load(void *library)
{
    return CODEC_SYMBOL(library, lz.open, "LZ4F_createDecompressionContext") &&
           CODEC_SYMBOL(library, lz.step, "LZ4F_decompress") &&
           CODEC_SYMBOL(library, lz.close, "LZ4F_freeDecompressionContext") &&
           CODEC_SYMBOL(library, lz.is_error, "LZ4F_isError") &&
           CODEC_SYMBOL(library, lz.error_name, "LZ4F_getErrorName");
}

static void *lz4_open(void)
{
    struct lz4_state *made = fault_hit(FAULT_MEMORY) ? NULL : malloc(sizeof *made);

    if (made == NULL)
        return NULL;
    made->wanted = HEAD_BYTES;
    made->was_full = false;
    made->fault = NULL;
    if (!lz.is_error(lz.open(&made->context, LZ4F_VERSION)))
        return made;
    free(made);
    return NULL;
}

/* liblz4 gives nothing of a call that fails. So a call gets the bytes of one block at most, and no
 * bytes while decoded bytes may wait for room; and a fault behind decoded bytes is told by the next
 * step. */
static enum codec_result lz4_step(void *state, struct codec_io *io)
{
    struct lz4_state *lz4 = state;
    const uint64_t room = io->out_count;
    bool was_full;
    size_t in, out;

    do {
        size_t result;

        was_full = lz4->was_full;
        in = io->in_count < lz4->wanted ? (size_t)io->in_count : lz4->wanted;
        in = was_full ? 0 : in;
        out = (size_t)io->out_count;
        io->what = lz4->fault;
        if (io->what != NULL)
            return CODEC_DAMAGED;
        result = lz.step(lz4->context, io->out, &out, io->in, &in, NULL);
        if (lz.is_error(result)) { /* liblz4 leaves the sizes `in` and `out` undefined here */
            io->what = lz4->fault = lz.error_name(result);
            return io->out_count < room ? CODEC_MORE : CODEC_DAMAGED;
        }
        TRAWL_ASSERT(in <= io->in_count && out <= io->out_count);
        io->in += in;
        io->in_count -= in;
        io->out += out;
        io->out_count -= out;
        lz4->was_full = io->out_count == 0;
        lz4->wanted = result == 0 ? HEAD_BYTES : result;
        if (result == 0)
            return CODEC_END;
    } while (io->in_count > 0 && io->out_count > 0 && (in > 0 || out > 0 || was_full));
    return CODEC_MORE;
}

/* Does nothing: after a frame, liblz4 is ready for the next frame. */
static bool lz4_again(void *state)
{
    return state != NULL;
}

static void lz4_close(void *state)
{
    (void)lz.close(((struct lz4_state *)state)->context);
    free(state);
}
#define LZ4_CALLS lz4_load, lz4_open, lz4_step, lz4_again, lz4_close
#else
#define LZ4_CALLS NULL, NULL, NULL, NULL, NULL
#endif

const struct codec codec_lz4 = {"lz4", "liblz4.so.1", LZ4_CALLS};
