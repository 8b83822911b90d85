/* reader: the chunks of a column, from the Arrow C interfaces or from a list. */
#include <stdlib.h>
#include <string.h>

#include "tape.h"

/* ---- Opening ---- */

static bool open_stream(PyObject *column, struct column_reader *reader)
{
    reader->first = PyObject_CallMethod(column, "__arrow_c_stream__", NULL);
    if (reader->first == NULL)
        return false;
    reader->stream =
        (struct ArrowArrayStream *)PyCapsule_GetPointer(reader->first, "arrow_array_stream");
    if (reader->stream == NULL)
        return false;
    if (reader->stream->get_schema(reader->stream, &reader->own_schema) != 0) {
        const char *why = reader->stream->get_last_error(reader->stream);

        reader->own_schema.release = NULL;
        PyErr_Format(PyExc_RuntimeError, "records: %s", why == NULL ? "no schema" : why);
        return false;
    }
    reader->schema = &reader->own_schema;
    return true;
}

static bool open_array(PyObject *column, struct column_reader *reader)
{
    PyObject *pair = PyObject_CallMethod(column, "__arrow_c_array__", NULL);

    if (pair == NULL)
        return false;
    if (!PyArg_ParseTuple(pair, "OO", &reader->first, &reader->second)) {
        reader->first = reader->second = NULL;
        Py_DECREF(pair);
        return false;
    }
    Py_INCREF(reader->first);
    Py_INCREF(reader->second);
    Py_DECREF(pair);
    reader->schema = (struct ArrowSchema *)PyCapsule_GetPointer(reader->first, "arrow_schema");
    reader->array = (struct ArrowArray *)PyCapsule_GetPointer(reader->second, "arrow_array");
    return reader->schema != NULL && reader->array != NULL;
}

bool column_open(PyObject *column, struct column_reader *reader)
{
    bool opened;

    memset(reader, 0, sizeof *reader);
    if (PyUnicode_Check(column) || PyBytes_Check(column) || PyByteArray_Check(column)) {
        PyErr_SetString(PyExc_TypeError,
                        "records: a column or a list of strings is needed, not one string");
        return false;
    }
    if (PyObject_HasAttrString(column, "__arrow_c_stream__")) {
        opened = open_stream(column, reader);
    } else if (PyObject_HasAttrString(column, "__arrow_c_array__")) {
        opened = open_array(column, reader);
    } else {
        reader->is_list = true;
        reader->first = PySequence_Tuple(column);
        opened = reader->first != NULL;
    }
    if (!opened)
        column_close(reader, NULL);
    return opened;
}

/* ---- Dictionaries ---- */

/* Value i of a dictionary's keys; false: none of the index types. */
static bool key_at(const char *format, const void *keys, int64_t i, int64_t *key)
{
    switch (format[0]) {
    case 'c':
        *key = ((const int8_t *)keys)[i];
        return true;
    case 'C':
        *key = ((const uint8_t *)keys)[i];
        return true;
    case 's':
        *key = ((const int16_t *)keys)[i];
        return true;
    case 'S':
        *key = ((const uint16_t *)keys)[i];
        return true;
    case 'i':
        *key = ((const int32_t *)keys)[i];
        return true;
    case 'I':
        *key = ((const uint32_t *)keys)[i];
        return true;
    case 'l':
    case 'L':
        *key = ((const int64_t *)keys)[i];
        return true;
    default:
        return false;
    }
}

static bool keys_of(const struct ArrowSchema *schema, const struct ArrowArray *array,
                    struct chunk *chunk)
{
    const struct trawl_record_array *values = &chunk->tape.records;
    int64_t *keys;

    chunk->keys = block_new(chunk->record_count * sizeof *keys);
    if (chunk->keys == NULL) {
        PyErr_NoMemory();
        return false;
    }
    keys = (int64_t *)chunk->keys->bytes;
    for (uint64_t i = 0; i < chunk->record_count; i++) {
        int64_t key = -1;

        if (chunk->validity == NULL || bit_at(chunk->validity, chunk->validity_begin + i)) {
            if (!key_at(schema->format, array->buffers[1], array->offset + (int64_t)i, &key) ||
                key < 0 || (uint64_t)key >= values->record_count) {
                PyErr_SetString(PyExc_ValueError, "records: a dictionary column's key is wrong");
                return false;
            }
            if (values->validity != NULL &&
                !bit_at(values->validity, values->validity_begin + (uint64_t)key))
                key = -1;
        }
        keys[i] = key;
    }
    return true;
}

/* ---- Chunks ---- */

static void chunk_release(struct chunk *chunk)
{
    tape_release(&chunk->tape);
    block_release(chunk->keys);
    memset(chunk, 0, sizeof *chunk);
}

static bool chunk_of_array(const struct ArrowSchema *schema, const struct ArrowArray *array,
                           struct chunk *chunk)
{
    chunk->record_count = (uint64_t)array->length;
    chunk->validity_begin = (uint64_t)array->offset;
    if (array->null_count != 0 && array->n_buffers > 0)
        chunk->validity = (const uint8_t *)array->buffers[0];
    if (schema->dictionary == NULL) {
        if (!tape_of_array(schema, array, &chunk->tape))
            return false;
        chunk->validity = chunk->tape.records.validity;
        chunk->validity_begin = chunk->tape.records.validity_begin;
        return true;
    }
    return tape_of_array(schema->dictionary, array->dictionary, &chunk->tape) &&
           keys_of(schema, array, chunk);
}

static bool next_of_stream(struct column_reader *reader, bool *more)
{
    if (reader->own_array.release != NULL)
        reader->own_array.release(&reader->own_array);
    memset(&reader->own_array, 0, sizeof reader->own_array);
    if (reader->stream->get_next(reader->stream, &reader->own_array) != 0) {
        const char *why = reader->stream->get_last_error(reader->stream);

        reader->own_array.release = NULL;
        PyErr_Format(PyExc_RuntimeError, "records: %s", why == NULL ? "no next batch" : why);
        return false;
    }
    *more = reader->own_array.release != NULL;
    return true;
}

bool column_next(struct column_reader *reader, struct chunk *chunk, bool *more)
{
    const struct ArrowArray *array = reader->array;
    PyObject *items;

    chunk_release(chunk);
    if (reader->is_list) {
        items = reader->first;
        reader->first = NULL;
        *more = items != NULL;
        if (items == NULL)
            return true;
        /* What is gathered is a copy: the items may go. */
        *more = tape_of_tuple(items, &chunk->tape);
        chunk->record_count = chunk->tape.records.record_count;
        chunk->validity = chunk->tape.records.validity;
        Py_DECREF(items);
        return *more;
    }
    if (reader->stream != NULL) {
        if (!next_of_stream(reader, more))
            return false;
        array = &reader->own_array;
    } else {
        *more = array != NULL;
        reader->array = NULL;
    }
    return !*more || chunk_of_array(reader->schema, array, chunk);
}

PyObject *chunk_value(const struct chunk *chunk, uint64_t i)
{
    const struct trawl_record_array *records = &chunk->tape.records;
    bool null = chunk->validity != NULL && !bit_at(chunk->validity, chunk->validity_begin + i);
    uint64_t begin, end;

    if (chunk->keys != NULL) {
        int64_t key = ((const int64_t *)chunk->keys->bytes)[i];

        null = key < 0;
        i = (uint64_t)key;
    }
    if (null) {
        PyErr_SetString(PyExc_ValueError, "patterns: one of them is null");
        return NULL;
    }
    if (records->offset_bytes == 4) {
        begin = (uint64_t)((const int32_t *)records->offsets)[i];
        end = (uint64_t)((const int32_t *)records->offsets)[i + 1];
    } else {
        begin = ((const uint64_t *)records->offsets)[i];
        end = ((const uint64_t *)records->offsets)[i + 1];
    }
    return PyBytes_FromStringAndSize((const char *)records->bytes + begin,
                                     (Py_ssize_t)(end - begin));
}

void column_close(struct column_reader *reader, struct chunk *chunk)
{
    if (chunk != NULL)
        chunk_release(chunk);
    if (reader->own_array.release != NULL)
        reader->own_array.release(&reader->own_array);
    if (reader->own_schema.release != NULL)
        reader->own_schema.release(&reader->own_schema);
    Py_XDECREF(reader->first); /* the capsules release what they hold */
    Py_XDECREF(reader->second);
    memset(reader, 0, sizeof *reader);
}
