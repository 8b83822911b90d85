/* braces: reads a repetition in braces, such as {2,5}, in any of the syntaxes. */
#ifndef TRAWL_REGEX_BRACES_H
#define TRAWL_REGEX_BRACES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Larger numbers count as BRACES_MOST + 1. */
#define BRACES_MOST 999999u

struct braces {
    uint64_t length; /* of the text that was read; 0: there is no repetition */
    uint32_t least;
    uint32_t most;
    bool is_endless; /* {n,} */
    bool has_least;  /* not {,m} */
};

static inline uint64_t braces_skip(const char *bytes, uint64_t count, uint64_t at, bool blanks)
{
    while (blanks && at < count && (bytes[at] == ' ' || (bytes[at] >= '\t' && bytes[at] <= '\r')))
        at++;
    return at;
}

/* Returns the offset after the digits at `at`, and sets *number to their value. */
static inline uint64_t braces_number(const char *bytes, uint64_t count, uint64_t at,
                                     uint32_t *number)
{
    for (*number = 0; at < count && bytes[at] >= '0' && bytes[at] <= '9'; at++) {
        *number = 10 * *number + (uint32_t)(bytes[at] - '0');
        if (*number > BRACES_MOST)
            *number = BRACES_MOST + 1;
    }
    return at;
}

/* Reads {n}, {n,}, {n,m} or {,m} at the start of the text. `open` is the brace, which may be \{,
 * and `close` the other one. `blanks` may surround the numbers. */
static inline struct braces braces_read(const char *bytes, uint64_t count, const char *open,
                                        const char *close, bool blanks)
{
    struct braces made = {.length = 0};
    const uint64_t first = braces_skip(bytes, count, strlen(open), blanks);
    uint64_t at = braces_number(bytes, count, first, &made.least), second;

    made.has_least = at > first;
    made.most = made.least;
    at = braces_skip(bytes, count, at, blanks);
    if (at < count && bytes[at] == ',') {
        second = braces_skip(bytes, count, at + 1, blanks);
        at = braces_number(bytes, count, second, &made.most);
        made.is_endless = at == second;
        at = braces_skip(bytes, count, at, blanks);
    }
    if (strlen(close) <= count - at && memcmp(bytes + at, close, strlen(close)) == 0 &&
        (made.has_least || (made.most > 0 && !made.is_endless)))
        made.length = at + strlen(close);
    return made;
}

#endif
