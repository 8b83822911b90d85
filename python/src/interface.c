/* interface: arrays of other libraries by __cuda_array_interface__, version 3 or earlier
 * (https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html).
 *
 * Its `stream` is not looked at: work on the array is over before a call, as the caller's rule is.
 */
#include <string.h>

#include "binding.h"

static bool refuse(const char *why)
{
    PyErr_Format(PyExc_ValueError, "__cuda_array_interface__: %s", why);
    return false;
}

/* "<u8": order, kind, bytes of an item. */
static bool read_type(PyObject *type, struct tensor *tensor)
{
    const char *text = PyUnicode_Check(type) ? PyUnicode_AsUTF8AndSize(type, NULL) : NULL;
    unsigned long bytes = 0;

    if (text == NULL || strlen(text) < 3)
        return PyErr_Occurred() == NULL ? refuse("no typestr") : false;
    for (const char *digit = text + 2; *digit >= '0' && *digit <= '9' && bytes < 1000; digit++)
        bytes = 10 * bytes + (unsigned long)(*digit - '0');
    tensor->item_bytes = (uint32_t)bytes;
    tensor->is_integer = text[0] != '>' && (text[1] == 'u' || text[1] == 'i');
    return true;
}

/* The items, if they follow each other without gaps. */
static bool read_shape(PyObject *shape, PyObject *strides, struct tensor *tensor)
{
    bool dense = true;

    if (!PyTuple_Check(shape))
        return refuse("no shape");
    tensor->dimensions = (int32_t)PyTuple_Size(shape);
    tensor->items = 1;
    for (Py_ssize_t i = PyTuple_Size(shape); i-- > 0;) {
        uint64_t length = PyLong_AsUnsignedLongLong(PyTuple_GetItem(shape, i));

        if (strides != NULL && strides != Py_None && length > 1) {
            PyObject *step = PySequence_GetItem(strides, i);
            long long bytes = step == NULL ? 0 : PyLong_AsLongLong(step);

            Py_XDECREF(step);
            dense = dense && bytes >= 0 && (uint64_t)bytes == tensor->items * tensor->item_bytes;
        }
        if (PyErr_Occurred() != NULL)
            return false;
        tensor->items *= length;
    }
    return dense || tensor->items == 0 || refuse("an array without gaps is needed");
}

static bool read_fields(PyObject *interface, struct tensor *tensor)
{
    PyObject *shape = PyDict_GetItemString(interface, "shape");
    PyObject *type = PyDict_GetItemString(interface, "typestr");
    PyObject *data = PyDict_GetItemString(interface, "data");
    unsigned long long address;
    int read_only;

    if (shape == NULL || type == NULL || data == NULL)
        return refuse("it lacks a field");
    if (!read_type(type, tensor) ||
        !read_shape(shape, PyDict_GetItemString(interface, "strides"), tensor))
        return false;
    if (!PyTuple_Check(data))
        return refuse("no address");
    if (!PyArg_ParseTuple(data, "Kp:data", &address, &read_only))
        return false;
    tensor->address = address;
    tensor->read_only = read_only != 0;
    return true;
}

bool interface_offered(PyObject *object)
{
    return PyObject_HasAttrString(object, "__cuda_array_interface__");
}

bool interface_open(PyObject *object, struct tensor *tensor)
{
    PyObject *interface = PyObject_GetAttrString(object, "__cuda_array_interface__");
    bool read;

    memset(tensor, 0, sizeof *tensor);
    if (interface == NULL)
        return false;
    read = PyDict_Check(interface) ? read_fields(interface, tensor) : refuse("it is no dict");
    Py_DECREF(interface);
    tensor->on_device = true;
    if (read)
        tensor->owner = Py_NewRef(object);
    return read;
}
