/* serve_memory: finds how much memory the process may use, from the machine's free memory and the
 * limits of its control groups. */
#include "serve/serve_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4096u

/* Returns the number that follows `key` at the start of a line of the file; with key "", the number
 * at the start of the first line with a number. Returns UINT64_MAX if there is no such number. */
static uint64_t read_number(const char *root, const char *path, const char *name, const char *key)
{
    char whole[PATH_BYTES], line[256];
    uint64_t number = UINT64_MAX;
    size_t key_bytes = strlen(key);
    FILE *file;

    if (snprintf(whole, sizeof whole, "%s%s%s", root, path, name) >= (int)sizeof whole)
        return UINT64_MAX;
    file = fopen(whole, "re");
    while (file != NULL && number == UINT64_MAX && fgets(line, sizeof line, file) != NULL) {
        char *end, *begin = line + key_bytes;

        if (strncmp(line, key, key_bytes) != 0)
            continue;
        number = strtoull(begin, &end, 10);
        number = end == begin ? UINT64_MAX : number; /* a word such as "max" */
    }
    if (file != NULL)
        fclose(file);
    return number;
}

/* Returns the lowest limit of a control group and of the groups above it. Also reads the topmost
 * directory (`mount`), because in a container it may contain the files of the process's own
 * group. */
static uint64_t limit_of(const char *root, const char *mount, char *group, const char *name)
{
    uint64_t least = UINT64_MAX, limit;

    for (;;) {
        char path[PATH_BYTES];
        char *slash = strrchr(group, '/');

        if (snprintf(path, sizeof path, "%s%s", mount, group) < (int)sizeof path) {
            limit = read_number(root, path, name, "");
            least = limit < least ? limit : least;
        }
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* Returns the lowest memory limit among the process's control groups. /proc/self/cgroup has lines
 * "0::PATH" (v2) and "NUMBER:CONTROLLERS:PATH" (v1). */
static uint64_t group_limit(const char *root)
{
    char path[PATH_BYTES], line[PATH_BYTES];
    uint64_t least = UINT64_MAX, limit;
    FILE *file;

    if (snprintf(path, sizeof path, "%s/proc/self/cgroup", root) >= (int)sizeof path)
        return UINT64_MAX;
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':'), *group;

        group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (group == NULL)
            continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        if (controllers[1] == '\0')
            limit = limit_of(root, "/sys/fs/cgroup", group, "/memory.max");
        else if (strcmp(controllers + 1, "memory") == 0)
            limit = limit_of(root, "/sys/fs/cgroup/memory", group, "/memory.limit_in_bytes");
        else
            continue;
        least = limit < least ? limit : least;
    }
    if (file != NULL)
        fclose(file);
    return least;
}

uint64_t memory_available(const char *root)
{
    uint64_t kibibytes = read_number(root, "/proc/meminfo", "", "MemAvailable:");
    uint64_t limit = group_limit(root);
    uint64_t available = kibibytes != UINT64_MAX ? kibibytes << 10
                                                 : (uint64_t)sysconf(_SC_PHYS_PAGES) *
                                                       (uint64_t)sysconf(_SC_PAGESIZE) / 2;

    return available < limit ? available : limit;
}
