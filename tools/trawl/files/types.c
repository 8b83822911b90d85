/* types: the globs of each file type. */
#include "trawl/files/types.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/text/grow.h"
#include "trawl/files/ignore.h"
#include "trawl/text/output.h"

struct type_row {
    const char *name, *glob; /* borrowed, not terminated by NUL */
    size_t name_bytes, glob_bytes;
};

struct types {
    struct type_row *rows;
    size_t count, capacity;
    char *message;
};

static const struct {
    const char *name, *globs;
} table[] = {
#define TYPE(name, globs) {name, globs},
#include "trawl/files/types.def"
#include "trawl/text/message.h"
#undef TYPE
};

static bool refuse_value(struct types *types, const char *option, const char *value,
                         const char *why)
{
    return message_fail(types->message, "%s: '%s': %s", option, value, why);
}

static bool add_row(struct types *types, const struct type_row *row)
{
    if (!GROW(types->rows, types->capacity, 512, types->count + 1))
        return message_exhausted(types->message);
    types->rows[types->count++] = *row;
    return true;
}

static bool is_named(const struct type_row *row, const char *name, size_t bytes)
{
    return row->name_bytes == bytes && memcmp(row->name, name, bytes) == 0;
}

/* Adds the rows of types.def, a row for each glob. */
static bool add_table(struct types *types)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct type_row row = {table[i].name, table[i].globs, strlen(table[i].name), 0};

        while (*row.glob != '\0') {
            row.glob_bytes = strcspn(row.glob, " ");
            if (!add_row(types, &row))
                return false;
            row.glob += row.glob_bytes + (row.glob[row.glob_bytes] == ' ');
        }
    }
    return true;
}

static void clear_type(struct types *types, const char *name)
{
    size_t kept = 0;

    for (size_t i = 0; i < types->count; i++)
        if (!is_named(&types->rows[i], name, strlen(name)))
            types->rows[kept++] = types->rows[i];
    types->count = kept;
}

/* Adds, to the type of the row `like`, all globs that the type `name` has in the first `count` rows
 * of the table of types. */
static bool include_type(struct types *types, size_t count, const struct type_row *like,
                         const char *name, size_t bytes)
{
    bool found = false;

    for (size_t i = 0; i < count; i++) {
        struct type_row row = types->rows[i];

        if (!is_named(&row, name, bytes))
            continue;
        found = true;
        row.name = like->name;
        row.name_bytes = like->name_bytes;
        if (!add_row(types, &row))
            return false;
    }
    return found || refuse_value(types, "--type-add", like->name,
                                 "it includes an unknown type; --type-list names all");
}

/* Reads a value of --type-add: NAME:GLOB or NAME:include:NAME,NAME... */
static bool add_type(struct types *types, const char *value)
{
    static const char word[] = "include:";
    size_t name_bytes = strcspn(value, ":"), count = types->count;
    struct type_row row = {value, value + name_bytes + 1, name_bytes, 0};
    bool good = value[name_bytes] == ':' && name_bytes > 0 && *row.glob != '\0';

    for (size_t i = 0; i < name_bytes; i++)
        good = good && (isalnum((unsigned char)value[i]) || (unsigned char)value[i] >= 128);
    if (!good || (name_bytes == 3 && memcmp(value, "all", 3) == 0))
        return refuse_value(types, "--type-add", value,
                            "not of the form NAME:GLOB with a NAME of letters and digits");
    if (strncmp(row.glob, word, sizeof word - 1) != 0) {
        row.glob_bytes = strlen(row.glob);
        return add_row(types, &row);
    }
    for (const char *at = row.glob + sizeof word - 1;; at++) {
        size_t bytes = strcspn(at, ",");

        if (!include_type(types, count, &row, at, bytes))
            return false;
        at += bytes;
        if (*at == '\0')
            return true;
    }
}

/* Makes the table, then applies --type-clear and --type-add in the order given. */
static bool types_open(struct types *types, const struct value_list *rules, char *message)
{
    memset(types, 0, sizeof *types);
    types->message = message;
    if (!add_table(types))
        return false;
    for (size_t i = 0; i < rules->count; i++) {
        if (rules->items[i].kind == VALUE_TYPE_CLEAR)
            clear_type(types, rules->items[i].text);
        if (rules->items[i].kind == VALUE_TYPE_ADD && !add_type(types, rules->items[i].text))
            return false;
    }
    return true;
}

/* Adds the globs of the type that --type or --type-not names. False: types->message says why. */
static bool select_type(const struct types *types, struct ignore_list *list,
                        const struct value_item *item)
{
    const char *option = item->kind == VALUE_TYPE ? "--type" : "--type-not";
    bool all = strcmp(item->text, "all") == 0, found = all;

    for (size_t i = 0; i < types->count; i++) {
        const struct type_row *row = &types->rows[i];
        enum glob_status status;

        if (!all && !is_named(row, item->text, strlen(item->text)))
            continue;
        found = true;
        status = ignore_add_name(list, row->glob, row->glob_bytes, item->kind == VALUE_TYPE);
        if (status != GLOB_GOOD)
            return message_fail(types->message, "%s: '%.*s': %s", option, (int)row->glob_bytes,
                                row->glob, glob_status_text(status));
    }
    if (!found)
        snprintf(types->message, SETTINGS_ERROR_BYTES,
                 "%s: '%s': there is no such type of files; --type-list names all", option,
                 item->text);
    return found;
}

bool types_select(struct ignore_list *list, const struct value_list *rules, char *message)
{
    struct types types;
    bool good = types_open(&types, rules, message);

    for (size_t i = 0; good && i < rules->count; i++)
        if (rules->items[i].kind == VALUE_TYPE || rules->items[i].kind == VALUE_TYPE_NOT)
            good = select_type(&types, list, &rules->items[i]);
    free(types.rows);
    return good;
}

static int compare_text(const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
    int order = memcmp(one, other, one_bytes < other_bytes ? one_bytes : other_bytes);

    return order != 0 ? order : (one_bytes > other_bytes) - (one_bytes < other_bytes);
}

static int compare_rows(const void *left, const void *right)
{
    const struct type_row *one = left, *other = right;
    int order = compare_text(one->name, one->name_bytes, other->name, other->name_bytes);

    return order != 0 ? order
                      : compare_text(one->glob, one->glob_bytes, other->glob, other->glob_bytes);
}

bool types_print(struct output *output, const struct value_list *rules, char *message)
{
    struct types types;
    bool good = types_open(&types, rules, message);

    if (good)
        qsort(types.rows, types.count, sizeof *types.rows, compare_rows);
    for (size_t i = 0; good && i < types.count; i++) {
        const struct type_row *row = &types.rows[i], *before = i > 0 ? row - 1 : NULL;

        if (before != NULL && compare_rows(before, row) == 0)
            continue;
        if (before != NULL && is_named(before, row->name, row->name_bytes)) {
            output_text(output, ", ");
        } else {
            output_text(output, before != NULL ? "\n" : "");
            output_bytes(output, row->name, row->name_bytes);
            output_text(output, ": ");
        }
        output_bytes(output, row->glob, row->glob_bytes);
    }
    if (good && types.count > 0)
        output_byte(output, '\n');
    free(types.rows);
    return good;
}
