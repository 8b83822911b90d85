/* machine: where, when and of what a measurement was made. */
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench/machine.h"
#include "bench/process.h"
#include "bench/util.h"

/* x86 says "model name"; arm64 says nothing that a person would recognise. */
static void find_processor(char *name, size_t name_bytes)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    const char *value;

    snprintf(name, name_bytes, "unknown processor");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "model name", 10) != 0 || (value = strchr(line, ':')) == NULL)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(name, name_bytes, "%.*s", (int)name_bytes - 1, value + 1 + (value[1] == ' '));
        break;
    }
    fclose(file);
}

void machine_program_folder(char *folder, uint64_t folder_bytes)
{
    ssize_t got = readlink("/proc/self/exe", folder, folder_bytes - 1);
    char *slash;

    folder[got > 0 ? got : 0] = '\0';
    slash = strrchr(folder, '/');
    if (slash != NULL)
        *slash = '\0';
    else
        snprintf(folder, folder_bytes, ".");
}

static void find_commit(char *commit, size_t commit_bytes)
{
    char folder[PATH_MAX];
    const char *const describe[] = {"git",      "-C",         folder,    "describe",
                                    "--always", "--abbrev=9", "--dirty", NULL};

    machine_program_folder(folder, sizeof folder);
    if (!process_first_line(describe, commit, commit_bytes))
        snprintf(commit, commit_bytes, "unknown");
}

void machine_describe(const struct options *options, struct machine *machine)
{
    struct utsname system;
    time_t now = time(NULL);
    struct tm day;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES);

    memset(machine, 0, sizeof *machine);
    snprintf(machine->version, sizeof machine->version, "%s", trawl_version());
    find_processor(machine->processor, sizeof machine->processor);
    find_commit(machine->commit, sizeof machine->commit);
    machine->cores = cores > 0 ? (uint32_t)cores : 1;
    machine->memory_bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    if (uname(&system) == 0)
        snprintf(machine->system, sizeof machine->system, "%.16s %.48s, %.16s, glibc %.16s",
                 system.sysname, system.release, system.machine, gnu_get_libc_version());
#if defined(__clang__)
    snprintf(machine->compiler, sizeof machine->compiler, "%s", __VERSION__);
#else
    snprintf(machine->compiler, sizeof machine->compiler, "gcc %s", __VERSION__);
#endif
    if (gmtime_r(&now, &day) == NULL ||
        strftime(machine->date, sizeof machine->date, "%Y-%m-%d", &day) == 0)
        snprintf(machine->date, sizeof machine->date, "unknown");
    snprintf(machine->instruction_set, sizeof machine->instruction_set, "%s",
             options->instruction_set != NULL ? options->instruction_set
                                              : trawl_instruction_set(0));
}

void machine_print(const struct machine *machine, const struct options *options, FILE *file,
                   const char *prefix)
{
    fprintf(file, "%smachine: %s, %" PRIu32 " cores, %" PRIu64 " GiB of memory\n", prefix,
            machine->processor, machine->cores, (machine->memory_bytes + (1u << 29)) >> 30);
    fprintf(file, "%ssystem: %s\n", prefix, machine->system);
    fprintf(file, "%strawl: %s, commit %s, instruction set %s, compiled by %s\n", prefix,
            machine->version, machine->commit, machine->instruction_set, machine->compiler);
    fprintf(file, "%sdate: %s\n", prefix, machine->date);
    fprintf(file, "%scommand: %s\n", prefix, options->line);
}

void machine_print_json(const struct machine *machine, const struct options *options, FILE *file)
{
    const struct {
        const char *name, *value;
    } strings[] = {
        {"processor", machine->processor}, {"system", machine->system},
        {"compiler", machine->compiler},   {"commit", machine->commit},
        {"date", machine->date},           {"instruction_set", machine->instruction_set},
        {"trawl", machine->version},       {"method", options->method_name},
        {"command", options->line},
    };

    fprintf(file, "{");
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        print_json_string(file, strings[i].name);
        fprintf(file, ": ");
        print_json_string(file, strings[i].value);
        fprintf(file, ", ");
    }
    fprintf(file,
            "\"cores\": %" PRIu32 ", \"memory_bytes\": %" PRIu64 ", \"text_bytes\": %" PRIu64
            ", \"rounds\": %" PRIu32 "}",
            machine->cores, machine->memory_bytes, options->text_bytes, options->rounds);
}

FILE *machine_json_open(const struct machine *machine, const struct options *options,
                        const char *benchmark)
{
    FILE *file;

    if (options->json_path == NULL)
        return NULL;
    file = result_open(options->json_path);
    fprintf(file, "{\n  \"benchmark\": \"%s\",\n  \"machine\": ", benchmark);
    machine_print_json(machine, options, file);
    return file;
}

FILE *machine_markdown_open(const struct machine *machine, const struct options *options)
{
    FILE *file;

    if (options->markdown_path == NULL)
        return NULL;
    file = result_open(options->markdown_path);
    machine_print(machine, options, file, "- ");
    return file;
}
