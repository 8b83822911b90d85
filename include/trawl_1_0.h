/* trawl_1_0: functions of version 1.0 that newer ones replace; included by trawl.h */
#ifndef TRAWL_1_0_H
#define TRAWL_1_0_H

#include "trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version 1.0 ---------------------------------------------------------------------------
 * These functions do not change until version 2. */

/* The members are those of struct trawl_letters with the same names. */
struct trawl_utf8 {
    void *context;
    uint32_t (*variants)(void *context, uint32_t code_point,
                         uint32_t variants[TRAWL_UTF8_VARIANTS_MAX]);
    bool (*is_word)(void *context, uint32_t code_point);
};

struct trawl_facts {
    uint64_t pattern_count;
    uint32_t flags;   /* enum trawl_plan_flag, as built */
    uint32_t engines; /* engines for the plan, as bits 1u << enum trawl_engine (CPU and CUDA) */
    uint32_t mismatches_max; /* as given to trawl_plan_build, like the next two fields */
    uint32_t edits_max;
    enum trawl_alphabet alphabet;
    uint8_t has_errors; /* 1: a plan with errors; 0: the three fields above are 0 */
    uint8_t line_end;   /* the byte that ends lines */
    uint8_t syntax;     /* enum trawl_syntax */
    uint8_t reserved[9];
};

/* Return what a plan was built with; see trawl_plan_tell. All zeros for NULL. */
TRAWL_API struct trawl_facts trawl_plan_facts(const struct trawl_plan *plan);

/* Return the bytes of a pattern; see trawl_plan_tell. NULL bytes and count 0 if the index is out of
 * range. */
TRAWL_API struct trawl_pattern trawl_plan_pattern(const struct trawl_plan *plan,
                                                  uint64_t pattern_index);

/* The members are those of struct trawl_memory with the same names. */
struct trawl_allocator {
    void *context;
    void *(*allocate)(void *context, uint64_t bytes, uint64_t alignment);
    void (*release)(void *context, void *pointer, uint64_t bytes);
};

/* Use these functions for the library's own memory; see trawl_set_memory. */
TRAWL_API void trawl_set_allocator(const struct trawl_allocator *allocator);

/* Open a file as a text; see trawl_text_open. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_open_file(const char *path,
                                                               struct trawl_text **text,
                                                               struct trawl_error *error);
/* Open a descriptor as a text; see trawl_text_open with TRAWL_TEXT_DESCRIPTOR. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_from_descriptor(int descriptor,
                                                                     const char *name,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);
/* Open a file, or a descriptor, that may be compressed; see TRAWL_TEXT_UNPACK in trawl.h. */
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_open_compressed(const char *path,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);
TRAWL_API TRAWL_CHECKED enum trawl_status trawl_text_from_compressed(int descriptor,
                                                                     const char *name,
                                                                     struct trawl_text **text,
                                                                     struct trawl_error *error);
/* Return the name of the format of compressed bytes, "gzip", ...; see trawl_text_tell. NULL for
 * other bytes. */
TRAWL_API const char *trawl_compression(const void *bytes, uint64_t bytes_count);
/* Return whether trawl_text_read works at any offset; see trawl_text_tell. */
TRAWL_API bool trawl_text_is_seekable(const struct trawl_text *text);
/* Set *text_bytes to a text's size; see trawl_text_tell. If the size is not known, returns false
 * and leaves *text_bytes untouched. */
TRAWL_API bool trawl_text_bytes(const struct trawl_text *text, uint64_t *text_bytes);

#ifdef __cplusplus
}
#endif
#endif
