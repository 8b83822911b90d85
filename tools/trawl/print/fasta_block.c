/* fasta_block: joins the lines of sequences, so that strings are found across line ends, and
 * searches them.
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
 *
 * Where that is not enough (FASTQ, --records), a block grows until it holds whole sequences.
 */
#include "trawl/print/fasta.h"

#include <stdlib.h>

#include "trawl/options/approximate.h"
#include "trawl/text/grow.h"
#include "trawl/text/sizes.h"
#include "trawl/job/totals.h"
#include "trawl/text/calls.h"
#include "trawl/options/settings.h"

#define BLOCK_BYTES_FASTA SIZE_OR_SMALL(UINT64_C(64) << 20, UINT64_C(1024))

/* Returns the index of the sequence in which a match begins. Matches must ascend from call to call.
 */
static uint64_t sequence_at(struct fasta *fasta, uint64_t begin)
{
    while (fasta->sequence + 1 < fasta->sequence_count &&
           fasta->sequences[fasta->sequence + 1].begin <= begin)
        fasta->sequence++;
    return fasta->sequence;
}

static void take_match(struct fasta *fasta, uint64_t index, const struct trawl_match *match)
{
    struct sequence *sequence = &fasta->sequences[index];
    const bool had_match = sequence->has_match;

    sequence->has_match = true;
    if (fasta->scan->settings->records || (fasta->scan->settings->only_first && had_match))
        return;
    if (!fasta->scan->quiet)
        fasta_report_match(fasta, sequence, match);
    fasta_selected(fasta);
}

static int compare(const void *a, const void *b)
{
    const struct trawl_match *one = a, *other = b;

    if (one->begin != other->begin)
        return one->begin < other->begin ? -1 : 1;
    if (one->pattern_index != other->pattern_index)
        return one->pattern_index < other->pattern_index ? -1 : 1;
    return (int)one->reversed - (int)other->reversed;
}

/* Takes an amplicon, once for each pair that consists of the primers at its ends. */
static void take_pairs(struct fasta *fasta, const struct trawl_match *left,
                       const struct trawl_match *right)
{
    const struct patterns *patterns = fasta->scan->job->patterns;
    struct trawl_match found = *left;

    found.end = right->end;
    found.distance = (uint16_t)(left->distance + right->distance);
    for (uint64_t i = 0, count = numbers_count(&patterns->numbers, left->pattern_index);
         i < count && !fasta->stop; i++) {
        const uint64_t column = numbers_get(&patterns->numbers, left->pattern_index, i) - 1;
        const uint64_t mate = fasta_mate(patterns, column);

        if (patterns->columns[mate] != right->pattern_index ||
            (mate < column && patterns->columns[mate] == left->pattern_index))
            continue; /* of a pair of equal primers, the first is taken */
        found.reversed = column & 1;
        fasta->primer = column & ~UINT64_C(1);
        take_match(fasta, fasta->kept_sequence, &found);
    }
}

/* --amplicon: takes the amplicons that begin with the kept match number `first`. */
static void take_amplicons(struct fasta *fasta, uint64_t first)
{
    const struct trawl_range lengths = fasta->scan->settings->amplicon;
    const struct trawl_match *left = &fasta->kept[first];

    while (first > 0 && fasta->kept[first - 1].begin == left->begin)
        first--;
    for (uint64_t i = first; i < fasta->kept_count && !fasta->stop && !left->reversed; i++) {
        const struct trawl_match *right = &fasta->kept[i];

        if (right->begin > left->begin && right->begin - left->begin > lengths.end)
            break;
        if (right->reversed && right->begin >= left->begin && right->end >= left->end &&
            right->end - left->begin > lengths.begin && right->end - left->begin <= lengths.end)
            take_pairs(fasta, left, right);
    }
}

/* Takes the matches that were kept, or the amplicons that they make. */
static void take_kept(struct fasta *fasta)
{
    if (fasta->kept_count > 1)
        qsort(fasta->kept, (size_t)fasta->kept_count, sizeof *fasta->kept, compare);
    for (uint64_t i = 0; i < fasta->kept_count && !fasta->stop; i++)
        if (fasta->scan->settings->amplicon.end > 0)
            take_amplicons(fasta, i);
        else
            take_match(fasta, fasta->kept_sequence, &fasta->kept[i]);
    fasta->kept_count = 0;
}

/* Keeps a match, where a sequence is followed by its reverse complement:
 *
 *   |AACGT|\n|ACGTT|     a match of the reverse complement is moved to the letters
 *     ---      ---       of the sequence from which it was made
 */
static void keep_match(struct fasta *fasta, uint64_t index, struct trawl_match match)
{
    const struct sequence *sequence = &fasta->sequences[index];

    if (sequence->is_reversed) {
        const uint64_t sum = 2 * sequence->begin - 1, begin = sum - match.end;

        match.end = sum - match.begin;
        match.begin = begin;
        match.reversed = 1;
        index--;
    }
    if (index != fasta->kept_sequence)
        take_kept(fasta);
    fasta->kept_sequence = index;
    if (GROW(fasta->kept, fasta->kept_capacity, 64, fasta->kept_count + 1))
        fasta->kept[fasta->kept_count++] = match;
    else
        fasta_fail(fasta, TRAWL_MEMORY);
}

/* Handles the matches of the block that begin in [own_from, own_to). */
static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct fasta *fasta = context;

    for (uint64_t i = 0; i < match_count && !fasta->stop; i++) {
        const uint64_t index = sequence_at(fasta, matches[i].begin);

        if (matches[i].begin < fasta->own_from || matches[i].begin >= fasta->own_to)
            continue;
        if (fasta->reverses || fasta->scan->settings->amplicon.end > 0)
            keep_match(fasta, index, matches[i]);
        else
            take_match(fasta, index, &matches[i]);
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

void fasta_fail(struct fasta *fasta, enum trawl_status status)
{
    fasta->status = fasta->error.status = status;
    fasta->stop = true;
}

void fasta_search_block(struct fasta *fasta, uint64_t bytes_count, uint64_t own_to)
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
    status = open_memory(fasta->bytes, bytes_count, &text, &fasta->error);
    if (status == TRAWL_OK)
        status = trawl_ask(job->searcher, fasta->scan->plan, text, &matches, &fasta->error);
    trawl_text_close(text);
    take_kept(fasta);
    if (status > TRAWL_STOPPED)
        fasta_fail(fasta, status);
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
        fasta_search_block(fasta, whole, whole);
        drop_front(fasta, whole);
        fasta->own_from = 0;
        return;
    }
    end = fasta->used - fasta->around;
    fasta_search_block(fasta, fasta->used, end);
    drop_front(fasta, end - fasta->around);
    fasta->own_from = fasta->around;
}

void fasta_flush(struct fasta *fasta)
{
    while (fasta->is_open) { /* drop the incomplete record, which is the last */
        const struct sequence *last = &fasta->sequences[--fasta->sequence_count];

        fasta->used = last->begin;
        fasta->raw_used = last->raw_begin;
        fasta->is_open = last->follows;
    }
    if (fasta->used > 0)
        fasta_search_block(fasta, fasta->used, fasta->used);
    if (fasta->scan->settings->records && fasta->status == TRAWL_OK)
        fasta_take_records(fasta);
    fasta->used = fasta->raw_used = fasta->names_used = fasta->sequence_count = 0;
}

/* Appends bytes to a buffer that grows. */
static void append(struct fasta *fasta, uint8_t **buffer, uint64_t *used, uint64_t *capacity,
                   const uint8_t *bytes, uint64_t bytes_count)
{
    if (bytes_count == 0)
        return;
    if (!SCAN_GROW(fasta->scan, *buffer, *capacity, *used + bytes_count)) {
        fasta_fail(fasta, TRAWL_MEMORY);
        return;
    }
    memcpy(*buffer + *used, bytes, (size_t)bytes_count);
    *used += bytes_count;
}

void fasta_add(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count)
{
    if (fasta->whole) {
        append(fasta, &fasta->bytes, &fasta->used, &fasta->capacity, bytes, bytes_count);
        return;
    }
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

void fasta_add_raw(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count)
{
    append(fasta, &fasta->raw, &fasta->raw_used, &fasta->raw_capacity, bytes, bytes_count);
}

/* Begins a sequence, after a line end that no string crosses if another sequence came before. */
static void begin(struct fasta *fasta, bool is_named)
{
    static const uint8_t line_end = '\n';

    if (fasta->sequence_count > 0)
        fasta_add(fasta, &line_end, 1);
    if (!fasta->whole && fasta->sequence_count > 1 &&
        fasta->names_used + fasta->sequence_count * sizeof(struct sequence) > fasta->capacity)
        empty_block(fasta);
    if (!GROW(fasta->sequences, fasta->sequence_capacity, 64, fasta->sequence_count + 1)) {
        fasta_fail(fasta, TRAWL_MEMORY);
        return;
    }
    fasta->sequences[fasta->sequence_count++] = (struct sequence){.begin = fasta->used,
                                                                  .name_begin = fasta->names_used,
                                                                  .raw_begin = fasta->raw_used,
                                                                  .is_named = is_named};
}

void fasta_end_sequence(struct fasta *fasta)
{
    const struct sequence last = fasta->sequences[fasta->sequence_count - 1];
    const uint64_t end = fasta->used;
    struct sequence *made;

    if (!last.is_named && end == last.begin) { /* comments before the first name */
        fasta->raw_used = last.raw_begin;
        fasta->sequence_count--;
    } else if (fasta->reverses) {
        begin(fasta, true);
        if (fasta->stop || !SCAN_GROW(fasta->scan, fasta->bytes, fasta->capacity,
                                      fasta->used + (end - last.begin))) {
            fasta_fail(fasta, TRAWL_MEMORY);
            return;
        }
        made = &fasta->sequences[fasta->sequence_count - 1];
        made->name_begin = last.name_begin;
        made->name_bytes = last.name_bytes;
        made->is_reversed = made->follows = true;
        for (uint64_t i = end; i > last.begin; i--)
            fasta->bytes[fasta->used++] = fasta->complement[fasta->bytes[i - 1]];
    }
}

void fasta_end_record(struct fasta *fasta)
{
    fasta->is_open = false;
    if (fasta->used + fasta->raw_used + fasta->names_used +
            fasta->sequence_count * sizeof(struct sequence) >=
        fasta->limit)
        fasta_flush(fasta);
}

void fasta_begin(struct fasta *fasta, bool is_named)
{
    if (fasta->whole && !fasta->scan->settings->fastq && fasta->sequence_count > 0) {
        fasta_end_sequence(fasta);
        fasta_end_record(fasta);
    }
    begin(fasta, is_named);
    fasta->is_open = fasta->scan->settings->fastq && !fasta->stop;
}

void fasta_add_name(struct fasta *fasta, const uint8_t *bytes, uint64_t bytes_count)
{
    struct sequence *last = &fasta->sequences[fasta->sequence_count - 1];

    if (bytes_count > FASTA_NAME_BYTES_MAX - last->name_bytes)
        bytes_count = FASTA_NAME_BYTES_MAX - last->name_bytes;
    append(fasta, &fasta->names, &fasta->names_used, &fasta->names_capacity, bytes, bytes_count);
    if (!fasta->stop)
        last->name_bytes += bytes_count;
}

bool fasta_open_block(struct fasta *fasta)
{
    static const char pairs[] = "ATCGGCTAUARYYRSSWWKMMKBVVBDHHDNNatcggctauaryyrsswwkmmkbvvbdhhdnn";
    uint64_t block = fasta->scan->settings->search.chunk_bytes;

    for (uint32_t i = 0; i < 256; i++)
        fasta->complement[i] = (uint8_t)i;
    for (uint32_t i = 0; pairs[i] != '\0'; i += 2)
        fasta->complement[(uint8_t)pairs[i]] = (uint8_t)pairs[i + 1];
    fasta->around = approximate_around(fasta->scan->job->patterns, fasta->scan->settings);
    fasta->limit = block > 0 && block < BLOCK_BYTES_FASTA ? block : BLOCK_BYTES_FASTA;
    if (fasta->whole)
        return true;
    fasta->capacity = fasta->limit < 4 * fasta->around ? 4 * fasta->around : fasta->limit;
    fasta->bytes = malloc((size_t)fasta->capacity);
    return fasta->bytes != NULL;
}
