/* cut: finds where a line that has not ended may be cut (cut.h). */
#include "regex/cut.h"

#include "base/checked.h"
#include "regex/words.h"

/* The last place that is tried is so many bytes before what has come of the line: more than a
 * character, so that assertions see it. */
#define CUT_AHEAD 8u

/* Returns 1 if a match of some expression may go on at `at`. Other results are those of
 * words_match. */
static int goes_on(const struct expressions *made, const struct groups_text *text,
                   struct groups_memory *memory)
{
    const struct groups *steps;
    int found = 0;

    for (uint32_t i = 0; i < made->count && found == 0; i++)
        found =
            expression_steps(made, i, &steps) != TRAWL_OK ? -1 : groups_go_on(steps, memory, text);
    return found;
}

enum trawl_status regex_cut(const struct trawl_plan *plan, const uint8_t *line, uint64_t count,
                            const struct engine_call *call, uint64_t *cut,
                            struct trawl_error *error)
{
    struct groups_text text = {.bytes = line, .count = count, .from = 0, .call = call};
    struct groups_memory memory = {.seen = NULL};
    const struct expressions *made;
    int found = 1;

    *cut = 0;
    TRAWL_TRY(expressions_want(plan, &made, error));
    if (made->has_beyond || (plan->flags & TRAWL_WHOLE_LINE) != 0)
        return TRAWL_OK;
    for (uint64_t back = CUT_AHEAD; back <= count / 2 && found > 0; back += back / 4) {
        text.to = count - back;
        while (text.to > count / 2 &&
               (line[text.to - 1] >= 0x80 || class_is_word_byte((char)line[text.to - 1])))
            text.to--;
        back = count - text.to;
        if (text.to > count / 2)
            found = engine_call_is_over(call) ? WORDS_CANCELLED : goes_on(made, &text, &memory);
    }
    groups_forget(&memory);
    *cut = found == 0 ? text.to : 0;
    return found == WORDS_CANCELLED ? TRAWL_STOPPED
           : found < 0 ? TRAWL_FAIL(error, MEMORY, "out of memory: a regular expression")
                       : TRAWL_OK;
}
