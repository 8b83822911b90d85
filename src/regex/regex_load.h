/* regex_load: loads libtrawl_regex, which contains RE2, when it is first needed.
 */
#ifndef TRAWL_REGEX_REGEX_LOAD_H
#define TRAWL_REGEX_REGEX_LOAD_H

#include "base/status.h"
#include "regex/re2.h"

/* Sets *ops to the functions of libtrawl_regex. Errors: UNSUPPORTED if this build has no
 * expressions, or if the library cannot be loaded. */
enum trawl_status regex_load(const struct regex_ops **ops, struct trawl_error *error);

#endif
