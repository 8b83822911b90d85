/* unit_refused: checks that a search for an expression returns a status, rather than crashing, when
 * no memory is left for PCRE2, which does not use trawl_set_memory's function.
 */
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

static _Atomic int64_t left = INT64_MAX; /* calls to malloc that succeed */

#if !TEST_SANITIZED /* sanitizers have their own malloc */
void *__libc_malloc(size_t bytes);
void *malloc(size_t bytes)
{
    return left-- > 0 ? __libc_malloc(bytes) : NULL;
}
#endif

/* Builds a plan and searches, in a process in which only `calls` calls to malloc succeed. Returns
 * the number of calls that a search with enough memory makes. */
static int64_t search(struct trawl_searcher *searcher, int64_t calls)
{
    static const char text[] = "a cab, a foo; bfoo, fo. cab c";
    static const char expression[] = "[a-z]+foo|(?<=a )[a-c]+";
    static const struct trawl_pattern pattern = {expression, sizeof expression - 1};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_plan *plan = NULL;
    enum trawl_status status;
    uint64_t count = 0;

    options.syntax = TRAWL_PERL;
    options.flags = TRAWL_PCRE;
    left = calls;
    status = trawl_plan_build(&pattern, 1, &options, &plan, NULL);
    if (status == TRAWL_OK)
        status = trawl_list_bytes(searcher, plan, text, sizeof text - 1, 0, NULL, 0, &count, NULL);
    calls -= left;
    left = INT64_MAX;
    if (status == TRAWL_UNSUPPORTED)
        TEST_SKIP("there is no PCRE2");
    TEST_CHECK(status == TRAWL_OK || status == TRAWL_MEMORY);
    trawl_plan_free(plan);
    return calls;
}

int main(void)
{
    AUTO_SEARCHER searcher = must_searcher(1, 0);
    int64_t calls;

    if (TEST_SANITIZED)
        TEST_SKIP("sanitizers have a malloc of their own");
    test_begin("refused");
    calls = search(searcher, INT64_MAX);
    TEST_CHECK(calls > 10);
    for (int64_t some = 0; some < calls; some++) {
        const pid_t child = fork();
        int status = -1;

        if (child == 0) {
            (void)search(searcher, some);
            _exit(test_failures > 0);
        }
        TEST_CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    return test_end();
}
