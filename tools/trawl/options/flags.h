/* flags: the table of options, and the parser of the arguments.
 *
 * flags.def is the list of options. flags_parse reads argv by GNU's rules: options may follow
 * operands, long options may be abbreviated, "--" ends the options, short options may be clustered,
 * -NUM is --context=NUM.
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

enum flag_id {
#define FLAG(id, ...) FLAG_##id,
#define ALIAS(id, ...) FLAG_##id,
#include "trawl/options/flags.def"
#undef FLAG
#undef ALIAS
    FLAG_COUNT_ALL,
    FLAG_DIGIT /* -NUM. It has no row, because a row has one letter, and NUM may begin with ten */
};

enum flag_argument { ARGUMENT_NONE, ARGUMENT_REQUIRED, ARGUMENT_OPTIONAL };

enum flag_category {
    CATEGORY_PATTERN,
    CATEGORY_MISC,
    CATEGORY_OUTPUT,
    CATEGORY_CONTEXT, /* context and colour */
    CATEGORY_LAYOUT,  /* ripgrep's options about patterns and output */
    CATEGORY_FILES,   /* ripgrep's options about which files are searched */
    CATEGORY_BEYOND,  /* options that grep lacks, some with ripgrep's names */
    CATEGORY_ERRORS,  /* approximate search and FASTA files */
    CATEGORY_EXPERT,
    CATEGORY_REFUSED, /* options of grep that are accepted but have no effect */
    CATEGORY_COUNT
};

/* What a server (trawl-serve) does with the option. */
enum flag_served {
    SERVED_LINES,       /* only requests for lines may have the option */
    SERVED_COUNTS,      /* requests for lines and for counts may have the option */
    SERVED_START_LINES, /* as SERVED_LINES; the server's command line may have the option, too */
    SERVED_FILES,       /* as SERVED_COUNTS; the server's command line may have the option, too */
    /* No request may have the options below; flag_refusal says why. The server's own command line
     * may have options of SERVED_STARTS and SERVED_READS. */
    SERVED_STARTS,
    SERVED_READS,   /* the option reads a file on the client */
    SERVED_CHOOSES, /* the server decides how to search */
    SERVED_TEXT,    /* the option gives strings, which a request has in a member of its own */
    SERVED_LINKS,   /* the server follows no links */
    SERVED_WALKS,   /* the option is about a walk, and the server walks no directory */
    SERVED_ASKS,    /* the option names a server, and a server asks no other one */
    SERVED_TELLS,   /* the option is about a search by the command itself */
    SERVED_ALONE,   /* the server cannot do it */
    SERVED_PRINTS   /* the option prints a document */
};

struct flag {
    enum flag_id id;
    enum flag_id target; /* the flag itself; for an alias, the original */
    char letter;         /* 0: no short form */
    enum flag_argument argument;
    enum flag_category category;
    enum flag_served served;
    const char *name;          /* NULL: no long form */
    const char *argument_name; /* as --help shows the argument */
    const char *summary;       /* the line of --help */
};

extern const struct flag flag_table[FLAG_COUNT_ALL];

/* Returns why no request to a server may contain the option, as the end of a sentence; NULL: a
 * request may. An alias is treated like its original. */
const char *flag_refusal(const struct flag *flag);
/* Returns the row of a short option; NULL: no such option. `tg`: a letter that ripgrep uses means
 * what it means there. */
const struct flag *flag_of_letter(char letter, bool tg);
/* Returns whether the flag takes an argument. `tg`: --color requires one, as in ripgrep. */
enum flag_argument flag_takes(const struct flag *flag, bool tg);

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
    const char *shown; /* VALUE_FILE: the name of the file in messages; NULL: text */
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

/* Returns the name of the item's file in messages. */
const char *value_shown(const struct value_item *item);

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

/* Setters that flags.def names. False: settings->error says why, or is empty if out of memory. */
#define value_refuse(settings, ...) message_fail((settings)->error, __VA_ARGS__)
bool value_number(struct settings *settings, const char *option, const char *value, uint64_t least,
                  uint64_t most, uint64_t *number);
bool value_context(struct settings *settings, const char *option, const char *value,
                   int64_t *count);
bool value_max_count(struct settings *settings, const char *value);
bool value_around(struct settings *settings, const char *value);
bool value_binary_files(struct settings *settings, const char *value);
bool value_directories(struct settings *settings, const char *value);
bool value_special_files(struct settings *settings, const char *value);
bool value_color(struct settings *settings, const char *value);
bool value_engine(struct settings *settings, const char *value);
bool value_check_colors(struct settings *settings, const char *spec);
bool value_separator(struct settings *settings, const char *value, const char **bytes,
                     size_t *bytes_count);
bool value_encoding(struct settings *settings, const char *value);
bool value_hyperlink(struct settings *settings, const char *value);
bool value_path_separator(struct settings *settings, const char *value);
bool value_size(struct settings *settings, const char *option, const char *value, uint64_t *bytes);
bool value_xor(struct settings *settings, const char *value);
bool value_alphabet(struct settings *settings, const char *value);
bool value_exact(struct settings *settings, const char *value);
bool value_amplicon(struct settings *settings, const char *value);
bool value_sort(struct settings *settings, const char *option, const char *value, bool backwards);
void value_unrestricted(struct settings *settings);
/* Sets what is printed of each file: lines, JSON, counts or names. For tg, the last option decides.
 */
void value_report(struct settings *settings, enum flag_id report);
void value_pretty(struct settings *settings);
/* Carries out --ignore or --no-ignore. For tg, this sets the option of each kind of ignore file, as
 * in ripgrep. */
void value_ignore(struct settings *settings, bool ignore);

#endif
