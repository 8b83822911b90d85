/* binary: decides whether a file is binary, and at which of its blocks, as grep does. From there,
 * no lines are printed, only a message.
 *
 * grep 3.8 looks for NUL in each of its buffers before it searches the buffer. After the first NUL,
 * grep prints no lines, starting with that buffer's, and a NUL ends a line like a newline. The
 * first selected line ends the search with a message; under -c, counting goes on. In a file, grep's
 * buffers are blocks of 96 KiB. In a stream, a buffer is whatever read(2) returned, so grep's
 * answer depends on timing. Here a block is 96 KiB of the text, by offset, wherever the text comes
 * from, so equal bytes get equal answers.
 *
 * The text of a block may come in several windows, so the output of the current block is held back
 * until the block is complete. A search of a stream that ends early (-m) reads its last block to
 * the end. Neither waits long for the writer of a pipe (hold.c); and if lines of a pipe must be
 * written immediately (--line-buffered, a terminal), only the output of a window is held back.
 */
#include "trawl/print/binary.h"

#include <stdlib.h>

#include "trawl/job/command_job.h"
#include "trawl/text/sizes.h"
#include "trawl/options/settings.h"

#define LOOK_SIZES 16u << 10, 64u /* length of a read that looks for a NUL */
#define LOOK_BYTES SIZE_OR_SMALL(LOOK_SIZES)

/* Returns the end of the block with the end of a line, which is at text offset `end`. */
static uint64_t end_of_block(uint64_t end)
{
    return (end + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
}

void binary_next_block(struct text_scan *scan, uint64_t end)
{
    output_commit(scan->output);
    scan->output->holds = true;
    scan->output->overflowed = false;
    scan->nulls.json_before = scan->json;
    scan->nulls.selected_before = scan->lines.selected;
    scan->nulls.groups_before = scan->job->groups;
    scan->nulls.block_end = end_of_block(end);
}

void binary_carry_line(struct text_scan *scan)
{
    size_t uncommitted = scan->output->used - scan->output->committed;

    scan->output->committed += uncommitted < scan->occurrences.held_before_line
                                   ? uncommitted
                                   : scan->occurrences.held_before_line;
    scan->occurrences.held_before_line = 0;
    scan->nulls.selected_before = scan->lines.selected - 1;
    scan->nulls.block_end = end_of_block(scan->lines.selected_end);
}

static void discard_output(struct text_scan *scan)
{
    scan->output->used = scan->output->committed;
    scan->json = scan->nulls.json_before;
    if (scan->job->worker != NULL)
        pool_cut_back(scan->job->worker);
}

/* Returns true if matches of a line were reported before its end was known (-o), and the line
 * turned out to end in the block with the NUL. */
static bool line_reaches_null(const struct text_scan *scan)
{
    return scan->rules.by_match && scan->window != NULL && scan->lines.selected > 0 &&
           scan->occurrences.line_end >
               (scan->nulls.has_blocks ? scan->lines.ignore_before : scan->window->begin);
}

/* Stops printing at the start of the block with the NUL; the first selected line from there on ends
 * the search. If lines of the block were counted before the NUL was seen, the search stops now, and
 * only the first of them counts. */
static void go_quiet(struct text_scan *scan, bool in_current_block)
{
    uint64_t counted;

    scan->quiet = true;
    scan->lines.ignore_before = scan->nulls.offset / BLOCK_BYTES * BLOCK_BYTES;
    scan->rules.stop_at_select = true;
    counted = in_current_block ? scan->lines.selected - scan->nulls.selected_before
                               : line_reaches_null(scan);
    scan->nulls.selected_before = scan->lines.selected - counted;
    if (counted > 0) {
        scan->stop = true;
        scan->lines.selected -= counted - 1;
        scan->lines.left += counted - 1;
    }
}

void binary_found(struct text_scan *scan)
{
    /* If output of this block had to be written already, its lines stay printed, as if they were in
     * an earlier block. Otherwise the output would end in the middle of a line or message. */
    bool in_current_block = scan->nulls.block_end != OFFSET_NONE &&
                            scan->nulls.offset < scan->nulls.block_end && !scan->output->overflowed;

    scan->nulls.seen = true;
    if (in_current_block)
        discard_output(scan);
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
    if (!settings_count_lines(scan->settings))
        go_quiet(scan, in_current_block);
    if (!scan->stop && !scan->rules.check_whole_line && scan->settings->whole_lines &&
        scan->settings->nuls.end_line && !scan->settings->expressions &&
        !scan->settings->approximate) { /* approximate plans let NUL end lines from the start */
        /* search again from the start; a text that cannot be read again has check_whole_line set */
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
    /* if lines are written immediately, a NUL after the window also counts once it has arrived */
    const uint64_t end =
        window->bytes_count + (scan->nulls.has_blocks ? 0 : window->after_bytes_count);
    const uint64_t from = window->has_null ? 0 : window->bytes_count;
    const uint8_t *null =
        from == end ? NULL : memchr(window->bytes + from, '\0', (size_t)(end - from));
    uint64_t block_begin;

    if (null == NULL)
        return window->bytes_count;
    scan->nulls.offset = window->begin + (uint64_t)(null - window->bytes);
    block_begin = scan->nulls.offset / BLOCK_BYTES * BLOCK_BYTES;
    if (block_begin >= window->begin + window->bytes_count)
        return window->bytes_count;
    return block_begin > window->begin ? block_begin - window->begin : 0;
}

uint64_t binary_find(struct text_scan *scan, uint8_t byte, uint64_t offset, uint64_t limit)
{
    uint8_t buffer[SIZE_ROOM(LOOK_SIZES)];

    while (offset < limit) {
        uint64_t wanted = limit - offset < LOOK_BYTES ? limit - offset : LOOK_BYTES;
        uint64_t got = 0;
        const uint8_t *found;
        enum trawl_status status =
            trawl_text_read(scan->text, offset, buffer, wanted, &got, &scan->error);

        /* a read error does not count, because grep would not have read this far */
        if (status != TRAWL_OK && status != TRAWL_READ)
            scan_fail(scan, status);
        if (status != TRAWL_OK || got == 0)
            return OFFSET_NONE;
        found = memchr(buffer, byte, (size_t)got);
        if (found != NULL)
            return offset + (uint64_t)(found - buffer);
        offset += got;
    }
    return OFFSET_NONE;
}

/* Finds the first NUL after the searched bytes. */
static uint64_t find_unsearched_null(struct text_scan *scan, uint64_t limit)
{
    return binary_find(scan, '\0', scan->lines.scanned_end, limit);
}

void binary_look(struct text_scan *scan)
{
    scan->lines.scanned_end = 0;
    scan->nulls.offset =
        scan->rules.seekable ? find_unsearched_null(scan, OFFSET_NONE) : OFFSET_NONE;
    scan->nulls.seen = scan->nulls.offset != OFFSET_NONE;
}

/* Returns where the last block that the report has reached ends. */
static uint64_t end_of_report(const struct text_scan *scan)
{
    return end_of_block(scan->lines.printed_end == OFFSET_NONE ||
                                scan->lines.printed_end < scan->lines.selected_end
                            ? scan->lines.selected_end
                            : scan->lines.printed_end);
}

/* Handles a NUL after the searched bytes, at text offset `null`. */
static void take_unsearched_null(struct text_scan *scan, uint64_t null)
{
    scan->nulls.offset = null;
    /* If a selected line had already ended the search, the search stays ended. */
    scan->stop = scan->quiet && scan->rules.stop_at_select && scan->lines.selected > 0;
    binary_found(scan);
    /* as if the block had been searched as a whole: the NUL comes first, and -m counts one line */
    if (scan->lines.left > 0 && scan->lines.scanned_end < null)
        scan->lines.scanned_end = null;
}

bool binary_is_decided(struct text_scan *scan)
{
    return !scan->nulls.watched || find_unsearched_null(scan, end_of_report(scan)) == OFFSET_NONE;
}

void binary_look_ahead(struct text_scan *scan)
{
    uint64_t limit = end_of_report(scan), null = find_unsearched_null(scan, limit);

    if (null < limit)
        take_unsearched_null(scan, null);
}

bool binary_reads_on(const struct text_scan *scan)
{
    return scan->nulls.watched && scan->nulls.has_blocks && !scan->nulls.seen &&
           !scan->rules.seekable && scan->status == TRAWL_OK &&
           (!scan->quiet || scan->binary_files == BINARY_FILES_WITHOUT_MATCH) &&
           scan->lines.scanned_end < end_of_report(scan);
}

int binary_read_on(struct text_scan *scan, const struct trawl_window *window)
{
    const uint64_t limit = end_of_report(scan);
    const uint8_t *null = memchr(window->bytes, '\0', (size_t)window->bytes_count);
    const uint64_t at = null != NULL ? window->begin + (uint64_t)(null - window->bytes) : limit;

    if (at >= limit)
        return window->begin + window->bytes_count >= limit;
    take_unsearched_null(scan, at);
    return 1;
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
