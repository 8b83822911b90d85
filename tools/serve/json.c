/* json: writes the server's answers in JSON, using the table of members in answers.def. */
#include "serve/json.h"

#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/text/base64.h"
#include "trawl/text/output.h"

/* ---- Text ------------------------------------------------------------------------------------ */

static json_t *base64(const uint8_t *bytes, size_t bytes_count)
{
    char *digits = malloc(BASE64_DIGITS(bytes_count) + 1);
    json_t *string;

    if (digits == NULL)
        return NULL;
    base64_encode(digits, bytes, bytes_count);
    string = json_stringn_nocheck(digits, BASE64_DIGITS(bytes_count));
    free(digits);
    return string;
}

json_t *text_value(const char *text, size_t bytes_count)
{
    json_t *string = json_stringn(text, bytes_count);

    return string != NULL ? string
                          : json_pack("{s:o}", "bytes", base64((const uint8_t *)text, bytes_count));
}

/* Allocates the line here, because json_dumps would silently drop a member's name if an allocation
 * failed. */
char *text_line(json_t *document)
{
    const size_t flags = JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9);
    size_t bytes = document == NULL ? 0 : json_dumpb(document, NULL, 0, flags);
    char *line = bytes == 0 ? NULL : malloc(bytes + 2);

    if (line != NULL && json_dumpb(document, line, bytes, flags) != bytes) {
        free(line);
        line = NULL;
    }
    json_decref(document);
    if (line != NULL)
        memcpy(line + bytes, "\n", 2);
    return line;
}

static const struct member {
    enum json_answer kind;
    const char *answer, *name, *parts, *meaning;
    enum { NUMBER, SECONDS, FLAG, JSON } type;
    size_t offset;
} members[] = {
#define MEMBER(answer, name, type, parts, meaning) \
    {JSON_##answer,                                \
     #answer,                                      \
     #name,                                        \
     parts,                                        \
     meaning,                                      \
     type,                                         \
     offsetof(struct json_answer_values, answer##_##name)},
#include "serve/answers.def"
#undef MEMBER
};

#define MEMBER_COUNT (sizeof members / sizeof *members)

static json_t *value_of(const struct member *member, const struct json_answer_values *values)
{
    const void *at = (const char *)values + member->offset;

    switch (member->type) {
    case NUMBER:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case SECONDS:
        return json_real(*(const double *)at);
    case FLAG:
        return json_boolean(*(const bool *)at);
    case JSON:
        break;
    }
    return *(json_t *const *)at;
}

json_t *json_answer_pack(enum json_answer kind, const struct json_answer_values *values)
{
    json_t *object = json_object();
    bool good = object != NULL;

    for (size_t i = 0; i < MEMBER_COUNT; i++)
        if (members[i].kind == kind)
            good =
                json_object_set_new(object, members[i].name, value_of(&members[i], values)) == 0 &&
                good;
    if (good)
        return object;
    json_decref(object);
    return NULL;
}

void json_answers_print(struct output *output)
{
    static const char *const types[] = {"number", "seconds", "true or false", "text or list"};

    output_text(output, "|answer|member|type|parts|meaning|\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        output_format(output, "|%s|%s|%s|%s|%s|\n", members[i].answer, members[i].name,
                      types[members[i].type], members[i].parts, members[i].meaning);
}
