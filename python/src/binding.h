/* binding: what the files of the extension module share.
 *
 * Every type belongs to one module object and cannot be subclassed, so its state is found through
 * the object's type. Nothing is global but a count of forks.
 */
#ifndef TRAWL_PYTHON_BINDING_H
#define TRAWL_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

#include "trawl.h"

struct binding {
    PyObject *make_error; /* trawl._errors.make */
    PyObject *sources;    /* the module trawl._sources */
    PyTypeObject *plan_type;
    PyTypeObject *searcher_type;
    PyTypeObject *text_type;
    PyTypeObject *column_type;
    PyTypeObject *matches_type;
    PyTypeObject *batches_type;
    PyTypeObject *line_batches_type;
    PyTypeObject *array_type;
    struct unicode *unicode;    /* tables of characters, made when a plan first asks; NULL */
    PyObject *default_searcher; /* of searches through a plan; opened by the first */
};

static inline struct binding *binding_of(PyObject *object)
{
    return (struct binding *)PyType_GetModuleState(Py_TYPE(object));
}

/* Raise the exception of a status; returns NULL. */
PyObject *binding_raise(struct binding *binding, enum trawl_status status,
                        const struct trawl_error *error);

/* Read a call's arguments into values[0..count): names in order, the first `required` have to be
 * there, the first `positional` may come without a name. Absent ones are NULL. The values are
 * borrowed. */
struct arguments {
    const char *function;
    const char *const *names;
    Py_ssize_t count;
    Py_ssize_t required;
    Py_ssize_t positional;
};
bool arguments_read(const struct arguments *wanted, PyObject *const *given, Py_ssize_t given_count,
                    PyObject *keywords, PyObject **values);
/* A truth value, `otherwise` where the argument is absent; -1 after an exception. */
int arguments_flag(PyObject *value, int otherwise);

/* METH_FASTCALL | METH_KEYWORDS functions as the method tables take them. */
#define BINDING_METHOD(function) ((PyCFunction)(void (*)(void))(function))
#define BINDING_FAST (METH_FASTCALL | METH_KEYWORDS)

/* Add a type made from its specification to the module, and to the state. */
bool binding_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **slot);

/* ---- Characters beyond ASCII ---- */

/* What case and words are, as Python's own tables have it; NULL after an exception. */
struct unicode *unicode_want(struct binding *binding);
/* The library's view of them: trawl_plan_options.utf8. */
const struct trawl_utf8 *unicode_functions(const struct unicode *unicode);
void unicode_free(struct unicode *unicode);

/* ---- Memory that results lie in: counted, so that arrays of others may outlive the object. ----
 */

struct block {
    void *bytes;
    uint64_t mapped_bytes; /* 0: from malloc */
};

/* Counts are atomic: a consumer may release from any thread, without the interpreter's lock. */
struct block *block_new(uint64_t bytes);
/* Address space for `bytes`, which costs memory only where it is written. */
struct block *block_reserve(uint64_t bytes);
/* Keep the first `bytes` only; the block may move. Not shared yet. */
void block_trim(struct block *block, uint64_t bytes);
/* Make room for `bytes`, keeping what is there; false: no memory. Not shared yet. */
bool block_grow(struct block *block, uint64_t bytes);
struct block *block_share(struct block *block);
void block_release(struct block *block);

/* ---- Columns and matches ---- */

/* A new Column of `count` values from values[first]; takes the caller's share of the block. */
PyObject *column_new(struct binding *binding, struct block *block, uint64_t first, uint64_t count);

/* A new Array of binary values: value i is bytes[offsets[i], offsets[i + 1]). Takes both blocks. */
PyObject *array_of_binary(struct binding *binding, struct block *offsets, struct block *bytes,
                          uint64_t count);

struct match_columns {
    struct block *begins;
    struct block *ends;
    struct block *patterns;
    struct block *lines; /* NULL: not asked for */
    bool with_lines;     /* make that column, whatever the batches hold */
    uint64_t count;
    uint64_t room;
    uint64_t text_begin;
    uint64_t text_end;
};
/* Append a batch; false: no memory. */
bool match_columns_append(struct match_columns *columns, const struct trawl_batch *batch);
void match_columns_clear(struct match_columns *columns);
/* A new Matches; takes the columns, also on failure. */
PyObject *matches_new(struct binding *binding, struct match_columns *columns);

/* ---- Arrays of others, by DLPack or __cuda_array_interface__ ---- */

struct tensor {
    PyObject *owner; /* keeps the array: a capsule, or itself */
    bool on_device;  /* a CUDA device's memory; else the host can read it */
    bool read_only;
    bool is_integer;
    int32_t dimensions;
    uint32_t item_bytes;
    uint64_t items;
    uint64_t address;
};
/* Does the object have the protocol? */
bool tensor_offered(PyObject *object);
bool interface_offered(PyObject *object);
/* False after an exception; else tensor_close it. */
bool tensor_open(PyObject *object, struct tensor *tensor);
bool interface_open(PyObject *object, struct tensor *tensor);
void tensor_close(struct tensor *tensor);

/* ---- Texts ---- */

/* What a search reads: memory that a buffer keeps in place, a file, a descriptor. */
struct source {
    struct trawl_text *text;
    Py_buffer view;          /* view.obj NULL: none */
    PyObject *owner;         /* kept alive while the text is open */
    int descriptor;          /* closed with the text; -1: none */
    uint64_t bytes;          /* UINT64_MAX: not known */
    uint64_t device_address; /* not 0: the text lies there, on a device */
    bool is_stream;
    bool is_borrowed; /* a Text object's: closed by that */
};
/* Make a text of an argument: a Text, a buffer, a string, a path, a file object. False after an
 * exception; else source_close it. */
bool source_open(struct binding *binding, PyObject *argument, bool decompress,
                 struct source *source);
void source_close(struct source *source);
/* The text was read to its end, or could not be: was that what its file object had? False after the
 * exception that its read() raised. */
bool source_checked(struct binding *binding, const struct source *source);
/* Make a borrowed text of a device's memory one of the call's own: a search loads it, and unloads
 * it in the end, which may not happen to a text that others search. False after an exception. */
bool source_own(struct binding *binding, struct source *source);

struct text_object {
    PyObject_HEAD struct source source;
};

/* ---- Arrays of the caller's ---- */

struct target {
    bool on_device;
    uint64_t address;
    uint64_t room;  /* numbers of 64 bits */
    Py_buffer view; /* view.obj NULL: none */
    struct tensor tensor;
};
/* An array to write to: what has the buffer protocol, __cuda_array_interface__ or DLPack. False
 * after an exception; else target_close it. */
bool target_open(PyObject *out, struct target *target);
void target_close(struct target *target);

/* ---- Plans and searchers ---- */

struct plan_object {
    PyObject_HEAD struct trawl_plan *plan;
    struct unicode *unicode; /* borrowed from the module, which the plan's type keeps; NULL: none */
};
/* The plan of an argument, which has to be a Plan; NULL after an exception. */
struct plan_object *plan_of(struct binding *binding, PyObject *argument);

struct searcher_object;
/* The searcher that searches through a plan use; borrowed; NULL after an exception. */
struct searcher_object *searcher_default(struct binding *binding);
/* Was the text given to load()? */
bool searcher_has_loaded(struct searcher_object *searcher, PyObject *text);
/* A handle of the searcher for one call; NULL after an exception. */
struct trawl_searcher *searcher_take(struct binding *binding, struct searcher_object *searcher);
void searcher_give(struct searcher_object *searcher, struct trawl_searcher *handle);

/* Run work(context) without the interpreter's lock. The main thread stays open for signals: where
 * the work may take long it is done by another thread, and an exception from a signal's handler, or
 * from `progress` (NULL: none), cancels the call on the handle. False after an exception. */
struct labour {
    void (*work)(void *context);
    void *context;
    struct searcher_object *searcher;
    struct trawl_searcher *handle; /* of that searcher */
    uint64_t bytes;                /* of the text; UINT64_MAX: not known */
    PyObject *progress;
    struct helper *helper; /* the thread that works, if that is another */
    bool paused;           /* by labour_pause: the thread waits */
    bool abandoned;        /* the work is to end soon */
    uint64_t fork_count;   /* of when it began */
};
bool labour_run(struct labour *labour);
/* The same, but return whenever the work pauses, too (`paused` says so); the next call resumes it.
 * Before the labour goes away it has ended, or was abandoned. */
bool labour_step(struct labour *labour);
/* From inside the work: wait for the next step. Does nothing where the caller's thread works. */
void labour_pause(struct labour *labour);
/* Let work that has paused go on to its end. False: this is a forked child, where its thread is
 * not, and what it uses stays as it is. */
bool labour_abandon(struct labour *labour);

extern PyType_Spec plan_spec, searcher_spec, text_spec, column_spec, matches_spec, batches_spec,
    line_batches_spec, array_spec;

#endif
