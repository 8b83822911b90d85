/* lines: the lines in which an occurrence begins, whole, and the type LineBatches, which iterates
 * over them while the text is searched.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <string.h>

#include "call.h"
#include "gather.h"
#include "methods.h"

/* What was found, and the line at the next window's begin. */
struct lines {
    struct call *call;
    struct labour *labour; /* to pause where lines are whole; NULL: go on */
    uint8_t line_end;
    uint64_t number;
    uint64_t begin; /* of that line */
    bool open;      /* it has an occurrence: its bytes so far are the last that were gathered */
    bool failed;    /* no memory, or `status` */
    enum trawl_status status;
    struct trawl_error error;
    struct gather_column head; /* of a stream, that line's bytes so far */
    struct gather_column numbers;
    struct gather_column begins;
    struct gather_column ends; /* of each line's bytes, after a 0 */
    struct gather_column bytes;
};

static void lines_clear(struct lines *lines)
{
    block_release(lines->numbers.block);
    block_release(lines->begins.block);
    block_release(lines->ends.block);
    block_release(lines->bytes.block);
    memset(&lines->numbers, 0, sizeof lines->numbers);
    memset(&lines->begins, 0, sizeof lines->begins);
    memset(&lines->ends, 0, sizeof lines->ends);
    memset(&lines->bytes, 0, sizeof lines->bytes);
}

static void lines_release(struct lines *lines)
{
    lines_clear(lines);
    block_release(lines->head.block);
    memset(&lines->head, 0, sizeof lines->head);
}

static uint64_t count_ends(const uint8_t *bytes, uint64_t count, uint8_t line_end)
{
    uint64_t found = 0;

    for (uint64_t i = 0; i < count; i++)
        found += bytes[i] == line_end;
    return found;
}

/* Of the window's line ends those in [from, to) end lines. */
static void pass_ends(struct lines *lines, const struct trawl_window *window, uint64_t from,
                      uint64_t to)
{
    const uint8_t *last =
        (const uint8_t *)memrchr(window->bytes + from, lines->line_end, to - from);

    if (last == NULL)
        return;
    lines->number += count_ends(window->bytes + from, to - from, lines->line_end);
    lines->begin = window->begin + (uint64_t)(last - window->bytes) + 1;
    lines->head.count = 0;
}

/* The text's bytes [from, to): a file's are read again. */
static bool read_again(struct lines *lines, uint64_t from, uint64_t to)
{
    uint8_t buffer[4096];
    uint64_t got;

    while (from < to) {
        uint64_t wanted = to - from < sizeof buffer ? to - from : sizeof buffer;

        lines->status =
            trawl_text_read(lines->call->source.text, from, buffer, wanted, &got, &lines->error);
        if (lines->status != TRAWL_OK || got == 0 || !gather_bytes(&lines->bytes, buffer, got))
            return false;
        from += got;
    }
    return true;
}

/* The line's bytes before the window. */
static bool gather_head(struct lines *lines, const struct trawl_window *window)
{
    if (lines->begin >= window->begin)
        return true;
    if (!lines->call->source.is_stream)
        return read_again(lines, lines->begin, window->begin);
    return lines->head.count == 0 ||
           gather_bytes(&lines->bytes, lines->head.block->bytes, lines->head.count);
}

/* The line's bytes from place `from` of the window on; *at: after its end. */
static bool gather_rest(struct lines *lines, const struct trawl_window *window, uint64_t from,
                        uint64_t *at)
{
    const uint8_t *begin = window->bytes + from;
    const uint8_t *end =
        (const uint8_t *)memchr(begin, lines->line_end, window->bytes_count - from);
    uint64_t count = end == NULL ? window->bytes_count - from : (uint64_t)(end - begin);

    *at = from + count + (end != NULL);
    lines->open = end == NULL && !window->last;
    if (!gather_bytes(&lines->bytes, begin, count))
        return false;
    if (lines->open)
        return true;
    lines->number++;
    lines->begin = window->begin + *at;
    lines->head.count = 0;
    return gather_values(&lines->ends, &lines->bytes.count, 1);
}

static bool window_lines(struct lines *lines, const struct trawl_window *window)
{
    uint64_t at = 0;

    if (lines->open && !gather_rest(lines, window, 0, &at))
        return false;
    for (uint64_t i = 0; i < window->match_count && !lines->open; i++) {
        uint64_t place = window->matches[i].begin - window->begin;

        if (place < at)
            continue;
        pass_ends(lines, window, at, place);
        if (!gather_values(&lines->numbers, &lines->number, 1) ||
            !gather_values(&lines->begins, &lines->begin, 1) || !gather_head(lines, window))
            return false;
        if (lines->begin > window->begin + at)
            at = lines->begin - window->begin;
        if (!gather_rest(lines, window, at, &at))
            return false;
    }
    if (lines->open || at >= window->bytes_count)
        return true;
    pass_ends(lines, window, at, window->bytes_count);
    if (!lines->call->source.is_stream)
        return true;
    at = lines->begin > window->begin ? lines->begin - window->begin : 0;
    return gather_bytes(&lines->head, window->bytes + at, window->bytes_count - at);
}

static int take_window(void *context, const struct trawl_window *window)
{
    struct lines *lines = (struct lines *)context;

    lines->failed = !window_lines(lines, window);
    if (!lines->failed && lines->labour != NULL && lines->ends.count > 1 && !lines->open)
        labour_pause(lines->labour);
    return lines->failed || (lines->labour != NULL && lines->labour->abandoned);
}

static void work_lines(void *context)
{
    struct lines *lines = (struct lines *)context;
    struct call *call = lines->call;
    struct trawl_error error;
    enum trawl_status status = trawl_windows(call->handle, call->plan->plan, call->source.text,
                                             TRAWL_WINDOW_LINES, take_window, lines, &error);

    if (lines->failed) /* and so the search was stopped */
        return;
    lines->status = status;
    lines->error = error;
}

/* The columns' first 0; what is left of the last batch is gone. */
static bool lines_begin(struct lines *lines)
{
    static const uint64_t zero = 0;

    lines_clear(lines);
    if (gather_values(&lines->ends, &zero, 1))
        return true;
    PyErr_NoMemory();
    return false;
}

/* Raise what went wrong; true: nothing did. */
static bool lines_checked(struct lines *lines)
{
    bool goes_on = lines->labour != NULL && lines->labour->paused;

    if (lines->status == TRAWL_OK && lines->failed) {
        PyErr_NoMemory();
        return false;
    }
    return call_checked(lines->call, lines->status, &lines->error, !goes_on);
}

/* A Column or the bytes of an Array, of a column that is taken. */
static struct block *block_of_column(struct gather_column *column, uint64_t unit)
{
    struct block *block = column->block == NULL ? block_new(unit) : column->block;

    if (column->block != NULL)
        block_trim(block, column->count * unit);
    column->block = NULL;
    return block;
}

static PyObject *lines_result(struct lines *lines)
{
    struct binding *binding = lines->call->binding;
    uint64_t count = lines->numbers.count;
    struct block *blocks[4] = {block_of_column(&lines->numbers, sizeof(uint64_t)),
                               block_of_column(&lines->begins, sizeof(uint64_t)),
                               block_of_column(&lines->ends, sizeof(uint64_t)),
                               block_of_column(&lines->bytes, 1)};
    PyObject *numbers, *begins, *texts, *result = NULL;

    if (blocks[0] == NULL || blocks[1] == NULL || blocks[2] == NULL || blocks[3] == NULL) {
        for (int i = 0; i < 4; i++)
            block_release(blocks[i]);
        return PyErr_NoMemory();
    }
    numbers = column_new(binding, blocks[0], 0, count);
    begins = column_new(binding, blocks[1], 0, count);
    texts = array_of_binary(binding, blocks[2], blocks[3], count);
    if (numbers != NULL && begins != NULL && texts != NULL)
        result = PyObject_CallMethod(binding->sources, "Lines", "OOO", numbers, begins, texts);
    Py_XDECREF(numbers);
    Py_XDECREF(begins);
    Py_XDECREF(texts);
    return result;
}

PyObject *search_lines(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    static const char *const names[] = {"plan", "text", "progress"};
    static const struct arguments wanted = {"lines", names, 3, 2, 2};
    struct call call;
    struct lines lines = {.call = &call};
    struct labour labour = {.work = work_lines, .context = &lines};
    PyObject *result = NULL;

    if (!call_read(&call, &wanted, self, given, count, words) || !call_open(&call))
        return NULL;
    lines.line_end = trawl_plan_line_end(call.plan->plan);
    labour.searcher = call.searcher;
    labour.handle = call.handle;
    labour.bytes = call.source.bytes;
    labour.progress = call.values[2];
    if (lines_begin(&lines) && labour_run(&labour) && lines_checked(&lines))
        result = lines_result(&lines);
    call_close(&call);
    lines_release(&lines);
    return result;
}

/* ---- LineBatches ---- */

struct line_batches_object {
    PyObject_HEAD struct call call; /* its values are not used later */
    PyObject *plan;
    PyObject *searcher;
    struct lines lines;
    struct labour labour;
    bool is_open;
    atomic_bool busy; /* a thread is inside next() */
};

static void line_batches_close(struct line_batches_object *batches)
{
    if (!batches->is_open)
        return;
    batches->is_open = false;
    if (!labour_abandon(&batches->labour))
        return;
    call_close(&batches->call);
    lines_release(&batches->lines);
}

static void line_batches_dealloc(PyObject *self)
{
    struct line_batches_object *batches = (struct line_batches_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    line_batches_close(batches);
    Py_XDECREF(batches->plan);
    Py_XDECREF(batches->searcher);
    release(self);
    Py_DECREF(type);
}

PyObject *search_line_batches(PyObject *self, PyObject *const *given, Py_ssize_t count,
                              PyObject *words)
{
    static const char *const names[] = {"plan", "text"};
    static const struct arguments wanted = {"line_batches", names, 2, 2, 2};
    struct line_batches_object *batches;
    allocfunc allocate;
    struct call call;

    if (!call_read(&call, &wanted, self, given, count, words))
        return NULL;
    allocate = (allocfunc)PyType_GetSlot(call.binding->line_batches_type, Py_tp_alloc);
    batches = (struct line_batches_object *)allocate(call.binding->line_batches_type, 0);
    if (batches == NULL)
        return NULL;
    batches->plan = Py_NewRef(call.values[0]);
    batches->searcher = Py_NewRef((PyObject *)call.searcher);
    if (!call_open(&call)) {
        Py_DECREF(batches);
        return NULL;
    }
    batches->call = call;
    batches->lines = (struct lines){.call = &batches->call,
                                    .labour = &batches->labour,
                                    .line_end = trawl_plan_line_end(call.plan->plan)};
    batches->labour = (struct labour){.work = work_lines,
                                      .context = &batches->lines,
                                      .searcher = call.searcher,
                                      .handle = call.handle,
                                      .bytes = call.source.bytes};
    batches->is_open = true;
    return (PyObject *)batches;
}

static PyObject *line_batches_next(PyObject *self)
{
    struct line_batches_object *batches = (struct line_batches_object *)self;
    PyObject *result = NULL;

    if (atomic_exchange(&batches->busy, true))
        return binding_raise(binding_of(self), TRAWL_BUSY, NULL);
    if (batches->is_open) {
        if (lines_begin(&batches->lines) && labour_step(&batches->labour) &&
            lines_checked(&batches->lines) && batches->lines.numbers.count > 0)
            result = lines_result(&batches->lines);
        if (result == NULL || !batches->labour.paused)
            line_batches_close(batches);
    }
    atomic_store(&batches->busy, false);
    return result;
}

static PyType_Slot line_batches_slots[] = {
    {Py_tp_dealloc, (void *)line_batches_dealloc},
    {Py_tp_iter, (void *)PyObject_SelfIter},
    {Py_tp_iternext, (void *)line_batches_next},
    {Py_tp_doc, "An iterator over lines in which an occurrence begins, a Lines at a time."},
    {0, NULL},
};

PyType_Spec line_batches_spec = {
    .name = "trawl.LineBatches",
    .basicsize = sizeof(struct line_batches_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = line_batches_slots,
};
