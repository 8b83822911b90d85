/* refresh: the next state of a collection, from what the kernel told of its directories.
 *
 * A content that changed is read anew; names that changed need a walk. Both end in a new block,
 * and the smallest blocks are merged while they are of a size, as a log-structured merge tree does
 * it. So there are few blocks however often files change.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "serve/inside.h"
#include "trawl/clock.h"
#include "trawl/exclude.h"
#include "trawl/filter.h"
#include "trawl/grow.h"

#define ROUNDS_MAX 8u
#define ROUNDS_NS (SECOND_NS / 5)
#define CONFLICTS_MAX 3u
#define QUIET_NS (10 * SECOND_NS)          /* before a large file that changed is loaded again */
#define REFRESH_BYTES (UINT64_C(64) << 20) /* read while a search waits; more by the thread */
#define MERGE_BYTES (UINT64_C(4) << 20)    /* merged while a search waits, at most */
#define BLOCK_BYTES_SMALL (UINT64_C(64) << 10) /* blocks up to this are of one size */
#define BLOCK_BYTES_MIN (UINT64_C(1) << 30)    /* blocks do not become longer than this, ... */
#define BLOCKS_FULL 4u                         /* ... or a part like this of all files */
#define PAUSE_NS (SECOND_NS / 50)              /* from a notice to the refresh: more may come */

static bool no_memory(char *message)
{
    (void)snprintf(message, SETTINGS_ERROR_BYTES, "memory exhausted");
    return false;
}

/* ---- Notices --------------------------------------------------------------------------------- */

bool watch_directory(struct collection *collection, int descriptor, const char *path, bool *known)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const char *name = ".git/info";
    int rules = openat(descriptor, name, flags);
    size_t bytes = strlen(path) + sizeof "/.git/info";
    char *below;
    bool ignored, good;
    int os_code = ENOMEM;

    if (rules < 0 && errno == ENOENT) /* git may be about to make it */
        rules = openat(descriptor, name = ".git", flags);
    below = rules < 0 ? NULL : malloc(bytes);
    good = rules < 0 || below != NULL;
    if (below != NULL) {
        (void)snprintf(below, bytes, "%s%s%s", path, *path == '\0' ? "" : "/", name);
        good = watches_add(collection->watches, rules, below, known == NULL ? NULL : &ignored);
        os_code = errno;
    }
    if (good) {
        good = watches_add(collection->watches, descriptor, path, known);
        os_code = errno;
    }
    free(below);
    if (rules >= 0)
        close(rules);
    errno = os_code;
    return good;
}

static void add_dirty(struct collection *collection, uint32_t index)
{
    uint32_t *dirty;

    if (collection->dirty_count > 0 && collection->dirty[collection->dirty_count - 1] == index)
        return;
    dirty = grown(collection->dirty, &collection->dirty_capacity, 64, collection->dirty_count + 1,
                  sizeof *dirty);
    if (dirty == NULL) {
        collection->must_walk = collection->must_look = true;
        return;
    }
    collection->dirty = dirty;
    dirty[collection->dirty_count++] = index;
}

static bool is_rule_file(const char *name)
{
    static const char *const names[] = {".gitignore", ".ignore", ".rgignore", ".git", "exclude"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* directory/name, in collection->path. */
static bool set_path(struct collection *collection, const char *directory, const char *name)
{
    size_t bytes = strlen(directory) + strlen(name) + 2;
    char *path = grown(collection->path, &collection->path_capacity, 256, bytes, 1);

    if (path == NULL)
        return false;
    collection->path = path;
    (void)snprintf(path, bytes, "%s%s%s", directory, *directory == '\0' ? "" : "/", name);
    return true;
}

/* Something happened to a file, or to what was one. */
static void take_file_notice(struct collection *collection, const struct notice *notice)
{
    bool limited = collection->walking.files.bytes_max != UINT64_MAX, is_file;
    struct stat status;
    nlink_t links = 0;
    uint32_t index;
    int base = collection->shelf.base;

    if (collection->file != NULL && strcmp(notice->name, collection->file) != 0)
        return;
    if (!set_path(collection, notice->directory, notice->name)) {
        collection->must_walk = collection->must_look = true;
        return;
    }
    if (is_rule_file(notice->name)) {
        collection->renamed = true;
        collection->must_walk |= collection->walking.files.filtering;
    }
    collection->renamed |= notice->kind == NOTICE_NAME;
    index = state_find(collection->state, collection->path);
    if (index != UINT32_MAX) {
        links = collection->state->files[index]->held.status.st_nlink;
        add_dirty(collection, index);
    }
    is_file = fstatat(base, collection->path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISREG(status.st_mode);
    if (links > 1 || (is_file && status.st_nlink > 1)) /* it changed under its other names, too */
        collection->must_walk = collection->must_look = true;
    if (is_file ? limited || (index == UINT32_MAX && notice->kind == NOTICE_NAME)
                : index != UINT32_MAX)
        collection->must_walk = true;
}

/* Nobody tells that an empty base was replaced, or that a directory above it was renamed. */
static bool is_base_replaced(const struct collection *collection)
{
    struct stat named, open;

    return collection->shelf.base >= 0 &&
           (lstat(collection->base, &named) != 0 || fstat(collection->shelf.base, &open) != 0 ||
            named.st_dev != open.st_dev || named.st_ino != open.st_ino);
}

static void take_notices(struct collection *collection)
{
    struct notice notice;

    collection->must_walk |= is_base_replaced(collection);
    while (collection->watches != NULL && watches_next(collection->watches, &notice)) {
        if (notice.kind == NOTICE_LOST)
            collection->must_look = true;
        if (notice.kind == NOTICE_LOST || notice.kind == NOTICE_TREE || collection->state == NULL)
            collection->must_walk = true;
        else
            take_file_notice(collection, &notice);
    }
}

/* ---- States ---------------------------------------------------------------------------------- */

static void publish(struct collection *collection, struct state *state)
{
    struct state *before;

    collection->number = state->number;
    pthread_mutex_lock(&collection->lock);
    before = collection->state;
    collection->state = state;
    pthread_mutex_unlock(&collection->lock);
    state_drop(before);
}

/* Publish a state with what the batch made. False: out of memory, and it is as before. */
static bool publish_change(struct collection *collection, struct file_batch *batch)
{
    struct state *state = state_change(collection->state, batch, collection->number + 1);

    if (state == NULL)
        return false;
    if (collection->renamed)
        state->names = ++collection->names;
    collection->renamed = false;
    for (size_t i = 0; i < batch->count; i++)
        batch->items[i].made = NULL;
    publish(collection, state);
    return true;
}

/* With what it made and nobody took over. */
static void drop_batch(struct file_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        served_file_free(batch->items[i].made, batch->shelf);
    batch_close(batch);
}

/* How much more may be held. */
static uint64_t room_left(const struct collection *collection)
{
    uint64_t used = atomic_load(&collection->shelf.mapped_bytes);

    return used < collection->host_bytes_max ? collection->host_bytes_max - used : 0;
}

static bool fits(const struct file_batch *batch, const struct stat *status, uint64_t most)
{
    return batch->bytes_count + (uint64_t)status->st_size < most;
}

static bool make_item(struct file_batch *batch, uint32_t index, const char *path,
                      const struct stat *status, const struct served_file *source, bool hold)
{
    struct served_file *made = served_file_make(path, status);

    if (made != NULL && batch_add(batch, index, made, source, hold))
        return true;
    free(made);
    return false;
}

static uint64_t block_bytes_max(const struct state *state)
{
    uint64_t part = state->bytes_count / BLOCKS_FULL;

    return part > BLOCK_BYTES_MIN ? part : BLOCK_BYTES_MIN;
}

/* Which of the smallest blocks become one: `first` and all after it, or, if *alone, it alone.
 * UINT32_MAX: none. */
static uint32_t find_merge(const struct state *state, uint64_t bytes_max, bool *alone)
{
    uint64_t sum = 0;
    uint32_t first = state->block_count;

    *alone = true;
    for (uint32_t i = 0; i < state->block_count; i++)
        if (state->blocks[i].live_bytes < state->blocks[i].block->bytes_count / 2 &&
            state->blocks[i].live_bytes <= bytes_max)
            return i;
    *alone = false;
    while (first > 0) {
        uint64_t live = state->blocks[first - 1].live_bytes;

        if ((first < state->block_count && live / 2 > sum + BLOCK_BYTES_SMALL) ||
            sum + live > bytes_max)
            break;
        sum += live;
        first--;
    }
    return first + 1 < state->block_count ? first : UINT32_MAX;
}

/* Copies of blocks to be merged. False: there is nothing to merge, or out of memory. */
static bool plan_merge(const struct state *state, uint64_t bytes_max, struct file_batch *batch)
{
    bool alone;
    uint32_t at = find_merge(state, bytes_max, &alone);

    if (at == UINT32_MAX)
        return false;
    for (uint32_t end = alone ? at + 1 : state->block_count; at < end; at++)
        for (uint64_t i = 0; i < state->blocks[at].range_count; i++) {
            uint32_t index = state->blocks[at].ranges[i].file;
            const struct served_file *file = state->files[index];

            if (!make_item(batch, index, file->path, &file->held.status, file, true))
                return false;
        }
    return true;
}

/* Small blocks that came into being by small changes; the thread does the rest. */
static void merge_small(struct collection *collection)
{
    bool merged = true;

    while (merged) {
        struct file_batch batch = {.shelf = &collection->shelf};

        merged = plan_merge(collection->state, MERGE_BYTES, &batch) && batch_fill(&batch) &&
                 publish_change(collection, &batch);
        drop_batch(&batch);
    }
}

/* ---- Walks ----------------------------------------------------------------------------------- */

struct walking {
    struct collection *collection;
    struct state *before;  /* NULL: none */
    uint8_t *kept, *dirty; /* by index in `before` */
    struct served_file **files;
    size_t count, capacity;
    uint32_t *made; /* which of `files` are new */
    size_t made_count, made_capacity;
    bool *known; /* by depth: the directory's files are as notices told */
    size_t known_capacity;
    bool same_order; /* so far, the files are those of before */
    bool conflict;   /* a directory has two paths */
    bool blind;      /* a directory cannot be watched */
    bool linked;     /* what is new may be what others became, and nobody told */
    bool failed;     /* out of memory */
};

const char *path_below(const struct collection *collection, const char *path)
{
    size_t bytes = strlen(collection->base);

    if (bytes == 1)
        return path[0] == '/' ? path + 1 : NULL;
    if (strncmp(path, collection->base, bytes) != 0)
        return NULL;
    if (path[bytes] == '\0')
        return path + bytes;
    return path[bytes] == '/' ? path + bytes + 1 : NULL;
}

static size_t depth_of(const char *below)
{
    size_t depth = 0;

    for (; *below != '\0'; below++)
        depth += *below == '/';
    return depth;
}

/* May its files change without a notice: by another machine, or by the kernel? */
static bool is_without_notices(int descriptor)
{
    static const uint32_t kinds[] = {
        NFS_SUPER_MAGIC, CIFS_SUPER_MAGIC,        SMB2_SUPER_MAGIC, FUSE_SUPER_MAGIC,
        V9FS_MAGIC,      CEPH_SUPER_MAGIC,        AFS_FS_MAGIC,     PROC_SUPER_MAGIC,
        SYSFS_MAGIC,     0x0bd00bd0 /* Lustre */, 0x47504653 /* GPFS */};
    struct statfs facts;

    if (fstatfs(descriptor, &facts) != 0)
        return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((uint32_t)facts.f_type == kinds[i])
            return true;
    return false;
}

static void enter_directory(void *context, int descriptor, const char *path)
{
    struct walking *walking = context;
    const char *below = path_below(walking->collection, path);
    size_t depth = *below == '\0' ? 0 : depth_of(below) + 1;
    bool *known = grown(walking->known, &walking->known_capacity, 64, depth + 1, 1);
    bool is_known = false;

    if (known == NULL) {
        walking->failed = true;
        return;
    }
    walking->known = known;
    walking->blind |= is_without_notices(descriptor);
    if (walking->collection->watches != NULL && !walking->blind &&
        !watch_directory(walking->collection, descriptor, below, &is_known)) {
        walking->conflict |= errno == EXDEV;
        walking->blind |= errno != EXDEV;
        is_known = false;
    }
    known[depth] = is_known;
}

/* The file of before, if it is still the same; else it is to be made. */
static bool keep_file(struct walking *walking, const struct walk_item *item, const char *below,
                      uint32_t index, struct stat *status)
{
    const struct collection *collection = walking->collection;
    int directory = item->directory != NULL ? item->directory->descriptor : AT_FDCWD;
    const struct served_file *file = index == UINT32_MAX ? NULL : walking->before->files[index];
    bool may_keep = file != NULL && !collection->anew && !walking->dirty[index];

    if (may_keep && !collection->must_look && item->directory != NULL &&
        walking->known[depth_of(below)])
        return true;
    if (fstatat(directory, item->name + item->open_at, status, AT_SYMLINK_NOFOLLOW) != 0)
        status->st_mode = 0;
    return may_keep && !file->recent && same_status(&file->held.status, status);
}

static void take_item(struct walking *walking, const struct walk_item *item)
{
    const char *below = path_below(walking->collection, item->name);
    uint32_t index = walking->before != NULL ? state_find(walking->before, below) : UINT32_MAX;
    struct served_file **files, *file = NULL;
    struct stat status;
    uint32_t *made;

    if (index != UINT32_MAX && walking->kept[index])
        return; /* it was moved meanwhile, and found before */
    if (keep_file(walking, item, below, index, &status)) {
        file = walking->before->files[index];
    } else if (!S_ISREG(status.st_mode)) {
        return;
    }
    files = grown(walking->files, &walking->capacity, 1024, walking->count + 1,
                  sizeof(struct served_file *));
    made =
        grown(walking->made, &walking->made_capacity, 1024, walking->made_count + 1, sizeof *made);
    walking->files = files != NULL ? files : walking->files;
    walking->made = made != NULL ? made : walking->made;
    walking->failed = files == NULL || made == NULL || walking->count >= UINT32_MAX - 1;
    if (!walking->failed && file == NULL) {
        file = served_file_make(below, &status);
        walking->failed = file == NULL;
        walking->linked |= walking->before != NULL && status.st_nlink > 1;
        made[walking->made_count] = (uint32_t)walking->count;
        walking->made_count += file != NULL;
    } else if (!walking->failed) {
        walking->kept[index] = 1;
    }
    if (walking->failed)
        return;
    walking->same_order = walking->same_order && index == walking->count;
    files[walking->count++] = file;
}

static bool walk_files(struct walking *walking, char *message)
{
    struct collection *collection = walking->collection;
    const struct settings *settings = &collection->walking;
    const struct file_settings *files = &settings->files;
    const struct value_item operand = {VALUE_OPERAND, collection->root, NULL};
    const struct tree_watcher watcher = {enter_directory, walking};
    struct command_job job = {.settings = settings, .watcher = &watcher};
    struct walk walk;
    struct walk_item item;
    bool good =
        settings->filters.count == 0 || exclude_open(&job.exclude, &settings->filters, message);

    if (good && (files->filtering || files->hidden < 0 || files->rules.count > 0))
        good = filter_open(&job.filter, settings, message);
    if (good) {
        walk_open(&walk, &job, &operand, 1, OPEN_LEVELS);
        while (walk_next(&walk, &item) && !walking->failed) {
            if (item.kind == WALK_FILE &&
                !(item.is_operand && walk_skips_operand(&walk, item.name, false)))
                take_item(walking, &item);
            walking->failed |= item.kind == WALK_ERROR && is_shortage(item.os_code);
        }
        if (walk.tree != NULL)
            tree_close(walk.tree);
        good = !walking->failed || no_memory(message);
    }
    if (job.exclude != NULL)
        exclude_close(job.exclude);
    filter_close(job.filter);
    return good;
}

/* Read what the walk found to be new, as far as a search can wait for it. */
static bool read_made(struct walking *walking, struct file_batch *batch)
{
    struct collection *collection = walking->collection;
    uint64_t room = room_left(collection), most = room < REFRESH_BYTES ? room : REFRESH_BYTES;

    for (size_t i = 0; i < walking->made_count; i++) {
        struct served_file *file = walking->files[walking->made[i]];

        if (fits(batch, &file->held.status, most) &&
            !batch_add(batch, walking->made[i], file, NULL, true))
            return false;
    }
    return batch_fill(batch);
}

/* The base may be another directory than before, of the same name. */
static bool open_base(struct collection *collection, char *message)
{
    int descriptor = open(collection->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

    if (descriptor >= 0 &&
        (collection->shelf.base < 0 || dup3(descriptor, collection->shelf.base, O_CLOEXEC) >= 0)) {
        if (collection->shelf.base < 0)
            collection->shelf.base = descriptor;
        else
            close(descriptor);
        return true;
    }
    (void)snprintf(message, SETTINGS_ERROR_BYTES, "%s: %s", collection->root, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    return false;
}

/* Of what a walk found a state. False: out of memory. */
static bool make_state(struct walking *walking)
{
    struct collection *collection = walking->collection;
    struct file_batch batch = {.shelf = &collection->shelf};
    struct state *state;
    bool same = walking->before != NULL && collection->watches == NULL && walking->same_order &&
                walking->count == walking->before->file_count && !collection->renamed;

    if (same && walking->made_count == 0)
        return true;
    (void)read_made(walking, &batch); /* what is not read stays in its files */
    state = state_make(&collection->shelf, walking->files, (uint32_t)walking->count,
                       walking->before, walking->kept, collection->number + 1);
    batch_close(&batch);
    if (state == NULL)
        return false;
    walking->files = NULL;
    state->names = same ? walking->before->names : ++collection->names;
    publish(collection, state);
    return true;
}

/* The files that were made and came into no state. */
static void free_walking(struct walking *walking)
{
    for (size_t i = 0; walking->files != NULL && i < walking->made_count; i++)
        served_file_free(walking->files[walking->made[i]], &walking->collection->shelf);
    free(walking->made);
    free(walking->files);
    free(walking->kept);
    free(walking->dirty);
    free(walking->known);
}

static bool walk_all(struct collection *collection, char *message)
{
    struct state *before = collection->state;
    struct walking walking = {.collection = collection, .before = before, .same_order = true};
    size_t marks = before != NULL ? before->file_count + (size_t)1 : 1;
    bool good = false;

    walking.kept = calloc(marks, 1);
    walking.dirty = calloc(marks, 1);
    walking.files = grown(NULL, &walking.capacity, 1024, 1, sizeof(struct served_file *));
    if (walking.kept == NULL || walking.dirty == NULL || walking.files == NULL) {
        no_memory(message);
    } else if (open_base(collection, message)) {
        for (size_t i = 0; i < collection->dirty_count; i++)
            walking.dirty[collection->dirty[i]] = 1;
        if (collection->watches != NULL)
            watches_begin(collection->watches);
        if (collection->file != NULL)
            enter_directory(&walking, collection->shelf.base, collection->base);
        good = walk_files(&walking, message) && (make_state(&walking) || no_memory(message));
        if (collection->watches != NULL && good)
            watches_end(collection->watches);
    }
    collection->conflict_count = walking.conflict ? collection->conflict_count + 1 : 0;
    if (walking.blind || collection->conflict_count == CONFLICTS_MAX) {
        watches_close(collection->watches);
        collection->watches = NULL;
    }
    free_walking(&walking);
    if (good) {
        collection->must_walk = collection->must_look =
            walking.conflict || (walking.linked && !collection->must_look);
        collection->anew = collection->renamed = false;
        collection->dirty_count = 0;
    }
    return good;
}

/* ---- Contents -------------------------------------------------------------------------------- */

static int compare_indices(const void *left, const void *right)
{
    uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;

    return one < other ? -1 : one > other;
}

/* Read the files that changed; those that are none any more need a walk. */
static bool read_dirty(struct collection *collection, char *message)
{
    struct file_batch batch = {.shelf = &collection->shelf};
    uint64_t room = room_left(collection), most = room < REFRESH_BYTES ? room : REFRESH_BYTES;
    bool good = true;

    if (collection->dirty_count > 0)
        qsort(collection->dirty, collection->dirty_count, sizeof *collection->dirty,
              compare_indices);
    for (size_t i = 0; good && i < collection->dirty_count; i++) {
        uint32_t index = collection->dirty[i];
        const char *path = collection->state->files[index]->path;
        struct stat status;

        if (i > 0 && index == collection->dirty[i - 1])
            continue;
        if (fstatat(collection->shelf.base, path, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode)) {
            collection->must_walk = true;
            drop_batch(&batch);
            return true;
        }
        good = make_item(&batch, index, path, &status, NULL, fits(&batch, &status, most));
    }
    if (good)
        (void)batch_fill(&batch); /* what is not held stays in its files */
    good = good && publish_change(collection, &batch);
    drop_batch(&batch);
    if (!good)
        return no_memory(message);
    collection->dirty_count = 0;
    return true;
}

/* With `refresh`: bring the state up to now. */
static bool refresh(struct collection *collection, char *message)
{
    uint64_t begin = now_ns();
    bool looks = collection->watches == NULL, changed = false, good = true;

    if (looks)
        collection->must_walk = collection->must_look = true;
    for (unsigned round = 0; good; round++) {
        take_notices(collection);
        if (!collection->must_walk && !collection->renamed && collection->dirty_count == 0)
            break;
        if (round > 0 && (round == ROUNDS_MAX || now_ns() - begin > ROUNDS_NS || looks))
            break;
        changed = true;
        good =
            collection->must_walk ? walk_all(collection, message) : read_dirty(collection, message);
        looks = looks || collection->watches == NULL;
    }
    if (changed && good) {
        uint64_t wake = 1;

        merge_small(collection);
        atomic_fetch_add(&collection->refresh_count, 1);
        collection->refresh_ns = now_ns() - begin;
        good = write(collection->wake, &wake, sizeof wake) == sizeof wake || errno == EAGAIN;
    }
    return good;
}

struct state *collection_now(struct collection *collection, char *message)
{
    struct state *state = NULL;

    pthread_mutex_lock(&collection->refresh);
    if (refresh(collection, message)) {
        state = collection->state;
        state_hold(state);
    }
    pthread_mutex_unlock(&collection->refresh);
    return state;
}

/* ---- The thread ------------------------------------------------------------------------------ */

/* A large file that grows all the time is not to be read all the time. */
static bool is_quiet(const struct stat *status)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)status->st_size <= REFRESH_BYTES ||
           (uint64_t)(now.tv_sec - status->st_mtim.tv_sec) * SECOND_NS > QUIET_NS;
}

/* Files that no block holds, as many as make a block. */
static bool plan_load(struct collection *collection, const struct state *state,
                      struct file_batch *batch)
{
    uint64_t room = room_left(collection), most = block_bytes_max(state);

    collection->waits_for_quiet = false;
    for (uint32_t i = 0; state->unheld_count > 0 && i < state->file_count; i++) {
        const struct served_file *file = state->files[i];

        if (file->block != NULL || file->refused || !fits(batch, &file->held.status, room))
            continue;
        if (batch->count > 0 && !fits(batch, &file->held.status, most))
            break;
        if (!is_quiet(&file->held.status)) {
            collection->waits_for_quiet = true;
            continue;
        }
        if (!make_item(batch, i, file->path, &file->held.status, NULL, true))
            return false;
    }
    return batch->count > 0;
}

/* What was made of files of `state` comes into the newest state, unless they changed meanwhile. */
static bool take_over(struct collection *collection, const struct state *state,
                      struct file_batch *batch)
{
    const struct state *now;
    bool good;

    pthread_mutex_lock(&collection->refresh);
    now = collection->state;
    for (size_t i = 0; i < batch->count; i++) {
        struct batch_item *item = &batch->items[i];
        uint32_t index =
            now->table == state->table ? item->index : state_find(now, item->made->path);

        if (index == UINT32_MAX || now->files[index] != state->files[item->index]) {
            served_file_free(item->made, batch->shelf);
            item->made = NULL;
        }
        item->index = index;
    }
    good = publish_change(collection, batch);
    pthread_mutex_unlock(&collection->refresh);
    return good;
}

/* Load some files, or merge blocks. False: there is nothing to do, or it cannot be done now. */
static bool work(struct collection *collection)
{
    struct file_batch batch = {.shelf = &collection->shelf};
    struct state *state;
    bool good;

    pthread_mutex_lock(&collection->lock);
    state = collection->state;
    if (state != NULL)
        state_hold(state);
    pthread_mutex_unlock(&collection->lock);
    if (state == NULL)
        return false;
    good = plan_load(collection, state, &batch);
    if (!good) {
        drop_batch(&batch);
        batch = (struct file_batch){.shelf = &collection->shelf};
        good = plan_merge(state, block_bytes_max(state), &batch);
    }
    good = good && batch_fill(&batch) && take_over(collection, state, &batch);
    drop_batch(&batch);
    state_drop(state);
    return good;
}

/* Wait for notices, or for the end. */
static void wait_for_notices(struct collection *collection, bool *noticed)
{
    struct pollfd waits[2] = {{collection->wake, POLLIN, 0}, {-1, POLLIN, 0}};
    uint64_t ignored;

    pthread_mutex_lock(&collection->refresh);
    if (collection->watches != NULL)
        waits[1].fd = watches_descriptor(collection->watches);
    pthread_mutex_unlock(&collection->refresh);
    (void)poll(waits, 2, collection->waits_for_quiet ? 1000 : -1);
    if (waits[0].revents != 0)
        (void)!read(collection->wake, &ignored, sizeof ignored);
    pthread_mutex_lock(&collection->refresh);
    *noticed = waits[1].revents != 0 || collection->anew;
    pthread_mutex_unlock(&collection->refresh);
}

/* More notices may follow, and searches do not wait for this thread. So walks take a
 * fifth of a core, however often names change. */
static void pause_for_more(struct collection *collection)
{
    uint64_t ns;

    pthread_mutex_lock(&collection->refresh);
    ns = 4 * collection->refresh_ns;
    pthread_mutex_unlock(&collection->refresh);
    ns = ns < PAUSE_NS ? PAUSE_NS : ns > SECOND_NS ? SECOND_NS : ns;
    while (ns > 0 && !atomic_load(&collection->is_ending)) {
        const uint64_t part = ns < PAUSE_NS ? ns : PAUSE_NS;
        const struct timespec time = {0, (long)part};

        (void)nanosleep(&time, NULL);
        ns -= part;
    }
}

void *tend_collection(void *context)
{
    struct collection *collection = context;
    char message[SETTINGS_ERROR_BYTES];
    bool noticed = true;

    while (!atomic_load(&collection->is_ending)) {
        if (noticed)
            state_drop(collection_now(collection, message));
        while (!atomic_load(&collection->is_ending) && work(collection))
            continue;
        if (atomic_exchange(&collection->is_loading, false))
            atomic_store(&collection->load_ns, now_ns() - atomic_load(&collection->begin_ns));
        wait_for_notices(collection, &noticed);
        if (noticed)
            pause_for_more(collection);
    }
    return NULL;
}
