/* job: what a job says. */
#include "trawl/job.h"

#include <stdlib.h>

#include "trawl/message.h"
#include "trawl/pool_turns.h"

static void job_say(struct command_job *job, const char *text)
{
    if (job->worker != NULL) {
        pool_say(job->worker, text);
        return;
    }
    message_in_output(job->output, job->progress, text);
}

void job_message(struct command_job *job, const char *format, ...)
{
    char room[MESSAGE_BYTES], *text;
    va_list arguments;

    if (job->silent)
        return;
    va_start(arguments, format);
    text = message_format(room, format, arguments);
    va_end(arguments);
    job_say(job, text);
    if (text != room)
        free(text);
}

void job_file_error(struct command_job *job, const char *name, int os_code)
{
    if (!job->settings->no_messages)
        job_message(job, "%s: %s", name, strerror(os_code));
    job->error_seen = true;
}

void job_file_fault(struct command_job *job, const char *message)
{
    if (!job->settings->no_messages)
        job_message(job, "%s", message);
    job->error_seen = true;
}
