/* analyse: computes properties of a literal (a string to be searched for) and of a set of literals:
 * periods, rare bytes, and how often their grams (short sequences of bytes) are expected in a
 * text. */
#ifndef TRAWL_PLAN_ANALYSE_H
#define TRAWL_PLAN_ANALYSE_H

#include "plan/plan.h"

#define FOLD_ALL 0x2020202020202020ull /* or-ed into eight bytes: letters become lower case */

/* For each byte value, its expected fraction of the bytes of a text. The sum is about 1. */
struct byte_rates {
    double rate[256];
};

/* Estimates the rates from the sample if sample_bytes ≥ PLAN_SAMPLE_BYTES_MIN, and otherwise from
 * built-in rates of typical texts. If there is no sample, a literal of at least
 * PLAN_GRAMS_LENGTH_MIN bytes with at most four byte values (DNA) raises the rates of these values,
 * because the text is probably like the literal. With `fold`, the rates of a letter's two cases are
 * added up. */
void analyse_rates(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                   uint64_t literal_bytes, bool fold, struct byte_rates *rates);

/* Returns log2 of value ≥ 1, with an error of up to about 0.1. */
double analyse_log2(double value);

/* Returns the square root of a value > 0, by Newton's method, so that the library need not be
 * linked with libm. */
double analyse_root(double value);
double analyse_power(double base, uint32_t exponent);

/* Returns the entropy of a byte, in bits, and sets *values to the number of different bytes. If
 * there are many bytes, counts only some of them. */
double analyse_byte_bits(const uint8_t *bytes, uint64_t count, uint32_t *values);

/* Finds where the two-way search splits the literal (*critical) and the literal's smallest period.
 * If this period exceeds the longer side of the split, and so also count / 2, *period is 0. Linear
 * time, constant space (Crochemore and Perrin, "Two-way string-matching", 1991). count ≥ 1.
 */
void analyse_period(const uint8_t *bytes, uint64_t count, uint64_t *critical, uint64_t *period);

/* Chooses probes: bytes of the literal that a search tests first. They are near each other, so that
 * they share cache lines. The first probe is the rarest byte. With a sample, each further probe is
 * the one that the fewest remaining positions of the sample pass. Without a sample (sample_bytes
 * 0), or once no position remains, the rarest byte is next. Sets passed[i] to the expected fraction
 * of positions that pass probes 0 to i. Returns the number of probes. */
uint32_t analyse_probes(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, const uint8_t *sample,
                        uint64_t sample_bytes, struct plan_probe *probes, double *passed);

/* Returns how many of the probes to test at every position. Testing more there would rule out few
 * more blocks of 64 positions. */
uint32_t analyse_first_probes(const double *passed, uint32_t probe_count);

/* Returns the fraction of the sample's positions that would be candidates with these grams; 0 if
 * none is seen. */
double analyse_seen_grams(const uint8_t *sample, uint64_t sample_bytes,
                          const struct plan_grams *grams);

/* Returns the literal's offset of 7 bytes that are rare: the four sequences of 4 bytes in them have
 * the lowest sum of rates. count ≥ 7. */
uint64_t analyse_rare_bytes(const uint8_t *bytes, uint64_t count, const struct byte_rates *rates);

/* Finds the 8 consecutive bytes of the literal that occur least often in the sample, among the
 * first SEEN_WINDOWS_MAX offsets (prices.def), and returns their offset. Ties are decided by
 * `rates`. If the sample contains the 8 bytes of every one of these offsets, tries further offsets.
 * Sets *rate to the fraction of the sample's positions that have the 8 bytes. count ≥ 8. */
uint64_t analyse_seen_window(const uint8_t *bytes, uint64_t count, bool fold,
                             const struct byte_rates *rates, const uint8_t *sample,
                             uint64_t sample_bytes, double *rate);

/* Returns the fraction of the sample's positions that have the 8 bytes at `bytes`. Examines all
 * positions, at a few ns each, whereas analyse_seen_window examines one in five. */
double analyse_seen_rate(const uint8_t *bytes, bool fold, const uint8_t *sample,
                         uint64_t sample_bytes);

/* Returns the mean number of offsets o < `offsets` at which the literal's 16 bytes equal the 16
 * bytes at a position of the sample. For *deep, the next ANALYSE_DEEP_BYTES bytes must be equal,
 * too, or all bytes up to the end of the literal or of the sample. For *whole, all of the literal
 * must be there, also what precedes the 16 bytes; 0 for more than ANALYSE_WHOLE_BYTES bytes. */
#define ANALYSE_DEEP_BYTES 64u
#define ANALYSE_WHOLE_BYTES 320u
double analyse_seen_named(const uint8_t *bytes, uint64_t count, uint64_t offsets, bool fold,
                          const uint8_t *sample, uint64_t sample_bytes, double *deep,
                          double *whole);

/* Chooses the `stride` consecutive offsets of the literal whose grams are rarest, if bytes are
 * compared only in their low three bits, as the vector code does (layout.h). Returns the expected
 * number of candidates per byte of text. If count < stride + 3, returns 1 and leaves *grams
 * unchanged. */
double analyse_grams(const uint8_t *bytes, uint64_t count, bool fold,
                     const struct byte_rates *rates, uint32_t stride, struct plan_grams *grams);

/* The suffixes of strings, by their hashes. */
#define SUFFIX_BITS 65536u
struct analyse_suffixes {
    uint64_t bits[SUFFIX_BITS / 64];
};

/* Adds the suffixes of a string, those of each seed apart, and returns how many are new: as many
 * states has an automaton that reads backwards. Suffixes with equal hashes count once, so the
 * number may be slightly low; above ANALYSE_SUFFIXES_BYTES bytes of strings, it is useless. Takes 3
 * to 5 ns per byte. */
uint64_t analyse_add_suffixes(struct analyse_suffixes *seen, const uint8_t *bytes, uint64_t count,
                              uint64_t seed);
#define ANALYSE_SUFFIXES_BYTES 20000u

#define ANALYSE_GRAM_MIN 4u
#define ANALYSE_GRAM_MAX 16u

/* How alike the strings of a set are, from samples of their bytes. */
struct strings_likeness {
    /* rate[q]: probability that the first q bytes of a string of the set occur at a position of a
     * text that is like the strings */
    double rate[ANALYSE_GRAM_MAX + 1];
};
void analyse_likeness(const struct trawl_plan *plan, struct strings_likeness *likeness);

/* How often two grams of a set's strings are equal: grams of ANALYSE_GRAM_MIN to ANALYSE_GRAM_MAX
 * bytes that begin at offsets ≤ offsets_max in their strings. */
struct gram_equality {
    /* rate[q]: probability that two grams of q bytes are equal, in a text like the patterns */
    double rate[ANALYSE_GRAM_MAX + 1];
    bool uneven[ANALYSE_GRAM_MAX + 1]; /* rate[q] far exceeds the rate of independent bytes */
};
void analyse_gram_likeness(const struct trawl_plan *plan, uint64_t offsets_max,
                           struct gram_equality *likeness);

#endif
