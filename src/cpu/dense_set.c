/* dense_set: builds the automaton that searches for a set of strings where candidates are dense
 * (dense.h), once for all threads. */
#include "base/memory.h"
#include "cpu/worker.h"

static void dense_free(void *object)
{
    struct dense_set *set = (struct dense_set *)object;

    if (set == NULL)
        return;
    plan_automaton_free(&set->automaton);
    memory_release(set->own_strings, set->automaton.count, sizeof *set->own_strings);
    memory_release(set->own_bytes, set->own_bytes_count, 1);
    dense_fold_free(set->fold);
    memory_release(set, 1, sizeof *set);
}

static enum trawl_status dense_make(const void *from, void **object, struct trawl_error *error)
{
    const struct trawl_plan *plan = (const struct trawl_plan *)from;
    enum trawl_status status = TRAWL_OK;
    bool fold, fits = false;
    struct dense_set *set;

    TRAWL_TRY(MEMORY_ZEROED(set, 1, error));
    set->automaton.plan = plan;
    set->automaton.bytes = plan->literal_bytes;
    set->automaton.count = plan->literal_count;
    set->automaton.row_words_max = cpu_sizes.row_words;
    if (plan->element_count > 0)
        TRAWL_TRY_DONE(dense_fold_strings(plan, set, error));
    fold = set->fold == NULL && (plan->flags & TRAWL_IGNORE_CASE) != 0;
    if (!set->unfit) {
        TRAWL_TRY_DONE(
            plan_automaton_make(&set->automaton, fold, PLAN_AUTOMATON_NODES_MAX, &fits, error));
        set->unfit = !fits;
    }
    /* the plan in `from` may be a copy that is freed before the automaton is */
    set->automaton.plan = NULL;
    *object = set;
    set = NULL;
done:
    dense_free(set);
    return status;
}

enum trawl_status dense_want(const struct trawl_plan *plan, const struct dense_set **set,
                             struct trawl_error *error)
{
    const void *object;

    TRAWL_TRY(
        attachment_want(&plan->attached[PLAN_DENSE], plan, dense_make, dense_free, &object, error));
    *set = (const struct dense_set *)object;
    return TRAWL_OK;
}

bool dense_is_there(const struct trawl_plan *plan)
{
    return attachment_is_there(&plan->attached[PLAN_DENSE]);
}
