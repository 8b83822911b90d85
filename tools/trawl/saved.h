/* saved: sets of strings that --save-patterns wrote, for -f. */
#ifndef TRAWL_SAVED_H
#define TRAWL_SAVED_H

#include "trawl/flags.h"
#include "trawl.h"

/* One file of -f that is a saved set; of the library's plan and of what this command noted. */
struct saved_set {
    struct trawl_plan *plan;
    size_t item;             /* of settings->patterns */
    bool has_note;           /* else the library's user saved it */
    bool any_byte;           /* given by --hex or --length-prefixed */
    bool none_given;         /* all files were empty */
    bool needs_utf8;         /* as struct patterns has it, where the locale is that of then */
    bool same_letters;       /* it is */
    bool has_strings;        /* and no plan to search with: that could not be saved */
    const uint64_t *columns; /* NULL: each string is the pattern with its number */
    uint64_t column_count;
};

struct patterns;
struct settings;

/* Load those files of settings->patterns that are saved sets, and take over their options: what was
 * saved with -i is searched with -i. False: message filled. */
bool saved_load(struct patterns *patterns, struct settings *settings, char *message);
/* The settings turned out to end lines elsewhere: once more. */
bool saved_load_again(struct patterns *patterns, const struct settings *settings, char *message);
/* --save-patterns. */
bool saved_write(const struct patterns *patterns, const struct settings *settings, char *message);
void saved_free(struct patterns *patterns);

#endif
