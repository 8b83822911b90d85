/* json: --json, in the schema of ripgrep's JSON Lines. */
#ifndef TRAWL_JSON_H
#define TRAWL_JSON_H

#include "trawl/job/command_scan.h"

/* A line of the text, with the line end. */
struct json_line {
    const uint8_t *bytes; /* NULL: the line is read again (reread.c) */
    uint64_t count;
    const struct line_span *spans; /* the matches in the line */
    uint64_t span_count;
    uint64_t number; /* 0: not printed */
    uint64_t offset;
    bool selected;
    uint64_t lines; /* more than 1: matches cross lines */
};

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
void json_line(struct text_scan *scan, const struct json_line *line);
void json_match(struct text_scan *scan, const struct json_match *match);
/* Called after a text was searched. binary: the text matches, but lines of a binary file are not
 * shown. */
void json_end(struct text_scan *scan, bool binary);

/* Prints bytes as {"text":...}, or as {"bytes":...} in base64 if the bytes are not UTF-8. */
void json_data(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);

/* Prints the summary, after the last text. */
void json_summary(struct output *output, const struct json_totals *totals, uint64_t elapsed_ns);

#endif
