/* papers_report: a report on the terminal and as Markdown. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define NOT_MEASURED "not measured yet on a GPU"

/* ---- Both --------------------------------------------------------------------------------- */

/* "holds (0.97)", "does not hold (1.20; the source: 0.95)", or why it is not known. */
static void ordering_text(const struct ordering *ordering, const char *unknown,
                          char text[4 * NAME_BYTES])
{
    const char *word = ordering->state == ORDERING_HOLDS ? "holds" : "does not hold";
    char value[NAME_BYTES], published[NAME_BYTES];

    number_text(ordering->value, value);
    number_text(ordering->published, published);
    if (ordering->state == ORDERING_UNKNOWN)
        snprintf(text, 4 * NAME_BYTES, "%s", unknown);
    else if (ordering->published > 0)
        snprintf(text, 4 * NAME_BYTES, "%s (%s; the source: %s)", word, value, published);
    else
        snprintf(text, 4 * NAME_BYTES, "%s (%s)", word, value);
}

/* Reasons why a cell holds a word, each once. */
static void print_reasons(const struct paper *paper, FILE *file, const char *prefix)
{
    for (uint32_t i = 0; i < paper->figure_count; i++) {
        const struct figure *figure = &paper->figure[i];
        bool seen = false;

        if (figure->state <= FIGURE_NO_GPU)
            continue;
        for (uint32_t k = 0; k < i && !seen; k++)
            seen = paper->figure[k].state == figure->state &&
                   strcmp(paper->figure[k].who, figure->who) == 0 &&
                   strcmp(paper->figure[k].note, figure->note) == 0;
        if (!seen)
            fprintf(file, "%s%s: %s: %s\n", prefix, figure_state_name(figure->state), figure->who,
                    figure->note);
    }
}

static double largest_spread(const struct paper *paper)
{
    double most = 0;

    for (uint32_t i = 0; i < paper->figure_count; i++) {
        double spread = samples_spread_percent(&paper->figure[i].whole);

        if (paper->figure[i].state == FIGURE_MEASURED && spread > most)
            most = spread;
    }
    return most;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double median_spread(const struct paper *paper)
{
    static double spreads[PAPER_FIGURES_MAX];
    uint32_t count = 0;

    for (uint32_t i = 0; i < paper->figure_count; i++)
        if (paper->figure[i].state == FIGURE_MEASURED)
            spreads[count++] = samples_spread_percent(&paper->figure[i].whole);
    qsort(spreads, count, sizeof spreads[0], compare_doubles);
    return count > 0 ? spreads[count / 2] : 0;
}

/* What else ran: a figure from a busy machine says little, and the reader should know. */
static void print_load(const struct papers *papers, FILE *file, const char *prefix)
{
    double load;

    if (papers->load_begin >= 0 && getloadavg(&load, 1) == 1)
        fprintf(file,
                "%sload of the system: %.1f when the run began, %.1f after this report, its own "
                "included\n",
                prefix, papers->load_begin, load);
}

static void print_spread(const struct paper *paper, FILE *file, const char *prefix)
{
    if (!paper->runs_differ)
        fprintf(file,
                "%s(slowest - fastest) / median of the runs of a figure: %.0f %% by the median of "
                "the figures, %.0f %% at most\n",
                prefix, median_spread(paper), largest_spread(paper));
}

/* ---- The terminal ------------------------------------------------------------------------- */

static void print_table(const struct table *table)
{
    int widths[TABLE_COLUMNS_MAX + 1] = {(int)strlen(table->corner)};
    char text[NAME_BYTES];

    for (uint32_t row = 0; row < table->row_count; row++)
        if ((int)strlen(table->row[row]) > widths[0])
            widths[0] = (int)strlen(table->row[row]);
    for (uint32_t column = 0; column < table->column_count; column++) {
        widths[column + 1] = (int)strlen(table->column[column]);
        for (uint32_t row = 0; row < table->row_count; row++) {
            cell_text(table, &table->cell[row][column], text);
            if ((int)strlen(text) > widths[column + 1])
                widths[column + 1] = (int)strlen(text);
        }
    }
    printf("\n%s (%s)\n%-*s", table->title, table->unit, widths[0], table->corner);
    for (uint32_t column = 0; column < table->column_count; column++)
        printf("  %*s", widths[column + 1], table->column[column]);
    printf("\n");
    for (uint32_t row = 0; row < table->row_count; row++) {
        printf("%-*s", widths[0], table->row[row]);
        for (uint32_t column = 0; column < table->column_count; column++) {
            cell_text(table, &table->cell[row][column], text);
            printf("  %*s", widths[column + 1], text);
        }
        printf("\n");
    }
}

void papers_print(const struct papers *papers, const struct paper *paper)
{
    char text[4 * NAME_BYTES];

    printf("== %s: %s\n   there: %s\n", paper->name, paper->source, paper->hardware);
    for (uint32_t i = 0; i < paper->note_count; i++)
        printf("   %s\n", paper->note[i]);
    for (uint32_t i = 0; i < paper->table_count; i++)
        print_table(&paper->table[i]);
    printf("\n");
    for (uint32_t i = 0; i < paper->ordering_count; i++) {
        ordering_text(&paper->ordering[i], papers->device[0] != '\0' ? "not measured" : "no GPU",
                      text);
        printf("%s: %s\n", paper->ordering[i].text, text);
    }
    print_reasons(paper, stdout, "");
    print_load(papers, stdout, "");
    print_spread(paper, stdout, "");
    printf("\n");
}

/* ---- Markdown ----------------------------------------------------------------------------- */

/* Only cells for which there was no GPU? */
static bool lacks_gpu(const struct table *table, uint32_t row, uint32_t row_end, uint32_t column,
                      uint32_t column_end)
{
    bool lacks = false;

    for (uint32_t r = row; r < row_end; r++)
        for (uint32_t c = column; c < column_end; c++) {
            const struct cell *cell = &table->cell[r][c];

            if (cell->kind == CELL_EMPTY)
                continue;
            if (cell->kind == CELL_PUBLISHED || cell->figure->state != FIGURE_NO_GPU)
                return false;
            lacks = true;
        }
    return lacks;
}

static bool row_lacks(const struct table *table, uint32_t row)
{
    return lacks_gpu(table, row, row + 1, 0, table->column_count);
}

static bool column_lacks(const struct table *table, uint32_t column)
{
    return lacks_gpu(table, 0, table->row_count, column, column + 1);
}

static void markdown_lacks(const struct table *table, FILE *file)
{
    const char *separator = "\nNot measured yet on a GPU: ";
    bool any = false;

    for (uint32_t row = 0; row < table->row_count; row++)
        if (row_lacks(table, row)) {
            fprintf(file, "%s%s", any ? "; " : separator, table->row[row]);
            any = true;
        }
    for (uint32_t column = 0; column < table->column_count; column++)
        if (column_lacks(table, column)) {
            fprintf(file, "%s%s", any ? "; " : separator, table->column[column]);
            any = true;
        }
    fprintf(file, "%s", any ? ".\n" : "");
}

static void markdown_row(const struct table *table, uint32_t row, FILE *file)
{
    char text[NAME_BYTES];

    fprintf(file, "| %s |", table->row[row]);
    for (uint32_t column = 0; column < table->column_count; column++) {
        const struct cell *cell = &table->cell[row][column];

        if (column_lacks(table, column))
            continue;
        cell_text(table, cell, text);
        if (cell->kind > CELL_PUBLISHED && cell->figure->state == FIGURE_NO_GPU)
            snprintf(text, sizeof text, NOT_MEASURED);
        fprintf(file, " %s |", text);
    }
    fprintf(file, "\n");
}

static void markdown_table(const struct table *table, FILE *file)
{
    bool all_lack = true;

    for (uint32_t column = 0; column < table->column_count; column++)
        all_lack = all_lack && column_lacks(table, column);
    fprintf(file, "\n**%s** (%s)\n\n", table->title, table->unit);
    if (all_lack) {
        fprintf(file, NOT_MEASURED "\n");
        return;
    }
    fprintf(file, "| %s |", table->corner);
    for (uint32_t column = 0; column < table->column_count; column++)
        if (!column_lacks(table, column))
            fprintf(file, " %s |", table->column[column]);
    fprintf(file, "\n|---|");
    for (uint32_t column = 0; column < table->column_count; column++)
        if (!column_lacks(table, column))
            fprintf(file, "--:|");
    fprintf(file, "\n");
    for (uint32_t row = 0; row < table->row_count; row++)
        if (!row_lacks(table, row))
            markdown_row(table, row, file);
    markdown_lacks(table, file);
}

void papers_markdown(const struct papers *papers, const struct paper *paper, FILE *file)
{
    fprintf(file, "<!-- paper %s -->\n", paper->name);
    fprintf(file, "- source: %s; there: %s\n", paper->source, paper->hardware);
    machine_print(&papers->machine, papers->options, file, "- ");
    print_load(papers, file, "- ");
    fprintf(file, "- GPU: %s\n", papers->device[0] != '\0' ? papers->device : "none");
    fprintf(file, "- grep: %s\n",
            papers->grep_version[0] != '\0' ? papers->grep_version : "not installed");
    for (uint32_t i = 0; i < paper->note_count; i++)
        fprintf(file, "- %s\n", paper->note[i]);
    print_reasons(paper, file, "- ");
    print_spread(paper, file, "- ");
    for (uint32_t i = 0; i < paper->table_count; i++)
        markdown_table(&paper->table[i], file);
    papers_claims(paper, papers->device[0] != '\0' ? "not measured" : NOT_MEASURED, file);
}
