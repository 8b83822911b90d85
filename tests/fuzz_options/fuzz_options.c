/* fuzz_options: any command line through the option parser, compared with getopt_long.
 *
 * The input is split at NUL into arguments. Where the parser succeeds, getopt_long of the C
 * library, given the same table, must succeed with the same operands; where getopt_long fails,
 * the parser must fail. (An abbreviation may be ambiguous to getopt_long alone: trawl lets grep's
 * options win.) The first byte says whether an operand ends the options. Valid arguments then go
 * on to be settings.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "trawl/settings.h"

#define ARGUMENTS_MAX 32
#define INPUT_BYTES_MAX 4096

#define REQUIRE(condition)                                                  \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

struct oracle {
    bool failed;
    bool unsure; /* an abbreviation that getopt_long may call ambiguous */
    size_t operand_count;
    const char *operands[ARGUMENTS_MAX];
};

/* Is `text` without dashes and value a whole name of the table? */
static bool is_whole_name(const char *text)
{
    size_t bytes = strcspn(text, "=");

    for (size_t i = 0; i < FLAG_COUNT_ALL; i++)
        if (flag_table[i].name != NULL && strlen(flag_table[i].name) == bytes &&
            memcmp(flag_table[i].name, text, bytes) == 0)
            return true;
    return false;
}

static void make_tables(char *letters, struct option *names, bool operands_end_options)
{
    static const int kinds[] = {no_argument, required_argument, optional_argument};
    size_t used = 0, count = 0;

    letters[used++] = operands_end_options ? '+' : '0';
    for (char digit = '0'; digit <= '9'; digit++)
        letters[used++] = digit;
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];
        enum flag_argument argument = flag_table[flag->target].argument;

        if (flag->letter != 0) {
            letters[used++] = flag->letter;
            if (argument == ARGUMENT_REQUIRED)
                letters[used++] = ':';
        }
        if (flag->name != NULL) {
            struct option option = {flag->name, kinds[argument], NULL, 1000 + (int)flag->target};

            names[count++] = option;
        }
    }
    letters[used] = '\0';
    memset(&names[count], 0, sizeof names[count]);
}

static void ask_oracle(struct oracle *oracle, int count, char **arguments,
                       bool operands_end_options)
{
    char letters[3 * FLAG_COUNT_ALL + 16];
    struct option names[FLAG_COUNT_ALL + 1];
    char *permuted[ARGUMENTS_MAX + 1];
    int found;

    memset(oracle, 0, sizeof *oracle);
    memcpy(permuted, arguments, ((size_t)count + 1) * sizeof *arguments);
    make_tables(letters, names, operands_end_options);
    for (int i = 1; i < count; i++)
        if (strncmp(arguments[i], "--", 2) == 0 && arguments[i][2] != '\0' &&
            !is_whole_name(arguments[i] + 2))
            oracle->unsure = true;
    opterr = 0;
    optind = 0; /* glibc: begin anew */
    while ((found = getopt_long(count, permuted, letters, names, NULL)) != -1)
        if (found == '?')
            oracle->failed = true;
    for (int i = optind; i < count; i++)
        oracle->operands[oracle->operand_count++] = permuted[i];
}

static void check_settings(struct settings *settings, uint8_t choice)
{
    char message[SETTINGS_ERROR_BYTES] = "";

    settings->surroundings.charset = (choice & 2) != 0 ? CHARSET_SINGLE : CHARSET_BYTES;
    settings->surroundings.output_is_null = (choice & 4) != 0;
    settings->surroundings.output_is_terminal = (choice & 8) != 0;
    if (settings_build(settings, message)) {
        REQUIRE(settings->before_count >= CONTEXT_NOT_GIVEN);
        REQUIRE(settings->after_count >= CONTEXT_NOT_GIVEN);
        REQUIRE(settings->line_end == '\n' || settings->line_end == '\0');
    } else {
        REQUIRE(message[0] != '\0' && strchr(message, '\n') == NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t bytes_count)
{
    char text[INPUT_BYTES_MAX + 1];
    char *arguments[ARGUMENTS_MAX + 1];
    char name[] = "trawl";
    int count = 1;
    struct settings settings;
    struct oracle oracle;
    bool good, posix;

    if (bytes_count < 1 || bytes_count > INPUT_BYTES_MAX)
        return 0;
    posix = (bytes[0] & 1) != 0;
    memcpy(text, bytes + 1, bytes_count - 1);
    text[bytes_count - 1] = '\0';
    arguments[0] = name;
    for (char *at = text; at < text + bytes_count - 1 && count < ARGUMENTS_MAX;
         at += strlen(at) + 1)
        arguments[count++] = at;
    arguments[count] = NULL;
    good = flags_parse(&settings, NULL, count, arguments, posix);
    ask_oracle(&oracle, count, arguments, posix);
    if (good && !oracle.unsure) {
        REQUIRE(!oracle.failed);
        REQUIRE(settings.operands.count == oracle.operand_count);
        for (size_t i = 0; i < oracle.operand_count; i++)
            REQUIRE(settings.operands.items[i].text == oracle.operands[i]);
    }
    if (good)
        check_settings(&settings, bytes[0]);
    else
        REQUIRE(settings.error[0] != '\0');
    settings_free(&settings);
    return 0;
}
