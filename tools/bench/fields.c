/* fields: the input's fields, and answers in short. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

const char *field(const struct fields *fields, const char *key, const char *otherwise)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (strcmp(fields->key[i], key) == 0)
            return fields->value[i];
    return otherwise;
}

uint64_t field_number(const struct fields *fields, const char *key, uint64_t otherwise)
{
    const char *value = field(fields, key, NULL), *units = "KMG", *unit;
    char *end = NULL;
    uint64_t number;

    if (value == NULL)
        return otherwise;
    errno = 0;
    number = strtoull(value, &end, 10);
    unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (errno != 0 || end == value || *value == '-' || (*end != '\0' && (unit == NULL || end[1])))
        fail("%s is not a number: %s", key, value);
    return unit != NULL ? number << 10 * (unit - units + 1) : number;
}

double field_seconds(const struct fields *fields, const char *key, double otherwise)
{
    const char *value = field(fields, key, NULL);

    return value != NULL ? strtod(value, NULL) : otherwise;
}

/* Takes the line. */
void fields_split(char *line, struct fields *fields)
{
    char *rest = line, *word;

    memset(fields, 0, sizeof *fields);
    fields->line = line;
    line[strcspn(line, "\n")] = '\0';
    (void)strsep(&rest, "\t");
    while ((word = strsep(&rest, "\t")) != NULL) {
        char *value = strchr(word, '=');

        if (value == NULL || fields->count == FIELDS_MAX)
            fail("not a field, or one too many: %s", word);
        *value = '\0';
        fields->key[fields->count] = word;
        fields->value[fields->count++] = value + 1;
    }
}

/* ---- Answers ------------------------------------------------------------------------------ */

static const char *const call_names[CALLS] = {
#define CALL_NAME(name, word) word,
    CALL_LIST(CALL_NAME)
#undef CALL_NAME
};

enum call call_named(const char *name)
{
    for (uint32_t call = 0; call < CALLS; call++)
        if (strcmp(call_names[call], name) == 0)
            return (enum call)call;
    fail("there is no call '%s'", name);
}

bool call_is_of_records(enum call call)
{
    return call >= CALL_ROWS;
}

uint64_t answer_mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t mixed = a * 0x9e3779b97f4a7c15u + b * 0xc2b2ae3d27d4eb4fu + c * 0x165667b19e3779f9u;

    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
    return mixed ^ mixed >> 32;
}

bool answers_agree(const struct answer *a, const struct answer *b)
{
    return a->count == b->count && (!a->summed || !b->summed || a->sum == b->sum);
}
