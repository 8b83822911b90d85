/* command: whole programs as contestants, timed from their start to the end of wait4.
 *
 * kind=command argv=PROGRAM|ARGUMENT|... [feed=PROGRAM|ARGUMENT|...]
 *   argv, feed   | stands for the byte 0x1f. feed: a program that writes into the other's standard
 *                input
 * Of the question: bag=1, lines may come in any order; expect=TEXT, what is right (\n: a line end).
 * The kernel's account of a program's memory begins with what the process holds that starts it. So
 * rows of commands ask about no text.
 * The answer is the output: the same bytes and the same status as the row's first contestant's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

#define ARGUMENTS_MAX 24u
#define SEPARATOR "\x1f"

struct program {
    const char *argument[ARGUMENTS_MAX + 1], *feeder[ARGUMENTS_MAX + 1];
    char *bytes[2];
};

static void split(char *line, const char **list)
{
    char *rest = line, *word;
    uint32_t count = 0;

    while ((word = strsep(&rest, SEPARATOR)) != NULL) {
        if (count == ARGUMENTS_MAX)
            fail("a command has more than %u words", ARGUMENTS_MAX);
        list[count++] = word;
    }
    list[count] = NULL;
}

static bool is_as_expected(const char *expect, const struct outcome *outcome)
{
    char right[256];
    uint64_t used = 0;

    for (; *expect != '\0' && used + 1 < sizeof right; expect++) {
        bool line_end = expect[0] == '\\' && expect[1] == 'n';

        right[used++] = line_end ? '\n' : *expect;
        expect += line_end;
    }
    return outcome->output_bytes == used &&
           outcome->head_hash == process_hash((const uint8_t *)right, used);
}

static void run_command(struct contestant *it, bool full, struct bench_run *run)
{
    const struct program *program = (const struct program *)it->state;
    const struct command command = {program->argument,
                                    program->bytes[1] != NULL ? program->feeder : NULL};
    const char *expect = field(&it->question->fields, "expect", NULL);
    bool bag = field(&it->question->fields, "bag", NULL) != NULL;
    struct outcome outcome;

    process_run(&command, full, &outcome);
    run->seconds = outcome.seconds;
    run->memory_bytes = outcome.memory_bytes;
    run->output_bytes = outcome.output_bytes;
    run->status = outcome.status;
    if (outcome.status > 1)
        snprintf(run->why, sizeof run->why, "it ended with status %d", outcome.status);
    run->answer.count = outcome.output_bytes;
    run->answer.summed = !bag || full;
    run->answer.sum =
        answer_mix(bag ? outcome.lines_hash : outcome.head_hash, (uint64_t)outcome.status, 0);
    if (full && !bag)
        run->answer.sum = answer_mix(outcome.output_hash, (uint64_t)outcome.status, 0);
    else if (!bag && outcome.output_bytes > OUTPUT_HEAD_BYTES)
        run->answer.summed = false; /* its head alone is known: its length has to do */
    if (expect != NULL && !is_as_expected(expect, &outcome))
        run->answer.count = UINT64_MAX;
}

static void close_command(struct contestant *it)
{
    struct program *program = (struct program *)it->state;

    free(program->bytes[0]);
    free(program->bytes[1]);
    free(program);
}

bool command_contestant(struct contestant *contestant, const char *kind)
{
    const char *argv = field(&contestant->fields, "argv", NULL);
    const char *feed = field(&contestant->fields, "feed", NULL);
    struct program *program;

    if (strcmp(kind, "command") != 0)
        return false;
    if (argv == NULL)
        fail("a command without argv: %s", contestant->name);
    program = (struct program *)allocate(sizeof *program);
    program->bytes[0] = copy_text(argv);
    split(program->bytes[0], program->argument);
    if (feed != NULL) {
        program->bytes[1] = copy_text(feed);
        split(program->bytes[1], program->feeder);
    }
    contestant->state = program;
    contestant->agrees = true;
    contestant->run = run_command;
    contestant->close = close_command;
    return true;
}
