/* serve_text: turns bytes and JSON documents into text for answers. */
#ifndef SERVE_SERVE_TEXT_H
#define SERVE_SERVE_TEXT_H

#include <stddef.h>

struct json_t;

/* Returns a JSON string, or {"bytes": BASE64} for other than UTF-8. NULL: out of memory. */
struct json_t *text_value(const char *text, size_t bytes_count);
/* Returns the document as a single line with its line end, which the caller frees. Takes ownership
 * of the document. Returns NULL if out of memory. */
char *text_line(struct json_t *document);

#endif
