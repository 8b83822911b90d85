/* text: the texts that are searched, and the short texts they are made of. */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/options.h"

#define SOURCE_NAME_BYTES 160

/* A short text: a file read whole, or a seeded generator's. */
struct source {
    uint8_t *bytes;
    uint64_t bytes_count;
    char name[SOURCE_NAME_BYTES]; /* says where it is from, without folders */
    bool generated;
};

/* --text, else bible.txt of the data folder (--data, TRAWL_DATA, ../shared/data), else generated
 * words. Likewise --dna. */
void source_english(const struct options *options, struct source *source);
void source_dna(const struct options *options, struct source *source);
/* world192.txt of the data folder, else generated words in lines that end in CR LF. */
void source_world(const struct options *options, struct source *source);
/* words-100k.txt of the data folder, else what source_english gives: words between other bytes. */
void source_words(const struct options *options, struct source *source);
/* rust-library.rs of the data folder, else generated words. */
void source_code(const struct options *options, struct source *source);
void source_free(struct source *source);

/* Memory for a text: whole pages, large ones where the system has them. */
uint8_t *text_allocate(uint64_t bytes);
void text_release(uint8_t *text, uint64_t bytes);

/* Fill text[0, bytes). */
void text_fill_letters(uint8_t *text, uint64_t bytes, uint64_t seed); /* a-z, even odds */
void text_fill_repeated(uint8_t *text, uint64_t bytes, const void *part, uint64_t part_bytes);
void text_fill_fibonacci(uint8_t *text, uint64_t bytes);
void text_fill_thue_morse(uint8_t *text, uint64_t bytes);
/* A line end at `first`, and one for each `line_bytes` after it. */
void text_put_line_ends(uint8_t *text, uint64_t bytes, uint64_t first, uint64_t line_bytes);

#endif
