/* floods_report: the rows of `trawl-bench floods` as a table, as JSON and as Markdown, and what
 * they come to.
 */
#include <inttypes.h>
#include <string.h>

#include "bench/floods.h"

static double median(const struct flood_result *result, uint32_t side)
{
    return samples_median(&result->side[side].samples);
}

/* "1.23", or "-" where nothing is to be told. */
static const char *number(char text[32], double value, const char *format)
{
    if (value > 0)
        snprintf(text, 32, format, value);
    else
        snprintf(text, 32, "-");
    return text;
}

/* "0.53", "17.1" or "112". */
static const char *times(char text[32], double ratio)
{
    return number(text, ratio, ratio < 1 ? "%.2f" : ratio < 100 ? "%.1f" : "%.0f");
}

/* ---- The terminal ------------------------------------------------------------------------- */

void floods_report_begin(const struct flood_results *results)
{
    printf("texts of %.0f MiB; seconds of processor time of one thread: of the first search with a "
           "plan, by the median of\nthe rounds, of the best; on random letters by the median; x: "
           "the median against that; +-: (slowest -\nfastest) / median; ns: for each occurrence "
           "that is delivered\n\n%-88s %10s %7s %7s %7s %7s %5s %4s %5s\n",
           (double)results->text_bytes / (1u << 20), "row", "found", "first", "median", "best",
           "random", "x", "+-%", "ns");
}

void floods_report_skipped(const struct flood *flood)
{
    printf("%s; %s: skipped, there is no English text (--text, --data)\n", flood->patterns,
           flood->on);
}

void floods_report_row(const struct flood_results *results, const struct flood_result *result)
{
    const struct flood_side *dense = &result->side[SIDE_DENSE];
    char ratio[32], each[32];

    printf("%-88s %10" PRIu64 " %7.4f %7.4f %7.4f %7.4f %5s %4.0f %5s %s\n", result->name,
           dense->found, dense->first_seconds, median(result, SIDE_DENSE),
           samples_least(&dense->samples), median(result, SIDE_RANDOM),
           times(ratio, flood_ratio(result)), samples_spread_percent(&dense->samples),
           number(each, flood_each(results, result), "%.2f"), flood_verdict(result));
}

/* ---- What it comes to --------------------------------------------------------------------- */

/* Of the rows that want the same. */
static void conclude(const struct flood_results *results, enum want want, FILE *file,
                     const char *prefix)
{
    const struct flood_result *worst = NULL;
    double least = 0, most_each = 0, least_each = 0;
    uint32_t rows = 0, missed = 0;
    char text[32];

    for (uint32_t i = 0; i < results->count; i++) {
        const struct flood_result *result = &results->row[i];
        double ratio = flood_ratio(result), each = flood_each(results, result);

        if (result->want != want)
            continue;
        rows++;
        missed += ratio > FLOODS_BAR;
        least = rows == 1 || ratio < least ? ratio : least;
        worst = worst == NULL || ratio > flood_ratio(worst) ? result : worst;
        least_each = each > 0 && (least_each == 0 || each < least_each) ? each : least_each;
        most_each = each > most_each ? each : most_each;
    }
    if (rows == 0)
        return;
    fprintf(file, "%s%s: ", prefix, want_labels[want]);
    if (rows > 1)
        fprintf(file, "%s to ", times(text, least));
    fprintf(file, "%s times as long as on random letters in %u row%s; %u of %u bars missed",
            times(text, flood_ratio(worst)), rows, rows == 1 ? "" : "s", missed, rows);
    if (most_each > least_each)
        fprintf(file, "; %.2f to %.2f ns for each occurrence", least_each, most_each);
    else if (most_each > 0)
        fprintf(file, "; %.2f ns for each occurrence", most_each);
    fprintf(file, "; longest: %s\n", worst->name);
}

/* The first search with a plan makes what later ones find. */
static void conclude_first(const struct flood_results *results, FILE *file, const char *prefix)
{
    const struct flood_result *worst = NULL;
    double most = 0;
    uint32_t twice = 0;
    char text[32];

    for (uint32_t i = 0; i < results->count; i++) {
        const struct flood_result *result = &results->row[i];
        double ratio = result->side[SIDE_DENSE].first_seconds / median(result, SIDE_DENSE);

        twice += ratio > 2;
        if (worst != NULL && ratio <= most)
            continue;
        most = ratio;
        worst = result;
    }
    if (worst != NULL)
        fprintf(file,
                "%sthe first search with a plan: at most %s times as long as the later ones (%s); "
                "more than twice as long in %u of %u rows\n",
                prefix, times(text, most), worst->name, twice, results->count);
}

static void report_conclusions(const struct flood_results *results, FILE *file, const char *prefix)
{
    char text[32];

    for (uint32_t want = 0; want < WANTS; want++)
        conclude(results, (enum want)want, file, prefix);
    conclude_first(results, file, prefix);
    for (uint32_t i = 0; i < results->count; i++)
        if (flood_ratio(&results->row[i]) > FLOODS_BAR)
            fprintf(file, "%sMISSED: %s: %s times as long\n", prefix, results->row[i].name,
                    times(text, flood_ratio(&results->row[i])));
    for (uint32_t i = 0; i < results->skipped_count; i++)
        fprintf(file, "%snot measured, without an English text: %s; %s\n", prefix,
                results->skipped[i]->patterns, results->skipped[i]->on);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void print_side_json(FILE *file, const char *name, const struct flood_side *side)
{
    fprintf(file,
            ",\n     \"%s\": {\"found\": %" PRIu64 ", \"first_seconds\": %.9f, \"seconds\": ", name,
            side->found, side->first_seconds);
    print_json_samples(file, &side->samples);
    fprintf(file, "}");
}

static void print_row_json(FILE *file, const struct flood_results *results,
                           const struct flood_result *result)
{
    fprintf(file, "    {\"name\": ");
    print_json_string(file, result->name);
    fprintf(file, ", \"patterns\": ");
    print_json_string(file, result->flood->patterns);
    fprintf(file, ", \"text\": ");
    print_json_string(file, result->flood->on);
    fprintf(file,
            ", \"wanted\": \"%s\", \"pattern_count\": %" PRIu64
            ", \"ratio\": %.4f, \"bar\": %.4f, \"verdict\": \"%s\", \"ns_each\": %.4f",
            want_labels[result->want], result->pattern_count, flood_ratio(result), FLOODS_BAR,
            flood_verdict(result), flood_each(results, result));
    print_side_json(file, "dense", &result->side[SIDE_DENSE]);
    print_side_json(file, "random", &result->side[SIDE_RANDOM]);
    fprintf(file, "}");
}

static void report_json(const struct flood_results *results, const struct machine *machine,
                        const struct options *options)
{
    FILE *file = machine_json_open(machine, options, "floods");

    if (file == NULL)
        return;
    fprintf(file, ",\n  \"text_bytes\": %" PRIu64 ",\n  \"rows\": [\n", results->text_bytes);
    for (uint32_t i = 0; i < results->count; i++) {
        print_row_json(file, results, &results->row[i]);
        fprintf(file, "%s\n", i + 1 < results->count ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
    result_close(file, options->json_path);
}

/* ---- Markdown ----------------------------------------------------------------------------- */

static void print_row_markdown(FILE *file, const struct flood_results *results, uint32_t row)
{
    const struct flood_result *result = &results->row[row];
    const struct flood_side *dense = &result->side[SIDE_DENSE];
    bool begins = row == 0 || results->row[row - 1].flood != result->flood;
    char ratio[32], each[32];

    if (begins)
        fprintf(file, "| %s (%" PRIu64 ") | %s |", result->flood->patterns, result->pattern_count,
                result->flood->on);
    else
        fprintf(file, "| | |");
    fprintf(file, " %s | %" PRIu64 " | %.4f | %.4f | %.4f | %.4f | **%s** | %.0f %% | %s | %s |\n",
            want_labels[result->want], dense->found, dense->first_seconds,
            median(result, SIDE_DENSE), samples_least(&dense->samples), median(result, SIDE_RANDOM),
            times(ratio, flood_ratio(result)), samples_spread_percent(&dense->samples),
            number(each, flood_each(results, result), "%.2f"), flood_verdict(result));
}

static void report_markdown(const struct flood_results *results, const struct machine *machine,
                            const struct options *options)
{
    FILE *file = machine_markdown_open(machine, options);

    if (file == NULL)
        return;
    fprintf(file, "- texts of %.0f MiB\n\nWhat the rows come to, by the program:\n\n",
            (double)results->text_bytes / (1u << 20));
    report_conclusions(results, file, "- ");
    fprintf(file, "\n| patterns (how many) | text | wanted | found | first s | median s | best s | "
                  "random s | × | spread | ns each | |\n"
                  "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n");
    for (uint32_t i = 0; i < results->count; i++)
        print_row_markdown(file, results, i);
    result_close(file, options->markdown_path);
}

void floods_report_end(const struct flood_results *results, const struct machine *machine,
                       const struct options *options)
{
    printf("\n");
    report_conclusions(results, stdout, "");
    report_json(results, machine, options);
    report_markdown(results, machine, options);
}
