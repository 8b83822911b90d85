/* engines: lists the engines of the runtime. Only engines.c names engines. */
#ifndef TRAWL_RUNTIME_ENGINES_H
#define TRAWL_RUNTIME_ENGINES_H

#include "engine.h"

extern const struct engine_ops *const engine_for_host;
extern const struct engine_ops *const engine_for_devices;

/* The kinds of plans. A layer is an engine for one kind, built on the host's and the devices'
 * engines, which search for strings. */
enum kind_index { KIND_STRINGS, KIND_ALGORITHM, KIND_ERRORS, KIND_EXPRESSIONS, KINDS };

/* what the runtime has to know of a kind of plans */
struct kind {
    const struct engine_ops *layer; /* NULL: none, or none in this build */
    const char *name;               /* NULL, or why streams cannot be searched under such plans */
    const char *no_streams;         /* NULL, or why such plans do not search streams */
    /* A published algorithm: runs on the host with engine AUTO and on any device with CUDA,
     * whatever the text. A failure ends the search. */
    bool is_apart;
    /* Regular expressions: chunks consist of whole lines, and a match may be empty. Devices search
     * only loaded texts, and only with engine CUDA. */
    bool by_lines;
    /* The layer checks word and line boundaries itself, so it must know where records begin and
     * end. Even a count finds hits, and the host verifies what devices find. */
    bool judges;
    bool leaves_chunks; /* a device may leave a chunk to the host ... */
    bool leaves_text;   /* ... and then the rest of the text, too */
};
extern const struct kind engine_kinds[KINDS];

/* Returns the plan's kind; KIND_STRINGS if plan is NULL. */
const struct kind *kind_of(const struct trawl_plan *plan);

/* Does what trawl_line_open does. Cancelling `call` ends trawl_line_match on this line. */
enum trawl_status engines_line_open(const struct trawl_plan *plan, uint64_t pattern_index,
                                    const void *line, uint64_t line_bytes,
                                    const struct engine_call *call, struct trawl_line **out,
                                    struct trawl_error *error);

/* Sets *lines to the plan by which a device decides which lines match a plan of regular expressions
 * (regex/automaton.h), or to NULL. Errors: MEMORY. */
enum trawl_status engines_line_plan(const struct trawl_plan *plan, const uint8_t *sample,
                                    uint64_t sample_bytes, const struct trawl_plan **lines,
                                    struct trawl_error *error);

/* Returns LIMIT with a message about engine_result.undecided_count lines. */
enum trawl_status engines_undecided(uint64_t at, uint64_t count, struct trawl_error *error);

#endif
