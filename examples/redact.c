/* redact: copies standard input, with stars in place of e-mail addresses and long numbers
 *
 *     $ printf 'from ann@example.org, card 4111111111111111\nok\n' | ./redact
 *     from ***, card ***
 *     ok
 */
#include <stdio.h>
#include <trawl.h>

static int write_bytes(void *context, const void *bytes, uint64_t bytes_count)
{
    return fwrite(bytes, 1, (size_t)bytes_count, (FILE *)context) < bytes_count;
}

int main(void)
{
    static const char address[] = "[\\w.+-]+@[\\w.-]+\\.\\w+", number[] = "\\b\\d{12,19}\\b";
    const struct trawl_pattern secrets[] = {{address, sizeof address - 1},
                                            {number, sizeof number - 1}};
    const struct trawl_plan_options perl = {.size = sizeof perl, .syntax = TRAWL_PERL};
    const struct trawl_text_options input = {.size = sizeof input,
                                             .source = TRAWL_SOURCE_DESCRIPTOR};
    const struct trawl_value stars = {"***", 3};
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error = {.status = TRAWL_OK};

    if (trawl_plan_build(secrets, 2, &perl, &plan, &error) != TRAWL_OK ||
        trawl_text_open("standard input", &input, &text, &error) != TRAWL_OK ||
        trawl_searcher_open(NULL, &searcher, &error) != TRAWL_OK ||
        trawl_replace(searcher, plan, text, TRAWL_SPANS, &stars, 1, write_bytes, stdout, &error) !=
            TRAWL_OK)
        fprintf(stderr, "redact: %s\n", error.message);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);
    return error.status == TRAWL_OK ? 0 : 2;
}
