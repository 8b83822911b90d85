/* fold: writes out which letters are equal where case is ignored, before RE2 reads the letters. */
#ifndef TRAWL_REGEX_FOLD_H
#define TRAWL_REGEX_FOLD_H

#include "plan/plan.h"
#include "regex/re2.h"

/* A plan's rule of equal letters. */
struct fold_rule {
    struct trawl_utf8 letters; /* `variants` is NULL: A-Z equal a-z */
    bool splits_i;             /* i and I are different letters */
    bool ascii; /* \w and [:alpha:] have the letters of ASCII, also where case is ignored */
};
struct fold_rule fold_rule_of(const struct trawl_plan *plan);
/* As struct trawl_utf8's function. */
uint32_t fold_variants(const struct fold_rule *rule, uint32_t letter,
                       uint32_t variants[TRAWL_UTF8_VARIANTS_MAX]);
/* Compiles an expression as regex_ops.compile does, by the plan's rule. */
enum regex_status fold_compile(const struct regex_ops *ops, const struct fold_rule *rule,
                               const char *bytes, uint64_t count,
                               const struct regex_options *options, struct regex **regex,
                               struct regex_fault *fault);

#endif
