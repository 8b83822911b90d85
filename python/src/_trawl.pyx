# cython: language_level=3, binding=False, embedsignature=True, embedsignature.format=clinic
# cython: boundscheck=False, wraparound=False, freethreading_compatible=True
# cython: c_string_type=unicode, c_string_encoding=utf8
"""Exact search for one or many strings: the C library behind the package trawl."""

# The .pxi files are parts of this module. The head of each one names the others that it uses.
cimport cython
from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBUF_SIMPLE, PyBUF_STRIDES, PyBUF_WRITABLE
from cpython.buffer cimport PyObject_CheckBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset, strcmp, strlen
from library cimport *
from system cimport *

import itertools
from array import array
from io import TextIOBase
from os import cpu_count, fsdecode, fsencode
from weakref import WeakSet

from trawl import _devices, _errors, _excerpts, _groups, _sources

__version__ = trawl_version()

cdef enum:
    BRIEF_BYTES = 2048  # below this size, a search is faster than releasing the interpreter's lock

cdef uint64_t UNKNOWN = <uint64_t>-1


cdef inline int check(int status, trawl_error *error) except -1:
    return 0 if status == TRAWL_OK else fail(status, error)


cdef int fail(int status, trawl_error *error) except -1:
    """Raise the exception for a status. The text comes from `error` if error->status is that status;
    otherwise from the library's table of messages."""
    if error != NULL and <int>error.status == status:
        raise _errors.make(status, (<bytes>error.message).decode("utf-8", "replace"), error.os_code,
                           error.driver_code, error.pattern_index, error.text_offset)
    raise _errors.make(status, trawl_status_message(status), 0, 0, UNKNOWN, UNKNOWN)


cdef Py_ssize_t index_of(object key, uint64_t length) except -1:
    """Return the 0-based index that `key` means in a sequence of `length` items; a negative key counts from the end.
    Raise IndexError if it is outside."""
    cdef Py_ssize_t index = PyNumber_AsSsize_t(key, IndexError)

    if index < 0:
        index += <Py_ssize_t>length
    if index < 0 or index >= <Py_ssize_t>length:
        raise IndexError("the index is out of range")
    return index


cdef inline int look_at(uint64_t step) except -1:
    """Called at each step of a loop that makes objects: now and then, call the handlers of signals."""
    return PyErr_CheckSignals() if step & 4095 == 4095 else 0


cdef inline bint bit_at(const void *bits, uint64_t index) noexcept nogil:
    return (<const uint8_t *>bits)[index >> 3] >> (index & 7) & 1


cdef int take_buffer(object owner, taken_buffer *view) except -1:
    """Take an object's buffer, for the caller to release. Raise TypeError unless the buffer's
    items are single bytes."""
    if type(owner) is not bytes and type(owner) is not bytearray:
        _sources.bytes_view(owner)
    PyObject_GetBuffer(owner, view, PyBUF_ND | PyBUF_FORMAT)
    return 0


cdef extern from *:
    """
    /* of trawl_gallery.h, if the library has the gallery */
    const char *trawl_algorithm(uint32_t index, const char **summary, uint32_t *engines) __attribute__((weak));

    static const char *algorithm_name(uint32_t index, const char **summary)
    {
        return trawl_algorithm == NULL ? NULL : trawl_algorithm(index, summary, NULL);
    }
    """
    const char *algorithm_name(uint32_t index, const char **summary)


def algorithms():
    """List the published algorithms that Plan(algorithm=...) accepts, as (name, description).

    >>> len(algorithms()) == 0 or 'memmem' in dict(algorithms())
    True
    """
    cdef const char *summary = NULL
    cdef const char *name
    cdef uint32_t i = 0

    found = []
    while (name := algorithm_name(i, &summary)) != NULL:
        found.append((name, summary))
        i += 1
    return found


def instruction_sets():
    """List the instruction sets that searches can use on this machine, best first.

    >>> 'portable' in instruction_sets()
    True
    """
    cdef const char *name
    cdef uint32_t i = 0

    found = []
    while (name := trawl_instruction_set(i)) != NULL:
        found.append(name)
        i += 1
    return found


def keep_facts(bytes old, unsigned int owner, unsigned int group, unsigned int mode, int made, /):
    """Give a new file the old one's owner, group, extended attributes and mode. Return the names of those that the system
    denies."""
    cdef bytearray lost = bytearray(FACTS_LOST_BYTES)

    facts_keep(old, owner, group, mode, made, lost)
    return fsdecode(bytes(lost.partition(b"\0")[0]))


include "memory.pxi"
include "arrow.pxi"
include "columns.pxi"
include "plan.pxi"
include "device.pxi"
include "text.pxi"
include "searcher.pxi"
include "groups.pxi"
include "search.pxi"
include "lines.pxi"
include "records.pxi"
include "device_records.pxi"
include "spans.pxi"
include "views.pxi"


cdef list type_names = []  # keeps the names alive


cdef int name_types() except -1:
    """Give the public types the names that users write, and let Plan and Searcher say what to call instead of methods
    that other packages have. (A __getattr__ would make every call of a method slower.)"""
    for kind in (Array, Batches, Column, DeviceArray, DeviceMatches, DeviceStrings, LineBatches, Match, Plan, Records, Searcher):
        type_names.append(f"trawl.{kind.__name__}".encode())
        (<PyTypeObject *>kind).tp_name = PyBytes_AS_STRING(type_names[len(type_names) - 1])
    for kind in (Plan, Searcher):
        for name in _sources.INSTEAD:
            (<dict>(<PyTypeObject *>kind).tp_dict)[name] = _sources.Instead(name)
        PyType_Modified(<PyTypeObject *>kind)
    return 0


name_types()
