/* cuda_load: loads texts onto devices, whole or split over several
 *
 * A *resident* is a text, or a stripe of one, on one device. With several devices, a long text is
 * split into stripes, and a short one is copied to every device that has memory for it:
 *
 *    short text   device 0 [whole text]      device 1 [whole text]
 *    long text    device 0 [stripe 0 ++]     device 1 [stripe 1 ++]     device 0 [stripe 2]
 *
 * ++ is the overlap: the first bytes of the next stripe. A *borrowed* text is searched in place,
 * only on the device where the caller has put it.
 */
#include "cuda/cuda_load.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "cuda/residents.h"
#include "cuda/cuda_worker.h"
#include "cuda/prices.def"

#define STRIPES_MAX 64u /* maximum number of stripes of one text */
#define STRIPE_ALIGNMENT 4096u
#define SAMPLE_EXCERPT_BYTES 1024u
#define SAMPLE_EXCERPTS (CUDA_SAMPLE_BYTES / SAMPLE_EXCERPT_BYTES)

enum trawl_status cuda_load_room(const struct cuda_worker *worker, uint64_t bytes,
                                 struct trawl_error *error)
{
    struct cuda_device *device = worker->device;
    uint64_t used = atomic_load(&device->memory_used), left;
    size_t free_bytes = 0, total_bytes = 0;

    TRAWL_TRY(CUDA_CALL(device, error, memory_info, &free_bytes, &total_bytes));
    if (device->memory_max != 0) {
        used = min_u64(used, device->memory_max);
        free_bytes = (size_t)min_u64(free_bytes, device->memory_max - used);
        total_bytes = (size_t)min_u64(total_bytes, device->memory_max);
    }
    left = min_u64(worker->limits.resident_room_left, total_bytes / ROOM_LEFT_SHARE);
    TRAWL_ASSERT(left <= total_bytes);
    if (saturating_add(bytes, left) <= free_bytes)
        return TRAWL_OK;
    return TRAWL_FAIL(error, MEMORY,
                      "%s: %" PRIu64 " bytes of text and %" PRIu64
                      " to search them with exceed the %" PRIu64 " that are free",
                      device->name, bytes, left, (uint64_t)free_bytes);
}

/* Copies the bytes of a borrowed text from `at` to its end into the engine's own memory on the same
 * device, and pads them with zeros (choose_in_place). */
static enum trawl_status copy_borrowed(const struct cuda_worker *worker,
                                       const struct cuda_resident *resident, uint64_t at,
                                       struct cuda_memory *memory, struct trawl_error *error)
{
    uint64_t count = resident->count - at, room = ((count + 15) & ~15ull) + SCAN_PADDING_BYTES;

    TRAWL_TRY(cuda_memory_reserve(worker->device, memory, room, error));
    TRAWL_TRY(CUDA_CALL(worker->device, error, fill, memory->address + count, 0,
                        (size_t)(room - count), worker->stream));
    return CUDA_CALL(worker->device, error, copy_on_device, memory->address,
                     resident->borrowed + at, (size_t)count, worker->stream);
}

/* Takes a sample: copies excerpts of the text, from which searches choose a method. A short text,
 * or a lack of host memory, means no sample, which is no error. The device's context is current. */
static enum trawl_status take_sample(struct cuda_worker *worker, struct cuda_resident *resident,
                                     struct trawl_error *error)
{
    static _Atomic uint64_t samples_taken;
    uint64_t bytes = min_u64(resident->count, CUDA_SAMPLE_BYTES), excerpts, part;
    struct cuda_sample *sample;
    void *memory;

    excerpts = max_u64(bytes / SAMPLE_EXCERPT_BYTES, 1);
    part = resident->count / excerpts;
    bytes = min_u64(bytes, SAMPLE_EXCERPT_BYTES);
    if (resident->sample != NULL || resident->count < cuda_limits_now().seen_bytes_min ||
        memory_allocate(1, sizeof *sample, &memory, NULL) != TRAWL_OK)
        return TRAWL_OK;
    sample = (struct cuda_sample *)memory;
    sample->serial = atomic_fetch_add(&samples_taken, 1) + 1;
    sample->bytes_count = excerpts * bytes;
    resident->sample = sample;
    for (uint64_t i = 0; i < excerpts; i++) {
        /* "grams" is rated on the first quarter of the sample, so that quarter, too, must have
         * excerpts from all over the text */
        uint64_t nth = excerpts < SAMPLE_EXCERPTS ? i : i % 4 * (SAMPLE_EXCERPTS / 4) + i / 4;
        uint64_t from = nth * part + plan_sample_at(i, part, bytes);
        uint8_t *to = sample->bytes + i * bytes;

        TRAWL_ASSERT(from + bytes <= resident->count);
        if (resident->borrowed == 0)
            memcpy(to, resident->bytes + from, (size_t)bytes);
        else
            TRAWL_TRY(CUDA_CALL(worker->device, error, copy_to_host, to, resident->borrowed + from,
                                (size_t)bytes, worker->stream));
    }
    return TRAWL_OK;
}

static void drop_sample(struct cuda_resident *resident)
{
    if (resident->sample != NULL)
        memory_release(resident->sample, 1, sizeof *resident->sample);
    resident->sample = NULL;
}

/* Copies a resident's bytes to the device, unless kernels can read the caller's copy in place, and
 * takes the sample. The device's context is current. */
static enum trawl_status bring_resident(struct cuda_worker *worker, struct cuda_resident *resident,
                                        struct trawl_error *error)
{
    uint64_t room = ((resident->count + 15) & ~15ull) + SCAN_PADDING_BYTES;

    TRAWL_TRY(take_sample(worker, resident, error));
    if (resident->stays && resident->tail_at > 0)
        TRAWL_TRY(copy_borrowed(worker, resident, resident->tail_at, &resident->tail, error));
    if (resident->stays)
        return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
    TRAWL_TRY(cuda_load_room(worker, room, error));
    if (resident->borrowed != 0) {
        TRAWL_TRY(copy_borrowed(worker, resident, 0, &resident->memory, error));
    } else {
        TRAWL_TRY(cuda_memory_reserve(worker->device, &resident->memory, room, error));
        TRAWL_TRY(cuda_worker_upload_text(worker, resident->memory.address, resident->bytes,
                                          resident->count, error));
    }
    return CUDA_CALL(worker->device, error, stream_wait, worker->stream);
}

static void resident_release(struct cuda_engine *engine, struct cuda_resident *resident)
{
    struct cuda_device *device = &engine->devices[resident->device_index];

    drop_sample(resident);
    if (resident->memory.bytes == 0 && resident->tail.bytes == 0)
        return;
    if (cuda_device_enter(device, NULL) == TRAWL_OK) {
        cuda_memory_release(device, &resident->memory);
        cuda_memory_release(device, &resident->tail);
        cuda_device_leave(device);
    }
}

static enum trawl_status resident_keep(struct cuda_engine *engine, struct cuda_resident *resident,
                                       struct trawl_error *error)
{
    uint32_t i = 0;

    TRAWL_ASSERT(resident->owned <= resident->count && resident->text <= resident->bytes);
    TRAWL_ASSERT(resident->bytes + resident->count <= resident->text + resident->text_count);
    (void)pthread_mutex_lock(&engine->lock);
    while (i < CUDA_RESIDENT_MAX && engine->residents[i].bytes != NULL)
        i++;
    if (i < CUDA_RESIDENT_MAX) {
        engine->residents[i] = *resident;
        engine->residents_end = (uint32_t)max_u64(engine->residents_end, i + 1);
    }
    (void)pthread_mutex_unlock(&engine->lock);
    if (i < CUDA_RESIDENT_MAX)
        return TRAWL_OK;
    resident_release(engine, resident);
    return TRAWL_FAIL(error, LIMIT, "more than %u texts are loaded", CUDA_RESIDENT_MAX);
}

/* Copies a resident to its device, and takes the sample. After a failure, nothing of it is left on
 * the device. */
static enum trawl_status bring(struct cuda_engine *engine, struct cuda_resident *resident,
                               struct trawl_error *error)
{
    struct cuda_worker *worker;
    enum trawl_status status;

    TRAWL_TRY(cuda_worker_lend(engine, resident->device_index, &worker, error));
    status = bring_resident(worker, resident, error);
    if (status != TRAWL_OK) {
        (void)worker->device->driver->stream_wait(worker->stream);
        cuda_memory_release(worker->device, &resident->memory);
        cuda_memory_release(worker->device, &resident->tail);
        drop_sample(resident);
    }
    /* the pinned memory through which a text of the host's is copied is large, so it does not stay
     */
    cuda_worker_return(worker, status == TRAWL_OK && resident->borrowed != 0);
    return status;
}

/* Loads [begin, begin + owned) of a text, and the overlap, onto one device. */
static enum trawl_status load_on(struct cuda_engine *engine, uint32_t index, const uint8_t *text,
                                 uint64_t text_count, uint64_t begin, uint64_t owned,
                                 struct trawl_error *error)
{
    uint64_t overlap = min_u64(cuda_limits_now().split_overlap, text_count - begin - owned);
    struct cuda_resident resident = {.bytes = text + begin,
                                     .count = owned + overlap,
                                     .owned = owned,
                                     .text = text,
                                     .text_count = text_count,
                                     .device_index = index};

    TRAWL_ASSERT(begin + owned + overlap <= text_count);
    TRAWL_TRY(bring(engine, &resident, error));
    return resident_keep(engine, &resident, error);
}

/* Loads a stripe onto device `index` or, if that fails or lacks memory, onto the next one that does
 * not. */
static enum trawl_status load_stripe(struct cuda_engine *engine, uint32_t index,
                                     const uint8_t *text, uint64_t text_count, uint64_t begin,
                                     uint64_t owned, struct trawl_error *error)
{
    enum trawl_status status = TRAWL_MEMORY;

    for (uint32_t i = 0;
         i < engine->device_count && (status == TRAWL_MEMORY || status == TRAWL_DEVICE); i++)
        status = load_on(engine, (index + i) % engine->device_count, text, text_count, begin, owned,
                         error);
    return status;
}

/* Splits a long text into stripes, and deals them out to the devices in turn. Stripes must not be
 * too long: a search that returns results in order searches neighbouring chunks at the same time,
 * which keeps all devices busy only if those are on different devices. Nor too short: each stripe
 * costs a launch. */
static enum trawl_status load_split(struct cuda_engine *engine, const uint8_t *bytes,
                                    uint64_t count, struct trawl_error *error)
{
    uint64_t devices = engine->device_count;
    uint64_t rounds =
        (count - 1) / saturating_multiply(cuda_limits_now().stripe_bytes, devices) + 1;
    uint64_t stripes = min_u64(rounds, max_u64(STRIPES_MAX / devices, 1)) * devices;
    uint64_t step = ((count - 1) / stripes / STRIPE_ALIGNMENT + 1) * STRIPE_ALIGNMENT;

    TRAWL_ASSERT(step > 0 && step <= UINT64_MAX / stripes && step * stripes >= count);
    for (uint64_t begin = 0, i = 0; begin < count; begin += step, i++)
        TRAWL_TRY(load_stripe(engine, (uint32_t)(i % devices), bytes, count, begin,
                              min_u64(step, count - begin), error));
    return TRAWL_OK;
}

static bool is_of_text(const struct cuda_resident *resident, const uint8_t *text,
                       uint64_t text_count)
{
    return resident->bytes != NULL && resident->text == text && resident->text_count == text_count;
}

/* Keeps what a borrowed text has made: the sample, and short memory for copies. */
static void leave_for_next_borrow(struct cuda_engine *engine, struct cuda_resident *resident)
{
    const uint64_t max = 2 * cuda_limits_now().tail_bytes + SCAN_PADDING_BYTES + 16;

    if ((resident->sample == NULL && resident->memory.bytes + resident->tail.bytes == 0) ||
        resident->memory.bytes > max || resident->tail.bytes > max) {
        resident_release(engine, resident);
        return;
    }
    resident_release(engine, &engine->left[CUDA_LEFT_MAX - 1]);
    memmove(engine->left + 1, engine->left, sizeof engine->left - sizeof engine->left[0]);
    engine->left[0] = *resident;
}

/* Takes over what the same part of a device's memory has left. */
static void take_what_was_left(struct cuda_engine *engine, struct cuda_resident *resident)
{
    for (uint32_t i = 0; i < CUDA_LEFT_MAX; i++) {
        struct cuda_resident *left = &engine->left[i];

        if (left->borrowed != resident->borrowed || left->count != resident->count ||
            left->device_index != resident->device_index || left->stays != resident->stays ||
            left->tail_at != resident->tail_at)
            continue;
        resident->memory = left->memory;
        resident->tail = left->tail;
        resident->sample = left->sample;
        resident->sample_uses = left->sample_uses + 1;
        if (resident->sample_uses >= SAMPLE_USES_MAX) {
            drop_sample(resident);
            resident->sample_uses = 0;
        }
        memset(left, 0, sizeof *left);
        return;
    }
}

static void unload(struct cuda_engine *engine, const uint8_t *bytes, uint64_t count)
{
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX; i++) {
        struct cuda_resident resident = {.bytes = NULL};

        (void)pthread_mutex_lock(&engine->lock);
        if (is_of_text(&engine->residents[i], bytes, count)) {
            resident = engine->residents[i];
            memset(&engine->residents[i], 0, sizeof engine->residents[i]);
        }
        while (engine->residents_end > 0 &&
               engine->residents[engine->residents_end - 1].bytes == NULL)
            engine->residents_end--;
        (void)pthread_mutex_unlock(&engine->lock);
        if (resident.borrowed != 0)
            leave_for_next_borrow(engine, &resident);
        else
            resident_release(engine, &resident);
    }
}

/* Loads a text. With several devices, a long text is loaded in stripes, or onto one device if it
 * has to be whole; any other text is loaded onto every device. If a long text cannot be loaded as
 * wanted, the other ways are tried. If device 0 has no memory for a whole text, the text is not
 * loaded. If another device has none, its workers copy the chunks that they search, as for any text
 * that is not loaded. It is no error if a device fails and another one has the text.
 */
static enum trawl_status load(struct cuda_engine *engine, const uint8_t *bytes, uint64_t count,
                              bool is_whole, struct trawl_error *error)
{
    enum trawl_status status;

    if (engine->device_count > 1 && count >= cuda_limits_now().split_bytes_min) {
        if (is_whole && load_stripe(engine, engine->wholes_loaded++ % engine->device_count, bytes,
                                    count, 0, count, error) == TRAWL_OK)
            return TRAWL_OK;
        if (load_split(engine, bytes, count, error) == TRAWL_OK)
            return TRAWL_OK;
        unload(engine, bytes, count);
    }
    status = load_on(engine, 0, bytes, count, 0, count, error);
    if (status != TRAWL_OK && status != TRAWL_DEVICE)
        return status;
    for (uint32_t index = 1; index < engine->device_count; index++)
        if (load_on(engine, index, bytes, count, 0, count, NULL) == TRAWL_OK)
            status = TRAWL_OK;
    return status;
}

/* ---- Texts that the caller has put on a device ---------------------------------------------- */

/* Finds the device whose memory contains the address. Returns ARGUMENT if no device's memory does,
 * or if the engine does not use that device. Some device's context must be current. */
static enum trawl_status find_device(const struct cuda_engine *engine, uint64_t address,
                                     uint32_t *index, struct trawl_error *error)
{
    const struct cuda_driver *driver = &engine->driver;
    unsigned type = 0;
    int ordinal = -1;
    int code = driver->pointer_attribute(&type, CUDA_POINTER_MEMORY_TYPE, address);

    if (code == CUDA_CODE_INVALID_VALUE || (code == CUDA_CODE_OK && type != CUDA_MEMORY_OF_DEVICE))
        return TRAWL_FAIL(error, ARGUMENT, "0x%" PRIx64 " is not the address of a device's memory",
                          address);
    TRAWL_TRY(cuda_check(driver, code, cuda_symbols.pointer_attribute, NULL, error));
    code = driver->pointer_attribute(&ordinal, CUDA_POINTER_DEVICE, address);
    TRAWL_TRY(cuda_check(driver, code, cuda_symbols.pointer_attribute, NULL, error));
    if (ordinal < 0 || (uint32_t)ordinal >= engine->device_count)
        return TRAWL_FAIL(error, ARGUMENT, "0x%" PRIx64 " lies on device %d, which is not searched",
                          address, ordinal);
    *index = (uint32_t)ordinal;
    return TRAWL_OK;
}

/* Asks the first device that can be opened. */
enum trawl_status cuda_find_memory(struct cuda_engine *engine, struct engine_text *memory,
                                   struct trawl_error *error)
{
    enum trawl_status status = TRAWL_DEVICE;

    for (uint32_t i = 0; i < engine->device_count && status == TRAWL_DEVICE; i++) {
        (void)pthread_mutex_lock(&engine->lock);
        status = cuda_engine_want(engine, i, NULL);
        (void)pthread_mutex_unlock(&engine->lock);
        if (status != TRAWL_OK || cuda_device_enter(&engine->devices[i], NULL) != TRAWL_OK) {
            status = TRAWL_DEVICE;
            continue;
        }
        status = find_device(engine, (uint64_t)(uintptr_t)memory->bytes, &memory->device, error);
        cuda_device_leave(&engine->devices[i]);
    }
    return status == TRAWL_DEVICE ? TRAWL_FAIL(error, DEVICE, "no device answers") : status;
}

/* Decides how a borrowed text is searched. If its allocation contains all bytes around the text
 * that kernels load: in place. If bytes are missing after a long text: in place, except for the
 * last starts, for which its end is copied. Otherwise: in a copy. */
static void choose_in_place(const struct cuda_driver *driver, struct cuda_resident *resident)
{
    const uint64_t address = resident->borrowed, tail = cuda_limits_now().tail_bytes;
    uint64_t begin = 0, end = saturating_add(address, resident->count);
    size_t bytes = 0;

    if (driver->pointer_attribute(&begin, CUDA_POINTER_RANGE_BEGIN, address) != CUDA_CODE_OK ||
        driver->pointer_attribute(&bytes, CUDA_POINTER_RANGE_BYTES, address) != CUDA_CODE_OK ||
        begin > address - address % CUDA_BORROWED_ALIGNMENT)
        return;
    resident->stays = saturating_add(end, SCAN_AROUND_BYTES) <= saturating_add(begin, bytes);
    if (resident->stays || resident->count < 2 * tail)
        return;
    resident->stays = true;
    resident->tail_at = resident->count - tail;
}

static enum trawl_status borrow(struct cuda_engine *engine, const uint8_t *bytes, uint64_t count,
                                uint64_t address, struct trawl_error *error)
{
    struct cuda_resident resident = {.bytes = bytes,
                                     .count = count,
                                     .owned = count,
                                     .text = bytes,
                                     .text_count = count,
                                     .borrowed = address};
    enum trawl_status status;

    TRAWL_TRY(cuda_device_enter(&engine->devices[0], error));
    status = find_device(engine, address, &resident.device_index, error);
    if (status == TRAWL_OK)
        choose_in_place(&engine->driver, &resident);
    if (status == TRAWL_OK)
        take_what_was_left(engine, &resident);
    cuda_device_leave(&engine->devices[0]);
    if (status == TRAWL_OK &&
        !(resident.stays && resident.tail_at == 0 &&
          (resident.sample != NULL || count < cuda_limits_now().seen_bytes_min)))
        status = bring(engine, &resident, error);
    return status != TRAWL_OK ? status : resident_keep(engine, &resident, error);
}

/* ---- Owners of loaded texts --------------------------------------------------------------- */

/* Returns the entry of engine->holders for this owner (with `any`: for any owner) and exactly these
 * bytes; NULL if there is none. If `text` is NULL, returns a free entry. The caller holds the load
 * lock. */
static struct cuda_holder *find_holder(struct cuda_engine *engine, const void *owner, bool any,
                                       const uint8_t *text, uint64_t text_count)
{
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX; i++) {
        struct cuda_holder *holder = &engine->holders[i];

        if (holder->text == text && holder->text_count == text_count &&
            (any || holder->owner == owner))
            return holder;
    }
    return NULL;
}

static enum trawl_status hold(struct cuda_engine *engine, const struct engine_text *text,
                              struct trawl_error *error)
{
    const uint8_t *bytes = text->bytes;
    uint64_t count = text->bytes_count;
    struct cuda_holder *holder = find_holder(engine, text->owner, false, bytes, count), *other;
    enum trawl_status status = TRAWL_OK;
    bool is_loaded = find_holder(engine, NULL, true, bytes, count) != NULL;

    if (holder == NULL)
        holder = find_holder(engine, NULL, true, NULL, 0);
    if (holder == NULL)
        return TRAWL_FAIL(error, LIMIT, "more than %u texts are loaded", CUDA_RESIDENT_MAX);
    *holder = (struct cuda_holder){text->owner, bytes, count};
    if (is_loaded && text->how == ENGINE_HOLD_ANEW) {
        unload(engine, bytes, count);
        is_loaded = false;
    }
    if (!is_loaded)
        status = text->how == ENGINE_HOLD_BORROWED
                     ? borrow(engine, bytes, count, text->address, error)
                     : load(engine, bytes, count, text->is_whole, error);
    while (status != TRAWL_OK && (other = find_holder(engine, NULL, true, bytes, count)) != NULL)
        *other = (struct cuda_holder){NULL, NULL, 0};
    return status;
}

/* Records an owner of a text in engine->holders. Loads the text if it has no other owner, or if
 * text->how is ENGINE_HOLD_ANEW. An empty text is not recorded. If loading fails, all owners of the
 * text are forgotten. */
enum trawl_status cuda_residents_hold(struct cuda_engine *engine, const struct engine_text *text,
                                      struct trawl_error *error)
{
    enum trawl_status status = TRAWL_OK;

    (void)pthread_mutex_lock(&engine->load_lock);
    if (text->bytes_count > 0)
        status = hold(engine, text, error);
    (void)pthread_mutex_unlock(&engine->load_lock);
    return status;
}

void cuda_residents_drop(struct cuda_engine *engine, const struct engine_text *text)
{
    struct cuda_holder *holder;

    if (text->bytes_count == 0)
        return;
    (void)pthread_mutex_lock(&engine->load_lock);
    holder = find_holder(engine, text->owner, false, text->bytes, text->bytes_count);
    if (holder != NULL) {
        *holder = (struct cuda_holder){NULL, NULL, 0};
        if (find_holder(engine, NULL, true, text->bytes, text->bytes_count) == NULL)
            unload(engine, text->bytes, text->bytes_count);
    }
    (void)pthread_mutex_unlock(&engine->load_lock);
}

void cuda_residents_end(struct cuda_engine *engine)
{
    for (uint32_t i = 0; i < CUDA_RESIDENT_MAX; i++)
        if (engine->holders[i].text != NULL)
            unload(engine, engine->holders[i].text, engine->holders[i].text_count);
    for (uint32_t i = 0; i < CUDA_LEFT_MAX; i++)
        resident_release(engine, &engine->left[i]);
}

/* ---- Texts that the host fetches ----------------------------------------------------------- */

static enum trawl_status fetch(struct cuda_engine *engine, const struct cuda_resident *resident,
                               uint8_t *bytes, struct trawl_error *error)
{
    struct cuda_worker *worker;
    enum trawl_status status;

    TRAWL_ASSERT(resident->borrowed != 0);
    TRAWL_TRY(cuda_worker_lend(engine, resident->device_index, &worker, error));
    status = CUDA_CALL(worker->device, error, copy_to_host, bytes, resident->borrowed,
                       (size_t)resident->count, worker->stream);
    if (status == TRAWL_OK)
        status = CUDA_CALL(worker->device, error, stream_wait, worker->stream);
    cuda_worker_return(worker, status == TRAWL_OK);
    return status;
}

enum trawl_status cuda_residents_fetch(struct cuda_engine *engine, uint8_t *bytes, uint64_t count,
                                       struct trawl_error *error)
{
    struct cuda_resident *kept, resident = {.bytes = NULL};

    (void)pthread_mutex_lock(&engine->lock);
    kept = cuda_residents_find_borrowed(engine, bytes);
    if (kept != NULL)
        resident = *kept;
    (void)pthread_mutex_unlock(&engine->lock);
    if (resident.bytes != bytes || resident.count != count)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "the text lies on a device and is not loaded: the host cannot read it");
    TRAWL_TRY(fetch(engine, &resident, bytes, error));
    (void)pthread_mutex_lock(&engine->lock);
    kept = cuda_residents_find_borrowed(engine, bytes);
    if (kept != NULL)
        kept->fetched = true;
    (void)pthread_mutex_unlock(&engine->lock);
    return TRAWL_OK;
}
