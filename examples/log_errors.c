/* log_errors: counts the lines of standard input that contain one of several words, in any case
 *
 *     $ printf 'ok\nError: disk\nok\nkernel panic\n' | ./log_errors
 *     2 lines
 */
#include <inttypes.h>
#include <stdio.h>
#include <trawl.h>

int main(void)
{
    const struct trawl_pattern words[] = {{"error", 5}, {"fatal", 5}, {"panic", 5}};
    const struct trawl_plan_options any_case = {.size = sizeof any_case,
                                                .flags = TRAWL_IGNORE_CASE};
    const struct trawl_text_options input = {.size = sizeof input,
                                             .source = TRAWL_SOURCE_DESCRIPTOR};
    struct trawl_answer lines = TRAWL_ANSWER(TRAWL_COUNT_LINES);
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {.status = TRAWL_OK};

    if (trawl_plan_build(words, 3, &any_case, &plan, &error) == TRAWL_OK &&
        trawl_text_open("standard input", &input, &text, &error) == TRAWL_OK &&
        trawl_searcher_open(NULL, &searcher, &error) == TRAWL_OK &&
        trawl_ask(searcher, plan, text, &lines, &error) == TRAWL_OK)
        printf("%" PRIu64 " lines\n", lines.count);
    else
        fprintf(stderr, "log_errors: %s\n", error.message);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);
    return error.status == TRAWL_OK ? 0 : 2;
}
