/* string_counts: counts how often each string occurs, for the option --count-by-pattern, in an
 * array with an element for each pattern of the plan. Texts that are searched at the same time have
 * separate arrays, which are added up at the end. */
#include "trawl/print/reports.h"

#include <pthread.h>
#include <stdlib.h>

#include "trawl/print/occurrences.h"
#include "trawl/text/grow.h"
#include "trawl/print/print.h"
#include "trawl/job/command_scan.h"
#include "trawl/text/message.h"

/* A worker's counts of occurrences: sums over several texts or, with -H, the counts of one text. */
struct string_counts_part {
    struct string_counts_part *next;
    uint64_t *counts;  /* counts[i]: number of occurrences of pattern i of the plan */
    uint64_t *touched; /* only under -H: the patterns whose count is above 0 */
    uint64_t touched_count, touched_capacity;
};

struct string_counts {
    pthread_mutex_t lock; /* guards the list */
    struct string_counts_part *parts;
};

bool string_counts_open(struct command_job *job, char *message)
{
    struct string_counts *string_counts = calloc(1, sizeof *string_counts);

    if (string_counts == NULL || pthread_mutex_init(&string_counts->lock, NULL) != 0) {
        free(string_counts);
        return message_exhausted(message);
    }
    job->string_counts = string_counts;
    return true;
}

void string_counts_close(struct command_job *job)
{
    struct string_counts *string_counts = job->string_counts;

    while (string_counts->parts != NULL) {
        struct string_counts_part *part = string_counts->parts;

        string_counts->parts = part->next;
        free(part->counts);
        free(part->touched);
        free(part);
    }
    pthread_mutex_destroy(&string_counts->lock);
    free(string_counts);
    job->string_counts = NULL;
}

/* Returns the part of this job (a worker's), which the worker's first call makes. NULL: out of
 * memory. */
static struct string_counts_part *part_of(struct command_job *job)
{
    struct string_counts *string_counts = job->string_counts;
    struct string_counts_part *part = job->string_counts_part;

    if (part != NULL)
        return part;
    part = calloc(1, sizeof *part);
    if (part != NULL)
        part->counts = calloc((size_t)job->patterns->count + 1, sizeof *part->counts);
    if (part == NULL || part->counts == NULL) {
        free(part);
        return NULL;
    }
    pthread_mutex_lock(&string_counts->lock);
    part->next = string_counts->parts;
    string_counts->parts = part;
    pthread_mutex_unlock(&string_counts->lock);
    return job->string_counts_part = part;
}

static bool list_touched(struct string_counts_part *part, uint64_t pattern)
{
    if (!GROW(part->touched, part->touched_capacity, 64, part->touched_count + 1))
        return false;
    part->touched[part->touched_count++] = pattern;
    return true;
}

static bool prints_each_text(const struct settings *settings)
{
    return settings->heads.file_names > 0;
}

/* Adds `count` to a pattern's count. Returns false if out of memory. */
static bool add_count(struct text_scan *scan, uint64_t pattern, uint64_t count)
{
    struct string_counts_part *part = scan->job->string_counts_part;

    if (prints_each_text(scan->settings) && part->counts[pattern] == 0 &&
        !list_touched(part, pattern)) {
        scan_fail(scan, TRAWL_MEMORY);
        return false;
    }
    part->counts[pattern] += count;
    scan->lines.selected += count;
    return true;
}

static int counts_sink(void *context, const struct trawl_pattern_count *counts,
                       uint64_t counts_count)
{
    for (uint64_t i = 0; i < counts_count; i++)
        if (!add_count(context, counts[i].pattern_index, counts[i].count))
            return 1;
    return 0;
}

static int matches_sink(void *context, const struct trawl_match *matches, uint64_t match_count)
{
    for (uint64_t i = 0; i < match_count; i++)
        if (!add_count(context, matches[i].pattern_index, 1))
            return 1;
    return 0;
}

static void print_count(struct command_job *job, uint64_t column, uint64_t count)
{
    const struct trawl_pattern *pattern = &job->patterns->strings[column];
    const uint8_t *bytes = pattern->bytes;
    const bool hex = job->settings->hex && !job->settings->hex_text;

    print_pattern(job, column + 1);
    output_byte(job->output, ':');
    output_number(job->output, count, 0);
    output_byte(job->output, ':');
    for (uint64_t i = 0; hex && i < pattern->bytes_count; i++)
        output_format(job->output, "%02x", bytes[i]);
    if (!hex)
        output_bytes(job->output, bytes, (size_t)pattern->bytes_count);
    output_byte(job->output, '\n');
}

static int compare(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;

    return (*first > *second) - (*first < *second);
}

/* Under -H: prints the text's counts in the order of the strings, and sets the counts to 0. False:
 * no memory. */
static bool print_text(struct text_scan *scan, struct string_counts_part *part)
{
    struct command_job *job = scan->job;
    const struct patterns *patterns = job->patterns;
    uint64_t count = 0, *columns;

    for (uint64_t i = 0; i < part->touched_count; i++)
        count += numbers_count(&patterns->numbers, part->touched[i]);
    columns = malloc((size_t)(count + 1) * sizeof *columns);
    count = 0;
    for (uint64_t i = 0; i < part->touched_count && columns != NULL; i++)
        for (uint64_t j = 0; j < numbers_count(&patterns->numbers, part->touched[i]); j++)
            columns[count++] = numbers_get(&patterns->numbers, part->touched[i], j) - 1;
    if (count > 1)
        qsort(columns, (size_t)count, sizeof *columns, compare);
    for (uint64_t i = 0; i < count; i++) {
        print_name_end(scan, ':');
        print_count(job, columns[i], part->counts[patterns->columns[columns[i]]]);
        output_commit(job->output);
    }
    for (uint64_t i = 0; i < part->touched_count; i++)
        part->counts[part->touched[i]] = 0;
    part->touched_count = 0;
    free(columns);
    return columns != NULL;
}

/* Under -H, prints the text's counts, too. */
enum trawl_status strings_report(struct text_scan *scan, struct trawl_error *error)
{
    struct string_counts_part *part = part_of(scan->job);
    struct trawl_answer counts = TRAWL_ANSWER_COUNTS(counts_sink, scan);
    enum trawl_status status;

    if (part == NULL)
        return TRAWL_MEMORY;
    status = occurrences_are_all(scan)
                 ? trawl_ask(scan->job->searcher, scan->plan, scan->text, &counts, error)
                 : occurrences_positions(scan, matches_sink, error);
    if (status == TRAWL_STOPPED)
        status = scan->status;
    if (prints_each_text(scan->settings) && !print_text(scan, part))
        status = TRAWL_MEMORY;
    return status;
}

void string_counts_print(struct command_job *job)
{
    const struct patterns *patterns = job->patterns;
    const struct string_counts *string_counts = job->string_counts;

    if (string_counts == NULL || prints_each_text(job->settings))
        return;
    for (uint64_t i = 0; i < patterns->column_count && job->output->error == 0; i++) {
        uint64_t count = 0;

        for (const struct string_counts_part *part = string_counts->parts; part != NULL;
             part = part->next)
            if (patterns->columns[i] < PATTERN_NEVER)
                count += part->counts[patterns->columns[i]];
        print_count(job, i, count);
        output_commit(job->output);
    }
}
