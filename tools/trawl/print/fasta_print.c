/* fasta_print: prints matches in sequences, and whole records. */
#include <inttypes.h>

#include "trawl/print/fasta.h"
#include "trawl/print/json.h"
#include "trawl/print/print.h"

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

/* Writes bytes and `after` as a column of BED: spaces and control characters become _, and an empty
 * column becomes a dot. */
static void print_column(struct output *output, const uint8_t *bytes, uint64_t bytes_count,
                         char after)
{
    for (uint64_t i = 0; i < bytes_count; i++)
        output_byte(output, bytes[i] > ' ' ? bytes[i] : '_');
    if (bytes_count == 0)
        output_byte(output, '.');
    output_byte(output, (uint8_t)after);
}

/* Prints a match as a line of BED, with the string's number instead of the string unless the number
 * is 0. */
static void print_bed(struct fasta *fasta, const struct json_match *match,
                      const struct trawl_pattern *pattern, uint64_t number)
{
    struct text_scan *scan = fasta->scan;
    const struct patterns *patterns = scan->job->patterns;
    const uint64_t primers[] = {fasta->primer, fasta_mate(patterns, fasta->primer)};

    print_column(scan->output, match->sequence, match->sequence_bytes, '\t');
    output_format(scan->output, "%" PRIu64 "\t%" PRIu64 "\t", match->offset,
                  match->offset + match->bytes_count);
    if (number > 0 && patterns_name(patterns, number) != NULL)
        print_column(scan->output, patterns_name(patterns, number)->bytes,
                     patterns_name(patterns, number)->bytes_count, '\t');
    else if (number > 0)
        output_format(scan->output, "%" PRIu64 "\t", number);
    else if (scan->settings->amplicon.end > 0)
        for (uint64_t i = 0; i < 2; i++) {
            pattern = &patterns->items[patterns->columns[primers[i]]];
            print_column(scan->output, pattern->bytes, pattern->bytes_count, i == 0 ? '/' : '\t');
        }
    else
        print_column(scan->output, pattern->bytes, pattern->bytes_count, '\t');
    output_format(scan->output, "%d\t%c\n", match->distance, match->reversed ? '-' : '+');
}

/* Prints a match. `number` is the string's number; 0: not printed. */
static void print_match(struct fasta *fasta, const struct json_match *match,
                        const struct trawl_pattern *pattern, uint64_t number)
{
    struct text_scan *scan = fasta->scan;
    const struct colors *colors = &scan->settings->colors;

    if (scan->settings->bed) {
        print_bed(fasta, match, pattern, number);
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
    if (number > 0) {
        print_color_start(scan, colors->line_number);
        print_pattern(scan->job, number);
        print_color_end(scan, colors->line_number);
        print_field_end(scan, true);
    }
    print_field(scan, match->distance, colors->line_number);
    print_text(scan, match->bytes, match->bytes_count, colors->selected_match);
    output_byte(scan->output, '\n');
}

/* Prints a match of the block, with the name of the sequence and the match's offset in that
 * sequence. */
void fasta_report_match(struct fasta *fasta, const struct sequence *sequence,
                        const struct trawl_match *match)
{
    struct text_scan *scan = fasta->scan;
    const struct numbers *numbers = &scan->job->patterns->numbers;
    struct json_match found = {.distance = match->distance, .reversed = match->reversed};
    const bool numbered = scan->settings->heads.pattern_number;
    const bool paired = scan->settings->amplicon.end > 0;

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
    for (uint64_t i = 0;
         i < (numbered && !paired ? numbers_count(numbers, match->pattern_index) : 1); i++)
        print_match(fasta, &found, &scan->job->patterns->items[match->pattern_index],
                    !numbered ? 0
                    : paired  ? fasta->primer + 1
                              : numbers_get(numbers, match->pattern_index, i));
}

void fasta_selected(struct fasta *fasta)
{
    struct text_scan *scan = fasta->scan;

    scan->lines.selected++;
    scan->lines.selected_end = scan->lines.scanned_end;
    scan->lines.left--;
    fasta->stop = scan->lines.left == 0 || scan->rules.stop_at_select || scan->output->error != 0;
}

void fasta_take_records(struct fasta *fasta)
{
    struct text_scan *scan = fasta->scan;
    uint64_t next;

    for (uint64_t i = 0; i < fasta->sequence_count && !fasta->stop; i = next) {
        const uint64_t begin = fasta->sequences[i].raw_begin;
        bool found = fasta->sequences[i].has_match;
        uint64_t end = fasta->raw_used;

        for (next = i + 1; next < fasta->sequence_count && fasta->sequences[next].follows; next++)
            found |= fasta->sequences[next].has_match;
        if (next < fasta->sequence_count)
            end = fasta->sequences[next].raw_begin;
        if (found == scan->settings->invert)
            continue;
        if (!scan->quiet)
            output_bytes(scan->output, fasta->raw + begin, (size_t)(end - begin));
        fasta_selected(fasta);
    }
    output_commit(scan->output);
}
