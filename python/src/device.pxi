# device: GPU memory. Finds the functions of NVIDIA's driver, keeps a pool of memory for results, accepts arrays of
# other libraries (DLPack, CUDA array interface), and defines the type DeviceArray, whose values are on a GPU. Uses
# memory.pxi, arrow.pxi and columns.pxi.

cdef extern from "<dlfcn.h>" nogil:
    void *dlopen(const char *name, int mode)
    void *dlsym(void *library, const char *symbol)
    int RTLD_NOW

cdef enum:
    OUT_OF_MEMORY = 2  # the driver's code
    DEVICES_MAX = 16
    KIND_CPU = 1  # kinds of memory, with the same numbers in DLPack and in Arrow
    KIND_CUDA = 2
    KIND_CUDA_HOST = 3
    KIND_CUDA_MANAGED = 13

# ---- The driver --------------------------------------------------------------------------------

# The library opens the driver for searches. The package opens it again, because results outlive the searcher.
cdef struct driver_calls:
    int (*init)(unsigned int) noexcept nogil
    int (*retain)(void **context, int device) noexcept nogil
    int (*push)(void *context) noexcept nogil
    int (*pop)(void **context) noexcept nogil
    int (*synchronize)() noexcept nogil
    int (*stream_wait)(void *stream) noexcept nogil
    int (*event_wait)(void *event) noexcept nogil
    int (*allocate)(uint64_t *address, size_t bytes) noexcept nogil
    int (*free)(uint64_t address) noexcept nogil
    int (*to_host)(void *to, uint64_t address, size_t bytes) noexcept nogil
    int (*to_device)(uint64_t address, const void *bytes, size_t count) noexcept nogil
    int (*on_device)(uint64_t to, uint64_t address, size_t bytes) noexcept nogil
    int (*attribute)(void *value, int attribute, uint64_t address) noexcept nogil
    int (*error_text)(int code, const char **text) noexcept nogil

cdef tuple SYMBOLS = ("cuInit", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2",
                      "cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize", "cuMemAlloc_v2", "cuMemFree_v2",
                      "cuMemcpyDtoH_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoD_v2", "cuPointerGetAttribute",
                      "cuGetErrorString")
cdef driver_calls driver
cdef bint driver_is_open = False
cdef void *contexts[DEVICES_MAX]  # the devices' primary contexts; NULL: not retained yet


cdef int open_driver() except -1:
    global driver_is_open
    cdef void *library
    cdef bytes symbol

    if driver_is_open:
        return 0
    library = dlopen("libcuda.so.1", RTLD_NOW)
    if library == NULL:
        raise _errors.make(TRAWL_ENGINE, "no NVIDIA driver: libcuda.so.1 could not be opened. The driver is the system's, no "
                           "wheel has it; a container gets it by --gpus all", 0, 0, UNKNOWN, UNKNOWN)
    for i, name in enumerate(SYMBOLS):
        symbol = name.encode()
        (<void **>&driver)[i] = dlsym(library, symbol)
        if (<void **>&driver)[i] == NULL:
            raise _errors.make(TRAWL_ENGINE, f"the NVIDIA driver is too old: it lacks {name}", 0, 0, UNKNOWN, UNKNOWN)
    check_driver(driver.init(0), "cuInit")
    driver_is_open = True
    return 0


cdef int check_driver(int code, str what) except -1:
    """Raise the exception of a code that the driver returned."""
    cdef const char *text = NULL

    if code == 0:
        return 0
    if driver.error_text(code, &text) != 0 or text == NULL:
        text = "unknown error"
    raise _errors.make(TRAWL_MEMORY if code == OUT_OF_MEMORY else TRAWL_DEVICE, f"{what}: {str(text)} ({code})",
                       0, code, UNKNOWN, UNKNOWN)


cdef int enter(int64_t device) except -1:
    """Make the device's primary context current until leave()."""
    open_driver()
    if not 0 <= device < DEVICES_MAX:
        raise ValueError(f"device {device}: no GPU has this number")
    if contexts[device] == NULL:
        check_driver(driver.retain(&contexts[device], <int>device), f"device {device}")
    return check_driver(driver.push(contexts[device]), f"device {device}")


cdef void leave() noexcept nogil:
    cdef void *popped = NULL

    driver.pop(&popped)


cdef int wait_for(int64_t device, uint64_t stream, void *event) except -1:
    """Wait for the work that was queued on a stream, or before an event."""
    cdef int code

    enter(device)
    with nogil:
        code = driver.stream_wait(<void *>stream) if event == NULL else driver.event_wait(event)
        leave()
    return check_driver(code, f"device {device}: the stream or event that the caller's array names")


cdef int bring(int64_t device, void *to, uint64_t address, uint64_t bytes) except -1:
    """Copy bytes from a device to the host."""
    cdef int code = 0

    enter(device)
    with nogil:
        if bytes > 0:
            code = driver.to_host(to, address, bytes)
        leave()
    return check_driver(code, f"device {device}: a copy to the host")


cdef int send(int64_t device, uint64_t to, uint64_t address, const void *bytes, uint64_t count) except -1:
    """Copy bytes to a device: from `address` on the same device or, if `bytes` is not NULL, from the host."""
    cdef int code = 0

    enter(device)
    with nogil:
        if count > 0:
            code = driver.to_device(to, bytes, count) if bytes != NULL else driver.on_device(to, address, count)
        if code == 0:
            code = driver.synchronize()
        leave()
    return check_driver(code, f"device {device}: a copy")

# ---- The pool ----------------------------------------------------------------------------------

# Memory on a device, the content of a block. cuMemAlloc and cuMemFree take longer than a short search, so freed memory
# is kept.
cdef struct room:
    uint64_t address
    uint64_t bytes
    int64_t device
    uint64_t fork_count  # value of `forks` at the allocation: a forked child cannot use the driver

cdef enum:
    ROOMS_MAX = 64
    ROOM_BYTES = 512
    KEPT_BYTES_MAX = 1 << 26

cdef room kept[ROOMS_MAX]
cdef int kept_count = 0
cdef uint64_t kept_bytes = 0
cdef pthread_mutex_t kept_lock
pthread_mutex_init(&kept_lock, NULL)


cdef inline room *room_of(const block *memory) noexcept nogil:
    return <room *>memory.bytes


cdef void free_room(const room *given) noexcept nogil:
    if driver.push(contexts[given.device]) == 0:
        driver.free(given.address)
        leave()


cdef void room_drop(block *memory) noexcept nogil:
    """Keep a block's room for later results, or free the room; the block's `drop` function."""
    global kept_count, kept_bytes
    cdef room *freed = room_of(memory)
    cdef bint keeps

    if freed.bytes == 0 or freed.fork_count != load(&forks, LOADED):
        return
    pthread_mutex_lock(&kept_lock)
    keeps = kept_count < ROOMS_MAX and kept_bytes + freed.bytes <= KEPT_BYTES_MAX
    if keeps:
        kept[kept_count] = freed[0]
        kept_count += 1
        kept_bytes += freed.bytes
    pthread_mutex_unlock(&kept_lock)
    if not keeps:
        free_room(freed)


cdef bint take_room(room *wanted, uint64_t most) noexcept nogil:
    """Take out of the pool memory of the device with at least wanted.bytes and at most `most` bytes."""
    global kept_count, kept_bytes
    cdef bint found = False
    cdef int i

    pthread_mutex_lock(&kept_lock)
    for i in range(kept_count):
        if (kept[i].device == wanted.device and wanted.bytes <= kept[i].bytes <= most
                and kept[i].fork_count == load(&forks, LOADED)):
            wanted[0] = kept[i]
            kept_count -= 1
            kept_bytes -= kept[i].bytes
            kept[i] = kept[kept_count]
            found = True
            break
    pthread_mutex_unlock(&kept_lock)
    return found


cdef bint free_pool(int64_t device) noexcept nogil:
    """Free the kept rooms of a device, whose context is current; false: there are none."""
    cdef room freed
    cdef bint found = False

    memset(&freed, 0, sizeof(freed))
    freed.device = device
    while take_room(&freed, UNKNOWN):
        driver.free(freed.address)
        freed.bytes = 0
        found = True
    return found


cdef block *room_new(int64_t device, uint64_t bytes) except NULL:
    """Allocate memory on a device, aligned to 256 bytes, as a block with one share."""
    cdef block *made = block_new(sizeof(room))
    cdef room *own
    cdef int code = 0

    if made == NULL:
        raise MemoryError()
    own = room_of(made)
    memset(own, 0, sizeof(room))
    made.drop = room_drop
    try:
        enter(device)
        own.device, own.fork_count = device, load(&forks, LOADED)
        own.bytes = ROOM_BYTES
        while own.bytes < bytes and own.bytes < 1 << 20:
            own.bytes *= 2
        if own.bytes < bytes:
            own.bytes = (bytes + (1 << 20) - 1) >> 20 << 20
        with nogil:
            if take_room(own, 2 * own.bytes):
                code = driver.synchronize()  # work that the caller queued may still use a freed result
            else:
                code = driver.allocate(&own.address, own.bytes)
                if code == OUT_OF_MEMORY and free_pool(device):
                    code = driver.allocate(&own.address, own.bytes)
            leave()
        if code != 0 and own.address == 0:
            own.bytes = 0
        check_driver(code, f"device {device}: {bytes} bytes for results")
    except:
        block_release(made)
        raise
    return made


# ---- Arrays of other libraries -----------------------------------------------------------------

cdef struct dl_tensor:
    void *data
    int32_t kind
    int32_t device
    int32_t ndim
    uint8_t code  # 0: signed, 1: unsigned, 6: boolean
    uint8_t bits
    uint16_t lanes
    int64_t *shape
    int64_t *strides  # in items; NULL: contiguous
    uint64_t byte_offset

cdef struct dl_managed:
    dl_tensor tensor
    void *context
    void (*deleter)(dl_managed *) noexcept nogil

cdef struct dl_versioned:
    uint32_t major
    uint32_t minor
    void *context
    void (*deleter)(dl_versioned *) noexcept nogil
    uint64_t flags
    dl_tensor tensor

cdef enum:
    DL_READ_ONLY = 1


@cython.internal
@cython.final
@cython.no_gc
cdef class Lent:
    """A one-dimensional, contiguous array of another library."""

    cdef object owner  # keeps the memory alive, if the array came without DLPack
    cdef dl_managed *plain
    cdef dl_versioned *versioned
    cdef uint64_t address
    cdef uint64_t count  # number of items
    cdef uint32_t unit  # bytes of an item
    cdef str kind  # "u" unsigned, "i" signed, "b" boolean
    cdef bint on_device
    cdef bint read_only
    cdef int64_t device

    def __dealloc__(self):
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)
        if self.plain != NULL and self.plain.deleter != NULL:
            self.plain.deleter(self.plain)

    cdef int take_capsule(self, capsule, str what) except -1:
        """Take over the tensor of a DLPack capsule. A rejected tensor stays the capsule's."""
        cdef dl_versioned *versioned = NULL
        cdef dl_managed *plain = NULL

        if PyCapsule_IsValid(capsule, "dltensor_versioned"):
            versioned = <dl_versioned *>PyCapsule_GetPointer(capsule, "dltensor_versioned")
            if versioned.major != 1:
                raise BufferError(f"{what}: DLPack {versioned.major}.{versioned.minor} is not known, but 1.x")
            self.read_only = versioned.flags & DL_READ_ONLY != 0
            self.take_tensor(&versioned.tensor, what)
            PyCapsule_SetName(capsule, "used_dltensor_versioned")
        elif PyCapsule_IsValid(capsule, "dltensor"):
            plain = <dl_managed *>PyCapsule_GetPointer(capsule, "dltensor")
            self.take_tensor(&plain.tensor, what)
            PyCapsule_SetName(capsule, "used_dltensor")
        else:
            raise TypeError(f"{what}: __dlpack__() gave no capsule of DLPack that is unused")
        self.versioned, self.plain = versioned, plain
        return 0

    cdef int take_tensor(self, const dl_tensor *tensor, str what) except -1:
        cdef tuple shape

        if tensor.ndim < 0 or tensor.ndim > 64 or (tensor.ndim > 0 and tensor.shape == NULL):
            raise BufferError(f"{what}: the DLPack tensor has {tensor.ndim} dimensions and no shape")
        shape = tuple([tensor.shape[i] for i in range(tensor.ndim)])
        strides = None if tensor.strides == NULL else tuple([tensor.strides[i] for i in range(tensor.ndim)])
        kind = {0: "i", 1: "u", 2: "f", 4: "bf", 5: "c", 6: "b"}.get(tensor.code, f"code {tensor.code} ")
        if tensor.lanes != 1:
            kind = f"{tensor.lanes} x {kind}"
        self.check(what, kind, tensor.bits / 8, shape, strides, 1)
        self.on_device = tensor.kind in (KIND_CUDA, KIND_CUDA_MANAGED)
        if not self.on_device and tensor.kind not in (KIND_CPU, KIND_CUDA_HOST):
            raise _devices.no_device(what, tensor.kind)
        self.device = tensor.device
        self.address = <uint64_t>tensor.data + tensor.byte_offset if self.count > 0 else 0
        if tensor.data == NULL and self.count > 0:
            raise BufferError(f"{what}: the DLPack tensor has {self.count} items, and no address")
        if self.on_device and self.count > 0:
            self.device = device_of(self.address, self.device, what)
        return 0

    cdef int take_interface(self, given, str what) except -1:
        """Take an array through the CUDA array interface."""
        interface = given.__cuda_array_interface__
        address, self.read_only, kind, unit, shape, strides, stream = _devices.cuda_array(what, interface)
        self.check(what, kind, unit, shape, strides, unit)
        self.owner, self.on_device = given, True
        self.address = address if self.count > 0 else 0
        if self.count > 0:
            self.device = device_of(self.address, 0, what)
        if stream is not None and self.count > 0:
            wait_for(self.device, stream, NULL)
        return 0

    cdef int check(self, str what, str kind, unit, tuple shape, strides, step) except -1:
        _devices.check_array(what, kind, unit, shape, strides, step)
        self.kind, self.unit, self.count = kind, <uint32_t>unit, <uint64_t>shape[0]
        return 0


cdef int device_of(uint64_t address, int64_t claimed, str what) except -1:
    """Return the device in whose memory an address is, which may differ from the claimed device. Raise ValueError if
    there is none, or if kernels of the device's primary context cannot read there: they would break the context."""
    cdef unsigned int kind = 0
    cdef uint64_t read_at = 0
    cdef int device = 0, code

    enter(claimed)
    code = driver.attribute(&kind, 2, address)
    if code == 0 and kind == 2:
        code = driver.attribute(&device, 9, address)
    leave()
    if code != 0 or kind != 2:
        raise ValueError(f"{what}: address {address:#x} is no memory of a GPU; it is the host's, or was freed")
    enter(device)
    code = driver.attribute(&read_at, 3, address)
    leave()
    if code != 0 or read_at != address:
        raise ValueError(f"{what}: address {address:#x} cannot be read in the primary CUDA context, which trawl, the CUDA "
                         "runtime, PyTorch, CuPy and others use; it belongs to another context")
    return device


cdef Lent lent_of(given, str what):
    """Take an array through DLPack or the CUDA array interface. None: the object has neither, or is in the host's
    memory and has the buffer protocol."""
    cdef Lent made

    if isinstance(given, (str, bytes, bytearray, memoryview, list, tuple)):
        return None
    has_tensor = hasattr(given, "__dlpack_device__") and not hasattr(given, "__arrow_c_array__")
    if has_tensor:
        kind, device = map(int, given.__dlpack_device__())
        if kind == KIND_CPU and PyObject_CheckBuffer(given):
            return None
        if kind not in (KIND_CPU, KIND_CUDA, KIND_CUDA_HOST, KIND_CUDA_MANAGED):
            raise _devices.no_device(what, kind)
        made = Lent()
        if kind in (KIND_CUDA, KIND_CUDA_MANAGED):
            open_driver()
        made.take_capsule(_devices.dlpack(given, None if kind in (KIND_CPU, KIND_CUDA_HOST) else 1), what)
        if made.on_device:
            wait_for(made.device, 1, NULL)  # the producer makes stream 1 (legacy) wait for its own work
        return made
    if hasattr(given, "__cuda_array_interface__"):
        made = Lent()
        made.take_interface(given, what)
        return made
    return None


cdef Lent out_of(out, str what, str kind, uint32_t unit, uint64_t count, int64_t device):
    """Take the caller's array for a result of `count` items."""
    cdef Lent made = lent_of(out, what)

    if made is None or not made.on_device and made.count > 0:
        raise TypeError(f"{what}: an array on the column's device is needed, not {type(out).__name__}")
    if made.read_only:
        raise ValueError(f"{what}: the array is read-only")
    if made.unit != unit or (unit > 1 and made.kind != kind):
        raise TypeError(f"{what}: items of {unit} bytes ({kind}{8 * unit}) are needed, not {made.kind}{8 * made.unit}")
    if made.count < count:
        raise ValueError(f"{what}: {count} items are needed, and the array has {made.count}")
    if made.count > 0 and made.device != device:
        raise ValueError(f"{what}: the array is on device {made.device}, and the column on device {device}")
    if made.address % unit != 0:
        raise ValueError(f"{what}: the array's address is not a multiple of {unit}")
    return made


# ---- Results -----------------------------------------------------------------------------------

cdef struct dl_export:
    dl_managed plain
    dl_versioned versioned
    int64_t shape[1]
    int64_t strides[1]
    block *memory


cdef void plain_delete(dl_managed *tensor) noexcept nogil:
    export_free(<dl_export *>tensor.context)


cdef void versioned_delete(dl_versioned *tensor) noexcept nogil:
    export_free(<dl_export *>tensor.context)


cdef void export_free(dl_export *exported) noexcept nogil:
    block_release(exported.memory)
    free(exported)


cdef void tensor_capsule_free(object capsule) noexcept:
    if PyCapsule_IsValid(capsule, "dltensor"):
        plain_delete(<dl_managed *>PyCapsule_GetPointer(capsule, "dltensor"))
    elif PyCapsule_IsValid(capsule, "dltensor_versioned"):
        versioned_delete(<dl_versioned *>PyCapsule_GetPointer(capsule, "dltensor_versioned"))


cdef struct ArrowDeviceArray:
    ArrowArray array
    int64_t device_id
    int32_t device_type
    void *sync_event
    int64_t reserved[3]


cdef void device_capsule_free(object capsule) noexcept:
    cdef ArrowDeviceArray *array = <ArrowDeviceArray *>PyCapsule_GetPointer(capsule, "arrow_device_array")

    if array.array.release != NULL:
        array.array.release(&array.array)
    free(array)


@cython.final
@cython.no_gc
cdef class DeviceArray(There):
    """The result of a search on a GPU: booleans or signed numbers in the GPU's memory.

    PyTorch, CuPy, JAX and others use the memory without a copy, through DLPack or the CUDA array interface. The memory
    is freed with the last view. Arrow's device protocol exports numbers, and booleans made with bits=True; DLPack and
    the CUDA array interface export booleans of a byte each. device: the GPU's number.
    """

    cdef block *memory
    cdef block *validity  # of bits: NULL, or the records' validity
    cdef uint64_t null_count
    cdef uint64_t length
    cdef uint32_t unit  # bytes of an item; 0: bits
    cdef readonly int64_t device

    def __dealloc__(self):
        block_release(self.memory)
        block_release(self.validity)

    def __len__(self):
        return <Py_ssize_t>self.length

    def __repr__(self):
        return f"<trawl.DeviceArray of {self.length} {self.type_name()} on device {self.device}>"

    cdef str type_name(self):
        return {0: "bits", 1: "bool", 4: "int32", 8: "int64"}[self.unit]

    cdef uint64_t address(self) noexcept:
        return room_of(self.memory).address

    def to_host(self):
        """Copy the values to the host: booleans to an Array, numbers to a Column."""
        cdef uint64_t bytes = (self.length + 7) // 8 if self.unit == 0 else self.length * self.unit, i
        cdef block *copy = block_new(bytes)
        cdef column made

        memset(&made, 0, sizeof(made))
        if copy == NULL:
            raise MemoryError()
        try:
            bring(self.device, copy.bytes, self.address(), bytes)
            for i in range(self.length):
                if self.unit <= 1:
                    put_bit(&made, copy.bytes[i] if self.unit == 1 else bit_at(copy.bytes, i))
                else:
                    put_value(&made, (<uint32_t *>copy.bytes)[i] if self.unit == 4 else (<uint64_t *>copy.bytes)[i])
            if made.failed:
                raise MemoryError()
            return array_of("b", self.length, &made, NULL, 1) if self.unit <= 1 else column_taken(&made)
        finally:
            block_release(copy)
            drop(&made)

    def tolist(self):
        """Copy the values to a list."""
        return self.to_host().tolist()

    def __dlpack_device__(self):
        return KIND_CUDA, self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        cdef dl_export *made
        cdef dl_tensor tensor

        if self.unit == 0:
            raise BufferError("bits are for Arrow; contains() without bits=True gives a byte for each boolean")
        if copy or (dl_device is not None and tuple(dl_device) != (KIND_CUDA, self.device)):
            raise BufferError("a trawl.DeviceArray is given without a copy, on its own device; to_host() copies")
        made = <dl_export *>calloc(1, sizeof(dl_export))
        if made == NULL:
            raise MemoryError()
        memset(&tensor, 0, sizeof(tensor))
        tensor.data = <void *>self.address() if self.length > 0 else NULL
        tensor.kind, tensor.device, tensor.ndim = KIND_CUDA, <int32_t>self.device, 1
        tensor.code, tensor.bits, tensor.lanes = 6 if self.unit == 1 else 0, <uint8_t>(8 * self.unit), 1
        made.shape[0], made.strides[0] = <int64_t>self.length, 1
        tensor.shape, tensor.strides = &made.shape[0], &made.strides[0]
        made.plain.tensor = made.versioned.tensor = tensor
        made.plain.context = made.versioned.context = made
        made.plain.deleter, made.versioned.deleter = plain_delete, versioned_delete
        made.versioned.major = 1
        made.memory = block_share(self.memory)
        if max_version is not None and max_version[0] >= 1:
            return PyCapsule_New(&made.versioned, "dltensor_versioned", tensor_capsule_free)
        return PyCapsule_New(&made.plain, "dltensor", tensor_capsule_free)

    @property
    def __cuda_array_interface__(self):
        if self.unit == 0:
            raise AttributeError("bits have no CUDA array interface")
        return {"shape": (self.length,), "typestr": {1: "|b1", 4: "<i4", 8: "<i8"}[self.unit],
                "data": (self.address() if self.length > 0 else 0, False), "strides": None, "version": 3,
                "stream": None}

    @property
    def __arrow_c_device_array__(self):
        # A property, so that consumers of booleans of a byte each find no Arrow protocol, and use another.
        if self.unit == 1:
            raise AttributeError("contains(..., bits=True) gives booleans for Arrow")
        return self.device_capsules

    def device_capsules(self, requested_schema=None, **ignored):
        cdef const char *format = "b" if self.unit == 0 else "i" if self.unit == 4 else "l"
        cdef ArrowDeviceArray *array
        cdef ArrowSchema *schema

        pair = device_capsules(&schema, &array, self.device)
        describe_there(schema, &array.array, format, b"", self, self.length, 0)
        return pair


cdef int describe_there(ArrowSchema *schema, ArrowArray *array, const char *format, bytes name, DeviceArray of,
                        uint64_t length, int children) except -1:
    """Fill both structs for the array's memory, and for its nulls, on the device; None: a struct."""
    cdef array_memory *held

    describe(schema, array, format, name, length, children)
    if of is None:
        return 0
    array.null_count = <int64_t>of.null_count  # Arrow allows -1, which cuDF would read as no nulls
    give_block(array, 0, of.validity)
    give_block(array, 1, of.memory)
    held = <array_memory *>array.private_data
    for i in range(2):
        if held.blocks[i] != NULL:
            held.buffers[i] = <void *>room_of(held.blocks[i]).address
    return 0


cdef tuple device_capsules(ArrowSchema **schema, ArrowDeviceArray **array, int64_t device):
    """Allocate an empty schema and an empty array on a device, and return the capsules that own both."""
    schema[0] = <ArrowSchema *>calloc(1, sizeof(ArrowSchema))
    array[0] = <ArrowDeviceArray *>calloc(1, sizeof(ArrowDeviceArray))
    if schema[0] == NULL or array[0] == NULL:
        free(schema[0])
        free(array[0])
        raise MemoryError()
    array[0].device_id, array[0].device_type = device, KIND_CUDA
    return (PyCapsule_New(schema[0], "arrow_schema", schema_capsule_free),
            PyCapsule_New(array[0], "arrow_device_array", device_capsule_free))


@cython.final
@cython.no_gc
cdef class DeviceMatches(There):
    """The occurrences in the records of a column on a GPU, as DeviceArrays: where each begins and ends, in bytes from its
    record's first byte, and its pattern.

    The occurrences in record i are number offsets[i] to offsets[i + 1] - 1 of begins, ends and patterns. With first=True,
    there are no offsets (None), but one number for each record, -1 if nothing occurs. Arrow's device protocol exports lists
    of structs, null for a null record.
    """

    cdef readonly DeviceArray offsets
    cdef readonly DeviceArray begins
    cdef readonly DeviceArray ends
    cdef readonly DeviceArray patterns

    def __len__(self):
        return len(self.begins) if self.offsets is None else len(self.offsets) - 1

    def __repr__(self):
        return (f"<trawl.DeviceMatches of {len(self)} records, {len(self.begins)} "
                f"{'first ' if self.offsets is None else ''}occurrences, on device {self.begins.device}>")

    def tolist(self):
        """Copy the occurrences to a list: of lists of (begin, end, pattern), or of dicts of these and None, as on the host."""
        rows = list(zip(signed(self.begins), signed(self.ends), signed(self.patterns), strict=True))
        if self.offsets is None:
            return [dict(zip(("begin", "end", "pattern"), row)) if row[0] >= 0 else None for row in rows]
        at = signed(self.offsets)
        return [rows[at[i]:at[i + 1]] for i in range(len(self))]

    @property
    def __arrow_c_device_array__(self):
        if self.offsets is None:
            raise AttributeError("the first occurrences are three arrays, each of which Arrow takes")
        return self.device_capsules

    def device_capsules(self, requested_schema=None, **ignored):
        cdef const char *format = "+l" if self.offsets.unit == 4 else "+L"
        cdef const char *item = "i" if self.offsets.unit == 4 else "l"
        cdef ArrowDeviceArray *array
        cdef ArrowSchema *schema
        cdef ArrowSchema *fields
        cdef ArrowArray *items
        cdef uint64_t count = self.begins.length

        pair = device_capsules(&schema, &array, self.begins.device)
        describe_there(schema, &array.array, format, b"", self.offsets, <uint64_t>len(self), 1)
        fields, items = schema.children[0], array.array.children[0]
        describe_there(fields, items, "+s", b"item", None, count, 3)
        describe_there(fields.children[0], items.children[0], item, b"begin", self.begins, count, 0)
        describe_there(fields.children[1], items.children[1], item, b"end", self.ends, count, 0)
        describe_there(fields.children[2], items.children[2], item, b"pattern", self.patterns, count, 0)
        return pair


@cython.final
@cython.no_gc
cdef class DeviceStrings(There):
    """Strings, or binary values, on a GPU, as replace() and mask() make them, or with `lists` lists of them, as split()
    makes them.

    String i is the bytes offsets[i] to offsets[i + 1] - 1, and list i has the strings lists[i] to lists[i + 1] - 1.
    Arrow's device protocol exports the column, also to searches, with the nulls of the records. nbytes: of the strings.
    """

    cdef readonly DeviceArray offsets
    cdef readonly DeviceArray lists  # None: no lists
    cdef readonly uint64_t nbytes
    cdef block *bytes
    cdef bint is_text

    def __dealloc__(self):
        block_release(self.bytes)

    def __len__(self):
        return len(self.offsets if self.lists is None else self.lists) - 1

    def __repr__(self):
        return (f"<trawl.DeviceStrings of {len(self)} {'strings' if self.lists is None else 'lists'}, {self.nbytes} bytes, "
                f"on device {self.offsets.device}>")

    def tolist(self):
        """Copy the values to a list: of str, of bytes, or of lists of them; null is None."""
        cdef DeviceArray rows = self.offsets if self.lists is None else self.lists
        cdef block *copy = block_new(max(self.nbytes, (rows.length + 7) // 8))

        if copy == NULL:
            raise MemoryError()
        try:
            bring(rows.device, copy.bytes, room_of(self.bytes).address, self.nbytes)
            text, at = PyBytes_FromStringAndSize(<const char *>copy.bytes, <Py_ssize_t>self.nbytes), self.offsets.tolist()
            made = [text[begin:end] for begin, end in itertools.pairwise(at)]
            if self.is_text:
                made = [one.decode() for one in made]
            if self.lists is not None:
                made = [made[begin:end] for begin, end in itertools.pairwise(self.lists.tolist())]
            if rows.validity == NULL:
                return made
            bring(rows.device, copy.bytes, room_of(rows.validity).address, (rows.length + 6) // 8)
            return [one if bit_at(copy.bytes, i) else None for i, one in enumerate(made)]
        finally:
            block_release(copy)

    cdef int describe(self, ArrowSchema *schema, ArrowArray *array, bytes name) except -1:
        cdef const char *format = (b"u" if self.is_text else b"z") if self.offsets.unit == 4 else b"U" if self.is_text else b"Z"

        describe_there(schema, array, format, name, self.offsets, self.offsets.length - 1, 0)
        give_block(array, 2, self.bytes)
        (<array_memory *>array.private_data).buffers[2] = <void *>room_of(self.bytes).address
        return 0

    def __arrow_c_device_array__(self, requested_schema=None, **ignored):
        cdef ArrowDeviceArray *array
        cdef ArrowSchema *schema

        pair = device_capsules(&schema, &array, self.offsets.device)
        if self.lists is None:
            self.describe(schema, &array.array, b"")
        else:
            describe_there(schema, &array.array, "+l" if self.lists.unit == 4 else "+L", b"", self.lists,
                           self.lists.length - 1, 1)
            self.describe(schema.children[0], array.array.children[0], b"item")
        return pair


cdef list signed(DeviceArray numbers):
    """Copy numbers to a list; those with the highest bit set are negative."""
    cdef int bits = 8 * <int>numbers.unit

    return [number - (number >> bits - 1 << bits) for number in numbers.tolist()]


cdef DeviceArray device_array(int64_t device, uint64_t length, uint32_t unit):
    """Make a DeviceArray, whose values the caller fills."""
    cdef DeviceArray made = DeviceArray.__new__(DeviceArray)

    made.device, made.length, made.unit = device, length, unit
    made.memory = room_new(device, (length + 7) // 8 if unit == 0 else length * unit)
    return made
