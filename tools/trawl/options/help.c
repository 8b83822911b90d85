/* help: prints --help, the manual page and the completions, made from flags.def and manual.def. */
#include "trawl/options/help.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trawl.h"
#include "trawl/options/flag_table.h"
#include "trawl/text/output.h"

/* ---- Completions ----------------------------------------------------------------------------- */

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

#define SUMMARY_COLUMN 30 /* column in which summaries begin */
#define HELP_COLUMNS 80   /* longest line of --help */

static const char *const titles[CATEGORY_COUNT] = {
    [CATEGORY_PATTERN] = "What to search for",
    [CATEGORY_MISC] = "Miscellaneous",
    [CATEGORY_OUTPUT] = "Output and files",
    [CATEGORY_CONTEXT] = "Context and colour",
    [CATEGORY_LAYOUT] = "Matching and output (ripgrep's options)",
    [CATEGORY_FILES] = "Which files to search in directories (ripgrep's options)",
    [CATEGORY_BEYOND] = "Beyond grep",
    [CATEGORY_ERRORS] = "With errors, and in FASTA files",
    [CATEGORY_EXPERT] = "For experts",
    [CATEGORY_REFUSED] = "grep's options without effect here",
};

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

void help_wrap(struct output *output, const char *text, int indent)
{
    const size_t room = (size_t)(HELP_COLUMNS - indent);

    while (strlen(text) > room) {
        size_t taken = room;

        while (taken > 0 && text[taken] != ' ')
            taken--;
        if (taken == 0)
            taken = strcspn(text, " "); /* a word is longer than a line */
        if (text[taken] == '\0')
            break;
        output_format(output, "%.*s\n%*s", (int)taken, text, indent, "");
        text += taken + 1;
    }
    output_format(output, "%s\n", text);
}

enum page { PAGE_BOTH, PAGE_TRAWL, PAGE_TG };
enum manual_kind { MANUAL_TEXT, MANUAL_RUN, MANUAL_LINE, MANUAL_INPUT };

static const struct manual_row {
    enum manual_kind kind;
    enum flag_id flag; /* not of MANUAL_INPUT */
    enum page page;
    const char *text;   /* a paragraph, a command, a line or the name of a file */
    const char *output; /* what the command prints, or the content of the file; else NULL */
} manual_rows[] = {
#define TEXT(id, page, text) {MANUAL_TEXT, FLAG_##id, PAGE_##page, text, NULL},
#define RUN(id, page, command, output) {MANUAL_RUN, FLAG_##id, PAGE_##page, command, output},
#define CLAIM(id, page, command, output)
#define LINE(id, line) {MANUAL_LINE, FLAG_##id, PAGE_TG, line, NULL},
#define INPUT(name, content) {MANUAL_INPUT, FLAG_COUNT_ALL, PAGE_BOTH, name, content},
#include "trawl/options/manual.def"
#undef TEXT
#undef RUN
#undef CLAIM
#undef LINE
#undef INPUT
};
#define MANUAL_ROWS (sizeof manual_rows / sizeof *manual_rows)

/* Returns the option's line in the documents of tg, or of trawl. */
static const char *summary_of(const struct flag *flag, bool tg)
{
    for (size_t i = 0; tg && i < MANUAL_ROWS; i++)
        if (manual_rows[i].kind == MANUAL_LINE && manual_rows[i].flag == flag->id)
            return manual_rows[i].text;
    return flag->summary;
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
    help_wrap(output, summary_of(flag, tg), SUMMARY_COLUMN);
}

/* Returns true if the option only undoes another, or does nothing. */
static bool is_undo(const struct flag *flag, bool tg)
{
    const char *summary = summary_of(flag, tg);

    return strncmp(summary, "undo ", 5) == 0 || strncmp(summary, "accepted and ignored", 20) == 0;
}

/* Lists the options that only undo others, or do nothing: their rows would hide the others'. */
static void write_undo(struct output *output, bool tg)
{
    char list[2048];
    int used = 0;

    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        char usage[128];

        if (is_alias(&flag_table[i]) || !is_undo(&flag_table[i], tg))
            continue;
        write_usage(&flag_table[i], tg, usage, sizeof usage);
        if (usage[strspn(usage, " ")] != '\0')
            used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", used > 0 ? ", " : "",
                             usage + strspn(usage, " "));
    }
    output_text(output, "\nUndo another option, or are accepted and ignored:\n  ");
    help_wrap(output, list, 2);
}

#define MOST_USED 17

void help_print_short(struct output *output, bool tg)
{
    static const enum flag_id max_used[2][MOST_USED] = {
        {FLAG_REGEXP, FLAG_FILE, FLAG_EXTENDED, FLAG_IGNORE_CASE, FLAG_WORDS, FLAG_INVERT,
         FLAG_RECURSIVE, FLAG_LINE_NUMBER, FLAG_FILES_WITH_MATCHES, FLAG_COUNT,
         FLAG_COUNT_BY_PATTERN, FLAG_ONLY_MATCHING, FLAG_AROUND, FLAG_SEARCH_ZIP, FLAG_MISMATCHES,
         FLAG_FASTA, FLAG_JSON},
        {FLAG_REGEXP, FLAG_IGNORE_CASE, FLAG_SMART_CASE, FLAG_WORDS, FLAG_INVERT,
         FLAG_FILES_WITH_MATCHES, FLAG_COUNT, FLAG_ONLY_MATCHING, FLAG_AROUND, FLAG_GLOB, FLAG_TYPE,
         FLAG_HIDDEN, FLAG_NO_IGNORE, FLAG_REPLACE, FLAG_MULTILINE, FLAG_DEBUG, FLAG_JSON}};
    const char *name = tg ? "tg" : "trawl";

    output_text(
        output,
        tg ? "Usage: tg [OPTION]... PATTERNS [PATH]...\n"
             "In the files below each PATH, print the lines that match one of PATTERNS, which\n"
             "are regular expressions (-F: strings). Skip ignored, hidden and binary files.\n\n"
           : "Usage: trawl [OPTION]... PATTERNS [FILE]...\n"
             "Print the lines of each FILE that contain one of the strings in PATTERNS.\n\n");
    for (size_t i = 0; i < MOST_USED; i++)
        write_row(output, &flag_table[max_used[tg][i]], tg);
    output_format(output,
                  "\n'%s --help-long' has a line for every option, 'man %s' explains them.\n"
                  "Status: 0 if a line is selected, 1 if none is, 2 after an error.\n",
                  name, name);
}

void help_print(struct output *output, bool tg)
{
    output_text(output,
                tg ? "Usage: tg [OPTION]... PATTERNS [PATH]...\n"
                     "Search for PATTERNS, each a regular expression (with -F a string), in the "
                     "files\nbelow each PATH.\n"
                     "Example: tg -i 'hello world' src\n"
                   : "Usage: trawl [OPTION]... PATTERNS [FILE]...\n"
                     "Search for PATTERNS, one or more strings on lines of their own, in "
                     "each FILE.\n"
                     "Example: trawl -i 'hello world' menu.h main.c\n");
    for (size_t i = 0; i < CATEGORY_COUNT; i++) {
        bool is_begun = false;

        for (size_t j = 0; j < FLAG_COUNT_ALL; j++) {
            const struct flag *flag = &flag_table[j];

            if (flag->category != i || is_alias(flag) || is_undo(flag, tg))
                continue;
            if (!is_begun)
                output_format(output, "\n%s:\n", titles[i]);
            is_begun = true;
            write_row(output, flag, tg);
        }
        if (i == CATEGORY_CONTEXT)
            output_text(output, "  -NUM                        same as --context=NUM\n");
    }
    write_undo(output, tg);
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

/* Prints lines as they are. */
static void write_verbatim(struct output *output, const char *text)
{
    char line[128];

    for (; *text != '\0'; text += strcspn(text, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        output_text(output, *line == '.' ? "\\&" : "");
        help_troff(output, line);
        output_text(output, "\n");
        if (text[strcspn(text, "\n")] == '\0')
            break;
    }
}

/* Prints an example: the command, with its name for {}, and what it prints. */
static void write_run(struct output *output, const struct manual_row *row, bool tg)
{
    const char *at = row->text;

    output_text(output, ".IP\n.nf\n$ ");
    for (const char *name; (name = strstr(at, "{}")) != NULL; at = name + 2) {
        char before[128];

        snprintf(before, sizeof before, "%.*s", (int)(name - at), at);
        help_troff(output, before);
        output_text(output, tg ? "tg" : "trawl");
    }
    help_troff(output, at);
    output_text(output, "\n");
    write_verbatim(output, row->output);
    output_text(output, ".fi\n");
}

static void write_manual_flag(struct output *output, const struct flag *flag, bool tg)
{
    char usage[128];
    const char *text = usage;
    bool is_first = true;

    write_usage(flag, tg, usage, sizeof usage);
    text += strspn(text, " ");
    if (*text == '\0')
        return;
    output_text(output, ".TP\n.B ");
    help_troff(output, text);
    output_text(output, "\n");
    help_troff(output, summary_of(flag, tg));
    output_text(output, ".\n");
    for (size_t i = 0; i < MANUAL_ROWS; i++) {
        const struct manual_row *row = &manual_rows[i];

        if (row->flag != flag->id || row->page == (tg ? PAGE_TRAWL : PAGE_TG))
            continue;
        if (row->kind == MANUAL_TEXT) {
            output_text(output, is_first ? "" : ".IP\n");
            help_troff(output, row->text);
            output_text(output, "\n");
            is_first = false;
        } else if (row->kind == MANUAL_RUN) {
            write_run(output, row, tg);
        }
    }
}

static const char head_of_trawl[] =
    ".TH TRAWL 1 \"\" \"trawl " TRAWL_VERSION "\" \"User Commands\"\n"
    ".SH NAME\ntrawl \\- search for strings in files of any size\n"
    ".SH SYNOPSIS\n.B trawl\n[\\fIOPTION\\fR]... \\fIPATTERNS\\fR [\\fIFILE\\fR]...\n"
    ".SH DESCRIPTION\nPrints the lines of each FILE that contain one of the strings in PATTERNS, "
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

static void write_examples(struct output *output, bool tg)
{
    static const struct {
        const char *command, *what;
    } examples[2][4] = {
        {{"trawl -rn --include='*.py' 'import os' .", "Lines of Python files, with their numbers."},
         {"trawl -c -w -f blocked.txt access.log", "How many lines have a name of a list."},
         {"trawl --search-zip -E 'error|warning' *.gz", "Lines of compressed files."},
         {"trawl --fasta --reverse-complement --mismatches=2 GATTACA genome.fa",
          "Sites of a sequence on both strands."}},
        {{"tg -t py '^import (os|sys)'", "Lines of Python files below the working directory."},
         {"tg -l -e TODO -e FIXME src", "The files that have one of two words."},
         {"tg -U 'struct \\w+ \\{\\n *int' src", "Matches that cross a line end."},
         {"tg -o 'v(\\d+)' -r '$1' notes.txt", "What a group of each match contains."}}};

    output_text(output, ".SH EXAMPLES\n");
    output_text(output, "The examples of the options search these files; d is an empty folder.\n");
    for (size_t i = 0; i < MANUAL_ROWS; i++)
        if (manual_rows[i].kind == MANUAL_INPUT && *manual_rows[i].output != '\0') {
            output_format(output, ".TP\n.I %s\n.nf\n", manual_rows[i].text);
            write_verbatim(output, manual_rows[i].output);
            output_text(output, ".fi\n");
        }
    output_text(output, ".PP\nOthers:\n");
    for (size_t i = 0; i < sizeof examples[0] / sizeof *examples[0]; i++) {
        output_text(output, ".TP\n.B ");
        help_troff(output, examples[tg][i].command);
        output_format(output, "\n%s\n", examples[tg][i].what);
    }
}

static void write_manual(struct output *output, bool tg)
{
    output_text(output, tg ? head_of_tg : head_of_trawl);
    for (size_t i = 0; i < CATEGORY_COUNT; i++) {
        output_format(output, ".SS %s\n", titles[i]);
        for (size_t j = 0; j < FLAG_COUNT_ALL; j++)
            if (flag_table[j].category == i && !is_alias(&flag_table[j]))
                write_manual_flag(output, &flag_table[j], tg);
    }
    output_text(output,
                ".SH EXIT STATUS\n0 if a line is selected, 1 if none is, 2 if an error "
                "occurred. With \\-q the status is 0 as soon\nas a line is selected, even if "
                "an error occurred before.\n"
                ".SH ENVIRONMENT\n");
    if (!tg)
        output_text(output,
                    ".B LC_ALL, LC_CTYPE, LANG\nsay what characters the texts are made of.\n"
                    ".B GREP_COLORS\nsays the colours of \\-\\-color.\n");
    output_text(output,
                ".B NO_COLOR\nturns "
                "\\-\\-color=auto off.\n.B TRAWL_CONFIG_PATH\nnames the file of options; empty: "
                "none. See \\-\\-no\\-config.\n.B RIPGREP_CONFIG_PATH\nnames another, for tg "
                "alone.\n.B TRAWL_SERVER, TRAWL_TOKEN_FILE\n"
                "name a server and a file with its token. See \\-\\-server.\n.B POSIXLY_CORRECT\n"
                "makes the first operand end the options.\n"
                ".SH FILES\n.TP\n.I ~/.config/trawl/config\noptions that come before those of the "
                "command line; see \\-\\-no\\-config\n.TP\n.I .gitignore, .ignore, .rgignore\n"
                "rules for the files of a folder, in it or above it (");
    output_text(output, tg ? "without \\-\\-no\\-ignore" : "with \\-\\-ignore");
    output_text(output, "); git has more:\n.I .git/info/exclude\nand core.excludesFile\n");
    write_examples(output, tg);
    output_text(output, ".SH SEE ALSO\n");
    output_text(output, tg ? ".BR trawl (1),\n.BR rg (1)\n"
                           : ".BR tg (1),\n.BR trawl\\-serve (1),\n.BR grep (1)\n");
}

bool help_generate(struct output *output, const char *kind)
{
    if (strcmp(kind, "man") == 0 || strcmp(kind, "man-tg") == 0)
        write_manual(output, kind[3] != '\0');
    else if (strcmp(kind, "complete-bash") == 0)
        write_bash(output);
    else if (strcmp(kind, "complete-zsh") == 0)
        write_zsh(output);
    else if (strcmp(kind, "complete-fish") == 0)
        write_fish(output);
    else
        return false;
    return true;
}
