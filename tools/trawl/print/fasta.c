/* fasta: searches a file of FASTA or FASTQ (--fasta, --fastq). */
#include "trawl/print/fasta.h"

#include <stdlib.h>

#include "trawl/job/progress.h"
#include "trawl/job/searchers.h"
#include "trawl/options/settings.h"

/* Receives a window of the file. */
static int take_window(void *context, const struct trawl_window *window)
{
    struct fasta *fasta = context;
    const uint8_t *at = window->bytes, *end = at + window->bytes_count;

    fasta->scan->lines.scanned_end = window->begin + window->bytes_count;
    while (at < end && !fasta->stop)
        at = fasta_line(&fasta->lines, at, end);
    return fasta->stop;
}

enum trawl_status fasta_report(struct text_scan *scan, struct trawl_error *error)
{
    struct fasta fasta = {.scan = scan,
                          .lines = {.name = scan->name, .ends = fasta_end_record},
                          .whole = scan->settings->fastq || scan->settings->records ||
                                   scan->settings->expressions || scan->settings->amplicon.end > 0,
                          .reverses = scan->settings->expressions &&
                                      scan->settings->errors.reverse_complement};
    struct progress_entry progress;
    enum trawl_status status =
        searchers_open_reader(scan->settings, &fasta.reader, &fasta.reader_plan, error);

    fasta.lines.fasta = &fasta;
    if (status == TRAWL_OK && !fasta_open_block(&fasta))
        status = TRAWL_MEMORY;
    if (status == TRAWL_OK && scan->settings->paired != NULL)
        status = fasta_pair_open(&fasta, error);
    if (status == TRAWL_OK && !fasta.stop) {
        progress_enter(&progress, fasta.reader);
        status = trawl_windows(fasta.reader, fasta.reader_plan, scan->text, TRAWL_NO_MATCHES,
                               take_window, &fasta, error);
        progress_leave(&progress, scan->lines.scanned_end);
    }
    if ((status == TRAWL_OK || status == TRAWL_READ) && !fasta.stop)
        fasta_end(&fasta.lines, status != TRAWL_OK);
    if (status == TRAWL_OK)
        fasta_pair_end(&fasta);
    if (!fasta.stop && (status == TRAWL_OK || status == TRAWL_READ)) {
        if (!fasta.whole && fasta.used > 0)
            fasta_search_block(&fasta, fasta.used, fasta.used);
        else if (fasta.whole && fasta.sequence_count > 0 && !scan->settings->fastq)
            fasta_end_sequence(&fasta);
        if (fasta.whole)
            fasta_flush(&fasta);
    }
    if (fasta.status != TRAWL_OK) {
        status = fasta.status;
        *error = fasta.error;
    }
    fasta_pair_close(&fasta);
    trawl_searcher_close(fasta.reader);
    trawl_plan_free(fasta.reader_plan);
    free(fasta.bytes);
    free(fasta.sequences);
    free(fasta.names);
    free(fasta.raw);
    free(fasta.kept);
    return status == TRAWL_STOPPED ? TRAWL_OK : status;
}
