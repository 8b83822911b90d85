/* answer_count: writes the answers that are not lines: how often each string occurs, where each
 * occurrence is, and which files there are. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/answering.h"
#include "serve/answers.h"
#include "serve/serve_text.h"
#include "trawl/text/command_clock.h"

#define NAME_BYTES 512u /* memory for a file's name while it becomes JSON */

/* ---- JSON -------------------------------------------------------------------------------------
 */

/* Appends a value to an array. False: out of memory; the array is freed and NULL. */
static bool append(json_t **array, json_t *value)
{
    if (*array != NULL && json_array_append_new(*array, value) == 0)
        return true;
    json_decref(*array);
    *array = NULL;
    return false;
}

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* ---- Counts -----------------------------------------------------------------------------------
 */

/* Returns the JSON line of REQUEST_COUNT, to be freed. NULL: out of memory. */
static char *count_line(struct served_answer *answer, const struct patterns *patterns)
{
    const struct pass_request *pass = &answer->pass;
    json_t *counts = json_array();
    bool good = counts != NULL;

    for (uint64_t i = 0; good && patterns != NULL && i < patterns->column_count; i++) {
        uint64_t column = patterns->columns[i];

        good = append(&counts, number(column < PATTERN_NEVER && pass->pattern_counts != NULL
                                          ? pass->pattern_counts[column]
                                          : 0));
    }
    const struct answer_values values = {
        .count_occurrences = pass->occurrence_count,
        .count_files = pass->file_count,
        .count_patterns = counts,
        .count_unread = pass->unread_count + answer->files.unlisted_count,
        .count_bytes = pass->searched_bytes,
        .count_seconds = (double)(now_ns() - answer->begin_ns) * 1e-9,
        .count_shared = answer->shared_count};

    return text_line(answers_pack(ANSWER_count, &values));
}

/* ---- Columns ----------------------------------------------------------------------------------
 */

/* Writes an integer of bytes_count bytes, lowest byte first. */
static void put_little(struct output *output, uint64_t value, unsigned bytes_count)
{
    output_need(output, bytes_count);
    for (unsigned i = 0; i < bytes_count; i++)
        output->bytes[output->used++] = (uint8_t)(value >> 8 * i);
}

/* Returns the names of the files with an occurrence, in the view's order, in which the positions
 * are sorted, too. NULL: out of memory. */
static json_t *file_names(const struct served_answer *answer)
{
    const struct pass_request *pass = &answer->pass;
    struct view_names buffer = {0};
    json_t *names = json_array();
    uint64_t item = 0;

    for (uint64_t i = 0; i < pass->position_count && names != NULL; i++) {
        const char *name;

        if (i > 0 && pass->positions[i].file == pass->positions[i - 1].file)
            continue;
        while (answer->view->files[item] != pass->positions[i].file)
            item++;
        name = view_name(answer->view, answer->state, item++, &buffer);
        (void)append(&names, name == NULL ? NULL : text_value(name, strlen(name)));
    }
    free(buffer.bytes);
    return names;
}

/* Returns for each pattern of the plan the number of the first string that the client gave for it.
 * NULL: out of memory. */
static uint32_t *string_numbers(const struct patterns *patterns)
{
    uint32_t *numbers = calloc((size_t)patterns->count + 1, sizeof *numbers);

    for (uint64_t i = patterns->column_count; numbers != NULL && i-- > 0;)
        if (patterns->columns[i] < PATTERN_NEVER)
            numbers[patterns->columns[i]] = (uint32_t)i;
    return numbers;
}

/* Returns the JSON line that precedes the columns, to be freed. NULL: out of memory. */
static char *columns_line(const struct served_answer *answer)
{
    const struct pass_request *pass = &answer->pass;
    const struct answer_values values = {
        .columns_count = pass->position_count,
        .columns_total = pass->occurrence_count,
        .columns_unread = pass->unread_count + answer->files.unlisted_count,
        .columns_columns = json_pack("[sss]", "begin", "file", "pattern"),
        .columns_files = file_names(answer)};

    return text_line(answers_pack(ANSWER_columns, &values));
}

/* Writes the three columns `begin`, `file` and `pattern`, one after the other. */
static void put_columns(struct served_answer *answer, const uint32_t *numbers)
{
    const struct pass_request *pass = &answer->pass;
    struct output *output = &answer->output;
    uint64_t file = 0;

    for (uint64_t i = 0; i < pass->position_count; i++)
        put_little(output, pass->positions[i].begin, 8);
    for (uint64_t i = 0; i < pass->position_count; i++) {
        file += i > 0 && pass->positions[i].file != pass->positions[i - 1].file;
        put_little(output, file, 4);
    }
    for (uint64_t i = 0; i < pass->position_count; i++)
        put_little(output, numbers[pass->positions[i].pattern], 4);
}

/* ---- Both -------------------------------------------------------------------------------------
 */

void answering_write(struct served_answer *answer, const struct patterns *patterns)
{
    bool counts = answer->request.format == REQUEST_COUNT;
    bool has_room =
        guard_take(&answer->request.guard, counts ? 0 : answer->pass.file_count * NAME_BYTES);
    char *line = !has_room ? NULL : counts ? count_line(answer, patterns) : columns_line(answer);
    uint32_t *numbers = counts || patterns == NULL ? NULL : string_numbers(patterns);

    if (line == NULL || (numbers == NULL && !counts && patterns != NULL)) {
        answering_refuse(answer, 503, "memory exhausted");
    } else {
        answering_begins(answer);
        output_text(&answer->output, line);
        if (numbers != NULL)
            put_columns(answer, numbers);
        output_flush(&answer->output);
    }
    free(numbers);
    free(line);
}

int answering_count(void *context, struct command_job *job, const struct value_item *operands,
                    size_t operand_count)
{
    struct served_answer *answer = context;
    struct pass_request *pass = &answer->pass;
    const struct settings *settings = job->settings;

    if (job->patterns->check.any ||
        ((settings->whole_lines || settings->expressions) && settings->line_end != '\n')) {
        answering_refuse(
            answer, 422,
            job->patterns->check.any
                ? "a string is not valid text in the server's charset, so it cannot be counted"
                : "counts and columns are not served with -z beside -x or regular expressions");
        return EXIT_ERROR;
    }
    if (!answering_look(answer, job, operands, operand_count))
        return EXIT_ERROR;
    answer->files.unlisted_count = answer->view->error_count;
    if (job->patterns->count > 0) {
        pass->wants_counts = answer->request.format == REQUEST_COUNT;
        pass->wants_positions = !pass->wants_counts;
        pass->positions_max = answer->request.results_max;
        if (!answering_pass(answer, job->patterns)) {
            answering_refuse(answer, 503,
                             *pass->message != '\0'      ? pass->message
                             : answer->server->is_ending ? "the server is ending"
                             : answer->truncated
                                 ? "the search took longer than the server or the request allows"
                                 : "cancelled");
            return EXIT_ERROR;
        }
    }
    answering_write(answer, job->patterns);
    return EXIT_SELECTED;
}

/* ---- Files ------------------------------------------------------------------------------------
 */

int answering_list(struct served_answer *answer)
{
    char message[SETTINGS_ERROR_BYTES] = "memory exhausted";
    struct output *output = &answer->output;
    const struct served_order *order;

    answer->state = collection_now(answer->collection, message);
    if (answer->state == NULL) {
        answering_refuse(answer, 503, message);
        return EXIT_ERROR;
    }
    answering_begins(answer);
    order = answer->state->order;
    for (uint32_t i = 0;
         order != NULL && i < order->counts[0] && output->error == 0 && !answer->request.is_head;
         i++) {
        const struct served_file *file = answer->state->files[order->items[i]];
        char *line = NULL;

        const struct answer_values values = {
            .file_path =
                answering_is_over(answer) ? NULL : text_value(file->path, strlen(file->path)),
            .file_bytes = (uint64_t)file->supplied.status.st_size,
            .file_held = file->block != NULL};

        if (values.file_path != NULL)
            line = text_line(answers_pack(ANSWER_file, &values));
        if (line == NULL)
            output->error = ECANCELED; /* the answer breaks off */
        else
            output_text(output, line);
        output_commit(output);
        free(line);
    }
    return EXIT_SELECTED;
}
