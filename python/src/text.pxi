# text: makes texts, which the library can search, from memory, files and descriptors.

@cython.internal
@cython.no_gc
cdef class Source:
    """The text of a search: memory that stays in place, a file or a descriptor."""

    cdef trawl_text *text  # NULL: closed
    cdef taken_buffer view  # obj is NULL: no buffer was taken
    cdef object owner  # kept alive while the text is open; for memory, the str, the buffer or the Lent
    cdef object name  # of a path or a file, for errors; None: the text is memory
    cdef int descriptor  # closed together with the text; -1: nothing to close
    cdef uint64_t bytes
    cdef const uint8_t *memory  # the text's bytes; NULL: the bytes are not in the host's memory
    cdef readonly bint is_stream
    cdef bint is_there  # the text lies on a GPU
    cdef bint copies  # this text on a GPU may be copied to the host
    cdef bint filters  # loading the text makes a filter
    cdef bint is_file  # a regular file, which had `bytes` bytes when it was opened

    def __cinit__(self):
        self.descriptor = -1

    def __dealloc__(self):
        self.close()

    def __reduce__(self):
        raise _errors.no_pickle(self)

    cdef void close(self) noexcept:
        if self.text != NULL:
            trawl_text_close(self.text)
            self.text = NULL
        PyBuffer_Release(&self.view)
        if self.descriptor >= 0:
            close(self.descriptor)
        self.descriptor = -1
        self.owner = self.name = None
        self.memory = NULL
        self.is_there = self.copies = False

    cdef int open(self, object given, bint decompress) except -1:
        """Make a text from a search's argument. close() closes what open() opened, even after a failure."""
        cdef const char *utf8
        cdef Py_ssize_t count
        cdef Lent lent

        self.descriptor = -1
        self.is_stream = self.is_file = False
        if isinstance(given, bytes):
            self.owner = given
            return self.open_memory(PyBytes_AS_STRING(given), PyBytes_GET_SIZE(given))
        if isinstance(given, str):
            utf8 = PyUnicode_AsUTF8AndSize(given, &count)
            self.owner = given
            return self.open_memory(utf8, count)
        lent = lent_of(given, "text")
        if lent is not None:
            return self.open_lent(lent)
        if PyObject_CheckBuffer(given):
            take_buffer(given, &self.view)
            self.owner = given
            return self.open_memory(self.view.buf, self.view.len)
        if hasattr(given, "__fspath__"):
            return self.open_file(fsencode(given), -1, decompress)
        if isinstance(given, TextIOBase):
            return self.open(_sources.in_memory(given), decompress)
        descriptor, name, self.owner, owned = _sources.descriptor(given)
        if descriptor < 0:
            return self.open(self.owner, decompress)
        if owned:
            self.descriptor = descriptor
        return self.open_file(fsencode(name), descriptor, decompress)

    cdef int open_memory(self, const void *bytes, Py_ssize_t count) except -1:
        cdef trawl_text_options options
        cdef trawl_error error

        memset(&options, 0, sizeof(options))
        options.size, options.source = sizeof(options), TRAWL_SOURCE_MEMORY
        options.bytes, options.bytes_count = bytes, <uint64_t>count
        options.flags = TRAWL_TEXT_FILTER if self.filters else 0
        self.bytes, self.memory = <uint64_t>count, <const uint8_t *>bytes
        return check(trawl_text_open(NULL, &options, &self.text, &error), &error)

    cdef int open_lent(self, Lent lent) except -1:
        """Open an array of another library, on a GPU or in the host's memory."""
        cdef trawl_text_options options
        cdef trawl_error error

        if lent.unit != 1 or lent.kind == "b":
            raise TypeError(f"text: bytes (uint8) are needed, not {lent.kind}{8 * lent.unit}; a view as uint8 has them")
        self.owner = lent
        if not lent.on_device or lent.count == 0:
            return self.open_memory(<const void *>lent.address, <Py_ssize_t>lent.count)
        memset(&options, 0, sizeof(options))
        options.size, options.source = sizeof(options), TRAWL_SOURCE_DEVICE
        options.bytes, options.bytes_count = <const void *>lent.address, lent.count
        options.flags = 0 if self.copies else TRAWL_TEXT_STAY
        check(trawl_text_open(NULL, &options, &self.text, &error), &error)
        self.bytes, self.memory, self.is_there = lent.count, NULL, True
        return 0

    cdef object content(self, str name):
        """Return the text in memory as its str or buffer. A text on a GPU is copied, for the question `name`."""
        cdef Lent lent

        if not isinstance(self.owner, Lent):
            return self.owner
        if self.is_there and not self.copies:
            raise _errors.make(TRAWL_UNSUPPORTED, _devices.question(name, "text"), 0, 0, UNKNOWN, UNKNOWN)
        lent = self.owner
        copy = PyBytes_FromStringAndSize(NULL if self.is_there else <char *>lent.address, <Py_ssize_t>lent.count)
        if self.is_there:
            bring(lent.device, PyBytes_AS_STRING(copy), lent.address, lent.count)
        return copy

    cdef int open_file(self, bytes name, int descriptor, bint decompress) except -1:
        """Open the path `name`, or, with descriptor >= 0, a text of that descriptor."""
        cdef const char *named = name
        cdef trawl_text_options options
        cdef trawl_text_told told
        cdef trawl_error error
        cdef int status

        self.name = fsdecode(name)
        memset(&options, 0, sizeof(options))
        options.size, options.flags = sizeof(options), TRAWL_TEXT_UNPACK if decompress else 0
        if descriptor >= 0:
            options.source, options.descriptor = TRAWL_SOURCE_DESCRIPTOR, descriptor
        with nogil:
            status = trawl_text_open(named, &options, &self.text, &error)
        check(status, &error)
        told.size = sizeof(told)
        check(trawl_text_tell(self.text, &told, &error), &error)
        self.is_stream = told.is_seekable == 0
        self.bytes = told.text_bytes
        self.is_file = self.bytes != UNKNOWN
        if not decompress and self.is_file and self.bytes > 0:
            self.warn_if_packed()
        return 0

    cdef int warn_if_packed(self) except -1:
        cdef uint8_t first[10]
        cdef uint64_t got = 0
        cdef trawl_text *head = NULL
        cdef trawl_text_told told

        told.size, told.compression = sizeof(told), NULL
        if (trawl_text_read(self.text, 0, first, 10, &got, NULL) == TRAWL_OK
                and open_bytes(first, got, &head, NULL) == TRAWL_OK):
            trawl_text_tell(head, &told, NULL)
        trawl_text_close(head)
        if told.compression != NULL:
            _sources.warn_of_packing(self.name, told.compression)
        return 0

    cdef bint is_fasta(self) noexcept:
        """Return True if the text begins with >; always False for a text that cannot be read twice."""
        cdef trawl_error error
        cdef uint8_t byte = 0
        cdef uint64_t got = 0

        if not self.is_stream and not self.is_there and self.bytes > 0:
            trawl_text_read(self.text, 0, &byte, 1, &got, &error)
        return byte == b">"

    cdef int check(self) except -1:
        """Called after a text was read to the end, or after reading failed. Raise what the file object's read() raised, or
        ReadError if the file became shorter while it was open. System files, such as those in /sys, may claim a size
        that they never had: then the text is what could be read."""
        cdef trawl_text_told told
        cdef trawl_error error
        cdef uint8_t byte
        cdef uint64_t got = 1

        if self.descriptor >= 0 and self.owner is not None:
            _sources.check(self.owner)
        if self.is_file and self.bytes > 0 and \
                trawl_text_read(self.text, self.bytes - 1, &byte, 1, &got, &error) == TRAWL_OK \
                and got == 0:
            told.size = sizeof(told)
            check(trawl_text_tell(self.text, &told, &error), &error)
            if told.text_bytes < self.bytes:
                raise _errors.make(TRAWL_READ, "the file became shorter than it was when it was opened",
                                   0, 0, UNKNOWN, UNKNOWN)
        return 0

    @property
    def nbytes(self):
        """The text's size in bytes; None if the size is not known before the text is read."""
        return self.bytes if self.bytes != UNKNOWN else None


class Text(Source):
    """Text(source, *, decompress=False, copy=False, filter=False)

    A text that stays open for several searches; a pipe or another stream can be searched once. The text
    is closed with its last reference.

    source: bytes or another object with the buffer protocol, searched in place; a str, searched as
      UTF-8; a path (os.PathLike); a file object opened in binary mode or another object with
      fileno(), searched from its current position; or an array of bytes from PyTorch, CuPy, JAX and others
      (DLPack, CUDA array interface), which is searched on its GPU. Every search also accepts such a source
      directly, without a Text.
    decompress: search the decompressed contents of a path, file or pipe in the format of gzip, xz,
      bzip2, zstd or lz4. A file is decompressed by each search, and by one at a time. An uncompressed
      file is searched as it is. Without decompress, a compressed file's own bytes are searched, and a
      warning says so.
    copy: allow a text on a GPU to be copied to the host for questions that only the host can answer and
      that otherwise raise UnsupportedError.
    filter: Searcher.load() makes a filter of this text in memory, with which searches skip the pages
      where no match can begin.

    >>> Text(b'abc').nbytes
    3
    """

    __slots__ = ()
    __module__ = "trawl"

    def __new__(cls, source, *, decompress=False, copy=False, filter=False):
        cdef Source made

        if isinstance(source, Source):
            if filter and not (<Source>source).filters:
                raise ValueError("filter: the Text exists already, without a filter")
            return source
        made = Source.__new__(cls)
        made.copies, made.filters = copy, filter
        made.open(source, decompress)
        if filter and (made.is_there or made.name is not None):
            raise ValueError("filter: bytes in the host's memory are needed")
        if decompress and made.name is None:
            raise ValueError("decompress: a path, a file or a pipe is needed; what lies in memory is "
                             "searched as it is (io.BytesIO makes a file of it)")
        return made

    def __repr__(self):
        cdef Source made = self

        size = f"{made.nbytes} bytes" if made.nbytes is not None else "a stream"
        return f"<trawl.Text: {size}{'' if made.name is None else f' of {made.name!r}'}>"
