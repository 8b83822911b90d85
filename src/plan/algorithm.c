/* algorithm: the names of the gallery, and the option string that asks for one. */
#include "plan/algorithm.h"

#include <string.h>

#define THREADS_MIN 64u /* of a block, where the option is THREADS; a multiple of THREADS_STEP */
#define THREADS_STEP 32u
#define THREADS_MAX 1024u
#define BLOCKS_MAX 0x7fffffffu
#define THRESHOLD_MAX 0x7fffffffu
#define NUMBER_DIGITS_MAX 10u

enum searches { TEXT, RECORDS };
enum geometry { NONE, THREADS, GRID, THRESHOLD };
enum engines {
    CPU = 1 << TRAWL_ENGINE_CPU,
    CUDA = 1 << TRAWL_ENGINE_CUDA,
    BOTH = CPU | CUDA,
};

struct row {
    const char *name;
    enum searches searches;
    enum engines engines;
    enum geometry geometry;
    const char *summary;
    const char *source;
};

static const struct row rows[] = {
    {"", TEXT, BOTH, NONE, "", ""}, /* NONE */
#define ALGORITHM(enumerator, name, searches, engines, geometry, summary, source) \
    {name, searches, engines, geometry, summary, source},
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

uint32_t plan_algorithm_engines(enum plan_algorithm algorithm)
{
    return (uint32_t)rows[algorithm].engines;
}

/* ---- The option string ------------------------------------------------------------------ */

/* A part of the option string. */
struct part {
    const char *begin;
    size_t count;
};

/* Cut off what stands before the first `separator`; the rest, without it, stays in *text. */
static struct part part_cut(struct part *text, char separator)
{
    const char *at = (const char *)memchr(text->begin, separator, text->count);
    struct part head = *text;

    if (at != NULL)
        head.count = (size_t)(at - text->begin);
    text->begin += head.count + (at != NULL);
    text->count -= head.count + (at != NULL);
    return head;
}

/* Decimal digits alone, in [least, most]. */
static bool part_number(struct part part, uint32_t least, uint32_t most, uint32_t *number)
{
    uint64_t value = 0;

    if (part.count == 0 || part.count > NUMBER_DIGITS_MAX)
        return false;
    for (size_t i = 0; i < part.count; i++) {
        if (part.begin[i] < '0' || part.begin[i] > '9')
            return false;
        value = 10 * value + (uint64_t)(part.begin[i] - '0');
    }
    *number = (uint32_t)value;
    return value >= least && value <= most;
}

static bool find(struct part name, enum plan_algorithm *algorithm)
{
    for (uint32_t i = PLAN_ALGORITHM_NONE + 1; i < PLAN_ALGORITHM_COUNT; i++)
        if (strlen(rows[i].name) == name.count &&
            memcmp(rows[i].name, name.begin, name.count) == 0) {
            *algorithm = (enum plan_algorithm)i;
            return true;
        }
    return false;
}

static enum trawl_status parse_geometry(const struct row *row, struct part text,
                                        struct plan_algorithm_options *options,
                                        struct trawl_error *error)
{
    int shown = (int)(text.count < 100 ? text.count : 100);
    struct part rest = text, blocks;

    switch (row->geometry) {
    case NONE:
        return TRAWL_FAIL(error, ARGUMENT, "algorithm %s takes no geometry, but has \"%.*s\"",
                          row->name, shown, text.begin);
    case THREADS:
        if (!part_number(text, THREADS_MIN, THREADS_MAX, &options->threads) ||
            options->threads % THREADS_STEP != 0)
            return TRAWL_FAIL(error, ARGUMENT,
                              "algorithm %s: threads \"%.*s\" are not a multiple of %u from %u to "
                              "%u",
                              row->name, shown, text.begin, THREADS_STEP, THREADS_MIN, THREADS_MAX);
        return TRAWL_OK;
    case GRID:
        blocks = part_cut(&rest, 'x');
        if (!part_number(blocks, 1, BLOCKS_MAX, &options->blocks) ||
            !part_number(rest, 1, THREADS_MAX, &options->threads))
            return TRAWL_FAIL(error, ARGUMENT,
                              "algorithm %s: grid \"%.*s\" is not blocks x threads, like 256x16, "
                              "of up to %u threads",
                              row->name, shown, text.begin, THREADS_MAX);
        return TRAWL_OK;
    case THRESHOLD:
        if (!part_number(text, 1, THRESHOLD_MAX, &options->threshold))
            return TRAWL_FAIL(error, ARGUMENT,
                              "algorithm %s: threshold \"%.*s\" is not a number of bytes",
                              row->name, shown, text.begin);
        return TRAWL_OK;
    }
    return TRAWL_OK;
}

static enum trawl_status parse_words(const struct row *row, struct part words,
                                     struct plan_algorithm_options *options,
                                     struct trawl_error *error)
{
    static const char debug[] = "debug";

    if (words.count != sizeof debug - 1 || memcmp(words.begin, debug, words.count) != 0)
        return TRAWL_FAIL(error, ARGUMENT,
                          "algorithm %s: option \"%.100s\" does not exist, only debug does",
                          row->name, words.begin);
    if ((row->engines & CUDA) == 0)
        return TRAWL_FAIL(error, ARGUMENT,
                          "algorithm %s has no device code, so none for option debug", row->name);
    options->debug = true;
    return TRAWL_OK;
}

enum trawl_status plan_algorithm_parse(const char *text, enum plan_algorithm *algorithm,
                                       struct plan_algorithm_options *options,
                                       struct trawl_error *error)
{
    struct part words, geometry, name;
    bool has_words, has_geometry;

    *algorithm = PLAN_ALGORITHM_NONE;
    memset(options, 0, sizeof *options);
    if (text == NULL)
        return TRAWL_OK;
    has_words = strchr(text, ',') != NULL;
    words.begin = text;
    words.count = strlen(text);
    geometry = part_cut(&words, ',');
    has_geometry = memchr(geometry.begin, ':', geometry.count) != NULL;
    name = part_cut(&geometry, ':');
    if (!find(name, algorithm))
        return TRAWL_FAIL(error, ARGUMENT, "algorithm \"%.*s\" does not exist",
                          (int)(name.count < 100 ? name.count : 100), name.begin);
    if (has_geometry)
        TRAWL_TRY(parse_geometry(&rows[*algorithm], geometry, options, error));
    return has_words ? parse_words(&rows[*algorithm], words, options, error) : TRAWL_OK;
}

/* ---- The list --------------------------------------------------------------------------- */

const char *trawl_algorithm(uint32_t index, const char **summary)
{
    if (index >= PLAN_ALGORITHM_COUNT - 1)
        return NULL;
    if (summary != NULL)
        *summary = rows[index + 1].summary;
    return rows[index + 1].name;
}

uint32_t trawl_algorithm_engines(uint32_t index)
{
    return index >= PLAN_ALGORITHM_COUNT - 1 ? 0 : (uint32_t)rows[index + 1].engines;
}
