/* trawl-bench: runs rows of contestants and writes their times. bench.h describes the input, and
 * README.md says how Python makes a benchmark of rows.
 *
 * Without arguments the program reads rows. `describe` prints facts about the build instead; `load`
 * plays many clients of a server (load.c). A row's contestants are made here, and race.c runs the
 * row.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

/* ---- Rows ----------------------------------------------------------------------------- */

/* Closes the row's contestants and questions, and empties it. */
static void row_close(struct bench_row *row)
{
    for (uint32_t i = 0; i < row->contestant_count; i++) {
        if (row->contestant[i].close != NULL)
            row->contestant[i].close(&row->contestant[i]);
        free(row->contestant[i].fields.line);
    }
    for (uint32_t i = 0; i < row->question_count; i++) {
        question_close(&row->question[i]);
        free(row->question[i].fields.line);
    }
    free(row->fields.line);
    memset(row, 0, sizeof *row);
}

/* Opens the row's questions, once the whole row is read: then texts that no question of the row
 * uses can be freed first. */
static void row_open(struct bench_row *row)
{
    texts_drop_unused(row->question, row->question_count);
    for (uint32_t i = 0; i < row->question_count; i++)
        question_open(&row->question[i]);
    for (uint32_t i = 0; i < row->contestant_count; i++) {
        struct contestant *it = &row->contestant[i];

        it->bytes = it->question->bytes_count;
        if (field(&row->fields, "memory", NULL) != NULL)
            it->memory_bytes = library_memory(it);
    }
}

/* Adds a contestant for the row's last question. The fields `kind`, `name`, `call`, `threads`
 * and `ours` are read here, the other fields by race.c and by the file of the contestant's kind. */
static void take_contestant(struct bench_row *row, struct fields *fields)
{
    struct contestant *it = &row->contestant[row->contestant_count];
    const char *kind = field(fields, "kind", "trawl");

    if (row->question_count == 0 || row->contestant_count == CONTESTANTS_MAX)
        fail("a contestant without a question, or more than %u", CONTESTANTS_MAX);
    row->contestant_count++;
    it->fields = *fields;
    it->name = field(fields, "name", kind);
    it->question = &row->question[row->question_count - 1];
    it->call = call_named(field(fields, "call", field(&it->question->fields, "call", "count")));
    it->threads = (uint32_t)field_number(fields, "threads", cores_count());
    it->ours = field(fields, "ours", NULL) != NULL;
    if (!library_contestant(it, kind) && !rival_contestant(it, kind) &&
        !hyperscan_contestant(it, kind) && !device_contestant(it, kind) &&
        !command_contestant(it, kind))
        fail("there is no contestant of kind '%s'", kind);
}

/* Runs a row that has contestants, and empties it for the next. */
static void row_finish(struct bench_row *row)
{
    if (row->contestant_count > 0) {
        row_open(row);
        row_run(row);
    }
    row_close(row);
}

/* Handles an input line: begins a row, or adds a question or a contestant to the current row.
 * `line` stays with the row. */
static void take_line(struct bench_row *row, char *line)
{
    struct fields fields;
    bool begins = strncmp(line, "row\t", 4) == 0, asks = strncmp(line, "ask\t", 4) == 0;

    if (begins)
        row_finish(row);
    else if (!asks && strncmp(line, "as\t", 3) != 0)
        fail("a line begins with none of row, ask and as: %.40s", line);
    fields_split(line, &fields);
    if (begins) {
        row->fields = fields;
    } else if (asks) {
        if (row->question_count == QUESTIONS_MAX)
            fail("a row has more than %u questions", QUESTIONS_MAX);
        row->question[row->question_count++].fields = fields;
    } else {
        take_contestant(row, &fields);
    }
}

/* ---- The program -------------------------------------------------------------------------- */

/* Prints facts about this build as JSON, for the head of a file of results. */
static int describe(void)
{
    const char *name;
    uint32_t engines;

    printf("{\"trawl\": \"%s\", \"compiler\": ", trawl_version());
#if defined(__clang__)
    print_json_string(stdout, __VERSION__);
#else
    print_json_string(stdout, "gcc " __VERSION__);
#endif
#define METHOD_WORD(member, number, word) ", \"" word "\""
    printf(", \"methods\": [%s]", (TRAWL_METHOD_LIST(METHOD_WORD)) + 2);
#undef METHOD_WORD
    printf(", \"instruction_set\": \"%s\", \"instruction_sets\": [", trawl_instruction_set(0));
    for (uint32_t i = 0; trawl_instruction_set(i) != NULL; i++)
        printf("%s\"%s\"", i > 0 ? ", " : "", trawl_instruction_set(i));
    printf("], \"hyperscan\": ");
    print_json_string(stdout, hyperscan_version() != NULL ? hyperscan_version() : "");
    printf(", \"algorithms\": {");
    for (uint32_t i = 0; (name = trawl_algorithm(i, NULL, &engines)) != NULL; i++)
        printf("%s\"%s\": %" PRIu32, i > 0 ? ", " : "", name, engines);
    printf("}}\n");
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench_row row;
    char *line = NULL;
    size_t room = 0;

    if (argc == 2 && strcmp(argv[1], "describe") == 0)
        return describe();
    if (argc == 5 && strcmp(argv[1], "load") == 0)
        return load_main(argv[2], argv[3], argv[4]);
    if (argc != 1) {
        fprintf(stderr, "trawl-bench reads rows on standard input; ./dev bench writes them\n");
        return 2;
    }
    while (getline(&line, &room, stdin) > 0)
        if (line[0] == '\n') /* an empty line ends a row */
            row_finish(&row);
        else
            take_line(&row, copy_text(line));
    row_finish(&row);
    texts_drop_unused(NULL, 0);
    free(line);
    library_close();
    return race_went_wrong() ? 1 : 0;
}
