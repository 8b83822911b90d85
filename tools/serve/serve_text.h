/* serve_text: turns bytes and JSON documents into text. */
#ifndef SERVE_SERVE_TEXT_H
#define SERVE_SERVE_TEXT_H

#include <stddef.h>

struct json_t;

/* Returns a JSON string, or {"bytes": BASE64} if the text is not UTF-8. NULL: out of memory. */
struct json_t *text_value(const char *text, size_t bytes_count);
/* Returns the document as a line with its line end, to be freed. Takes ownership of the document.
 * NULL: out of memory. */
char *text_line(struct json_t *document);

#endif
