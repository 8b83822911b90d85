# searcher: a runtime of the library, and a handle of it for each thread that is searching: the call
# that it serves, and how the call runs without the interpreter's lock.

# Threads do not live on in a forked child: searchers open their runtimes anew there.
cdef uint64_t forks = 0


cdef void count_fork() noexcept nogil:
    fetch_add(&forks, 1, ORDERED)


pthread_atfork(NULL, NULL, count_fork)

cdef struct answer:
    uint64_t count
    flag found
    trawl_match match

# What a search is given, and what came of it: all that is used without the interpreter's lock.
cdef struct work:
    void (*function)(work *) noexcept nogil
    trawl_searcher *searcher
    const trawl_plan *plan
    trawl_text *text
    uint64_t bytes  # of the text
    uint64_t before  # bytes that earlier searches of the call had done
    bint is_stream
    int status
    trawl_error error
    bint no_memory
    bint early  # the answer was there before the text's end
    answer answer
    void *out  # what the function fills; also an address on a device
    uint64_t limit
    uint32_t flags
    # The thread that works while the caller's waits for it and for signals. It stays for the next
    # time: to wake it takes microseconds, to start one tens of them.
    bint has_thread
    pthread_t thread
    sem_t start
    sem_t done
    bint paused  # by pause(): the thread waits
    bint abandoned  # the work is to end soon
    uint64_t fork_count  # of when the handle was opened


cdef void wait(sem_t *semaphore) noexcept nogil:
    while sem_wait(semaphore) != 0:
        pass


cdef void *helper_main(void *context) noexcept nogil:
    cdef work *job = <work *>context

    while True:
        wait(&job.start)
        if job.function == NULL:
            return NULL
        job.function(job)
        sem_post(&job.done)


cdef bint start_thread(work *job) noexcept nogil:
    """Have a thread; false: there is none to be had. Signals are for the thread that waits."""
    cdef sigset_t all
    cdef sigset_t before

    if not job.has_thread:
        sem_init(&job.start, 0, 0)
        sem_init(&job.done, 0, 0)
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        job.has_thread = pthread_create(&job.thread, NULL, helper_main, job) == 0
        pthread_sigmask(SIG_SETMASK, &before, NULL)
    return job.has_thread


cdef void stop_thread(work *job) noexcept nogil:
    if job.has_thread:
        job.function = NULL
        sem_post(&job.start)
        pthread_join(job.thread, NULL)
        sem_destroy(&job.start)
        sem_destroy(&job.done)
        job.has_thread = False


cdef bint wait_a_while(work *job) noexcept nogil:
    """True: the work paused or ended. A signal ends the wait early."""
    cdef timespec until

    clock_gettime(CLOCK_REALTIME, &until)
    until.tv_nsec += 50000000  # between looks at signals and progress
    if until.tv_nsec >= 1000000000:
        until.tv_nsec -= 1000000000
        until.tv_sec += 1
    return sem_timedwait(&job.done, &until) == 0


cdef void pause(work *job) noexcept nogil:
    """From inside the work: wait for the next step. Nothing where the caller's thread works."""
    if job.has_thread:
        job.paused = True
        sem_post(&job.done)
        wait(&job.start)
        job.paused = False


cdef class Searcher


@cython.internal
@cython.final
@cython.no_gc
cdef class Handle:
    """A handle of the library's searcher, and the call that has taken it."""

    cdef work job
    cdef bint taken
    cdef bint borrowed  # the text lies on a device, and was loaded for this call
    cdef Source own  # for texts that are opened for a call
    cdef Source source  # of the call

    def __cinit__(self):
        self.own = Source()
        self.job.fork_count = forks

    def __dealloc__(self):
        self.shut()

    cdef void shut(self) noexcept:
        # What the threads of a parent process held stays as it was when it forked.
        if self.job.searcher != NULL and not self.is_forked():
            stop_thread(&self.job)
            trawl_searcher_close(self.job.searcher)
        self.job.searcher = NULL

    cdef int open(self, Searcher searcher, Plan plan, object text) except -1:
        """Open the text of a call. In the end Searcher.give(), also after a fault."""
        cdef work *job = &self.job

        self.source = self.own
        if not isinstance(text, Source):
            self.own.open(text, False)
        elif (<Source>text).text == NULL:
            raise ValueError("the text is closed")
        elif (<Source>text).address == 0 or text in searcher.loaded:
            self.source = text
        else:
            # The call loads and unloads it, which may not happen to a text that others search.
            self.own.owner = text
            self.own.open_device((<Source>text).address, (<Source>text).bytes)
        job.plan = plan.plan
        job.text = self.source.text
        job.bytes = self.source.bytes
        job.is_stream = self.source.is_stream
        if self.own.text != NULL and self.own.address != 0:
            self.load()
        return 0

    cdef int load(self) except -1:
        """A text on a device is loaded for the call, which copies nothing."""
        with nogil:
            self.job.status = trawl_text_load(self.job.searcher, self.job.text, &self.job.error)
        self.borrowed = self.job.status == TRAWL_OK
        return check(self.job.status, &self.job.error)

    cdef int run(self, void (*function)(work *) noexcept nogil, object progress) except -1:
        """Search, and raise what it ended with. The main thread stays open for signals: where the
        work may take long it is done by another thread, and an exception from a signal's handler,
        or from `progress`, cancels the call."""
        cdef work *job = &self.job

        job.function = function
        job.no_memory = job.early = False
        if progress is not None or (job.bytes >= GUARDED_BYTES and gettid() == getpid()):
            self.step(progress)
        elif job.bytes < BRIEF_BYTES:
            function(job)
        else:
            with nogil:
                function(job)
        return self.check(not job.early)

    cdef int check(self, bint whole) except -1:
        """`whole`: if the search succeeded, it has read the text to its end."""
        cdef work *job = &self.job

        if job.no_memory:
            raise MemoryError()
        if job.status == TRAWL_READ or (job.status == TRAWL_OK and whole):
            if self.source is not None:
                self.source.check()
        return check(job.status, &job.error)

    cdef int step(self, object progress) except -1:
        """Start or resume the work, and wait until it pauses or ends."""
        cdef work *job = &self.job
        cdef bint done = False

        if job.paused and self.is_forked():
            raise ValueError("the search goes on in the process that this one forked")
        if not start_thread(job):
            with nogil:
                job.function(job)
            return 0
        sem_post(&job.start)
        try:
            while True:
                with nogil:
                    done = wait_a_while(job)
                if done:
                    break
                PyErr_CheckSignals()
                if progress is not None:
                    progress(job.before + trawl_searcher_progress(job.searcher))
        except:
            trawl_searcher_cancel(job.searcher)
            with nogil:
                wait(&job.done)
            self.abandon()
            raise
        if progress is not None and job.status == TRAWL_OK:
            whole = not job.early and job.bytes != UNKNOWN
            progress(job.before
                     + (job.bytes if whole else trawl_searcher_progress(job.searcher)))
        return 0

    cdef bint abandon(self) noexcept:
        """Let work that has paused go on to its end. False: this is a forked child, where its
        thread is not, and what it uses stays as it is."""
        self.job.abandoned = True
        if self.job.paused and self.is_forked():
            return False
        while self.job.paused:
            sem_post(&self.job.start)
            wait(&self.job.done)
        self.job.abandoned = False
        return True

    cdef bint is_forked(self) noexcept:
        return self.job.fork_count != load(&forks, LOADED)


@cython.final
@cython.no_gc
cdef class Searcher:
    """Threads and devices that search; any number of Python threads may use one at the same time.

    engine: 'cpu', 'cuda', or 'auto': the CPU, joined by GPUs where it pays.
    threads: that search; 0: one for each core.
    device_memory, host_memory: bytes that searches may use there; 0: no limit.
    instruction_set: one of instruction_sets(), instead of the best.
    chunk_bytes: how much of a text a thread is given at a time; 0: the library chooses.

    Searches are those of Plan, under the same names, with the plan as first argument.

    >>> with Searcher(threads=2) as searcher:
    ...     searcher.count(Plan('an'), b'banana')
    2
    >>> with Searcher('cpu', 1, instruction_set='portable', chunk_bytes=1 << 20) as searcher:
    ...     searcher.count(Plan('an'), b'banana')
    2
    """

    cdef trawl_runtime *runtime  # NULL: closed
    cdef trawl_runtime_options options
    cdef bytes instruction_set
    cdef uint64_t chunk_bytes
    cdef uint64_t fork_count  # of when the runtime was opened
    cdef list handles
    cdef Handle last  # whose call ended last
    cdef dict loaded  # Text objects that devices have copies of

    def __cinit__(self, engine="auto", uint64_t threads=0, *, instruction_set=None,
                  uint64_t device_memory=0, uint64_t host_memory=0, uint64_t chunk_bytes=0):
        engines = ("auto", "cpu", "cuda")  # in the order of the library's numbers
        if engine not in engines:
            raise ValueError(f"engine: 'auto', 'cpu' or 'cuda', not '{engine}'")
        self.loaded = {}
        self.options.size = sizeof(self.options)
        self.options.engine = <int>engines.index(engine)
        self.options.threads = <uint32_t>min(threads, <uint64_t>0xffffffff)
        self.options.device_memory_bytes = device_memory
        self.options.host_memory_bytes = host_memory
        self.chunk_bytes = chunk_bytes
        if instruction_set is not None:
            self.instruction_set = instruction_set.encode()
            self.options.instruction_set = self.instruction_set
        self.reopen()

    def __dealloc__(self):
        self.shut()

    cdef int reopen(self) except -1:
        cdef trawl_runtime *runtime = NULL
        cdef trawl_error error
        cdef int status = trawl_runtime_open(&self.options, &runtime, &error)

        check(status, &error)
        self.handles = []
        self.last = None
        self.runtime = runtime
        self.fork_count = load(&forks, LOADED)
        return 0

    cdef Handle take(self):
        """A handle for one call. In the end give() it back."""
        cdef trawl_searcher_options options
        cdef trawl_error error
        cdef Handle handle
        cdef int status

        with cython.critical_section(self):
            if self.runtime == NULL:
                raise ValueError("the searcher is closed")
            if self.fork_count != load(&forks, LOADED):
                self.reopen()
            for item in self.handles:
                handle = <Handle>item
                if not handle.taken:
                    handle.taken = True
                    return handle
            memset(&options, 0, sizeof(options))
            options.size = sizeof(options)
            options.runtime = self.runtime
            options.chunk_bytes = self.chunk_bytes
            handle = Handle()
            status = trawl_searcher_open(&options, &handle.job.searcher, &error)
            check(status, &error)
            handle.taken = True
            self.handles.append(handle)
            return handle

    cdef void give(self, Handle handle) noexcept:
        if handle.borrowed:
            trawl_text_unload(handle.job.searcher, handle.job.text)
            handle.borrowed = False
        handle.own.close()
        handle.source = None
        handle.job.before = 0
        self.last = handle
        handle.taken = False

    cdef bint shut(self) noexcept:
        """False: a search is under way."""
        with cython.critical_section(self):
            if self.runtime != NULL and self.fork_count == load(&forks, LOADED):
                for item in self.handles:
                    if (<Handle>item).taken:
                        return False
                for item in self.handles:
                    (<Handle>item).shut()
                self.handles = []
                self.last = None
                trawl_runtime_close(self.runtime, NULL)
            self.runtime = NULL
            self.loaded = {}
        return True

    def close(self):
        """Give back threads and memory. BusyError while a search is under way."""
        if not self.shut():
            fail(TRAWL_BUSY, NULL)

    def cancel(self):
        """End the searches that are under way: they raise CancelledError. From any thread."""
        with cython.critical_section(self):
            for item in self.handles:
                if (<Handle>item).taken:
                    trawl_searcher_cancel((<Handle>item).job.searcher)

    def load(self, text, /):
        """Keep a copy of a text in memory on the searcher's devices, for many searches of it: give
        them the Text that this returns. Its bytes may not change before unload() or close().
        Without a device it does nothing. An array that lies on a device is searched there, without
        a copy."""
        cdef Source source = Text(text)
        cdef Handle handle = self.take()

        try:
            handle.job.text = source.text
            handle.load()
            handle.borrowed = False
        finally:
            self.give(handle)
        self.loaded[source] = None
        return source

    def unload(self, text, /):
        """Forget the copy of a text that load() returned."""
        cdef Handle handle

        if not isinstance(text, Source) or text not in self.loaded:
            raise ValueError("unload: not a text that load() gave")
        handle = self.take()
        trawl_text_unload(handle.job.searcher, (<Source>text).text)
        self.give(handle)
        del self.loaded[text]

    def stats(self):
        """What the last finished search did, as a dict."""
        cdef trawl_stats stats
        cdef trawl_error error
        cdef int status = TRAWL_OK
        cdef dict found

        memset(&stats, 0, sizeof(stats))
        stats.size = sizeof(stats)
        with cython.critical_section(self):
            if self.last is not None:
                status = trawl_searcher_stats(self.last.job.searcher, &stats, &error)
        check(status, &error)
        found = stats
        del found["size"]
        return found

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback, /):
        self.close()

    def count(self, Plan plan not None, text, *, progress=None):
        return search(self, plan, text, progress, work_count).count

    def count_by_pattern(self, Plan plan not None, text, *, progress=None):
        cdef uint64_t patterns = trawl_plan_facts(plan.plan).pattern_count
        cdef Column sums = column_of(block_new(patterns * sizeof(uint64_t)), 0, patterns)

        memset(sums.memory.bytes, 0, patterns * sizeof(uint64_t))
        search(self, plan, text, progress, work_count_by_pattern, 0, 0, sums.memory.bytes)
        return sums

    def count_lines(self, Plan plan not None, text, *, bint invert=False, limit=None,
                    progress=None):
        return search(self, plan, text, progress, work_count_lines,
                      UNKNOWN if limit is None else limit, invert).count

    def first(self, Plan plan not None, text, *, offsets="characters", progress=None):
        cdef walk by = walk_of(text, offsets)
        cdef answer found = search(self, plan, text, progress, work_first)

        if not found.found:
            return None
        if by.bytes != NULL:
            with nogil:
                walk_matches(&by, &found.match.begin, &found.match.end, 1)
        first = found.match.begin, found.match.end, found.match.pattern_index
        if plan.has_distances:
            first += (found.match.distance,)
        if plan.has_strands:
            first += ("-" if found.match.reversed else "+",)
        return first

    def positions(self, Plan plan not None, text, *, offsets="characters", progress=None):
        cdef walk by = walk_of(text, offsets)
        cdef Handle handle = self.take()
        cdef match_columns columns

        memset(&columns, 0, sizeof(columns))
        try:
            handle.open(self, plan, text)
            if not handle.job.is_stream and handle.job.bytes != UNKNOWN:
                return begins_of(handle, progress, &by)
            # What can be read only once: with room that grows.
            handle.job.flags, handle.job.out = 0, &columns
            handle.run(work_matches, progress)
            return column_taken(&columns.begins)
        finally:
            match_columns_drop(&columns)
            self.give(handle)

    cdef int want_device(self, uint64_t address) except -1:
        """Open the devices, and raise unless one of them has this address: the host would write to
        it. The array's first word is loaded as a text is, and unloaded."""
        cdef Handle handle = self.take()

        try:
            handle.source = handle.own
            handle.own.open_device(address, sizeof(uint64_t))
            handle.job.text = handle.own.text
            handle.load()
        finally:
            self.give(handle)
        return 0

    def positions_into(self, Plan plan not None, text, out, *, offsets="characters",
                       progress=None):
        cdef walk by = walk_of(text, offsets)
        cdef Target target = Target(out)
        cdef uint64_t count

        if target.on_device and by.bytes != NULL:
            raise ValueError("positions_into: an array on a device takes offsets='bytes' alone")
        if target.on_device and target.room > 0:
            self.want_device(target.address)
        count = search(self, plan, text, progress, work_begins, target.room, 0,
                       <void *>target.address).count
        if by.bytes != NULL:
            with nogil:
                walk_begins(&by, <uint64_t *>target.address, min(count, target.room))
        return count

    def matches(self, Plan plan not None, text, *, match="all", bint line_numbers=False,
                offsets="characters", progress=None):
        cdef match_columns columns

        if match != "all":
            if line_numbers:
                raise ValueError("line_numbers: of all matches alone")
            return spans_of(self, plan, text, match, offsets, progress)
        memset(&columns, 0, sizeof(columns))
        columns.by = walk_of(text, offsets)
        columns.with_lines = line_numbers
        try:
            search(self, plan, text, progress, work_matches, 0,
                   TRAWL_SEARCH_LINE_NUMBERS if line_numbers else 0, &columns)
            return matches_of(&columns, plan)
        finally:
            match_columns_drop(&columns)

    def batches(self, Plan plan not None, text, *, bint line_numbers=False,
                offsets="characters"):
        cdef Batches made = Batches.__new__(Batches)
        cdef trawl_error error
        cdef int status

        made.by = walk_of(text, offsets)
        made.line_numbers = line_numbers
        made.open(self, plan, text)
        status = trawl_search_open(made.handle.job.searcher, plan.plan, made.handle.job.text,
                                   TRAWL_SEARCH_LINE_NUMBERS if line_numbers else 0, &made.search,
                                   &error)
        check(status, &error)
        return made

    def iter(self, Plan plan not None, text, *, offsets="characters"):
        return _sources.iterate(plan, self.batches(plan, text, offsets=offsets))

    def replace(self, Plan plan not None, text, values=None, *, match="leftmost-longest",
                progress=None):
        if values is None and plan.values is None:
            raise ValueError("values: the plan has none")
        return rewrite(self, plan, text, Values(plan, plan.values if values is None else values,
                                                False), match, progress)

    def mask(self, Plan plan not None, text, mask="*", *, match="leftmost-longest", progress=None):
        if not isinstance(mask, (str, bytes)) or len(mask) != 1:
            raise ValueError("mask: one character is needed")
        return rewrite(self, plan, text, Values(plan, mask, True), match, progress)

    def split(self, Plan plan not None, text, *, match="leftmost-longest", progress=None):
        return rewrite(self, plan, text, None, match, progress)

    def lines(self, Plan plan not None, text, *, offsets="characters", progress=None):
        cdef LineBatches made = line_batches(self, plan, text, False, offsets)

        lines_restart(&made.lines)
        made.handle.run(work_lines, progress)
        return made.taken()

    def line_batches(self, Plan plan not None, text, *, offsets="characters"):
        return line_batches(self, plan, text, True, offsets)

    def contains(self, Plan plan not None, column, *, progress=None):
        return search_column(self, plan, column, progress, CONTAINS)

    def which(self, Plan plan not None, column, *, answer="index", progress=None):
        return _sources.answers(plan, search_column(self, plan, column, progress, WHICH), answer)

    def pattern_counts(self, Plan plan not None, column, *, progress=None):
        return search_column(self, plan, column, progress, COUNTS)

    def pattern_lists(self, Plan plan not None, column, *, progress=None):
        return search_column(self, plan, column, progress, LISTS)

    def cells(self, Plan plan not None, column, *, progress=None):
        return search_column(self, plan, column, progress, CELLS)

    def record_counts(self, Plan plan not None, column, *, progress=None):
        return search_column(self, plan, column, progress, PATTERNS)


cdef Searcher default_searcher = None  # opened by the first search through a plan


cdef inline Searcher default():
    return default_searcher if default_searcher is not None else open_default()


cdef Searcher open_default():
    global default_searcher

    with cython.critical_section(once):
        if default_searcher is None:
            default_searcher = Searcher()
    return default_searcher
