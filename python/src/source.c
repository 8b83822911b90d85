/* source: what is searched; and the type Text, which keeps one open. */
#include <string.h>
#include <unistd.h>

#include "binding.h"

static void source_clear(struct source *source)
{
    memset(source, 0, sizeof *source);
    source->descriptor = -1;
    source->bytes = UINT64_MAX;
}

void source_close(struct source *source)
{
    if (!source->is_borrowed) {
        trawl_text_close(source->text);
        if (source->view.obj != NULL)
            PyBuffer_Release(&source->view);
        if (source->descriptor >= 0)
            (void)close(source->descriptor);
    }
    Py_XDECREF(source->owner);
    source_clear(source);
}

bool source_checked(struct binding *binding, const struct source *source)
{
    const struct source *own =
        source->is_borrowed ? &((const struct text_object *)source->owner)->source : source;
    PyObject *checked;

    if (own->descriptor < 0 || own->owner == NULL)
        return true;
    checked = PyObject_CallMethod(binding->sources, "check", "O", own->owner);
    Py_XDECREF(checked);
    return checked != NULL;
}

static bool opened(struct binding *binding, struct source *source, enum trawl_status status,
                   const struct trawl_error *error)
{
    if (status == TRAWL_OK) {
        source->is_stream = !trawl_text_is_seekable(source->text);
        (void)trawl_text_bytes(source->text, &source->bytes);
        return true;
    }
    binding_raise(binding, status, error);
    source_close(source);
    return false;
}

static bool open_memory(struct binding *binding, struct source *source, const void *bytes,
                        Py_ssize_t count)
{
    struct trawl_error error;
    enum trawl_status status =
        trawl_text_from_memory(bytes, (uint64_t)count, &source->text, &error);

    if (status != TRAWL_OK)
        return opened(binding, source, status, &error);
    source->bytes = (uint64_t)count;
    return true;
}

static bool open_path(struct binding *binding, struct source *source, PyObject *path,
                      bool decompress)
{
    struct trawl_error error;
    enum trawl_status status;
    PyObject *encoded;
    const char *name;

    if (!PyUnicode_FSConverter(path, &encoded))
        return false;
    name = PyBytes_AsString(encoded);
    Py_BEGIN_ALLOW_THREADS status = decompress
                                        ? trawl_text_open_compressed(name, &source->text, &error)
                                        : trawl_text_open_file(name, &source->text, &error);
    Py_END_ALLOW_THREADS Py_DECREF(encoded);
    return opened(binding, source, status, &error);
}

/* trawl._sources.descriptor: (descriptor, name, owner, close it?) of a file object or a number. */
static bool open_descriptor(struct binding *binding, struct source *source, PyObject *file,
                            bool decompress)
{
    PyObject *found = PyObject_CallMethod(binding->sources, "descriptor", "O", file);
    struct trawl_error error;
    enum trawl_status status;
    PyObject *owner;
    int descriptor, owned;
    const char *name;

    if (found == NULL)
        return false;
    if (!PyArg_ParseTuple(found, "isOp", &descriptor, &name, &owner, &owned)) {
        Py_DECREF(found);
        return false;
    }
    source->owner = Py_NewRef(owner);
    if (owned)
        source->descriptor = descriptor;
    Py_BEGIN_ALLOW_THREADS status =
        decompress ? trawl_text_from_compressed(descriptor, name, &source->text, &error)
                   : trawl_text_from_descriptor(descriptor, name, &source->text, &error);
    Py_END_ALLOW_THREADS Py_DECREF(found);
    return opened(binding, source, status, &error);
}

static bool open_buffer(struct binding *binding, struct source *source, PyObject *argument)
{
    if (PyObject_GetBuffer(argument, &source->view, PyBUF_SIMPLE) != 0) {
        memset(&source->view, 0, sizeof source->view);
        return false;
    }
    return open_memory(binding, source, source->view.buf, source->view.len);
}

static bool open_device(struct binding *binding, struct source *source, uint64_t address,
                        uint64_t count)
{
    struct trawl_error error;
    enum trawl_status status = trawl_text_from_device(address, count, &source->text, &error);

    if (status != TRAWL_OK)
        return opened(binding, source, status, &error);
    source->bytes = count;
    source->device_address = count > 0 ? address : 0;
    return true;
}

/* An array of another library, as its bytes. */
static bool open_tensor(struct binding *binding, struct source *source, PyObject *argument,
                        bool by_interface)
{
    struct tensor tensor;
    uint64_t count;

    if (!(by_interface ? interface_open(argument, &tensor) : tensor_open(argument, &tensor)))
        return false;
    source->owner = tensor.owner;
    count = tensor.items * tensor.item_bytes;
    if (tensor.on_device)
        return open_device(binding, source, tensor.address, count);
    return open_memory(binding, source, (const void *)(uintptr_t)tensor.address, (Py_ssize_t)count);
}

bool source_own(struct binding *binding, struct source *source)
{
    PyObject *owner = source->owner;
    uint64_t address = source->device_address, count = source->bytes;

    source_clear(source);
    source->owner = owner;
    return open_device(binding, source, address, count);
}

bool source_open(struct binding *binding, PyObject *argument, bool decompress,
                 struct source *source)
{
    source_clear(source);
    if (Py_TYPE(argument) == binding->text_type) {
        struct text_object *text = (struct text_object *)argument;

        if (text->source.text == NULL) {
            PyErr_SetString(PyExc_ValueError, "the text is closed");
            return false;
        }
        *source = text->source;
        source->is_borrowed = true;
        source->owner = Py_NewRef(argument);
        return true;
    }
    if (PyUnicode_Check(argument)) {
        Py_ssize_t count;
        const char *bytes = PyUnicode_AsUTF8AndSize(argument, &count);

        if (bytes == NULL)
            return false;
        source->owner = Py_NewRef(argument);
        return open_memory(binding, source, bytes, count);
    }
    if (PyBytes_Check(argument))
        return open_buffer(binding, source, argument);
    if (interface_offered(argument)) /* CuPy's arrays have a buffer, too, which the host has not */
        return open_tensor(binding, source, argument, true);
    if (PyObject_CheckBuffer(argument))
        return open_buffer(binding, source, argument);
    if (PyObject_HasAttrString(argument, "__fspath__"))
        return open_path(binding, source, argument, decompress);
    if (tensor_offered(argument))
        return open_tensor(binding, source, argument, false);
    return open_descriptor(binding, source, argument, decompress);
}

/* ---- Text ---- */

static PyObject *text_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"source", "decompress", NULL};
    struct binding *binding = (struct binding *)PyType_GetModuleState(type);
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct text_object *text;
    PyObject *argument;
    int decompress = 0;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$p:Text", names, &argument,
                                     &decompress))
        return NULL;
    if (Py_TYPE(argument) == type)
        return Py_NewRef(argument);
    text = (struct text_object *)allocate(type, 0);
    if (text == NULL)
        return NULL;
    source_clear(&text->source);
    if (!source_open(binding, argument, decompress != 0, &text->source)) {
        source_clear(&text->source);
        Py_DECREF(text);
        return NULL;
    }
    return (PyObject *)text;
}

static void text_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    source_close(&((struct text_object *)self)->source);
    release(self);
    Py_DECREF(type);
}

static PyObject *text_bytes(PyObject *self, void *unused)
{
    struct text_object *text = (struct text_object *)self;

    (void)unused;
    if (text->source.bytes == UINT64_MAX)
        return Py_NewRef(Py_None);
    return PyLong_FromUnsignedLongLong(text->source.bytes);
}

static PyObject *text_is_stream(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((struct text_object *)self)->source.is_stream);
}

static PyGetSetDef text_attributes[] = {
    {"nbytes", text_bytes, NULL, "Bytes of the text; None where they are not known before.", NULL},
    {"is_stream", text_is_stream, NULL, "Can it be searched only once?", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot text_slots[] = {
    {Py_tp_new, (void *)text_new},
    {Py_tp_dealloc, (void *)text_dealloc},
    {Py_tp_getset, text_attributes},
    {Py_tp_doc,
     "Text(source, *, decompress=False)\n--\n\n"
     "A text that stays open for several searches; it is closed when the last reference goes.\n\n"
     "source: bytes and all else that has the buffer protocol, searched in place; a str, as UTF-8; "
     "a\npath (os.PathLike); a file object opened in binary mode, or its descriptor's number, from "
     "where\nit stands. Every search takes these without a Text around them too.\n"
     "decompress: what gzip, xz, bzip2, zstd or lz4 packed is searched as if it were unpacked.\n\n"
     ">>> Text(b'abc').nbytes\n3\n"},
    {0, NULL},
};

PyType_Spec text_spec = {
    .name = "trawl.Text",
    .basicsize = sizeof(struct text_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = text_slots,
};
