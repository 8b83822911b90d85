/* column: the types Column, many numbers without an object for each, and Matches, its columns. */
#include <string.h>

#include "arrow.h"
#include "binding.h"

struct column_object {
    PyObject_HEAD struct block *block;
    uint64_t first;
    Py_ssize_t count;
    Py_ssize_t stride; /* of an exported buffer */
};

static const uint64_t *column_values(const struct column_object *column)
{
    return (const uint64_t *)column->block->bytes + column->first;
}

PyObject *column_new(struct binding *binding, struct block *block, uint64_t first, uint64_t count)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(binding->column_type, Py_tp_alloc);
    struct column_object *made = (struct column_object *)allocate(binding->column_type, 0);

    if (made == NULL) {
        block_release(block);
        return NULL;
    }
    made->block = block;
    made->first = first;
    made->count = (Py_ssize_t)count;
    made->stride = sizeof(uint64_t);
    return (PyObject *)made;
}

static void column_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    block_release(((struct column_object *)self)->block);
    release(self);
    Py_DECREF(type);
}

static int column_buffer(PyObject *self, Py_buffer *view, int flags)
{
    struct column_object *column = (struct column_object *)self;

    if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "a trawl.Column cannot be changed");
        return -1;
    }
    memset(view, 0, sizeof *view);
    view->obj = Py_NewRef(self);
    view->buf = (void *)(uintptr_t)column_values(column);
    view->len = column->count * (Py_ssize_t)sizeof(uint64_t);
    view->readonly = 1;
    view->itemsize = sizeof(uint64_t);
    view->ndim = 1;
    view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? "Q" : NULL;
    view->shape = (flags & PyBUF_ND) == PyBUF_ND ? &column->count : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &column->stride : NULL;
    return 0;
}

static Py_ssize_t column_length(PyObject *self)
{
    return ((struct column_object *)self)->count;
}

static PyObject *column_item(PyObject *self, Py_ssize_t index)
{
    struct column_object *column = (struct column_object *)self;

    if (index < 0 || index >= column->count) {
        PyErr_SetString(PyExc_IndexError, "a column: the index is out of range");
        return NULL;
    }
    return PyLong_FromUnsignedLongLong(column_values(column)[index]);
}

static PyObject *column_subscript(PyObject *self, PyObject *key)
{
    struct column_object *column = (struct column_object *)self;
    Py_ssize_t begin, end, step, index;

    if (!PySlice_Check(key)) {
        index = PyNumber_AsSsize_t(key, PyExc_IndexError);
        if (index == -1 && PyErr_Occurred() != NULL)
            return NULL;
        return column_item(self, index < 0 ? index + column->count : index);
    }
    if (PySlice_Unpack(key, &begin, &end, &step) != 0)
        return NULL;
    if (step != 1) {
        PyErr_SetString(PyExc_ValueError, "a column: slices have the step 1; use numpy.asarray");
        return NULL;
    }
    index = PySlice_AdjustIndices(column->count, &begin, &end, step);
    return column_new(binding_of(self), block_share(column->block), column->first + (uint64_t)begin,
                      (uint64_t)index);
}

static PyObject *column_list(PyObject *self, PyObject *unused)
{
    PyObject *view = PyMemoryView_FromObject(self);
    PyObject *list = view == NULL ? NULL : PyObject_CallMethod(view, "tolist", NULL);

    (void)unused;
    Py_XDECREF(view);
    return list;
}

static PyObject *column_numpy(PyObject *self, PyObject *unused)
{
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *array = numpy == NULL ? NULL : PyObject_CallMethod(numpy, "asarray", "O", self);

    (void)unused;
    Py_XDECREF(numpy);
    return array;
}

static PyObject *column_arrow(PyObject *self, PyObject *const *given, Py_ssize_t count,
                              PyObject *keywords)
{
    static const char *const names[] = {"requested_schema"};
    static const struct arguments wanted = {"__arrow_c_array__", names, 1, 0, 1};
    struct column_object *column = (struct column_object *)self;
    struct arrow_column columns[1] = {{"", column->block, column->first}};
    PyObject *values[1];

    if (!arguments_read(&wanted, given, count, keywords, values))
        return NULL;
    return arrow_export_numbers(columns, 1, (uint64_t)column->count, false);
}

bool column_described(struct binding *binding, PyObject *object, struct arrow_column *column)
{
    struct column_object *given = (struct column_object *)object;

    if (Py_TYPE(object) != binding->column_type) {
        PyErr_SetString(PyExc_TypeError, "a trawl.Column is needed");
        return false;
    }
    column->block = given->block;
    column->first = given->first;
    return true;
}

static PyObject *column_repr(PyObject *self)
{
    struct column_object *column = (struct column_object *)self;
    Py_ssize_t shown = column->count < 6 ? column->count : 6;
    PyObject *list, *text = NULL, *part;

    part = PySequence_GetSlice(self, 0, shown);
    list = part == NULL ? NULL : column_list(part, NULL);
    if (list != NULL)
        text = PyUnicode_FromFormat("<trawl.Column of %zd: %R%s>", column->count, list,
                                    shown < column->count ? "..." : "");
    Py_XDECREF(part);
    Py_XDECREF(list);
    return text;
}

static PyMethodDef column_methods[] = {
    {"tolist", column_list, METH_NOARGS, "tolist($self)\n--\n\nThe values as a list of int."},
    {"to_numpy", column_numpy, METH_NOARGS,
     "to_numpy($self)\n--\n\nThe values as a numpy array over the same memory, which cannot be "
     "written."},
    {"__arrow_c_array__", BINDING_METHOD(column_arrow), BINDING_FAST, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot column_slots[] = {
    {Py_tp_dealloc, (void *)column_dealloc},
    {Py_tp_repr, (void *)column_repr},
    {Py_tp_methods, column_methods},
    {Py_bf_getbuffer, (void *)column_buffer},
    {Py_tp_iter, (void *)PySeqIter_New},
    {Py_sq_length, (void *)column_length},
    {Py_sq_item, (void *)column_item},
    {Py_mp_length, (void *)column_length},
    {Py_mp_subscript, (void *)column_subscript},
    {Py_tp_doc,
     "Numbers of 64 bits in one piece of memory that cannot be changed.\n\n"
     "It has the buffer protocol (numpy.asarray and memoryview make no copy) and the Arrow C data\n"
     "interface (pyarrow.array).\n\n"
     ">>> column = Plan('a').positions('banana')\n>>> column[0], len(column), column.tolist()\n"
     "(1, 3, [1, 3, 5])\n"},
    {0, NULL},
};

PyType_Spec column_spec = {
    .name = "trawl.Column",
    .basicsize = sizeof(struct column_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = column_slots,
};

/* ---- Matches ---- */

struct matches_object {
    PyObject_HEAD struct match_columns columns;
};

void match_columns_clear(struct match_columns *columns)
{
    block_release(columns->begins);
    block_release(columns->ends);
    block_release(columns->patterns);
    block_release(columns->lines);
    memset(columns, 0, sizeof *columns);
}

/* Room for `count` values more in a column, which may not be there yet. */
static bool column_reach(struct block **block, uint64_t room)
{
    if (*block == NULL)
        return (*block = block_new(room * sizeof(uint64_t))) != NULL;
    return block_grow(*block, room * sizeof(uint64_t));
}

static void column_put(struct block *block, uint64_t at, const uint64_t *values, uint64_t count)
{
    memcpy((uint64_t *)block->bytes + at, values, (size_t)count * sizeof *values);
}

bool match_columns_append(struct match_columns *columns, const struct trawl_batch *batch)
{
    uint64_t count = columns->count + batch->match_count;

    if (columns->begins == NULL || count > columns->room) {
        /* Once it is large it doubles: growing moves pages, not bytes. */
        uint64_t room = columns->begins == NULL ? count : count + columns->room;

        if (!column_reach(&columns->begins, room) || !column_reach(&columns->ends, room) ||
            !column_reach(&columns->patterns, room) ||
            ((batch->line_numbers != NULL || columns->with_lines) &&
             !column_reach(&columns->lines, room)))
            return false;
        columns->room = room;
    }
    if (batch->match_count > 0) {
        column_put(columns->begins, columns->count, batch->begins, batch->match_count);
        column_put(columns->ends, columns->count, batch->ends, batch->match_count);
        column_put(columns->patterns, columns->count, batch->pattern_indices, batch->match_count);
        if (batch->line_numbers != NULL)
            column_put(columns->lines, columns->count, batch->line_numbers, batch->match_count);
    }
    columns->count = count;
    columns->text_end = batch->text_end;
    return true;
}

PyObject *matches_new(struct binding *binding, struct match_columns *columns)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(binding->matches_type, Py_tp_alloc);
    struct matches_object *made = (struct matches_object *)allocate(binding->matches_type, 0);

    if (made == NULL) {
        match_columns_clear(columns);
        return NULL;
    }
    if (columns->room > columns->count) {
        block_trim(columns->begins, columns->count * sizeof(uint64_t));
        block_trim(columns->ends, columns->count * sizeof(uint64_t));
        block_trim(columns->patterns, columns->count * sizeof(uint64_t));
        if (columns->lines != NULL)
            block_trim(columns->lines, columns->count * sizeof(uint64_t));
    }
    made->columns = *columns;
    memset(columns, 0, sizeof *columns);
    return (PyObject *)made;
}

static void matches_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    match_columns_clear(&((struct matches_object *)self)->columns);
    release(self);
    Py_DECREF(type);
}

static PyObject *matches_column(PyObject *self, void *which)
{
    struct match_columns *columns = &((struct matches_object *)self)->columns;
    struct block *blocks[] = {columns->begins, columns->ends, columns->patterns, columns->lines};
    struct block *block = blocks[(uintptr_t)which];

    if (block == NULL)
        return Py_NewRef(Py_None);
    return column_new(binding_of(self), block_share(block), 0, columns->count);
}

static PyObject *matches_text_begin(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((struct matches_object *)self)->columns.text_begin);
}

static PyObject *matches_text_end(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(((struct matches_object *)self)->columns.text_end);
}

static Py_ssize_t matches_length(PyObject *self)
{
    return (Py_ssize_t)((struct matches_object *)self)->columns.count;
}

static PyObject *matches_item(PyObject *self, Py_ssize_t index)
{
    struct match_columns *columns = &((struct matches_object *)self)->columns;

    if (index < 0 || (uint64_t)index >= columns->count) {
        PyErr_SetString(PyExc_IndexError, "matches: the index is out of range");
        return NULL;
    }
    return Py_BuildValue("(KKK)", (unsigned long long)((uint64_t *)columns->begins->bytes)[index],
                         (unsigned long long)((uint64_t *)columns->ends->bytes)[index],
                         (unsigned long long)((uint64_t *)columns->patterns->bytes)[index]);
}

static PyObject *matches_arrow(PyObject *self, PyObject *const *given, Py_ssize_t count,
                               PyObject *keywords)
{
    static const char *const names[] = {"requested_schema"};
    static const struct arguments wanted = {"__arrow_c_array__", names, 1, 0, 1};
    struct match_columns *columns = &((struct matches_object *)self)->columns;
    struct arrow_column fields[4] = {{"begin", columns->begins, 0},
                                     {"end", columns->ends, 0},
                                     {"pattern", columns->patterns, 0},
                                     {"line", columns->lines, 0}};
    PyObject *values[1];

    if (!arguments_read(&wanted, given, count, keywords, values))
        return NULL;
    return arrow_export_numbers(fields, columns->lines == NULL ? 3 : 4, columns->count, true);
}

static PyObject *matches_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<trawl.Matches: %zd>", matches_length(self));
}

static PyGetSetDef matches_attributes[] = {
    {"begins", matches_column, NULL, "Where each begins, from the text's first byte.", (void *)0},
    {"ends", matches_column, NULL, "One past the last byte of each.", (void *)1},
    {"patterns", matches_column, NULL, "The index of each one's pattern.", (void *)2},
    {"lines", matches_column, NULL, "The line each begins in, from 0 on; None unless requested.",
     (void *)3},
    {"text_begin", matches_text_begin, NULL, "Where the part of the text begins.", NULL},
    {"text_end", matches_text_end, NULL, "Where it ends.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef matches_methods[] = {
    {"__arrow_c_array__", BINDING_METHOD(matches_arrow), BINDING_FAST, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot matches_slots[] = {
    {Py_tp_dealloc, (void *)matches_dealloc},
    {Py_tp_repr, (void *)matches_repr},
    {Py_tp_getset, matches_attributes},
    {Py_tp_methods, matches_methods},
    {Py_tp_iter, (void *)PySeqIter_New},
    {Py_sq_length, (void *)matches_length},
    {Py_sq_item, (void *)matches_item},
    {Py_tp_doc,
     "Occurrences in a part of a text, in order of (begin, pattern), as columns.\n\n"
     "matches[i] is (begin, end, pattern). pyarrow.record_batch(matches) makes no copy.\n\n"
     ">>> matches = Plan(['an', 'nan']).matches('banana')\n>>> list(matches)\n"
     "[(1, 3, 0), (2, 5, 1), (3, 5, 0)]\n>>> matches.ends.tolist()\n[3, 5, 5]\n"},
    {0, NULL},
};

PyType_Spec matches_spec = {
    .name = "trawl.Matches",
    .basicsize = sizeof(struct matches_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = matches_slots,
};
