# columns: the Python types of results: Column (64-bit numbers in a block of memory) and Array (a value, or null, per
# record). Uses memory.pxi, arrow.pxi and views.pxi.


@cython.internal
cdef class Made:
    """Base of types whose objects only the package makes."""

    def __init__(self):
        raise TypeError(f"{type(self).__name__}: searches make it")


@cython.internal
cdef class There(Made):
    """Base of types whose values are on a GPU."""

    def __bool__(self):
        raise _errors.no_truth(self)

    def __reduce__(self):
        raise _errors.no_pickle(self)


@cython.internal
cdef class Answer(Made):
    """Base of Column and Array: an immutable sequence that only searches create."""

    cdef Py_ssize_t length

    def __len__(self):
        return self.length

    def __iter__(self):
        return PySeqIter_New(self)

    def to_arrow(self):
        """Return a pyarrow.Array over the same memory."""
        import pyarrow

        return pyarrow.array(self)

    def to_polars(self):
        """Return a polars.Series over the same memory."""
        import polars

        return polars.Series(self)

    cdef int export(self, ArrowSchema *schema, ArrowArray *array, bytes name) except -1:
        """Fill a schema and an array with this object's values, under a field name."""
        return 0

    def __arrow_c_array__(self, requested_schema=None):
        cdef ArrowSchema *schema
        cdef ArrowArray *array

        pair = new_capsules(&schema, &array)
        self.export(schema, array, b"")
        return pair


@cython.final
cdef class Column(Answer):
    """An immutable sequence of 64-bit unsigned numbers, contiguous in memory.

    A Column has the buffer protocol and the Arrow C data interface, so numpy.asarray, memoryview
    and pyarrow.array use its memory without a copy.

    >>> column = Plan('a').positions('banana')
    >>> column[0], len(column), column.tolist()
    (1, 3, [1, 3, 5])
    """

    cdef block *memory
    cdef uint64_t first
    cdef Py_ssize_t stride  # bytes between items of an exported buffer

    def __dealloc__(self):
        block_release(self.memory)

    cdef const uint64_t *values(self) noexcept:
        return <const uint64_t *>self.memory.bytes + self.first

    def __getbuffer__(self, Py_buffer *view, int flags):
        if flags & PyBUF_WRITABLE == PyBUF_WRITABLE:
            raise BufferError("a trawl.Column cannot be changed")
        view.buf = <void *>self.values() if self.memory != NULL else NULL
        view.obj = self
        view.len = self.length * <Py_ssize_t>sizeof(uint64_t)
        view.readonly = 1
        view.itemsize = sizeof(uint64_t)
        view.ndim = 1
        view.format = <char *>"Q" if flags & PyBUF_FORMAT == PyBUF_FORMAT else <char *>NULL
        view.shape = &self.length if flags & PyBUF_ND == PyBUF_ND else NULL
        view.strides = &self.stride if flags & PyBUF_STRIDES == PyBUF_STRIDES else NULL
        view.suboffsets = NULL
        view.internal = NULL

    def __getitem__(self, key):
        if not isinstance(key, slice):
            return self.values()[index_of(key, <uint64_t>self.length)]
        begin, end, step = key.indices(self.length)
        if step != 1:
            raise ValueError("a column: slices have the step 1; use numpy.asarray")
        return column_of(block_share(self.memory), self.first + <uint64_t>begin, max(0, end - begin))

    def __iter__(self):
        return iter(memoryview(self))

    def __repr__(self):
        more = "..." if self.length > 6 else ""
        return f"<trawl.Column of {self.length}: {self[:6].tolist()}{more}>"

    def tolist(self):
        """Copy the values to a list of int."""
        return memoryview(self).tolist()

    def to_numpy(self):
        """Return a read-only numpy array over the same memory."""
        import numpy

        return numpy.asarray(self)

    def to_pandas(self):
        """Return a pandas array of UInt64."""
        import pandas

        return pandas.array(self.to_numpy())

    def __eq__(self, other):
        if isinstance(other, list):
            return self.tolist() == other
        return memoryview(self) == memoryview(other) if type(other) is Column else NotImplemented

    def __reduce_ex__(self, protocol):
        return numbers, (_sources.out_of_band(memoryview(self), protocol),)

    cdef int export(self, ArrowSchema *schema, ArrowArray *array, bytes name) except -1:
        return describe_numbers(schema, array, name, self.memory, self.first, <uint64_t>self.length)


cdef block *block_of(const unsigned char[::1] bytes) except? NULL:
    """Copy bytes to a new block; NULL if `bytes` is None."""
    cdef block *made = NULL

    if bytes is not None:
        made = block_new(<uint64_t>len(bytes))
        if made == NULL:
            raise MemoryError()
        if len(bytes) > 0:
            memcpy(made.bytes, &bytes[0], <size_t>len(bytes))
    return made


cdef object object_of(const void *bytes, uint64_t count, bint is_str):
    """Return the bytes as a str (decoded from UTF-8) or as a bytes object."""
    if is_str:
        return PyUnicode_DecodeUTF8(<const char *>bytes, <Py_ssize_t>count, NULL)
    return PyBytes_FromStringAndSize(<const char *>bytes, <Py_ssize_t>count)


cdef object bytes_of(block *memory):
    if memory == NULL:
        return None
    return object_of(memory.bytes, memory.size, False)


def numbers(saved, /):
    """Make a Column from a buffer of 64-bit numbers. pickle calls this function."""
    view = memoryview(saved).cast("B")
    return column_of(block_of(view), 0, <uint64_t>len(view) // sizeof(uint64_t))


cdef Column column_of(block *memory, uint64_t first, uint64_t length):
    """Make a Column from a block, taking over the caller's share. Raise MemoryError if the block is NULL."""
    cdef Column made

    if memory == NULL:
        raise MemoryError()
    made = Column.__new__(Column)
    made.memory = memory
    made.first = first
    made.length = <Py_ssize_t>length
    made.stride = sizeof(uint64_t)
    return made


cdef Column column_taken(column *grown):
    cdef uint64_t count = grown.count

    return column_of(taken(grown, sizeof(uint64_t)), 0, count)


@cython.final
cdef class Array(Answer):
    """The result of a search of records: one value, or null, for each record.

    pyarrow.array, polars.Series and other consumers of the Arrow C data interface use an Array's
    memory without a copy. null_count is the number of null values.

    >>> Plan('an').contains(['banana', 'pear', None]).tolist()
    [True, False, None]

    Arrays of bool combine with &, | and ~, also with lists and columns of bool of pyarrow and polars. As in Arrow's and_kleene
    and or_kleene, a null is null in the result unless the other value decides: False & null is False, True | null is True.

    >>> Plan('an').contains(['banana', 'pear', None]) & ~Plan('b').contains(['banana', 'pear', None])
    <trawl.Array of 3 bool: [False, False, None]>
    """

    cdef uint64_t first
    cdef readonly uint64_t null_count
    # For format "+s": a dict of the structs' columns. For "+L" (lists): the Array with the values of all lists or, if the
    # values are tuples, a dict of columns with a row for each tuple; None if the values are numbers, which are in
    # `child`.
    cdef object fields
    cdef const char *format  # "b", "l", "L", "+L", "+s", "U", "Z", "vu" or "vz"
    cdef uint64_t child_length
    cdef block *validity  # NULL: no value is null
    cdef block *data
    cdef block *child  # "+L": the lists' values; "U", "Z": the bytes; "vu", "vz": a view_table

    def __cinit__(self):
        self.format = "L"

    def __dealloc__(self):
        block_release(self.validity)
        block_release(self.data)
        block_release(self.child)

    def __getitem__(self, key):
        cdef Array made

        if not isinstance(key, slice):
            return self.value(<uint64_t>index_of(key, <uint64_t>self.length))
        begin, end, step = key.indices(self.length)
        if step != 1:
            raise ValueError("an array: slices have the step 1")
        made = Array.__new__(Array)
        made.format, made.first, made.fields = self.format, self.first + <uint64_t>begin, self.fields
        made.length, made.child_length = max(0, end - begin), self.child_length
        made.validity, made.data = block_share(self.validity), block_share(self.data)
        made.child = block_share(self.child)
        if self.validity != NULL:
            made.null_count = zeros_in(self.validity.bytes, made.first, <uint64_t>made.length)
        return made

    cdef object value(self, uint64_t i):
        """Return value i, counted from `first`."""
        cdef const uint64_t *data = <const uint64_t *>self.data.bytes if self.data != NULL else NULL
        cdef const string_view *view = <const string_view *>data + self.first + i
        cdef const uint64_t *values
        cdef const uint8_t *bytes

        i += self.first
        if self.validity != NULL and not bit_at(self.validity.bytes, i):
            return None
        if self.format[1] == b"s":
            return {name: (<Array>each).value(i) if type(each) is Array else each[i] for name, each in self.fields.items()}
        if self.fields is not None:
            return items_of(self.fields, data[i], data[i + 1])
        if self.format[0] == b"b":
            return bit_at(data, i)
        if self.format[0] == b"+":
            values = <const uint64_t *>self.child.bytes
            return [values[at] for at in range(data[i], data[i + 1])]
        if self.format[0] == b"v":
            bytes = bytes_of_view(view_table_of(self.child).buffers, view)
            return object_of(bytes, <uint64_t>view.count, self.format[1] == b"u")
        if self.format[0] in b"UZ":
            bytes = self.child.bytes + data[i]
            return object_of(bytes, data[i + 1] - data[i], self.format[0] == b"U")
        return data[i]

    cdef str kind(self):
        """Return the Arrow format; for views, the format of the same values with offsets."""
        return {"vu": "U", "vz": "Z"}.get(self.format, self.format)

    def __repr__(self):
        few = [self.value(<uint64_t>i) for i in range(min(self.length, 6))]
        items = (<Array>self.fields).kind() if isinstance(self.fields, Array) else self.fields
        return _sources.show_array(few, self.length, self.kind(), items)

    def __eq__(self, other):
        if isinstance(other, list):
            return self.tolist() == other
        if type(other) is not Array:
            return NotImplemented
        return self.kind() == (<Array>other).kind() and self.tolist() == other.tolist()

    def __bool__(self):
        raise _errors.no_truth(self)

    def __and__(self, other):
        return mask_of(self, other, False, False)

    def __rand__(self, other):
        return mask_of(self, other, False, False)

    def __or__(self, other):
        return mask_of(self, other, True, True)

    def __ror__(self, other):
        return mask_of(self, other, True, True)

    def __invert__(self):
        return mask_of(self, self, False, True)

    def __call__(self, frame, /):
        """Return to_pandas(). pandas calls a callable indexer, so series[array] and
        frame[array] select the rows for which the Array is true."""
        return self.to_pandas()

    def __array__(self, dtype=None, copy=None):
        """Return to_numpy(), so that numpy knows the type of no values, too."""
        made = self.to_numpy()
        return made if dtype is None else made.astype(dtype)

    def to_numpy(self):
        """Copy the values to a numpy array. It is an array of objects if a value is null, or is neither a number nor a
        boolean."""
        import numpy

        plain = self.null_count == 0 and self.format in ("b", "l", "L")
        kind = {"b": "bool", "l": "int64", "L": "uint64"}[self.format] if plain else object
        return numpy.fromiter(self, dtype=kind, count=self.length)

    def to_pandas(self):
        """Return a pandas array of boolean, Int64, UInt64 or objects."""
        return _sources.pandas_array(self.tolist(), self.format)

    def __reduce__(self):
        if self.format[0] == b"v":
            return strung(self).__reduce__()
        return restored, (self.format, self.length, self.null_count, self.child_length,
                          bytes_of(self.validity), bytes_of(self.data), bytes_of(self.child),
                          self.first, self.fields)

    def tolist(self):
        """Copy the values to a list; a null value becomes None."""
        cdef const uint64_t *ends
        cdef list items, made = []
        cdef Py_ssize_t i

        collects = PyGC_Disable()  # the garbage collector would visit the new items again and again
        try:
            if self.format[0] == b"+" and self.format[1] == b"L" and self.data != NULL:
                ends = <const uint64_t *>self.data.bytes + self.first
                items = items_of(self.fields if self.fields is not None else column_of(
                    block_share(self.child), 0, self.child_length), ends[0], ends[self.length])
                for i in range(self.length):
                    look_at(<uint64_t>i)
                    made.append(None if self.validity != NULL and not bit_at(self.validity.bytes, self.first + <uint64_t>i)
                                else items[ends[i] - ends[0]:ends[i + 1] - ends[0]])
                return made
            for i in range(self.length):
                look_at(<uint64_t>i)
                made.append(self.value(<uint64_t>i))
            return made
        finally:
            if collects:
                PyGC_Enable()

    cdef int export(self, ArrowSchema *schema, ArrowArray *array, bytes name) except -1:
        cdef bint structs = self.format[1] == b"s", lists = self.format[0] == b"+" and not structs

        describe(schema, array, self.format, name, <uint64_t>self.length, <int>len(self.fields) if structs else lists)
        array.null_count, array.offset = <int64_t>self.null_count, <int64_t>self.first
        give_block(array, 0, self.validity)
        if structs:
            return describe_fields(schema, array, self.fields)
        give_block(array, 1, self.data)
        if isinstance(self.fields, Array):
            (<Array>self.fields).export(schema.children[0], array.children[0], b"item")
        elif self.fields is not None:
            describe_struct(schema.children[0], array.children[0], b"item", self.fields)
        elif lists:
            describe_numbers(schema.children[0], array.children[0], b"item", self.child, 0, self.child_length)
        elif self.format[0] in b"UZ":
            give_block(array, 2, self.child)
        elif self.format[0] == b"v":
            give_block(array, 2, self.child)
            array.buffers = view_table_of(self.child).buffers
            array.n_buffers = 3 + view_table_of(self.child).count
        return 0


cdef list items_of(fields, uint64_t begin, uint64_t end):
    """Return items of an Array, of a Column, or of columns as tuples."""
    cdef list made = []
    cdef uint64_t i

    if not isinstance(fields, dict):
        made = fields[begin:end].tolist()
    elif len(fields) == 3:
        first, second, third = fields.values()
        for i in range(begin, end):
            look_at(i)
            item = (<Column>first).values()[i], (<Column>second).values()[i], (<Column>third).values()[i]
            PyObject_GC_UnTrack(item)  # numbers need no garbage collector
            made.append(item)
    elif begin < end:
        for item in zip(*[each[begin:end].tolist() for each in fields.values()]):
            look_at(begin)
            begin += 1
            made.append(item)
    return made


cdef Array struct_array(dict fields):
    """Make an Array of structs, none of which is null, of columns of the same length."""
    cdef Array made = Array.__new__(Array)

    made.format, made.fields, made.length = "+s", fields, len(next(iter(fields.values())))
    return made


cdef const char *FORMATS[7]
FORMATS[:] = ["b", "l", "L", "+L", "Z", "U", "+s"]


def restored(str format, Py_ssize_t length, uint64_t null_count, uint64_t child_length, validity,
             data, child, uint64_t first, fields, /):
    """Make an Array from saved parts. pickle calls this function."""
    cdef Array made = Array.__new__(Array)

    made.format = FORMATS[["b", "l", "L", "+L", "Z", "U", "+s"].index(format)]
    made.length, made.null_count, made.child_length = length, null_count, child_length
    made.first, made.fields = first, fields
    made.validity, made.data, made.child = block_of(validity), block_of(data), block_of(child)
    return made


cdef Array array_of(const char *format, uint64_t length, column *data, column *child, uint64_t unit):
    """Make an Array, taking over the blocks of both columns. child: NULL, or a column of values of `unit` bytes
    each."""
    cdef Array made = Array.__new__(Array)

    made.format = format
    made.length = <Py_ssize_t>length
    made.data = taken(data, sizeof(string_view) if format[0] == b"v" else 1 if format[0] == b"b" else sizeof(uint64_t))
    if format[0] == b"b" and made.data != NULL:
        made.data.size = (length + 7) // 8
    if child != NULL:
        made.child_length = child.count
        made.child = taken(child, unit)
    if made.data == NULL or (child != NULL and made.child == NULL):
        raise MemoryError()
    return made


cdef Column taken_numbers(const uint64_t *values, const uint64_t *begins, const uint64_t *ends, uint64_t count):
    """Return ranges of numbers, as taken_rows() does. A row that begins at UNKNOWN is a 0."""
    cdef uint64_t total = count if ends == NULL else 0, at = 0, row, i
    cdef column data

    memset(&data, 0, sizeof(data))
    for i in range(count if ends != NULL else 0):
        total += ends[i] - begins[i]
    put_values(&data, NULL, total)
    if data.failed:
        raise MemoryError()
    for i in range(count):
        if ends == NULL:
            values_of(&data)[i] = values[begins[i]] if begins[i] != UNKNOWN else 0
            continue
        for row in range(begins[i], ends[i]):
            values_of(&data)[at] = values[row]
            at += 1
    return column_taken(&data)


cdef object taken_rows(of, const uint64_t *begins, const uint64_t *ends, uint64_t count):
    """Return ranges of rows of a Column, of an Array, or of a dict of them. ends: NULL, if each range is one row. A row of an
    Array that begins at UNKNOWN is null."""
    cdef column data, child, valid
    cdef column ranges[2]  # of the values of lists
    cdef const uint64_t *values
    cdef uint64_t begin, end, row, total = 0, i
    cdef bint none, lists, strings
    cdef Array array, made

    if type(of) is dict:
        return {name: taken_rows(each, begins, ends, count) for name, each in of.items()}
    if type(of) is Column:
        return taken_numbers((<Column>of).values(), begins, ends, count)
    memset(&data, 0, sizeof(data))
    memset(&child, 0, sizeof(child))
    memset(&valid, 0, sizeof(valid))
    memset(ranges, 0, sizeof(ranges))
    array = of
    values = <const uint64_t *>array.data.bytes if array.data != NULL else NULL
    lists, strings = array.format[0] == b"+" and array.format[1] == b"L", array.format[0] in b"UZ"
    if lists or strings:
        put_value(&data, 0)
    for i in range(count if strings else 0):
        if begins[i] != UNKNOWN:
            total += values[begins[i] + 1 if ends == NULL else ends[i]] - values[begins[i]]
    try:
        if not reach(&child, total):
            raise MemoryError()
        total = 0
        for i in range(count):
            look_at(i)
            none = begins[i] == UNKNOWN
            begin = 0 if none else begins[i]
            end = begin + 1 if none or ends == NULL else ends[i]
            for row in range(begin, end):
                put_bit(&valid, not none and (array.validity == NULL or bit_at(array.validity.bytes, row)))
            if lists or strings:
                for row in range(begin, end):
                    put_value(&data, total + (values[row + 1] - values[begin] if not none else 0))
                if none or values[begin] == values[end]:
                    continue
                if strings:
                    copy_record(child.memory.bytes + total, array.child.bytes + values[begin], values[end] - values[begin])
                else:
                    put_value(&ranges[0], values[begin])
                    put_value(&ranges[1], values[end])
                total += values[end] - values[begin]
            elif array.format[0] == b"b":
                put_bit(&data, not none and bit_at(values, begin))
            elif array.format[0] != b"+":
                put_value(&data, values[begin] if not none else 0)
        child.count, row = total, valid.count
        if data.failed or valid.failed or not reach(&ranges[0], 1) or not reach(&ranges[1], 1):
            raise MemoryError()
        if lists:
            fields = array.fields if array.fields is not None else column_of(block_share(array.child), 0, array.child_length)
            fields = taken_rows(fields, values_of(&ranges[0]), values_of(&ranges[1]), ranges[0].count)
            made = array_of("+L", row, &data, NULL, sizeof(uint64_t))
            if array.fields is not None:
                made.fields = fields
            else:
                made.child, made.child_length = block_share((<Column>fields).memory), total
        elif array.format[0] == b"+":
            made = struct_array(taken_rows(array.fields, begins, ends, count))
        else:
            made = array_of(array.format, row, &data, &child if strings else NULL, 1)
        made.null_count = zeros_in(valid.memory.bytes, 0, row) if row > 0 else 0
        made.validity = taken(&valid, 1)
        made.validity.size = (row + 7) // 8
        return made
    finally:
        drop(&data)
        drop(&child)
        drop(&valid)
        drop(ranges, 2)
