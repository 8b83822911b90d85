/* needles: the strings to search for, and their plan. */
#include "trawl/needles.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trawl/charset.h"

#define READ_BYTES_FIRST (64u << 10)

static bool exhausted(char *message)
{
    snprintf(message, TYPED_ERROR_BYTES, "memory exhausted");
    return false;
}

static bool keep_block(struct needles *needles, void *block)
{
    void **blocks = realloc(needles->blocks, (needles->block_count + 1) * sizeof *blocks);

    if (blocks == NULL)
        return false;
    needles->blocks = blocks;
    blocks[needles->block_count++] = block;
    return true;
}

static bool add_pattern(struct needles *needles, const void *bytes, size_t bytes_count)
{
    if (needles->count == needles->capacity) {
        uint64_t capacity = needles->capacity == 0 ? 4 : needles->capacity * 2;
        struct trawl_pattern *patterns =
            realloc(needles->patterns, (size_t)capacity * sizeof *patterns);

        if (patterns == NULL)
            return false;
        needles->patterns = patterns;
        needles->capacity = capacity;
    }
    needles->patterns[needles->count].bytes = bytes;
    needles->patterns[needles->count].bytes_count = bytes_count;
    needles->count++;
    return true;
}

/* The string read last is this one. */
static bool add_column(struct needles *needles, const struct settings *settings, uint64_t column)
{
    if (settings->report != REPORT_MATRIX)
        return true;
    if (needles->column_count == needles->column_capacity) {
        uint64_t capacity = needles->column_capacity == 0 ? 64 : needles->column_capacity * 2;
        uint64_t *columns = realloc(needles->columns, (size_t)capacity * sizeof *columns);

        if (columns == NULL)
            return false;
        needles->columns = columns;
        needles->column_capacity = capacity;
    }
    needles->columns[needles->column_count++] = column;
    return true;
}

/* A string that is not empty; under --matrix one that no line can hold is a column alone. */
static bool add_string(struct needles *needles, const struct settings *settings, const void *bytes,
                       size_t bytes_count)
{
    if (settings->report == REPORT_MATRIX && memchr(bytes, settings->line_end, bytes_count) != NULL)
        return add_column(needles, settings, NEEDLE_NEVER);
    return add_column(needles, settings, needles->count) &&
           add_pattern(needles, bytes, bytes_count);
}

static bool add_empty(struct needles *needles, const struct settings *settings)
{
    needles->has_empty = true;
    return add_column(needles, settings, NEEDLE_EMPTY);
}

static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* The message shows at most this much of a long string. */
#define SHOWN_BYTES_MAX 60

static bool add_hex(struct needles *needles, const struct settings *settings, const char *text,
                    size_t bytes_count, char *message)
{
    uint8_t *bytes = malloc(bytes_count / 2 + 1);
    size_t digits = 0;
    int shown = (int)(bytes_count < SHOWN_BYTES_MAX ? bytes_count : SHOWN_BYTES_MAX);

    if (bytes == NULL || !keep_block(needles, bytes)) {
        free(bytes);
        return exhausted(message);
    }
    for (size_t i = 0; i < bytes_count; i++) {
        int value = hex_value(text[i]);

        if (isspace((unsigned char)text[i]))
            continue;
        if (value < 0) {
            snprintf(message, TYPED_ERROR_BYTES,
                     "--hex: '%.*s' has a character that is not a "
                     "hexadecimal digit",
                     shown, text);
            return false;
        }
        if (digits % 2 == 0)
            bytes[digits / 2] = (uint8_t)(value << 4);
        else
            bytes[digits / 2] = (uint8_t)(bytes[digits / 2] | value);
        digits++;
    }
    if (digits % 2 != 0) {
        snprintf(message, TYPED_ERROR_BYTES, "--hex: '%.*s' has an odd number of digits", shown,
                 text);
        return false;
    }
    return (digits == 0 ? add_empty(needles, settings)
                        : add_string(needles, settings, bytes, digits / 2)) ||
           exhausted(message);
}

/* Strings stand one per line; of the last line the newline may be missing. */
static bool add_lines(struct needles *needles, const struct settings *settings, const char *text,
                      size_t bytes_count, char *message)
{
    const char *end = text + bytes_count;

    for (;;) {
        const char *newline = bytes_count == 0 ? NULL : memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline != NULL ? newline : end) - text);

        if (settings->typed->hex) {
            if (!add_hex(needles, settings, text, length, message))
                return false;
        } else if (length == 0) {
            if (!add_empty(needles, settings))
                return exhausted(message);
        } else if (settings->report != REPORT_MATRIX &&
                   (settings->null_ends_line || settings->line_end == '\0') &&
                   memchr(text, '\0', length) != NULL) {
            /* NUL ends lines here, so no line holds this string. */
        } else if (!add_string(needles, settings, text, length)) {
            return exhausted(message);
        }
        if (newline == NULL)
            return true;
        text = newline + 1;
    }
}

/* The whole file; *bytes is kept with the needles. */
static bool read_file(struct needles *needles, const char *name, char **bytes, size_t *bytes_count,
                      char *message)
{
    bool is_input = strcmp(name, "-") == 0;
    int descriptor = is_input ? STDIN_FILENO : open(name, O_RDONLY | O_NOCTTY);
    size_t used = 0, capacity = READ_BYTES_FIRST;
    char *buffer = descriptor < 0 ? NULL : malloc(capacity);
    ssize_t got = descriptor < 0 ? -1 : 1;
    bool good;

    if (descriptor >= 0 && buffer == NULL)
        errno = ENOMEM;
    while (buffer != NULL && got > 0) {
        got = read(descriptor, buffer + used, capacity - used);
        if (got < 0 && errno == EINTR) {
            got = 1;
            continue;
        }
        used += got > 0 ? (size_t)got : 0;
        if (used == capacity) {
            char *larger = realloc(buffer, capacity * 2);

            if (larger == NULL) {
                errno = ENOMEM;
                got = -1;
            } else {
                buffer = larger;
                capacity *= 2;
            }
        }
    }
    good = buffer != NULL && got == 0 && keep_block(needles, buffer);
    if (!good) {
        snprintf(message, TYPED_ERROR_BYTES, "%s: %s", is_input ? "(standard input)" : name,
                 strerror(errno));
        free(buffer);
        buffer = NULL;
        used = 0;
    }
    if (descriptor >= 0 && !is_input)
        close(descriptor);
    *bytes = buffer;
    *bytes_count = used;
    return good;
}

static uint64_t hash_bytes(const uint8_t *bytes, uint64_t bytes_count)
{
    uint64_t hash = bytes_count * UINT64_C(0x9e3779b97f4a7c15);

    for (; bytes_count > 0; bytes++, bytes_count--)
        hash = (hash ^ *bytes) * UINT64_C(0x100000001b3);
    return hash ^ (hash >> 29);
}

static bool same_pattern(const struct trawl_pattern *a, const struct trawl_pattern *b)
{
    return a->bytes_count == b->bytes_count &&
           memcmp(a->bytes, b->bytes, (size_t)a->bytes_count) == 0;
}

/* Leave out strings that were given before; columns, in the same order, then mean what is left.
 * Open addressing, at most half full. */
static bool remove_duplicates(struct needles *needles)
{
    uint64_t slots = 8, kept = 0, column = 0;
    uint64_t *table; /* index of a kept pattern plus one, 0: empty */

    if (needles->count < 2)
        return true;
    while (slots < needles->count * 2)
        slots *= 2;
    table = calloc((size_t)slots, sizeof *table);
    if (table == NULL)
        return false;
    for (uint64_t i = 0; i < needles->count; i++) {
        struct trawl_pattern pattern = needles->patterns[i];
        uint64_t slot = hash_bytes(pattern.bytes, pattern.bytes_count) & (slots - 1);

        while (table[slot] != 0 && !same_pattern(&needles->patterns[table[slot] - 1], &pattern))
            slot = (slot + 1) & (slots - 1);
        if (table[slot] == 0) {
            needles->patterns[kept++] = pattern;
            table[slot] = kept;
        }
        while (column < needles->column_count && needles->columns[column] >= NEEDLE_NEVER)
            column++;
        if (column < needles->column_count)
            needles->columns[column++] = table[slot] - 1;
    }
    needles->count = kept;
    free(table);
    return true;
}

bool needles_gather(struct needles *needles, const struct settings *settings,
                    const char *first_operand, char *message)
{
    const struct typed_list *list = &settings->typed->patterns;

    if (first_operand != NULL)
        return add_lines(needles, settings, first_operand, strlen(first_operand), message) &&
               (remove_duplicates(needles) || exhausted(message));
    needles->none_given = true;
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->items[i].text;
        char *bytes;
        size_t bytes_count;

        if (list->items[i].kind == TYPED_STRING) {
            if (!add_lines(needles, settings, text, strlen(text), message))
                return false;
            needles->none_given = false;
            continue;
        }
        if (!read_file(needles, text, &bytes, &bytes_count, message))
            return false;
        if (bytes_count == 0)
            continue; /* no string, not an empty one */
        needles->none_given = false;
        if (bytes[bytes_count - 1] == '\n')
            bytes_count--;
        if (!add_lines(needles, settings, bytes, bytes_count, message))
            return false;
    }
    return remove_duplicates(needles) || exhausted(message);
}

static bool has_beyond_ascii(const struct needles *needles)
{
    for (uint64_t i = 0; i < needles->count; i++)
        for (uint64_t j = 0; j < needles->patterns[i].bytes_count; j++)
            if (((const uint8_t *)needles->patterns[i].bytes)[j] >= 0x80)
                return true;
    return false;
}

/* Does ignoring case or looking for words need more than ASCII? Where not, the library compares
 * bytes, which is faster. */
static bool needs_utf8(const struct needles *needles, const struct typed *typed)
{
    bool beyond_ascii = has_beyond_ascii(needles);
    uint32_t variants[TRAWL_UTF8_VARIANTS_MAX];

    if (typed->ignore_case)
        charset_prepare(beyond_ascii);
    if (typed->words || !typed->ignore_case || beyond_ascii)
        return typed->words || (typed->ignore_case && beyond_ascii);
    for (uint64_t i = 0; i < needles->count; i++) {
        const uint8_t *bytes = needles->patterns[i].bytes;

        for (uint64_t j = 0; j < needles->patterns[i].bytes_count; j++)
            if (charset_variants(NULL, bytes[j], variants) > 2)
                return true;
    }
    return false;
}

static enum trawl_method method_named(const char *name, bool *known)
{
#define METHOD_NAMED(id, number, text) \
    if (strcmp(name, text) == 0)       \
        return TRAWL_METHOD_##id;
    TRAWL_METHOD_LIST(METHOD_NAMED)
#undef METHOD_NAMED
    *known = false;
    return TRAWL_METHOD_AUTO;
}

bool needles_plan(struct needles *needles, const struct settings *settings, bool whole_line,
                  struct trawl_plan **plan, char *message)
{
    const struct typed *typed = settings->typed;
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_utf8 utf8 = {NULL, charset_variants, charset_is_word};
    struct trawl_error error;
    bool known = true;

    options.flags = (typed->ignore_case ? TRAWL_IGNORE_CASE : 0u) |
                    (typed->words && !typed->whole_lines ? TRAWL_WHOLE_WORD : 0u) |
                    (whole_line ? TRAWL_WHOLE_LINE : 0u);
    options.line_end_set = 1;
    options.line_end = settings->line_end;
    options.line_end_also_set = settings->count_ends_at_null; /* NUL */
    if (settings->utf8 && needs_utf8(needles, typed))
        options.utf8 = &utf8;
    if (typed->method != NULL)
        options.method = method_named(typed->method, &known);
    if (!known) {
        snprintf(message, TYPED_ERROR_BYTES,
                 "--method: '%s' is not one of auto, every, words, "
                 "sampled, set, grams",
                 typed->method);
        return false;
    }
    options.algorithm = typed->algorithm;
    if (trawl_plan_build(needles->patterns, needles->count, &options, plan, &error) == TRAWL_OK)
        return true;
    snprintf(message, TYPED_ERROR_BYTES, "%s%s",
             typed->algorithm != NULL ? "--algorithm: "
             : typed->method != NULL  ? "--method: "
                                      : "",
             error.message);
    return false;
}

void needles_free(struct needles *needles)
{
    trawl_plan_free(needles->plan);
    trawl_plan_free(needles->plan_any_place);
    for (size_t i = 0; i < needles->block_count; i++)
        free(needles->blocks[i]);
    free(needles->blocks);
    free(needles->patterns);
    free(needles->columns);
    memset(needles, 0, sizeof *needles);
}
