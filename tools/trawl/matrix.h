/* matrix: --matrix: where each string first occurs in each record.
 *
 * Rows of all strings (tsv, csv, npy), or only of those that occur (sparse, jsonl).
 * A record is a line, without its end. Records are gathered into a block of memory and searched
 * together; a record that does not fit is searched in overlapping parts. matrix.c does that;
 * matrix_write.c writes the rows.
 */
#ifndef TRAWL_MATRIX_H
#define TRAWL_MATRIX_H

#include "trawl/scan.h"

#define MATRIX_NPY_HEADER_BYTES 128

/* A string, by its number less one, and where it first begins. */
struct matrix_cell {
    uint64_t column;
    uint64_t begin;
};

struct matrix {
    struct command_job *job;
    enum matrix_format format;

    /* Reading: a searcher and a plan of its own, for rows are searched while a window is held. */
    struct trawl_searcher *reader;
    struct trawl_plan *reader_plan;
    uint8_t *bytes; /* of the block */
    uint64_t capacity;
    uint64_t *offsets; /* of the records searched together */
    int64_t *empties;  /* per record, if the empty string is wanted: where it first occurs */
    int64_t *row;      /* of the record at hand, of all patterns; -1: the pattern does not occur */
    uint64_t reach;    /* bytes on either side of a begin that decide about its occurrence */

    /* Writing: */
    bool counts;           /* this pass counts the records, for the array's header */
    bool header_goes_last; /* over the bytes that were left for it at header_at */
    off_t header_at;
    uint64_t rows_announced; /* by a header that went first; else UINT64_MAX */
    uint64_t row_count;
    uint64_t rows_before; /* that numbers of rows do not count: with names, those of other files */
    bool row_too_many;
    struct matrix_cell *found; /* of the row at hand, where what is filled alone is written */
    uint64_t found_count;
};

/* ---- matrix.c ---- */

/* job->matrix, once the searcher is there. False: message[SETTINGS_ERROR_BYTES] is filled. */
bool matrix_open(struct command_job *job, char *message);
void matrix_close(struct matrix *matrix);
/* What reads the text: its progress is the job's. */
const struct trawl_searcher *matrix_reader(const struct matrix *matrix);
/* Is this the pass that counts? Then matrix_count takes a descriptor, and leaves it as it was. */
bool matrix_counts(const struct matrix *matrix);
void matrix_count(struct command_job *job, int descriptor, const struct stat *status,
                  const char *name);
/* The rows of one text. */
enum trawl_status matrix_search(struct text_scan *scan, struct trawl_error *error);

/* ---- matrix_write.c ---- */

/* Write only what is filled? */
bool matrix_is_sparse(const struct matrix *matrix);
/* cells: of the plan's patterns. empty: where the empty string first occurs, -1: nowhere. Returns
 * true if some column of the row is filled. */
bool matrix_write_row(struct matrix *matrix, struct text_scan *scan, const int64_t *cells,
                      int64_t empty);
/* The same by parts, where only what is filled is written: any number of the first, then the other.
 */
void matrix_add_cell(struct matrix *matrix, uint64_t pattern, uint64_t begin);
bool matrix_write_found(struct matrix *matrix, struct text_scan *scan, int64_t empty);
/* npy: a header for row_count rows, or room for one. */
void matrix_header_begin(struct matrix *matrix);
void matrix_header_end(struct matrix *matrix);
/* Can the header be written last? */
bool matrix_header_can_wait(struct matrix *matrix);

#endif
