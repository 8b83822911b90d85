/* module: the extension module trawl._trawl, its state, and what all its functions need. */
#include <string.h>

#include "binding.h"
#include "methods.h"

PyObject *binding_raise(struct binding *binding, enum trawl_status status,
                        const struct trawl_error *error)
{
    PyObject *made;

    if (error != NULL && error->status == status)
        made = PyObject_CallFunction(binding->make_error, "isiiKK", (int)status, error->message,
                                     (int)error->os_code, (int)error->driver_code,
                                     (unsigned long long)error->pattern_index,
                                     (unsigned long long)error->text_offset);
    else
        made = PyObject_CallFunction(
            binding->make_error, "isiiKK", (int)status, trawl_status_message(status), 0, 0,
            (unsigned long long)UINT64_MAX, (unsigned long long)UINT64_MAX);
    if (made != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(made), made);
        Py_DECREF(made);
    }
    return NULL;
}

/* Where the name is in the list; -1: nowhere. */
static Py_ssize_t index_of_name(const struct arguments *wanted, PyObject *name)
{
    for (Py_ssize_t i = 0; i < wanted->count; i++)
        if (PyUnicode_CompareWithASCIIString(name, wanted->names[i]) == 0)
            return i;
    return -1;
}

static bool read_keywords(const struct arguments *wanted, PyObject *const *given,
                          PyObject *keywords, PyObject **values)
{
    Py_ssize_t count = PyTuple_Size(keywords);

    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GetItem(keywords, i);
        Py_ssize_t at = index_of_name(wanted, name);

        if (at < 0 || values[at] != NULL) {
            PyErr_Format(PyExc_TypeError,
                         at < 0 ? "%s() got an unexpected keyword argument '%U'"
                                : "%s() got multiple values for argument '%U'",
                         wanted->function, name);
            return false;
        }
        values[at] = given[i];
    }
    return true;
}

bool arguments_read(const struct arguments *wanted, PyObject *const *given, Py_ssize_t given_count,
                    PyObject *keywords, PyObject **values)
{
    if (given_count > wanted->positional) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments (%zd given)",
                     wanted->function, wanted->positional, given_count);
        return false;
    }
    for (Py_ssize_t i = 0; i < wanted->count; i++)
        values[i] = i < given_count ? given[i] : NULL;
    if (keywords != NULL && !read_keywords(wanted, given + given_count, keywords, values))
        return false;
    for (Py_ssize_t i = 0; i < wanted->required; i++)
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() missing required argument: '%s'", wanted->function,
                         wanted->names[i]);
            return false;
        }
    for (Py_ssize_t i = wanted->required; i < wanted->count; i++)
        if (values[i] == Py_None)
            values[i] = NULL;
    return true;
}

int arguments_flag(PyObject *value, int otherwise)
{
    return value == NULL ? otherwise : PyObject_IsTrue(value);
}

bool binding_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **slot)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);

    if (type == NULL)
        return false;
    *slot = (PyTypeObject *)type;
    return PyModule_AddType(module, *slot) == 0;
}

/* ---- Functions of the module ---- */

static PyObject *algorithms(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    const char *name, *summary = NULL;

    (void)module;
    (void)unused;
    for (uint32_t i = 0; list != NULL && (name = trawl_algorithm(i, &summary)) != NULL; i++) {
        PyObject *pair = Py_BuildValue("ss", name, summary);

        if (pair == NULL || PyList_Append(list, pair) != 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

static PyObject *instruction_sets(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    const char *name;

    (void)module;
    (void)unused;
    for (uint32_t i = 0; list != NULL && (name = trawl_instruction_set(i)) != NULL; i++) {
        PyObject *text = PyUnicode_FromString(name);

        if (text == NULL || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyMethodDef module_methods[] = {
    {"algorithms", algorithms, METH_NOARGS,
     "algorithms()\n--\n\nNames of the published algorithms that Plan(algorithm=...) takes, each "
     "with one line\nabout it.\n\n>>> len(algorithms()) == 0 or 'memmem' in dict(algorithms())"
     "\nTrue\n"},
    {"instruction_sets", instruction_sets, METH_NOARGS,
     "instruction_sets()\n--\n\nThe instruction sets that searches can use on this machine, best "
     "first.\n\n>>> 'portable' in instruction_sets()\nTrue\n"},
    {"strings", records_strings, METH_O, NULL},
    {"struct_capsules", records_struct, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static bool add_types(PyObject *module, struct binding *binding)
{
    return binding_add_type(module, &plan_spec, &binding->plan_type) &&
           binding_add_type(module, &searcher_spec, &binding->searcher_type) &&
           binding_add_type(module, &text_spec, &binding->text_type) &&
           binding_add_type(module, &column_spec, &binding->column_type) &&
           binding_add_type(module, &matches_spec, &binding->matches_type) &&
           binding_add_type(module, &batches_spec, &binding->batches_type) &&
           binding_add_type(module, &line_batches_spec, &binding->line_batches_type) &&
           binding_add_type(module, &array_spec, &binding->array_type);
}

static int module_exec(PyObject *module)
{
    struct binding *binding = (struct binding *)PyModule_GetState(module);
    PyObject *errors = PyImport_ImportModule("trawl._errors");

    if (errors == NULL)
        return -1;
    binding->make_error = PyObject_GetAttrString(errors, "make");
    Py_DECREF(errors);
    if (binding->make_error == NULL)
        return -1;
    binding->sources = PyImport_ImportModule("trawl._sources");
    if (binding->sources == NULL || !add_types(module, binding))
        return -1;
    return PyModule_AddStringConstant(module, "__version__", trawl_version());
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    struct binding *binding = (struct binding *)PyModule_GetState(module);

    Py_VISIT(binding->make_error);
    Py_VISIT(binding->sources);
    Py_VISIT(binding->plan_type);
    Py_VISIT(binding->searcher_type);
    Py_VISIT(binding->text_type);
    Py_VISIT(binding->column_type);
    Py_VISIT(binding->matches_type);
    Py_VISIT(binding->batches_type);
    Py_VISIT(binding->line_batches_type);
    Py_VISIT(binding->array_type);
    Py_VISIT(binding->default_searcher);
    return 0;
}

static int module_clear(PyObject *module)
{
    struct binding *binding = (struct binding *)PyModule_GetState(module);

    Py_CLEAR(binding->default_searcher);
    Py_CLEAR(binding->make_error);
    Py_CLEAR(binding->sources);
    Py_CLEAR(binding->plan_type);
    Py_CLEAR(binding->searcher_type);
    Py_CLEAR(binding->text_type);
    Py_CLEAR(binding->column_type);
    Py_CLEAR(binding->matches_type);
    Py_CLEAR(binding->batches_type);
    Py_CLEAR(binding->line_batches_type);
    Py_CLEAR(binding->array_type);
    return 0;
}

static void module_free(void *module)
{
    struct binding *binding = (struct binding *)PyModule_GetState((PyObject *)module);

    (void)module_clear((PyObject *)module);
    unicode_free(binding->unicode); /* plans, which use it, keep the module */
    binding->unicode = NULL;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, (void *)module_exec},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "trawl._trawl",
    .m_doc = "Exact search for one or many strings: the C library behind the package trawl.",
    .m_size = sizeof(struct binding),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__trawl(void);
PyMODINIT_FUNC PyInit__trawl(void)
{
    return PyModuleDef_Init(&module_definition);
}
