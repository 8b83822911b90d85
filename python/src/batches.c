/* batches: the type Batches, which iterates over the occurrences of one search. */
#include <stdatomic.h>
#include <string.h>

#include "call.h"
#include "methods.h"

struct batches_object {
    PyObject_HEAD struct call call; /* its values are not used later */
    PyObject *plan;
    PyObject *searcher;
    struct trawl_search *search; /* NULL: over */
    bool last;
    atomic_bool busy; /* a thread is inside next() */
};

static void batches_close(struct batches_object *batches)
{
    if (batches->search == NULL)
        return;
    trawl_search_close(batches->search);
    batches->search = NULL;
    call_close(&batches->call);
}

static void batches_dealloc(PyObject *self)
{
    struct batches_object *batches = (struct batches_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    batches_close(batches);
    Py_XDECREF(batches->plan);
    Py_XDECREF(batches->searcher);
    release(self);
    Py_DECREF(type);
}

/* A new Batches of a call that was read. */
static PyObject *batches_new(struct call *call, bool lines)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(call->binding->batches_type, Py_tp_alloc);
    struct batches_object *batches =
        (struct batches_object *)allocate(call->binding->batches_type, 0);
    enum trawl_status status;
    struct trawl_error error;

    if (batches == NULL)
        return NULL;
    batches->plan = Py_NewRef(call->values[0]);
    batches->searcher = Py_NewRef((PyObject *)call->searcher);
    if (call_open(call)) {
        batches->call = *call;
        status = trawl_search_open(call->handle, call->plan->plan, call->source.text,
                                   lines ? TRAWL_SEARCH_LINE_NUMBERS : 0, &batches->search, &error);
        if (status == TRAWL_OK)
            return (PyObject *)batches;
        binding_raise(call->binding, status, &error);
        call_close(call);
    }
    Py_DECREF(batches);
    return NULL;
}

PyObject *search_batches(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "line_numbers"};
    static const struct arguments wanted = {"batches", names, 3, 2, 2};
    struct call call;
    int lines;

    if (!call_read(&call, &wanted, self, given, count, words) ||
        (lines = arguments_flag(call.values[2], 0)) < 0)
        return NULL;
    return batches_new(&call, lines != 0);
}

struct step {
    struct batches_object *batches;
    struct trawl_batch batch;
    enum trawl_status status;
    struct trawl_error error;
};

/* The next batch with an occurrence in it, or the last one. */
static void work_next(void *context)
{
    struct step *step = (struct step *)context;

    do
        step->status = trawl_search_next(step->batches->search, &step->batch, &step->error);
    while (step->status == TRAWL_OK && !step->batch.last && step->batch.match_count == 0);
}

static PyObject *batches_step(struct batches_object *batches)
{
    struct step step = {.batches = batches, .batch = {.size = sizeof step.batch}};
    struct labour labour = {.work = work_next,
                            .context = &step,
                            .searcher = batches->call.searcher,
                            .handle = batches->call.handle,
                            .bytes = batches->call.source.bytes};
    struct match_columns columns = {.room = 0};

    if (!labour_run(&labour)) {
        batches->last = true;
        return NULL;
    }
    if (!call_checked(&batches->call, step.status, &step.error, step.batch.last)) {
        batches->last = true;
        return NULL;
    }
    batches->last = step.batch.last;
    if (step.batch.match_count == 0)
        return NULL;
    if (!match_columns_append(&columns, &step.batch)) {
        match_columns_clear(&columns);
        return PyErr_NoMemory();
    }
    columns.text_begin = step.batch.text_begin;
    return matches_new(batches->call.binding, &columns);
}

static PyObject *batches_next(PyObject *self)
{
    struct batches_object *batches = (struct batches_object *)self;
    PyObject *result = NULL;

    if (atomic_exchange(&batches->busy, true))
        return binding_raise(binding_of(self), TRAWL_BUSY, NULL);
    if (batches->search != NULL) {
        result = batches_step(batches);
        if (batches->last || result == NULL)
            batches_close(batches);
    }
    atomic_store(&batches->busy, false);
    return result;
}

/* Call the function with each batch; the answer is how many occurrences it was given. */
static PyObject *call_each(PyObject *batches, PyObject *function)
{
    PyObject *matches, *answer;
    unsigned long long total = 0;
    int stop = 0;

    while (stop == 0 && (matches = batches_next(batches)) != NULL) {
        total += (unsigned long long)PyObject_Size(matches);
        answer = PyObject_CallFunctionObjArgs(function, matches, NULL);
        stop = answer == NULL ? -1 : PyObject_IsTrue(answer);
        Py_XDECREF(answer);
        Py_DECREF(matches);
    }
    return stop < 0 || PyErr_Occurred() != NULL ? NULL : PyLong_FromUnsignedLongLong(total);
}

PyObject *search_each(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "call", "line_numbers"};
    static const struct arguments wanted = {"each", names, 4, 3, 3};
    PyObject *batches, *total = NULL;
    struct call call;
    int lines;

    if (!call_read(&call, &wanted, self, given, count, words) ||
        (lines = arguments_flag(call.values[3], 0)) < 0)
        return NULL;
    batches = batches_new(&call, lines != 0);
    if (batches != NULL)
        total = call_each(batches, call.values[2]);
    Py_XDECREF(batches);
    return total;
}

static PyType_Slot batches_slots[] = {
    {Py_tp_dealloc, (void *)batches_dealloc},
    {Py_tp_iter, (void *)PyObject_SelfIter},
    {Py_tp_iternext, (void *)batches_next},
    {Py_tp_doc, "An iterator over the occurrences in a text, a Matches at a time."},
    {0, NULL},
};

PyType_Spec batches_spec = {
    .name = "trawl.Batches",
    .basicsize = sizeof(struct batches_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = batches_slots,
};
