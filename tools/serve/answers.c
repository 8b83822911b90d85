/* answers: writes the server's answers in JSON, by the table of members in answers.def. */
#include "serve/answers.h"

#include <jansson.h>
#include <stddef.h>

#include "trawl/text/output.h"

static const struct member {
    enum answer_kind kind;
    const char *answer, *name, *parts, *meaning;
    enum { NUMBER, SECONDS, FLAG, JSON } type;
    size_t offset;
} members[] = {
#define MEMBER(answer, name, type, parts, meaning) \
    {ANSWER_##answer,                              \
     #answer,                                      \
     #name,                                        \
     parts,                                        \
     meaning,                                      \
     type,                                         \
     offsetof(struct answer_values, answer##_##name)},
#include "serve/answers.def"
#undef MEMBER
};

#define MEMBER_COUNT (sizeof members / sizeof *members)

static json_t *value_of(const struct member *member, const struct answer_values *values)
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

json_t *answers_pack(enum answer_kind kind, const struct answer_values *values)
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

void answers_print(struct output *output)
{
    static const char *const types[] = {"number", "seconds", "true or false", "text or list"};

    output_text(output, "|answer|member|type|parts|meaning|\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        output_format(output, "|%s|%s|%s|%s|%s|\n", members[i].answer, members[i].name,
                      types[members[i].type], members[i].parts, members[i].meaning);
}
