/* held: files that somebody holds in memory, which a job searches instead of walking directories.
 */
#ifndef TRAWL_HELD_H
#define TRAWL_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct command_job;
struct value_item;
struct walk_item;

/* One file, in walk_item.held. Lasts as long as the job. */
struct held_file {
    const uint8_t *bytes; /* NULL: it is opened when it is searched */
    uint64_t bytes_count;
    struct stat status;
};

struct held {
    void *context;
    /* Before the first next: the files that the operands name. The plan is made. Sets
     * job->show_names and job->left_out as a walk does; what is wrong is said through the job. */
    void (*begin)(void *context, struct command_job *job, const struct value_item *operands,
                  size_t operand_count);
    /* As walk_next, with item->held set where item->kind is WALK_FILE. A name lasts as long as the
     * job. item->holds_nothing may be set where no string of the plan occurs in the file. */
    bool (*next)(void *context, struct walk_item *item);
    /* A descriptor of an item's file, at its beginning; -1: errno says why. From any thread. */
    int (*open)(void *context, const struct walk_item *item);
    /* Not NULL: called with the plan instead of all that, and returns the exit status. */
    int (*run)(void *context, struct command_job *job, const struct value_item *operands,
               size_t operand_count);
};

#endif
