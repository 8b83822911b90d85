/* command_job: messages of a job, and which files a job may skip without a search. If several
 * workers search files, messages of files whose turn has not come are kept (pool_turns.c), so that
 * messages come in the order of the files. */
#include "trawl/job/command_job.h"

#include <stdlib.h>
#include <string.h>

#include "trawl/text/message.h"
#include "trawl/options/settings.h"
#include "trawl/text/guard.h"

void job_message(struct command_job *job, const char *format, ...)
{
    char room[MESSAGE_ROOM], *text;
    va_list arguments;

    va_start(arguments, format);
    text = message_format(room, format, arguments);
    va_end(arguments);
    if (job->worker != NULL)
        pool_say(job->worker, text);
    else
        message_in_output(job->output, text);
    if (text != room)
        free(text);
}

void job_report_guess(struct command_job *job, const char *name, const char *guess)
{
    if (*guess != '\0' && !job->settings->no_messages)
        job_message(job, "%s: read as %s, a guess", name, guess);
}

void job_skipped(const struct command_job *job, struct job_skipped skipped[JOB_SKIPPED_COUNT])
{
    const struct job_skipped all[JOB_SKIPPED_COUNT] = {
        {"ignored", job->left[LEFT_BY_RULE]},
        {"hidden", job->left[LEFT_HIDDEN]},
        {"deep", job->left[LEFT_TOO_DEEP]},
        {"large", job->left[LEFT_TOO_LARGE]},
        {"excluded", job->left[LEFT_BY_OPTION] + job->left[LEFT_EXCLUDED]},
        {"binary", job->totals.sums.binary_count},
        {"failed", job->totals.sums.failed_count}};

    memcpy(skipped, all, sizeof all);
}

void job_fail(struct command_job *job, const char *message)
{
    const char *end = strstr(message, MESSAGE_EXHAUSTED);

    if (end != NULL && strcmp(end, MESSAGE_EXHAUSTED) == 0)
        guard_refuse(job->settings->guard, GUARD_SHORT);
    job_message(job, "%s", message);
}

void job_file_error(struct command_job *job, const char *name, int os_code)
{
    guard_note(job->settings->guard, os_code);
    if (!job->settings->no_messages)
        job_message(job, "%s: %s", name, strerror(os_code));
    job->error_seen = true;
    job->totals.sums.failed_count++;
}

bool job_may_pass_over(const struct command_job *job)
{
    const struct settings *settings = job->settings;

    /* Binary files are reported differently from text, even without an occurrence. */
    bool needs_kind = settings->is_tg && settings->binary_files == BINARY_FILES_WITHOUT_MATCH &&
                      !settings->null_data && !job_passes_over_silently(job);

    return settings->max_count > 0 && !needs_kind && !settings->invert && !settings->fasta &&
           !(settings->passthru && settings->report->prints == PRINTS_TEXT) && !settings->hex &&
           !settings->expressions && settings->search.algorithm == NULL &&
           job->string_counts == NULL &&
           !(settings->is_tg && settings->files.debug) && /* --debug names binary files */
           !job->patterns->has_empty && !(settings->nuls.end_line && settings->whole_lines);
}

bool job_passes_over_silently(const struct command_job *job)
{
    const struct settings *settings = job->settings;

    switch (settings->report->prints) {
    case PRINTS_COUNT:
        return settings->is_tg && !settings->include_zero;
    case PRINTS_NAME:
        return settings->list == LIST_WITH_MATCHES;
    case PRINTS_NOTHING: /* tg -q --files-without-match succeeds if a file has no occurrence */
        return !settings->is_tg || settings->list != LIST_WITHOUT_MATCH;
    default:
        return true;
    }
}
