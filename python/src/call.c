/* call: see call.h. */
#include "call.h"

#include <string.h>

bool call_read(struct call *call, const struct arguments *wanted, PyObject *self,
               PyObject *const *given, Py_ssize_t count, PyObject *words)
{
    struct arguments names = *wanted;

    memset(call, 0, sizeof *call);
    call->binding = binding_of(self);
    if (Py_TYPE(self) == call->binding->plan_type) {
        names.names++;
        names.count--;
        names.required--;
        names.positional--;
        if (!arguments_read(&names, given, count, words, call->values + 1))
            return false;
        call->values[0] = self;
        call->searcher = searcher_default(call->binding);
    } else {
        if (!arguments_read(&names, given, count, words, call->values))
            return false;
        call->searcher = (struct searcher_object *)self;
    }
    call->plan = plan_of(call->binding, call->values[0]);
    return call->plan != NULL && call->searcher != NULL;
}

bool call_open(struct call *call)
{
    if (!source_open(call->binding, call->values[1], false, &call->source))
        return false;
    call->handle = searcher_take(call->binding, call->searcher);
    if (call->handle == NULL)
        source_close(&call->source);
    return call->handle != NULL;
}

void call_close(struct call *call)
{
    searcher_give(call->searcher, call->handle);
    source_close(&call->source);
}

bool work_run(struct work *work, void (*function)(void *), PyObject *progress)
{
    struct call *call = work->call;
    struct labour labour = {.work = function,
                            .context = work,
                            .searcher = call->searcher,
                            .handle = call->handle,
                            .bytes = call->source.bytes,
                            .progress = progress};

    if (!labour_run(&labour))
        return false;
    if (work->no_memory) {
        PyErr_NoMemory();
        return false;
    }
    if (work->status != TRAWL_OK)
        binding_raise(call->binding, work->status, &work->error);
    return work->status == TRAWL_OK;
}

bool work_whole(struct work *work, void (*function)(void *), PyObject *progress)
{
    bool done;

    if (!call_open(work->call))
        return false;
    done = work_run(work, function, progress);
    call_close(work->call);
    return done;
}
