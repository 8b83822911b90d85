/* pages: the filters of loaded texts (plan/pages.h) */
#ifndef TRAWL_RUNTIME_PAGES_H
#define TRAWL_RUNTIME_PAGES_H

#include "plan/pages.h"
#include "runtime/search.h"

struct runtime_pages {
    struct runtime_pages *next;
    const struct trawl_text *owner;
    struct plan_pages pages;
    struct engine_pages *held; /* the rows, if a device has them, that has the text, too */
    _Atomic uint32_t users;    /* searches that read the filter now */
};

/* Builds the filter of a loaded text, in place of an older one. Without memory for it, or if it
 * would be of little use, the text has none. */
void runtime_pages_load(struct trawl_runtime *runtime, struct trawl_text *text);
void runtime_pages_add(struct trawl_runtime *runtime, struct runtime_pages *made);
/* Drops the filter of this text object; NULL: all filters. */
void runtime_pages_unload(struct trawl_runtime *runtime, const struct trawl_text *text);
/* Called in a child of fork(), in which no other thread reads a filter. */
void runtime_pages_adopt(const struct trawl_runtime *runtime);
/* Returns how many pages a filter leaves of the text for the plan's strings, if these are so few
 * that only they should be searched, and the sink needs no other bytes; otherwise PAGES_ALL. */
#define PAGES_ALL UINT64_MAX
uint64_t pages_left(struct trawl_runtime *runtime, const struct trawl_plan *plan,
                    const struct trawl_text *text, const struct sink *sink);
/* If a text is searched that lies in one with a filter, sets need->kept to the ranges in
 * which occurrences may begin, unless these are most of the text, or the sink needs all bytes. */
void pages_choose(struct search *search, const struct trawl_text *text, struct text_need *need);

#endif
