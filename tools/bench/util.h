/* util: the clock, repeated times, seeded numbers, JSON, and failing. */
#ifndef BENCH_UTIL_H
#define BENCH_UTIL_H

#include <stdint.h>
#include <stdio.h>

#define SAMPLES_MAX 256u

/* Durations of one thing, one per round. */
struct samples {
    double seconds[SAMPLES_MAX];
    uint32_t count;
};

void samples_add(struct samples *samples, double seconds);

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
char *copy_text(const char *text);

/* A string of JSON, quotes included; and seconds as an array. */
void print_json_string(FILE *file, const char *text);
void print_json_samples(FILE *file, const struct samples *samples);

#endif
