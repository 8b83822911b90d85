/* use: a program of somebody else's, built against the installed library. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <trawl.h>

int main(void)
{
    const char bytes[] = "one fish two fish";
    struct trawl_pattern pattern = {"fish", 4};
    struct trawl_plan *plan = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_text *text = NULL;
    uint64_t count = 0;

    if (strcmp(trawl_version(), TRAWL_VERSION) == 0 &&
        trawl_plan_build(&pattern, 1, NULL, &plan, NULL) == TRAWL_OK &&
        trawl_searcher_open(NULL, &searcher, NULL) == TRAWL_OK &&
        trawl_text_from_memory(bytes, sizeof(bytes) - 1, &text, NULL) == TRAWL_OK &&
        trawl_count(searcher, plan, text, &count, NULL) == TRAWL_OK)
        printf("%" PRIu64 " fish\n", count);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    return count == 2 ? 0 : 1;
}
