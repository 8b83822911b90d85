/* matrix_write: writes rows as tab-separated values, or with only the strings that occur: a line
 * for each string, or an object for each row.
 */
#include "trawl/matrix_rows.h"

#include <stdlib.h>

#include "trawl/json.h"

static void write_cell(struct output *output, int64_t cell)
{
    if (cell < 0)
        output_bytes(output, "-1", 2);
    else
        output_number(output, (uint64_t)cell, 0);
}

/* Prints a name; escapes tabs and line ends as in C. */
static void write_name(struct output *output, const char *name)
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
            write_name(output, scan->name);
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

/* Writes a row with a cell for each string (tsv). Returns whether a string occurs. */
static bool write_all(struct matrix *matrix, const char *name, const int64_t *cells, int64_t empty)
{
    const struct patterns *patterns = matrix->job->patterns;
    struct output *output = matrix->job->output;
    bool names = matrix->job->settings->file_names > 0, filled = false;

    if (names)
        write_name(output, name);
    for (uint64_t i = 0; i < patterns->column_count; i++) {
        uint64_t column = patterns->columns[i];
        int64_t cell = column == PATTERN_EMPTY   ? empty
                       : column == PATTERN_NEVER ? -1
                                                 : cells[column];

        filled |= cell >= 0;
        if (i > 0 || names)
            output_byte(output, '\t');
        write_cell(output, cell);
    }
    output_byte(output, '\n');
    output_commit(output);
    matrix->row_count++;
    return filled;
}

bool matrix_write_row(struct matrix *matrix, struct text_scan *scan, const int64_t *cells,
                      int64_t empty)
{
    if (!matrix_is_sparse(matrix))
        return write_all(matrix, scan->name, cells, empty);
    for (uint64_t i = 0; i < matrix->job->patterns->count; i++)
        if (cells[i] >= 0)
            matrix_add_cell(matrix, i, (uint64_t)cells[i]);
    return matrix_write_found(matrix, scan, empty);
}
