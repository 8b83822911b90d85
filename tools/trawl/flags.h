/* flags: the table of options, and reading the arguments by it.
 *
 * flags.def is the one list. flags_parse reads argv by GNU's rules: options after operands,
 * abbreviations of long ones, "--" ends them, clustered short ones, -NUM.
 */
#ifndef TRAWL_FLAGS_H
#define TRAWL_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl.h"

enum flag_id {
#define FLAG(id, ...) FLAG_##id,
#define ALIAS(id, ...) FLAG_##id,
#include "flags.def"
#undef FLAG
#undef ALIAS
    FLAG_COUNT_ALL,
    FLAG_DIGIT /* -NUM: not a row, its letters are the ten digits */
};

enum flag_argument { ARGUMENT_NONE, ARGUMENT_REQUIRED, ARGUMENT_OPTIONAL };

enum flag_category {
    CATEGORY_PATTERN,
    CATEGORY_MISC,
    CATEGORY_OUTPUT,
    CATEGORY_CONTEXT,
    CATEGORY_LAYOUT,
    CATEGORY_FILES,
    CATEGORY_BEYOND,
    CATEGORY_ERRORS,
    CATEGORY_EXPERT,
    CATEGORY_REFUSED,
    CATEGORY_COUNT
};

/* What a server does with the option (trawl serve). */
enum flag_served {
    SERVED_LINES,       /* it serves lines with it: counts have no lines that it could change */
    SERVED_COUNTS,      /* counts, too */
    SERVED_START_LINES, /* as SERVED_LINES; the server's own command line takes the option, too */
    SERVED_FILES,       /* as SERVED_COUNTS, and the server's own command line */
    SERVED_STARTS,      /* from here on no request has it, as flag_refusal says; this one and ... */
    SERVED_READS,       /* ... this one may stand on the server's own command line */
    SERVED_CHOOSES,
    SERVED_TEXT,
    SERVED_WRITES,
    SERVED_LINKS,
    SERVED_ASKS,
    SERVED_TELLS,
    SERVED_PRINTS
};

struct flag {
    enum flag_id id;
    enum flag_id target; /* itself, or the row that an alias stands for */
    char letter;         /* 0: none */
    enum flag_argument argument;
    enum flag_category category;
    enum flag_served served;
    const char *name; /* NULL: none */
    const char *argument_name;
    const char *summary;
    const char *paragraph;
};

extern const struct flag flag_table[FLAG_COUNT_ALL];

/* Why no request may have the option, as the end of a sentence; NULL: a request may. An alias says
 * what its row says. */
const char *flag_refusal(const struct flag *flag);
/* Does the option say which files a server serves, or how it searches them? */
bool flag_starts_server(const struct flag *flag);
/* The row that a letter means, NULL: none. tg: as ripgrep has it, where ripgrep has it. */
const struct flag *flag_of_letter(char letter, bool tg);
/* tg: --color takes the next argument, as ripgrep's does. */
enum flag_argument flag_takes(const struct flag *flag, bool tg);

enum binary_files { BINARY_FILES_BINARY, BINARY_FILES_TEXT, BINARY_FILES_WITHOUT_MATCH };
enum directories { DIRECTORIES_READ, DIRECTORIES_RECURSE, DIRECTORIES_SKIP };
enum device_files { DEVICES_READ_OPERANDS, DEVICES_READ, DEVICES_SKIP };
enum list_files { LIST_NONE, LIST_WITH_MATCHES, LIST_WITHOUT_MATCH };
enum color_when { COLOR_NEVER, COLOR_ALWAYS, COLOR_AUTO };
enum preview { PREVIEW_NONE, PREVIEW_START, PREVIEW_MATCH };
enum sort_by { SORT_NONE, SORT_PATH, SORT_MODIFIED, SORT_ACCESSED, SORT_CREATED };
enum matrix_format {
    MATRIX_NONE,
    MATRIX_TSV,
    MATRIX_CSV,
    MATRIX_NPY,
    MATRIX_SPARSE, /* from here on: what is filled alone */
    MATRIX_JSONL
};

enum value_kind {
    VALUE_OPERAND,
    VALUE_STRING,
    VALUE_FILE,
    VALUE_INCLUDE,
    VALUE_EXCLUDE,
    VALUE_EXCLUDE_FROM,
    VALUE_EXCLUDE_DIR,
    VALUE_GLOB,
    VALUE_IGLOB,
    VALUE_TYPE,
    VALUE_TYPE_NOT,
    VALUE_TYPE_ADD,
    VALUE_TYPE_CLEAR,
    VALUE_IGNORE_FILE
};

struct value_item {
    enum value_kind kind;
    const char *text;  /* borrowed from argv */
    const char *shown; /* of VALUE_FILE, its name in messages; NULL: text */
};

struct value_list {
    struct value_item *items;
    size_t count;
    size_t capacity;
};

/* An option as it was read: a row that is no alias, and its value, NULL: none. -NUM is --context.
 */
struct given_option {
    const struct flag *flag;
    const char *value; /* borrowed from argv, or in settings->storage */
};

/* Which files of directories are searched (filter.h). */
struct file_settings {
    struct value_list rules; /* globs, types, --ignore-file */
    bool glob_any_case, ignore_any_case;
    bool filtering; /* --ignore was given, or the command is tg */
    bool no_ignore, no_ignore_dot, no_ignore_exclude, no_ignore_files, no_ignore_global;
    bool no_ignore_parent, no_ignore_vcs, no_require_git;
    int hidden; /* 1: searched, -1: not, 0: as `filtering` says */
    unsigned unrestricted_count;
    bool one_file_system;
    bool names_only; /* --files */
    bool list_types, debug;
    uint64_t depth_max, bytes_max; /* UINT64_MAX: no limit */
    enum sort_by sort;
    bool sort_backwards;
};

#define SETTINGS_ERROR_BYTES 512
#define CONTEXT_NOT_GIVEN (-1)
#define MAX_COUNT_NONE INT64_MAX

struct settings; /* settings.h */

/* The arguments of a file, from arguments[1] on, and the line of each. */
struct config {
    char *path, *text;
    char **arguments;
    unsigned *lines;
    int count; /* 0: there is none */
};

/* Read the options of a file, unless that is NULL, then argv[1] to argv[argument_count - 1].
 * operands_end_options: an operand ends the options (POSIXLY_CORRECT). False: settings->error says
 * why. settings_free in either case. */
bool flags_parse(struct settings *settings, const struct config *config, int argument_count,
                 char *const *arguments, bool operands_end_options);

/* Find and read the file of options: the one that TRAWL_CONFIG_PATH names (empty: none), else
 * trawl/config in $XDG_CONFIG_HOME or ~/.config, if there is one. One argument a line, no quotes;
 * lines that begin with # are comments. Never waits for a writer. False:
 * message[SETTINGS_ERROR_BYTES] filled. True with a message that is not empty: a file that the user
 * did not name could not be read, and is left out. */
bool config_read(struct config *config, char *message);
void config_free(struct config *config);

/* The command is also called tg: then it takes trees as ripgrep does. */
bool flags_means_tg(const char *name);

/* What messages call the file that the item names. */
const char *value_shown(const struct value_item *item);

/* One more item. False: out of memory. */
bool value_add(struct value_list *list, enum value_kind kind, const char *text);

/* A copy that settings own. NULL: out of memory. */
char *value_keep(struct settings *settings, const char *value);

/* Setters, named in flags.def: false after writing settings->error. */
bool value_refuse_regex(struct settings *settings, const char *option);
bool value_refuse(struct settings *settings, const char *why);
bool value_number(struct settings *settings, const char *option, const char *value, uint64_t least,
                  uint64_t most, uint64_t *number);
bool value_context(struct settings *settings, const char *option, const char *value,
                   int64_t *count);
bool value_max_count(struct settings *settings, const char *value);
bool value_binary_files(struct settings *settings, const char *value);
bool value_directories(struct settings *settings, const char *value);
bool value_devices(struct settings *settings, const char *value);
bool value_color(struct settings *settings, const char *value);
bool value_when(struct settings *settings, const char *value, const char *option,
                enum color_when *when);
bool value_matrix(struct settings *settings, const char *value);
bool value_engine(struct settings *settings, const char *value);
bool value_preview(struct settings *settings, const char *value);
bool value_check_colors(struct settings *settings, const char *spec);
bool value_separator(struct settings *settings, const char *value, const char **bytes,
                     size_t *bytes_count);
bool value_encoding(struct settings *settings, const char *value);
bool value_hyperlink(struct settings *settings, const char *value);
bool value_path_separator(struct settings *settings, const char *value);
bool value_size(struct settings *settings, const char *option, const char *value, uint64_t *bytes);
bool value_alphabet(struct settings *settings, const char *value);
bool value_exact(struct settings *settings, const char *value);
bool value_sort(struct settings *settings, const char *option, const char *value, bool backwards);
void value_unrestricted(struct settings *settings);

#endif
