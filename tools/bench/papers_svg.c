/* papers_svg: the plots of a report, one panel under another, in one file.
 *
 * The y axis is logarithmic, and so is x where the rows are numbers; else a row is a place. Colours
 * are those of Okabe and Ito (2008); what a source printed is dashed and has open marks. */
#include <math.h>
#include <string.h>

#include "bench/papers.h"

#define WIDTH 1180.0
#define LEFT 150.0
#define RIGHT 860.0
#define LEGEND_X 884.0
#define PANEL_HEIGHT 430.0
#define PANEL_TOP 64.0
#define PANEL_BOTTOM 340.0
#define HEAD 36.0
#define LEGEND_STEP 18.0

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#666666", "#000000"};
#define COLOURS (sizeof colours / sizeof colours[0])

struct panel {
    FILE *file;
    const struct plot *plot;
    double top;
    double least, most;     /* of the y axis: powers of ten */
    double x_least, x_most; /* of the x axis where rows are numbers */
    bool x_is_number;
};

/* Text of names: what XML would take for itself. */
static void print_text(FILE *file, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            fputc(*text, file);
}

static bool wants_column(const struct plot *plot, uint32_t column)
{
    return (plot->columns >> column & 1) != 0;
}

static bool point_value(const struct plot *plot, uint32_t row, uint32_t column, double *value)
{
    const struct table *table = plot->table;

    return cell_value(table, &table->cell[plot->row_begin + row][column], value) && *value > 0;
}

/* Powers of ten around all values; false where there is none. */
static bool find_ranges(struct panel *panel)
{
    const struct plot *plot = panel->plot;
    const double *numbers = plot->table->row_number + plot->row_begin;
    bool any = false;
    double value;

    panel->x_is_number = plot->row_count > 1;
    panel->x_least = panel->x_most = numbers[0];
    for (uint32_t row = 0; row < plot->row_count; row++) {
        panel->x_is_number = panel->x_is_number && numbers[row] > 0;
        panel->x_least = fmin(panel->x_least, numbers[row]);
        panel->x_most = fmax(panel->x_most, numbers[row]);
        for (uint32_t column = 0; column < plot->table->column_count; column++) {
            if (!wants_column(plot, column) || !point_value(plot, row, column, &value))
                continue;
            panel->least = any ? fmin(panel->least, value) : value;
            panel->most = any ? fmax(panel->most, value) : value;
            any = true;
        }
    }
    if (!any)
        return false;
    panel->least = pow(10, floor(log10(panel->least)));
    panel->most = pow(10, ceil(log10(panel->most * 1.0001)));
    panel->x_is_number = panel->x_is_number && panel->x_most > panel->x_least;
    return true;
}

static double place_x(const struct panel *panel, uint32_t row)
{
    const struct plot *plot = panel->plot;
    double part = (row + 0.5) / plot->row_count;

    if (panel->x_is_number)
        part = log(plot->table->row_number[plot->row_begin + row] / panel->x_least) /
               log(panel->x_most / panel->x_least);
    return LEFT + (RIGHT - LEFT) * part;
}

static double place_y(const struct panel *panel, double value)
{
    double part = log(value / panel->least) / log(panel->most / panel->least);

    return panel->top + PANEL_BOTTOM - (PANEL_BOTTOM - PANEL_TOP) * part;
}

static void draw_axes(const struct panel *panel)
{
    const struct plot *plot = panel->plot;
    double value = panel->least;
    FILE *file = panel->file;

    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">", LEFT,
            panel->top + PANEL_TOP - 16);
    print_text(file, plot->title);
    fprintf(file, "</text>\n");
    while (value <= panel->most * 1.01) {
        fprintf(file,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, place_y(panel, value), RIGHT, place_y(panel, value), LEFT - 8,
                place_y(panel, value) + 4, value);
        value *= 10;
    }
    for (uint32_t row = 0; row < plot->row_count; row++) {
        double x = place_x(panel, row), y = panel->top + PANEL_BOTTOM;

        fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#eee\"/>\n",
                x, y, x, panel->top + PANEL_TOP);
        fprintf(file,
                "<text transform=\"translate(%.1f %.1f) rotate(-24)\" text-anchor=\"end\" "
                "font-size=\"11\">",
                x + 4, y + 16);
        print_text(file, plot->table->row[plot->row_begin + row]);
        fprintf(file, "</text>\n");
    }
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" fill=\"#444\">", RIGHT,
            panel->top + PANEL_TOP - 16);
    print_text(file, plot->x_label);
    fprintf(file,
            "</text>\n<text transform=\"translate(60 %.1f) rotate(-90)\" "
            "text-anchor=\"middle\">",
            panel->top + (PANEL_TOP + PANEL_BOTTOM) / 2);
    print_text(file, plot->table->unit);
    fprintf(file, " (logarithmic)</text>\n");
}

static bool is_published(const struct plot *plot, uint32_t column)
{
    for (uint32_t row = 0; row < plot->row_count; row++)
        if (plot->table->cell[plot->row_begin + row][column].kind == CELL_PUBLISHED)
            return true;
    return false;
}

static void draw_line(const struct panel *panel, uint32_t column, const char *colour,
                      bool published)
{
    const struct plot *plot = panel->plot;
    double value;

    if (plot->joined) {
        fprintf(panel->file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
                colour, published ? " stroke-dasharray=\"5 4\"" : "");
        for (uint32_t row = 0; row < plot->row_count; row++)
            if (point_value(plot, row, column, &value))
                fprintf(panel->file, "%.1f,%.1f ", place_x(panel, row), place_y(panel, value));
        fprintf(panel->file, "\"/>\n");
    }
    for (uint32_t row = 0; row < plot->row_count; row++) {
        if (!point_value(plot, row, column, &value))
            continue;
        fprintf(panel->file,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" stroke=\"%s\" fill=\"%s\"><title>",
                place_x(panel, row), place_y(panel, value), colour, published ? "#fff" : colour);
        print_text(panel->file, plot->table->row[plot->row_begin + row]);
        fprintf(panel->file, ": %.4g</title></circle>\n", value);
    }
}

static void draw_lines(const struct panel *panel)
{
    const struct plot *plot = panel->plot;
    uint32_t drawn = 0;

    for (uint32_t column = 0; column < plot->table->column_count; column++) {
        const char *colour = colours[drawn % COLOURS];
        bool published = is_published(plot, column), any = false;
        double y = panel->top + PANEL_TOP + LEGEND_STEP * drawn, value;

        for (uint32_t row = 0; row < plot->row_count && wants_column(plot, column); row++)
            any = any || point_value(plot, row, column, &value);
        if (!any)
            continue;
        draw_line(panel, column, colour, published);
        fprintf(panel->file,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"3\"%s/>\n<text x=\"%.1f\" y=\"%.1f\">",
                LEGEND_X, y, LEGEND_X + 24, y, colour, published ? " stroke-dasharray=\"5 4\"" : "",
                LEGEND_X + 30, y + 4);
        print_text(panel->file, plot->table->column[column]);
        fprintf(panel->file, "</text>\n");
        drawn++;
    }
}

void papers_svg(const struct papers *papers, const struct paper *paper, FILE *file)
{
    double height = HEAD + PANEL_HEIGHT * paper->plot_count;
    uint32_t drawn = 0;

    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#111\">\n"
            "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n",
            WIDTH, height, WIDTH, height, WIDTH, height);
    fprintf(file, "<text x=\"%.1f\" y=\"26\" font-size=\"16\" font-weight=\"bold\">", LEFT);
    print_text(file, paper->title);
    fprintf(file, "</text>\n<text x=\"%.1f\" y=\"26\" fill=\"#444\" text-anchor=\"end\">",
            WIDTH - 20);
    print_text(file, papers->machine.processor);
    fprintf(file, "; GPU: ");
    print_text(file, papers->device[0] != '\0' ? papers->device : "none");
    fprintf(file, "; %s</text>\n", papers->machine.date);
    for (uint32_t i = 0; i < paper->plot_count; i++) {
        struct panel panel = {.file = file, .plot = &paper->plot[i]};

        panel.top = HEAD + PANEL_HEIGHT * drawn;
        if (!find_ranges(&panel))
            continue;
        draw_axes(&panel);
        draw_lines(&panel);
        drawn++;
    }
    fprintf(file, "</svg>\n");
}
