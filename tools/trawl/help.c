/* help: --help, the manual page and the completions, made from flags.def. */
#include "trawl/help.h"

#include <stdio.h>
#include <stdlib.h>

#include "trawl.h"
#include "trawl/flags.h"

#define SUMMARY_COLUMN 30

struct section {
    enum flag_category category;
    const char *title;
};

static const struct section sections[] = {
    {CATEGORY_PATTERN, "What to search for"},
    {CATEGORY_MISC, "Miscellaneous"},
    {CATEGORY_OUTPUT, "Output and files"},
    {CATEGORY_CONTEXT, "Context and colour"},
    {CATEGORY_BEYOND, "Beyond grep"},
    {CATEGORY_EXPERT, "For experts"},
    {CATEGORY_REFUSED, "Of grep, without use here"},
};

#define SECTION_COUNT (sizeof sections / sizeof sections[0])

static bool is_alias(const struct flag *flag)
{
    return flag->target != flag->id;
}

/* "-e, --regexp=PATTERNS" with every alias of the row; returns its width. */
static int write_usage(const struct flag *flag, char *text, size_t text_bytes)
{
    int used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++)
        if (flag_table[i].target == flag->id && flag_table[i].letter != 0)
            used += snprintf(text + used, text_bytes - (size_t)used, "%s-%c", used > 0 ? ", " : "",
                             flag_table[i].letter);
    if (used == 0)
        used += snprintf(text, text_bytes, "    ");
    for (size_t i = 0, named = 0; i < FLAG_COUNT_ALL; i++)
        if (flag_table[i].target == flag->id && flag_table[i].name != NULL)
            used += snprintf(text + used, text_bytes - (size_t)used, "%s--%s",
                             used > 4 || named++ > 0 || flag->letter != 0 ? ", " : "",
                             flag_table[i].name);
    if (flag->argument == ARGUMENT_OPTIONAL)
        used += snprintf(text + used, text_bytes - (size_t)used, "[=%s]", flag->argument_name);
    else if (flag->argument == ARGUMENT_REQUIRED)
        used += snprintf(text + used, text_bytes - (size_t)used, "=%s", flag->argument_name);
    return used;
}

void help_print(struct output *output)
{
    output_text(output, "Usage: trawl [OPTION]... PATTERNS [FILE]...\n"
                        "Search for PATTERNS, one or more strings parted by newlines, in each "
                        "FILE.\n"
                        "Example: trawl -i 'hello world' menu.h main.c\n");
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        output_text(output, "\n");
        output_text(output, sections[i].title);
        output_text(output, ":\n");
        for (size_t j = 0; j < FLAG_COUNT_ALL; j++) {
            const struct flag *flag = &flag_table[j];
            char usage[128];
            int width;

            if (flag->category != sections[i].category || is_alias(flag))
                continue;
            width = write_usage(flag, usage, sizeof usage);
            output_text(output, "  ");
            output_text(output, usage);
            if (width + 4 > SUMMARY_COLUMN) {
                output_text(output, "\n");
                width = -2;
            }
            for (; width + 2 < SUMMARY_COLUMN; width++)
                output_byte(output, ' ');
            output_text(output, flag->summary);
            output_text(output, "\n");
        }
        if (sections[i].category == CATEGORY_CONTEXT)
            output_text(output, "  -NUM                        same as --context=NUM\n");
    }
    output_text(output,
                "\nWhen FILE is '-', read standard input. With no FILE, read '.' if recursive, "
                "'-'\notherwise. With fewer than two FILEs, assume -h.\n"
                "Exit status is 0 if any line is selected, 1 otherwise; if any error occurs and "
                "-q\nis not given, the exit status is 2.\n");
}

/* Text for troff: hyphens and backslashes are not to be changed, lines not to be commands. */
static void write_troff(struct output *output, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-')
            output_text(output, "\\-");
        else if (*text == '\\')
            output_text(output, "\\e");
        else if (*text == '\'')
            output_text(output, "\\(aq");
        else
            output_byte(output, (uint8_t)*text);
    }
}

static void write_manual_flag(struct output *output, const struct flag *flag)
{
    char usage[128];
    const char *text = usage;

    write_usage(flag, usage, sizeof usage);
    while (*text == ' ')
        text++;
    output_text(output, ".TP\n.B ");
    write_troff(output, text);
    output_text(output, "\n");
    write_troff(output, flag->summary);
    output_text(output, ".\n");
    if (*flag->paragraph != '\0') {
        write_troff(output, flag->paragraph);
        output_text(output, "\n");
    }
}

static void write_manual(struct output *output)
{
    output_text(output, ".TH TRAWL 1 \"\" \"trawl " TRAWL_VERSION "\" \"User Commands\"\n"
                        ".SH NAME\ntrawl \\- search for strings in files of any size\n"
                        ".SH SYNOPSIS\n.B trawl\n[\\fIOPTION\\fR]... \\fIPATTERNS\\fR "
                        "[\\fIFILE\\fR]...\n"
                        ".SH DESCRIPTION\nPrints the lines of each FILE that hold one of the "
                        "strings in PATTERNS, which are parted\nby newlines. Options, output and "
                        "exit status are those of GNU grep \\-F; every core\nsearches, within one "
                        "file too. When FILE is \\-, standard input is read.\n.SH OPTIONS\n");
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        output_text(output, ".SS ");
        output_text(output, sections[i].title);
        output_text(output, "\n");
        for (size_t j = 0; j < FLAG_COUNT_ALL; j++)
            if (flag_table[j].category == sections[i].category && !is_alias(&flag_table[j]))
                write_manual_flag(output, &flag_table[j]);
    }
    output_text(output,
                ".SH EXIT STATUS\n0 if a line is selected, 1 if none is, 2 if an error "
                "occurred. With \\-q the status is 0 as soon\nas a line is selected, even if "
                "an error occurred before.\n"
                ".SH ENVIRONMENT\n.B LC_ALL, LC_CTYPE, LANG\nsay whether characters are bytes or "
                "UTF\\-8.\n.B GREP_COLORS\nsays the colours of \\-\\-color.\n.B POSIXLY_CORRECT\n"
                "makes the first operand end the options.\n"
                ".SH SEE ALSO\n.BR grep (1)\n");
}

static void write_complete_bash(struct output *output)
{
    output_text(output, "# bash completion for trawl\n_trawl() {\n"
                        "    local current=${COMP_WORDS[COMP_CWORD]}\n"
                        "    if [[ $current == -* ]]; then\n"
                        "        COMPREPLY=($(compgen -W '");
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];

        if (flag->letter != 0) {
            output_byte(output, '-');
            output_byte(output, (uint8_t)flag->letter);
            output_byte(output, ' ');
        }
        if (flag->name != NULL) {
            output_text(output, "--");
            output_text(output, flag->name);
            output_text(output,
                        flag_table[flag->target].argument == ARGUMENT_REQUIRED ? "= " : " ");
        }
    }
    output_text(output, "' -- \"$current\"))\n"
                        "        [[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n"
                        "    else\n        COMPREPLY=($(compgen -f -- \"$current\"))\n    fi\n}\n"
                        "complete -o filenames -F _trawl trawl\n");
}

/* Inside '...' and [...] of zsh, inside '...' of fish. */
static void write_quoted(struct output *output, const char *text, const char *special)
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

static void write_complete_zsh(struct output *output)
{
    output_text(output, "#compdef trawl\n_arguments -s -S \\\n");
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];
        const struct flag *target = &flag_table[flag->target];
        char letter[3] = {'-', flag->letter, '\0'};

        for (int long_form = 0; long_form <= 1; long_form++) {
            if (long_form ? flag->name == NULL : flag->letter == 0)
                continue;
            output_text(output, "  '*");
            output_text(output, long_form ? "--" : letter);
            output_text(output, long_form ? flag->name : "");
            if (target->argument != ARGUMENT_NONE)
                output_text(output, !long_form                              ? "+"
                                    : target->argument == ARGUMENT_OPTIONAL ? "=-"
                                                                            : "=");
            output_byte(output, '[');
            write_quoted(output, target->summary, "[]\\");
            output_byte(output, ']');
            if (target->argument != ARGUMENT_NONE) {
                output_text(output, target->argument == ARGUMENT_OPTIONAL ? "::" : ":");
                output_text(output, target->argument_name);
                output_text(output, strcmp(target->argument_name, "FILE") == 0 ? ":_files" : ": ");
            }
            output_text(output, "' \\\n");
        }
    }
    output_text(output, "  '1:PATTERNS: ' \\\n  '*:FILE:_files'\n");
}

static void write_complete_fish(struct output *output)
{
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];
        const struct flag *target = &flag_table[flag->target];

        output_text(output, "complete -c trawl");
        if (flag->letter != 0) {
            output_text(output, " -s ");
            output_byte(output, (uint8_t)flag->letter);
        }
        if (flag->name != NULL) {
            output_text(output, " -l ");
            output_text(output, flag->name);
        }
        if (target->argument == ARGUMENT_REQUIRED)
            output_text(output, strcmp(target->argument_name, "FILE") == 0 ? " -r" : " -x");
        output_text(output, " -d '");
        for (const char *at = target->summary; *at != '\0'; at++) {
            if (*at == '\'' || *at == '\\')
                output_byte(output, '\\');
            output_byte(output, (uint8_t)*at);
        }
        output_text(output, "'\n");
    }
}

bool help_generate(struct output *output, const char *kind)
{
    if (strcmp(kind, "man") == 0)
        write_manual(output);
    else if (strcmp(kind, "complete-bash") == 0)
        write_complete_bash(output);
    else if (strcmp(kind, "complete-zsh") == 0)
        write_complete_zsh(output);
    else if (strcmp(kind, "complete-fish") == 0)
        write_complete_fish(output);
    else
        return false;
    return true;
}
