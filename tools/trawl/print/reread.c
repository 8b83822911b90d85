/* reread: rereads the bytes of lines too long to be kept in memory. */
#include "trawl/print/reread.h"

#include <stdlib.h>

#include "trawl/text/charset.h"
#include "trawl/text/sizes.h"
#include "trawl/text/utf8.h"

#define REREAD_BYTES SIZE_OR_SMALL(63u << 10, 63u) /* a multiple of 3, for base64 */

static bool has_buffer(struct text_scan *scan)
{
    if (scan->reread.bytes == NULL)
        scan->reread.bytes = malloc(REREAD_BYTES + UTF8_BYTES_MAX);
    if (scan->reread.bytes == NULL)
        scan_fail(scan, TRAWL_MEMORY);
    scan->reread.count = 0;
    return scan->reread.bytes != NULL;
}

/* Fills the buffer with text starting at offset `begin`. At least `wanted` bytes are needed now. */
static enum trawl_status fill(struct text_scan *scan, uint64_t begin, uint64_t wanted)
{
    enum trawl_status status = trawl_text_read(scan->text, begin, scan->reread.bytes, REREAD_BYTES,
                                               &scan->reread.count, &scan->error);

    /* the error may be after the wanted bytes, so read only these */
    if (status == TRAWL_READ && wanted < REREAD_BYTES)
        status = trawl_text_read(scan->text, begin, scan->reread.bytes, wanted, &scan->reread.count,
                                 &scan->error);
    if (status != TRAWL_OK)
        scan->reread.count = 0;
    scan->reread.begin = begin;
    return status;
}

const uint8_t *reread_some(struct text_scan *scan, uint64_t begin, uint64_t *bytes_count)
{
    uint64_t read_end = scan->reread.begin + scan->reread.count;
    enum trawl_status status;

    if (begin < scan->reread.begin || begin >= read_end) {
        if (!has_buffer(scan))
            return NULL;
        status = fill(scan, begin, *bytes_count);
        if (status != TRAWL_OK)
            scan_fail(scan, status);
        if (scan->reread.count == 0)
            return NULL; /* an error, or the file was truncated since the search */
        read_end = begin + scan->reread.count;
    }
    if (*bytes_count > read_end - begin)
        *bytes_count = read_end - begin;
    return scan->reread.bytes + (begin - scan->reread.begin);
}

const uint8_t *reread_range(struct text_scan *scan, uint64_t begin, uint64_t end)
{
    if (begin >= scan->reread.begin && end <= scan->reread.begin + scan->reread.count)
        return scan->reread.bytes + (begin - scan->reread.begin);
    if (end - begin > REREAD_BYTES || !has_buffer(scan) ||
        fill(scan, begin, end - begin) != TRAWL_OK || scan->reread.count < end - begin)
        return NULL;
    return scan->reread.bytes;
}

bool reread_pieces(struct text_scan *scan, enum charset charset, uint64_t begin, uint64_t end,
                   reread_pass pass)
{
    bool good = has_buffer(scan);
    uint8_t *buffer = scan->reread.bytes;
    uint64_t left_over = 0;

    while (good && begin < end) {
        uint64_t wanted = end - begin < REREAD_BYTES ? end - begin : REREAD_BYTES;
        uint64_t got = 0;
        enum trawl_status status =
            trawl_text_read(scan->text, begin, buffer + left_over, wanted, &got, &scan->error);

        if (status != TRAWL_OK) {
            scan_fail(scan, status);
            good = false;
            break;
        }
        if (got == 0)
            break; /* the file was truncated since the search, so the line ends here */
        begin += got;
        got += left_over;
        left_over = begin < end && charset == CHARSET_UTF8 ? utf8_last(buffer, got) : 0;
        good = pass(scan, buffer, got - left_over);
        memmove(buffer, buffer + got - left_over, (size_t)left_over);
    }
    return good;
}
