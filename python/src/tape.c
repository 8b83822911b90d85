/* tape: arrays of strings in all of Arrow's layouts, as records on a tape. */
#include "tape.h"

#include <string.h>

#define VIEW_INLINE_BYTES 12 /* a view of no more bytes holds them itself */

void tape_release(struct tape *tape)
{
    block_release(tape->bytes);
    block_release(tape->offsets);
    block_release(tape->validity);
    memset(tape, 0, sizeof *tape);
}

static bool no_memory(struct tape *tape)
{
    tape_release(tape);
    PyErr_NoMemory();
    return false;
}

static void tape_begin(struct tape *tape, uint64_t count)
{
    memset(tape, 0, sizeof *tape);
    tape->records.size = sizeof tape->records;
    tape->records.record_count = count;
}

/* The array's validity bits; NULL: no value is null. */
static const uint8_t *validity_of(const struct ArrowArray *array)
{
    return array->null_count == 0 || array->n_buffers < 1 ? NULL
                                                          : (const uint8_t *)array->buffers[0];
}

/* Offsets and bytes one after the other: used where they are. */
static bool tape_of_offsets(const struct ArrowArray *array, uint32_t offset_bytes,
                            struct tape *tape)
{
    static const uint64_t none[1] = {0};
    struct trawl_record_array *records = &tape->records;

    tape_begin(tape, (uint64_t)array->length);
    records->offset_bytes = offset_bytes;
    records->offsets = none; /* an empty array may have no offsets */
    if (array->length > 0) {
        records->offsets = (const char *)array->buffers[1] + array->offset * (int64_t)offset_bytes;
        records->bytes = (const uint8_t *)array->buffers[2];
    }
    records->validity = validity_of(array);
    records->validity_begin = (uint64_t)array->offset;
    return true;
}

/* ---- Views: gathered ---- */

static uint64_t view_bytes(const uint8_t *view)
{
    int32_t bytes;

    memcpy(&bytes, view, sizeof bytes);
    return (uint64_t)(uint32_t)bytes;
}

static const uint8_t *view_begin(const struct ArrowArray *array, const uint8_t *view)
{
    int32_t buffer, offset;

    if (view_bytes(view) <= VIEW_INLINE_BYTES)
        return view + 4;
    memcpy(&buffer, view + 8, sizeof buffer);
    memcpy(&offset, view + 12, sizeof offset);
    return (const uint8_t *)array->buffers[2 + buffer] + offset;
}

static bool tape_of_views(const struct ArrowArray *array, struct tape *tape)
{
    uint64_t count = (uint64_t)array->length, total = 0;
    const uint8_t *views = NULL;
    uint64_t *offsets;
    uint8_t *bytes;

    tape_begin(tape, count);
    tape->records.offset_bytes = sizeof *offsets;
    tape->records.validity = validity_of(array);
    tape->records.validity_begin = (uint64_t)array->offset;
    tape->offsets = block_new((count + 1) * sizeof *offsets);
    if (tape->offsets == NULL)
        return no_memory(tape);
    offsets = (uint64_t *)tape->offsets->bytes;
    if (count > 0)
        views = (const uint8_t *)array->buffers[1] + 16 * array->offset;
    for (uint64_t i = 0; i < count; i++) {
        bool null = tape->records.validity != NULL &&
                    !bit_at(tape->records.validity, tape->records.validity_begin + i);

        offsets[i] = total;
        total += null ? 0 : view_bytes(views + 16 * i);
    }
    offsets[count] = total;
    tape->bytes = block_new(total);
    if (tape->bytes == NULL)
        return no_memory(tape);
    bytes = (uint8_t *)tape->bytes->bytes;
    for (uint64_t i = 0; i < count; i++)
        if (offsets[i + 1] > offsets[i])
            memcpy(bytes + offsets[i], view_begin(array, views + 16 * i),
                   (size_t)(offsets[i + 1] - offsets[i]));
    tape->records.bytes = bytes;
    tape->records.offsets = offsets;
    return true;
}

/* A column without a type: all its values are null. */
static bool tape_of_nulls(const struct ArrowArray *array, struct tape *tape)
{
    uint64_t count = (uint64_t)array->length, offsets = (count + 1) * sizeof(int32_t);

    tape_begin(tape, count);
    tape->offsets = block_new(offsets);
    tape->validity = block_new(count / 8 + 1);
    if (tape->offsets == NULL || tape->validity == NULL)
        return no_memory(tape);
    memset(tape->offsets->bytes, 0, (size_t)offsets);
    memset(tape->validity->bytes, 0, (size_t)(count / 8 + 1));
    tape->records.offsets = tape->offsets->bytes;
    tape->records.offset_bytes = sizeof(int32_t);
    tape->records.validity = (const uint8_t *)tape->validity->bytes;
    return true;
}

/* ---- Lists of Python objects: gathered ---- */

/* The bytes of a str or of something with the buffer protocol; None is NULL. False after an
 * exception. The view is to be released. */
static bool item_bytes(PyObject *item, Py_buffer *view, const void **bytes, Py_ssize_t *count)
{
    view->obj = NULL;
    *bytes = NULL;
    *count = 0;
    if (item == Py_None)
        return true;
    if (PyUnicode_Check(item))
        return (*bytes = PyUnicode_AsUTF8AndSize(item, count)) != NULL;
    if (PyObject_GetBuffer(item, view, PyBUF_SIMPLE) != 0) {
        view->obj = NULL;
        return false;
    }
    *bytes = view->buf == NULL ? "" : view->buf;
    *count = view->len;
    return true;
}

/* Append item i; the tape's bytes have room for *room. */
static bool append_item(struct tape *tape, PyObject *item, uint64_t i, uint64_t *room)
{
    uint64_t *offsets = (uint64_t *)tape->offsets->bytes, needed;
    uint8_t *valid = (uint8_t *)tape->validity->bytes;
    const void *bytes;
    Py_ssize_t count;
    Py_buffer view;

    if (!item_bytes(item, &view, &bytes, &count))
        return false;
    needed = offsets[i] + (uint64_t)count;
    if (needed > *room) {
        *room = needed + needed / 2;
        if (!block_grow(tape->bytes, *room)) {
            if (view.obj != NULL)
                PyBuffer_Release(&view);
            PyErr_NoMemory();
            return false;
        }
    }
    if (count > 0)
        memcpy((uint8_t *)tape->bytes->bytes + offsets[i], bytes, (size_t)count);
    if (bytes != NULL)
        valid[i >> 3] = (uint8_t)(valid[i >> 3] | 1u << (i & 7));
    offsets[i + 1] = needed;
    if (view.obj != NULL)
        PyBuffer_Release(&view);
    return true;
}

bool tape_of_tuple(PyObject *items, struct tape *tape)
{
    uint64_t count = (uint64_t)PyTuple_Size(items), room = 64 * count + 1;
    uint64_t bits = count / 8 + 1;

    tape_begin(tape, count);
    tape->offsets = block_new((count + 1) * sizeof(uint64_t));
    tape->validity = block_new(bits);
    tape->bytes = block_new(room);
    if (tape->offsets == NULL || tape->validity == NULL || tape->bytes == NULL)
        return no_memory(tape);
    memset(tape->validity->bytes, 0, (size_t)bits);
    *(uint64_t *)tape->offsets->bytes = 0;
    for (uint64_t i = 0; i < count; i++)
        if (!append_item(tape, PyTuple_GetItem(items, (Py_ssize_t)i), i, &room)) {
            tape_release(tape);
            return false;
        }
    tape->records.bytes = (const uint8_t *)tape->bytes->bytes;
    tape->records.offsets = tape->offsets->bytes;
    tape->records.offset_bytes = sizeof(uint64_t);
    tape->records.validity = (const uint8_t *)tape->validity->bytes;
    return true;
}

bool tape_of_array(const struct ArrowSchema *schema, const struct ArrowArray *array,
                   struct tape *tape)
{
    const char *format = schema->format;

    if (strcmp(format, "u") == 0 || strcmp(format, "z") == 0)
        return tape_of_offsets(array, 4, tape);
    if (strcmp(format, "U") == 0 || strcmp(format, "Z") == 0)
        return tape_of_offsets(array, 8, tape);
    if (strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0)
        return tape_of_views(array, tape);
    if (strcmp(format, "n") == 0)
        return tape_of_nulls(array, tape);
    PyErr_Format(PyExc_TypeError,
                 "records: strings or binary values are needed, not Arrow's format '%s'", format);
    return false;
}
