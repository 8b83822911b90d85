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

struct matrix_sink {
    int64_t *answer;
    uint64_t columns;
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

    memcpy(sink->answer + row_first * sink->columns, first,
           row_count * sink->columns * sizeof *first);
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
    double seconds;
    uint64_t copy_ns, kernel_ns, child_grids, child_spills;
};

static void ask(const struct papers *papers, const struct question *question,
                struct trawl_searcher *searcher, const struct trawl_plan *plan, struct run *run)
{
    struct matrix_sink sink = {question->answer, question->pattern_count};
    struct trawl_match match = {0, 0, 0};
    bool found = false;
    uint64_t count = 0;

    switch (question->kind) {
    case ASK_POSITIONS:
        run->status = trawl_positions_into(searcher, plan, question->handle, question->matches,
                                           question->place_count + 1, &count, &run->error);
        run->seconds = clock_seconds();
        run->right = positions_are_right(papers, question, count);
        return;
    case ASK_FIRST:
        run->status = trawl_first(searcher, plan, question->handle, &match, &found, &run->error);
        run->seconds = clock_seconds();
        run->right = first_is_right(papers, question, found, match.begin);
        return;
    case ASK_MATRIX:
        run->status =
            trawl_matrix(searcher, plan, question->records, take_rows, &sink, &run->error);
        run->seconds = clock_seconds();
        run->right = matrix_is_right(papers, question);
        return;
    }
}

/* The plan is built inside the time, as a program that was called with a pattern must. */
static void run_library(const struct papers *papers, const struct question *question,
                        const struct contestant *contestant, struct run *run)
{
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct trawl_stats stats = {.size = sizeof stats};
    struct trawl_searcher *searcher = papers->searcher[contestant->host];
    struct trawl_plan *plan = NULL;
    double begin = clock_seconds();

    options.algorithm = contestant->algorithm;
    run->status =
        trawl_plan_build(question->patterns, question->pattern_count, &options, &plan, &run->error);
    if (run->status != TRAWL_OK || searcher == NULL) {
        trawl_plan_free(plan);
        return;
    }
    if (question->kind == ASK_MATRIX)
        memset(question->answer, 0x55, /* of no right answer, so that nothing old counts */
               question->records->record_count * question->pattern_count * sizeof(int64_t));
    ask(papers, question, searcher, plan, run);
    run->seconds -= begin;
    trawl_plan_free(plan);
    if (run->status != TRAWL_OK || trawl_searcher_stats(searcher, &stats, NULL) != TRAWL_OK)
        return;
    run->copy_ns = stats.device_copy_ns;
    run->kernel_ns = stats.device_kernel_ns;
    run->child_grids = stats.child_grids;
    run->child_spills = stats.child_spills;
}

static void run_command(const struct papers *papers, const struct contestant *contestant,
                        bool hash_all, struct run *run)
{
    const struct command_line *line = contestant->command;
    struct outcome outcome;

    spawner_run(&papers->spawner, line->argument, hash_all, &outcome);
    run->seconds = outcome.seconds;
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

static void keep(struct figure *figure, const struct run *run)
{
    samples_add(&figure->whole, run->seconds);
    if (run->copy_ns > 0)
        samples_add(&figure->copy, (double)run->copy_ns * 1e-9);
    if (run->kernel_ns > 0)
        samples_add(&figure->kernel, (double)run->kernel_ns * 1e-9);
    figure->child_grids = run->child_grids;
    figure->child_spills = run->child_spills;
}

bool papers_run(struct papers *papers, const struct question *question,
                const struct contestant *contestant, bool kept)
{
    struct figure *figure = contestant->figure;
    struct run run = {.status = TRAWL_OK};

    if (figure->state > FIGURE_MEASURED)
        return false;
    if (contestant->host == HOST_COMMAND)
        run_command(papers, contestant, !kept, &run);
    else if (contestant->host == HOST_FUNCTION)
        run.right =
            contestant->function(contestant->context, &run.seconds) && !papers->options->falsify;
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
    if (kept)
        keep(figure, &run);
    return true;
}

/* The run before those that count. Where it alone takes longer than all may, it is the only one,
 * and a second one is not waited for. */
static void enter(struct papers *papers, const struct question *question,
                  const struct contestant *contestant)
{
    struct figure *figure = contestant->figure;
    struct trawl_error error = {0};
    double begin;

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
    if (!papers_run(papers, question, contestant, false))
        return;
    if (clock_seconds() - begin > papers->options->cell_seconds)
        (void)papers_run(papers, question, contestant, true);
}

void papers_enter(struct papers *papers, const struct question *question, const struct race *race)
{
    for (uint32_t i = 0; i < race->count; i++)
        enter(papers, question, &race->contestant[i]);
}

bool papers_wants_more(const struct papers *papers, const struct contestant *contestant)
{
    const struct figure *figure = contestant->figure;
    double spent = 0;

    if (figure->state != FIGURE_MEASURED || (figure->whole.count > 0 && papers_late(papers)))
        return false;
    for (uint32_t i = 0; i < figure->whole.count; i++)
        spent += figure->whole.seconds[i];
    return figure->whole.count == 0 || spent < papers->options->cell_seconds;
}

void papers_race(struct papers *papers, const struct question *question, const struct race *race,
                 uint32_t runs)
{
    papers_enter(papers, question, race);
    for (uint32_t run = 0; run < runs; run++)
        for (uint32_t i = 0; i < race->count; i++) {
            const struct contestant *contestant = &race->contestant[i];

            if (contestant->figure->whole.count <= run && papers_wants_more(papers, contestant))
                (void)papers_run(papers, question, contestant, true);
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
    return contestant;
}

struct figure *race_library(struct papers *papers, struct race *race, enum host host,
                            const char *algorithm, const char *label)
{
    struct contestant *contestant = race_add(papers, race, host, label);

    contestant->algorithm = algorithm;
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

/* Options are parted by blanks. */
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
