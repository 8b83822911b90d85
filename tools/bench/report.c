/* report: the rows of `trawl-bench cpu` as a table, as JSON and as Markdown. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/report.h"
#include "bench/util.h"

#define GIGA 1e9

/* ---- The terminal ------------------------------------------------------------------------- */

void report_begin(const struct rows *rows)
{
    printf("read loop: %s\n", rows->reader_name);
    printf("GB/s by the median; +- is (slowest - fastest) / median; x1: one thread, x%" PRIu32
           ": %" PRIu32 " threads\n\n",
           rows->threads, rows->threads);
    printf("%-28s %11s %8s | %6s %7s | %6s %4s %6s %7s | %6s %6s %6s | %s\n", "row", "count",
           "method", "read", "memmem", "x1", "+-%", "/read", "/memmem", "xN", "/read", "/x1",
           "bar");
}

void report_row(const struct rows *rows, const struct row *row)
{
    double memmem = row_memmem_speed(row), one = row_speed(rows, &row->one);

    printf("%-28s %11" PRIu64 " %8s | %6.1f %6.2f%c | %6.2f %4.0f %6.2f %7.2f | %6.2f %6.2f %6.2f"
           " | %s",
           row->name, row->expected, row->method, row_speed(rows, &row->read_one) / GIGA,
           memmem / GIGA, row->memmem_bytes < rows->text_bytes ? '*' : ' ', one / GIGA,
           samples_spread_percent(&row->one), row_ratio(&row->one, &row->read_one),
           memmem > 0 ? one / memmem : 0, row_speed(rows, &row->all) / GIGA,
           row_ratio(&row->all, &row->read_all), row_ratio(&row->all, &row->one),
           row_verdict(rows, row));
    if (row->plain_pattern != NULL)
        printf(" %.2f of random (xN %.2f)", row_ratio(&row->one, &row->plain_one),
               row_ratio(&row->all, &row->plain_all));
    printf("\n");
}

/* Medians over all rows of the speed of the two read loops. */
static double median_read(const struct rows *rows, bool all)
{
    double speeds[ROWS_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        double speed = row_speed(rows, all ? &row->read_all : &row->read_one);
        uint32_t at = count++;

        for (; at > 0 && speeds[at - 1] > speed; at--)
            speeds[at] = speeds[at - 1];
        speeds[at] = speed;
    }
    return count > 0 ? speeds[count / 2] : 0;
}

static uint32_t count_low(const struct rows *rows)
{
    uint32_t low = 0;

    for (uint32_t i = 0; i < rows->count; i++)
        low += strcmp(row_verdict(rows, &rows->row[i]), "low") == 0;
    return low;
}

static double geometric_mean(const struct rows *rows)
{
    double sum = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < rows->count; i++) {
        double memmem = row_memmem_speed(&rows->row[i]);

        if (memmem > 0) {
            sum += log(row_speed(rows, &rows->row[i].one) / memmem);
            count++;
        }
    }
    return count > 0 ? exp(sum / count) : 0;
}

void report_end(const struct rows *rows)
{
    printf("\nread speed: %.1f GB/s with one thread, %.1f with %" PRIu32 "\n",
           median_read(rows, false) / GIGA, median_read(rows, true) / GIGA, rows->threads);
    printf("%" PRIu32 " rows, every count as expected; one thread is %.1f times memmem (geometric "
           "mean); %" PRIu32 " rows below their bar\n",
           rows->count, geometric_mean(rows), count_low(rows));
    printf("*: memmem on a prefix of the text that takes it about 0.25 s\n");
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void print_samples(FILE *file, const char *name, const struct samples *samples)
{
    fprintf(file, ", \"%s_seconds\": ", name);
    print_json_samples(file, samples);
}

static void print_row_json(FILE *file, const struct rows *rows, const struct row *row)
{
    double memmem = row_memmem_speed(row);

    fprintf(file, "    {\"name\": ");
    print_json_string(file, row->name);
    fprintf(file, ", \"alphabet\": \"%s\", \"kind\": ", row->alphabet);
    print_json_string(file, row->kind);
    fprintf(file,
            ", \"pattern_bytes\": %" PRIu64 ", \"count\": %" PRIu64
            ", \"method\": \"%s\", \"memmem_bytes\": %" PRIu64,
            row->pattern_bytes, row->expected, row->method, row->memmem_bytes);
    fprintf(file, ", \"to_read\": %.4f, \"to_memmem\": %.4f, \"all_to_read\": %.4f",
            row_ratio(&row->one, &row->read_one),
            memmem > 0 ? row_speed(rows, &row->one) / memmem : 0,
            row_ratio(&row->all, &row->read_all));
    fprintf(file, ", \"all_to_one\": %.4f", row_ratio(&row->all, &row->one));
    if (row->plain_pattern != NULL)
        fprintf(file, ", \"to_random\": %.4f, \"all_to_random\": %.4f",
                row_ratio(&row->one, &row->plain_one), row_ratio(&row->all, &row->plain_all));
    fprintf(file, ", \"verdict\": \"%s\"", row_verdict(rows, row));
    print_samples(file, "read_one", &row->read_one);
    print_samples(file, "read_all", &row->read_all);
    print_samples(file, "memmem", &row->memmem);
    print_samples(file, "one", &row->one);
    print_samples(file, "all", &row->all);
    if (row->plain_pattern != NULL) {
        print_samples(file, "random_one", &row->plain_one);
        print_samples(file, "random_all", &row->plain_all);
    }
    fprintf(file, "}");
}

void report_json(const struct rows *rows, const struct machine *machine,
                 const struct options *options)
{
    FILE *file = machine_json_open(machine, options, "cpu");

    if (file == NULL)
        return;
    fprintf(file, ",\n  \"threads\": %" PRIu32 ",\n  \"read_loop\": \"%s\",\n", rows->threads,
            rows->reader_name);
    fprintf(file, "  \"read_one_bytes_per_second\": %.0f,\n", median_read(rows, false));
    fprintf(file, "  \"read_all_bytes_per_second\": %.0f,\n  \"texts\": [",
            median_read(rows, true));
    for (uint32_t i = 0; i < rows->text_count; i++) {
        fprintf(file, "%s", i > 0 ? ", " : "");
        print_json_string(file, rows->texts[i]);
    }
    fprintf(file, "],\n  \"rows\": [\n");
    for (uint32_t i = 0; i < rows->count; i++) {
        print_row_json(file, rows, &rows->row[i]);
        fprintf(file, "%s\n", i + 1 < rows->count ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
    result_close(file, options->json_path);
}

/* ---- Markdown ----------------------------------------------------------------------------- */

static void print_row_markdown(FILE *file, const struct rows *rows, const struct row *row)
{
    double memmem = row_memmem_speed(row), one = row_speed(rows, &row->one);
    const char *label = row->name + strlen(row->alphabet) + 1;

    fprintf(file, "| %s | %" PRIu64 " | %s | %.2f%s | %.2f | %.0f %% | **%.2f** | %.1f | %.2f |",
            label, row->expected, row->method, memmem / GIGA,
            row->memmem_bytes < rows->text_bytes ? " *" : "", one / GIGA,
            samples_spread_percent(&row->one), row_ratio(&row->one, &row->read_one),
            memmem > 0 ? one / memmem : 0, row_speed(rows, &row->all) / GIGA);
    fprintf(file, " %.2f | %.2f |", row_ratio(&row->all, &row->read_all),
            row_ratio(&row->all, &row->one));
    if (row->plain_pattern != NULL)
        fprintf(file, " **%.2f** |", row_ratio(&row->one, &row->plain_one));
    fprintf(file, " %s |\n", row_verdict(rows, row));
}

static void print_table_head(FILE *file, const struct rows *rows, const struct row *row)
{
    bool worst = row->plain_pattern != NULL;

    fprintf(file, "\n### %s\n\n", worst ? "Worst cases" : row->alphabet);
    for (uint32_t i = 0; i < rows->text_count; i++)
        if (strncmp(rows->texts[i], row->alphabet, strlen(row->alphabet)) == 0)
            fprintf(file, "%s\n\n", rows->texts[i]);
    fprintf(file,
            "| pattern | occurrences | method | memmem | 1 thread | spread | / read | / memmem | "
            "%" PRIu32 " threads | / read | / 1 thread |%s bar |\n",
            rows->threads, worst ? " / random |" : "");
    fprintf(file, "|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|%s---|\n", worst ? "--:|" : "");
}

void report_markdown(const struct rows *rows, const struct machine *machine,
                     const struct options *options)
{
    const char *alphabet = "";
    FILE *file = machine_markdown_open(machine, options);

    if (file == NULL)
        return;
    fprintf(file,
            "- read speed of the memory: %.1f GB/s with one thread, %.1f GB/s with %" PRIu32
            " (%s; median over the rows)\n- %" PRIu32
            " rows, every count as expected; one thread is %.1f times memmem (geometric mean); "
            "%" PRIu32 " rows below their bar\n\n",
            median_read(rows, false) / GIGA, median_read(rows, true) / GIGA, rows->threads,
            rows->reader_name, rows->count, geometric_mean(rows), count_low(rows));
    fprintf(file, "Speeds in GB/s. *: memmem on a prefix of the text that takes it about 0.25 "
                  "s.\n");
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];

        if (strcmp(alphabet, row->alphabet) != 0)
            print_table_head(file, rows, row);
        alphabet = row->alphabet;
        print_row_markdown(file, rows, row);
    }
    result_close(file, options->markdown_path);
}
