/* flag_table: the rows of flags.def, for those who name an option or its row. */
#ifndef TRAWL_FLAG_TABLE_H
#define TRAWL_FLAG_TABLE_H

#include "trawl/options/flags.h"

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
    SERVED_REPORTS, /* the option is about a search by the command itself */
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

/* Setters that flags.def names. False: settings->error says why, or is empty if out of memory. */
#define value_refuse(settings, ...) message_fail((settings)->error, __VA_ARGS__)
bool value_number(struct settings *settings, const char *option, const char *value, uint64_t min,
                  uint64_t max, uint64_t *number);
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
