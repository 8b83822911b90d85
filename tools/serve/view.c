/* view: finds the files that a command line names, by the command's own walk.
 *
 * The walk runs in a thread whose working directory is the client's, so that names, globs and
 * messages are the command's. Each operand is checked first: its path must lie below the
 * collection's root and contain no link. The walk follows no links.
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
#include "trawl/command_clock.h"
#include "trawl/exclude.h"
#include "trawl/file_filter.h"
#include "trawl/grow.h"

#define ROUNDS_MAX 4u

uint64_t view_rounds_ns = 2 * SECOND_NS;

struct viewing {
    struct collection *collection;
    const struct state *state;
    struct command_job job;
    const char *directory;
    const struct value_item *operands;
    size_t operand_count;
    bool is_bounded; /* the walk met files that another server serves (--from, --until) */
    /* Files that the collection does not serve are skipped instead of reported. */
    bool is_served_alone;
    char *message;
    bool failed, *is_unable;
    /* The operand that is being walked. */
    char *below; /* path below the base: of the operand, then of each file that the walk meets */
    size_t below_bytes, below_capacity;
    size_t shown_bytes; /* length of the operand within the names that the walk shows */
    const char *prefix; /* how the shown names of the files below the operand begin */
    size_t prefix_bytes;
    bool prefix_slash; /* a slash follows the prefix */
    char *shown;       /* buffer for the name of a file that no walk met */
    size_t shown_capacity;
    struct stat status; /* status of the operand */
    bool entered;       /* the walk has entered the operand */
    /* What the walk has found. */
    struct served_view *view;
    size_t item_capacity, *name_at, name_capacity, storage_bytes, storage_capacity;
    char *missing; /* paths of files that the state lacks, each with a NUL byte */
    size_t missing_bytes, missing_capacity;
    uint64_t missing_count;
    /* The view may be kept for later requests. */
    bool can_be_kept;
    struct guard *guard; /* limits the request's memory and time; NULL: no limit */
};

static bool view_fail(struct viewing *viewing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool view_fail(struct viewing *viewing, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(viewing->message, SETTINGS_ERROR_BYTES, format, arguments);
    va_end(arguments);
    viewing->failed = true;
    return false;
}

/* Fails for a reason that lies in the server, not in the request. */
static bool give_up(struct viewing *viewing, const char *why)
{
    *viewing->is_unable = true;
    return view_fail(viewing, "%s", why);
}

static bool give_up_for(struct viewing *viewing, const char *name, int os_code)
{
    *viewing->is_unable = true;
    return view_fail(viewing, "%s: %s", name, strerror(os_code));
}

/* ---- Items ----------------------------------------------------------------------------------- */

/* Grows an array as `grown` does, if the guard grants the memory. NULL: refused, or out of
 * memory. */
static void *grow(struct viewing *viewing, void *array, size_t *capacity, size_t wanted,
                  size_t size)
{
    size_t more = wanted > 2 * *capacity ? wanted - *capacity : *capacity;

    if (wanted > *capacity && !guard_take(viewing->guard, more * size))
        return NULL;
    return grown(array, capacity, 64, wanted, size);
}

/* Makes room for `more` items. False: memory is short. */
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

/* Returns whether this server reports an item that is no file: an operand by its path, anything
 * else if the server serves the first files. */
static bool is_reported_here(struct viewing *viewing, const struct walk_item *item)
{
    if (!item->is_operand || viewing->below == NULL)
        return viewing->collection->options.from == NULL;
    viewing->below[viewing->below_bytes] = '\0';
    return is_within_bounds(viewing->collection, viewing->below);
}

static bool add_item(struct viewing *viewing, const struct walk_item *item, uint32_t file)
{
    struct served_view *view = viewing->view;
    size_t count = view->item_count, bytes = strlen(item->name) + 1;
    char *storage;

    if (file == UINT32_MAX && !is_reported_here(viewing, item))
        return true;
    storage =
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

/* Sets viewing->below to the path below the base of a name that the walk shows. False: out of
 * memory. */
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

/* Marks a file of the state as seen. Returns whether the file was not seen before. */
static bool see(struct viewing *viewing, uint32_t file)
{
    uint8_t *seen = &viewing->view->seen[file / 8], bit = (uint8_t)(1u << file % 8);
    bool is_first = (*seen & bit) == 0;

    *seen |= bit;
    return is_first;
}

/* Adds a file that the walk met: to the view, or to `missing` if the state lacks it. */
static bool add_file(struct viewing *viewing, const struct walk_item *item)
{
    uint32_t file;

    if (item->type != DT_REG && item->type != DT_UNKNOWN)
        return view_fail(viewing, "%s: the server reads only regular files", item->name);
    if (!set_below(viewing, item->name))
        return false;
    if (!is_within_bounds(viewing->collection, viewing->below)) {
        viewing->is_bounded = true;
        return true;
    }
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

static bool has(const struct collection *collection, const char *path)
{
    const char *below = path_below(collection, path);

    return below != NULL && (collection->file == NULL || strcmp(below, collection->file) == 0);
}

bool collection_has(const struct collection *collection, const char *directory, const char *operand)
{
    char *path = malloc(strlen(directory) + strlen(operand) + 3);
    bool is_folder = false;
    bool has_operand = path == NULL /* collection_view reports it */ ||
                       !path_normalize(directory, operand, path, &is_folder) ||
                       has(collection, path);

    free(path);
    return has_operand;
}

/* Looks at an operand without following a link and sets viewing->status. Returns whether the
 * operand is to be walked; otherwise adds what the command would report, or fails. */
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
        return view_fail(viewing, "%s: the server follows no links: use a path without links",
                         operand);
    if (os_code == 0 && is_folder && !S_ISDIR(mode))
        os_code = ENOTDIR;
    if (os_code == 0 && S_ISSOCK(mode))
        os_code = ENXIO; /* as for the command, which opens each operand */
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
        view_fail(viewing, "%s: the server reads only regular files", operand);
    return false;
}

/* Checks an operand and sets viewing->below to its path below the base. Returns whether the operand
 * is to be walked. */
static bool find_operand(struct viewing *viewing, const char *operand)
{
    char *path = malloc(strlen(viewing->directory) + strlen(operand) + 3);
    bool is_folder = false, is_walked = false;

    viewing->below_bytes = viewing->shown_bytes = 0;
    if (path == NULL)
        give_up(viewing, "memory exhausted");
    else if (strcmp(operand, "-") == 0)
        view_fail(viewing, "-: the server does not read standard input");
    else if (!path_normalize(viewing->directory, operand, path, &is_folder))
        view_fail(viewing, "%s: the server does not take \"..\": use a path without \"..\"",
                  operand);
    else if (!has(viewing->collection, path))
        view_fail(viewing, "%s: is not in the collection %s (%s)", operand,
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

/* Checks that the walk begins at the operand that look_at saw, and watches each directory that the
 * walk enters, so that the view can be kept. */
static void enter_directory(void *context, int descriptor, const char *path)
{
    struct viewing *viewing = context;
    struct collection *collection = viewing->collection;
    struct stat status;

    if (!viewing->entered &&
        (fstat(descriptor, &status) != 0 || status.st_dev != viewing->status.st_dev ||
         status.st_ino != viewing->status.st_ino))
        view_fail(viewing, "%s: was replaced while the server looked at it", path);
    viewing->entered = true;
    if (!viewing->can_be_kept || !set_below(viewing, path))
        return;
    pthread_mutex_lock(&collection->refresh);
    viewing->can_be_kept = collection->watches != NULL &&
                           (viewing->is_served_alone ||
                            watch_directory(collection, descriptor, viewing->below, WATCH_VIEW));
    pthread_mutex_unlock(&collection->refresh);
}

/* Walks one operand; text NULL: the working directory, without an operand. */
static void walk_operand(struct viewing *viewing, const char *text)
{
    const struct value_item operand = {VALUE_OPERAND, text != NULL ? text : ".", NULL};
    struct walk walk;
    struct walk_item item;
    size_t shown_bytes;

    if (!find_operand(viewing, operand.text)) {
        /* No notice might tell when this operand becomes another file. */
        viewing->can_be_kept = false;
        return;
    }
    walk_open(&walk, &viewing->job, &operand, 1, OPEN_LEVELS);
    walk.below_working_directory = text == NULL;
    viewing->entered = false;
    shown_bytes = strlen(operand.text);
    while (shown_bytes > 2 && operand.text[shown_bytes - 1] == '/' &&
           operand.text[shown_bytes - 2] == '/')
        shown_bytes--; /* tree_open drops the same slashes */
    viewing->shown_bytes = shown_bytes;
    viewing->prefix = operand.text;
    viewing->prefix_bytes = text != NULL ? shown_bytes : 0;
    viewing->prefix_slash = text != NULL && operand.text[shown_bytes - 1] != '/';
    while (walk_next(&walk, &item) && !viewing->failed) {
        if (text == NULL && item.kind == WALK_FILE)
            viewing->shown_bytes = 0; /* these names are shown without "./" */
        if (item.kind == WALK_FILE && item.is_operand && S_ISDIR(viewing->status.st_mode))
            continue; /* -d skip: the operand is a directory */
        if (item.kind == WALK_FILE && item.is_operand &&
            walk_skips_operand(&walk, item.name, false))
            continue; /* --include, --exclude: lines leave the file out later, counts do not */
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

/* Adds the items of an operand again, for an equal operand. */
static void repeat_items(struct viewing *viewing, size_t begin, size_t end)
{
    struct served_view *view = viewing->view;

    if (begin == end || !need_items(viewing, end - begin))
        return;
    for (size_t i = begin; i < end; i++) {
        viewing->name_at[view->item_count] = viewing->name_at[i];
        view->items[view->item_count++] = view->items[i];
    }
}

/* Walks all operands; walks equal operands once. */
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

/* Gives this thread the client's working directory. If that directory is neither above the
 * collection nor in the collection, gives "/" instead, since no name of a file depends on which
 * other directory it is. False: message says why. */
static bool change_directory(struct viewing *viewing)
{
    const struct collection *collection = viewing->collection;
    const char *path = viewing->directory;
    size_t bytes = strlen(path);
    int top, descriptor = -1;

    while (bytes > 1 && path[bytes - 1] == '/')
        bytes--;
    if (path[0] != '/')
        return view_fail(viewing, "%s: the working directory is not an absolute path", path);
    if (path_below(collection, path) == NULL &&
        (strncmp(collection->base, path, bytes) != 0 || collection->base[bytes] != '/'))
        path = "/";
    top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top >= 0)
        descriptor = open_below(top, path + strspn(path, "/"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0 || unshare(CLONE_FS) != 0 || fchdir(descriptor) != 0) {
        *viewing->is_unable = is_shortage(errno);
        view_fail(viewing, "%s: %s", path,
                  errno == ELOOP ? "the server follows no links: use a path without links"
                                 : strerror(errno));
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
    /* The job has opened the same rules before, so a failure here is a shortage, not a wrong
     * rule. */
    if (walks_by_rules(files) && !filter_open(&viewing->job.filter, settings, viewing->message))
        *viewing->is_unable = viewing->failed = true;
    if (!viewing->failed)
        walk_operands(viewing);
    if (viewing->operand_count == 0 && !viewing->failed) {
        if (settings->directories == DIRECTORIES_RECURSE)
            walk_operand(viewing, NULL);
        else
            view_fail(viewing, "-: the server does not read standard input");
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

/* Returns whether the view is all files of the state, so that no walk is needed. */
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

/* Sets viewing->shown to the shown name of a file below the operand. False: out of memory. */
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

/* Returns whether a walk would take the file viewing->shown by the request's own options:
 * --include, --exclude, globs and types. A walk asks these options about each directory on the way
 * to the file. */
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

/* Adds the state's files below a directory that no walk has met. */
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

/* Makes a view of viewing->state. False: message says why. */
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
        return view_fail(viewing, "the server follows no links");
    if (is_plain(viewing)) { /* a walk of everything would find the same */
        viewing->job.show_names = viewing->job.show_names < 0 ? 1 : viewing->job.show_names;
        add_unseen(viewing, "");
    } else if (pthread_create(&thread, NULL, walk_view, viewing) == 0) {
        (void)pthread_join(thread, NULL);
    } else {
        return give_up(viewing, "cannot start a thread");
    }
    return !viewing->failed;
}

/* Returns whether the walk, as long as no name changes, meets exactly the state's files below the
 * directory that the request's own options (globs, types) take. A glob may take files that the
 * collection's rules leave out; a request for served files skips such files. is_late: this is walk
 * number ROUNDS_MAX or a later walk; then it suffices that this walk met no such file. */
static bool walks_as_served(const struct viewing *viewing, bool is_late)
{
    const struct settings *settings = viewing->job.settings;
    const struct settings *served = viewing->collection->options.settings;
    struct file_settings files;
    /* Padding between members is zero in both. */
    const void *asked = &files, *expected = &served->files;

    memcpy(&files, &settings->files, sizeof files);
    files.names_only = served->files.names_only;
    files.glob_any_case = served->files.glob_any_case;
    memcpy(&files.rules, &served->files.rules, sizeof files.rules);
    return viewing->operand_count <= 1 && walk_skips_devices(settings, false) &&
           served->filters.count == 0 && served->files.rules.count == 0 &&
           (settings->files.rules.count == 0 || viewing->is_served_alone || is_late ||
            !walks_by_rules(&served->files)) &&
           files.sort == SORT_NONE && memcmp(asked, expected, sizeof files) == 0 &&
           (viewing->below_bytes == 0 || walks_alike_below(&files));
}

/* Brings a view up to the newer state after names changed during the walk. The newer state says
 * which files there are; the walk says in which order. Files that the walk has not met come last.
 * False: the walk met more than files, or message says why. */
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
            continue; /* the directory was removed */
        if (item.kind != WALK_FILE || item.is_operand)
            return false;
        path = state->files[item.file]->path;
        item.file = state_find(newer, path);
        if (item.file == UINT32_MAX || !see(viewing, item.file))
            continue;
        viewing->name_at[view->item_count] = viewing->name_at[i];
        view->items[view->item_count++] = item;
    }
    for (uint64_t at = 0; at < viewing->missing_bytes; at += strlen(viewing->missing + at) + 1)
        if (state_find(newer, viewing->missing + at) == UINT32_MAX)
            return false;
    viewing->below[viewing->below_bytes] = '\0';
    add_unseen(viewing, viewing->below);
    return !viewing->failed;
}

/* Completes the view for searches: sets the items' names and the members that searches read. False:
 * memory is short. */
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
    view->left_out = viewing->job.left_out && !viewing->is_bounded;
    view->show_names = viewing->job.show_names;
    return true;
}

static void say_missing(struct viewing *viewing)
{
    const char *first = viewing->missing, *name = viewing->collection->options.name;

    if (viewing->missing_count == 1)
        view_fail(viewing, "%s: the collection %s leaves it out", first, name);
    else
        view_fail(viewing, "%s and %" PRIu64 " more files: the collection %s leaves them out",
                  first, viewing->missing_count - 1, name);
}

/* ---- Kept views ------------------------------------------------------------------------------ */

/* Collects everything that determines the walk into a key. */
static void make_key(struct view_key *key, const struct viewing *viewing)
{
    const struct settings *settings = viewing->job.settings;
    struct file_settings files;

    view_key_add(key, &viewing->job.show_names, sizeof viewing->job.show_names);
    if (is_plain(viewing))
        return; /* no other key is as short, so this key is unique */
    memcpy(&files, &settings->files, sizeof files); /* also copies the padding, part of the key */
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

/* Walks once and checks that no name changed meanwhile: only then has the walk met each file, and
 * is a refusal final. *state is replaced by a newer state if names changed. NULL: another walk is
 * needed (*again), or message says why. */
static struct served_view *try_view(struct viewing *viewing, struct state **state, bool is_late,
                                    bool is_last, bool *again)
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
        bool is_up = good && walks_as_served(viewing, is_late) && bring_up(viewing, newer);

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
        view = try_view(&viewing, state, round + 1 >= ROUNDS_MAX,
                        round + 1 >= ROUNDS_MAX && now_ns() - begin > view_rounds_ns, &again);
        if (view != NULL && viewing.can_be_kept && !key.failed)
            views_keep(collection, &key, view, guard != NULL ? guard->all : NULL);
        end_viewing(&viewing);
    }
    free(key.bytes);
    return view;
}
