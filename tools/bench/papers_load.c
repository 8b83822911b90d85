/* papers_load: what papers_json wrote, back as reports, so that the page can be made and checked
 * from the figures alone. */
#include <string.h>

#include "bench/json.h"
#include "bench/papers.h"

#define LINE_BYTES 4096u

static void copy_text(const struct json *object, const char *name, char *to, size_t to_bytes)
{
    snprintf(to, to_bytes, "%s", json_text(object, name));
}

static bool has(const struct json *object, const char *name)
{
    return json_find(object, name) != NULL;
}

/* A number that is an index below `count`. */
static uint32_t index_of(const struct json *object, const char *name, uint32_t count)
{
    double number = json_number(object, name);

    if (number < 0 || number >= count)
        fail("the JSON's \"%s\" is out of its range", name);
    return (uint32_t)number;
}

static enum part part_of(const struct json *object, const char *name)
{
    const char *key = json_text(object, name);

    for (uint32_t part = 0; part < PARTS; part++)
        if (strcmp(part_keys[part], key) == 0)
            return (enum part)part;
    fail("the JSON has a part \"%s\"", key);
}

static enum figure_state state_of(const char *word)
{
    if (strcmp(word, "measured") == 0)
        return FIGURE_MEASURED;
    for (uint32_t state = 0; state < FIGURE_STATES; state++)
        if (strcmp(figure_state_name((enum figure_state)state), word) == 0)
            return (enum figure_state)state;
    fail("the JSON has a state \"%s\"", word);
}

/* 0 where an older run did not write it. */
static uint64_t count_of(const struct json *from, const char *name)
{
    return has(from, name) ? (uint64_t)json_number(from, name) : 0;
}

static void load_figure(const struct json *from, struct figure *figure)
{
    copy_text(from, "who", figure->who, sizeof figure->who);
    copy_text(from, "on", figure->on, sizeof figure->on);
    figure->state = state_of(json_text(from, "state"));
    if (has(from, "note"))
        copy_text(from, "note", figure->note, sizeof figure->note);
    figure->host = (enum host)index_of(from, "host", HOST_FUNCTION + 1);
    figure->side = (enum side)index_of(from, "side", SIDES);
    figure->runs = index_of(from, "runs", SAMPLES_MAX + 1);
    figure->factor = json_number(from, "factor");
    figure->child_grids = (uint64_t)json_number(from, "child_grids");
    figure->child_spills = (uint64_t)json_number(from, "child_spills");
    figure->child_withheld = (uint64_t)json_number(from, "child_withheld");
    figure->chunks = count_of(from, "chunks");
    figure->occurrences = count_of(from, "occurrences");
    figure->answers = count_of(from, "answers");
    for (uint32_t part = 0; part < PARTS; part++) {
        char name[NAME_BYTES];

        snprintf(name, sizeof name, "%s_seconds", part_keys[part]);
        if (!has(from, name))
            continue;
        for (const struct json *at = json_list(from, name); at != NULL; at = at->next)
            samples_add(&figure->part[part], at->number);
    }
}

static void load_cell(const struct json *from, struct paper *paper, struct table *table,
                      uint32_t row, uint32_t column)
{
    const char *kind = json_text(from, "kind");
    const struct figure *figure = NULL;

    if (strcmp(kind, "empty") == 0)
        return;
    if (strcmp(kind, "published") == 0) {
        table_published(table, row, column, json_number(from, "value"));
        return;
    }
    figure = &paper->figure[index_of(from, "figure", paper->figure_count)];
    if (strcmp(kind, "time") == 0)
        table_time(table, row, column, figure, part_of(from, "part"));
    else if (strcmp(kind, "speed-up") == 0)
        table_speedup(table, row, column, figure,
                      &paper->figure[index_of(from, "base", paper->figure_count)]);
    else
        table_grids(table, row, column, figure,
                    strcmp(kind, "child grids") == 0        ? CELL_GRIDS
                    : strcmp(kind, "refused launches") == 0 ? CELL_SPILLS
                                                            : CELL_WITHHELD);
}

static void load_table(const struct json *from, struct paper *paper)
{
    struct table *table =
        paper_table(paper, json_number(from, "per_second"), json_text(from, "unit"),
                    json_text(from, "corner"), "%s", json_text(from, "title"));
    uint32_t row = 0;

    table_caption(table, "%s", json_text(from, "caption"));
    table->means = json_number(from, "means") > 0;
    table->folded = json_number(from, "folded") > 0;
    for (const struct json *at = json_list(from, "columns"); at != NULL; at = at->next)
        (void)table_column(table, "%s", at->text);
    for (const struct json *at = json_list(from, "rows"); at != NULL; at = at->next)
        (void)table_row(table, "%s", at->text);
    for (const struct json *cells = json_list(from, "cells"); cells != NULL; cells = cells->next) {
        uint32_t column = 0;

        for (const struct json *at = cells->first; at != NULL; at = at->next, column++) {
            if (row >= table->row_count || column >= table->column_count)
                fail("the JSON has more cells than rows and columns");
            load_cell(at, paper, table, row, column);
        }
        row++;
    }
}

static void load_case(const struct json *from, const struct paper *paper, struct claim *claim)
{
    const struct figure *all = paper->figure;
    uint32_t count = paper->figure_count;
    struct claim_case *one =
        claim_add(claim, json_text(from, "name"), &all[index_of(from, "left", count)],
                  part_of(from, "left_part"), &all[index_of(from, "right", count)],
                  part_of(from, "right_part"));

    one->x = json_number(from, "x");
    one->published = json_number(from, "published");
    if (has(from, "base_left")) {
        one->base_left = &all[index_of(from, "base_left", count)];
        one->base_right = &all[index_of(from, "base_right", count)];
    }
}

static void load_claim(const struct json *from, struct paper *paper)
{
    static const char *const kinds[CLAIM_KINDS] = {"ratio", "gain", "best", "crossings"};
    const char *word = json_text(from, "kind");
    uint32_t kind = 0;
    struct claim *claim;

    while (kind < CLAIM_KINDS && strcmp(kinds[kind], word) != 0)
        kind++;
    if (kind == CLAIM_KINDS)
        fail("the JSON has a claim of kind \"%s\"", word);
    claim = paper_claim(paper, (enum claim_kind)kind, json_number(from, "ours") > 0,
                        json_text(from, "left"), json_text(from, "right"));
    claim->at_least = json_number(from, "at_least") > 0;
    claim->bound = json_number(from, "bound");
    copy_text(from, "unit", claim->unit, sizeof claim->unit);
    copy_text(from, "published", claim->published, sizeof claim->published);
    for (const struct json *at = json_list(from, "cases"); at != NULL; at = at->next)
        load_case(at, paper, claim);
}

static struct paper *load_paper(const struct json *from)
{
    struct paper *paper = paper_open(json_text(from, "paper"));

    if (paper == NULL)
        fail("the JSON has a report \"%s\"", json_text(from, "paper"));
    paper->load_after = json_number(from, "load_after");
    for (const struct json *at = json_list(from, "notes"); at != NULL; at = at->next)
        paper_note(paper, "%s", at->text);
    for (const struct json *at = json_list(from, "figures"); at != NULL; at = at->next)
        load_figure(at, paper_figure(paper));
    for (const struct json *at = json_list(from, "tables"); at != NULL; at = at->next)
        load_table(at, paper);
    for (const struct json *at = json_list(from, "claims"); at != NULL; at = at->next)
        load_claim(at, paper);
    return paper;
}

static void load_machine(const struct json *from, struct papers *papers, struct options *options)
{
    static char line[LINE_BYTES];
    struct machine *machine = &papers->machine;

    copy_text(from, "processor", machine->processor, sizeof machine->processor);
    copy_text(from, "system", machine->system, sizeof machine->system);
    copy_text(from, "compiler", machine->compiler, sizeof machine->compiler);
    copy_text(from, "commit", machine->commit, sizeof machine->commit);
    copy_text(from, "date", machine->date, sizeof machine->date);
    copy_text(from, "instruction_set", machine->instruction_set, sizeof machine->instruction_set);
    copy_text(from, "trawl", machine->version, sizeof machine->version);
    machine->cores = (uint32_t)json_number(from, "cores");
    machine->memory_bytes = (uint64_t)json_number(from, "memory_bytes");
    copy_text(from, "command", line, sizeof line);
    options->line = line;
}

uint32_t papers_load(const char *path, struct papers *papers, struct options *options,
                     struct paper *paper[PAPERS_MAX])
{
    struct json *from = json_read(path);
    const struct json *form = json_find(from, "form");
    uint32_t count = 0;

    if (form == NULL || (uint32_t)form->number != PAPERS_FORM) {
        json_close(from);
        return 0;
    }
    papers->options = options;
    load_machine(json_find(from, "machine"), papers, options);
    copy_text(from, "gpu", papers->device, sizeof papers->device);
    if (strcmp(papers->device, "none") == 0)
        papers->device[0] = '\0';
    copy_text(from, "no_gpu_because", papers->no_device, sizeof papers->no_device);
    copy_text(from, "grep", papers->grep_version, sizeof papers->grep_version);
    papers->load_begin = json_number(from, "load_before");
    for (const struct json *at = json_list(from, "papers"); at != NULL; at = at->next) {
        if (count == PAPERS_MAX)
            fail("%s: more than %u reports", path, PAPERS_MAX);
        paper[count++] = load_paper(at);
    }
    json_close(from);
    return count;
}
