/* json: writes the server's answers in JSON, using the table of members in answers.def. */
#ifndef SERVE_JSON_H
#define SERVE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;
struct output;

enum json_answer { JSON_count, JSON_columns, JSON_status, JSON_collection, JSON_file };

/* The values of the members of all kinds of answers: count_files is member `files` of `count`. */
struct json_answer_values {
#define VALUE_NUMBER uint64_t
#define VALUE_SECONDS double
#define VALUE_FLAG bool
#define VALUE_JSON struct json_t *
#define MEMBER(answer, name, type, parts, meaning) VALUE_##type answer##_##name;
#include "serve/answers.def"
#undef MEMBER
};

/* Returns an answer of this kind as a JSON object. Takes ownership of the values of type JSON.
 * Returns NULL if out of memory, even if a value of type JSON is NULL for that reason. */
struct json_t *json_answer_pack(enum json_answer kind, const struct json_answer_values *values);
/* Prints the rows of answers.def as a table of Markdown. */
void json_answers_print(struct output *output);
/* Returns a JSON string, or {"bytes": BASE64} if it is not UTF-8. NULL: out of memory. */
struct json_t *text_value(const char *text, size_t bytes_count);
/* Returns the document as a single line with its line end, which the caller frees. Takes ownership
 * of the document. Returns NULL if out of memory. */
char *text_line(struct json_t *document);

#endif
