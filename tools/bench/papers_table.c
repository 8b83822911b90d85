/* papers_table: tables, orderings and plots of one report, as they are put together. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/papers.h"

#define MEAN_APART 0.05  /* of the median */
#define SPREAD_WIDE 50.0 /* percent of the median */
#define PUBLISHED_DECIMALS_MAX 6

#define FORMAT(text, format)                                   \
    do {                                                       \
        va_list arguments;                                     \
        va_start(arguments, format);                           \
        (void)vsnprintf(text, sizeof text, format, arguments); \
        va_end(arguments);                                     \
    } while (0)

/* ---- Figures ------------------------------------------------------------------------------ */

#define PART_KEY(name, key, label) key,
#define PART_LABEL(name, key, label) label,
const char *const part_keys[PARTS] = {PART_LIST(PART_KEY)};
const char *const part_labels[PARTS] = {PART_LIST(PART_LABEL)};
#undef PART_KEY
#undef PART_LABEL

static bool is_measured(const struct figure *figure, enum part part)
{
    return figure->state == FIGURE_MEASURED && figure->part[part].count > 0;
}

bool figure_median(const struct figure *figure, enum part part, double *seconds)
{
    if (!is_measured(figure, part))
        return false;
    *seconds = samples_median(&figure->part[part]) * figure->factor;
    return true;
}

bool figure_mean(const struct figure *figure, enum part part, double *seconds)
{
    if (!is_measured(figure, part))
        return false;
    *seconds = samples_mean(&figure->part[part]) * figure->factor;
    return true;
}

void figure_keep(struct figure *figure, const double seconds[PARTS])
{
    bool on_device = seconds[PART_KERNEL] > 0, own = seconds[PART_SEARCH] > 0;

    samples_add(&figure->part[PART_WHOLE], seconds[PART_WHOLE]);
    if (on_device || seconds[PART_PLAN] > 0)
        samples_add(&figure->part[PART_PLAN], seconds[PART_PLAN]);
    for (uint32_t part = PART_PLAN + 1; part <= PART_COPIES && on_device; part++)
        samples_add(&figure->part[part], seconds[part]);
    for (uint32_t part = PART_READY; part <= PART_SEARCH && own; part++)
        samples_add(&figure->part[part], seconds[part]);
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
    figure->runs = 1;
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
        if (!(table->means ? figure_mean : figure_median)(cell->figure, cell->part, &seconds))
            return false;
        *value = seconds * table->per_second;
        return true;
    case CELL_SPEEDUP:
        if (!figure_median(cell->figure, PART_WHOLE, &seconds) ||
            !figure_median(cell->base, PART_WHOLE, &base) || seconds <= 0)
            return false;
        *value = base / seconds;
        return true;
    case CELL_GRIDS:
    case CELL_SPILLS:
    case CELL_WITHHELD:
        *value = (double)(cell->kind == CELL_GRIDS    ? cell->figure->child_grids
                          : cell->kind == CELL_SPILLS ? cell->figure->child_spills
                                                      : cell->figure->child_withheld);
        return cell->figure->state == FIGURE_MEASURED;
    default:
        return false;
    }
}

/* Three digits that count; zeros after them are left to the reader. */
void number_text(double value, char text[NAME_BYTES])
{
    double size = fabs(value);
    int digits = size >= 100 || value == 0 ? 0
                 : size >= 10              ? 1
                 : size >= 1               ? 2
                 : size >= 0.1             ? 3
                                           : 4;

    snprintf(text, NAME_BYTES, "%.*f", digits, value);
}

/* What a median alone does not say: another mean, runs that lie apart, runs that are missing. */
static void append_doubts(const struct table *table, const struct cell *cell, char text[NAME_BYTES])
{
    const struct samples *samples = &cell->figure->part[cell->part];
    double median = samples_median(samples), mean = samples_mean(samples);
    size_t used = strlen(text);
    char number[NAME_BYTES];

    if (cell->kind == CELL_TIME && !table->means && fabs(mean - median) > MEAN_APART * median) {
        number_text(mean * cell->figure->factor * table->per_second, number);
        used += (size_t)snprintf(text + used, NAME_BYTES - used, " (%.12s)", number);
    }
    if (samples_spread_percent(samples) > SPREAD_WIDE)
        used += (size_t)snprintf(text + used, NAME_BYTES - used, " ~");
    if (samples->count < cell->figure->runs)
        (void)snprintf(text + used, NAME_BYTES - used, " [%u]", samples->count);
}

/* Decimals that the source's numbers have: as many as the one that needs most. */
static int published_decimals(const struct table *table)
{
    int most = 0;

    for (uint32_t row = 0; row < table->row_count; row++)
        for (uint32_t column = 0; column < table->column_count; column++) {
            const struct cell *cell = &table->cell[row][column];
            double scaled = cell->number;
            int decimals = 0;

            for (; cell->kind == CELL_PUBLISHED && decimals < PUBLISHED_DECIMALS_MAX &&
                   fabs(scaled - nearbyint(scaled)) > 1e-6 * scaled;
                 decimals++)
                scaled *= 10;
            most = decimals > most ? decimals : most;
        }
    return most;
}

void cell_text(const struct table *table, const struct cell *cell, char text[NAME_BYTES])
{
    double value;

    if (cell_value(table, cell, &value) && cell->kind >= CELL_GRIDS)
        snprintf(text, NAME_BYTES, "%.0f", value);
    else if (cell_value(table, cell, &value) && cell->kind == CELL_PUBLISHED)
        snprintf(text, NAME_BYTES, "%.*f", published_decimals(table), value);
    else if (cell_value(table, cell, &value)) {
        number_text(value, text);
        append_doubts(table, cell, text);
    } else if (cell->kind == CELL_EMPTY)
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

void table_caption(struct table *table, const char *format, ...)
{
    FORMAT(table->caption, format);
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
                 enum cell_kind kind)
{
    table->cell[row][column] = (struct cell){kind, PART_WHOLE, 0, figure, NULL};
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

/* ---- Where the time goes ------------------------------------------------------------------ */

void paper_parts(struct paper *paper, uint32_t first, const char *caption)
{
    static const enum part parts[] = {PART_PLAN,     PART_MEMORY, PART_COPY_IN, PART_KERNEL,
                                      PART_COPY_OUT, PART_HOST,   PART_OTHER,   PART_WHOLE};
    struct table *table = paper_table(paper, 1e3, "ms, means", "on what, who",
                                      "Where the time of the device's algorithms goes");

    table->means = table->folded = true;
    table_caption(table, "%s", caption);
    for (uint32_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        (void)table_column(table, "%s", part_labels[parts[k]]);
    for (uint32_t i = first; i < paper->figure_count; i++) {
        const struct figure *figure = &paper->figure[i];
        uint32_t row;

        if (figure->side != SIDE_PUBLISHED ||
            (figure->host != HOST_GPU && figure->host != HOST_GPU_OWN))
            continue;
        row = table_row(table, "%.48s: %.40s", figure->on, figure->who);
        for (uint32_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            table_time(table, row, k, figure, parts[k]);
    }
}

void paper_own_parts(struct paper *paper, uint32_t first)
{
    static const enum part parts[] = {PART_PLAN, PART_READY, PART_SEARCH, PART_WHOLE};
    struct table *table =
        paper_table(paper, 1e3, "ms", "on what, who", "Where trawl's own time goes");

    table->folded = true;
    table_caption(table, "Copies for the device and searches are sums over all threads and "
                         "workers, which run at the same time, so the parts of a row do not add "
                         "up to its total. A search on a device includes its tables, copies and "
                         "kernels.");
    for (uint32_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        (void)table_column(table, "%s", part_labels[parts[k]]);
    for (uint32_t i = first; i < paper->figure_count; i++) {
        const struct figure *figure = &paper->figure[i];
        uint32_t row;

        if (figure->side != SIDE_OWN || figure->host == HOST_COMMAND)
            continue;
        row = table_row(table, "%.48s: %.40s", figure->on, figure->who);
        for (uint32_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            table_time(table, row, k, figure, parts[k]);
    }
}
