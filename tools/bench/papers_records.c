/* papers_records: the C++ AMP sample's speed-up over strstr: M patterns in N records. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define RECORD_BYTES 200u
#define PATTERN_BYTES 8u
#define NUL_BYTES 4u /* behind each record, as the sample lays them out */
#define SWEEPS 2u
#define STEPS 5u
#define RECORDS_FIXED 4096u
#define PATTERNS_FIXED 256u
#define SPARSE_EVERY 100u    /* of so many records, one holds a pattern */
#define CALLS_MAX (1u << 19) /* of strstr in one timed run */
#define TEXT_SEED 41u
#define SPEEDUP_PUBLISHED 35.0

static const uint64_t sweeps[SWEEPS][STEPS][2] = {
    /* M, N */
    {{16, RECORDS_FIXED},
     {64, RECORDS_FIXED},
     {256, RECORDS_FIXED},
     {1024, RECORDS_FIXED},
     {4095, RECORDS_FIXED}},
    {{PATTERNS_FIXED, 256},
     {PATTERNS_FIXED, 1024},
     {PATTERNS_FIXED, 4096},
     {PATTERNS_FIXED, 16384},
     {PATTERNS_FIXED, 65536}},
};

static const struct {
    const char *name;
    enum host host;
    const char *algorithm;
} columns[] = {
    {"rabin-karp-matrix, one core", HOST_ONE, "rabin-karp-matrix"},
    {"rabin-karp-matrix, all cores", HOST_ALL, "rabin-karp-matrix"},
    {"rabin-karp-matrix, GPU", HOST_GPU_OWN, "rabin-karp-matrix"},
    {"trawl, one core", HOST_ONE, NULL},
    {"trawl, all cores", HOST_ALL, NULL},
    {"trawl, GPU", HOST_GPU_OWN, NULL},
};
#define COLUMNS (sizeof columns / sizeof columns[0])
enum column_index { RK_ONE, RK_ALL, RK_GPU, TRAWL_ONE, TRAWL_ALL, TRAWL_GPU };

/* What one size came to. */
struct size {
    uint64_t patterns, records;
    uint64_t found; /* cells that hold an index */
    const struct figure *strstr_one, *strstr_all, *column[COLUMNS], *grep;
};

/* The records twice: as a tape for trawl, and each with NULs behind it for strstr. */
struct data {
    uint64_t pattern_count, record_count;
    char *pattern_bytes; /* PATTERN_BYTES + NUL each */
    struct trawl_pattern *patterns;
    char *terminated;
    uint8_t *tape;
    uint64_t *offsets;
    int64_t *matrix, *answer;
};

/* ---- Records ------------------------------------------------------------------------------ */

static const char *pattern_of(const struct data *data, uint64_t index)
{
    return data->pattern_bytes + index * (PATTERN_BYTES + 1);
}

/* Dense: a record is made of patterns. Sparse: of random letters, now and then with a pattern. */
static void fill_record(const struct data *data, uint64_t index, bool dense, struct seeded *seeded,
                        uint8_t *record)
{
    text_fill_letters(record, RECORD_BYTES, seeded_u64(seeded));
    if (dense)
        for (uint64_t at = 0; at + PATTERN_BYTES <= RECORD_BYTES; at += PATTERN_BYTES)
            memcpy(record + at, pattern_of(data, seeded_below(seeded, data->pattern_count)),
                   PATTERN_BYTES);
    else if (index % SPARSE_EVERY == 0)
        memcpy(record + seeded_below(seeded, RECORD_BYTES - PATTERN_BYTES),
               pattern_of(data, seeded_below(seeded, data->pattern_count)), PATTERN_BYTES);
}

static void data_open(struct data *data, uint64_t pattern_count, uint64_t record_count, bool dense)
{
    struct seeded seeded = {TEXT_SEED + dense};
    const uint64_t step = RECORD_BYTES + NUL_BYTES;

    data->pattern_count = pattern_count;
    data->record_count = record_count;
    data->pattern_bytes = (char *)allocate(pattern_count * (PATTERN_BYTES + 1));
    data->patterns = (struct trawl_pattern *)allocate(pattern_count * sizeof *data->patterns);
    for (uint64_t i = 0; i < pattern_count; i++) {
        char *pattern = data->pattern_bytes + i * (PATTERN_BYTES + 1);

        text_fill_letters((uint8_t *)pattern, PATTERN_BYTES, seeded_u64(&seeded));
        pattern[PATTERN_BYTES] = '\0';
        data->patterns[i] = (struct trawl_pattern){pattern, PATTERN_BYTES};
    }
    data->tape = (uint8_t *)allocate(record_count * RECORD_BYTES);
    data->terminated = (char *)allocate(record_count * step);
    data->offsets = (uint64_t *)allocate((record_count + 1) * sizeof *data->offsets);
    memset(data->terminated, 0, record_count * step);
    for (uint64_t i = 0; i <= record_count; i++)
        data->offsets[i] = i * RECORD_BYTES;
    for (uint64_t i = 0; i < record_count; i++) {
        fill_record(data, i, dense, &seeded, data->tape + i * RECORD_BYTES);
        memcpy(data->terminated + i * step, data->tape + i * RECORD_BYTES, RECORD_BYTES);
    }
    data->matrix = (int64_t *)allocate(record_count * pattern_count * sizeof(int64_t));
    data->answer = (int64_t *)allocate(record_count * pattern_count * sizeof(int64_t));
}

static void data_close(struct data *data)
{
    free(data->pattern_bytes);
    free(data->patterns);
    free(data->terminated);
    free(data->tape);
    free(data->offsets);
    free(data->matrix);
    free(data->answer);
}

/* ---- Rows on threads ---------------------------------------------------------------------- */

/* Rows of a matrix, dealt to threads: by strstr, the source's baseline, or by memmem, which says
 * what the right answer is. */
struct rows_job {
    const struct data *data;
    uint64_t record_count;
    uint32_t threads;
    bool by_memmem;
    int64_t *answer;
};

struct rows_part {
    pthread_t thread;
    const struct rows_job *job;
    uint64_t begin, end;
};

static int64_t find_by_memmem(const struct data *data, uint64_t record, uint64_t pattern)
{
    const uint8_t *bytes = data->tape + record * RECORD_BYTES;
    const uint8_t *found =
        (const uint8_t *)memmem(bytes, RECORD_BYTES, pattern_of(data, pattern), PATTERN_BYTES);

    return found != NULL ? found - bytes : -1;
}

static int64_t find_by_strstr(const struct data *data, uint64_t record, uint64_t pattern)
{
    const char *bytes = data->terminated + record * (RECORD_BYTES + NUL_BYTES);
    const char *found = strstr(bytes, pattern_of(data, pattern));

    return found != NULL ? found - bytes : -1;
}

static void *fill_rows(void *context)
{
    const struct rows_part *part = (const struct rows_part *)context;
    const struct data *data = part->job->data;

    for (uint64_t r = part->begin; r < part->end; r++)
        for (uint64_t p = 0; p < data->pattern_count; p++)
            part->job->answer[r * data->pattern_count + p] =
                part->job->by_memmem ? find_by_memmem(data, r, p) : find_by_strstr(data, r, p);
    return NULL;
}

static void rows_run(const struct rows_job *job)
{
    struct rows_part *parts = (struct rows_part *)allocate(job->threads * sizeof *parts);

    for (uint32_t i = 0; i < job->threads; i++) {
        parts[i].job = job;
        parts[i].begin = job->record_count * i / job->threads;
        parts[i].end = job->record_count * (i + 1) / job->threads;
        if (i > 0 && pthread_create(&parts[i].thread, NULL, fill_rows, &parts[i]) != 0)
            fail("a thread could not be started");
    }
    (void)fill_rows(&parts[0]);
    for (uint32_t i = 1; i < job->threads; i++)
        pthread_join(parts[i].thread, NULL);
    free(parts);
}

static bool run_strstr(void *context, double *seconds)
{
    const struct rows_job *job = (const struct rows_job *)context;
    double begin;

    memset(job->answer, 0x55, job->record_count * job->data->pattern_count * sizeof(int64_t));
    begin = clock_seconds();
    rows_run(job);
    *seconds = clock_seconds() - begin;
    return memcmp(job->answer, job->data->matrix,
                  job->record_count * job->data->pattern_count * sizeof(int64_t)) == 0;
}

/* ---- One size ----------------------------------------------------------------------------- */

static uint64_t count_found(const struct data *data, uint64_t *rows)
{
    uint64_t found = 0;

    *rows = 0;
    for (uint64_t r = 0; r < data->record_count; r++) {
        uint64_t before = found;

        for (uint64_t p = 0; p < data->pattern_count; p++)
            found += data->matrix[r * data->pattern_count + p] >= 0;
        *rows += found > before;
    }
    return found;
}

/* Records and patterns as grep takes them: lines. */
static void write_lines(struct papers *papers, const struct data *data, struct command_line *grep,
                        uint64_t rows, char options[PATH_MAX + 8])
{
    uint64_t bytes = data->record_count * (RECORD_BYTES + 1);
    uint8_t *lines = (uint8_t *)allocate(bytes);
    char output[32];

    for (uint64_t i = 0; i < data->record_count; i++) {
        memcpy(lines + i * (RECORD_BYTES + 1), data->tape + i * RECORD_BYTES, RECORD_BYTES);
        lines[i * (RECORD_BYTES + 1) + RECORD_BYTES] = '\n';
    }
    memset(grep, 0, sizeof *grep);
    grep->missing = papers->grep_version[0] == '\0';
    grep->argument[0] = "grep";
    grep->argument[1] = "-F";
    grep->argument[2] = "-c";
    grep->argument[4] = files_write(&papers->files, "records", lines, bytes);
    free(lines);
    lines = (uint8_t *)allocate(data->pattern_count * (PATTERN_BYTES + 1));
    memcpy(lines, data->pattern_bytes, data->pattern_count * (PATTERN_BYTES + 1));
    for (uint64_t i = 0; i < data->pattern_count; i++)
        lines[i * (PATTERN_BYTES + 1) + PATTERN_BYTES] = '\n';
    snprintf(
        options, PATH_MAX + 8, "-f%s",
        files_write(&papers->files, "patterns", lines, data->pattern_count * (PATTERN_BYTES + 1)));
    grep->argument[3] = options;
    free(lines);
    snprintf(output, sizeof output, "%llu\n", (unsigned long long)rows);
    expect_output(output, strlen(output), grep);
    grep->status = rows > 0 ? 0 : 1;
}

/* As many records as strstr can be called for in a run: they are alike, so the rest of the time
 * follows from their number. */
static void limit_strstr(struct rows_job *job, uint32_t threads, struct figure *figure)
{
    uint64_t most = CALLS_MAX * (uint64_t)threads / job->data->pattern_count + threads;

    job->threads = threads;
    if (job->record_count > most)
        job->record_count = most;
    figure->factor = (double)job->data->record_count / (double)job->record_count;
}

static void run_size(struct papers *papers, uint64_t patterns, uint64_t records, bool dense,
                     struct size *size)
{
    static char options[PATH_MAX + 8];
    struct data data;
    struct trawl_records tape;
    struct question question = {.kind = ASK_MATRIX};
    struct command_line grep;
    struct race race = {.count = 0};
    struct figure *figure;
    char name[NAME_BYTES];
    uint64_t rows;

    data_open(&data, patterns, records, dense);
    rows_run(&(struct rows_job){&data, records, papers->threads, true, data.matrix});
    size->patterns = patterns;
    size->records = records;
    size->found = count_found(&data, &rows);
    write_lines(papers, &data, &grep, rows, options);
    snprintf(name, sizeof name, "%s, M = %llu, N = %llu", dense ? "dense" : "sparse",
             (unsigned long long)patterns, (unsigned long long)records);
    tape = (struct trawl_records){data.tape, data.offsets, records};
    question.name = name;
    question.patterns = data.patterns;
    question.pattern_count = patterns;
    question.records = &tape;
    question.matrix = data.matrix;
    question.answer = data.answer;

    struct rows_job one = {&data, records, 1, false, data.answer}, all = one;

    size->strstr_one = figure = race_function(papers, &race, run_strstr, &one, "strstr, one core");
    limit_strstr(&one, 1, figure);
    size->strstr_all = figure = race_function(papers, &race, run_strstr, &all, "strstr, all cores");
    limit_strstr(&all, papers->threads, figure);
    for (uint32_t i = 0; i < COLUMNS; i++)
        size->column[i] =
            race_library(papers, &race, columns[i].host, columns[i].algorithm, columns[i].name);
    size->grep = race_command(papers, &race, &grep, "grep -F -c -f");
    papers_race(papers, &question, &race, papers->options->rounds);
    data_close(&data);
}

/* ---- What it came to ---------------------------------------------------------------------- */

static const struct table *add_table(struct paper *paper, const struct size *sizes, uint32_t count,
                                     uint32_t sweep, bool dense)
{
    struct table *table =
        paper_table(paper, 1e3, "speed-up over strstr on one core", sweep == 0 ? "M" : "N",
                    "%s matches, %s %llu", dense ? "Dense" : "Sparse",
                    sweep == 0 ? "M patterns, N =" : "N records, M =",
                    (unsigned long long)(sweep == 0 ? sizes[0].records : sizes[0].patterns));

    (void)table_column(table, "strstr, one core: ms");
    (void)table_column(table, "strstr, all cores");
    for (uint32_t i = 0; i < COLUMNS; i++)
        (void)table_column(table, "%s", columns[i].name);
    (void)table_column(table, "grep -F -c -f");
    for (uint32_t k = 0; k < count; k++) {
        const struct size *size = &sizes[k];
        uint64_t number = sweep == 0 ? size->patterns : size->records;
        uint32_t row = table_row(table, "%llu", (unsigned long long)number);

        table->row_number[row] = (double)number;
        table_time(table, row, 0, size->strstr_one, PART_WHOLE);
        table_speedup(table, row, 1, size->strstr_all, size->strstr_one);
        for (uint32_t i = 0; i < COLUMNS; i++)
            table_speedup(table, row, 2 + i, size->column[i], size->strstr_one);
        table_speedup(table, row, 2 + (uint32_t)COLUMNS, size->grep, size->strstr_one);
    }
    return table;
}

/* The best speed-up of a column over all sizes, of both kinds of matches; false if unknown. */
static bool best_speedup(const struct size *sizes, uint32_t count, uint32_t column, double *best)
{
    double base, seconds;

    *best = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!figure_mean(sizes[i].strstr_one, PART_WHOLE, &base) ||
            !figure_mean(sizes[i].column[column], PART_WHOLE, &seconds) || seconds <= 0)
            return false;
        if (base / seconds > *best)
            *best = base / seconds;
    }
    return true;
}

static void order_best(struct paper *paper, const struct table *table, const struct size *sizes,
                       uint32_t count, uint32_t column, double published)
{
    enum ordering_state state = ORDERING_UNKNOWN;
    double best = 0;

    if (best_speedup(sizes, count, column, &best))
        state = best >= SPEEDUP_PUBLISHED ? ORDERING_HOLDS : ORDERING_FAILS;
    paper_claim(paper, state, best, published,
                "%s%s: %s is at best >= 35 times as fast as strstr on one core (how many times)",
                table->title, published > 0 ? "" : ", today", columns[column].name);
}

static void order_size(struct paper *paper, const struct size *size, bool dense)
{
    char name[NAME_BYTES];

    snprintf(name, sizeof name, "%s, M = %llu, N = %llu", dense ? "dense" : "sparse",
             (unsigned long long)size->patterns, (unsigned long long)size->records);
    paper_at_most(paper, size->column[RK_GPU], PART_WHOLE, size->strstr_one, PART_WHOLE, 1, 0,
                  "%s: rabin-karp-matrix on the GPU <= strstr", name);
    paper_at_most(paper, size->column[RK_GPU], PART_WHOLE, size->strstr_all, PART_WHOLE, 1, 0,
                  "%s, today: rabin-karp-matrix on the GPU <= strstr on all cores", name);
    paper_at_most(paper, size->column[RK_ONE], PART_WHOLE, size->strstr_one, PART_WHOLE, 1, 0,
                  "%s, today: rabin-karp-matrix on one core <= strstr", name);
    paper_at_most(paper, size->column[TRAWL_ALL], PART_WHOLE, size->column[RK_ALL], PART_WHOLE, 1,
                  0, "%s, today: trawl <= rabin-karp-matrix on all cores", name);
    paper_at_most(paper, size->column[TRAWL_ALL], PART_WHOLE, size->column[RK_GPU], PART_WHOLE, 1,
                  0, "%s, today: trawl on all cores <= rabin-karp-matrix on the GPU", name);
}

/* "If you expect a high percentage of matches, the algorithm would be ineffective." */
static void order_density(struct paper *paper, const struct size *sparse, const struct size *dense)
{
    enum ordering_state state = ORDERING_UNKNOWN;
    double base[2], gpu[2], lost = 0;

    if (figure_mean(sparse->strstr_one, PART_WHOLE, &base[0]) &&
        figure_mean(dense->strstr_one, PART_WHOLE, &base[1]) &&
        figure_mean(sparse->column[RK_GPU], PART_WHOLE, &gpu[0]) &&
        figure_mean(dense->column[RK_GPU], PART_WHOLE, &gpu[1])) {
        lost = base[1] / gpu[1] / (base[0] / gpu[0]);
        state = lost < 1 ? ORDERING_HOLDS : ORDERING_FAILS;
    }
    paper_claim(paper, state, lost, 0,
                "M = %llu, N = %llu: dense matches take rabin-karp-matrix on the GPU its gain "
                "(speed-up dense / sparse)",
                (unsigned long long)dense->patterns, (unsigned long long)dense->records);
}

void paper_records(struct papers *papers)
{
    static struct size sizes[2][SWEEPS][STEPS];
    uint64_t patterns_max = papers->options->largest_bytes / PATTERN_BYTES;
    uint64_t records_max = papers->options->largest_bytes / RECORD_BYTES;
    struct paper *paper = papers->paper;

    for (uint32_t dense = 0; dense < 2; dense++)
        for (uint32_t sweep = 0; sweep < SWEEPS; sweep++) {
            const struct table *table;
            uint32_t count = 0;

            for (uint32_t i = 0; i < STEPS; i++) {
                uint64_t patterns = sweeps[sweep][i][0], records = sweeps[sweep][i][1];
                struct size *size = &sizes[dense][sweep][count];

                patterns = patterns < patterns_max ? patterns : patterns_max;
                records = records < records_max ? records : records_max;
                if (count > 0 && size[-1].patterns == patterns && size[-1].records == records)
                    continue;
                run_size(papers, patterns, records, dense != 0, size);
                count++;
            }
            table = add_table(paper, sizes[dense][sweep], count, sweep, dense != 0);
            (void)paper_plot(paper, table, table->row_count, 0x1fe, true,
                             sweep == 0 ? "M (logarithmic)" : "N (logarithmic)", table->title);
            if (dense == 0)
                order_best(paper, table, sizes[0][sweep], count, RK_GPU, SPEEDUP_PUBLISHED);
            if (dense == 0)
                order_best(paper, table, sizes[0][sweep], count, TRAWL_ALL, 0);
            order_size(paper, &sizes[dense][sweep][count - 1], dense != 0);
            if (dense == 1)
                order_density(paper, &sizes[0][sweep][count - 1], &sizes[1][sweep][count - 1]);
            paper_note(paper, "%s: %llu of %llu cells of the last row hold an index", table->title,
                       (unsigned long long)sizes[dense][sweep][count - 1].found,
                       (unsigned long long)sizes[dense][sweep][count - 1].patterns *
                           sizes[dense][sweep][count - 1].records);
        }
    paper_note(paper,
               "records of %u random letters, patterns of %u; sparse: every %uth record holds a "
               "pattern; dense: records are made of patterns; strstr runs over as many records as "
               "it is called %u times for, and its time is scaled to all of them; copies to the "
               "GPU included; grep says less: how many records hold any pattern",
               RECORD_BYTES, PATTERN_BYTES, SPARSE_EVERY, CALLS_MAX);
}
