/* search_file: searches a file and prints the report. */
#ifndef TRAWL_SEARCH_FILE_H
#define TRAWL_SEARCH_FILE_H

#include <sys/stat.h>

#include "trawl/job/command_job.h"

/* An open file. */
struct open_file {
    int descriptor;
    const struct stat *status; /* the file's status */
    const char *name;          /* as messages and lines show the file */
    const void *bytes;         /* all bytes of the file; NULL: to be read from the descriptor */
    uint64_t bytes_count;
    bool may_be_compressed;
    bool is_operand; /* the command line names the file */
    struct pre *pre; /* --pre: the command that prints the text; NULL: none */
};

struct text_scan;

/* Searches the text, or its part, window by window, with the sink lines_window or, for --multiline,
 * lines_whole. */
enum trawl_status search_file_windows(struct text_scan *scan, struct trawl_error *error);
/* Searches a file and prints the report. */
void search_file(struct command_job *job, const struct open_file *file);
/* Returns true if the file must be skipped because it is the output itself, so that printing its
 * lines would never end. For tg, returns true with every report, even one without lines, if the
 * output is a file of a directory. */
bool search_file_is_output(const struct settings *settings, const struct stat *status,
                           bool is_operand);
/* Prints the report of a file that has no occurrence. */
void search_file_pass_over(struct command_job *job, const char *name);
/* Prints the name of a file on a line, for --files. */
void search_file_name(struct command_job *job, const char *name);

#endif
