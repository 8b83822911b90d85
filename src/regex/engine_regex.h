/* engine_regex: searches for plans of expressions, by means of RE2 and of the host's or the
 * devices' engine. */
#ifndef TRAWL_REGEX_ENGINE_REGEX_H
#define TRAWL_REGEX_ENGINE_REGEX_H

#include "engine.h"

/* Bytes of a step, without the line in which the step ends. Tests set fewer bytes. */
extern uint64_t regex_step_bytes;
/* A scan ends inside a line once its result holds this many hits. Tests set fewer hits. */
extern uint64_t regex_part_hits;

extern const struct engine_ops engine_regex;

#endif
