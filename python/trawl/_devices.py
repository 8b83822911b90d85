"""What the extension needs for arrays on GPUs: the rules of the protocols, and messages."""

from __future__ import annotations

from operator import index
from typing import Any

_TYPES = {"u": "uint", "i": "int", "f": "float", "bf": "bfloat", "c": "complex", "b": "bool"}


def no_device(what: str, kind: int) -> TypeError:
    return TypeError(f"{what}: the memory is of a device of kind {int(kind)} (DLPack), and trawl searches NVIDIA GPUs")


def dlpack(given: Any, stream: int | None) -> Any:
    """Return the capsule of an array's __dlpack__. Old producers lack parameters, and are called again without them."""
    named: dict[str, Any] = {"max_version": (1, 1), "copy": False}
    if stream is not None:
        named = {"stream": stream, **named}
    while True:
        try:
            return given.__dlpack__(**named)
        except (TypeError, NotImplementedError):
            if not named:
                raise
            named.popitem()


def check_array(what: str, kind: str, unit: float, shape: tuple[int, ...], strides: Any, step: int) -> None:
    """Raise TypeError or ValueError unless an array has one dimension, no gaps, and items of integers or booleans."""
    name = f"{_TYPES.get(kind, kind)}{8 * unit:g}"
    if kind not in ("u", "i", "b") or unit not in (1, 2, 4, 8):
        raise TypeError(f"{what}: bytes or integers are needed, not {name}; a view as uint8 has the array's bytes")
    if len(shape) != 1:
        raise ValueError(f"{what}: an array of one dimension is needed, not of shape {shape}; reshape(-1) makes one")
    if shape[0] < 0 or shape[0] * unit >= 2**63:
        raise ValueError(f"{what}: an array cannot have {shape[0]} items")
    if strides is not None and (len(strides) != 1 or (strides[0] != step and shape[0] > 1)):
        raise ValueError(
            f"{what}: the items do not follow each other (strides {tuple(strides)}); a contiguous copy is needed"
        )


def cuda_array(what: str, given: Any) -> tuple[int, bool, str, int, tuple[int, ...], Any, int | None]:
    """Return the address, read-only flag, item kind, item size, shape, strides and stream of a CUDA array interface."""
    try:
        version = index(given["version"])
        address, read_only = given["data"]
        shape, stream, form = tuple(map(index, given["shape"])), given.get("stream"), given["typestr"]
        order, kind, unit = form[0], form[1], int(form[2:])
        address = 0 if address is None and 0 in shape else index(address)
        stream = None if stream is None else index(stream)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as fault:
        raise TypeError(f"{what}: __cuda_array_interface__ is malformed: {fault!r}") from None
    if not 0 <= address < 2**64 or not 0 <= (stream or 0) < 2**64:
        raise TypeError(f"{what}: __cuda_array_interface__ is malformed: data {given['data']}, stream {stream}")
    if version < 2:
        raise ValueError(f"{what}: version {version} of the CUDA array interface; 2 or 3 is needed")
    if stream == 0:
        raise ValueError(f"{what}: stream 0 of the CUDA array interface is ambiguous; 1 or 2 names a default stream")
    if given.get("mask") is not None:
        raise ValueError(f"{what}: arrays with a mask cannot be searched")
    if order == ">" and unit > 1:
        raise TypeError(f"{what}: big-endian items ({form}) cannot be used")
    return address, bool(read_only), kind, unit, shape, given.get("strides"), stream


def question(name: str, what: str) -> str:
    return (
        f"{name}: only the host can answer this question, and the {what} lies on a GPU; "
        + ("Text(..., copy=True)" if what == "text" else "Searcher.load(..., copy=True)")
        + " lets trawl copy it to the host"
    )


def is_pair(given: Any) -> bool:
    """Return True if an object is (bytes, offsets) on a GPU."""
    return type(given) is tuple and len(given) == 2 and all(map(is_there, given))


def is_there(given: Any) -> bool:
    """Return True if an object is an array on a GPU."""
    if isinstance(given, (str, bytes)) or hasattr(given, "to_pylibcudf") or hasattr(given, "__arrow_c_device_array__"):
        return False  # a column
    if hasattr(given, "__dlpack_device__"):
        return int(given.__dlpack_device__()[0]) in (2, 13)
    return hasattr(given, "__cuda_array_interface__")


def arrow_form(form: str, has_dictionary: bool) -> tuple[int, bool]:
    """Return the bytes of an offset, and whether records are strings, of an Arrow format on a GPU."""
    if has_dictionary:
        raise TypeError("records: a dictionary column on a GPU cannot be searched; decode it to strings")
    if form in ("vu", "vz"):
        raise TypeError("records: a string_view column on a GPU cannot be searched; cast it to string or large_string")
    if form not in ("u", "U", "z", "Z"):
        raise TypeError(f"records: a column of strings or binary values is needed, not of Arrow's format {form!r}")
    return 4 if form in ("u", "z") else 8, form in ("u", "U")


def lost_offset(column: Any, offsets: int, unit: int) -> int:
    """Return the index of a column's first record in the buffers of its Arrow export, which claims 0.

    libcudf 26.10 exports a slice with the buffers of the whole column, but without the slice's offset. An export whose
    offsets begin elsewhere than the whole column's is right as it is."""
    if type(column).__module__.partition(".")[0] != "pylibcudf" or column.offset() == 0:
        return 0
    whole = column.child(0)
    return column.offset() if offsets == whole.data().ptr + whole.offset() * unit else 0
