/* help: prints --help and the manual page, made from flags.def; complete.c prints the
 * completions. */
#include "trawl/options/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl.h"
#include "trawl/options/complete.h"
#include "trawl/options/flags.h"

#define SUMMARY_COLUMN 30 /* column in which summaries begin */
#define HELP_COLUMNS 80   /* longest line of --help */

struct section {
    enum flag_category category;
    const char *title;
};

static const struct section sections[] = {
    {CATEGORY_PATTERN, "What to search for"},
    {CATEGORY_MISC, "Miscellaneous"},
    {CATEGORY_OUTPUT, "Output and files"},
    {CATEGORY_CONTEXT, "Context and colour"},
    {CATEGORY_LAYOUT, "How results look (ripgrep's options)"},
    {CATEGORY_FILES, "Which files to search in directories (ripgrep's options)"},
    {CATEGORY_BEYOND, "Beyond grep"},
    {CATEGORY_ERRORS, "With errors, and in FASTA files"},
    {CATEGORY_EXPERT, "For experts"},
    {CATEGORY_REFUSED, "grep's options without effect here"},
};

#define SECTION_COUNT (sizeof sections / sizeof sections[0])

static bool is_alias(const struct flag *flag)
{
    return flag->target != flag->id;
}

/* Writes the usage, such as "-e, --regexp=PATTERNS", with all aliases of the row. Returns the
 * width. If `tg`, writes the options as tg has them. */
static int write_usage(const struct flag *flag, bool tg, char *text, size_t text_bytes)
{
    enum flag_argument argument = flag_takes(flag, tg);
    int used = 0;

    text[0] = '\0';
    for (int letter = '!'; letter <= '~'; letter++) {
        const struct flag *meant = flag_of_letter((char)letter, tg);

        if (meant != NULL && meant->target == flag->id)
            used += snprintf(text + used, text_bytes - (size_t)used, "%s-%c", used > 0 ? ", " : "",
                             letter);
    }
    if (used == 0)
        used += snprintf(text, text_bytes, "    ");
    for (size_t i = 0, named = 0; i < FLAG_COUNT_ALL; i++)
        if (flag_table[i].target == flag->id && flag_table[i].name != NULL)
            used +=
                snprintf(text + used, text_bytes - (size_t)used, "%s--%s",
                         used > 4 || named++ > 0 || text[0] == '-' ? ", " : "", flag_table[i].name);
    if (argument == ARGUMENT_OPTIONAL)
        used += snprintf(text + used, text_bytes - (size_t)used, "[=%s]", flag->argument_name);
    else if (argument == ARGUMENT_REQUIRED)
        used += snprintf(text + used, text_bytes - (size_t)used, "=%s", flag->argument_name);
    return used;
}

/* Prints a summary starting at SUMMARY_COLUMN, broken into lines. */
static void write_summary(struct output *output, const char *text)
{
    const size_t room = HELP_COLUMNS - SUMMARY_COLUMN;

    while (strlen(text) > room) {
        size_t taken = room;

        while (taken > 0 && text[taken] != ' ')
            taken--;
        if (taken == 0)
            break; /* a word is longer than a line */
        output_format(output, "%.*s\n%*s", (int)taken, text, SUMMARY_COLUMN, "");
        text += taken + 1;
    }
    output_format(output, "%s\n", text);
}

/* Prints an option's usage and summary. */
static void write_row(struct output *output, const struct flag *flag, bool tg)
{
    char usage[128];
    int width = write_usage(flag, tg, usage, sizeof usage);

    if (usage[strspn(usage, " ")] == '\0')
        return; /* tg has no letter for the option */
    output_format(output, "  %s", usage);
    if (width + 4 > SUMMARY_COLUMN) {
        output_text(output, "\n");
        width = -2;
    }
    output_format(output, "%*s", SUMMARY_COLUMN - 2 - width, "");
    write_summary(output, flag->summary);
}

#define MOST_USED 16

void help_print_short(struct output *output, bool tg)
{
    static const enum flag_id most_used[2][MOST_USED] = {
        {FLAG_REGEXP, FLAG_FILE, FLAG_IGNORE_CASE, FLAG_WORDS, FLAG_INVERT, FLAG_RECURSIVE,
         FLAG_LINE_NUMBER, FLAG_FILES_WITH_MATCHES, FLAG_COUNT, FLAG_ONLY_MATCHING, FLAG_MAX_COUNT,
         FLAG_QUIET, FLAG_AROUND, FLAG_TEXT, FLAG_PRETTY, FLAG_JSON},
        {FLAG_REGEXP, FLAG_IGNORE_CASE, FLAG_SMART_CASE, FLAG_WORDS, FLAG_INVERT,
         FLAG_FILES_WITH_MATCHES, FLAG_COUNT, FLAG_ONLY_MATCHING, FLAG_AROUND, FLAG_GLOB, FLAG_TYPE,
         FLAG_HIDDEN, FLAG_NO_IGNORE, FLAG_REPLACE, FLAG_DEBUG, FLAG_JSON}};
    const char *name = tg ? "tg" : "trawl";

    output_text(
        output,
        tg ? "Usage: tg [OPTION]... PATTERNS [PATH]...\n"
             "Print the lines that match one of PATTERNS, regular expressions (-F: strings),\n"
             "of the files below each PATH, without ignored, hidden and binary files.\n\n"
           : "Usage: trawl [OPTION]... PATTERNS [FILE]...\n"
             "Print the lines of each FILE that hold one of the strings in PATTERNS.\n\n");
    for (size_t i = 0; i < MOST_USED; i++)
        write_row(output, &flag_table[most_used[tg][i]], tg);
    output_format(output,
                  "\n'%s --help-long' has a line for every option, 'man %s' explains them.\n"
                  "Status: 0 if a line is selected, 1 if none is, 2 after an error.\n",
                  name, name);
}

void help_print(struct output *output, bool tg)
{
    output_text(output,
                tg ? "Usage: tg [OPTION]... PATTERNS [PATH]...\n"
                     "Search for PATTERNS, regular expressions (with -F strings) on lines of "
                     "their\nown, in the files below each PATH.\n"
                     "Example: tg -i 'hello world' src\n"
                   : "Usage: trawl [OPTION]... PATTERNS [FILE]...\n"
                     "Search for PATTERNS, one or more strings on lines of their own, in "
                     "each FILE.\n"
                     "Example: trawl -i 'hello world' menu.h main.c\n");
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        output_format(output, "\n%s:\n", sections[i].title);
        for (size_t j = 0; j < FLAG_COUNT_ALL; j++) {
            const struct flag *flag = &flag_table[j];

            if (flag->category == sections[i].category && !is_alias(flag))
                write_row(output, flag, tg);
        }
        if (sections[i].category == CATEGORY_CONTEXT)
            output_text(output, "  -NUM                        same as --context=NUM\n");
    }
    output_text(
        output,
        tg ? "\nWhen PATH is '-', read standard input. With no PATH, read standard input "
             "if it\nis a pipe or a file, '.' otherwise.\n"
           : "\nWhen FILE is '-', read standard input. With no FILE, read '.' if recursive,\n"
             "'-' otherwise. With fewer than two FILEs, assume -h.\n");
    output_text(output,
                "Exit status is 0 if any line is selected, 1 otherwise; if any error occurs and\n"
                "-q is not given, the exit status is 2.\n");
}

void help_troff(struct output *output, const char *text)
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

static void write_manual_flag(struct output *output, const struct flag *flag, bool tg)
{
    char usage[128];
    const char *text = usage;

    write_usage(flag, tg, usage, sizeof usage);
    text += strspn(text, " ");
    if (*text == '\0')
        return;
    output_text(output, ".TP\n.B ");
    help_troff(output, text);
    output_text(output, "\n");
    help_troff(output, flag->summary);
    output_text(output, ".\n");
    if (*flag->paragraph != '\0') {
        help_troff(output, flag->paragraph);
        output_text(output, "\n");
    }
}

static const char head_of_trawl[] =
    ".TH TRAWL 1 \"\" \"trawl " TRAWL_VERSION "\" \"User Commands\"\n"
    ".SH NAME\ntrawl \\- search for strings in files of any size\n"
    ".SH SYNOPSIS\n.B trawl\n[\\fIOPTION\\fR]... \\fIPATTERNS\\fR [\\fIFILE\\fR]...\n"
    ".SH DESCRIPTION\nPrints the lines of each FILE that hold one of the strings in PATTERNS, "
    "which "
    "are separated\nby newlines. Options, output and exit status are those of GNU grep \\-F; every "
    "core\nsearches, within one file too. When FILE is \\-, standard input is read.\n.SH OPTIONS\n";

static const char head_of_tg[] =
    ".TH TG 1 \"\" \"trawl " TRAWL_VERSION "\" \"User Commands\"\n"
    ".SH NAME\ntg \\- search for regular expressions in the files of a directory\n"
    ".SH SYNOPSIS\n.B tg\n[\\fIOPTION\\fR]... \\fIPATTERNS\\fR [\\fIPATH\\fR]...\n"
    ".SH DESCRIPTION\nPrints the lines that match one of the PATTERNS:\n"
    "of each file that is named, and of the files below each directory. Without a PATH "
    "it "
    "reads\nstandard input if that is a pipe or a file, else it searches the working directory. "
    "Patterns\nare regular expressions; with \\-F strings.\n.PP\nIt is trawl by another name, with "
    "the "
    "rules "
    "and letters of ripgrep: below directories it leaves\nout what ignore files name, hidden "
    "files, and "
    "binary files, which are those with a NUL byte.\nA byte order mark of UTF\\-16 is obeyed. On a "
    "terminal it prints colours, headings and line\nnumbers.\n.SH OPTIONS\n";

static void write_manual(struct output *output, bool tg)
{
    output_text(output, tg ? head_of_tg : head_of_trawl);
    for (size_t i = 0; i < SECTION_COUNT; i++) {
        output_format(output, ".SS %s\n", sections[i].title);
        for (size_t j = 0; j < FLAG_COUNT_ALL; j++)
            if (flag_table[j].category == sections[i].category && !is_alias(&flag_table[j]))
                write_manual_flag(output, &flag_table[j], tg);
    }
    output_text(output,
                ".SH EXIT STATUS\n0 if a line is selected, 1 if none is, 2 if an error "
                "occurred. With \\-q the status is 0 as soon\nas a line is selected, even if "
                "an error occurred before.\n"
                ".SH ENVIRONMENT\n.B LC_ALL, LC_CTYPE, LANG\nsay what characters the texts are "
                "made of.\n.B GREP_COLORS\nsays the colours of \\-\\-color.\n.B NO_COLOR\nturns "
                "\\-\\-color=auto off.\n.B TRAWL_CONFIG_PATH\nnames the file of options; empty: "
                "none. See \\-\\-no\\-config.\n.B TRAWL_SERVER, TRAWL_TOKEN_FILE\n"
                "name a server and a file with its token. See \\-\\-server.\n.B POSIXLY_CORRECT\n"
                "makes the first operand end the options.\n"
                ".SH SEE ALSO\n");
    output_text(output, tg ? ".BR trawl (1),\n.BR rg (1)\n" : ".BR tg (1),\n.BR grep (1)\n");
}

bool help_generate(struct output *output, const char *kind)
{
    bool tg = strcmp(kind, "man-tg") == 0;

    if (!tg && strcmp(kind, "man") != 0)
        return complete_write(output, kind);
    write_manual(output, tg);
    return true;
}
