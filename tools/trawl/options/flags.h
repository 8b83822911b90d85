/* flags: values of options, and the parser of the arguments.
 *
 * flags.def is the list of options (flag_table.h). flags_parse reads argv by GNU's rules: options
 * may follow operands, long options may be abbreviated, "--" ends the options, short options may be
 * clustered, -NUM is --context=NUM.
 */
#ifndef TRAWL_FLAGS_H
#define TRAWL_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl.h"
#include "trawl/text/message.h"
#include "trawl/text/sizes.h"

/* The names of all methods, with a space before each. */
#define METHOD_WORD(id, number, text) " " text
#define METHOD_WORDS TRAWL_METHOD_LIST(METHOD_WORD)

enum binary_files { BINARY_FILES_BINARY, BINARY_FILES_TEXT, BINARY_FILES_WITHOUT_MATCH };
enum directories { DIRECTORIES_READ, DIRECTORIES_RECURSE, DIRECTORIES_SKIP };
enum special_files { SPECIAL_FILES_READ_OPERANDS, SPECIAL_FILES_READ, SPECIAL_FILES_SKIP };
enum list_files { LIST_NONE, LIST_WITH_MATCHES, LIST_WITHOUT_MATCH };
enum color_when { COLOR_NEVER, COLOR_ALWAYS, COLOR_AUTO };
enum sort_by { SORT_NONE, SORT_PATH, SORT_MODIFIED, SORT_ACCESSED, SORT_CREATED };
enum value_kind {
    VALUE_OPERAND, /* a file or directory to search */
    VALUE_STRING,  /* a string given with -e, or another option's value */
    VALUE_FILE,    /* a file of strings, of -f */
    VALUE_RULES,   /* a file of names and strings, of --rules */
    VALUE_AND,     /* the first string of a group, of --and */
    VALUE_ANDNOT,  /* the first string of a group, of --andnot */
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
    const char *text;  /* borrowed, from argv or settings->arguments.storage */
    const char *shown; /* VALUE_FILE: the name of the file in messages */
};

struct value_list {
    struct value_item *items; /* in the order read */
    size_t count;
    size_t capacity;
};

/* An option that was read. `flag` is its row of flags.def, or for an alias the original's. `value`
 * is NULL if there is none. -NUM is recorded as --context.
 */
struct given_option {
    const struct flag *flag;
    const char *value; /* borrowed from the arguments or from settings->arguments.storage */
};

/* Which files of directories are searched (file_filter.h). */
struct file_settings {
    struct value_list rules; /* globs, types, --ignore-file */
    const char *glob_option; /* the option that gave the globs, for messages; NULL: -g */
    bool glob_any_case, ignore_any_case;
    bool filtering; /* ignore files are read: --ignore was given, or the command is tg */
    bool no_ignore, no_ignore_dot, no_ignore_exclude, no_ignore_files, no_ignore_global;
    bool no_ignore_parent, no_ignore_vcs, no_require_git;
    int hidden; /* 1: hidden files are searched; -1: not; 0: not if `filtering` */
    unsigned unrestricted_count;
    enum directories directories;
    enum special_files special_files;
    bool follow_links;
    bool one_file_system; /* directories on other file systems are not walked */
    bool names_only;      /* --files */
    bool list_types, debug;
    uint64_t depth_max, bytes_max; /* UINT64_MAX: no limit */
    enum sort_by sort;
    bool sort_backwards; /* --sortr */
};

#define CONTEXT_NOT_GIVEN (-1)   /* the option is absent */
#define MAX_COUNT_NONE INT64_MAX /* -m is absent */

struct flag;     /* flag_table.h */
struct settings; /* settings.h */

/* The options of a file: arguments[1 .. count), and the line of each. */
struct config {
    char *path, *text;
    bool is_ripgreps; /* what is wrong in it is a warning, and --pre is ignored */
    char **arguments;
    unsigned *lines;
    int count; /* 0: no file */
};

/* Reads the options of the configuration file, unless `config` is NULL. Then reads argv[1 ..
 * argument_count). If operands_end_options, an operand ends the options (POSIXLY_CORRECT). False:
 * settings->error says why. Call settings_free in either case. */
bool flags_parse(struct settings *settings, const struct config *config, int argument_count,
                 char *const *arguments, bool operands_end_options);

/* Finds and reads the configuration file: the one that TRAWL_CONFIG_PATH names (empty: none),
 * otherwise trawl/config in $XDG_CONFIG_HOME or ~/.config, if it exists, otherwise for tg the one
 * that RIPGREP_CONFIG_PATH names. Each line is an argument,
 * without quotes; lines that begin with # are comments. Never waits for the writer of a pipe.
 * False: message[SETTINGS_ERROR_BYTES] says why. True with a message: a file that the user did not
 * name could not be read and is ignored. */
bool config_read(struct config *config, bool is_tg, char *message);
void config_free(struct config *config);

/* Two options that exclude each other, or an option and one that it requires. */
struct option_pair {
    bool wrong;               /* the options were given in a way that is rejected */
    const char *what, *other; /* the two options, for the message */
};

/* Names of options, without "--", that a program takes in addition to the command's: an unknown
 * option may be one of them, mistyped. The last is NULL; flags_more_names is NULL: there are none.
 */
extern const char *const *flags_more_names;
/* Returns true if a pair is wrong. `error` gets a message about the first wrong pair, with `verb`
 * between the options. */
bool flags_refuse(const struct option_pair *pairs, size_t count, const char *verb, char *error);

/* Returns true if the program was called as tg, which searches trees as ripgrep does. */
bool flags_means_tg(const char *name);

/* Appends an item. False: no memory. */
bool value_add(struct value_list *list, enum value_kind kind, const char *text);

/* Returns true if a string of --hex has no wildcard, jump or alternative; nor, if it is replaced, a
 * line end, across which only an expression is replaced. */
bool hex_is_plain(const char *text, bool replaces);
/* Returns the bytes that a plain string of --hex means; blanks are ignored. Otherwise like
 * hex_expression. */
char *hex_bytes(const char *text, size_t bytes, size_t *made_bytes, const char **wrong);
/* Returns the expression of bytes that a string of --hex means, to be freed. *wrong: what the
 * string has that is wrong; NULL: nothing. Returns NULL without memory. */
char *hex_expression(const char *text, size_t bytes, size_t *made_bytes, const char **wrong);
/* Returns a number of bytes that no occurrence of the string exceeds. */
uint64_t hex_reach(const char *text, size_t bytes);
/* Returns the value of a hexadecimal digit, -1 for another character. */
int value_hex_digit(char digit);
/* Returns a copy of `value` that lasts as long as the settings. NULL: no memory. */
char *value_keep(struct settings *settings, const char *value);

#endif
