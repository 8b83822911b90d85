/* facts: a file's owner, group, extended attributes and mode, for the file that replaces it */
#include "trawl/text/facts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ATTRIBUTE_BYTES (64u << 10) /* Linux's limit of a value, and of a file's names together */
#define ACCESS_LIST "system.posix_acl_access"

/* Room for extended attributes: the names, and a value of the old and of the new file. */
struct attributes {
    char names[ATTRIBUTE_BYTES], old[ATTRIBUTE_BYTES], made[ATTRIBUTE_BYTES];
};

static void lose(char *lost, const char *what)
{
    const size_t used = strlen(lost);

    (void)snprintf(lost + used, FACTS_LOST_BYTES - used, "%s%s", used > 0 ? ", " : "", what);
}

/* Gives the new file an extended attribute of the old one. False: the system denied it. */
static bool keep_attribute(const char *old, int made, struct attributes *room, const char *name,
                           char *lost)
{
    const ssize_t count = getxattr(old, name, room->old, sizeof room->old);

    /* the system gives a new file some, such as SELinux's, and may not let them be set */
    if (count < 0 ? errno == ENODATA
                  : (fgetxattr(made, name, room->made, sizeof room->made) == count &&
                     memcmp(room->old, room->made, (size_t)count) == 0) ||
                        fsetxattr(made, name, room->old, (size_t)count, 0) == 0)
        return true;
    lose(lost, name);
    return false;
}

/* Gives the new file the old one's extended attributes. False: it lacks the old one's access list,
 * or has one that the directory gave it. */
static bool keep_attributes(const char *old, int made, char *lost)
{
    const ssize_t wanted = listxattr(old, NULL, 0);
    const bool has_some = wanted > 0 || (wanted < 0 && errno != EOPNOTSUPP);
    struct attributes *room = has_some ? malloc(sizeof *room) : NULL;
    const ssize_t bytes = room != NULL ? listxattr(old, room->names, sizeof room->names) : -1;
    bool has_list = false, kept;

    if (has_some && bytes < 0)
        lose(lost, "extended attributes");
    for (ssize_t at = 0; at < bytes; at += (ssize_t)strlen(room->names + at) + 1) {
        if (strcmp(room->names + at, ACCESS_LIST) == 0)
            has_list = true; /* last: it may forbid writing, and with it the others */
        else
            (void)keep_attribute(old, made, room, room->names + at, lost);
    }
    kept = has_list
               ? keep_attribute(old, made, room, ACCESS_LIST, lost)
               : fremovexattr(made, ACCESS_LIST) == 0 || errno == ENODATA || errno == EOPNOTSUPP;
    free(room);
    return kept && !(has_some && bytes < 0);
}

void facts_keep(const char *old, uid_t owner, gid_t group, mode_t mode, int made, char *lost)
{
    struct stat now;
    const bool known = fstat(made, &now) == 0;
    bool same_group = true;

    lost[0] = '\0';
    if ((!known || now.st_uid != owner) && fchown(made, owner, (gid_t)-1) != 0) {
        lose(lost, "owner");
        mode &= 0777;
    }
    if ((!known || now.st_gid != group) && fchown(made, (uid_t)-1, group) != 0) {
        lose(lost, "group");
        mode &= 0777;
        same_group = false;
    }
    if (!keep_attributes(old, made, lost) || !same_group)
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    if (fchmod(made, mode) != 0)
        lose(lost, "mode");
}
