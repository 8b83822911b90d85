/* analyse: what a literal is like: its period, its rare bytes, how often its grams are expected. */
#ifndef TRAWL_PLAN_ANALYSE_H
#define TRAWL_PLAN_ANALYSE_H

#include "plan/plan.h"

/* Expected share of each byte value in the texts to come; sums to about 1. */
struct byte_rates {
    double rate[256];
};

/* From a sample if there is one, else the built-in prior; a literal over at most four byte values
 * (DNA) is taken as a hint that the text is like that. With `fold`, letters of both cases count
 * together. */
void analyse_rates(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                   uint64_t literal_bytes, bool fold, struct byte_rates *rates);

/* Does the sample repeat itself in the literal's own words? That is, do 16 bytes of it, taken here
 * and there, often stand in the literal, and not all where one occurrence of it would have them: a
 * text like that proposes candidates wherever it is looked at. Of a sample of PLAN_SAMPLE_BYTES_MIN
 * or more. Cost: 64 searches of the literal. */
bool analyse_repeats(const uint8_t *sample, uint64_t sample_bytes, const uint8_t *literal,
                     uint64_t literal_bytes);

/* log2, to a tenth or so, of a value of 1 or more. */
double analyse_log2(double value);

/* Entropy of a byte in bits, by how often each byte comes; for many bytes, from a part of them. */
double analyse_byte_bits(const uint8_t *bytes, uint64_t count);

/* Critical factorization: *critical gets the position, *period the least period, or 0 if that is
 * more than the longer side of the critical position (and so more than half of count). Linear time,
 * constant space (Crochemore and Perrin, "Two-way string-matching", 1991). count >= 1. */
void analyse_period(const uint8_t *bytes, uint64_t count, uint64_t *critical, uint64_t *period);

/* Choose probe offsets, most telling first, near each other so that they share cache lines: those
 * that leave fewest of the sample's places, or without one (sample_bytes 0) those of the rarest
 * bytes. passed[i]: the share of positions that is expected to pass probes 0 to i. Returns how many
 * probes. */
uint32_t analyse_probes(const uint8_t *bytes, uint64_t count, bool fold,
                        const struct byte_rates *rates, const uint8_t *sample,
                        uint64_t sample_bytes, struct plan_probe *probes, double *passed);

/* How many of the probes, in order, leave a candidate in few blocks of 64 positions. */
uint32_t analyse_first_probes(const double *passed, uint32_t probe_count);

/* The share of a sample's positions that the grams would propose. */
double analyse_seen_grams(const uint8_t *sample, uint64_t sample_bytes,
                          const struct plan_grams *grams);

/* Where the 7 bytes begin whose four words are rarest. count >= 7. */
uint64_t analyse_rare_bytes(const uint8_t *bytes, uint64_t count, const struct byte_rates *rates);

/* Where the 8 bytes begin, among the literal's first thousand, that stand least often in the
 * sample; of such, the rarest bytes. If each of those stands there, bytes further on that stand
 * there less often, if there are such. *rate: their share of its positions. count >= 8. */
uint64_t analyse_seen_window(const uint8_t *bytes, uint64_t count, bool fold,
                             const struct byte_rates *rates, const uint8_t *sample,
                             uint64_t sample_bytes, double *rate);

/* How many of the literal's first `offsets` offsets have the 16 bytes that stand at a position of
 * the sample, on average; *deep: and also what follows them, so that a comparison goes on. */
double analyse_seen_named(const uint8_t *bytes, uint64_t count, uint64_t offsets, bool fold,
                          const uint8_t *sample, uint64_t sample_bytes, double *deep);

/* The window whose grams, of every `stride` bytes, are rarest; returns the expected candidates per
 * text byte. A byte counts as its class. count >= stride + 3. */
double analyse_grams(const uint8_t *bytes, uint64_t count, bool fold,
                     const struct byte_rates *rates, uint32_t stride, struct plan_grams *grams);

#endif
