/* records_filter: a filter of a string column: a byte for each record, 1 if a string occurs in it
 *
 *     $ ./records_filter
 *     1 0 0 1
 */
#include <stdio.h>
#include <string.h>
#include <trawl.h>

int main(void)
{
    const char tape[] = "red foxdogfox"; /* "red fox", "", "dog", "fox" */
    const int32_t offsets[] = {0, 7, 7, 10, 13};
    const struct trawl_pattern fox = {"fox", 3};
    const struct trawl_record_array column = {.size = sizeof column,
                                              .bytes = (const uint8_t *)tape,
                                              .offsets = offsets,
                                              .record_count = 4,
                                              .offset_bytes = sizeof *offsets,
                                              .flags = TRAWL_RECORDS_STAY};
    struct trawl_answer filter = TRAWL_ANSWER(TRAWL_RECORDS_BYTES);
    struct trawl_plan *plan = NULL;
    struct trawl_records *records = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {.status = TRAWL_OK};
    uint8_t is_fox[4] = {0};

    filter.values = is_fox;
    filter.room = 4;
    if (trawl_plan_build(&fox, 1, NULL, &plan, &error) == TRAWL_OK &&
        trawl_searcher_open(NULL, &searcher, &error) == TRAWL_OK &&
        trawl_records_load(searcher, &column, &records, &error) == TRAWL_OK &&
        trawl_ask_records(searcher, plan, records, &filter, &error) == TRAWL_OK)
        printf("%d %d %d %d\n", is_fox[0], is_fox[1], is_fox[2], is_fox[3]);
    else
        fprintf(stderr, "records_filter: %s\n", error.message);
    trawl_records_unload(records);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    return error.status == TRAWL_OK ? 0 : 2;
}
