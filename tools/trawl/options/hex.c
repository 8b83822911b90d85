/* hex: reads the strings of --hex that have wildcards, jumps and alternatives, as YARA does, and
 * writes an expression of bytes.
 *
 *   4D 5a      bytes               4? ?A ??   a digit that may be any
 *   ~4D ~4?    any other byte      [2] [2-8]  so many bytes
 *   (50|51 52) alternatives
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl/options/flags.h"

#define JUMP_MAX 1000u /* more would make a long list of states */
#define DEPTH_MAX 100u

struct hex_reader {
    const char *at, *end;
    FILE *out;
    const char *wrong; /* what is wrong; NULL: nothing */
};

static void skip_blanks(struct hex_reader *reader)
{
    while (reader->at < reader->end && isspace((unsigned char)*reader->at))
        reader->at++;
}

/* Returns the next character that is no blank without reading it; NUL: the end. */
static char peek(struct hex_reader *reader)
{
    skip_blanks(reader);
    return reader->at < reader->end ? *reader->at : '\0';
}

/* Reads a digit or ?. Returns its value; 16: ?; < 0: there is none. */
static int read_nibble(struct hex_reader *reader)
{
    const char digit = peek(reader);
    const int value = digit == '?' ? 16 : value_hex_digit(digit);

    reader->at += digit != '\0';
    if (value < 0)
        reader->wrong = digit == '\0' || strchr("[(|~)]", digit) != NULL
                            ? "an odd number of digits"
                            : "a character that is not a hexadecimal digit";
    return value;
}

static void read_byte(struct hex_reader *reader)
{
    const bool negated = *reader->at == '~';
    int high, low;

    reader->at += negated;
    high = read_nibble(reader);
    low = high < 0 ? -1 : read_nibble(reader);
    if (low < 0)
        return;
    if (high == 16 && low == 16) {
        if (negated)
            reader->wrong = "~??, which no byte is";
        (void)fputc('.', reader->out);
        return;
    }
    (void)fputs(negated ? "[^" : "[", reader->out);
    for (int i = high == 16 ? 0 : high; i <= (high == 16 ? 15 : high); i++)
        if (low == 16)
            (void)fprintf(reader->out, "\\x%x0-\\x%xf", i, i);
        else
            (void)fprintf(reader->out, "\\x%x%x", i, low);
    (void)fputc(']', reader->out);
}

static bool read_number(struct hex_reader *reader, unsigned *number)
{
    *number = 0;
    if (!isdigit((unsigned char)peek(reader)))
        return false;
    for (; isdigit((unsigned char)peek(reader)) && *number <= JUMP_MAX; reader->at++)
        *number = *number * 10 + (unsigned)(*reader->at - '0');
    return true;
}

static void read_jump(struct hex_reader *reader)
{
    unsigned min, max;
    bool good;

    reader->at++;
    good = read_number(reader, &min);
    max = min;
    if (good && peek(reader) == '-') {
        reader->at++;
        good = read_number(reader, &max);
    }
    if (!good || max > JUMP_MAX)
        reader->wrong = "a jump without a length, or of more than 1,000 bytes";
    else if (peek(reader) != ']' || min > max)
        reader->wrong = "an invalid jump";
    else
        (void)fprintf(reader->out, ".{%u,%u}?", min, max);
    reader->at++;
}

/* Reads up to a | or ) that belongs to the caller, or to the end. */
static void read_sequence(struct hex_reader *reader, unsigned depth)
{
    bool is_empty = true, ends_in_jump = false;

    for (char next = peek(reader);
         reader->wrong == NULL && next != '\0' && next != '|' && next != ')'; next = peek(reader)) {
        if (next == '[' && is_empty)
            break;
        ends_in_jump = next == '[';
        is_empty = false;
        if (next == '[') {
            read_jump(reader);
        } else if (next == ']') {
            reader->wrong = "a ] without [";
        } else if (next != '(') {
            read_byte(reader);
        } else if (depth == DEPTH_MAX) {
            reader->wrong = "too many parentheses";
        } else {
            (void)fputs("(?:", reader->out);
            do {
                reader->at++;
                read_sequence(reader, depth + 1);
                (void)fputc(peek(reader) == '|' ? '|' : ')', reader->out);
            } while (reader->wrong == NULL && peek(reader) == '|');
            if (reader->wrong == NULL && peek(reader) != ')')
                reader->wrong = "a ( without )";
            reader->at++;
        }
    }
    if (reader->wrong == NULL && (is_empty || ends_in_jump))
        reader->wrong = peek(reader) == '[' || ends_in_jump ? "a jump at an end"
                                                            : "nothing where bytes must be";
}

char *hex_bytes(const char *text, size_t bytes, size_t *made_bytes, const char **wrong)
{
    char *made = calloc(1, bytes / 2 + 1);
    size_t digits = 0;

    *wrong = NULL;
    for (size_t i = 0; made != NULL && i < bytes && *wrong == NULL; i++) {
        const int value = value_hex_digit(text[i]);

        if (isspace((unsigned char)text[i]))
            continue;
        if (value < 0)
            *wrong = "a character that is not a hexadecimal digit";
        else
            made[digits / 2] = (char)(made[digits / 2] << 4 | value);
        digits++;
    }
    if (*wrong == NULL && digits % 2 != 0)
        *wrong = "an odd number of digits";
    *made_bytes = digits / 2;
    return made;
}

bool hex_is_plain(const char *text, bool replaces)
{
    const char *wrong;
    size_t count = 0;
    char *bytes = replaces ? hex_bytes(text, strlen(text), &count, &wrong) : NULL;
    const bool has_end = count > 0 && bytes != NULL && memchr(bytes, '\n', count) != NULL;

    free(bytes);
    return !has_end && strpbrk(text, "?[(|~)]") == NULL;
}

char *hex_expression(const char *text, size_t bytes, size_t *made_bytes, const char **wrong)
{
    struct hex_reader reader = {.at = text, .end = text + bytes};
    char *made = NULL;

    *wrong = NULL;
    reader.out = open_memstream(&made, made_bytes);
    if (reader.out == NULL)
        return NULL;
    read_sequence(&reader, 0);
    if (reader.wrong == NULL && reader.at < reader.end)
        reader.wrong = "a ) or | without (";
    *wrong = reader.wrong;
    if (fclose(reader.out) != 0) {
        free(made);
        return NULL;
    }
    return made;
}

uint64_t hex_reach(const char *text, size_t bytes)
{
    uint64_t reach = bytes;

    for (size_t i = 0; i < bytes; i++)
        reach += text[i] == '[' ? JUMP_MAX : 0;
    return reach;
}
