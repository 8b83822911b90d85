/* flags: the table of options, and the arguments as they were typed.
 *
 * flags.def is the one list. typed_parse reads argv by GNU's rules: options after operands,
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
    CATEGORY_EXPERT,
    CATEGORY_REFUSED,
    CATEGORY_COUNT
};

struct flag {
    enum flag_id id;
    enum flag_id target; /* itself, or the row that an alias stands for */
    char letter;         /* 0: none */
    enum flag_argument argument;
    enum flag_category category;
    const char *name; /* NULL: none */
    const char *argument_name;
    const char *summary;
    const char *paragraph;
};

extern const struct flag flag_table[FLAG_COUNT_ALL];

enum binary_files { BINARY_FILES_BINARY, BINARY_FILES_TEXT, BINARY_FILES_WITHOUT_MATCH };
enum directories { DIRECTORIES_READ, DIRECTORIES_RECURSE, DIRECTORIES_SKIP };
enum devices { DEVICES_READ_OPERANDS, DEVICES_READ, DEVICES_SKIP };
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

enum typed_kind {
    TYPED_OPERAND,
    TYPED_STRING,
    TYPED_FILE,
    TYPED_INCLUDE,
    TYPED_EXCLUDE,
    TYPED_EXCLUDE_FROM,
    TYPED_EXCLUDE_DIR,
    TYPED_GLOB,
    TYPED_IGLOB,
    TYPED_TYPE,
    TYPED_TYPE_NOT,
    TYPED_TYPE_ADD,
    TYPED_TYPE_CLEAR,
    TYPED_IGNORE_FILE
};

struct typed_item {
    enum typed_kind kind;
    const char *text; /* borrowed from argv */
};

struct typed_list {
    struct typed_item *items;
    size_t count;
    size_t capacity;
};

/* Which files of directories are searched (filter.h). */
struct typed_files {
    struct typed_list rules; /* globs, types, --ignore-file */
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

#define TYPED_ERROR_BYTES 512
#define CONTEXT_NOT_GIVEN (-1)
#define MAX_COUNT_NONE INT64_MAX

/* What was typed, before it is known what it means together. */
struct typed {
    struct typed_list patterns;
    struct typed_list operands;
    struct typed_list filters;
    struct typed_list colors; /* --colors */
    struct typed_files files;
    bool is_tg; /* called by that name: searches trees by ripgrep's rules */
    bool hex, length_prefixed, ignore_case, words, whole_lines, null_data;
    bool no_messages, invert, version, help, list_algorithms;
    bool byte_offset, line_number, line_buffered, only_matching, quiet, count;
    bool initial_tab, null_after_name, unix_offsets, follow_links;
    bool pattern_number, count_by_pattern, unmatched_patterns;
    bool search_zip;
    bool smart_case, column, no_column, vimgrep, heading, no_line_number, passthru, trim;
    bool json, no_config, help_long, heading_given, encoding_given;
    enum color_when escape_controls;
    bool count_matches, overlapping, positions, first, explain, stats, progress;
    int file_names; /* 1: with, -1: without, 0: as the number of files says */
    enum binary_files binary_files;
    enum directories directories;
    enum devices devices;
    enum list_files list;
    enum color_when color;
    enum matrix_format matrix;
    enum preview preview;
    enum trawl_map map;
    int64_t before_count, after_count, around_count;
    int64_t max_count;
    uint64_t threads, chunk_bytes, max_columns;
    const char *label, *save_patterns, *replace;
    const char *encoding;  /* NULL: as the locale has it */
    const char *hyperlink; /* a format; NULL or "": none */
    const char *group_separator, *match_separator, *context_separator; /* NULL: none, as grep */
    size_t group_separator_bytes, match_separator_bytes, context_separator_bytes;
    char path_separator; /* 0: as it is */
    char **storage;      /* texts that are not in argv */
    size_t storage_count;
    bool saved_any_byte; /* not typed: what saved sets of -f say of their strings */
    const char *engine, *method, *algorithm, *instruction_set, *generate;
    char error[TYPED_ERROR_BYTES]; /* one line, without the program's name */
};

/* The arguments of a file, from arguments[1] on, and the line of each. */
struct config {
    char *path, *text;
    char **arguments;
    unsigned *lines;
    int count; /* 0: there is none */
};

/* Read argv[1] to argv[argument_count - 1]. operands_end_options: an operand ends the options
 * (POSIXLY_CORRECT). False: typed->error says why. typed_free in either case. */
bool typed_parse(struct typed *typed, int argument_count, char *const *arguments,
                 bool operands_end_options);
/* The same, with the options of a file before those of argv. */
bool typed_parse_after(struct typed *typed, const struct config *config, int argument_count,
                       char *const *arguments, bool operands_end_options);
void typed_free(struct typed *typed);

/* Setters, named in flags.def: false after writing typed->error. */
bool typed_add(struct typed_list *list, enum typed_kind kind, const char *text);
bool typed_refuse_regex(struct typed *typed, const char *option);
bool typed_number(struct typed *typed, const char *option, const char *value, uint64_t least,
                  uint64_t most, uint64_t *number);
bool typed_context(struct typed *typed, const char *option, const char *value, int64_t *count);
bool typed_max_count(struct typed *typed, const char *value);
bool typed_binary_files(struct typed *typed, const char *value);
bool typed_directories(struct typed *typed, const char *value);
bool typed_devices(struct typed *typed, const char *value);
bool typed_color(struct typed *typed, const char *value);
bool typed_when(struct typed *typed, const char *value, const char *option, enum color_when *when);
bool typed_matrix(struct typed *typed, const char *value);
bool typed_engine(struct typed *typed, const char *value);
/* typed_layout.c */
bool typed_preview(struct typed *typed, const char *value);
bool typed_check_colors(struct typed *typed, const char *spec);
bool typed_separator(struct typed *typed, const char *value, const char **bytes,
                     size_t *bytes_count);
bool typed_encoding(struct typed *typed, const char *value);
bool typed_hyperlink(struct typed *typed, const char *value);
bool typed_path_separator(struct typed *typed, const char *value);
/* After the last argument: what options imply of others. */
void typed_settle_layout(struct typed *typed);
bool typed_size(struct typed *typed, const char *option, const char *value, uint64_t *bytes);
bool typed_sort(struct typed *typed, const char *option, const char *value, bool backwards);
void typed_unrestricted(struct typed *typed);

#endif
