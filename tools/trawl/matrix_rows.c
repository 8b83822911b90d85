/* matrix_rows: turns texts into records, and records into rows.
 *
 * search_file.c hands over each text. A block of records is searched with trawl_matrix_open, and
 * matrix_write.c writes the rows.
 */
#include "trawl/matrix_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "trawl/approximate.h"
#include "trawl/charset.h"
#include "trawl/searchers.h"
#include "trawl/totals.h"

#define GATHER_BYTES (UINT64_C(4) << 20)
#define RECORDS_MAX (UINT64_C(1) << 16) /* records searched together */

/* A text that is being searched. The block holds bytes that are not in a row yet. */
struct matrix_rows {
    struct text_scan *scan;
    struct matrix *matrix;
    uint64_t used;   /* bytes in the block */
    uint64_t looked; /* no record ends before this offset in the block */
    enum trawl_status status;
    struct trawl_error error;

    /* A record longer than the block; matrix->row is filled part by part. */
    bool is_long;
    uint64_t base;     /* offset in the record at which the block begins */
    uint64_t own_from; /* begins before own_from belong to the previous part */
    uint64_t own_to;
    uint64_t filled_count; /* number of cells in matrix->row that are filled */
    int64_t empty;
    size_t empty_at; /* state of charset_empty_word; an offset in the block */
    bool empty_word_before;
};

/* ---- Opening --------------------------------------------------------------------------------- */

bool matrix_open(struct command_job *job, char *message)
{
    const struct patterns *patterns = job->patterns;
    uint64_t gather = job->settings->chunk_bytes;
    struct matrix *matrix = calloc(1, sizeof *matrix);
    struct trawl_error error;

    if (gather == 0 || gather > GATHER_BYTES)
        gather = GATHER_BYTES;
    if (matrix != NULL) {
        job->matrix = matrix;
        matrix->job = job;
        matrix->format = job->settings->matrix;
        matrix->reach = approximate_around(patterns, job->settings);
        matrix->capacity = gather + 2 * matrix->reach;
        if (searchers_open_reader(job->settings, &matrix->reader, &matrix->reader_plan, &error) !=
            TRAWL_OK) {
            snprintf(message, SETTINGS_ERROR_BYTES, "%s", error.message);
            return false;
        }
        matrix->bytes = malloc((size_t)matrix->capacity);
        matrix->offsets = malloc((RECORDS_MAX + 1) * sizeof *matrix->offsets);
        matrix->empties = malloc(RECORDS_MAX * sizeof *matrix->empties);
        matrix->row = malloc((size_t)(patterns->count + 1) * sizeof *matrix->row);
        matrix->found = malloc((size_t)(patterns->column_count + 1) * sizeof *matrix->found);
    }
    if (matrix != NULL && matrix->bytes != NULL && matrix->offsets != NULL &&
        matrix->empties != NULL && matrix->row != NULL && matrix->found != NULL)
        return true;
    snprintf(message, SETTINGS_ERROR_BYTES, "memory exhausted");
    return false;
}

void matrix_close(struct matrix *matrix)
{
    trawl_searcher_close(matrix->reader);
    trawl_plan_free(matrix->reader_plan);
    free(matrix->bytes);
    free(matrix->offsets);
    free(matrix->empties);
    free(matrix->row);
    free(matrix->found);
    free(matrix);
}

const struct trawl_searcher *matrix_reader(const struct matrix *matrix)
{
    return matrix->reader;
}

/* ---- Records that fit ------------------------------------------------------------------------ */

static bool rows_stop(const struct matrix_rows *rows)
{
    return rows->status != TRAWL_OK || rows->scan->output->error != 0;
}

static void row_clear(struct matrix_rows *rows)
{
    memset(rows->matrix->row, 0xff,
           (size_t)(rows->scan->job->patterns->count + 1) * sizeof *rows->matrix->row);
}

static void write_row(struct matrix_rows *rows, const int64_t *cells, int64_t empty)
{
    rows->scan->selected_count += matrix_write_row(rows->matrix, rows->scan, cells, empty) ? 1 : 0;
}

/* Returns where the empty string first occurs in a record; -1: nowhere. */
static int64_t empty_first(const struct settings *settings, const uint8_t *record, uint64_t count)
{
    size_t at = 0;
    bool word_before = false;

    if (settings->whole_lines)
        return count == 0 ? 0 : -1;
    if (!settings->words)
        return 0;
    return charset_empty_word(settings->surroundings.charset, record, (size_t)count,
                              (size_t)count + 1, &at, &word_before)
               ? (int64_t)at
               : -1;
}

static enum trawl_status end_search(struct matrix_rows *rows, enum trawl_status status)
{
    if (rows->scan->settings->stats)
        job_add_stats(rows->scan->job);
    return status == TRAWL_STOPPED ? TRAWL_OK : status;
}

/* Writes the rows of a batch. */
static void write_batch(struct matrix_rows *rows, const struct trawl_matrix_batch *batch)
{
    struct matrix *matrix = rows->matrix;
    bool empties = rows->scan->job->patterns->has_empty, sparse = matrix_is_sparse(matrix);
    uint64_t at = 0;

    for (uint64_t r = batch->record_begin; r < batch->record_end && !rows_stop(rows); r++) {
        int64_t empty = empties ? matrix->empties[r] : -1;
        uint64_t from = at;

        for (; at < batch->cell_count && batch->cell_records[at] == r; at++)
            if (sparse)
                matrix_add_cell(matrix, batch->cell_patterns[at], batch->cell_begins[at]);
            else
                matrix->row[batch->cell_patterns[at]] = (int64_t)batch->cell_begins[at];
        if (sparse) {
            rows->scan->selected_count += matrix_write_found(matrix, rows->scan, empty);
            continue;
        }
        write_row(rows, matrix->row, empty);
        for (; from < at; from++) /* empty the row for the next record */
            matrix->row[batch->cell_patterns[from]] = -1;
    }
}

/* Searches the records and writes their rows, batch by batch. */
static enum trawl_status search_cells(struct matrix_rows *rows,
                                      const struct trawl_record_array *records)
{
    struct trawl_matrix_batch batch = {.size = sizeof batch};
    struct trawl_matrix_search *search = NULL;
    enum trawl_status status;

    row_clear(rows);
    status = trawl_matrix_open(rows->scan->job->searcher, rows->scan->plan, records,
                               TRAWL_MATRIX_CELLS, &search, &rows->error);
    while (status == TRAWL_OK && !batch.last && !rows_stop(rows)) {
        status = trawl_matrix_next(search, &batch, &rows->error);
        if (status == TRAWL_OK)
            write_batch(rows, &batch);
    }
    trawl_matrix_close(search);
    return status;
}

/* Searches the block's bytes [0, end), which are whole records. A record is searched with its line
 * end, which no string contains and which -x and -w need behind the record. */
static void search_records(struct matrix_rows *rows, uint64_t end)
{
    struct matrix *matrix = rows->matrix;
    const struct settings *settings = rows->scan->settings;
    bool empties = rows->scan->job->patterns->has_empty;
    uint64_t at = 0;

    while (at < end && !rows_stop(rows)) {
        struct trawl_record_array records = TRAWL_RECORD_ARRAY_INIT;

        records.bytes = matrix->bytes;
        records.offsets = matrix->offsets;
        matrix->offsets[0] = at;
        while (at < end && records.record_count < RECORDS_MAX) {
            const uint8_t *line_end =
                memchr(matrix->bytes + at, settings->line_end, (size_t)(end - at));
            uint64_t record_end = line_end != NULL ? (uint64_t)(line_end - matrix->bytes) : end;

            if (empties)
                matrix->empties[records.record_count] =
                    empty_first(settings, matrix->bytes + at, record_end - at);
            at = record_end + (line_end != NULL);
            matrix->offsets[++records.record_count] = at;
        }
        rows->status = end_search(rows, search_cells(rows, &records));
    }
}

static void drop_front(struct matrix_rows *rows, uint64_t count)
{
    rows->used -= count;
    if (rows->used > 0)
        memmove(rows->matrix->bytes, rows->matrix->bytes + count, (size_t)rows->used);
    rows->looked = rows->looked > count ? rows->looked - count : 0;
}

/* ---- Records that do not --------------------------------------------------------------------- */

static int take_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct matrix_rows *rows = context;

    for (uint64_t i = 0; i < match_count; i++) {
        int64_t *cell = &rows->matrix->row[matches[i].pattern_index];

        if (matches[i].begin < rows->own_from || matches[i].begin >= rows->own_to || *cell >= 0)
            continue;
        *cell = (int64_t)(rows->base + matches[i].begin);
        rows->filled_count++;
    }
    return rows->filled_count == rows->scan->job->patterns->count;
}

/* Searches the first `count` bytes of the block for occurrences that begin in [own_from, own_to).
 * The bytes on either side are there so that -w does not take the border of a part for the border
 * of the record.
 */
static void search_piece(struct matrix_rows *rows, uint64_t count, bool last)
{
    struct text_scan *scan = rows->scan;
    const struct patterns *patterns = scan->job->patterns;
    struct trawl_text *text = NULL;

    if (patterns->has_empty && rows->empty < 0 && scan->settings->words &&
        !scan->settings->whole_lines &&
        charset_empty_word(rows->scan->settings->surroundings.charset, rows->matrix->bytes,
                           (size_t)count, (size_t)(last ? count + 1 : rows->own_to),
                           &rows->empty_at, &rows->empty_word_before))
        rows->empty = (int64_t)(rows->base + rows->empty_at);
    if (rows->filled_count == patterns->count || scan->settings->whole_lines)
        return; /* no string is as long as this record */
    rows->status = trawl_text_from_memory(rows->matrix->bytes, count, &text, &rows->error);
    if (rows->status == TRAWL_OK)
        rows->status = end_search(rows, trawl_positions(scan->job->searcher, scan->plan, text,
                                                        take_matches, rows, &rows->error));
    trawl_text_close(text);
}

/* Begins a record that is longer than the block: no cell is filled yet. */
static void long_begin(struct matrix_rows *rows)
{
    const struct settings *settings = rows->scan->settings;

    rows->is_long = true;
    rows->base = 0;
    rows->own_from = 0;
    rows->filled_count = 0;
    rows->empty = settings->words || settings->whole_lines ? -1 : 0;
    rows->empty_at = 0;
    rows->empty_word_before = false;
    row_clear(rows);
}

/* Searches a part of a record that fills the block and goes on. */
static void long_go_on(struct matrix_rows *rows)
{
    uint64_t dropped;

    rows->own_to = rows->used - rows->matrix->reach;
    search_piece(rows, rows->used, false);
    dropped = rows->own_to - rows->matrix->reach;
    rows->base += dropped;
    rows->empty_at -= (size_t)dropped;
    rows->own_from = rows->matrix->reach;
    drop_front(rows, dropped);
}

/* Searches the last part of a record, which ends with the block's first `count` bytes, and writes
 * the row. */
static void long_end(struct matrix_rows *rows, uint64_t count)
{
    rows->own_to = count;
    search_piece(rows, count, true);
    if (!rows_stop(rows))
        write_row(rows, rows->matrix->row, rows->empty);
    rows->is_long = false;
}

/* Doubles the block, for an algorithm for records, which needs whole records. */
static void grow_block(struct matrix_rows *rows)
{
    struct matrix *matrix = rows->matrix;
    uint8_t *bytes = realloc(matrix->bytes, (size_t)matrix->capacity * 2);

    if (bytes == NULL) {
        rows->status = TRAWL_MEMORY;
        return;
    }
    matrix->bytes = bytes;
    matrix->capacity *= 2;
}

/* ---- One text -------------------------------------------------------------------------------- */

/* Continues the long record with the block's bytes, and ends the record at its line end, or at
 * the end of the text (`last`). */
static void drain_long(struct matrix_rows *rows, bool last)
{
    const uint8_t *line_end =
        memchr(rows->matrix->bytes + rows->looked, rows->scan->settings->line_end,
               (size_t)(rows->used - rows->looked));
    uint64_t count = line_end != NULL ? (uint64_t)(line_end - rows->matrix->bytes) : rows->used;

    if (line_end != NULL || last) {
        long_end(rows, count);
        rows->looked = 0;
        drop_front(rows, count + (line_end != NULL));
        return;
    }
    rows->looked = rows->used;
    if (rows->used == rows->matrix->capacity)
        long_go_on(rows);
}

/* Writes the rows of the whole records in the block. If a single record fills the block, the
 * block grows or the record becomes a long record. */
static void drain_records(struct matrix_rows *rows, bool last)
{
    const uint8_t *line_end =
        memrchr(rows->matrix->bytes + rows->looked, rows->scan->settings->line_end,
                (size_t)(rows->used - rows->looked));
    uint64_t end = line_end != NULL ? (uint64_t)(line_end - rows->matrix->bytes) + 1 : 0;

    if (last)
        end = rows->used;
    search_records(rows, end);
    if (end > 0)
        drop_front(rows, end);
    rows->looked = rows->used;
    if (rows->used < rows->matrix->capacity || rows_stop(rows))
        return;
    if (settings_algorithm_is_for_records(rows->scan->settings)) {
        grow_block(rows);
        return;
    }
    long_begin(rows);
    long_go_on(rows);
}

/* Writes the rows of all complete records in the block; last: also of the incomplete record. Makes
 * room in the block. */
static void drain(struct matrix_rows *rows, bool last)
{
    while (rows->is_long && !rows_stop(rows)) {
        uint64_t used = rows->used;

        drain_long(rows, last);
        if (rows->is_long || rows->used == used)
            break;
    }
    if (!rows->is_long && rows->used > 0 && !rows_stop(rows))
        drain_records(rows, last);
}

static int take_window(void *context, const struct trawl_window *window)
{
    struct matrix_rows *rows = context;
    struct matrix *matrix = rows->matrix;
    uint64_t at = 0;

    while (at < window->bytes_count && !rows_stop(rows)) {
        uint64_t part = matrix->capacity - rows->used;

        if (part > window->bytes_count - at)
            part = window->bytes_count - at;
        memcpy(matrix->bytes + rows->used, window->bytes + at, (size_t)part);
        rows->used += part;
        at += part;
        if (rows->used == matrix->capacity)
            drain(rows, false);
    }
    if (!rows->scan->seekable && !rows_stop(rows)) {
        drain(rows, false); /* rows of a stream come as soon as the records */
        output_flush(rows->scan->output);
    }
    return rows_stop(rows);
}

enum trawl_status matrix_search(struct text_scan *scan, struct trawl_error *error)
{
    struct matrix *matrix = scan->job->matrix;
    struct matrix_rows rows;
    enum trawl_status status;

    memset(&rows, 0, sizeof rows);
    rows.scan = scan;
    rows.matrix = matrix;
    matrix->rows_before = scan->settings->file_names > 0 ? matrix->row_count : 0;
    status = trawl_windows(matrix->reader, matrix->reader_plan, scan->text, TRAWL_WINDOW_NO_MATCHES,
                           take_window, &rows, error);
    if (!rows_stop(&rows)) /* after an error the last record may be incomplete */
        drain(&rows, status == TRAWL_OK);
    if (rows.status == TRAWL_OK)
        return status == TRAWL_STOPPED ? TRAWL_OK : status;
    *error = rows.error;
    return rows.status;
}
