/* mapping: maps files, and repairs a mapping after a SIGBUS signal (mapping.h). */
#include "text/mapping.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/fault.h"
#include "base/status.h"

#define SLOTS 64u /* maximum number of mappings in the process at a time; other files are read */

/* What the signal handler knows about a mapping. `end` is 0 while the other members change. */
struct mapping_slot {
    _Atomic bool taken;
    _Atomic uintptr_t begin;
    _Atomic uintptr_t end;
    /* zero pages have replaced the mapping's pages at this address and after it; 0: none */
    _Atomic uintptr_t repaired;
};

static struct mapping_slot slots[SLOTS];
static _Atomic uintptr_t page_bytes; /* set before the first mapping */

static struct mapping_slot *slot_take(uintptr_t begin, uintptr_t end)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        bool expected = false;

        if (!atomic_compare_exchange_strong(&slots[i].taken, &expected, true))
            continue;
        atomic_store(&slots[i].repaired, 0);
        atomic_store(&slots[i].begin, begin);
        atomic_store(&slots[i].end, end);
        return &slots[i];
    }
    return NULL;
}

static void slot_give(struct mapping_slot *slot)
{
    atomic_store(&slot->end, 0);
    atomic_store(&slot->taken, false);
}

bool mapping_open(struct mapping *mapping, int descriptor, uint64_t file_begin,
                  uint64_t bytes_count)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), whole;
    void *base;

    TRAWL_ASSERT(bytes_count > 0);
    *mapping = (struct mapping){0};
    atomic_store(&page_bytes, (uintptr_t)page);
    mapping->front_bytes = file_begin % page;
    mapping->file_offset = file_begin - mapping->front_bytes;
    if (!checked_add(mapping->front_bytes + page - 1, bytes_count, &whole) || whole > SIZE_MAX / 2)
        return false;
    mapping->base_bytes = whole / page * page;
    mapping->bytes_count = bytes_count;
    if (fault_hit())
        return false;
    base = mmap(NULL, (size_t)mapping->base_bytes, PROT_READ, MAP_SHARED, descriptor,
                (off_t)mapping->file_offset);
    if (base == MAP_FAILED)
        return false;
    mapping->base = (uint8_t *)base;
    mapping->slot = slot_take((uintptr_t)base, (uintptr_t)base + (uintptr_t)mapping->base_bytes);
    if (mapping->slot == NULL)
        (void)munmap(base, (size_t)mapping->base_bytes);
    return mapping->slot != NULL;
}

void mapping_close(struct mapping *mapping)
{
    TRAWL_ASSERT(mapping->slot != NULL);
    slot_give(mapping->slot);
    (void)munmap(mapping->base, (size_t)mapping->base_bytes);
    *mapping = (struct mapping){0};
}

bool mapping_was_repaired(const struct mapping *mapping)
{
    TRAWL_ASSERT(mapping->slot != NULL);
    return atomic_load(&mapping->slot->repaired) != 0;
}

/* Returns the offset, from `base`, of the page after the one that contains the text's byte `end` -
 * 1. */
static uint64_t page_after(const struct mapping *mapping, uint64_t end)
{
    uint64_t page = atomic_load(&page_bytes);

    TRAWL_ASSERT(end <= mapping->bytes_count);
    return (mapping->front_bytes + end + page - 1) / page * page;
}

bool mapping_has_page_after(const struct mapping *mapping, uint64_t end)
{
    return end <= mapping->bytes_count &&
           page_after(mapping, end) < mapping->front_bytes + mapping->bytes_count;
}

bool mapping_is_whole(const struct mapping *mapping, uint64_t end)
{
    uint64_t next = page_after(mapping, end);
    uintptr_t repaired;

    TRAWL_ASSERT(mapping_has_page_after(mapping, end));
    (void)*(const volatile uint8_t *)(mapping->base + next);
    repaired = atomic_load(&mapping->slot->repaired);
    return repaired == 0 || repaired > (uintptr_t)mapping->base + next;
}

void mapping_drop(const struct mapping *mapping, uint64_t begin, uint64_t end)
{
    uint64_t page = atomic_load(&page_bytes);

    TRAWL_ASSERT(begin <= end && end <= mapping->bytes_count);
    begin = (mapping->front_bytes + begin) / page * page;
    end = (mapping->front_bytes + end) / page * page;
    if (begin < end)
        (void)madvise(mapping->base + begin, (size_t)(end - begin), MADV_DONTNEED);
}

/* Lowers slot->repaired to `page`. Must be called before the zero pages appear, so that any thread
 * that reads these zeros also sees the new value. */
static void set_repaired(struct mapping_slot *slot, uintptr_t page)
{
    uintptr_t before = atomic_load(&slot->repaired);

    while ((before == 0 || before > page) &&
           !atomic_compare_exchange_weak(&slot->repaired, &before, page))
        ;
}

bool mapping_repair(const void *address)
{
    uintptr_t at = (uintptr_t)address, page;
    int code = errno;
    bool good;

    for (uint32_t i = 0; i < SLOTS; i++) {
        uintptr_t begin = atomic_load(&slots[i].begin), end = atomic_load(&slots[i].end);

        if (at < begin || at >= end || begin != atomic_load(&slots[i].begin))
            continue;
        page = at / atomic_load(&page_bytes) * atomic_load(&page_bytes);
        set_repaired(&slots[i], page);
        good = mmap((void *)page, end - page, PROT_READ,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
        errno = code;
        return good;
    }
    return false;
}
