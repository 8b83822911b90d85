/* far: bytes of lines too long to be kept in memory, read again. */
#include "trawl/far.h"

#include <stdlib.h>

#include "trawl/charset.h"

#define FAR_BYTES (63u << 10) /* a multiple of 3, for base64 */
#define CHARACTER_BYTES_MAX 8

/* Bytes at the end of a piece that begin a character whose rest is in the next one. (Of charsets of
 * several bytes no line is far: lines.c.) */
static uint64_t open_character(enum charset charset, const uint8_t *bytes, uint64_t bytes_count)
{
    if (charset != CHARSET_UTF8)
        return 0;
    for (uint64_t held = 1; held < CHARACTER_BYTES_MAX && held <= bytes_count; held++) {
        uint8_t byte = bytes[bytes_count - held];

        if (byte >= 0xc0)
            return held;
        if (byte < 0x80)
            return 0;
    }
    return 0;
}

static bool has_buffer(struct scan *scan)
{
    if (scan->far_bytes == NULL)
        scan->far_bytes = malloc(FAR_BYTES + CHARACTER_BYTES_MAX);
    if (scan->far_bytes == NULL)
        scan_fail(scan, TRAWL_MEMORY);
    scan->far_count = 0;
    return scan->far_bytes != NULL;
}

const uint8_t *far_near(struct scan *scan, uint64_t begin, uint64_t end)
{
    uint64_t got = 0;

    if (begin >= scan->far_begin && end <= scan->far_begin + scan->far_count)
        return scan->far_bytes + (begin - scan->far_begin);
    if (end - begin > FAR_BYTES || !has_buffer(scan) ||
        trawl_text_read(scan->text, begin, scan->far_bytes, FAR_BYTES, &got, &scan->error) !=
            TRAWL_OK ||
        got < end - begin)
        return NULL;
    scan->far_begin = begin;
    scan->far_count = got;
    return scan->far_bytes;
}

bool far_pieces(struct scan *scan, enum charset charset, uint64_t begin, uint64_t end,
                far_pass pass)
{
    bool good = has_buffer(scan);
    uint8_t *buffer = scan->far_bytes;
    uint64_t held = 0;

    while (good && begin < end) {
        uint64_t wanted = end - begin < FAR_BYTES ? end - begin : FAR_BYTES;
        uint64_t got = 0;
        enum trawl_status status =
            trawl_text_read(scan->text, begin, buffer + held, wanted, &got, &scan->error);

        if (status != TRAWL_OK) {
            scan_fail(scan, status);
            good = false;
            break;
        }
        if (got == 0)
            break; /* the file was cut off meanwhile: what is left of the line is all there is */
        begin += got;
        got += held;
        held = begin < end ? open_character(charset, buffer, got) : 0;
        good = pass(scan, buffer, got - held);
        memmove(buffer, buffer + got - held, (size_t)held);
    }
    return good;
}
