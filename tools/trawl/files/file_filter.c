/* file_filter: decides which files of a tree are searched, by ripgrep's rules.
 *
 * tree.c enters and leaves directories and asks about each entry; the server asks about paths of
 * files that it has in memory. A filter is immutable, so walks may share it; each walk has its own
 * filter_walk.
 */
#include "trawl/files/file_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trawl/text/grow.h"
#include "trawl/files/archive.h"
#include "trawl/files/ignore.h"
#include "trawl/files/repository.h"
#include "trawl/options/settings.h"
#include "trawl/text/sizes.h"
#include "trawl/files/types.h"
#include "trawl/text/whole.h"
#include "trawl/text/message.h"

#define FULL_FIRST SIZE_OR_SMALL(256u, 1u) /* initial capacity of a path */

/* The rule files that a directory may have. Each kind overrides the kinds after it. */
static const char *const list_names[FILTER_FILES] = {".rgignore", ".ignore", ".gitignore",
                                                     ".git/info/exclude"};

struct filter {
    struct filter_rules rules;
    struct guard *guard;       /* limits of the search; NULL: no limits */
    bool in_archives;          /* archives that no glob and no type matches are taken, too */
    struct ignore_list *globs; /* rules of -g and --iglob; NULL: no such option */
    /* a glob without '!' was given: files that no glob matches are skipped */
    bool globs_take;
    struct ignore_list *types; /* rules of --type and --type-not; NULL: no such option */
    bool types_take;           /* --type was given: files that no type matches are skipped */
    struct ignore_list **explicit_lists; /* the files of --ignore-file */
    size_t explicit_count;
    struct ignore_list *global; /* rules of git's core.excludesFile; NULL: no rules */
    char *global_path;
    char *working_directory; /* NULL: unknown */
};

/* A directory that has rules, or is the top of a repository. */
struct scope {
    size_t depth;   /* depth of the directory below the root, + 1; 0: it is above the root */
    size_t base_at; /* offset in walk->full at which paths relative to this directory begin */
    bool has_git;   /* the directory has .git, so it is the top of a repository */
    struct ignore_list *lists[FILTER_FILES]; /* NULL: the directory has no file of this kind */
};

/* Why an entry was skipped. */
enum reason {
    REASON_GLOB,    /* a glob of -g or --iglob */
    REASON_NO_GLOB, /* no glob of -g or --iglob matches */
    REASON_RULE,    /* a rule of an ignore file */
    REASON_TYPE,    /* a type of --type-not */
    REASON_NO_TYPE, /* no type of --type matches */
    REASON_HIDDEN   /* the name begins with a dot */
};

struct filter_walk {
    const struct filter *filter;
    bool judges;       /* for filter_judge */
    size_t root_bytes; /* length of the root's path as messages show the path */
    /* real path of the root ("" if unknown or not needed), then the path of the current entry below
     * the root */
    char *full;
    size_t full_root_bytes, full_bytes, full_capacity;
    struct scope *scopes; /* the outermost directory first */
    size_t scope_count, scope_capacity, git_count;
    enum reason reason;
    const struct ignore_list *reason_list; /* REASON_RULE: the list of the rule that decided */
    /* REASON_RULE: the directory whose rule file became reason_list; NULL: reason_list is of
     * --ignore-file or git's global file */
    const struct scope *reason_scope;
    const struct ignore_rule *reason_rule; /* the rule that decided */
};

/* ---- What was requested ---------------------------------------------------------------------- */

static bool refuse_value(char *message, const char *option, const char *value, const char *why)
{
    return message_fail(message, "%s: '%s': %s", option, value, why);
}

static bool has_kind(const struct value_list *rules, enum value_kind one, enum value_kind other)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->items[i].kind == one || rules->items[i].kind == other)
            return true;
    return false;
}

/* Adds first the globs of -g, then the globs of --iglob, each in the order given. */
static bool add_globs(struct filter *filter, const struct file_settings *files, char *message)
{
    const struct value_list *rules = &files->rules;
    static const enum value_kind kinds[] = {VALUE_GLOB, VALUE_IGLOB};

    if (!has_kind(rules, VALUE_GLOB, VALUE_IGLOB))
        return true;
    filter->globs = ignore_open("-g", 0, filter->guard);
    if (filter->globs == NULL)
        return message_exhausted(message);
    for (size_t kind = 0; kind < 2; kind++) {
        bool any_case = kind == 1 || files->glob_any_case;

        ignore_set_flags(filter->globs, IGNORE_BRACES | (any_case ? IGNORE_ANY_CASE : 0));
        for (size_t i = 0; i < rules->count; i++) {
            const char *text = rules->items[i].text;
            size_t before = ignore_count(filter->globs);
            enum glob_status status;

            if (rules->items[i].kind != kinds[kind])
                continue;
            status = ignore_add_line(filter->globs, text, strlen(text), 0);
            if (status != GLOB_GOOD)
                return refuse_value(message,
                                    kind > 0                     ? "--iglob"
                                    : files->glob_option != NULL ? files->glob_option
                                                                 : "-g (--glob)",
                                    text, glob_status_text(status));
            if (text[0] != '!' && ignore_count(filter->globs) > before)
                filter->globs_take = true;
        }
    }
    return ignore_seal(filter->globs) || message_exhausted(message);
}

/* Makes the list of the types' globs, if --type or a similar option was given. False: `message`
 * says why. */
static bool add_types(struct filter *filter, const struct value_list *rules, char *message)
{
    if (!has_kind(rules, VALUE_TYPE, VALUE_TYPE_NOT) &&
        !has_kind(rules, VALUE_TYPE_ADD, VALUE_TYPE_CLEAR))
        return true;
    filter->types = ignore_open("--type", IGNORE_BRACES, filter->guard);
    if (filter->types == NULL)
        return message_exhausted(message);
    filter->types_take = has_kind(rules, VALUE_TYPE, VALUE_TYPE);
    if (!types_select(filter->types, rules, message))
        return false;
    return ignore_seal(filter->types) || message_exhausted(message);
}

/* Makes a list of the rules in `text`, which the list then owns; after an error, `text` is freed.
 * Returns 0 or an errno. */
static int make_list(struct ignore_list **list, const char *path, char *text, size_t bytes,
                     unsigned flags)
{
    *list = ignore_open(path, flags, NULL);
    if (*list == NULL) {
        free(text);
        return ENOMEM;
    }
    if (ignore_add_text(*list, text, bytes) && ignore_seal(*list))
        return 0;
    ignore_close(*list);
    *list = NULL;
    return ENOMEM;
}

/* Reads a file of rules. If the file does not exist or may not be read, returns 0 with *list NULL
 * and the reason in errno. Returns an errno if the rules stay unknown for another reason. */
static int read_list(struct ignore_list **list, int directory, const char *path, unsigned flags)
{
    size_t bytes = 0;
    char *text = strcmp(path, list_names[FILTER_GIT]) == 0
                     ? repository_read_exclude(directory, &bytes)
                     : repository_read(directory, path, &bytes);

    *list = NULL;
    if (text == NULL)
        return repository_is_absent(errno) ? 0 : errno;
    return make_list(list, path, text, bytes, flags);
}

/* Like read_list, for a file given with --ignore-file, which may be a pipe or a device. A missing
 * file is an error. */
static int read_given_list(struct ignore_list **list, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC), os_code = errno;
    size_t bytes = 0;
    char *text = NULL;

    if (descriptor < 0)
        return os_code;
    os_code = whole_read_from(descriptor, SIZE_MAX, &text, &bytes) ? 0 : errno;
    (void)close(descriptor);
    if (os_code == 0)
        return make_list(list, path, text, bytes, IGNORE_BRACES);
    free(text);
    return os_code;
}

static unsigned list_flags(const struct filter *filter, enum filter_file kind)
{
    return (kind <= FILTER_IGNORE ? IGNORE_BRACES : 0) |
           (filter->rules.any_case ? IGNORE_ANY_CASE : 0);
}

/* Reads the files given with --ignore-file, and the file that git's core.excludesFile names. */
static bool add_files(struct filter *filter, const struct file_settings *files, char *message)
{
    const struct value_list *rules = &files->rules;
    int os_code;

    for (size_t i = 0; i < rules->count && !files->no_ignore_files; i++) {
        struct ignore_list **larger;

        if (rules->items[i].kind != VALUE_IGNORE_FILE)
            continue;
        larger = realloc(filter->explicit_lists,
                         (filter->explicit_count + 1) * sizeof(struct ignore_list *));
        if (larger == NULL)
            return message_exhausted(message);
        filter->explicit_lists = larger;
        os_code = read_given_list(&larger[filter->explicit_count], rules->items[i].text);
        if (os_code != 0)
            return refuse_value(message, "--ignore-file", rules->items[i].text, strerror(os_code));
        filter->explicit_count++;
    }
    if (!filter->rules.global)
        return true;
    os_code = repository_find_global(&filter->global_path);
    if (os_code == 0 && filter->global_path != NULL)
        os_code = read_list(&filter->global, AT_FDCWD, filter->global_path,
                            list_flags(filter, FILTER_GITIGNORE));
    return os_code == 0 ||
           refuse_value(message, "core.excludesFile",
                        filter->global_path != NULL ? filter->global_path : "git's settings",
                        strerror(os_code));
}

struct filter_rules filter_rules(const struct settings *settings)
{
    const struct file_settings *files = &settings->files;
    bool ignore = files->filtering && !(files->no_ignore && !settings->is_tg);
    bool dot = ignore && !files->no_ignore_dot, vcs = ignore && !files->no_ignore_vcs;

    return (struct filter_rules){.dot = dot,
                                 .vcs = vcs,
                                 .exclude = vcs && !files->no_ignore_exclude,
                                 .global = vcs && !files->no_ignore_global,
                                 .parent = (dot || vcs) && !files->no_ignore_parent,
                                 .require_git = vcs && !files->no_require_git,
                                 .any_case = (dot || vcs) && files->ignore_any_case,
                                 .hidden =
                                     files->hidden < 0 || (files->hidden == 0 && files->filtering)};
}

bool filter_open(struct filter **made, const struct settings *settings, bool in_memory,
                 char *message)
{
    const struct file_settings *files = &settings->files;
    const char *directory = settings->surroundings.directory;
    struct filter_rules rules = filter_rules(settings);
    bool ignore = files->filtering && !(files->no_ignore && !settings->is_tg);
    struct filter *filter;

    *made = NULL;
    if (!ignore && !rules.hidden && files->rules.count == 0)
        return true;
    filter = calloc(1, sizeof *filter);
    if (filter == NULL)
        return message_exhausted(message);
    filter->rules = rules;
    filter->in_archives = settings->search_zip && !files->names_only;
    filter->guard = settings->guard;
    filter->working_directory = directory != NULL ? strdup(directory) : getcwd(NULL, 0);
    if (add_globs(filter, files, message) && add_types(filter, &files->rules, message) &&
        (in_memory || add_files(filter, files, message))) {
        *made = filter;
        return true;
    }
    filter_close(filter);
    return false;
}

void filter_close(struct filter *filter)
{
    if (filter == NULL)
        return;
    ignore_close(filter->globs);
    ignore_close(filter->types);
    for (size_t i = 0; i < filter->explicit_count; i++)
        ignore_close(filter->explicit_lists[i]);
    free(filter->explicit_lists);
    ignore_close(filter->global);
    free(filter->global_path);
    free(filter->working_directory);
    free(filter);
}

/* ---- Directories ----------------------------------------------------------------------------- */

bool filter_wants(const struct filter *filter, const char *name, enum filter_file *file)
{
    static const char *const names[FILTER_FILES] = {".rgignore", ".ignore", ".gitignore", ".git"};

    for (unsigned i = 0; name[0] == '.' && i < FILTER_FILES; i++)
        if (strcmp(name, names[i]) == 0) {
            *file = (enum filter_file)i;
            return i <= FILTER_IGNORE ? filter->rules.dot : filter->rules.vcs;
        }
    return false;
}

static void drop_scope(struct filter_walk *walk)
{
    struct scope *scope = &walk->scopes[--walk->scope_count];

    walk->git_count -= scope->has_git;
    for (size_t i = 0; i < FILTER_FILES; i++)
        ignore_close(scope->lists[i]);
}

/* Reads the rule files of an open directory, and notes whether the directory is the top of a
 * repository. A top is noted even where --no-ignore-parent forbids the rule files of directories
 * above the root, because git's rules apply only inside a repository. Returns 0 or an errno. */
static int add_scope(struct filter_walk *walk, size_t depth, int directory, size_t base_at,
                     const bool has[FILTER_FILES])
{
    const struct filter *filter = walk->filter;
    const struct filter_rules *rules = &filter->rules;
    const bool heeded[FILTER_FILES] = {rules->dot, rules->dot, rules->vcs, rules->exclude};
    struct scope *scope;
    bool any = false;
    int os_code = 0;

    if (!GROW(walk->scopes, walk->scope_capacity, 16, walk->scope_count + 1))
        return ENOMEM;
    scope = &walk->scopes[walk->scope_count++];
    memset(scope, 0, sizeof *scope);
    scope->depth = depth;
    scope->base_at = base_at;
    scope->has_git = has[FILTER_GIT] && faccessat(directory, ".git", F_OK, 0) == 0;
    walk->git_count += scope->has_git;
    for (size_t i = 0; i < FILTER_FILES && os_code == 0; i++) {
        if (has[i] && heeded[i] && (depth > 0 || rules->parent))
            os_code = read_list(&scope->lists[i], directory, list_names[i],
                                list_flags(filter, (enum filter_file)i));
        any = any || scope->lists[i] != NULL;
    }
    if (os_code != 0 || (!any && !scope->has_git))
        drop_scope(walk);
    return os_code;
}

/* Reads the rule files of the directories above the root, the highest directory first. Returns 0 or
 * an errno. */
static int add_parents(struct filter_walk *walk)
{
    static const bool all[FILTER_FILES] = {true, true, true, true};
    char *path = walk->full;
    int os_code = 0;

    for (size_t at = 0; os_code == 0 && at < walk->full_root_bytes; at++) {
        char kept = path[at + 1];
        int directory;

        if (path[at] != '/' || kept == '\0')
            continue;
        path[at + 1] = '\0';
        directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
        path[at + 1] = kept;
        if (directory < 0) {
            os_code = repository_is_absent(errno) ? 0 : errno;
            continue;
        }
        os_code = add_scope(walk, 0, directory, at + 1, all);
        close(directory);
    }
    return os_code;
}

struct filter_walk *filter_walk_open(const struct filter *filter, const char *root)
{
    struct filter_walk *walk = calloc(1, sizeof *walk);
    bool parents = filter->rules.vcs || (filter->rules.dot && filter->rules.parent);
    int os_code = ENOMEM;

    if (walk == NULL)
        return NULL;
    walk->filter = filter;
    walk->root_bytes = strlen(root);
    walk->full = parents ? realpath(root, NULL) : NULL;
    if (walk->full == NULL) {
        walk->full = strdup("");
        parents = false;
    }
    if (walk->full != NULL) {
        walk->full_root_bytes = walk->full_bytes = strlen(walk->full);
        walk->full_capacity = walk->full_bytes + 1;
        os_code = parents ? add_parents(walk) : 0;
        if (os_code == 0)
            return walk;
    }
    filter_walk_close(walk);
    errno = os_code;
    return NULL;
}

void filter_walk_close(struct filter_walk *walk)
{
    while (walk->scope_count > 0)
        drop_scope(walk);
    free(walk->scopes);
    free(walk->full);
    free(walk);
}

/* Sets walk->full to the real path of the entry `path`. `path` begins with the root as messages
 * show it. False: no memory. */
static bool set_full(struct filter_walk *walk, const char *path)
{
    const char *rest = path + walk->root_bytes;
    size_t at = walk->full_root_bytes, rest_bytes;

    while (*rest == '/')
        rest++;
    rest_bytes = strlen(rest);
    if (!GROW(walk->full, walk->full_capacity, FULL_FIRST, at + rest_bytes + 2))
        return false;
    if (at == 0 || walk->full[at - 1] != '/')
        walk->full[at++] = '/';
    memcpy(walk->full + at, rest, rest_bytes + 1);
    walk->full_bytes = at + rest_bytes;
    return true;
}

int filter_enter(struct filter_walk *walk, size_t depth, int directory, const char *path,
                 const bool has[FILTER_FILES])
{
    if (!has[FILTER_RGIGNORE] && !has[FILTER_IGNORE] && !has[FILTER_GITIGNORE] && !has[FILTER_GIT])
        return 0;
    if (!set_full(walk, path))
        return ENOMEM;
    return add_scope(walk, depth + 1, directory,
                     walk->full_bytes + (walk->full[walk->full_bytes - 1] != '/'), has);
}

void filter_leave(struct filter_walk *walk, size_t depth)
{
    while (walk->scope_count > 0 && walk->scopes[walk->scope_count - 1].depth > depth)
        drop_scope(walk);
}

/* ---- Entries --------------------------------------------------------------------------------- */

/* Applies a list to an entry, if the walk uses the list (NULL: it has none); the list's rules are
 * about `path`. The scope is the directory that the list belongs to; NULL: none. */
static enum filter_verdict ask_list(struct filter_walk *walk, const struct ignore_list *list,
                                    const struct scope *scope, const char *path, size_t name_bytes,
                                    bool is_directory)
{
    const size_t bytes = list == NULL ? 0 : strlen(path);
    const struct ignore_rule *rule =
        list == NULL ? NULL : ignore_find(list, path, bytes, bytes - name_bytes, is_directory);

    if (rule == NULL)
        return FILTER_UNDECIDED;
    walk->reason = REASON_RULE;
    walk->reason_list = list;
    walk->reason_scope = scope;
    walk->reason_rule = rule;
    return rule->keeps ? FILTER_TAKES : FILTER_SKIPS;
}

/* Returns the path relative to the working directory, or `path` itself if the entry is not below
 * that directory. */
static const char *from_working_directory(const struct filter *filter, const char *path)
{
    size_t bytes;

    if (path[0] != '/' || filter->working_directory == NULL) {
        while (path[0] == '.' && path[1] == '/')
            path += 2;
        return path;
    }
    bytes = filter->working_directory[1] == '\0' ? 0 : strlen(filter->working_directory); /* "/" */
    if (strncmp(path, filter->working_directory, bytes) != 0 || path[bytes] != '/')
        return path;
    return path + bytes + 1;
}

/* Decides about the current entry by the rule files of one kind, from the innermost directory up.
 * Git's rules end at the top of the innermost repository, but with --no-require-git a repository is
 * like any directory. */
static enum filter_verdict ask_scopes(struct filter_walk *walk, enum filter_file kind,
                                      size_t name_bytes, bool is_directory)
{
    const bool ends_at_git = kind >= FILTER_GITIGNORE && walk->filter->rules.require_git;
    enum filter_verdict verdict = FILTER_UNDECIDED;

    if (ends_at_git && walk->git_count == 0)
        return FILTER_UNDECIDED;
    for (size_t i = walk->scope_count; i > 0 && verdict == FILTER_UNDECIDED; i--) {
        const struct scope *scope = &walk->scopes[i - 1];

        verdict = ask_list(walk, scope->lists[kind], scope, walk->full + scope->base_at, name_bytes,
                           is_directory);
        if (ends_at_git && scope->has_git)
            break;
    }
    return verdict;
}

/* Decides about the current entry by git's global excludes file. Its rules apply to paths relative
 * to the top of the innermost repository or, outside of a repository (--no-require-git), to
 * `shown`, the path from the working directory. */
static enum filter_verdict ask_global(struct filter_walk *walk, const char *shown,
                                      size_t name_bytes, bool is_directory)
{
    const char *path = shown;

    if (walk->git_count == 0 && walk->filter->rules.require_git)
        return FILTER_UNDECIDED;
    for (size_t i = walk->scope_count; i > 0 && path == shown; i--)
        if (walk->scopes[i - 1].has_git)
            path = walk->full + walk->scopes[i - 1].base_at;
    return ask_list(walk, walk->filter->global, NULL, path, name_bytes, is_directory);
}

/* Decides about the current entry by the rule files of the directories, then by git's global
 * excludes file, then by the files of --ignore-file, the last one first. */
static enum filter_verdict ask_lists(struct filter_walk *walk, const char *path, const char *shown,
                                     size_t name_bytes, bool is_directory)
{
    const struct filter *filter = walk->filter;
    enum filter_verdict verdict = FILTER_UNDECIDED;

    if (walk->scope_count > 0 && !set_full(walk, path))
        return FILTER_NO_MEMORY;
    for (unsigned kind = 0; kind < FILTER_FILES && verdict == FILTER_UNDECIDED; kind++)
        verdict = ask_scopes(walk, (enum filter_file)kind, name_bytes, is_directory);
    if (verdict == FILTER_UNDECIDED)
        verdict = ask_global(walk, shown, name_bytes, is_directory);
    for (size_t i = filter->explicit_count; i > 0 && verdict == FILTER_UNDECIDED; i--)
        verdict =
            ask_list(walk, filter->explicit_lists[i - 1], NULL, shown, name_bytes, is_directory);
    return verdict;
}

/* Returns true if the file may be an archive, whose members are judged. */
static bool may_hold(const struct filter_walk *walk, const char *name)
{
    return walk->filter->in_archives && !walk->judges && archive_has_name(name);
}

/* Decides about the current entry by the globs of -g and --iglob. */
static enum filter_verdict ask_globs(struct filter_walk *walk, const char *shown, size_t name_bytes,
                                     bool is_directory)
{
    size_t bytes = strlen(shown);
    const struct ignore_rule *rule =
        ignore_find(walk->filter->globs, shown, bytes, bytes - name_bytes, is_directory);

    walk->reason = rule != NULL ? REASON_GLOB : REASON_NO_GLOB;
    walk->reason_rule = rule;
    if (rule != NULL)
        return rule->keeps ? FILTER_SKIPS : FILTER_TAKES; /* unlike in .gitignore, '!' skips */
    return walk->filter->globs_take && !is_directory && !may_hold(walk, shown) ? FILTER_SKIPS
                                                                               : FILTER_UNDECIDED;
}

static enum filter_verdict ask_types(struct filter_walk *walk, const char *name, size_t name_bytes)
{
    const struct ignore_rule *rule = ignore_find(walk->filter->types, name, name_bytes, 0, false);

    walk->reason = rule != NULL ? REASON_TYPE : REASON_NO_TYPE;
    walk->reason_rule = rule;
    if (rule != NULL)
        return rule->keeps ? FILTER_TAKES : FILTER_SKIPS;
    return walk->filter->types_take && !may_hold(walk, name) ? FILTER_SKIPS : FILTER_UNDECIDED;
}

enum filter_verdict filter_ask(struct filter_walk *walk, const char *path, size_t name_at,
                               bool is_directory)
{
    const struct filter *filter = walk->filter;
    const char *shown = from_working_directory(filter, path);
    size_t name_bytes = strlen(path + name_at);
    enum filter_verdict verdict = FILTER_UNDECIDED, type = FILTER_UNDECIDED;

    if (filter->globs != NULL)
        verdict = ask_globs(walk, shown, name_bytes, is_directory);
    if (verdict != FILTER_UNDECIDED)
        return verdict;
    verdict = ask_lists(walk, path, shown, name_bytes, is_directory);
    if (verdict == FILTER_NO_MEMORY || verdict == FILTER_SKIPS)
        return verdict;
    if (filter->types != NULL && !is_directory)
        type = ask_types(walk, path + name_at, name_bytes);
    if (type != FILTER_UNDECIDED)
        return type;
    if (verdict != FILTER_UNDECIDED || !filter->rules.hidden || path[name_at] != '.')
        return FILTER_TAKES;
    walk->reason = REASON_HIDDEN;
    return FILTER_SKIPS;
}

enum filter_verdict filter_judge(const struct filter *filter, const char *path, size_t name_at,
                                 bool is_directory)
{
    struct filter_walk walk = {.filter = filter, .judges = true};
    size_t name_bytes = strlen(path + name_at);
    enum filter_verdict verdict = FILTER_UNDECIDED;

    if (filter->globs != NULL)
        verdict = ask_globs(&walk, from_working_directory(filter, path), name_bytes, is_directory);
    if (verdict == FILTER_UNDECIDED && filter->types != NULL && !is_directory)
        verdict = ask_types(&walk, path + name_at, name_bytes);
    return verdict;
}

enum tree_left filter_why(const struct filter_walk *walk)
{
    bool is_given = false;

    if (walk->reason == REASON_HIDDEN)
        return LEFT_HIDDEN;
    for (size_t i = 0; i < walk->filter->explicit_count; i++)
        is_given = is_given || walk->filter->explicit_lists[i] == walk->reason_list;
    return walk->reason == REASON_RULE && !is_given ? LEFT_BY_RULE : LEFT_BY_OPTION;
}

const char *filter_reason(struct filter_walk *walk, char *room, size_t room_bytes)
{
    const struct ignore_rule *rule = walk->reason_rule;
    const char *source = "", *folder = "";
    int folder_bytes = 0;

    switch (walk->reason) {
    case REASON_NO_GLOB:
        return "no glob of -g takes it";
    case REASON_NO_TYPE:
        return "no glob of --type takes it";
    case REASON_HIDDEN:
        return "its name begins with a dot";
    case REASON_GLOB:
        snprintf(room, room_bytes, "glob '%.*s'", (int)rule->line_bytes, rule->line);
        return room;
    case REASON_TYPE:
        snprintf(room, room_bytes, "type's glob '%.*s'", (int)rule->line_bytes, rule->line);
        return room;
    case REASON_RULE:
        break;
    }
    source = ignore_source(walk->reason_list);
    if (walk->reason_scope != NULL) {
        folder = walk->full;
        folder_bytes = (int)walk->reason_scope->base_at;
    }
    snprintf(room, room_bytes, "rule '%.*s' of %.*s%s:%u", (int)rule->line_bytes, rule->line,
             folder_bytes, folder, source, rule->line_number);
    return room;
}
