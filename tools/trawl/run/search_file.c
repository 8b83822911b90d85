/* search_file: searches an open file and reports.
 *
 * input.c calls search_file for a file that is searched alone, and gather.c for a small file that
 * was read as a whole. The functions here choose the library's call and the file that handles the
 * windows (command_scan.h). A failed call becomes a message, and the job continues with the next
 * file, unless that would fail, too (report_fault).
 */
#include "trawl/job/command_scan.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trawl/print/binary.h"
#include "trawl/print/reports.h"
#include "trawl/print/occurrences.h"
#include "trawl/text/guard.h"
#include "trawl/text/bus.h"
#include "trawl/print/json.h"
#include "trawl/print/print.h"
#include "trawl/job/progress.h"
#include "trawl/text/sizes.h"
#include "trawl/print/style.h"
#include "trawl/job/totals.h"
#include "trawl/run/pre.h"
#include "trawl/run/text_scan.h"
#include "trawl/run/search_file.h"
#include "trawl/text/calls.h"

/* --multiline: a shorter file is read, not mapped, except with --mmap */
#define MAP_BYTES (UINT64_C(8) << 20)
/* The library's limit for a text under --multiline. */
#define TEXT_BYTES_MAX (UINT32_MAX - UINT64_C(1))

bool search_file_is_output(const struct settings *settings, const struct stat *status,
                           bool is_operand)
{
    const struct surroundings *surroundings = &settings->surroundings;

    return surroundings->output_is_regular && S_ISREG(status->st_mode) &&
           status->st_dev == surroundings->output_device &&
           status->st_ino == surroundings->output_inode &&
           ((settings->is_tg && !is_operand) ||
            (settings->max_count > 1 && (settings->report->prints == PRINTS_TEXT ||
                                         settings->report->prints == PRINTS_OFFSETS)));
}

/* Replaces the scan's plan for whole lines with a plan that finds the strings anywhere; lines.c
 * then compares whole lines. False: the scan has failed. */
static bool plan_any_position(struct text_scan *scan)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* workers share `patterns` */
    struct patterns *patterns = scan->job->patterns, own;
    char message[SETTINGS_ERROR_BYTES];
    bool good;

    pthread_mutex_lock(&lock);
    own = *patterns; /* a copy: patterns_plan writes what other workers read */
    good = patterns->plan_any_position != NULL ||
           patterns_plan(&own, scan->settings, false, &patterns->plan_any_position, message);
    pthread_mutex_unlock(&lock);
    if (!good) {
        scan_fail(scan, TRAWL_MEMORY);
        return false;
    }
    scan->plan = patterns->plan_any_position;
    scan->rules.check_whole_line = true;
    scan->rules.every_line = true;
    return true;
}

/* Prepares the second search, from the start of the text, that a NUL made necessary (`rerun`). */
static void scan_again(struct text_scan *scan)
{
    scan->rerun = false;
    scan->stop = false;
    trawl_text_close(scan->part.text);
    scan->part.text = NULL;
    scan->part.begin = 0;
    scan->carry.count = scan->carry.match_count = 0;
    scan->carry.begin = scan->carry.line_begin = 0;
    scan->characters.line_end = scan->characters.tail_count = 0;
    scan->carry.dropped = scan->function.shows = false;
    scan->function.count = scan->function.comment = 0;
    scan->function.heading = OFFSET_NONE;
    if (settings_count_lines(scan->settings)) {
        scan->lines.selected = scan->nulls.selected_before;
        scan->lines.left = scan->lines.max - scan->lines.selected;
    } else if (scan->lines.left == 0) {
        scan->lines.left = 1;
    }
}

/* Returns true if NUL may end lines while the plan for whole lines ignores NUL. */
static bool is_unaware_of_nulls(const struct settings *settings)
{
    return settings->whole_lines && settings->nuls.end_line && !settings->approximate &&
           !settings->expressions;
}

/* Returns true if the lines that match are exactly those with a match of the library: the command
 * drops no match, looks for none itself, and has no further condition. */
static bool matches_decide(const struct text_scan *scan)
{
    return !scan->rules.filters && !scan->rules.every_line && scan->job->lines_meet == NULL;
}

/* Returns true if the first match alone decides the report. */
static bool first_decides(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;
    /* an expression's empty matches select lines, but trawl_first does not find them */
    const bool may_be_empty = settings->expressions;
    /* a NUL may take the match back, or end lines */
    const bool nulls_count =
        scan->binary_files == BINARY_FILES_WITHOUT_MATCH || is_unaware_of_nulls(settings);
    /* -m1: as in grep, the offset of standard input must be left after the line */
    const bool leaves_offset = scan->descriptor == STDIN_FILENO && settings->max_count <= 1;

    return matches_decide(scan) && !settings->invert && !may_be_empty && !nulls_count &&
           !leaves_offset;
}

/* Returns true if the library's count of lines, for -c, is the same as grep's. In grep, NUL ends
 * lines only from the first block with a NUL, in the library everywhere; that makes no difference,
 * because earlier blocks have no NUL. With --binary-files=without-match, a NUL ends the search, so
 * binary.c decides the count. */
static bool library_counts(const struct text_scan *scan)
{
    const bool nulls_count = scan->binary_files == BINARY_FILES_WITHOUT_MATCH ||
                             (scan->nulls.watched && !scan->settings->nuls.end_count);
    /* -m: as in grep, the offset of standard input must be left after the last selected line */
    const bool leaves_offset =
        scan->descriptor == STDIN_FILENO && scan->settings->max_count < UINT64_MAX;

    return settings_count_lines(scan->settings) && scan->whole.bytes == NULL &&
           matches_decide(scan) && !nulls_count && !leaves_offset &&
           !scan->rules.unpacks; /* the lines before damage count */
}

/* -o: returns true if matches are enough, because no line around a match is printed. */
static bool matches_suffice(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;

    return settings_print_matches(settings) && !settings->invert &&
           !settings_have_context(settings) && !scan->rules.every_line &&
           !scan->job->patterns->finds_empty && !settings->style.on &&
           scan->job->lines_meet == NULL && !(settings->crlf && settings->whole_lines) &&
           !scan->nulls.seen;
}

/* --pattern-number: returns true if the longest match at an offset yields all numbers to print. Not
 * so for a line, which needs the numbers of all its matches; nor if several patterns may match the
 * same bytes (regular expressions, approximate searches, or strings with case ignored beyond
 * ASCII), because a match yields only one number. */
static bool one_match_is_enough(const struct text_scan *scan)
{
    return settings_print_matches(scan->settings) && !scan->job->patterns->many_may_match;
}

/* Returns true if a line's matches are needed only for the column of the first. */
static bool shows_column_alone(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;

    return settings->report->finds == FINDS_LINES && settings->style.column &&
           !settings->style.vimgrep && !settings->colors.on && !settings->json &&
           settings->replace == NULL && settings->style.max_columns == 0 &&
           !scan->job->patterns->finds_empty;
}

/* Returns the flags of trawl_windows for the matches that are printed or select lines. */
static uint32_t needed_matches(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;
    /* -v, and no line that matches is printed */
    const bool others_alone =
        settings->invert && !settings_have_context(settings) && !scan->rules.every_line;

    /* matches that the command drops, or among which it chooses */
    const bool chooses = scan->rules.check_whole_line || scan->rules.filters ||
                         (scan->job->patterns->in_order && scan->job->patterns->count > 1);
    /* lines whose head depends on all of their matches: the best distance, the numbers */
    const bool sums_up =
        !scan->quiet && (settings->shows_distance ||
                         (settings->heads.pattern_number && !one_match_is_enough(scan)));

    if (scan->whole.bytes != NULL)
        return settings->invert ? TRAWL_LINES_ALONE
               : scan->job->patterns->is_apart && scan->job->patterns->first_wins
                   ? TRAWL_SPANS_FIRST
                   : TRAWL_SPANS;
    if (settings->expressions && !scan->quiet && !scan->rules.filters &&
        (settings->heads.pattern_number || settings->overlapping))
        return TRAWL_WITH_EMPTY; /* also a line with only an empty match has a number */
    if (chooses || sums_up || settings->overlapping)
        return TRAWL_ALL;
    if (scan->rules.first_suffices && !others_alone)
        return patterns_spans(scan->job->patterns) | TRAWL_FIRSTS;
    if ((settings_print_matches(settings) && !others_alone) || scan->rules.counts_spans ||
        ((settings->colors.on || (settings->style.each_match && !others_alone)) && !scan->quiet))
        return patterns_spans(scan->job->patterns);
    return scan->job->patterns->has_empty && !settings->words && !settings->whole_lines
               ? TRAWL_NO_MATCHES /* the empty string is in every line */
               : TRAWL_LINES_ALONE;
}

enum trawl_status search_file_windows(struct text_scan *scan, struct trawl_error *error)
{
    struct trawl_text *text = scan->part.text != NULL ? scan->part.text : scan->text;
    bool library_counts_ends =
        scan->settings->heads.line_number && !scan->quiet && !scan->counting.counts;
    uint32_t flags;
    enum trawl_status status;

    scan->rules.by_match = scan->whole.bytes == NULL && matches_suffice(scan);
    scan->rules.first_suffices = scan->whole.bytes == NULL && shows_column_alone(scan);
    flags = needed_matches(scan) | (library_counts_ends ? TRAWL_LINE_ENDS : 0u) |
            (scan->nulls.watched ? TRAWL_NULLS : 0u);
    status = trawl_windows(scan->job->searcher, scan->plan, text, flags,
                           scan->whole.bytes == NULL ? lines_window : lines_whole, scan, error);
    hold_close(scan);
    return status == TRAWL_STOPPED ? TRAWL_OK : status;
}

/* Makes room for `count` bytes of the whole text. False: there are too many, or out of memory. */
static bool reserve_whole(struct text_scan *scan, uint64_t count)
{
    return count <= TEXT_BYTES_MAX &&
           SCAN_GROW(scan, scan->whole.read, scan->whole.capacity, count + 1);
}

/* A sink that appends the window's bytes to scan->whole.read. */
static int read_window(void *context, const struct trawl_window *window)
{
    struct text_scan *scan = context;

    if (!reserve_whole(scan, scan->whole.count + window->bytes_count))
        return 1;
    memcpy(scan->whole.read + scan->whole.count, window->bytes, (size_t)window->bytes_count);
    scan->whole.count += window->bytes_count;
    return 0;
}

/* Reads the whole text: a regular file with a single call. */
static enum trawl_status read_whole(struct text_scan *scan, struct trawl_error *error)
{
    struct trawl_text_told told = {.size = sizeof told};

    /* A file of size 0 may still have bytes, as in /proc. */
    if (trawl_text_tell(scan->text, &told, NULL) != TRAWL_OK || told.text_bytes == UINT64_MAX)
        return trawl_windows(scan->job->searcher, scan->plan, scan->text, TRAWL_NO_MATCHES,
                             read_window, scan, error);
    if (!reserve_whole(scan, told.text_bytes))
        return TRAWL_STOPPED;
    return trawl_text_read(scan->text, 0, scan->whole.read, told.text_bytes, &scan->whole.count,
                           error);
}

/* Reads the text into memory, unless it is there already. */
static enum trawl_status have_whole(struct text_scan *scan, struct trawl_error *error)
{
    enum trawl_status status;

    if (scan->whole.bytes != NULL)
        return TRAWL_OK;
    status = read_whole(scan, error);
    if (status == TRAWL_STOPPED || status == TRAWL_MEMORY) {
        (void)snprintf(error->message, sizeof error->message,
                       "%s needs the text in memory, which has no room for it, and "
                       "texts below 4 GiB",
                       scan->settings->wide ? "--wide with -w" : "--multiline");
        return error->status = scan->status = TRAWL_LIMIT;
    }
    if (status == TRAWL_OK)
        status = open_memory(scan->whole.read, scan->whole.count, &scan->whole.text, error);
    if (status != TRAWL_OK)
        return status;
    scan->text = scan->whole.text;
    scan->whole.bytes = scan->whole.count > 0 ? scan->whole.read : (const uint8_t *)"";
    return TRAWL_OK;
}

/* --wide with -w: reads the text into memory, but searches it line by line. */
static enum trawl_status hold_around(struct text_scan *scan, struct trawl_error *error)
{
    const enum trawl_status status =
        scan->around.bytes == NULL ? have_whole(scan, error) : TRAWL_OK;

    if (status == TRAWL_OK && scan->whole.bytes != NULL) {
        scan->around.bytes = scan->whole.bytes;
        scan->around.count = scan->whole.count;
        scan->whole.bytes = NULL;
    }
    return status;
}

/* --multiline: reads the text into memory, and looks for a NUL. */
static enum trawl_status hold_whole(struct text_scan *scan, struct trawl_error *error)
{
    const enum trawl_status status = have_whole(scan, error);
    const uint8_t *null;

    if (status != TRAWL_OK)
        return status;
    null = !scan->nulls.watched || (scan->quiet && scan->binary_files != BINARY_FILES_WITHOUT_MATCH)
               ? NULL
               : memchr(scan->whole.bytes, 0, (size_t)scan->whole.count);
    scan->nulls.block_end = OFFSET_NONE;
    if (null != NULL) { /* the text is one block */
        scan->nulls.offset = (uint64_t)(null - scan->whole.bytes);
        binary_found(scan);
        scan->lines.ignore_before = 0;
    }
    scan->nulls.watched = false;
    return TRAWL_OK;
}

/* Searches the text for a report about lines, with the library's cheapest call. Searches it again
 * if a NUL turns up that changes what earlier lines mean (`rerun`). */
enum trawl_status lines_report(struct text_scan *scan, struct trawl_error *error)
{
    struct trawl_searcher *searcher = scan->job->searcher;
    enum trawl_status status;

    if (scan->rules.stop_at_select && first_decides(scan)) {
        struct trawl_match match;
        bool found = false;

        status = trawl_first(searcher, scan->plan, scan->text, &match, &found, error);
        scan->lines.selected = found;
        scan->lines.selected_end = found ? match.end : 0;
        if (found && scan->descriptor == STDIN_FILENO && scan->rules.seekable) {
            /* grep reads a whole line before it examines it */
            uint64_t end = binary_find(scan, scan->settings->line_end, match.end, OFFSET_NONE);

            scan->lines.selected_end = end != OFFSET_NONE ? end + 1 : OFFSET_NONE / 4;
        }
        scan->stop = found;
        if (found)
            scan->job->groups = GROUPS_PRINTED; /* as in grep, although nothing was printed */
        return status;
    }
    if (library_counts(scan)) {
        struct trawl_answer lines = TRAWL_ANSWER(TRAWL_COUNT_LINES);

        if (scan->lines.left == 0)
            return TRAWL_OK;
        lines.invert = scan->settings->invert;
        lines.lines_max = scan->lines.left;
        status = trawl_ask(searcher, scan->plan, scan->text, &lines, error);
        scan->lines.selected = lines.count;
        return status;
    }
    if (is_unaware_of_nulls(scan->settings) && (!scan->rules.seekable || scan->nulls.seen) &&
        !plan_any_position(scan))
        return TRAWL_MEMORY;
    status = search_file_windows(scan, error);
    if (status == TRAWL_OK && scan->part.units_begin > 0) {
        status = scan->job->search_units(scan, error);
        if (status == TRAWL_OK && !scan->stop)
            status = search_file_windows(scan, error);
    }
    if (status == TRAWL_OK && scan->stop && scan->nulls.watched && !scan->nulls.seen &&
        scan->rules.seekable)
        binary_look_ahead(scan);
    if (status == TRAWL_OK && scan->rerun) {
        if (is_unaware_of_nulls(scan->settings) && !plan_any_position(scan))
            return TRAWL_MEMORY;
        scan_again(scan);
        status = search_file_windows(scan, error);
    }
    return status;
}

#define NONE_report NULL
const struct report report_table[] = {
#define REPORT(id, options, asked, finds, text, prints, search, sequences, by_line, inverted, \
               json, limited, joined)                                                         \
    {options,         FINDS_##finds,      TEXT_##text,      PRINTS_##prints,                  \
     search##_report, sequences##_report, by_line##_report, REPORT_##inverted,                \
     REPORT_##json,   LIMITED_##limited,  JOINED_##joined},
#include "trawl/options/reports.def"
#undef REPORT
};
#undef NONE_report

/* Searches the text as the report's row in reports.def says. */
static enum trawl_status scan_report(struct text_scan *scan, struct trawl_error *error)
{
    const struct report *report = scan->settings->report;
    enum trawl_status status = TRAWL_OK;

    if (scan->lines.left == 0 || scan->stop)
        return TRAWL_OK;
    if (scan->job->patterns->crosses || (scan->settings->wild && report->prints == PRINTS_OFFSETS))
        status = hold_whole(scan, error);
    else if (scan->job->patterns->check.wide)
        status = hold_around(scan, error);
    if (status != TRAWL_OK || scan->stop)
        return status;
    if (scan->settings->fasta)
        return report->sequences(scan, error);
    status = (scan->rules.counts_spans ? report->by_line : report->search)(scan, error);
    if (scan->status == TRAWL_OK)
        return status == TRAWL_STOPPED ? TRAWL_OK : status;
    *error = scan->error;
    return scan->status;
}

/* For tg: prints, after the lines of a binary file, ripgrep's message that a part of it is not
 * shown. If the file was skipped, prints a message about that with --debug. */
static void report_binary(struct command_job *job, struct text_scan *scan, bool is_binary)
{
    const char *what = is_binary ? "binary file matches" : NULL;

    if (!scan->nulls.seen)
        return;
    if (!is_binary && scan->binary_files == BINARY_FILES_WITHOUT_MATCH) {
        if (scan->lines.selected > 0)
            what = "WARNING: stopped searching binary file after match";
        else if (job->settings->files.debug)
            job_message(job,
                        "%s: skipped: binary file (found \"\\0\" byte around offset %" PRIu64 ")",
                        scan->name, binary_offset(scan));
    }
    if (what == NULL || job->settings->report->prints != PRINTS_TEXT)
        return;
    if (job->show_names > 0) {
        print_name(scan);
        output_text(job->output, ": ");
    }
    output_format(job->output, "%s (found \"\\0\" byte around offset %" PRIu64 ")\n", what,
                  binary_offset(scan));
}

/* tg: returns true if a report without lines skips a binary file, because it came from a directory.
 */
static bool is_left_out(struct command_job *job, struct text_scan *scan)
{
    const struct settings *settings = job->settings;

    if (settings->report->prints == PRINTS_TEXT || settings->null_data ||
        scan->binary_files != BINARY_FILES_WITHOUT_MATCH)
        return false;
    if (settings->report->text == TEXT_BYTES && scan->lines.selected > 0)
        binary_look(scan);
    return scan->nulls.seen;
}

static void report_count(struct command_job *job, struct text_scan *scan)
{
    const bool spans =
        scan->rules.counts_spans && (job->lines_meet == NULL || job->settings->is_tg);

    if (job->show_names > 0) {
        print_name(scan);
        if (job->settings->heads.null_after_name)
            output_byte(job->output, '\0');
        else
            print_separator(scan, ':');
    }
    output_number(job->output, spans ? scan->lines.spans : scan->lines.selected, 0);
    print_terminator(job->output, job->settings, '\n');
}

/* --max-total: limits what a searched file reports. */
static void limit_to_total(struct text_scan *scan)
{
    if (scan->lines.asks_total && scan->lines.selected > 0 && !scan->settings->quiet)
        (void)scan_ask_total(scan, NULL);
    if (scan->lines.selected > scan->lines.max)
        scan->lines.selected = scan->lines.max;
}

/* Prints the rest of a file's report, once it has been searched as far as needed. */
static void report_file(struct command_job *job, struct text_scan *scan)
{
    const struct settings *settings = job->settings;
    bool prints_lines = settings->report->prints == PRINTS_TEXT;
    bool left_out = settings->is_tg && is_left_out(job, scan), selected = scan->lines.selected > 0;
    /* as in ripgrep, tg --files-without-match succeeds if a file has no match */
    bool succeeds =
        !left_out && selected != (settings->is_tg && settings->list == LIST_WITHOUT_MATCH);
    bool is_binary = prints_lines && scan->binary_files == BINARY_FILES_BINARY &&
                     (scan->encoding_error ||
                      (scan->nulls.seen && scan->lines.selected > scan->nulls.selected_before));

    job->totals.sums.binary_count += left_out || (!selected && scan->nulls.seen &&
                                                  scan->binary_files == BINARY_FILES_WITHOUT_MATCH);
    if (settings->json && prints_lines)
        json_end(scan, is_binary);
    else if (settings->is_tg)
        report_binary(job, scan, is_binary);
    else if (is_binary)
        job_message(job, "%s: binary file matches", scan->name);
    if (settings->report->prints == PRINTS_COUNT && !left_out &&
        (selected || !settings->is_tg || settings->include_zero))
        report_count(job, scan);
    if (settings->report->prints == PRINTS_NAME && !left_out &&
        selected == (settings->list == LIST_WITH_MATCHES))
        print_name_end(scan, '\n');
    output_commit(job->output);
    if (settings->writes_lines)
        output_flush(job->output);
    job->selected = job->selected || succeeds;
    if (succeeds && settings->stop_at_first_file)
        job->done = true;
}

void search_file_pass_over(struct command_job *job, const char *name)
{
    struct text_scan scan = {
        .job = job, .settings = job->settings, .output = job->output, .name = name};

    if (job->settings->report->prints == PRINTS_TEXT)
        return;
    report_file(job, &scan);
    scan_free(&scan);
}

void search_file_name(struct command_job *job, const char *name)
{
    struct text_scan scan = {
        .job = job, .settings = job->settings, .output = job->output, .name = name};

    print_name(&scan);
    output_byte(job->output, job->settings->heads.null_after_name ? '\0' : '\n');
    scan_free(&scan);
}

/* Reads standard input to its end, so that the writer of a pipe gets no SIGPIPE. */
static bool drain_input(void)
{
    char bytes[32u << 10];
    ssize_t got;

    do
        got = read(STDIN_FILENO, bytes, sizeof bytes);
    while (got > 0 || (got < 0 && errno == EINTR));
    return got == 0;
}

/* Leaves standard input where grep leaves it: with -m, after the last selected line; with -q, or if
 * only the name was wanted, where grep's buffer ended; otherwise at the end. */
static void leave_input(struct text_scan *scan, const struct stat *status, off_t begin)
{
    const struct settings *settings = scan->settings;
    bool is_quick = settings->report->prints == PRINTS_NAME ||
                    (settings->stop_at_first_file && scan->lines.selected > 0);
    uint64_t last = scan->nulls.seen && scan->nulls.offset >= scan->lines.selected_end
                        ? scan->nulls.offset + 1
                        : scan->lines.selected_end;
    off_t end = (off_t)((last + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES);

    if (S_ISREG(status->st_mode) && begin >= 0) {
        if (!scan->rules.seekable) /* compressed: the offset in the file is unknown */
            (void)lseek(STDIN_FILENO, 0, SEEK_END);
        else if (scan->lines.left == 0 && !is_quick)
            (void)lseek(STDIN_FILENO, begin + (off_t)scan->lines.selected_end, SEEK_SET);
        else if (is_quick && scan->stop && begin + end < status->st_size)
            (void)lseek(STDIN_FILENO, begin + end, SEEK_SET);
        else if (lseek(STDIN_FILENO, 0, SEEK_END) < begin) /* the search began after the end */
            (void)lseek(STDIN_FILENO, begin, SEEK_SET);
    } else if (scan->stop && scan->lines.left > 0 && !is_quick &&
               settings->report->text == TEXT_LINES && lseek(STDIN_FILENO, 0, SEEK_END) < 0 &&
               errno != EINVAL && !drain_input()) {
        job_file_error(scan->job, scan->name, errno);
    }
}

/* Prints the message of a failed call. After errors of opening, reading and decompressing, lines
 * with too much work for PCRE2, and texts too large for --multiline, the job continues; other
 * errors end it. */
static void report_fault(struct command_job *job, const char *name, enum trawl_status status,
                         const struct trawl_error *error)
{
    const struct guard *guard = job->settings->guard;
    int refusal = guard != NULL ? atomic_load(&guard->refusal) : GUARD_NONE;

    if ((status == TRAWL_READ || status == TRAWL_OPEN) && error->os_code != 0) {
        job_file_error(job, name, error->os_code);
        return;
    }
    job->totals.sums.failed_count++;
    if (status == TRAWL_READ || (status == TRAWL_UNSUPPORTED && job->settings->search_zip)) {
        if (!job->settings->no_messages)
            job_message(job, "%s", error->message); /* the message names the file */
        job->error_seen = true;
        return;
    }
    if (status == TRAWL_MEMORY && refusal != GUARD_NONE && refusal != GUARD_SHORT)
        job_message(
            job,
            "%s: a line with its occurrences needs more memory than a request may take: see "
            "--max-memory and --request-memory",
            name);
    else if (status == TRAWL_MEMORY)
        job_fail(job, MESSAGE_EXHAUSTED);
    else
        job_message(job, "%s: %s", name, error->message);
    job->error_seen = true;
    /* A limit may be too low for this file only: of PCRE2's work for a line, or of memory for a
     * whole text (--multiline). Then the job continues with the next file. */
    job->done = status != TRAWL_LIMIT ||
                ((job->patterns->options.flags & TRAWL_PCRE) == 0 && !job->patterns->crosses);
}

/* --multiline: returns true if the file is mapped as one text. A short file is read, except with
 * --mmap. */
static bool maps_whole(const struct command_job *job, const struct open_file *file, off_t begin)
{
    const uint64_t bytes = (uint64_t)file->status->st_size;

    return begin == 0 && !file->may_be_compressed && S_ISREG(file->status->st_mode) &&
           bytes <= TEXT_BYTES_MAX &&
           bytes >= (job->settings->search.map == TRAWL_MAP_ALWAYS ? 1 : MAP_BYTES) &&
           job->settings->search.map != TRAWL_MAP_NEVER;
}

static enum trawl_status text_open(const struct open_file *file, bool maps,
                                   struct trawl_text **text, struct trawl_error *error)
{
    if (file->bytes != NULL)
        return open_memory(file->bytes, file->bytes_count, text, error);
    bus_install_handler();
    return open_descriptor(file->descriptor, file->name,
                           (file->may_be_compressed ? TRAWL_TEXT_UNPACK : 0u) |
                               (maps ? TRAWL_TEXT_MAP : 0u),
                           text, error);
}

void search_file(struct command_job *job, const struct open_file *file)
{
    struct trawl_text_told told = {.size = sizeof told};
    struct trawl_text *text = NULL;
    struct trawl_error error = {0};
    struct progress_entry progress;
    struct text_scan scan;
    bool is_input = file->descriptor == STDIN_FILENO;
    bool fasta = job->settings->fasta, is_mapped, at_end;
    off_t begin = is_input ? lseek(file->descriptor, 0, SEEK_CUR) : 0;
    enum trawl_status status;

    if (search_file_is_output(job->settings, file->status, file->is_operand)) {
        if (job->settings->is_tg && !file->is_operand)
            return; /* as ripgrep skips the file */
        if (!job->settings->no_messages)
            job_message(job, "%s: input file is also the output", file->name);
        job->error_seen = true;
        return;
    }
    if (S_ISDIR(file->status->st_mode)) { /* counts as an empty file in reports and statistics */
        job_file_error(job, file->name, EISDIR);
        if (!job->done)
            search_file_pass_over(job, file->name);
        job->totals.sums.file_count++;
        job->totals.sums.json.searches++;
        return;
    }
    is_mapped = job->patterns->crosses && maps_whole(job, file, begin);
    status = text_open(file, is_mapped, &text, &error);
    if (status != TRAWL_OK) {
        report_fault(job, file->name, status, &error);
        return;
    }
    text_scan_begin(&scan, job, text, file);
    if (!fasta) /* fasta.c reports its own progress */
        progress_enter(&progress, job->searcher);
    if ((job->settings->report->limited == LIMITED_LATE && !fasta && !scan.rules.counts_spans) ||
        scan_ask_total(&scan, NULL))
        status = scan_report(&scan, &error);
    limit_to_total(&scan);
    if (!fasta) {
        progress_leave(&progress, trawl_searcher_progress(job->searcher));
        job->searched_bytes += trawl_searcher_progress(job->searcher);
    }
    if (status != TRAWL_OK && (status != TRAWL_STOPPED || !guard_is_over(job->settings->guard)))
        report_fault(job, file->name, status, &error);
    at_end = status == TRAWL_OK && !scan.stop &&
             (job->settings->passthru || scan.lines.selected < scan.lines.max);
    if (file->pre != NULL && (at_end || job->settings->quiet) &&
        !pre_end(file->pre, job, file->name, at_end))
        output_commit(job->output); /* as in ripgrep, without a count or another end of a report */
    else if (!job->done && !(status == TRAWL_LIMIT && job->settings->list == LIST_WITHOUT_MATCH))
        report_file(job, &scan); /* -L: whether an undecided line matches is unknown */
    if (is_input)
        leave_input(&scan, file->status, begin);
    job->totals.sums.file_count++;
    job->totals.sums.selected_count += scan.lines.selected;
    if (!scan.lines.asks_total && job->settings->max_total < UINT64_MAX &&
        pool_total_left(job) == 0)
        job->done = job->truncated = true;
    if (job->settings->stats && !fasta) /* fasta.c adds its searches itself */
        totals_add_stats(job, file->name, 0);
    scan_free(&scan);
    if (is_mapped && trawl_text_tell(text, &told, NULL) == TRAWL_OK && told.is_cut) {
        job_message(job, "%s: the file became shorter during the search", file->name);
        job->error_seen = true;
    }
    trawl_text_close(text);
}
