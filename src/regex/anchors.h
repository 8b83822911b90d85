/* anchors: the strings by which the alternatives of all expressions are found, as a plan. */
#ifndef TRAWL_REGEX_ANCHORS_H
#define TRAWL_REGEX_ANCHORS_H

#include "regex/chain.h"
#include "regex/regex_compile.h"
#include "regex/split.h"

struct anchor_maker {
    struct expressions *made; /* gets the anchors and the plan of their strings */
    struct byte_rates rates;
    const uint8_t *sample; /* as in struct split_options */
    uint64_t sample_bytes;
    uint32_t expression; /* that is split now */
    bool fails;          /* some expression has no anchors */
    bool folds;          /* some strings stand for letters of any case */
    bool keeps;          /* some strings do not */
    bool all_sure;       /* each occurrence of a string lies in a match */
    bool all_match;      /* each occurrence of a string is a match */
    bool has_edges;      /* that expression's matches lie between edges of words or lines */
    /* The strings of all anchors: */
    struct anchor_string {
        struct split_string string;
        uint32_t anchor;
    } * strings;
    uint64_t string_count;
    uint64_t string_capacity;
};

/* The sample is used until the last anchor is added. */
void anchors_begin(struct anchor_maker *maker, struct expressions *made, const uint8_t *sample,
                   uint64_t sample_bytes);
/* Adds the anchors of the expression with this number, in RE2's syntax. Errors: MEMORY. */
enum trawl_status anchors_add(struct anchor_maker *maker, uint32_t expression, const char *bytes,
                              uint64_t count, struct trawl_error *error);
/* Builds made->atoms from the strings, unless some expression has no anchors; then
 * made->anchor_count is 0. Errors: MEMORY, LIMIT. */
enum trawl_status anchors_end(struct anchor_maker *maker, struct trawl_error *error);
void anchors_release(struct anchor_maker *maker);
/* Frees the anchors of the expressions. */
void anchors_free(struct expressions *made);

#endif
