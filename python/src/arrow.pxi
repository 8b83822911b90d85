# arrow: exports arrays to other libraries (pyarrow, polars) without a copy, through the Arrow C data interface.
# ArrowSchema, ArrowArray and ArrowArrayStream match that interface field by field; Python capsules carry the structs
# between libraries (https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html). Uses memory.pxi and
# columns.pxi.

cdef struct ArrowSchema:
    const char *format
    const char *name
    const char *metadata
    int64_t flags  # 2: values may be null
    int64_t n_children
    ArrowSchema **children
    ArrowSchema *dictionary
    void (*release)(ArrowSchema *) noexcept nogil
    void *private_data

cdef struct ArrowArray:
    int64_t length
    int64_t null_count
    int64_t offset
    int64_t n_buffers
    int64_t n_children
    const void **buffers
    ArrowArray **children
    ArrowArray *dictionary
    void (*release)(ArrowArray *) noexcept nogil
    void *private_data

cdef struct ArrowArrayStream:
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *) noexcept nogil
    int (*get_next)(ArrowArrayStream *, ArrowArray *) noexcept nogil
    const char *(*get_last_error)(ArrowArrayStream *) noexcept nogil
    void (*release)(ArrowArrayStream *) noexcept nogil
    void *private_data

# A value of Arrow's formats "vu" and "vz". A string of count ≤ SHORT_MAX bytes is in the struct itself, from `head`; a
# longer one is in a buffer of the array.
cdef struct string_view:
    int32_t count  # number of bytes
    int32_t head  # the string's first 4 bytes
    int32_t buffer
    int32_t begin  # offset of the string in that buffer

cdef enum:
    SHORT_MAX = 12

# private_data of an exported schema and of an exported array. The same allocation contains, after this struct, the
# children's ArrowSchema or ArrowArray structs, and then the pointers to them.
cdef struct schema_memory:
    char *name

cdef struct array_memory:
    block *blocks[3]
    const void *buffers[3]


cdef inline const uint8_t *bytes_of_view(const void *const *buffers, const string_view *view) noexcept nogil:
    """Return where a view's bytes are: in the view, or in the array's `buffers`."""
    if view.count <= SHORT_MAX:
        return <const uint8_t *>&view.head
    return <const uint8_t *>buffers[2 + view.buffer] + view.begin


cdef void schema_release(ArrowSchema *schema) noexcept nogil:
    cdef schema_memory *memory = <schema_memory *>schema.private_data

    for i in range(schema.n_children):
        if schema.children[i].release != NULL:
            schema.children[i].release(schema.children[i])
    free(memory.name)
    free(memory)
    schema.release = NULL


cdef void array_release(ArrowArray *array) noexcept nogil:
    cdef array_memory *memory = <array_memory *>array.private_data

    for i in range(array.n_children):
        if array.children[i].release != NULL:
            array.children[i].release(array.children[i])
    for i in range(3):
        block_release(memory.blocks[i])
    free(memory)
    array.release = NULL


cdef void array_drop(block *memory) noexcept nogil:
    """Release the foreign ArrowArray that a block holds; the block's `drop` function."""
    cdef ArrowArray *array = <ArrowArray *>memory.bytes

    if array.release != NULL:
        array.release(array)


cdef void schema_capsule_free(object capsule) noexcept:
    cdef ArrowSchema *schema = <ArrowSchema *>PyCapsule_GetPointer(capsule, "arrow_schema")

    if schema.release != NULL:
        schema.release(schema)
    free(schema)


cdef void array_capsule_free(object capsule) noexcept:
    cdef ArrowArray *array = <ArrowArray *>PyCapsule_GetPointer(capsule, "arrow_array")

    if array.release != NULL:
        array.release(array)
    free(array)


cdef tuple new_capsules(ArrowSchema **schema, ArrowArray **array):
    """Allocate an empty schema and an empty array, and return the capsules that own both."""
    schema[0] = <ArrowSchema *>calloc(1, sizeof(ArrowSchema))
    array[0] = <ArrowArray *>calloc(1, sizeof(ArrowArray))
    if schema[0] == NULL or array[0] == NULL:
        free(schema[0])
        free(array[0])
        raise MemoryError()
    return (PyCapsule_New(schema[0], "arrow_schema", schema_capsule_free),
            PyCapsule_New(array[0], "arrow_array", array_capsule_free))


cdef int describe(ArrowSchema *schema, ArrowArray *array, const char *format, bytes name,
                  uint64_t length, int children) except -1:
    """Fill both structs for an array without buffers. The children are left empty."""
    cdef schema_memory *names = <schema_memory *>calloc(1, sizeof(schema_memory) + children * (
        sizeof(ArrowSchema) + sizeof(void *)))
    cdef array_memory *blocks = <array_memory *>calloc(1, sizeof(array_memory) + children * (
        sizeof(ArrowArray) + sizeof(void *)))
    cdef char *copy = <char *>malloc(len(name) + 1)
    cdef int i

    if names == NULL or blocks == NULL or copy == NULL:
        free(names)
        free(blocks)
        free(copy)
        raise MemoryError()
    memcpy(copy, PyBytes_AS_STRING(name), len(name) + 1)
    names.name = copy
    memset(schema, 0, sizeof(ArrowSchema))
    schema.format, schema.name, schema.flags = format, copy, 2
    schema.n_children = children
    schema.children = <ArrowSchema **>(<ArrowSchema *>(names + 1) + children)
    schema.release, schema.private_data = schema_release, names
    memset(array, 0, sizeof(ArrowArray))
    array.length, array.n_buffers = <int64_t>length, 1
    array.n_children = children
    array.buffers = &blocks.buffers[0]
    array.children = <ArrowArray **>(<ArrowArray *>(blocks + 1) + children)
    for i in range(children):
        schema.children[i] = <ArrowSchema *>(names + 1) + i
        array.children[i] = <ArrowArray *>(blocks + 1) + i
    array.release, array.private_data = array_release, blocks
    return 0


cdef void give_block(ArrowArray *array, int place, block *memory) noexcept:
    """Set the array's buffer number `place` to the block's bytes, and take a share of the block."""
    cdef array_memory *held = <array_memory *>array.private_data

    held.blocks[place] = block_share(memory)
    held.buffers[place] = memory.bytes if memory != NULL else NULL
    array.n_buffers = place + 1


cdef int describe_numbers(ArrowSchema *schema, ArrowArray *array, bytes name, block *memory,
                          uint64_t first, uint64_t length) except -1:
    describe(schema, array, "L", name, length, 0)
    give_block(array, 1, memory)
    array.offset = <int64_t>first
    return 0


cdef int describe_struct(ArrowSchema *schema, ArrowArray *array, bytes name, dict columns) except -1:
    describe(schema, array, "+s", name, len(next(iter(columns.values()))), <int>len(columns))
    return describe_fields(schema, array, columns)


cdef int describe_fields(ArrowSchema *schema, ArrowArray *array, dict columns) except -1:
    for i, (of, each) in enumerate(columns.items()):
        (<Answer?>each).export(schema.children[i], array.children[i], of.encode())
    return 0


def struct_capsules(dict columns, /):
    """Export Columns and Arrays as the fields of one Arrow struct array: two capsules."""
    cdef ArrowSchema *schema
    cdef ArrowArray *array

    if not columns:
        raise ValueError("struct_capsules: one column or more are needed")
    pair = new_capsules(&schema, &array)
    describe_struct(schema, array, b"", columns)
    return pair
