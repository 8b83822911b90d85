/* papers_records: the C++ AMP sample's speed-up over strstr: M patterns in N records. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define RECORD_BYTES 200u
#define PATTERN_BYTES 8u
#define NUL_BYTES 4u /* after each record, as the sample lays them out */
#define SWEEPS 2u
#define STEPS 5u
#define RECORDS_FIXED 4096u
#define PATTERNS_FIXED 256u
#define SPARSE_EVERY 100u /* of so many records, one holds a pattern */
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
#define OTHERS_MAX 12u
enum column_index { RK_ONE, RK_ALL, RK_GPU, TRAWL_ONE, TRAWL_ALL, TRAWL_GPU };

/* What one size came to. */
struct size {
    uint64_t patterns, records;
    uint64_t found; /* cells that hold an index */
    const struct figure *strstr_one, *strstr_all, *column[COLUMNS], *other[OTHERS_MAX], *grep;
};

/* What the gallery has for records beside it: on one core, on all, on the device. */
static struct {
    const char *algorithm;
    enum host host;
    char name[NAME_BYTES];
} others[OTHERS_MAX];
static uint32_t other_count;

static void add_other(const char *algorithm, enum host host, const char *where)
{
    if (other_count == OTHERS_MAX)
        fail("more than %u columns of records", OTHERS_MAX);
    others[other_count].algorithm = algorithm;
    others[other_count].host = host;
    snprintf(others[other_count].name, NAME_BYTES, "%.70s, %s", algorithm, where);
    other_count++;
}

static void find_others(void)
{
    static const char *const known[] = {"rabin-karp-matrix"};
    const char *names[OTHERS_MAX];
    uint32_t count =
        papers_others("rabin-karp-matrix", TRAWL_ENGINE_CPU, known, 1, names, OTHERS_MAX);

    other_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        add_other(names[i], HOST_ONE, "one core");
        add_other(names[i], HOST_ALL, "all cores");
    }
    count = papers_others("rabin-karp-matrix", TRAWL_ENGINE_CUDA, known, 1, names, OTHERS_MAX);
    for (uint32_t i = 0; i < count; i++)
        add_other(names[i], HOST_GPU_OWN, "GPU");
}

/* The records twice: as a tape for trawl, and each with NULs after it for strstr. */
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
    question.place_count = size->found;

    struct rows_job one = {&data, records, 1, false, data.answer}, all = one;

    all.threads = papers->threads;
    figure = race_function(papers, &race, run_strstr, &one, "strstr, one core");
    figure->side = SIDE_PUBLISHED;
    figure->host = HOST_ONE;
    size->strstr_one = figure;
    figure = race_function(papers, &race, run_strstr, &all, "strstr, all cores");
    figure->side = SIDE_PUBLISHED;
    figure->host = HOST_ALL;
    size->strstr_all = figure;
    for (uint32_t i = 0; i < COLUMNS; i++)
        size->column[i] =
            race_library(papers, &race, columns[i].host, columns[i].algorithm, columns[i].name);
    for (uint32_t i = 0; i < other_count; i++)
        size->other[i] =
            race_library(papers, &race, others[i].host, others[i].algorithm, others[i].name);
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

    table_caption(table, "Each contestant writes the whole matrix of first positions into the "
                         "caller's array, which is cleared and in memory. strstr is called for "
                         "each pattern and record. The time of algorithms and of trawl holds "
                         "building the plan, copying the records to the device (not where cores "
                         "search), the kernels, copying the flags back, the host's search of "
                         "flagged records, and returning the rows. grep is a whole process and "
                         "says less: how many records hold any pattern.");
    (void)table_column(table, "strstr, one core: ms");
    (void)table_column(table, "strstr, all cores");
    for (uint32_t i = 0; i < COLUMNS; i++)
        (void)table_column(table, "%s", columns[i].name);
    for (uint32_t i = 0; i < other_count; i++)
        (void)table_column(table, "%s", others[i].name);
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
        for (uint32_t i = 0; i < other_count; i++)
            table_speedup(table, row, 2 + (uint32_t)COLUMNS + i, size->other[i], size->strstr_one);
        table_speedup(table, row, 2 + (uint32_t)COLUMNS + other_count, size->grep,
                      size->strstr_one);
    }
    return table;
}

static void order_size(struct paper *paper, const struct size *size, bool dense)
{
    const struct figure *gpu = size->column[RK_GPU], *one = size->strstr_one;
    const char *sample = "rabin-karp-matrix, GPU";
    struct claim *best = paper_claim(paper, CLAIM_BEST, false, sample, "strstr on one core");
    char name[NAME_BYTES];

    snprintf(name, sizeof name, "%s, M = %llu, N = %llu", dense ? "dense" : "sparse",
             (unsigned long long)size->patterns, (unsigned long long)size->records);
    best->bound = SPEEDUP_PUBLISHED;
    if (!dense)
        (void)claim_add(best, name, gpu, PART_WHOLE, one, PART_WHOLE);
    paper_faster(paper, sample, gpu, PART_WHOLE, "strstr, one core", one, PART_WHOLE, 0, name);
    paper_ours(paper, sample, gpu, PART_WHOLE, "strstr, all cores", size->strstr_all, PART_WHOLE,
               name);
    paper_ours(paper, "rabin-karp-matrix, one core", size->column[RK_ONE], PART_WHOLE,
               "strstr, one core", one, PART_WHOLE, name);
    paper_ours(paper, "rabin-karp-matrix, all cores", size->column[RK_ALL], PART_WHOLE,
               "strstr, all cores", size->strstr_all, PART_WHOLE, name);
    (void)claim_add(paper_claim(paper, CLAIM_BEST, true, "trawl, all cores", "strstr on one core"),
                    name, size->column[TRAWL_ALL], PART_WHOLE, one, PART_WHOLE);
    paper_ours(paper, "trawl, one core", size->column[TRAWL_ONE], PART_WHOLE, "strstr, one core",
               one, PART_WHOLE, name);
    paper_ours(paper, "trawl, all cores", size->column[TRAWL_ALL], PART_WHOLE, "strstr, all cores",
               size->strstr_all, PART_WHOLE, name);
    paper_ours(paper, "trawl, all cores", size->column[TRAWL_ALL], PART_WHOLE,
               "rabin-karp-matrix, all cores", size->column[RK_ALL], PART_WHOLE, name);
    paper_ours(paper, "trawl, all cores", size->column[TRAWL_ALL], PART_WHOLE, sample, gpu,
               PART_WHOLE, name);
    paper_ours(paper, "trawl, GPU", size->column[TRAWL_GPU], PART_WHOLE, sample, gpu, PART_WHOLE,
               name);
    paper_ours(paper, "trawl, all cores", size->column[TRAWL_ALL], PART_WHOLE, "trawl, one core",
               size->column[TRAWL_ONE], PART_WHOLE, name);
    for (uint32_t i = 0; i < other_count; i++)
        paper_ours(paper, others[i].name, size->other[i], PART_WHOLE,
                   others[i].host == HOST_ONE   ? "rabin-karp-matrix, one core"
                   : others[i].host == HOST_ALL ? "rabin-karp-matrix, all cores"
                                                : sample,
                   size->column[others[i].host == HOST_ONE   ? RK_ONE
                                : others[i].host == HOST_ALL ? RK_ALL
                                                             : RK_GPU],
                   PART_WHOLE, name);
}

/* With a "high percentage of positive matches" the sample "would be ineffective". */
static void order_density(struct paper *paper, const struct size *sparse, const struct size *dense)
{
    struct claim *claim = paper_claim(paper, CLAIM_GAIN, false,
                                      "rabin-karp-matrix's gain on the GPU over strstr on one core "
                                      "with dense matches",
                                      "that with sparse ones");
    char name[NAME_BYTES];
    struct claim_case *one;

    snprintf(name, sizeof name, "M = %llu, N = %llu", (unsigned long long)dense->patterns,
             (unsigned long long)dense->records);
    one = claim_add(claim, name, dense->strstr_one, PART_WHOLE, dense->column[RK_GPU], PART_WHOLE);
    one->base_left = sparse->strstr_one;
    one->base_right = sparse->column[RK_GPU];
}

void paper_records(struct papers *papers)
{
    static struct size sizes[2][SWEEPS][STEPS];
    uint64_t patterns_max = papers->options->largest_bytes / PATTERN_BYTES;
    uint64_t records_max = papers->options->largest_bytes / RECORD_BYTES;
    struct paper *paper = papers->paper;

    find_others();
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
            (void)paper_plot(paper, table, table->row_count, (1u << table->column_count) - 2, true,
                             sweep == 0 ? "M (logarithmic)" : "N (logarithmic)", table->title);
            for (uint32_t i = 0; i < count; i++)
                order_size(paper, &sizes[dense][sweep][i], dense != 0);
            for (uint32_t i = 0; i < count && dense == 1; i++)
                order_density(paper, &sizes[0][sweep][i], &sizes[1][sweep][i]);
            paper_note(paper, "%s: in the last row, %llu of %llu cells hold a position",
                       table->title, (unsigned long long)sizes[dense][sweep][count - 1].found,
                       (unsigned long long)sizes[dense][sweep][count - 1].patterns *
                           sizes[dense][sweep][count - 1].records);
        }
    paper_note(paper, "runs of each figure: %u; the source does not say how many it had",
               papers->options->rounds);
    paper_note(paper,
               "records of %u random letters, patterns of %u; sparse: every %uth record holds a "
               "pattern; dense: records are made of patterns",
               RECORD_BYTES, PATTERN_BYTES, SPARSE_EVERY);
    paper_parts(paper, 0,
                "Every matrix of the tables above; the parts of a row add up to its "
                "total. Host work: all cores search the flagged records and return the "
                "rows.");
    paper_own_parts(paper, 0);
}
