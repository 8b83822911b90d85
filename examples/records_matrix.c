/* records_matrix: finds which of several strings occur in which of many records.
 *
 * Shows records in the layout of an Arrow column (one tape of bytes, offsets, and a bit per record
 * for null records), and results that the program pulls in batches. The shape CELLS has an entry
 * for each record and each string that occurs there; ANY says whether any string occurs in a
 * record.
 *
 *     $ ./records_matrix
 *     record 0: kitty at 4
 *     record 2: kitty at 0
 *     record 2: mouse at 10
 */
#include <inttypes.h>
#include <stdio.h>
#include <trawl.h>

static const char *const names[2] = {"kitty", "mouse"};

static enum trawl_status print_cells(struct trawl_matrix_search *matrix, struct trawl_error *error)
{
    struct trawl_matrix_batch batch = {.size = sizeof batch};

    do {
        enum trawl_status status = trawl_matrix_next(matrix, &batch, error);

        if (status != TRAWL_OK)
            return status;
        for (uint64_t i = 0; i < batch.cell_count; i++)
            printf("record %" PRIu64 ": %s at %" PRIu64 "\n", batch.cell_records[i],
                   names[batch.cell_patterns[i]], batch.cell_begins[i]);
    } while (!batch.last);
    return TRAWL_OK;
}

int main(void)
{
    /* Four records: "The kitty", "the mouse", "kitty saw mouse" and an empty one. */
    const char tape[] = "The kittythe mousekitty saw mouse";
    const int32_t offsets[] = {0, 9, 18, 33, 33};
    const uint8_t validity = 0x0d; /* bit 1 is 0: record 1 is null, so nothing occurs in it */
    const struct trawl_pattern patterns[2] = {{names[0], 5}, {names[1], 5}};
    struct trawl_record_array records = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_plan *plan = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_matrix_search *matrix = NULL;
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status;

    records.bytes = (const uint8_t *)tape;
    records.offsets = offsets;
    records.offset_bytes = sizeof offsets[0];
    records.record_count = 4;
    records.validity = &validity;
    status = trawl_plan_build(patterns, 2, NULL, &plan, &error);
    if (status == TRAWL_OK)
        status = trawl_searcher_open(NULL, &searcher, &error);
    if (status == TRAWL_OK)
        status = trawl_matrix_open(searcher, plan, &records, TRAWL_MATRIX_CELLS, &matrix, &error);
    if (status == TRAWL_OK)
        status = print_cells(matrix, &error);
    if (status != TRAWL_OK)
        fprintf(stderr, "records_matrix: %s\n", error.message);
    /* The search borrows the searcher, the plan and the tape, so it is closed first. */
    trawl_matrix_close(matrix);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    return status == TRAWL_OK && fflush(stdout) == 0 ? 0 : 2;
}
