/* engine_regex: searches for plans of expressions, by means of the host's engine and RE2. */
#ifndef TRAWL_REGEX_ENGINE_REGEX_H
#define TRAWL_REGEX_ENGINE_REGEX_H

#include "engine.h"

/* Bytes of a step, without the line in which the step ends. Tests set fewer bytes. */
extern uint64_t regex_step_bytes;
/* A scan ends inside a line once its result holds this many hits. Tests set fewer hits. */
extern uint64_t regex_part_hits;

extern const struct engine_ops engine_regex;

/* Compiles the plan's expressions, to report mistakes when the plan is built. */
enum trawl_status regex_prepare(const struct trawl_plan *plan, struct trawl_error *error);
/* Does the work of trawl_expression_groups and trawl_expression_group. */
enum trawl_status regex_groups(const struct trawl_plan *plan, uint64_t pattern_index,
                               const void *line, uint64_t line_bytes, uint64_t begin, uint64_t end,
                               struct trawl_range *groups, uint64_t groups_max,
                               struct trawl_error *error);
uint64_t regex_group(const struct trawl_plan *plan, uint64_t pattern_index, const char *name,
                     uint64_t name_bytes);

#endif
