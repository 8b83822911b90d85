/* client_json: the JSON that a client sends, and what it looks for in an error. */
#ifndef TRAWL_CLIENT_JSON_H
#define TRAWL_CLIENT_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* JSON as far as it is written; all zero: nothing yet. */
struct client_json {
    char *bytes; /* to be freed */
    size_t used, capacity;
    bool exhausted; /* out of memory: from there on nothing was added */
};

/* What is JSON already. */
void client_json_put(struct client_json *json, const char *text);
/* A string, or {"bytes":...} in base64 where it is not UTF-8. */
void client_json_string(struct client_json *json, const void *bytes, size_t bytes_count);
/* A file: {"name":...,"text":...} or {"name":...,"bytes":...}. */
void client_json_file(struct client_json *json, const char *name, const void *bytes,
                      size_t bytes_count);

/* The value of the first member `message`, in `message`, cut off if it is longer than `room`.
 * False: there is none. */
bool client_json_message(const char *json, size_t json_bytes, char *message, size_t room);

#endif
