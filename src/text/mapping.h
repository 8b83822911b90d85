/* mapping: maps a regular file, whose bytes are then searched in the kernel's page cache.
 *
 * A mapping saves the copy of read(2): a core searches 27 to 31 GB/s in place, but only 10 GB/s
 * with the copy (AMD EPYC). A mapping costs page faults. If the page cache holds the file in large
 * folios, as after writing or reading in large blocks, a fault maps 2 MiB. If the page cache holds
 * single pages, a fault maps 64 KiB, and mapping saves little. text/cursor.c measures the faults.
 *
 * While a file is mapped, another process may truncate the file, or the disk may fail: touching
 * such a page raises SIGBUS. The program's signal handler calls mapping_repair, which puts zero
 * pages over the rest of the mapping and stores where. The worker that searched there then asks
 * mapping_is_whole, drops its results, and reads the bytes. So the search ends or fails as a search
 * without mappings does.
 */
#ifndef TRAWL_TEXT_MAPPING_H
#define TRAWL_TEXT_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct mapping_slot;

struct mapping {
    struct mapping_slot *slot; /* mapping_repair's record of this mapping; NULL: not mapped */
    uint8_t *base;             /* begin of the first mapped page */
    uint64_t base_bytes;       /* from base to the end of the page with the text's last byte */
    uint64_t front_bytes;      /* bytes of the first page that lie before the text */
    uint64_t bytes_count;      /* size of the text */
    uint64_t file_offset;      /* file offset of base[0] */
};

/* Maps the file's bytes [file_begin, file_begin + bytes_count). False: the mapping failed and is
 * empty, for lack of address space, of a file system that maps, or of a free slot. */
bool mapping_open(struct mapping *mapping, int descriptor, uint64_t file_begin,
                  uint64_t bytes_count);
/* Closes a mapping that is open. */
void mapping_close(struct mapping *mapping);

/* Returns the address of the text's byte `offset`. */
static inline const uint8_t *mapping_at(const struct mapping *mapping, uint64_t offset)
{
    return mapping->base + mapping->front_bytes + offset;
}

/* Returns whether the mapping has a page after the page with the text's byte end - 1. */
bool mapping_goes_on(const struct mapping *mapping, uint64_t end);
/* Returns whether the touched bytes before `end` were the file's bytes. Asked after the last touch,
 * if mapping_goes_on(mapping, end): a file that now ends inside the page of byte end - 1 reads as
 * zeros up to the page's end, and only touching the next page shows the file's new end. */
bool mapping_is_whole(const struct mapping *mapping, uint64_t end);
/* Returns whether mapping_repair has replaced a page of the mapping. */
bool mapping_was_repaired(const struct mapping *mapping);

/* Gives back the pages of the text's bytes [begin, end). Touching a page again costs a page fault,
 * and gives the same bytes. */
void mapping_drop(const struct mapping *mapping, uint64_t begin, uint64_t end);

/* Returns the page faults of the calling thread so far; a fault that waits for a disk counts as
 * 1000 faults. */
uint64_t mapping_faults(void);

/* Replaces the pages from `address` to the end of the mapping that contains `address` by zeros.
 * False: no mapping of trawl contains `address`. A signal handler may call this function. */
bool mapping_repair(const void *address);

#endif
