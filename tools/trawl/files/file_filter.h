/* file_filter: decides which files of a directory tree are searched, by ripgrep's rules. The first
 * of these with a matching rule decides: -g and --iglob; .rgignore, .ignore, .gitignore and
 * .git/info/exclude of the directory and those above; git's global excludes file; --ignore-file;
 * types; hidden names. A file of a type that is skipped stays skipped even where a rule file keeps
 * it. Files that the command line names are never filtered.
 */
#ifndef TRAWL_FILE_FILTER_H
#define TRAWL_FILE_FILTER_H

#include "trawl/options/flags.h"
#include "trawl/files/tree.h"

struct filter;
struct filter_walk;

/* The names in a directory that matter to the filter: three kinds of rule files and ".git", which
 * may hold a fourth, info/exclude. */
enum filter_file { FILTER_RGIGNORE, FILTER_IGNORE, FILTER_GITIGNORE, FILTER_GIT, FILTER_FILES };

/* Which ignore files of directories and of git a walk obeys, apart from --ignore-file. */
struct filter_rules {
    bool dot, vcs, exclude, global, parent, require_git, any_case;
    bool hidden; /* names that begin with a dot are skipped */
};

/* Returns which ignore files apply under the settings. Settings with equal results, and without
 * --ignore-file, apply the same ones in every tree. */
struct filter_rules filter_rules(const struct settings *settings);

/* Builds the filter that the settings describe. *filter is NULL if they require none. If in_memory,
 * the caller will call only filter_judge, so no ignore file is read. False:
 * message[SETTINGS_ERROR_BYTES] says why. */
bool filter_open(struct filter **filter, const struct settings *settings, bool in_memory,
                 char *message);
void filter_close(struct filter *filter);

/* Begins a walk of the tree below `root`, a path as messages show it. Reads the rule files of
 * the directories above `root`. NULL: errno says why. */
struct filter_walk *filter_walk_open(const struct filter *filter, const char *root);
void filter_walk_close(struct filter_walk *walk);

/* Returns true if a file `name` has rules that the filter uses, or if a directory with this file
 * is the top of a repository. Sets *file to the kind of file. */
bool filter_wants(const struct filter *filter, const char *name, enum filter_file *file);

/* Reads the rules of a directory that the walk enters. `depth` is 0 for the root. `path` is the
 * directory's path as messages show it. has[file] says whether the directory may have a file of
 * that kind (enum filter_file). Returns 0, or the errno that kept rules from being read. */
int filter_enter(struct filter_walk *walk, size_t depth, int directory, const char *path,
                 const bool has[FILTER_FILES]);
/* Drops the rules of the directory at `depth`, when the walk leaves that directory. */
void filter_leave(struct filter_walk *walk, size_t depth);

enum filter_verdict { FILTER_TAKES, FILTER_SKIPS, FILTER_NO_MEMORY, FILTER_UNDECIDED };

/* Decides whether an entry of a directory of the walk is skipped. The last part of `path` begins
 * at name_at. */
enum filter_verdict filter_ask(struct filter_walk *walk, const char *path, size_t name_at,
                               bool is_directory);
/* Decides only by -g, --iglob and types, without a walk. Returns FILTER_UNDECIDED if these do not
 * decide. */
enum filter_verdict filter_judge(const struct filter *filter, const char *path, size_t name_at,
                                 bool is_directory);
/* Returns which kind of rule made filter_ask last skip an entry. */
enum tree_left filter_why(const struct filter_walk *walk);
/* Returns why filter_ask last skipped an entry, in words, which may be stored in `room`. */
const char *filter_reason(struct filter_walk *walk, char *room, size_t room_bytes);

#endif
