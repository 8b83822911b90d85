"""Makes arrays and columns on a simulated GPU with ctypes, as producers of DLPack, of the CUDA array interface and
of Arrow's device protocol do. Programs that import this file need the simulated driver's folder in LD_LIBRARY_PATH."""

import ctypes
import itertools
import struct
import sys
import types

from arrow_by_hand import RELEASE, bits, capsule_pointer, new_capsule, read_array
from arrow_by_hand import Array as ArrowArray
from arrow_by_hand import Schema as ArrowSchema

cuda = ctypes.CDLL("libcuda.so.1")
CUDA = 2


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    assert code == 0, (name, code)


call("cuInit", 0)
contexts = []
for index in range(2):
    contexts.append(ctypes.c_void_p())
    call("cuDevicePrimaryCtxRetain", ctypes.byref(contexts[-1]), index)
live = 0  # bytes that Memory has allocated and not freed


class Memory:
    """Bytes on a device."""

    def __init__(self, content, device=0, behind=128):
        global live
        self.device, self.bytes = device, len(content) + behind
        address = ctypes.c_uint64()
        call("cuCtxPushCurrent_v2", contexts[device])
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(self.bytes))
        if content:
            call("cuMemcpyHtoD_v2", address, bytes(content), ctypes.c_size_t(len(content)))
        call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
        self.address = address.value
        live += self.bytes

    def read(self, count, begin=0):
        return read(self.address + begin, count, self.device)

    def __del__(self):
        global live
        call("cuCtxPushCurrent_v2", contexts[self.device])
        call("cuMemFree_v2", ctypes.c_uint64(self.address))
        call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
        live -= self.bytes


def free_bytes():
    """Return the free memory of device 0."""
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cuCtxPushCurrent_v2", contexts[0])
    call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
    return free.value


def read(address, count, device=0):
    if count == 0:
        return b""
    copy = ctypes.create_string_buffer(count)
    call("cuCtxPushCurrent_v2", contexts[device])
    call("cuMemcpyDtoH_v2", copy, ctypes.c_uint64(address), ctypes.c_size_t(count))
    call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
    return copy.raw


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("device", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor)]  # fmt: skip


kept = {}  # {address of an exported struct: what it needs}
names = [b"dltensor", b"dltensor_versioned", b"arrow_schema", b"arrow_device_array", b"arrow_device_array_stream"]
made = []  # (capsule, its name, address of the exported struct)


def export(address, name):
    """Make a capsule, without a destructor: it would be Python code, which must not run while an exception is being
    raised. sweep() does a destructor's work."""
    sweep()
    made.append((new_capsule(address, name, None), name, address))
    return made[-1][0]


def sweep():
    """Free what unused capsules own."""
    for index in reversed(range(len(made))):
        if sys.getrefcount(made[index][0]) == 2:
            capsule, name, address = made.pop(index)
            if name == b"arrow_device_array" and ArrowArray.from_address(address).release:
                release_array(address)
            if name not in (b"dltensor", b"dltensor_versioned") or is_valid(id(capsule), name):
                kept.pop(address, None)


is_valid = ctypes.pythonapi.PyCapsule_IsValid
is_valid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


@RELEASE
def delete(address):
    del kept[address]


class Shared:
    """An array on a device: by DLPack, or by the CUDA array interface if `interface`. `changes` replaces members of the
    tensor or the interface. old: the producer knows no max_version."""

    def __init__(self, content, code=1, unit=1, device=0, old=False, begin=0, flags=0, version=(1, 1), **changes):
        self.memory = Memory(content, device)
        self.code, self.unit, self.old, self.flags, self.version = code, unit, old, flags, version
        self.count, self.begin, self.changes, self.streams = (len(content) - begin) // unit, begin, changes, []

    def __dlpack_device__(self):
        return self.changes.get("kind", CUDA), self.changes.get("claims", self.memory.device)

    def __dlpack__(self, **named):
        self.streams.append(named.get("stream"))
        if self.old and named.keys() - {"stream"}:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        made = Managed() if self.old else Versioned(*self.version, flags=self.flags)
        shape = (ctypes.c_int64 * 2)(self.count, 1)
        made.tensor = Tensor(
            self.memory.address, CUDA, self.memory.device, 1, self.code, 8 * self.unit, 1, shape, None, self.begin
        )
        held = [made, shape, self.memory]
        for name, value in self.changes.items():
            if name in ("shape", "strides") and value is not None:
                value = (ctypes.c_int64 * len(value))(*value)
                held.append(value)
            setattr(made.tensor, "device" if name == "claims" else name, value)
        made.deleter = ctypes.cast(delete, ctypes.c_void_p)
        address = ctypes.addressof(made)
        kept[address] = held
        return export(address, names[not self.old])


class Interfaced:
    """An array on a device by the CUDA array interface; `changes` replaces or, with ..., removes members."""

    def __init__(self, content, kind="|u1", device=0, **changes):
        self.memory = Memory(content, device)
        unit = int(kind[2:])
        self.__cuda_array_interface__ = {
            "shape": (len(content) // unit,), "typestr": kind, "data": (self.memory.address, False), "strides": None,
            "version": 3, "stream": 1, **changes,
        }  # fmt: skip
        for name in [name for name, value in changes.items() if value is ...]:
            del self.__cuda_array_interface__[name]


class DeviceArray(ctypes.Structure):
    _fields_ = [("array", ArrowArray), ("device", ctypes.c_int64), ("kind", ctypes.c_int32), ("event", ctypes.c_void_p),
                ("reserved", ctypes.c_int64 * 3)]  # fmt: skip


STREAM_CALL = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class DeviceStream(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("get_schema", STREAM_CALL), ("get_next", STREAM_CALL),
                ("get_last_error", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p)]  # fmt: skip


@RELEASE
def release_array(address):
    ArrowArray.from_address(address).release = None
    kept.pop(address)


@RELEASE
def release_schema(address):
    ArrowSchema.from_address(address).release = None


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
def no_message(_):
    return None


class Column:
    """A column of bytes and None on a device, sliced to [begin, end) and exported in `chunks` (ends of chunks)."""

    def __init__(
        self, values, kind="u", begin=0, end=None, device=0, dictionary=False, chunks=None, fails=None, **changes
    ):
        self.kind, self.dictionary, self.changes, self.device = kind, dictionary, changes, device
        self.format = kind.encode()  # a structure at an address does not keep its strings
        self.fails, end = fails, len(values) if end is None else end
        ends = [begin, *(chunks or ()), end]
        self.parts, self.devices = [], None
        for first, last in itertools.pairwise(ends):
            shift = first if chunks is None else min(first, 3)  # chunks have their own buffers
            self.parts.append((values[first - shift : last], shift, last - first))
        if chunks is not None:
            self.__arrow_c_device_stream__ = self.stream
        else:
            self.__arrow_c_device_array__ = lambda requested_schema=None, **named: (
                self.schema(),
                self.array(*self.parts[0]),
            )

    def schema(self):
        made = ArrowSchema(format=self.format, name=b"", flags=2)
        self.fill(made)
        kept[ctypes.addressof(made)] = [made]
        return export(ctypes.addressof(made), names[2])

    def fill(self, made):
        made.release = ctypes.cast(release_schema, ctypes.c_void_p)
        if self.dictionary:
            self.inner = ArrowSchema(format=b"u")
            made.dictionary = ctypes.pointer(self.inner)

    def fill_array(self, made, values, shift, length):
        unit = "i" if self.kind in ("u", "z") else "q"
        # nulls have bytes
        ends = list(itertools.accumulate((2 if value is None else len(value) for value in values), initial=5))
        tape = Memory(b"an an" + b"".join(b"??" if value is None else value for value in values), self.device)
        offsets = Memory(struct.pack(f"{len(ends)}{unit}", *ends), self.device)
        nulls = sum(value is None for value in values[shift:])
        valid = Memory(bits([value is not None for value in values]), self.device) if None in values else None
        buffers = (ctypes.c_void_p * 3)(valid and valid.address, offsets.address, tape.address)
        made.array = ArrowArray(length=length, null_count=-1 if nulls else 0, offset=shift, n_buffers=3,
                                buffers=buffers, release=ctypes.cast(release_array, ctypes.c_void_p))  # fmt: skip
        made.device, made.kind = self.device, CUDA
        for name, value in self.changes.items():
            if name != "claims":
                setattr(made if name in ("kind", "event") else made.array, name, value)
        made.device = self.changes.get("claims", made.device)
        kept[ctypes.addressof(made)] = [buffers, tape, offsets, valid]
        self.offsets = offsets

    def array(self, *part):
        made = DeviceArray()
        self.fill_array(made, *part)
        kept[ctypes.addressof(made)].append(made)
        return export(ctypes.addressof(made), names[3])

    def stream(self, requested_schema=None, **named):
        parts = iter(self.parts)

        def get_schema(_, to):
            if self.fails == "schema":
                return 5
            made = ArrowSchema.from_address(to)
            ctypes.memset(to, 0, ctypes.sizeof(ArrowSchema))
            made.format, made.flags = self.format, 2
            self.fill(made)
            return 0

        def get_next(_, to):
            part = next(parts, None)
            if self.fails == "next":
                return 5
            if part is None:
                ArrowArray.from_address(to).release = None
                return 0
            if self.devices:
                self.device = self.devices.pop()
            self.fill_array(DeviceArray.from_address(to), *part)
            return 0

        made = DeviceStream(kind=CUDA, get_schema=STREAM_CALL(get_schema), get_next=STREAM_CALL(get_next),
                            get_last_error=ctypes.cast(no_message, ctypes.c_void_p))  # fmt: skip
        kept[ctypes.addressof(made)] = [made]
        return export(ctypes.addressof(made), names[4])


class LibcudfColumn(Column):
    """A slice as in pylibcudf, exported as libcudf does it: with the whole column's buffers and offset 0. right: the
    export has the right offset ("offset"), or buffers of the slice alone ("copy")."""

    __module__ = "pylibcudf.column"

    def __init__(self, values, kind, begin, end, right=None):
        changes = {} if right == "offset" else {"offset": 0}
        super().__init__(values, kind, begin, end, null_count=values[begin:end].count(None), **changes)
        self.parts = [(values[begin:end], 0, end - begin) if right == "copy" else (values, begin, end - begin)]
        self.begin, self.right = begin, right

    def offset(self):
        return self.begin

    def child(self, number):
        unit = 4 if self.kind == "u" else 8
        data = types.SimpleNamespace(ptr=4096 if self.right == "copy" else self.offsets.address - unit)
        return types.SimpleNamespace(data=lambda: data, offset=lambda: 1)


class DataFrameSeries:
    """A Series as in cuDF, whose column is another object."""

    def __init__(self, column, as_tuple):
        self.column, self.as_tuple = column, as_tuple

    @property
    def __cuda_array_interface__(self):
        raise NotImplementedError("strings")

    def to_pylibcudf(self):
        return (self.column, {"name": None}) if self.as_tuple else self.column


def read_tensor(array):
    """Read an array through its DLPack capsules and its CUDA array interface, and return Python's numbers."""
    found = []
    for version in (None, (1, 1)):
        capsule = array.__dlpack__() if version is None else array.__dlpack__(stream=1, max_version=version)
        name = names[version is not None]
        made = (Managed if version is None else Versioned).from_address(capsule_pointer(capsule, name))
        tensor = made.tensor
        assert (tensor.kind, tensor.device) == array.__dlpack_device__() and tensor.ndim == 1 and tensor.lanes == 1
        form = {(6, 8): "?", (0, 32): "i", (0, 64): "q"}[tensor.code, tensor.bits]
        size = tensor.shape[0] * struct.calcsize(form)
        found.append(list(struct.unpack(f"{tensor.shape[0]}{form}", read(tensor.data, size, tensor.device))))
    interface = array.__cuda_array_interface__
    assert interface["shape"] == (len(array),) and interface["stream"] is None and interface["version"] == 3
    form = {"|b1": "?", "<i4": "i", "<i8": "q"}[interface["typestr"]]
    size = len(array) * struct.calcsize(form)
    found.append(list(struct.unpack(f"{len(array)}{form}", read(interface["data"][0], size, array.device))))
    assert found[0] == found[1] == found[2]
    return found[0]


def read_arrow(array):
    """Read a DeviceArray, a DeviceMatches or a DeviceStrings through Arrow's device protocol."""
    owner, capsule = array.__arrow_c_device_array__()
    made = DeviceArray.from_address(capsule_pointer(capsule, names[3]))
    assert made.kind == CUDA and made.event is None and made.array.offset == 0
    schema = ArrowSchema.from_address(capsule_pointer(owner, names[2]))
    return read_array(schema, made.array, lambda address, count: read(address, count, made.device))
