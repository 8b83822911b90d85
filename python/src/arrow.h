/* arrow: tables of other libraries, by the Arrow C data and C stream interfaces.
 *
 * The three structs are that interface's, field by field; capsules carry them between libraries
 * (https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html).
 */
#ifndef TRAWL_PYTHON_ARROW_H
#define TRAWL_PYTHON_ARROW_H

#include "binding.h"

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags; /* 2: values may be null */
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* ---- Making arrays ---- */

/* An array that is being made: `format` as the interface names types, blocks in the order of its
 * buffers, the first of them the validity bits or NULL. Children are named. */
struct arrow_made {
    const char *format;
    const char *name;
    uint64_t count;
    uint64_t null_count;
    uint64_t first;          /* the array begins there in its buffers */
    struct block *blocks[3]; /* this takes them */
    int64_t block_count;
    const struct arrow_made *children;
    int64_t child_count;
};

/* Fill the two structs; takes the blocks, also on failure; false: no memory. */
bool arrow_make(const struct arrow_made *made, struct ArrowSchema *schema,
                struct ArrowArray *array);
/* The pair of capsules that __arrow_c_array__ returns. */
PyObject *arrow_export(const struct arrow_made *made);

/* Columns of uint64 as one array, or as the children of a struct. */
struct arrow_column {
    const char *name;
    struct block *block; /* borrowed */
    uint64_t first;
};
PyObject *arrow_export_numbers(const struct arrow_column *columns, int64_t column_count,
                               uint64_t count, bool as_struct);

/* The block of a Column, borrowed; false after an exception: it is none. */
bool column_described(struct binding *binding, PyObject *object, struct arrow_column *column);

#endif
