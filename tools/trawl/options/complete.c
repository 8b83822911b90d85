/* complete: what bash, zsh and fish offer after `trawl`: options from flags.def, and otherwise file
 * names. zsh and fish also offer values of options, from the table below. */
#include "trawl/options/complete.h"

#include <string.h>

#include "trawl/options/flags.h"

static const struct {
    enum flag_id flag;
    const char *words;
} value_table[] = {
    {FLAG_BINARY_FILES, "binary text without-match"},
    {FLAG_DIRECTORIES, "read recurse skip"},
    {FLAG_DEVICES, "read skip"},
    {FLAG_COLOR, "always never auto"},
    {FLAG_ALPHABET, "bytes utf8 dna"},
    {FLAG_ENCODING, "auto none utf-8 utf-16 utf-16le utf-16be iso-8859-1 gb18030"},
    {FLAG_HYPERLINK_FORMAT,
     "default none file kitty cursor vscode vscode-insiders vscodium emacs grep+ textmate macvim"},
    {FLAG_SORT, "none path modified accessed created"},
    {FLAG_SORT_BACKWARDS, "none path modified accessed created"},
    {FLAG_ENGINE, "auto cpu cuda default pcre2"},
    {FLAG_METHOD, &METHOD_WORDS[1]},
    {FLAG_GENERATE, "man man-tg complete-bash complete-zsh complete-fish"},
};

/* Returns the values that a shell offers for the option; NULL: the table has none. */
static const char *words_of(const struct flag *flag)
{
    for (size_t i = 0; i < sizeof value_table / sizeof *value_table; i++)
        if (value_table[i].flag == flag->target)
            return value_table[i].words;
    return NULL;
}

static bool takes_file(const struct flag *flag)
{
    const struct flag *target = &flag_table[flag->target];

    return target->argument != ARGUMENT_NONE && strcmp(target->argument_name, "FILE") == 0;
}

static enum flag_argument argument_of(const struct flag *flag)
{
    return flag_table[flag->target].argument;
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void write_bash(struct output *output)
{
    output_text(output, "# bash completion for trawl\n"
                        "_trawl() {\n"
                        "    COMPREPLY=()\n"
                        "    [[ $2 == -* ]] || return 0 # a file name\n"
                        "    mapfile -t COMPREPLY < <(compgen -W '");
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];

        if (flag->letter != 0)
            output_format(output, "-%c ", flag->letter);
        if (flag->name != NULL)
            output_format(output, "--%s%s ", flag->name,
                          argument_of(flag) == ARGUMENT_REQUIRED ? "=" : "");
    }
    output_text(output, "' -- \"$2\")\n"
                        "    [[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n"
                        "    return 0\n"
                        "}\n"
                        "complete -o default -F _trawl trawl tg\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Prints text inside '...' of zsh, with a backslash before each of `special`. */
static void write_zsh_quoted(struct output *output, const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL)
            output_byte(output, '\\');
        if (*text == '\'')
            output_text(output, "'\\''");
        else
            output_byte(output, (uint8_t)*text);
    }
}

static void write_zsh_value(struct output *output, const struct flag *flag)
{
    const char *words = words_of(flag);

    output_text(output, argument_of(flag) == ARGUMENT_OPTIONAL ? "::" : ":");
    write_zsh_quoted(output, flag_table[flag->target].argument_name, ":\\");
    output_byte(output, ':');
    if (takes_file(flag))
        output_text(output, "_files");
    else if (words != NULL)
        output_format(output, "(%s)", words);
    else
        output_byte(output, ' ');
}

static void write_zsh(struct output *output)
{
    output_text(output, "#compdef trawl tg\n_arguments -s -S \\\n");
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];
        enum flag_argument argument = argument_of(flag);
        char letter[3] = {'-', flag->letter, '\0'};

        for (int long_form = 0; long_form <= 1; long_form++) {
            if (long_form ? flag->name == NULL : flag->letter == 0)
                continue;
            output_format(output, "  '*%s%s%s[", long_form ? "--" : letter,
                          long_form ? flag->name : "",
                          argument == ARGUMENT_NONE       ? ""
                          : !long_form                    ? "+"
                          : argument == ARGUMENT_OPTIONAL ? "=-"
                                                          : "=");
            write_zsh_quoted(output, flag_table[flag->target].summary, "[]\\");
            output_byte(output, ']');
            if (argument != ARGUMENT_NONE)
                write_zsh_value(output, flag);
            output_text(output, "' \\\n");
        }
    }
    output_text(output, "  '1:PATTERNS: ' \\\n  '*:FILE:_files'\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void write_fish_value(struct output *output, const struct flag *flag)
{
    const char *words = words_of(flag);

    if (argument_of(flag) == ARGUMENT_REQUIRED)
        output_text(output, takes_file(flag) ? " -r" : " -x");
    else if (argument_of(flag) == ARGUMENT_OPTIONAL)
        output_text(output, " -f");
    if (words != NULL)
        output_format(output, " -a '%s'", words);
}

static void write_fish(struct output *output)
{
    output_text(output, "complete -c tg -w trawl\n");
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];

        output_text(output, "complete -c trawl");
        if (flag->letter != 0)
            output_format(output, " -s %c", flag->letter);
        if (flag->name != NULL)
            output_format(output, " -l %s", flag->name);
        write_fish_value(output, flag);
        output_text(output, " -d '");
        for (const char *at = flag_table[flag->target].summary; *at != '\0'; at++) {
            if (*at == '\'' || *at == '\\')
                output_byte(output, '\\');
            output_byte(output, (uint8_t)*at);
        }
        output_text(output, "'\n");
    }
}

bool complete_write(struct output *output, const char *kind)
{
    if (strcmp(kind, "complete-bash") == 0)
        write_bash(output);
    else if (strcmp(kind, "complete-zsh") == 0)
        write_zsh(output);
    else if (strcmp(kind, "complete-fish") == 0)
        write_fish(output);
    else
        return false;
    return true;
}
