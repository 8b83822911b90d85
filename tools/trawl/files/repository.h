/* repository: the files other than .gitignore in which git keeps rules about ignored files. */
#ifndef TRAWL_REPOSITORY_H
#define TRAWL_REPOSITORY_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the bytes of a regular file of at most 100 MiB, followed by a NUL; the caller frees the
 * bytes. NULL: errno says why. */
char *repository_read(int directory, const char *path, size_t *bytes);

/* Returns the bytes of info/exclude of the repository whose top is `directory`. Otherwise as
 * repository_read. */
char *repository_read_exclude(int directory, size_t *bytes);

/* Returns true if a file that cannot be read with this errno counts as absent. */
bool repository_is_absent(int os_code);

/* Finds the path of git's global excludes file: core.excludesFile of the user's git settings
 * (GIT_CONFIG_GLOBAL, else ~/.gitconfig, else git/config in XDG_CONFIG_HOME) or of the system's
 * (GIT_CONFIG_SYSTEM, else /etc/gitconfig), else git's default path. The caller frees *path, which
 * is NULL if no setting or default applies, and empty if the setting names no file. Returns 0, or
 * the errno that kept the settings from being read. */
int repository_find_global(char **path);

#endif
