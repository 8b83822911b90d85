/* call: one call of a search method: what it was given, a handle to search with, what came of it.
 */
#ifndef TRAWL_PYTHON_CALL_H
#define TRAWL_PYTHON_CALL_H

#include "binding.h"

struct call {
    struct binding *binding;
    struct plan_object *plan;
    struct searcher_object *searcher;
    struct trawl_searcher *handle;
    struct source source;
    bool lent;           /* the text lies on a device, and was loaded for this call */
    PyObject *values[6]; /* plan, text, and what follows them; borrowed */
};

/* wanted names the plan first; a plan's own method leaves it out. */
bool call_read(struct call *call, const struct arguments *wanted, PyObject *self,
               PyObject *const *given, Py_ssize_t count, PyObject *words);
/* Open the text and take a handle. False after an exception; else call_close it. */
bool call_open(struct call *call);
void call_close(struct call *call);
/* Raise what a search ended with, or what its file object's read() raised; true: nothing did.
 * `whole`: if it succeeded, it has read the text to its end. */
bool call_checked(const struct call *call, enum trawl_status status,
                  const struct trawl_error *error, bool whole);

/* What a search that runs without the interpreter's lock is given, and what came of it. */
struct work {
    struct call *call;
    enum trawl_status status;
    struct trawl_error error;
    uint64_t count;
    bool invert;
    uint64_t lines_max;
    bool found;
    bool ended_early; /* the answer was there before the text's end */
    struct trawl_match match;
    uint64_t *counts; /* of each pattern */
    uint64_t *begins;
    uint64_t address; /* of begins on a device */
    uint64_t begins_max;
    uint32_t flags;
    bool no_memory;
    struct match_columns columns;
};

/* Run function(work) for the call, which is open. False after an exception. */
bool work_run(struct work *work, void (*function)(void *), PyObject *progress);
/* Open, run, close. */
bool work_whole(struct work *work, void (*function)(void *), PyObject *progress);

#endif
