/* analyse: computes properties of a literal (a string to be searched for) and of a set: periods,
 * rare bytes, and how often grams (sequences of some bytes) should occur in a text. */
#ifndef TRAWL_PLAN_ANALYSE_H
#define TRAWL_PLAN_ANALYSE_H

#include "plan/plan.h"

#define FOLD_ALL 0x2020202020202020ull /* or-ed into eight bytes: letters become lower case */

/* For each byte value, its expected fraction of the bytes of a text. The sum is about 1. */
struct byte_rates {
    double rate[256];
};

/* Estimates the rates from the sample if sample_bytes ≥ PLAN_SAMPLE_BYTES_MIN, else from built-in
 * rates of usual texts. Without a sample, the bytes of a literal of at least PLAN_GRAMS_LENGTH_MIN
 * bytes with at most four byte values (DNA) get higher rates, because the text is probably like the
 * literal. With `fold`, the rates of a letter's two cases are added up. */
void analyse_rates(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                   uint64_t literal_bytes, bool fold, struct byte_rates *rates);

/* Returns true if the sample repeats parts of the literal, so that a search has many candidates.
 * Takes 64 strings of 16 bytes from the sample. The sample repeats the literal if at least 8 of
 * them occur in the literal, and if they belong to occurrences of the literal at 3 or more
 * different positions. sample_bytes ≥ PLAN_SAMPLE_BYTES_MIN. Cost: 64 searches of the literal. */
bool analyse_repeats(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                     uint64_t literal_bytes);

/* Returns log2 of value ≥ 1, with an error of up to about 0.1. */
double analyse_log2(double value);

/* Returns the square root of a value > 0, by Newton's method, so that the library need not be
 * linked with libm. */
double analyse_root(double value);
double analyse_power(double base, uint32_t exponent);

/* Returns the entropy of a byte in bits. If there are many bytes, only a part is counted. */
double analyse_byte_bits(const uint8_t *bytes, uint64_t count);

/* Finds where the two-way search splits the literal (*critical) and the literal's least period.
 * If the least period exceeds the longer side of the split, and so also count / 2, *period is 0.
 * Linear time, constant space (Crochemore and Perrin, "Two-way string-matching", 1991). count ≥ 1.
 */
void analyse_period(const uint8_t *bytes, uint64_t count, uint64_t *critical, uint64_t *period);

/* Chooses probes: bytes of the literal that a search tests first. Chooses offsets near each other,
 * so that the probes share cache lines. The first probe has the rarest byte. With a sample, each
 * further probe leaves the fewest of the positions that pass the probes before. Without one
 * (sample_bytes 0), or once no such position is left, rarity decides. Sets passed[i] to the
 * expected fraction of positions that pass probes 0 to i. Returns the number of probes. */
uint32_t analyse_probes(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, const uint8_t *sample,
                        uint64_t sample_bytes, struct plan_probe *probes, double *passed);

/* Returns how many of the probes to test at every position: further probes would rule out few more
 * blocks of 64 positions. */
uint32_t analyse_first_probes(const double *passed, uint32_t probe_count);

/* Returns the fraction of the sample's positions that would be candidates by these grams; 0 if too
 * few match to tell a rate. */
double analyse_seen_grams(const uint8_t *sample, uint64_t sample_bytes,
                          const struct plan_grams *grams);

/* Returns the offset in the literal of 7 bytes that are rare: their four sequences of 4 bytes have
 * the least sum of rates. count ≥ 7. */
uint64_t analyse_rare_bytes(const uint8_t *bytes, uint64_t count, const struct byte_rates *rates);

/* Returns the offset of the 8 bytes of the literal that occur least often in the sample, among the
 * first 1024 offsets. If several are equally rare, `rates` decide. If the sample has the 8 bytes of
 * each of these offsets, looks for rarer ones at further offsets. Sets *rate to the fraction of the
 * sample's positions that have the 8 bytes. count ≥ 8. */
uint64_t analyse_seen_window(const uint8_t *bytes, uint64_t count, bool fold,
                             const struct byte_rates *rates, const uint8_t *sample,
                             uint64_t sample_bytes, double *rate);

/* Returns the fraction of the sample's positions that have the 8 bytes. Examines all positions;
 * this takes a few ns each, so analyse_seen_window examines only one in five. */
double analyse_seen_rate(const uint8_t *bytes, bool fold, const uint8_t *sample,
                         uint64_t sample_bytes);

/* Returns how many of the literal's first `offsets` offsets have the 16 bytes at a position of the
 * sample, on average over positions. *deep counts only those where the next ANALYSE_DEEP_BYTES
 * bytes are equal, too, or all bytes up to the literal's or the sample's end. */
#define ANALYSE_DEEP_BYTES 64u
double analyse_seen_named(const uint8_t *bytes, uint64_t count, uint64_t offsets, bool fold,
                          const uint8_t *sample, uint64_t sample_bytes, double *deep);

/* Chooses the `stride` consecutive offsets of the literal whose grams are rarest. Bytes are
 * compared by their low three bits, as the vectors do (layout.h). Returns the expected number of
 * candidates per byte of text. count ≥ stride + 3; otherwise returns 1 and leaves *grams
 * unchanged. */
double analyse_grams(const uint8_t *bytes, uint64_t count, bool fold,
                     const struct byte_rates *rates, uint32_t stride, struct plan_grams *grams);

/* Returns the number of different suffixes of the literals, which is one less than the number of
 * states of an automaton that reads backwards. `patterns` has the numbers of `count` patterns; of
 * pattern p only its first literal, literal_from[p], counts. If patterns is NULL, the plan's first
 * `count` literals count. Suffixes with equal hashes count once, so the number may be a little low;
 * for sets of more than PLAN_SUFFIXES_MAX bytes it is useless. Takes 3 to 5 ns per byte. */
uint64_t plan_count_suffixes(const struct trawl_plan *plan, const uint32_t *patterns,
                             const uint32_t *literal_from, uint32_t count);
#define PLAN_SUFFIXES_MAX 20000u

#define ANALYSE_GRAM_MIN 4u
#define ANALYSE_GRAM_MAX 16u

/* How alike the strings of a set are, from samples of their bytes. */
struct strings_likeness {
    /* rate[q]: probability that a position of a text like the strings has the first q bytes of
     * one */
    double rate[ANALYSE_GRAM_MAX + 1];
    double byte_count; /* number of different bytes in the strings, estimated */
};
void analyse_likeness(const struct trawl_plan *plan, struct strings_likeness *likeness);

/* How often two grams of a set's strings are equal. They have ANALYSE_GRAM_MIN to
 * ANALYSE_GRAM_MAX bytes, and begin at offsets of at most offsets_max. */
struct gram_likeness {
    /* rate[q]: the probability that two grams of q bytes are equal, in a text like the patterns */
    double rate[ANALYSE_GRAM_MAX + 1];
    bool uneven[ANALYSE_GRAM_MAX + 1]; /* rate[q] far exceeds the rate of independent bytes */
};
void analyse_gram_likeness(const struct trawl_plan *plan, uint64_t offsets_max,
                           struct gram_likeness *likeness);

#endif
