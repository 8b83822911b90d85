/* ignore: a list of rules as .gitignore has them, which says of a path whether it is left out.
 *
 * The last rule that matches decides. A rule without a slash, except at its end, is for names in
 * any directory below; other rules are for paths from the list's own directory on. A slash at the
 * end means directories only. After '!', what matches is kept. Names, paths and suffixes without
 * wildcards are looked up in a table; only the other rules are tried one by one.
 */
#ifndef TRAWL_IGNORE_H
#define TRAWL_IGNORE_H

#include "trawl/glob.h"
#include "trawl/guard.h"

#define IGNORE_BRACES 1u   /* {a,b} are alternatives, as in ripgrep's globs; else git's law */
#define IGNORE_ANY_CASE 2u /* from here on upper and lower case are the same */

struct ignore_rule {
    struct glob glob;
    bool keeps; /* '!' */
    bool directories_only;
    bool is_name; /* compared with the last part of a path only */
    uint32_t line_number;
    uint32_t line_bytes;
    const char *line; /* as it was written */
};

struct ignore_list;

/* NULL: no memory. `source` and `guard` are borrowed; the guard (NULL: none) is asked before a rule
 * takes memory, and a refusal is GLOB_MEMORY. */
struct ignore_list *ignore_open(const char *source, unsigned flags, struct guard *guard);
void ignore_close(struct ignore_list *list);

/* One line of .gitignore; it is borrowed. What holds no rule is passed over. */
enum glob_status ignore_add_line(struct ignore_list *list, const char *line, size_t bytes,
                                 uint32_t number);
/* One glob for names. */
enum glob_status ignore_add_name(struct ignore_list *list, const char *glob, size_t bytes,
                                 bool keeps);
/* A whole file, which the list frees. Lines that are no globs are passed over. False: no memory. */
bool ignore_add_text(struct ignore_list *list, char *text, size_t bytes);
void ignore_set_flags(struct ignore_list *list, unsigned flags);

/* After the last rule. False: no memory. */
bool ignore_seal(struct ignore_list *list);

/* The rule that decides; NULL: none fits. `path` is relative to the list's directory; its last part
 * begins at name_at. */
const struct ignore_rule *ignore_find(const struct ignore_list *list, const char *path,
                                      size_t bytes, size_t name_at, bool is_directory);

const char *ignore_source(const struct ignore_list *list);
size_t ignore_count(const struct ignore_list *list);

#endif
