"""Makes and reads Arrow columns with ctypes, so that these tests need no other package."""

import ctypes
import itertools
import struct

RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class ArrayStream(ctypes.Structure):
    _fields_ = [
        ("get_schema", CALL),
        ("get_next", CALL),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype = ctypes.c_void_p
capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def bits(flags):
    packed = bytearray(len(flags) // 8 + 1)
    for index, flag in enumerate(flags):
        packed[index // 8] |= flag << index % 8
    return bytes(packed)


shared = {}  # {address of an exported array: the column of views whose memory a result may share}


class Column:
    """A column of bytes and None in Arrow's format `kind`, sliced to [begin, end). With `keys`, it is a dictionary column:
    it consists of keys, of Arrow's format `key_kind`, into the values from index `first` on. counted: the array states
    its number of nulls."""

    def __init__(self, values, kind, begin=0, end=None, keys=None, turn=1, first=0, key_kind="i", counted=False):
        end = len(values if keys is None else keys) if end is None else end
        self.schema, self.array = Schema(), Array()
        self.kept = []
        self.values = Column(values, kind, first) if keys is not None else None
        if keys is not None:
            kind = key_kind
            valid = [key is not None for key in keys]
            # In Python's module struct the letters c, C, l and L mean something else, or have no fixed size.
            form = {"c": "b", "C": "B", "s": "h", "S": "H", "l": "q", "L": "Q"}.get(kind, kind)
            buffers = [struct.pack(f"={len(keys)}{form}", *(key or 0 for key in keys))]
            self.schema.dictionary = ctypes.pointer(self.values.schema)
            self.array.dictionary = ctypes.pointer(self.values.array)
        else:
            valid = [value is not None for value in values]
            # A null value may still have bytes.
            values = [b"null" if value is None else value for value in values]
            buffers = self.views(values, turn) if kind[0] == "v" else self.offsets(values, kind)
        self.exported = self.released = 0
        self.schema.format = kind.encode()
        self.schema.flags = 2
        self.array.length = end - begin
        self.array.offset = begin
        self.array.null_count = valid[begin:end].count(False) if counted else -1
        self.fill([None if all(valid) else bits(valid), *buffers])

    def fill(self, buffers):
        self.kept += buffers
        pointers = (ctypes.c_void_p * len(buffers))()
        for index, buffer in enumerate(buffers):
            if buffer is not None:
                pointers[index] = ctypes.cast(ctypes.c_char_p(buffer), ctypes.c_void_p).value
        self.array.n_buffers = len(buffers)
        self.array.buffers = ctypes.cast(pointers, ctypes.POINTER(ctypes.c_void_p))
        self.kept.append(pointers)

    @staticmethod
    def offsets(values, kind):
        ends = [0, *itertools.accumulate(map(len, values))]
        letter = "q" if kind in "UZ" else "i"
        return [struct.pack(f"{len(ends)}{letter}", *ends), b"".join(values)]

    @staticmethod
    def views(values, turn):
        """Put long values into two buffers, alternating after `turn` values."""
        buffers, views = [bytearray(b"start"), bytearray()], []
        for index, value in enumerate(values):
            if len(value) <= 12:
                views.append(struct.pack("i12s", len(value), value))
            else:
                which = index // turn % 2
                buffer = buffers[which]
                views.append(struct.pack("i4sii", len(value), value[:4], which, len(buffer)))
                buffer += value
        sizes = struct.pack("2q", *map(len, buffers))
        return [b"".join(views), *map(bytes, buffers), sizes]

    def export(self):
        """Return a copy of the array's structure. The consumer that takes the copy releases the array."""

        @RELEASE
        def release(address):
            Array.from_address(address).release = None
            self.released += 1
            shared.pop(key, None)

        self.exported += 1
        array = Array.from_buffer_copy(self.array)
        key = ctypes.addressof(array)
        array.release = ctypes.cast(release, ctypes.c_void_p)
        self.kept += [array, release]
        if self.schema.format[:1] == b"v":
            shared[key] = self
        return array

    def __arrow_c_array__(self, requested_schema):
        # The argument has no default, as in polars 1.3: a default would hide a call without it. The capsules have no
        # destructor: the consumer that takes the array releases it.
        return (
            new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
            new_capsule(ctypes.addressof(self.export()), b"arrow_array", None),
        )


class Stream:
    """A stream of the arrays of some columns of the same kind. With `fault`, the stream fails with this message after
    the last array."""

    def __init__(self, columns, fault=None):
        self.columns, self.fault = columns, fault
        self.schemas = 0  # number of schemas handed out and not released

    def __arrow_c_stream__(self, requested_schema):
        left = list(self.columns)

        @RELEASE
        def release(address):
            Schema.from_address(address).release = None
            self.schemas -= 1

        def give_schema(stream, to):
            ctypes.memmove(to, ctypes.byref(self.columns[0].schema), ctypes.sizeof(Schema))
            Schema.from_address(to).release = ctypes.cast(release, ctypes.c_void_p)
            self.schemas += 1
            return 0

        def give_array(stream, to):
            array = left.pop(0).export() if left else Array()
            ctypes.memmove(to, ctypes.byref(array), ctypes.sizeof(Array))
            return 5 if array.release is None and self.fault else 0

        self.message = ctypes.create_string_buffer((self.fault or "").encode())
        why = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda stream: ctypes.addressof(self.message))
        self.stream = ArrayStream(CALL(give_schema), CALL(give_array), ctypes.cast(why, ctypes.c_void_p))
        self.kept = release, why
        return new_capsule(ctypes.addressof(self.stream), b"arrow_array_stream", None)


def numbers(array, index, count):
    values = ctypes.cast(array.buffers[index], ctypes.POINTER(ctypes.c_int64))
    return [values[array.offset + i] for i in range(count)]


def flags_of(array):
    """Return for each value whether it is valid, that is, not null."""
    if not array.buffers[0]:
        return [True] * array.length
    packed = ctypes.cast(array.buffers[0], ctypes.POINTER(ctypes.c_uint8))
    return bits_of(array, packed)


def bits_of(array, packed):
    return [bool(packed[i // 8] >> i % 8 & 1) for i in range(array.offset, array.offset + array.length)]


def views(array):
    """Return each value's bytes, and the address of bytes in a buffer."""
    made = []
    for i in range(array.offset, array.offset + array.length):
        view = ctypes.string_at(array.buffers[1] + 16 * i, 16)
        size, head, buffer, begin = struct.unpack("i4sii", view)
        address = array.buffers[2 + buffer] + begin if size > 12 else None
        value = ctypes.string_at(address, size) if address else view[4 : 4 + size]
        if address:
            sizes = ctypes.cast(array.buffers[array.n_buffers - 1], ctypes.POINTER(ctypes.c_int64))
            assert head == value[:4] and 0 <= begin <= sizes[buffer] - size
        else:
            assert view[4 + size :] == bytes(12 - size)
        made.append((value, address))
    return made


def read(exported):
    """Return what an object exports, as (format, list of values). A struct becomes a dict of lists, and a list's structs
    become tuples."""
    pair = exported.__arrow_c_array__()
    schema = Schema.from_address(capsule_pointer(pair[0], b"arrow_schema"))
    array = Array.from_address(capsule_pointer(pair[1], b"arrow_array"))
    return schema.format.decode(), read_array(schema, array)


def read_array(schema, array):
    format = schema.format.decode()
    children = [(schema.children[i].contents, array.children[i].contents) for i in range(array.n_children)]
    if format == "+s":
        return {one.name.decode(): read_array(one, values) for one, values in children}
    if format == "b":
        packed = ctypes.cast(array.buffers[1], ctypes.POINTER(ctypes.c_uint8))
        values = bits_of(array, packed)
    elif format in ("+L", "U", "Z"):
        ends = numbers(array, 1, array.length + 1)
        if format == "+L":
            items = read_array(*children[0])
            items = list(zip(*items.values())) if isinstance(items, dict) else items
        else:
            items = ctypes.string_at(array.buffers[2], ends[-1])
        values = [items[a:b] for a, b in zip(ends, ends[1:])]
        values = [one.decode() for one in values] if format == "U" else values
    elif format in ("vu", "vz"):
        values = views(array)
    else:
        values = numbers(array, 1, array.length)
    valid = flags_of(array)
    assert array.null_count == valid.count(False)
    return [value if ok else None for value, ok in zip(values, valid)]
