"""Makes and reads Arrow columns with ctypes, so that these tests need no other package."""

import ctypes
import itertools
import struct

RELEASE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def fields(text, of=ctypes.c_void_p):
    """Return the _fields_ of a structure from pairs of a name and the letter of a kind; *: a pointer to `of`."""
    kinds = {"t": ctypes.c_char_p, "i": ctypes.c_int64, "v": ctypes.c_void_p, "c": CALL, "*": ctypes.POINTER(of)}
    kinds |= {"**": ctypes.POINTER(kinds["*"]), "vv": ctypes.POINTER(ctypes.c_void_p)}
    return [(name, kinds[kind]) for name, _, kind in (one.partition(":") for one in text.split())]


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


ENDS = "children:** dictionary:* release:v private_data:v"
Schema._fields_ = fields(f"format:t name:t metadata:t flags:i n_children:i {ENDS}", Schema)
Array._fields_ = fields(f"length:i null_count:i offset:i n_buffers:i n_children:i buffers:vv {ENDS}", Array)


class ArrayStream(ctypes.Structure):
    _fields_ = fields("get_schema:c get_next:c get_last_error:v release:v private_data:v")


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


def read_array(schema, array, fetch=ctypes.string_at):
    """Return an array's values. fetch: returns the bytes at an address."""
    format, count = schema.format.decode(), array.length
    children = [(schema.children[i].contents, array.children[i].contents) for i in range(array.n_children)]

    def numbers(letter, count):
        size = struct.calcsize(f"={letter}")
        data = fetch(array.buffers[1] + size * array.offset, size * count) if count else b""
        return list(struct.unpack(f"={count}{letter}", data))

    def flags(index):
        packed = fetch(array.buffers[index], (array.offset + count + 7) // 8) if count else b""
        return [bool(packed[i // 8] >> i % 8 & 1) for i in range(array.offset, array.offset + count)]

    if format == "+s":
        return {one.name.decode(): read_array(one, values, fetch) for one, values in children}
    if format in ("vu", "vz"):
        values = views(array)
    elif format in ("u", "U", "z", "Z", "+l", "+L"):
        ends = numbers("q" if format[-1] in "LUZ" else "i", count + 1)
        if children:
            items = read_array(*children[0], fetch)
            items = list(zip(*items.values())) if isinstance(items, dict) else items
            assert len(items) >= ends[-1]
        else:
            items = fetch(array.buffers[2], ends[-1]) if ends[-1] else b""
        values = [items[a:b] for a, b in itertools.pairwise(ends)]
        values = [one.decode() for one in values] if format in "uU" else values
    else:
        values = flags(1) if format == "b" else numbers({"l": "q", "L": "Q"}.get(format, format), count)
    valid = flags(0) if array.buffers[0] else [True] * count
    assert array.null_count == valid.count(False)
    return [value if ok else None for value, ok in zip(values, valid)]
