/* target: arrays of the caller's that begins are written to, in host memory or a device's. */
#include <string.h>

#include "binding.h"

static bool refuse(const char *why)
{
    PyErr_Format(PyExc_ValueError, "out: %s", why);
    return false;
}

/* Are there strides, and do they leave gaps? */
static bool has_gaps(PyObject *strides)
{
    PyObject *first;
    long long step;

    if (strides == NULL || strides == Py_None)
        return false;
    first = PySequence_GetItem(strides, 0);
    step = first == NULL ? 0 : PyLong_AsLongLong(first);
    Py_XDECREF(first);
    if (PyErr_Occurred() != NULL)
        PyErr_Clear();
    return step != (long long)sizeof(uint64_t);
}

/* https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html: version 3 or earlier */
static bool read_interface(PyObject *interface, struct target *target)
{
    PyObject *shape = PyDict_GetItemString(interface, "shape");
    PyObject *kind = PyDict_GetItemString(interface, "typestr");
    PyObject *data = PyDict_GetItemString(interface, "data");
    unsigned long long address, room;
    int read_only;

    if (shape == NULL || kind == NULL || data == NULL)
        return refuse("its __cuda_array_interface__ lacks a field");
    if (!PyUnicode_Check(kind) || (PyUnicode_CompareWithASCIIString(kind, "<u8") != 0 &&
                                   PyUnicode_CompareWithASCIIString(kind, "<i8") != 0))
        return refuse("numbers of 64 bits are needed");
    if (!PyTuple_Check(shape) || PyTuple_Size(shape) != 1 ||
        has_gaps(PyDict_GetItemString(interface, "strides")))
        return refuse("one dimension without gaps is needed");
    if (!PyTuple_Check(data))
        return refuse("its __cuda_array_interface__ says no address");
    if (!PyArg_ParseTuple(shape, "K", &room) || !PyArg_ParseTuple(data, "Kp", &address, &read_only))
        return false;
    if (read_only)
        return refuse("it cannot be written");
    target->on_device = true;
    target->address = address;
    target->room = room;
    return true;
}

static bool read_buffer(PyObject *out, struct target *target)
{
    const char *format;

    if (PyObject_GetBuffer(out, &target->view, PyBUF_WRITABLE | PyBUF_FORMAT | PyBUF_ND) != 0) {
        target->view.obj = NULL;
        return false;
    }
    format = target->view.format == NULL ? "B" : target->view.format;
    if (target->view.ndim == 1 && target->view.itemsize == sizeof(uint64_t) &&
        strchr("QqLlNn", format[strlen(format) - 1]) != NULL) {
        target->address = (uint64_t)(uintptr_t)target->view.buf;
        target->room = (uint64_t)target->view.len / sizeof(uint64_t);
        return true;
    }
    PyBuffer_Release(&target->view);
    target->view.obj = NULL;
    return refuse("one dimension of numbers of 64 bits is needed");
}

static bool read_tensor(PyObject *out, struct target *target)
{
    struct tensor *tensor = &target->tensor;

    if (!tensor_open(out, tensor))
        return false;
    target->on_device = tensor->on_device;
    target->address = tensor->address;
    target->room = tensor->items;
    if (tensor->dimensions == 1 && tensor->is_integer && tensor->item_bytes == sizeof(uint64_t) &&
        !tensor->read_only)
        return true;
    tensor_close(tensor);
    return refuse("one dimension of numbers of 64 bits that can be written is needed");
}

bool target_open(PyObject *out, struct target *target)
{
    PyObject *interface;
    bool opened;

    memset(target, 0, sizeof *target);
    if (!PyObject_HasAttrString(out, "__cuda_array_interface__"))
        return !PyObject_CheckBuffer(out) && tensor_offered(out) ? read_tensor(out, target)
                                                                 : read_buffer(out, target);
    interface = PyObject_GetAttrString(out, "__cuda_array_interface__");
    if (interface == NULL)
        return false;
    opened = PyDict_Check(interface) ? read_interface(interface, target)
                                     : refuse("its __cuda_array_interface__ is no dict");
    Py_DECREF(interface);
    return opened;
}

void target_close(struct target *target)
{
    if (target->view.obj != NULL)
        PyBuffer_Release(&target->view);
    tensor_close(&target->tensor);
}
