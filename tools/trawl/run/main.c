/* main: the command `trawl`: searches files with the options of GNU grep, on every core. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/text/charset.h"
#include "trawl/remote/client.h"
#include "trawl/options/help.h"
#include "trawl/job/command_job.h"
#include "trawl/text/message.h"
#include "trawl/run/run.h"
#include "trawl/files/types.h"
#if TRAWL_GALLERY
#include "trawl_gallery.h"
#include "trawl/options/settings.h"
#endif

/* Static, so that small runs do not pay for clearing the buffer. */
static struct output standard_output;

static int end_document(void)
{
    struct command_job job = {.output = &standard_output};

    return run_end_document(&job);
}

static int list_algorithms(void)
{
#if TRAWL_GALLERY
    const char *name, *summary = "";
    uint32_t engines = 0;

    for (uint32_t i = 0; (name = trawl_algorithm(i, &summary, &engines)) != NULL; i++)
        output_format(&standard_output, "%-24s %-9s %s\n", name,
                      engines == 1u << TRAWL_ENGINE_CPU    ? "cpu"
                      : engines == 1u << TRAWL_ENGINE_CUDA ? "cuda"
                                                           : "cpu, cuda",
                      summary);
    return end_document();
#else
    message_print("--list-algorithms: this build has no gallery, so no algorithms");
    return EXIT_ERROR;
#endif
}
static int list_types(const struct settings *settings)
{
    char message[SETTINGS_ERROR_BYTES];

    if (types_print(&standard_output, &settings->files.rules, message))
        return end_document();
    message_print("%s", message);
    return EXIT_ERROR;
}
/* Parses the command line. If it permits a config file and there is one, parses both again, the
 * file's options first. False: the error was printed. */
static bool parse(struct settings *settings, struct config *config, int argument_count,
                  char **arguments)
{
    bool operands_end_options = getenv("POSIXLY_CORRECT") != NULL, good;
    char message[SETTINGS_ERROR_BYTES];

    good = flags_parse(settings, NULL, argument_count, arguments, operands_end_options);
    if (settings->is_tg) {
        message_name = "tg";
        (void)signal(SIGPIPE, SIG_IGN);
    }
    if (good && !settings->document.no_config) {
        if (!config_read(config, settings->is_tg, message)) {
            message_print("%s", message);
            return false;
        }
        if (*message != '\0' && !settings->no_messages)
            message_print("%s", message);
        if (config->count > 1) {
            settings_free(settings);
            good = flags_parse(settings, config, argument_count, arguments, operands_end_options);
        }
    }
    if (!good)
        message_print("%s" MESSAGE_HELP, settings->error, message_name);
    return good;
}

/* Prints a document if the options ask for one instead of a search. False: they do not. */
static bool print_document(const struct settings *settings, int *status)
{
    if (settings->document.version) {
        version_print(&standard_output);
    } else if (settings->document.help) {
        help_print_short(&standard_output, settings->is_tg);
    } else if (settings->document.help_long) {
        help_print(&standard_output, settings->is_tg);
    } else if (settings->document.list_algorithms) {
        *status = list_algorithms();
        return true;
    } else if (settings->files.list_types) {
        *status = list_types(settings);
        return true;
    } else if (settings->document.generate == NULL) {
        return false;
    } else if (!help_generate(&standard_output, settings->document.generate)) {
        message_print("--generate: '%s' is not one of man, man-tg, complete-bash, complete-zsh, "
                      "complete-fish",
                      settings->document.generate);
        *status = EXIT_ERROR;
        return true;
    }
    *status = end_document();
    return true;
}

/* Opens something on closed standard descriptors, unreadable (standard input) or unwritable, so
 * that no new file gets their numbers. Returns true if standard input was closed. */
static bool take_closed_descriptors(void)
{
    bool input_is_closed = fcntl(STDIN_FILENO, F_GETFD) < 0;

    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 &&
            (descriptor != STDIN_FILENO || open("/dev/null", O_WRONLY | O_CLOEXEC) < 0))
            (void)open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return input_is_closed;
}

/* Collects the facts that settings_build needs from the system: terminals, locale, environment,
 * output file. */
static void look_around(struct surroundings *surroundings, bool is_tg)
{
    const char *terminal = getenv("TERM");
    struct stat output, null_device;

    surroundings->output_is_terminal = isatty(STDOUT_FILENO) != 0;
    surroundings->colors_suit =
        terminal != NULL && strcmp(terminal, "dumb") != 0 && getenv("NO_COLOR") == NULL;
    surroundings->grep_colors = getenv("GREP_COLORS");
    surroundings->grep_color = getenv("GREP_COLOR");
    surroundings->charset = charset_open(is_tg);
    if (fstat(STDOUT_FILENO, &output) != 0)
        return;
    surroundings->output_is_regular = S_ISREG(output.st_mode);
    surroundings->output_device = output.st_dev;
    surroundings->output_inode = output.st_ino;
    surroundings->output_is_null =
        S_ISCHR(output.st_mode) && stat("/dev/null", &null_device) == 0 &&
        null_device.st_dev == output.st_dev && null_device.st_ino == output.st_ino;
}

static bool is_directory(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Until version 2, `trawl serve` started the server. Returns true if the command line makes more
 * sense to the server: it has an option that the command lacks, asks for help, or names only
 * directories or a terminal for a search that does not recurse. */
static bool means_server(const struct settings *settings, int argument_count, char **arguments,
                         bool is_parsed)
{
    const struct value_list *operands = &settings->operands;

    if (argument_count < 2 || strcmp(arguments[1], "serve") != 0 || settings->is_tg)
        return false;
    if (!is_parsed || settings->document.help || settings->document.version)
        return true;
    if (settings->no_messages || settings->files.names_only || settings->patterns.count > 0 ||
        settings->files.directories != DIRECTORIES_READ)
        return false;
    for (size_t i = 1; i < operands->count; i++) {
        const char *operand = operands->items[i].text, *equals = strchr(operand, '=');

        if (!is_directory(operand) && (equals == NULL || !is_directory(equals + 1)))
            return false;
    }
    return operands->count > 1 || isatty(STDIN_FILENO) != 0;
}

int main(int argument_count, char **arguments)
{
    struct settings settings;
    struct config config = {0};
    bool input_is_closed = take_closed_descriptors(), is_parsed;
    int status = EXIT_ERROR;

    output_open(&standard_output, STDOUT_FILENO);
    is_parsed = parse(&settings, &config, argument_count, arguments);
    if (means_server(&settings, argument_count, arguments, is_parsed))
        message_print("this searches for \"serve\"; the server is trawl-serve");
    if (is_parsed) {
        if (!print_document(&settings, &status)) {
            struct command_job job = {.output = &standard_output,
                                      .input_is_closed = input_is_closed};

            const char *server = settings.server != NULL ? settings.server : getenv("TRAWL_SERVER");

            look_around(&settings.surroundings, settings.is_tg);
            status = server != NULL && *server != '\0'
                         ? client_run(&settings, server, &standard_output)
                         : CLIENT_NOT_ANSWERED;
            if (status == CLIENT_NOT_ANSWERED)
                status = run_job(&job, &settings);
        }
    }
    settings_free(&settings);
    if (config.path != NULL)
        config_free(&config);
    return status;
}
