/* grams: what the host and the kernels that search with errors agree on.
 *
 * A text's byte becomes one of four codes of two bits, or none, which equals nothing. A literal's
 * symbol is a set of codes. So a comparison may say yes where the bytes differ, but never the other
 * way round; letters of DNA have codes of their own. The first GRAMS_SYMBOLS_MAX symbols of a
 * literal are compared.
 *
 * With k errors one of k + 1 pieces of a literal occurs as it is. The tables list for each gram,
 * the codes of gram_symbols neighbouring bytes, the pieces that begin with it.
 */
#ifndef TRAWL_APPROXIMATE_KERNELS_GRAMS_H
#define TRAWL_APPROXIMATE_KERNELS_GRAMS_H

#include <stdint.h>

#define GRAMS_SYMBOLS_MAX 32u
#define GRAMS_CODES 4u
#define GRAMS_NO_CODE GRAMS_CODES
#define GRAMS_THREADS_MAX 1024u
#define GRAMS_PLACE_BITS 5u /* of an entry: the symbol of its literal where the piece begins */
/* Of a block, at a time. */
#define GRAMS_TILE_PLACES 8192u

/* Words of a literal: for each code the symbols that equal it, bit j for symbol j, and all beyond
 * the last; then: */
#define GRAMS_COMPARED 4u /* bits of the symbols that are compared, */
#define GRAMS_EXACT 5u    /* of those without an error, */
#define GRAMS_PIECES 6u   /* and of those where pieces begin */
#define GRAMS_LITERAL_WORDS 8u

/* Of mismatches: literals with the same exact symbols in the same places share a motif, which is
 * looked for first. Its words are a literal's as far as they are exact, and GRAMS_EXACT. A segment
 * of the lists has the pieces of one motif that begin at one symbol: a word, with that symbol
 * below the motif's number. */
#define GRAMS_MOTIFS_MAX 4u
#define GRAMS_SEGMENTS_MAX 64u

/* Words of the tables: the codes of the 256 bytes, 4 in a word; */
#define GRAMS_CODE_WORDS 64u
/* the literals; the motifs; the segments; the heads of the lists, by segment and gram, where one
 * begins and the last one's end; the entries, a literal's number above its place. A gram has the
 * high bits of its codes above the low ones. */

struct grams_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t begin;      /* occurrences that begin in [begin, end) are looked for */
    uint64_t end;
    uint64_t text_end; /* text bytes */
    const uint32_t *tables;
    uint32_t table_words; /* a multiple of 4 */
    uint32_t heads_at;    /* the word of the tables where the heads begin, */
    uint32_t entries_at;  /* the entries, */
    uint32_t motifs_at;   /* the motifs, */
    uint32_t segments_at; /* and the segments */
    uint32_t motif_count;
    uint32_t segment_count; /* 1 without motifs */
    uint32_t gram_symbols;
    uint32_t errors_max;
    uint32_t shared_bytes; /* dynamic: all tables, or 0 */
    /* Candidates, in any order, perhaps several times the same: the literal in the upper half, and
     * in the lower one where it begins if there are no errors before the piece, minus begin. Edits:
     * plus errors_max. */
    uint64_t *found;
    uint64_t capacity; /* of found */
    uint64_t *count;   /* 0 before; candidates found, also beyond the capacity */
};

#endif
