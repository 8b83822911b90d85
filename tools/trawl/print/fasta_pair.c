/* fasta_pair: reads the second of two FASTQ files whose records are pairs (--paired), in step with
 * the first. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trawl/job/searchers.h"
#include "trawl/print/fasta.h"
#include "trawl/text/handover.h"
#include "trawl/text/calls.h"
#include "trawl/options/settings.h"

struct fasta_pair {
    struct fasta_reader lines;
    struct handover file;
    int descriptor;
};

/* Reads a line, or a part of it. Returns false at the end of the file. */
static bool next_line(struct fasta *fasta)
{
    struct fasta_pair *pair = fasta->pair;

    while (pair->file.at == pair->file.end)
        if (!handover_next(&pair->file)) {
            fasta_end(&pair->lines, pair->file.status != TRAWL_OK);
            return false;
        }
    pair->file.at = fasta_line(&pair->lines, pair->file.at, pair->file.end);
    return true;
}

/* Returns true if the digit that ends a name says which read of a pair it is: after a slash any, as
 * of the reads 1 and 3 of 10x Genomics, and 1 or 2 after a dot or an underscore. */
static bool names_read(const uint8_t *name, uint64_t count)
{
    const uint8_t before = count >= 2 ? name[count - 2] : 0,
                  digit = count >= 2 ? name[count - 1] : 0;

    return (before == '/' && digit >= '1' && digit <= '9') ||
           ((before == '.' || before == '_') && (digit == '1' || digit == '2'));
}

/* Returns true if the last two records have the same name, but for the digit of the read. */
static bool are_mates(const struct fasta *fasta)
{
    const struct sequence *second = &fasta->sequences[fasta->sequence_count - 1];
    const struct sequence *first = second - 1 - fasta->reverses;
    const uint8_t *one = fasta->names + first->name_begin, *two = fasta->names + second->name_begin;
    uint64_t count = first->name_bytes;

    if (count != second->name_bytes)
        return false;
    if (names_read(one, count) && names_read(two, count))
        count--;
    return count == 0 || memcmp(one, two, (size_t)count) == 0;
}

/* Reads the record that belongs to the last one of the first file. */
static void take(struct fasta *fasta)
{
    struct fasta_pair *pair = fasta->pair;
    const uint64_t wanted = fasta->lines.records;
    char why[120];

    while (!fasta->stop && (pair->lines.records < wanted || pair->lines.part != FASTQ_BETWEEN))
        if (!next_line(fasta) &&
            (pair->lines.records < wanted || pair->lines.part != FASTQ_BETWEEN)) {
            if (fasta->stop)
                return;
            if (pair->file.status == TRAWL_OK) {
                (void)snprintf(why, sizeof why, "is missing: the other file has a record %" PRIu64,
                               wanted);
                fasta_refuse(&pair->lines, why);
                return;
            }
            fasta_flush(fasta);
            fasta->error = pair->file.error;
            fasta->error.os_code = 0; /* the message names this file */
            fasta_fail(fasta, pair->file.status);
        }
    if (fasta->stop)
        return;
    if (are_mates(fasta)) {
        fasta_end_record(fasta);
        return;
    }
    pair->lines.part = FASTQ_QUALITIES; /* the message names this record */
    pair->lines.line--;
    fasta_refuse(&pair->lines, "ends a record with another name than that of the other file");
}

void fasta_pair_end(struct fasta *fasta)
{
    while (fasta->pair != NULL && !fasta->stop && next_line(fasta))
        ;
    if (fasta->pair != NULL && !fasta->stop && fasta->pair->file.status != TRAWL_OK) {
        fasta->error = fasta->pair->file.error;
        fasta->error.os_code = 0;
        fasta_flush(fasta);
        fasta_fail(fasta, fasta->pair->file.status);
    }
}

enum trawl_status fasta_pair_open(struct fasta *fasta, struct trawl_error *error)
{
    const struct settings *settings = fasta->scan->settings;
    struct fasta_pair *pair = calloc(1, sizeof *pair);
    enum trawl_status status;
    int code = 0;

    if (pair == NULL)
        return TRAWL_MEMORY;
    *pair = (struct fasta_pair){.lines = {.fasta = fasta, .name = settings->paired}};
    fasta->pair = pair;
    fasta->lines.ends = take;
    pair->descriptor = open(settings->paired, O_RDONLY | O_CLOEXEC);
    if (pair->descriptor < 0) {
        job_file_error(fasta->scan->job, settings->paired, errno);
        fasta->stop = true;
        return TRAWL_OK;
    }
    status =
        open_descriptor(pair->descriptor, settings->paired,
                        settings->search_zip ? TRAWL_TEXT_UNPACK : 0u, &pair->file.text, error);
    if (status == TRAWL_OK)
        status = searchers_open_reader(settings, &pair->file.searcher, &pair->file.plan, error);
    if (status == TRAWL_OK)
        code = handover_begin(&pair->file);
    else if (status == TRAWL_OPEN)
        code = error->os_code;
    if (code == 0)
        return status;
    job_file_error(fasta->scan->job, settings->paired, code);
    fasta->stop = true;
    return TRAWL_OK;
}

void fasta_pair_close(struct fasta *fasta)
{
    struct fasta_pair *pair = fasta->pair;

    if (pair == NULL)
        return;
    handover_close(&pair->file);
    if (pair->descriptor >= 0)
        (void)close(pair->descriptor);
    free(pair);
}
