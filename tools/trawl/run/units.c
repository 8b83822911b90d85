/* units: several threads search and print the rest of a large file of which many lines are
 * printed. */
#include "trawl/run/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trawl/print/count.h"
#include "trawl/job/progress.h"
#include "trawl/job/searchers.h"
#include "trawl/run/pool.h"
#include "trawl/run/pool_turns.h"
#include "trawl/run/search_file.h"
#include "trawl/text/sizes.h"
#include "trawl/job/totals.h"
#include "trawl/text/calls.h"
#include "trawl/options/settings.h"

/* A unit's text and output stay in the cache of a core. Smaller texts are not worth threads. */
#define UNIT_BYTES SIZE_OR_SMALL(4 * BLOCK_BYTES, UINT64_C(100))
#define CONTEXT_LINES_MAX 100                                           /* -A and -B together */
#define CONTEXT_BYTES SIZE_OR_SMALL(UINT64_C(64) << 10, UINT64_C(1000)) /* and the lines' bytes */
#define CUT_SIZES 4096u, 16u /* bytes of a read that looks for a line end */
#define CUT_BYTES SIZE_OR_SMALL(CUT_SIZES)

struct units {
    struct pool_source source; /* first, because the pool passes it to next_unit, search_unit */
    struct text_scan *scan;    /* the search of the file */
    struct command_job job;    /* the pool's job; its totals are those of the units */
    uint64_t unit_bytes;
    uint64_t next;        /* text offset of the next unit; under the pool's walk_lock */
    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t counted;
    uint64_t counted_end, line_ends; /* line ends before text offset counted_end */
    uint64_t end, line_ends_before;  /* where the units end; line ends before it */
    bool encoding_error;
    enum trawl_status status;
    struct trawl_error error;
};

/* Returns the size of a unit, small enough that its output rarely reaches OUTPUT_KEPT_MAX. */
static uint64_t unit_bytes(const struct settings *settings)
{
    const bool is_long = settings->json || settings->style.vimgrep || settings->colors.on;
    const uint64_t max = is_long ? UNIT_BYTES / 4 : UNIT_BYTES;
    const uint64_t chunk = settings->search.chunk_bytes;

    return chunk > 0 && chunk < max ? chunk : max;
}

/* Returns how many earlier lines affect how a line is printed. A separator (`--`) precedes the
 * leading context of a selected line unless the trailing context of an earlier one reaches it, so
 * these are before + after + 1 lines. */
static uint64_t context_lines(const struct settings *settings)
{
    const int64_t before = settings->before_count, after = settings->after_count;

    return settings_have_context(settings)
               ? (uint64_t)(before > 0 ? before : 0) + (uint64_t)(after > 0 ? after : 0) + 1
               : 0;
}

bool units_fit(const struct command_job *job)
{
    const struct settings *settings = job->settings;

    return settings->report->prints == PRINTS_TEXT && !settings->diff && !job->patterns->crosses &&
           job->supply == NULL && settings->guard == NULL && !settings->writes_lines &&
           !settings->hex && !settings->fasta && !settings->approximate &&
           context_lines(settings) <= CONTEXT_LINES_MAX + 1 && settings->max_count == UINT64_MAX &&
           !settings->stop_on_nonmatch && settings->function == FUNCTION_NONE &&
           settings->search.algorithm == NULL &&
           searchers_engine(settings, job->patterns) != TRAWL_ENGINE_CUDA &&
           searchers_threads(settings) > 1;
}

/* Returns the last line end in [begin, end]; `begin` if there is none, or if the text ends before
 * `end`. */
static uint64_t cut(const struct text_scan *scan, uint64_t begin, uint64_t end)
{
    uint8_t bytes[SIZE_ROOM(CUT_SIZES)];
    const uint8_t *found = NULL;

    while (found == NULL && end > begin) {
        const uint64_t count = end - begin < CUT_BYTES ? end - begin : CUT_BYTES;
        uint64_t got = 0;

        end -= count;
        if (trawl_text_read(scan->text, end, bytes, count, &got, NULL) != TRAWL_OK || got < count)
            return begin;
        found = memrchr(bytes, scan->settings->line_end, (size_t)count);
    }
    return found != NULL ? end + (uint64_t)(found - bytes) + 1 : begin;
}

/* Returns where the lines of context_lines before the line at `begin` begin; `begin` if they cannot
 * be read, or if one of them has more than `max` bytes. */
static uint64_t context_begin(const struct text_scan *scan, uint64_t begin, uint64_t max)
{
    uint64_t lines = context_lines(scan->settings);
    uint64_t at = begin;

    while (lines-- > 0 && at > 0) {
        const uint64_t from = at - 1 > max ? at - 1 - max : 0;
        const uint64_t end = cut(scan, from, at - 1);

        if (end == from && from > 0)
            return begin;
        at = end;
    }
    return at;
}

static int discard_frame(void *context, enum output_frame frame, const void *bytes,
                         size_t bytes_count)
{
    (void)context, (void)frame, (void)bytes, (void)bytes_count;
    return 0;
}

/* Searches the scan's next `count` bytes without printing them, so that later lines are printed as
 * if these had been. */
static enum trawl_status search_context(struct text_scan *scan, const uint8_t *bytes,
                                        uint64_t count, struct trawl_error *error)
{
    const struct nulls nulls = scan->nulls;
    const struct json_state json = scan->json;
    const uint64_t line_ends =
        scan->counting.line_ends + count_byte(bytes, count, scan->settings->line_end);
    struct output *const shown = scan->output, *const hidden = malloc(sizeof *hidden);
    enum trawl_status status;

    if (hidden == NULL)
        return TRAWL_MEMORY;
    output_open(hidden, -1);
    hidden->sink = discard_frame;
    scan->output = hidden;
    scan->nulls = (struct nulls){.block_end = OFFSET_NONE};
    status = open_memory(bytes, count, &scan->part.text, error);
    if (status == TRAWL_OK)
        status = search_file_windows(scan, error);
    trawl_text_close(scan->part.text);
    scan->part.text = NULL;
    scan->part.begin += count;
    scan->counting.end = scan->part.begin;
    scan->counting.line_ends = line_ends;
    scan->output = shown;
    scan->nulls = nulls;
    scan->json = json;
    output_close(hidden);
    free(hidden);
    return status;
}

static bool next_unit(struct pool_source *source, struct walk_item *item)
{
    struct units *units = (struct units *)source;
    const uint64_t begin = units->next, blocks = units->unit_bytes / BLOCK_BYTES;
    /* The lines end with a block, so that none of it needs reading to look for a NUL. */
    const uint64_t end =
        blocks == 0 ? begin + units->unit_bytes
                    : (begin + BLOCK_BYTES / 2) / BLOCK_BYTES * BLOCK_BYTES + blocks * BLOCK_BYTES;

    units->next = cut(units->scan, begin, end);
    *item = (struct walk_item){.kind = WALK_FILE,
                               .name = units->scan->name,
                               .is_operand = true,
                               .begin = begin,
                               .end = units->next};
    return units->next > begin;
}

/* Makes the units end at `begin`, the start of one of them, unless they already end earlier. */
static void end_units(struct units *units, uint64_t begin, uint64_t line_ends)
{
    pthread_mutex_lock(&units->lock);
    if (begin < units->end) {
        units->end = begin;
        units->line_ends_before = line_ends;
    }
    pthread_mutex_unlock(&units->lock);
}

/* Waits until all earlier units are counted. Returns the number of line ends before this unit,
 * which has `own` line ends; 0 if lines are not numbered. */
static uint64_t count_unit(struct units *units, const struct walk_item *item, uint64_t own)
{
    uint64_t before;

    if (!units->scan->settings->heads.line_number)
        return 0;
    pthread_mutex_lock(&units->lock);
    while (units->counted_end != item->begin)
        pthread_cond_wait(&units->counted, &units->lock);
    before = units->line_ends;
    units->line_ends += own;
    units->counted_end = item->end;
    pthread_cond_broadcast(&units->counted);
    pthread_mutex_unlock(&units->lock);
    return before;
}

/* Reads the unit, its context from `from`, and the rest of the block in which it ends. Returns
 * false if units cannot handle these lines: there is a NUL, or the text has become shorter. */
static bool read_unit(const struct text_scan *scan, const struct walk_item *item, uint64_t from,
                      uint8_t *bytes)
{
    const uint64_t blocks = (item->end + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    const uint64_t end = scan->nulls.watched ? blocks : item->end;
    uint64_t got = 0;

    return bytes != NULL && item->begin - from <= CONTEXT_BYTES &&
           (from < item->begin || !settings_have_context(scan->settings)) &&
           trawl_text_read(scan->text, from, bytes, end - from, &got, NULL) == TRAWL_OK &&
           got >= item->end - from &&
           (!scan->nulls.watched || memchr(bytes, '\0', (size_t)got) == NULL);
}

/* Returns the scan of a unit. */
static struct text_scan begin_scan(struct pool_worker *worker, const struct text_scan *scan,
                                   uint64_t begin, uint64_t line_ends)
{
    worker->job->output->holds = false;
    worker->job->groups = GROUPS_PRINTED;
    return (struct text_scan){
        .job = worker->job,
        .settings = scan->settings,
        .output = worker->job->output,
        .text = scan->text,
        .part = {.begin = begin},
        .plan = scan->plan,
        .name = scan->name,
        .descriptor = -1,
        .binary_files = scan->binary_files,
        .rules = scan->rules,
        .carry = {.begin = begin, .line_begin = begin, .keeps_bytes = scan->carry.keeps_bytes},
        .counting = {.end = begin,
                     .line_ends = line_ends,
                     .line_end = scan->counting.line_end,
                     .counts = true},
        .lines = {.left = UINT64_MAX, .printed_end = OFFSET_NONE},
        .nulls = {.block_end = OFFSET_NONE},
        .shown = {.distance = DISTANCE_NONE},
        .json = {.begun = true},
        .style = {.heading_shown = true}};
}

/* Adds what the unit's scan has counted to the worker's job. */
static void end_scan(struct pool_worker *worker, struct text_scan *scan, enum trawl_status status,
                     const struct trawl_error *error)
{
    struct units *units = (struct units *)worker->pool->source;
    struct job_sums *sums = &worker->job->totals.sums;

    sums->selected_count += scan->lines.selected;
    sums->json.bytes_printed += scan->json.bytes;
    sums->json.lines += scan->json.lines;
    sums->json.matches += scan->json.matches;
    worker->job->selected |= scan->lines.selected > 0;
    if (scan->settings->stats)
        totals_add_stats(worker->job, scan->name, scan->part.begin);
    pthread_mutex_lock(&units->lock);
    units->encoding_error |= scan->encoding_error;
    if (status == TRAWL_OK && scan->status != TRAWL_OK) {
        status = scan->status;
        error = &scan->error;
    }
    if (status != TRAWL_OK && units->status == TRAWL_OK) {
        units->status = status;
        units->error = *error;
    }
    worker->job->done = status != TRAWL_OK;
    pthread_mutex_unlock(&units->lock);
    output_commit(scan->output);
    scan_free(scan);
}

static void search_unit(struct pool_source *source, struct pool_worker *worker,
                        const struct walk_item *item, bool is_over)
{
    struct units *units = (struct units *)source;
    const struct text_scan *whole = units->scan;
    const uint64_t count = item->end - item->begin,
                   from = context_begin(whole, item->begin, CONTEXT_BYTES);
    const uint8_t line_end = whole->settings->line_end;
    uint8_t *bytes;
    struct text_scan scan;
    struct trawl_error error = {0};
    enum trawl_status status;
    uint64_t own, line_ends, selected;
    bool good;

    if (is_over) { /* later units wait for this one's count */
        (void)count_unit(units, item, 0);
        return;
    }
    if (worker->gather.bytes == NULL)
        worker->gather.bytes = malloc(CONTEXT_BYTES + units->unit_bytes + BLOCK_BYTES);
    bytes = worker->gather.bytes;
    good = read_unit(whole, item, from, bytes);
    own = good && whole->settings->heads.line_number
              ? count_byte(bytes + (item->begin - from), count, line_end)
              : 0;
    line_ends = count_unit(units, item, own);
    if (!good) {
        end_units(units, item->begin, line_ends);
        worker->job->done = true;
        return;
    }
    scan = begin_scan(worker, whole, from,
                      line_ends - count_byte(bytes, item->begin - from, line_end));
    status =
        from == item->begin ? TRAWL_OK : search_context(&scan, bytes, item->begin - from, &error);
    bytes += item->begin - from;
    selected = scan.lines.selected; /* lines before the unit */
    if (status == TRAWL_OK)
        status = open_memory(bytes, count, &scan.part.text, &error);
    if (status == TRAWL_OK)
        status = search_file_windows(&scan, &error);
    scan.lines.selected -= selected;
    worker->job->searched_bytes += count;
    progress_add(0, count);
    end_scan(worker, &scan, status, &error);
}

/* Opens the rest of the text, from text offset `begin`, as the scan's part. */
static enum trawl_status open_rest(struct text_scan *scan, uint64_t begin,
                                   struct trawl_error *error)
{
    const off_t at = lseek(scan->descriptor, 0, SEEK_CUR);
    enum trawl_status status = TRAWL_READ;

    if (at < 0 || lseek(scan->descriptor, at + (off_t)begin, SEEK_SET) < 0)
        error->os_code = errno;
    else
        status = open_descriptor(scan->descriptor, scan->name, 0, &scan->part.text, error);
    if (at >= 0 && (status != TRAWL_OK || describe_text(scan->part.text).is_seekable))
        (void)lseek(scan->descriptor, at, SEEK_SET);
    return status;
}

/* Makes the scan continue at the line that begins at text offset `begin`. */
static void begin_rest(struct text_scan *scan, uint64_t begin, uint64_t line_ends)
{
    scan->part.begin = begin;
    scan->carry.begin = scan->carry.line_begin = begin;
    scan->carry.count = scan->carry.match_count = 0;
    scan->carry.dropped = false;
    scan->counting.end = begin;
    scan->counting.line_ends = line_ends;
    scan->lines.selected_end = scan->lines.scanned_end = begin;
    scan->lines.printed_end = OFFSET_NONE;
    scan->lines.pending = 0;
    scan->occurrences.line_end = scan->occurrences.end = begin;
    scan->characters.line_end = scan->characters.tail_count = 0;
}

/* Searches the lines before text offset `begin` that affect how the lines after it are printed. */
static enum trawl_status rest_context(struct text_scan *scan, uint64_t begin,
                                      struct trawl_error *error)
{
    const uint64_t from = context_begin(scan, begin, UINT64_MAX), count = begin - from;
    uint8_t *bytes = malloc((size_t)count + 1);
    const uint64_t selected = scan->lines.selected;
    uint64_t got = 0;
    enum trawl_status status = TRAWL_MEMORY;

    if (bytes != NULL && count > 0)
        status = trawl_text_read(scan->text, from, bytes, count, &got, error);
    if (status == TRAWL_OK && got == count) {
        begin_rest(scan, from,
                   scan->counting.line_ends - count_byte(bytes, count, scan->settings->line_end));
        status = search_context(scan, bytes, count, error);
        scan->lines.selected = selected;
    }
    free(bytes);
    return bytes != NULL && count == 0 ? TRAWL_OK : status;
}

/* Adds what the units have printed to the scan, which continues where they end. */
static enum trawl_status continue_after_units(struct text_scan *scan, const struct units *units,
                                              struct trawl_error *error)
{
    struct command_job *job = scan->job;
    struct job_totals totals = units->job.totals;
    enum trawl_status status;

    scan->lines.selected += totals.sums.selected_count;
    scan->json.bytes += totals.sums.json.bytes_printed;
    scan->json.lines += totals.sums.json.lines;
    scan->json.matches += totals.sums.json.matches;
    scan->encoding_error |= units->encoding_error;
    totals.sums.selected_count = 0;
    memset(&totals.sums.json, 0, sizeof totals.sums.json);
    totals_add(&job->totals, &totals);
    job->searched_bytes += units->end;
    job->error_seen |= units->job.error_seen;
    begin_rest(scan, units->end, units->line_ends_before);
    scan->stop = scan->output->error != 0;
    *error = units->error;
    if (units->status != TRAWL_OK || scan->stop)
        return units->status;
    status = rest_context(scan, units->end, error);
    return status != TRAWL_OK ? status : open_rest(scan, units->end, error);
}

enum trawl_status units_search(struct text_scan *scan, struct trawl_error *error)
{
    struct units units = {.source = {next_unit, search_unit},
                          .scan = scan,
                          .job = *scan->job,
                          .unit_bytes = unit_bytes(scan->settings),
                          .next = scan->part.units_begin,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .counted = PTHREAD_COND_INITIALIZER,
                          .counted_end = scan->part.units_begin,
                          .line_ends = scan->counting.line_ends,
                          .end = UINT64_MAX};
    char message[SETTINGS_ERROR_BYTES];

    if (scan->settings->stats) {
        struct job_sums *sums = &scan->job->totals.sums;
        const uint64_t text_bytes = sums->text_bytes;

        totals_add_stats(scan->job, scan->name, 0);
        sums->text_bytes = text_bytes + scan->part.units_begin;
        sums->match_count -= scan->part.matches_left;
    }
    scan->part.is_last = true;
    scan->part.units_begin = 0;
    output_commit(scan->output);
    scan->output->holds = false;
    units.job.worker = NULL;
    units.job.search_units = NULL;
    units.job.searcher = NULL;
    units.job.line_search = NULL;
    units.job.runtime = NULL;
    memset(&units.job.totals, 0, sizeof units.job.totals);
    (void)pool_walk(&units.job, NULL, 0, &units.source,
                    message); /* without memory, no unit is searched */
    end_units(&units, units.next, units.line_ends);
    return continue_after_units(scan, &units, error);
}
