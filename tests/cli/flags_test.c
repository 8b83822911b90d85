/* flags_test: every row of flags.def is parsed as it should be, in each of its forms, and stands in
 * every document that is made from the table. */
#include "test.h"
#include "trawl/help.h"
#include "trawl/settings.h"

#include <unistd.h>

enum effect { EFFECT_NONE_GIVEN, EFFECT_SETS, EFFECT_REFUSES, EFFECT_IGNORED };

struct row {
    enum effect effect;
    const char *value;
    bool (*holds)(const struct settings *settings);
    const char *partner; /* that it says nothing without; NULL: none */
};

#define WITH(id, value, partner, condition) ROW(id, value, condition)
#define ROW(id, value, condition)                           \
    static bool holds_##id(const struct settings *settings) \
    {                                                       \
        return (condition);                                 \
    }
#define REFUSES(id)
#define IGNORES(id, value)
#include "flag_rows.def"
#undef WITH
#undef ROW
#undef REFUSES
#undef IGNORES

static const struct row rows[FLAG_COUNT_ALL] = {
#define WITH(id, value, partner, condition) [FLAG_##id] = {EFFECT_SETS, value, holds_##id, partner},
#define ROW(id, value, condition) [FLAG_##id] = {EFFECT_SETS, value, holds_##id, NULL},
#define REFUSES(id) [FLAG_##id] = {EFFECT_REFUSES, NULL, NULL, NULL},
#define IGNORES(id, value) [FLAG_##id] = {EFFECT_IGNORED, value, NULL, NULL},
#include "flag_rows.def"
#undef WITH
#undef ROW
#undef REFUSES
#undef IGNORES
};

static void check_form(const struct row *row, const char *option, const char *value)
{
    char *arguments[5] = {(char *)(uintptr_t) "trawl", (char *)(uintptr_t)row->partner};
    int count = row->partner != NULL ? 2 : 1;
    struct settings before, after;
    bool good;

    TEST_CHECK(flags_parse(&before, NULL, count, arguments, false));
    TEST_CHECK(settings_build(&before, before.error));
    arguments[count++] = (char *)(uintptr_t)option;
    arguments[count] = (char *)(uintptr_t)value;
    good = flags_parse(&after, NULL, count + (value != NULL), arguments, false) &&
           (row->effect == EFFECT_REFUSES || settings_build(&after, after.error));
    if (!test_check(good == (row->effect != EFFECT_REFUSES), option, __FILE__, __LINE__))
        printf("  '%s' '%s': %s\n", option, value != NULL ? value : "", after.error);
    if (row->effect == EFFECT_SETS) {
        test_check(!row->holds(&before), option, __FILE__, __LINE__);
        test_check(row->holds(&after), option, __FILE__, __LINE__);
    }
    if (row->effect == EFFECT_REFUSES)
        test_check(after.error[0] != '\0' && strchr(after.error, '\n') == NULL, option, __FILE__,
                   __LINE__);
    settings_free(&before);
    settings_free(&after);
}

static void check_parsed(const struct flag *flag)
{
    const struct row *row = &rows[flag->id];
    enum flag_argument argument = flag_table[flag->target].argument;
    char option[64];

    test_check(row->effect != EFFECT_NONE_GIVEN, flag->name != NULL ? flag->name : "letter",
               "flag_rows.def has no row for it", 0);
    if (flag->letter != 0) {
        snprintf(option, sizeof option, "-%c", flag->letter);
        check_form(row, option, row->value);
        if (row->value != NULL) {
            snprintf(option, sizeof option, "-%c%s", flag->letter, row->value);
            check_form(row, option, NULL);
        }
    }
    if (flag->name == NULL)
        return;
    if (argument != ARGUMENT_OPTIONAL) {
        snprintf(option, sizeof option, "--%s", flag->name);
        check_form(row, option, row->value);
    }
    if (row->value != NULL) {
        snprintf(option, sizeof option, "--%s=%s", flag->name, row->value);
        check_form(row, option, NULL);
    }
}

/* What `write_document` writes, as one string. The caller's, free with free. */
static char *document(const char *kind)
{
    static struct output output;
    FILE *file = tmpfile();
    long bytes;
    char *text;

    if (file == NULL)
        return NULL;
    output_open(&output, fileno(file));
    if (kind == NULL)
        help_print(&output, false);
    else if (!help_generate(&output, kind))
        printf("there is no document %s\n", kind);
    output_flush(&output);
    TEST_CHECK(output.error == 0);
    output_close(&output);
    bytes = lseek(fileno(file), 0, SEEK_END);
    text = calloc(1, (size_t)bytes + 1);
    if (text != NULL && pread(fileno(file), text, (size_t)bytes, 0) != bytes)
        text[0] = '\0';
    fclose(file);
    return text;
}

/* name with every hyphen written as troff wants it. */
static void troff(const char *name, char *text)
{
    for (; *name != '\0'; name++) {
        if (*name == '-')
            *text++ = '\\';
        *text++ = *name;
    }
    *text = '\0';
}

/* --help fits into a terminal of 80 columns. Then put summaries that take several lines together.
 */
static void join_help(char *text)
{
    const char *from = text;
    size_t column = 0;

    while (text != NULL && *from != '\0') {
        size_t blanks = *from == '\n' ? strspn(from + 1, " ") : 0;

        column = *from == '\n' ? 0 : column + 1;
        if (!test_check(column <= 80, "--help", "flags.def", 0))
            return;
        if (blanks >= 30)
            column = blanks;
        *text++ = blanks >= 30 ? ' ' : *from;
        from += blanks >= 30 ? blanks + 1 : 1;
    }
    if (text != NULL)
        *text = '\0';
}

static void check_in(const char *text, const char *kind, const char *wanted)
{
    if (!test_check(text != NULL && strstr(text, wanted) != NULL, kind, "flags.def", 0))
        printf("  %s does not have: %s\n", kind, wanted);
}

static void check_documented(const struct flag *flag, char *const texts[5])
{
    char wanted[128], changed[256];

    if (flag->target == flag->id) {
        check_in(texts[0], "--help, its lines joined", flag->summary);
        troff(flag->summary, changed);
        if (strchr(flag->summary, '\'') == NULL)
            check_in(texts[1], "man", changed);
    }
    if (flag->letter != 0) {
        snprintf(wanted, sizeof wanted, "-%c", flag->letter);
        check_in(texts[0], "--help", wanted);
        check_in(texts[2], "complete-bash", wanted);
        check_in(texts[3], "complete-zsh", wanted);
        troff(wanted, changed);
        check_in(texts[1], "man", changed);
        snprintf(wanted, sizeof wanted, " -s %c", flag->letter);
        check_in(texts[4], "complete-fish", wanted);
    }
    if (flag->name != NULL) {
        snprintf(wanted, sizeof wanted, "--%s", flag->name);
        check_in(texts[0], "--help", wanted);
        check_in(texts[2], "complete-bash", wanted);
        check_in(texts[3], "complete-zsh", wanted);
        troff(wanted, changed);
        check_in(texts[1], "man", changed);
        snprintf(wanted, sizeof wanted, " -l %s ", flag->name);
        check_in(texts[4], "complete-fish", wanted);
    }
}

/* Two rows with one letter or name would hide one of them. */
static void check_unique(void)
{
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++)
        for (size_t j = 0; j < i; j++) {
            const struct flag *a = &flag_table[i], *b = &flag_table[j];

            TEST_CHECK(a->letter == 0 || a->letter != b->letter);
            TEST_CHECK(a->name == NULL || b->name == NULL || strcmp(a->name, b->name) != 0);
        }
}

int main(void)
{
    char *texts[5] = {document(NULL), document("man"), document("complete-bash"),
                      document("complete-zsh"), document("complete-fish")};

    check_unique();
    join_help(texts[0]);
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        TEST_CHECK_U64(flag_table[i].id, i);
        check_parsed(&flag_table[i]);
        check_documented(&flag_table[i], texts);
    }
    for (size_t i = 0; i < 5; i++)
        free(texts[i]);
    return test_end();
}
