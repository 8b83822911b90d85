/* search: the searches of one text that answer once. */
#include <string.h>

#include "call.h"
#include "methods.h"

/* ---- Count, first ---- */

static void work_count(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status =
        trawl_count(call->handle, call->plan->plan, call->source.text, &work->count, &work->error);
}

PyObject *search_count(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "progress"};
    static const struct arguments wanted = {"count", names, 3, 2, 2};
    struct call call;
    struct work work = {.call = &call};

    if (!call_read(&call, &wanted, self, given, count, words) ||
        !work_whole(&work, work_count, call.values[2]))
        return NULL;
    return PyLong_FromUnsignedLongLong(work.count);
}

static int add_counts(void *context, const struct trawl_pattern_count *counts,
                      uint64_t counts_count)
{
    uint64_t *sums = (uint64_t *)context;

    for (uint64_t i = 0; i < counts_count; i++)
        sums[counts[i].pattern_index] += counts[i].count;
    return 0;
}

static void work_count_by_pattern(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status = trawl_count_by_pattern(call->handle, call->plan->plan, call->source.text,
                                          add_counts, work->counts, &work->error);
}

PyObject *search_count_by_pattern(PyObject *self, PyObject *const *given, Py_ssize_t count,
                                  PyObject *words)
{
    static const char *const names[] = {"plan", "text", "progress"};
    static const struct arguments wanted = {"count_by_pattern", names, 3, 2, 2};
    struct call call;
    struct work work = {.call = &call};
    struct block *block;
    uint64_t patterns;

    if (!call_read(&call, &wanted, self, given, count, words))
        return NULL;
    patterns = trawl_plan_pattern_count(call.plan->plan);
    block = block_new((patterns + 1) * sizeof(uint64_t));
    if (block == NULL)
        return PyErr_NoMemory();
    work.counts = (uint64_t *)memset(block->bytes, 0, (size_t)(patterns + 1) * sizeof(uint64_t));
    if (work_whole(&work, work_count_by_pattern, call.values[2]))
        return column_new(call.binding, block, 0, patterns);
    block_release(block);
    return NULL;
}

static void work_count_lines(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status = trawl_count_lines(call->handle, call->plan->plan, call->source.text,
                                     work->invert, work->lines_max, &work->count, &work->error);
    work->ended_early = work->status == TRAWL_OK && work->count == work->lines_max;
}

PyObject *search_count_lines(PyObject *self, PyObject *const *given, Py_ssize_t count,
                             PyObject *words)
{
    static const char *const names[] = {"plan", "text", "invert", "limit", "progress"};
    static const struct arguments wanted = {"count_lines", names, 5, 2, 2};
    struct call call;
    struct work work = {.call = &call, .lines_max = UINT64_MAX};
    int invert;

    if (!call_read(&call, &wanted, self, given, count, words) ||
        (invert = arguments_flag(call.values[2], 0)) < 0)
        return NULL;
    work.invert = invert != 0;
    if (call.values[3] != NULL) {
        work.lines_max = PyLong_AsUnsignedLongLong(call.values[3]);
        if (PyErr_Occurred() != NULL)
            return NULL;
    }
    if (!work_whole(&work, work_count_lines, call.values[4]))
        return NULL;
    return PyLong_FromUnsignedLongLong(work.count);
}

static void work_first(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status = trawl_first(call->handle, call->plan->plan, call->source.text, &work->match,
                               &work->found, &work->error);
    work->ended_early = work->found;
}

PyObject *search_first(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "progress"};
    static const struct arguments wanted = {"first", names, 3, 2, 2};
    struct call call;
    struct work work = {.call = &call};

    if (!call_read(&call, &wanted, self, given, count, words) ||
        !work_whole(&work, work_first, call.values[2]))
        return NULL;
    if (!work.found)
        return Py_NewRef(Py_None);
    return Py_BuildValue("(KKK)", (unsigned long long)work.match.begin,
                         (unsigned long long)work.match.end,
                         (unsigned long long)work.match.pattern_index);
}

/* ---- Matches, by batches ---- */

static void work_matches(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;
    struct trawl_batch batch = {.size = sizeof batch};
    struct trawl_search *search = NULL;

    work->columns.with_lines = work->flags != 0;
    work->status = trawl_search_open(call->handle, call->plan->plan, call->source.text, work->flags,
                                     &search, &work->error);
    if (work->status != TRAWL_OK)
        return;
    while (!batch.last && work->status == TRAWL_OK && !work->no_memory) {
        work->status = trawl_search_next(search, &batch, &work->error);
        if (work->status == TRAWL_OK)
            work->no_memory = !match_columns_append(&work->columns, &batch);
    }
    trawl_search_close(search);
}

PyObject *search_matches(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "line_numbers", "progress"};
    static const struct arguments wanted = {"matches", names, 4, 2, 2};
    struct call call;
    struct work work = {.call = &call};
    int lines;

    if (!call_read(&call, &wanted, self, given, count, words) ||
        (lines = arguments_flag(call.values[2], 0)) < 0)
        return NULL;
    work.flags = lines != 0 ? TRAWL_SEARCH_LINE_NUMBERS : 0;
    if (work_whole(&work, work_matches, call.values[3]))
        return matches_new(call.binding, &work.columns);
    match_columns_clear(&work.columns);
    return NULL;
}

/* ---- Positions ---- */

static void work_begins(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status = trawl_begins_into(call->handle, call->plan->plan, call->source.text,
                                     work->begins, work->begins_max, &work->count, &work->error);
}

/* How many begins to have room for. Address space is all they cost until they are there, so it may
 * be as many as there can be of a single pattern. */
static uint64_t begins_guess(const struct call *call)
{
    uint64_t patterns = trawl_plan_pattern_count(call->plan->plan);
    uint64_t bytes = call->source.bytes;

    patterns = patterns > 4 ? 4 : patterns;
    return bytes < UINT64_C(1) << 40 ? bytes * patterns + 1 : UINT64_C(1) << 40;
}

/* Search into one array; where there are more than it holds, again into one that holds them. */
static PyObject *positions_into(struct call *call, PyObject *progress)
{
    uint64_t room = begins_guess(call);
    struct block *block = NULL;
    struct work work = {.call = call};
    bool done;

    do {
        block_release(block);
        block = block_reserve(room * sizeof(uint64_t));
        if (block == NULL)
            return PyErr_NoMemory();
        work.begins = (uint64_t *)block->bytes;
        work.begins_max = room;
        done = work_run(&work, work_begins, progress);
        room = work.count;
    } while (done && work.count > work.begins_max);
    if (!done) {
        block_release(block);
        return NULL;
    }
    block_trim(block, work.count * sizeof(uint64_t));
    return column_new(call->binding, block, 0, work.count);
}

/* What can be read only once: with room that grows. */
static PyObject *positions_of_stream(struct call *call, PyObject *progress)
{
    PyObject *begins = NULL;
    struct work work = {.call = call};

    if (work_run(&work, work_matches, progress))
        begins = column_new(call->binding, block_share(work.columns.begins), 0, work.columns.count);
    match_columns_clear(&work.columns);
    return begins;
}

PyObject *search_positions(PyObject *self, PyObject *const *given, Py_ssize_t count,
                           PyObject *words)
{
    static const char *const names[] = {"plan", "text", "progress"};
    static const struct arguments wanted = {"positions", names, 3, 2, 2};
    PyObject *begins;
    struct call call;

    if (!call_read(&call, &wanted, self, given, count, words) || !call_open(&call))
        return NULL;
    if (call.source.is_stream || call.source.bytes == UINT64_MAX)
        begins = positions_of_stream(&call, call.values[2]);
    else
        begins = positions_into(&call, call.values[2]);
    call_close(&call);
    return begins;
}

static void work_begins_on_device(void *context)
{
    struct work *work = (struct work *)context;
    struct call *call = work->call;

    work->status =
        trawl_begins_on_device(call->handle, call->plan->plan, call->source.text, work->address,
                               work->begins_max, &work->count, &work->error);
}

PyObject *search_positions_into(PyObject *self, PyObject *const *given, Py_ssize_t count,
                                PyObject *words)
{
    static const char *const names[] = {"plan", "text", "out", "progress"};
    static const struct arguments wanted = {"positions_into", names, 4, 3, 3};
    struct target target;
    struct call call;
    struct work work = {.call = &call};
    bool done;

    if (!call_read(&call, &wanted, self, given, count, words) ||
        !target_open(call.values[2], &target))
        return NULL;
    work.address = target.address;
    work.begins = (uint64_t *)(uintptr_t)(target.on_device ? 0 : target.address);
    work.begins_max = target.room;
    done =
        work_whole(&work, target.on_device ? work_begins_on_device : work_begins, call.values[3]);
    target_close(&target);
    return done ? PyLong_FromUnsignedLongLong(work.count) : NULL;
}
