"""Makes arrays with DLPack capsules, with ctypes."""

import ctypes

from arrow_by_hand import new_capsule

HOST, DEVICE = 1, 2


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


class Exporter:
    """Shows memory (a ctypes array) as a tensor; `old` knows no versions. Nothing is freed: the
    exporter outlives the capsules."""

    def __init__(self, memory, *, code=1, bits=8, shape=None, strides=None, offset=0, old=False,
                 device=HOST, read_only=False, address=None, major=1):  # fmt: skip
        shape = shape or [ctypes.sizeof(memory) * 8 // bits]
        self.memory, self.old = memory, old
        self.kept = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        data = ctypes.addressof(memory) if address is None else address
        tensor = Tensor(data, device, 0, len(shape), code, bits, 1, self.kept, self.strides, offset)
        self.device = device
        if old:
            self.struct = Managed(tensor)
        else:
            self.struct = Versioned(major, 0, None, None, int(read_only), tensor)
        self.asked = []

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **words):
        self.asked.append(words)
        if self.old and "max_version" in words:
            raise TypeError("max_version")
        name = b"dltensor" if self.old else b"dltensor_versioned"
        return new_capsule(ctypes.addressof(self.struct), name, None)
