/* commands: whole processes, timed from their start to wait: trawl, grep -F, rg -F, ugrep -F on
 * warm files.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/contest.h"
#include "bench/spawner.h"

#define ARGUMENTS_MAX 24
#define OPTION_BYTES 64

/* An argument list being written. */
struct line {
    const char *argument[ARGUMENTS_MAX];
    uint32_t count;
    char options[OPTION_BYTES]; /* split in place */
    char threads[16];
};

struct run {
    const struct options *options;
    struct spawner spawner;
    char command_path[PATH_MAX];
    struct files files;
    struct contest_results results;
    int wrong_count;
};

static void add(struct line *line, const char *argument)
{
    if (line->count + 1 >= ARGUMENTS_MAX)
        fail("too many arguments");
    line->argument[line->count++] = argument;
    line->argument[line->count] = NULL;
}

static void add_options(struct line *line, const char *options)
{
    char *rest = line->options, *option;

    snprintf(line->options, sizeof line->options, "%s", options);
    while ((option = strtok_r(rest, " ", &rest)) != NULL)
        add(line, option);
}

/* The arguments that only this program needs, so that all do the same. */
static void add_program(struct line *line, const struct run *run, const struct contest *contest,
                        enum runner runner)
{
    switch (runner) {
    case RUNNER_TRAWL:
        add(line, run->command_path);
        if (contest->threads != NULL) {
            snprintf(line->threads, sizeof line->threads, "-j%s", contest->threads);
            add(line, line->threads);
        }
        if (contest->file == FILE_TREE)
            add(line, "-r");
        if (contest->ignores)
            add(line, "--ignore");
        return;
    case RUNNER_GREP:
        add(line, "grep");
        add(line, contest->file == FILE_TREE ? "-rF" : "-F");
        return;
    case RUNNER_UGREP:
        add(line, "ugrep");
        add(line, contest->file == FILE_TREE ? "-rF" : "-F");
        return;
    default:
        add(line, "rg");
        add(line, "-F");
        add(line, "--no-config");
        add(line, "--include-zero"); /* -c of a file without a match prints 0, as grep does */
        if (runner == RUNNER_RG_READ)
            add(line, "--no-mmap");
        if (contest->file == FILE_TREE && !contest->ignores)
            add(line, "-uuu");
        return;
    }
}

static void write_line(struct line *line, const struct run *run,
                       const struct contest_result *result, enum runner runner)
{
    const struct contest *contest = result->contest;

    line->count = 0;
    if (runner == RUNNER_CAT || runner == RUNNER_WC) {
        add(line, runner == RUNNER_CAT ? "cat" : "wc");
        if (runner == RUNNER_WC)
            add(line, "-c");
        return;
    }
    add_program(line, run, contest, runner);
    add_options(line, contest->options);
    add(line, "-e");
    add(line, result->pattern);
    add(line, contest->fed ? "-" : run->files.path[contest->file]);
}

static void run_once(const struct run *run, const struct contest_result *result, enum runner runner,
                     bool hash_all, struct outcome *outcome)
{
    const char *const cat[] = {"cat", run->files.path[result->contest->file], NULL};
    struct line line;
    struct command command = {line.argument, result->contest->fed ? cat : NULL};

    write_line(&line, run, result, runner);
    spawner_run(&run->spawner, &command, hash_all, outcome);
    if (outcome->status > 1)
        fail("%s ended with status %d (%s)", line.argument[0], outcome->status,
             result->contest->name);
}

static void report_wrong(struct run *run, const struct contest_result *result, const char *what)
{
    printf("WRONG: %s: %s\n", result->contest->name, what);
    run->wrong_count++;
}

/* ripgrep prints the files of a tree in no order, so there its lines are compared as a bag. */
static bool same_answer(const struct contest *contest, enum runner runner,
                        const struct outcome *outcome, const struct outcome *right)
{
    enum runner judge = contest_judge(contest);
    bool ordered = contest->file != FILE_TREE || (runner <= RUNNER_GREP && judge == RUNNER_GREP);

    return outcome->status == right->status && outcome->output_bytes == right->output_bytes &&
           outcome->lines_hash == right->lines_hash &&
           (!ordered || outcome->output_hash == right->output_hash);
}

/* The run before the timed ones: the file is in the cache after it, and every byte of the answer
 * has been compared with the judge's. */
static void warm_up(struct run *run, struct contest_result *result, enum runner runner)
{
    struct runner_result *it = &result->runner[runner];
    const struct outcome *right = &result->runner[contest_judge(result->contest)].outcome;
    bool answers = runner != RUNNER_CAT && runner != RUNNER_WC;

    run_once(run, result, runner, true, &it->outcome);
    it->ran = true;
    it->same_answer = !answers || same_answer(result->contest, runner, &it->outcome, right);
    if (runner != RUNNER_TRAWL)
        return;
    if (run->options->falsify)
        it->same_answer = false;
    if (!it->same_answer)
        report_wrong(run, result,
                     result->contest->ignores ? "trawl's answer is not ripgrep's"
                                              : "trawl's answer is not grep's");
}

static void time_once(struct run *run, struct contest_result *result, enum runner runner)
{
    struct runner_result *it = &result->runner[runner];
    struct outcome outcome;

    run_once(run, result, runner, false, &outcome);
    samples_add(&it->samples, outcome.seconds);
    if (outcome.memory_bytes > it->memory_bytes)
        it->memory_bytes = outcome.memory_bytes;
    if (runner == RUNNER_TRAWL &&
        (outcome.head_hash != it->outcome.head_hash ||
         outcome.output_bytes != it->outcome.output_bytes || outcome.status != it->outcome.status))
        report_wrong(run, result, "trawl's answer changed from run to run");
}

static void run_contest(struct run *run, const struct contest *contest)
{
    struct contest_result *result = &run->results.result[run->results.count++];
    enum runner judge = contest_judge(contest);
    uint32_t runners = contest->runners | RUNNER_BIT(TRAWL) | 1u << judge;
    uint32_t rounds = contest->file == FILE_SMALL ? run->options->small_runs : run->options->rounds;

    if (contest->threads == NULL && !contest->fed && !contest->ignores)
        runners |= RUNNER_BIT(UGREP);
    memset(result, 0, sizeof *result);
    result->contest = contest;
    files_make(&run->files, run->options, contest->file);
    result->text_bytes = run->files.bytes[contest->file];
    if (contest->pattern != NULL)
        snprintf(result->pattern, sizeof result->pattern, "%s", contest->pattern);
    else
        files_pattern(&run->files, contest->file, contest->pattern_bytes, result->pattern);
    if (run->results.versions[judge][0] == '\0') /* no ripgrep: nobody reads ignore files */
        return;
    warm_up(run, result, judge); /* first: the others are compared with it */
    for (uint32_t i = 0; i < RUNNERS; i++)
        if (i != (uint32_t)judge && (runners >> i & 1) != 0 && run->results.versions[i][0] != '\0')
            warm_up(run, result, (enum runner)i);
    for (uint32_t round = 0; round < rounds && run->wrong_count == 0; round++)
        for (uint32_t i = 0; i < RUNNERS; i++)
            if (result->runner[(i + round) % RUNNERS].ran)
                time_once(run, result, (enum runner)((i + round) % RUNNERS));
    if (run->wrong_count == 0)
        contest_report_row(result);
}

static void find_versions(struct run *run)
{
    static const char *const programs[RUNNERS] = {NULL, "grep", "rg", "rg", "ugrep", "cat", "wc"};

    for (uint32_t i = 0; i < RUNNERS; i++) {
        const char *const line[] = {i == RUNNER_TRAWL ? run->command_path : programs[i],
                                    "--version", NULL};
        char *version = run->results.versions[i];

        if (!process_first_line(line, version, sizeof run->results.versions[i]))
            version[0] = '\0';
    }
    if (run->results.versions[RUNNER_TRAWL][0] == '\0')
        fail("%s does not run (--command names the command to time)", run->command_path);
    if (run->results.versions[RUNNER_GREP][0] == '\0')
        fail("grep does not run: there is nothing to compare with");
}

/* Copy the command as an installation would, like the programs it is compared with. A file that a
 * linker has written here and there lies in small parts of the page cache: starting it takes 4 %
 * longer. */
static void install(struct run *run)
{
    uint64_t count = 0, room = 64 << 20;
    uint8_t *bytes = (uint8_t *)allocate(room);
    FILE *file = fopen(run->command_path, "rb");
    const char *path;

    if (file != NULL)
        count = fread(bytes, 1, room, file);
    if (file == NULL || count == room || ferror(file))
        fail("%s cannot be copied", run->command_path);
    fclose(file);
    path = files_write(&run->files, "trawl", bytes, count);
    if (chmod(path, 0755) != 0)
        fail("%s: %s", path, strerror(errno));
    snprintf(run->command_path, sizeof run->command_path, "%s", path);
    free(bytes);
}

static void open_run(struct run *run, const struct options *options)
{
    char folder[PATH_MAX - 16];

    memset(run, 0, sizeof *run);
    run->options = options;
    machine_program_folder(folder, sizeof folder);
    if (options->command_path != NULL)
        snprintf(run->command_path, sizeof run->command_path, "%s", options->command_path);
    else
        snprintf(run->command_path, sizeof run->command_path, "%s/trawl", folder);
    setenv("LC_ALL", "C", 1);
    unsetenv("GREP_COLORS");
    spawner_open(&run->spawner);
    find_versions(run);
    files_open(&run->files, options->directory != NULL ? options->directory : folder);
    if (options->command_path == NULL)
        install(run);
    run->results.files = &run->files;
    run->results.result =
        (struct contest_result *)allocate(contest_count * sizeof *run->results.result);
}

int bench_commands(const struct options *options)
{
    static struct run run;
    struct machine machine;

    open_run(&run, options);
    machine_describe(options, &machine);
    machine_print(&machine, options, stdout, "");
    contest_report_begin(&run.results);
    for (uint32_t i = 0; i < contest_count && run.wrong_count == 0; i++)
        if (options_wants(options, contests[i].name))
            run_contest(&run, &contests[i]);
    if (run.results.count == 0)
        fail("no row has a name that contains '%s'", options->filter);
    if (run.wrong_count == 0) {
        contest_report_json(&run.results, &machine, options);
        contest_report_markdown(&run.results, &machine, options);
    }
    files_close(&run.files);
    spawner_close(&run.spawner);
    free(run.results.result);
    return run.wrong_count == 0 ? 0 : 1;
}
