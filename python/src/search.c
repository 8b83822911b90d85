/* search: the searches of one text, and the type Batches, which iterates over one's results. */
#include <stdatomic.h>
#include <string.h>

#include "binding.h"
#include "methods.h"

/* One call of a search method: what it was given, and a handle to search with. */
struct call {
    struct binding *binding;
    struct plan_object *plan;
    struct searcher_object *searcher;
    struct trawl_searcher *handle;
    struct source source;
    PyObject *values[6]; /* plan, text, and what follows them; borrowed */
};

/* wanted names the plan first; a plan's own method leaves it out. */
static bool call_read(struct call *call, const struct arguments *wanted, PyObject *self,
                      PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    struct arguments names = *wanted;

    memset(call, 0, sizeof *call);
    call->binding = binding_of(self);
    if (Py_TYPE(self) == call->binding->plan_type) {
        names.names++;
        names.count--;
        names.required--;
        names.positional--;
        if (!arguments_read(&names, given, count, words, call->values + 1))
            return false;
        call->values[0] = self;
        call->searcher = searcher_default(call->binding);
    } else {
        if (!arguments_read(&names, given, count, words, call->values))
            return false;
        call->searcher = (struct searcher_object *)self;
    }
    call->plan = plan_of(call->binding, call->values[0]);
    return call->plan != NULL && call->searcher != NULL;
}

static bool call_open(struct call *call)
{
    if (!source_open(call->binding, call->values[1], false, &call->source))
        return false;
    call->handle = searcher_take(call->binding, call->searcher);
    if (call->handle == NULL)
        source_close(&call->source);
    return call->handle != NULL;
}

static void call_close(struct call *call)
{
    searcher_give(call->searcher, call->handle);
    source_close(&call->source);
}

/* ---- Count, first ---- */

/* What a search that runs without the interpreter's lock is given, and what came of it. */
struct work {
    struct call *call;
    enum trawl_status status;
    struct trawl_error error;
    uint64_t count;
    bool invert;
    uint64_t lines_max;
    bool found;
    struct trawl_match match;
    uint64_t *begins;
    uint64_t address; /* of begins on a device */
    uint64_t begins_max;
    uint32_t flags;
    bool no_memory;
    struct match_columns columns;
};

/* Open, run, close. False after an exception. */
static bool work_run(struct work *work, void (*function)(void *), PyObject *progress)
{
    struct call *call = work->call;
    struct labour labour = {.work = function,
                            .context = work,
                            .searcher = call->searcher,
                            .handle = call->handle,
                            .bytes = call->source.bytes,
                            .progress = progress};

    if (!labour_run(&labour))
        return false;
    if (work->no_memory) {
        PyErr_NoMemory();
        return false;
    }
    if (work->status != TRAWL_OK)
        binding_raise(call->binding, work->status, &work->error);
    return work->status == TRAWL_OK;
}

static void work_count(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status =
        trawl_count(call->handle, call->plan->plan, call->source.text, &work->count, &work->error);
}

PyObject *search_count(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "progress"};
    static const struct arguments wanted = {"count", names, 3, 2, 2};
    struct call call;
    struct work work;
    bool done;

    if (!call_read(&call, &wanted, self, given, count, words) || !call_open(&call))
        return NULL;
    memset(&work, 0, sizeof work);
    work.call = &call;
    done = work_run(&work, work_count, call.values[2]);
    call_close(&call);
    return done ? PyLong_FromUnsignedLongLong(work.count) : NULL;
}

static void work_count_lines(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status = trawl_count_lines(call->handle, call->plan->plan, call->source.text,
                                     work->invert, work->lines_max, &work->count, &work->error);
}

PyObject *search_count_lines(PyObject *self, PyObject *const *given, Py_ssize_t count,
                             PyObject *words)
{
    static const char *const names[] = {"plan", "text", "invert", "limit", "progress"};
    static const struct arguments wanted = {"count_lines", names, 5, 2, 2};
    struct call call;
    struct work work;
    int invert;
    bool done;

    memset(&work, 0, sizeof work);
    if (!call_read(&call, &wanted, self, given, count, words) ||
        (invert = arguments_flag(call.values[2], 0)) < 0)
        return NULL;
    work.call = &call;
    work.invert = invert != 0;
    work.lines_max = UINT64_MAX;
    if (call.values[3] != NULL) {
        work.lines_max = PyLong_AsUnsignedLongLong(call.values[3]);
        if (PyErr_Occurred() != NULL)
            return NULL;
    }
    if (!call_open(&call))
        return NULL;
    done = work_run(&work, work_count_lines, call.values[4]);
    call_close(&call);
    return done ? PyLong_FromUnsignedLongLong(work.count) : NULL;
}

static void work_first(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status = trawl_first(call->handle, call->plan->plan, call->source.text, &work->match,
                               &work->found, &work->error);
}

PyObject *search_first(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "progress"};
    static const struct arguments wanted = {"first", names, 3, 2, 2};
    struct call call;
    struct work work;
    bool done;

    if (!call_read(&call, &wanted, self, given, count, words) || !call_open(&call))
        return NULL;
    memset(&work, 0, sizeof work);
    work.call = &call;
    done = work_run(&work, work_first, call.values[2]);
    call_close(&call);
    if (!done)
        return NULL;
    if (!work.found)
        return Py_NewRef(Py_None);
    return Py_BuildValue("(KKK)", (unsigned long long)work.match.begin,
                         (unsigned long long)work.match.end,
                         (unsigned long long)work.match.pattern_index);
}

/* ---- Matches, by batches ---- */

static void work_matches(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;

    work->status = trawl_search_open(call->handle, call->plan->plan, call->source.text, work->flags,
                                     &search, &work->error);
    if (work->status != TRAWL_OK)
        return;
    while (!batch.last && work->status == TRAWL_OK && !work->no_memory) {
        work->status = trawl_search_next(search, &batch, &work->error);
        if (work->status == TRAWL_OK)
            work->no_memory = !match_columns_append(&work->columns, &batch);
    }
    trawl_search_close(search);
}

/* All occurrences into work->columns, of a call that is open. */
static bool matches_run(struct call *call, struct work *work, uint32_t flags, PyObject *progress)
{
    bool done;

    memset(work, 0, sizeof *work);
    work->call = call;
    work->flags = flags;
    done = work_run(work, work_matches, progress);
    if (!done)
        match_columns_clear(&work->columns);
    return done;
}

PyObject *search_matches(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "line_numbers", "progress"};
    static const struct arguments wanted = {"matches", names, 4, 2, 2};
    struct call call;
    struct work work;
    int lines;
    bool done;

    if (!call_read(&call, &wanted, self, given, count, words) ||
        (lines = arguments_flag(call.values[2], 0)) < 0 || !call_open(&call))
        return NULL;
    done = matches_run(&call, &work, lines != 0 ? TRAWL_SEARCH_LINE_NUMBERS : 0, call.values[3]);
    call_close(&call);
    return done ? matches_new(call.binding, &work.columns) : NULL;
}

/* ---- Positions ---- */

static void work_begins(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status = trawl_begins_into(call->handle, call->plan->plan, call->source.text,
                                     work->begins, work->begins_max, &work->count, &work->error);
}

/* How many begins to have room for. Address space is all they cost until they are there, so it may
 * be as many as there can be of a single pattern. */
static uint64_t begins_guess(const struct call *call)
{
    uint64_t patterns = trawl_plan_pattern_count(call->plan->plan);
    uint64_t bytes = call->source.bytes;

    patterns = patterns > 4 ? 4 : patterns;
    return bytes < UINT64_C(1) << 40 ? bytes * patterns + 1 : UINT64_C(1) << 40;
}

/* Search into one array; where there are more than it holds, again into one that holds them. */
static PyObject *positions_into(struct call *call, PyObject *progress)
{
    uint64_t room = begins_guess(call);
    struct block *block = NULL;
    struct work work;
    bool done;

    memset(&work, 0, sizeof work);
    work.call = call;
    do {
        block_release(block);
        block = block_reserve(room * sizeof(uint64_t));
        if (block == NULL)
            return PyErr_NoMemory();
        work.begins = (uint64_t *)block->bytes;
        work.begins_max = room;
        done = work_run(&work, work_begins, progress);
        room = work.count;
    } while (done && work.count > work.begins_max);
    if (!done) {
        block_release(block);
        return NULL;
    }
    block_trim(block, work.count * sizeof(uint64_t));
    return column_new(call->binding, block, 0, work.count);
}

/* What can be read only once: with room that grows. */
static PyObject *positions_of_stream(struct call *call, PyObject *progress)
{
    PyObject *begins;
    struct work work;

    if (!matches_run(call, &work, 0, progress))
        return NULL;
    begins = column_new(call->binding, block_share(work.columns.begins), 0, work.columns.count);
    match_columns_clear(&work.columns);
    return begins;
}

PyObject *search_positions(PyObject *self, PyObject *const *given, Py_ssize_t count,
                           PyObject *words)
{
    static const char *const names[] = {"plan", "text", "progress"};
    static const struct arguments wanted = {"positions", names, 3, 2, 2};
    PyObject *begins;
    struct call call;

    if (!call_read(&call, &wanted, self, given, count, words) || !call_open(&call))
        return NULL;
    if (call.source.is_stream || call.source.bytes == UINT64_MAX)
        begins = positions_of_stream(&call, call.values[2]);
    else
        begins = positions_into(&call, call.values[2]);
    call_close(&call);
    return begins;
}

static void work_begins_on_device(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status =
        trawl_begins_on_device(call->handle, call->plan->plan, call->source.text, work->address,
                               work->begins_max, &work->count, &work->error);
}

PyObject *search_positions_into(PyObject *self, PyObject *const *given, Py_ssize_t count,
                                PyObject *words)
{
    static const char *const names[] = {"plan", "text", "out", "progress"};
    static const struct arguments wanted = {"positions_into", names, 4, 3, 3};
    struct target target;
    struct call call;
    struct work work;
    bool done;

    if (!call_read(&call, &wanted, self, given, count, words) ||
        !target_open(call.values[2], &target))
        return NULL;
    if (!call_open(&call)) {
        target_close(&target);
        return NULL;
    }
    memset(&work, 0, sizeof work);
    work.call = &call;
    work.address = target.address;
    work.begins = (uint64_t *)(uintptr_t)(target.on_device ? 0 : target.address);
    work.begins_max = target.room;
    done = work_run(&work, target.on_device ? work_begins_on_device : work_begins, call.values[3]);
    call_close(&call);
    target_close(&target);
    return done ? PyLong_FromUnsignedLongLong(work.count) : NULL;
}

/* ---- Batches ---- */

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

PyObject *search_batches(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "line_numbers"};
    static const struct arguments wanted = {"batches", names, 3, 2, 2};
    struct batches_object *batches;
    enum trawl_status status;
    struct trawl_error error;
    allocfunc allocate;
    struct call call;
    int lines;

    if (!call_read(&call, &wanted, self, given, count, words) ||
        (lines = arguments_flag(call.values[2], 0)) < 0)
        return NULL;
    allocate = (allocfunc)PyType_GetSlot(call.binding->batches_type, Py_tp_alloc);
    batches = (struct batches_object *)allocate(call.binding->batches_type, 0);
    if (batches == NULL)
        return NULL;
    batches->plan = Py_NewRef(call.values[0]);
    batches->searcher = Py_NewRef((PyObject *)call.searcher);
    if (call_open(&call)) {
        batches->call = call;
        status =
            trawl_search_open(call.handle, call.plan->plan, call.source.text,
                              lines != 0 ? TRAWL_SEARCH_LINE_NUMBERS : 0, &batches->search, &error);
        if (status == TRAWL_OK)
            return (PyObject *)batches;
        binding_raise(call.binding, status, &error);
        call_close(&call);
    }
    Py_DECREF(batches);
    return NULL;
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
    if (step.status != TRAWL_OK) {
        batches->last = true;
        return binding_raise(batches->call.binding, step.status, &step.error);
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
