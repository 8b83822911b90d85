/* codec: recognises the format of a compressed text from its first bytes, and loads the library
 * that decodes it. */
#include "text/codec.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/fault.h"
#include "base/forks.h"
#include "text/codecs.h"

struct codec_magic {
    const struct codec *codec;
    uint8_t bytes[CODEC_MAGIC_BYTES_MAX];
    uint8_t bytes_count;
};

/* The fourth byte of a bzip2 file is the block size, '1' to '9', instead of a fixed byte. */
#define BZIP2_SIZE_AT 3u

static const struct codec_magic magics[] = {
    {&codec_gzip, {0x1f, 0x8b, 0x08}, 3},
    {&codec_xz, {0xfd, '7', 'z', 'X', 'Z', 0}, 6},
    {&codec_zstd, {0x28, 0xb5, 0x2f, 0xfd}, 4},
    /* files of pzstd begin with this frame, which contains the size of the next frame */
    {&codec_zstd, {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0}, 8},
    {&codec_lz4, {0x04, 0x22, 0x4d, 0x18}, 4},
    {&codec_bzip2, {'B', 'Z', 'h', '1', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59}, 10},
    /* an empty bzip2 file */
    {&codec_bzip2, {'B', 'Z', 'h', '1', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90}, 10},
};

#define CODEC_COUNT 8u
static const struct codec *const codecs[CODEC_COUNT] = {
    &codec_gzip,  &codec_xz,   &codec_zstd,       &codec_lz4,
    &codec_bzip2, &codec_isal, &codec_xz_threads, &codec_bzip2_whole};

static bool is_like(const struct codec_magic *magic, const uint8_t *bytes, uint64_t bytes_count)
{
    for (uint64_t i = 0; i < bytes_count && i < magic->bytes_count; i++) {
        if (magic->codec == &codec_bzip2 && i == BZIP2_SIZE_AT) {
            if (bytes[i] < '1' || bytes[i] > '9')
                return false;
        } else if (bytes[i] != magic->bytes[i]) {
            return false;
        }
    }
    return true;
}

const struct codec *codec_of(const uint8_t *bytes, uint64_t bytes_count, bool *undecided)
{
    *undecided = false;
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if (!is_like(&magics[i], bytes, bytes_count))
            continue;
        if (bytes_count >= magics[i].bytes_count)
            return magics[i].codec;
        *undecided = true;
    }
    return NULL;
}

const uint8_t *codec_find(const struct codec *codec, const uint8_t *bytes, uint64_t bytes_count)
{
    const uint8_t *at = bytes, *end = bytes + bytes_count;
    const struct codec_magic *magic = magics;
    uint8_t first;
    bool undecided;

    while (magic->codec != codec)
        magic++;
    first = magic->bytes[0];
    while (end - at >= CODEC_HEAD_BYTES && (at = memchr(at, first, (size_t)(end - at))) != NULL &&
           end - at >= CODEC_HEAD_BYTES) {
        /* no gzip header has these flags or an unknown operating system */
        if (codec_of(at, (uint64_t)(end - at), &undecided) == codec &&
            (codec != &codec_gzip || ((at[3] & 0xe0) == 0 && (at[9] <= 13 || at[9] == 255))))
            return at;
        at++;
    }
    return NULL;
}

const char *codec_name(const void *bytes, uint64_t bytes_count)
{
    bool undecided;
    const struct codec *codec =
        bytes == NULL ? NULL : codec_of((const uint8_t *)bytes, bytes_count, &undecided);

    return codec == NULL ? NULL : codec->name;
}

enum trawl_status codec_load(const struct codec *codec, const char *name, struct trawl_error *error)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded[CODEC_COUNT], failed[CODEC_COUNT];
    uint32_t index = 0;
    bool good;

    if (codec->load == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: %s data, and this build is without %s", name,
                          codec->name, codec->library);
    while (codecs[index] != codec)
        index++;
    forks_hold(NULL);
    (void)pthread_mutex_lock(&lock);
    good = loaded[index];
    if (!good && !failed[index] && !fault_hit()) {
        void *library = dlopen(codec->library, RTLD_NOW | RTLD_LOCAL);

        good = library != NULL && codec->load(library);
        if (library != NULL && !good)
            (void)dlclose(library);
        loaded[index] = good;
        /* do not try again to load a fast library: the ordinary one suffices */
        failed[index] = !good && codec->threads_min > 0;
    }
    (void)pthread_mutex_unlock(&lock);
    forks_release();
    if (!good)
        return TRAWL_FAIL(error, UNSUPPORTED, "%s: %s data, and %s cannot be loaded", name,
                          codec->name, codec->library);
    return TRAWL_OK;
}
