/* mapping: a regular file's bytes in place, in the kernel's page cache.
 *
 * A mapped file saves the copy that read(2) makes: a core reads memory at 27 to 31 GB/s in place,
 * and copies and searches 10 GB/s (AMD EPYC). It costs page faults instead. With large folios, as a
 * file has that was written or read in large blocks, one fault maps 2 MiB; with single pages one
 * fault maps 64 KiB, which saves little. text/cursor.c finds out what a file's faults cost.
 *
 * A file may be truncated while it is mapped, or its disk may fail: touching such a page raises
 * SIGBUS. mapping_repair, called by the program's handler, puts zero pages over the rest of the
 * mapping and notes where. The worker that searched there asks mapping_is_whole afterwards, drops
 * what it found, and reads the bytes: so the search ends or fails as if nothing had been mapped.
 */
#ifndef TRAWL_TEXT_MAPPING_H
#define TRAWL_TEXT_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct mapping_slot;

struct mapping {
    struct mapping_slot *slot; /* where mapping_repair finds it; NULL: nothing is mapped */
    uint8_t *base;             /* whole pages */
    uint64_t base_bytes;       /* to the end of the last page that holds a byte of the text */
    uint64_t front_bytes;      /* of the first page, before the text */
    uint64_t bytes_count;      /* of the text */
    uint64_t file_offset;      /* of base[0] */
};

/* Map the text's `bytes_count` bytes from file_begin on. False: it cannot be mapped now, and
 * `mapping` is empty: no address space, a file system without mappings, too many mappings. */
bool mapping_open(struct mapping *mapping, int descriptor, uint64_t file_begin,
                  uint64_t bytes_count);
/* One that is open. */
void mapping_close(struct mapping *mapping);

/* The text's byte at `offset`. */
static inline const uint8_t *mapping_at(const struct mapping *mapping, uint64_t offset)
{
    return mapping->base + mapping->front_bytes + offset;
}

/* Does a page with text come after the one with the text's byte end - 1? */
bool mapping_goes_on(const struct mapping *mapping, uint64_t end);
/* Are the text's bytes before `end` those of the file, as far as they were touched? To be asked
 * after the last touch, where mapping_goes_on: if the file now ends in the page of end - 1, the
 * rest of that page reads as zeros, and only the next page tells. */
bool mapping_is_whole(const struct mapping *mapping, uint64_t end);
/* Was any page of it repaired? */
bool mapping_was_repaired(const struct mapping *mapping);

/* Give back the pages of the text's bytes [begin, end). Touching them again is slow, not wrong. */
void mapping_drop(const struct mapping *mapping, uint64_t begin, uint64_t end);

/* Page faults of the calling thread so far; one that waits for a disk counts as many. */
uint64_t mapping_faults(void);

/* Does the address lie in a mapping of ours? Then put zeros there. Safe in a signal handler. */
bool mapping_repair(const void *address);

#endif
