/* util: the clock, repeated times and what they say, seeded numbers, and failing. */
#ifndef BENCH_UTIL_H
#define BENCH_UTIL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SAMPLES_MAX 256

/* Durations of one thing, one per round. */
struct samples {
    double seconds[SAMPLES_MAX];
    uint32_t count;
};

void samples_add(struct samples *samples, double seconds);
double samples_median(const struct samples *samples);
double samples_mean(const struct samples *samples);
double samples_least(const struct samples *samples);
double samples_most(const struct samples *samples);
/* How far apart the times are: (most - least) / median, in percent. */
double samples_spread_percent(const struct samples *samples);

double clock_seconds(void);
/* What this process, all its threads, has had of processors. */
double processor_seconds(void);

/* splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine. */
struct seeded {
    uint64_t state;
};
uint64_t seeded_u64(struct seeded *seeded);
uint64_t seeded_below(struct seeded *seeded, uint64_t bound);

/* Print "trawl-bench: ..." and exit with status 2: the benchmark could not run. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

void *allocate(uint64_t bytes);

/* All of a text file, ended by NUL, or exit. The caller's, to be freed. */
char *file_text(const char *path);

/* A string of JSON, quotes included. */
void print_json_string(FILE *file, const char *text);
/* The seconds as an array of JSON, brackets included. */
void print_json_samples(FILE *file, const struct samples *samples);

/* A file opened for writing, or exit. Closing exits too if a write had failed. */
FILE *result_open(const char *path);
void result_close(FILE *file, const char *path);

#endif
