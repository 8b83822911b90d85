/* version: prints what --version says: engines, instruction sets, regular expressions, formats of
 * compressed files, the server. */
#include "trawl/run/run.h"
#include "trawl/text/calls.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trawl.h"

/* An empty file of each format. If the library opens it, the build can decompress the format. */
static const struct sample_line {
    const char *name;
    uint8_t bytes_count;
    uint8_t bytes[32];
} samples[] = {
    {"gzip", 20, {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3}},
    {"xz", 32, {0xfd, 0x37, 0x7a, 0x58, 0x5a, 0,    0,    4,    0xe6, 0xd6, 0xb4,
                0x46, 0,    0,    0,    0,    0x1c, 0xdf, 0x44, 0x21, 0x1f, 0xb6,
                0xf3, 0x7d, 1,    0,    0,    0,    0,    4,    0x59, 0x5a}},
    {"bzip2", 14, {0x42, 0x5a, 0x68, 0x39, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90}},
    {"zstd", 13, {0x28, 0xb5, 0x2f, 0xfd, 0x24, 0, 1, 0, 0, 0x99, 0xe9, 0xd8, 0x51}},
    {"lz4", 15, {4, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0, 0, 0, 0, 5, 0x5d, 0xcc, 2}},
};

/* A format's library is loaded when a regular file of the format is opened, but only at the first
 * read of a pipe. So the sample becomes a file in memory. */
static bool unpacks(const struct sample_line *sample)
{
    struct trawl_text *text = NULL;
    int descriptor = memfd_create(sample->name, MFD_CLOEXEC);
    bool good =
        descriptor >= 0 &&
        pwrite(descriptor, sample->bytes, sample->bytes_count, 0) == sample->bytes_count &&
        open_descriptor(descriptor, sample->name, TRAWL_TEXT_UNPACK, &text, NULL) == TRAWL_OK;

    trawl_text_close(text);
    if (descriptor >= 0)
        (void)close(descriptor);
    return good;
}

static void write_devices(struct output *output)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *searcher = NULL;
    struct trawl_error error;

    options.engine = TRAWL_ENGINE_CUDA;
    if (trawl_searcher_open(&options, &searcher, &error) == TRAWL_OK)
        output_text(output, "engines: cpu, cuda\n");
    else
        output_format(output, "engines: cpu; not cuda: %s\n", error.message);
    trawl_searcher_close(searcher);
}

/* Only a plan shows whether PCRE2 is there, which is loaded when it is needed. */
static void write_expressions(struct output *output)
{
    const struct trawl_pattern pattern = {"(?=f)", 5};
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_plan *plan = NULL;
    struct trawl_error error;

    options.syntax = TRAWL_PERL;
    options.flags = TRAWL_PCRE;
    if (trawl_plan_build(&pattern, 1, &options, &plan, &error) == TRAWL_OK)
        output_text(output, "\nlook-around and backreferences: PCRE2");
    else
        output_format(output, "\nno look-around and backreferences: %s", error.message);
    trawl_plan_free(plan);
}

/* The server is installed next to the command. */
static void write_server(struct output *output)
{
    static const char name[] = "trawl-serve";
    char path[PATH_MAX + sizeof name] = {0};

    if (readlink("/proc/self/exe", path, PATH_MAX - 1) > 0) {
        strcpy(strrchr(path, '/') + 1, name);
        if (access(path, F_OK) == 0) {
            output_format(output, "\nserver: %s\n", path);
            return;
        }
    }
    output_format(output, "\nno server: there is no %s beside the command\n", name);
}

void version_print(struct output *output)
{
    const char *name;

    output_format(output, "trawl %s\n", trawl_version());
    write_devices(output);
    output_text(output, "instruction sets:");
    for (uint32_t i = 0; (name = trawl_instruction_set(i)) != NULL; i++)
        output_format(output, "%s%s", i == 0 ? " " : ", ", name);
    write_expressions(output);
    for (int can = 1; can >= 0; can--) {
        bool any = false;

        for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
            if (unpacks(&samples[i]) != (can == 1))
                continue;
            output_format(output, "%s%s",
                          any   ? ", "
                          : can ? "\nunpacks: "
                                : "\ndoes not unpack: ",
                          samples[i].name);
            any = true;
        }
    }
    write_server(output);
}
