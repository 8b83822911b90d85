/* residents: finds loaded texts on devices. A *resident* is a loaded text, or a stripe of one, on a
 * device. A scan asks for each chunk whether a resident has it. */
#include "cuda/residents.h"

#include <string.h>

#include "base/checked.h"
#include "cuda/cuda_worker.h"
#include "cuda/launch.h"

/* Returns true if the resident contains the bytes, and sets *bytes_at to their offset in it. */
static bool resident_holds(const struct cuda_resident *resident, const uint8_t *bytes,
                           uint64_t count, uint64_t *bytes_at)
{
    uint64_t at = (uint64_t)((uintptr_t)bytes - (uintptr_t)resident->bytes);

    if (resident->bytes == NULL || at > resident->count || count > resident->count - at)
        return false;
    *bytes_at = at;
    return true;
}

/* Starts near the end of a borrowed text may have to be searched in a copy of its end. Returns true
 * if that copy is long enough to contain all bytes around them. */
static bool tail_suffices(const struct cuda_resident *resident, uint64_t need)
{
    return saturating_add(need, SCAN_AROUND_BYTES + CUDA_BEFORE_BYTES) <=
           resident->count - resident->tail_at;
}

/* Returns the number n such that starts in [0, n) of the text can be searched in the resident,
 * because it has the start and plan->need_after bytes after it, or up to the end of the text. The
 * text begins at offset `at` of the resident. In a stripe that is not the text's last, only starts
 * before the next stripe can be searched, and none if the overlap is shorter than need_after
 * bytes. */
static uint64_t begins_reached(const struct cuda_resident *resident, const struct engine_text *text,
                               uint64_t at)
{
    uint64_t left = resident->count - at, overlap = resident->count - resident->owned;
    uint64_t need = text->plan == NULL ? 0 : text->plan->need_after;

    TRAWL_ASSERT(at <= resident->count && resident->owned <= resident->count);
    if (resident->tail_at > 0 && !tail_suffices(resident, need))
        return 0;
    if (text->bytes_count <= left)
        return text->bytes_count;
    if (overlap == 0)
        return left - min_u64(left, need);
    return need <= overlap && at < resident->owned ? resident->owned - at : 0;
}

bool cuda_residents_locate(struct cuda_engine *engine, struct engine_text *text)
{
    uint32_t devices = 0;
    uint64_t at;

    text->reach = 0;
    (void)pthread_mutex_lock(&engine->lock);
    for (uint32_t i = 0; i < engine->residents_end; i++) {
        const struct cuda_resident *resident = &engine->residents[i];
        uint64_t reach;

        if (!resident_holds(resident, text->bytes, 0, &at))
            continue;
        reach = begins_reached(resident, text, at);
        if (reach > text->reach)
            devices = 0;
        if (reach == 0 || reach < text->reach)
            continue;
        text->reach = reach;
        text->device = resident->device_index;
        devices++;
    }
    (void)pthread_mutex_unlock(&engine->lock);
    TRAWL_ASSERT(text->reach <= text->bytes_count);
    if (devices > 1)
        text->device = ENGINE_DEVICES_MAX;
    return devices > 0;
}

/* Returns the resident on the worker's device that has the bytes, or NULL. The caller holds the
 * lock. */
static struct cuda_resident *find_resident(const struct cuda_worker *worker, const uint8_t *bytes,
                                           uint64_t count, uint64_t *bytes_at)
{
    struct cuda_engine *engine = worker->engine;

    for (uint32_t i = 0; i < engine->residents_end; i++)
        if (engine->residents[i].device_index == worker->device_index &&
            resident_holds(&engine->residents[i], bytes, count, bytes_at))
            return &engine->residents[i];
    return NULL;
}

uint64_t cuda_worker_sample(const struct cuda_worker *worker, const uint8_t *bytes, uint64_t count,
                            struct cuda_sample *sample)
{
    struct cuda_engine *engine = worker->engine;
    const struct cuda_resident *kept;
    uint64_t serial = 0, at;

    (void)pthread_mutex_lock(&engine->lock);
    kept = find_resident(worker, bytes, count, &at);
    if (kept != NULL && kept->sample != NULL) {
        serial = kept->sample->serial;
        if (sample != NULL)
            *sample = *kept->sample;
    }
    (void)pthread_mutex_unlock(&engine->lock);
    return serial;
}

bool cuda_worker_ends(const struct cuda_worker *worker, const uint8_t *bytes, bool keeps,
                      struct cuda_line_ends *ends)
{
    struct cuda_engine *engine = worker->engine;
    struct cuda_resident *kept;
    bool found = false;

    (void)pthread_mutex_lock(&engine->lock);
    kept = find_resident(worker, bytes, ends->count, &ends->at);
    if (kept != NULL && keeps) {
        memmove(kept->ends + 1, kept->ends, sizeof kept->ends - sizeof kept->ends[0]);
        kept->ends[0] = *ends;
    }
    for (uint32_t k = 0; kept != NULL && !keeps && k < CUDA_ENDS_MAX && !found; k++) {
        const struct cuda_line_ends *known = &kept->ends[k];

        found = known->at == ends->at && known->count == ends->count &&
                known->line_end == ends->line_end && known->line_end_also == ends->line_end_also;
        if (found)
            ends->ends = known->ends;
    }
    (void)pthread_mutex_unlock(&engine->lock);
    return found;
}

bool cuda_worker_resident(const struct cuda_worker *worker, const uint8_t *bytes, uint64_t count,
                          uint64_t need, struct cuda_place *place)
{
    struct cuda_resident resident, *kept;
    uint64_t at, skew;

    (void)pthread_mutex_lock(&worker->engine->lock);
    kept = find_resident(worker, bytes, count, &at);
    if (kept != NULL)
        resident = *kept;
    (void)pthread_mutex_unlock(&worker->engine->lock);
    if (kept == NULL)
        return false;
    TRAWL_ASSERT(at <= resident.count && count <= resident.count - at);
    *place = (struct cuda_place){
        .address = resident.memory.address, .at = at, .max = UINT64_MAX, .end = UINT64_MAX};
    if (resident.memory.bytes > 0)
        return true;
    /* a borrowed text: kernels get an aligned address, `skew` bytes before the text */
    skew = resident.borrowed % CUDA_BORROWED_ALIGNMENT;
    place->address = resident.borrowed - skew;
    place->at += skew;
    if (resident.tail_at == 0)
        return true;
    place->end = skew + resident.count - SCAN_AROUND_BYTES;
    place->max = place->end - min_u64(need, place->end);
    place->tail_address = resident.tail.address;
    place->tail_at = at - resident.tail_at;
    return tail_suffices(&resident, need);
}

void cuda_place_range(const struct cuda_place *place, uint64_t from, uint64_t to, uint64_t count,
                      struct cuda_range *range)
{
    const bool in_tail =
        place->tail_address != 0 && (int64_t)(place->tail_at + from) >= (int64_t)CUDA_BEFORE_BYTES;

    if (place->at + from < place->max && !in_tail) {
        range->address = place->address;
        range->begin = place->at + from;
        range->end = min_u64(place->at + to, place->max);
        range->text_end = min_u64(place->at + count, place->end);
    } else {
        range->address = place->tail_address;
        range->begin = place->tail_at + from;
        range->end = place->tail_at + to;
        range->text_end = place->tail_at + count;
    }
    TRAWL_ASSERT(range->begin < range->end || from == to);
}

struct cuda_resident *cuda_residents_find_borrowed(struct cuda_engine *engine, const uint8_t *bytes)
{
    uint64_t at;

    for (uint32_t i = 0; i < engine->residents_end; i++)
        if (engine->residents[i].borrowed != 0 &&
            resident_holds(&engine->residents[i], bytes, 0, &at))
            return &engine->residents[i];
    return NULL;
}

bool cuda_residents_borrowed(struct cuda_engine *engine, const uint8_t *bytes, bool *fetched)
{
    const struct cuda_resident *resident;

    (void)pthread_mutex_lock(&engine->lock);
    resident = cuda_residents_find_borrowed(engine, bytes);
    *fetched = resident != NULL && resident->fetched;
    (void)pthread_mutex_unlock(&engine->lock);
    return resident != NULL;
}
