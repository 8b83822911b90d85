/* exclude: decides which files --include, --exclude, --exclude-from and --exclude-dir skip. */
#include "trawl/files/exclude.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trawl/text/grow.h"

static bool add_rule(struct exclude *exclude, const char *glob, size_t bytes, enum value_kind kind)
{
    char *copy = !GROW(exclude->rules, exclude->capacity, 8, exclude->count + 1)
                     ? NULL
                     : strndup(glob, bytes);

    if (copy == NULL)
        return false;
    exclude->rules[exclude->count++] =
        (struct exclude_rule){copy, kind == VALUE_INCLUDE, kind == VALUE_EXCLUDE_DIR};
    return true;
}

/* Adds the globs of a file, one per line, without blanks at its end. */
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
        while (bytes > 0 && isspace((unsigned char)line[bytes - 1]))
            bytes--;
        good = bytes == 0 || add_rule(exclude, line, (size_t)bytes, VALUE_EXCLUDE_FROM);
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

bool exclude_open(struct exclude **made, const struct value_list *filters, char *message)
{
    struct exclude *exclude = calloc(1, sizeof *exclude);

    *made = exclude;
    snprintf(message, SETTINGS_ERROR_BYTES, "memory exhausted");
    if (exclude == NULL)
        return false;
    for (size_t i = 0; i < filters->count; i++) {
        const struct value_item *filter = &filters->items[i];
        size_t bytes = strlen(filter->text);
        bool good;

        while (filter->kind == VALUE_EXCLUDE_DIR && bytes > 1 && filter->text[bytes - 1] == '/')
            bytes--;
        good = filter->kind == VALUE_EXCLUDE_FROM
                   ? add_file(exclude, filter->text, message)
                   : add_rule(exclude, filter->text, bytes, filter->kind);
        if (!good)
            return false;
    }
    return true;
}

void exclude_close(struct exclude *exclude)
{
    for (size_t i = 0; i < exclude->count; i++)
        free(exclude->rules[i].glob);
    free(exclude->rules);
    free(exclude);
}

/* Returns true if the glob matches the whole name or, for an operand, everything after one of its
 * slashes. */
static bool rule_matches(const char *glob, const char *name, bool is_operand)
{
    if (fnmatch(glob, name, 0) == 0)
        return true;
    if (!is_operand)
        return false;
    for (const char *at = name; *at != '\0'; at++)
        if (*at == '/' && at[1] != '/' && fnmatch(glob, at + 1, 0) == 0)
            return true;
    return false;
}

bool exclude_skips(const struct exclude *exclude, const char *name, bool is_operand,
                   bool is_directory)
{
    bool first_includes = false;

    for (size_t i = exclude->count; i > 0; i--) {
        const struct exclude_rule *rule = &exclude->rules[i - 1];

        if (rule->of_directories != is_directory)
            continue;
        if (rule_matches(rule->glob, name, is_operand))
            return !rule->include;
        first_includes = rule->include;
    }
    /* No rule matches. As in grep, a file is then skipped if the first rule about files is an
     * --include. */
    return first_includes;
}
