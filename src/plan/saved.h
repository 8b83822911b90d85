/* saved: a plan as bytes: its patterns, its options and the caller's note. Loading checks them and
 * builds the plan anew.
 *
 *     struct plan_saved_header
 *     uint64_t ends[pattern_count]     where each pattern ends in the bytes; ascending
 *     struct trawl_range exact[exact_count]
 *     the patterns' bytes
 *     the note's bytes
 */
#ifndef TRAWL_PLAN_SAVED_H
#define TRAWL_PLAN_SAVED_H

#include "plan/plan.h"

/* Add one with any change of the form. Versions to 6 held tables, and a number of the byte order in
 * this place, which is no version. */
#define PLAN_SAVED_VERSION 8u

struct plan_saved_header {
    uint8_t magic[8];
    uint32_t version; /* numbers are in the machine's byte order: with another one this differs */
    uint32_t flags;
    uint8_t line_end;
    uint8_t line_end_also;
    uint8_t utf8_is_set;
    uint8_t method;         /* to ask for */
    uint8_t mismatches_max; /* these as in struct trawl_plan_options */
    uint8_t edits_max;
    uint8_t alphabet;
    uint8_t reserved;
    uint32_t exact_count;
    uint32_t pattern_count;
    uint64_t pattern_bytes; /* of all patterns together */
    uint64_t note_bytes;
    uint64_t body_checksum; /* of all that follows the header */
    uint64_t checksum;      /* of all before */
};

/* The plan and a note as bytes, which are the caller's: free with memory_release. UNSUPPORTED: a
 * plan of an algorithm or with an encoding. */
enum trawl_status plan_saved_make(const struct trawl_plan *plan,
                                  const struct trawl_plan_save_options *options, uint8_t **bytes,
                                  uint64_t *bytes_count, struct trawl_error *error);

/* The plan of such bytes, which are borrowed until return. Messages call them `name`. */
enum trawl_status plan_saved_load(const uint8_t *bytes, uint64_t bytes_count, const char *name,
                                  const struct trawl_plan_load_options *options,
                                  struct trawl_plan **plan, struct trawl_error *error);

#endif
