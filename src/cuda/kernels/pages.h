/* pages: the arguments of the kernels of pages.cu, for host and device. */
#ifndef TRAWL_CUDA_KERNELS_PAGES_H
#define TRAWL_CUDA_KERNELS_PAGES_H

#include <stdint.h>

#define PAGES_THREADS 256u
#define PAGES_PIECE_WORDS 4096u /* as many as a block's threads load together */
#define PAGES_MAP_WORDS 2048u   /* a page's bitmap, a bit for each row */
#define PAGES_MAP_THREADS 512u
#define PAGES_TURN_WORDS \
    8u /* of each bitmap, a block turns this many words into as many of each row */
#define PAGES_LIST_WORDS 64u /* a pattern's rows; the last word is their number */

/* Bytes of a text that pages_gather copies. Offsets in text and copy are multiples of 16. */
struct pages_piece {
    uint64_t from, to;
    uint64_t words; /* of 32 bits, a multiple of 4 */
    uint64_t ends;  /* 1: the last piece of its range */
};

struct pages_gather_arguments {
    const uint8_t *text;
    uint8_t *copy;
    const struct pages_piece *pieces;
    uint32_t separator; /* four bytes */
};

/* pages_map and pages_turn: a filter is built for `count` pages at a time, of which the first
 * begins at `from`. Row r has row_words words, and theirs are from first_word on. */
struct pages_build_arguments {
    const uint8_t *text; /* 256-byte aligned */
    uint64_t from, text_end;
    uint64_t page_bytes;
    uint32_t *maps; /* PAGES_MAP_WORDS for each page */
    uint32_t *rows;
    uint64_t row_words, first_word;
    uint32_t count, words; /* pages, and words of a row that they take */
};

struct pages_ask_arguments {
    const uint32_t *rows; /* from the first word that is asked for */
    uint64_t row_words;
    const uint32_t *lists; /* PAGES_LIST_WORDS for each pattern */
    uint32_t *kept;        /* in the host's memory: a bit for each page */
    uint64_t *done;        /* in the host's memory: `launch`, for each block */
    uint64_t launch;
    uint32_t pattern_count, words;
};

#endif
