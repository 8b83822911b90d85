/* pre: runs the command of --pre, as ripgrep does: its argument is the file's name, its standard
 * input the file. */
#include "trawl/run/pre.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trawl/files/file_filter.h"
#include "trawl/options/settings.h"

#define ERROR_BYTES_MAX 2000u /* bytes of what the command wrote that a message quotes */

extern char **environ;

bool pre_open(struct command_job *job, char *message)
{
    struct settings own = {.files.rules = job->settings->pre_globs,
                           .files.glob_option = "--pre-glob",
                           .surroundings = job->settings->surroundings};

    return own.files.rules.count == 0 || filter_open(&job->pre_globs, &own, true, message);
}

bool pre_takes(const struct command_job *job, const char *name)
{
    const char *slash = strrchr(name, '/');

    return job->settings->pre != NULL &&
           (job->pre_globs == NULL ||
            filter_judge(job->pre_globs, name, slash == NULL ? 0 : (size_t)(slash + 1 - name),
                         false) != FILTER_SKIPS);
}

/* Starts the command with these descriptors. Returns 0 or an errno. */
static int spawn(struct pre *pre, const char *command, const char *name, int input, int output)
{
    char *const arguments[] = {(char *)(uintptr_t)command, (char *)(uintptr_t)name, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, pipe_signal;
    int error = posix_spawn_file_actions_init(&files);

    if (error != 0)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        (void)sigemptyset(&none);
        (void)sigemptyset(&pipe_signal);
        (void)sigaddset(&pipe_signal, SIGPIPE);
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        (void)posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
        error =
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&files, pre->errors, STDERR_FILENO);
        if (error == 0)
            error = posix_spawnp(&pre->child, command, &files, &attributes, arguments, environ);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&files);
    return error;
}

int pre_begin(struct pre *pre, const struct command_job *job, const struct open_file *file)
{
    const struct settings *settings = job->settings;
    const struct stat stream = {.st_mode = S_IFIFO};
    int ends[2], error, descriptor;

    *pre = (struct pre){.output = -1, .errors = memfd_create("errors", MFD_CLOEXEC)};
    if (pre->errors < 0)
        return -1;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        (void)close(pre->errors);
        return -1;
    }
    error = spawn(pre, settings->pre, file->name, file->descriptor, ends[1]);
    (void)close(ends[1]);
    pre->output = descriptor = ends[0];
    if (error == 0 && encoding_applies(settings->encoding, descriptor, &stream)) {
        descriptor = encoding_begin(&pre->encoding, settings->encoding, descriptor);
        error = descriptor < 0 ? errno : 0;
    }
    if (error == 0)
        return descriptor;
    (void)close(pre->output);
    if (pre->child != 0)
        (void)waitpid(pre->child, NULL, 0);
    (void)close(pre->errors);
    errno = error;
    return -1;
}

bool pre_end(struct pre *pre, struct command_job *job, const char *name, bool at_end)
{
    const char *command = job->settings->pre;
    char text[ERROR_BYTES_MAX + 1], guess[GUESS_BYTES] = "";
    int status = 0, os_code;
    ssize_t count;

    if (pre->child == 0)
        return true;
    os_code = pre->encoding != NULL ? encoding_end(pre->encoding, guess) : 0;
    job_report_guess(job, name, guess);
    (void)close(pre->output); /* a command that still prints gets SIGPIPE */
    while (waitpid(pre->child, &status, 0) < 0 && errno == EINTR)
        continue;
    pre->child = 0;
    count = pread(pre->errors, text, ERROR_BYTES_MAX, 0);
    (void)close(pre->errors);
    while (count > 0 && text[count - 1] == '\n')
        count--;
    text[count > 0 ? count : 0] = '\0';
    if (os_code != 0) {
        job_file_error(job, name, os_code);
        return false;
    }
    if (status == 0 || (!at_end && *text == '\0'))
        return true;
    if (!job->settings->no_messages && WIFSIGNALED(status))
        job_message(job, "%s: %s ended by signal %d%s%s", name, command, WTERMSIG(status),
                    *text == '\0' ? "" : ": ", text);
    else if (!job->settings->no_messages)
        job_message(job, "%s: %s failed with status %d%s%s", name, command, WEXITSTATUS(status),
                    *text == '\0' ? "" : ": ", text);
    job->error_seen = true;
    return false;
}
