/* pages_load: makes the filter of a loaded text: on its device, or by all of the runtime's threads.
 */
#include "base/memory.h"
#include "runtime/devices.h"
#include "runtime/engines.h"
#include "runtime/job.h"
#include "runtime/pages.h"
#include "runtime/threads.h"

struct building {
    struct job job; /* first member: serve casts its job to this */
    struct plan_pages *pages;
    _Atomic uint64_t next; /* the group that a thread takes next */
};

static void build(struct building *building, struct plan_pages_scratch *scratch)
{
    const uint64_t groups = (building->pages->count - 1) / PLAN_GROUP_PAGES + 1;
    uint64_t group;

    while ((group = atomic_fetch_add(&building->next, 1)) < groups)
        plan_pages_build(building->pages, group, scratch);
    atomic_store(&building->job.has_work, false);
}

/* Called as job.serve(), by a thread that helps. */
static void serve(struct job *job, struct worker *worker)
{
    struct plan_pages_scratch *scratch;

    (void)worker;
    if (MEMORY_NEW(scratch, 1, NULL) != TRAWL_OK) {
        atomic_store(&job->has_work, false);
        return;
    }
    build((struct building *)(void *)job, scratch);
    memory_release(scratch, 1, sizeof *scratch);
}

/* Makes the filter on the device that has the text, or else on the host. */
static bool make(struct trawl_runtime *runtime, const struct trawl_text *text,
                 struct runtime_pages *made)
{
    const struct devices *devices = &runtime->devices;
    struct plan_pages_scratch *scratch;
    struct building building = {.pages = &made->pages};
    bool opened;

    if (MEMORY_NEW(scratch, 1, NULL) != TRAWL_OK)
        return false;
    opened = plan_pages_open(&made->pages, text->bytes, text->bytes_count, scratch);
    if (opened && devices_are_ready(devices) &&
        engine_for_devices->there->pages_make(devices->engine, &made->pages, &made->held, NULL) ==
            TRAWL_OK) {
        memory_release(scratch, 1, sizeof *scratch);
        return true;
    }
    opened = opened && plan_pages_reserve(&made->pages);
    if (opened) {
        job_begin(&building.job, runtime, NULL, serve);
        if (runtime->threads_max > 1)
            job_publish(&building.job, runtime->threads_max - 1);
        build(&building, scratch);
        job_end(&building.job);
    }
    memory_release(scratch, 1, sizeof *scratch);
    return opened;
}

void runtime_pages_load(struct trawl_runtime *runtime, struct trawl_text *text)
{
    struct runtime_pages *made;

    runtime_pages_unload(runtime, text);
    atomic_store(&text->filter_bytes, 0);
    if (!text->filters || MEMORY_ZEROED(made, 1, NULL) != TRAWL_OK)
        return;
    made->owner = text;
    if (!make(runtime, text, made)) {
        memory_release(made, 1, sizeof *made);
        return;
    }
    atomic_store(&text->filter_bytes, made->pages.rows_bytes);
    runtime_pages_add(runtime, made);
}
