/* calls: the library's calls in short forms: what it reports about plans and texts, as values, and
 * texts in memory or from a descriptor. */
#ifndef TRAWL_CALLS_H
#define TRAWL_CALLS_H

#include "trawl.h"

/* Returns what a plan was built with, about a pattern, and the number of its group with a name; all
 * zeros for a plan that is NULL. */
static inline struct trawl_plan_told describe_group(const struct trawl_plan *plan,
                                                    uint64_t pattern_index, const char *name,
                                                    uint64_t name_bytes)
{
    struct trawl_plan_told told = {.size = sizeof told,
                                   .pattern_index = pattern_index,
                                   .group_name = name,
                                   .group_name_bytes = name_bytes};

    return trawl_plan_tell(plan, &told, NULL) == TRAWL_OK ? told : (struct trawl_plan_told){0};
}

static inline struct trawl_plan_told describe_plan(const struct trawl_plan *plan,
                                                   uint64_t pattern_index)
{
    return describe_group(plan, pattern_index, NULL, 0);
}

static inline struct trawl_text_told describe_text(const struct trawl_text *text)
{
    struct trawl_text_told told = {.size = sizeof told};

    return trawl_text_tell(text, &told, NULL) == TRAWL_OK ? told : (struct trawl_text_told){0};
}

static inline enum trawl_status open_memory(const void *bytes, uint64_t bytes_count,
                                            struct trawl_text **text, struct trawl_error *error)
{
    const struct trawl_text_options options = TRAWL_TEXT_MEMORY(bytes, bytes_count);

    return trawl_text_open(NULL, &options, text, error);
}

static inline enum trawl_status open_descriptor(int descriptor, const char *name, uint32_t flags,
                                                struct trawl_text **text, struct trawl_error *error)
{
    const struct trawl_text_options options = {.size = sizeof options,
                                               .flags = flags,
                                               .source = TRAWL_SOURCE_DESCRIPTOR,
                                               .descriptor = descriptor};

    return trawl_text_open(name, &options, text, error);
}

/* Finds the groups of one match in a line; trawl_line_groups costs less for several. */
static inline enum trawl_status groups_of_match(const struct trawl_plan *plan,
                                                uint64_t pattern_index, const void *line,
                                                uint64_t line_bytes, struct trawl_range match,
                                                struct trawl_range *groups, uint64_t groups_max,
                                                struct trawl_error *error)
{
    struct trawl_line *opened = NULL;
    enum trawl_status status =
        trawl_line_open(plan, pattern_index, line, line_bytes, NULL, &opened, error);

    if (status == TRAWL_OK)
        status = trawl_line_groups(opened, match, groups, groups_max, error);
    trawl_line_close(opened);
    return status;
}

/* Tells whether a file that begins with these bytes is compressed, if there is memory to ask. */
enum packed_state { PACKED_NO, PACKED_YES, PACKED_UNKNOWN };
static inline enum packed_state packed_state_of(const void *bytes, uint64_t bytes_count)
{
    struct trawl_text *text = NULL;
    enum packed_state packed = PACKED_UNKNOWN;

    if (open_memory(bytes, bytes_count, &text, NULL) == TRAWL_OK)
        packed = describe_text(text).compression != NULL ? PACKED_YES : PACKED_NO;
    trawl_text_close(text);
    return packed;
}

#endif
