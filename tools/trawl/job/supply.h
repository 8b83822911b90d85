/* supply: lets a job search files that its caller supplies, such as the server's files in memory,
 * instead of walking directories. */
#ifndef TRAWL_SUPPLY_H
#define TRAWL_SUPPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct command_job;
struct trawl_searcher;
struct value_item;
struct walk_item;

/* A supplied file, to which walk_item.supplied points. Lasts as long as the job. */
struct supplied_file {
    const uint8_t *bytes; /* NULL: the file is opened when it is searched */
    uint64_t bytes_count;
    struct stat status; /* the file's status when it was read */
};

struct supply {
    void *context;
    /* Selects the files that the operands name. Called once, before the first `next` and after the
     * plan was built (except with --files, which has no plan). Sets job->show_names and
     * job->left_out as a walk does, and reports errors through the job. */
    void (*begin)(void *context, struct command_job *job, const struct value_item *operands,
                  size_t operand_count);
    /* Like walk_next, and sets item->supplied where item->kind is WALK_FILE. The name of
     * an operand lasts as long as the job, another name until the next call. May set
     * item->holds_nothing where no string of the plan occurs in the file. */
    bool (*next)(void *context, struct walk_item *item);
    /* Returns a descriptor of an item's file, positioned at the file's beginning; -1: errno says
     * why. Called from any thread. */
    int (*open)(void *context, const struct walk_item *item);
    /* Called with each searcher that the job opens with searchers_open, and with NULL before the
     * job closes its searchers, so that another thread can cancel the searchers' calls. False: no
     * memory. */
    bool (*watch)(void *context, struct trawl_searcher *searcher);
    /* If not NULL, called after the plan was built instead of the functions above. Returns the exit
     * status. */
    int (*run)(void *context, struct command_job *job, const struct value_item *operands,
               size_t operand_count);
};

#endif
