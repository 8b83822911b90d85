/* json: writes results as JSON Lines in ripgrep's schema (option --json). */
#ifndef TRAWL_JSON_H
#define TRAWL_JSON_H

#include "trawl/print/piece.h"

/* A match in a sequence of a FASTA file. */
struct json_match {
    const uint8_t *sequence, *bytes; /* the name of the sequence, and the bytes of the match */
    uint64_t sequence_bytes, bytes_count;
    uint64_t offset;
    uint64_t number; /* number of the string */
    uint16_t distance, reversed;
};

/* Called before a text is searched. */
void json_open(struct text_scan *scan);
/* Writes a line, with its number unless `number` is 0. The spans' groups are in `matches`. `lines`
 * is 1, or with --multiline the number of lines in it. */
void json_line(struct text_scan *scan, const struct piece *line, const struct trawl_match *matches,
               uint64_t number, uint64_t lines);
void json_match(struct text_scan *scan, const struct json_match *match);
/* Called after a text was searched. `binary`: a selected line was not written because the text is
 * binary. */
void json_end(struct text_scan *scan, bool binary);

/* Writes the summary, after the last text. */
void json_summary(const struct command_job *job);

#endif
