/* matches: an array that is filled with more matches than there is room for. */
#include "test.h"

#include "trawl.h"

#define MANY ((1u << 20) + 200000u) /* matches: the last ones are written past the caches */
#define GUARD 0x5a5a5a5a5a5a5a5aull

/* An array that is filled beyond what the caches hold, and ends before the last matches. */
static void fill_array(uint32_t word)
{
    const struct trawl_pattern patterns[] = {{"a", 1}, {"aa", 2}};
    uint64_t room = MANY - 100 * word, count = 0, wrong = 0;
    uint64_t *words = malloc((3 * MANY + 8) * sizeof *words);
    struct trawl_match *matches = (struct trawl_match *)(void *)(words + word);
    uint8_t *bytes = malloc(MANY / 2 + 1);
    struct trawl_searcher *searcher = NULL;
    struct trawl_text *text = NULL;
    struct trawl_plan *plan = NULL;

    if (!TEST_CHECK(words != NULL && bytes != NULL))
        exit(test_end());
    memset(bytes, 'a', MANY / 2 + 1);
    memset(words, 0x5a, (3 * MANY + 8) * sizeof *words);
    TEST_CHECK(trawl_plan_build(patterns, 2, NULL, &plan, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_searcher_open(NULL, &searcher, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_text_from_memory(bytes, MANY / 2 + 1, &text, NULL) == TRAWL_OK);
    TEST_CHECK(trawl_positions_into(searcher, plan, text, matches, room, &count, NULL) == TRAWL_OK);
    TEST_CHECK_U64(count, MANY + 1);
    for (uint64_t i = 0; i < room; i++)
        wrong += matches[i].begin != i / 2 || matches[i].pattern_index != i % 2 ||
                 matches[i].end != i / 2 + 1 + i % 2;
    for (uint64_t i = 0; i < 3 * MANY + 8; i++)
        wrong += (i < word || i >= 3 * room + word) && words[i] != GUARD;
    TEST_CHECK_U64(wrong, 0);
    trawl_text_close(text);
    trawl_searcher_close(searcher);
    trawl_plan_free(plan);
    free(bytes);
    free(words);
}

int main(void)
{
    test_begin("matches");
    for (uint32_t word = 0; word < 4; word++)
        fill_array(word);
    return test_end();
}
