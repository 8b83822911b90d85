/* reread: bytes of lines too long to be kept in memory, read again. */
#include "trawl/reread.h"

#include <stdlib.h>

#include "trawl/charset.h"

#define REREAD_BYTES (63u << 10) /* a multiple of 3, for base64 */
#define CHARACTER_BYTES_MAX 8

/* Bytes at the end of a piece that begin a character whose rest is in the next one. */
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

static bool has_buffer(struct text_scan *scan)
{
    if (scan->reread_bytes == NULL)
        scan->reread_bytes = malloc(REREAD_BYTES + CHARACTER_BYTES_MAX);
    if (scan->reread_bytes == NULL)
        scan_fail(scan, TRAWL_MEMORY);
    scan->reread_count = 0;
    return scan->reread_bytes != NULL;
}

const uint8_t *reread_range(struct text_scan *scan, uint64_t begin, uint64_t end)
{
    uint64_t got = 0;

    if (begin >= scan->reread_begin && end <= scan->reread_begin + scan->reread_count)
        return scan->reread_bytes + (begin - scan->reread_begin);
    if (end - begin > REREAD_BYTES || !has_buffer(scan) ||
        trawl_text_read(scan->text, begin, scan->reread_bytes, REREAD_BYTES, &got, &scan->error) !=
            TRAWL_OK ||
        got < end - begin)
        return NULL;
    scan->reread_begin = begin;
    scan->reread_count = got;
    return scan->reread_bytes;
}

bool reread_pieces(struct text_scan *scan, enum charset charset, uint64_t begin, uint64_t end,
                   reread_pass pass)
{
    bool good = has_buffer(scan);
    uint8_t *buffer = scan->reread_bytes;
    uint64_t held = 0;

    while (good && begin < end) {
        uint64_t wanted = end - begin < REREAD_BYTES ? end - begin : REREAD_BYTES;
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
