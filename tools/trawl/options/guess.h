/* guess: guesses a text's encoding with the library uchardet, which is loaded when it is first
 * needed. */
#ifndef TRAWL_GUESS_H
#define TRAWL_GUESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GUESS_BYTES 32u

bool guess_is_there(void);

/* Writes the encoding's name into guess[GUESS_BYTES]: "" for UTF-8, and for what uchardet does not
 * know. is_whole: the text has no more bytes. */
void guess_encoding(const uint8_t *bytes, size_t bytes_count, bool is_whole, char *guess);

#endif
