/* algorithm: the names of the gallery. */
#include "plan/algorithm.h"

#include <string.h>

enum searches { TEXT, RECORDS };

struct row {
    const char *name;
    enum searches searches;
    const char *summary;
    const char *source;
};

static const struct row rows[] = {
    {"", TEXT, "", ""}, /* NONE */
#define ALGORITHM(enumerator, name, searches, summary, source) {name, searches, summary, source},
#include "plan/algorithms.def"
#undef ALGORITHM
};

const char *plan_algorithm_name(enum plan_algorithm algorithm)
{
    TRAWL_ASSERT(algorithm > PLAN_ALGORITHM_NONE && algorithm < PLAN_ALGORITHM_COUNT);
    return rows[algorithm].name;
}

const char *plan_algorithm_source(enum plan_algorithm algorithm)
{
    TRAWL_ASSERT(algorithm > PLAN_ALGORITHM_NONE && algorithm < PLAN_ALGORITHM_COUNT);
    return rows[algorithm].source;
}

bool plan_algorithm_is_for_records(enum plan_algorithm algorithm)
{
    return rows[algorithm].searches == RECORDS;
}

enum trawl_status plan_algorithm_find(const char *name, enum plan_algorithm *algorithm,
                                      struct trawl_error *error)
{
    *algorithm = PLAN_ALGORITHM_NONE;
    if (name == NULL)
        return TRAWL_OK;
    for (uint32_t i = PLAN_ALGORITHM_NONE + 1; i < PLAN_ALGORITHM_COUNT; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *algorithm = (enum plan_algorithm)i;
            return TRAWL_OK;
        }
    return TRAWL_FAIL(error, ARGUMENT, "algorithm \"%.100s\" does not exist", name);
}

const char *trawl_algorithm(uint32_t index, const char **summary)
{
    if (index >= PLAN_ALGORITHM_COUNT - 1)
        return NULL;
    if (summary != NULL)
        *summary = rows[index + 1].summary;
    return rows[index + 1].name;
}
