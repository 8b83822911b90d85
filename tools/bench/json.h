/* json: a JSON file as a tree. What cannot be read ends the program. */
#ifndef BENCH_JSON_H
#define BENCH_JSON_H

#include <stdbool.h>
#include <stdint.h>

enum json_kind { JSON_NULL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    double number; /* true is 1, false 0 */
    const char *text;
    const char *name;          /* in an object */
    struct json *first, *next; /* members; the next one of the same array or object */
    char *storage;             /* of the outermost: all strings */
};

/* The file's tree, and its end: all that was read is gone then. */
struct json *json_read(const char *path);
void json_close(struct json *json);
/* A member by name; NULL: there is none, or this is no object. */
const struct json *json_find(const struct json *object, const char *name);
/* What must be there. */
double json_number(const struct json *object, const char *name);
const char *json_text(const struct json *object, const char *name);
const struct json *json_list(const struct json *object, const char *name);

#endif
