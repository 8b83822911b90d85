/* papers_report: a report on the terminal and as Markdown. */
#include <stdlib.h>
#include <string.h>

#include "bench/papers.h"

#define NOT_MEASURED "not measured yet on a GPU"

/* ---- Both --------------------------------------------------------------------------------- */

/* Reasons why a cell holds a word, and notes on what was measured, each once. */
static void print_reasons(const struct paper *paper, FILE *file, const char *prefix)
{
    for (uint32_t i = 0; i < paper->figure_count; i++) {
        const struct figure *figure = &paper->figure[i];
        bool seen = figure->note[0] == '\0';

        if (figure->state == FIGURE_EMPTY || figure->state == FIGURE_NO_GPU)
            continue;
        for (uint32_t k = 0; k < i && !seen; k++)
            seen = paper->figure[k].state == figure->state &&
                   strcmp(paper->figure[k].who, figure->who) == 0 &&
                   strcmp(paper->figure[k].note, figure->note) == 0;
        if (!seen)
            fprintf(file, "%s%s%s%s: %s\n", prefix, figure_state_name(figure->state),
                    figure->state == FIGURE_MEASURED ? "" : ": ", figure->who, figure->note);
    }
}

static double largest_spread(const struct paper *paper)
{
    double most = 0;

    for (uint32_t i = 0; i < paper->figure_count; i++) {
        double spread = samples_spread_percent(&paper->figure[i].part[PART_WHOLE]);

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
            spreads[count++] = samples_spread_percent(&paper->figure[i].part[PART_WHOLE]);
    qsort(spreads, count, sizeof spreads[0], compare_doubles);
    return count > 0 ? spreads[count / 2] : 0;
}

/* What else ran: a figure from a busy machine says little, and the reader should know. */
static void print_load(const struct papers *papers, const struct paper *paper, FILE *file,
                       const char *prefix)
{
    if (papers->load_begin >= 0 && paper->load_after >= 0)
        fprintf(file,
                "%sload of the system: %.1f when the run began, %.1f after this report, its own "
                "included\n",
                prefix, papers->load_begin, paper->load_after);
}

static void print_spread(const struct paper *paper, FILE *file, const char *prefix)
{
    uint32_t fewer = 0, measured = 0;

    for (uint32_t i = 0; i < paper->figure_count; i++)
        if (paper->figure[i].state == FIGURE_MEASURED) {
            measured++;
            fewer += paper->figure[i].part[PART_WHOLE].count < paper->figure[i].runs;
        }
    fprintf(
        file,
        "%sspread, (slowest - fastest) / median of a figure's runs: %.0f %% is the median of all "
        "figures, %.0f %% the largest; %u of %u figures have fewer runs than the source, since "
        "more would take longer than --cell-seconds\n",
        prefix, median_spread(paper), largest_spread(paper), fewer, measured);
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
    printf("== %s: %s\n   there: %s\n", paper->name, paper->source, paper->hardware);
    for (uint32_t i = 0; i < paper->note_count; i++)
        printf("   %s\n", paper->note[i]);
    for (uint32_t i = 0; i < paper->table_count; i++)
        print_table(&paper->table[i]);
    papers_claims(paper, papers->device[0] != '\0' ? "not measured" : "no GPU", stdout);
    print_reasons(paper, stdout, "");
    print_load(papers, paper, stdout, "");
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

static void markdown_cells(const struct table *table, FILE *file)
{
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

static void markdown_table(const struct table *table, FILE *file)
{
    bool all_lack = true;

    for (uint32_t column = 0; column < table->column_count; column++)
        all_lack = all_lack && column_lacks(table, column);
    if (table->folded)
        fprintf(file, "\n<details><summary>%s (%s)</summary>\n\n", table->title, table->unit);
    else
        fprintf(file, "\n**%s** (%s)\n\n", table->title, table->unit);
    if (table->caption[0] != '\0')
        fprintf(file, "%s\n\n", table->caption);
    if (all_lack)
        fprintf(file, NOT_MEASURED "\n");
    else
        markdown_cells(table, file);
    if (table->folded)
        fprintf(file, "\n</details>\n");
}

static bool is_clean(const struct papers *papers)
{
    return strstr(papers->machine.commit, "dirty") == NULL &&
           strcmp(papers->machine.commit, "unknown") != 0;
}

void papers_markdown(const struct papers *papers, const struct paper *paper, FILE *file)
{
    fprintf(file, "<!-- paper %s -->\n", paper->name);
    fprintf(file, "![%s: the plots](measurements/papers-%s.svg)\n\n", paper->name, paper->name);
    fprintf(file, "Every time: [papers.json](measurements/papers.json), a line per figure: "
                  "[papers.csv](measurements/papers.csv).\n\n");
    if (!is_clean(papers))
        fprintf(file, "**Measured on changes that no commit holds: these figures cannot be made "
                      "again.**\n\n");
    fprintf(file, "- source: %s; there: %s\n", paper->source, paper->hardware);
    machine_print(&papers->machine, papers->options, file, "- ");
    print_load(papers, paper, file, "- ");
    fprintf(file, "- GPU: %s\n", papers->device[0] != '\0' ? papers->device : "none");
    fprintf(file, "- grep: %s\n",
            papers->grep_version[0] != '\0' ? papers->grep_version : "not installed");
    for (uint32_t i = 0; i < paper->note_count; i++)
        fprintf(file, "- %s\n", paper->note[i]);
    print_reasons(paper, file, "- ");
    print_spread(paper, file, "- ");
    fprintf(file, "- a cell holds the median; (the mean) if it differs by more than 5 %%; ~ if the "
                  "spread is more than half of the median; [n] if only n runs fitted into "
                  "--cell-seconds\n");
    for (uint32_t i = 0; i < paper->table_count; i++)
        markdown_table(&paper->table[i], file);
    papers_claims(paper, papers->device[0] != '\0' ? "not measured" : NOT_MEASURED, file);
}

void papers_page(const struct papers *papers, struct paper *const *paper, uint32_t paper_count,
                 FILE *file)
{
    for (uint32_t i = 0; i < paper_count; i++)
        papers_markdown(papers, paper[i], file);
    fprintf(file, "<!-- paper losses -->\n");
    papers_losses(paper, paper_count, file);
}
