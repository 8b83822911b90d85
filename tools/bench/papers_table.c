/* papers_table: tables, orderings and plots of one report, as they are put together. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/papers.h"

#define FORMAT(text, format)                                   \
    do {                                                       \
        va_list arguments;                                     \
        va_start(arguments, format);                           \
        (void)vsnprintf(text, sizeof text, format, arguments); \
        va_end(arguments);                                     \
    } while (0)

/* ---- Figures ------------------------------------------------------------------------------ */

static const struct samples *figure_samples(const struct figure *figure, enum part part)
{
    return part == PART_WHOLE  ? &figure->whole
           : part == PART_COPY ? &figure->copy
                               : &figure->kernel;
}

bool figure_mean(const struct figure *figure, enum part part, double *seconds)
{
    const struct samples *samples = figure_samples(figure, part);

    if (figure->state != FIGURE_MEASURED || samples->count == 0)
        return false;
    *seconds = samples_mean(samples) * figure->factor;
    return true;
}

const char *figure_state_name(enum figure_state state)
{
    static const char *const names[] = {
        [FIGURE_EMPTY] = "-",         [FIGURE_MEASURED] = "",       [FIGURE_NO_GPU] = "no GPU",
        [FIGURE_MISSING] = "missing", [FIGURE_REFUSED] = "refused", [FIGURE_FAILED] = "failed",
        [FIGURE_WRONG] = "wrong",     [FIGURE_LATE] = "no time",
    };

    return names[state];
}

struct figure *paper_figure(struct paper *paper)
{
    struct figure *figure;

    if (paper->figure_count == PAPER_FIGURES_MAX)
        fail("%s: more than %u figures", paper->name, PAPER_FIGURES_MAX);
    figure = &paper->figure[paper->figure_count++];
    figure->factor = 1;
    return figure;
}

/* ---- Tables ------------------------------------------------------------------------------- */

bool cell_value(const struct table *table, const struct cell *cell, double *value)
{
    double seconds, base;

    switch (cell->kind) {
    case CELL_PUBLISHED:
        *value = cell->number;
        return true;
    case CELL_TIME:
        if (!figure_mean(cell->figure, cell->part, &seconds))
            return false;
        *value = seconds * table->per_second;
        return true;
    case CELL_SPEEDUP:
        if (!figure_mean(cell->figure, PART_WHOLE, &seconds) ||
            !figure_mean(cell->base, PART_WHOLE, &base) || seconds <= 0)
            return false;
        *value = base / seconds;
        return true;
    case CELL_GRIDS:
    case CELL_SPILLS:
        *value = (double)(cell->kind == CELL_GRIDS ? cell->figure->child_grids
                                                   : cell->figure->child_spills);
        return cell->figure->state == FIGURE_MEASURED;
    default:
        return false;
    }
}

/* Three digits that count; zeros behind them are left to the reader. */
void number_text(double value, char text[NAME_BYTES])
{
    int digits = value >= 100 || value == 0 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;

    if (value > 0 && value < 0.1)
        digits = 4;
    snprintf(text, NAME_BYTES, "%.*f", digits, value);
}

void cell_text(const struct table *table, const struct cell *cell, char text[NAME_BYTES])
{
    double value;

    if (cell_value(table, cell, &value) && cell->kind >= CELL_GRIDS)
        snprintf(text, NAME_BYTES, "%.0f", value);
    else if (cell_value(table, cell, &value))
        number_text(value, text);
    else if (cell->kind == CELL_EMPTY)
        snprintf(text, NAME_BYTES, "-");
    else if (cell->figure->state != FIGURE_MEASURED)
        snprintf(text, NAME_BYTES, "%s", figure_state_name(cell->figure->state));
    else /* measured, but not this part of it; or the base was not */
        snprintf(text, NAME_BYTES, "-");
}

struct table *paper_table(struct paper *paper, double per_second, const char *unit,
                          const char *corner, const char *title, ...)
{
    struct table *table;

    if (paper->table_count == PAPER_TABLES_MAX)
        fail("%s: more than %u tables", paper->name, PAPER_TABLES_MAX);
    table = &paper->table[paper->table_count++];
    table->per_second = per_second;
    snprintf(table->unit, sizeof table->unit, "%s", unit);
    snprintf(table->corner, sizeof table->corner, "%s", corner);
    FORMAT(table->title, title);
    return table;
}

uint32_t table_row(struct table *table, const char *format, ...)
{
    if (table->row_count == TABLE_ROWS_MAX)
        fail("%s: more than %u rows", table->title, TABLE_ROWS_MAX);
    FORMAT(table->row[table->row_count], format);
    return table->row_count++;
}

uint32_t table_column(struct table *table, const char *format, ...)
{
    if (table->column_count == TABLE_COLUMNS_MAX)
        fail("%s: more than %u columns", table->title, TABLE_COLUMNS_MAX);
    FORMAT(table->column[table->column_count], format);
    return table->column_count++;
}

void table_published(struct table *table, uint32_t row, uint32_t column, double number)
{
    table->cell[row][column] = (struct cell){CELL_PUBLISHED, PART_WHOLE, number, NULL, NULL};
}

void table_time(struct table *table, uint32_t row, uint32_t column, const struct figure *figure,
                enum part part)
{
    table->cell[row][column] = (struct cell){CELL_TIME, part, 0, figure, NULL};
}

void table_speedup(struct table *table, uint32_t row, uint32_t column, const struct figure *figure,
                   const struct figure *base)
{
    table->cell[row][column] = (struct cell){CELL_SPEEDUP, PART_WHOLE, 0, figure, base};
}

void table_grids(struct table *table, uint32_t row, uint32_t column, const struct figure *figure,
                 bool refused)
{
    table->cell[row][column] =
        (struct cell){refused ? CELL_SPILLS : CELL_GRIDS, PART_WHOLE, 0, figure, NULL};
}

void paper_note(struct paper *paper, const char *format, ...)
{
    if (paper->note_count == PAPER_NOTES_MAX)
        fail("%s: more than %u notes", paper->name, PAPER_NOTES_MAX);
    FORMAT(paper->note[paper->note_count], format);
    paper->note_count++;
}

struct plot *paper_plot(struct paper *paper, const struct table *table, uint32_t row_count,
                        uint32_t columns, bool joined, const char *x_label, const char *title)
{
    struct plot *plot;

    if (paper->plot_count == PAPER_PLOTS_MAX)
        fail("%s: more than %u plots", paper->name, PAPER_PLOTS_MAX);
    plot = &paper->plot[paper->plot_count++];
    plot->table = table;
    plot->row_count = row_count;
    plot->columns = columns;
    plot->joined = joined;
    snprintf(plot->x_label, sizeof plot->x_label, "%s", x_label);
    snprintf(plot->title, sizeof plot->title, "%s", title);
    return plot;
}

/* ---- Orderings ---------------------------------------------------------------------------- */

static struct ordering *add_ordering(struct paper *paper, double published)
{
    struct ordering *ordering;

    if (paper->ordering_count == PAPER_ORDERINGS_MAX)
        fail("%s: more than %u orderings", paper->name, PAPER_ORDERINGS_MAX);
    ordering = &paper->ordering[paper->ordering_count++];
    ordering->published = published;
    return ordering;
}

static bool ratio_of(const struct figure *left, enum part left_part, const struct figure *right,
                     enum part right_part, double *ratio)
{
    double a, b;

    if (!figure_mean(left, left_part, &a) || !figure_mean(right, right_part, &b) || b <= 0)
        return false;
    *ratio = a / b;
    return true;
}

void paper_at_most(struct paper *paper, const struct figure *left, enum part left_part,
                   const struct figure *right, enum part right_part, double most, double published,
                   const char *format, ...)
{
    struct ordering *ordering = add_ordering(paper, published);

    if (ratio_of(left, left_part, right, right_part, &ordering->value))
        ordering->state = ordering->value <= most ? ORDERING_HOLDS : ORDERING_FAILS;
    FORMAT(ordering->text, format);
}

void paper_at_least(struct paper *paper, const struct figure *left, enum part left_part,
                    const struct figure *right, enum part right_part, double least,
                    double published, const char *format, ...)
{
    struct ordering *ordering = add_ordering(paper, published);

    if (ratio_of(left, left_part, right, right_part, &ordering->value))
        ordering->state = ordering->value >= least ? ORDERING_HOLDS : ORDERING_FAILS;
    FORMAT(ordering->text, format);
}

void paper_claim(struct paper *paper, enum ordering_state state, double value, double published,
                 const char *format, ...)
{
    struct ordering *ordering = add_ordering(paper, published);

    ordering->state = state;
    ordering->value = value;
    FORMAT(ordering->text, format);
}
