/* svg: the plot of `trawl-bench cpu`.
 *
 * Both axes are logarithmic: lengths go over four powers of ten, and a plan that skips text reaches
 * many times the read speed while a flooded one may stay at a tenth. Colours are those of Okabe and
 * Ito (2008), told apart by the colour-blind; patterns that are absent have dashed lines and open
 * marks. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/svg.h"
#include "bench/util.h"

#define WIDTH 1220.0
#define HEIGHT 520.0
#define PANEL_WIDTH 460.0
#define PANEL_TOP 96.0
#define PANEL_BOTTOM 456.0
#define PANEL_LEFT 84.0
#define PANEL_STEP 590.0
#define LABELLED_RANGE 4096.0 /* of the y axis: each line has a number */
#define LEGEND_STEP 130.0
#define LENGTH_LEAST 1.0
#define LENGTH_MOST 4096.0

struct plot {
    FILE *file;
    const struct rows *rows;
    double least, most; /* of the y axis */
};

static const struct {
    const char *alphabet, *colour, *label;
} lines[] = {
    {"az", "#0072b2", "random letters"},
    {"english", "#d55e00", "English"},
    {"dna", "#009e73", "DNA"},
    {"periodic", "#cc79a7", "periodic"},
};
#define LINES (sizeof lines / sizeof lines[0])

static double row_value(const struct row *row, bool all)
{
    return all ? row_ratio(&row->all, &row->read_all) : row_ratio(&row->one, &row->read_one);
}

static bool is_point(const struct row *row, const char *alphabet, const char *kind)
{
    return strcmp(row->alphabet, alphabet) == 0 && strcmp(row->kind, kind) == 0;
}

static double place_x(uint32_t panel, double length)
{
    double part = log(length / LENGTH_LEAST) / log(LENGTH_MOST / LENGTH_LEAST);

    return PANEL_LEFT + PANEL_STEP * panel + PANEL_WIDTH * part;
}

static double place_y(const struct plot *plot, double value)
{
    double part = log(value / plot->least) / log(plot->most / plot->least);

    return PANEL_BOTTOM - (PANEL_BOTTOM - PANEL_TOP) * part;
}

/* Powers of two around all values, with 1 among them. */
static void find_range(struct plot *plot)
{
    plot->least = 0.5;
    plot->most = 2;
    for (uint32_t i = 0; i < plot->rows->count; i++) {
        const struct row *row = &plot->rows->row[i];

        for (int all = 0; all < 2; all++) {
            double value = row_value(row, all != 0);

            if (strcmp(row->alphabet, "worst") == 0 || value <= 0)
                continue;
            while (value < plot->least)
                plot->least /= 2;
            while (value > plot->most)
                plot->most *= 2;
        }
    }
}

static void draw_axes(const struct plot *plot, uint32_t panel, const char *title)
{
    double left = place_x(panel, LENGTH_LEAST), right = place_x(panel, LENGTH_MOST);
    int label_step = plot->most / plot->least > LABELLED_RANGE ? 2 : 1; /* powers of two */
    FILE *file = plot->file;

    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">%s</text>\n", left,
            PANEL_TOP - 14, title);
    for (int power = ilogb(plot->least); power <= ilogb(plot->most); power++) {
        double value = ldexp(1, power), y = place_y(plot, value);
        bool is_one = power == 0;

        fprintf(file,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                "stroke-width=\"%s\"/>\n",
                left, y, right, y, is_one ? "#444" : "#ddd", is_one ? "1.6" : "1");
        if (power % label_step == 0)
            fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s%.0f</text>\n",
                    left - 8, y + 4, value < 1 ? "1/" : "", value < 1 ? 1 / value : value);
    }
    for (uint32_t length = (uint32_t)LENGTH_LEAST; length <= (uint32_t)LENGTH_MOST; length *= 4) {
        double x = place_x(panel, length);

        fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n",
                x, PANEL_TOP, x, PANEL_BOTTOM);
        fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%" PRIu32 "</text>\n", x,
                PANEL_BOTTOM + 18, length);
    }
    fprintf(file,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">length of the pattern, bytes "
            "(logarithmic)</text>\n",
            (left + right) / 2, PANEL_BOTTOM + 40);
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" fill=\"#444\">read speed</text>\n", right + 6,
            place_y(plot, 1) + 4);
}

static void draw_line(const struct plot *plot, uint32_t panel, size_t line, bool present)
{
    const char *kind = present ? "present" : "absent", *separator = "";
    FILE *file = plot->file;

    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
            lines[line].colour, present ? "" : " stroke-dasharray=\"5 4\"");
    for (uint32_t i = 0; i < plot->rows->count; i++) {
        const struct row *row = &plot->rows->row[i];

        if (!is_point(row, lines[line].alphabet, kind))
            continue;
        fprintf(file, "%s%.1f,%.1f", separator, place_x(panel, (double)row->pattern_bytes),
                place_y(plot, row_value(row, panel == 1)));
        separator = " ";
    }
    fprintf(file, "\"/>\n");
    for (uint32_t i = 0; i < plot->rows->count; i++) {
        const struct row *row = &plot->rows->row[i];

        if (is_point(row, lines[line].alphabet, kind))
            fprintf(file,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" stroke=\"%s\" fill=\"%s\">"
                    "<title>%s: %.2f</title></circle>\n",
                    place_x(panel, (double)row->pattern_bytes),
                    place_y(plot, row_value(row, panel == 1)), lines[line].colour,
                    present ? lines[line].colour : "#fff", row->name, row_value(row, panel == 1));
    }
}

static void draw_legend(const struct plot *plot)
{
    const size_t line_count = LINES;
    FILE *file = plot->file;

    for (uint32_t i = 0; i < LINES; i++) {
        double x = PANEL_LEFT + LEGEND_STEP * i;

        fprintf(file,
                "<line x1=\"%.1f\" y1=\"56\" x2=\"%.1f\" y2=\"56\" stroke=\"%s\" "
                "stroke-width=\"3\"/>\n",
                x, x + 24, lines[i].colour);
        fprintf(file, "<text x=\"%.1f\" y=\"60\">%s</text>\n", x + 30, lines[i].label);
    }
    fprintf(file,
            "<text x=\"%.1f\" y=\"60\" fill=\"#444\">solid: the pattern occurs; dashed: it "
            "does not</text>\n",
            PANEL_LEFT + LEGEND_STEP * (double)line_count + 20);
}

static void draw_title(const struct plot *plot, const struct machine *machine)
{
    fprintf(plot->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
            "width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" font-size=\"12\" "
            "fill=\"#111\">\n<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(plot->file,
            "<text x=\"%.1f\" y=\"28\" font-size=\"16\" font-weight=\"bold\">Counting one pattern "
            "in %.4g MiB of memory, as a multiple of the memory's read speed</text>\n",
            PANEL_LEFT, (double)plot->rows->text_bytes / (1u << 20));
    fprintf(plot->file,
            "<text x=\"%.1f\" y=\"28\" fill=\"#444\" text-anchor=\"end\">%s, %s, %s</text>\n",
            PANEL_LEFT + PANEL_STEP + PANEL_WIDTH, machine->processor, machine->instruction_set,
            machine->date);
    fprintf(plot->file,
            "<text transform=\"translate(22 %.1f) rotate(-90)\" text-anchor=\"middle\">speed / "
            "read speed (logarithmic)</text>\n",
            (PANEL_TOP + PANEL_BOTTOM) / 2);
}

void svg_draw(const struct rows *rows, const struct machine *machine, const struct options *options)
{
    struct plot plot = {NULL, rows, 1, 1};
    char title[64];

    if (options->svg_path == NULL)
        return;
    plot.file = result_open(options->svg_path);
    find_range(&plot);
    draw_title(&plot, machine);
    draw_legend(&plot);
    for (uint32_t panel = 0; panel < 2; panel++) {
        snprintf(title, sizeof title, "%" PRIu32 " thread%s", panel == 0 ? 1 : rows->threads,
                 panel == 0 || rows->threads == 1 ? "" : "s");
        draw_axes(&plot, panel, title);
        for (size_t line = 0; line < LINES; line++) {
            draw_line(&plot, panel, line, true);
            draw_line(&plot, panel, line, false);
        }
    }
    fprintf(plot.file, "</svg>\n");
    result_close(plot.file, options->svg_path);
}
