# library: declares what the extension module uses of trawl.h, the system and CPython's C API.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "<stdbool.h>" nogil:
    ctypedef unsigned char flag "bool"

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, object overflow) except? -1
    object PySeqIter_New(object sequence)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *count) except NULL
    bint PyUnicode_IS_ASCII(object text)
    str PyUnicode_New(Py_ssize_t length, uint32_t greatest)
    str PyUnicode_DecodeUTF8(const char *bytes, Py_ssize_t count, const char *errors)
    void *PyUnicode_DATA(object text)
    int PyErr_CheckSignals() except -1
    # Cython's own Py_buffer would be released automatically; this one is released by hand.
    ctypedef struct taken_buffer "Py_buffer":
        void *obj  # NULL: no buffer is taken
        void *buf
        Py_ssize_t len
        const char *format
    int PyObject_GetBuffer(object owner, taken_buffer *view, int flags) except -1
    void PyBuffer_Release(taken_buffer *view)  # does nothing where obj is NULL

cdef extern from * nogil:
    uint64_t fetch_add "__atomic_fetch_add" (uint64_t *place, uint64_t value, int order)
    uint64_t fetch_sub "__atomic_fetch_sub" (uint64_t *place, uint64_t value, int order)
    uint64_t load "__atomic_load_n" (uint64_t *place, int order)
    int ORDERED "__ATOMIC_ACQ_REL"
    int LOADED "__ATOMIC_ACQUIRE"

cdef extern from "<pthread.h>" nogil:
    ctypedef struct pthread_t:
        pass
    int pthread_create(pthread_t *thread, void *attributes, void *(*main)(void *), void *context)
    int pthread_join(pthread_t thread, void **result)
    int pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)())

cdef extern from "<semaphore.h>" nogil:
    ctypedef struct sem_t:
        pass
    int sem_init(sem_t *semaphore, int shared, unsigned int value)
    int sem_destroy(sem_t *semaphore)
    int sem_post(sem_t *semaphore)
    int sem_wait(sem_t *semaphore)
    int sem_timedwait(sem_t *semaphore, const timespec *until)

cdef extern from "<signal.h>" nogil:
    ctypedef struct sigset_t:
        pass
    int SIG_SETMASK
    int sigfillset(sigset_t *signals)
    int pthread_sigmask(int how, const sigset_t *signals, sigset_t *before)

cdef extern from "<time.h>" nogil:
    struct timespec:
        long tv_sec
        long tv_nsec
    int CLOCK_REALTIME
    int clock_gettime(int clock, timespec *now)

cdef extern from "<unistd.h>" nogil:
    int close(int descriptor)
    int getpid()
    int gettid()

cdef extern from "<sys/mman.h>" nogil:
    int madvise(void *begin, size_t bytes, int advice)
    int MADV_HUGEPAGE

cdef extern from "<string.h>" nogil:
    void *memchr(const void *bytes, int value, size_t count)
    void *memrchr(const void *bytes, int value, size_t count)

cdef extern from "trawl_devices.h" nogil:
    enum:
        TRAWL_OK, TRAWL_BUSY, TRAWL_ARGUMENT, TRAWL_READ
        TRAWL_ENGINE_CPU, TRAWL_ENGINE_CUDA
        TRAWL_IGNORE_CASE, TRAWL_WHOLE_WORD, TRAWL_WHOLE_LINE
        TRAWL_WITHIN_LINES, TRAWL_EVERY_END, TRAWL_REVERSE_COMPLEMENT, TRAWL_ANY_BASE
        TRAWL_DNA, TRAWL_ERRORS_MAX
        TRAWL_UTF8_VARIANTS_MAX
        TRAWL_WINDOW_LINES, TRAWL_WINDOW_SPANS, TRAWL_SEARCH_LINE_NUMBERS
        TRAWL_MATRIX_CELLS, TRAWL_MATRIX_ANY

    # The header's enums are declared as ints, because C converts between enum and int implicitly.
    ctypedef int status_t "enum trawl_status"
    ctypedef int method_t "enum trawl_method"
    ctypedef int engine_t "enum trawl_engine"
    ctypedef int shape_t "enum trawl_matrix_shape"
    ctypedef int alphabet_t "enum trawl_alphabet"

    struct trawl_error:
        status_t status
        int32_t os_code
        int32_t driver_code
        uint64_t pattern_index
        uint64_t text_offset
        const char *message
    const char *trawl_version()
    const char *trawl_status_message(status_t status)
    const char *trawl_algorithm(uint32_t index, const char **summary, uint32_t *engines)
    const char *trawl_instruction_set(uint32_t index)

    # ---- Plans ----
    struct trawl_plan:
        pass
    struct trawl_pattern:
        const void *bytes
        uint64_t bytes_count
    struct trawl_utf8:
        void *context
        uint32_t (*variants)(void *, uint32_t, uint32_t *) noexcept nogil
        flag (*is_word)(void *, uint32_t) noexcept nogil
    struct trawl_range:
        uint64_t begin
        uint64_t end
    struct trawl_plan_options:
        uint64_t size
        uint32_t flags
        method_t method
        uint32_t line_end_set
        uint8_t line_end
        const trawl_utf8 *utf8
        const void *sample
        uint64_t sample_bytes
        const char *algorithm
        uint32_t mismatches_max
        uint32_t edits_max
        alphabet_t alphabet
        uint32_t exact_count
        const trawl_range *exact
    struct trawl_facts:
        uint64_t pattern_count
        uint32_t flags
        uint32_t engines
        uint32_t mismatches_max
        uint32_t edits_max
        alphabet_t alphabet
        uint8_t has_errors
        uint8_t line_end
    status_t trawl_plan_build(const trawl_pattern *patterns, uint64_t count,
                              const trawl_plan_options *options, trawl_plan **plan,
                              trawl_error *error)
    void trawl_plan_free(trawl_plan *plan)
    trawl_facts trawl_plan_facts(const trawl_plan *plan)
    trawl_pattern trawl_plan_pattern(const trawl_plan *plan, uint64_t index)
    status_t trawl_plan_explain(const trawl_plan *plan, char *buffer, uint64_t bytes,
                                uint64_t *needed, trawl_error *error)

    # ---- Texts ----
    struct trawl_text:
        pass
    status_t trawl_text_from_memory(const void *bytes, uint64_t count, trawl_text **text,
                                    trawl_error *error)
    status_t trawl_text_from_device(uint64_t address, uint64_t count, trawl_text **text,
                                    trawl_error *error)
    status_t trawl_text_open_file(const char *path, trawl_text **text, trawl_error *error)
    status_t trawl_text_open_compressed(const char *path, trawl_text **text, trawl_error *error)
    status_t trawl_text_from_descriptor(int descriptor, const char *name, trawl_text **text,
                                        trawl_error *error)
    status_t trawl_text_from_compressed(int descriptor, const char *name, trawl_text **text,
                                        trawl_error *error)
    void trawl_text_close(trawl_text *text)
    flag trawl_text_is_seekable(const trawl_text *text)
    flag trawl_text_bytes(const trawl_text *text, uint64_t *bytes)
    status_t trawl_text_read(const trawl_text *text, uint64_t offset, void *buffer, uint64_t bytes,
                             uint64_t *read, trawl_error *error)

    # ---- Searchers ----
    struct trawl_runtime:
        pass
    struct trawl_runtime_options:
        uint64_t size
        engine_t engine
        uint32_t threads
        const char *instruction_set
        uint64_t device_memory_bytes
        uint64_t host_memory_bytes
    struct trawl_searcher:
        pass
    struct trawl_searcher_options:
        uint64_t size
        uint64_t chunk_bytes
        trawl_runtime *runtime
    struct trawl_stats:
        uint64_t size
        uint64_t text_bytes
        uint64_t chunk_count
        uint64_t cpu_chunk_count
        uint64_t device_chunk_count
        uint64_t match_count
        uint64_t candidate_count
        uint64_t wall_ns
        uint32_t thread_count
        const char *engine
        const char *instruction_set
        const char *note
    status_t trawl_runtime_open(const trawl_runtime_options *options, trawl_runtime **runtime,
                                trawl_error *error)
    status_t trawl_runtime_close(trawl_runtime *runtime, trawl_error *error)
    status_t trawl_searcher_open(const trawl_searcher_options *options, trawl_searcher **searcher,
                                 trawl_error *error)
    void trawl_searcher_close(trawl_searcher *searcher)
    status_t trawl_searcher_stats(const trawl_searcher *searcher, trawl_stats *stats,
                                  trawl_error *error)
    void trawl_searcher_cancel(trawl_searcher *searcher)
    uint64_t trawl_searcher_progress(const trawl_searcher *searcher)
    status_t trawl_text_load(trawl_searcher *searcher, trawl_text *text, trawl_error *error)
    void trawl_text_unload(trawl_searcher *searcher, trawl_text *text)

    # ---- Searches ----
    struct trawl_match:
        uint64_t begin
        uint64_t end
        uint32_t pattern_index
        uint16_t distance
        uint16_t reversed
    struct trawl_pattern_count:
        uint64_t pattern_index
        uint64_t count
    struct trawl_window:
        uint64_t begin
        const uint8_t *bytes
        uint64_t bytes_count
        const trawl_match *matches
        uint64_t match_count
        flag last
    struct trawl_search:
        pass
    struct trawl_batch:
        uint64_t size
        uint64_t text_begin
        uint64_t text_end
        uint64_t match_count
        const uint64_t *begins
        const uint64_t *ends
        const uint64_t *pattern_indices
        const uint64_t *line_numbers
        flag last
    status_t trawl_count(trawl_searcher *searcher, const trawl_plan *plan, trawl_text *text,
                         uint64_t *count, trawl_error *error)
    status_t trawl_count_by_pattern(trawl_searcher *searcher, const trawl_plan *plan,
                                    trawl_text *text,
                                    int (*sink)(void *, const trawl_pattern_count *, uint64_t)
                                    noexcept nogil,
                                    void *context, trawl_error *error)
    status_t trawl_count_lines(trawl_searcher *searcher, const trawl_plan *plan, trawl_text *text,
                               flag invert, uint64_t limit, uint64_t *count, trawl_error *error)
    status_t trawl_first(trawl_searcher *searcher, const trawl_plan *plan, trawl_text *text,
                         trawl_match *match, flag *found, trawl_error *error)
    status_t trawl_begins_into(trawl_searcher *searcher, const trawl_plan *plan, trawl_text *text,
                               uint64_t *begins, uint64_t room, uint64_t *count,
                               trawl_error *error)
    status_t trawl_windows(trawl_searcher *searcher, const trawl_plan *plan, trawl_text *text,
                           uint32_t flags,
                           int (*sink)(void *, const trawl_window *) noexcept nogil,
                           void *context, trawl_error *error)
    status_t trawl_search_open(trawl_searcher *searcher, const trawl_plan *plan, trawl_text *text,
                               uint32_t flags, trawl_search **search, trawl_error *error)
    status_t trawl_search_next(trawl_search *search, trawl_batch *batch, trawl_error *error)
    void trawl_search_close(trawl_search *search)

    # ---- Records ----
    struct trawl_record_array:
        uint64_t size
        const uint8_t *bytes
        const void *offsets
        uint64_t record_count
        uint32_t offset_bytes
        const uint8_t *validity
        uint64_t validity_begin
    struct trawl_matrix_search:
        pass
    struct trawl_matrix_batch:
        uint64_t size
        uint64_t record_begin
        uint64_t record_end
        uint64_t cell_count
        const uint64_t *cell_records
        const uint64_t *cell_patterns
        const uint64_t *cell_begins
        const uint8_t *any
        flag last
    status_t trawl_matrix_open(trawl_searcher *searcher, const trawl_plan *plan,
                               const trawl_record_array *records, shape_t shape,
                               trawl_matrix_search **matrix, trawl_error *error)
    status_t trawl_matrix_next(trawl_matrix_search *matrix, trawl_matrix_batch *batch,
                               trawl_error *error)
    void trawl_matrix_close(trawl_matrix_search *matrix)
