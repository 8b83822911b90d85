/* searcher: the type Searcher: a runtime, and a handle of it for each thread that is searching. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "binding.h"
#include "methods.h"

#define GUARDED_BYTES (32u << 20) /* a search of more may take long: stay open for signals */
#define BRIEF_BYTES 2048u         /* a search of less takes no longer than giving up the lock */
#define PATIENCE_NS 50000000      /* between looks at signals and progress */

/* A thread that works while the caller's waits for it and for signals. It stays for the next time:
 * to wake it takes microseconds, to start one tens of them. */
struct helper {
    pthread_t thread;
    sem_t start;
    sem_t done;
    struct labour *labour; /* NULL: end */
};

struct handle {
    struct trawl_searcher *searcher;
    struct helper *helper; /* NULL: none was needed yet */
    bool taken;
};

struct searcher_object {
    PyObject_HEAD struct trawl_runtime_options options;
    char instruction_set[16];
    uint64_t chunk_bytes;
    struct trawl_runtime *runtime; /* NULL: closed */
    uint64_t fork_count;           /* of when the runtime was opened */
    pthread_mutex_t lock;          /* for what follows */
    struct handle *handles;
    size_t handle_count;
    size_t last;      /* the handle whose call ended last */
    PyObject *loaded; /* dict of Text objects that devices have copies of; NULL: none */
};

/* Threads do not live on in a forked child: searchers open their runtimes anew there. */
static _Atomic uint64_t forks;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void count_forks(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

static bool runtime_reopen(struct binding *binding, struct searcher_object *self)
{
    struct trawl_runtime *runtime = NULL;
    struct trawl_error error;
    enum trawl_status status = trawl_runtime_open(&self->options, &runtime, &error);

    if (status != TRAWL_OK) {
        binding_raise(binding, status, &error);
        return false;
    }
    self->runtime = runtime;
    self->fork_count = atomic_load(&forks);
    return true;
}

static bool is_open(struct binding *binding, struct searcher_object *self)
{
    if (self->runtime == NULL) {
        PyErr_SetString(PyExc_ValueError, "the searcher is closed");
        return false;
    }
    if (self->fork_count == atomic_load(&forks))
        return true;
    /* What the parent's threads held stays as it was then: it is left alone. */
    (void)pthread_mutex_init(&self->lock, NULL);
    self->handles = NULL;
    self->handle_count = 0;
    return runtime_reopen(binding, self);
}

/* A handle that nobody uses, or NULL. */
static struct trawl_searcher *take_idle(struct searcher_object *self)
{
    struct trawl_searcher *found = NULL;

    (void)pthread_mutex_lock(&self->lock);
    for (size_t i = 0; found == NULL && i < self->handle_count; i++)
        if (!self->handles[i].taken) {
            self->handles[i].taken = true;
            found = self->handles[i].searcher;
        }
    (void)pthread_mutex_unlock(&self->lock);
    return found;
}

static bool add_taken(struct searcher_object *self, struct trawl_searcher *handle)
{
    struct handle *grown;

    (void)pthread_mutex_lock(&self->lock);
    grown = (struct handle *)realloc(self->handles, (self->handle_count + 1) * sizeof *grown);
    if (grown != NULL) {
        grown[self->handle_count++] = (struct handle){handle, NULL, true};
        self->handles = grown;
    }
    (void)pthread_mutex_unlock(&self->lock);
    return grown != NULL;
}

struct trawl_searcher *searcher_take(struct binding *binding, struct searcher_object *self)
{
    struct trawl_searcher_options options = TRAWL_SEARCHER_OPTIONS_INIT;
    struct trawl_searcher *handle;
    enum trawl_status status;
    struct trawl_error error;

    if (!is_open(binding, self))
        return NULL;
    handle = take_idle(self);
    if (handle != NULL)
        return handle;
    options.runtime = self->runtime;
    options.chunk_bytes = self->chunk_bytes;
    status = trawl_searcher_open(&options, &handle, &error);
    if (status != TRAWL_OK) {
        binding_raise(binding, status, &error);
        return NULL;
    }
    if (!add_taken(self, handle)) {
        trawl_searcher_close(handle);
        PyErr_NoMemory();
        return NULL;
    }
    return handle;
}

void searcher_give(struct searcher_object *self, struct trawl_searcher *handle)
{
    (void)pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < self->handle_count; i++)
        if (self->handles[i].searcher == handle) {
            self->handles[i].taken = false;
            self->last = i;
        }
    (void)pthread_mutex_unlock(&self->lock);
}

struct searcher_object *searcher_default(struct binding *binding)
{
    if (binding->default_searcher == NULL) {
        PyObject *made = PyObject_CallNoArgs((PyObject *)binding->searcher_type);

        if (made == NULL)
            return NULL;
        if (binding->default_searcher == NULL)
            binding->default_searcher = made;
        else
            Py_DECREF(made);
    }
    return (struct searcher_object *)binding->default_searcher;
}

/* ---- Work without the interpreter's lock ---- */

static void *helper_main(void *argument)
{
    struct helper *helper = (struct helper *)argument;

    for (;;) {
        while (sem_wait(&helper->start) != 0)
            continue;
        if (helper->labour == NULL)
            return NULL;
        helper->labour->work(helper->labour->context);
        (void)sem_post(&helper->done);
    }
}

/* A new helper, or NULL. Signals are for the thread that waits, so it takes none. */
static struct helper *helper_open(void)
{
    struct helper *helper = (struct helper *)calloc(1, sizeof *helper);
    sigset_t all, before;
    int started;

    if (helper == NULL)
        return NULL;
    (void)sem_init(&helper->start, 0, 0);
    (void)sem_init(&helper->done, 0, 0);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_create(&helper->thread, NULL, helper_main, helper);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started == 0)
        return helper;
    (void)sem_destroy(&helper->start);
    (void)sem_destroy(&helper->done);
    free(helper);
    return NULL;
}

static void helper_close(struct helper *helper)
{
    if (helper == NULL)
        return;
    helper->labour = NULL;
    (void)sem_post(&helper->start);
    (void)pthread_join(helper->thread, NULL);
    (void)sem_destroy(&helper->start);
    (void)sem_destroy(&helper->done);
    free(helper);
}

/* The helper of a handle that the caller has taken; NULL: there is none to be had. */
static struct helper *helper_of(struct searcher_object *self, struct trawl_searcher *handle)
{
    struct helper *helper = NULL;

    (void)pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < self->handle_count; i++)
        if (self->handles[i].searcher == handle) {
            if (self->handles[i].helper == NULL)
                self->handles[i].helper = helper_open();
            helper = self->handles[i].helper;
        }
    (void)pthread_mutex_unlock(&self->lock);
    return helper;
}

/* Wait a while; true: the work is done. A signal ends the wait early. */
static bool helper_wait(struct helper *helper, bool for_good)
{
    struct timespec until;

    if (for_good) {
        while (sem_wait(&helper->done) != 0)
            continue;
        return true;
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PATIENCE_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return sem_timedwait(&helper->done, &until) == 0;
}

static bool still_wanted(const struct labour *labour)
{
    PyObject *answer;

    if (PyErr_CheckSignals() != 0)
        return false;
    if (labour->progress == NULL)
        return true;
    answer = PyObject_CallFunction(labour->progress, "K",
                                   (unsigned long long)trawl_searcher_progress(labour->handle));
    Py_XDECREF(answer);
    return answer != NULL;
}

/* Start or resume, and wait until the work pauses or ends; what is not wanted any more goes on to
 * its end. */
static bool run_guarded(struct labour *labour)
{
    struct helper *helper =
        labour->paused ? labour->helper : helper_of(labour->searcher, labour->handle);
    bool wanted = true, done = false;

    if (helper == NULL) {
        Py_BEGIN_ALLOW_THREADS labour->work(labour->context);
        Py_END_ALLOW_THREADS return true;
    }
    helper->labour = labour;
    labour->helper = helper;
    labour->fork_count = atomic_load(&forks);
    (void)sem_post(&helper->start);
    while (!done) {
        Py_BEGIN_ALLOW_THREADS done = helper_wait(helper, !wanted);
        Py_END_ALLOW_THREADS if (!done && wanted && !still_wanted(labour))
        {
            wanted = false;
            trawl_searcher_cancel(labour->handle);
        }
    }
    if (!wanted)
        (void)labour_abandon(labour);
    return wanted;
}

bool labour_step(struct labour *labour)
{
    if (labour->paused && labour->fork_count != atomic_load(&forks)) {
        PyErr_SetString(PyExc_ValueError, "the search goes on in the process that this one forked");
        return false;
    }
    return run_guarded(labour);
}

void labour_pause(struct labour *labour)
{
    struct helper *helper = labour->helper;

    if (helper == NULL)
        return;
    labour->paused = true;
    (void)sem_post(&helper->done);
    while (sem_wait(&helper->start) != 0)
        continue;
    labour->paused = false;
}

bool labour_abandon(struct labour *labour)
{
    labour->abandoned = true;
    if (labour->paused && labour->fork_count != atomic_load(&forks))
        return false;
    while (labour->paused) {
        (void)sem_post(&labour->helper->start);
        (void)helper_wait(labour->helper, true);
    }
    return true;
}

/* The one that signals' handlers run in. */
static bool is_main_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

bool labour_run(struct labour *labour)
{
    if (labour->progress != NULL || (labour->bytes >= GUARDED_BYTES && is_main_thread()))
        return run_guarded(labour);
    if (labour->bytes < BRIEF_BYTES) {
        labour->work(labour->context);
        return true;
    }
    Py_BEGIN_ALLOW_THREADS labour->work(labour->context);
    Py_END_ALLOW_THREADS return true;
}

/* ---- The type ---- */

static bool engine_read(const char *name, enum trawl_engine *engine)
{
    static const char *const names[] = {"auto", "cpu", "cuda"};

    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0) {
            *engine = (enum trawl_engine)i;
            return true;
        }
    PyErr_Format(PyExc_ValueError, "engine: 'auto', 'cpu' or 'cuda', not '%s'", name);
    return false;
}

/* A PyArg_Parse converter: of numbers that do not fit "K" would take the low bits. */
static int size_read(PyObject *value, void *size)
{
    PyObject *number = PyNumber_Index(value);

    if (number == NULL)
        return 0;
    *(unsigned long long *)size = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return PyErr_Occurred() == NULL;
}

static bool options_read(struct searcher_object *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {
        "engine",      "threads", "instruction_set", "device_memory", "host_memory",
        "chunk_bytes", NULL};
    unsigned long long threads = 0, device_memory = 0, host_memory = 0, chunk_bytes = 0;
    const char *engine = "auto", *instruction_set = NULL;

    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|sO&$zO&O&O&:Searcher", names, &engine,
                                     size_read, &threads, &instruction_set, size_read,
                                     &device_memory, size_read, &host_memory, size_read,
                                     &chunk_bytes))
        return false;
    self->options = (struct trawl_runtime_options)TRAWL_RUNTIME_OPTIONS_INIT;
    self->options.threads = threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
    self->options.device_memory_bytes = device_memory;
    self->options.host_memory_bytes = host_memory;
    self->chunk_bytes = chunk_bytes;
    if (instruction_set != NULL) {
        strncpy(self->instruction_set, instruction_set, sizeof self->instruction_set - 1);
        self->options.instruction_set = self->instruction_set;
    }
    return engine_read(engine, &self->options.engine);
}

static PyObject *searcher_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct binding *binding = (struct binding *)PyType_GetModuleState(type);
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct searcher_object *self = (struct searcher_object *)allocate(type, 0);

    if (self == NULL)
        return NULL;
    (void)pthread_once(&once, count_forks);
    (void)pthread_mutex_init(&self->lock, NULL);
    if (!options_read(self, arguments, keywords) || !runtime_reopen(binding, self)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* False: a search is under way. */
static bool searcher_shut(struct searcher_object *self)
{
    bool busy = false;

    if (self->runtime == NULL || self->fork_count != atomic_load(&forks)) {
        self->runtime = NULL;
        return true;
    }
    (void)pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < self->handle_count; i++)
        busy = busy || self->handles[i].taken;
    if (!busy) {
        for (size_t i = 0; i < self->handle_count; i++) {
            helper_close(self->handles[i].helper);
            trawl_searcher_close(self->handles[i].searcher);
        }
        free(self->handles);
        self->handles = NULL;
        self->handle_count = 0;
        (void)trawl_runtime_close(self->runtime, NULL);
        self->runtime = NULL;
    }
    (void)pthread_mutex_unlock(&self->lock);
    if (!busy)
        Py_CLEAR(self->loaded);
    return !busy;
}

static void searcher_dealloc(PyObject *object)
{
    struct searcher_object *self = (struct searcher_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    (void)searcher_shut(self);
    release(object);
    Py_DECREF(type);
}

static PyObject *searcher_close(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (!searcher_shut((struct searcher_object *)self))
        return binding_raise(binding_of(self), TRAWL_BUSY, NULL);
    return Py_NewRef(Py_None);
}

static PyObject *searcher_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyObject *searcher_exit(PyObject *self, PyObject *unused)
{
    return searcher_close(self, unused);
}

static PyObject *searcher_cancel(PyObject *object, PyObject *unused)
{
    struct searcher_object *self = (struct searcher_object *)object;

    (void)unused;
    (void)pthread_mutex_lock(&self->lock);
    for (size_t i = 0; i < self->handle_count; i++)
        if (self->handles[i].taken)
            trawl_searcher_cancel(self->handles[i].searcher);
    (void)pthread_mutex_unlock(&self->lock);
    return Py_NewRef(Py_None);
}

bool searcher_has_loaded(struct searcher_object *searcher, PyObject *text)
{
    return searcher->loaded != NULL && PyDict_GetItem(searcher->loaded, text) != NULL;
}

/* A text that is loaded has to stay where it is: the searcher keeps it. */
static PyObject *searcher_load(PyObject *object, PyObject *source)
{
    struct searcher_object *self = (struct searcher_object *)object;
    struct binding *binding = binding_of(object);
    PyObject *text = PyObject_CallFunctionObjArgs((PyObject *)binding->text_type, source, NULL);
    enum trawl_status status;
    struct trawl_error error;
    struct trawl_searcher *handle;

    if (text == NULL)
        return NULL;
    if (self->loaded == NULL)
        self->loaded = PyDict_New();
    handle = self->loaded == NULL ? NULL : searcher_take(binding, self);
    if (handle == NULL) {
        Py_DECREF(text);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS status =
        trawl_text_load(handle, ((struct text_object *)text)->source.text, &error);
    Py_END_ALLOW_THREADS searcher_give(self, handle);
    if (status != TRAWL_OK)
        binding_raise(binding, status, &error);
    else if (PyDict_SetItem(self->loaded, text, Py_None) == 0)
        return text;
    Py_DECREF(text);
    return NULL;
}

static PyObject *searcher_unload(PyObject *object, PyObject *text)
{
    struct searcher_object *self = (struct searcher_object *)object;
    struct binding *binding = binding_of(object);
    struct trawl_searcher *handle;

    if (self->loaded == NULL || Py_TYPE(text) != binding->text_type ||
        PyDict_GetItem(self->loaded, text) == NULL) {
        PyErr_SetString(PyExc_ValueError, "unload: not a text that load() gave");
        return NULL;
    }
    handle = searcher_take(binding, self);
    if (handle == NULL)
        return NULL;
    trawl_text_unload(handle, ((struct text_object *)text)->source.text);
    searcher_give(self, handle);
    if (PyDict_DelItem(self->loaded, text) != 0)
        return NULL;
    return Py_NewRef(Py_None);
}

static PyObject *searcher_stats(PyObject *object, PyObject *unused)
{
    struct searcher_object *self = (struct searcher_object *)object;
    struct trawl_stats stats = {.size = sizeof stats};
    enum trawl_status status = TRAWL_OK;
    struct trawl_error error;

    (void)unused;
    (void)pthread_mutex_lock(&self->lock);
    if (self->handle_count > 0)
        status = trawl_searcher_stats(self->handles[self->last].searcher, &stats, &error);
    (void)pthread_mutex_unlock(&self->lock);
    if (status != TRAWL_OK)
        return binding_raise(binding_of(object), status, &error);
    return Py_BuildValue(
        "{sKsKsKsKsKsKsKsIssssss}", "text_bytes", (unsigned long long)stats.text_bytes,
        "chunk_count", (unsigned long long)stats.chunk_count, "cpu_chunk_count",
        (unsigned long long)stats.cpu_chunk_count, "device_chunk_count",
        (unsigned long long)stats.device_chunk_count, "match_count",
        (unsigned long long)stats.match_count, "candidate_count",
        (unsigned long long)stats.candidate_count, "wall_ns", (unsigned long long)stats.wall_ns,
        "thread_count", (unsigned int)stats.thread_count, "engine", stats.engine, "instruction_set",
        stats.instruction_set, "note", stats.note);
}

static PyMethodDef searcher_methods[] = {
    {"close", searcher_close, METH_NOARGS,
     "close($self)\n--\n\nGive back threads and memory. BusyError while a search is under way."},
    {"cancel", searcher_cancel, METH_NOARGS,
     "cancel($self)\n--\n\nEnd the searches that are under way: they raise CancelledError. From "
     "any thread."},
    {"load", searcher_load, METH_O,
     "load($self, text, /)\n--\n\nKeep a copy of a text in memory on the searcher's devices, for "
     "many searches of it: give them\nthe Text that this returns. Its bytes may not change before "
     "unload() or close(). Without a device it\ndoes nothing. An array that "
     "lies on a device is searched there, without a copy."},
    {"unload", searcher_unload, METH_O,
     "unload($self, text, /)\n--\n\nForget the copy of a text that load() returned."},
    {"stats", searcher_stats, METH_NOARGS,
     "stats($self)\n--\n\nWhat the last finished search did, as a dict."},
    {"__enter__", searcher_enter, METH_NOARGS, NULL},
    {"__exit__", searcher_exit, METH_VARARGS, NULL},
    SEARCH_METHODS("$self, plan, text"),
    RECORD_METHODS("$self, plan, column"),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot searcher_slots[] = {
    {Py_tp_new, (void *)searcher_new},
    {Py_tp_dealloc, (void *)searcher_dealloc},
    {Py_tp_methods, searcher_methods},
    {Py_tp_doc,
     "Searcher(engine='auto', threads=0, *, instruction_set=None, device_memory=0,\n"
     "         host_memory=0, chunk_bytes=0)\n--\n\n"
     "Threads and devices that search; any number of Python threads may use one at the same time.\n"
     "\nengine: 'cpu', 'cuda', or 'auto': the CPU, joined by GPUs where it pays.\n"
     "threads: that search; 0: one for each core.\n"
     "device_memory, host_memory: bytes that searches may use there; 0: no limit.\n\n"
     ">>> with Searcher(threads=2) as searcher:\n...     searcher.count(Plan('an'), b'banana')\n2"
     "\n"},
    {0, NULL},
};

PyType_Spec searcher_spec = {
    .name = "trawl.Searcher",
    .basicsize = sizeof(struct searcher_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = searcher_slots,
};
