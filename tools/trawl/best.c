/* best: --best: finds the least distance in a text, before the search proper. */
#include "trawl/best.h"

#include <errno.h>
#include <unistd.h>

#include "trawl/fasta.h"

static int copy_window(void *context, const struct trawl_window *window)
{
    struct text_scan *scan = context;

    return window->bytes_count > 0 &&
           fwrite(window->bytes, (size_t)window->bytes_count, 1, scan->spool) != 1;
}

static void fail_to_copy(struct text_scan *scan)
{
    job_message(scan->job, "%s: temporary file for --best: %s", scan->name, strerror(errno));
    scan->job->error_seen = true;
    scan->stop = true;
}

/* Copies the text to a temporary file. TRAWL_READ: the text up to the error was copied. */
static enum trawl_status copy_text(struct text_scan *scan, struct trawl_error *error)
{
    struct trawl_text *copy = NULL;
    struct trawl_error copy_error;
    enum trawl_status status;

    scan->spool = tmpfile();
    if (scan->spool == NULL) {
        fail_to_copy(scan);
        return TRAWL_OK;
    }
    status = trawl_windows(scan->job->searcher, scan->plan, scan->text, TRAWL_WINDOW_NO_MATCHES,
                           copy_window, scan, error);
    if (status == TRAWL_STOPPED || fflush(scan->spool) != 0 ||
        lseek(fileno(scan->spool), 0, SEEK_SET) != 0) {
        fail_to_copy(scan);
        status = TRAWL_OK;
    } else if (trawl_text_from_descriptor(fileno(scan->spool), scan->name, &copy, &copy_error) ==
               TRAWL_OK) {
        scan->text = copy;
        return status;
    } else {
        *error = copy_error;
        status = copy_error.status;
    }
    (void)fclose(scan->spool);
    scan->spool = NULL;
    scan->stop = true;
    return status;
}

void best_close(struct text_scan *scan)
{
    trawl_text_close(scan->text);
    (void)fclose(scan->spool);
}

static int least_sink(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct text_scan *scan = context;

    for (uint64_t i = 0; i < match_count; i++)
        if (matches[i].distance < scan->distance_max)
            scan->distance_max = matches[i].distance;
    return scan->distance_max == 0;
}

enum trawl_status best_begin(struct text_scan *scan, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK, searched;
    struct trawl_error search_error;

    if (!scan->seekable)
        status = copy_text(scan, error);
    if (scan->stop)
        return status;
    searched = scan->settings->fasta ? fasta_positions(scan, least_sink, &search_error)
                                     : trawl_positions(scan->job->searcher, scan->plan, scan->text,
                                                       least_sink, scan, &search_error);
    if (searched > TRAWL_STOPPED && status == TRAWL_OK) {
        *error = search_error;
        status = searched;
    }
    scan->stop =
        scan->distance_max == UINT16_MAX || (searched > TRAWL_STOPPED && searched != TRAWL_READ);
    return status;
}
