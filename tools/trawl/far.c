/* far: lines too long to be kept in memory, read again to be printed. */
#include "trawl/scan.h"

#include <stdlib.h>

#include "trawl/charset.h"

#define FAR_BYTES (64u << 10)
#define CHARACTER_BYTES_MAX 8

/* What a pass over the line does with a piece of it; false ends the pass. */
typedef bool (*far_pass)(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count);

static bool print_piece(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    output_bytes(scan->output, bytes, (size_t)bytes_count);
    return scan->output->error == 0;
}

static bool check_piece(struct scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    scan->encoding_error = !charset_is_valid(bytes, (size_t)bytes_count);
    return !scan->encoding_error;
}

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

/* Go over the bytes from `begin` to `end` in pieces that cut no character. */
static bool for_pieces(struct scan *scan, uint64_t begin, uint64_t end, far_pass pass)
{
    uint8_t *buffer = malloc(FAR_BYTES + CHARACTER_BYTES_MAX);
    uint64_t held = 0;
    bool good = buffer != NULL;

    if (buffer == NULL)
        scan_fail(scan, TRAWL_MEMORY);
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
        held = begin < end ? open_character(scan->settings->charset, buffer, got) : 0;
        good = pass(scan, buffer, got - held);
        memmove(buffer, buffer + got - held, (size_t)held);
    }
    free(buffer);
    return good;
}

bool print_far_line(struct scan *scan, uint64_t begin, uint64_t end, char separator)
{
    const struct settings *settings = scan->settings;
    uint64_t number = settings->line_number ? scan->line_end_count + 1 : 0;

    if (end > scan->block_end)
        binary_next_block(scan, end);
    if (settings->checks_text && !for_pieces(scan, begin, end, check_piece))
        return false;
    print_head(scan, number, begin, end - begin, separator);
    if (!for_pieces(scan, begin, end, print_piece))
        return false;
    output_byte(scan->output, settings->line_end);
    return true;
}
