/* piece: delivers the bytes of a line to print, with the replacements that --replace makes. */
#ifndef TRAWL_PIECE_H
#define TRAWL_PIECE_H

#include "trawl/job/command_scan.h"
#include "trawl/print/print.h"

/* A line to print, or with -o a match. A replaced line is assembled block by block while it is
 * printed, so that a long line need not be in memory as a whole. */
struct piece {
    /* the line's bytes; NULL: the bytes are read from the text again, at text offset `offset` */
    const uint8_t *bytes;
    uint64_t offset;
    uint64_t line_bytes;           /* length of the line in the text, with its line end */
    uint64_t at;                   /* offset in the printed line where the piece begins */
    uint64_t count;                /* printed bytes, with the line end */
    uint64_t content;              /* printed bytes, without the line end */
    const struct line_span *spans; /* matches that are printed in a colour */
    uint64_t span_count;
    /* matches in the whole line, for a message about what is not shown */
    uint64_t match_count;
    /* the line has the replacements of --replace, which are printed instead of the matches */
    bool replaced;
    bool selected;
    bool is_match; /* a match of -o */
};

/* Returns bytes of the piece from `at`, as many as are contiguous in memory, and sets *count to
 * their number. NULL: the text cannot be read. */
const uint8_t *piece_bytes(struct text_scan *scan, const struct piece *piece, uint64_t at,
                           uint64_t *count);
uint8_t piece_byte_at(struct text_scan *scan, const struct piece *piece, uint64_t at);
/* Returns the offset after `characters` characters starting at `at`, at most `end`. */
uint64_t piece_skip_characters(struct text_scan *scan, const struct piece *piece, uint64_t at,
                               uint64_t end, uint64_t characters);
/* Returns the offset `characters` characters before `at`, at least 0. An invalid byte counts as
 * one. */
uint64_t piece_back_characters(struct text_scan *scan, const struct piece *piece, uint64_t at,
                               uint64_t characters);
/* Returns the number of characters in [at, end). */
uint64_t piece_count_characters(struct text_scan *scan, const struct piece *piece, uint64_t at,
                                uint64_t end);
/* Does what piece_is_printable does, for a piece that is not in memory as a whole. */
bool piece_parts_are_printable(struct text_scan *scan, const struct piece *piece);

/* Returns true if the piece is valid text, so that it may be printed (print_is_printable). */
static inline bool piece_is_printable(struct text_scan *scan, const struct piece *piece)
{
    return piece->bytes != NULL && !piece->replaced
               ? print_is_printable(scan, piece->bytes + piece->at, piece->content)
               : piece_parts_are_printable(scan, piece);
}

/* Prepares a piece in which the matches of the line are replaced. */
bool piece_replace(struct text_scan *scan, const struct view *view, struct piece *piece);

#endif
