/* records_matrix: finds which of several strings occur in which of many records.
 *
 * Shows records in the layout of an Arrow column (one tape of bytes, offsets, and a bit per record
 * for null records), and cells that a sink takes in batches: an entry for each record and each
 * string that occurs there. For columns of cells, or only a bit, a byte or a count for each record,
 * give trawl_ask_records arrays instead, which may lie in a GPU's memory.
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

static int print_cells(void *context, const struct trawl_cells *cells)
{
    (void)context;
    for (uint64_t i = 0; i < cells->cell_count; i++)
        printf("record %" PRIu64 ": %s at %" PRIu64 "\n", cells->records[i],
               names[cells->patterns[i]], cells->begins[i]);
    return 0;
}

int main(void)
{
    /* Four records: "The kitty", "the mouse", "kitty saw mouse" and an empty one. */
    const char tape[] = "The kittythe mousekitty saw mouse";
    const int32_t offsets[] = {0, 9, 18, 33, 33};
    const uint8_t validity = 0x0d; /* bit 1 is 0: record 1 is null, so nothing occurs in it */
    const struct trawl_pattern patterns[2] = {{names[0], 5}, {names[1], 5}};
    struct trawl_record_array array = TRAWL_RECORD_ARRAY_INIT;
    struct trawl_answer cells = TRAWL_ANSWER(TRAWL_RECORDS_CELLS);
    struct trawl_plan *plan = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_records *records = NULL;
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status;

    array.bytes = (const uint8_t *)tape;
    array.offsets = offsets;
    array.offset_bytes = sizeof offsets[0];
    array.record_count = 4;
    array.validity = &validity;
    array.flags = TRAWL_RECORDS_STAY; /* for one search, a copy on a device would not pay */
    cells.cells = print_cells;
    status = trawl_plan_build(patterns, 2, NULL, &plan, &error);
    if (status == TRAWL_OK)
        status = trawl_searcher_open(NULL, &searcher, &error);
    if (status == TRAWL_OK)
        status = trawl_records_load(searcher, &array, &records, &error);
    if (status == TRAWL_OK)
        status = trawl_ask_records(searcher, plan, records, &cells, &error);
    if (status != TRAWL_OK)
        fprintf(stderr, "records_matrix: %s\n", error.message);
    trawl_records_unload(records);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    return status == TRAWL_OK && fflush(stdout) == 0 ? 0 : 2;
}
