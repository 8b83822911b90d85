# searcher: the type Searcher, which owns the threads and the memory of searches (trawl_runtime), and the type Handle,
# which owns a trawl_searcher and runs a call without the interpreter's lock. Uses memory.pxi, columns.pxi, plan.pxi,
# text.pxi, search.pxi, lines.pxi, records.pxi and spans.pxi.

# Number of forks between the first process and this one. A forked child lacks the parent's threads, so a Searcher whose
# fork_count is not `forks` opens a new runtime.
cdef uint64_t forks = 0


cdef void count_fork() noexcept nogil:
    fetch_add(&forks, 1, ORDERED)


pthread_atfork(NULL, NULL, count_fork)

cdef struct answer:
    uint64_t count
    flag found
    trawl_match match

# Converts ascending byte offsets in UTF-8 to character offsets. The walk is at a block of 64 bytes. A continuation byte
# has the form 10xxxxxx: it continues a character.
cdef struct walk:
    const uint8_t *bytes  # NULL: offsets count bytes and need no conversion
    uint64_t size
    uint64_t characters  # number of characters of the whole text, or UNKNOWN
    uint64_t block  # offset of the block, a multiple of 64
    uint64_t before  # number of continuation bytes before the block
    uint64_t mask  # bit i: byte block + i is a continuation byte
    uint64_t plain  # no byte of [block, plain) is a continuation byte; at least `block`

# The arguments and results of a search. The struct is used without the interpreter's lock.
cdef struct work:
    void (*function)(work *) noexcept nogil
    trawl_searcher *searcher
    const trawl_plan *plan
    trawl_text *text
    uint64_t bytes  # the text's size
    uint64_t before  # bytes that earlier searches of the same call have searched
    bint is_stream
    int status
    trawl_error error
    bint no_memory
    bint stopped  # the caller asked for the end of the search
    bint early  # the search ended before the text's end
    answer answer
    void *out  # what the function fills: a struct or memory
    uint64_t limit
    uint32_t flags
    walk by  # converts the offsets of the results
    bint is_text  # true: the text is a str, and results count characters
    # A search in the caller's thread handles signals in poll().
    void *handle
    pthread_t caller
    bint is_brief  # true: the search keeps the interpreter's lock
    uint64_t looked_ms  # when poll() last checked for signals; 0: not in this call
    # The helper thread searches while the caller's thread waits for the result and for signals. The helper stays for
    # later calls: waking a thread takes microseconds, starting one ten times as long.
    bint has_thread
    pthread_t thread
    sem_t start
    sem_t done
    bint paused  # the helper waits inside pause()
    bint abandoned  # asks the work to end soon
    uint64_t fork_count  # value of `forks` when the handle was opened


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
    """Start the helper thread unless it runs; false: the system refused. The helper blocks all
    signals, so that the caller's thread handles them."""
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
    """Wait for the work up to 50 ms; true: the work has paused or ended. A signal ends the wait early."""
    cdef timespec until

    clock_gettime(WAIT_CLOCK, &until)
    until.tv_nsec += LOOK_MS * 1000000
    if until.tv_nsec >= 1000000000:
        until.tv_nsec -= 1000000000
        until.tv_sec += 1
    return sem_wait_until(&job.done, &until) == 0


cdef void pause(work *job) noexcept nogil:
    """Called by the work: wait until the caller requests the next step. Returns immediately if there is no helper
    thread, because then the work runs in the caller's thread."""
    if job.has_thread:
        job.paused = True
        sem_post(&job.done)
        wait(&job.start)
        job.paused = False


cdef inline uint64_t now_ns(int clock) noexcept nogil:
    cdef timespec now

    clock_gettime(clock, &now)
    return <uint64_t>now.tv_sec * 1000000000 + <uint64_t>now.tv_nsec


cdef enum:
    LOOK_MS = 50  # poll() and step() check for signals this often, in ms; step() then also reports progress


cdef void poll(void *context) noexcept nogil:
    """Check for signals in the main thread during a long search. The threads that search call this repeatedly."""
    cdef work *job = <work *>context
    cdef uint64_t now_ms
    cdef bint is_first

    if not pthread_equal(job.caller, pthread_self()):
        return
    now_ms = now_ns(CLOCK_MONOTONIC_COARSE) // 1000000
    if now_ms - job.looked_ms < LOOK_MS:
        return
    is_first, job.looked_ms = job.looked_ms == 0, now_ms
    if not is_first and (job.is_brief or gettid() == getpid()):
        handle_signals(job)


cdef void handle_signals(work *job) noexcept with gil:
    """Call the handlers of signals that came. An exception from a handler ends the search. Let other
    threads run if the search has the interpreter's lock."""
    try:
        if job.is_brief:
            with nogil:
                pass
        PyErr_CheckSignals()
    except BaseException as fault:
        (<Handle>job.handle).fault = fault
        stop(job)


cdef void stop(work *job) noexcept nogil:
    """End the search, even between two calls to the library."""
    job.stopped = True
    trawl_searcher_cancel(job.searcher, False)


cdef class Searcher


@cython.internal
@cython.final
@cython.no_gc
cdef class Handle:
    """A trawl_searcher, its helper thread and the call that uses both."""

    cdef work job
    cdef bint taken
    cdef object fault  # the exception that a signal's handler raised
    cdef object bar  # the bar of a call with progress=True
    cdef Source own  # the text, if this call opened it
    cdef Source source  # the text of this call: `own` or the caller's Text

    def __cinit__(self):
        self.own = Source()
        self.job.fork_count = forks
        self.job.handle = <void *>self

    def __dealloc__(self):
        self.shut()

    cdef void shut(self) noexcept:
        # A forked child lacks the parent's threads, and locks that a missing thread held stay locked, so the child
        # frees nothing.
        if self.job.searcher != NULL and not self.is_forked():
            stop_thread(&self.job)
            trawl_searcher_close(self.job.searcher)
        self.job.searcher = NULL

    cdef int open(self, Searcher searcher, Plan plan, object text, object offsets) except -1:
        """Open the text of a call. offsets: what the results count: "characters", "bytes", or None
        for characters in a str and bytes in other texts. The caller must finally call Searcher.give(), even after a
        failure."""
        cdef work *job = &self.job

        self.source = self.own
        if not isinstance(text, Source):
            self.own.open(content_of(searcher, text, "offsets") if offsets is not None and offsets == "characters" else text, False)
        elif (<Source>text).text == NULL:
            raise ValueError("the text is closed")
        elif (<Source>text).is_there and text not in searcher.loaded:
            self.own.copies = (<Source>text).copies
            self.own.open_lent((<Source>text).owner)
        else:
            self.source = text
        if self.own.is_there:
            self.load(searcher, self.own)
        job.plan = plan.plan
        job.text = self.source.text
        job.bytes = self.source.bytes
        job.is_stream = self.source.is_stream
        job.by = walk_of(self.source.owner, self.source.memory, self.source.bytes, offsets)
        job.is_text = isinstance(self.source.owner, str) and (offsets is None or offsets != "bytes")
        if plan.has_strands and self.source.is_fasta():
            _sources.warn_of_fasta()
        return 0

    cdef int load(self, Searcher searcher, Source source) except -1:
        """Load a text. A text on a GPU must be loaded before each search."""
        cdef trawl_error error
        cdef int status

        if source.is_there and searcher.options.engine == TRAWL_ENGINE_CPU:
            raise ValueError("the text lies on a GPU, and the Searcher has the engine 'cpu'")
        with nogil:
            status = trawl_text_load(self.job.searcher, source.text, &error)
        return check_there(status, &error)

    cdef int run(self, void (*function)(work *) noexcept nogil, object progress) except -1:
        """Run a search, and raise the search's error. A search with `progress`, and a search of a
        stream in the main thread, which may wait for bytes, run in the helper thread, so that the
        caller's thread handles signals. Other searches handle signals in poll(). An exception from
        a signal handler or from `progress` cancels the search."""
        cdef work *job = &self.job

        if progress is True and self.bar is None:
            self.bar = _sources.progress_bar(None if job.bytes == UNKNOWN else job.bytes)
        if isinstance(progress, bool):
            progress = self.bar
        job.function = function
        job.no_memory = job.early = False
        job.caller, job.looked_ms, job.is_brief = pthread_self(), 0, job.bytes < BRIEF_BYTES
        if job.stopped:
            job.status = TRAWL_STOPPED
        elif progress is not None or (job.bytes == UNKNOWN and gettid() == getpid()):
            self.step(progress)
        elif job.is_brief:
            function(job)
        else:
            with nogil:
                function(job)
        if self.fault is not None:
            fault, self.fault = self.fault, None
            raise fault
        return self.check(not job.early)

    cdef int check(self, bint whole) except -1:
        """Raise the search's error, if any. whole: a successful search has read the text to its
        end."""
        cdef work *job = &self.job

        if job.no_memory:
            raise MemoryError()
        try:
            if job.status == TRAWL_READ or (job.status == TRAWL_OK and whole):
                if self.source is not None:
                    self.source.check()
            return check(job.status, &job.error)
        except (_errors.FileError, _errors.LimitError) as fault:
            if self.source is not None and self.source.name is not None:
                _errors.name_text(fault, self.source.name)
            raise
        except _errors.UnsupportedError as fault:
            if self.source is None or not self.source.is_there or self.source.copies:
                raise
            raise _errors.make(TRAWL_UNSUPPORTED, _devices.question(question_of(job), "text"), 0, 0, UNKNOWN,
                               UNKNOWN) from fault

    cdef int step(self, object progress) except -1:
        """Start or resume the work, and wait until the work pauses or ends."""
        cdef work *job = &self.job
        cdef bint done = False

        if job.paused and self.is_forked():
            raise ValueError("the search belongs to the process that forked this process")
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
                    progress(job.before + min(trawl_searcher_progress(job.searcher), job.bytes))
        except:
            stop(job)
            with nogil:
                wait(&job.done)
            self.abandon()
            raise
        if progress is not None and job.status == TRAWL_OK:
            whole = not job.early and job.bytes != UNKNOWN
            progress(job.before + (job.bytes if whole else min(trawl_searcher_progress(job.searcher), job.bytes)))
        return 0

    cdef bint abandon(self) noexcept:
        """Let paused work run to the end. False: this process is a forked child, which lacks the
        helper thread; the work's memory is then left alone."""
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


cdef str question_of(const work *job):
    """Return the name of the method that a call implements."""
    for i, function in enumerate([<uint64_t>work_count, <uint64_t>work_count_by_pattern, <uint64_t>work_count_lines,
                                  <uint64_t>work_first, <uint64_t>work_begins, <uint64_t>work_lines, <uint64_t>work_next]):
        if <uint64_t>job.function == function:
            return ("count", "count_by_pattern", "count_lines", "first", "positions", "lines", "batches")[i]
    return "matches"


@cython.final
@cython.no_gc
cdef class Searcher:
    """Searcher(engine='auto', threads=0, *, instruction_set=None, device_memory=0, host_memory=0,
             chunk_bytes=0)\n--\n
    Threads and devices that search. Any number of Python threads may share a Searcher.

    engine: 'cpu', 'cuda', or 'auto', which uses the CPU, and GPUs where they save time.
    threads: how many threads search; 0: one per core that the process may use.
    device_memory, host_memory: how many bytes searches may use on devices and on the host; 0: no limit.
    instruction_set: a name from instruction_sets(), instead of the best one.
    chunk_bytes: how many bytes of a text a thread searches at a time; 0: the library chooses.

    Every search of Plan is also a method of Searcher, with the plan as its first argument.

    >>> with Searcher(threads=2) as searcher:
    ...     searcher.count(Plan('an'), b'banana')
    2
    >>> with Searcher('cpu', 1, instruction_set='portable', chunk_bytes=1 << 20) as searcher:
    ...     searcher.count(Plan('an'), b'banana')
    2
    """

    cdef trawl_runtime *runtime  # NULL: closed
    cdef trawl_searcher_options options
    cdef bytes instruction_set
    cdef uint64_t chunk_bytes
    # Records are searched for occurrences in pieces of this size, so that each thread's part of a piece stays in its
    # cache.
    cdef uint64_t piece_bytes
    cdef uint64_t fork_count  # value of `forks` when the runtime was opened
    cdef list handles
    cdef Handle last  # the handle whose call ended last
    cdef dict loaded  # Text objects that load() loaded
    cdef object columns  # the Records that are loaded, as a WeakSet

    def __cinit__(self, *given, **named):
        sizes = _sources.Searcher(*given, **named)
        self.loaded = {}
        self.options.size = sizeof(self.options)
        (self.options.engine, self.options.threads, self.options.device_memory_bytes,
         self.options.host_memory_bytes, self.chunk_bytes, self.instruction_set) = sizes
        self.piece_bytes = <uint64_t>min(self.options.threads or cpu_count() or 1, 8) << 20
        if self.instruction_set is not None:
            self.options.instruction_set = self.instruction_set
        self.reopen()

    def __dealloc__(self):
        self.shut(False)  # Records would keep the searcher alive

    cdef int reopen(self) except -1:
        cdef trawl_runtime *runtime = NULL
        cdef trawl_error error
        cdef int status = trawl_runtime_open(&self.options, &runtime, &error)

        check(status, &error)
        self.handles = []
        self.columns = WeakSet()
        self.last = None
        self.runtime = runtime
        self.fork_count = load(&forks, LOADED)
        return 0

    cdef Handle take(self):
        """Reserve a handle for one call. The caller must finally call give()."""
        cdef trawl_searcher_options options
        cdef trawl_error error
        cdef Handle handle
        cdef int status

        with cython.critical_section(self):
            if self.runtime == NULL:
                raise ValueError("the searcher is closed")
            if self.fork_count != load(&forks, LOADED):
                self.reopen()
            if self.last is not None and not self.last.taken:
                self.last.taken = True
                return self.last
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
            options.poll, options.poll_context = poll, &handle.job
            status = trawl_searcher_open(&options, &handle.job.searcher, &error)
            check(status, &error)
            handle.taken = True
            self.handles.append(handle)
            return handle

    cdef void give(self, Handle handle) noexcept:
        if handle.own.is_there:
            trawl_text_unload(handle.job.searcher, handle.own.text)
        handle.own.close()
        handle.source = handle.bar = None
        handle.job.before, handle.job.stopped = 0, False
        self.last = handle
        handle.taken = False

    cdef bint shut(self, bint has_columns) noexcept:
        """Close the runtime; false: a search is running, and nothing was closed."""
        with cython.critical_section(self):
            if self.runtime != NULL and self.fork_count == load(&forks, LOADED):
                for item in self.handles:
                    if (<Handle>item).taken:
                        return False
                for item in self.columns if has_columns else ():
                    (<Records>item).drop()
                for item in self.handles:
                    (<Handle>item).shut()
                self.handles = []
                self.last = None
                trawl_runtime_close(self.runtime, NULL)
            self.runtime = NULL
            self.loaded = {}
        return True

    def __reduce__(self):
        raise _errors.no_pickle(self)

    def close(self):
        """Release threads and memory. Raises BusyError while a search is running."""
        if not self.shut(True):
            fail(TRAWL_BUSY, NULL)

    def cancel(self):
        """End the running searches, which raise CancelledError. Any thread may call this."""
        with cython.critical_section(self):
            for item in self.handles:
                if (<Handle>item).taken:
                    stop(&(<Handle>item).job)

    def load(self, text, /, *, copy=False, filter=False):
        """Copy a text to the memory of the searcher's devices, and return a Text. Searches of this
        Text use the copy. The text's bytes must not change before unload() or close(). Without a
        device, load() copies nothing, and only makes the filter. A text on a GPU stays where it is. For a column on a GPU (the Arrow
        device protocol, a cudf.Series, or a tuple of two arrays, bytes and offsets), load() returns Records.
        copy, filter: as for Text."""
        cdef Handle handle
        cdef Source source

        if isinstance(text, Records) or not _devices.is_there(text):
            records = load_records(self, text, copy)
            if records is not None:
                return records
        source = Text(text, copy=copy, filter=filter)
        handle = self.take()
        try:
            handle.load(self, source)
        finally:
            self.give(handle)
        self.loaded[source] = None
        return source

    def unload(self, text, /):
        """Free the device copy of a Text or of Records that load() returned."""
        cdef Handle handle

        if isinstance(text, Records) and (<Records>text).searcher is self:
            (<Records>text).drop()
            return
        if not isinstance(text, Source) or text not in self.loaded:
            raise ValueError("unload: a Text or Records that load() returned are needed")
        handle = self.take()
        trawl_text_unload(handle.job.searcher, (<Source>text).text)
        self.give(handle)
        del self.loaded[text]

    def stats(self):
        """Return the statistics of the search that finished last, as a dict."""
        cdef trawl_stats stats
        cdef trawl_change[TRAWL_CHANGES_KEPT] changes
        cdef trawl_change change
        cdef trawl_way[TRAWL_WAYS_KEPT] ways
        cdef trawl_way way
        cdef uint64_t count = 0, way_count = 0
        cdef trawl_error error
        cdef int status = TRAWL_OK
        cdef dict found

        memset(&stats, 0, sizeof(stats))
        stats.size = sizeof(stats)
        with cython.critical_section(self):
            if self.last is not None:
                status = trawl_searcher_stats(self.last.job.searcher, &stats, &error)
                if status == TRAWL_OK:
                    status = trawl_searcher_changes(self.last.job.searcher, changes, TRAWL_CHANGES_KEPT, &count, &error)
                if status == TRAWL_OK:
                    status = trawl_searcher_ways(self.last.job.searcher, ways, TRAWL_WAYS_KEPT, &way_count, &error)
        check(status, &error)
        found = stats
        del found["size"]
        found["changes"] = [change for change in changes[:count]]
        found["ways"] = [{"name": way.name, "what": (<bytes>(<const char *>way.what)).decode(errors="replace"), "bytes": way.bytes,
                          "read_bytes": way.read_bytes, "asks": way.asks, "ns": way.ns} for way in ways[:way_count]]
        return found

    def __dir__(self):
        return _sources.own_names(self)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback, /):
        self.close()

    def count(self, Plan plan not None, text, *, progress=None):
        return search(self, plan, text, None, progress, work_count).count

    def count_by_pattern(self, Plan plan not None, text, *, answer="index", progress=None):
        cdef uint64_t patterns = told_plan(plan.plan, 0).pattern_count
        cdef Column sums = column_of(block_new(patterns * sizeof(uint64_t)), 0, patterns)

        memset(sums.memory.bytes, 0, patterns * sizeof(uint64_t))
        search(self, plan, text, None, progress, work_count_by_pattern, 0, 0, sums.memory.bytes)
        return _sources.as_counts(plan, sums, answer)

    def count_lines(self, Plan plan not None, text, *, bint invert=False, limit=None, progress=None):
        return search(self, plan, text, None, progress, work_count_lines,
                      UNKNOWN if limit is None else _sources.number("limit", limit), invert).count

    def first(self, Plan plan not None, text, *, offsets=None, progress=None):
        cdef answer found = search(self, plan, text, offsets, progress, work_first)

        if not found.found:
            return None
        first = found.match.begin, found.match.end, found.match.pattern_index
        if plan.has_distances:
            first += (found.match.distance,)
        if plan.has_strands:
            first += ("-" if found.match.reversed else "+",)
        return first

    def positions(self, Plan plan not None, text, *, offsets=None, progress=None):
        cdef Handle handle = self.take()
        cdef match_columns columns

        memset(&columns, 0, sizeof(columns))
        try:
            handle.open(self, plan, text, offsets)
            if handle.source.is_there:
                there = begins_there(handle, progress)
                if there is not None:
                    return there
            if not handle.job.is_stream and handle.job.bytes != UNKNOWN:
                return begins_of(handle, progress)
            # A stream can be read only once, so its positions go to a column that grows.
            handle.job.flags, handle.job.out = 0, &columns
            handle.run(work_matches, progress)
            return column_taken(&columns.begins)
        finally:
            match_columns_drop(&columns)
            self.give(handle)

    def matches(self, Plan plan not None, text, *, match="all", bint line_numbers=False,
                bint value=False, offsets=None, progress=None):
        cdef match_columns columns

        if value and isinstance(text, Source) and (<Source>text).is_there:
            text = (<Source>text).content("matches")
        if match != "all" and not line_numbers:
            return spans_of(self, plan, text, match, value, offsets, progress)
        memset(&columns, 0, sizeof(columns))
        plan = choose_matches(&columns, plan, match)
        columns.with_lines, columns.with_values = line_numbers, value
        try:
            search(self, plan, text, offsets, progress, work_matches, 0, search_flags(&columns), &columns)
            return matches_of(&columns, plan)
        finally:
            match_columns_drop(&columns)

    def batches(self, Plan plan not None, text, *, match="all", bint line_numbers=False,
                bint value=False, offsets=None):
        cdef Batches made = Batches.__new__(Batches)

        if value and isinstance(text, Source) and (<Source>text).is_there:
            text = (<Source>text).content("batches")
        plan = choose_matches(&made.columns, plan, match)
        made.columns.with_lines, made.columns.with_values = line_numbers, value
        made.open(self, plan, text, offsets)
        made.handle.job.function = work_next
        made.handle.job.status = trawl_search_open(made.handle.job.searcher, plan.plan, made.handle.job.text,
                                                   search_flags(&made.columns), &made.search, &made.handle.job.error)
        made.handle.check(False)
        return made

    def find_all(self, Plan plan not None, text, *, match="all", answer="index", offsets=None):
        return as_found(plan, find_all(self, plan, text, match, offsets), answer)

    def finditer(self, Plan plan not None, text, *, match="all"):
        return find_matches(self, plan, text, match)

    def excerpts(self, Plan plan not None, text, before=80, after=None, *, match="leftmost-longest"):
        return _excerpts.excerpts(find_matches(self, plan, text, match), line_end_of(plan), before, after)

    def groups(self, Plan plan not None, column, *, progress=None):
        return groups_of(self, plan, column, progress)

    def group_lists(self, Plan plan not None, column, *, match="all", progress=None):
        return record_matches(self, plan, column, match, False, "bytes", progress, LISTS, Groups(plan, False))

    def scan(self, Plan plan not None, text, *, offsets=None):
        batches = self.batches(plan, text, offsets=offsets)
        return occurrences_of(itertools.chain.from_iterable(batches))

    def iter(self, Plan plan not None, text, *, offsets=None):
        batches = self.batches(plan, text, offsets=offsets)
        return occurrences_of(_sources.iterate(plan, batches))

    def replace(self, Plan plan not None, text, values=None, *, match="leftmost-longest", progress=None):
        return replace(self, plan, text, values, match, progress)

    def replace_file(self, Plan plan not None, text, path, values=None, *, match="leftmost-longest", progress=None):
        made = Values(plan, _sources.values_of(plan, values), False)
        return _sources.replace_file(
            path, text, lambda write: replace_file(self, plan, text, made, match, progress, write))

    def mask(self, Plan plan not None, text, mask="*", *, match="leftmost-longest", progress=None):
        return masked(self, plan, text, mask, match, progress)

    def split(self, Plan plan not None, text, *, match="leftmost-longest", answer="list", progress=None):
        return split(self, plan, text, match, answer, progress)

    def lines(self, Plan plan not None, text, *, offsets=None, progress=None):
        cdef LineBatches made = line_batches(self, plan, text, False, offsets)

        lines_restart(&made.lines)
        made.handle.run(work_lines, progress)
        return made.taken()

    def line_batches(self, Plan plan not None, text, *, offsets=None):
        return line_batches(self, plan, text, True, offsets)

    def contains(self, Plan plan not None, column, *, out=None, bint bits=False, progress=None):
        return contains(self, plan, column, out, bits, progress)

    def which(self, Plan plan not None, column, *, answer="index", progress=None):
        return _sources.as_answers(plan, search_column(self, plan, column, progress, WHICH), answer)

    def pattern_counts(self, Plan plan not None, column, *, progress=None):
        return search_column(self, plan, column, progress, COUNTS)

    def pattern_lists(self, Plan plan not None, column, *, answer="index", progress=None):
        return _sources.as_answers(plan, search_column(self, plan, column, progress, LISTS), answer)

    def cells(self, Plan plan not None, column, *, offsets=None, progress=None):
        there = answer_there(self, plan, column, TRAWL_RECORDS_CELLS, "cells", None, progress)
        return there if there is not None else search_column(self, plan, column, progress, CELLS, offsets)

    def match_counts(self, Plan plan not None, column, *, match="all", out=None, progress=None):
        if out is not None and match != "all":
            raise ValueError("out: only with match='all'")
        few = search_few(self, plan, column, True) if match == "all" and out is None and progress is None else None
        if few is not None:
            return few
        there = answer_there(self, plan, column, TRAWL_RECORDS_COUNTS, "match_counts", out, progress) if match == "all" else None
        return there if there is not None else record_matches(self, plan, column, match, False, "bytes", progress, COUNTS)

    def match_lists(self, Plan plan not None, column, *, match="all", bint value=False, bint first=False, offsets=None,
                    progress=None):
        there = None
        if not value and (match == "all" or (plan.by_lines and len(plan) == 1 and match in MATCHES)):
            there = answer_there(self, plan, column, TRAWL_RECORDS_FIRST if first else TRAWL_RECORDS_MATCHES, "match_lists",
                                 None, progress, offsets)
        return there if there is not None else record_matches(self, plan, column, match, value, offsets, progress,
                                                              WHICH if first else LISTS)

    def record_counts(self, Plan plan not None, column, *, answer="index", progress=None):
        return _sources.as_counts(plan, search_column(self, plan, column, progress, PATTERNS), answer)


cdef Searcher default_searcher = None  # runs the searches of Plan's methods; opened by the first of these searches


cdef inline Searcher default():
    return default_searcher if default_searcher is not None else open_default()


cdef Searcher open_default():
    global default_searcher

    with cython.critical_section(once):
        if default_searcher is None:
            default_searcher = Searcher()
    return default_searcher
