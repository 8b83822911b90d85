/* repository: where git keeps rules for files to be left out, besides .gitignore. */
#ifndef TRAWL_REPOSITORY_H
#define TRAWL_REPOSITORY_H

#include <stdbool.h>
#include <stddef.h>

/* A regular file's bytes, with a NUL after them, to be freed; NULL: there is none that can be read
 * (errno). */
char *repository_read(int directory, const char *path, size_t *bytes);

/* info/exclude of the repository whose top is `directory`; as repository_read. */
char *repository_read_exclude(int directory, size_t *bytes);

/* Is it, by that errno, as if the file were not there? */
bool repository_is_absent(int os_code);

/* The path of core.excludesFile of the user's settings, else of the file that git takes for it; to
 * be freed, or NULL. Returns 0 or the errno of what leaves it unknown. */
int repository_find_global(char **path);

#endif
