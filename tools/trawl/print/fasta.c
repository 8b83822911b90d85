/* fasta: searches the sequences of FASTA files (--fasta), whose lines are joined, so that strings
 * are found across line ends.
 *
 * Letters are gathered in a block; between two sequences is a line end, which no string crosses. A
 * full block is searched: its complete sequences or, if it contains only a part of one, that part.
 * Then its last letters, on which occurrences near the end depend, are kept for the next block:
 *
 *   block n        | around | ............... | around |
 *                  0        own_from          own_to
 *   block n + 1                      | around | ............... | around |
 *
 * Each block reports the occurrences that begin in [own_from, own_to).
 */
#include "trawl/print/reports.h"

#include <inttypes.h>
#include <stdlib.h>

#include "trawl/options/approximate.h"
#include "trawl/text/grow.h"
#include "trawl/print/json.h"
#include "trawl/print/print.h"
#include "trawl/job/progress.h"
#include "trawl/job/searchers.h"
#include "trawl/text/sizes.h"
#include "trawl/job/totals.h"
#include "trawl/text/told.h"

#define BLOCK_BYTES_FASTA SIZE_OR_SMALL(UINT64_C(64) << 20, UINT64_C(1024))
#define NAME_BYTES_MAX (4u << 10) /* longer names are cut */

struct sequence {
    uint64_t begin;      /* offset in the block */
    uint64_t base;       /* number of the sequence's letters that came before this block */
    uint64_t name_begin; /* offset in `names` */
    uint64_t name_bytes; /* at most NAME_BYTES_MAX */
    bool has_match;
};

enum fasta_state {
    FASTA_LINE, /* at the start of a line */
    FASTA_NAME, /* in a name, after > */
    /* in an ignored part of a line: a comment, or the rest of a name's line */
    FASTA_PASSED,
    FASTA_SEQUENCE, /* in a line of a sequence */
};

struct fasta {
    struct text_scan *scan;
    struct trawl_searcher *reader;  /* reads the file, window by window */
    struct trawl_plan *reader_plan; /* a plan without strings, because the reader only reads */
    enum fasta_state state;
    uint64_t line;           /* number of lines before the current line */
    bool had_return;         /* the previous part of the line ended in a carriage return */
    uint64_t mark_bytes;     /* bytes of UTF-8's byte order mark that were skipped */
    uint8_t *bytes;          /* the block */
    uint64_t used, capacity; /* bytes in the block, and its size */
    /* an occurrence depends on this many bytes before and after its start */
    uint64_t around;
    /* of this block, only occurrences that begin in [own_from, own_to) are reported */
    uint64_t own_from, own_to;
    /* the sequences of the block; the last may continue in the next block */
    struct sequence *sequences;
    uint64_t sequence_count, sequence_capacity;
    uint64_t sequence; /* index of the sequence with the last match */
    uint8_t *names;
    uint64_t names_used, names_capacity;
    enum trawl_status status;
    struct trawl_error error;
    bool stop; /* the rest of the file is not needed */
};

static void print_text(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count,
                       const char *color)
{
    print_color_start(scan, color);
    output_bytes(scan->output, bytes, (size_t)bytes_count);
    print_color_end(scan, color);
}

static void print_field(struct text_scan *scan, uint64_t number, const char *color)
{
    print_number(scan, number, 0, color);
    print_field_end(scan, true);
}

/* Writes bytes and a tab as a column of BED: spaces and control characters become _, and an empty
 * column becomes a dot. */
static void print_column(struct output *output, const uint8_t *bytes, uint64_t bytes_count)
{
    for (uint64_t i = 0; i < bytes_count; i++)
        output_byte(output, bytes[i] > ' ' ? bytes[i] : '_');
    if (bytes_count == 0)
        output_byte(output, '.');
    output_byte(output, '\t');
}

/* Prints a match as a line of BED, with the string's number instead of the string unless the number
 * is 0. */
static void print_bed(struct text_scan *scan, const struct json_match *match,
                      const struct trawl_pattern *pattern, uint64_t number)
{
    print_column(scan->output, match->sequence, match->sequence_bytes);
    output_format(scan->output, "%" PRIu64 "\t%" PRIu64 "\t", match->offset,
                  match->offset + match->bytes_count);
    if (number > 0)
        output_format(scan->output, "%" PRIu64 "\t", number);
    else
        print_column(scan->output, pattern->bytes, pattern->bytes_count);
    output_format(scan->output, "%d\t%c\n", match->distance, match->reversed ? '-' : '+');
}

/* Prints a match. `number` is the string's number; 0: not printed. */
static void print_match(struct text_scan *scan, const struct json_match *match,
                        const struct trawl_pattern *pattern, uint64_t number)
{
    const struct colors *colors = &scan->settings->colors;

    if (scan->settings->bed) {
        print_bed(scan, match, pattern, number);
        return;
    }
    if (scan->job->show_names > 0)
        print_name(scan);
    if (scan->job->show_names > 0 && scan->settings->heads.null_after_name)
        output_byte(scan->output, '\0');
    else if (scan->job->show_names > 0)
        print_field_end(scan, true);
    print_text(scan, match->sequence, match->sequence_bytes, colors->file_name);
    print_field_end(scan, true);
    print_field(scan, match->offset, colors->byte_offset);
    output_byte(scan->output, match->reversed ? '-' : '+');
    print_field_end(scan, true);
    if (number > 0)
        print_field(scan, number, colors->line_number);
    print_field(scan, match->distance, colors->line_number);
    print_text(scan, match->bytes, match->bytes_count, colors->selected_match);
    output_byte(scan->output, '\n');
}

/* Returns the sequence in which a match begins. Matches must ascend from call to call. */
static struct sequence *sequence_at(struct fasta *fasta, uint64_t begin)
{
    while (fasta->sequence + 1 < fasta->sequence_count &&
           fasta->sequences[fasta->sequence + 1].begin <= begin)
        fasta->sequence++;
    return &fasta->sequences[fasta->sequence];
}

/* Prints a match of the block, with the name of the sequence and the match's offset in that
 * sequence. */
static void report_match(struct fasta *fasta, const struct sequence *sequence,
                         const struct trawl_match *match)
{
    struct text_scan *scan = fasta->scan;
    const struct numbers *numbers = &scan->job->patterns->numbers;
    struct json_match found = {.distance = match->distance, .reversed = match->reversed};
    bool numbered = scan->settings->heads.pattern_number;

    found.sequence = fasta->names == NULL ? NULL : fasta->names + sequence->name_begin;
    found.sequence_bytes = sequence->name_bytes;
    found.offset = sequence->base + match->begin - sequence->begin;
    found.bytes = fasta->bytes + match->begin;
    found.bytes_count = match->end - match->begin;
    if (scan->settings->json) {
        found.number = numbers_get(numbers, match->pattern_index, 0);
        json_match(scan, &found);
        return;
    }
    for (uint64_t i = 0; i < (numbered ? numbers_count(numbers, match->pattern_index) : 1); i++)
        print_match(scan, &found, &scan->job->patterns->items[match->pattern_index],
                    numbered ? numbers_get(numbers, match->pattern_index, i) : 0);
}

/* Handles the matches of the block that begin in [own_from, own_to). */
static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct fasta *fasta = context;
    struct text_scan *scan = fasta->scan;

    for (uint64_t i = 0; i < match_count && !fasta->stop; i++) {
        struct sequence *sequence = sequence_at(fasta, matches[i].begin);

        if (matches[i].begin < fasta->own_from || matches[i].begin >= fasta->own_to ||
            (scan->settings->only_first && sequence->has_match))
            continue;
        sequence->has_match = true;
        if (!scan->quiet)
            report_match(fasta, sequence, &matches[i]);
        scan->lines.selected++;
        scan->lines.selected_end = scan->lines.scanned_end;
        scan->lines.left--;
        fasta->stop =
            scan->lines.left == 0 || scan->rules.stop_at_select || scan->output->error != 0;
    }
    return fasta->stop;
}

static int block_sink(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct fasta *fasta = context;
    int stop = take_matches(fasta, matches, match_count);

    output_commit(fasta->scan->output);
    return stop;
}

static void fail_fasta(struct fasta *fasta, enum trawl_status status)
{
    fasta->status = fasta->error.status = status;
    fasta->stop = true;
}

/* Searches the first bytes_count bytes of the block, at least 1, and reports occurrences that begin
 * in [own_from, own_to). */
static void search_block(struct fasta *fasta, uint64_t bytes_count, uint64_t own_to)
{
    struct command_job *job = fasta->scan->job;
    struct trawl_answer matches = TRAWL_ANSWER(TRAWL_MATCHES);
    struct trawl_text *text = NULL;
    enum trawl_status status;

    if (fasta->stop)
        return;
    matches.matches = block_sink;
    matches.context = fasta;
    fasta->own_to = own_to;
    fasta->sequence = 0;
    status = told_memory(fasta->bytes, bytes_count, &text, &fasta->error);
    if (status == TRAWL_OK)
        status = trawl_ask(job->searcher, fasta->scan->plan, text, &matches, &fasta->error);
    trawl_text_close(text);
    if (status > TRAWL_STOPPED)
        fail_fasta(fasta, status);
    else if (job->settings->stats)
        totals_add_stats(job, fasta->scan->name, 0);
}

static void drop_front(struct fasta *fasta, uint64_t count)
{
    struct sequence *last = &fasta->sequences[fasta->sequence_count - 1];

    fasta->used -= count;
    memmove(fasta->bytes, fasta->bytes + count, (size_t)fasta->used);
    if (last->name_bytes > 0) /* else `names` may be NULL, which memmove does not allow */
        memmove(fasta->names, fasta->names + last->name_begin, (size_t)last->name_bytes);
    last->name_begin = 0;
    fasta->names_used = last->name_bytes;
    if (last->begin > 0)
        last->begin = 0;
    else
        last->base += count;
    fasta->sequences[0] = *last;
    fasta->sequence_count = 1;
}

/* Makes room in the block: searches and drops its complete sequences or, if there are none, a part
 * of the only sequence. */
static void empty_block(struct fasta *fasta)
{
    uint64_t whole = fasta->sequences[fasta->sequence_count - 1].begin, end;

    if (whole > 0) {
        search_block(fasta, whole, whole);
        drop_front(fasta, whole);
        fasta->own_from = 0;
        return;
    }
    end = fasta->used - fasta->around;
    search_block(fasta, fasta->used, end);
    drop_front(fasta, end - fasta->around);
    fasta->own_from = fasta->around;
}

/* Appends letters to the block. Whenever the block is full, searches and empties it. */
static void add_bytes(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count)
{
    while (bytes_count > 0 && !fasta->stop) {
        uint64_t part = fasta->capacity - fasta->used;

        if (part > bytes_count)
            part = bytes_count;
        memcpy(fasta->bytes + fasta->used, bytes, (size_t)part);
        fasta->used += part;
        bytes += part;
        bytes_count -= part;
        if (fasta->used == fasta->capacity)
            empty_block(fasta);
    }
}

/* Begins a sequence, after a line end that no string crosses if another sequence came before. */
static void begin_sequence(struct fasta *fasta)
{
    static const uint8_t line_end = '\n';

    if (fasta->sequence_count > 0)
        add_bytes(fasta, &line_end, 1);
    if (fasta->sequence_count > 1 &&
        fasta->names_used + fasta->sequence_count * sizeof(struct sequence) > fasta->capacity)
        empty_block(fasta);
    if (!GROW(fasta->sequences, fasta->sequence_capacity, 64, fasta->sequence_count + 1)) {
        fail_fasta(fasta, TRAWL_MEMORY);
        return;
    }
    fasta->sequences[fasta->sequence_count++] =
        (struct sequence){fasta->used, 0, fasta->names_used, 0, false};
}

/* Appends bytes to the name of the last sequence. A name keeps at most NAME_BYTES_MAX bytes. */
static void add_name(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count)
{
    struct sequence *last = &fasta->sequences[fasta->sequence_count - 1];

    if (bytes_count > NAME_BYTES_MAX - last->name_bytes)
        bytes_count = NAME_BYTES_MAX - last->name_bytes;
    if (!GROW(fasta->names, fasta->names_capacity, 2 * NAME_BYTES_MAX,
              fasta->names_used + bytes_count)) {
        fail_fasta(fasta, TRAWL_MEMORY);
        return;
    }
    memcpy(fasta->names + fasta->names_used, bytes, (size_t)bytes_count);
    fasta->names_used += bytes_count;
    last->name_bytes += bytes_count;
}

/* Ends the search of a text that is not FASTA. `why` says what is wrong with the current line. */
static void refuse(struct fasta *fasta, const char *why)
{
    struct command_job *job = fasta->scan->job;

    fasta->stop = job->error_seen = true;
    if (!job->settings->no_messages)
        job_message(job, "%s: line %" PRIu64 " %s", fasta->scan->name, fasta->line + 1, why);
}

/* Handles the start of a line, of which the first bytes_count bytes (at least 1) are known. Returns
 * true if it has consumed the first byte. */
static bool begin_line(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count)
{
    enum told_packed packed = TOLD_PLAIN;
    const uint8_t byte = *bytes;

    if (byte == '@')
        refuse(fasta,
               "begins with @, as in FASTQ and SAM, so the file is not FASTA; 'seqtk seq -A' "
               "makes FASTA of FASTQ");
    else if (byte >= 0xfe && fasta->line == 0)
        refuse(fasta, "begins with a byte order mark of UTF-16, so the file is not FASTA; "
                      "'iconv -f UTF-16 -t ASCII' makes FASTA of it");
    else if (fasta->line == 0 && (byte == 0x1f || byte == 0xfd || byte == '(' || byte == 4 ||
                                  (packed = told_packed(bytes, bytes_count)) == TOLD_PACKED))
        refuse(fasta, "begins like data of gzip, bzip2, xz, zstd or lz4, so the file is not "
                      "FASTA; --search-zip searches what is packed in it");
    if (packed == TOLD_NO_MEMORY)
        fail_fasta(fasta, TRAWL_MEMORY);
    if (fasta->stop)
        return false;
    fasta->state = byte == '>' ? FASTA_NAME : byte == ';' ? FASTA_PASSED : FASTA_SEQUENCE;
    if (byte == '>' || fasta->sequence_count == 0)
        begin_sequence(fasta);
    return byte == '>';
}

/* Handles a part of a line. If `ends`, the line ends after these bytes. */
static void take_line(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count, bool ends)
{
    static const uint8_t mark[4] = {0xef, 0xbb, 0xbf, 0};
    uint64_t name_bytes = 0;

    for (; fasta->line == 0 && fasta->state == FASTA_LINE && bytes_count > 0 &&
           fasta->mark_bytes < 3 && *bytes == mark[fasta->mark_bytes];
         fasta->mark_bytes++, bytes++)
        bytes_count--;
    if (fasta->state == FASTA_LINE && bytes_count > 0 && begin_line(fasta, bytes, bytes_count)) {
        bytes++;
        bytes_count--;
    }
    if (fasta->stop)
        return;
    if (fasta->state == FASTA_NAME || fasta->state == FASTA_PASSED) {
        const uint8_t *found = memchr(bytes, '\r', (size_t)bytes_count);

        if (bytes_count > 0 &&
            (fasta->had_return || (found != NULL && found + 1 < bytes + bytes_count)))
            refuse(fasta, "has a carriage return before its end; lines of FASTA end in newline");
    }
    fasta->had_return = bytes_count > 0 && bytes[bytes_count - 1] == '\r' && !ends;
    if (fasta->state == FASTA_NAME) {
        while (name_bytes < bytes_count && bytes[name_bytes] > ' ')
            name_bytes++;
        if (name_bytes > 0)
            add_name(fasta, bytes, name_bytes);
        if (name_bytes < bytes_count)
            fasta->state = FASTA_PASSED;
    } else if (fasta->state == FASTA_SEQUENCE) {
        add_bytes(fasta, bytes, bytes_count);
        if (ends && fasta->used > fasta->sequences[fasta->sequence_count - 1].begin &&
            fasta->bytes[fasta->used - 1] == '\r')
            fasta->used--;
    }
    fasta->line += ends;
    if (ends)
        fasta->state = FASTA_LINE;
}

/* Receives a window of the file and cuts it into lines. */
static int take_window(void *context, const struct trawl_window *window)
{
    struct fasta *fasta = context;
    const uint8_t *at = window->bytes, *end = at + window->bytes_count;

    fasta->scan->lines.scanned_end = window->begin + window->bytes_count;
    while (at < end && !fasta->stop) {
        const uint8_t *line_end = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *past = line_end != NULL ? line_end : end;

        take_line(fasta, at, (uint64_t)(past - at), line_end != NULL);
        at = past + (line_end != NULL);
    }
    return fasta->stop;
}

/* Allocates the block, which has at least 4 * around bytes. Returns false if out of memory. */
static bool open_block(struct fasta *fasta)
{
    uint64_t block = fasta->scan->settings->search.chunk_bytes;

    fasta->around = approximate_around(fasta->scan->job->patterns, fasta->scan->settings);
    fasta->capacity = block > 0 && block < BLOCK_BYTES_FASTA ? block : BLOCK_BYTES_FASTA;
    if (fasta->capacity < 4 * fasta->around)
        fasta->capacity = 4 * fasta->around;
    fasta->bytes = malloc((size_t)fasta->capacity);
    return fasta->bytes != NULL;
}

enum trawl_status fasta_search(struct text_scan *scan, struct trawl_error *error)
{
    struct fasta fasta = {.scan = scan};
    struct progress_text progress;
    enum trawl_status status =
        searchers_open_reader(scan->settings, &fasta.reader, &fasta.reader_plan, error);

    if (status == TRAWL_OK && !open_block(&fasta))
        status = TRAWL_MEMORY;
    if (status == TRAWL_OK) {
        progress_enter(&progress, fasta.reader);
        status = trawl_windows(fasta.reader, fasta.reader_plan, scan->text, TRAWL_NO_MATCHES,
                               take_window, &fasta, error);
        progress_leave(&progress, scan->lines.scanned_end);
    }
    if (fasta.state == FASTA_SEQUENCE && !fasta.stop)
        take_line(&fasta, NULL, 0, true); /* the file may end without a line end */
    if (fasta.used > 0 && (status == TRAWL_OK || status == TRAWL_READ))
        search_block(&fasta, fasta.used, fasta.used);
    if (fasta.status != TRAWL_OK) {
        status = fasta.status;
        *error = fasta.error;
    }
    trawl_searcher_close(fasta.reader);
    trawl_plan_free(fasta.reader_plan);
    free(fasta.bytes);
    free(fasta.sequences);
    free(fasta.names);
    return status == TRAWL_STOPPED ? TRAWL_OK : status;
}
