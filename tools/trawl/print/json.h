/* json: --json, in the schema of ripgrep's JSON Lines. */
#ifndef TRAWL_JSON_H
#define TRAWL_JSON_H

#include "trawl/print/piece.h"

/* A match in a sequence of a FASTA file. */
struct json_match {
    const uint8_t *sequence, *bytes; /* the sequence's name, the bytes of the match */
    uint64_t sequence_bytes, bytes_count;
    uint64_t offset;
    uint64_t number; /* number of the string */
    uint16_t distance, reversed;
};

/* Called before a text is searched. */
void json_open(struct text_scan *scan);
/* number: the line's number; 0: not printed. lines: more than 1 if matches cross lines. */
void json_line(struct text_scan *scan, const struct piece *line, uint64_t number, uint64_t lines);
void json_match(struct text_scan *scan, const struct json_match *match);
/* Called after a text was searched. binary: the text matches, but lines of a binary file are not
 * shown. */
void json_end(struct text_scan *scan, bool binary);

/* Prints the summary, after the last text. */
void json_summary(struct output *output, const struct json_totals *totals, uint64_t elapsed_ns);

#endif
