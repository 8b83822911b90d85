/* exclude: which files are left out. */
#include "trawl/exclude.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool add_rule(struct exclude_rules *rules, const char *glob, bool include)
{
    if (rules->count == rules->capacity) {
        size_t capacity = rules->capacity == 0 ? 8 : rules->capacity * 2;
        struct exclude_rule *larger = realloc(rules->rules, capacity * sizeof *larger);

        if (larger == NULL)
            return false;
        rules->rules = larger;
        rules->capacity = capacity;
    }
    rules->rules[rules->count].glob = glob;
    rules->rules[rules->count].include = include;
    rules->count++;
    return true;
}

static bool keep(struct exclude *exclude, char *text)
{
    char **larger = realloc(exclude->storage, (exclude->storage_count + 1) * sizeof *larger);

    if (larger == NULL) {
        free(text);
        return false;
    }
    exclude->storage = larger;
    larger[exclude->storage_count++] = text;
    return true;
}

/* Globs one per line, without the blanks at their ends. */
static bool add_file(struct exclude *exclude, const char *name, char *message)
{
    bool is_input = strcmp(name, "-") == 0;
    FILE *file = is_input ? stdin : fopen(name, "re");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t bytes;
    bool good = true;

    errno = file == NULL ? errno : 0;
    while (file != NULL && good && (bytes = getline(&line, &capacity, file)) >= 0) {
        char *glob;

        while (bytes > 0 && isspace((unsigned char)line[bytes - 1]))
            line[--bytes] = '\0';
        if (bytes == 0)
            continue;
        glob = strdup(line);
        good = glob != NULL && keep(exclude, glob) && add_rule(&exclude->files, glob, false);
    }
    if (file == NULL || ferror(file) || !good) {
        snprintf(message, SETTINGS_ERROR_BYTES, "%s: %s", name,
                 good ? strerror(errno) : "memory exhausted");
        good = false;
    }
    free(line);
    if (file != NULL && !is_input)
        fclose(file);
    return good;
}

static bool add_directory(struct exclude *exclude, const char *glob)
{
    char *copy = strdup(glob);
    size_t bytes;

    if (copy == NULL)
        return false;
    for (bytes = strlen(copy); bytes > 1 && copy[bytes - 1] == '/'; bytes--)
        copy[bytes - 1] = '\0';
    return keep(exclude, copy) && add_rule(&exclude->directories, copy, false);
}

bool exclude_open(struct exclude **made, const struct value_list *filters, char *message)
{
    struct exclude *exclude = calloc(1, sizeof *exclude);

    *made = exclude;
    snprintf(message, SETTINGS_ERROR_BYTES, "memory exhausted");
    if (exclude == NULL)
        return false;
    for (size_t i = 0; i < filters->count; i++) {
        const struct value_item *filter = &filters->items[i];
        bool good;

        if (filter->kind == VALUE_EXCLUDE_FROM)
            good = add_file(exclude, filter->text, message);
        else if (filter->kind == VALUE_EXCLUDE_DIR)
            good = add_directory(exclude, filter->text);
        else
            good = add_rule(&exclude->files, filter->text, filter->kind == VALUE_INCLUDE);
        if (!good)
            return false;
    }
    return true;
}

void exclude_close(struct exclude *exclude)
{
    for (size_t i = 0; i < exclude->storage_count; i++)
        free(exclude->storage[i]);
    free(exclude->storage);
    free(exclude->files.rules);
    free(exclude->directories.rules);
    free(exclude);
}

static bool glob_matches(const char *glob, const char *name, bool is_operand)
{
    if (fnmatch(glob, name, 0) == 0)
        return true;
    if (!is_operand)
        return false;
    for (const char *at = name; *at != '\0'; at++)
        if (*at == '/' && at[1] != '/' && at[1] != '\0' && fnmatch(glob, at + 1, 0) == 0)
            return true;
    return false;
}

bool exclude_skips(const struct exclude *exclude, const char *name, bool is_operand,
                   bool is_directory)
{
    const struct exclude_rules *rules = is_directory ? &exclude->directories : &exclude->files;

    for (size_t i = rules->count; i > 0; i--)
        if (glob_matches(rules->rules[i - 1].glob, name, is_operand))
            return !rules->rules[i - 1].include;
    /* No rule speaks of this name: it is left out if the rules began by naming what to take. */
    return rules->count > 0 && rules->rules[0].include;
}
