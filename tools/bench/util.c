/* util: the clock, repeated times, seeded numbers, JSON, and failing. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/bench.h"

void samples_add(struct samples *samples, double seconds)
{
    if (samples->count < SAMPLES_MAX)
        samples->seconds[samples->count++] = seconds;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double clock_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double processor_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t seeded_u64(struct seeded *seeded)
{
    uint64_t mixed = seeded->state += 0x9e3779b97f4a7c15u;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

uint64_t seeded_below(struct seeded *seeded, uint64_t bound)
{
    return bound > 0 ? seeded_u64(seeded) % bound : 0;
}

void fail(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fprintf(stderr, "trawl-bench: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    exit(2);
}

void *allocate(uint64_t bytes)
{
    void *memory = calloc(1, bytes > 0 ? (size_t)bytes : 1);

    if (memory == NULL)
        fail("no memory for %llu bytes", (unsigned long long)bytes);
    return memory;
}

char *copy_text(const char *text)
{
    uint64_t bytes = strlen(text) + 1;

    return (char *)memcpy(allocate(bytes), text, bytes);
}

void print_json_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            fprintf(file, "\\u%04x", byte);
        else
            putc(byte, file);
    }
    putc('"', file);
}

void print_json_samples(FILE *file, const struct samples *samples)
{
    putc('[', file);
    for (uint32_t i = 0; i < samples->count; i++)
        fprintf(file, "%s%.9f", i > 0 ? ", " : "", samples->seconds[i]);
    putc(']', file);
}
