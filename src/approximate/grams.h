/* grams: finds the candidates of an approximate search on the host, with a table of the grams
 * (codes of some adjacent symbols) with which the literals' pieces begin.
 *
 * With k errors, at least one of k + 1 pieces of a literal occurs without an error. Piece j has the
 * same range of symbols in all literals, or in all literals that share an exact part. At each start
 * in the text that has the exact part, the scan looks up, for each j, the codes in the piece's
 * range. The list of this gram has the literals whose piece begins with these codes, and the scan
 * compares GRAMS_LANES of them at once.
 *
 * Each instruction set has its own file, which compiles grams_impl.h.
 */
#ifndef TRAWL_APPROXIMATE_GRAMS_H
#define TRAWL_APPROXIMATE_GRAMS_H

#include "approximate/approx_filter.h"
#include "approximate/codes.h"

struct filter_ops;

/* The bit planes of a text: the high and the low bit of each byte's code, and whether the byte has
 * no code. */
enum { GRAMS_HIGH, GRAMS_LOW, GRAMS_NONE, GRAMS_PLANES };

#define GRAMS_LANES 8u /* how many literals are compared in parallel */
#define GRAMS_OFFSETS_MAX 8192u
#define GRAMS_STRETCH_WORDS (GRAMS_OFFSETS_MAX / 64u + 4u)
#define GRAMS_BITS_BEFORE 64u /* bits of a stretch before that of offset 0 */

/* A group has the literals with the same exact part. The scan first compares the text with the
 * exact part, and looks up pieces only where they are equal. */
#define GRAMS_GROUPS_MAX 8u

struct grams_group {
    /* the codes of the exact part, in the form of the arrays of struct approx_grams: bit j of
     * `high` is the high bit of symbol j's code */
    uint32_t high;
    uint32_t low;
    uint32_t care;
    /* the group's pieces begin at the previous group's piece_end, and end before this one */
    uint32_t piece_end;
};

/* Where a piece begins in each literal of a group, and how long the piece's gram is. */
struct grams_piece {
    uint32_t symbol;       /* the piece's first symbol in each literal */
    uint32_t gram_symbols; /* the first symbols of the piece, which are looked up as a gram */
    /* index in approx_grams.heads of the piece's first head. A head is the index of the first entry
     * of a gram's list. A piece has a head for each gram, and after these the end of the last
     * list. */
    uint64_t heads;
};

struct approx_grams {
    uint32_t errors_max;
    bool edits;
    struct filter_class planes[GRAMS_PLANES]; /* the bytes whose bit is set in each plane */
    uint32_t group_count;
    struct grams_group groups[GRAMS_GROUPS_MAX];
    uint32_t piece_count;
    struct grams_piece pieces[GRAMS_GROUPS_MAX * (TRAWL_ERRORS_MAX + 1)];
    uint32_t *heads; /* head_count indexes of entries; owned */
    uint64_t head_count;
    /* Five arrays of entry_room words, one for each entry of the lists, sorted by piece and gram.
     * After the entries, GRAMS_LANES more words are readable. All five are owned. */
    uint32_t *high;  /* bit j: the high bit of symbol j's code */
    uint32_t *low;   /* bit j: the low bit of symbol j's code */
    uint32_t *care;  /* bit j: symbol j has exactly one code, so any other code is an error */
    uint32_t *exact; /* bit j: symbol j must not have an error */
    uint32_t *literal;
    uint64_t entry_room;
    uint32_t list_max; /* entries of the longest list */
    /* For literal i, bit s of masks[i][code] is set if symbol s may be `code`, and masks[i][CODES]
     * has a bit for every symbol. Owned. */
    uint32_t (*masks)[8];
    uint32_t literal_count;
};

/* A range of text as bit planes: bit GRAMS_BITS_BEFORE + i belongs to offset i. */
struct grams_stretch {
    uint64_t bits[GRAMS_PLANES][GRAMS_STRETCH_WORDS];
    uint32_t group;  /* the group to scan; with edits, there is only one */
    uint32_t offset; /* the bit of the next start to scan */
    uint32_t end;    /* the bit after the last start to scan */
};

/* Scans from stretch->offset to stretch->end, or until `found` may not have room for one more
 * start. Each candidate is literal << 32 | the bit of the stretch at which it begins; with edits,
 * the true start may be up to errors_max before or after that. Returns the number of candidates. */
typedef uint64_t (*grams_function)(const struct approx_grams *grams, struct grams_stretch *stretch,
                                   uint64_t *found, uint64_t room);

/* Makes the lists of literals for the grams with which pieces of the plan's literals begin. Symbols
 * must be classes of bytes. The lists are immutable, so any number of threads may use them. Errors:
 * MEMORY, LIMIT. */
enum trawl_status approx_grams_make(const struct approximate *approximate,
                                    struct approx_grams **grams, struct trawl_error *error);
/* Returns the fraction of offsets of random text at which a scan looks up grams, because an exact
 * part is there. With edits, this is 1. */
double approx_grams_rate(const struct approximate *approximate);
void approx_grams_free(struct approx_grams *grams); /* accepts NULL */
/* Returns a size for the array `found` of grams_function, in words: more than the maximum number of
 * candidates of one start. */
uint64_t approx_grams_room(const struct approx_grams *grams);
/* Makes a stretch from bytes [0, bytes), as if there was no text before or after them, for
 * occurrences that begin in [0, offsets). The scan compares bytes up to 2 * TRAWL_ERRORS_MAX +
 * CODED_SYMBOLS_MAX after an occurrence's start, so `bytes` should include that many after
 * `offsets` if the text has them. FILTER_SLACK more bytes must be readable. */
void approx_grams_stretch(const struct approx_grams *grams, const struct filter_ops *ops,
                          const uint8_t *text, uint32_t bytes, uint32_t offsets,
                          struct grams_stretch *stretch);

#endif
