/* file_positions: prints the byte offset of every occurrence of a string in a file.
 *
 * Shows a file as a text, and a sink: a function that receives the matches in order, while the
 * search continues. Memory stays bounded, whatever the size of the file and the number of matches.
 * A sink that returns non-zero ends the search, which then returns TRAWL_STOPPED.
 *
 *     $ printf 'one fish two fish\nred fish blue fish\n' >sea.txt
 *     $ ./file_positions fish sea.txt
 *     4
 *     13
 *     22
 *     32
 *     $ ./file_positions fish lake.txt  # status 2
 *     file_positions: lake.txt: No such file or directory
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <trawl.h>

static int print_begins(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    FILE *output = (FILE *)context;

    for (uint64_t i = 0; i < match_count; i++)
        if (fprintf(output, "%" PRIu64 "\n", matches[i].begin) < 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    struct trawl_pattern pattern;
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_answer matches = TRAWL_ANSWER_MATCHES(print_begins, stdout);
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status;

    if (argc != 3) {
        fprintf(stderr, "usage: file_positions STRING FILE\n");
        return 2;
    }
    pattern.bytes = argv[1];
    pattern.bytes_count = strlen(argv[1]);

    status = trawl_plan_build(&pattern, 1, NULL, &plan, &error);
    if (status == TRAWL_OK)
        status = trawl_text_open(argv[2], NULL, &text, &error);
    if (status == TRAWL_OK)
        status = trawl_searcher_open(NULL, &searcher, &error);
    if (status == TRAWL_OK)
        status = trawl_ask(searcher, plan, text, &matches, &error);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);

    /* the output may still be in a buffer; only a flush shows whether all of it was written */
    if (fflush(stdout) != 0 || status == TRAWL_STOPPED)
        perror("file_positions: standard output");
    else if (status != TRAWL_OK)
        fprintf(stderr, "file_positions: %s\n", error.message);
    else
        return 0;
    return 2;
}
