/* algorithm: the public functions about published algorithms: the plan gets their table
 * here, since the plan's room knows none. */
#include "runtime/engines.h"

enum trawl_status trawl_plan_build(const struct trawl_pattern *patterns, uint64_t pattern_count,
                                   const struct trawl_plan_options *options,
                                   struct trawl_plan **plan, struct trawl_error *error)
{
    return plan_build(patterns, pattern_count, options, engine_algorithms(), plan, error);
}

static const char *listed(uint32_t index, const char **summary, uint32_t *engines)
{
    const struct plan_algorithms *algorithms = engine_algorithms();

    return algorithms == NULL ? NULL : algorithms->list(index, summary, engines);
}

const char *trawl_algorithm(uint32_t index, const char **summary)
{
    const char *line = NULL, *name;
    uint32_t engines = 0;

    name = listed(index, &line, &engines);
    if (name != NULL && summary != NULL)
        *summary = line;
    return name;
}

uint32_t trawl_algorithm_engines(uint32_t index)
{
    const char *line = NULL;
    uint32_t engines = 0;

    return listed(index, &line, &engines) == NULL ? 0 : engines;
}
