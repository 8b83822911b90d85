/* repository: the files other than .gitignore in which git keeps rules about ignored files. */
#include "trawl/files/repository.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/text/whole.h"

#define FILE_BYTES_MAX (100u << 20) /* git's own limit */

bool repository_is_absent(int os_code)
{
    return os_code == ENOENT || os_code == ENOTDIR || os_code == EACCES || os_code == EPERM ||
           os_code == ELOOP || os_code == EINVAL;
}

char *repository_read(int directory, const char *path, size_t *bytes)
{
    int descriptor = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat status;
    char *text = NULL;
    int os_code;

    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &status) == 0) {
        errno = EINVAL;
        if (S_ISREG(status.st_mode) && (uint64_t)status.st_size <= FILE_BYTES_MAX &&
            whole_read_from(descriptor, FILE_BYTES_MAX, &text, bytes) && *bytes <= FILE_BYTES_MAX) {
            text[*bytes] = '\0'; /* whole_read_from left room for the NUL */
            close(descriptor);
            return text;
        }
    }
    os_code = errno;
    free(text);
    close(descriptor);
    errno = os_code;
    return NULL;
}

/* Returns "folder/name"; NULL: no memory. */
static char *joined_path(const char *folder, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static char *cut_line(char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    return text;
}

/* Reads info/exclude where .git is a file with a line "gitdir: FOLDER". If FOLDER has a file
 * commondir, info/exclude lies in the folder that commondir names, which all worktrees of a
 * repository share. */
static char *read_linked(int directory, size_t *bytes)
{
    static const char word[] = "gitdir: ";
    char *link = repository_read(directory, ".git", bytes), *found = NULL, *path, *common = NULL;
    char *folder = link == NULL ? NULL : cut_line(link);
    int os_code;

    if (folder == NULL || strncmp(folder, word, sizeof word - 1) != 0) {
        os_code = link == NULL ? errno : EINVAL;
        free(link);
        errno = os_code;
        return NULL;
    }
    folder += sizeof word - 1;
    path = joined_path(folder, "commondir");
    if (path != NULL)
        common = repository_read(directory, path, bytes);
    free(path);
    if (common != NULL) {
        cut_line(common);
        folder = path = common[0] == '/' ? strdup(common) : joined_path(folder, common);
    } else {
        path = strdup(folder);
        folder = path;
    }
    free(common);
    if (path != NULL) {
        char *exclude = joined_path(folder, "info/exclude");

        found = exclude == NULL ? NULL : repository_read(directory, exclude, bytes);
        free(exclude);
    }
    os_code = errno;
    free(path);
    free(link);
    errno = os_code;
    return found;
}

char *repository_read_exclude(int directory, size_t *bytes)
{
    char *text = repository_read(directory, ".git/info/exclude", bytes);

    return text == NULL && errno == ENOTDIR ? read_linked(directory, bytes) : text;
}

/* Returns the value of a line "name = value", without quotes and a comment; NULL: the line sets
 * another name, or nothing. */
static char *value_of(char *line, const char *name)
{
    size_t bytes = strlen(name);
    bool quoted = false;
    char *value, *to, *end;

    line += strspn(line, " \t");
    if (strncasecmp(line, name, bytes) != 0)
        return NULL;
    line += bytes + strspn(line + bytes, " \t");
    if (*line != '=')
        return NULL;
    line += 1 + strspn(line + 1, " \t");
    value = to = end = line;
    for (; *line != '\0' && (quoted || strchr("#;", *line) == NULL); line++) {
        if (*line == '"') {
            quoted = !quoted;
            continue;
        }
        if (*line == '\\' && line[1] != '\0')
            line++;
        *to++ = *line;
        if (quoted || !isspace((unsigned char)*line))
            end = to;
    }
    *end = '\0';
    return value;
}

/* Finds core.excludesFile in the file `path` of git settings; path NULL: out of memory. *found
 * stays NULL if the file does not set core.excludesFile, and is empty if it sets an empty value, or
 * a path below ~ while HOME is not set. Frees the path. Returns 0 or an errno. */
static int read_setting(char *path, char **found)
{
    const char *home = getenv("HOME");
    size_t bytes = 0;
    char *text = path == NULL ? NULL : repository_read(AT_FDCWD, path, &bytes);
    char *rest = text, *line, *value = NULL;
    int os_code = text != NULL || repository_is_absent(errno) ? 0 : errno;
    bool core = false;

    while (rest != NULL && (line = strsep(&rest, "\n")) != NULL) {
        char *later;

        line += strspn(line, " \t");
        if (*line == '[') {
            core = strncasecmp(line, "[core]", 6) == 0;
            line += core ? 6 : strlen(line);
        }
        later = core ? value_of(line, "excludesfile") : NULL;
        value = later != NULL ? later : value;
    }
    if (value != NULL) {
        *found = strncmp(value, "~/", 2) != 0 ? strdup(value)
                 : home != NULL               ? joined_path(home, value + 2)
                                              : strdup("");
        os_code = *found == NULL ? ENOMEM : 0;
    }
    free(text);
    free(path);
    return os_code;
}

/* Returns the value of the environment's variable; NULL: not set, or empty. */
static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && *value != '\0' ? value : NULL;
}

/* Returns true if git ignores the system's settings. */
static bool has_no_system(void)
{
    const char *value = variable("GIT_CONFIG_NOSYSTEM");

    return value != NULL && strcmp(value, "0") != 0 && strcasecmp(value, "false") != 0 &&
           strcasecmp(value, "no") != 0 && strcasecmp(value, "off") != 0;
}

int repository_find_global(char **path)
{
    const char *home = variable("HOME"), *config = variable("XDG_CONFIG_HOME");
    const char *global = getenv("GIT_CONFIG_GLOBAL"), *system = getenv("GIT_CONFIG_SYSTEM");
    char *folder = NULL;
    int os_code = 0;

    *path = NULL;
    if (home != NULL || config != NULL) {
        folder = config != NULL ? strdup(config) : joined_path(home, ".config");
        if (folder == NULL)
            return ENOMEM;
    }
    if (global != NULL)
        os_code = read_setting(strdup(global), path);
    else if (home != NULL)
        os_code = read_setting(joined_path(home, ".gitconfig"), path);
    if (os_code == 0 && *path == NULL && global == NULL && folder != NULL)
        os_code = read_setting(joined_path(folder, "git/config"), path);
    if (os_code == 0 && *path == NULL && !has_no_system())
        os_code = read_setting(strdup(system != NULL ? system : "/etc/gitconfig"), path);
    if (os_code == 0 && *path == NULL && folder != NULL) {
        *path = joined_path(folder, "git/ignore");
        os_code = *path == NULL ? ENOMEM : 0;
    }
    free(folder);
    return os_code;
}
