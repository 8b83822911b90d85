/* served: the options that a server takes with a search; the client asks before it sends. */
#ifndef TRAWL_SERVED_H
#define TRAWL_SERVED_H

#include "trawl/flags.h"

/* Why a server does not serve the option, as the end of a sentence; NULL: it does. `id` may be an
 * alias. */
const char *served_refusal(enum flag_id id);

#endif
