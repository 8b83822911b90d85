/* client_json: writes a client's JSON, and finds the message in an error's JSON. */
#ifndef TRAWL_CLIENT_JSON_H
#define TRAWL_CLIENT_JSON_H

#include <stdbool.h>
#include <stddef.h>

/* JSON that is being written; all members zero: empty. */
struct client_json {
    char *bytes;           /* the JSON so far; the caller frees it */
    size_t used, capacity; /* bytes written; bytes allocated */
    bool exhausted;        /* memory was short, so the text is incomplete */
};

/* Adds text that is JSON already. */
void client_json_put(struct client_json *json, const char *text);
/* Adds a string, or {"bytes":...} in base64 if the bytes are not UTF-8. */
void client_json_string(struct client_json *json, const void *bytes, size_t bytes_count);
/* Adds a file: {"name":...,"text":...}, or {"name":...,"bytes":...} if the bytes are not UTF-8. */
void client_json_file(struct client_json *json, const char *name, const void *bytes,
                      size_t bytes_count);

/* Copies the value of the first member `message` in the JSON, cut off after room - 1 bytes. False:
 * there is no such member, or the member has no text. */
bool client_json_message(const char *json, size_t json_bytes, char *message, size_t room);

#endif
