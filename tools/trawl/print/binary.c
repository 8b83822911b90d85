/* binary: decides whether a file is binary, and from which of its blocks on, as grep does. From
 * that block on no lines are printed, only a message.
 *
 * grep 3.8 looks for NUL in each of its buffers before it searches the buffer. From the first
 * buffer with a NUL on, grep prints no lines, and a NUL ends a line like a newline. The first
 * selected line ends the search with a message; under -c, counting goes on. In a file, grep's
 * buffers are blocks of 96 KiB. In a stream, a buffer is whatever read(2) returned; here, a window.
 * In a file in another encoding, a block is 96 KiB of the converted text.
 *
 * Here the text of a block may come in several windows. So the output of the current block is held
 * back until the next block begins.
 */
#include "trawl/print/binary.h"

#include <stdlib.h>

#include "trawl/options/encoding.h"
#include "trawl/job/turn.h"
#include "trawl/text/sizes.h"

#define LOOK_BYTES SIZE_OR_SMALL(16u << 10, 64u) /* bytes of a read that looks for a NUL */

void binary_next_block(struct text_scan *scan, uint64_t end)
{
    output_commit(scan->output);
    scan->output->holds = true;
    scan->output->overflowed = false;
    scan->nulls.json_before = scan->json;
    scan->nulls.selected_before = scan->lines.selected;
    scan->nulls.groups_before = scan->job->groups;
    scan->nulls.block_end = (end + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

void binary_move_line(struct text_scan *scan)
{
    size_t uncommitted = scan->output->used - scan->output->committed;

    scan->output->committed += uncommitted < scan->occurrences.held_before_line
                                   ? uncommitted
                                   : scan->occurrences.held_before_line;
    scan->occurrences.held_before_line = 0;
    scan->nulls.selected_before = scan->lines.selected - 1;
    scan->nulls.block_end =
        (scan->lines.selected_end + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

static void discard(struct text_scan *scan)
{
    output_discard(scan->output);
    scan->json = scan->nulls.json_before;
    if (scan->job->worker != NULL)
        pool_cut_back(scan->job->worker);
}

/* Returns whether matches of a line were reported before the line's end was known (-o), and the
 * line turned out to end in the block with the NUL. */
static bool line_reaches_null(const struct text_scan *scan)
{
    return scan->rules.by_match && scan->window != NULL && scan->lines.selected > 0 &&
           scan->occurrences.line_end >
               (scan->nulls.has_blocks ? scan->lines.ignore_before : scan->window->begin);
}

/* Stops printing from the block with the NUL on. The first selected line of that block ends the
 * search; with run_ends_input, the end of the first run of selected lines does. If lines of the
 * block were counted before the NUL was seen, the search stops now, and only the first of these
 * lines counts. In this case, with run_ends_input, the text is searched again. */
static void go_quiet(struct text_scan *scan, bool in_current_block)
{
    uint64_t counted;

    scan->quiet = true;
    scan->lines.ignore_before = scan->nulls.offset / BLOCK_BYTES * BLOCK_BYTES;
    scan->rules.stop_at_select = !scan->rules.run_ends_input;
    if (scan->lines.ends_with_run)
        return;
    scan->lines.ends_with_run = scan->rules.run_ends_input;
    scan->rules.every_line |= scan->rules.run_ends_input;
    counted = in_current_block ? scan->lines.selected - scan->nulls.selected_before
                               : line_reaches_null(scan);
    scan->nulls.selected_before = scan->lines.selected - counted;
    if (counted > 0) {
        scan->rerun = scan->rules.run_ends_input;
        scan->stop = true;
        scan->lines.selected -= counted - 1;
        scan->lines.left += counted - 1;
    }
}

void binary_found(struct text_scan *scan)
{
    /* If output of this block had to be written already, the block's lines stay printed, as if the
     * lines were in an earlier block. Otherwise the output would end inside a line or message. */
    bool in_current_block = scan->nulls.block_end != OFFSET_NONE &&
                            scan->nulls.offset < scan->nulls.block_end && !scan->output->overflowed;

    scan->nulls.seen = true;
    if (in_current_block)
        discard(scan);
    else
        output_commit(scan->output);
    scan->lines.pending = 0;
    if (scan->binary_files == BINARY_FILES_WITHOUT_MATCH) {
        if (in_current_block)
            /* none of the block's lines was printed */
            scan->job->groups = scan->nulls.groups_before;
        if (!scan->settings->is_tg || scan->quiet)
            scan->lines.selected = 0;
        else if (in_current_block) /* in an earlier block, all selected lines were printed */
            scan->lines.selected = scan->nulls.selected_before;
        scan->stop = true;
        return;
    }
    if (scan->settings->report != REPORT_COUNT)
        go_quiet(scan, in_current_block);
    if (!scan->stop && !scan->rules.check_whole_line && scan->settings->whole_lines &&
        scan->settings->nuls.end_line && !scan->settings->expressions &&
        !scan->settings->approximate) { /* approximate plans let NUL end lines from the start */
        /* search again from the begin; a text that cannot be read again has check_whole_line set */
        scan->rerun = true;
        scan->stop = true;
    }
}

uint64_t binary_offset(const struct text_scan *scan)
{
    return scan->nulls.hole > 0 ? scan->nulls.hole : scan->nulls.offset;
}

uint64_t binary_text_bytes(struct text_scan *scan, const struct trawl_window *window)
{
    const bool in_blocks = scan->nulls.has_blocks;
    /* the bytes behind a stream's window came by the same read, so they are of the same block */
    const uint64_t end = window->bytes_count + (in_blocks ? 0 : window->after_bytes_count);
    const uint64_t from = window->has_null ? 0 : window->bytes_count;
    const uint8_t *null =
        from == end ? NULL : memchr(window->bytes + from, '\0', (size_t)(end - from));
    uint64_t at = null != NULL ? window->begin + (uint64_t)(null - window->bytes) : OFFSET_NONE;
    uint64_t block_begin;

    if (scan->encoding != NULL)
        at = encoding_null(scan->encoding);
    block_begin = at / BLOCK_BYTES * BLOCK_BYTES;
    if (at == OFFSET_NONE || (in_blocks && block_begin >= window->begin + window->bytes_count))
        return window->bytes_count;
    scan->nulls.offset = at;
    if (!in_blocks)
        return 0;
    return block_begin > window->begin ? block_begin - window->begin : 0;
}

/* Returns the offset of the first NUL after the searched bytes and before `limit`; OFFSET_NONE if
 * there is none. */
static uint64_t null_behind(struct text_scan *scan, uint64_t limit)
{
    uint8_t buffer[LOOK_BYTES];
    uint64_t offset = scan->lines.scanned_end;

    while (offset < limit) {
        uint64_t wanted = limit - offset < LOOK_BYTES ? limit - offset : LOOK_BYTES;
        uint64_t got = 0;
        const uint8_t *null;
        enum trawl_status status =
            trawl_text_read(scan->text, offset, buffer, wanted, &got, &scan->error);

        /* an error of reading does not count, because grep would not have read so far */
        if (status != TRAWL_OK && status != TRAWL_READ)
            scan_fail(scan, status);
        if (status != TRAWL_OK || got == 0)
            return OFFSET_NONE;
        null = memchr(buffer, '\0', (size_t)got);
        if (null != NULL)
            return offset + (uint64_t)(null - buffer);
        offset += got;
    }
    return OFFSET_NONE;
}

void binary_look(struct text_scan *scan)
{
    scan->lines.scanned_end = 0;
    scan->nulls.offset = scan->rules.seekable ? null_behind(scan, OFFSET_NONE) : OFFSET_NONE;
    scan->nulls.seen = scan->nulls.offset != OFFSET_NONE;
}

void binary_look_ahead(struct text_scan *scan)
{
    uint64_t last =
        scan->lines.printed_end == OFFSET_NONE || scan->lines.printed_end < scan->lines.selected_end
            ? scan->lines.selected_end
            : scan->lines.printed_end;
    uint64_t limit = (last + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    uint64_t null =
        scan->encoding != NULL ? encoding_null(scan->encoding) : null_behind(scan, limit);

    if (null >= limit)
        return;
    scan->nulls.offset = null;
    /* If a selected line had already ended the search, the search stays ended. */
    scan->stop = scan->quiet && (scan->rules.stop_at_select || scan->lines.ends_with_run) &&
                 scan->lines.selected > 0;
    binary_found(scan);
}

const uint8_t *binary_zap(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    uint8_t line_end = scan->settings->line_end;

    if (!SCAN_GROW(scan, scan->nulls.zapped, scan->nulls.zapped_capacity, bytes_count))
        return NULL;
    for (uint64_t i = 0; i < bytes_count; i++)
        scan->nulls.zapped[i] = bytes[i] == '\0' ? line_end : bytes[i];
    return scan->nulls.zapped;
}
