/* ignore: a list of rules as in .gitignore, which decides whether a path is skipped.
 *
 * The last rule that matches decides. A rule without a slash, except at its end, matches names in
 * any directory below; others match paths relative to the list's own directory. A slash at the end
 * restricts a rule to directories. A rule that begins with '!' keeps what it matches. Unless case
 * is ignored, names, paths and extensions (such as *.c) are found with a hash table. Other rules
 * are tried only on paths that contain certain bytes of the rule.
 */
#ifndef TRAWL_IGNORE_H
#define TRAWL_IGNORE_H

#include "trawl/files/glob.h"
#include "trawl/text/guard.h"

/* With this flag, {a,b} are alternatives, as in ripgrep's globs. Otherwise braces are plain
 * characters, as in git. */
#define IGNORE_BRACES 1u
#define IGNORE_ANY_CASE 2u /* rules added from now on match upper and lower case alike */

struct ignore_rule {
    struct glob glob;
    bool keeps;            /* written after '!' */
    bool directories_only; /* written with a slash at the end */
    bool is_name;          /* the rule is compared with the last part of a path only */
    uint32_t line_number;  /* from 1, for messages */
    uint32_t line_bytes;
    const char *line; /* as written in the file; borrowed */
};

struct ignore_list;

/* Makes an empty list; NULL: out of memory. `source` and `guard` are borrowed. The guard (NULL: no
 * limits) is asked before a rule allocates memory; if it refuses, adding the rule returns
 * GLOB_MEMORY. */
struct ignore_list *ignore_open(const char *source, unsigned flags, struct guard *guard);
void ignore_close(struct ignore_list *list);

/* Adds the rule of a line of .gitignore; the line is borrowed. Empty lines and comments add no
 * rule. */
enum glob_status ignore_add_line(struct ignore_list *list, const char *line, size_t bytes,
                                 uint32_t number);
/* Adds a glob for names. */
enum glob_status ignore_add_name(struct ignore_list *list, const char *glob, size_t bytes,
                                 bool keeps);
/* Adds the rules of a whole file. The list owns `text`, and ignore_close frees it. Invalid globs
 * are ignored. False: out of memory. */
bool ignore_add_text(struct ignore_list *list, char *text, size_t bytes);
void ignore_set_flags(struct ignore_list *list, unsigned flags);

/* Builds the table. Call once, after the last rule and before ignore_find. False: no memory. */
bool ignore_seal(struct ignore_list *list);

/* Returns the last rule that matches `path`; NULL: no rule matches. `path` is relative to the
 * list's directory; the last part of `path` begins at name_at. */
const struct ignore_rule *ignore_find(const struct ignore_list *list, const char *path,
                                      size_t bytes, size_t name_at, bool is_directory);

const char *ignore_source(const struct ignore_list *list);
size_t ignore_count(const struct ignore_list *list);

#endif
