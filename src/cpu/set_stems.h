/* set_stems: builds the tables of a class (literals of a set that have similar lengths) that is
 * searched with stems. A literal's stem is its first 8 bytes, or all of it if it is shorter. The
 * search first looks up samples of four bytes of the text in a bitmap (set_class.h). */
#ifndef TRAWL_CPU_SET_STEMS_H
#define TRAWL_CPU_SET_STEMS_H

#include "cpu/find.h"
#include "cpu/set_class.h"

/* In a set of more than this many words, trigrams are at least as fast as pairs unless hardly any
 * position of a sample passes the pairs, and words of two bytes, and literals of 16 or more bytes,
 * are searched faster in separate classes. */
#define SET_PAIRS_LITERALS_MAX 512u
#define SET_PAIRS_TRIED_MAX 12288u

/* Sets the class's stride, q and stem_min by its length_min. Sets stem_counts from `counts`, the
 * number of literals for each length of stem. */
void class_stems_begin(struct set_class *class, const uint32_t counts[SET_STEM_LENGTHS]);
/* Sets the class's members that follow from its stem_min and stem_counts. */
void class_stems_complete(struct set_class *class);
uint32_t class_bucket_bits(uint64_t entries);
/* Returns log2 of the number of 64-bit words of a bitmap or stem map. */
uint32_t class_map_word_bits(uint64_t entries);
/* Sets the bitmap's bits for every sample that an occurrence of the literal may contain. */
void class_stems_add(struct set_class *class, const uint8_t *bytes, uint64_t length, uint64_t fold);
/* Builds the tables of pairs of bytes or trigrams, if the class is searched by them; of pairs, if
 * it may have both and the sample suits them. The class's entries must have been stored. */
enum trawl_status class_stems_finish(const struct set_sample *sample, struct set_class *class,
                                     uint64_t fold, struct trawl_error *error);
/* class_words_fit returns true if the class has pairs or trigrams that `find` can test.
 * class_words_find tests them: see find_ops.pairs and find_ops.trigrams. */
bool class_words_fit(const struct set_class *class, const struct find_ops *find);
void class_words_find(const struct set_class *class, const struct find_ops *find,
                      const uint8_t *text, uint64_t positions, struct find_tile *tile);
void class_stems_free(struct set_class *class);

#endif
