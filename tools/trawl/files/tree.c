/* tree: lists the files of a directory and of the directories below.
 *
 * walk.c and the server's refresh.c ask for entry after entry. exclude.c and file_filter.c decide
 * which entries are skipped, and a link to a directory that contains it is reported, not
 * followed. An entry that cannot be read becomes a TREE_ERROR, and the listing goes on.
 */
#include "trawl/files/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "trawl/files/exclude.h"
#include "trawl/files/file_filter.h"
#include "trawl/text/grow.h"
#include "trawl/text/guard.h"
#include "trawl/text/sizes.h"

/* glibc has getdents64 since version 2.30. */
#if defined __GLIBC__ && !__GLIBC_PREREQ(2, 30)
#define GETDENTS(...) syscall(SYS_getdents64, __VA_ARGS__)
#else
#define GETDENTS getdents64
#endif

/* The order of grep 3.8, found by experiment. grep reads up to 100,000 entries of a directory at a
 * time. It sorts a portion of more than 10,000 entries by inode number, except on file systems
 * where sorting does not help. */
#define PORTION_ENTRIES 100000u
#define UNSORTED_ENTRIES 10000u
#define MAGIC_NFS 0x6969
#define MAGIC_CIFS 0xff534d42
#define MAGIC_TMPFS 0x01021994

#define READ_SIZES 32u << 10, 512u /* buffer of getdents64 */
#define READ_BYTES SIZE_OR_SMALL(READ_SIZES)
#define ROOM_FIRST SIZE_OR_SMALL(16u, 1u)   /* initial capacity in entries */
#define NAMES_FIRST SIZE_OR_SMALL(256u, 1u) /* initial capacity for names */
/* A level keeps its arrays for the next directory at the same depth, if the arrays have at most
 * ROOM_KEPT entries and the depth is below LEVELS_KEPT. */
#define ROOM_KEPT SIZE_OR_SMALL(4096u, 2u)
#define LEVELS_KEPT SIZE_OR_SMALL(64u, 3u)
#define REASON_BYTES 512u /* room for why a file was skipped */
#define NO_LEVEL SIZE_MAX

/* An entry of a directory. */
struct found {
    uint64_t key;       /* sort key: the inode number or a time */
    uint32_t name_at;   /* offset in level->names */
    unsigned char type; /* a DT_ constant of <dirent.h> */
};

/* A directory on the path from the root to the directory being read. */
struct level {
    struct tree_directory *directory; /* NULL: closed; reopened when the walk comes back */
    dev_t filesystem;
    ino_t inode;
    bool by_link; /* reached through a link, so ".." may be another directory than the parent */
    bool unread;  /* there may be more entries, from read_offset */
    bool begun;   /* the first portion (PORTION_ENTRIES) was read */
    off64_t read_offset; /* where reading the directory goes on */
    int os_code;         /* error of reading the directory; 0: no error */
    size_t same_hash;    /* the previous level with the same hash (see `chains`), or NO_LEVEL */
    size_t path_bytes;
    struct found *found; /* the entries of the portion that was read last */
    size_t found_count, found_capacity, found_at;
    char *names;
    size_t names_used, names_capacity;
};

struct tree {
    struct tree_options options;
    struct filter_walk *filter; /* NULL: no rules */
    bool begun;
    char *note; /* the text of the last TREE_NOTE */
    size_t note_capacity;
    struct level *levels;
    size_t level_count, level_capacity;
    size_t *chains; /* chains[h] is the last level whose (filesystem, inode) has hash h */
    size_t chain_count;
    char *path;
    size_t path_capacity, root_bytes;
    union {
        struct dirent64 alignment;
        char bytes[SIZE_ROOM(READ_SIZES)];
    } buffer;
};

void tree_directory_drop(struct tree_directory *directory)
{
    if (directory == NULL ||
        atomic_fetch_sub_explicit(&directory->holder_count, 1, memory_order_acq_rel) != 1)
        return;
    close(directory->descriptor);
    free(directory);
}

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Sets tree->path to the directory's path, a slash and the name. Returns the offset of the name, or
 * 0 without memory. */
static size_t set_name(struct tree *tree, const struct level *level, const char *name)
{
    size_t at = level->path_bytes, name_bytes = strlen(name) + 1;

    if (!GROW(tree->path, tree->path_capacity, NAMES_FIRST, at + 1 + name_bytes))
        return 0;
    if (tree->path[at - 1] != '/')
        tree->path[at++] = '/';
    memcpy(tree->path + at, name, name_bytes);
    return at;
}

static bool set_entry(struct tree *tree, struct tree_entry *entry, enum tree_kind kind, int os_code)
{
    memset(entry, 0, sizeof *entry);
    entry->kind = kind;
    entry->os_code = os_code;
    entry->path = tree->path;
    return true;
}

/* Reports that the entry of tree->path was skipped and why, if the caller or --debug asks for
 * that. False: nothing to report. */
static bool set_note(struct tree *tree, struct tree_entry *entry, enum tree_left why,
                     unsigned char type, const char *reason)
{
    size_t bytes = strlen(tree->path) + strlen(reason) + 16;

    if (tree->options.reports_left) {
        set_entry(tree, entry, TREE_LEFT, 0);
        entry->why = why;
        entry->type = type;
        return true;
    }
    if (!tree->options.files->debug)
        return false;
    if (!GROW(tree->note, tree->note_capacity, NAMES_FIRST, bytes))
        return set_entry(tree, entry, TREE_ERROR, ENOMEM);
    (void)snprintf(tree->note, bytes, "%s: skipped: %s", tree->path, reason);
    set_entry(tree, entry, TREE_NOTE, 0);
    entry->path = tree->note;
    return true;
}

/* ---- Loops ----------------------------------------------------------------------------------- */

static size_t hash_of(const struct tree *tree, dev_t filesystem, ino_t inode)
{
    uint64_t mixed = ((uint64_t)inode ^ (uint64_t)filesystem << 40) * UINT64_C(0x9e3779b97f4a7c15);

    return (size_t)(mixed >> 32) & (tree->chain_count - 1);
}

static bool is_above(const struct tree *tree, dev_t filesystem, ino_t inode)
{
    if (tree->chain_count == 0)
        return false;
    for (size_t at = tree->chains[hash_of(tree, filesystem, inode)]; at != NO_LEVEL;
         at = tree->levels[at].same_hash)
        if (tree->levels[at].inode == inode && tree->levels[at].filesystem == filesystem)
            return true;
    return false;
}

static void chain(struct tree *tree, size_t at)
{
    struct level *level = &tree->levels[at];
    size_t *last = &tree->chains[hash_of(tree, level->filesystem, level->inode)];

    level->same_hash = *last;
    *last = at;
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* Returns room for one more level. Its arrays may be those of an earlier directory at this depth;
 * no other member is set. */
static struct level *new_level(struct tree *tree)
{
    size_t capacity = tree->level_capacity;

    if (!GROW(tree->levels, capacity, ROOM_FIRST, tree->level_count + 1))
        return NULL;
    memset(tree->levels + tree->level_capacity, 0,
           (capacity - tree->level_capacity) * sizeof *tree->levels);
    tree->level_capacity = capacity;
    if (tree->chain_count < capacity) {
        size_t *chains = realloc(tree->chains, capacity * sizeof *chains);

        if (chains == NULL)
            return NULL;
        tree->chains = chains;
        tree->chain_count = capacity;
        for (size_t i = 0; i < capacity; i++)
            chains[i] = NO_LEVEL;
        for (size_t i = 0; i < tree->level_count; i++)
            chain(tree, i);
    }
    return &tree->levels[tree->level_count];
}

static void free_level_room(struct level *level)
{
    free(level->found);
    free(level->names);
    level->found = NULL;
    level->names = NULL;
    level->found_capacity = level->names_capacity = 0;
}

/* Closes a directory above the last level, if ".." of the level below leads back to the directory.
 * The root stays open. Returns true if the directory was closed. */
static bool close_for_now(struct tree *tree, size_t at)
{
    struct level *level = &tree->levels[at];

    if (at == 0 || at + 1 >= tree->level_count || level->directory == NULL ||
        tree->levels[at + 1].by_link)
        return false;
    tree_directory_drop(level->directory);
    level->directory = NULL;
    return true;
}

/* Closes a directory, so that another descriptor can be opened. False: there is none to close. */
static bool close_some(struct tree *tree)
{
    for (size_t i = 1; i + 1 < tree->level_count; i++)
        if (close_for_now(tree, i))
            return true;
    return false;
}

/* Opens a directory; if descriptors run out, closes other directories of the tree first. NULL:
 * errno says why. */
static struct tree_directory *open_directory(struct tree *tree, int parent, const char *name,
                                             bool follow, struct stat *status)
{
    int flags =
        O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
    struct tree_directory *directory = malloc(sizeof *directory);
    int os_code;

    if (directory == NULL)
        return NULL;
    do {
        directory->descriptor = openat(parent, name, flags);
    } while (directory->descriptor < 0 && (errno == EMFILE || errno == ENFILE) && close_some(tree));
    atomic_init(&directory->holder_count, 1);
    if (directory->descriptor >= 0 && fstat(directory->descriptor, status) == 0)
        return directory;
    os_code = errno;
    if (directory->descriptor >= 0)
        close(directory->descriptor);
    free(directory);
    errno = os_code;
    return NULL;
}

/* Descends into the directory tree->path. Returns false if it could not; `entry` then says why.
 * Returns true even if the directory is skipped and there is nothing to report. */
static bool enter(struct tree *tree, const char *name, bool by_link, struct tree_entry *entry)
{
    size_t path_bytes = strlen(tree->path), depth = tree->level_count;
    bool follow = tree->options.follow || depth == 0;
    struct level *level = new_level(tree);
    struct tree_directory *directory;
    struct stat status;

    if (level == NULL)
        return !set_entry(tree, entry, TREE_ERROR, ENOMEM);
    directory =
        open_directory(tree, depth == 0 ? AT_FDCWD : tree->levels[depth - 1].directory->descriptor,
                       name, follow, &status);
    if (directory == NULL)
        return !set_entry(tree, entry, TREE_ERROR, errno);
    if ((by_link || !tree->options.as_ripgrep) && is_above(tree, status.st_dev, status.st_ino)) {
        tree_directory_drop(directory);
        return !set_entry(tree, entry, TREE_LOOP, 0);
    }
    if (tree->options.files->one_file_system && depth > 0 &&
        status.st_dev != tree->levels[0].filesystem) {
        tree_directory_drop(directory);
        return !set_note(tree, entry, LEFT_BY_RULE, DT_DIR, "it is in another file system");
    }
    level->directory = directory;
    level->filesystem = status.st_dev;
    level->inode = status.st_ino;
    level->by_link = by_link;
    level->unread = true;
    level->begun = false;
    level->read_offset = 0;
    level->os_code = 0;
    level->path_bytes = path_bytes;
    level->found_count = level->found_at = level->names_used = 0;
    chain(tree, tree->level_count++);
    if (tree->options.watcher != NULL)
        tree->options.watcher->enter(tree->options.watcher->context, directory->descriptor,
                                     tree->path);
    if (tree->level_count > tree->options.open_levels)
        (void)close_for_now(tree, tree->level_count - tree->options.open_levels);
    return true;
}

/* Reopens the directory of the level before the last, which was closed to spare a descriptor.
 * False: errno says why. */
static bool reopen_parent(struct tree *tree)
{
    struct level *child = &tree->levels[tree->level_count - 1], *level = child - 1;
    struct stat status;

    level->directory = open_directory(tree, child->directory->descriptor, "..", false, &status);
    if (level->directory == NULL)
        return false;
    if (status.st_dev == level->filesystem && status.st_ino == level->inode &&
        (!level->unread ||
         lseek64(level->directory->descriptor, level->read_offset, SEEK_SET) >= 0))
        return true;
    tree_directory_drop(level->directory);
    level->directory = NULL;
    errno = ENOENT; /* the child was moved meanwhile, so ".." is another directory */
    return false;
}

/* Leaves the directory of the last level. */
static void drop_level(struct tree *tree)
{
    struct level *level = &tree->levels[--tree->level_count];

    if (tree->filter != NULL)
        filter_leave(tree->filter, tree->level_count);
    tree_directory_drop(level->directory);
    tree->chains[hash_of(tree, level->filesystem, level->inode)] = level->same_hash;
    if (tree->level_count >= LEVELS_KEPT || level->found_capacity > ROOM_KEPT)
        free_level_room(level);
}

/* Goes up a level. False: the parent could not be reopened, which `entry` reports; the walk
 * continues in the nearest directory above that is still open. */
static bool leave(struct tree *tree, struct tree_entry *entry)
{
    struct level *parent;

    if (tree->level_count > 1) {
        parent = &tree->levels[tree->level_count - 2];
        if (parent->directory == NULL && !reopen_parent(tree)) {
            set_entry(tree, entry, TREE_ERROR, errno);
            tree->path[parent->path_bytes] = '\0';
            do
                drop_level(tree);
            while (tree->levels[tree->level_count - 1].directory == NULL);
            return false;
        }
    }
    drop_level(tree);
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Adds an entry of the level's directory. False: no memory. */
static bool add_found(struct level *level, const struct dirent64 *read)
{
    size_t name_bytes = strlen(read->d_name) + 1;

    if (level->names_used > UINT32_MAX ||
        !GROW(level->found, level->found_capacity, ROOM_FIRST, level->found_count + 1) ||
        !GROW(level->names, level->names_capacity, NAMES_FIRST, level->names_used + name_bytes))
        return false;
    memcpy(level->names + level->names_used, read->d_name, name_bytes);
    level->found[level->found_count].key = read->d_ino;
    level->found[level->found_count].name_at = (uint32_t)level->names_used;
    level->found[level->found_count].type = read->d_type;
    level->found_count++;
    level->names_used += name_bytes;
    return true;
}

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static int compare_found(const void *left, const void *right)
{
    const struct found *one = left, *other = right;

    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->name_at < other->name_at ? -1 : 1;
}

static int compare_names(const void *left, const void *right, void *names)
{
    const struct found *one = left, *other = right;

    return strcmp((char *)names + one->name_at, (char *)names + other->name_at);
}

static int compare_names_backwards(const void *left, const void *right, void *names)
{
    return compare_names(right, left, names);
}

/* Returns the time for --sort, as a number that grows with the time; 0: unknown. */
static uint64_t time_of(const struct tree *tree, int directory, const char *name)
{
    struct statx facts;
    const struct statx_timestamp *time = &facts.stx_mtime;
    unsigned mask = STATX_MTIME;

    if (tree->options.files->sort == SORT_ACCESSED) {
        time = &facts.stx_atime;
        mask = STATX_ATIME;
    } else if (tree->options.files->sort == SORT_CREATED) {
        time = &facts.stx_btime;
        mask = STATX_BTIME;
    }
    if (statx(directory, name, tree->options.follow ? 0 : AT_SYMLINK_NOFOLLOW, mask, &facts) != 0 ||
        (facts.stx_mask & mask) == 0)
        return 0;
    return ((uint64_t)time->tv_sec ^ UINT64_C(1) << 33) << 30 | time->tv_nsec;
}

/* Sorts level->found, the entries that were read last, by --sort or --sortr. */
static void sort_found(struct tree *tree, struct level *level)
{
    bool backwards = tree->options.files->sort_backwards;

    if (level->found_count == 0) /* qsort needs an array */
        return;
    if (tree->options.files->sort == SORT_PATH) {
        qsort_r(level->found, level->found_count, sizeof *level->found,
                backwards ? compare_names_backwards : compare_names, level->names);
        return;
    }
    for (size_t i = 0; i < level->found_count; i++) {
        uint64_t time =
            time_of(tree, level->directory->descriptor, level->names + level->found[i].name_at);

        level->found[i].key = backwards ? ~time : time;
    }
    qsort(level->found, level->found_count, sizeof *level->found, compare_found);
}

static bool gains_by_sorting(const struct level *level)
{
    struct statfs facts;

    if (fstatfs(level->directory->descriptor, &facts) != 0)
        return true;
    return (uint32_t)facts.f_type != MAGIC_NFS && (uint32_t)facts.f_type != MAGIC_CIFS &&
           (uint32_t)facts.f_type != MAGIC_TMPFS;
}

/* Reads the rule files of the level's directory. If only a portion of the directory was read, any
 * rule file may follow, so every kind is tried. */
static void read_rules(struct tree *tree, struct level *level, bool has[FILTER_FILES])
{
    int os_code;

    for (size_t i = 0; level->unread && i < FILTER_FILES; i++)
        has[i] = true;
    level->begun = true;
    os_code = filter_enter(tree->filter, tree->level_count - 1, level->directory->descriptor,
                           tree->path, has);
    if (os_code != 0) {
        level->unread = false;
        level->found_count = 0; /* search nothing rather than files that the rules skip */
        level->os_code = os_code;
    }
}

/* Reads the next portion of a directory's entries. */
static void read_portion(struct tree *tree, struct level *level)
{
    int descriptor = level->directory->descriptor;
    size_t max = tree->options.files->sort == SORT_NONE ? PORTION_ENTRIES : SIZE_MAX;
    bool has[FILTER_FILES] = {false};
    enum filter_file file;
    ssize_t got = 0;

    level->found_count = level->found_at = level->names_used = 0;
    while (level->unread && level->found_count < max) {
        got = GETDENTS(descriptor, tree->buffer.bytes, READ_BYTES);
        if (got <= 0) {
            level->unread = false;
            level->os_code = got < 0 ? errno : 0;
        }
        for (ssize_t at = 0; at < got && level->found_count < max;) {
            const struct dirent64 *read = (const void *)(tree->buffer.bytes + at);

            at += read->d_reclen;
            level->read_offset = read->d_off;
            if (tree->filter != NULL && filter_wants(tree->options.filter, read->d_name, &file))
                has[file] = true;
            if (!is_dots(read->d_name) && !add_found(level, read)) {
                level->unread = false;
                level->os_code = ENOMEM;
                break;
            }
        }
    }
    if (level->unread && lseek64(descriptor, level->read_offset, SEEK_SET) < 0) {
        level->unread = false;
        level->os_code = errno;
    }
    if (tree->filter != NULL && !level->begun)
        read_rules(tree, level, has);
    if (tree->options.files->sort != SORT_NONE)
        sort_found(tree, level);
    else if (level->found_count > UNSORTED_ENTRIES && gains_by_sorting(level))
        qsort(level->found, level->found_count, sizeof *level->found, compare_found);
}

static bool is_special_type(unsigned char type)
{
    return type == DT_CHR || type == DT_BLK || type == DT_SOCK || type == DT_FIFO;
}

static const char no_memory[] = "no memory";

/* Returns why the entry of tree->path is skipped; NULL if it is not, and no_memory if memory ran
 * out while comparing the rules. Sets *why to the kind of rule or limit that skips the entry. */
static const char *reason_against(struct tree *tree, const struct level *level, size_t name_at,
                                  unsigned char type, enum tree_left *why, char room[REASON_BYTES])
{
    const struct file_settings *files = tree->options.files;
    struct stat status;

    if (tree->filter != NULL)
        switch (filter_ask(tree->filter, tree->path, name_at, type == DT_DIR)) {
        case FILTER_TAKES:
        case FILTER_UNDECIDED:
            break;
        case FILTER_SKIPS:
            *why = filter_why(tree->filter);
            return files->debug ? filter_reason(tree->filter, room, REASON_BYTES) : "a rule";
        case FILTER_NO_MEMORY:
            return no_memory;
        }
    *why = LEFT_TOO_DEEP;
    if (type == DT_DIR && tree->level_count >= files->depth_max)
        return "it is deeper than --max-depth";
    *why = LEFT_TOO_LARGE;
    if (files->bytes_max != UINT64_MAX && type == DT_REG &&
        fstatat(level->directory->descriptor, tree->path + name_at, &status,
                tree->options.follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 &&
        (uint64_t)status.st_size > files->bytes_max)
        return "it is larger than --max-filesize";
    return NULL;
}

/* Handles the next entry of the last level. False: there is nothing to report to the caller. */
static bool take_entry(struct tree *tree, struct level *level, struct tree_entry *entry)
{
    const struct found *found = &level->found[level->found_at++];
    const char *name = level->names + found->name_at;
    unsigned char type = found->type;
    bool follow = tree->options.follow;
    char room[REASON_BYTES];
    enum tree_left why = LEFT_BY_OPTION;
    const char *reason;
    size_t name_at;
    bool is_excluded;
    int os_code = 0;        /* fstatat's error, such as for a link that leads nowhere */
    bool is_circle = false; /* a link leads to a directory above */

    if (guard_is_over(tree->options.guard))
        return set_entry(tree, entry, TREE_ERROR, ECANCELED);
    if (type == DT_UNKNOWN || (type == DT_LNK && follow)) {
        struct stat status;

        type = DT_UNKNOWN; /* if fstatat fails, opening the file reports the error */
        if (fstatat(level->directory->descriptor, name, &status,
                    follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0)
            type = (unsigned char)IFTODT(status.st_mode);
        else
            os_code = errno;
        is_circle = type == DT_DIR && follow && is_above(tree, status.st_dev, status.st_ino);
    }
    if (type == DT_LNK || (tree->options.skip_special_files && is_special_type(type)))
        return false;
    is_excluded = tree->options.exclude != NULL &&
                  exclude_skips(tree->options.exclude, name, false, type == DT_DIR);
    tree->options.left[LEFT_EXCLUDED] += is_excluded;
    if (is_excluded && !tree->options.reports_left)
        return false;
    name_at = set_name(tree, level, name);
    if (name_at == 0) {
        tree->path[level->path_bytes] = '\0';
        return set_entry(tree, entry, TREE_ERROR, ENOMEM);
    }
    reason = is_excluded ? "an option" : reason_against(tree, level, name_at, type, &why, room);
    if (reason == no_memory)
        return set_entry(tree, entry, TREE_ERROR, ENOMEM);
    tree->options.left[why] += reason != NULL && !is_excluded;
    /* as in ripgrep, rules do not hide a link that cannot be followed */
    if (reason != NULL && !is_excluded && !tree->options.reports_left &&
        (is_circle || os_code != 0))
        return set_entry(tree, entry, is_circle ? TREE_LOOP : TREE_ERROR, os_code);
    if (reason != NULL)
        return set_note(tree, entry, why, type, reason);
    if (type == DT_DIR)
        return !enter(tree, tree->path + name_at, follow && found->type != DT_DIR, entry);
    set_entry(tree, entry, TREE_FILE, 0);
    entry->name_at = name_at;
    entry->directory = level->directory;
    entry->type = type;
    return true;
}

bool tree_next(struct tree *tree, struct tree_entry *entry)
{
    if (!tree->begun) {
        tree->begun = true;
        if (tree->options.files->depth_max == 0)
            return false;
        if (!enter(tree, tree->path, false, entry))
            return true;
    }
    while (tree->level_count > 0) {
        struct level *level = &tree->levels[tree->level_count - 1];

        if (level->found_at < level->found_count) {
            if (take_entry(tree, level, entry))
                return true;
        } else if (level->unread) {
            read_portion(tree, level);
        } else if (level->os_code != 0) {
            tree->path[level->path_bytes] = '\0';
            set_entry(tree, entry, TREE_ERROR, level->os_code);
            level->os_code = 0;
            return true;
        } else if (!leave(tree, entry)) {
            return true;
        }
    }
    return false;
}

struct tree *tree_open(const char *root, const struct tree_options *options)
{
    struct tree *tree = calloc(1, sizeof *tree);
    size_t bytes = strlen(root);

    if (tree == NULL)
        return NULL;
    tree->options = *options;
    while (!options->as_ripgrep && bytes > 2 && root[bytes - 1] == '/' && root[bytes - 2] == '/')
        bytes--; /* of several slashes at the end only the first stays, as in grep */
    if (!GROW(tree->path, tree->path_capacity, NAMES_FIRST, bytes + 1)) {
        free(tree);
        return NULL;
    }
    memcpy(tree->path, root, bytes);
    tree->path[bytes] = '\0';
    if (options->filter != NULL) {
        tree->filter = filter_walk_open(options->filter, tree->path);
        if (tree->filter == NULL) {
            int os_code = errno;

            tree_close(tree);
            errno = os_code;
            return NULL;
        }
    }
    return tree;
}

void tree_close(struct tree *tree)
{
    if (tree == NULL)
        return;
    while (tree->level_count > 0)
        drop_level(tree);
    for (size_t i = 0; i < tree->level_capacity; i++)
        free_level_room(&tree->levels[i]);
    if (tree->filter != NULL)
        filter_walk_close(tree->filter);
    free(tree->levels);
    free(tree->chains);
    free(tree->note);
    free(tree->path);
    free(tree);
}
