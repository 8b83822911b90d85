/* command_matches: prints or counts matches without their lines, for the options -o, --positions
 * and --count-matches. */
#include "trawl/print/reports.h"

#include <string.h>

#include "trawl/print/binary.h"
#include "trawl/print/occurrences.h"
#include "trawl/text/calls.h"
#include "trawl/print/print.h"
#include "trawl/print/style.h"
#include "trawl/text/sizes.h"
#include "trawl/job/command_scan.h"

/* Strings up to this length are checked for self-overlap, by comparing each suffix with the start.
 * Longer ones are assumed to overlap. */
#define COMPARED_BYTES_MAX SIZE_OR_SMALL(1024u, 8u)

/* Selects the line in which a match begins at `at`, the first match of the line. */
static void begin_line(struct text_scan *scan, const struct trawl_window *window, uint64_t at)
{
    uint64_t begin = at - window->begin;
    const uint8_t *line_end = memchr(window->bytes + begin, scan->settings->line_end,
                                     (size_t)(window->bytes_count - begin));
    uint64_t end = window->begin + window->bytes_count;

    scan->occurrences.line_end = OFFSET_NONE;
    if (line_end != NULL)
        end = scan->occurrences.line_end = window->begin + (uint64_t)(line_end - window->bytes) + 1;
    if (end > scan->nulls.block_end)
        binary_next_block(scan, end);
    scan->occurrences.held_before_line = scan->output->used - scan->output->committed;
    scan_selected(scan, end);
}

/* Looks in this window for the end of the line in which a match began. The window counts as text up
 * to text offset `limit`. */
static void close_line(struct text_scan *scan, const struct trawl_window *window, uint64_t limit)
{
    const uint8_t *line_end;

    if (scan->occurrences.line_end != OFFSET_NONE || window->bytes_count == 0)
        return;
    line_end = memchr(window->bytes, scan->settings->line_end, (size_t)window->bytes_count);
    scan->lines.selected_end = window->begin + window->bytes_count;
    if (line_end != NULL)
        scan->lines.selected_end = scan->occurrences.line_end =
            window->begin + (uint64_t)(line_end - window->bytes) + 1;
    if (scan->lines.selected_end > scan->nulls.block_end && limit >= scan->nulls.block_end)
        binary_carry_line(scan);
}

/* Prints the matches that begin before text offset `limit`. */
static void take_matches(struct text_scan *scan, const struct trawl_window *window, uint64_t limit)
{
    uint64_t i = 0;

    while (i < window->match_count && window->matches[i].begin < limit && !scan->stop) {
        const struct trawl_match *group = &window->matches[i];
        const struct trawl_match match =
            occurrences_next(scan, window->matches, window->match_count, &i);

        if (match.begin < scan->occurrences.end)
            continue;
        if (match.begin >= scan->occurrences.line_end) {
            if (scan->lines.left == 0) {
                scan->stop = true;
                return;
            }
            begin_line(scan, window, match.begin);
            scan->occurrences.bad_line = false;
        }
        /* an empty match of an expression selects its line, but prints nothing */
        if (scan->quiet || scan->occurrences.bad_line || match.end == match.begin)
            continue;
        if (style_match(scan, window, &match, group, (uint64_t)(&window->matches[i] - group)))
            scan->occurrences.end = scan->settings->overlapping ? 0 : match.end;
        else /* like grep, print nothing more of a line after a match that is invalid text */
            scan->occurrences.bad_line = true;
    }
}

void matches_part(struct text_scan *scan, const struct trawl_window *window, uint64_t begin,
                  uint64_t end)
{
    uint64_t limit = window->begin + end;

    if (begin == 0)
        close_line(scan, window, limit);
    take_matches(scan, window, limit);
    if (scan->lines.left == 0 && scan->occurrences.line_end <= limit)
        scan->stop = true;
}

/* Prints a match as a position. `number` is the string's number; 0: not printed. */
static void print_position(struct text_scan *scan, const struct trawl_match *match, uint64_t number)
{
    if (scan->job->show_names > 0)
        print_name_end(scan, ':');
    output_number(scan->output, match->begin, 0);
    if (number > 0) {
        output_byte(scan->output, ':');
        print_pattern(scan->job, number);
    }
    if (scan->settings->shows_distance) {
        output_byte(scan->output, ':');
        output_number(scan->output, match->distance, 0);
    }
    output_byte(scan->output, '\n');
}

/* Prints matches for --positions; with --pattern-number, once for each number of a string. */
static int positions_sink(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct text_scan *scan = context;
    const struct numbers *numbers = &scan->job->patterns->numbers;
    bool numbered = scan->settings->heads.pattern_number;

    for (uint64_t i = 0; i < match_count && scan->lines.left > 0; i++) {
        const bool is_empty = matches[i].begin == matches[i].end; /* it only selects a line */
        uint64_t lines = is_empty   ? 0
                         : numbered ? numbers_count(numbers, matches[i].pattern_index)
                                    : 1;

        for (uint64_t j = 0; j < lines; j++)
            print_position(scan, &matches[i],
                           numbered ? numbers_get(numbers, matches[i].pattern_index, j) : 0);
        scan->lines.selected += !is_empty;
        scan->lines.left -= !is_empty;
    }
    output_commit(scan->output);
    scan_part_end(scan);
    return scan->lines.left == 0 || scan->output->error != 0;
}

/* Counts what -o would print. */
static int count_window(void *context, const struct trawl_window *window)
{
    struct text_scan *scan = context;
    struct trawl_window kept;

    if (!occurrences_window(scan, &window, &kept))
        return 1;
    for (uint64_t i = 0; i < window->match_count;) {
        const struct trawl_match match =
            occurrences_next(scan, window->matches, window->match_count, &i);

        if (match.end == match.begin || match.begin < scan->occurrences.end)
            continue;
        if (scan->lines.left == 0)
            return 1;
        scan->occurrences.end = scan->settings->overlapping ? 0 : match.end;
        scan->lines.selected_end = match.begin;
        scan->lines.selected++;
        scan->lines.left--;
    }
    return 0;
}

/* Returns true if occurrences of a string may overlap: a proper prefix is also a suffix. If not, -o
 * prints all occurrences, so the library can count them in parallel. */
static bool may_overlap(const struct trawl_pattern *pattern)
{
    const uint8_t *bytes = pattern->bytes;

    if (pattern->bytes_count > COMPARED_BYTES_MAX)
        return true;
    for (uint64_t at = 1; at < pattern->bytes_count; at++)
        if (memcmp(bytes, bytes + at, (size_t)(pattern->bytes_count - at)) == 0)
            return true;
    return false;
}

/* Counts for --count-matches: through the library alone if every occurrence that it finds counts,
 * no limit is set and the text is not decompressed; otherwise window by window. */
enum trawl_status matches_report(struct text_scan *scan, struct trawl_error *error)
{
    const struct settings *settings = scan->settings;
    const struct patterns *patterns = scan->job->patterns;
    bool all = occurrences_are_all(scan) &&
               (settings->overlapping || patterns->count == 0 || patterns->joined.bytes != NULL ||
                (patterns->count == 1 && settings->expressions && !patterns->is_apart) ||
                (patterns->count == 1 && !settings->ignore_case && !settings->approximate &&
                 !may_overlap(&patterns->items[0])));

    if (all && settings->max_count == UINT64_MAX && !scan->rules.unpacks)
        return trawl_count(scan->job->searcher, scan->plan, scan->text, &scan->lines.selected,
                           error);
    return trawl_windows(scan->job->searcher, scan->plan, scan->text,
                         settings->overlapping || scan->rules.filters ||
                                 (patterns->in_order && patterns->count > 1)
                             ? 0
                             : patterns_spans(patterns),
                         count_window, scan, error);
}

/* --positions of --hex with wildcards: a match for each place where one begins. The matches of the
 * library do not overlap, so others may begin within each of them. */
struct inner_starts {
    struct text_scan *scan;
    struct trawl_line **lines; /* one for each pattern; NULL: not opened yet */
    struct trawl_match *within;
    size_t count, capacity;
};

/* Prints the matches within others that begin before `limit`, in order. */
static int print_within(struct inner_starts *starts, uint64_t limit)
{
    size_t count = 0;
    int ends = 0;

    while (count < starts->count && starts->within[count].begin < limit)
        count++;
    if (count > 0)
        ends = positions_sink(starts->scan, starts->within, count);
    starts->count -= count;
    for (size_t i = 0; count > 0 && i < starts->count; i++)
        starts->within[i] = starts->within[i + count];
    return ends;
}

/* Finds the matches of the same pattern that begin within a match. False: the scan has failed. */
static bool find_within(struct inner_starts *starts, const struct trawl_match *match)
{
    struct text_scan *scan = starts->scan;
    struct trawl_line **line = &starts->lines[match->pattern_index];
    const uint64_t begin = match->begin + 1, rest = scan->whole.count - begin;
    const uint64_t reach = match->end - begin + scan->job->patterns->reach;
    const uint8_t *bytes = scan->whole.bytes + begin;
    const uint64_t count = reach < rest ? reach : rest;
    enum trawl_status status;

    status = *line != NULL ? trawl_line_move(*line, bytes, count, &scan->error)
                           : trawl_line_open(scan->plan, match->pattern_index, bytes, count,
                                             scan->job->searcher, line, &scan->error);
    for (uint64_t at = 0; status == TRAWL_OK && begin + at < match->end;) {
        struct trawl_match found = *match;
        struct trawl_range range;
        size_t place = starts->count;

        status = trawl_line_match(*line, at, &range, 1, &scan->error);
        if (status != TRAWL_OK || range.begin >= match->end - begin)
            break;
        found.begin = begin + range.begin;
        found.end = begin + range.end;
        if (!SCAN_GROW(scan, starts->within, starts->capacity, starts->count + 1))
            return false;
        for (; place > 0 && starts->within[place - 1].begin > found.begin; place--)
            starts->within[place] = starts->within[place - 1];
        starts->within[place] = found;
        starts->count++;
        at = range.begin + 1;
    }
    if (status != TRAWL_OK)
        scan_fail(scan, status);
    return status == TRAWL_OK;
}

static int starts_sink(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct inner_starts *starts = context;

    for (uint64_t i = 0; i < match_count; i++)
        if (print_within(starts, matches[i].begin) != 0 ||
            positions_sink(starts->scan, &matches[i], 1) != 0 || !find_within(starts, &matches[i]))
            return 1;
    return 0;
}

static enum trawl_status starts_report(struct text_scan *scan, struct trawl_error *error)
{
    const uint64_t plans = describe_plan(scan->plan, 0).pattern_count;
    struct inner_starts starts = {.scan = scan,
                                  .lines = calloc(plans, sizeof(struct trawl_line *))};
    struct trawl_answer all = TRAWL_ANSWER_MATCHES(starts_sink, &starts);
    enum trawl_status status = TRAWL_MEMORY;

    if (starts.lines != NULL)
        status = trawl_ask(scan->job->searcher, scan->plan, scan->text, &all, error);
    if (status == TRAWL_OK && scan->lines.left > 0)
        (void)print_within(&starts, UINT64_MAX);
    for (uint64_t i = 0; starts.lines != NULL && i < plans; i++)
        trawl_line_close(starts.lines[i]);
    free(starts.lines);
    free(starts.within);
    return status;
}

enum trawl_status positions_report(struct text_scan *scan, struct trawl_error *error)
{
    if (scan->settings->wild)
        return starts_report(scan, error);
    return occurrences_positions(scan, positions_sink, error);
}

/* ---- Parts of a text ------------------------------------------------------------------------- */

/* Units search the rest of a text if a window has a match for each UNIT_MATCH_BYTES. */
#define UNIT_MATCH_BYTES UINT64_C(4096)
/* A shorter text is not worth the threads, unless --chunk-bytes was given. */
#define UNITS_TEXT_BYTES SIZE_OR_SMALL(UINT64_C(8) << 20, UINT64_C(1))

bool part_wants_units(const struct text_scan *scan, const struct trawl_window *window)
{
    struct trawl_text_told told = {.size = sizeof told};

    return scan->job->search_units != NULL && !scan->part.is_last && !window->last &&
           !scan->quiet && !scan->nulls.seen && scan->descriptor >= 0 && scan->rules.seekable &&
           scan->output->full == NULL && trawl_text_tell(scan->text, &told, NULL) == TRAWL_OK &&
           (told.text_bytes >= UNITS_TEXT_BYTES || scan->settings->search.chunk_bytes > 0) &&
           (scan->settings->invert ||
            window->match_count >= window->bytes_count / UNIT_MATCH_BYTES);
}

bool part_leave(struct text_scan *scan, const struct trawl_window *window, uint64_t at)
{
    const struct settings *settings = scan->settings;

    if (scan->stop || at <= window->begin || (settings->json && !scan->json.begun) ||
        (settings->style.heading && !scan->style.heading_shown) ||
        (settings_have_context(settings) && scan->lines.printed_end == OFFSET_NONE) ||
        !binary_is_decided(scan))
        return false;
    scan->part.units_begin = at;
    scan->part.matches_left = 0;
    for (uint64_t i = window->match_count; i > 0 && window->matches[i - 1].begin >= at; i--)
        scan->part.matches_left++;
    return true;
}

bool part_matches(struct text_scan *scan, const struct trawl_window *window, uint64_t text_bytes)
{
    const uint8_t *line_end =
        !part_wants_units(scan, window)
            ? NULL
            : memchr(window->bytes, scan->settings->line_end, (size_t)window->bytes_count);
    const uint64_t at = line_end == NULL ? 0 : (uint64_t)(line_end - window->bytes) + 1;

    if (at > 0 && at < text_bytes) {
        matches_part(scan, window, 0, at);
        if (part_leave(scan, window, window->begin + at))
            return true;
    }
    matches_part(scan, window, at < text_bytes ? at : 0, text_bytes);
    return false;
}

bool part_window(struct text_scan *scan, const struct trawl_window **window,
                 struct trawl_window *moved)
{
    const uint64_t begin = scan->part.begin;

    if (begin == 0)
        return true;
    *moved = **window;
    if (!SCAN_GROW(scan, scan->part.matches, scan->part.match_capacity, moved->match_count))
        return false;
    moved->begin += begin;
    for (uint64_t i = 0; i < moved->match_count; i++) {
        scan->part.matches[i] = moved->matches[i];
        scan->part.matches[i].begin += begin;
        scan->part.matches[i].end += begin;
    }
    moved->matches = scan->part.matches;
    *window = moved;
    return true;
}
