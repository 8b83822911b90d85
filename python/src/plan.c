/* plan: the type Plan. */
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "methods.h"

struct plan_object *plan_of(struct binding *binding, PyObject *argument)
{
    if (Py_TYPE(argument) == binding->plan_type)
        return (struct plan_object *)argument;
    PyErr_Format(PyExc_TypeError, "plan: a trawl.Plan is needed, not %R", Py_TYPE(argument));
    return NULL;
}

/* A new object for a plan, which it takes. */
static struct plan_object *plan_made(PyTypeObject *type, struct trawl_plan *plan,
                                     struct unicode *unicode)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct plan_object *made = (struct plan_object *)allocate(type, 0);

    if (made == NULL) {
        trawl_plan_free(plan);
        return NULL;
    }
    made->plan = plan;
    made->unicode = unicode;
    return made;
}

static void plan_dealloc(PyObject *self)
{
    struct plan_object *plan = (struct plan_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    trawl_plan_free(plan->plan);
    release(self);
    Py_DECREF(type);
}

/* ---- Patterns of a call ---- */

struct pattern_list {
    struct trawl_pattern *patterns;
    Py_buffer *views; /* views[i].obj NULL: none */
    Py_ssize_t count;
};

static void patterns_free(struct pattern_list *list)
{
    for (Py_ssize_t i = 0; list->views != NULL && i < list->count; i++)
        if (list->views[i].obj != NULL)
            PyBuffer_Release(&list->views[i]);
    free(list->views);
    free(list->patterns);
}

static bool patterns_read(PyObject *tuple, struct pattern_list *list)
{
    list->count = PyTuple_Size(tuple);
    list->patterns =
        (struct trawl_pattern *)calloc((size_t)list->count + 1, sizeof *list->patterns);
    list->views = (Py_buffer *)calloc((size_t)list->count + 1, sizeof *list->views);
    if (list->patterns == NULL || list->views == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < list->count; i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);
        Py_ssize_t bytes;

        if (PyUnicode_Check(item)) {
            list->patterns[i].bytes = PyUnicode_AsUTF8AndSize(item, &bytes);
            if (list->patterns[i].bytes == NULL)
                return false;
        } else {
            if (PyObject_GetBuffer(item, &list->views[i], PyBUF_SIMPLE) != 0)
                return false;
            list->patterns[i].bytes = list->views[i].buf;
            bytes = list->views[i].len;
        }
        list->patterns[i].bytes_count = (uint64_t)bytes;
    }
    return true;
}

/* ---- Making ---- */

static const char *const method_names[] = {
#define METHOD_NAME(name, number, text) [number] = (text),
    TRAWL_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
};

static bool method_read(const char *name, enum trawl_method *method)
{
    size_t count = sizeof method_names / sizeof *method_names;

    for (size_t i = 0; i < count; i++)
        if (strcmp(method_names[i], name) == 0) {
            *method = (enum trawl_method)i;
            return true;
        }
    PyErr_Format(PyExc_ValueError, "method: there is no '%s'", name);
    return false;
}

/* _build(patterns, flags, line_end, method, algorithm, sample, unicode): a new plan of a tuple. */
static PyObject *plan_build(PyObject *type, PyObject *arguments)
{
    struct binding *binding = (struct binding *)PyType_GetModuleState((PyTypeObject *)type);
    struct trawl_plan_options options = TRAWL_PLAN_OPTIONS_INIT;
    struct pattern_list list = {NULL, NULL, 0};
    struct trawl_plan *plan = NULL;
    struct plan_object *made = NULL;
    enum trawl_status status;
    struct trawl_error error;
    const char *method, *algorithm, *line_end;
    Py_ssize_t line_end_bytes;
    Py_buffer sample = {0};
    struct unicode *unicode = NULL;
    PyObject *tuple;
    int flags, characters;

    if (!PyArg_ParseTuple(arguments, "O!iy#szz*p:_build", &PyTuple_Type, &tuple, &flags, &line_end,
                          &line_end_bytes, &method, &algorithm, &sample, &characters))
        return NULL;
    options.flags = (uint32_t)flags;
    options.algorithm = algorithm;
    options.sample = sample.buf;
    options.sample_bytes = (uint64_t)sample.len;
    options.line_end_set = 1;
    options.line_end = line_end_bytes > 0 ? (uint8_t)line_end[0] : '\n';
    if (method_read(method, &options.method) && patterns_read(tuple, &list) &&
        (!characters || (unicode = unicode_want(binding)) != NULL)) {
        options.utf8 = unicode_functions(unicode);
        Py_BEGIN_ALLOW_THREADS status =
            trawl_plan_build(list.patterns, (uint64_t)list.count, &options, &plan, &error);
        Py_END_ALLOW_THREADS if (status != TRAWL_OK) binding_raise(binding, status, &error);
        else made = plan_made((PyTypeObject *)type, plan, unicode);
    }
    patterns_free(&list);
    if (sample.obj != NULL)
        PyBuffer_Release(&sample);
    return (PyObject *)made;
}

static PyObject *plan_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    struct binding *binding = (struct binding *)PyType_GetModuleState(type);
    PyObject *build = PyObject_GetAttrString(binding->sources, "plan");
    PyObject *all, *made = NULL;

    if (build == NULL)
        return NULL;
    /* Patterns of many kinds are gathered in Python, which calls _build. */
    all = PySequence_List(arguments);
    if (all != NULL && PyList_Insert(all, 0, (PyObject *)type) == 0) {
        PyObject *tuple = PyList_AsTuple(all);

        if (tuple != NULL)
            made = PyObject_Call(build, tuple, keywords);
        Py_XDECREF(tuple);
    }
    Py_XDECREF(all);
    Py_DECREF(build);
    return made;
}

/* How to load, and what came of it. */
struct loading {
    const char *path; /* NULL: from memory */
    const Py_buffer *view;
    struct trawl_plan_load_options options;
    struct trawl_plan *plan;
    struct unicode *unicode;
};

/* Plans with characters beyond ASCII ask for their tables, which others do without. */
static bool load(struct binding *binding, struct loading *loading)
{
    enum trawl_status status;
    struct trawl_error error;

    for (;;) {
        Py_BEGIN_ALLOW_THREADS status =
            loading->path != NULL
                ? trawl_plan_load(loading->path, &loading->options, &loading->plan, &error)
                : trawl_plan_load_memory(loading->view->buf, (uint64_t)loading->view->len,
                                         &loading->options, &loading->plan, &error);
        Py_END_ALLOW_THREADS if (status != TRAWL_ARGUMENT || loading->options.utf8 != NULL) break;
        loading->unicode = unicode_want(binding);
        if (loading->unicode == NULL)
            return false;
        loading->options.utf8 = unicode_functions(loading->unicode);
    }
    if (status != TRAWL_OK)
        binding_raise(binding, status, &error);
    return status == TRAWL_OK;
}

static PyObject *plan_load(PyObject *type, PyObject *const *given, Py_ssize_t count,
                           PyObject *keywords)
{
    static const char *const names[] = {"path"};
    static const struct arguments wanted = {"load", names, 1, 1, 1};
    struct binding *binding = (struct binding *)PyType_GetModuleState((PyTypeObject *)type);
    struct loading loading = {.options = TRAWL_PLAN_LOAD_OPTIONS_INIT};
    PyObject *values[1], *path;
    bool loaded;

    if (!arguments_read(&wanted, given, count, keywords, values) ||
        !PyUnicode_FSConverter(values[0], &path))
        return NULL;
    loading.path = PyBytes_AsString(path);
    loaded = load(binding, &loading);
    Py_DECREF(path);
    return loaded ? (PyObject *)plan_made((PyTypeObject *)type, loading.plan, loading.unicode)
                  : NULL;
}

static PyObject *plan_from_bytes(PyObject *type, PyObject *saved)
{
    struct binding *binding = (struct binding *)PyType_GetModuleState((PyTypeObject *)type);
    struct loading loading = {.options = TRAWL_PLAN_LOAD_OPTIONS_INIT};
    Py_buffer view;
    bool loaded;

    if (PyObject_GetBuffer(saved, &view, PyBUF_SIMPLE) != 0)
        return NULL;
    loading.view = &view;
    loaded = load(binding, &loading);
    PyBuffer_Release(&view);
    return loaded ? (PyObject *)plan_made((PyTypeObject *)type, loading.plan, loading.unicode)
                  : NULL;
}

/* ---- Using ---- */

static PyObject *plan_save(PyObject *self, PyObject *const *given, Py_ssize_t count,
                           PyObject *keywords)
{
    static const char *const names[] = {"path", "note"};
    static const struct arguments wanted = {"save", names, 2, 1, 1};
    struct plan_object *plan = (struct plan_object *)self;
    struct trawl_plan_save_options options = TRAWL_PLAN_SAVE_OPTIONS_INIT;
    PyObject *values[2], *path;
    Py_buffer note = {0};
    enum trawl_status status;
    struct trawl_error error;

    if (!arguments_read(&wanted, given, count, keywords, values) ||
        (values[1] != NULL && PyObject_GetBuffer(values[1], &note, PyBUF_SIMPLE) != 0))
        return NULL;
    if (!PyUnicode_FSConverter(values[0], &path)) {
        if (note.obj != NULL)
            PyBuffer_Release(&note);
        return NULL;
    }
    options.note = note.len > 0 ? note.buf : NULL;
    options.note_bytes = (uint64_t)note.len;
    {
        const char *name = PyBytes_AsString(path);

        Py_BEGIN_ALLOW_THREADS status = trawl_plan_save(plan->plan, name, &options, &error);
        Py_END_ALLOW_THREADS
    }
    Py_DECREF(path);
    if (note.obj != NULL)
        PyBuffer_Release(&note);
    if (status != TRAWL_OK)
        return binding_raise(binding_of(self), status, &error);
    return Py_NewRef(Py_None);
}

static PyObject *plan_explain(PyObject *self, PyObject *unused)
{
    struct plan_object *plan = (struct plan_object *)self;
    struct trawl_error error;
    uint64_t needed = 0;
    enum trawl_status status = trawl_plan_explain(plan->plan, NULL, 0, &needed, &error);
    PyObject *text = NULL;
    char *buffer;

    (void)unused;
    if (status != TRAWL_OK)
        return binding_raise(binding_of(self), status, &error);
    buffer = (char *)malloc((size_t)needed + 1);
    if (buffer == NULL)
        return PyErr_NoMemory();
    status = trawl_plan_explain(plan->plan, buffer, needed, &needed, &error);
    if (status != TRAWL_OK)
        binding_raise(binding_of(self), status, &error);
    else
        text = PyUnicode_DecodeUTF8(buffer, (Py_ssize_t)strlen(buffer), "replace");
    free(buffer);
    return text;
}

static PyObject *plan_reduce(PyObject *self, PyObject *protocol)
{
    return PyObject_CallMethod(binding_of(self)->sources, "reduce_plan", "OO", self, protocol);
}

static Py_ssize_t plan_length(PyObject *self)
{
    return (Py_ssize_t)trawl_plan_pattern_count(((struct plan_object *)self)->plan);
}

static PyObject *plan_item(PyObject *self, Py_ssize_t index)
{
    struct trawl_pattern pattern;

    if (index < 0 || index >= plan_length(self)) {
        PyErr_SetString(PyExc_IndexError, "a plan's pattern: the index is out of range");
        return NULL;
    }
    pattern = trawl_plan_pattern(((struct plan_object *)self)->plan, (uint64_t)index);
    return PyBytes_FromStringAndSize((const char *)pattern.bytes, (Py_ssize_t)pattern.bytes_count);
}

static PyObject *plan_flag(PyObject *self, void *flag)
{
    uint32_t flags = trawl_plan_flags(((struct plan_object *)self)->plan);

    return PyBool_FromLong((flags & (uint32_t)(uintptr_t)flag) != 0);
}

static PyObject *plan_unicode(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((struct plan_object *)self)->unicode != NULL);
}

static PyObject *plan_engines(PyObject *self, void *unused)
{
    uint32_t engines = trawl_plan_engines(((struct plan_object *)self)->plan);

    (void)unused;
    if ((engines & 1u << TRAWL_ENGINE_CPU) != 0 && (engines & 1u << TRAWL_ENGINE_CUDA) != 0)
        return Py_BuildValue("(ss)", "cpu", "cuda");
    return Py_BuildValue("(s)", (engines & 1u << TRAWL_ENGINE_CUDA) != 0 ? "cuda" : "cpu");
}

static PyObject *plan_note(PyObject *self, void *unused)
{
    struct trawl_pattern note = trawl_plan_note(((struct plan_object *)self)->plan);

    (void)unused;
    return PyBytes_FromStringAndSize((const char *)note.bytes, (Py_ssize_t)note.bytes_count);
}

static PyObject *plan_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<trawl.Plan of %zd patterns>", plan_length(self));
}

static PyGetSetDef plan_attributes[] = {
    {"ignore_case", plan_flag, NULL, "A-Z equal a-z.", (void *)TRAWL_IGNORE_CASE},
    {"whole_words", plan_flag, NULL, "Occurrences are whole words.", (void *)TRAWL_WHOLE_WORD},
    {"whole_lines", plan_flag, NULL, "Occurrences are whole lines.", (void *)TRAWL_WHOLE_LINE},
    {"unicode", plan_unicode, NULL, "Case and words are those of all letters.", NULL},
    {"engines", plan_engines, NULL, "The engines that can run the plan.", NULL},
    {"note", plan_note, NULL, "The bytes that were saved with a loaded plan.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef plan_methods[] = {
    {"_build", plan_build, METH_VARARGS | METH_CLASS, NULL},
    {"load", BINDING_METHOD(plan_load), BINDING_FAST | METH_CLASS,
     "load($type, path)\n--\n\nThe plan that save() wrote to a file, compiled again."},
    {"from_bytes", plan_from_bytes, METH_O | METH_CLASS,
     "from_bytes($type, saved, /)\n--\n\nThe plan of a saved form in memory, compiled again."},
    {"save", BINDING_METHOD(plan_save), BINDING_FAST,
     "save($self, path, *, note=b'')\n--\n\nWrite the patterns and options to a file, with bytes "
     "of "
     "your own if you like."},
    {"explain", plan_explain, METH_NOARGS,
     "explain($self)\n--\n\nHow the plan looks at a text, and why, in lines of `name: value`.\n\n"
     ">>> 'method: ' in Plan('pattern').explain()\nTrue\n"},
    {"__reduce_ex__", plan_reduce, METH_O, NULL},
    SEARCH_METHODS("$self, text"),
    RECORD_METHODS("$self, column"),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot plan_slots[] = {
    {Py_tp_new, (void *)plan_new},
    {Py_tp_dealloc, (void *)plan_dealloc},
    {Py_tp_repr, (void *)plan_repr},
    {Py_tp_methods, plan_methods},
    {Py_tp_getset, plan_attributes},
    {Py_tp_iter, (void *)PySeqIter_New},
    {Py_sq_length, (void *)plan_length},
    {Py_sq_item, (void *)plan_item},
    {Py_tp_doc,
     "Plan(patterns, *, ignore_case=False, words=False, lines=False, line_end=b'\\n',\n"
     "     unicode=False, method='auto', algorithm=None, sample=None)\n--\n\n"
     "One or many patterns, compiled. It never changes: share it between threads freely.\n\n"
     "patterns: a str (as UTF-8) or bytes is one pattern; an iterable of these, an Arrow array of\n"
     "strings, or a path of a file with a pattern in each line are many. Occurrences may overlap,\n"
     "and each is reported under its pattern's index.\n\n"
     ">>> plan = Plan(['he', 'she', 'hers'])\n>>> plan.count('ushers')\n3\n"
     ">>> len(plan), plan[1]\n(3, b'she')\n"},
    {0, NULL},
};

PyType_Spec plan_spec = {
    .name = "trawl.Plan",
    .basicsize = sizeof(struct plan_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = plan_slots,
};
