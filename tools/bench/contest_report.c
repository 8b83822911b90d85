/* contest_report: the results of `trawl-bench commands` as a table, as JSON and as Markdown. */
#include <inttypes.h>
#include <string.h>

#include "bench/contest.h"

#define MIB (1u << 20)

static double median(const struct contest_result *result, uint32_t runner)
{
    return samples_median(&result->runner[runner].samples);
}

static double speed(const struct contest_result *result, uint32_t runner)
{
    double seconds = median(result, runner);

    return seconds > 0 ? (double)result->text_bytes / seconds : 0;
}

/* "0.12345", "-" if it did not run, "0.12345?" if its answer differs from grep's. */
static const char *cell(const struct contest_result *result, uint32_t runner, char text[32])
{
    const struct runner_result *it = &result->runner[runner];

    if (!it->ran)
        snprintf(text, 32, "-");
    else
        snprintf(text, 32, "%.5f%s", median(result, runner), it->same_answer ? "" : "?");
    return text;
}

/* ---- The terminal ------------------------------------------------------------------------- */

void contest_report_begin(const struct contest_results *results)
{
    for (uint32_t i = 0; i < RUNNERS; i++)
        printf("%s: %s\n", runner_labels[i],
               results->versions[i][0] != '\0' ? results->versions[i] : "not installed, skipped");
    printf("\nseconds by the median; ?: another answer than grep's, so not counted\n\n%-27s",
           "row");
    for (uint32_t i = 0; i < RUNNERS; i++)
        printf(" %12s", runner_labels[i]);
    printf(" | %6s %4s %6s | %6s %s\n", "GB/s", "+-%", "MiB", "ratio", "bar");
}

void contest_report_row(const struct contest_result *result)
{
    const struct runner_result *trawl = &result->runner[RUNNER_TRAWL];
    enum runner best = RUNNER_TRAWL;
    double ratio = contest_ratio(result, &best);
    char text[32];

    printf("%-27s", result->contest->name);
    for (uint32_t i = 0; i < RUNNERS; i++)
        printf(" %12s", cell(result, i, text));
    printf(" | %6.2f %4.0f %6.1f | %6.2f", speed(result, RUNNER_TRAWL) / 1e9,
           samples_spread_percent(&trawl->samples), (double)trawl->memory_bytes / MIB, ratio);
    if (result->contest->bar > 0)
        printf(" %.2f", result->contest->bar);
    printf(" %s (%s)\n", contest_verdict(result), ratio > 0 ? runner_labels[best] : "no baseline");
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void print_runner_json(FILE *file, const struct contest_result *result, uint32_t runner)
{
    const struct runner_result *it = &result->runner[runner];

    print_json_string(file, runner_labels[runner]);
    fprintf(file,
            ": {\"same_answer\": %s, \"status\": %d, \"output_bytes\": %" PRIu64
            ", \"memory_bytes\": %" PRIu64 ", \"median_seconds\": %.9f, \"seconds\": ",
            it->same_answer ? "true" : "false", it->outcome.status, it->outcome.output_bytes,
            it->memory_bytes, median(result, runner));
    print_json_samples(file, &it->samples);
    fprintf(file, "}");
}

static void print_result_json(FILE *file, const struct contest_result *result)
{
    const struct contest *contest = result->contest;
    enum runner best = RUNNER_TRAWL;
    double ratio = contest_ratio(result, &best);
    const char *separator = "";

    fprintf(file, "    {\"name\": ");
    print_json_string(file, contest->name);
    fprintf(file, ", \"pattern\": ");
    print_json_string(file, result->pattern);
    fprintf(file, ", \"options\": \"%s\", \"threads\": \"%s\", \"text_bytes\": %" PRIu64,
            contest->options, contest->threads != NULL ? contest->threads : "all",
            result->text_bytes);
    fprintf(file, ", \"ratio\": %.4f, \"ratio_to\": \"%s\", \"bar\": %.4f, \"verdict\": \"%s\"",
            ratio, ratio > 0 ? runner_labels[best] : "", contest->bar, contest_verdict(result));
    fprintf(file, ", \"runners\": {");
    for (uint32_t i = 0; i < RUNNERS; i++) {
        if (!result->runner[i].ran)
            continue;
        fprintf(file, "%s", separator);
        print_runner_json(file, result, i);
        separator = ", ";
    }
    fprintf(file, "}}");
}

void contest_report_json(const struct contest_results *results, const struct machine *machine,
                         const struct options *options)
{
    const char *separator = "";
    FILE *file = machine_json_open(machine, options, "commands");

    if (file == NULL)
        return;
    fprintf(file, ",\n  \"versions\": {");
    for (uint32_t i = 0; i < RUNNERS; i++) {
        if (results->versions[i][0] == '\0')
            continue;
        fprintf(file, "%s", separator);
        print_json_string(file, runner_labels[i]);
        fprintf(file, ": ");
        print_json_string(file, results->versions[i]);
        separator = ", ";
    }
    fprintf(file, "},\n  \"rows\": [\n");
    for (uint32_t i = 0; i < results->count; i++) {
        print_result_json(file, &results->result[i]);
        fprintf(file, "%s\n", i + 1 < results->count ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
    result_close(file, options->json_path);
}

/* ---- Markdown ----------------------------------------------------------------------------- */

static void print_result_markdown(FILE *file, const struct contest_result *result)
{
    const struct contest *contest = result->contest;
    const struct runner_result *trawl = &result->runner[RUNNER_TRAWL];
    enum runner best = RUNNER_TRAWL;
    double ratio = contest_ratio(result, &best);
    char text[32];

    fprintf(file, "| %s | `%s` |", contest->name, result->pattern);
    for (uint32_t i = 0; i < RUNNERS; i++)
        fprintf(file, " %s |", cell(result, i, text));
    fprintf(file, " %.2f | %.0f %% | %.1f |", speed(result, RUNNER_TRAWL) / 1e9,
            samples_spread_percent(&trawl->samples), (double)trawl->memory_bytes / MIB);
    if (ratio > 0)
        fprintf(file, " **%.2f** of %s |", ratio, runner_labels[best]);
    else
        fprintf(file, " - |");
    if (contest->bar > 0)
        fprintf(file, " %.2f |", contest->bar);
    else
        fprintf(file, " |");
    fprintf(file, " %s |\n", contest_verdict(result));
}

void contest_report_markdown(const struct contest_results *results, const struct machine *machine,
                             const struct options *options)
{
    FILE *file = machine_markdown_open(machine, options);

    if (file == NULL)
        return;
    for (uint32_t i = 0; i < RUNNERS; i++)
        fprintf(file, "- %s: %s\n", runner_labels[i],
                results->versions[i][0] != '\0' ? results->versions[i] : "not installed, skipped");
    for (uint32_t kind = 0; kind < FILE_KINDS; kind++)
        if (results->files->bytes[kind] > 0)
            fprintf(file, "- file of %.0f KiB: %s\n", (double)results->files->bytes[kind] / 1024,
                    results->files->text[kind]);
    fprintf(file, "\nSeconds by the median; ?: another answer than grep's, so not counted.\n\n");
    fprintf(file, "| row | pattern |");
    for (uint32_t i = 0; i < RUNNERS; i++)
        fprintf(file, " %s |", runner_labels[i]);
    fprintf(file, " trawl GB/s | spread | MiB | ratio | bar | |\n|---|---|");
    for (uint32_t i = 0; i < RUNNERS; i++)
        fprintf(file, "--:|");
    fprintf(file, "--:|--:|--:|--:|--:|---|\n");
    for (uint32_t i = 0; i < results->count; i++)
        print_result_markdown(file, &results->result[i]);
    result_close(file, options->markdown_path);
}
