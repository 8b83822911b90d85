/* exclude: which files --include, --exclude, --exclude-from and --exclude-dir leave out. */
#ifndef TRAWL_EXCLUDE_H
#define TRAWL_EXCLUDE_H

#include "trawl/flags.h"

struct exclude_rule {
    char *glob; /* owned */
    bool include;
    bool of_directories;
};

struct exclude {
    struct exclude_rule *rules;
    size_t count, capacity;
};

/* Of rules that were given. False: message[SETTINGS_ERROR_BYTES] says why; exclude_close if *made
 * is not NULL. */
bool exclude_open(struct exclude **made, const struct value_list *filters, char *message);
void exclude_close(struct exclude *exclude);

/* is_operand: the name is one of the command line's, of which any part after a slash may match. */
bool exclude_skips(const struct exclude *exclude, const char *name, bool is_operand,
                   bool is_directory);

#endif
