/* tape: columns of strings of other libraries, as records that the library can search. */
#ifndef TRAWL_PYTHON_TAPE_H
#define TRAWL_PYTHON_TAPE_H

#include "arrow.h"
#include "binding.h"

/* Strings one after the other, as trawl_record_array has them. */
struct tape {
    struct trawl_record_array records;
    struct block *bytes;    /* what had to be gathered, or NULL: it lies in the column */
    struct block *offsets;  /* likewise */
    struct block *validity; /* likewise */
};

/* One array of a column. A dictionary column's tape holds the dictionary's values; record i is then
 * value keys[i], or null. */
struct chunk {
    struct tape tape;
    uint64_t record_count;
    const uint8_t *validity; /* of the records; NULL: none is null */
    uint64_t validity_begin;
    struct block *keys; /* int64_t each, -1: null; NULL: no dictionary */
};

/* A column that is read: a list of Python objects, or an Arrow array or stream. */
struct column_reader {
    PyObject *first; /* capsules, or the list's items */
    PyObject *second;
    struct ArrowArrayStream *stream; /* NULL: one array */
    struct ArrowSchema *schema;
    struct ArrowSchema own_schema; /* a stream's */
    struct ArrowArray *array;      /* of one array: NULL once it is taken */
    struct ArrowArray own_array;   /* a stream's current one */
    bool is_list;
};
bool column_open(PyObject *column, struct column_reader *reader);
/* The next chunk; *more false: there is none. False after an exception. The chunk before is gone.
 */
bool column_next(struct column_reader *reader, struct chunk *chunk, bool *more);
void column_close(struct column_reader *reader, struct chunk *chunk);
/* Record i of the chunk as bytes; an exception where it is null. */
PyObject *chunk_value(const struct chunk *chunk, uint64_t i);

/* Make chunk->tape of an array of strings. False after an exception. */
bool tape_of_array(const struct ArrowSchema *schema, const struct ArrowArray *array,
                   struct tape *tape);
/* The same of a tuple of str, bytes and None. */
bool tape_of_tuple(PyObject *items, struct tape *tape);
void tape_release(struct tape *tape);

static inline bool bit_at(const uint8_t *bits, uint64_t index)
{
    return (bits[index >> 3] >> (index & 7) & 1) != 0;
}

#endif
