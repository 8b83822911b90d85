/* papers_data: every figure of the reports as JSON and as CSV. */
#include <inttypes.h>
#include <string.h>

#include "bench/papers.h"

static const char *state_word(const struct figure *figure)
{
    return figure->state == FIGURE_MEASURED ? "measured" : figure_state_name(figure->state);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void json_pair(FILE *file, const char *name, const char *value)
{
    print_json_string(file, name);
    fprintf(file, ": ");
    print_json_string(file, value);
}

static void json_pair_next(FILE *file, const char *name, const char *value)
{
    json_pair(file, name, value);
    fprintf(file, ", ");
}

static void json_samples(FILE *file, enum part part, const struct samples *samples)
{
    if (samples->count == 0)
        return;
    fprintf(file, ", \"%s_seconds\": ", part_keys[part]);
    print_json_samples(file, samples);
}

static void json_figure(FILE *file, const struct figure *figure)
{
    fprintf(file, "      {");
    json_pair_next(file, "who", figure->who);
    json_pair_next(file, "on", figure->on);
    json_pair(file, "state", state_word(figure));
    if (figure->note[0] != '\0') {
        fprintf(file, ", ");
        json_pair(file, "note", figure->note);
    }
    fprintf(file,
            ", \"host\": %d, \"side\": %d, \"runs\": %" PRIu32
            ", \"factor\": %.17g, \"child_grids\": %" PRIu64 ", \"child_spills\": %" PRIu64
            ", \"child_withheld\": %" PRIu64 ", \"chunks\": %" PRIu64 ", \"occurrences\": %" PRIu64
            ", \"answers\": %" PRIu64,
            (int)figure->host, (int)figure->side, figure->runs, figure->factor, figure->child_grids,
            figure->child_spills, figure->child_withheld, figure->chunks, figure->occurrences,
            figure->answers);
    for (uint32_t part = 0; part < PARTS; part++)
        json_samples(file, (enum part)part, &figure->part[part]);
    fprintf(file, "}");
}

/* A measured cell names its figures by their place in the report's list. */
static void json_cell(FILE *file, const struct paper *paper, const struct table *table,
                      const struct cell *cell)
{
    static const char *const kinds[] = {"empty",
                                        "published",
                                        "time",
                                        "speed-up",
                                        "child grids",
                                        "refused launches",
                                        "withheld launches"};
    double value;

    fprintf(file, "{\"kind\": \"%s\"", kinds[cell->kind]);
    if (cell_value(table, cell, &value))
        fprintf(file, ", \"value\": %.9g", value);
    if (cell->figure != NULL)
        fprintf(file, ", \"part\": \"%s\", \"state\": \"%s\", \"figure\": %td",
                part_keys[cell->part], state_word(cell->figure), cell->figure - paper->figure);
    if (cell->base != NULL)
        fprintf(file, ", \"base\": %td", cell->base - paper->figure);
    fprintf(file, "}");
}

static void json_names(FILE *file, const char *name, char names[][NAME_BYTES], uint32_t count)
{
    fprintf(file, ", \"%s\": [", name);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(file, "%s", i > 0 ? ", " : "");
        print_json_string(file, names[i]);
    }
    fprintf(file, "]");
}

static void json_table(FILE *file, const struct paper *paper, struct table *table)
{
    fprintf(file, "      {");
    json_pair_next(file, "title", table->title);
    json_pair_next(file, "unit", table->unit);
    json_pair_next(file, "corner", table->corner);
    json_pair(file, "caption", table->caption);
    fprintf(file, ", \"means\": %d, \"folded\": %d, \"per_second\": %.17g", table->means,
            table->folded, table->per_second);
    json_names(file, "columns", table->column, table->column_count);
    json_names(file, "rows", table->row, table->row_count);
    fprintf(file, ", \"cells\": [\n");
    for (uint32_t row = 0; row < table->row_count; row++)
        for (uint32_t column = 0; column < table->column_count; column++) {
            fprintf(file, "        %s", column == 0 ? "[" : " ");
            json_cell(file, paper, table, &table->cell[row][column]);
            fprintf(file, "%s\n",
                    column + 1 < table->column_count ? ","
                    : row + 1 < table->row_count     ? "],"
                                                     : "]");
        }
    fprintf(file, "      ]}");
}

static void json_case(FILE *file, const struct paper *paper, const struct claim_case *one)
{
    fprintf(file, "\n        {");
    json_pair(file, "name", one->name);
    fprintf(file, ", \"x\": %.17g, \"published\": %.17g, \"left\": %td, \"right\": %td", one->x,
            one->published, one->left - paper->figure, one->right - paper->figure);
    fprintf(file, ", \"left_part\": \"%s\", \"right_part\": \"%s\"", part_keys[one->left_part],
            part_keys[one->right_part]);
    if (one->base_left != NULL)
        fprintf(file, ", \"base_left\": %td, \"base_right\": %td", one->base_left - paper->figure,
                one->base_right - paper->figure);
    fprintf(file, "}");
}

static void json_claims(FILE *file, const struct paper *paper)
{
    static const char *const kinds[CLAIM_KINDS] = {"ratio", "gain", "best", "crossings"};
    char text[SENTENCE_BYTES];

    fprintf(file, "    \"claims\": [");
    for (uint32_t i = 0; i < paper->claim_count; i++) {
        const struct claim *claim = &paper->claim[i];
        struct claim_count count = claim_count(claim);

        fprintf(file, "%s\n      {", i > 0 ? "," : "");
        json_pair_next(file, "left", claim->left);
        json_pair_next(file, "right", claim->right);
        json_pair_next(file, "unit", claim->unit);
        json_pair(file, "published", claim->published);
        fprintf(file, ", \"kind\": \"%s\", \"ours\": %d, \"at_least\": %d, \"bound\": %.17g",
                kinds[claim->kind], claim->ours, claim->at_least, claim->bound);
        fprintf(file,
                ", \"known\": %" PRIu32 ", \"holds\": %" PRIu32 ", \"sentence\": ", count.known,
                count.holds);
        print_json_string(file, claim_sentence(claim, text) ? text : "");
        fprintf(file, ", \"cases\": [");
        for (uint32_t k = 0; k < claim->count; k++) {
            fprintf(file, "%s", k > 0 ? "," : "");
            json_case(file, paper, &claim->cases[k]);
        }
        fprintf(file, "]}");
    }
    fprintf(file, "\n    ]\n");
}

static void json_paper(FILE *file, struct paper *paper)
{
    fprintf(file, "    {");
    json_pair_next(file, "paper", paper->name);
    json_pair_next(file, "source", paper->source);
    json_pair(file, "hardware", paper->hardware);
    fprintf(file, ", \"load_after\": %.2f, \"notes\": [", paper->load_after);
    for (uint32_t i = 0; i < paper->note_count; i++) {
        fprintf(file, "%s", i > 0 ? ", " : "");
        print_json_string(file, paper->note[i]);
    }
    fprintf(file, "],\n    \"figures\": [\n");
    for (uint32_t i = 0; i < paper->figure_count; i++) {
        json_figure(file, &paper->figure[i]);
        fprintf(file, "%s\n", i + 1 < paper->figure_count ? "," : "");
    }
    fprintf(file, "    ],\n    \"tables\": [\n");
    for (uint32_t i = 0; i < paper->table_count; i++) {
        json_table(file, paper, &paper->table[i]);
        fprintf(file, "%s\n", i + 1 < paper->table_count ? "," : "");
    }
    fprintf(file, "    ],\n");
    json_claims(file, paper);
    fprintf(file, "    }");
}

void papers_json(const struct papers *papers, struct paper *const *paper, uint32_t paper_count,
                 FILE *file)
{
    fprintf(file, "{\n  \"benchmark\": \"papers\", \"form\": %d,\n  \"machine\": ", PAPERS_FORM);
    machine_print_json(&papers->machine, papers->options, file);
    fprintf(file, ",\n  ");
    json_pair_next(file, "gpu", papers->device[0] != '\0' ? papers->device : "none");
    json_pair_next(file, "no_gpu_because", papers->device[0] != '\0' ? "" : papers->no_device);
    json_pair(file, "grep", papers->grep_version);
    fprintf(file, ", \"load_before\": %.2f", papers->load_begin);
    fprintf(file,
            ",\n  \"answers_compared\": %" PRIu64 ", \"wrong\": %" PRIu32 ", \"failed\": %" PRIu32
            ",\n  \"papers\": [\n",
            papers->check_count, papers->wrong_count, papers->failed_count);
    for (uint32_t i = 0; i < paper_count; i++) {
        json_paper(file, paper[i]);
        fprintf(file, "%s\n", i + 1 < paper_count ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
}

/* ---- CSV ---------------------------------------------------------------------------------- */

static void csv_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputs("\",", file);
}

static void csv_cell(FILE *file, const struct paper *paper, const struct table *table, uint32_t row,
                     uint32_t column)
{
    const struct cell *cell = &table->cell[row][column];
    const struct figure *figure = cell->figure;
    const struct samples *samples;
    double value;

    if (cell->kind == CELL_EMPTY)
        return;
    csv_string(file, paper->name);
    csv_string(file, table->title);
    csv_string(file, table->row[row]);
    csv_string(file, table->column[column]);
    csv_string(file, table->unit);
    csv_string(file, cell->kind == CELL_PUBLISHED ? "published" : state_word(figure));
    if (cell_value(table, cell, &value))
        fprintf(file, "%.6g", value);
    if (cell->kind == CELL_PUBLISHED) {
        fprintf(file, ",,,,,,,\n");
        return;
    }
    samples = &figure->part[cell->part];
    fprintf(file, ",%s,%" PRIu32, part_keys[cell->part], samples->count);
    if (samples->count > 0)
        fprintf(file, ",%" PRIu32 ",%.9f,%.9f,%.9f,%.9f\n", figure->runs, samples_median(samples),
                samples_mean(samples), samples_least(samples), samples_most(samples));
    else
        fprintf(file, ",%" PRIu32 ",,,,\n", figure->runs);
}

void papers_csv_head(FILE *file)
{
    fprintf(file, "paper,table,row,column,unit,state,value,part,runs,wanted_runs,"
                  "median_seconds,mean_seconds,least_seconds,"
                  "most_seconds\n");
}

void papers_csv(const struct paper *paper, FILE *file)
{
    for (uint32_t i = 0; i < paper->table_count; i++)
        for (uint32_t row = 0; row < paper->table[i].row_count; row++)
            for (uint32_t column = 0; column < paper->table[i].column_count; column++)
                csv_cell(file, paper, &paper->table[i], row, column);
}
