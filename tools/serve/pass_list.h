/* pass_list: one search that lists what occurs in a state's blocks, for all members of a pass. */
#ifndef SERVE_PASS_LIST_H
#define SERVE_PASS_LIST_H

#include "serve/pass_member.h"

/* Can these share a pass with each other, and this one with others? */
bool pass_list_merges(const struct pass_request *left, const struct pass_request *right);
bool pass_list_is_merged(const struct pass_request *request);

/* Do occurrences in a file not depend on the files around it, if those that go beyond its end are
 * dropped? */
bool pass_list_fits(const struct trawl_plan *plan);

/* Search the state of the pass's members, which pass_list_fits allows. STOPPED: all are cancelled.
 * Cost: of several members, a plan of all their strings; a search; some nanoseconds for each
 * occurrence and member. */
enum trawl_status pass_list(struct pass *pass, struct trawl_error *error);

#endif
