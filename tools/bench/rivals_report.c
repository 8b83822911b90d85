/* rivals_report: rows of rivals on the terminal, as JSON and as Markdown, and what they come to. */
#include <inttypes.h>
#include <string.h>

#include "bench/hyperscan.h"
#include "bench/rivals.h"

#define MIB (1u << 20)

static const char *state(const struct rival_result *result)
{
    return result->last.why[0] != '\0' ? result->last.why
           : !result->right            ? "another count, so not compared"
           : result->last.share < 1    ? "extrapolated"
                                       : "";
}

static const char *verdict(const struct rivals_bar *bar, double ratio)
{
    return ratio == 0 ? "not compared" : bar->bar == 0 ? "" : ratio >= bar->bar ? "ok" : "low";
}

/* "0.0123", or "-" where nothing was measured. */
static const char *number(char text[32], double value, const char *format)
{
    if (value > 0)
        snprintf(text, 32, format, value);
    else
        snprintf(text, 32, "-");
    return text;
}

static void print_result(const struct rivals_row *row, const struct rival_result *result,
                         const char *format, FILE *file)
{
    double seconds = samples_median(&result->work);
    char compile[32], work[32], speed[32], tables[32], memory[32];
    char share[64] = "";

    if (result->last.why[0] == '\0' && result->last.share < 1)
        snprintf(share, sizeof share, ": measured %.3g %% of the work", 100 * result->last.share);
    fprintf(file, format, result->name, number(compile, samples_median(&result->compile), "%.4f"),
            number(work, seconds, "%.4f"),
            number(speed, seconds > 0 ? (double)row->text_bytes / seconds / 1e9 : 0, "%.4g"),
            number(tables, (double)result->last.table_bytes / MIB, "%.2f"),
            number(memory, (double)result->last.memory_bytes / MIB, "%.0f"), state(result), share);
}

/* "2.03" or "1240". */
static const char *times(char text[32], double ratio)
{
    snprintf(text, 32, ratio < 100 ? "%.3g" : "%.0f", ratio);
    return text;
}

static void print_bars(const struct rivals_row *row, const char *prefix, FILE *file)
{
    for (uint32_t i = 0; i < row->bar_count; i++) {
        const struct rivals_bar *bar = &row->bars[i];
        double ratio = rivals_ratio(row, bar);
        char text[32];

        if (ratio == 0) {
            fprintf(file, "%s%s against %s: not compared\n", prefix, bar->faster, bar->than);
            continue;
        }
        fprintf(file, "%s%s against %s%s: %s times as fast", prefix, bar->faster, bar->than,
                bar->compile ? ", compiling" : "", times(text, ratio));
        if (bar->bar > 0)
            fprintf(file, " (bar %.3g: %s)", bar->bar, verdict(bar, ratio));
        fprintf(file, "\n");
    }
}

void rivals_report_row(const struct rivals_row *row)
{
    printf("\n%s: %s; %" PRIu64 " found\n", row->name, row->work, row->found);
    printf("  %-34s %9s %10s %9s %9s %7s\n", "", "compile s", "work s", "GB/s", "table MiB", "MiB");
    for (uint32_t i = 0; i < row->count; i++)
        print_result(row, &row->result[i], "  %-34s %9s %10s %9s %9s %7s  %s%s\n", stdout);
    print_bars(row, "  ", stdout);
}

/* ---- What it comes to --------------------------------------------------------------------- */

struct conclusion {
    double least, most;
    uint32_t rows, slower, bars, missed;
};

/* All rows with the same two names. */
static struct conclusion conclude(const struct rivals *rivals, const struct rivals_bar *wanted)
{
    struct conclusion it = {.least = 0};

    for (uint32_t r = 0; r < rivals->count; r++)
        for (uint32_t i = 0; i < rivals->row[r].bar_count; i++) {
            const struct rivals_bar *bar = &rivals->row[r].bars[i];
            double ratio = rivals_ratio(&rivals->row[r], bar);

            if (strcmp(bar->faster, wanted->faster) != 0 || strcmp(bar->than, wanted->than) != 0 ||
                bar->compile != wanted->compile || ratio == 0)
                continue;
            it.least = it.rows == 0 || ratio < it.least ? ratio : it.least;
            it.most = ratio > it.most ? ratio : it.most;
            it.rows++;
            it.slower += ratio < 1;
            it.bars += bar->bar > 0;
            it.missed += bar->bar > 0 && ratio < bar->bar;
        }
    return it;
}

static bool came_before(const struct rivals *rivals, uint32_t row, uint32_t index)
{
    const struct rivals_bar *bar = &rivals->row[row].bars[index];

    for (uint32_t r = 0; r < row; r++)
        for (uint32_t i = 0; i < rivals->row[r].bar_count; i++) {
            const struct rivals_bar *other = &rivals->row[r].bars[i];

            if (strcmp(bar->faster, other->faster) == 0 && strcmp(bar->than, other->than) == 0 &&
                bar->compile == other->compile)
                return true;
        }
    return false;
}

static void report_conclusions(const struct rivals *rivals, FILE *file, const char *prefix)
{
    for (uint32_t r = 0; r < rivals->count; r++)
        for (uint32_t i = 0; i < rivals->row[r].bar_count; i++) {
            const struct rivals_bar *bar = &rivals->row[r].bars[i];
            struct conclusion it = conclude(rivals, bar);
            char least[32], most[32];

            if (came_before(rivals, r, i))
                continue;
            fprintf(file, "%s%s against %s%s: ", prefix, bar->faster, bar->than,
                    bar->compile ? ", compiling" : "");
            if (it.rows == 0) {
                fprintf(file, "not compared\n");
                continue;
            }
            fprintf(file, "%s to %s times as fast in %u row%s", times(least, it.least),
                    times(most, it.most), it.rows, it.rows == 1 ? "" : "s");
            fprintf(file, it.slower > 0 ? ", SLOWER in %u" : ", slower in none", it.slower);
            if (it.bars > 0)
                fprintf(file, "; %u of %u bars missed", it.missed, it.bars);
            fprintf(file, "\n");
        }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void print_result_json(FILE *file, const struct rival_result *result)
{
    fprintf(file, "      {\"contestant\": ");
    print_json_string(file, result->name);
    fprintf(file, ", \"why_not\": ");
    print_json_string(file, result->last.why);
    fprintf(file,
            ", \"right\": %s, \"share\": %.9f, \"count\": %" PRIu64 ", \"expected\": %" PRIu64
            ", \"table_bytes\": %" PRIu64 ", \"memory_bytes\": %" PRIu64 ", \"compile_seconds\": ",
            result->right ? "true" : "false", result->last.share, result->last.count,
            result->last.expected, result->last.table_bytes, result->last.memory_bytes);
    print_json_samples(file, &result->compile);
    fprintf(file, ", \"seconds\": ");
    print_json_samples(file, &result->work);
    fprintf(file, "}");
}

static void print_row_json(FILE *file, const struct rivals_row *row)
{
    fprintf(file, "    {\"name\": ");
    print_json_string(file, row->name);
    fprintf(file, ", \"work\": ");
    print_json_string(file, row->work);
    fprintf(file,
            ", \"text_bytes\": %" PRIu64 ", \"patterns\": %" PRIu64 ", \"found\": %" PRIu64
            ",\n     \"results\": [\n",
            row->text_bytes, row->pattern_count, row->found);
    for (uint32_t i = 0; i < row->count; i++) {
        print_result_json(file, &row->result[i]);
        fprintf(file, "%s\n", i + 1 < row->count ? "," : "");
    }
    fprintf(file, "     ],\n     \"ratios\": [");
    for (uint32_t i = 0; i < row->bar_count; i++) {
        const struct rivals_bar *bar = &row->bars[i];
        double ratio = rivals_ratio(row, bar);

        fprintf(file, "%s\n      {\"faster\": ", i > 0 ? "," : "");
        print_json_string(file, bar->faster);
        fprintf(file, ", \"than\": ");
        print_json_string(file, bar->than);
        fprintf(file, ", \"compiling\": %s, \"ratio\": %.4f, \"bar\": %.4f, \"verdict\": \"%s\"}",
                bar->compile ? "true" : "false", ratio, bar->bar, verdict(bar, ratio));
    }
    fprintf(file, "]}");
}

static void report_json(const struct rivals *rivals, const struct machine *machine,
                        const struct options *options)
{
    FILE *file = machine_json_open(machine, options, rivals->benchmark);

    if (file == NULL)
        return;
    fprintf(file, ",\n  \"rows\": [\n");
    for (uint32_t i = 0; i < rivals->count; i++) {
        print_row_json(file, &rivals->row[i]);
        fprintf(file, "%s\n", i + 1 < rivals->count ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
    result_close(file, options->json_path);
}

/* ---- Markdown ----------------------------------------------------------------------------- */

static void report_markdown(const struct rivals *rivals, const struct machine *machine,
                            const struct options *options)
{
    FILE *file = machine_markdown_open(machine, options);

    if (file == NULL)
        return;
    fprintf(file, "\nWhat the rows come to, by the program:\n\n");
    report_conclusions(rivals, file, "- ");
    for (uint32_t i = 0; i < rivals->count; i++) {
        const struct rivals_row *row = &rivals->row[i];

        fprintf(file, "\n### %s\n\n%s; %" PRIu64 " found.\n\n", row->name, row->work, row->found);
        fprintf(file, "| | compile s | work s | GB/s | table MiB | MiB | |\n"
                      "|---|--:|--:|--:|--:|--:|---|\n");
        for (uint32_t k = 0; k < row->count; k++)
            print_result(row, &row->result[k], "| %s | %s | %s | %s | %s | %s | %s%s |\n", file);
        fprintf(file, "\n");
        print_bars(row, "- ", file);
    }
    result_close(file, options->markdown_path);
}

/* ---- The run ------------------------------------------------------------------------------ */

void rivals_begin(const struct options *options, struct machine *machine)
{
    machine_describe(options, machine);
    machine_print(machine, options, stdout, "");
    printf("Hyperscan: %s\n", hyperscan_version() != NULL ? hyperscan_version() : "not installed");
}

int rivals_end(const struct rivals *rivals, const struct machine *machine,
               const struct options *options)
{
    if (rivals->count == 0)
        fail("no row has a name that contains '%s'", options->filter);
    if (rivals->wrong)
        return 1;
    printf("\n");
    report_conclusions(rivals, stdout, "");
    report_json(rivals, machine, options);
    report_markdown(rivals, machine, options);
    return 0;
}
