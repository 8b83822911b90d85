/* parts: writes parts of expressions, and follows where words begin and end. */
#include "regex/parts.h"

#include <string.h>

#include "base/memory.h"

enum trawl_status parts_refuse(uint64_t at, struct trawl_error *error, const char *what)
{
    enum trawl_status status = TRAWL_FAIL(error, ARGUMENT, "%s", what);

    if (error != NULL)
        error->text_offset = at;
    return status;
}

enum trawl_status parts_make_room(struct translated *out, uint64_t more, struct trawl_error *error)
{
    TRAWL_TRY(MEMORY_GROW(out->bytes, out->capacity, out->capacity + more, error));
    out->capacity += more;
    TRAWL_TRY(MEMORY_GROW(out->from, out->from_capacity, out->capacity, error));
    out->from_capacity = out->capacity;
    return TRAWL_OK;
}

void parts_put(struct parts *reader, const char *bytes, uint64_t count, uint64_t from)
{
    struct translated *out = reader->out;

    TRAWL_ASSERT(count <= out->capacity - out->count);
    for (uint64_t i = 0; i < count; i++) {
        out->bytes[out->count] = bytes[i];
        out->from[out->count++] = (uint32_t)from;
    }
}

bool parts_is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

bool parts_is_word(char byte)
{
    return parts_is_digit(byte) || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
           byte == '_';
}

bool parts_is_word_class(const char *text, uint64_t count)
{
    static const char names[] = "[:alpha:][:alnum:][:digit:][:lower:][:upper:][:xdigit:][:word:]";
    static const char ranges[] = "-az-AZ-09-";

    for (uint64_t i = 1; i + 1 < count; i++) {
        if (text[i] == '[' && memchr(text + i, ']', (size_t)(count - i - 1)) != NULL) {
            const char *close = memchr(text + i, ']', (size_t)(count - i));

            if (memmem(names, strlen(names), text + i, (size_t)(close + 1 - text) - i) == NULL)
                return false;
            i = (uint64_t)(close - text);
        } else if (text[i] == '-') {
            const char range[2] = {text[i - 1], text[i + 1]};

            if (memmem(ranges, strlen(ranges), range, 2) == NULL)
                return false;
        } else if (!parts_is_word(text[i])) {
            return false;
        }
    }
    return count > 2;
}

bool parts_is_named_class(const char *text, uint64_t count)
{
    const bool negated = count > 1 && text[1] == '^';

    return count > 4u + negated && text[1 + negated] == ':' && text[count - 2] == ':';
}

enum trawl_status parts_begin(struct parts *reader, bool word, struct trawl_error *error)
{
    struct words *words = &reader->words;

    if (words->begin == WANTED && !word)
        return parts_refuse(
            reader->word_from, error,
            "\\<: a word's begin is known only before a letter, digit or _ of ASCII");
    *words = (struct words){words->begin == WANTED ? HELD : NOTHING, word, words->ends, false};
    reader->atom = reader->out->count;
    reader->repeated = false;
    return TRAWL_OK;
}

enum trawl_status parts_open(struct parts *reader, uint64_t begin, uint64_t from,
                             struct trawl_error *error)
{
    struct words *words = &reader->words;

    if (reader->depth == PARTS_DEPTH_MAX)
        return parts_refuse(from, error, "groups are nested too deeply");
    reader->groups[reader->depth++] = (struct group){begin, from, *words, reader->fold};
    reader->groups[reader->depth - 1].words =
        (struct words){words->begin, true, words->ends, false};
    *words = (struct words){words->begin == WANTED ? WANTED : NOTHING, false, false, false};
    reader->atom = UINT64_MAX;
    return TRAWL_OK;
}

enum trawl_status parts_end_alternative(struct parts *reader, struct trawl_error *error)
{
    struct words *words = &reader->words;
    struct group *group = reader->depth > 0 ? &reader->groups[reader->depth - 1] : NULL;

    if (group == NULL && words->begin == WANTED)
        return parts_begin(reader, false, error);
    if (group != NULL) {
        group->words.leaves |= words->begin == WANTED;
        group->words.ends &= words->ends;
    }
    *words = (struct words){group != NULL && group->words.begin == WANTED ? WANTED : NOTHING, false,
                            false, false};
    reader->atom = UINT64_MAX;
    return TRAWL_OK;
}

enum trawl_status parts_close(struct parts *reader, struct trawl_error *error)
{
    const struct group *group = &reader->groups[reader->depth - 1];

    TRAWL_TRY(parts_end_alternative(reader, error));
    reader->words = (struct words){group->words.leaves            ? WANTED
                                   : group->words.begin == WANTED ? HELD
                                                                  : NOTHING,
                                   group->words.ends, group->words.ended, false};
    reader->depth--;
    reader->atom = group->begin;
    reader->fold = group->fold;
    reader->repeated = false;
    return TRAWL_OK;
}

enum trawl_status parts_put_edge(struct parts *reader, bool begins, uint64_t from,
                                 struct trawl_error *error)
{
    if (!begins && !reader->words.ends)
        return parts_refuse(from, error,
                            "\\>: a word's end is known only after a letter, digit or _ of ASCII");
    parts_put(reader, "\\b", 2, from);
    reader->atom = UINT64_MAX;
    if (begins) {
        reader->words.begin = WANTED;
        reader->word_from = from;
    }
    return TRAWL_OK;
}

enum trawl_status parts_repeat(struct parts *reader, const char *bytes, uint64_t count,
                               uint64_t from, struct trawl_error *error)
{
    struct translated *out = reader->out;
    struct words *words = &reader->words;
    uint64_t length = out->count - reader->atom;

    if (words->begin == WANTED) /* the next round may begin with another character */
        return parts_begin(reader, false, error);
    if (bytes[0] == '*' || bytes[0] == '?' || (bytes[0] == '{' && bytes[1] == '0')) {
        words->begin = words->begin == HELD ? WANTED : words->begin;
        words->ends = words->ends && words->ended;
    }
    if (reader->repeated) {
        TRAWL_ASSERT(out->capacity - out->count >= 4 + count);
        memmove(out->bytes + reader->atom + 3, out->bytes + reader->atom, (size_t)length);
        memmove(out->from + reader->atom + 3, out->from + reader->atom,
                (size_t)length * sizeof *out->from);
        memcpy(out->bytes + reader->atom, "(?:", 3);
        for (uint32_t i = 0; i < 3; i++)
            out->from[reader->atom + i] = (uint32_t)from;
        out->count += 3;
        parts_put(reader, ")", 1, from);
    }
    parts_put(reader, bytes, count, from);
    reader->repeated = true;
    return TRAWL_OK;
}
