/* filter: which files of a tree are searched, by ripgrep's rules: -g and --iglob, then .rgignore,
 * .ignore and .gitignore of a directory and those above it, --ignore-file, then types, then hidden
 * names. What the command line names itself is always taken.
 */
#ifndef TRAWL_FILTER_H
#define TRAWL_FILTER_H

#include "trawl/flags.h"

struct filter;
struct filter_walk;

/* The files that directories say how to leave others out with. */
enum filter_file { FILTER_RGIGNORE, FILTER_IGNORE, FILTER_GITIGNORE, FILTER_GIT, FILTER_FILES };

/* NULL in `filter`: nothing is requested. False: message[SETTINGS_ERROR_BYTES] says why. */
bool filter_open(struct filter **filter, const struct settings *settings, char *message);
void filter_close(struct filter *filter);

/* For the tree below `root`, as it is shown. NULL: errno says why. */
struct filter_walk *filter_walk_open(const struct filter *filter, const char *root);
void filter_walk_close(struct filter_walk *walk);

/* Does a directory with such a name in it matter? */
bool filter_wants(const struct filter *filter, const char *name, enum filter_file *file);

/* Down into a directory: `depth` is 0 for the root, `path` as it is shown; has[]: which of the
 * files may be there. Returns 0, or the errno of what makes its rules unknown. */
int filter_enter(struct filter_walk *walk, size_t depth, int directory, const char *path,
                 const bool has[FILTER_FILES]);
/* Up, out of the directory of that depth. */
void filter_leave(struct filter_walk *walk, size_t depth);

enum filter_verdict { FILTER_TAKES, FILTER_SKIPS, FILTER_NO_MEMORY };

/* Of what a directory holds; the path's last part begins at name_at. */
enum filter_verdict filter_ask(struct filter_walk *walk, const char *path, size_t name_at,
                               bool is_directory);
/* The same by -g, --iglob and types alone, which need no walk. */
bool filter_takes(const struct filter *filter, const char *path, size_t name_at, bool is_directory);
/* Why, in words; for what was skipped last. */
const char *filter_reason(struct filter_walk *walk, char *room, size_t room_bytes);

#endif
