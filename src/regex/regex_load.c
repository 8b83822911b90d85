/* regex_load: loads the shared object libtrawl_regex, which contains RE2. */
#include "regex/regex_load.h"

#include "base/beside.h"

#if TRAWL_REGEX
static bool is_same_version(const void *exported)
{
    return ((const struct regex_ops *)exported)->version == REGEX_VERSION;
}

enum trawl_status regex_load(const struct regex_ops **ops, struct trawl_error *error)
{
    static struct beside_library library = {TRAWL_REGEX_LIBRARY, "trawl_regex_ops", is_same_version,
                                            NULL};
    char reason[BESIDE_REASON_BYTES];

    *ops = (const struct regex_ops *)beside_load(&library, reason);
    if (*ops == NULL)
        return TRAWL_FAIL(error, UNSUPPORTED,
                          "regular expressions need %s, which cannot be loaded: %s",
                          TRAWL_REGEX_LIBRARY, reason);
    return TRAWL_OK;
}
#else
enum trawl_status regex_load(const struct regex_ops **ops, struct trawl_error *error)
{
    *ops = NULL;
    return TRAWL_FAIL(error, UNSUPPORTED, "this build has no regular expressions: RE2 was missing");
}
#endif
