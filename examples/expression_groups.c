/* expression_groups: prints the groups of an expression's occurrences, by name and by number
 *
 * A search reports where an occurrence is. trawl_line_groups then finds its groups in the line
 * around it, and trawl_plan_tell returns the number of a named group.
 *
 *     $ ./expression_groups
 *     host db1, unit s
 *     host web, no unit
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <trawl.h>

#define GROUPS 3 /* the whole occurrence, and the expression's two groups */

static const char text_bytes[] = "db1 took 20s\nno time\nweb took 7\n";
static const char expression[] = "(?P<host>\\w+) took \\d+([a-z])?";

struct job {
    const struct trawl_plan *plan;
    uint64_t host; /* the number of the group `host` */
    struct trawl_error error;
};

static int print_groups(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    struct job *job = (struct job *)context;
    struct trawl_range groups[GROUPS];

    for (uint64_t i = 0; i < match_count; i++) {
        uint64_t line = matches[i].begin, end = matches[i].end;
        struct trawl_line *opened = NULL;
        enum trawl_status status;

        while (line > 0 && text_bytes[line - 1] != '\n')
            line--;
        while (text_bytes[end] != '\n' && text_bytes[end] != '\0')
            end++;
        if (trawl_line_open(job->plan, matches[i].pattern_index, text_bytes + line, end - line,
                            NULL, &opened, &job->error) != TRAWL_OK)
            return 1;
        status = trawl_line_groups(
            opened, (struct trawl_range){matches[i].begin - line, matches[i].end - line}, groups,
            GROUPS, &job->error);
        trawl_line_close(opened);
        if (status != TRAWL_OK)
            return 1;
        printf("host %.*s, ", (int)(groups[job->host].end - groups[job->host].begin),
               text_bytes + line + groups[job->host].begin);
        if (groups[2].begin == UINT64_MAX) /* the group matched nothing */
            printf("no unit\n");
        else
            printf("unit %c\n", text_bytes[line + groups[2].begin]);
    }
    return ferror(stdout);
}

int main(void)
{
    const struct trawl_pattern pattern = {expression, strlen(expression)};
    struct trawl_plan_options options = {.size = sizeof options, .syntax = TRAWL_PERL};
    const struct trawl_text_options memory = TRAWL_TEXT_MEMORY(text_bytes, strlen(text_bytes));
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    struct trawl_plan_told told = {
        .size = sizeof told, .group_name = "host", .group_name_bytes = 4};
    struct trawl_searcher *searcher = NULL;
    struct trawl_answer matches = TRAWL_ANSWER(TRAWL_MATCHES);
    struct job job = {0};
    enum trawl_status status = trawl_plan_build(&pattern, 1, &options, &plan, &job.error);

    job.plan = plan;
    matches.matches = print_groups;
    matches.context = &job;
    if (status == TRAWL_OK)
        status = trawl_plan_tell(plan, &told, &job.error);
    job.host = told.group;
    if (status == TRAWL_OK)
        status = trawl_text_open(NULL, &memory, &text, &job.error);
    if (status == TRAWL_OK)
        status = trawl_searcher_open(NULL, &searcher, &job.error);
    if (status == TRAWL_OK)
        status = trawl_ask(searcher, plan, text, &matches, &job.error);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);
    if (status != TRAWL_OK)
        fprintf(stderr, "%s\n", job.error.message[0] != '\0' ? job.error.message : "output failed");
    return status == TRAWL_OK && fflush(stdout) == 0 ? 0 : 2;
}
