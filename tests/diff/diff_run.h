/* diff_run: makes a call to the library on an input, and compares the answer with the expected
 * answer. */
#ifndef TRAWL_DIFF_DIFF_RUN_H
#define TRAWL_DIFF_DIFF_RUN_H

#include "diff/held.h"
#include "diff/place.h"
#include "trawl.h"

/* The settings of a run: everything but the input that decides what the library does. */
struct run_config {
    enum trawl_method method;
    const char *algorithm; /* name of a published algorithm; NULL: `method` */
    /* the plan gets the text as a sample for choosing a method */
    bool sample;
    const char *instruction_set; /* NULL: the library chooses */
    uint32_t threads;
    uint64_t chunk_bytes;
    enum place_kind place;
    uint64_t place_offset;
    enum held_call call;
    /* Bits that decide where a sink stops, the sizes of arrays, and flags. Each call reads
     * different bits. */
    uint64_t parameter;
};

/* Builds the plan of the input. Returns TRAWL_ARGUMENT if the method does not fit the patterns. */
enum trawl_status run_plan_build(const struct diff_input *input, const struct run_config *config,
                                 struct trawl_plan **plan, struct trawl_error *error);
enum trawl_status run_searcher_open(const struct run_config *config,
                                    struct trawl_searcher **searcher, struct trawl_error *error);
/* Returns the searcher with these settings, of which `set` and `chunk` are the test's numbers of
 * instruction set and chunk size. It stays open: state that a search leaves must not affect the
 * next. */
struct trawl_searcher *run_searcher_for(const struct run_config *config, uint32_t set,
                                        uint64_t chunk);
/* Makes the call. Returns true if the answer is right; otherwise `message` says what was wrong.
 * Unless address_offset is NULL, sets *address_offset to the text's address mod 64. */
bool run_call(const struct diff_input *input, const struct diff_expected *expected,
              const struct run_config *config, const struct trawl_plan *plan,
              struct trawl_searcher *searcher, uint64_t *address_offset,
              char message[HELD_MESSAGE_BYTES]);

/* Writes the run's description, in a single line. */
void run_describe(const struct diff_input *input, const struct run_config *config, char *line,
                  uint64_t line_bytes);

/* Returns the name of published algorithm number `index` for texts on the CPU, or NULL if there are
 * no more algorithms. */
const char *cpu_algorithm(uint32_t index);
const char *method_name(enum trawl_method method);
uint32_t instruction_set_count(void);

#endif
