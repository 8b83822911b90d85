/* resident: the chunks of a loaded text. A chunk ends with the part of the text that lies on one
 * device, and is queued for that one's workers, which may be far ahead of the others: as far as the
 * ring of tasks reaches.
 */
#include "runtime/resident.h"

#include "base/checked.h"
#include "runtime/device_threads.h"
#include "runtime/devices.h"
#include "runtime/road.h"
#include "runtime/runtime.h"
#include "runtime/search.h"
#include "runtime/tasks.h"

#define HELD_HITS_MAX (1u << 24) /* with more, no device goes far ahead of the others */
/* Cut for each worker and not searched yet: what is cut cannot be cut anew, once it is known how
 * many hits there are. */
#define UNREAD_PER_WORKER 2u

/* May one more chunk be cut? */
static bool may_cut(const struct search *search)
{
    uint32_t workers = search->job.runtime->devices.workers_worth;
    uint32_t ahead =
        search->held_hits < HELD_HITS_MAX ? search->tasks_max : search->searcher->tasks_few;
    uint64_t unread_max = UINT64_MAX;

    if (search->chunk_most > 0 && !search->rate_known)
        unread_max = workers;
    else if (search->chunk_most > 0 && !search->is_split)
        unread_max = UNREAD_PER_WORKER * workers;
    return !search->ended && !search->stopping && search->unread < unread_max &&
           search->cursor.index_next - search->index_deliver < ahead;
}

struct task *resident_next(struct search *search)
{
    const struct trawl_text *text = search->cursor.text;
    struct task *task = may_cut(search) ? task_take(search) : NULL;
    uint64_t begin = search->cursor.begin_next, left = text->bytes_count - begin;
    struct engine_text *part = &search->part;
    enum trawl_status status;
    enum text_taken taken;

    if (task == NULL)
        return NULL;
    TRAWL_ASSERT(left > 0 && left <= text->bytes_count && search->chunk_device > 0);
    if (part->held == 0 && !devices_locate(&search->job.runtime->devices, search->job.plan,
                                           text->bytes + begin, left, part))
        *part = (struct engine_text){.device = ENGINE_DEVICES_MAX, .held = left}; /* nowhere */
    status =
        text_cursor_next(&search->cursor, TEXT_ANY_CHUNK, min_u64(search->chunk_device, part->held),
                         false, &task->buffer, &task->chunk, &taken, NULL);
    TRAWL_ASSERT(status == TRAWL_OK && taken == TEXT_TAKEN && task->chunk.owned <= part->held);
    (void)status; /* of a text in memory */
    task->item.device = part->device;
    part->held -= task->chunk.owned;
    search->ended = task->chunk.last;
    search->unread++;
    atomic_fetch_add(&search->bytes_taken, task->chunk.owned);
    return task;
}

void resident_queue(struct search *search)
{
    struct queue_item *first = NULL, **link = &first;
    struct task *task;

    (void)pthread_mutex_lock(&search->lock);
    while ((task = resident_next(search)) != NULL) {
        *link = &task->item;
        link = &task->item.next;
    }
    *link = NULL;
    (void)pthread_mutex_unlock(&search->lock);
    if (first != NULL)
        devices_push(&search->job.runtime->devices, first);
}

void resident_learn(struct search *search, const struct task *task)
{
    uint64_t bytes = task->result.done - task->from, hits = task->result.hits.count, wanted;

    TRAWL_ASSERT(search->unread > 0);
    search->unread--;
    if (search->chunk_most == 0 || bytes == 0 || task->status != TRAWL_OK)
        return;
    wanted =
        hits == 0 ? search->chunk_most : saturating_multiply(bytes, resident_sizes.hits) / hits;
    wanted = min_u64(max_u64(wanted, resident_sizes.least), search->chunk_most);
    if (wanted > 2 * search->chunk_device || wanted < search->chunk_device / 2)
        search->chunk_device = wanted;
    search->rate_known = true;
}
