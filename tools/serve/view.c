/* view: the files that a command line names, found by the command's own walk.
 *
 * The walk runs in a thread that has a working directory of its own, the client's: so names, globs
 * and messages are those of the command. It begins at operands that were found to be below the
 * collection's root without a link, and follows none.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "serve/inside.h"
#include "trawl/clock.h"
#include "trawl/exclude.h"
#include "trawl/filter.h"
#include "trawl/grow.h"

#define ROUNDS_MAX 4u
#define ROUNDS_NS (2 * SECOND_NS)

struct viewing {
    struct collection *collection;
    const struct state *state;
    struct command_job job;
    const char *directory;
    const struct value_item *operands;
    size_t operand_count;
    bool is_served_alone; /* files that the collection leaves out are no part of the view */
    char *message;
    bool failed, *is_unable;
    /* The operand at hand: */
    char *below; /* its path below the base; room for those of its files behind */
    size_t below_bytes, below_capacity;
    size_t shown_bytes; /* of what names begin with */
    const char *prefix; /* what the names of its files begin with, */
    size_t prefix_bytes;
    bool prefix_slash; /* and whether a slash follows */
    char *shown;       /* room for the name of a file that no walk met */
    size_t shown_capacity;
    struct stat status;
    bool entered;
    /* What was found: */
    struct served_view *view;
    size_t item_capacity, *name_at, name_capacity, storage_bytes, storage_capacity;
    char *missing; /* paths below the base of files that the state has not, one after the other */
    size_t missing_bytes, missing_capacity;
    uint64_t missing_count;
    bool can_be_kept;
    struct guard *guard; /* NULL: none */
};

static bool fail(struct viewing *viewing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(struct viewing *viewing, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(viewing->message, SETTINGS_ERROR_BYTES, format, arguments);
    va_end(arguments);
    viewing->failed = true;
    return false;
}

/* The reason is not the request, but the server. */
static bool give_up(struct viewing *viewing, const char *why)
{
    *viewing->is_unable = true;
    return fail(viewing, "%s", why);
}

static bool give_up_for(struct viewing *viewing, const char *name, int os_code)
{
    *viewing->is_unable = true;
    return fail(viewing, "%s: %s", name, strerror(os_code));
}

/* ---- Items ----------------------------------------------------------------------------------- */

/* As grown, if the guard lets so much memory be taken. */
static void *grow(struct viewing *viewing, void *array, size_t *capacity, size_t wanted,
                  size_t size)
{
    size_t more = wanted > 2 * *capacity ? wanted - *capacity : *capacity;

    if (wanted > *capacity && !guard_take(viewing->guard, more * size))
        return NULL;
    return grown(array, capacity, 64, wanted, size);
}

/* Room for so many items more. */
static bool need_items(struct viewing *viewing, size_t more)
{
    struct served_view *view = viewing->view;
    size_t wanted = view->item_count + more;
    struct view_item *items =
        grow(viewing, view->items, &viewing->item_capacity, wanted, sizeof *items);
    size_t *name_at =
        grow(viewing, viewing->name_at, &viewing->name_capacity, wanted, sizeof *name_at);

    view->items = items != NULL ? items : view->items;
    viewing->name_at = name_at != NULL ? name_at : viewing->name_at;
    return (items != NULL && name_at != NULL) || give_up(viewing, "memory exhausted");
}

static bool add_item(struct viewing *viewing, const struct walk_item *item, uint32_t file)
{
    struct served_view *view = viewing->view;
    size_t count = view->item_count, bytes = strlen(item->name) + 1;
    char *storage =
        grow(viewing, view->storage, &viewing->storage_capacity, viewing->storage_bytes + bytes, 1);

    view->storage = storage != NULL ? storage : view->storage;
    if (!need_items(viewing, 1) || storage == NULL)
        return give_up(viewing, "memory exhausted");
    memcpy(storage + viewing->storage_bytes, item->name, bytes);
    viewing->name_at[count] = viewing->storage_bytes;
    viewing->storage_bytes += bytes;
    view->items[count] =
        (struct view_item){NULL, file, item->kind, item->os_code, item->type, item->is_operand};
    view->item_count++;
    return true;
}

static bool add_error(struct viewing *viewing, const char *name, int os_code)
{
    const struct walk_item item = {
        .kind = WALK_ERROR, .name = name, .os_code = os_code, .is_operand = true};

    return add_item(viewing, &item, UINT32_MAX);
}

/* The path below the base of what the walk shows so, in viewing->below. */
static bool set_below(struct viewing *viewing, const char *shown)
{
    size_t bytes;
    char *below;

    shown += viewing->shown_bytes;
    shown += strspn(shown, "/");
    bytes = strlen(shown) + 2;
    below = grown(viewing->below, &viewing->below_capacity, 256, viewing->below_bytes + bytes, 1);
    if (below == NULL)
        return give_up(viewing, "memory exhausted");
    viewing->below = below;
    (void)snprintf(below + viewing->below_bytes, bytes, "%s%s",
                   viewing->below_bytes > 0 && *shown != '\0' ? "/" : "", shown);
    return true;
}

/* A file of the state: was it not seen before? */
static bool see(struct viewing *viewing, uint32_t file)
{
    uint8_t *seen = &viewing->view->seen[file / 8], bit = (uint8_t)(1u << file % 8);
    bool is_first = (*seen & bit) == 0;

    *seen |= bit;
    return is_first;
}

static bool add_file(struct viewing *viewing, const struct walk_item *item)
{
    uint32_t file;

    if (item->type != DT_REG && item->type != DT_UNKNOWN)
        return fail(viewing, "%s: the server reads regular files alone", item->name);
    if (!set_below(viewing, item->name))
        return false;
    file = state_find(viewing->state, viewing->below);
    if (file == UINT32_MAX) {
        size_t bytes = strlen(viewing->below) + 1;
        char *missing;

        if (viewing->is_served_alone)
            return true;
        missing = grow(viewing, viewing->missing, &viewing->missing_capacity,
                       viewing->missing_bytes + bytes, 1);
        if (missing == NULL)
            return give_up(viewing, "memory exhausted");
        viewing->missing = missing;
        memcpy(missing + viewing->missing_bytes, viewing->below, bytes);
        viewing->missing_bytes += bytes;
        viewing->missing_count++;
        return true;
    }
    (void)see(viewing, file);
    return add_item(viewing, item, file);
}

/* ---- Operands -------------------------------------------------------------------------------- */

/* As an absolute path without "." and needless slashes, in `path`. False: it has "..". */
static bool normalize(const char *directory, const char *operand, char *path, bool *is_folder)
{
    const char *parts[2] = {operand[0] == '/' ? "" : directory, operand};
    char *end = path;

    for (size_t i = 0; i < 2; i++)
        for (const char *at = parts[i]; *at != '\0';) {
            size_t bytes = strcspn(at, "/");

            *is_folder = bytes == 0 || (bytes == 1 && at[0] == '.') || at[bytes] == '/';
            if (bytes == 2 && at[0] == '.' && at[1] == '.')
                return false;
            if (bytes > 0 && !(bytes == 1 && at[0] == '.')) {
                *end++ = '/';
                memcpy(end, at, bytes);
                end += bytes;
            }
            at += bytes + (at[bytes] == '/');
        }
    if (end == path)
        *end++ = '/';
    *end = '\0';
    return true;
}

static bool has(const struct collection *collection, const char *path)
{
    const char *below = path_below(collection, path);

    return below != NULL && (collection->file == NULL || strcmp(below, collection->file) == 0);
}

bool collection_has(const struct collection *collection, const char *directory, const char *operand)
{
    char *path = malloc(strlen(directory) + strlen(operand) + 3);
    bool is_folder = false;
    bool held = path == NULL /* of which collection_view says so */ ||
                !normalize(directory, operand, path, &is_folder) || has(collection, path);

    free(path);
    return held;
}

/* Is an operand to be walked? It is looked at without following a link; its status is known
 * afterwards. */
static bool look_at(struct viewing *viewing, const char *operand, bool is_folder)
{
    const struct settings *settings = viewing->job.settings;
    const struct walk walk = {.job = &viewing->job};
    const struct walk_item item = {
        .kind = WALK_FILE, .name = operand, .type = DT_DIR, .is_operand = true};
    mode_t mode;
    int descriptor =
        open_below(viewing->collection->shelf.base, viewing->below, O_PATH | O_CLOEXEC);
    int os_code = descriptor < 0 ? errno : 0;

    if (descriptor >= 0 && fstat(descriptor, &viewing->status) != 0)
        os_code = errno;
    if (descriptor >= 0)
        close(descriptor);
    mode = os_code == 0 ? viewing->status.st_mode : 0;
    if (os_code == ELOOP || S_ISLNK(mode))
        return fail(viewing, "%s: the server follows no links: name it without", operand);
    if (os_code == 0 && is_folder && !S_ISDIR(mode))
        os_code = ENOTDIR;
    if (os_code == 0 &&
        (S_ISREG(mode) || (S_ISDIR(mode) && settings->directories != DIRECTORIES_READ)))
        return true;
    if (is_shortage(os_code))
        give_up_for(viewing, operand, os_code);
    else if (os_code != 0)
        (void)add_error(viewing, operand, os_code);
    else if (S_ISDIR(mode) && !walk_skips_operand(&walk, operand, true))
        (void)add_item(viewing, &item, UINT32_MAX);
    else if (!S_ISDIR(mode) && !walk_skips_devices(settings, true))
        fail(viewing, "%s: the server reads regular files alone", operand);
    return false;
}

/* Which file or directory an operand names, and is it to be walked? */
static bool find_operand(struct viewing *viewing, const char *operand)
{
    char *path = malloc(strlen(viewing->directory) + strlen(operand) + 3);
    bool is_folder = false, is_walked = false;

    viewing->below_bytes = viewing->shown_bytes = 0;
    if (path == NULL)
        give_up(viewing, "memory exhausted");
    else if (strcmp(operand, "-") == 0)
        fail(viewing, "-: the server does not read standard input");
    else if (!normalize(viewing->directory, operand, path, &is_folder))
        fail(viewing, "%s: the server takes no \"..\": name it without", operand);
    else if (!has(viewing->collection, path))
        fail(viewing, "%s: is not in the collection %s (%s)", operand,
             viewing->collection->options.name, viewing->collection->root);
    else if (operand[0] == '\0')
        (void)add_error(viewing, operand, ENOENT);
    else if (set_below(viewing, path_below(viewing->collection, path))) {
        viewing->below_bytes = strlen(viewing->below);
        is_walked = look_at(viewing, operand, is_folder);
    }
    free(path);
    return is_walked;
}

static void enter_directory(void *context, int descriptor, const char *path)
{
    struct viewing *viewing = context;
    struct collection *collection = viewing->collection;
    struct stat status;

    if (!viewing->entered &&
        (fstat(descriptor, &status) != 0 || status.st_dev != viewing->status.st_dev ||
         status.st_ino != viewing->status.st_ino))
        fail(viewing, "%s: was replaced while the server looked at it", path);
    viewing->entered = true;
    if (!viewing->can_be_kept || !set_below(viewing, path))
        return;
    pthread_mutex_lock(&collection->refresh);
    viewing->can_be_kept = collection->watches != NULL &&
                           (viewing->is_served_alone ||
                            watch_directory(collection, descriptor, viewing->below, WATCH_VIEW));
    pthread_mutex_unlock(&collection->refresh);
}

/* One operand, or (text NULL) the working directory without one. */
static void walk_operand(struct viewing *viewing, const char *text)
{
    const struct value_item operand = {VALUE_OPERAND, text != NULL ? text : ".", NULL};
    struct walk walk;
    struct walk_item item;
    size_t shown_bytes;

    if (!find_operand(viewing, operand.text)) {
        viewing->can_be_kept = false; /* no notice may tell when it becomes another one */
        return;
    }
    walk_open(&walk, &viewing->job, &operand, 1, OPEN_LEVELS);
    walk.below_working_directory = text == NULL;
    viewing->entered = false;
    shown_bytes = strlen(operand.text);
    while (shown_bytes > 2 && operand.text[shown_bytes - 1] == '/' &&
           operand.text[shown_bytes - 2] == '/')
        shown_bytes--; /* as tree_open does */
    viewing->shown_bytes = shown_bytes;
    viewing->prefix = operand.text;
    viewing->prefix_bytes = text != NULL ? shown_bytes : 0;
    viewing->prefix_slash = text != NULL && operand.text[shown_bytes - 1] != '/';
    while (walk_next(&walk, &item) && !viewing->failed) {
        if (text == NULL && item.kind == WALK_FILE)
            viewing->shown_bytes = 0; /* shown without "./" */
        if (item.kind == WALK_FILE && item.is_operand && S_ISDIR(viewing->status.st_mode))
            continue; /* directories are to be skipped */
        viewing->can_be_kept = viewing->can_be_kept && item.kind != WALK_ERROR;
        if (item.kind == WALK_FILE)
            (void)add_file(viewing, &item);
        else if (item.kind == WALK_ERROR &&
                 (is_shortage(item.os_code) || item.os_code == ECANCELED))
            give_up_for(viewing, item.name, item.os_code);
        else
            (void)add_item(viewing, &item, UINT32_MAX);
        viewing->shown_bytes = shown_bytes;
    }
    if (walk.tree != NULL)
        tree_close(walk.tree);
}

/* ---- Equal operands -------------------------------------------------------------------------- */

/* The items of an operand once more. */
static void repeat_items(struct viewing *viewing, size_t begin, size_t end)
{
    struct served_view *view = viewing->view;

    if (!need_items(viewing, end - begin))
        return;
    for (size_t i = begin; i < end; i++) {
        viewing->name_at[view->item_count] = viewing->name_at[i];
        view->items[view->item_count++] = view->items[i];
    }
}

/* Equal operands are walked once. */
static void walk_operands(struct viewing *viewing)
{
    size_t count = viewing->operand_count;
    size_t *begins = calloc(count + 1, sizeof *begins),
           *firsts = operand_firsts(viewing->operands, count);

    if (begins == NULL || firsts == NULL)
        give_up(viewing, "memory exhausted");
    for (size_t i = 0; i < count && !viewing->failed; i++) {
        if (guard_is_over(viewing->guard))
            give_up(viewing, strerror(ECANCELED));
        else if (firsts[i] < i)
            repeat_items(viewing, begins[firsts[i]], begins[firsts[i] + 1]);
        else
            walk_operand(viewing, viewing->operands[i].text);
        begins[i + 1] = viewing->view->item_count;
    }
    free(begins);
    free(firsts);
}

/* ---- The walk -------------------------------------------------------------------------------- */

/* The working directory of this thread becomes the client's, if it is above the collection or in
 * it. Another one matters only in that it is not these. */
static bool change_directory(struct viewing *viewing)
{
    const struct collection *collection = viewing->collection;
    const char *path = viewing->directory;
    size_t bytes = strlen(path);
    int top, descriptor = -1;

    while (bytes > 1 && path[bytes - 1] == '/')
        bytes--;
    if (path[0] != '/')
        return fail(viewing, "%s: the working directory is not an absolute path", path);
    if (path_below(collection, path) == NULL &&
        (strncmp(collection->base, path, bytes) != 0 || collection->base[bytes] != '/'))
        path = "/";
    top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top >= 0)
        descriptor = open_below(top, path + strspn(path, "/"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0 || unshare(CLONE_FS) != 0 || fchdir(descriptor) != 0) {
        *viewing->is_unable = is_shortage(errno);
        fail(viewing, "%s: %s", path,
             errno == ELOOP ? "the server follows no links: name it without" : strerror(errno));
    }
    if (descriptor >= 0)
        close(descriptor);
    if (top >= 0)
        close(top);
    return !viewing->failed;
}

static void *walk_view(void *context)
{
    struct viewing *viewing = context;
    const struct settings *settings = viewing->job.settings;
    const struct file_settings *files = &settings->files;
    const struct tree_watcher watcher = {enter_directory, viewing};

    viewing->job.watcher = &watcher;
    if (!change_directory(viewing))
        return NULL;
    /* The rules themselves are good: the job has opened them, too. */
    if (walks_by_rules(files) && !filter_open(&viewing->job.filter, settings, viewing->message))
        *viewing->is_unable = viewing->failed = true;
    if (!viewing->failed)
        walk_operands(viewing);
    if (viewing->operand_count == 0 && !viewing->failed) {
        if (settings->directories == DIRECTORIES_RECURSE)
            walk_operand(viewing, NULL);
        else
            fail(viewing, "-: the server does not read standard input");
    }
    return NULL;
}

static void end_viewing(struct viewing *viewing)
{
    filter_close(viewing->job.filter);
    free(viewing->shown);
    free(viewing->missing);
    free(viewing->below);
    free(viewing->name_at);
    view_drop(viewing->view);
}

/* Are all files of the state asked for, and nothing that only a walk tells? */
static bool is_plain(const struct viewing *viewing)
{
    const struct settings *settings = viewing->job.settings;
    const struct file_settings *files = &settings->files;

    return viewing->is_served_alone && viewing->operand_count == 0 &&
           settings->directories == DIRECTORIES_RECURSE && !settings->follow_links &&
           walk_skips_devices(settings, false) && settings->filters.count == 0 &&
           !walks_by_rules(files) && files->depth_max == UINT64_MAX &&
           files->bytes_max == UINT64_MAX && !files->one_file_system && files->sort == SORT_NONE &&
           !files->debug && !viewing->state->unreadable;
}

/* The name of a file below the operand, in viewing->shown. */
static bool set_shown(struct viewing *viewing, const char *rest)
{
    size_t bytes = viewing->prefix_bytes + strlen(rest) + 2;
    char *shown = grown(viewing->shown, &viewing->shown_capacity, 256, bytes, 1);

    if (shown == NULL)
        return give_up(viewing, "memory exhausted");
    viewing->shown = shown;
    (void)snprintf(shown, bytes, "%.*s%s%s", (int)viewing->prefix_bytes,
                   viewing->prefix_bytes > 0 ? viewing->prefix : "",
                   viewing->prefix_slash ? "/" : "", rest);
    return true;
}

/* Would a walk take the file of this name by the options that the collection has not: --include and
 * --exclude, globs and types? They are asked of each directory on the way to the file. */
static bool takes_shown(struct viewing *viewing)
{
    const struct command_job *job = &viewing->job;
    char *shown = viewing->shown;
    char *at = shown + viewing->prefix_bytes + viewing->prefix_slash;

    for (;;) {
        char *slash = strchr(at, '/');
        bool taken;

        if (slash != NULL)
            *slash = '\0';
        taken = (job->exclude == NULL || !exclude_skips(job->exclude, at, false, slash != NULL)) &&
                (job->filter == NULL ||
                 filter_takes(job->filter, shown, (size_t)(at - shown), slash != NULL));
        if (slash != NULL)
            *slash = '/';
        if (!taken || slash == NULL)
            return taken;
        at = slash + 1;
    }
}

/* The files below a directory that no walk met. */
static void add_unseen(struct viewing *viewing, const char *below)
{
    const struct state *state = viewing->state;
    size_t bytes = strlen(below) + (*below != '\0');

    for (uint32_t i = 0; i < state->index_count && !viewing->failed; i++) {
        const struct served_file *file = state->files[i];
        struct walk_item item = {.kind = WALK_FILE, .type = DT_REG};

        if (file == NULL || !is_in(file->path, below) || !set_shown(viewing, file->path + bytes) ||
            !takes_shown(viewing) || !see(viewing, i))
            continue;
        item.name = viewing->shown;
        (void)add_item(viewing, &item, i);
    }
}

/* Make a view of viewing->state. False: message says why. */
static bool make_view(struct viewing *viewing)
{
    pthread_t thread;
    struct served_view *view = calloc(1, sizeof *view);

    viewing->view = view;
    if (view != NULL)
        atomic_init(&view->holder_count, 1);
    if (view == NULL ||
        (view->seen = calloc(viewing->state->index_count / 8 + (size_t)1, 1)) == NULL)
        return give_up(viewing, "memory exhausted");
    if (viewing->job.settings->follow_links)
        return fail(viewing, "the server follows no links");
    if (is_plain(viewing)) { /* as the walk of all would, without one */
        viewing->job.show_names = viewing->job.show_names < 0 ? 1 : viewing->job.show_names;
        add_unseen(viewing, "");
    } else if (pthread_create(&thread, NULL, walk_view, viewing) == 0) {
        (void)pthread_join(thread, NULL);
    } else {
        return give_up(viewing, "cannot start a thread");
    }
    return !viewing->failed;
}

/* Does the walk meet the files of the state below its directory that its globs, types and the like
 * take and, while no name changes, no others? A glob may take what the collection's rules leave
 * out; only a request for what is served passes over such files. */
static bool walks_as_served(const struct viewing *viewing)
{
    const struct settings *settings = viewing->job.settings;
    const struct settings *served = viewing->collection->options.settings;
    struct file_settings files;
    const void *asked = &files, *held = &served->files; /* both were zeros between the members */

    memcpy(&files, &settings->files, sizeof files);
    files.names_only = served->files.names_only;
    files.glob_any_case = served->files.glob_any_case;
    memcpy(&files.rules, &served->files.rules, sizeof files.rules);
    return viewing->operand_count <= 1 && walk_skips_devices(settings, false) &&
           served->filters.count == 0 && served->files.rules.count == 0 &&
           (settings->files.rules.count == 0 || viewing->is_served_alone ||
            !walks_by_rules(&served->files)) &&
           files.sort == SORT_NONE && memcmp(asked, held, sizeof files) == 0 &&
           (viewing->below_bytes == 0 || walks_alike_below(&files));
}

/* Names changed while the directory was walked, but what is in it the newer state tells: the walk
 * says in which order. What came meanwhile stands at the end. False: the walk met more than files,
 * or there is a message. */
static bool bring_up(struct viewing *viewing, const struct state *newer)
{
    const struct state *state = viewing->state;
    struct served_view *view = viewing->view;
    uint64_t count = view->item_count;

    free(view->seen);
    view->seen = calloc(newer->index_count / 8 + (size_t)1, 1);
    if (view->seen == NULL)
        return give_up(viewing, "memory exhausted");
    viewing->state = newer;
    viewing->can_be_kept = false;
    view->item_count = 0;
    for (uint64_t i = 0; i < count; i++) {
        struct view_item item = view->items[i];
        const char *path;

        if (item.kind == WALK_ERROR && item.os_code == ENOENT && !item.is_operand)
            continue; /* a directory that went */
        if (item.kind != WALK_FILE || item.is_operand)
            return false;
        path = state->files[item.file]->path;
        item.file = state_find(newer, path);
        if (item.file == UINT32_MAX || !see(viewing, item.file))
            continue;
        viewing->name_at[view->item_count] = viewing->name_at[i];
        view->items[view->item_count++] = item;
    }
    for (const char *path = viewing->missing; path < viewing->missing + viewing->missing_bytes;
         path += strlen(path) + 1)
        if (state_find(newer, path) == UINT32_MAX)
            return false;
    viewing->below[viewing->below_bytes] = '\0';
    add_unseen(viewing, viewing->below);
    return !viewing->failed;
}

/* The view of the state, as searches take it. */
static bool finish_view(struct viewing *viewing)
{
    struct served_view *view = viewing->view;

    view->bytes = view->item_count * (sizeof *view->items + sizeof *view->files) +
                  viewing->storage_bytes + viewing->state->index_count / 8;
    if (!guard_take(viewing->guard, view->item_count * sizeof *view->files) ||
        (view->files = malloc((view->item_count + 1) * sizeof *view->files)) == NULL)
        return give_up(viewing, "memory exhausted");
    for (uint64_t i = 0; i < view->item_count; i++) {
        struct view_item *item = &view->items[i];

        item->name = view->storage + viewing->name_at[i];
        view->files[i] = item->is_operand ? UINT32_MAX : item->file;
    }
    view->names = viewing->state->names;
    view->left_out = viewing->job.left_out;
    view->show_names = viewing->job.show_names;
    return true;
}

static void say_missing(struct viewing *viewing)
{
    const char *first = viewing->missing, *name = viewing->collection->options.name;

    if (viewing->missing_count == 1)
        fail(viewing, "%s: the collection %s leaves it out", first, name);
    else
        fail(viewing, "%s and %" PRIu64 " more files: the collection %s leaves them out", first,
             viewing->missing_count - 1, name);
}

/* ---- Kept views ------------------------------------------------------------------------------ */

/* All that steers the walk. */
static void make_key(struct view_key *key, const struct viewing *viewing)
{
    const struct settings *settings = viewing->job.settings;
    struct file_settings files;

    view_key_add(key, &viewing->job.show_names, sizeof viewing->job.show_names);
    if (is_plain(viewing))
        return;                                     /* no other key is as short */
    memcpy(&files, &settings->files, sizeof files); /* with what is between members */
    memset(&files.rules, 0, sizeof files.rules);
    view_key_add(key, &files, sizeof files);
    view_key_add(key, &settings->directories, sizeof settings->directories);
    view_key_add(key, &settings->devices, sizeof settings->devices);
    view_key_add(key, &settings->follow_links, sizeof settings->follow_links);
    view_key_add(key, &settings->is_tg, sizeof settings->is_tg);
    view_key_add(key, &viewing->is_served_alone, sizeof viewing->is_served_alone);
    view_key_add(key, viewing->directory, strlen(viewing->directory) + 1);
    view_key_add_list(key, settings->files.rules.items, settings->files.rules.count);
    view_key_add_list(key, settings->filters.items, settings->filters.count);
    view_key_add_list(key, viewing->operands, viewing->operand_count);
}

/* One walk, and whether names stayed meanwhile: only then it met each file, and a refusal holds.
 * *state is replaced where another walk is needed. NULL: *again, or the message says why. */
static struct served_view *try_view(struct viewing *viewing, struct state **state, bool is_last,
                                    bool *again)
{
    struct served_view *view = NULL;
    struct state *newer = NULL;
    bool same = is_plain(viewing), good = make_view(viewing);

    *again = false;
    if (*viewing->is_unable)
        return NULL;
    if (!same) {
        newer = collection_now(viewing->collection, viewing->message);
        *viewing->is_unable = newer == NULL;
        if (newer == NULL)
            return NULL;
        same = newer->names == (*state)->names;
    }
    if (!same) {
        bool is_up = good && walks_as_served(viewing) && bring_up(viewing, newer);

        state_drop(*state);
        *state = newer;
        *again = !is_up && !is_last && !*viewing->is_unable;
        if (!is_up && is_last && !*viewing->is_unable)
            give_up(viewing, TOO_FAST);
        if (!is_up)
            return NULL;
    } else if (good && viewing->missing_count > 0) {
        say_missing(viewing);
        good = false;
    }
    if (good && finish_view(viewing)) {
        view = viewing->view;
        viewing->view = NULL;
    }
    if (same)
        state_drop(newer);
    return view;
}

struct served_view *collection_view(struct collection *collection, struct state **state,
                                    struct command_job *job, const char *directory,
                                    const struct value_item *operands, size_t operand_count,
                                    bool *is_unable, char *message)
{
    const struct file_settings *files = &job->settings->files;
    const struct value_item file = {VALUE_OPERAND, collection->file, NULL};
    struct served_view *view = NULL;
    struct view_key key = {0};
    uint64_t begin = now_ns();
    struct guard *guard = job->settings->guard;
    bool again = true, is_served_alone = directory == NULL;

    *is_unable = false;
    directory = directory != NULL ? directory : collection->root;
    if (collection->file != NULL && operand_count == 0 &&
        strcmp(directory, collection->root) == 0) {
        directory = collection->base;
        operands = &file;
        operand_count = 1;
    }
    for (unsigned round = 0; view == NULL && again; round++) {
        struct viewing viewing = {.collection = collection,
                                  .state = *state,
                                  .directory = directory,
                                  .operands = operands,
                                  .operand_count = operand_count,
                                  .is_served_alone = is_served_alone,
                                  .message = message,
                                  .is_unable = is_unable,
                                  .guard = guard};

        viewing.job = (struct command_job){
            .settings = job->settings, .exclude = job->exclude, .show_names = job->show_names};
        viewing.can_be_kept = files->sort <= SORT_PATH && files->bytes_max == UINT64_MAX;
        if (round == 0)
            make_key(&key, &viewing);
        view = views_find(collection, &key, (*state)->names);
        if (view != NULL)
            break;
        view = try_view(&viewing, state, round + 1 >= ROUNDS_MAX && now_ns() - begin > ROUNDS_NS,
                        &again);
        if (view != NULL && viewing.can_be_kept && !key.failed)
            views_keep(collection, &key, view, guard != NULL ? guard->all : NULL);
        end_viewing(&viewing);
    }
    free(key.bytes);
    return view;
}
