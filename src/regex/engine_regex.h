/* engine_regex: searches for plans of expressions, by means of RE2 and of the host's or the
 * devices' engine. */
#ifndef TRAWL_REGEX_ENGINE_REGEX_H
#define TRAWL_REGEX_ENGINE_REGEX_H

#include "engine.h"

/* Bytes of a step, without the line in which the step ends. Tests set fewer bytes. */
extern uint64_t regex_step_bytes;
/* A scan ends inside a line once its result holds this many hits. Tests set fewer hits. */
extern uint64_t regex_part_hits;
/* After failed verifications for which RE2 could have read so many bytes, which took 2 ms or more,
 * a worker chooses the atoms again, by how often the text holds them. Tests set fewer bytes. */
extern uint64_t regex_missed_bytes;

extern const struct engine_ops engine_regex;

#endif
