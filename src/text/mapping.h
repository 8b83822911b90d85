/* mapping: maps a regular file, so that a search reads the page cache in place.
 *
 * A mapping saves the copy of read(2): a core searches 27 to 31 GB/s in place, but only 10 GB/s
 * with the copy (AMD EPYC). But a mapping costs page faults. If the page cache holds the file in
 * large folios, as after writing or reading in large blocks, a fault maps 2 MiB. With single pages,
 * a fault maps 64 KiB, and mapping saves little. text/cursor.c measures the faults.
 *
 * While a file is mapped, another process may truncate it, or the disk may fail. Touching a lost
 * page raises SIGBUS. The program's signal handler then calls mapping_repair, which puts zero pages
 * over the rest of the mapping and notes the first of them. After a search, a worker asks
 * mapping_is_whole; if it is not, the worker drops the results and reads the bytes. So the search
 * ends or fails as a search without mappings does. A text that was opened with TRAWL_TEXT_MAP is
 * not read again: there, trawl_text_tell tells the loss (is_cut).
 */
#ifndef TRAWL_TEXT_MAPPING_H
#define TRAWL_TEXT_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct mapping_slot;

struct mapping {
    /* record of this mapping for mapping_repair; NULL: nothing is mapped */
    struct mapping_slot *slot;
    uint8_t *base;        /* address of the first mapped page */
    uint64_t base_bytes;  /* length from `base` to the end of the page with the text's last byte */
    uint64_t front_bytes; /* number of bytes of the first page that come before the text */
    uint64_t bytes_count; /* size of the text */
    uint64_t file_offset; /* file offset of base[0] */
};

/* Maps the file's bytes [file_begin, file_begin + bytes_count). Returns false and sets
 * mapping->slot to NULL if address space is short, the process has too many mappings open, or the
 * file system cannot map. */
bool mapping_open(struct mapping *mapping, int descriptor, uint64_t file_begin,
                  uint64_t bytes_count);
/* Unmaps the file. Something must be mapped. */
void mapping_close(struct mapping *mapping);

/* Returns the address of the text's byte `offset`. */
static inline const uint8_t *mapping_at(const struct mapping *mapping, uint64_t offset)
{
    return mapping->base + mapping->front_bytes + offset;
}

/* Returns true if the mapping has a page after the page with the byte `end` - 1 of the text. */
bool mapping_goes_on(const struct mapping *mapping, uint64_t end);
/* Returns true if all bytes before `end` that a search has touched were the file's bytes. Must be
 * asked after the last touch, and only if mapping_goes_on(mapping, end): a file that now ends
 * inside the page of byte `end` - 1 reads as zeros up to the page's end, and only touching the next
 * page shows that. */
bool mapping_is_whole(const struct mapping *mapping, uint64_t end);
/* Returns true if mapping_repair has replaced some page of the mapping by zeros. */
bool mapping_was_repaired(const struct mapping *mapping);

/* Gives the pages of bytes [begin, end) back to the kernel. Touching one again costs a page fault,
 * and shows the same bytes. */
void mapping_drop(const struct mapping *mapping, uint64_t begin, uint64_t end);

/* Returns the number of page faults of the calling thread so far. A fault that waits for a disk
 * counts as 1000. */
uint64_t mapping_faults(void);

/* Puts zero pages over the mapping that contains `address`, from that address's page to the end.
 * Returns false if no mapping of trawl contains `address`, or if the system refuses. A signal
 * handler may call this function. */
bool mapping_repair(const void *address);

#endif
