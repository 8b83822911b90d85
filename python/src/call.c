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

/* A text on a device is loaded for the call, which copies nothing, unless it was before. */
static bool lend(struct call *call)
{
    struct source *source = &call->source;
    enum trawl_status status;
    struct trawl_error error;

    if (source->is_borrowed) {
        if (searcher_has_loaded(call->searcher, source->owner))
            return true;
        if (!source_own(call->binding, source))
            return false;
    }
    Py_BEGIN_ALLOW_THREADS status = trawl_text_load(call->handle, source->text, &error);
    Py_END_ALLOW_THREADS call->lent = status == TRAWL_OK;
    if (status != TRAWL_OK)
        binding_raise(call->binding, status, &error);
    return status == TRAWL_OK;
}

bool call_open(struct call *call)
{
    if (!source_open(call->binding, call->values[1], false, &call->source))
        return false;
    call->handle = searcher_take(call->binding, call->searcher);
    if (call->handle == NULL) {
        source_close(&call->source);
        return false;
    }
    if (call->source.device_address == 0 || lend(call))
        return true;
    call_close(call);
    return false;
}

void call_close(struct call *call)
{
    if (call->lent)
        trawl_text_unload(call->handle, call->source.text);
    call->lent = false;
    searcher_give(call->searcher, call->handle);
    source_close(&call->source);
}

bool call_checked(const struct call *call, enum trawl_status status,
                  const struct trawl_error *error, bool whole)
{
    if ((status == TRAWL_READ || (status == TRAWL_OK && whole)) &&
        !source_checked(call->binding, &call->source))
        return false;
    if (status != TRAWL_OK)
        binding_raise(call->binding, status, error);
    return status == TRAWL_OK;
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
    return call_checked(call, work->status, &work->error, !work->ended_early);
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
