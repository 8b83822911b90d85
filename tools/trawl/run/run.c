/* run: carries out a search, from settings to exit status.
 *
 * main.c calls run_job for a command line, and the server's response.c for a request; both have
 * parsed the arguments. run_job collects the strings, builds the plan, walks the files (pool.c) and
 * prints what belongs at the end. Files may come from directories, from standard input, or from
 * job->supply.
 */
#include "trawl/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trawl/text/command_clock.h"
#include "trawl/files/exclude.h"
#include "trawl/files/file_filter.h"
#include "trawl/options/encoding.h"
#include "trawl/print/function.h"
#include "trawl/print/json.h"
#include "trawl/text/message.h"
#include "trawl/run/conditions.h"
#include "trawl/run/pool.h"
#include "trawl/run/pre.h"
#include "trawl/job/progress.h"
#include "trawl/job/searchers.h"
#include "trawl/text/sizes.h"
#include "trawl/print/reports.h"
#include "trawl/run/search_file.h"
#include "trawl/run/units.h"

#define OPEN_LEVELS \
    SIZE_OR_SMALL(32u, 3u) /* maximum number of directories that --files keeps open */

static void print_usage_hint(const struct settings *settings)
{
    fprintf(stderr,
            "%s: no pattern was given\n"
            "Usage: %s [OPTION]... PATTERNS [%s]..." MESSAGE_HELP "\n",
            message_name, message_name, settings->is_tg ? "PATH" : "FILE", message_name);
}

/* Reports a failed write. Returns the exit status. */
static int report_write(struct command_job *job)
{
    if (job->output->error == 0 || message_is_unread(job->output))
        return job->error_seen ? EXIT_ERROR : EXIT_SELECTED;
    job_message(job, "write error: %s", strerror(job->output->error));
    return EXIT_ERROR;
}

/* Returns the exit status of a job that has ended; reports a failed write. */
static int exit_status(struct command_job *job)
{
    if (job->output->error != 0)
        return report_write(job);
    if (job->selected && job->settings->stop_at_first_file)
        return EXIT_SELECTED;
    return job->error_seen ? EXIT_ERROR : job->selected ? EXIT_SELECTED : EXIT_NOT_SELECTED;
}

/* Prints the library's description of the plan. Returns the exit status. */
static int explain(struct command_job *job)
{
    const struct trawl_plan *plan = job->patterns->plan;
    uint64_t bytes = 0;
    char *lines = NULL;
    int status = EXIT_ERROR;

    if (trawl_plan_explain(plan, NULL, 0, &bytes, NULL) == TRAWL_OK)
        lines = malloc((size_t)bytes);
    if (lines != NULL && trawl_plan_explain(plan, lines, bytes, &bytes, NULL) == TRAWL_OK) {
        output_text(job->output, lines);
        status = run_end_document(job);
    } else {
        job_fail(job, MESSAGE_EXHAUSTED);
    }
    free(lines);
    return status;
}

/* Prints how many bytes each method searched. */
static void print_methods(const struct job_totals *totals)
{
    static const char *const names[TRAWL_METHODS_COUNT] = {
#define METHOD_NAME(name, number, text) [number] = text,
        TRAWL_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
    };
    const char *before = "methods: ";

    for (uint32_t i = TRAWL_METHOD_AUTO + 1; i < TRAWL_METHODS_COUNT; i++) {
        if (totals->sums.method_bytes[i] == 0)
            continue;
        fprintf(stderr, "%s%s %" PRIu64, before, names[i], totals->sums.method_bytes[i]);
        before = ", ";
    }
    if (before[0] == ',')
        fputs(" bytes\n", stderr);
}

/* Prints the ways in which the search looked for expressions. */
static void print_ways(const struct job_totals *totals)
{
    for (uint32_t i = 0; i < TRAWL_WAYS_KEPT && totals->ways[i].name != NULL; i++) {
        const struct trawl_way *way = &totals->ways[i];

        fprintf(stderr, "%s  %s", i == 0 ? "ways:\n" : "", way->name);
        if (way->what[0] != '\0')
            fprintf(stderr, "%s %s", way->what[0] == '"' ? "" : " in lines with", way->what);
        fprintf(stderr, ": %" PRIu64 " bytes", way->bytes);
        if (way->read_bytes != way->bytes)
            fprintf(stderr, ", %" PRIu64 " read", way->read_bytes);
        if (way->asks > 0)
            fprintf(stderr, ", asked %" PRIu64 " times", way->asks);
        if (way->ns > 0)
            fprintf(stderr, ", %.6f seconds", (double)way->ns * 1e-9);
        fprintf(stderr, "\n");
    }
}

/* Prints how often the search changed its method, and the last changes. */
static void print_changes(const struct job_totals *totals)
{
    const uint64_t count = totals->sums.change_count;
    uint64_t at = count > TRAWL_CHANGES_KEPT ? count - TRAWL_CHANGES_KEPT : 0;

    if (count > 0)
        fprintf(stderr, "changes: %" PRIu64 "%s\n", count, at > 0 ? ", the last of which:" : "");
    for (; at < count; at++) {
        const struct job_method_change *change = &totals->changes[at % TRAWL_CHANGES_KEPT];

        fprintf(stderr, "  %s%sbyte %" PRIu64 ": %s (%.3f ns per byte) to %s (%.3f): %s\n",
                change->name, change->name[0] != '\0' ? ", " : "", change->of.offset,
                change->of.before, change->of.before_ns, change->of.after, change->of.after_ns,
                change->of.why);
    }
}

/* Prints the phases of a published algorithm on devices; other searches have none. */
static void print_device(const struct job_sums *sums)
{
    if (sums->device_kernel_ns == 0)
        return;
    fprintf(stderr, "seconds of device copies: %.6f (%.6f to devices, %.6f back)\n",
            (double)sums->device_copy_ns * 1e-9,
            (double)(sums->device_copy_ns - sums->device_back_ns) * 1e-9,
            (double)sums->device_back_ns * 1e-9);
    fprintf(stderr, "seconds of device kernels: %.6f", (double)sums->device_kernel_ns * 1e-9);
    if (sums->device_shifts_ns != 0)
        fprintf(stderr, " (%.6f of them follow the shifts)", (double)sums->device_shifts_ns * 1e-9);
    fprintf(stderr, "\nseconds of sorting and verifying what devices found: %.6f\n",
            (double)sums->device_host_ns * 1e-9);
}

/* Prints what was not searched, unless that is nothing. */
static void print_skipped(const struct command_job *job)
{
    struct job_skipped skipped[JOB_SKIPPED_COUNT];
    const char *before = "not searched: ";

    job_skipped(job, skipped);
    for (size_t i = 0; i < JOB_SKIPPED_COUNT; i++)
        if (skipped[i].count > 0) {
            fprintf(stderr, "%s%s %" PRIu64, before, skipped[i].why, skipped[i].count);
            before = ", ";
        }
    if (before[0] == ',')
        fputc('\n', stderr);
}

/* Prints the --stats lines on standard error. */
static void print_stats(const struct command_job *job)
{
    const struct job_totals *totals = &job->totals;
    double seconds = (double)totals->sums.search_ns * 1e-9;

    fprintf(stderr,
            "files: %" PRIu64 "\nselected: %" PRIu64 "\nbytes: %" PRIu64 "\noccurrences: %" PRIu64
            "\ncandidates: %" PRIu64 "\nseconds: %.6f\nGB/s: %.2f\nthreads: %u\n"
            "workers: %u\nelapsed: %.6f\nchunks: %" PRIu64 " (%" PRIu64
            " by devices)\nengine: %s\n",
            totals->sums.file_count, totals->sums.selected_count, totals->sums.text_bytes,
            totals->sums.match_count, totals->sums.candidate_count, seconds,
            seconds > 0 ? (double)totals->sums.text_bytes * 1e-9 / seconds : 0.0,
            totals->thread_count, totals->worker_count, (double)totals->elapsed_ns * 1e-9,
            totals->sums.chunk_count, totals->sums.device_chunk_count, totals->engine);
    print_skipped(job);
    print_methods(totals);
    print_ways(totals);
    print_changes(totals);
    if (totals->instruction_set[0] != '\0')
        fprintf(stderr, "instruction set: %s\n", totals->instruction_set);
    print_device(&totals->sums);
    if (totals->sums.child_grids != 0)
        fprintf(stderr, "child grids: %" PRIu64 "\n", totals->sums.child_grids);
    if (totals->sums.child_spills != 0)
        fprintf(stderr, "child grids refused: %" PRIu64 "\n", totals->sums.child_spills);
    if (totals->sums.child_withheld != 0)
        fprintf(stderr, "child grids left out: %" PRIu64 "\n", totals->sums.child_withheld);
    if (totals->note[0] != '\0')
        fprintf(stderr, "note: %s\n", totals->note);
}

int run_end_document(struct command_job *job)
{
    output_flush(job->output);
    return report_write(job);
}

/* Called if no file was searched. For `tg`, that is an error if the command line names no FILE, as
 * in ripgrep. Otherwise there is a message only if rules skipped files. */
static void report_no_file(struct command_job *job, size_t operand_count)
{
    const struct settings *settings = job->settings;
    bool fails = settings->is_tg && operand_count == 0, left_out = job->left_out;

    for (enum tree_left i = LEFT_NOT + 1; i < LEFT_EXCLUDED; i++)
        left_out |= job->left[i] > 0;
    if ((fails || (left_out && !job->selected && !settings->quiet)) && !settings->no_messages)
        job_message(job, "no files were searched%s",
                    left_out ? ": rules left all of them out; --debug says which" : "");
    job->error_seen = job->error_seen || fails;
}

/* Opens a searcher if the engine is CUDA, and the counts for --count-by-pattern. Then searches the
 * operands' files, and prints what belongs at the end, such as sums. Returns the exit status. */
static int run_operands(struct command_job *job, const struct value_item *operands,
                        size_t operand_count, char *message)
{
    const struct settings *settings = job->settings;
    const bool is_timed = settings->stats || settings->json;
    const bool at_terminal = settings->surroundings.output_is_terminal;
    struct output_limit limit = {.left = settings->max_output,
                                 .line_end = settings->null_data ||
                                                     (settings->report->prints == PRINTS_NAME &&
                                                      settings->heads.null_after_name)
                                                 ? '\0'
                                                 : '\n'};
    uint64_t begin_ns = is_timed ? now_ns() : 0;
    bool good = searchers_engine(settings, job->patterns) != TRAWL_ENGINE_CUDA ||
                searchers_open(job, false, &job->searcher, message);

    if (good && settings->report->prints == PRINTS_TABLE)
        good = string_counts_open(job, message);
    if (settings->heads.file_names != 0 || operand_count > 1)
        job->show_names = settings->heads.file_names >= 0 ? 1 : 0;
    else
        job->show_names = walk_recurses(settings) ? -1 : 0;
    if (units_fit(job))
        job->search_units = units_search;
    if (settings->max_output < UINT64_MAX)
        job->output->limit = &limit;
    if (good && job->supply == NULL && /* a server has no terminal */
        (settings->progress > 0 || (settings->progress == 0 && !at_terminal)))
        /* if texts are decompressed or converted, only the original size is known */
        progress_open(!settings->search_zip &&
                          (settings->encoding == NULL || strcmp(settings->encoding, "auto") == 0),
                      at_terminal, operands, operand_count);
    if (good)
        good = pool_walk(job, operands, operand_count, NULL, message);
    progress_close();
    if (good && job->string_counts != NULL)
        string_counts_print(job);
    output_end_limit(job->output);
    job->truncated |= limit.reached;
    if (is_timed)
        job->totals.elapsed_ns = now_ns() - begin_ns;
    if (settings->json && settings->report->prints == PRINTS_TEXT)
        json_summary(job);
    output_flush(job->output);
    if (job->truncated && !settings->no_messages && !settings->quiet)
        job_message(job, "the search ended at --max-%s: there may be more",
                    limit.reached ? "output" : "total");
    if (good && settings->stats)
        print_stats(job);
    if (good && job->totals.sums.file_count == 0 && !job->has_searched && !job->error_seen)
        report_no_file(job, operand_count);
    if (!good) {
        job_fail(job, message);
        return EXIT_ERROR;
    }
    if (!job->selected && !settings->quiet && !settings->no_messages) {
        if (patterns_hint(job->patterns, settings, message))
            job_fail(job, message);
        if (job->supply == NULL && !job->error_seen)
            patterns_hint_files(settings, operands, operand_count);
    }
    return exit_status(job);
}

/* Returns true if no line can be selected. Then no file is opened, as in grep. With -v, grep
 * notices this only if there is nothing but the empty string, without -w and -x; ripgrep never
 * does. For -L, trawl continues and prints the names; tg, like ripgrep, names no file. */
static bool is_decided(const struct settings *settings, const struct patterns *patterns)
{
    bool inverted_all = settings->invert && !settings->is_tg && patterns->has_empty &&
                        !patterns->has_never && patterns->count == 0 && !settings->whole_lines &&
                        !settings->words;

    const bool without_reading = settings->asked.max_count_given == 0 || patterns->none_given;

    if (settings->list == LIST_WITHOUT_MATCH && settings->report->prints != PRINTS_NOTHING)
        return settings->is_tg && without_reading;
    return without_reading || inverted_all;
}

/* Turns a search with -v but without strings into one for the empty string without -v, which
 * selects every line, too. grep does the same, as its groups of lines show. */
static void take_all_lines(struct settings *settings, struct patterns *patterns)
{
    patterns->none_given = false;
    if (settings->fasta) /* all records, of which none has an occurrence */
        return;
    settings->invert = false;
    settings->words = false;
    settings->whole_lines = false;
    patterns->has_empty = true;
}

static void warn_of_old_color(struct command_job *job)
{
    const struct colors *colors = &job->settings->colors;
    const char *old = job->settings->surroundings.grep_color;

    if (old != NULL && (colors->selected_match == old || colors->context_match == old))
        job_message(job, "warning: GREP_COLOR='%s' is deprecated; use GREP_COLORS='mt=%s'", old,
                    old);
}

/* Returns true if the operands are one file, or none and standard input is searched. */
static bool is_one_file(const struct settings *settings, const struct value_item *operands,
                        size_t operand_count)
{
    const bool recurses = walk_recurses(settings);
    struct stat status;

    if (operand_count == 0)
        return !recurses || walk_reads_input(settings, operands, 0) > 0;
    return operand_count == 1 &&
           !(recurses && stat(operands[0].text, &status) == 0 && S_ISDIR(status.st_mode));
}

/* Warns of an operand that is the pattern because each -e and -f belongs to --and or --andnot. */
static void warn_of_operand(struct command_job *job)
{
    const struct value_list *given = &job->settings->patterns;
    const char *operand = job->settings->operands.items[0].text;
    struct stat status;
    size_t others = 0;

    for (size_t i = 0; i < given->count; i++)
        others += given->items[i].kind != VALUE_AND && given->items[i].kind != VALUE_ANDNOT;
    if (others > 0 && !job->settings->no_messages && stat(operand, &status) == 0)
        job_message(job, "warning: '%s' is the pattern: -e and -f after --and or --andnot are its",
                    operand);
}

/* Gathers the strings, builds the plan and searches. The options are valid. */
static int run(struct command_job *job, struct settings *settings, char *message)
{
    bool pattern_is_operand = settings->patterns.count == 0 ||
                              settings->patterns.items[0].kind == VALUE_AND ||
                              settings->patterns.items[0].kind == VALUE_ANDNOT;
    const struct value_item *operands = settings->operands.items;
    size_t operand_count = settings->operands.count;

    if (pattern_is_operand && operand_count == 0) {
        print_usage_hint(settings);
        return EXIT_ERROR;
    }
    if (pattern_is_operand)
        warn_of_operand(job);
    if ((settings->filters.count > 0 &&
         !exclude_open(&job->exclude, &settings->filters, message)) ||
        !conditions_open(job, settings, pattern_is_operand ? operands : NULL, message) ||
        !patterns_gather(job->patterns, settings,
                         settings->patterns.count == 0 ? operands[0].text : NULL, message)) {
        job_fail(job, message);
        return EXIT_ERROR;
    }
    conditions_warn(job, job->patterns);
    if (pattern_is_operand) {
        operands++;
        operand_count--;
    }
    if (settings->amplicon.end > 0 && job->patterns->column_count > 2 && !settings->asked.rules) {
        job_message(job, "--amplicon takes two strings, the primers");
        return EXIT_ERROR;
    }
    if (settings->paired != NULL && !is_one_file(settings, operands, operand_count)) {
        job_message(job, "--paired needs a single file to search");
        return EXIT_ERROR;
    }
    if (settings->is_tg &&
        walk_lists_of_input(settings) + walk_reads_input(settings, operands, operand_count) > 1) {
        job_message(job, "'-' is given more than once: standard input can be read only once");
        return EXIT_ERROR;
    }
    if (job->patterns->none_given && settings->invert)
        take_all_lines(settings, job->patterns);
    if (is_decided(settings, job->patterns) && !settings->document.explain)
        return EXIT_NOT_SELECTED;
    if (!patterns_plan(job->patterns, settings, settings->whole_lines, &job->patterns->plan,
                       message) ||
        (settings->function != FUNCTION_NONE && !function_plan(job->patterns, message))) {
        job_fail(job, message);
        return EXIT_ERROR;
    }
    if (settings->document.explain)
        return explain(job);
    if (settings->colors.on && !settings->is_tg)
        warn_of_old_color(job);
    return job->supply != NULL && job->supply->run != NULL
               ? job->supply->run(job->supply->context, job, operands, operand_count)
               : run_operands(job, operands, operand_count, message);
}

/* Reports a broken link, as a search does. */
static void report_broken(struct command_job *job, const struct walk_item *item)
{
    int directory = item->directory != NULL ? item->directory->descriptor : AT_FDCWD;
    struct stat status;

    if (fstatat(directory, item->name + item->open_at, &status, 0) != 0)
        job_file_error(job, item->name, errno);
}

/* Returns true if a search would skip the file. */
static bool is_skipped(const struct walk *walk, const struct walk_item *item)
{
    if (item->kind == WALK_INPUT || !item->is_operand)
        return false;
    return walk_skips_operand(walk, item->name, false) ||
           (item->type != DT_REG && walk_skips_special_files(walk->job->settings, true));
}

/* Prints the names of the files that would be searched. */
static void print_names(struct command_job *job, const struct value_item *operands,
                        size_t operand_count)
{
    bool quiet = job->settings->quiet;
    struct walk_item item;
    struct walk walk;

    walk_open(&walk, job, operands, operand_count, OPEN_LEVELS);
    while (!(job->selected && quiet) && job->output->error == 0 && walk_next(&walk, &item)) {
        if (item.kind != WALK_FILE && item.kind != WALK_INPUT) {
            walk_report(job, &item);
        } else if (item.kind == WALK_FILE && !item.is_operand && item.type == DT_UNKNOWN) {
            report_broken(job, &item);
        } else if (!is_skipped(&walk, &item)) {
            job->selected = true;
            if (!quiet)
                search_file_name(job, item.name);
        }
    }
    walk_close(&walk);
    output_flush(job->output);
}

/* Handles --files, which takes no strings. */
static int list_files(struct command_job *job, struct settings *settings, char *message)
{
    if (settings->files.directories == DIRECTORIES_READ)
        settings->files.directories = DIRECTORIES_RECURSE;
    if (settings->filters.count > 0 && !exclude_open(&job->exclude, &settings->filters, message)) {
        job_fail(job, message);
        return EXIT_ERROR;
    }
    print_names(job, settings->operands.items, settings->operands.count);
    return exit_status(job);
}

/* Whatever list_files or run opens is closed here, even after an error. */
int run_job(struct command_job *job, struct settings *settings)
{
    struct patterns patterns = {0};
    const struct file_settings *files = &settings->files;
    char message[SETTINGS_ERROR_BYTES];
    int status = EXIT_ERROR;
    bool good;

    job->settings = settings;
    job->patterns = &patterns;
    good = settings_build(settings, message);
    if (good && settings->heads.unix_offsets)
        job_message(job, "warning: --unix-byte-offsets (-u) is obsolete");
    if (good && (files->filtering || files->hidden < 0 || files->rules.count > 0))
        good = filter_open(&job->filter, settings, job->supply != NULL, message);
    good = good && pre_open(job, message);
    if (!good)
        job_fail(job, message);
    else if (files->names_only)
        status = list_files(job, settings, message);
    else
        status = run(job, settings, message);
    if (job->string_counts != NULL)
        string_counts_close(job);
    if (job->searcher != NULL)
        trawl_searcher_close(job->searcher);
    if (job->exclude != NULL)
        exclude_close(job->exclude);
    if (job->filter != NULL)
        filter_close(job->filter);
    filter_close(job->pre_globs);
    conditions_close(job);
    patterns_free(&patterns);
    return status;
}
