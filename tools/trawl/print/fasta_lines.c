/* fasta_lines: reads the lines of FASTA and FASTQ files. */
#include <inttypes.h>
#include <stdio.h>

#include "trawl/print/fasta.h"
#include "trawl/text/calls.h"
#include "trawl/options/settings.h"

void fasta_refuse(struct fasta_reader *reader, const char *why)
{
    struct fasta *fasta = reader->fasta;
    struct command_job *job = fasta->scan->job;
    char record[40] = "";

    if (job->settings->fastq) {
        (void)snprintf(record, sizeof record, "record %" PRIu64 ", ",
                       reader->records + (reader->part == FASTQ_BETWEEN));
        fasta_flush(fasta);
    }
    if (fasta->stop) /* no more is wanted */
        return;
    fasta->stop = job->error_seen = true;
    if (!job->settings->no_messages)
        job_message(job, "%s: %sline %" PRIu64 " %s", reader->name, record, reader->line + 1, why);
}

/* Handles the start of a line of FASTQ. Returns true if it has consumed the first byte. */
static bool begin_fastq(struct fasta_reader *reader, uint8_t byte)
{
    struct fasta *fasta = reader->fasta;
    const bool is_mate = reader != &fasta->lines;

    if (reader->part == FASTQ_QUALITIES) {
        reader->state = FASTA_QUALITY;
    } else if (reader->part == FASTQ_LETTERS) {
        reader->state = byte == '+' ? FASTA_PASSED : FASTA_SEQUENCE;
        if (byte == '+')
            reader->part = FASTQ_QUALITIES;
        else if (byte == '@')
            fasta_refuse(reader, "begins with @, but the record before has no + and no qualities");
    } else if (byte == '@' && is_mate && !fasta->is_open) {
        fasta_refuse(reader, "begins a record, but the other file has ended");
    } else if (byte == '@') {
        fasta_begin(fasta, true);
        if (!fasta->stop)
            fasta->sequences[fasta->sequence_count - 1].follows = is_mate;
        reader->records++;
        reader->qualities = 0;
        reader->part = FASTQ_LETTERS;
        reader->state = FASTA_NAME;
        return !fasta->stop;
    } else if (byte == '\r') {
        reader->state = FASTA_PASSED;
    } else {
        fasta_refuse(reader, byte == '>' ? "begins with >, as in FASTA, so the file is not FASTQ; "
                                           "--fasta searches it"
                                         : "does not begin with @, as a record of FASTQ does");
    }
    return false;
}

/* Handles the start of a line, of which the first bytes_count bytes (at least 1) are known. Returns
 * true if it has consumed the first byte. */
static bool begin_line(struct fasta_reader *reader, const uint8_t *bytes, uint64_t bytes_count)
{
    struct fasta *fasta = reader->fasta;
    const bool fastq = fasta->scan->settings->fastq;
    enum packed_state packed = PACKED_NO;
    const uint8_t byte = *bytes;

    if (byte == '@' && !fastq)
        fasta_refuse(reader,
                     "begins with @, as in FASTQ and SAM, so the file is not FASTA; --fastq "
                     "searches FASTQ");
    else if (byte >= 0xfe && reader->line == 0)
        fasta_refuse(reader,
                     fastq ? "begins with a byte order mark of UTF-16, so the file is not FASTQ"
                           : "begins with a byte order mark of UTF-16, so the file is not FASTA; "
                             "'iconv -f UTF-16 -t ASCII' makes FASTA of it");
    else if (reader->line == 0 && (byte == 0x1f || byte == 0xfd || byte == '(' || byte == 4 ||
                                   (packed = packed_state_of(bytes, bytes_count)) == PACKED_YES))
        fasta_refuse(reader,
                     fastq ? "begins like data of gzip, bzip2, xz, zstd or lz4, so the file is not "
                             "FASTQ; --search-zip searches what is packed in it"
                           : "begins like data of gzip, bzip2, xz, zstd or lz4, so the file is not "
                             "FASTA; --search-zip searches what is packed in it");
    if (packed == PACKED_UNKNOWN)
        fasta_fail(fasta, TRAWL_MEMORY);
    if (fasta->stop)
        return false;
    if (fastq)
        return begin_fastq(reader, byte);
    reader->state = byte == '>' ? FASTA_NAME : byte == ';' ? FASTA_PASSED : FASTA_SEQUENCE;
    if (byte == '>' || fasta->sequence_count == 0)
        fasta_begin(fasta, byte == '>');
    return byte == '>';
}

/* Handles the end of a line of qualities: of the record, if there are as many as letters. */
static void end_qualities(struct fasta_reader *reader)
{
    struct fasta *fasta = reader->fasta;
    const uint64_t letters = fasta->used - fasta->sequences[fasta->sequence_count - 1].begin;
    char why[120];

    if (reader->qualities > letters) {
        (void)snprintf(why, sizeof why,
                       "ends %" PRIu64 " qualities, but the sequence has %" PRIu64 " letters",
                       reader->qualities, letters);
        fasta_refuse(reader, why);
    } else if (reader->qualities == letters) {
        reader->part = FASTQ_BETWEEN;
        fasta_end_sequence(fasta);
        if (reader->ends != NULL)
            reader->ends(fasta);
    }
}

/* Handles a part of a line that comes after its first byte. */
static void take_part(struct fasta_reader *reader, const uint8_t *bytes, uint64_t bytes_count,
                      bool ends)
{
    struct fasta *fasta = reader->fasta;
    uint64_t name_bytes = 0;

    if (reader->state == FASTA_NAME || reader->state == FASTA_PASSED) {
        const uint8_t *found = memchr(bytes, '\r', (size_t)bytes_count);

        if (bytes_count > 0 &&
            (reader->had_return || (found != NULL && found + 1 < bytes + bytes_count)))
            fasta_refuse(reader, "has a carriage return before its end; lines end in newline");
        if (fasta->stop)
            return;
    }
    if (reader->state == FASTA_NAME) {
        while (name_bytes < bytes_count && bytes[name_bytes] > ' ')
            name_bytes++;
        if (name_bytes > 0)
            fasta_add_name(fasta, bytes, name_bytes);
        if (name_bytes < bytes_count)
            reader->state = FASTA_PASSED;
    } else if (reader->state == FASTA_SEQUENCE) {
        fasta_add(fasta, bytes, bytes_count);
        if (ends && fasta->used > fasta->sequences[fasta->sequence_count - 1].begin &&
            fasta->bytes[fasta->used - 1] == '\r')
            fasta->used--;
    } else if (reader->state == FASTA_QUALITY) {
        reader->qualities += bytes_count;
        if (ends && (bytes_count > 0 ? bytes[bytes_count - 1] == '\r' : reader->had_return))
            reader->qualities--;
    }
    if (bytes_count > 0 || ends)
        reader->had_return = !ends && bytes[bytes_count - 1] == '\r';
}

/* Handles a part of a line. If `ends`, the line ends after these bytes. */
static void take_line(struct fasta_reader *reader, const uint8_t *bytes, uint64_t bytes_count,
                      bool ends)
{
    static const uint8_t mark[4] = {0xef, 0xbb, 0xbf, 0}, line_end = '\n';
    struct fasta *fasta = reader->fasta;
    const uint8_t *from;
    bool begun = false;

    for (; reader->line == 0 && reader->state == FASTA_LINE && bytes_count > 0 &&
           reader->mark_bytes < 3 && *bytes == mark[reader->mark_bytes];
         reader->mark_bytes++, bytes++)
        bytes_count--;
    from = bytes;
    if (reader->state == FASTA_LINE && bytes_count > 0)
        begun = begin_line(reader, bytes, bytes_count);
    if (fasta->stop)
        return;
    if (fasta->scan->settings->records && fasta->sequence_count > 0 &&
        (!fasta->scan->settings->fastq || reader->part != FASTQ_BETWEEN)) {
        fasta_add_raw(fasta, from, bytes_count);
        fasta_add_raw(fasta, &line_end, ends);
    }
    take_part(reader, bytes + begun, bytes_count - begun, ends);
    if (ends && reader->part == FASTQ_QUALITIES && reader->state != FASTA_PASSED && !fasta->stop)
        end_qualities(reader);
    reader->line += ends;
    if (ends)
        reader->state = FASTA_LINE;
}

const uint8_t *fasta_line(struct fasta_reader *reader, const uint8_t *at, const uint8_t *end)
{
    const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
    const uint8_t *past = line_end != NULL ? line_end : end;

    take_line(reader, at, (uint64_t)(past - at), line_end != NULL);
    return past + (line_end != NULL);
}

void fasta_end(struct fasta_reader *reader, bool is_cut)
{
    static const uint8_t none = 0;
    struct fasta *fasta = reader->fasta;

    if (reader->state != FASTA_LINE && !fasta->stop)
        take_line(reader, &none, 0, true);
    if (reader->part == FASTQ_QUALITIES && !fasta->stop &&
        fasta->used == fasta->sequences[fasta->sequence_count - 1].begin)
        take_line(reader, &none, 0, true); /* an empty sequence has an empty line of qualities */
    if (reader->part != FASTQ_BETWEEN && !fasta->stop && !is_cut)
        fasta_refuse(reader, "is missing: the file ends within the record");
}
