/* text_scan: which rules hold for the search of a file. Each rule is a function that says why. */
#include "trawl/run/text_scan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "trawl/print/binary.h"
#include "trawl/print/json.h"
#include "trawl/text/sizes.h"
#include "trawl/text/calls.h"

/* Digits of INT64_MAX: the width that grep uses where a file's size is unknown. */
#define NUMBER_WIDTH_UNKNOWN 19

/* Returns the width of numbers under -T, as grep computes it: the digits of the file's size or,
 * with -n, of size + 1. */
static unsigned number_width(const struct command_job *job, const struct stat *status,
                             bool seekable)
{
    uint64_t largest = (uint64_t)status->st_size;
    unsigned width = 0;

    if (!S_ISREG(status->st_mode) || !seekable)
        return NUMBER_WIDTH_UNKNOWN;
    largest += job->settings->heads.line_number;
    do {
        width++;
        largest /= 10;
    } while (largest > 0);
    return width;
}

/* Finds a hole, which reads as NULs, in a regular file. grep looks for holes before it reads the
 * file; ripgrep, and so tg, does not. *at: offset of the hole in the text. */
static bool has_hole(struct command_job *job, const struct open_file *file, uint64_t *at)
{
    const struct stat *status = file->status;
    off_t here, hole;

    here = file->bytes != NULL ? 0 : lseek(file->descriptor, 0, SEEK_CUR);
    if (here < 0)
        return false;
    hole = lseek(file->descriptor, here, SEEK_HOLE);
    if (file->bytes == NULL && lseek(file->descriptor, here, SEEK_SET) != here)
        job_file_error(job, file->name, errno); /* units and leave_input begin there */
    *at = (uint64_t)(hole - here);
    return hole >= 0 && hole < status->st_size;
}

/* --multiline: points scan->whole to the text's bytes, if they are all in memory. */
static void scan_whole(struct text_scan *scan)
{
    struct trawl_text_told told = {.size = sizeof told};

    if (trawl_text_tell(scan->text, &told, NULL) == TRAWL_OK && told.bytes != NULL) {
        scan->whole.bytes = told.bytes;
        scan->whole.count = told.text_bytes;
    }
}

/* tg skips only the binary files of directories; one that is named is searched up to its NUL. */
static enum binary_files binary_rule(const struct settings *settings, const struct open_file *file)
{
    const enum binary_files rule = settings->binary_files;

    return settings->is_tg && file->is_operand && rule == BINARY_FILES_WITHOUT_MATCH
               ? BINARY_FILES_BINARY
               : rule;
}

/* Returns true if the report is a number to which each selected line adds its matches, because the
 * library's count would be another one. */
static bool counts_spans(const struct command_job *job)
{
    const struct settings *settings = job->settings;
    const struct patterns *patterns = job->patterns;
    const bool counts =
        settings->report->prints == PRINTS_COUNT && settings->report->by_line != NULL;
    const bool counts_matches = counts && settings->report->finds == FINDS_MATCHES;
    const bool across_lines = patterns->crosses && counts && !settings->invert;
    /* --and, --andnot: the matches of lines that meet the conditions */
    const bool of_some_lines = counts_matches && job->lines_meet != NULL;
    /* tg counts empty matches, too, and only those of lines before the one that ends the search */
    const bool as_ripgrep =
        settings->is_tg && counts_matches &&
        (patterns->finds_empty || settings->stop_on_nonmatch || settings->max_count < UINT64_MAX);

    return across_lines || of_some_lines || as_ripgrep;
}

/* Returns true if a line may be selected or printed that no match of the library points to. */
static bool needs_every_line(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;

    return scan->job->patterns->has_empty || /* the library does not search for the empty string */
           (settings->passthru && !scan->quiet) || scan->rules.counts_spans ||
           settings->function != FUNCTION_NONE || /* each may be a heading */
           settings->stop_on_nonmatch || /* the line without a match that ends the search */
           (scan->job->lines_meet != NULL && settings->invert);
}

/* Returns true if a line must be in memory as a whole when its end comes: it is searched again. */
static bool needs_whole_lines(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;
    const struct patterns *patterns = scan->job->patterns;
    /* whether the empty string is a word of the line, or the line is empty but for a '\r' */
    const bool has_empty_to_check =
        patterns->has_empty && (settings->whole_lines ? settings->crlf : settings->words);
    /* for the groups of each match, and for its replacement in JSON */
    const bool replaces_by_line =
        settings->replace != NULL && (settings->expressions || settings->json);

    return has_empty_to_check || replaces_by_line || patterns->finds_empty ||
           settings->function != FUNCTION_NONE || scan->rules.counts_spans ||
           scan->job->lines_meet != NULL;
}

/* Returns true if a NUL changes what is printed or counted: it ends lines from then on, or lines
 * are not printed, or (-I) the file counts as one without a match. */
static bool watches_nulls(const struct text_scan *scan)
{
    const struct settings *settings = scan->settings;

    return settings->nuls.end_line ||
           (settings->nuls.is_binary &&
            (!scan->quiet || scan->binary_files == BINARY_FILES_WITHOUT_MATCH));
}

/* Sets what is true of the text, whatever the matches are. */
static void set_text_rules(struct text_scan *scan, const struct open_file *file)
{
    const bool in_memory = file->bytes != NULL;

    scan->descriptor = in_memory ? -1 : file->descriptor;
    scan->binary_files = binary_rule(scan->settings, file);
    scan->rules.seekable = in_memory || describe_text(scan->text).is_seekable;
    scan->rules.is_live = !scan->rules.seekable && !S_ISREG(file->status->st_mode);
    /* decompressed text is not seekable */
    scan->rules.unpacks = file->may_be_compressed && !in_memory && !scan->rules.seekable;
    /* a small file, and the text of --multiline, are searched by one thread */
    scan->counting.line_end = scan->settings->line_end;
    scan->counting.counts = in_memory || scan->job->patterns->crosses;
    if (scan->settings->heads.initial_tab)
        scan->rules.number_width = number_width(scan->job, file->status, scan->rules.seekable);
}

/* Checks whether a hole makes a file binary, as in grep, before the search. */
static void look_for_hole(struct text_scan *scan, const struct open_file *file)
{
    uint64_t hole;

    if (!scan->nulls.watched || !scan->rules.seekable || !S_ISREG(file->status->st_mode) ||
        file->status->st_size <= (off_t)BLOCK_BYTES || scan->settings->is_tg ||
        !has_hole(scan->job, file, &hole))
        return;
    scan->nulls.hole = hole;
    scan->nulls.offset = 0;
    binary_found(scan);
    scan->stop = scan->binary_files == BINARY_FILES_WITHOUT_MATCH;
    scan->rerun = false;
}

void text_scan_begin(struct text_scan *scan, struct command_job *job, struct trawl_text *text,
                     const struct open_file *file)
{
    const struct settings *settings = job->settings;

    memset(scan, 0, sizeof *scan);
    scan->job = job;
    scan->settings = settings;
    scan->output = job->output;
    scan->output->holds = false;
    scan->text = text;
    scan->plan = job->patterns->plan;
    scan->name = file->name;
    scan->lines.max = scan->lines.left = settings->max_count;
    scan->lines.asks_total = settings->max_total < UINT64_MAX;
    scan->lines.printed_end = OFFSET_NONE;
    scan->shown.distance = DISTANCE_NONE;
    scan->function.heading = OFFSET_NONE;
    scan->quiet = settings->report->prints != PRINTS_TEXT;
    set_text_rules(scan, file);
    if (job->patterns->crosses || job->patterns->check.wide)
        scan_whole(scan);
    scan->rules.stop_at_select = settings->report->finds == FINDS_FIRST;
    scan->rules.filters = job->patterns->check.any;
    scan->rules.counts_spans = counts_spans(job);
    scan->rules.every_line = needs_every_line(scan);
    scan->carry.keeps_bytes = needs_whole_lines(scan);
    scan->nulls.watched = watches_nulls(scan);
    /* a writer that pauses within a block must not delay lines that are to be written at once */
    scan->nulls.has_blocks = !scan->rules.is_live || !settings->writes_lines;
    scan->nulls.block_end =
        scan->nulls.watched && scan->nulls.has_blocks && !scan->quiet ? 0 : OFFSET_NONE;
    if (settings->json)
        json_open(scan);
    look_for_hole(scan, file);
}
