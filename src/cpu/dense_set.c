/* dense_set: the automaton of a set, and what its strings are, made once for all threads. */
#include <pthread.h>

#include "base/memory.h"
#include "cpu/dense.h"

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

static enum trawl_status dense_build(const struct trawl_plan *plan, struct dense_set **set_out,
                                     struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    bool fold, fits = false;
    struct dense_set *set;
    void *memory;

    TRAWL_TRY(memory_allocate_zeroed(1, sizeof *set, &memory, error));
    set = (struct dense_set *)memory;
    set->automaton.plan = plan;
    set->automaton.bytes = plan->literal_bytes;
    set->automaton.count = plan->literal_count;
    if (plan->element_count > 0)
        TRAWL_TRY_DONE(dense_fold_strings(plan, set, error));
    fold = set->fold == NULL && (plan->flags & TRAWL_IGNORE_CASE) != 0;
    if (!set->unfit) {
        TRAWL_TRY_DONE(
            plan_automaton_make(&set->automaton, fold, PLAN_AUTOMATON_NODES_MAX, &fits, error));
        set->unfit = !fits;
    }
    *set_out = set;
    set = NULL;
done:
    dense_free(set);
    return status;
}

/* For all plans alike: a set is made once in a plan's life, and rarely. */
static pthread_mutex_t dense_lock = PTHREAD_MUTEX_INITIALIZER;

enum trawl_status dense_want(const struct trawl_plan *plan, const struct dense_set **set,
                             struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;
    struct dense_set *made = NULL;

    (void)pthread_mutex_lock(&dense_lock);
    if (plan->dense->object == NULL) {
        status = dense_build(plan, &made, error);
        plan->dense->object = made;
        plan->dense->release = dense_free;
    }
    *set = (const struct dense_set *)plan->dense->object;
    (void)pthread_mutex_unlock(&dense_lock);
    return status;
}

bool dense_is_there(const struct trawl_plan *plan)
{
    bool there;

    if (pthread_mutex_trylock(&dense_lock) != 0)
        return false; /* one is being made */
    there = plan->dense->object != NULL;
    (void)pthread_mutex_unlock(&dense_lock);
    return there;
}
