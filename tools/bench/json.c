/* json: a JSON file as a tree, by recursive descent. */
#include <stdlib.h>
#include <string.h>

#include "bench/json.h"
#include "bench/util.h"

#define DEPTH_MAX 32u

struct reader {
    const char *path;
    char *at; /* strings are unescaped in place */
    uint32_t depth;
};

static void need(const struct reader *reader, bool is_so)
{
    if (!is_so)
        fail("%s: not JSON of this program, near: %.40s", reader->path, reader->at);
}

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\r\n");
}

static bool take(struct reader *reader, const char *word)
{
    size_t bytes = strlen(word);

    skip_blanks(reader);
    if (strncmp(reader->at, word, bytes) != 0)
        return false;
    reader->at += bytes;
    return true;
}

/* Bytes from 0x80 on were written one by one as \u00xx. */
static char read_escape(struct reader *reader)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *found = *reader->at != '\0' ? strchr(names, *reader->at) : NULL;
    char digits[5];
    unsigned long code;
    char *end;

    if (found != NULL) {
        reader->at++;
        return values[found - names];
    }
    need(reader, *reader->at == 'u' && strlen(reader->at) > 4);
    memcpy(digits, reader->at + 1, 4);
    digits[4] = '\0';
    code = strtoul(digits, &end, 16);
    need(reader, *end == '\0' && code > 0 && code < 256);
    reader->at += 5;
    return (char)(unsigned char)code;
}

static const char *read_string(struct reader *reader)
{
    char *text = reader->at + 1, *to = text;

    need(reader, *reader->at == '"');
    reader->at++;
    while (*reader->at != '"') {
        need(reader, *reader->at != '\0');
        if (*reader->at == '\\') {
            reader->at++;
            *to++ = read_escape(reader);
        } else {
            *to++ = *reader->at++;
        }
    }
    reader->at++;
    *to = '\0';
    return text;
}

static struct json *read_value(struct reader *reader);

static void read_members(struct reader *reader, struct json *json, const char *end)
{
    struct json **last = &json->first;

    need(reader, ++reader->depth < DEPTH_MAX);
    if (take(reader, end)) {
        reader->depth--;
        return;
    }
    do {
        const char *name = NULL;

        if (json->kind == JSON_OBJECT) {
            skip_blanks(reader);
            name = read_string(reader);
            need(reader, take(reader, ":"));
        }
        *last = read_value(reader);
        (*last)->name = name;
        last = &(*last)->next;
    } while (take(reader, ","));
    need(reader, take(reader, end));
    reader->depth--;
}

static void read_number(struct reader *reader, struct json *json)
{
    char *end;

    json->kind = JSON_NUMBER;
    json->number = strtod(reader->at, &end);
    need(reader, end > reader->at);
    reader->at = end;
}

static struct json *read_value(struct reader *reader)
{
    struct json *json = (struct json *)allocate(sizeof *json);

    memset(json, 0, sizeof *json);
    skip_blanks(reader);
    if (take(reader, "{")) {
        json->kind = JSON_OBJECT;
        read_members(reader, json, "}");
    } else if (take(reader, "[")) {
        json->kind = JSON_ARRAY;
        read_members(reader, json, "]");
    } else if (*reader->at == '"') {
        json->kind = JSON_STRING;
        json->text = read_string(reader);
    } else if (!take(reader, "null")) {
        read_number(reader, json);
    }
    return json;
}

struct json *json_read(const char *path)
{
    char *storage = file_text(path);
    struct reader reader = {path, storage, 0};
    struct json *json = read_value(&reader);

    skip_blanks(&reader);
    need(&reader, *reader.at == '\0');
    json->storage = storage;
    return json;
}

void json_close(struct json *json)
{
    struct json *next;

    for (struct json *at = json->first; at != NULL; at = next) {
        next = at->next;
        json_close(at);
    }
    free(json->storage);
    free(json);
}

const struct json *json_find(const struct json *object, const char *name)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json *at = object->first; at != NULL; at = at->next)
        if (strcmp(at->name, name) == 0)
            return at;
    return NULL;
}

static const struct json *find(const struct json *object, const char *name, enum json_kind kind)
{
    const struct json *found = json_find(object, name);

    if (found == NULL || found->kind != kind)
        fail("the JSON lacks \"%s\"", name);
    return found;
}

double json_number(const struct json *object, const char *name)
{
    return find(object, name, JSON_NUMBER)->number;
}

const char *json_text(const struct json *object, const char *name)
{
    return find(object, name, JSON_STRING)->text;
}

const struct json *json_list(const struct json *object, const char *name)
{
    return find(object, name, JSON_ARRAY)->first;
}
