/* call: one call of a searcher at a time. */
#ifndef TRAWL_RUNTIME_CALL_H
#define TRAWL_RUNTIME_CALL_H

#include "runtime/search.h"

/* Mark the searcher as inside a call: BUSY if it is inside one. And as outside again. */
enum trawl_status searcher_enter(struct trawl_searcher *searcher, struct trawl_error *error);
void searcher_leave(struct trawl_searcher *searcher);
/* Was the call that the searcher is inside cancelled? */
bool searcher_is_cancelled(const struct trawl_searcher *searcher);
/* searcher_enter, after the checks that all searches share. */
enum trawl_status search_enter(struct trawl_searcher *searcher, const struct trawl_plan *plan,
                               const struct trawl_text *text, struct trawl_error *error);

#endif
