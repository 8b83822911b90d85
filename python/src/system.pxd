# system: declares the functions of the operating system and of CPython that the extension module calls. declarations.py
# makes library.pxd, which declares the C library trawl.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, object overflow) except? -1
    object PySeqIter_New(object sequence)
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *count) except NULL
    bint PyUnicode_IS_ASCII(object text)
    str PyUnicode_New(Py_ssize_t length, uint32_t greatest)
    str PyUnicode_DecodeUTF8(const char *bytes, Py_ssize_t count, const char *errors)
    void *PyUnicode_DATA(object text)
    int PyErr_CheckSignals() except -1
    ctypedef struct PyTypeObject:
        const char *tp_name
        void *tp_dict

    void PyType_Modified(PyTypeObject *)
    void PyObject_GC_UnTrack(object one)
    int PyGC_Disable()
    int PyGC_Enable()
    # A Py_buffer that Cython does not release by itself; the module calls PyBuffer_Release.
    ctypedef struct taken_buffer "Py_buffer":
        void *obj  # NULL: no buffer is taken
        void *buf
        Py_ssize_t len
        const char *format
    int PyObject_GetBuffer(object owner, taken_buffer *view, int flags) except -1
    void PyBuffer_Release(taken_buffer *view)  # does nothing if obj is NULL

cdef extern from * nogil:
    uint64_t fetch_add "__atomic_fetch_add" (uint64_t *place, uint64_t value, int order)
    uint64_t fetch_sub "__atomic_fetch_sub" (uint64_t *place, uint64_t value, int order)
    uint64_t *exchange "__atomic_exchange_n" (uint64_t **place, uint64_t *value, int order)
    uint64_t load "__atomic_load_n" (uint64_t *place, int order)
    int ORDERED "__ATOMIC_ACQ_REL"
    int LOADED "__ATOMIC_ACQUIRE"

cdef extern from "<pthread.h>" nogil:
    ctypedef struct pthread_t:
        pass
    int pthread_create(pthread_t *thread, void *attributes, void *(*main)(void *), void *context)
    pthread_t pthread_self()
    int pthread_equal(pthread_t one, pthread_t other)
    int pthread_join(pthread_t thread, void **result)
    int pthread_atfork(void (*prepare)(), void (*parent)(), void (*child)())
    ctypedef struct pthread_mutex_t:
        pass
    int pthread_mutex_init(pthread_mutex_t *lock, void *attributes)
    int pthread_mutex_lock(pthread_mutex_t *lock)
    int pthread_mutex_unlock(pthread_mutex_t *lock)

cdef extern from "<semaphore.h>" nogil:
    ctypedef struct sem_t:
        pass
    int sem_init(sem_t *semaphore, int shared, unsigned int value)
    int sem_destroy(sem_t *semaphore)
    int sem_post(sem_t *semaphore)
    int sem_wait(sem_t *semaphore)

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
    int CLOCK_MONOTONIC
    int CLOCK_MONOTONIC_COARSE
    int clock_gettime(int clock, timespec *now)

# sem_timedwait waits by the time of day, so it would wait for hours after that was set back.
cdef extern from *:
    """
    #include <semaphore.h>
    #include <time.h>
    #if defined __GLIBC_PREREQ
    #if __GLIBC_PREREQ(2, 30)
    #define WAIT_CLOCK CLOCK_MONOTONIC
    #define sem_wait_until(semaphore, until) sem_clockwait(semaphore, WAIT_CLOCK, until)
    #endif
    #endif
    #ifndef WAIT_CLOCK
    #define WAIT_CLOCK CLOCK_REALTIME
    #define sem_wait_until sem_timedwait
    #endif
    """
    int WAIT_CLOCK
    int sem_wait_until(sem_t *semaphore, const timespec *until) nogil

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

cdef extern from "trawl/text/facts.h":
    int FACTS_LOST_BYTES
    void facts_keep(const char *old, unsigned int owner, unsigned int group, unsigned int mode, int made, char *lost)
