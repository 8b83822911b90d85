/* complete: what bash, zsh and fish offer after `trawl`: options from flags.def, values of options
 * from the table below, and otherwise file names. */
#include "trawl/complete.h"

#include <string.h>

#include "trawl/flags.h"

/* What the shell offers as an option's value: words, the output of a command, file names, or
 * nothing. */
enum offer { OFFER_NOTHING, OFFER_FILES, OFFER_WORDS, OFFER_COMMAND };

static const struct values {
    enum flag_id flag;
    enum offer offer;
    const char *words;
} value_table[] = {
    {FLAG_BINARY_FILES, OFFER_WORDS, "binary text without-match"},
    {FLAG_DIRECTORIES, OFFER_WORDS, "read recurse skip"},
    {FLAG_DEVICES, OFFER_WORDS, "read skip"},
    {FLAG_COLOR, OFFER_WORDS, "always never auto"},
    {FLAG_ALPHABET, OFFER_WORDS, "bytes utf8 dna"},
    {FLAG_MATRIX, OFFER_WORDS, "sparse tsv jsonl"},
    {FLAG_ENCODING, OFFER_WORDS, "auto none utf-8 utf-16 utf-16le utf-16be iso-8859-1 gb18030"},
    {FLAG_ESCAPE_CONTROLS, OFFER_WORDS, "auto always never"},
    {FLAG_HYPERLINK_FORMAT, OFFER_WORDS,
     "default none file kitty vscode vscode-insiders vscodium emacs grep+ textmate macvim"},
    {FLAG_MAX_COLUMNS_PREVIEW, OFFER_WORDS, "start match"},
    {FLAG_TYPE, OFFER_COMMAND, "trawl --type-list 2>/dev/null | cut -d : -f 1"},
    {FLAG_TYPE_NOT, OFFER_COMMAND, "trawl --type-list 2>/dev/null | cut -d : -f 1"},
    {FLAG_TYPE_CLEAR, OFFER_COMMAND, "trawl --type-list 2>/dev/null | cut -d : -f 1"},
    {FLAG_SORT, OFFER_WORDS, "none path modified accessed created"},
    {FLAG_SORT_BACKWARDS, OFFER_WORDS, "none path modified accessed created"},
    {FLAG_ENGINE, OFFER_WORDS, "auto cpu cuda"},
    {FLAG_METHOD, OFFER_WORDS, &METHOD_WORDS[1]},
    {FLAG_INSTRUCTION_SET, OFFER_COMMAND,
     "trawl --version 2>/dev/null | sed -n \"s/^instruction sets: //p\" | tr -d , | xargs -n 1"},
    {FLAG_GENERATE, OFFER_WORDS, "man complete-bash complete-zsh complete-fish"},
    {FLAG_ALGORITHM, OFFER_COMMAND, "trawl --list-algorithms 2>/dev/null | cut -d \" \" -f 1"},
};

/* Returns what the shell offers as the option's value: a row of value_table, files, or nothing. */
static struct values values_of(const struct flag *flag)
{
    const struct flag *target = &flag_table[flag->target];
    struct values values = {target->id, OFFER_NOTHING, ""};

    for (size_t i = 0; i < sizeof value_table / sizeof *value_table; i++)
        if (value_table[i].flag == target->id)
            return value_table[i];
    if (target->argument != ARGUMENT_NONE && strcmp(target->argument_name, "FILE") == 0)
        values.offer = OFFER_FILES;
    return values;
}

static enum flag_argument argument_of(const struct flag *flag)
{
    return flag_table[flag->target].argument;
}

/* ---- bash ------------------------------------------------------------------------------------ */

/* Prints the patterns of a case: "-d
 * --directories
 * --directories=". */
static void write_bash_names(struct output *output, const struct flag *flag)
{
    bool required = argument_of(flag) == ARGUMENT_REQUIRED;

    if (required && flag->letter != 0) {
        output_byte(output, '-');
        output_byte(output, (uint8_t)flag->letter);
        output_text(output, flag->name != NULL ? "|" : "");
    }
    if (required && flag->name != NULL) {
        output_text(output, "--");
        output_text(output, flag->name);
        output_byte(output, '|');
    }
    if (flag->name != NULL) {
        output_text(output, "--");
        output_text(output, flag->name);
        output_byte(output, '=');
    }
}

/* Prints the branches of bash's `case` that complete an option's value. */
static void write_bash_values(struct output *output)
{
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];
        struct values values = values_of(flag);

        if (argument_of(flag) == ARGUMENT_NONE)
            continue;
        output_text(output, "        ");
        write_bash_names(output, flag);
        output_text(output, ")");
        if (values.offer == OFFER_FILES) {
            output_text(output, " _trawl_offer -f");
        } else if (values.offer == OFFER_WORDS) {
            output_text(output, " _trawl_offer -W '");
            output_text(output, values.words);
            output_text(output, "'");
        } else if (values.offer == OFFER_COMMAND) {
            output_text(output, " _trawl_offer -W \"$(");
            output_text(output, values.words);
            output_text(output, ")\"");
        }
        output_text(output, values.offer == OFFER_NOTHING ? " return ;;\n" : "; return ;;\n");
    }
}

static void write_bash(struct output *output)
{
    output_text(output, "# bash completion for trawl\n"
                        "# Words that complete, one a line, so that names may hold blanks.\n"
                        "_trawl_offer() {\n"
                        "    local word\n"
                        "    while IFS= read -r word; do\n"
                        "        COMPREPLY+=(\"$word\")\n"
                        "    done < <(compgen \"$@\" -- \"$current\")\n"
                        "}\n"
                        "_trawl() {\n"
                        "    local current=${COMP_WORDS[COMP_CWORD]} option word\n"
                        "    COMPREPLY=()\n"
                        "    option=${COMP_WORDS[COMP_CWORD - 1]}\n"
                        "    # Readline cuts words at '=': --color=al comes as --color, =, al.\n"
                        "    if [[ $current == = ]]; then\n"
                        "        option+='=' current=\n"
                        "    elif [[ $option == = && $COMP_CWORD -ge 2 ]]; then\n"
                        "        option=${COMP_WORDS[COMP_CWORD - 2]}=\n"
                        "    elif [[ $current == --*=* ]]; then\n"
                        "        option=${current%%=*}= current=${current#*=}\n"
                        "    fi\n"
                        "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD - 1}\"; do\n"
                        "        [[ $word == -- ]] && option=-- # what follows are operands\n"
                        "    done\n"
                        "    case $option in\n"
                        "        --) _trawl_offer -f; return ;;\n");
    write_bash_values(output);
    output_text(output, "    esac\n"
                        "    if [[ $current != -* ]]; then\n"
                        "        _trawl_offer -f\n"
                        "        return\n"
                        "    fi\n"
                        "    _trawl_offer -W '");
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
            output_text(output, argument_of(flag) == ARGUMENT_REQUIRED ? "= " : " ");
        }
    }
    output_text(output, "'\n"
                        "    [[ ${COMPREPLY-} == *= ]] && compopt -o nospace\n"
                        "    return 0\n"
                        "}\n"
                        "complete -o filenames -F _trawl trawl tg\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Prints text inside '...' and [...] of zsh. */
static void write_zsh_quoted(struct output *output, const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("[]\\", *text) != NULL)
            output_byte(output, '\\');
        if (*text == '\'')
            output_text(output, "'\\''");
        else
            output_byte(output, (uint8_t)*text);
    }
}

static void write_zsh_value(struct output *output, const struct flag *flag)
{
    struct values values = values_of(flag);

    output_text(output, argument_of(flag) == ARGUMENT_OPTIONAL ? "::" : ":");
    output_text(output, flag_table[flag->target].argument_name);
    output_byte(output, ':');
    if (values.offer == OFFER_FILES) {
        output_text(output, "_files");
    } else if (values.offer == OFFER_WORDS) {
        output_byte(output, '(');
        output_text(output, values.words);
        output_byte(output, ')');
    } else if (values.offer == OFFER_COMMAND) {
        output_text(output, "{compadd -- $(");
        for (const char *at = values.words; *at != '\0'; at++) {
            if (*at == ':') /* an unescaped colon would end the action */
                output_byte(output, '\\');
            output_byte(output, (uint8_t)*at);
        }
        output_text(output, ")}");
    } else {
        output_byte(output, ' ');
    }
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
            output_text(output, "  '*");
            output_text(output, long_form ? "--" : letter);
            output_text(output, long_form ? flag->name : "");
            if (argument != ARGUMENT_NONE)
                output_text(output, !long_form ? "+" : argument == ARGUMENT_OPTIONAL ? "=-" : "=");
            output_byte(output, '[');
            write_zsh_quoted(output, flag_table[flag->target].summary);
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
    struct values values = values_of(flag);

    if (argument_of(flag) == ARGUMENT_REQUIRED)
        output_text(output, values.offer == OFFER_FILES ? " -r" : " -x");
    else if (argument_of(flag) == ARGUMENT_OPTIONAL)
        output_text(output, " -f");
    if (values.offer == OFFER_WORDS) {
        output_text(output, " -a '");
        output_text(output, values.words);
        output_byte(output, '\'');
    } else if (values.offer == OFFER_COMMAND) {
        output_text(output, " -a '(");
        output_text(output, values.words);
        output_text(output, ")'");
    }
}

static void write_fish(struct output *output)
{
    output_text(output, "complete -c tg -w trawl\n");
    for (size_t i = 0; i < FLAG_COUNT_ALL; i++) {
        const struct flag *flag = &flag_table[i];

        output_text(output, "complete -c trawl");
        if (flag->letter != 0) {
            output_text(output, " -s ");
            output_byte(output, (uint8_t)flag->letter);
        }
        if (flag->name != NULL) {
            output_text(output, " -l ");
            output_text(output, flag->name);
        }
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
