/* flags_test: tries each option of flags.def in each form: without a value, with an empty value,
 * and with values at the limits of numbers and sizes; by its long name and by its letter. An option
 * is either carried out, or rejected with a message of one line that names it.
 */
#include <string.h>

#include "test.h"
#include "trawl/options/flag_table.h"
#include "trawl/options/settings.h"

static bool is_tg;
static uint64_t forms;

/* Parses an option, copies the message, and returns whether the option was carried out. */
static bool parse(const char *first, const char *second, char error[SETTINGS_ERROR_BYTES])
{
    char words[3][SETTINGS_ERROR_BYTES], *arguments[] = {words[0], words[1], words[2]};
    struct settings settings;
    bool good;

    (void)snprintf(words[0], sizeof words[0], "%s", is_tg ? "tg" : "trawl");
    (void)snprintf(words[1], sizeof words[1], "%s", first);
    (void)snprintf(words[2], sizeof words[2], "%s", second == NULL ? "" : second);
    memset(&settings, 0, sizeof settings);
    good = flags_parse(&settings, NULL, second == NULL ? 2 : 3, arguments, false);
    memcpy(error, settings.error, SETTINGS_ERROR_BYTES);
    settings_free(&settings);
    forms++;
    return good;
}

/* Checks that the option is carried out, or else rejected with these words; NULL: with words that
 * name the option. */
static void check(const struct flag *flag, const char *first, const char *second, bool may,
                  const char *words)
{
    char error[SETTINGS_ERROR_BYTES] = "";
    const bool good = parse(first, second, error);
    const struct flag *target = &flag_table[flag->target]; /* which the message of an alias names */
    const char letter[] = {'-', flag->letter, '\0'};
    const bool named = (flag->name != NULL && strstr(error, flag->name) != NULL) ||
                       (target->name != NULL && strstr(error, target->name) != NULL) ||
                       (flag->letter != 0 && strstr(error, letter) != NULL);

    if (!TEST_CHECK(good ? may
                         : strchr(error, '\n') == NULL &&
                               (words == NULL ? named : strcmp(error, words) == 0)))
        printf("  %s%s %s %s: %d '%s', expected '%s'\n", is_tg ? "tg " : "", first,
               second == NULL ? "" : second, flag->name == NULL ? "" : flag->name, good, error,
               words == NULL ? "" : words);
}

static void check_values(const struct flag *flag, const char *name)
{
    static const char *const values[] = {"0",
                                         "1",
                                         "-1",
                                         "+1",
                                         "2147483648",
                                         "4294967296",
                                         "9223372036854775808",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "1K",
                                         "99999999999999999999G",
                                         "x",
                                         "a=b",
                                         ":",
                                         ",",
                                         "%",
                                         "{",
                                         "\\",
                                         "\xff",
                                         "none",
                                         "always"};
    char option[128];

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        (void)snprintf(option, sizeof option, "--%s=%s", name, values[i]);
        check(flag, option, NULL, true, NULL);
        if (flag_takes(flag, is_tg) == ARGUMENT_REQUIRED) {
            (void)snprintf(option, sizeof option, "--%s", name);
            check(flag, option, values[i], true, NULL);
        }
    }
}

static void check_long(const struct flag *flag)
{
    const enum flag_argument argument = flag_takes(flag, is_tg);
    static const char *const given[] = {"", "x", "0"};
    char option[128], words[256] = "";

    (void)snprintf(option, sizeof option, "--%s", flag->name);
    (void)snprintf(words, sizeof words, "option '%s' requires an argument", option);
    check(flag, option, NULL, argument != ARGUMENT_REQUIRED,
          argument == ARGUMENT_REQUIRED ? words : NULL);
    for (size_t i = 0; i < 3; i++) {
        (void)snprintf(option, sizeof option, "--%s=%s", flag->name, given[i]);
        (void)snprintf(words, sizeof words, "option '--%s' doesn't allow an argument: '%s'",
                       flag->name, given[i]);
        check(flag, option, NULL, argument != ARGUMENT_NONE,
              argument == ARGUMENT_NONE ? words : NULL);
    }
    if (argument != ARGUMENT_NONE)
        check_values(flag, flag->name);
}

static void check_letter(const struct flag *flag)
{
    const bool takes = flag_takes(flag, is_tg) == ARGUMENT_REQUIRED;
    char option[8] = {'-', flag->letter, '\0'}, words[64] = "";

    (void)snprintf(words, sizeof words, "option requires an argument -- '%c'", flag->letter);
    check(flag, option, NULL, !takes, takes ? words : NULL);
    check(flag, option, "", true, NULL);
    option[2] = option[1]; /* the letter twice, or a letter as its own value */
    check(flag, option, NULL, true, NULL);
}

int main(void)
{
    test_begin("flags");
    for (int tg = 0; tg < 2; tg++) {
        is_tg = tg != 0;
        for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
            const struct flag *flag = &flag_table[i];

            if (flag->name != NULL)
                check_long(flag);
            if (flag->letter != 0 && flag_of_letter(flag->letter, is_tg) == flag)
                check_letter(flag);
        }
    }
    printf("%" PRIu64 " forms of %d options\n", forms, (int)FLAG_COUNT_ALL);
    return test_end();
}
