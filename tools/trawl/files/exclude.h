/* exclude: decides which files --include, --exclude, --exclude-from and --exclude-dir skip. */
#ifndef TRAWL_EXCLUDE_H
#define TRAWL_EXCLUDE_H

#include "trawl/options/flags.h"

struct exclude_rule {
    char *glob;          /* owned */
    bool include;        /* the rule is an --include, so files that match the rule stay */
    bool of_directories; /* from --exclude-dir, so only directories are compared */
};

struct exclude {
    struct exclude_rule *rules;
    size_t count, capacity;
};

/* Collects in *made the globs of `filters`, the values of --include and of the --exclude options.
 * Returns false if this fails; then message[SETTINGS_ERROR_BYTES] says why. In either case, call
 * exclude_close if *made is not NULL. */
bool exclude_open(struct exclude **made, const struct value_list *filters, char *message);
void exclude_close(struct exclude *exclude);

/* Returns true if the last rule that matches `name` skips the file. If no rule matches, a file is
 * skipped only if the first rule about files is an --include. is_operand: the name is from the
 * command line, and a glob may also match everything after one of its slashes. */
bool exclude_skips(const struct exclude *exclude, const char *name, bool is_operand,
                   bool is_directory);

#endif
