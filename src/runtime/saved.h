/* saved: the bytes of a plan that is saved; for tests too. */
#ifndef TRAWL_RUNTIME_SAVED_H
#define TRAWL_RUNTIME_SAVED_H

#include "plan/image.h"

/* All sections of the plan, whose bytes stay the plan's and the options'. */
enum trawl_status saved_parts(const struct trawl_plan *plan,
                              const struct trawl_plan_save_options *options,
                              struct plan_parts *parts, struct trawl_error *error);

#endif
