/* dlpack: arrays of other libraries by DLPack, on the host or on a device.
 *
 * The structs are DLPack's, field by field (https://dmlc.github.io/dlpack/latest/c_api.html). The
 * capsule stays unconsumed: it lets go of the array when it goes away.
 */
#include <string.h>

#include "binding.h"

#define READ_ONLY 1u
#define ON_HOST 1
#define ON_DEVICE 2
#define PINNED 3
#define MANAGED 13

struct dl_tensor {
    void *data;
    int32_t device_type;
    int32_t device_id;
    int32_t ndim;
    uint8_t type_code; /* 0: signed, 1: unsigned */
    uint8_t type_bits;
    uint16_t type_lanes;
    int64_t *shape;
    int64_t *strides; /* in items; NULL: without gaps */
    uint64_t byte_offset;
};

struct dl_managed {
    struct dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *);
};

struct dl_versioned {
    uint32_t major;
    uint32_t minor;
    void *context;
    void (*deleter)(struct dl_versioned *);
    uint64_t flags;
    struct dl_tensor tensor;
};

static bool refuse(const char *why)
{
    PyErr_Format(PyExc_BufferError, "DLPack: %s", why);
    return false;
}

/* object.__dlpack__(...): with the version we know; of older libraries without. A device's array
 * comes as it is, without a wait for any stream: what happens before is the caller's. */
static PyObject *capsule_of(PyObject *object, int device_type)
{
    PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
    PyObject *none = PyTuple_New(0);
    PyObject *words = device_type == ON_DEVICE ? Py_BuildValue("{si}", "stream", -1) : PyDict_New();
    PyObject *version = Py_BuildValue("(ii)", 1, 0), *capsule = NULL;

    if (method != NULL && none != NULL && words != NULL && version != NULL &&
        PyDict_SetItemString(words, "max_version", version) == 0) {
        capsule = PyObject_Call(method, none, words);
        if (capsule == NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            if (PyDict_DelItemString(words, "max_version") == 0)
                capsule = PyObject_Call(method, none, words);
        }
    }
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(words);
    Py_XDECREF(version);
    return capsule;
}

/* The tensor inside a capsule; NULL after an exception. */
static const struct dl_tensor *tensor_in(PyObject *capsule, bool *read_only)
{
    const struct dl_versioned *versioned;
    const struct dl_managed *managed;

    *read_only = false;
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        versioned =
            (const struct dl_versioned *)PyCapsule_GetPointer(capsule, "dltensor_versioned");
        if (versioned->major != 1) {
            (void)refuse("a version that is not known");
            return NULL;
        }
        *read_only = (versioned->flags & READ_ONLY) != 0;
        return &versioned->tensor;
    }
    managed = (const struct dl_managed *)PyCapsule_GetPointer(capsule, "dltensor");
    return managed == NULL ? NULL : &managed->tensor;
}

/* Do the items follow each other without gaps? */
static bool is_dense(const struct dl_tensor *tensor)
{
    int64_t items = 1;

    for (int32_t i = tensor->ndim; tensor->strides != NULL && i-- > 0;) {
        if (tensor->shape[i] != 1 && tensor->strides[i] != items)
            return tensor->shape[i] == 0;
        items *= tensor->shape[i];
    }
    return true;
}

static bool tensor_read(struct tensor *tensor)
{
    const struct dl_tensor *found = tensor_in(tensor->owner, &tensor->read_only);

    if (found == NULL)
        return false;
    if (found->type_bits % 8 != 0 || found->type_lanes != 1)
        return refuse("items of whole bytes are needed");
    if (!is_dense(found))
        return refuse("an array without gaps is needed");
    tensor->items = 1;
    for (int32_t i = 0; i < found->ndim; i++)
        tensor->items *= (uint64_t)found->shape[i];
    tensor->dimensions = found->ndim;
    tensor->item_bytes = found->type_bits / 8u;
    tensor->is_integer = found->type_code <= 1;
    tensor->on_device = found->device_type == ON_DEVICE;
    tensor->address = (uint64_t)(uintptr_t)found->data + found->byte_offset;
    return true;
}

bool tensor_offered(PyObject *object)
{
    return PyObject_HasAttrString(object, "__dlpack__") &&
           PyObject_HasAttrString(object, "__dlpack_device__");
}

bool tensor_open(PyObject *object, struct tensor *tensor)
{
    PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", NULL);
    int type, number;

    memset(tensor, 0, sizeof *tensor);
    if (device == NULL)
        return false;
    if (!PyArg_ParseTuple(device, "ii:__dlpack_device__", &type, &number)) {
        Py_DECREF(device);
        return false;
    }
    Py_DECREF(device);
    if (type != ON_HOST && type != ON_DEVICE && type != PINNED && type != MANAGED)
        return refuse("the array lies on a device of another kind");
    tensor->owner = capsule_of(object, type);
    if (tensor->owner != NULL && tensor_read(tensor))
        return true;
    tensor_close(tensor);
    return false;
}

void tensor_close(struct tensor *tensor)
{
    Py_CLEAR(tensor->owner);
}
