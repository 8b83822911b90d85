/* device_records: rabin-karp-matrix on a device.
 *
 * The records are searched packing by packing. A *packing* is as many records as fit into the
 * device's memory. Each record is one part of it, or, if it is long, several parts that overlap:
 *
 *   words   part 0 NULs | part 1 NULs | ...                   worker->text, which kernels read
 *   parts   {first word, bytes} of each part                  part_memory; owners[]: its record
 *   flags   one per part | with -pairs one per part and key   part_memory, after the parts
 *
 * A *key* is a length and a hash that one or more literals share. Each launch compares each
 * window's hash with a *batch* of up to RECORDS_HASHES_MAX keys; the keys of one length in a batch
 * are a *group*.
 *
 * The sample's patterns have one length, as do its records, and there are fewer than 4,096
 * patterns; here the device makes a pass for each length and a launch for every 4,095 hashes, and
 * several threads search a long record in overlapping parts of 64 KiB or more. Patterns may be up
 * to 1 GiB long; records and patterns must fit in device memory. strstr needs a record that ends
 * in a NUL, and a pattern without NUL; other cases use memmem. In --stats, candidates are the
 * flagged records, and copying includes packing.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "gallery/device_rows.h"
#include "gallery/kernels/gallery_records.h"

#define PARTS_MAX (1u << 18) /* maximum number of parts in a packing */
#define PADDING_BYTES 4ull   /* fewest NULs after a part */
#define PART_BYTES_MIN 8u    /* fewest characters in a part, NULs included */
#define FLAG_BYTES sizeof(uint32_t)
/* If the device lacks memory, a packing is halved, but never to less than this; then the search
 * fails with MEMORY. */
#define WORDS_BYTES_MIN (64u << 10)
/* Maximum number of characters in a packing: the index of a part's first word has 32 bits, and with
 * -wide, each character is a word. */
#define WORDS_BYTES_MAX (1ull << 32)
#define UNPACKED_STEP 256u

/* A length and a hash that one or more literals share. */
struct key {
    uint64_t bytes;
    uint32_t hash;
    uint32_t literal; /* one of these literals */
};

/* The keys of a launch. Those of batch b begin with number RECORDS_HASHES_MAX * b. */
struct batch {
    uint32_t group_begin;
    uint32_t group_count;
};

struct gallery_records {
    struct cuda_function *function;
    uint64_t constant; /* device address of the array gallery_constant */

    /* Of the plan: */
    bool ready;
    uint32_t capacity; /* entries of each of the five tables below */
    uint32_t key_count;
    uint32_t batch_count;
    struct key *keys;
    uint32_t *hashes;
    uint32_t *hash_of; /* each literal's key */
    struct records_group *groups;
    struct batch *batches;
    struct cuda_memory group_memory;
    struct cuda_memory hash_memory; /* option `global`: a batch's hashes */
    bool hashes_sent;               /* there is one batch, and the device has its hashes */

    /* Of the packing: */
    uint32_t parts_max;
    uint32_t part_count;
    struct cuda_memory part_memory;       /* parts, then flags */
    const uint8_t *flags;                 /* where the last gallery_device_flag put its flags */
    struct records_part parts[PARTS_MAX]; /* large, so not zeroed */
    uint64_t owners[PARTS_MAX];           /* for each part, the index of its record */
};

static uint32_t character_bytes(const struct gallery_device *gallery)
{
    return gallery->choice.algorithm == GALLERY_RABIN_KARP_MATRIX_WIDE ? 4 : 1;
}

/* Returns the bytes of a part's flags: one flag, and with -pairs one more for each key. */
static uint64_t flags_bytes(const struct gallery_device *gallery)
{
    bool pairs = gallery->choice.algorithm == GALLERY_RABIN_KARP_MATRIX_PAIRS;

    return FLAG_BYTES * (1 + (pairs ? (uint64_t)gallery->records->key_count : 0));
}

/* ---- The plan's tables -------------------------------------------------------------------- */

/* Bytes of one entry in each of the five tables. */
#define TABLES_BYTES                                                            \
    (sizeof(struct key) + sizeof(struct records_group) + sizeof(struct batch) + \
     2 * sizeof(uint32_t))

static void release_tables(struct gallery_records *own)
{
    memory_release(own->keys, own->capacity, TABLES_BYTES);
    own->keys = NULL;
    own->capacity = 0;
}

static enum trawl_status reserve_tables(struct gallery_records *own, uint32_t literals,
                                        struct trawl_error *error)
{
    /* a group that does not fit into the rest of a batch is split, which makes one more group */
    uint64_t capacity = literals + literals / (uint64_t)RECORDS_HASHES_MAX + 1;
    void *memory;

    if (capacity <= own->capacity)
        return TRAWL_OK;
    if (capacity > UINT32_MAX)
        return TRAWL_FAIL(error, LIMIT, "%" PRIu32 " patterns are too many for a device", literals);
    release_tables(own);
    TRAWL_TRY(memory_allocate(capacity, TABLES_BYTES, &memory, error));
    own->capacity = (uint32_t)capacity;
    own->keys = (struct key *)memory;
    own->groups = (struct records_group *)(own->keys + capacity);
    own->batches = (struct batch *)(own->groups + capacity);
    own->hashes = (uint32_t *)(own->batches + capacity);
    own->hash_of = own->hashes + capacity;
    return TRAWL_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *first = (const struct key *)a, *second = (const struct key *)b;

    if (first->bytes != second->bytes)
        return first->bytes < second->bytes ? -1 : 1;
    return (first->hash > second->hash) - (first->hash < second->hash);
}

/* Makes the keys, sorted by length and then by hash, without duplicates. */
static void make_keys(struct gallery_records *own, const struct trawl_plan *plan, bool published)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < plan->literal_count; i++) {
        const uint8_t *bytes = plan_literal_bytes(plan, i);
        struct key *key = &own->keys[i];

        *key = (struct key){plan_literal_at(plan, i).bytes_count, 0, i};
        for (uint64_t j = 0; j < key->bytes; j++)
            key->hash = RECORDS_PUSH(key->hash, bytes[j], published);
    }
    qsort(own->keys, plan->literal_count, sizeof *own->keys, compare_keys);
    for (uint32_t i = 0; i < plan->literal_count; i++) {
        if (i == 0 || compare_keys(&own->keys[i], &own->keys[kept - 1]) != 0)
            own->keys[kept++] = own->keys[i];
        own->hash_of[own->keys[i].literal] = kept - 1;
    }
    for (uint32_t i = 0; i < kept; i++)
        own->hashes[i] = own->keys[i].hash;
    own->key_count = kept;
}

static uint32_t base_power(uint64_t exponent, bool published)
{
    uint64_t power = 1, square = RECORDS_BASE(published);
    uint64_t modulus = published ? RECORDS_MODULUS : 1ull << 32;

    for (; exponent > 0; exponent /= 2, square = square * square % modulus)
        if (exponent % 2 != 0)
            power = power * square % modulus;
    return (uint32_t)power;
}

static void make_batches(struct gallery_records *own, bool published)
{
    uint32_t groups = 0;

    own->batch_count = 0;
    for (uint32_t begin = 0; begin < own->key_count; begin += RECORDS_HASHES_MAX) {
        uint32_t end = (uint32_t)min_u64((uint64_t)begin + RECORDS_HASHES_MAX, own->key_count);
        struct batch *batch = &own->batches[own->batch_count++];

        batch->group_begin = groups;
        for (uint32_t i = begin; i < end; i++) {
            uint64_t bytes = own->keys[i].bytes;

            if (i == begin || bytes != own->keys[i - 1].bytes)
                own->groups[groups++] = (struct records_group){
                    (uint32_t)bytes, base_power(bytes - 1, published), i - begin, 0};
            own->groups[groups - 1].count++;
        }
        batch->group_count = groups - batch->group_begin;
        if (end == own->key_count)
            break;
    }
}

static enum trawl_status build_tables(struct gallery_device *gallery, struct trawl_error *error)
{
    struct gallery_records *own = gallery->records;
    bool published = gallery->choice.algorithm == GALLERY_RABIN_KARP_MATRIX_AMP;
    const struct batch *last;
    uint64_t bytes;

    TRAWL_TRY(reserve_tables(own, gallery->plan->literal_count, error));
    make_keys(own, gallery->plan, published);
    make_batches(own, published);
    last = &own->batches[own->batch_count - 1];
    bytes = (uint64_t)(last->group_begin + last->group_count) * sizeof *own->groups;
    TRAWL_TRY(cuda_memory_reserve(gallery->worker->device, &own->group_memory,
                                  cuda_worker_room(gallery->worker, bytes), error));
    TRAWL_TRY(
        cuda_worker_upload(gallery->worker, own->group_memory.address, own->groups, bytes, error));
    own->hashes_sent = false;
    own->ready = true;
    return TRAWL_OK;
}

/* ---- Opening ------------------------------------------------------------------------------ */

static enum trawl_status find_kernel(struct gallery_device *gallery, struct trawl_error *error)
{
    struct cuda_device *device = gallery->worker->device;
    struct gallery_records *own = gallery->records;
    struct cuda_module *module = NULL;
    size_t bytes = 0;

    TRAWL_TRY(gallery_device_module(gallery, false, &module, error));
    TRAWL_TRY(CUDA_CALL(device, error, module_function, &own->function, module,
                        gallery->choice.global ? "gallery_records_global"
                                               : gallery_row_for(gallery, 0)->kernel));
    TRAWL_TRY(CUDA_CALL(device, error, module_global, &own->constant, &bytes, module,
                        "gallery_constant"));
    if (gallery->begin == NULL)
        TRAWL_TRY(CUDA_CALL(device, error, event_create, &gallery->begin, 0));
    if (gallery->end == NULL)
        TRAWL_TRY(CUDA_CALL(device, error, event_create, &gallery->end, 0));
    return TRAWL_OK;
}

enum trawl_status gallery_records_begin(struct gallery_device *gallery, struct trawl_error *error)
{
    const struct trawl_plan *plan = gallery->plan;

    for (uint32_t i = 0; i < plan->literal_count; i++)
        if (plan_literal_at(plan, i).bytes_count > SCAN_PATTERN_BYTES_MAX)
            return TRAWL_FAIL(
                error, UNSUPPORTED,
                "pattern %" PRIu32 " of %" PRIu64 " bytes is too long for the CUDA engine",
                plan_literal_at(plan, i).pattern, plan_literal_at(plan, i).bytes_count);
    if (gallery->records == NULL) {
        TRAWL_TRY(MEMORY_NEW(gallery->records, 1, error));
        memset(gallery->records, 0, offsetof(struct gallery_records, parts));
    }
    gallery->records->ready = false;
    return TRAWL_OK;
}

void gallery_records_end(struct gallery_device *gallery)
{
    struct gallery_records *own = gallery->records;

    if (own == NULL)
        return;
    cuda_memory_release(gallery->worker->device, &own->group_memory);
    cuda_memory_release(gallery->worker->device, &own->hash_memory);
    cuda_memory_release(gallery->worker->device, &own->part_memory);
}

void gallery_records_free(struct gallery_device *gallery)
{
    if (gallery->records == NULL)
        return;
    release_tables(gallery->records);
    memory_release(gallery->records, 1, sizeof *gallery->records);
    gallery->records = NULL;
}

/* ---- Packing records and copying the packing to the device --------------------------------- */

struct packing {
    struct gallery_device *gallery;
    const struct gallery_tape *records;
    uint64_t record; /* the next record to pack */
    uint64_t offset; /* where in this record the next part begins; parts overlap */
    uint64_t bytes_max;
    uint64_t packed; /* characters in this packing so far */
    uint64_t sent;   /* bytes copied to the device, or on the way */
    uint64_t held;   /* bytes in the staging buffer */
    uint32_t turn;
};

static enum trawl_status flush(struct packing *packing, struct trawl_error *error)
{
    struct gallery_device *gallery = packing->gallery;

    if (packing->held == 0)
        return TRAWL_OK;
    TRAWL_TRY(CUDA_CALL(gallery->worker->device, error, copy_to_device,
                        gallery->worker->text.address + packing->sent,
                        gallery->worker->staging[packing->turn].bytes, (size_t)packing->held,
                        gallery->worker->stream));
    TRAWL_TRY(CUDA_CALL(gallery->worker->device, error, event_record,
                        gallery->worker->staged[packing->turn], gallery->worker->stream));
    packing->sent += packing->held;
    packing->held = 0;
    packing->turn ^= 1;
    return TRAWL_OK;
}

/* Puts `count` bytes (folded if the plan ignores case), or NULs if bytes is NULL, into the staging
 * buffer, and sends the buffer to the device each time it is full. */
static enum trawl_status packing_put(struct packing *packing, const uint8_t *bytes, uint64_t count,
                                     struct trawl_error *error)
{
    struct gallery_device *gallery = packing->gallery;
    bool fold = (gallery->plan->flags & TRAWL_IGNORE_CASE) != 0;

    while (count > 0) {
        struct cuda_pinned *staging = &gallery->worker->staging[packing->turn];
        uint64_t part;
        uint8_t *to;

        if (packing->held == 0) {
            TRAWL_TRY(CUDA_CALL(gallery->worker->device, error, event_wait,
                                gallery->worker->staged[packing->turn]));
            TRAWL_TRY(
                cuda_pinned_reserve(gallery->worker->device, staging,
                                    min_u64(gallery->worker->limits.staging_bytes,
                                            cuda_worker_room(gallery->worker, packing->bytes_max)),
                                    0, error));
        }
        part = min_u64(staging->count - packing->held, count);
        to = staging->bytes + packing->held;
        if (bytes == NULL)
            memset(to, 0, (size_t)part);
        else if (!fold)
            memcpy(to, bytes, (size_t)part);
        else
            for (uint64_t i = 0; i < part; i++)
                to[i] = fold_byte(bytes[i]);
        bytes = bytes == NULL ? NULL : bytes + part;
        count -= part;
        packing->held += part;
        if (packing->held == staging->count)
            TRAWL_TRY(flush(packing, error));
    }
    return TRAWL_OK;
}

/* Puts `count` characters, or NULs if characters is NULL, into the packing. */
static enum trawl_status put_characters(struct packing *packing, const uint8_t *characters,
                                        uint64_t count, struct trawl_error *error)
{
    uint32_t unpacked[UNPACKED_STEP];

    packing->packed += count;
    if (character_bytes(packing->gallery) == 1)
        return packing_put(packing, characters, count, error);
    for (uint64_t at = 0; at < count; at += UNPACKED_STEP) {
        uint64_t step = min_u64(count - at, UNPACKED_STEP);

        for (uint64_t i = 0; i < step; i++)
            unpacked[i] = characters == NULL ? 0 : characters[at + i];
        TRAWL_TRY(packing_put(packing, (const uint8_t *)unpacked, step * sizeof *unpacked, error));
    }
    return TRAWL_OK;
}

/* Returns how many bytes of the next record go into the next part; 0 if the packing is full. */
static uint64_t next_part(struct packing *packing, uint64_t longest)
{
    const uint64_t *offsets = packing->records->offsets;
    uint64_t rest = offsets[packing->record + 1] - offsets[packing->record] - packing->offset;
    uint64_t count = min_u64(rest, max_u64(packing->gallery->limits.record_bytes, 2 * longest));
    uint64_t room = packing->bytes_max - packing->packed;

    if (packing->packed == 0)
        count =
            min_u64(count, room - PADDING_BYTES); /* reserve_packing made room for any pattern */
    return count + PADDING_BYTES > room ? 0 : count;
}

/* Packs records until the packing is full or no record is left. Records shorter than every pattern
 * are skipped. */
static enum trawl_status fill_packing(struct packing *packing, struct trawl_error *error)
{
    struct gallery_records *own = packing->gallery->records;
    const uint64_t *offsets = packing->records->offsets;
    uint64_t shortest = own->keys[0].bytes, longest = own->keys[own->key_count - 1].bytes;

    own->part_count = 0;
    packing->packed = packing->sent = 0;
    while (packing->record < packing->records->record_count && own->part_count < own->parts_max) {
        uint64_t begin = offsets[packing->record] + packing->offset;
        uint64_t rest = offsets[packing->record + 1] - begin, count = rest;

        if (rest >= shortest) {
            count = next_part(packing, longest);
            if (count == 0)
                break;
            own->parts[own->part_count] = (struct records_part){
                (uint32_t)(packing->packed * character_bytes(packing->gallery) / 4),
                (uint32_t)count};
            own->owners[own->part_count++] = packing->record;
            TRAWL_TRY(put_characters(packing, packing->records->bytes + begin, count, error));
            TRAWL_TRY(put_characters(packing, NULL, PADDING_BYTES + (4 - count % 4) % 4, error));
        }
        if (count == rest) {
            packing->record++;
            packing->offset = 0;
        } else {
            packing->offset += count - (longest - 1);
        }
    }
    return flush(packing, error);
}

/* Reserves device memory for a packing of `bytes` characters, and for its parts and flags. */
static enum trawl_status reserve_both(struct packing *packing, uint64_t bytes,
                                      struct trawl_error *error)
{
    struct gallery_device *gallery = packing->gallery;
    struct gallery_records *own = gallery->records;

    packing->bytes_max = bytes;
    own->parts_max = (uint32_t)min_u64(bytes / PART_BYTES_MIN, PARTS_MAX);
    TRAWL_TRY(cuda_memory_reserve(
        gallery->worker->device, &gallery->worker->text,
        cuda_worker_room(gallery->worker, bytes * character_bytes(gallery)), error));
    return cuda_memory_reserve(
        gallery->worker->device, &own->part_memory,
        cuda_worker_room(gallery->worker,
                         own->parts_max * (sizeof *own->parts + flags_bytes(gallery))),
        error);
}

/* Reserves device memory for a packing of all records, or of as many as limits and memory allow. */
static enum trawl_status reserve_packing(struct packing *packing, struct trawl_error *error)
{
    struct gallery_device *gallery = packing->gallery;
    struct gallery_records *own = gallery->records;
    const struct gallery_tape *records = packing->records;
    uint64_t tape = records->offsets[records->record_count] - records->offsets[0];
    uint64_t min = own->keys[own->key_count - 1].bytes + 2 * PADDING_BYTES;
    uint64_t wanted =
        saturating_add(tape, saturating_multiply(records->record_count, 2 * PADDING_BYTES));

    min = max_u64(min, PART_BYTES_MIN);
    for (;;) {
        uint64_t bytes = min_u64(wanted, gallery->worker->limits.text_bytes_max);
        enum trawl_status status;

        bytes = min_u64(max_u64(bytes, min), WORDS_BYTES_MAX) / 4 * 4;
        status = reserve_both(packing, bytes, error);
        if (status != TRAWL_MEMORY || bytes / 2 < max_u64(min, WORDS_BYTES_MIN))
            return status;
        cuda_memory_release(gallery->worker->device, &gallery->worker->text);
        cuda_memory_release(gallery->worker->device, &own->part_memory);
        gallery->worker->limits.text_bytes_max = bytes / 2;
    }
}

/* ---- Launches ------------------------------------------------------------------------------- */

/* Copies a batch's hashes to the memory from which the kernel reads them. */
static enum trawl_status send_hashes(struct gallery_device *gallery, uint32_t first,
                                     struct records_arguments *arguments, struct trawl_error *error)
{
    struct gallery_records *own = gallery->records;
    uint64_t bytes = min_u64(own->key_count - first, RECORDS_HASHES_MAX) * sizeof *own->hashes;
    uint64_t address = own->constant;

    if (gallery->choice.global) {
        TRAWL_TRY(cuda_memory_reserve(gallery->worker->device, &own->hash_memory,
                                      RECORDS_HASHES_MAX * sizeof *own->hashes, error));
        address = own->hash_memory.address;
        arguments->hashes = (const uint32_t *)(uintptr_t)address;
    }
    if (!own->hashes_sent)
        TRAWL_TRY(cuda_worker_upload(gallery->worker, address, own->hashes + first, bytes, error));
    own->hashes_sent = own->batch_count == 1;
    return TRAWL_OK;
}

static enum trawl_status launch_batch(struct gallery_device *gallery, uint32_t index,
                                      struct records_arguments *arguments,
                                      struct trawl_error *error)
{
    struct gallery_records *own = gallery->records;
    const struct batch *batch = &own->batches[index];
    uint32_t first = index * RECORDS_HASHES_MAX;
    uint32_t threads = gallery->worker->limits.threads;
    uint32_t blocks = (own->part_count + threads - 1) / threads;
    void *parameters[] = {arguments};

    TRAWL_TRY(send_hashes(gallery, first, arguments, error));
    arguments->groups =
        (const struct records_group *)(uintptr_t)own->group_memory.address + batch->group_begin;
    arguments->group_count = batch->group_count;
    arguments->hash_first = first;
    return CUDA_CALL(gallery->worker->device, error, launch, own->function, blocks, 1, 1, threads,
                     1, 1, 0, gallery->worker->stream, parameters, NULL);
}

static enum trawl_status launch_all(struct gallery_device *gallery, struct engine_result *result,
                                    struct trawl_error *error)
{
    const struct cuda_device *device = gallery->worker->device;
    struct gallery_records *own = gallery->records;
    struct records_arguments arguments = {
        .words = (const uint32_t *)(uintptr_t)gallery->worker->text.address,
        .parts = (const struct records_part *)(uintptr_t)own->part_memory.address,
        .flags = (uint32_t *)(uintptr_t)(own->part_memory.address +
                                         own->part_count * sizeof *own->parts),
        .part_count = own->part_count,
        .hash_count = own->key_count,
    };
    float milliseconds = 0;

    TRAWL_TRY(CUDA_CALL(device, error, event_record, gallery->begin, gallery->worker->stream));
    for (uint32_t i = 0; i < own->batch_count; i++)
        TRAWL_TRY(launch_batch(gallery, i, &arguments, error));
    TRAWL_TRY(CUDA_CALL(device, error, event_record, gallery->end, gallery->worker->stream));
    TRAWL_TRY(CUDA_CALL(device, error, event_wait, gallery->end));
    TRAWL_TRY(CUDA_CALL(device, error, event_elapsed, &milliseconds, gallery->begin, gallery->end));
    result->work.kernel_ns += (uint64_t)((double)milliseconds * 1e6);
    return TRAWL_OK;
}

/* Fills a packing, launches the kernels, and copies the flags back. Sets flags[i] to 1 if some
 * window of record i has a pattern's length and hash. */
static enum trawl_status run_packing(struct packing *packing, uint8_t *flags,
                                     struct engine_result *result, struct trawl_error *error)
{
    struct gallery_device *gallery = packing->gallery;
    const struct cuda_device *device = gallery->worker->device;
    struct gallery_records *own = gallery->records;
    uint64_t begin_ns = cuda_clock_ns(), part_bytes, flag_bytes, flags_at;
    const uint32_t *landed;

    TRAWL_TRY(fill_packing(packing, error));
    if (own->part_count == 0)
        return TRAWL_OK;
    part_bytes = own->part_count * sizeof *own->parts;
    flag_bytes = own->part_count * flags_bytes(gallery);
    flags_at = own->part_memory.address + part_bytes;
    TRAWL_TRY(cuda_worker_upload(gallery->worker, own->part_memory.address, own->parts, part_bytes,
                                 error));
    TRAWL_TRY(
        CUDA_CALL(device, error, fill, flags_at, 0, (size_t)flag_bytes, gallery->worker->stream));
    TRAWL_TRY(CUDA_CALL(device, error, stream_wait, gallery->worker->stream));
    result->work.copy_ns += cuda_clock_ns() - begin_ns;
    TRAWL_TRY(launch_all(gallery, result, error));
    begin_ns = cuda_clock_ns();
    TRAWL_TRY(cuda_pinned_reserve(device, &gallery->worker->landing,
                                  cuda_worker_room(gallery->worker, flag_bytes), 0, error));
    TRAWL_TRY(CUDA_CALL(device, error, copy_to_host, gallery->worker->landing.bytes, flags_at,
                        (size_t)flag_bytes, gallery->worker->stream));
    TRAWL_TRY(CUDA_CALL(device, error, stream_wait, gallery->worker->stream));
    begin_ns = cuda_clock_ns() - begin_ns;
    result->work.copy_ns += begin_ns;
    result->work.back_ns += begin_ns;
    landed = (const uint32_t *)(const void *)gallery->worker->landing.bytes;
    for (uint32_t i = 0; i < own->part_count; i++)
        if (landed[i] != 0)
            flags[own->owners[i]] = 1;
    return TRAWL_OK;
}

/* Sets the flags of all records, one packing after the other. The device's context is current. */
static enum trawl_status flag_records(struct gallery_device *gallery,
                                      const struct gallery_tape *records, uint8_t *flags,
                                      struct engine_result *result, struct trawl_error *error)
{
    struct packing packing = {.gallery = gallery, .records = records};

    if (!gallery->records->ready) {
        TRAWL_TRY(find_kernel(gallery, error));
        TRAWL_TRY(build_tables(gallery, error));
    }
    TRAWL_TRY(reserve_packing(&packing, error));
    while (packing.record < records->record_count)
        TRAWL_TRY(run_packing(&packing, flags, result, error));
    for (uint64_t i = 0; i < records->record_count; i++)
        result->candidate_count += flags[i];
    return TRAWL_OK;
}

enum trawl_status gallery_device_flag(struct gallery_device *gallery,
                                      const struct gallery_tape *records, uint8_t *flags,
                                      struct engine_result *result, struct trawl_error *error)
{
    uint64_t memory_ns = cuda_memory_ns();
    enum trawl_status status;

    memset(flags, 0, (size_t)records->record_count);
    if (gallery->plan->literal_count == 0)
        return TRAWL_OK;
    gallery->worker->held.bytes = NULL; /* the packing overwrites the worker's text memory */
    gallery->records->flags = flags;
    TRAWL_TRY(cuda_device_enter(gallery->worker->device, error));
    status = flag_records(gallery, records, flags, result, error);
    result->work.memory_ns += cuda_memory_ns() - memory_ns;
    if (status != TRAWL_OK) {
        /* wait for copies from the staging buffers, which are used again */
        (void)gallery->worker->device->driver->stream_wait(gallery->worker->stream);
        gallery->records->ready = false;
    }
    cuda_device_leave(gallery->worker->device);
    return status;
}

/* Only the last packing's flags are known: they are in the landing buffer. Two kinds of records
 * have no flags per key there: those of several parts, and the packing's first, which may be the
 * end of a record that began in the packing before. */
struct gallery_met gallery_device_met(const struct gallery_device *gallery, const uint8_t *flag)
{
    const struct gallery_records *own = gallery->records;
    uint64_t record = (uint64_t)(flag - own->flags);
    uint32_t low = 0, high = own->part_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (own->owners[middle] < record)
            low = middle + 1;
        else
            high = middle;
    }
    if (flags_bytes(gallery) == FLAG_BYTES || low == 0 || low == own->part_count ||
        own->owners[low] != record || (low + 1 < own->part_count && own->owners[low + 1] == record))
        return (struct gallery_met){NULL, NULL};
    return (struct gallery_met){(const uint32_t *)(const void *)gallery->worker->landing.bytes +
                                    own->part_count + (uint64_t)low * own->key_count,
                                own->hash_of};
}
