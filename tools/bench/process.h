/* process: run a program, or two joined by a pipe, to the end and say what that took. */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* A command line: one program, or two with a pipe between them. Lists end in NULL. */
struct command {
    const char *const *program;
    const char *const *feeder; /* writes into program's standard input; NULL: no input */
};

struct outcome {
    double seconds;        /* from the first start to the end of the last process */
    uint64_t output_bytes; /* what program wrote to standard output */
    uint64_t head_hash;    /* of the first OUTPUT_HEAD_BYTES of them */
    uint64_t output_hash;  /* of all; 0 unless asked for */
    uint64_t lines_hash;   /* of all lines, in whatever order they came; 0 unless asked for */
    uint64_t memory_bytes; /* the program's largest resident set */
    int status;            /* its exit status; 128 + n after signal n */
};

#define OUTPUT_HEAD_BYTES (64u << 10)

/* Standard output is a pipe that this process empties; never the null device, with which some
 * programs stop at their first match. hash_all: look at every byte; else only at the head, and the
 * rest is moved out of the pipe without a copy, the same way for every program. The kernel's
 * account of a program's memory begins with what this process holds (spawner.h). */
void process_run(const struct command *command, bool hash_all, struct outcome *outcome);

/* The hash that an outcome has for these bytes. */
uint64_t process_hash(const uint8_t *bytes, uint64_t count);

/* The first line that a program prints; false if it cannot run, fails or prints nothing. */
bool process_first_line(const char *const *program, char *line, uint64_t line_bytes);

#endif
