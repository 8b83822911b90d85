/* engines: lists the engines of the runtime. Only engines.c names engines. */
#ifndef TRAWL_RUNTIME_ENGINES_H
#define TRAWL_RUNTIME_ENGINES_H

#include "engine.h"

extern const struct engine_ops *const engine_for_host;
extern const struct engine_ops *const engine_for_devices;

/* Layers are engines that use the host's and the devices' engines, each for a kind of plans. */
enum engine_layer {
    ENGINE_FOR_ALGORITHMS,
    ENGINE_FOR_ERRORS,
    ENGINE_FOR_EXPRESSIONS,
    ENGINE_LAYERS
};
/* An entry is NULL if this build lacks the layer. */
extern const struct engine_ops *const engine_layers[ENGINE_LAYERS];

/* Does what trawl_line_open does. If `call` is cancelled, trawl_line_match on this line ends. */
enum trawl_status engines_line_open(const struct trawl_plan *plan, uint64_t pattern_index,
                                    const void *line, uint64_t line_bytes,
                                    const struct engine_call *call, struct trawl_line **out,
                                    struct trawl_error *error);

/* Sets *lines to the plan by which devices decide about the lines of a plan of expressions, or NULL
 * (regex/automaton.h). Errors: MEMORY. */
enum trawl_status engines_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                    uint64_t sample_bytes, const struct trawl_plan **lines,
                                    struct trawl_error *error);

/* Returns LIMIT with a message about engine_result.undecided_count lines. */
enum trawl_status engines_undecided(uint64_t at, uint64_t count, struct trawl_error *error);

#endif
