/* members: --search-zip searches the members of an archive. */
#ifndef TRAWL_MEMBERS_H
#define TRAWL_MEMBERS_H

#include "trawl/run/pool_turns.h"
#include "trawl/run/search_file.h"

/* Searches the members of an opened regular file, each with `search`. False: it is no archive. */
bool members_search(struct pool_worker *worker, int descriptor, const struct walk_item *item,
                    void (*search)(struct pool_worker *worker, const struct open_file *file));

#endif
