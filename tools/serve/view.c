/* view: finds the files of a collection's state that a command line names.
 *
 * The state has the paths in the order of --sort=path, so the files below an operand are a range of
 * that order. Names, globs and messages are those of the command in the client's working directory.
 * The disk is consulted only for an operand that the state lacks: its path may be missing, a link
 * or a device.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "serve/inside.h"
#include "trawl/options/settings.h"
#include "trawl/files/exclude.h"
#include "trawl/files/file_filter.h"
#include "trawl/text/grow.h"
#include "trawl/text/message.h"
#include "trawl/text/guard.h"

/* The request's limits are checked every LOOK_ENTRIES entries. */
#define LOOK_ENTRIES 4096u

struct viewing {
    struct collection *collection;
    const struct state *state;
    struct command_job *job;
    const char *directory, *prefix;
    /* The request has no directory, so files that the collection does not serve are skipped without
     * an error. */
    bool is_served_alone;
    bool takes_all; /* the request has no option that skips files by name, place or size */
    /* the request skips hidden files, although the collection serves them */
    bool skips_hidden;
    char *message;
    int *http_status; /* HTTP status of a failure; 0: no failure so far */
    /* The operand that is being handled: its path below the base, and how its files' names
     * begin. */
    char *below;
    size_t below_capacity;
    struct operand_files part;
    bool is_folder; /* the operand ends like a directory's name */
    char *shown;    /* buffer for a name */
    size_t shown_capacity;
    /* What was found so far. */
    struct served_view *view;
    size_t own_capacity, part_capacity, special_capacity;
    /* path of the first file that the request wants and the collection skips; owned */
    char *missing;
    uint64_t missing_count, look_count;
    struct guard *guard; /* limits the request's memory and time; NULL: no limit */
};

/* Says why there is no view. The expression's value is false. */
#define VIEW_FAIL(viewing, status, ...) \
    (*(viewing)->http_status = (status), message_fail((viewing)->message, __VA_ARGS__))

static bool no_memory(struct viewing *viewing)
{
    return VIEW_FAIL(viewing, 503, "memory exhausted");
}

#define VIEW_GROW(viewing, array, capacity, wanted) \
    view_grow(viewing, (void *)&(array), &(capacity), wanted, sizeof *(array))

/* Grows an array as GROW does, if the guard permits the memory. Returns false if it does not, or if
 * out of memory. */
static bool view_grow(struct viewing *viewing, void *array, size_t *capacity, size_t wanted,
                      size_t size)
{
    size_t more = wanted > 2 * *capacity ? wanted - *capacity : *capacity;

    return ((wanted <= *capacity || guard_take(viewing->guard, more * size)) &&
            grow_array(array, capacity, 64, wanted, size)) ||
           no_memory(viewing);
}

/* Adds indices of files, or of specials, to the view. Returns false if out of memory. */
static bool add_files(struct viewing *viewing, const uint32_t *files, size_t count)
{
    struct served_view *view = viewing->view;

    if (!VIEW_GROW(viewing, view->own, viewing->own_capacity, view->file_count + count))
        return false;
    memcpy(view->own + view->file_count, files, count * sizeof *files);
    view->file_count += count;
    return true;
}

/* Begins the part of the view with the files of the current operand. Returns false if out of
 * memory. */
static bool add_part(struct viewing *viewing, bool is_operand)
{
    struct served_view *view = viewing->view;

    if (!VIEW_GROW(viewing, view->parts, viewing->part_capacity, view->part_count + 1))
        return false;
    viewing->part.begin = view->file_count;
    viewing->part.is_operand = is_operand;
    view->parts[view->part_count++] = viewing->part;
    return true;
}

/* Adds an item that the view must report, though it is not a file of the state, such as an error.
 * If several servers share a tree, only the server whose bounds (--from, --until) include the path
 * reports it. Returns false if out of memory. */
static bool add_special(struct viewing *viewing, const char *below, const char *name,
                        enum walk_kind kind, int os_code)
{
    struct served_view *view = viewing->view;
    uint32_t index = VIEW_SPECIAL | (uint32_t)view->special_count;
    char *copy;

    if (!is_within_bounds(viewing->collection, below))
        return true;
    copy = VIEW_GROW(viewing, view->specials, viewing->special_capacity, view->special_count + 1)
               ? strdup(name)
               : NULL;
    if (copy == NULL)
        return no_memory(viewing);
    view->specials[view->special_count++] = (struct view_report){copy, kind, os_code};
    view->error_count += kind == WALK_ERROR;
    return add_files(viewing, &index, 1);
}

/* Notes a file that the request wants and that the collection skips. */
static void add_missing(struct viewing *viewing, const char *path)
{
    if (viewing->missing_count++ == 0 && (viewing->missing = strdup(path)) == NULL)
        (void)no_memory(viewing);
}

/* Writes the name of the file `path`, which lies below the part's operand, into a buffer. Returns
 * NULL if out of memory. */
static const char *write_name(const struct operand_files *part, const char *path, char **buffer,
                              size_t *capacity)
{
    const char *rest = strlen(path) > part->path_bytes ? path + part->path_bytes : "";
    size_t at = part->operand_bytes, bytes = strlen(rest) + 1;
    char *name;

    if (!GROW(*buffer, *capacity, 256, at + bytes + 1))
        return NULL;
    name = *buffer;
    memcpy(name, part->operand, at);
    if (*rest != '\0' && part->has_slash)
        name[at++] = '/';
    memcpy(name + at, rest, bytes);
    return name;
}

const char *view_name(const struct served_view *view, const struct state *state, uint64_t at,
                      struct view_names *names)
{
    const struct operand_files *part;

    if (view->files[at] >= VIEW_SPECIAL)
        return view->specials[view->files[at] - VIEW_SPECIAL].name;
    while (names->part + 1 < view->part_count && view->parts[names->part + 1].begin <= at)
        names->part++;
    part = &view->parts[names->part];
    return part->is_operand ? part->operand
                            : write_name(part, state->files[view->files[at]]->path, &names->bytes,
                                         &names->capacity);
}

static bool same_values(const struct value_list *one, const struct value_list *other)
{
    bool same = one->count == other->count;

    for (size_t i = 0; same && i < one->count; i++)
        same = one->items[i].kind == other->items[i].kind &&
               strcmp(one->items[i].text, other->items[i].text) == 0;
    return same;
}

static bool has_ignore_file(const struct file_settings *files)
{
    for (size_t i = 0; i < files->rules.count && !files->no_ignore_files; i++)
        if (files->rules.items[i].kind == VALUE_IGNORE_FILE)
            return true;
    return false;
}

/* Returns true if the request skips files by the same rules as the collection, apart from rules
 * that need only a path (such as globs): then the state shows which files the command would find
 * below a directory. Returns false if rules differ; message says which. */
static bool has_same_rules(struct viewing *viewing)
{
    const struct settings *settings = viewing->job->settings;
    const struct settings *served = viewing->collection->options.settings;
    struct filter_rules asked = filter_rules(settings), own = filter_rules(served);
    const char *name = viewing->collection->options.name;
    bool asks = asked.dot || asked.vcs, has = own.dot || own.vcs;
    bool hides = own.hidden, alone = viewing->is_served_alone;

    viewing->skips_hidden = asked.hidden && !own.hidden;
    if (asks != has && !(alone && !asks))
        return VIEW_FAIL(viewing, 422,
                         has ? "the collection %s heeds ignore files: search with --ignore, too"
                             : "the collection %s heeds no ignore files: search with --no-ignore",
                         name);
    if (asks && !asked.parent && *viewing->below != '\0')
        return VIEW_FAIL(viewing, 422, "--no-ignore-parent is served for the whole collection");
    asked.hidden = own.hidden = false;
    if ((asks && (memcmp(&asked, &own, sizeof own) != 0 || viewing->skips_hidden)) ||
        (!alone && (has_ignore_file(&served->files) ||
                    ((has || hides) && served->files.rules.count > 0 &&
                     (settings->files.glob_any_case != served->files.glob_any_case ||
                      !same_values(&settings->files.rules, &served->files.rules))))) ||
        (settings->files.one_file_system != served->files.one_file_system &&
         !(alone && !settings->files.one_file_system)))
        return VIEW_FAIL(viewing, 422,
                         "the collection %s was loaded with other options about which files are "
                         "left out: search with the server's options",
                         name);
    viewing->takes_all = viewing->job->exclude == NULL && settings->files.rules.count == 0 &&
                         !viewing->skips_hidden && settings->files.depth_max == UINT64_MAX &&
                         settings->files.bytes_max == UINT64_MAX;
    return true;
}

/* Returns true if the request wants an entry that the collection skips. `verdict` is the
 * decision of the request's globs and types. The request's ignore files are the same as the
 * collection's (has_same_rules). */
static bool wants_left(const struct viewing *viewing, const struct served_file *file,
                       enum filter_verdict verdict)
{
    const struct settings *served = viewing->collection->options.settings;
    const struct settings *settings = viewing->job->settings;
    struct filter_rules rules = filter_rules(settings);

    if (verdict == FILTER_SKIPS)
        return false;
    switch (file->why) {
    case LEFT_BY_RULE:
        return verdict == FILTER_TAKES ||
               !(rules.dot || rules.vcs || settings->files.one_file_system);
    case LEFT_HIDDEN:
        return verdict == FILTER_TAKES || !rules.hidden;
    case LEFT_TOO_LARGE:
        return settings->files.bytes_max > served->files.bytes_max;
    default:
        return true;
    }
}

/* Returns true if the request takes the entry. `depth`, for a directory only: how many levels it is
 * below the operand. Otherwise sets *is_left_out to whether a rule of the request skips the entry;
 * job->exclude does not count as a rule. */
static bool takes_entry(struct viewing *viewing, const struct served_file *file, uint64_t depth,
                        bool *is_left_out)
{
    const struct command_job *job = viewing->job;
    const struct file_settings *files = &job->settings->files;
    bool is_directory = file->kind == ENTRY_DIRECTORY || file->is_directory;
    enum filter_verdict verdict = FILTER_UNDECIDED;
    const char *slash = strrchr(file->path, '/');
    const char *last = slash != NULL ? slash + 1 : file->path;

    *is_left_out = false;
    if (job->exclude != NULL && exclude_skips(job->exclude, last, false, is_directory))
        return false;
    if (job->filter != NULL) {
        const char *shown =
            write_name(&viewing->part, file->path, &viewing->shown, &viewing->shown_capacity);

        if (shown == NULL)
            return no_memory(viewing);
        verdict = filter_judge(job->filter, shown, strlen(shown) - strlen(last), is_directory);
    }
    *is_left_out = true;
    if (verdict == FILTER_SKIPS || (is_directory && depth >= files->depth_max) ||
        (verdict == FILTER_UNDECIDED && viewing->skips_hidden && last[0] == '.'))
        return false;
    if (file->kind == ENTRY_LEFT)
        return wants_left(viewing, file, verdict);
    return is_directory || (uint64_t)file->supplied.status.st_size <= files->bytes_max;
}

/* Neighbours in the order of the state: some of its files, or some of its other entries. */
struct range {
    const uint32_t *at, *end;
};

/* Returns the part of the range whose entries are at or below a path. */
static struct range range_below(const struct state *state, struct range range, const char *below)
{
    const uint32_t *from = range.at;

    for (int is_end = 0; is_end < 2; is_end++) {
        const uint32_t *low = from, *high = range.end;

        while (low < high) {
            const uint32_t *middle = low + (high - low) / 2;
            const char *path = state->files[*middle]->path;

            if (is_in(path, below) ? is_end : compare_paths(path, below) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (is_end)
            return (struct range){from, low};
        from = low;
    }
    return range;
}

static struct range half_below(const struct state *state, unsigned half, const char *below)
{
    const struct served_order *order = state->order;
    const uint32_t *from = order == NULL ? NULL : order->items + (half == 0 ? 0 : order->counts[0]);

    if (order == NULL)
        return (struct range){NULL, NULL};
    return range_below(state, (struct range){from, from + order->counts[half]}, below);
}

static void skip_below(const struct state *state, struct range *range, const char *directory)
{
    while (range->at < range->end && is_in(state->files[*range->at]->path, directory))
        range->at++;
}

/* Handles an entry that is not a file. Returns true if entries below are to be skipped. */
static bool pass_other(struct viewing *viewing, const struct served_file *file, uint64_t depth)
{
    bool is_left_out, is_taken;

    is_taken = takes_entry(viewing, file, depth, &is_left_out);
    if (!is_taken)
        viewing->view->left_out |= is_left_out;
    else if (file->os_code != 0) {
        const char *name =
            write_name(&viewing->part, file->path, &viewing->shown, &viewing->shown_capacity);
        /* --files lists a file without opening it. */
        bool is_listed = file->kind == ENTRY_LEFT && viewing->job->settings->files.names_only;

        (void)(name != NULL ? add_special(viewing, file->path, name,
                                          is_listed ? WALK_FILE : WALK_ERROR, file->os_code)
                            : no_memory(viewing));
    } else if (file->kind == ENTRY_LEFT && !viewing->is_served_alone)
        add_missing(viewing, file->path);
    return !is_taken;
}

/* Called if no option of the request skips files. Handles a range of entries that are not files.
 * Returns false if an entry could not be read: then the caller needs add_each, which reports the
 * error between the files around the entry. */
static bool pass_others(struct viewing *viewing, struct range others)
{
    struct served_file *const *files = viewing->state->files;

    for (const uint32_t *at = others.at; at < others.end; at++)
        if (files[*at]->os_code != 0)
            return false;
    for (const uint32_t *at = others.at; at < others.end; at++)
        if (files[*at]->kind == ENTRY_LEFT)
            (void)pass_other(viewing, files[*at], 0);
    return true;
}

static uint64_t depth_of(const char *rest)
{
    uint64_t depth = 1;

    for (; (rest = strchr(rest, '/')) != NULL; rest++)
        depth++;
    return depth;
}

/* Adds the files below the operand one by one. `others` are the other entries there: directories
 * that rules may skip as a whole, and entries to report. */
static void add_each(struct viewing *viewing, struct range files, struct range others)
{
    const struct state *state = viewing->state;

    while ((files.at < files.end || others.at < others.end) && *viewing->http_status == 0) {
        const struct served_file *file = files.at < files.end ? state->files[*files.at] : NULL;
        const struct served_file *other = others.at < others.end ? state->files[*others.at] : NULL;
        bool is_left_out;

        if (++viewing->look_count % LOOK_ENTRIES == 0 && guard_is_over(viewing->guard))
            (void)VIEW_FAIL(viewing, 503, "%s", strerror(ECANCELED));
        if (file != NULL && (other == NULL || compare_paths(file->path, other->path) < 0)) {
            if (viewing->takes_all || takes_entry(viewing, file, 0, &is_left_out))
                (void)add_files(viewing, files.at, 1);
            else
                viewing->view->left_out |= is_left_out;
            files.at++;
            continue;
        }
        others.at++;
        if (pass_other(viewing, other, depth_of(other->path + viewing->part.path_bytes))) {
            skip_below(state, &files, other->path);
            skip_below(state, &others, other->path);
        }
    }
}

static void reverse(uint32_t *items, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        uint32_t kept = items[i];

        items[i] = items[count - 1 - i];
        items[count - 1 - i] = kept;
    }
}

/* Adds the files below a directory. If the view consists of exactly these files in the state's
 * order, it points to that order without a copy. */
static void add_directory(struct viewing *viewing, bool is_only)
{
    const struct state *state = viewing->state;
    struct served_view *view = viewing->view;
    struct range files = half_below(state, 0, viewing->below);
    struct range others = half_below(state, 1, viewing->below);
    bool is_plain, backwards = viewing->job->settings->files.sort_backwards;
    uint64_t begin = view->file_count;

    if (!has_same_rules(viewing))
        return;
    is_plain = viewing->takes_all;
    viewing->job->show_names = viewing->job->show_names < 0 ? 1 : viewing->job->show_names;
    viewing->part.path_bytes = strlen(viewing->below) + (*viewing->below != '\0');
    if (!add_part(viewing, false) || viewing->job->settings->files.depth_max == 0)
        return;
    if (others.at < others.end && strcmp(state->files[*others.at]->path, viewing->below) == 0)
        others.at++; /* the directory itself */
    if (is_plain && others.at < others.end && state->order->reported_count > 0)
        is_plain = pass_others(viewing, others);
    if (!is_plain)
        add_each(viewing, files, others);
    else if (is_only && !backwards) {
        view->files = files.at;
        view->file_count = (uint64_t)(files.end - files.at);
    } else if (files.at < files.end) {
        (void)add_files(viewing, files.at, (size_t)(files.end - files.at));
    }
    if (backwards && view->file_count > begin)
        reverse(view->own + begin, (size_t)(view->file_count - begin));
}

bool path_normalize(const char *directory, const char *operand, char *path, bool *is_folder)
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

static bool has_path(const struct collection *collection, const char *path)
{
    const char *below = path_below(collection, path);

    return below != NULL && (collection->file == NULL || strcmp(below, collection->file) == 0);
}

bool collection_has(const struct collection *collection, const char *directory, const char *operand)
{
    char *path = malloc(strlen(directory) + strlen(operand) + 3);
    bool is_folder = false;
    bool has_operand = path == NULL /* collection_view reports this case */ ||
                       !path_normalize(directory, operand, path, &is_folder) ||
                       has_path(collection, path);

    free(path);
    return has_operand;
}

/* Returns true if the operand's path lies below an entry that the collection skips. */
static bool is_left_out(const struct viewing *viewing)
{
    char *below = viewing->below;
    bool found = false;

    for (char *at = strchr(below, '/'); at != NULL && !found; at = strchr(at + 1, '/')) {
        uint32_t index;

        *at = '\0';
        index = state_find(viewing->state, below);
        *at = '/';
        found = index != UINT32_MAX && viewing->state->files[index]->kind == ENTRY_LEFT;
    }
    return found;
}

/* Returns true if a newer state has the operand's path. */
static bool is_in_newer_state(struct viewing *viewing)
{
    struct state *newer = collection_now(viewing->collection, viewing->message);
    bool found = newer != NULL && state_find(newer, viewing->below) != UINT32_MAX;

    if (newer == NULL)
        *viewing->http_status = 503;
    state_drop(newer);
    return found;
}

/* Handles an operand that is a directory. `is_known` says that the state has an entry for it. */
static void take_folder(struct viewing *viewing, const char *operand, bool is_known, bool is_only)
{
    const struct command_job *job = viewing->job;
    const struct walk walk = {.job = viewing->job, .below_working_directory = operand == NULL};
    const char *name = operand != NULL ? operand : ".";
    int descriptor = is_known ? -1
                              : open_below(viewing->collection->shelf.base, viewing->below,
                                           O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (descriptor >= 0)
        close(descriptor);
    else if (!is_known) {
        (void)add_special(viewing, viewing->below, name, WALK_ERROR, errno);
        return;
    }
    if (walk_skips_operand(&walk, name, true))
        return;
    if (job->settings->files.directories == DIRECTORIES_READ)
        (void)add_special(viewing, viewing->below, name, WALK_FILE, 0);
    else if (is_known)
        add_directory(viewing, is_only);
    else if (!viewing->is_served_alone)
        add_missing(viewing, viewing->below);
}

/* Handles an operand that is a file. If `index` is UINT32_MAX, the state does not have it. */
static void take_file(struct viewing *viewing, const char *operand, uint32_t index)
{
    const struct walk walk = {.job = viewing->job};

    if (walk_skips_operand(&walk, operand, false) ||
        !is_within_bounds(viewing->collection, viewing->below))
        return;
    if (index == UINT32_MAX && !viewing->is_served_alone)
        add_missing(viewing, viewing->below);
    else if (index != UINT32_MAX && add_part(viewing, true))
        (void)add_files(viewing, &index, 1);
}

/* Looks on disk at an operand that the state lacks, without following a link. */
static void look_on_disk(struct viewing *viewing, const char *operand, bool is_only)
{
    const char *name = operand != NULL ? operand : ".";
    int descriptor =
        open_below(viewing->collection->shelf.base, viewing->below, O_PATH | O_CLOEXEC);
    int os_code = descriptor < 0 ? errno : 0;
    struct stat status = {0};

    if (descriptor >= 0 && fstat(descriptor, &status) != 0)
        os_code = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (os_code == 0 && viewing->is_folder && !S_ISDIR(status.st_mode) && !S_ISLNK(status.st_mode))
        os_code = ENOTDIR;
    if (os_code == 0 && S_ISSOCK(status.st_mode) && !viewing->job->settings->files.names_only)
        os_code = ENXIO; /* the error that the command, which opens each operand, reports */
    if (os_code == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) &&
        !is_left_out(viewing) && is_in_newer_state(viewing))
        os_code = ENOENT; /* the path did not exist when the state was made */
    if (os_code == ELOOP || S_ISLNK(status.st_mode))
        VIEW_FAIL(viewing, 409, "%s: the server follows no links: use a path without links", name);
    else if (is_shortage(os_code))
        VIEW_FAIL(viewing, 503, "%s: %s", name, strerror(os_code));
    else if (os_code != 0)
        (void)add_special(viewing, viewing->below, name, WALK_ERROR, os_code);
    else if (S_ISDIR(status.st_mode))
        take_folder(viewing, operand, false, is_only);
    else if (S_ISREG(status.st_mode))
        take_file(viewing, name, UINT32_MAX);
    else if (!walk_skips_special_files(viewing->job->settings, true))
        VIEW_FAIL(viewing, 409, "%s: the server reads only regular files", name);
}

/* Handles an operand, whose path is viewing->below. If `operand` is NULL, the command line has
 * no operand, so the working directory is searched. */
static void take_operand(struct viewing *viewing, const char *operand, bool is_only)
{
    const struct state *state = viewing->state;
    uint32_t index = state_find(state, viewing->below);
    const struct served_file *file = index != UINT32_MAX ? state->files[index] : NULL;
    const char *name = operand != NULL ? operand : ".";
    size_t bytes = strlen(name);

    while (!viewing->job->settings->is_tg && bytes > 2 && name[bytes - 1] == '/' &&
           name[bytes - 2] == '/')
        bytes--; /* tree_open drops the same slashes */
    viewing->part = (struct operand_files){.operand = operand != NULL ? operand : "",
                                           .operand_bytes = operand != NULL ? bytes : 0,
                                           .has_slash = operand != NULL && name[bytes - 1] != '/'};
    if (file == NULL)
        look_on_disk(viewing, operand, is_only);
    else if (file->os_code != 0)
        (void)add_special(viewing, viewing->below, name, WALK_ERROR, file->os_code);
    else if (viewing->is_folder &&
             (file->kind == ENTRY_FILE || (file->kind == ENTRY_LEFT && !file->is_directory)))
        (void)add_special(viewing, viewing->below, name, WALK_ERROR, ENOTDIR);
    else if (file->kind == ENTRY_FILE || !(file->kind == ENTRY_DIRECTORY || file->is_directory))
        take_file(viewing, name, file->kind == ENTRY_FILE ? index : UINT32_MAX);
    else
        take_folder(viewing, operand, file->kind == ENTRY_DIRECTORY, is_only);
}

/* Checks an operand, sets viewing->below to its path below the base, and handles it. */
static void find_operand(struct viewing *viewing, const char *operand, bool is_only)
{
    const char *name = operand != NULL ? operand : ".", *below;
    char *path;

    if (!GROW(viewing->below, viewing->below_capacity, 256,
              strlen(viewing->directory) + strlen(name) + 3)) {
        (void)no_memory(viewing);
        return;
    }
    path = viewing->below;
    viewing->is_folder = false;
    if (strcmp(name, "-") == 0)
        VIEW_FAIL(viewing, 409, "-: the server does not read standard input");
    else if (!path_normalize(viewing->directory, name, path, &viewing->is_folder))
        VIEW_FAIL(viewing, 409, "%s: the server does not take \"..\": use a path without \"..\"",
                  name);
    else if (!has_path(viewing->collection, path))
        VIEW_FAIL(viewing, 409, "%s: is not in the collection %s (%s)", name,
                  viewing->collection->options.name, viewing->collection->root);
    else {
        below = path_below(viewing->collection, path);
        memmove(path, below, strlen(below) + 1);
        if (*name == '\0')
            (void)add_special(viewing, path, name, WALK_ERROR, ENOENT);
        else
            take_operand(viewing, viewing->prefix != NULL ? viewing->prefix : operand, is_only);
    }
}

/* Completes the view. Returns false if out of memory. */
static bool finish_view(struct viewing *viewing)
{
    struct served_view *view = viewing->view;
    const struct state *state = viewing->state;
    uint64_t all = state->order == NULL ? 0 : state->order->counts[0];
    size_t bytes = state->index_count / 8 + (size_t)1;
    bool is_whole = view->own == NULL && view->file_count == all;

    view->seen = guard_take(viewing->guard, bytes) ? calloc(bytes, 1) : NULL;
    if (view->seen == NULL)
        return no_memory(viewing);
    if (is_whole)
        memset(view->seen, 0xff, bytes);
    view->files = view->own != NULL ? view->own : view->files;
    for (uint64_t i = 0; i < view->file_count && !is_whole; i++)
        if (view->files[i] < VIEW_SPECIAL)
            view->seen[view->files[i] / 8] |= (uint8_t)(1u << view->files[i] % 8);
    return true;
}

static void say_missing(struct viewing *viewing)
{
    const char *first = viewing->missing, *name = viewing->collection->options.name;

    if (viewing->missing_count == 1)
        VIEW_FAIL(viewing, 409, "%s: the collection %s leaves it out", first, name);
    else
        VIEW_FAIL(viewing, 409, "%s and %" PRIu64 " more files: the collection %s leaves them out",
                  first, viewing->missing_count - 1, name);
}

bool view_keep(struct served_view *view, const uint8_t *bits, struct guard *guard)
{
    const uint32_t *files = view->files;
    size_t part = 0;
    uint64_t count = 0;

    if (view->own == NULL && guard_take(guard, view->file_count * sizeof *files))
        view->own = malloc((view->file_count + 1) * sizeof *files);
    if (view->own == NULL)
        return false;
    for (uint64_t i = 0; i < view->file_count; i++) {
        uint32_t file = files[i];
        bool is_kept = file >= VIEW_SPECIAL || (bits[file / 8] >> file % 8 & 1) != 0;

        for (; part < view->part_count && view->parts[part].begin <= i; part++)
            view->parts[part].begin = count;
        if (is_kept)
            view->own[count++] = file;
        else
            view->seen[file / 8] &= (uint8_t) ~(1u << file % 8);
    }
    for (; part < view->part_count; part++)
        view->parts[part].begin = count;
    view->files = view->own;
    view->file_count = count;
    return true;
}

void view_free(struct served_view *view)
{
    if (view == NULL)
        return;
    for (size_t i = 0; i < view->special_count; i++)
        free(view->specials[i].name);
    free(view->specials);
    free(view->parts);
    free(view->own);
    free(view->seen);
    free(view);
}

/* Finds the files of all operands. Returns false on failure; message says why. */
static bool make_view(struct viewing *viewing, const struct value_item *operands, size_t count)
{
    if (viewing->directory[0] != '/')
        return VIEW_FAIL(viewing, 409, "%s: the working directory is not an absolute path",
                         viewing->directory);
    if (count == 0 && !walk_recurses(viewing->job->settings))
        return VIEW_FAIL(viewing, 409, "-: the server does not read standard input");
    for (size_t i = 0; (i == 0 || i < count) && *viewing->http_status == 0; i++) {
        if (guard_is_over(viewing->guard))
            (void)VIEW_FAIL(viewing, 503, "%s", strerror(ECANCELED));
        else
            find_operand(viewing, count > 0 ? operands[i].text : NULL, count <= 1);
    }
    if (viewing->missing != NULL && *viewing->http_status == 0)
        say_missing(viewing);
    return *viewing->http_status == 0 && finish_view(viewing);
}

struct served_view *collection_view(struct collection *collection, const struct state *state,
                                    struct command_job *job, const char *directory,
                                    const char *prefix, const struct value_item *operands,
                                    size_t operand_count, int *http_status, char *message)
{
    const struct value_item file = {VALUE_OPERAND, collection->file, NULL};
    struct viewing viewing = {.collection = collection,
                              .state = state,
                              .job = job,
                              .directory = directory != NULL ? directory : collection->root,
                              .prefix = prefix,
                              .is_served_alone = directory == NULL,
                              .message = message,
                              .http_status = http_status,
                              .view = calloc(1, sizeof *viewing.view),
                              .guard = job->settings->guard};

    *http_status = 0;
    if (collection->file != NULL && operand_count == 0 &&
        strcmp(viewing.directory, collection->root) == 0) {
        viewing.directory = collection->base;
        operands = &file;
        operand_count = 1;
    }
    if (viewing.view == NULL)
        (void)no_memory(&viewing);
    if (viewing.view == NULL || !make_view(&viewing, operands, operand_count)) {
        view_free(viewing.view);
        viewing.view = NULL;
    }
    free(viewing.missing);
    free(viewing.below);
    free(viewing.shown);
    return viewing.view;
}
