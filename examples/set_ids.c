/* set_ids: searches for many strings at once, and prints which one was found where
 *
 * Shows a set of strings as a plan. A match has the index of its string in the array that the
 * program passed to trawl_plan_build. What the program knows about each string, here an id, it
 * keeps in an array with the same indices. Occurrences may overlap, and all are reported, ordered
 * by (begin, index).
 *
 *     $ ./set_ids
 *     1 she id 700
 *     2 he id 100
 *     2 hers id 800
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <trawl.h>

#define STRINGS 4

struct entry {
    const char *string;
    uint32_t id;
};

static const struct entry entries[STRINGS] = {
    {"he", 100}, {"she", 700}, {"hers", 800}, {"his", 900}};

static int print_matches(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    (void)context;
    for (uint64_t i = 0; i < match_count; i++) {
        const struct entry *entry = &entries[matches[i].pattern_index];

        printf("%" PRIu64 " %s id %" PRIu32 "\n", matches[i].begin, entry->string, entry->id);
    }
    return ferror(stdout);
}

int main(void)
{
    struct trawl_pattern patterns[STRINGS];
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    struct trawl_searcher *searcher = NULL;
    struct trawl_answer matches = TRAWL_ANSWER_MATCHES(print_matches, NULL);
    struct trawl_error error = {.status = TRAWL_OK};
    enum trawl_status status;
    const struct trawl_text_options memory = TRAWL_TEXT_MEMORY("ushers", 6);

    for (uint64_t i = 0; i < STRINGS; i++) {
        patterns[i].bytes = entries[i].string;
        patterns[i].bytes_count = strlen(entries[i].string);
    }
    status = trawl_plan_build(patterns, STRINGS, NULL, &plan, &error);
    if (status != TRAWL_OK && error.pattern_index < STRINGS) /* the error is about a string */
        fprintf(stderr, "set_ids: id %" PRIu32 ": ", entries[error.pattern_index].id);
    if (status == TRAWL_OK)
        status = trawl_text_open(NULL, &memory, &text, &error);
    if (status == TRAWL_OK)
        status = trawl_searcher_open(NULL, &searcher, &error);
    if (status == TRAWL_OK)
        status = trawl_ask(searcher, plan, text, &matches, &error);
    trawl_searcher_close(searcher);
    trawl_text_close(text);
    trawl_plan_free(plan);
    if (status != TRAWL_OK)
        fprintf(stderr, "%s\n", status == TRAWL_STOPPED ? "output failed" : error.message);
    return status == TRAWL_OK && fflush(stdout) == 0 ? 0 : 2;
}
