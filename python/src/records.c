/* records: searches of columns, and the type Array, what they answer. */
#include <string.h>

#include "arrow.h"
#include "binding.h"
#include "gather.h"
#include "methods.h"

/* ---- Array ---- */

struct array_object {
    PyObject_HEAD const char *format; /* "b", "l", "L", "+L" or "Z" */
    uint64_t count;
    uint64_t null_count;
    struct block *validity;
    struct block *data;
    struct block *child; /* "+L": the lists' values; "Z": the bytes */
    uint64_t child_count;
};

static void array_dealloc(PyObject *self)
{
    struct array_object *array = (struct array_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    block_release(array->validity);
    block_release(array->data);
    block_release(array->child);
    release(self);
    Py_DECREF(type);
}

static Py_ssize_t array_length(PyObject *self)
{
    return (Py_ssize_t)((struct array_object *)self)->count;
}

static PyObject *array_null_count(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((struct array_object *)self)->null_count);
}

static PyObject *array_arrow(PyObject *self, PyObject *const *given, Py_ssize_t count,
                             PyObject *keywords)
{
    static const char *const names[] = {"requested_schema"};
    static const struct arguments wanted = {"__arrow_c_array__", names, 1, 0, 1};
    struct array_object *array = (struct array_object *)self;
    struct arrow_made child = {.format = "L", .name = "item", .count = array->child_count};
    struct arrow_made made = {.format = array->format,
                              .count = array->count,
                              .null_count = array->null_count,
                              .block_count = 2};
    PyObject *values[1];

    if (!arguments_read(&wanted, given, count, keywords, values))
        return NULL;
    made.blocks[0] = array->validity == NULL ? NULL : block_share(array->validity);
    made.blocks[1] = block_share(array->data);
    if (array->format[0] == 'Z') {
        made.blocks[2] = block_share(array->child);
        made.block_count = 3;
    } else if (array->child != NULL) {
        child.blocks[1] = block_share(array->child);
        child.block_count = 2;
        made.children = &child;
        made.child_count = 1;
    }
    return arrow_export(&made);
}

static PyObject *list_of(const uint64_t *values, uint64_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (uint64_t i = 0; list != NULL && i < count; i++) {
        PyObject *value = PyLong_FromUnsignedLongLong(values[i]);

        if (value == NULL || PyList_SetItem(list, (Py_ssize_t)i, value) != 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *array_value(const struct array_object *array, uint64_t i)
{
    const uint64_t *data = (const uint64_t *)array->data->bytes;

    if (array->validity != NULL && !bit_at((const uint8_t *)array->validity->bytes, i))
        return Py_NewRef(Py_None);
    if (array->format[0] == 'b')
        return PyBool_FromLong(bit_at((const uint8_t *)data, i));
    if (array->format[0] == '+')
        return list_of((const uint64_t *)array->child->bytes + data[i], data[i + 1] - data[i]);
    if (array->format[0] == 'Z')
        return PyBytes_FromStringAndSize((const char *)array->child->bytes + data[i],
                                         (Py_ssize_t)(data[i + 1] - data[i]));
    return PyLong_FromUnsignedLongLong(data[i]);
}

static PyObject *array_item(PyObject *self, Py_ssize_t index)
{
    struct array_object *array = (struct array_object *)self;

    if (index < 0 || (uint64_t)index >= array->count) {
        PyErr_SetString(PyExc_IndexError, "an array: the index is out of range");
        return NULL;
    }
    return array_value(array, (uint64_t)index);
}

static PyObject *array_list(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PySequence_List(self);
}

static PyObject *array_repr(PyObject *self)
{
    struct array_object *array = (struct array_object *)self;
    const char *kind = array->format[0] == 'b'   ? "bool"
                       : array->format[0] == '+' ? "lists of uint64"
                       : array->format[0] == 'l' ? "int64"
                       : array->format[0] == 'Z' ? "bytes"
                                                 : "uint64";

    return PyUnicode_FromFormat("<trawl.Array of %zd %s>", array_length(self), kind);
}

static PyGetSetDef array_attributes[] = {
    {"null_count", array_null_count, NULL, "How many values are null.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef array_methods[] = {
    {"tolist", array_list, METH_NOARGS, "tolist($self)\n--\n\nThe values; None where one is null."},
    {"__arrow_c_array__", BINDING_METHOD(array_arrow), BINDING_FAST, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot array_slots[] = {
    {Py_tp_dealloc, (void *)array_dealloc},
    {Py_tp_repr, (void *)array_repr},
    {Py_tp_getset, array_attributes},
    {Py_tp_methods, array_methods},
    {Py_tp_iter, (void *)PySeqIter_New},
    {Py_sq_length, (void *)array_length},
    {Py_sq_item, (void *)array_item},
    {Py_tp_doc,
     "A value for each record, perhaps null: what searches of records answer.\n\n"
     "pyarrow.array, polars.Series and all else that speaks the Arrow C data interface take it\n"
     "without a copy.\n\n"
     ">>> Plan('an').contains(['banana', 'pear', None]).tolist()\n[True, False, None]\n"},
    {0, NULL},
};

PyType_Spec array_spec = {
    .name = "trawl.Array",
    .basicsize = sizeof(struct array_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = array_slots,
};

PyObject *array_of_binary(struct binding *binding, struct block *offsets, struct block *bytes,
                          uint64_t count)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(binding->array_type, Py_tp_alloc);
    struct array_object *array = (struct array_object *)allocate(binding->array_type, 0);

    if (array == NULL) {
        block_release(offsets);
        block_release(bytes);
        return NULL;
    }
    array->format = "Z";
    array->count = count;
    array->data = offsets;
    array->child = bytes;
    return (PyObject *)array;
}

/* ---- Searching ---- */

struct record_work {
    struct binding *binding;
    struct plan_object *plan;
    struct searcher_object *searcher;
    struct trawl_searcher *handle;
    struct chunk chunk;
    struct gather *gather;
    enum trawl_status status;
    struct trawl_error error;
    bool no_memory;
};

static void work_records(void *context)
{
    struct record_work *work = (struct record_work *)context;
    struct trawl_matrix_batch batch = {.size = sizeof batch};
    struct trawl_matrix_search *matrix = NULL;

    work->status = trawl_matrix_open(work->handle, work->plan->plan, &work->chunk.tape.records,
                                     gather_shape(work->gather->kind), &matrix, &work->error);
    if (work->status != TRAWL_OK)
        return;
    while (!batch.last && work->status == TRAWL_OK && !work->no_memory) {
        work->status = trawl_matrix_next(matrix, &batch, &work->error);
        if (work->status == TRAWL_OK)
            work->no_memory = !gather_batch(work->gather, &batch);
    }
    trawl_matrix_close(matrix);
}

static uint64_t tape_bytes(const struct trawl_record_array *records)
{
    uint64_t count = records->record_count;

    if (records->offset_bytes == 4)
        return (uint64_t)(((const int32_t *)records->offsets)[count] -
                          ((const int32_t *)records->offsets)[0]);
    return ((const uint64_t *)records->offsets)[count] - ((const uint64_t *)records->offsets)[0];
}

static bool search_tape(struct record_work *work)
{
    struct labour labour = {.work = work_records,
                            .context = work,
                            .searcher = work->searcher,
                            .handle = work->handle,
                            .bytes = tape_bytes(&work->chunk.tape.records)};

    if (work->chunk.tape.records.record_count == 0)
        return true;
    if (!labour_run(&labour))
        return false;
    if (work->no_memory)
        PyErr_NoMemory();
    else if (work->status != TRAWL_OK)
        binding_raise(work->binding, work->status, &work->error);
    return !work->no_memory && work->status == TRAWL_OK;
}

/* A dictionary's values are searched once; then each record has what its value has. */
static bool search_dictionary(struct record_work *work)
{
    struct gather *wanted = work->gather;
    struct gather values = {.kind = GATHER_CELLS};
    bool done;

    work->gather = &values;
    done = search_tape(work);
    work->gather = wanted;
    if (done && !gather_keys(wanted, &values, work->chunk.tape.records.record_count,
                             (const int64_t *)work->chunk.keys->bytes, work->chunk.record_count)) {
        PyErr_NoMemory();
        done = false;
    }
    gather_release(&values);
    return done;
}

static bool search_column(struct record_work *work, PyObject *column)
{
    struct column_reader reader;
    bool more = true, done;

    if (!column_open(column, &reader))
        return false;
    for (done = true; done;) {
        done = column_next(&reader, &work->chunk, &more);
        if (!done || !more)
            break;
        done = work->chunk.keys == NULL ? search_tape(work) : search_dictionary(work);
        if (done && !gather_chunk_end(work->gather, &work->chunk)) {
            PyErr_NoMemory();
            done = false;
        }
    }
    column_close(&reader, &work->chunk);
    return done;
}

/* What offsets of lists begin with, and what counts of patterns are added to. */
static bool gather_begin(struct gather *gather, const struct trawl_plan *plan)
{
    static const uint64_t zero = 0;

    if (gather->kind == GATHER_LISTS)
        return gather_values(&gather->values, &zero, 1);
    if (gather->kind == GATHER_PATTERNS)
        return gather_clear_values(gather, trawl_plan_pattern_count(plan));
    return true;
}

/* Search the column of a call; the result is the gather's. False after an exception. */
static bool records_run(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words,
                        const char *function, struct gather *gather)
{
    static const char *const names[] = {"plan", "column"};
    struct record_work work = {.binding = binding_of(self), .gather = gather};
    Py_ssize_t skipped = Py_TYPE(self) == work.binding->plan_type ? 1 : 0;
    struct arguments wanted = {function, names + skipped, 2 - skipped, 2 - skipped, 2 - skipped};
    PyObject *values[2];
    bool done;

    if (!arguments_read(&wanted, given, count, words, values + skipped))
        return false;
    if (skipped != 0)
        values[0] = self;
    work.searcher = skipped != 0 ? searcher_default(work.binding) : (struct searcher_object *)self;
    work.plan = plan_of(work.binding, values[0]);
    if (work.plan == NULL || work.searcher == NULL)
        return false;
    if (!gather_begin(gather, work.plan->plan)) {
        PyErr_NoMemory();
        return false;
    }
    work.handle = searcher_take(work.binding, work.searcher);
    if (work.handle == NULL) {
        gather_release(gather);
        return false;
    }
    done = search_column(&work, values[1]);
    searcher_give(work.searcher, work.handle);
    if (!done)
        gather_release(gather);
    return done;
}

/* ---- Answers ---- */

static struct block *block_taken(struct gather_column *column)
{
    struct block *block = column->block == NULL ? block_new(8) : column->block;

    column->block = NULL;
    return block;
}

static PyObject *array_of(struct binding *binding, struct gather *gather, const char *format)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(binding->array_type, Py_tp_alloc);
    struct array_object *array = (struct array_object *)allocate(binding->array_type, 0);

    if (array != NULL) {
        array->format = format;
        array->count = gather->record_count;
        array->null_count = gather->null_count;
        if (gather->null_count > 0)
            array->validity = block_taken(&gather->valid);
        array->data = block_taken(&gather->values);
        if (format[0] == '+') {
            array->child_count = gather->cells[1].count;
            array->child = block_taken(&gather->cells[1]);
        }
        if (array->data == NULL || (format[0] == '+' && array->child == NULL)) {
            Py_CLEAR(array);
            PyErr_NoMemory();
        }
    }
    gather_release(gather);
    return (PyObject *)array;
}

PyObject *records_contains(PyObject *self, PyObject *const *given, Py_ssize_t count,
                           PyObject *words)
{
    struct gather gather = {.kind = GATHER_CONTAINS};

    if (!records_run(self, given, count, words, "contains", &gather))
        return NULL;
    return array_of(binding_of(self), &gather, "b");
}

PyObject *records_which(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    struct gather gather = {.kind = GATHER_WHICH};

    if (!records_run(self, given, count, words, "which", &gather))
        return NULL;
    return array_of(binding_of(self), &gather, "l");
}

PyObject *records_counts(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    struct gather gather = {.kind = GATHER_COUNTS};

    if (!records_run(self, given, count, words, "pattern_counts", &gather))
        return NULL;
    return array_of(binding_of(self), &gather, "L");
}

PyObject *records_lists(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    struct gather gather = {.kind = GATHER_LISTS};

    if (!records_run(self, given, count, words, "pattern_lists", &gather))
        return NULL;
    return array_of(binding_of(self), &gather, "+L");
}

static PyObject *column_taken(struct binding *binding, struct gather_column *column)
{
    struct block *block = block_taken(column);

    return block == NULL ? PyErr_NoMemory() : column_new(binding, block, 0, column->count);
}

PyObject *records_cells(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    struct gather gather = {.kind = GATHER_CELLS};
    struct binding *binding = binding_of(self);
    PyObject *columns[3], *cells = NULL;

    if (!records_run(self, given, count, words, "cells", &gather))
        return NULL;
    for (int i = 0; i < 3; i++)
        columns[i] = column_taken(binding, &gather.cells[i]);
    if (columns[0] != NULL && columns[1] != NULL && columns[2] != NULL)
        cells = PyObject_CallMethod(binding->sources, "Cells", "OOO", columns[0], columns[1],
                                    columns[2]);
    for (int i = 0; i < 3; i++)
        Py_XDECREF(columns[i]);
    gather_release(&gather);
    return cells;
}

PyObject *records_patterns(PyObject *self, PyObject *const *given, Py_ssize_t count,
                           PyObject *words)
{
    struct gather gather = {.kind = GATHER_PATTERNS};
    PyObject *column;

    if (!records_run(self, given, count, words, "record_counts", &gather))
        return NULL;
    column = column_taken(binding_of(self), &gather.values);
    gather_release(&gather);
    return column;
}

/* struct_capsules(names, columns): the Arrow array of a struct whose fields are these columns. */
PyObject *records_struct(PyObject *module, PyObject *arguments)
{
    struct binding *binding = (struct binding *)PyModule_GetState(module);
    struct arrow_column columns[4];
    PyObject *names, *given;
    Py_ssize_t count;

    if (!PyArg_ParseTuple(arguments, "O!O!:struct_capsules", &PyTuple_Type, &names, &PyTuple_Type,
                          &given))
        return NULL;
    count = PyTuple_Size(given);
    if (count < 1 || count > 4 || PyTuple_Size(names) != count) {
        PyErr_SetString(PyExc_ValueError, "struct_capsules: one to four columns and their names");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        columns[i].name = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(names, i), NULL);
        if (columns[i].name == NULL ||
            !column_described(binding, PyTuple_GetItem(given, i), &columns[i]))
            return NULL;
    }
    return arrow_export_numbers(columns, count, (uint64_t)PyObject_Size(PyTuple_GetItem(given, 0)),
                                true);
}

/* strings(column): its values as a list of bytes. */
PyObject *records_strings(PyObject *module, PyObject *column)
{
    struct chunk chunk = {.record_count = 0};
    struct column_reader reader;
    PyObject *list = PyList_New(0);
    bool more = true;

    (void)module;
    if (list == NULL || !column_open(column, &reader)) {
        Py_XDECREF(list);
        return NULL;
    }
    while (list != NULL) {
        if (!column_next(&reader, &chunk, &more))
            Py_CLEAR(list);
        if (list == NULL || !more)
            break;
        for (uint64_t i = 0; list != NULL && i < chunk.record_count; i++) {
            PyObject *value = chunk_value(&chunk, i);

            if (value == NULL || PyList_Append(list, value) != 0)
                Py_CLEAR(list);
            Py_XDECREF(value);
        }
    }
    column_close(&reader, &chunk);
    return list;
}
