/* matrix_write: writes rows as tab-separated or comma-separated values, as a NumPy array, or with
 * only the strings that occur: a line for each string, or an object for each row.
 */
#include "trawl/matrix_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trawl/json.h"

static void write_cell(struct output *output, int64_t cell)
{
    if (cell < 0)
        output_bytes(output, "-1", 2);
    else
        output_number(output, (uint64_t)cell, 0);
}

/* Prints a name; quotes a name that would break the row, by RFC 4180. */
static void write_name_csv(struct output *output, const char *name)
{
    if (strpbrk(name, ",\"\r\n") == NULL) {
        output_text(output, name);
        return;
    }
    output_byte(output, '"');
    for (; *name != '\0'; name++) {
        if (*name == '"')
            output_byte(output, '"');
        output_byte(output, (uint8_t)*name);
    }
    output_byte(output, '"');
}

/* Prints a name; escapes tabs and line ends as in C. */
static void write_name_tsv(struct output *output, const char *name)
{
    for (; *name != '\0'; name++) {
        const char *escaped = *name == '\t'   ? "\\t"
                              : *name == '\n' ? "\\n"
                              : *name == '\r' ? "\\r"
                              : *name == '\\' ? "\\\\"
                                              : NULL;
        if (escaped != NULL)
            output_text(output, escaped);
        else
            output_byte(output, (uint8_t)*name);
    }
}

/* int64, little-endian on every machine. */
static void write_cell_npy(struct output *output, int64_t cell)
{
    uint8_t bytes[8];

    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)((uint64_t)cell >> 8 * i);
    output_bytes(output, bytes, sizeof bytes);
}

/* ---- What is filled alone -------------------------------------------------------------------- */

bool matrix_is_sparse(const struct matrix *matrix)
{
    return matrix->format >= MATRIX_SPARSE;
}

void matrix_add_cell(struct matrix *matrix, uint64_t pattern, uint64_t begin)
{
    const struct numbers *numbers = &matrix->job->patterns->numbers;

    for (uint64_t i = 0; i < numbers_count(numbers, pattern); i++)
        matrix->found[matrix->found_count++] =
            (struct matrix_cell){numbers_get(numbers, pattern, i) - 1, begin};
}

static int compare(const void *a, const void *b)
{
    const struct matrix_cell *first = a, *second = b;

    return (first->column > second->column) - (first->column < second->column);
}

/* Prints lines of row number, string number and offset. */
static void write_sparse(struct matrix *matrix, struct text_scan *scan)
{
    struct output *output = matrix->job->output;

    for (uint64_t i = 0; i < matrix->found_count; i++) {
        if (matrix->job->settings->file_names > 0) {
            write_name_tsv(output, scan->name);
            output_byte(output, '\t');
        }
        output_number(output, matrix->row_count - matrix->rows_before, 0);
        output_byte(output, '\t');
        output_number(output, matrix->found[i].column + 1, 0);
        output_byte(output, '\t');
        output_number(output, matrix->found[i].begin, 0);
        output_byte(output, '\n');
    }
}

static void write_jsonl(struct matrix *matrix, struct text_scan *scan)
{
    const struct trawl_pattern *strings = matrix->job->patterns->strings;
    struct output *output = matrix->job->output;

    output_byte(output, '{');
    if (matrix->job->settings->file_names > 0) {
        output_text(output, "\"path\":");
        json_data(scan, (const uint8_t *)scan->name, strlen(scan->name));
        output_byte(output, ',');
    }
    output_text(output, "\"record\":");
    output_number(output, matrix->row_count - matrix->rows_before, 0);
    output_text(output, ",\"matches\":[");
    for (uint64_t i = 0; i < matrix->found_count; i++) {
        const struct trawl_pattern *string = &strings[matrix->found[i].column];

        output_text(output, i > 0 ? ",{\"pattern\":" : "{\"pattern\":");
        output_number(output, matrix->found[i].column + 1, 0);
        output_text(output, ",\"string\":");
        json_data(scan, string->bytes, string->bytes_count);
        output_text(output, ",\"offset\":");
        output_number(output, matrix->found[i].begin, 0);
        output_byte(output, '}');
    }
    output_text(output, "]}\n");
}

bool matrix_write_found(struct matrix *matrix, struct text_scan *scan, int64_t empty)
{
    const struct numbers *numbers = &matrix->job->patterns->numbers;
    bool filled;

    for (uint64_t i = 0; empty >= 0 && i < numbers->empty_count; i++)
        matrix->found[matrix->found_count++] =
            (struct matrix_cell){numbers->empty[i] - 1, (uint64_t)empty};
    if (numbers->begin != NULL && matrix->found_count > 1) /* otherwise patterns come in order */
        qsort(matrix->found, (size_t)matrix->found_count, sizeof *matrix->found, compare);
    matrix->row_count++;
    filled = matrix->found_count > 0;
    if (filled && matrix->format == MATRIX_SPARSE)
        write_sparse(matrix, scan);
    else if (filled)
        write_jsonl(matrix, scan);
    output_commit(matrix->job->output);
    matrix->found_count = 0;
    return filled;
}

/* ---- Rows of all strings ----------------------------------------------------------------------
 */

static void write_name(struct matrix *matrix, const char *name)
{
    if (matrix->job->settings->file_names <= 0)
        return;
    if (matrix->format == MATRIX_CSV)
        write_name_csv(matrix->job->output, name);
    else
        write_name_tsv(matrix->job->output, name);
}

/* Writes a row with a cell for each string (tsv, csv, npy). Returns whether a string occurs. */
static bool write_all(struct matrix *matrix, const char *name, const int64_t *cells, int64_t empty)
{
    const struct patterns *patterns = matrix->job->patterns;
    struct output *output = matrix->job->output;
    uint8_t separator = matrix->format == MATRIX_CSV ? ',' : '\t';
    bool names = matrix->job->settings->file_names > 0, filled = false;

    write_name(matrix, name);
    for (uint64_t i = 0; i < patterns->column_count; i++) {
        uint64_t column = patterns->columns[i];
        int64_t cell = column == PATTERN_EMPTY   ? empty
                       : column == PATTERN_NEVER ? -1
                                                 : cells[column];

        filled |= cell >= 0;
        if (matrix->format == MATRIX_NPY) {
            write_cell_npy(output, cell);
            continue;
        }
        if (i > 0 || names)
            output_byte(output, separator);
        write_cell(output, cell);
    }
    if (matrix->format != MATRIX_NPY)
        output_byte(output, '\n');
    output_commit(output);
    matrix->row_count++;
    return filled;
}

bool matrix_write_row(struct matrix *matrix, struct text_scan *scan, const int64_t *cells,
                      int64_t empty)
{
    if (matrix->row_count == matrix->rows_announced) {
        matrix->row_too_many = true;
        return false;
    }
    if (!matrix_is_sparse(matrix))
        return write_all(matrix, scan->name, cells, empty);
    for (uint64_t i = 0; i < matrix->job->patterns->count; i++)
        if (cells[i] >= 0)
            matrix_add_cell(matrix, i, (uint64_t)cells[i]);
    return matrix_write_found(matrix, scan, empty);
}

/* ---- The header of an array ------------------------------------------------------------------ */

/* Writes the header of format version 1.0: magic, version, length, a dictionary, blanks up to a
 * multiple of 64, newline. The longest dictionary has 98 characters. */
static void make_header(const struct matrix *matrix, uint64_t row_count,
                        uint8_t header[MATRIX_NPY_HEADER_BYTES])
{
    char text[MATRIX_NPY_HEADER_BYTES];
    int used =
        snprintf(text, sizeof text,
                 "{'descr': '<i8', 'fortran_order': False, 'shape': (%" PRIu64 ", %" PRIu64 "), }",
                 row_count, matrix->job->patterns->column_count);

    memset(header, ' ', MATRIX_NPY_HEADER_BYTES);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = MATRIX_NPY_HEADER_BYTES - 10;
    header[9] = 0;
    memcpy(header + 10, text, (size_t)used);
    header[MATRIX_NPY_HEADER_BYTES - 1] = '\n';
}

bool matrix_header_can_wait(struct matrix *matrix)
{
    int descriptor = matrix->job->output->descriptor, flags = fcntl(descriptor, F_GETFL);

    matrix->header_at = lseek(descriptor, 0, SEEK_CUR);
    return matrix->header_at >= 0 && flags >= 0 && (flags & O_APPEND) == 0;
}

/* A header that is written last consists of zeros until then, so that an incomplete file is no
 * valid array.
 */
void matrix_header_begin(struct matrix *matrix)
{
    uint8_t header[MATRIX_NPY_HEADER_BYTES] = {0};

    if (!matrix->header_goes_last)
        make_header(matrix, matrix->rows_announced, header);
    output_bytes(matrix->job->output, header, sizeof header);
    output_commit(matrix->job->output);
}

void matrix_header_end(struct matrix *matrix)
{
    struct output *output = matrix->job->output;
    uint8_t header[MATRIX_NPY_HEADER_BYTES];

    make_header(matrix, matrix->row_count, header);
    for (size_t at = 0; at < sizeof header && output->error == 0;) {
        ssize_t written = pwrite(output->descriptor, header + at, sizeof header - at,
                                 matrix->header_at + (off_t)at);

        if (written > 0)
            at += (size_t)written;
        else if (written == 0 || errno != EINTR)
            output->error = written == 0 ? ENOSPC : errno;
    }
}
