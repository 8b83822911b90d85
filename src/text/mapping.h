/* mapping: maps a regular file, so that a search can read the page cache in place
 *
 * A mapping saves the copy of read(2): a core searches 27 to 31 GB/s in place, but only 10 GB/s
 * with the copy (AMD EPYC). But a mapping costs page faults. If the file is in the page cache in
 * large folios, as after being written or read in large blocks, a fault maps 2 MiB. With single
 * pages, a fault maps 64 KiB, and mapping saves little.
 *
 * While a file is mapped, another process may truncate it, or the disk may fail. Touching a lost
 * page then raises SIGBUS, and the program's signal handler calls mapping_repair, which replaces
 * this and all later pages with zero pages and records the first of them. After searching a chunk,
 * a worker calls mapping_is_whole; if that returns false, it drops the results and reads the bytes.
 * So the search ends or fails like one without mappings. A text that was opened with TRAWL_TEXT_MAP
 * is not read again: trawl_text_tell reports the loss (is_cut).
 *
 * 270 MiB in the page cache, searched for an absent word by one thread, processor time: 0.0148 s
 * mapped in large folios, 0.0343 s read; with single pages 0.0678 s and 0.0686 s; not in the page
 * cache 0.0225 s and 0.056 s (EPYC, Linux 6.18, busy, 2026-11-30).
 *
 * A mapped file may change between search and output, so a chunk from which lines are printed is
 * first read and searched again; where that happens often, the next 2 MiB are read, or twice as
 * much each further time (runtime/schedule.c). If lines without a match are printed, no file is
 * mapped.
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
    uint64_t front_bytes; /* number of bytes in the first page before the text */
    uint64_t bytes_count; /* size of the text */
    uint64_t file_offset; /* file offset of base[0] */
};

/* Maps the file's bytes [file_begin, file_begin + bytes_count). Returns false and sets
 * mapping->slot to NULL if there is not enough address space, the process has too many mappings, or
 * the file system cannot map. */
bool mapping_open(struct mapping *mapping, int descriptor, uint64_t file_begin,
                  uint64_t bytes_count);
/* Unmaps the file. mapping_open must have succeeded. */
void mapping_close(struct mapping *mapping);

/* Returns the address of the text's byte `offset`. */
static inline const uint8_t *mapping_at(const struct mapping *mapping, uint64_t offset)
{
    return mapping->base + mapping->front_bytes + offset;
}

/* Returns true if the mapping has a page after the one that contains the text's byte `end` - 1. */
bool mapping_has_page_after(const struct mapping *mapping, uint64_t end);
/* Returns true if all bytes before `end` that a search has touched were the file's. Must be called
 * after the search, and only if mapping_has_page_after(mapping, end): a file truncated inside the
 * page of byte `end` - 1 reads as zeros up to that page's end, and only touching the next page
 * shows that. */
bool mapping_is_whole(const struct mapping *mapping, uint64_t end);
/* Returns true if mapping_repair has replaced some page of the mapping with zeros. */
bool mapping_was_repaired(const struct mapping *mapping);

/* Gives the pages of bytes [begin, end) back to the kernel. They can still be read, at the cost of
 * a page fault. */
void mapping_drop(const struct mapping *mapping, uint64_t begin, uint64_t end);

/* Replaces the pages from the one with `address` to the end of its mapping with zero pages. Returns
 * false if no mapping of trawl contains `address`, or if the system call fails. May be called in a
 * signal handler. */
bool mapping_repair(const void *address);

#endif
