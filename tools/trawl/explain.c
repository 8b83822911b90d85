/* explain: makes sentences from the library's description of a plan, which consists of lines "name:
 * value". */
#include "trawl/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_BYTES 200
#define SENTENCE_BYTES (4 * VALUE_BYTES)

#define SET_SENTENCES                                                                        \
    "A table of the strings shows for each position of the text whether a string may begin " \
    "there.\n"                                                                               \
    "If so, the string is compared as a whole.\n"

static const struct {
    const char *method, *sentences;
} methods[] = {
    {"every",
     "A few bytes of the string are compared with the text at every position, many positions at\n"
     "once. Where these bytes are equal, the whole string is compared.\n"},
    {"grams",
     "The search looks at groups of a few bytes, many groups at once. Every occurrence of the\n"
     "string contains such a group, and few other positions have the same group. At these\n"
     "positions the whole string is compared.\n"},
    {"sampled",
     "The search looks at a few bytes and skips many more, since the string is long. Every\n"
     "occurrence contains some of the bytes that are looked at. Where these bytes are equal, the\n"
     "whole string is compared.\n"},
    {"set", SET_SENTENCES},
    {"buckets", SET_SENTENCES},
    {"classes", SET_SENTENCES},
    {"automaton", "An automaton of all strings reads the text byte by byte.\n"},
};

/* Copies the value of a line; "" if no line has the name. */
static void value_of(const char *lines, const char *name, char value[VALUE_BYTES])
{
    size_t name_bytes = strlen(name);

    value[0] = '\0';
    while (lines != NULL) {
        if (strncmp(lines, name, name_bytes) == 0 && strncmp(lines + name_bytes, ": ", 2) == 0) {
            lines += name_bytes + 2;
            (void)snprintf(value, VALUE_BYTES, "%.*s", (int)strcspn(lines, "\n"), lines);
            return;
        }
        lines = strchr(lines, '\n');
        lines = lines != NULL ? lines + 1 : NULL;
    }
}

static void print_strings(struct output *output, const char *lines)
{
    char count[VALUE_BYTES], shortest[VALUE_BYTES], longest[VALUE_BYTES], text[SENTENCE_BYTES];
    bool is_one;

    value_of(lines, "patterns", count);
    value_of(lines, "shortest literal", shortest);
    value_of(lines, "longest occurrence", longest);
    is_one = strcmp(count, "1") == 0;
    if (strcmp(count, "0") == 0)
        (void)snprintf(text, sizeof text, "There is no string to search for.\n");
    else if (strcmp(shortest, longest) == 0)
        (void)snprintf(text, sizeof text, "%s %s of %s byte%s searched for.\n", count,
                       is_one ? "string" : "strings", shortest,
                       is_one ? (strcmp(shortest, "1") == 0 ? " is" : "s is") : "s each are");
    else
        (void)snprintf(text, sizeof text, "%s %s searched for: of %s to %s bytes.\n", count,
                       is_one ? "string is" : "strings are", shortest, longest);
    output_text(output, text);
}

static void print_errors(struct output *output, const char *lines)
{
    static const char *const kinds[] = {"mismatches", "edits"};
    char most[VALUE_BYTES], alphabet[VALUE_BYTES], text[SENTENCE_BYTES];

    value_of(lines, "alphabet", alphabet);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        value_of(lines, kinds[i], most);
        if (*most == '\0' || strcmp(most, "0") == 0)
            continue;
        (void)snprintf(text, sizeof text,
                       "Errors are allowed: %s, at most %s, counted in %s.\n"
                       "Each possible occurrence is verified.\n",
                       kinds[i], most, alphabet);
        output_text(output, text);
    }
}

static void print_method(struct output *output, const char *lines)
{
    char method[VALUE_BYTES], classes[VALUE_BYTES];

    value_of(lines, "patterns", method);
    if (strcmp(method, "0") == 0)
        return;
    value_of(lines, "method", method);
    value_of(lines, "classes", classes);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].method, method) == 0)
            output_text(output, methods[i].sentences);
    if (*classes != '\0')
        output_text(output, "Strings of different lengths have separate tables.\n");
}

/* Prints which strings are searched together where the strings have several lengths. */
static void print_parts(struct output *output, const char *lines, const char *where,
                        const char *sentence)
{
    char name[VALUE_BYTES], value[VALUE_BYTES], text[SENTENCE_BYTES];

    for (unsigned i = 1;; i++) {
        (void)snprintf(name, sizeof name, "%s part %u", where, i);
        value_of(lines, name, value);
        if (*value == '\0')
            return;
        if (i == 1)
            output_text(output, sentence);
        (void)snprintf(text, sizeof text, "  %s\n", value);
        output_text(output, text);
    }
}

static void print_algorithm(struct output *output, const char *lines, const char *algorithm)
{
    char source[VALUE_BYTES], text[SENTENCE_BYTES];

    value_of(lines, "source", source);
    (void)snprintf(text, sizeof text, "The published algorithm %s searches (%s).\n", algorithm,
                   source);
    output_text(output, text);
}

static void print_who(struct output *output, const char *lines, const struct settings *settings)
{
    const char *engine = settings->engine == NULL ? "auto" : settings->engine;
    char engines[VALUE_BYTES];

    value_of(lines, "engines", engines);
    if (strcmp(engine, "cuda") == 0 || strcmp(engines, "cuda") == 0)
        output_text(output, "A graphics processor searches.\n");
    else if (strcmp(engine, "cpu") == 0 || strcmp(engines, "cpu") == 0)
        output_text(output, "The processor's cores search.\n");
    else
        output_text(output,
                    "The processor's cores search, and graphics processors if that is faster.\n");
}

bool explain_print(struct output *output, const struct patterns *patterns,
                   const struct settings *settings)
{
    char value[VALUE_BYTES];
    uint64_t bytes = 0;
    char *lines = NULL;

    if (trawl_plan_explain(patterns->plan, NULL, 0, &bytes, NULL) == TRAWL_OK)
        lines = malloc((size_t)bytes + 1);
    if (lines == NULL ||
        trawl_plan_explain(patterns->plan, lines, bytes, &bytes, NULL) != TRAWL_OK) {
        free(lines);
        return false;
    }
    if (settings->expressions)
        output_text(output,
                    "Regular expressions are searched for. RE2 decides about the lines that "
                    "hold\nthe expressions' strings.\n");
    else
        print_strings(output, lines);
    value_of(lines, "algorithm", value);
    if (*value != '\0')
        print_algorithm(output, lines, value);
    else
        print_method(output, lines);
    print_parts(output, lines, "host",
                "The cores try whether separate searches by length are faster (strings, bytes, "
                "method):\n");
    print_parts(output, lines, "device",
                "A graphics processor searches separately for (strings, bytes, method):\n");
    print_errors(output, lines);
    print_who(output, lines, settings);
    if (settings->files.debug) {
        output_text(output, "\n");
        output_text(output, lines);
    } else {
        output_text(output, "--debug adds the figures.\n");
    }
    free(lines);
    return true;
}
