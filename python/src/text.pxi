# text: makes texts of memory, files, descriptors and arrays of other libraries (by DLPack or
# __cuda_array_interface__), and opens the caller's arrays for positions_into().

# ---- Arrays of other libraries ----

# DLPack's structs, field by field (https://dmlc.github.io/dlpack/latest/c_api.html).
cdef struct dl_tensor:
    void *data
    int32_t device_type
    int32_t device_id
    int32_t ndim
    uint8_t type_code  # 0: signed, 1: unsigned
    uint8_t type_bits
    uint16_t type_lanes
    int64_t *shape
    int64_t *strides  # in items; NULL: the array has no gaps
    uint64_t byte_offset

cdef struct dl_managed:
    dl_tensor tensor

cdef struct dl_versioned:
    uint32_t major
    uint32_t minor
    void *context
    void *deleter
    uint64_t flags
    dl_tensor tensor

cdef enum:
    DL_READ_ONLY = 1
    DL_DEVICE = 2

cdef struct tensor:
    bint on_device  # the array lies in a CUDA device's memory, which the host cannot read
    bint read_only
    bint is_integer
    int dimensions
    uint32_t item_bytes
    uint64_t items
    uint64_t address


cdef object tensor_of_dlpack(object array, tensor *found):
    """Fill `found` from an array's DLPack capsule. Return the capsule, which stays unconsumed and
    keeps the array alive."""
    cdef dl_tensor *given
    cdef dl_versioned *versioned
    cdef int64_t items = 1

    capsule = _sources.dlpack(array)
    found.read_only = False
    if PyCapsule_IsValid(capsule, "dltensor_versioned"):
        versioned = <dl_versioned *>PyCapsule_GetPointer(capsule, "dltensor_versioned")
        if versioned.major != 1:
            raise BufferError("DLPack: a version that is not known")
        found.read_only = versioned.flags & DL_READ_ONLY != 0
        given = &versioned.tensor
    else:
        given = &(<dl_managed *>PyCapsule_GetPointer(capsule, "dltensor")).tensor
    if given.type_bits % 8 != 0 or given.type_lanes != 1:
        raise BufferError("DLPack: items of whole bytes are needed")
    found.items = 1
    for i in range(given.ndim):
        found.items *= <uint64_t>given.shape[i]
    for i in range(given.ndim - 1, -1, -1):
        if given.strides == NULL or found.items == 0:
            break
        if given.shape[i] != 1 and given.strides[i] != items:
            raise BufferError("DLPack: an array without gaps is needed")
        items *= given.shape[i]
    found.dimensions = given.ndim
    found.item_bytes = given.type_bits // 8
    found.is_integer = given.type_code <= 1
    found.on_device = given.device_type == DL_DEVICE
    found.address = <uint64_t>given.data + given.byte_offset
    return capsule


cdef object tensor_of_interface(object array, tensor *found):
    """Fill `found` from an array's __cuda_array_interface__, and return the array."""
    (found.address, found.read_only, found.item_bytes, found.is_integer, found.dimensions,
     found.items) = _sources.cuda_interface(array)
    found.on_device = True
    return array


cdef inline bint has_dlpack(object array):
    return hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__")


# ---- Texts ----

@cython.internal
@cython.no_gc
cdef class Source:
    """The text of a search: memory that stays in place, a file or a descriptor."""

    cdef trawl_text *text  # NULL: closed
    cdef taken_buffer view  # obj is NULL if the text is no buffer
    cdef object owner  # kept alive while the text is open
    cdef int descriptor  # closed together with the text; -1: nothing to close
    cdef uint64_t bytes
    cdef const uint8_t *memory  # the text's bytes in the host's memory; NULL: elsewhere
    cdef uint64_t address  # device address of a text on a device; else 0
    cdef readonly bint is_stream
    cdef bint is_file  # a regular file, which had `bytes` bytes when it was opened

    def __cinit__(self):
        self.descriptor = -1

    def __dealloc__(self):
        self.close()

    cdef void close(self) noexcept:
        if self.text != NULL:
            trawl_text_close(self.text)
            self.text = NULL
        PyBuffer_Release(&self.view)
        if self.descriptor >= 0:
            close(self.descriptor)
        self.descriptor = -1
        self.owner = None
        self.memory = NULL

    cdef int open(self, object given, bint decompress) except -1:
        """Make a text of a search's argument. close() closes what open() opened, also after a
        failure."""
        cdef const char *utf8
        cdef Py_ssize_t count
        cdef tensor found

        self.descriptor = -1
        self.is_stream = self.is_file = False
        self.address = 0
        if isinstance(given, bytes):
            self.owner = given
            return self.open_memory(PyBytes_AS_STRING(given), PyBytes_GET_SIZE(given))
        if isinstance(given, str):
            utf8 = PyUnicode_AsUTF8AndSize(given, &count)
            self.owner = given
            return self.open_memory(utf8, count)
        if hasattr(given, "__cuda_array_interface__"):
            # Checked before the buffer protocol: CuPy's arrays have that protocol too, but a CuPy
            # buffer lies on the device, where the host cannot read.
            self.owner = tensor_of_interface(given, &found)
            return self.open_tensor(&found)
        if PyObject_CheckBuffer(given):
            take_buffer(given, &self.view)
            return self.open_memory(self.view.buf, self.view.len)
        if hasattr(given, "__fspath__"):
            return self.open_file(fsencode(given), -1, decompress)
        if has_dlpack(given):
            self.owner = tensor_of_dlpack(given, &found)
            return self.open_tensor(&found)
        if isinstance(given, TextIOBase):
            return self.open(_sources.in_memory(given), decompress)
        descriptor, name, self.owner, owned = _sources.descriptor(given)
        if owned:
            self.descriptor = descriptor
        return self.open_file(name.encode(), descriptor, decompress)

    cdef int open_memory(self, const void *bytes, Py_ssize_t count) except -1:
        cdef trawl_error error
        cdef int status = trawl_text_from_memory(bytes, <uint64_t>count, &self.text, &error)

        self.bytes, self.memory = <uint64_t>count, <const uint8_t *>bytes
        return check(status, &error)

    cdef int open_tensor(self, const tensor *found) except -1:
        cdef uint64_t count = found.items * found.item_bytes

        if not found.on_device:
            return self.open_memory(<const void *>found.address, <Py_ssize_t>count)
        return self.open_device(found.address, count)

    cdef int open_device(self, uint64_t address, uint64_t count) except -1:
        cdef trawl_error error
        cdef int status = trawl_text_from_device(address, count, &self.text, &error)

        self.bytes = count
        self.address = address if count > 0 else 0
        return check(status, &error)

    cdef int open_file(self, bytes name, int descriptor, bint decompress) except -1:
        """Open the path `name`, or, with descriptor >= 0, a text of that descriptor."""
        cdef const char *named = name
        cdef trawl_error error
        cdef int status

        with nogil:
            if descriptor < 0 and decompress:
                status = trawl_text_open_compressed(named, &self.text, &error)
            elif descriptor < 0:
                status = trawl_text_open_file(named, &self.text, &error)
            elif decompress:
                status = trawl_text_from_compressed(descriptor, named, &self.text, &error)
            else:
                status = trawl_text_from_descriptor(descriptor, named, &self.text, &error)
        check(status, &error)
        self.is_stream = not trawl_text_is_seekable(self.text)
        self.bytes = UNKNOWN
        self.is_file = trawl_text_bytes(self.text, &self.bytes)
        return 0

    cdef int check(self) except -1:
        """Called after a text was read to the end, or after reading failed. Raise what the file
        object's read() raised. Raise ReadError if the file became shorter while it was open."""
        cdef trawl_error error
        cdef uint8_t byte
        cdef uint64_t got = 1

        if self.descriptor >= 0 and self.owner is not None:
            _sources.check(self.owner)
        if self.is_file and self.bytes > 0 and \
                trawl_text_read(self.text, self.bytes - 1, &byte, 1, &got, &error) == TRAWL_OK \
                and got == 0:
            raise _errors.make(TRAWL_READ, "the file became shorter than it was when it was opened",
                               0, 0, UNKNOWN, UNKNOWN)
        return 0

    @property
    def nbytes(self):
        """The text's size in bytes; None if the size is not known before the text is read."""
        return self.bytes if self.bytes != UNKNOWN else None


class Text(Source):
    """Text(source, *, decompress=False)

    A text that stays open for several searches. The text is closed with its last reference.

    source: bytes or another object with the buffer protocol, searched in place; a str, searched as
      UTF-8; a path (os.PathLike); a file object opened in binary mode or another object with
      fileno(), searched from its current position. Every search also takes a source without a Text.
    decompress: unpack a path, file or pipe that gzip, xz, bzip2, zstd or lz4 packed, and search
      what comes out.

    >>> Text(b'abc').nbytes
    3
    """

    __slots__ = ()

    def __new__(cls, source, *, decompress=False):
        cdef Source made

        if isinstance(source, Source):
            return source
        made = Source.__new__(cls)
        made.open(source, decompress)
        if decompress and not made.is_file and not made.is_stream:
            raise ValueError("decompress: a path, a file or a pipe is needed; what lies in memory is "
                             "searched as it is (io.BytesIO makes a file of it)")
        return made


# ---- Arrays that positions_into() writes to ----

@cython.internal
@cython.final
cdef class Target:
    cdef bint on_device
    cdef uint64_t address
    cdef uint64_t room  # how many 64-bit numbers the array holds
    cdef taken_buffer view  # obj is NULL for an array on a device
    cdef object owner

    def __cinit__(self, out):
        cdef bint by_interface = hasattr(out, "__cuda_array_interface__")
        cdef tensor found

        if not by_interface and (PyObject_CheckBuffer(out) or not has_dlpack(out)):
            self.open_buffer(out)
            return
        if by_interface:
            self.owner = tensor_of_interface(out, &found)
        else:
            self.owner = tensor_of_dlpack(out, &found)
        if found.dimensions != 1 or not found.is_integer or found.item_bytes != 8 \
                or found.read_only:
            raise ValueError(
                "out: one dimension of numbers of 64 bits that can be written is needed"
            )
        self.on_device = found.on_device
        self.address = found.address
        self.room = found.items

    cdef int open_buffer(self, out) except -1:
        PyObject_GetBuffer(out, &self.view, PyBUF_WRITABLE | PyBUF_FORMAT | PyBUF_ND)
        _sources.check_out(out)
        self.address = <uint64_t>self.view.buf
        self.room = <uint64_t>self.view.len // 8
        return 0

    def __dealloc__(self):
        PyBuffer_Release(&self.view)
