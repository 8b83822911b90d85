/* names: --files: the names of the files that would be searched. */
#include "trawl/names.h"

#include <dirent.h>

#include "trawl/walk.h"

#define OPEN_LEVELS 32u

static void print_name(struct command_job *job, const char *name)
{
    const struct colors *colors = &job->settings->colors;
    struct output *output = job->output;
    char separator = job->settings->path_separator;

    colors_begin(colors, output, colors->file_name);
    for (const char *at = name; *at != '\0'; at++)
        output_byte(output, (uint8_t)(separator != 0 && *at == '/' ? separator : *at));
    colors_end(colors, output, colors->file_name);
    output_byte(output, job->settings->null_after_name ? '\0' : '\n');
}

/* Would a search leave it out? */
static bool is_skipped(const struct command_job *job, const struct walk *walk,
                       const struct walk_item *item)
{
    if (!item->is_operand)
        return item->type != DT_REG;
    return walk_skips_operand(walk, item->name, false) ||
           (item->type != DT_REG && walk_skips_devices(job->settings, true));
}

static void take(struct command_job *job, const struct walk *walk, const struct walk_item *item)
{
    switch (item->kind) {
    case WALK_FILE:
        if (is_skipped(job, walk, item))
            break;
        job->selected = true;
        if (!job->settings->quiet)
            print_name(job, item->name);
        break;
    case WALK_INPUT:
        job->selected = true;
        if (!job->settings->quiet)
            print_name(job, item->name);
        break;
    case WALK_LOOP:
        if (!job->settings->no_messages)
            job_message(job, "%s: warning: recursive directory loop", item->name);
        break;
    case WALK_NOTE:
        job_message(job, "%s", item->name);
        break;
    case WALK_ERROR:
        job_file_error(job, item->name, item->os_code);
        break;
    }
}

int names_print(struct command_job *job, const struct value_item *operands, size_t operand_count)
{
    struct walk walk;
    struct walk_item item;

    walk_open(&walk, job, operands, operand_count, OPEN_LEVELS);
    while (!(job->selected && job->settings->quiet) && job->output->error == 0 &&
           walk_next(&walk, &item))
        take(job, &walk, &item);
    if (walk.tree != NULL)
        tree_close(walk.tree);
    output_flush(job->output);
    if (job->selected && job->settings->quiet)
        return EXIT_SELECTED;
    return job->error_seen ? EXIT_ERROR : job->selected ? EXIT_SELECTED : EXIT_NOT_SELECTED;
}
