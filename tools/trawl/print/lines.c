/* lines: divides windows (consecutive stretches of the text) into lines, and decides which are
 * selected.
 *
 * Whole lines of a window are handled together. A line that the window's end cuts is open: its
 * bytes are kept in the carry until the next window, along with earlier lines that leading context
 * may need. If an open line grows long, and can be read again, its bytes are dropped: only its
 * offset, and the matches that decide whether it is selected, are kept.
 */
#include "trawl/print/reports.h"

#include <stdlib.h>

#include "trawl/print/binary.h"
#include "trawl/print/block.h"
#include "trawl/print/occurrences.h"
#include "trawl/text/charset.h"
#include "trawl/print/count.h"
#include "trawl/print/edits.h"
#include "trawl/print/function.h"
#include "trawl/print/print.h"
#include "trawl/print/print_line.h"
#include "trawl/text/sizes.h"

/* An open line of more bytes is not kept if its bytes can be read again when the line is printed.
 * --chunk-bytes sets another limit. */
#define KEPT_LINE_BYTES_MAX SIZE_OR_SMALL(UINT64_C(1) << 20, UINT64_C(16))

#define NEAR_BYTES 256u /* a match less than NEAR_BYTES ahead is often in the next line */

/* Counts a selected line. If the line was printed, trailing context follows. */
static void end_selected(struct text_scan *scan, uint64_t end, bool printed)
{
    const struct settings *settings = scan->settings;
    bool after = printed && settings->after_count > 0;

    scan->lines.pending = after ? (uint64_t)settings->after_count : 0;
    /* If trailing context is wanted, grep behaves as if something had been printed at the start of
     * the file. */
    if (!printed && !scan->quiet && settings->after_count > 0 &&
        scan->lines.printed_end == OFFSET_NONE)
        scan->lines.printed_end = 0;
    scan->job->groups = GROUPS_PRINTED;
    scan_selected(scan, end);
    /* With stop_on_nonmatch, the line after the last that -m allows counts as not matching. */
    if (settings->stop_on_nonmatch && scan->lines.left == 0)
        scan->lines.pending = after || (printed && settings->is_tg && settings->passthru);
}

/* Counts the matches of a selected line: at least 1, or 0 with --and if no match counts. */
static uint64_t count_spans(struct text_scan *scan, const struct view *view, uint64_t begin,
                            uint64_t end)
{
    const uint64_t to = scan->whole.bytes != NULL ? end : print_content_end(scan, view, begin, end);
    bool all = scan->job->lines_meet == NULL || scan->settings->is_tg || scan->settings->invert;
    uint64_t count = occurrences_of_line(scan, view, begin, to) ? 0 : 1;

    for (uint64_t i = 0; i < scan->style.span_count; i++)
        count += all || scan->style.spans[i].begin < scan->style.spans[i].end;
    count += all && count == 0;
    scan->lines.spans += count;
    return count;
}

/* --diff: remembers what a line was replaced by. */
static void keep_edit(struct text_scan *scan, struct edit edit)
{
    struct edits *edits = scan->job->edits;

    if (edits != NULL && SCAN_GROW(scan, edits->items, edits->capacity, edits->count + 1))
        edits->items[edits->count++] = edit;
}

/* Selects a line, unless a search before a `rerun` has already reported it, and prints it. */
static void select_line(struct text_scan *scan, const struct view *view, uint64_t begin,
                        uint64_t end)
{
    bool printed = false;
    uint64_t more = 1, made;

    if (view->begin + end <= scan->lines.ignore_before ||
        (scan->rules.counts_spans && (more = count_spans(scan, view, begin, end)) == 0))
        return;
    if (!scan->quiet) {
        if (scan->lines.pending > 0)
            print_pending(scan, view, begin);
        if (view->begin + end > scan->nulls.block_end)
            binary_next_block(scan, view->begin + end);
        function_before(scan, view, begin, end);
        /* Under -v, adjacent selected lines form a group, even if they are not printed. But grep
         * treats a last line without a line end as a separate group, and prints its context. */
        if (!scan->settings->invert || scan->lines.selected == 0 ||
            scan->lines.selected_end != view->begin + begin ||
            print_content_end(scan, view, begin, end) == end)
            print_before(scan, view, begin);
        made = scan->output->written + scan->output->used;
        printed = print_line(scan, view, begin, end, ':');
        keep_edit(scan, (struct edit){view->begin + begin, view->begin + end, made,
                                      scan->output->written + scan->output->used});
    }
    end_selected(scan, view->begin + end, printed);
    if (scan->job->lines_meet != NULL && !scan->settings->is_tg) { /* -m and --stats: all matches */
        more = more - 1 < scan->lines.left ? more - 1 : scan->lines.left;
        scan->lines.selected += more;
        scan->lines.left -= more;
    }
}

/* Returns true if the lines after the last selected line that -m allows are printed as context. */
static bool prints_rest_as_context(const struct text_scan *scan)
{
    return scan->settings->is_tg && scan->settings->passthru && !scan->quiet &&
           !scan->settings->stop_on_nonmatch;
}

static bool is_over(const struct text_scan *scan)
{
    return scan->stop || (scan->lines.left == 0 && !scan->function.shows);
}

/* Returns the line that contains the offset. `at` is the start of that line or an earlier one.
 * If the offset is near, tries the line at `at` first: where most lines match, that is the one. */
static struct block line_of(const struct text_scan *scan, const struct view *view, uint64_t at,
                            uint64_t offset)
{
    struct block line = {at, at, 0};

    if (offset - at < NEAR_BYTES)
        line.end = print_line_end(scan, view, at);
    if (offset >= line.end) {
        line.begin = block_line_begin(scan, view, line.end, offset);
        line.end = print_line_end(scan, view, offset);
    }
    return line;
}

/* Returns true if the output has only selected lines, each with its head, which is the common
 * case. */
static bool is_plain(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;

    return !scan->quiet && !scan->rules.every_line && scan->job->lines_meet == NULL &&
           !settings_have_context(settings) && scan->lines.ignore_before == 0 &&
           print_is_simple(scan);
}

/* Selects and prints the adjacent lines in [at, limit). */
static void select_run(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t limit)
{
    uint64_t lines = print_run(scan, view, at, limit, ':');

    if (lines > 0) {
        scan->lines.selected += lines - 1;
        scan->lines.left -= lines - 1;
        end_selected(scan, view->begin + limit, true);
        return;
    }
    while (at < limit && !is_over(scan)) {
        uint64_t end = print_line_end(scan, view, at);

        select_line(scan, view, at, end);
        at = end;
    }
}

/* Selects all lines in [at, limit), which have no match, under -v. */
static void select_gap(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t limit)
{
    bool context = settings_have_context(scan->settings);
    bool run = !scan->rules.stop_at_select && scan->lines.left > limit - at;

    if (scan->quiet && run && at < limit) {
        uint64_t lines = count_byte(view->bytes + at, limit - at, scan->settings->line_end);

        if (view->bytes[limit - 1] != scan->settings->line_end)
            lines++;
        scan->lines.selected += lines;
        scan->lines.left -= lines;
        scan->lines.selected_end = view->begin + limit;
        return;
    }
    run = run && !scan->quiet && scan->lines.ignore_before == 0 && print_is_simple(scan);
    while (at < limit && !is_over(scan)) {
        uint64_t end;

        if (run && (!context || scan->lines.printed_end == view->begin + at)) {
            end = print_part(scan, view, at, limit);
            select_run(scan, view, at, end);
        } else {
            end = print_line_end(scan, view, at);
            select_line(scan, view, at, end);
        }
        at = end;
    }
}

/* Selects the lines without a match (-v), going from match to match. */
static void jump_gaps(struct text_scan *scan, const struct view *view, uint64_t at)
{
    const struct trawl_match *match = view->matches, *end_match = match + view->match_count;

    match += print_first_match_at(view, view->begin + at);
    while (match < end_match && !scan->stop) {
        struct block line = line_of(scan, view, at, match->begin - view->begin);

        if (line.begin > at) {
            select_gap(scan, view, at, line.begin);
            if (is_over(scan))
                return;
        }
        at = line.end;
        while (match < end_match && match->begin < view->begin + at)
            match++;
    }
    if (!scan->stop)
        select_gap(scan, view, at, view->count);
}

/* Selects the lines with a match, by going from match to match. */
static void jump_lines(struct text_scan *scan, const struct view *view, uint64_t at)
{
    uint64_t i = print_first_match_at(view, view->begin + at);
    struct line lines[LINES_TOGETHER];
    size_t count;

    /* few at first, because a limit may end the search soon */
    for (size_t max = 1; i < view->match_count && !is_over(scan);
         max = max < LINES_TOGETHER ? 2 * max : max) {
        count = block_lines(scan, view, at, i, lines, max);
        for (size_t k = 0; k < count && !is_over(scan); k++)
            if (lines[k].fits)
                select_line(scan, view, lines[k].begin, lines[k].end);
        at = lines[count - 1].end;
        i = lines[count - 1].next;
    }
}

/* Handles a line that is not selected. */
static void pass_line(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t end)
{
    const struct settings *settings = scan->settings;

    if (settings->passthru && !scan->quiet && print_line(scan, view, at, end, '-'))
        scan->job->groups = GROUPS_PRINTED;
    if (settings->stop_on_nonmatch && scan->lines.selected > 0) {
        if (scan->lines.pending > 0)
            print_pending(scan, view, end);
        scan->lines.pending = 0;
        scan->lines.scanned_end = view->begin + end;
        scan->stop = true;
    }
}

/* Selects or skips each line in turn, if rules.every_line: for example, the empty string may select
 * lines in which the library finds no match. */
static void walk_lines(struct text_scan *scan, const struct view *view, uint64_t at)
{
    uint64_t i = print_first_match_at(view, view->begin + at);
    struct line lines[LINES_TOGETHER];
    size_t count;

    for (size_t max = 1; at < view->count && !is_over(scan);
         max = max < LINES_TOGETHER ? 2 * max : max) {
        count = block_lines(scan, view, at, i, lines, max);
        for (size_t k = 0; k < count && !is_over(scan); k++) {
            const struct line line = lines[k];
            const bool selected = line.fits != scan->settings->invert && scan->lines.left > 0;

            if (selected)
                select_line(scan, view, line.begin, line.end);
            else
                pass_line(scan, view, line.begin, line.end);
            function_note(scan, view, line.begin, line.end, selected);
        }
        at = lines[count - 1].end;
        i = lines[count - 1].next;
    }
}

/* Like jump_lines, if is_plain: prints adjacent selected lines together. */
static void jump_plain_lines(struct text_scan *scan, const struct view *view, uint64_t at)
{
    const struct trawl_match *match = view->matches, *end_match = match + view->match_count;
    uint64_t run = at; /* the lines in [run, at) are selected, but not printed yet */

    while (match < end_match && match->begin < view->begin + at)
        match++;
    while (match < end_match && !is_over(scan)) {
        const struct block line = line_of(scan, view, at, match->begin - view->begin);
        const bool next_block = view->begin + line.end > scan->nulls.block_end;

        if (line.begin > at || next_block) {
            print_lines(scan, view, run, at, ':', true);
            run = line.begin;
        }
        if (next_block)
            binary_next_block(scan, view->begin + line.end);
        scan->job->groups = GROUPS_PRINTED;
        scan_selected(scan, view->begin + line.end);
        at = line.end;
        while (match < end_match && match->begin < view->begin + at)
            match++;
    }
    print_lines(scan, view, run, at, ':', true);
}

/* Handles lines that are not selected. */
static void pass_lines(struct text_scan *scan, const struct view *view, uint64_t at, uint64_t limit)
{
    for (uint64_t end; scan->settings->passthru && at < limit && !is_over(scan); at = end) {
        end = print_line_end(scan, view, at);
        pass_line(scan, view, at, end);
    }
}

/* Selects each block as a whole; under -v, each line between blocks. */
static void walk_blocks(struct text_scan *scan, const struct view *view, uint64_t at)
{
    const bool invert = scan->settings->invert;
    uint64_t i = print_first_match_at(view, view->begin + at);

    while (at < view->count && !is_over(scan)) {
        struct block block = {view->count, view->count, i};

        if (i < view->match_count)
            block = block_find(scan, view, at, i, scan->lines.left);
        if (invert)
            select_gap(scan, view, at, block.begin);
        pass_lines(scan, view, invert ? block.begin : at, invert ? block.end : block.begin);
        if (!invert && block.end > block.begin) {
            const enum groups groups = scan->job->groups;
            const size_t used = scan->output->used;

            scan->lines.left -= block.next - i - 1; /* -m counts matches here */
            select_line(scan, view, block.begin, block.end);
            if (settings_print_matches(scan->settings) && scan->output->used == used)
                scan->job->groups = groups; /* all matches were empty, so nothing was printed */
        } else if (!invert && !scan->quiet && i < view->match_count &&
                   scan->settings->before_count > 0) {
            /* As in ripgrep, an empty match after the last line end has context, but no line. */
            print_pending(scan, view, view->count);
            print_before(scan, view, view->count);
            scan->job->groups = GROUPS_PRINTED;
        }
        i = block.next;
        at = block.end;
    }
}

/* Handles the lines of the view starting at `at`. Earlier ones may be printed as context. */
static void handle_view(struct text_scan *scan, const struct view *view, uint64_t at)
{
    if (view->count == 0 || at >= view->count)
        return;
    if (scan->whole.bytes != NULL)
        walk_blocks(scan, view, at);
    else if (is_plain(scan) && !scan->settings->invert)
        jump_plain_lines(scan, view, at);
    else if (scan->rules.every_line)
        walk_lines(scan, view, at);
    else if (scan->settings->invert)
        jump_gaps(scan, view, at);
    else
        jump_lines(scan, view, at);
    if (!scan->stop)
        print_pending(scan, view, view->count);
    if (!scan->stop && is_over(scan) && prints_rest_as_context(scan))
        print_lines(scan, view, print_at(scan, view), view->count, '-', true);
    if (is_over(scan) && scan->lines.pending == 0 && !prints_rest_as_context(scan))
        scan->stop = true;
    scan->carry.line_begin = view->begin + view->count;
}

/* Returns true if all matches of a line are needed to print it. */
static bool keeps_each(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;

    return !scan->quiet && (settings->json || settings->colors.on || settings->style.each_match ||
                            settings->shows_distance || settings_print_matches(settings));
}

/* Keeps the matches of the open line that may still be needed. Returns false if out of memory. */
static bool carry_matches(struct text_scan *scan, const struct trawl_match *matches,
                          uint64_t match_count)
{
    const struct settings *settings = scan->settings;
    /* To print the numbers of the strings in a line, one match of each string is enough. If the
     * carry also has earlier lines, the matches of different lines cannot be told apart here, so
     * all are kept. */
    bool numbered = settings->heads.pattern_number && !scan->quiet && !keeps_each(scan) &&
                    settings->before_count <= 0 && !scan->rules.check_whole_line;

    for (uint64_t i = 0; i < match_count; i++) {
        if (scan->carry.dropped && !scan->rules.check_whole_line && !numbered &&
            !keeps_each(scan) && scan->carry.match_count > 0)
            return true;
        if (scan->carry.dropped && scan->rules.check_whole_line)
            continue; /* whole lines are wanted, and this match does not begin its line */
        if (numbered &&
            !number_set_first(scan, matches[i].pattern_index, scan->carry.match_count == 0))
            continue;
        if (!SCAN_GROW(scan, scan->carry.matches, scan->carry.match_capacity,
                       scan->carry.match_count + 1))
            return false;
        scan->carry.matches[scan->carry.match_count++] = matches[i];
    }
    return true;
}

/* Appends bytes of the open line to the carry, unless its earlier bytes were dropped. Returns false
 * if out of memory. */
static bool carry_bytes(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count)
{
    if (scan->carry.dropped || bytes_count == 0)
        return true;
    if (!SCAN_GROW(scan, scan->carry.bytes, scan->carry.capacity, scan->carry.count + bytes_count))
        return false;
    memcpy(scan->carry.bytes + scan->carry.count, bytes, (size_t)bytes_count);
    scan->carry.count += bytes_count;
    return true;
}

/* Drops the bytes of the open line if they are not needed, or are many and can be read again. */
static void drop_open_line(struct text_scan *scan)
{
    const struct settings *settings = scan->settings;
    bool quiet_forever = scan->quiet && !scan->carry.keeps_bytes;
    bool readable = scan->rules.seekable && !scan->carry.keeps_bytes && settings->before_count <= 0;
    uint64_t kept_max =
        settings->search.chunk_bytes > 0 ? settings->search.chunk_bytes : KEPT_LINE_BYTES_MAX;
    uint64_t kept = 0;

    if (scan->carry.dropped || !(quiet_forever || (readable && scan->carry.count > kept_max)))
        return;
    scan->carry.dropped = true;
    scan->carry.count = 0;
    for (uint64_t i = 0; i < scan->carry.match_count; i++)
        if (scan->carry.matches[i].begin == scan->carry.line_begin ||
            (scan->carry.matches[i].begin > scan->carry.line_begin &&
             !scan->rules.check_whole_line &&
             (kept == 0 || settings->heads.pattern_number || keeps_each(scan))))
            scan->carry.matches[kept++] = scan->carry.matches[i];
    scan->carry.match_count = kept;
}

/* Returns an address even for an array that is NULL, because NULL + 0 is undefined. */
static const struct trawl_match *array_of(const struct trawl_match *matches)
{
    static const struct trawl_match none;

    return matches != NULL ? matches : &none;
}

/* Selects or skips the line whose bytes were dropped, now that its end is known. `end` is the text
 * offset after it; has_end: it has a line end. */
static void finish_dropped_line(struct text_scan *scan, uint64_t end, bool has_end)
{
    uint64_t begin = scan->carry.line_begin;
    struct view view = {.begin = begin,
                        .count = end - begin,
                        .matches = array_of(scan->carry.matches),
                        .match_count = scan->carry.match_count,
                        .has_no_end = !has_end};
    const bool fits = scan_matches(scan, NULL, begin, has_end ? end - 1 : end, scan->carry.matches,
                                   scan->carry.match_count) != scan->settings->invert;
    const bool selected = fits && scan->lines.left > 0;
    const bool marked = fits && scan->lines.pending > 0 && print_marks_context(scan);

    if (selected) {
        select_line(scan, &view, 0, view.count);
    } else if ((scan->lines.pending > 0 || scan->settings->passthru) && !scan->quiet) {
        bool printed = print_line(scan, &view, 0, view.count, marked ? ':' : '-');

        if (marked)
            scan->lines.selected_end = end;
        if (scan->settings->passthru)
            scan->job->groups = printed ? GROUPS_PRINTED : scan->job->groups;
        else
            scan->lines.pending = printed ? scan->lines.pending - 1 : 0;
    }
    scan->stop |=
        scan->lines.left == 0 && scan->lines.pending == 0 && !prints_rest_as_context(scan);
    if (scan->settings->stop_on_nonmatch && !selected && scan->lines.selected > 0) {
        scan->lines.scanned_end = end;
        scan->stop = true;
    }
    scan->carry.line_begin = end;
}

/* Handles the first `count` bytes of the carry, which are whole lines. */
static void handle_carried(struct text_scan *scan, uint64_t count)
{
    uint64_t carry_end = scan->carry.begin + scan->carry.count;
    struct view view = {
        scan->carry.bytes, scan->carry.begin, count, array_of(scan->carry.matches), 0, false};

    view.match_count = scan->carry.match_count;
    view.match_count = print_first_match_at(&view, view.begin + count);
    handle_view(scan, &view, scan->carry.line_begin - scan->carry.begin);
    if (scan->settings->heads.line_number &&
        !scan->quiet) /* count the carry's lines now: the next bytes are elsewhere in memory */
        (void)line_number_at(scan, scan->carry.bytes, scan->carry.begin, carry_end);
}

/* Handles the carry, which now consists of whole lines, and empties it. */
static void handle_carry(struct text_scan *scan)
{
    handle_carried(scan, scan->carry.count);
    scan->carry.begin += scan->carry.count;
    scan->carry.count = 0;
    scan->carry.match_count = 0;
}

/* Once the carry has doubled, drops lines that leading context no longer needs, so that each byte
 * is moved only a few times. Lines up to `handled` have been handled. */
static void trim_carry(struct text_scan *scan, uint64_t handled)
{
    uint64_t at, dropped_matches = 0;

    if (scan->carry.count < scan->carry.trim_at)
        return;
    at = print_lines_before(scan, scan->carry.bytes, 0, handled);
    if (at > 0)
        memmove(scan->carry.bytes, scan->carry.bytes + at, (size_t)(scan->carry.count - at));
    scan->carry.count -= at;
    scan->carry.begin += at;
    scan->carry.trim_at = 2 * scan->carry.count;
    while (dropped_matches < scan->carry.match_count &&
           scan->carry.matches[dropped_matches].begin < scan->carry.begin)
        dropped_matches++;
    scan->carry.match_count -= dropped_matches;
    if (dropped_matches > 0)
        memmove(scan->carry.matches, scan->carry.matches + dropped_matches,
                (size_t)scan->carry.match_count * sizeof *scan->carry.matches);
}

/* Handles a window if leading context is wanted. The carry then also has the lines before the open
 * line, which the window's first lines may need as context. So the open line and the next
 * before_count lines are handled in the carry; later lines find their context in the window. */
static void handle_with_history(struct text_scan *scan, const struct view *window, uint64_t whole,
                                bool last)
{
    struct view view = *window;
    uint64_t limit = last ? window->count : whole, head = 0, matches_kept;

    for (int64_t i = 0; i <= scan->settings->before_count && head < whole; i++)
        head = print_line_end(scan, window, head);
    if (head == whole)
        head = window->count; /* the whole window becomes part of the carry */
    matches_kept = print_first_match_at(window, window->begin + head);
    if (!carry_bytes(scan, window->bytes, head) ||
        !carry_matches(scan, window->matches, matches_kept))
        return;
    if (head == window->count) {
        uint64_t handled = scan->carry.count - (window->count - limit);

        if (whole > 0 || last) {
            handle_carried(scan, handled);
            trim_carry(scan, handled);
        }
        return;
    }
    handle_carried(scan, scan->carry.count);
    view.count = limit;
    view.match_count = print_first_match_at(window, window->begin + limit);
    if (!scan->stop)
        handle_view(scan, &view, head);
    head = print_lines_before(scan, window->bytes, 0, whole);
    scan->carry.begin = window->begin + head;
    scan->carry.count = scan->carry.match_count = 0;
    matches_kept = print_first_match_at(window, scan->carry.begin);
    if (carry_matches(scan, window->matches + matches_kept, window->match_count - matches_kept))
        (void)carry_bytes(scan, window->bytes + head, window->count - head);
    scan->carry.trim_at = 2 * scan->carry.count;
}

/* Ends the open line at the window's first line end. Returns how many of the window's bytes belong
 * to it. Sets *used_matches to the number of the window's matches that begin in it. */
static uint64_t close_open_line(struct text_scan *scan, const struct view *window,
                                uint64_t *used_matches)
{
    uint64_t end = print_line_end(scan, window, 0);
    uint64_t used = 0;

    while (used < window->match_count && window->matches[used].begin < window->begin + end)
        used++;
    *used_matches = used;
    if (!carry_matches(scan, window->matches, used) || !carry_bytes(scan, window->bytes, end))
        return end;
    if (scan->carry.dropped)
        finish_dropped_line(scan, window->begin + end, true);
    else
        handle_carry(scan);
    return end;
}

/* Prints or counts the lines that end in the window. Bytes of a last, open line are kept in
 * scan->carry for the next window; if `last`, the text ends here, and so does that line. */
static void handle_window(struct text_scan *scan, const struct view *window, bool last)
{
    const uint8_t *final = window->count == 0 ? NULL
                                              : memrchr(window->bytes, scan->settings->line_end,
                                                        (size_t)window->count);
    uint64_t whole = final != NULL ? (uint64_t)(final - window->bytes) + 1 : 0;
    uint64_t at = 0, first = 0, past;

    if (scan->settings->before_count > 0 && !scan->quiet) {
        handle_with_history(scan, window, whole, last);
        return;
    }
    if (whole > 0 && scan->carry.line_begin < window->begin)
        at = close_open_line(scan, window, &first);
    past = first;
    if (at < whole && !scan->stop) {
        struct view view = {
            window->bytes + at, window->begin + at, whole - at, window->matches + first, 0, false};

        past = window->match_count;
        while (past > first && window->matches[past - 1].begin >= window->begin + whole)
            past--;
        view.match_count = past - first;
        handle_view(scan, &view, 0);
        at = whole;
    }
    if (scan->stop)
        return;
    if (scan->carry.line_begin >= window->begin + at) {
        scan->carry.begin = scan->carry.line_begin = window->begin + at;
        scan->carry.count = scan->carry.match_count = 0;
        scan->carry.dropped = false;
    }
    if (last && at < window->count && scan->settings->heads.line_number && !scan->quiet)
        line_number_at(scan, window->bytes, window->begin, window->begin + at);
    if (!carry_matches(scan, window->matches + past, window->match_count - past) ||
        !carry_bytes(scan, window->bytes + at, window->count - at))
        return;
    drop_open_line(scan);
    if (last && scan->carry.line_begin < window->begin + window->count) {
        if (scan->carry.dropped)
            finish_dropped_line(scan, window->begin + window->count, false);
        else
            handle_carry(scan);
    }
}

/* Prints or counts the lines of the part [at, end) of the window, like handle_window. If a NUL has
 * been seen, and NUL ends lines in binary files, works on a copy with line ends in their place. */
static void handle_part(struct text_scan *scan, const struct trawl_window *window, uint64_t at,
                        uint64_t end)
{
    struct view part = {window->bytes + at,        window->begin + at,  end - at,
                        array_of(window->matches), window->match_count, false};
    uint64_t past = 0;

    while (past < window->match_count && window->matches[past].begin < part.begin)
        past++;
    part.matches += past;
    part.match_count = window->match_count - past;
    while (part.match_count > 0 && /* a few matches may begin after the part */
           part.matches[part.match_count - 1].begin >= part.begin + part.count)
        part.match_count--;
    if (scan->nulls.seen && scan->settings->nuls.end_line) {
        part.bytes = binary_zap(scan, part.bytes, part.count);
        if (part.bytes == NULL && part.count > 0)
            return;
    }
    handle_window(scan, &part, window->last && end == window->bytes_count);
}

/* Handles a window. Returns true if the search stops. */
static int take_window(struct text_scan *scan, const struct trawl_window *window)
{
    struct trawl_window kept, moved;
    uint64_t text_bytes = window->bytes_count;
    bool is_left = false;

    if (scan->stop)
        return binary_read_on(scan, window);
    if (!part_window(scan, &window, &moved))
        return 1;
    scan->window = window;
    scan->counting.match = 0;
    scan->counting.base = scan->counting.line_ends;
    if (!occurrences_window(scan, &window, &kept))
        return 1;
    scan->lines.scanned_end = window->begin + window->bytes_count;
    if (scan->nulls.watched && !scan->nulls.seen)
        text_bytes = binary_text_bytes(scan, window);
    if (scan->rules.by_match)
        is_left = part_matches(scan, window, text_bytes);
    else if (text_bytes > 0 || window->bytes_count == 0)
        handle_part(scan, window, 0, text_bytes);
    if (text_bytes < window->bytes_count && !scan->stop && !is_left) {
        binary_found(scan);
        if (scan->rules.by_match && !scan->stop && scan->rules.seekable)
            scan->rerun = scan->stop = true;
        else if (scan->rules.by_match && !scan->stop)
            matches_part(scan, window, text_bytes, window->bytes_count);
        else if (!scan->stop)
            handle_part(scan, window, text_bytes, window->bytes_count);
    }
    /* for an expression, the library also counts NULs, which the rest of the window may have */
    if (scan->settings->heads.line_number && !scan->quiet && !is_left)
        count_end_window(scan, window);
    if (scan->nulls.block_end == OFFSET_NONE ||
        (scan->lines.scanned_end >= scan->nulls.block_end &&
         !(scan->rules.by_match && scan->occurrences.line_end == OFFSET_NONE)))
        output_commit(scan->output);
    is_left = is_left || (!scan->rules.by_match && part_wants_units(scan, window) &&
                          part_leave(scan, window, scan->carry.line_begin));
    if (is_left && scan->settings->heads.line_number)
        (void)line_number_at(scan, window->bytes, window->begin, scan->part.units_begin);
    scan_part_end(scan);
    scan->window = NULL; /* the library frees the window after this call */
    return is_left || (scan->stop && !binary_reads_on(scan)) || scan->output->error != 0;
}

int lines_window(void *context, const struct trawl_window *window)
{
    struct text_scan *scan = context;
    int stops;

    hold_begin(scan);
    stops = !scan_ask_total(scan, window) || take_window(scan, window);
    hold_end(scan, stops);
    return stops;
}

/* Shortens the view of the whole text to the blocks that get no further matches from the next
 * window. Remembers the last block, so that each match is looked at once. */
static void view_trim_to_closed(struct text_scan *scan, struct view *view)
{
    const struct view whole = *view;
    struct block block = scan->carry.open;
    uint64_t left = scan->settings->invert ? UINT64_MAX : scan->lines.left, next;

    view->count = scan->carry.line_begin;
    view->match_count = 0;
    while (view->match_count < whole.match_count && left > 0) {
        if (block.next == 0)
            block = block_find(scan, &whole, view->count, view->match_count, left);
        else
            block_extend(scan, &whole, &block, view->match_count, left);
        next = block.next;
        if (next - view->match_count == left) /* -m: other matches in its last line are shown */
            while (next < whole.match_count && whole.matches[next].begin < block.end)
                next++;
        if (next == whole.match_count)
            break;
        left -= block.next - view->match_count;
        view->match_count = next;
        view->count = block.end;
        block.next = 0;
    }
    /* the matches before have been printed, and are removed from the carry */
    block.next -= block.next > 0 ? view->match_count : 0;
    scan->carry.open = block;
}

int lines_whole(void *context, const struct trawl_window *window)
{
    struct text_scan *scan = context;
    struct view view = {
        scan->whole.bytes, 0, scan->whole.count, array_of(scan->carry.matches), 0, false};
    struct trawl_window kept;

    scan->lines.scanned_end = window->begin + window->bytes_count;
    if (!scan_ask_total(scan, window) ||
        (!scan->settings->invert && !occurrences_window(scan, &window, &kept)) ||
        !carry_matches(scan, window->matches, window->match_count))
        return 1;
    view.matches = array_of(scan->carry.matches);
    view.match_count = scan->carry.match_count;
    if (!window->last)
        view_trim_to_closed(scan, &view);
    handle_view(scan, &view, scan->carry.line_begin);
    scan->carry.match_count -= view.match_count;
    if (scan->carry.match_count > 0)
        memmove(scan->carry.matches, scan->carry.matches + view.match_count,
                (size_t)scan->carry.match_count * sizeof *scan->carry.matches);
    if (!scan->stop && is_over(scan)) { /* the other lines are context, whatever matches there */
        view.count = scan->whole.count;
        view.match_count = 0;
        handle_view(scan, &view, scan->carry.line_begin);
    }
    output_commit(scan->output);
    scan_part_end(scan);
    return scan->stop || is_over(scan) || scan->output->error != 0;
}
