/* response_files: decides which files the job of a response searches.
 *
 * The files come from a view, not from a walk of directories. A view lists the files that the
 * request names, in a state of the collection: its files at one moment. Most kinds of output do not
 * mention a file without an occurrence, or only by name. For these, if it is expected to save time,
 * a pass finds the files with an occurrence: one search of all files that are in memory, which
 * several requests may share.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/response_inside.h"
#include "trawl/files/glob.h"
#include "trawl/options/patterns.h"
#include "trawl/run/input.h"
#include "trawl/run/search_file.h"
#include "trawl/text/calls.h"

/* A pass searches all files of a state that are in memory, so it saves time if the request is about
 * at least 1 / PASS_PART_HOST of the state's files. On GPUs, 1 / PASS_PART_DEVICE is enough,
 * because a GPU searches a text about 100 times as fast as the host searches it file by file. */
#define PASS_PART_DEVICE 256u
#define PASS_PART_HOST 4u
/* Before a pass, the job searches some files one by one, so that the first lines come early: 1 /
 * FIRST_FILES_SHARE of the minimum number of files for which a pass saves time. */
#define FIRST_FILES_SHARE 16u

/* Stands for the file where an item of the view is not a file of the state: a directory that is an
 * operand with --directories=read, or a file whose status could not be read and that --files
 * lists. */
static const struct supplied_file no_file;

bool response_pass(struct response *response, const struct response_share *share,
                   struct pass_request *pass, const struct patterns *patterns)
{
    struct collection_facts facts;
    bool good;

    collection_facts(share->collection, &facts);
    pass->plan = patterns->plan;
    pass->options = &patterns->options;
    pass->collection = share->collection;
    pass->search_zip = facts.unpacks && (response->request.settings.search_zip ||
                                         response->request.format >= REQUEST_COLUMNS);
    pass->state = share->state;
    pass->view = share->view;
    pass->client = response->client;
    pass->guard = &response->request.guard;
    pthread_mutex_lock(&response->lock);
    good = !response->request.guard.cancelled && !response->truncated;
    response->passing = good ? pass : NULL;
    pthread_mutex_unlock(&response->lock);
    good = good && pass_run(response->server->passes, pass);
    pthread_mutex_lock(&response->lock);
    response->passing = NULL;
    pthread_mutex_unlock(&response->lock);
    if (good)
        response->shared_count = pass->shared_count;
    return good;
}

void response_refuse_pass(struct response *response, const struct pass_request *pass)
{
    response_refuse(response, 503,
                    *pass->message != '\0'        ? pass->message
                    : response->server->is_ending ? "the server is ending"
                    : response->truncated
                        ? "the search took longer than the server or the request allows"
                        : "cancelled");
}

/* Drops from the view the files without the required string. Returns false after a rejection. */
static bool drop_files_without(struct response *response, struct response_share *share,
                               const struct settings *settings, struct value_item *required)
{
    struct settings own = *settings;
    struct patterns patterns = {0};
    struct pass_request pass = {.wants_counts = true};
    char message[SETTINGS_ERROR_BYTES];
    bool good;

    own.patterns = (struct value_list){.items = required, .count = 1};
    good = patterns_gather(&patterns, &own, NULL, message) &&
           patterns_plan(&patterns, &own, own.whole_lines, &patterns.plan, message);
    if (good && own.expressions)
        patterns_find_empty(&patterns, patterns.plan);
    if (!good) {
        response_refuse(response, 400, message);
    } else if (patterns.has_empty || patterns.empty_between != 0) {
        good = false;
        response_refuse(response, 400, "requires: a string or an expression that matches no byte");
    } else if (patterns.check.any) {
        good = false;
        response_refuse(response, 422,
                        "requires: a string is not valid text in the server's charset");
    } else if (patterns.plan != NULL) {
        good = response_pass(response, share, &pass, &patterns);
        if (!good)
            response_refuse_pass(response, &pass);
        else if (!(good = view_keep(share->view, pass.files, &response->request.guard)))
            response_refuse(response, 503, "memory exhausted");
    }
    pass_free(&pass);
    patterns_free(&patterns);
    return good;
}

/* One of a request's names. Plain text matches anywhere in a file's name; a glob (with `*` or `?`)
 * matches the whole name, or everything after one of its slashes. */
struct wanted_name {
    const char *text;
    bool excludes; /* inverted: the name begins with `!` */
    bool any_case; /* case is ignored: the name has no capital letter */
    bool is_glob;
    struct glob glob;
};

static bool name_fits(const struct wanted_name *wanted, const char *name)
{
    if (!wanted->is_glob)
        return (wanted->any_case ? strcasestr(name, wanted->text) : strstr(name, wanted->text)) !=
               NULL;
    while (!glob_matches(&wanted->glob, name, strlen(name))) {
        name = strchr(name, '/');
        if (name == NULL)
            return false;
        name++;
    }
    return true;
}

/* Drops from the view the files whose names do not match. Returns false if out of memory, or if the
 * response must end. */
static bool keep_fitting(struct response *response, struct response_share *share,
                         const struct wanted_name *wanted)
{
    struct guard *guard = &response->request.guard;
    struct view_names names = {0};
    size_t bytes_count = share->state->index_count / 8 + (size_t)1;
    uint8_t *bits = guard_take(guard, bytes_count) ? calloc(bytes_count, 1) : NULL;
    bool good = bits != NULL;

    for (uint64_t i = 0; good && i < share->view->file_count; i++) {
        uint32_t file = share->view->files[i];
        const char *name = view_name(share->view, share->state, i, &names);

        good = name != NULL && (i % 4096 != 0 || !response_is_over(response));
        if (good && file < VIEW_SPECIAL && name_fits(wanted, name) != wanted->excludes)
            bits[file / 8] |= (uint8_t)(1u << file % 8);
    }
    good = good && view_keep(share->view, bits, guard);
    free(names.bytes);
    free(bits);
    return good;
}

/* Drops from the view the files whose names do not match. Returns false after a rejection. */
static bool keep_named(struct response *response, struct response_share *share, const char *text)
{
    struct wanted_name wanted = {.text = text + (*text == '!'), .excludes = *text == '!'};
    enum glob_status status = GLOB_GOOD;
    char message[SETTINGS_ERROR_BYTES];
    bool good;

    wanted.any_case = strpbrk(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
    wanted.is_glob = strpbrk(text, "*?") != NULL;
    if (wanted.is_glob)
        status = glob_compile(&wanted.glob, wanted.text, strlen(wanted.text),
                              wanted.any_case ? GLOB_ANY_CASE : 0);
    good = status == GLOB_GOOD && keep_fitting(response, share, &wanted);
    (void)snprintf(message, sizeof message, "names: %s", glob_status_text(status));
    if (!good && (status == GLOB_GOOD || status == GLOB_MEMORY))
        response_refuse(response, 503, "memory exhausted");
    else if (!good)
        response_refuse(response, 400, message);
    glob_free(&wanted.glob);
    return good;
}

bool response_look(struct response *response, struct command_job *job,
                   const struct value_item *operands, size_t operand_count)
{
    const struct value_list *required = &response->request.required;
    char message[SETTINGS_ERROR_BYTES] = "";

    for (size_t i = 0; i < response->share_count; i++) {
        struct response_share *share = &response->shares[i];
        int http_status = 503;

        share->state = collection_now(share->collection, message);
        share->view =
            share->state == NULL
                ? NULL
                : collection_view(share->collection, share->state, job, response->request.directory,
                                  share->prefix, operands, operand_count, &http_status, message);
        if (share->view == NULL) {
            response_refuse(response, http_status, message);
            return false;
        }
        job->left_out |= share->view->left_out;
        for (size_t j = 0; j < response->request.names.count; j++)
            if (!keep_named(response, share, response->request.names.items[j].text))
                return false;
    }
    job->has_searched = required->count > 0;
    for (size_t i = 0; i < response->share_count; i++)
        for (size_t j = 0; j < required->count; j++)
            if (!drop_files_without(response, &response->shares[i], job->settings,
                                    &required->items[j]))
                return false;
    return true;
}

/* Returns true if the settings alone guarantee that the job searches each file's bytes without
 * conversion, as a pass does, and that no file is the job's own output. */
static bool none_is_converted(const struct settings *settings)
{
    return !settings->search_zip &&
           (settings->encoding == NULL || strcmp(settings->encoding, "none") == 0) &&
           !settings->surroundings.output_is_regular;
}

/* Returns true if a pass has shown that the file contains no string of the plan. Returns false if
 * there was no pass, if the job would convert the file's bytes, which a pass does not, or if the
 * file may be the output. A file whose bit in pass.files is clear is in a block (memory with the
 * bytes of many files), and the pass has searched it there. */
static bool holds_nothing(const struct response *response, uint32_t item)
{
    const struct response_share *share = &response->shares[response->share_at];
    const struct settings *settings = &response->request.settings;
    const struct served_file *file;

    if (!response->files.passed || item >= VIEW_SPECIAL ||
        (share->pass.files[item / 8] >> item % 8 & 1) != 0)
        return false;
    file = share->state->files[item];
    return !input_is_converted(settings, file->block->bytes + file->block_begin,
                               file->supplied.bytes_count) &&
           !search_file_is_output(settings, &file->supplied.status, false);
}

/* Returns PASS_PART_DEVICE if the state's largest block is on a device, else PASS_PART_HOST. */
static unsigned pass_part(const struct state *state)
{
    bool on_device = state->block_count > 0 && state->blocks[0].block->on_device;

    return on_device ? PASS_PART_DEVICE : PASS_PART_HOST;
}

/* Runs a pass that finds the files with an occurrence, if that saves time. */
static void look_for_files(struct response *response, struct command_job *job)
{
    const struct trawl_plan *plan = job->patterns == NULL ? NULL : job->patterns->plan;
    struct response_share *share = &response->shares[response->share_at];
    const struct served_view *view = share->view;
    bool is_small = view->file_count < share->state->file_count / pass_part(share->state);

    if (plan == NULL || !job_may_pass_over(job) || is_small ||
        pass_is_frequent(response->server->passes, share->state, plan))
        return;
    /* if the pass fails, the job searches all files */
    response->files.passed = response_pass(response, share, &share->pass, job->patterns);
    response->files.silently = job_passes_over_silently(job);
    response->files.counts = job->settings->json;
    response->files.quickly = response->files.passed && response->files.silently &&
                              !response->files.counts && none_is_converted(job->settings);
    for (uint64_t i = 0; response->files.silently && i < view->file_count; i++)
        if (holds_nothing(response, view->files[i])) {
            job->has_searched = true;
            return;
        }
}

/* Begins with the files of the response's collection with the index `at`. */
static void begin_share(struct response *response, size_t at)
{
    const struct state *state = at < response->share_count ? response->shares[at].state : NULL;
    struct response_files *files = &response->files;

    response->share_at = at;
    files->item_at = files->names.part = 0;
    files->passed = files->quickly = files->silently = false;
    files->waiting = files->job;
    if (state != NULL)
        files->pass_from = state->file_count / ((uint64_t)pass_part(state) * FIRST_FILES_SHARE);
}

void response_begin_files(void *context, struct command_job *job, const struct value_item *operands,
                          size_t operand_count)
{
    struct response *response = context;

    if (!response_look(response, job, operands, operand_count)) {
        job->error_seen = true;
        response->share_at = response->share_count;
        return;
    }
    /* Only strings share passes. Without a turn, time is up, and the job ends at its first file. */
    if (job->patterns != NULL && job->patterns->plan != NULL) {
        struct trawl_plan_told facts = describe_plan(job->patterns->plan, 0);

        if (facts.syntax != TRAWL_LITERAL || facts.has_errors)
            (void)guard_admit(&response->request.guard);
    }
    response_accept(response);
    response->files.job = job;
    begin_share(response, 0);
}

/* Skips files without an occurrence, up to the next file that may have one, or the next item of the
 * view that is not a file of the state (VIEW_SPECIAL). Does so in a single loop, because there may
 * be millions of files. */
static void skip_files(struct response *response, const struct response_share *share)
{
    const uint32_t *files = share->view->files;
    const uint8_t *bits = share->pass.files;
    uint64_t at = response->files.item_at, count = share->view->file_count;

    while (at < count && files[at] < VIEW_SPECIAL &&
           (bits[files[at] / 8] >> files[at] % 8 & 1) == 0)
        at++;
    response->files.item_at = at;
}

/* Does what response_next_file does, for the current collection. */
static bool next_file(struct response *response, const struct response_share *share,
                      struct walk_item *item)
{
    struct response_files *files = &response->files;
    const struct served_view *view = share->view;

    if (files->waiting != NULL && files->item_at >= files->pass_from) {
        look_for_files(response, files->waiting);
        files->waiting = NULL;
    }
    if (files->quickly)
        skip_files(response, share);
    while (files->item_at < view->file_count && !response_is_over(response)) {
        uint64_t at = files->item_at++;
        uint32_t found = view->files[at];
        const struct view_report *special =
            found >= VIEW_SPECIAL ? &view->specials[found - VIEW_SPECIAL] : NULL;
        const struct served_file *file = special == NULL ? share->state->files[found] : NULL;
        bool nothing = holds_nothing(response, found);

        if (nothing && files->silently && !(files->counts && files->item_at == view->file_count)) {
            files->passed_files++;
            files->passed_bytes += file->supplied.bytes_count;
            continue;
        }
        memset(item, 0, sizeof *item);
        item->passed_files = files->counts ? files->passed_files : 0;
        item->passed_bytes = files->passed_bytes;
        files->passed_files = files->passed_bytes = 0;
        item->kind = special != NULL ? special->kind : WALK_FILE;
        item->name = view_name(view, share->state, at, &files->names);
        item->type = special != NULL ? DT_UNKNOWN : DT_REG;
        item->is_operand = special != NULL || view->parts[files->names.part].is_operand;
        item->os_code = special != NULL ? special->os_code : 0;
        item->holds_nothing = nothing;
        item->supplier = share;
        if (item->kind == WALK_FILE)
            item->supplied = file == NULL ? &no_file : &file->supplied;
        if (item->name == NULL)
            *item = (struct walk_item){
                .kind = WALK_ERROR, .name = "", .is_operand = true, .os_code = ENOMEM};
        return true;
    }
    return false;
}

bool response_next_file(void *context, struct walk_item *item)
{
    struct response *response = context;

    for (; response->share_at < response->share_count;
         begin_share(response, response->share_at + 1))
        if (next_file(response, &response->shares[response->share_at], item))
            return true;
    return false;
}

int response_open_file(void *context, const struct walk_item *item)
{
    const struct response_share *share = item->supplier;
    const char *file = (const char *)item->supplied - offsetof(struct served_file, supplied);

    (void)context;
    return collection_open_file(
        share->collection, item->supplied == &no_file ? NULL : (const struct served_file *)file);
}
