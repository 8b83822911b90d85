/* answer_files: which files the job of an answer searches.
 *
 * The job's files come from a view of the collection's state instead of a walk of directories.
 * Often the output shows nothing but the name of a file without an occurrence. Then a pass, which
 * several requests may share, first finds the files with an occurrence.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "serve/answering.h"
#include "trawl/run/input.h"
#include "trawl/run/search_file.h"

/* A pass searches all files of a state. A pass pays if the view has at least 1 / PASS_PART of the
 * state's files. On devices that part is smaller, since a device searches a text about 100 times as
 * fast as the host searches the same text file by file. */
#define PASS_PART_DEVICE 256u
#define PASS_PART_HOST 4u
/* Before a pass, the job searches some files one by one, so that the first lines come early. The
 * number of these files is 1 / FIRST_FILES_SHARE of the least number for which a pass pays. */
#define FIRST_FILES_SHARE 16u

/* ---- State, view and pass -------------------------------------------------------------------- */

bool answering_pass(struct served_answer *answer, const struct patterns *patterns)
{
    struct pass_request *pass = &answer->pass;
    struct collection_facts facts;
    bool good;

    collection_facts(answer->collection, &facts);
    pass->plan = patterns->plan;
    pass->options = &patterns->options;
    pass->collection = answer->collection;
    pass->search_zip = facts.unpacks && (answer->request.settings.search_zip ||
                                         answer->request.format >= REQUEST_COLUMNS);
    pass->state = answer->state;
    pass->view = answer->view;
    pass->client = answer->client;
    pass->guard = &answer->request.guard;
    pthread_mutex_lock(&answer->lock);
    answer->passing = !answer->request.guard.cancelled && !answer->truncated;
    good = answer->passing;
    pthread_mutex_unlock(&answer->lock);
    good = good && pass_run(answer->server->passes, pass);
    pthread_mutex_lock(&answer->lock);
    answer->passing = false;
    pthread_mutex_unlock(&answer->lock);
    if (good)
        answer->shared_count = pass->shared_count;
    return good;
}

bool answering_look(struct served_answer *answer, struct command_job *job,
                    const struct value_item *operands, size_t operand_count)
{
    char message[SETTINGS_ERROR_BYTES] = "";
    int http_status;

    answer->state = collection_now(answer->collection, message);
    if (answer->state == NULL) {
        answering_refuse(answer, 503, message);
        return false;
    }
    answer->view =
        collection_view(answer->collection, answer->state, job, answer->request.directory, operands,
                        operand_count, &http_status, message);
    if (answer->view == NULL) {
        answering_refuse(answer, http_status, message);
        return false;
    }
    job->left_out = answer->view->left_out;
    job->has_searched = answer->view->is_partial && !job->left_out;
    return true;
}

/* Returns whether the job searches the own or unpacked bytes of every file, as a pass does, and
 * none can be the job's own output. Decides without looking at each file. */
static bool none_is_converted(const struct settings *settings)
{
    return !settings->search_zip &&
           (settings->encoding == NULL || strcmp(settings->encoding, "none") == 0) &&
           !settings->surroundings.output_is_regular;
}

/* Returns whether a pass has shown that the item's file contains no string of the plan. Returns
 * false if there was no pass, or if the pass searched other bytes than the job would. A file whose
 * bit is not set is held, and the block has the bytes that the job would search, unless the job
 * converts these bytes. */
static bool holds_nothing(const struct served_answer *answer, uint32_t item)
{
    const struct settings *settings = &answer->request.settings;
    const struct served_file *file;

    if (!answer->files.passed || item >= VIEW_SPECIAL ||
        (answer->pass.files[item / 8] >> item % 8 & 1) != 0)
        return false;
    file = answer->state->files[item];
    return !input_is_converted(settings, file->block->bytes + file->block_begin,
                               file->supplied.bytes_count) &&
           !search_file_is_output(settings, &file->supplied.status);
}

/* Returns PASS_PART_DEVICE if the state's largest block is on a device, else PASS_PART_HOST. */
static unsigned pass_part(const struct served_answer *answer)
{
    bool on_device = answer->state->block_count > 0 && answer->state->blocks[0].block->on_device;

    return on_device ? PASS_PART_DEVICE : PASS_PART_HOST;
}

/* Runs a pass that finds the files with an occurrence, if a pass is worth its cost. */
static void look_for_files(struct served_answer *answer, struct command_job *job)
{
    const struct trawl_plan *plan = job->patterns == NULL ? NULL : job->patterns->plan;
    bool is_small = answer->view->file_count < answer->state->file_count / pass_part(answer);

    if (plan == NULL || !job_may_pass_over(job) || is_small ||
        pass_is_frequent(answer->server->passes, answer->state, plan))
        return;
    answer->files.passed =
        answering_pass(answer, job->patterns); /* false: the job searches all files */
    answer->files.silently = job_passes_over_silently(job);
    answer->files.counts = job->settings->json;
    answer->files.quickly = answer->files.passed && answer->files.silently &&
                            !answer->files.counts && none_is_converted(job->settings);
    for (uint64_t i = 0; answer->files.silently && i < answer->view->file_count; i++)
        if (holds_nothing(answer, answer->view->files[i])) {
            job->has_searched = true;
            return;
        }
}

/* ---- The job's files ------------------------------------------------------------------------- */

void answering_begin_files(void *context, struct command_job *job,
                           const struct value_item *operands, size_t operand_count)
{
    struct served_answer *answer = context;

    if (!answering_look(answer, job, operands, operand_count)) {
        job->error_seen = true;
        return;
    }
    answering_begins(answer);
    answer->files.job = job;
    answer->files.pass_from =
        answer->state->file_count / ((uint64_t)pass_part(answer) * FIRST_FILES_SHARE);
}

/* Advances item_at past all files without an occurrence, in one loop, since there may be
 * millions. */
static void skip_files(struct served_answer *answer)
{
    const uint32_t *files = answer->view->files;
    const uint8_t *bits = answer->pass.files;
    uint64_t at = answer->files.item_at, count = answer->view->file_count;

    while (at < count && files[at] < VIEW_SPECIAL &&
           (bits[files[at] / 8] >> files[at] % 8 & 1) == 0)
        at++;
    answer->files.item_at = at;
}

bool answering_next_file(void *context, struct walk_item *item)
{
    struct served_answer *answer = context;
    const struct served_view *view = answer->view;

    if (answer->files.job != NULL && answer->files.item_at >= answer->files.pass_from) {
        look_for_files(answer, answer->files.job);
        answer->files.job = NULL;
    }
    if (answer->files.quickly)
        skip_files(answer);
    while (view != NULL && answer->files.item_at < view->file_count && !answering_is_over(answer)) {
        uint64_t at = answer->files.item_at++;
        uint32_t found = view->files[at];
        const struct view_special *special =
            found >= VIEW_SPECIAL ? &view->specials[found - VIEW_SPECIAL] : NULL;
        const struct served_file *file = special == NULL ? answer->state->files[found] : NULL;
        bool nothing = holds_nothing(answer, found);

        if (nothing && answer->files.silently &&
            !(answer->files.counts && answer->files.item_at == view->file_count)) {
            answer->files.passed_files++;
            answer->files.passed_bytes += file->supplied.bytes_count;
            continue;
        }
        memset(item, 0, sizeof *item);
        item->passed_files = answer->files.counts ? answer->files.passed_files : 0;
        item->passed_bytes = answer->files.passed_bytes;
        answer->files.passed_files = answer->files.passed_bytes = 0;
        item->kind = special != NULL ? special->kind : WALK_FILE;
        item->name = view_name(view, answer->state, at, &answer->files.names);
        item->type = special != NULL ? DT_UNKNOWN : DT_REG;
        item->is_operand = special != NULL || view->parts[answer->files.names.part].is_operand;
        item->os_code = special != NULL ? special->os_code : 0;
        item->holds_nothing = nothing;
        if (item->kind == WALK_FILE)
            item->supplied = file == NULL ? &answer->files.no_file : &file->supplied;
        if (item->name == NULL)
            *item = (struct walk_item){
                .kind = WALK_ERROR, .name = "", .is_operand = true, .os_code = ENOMEM};
        return true;
    }
    return false;
}

int answering_open_file(void *context, const struct walk_item *item)
{
    struct served_answer *answer = context;
    const char *file = (const char *)item->supplied - offsetof(struct served_file, supplied);

    return collection_open_file(answer->collection, item->supplied == &answer->files.no_file
                                                        ? NULL
                                                        : (const struct served_file *)file);
}
