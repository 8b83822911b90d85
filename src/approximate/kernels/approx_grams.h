/* approx_grams: the constants and arguments that the host shares with the kernels for approximate
 * search.
 *
 * A byte of the text has one of four codes, of two bits each, or no code, which equals no symbol. A
 * literal's symbol is a set of codes. Different bytes may have the same code, but equal bytes
 * always match. Bases of DNA that the patterns distinguish have different codes. The first
 * GRAMS_SYMBOLS_MAX symbols of a literal are compared.
 *
 * With k errors, at least one of k + 1 pieces of a literal occurs without an error. A gram is the
 * codes of gram_symbols adjacent bytes. For each gram, the tables list the pieces that begin with
 * it. For the literal GATTACA within 1 mismatch, cut into GAT and TACA, and grams of 3:
 *
 *     lists             GAT: GATTACA, symbol 0             TAC: GATTACA, symbol 3
 *     text              c c G A T T A C G g
 *     gram at 2             G A T             listed: compare GATTACA at 2 - 0 = 2
 *     gram at 3               A T T           not listed
 *     gram at 5                   T A C       listed: at 5 - 3 = 2, which is known already
 *     literal               G A T T A C A     1 mismatch, at symbol 6: 2 is a candidate
 */
#ifndef TRAWL_APPROXIMATE_KERNELS_APPROX_GRAMS_H
#define TRAWL_APPROXIMATE_KERNELS_APPROX_GRAMS_H

#include <stdint.h>

#define GRAMS_SYMBOLS_MAX 32u
#define GRAMS_CODES 4u
#define GRAMS_NO_CODE GRAMS_CODES
#define GRAMS_THREADS_MAX 1024u
/* bits of an entry for the symbol of the literal with which the piece begins */
#define GRAMS_SYMBOL_BITS 5u
/* Offsets of the text that a block searches at a time. */
#define GRAMS_TILE_OFFSETS 8192u

/* Words of a literal. Words 0 to 3: for each code, the symbols that may be it; bit j is set for
 * symbol j, and for each j after the last symbol. Then: */
#define GRAMS_COMPARED 4u /* a bit for each symbol that is compared */
#define GRAMS_EXACT 5u    /* a bit for each symbol that allows no error */
#define GRAMS_PIECES 6u   /* a bit for each symbol at which a piece begins */
#define GRAMS_LITERAL_WORDS 8u

/* Mismatches: literals with the same exact symbols at the same offsets share a motif, which is
 * searched for before the literals. The words of a motif are words 0 to 3 of a literal, reduced to
 * the exact symbols, and the word GRAMS_EXACT. A segment of the lists has the pieces of one motif
 * that begin at the same symbol. A segment's word is the symbol in the low GRAMS_SYMBOL_BITS bits,
 * and the motif's number above. */
#define GRAMS_MOTIFS_MAX 4u
#define GRAMS_SEGMENTS_MAX 64u

/* The tables begin with the codes of the 256 bytes, 4 codes in a word. */
#define GRAMS_CODE_WORDS 64u
/* After these come the literals, the motifs, the segments, the heads and the entries. A head is the
 * index of a list's first entry; the heads are sorted by segment and gram, and followed by the end
 * of the last list. An entry is a literal's number << GRAMS_SYMBOL_BITS | symbol. A gram's number
 * is the high bits of its codes, above their low bits. */

struct grams_arguments {
    const uint8_t *text; /* aligned to 256 bytes */
    uint64_t begin;      /* the kernels find occurrences that begin in [begin, end) */
    uint64_t end;
    uint64_t text_end; /* bytes of the text */
    const uint32_t *tables;
    uint32_t table_words; /* words of the tables, a multiple of 4 */
    uint32_t heads_at;    /* index of the first word of the heads in the tables */
    uint32_t entries_at;  /* index of the first word of the entries */
    uint32_t motifs_at;   /* index of the first word of the motifs */
    uint32_t segments_at; /* index of the first word of the segments */
    uint32_t motif_count;
    uint32_t segment_count; /* 1 if there are no motifs */
    uint32_t gram_symbols;
    uint32_t errors_max;
    uint32_t shared_bytes; /* dynamic shared memory: the size of all tables, or 0 */
    /* Candidates in any order, possibly repeated: literal << 32 | (x - begin) or, with edits,
     * literal << 32 | (x - begin + errors_max). x is where the occurrence begins if it has no error
     * before the piece. */
    uint64_t *found;
    uint64_t capacity; /* how many words `found` has */
    /* the number of candidates, which may exceed the capacity; 0 before the launch */
    uint64_t *count;
};

#endif
