/* cores: counts the cores that the process may keep busy, and compares the runnable threads of
 * /proc/loadavg with the machine's cores. */
#include "base/cores.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOADAVG_BYTES 128u /* more than the line in /proc/loadavg has */

#define FILE_BYTES 4096u
#define SETS 8u /* room for 8,192 cores, as many as Linux supports; one set has 1,024 */

/* Reads the beginning of a file of the system into text[FILE_BYTES]; "" if that is impossible. */
static void read_file(const char *root, const char *folder, const char *name, char *text)
{
    char path[FILE_BYTES];
    int fd = snprintf(path, sizeof path, "%s%s%s", root, folder, name) < (int)sizeof path
                 ? open(path, O_RDONLY | O_CLOEXEC)
                 : -1;
    ssize_t count = fd < 0 ? 0 : read(fd, text, FILE_BYTES - 1);

    text[count > 0 ? count : 0] = 0;
    if (fd >= 0)
        (void)close(fd);
}

/* Returns a control group's quota of cores, rounded up: the time that all threads together get in a
 * period. UINT32_MAX: it has none. */
static uint32_t group_quota(const char *root, const char *folder, bool is_v2)
{
    char text[FILE_BYTES], *end = text;
    long long quota, period;

    read_file(root, folder, is_v2 ? "/cpu.max" : "/cpu.cfs_quota_us", text);
    quota = strtoll(text, &end, 10); /* 0 for "max" */
    if (!is_v2) {
        read_file(root, folder, "/cpu.cfs_period_us", text);
        end = text;
    }
    period = strtoll(end, NULL, 10);
    if (quota <= 0 || period <= 0 || (quota - 1) / period >= UINT32_MAX)
        return UINT32_MAX;
    return (uint32_t)((quota - 1) / period + 1);
}

/* Returns the lowest quota of the group with this path and the groups above it. In a container, the
 * topmost directory may have the files of the process's own group. */
static uint32_t path_quota(const char *root, char *path, bool is_v2)
{
    uint32_t min = UINT32_MAX, quota;
    char folder[FILE_BYTES], *slash = path;

    while (slash != NULL) {
        if (path[strspn(path, "/")] == 0)
            *path = 0;
        slash = strrchr(path, '/');
        if (snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", is_v2 ? "" : "/cpu", path) <
            (int)sizeof folder) {
            quota = group_quota(root, folder, is_v2);
            min = quota < min ? quota : min;
        }
        if (slash != NULL)
            *slash = 0;
    }
    return min;
}

/* /proc/self/cgroup has lines "0::PATH" (cgroup v2) and "NUMBER:CONTROLLERS:PATH" (v1). */
uint32_t cores_quota(const char *root)
{
    char text[FILE_BYTES], *rest = text, *line;
    uint32_t min = UINT32_MAX, quota;

    read_file(root, "/proc/self/cgroup", "", text);
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *path = line, *controllers;
        bool is_v2, is_cpu = false;

        (void)strsep(&path, ":");
        controllers = strsep(&path, ":");
        if (path == NULL)
            continue;
        is_v2 = *controllers == 0;
        for (char *word; (word = strsep(&controllers, ",")) != NULL;)
            is_cpu = is_cpu || strcmp(word, "cpu") == 0;
        if (!is_v2 && !is_cpu)
            continue;
        quota = path_quota(root, path, is_v2);
        min = quota < min ? quota : min;
    }
    return min;
}

/* The quota is read once: reading takes about 50 us. */
uint32_t cores_available(void)
{
    static _Atomic uint32_t quota;
    uint32_t count = 1, max = UINT32_MAX;
    cpu_set_t sets[SETS];

    if (sched_getaffinity(0, sizeof sets, sets) == 0)
        count = (uint32_t)CPU_COUNT_S(sizeof sets, sets);
    if (count > 1 && (max = atomic_load(&quota)) == 0) {
        max = cores_quota("");
        atomic_store(&quota, max);
    }
    count = count < max ? count : max;
    return count > 0 ? count : 1;
}

bool cores_busy(void)
{
    static _Atomic long cores;
    char text[LOADAVG_BYTES], *field = text;
    ssize_t count;
    int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    count = read(fd, text, sizeof text - 1);
    (void)close(fd);
    text[count > 0 ? count : 0] = 0;
    if (atomic_load(&cores) == 0)
        atomic_store(&cores, sysconf(_SC_NPROCESSORS_ONLN));
    /* the fourth field is "runnable threads/all threads" */
    for (unsigned i = 0; i < 3 && field != NULL; i++)
        field = strchr(field + (i > 0), ' ');
    return field != NULL && atomic_load(&cores) > 0 &&
           strtol(field, NULL, 10) > atomic_load(&cores);
}
