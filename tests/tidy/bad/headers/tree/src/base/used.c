/* used: includes its header and the two that are wrong. */
#include "base/used.h"
#include "base/twice.h"
#include "base/open.h"
