/* gather: what a search of records found, as columns that grow with each batch. */
#ifndef TRAWL_PYTHON_GATHER_H
#define TRAWL_PYTHON_GATHER_H

#include "binding.h"
#include "tape.h"

enum gather_kind {
    GATHER_CONTAINS, /* does any pattern occur? */
    GATHER_WHICH,    /* the least index of those that occur */
    GATHER_COUNTS,   /* how many patterns occur */
    GATHER_LISTS,    /* the indices of those that occur */
    GATHER_CELLS,    /* record, pattern, first begin */
    GATHER_PATTERNS, /* of each pattern: how many records it occurs in */
};

/* A column of bits or of 64-bit values, with room for more. */
struct gather_column {
    struct block *block;
    uint64_t count;
    uint64_t room; /* bytes */
};
bool gather_bits(struct gather_column *column, const uint8_t *bits, uint64_t begin, uint64_t count);
/* A column of bytes: `count` counts them. */
bool gather_bytes(struct gather_column *column, const void *bytes, uint64_t count);
bool gather_values(struct gather_column *column, const void *values, uint64_t count);

struct gather {
    enum gather_kind kind;
    uint64_t record_count; /* of the chunks that are done */
    uint64_t null_count;
    struct gather_column valid;
    struct gather_column values;   /* bits of CONTAINS; else 64-bit: whichever the kind has */
    struct gather_column cells[3]; /* records, patterns, begins; LISTS: patterns */
};
void gather_release(struct gather *gather);

/* The shape to ask the library for. */
enum trawl_matrix_shape gather_shape(enum gather_kind kind);
/* Take a batch of that shape; false: no memory. */
bool gather_batch(struct gather *gather, const struct trawl_matrix_batch *batch);
/* Take the records of a dictionary's keys, whose values' cells are these; false: no memory. */
bool gather_keys(struct gather *gather, const struct gather *values, uint64_t value_count,
                 const int64_t *keys, uint64_t key_count);
/* The chunk's records are all there: which of them are null? False: no memory. */
bool gather_chunk_end(struct gather *gather, const struct chunk *chunk);
/* PATTERNS: so many values, all 0 before the first batch. False: no memory. */
bool gather_clear_values(struct gather *gather, uint64_t count);

#endif
