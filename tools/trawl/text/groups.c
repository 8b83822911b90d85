/* groups: reads the limits of control groups. src/base/cores.c does so for the library. */
#include "trawl/text/groups.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES 4096u

/* Reads the beginning of a file into text[FILE_BYTES]; "" if that is impossible. */
static void read_file(const char *root, const char *folder, const char *name, char *text)
{
    char path[FILE_BYTES];
    int file = snprintf(path, sizeof path, "%s%s%s", root, folder, name) < (int)sizeof path
                   ? open(path, O_RDONLY | O_CLOEXEC)
                   : -1;
    ssize_t count = file < 0 ? 0 : read(file, text, FILE_BYTES - 1);

    text[count > 0 ? count : 0] = '\0';
    if (file >= 0)
        close(file);
}

/* Returns the number at the start of the text, and sets *rest to what follows it. UINT64_MAX: there
 * is none, as in "max". */
static uint64_t read_number(const char *text, char **rest)
{
    uint64_t number = strtoull(text, rest, 10);

    return *rest == text ? UINT64_MAX : number;
}

typedef uint64_t group_limit(const char *root, const char *group, bool is_v2);

static uint64_t memory_limit(const char *root, const char *group, bool is_v2)
{
    char text[FILE_BYTES], *rest;

    read_file(root, group, is_v2 ? "/memory.max" : "/memory.limit_in_bytes", text);
    return read_number(text, &rest);
}

/* A quota is the time that all threads together get in each period; -1: no limit. */
static uint64_t core_limit(const char *root, const char *group, bool is_v2)
{
    char text[FILE_BYTES], *rest;
    uint64_t quota, period;

    read_file(root, group, is_v2 ? "/cpu.max" : "/cpu.cfs_quota_us", text);
    quota = read_number(text, &rest);
    if (quota == 0 || quota > INT64_MAX)
        return UINT64_MAX;
    if (!is_v2) {
        read_file(root, group, "/cpu.cfs_period_us", text);
        rest = text;
    }
    period = read_number(rest, &rest);
    return period == 0 || period > INT64_MAX ? UINT64_MAX : (quota - 1) / period + 1;
}

/* Returns the lowest limit of a control group and of the groups above it. Also reads the topmost
 * directory (`mount`), because in a container it may contain the files of the process's own
 * group. */
static uint64_t lowest(const char *root, const char *mount, char *group, bool is_v2,
                       group_limit *limit_of)
{
    uint64_t min = UINT64_MAX, limit;
    char path[FILE_BYTES], *slash = group;

    while (slash != NULL) {
        if (group[strspn(group, "/")] == '\0')
            *group = '\0';
        slash = strrchr(group, '/');
        if (snprintf(path, sizeof path, "%s%s", mount, group) < (int)sizeof path) {
            limit = limit_of(root, path, is_v2);
            min = limit < min ? limit : min;
        }
        if (slash != NULL)
            *slash = '\0';
    }
    return min;
}

/* Returns true if a list with commas has the word. */
static bool has_word(char *list, const char *word)
{
    char *at;

    while ((at = strsep(&list, ",")) != NULL)
        if (strcmp(at, word) == 0)
            return true;
    return false;
}

/* Returns the lowest limit among the process's control groups. /proc/self/cgroup has lines
 * "0::PATH" (v2) and "NUMBER:CONTROLLERS:PATH" (v1). */
static uint64_t min_limit(const char *root, const char *controller, group_limit *limit_of)
{
    char text[FILE_BYTES], mount[64], *rest = text, *line;
    uint64_t min = UINT64_MAX, limit;

    (void)snprintf(mount, sizeof mount, "/sys/fs/cgroup/%s", controller);
    read_file(root, "/proc/self/cgroup", "", text);
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *group = line, *controllers;
        bool is_v2;

        (void)strsep(&group, ":");
        controllers = strsep(&group, ":");
        if (group == NULL)
            continue;
        is_v2 = *controllers == '\0';
        if (!is_v2 && !has_word(controllers, controller))
            continue;
        limit = lowest(root, is_v2 ? "/sys/fs/cgroup" : mount, group, is_v2, limit_of);
        min = limit < min ? limit : min;
    }
    return min;
}

uint64_t groups_memory(const char *root)
{
    static const char key[] = "MemAvailable:";
    uint64_t limit = min_limit(root, "memory", memory_limit), available = UINT64_MAX;
    char text[FILE_BYTES], *at;

    read_file(root, "/proc/meminfo", "", text);
    at = strstr(text, key);
    if (at != NULL)
        available = read_number(at + strlen(key), &at);
    available = available != UINT64_MAX
                    ? available << 10
                    : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    return available < limit ? available : limit;
}

uint64_t groups_cores(const char *root)
{
    return min_limit(root, "cpu", core_limit);
}
