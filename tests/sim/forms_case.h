/* forms_case: every form of answer, about loaded texts and loaded records, in the host's memory and
 * in devices' memory, compared with two loops (oracle_naive). The same cases run on the simulated
 * driver (forms_test.c) and on real devices (tests/gpu/gpu_forms.c). */
#ifndef TRAWL_TESTS_SIM_FORMS_CASE_H
#define TRAWL_TESTS_SIM_FORMS_CASE_H

#include "cuda/driver.h"
#include "diff/held.h"
#include "forms_input.h"

#define FORMS_DEVICES_MAX 8u

/* The forms: enum held_call, two kinds of arrays for begins, and the shapes of answers about loaded
 * records, with records and answers in the host's or a device's memory. */
enum {
    FORM_BEGINS_PINNED = HELD_CALLS,
    FORM_BEGINS_ON_DEVICE,
    FORM_RECORDS, /* + enum trawl_what - TRAWL_RECORDS_BITS */
    FORMS = FORM_RECORDS + 6,
};

/* Returns true if cases request the form: of enum held_call all except HELD_STREAM, which cannot
 * search a loaded text, and HELD_RECORDS, whose records are only in the host's memory. */
bool forms_has(uint32_t form);

struct forms_tally {
    uint64_t answers[FORMS];
    uint64_t hits[FORMS];       /* answers about texts with an occurrence */
    uint64_t on_devices[FORMS]; /* right answers with occurrences that devices alone made */
    uint64_t refused[FORMS];
};

/* The devices, for memory that a test allocates there. */
struct forms_machine {
    const struct cuda_driver *driver;
    uint32_t devices;
    struct cuda_context *contexts[FORMS_DEVICES_MAX];
    struct cuda_stream *streams[FORMS_DEVICES_MAX];
};
/* Retains the devices' contexts. The test ends if a device's call fails. */
void forms_machine_open(struct forms_machine *machine, const struct cuda_driver *driver,
                        uint32_t devices);
void forms_machine_close(struct forms_machine *machine);

/* An allocation on a device. */
struct forms_block {
    uint32_t device;
    uint64_t address, bytes; /* 0: none */
};
/* Allocates a block on a device, and puts `bytes` at its offset `at`, followed by `behind` zeros.
 */
void forms_block_begin(struct forms_machine *machine, uint32_t device, const void *bytes,
                       uint64_t at, uint64_t bytes_count, uint64_t behind,
                       struct forms_block *block);
/* Copies between the block, from offset `at` on, and `host`, through pinned memory. */
void forms_block_copy(struct forms_machine *machine, const struct forms_block *block, uint64_t at,
                      void *host, uint64_t bytes, bool to_device);
/* Frees the block, if there is one. */
void forms_block_end(struct forms_machine *machine, struct forms_block *block);

/* What a session draws before its searcher is opened. */
struct forms_setting {
    struct cuda_limits limits;
    bool usual; /* the limits are those of real use */
    struct forms_sizes sizes;
    enum trawl_engine engine;
    uint32_t threads, cases;
    uint64_t chunk_bytes;
};
/* Draws limits and sizes, and sets them in the library. */
void forms_draw(struct test_random *random, struct forms_setting *setting);
/* Opens a searcher, and runs `cases` cases one after the other, each with some forms, so that each
 * call finds what earlier calls have left. Returns false if an answer was wrong; prints which. */
bool forms_session(struct forms_machine *machine, const struct forms_setting *setting,
                   struct test_random *random, uint64_t index, struct forms_tally *tally);
void forms_tally_print(const struct forms_tally *tally);

#endif
