/* text: bytes and documents as text of JSON. */
#ifndef SERVE_TEXT_H
#define SERVE_TEXT_H

#include <stddef.h>

struct json_t;

/* A JSON string, or {"bytes": BASE64} where the text is not UTF-8; NULL: out of memory. */
struct json_t *text_value(const char *text, size_t bytes_count);
/* With its line end, to be freed; takes the document over. NULL: out of memory. */
char *text_line(struct json_t *document);

#endif
