/* count_buffer: counts the occurrences of a string in a buffer
 *
 * Shows the three objects that every search needs (plan, text, searcher), and how to handle errors
 * in a single place: the calls are chained, the first that fails fills `error`, and the program
 * reads it at the end.
 *
 *     $ ./count_buffer
 *     fish: 4
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <trawl.h>

int main(void)
{
    const char buffer[] = "one fish, two fish, red fish, blue fish";
    const struct trawl_pattern pattern = {"fish", 4};
    const struct trawl_text_options memory = TRAWL_TEXT_MEMORY(buffer, strlen(buffer));
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {.status = TRAWL_OK};
    uint64_t count = 0;

    if (trawl_plan_build(&pattern, 1, NULL, &plan, &error) == TRAWL_OK &&
        trawl_text_open(NULL, &memory, &text, &error) == TRAWL_OK &&
        trawl_searcher_open(NULL, &searcher, &error) == TRAWL_OK &&
        trawl_count(searcher, plan, text, &count, &error) == TRAWL_OK)
        printf("fish: %" PRIu64 "\n", count);
    else
        fprintf(stderr, "count_buffer: %s\n", error.message);

    /* the close functions accept NULL, so objects that were never opened need no test */
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);
    return error.status == TRAWL_OK ? 0 : 2;
}
