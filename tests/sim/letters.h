/* letters: a random text of five letters, in memory and in a file, a naive search of the text, and
 * limits with which a small text has many tiles.
 */
#ifndef TRAWL_TESTS_SIM_LETTERS_H
#define TRAWL_TESTS_SIM_LETTERS_H

#include "cuda/limits.h"
#include "diff/diff_input.h"
#include "trawl.h"

struct letters {
    uint8_t *bytes; /* 'a' to 'e' */
    uint64_t bytes_count;
    char path[40]; /* empty: there is no file */
};

/* Makes a random text. The name and the seed of the run determine the letters. */
void letters_begin(struct letters *letters, const char *name, uint64_t bytes_count);
/* Writes the current bytes to the file. */
void letters_write(struct letters *letters);
/* Opens a text of the file, or of the bytes in memory. */
struct trawl_text *letters_open(const struct letters *letters, bool file);
/* Returns how often the string occurs. Writes the offsets to `begins` (NULL, or room for
 * bytes_count). */
uint64_t letters_find(const struct letters *letters, const char *string, uint64_t *begins);
/* Makes an input of the current bytes and a pattern. */
void letters_input(const struct letters *letters, const char *pattern, struct diff_input *input);
/* Frees the bytes and removes the file. The texts must have been closed. */
void letters_end(struct letters *letters);

/* Returns limits of two blocks, each of a single warp, with short tiles. */
struct cuda_limits letters_limits(void);

#endif
