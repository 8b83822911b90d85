/* dna: the IUPAC codes for bases (Nomenclature Committee of the IUB, 1984). RNA's U is T. */
#ifndef TRAWL_PLAN_DNA_H
#define TRAWL_PLAN_DNA_H

#include <stdint.h>

/* Returns the bases that a letter of either case stands for, as bits: A 1, C 2, G 4, T 8; 0 for a
 * byte that is not a code. */
static inline uint32_t dna_bases(uint8_t letter)
{
    /* Indexed by the letter's low five bits: @, then A to Z, then five unused entries. */
    static const uint8_t bases[32] = {0, 1, 14, 2, 13, 0, 0, 4, 11, 0,  0, 12, 0, 3, 15, 0,
                                      0, 0, 5,  6, 8,  8, 7, 9, 0,  10, 0, 0,  0, 0, 0,  0};

    return (letter & 0xc0) == 0x40 ? bases[letter & 31] : 0;
}

/* Returns the letter, or T in the same case for a U. */
static inline uint8_t dna_without_u(uint8_t letter)
{
    return (letter | 0x20) == 'u' ? (uint8_t)(letter - 1) : letter;
}

/* Returns the code, in upper case, for the complements of the letter's bases. */
static inline uint8_t dna_complement(uint8_t letter)
{
    static const char letters[] = "?ACMGRSVTWYHKDBN";
    uint32_t bases = dna_bases(letter);

    bases = (bases & 1) << 3 | (bases & 2) << 1 | (bases & 4) >> 1 | (bases & 8) >> 3;
    return (uint8_t)letters[bases];
}

#endif
