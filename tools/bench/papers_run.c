/* papers_run: contestants answer questions, in turn, and every answer is checked. */
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/papers.h"

/* The sources copied a text whole and launched one kernel on it; so do the searchers that stand
 * for them: one thread, one chunk. */
#define GPU_CHUNK_BYTES (256ull << 20)
#define KEPT_BYTES_MAX (128 << 10)
#define WAKE_BYTES (64u << 10)
#define WAKE_SECONDS 0.5
#define WAKE_RUNS_MAX 4000u

struct matrix_sink {
    int64_t *answer;
    uint64_t columns;
    double seconds; /* spent here */
};

/* ---- Open and close ----------------------------------------------------------------------- */

static void searcher_open(struct papers *papers, enum host host, enum trawl_engine engine,
                          uint32_t threads, uint64_t chunk_bytes)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_error error = {0};
    enum trawl_status status;

    options.engine = engine;
    options.threads = threads;
    options.chunk_bytes = chunk_bytes;
    options.instruction_set = papers->options->instruction_set;
    status = trawl_searcher_open(&options, &papers->searcher[host], &error);
    if (status == TRAWL_OK)
        return;
    papers->searcher[host] = NULL;
    if (engine != TRAWL_ENGINE_CUDA)
        fail("%s (%s)", error.message, trawl_status_message(status));
    memcpy(papers->no_device, error.message, sizeof papers->no_device);
}

static void open_devices(struct papers *papers)
{
    searcher_open(papers, HOST_GPU, TRAWL_ENGINE_CUDA, 1, GPU_CHUNK_BYTES);
    if (papers->searcher[HOST_GPU] != NULL)
        searcher_open(papers, HOST_GPU_OWN, TRAWL_ENGINE_CUDA, 0, 0);
}

/* A device that has had nothing to do is slow for a while: let it copy and search until its clocks
 * are up. What it finds is compared with nothing. */
static void wake_device(struct papers *papers)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    const struct trawl_pattern pattern = {"absent", 6};
    struct trawl_searcher *searcher = papers->searcher[HOST_GPU];
    uint8_t *bytes = (uint8_t *)allocate(WAKE_BYTES);
    double begin = clock_seconds();
    struct trawl_error error = {0};
    struct trawl_plan *plan = NULL;
    struct trawl_text *text = NULL;
    uint64_t count;

    memset(bytes, ' ', WAKE_BYTES);
    if (trawl_plan_build(&pattern, 1, &options, &plan, &error) != TRAWL_OK ||
        trawl_text_from_memory(bytes, WAKE_BYTES, &text, &error) != TRAWL_OK)
        fail("%s", error.message);
    for (uint32_t i = 0; i < WAKE_RUNS_MAX && clock_seconds() - begin < WAKE_SECONDS; i++)
        if (trawl_count(searcher, plan, text, &count, &error) != TRAWL_OK)
            break; /* the first contestant will meet it again and report it */
    trawl_text_close(text);
    trawl_plan_free(plan);
    free(bytes);
}

static void close_devices(struct papers *papers)
{
    for (uint32_t host = HOST_GPU; host <= HOST_GPU_OWN; host++) {
        trawl_searcher_close(papers->searcher[host]);
        papers->searcher[host] = NULL;
    }
}

/* What the driver's own tool calls the device; a simulated one has no such tool. */
static void name_device(struct papers *papers)
{
    static const char *const smi[] = {"nvidia-smi", "--query-gpu=name,driver_version",
                                      "--format=csv,noheader", NULL};

    if (papers->searcher[HOST_GPU] == NULL)
        return;
    if (!process_first_line(smi, papers->device, sizeof papers->device))
        snprintf(papers->device, sizeof papers->device, "a device that nvidia-smi does not name");
}

static void find_command(struct papers *papers)
{
    const char *const grep[] = {"grep", "--version", NULL};
    const char *const trawl[] = {papers->command_path, "--version", NULL};
    char folder[PATH_MAX - 16];

    machine_program_folder(folder, sizeof folder);
    if (papers->options->command_path != NULL)
        snprintf(papers->command_path, sizeof papers->command_path, "%s",
                 papers->options->command_path);
    else
        snprintf(papers->command_path, sizeof papers->command_path, "%s/trawl", folder);
    if (!process_first_line(grep, papers->grep_version, sizeof papers->grep_version))
        papers->grep_version[0] = '\0';
    if (!process_first_line(trawl, papers->command_version, sizeof papers->command_version))
        papers->command_version[0] = '\0';
    if (papers->options->command_path != NULL && papers->command_version[0] == '\0')
        fail("%s does not run (--command names the command to time)", papers->command_path);
}

void papers_open(struct papers *papers)
{
    char folder[PATH_MAX - 16];

    if (getloadavg(&papers->load_begin, 1) != 1)
        papers->load_begin = -1;
    setenv("LC_ALL", "C", 1);
    unsetenv("GREP_COLORS");
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES_MAX); /* what is freed goes back to the system */
    spawner_open(&papers->spawner);
    find_command(papers);
    machine_describe(papers->options, &papers->machine);
    machine_program_folder(folder, sizeof folder);
    files_open(&papers->files,
               papers->options->directory != NULL ? papers->options->directory : folder);
    papers->threads =
        papers->options->threads > 0 ? papers->options->threads : papers->machine.cores;
    searcher_open(papers, HOST_ONE, TRAWL_ENGINE_CPU, 1, 0);
    searcher_open(papers, HOST_ALL, TRAWL_ENGINE_CPU, papers->threads, 0);
    open_devices(papers);
    name_device(papers);
    if (papers->searcher[HOST_GPU] != NULL)
        wake_device(papers);
}

void papers_close(struct papers *papers)
{
    for (uint32_t host = 0; host <= HOST_GPU_OWN; host++)
        trawl_searcher_close(papers->searcher[host]);
    files_close(&papers->files);
    spawner_close(&papers->spawner);
}

bool papers_late(const struct papers *papers)
{
    return clock_seconds() - papers->begin_seconds > (double)papers->options->seconds_max;
}

/* ---- Answers ------------------------------------------------------------------------------ */

static int take_rows(void *context, uint64_t row_first, uint64_t row_count, const int64_t *first)
{
    struct matrix_sink *sink = (struct matrix_sink *)context;
    double begin = clock_seconds();

    memcpy(sink->answer + row_first * sink->columns, first,
           row_count * sink->columns * sizeof *first);
    sink->seconds += clock_seconds() - begin;
    return 0;
}

/* Did anything but the right answer come out? --falsify asks for one occurrence too many. */
static bool positions_are_right(const struct papers *papers, const struct question *question,
                                uint64_t count)
{
    if (count != question->place_count + (papers->options->falsify ? 1 : 0))
        return false;
    for (uint64_t i = 0; i < question->place_count; i++)
        if (question->matches[i].begin != question->place[i])
            return false;
    return true;
}

static bool first_is_right(const struct papers *papers, const struct question *question, bool found,
                           uint64_t begin)
{
    if (papers->options->falsify || found != (question->place_count > 0))
        return false;
    return !found || begin == question->place[0];
}

static bool matrix_is_right(const struct papers *papers, const struct question *question)
{
    uint64_t cells = question->records->record_count * question->pattern_count;

    return !papers->options->falsify &&
           memcmp(question->answer, question->matrix, cells * sizeof *question->answer) == 0;
}

/* ---- One run ------------------------------------------------------------------------------ */

struct run {
    enum trawl_status status;
    struct trawl_error error;
    bool right;
    double seconds[PARTS];
    uint64_t child_grids, child_spills, child_withheld, chunks, occurrences;
    char note[sizeof((struct trawl_stats *)NULL)->note];
};

static void ask(const struct papers *papers, const struct question *question,
                struct trawl_searcher *searcher, const struct trawl_plan *plan, struct run *run)
{
    struct matrix_sink sink = {question->answer, question->pattern_count, 0};
    struct trawl_match match = {0, 0, 0};
    bool found = false;
    uint64_t count = 0;

    switch (question->kind) {
    case ASK_POSITIONS:
        run->status = trawl_positions_into(searcher, plan, question->handle, question->matches,
                                           question->place_count + 1, &count, &run->error);
        run->seconds[PART_WHOLE] = clock_seconds();
        run->right = positions_are_right(papers, question, count);
        return;
    case ASK_FIRST:
        run->status = trawl_first(searcher, plan, question->handle, &match, &found, &run->error);
        run->seconds[PART_WHOLE] = clock_seconds();
        run->right = first_is_right(papers, question, found, match.begin);
        return;
    case ASK_MATRIX:
        run->status =
            trawl_matrix(searcher, plan, question->records, take_rows, &sink, &run->error);
        run->seconds[PART_WHOLE] = clock_seconds();
        run->seconds[PART_HOST] = sink.seconds;
        run->right = matrix_is_right(papers, question);
        return;
    }
}

/* What the library says of a device's algorithm; the rest is counted as other. */
static void take_parts(const struct trawl_stats *stats, double plan_seconds, struct run *run)
{
    double named = 0;

    run->seconds[PART_PLAN] = plan_seconds;
    run->seconds[PART_MEMORY] = (double)stats->device_memory_ns * 1e-9;
    run->seconds[PART_COPIES] = (double)stats->device_copy_ns * 1e-9;
    run->seconds[PART_COPY_OUT] = (double)stats->device_back_ns * 1e-9;
    run->seconds[PART_COPY_IN] = run->seconds[PART_COPIES] - run->seconds[PART_COPY_OUT];
    run->seconds[PART_KERNEL] = (double)stats->device_kernel_ns * 1e-9;
    run->seconds[PART_HOST] += (double)stats->device_host_ns * 1e-9;
    for (uint32_t part = PART_PLAN; part < PART_OTHER; part++)
        named += run->seconds[part];
    run->seconds[PART_OTHER] = run->seconds[PART_WHOLE] - named;
    run->child_grids = stats->child_grids;
    run->child_spills = stats->child_spills;
    run->child_withheld = stats->child_withheld;
    memcpy(run->note, stats->note, sizeof run->note);
}

/* What the library says of its own method: copies to where devices fetch chunks from, and searches,
 * of all threads. */
static void take_own_parts(const struct trawl_searcher *searcher, const struct trawl_stats *stats,
                           struct run *run)
{
    struct trawl_worker_stats worker = {.size = sizeof worker};
    uint32_t count = 1;

    run->chunks = stats->chunk_count;
    run->occurrences = stats->match_count;
    for (uint32_t i = 0; i < count; i++) {
        if (trawl_searcher_workers(searcher, i, &worker, &count, NULL) != TRAWL_OK)
            return;
        run->seconds[PART_READY] += i > 0 ? (double)worker.ready_ns * 1e-9 : 0;
        run->seconds[PART_SEARCH] += (double)worker.search_ns * 1e-9;
    }
}

/* Of no right answer, so that nothing old counts; and its pages are there before the time begins,
 * for every contestant. */
static void clear_answer(const struct question *question)
{
    if (question->kind == ASK_MATRIX)
        memset(question->answer, 0x55,
               question->records->record_count * question->pattern_count * sizeof(int64_t));
}

/* The plan is built inside the time, as a program that was called with a pattern must. */
static void run_library(const struct papers *papers, const struct question *question,
                        const struct contestant *contestant, struct run *run)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_searcher *searcher = papers->searcher[contestant->host];
    struct trawl_plan *plan = NULL;
    double begin, built;

    clear_answer(question);
    begin = clock_seconds();
    options.algorithm = contestant->algorithm;
    run->status =
        trawl_plan_build(question->patterns, question->pattern_count, &options, &plan, &run->error);
    built = clock_seconds();
    if (run->status != TRAWL_OK || searcher == NULL) {
        trawl_plan_free(plan);
        return;
    }
    ask(papers, question, searcher, plan, run);
    run->seconds[PART_WHOLE] -= begin;
    trawl_plan_free(plan);
    if (run->status != TRAWL_OK || trawl_searcher_stats(searcher, &stats, NULL) != TRAWL_OK)
        return;
    take_parts(&stats, built - begin, run);
    if (contestant->algorithm == NULL)
        take_own_parts(searcher, &stats, run);
}

static void run_command(const struct papers *papers, const struct contestant *contestant,
                        bool hash_all, struct run *run)
{
    const struct command_line *line = contestant->command;
    struct command command = {line->argument, NULL};
    struct outcome outcome;

    spawner_run(&papers->spawner, &command, hash_all, &outcome);
    run->seconds[PART_WHOLE] = outcome.seconds;
    if (outcome.status > 1) {
        run->status = TRAWL_UNSUPPORTED;
        snprintf(run->error.message, sizeof run->error.message, "%s ended with status %d",
                 line->argument[0], outcome.status);
        return;
    }
    run->right = !papers->options->falsify && outcome.status == line->status &&
                 outcome.output_bytes == line->output_bytes &&
                 outcome.head_hash == line->head_hash &&
                 (!hash_all || outcome.output_hash == line->output_hash);
}

/* ---- What becomes of it ------------------------------------------------------------------- */

static void out_of_race(struct papers *papers, const struct question *question,
                        const struct contestant *contestant, enum figure_state state,
                        const char *why)
{
    struct figure *figure = contestant->figure;

    figure->state = state;
    snprintf(figure->note, sizeof figure->note, "%s", why);
    if (state != FIGURE_WRONG && state != FIGURE_FAILED)
        return;
    printf("%s: %s: %s, %s: %s\n", state == FIGURE_WRONG ? "WRONG" : "FAILED", papers->paper->name,
           contestant->label, question->name, why);
    papers->wrong_count += state == FIGURE_WRONG;
    papers->failed_count += state == FIGURE_FAILED;
}

/* The text on the device before the time begins. */
static enum trawl_status load(const struct papers *papers, const struct question *question,
                              enum host host, struct trawl_error *error)
{
    bool on_device = host == HOST_GPU || host == HOST_GPU_OWN;

    if (!question->loaded || !on_device || papers->searcher[host] == NULL)
        return TRAWL_OK;
    return trawl_text_load(papers->searcher[host], question->handle, error);
}

static void unload(const struct papers *papers, const struct question *question)
{
    for (uint32_t host = HOST_GPU; host <= HOST_GPU_OWN && question->loaded; host++)
        if (papers->searcher[host] != NULL)
            trawl_text_unload(papers->searcher[host], question->handle);
}

/* After an error of the device only closing is left; what else there is to measure is not lost if
 * it opens again. */
static void take_error(struct papers *papers, const struct question *question,
                       const struct contestant *contestant, const struct run *run)
{
    bool refused = run->status == TRAWL_UNSUPPORTED || run->status == TRAWL_ARGUMENT ||
                   run->status == TRAWL_LIMIT;
    bool on_device = contestant->host == HOST_GPU || contestant->host == HOST_GPU_OWN;

    out_of_race(papers, question, contestant, refused ? FIGURE_REFUSED : FIGURE_FAILED,
                run->error.message);
    if (refused || !on_device)
        return;
    close_devices(papers);
    open_devices(papers);
    for (uint32_t host = HOST_GPU; host <= HOST_GPU_OWN; host++)
        if (load(papers, question, (enum host)host, NULL) != TRAWL_OK)
            close_devices(papers);
}

bool papers_run(struct papers *papers, const struct question *question,
                const struct contestant *contestant, bool first, double seconds[PARTS])
{
    struct figure *figure = contestant->figure;
    struct run run = {.status = TRAWL_OK};

    if (figure->state > FIGURE_MEASURED)
        return false;
    if (contestant->host == HOST_COMMAND)
        run_command(papers, contestant, first, &run);
    else if (contestant->host == HOST_FUNCTION)
        run.right = contestant->function(contestant->context, &run.seconds[PART_WHOLE]) &&
                    !papers->options->falsify;
    else
        run_library(papers, question, contestant, &run);
    if (run.status != TRAWL_OK) {
        take_error(papers, question, contestant, &run);
        return false;
    }
    if (contestant->host < HOST_COMMAND && papers->searcher[contestant->host] == NULL) {
        out_of_race(papers, question, contestant, FIGURE_NO_GPU, papers->no_device);
        return false;
    }
    papers->check_count++;
    if (!run.right) {
        out_of_race(papers, question, contestant, FIGURE_WRONG, "not the right answer");
        return false;
    }
    figure->state = FIGURE_MEASURED;
    figure->child_grids = run.child_grids;
    figure->child_spills = run.child_spills;
    figure->child_withheld = run.child_withheld;
    figure->chunks = run.chunks;
    figure->occurrences = run.occurrences;
    figure->answers = question->place_count;
    if (run.note[0] != '\0')
        snprintf(figure->note, sizeof figure->note, "%s", run.note);
    memcpy(seconds, run.seconds, sizeof run.seconds);
    return true;
}

/* A run that counts. */
static void run_and_keep(struct papers *papers, const struct question *question,
                         const struct contestant *contestant)
{
    double seconds[PARTS];

    if (papers_run(papers, question, contestant, false, seconds))
        figure_keep(contestant->figure, seconds);
}

/* The run before those that count. Where it alone takes longer than all may, it is the only one,
 * and a second one is not waited for. */
static void enter(struct papers *papers, const struct question *question,
                  const struct contestant *contestant, bool keeps)
{
    struct figure *figure = contestant->figure;
    struct trawl_error error = {0};
    double begin, seconds[PARTS];

    snprintf(figure->who, sizeof figure->who, "%s", contestant->label);
    snprintf(figure->on, sizeof figure->on, "%s", question->name);
    if (papers_late(papers)) {
        out_of_race(papers, question, contestant, FIGURE_LATE, "the time was up (--seconds)");
        return;
    }
    if (contestant->host == HOST_COMMAND && contestant->command->missing) {
        out_of_race(papers, question, contestant, FIGURE_MISSING, "not installed");
        return;
    }
    if (contestant->host == HOST_COMMAND && contestant->command->needs_gpu &&
        papers->searcher[HOST_GPU] == NULL) {
        out_of_race(papers, question, contestant, FIGURE_NO_GPU, papers->no_device);
        return;
    }
    if (load(papers, question, contestant->host, &error) != TRAWL_OK) {
        out_of_race(papers, question, contestant, FIGURE_FAILED, error.message);
        return;
    }
    begin = clock_seconds();
    if (!papers_run(papers, question, contestant, true, seconds))
        return;
    if (keeps && clock_seconds() - begin > papers->options->cell_seconds)
        run_and_keep(papers, question, contestant);
}

void papers_enter(struct papers *papers, const struct question *question, const struct race *race,
                  uint32_t runs, bool keeps)
{
    for (uint32_t i = 0; i < race->count; i++) {
        race->contestant[i].figure->runs = runs;
        enter(papers, question, &race->contestant[i], keeps);
    }
}

bool papers_wants_more(const struct papers *papers, const struct contestant *contestant)
{
    const struct figure *figure = contestant->figure;
    const struct samples *whole = &figure->part[PART_WHOLE];
    double spent = 0;

    if (figure->state != FIGURE_MEASURED || (whole->count > 0 && papers_late(papers)))
        return false;
    for (uint32_t i = 0; i < whole->count; i++)
        spent += whole->seconds[i] * figure->factor;
    return whole->count == 0 || spent < papers->options->cell_seconds;
}

void papers_warm(struct papers *papers, const struct question *question,
                 const struct contestant *contestant)
{
    double seconds[PARTS];

    if (contestant->host != HOST_COMMAND)
        (void)papers_run(papers, question, contestant, false, seconds);
}

void papers_race(struct papers *papers, const struct question *question, const struct race *race,
                 uint32_t runs)
{
    papers_enter(papers, question, race, runs, true);
    for (uint32_t run = 0; run < runs; run++)
        for (uint32_t place = 0; place < race->count; place++) {
            const struct contestant *contestant = &race->contestant[race_at(race, run, place)];

            if (contestant->figure->part[PART_WHOLE].count > run ||
                !papers_wants_more(papers, contestant))
                continue;
            papers_warm(papers, question, contestant);
            run_and_keep(papers, question, contestant);
        }
    unload(papers, question);
}

/* ---- Who takes part ----------------------------------------------------------------------- */

static struct contestant *race_add(struct papers *papers, struct race *race, enum host host,
                                   const char *label)
{
    struct contestant *contestant;

    if (race->count == RACE_MAX)
        fail("%s: more than %u contestants", papers->paper->name, RACE_MAX);
    contestant = &race->contestant[race->count++];
    memset(contestant, 0, sizeof *contestant);
    contestant->host = host;
    contestant->label = label;
    contestant->figure = paper_figure(papers->paper);
    contestant->figure->host = host;
    return contestant;
}

struct figure *race_library(struct papers *papers, struct race *race, enum host host,
                            const char *algorithm, const char *label)
{
    struct contestant *contestant = race_add(papers, race, host, label);

    contestant->algorithm = algorithm;
    contestant->figure->side = algorithm != NULL ? SIDE_PUBLISHED : SIDE_OWN;
    return contestant->figure;
}

struct figure *race_command(struct papers *papers, struct race *race,
                            const struct command_line *command, const char *label)
{
    struct contestant *contestant = race_add(papers, race, HOST_COMMAND, label);

    contestant->command = command;
    return contestant->figure;
}

struct figure *race_function(struct papers *papers, struct race *race,
                             bool (*function)(void *context, double *seconds), void *context,
                             const char *label)
{
    struct contestant *contestant = race_add(papers, race, HOST_FUNCTION, label);

    contestant->function = function;
    contestant->context = context;
    return contestant->figure;
}

uint32_t papers_others(const char *prefix, enum trawl_engine engine, const char *const *known,
                       uint32_t known_count, const char **names, uint32_t names_max)
{
    uint32_t count = 0;
    const char *name;

    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL)) != NULL; i++) {
        bool is_known = strncmp(name, prefix, strlen(prefix)) != 0 ||
                        (trawl_algorithm_engines(i) & 1u << engine) == 0;

        for (uint32_t k = 0; k < known_count && !is_known; k++)
            is_known = strcmp(name, known[k]) == 0;
        if (is_known)
            continue;
        if (count == names_max)
            fail("more than %u algorithms %s...", names_max, prefix);
        names[count++] = name;
    }
    return count;
}

/* Options are separated by blanks. */
static void command_write(struct command_line *line, const char *program, const char *options,
                          const char *pattern, const char *path)
{
    uint32_t count = 0;
    char *rest = line->options, *option;

    line->argument[count++] = program;
    snprintf(line->options, sizeof line->options, "%s", options);
    while ((option = strtok_r(rest, " ", &rest)) != NULL) {
        if (count + 4 > sizeof line->argument / sizeof line->argument[0])
            fail("too many options: %s", options);
        line->argument[count++] = option;
    }
    line->options_count = count - 1;
    line->argument[count++] = "-e";
    line->argument[count++] = pattern;
    line->argument[count++] = path;
    line->argument[count] = NULL;
}

void command_grep(const struct papers *papers, struct command_line *line, const char *options,
                  const char *pattern, const char *path)
{
    memset(line, 0, sizeof *line);
    line->missing = papers->grep_version[0] == '\0';
    command_write(line, "grep", options, pattern, path);
}

void command_trawl(const struct papers *papers, struct command_line *line, const char *options,
                   const char *pattern, const char *path)
{
    memset(line, 0, sizeof *line);
    line->missing = papers->command_version[0] == '\0';
    line->needs_gpu = strstr(options, "--engine=cuda") != NULL;
    command_write(line, papers->command_path, options, pattern, path);
}
