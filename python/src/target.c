/* target: arrays of the caller's that begins are written to, in host memory or a device's. */
#include <string.h>

#include "binding.h"

static bool refuse(const char *why)
{
    PyErr_Format(PyExc_ValueError, "out: %s", why);
    return false;
}

/* Is the format that of an integer in the machine's byte order? */
static bool is_native_integer(const char *format)
{
    const char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';

    format += *format == '@' || *format == '=' || *format == native;
    return *format != '\0' && strchr("QqLlNn", *format) != NULL && format[1] == '\0';
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
        is_native_integer(format)) {
        target->address = (uint64_t)(uintptr_t)target->view.buf;
        target->room = (uint64_t)target->view.len / sizeof(uint64_t);
        return true;
    }
    PyBuffer_Release(&target->view);
    target->view.obj = NULL;
    return refuse("one dimension of integers of 64 bits in this machine's byte order is needed");
}

static bool read_tensor(PyObject *out, bool by_interface, struct target *target)
{
    struct tensor *tensor = &target->tensor;

    if (!(by_interface ? interface_open(out, tensor) : tensor_open(out, tensor)))
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
    memset(target, 0, sizeof *target);
    if (interface_offered(out))
        return read_tensor(out, true, target);
    return !PyObject_CheckBuffer(out) && tensor_offered(out) ? read_tensor(out, false, target)
                                                             : read_buffer(out, target);
}

void target_close(struct target *target)
{
    if (target->view.obj != NULL)
        PyBuffer_Release(&target->view);
    tensor_close(&target->tensor);
}
