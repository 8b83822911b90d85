/* parts: prints the lines of a large window in several threads.
 *
 * The library searches in several threads, but gives the results to one thread. Where most lines
 * match, printing takes longer than searching. So a window is cut into parts at line ends. Each
 * part is printed by a thread into an output of its own, and the outputs are appended to the report
 * in order. A part whose output grows large waits until it is its turn, and then writes to the
 * report directly.
 */
#include "trawl/print/parts.h"

#include <stdlib.h>
#include <string.h>

#include "trawl/print/count.h"
#include "trawl/print/print.h"
#include "trawl/print/print_line.h"
#include "trawl/text/sizes.h"
#include "trawl/text/thread.h"

#define PARTS_MAX 32u
/* Printing a part with fewer matches, or under -v fewer bytes, takes less time than waking a
 * thread. */
#define PART_MATCHES SIZE_OR_SMALL(256u, 2u)
#define PART_BYTES SIZE_OR_SMALL(16u << 10, 64u)

struct part {
    struct parts *parts;
    uint32_t number;
    bool done, counted;
    /* number of line ends from the text's begin to the part's end, if the part is counted */
    uint64_t line_ends;
    struct view view;
    struct text_scan scan;
    struct command_job job; /* a copy of the scan's job */
    struct output output;
};

struct part_thread {
    struct thread thread;
    struct parts *parts;
};

struct parts {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct output *output; /* the report */
    parts_printer *printer;
    struct part *items;
    struct part_thread *threads;
    uint32_t most, thread_count;
    /* number of the window's parts; the next part to be begun, and the next to be appended */
    uint32_t count, next, turn;
    bool over;
};

/* Waits until all earlier parts are in the report. From then on this part's output goes to the
 * report at once. */
static void wait_turn(void *context)
{
    struct part *part = context;
    struct parts *parts = part->parts;

    pthread_mutex_lock(&parts->lock);
    while (parts->turn != part->number)
        pthread_cond_wait(&parts->changed, &parts->lock);
    pthread_mutex_unlock(&parts->lock);
    part->output.full = NULL;
    output_flush(parts->output);
    output_commit(&part->output);
}

/* Counts the part's lines. Then waits until the previous part is counted, and sets the number of
 * this part's first line. Is called with the lock held, and releases the lock while it counts. */
static void count_part(struct parts *parts, struct part *part)
{
    uint64_t own;

    if (!part->scan.settings->heads.line_number)
        return;
    pthread_mutex_unlock(&parts->lock);
    own = count_byte(part->view.bytes, part->view.count, part->scan.settings->line_end);
    pthread_mutex_lock(&parts->lock);
    while (part->number > 0 && !part[-1].counted)
        pthread_cond_wait(&parts->changed, &parts->lock);
    if (part->number > 0)
        part->scan.counting.line_ends = part[-1].line_ends;
    part->line_ends = part->scan.counting.line_ends + own;
    part->counted = true;
    pthread_cond_broadcast(&parts->changed);
}

/* Prints the next part. Is called with the lock held, and releases the lock while it prints. */
static void print_next(struct parts *parts)
{
    struct part *part = &parts->items[parts->next++];

    count_part(parts, part);
    pthread_mutex_unlock(&parts->lock);
    parts->printer(&part->scan, &part->view);
    pthread_mutex_lock(&parts->lock);
    part->done = true;
    pthread_cond_broadcast(&parts->changed);
}

static void *work(void *context)
{
    const struct part_thread *own = context;
    struct parts *parts = own->parts;

    thread_begins(&own->thread);
    pthread_mutex_lock(&parts->lock);
    while (!parts->over) {
        if (parts->next < parts->count)
            print_next(parts);
        else
            pthread_cond_wait(&parts->changed, &parts->lock);
    }
    pthread_mutex_unlock(&parts->lock);
    return NULL;
}

/* Starts the threads for this scan. Returns false if no thread could be started. */
static bool start(struct text_scan *scan, parts_printer *printer)
{
    const uint64_t wanted = scan->settings->search.threads;
    const uint32_t cores = wanted > 0 ? (uint32_t)wanted : thread_cores();
    struct parts *parts = calloc(1, sizeof *parts);

    if (parts == NULL)
        return false;
    scan->parts = parts;
    parts->most = cores < PARTS_MAX ? cores : PARTS_MAX;
    parts->printer = printer;
    parts->output = scan->output;
    (void)pthread_mutex_init(&parts->lock, NULL);
    (void)pthread_cond_init(&parts->changed, NULL);
    parts->items = calloc(parts->most, sizeof *parts->items);
    parts->threads = calloc(parts->most, sizeof *parts->threads);
    while (parts->items != NULL && parts->threads != NULL &&
           parts->thread_count + 1 < parts->most) {
        struct part_thread *own = &parts->threads[parts->thread_count];

        own->parts = parts;
        if (thread_start(&own->thread, work, own) != 0)
            break;
        parts->thread_count++;
    }
    parts->most = parts->thread_count > 0 ? parts->thread_count + 1 : 0;
    return parts->most > 0;
}

void parts_close(struct text_scan *scan)
{
    struct parts *parts = scan->parts;

    if (parts == NULL)
        return;
    pthread_mutex_lock(&parts->lock);
    parts->over = true;
    pthread_cond_broadcast(&parts->changed);
    pthread_mutex_unlock(&parts->lock);
    for (uint32_t i = 0; i < parts->thread_count; i++)
        pthread_join(parts->threads[i].thread.id, NULL);
    for (uint32_t i = 0; i < parts->most; i++)
        if (parts->items[i].parts != NULL) {
            scan_free(&parts->items[i].scan);
            output_close(&parts->items[i].output);
        }
    pthread_cond_destroy(&parts->changed);
    pthread_mutex_destroy(&parts->lock);
    free(parts->items);
    free(parts->threads);
    free(parts);
    scan->parts = NULL;
}

/* Returns the number of parts for the view. Returns 1, for example, if there are too few matches or
 * (with -v) bytes, if a line's output depends on other lines, or if lines must be written at once.
 * A file with a single window, as most files, starts no threads. */
static uint32_t part_count(struct text_scan *scan, const struct view *view, parts_printer *printer)
{
    const struct settings *settings = scan->settings;
    const struct command_job *job = scan->job;
    uint64_t most = view->match_count / PART_MATCHES;

    if (settings->invert && view->count / PART_BYTES > most)
        most = view->count / PART_BYTES;
    if (most < 2 || settings->search.threads == 1 || scan->is_part || scan->quiet ||
        scan->output->full != NULL || job->supply != NULL || settings->guard != NULL ||
        settings->writes_lines || settings->before_count >= 0 || settings->after_count >= 0 ||
        settings->max_count < UINT64_MAX || settings->stop_on_nonmatch || settings->passthru ||
        scan->whole.bytes != NULL || scan->nulls.seen || view->bytes == NULL ||
        (settings->json && !scan->json.begun) ||
        (settings->style.heading && !scan->style.heading_shown) ||
        (scan->parts == NULL ? view->begin == 0 || !start(scan, printer) : scan->parts->most == 0))
        return 1;
    return most < scan->parts->most ? (uint32_t)most : scan->parts->most;
}

/* Prepares a part for the lines [begin, end) of the view. */
static void part_begin(struct part *part, struct text_scan *scan, const struct view *view,
                       uint64_t begin, uint64_t end)
{
    const uint64_t first = print_first_match_at(view, view->begin + begin);
    const struct text_scan own = {.job = &part->job,
                                  .settings = scan->settings,
                                  .output = &part->output,
                                  .text = scan->text,
                                  .plan = scan->plan,
                                  .name = scan->name,
                                  .binary_files = scan->binary_files,
                                  .rules = scan->rules,
                                  .counting = {.end = view->begin + begin, .counts = true},
                                  .lines = {.left = UINT64_MAX, .printed_end = OFFSET_NONE},
                                  .nulls = {.block_end = OFFSET_NONE},
                                  .shown = {.distance = DISTANCE_NONE},
                                  .json = {.begun = true},
                                  .numbers = part->scan.numbers,
                                  .style = part->scan.style,
                                  .is_part = true};

    if (part->parts == NULL) {
        output_open(&part->output, -1);
        part->output.through = scan->output;
        part->output.full_context = part;
        part->parts = scan->parts;
    }
    part->number = (uint32_t)(part - scan->parts->items);
    part->done = part->counted = false;
    part->output.used = part->output.committed = 0;
    part->output.full = wait_turn;
    part->job = *scan->job;
    part->job.worker = NULL; /* the part's thread is not this worker, which has the turn to print */
    part->scan = own;
    part->scan.style.heading_shown = true;
    if (part->number == 0)
        part->scan.counting.line_ends = print_line_number(scan, view, begin) - 1;
    part->view = (struct view){view->bytes + begin,
                               view->begin + begin,
                               end - begin,
                               view->matches + first,
                               print_first_match_at(view, view->begin + end) - first,
                               false};
}

/* Appends the part's output to the report, and adds its counts. */
static void part_end(const struct part *part, struct text_scan *scan)
{
    const struct text_scan *own = &part->scan;

    output_bytes(scan->output, part->output.bytes, part->output.used);
    scan->lines.selected += own->lines.selected;
    scan->lines.left -= own->lines.selected;
    scan->json.bytes += own->json.bytes;
    scan->json.lines += own->json.lines;
    scan->json.matches += own->json.matches;
    scan->encoding_error |= own->encoding_error;
    if (own->lines.selected > 0) {
        scan->lines.selected_end = own->lines.selected_end;
        scan->job->groups = GROUPS_PRINTED;
    }
    if (own->lines.printed_end != OFFSET_NONE)
        scan->lines.printed_end = own->lines.printed_end;
    if (own->status != TRAWL_OK) {
        scan->error = own->error;
        scan_fail(scan, own->status);
    }
}

/* Returns the end of the lines that certainly are text. A NUL in the next window would make the
 * lines of its block binary, so the block at the view's end is not certain. */
static uint64_t known_end(const struct text_scan *scan, const struct view *view)
{
    const uint64_t past = view->begin + view->count, block = past / BLOCK_BYTES * BLOCK_BYTES;
    const uint8_t *last;

    if (scan->nulls.block_end == OFFSET_NONE)
        return view->count;
    last = block <= view->begin
               ? NULL
               : memrchr(view->bytes, scan->settings->line_end, (size_t)(block - view->begin));
    return last == NULL ? 0 : (uint64_t)(last - view->bytes) + 1;
}

uint64_t parts_print(struct text_scan *scan, const struct view *view, uint64_t at,
                     parts_printer *printer)
{
    const uint64_t limit = known_end(scan, view);
    const uint32_t wanted = limit > at ? part_count(scan, view, printer) : 1;
    struct parts *parts = scan->parts;
    uint32_t count = 0;

    if (wanted < 2)
        return at;
    output_commit(scan->output);
    scan->output->holds = false;
    for (const uint64_t bytes = (limit - at) / wanted + 1; at < limit; count++) {
        const uint64_t most = count + 1 < wanted && bytes < limit - at ? at + bytes : limit;
        const uint64_t end = most < limit ? print_line_end(scan, view, most) : limit;

        part_begin(&parts->items[count], scan, view, at, end);
        at = end;
    }
    pthread_mutex_lock(&parts->lock);
    parts->next = 0;
    parts->count = count;
    for (parts->turn = 0; parts->turn < count; parts->turn++) {
        pthread_cond_broadcast(&parts->changed);
        while (!parts->items[parts->turn].done)
            if (parts->next == parts->turn)
                print_next(parts);
            else
                pthread_cond_wait(&parts->changed, &parts->lock);
        pthread_mutex_unlock(&parts->lock);
        if (!scan->stop)
            part_end(&parts->items[parts->turn], scan);
        pthread_mutex_lock(&parts->lock);
    }
    pthread_mutex_unlock(&parts->lock);
    if (scan->settings->heads.line_number)
        count_lines(scan, view->begin + at,
                    parts->items[count - 1].line_ends - scan->counting.line_ends);
    output_commit(scan->output);
    return at;
}
