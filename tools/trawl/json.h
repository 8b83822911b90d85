/* json: --json, in the schema of ripgrep's JSON Lines. */
#ifndef TRAWL_JSON_H
#define TRAWL_JSON_H

#include "trawl/scan.h"

/* A line of the text, with its end. */
struct json_line {
    const uint8_t *bytes; /* NULL: it is read again (reread.c) */
    uint64_t count;
    const struct line_span *spans;
    uint64_t span_count;
    uint64_t number; /* 0: not wanted */
    uint64_t offset;
    bool selected;
};

/* Of a sequence in a FASTA file. */
struct json_match {
    const uint8_t *sequence, *bytes; /* its name, and what stands there */
    uint64_t sequence_bytes, bytes_count;
    uint64_t offset;
    uint64_t number; /* of the string */
    uint16_t distance, reversed;
};

/* Before a text is searched. */
void json_open(struct text_scan *scan);
void json_line(struct text_scan *scan, const struct json_line *line);
void json_match(struct text_scan *scan, const struct json_match *match);
/* After it. binary: it matches, but its lines are not shown. */
void json_end(struct text_scan *scan, bool binary);

/* Bytes as {"text":...}, or {"bytes":...} in base64 where they are not UTF-8. */
void json_data(struct text_scan *scan, const uint8_t *bytes, uint64_t bytes_count);

/* After all of them. */
void json_summary(struct output *output, const struct json_totals *totals, uint64_t elapsed_ns);

#endif
