/* response_other: writes the responses that are not lines of the files: how often each string
 * occurs, where each occurrence is, and which files there are. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/response_inside.h"
#include "serve/json.h"
#include "trawl/text/command_clock.h"

#define NAME_BYTES 512u /* memory that is counted for each file's name in JSON */

/* Appends a value to an array. Returns false, with the array freed and NULL, if out of memory. */
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

/* Sums over the collections of a response. */
struct sums {
    uint64_t occurrences, files, unread, bytes, positions;
};

static struct sums sums_of(const struct response *response)
{
    struct sums sums = {0};

    for (size_t i = 0; i < response->share_count; i++) {
        const struct response_share *share = &response->shares[i];

        sums.occurrences += share->pass.occurrence_count;
        sums.files += share->pass.file_count;
        sums.unread += share->pass.unread_count;
        sums.unread += share->view != NULL ? share->view->error_count : 0;
        sums.bytes += share->pass.searched_bytes;
        sums.positions += share->pass.position_count;
    }
    return sums;
}

/* Returns the JSON line with the response to a request for counts (REQUEST_COUNT). The caller frees
 * it. NULL: out of memory. */
static char *count_line(struct response *response, const struct patterns *patterns)
{
    const struct sums sums = sums_of(response);
    json_t *counts = json_array();
    bool good = counts != NULL;

    for (uint64_t i = 0; good && patterns != NULL && i < patterns->column_count; i++) {
        uint64_t column = patterns->columns[i], count = 0;

        for (size_t j = 0; j < response->share_count && column < PATTERN_NEVER; j++)
            if (response->shares[j].pass.pattern_counts != NULL)
                count += response->shares[j].pass.pattern_counts[column];
        good = append(&counts, number(count));
    }
    const struct json_answer_values values = {.count_occurrences = sums.occurrences,
                                              .count_files = sums.files,
                                              .count_patterns = counts,
                                              .count_unread = sums.unread,
                                              .count_bytes = sums.bytes,
                                              .count_seconds =
                                                  (double)(now_ns() - response->begin_ns) * 1e-9,
                                              .count_shared = response->shared_count};

    return text_line(json_answer_pack(JSON_count, &values));
}

/* Writes an integer as bytes_count bytes, the lowest byte first. */
static void put_little(struct output *output, uint64_t value, unsigned bytes_count)
{
    output_need(output, bytes_count);
    for (unsigned i = 0; i < bytes_count; i++)
        output->bytes[output->used++] = (uint8_t)(value >> 8 * i);
}

/* Appends the names of those files of a collection that have an occurrence among the positions. The
 * names come in the order of the view (the files that the request means), as the positions do. Sets
 * *names to NULL if out of memory. */
static void add_names(const struct response_share *share, json_t **names)
{
    const struct pass_request *pass = &share->pass;
    struct view_names buffer = {0};
    uint64_t item = 0;

    for (uint64_t i = 0; i < pass->position_count && *names != NULL; i++) {
        const char *name;

        if (i > 0 && pass->positions[i].file == pass->positions[i - 1].file)
            continue;
        while (share->view->files[item] != pass->positions[i].file)
            item++;
        name = view_name(share->view, share->state, item++, &buffer);
        (void)append(names, name == NULL ? NULL : text_value(name, strlen(name)));
    }
    free(buffer.bytes);
}

/* Returns an array with one index for each pattern of the plan: the first of the client's strings
 * that equal the pattern. Returns NULL if out of memory. */
static uint32_t *string_numbers(const struct patterns *patterns)
{
    uint32_t *numbers = calloc((size_t)patterns->count + 1, sizeof *numbers);

    for (uint64_t i = patterns->column_count; numbers != NULL && i-- > 0;)
        if (patterns->columns[i] < PATTERN_NEVER)
            numbers[patterns->columns[i]] = (uint32_t)i;
    return numbers;
}

/* Returns the JSON line that comes before the columns. The caller frees it. NULL: out of memory. */
static char *columns_line(const struct response *response)
{
    const struct sums sums = sums_of(response);
    json_t *names = json_array();

    for (size_t i = 0; i < response->share_count; i++)
        add_names(&response->shares[i], &names);
    const struct json_answer_values values = {.columns_count = sums.positions,
                                              .columns_total = sums.occurrences,
                                              .columns_unread = sums.unread,
                                              .columns_columns =
                                                  json_pack("[sss]", "begin", "file", "pattern"),
                                              .columns_files = names};

    return text_line(json_answer_pack(JSON_columns, &values));
}

/* Writes one of the three columns `begin`, `file` and `pattern`. */
static void put_column(struct response *response, unsigned column, const uint32_t *numbers)
{
    uint64_t file = UINT64_MAX;

    for (size_t i = 0; i < response->share_count; i++) {
        const struct pass_request *pass = &response->shares[i].pass;

        for (uint64_t j = 0; j < pass->position_count; j++) {
            const struct pass_position *at = &pass->positions[j];

            file += j == 0 || at->file != at[-1].file;
            put_little(&response->output,
                       column == 0   ? at->begin
                       : column == 1 ? file
                                     : numbers[at->pattern],
                       column == 0 ? 8 : 4);
        }
    }
}

void response_write(struct response *response, const struct patterns *patterns)
{
    bool counts = response->request.format == REQUEST_COUNT;
    bool has_room =
        guard_take(&response->request.guard, counts ? 0 : sums_of(response).files * NAME_BYTES);
    char *line = !has_room ? NULL
                 : counts  ? count_line(response, patterns)
                           : columns_line(response);
    uint32_t *numbers = counts || patterns == NULL ? NULL : string_numbers(patterns);

    if (line == NULL || (numbers == NULL && !counts && patterns != NULL)) {
        response_refuse(response, 503, "memory exhausted");
    } else {
        response_accept(response);
        output_text(&response->output, line);
        for (unsigned i = 0; i < 3 && numbers != NULL; i++)
            put_column(response, i, numbers);
        output_flush(&response->output);
    }
    free(numbers);
    free(line);
}

int response_count(void *context, struct command_job *job, const struct value_item *operands,
                   size_t operand_count)
{
    struct response *response = context;
    const struct settings *settings = job->settings;
    uint64_t left = response->request.results_max;

    if (job->patterns->check.any ||
        ((settings->whole_lines || settings->expressions) && settings->line_end != '\n')) {
        response_refuse(
            response, 422,
            job->patterns->check.any
                ? "a string is not valid text in the server's charset, so it cannot be counted"
                : "counts and columns are not served with -z beside -x or regular expressions");
        return EXIT_ERROR;
    }
    if (!response_look(response, job, operands, operand_count))
        return EXIT_ERROR;
    for (size_t i = 0; i < response->share_count && job->patterns->count > 0; i++) {
        struct pass_request *pass = &response->shares[i].pass;

        pass->wants_counts = response->request.format == REQUEST_COUNT;
        pass->wants_positions = !pass->wants_counts;
        pass->positions_max = left;
        if (!response_pass(response, &response->shares[i], pass, job->patterns)) {
            response_refuse_pass(response, pass);
            return EXIT_ERROR;
        }
        left -= pass->position_count;
    }
    response_write(response, job->patterns);
    return EXIT_SELECTED;
}

/* Writes a line for each file of a collection. */
static void list_files(struct response *response, const struct response_share *share)
{
    const struct served_order *order = share->state->order;
    struct output *output = &response->output;

    for (uint32_t i = 0; order != NULL && i < order->counts[0] && output->error == 0; i++) {
        const struct served_file *file = share->state->files[order->items[i]];
        const char *prefix = share->prefix != NULL ? share->prefix : "";
        char *name = NULL, *line = NULL;
        int bytes = response_is_over(response)
                        ? -1
                        : asprintf(&name, "%s%s%s", prefix, *prefix != '\0' ? "/" : "", file->path);
        const struct json_answer_values values = {
            .file_path = bytes < 0 ? NULL : text_value(name, (size_t)bytes),
            .file_bytes = (uint64_t)file->supplied.status.st_size,
            .file_held = file->block != NULL};

        if (values.file_path != NULL)
            line = text_line(json_answer_pack(JSON_file, &values));
        if (line == NULL)
            output->error = ECANCELED; /* ends the response early */
        else
            output_text(output, line);
        output_commit(output);
        free(line);
        if (bytes >= 0)
            free(name);
    }
}

int response_list(struct response *response)
{
    char message[SETTINGS_ERROR_BYTES] = "memory exhausted";

    for (size_t i = 0; i < response->share_count; i++) {
        response->shares[i].state = collection_now(response->shares[i].collection, message);
        if (response->shares[i].state == NULL) {
            response_refuse(response, 503, message);
            return EXIT_ERROR;
        }
    }
    response_accept(response);
    for (size_t i = 0; i < response->share_count && !response->request.is_head; i++)
        list_files(response, &response->shares[i]);
    return EXIT_SELECTED;
}
