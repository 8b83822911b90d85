/* piece: the bytes of a line to be printed, in which --replace may have replaced matches. */
#ifndef TRAWL_PIECE_H
#define TRAWL_PIECE_H

#include "trawl/job/command_scan.h"
#include "trawl/print/print.h"

/* A line to be printed, or with -o a match. A replaced line is composed while being printed, block
 * by block, so that no long line has to be in memory as a whole. */
struct piece {
    const uint8_t *bytes; /* the line's bytes; NULL: read again from text offset `offset` */
    uint64_t offset;
    uint64_t line_bytes;           /* length of the line, with the line end */
    uint64_t at;                   /* offset at which the piece begins in the printed line */
    uint64_t count;                /* printed bytes, with the line end */
    uint64_t content;              /* printed bytes, without the line end */
    const struct line_span *spans; /* matches to mark */
    uint64_t span_count;
    uint64_t match_count; /* matches in the whole line, for messages about lines left out */
    bool replaced;        /* the style's spans have replacements */
    bool selected;
    bool is_match; /* a match of -o */
};

/* Returns bytes of the piece from `at` on that are adjacent in memory, and their number in *count.
 * NULL: unreadable. */
const uint8_t *piece_bytes(struct text_scan *scan, const struct piece *piece, uint64_t at,
                           uint64_t *count);
uint8_t piece_byte_at(struct text_scan *scan, const struct piece *piece, uint64_t at);
/* Returns where `characters` characters from `at` on end. */
uint64_t piece_skip_characters(struct text_scan *scan, const struct piece *piece, uint64_t at,
                               uint64_t end, uint64_t characters);
/* As piece_is_printable, for a piece that does not lie in memory as a whole. */
bool piece_parts_are_printable(struct text_scan *scan, const struct piece *piece);

/* Returns whether all bytes of the piece may be printed (print_is_printable). */
static inline bool piece_is_printable(struct text_scan *scan, const struct piece *piece)
{
    return piece->bytes != NULL && !piece->replaced
               ? print_is_printable(scan, piece->bytes + piece->at, piece->content)
               : piece_parts_are_printable(scan, piece);
}

/* Replaces the matches of a line. */
bool piece_replace(struct text_scan *scan, const struct view *view, struct piece *piece);

#endif
