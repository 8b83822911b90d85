/* image: a plan as bytes that can be saved and used in place.
 *
 *     header, with the table of sections      64-byte aligned, as every section is
 *     section, section, ...                   arrays as they are in memory
 *
 * The image holds the patterns, the set's tables, and what an engine adds. Loading makes anew what
 * is small, or as quick to make as to check: literals, the one-pattern methods' tables. Each
 * section has a checksum, and so has the header with the table. The maker of a file may know that,
 * so everything that a search uses as an index is checked as well.
 */
#ifndef TRAWL_PLAN_IMAGE_H
#define TRAWL_PLAN_IMAGE_H

#include "plan/plan.h"

/* Add one with any change of what a section holds: structs, hashes, sizes of tables. The test
 * unit_saved fails where that is forgotten. */
#define PLAN_IMAGE_VERSION 6u
#define PLAN_IMAGE_ALIGNMENT 64u
#define PLAN_SECTIONS_MAX 40u

enum plan_section_kind {
    PLAN_SECTION_PATTERN_BEGIN = 1,
    PLAN_SECTION_PATTERN_BYTES = 2,
    PLAN_SECTION_SET_BITMAP = 3,
    PLAN_SECTION_SET_WIDE = 4,
    PLAN_SECTION_SET_BUCKETS = 5,
    PLAN_SECTION_SET_ENTRIES = 6,
    PLAN_SECTION_SET_HEADS = 7,
    PLAN_SECTION_NOTE = 8, /* the caller's own bytes */
    PLAN_SECTION_CPU_CLASSES = 16,
    PLAN_SECTION_CPU_BITMAP = 17, /* these with the class as index */
    PLAN_SECTION_CPU_BUCKETS = 18,
    PLAN_SECTION_CPU_ENTRIES = 19,
    PLAN_SECTION_CPU_STEMS = 20,
    PLAN_SECTION_CPU_KEYS = 21
};

struct plan_section {
    uint32_t kind;
    uint32_t index;
    uint64_t offset; /* from the image's first byte */
    uint64_t bytes_count;
    uint64_t checksum;
};

struct plan_image_header {
    uint8_t magic[8];
    uint32_t byte_order; /* 0x01020304 in the order of the machine that saved it */
    uint32_t version;
    char machine[16]; /* its kind; for people. No table depends on the instruction set. */
    uint64_t layout;  /* sizes of the structs that are saved */
    uint64_t image_bytes;
    uint64_t pattern_count;
    uint64_t literal_count;
    uint64_t literals_checksum; /* where patterns have variants, that tables are for these */
    uint32_t flags;
    uint32_t method;
    uint8_t line_end;
    uint8_t line_end_also;
    uint8_t utf8_is_set;
    uint8_t reserved;
    uint32_t section_count;
    struct plan_section sections[PLAN_SECTIONS_MAX];
    uint64_t checksum; /* of all before */
};

/* The bytes of a plan to be written to a file. */
struct plan_parts {
    struct plan_image_header header;
    const void *bytes[PLAN_SECTIONS_MAX];
    uint64_t scratch[256]; /* for a section of what is not in memory as it is saved */
};

/* Memory that holds an image. */
struct plan_image {
    const uint8_t *bytes;
    uint64_t bytes_count;
    const char *how; /* for trawl_plan_explain */
    void (*release)(struct plan_image *image);
};

/* Is this a place in the image? */
bool plan_image_holds(const struct plan_image *image, const void *place);

/* Are these the first bytes of an image, as far as they go? */
bool plan_image_is(const void *bytes, uint64_t bytes_count);

/* The plan's own sections; UNSUPPORTED for a plan of an algorithm. Others are added after them. */
enum trawl_status plan_parts_begin(const struct trawl_plan *plan, struct plan_parts *parts,
                                   struct trawl_error *error);
void plan_parts_add(struct plan_parts *parts, uint32_t kind, uint32_t index, const void *bytes,
                    uint64_t bytes_count);
/* With all sections: offsets, checksums. */
void plan_parts_end(struct plan_parts *parts);

/* FORMAT unless the image is whole and of this version; name is for the message. */
enum trawl_status plan_image_check(const struct plan_image *image, const char *name,
                                   struct trawl_error *error);
/* FORMAT if a section is missing or has another size. *bytes is in the image; NULL if
 * bytes_count is 0. */
enum trawl_status plan_image_section(const struct plan_image *image, uint32_t kind, uint32_t index,
                                     uint64_t bytes_count, const void **bytes,
                                     struct trawl_error *error);
/* The section's bytes, NULL where there is none. */
const void *plan_image_find(const struct plan_image *image, uint32_t kind, uint32_t index,
                            uint64_t *bytes_count);

/* The plan of a checked image, which is the plan's from then on, and released on failure. */
enum trawl_status plan_image_load(struct plan_image *image,
                                  const struct trawl_plan_load_options *options,
                                  struct trawl_plan **plan, struct trawl_error *error);

/* Begins of buckets ascend from 0 to the number of entries. */
bool plan_buckets_are_good(const uint32_t *buckets, uint64_t bucket_count, uint64_t entry_count);

#endif
