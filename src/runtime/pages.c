/* pages: keeps the filters of loaded texts, and asks them where a search has to look
 *
 * A filter is found by address, like the copies of texts on devices: a search may be of a part of
 * the text, or of records in it. All is known before anything is searched: the cursor hands out
 * each gap between the ranges that are left as a chunk that is not searched.
 */
#include "runtime/pages.h"

#include <sched.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "runtime/engines.h"

/* A gap costs two chunks, about 1 us in which the threads may wait for each other: gaps are at
 * least a page long, and with several threads a page for each, up to this many. */
#define GAP_PAGES_MAX 16u
#define CHUNK_KEPT (3ull << 30) /* of ranges, in a chunk for a device; offsets have 32 bits */

void runtime_pages_add(struct trawl_runtime *runtime, struct runtime_pages *made)
{
    (void)pthread_mutex_lock(&runtime->lock);
    made->next = runtime->pages;
    runtime->pages = made;
    atomic_store(&runtime->has_pages, true);
    (void)pthread_mutex_unlock(&runtime->lock);
}

/* Takes the filter of the owner, or any if that is NULL, out of the list. */
static struct runtime_pages *take(struct trawl_runtime *runtime, const struct trawl_text *owner)
{
    struct runtime_pages **link = &runtime->pages, *taken;

    (void)pthread_mutex_lock(&runtime->lock);
    while (*link != NULL && owner != NULL && (*link)->owner != owner)
        link = &(*link)->next;
    taken = *link;
    if (taken != NULL)
        *link = taken->next;
    atomic_store(&runtime->has_pages, runtime->pages != NULL);
    (void)pthread_mutex_unlock(&runtime->lock);
    return taken;
}

void runtime_pages_adopt(const struct trawl_runtime *runtime)
{
    for (struct runtime_pages *pages = runtime->pages; pages != NULL; pages = pages->next) {
        atomic_store(&pages->users, 0);
        pages->held = NULL; /* devices are the parent's */
    }
}

void runtime_pages_unload(struct trawl_runtime *runtime, const struct trawl_text *text)
{
    struct runtime_pages *taken;

    while (atomic_load(&runtime->has_pages) && (taken = take(runtime, text)) != NULL) {
        while (atomic_load(&taken->users) > 0) /* searches of other texts of the same memory */
            (void)sched_yield();
        if (taken->held != NULL)
            engine_for_devices->there->pages_drop(runtime->devices.engine, taken->held);
        plan_pages_close(&taken->pages);
        memory_release(taken, 1, sizeof *taken);
    }
}

/* ---- Search ------------------------------------------------------------------------------- */

/* The ranges of the text that are left, ascending. */
struct kept_ranges {
    const struct trawl_text *text;
    const struct trawl_plan *plan; /* whose lines end the ranges; NULL: these may end anywhere */
    const struct records *records; /* with `plan`: the records that are meant; NULL: lines */
    struct text_range *items;
    uint64_t count, capacity;
    uint64_t bytes;
    uint64_t gap_min; /* a shorter gap is searched, too */
};

static bool needs_all_bytes(const struct sink *sink)
{
    return sink->want == WANT_NOTHING || sink->keeps_text || sink->line_numbers ||
           sink->lines.invert || sink->record_answer != NULL;
}

/* Returns the filter of a text that contains this one, and counts a user of it; NULL: none has one.
 */
static struct runtime_pages *find(struct trawl_runtime *runtime, const struct trawl_text *text)
{
    struct runtime_pages *found;

    (void)pthread_mutex_lock(&runtime->lock);
    for (found = runtime->pages; found != NULL; found = found->next) {
        const uint64_t at = (uint64_t)((uintptr_t)text->bytes - (uintptr_t)found->pages.bytes);

        if (at < found->pages.bytes_count && text->bytes_count <= found->pages.bytes_count - at)
            break;
    }
    if (found != NULL)
        atomic_fetch_add(&found->users, 1);
    (void)pthread_mutex_unlock(&runtime->lock);
    return found;
}

/* Widens a range to whole lines or records. Lines before `from` are in earlier ranges. */
static void widen(const struct kept_ranges *kept, uint64_t from, struct text_range *range)
{
    const uint8_t line_end = kept->plan->line_end, line_end_also = kept->plan->line_end_also;
    const struct records *records = kept->records;
    const uint8_t *bytes = kept->text->bytes;
    uint64_t end = kept->text->bytes_count;

    if (records != NULL) {
        range->begin = records_begin(records, records_beyond(records, 0, range->begin));
        range->end = records_begin(records, records_beyond(records, 0, range->end - 1) + 1);
        return;
    }
    while (range->begin > from && bytes[range->begin - 1] != line_end &&
           bytes[range->begin - 1] != line_end_also)
        range->begin--;
    range->end +=
        bytes_find_either(bytes + range->end - 1, end - range->end + 1, line_end, line_end_also);
    range->end = min_u64(range->end, end);
}

/* Adds a range; false: there is no memory. */
static bool add(struct kept_ranges *kept, struct text_range range)
{
    struct text_range *last = kept->count > 0 ? &kept->items[kept->count - 1] : NULL;
    uint64_t from = last != NULL ? last->end : 0;

    if (range.end <= from) /* a page of a line that is there */
        return true;
    range.begin = max_u64(range.begin, from);
    if (kept->plan != NULL)
        widen(kept, from, &range);
    if (range.begin - min_u64(range.begin, from) < kept->gap_min)
        range.begin = from;
    if (last != NULL && range.begin <= from) {
        kept->bytes += range.end - from;
        last->end = range.end;
        return true;
    }
    if (MEMORY_ROOM(kept->items, kept->capacity, kept->count + 1, NULL) != TRAWL_OK)
        return false;
    kept->items[kept->count++] = range;
    kept->bytes += range.end - range.begin;
    return true;
}

/* Makes ranges of the pages that are left. */
static bool fill(struct kept_ranges *kept, const struct plan_pages *pages, const uint64_t *bits,
                 uint64_t first, uint64_t end)
{
    const uint64_t base = (uint64_t)(kept->text->bytes - pages->bytes);

    for (uint64_t w = first / 64; w * 64 < end; w++)
        for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
            const uint64_t begin = (w * 64 + (uint64_t)__builtin_ctzll(left)) * pages->page_bytes;
            const struct text_range range = {
                begin - min_u64(begin, base),
                min_u64(begin + pages->page_bytes - base, kept->text->bytes_count)};

            if (!add(kept, range))
                return false;
        }
    return true;
}

/* As plan_pages_keep, for at most `share` of the pages. */
static bool keep(const struct trawl_runtime *runtime, const struct runtime_pages *own,
                 const struct trawl_plan *plan, uint64_t first, uint64_t end, double share,
                 uint64_t *bits, uint64_t *left)
{
    const uint64_t max = (uint64_t)(share * (double)(end - first));
    bool knows = false;

    if (own->held == NULL)
        return own->pages.rows != NULL &&
               plan_pages_keep(&own->pages, plan, first, end, max, bits, left);
    if (plan->pattern_count > PLAN_PAGES_PATTERNS_MAX ||
        engine_for_devices->there->pages_ask(runtime->devices.engine, own->held, plan, first, end,
                                             bits, &knows, NULL) != TRAWL_OK ||
        !knows)
        return false;
    *left = plan_pages_trim(bits, first, end);
    return *left <= max;
}

/* Asks the filter. Returns false if the text is to be searched without it: the first occurrence, if
 * many pages of the first slice are left, as it is probably near. */
static bool ask(const struct search *search, struct kept_ranges *kept,
                const struct trawl_plan *plan, const struct runtime_pages *own,
                struct trawl_stats *stats)
{
    const double share =
        search->schedule == SCHEDULE_HOST ? plan_pages_sizes.kept_max : plan_pages_sizes.device_max;
    const struct trawl_runtime *runtime = search->job.runtime;
    const bool is_first = search->sink->want == WANT_FIRST;
    const struct plan_pages *pages = &own->pages;
    const uint64_t base = (uint64_t)(kept->text->bytes - pages->bytes);
    const uint64_t first = base / pages->page_bytes;
    const uint64_t end = (base + kept->text->bytes_count - 1) / pages->page_bytes + 1;
    const uint64_t words = (pages->count - 1) / 64 + 1;
    const uint64_t near = min_u64(end, first + PLAN_SLICE_PAGES);
    uint64_t *bits, left = 0;
    bool helps;

    if (MEMORY_NEW(bits, words, NULL) != TRAWL_OK)
        return false;
    helps = (!is_first || keep(runtime, own, plan, first, near, share, bits, &left)) &&
            keep(runtime, own, plan, first, end, share, bits, &left) &&
            fill(kept, pages, bits, first, end) &&
            (double)kept->bytes <= share * (double)kept->text->bytes_count;
    memory_release(bits, words, sizeof *bits);
    if (helps) {
        stats->page_count = end - first;
        stats->page_left_count = left;
    }
    return helps;
}

/* Returns true if the search gains from the ranges. It does not search ranges of a text that is
 * divided over devices, nor where only a device can give the answer: that takes a single launch. */
static bool pays(const struct search *search, const struct kept_ranges *kept)
{
    return search->schedule == SCHEDULE_HOST || kept->count == 0 ||
           (!search->is_split && (kept->count == 1 || (!search->sink->by_engine &&
                                                       search->job.plan->line_reader == NULL)));
}

uint64_t pages_left(struct trawl_runtime *runtime, const struct trawl_plan *plan,
                    const struct trawl_text *text, const struct sink *sink)
{
    const struct trawl_plan *strings = engines_page_plan(plan);
    struct runtime_pages *found;
    uint64_t *bits, words, left = PAGES_ALL;

    if (strings == NULL || !atomic_load(&runtime->has_pages) || text->kind != TEXT_MEMORY ||
        text->device_address != 0 || text->bytes_count == 0 || needs_all_bytes(sink) ||
        (found = find(runtime, text)) == NULL)
        return PAGES_ALL;
    words = (found->pages.count - 1) / 64 + 1;
    if (MEMORY_NEW(bits, words, NULL) == TRAWL_OK) {
        const uint64_t base = (uint64_t)(text->bytes - found->pages.bytes);
        const uint64_t page = found->pages.page_bytes;

        if (!keep(runtime, found, strings, base / page, (base + text->bytes_count - 1) / page + 1,
                  plan_pages_sizes.device_max, bits, &left))
            left = PAGES_ALL;
        memory_release(bits, words, sizeof *bits);
    }
    atomic_fetch_sub(&found->users, 1);
    return left;
}

void pages_choose(struct search *search, const struct trawl_text *text, struct text_need *need)
{
    struct trawl_runtime *runtime = search->job.runtime;
    const struct trawl_plan *plan = search->job.plan, *strings = engines_page_plan(plan);
    struct kept_ranges kept = {.text = text, .records = search->sink->records};
    struct runtime_pages *found;
    bool helps;

    if (strings == NULL || !atomic_load(&runtime->has_pages) ||
        search->schedule == SCHEDULE_STAGED || text->kind != TEXT_MEMORY ||
        text->device_address != 0 || text->bytes_count == 0 || needs_all_bytes(search->sink))
        return;
    found = find(runtime, text);
    if (found == NULL)
        return;
    if (need->lines != NULL || plan->line_reader != NULL)
        kept.plan = plan;
    if (search->schedule == SCHEDULE_HOST)
        kept.gap_min = min_u64(runtime->threads_max, GAP_PAGES_MAX) * found->pages.page_bytes;
    helps = ask(search, &kept, strings, found, &search->done.stats) && pays(search, &kept);
    atomic_fetch_sub(&found->users, 1);
    if (!helps) {
        memory_release(kept.items, kept.capacity, sizeof *kept.items);
        search->done.stats.page_count = search->done.stats.page_left_count = 0;
        return;
    }
    need->kept = kept.items;
    need->kept_count = kept.count;
    need->kept_capacity = kept.capacity;
    need->skips = true;
    search->text_bytes = kept.bytes; /* what is left to share */
    search->chunk_max = 0;
    if (search->schedule == SCHEDULE_HOST) {
        atomic_store(&search->device_refused, true);
        return;
    }
    search->schedule = SCHEDULE_CALLER;
    if (kept.count < 2) /* a chunk */
        return;
    need->together = true;
    search->answers = false; /* the host makes them from few hits */
    if (search->searcher->chunk_bytes > 0)
        return;
    /* The device would have answered about all of the text at once, but the host needs hits, whose
     * offsets have 32 bits. */
    search->chunk_device = search->sink->want == WANT_COUNT && plan_counts_alone(plan)
                               ? max_u64(search->chunk_device, CHUNK_KEPT)
                               : CHUNK_KEPT;
    need->chunk_bytes = search->chunk_device;
}
