/* gallery_algorithm: the names of the gallery's algorithms, and the option string that selects
 * one. */
#include "gallery/gallery_algorithm.h"

#include <inttypes.h>
#include <string.h>

/* Threads per block: multiples of THREADS_STEP from THREADS_MIN to THREADS_MAX, if the geometry is
 * THREADS; 1 to THREADS_MAX if it is GRID. */
#define THREADS_MIN 32u
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

struct algorithm_row {
    const char *name;
    enum searches searches;
    enum engines engines;
    enum geometry geometry;
    const char *summary; /* one line, which ends with the source in parentheses */
    const char *source;
};

static const struct algorithm_row rows[] = {
    {"", TEXT, BOTH, NONE, "", ""}, /* GALLERY_NONE */
#define ALGORITHM(enumerator, name, searches, engines, geometry, summary, source) \
    {name, searches, engines, geometry, summary " (" source ")", source},
#include "gallery/algorithms.def"
};

/* ---- The option string ------------------------------------------------------------------ */

struct option_text {
    const char *begin;
    size_t count;
};

/* Returns the part of *text before the first `separator`; *text becomes the part after it. */
static struct option_text option_split(struct option_text *text, char separator)
{
    const char *at = (const char *)memchr(text->begin, separator, text->count);
    struct option_text head = *text;

    if (at != NULL)
        head.count = (size_t)(at - text->begin);
    text->begin += head.count + (at != NULL);
    text->count -= head.count + (at != NULL);
    return head;
}

/* Reads a decimal number. Returns false if `part` has a byte that is not a digit, or if the number
 * is not in [min, max]. */
static bool option_number(struct option_text part, uint32_t min, uint32_t max, uint32_t *number)
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
    return value >= min && value <= max;
}

static bool find_algorithm(struct option_text name, enum gallery_algorithm *algorithm)
{
    for (uint32_t i = GALLERY_NONE + 1; i < GALLERY_COUNT; i++)
        if (strlen(rows[i].name) == name.count &&
            memcmp(rows[i].name, name.begin, name.count) == 0) {
            *algorithm = (enum gallery_algorithm)i;
            return true;
        }
    return false;
}

static enum trawl_status parse_geometry(const struct algorithm_row *row, struct option_text text,
                                        struct gallery_choice *choice, struct trawl_error *error)
{
    int shown = (int)(text.count < 100 ? text.count : 100);
    struct option_text rest = text, blocks;

    switch (row->geometry) {
    case NONE:
        return TRAWL_FAIL(error, ARGUMENT, "algorithm %s takes no geometry, but has \"%.*s\"",
                          row->name, shown, text.begin);
    case THREADS:
        if (!option_number(text, THREADS_MIN, THREADS_MAX, &choice->threads) ||
            choice->threads % THREADS_STEP != 0)
            return TRAWL_FAIL(error, ARGUMENT,
                              "algorithm %s: threads \"%.*s\" are not a multiple of %u from %u to "
                              "%u",
                              row->name, shown, text.begin, THREADS_STEP, THREADS_MIN, THREADS_MAX);
        return TRAWL_OK;
    case GRID:
        blocks = option_split(&rest, 'x');
        if (!option_number(blocks, 1, BLOCKS_MAX, &choice->blocks) ||
            !option_number(rest, 1, THREADS_MAX, &choice->threads))
            return TRAWL_FAIL(error, ARGUMENT,
                              "algorithm %s: grid \"%.*s\" is not blocks x threads, like 256x16, "
                              "of up to %u threads",
                              row->name, shown, text.begin, THREADS_MAX);
        return TRAWL_OK;
    case THRESHOLD:
        if (!option_number(text, 1, THRESHOLD_MAX, &choice->threshold))
            return TRAWL_FAIL(error, ARGUMENT,
                              "algorithm %s: threshold \"%.*s\" is not a number of bytes",
                              row->name, shown, text.begin);
        return TRAWL_OK;
    }
    return TRAWL_OK;
}

static bool option_is_word(struct option_text text, const char *word)
{
    return text.count == strlen(word) && memcmp(text.begin, word, text.count) == 0;
}

static enum trawl_status parse_word(const struct algorithm_row *row, struct option_text word,
                                    struct gallery_choice *choice, struct trawl_error *error)
{
    bool applies = false, *option = NULL;
    int shown = (int)(word.count < 100 ? word.count : 100);

    if (option_is_word(word, "debug")) {
        option = &choice->debug;
        applies =
            (strncmp(row->name, "pss-", 4) == 0 && choice->algorithm != GALLERY_PSS_GM_LIST) ||
            choice->algorithm == GALLERY_BMH;
    } else if (option_is_word(word, "uncounted")) {
        option = &choice->uncounted;
        applies = strstr(row->name, "-swift") != NULL;
    } else if (option_is_word(word, "ordered")) {
        option = &choice->ordered;
        applies = strstr(row->name, "-swift") != NULL;
    } else if (option_is_word(word, "global")) {
        option = &choice->global;
        applies = choice->algorithm == GALLERY_RABIN_KARP_MATRIX_SAMPLE;
    }
    if (option == NULL)
        return TRAWL_FAIL(error, ARGUMENT,
                          "algorithm %s: option \"%.*s\" does not exist, only debug, uncounted, "
                          "ordered and global do",
                          row->name, shown, word.begin);
    if (!applies || *option)
        return TRAWL_FAIL(error, ARGUMENT, "option %.*s %s algorithm %s", shown, word.begin,
                          applies ? "is there twice for" : "does not apply to", row->name);
    *option = true;
    return TRAWL_OK;
}

static enum trawl_status parse(const char *asked, struct gallery_choice *choice,
                               struct trawl_error *error)
{
    struct option_text words = {asked, strlen(asked)}, geometry, name;
    bool has_words = strchr(asked, ',') != NULL, has_geometry;

    memset(choice, 0, sizeof *choice);
    geometry = option_split(&words, ',');
    has_geometry = memchr(geometry.begin, ':', geometry.count) != NULL;
    name = option_split(&geometry, ':');
    if (!find_algorithm(name, &choice->algorithm))
        return TRAWL_FAIL(error, ARGUMENT, "algorithm \"%.*s\" does not exist",
                          (int)(name.count < 100 ? name.count : 100), name.begin);
    if (has_geometry)
        TRAWL_TRY(parse_geometry(&rows[choice->algorithm], geometry, choice, error));
    while (has_words) {
        has_words = memchr(words.begin, ',', words.count) != NULL;
        TRAWL_TRY(parse_word(&rows[choice->algorithm], option_split(&words, ','), choice, error));
    }
    return TRAWL_OK;
}

struct gallery_choice gallery_choice_of(const struct trawl_plan *plan)
{
    struct gallery_choice choice;
    enum trawl_status status = parse(plan->algorithm.asked, &choice, NULL);

    TRAWL_ASSERT(status == TRAWL_OK); /* plan_build has parsed this string before */
    (void)status;
    return choice;
}

/* ---- The functions that plans call (struct plan_algorithms) ----------------------------- */

static enum trawl_status read_asked(const char *asked, struct plan_algorithm *algorithm,
                                    struct trawl_error *error)
{
    struct gallery_choice choice;

    TRAWL_TRY(parse(asked, &choice, error));
    algorithm->name = rows[choice.algorithm].name;
    algorithm->engines = (uint32_t)rows[choice.algorithm].engines;
    if (choice.threads != 0 || choice.threshold != 0 || choice.debug || choice.global)
        algorithm->engines &= CUDA; /* grids and debug code exist only on devices */
    algorithm->for_records = rows[choice.algorithm].searches == RECORDS;
    return TRAWL_OK;
}

static enum trawl_status check(const struct trawl_plan *plan, struct trawl_error *error)
{
    bool is_strstr = gallery_choice_of(plan).algorithm == GALLERY_STRSTR;

    for (uint64_t i = 0; i < plan->pattern_count && is_strstr; i++) {
        uint64_t begin = plan->pattern_begin[i], count = plan->pattern_begin[i + 1] - begin;

        if (memchr(plan->pattern_bytes + begin, 0, (size_t)count) != NULL) {
            enum trawl_status status = TRAWL_FAIL(
                error, ARGUMENT, "strstr: pattern %" PRIu64 " holds a NUL, which ends a string", i);

            if (error != NULL)
                error->pattern_index = i;
            return status;
        }
    }
    return TRAWL_OK;
}

/* Appends the line "label: number", unless the number is 0. */
static void add_number(char *lines, uint64_t lines_bytes, const char *label, uint32_t number)
{
    uint64_t used = strlen(lines);

    if (number != 0)
        (void)snprintf(lines + used, (size_t)(lines_bytes - used), "%s: %u\n", label, number);
}

enum trawl_status gallery_explain(const struct trawl_plan *plan, char *lines, uint64_t lines_bytes,
                                  struct trawl_error *error)
{
    struct gallery_choice choice = gallery_choice_of(plan);
    uint32_t engines = plan->algorithm.engines;
    uint64_t used;

    (void)error;
    (void)snprintf(lines, (size_t)lines_bytes, "algorithm: %s\nsource: %s\nengines:%s%s\n",
                   rows[choice.algorithm].name, rows[choice.algorithm].source,
                   (engines & CPU) != 0 ? " cpu" : "", (engines & CUDA) != 0 ? " cuda" : "");
    add_number(lines, lines_bytes, "blocks", choice.blocks);
    add_number(lines, lines_bytes, "threads per block", choice.threads);
    add_number(lines, lines_bytes, "threshold", choice.threshold);
    used = strlen(lines);
    (void)snprintf(lines + used, (size_t)(lines_bytes - used), "%s%s%s%s",
                   choice.debug ? "device code: debug\n" : "",
                   choice.uncounted ? "child grids: not counted\n" : "",
                   choice.ordered ? "child grids: in order\n" : "",
                   choice.global ? "hashes: in global memory\n" : "");
    return TRAWL_OK;
}

static const char *list(uint32_t index, const char **summary, uint32_t *engines)
{
    if (index >= GALLERY_COUNT - 1)
        return NULL;
    *summary = rows[index + 1].summary;
    *engines = (uint32_t)rows[index + 1].engines;
    return rows[index + 1].name;
}

const struct plan_algorithms gallery_algorithms = {read_asked, check, list};
