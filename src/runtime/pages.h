/* pages: the filters of loaded texts that the host searches (plan/pages.h) */
#ifndef TRAWL_RUNTIME_PAGES_H
#define TRAWL_RUNTIME_PAGES_H

#include "plan/pages.h"
#include "runtime/search.h"

struct runtime_pages {
    struct runtime_pages *next;
    const struct trawl_text *owner;
    struct plan_pages pages;
    _Atomic uint32_t users; /* searches that read the filter now */
};

/* Builds the filter of a loaded text, in place of an older one. Without memory for it, or if it
 * would be of little use, the text has none. */
void runtime_pages_load(struct trawl_runtime *runtime, struct trawl_text *text);
void runtime_pages_add(struct trawl_runtime *runtime, struct runtime_pages *made);
/* Drops the filter of this text object; NULL: all filters. */
void runtime_pages_unload(struct trawl_runtime *runtime, const struct trawl_text *text);
/* Called in a child of fork(), in which no other thread reads a filter. */
void runtime_pages_adopt(const struct trawl_runtime *runtime);
/* If the host searches a text that lies in one with a filter, sets need->kept to the ranges in
 * which occurrences may begin, unless these are most of the text, or the sink needs all bytes. */
void pages_choose(struct search *search, const struct trawl_text *text, struct text_need *need);

#endif
