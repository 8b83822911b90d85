/* util: clocks, random numbers, fatal errors, fields of the input, answers, records of a question,
 * threads.
 *
 * All files of trawl-bench use these functions. Random numbers depend only on the seed, so a row
 * asks about the same text on every machine. fail() prints a message and exits: there is no result
 * worth keeping from a benchmark that is set up wrongly.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"

#define SETS 8u /* room for 8,192 cores, as many as Linux supports */

double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double clock_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

bool competitor_works(const struct competitor *competitor)
{
    return strcmp(field(&competitor->fields, "clock", ""), "cpu") == 0;
}

double competitor_clock(const struct competitor *competitor)
{
    return competitor_works(competitor) ? seconds_of(CLOCK_PROCESS_CPUTIME_ID) : clock_seconds();
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

/* ---- Fields ------------------------------------------------------------------------------- */

const char *field(const struct fields *fields, const char *key, const char *otherwise)
{
    for (uint32_t i = 0; i < fields->count; i++)
        if (strcmp(fields->key[i], key) == 0)
            return fields->value[i];
    return otherwise;
}

uint64_t field_number(const struct fields *fields, const char *key, uint64_t otherwise)
{
    const char *value = field(fields, key, NULL), *units = "KMG", *unit;
    char *end = NULL;
    uint64_t number;

    if (value == NULL)
        return otherwise;
    errno = 0;
    number = strtoull(value, &end, 10);
    unit = *end != '\0' ? strchr(units, *end) : NULL;
    if (errno != 0 || end == value || *value == '-' || (*end != '\0' && (unit == NULL || end[1])))
        fail("%s is not a number: %s", key, value);
    return unit != NULL ? number << 10 * (unit - units + 1) : number;
}

void fields_split(char *line, struct fields *fields)
{
    char *rest = line, *word;

    memset(fields, 0, sizeof *fields);
    fields->line = line;
    line[strcspn(line, "\n")] = '\0';
    (void)strsep(&rest, "\t");
    while ((word = strsep(&rest, "\t")) != NULL) {
        char *value = strchr(word, '=');

        if (value == NULL || fields->count == FIELDS_MAX)
            fail("not a field, or one too many: %s", word);
        *value = '\0';
        fields->key[fields->count] = word;
        fields->value[fields->count++] = value + 1;
    }
}

/* ---- Answers ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum call_subject subject;
    uint64_t item_bytes;
} calls[CALLS] = {
#define CALL_ROW(name, word, subject, item) {word, subject, item},
    CALL_LIST(CALL_ROW)
#undef CALL_ROW
};

enum call call_named(const char *name)
{
    for (uint32_t call = 0; call < CALLS; call++)
        if (strcmp(calls[call].name, name) == 0)
            return (enum call)call;
    fail("there is no call '%s'", name);
}

enum call_subject call_subject(enum call call)
{
    return calls[call].subject;
}

uint64_t call_item_bytes(enum call call)
{
    return calls[call].item_bytes;
}

uint64_t answer_mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t mixed = a * 0x9e3779b97f4a7c15u + b * 0xc2b2ae3d27d4eb4fu + c * 0x165667b19e3779f9u;

    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
    return mixed ^ mixed >> 32;
}

uint64_t question_records(const struct question *question, uint64_t bytes)
{
    uint64_t low = 0, high = question->record_count;

    while (low < high) { /* records before `low` lie within the bytes, `high` and later do not */
        uint64_t middle = low + (high - low + 1) / 2;

        if (question->offsets[middle] <= bytes)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

uint64_t question_share(const struct question *question, uint64_t bytes)
{
    return question->offsets != NULL ? question->offsets[question_records(question, bytes)] : bytes;
}

/* ---- Threads ------------------------------------------------------------------------------ */

struct shares {
    void (*work)(void *context, uint64_t index);
    void *context;
    uint64_t count;        /* number of calls to `work` */
    _Atomic uint64_t next; /* index of the next call */
    uint32_t threads;
    _Atomic uint32_t running; /* threads that have begun */
    pthread_barrier_t ready;  /* passed when all threads run, at the time `begin` */
    double begin;             /* time at which all threads run */
};

/* A thread of pieces_run: waits until all threads run, then calls `work` with the next index until
 * none is left. */
static void *pieces_serve(void *argument)
{
    struct shares *pieces = (struct shares *)argument;
    uint64_t index;

    if (atomic_fetch_add(&pieces->running, 1) + 1 == pieces->threads)
        pieces->begin = clock_seconds();
    (void)pthread_barrier_wait(&pieces->ready);
    while ((index = atomic_fetch_add(&pieces->next, 1)) < pieces->count)
        pieces->work(pieces->context, index);
    return NULL;
}

double pieces_run(void (*work)(void *context, uint64_t index), void *context, uint64_t count,
                  uint32_t threads)
{
    struct shares pieces = {.work = work, .context = context, .count = count};
    pthread_t *thread;
    double seconds;

    if (threads > count)
        threads = (uint32_t)count;
    pieces.threads = threads > 1 ? threads : 1;
    if (pthread_barrier_init(&pieces.ready, NULL, pieces.threads) != 0)
        fail("threads could not be held back");
    thread = (pthread_t *)allocate(threads * sizeof *thread);
    for (uint32_t i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, pieces_serve, &pieces) != 0)
            fail("a thread could not be started");
    (void)pieces_serve(&pieces);
    for (uint32_t i = 1; i < threads; i++)
        (void)pthread_join(thread[i], NULL);
    seconds = clock_seconds() - pieces.begin;
    (void)pthread_barrier_destroy(&pieces.ready);
    free(thread);
    return seconds;
}

uint32_t cores_count(void)
{
    cpu_set_t sets[SETS];

    if (sched_getaffinity(0, sizeof sets, sets) != 0)
        return 1;
    return (uint32_t)CPU_COUNT_S(sizeof sets, sets);
}
