/* Tests of the list of changes: its order, its limit, and several threads. */
#include <pthread.h>

#include "match/method_changes.h"
#include "test.h"

#define THREADS 4u
#define EACH 5000u

static struct method_changes changes, taken;

static void add(uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        const struct trawl_change change = {i, "every", "grams", 1, 0.5, "a test"};

        method_changes_add(&changes, &change);
    }
}

static void *add_many(void *thread)
{
    add((uintptr_t)thread * EACH, ((uintptr_t)thread + 1) * EACH);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    test_begin("unit_changes");
    for (uint64_t count = 0; count < 3 * TRAWL_CHANGES_KEPT; count++) {
        add(0, count);
        method_changes_take(&changes, &taken);
        TEST_CHECK_U64(changes.count, 0);
        TEST_CHECK_U64(taken.count, count);
        for (uint64_t i = count < TRAWL_CHANGES_KEPT ? 0 : count - TRAWL_CHANGES_KEPT; i < count;
             i++)
            TEST_CHECK_U64(taken.kept[i % TRAWL_CHANGES_KEPT].offset, i);
    }
    for (uintptr_t i = 0; i < THREADS; i++)
        TEST_CHECK(pthread_create(&threads[i], NULL, add_many, (void *)i) == 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        TEST_CHECK(pthread_join(threads[i], NULL) == 0);
    method_changes_take(&changes, &taken);
    TEST_CHECK_U64(taken.count, THREADS * EACH);
    for (uint64_t i = 0; i < TRAWL_CHANGES_KEPT; i++)
        TEST_CHECK(taken.kept[i].offset < THREADS * EACH && taken.kept[i].after != NULL);
    return test_end();
}
