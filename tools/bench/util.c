/* util: the clock, repeated times and what they say, seeded numbers, and failing. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/util.h"

void samples_add(struct samples *samples, double seconds)
{
    /* Whole nanoseconds, as they are written: what is read back is the same number. */
    if (samples->count < SAMPLES_MAX)
        samples->seconds[samples->count++] = nearbyint(seconds * 1e9) / 1e9;
}

static int compare_seconds(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

double samples_median(const struct samples *samples)
{
    double sorted[SAMPLES_MAX];
    uint32_t count = samples->count;

    if (count == 0)
        return 0;
    memcpy(sorted, samples->seconds, count * sizeof sorted[0]);
    qsort(sorted, count, sizeof sorted[0], compare_seconds);
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double samples_mean(const struct samples *samples)
{
    double sum = 0;

    for (uint32_t i = 0; i < samples->count; i++)
        sum += samples->seconds[i];
    return samples->count > 0 ? sum / samples->count : 0;
}

double samples_least(const struct samples *samples)
{
    double least = samples->count > 0 ? samples->seconds[0] : 0;

    for (uint32_t i = 1; i < samples->count; i++)
        if (samples->seconds[i] < least)
            least = samples->seconds[i];
    return least;
}

double samples_most(const struct samples *samples)
{
    double most = 0;

    for (uint32_t i = 0; i < samples->count; i++)
        if (samples->seconds[i] > most)
            most = samples->seconds[i];
    return most;
}

double samples_spread_percent(const struct samples *samples)
{
    double median = samples_median(samples);

    return median > 0 ? 100 * (samples_most(samples) - samples_least(samples)) / median : 0;
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
    uint64_t z = (seeded->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t seeded_below(struct seeded *seeded, uint64_t bound)
{
    return seeded_u64(seeded) % bound;
}

void fail(const char *format, ...)
{
    va_list arguments;

    fflush(stdout);
    fputs("trawl-bench: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(uint64_t bytes)
{
    void *pointer = malloc(bytes > 0 ? bytes : 1);

    if (pointer == NULL)
        fail("no memory for %llu bytes", (unsigned long long)bytes);
    return pointer;
}

char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    long bytes;
    char *text;

    if (file == NULL)
        fail("%s: %s", path, strerror(errno));
    if (fseek(file, 0, SEEK_END) != 0 || (bytes = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0)
        fail("%s: %s", path, strerror(errno));
    text = (char *)allocate((uint64_t)bytes + 1);
    if (fread(text, 1, (size_t)bytes, file) != (size_t)bytes)
        fail("%s: cannot be read", path);
    text[bytes] = '\0';
    fclose(file);
    return text;
}

void print_json_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else if (byte < 0x20 || byte >= 0x7f)
            fprintf(file, "\\u%04x", byte);
        else
            fputc(byte, file);
    }
    fputc('"', file);
}

void print_json_samples(FILE *file, const struct samples *samples)
{
    fputc('[', file);
    for (uint32_t i = 0; i < samples->count; i++)
        fprintf(file, "%s%.9f", i > 0 ? ", " : "", samples->seconds[i]);
    fputc(']', file);
}

FILE *result_open(const char *path)
{
    FILE *file = fopen(path, "w");

    if (file == NULL)
        fail("%s: %s", path, strerror(errno));
    return file;
}

void result_close(FILE *file, const char *path)
{
    bool failed = ferror(file) != 0;

    if (fclose(file) != 0 || failed)
        fail("%s: writing failed", path);
}
