/* matrix_rows: --matrix: finds where each string first occurs in each record.
 *
 * A row has a cell for each string (tsv), or only for the strings that occur (sparse,
 * jsonl). A record is a line, without the line end. matrix_rows.c gathers records into a block of
 * memory and searches the block; a record longer than the block is searched in overlapping parts.
 * matrix_write.c writes the rows.
 */
#ifndef TRAWL_MATRIX_ROWS_H
#define TRAWL_MATRIX_ROWS_H

#include "trawl/scan.h"

/* A string that occurs in the record: its number - 1, and where the string first begins. */
struct matrix_cell {
    uint64_t column;
    uint64_t begin;
};

struct matrix {
    struct command_job *job;
    enum matrix_format format;

    /* The reader has its own searcher and plan, because job->searcher searches records while a
     * window is held. */
    struct trawl_searcher *reader;
    struct trawl_plan *reader_plan;
    uint8_t *bytes; /* the block */
    uint64_t capacity;
    uint64_t *offsets; /* where each record of the block begins */
    /* for each record, where the empty string first occurs; used only if the empty string is
     * wanted */
    int64_t *empties;
    /* the current record's first occurrence of each pattern; -1: no occurrence */
    int64_t *row;
    uint64_t reach; /* bytes on either side of a begin that decide about an occurrence */

    /* Writing: */
    uint64_t row_count;
    uint64_t rows_before; /* rows of earlier files, if each file numbers its own rows */
    /* cells of the current row, in formats that write only strings that occur */
    struct matrix_cell *found;
    uint64_t found_count;
};

/* ---- matrix_rows.c ---- */

/* Makes job->matrix; job->searcher must be open. False: message[SETTINGS_ERROR_BYTES] says why. */
bool matrix_open(struct command_job *job, char *message);
void matrix_close(struct matrix *matrix);
/* Returns the searcher that reads the text, whose progress is shown. */
const struct trawl_searcher *matrix_reader(const struct matrix *matrix);
/* Writes the rows of a text. */
enum trawl_status matrix_search(struct text_scan *scan, struct trawl_error *error);

/* ---- matrix_write.c ---- */

/* Returns whether the format writes only strings that occur. */
bool matrix_is_sparse(const struct matrix *matrix);
/* Writes a row. cells[p] is where pattern p of the plan first occurs, `empty` where the empty
 * string does; -1: nowhere. Returns whether a string occurs in the record. */
bool matrix_write_row(struct matrix *matrix, struct text_scan *scan, const int64_t *cells,
                      int64_t empty);
/* Write a row in formats with only the strings that occur: matrix_add_cell for each pattern found,
 * then matrix_write_found, which returns whether a string occurs in the record.
 */
void matrix_add_cell(struct matrix *matrix, uint64_t pattern, uint64_t begin);
bool matrix_write_found(struct matrix *matrix, struct text_scan *scan, int64_t empty);

#endif
