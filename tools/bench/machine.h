/* machine: where, when and of what a measurement was made. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>
#include <stdio.h>

#include "bench/options.h"

struct machine {
    char processor[128];
    char system[128]; /* kernel and C library */
    char compiler[128];
    char commit[64]; /* of the checkout this program was built in, or "unknown" */
    char date[32];
    char instruction_set[32];
    char version[32]; /* of trawl */
    uint32_t cores;
    uint64_t memory_bytes;
};

void machine_describe(const struct options *options, struct machine *machine);

/* Lines of "name: value", each begun with `prefix`. */
void machine_print(const struct machine *machine, const struct options *options, FILE *file,
                   const char *prefix);
/* One JSON object. */
void machine_print_json(const struct machine *machine, const struct options *options, FILE *file);

/* The file of --json, which begins with the benchmark and the machine; NULL: not wanted. */
FILE *machine_json_open(const struct machine *machine, const struct options *options,
                        const char *benchmark);
/* The file of --markdown, which begins with the machine; NULL: not wanted. */
FILE *machine_markdown_open(const struct machine *machine, const struct options *options);

/* The folder this program is in. */
void machine_program_folder(char *folder, uint64_t folder_bytes);

#endif
