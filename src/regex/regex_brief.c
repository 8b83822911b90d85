/* regex_brief: searches a short text for an expression at once, without a worker. */
#include "base/bytes.h"
#include "regex/engine_regex.h"
#include "regex/judge.h"
#include "regex/prices.def"
#include "regex/step.h"

/* Searches for the atoms of the plan's only expression, and around them. Returns false if that does
 * not decide, or if there are many atoms. */
static bool brief_around(const struct engine *engine, const struct expressions *expressions,
                         const struct trawl_plan *plan, const uint8_t *text, uint64_t count,
                         struct engine_brief *found)
{
    struct trawl_match atoms[BRIEF_ATOMS];
    struct engine_brief atom = {.to = count, .matches = atoms, .room = BRIEF_ATOMS};

    atom.is_first = expressions->are_strings ? found->is_first : !expressions->has_near;
    if (!engine_cpu.brief(engine, expressions->atoms, text, count, &atom) ||
        atom.count > BRIEF_ATOMS)
        return false;
    if (!expressions->are_strings)
        return atom.count == 0 ||
               (expressions->has_near && judge_near(plan, text, count, &atom, found));
    for (uint64_t i = 0; i < atom.count && (found->count == 0 || !found->is_first); i++)
        engine_brief_put(found, atoms[i].begin, atoms[i].end, 0, 0);
    return true;
}

/* Searches a short text for a single expression that is not PCRE2's: around its atoms, or
 * as a line. */
bool regex_brief(const struct engine *engine, const struct trawl_plan *plan, const uint8_t *text,
                 uint64_t count, struct engine_brief *found)
{
    const uint32_t others = TRAWL_MULTILINE | TRAWL_WHOLE_WORD | TRAWL_WHOLE_LINE | TRAWL_CRLF;
    const struct expressions *expressions;

    found->count = found->candidates = 0;
    found->is_long = count > BRIEF_MAX;
    if (found->is_long || plan->pattern_count != 1 || plan->pcre > 0 || found->hits != NULL ||
        (plan->flags & others) != 0 || expressions_want(plan, &expressions, NULL) != TRAWL_OK)
        return false;
    if (expressions->atoms != NULL && brief_around(engine, expressions, plan, text, count, found))
        return true;
    if (count > 0 && text[count - 1] == plan->line_end)
        count--;
    found->is_long = count > BRIEF_LINE ||
                     bytes_find_either(text, count, plan->line_end, plan->line_end_also) < count;
    found->count = 0;
    return !found->is_long && judge_brief(plan, text, count, found);
}
